/* The integrator AUTO: the steps of DOPRI5 where nothing is stiff, BDF's where something is, and back. */
#include "sim/driver.h"
#include "pinion/sim/run.h"

/* A damper on the first joint that is there for a while. */
typedef struct brake {
    double from, to, strength;
} brake;

static pinion_status pull(void *user, double t, const double *q, const double *v, double *tau)
{
    const brake *b = user;
    (void)q;
    for (int i = 0; i < 3; i++) tau[i] = 0;
    if (t >= b->from && t < b->to) tau[0] = -b->strength * v[0];
    return PINION_OK;
}

static double jump(void *user, double t)
{
    const brake *b = user;
    return t < b->from ? b->from : t < b->to ? b->to : INFINITY;
}

static pinion_sim *swing(const pinion_model *m, pinion_integrator method, double tolerance, brake *b)
{
    const double q[3] = {0.3, 0.4, -0.2};
    pinion_sim_options o = pinion_sim_options_default();
    o.integrator = method;
    o.rtol = o.atol = tolerance;
    if (b) {
        o.torque = pull;
        o.torque_jump = jump;
        o.torque_user = b;
    }
    pinion_sim *s = driver_sim(m, &o);
    if (s && pinion_sim_start(s, 0, q, NULL) != PINION_OK) CHECK_FAIL("%s", pinion_sim_message(s));
    return s;
}

static long evaluations(const pinion_sim *s)
{
    long count;
    pinion_sim_counts(s, NULL, NULL, &count);
    return count;
}

TEST(smooth_runs_are_those_of_dopri5)
{
    pinion_model *m = driver_model("planar-3r.json");
    pinion_sim *a = swing(m, PINION_INTEGRATOR_AUTO, 1e-10, NULL), *b = swing(m, PINION_INTEGRATOR_DOPRI5, 1e-10, NULL);
    long implicit, changes;
    for (int k = 1; k <= 20; k++) {
        instant x, y;
        driver_advance(a, 0.1 * k);
        driver_advance(b, 0.1 * k);
        driver_get(a, &x);
        driver_get(b, &y);
        CHECK(same_instant(&x, &y));
    }
    pinion_sim_changes(a, &implicit, &changes);
    CHECK(implicit == 0 && changes == 0 && evaluations(a) == evaluations(b));
    pinion_sim_free(a);
    pinion_sim_free(b);
    pinion_model_free(m);
}

/* Stiff from 0.2 s to 1.2 s: in between steps are BDF's, before and at the end DOPRI5's. */
TEST(there_and_back)
{
    pinion_model *m = driver_model("planar-3r.json");
    brake b = {0.2, 1.2, 3e5};
    pinion_sim *a = swing(m, PINION_INTEGRATOR_AUTO, 1e-9, &b), *c = swing(m, PINION_INTEGRATOR_DOPRI5, 1e-9, &b);
    long before[3], after[3], end[3], changes;
    instant x, y;
    driver_advance(a, 0.2);
    pinion_sim_changes(a, &before[0], NULL);
    pinion_sim_counts(a, &before[1], NULL, NULL);
    driver_advance(a, 1.2);
    driver_advance(c, 1.2);
    driver_get(a, &x);
    driver_get(c, &y);
    pinion_sim_changes(a, &after[0], NULL);
    printf("    %ld evaluations for %ld\n", evaluations(a), evaluations(c));
    CHECK(evaluations(a) < evaluations(c) / 10);
    driver_advance(a, 4);
    pinion_sim_changes(a, &end[0], &changes);
    pinion_sim_counts(a, &end[1], NULL, NULL);
    printf("    %ld steps, %ld of them implicit, %ld changes\n", end[1], end[0], changes);
    CHECK(before[0] == 0 && after[0] > 100 && changes >= 2 && changes % 2 == 0);
    CHECK(end[1] - end[0] > before[1]);
    for (int i = 0; i < 3; i++) CHECK_NEAR(x.q[i], y.q[i], 1e-6);
    pinion_sim_free(a);
    pinion_sim_free(c);
    pinion_model_free(m);
}

/* Stored in any stretch, it goes on as the run that stored it. */
TEST(resumes_in_every_stretch)
{
    pinion_model *m = driver_model("planar-3r.json");
    brake b = {0.2, 1.2, 3e5};
    for (double t = 0.1; t < 2; t += 0.13) {
        pinion_sim *a = swing(m, PINION_INTEGRATOR_AUTO, 1e-9, &b), *c = swing(m, PINION_INTEGRATOR_AUTO, 1e-9, &b);
        const int size = pinion_sim_memory_size(a);
        double *memory = calloc((size_t)size, sizeof *memory);
        instant x, y;
        driver_advance(a, t);
        CHECK_STATUS(pinion_sim_store(a, memory), PINION_OK);
        CHECK_STATUS(pinion_sim_restore(c, memory, size), PINION_OK);
        driver_advance(a, 2.5);
        driver_advance(c, 2.5);
        driver_get(a, &x);
        driver_get(c, &y);
        CHECK(same_instant(&x, &y));
        free(memory);
        pinion_sim_free(a);
        pinion_sim_free(c);
    }
    pinion_model_free(m);
}

/* What was stored is untrusted: nothing in it may do harm. */
TEST(damaged_memory_is_refused_or_harmless)
{
    pinion_model *m = driver_model("planar-3r.json");
    brake b = {0.2, 1.2, 3e5};
    pinion_sim *a = swing(m, PINION_INTEGRATOR_AUTO, 1e-9, &b);
    const int size = pinion_sim_memory_size(a);
    double *memory = calloc(2 * (size_t)size, sizeof *memory), *bad = memory + size;
    const double wrong[] = {NAN, INFINITY, -1, 0.5, 1e300, 7};
    driver_advance(a, 0.5);
    CHECK_STATUS(pinion_sim_store(a, memory), PINION_OK);
    for (int i = 0; i < size; i++)
        for (int k = 0; k < 6; k++) {
            memcpy(bad, memory, (size_t)size * sizeof *memory);
            bad[i] = wrong[k];
            if (pinion_sim_restore(a, bad, size) == PINION_OK) (void)!pinion_sim_advance_some(a, 1, 5);
        }
    CHECK_STATUS(pinion_sim_restore(a, memory, size), PINION_OK);
    free(memory);
    pinion_sim_free(a);
    pinion_model_free(m);
}

/* A table that slides on compliant ground and comes to rest there: friction is a fast mode that error control follows
 * without being at the edge of stability. The steps are BDF's, and the energies balance as well. */
TEST(contact_is_stiff_although_steps_are_stable)
{
    pinion_builder *b = pinion_builder_new("table");
    pinion_link_def link = pinion_link_def_default();
    link.name = "floor";
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    link.name = "table";
    link.inertia.mass = 3;
    link.inertia.inertia[0] = link.inertia.inertia[3] = link.inertia.inertia[5] = 0.05;
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    pinion_joint_def root = pinion_joint_def_default();
    root.name = "root";
    root.type = PINION_JOINT_FREE;
    root.parent = "floor";
    root.child = "table";
    CHECK_STATUS(pinion_builder_add_joint(b, &root, NULL), PINION_OK);
    static const char *const feet[] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++) {
        pinion_frame_def foot = pinion_frame_def_default();
        foot.name = feet[i];
        foot.link = "table";
        foot.pose.position[0] = i & 1 ? 0.2 : -0.2;
        foot.pose.position[1] = i & 2 ? 0.15 : -0.15;
        foot.pose.position[2] = -0.25;
        CHECK_STATUS(pinion_builder_add_frame(b, &foot, NULL), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    pinion_builder_free(b);
    pinion_ground_def ground = pinion_ground_def_default();
    int frames[4];
    for (int i = 0; i < 4; i++) frames[i] = pinion_model_find_frame(m, feet[i]);
    ground.stiffness = 2e4;
    ground.damping = 1;
    ground.friction = 0.8;
    ground.count = 4;
    ground.frame = frames;
    pinion_forces *forces = pinion_forces_new(m);
    CHECK_STATUS(pinion_forces_add_ground(forces, &ground, NULL), PINION_OK);
    const double q[7] = {1, 0, 0, 0, 0, 0, 0.26}, v[6] = {0, 0, 0, 0.4, 0.1, 0};
    static const pinion_integrator method[] = {PINION_INTEGRATOR_AUTO, PINION_INTEGRATOR_BDF};
    long spent[2], implicit, changes;
    for (int k = 0; k < 2; k++) {
        pinion_sim_options o = pinion_sim_options_default();
        o.integrator = method[k];
        o.forces = forces;
        pinion_sim *s = driver_sim(m, &o);
        pinion_sim_state state = {0};
        CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
        CHECK_STATUS(pinion_sim_advance(s, 1), PINION_OK);
        CHECK_STATUS(pinion_sim_get(s, &state), PINION_OK);
        spent[k] = evaluations(s);
        pinion_sim_changes(s, &implicit, &changes);
        /* a hundred tolerances of a step: rounding decides how often feet slip, and so how many steps there are */
        if (k == 0) CHECK_NEAR(state.largest_drift / state.largest_kinetic, 0, 100 * o.rtol);
        /* so it does of changes: starts that differ by 1e-5 to 2e-3 m/s have 27 to 79 of them, and take 2.3 to 3.9
         * times the evaluations of bdf */
        if (k == 0 && !(implicit > 1000 && changes < 160))
            CHECK_FAIL("%ld steps by bdf, %ld changes", implicit, changes);
        pinion_sim_free(s);
    }
    printf("    %ld evaluations, by bdf %ld\n", spent[0], spent[1]);
    CHECK(spent[0] < 6 * spent[1]);
    pinion_forces_free(forces);
    pinion_model_free(m);
}

/* An arm with friction that falls goes from one method to the other many times: the energies balance as with DOPRI5,
 * which is off by up to 1e-12 of the largest kinetic energy in such runs. */
TEST(energies_balance_across_changes)
{
    pinion_model *m = driver_model("arm-7dof.json");
    for (int i = 0; i < 7; i++) {
        pinion_joint_info joint;
        CHECK_STATUS(pinion_model_joint(m, i, &joint), PINION_OK);
        pinion_dof dof = joint.dof[0];
        dof.friction_positive = dof.friction_negative = 0.2 * (1 + i % 3);
        CHECK_STATUS(pinion_model_set_dof(m, i, 0, &dof), PINION_OK);
    }
    const double q[7] = {0, 0.3, 0.4, 0.2}, v[7] = {0};
    const pinion_sim_options o = pinion_sim_options_default();
    pinion_sim *s = driver_sim(m, &o);
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    driver_advance(s, 2);
    instant x;
    driver_get(s, &x);
    long implicit = 0, changes = 0;
    pinion_sim_changes(s, &implicit, &changes);
    CHECK(implicit > 1000 && changes > 4);
    if (!(x.s.largest_drift < 1e-12 * x.s.largest_kinetic))
        CHECK_FAIL("off by %g of %g J", x.s.largest_drift, x.s.largest_kinetic);
    pinion_sim_free(s);
    pinion_model_free(m);
}

/* An arm with friction whose motors bear its weight stands still but for rounding: differences of that are no Jacobian,
 * and steps are as long as they like. */
TEST(what_stands_still_takes_few_steps)
{
    pinion_model *m = driver_model("puma560-corke.json");
    const double q[6] = {0.3, 0.4, 0.5, 0.1, 0.2, 0.3}, v[6] = {0};
    pinion_error err = {0};
    pinion_control_def def = pinion_control_def_default();
    def.gravity = 1;
    pinion_controller *bears = pinion_controller_new(m, &def, &err);
    pinion_sim_options o = pinion_sim_options_default();
    o.actuators = pinion_controller_actuators;
    o.actuators_user = bears;
    pinion_sim *s = driver_sim(m, &o);
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    driver_advance(s, 2);
    long steps = 0;
    instant x;
    driver_get(s, &x);
    pinion_sim_counts(s, &steps, NULL, NULL);
    for (int i = 0; i < 6; i++) CHECK_NEAR(x.q[i], q[i], 1e-12);
    if (steps > 1000) CHECK_FAIL("%ld steps", steps);
    pinion_sim_free(s);
    pinion_controller_free(bears);
    pinion_model_free(m);
}

#define BAR(name, mass, half, inertia)                                                                             \
    "{\"name\": \"" name "\", \"mass\": " mass ", \"com\": [" half ", 0, 0], \"inertia\": {\"yy\": " inertia          \
    ", \"zz\": " inertia "}}"
#define PIN(name, parent, at, angle)                                                                               \
    "{\"name\": \"" name "\", \"type\": \"continuous\", \"parent\": \"" parent "\", \"child\": \"" name               \
    "\", \"origin\": {\"position\": [" at ", 0, 0]}, \"initial\": {\"q\": " angle "}}"

/* A four-bar on a body that falls, with a damper that makes it stiff: nothing in it moves but by rounding, in which BDF
 * finds no step. The explicit method does. */
TEST(loops_go_on_where_bdf_finds_no_step)
{
    static const char text[] =
        "{\"pinion\": 1, \"name\": \"falls\", \"gravity\": [0, -9.81, 0], \"links\": [{\"name\": \"body\", "
        "\"mass\": 10, \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}}, " BAR("crank", "0.3", "0.1", "0.001") ", "
        BAR("coupler", "1.2", "0.25", "0.025") ", " BAR("rocker", "0.9", "0.2", "0.012") "], \"joints\": ["
        PIN("crank", "body", "0", "1.5707963267948966") ", "
        PIN("coupler", "crank", "0.2", "-1.1638355690882252") ", "
        PIN("rocker", "body", "0.5", "1.6730644304861706") "], \"loops\": [{\"name\": \"pin\", \"type\": \"revolute\", "
        "\"parent\": \"coupler\", \"child\": \"rocker\", \"origin\": {\"position\": [0.5, 0, 0]}, \"child_origin\": "
        "{\"position\": [0.4, 0, 0]}}]}";
    static const double strength[] = {0.5, 1, 2, 5, 20, 100, 300};
    pinion_error err = {0};
    pinion_load_options floats = pinion_load_options_default();
    floats.root = PINION_ROOT_FREE;
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "falls", &floats, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    for (int k = 0; k < (int)(sizeof strength / sizeof strength[0]); k++) {
        const int joint = pinion_model_find_joint(m, "coupler");
        pinion_joint_info info;
        CHECK_STATUS(pinion_model_joint(m, joint, &info), PINION_OK);
        pinion_dof dof = info.dof[0];
        dof.damping = strength[k];
        CHECK_STATUS(pinion_model_set_dof(m, joint, 0, &dof), PINION_OK);
        pinion_run_def def = pinion_run_def_default();
        def.duration = 2;
        pinion_run *run = pinion_run_new(m, &def, &err);
        if (!run) CHECK_FAIL("%s", err.message);
        if (pinion_run_to_end(run) != PINION_OK) CHECK_FAIL("damping %g: %s", strength[k], pinion_run_message(run));
        instant x;
        driver_get(pinion_run_simulation(run), &x);
        CHECK_NEAR(x.v[4], -9.81 * 2, 1e-9);
        pinion_run_free(run);
    }
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(smooth_runs_are_those_of_dopri5);
    RUN(there_and_back);
    RUN(contact_is_stiff_although_steps_are_stable);
    RUN(resumes_in_every_stretch);
    RUN(damaged_memory_is_refused_or_harmless);
    RUN(energies_balance_across_changes);
    RUN(what_stands_still_takes_few_steps);
    RUN(loops_go_on_where_bdf_finds_no_step);
    return CHECK_END();
}
