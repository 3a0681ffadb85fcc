/* Contact in simulations: what a run records and tells, and that its numbers do not depend on how it is cut. */
#include "check.h"
#include "contact/bodies.h"
#include "contact/joints.h"
#include "pinion/sim/run.h"

static double last_value(const pinion_result *r, const char *name)
{
    const int column = pinion_result_find_column(r, name);
    CHECK(column >= 0);
    return column < 0 ? NAN : pinion_result_values(r, column)[pinion_result_row_count(r) - 1];
}

/* a block of 2 kg thrown over the ground with 1 m/s, friction 0.5, g = 10: it rests after 0.2 s and 0.1 m */
static pinion_result *slide(const pinion_model *m, int steps, pinion_contact_totals *totals)
{
    pinion_error err;
    pinion_run_def def = pinion_run_def_default();
    pinion_scene_options contact = pinion_scene_options_default();
    const double q[7] = {1, 0, 0, 0, 0, 0, 0.05}, v[6] = {0, 0, 0, 1, 0, 0};
    contact.ground = 1;
    def.sim.contact = &contact;
    def.sim.integrator = PINION_INTEGRATOR_EULER;
    def.q = q;
    def.v = v;
    def.duration = 0.4;
    def.output_step = 0.1;
    def.result = pinion_result_new();
    pinion_run *run = pinion_run_new(m, &def, &err);
    if (!run) CHECK_FAIL("%s", err.message);
    pinion_run_summary s;
    do {
        CHECK_STATUS(pinion_run_advance(run, steps), PINION_OK);
        CHECK_STATUS(pinion_run_summarize(run, &s), PINION_OK);
    } while (s.end == PINION_RUN_GOING);
    CHECK(s.end == PINION_RUN_COMPLETE);
    CHECK(s.relative_drift < 0.02); /* of order one: some steps */
    CHECK_STATUS(pinion_sim_contact(pinion_run_simulation(run), totals), PINION_OK);
    pinion_run_free(run);
    return def.result;
}

TEST(a_block_that_comes_to_rest)
{
    const double down[3] = {0, 0, -10};
    const body block = {PINION_SHAPE_BOX, {0.4, 0.3, 0.1}, 2, 0.02, 0.5, 0};
    pinion_model *m = bodies_model(1, &block, down);
    pinion_contact_totals totals, again;
    pinion_result *r = slide(m, 1000, &totals), *cut = slide(m, 7, &again);
    CHECK_NEAR(last_value(r, "q.j0.4"), 0.1, 1e-3);
    CHECK_NEAR(last_value(r, "v.j0.3"), 0, 1e-9);
    CHECK_NEAR(last_value(r, "a.j0.5"), 0, 1e-6); /* with contact */
    CHECK_NEAR(last_value(r, "contact.count"), 4, 0);
    CHECK_NEAR(last_value(r, "contact.ground.b0.force.2"), 20, 1e-6);
    CHECK_NEAR(last_value(r, "contact.ground.b0.gap"), 0, 1e-9);
    /* half way: it slides */
    const int along = pinion_result_find_column(r, "contact.ground.b0.force.0");
    CHECK_NEAR(pinion_result_values(r, along)[1], -10, 1e-5);
    CHECK(totals.pairs == 1 && totals.most == 4 && totals.unsolved == 0 && totals.left_out == 0);
    CHECK_NEAR(totals.penetration, 0, 1e-9);
    for (int c = 0; c < pinion_result_column_count(r); c++)
        CHECK(memcmp(pinion_result_values(r, c), pinion_result_values(cut, c),
                     pinion_result_row_count(r) * sizeof(double)) == 0);
    pinion_result_free(r);
    pinion_result_free(cut);
    pinion_model_free(m);
}

/* q and v of a run of a model in text */
static void run_text(const char *text, const pinion_sim_options *o, const double *q0, const double *v0, double duration,
                     double *q, double *v, pinion_sim_state *state)
{
    pinion_error err;
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "test", NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_sim *s = pinion_sim_new(m, o, &err);
    if (!s) CHECK_FAIL("%s", err.message);
    CHECK_STATUS(pinion_sim_start(s, 0, q0, v0), PINION_OK);
    CHECK_STATUS(pinion_sim_advance(s, duration), PINION_OK);
    *state = (pinion_sim_state){.q = q, .v = v};
    CHECK_STATUS(pinion_sim_get(s, state), PINION_OK);
    pinion_sim_free(s);
    pinion_model_free(m);
}

TEST(exact_friction_and_stops)
{
    /* 20 N on 25 N of friction stays; 10 m/s^2 down onto a stop 5 cm below */
    pinion_sim_options o = pinion_sim_options_default();
    pinion_scene_options contact = pinion_scene_options_default();
    pinion_sim_state state;
    const double start[1] = {0}, still[1] = {0};
    double q[1], v[1];
    o.contact = &contact;
    o.integrator = PINION_INTEGRATOR_EULER;
    o.friction = PINION_FRICTION_EXACT;
    run_text(SLIDER("[0, 0, 1]", "\"friction\": 25"), &o, start, still, 0.5, q, v, &state);
    CHECK_NEAR(q[0], 0, 1e-12);
    run_text(SLIDER("[0, 0, 1]", "\"friction\": 15"), &o, start, still, 0.5, q, v, &state);
    CHECK_NEAR(v[0], -1.25, 1e-9);
    run_text(SLIDER("[0, 0, 1]", "\"limits\": [-0.05, 1]"), &o, start, still, 0.5, q, v, &state);
    CHECK_NEAR(q[0], -0.05, 1e-12);
    CHECK_NEAR(v[0], 0, 1e-12);
    contact.limits = 0;
    run_text(SLIDER("[0, 0, 1]", "\"limits\": [-0.05, 1]"), &o, start, still, 0.5, q, v, &state);
    CHECK_NEAR(q[0], -1.25, 0.01);
}

/* 2 kg hang on a soft stop: what it took is the way down, 5 cm and the weight over its stiffness; what its damper takes
 * does not count once all rests. */
TEST(soft_stops_at_rest_take_no_energy)
{
    static const double springs[][2] = {{1e3, 20}, {1e3, 400}, {1e4, 30}};
    pinion_sim_options o = pinion_sim_options_default();
    pinion_scene_options contact = pinion_scene_options_default();
    const double start[1] = {0}, still[1] = {0};
    double q[1], v[1];
    o.contact = &contact;
    o.integrator = PINION_INTEGRATOR_EULER;
    o.step = 1e-4;
    o.stops = 1;
    for (int i = 0; i < 3; i++) {
        pinion_sim_state state;
        o.stop_stiffness = springs[i][0];
        o.stop_damping = springs[i][1];
        const double depth = 0.05 + 20 / o.stop_stiffness;
        run_text(SLIDER("[0, 0, 1]", "\"limits\": [-0.05, 1]"), &o, start, still, 5, q, v, &state);
        CHECK_NEAR(q[0], -depth, 1e-6);
        CHECK_NEAR(state.work, -20 * depth, 1e-5);
        CHECK_NEAR(state.drift, 0, 1e-5);
    }
}

/* Two sliders, one on the other, the lower one light and with a strong damper: they sink with their weight over it, g =
 * 10. Steps are ten times as long as the damper takes to stop the lower one alone. */
TEST(dampers_hold_what_presses_on_them)
{
    static const char text[] =
        "{\"pinion\": 1, \"name\": \"two\", \"gravity\": [0, 0, -10], \"links\": [{\"name\": \"world\"}, "
        "{\"name\": \"low\", \"mass\": 0.01, \"collisions\": [{\"shape\": \"box\", \"size\": [0.2, 0.2, 0.1]}]}, "
        "{\"name\": \"high\", \"mass\": 0.99, \"collisions\": [{\"shape\": \"sphere\", \"radius\": 0.05}]}], "
        "\"joints\": [{\"name\": \"a\", \"type\": \"prismatic\", \"parent\": \"world\", \"child\": \"low\", "
        "\"axis\": [0, 0, 1], \"damping\": 100}, {\"name\": \"b\", \"type\": \"prismatic\", \"parent\": \"world\", "
        "\"child\": \"high\", \"axis\": [0, 0, 1]}]}";
    pinion_sim_options o = pinion_sim_options_default();
    pinion_scene_options contact = pinion_scene_options_default();
    pinion_sim_state state;
    const double start[2] = {0, 0.1}, still[2] = {0, 0};
    double q[2], v[2];
    o.contact = &contact;
    o.integrator = PINION_INTEGRATOR_EULER;
    o.step = 1e-3;
    run_text(text, &o, start, still, 0.4, q, v, &state);
    for (int k = 0; k < 2; k++) CHECK_NEAR(v[k], -10 * (0.01 + 0.99) / 100, 1e-9);
    CHECK_NEAR(q[1] - q[0], 0.1, 1e-8);
}

TEST(closed_loops)
{
    /* a parallelogram swings on a foot that the ground holds */
    pinion_sim_options o = pinion_sim_options_default();
    pinion_scene_options contact = pinion_scene_options_default();
    pinion_sim_state state;
    const double q0[10] = {1, 0, 0, 0, 0, 0, 0.05, 0.5, -0.5, 0.5};
    double q[2][10], v[2][9];
    contact.ground = 1;
    o.contact = &contact;
    o.integrator = PINION_INTEGRATOR_EULER;
    run_text(PORTAL(""), &o, q0, NULL, 0.2, q[0], v[0], &state);
    CHECK(state.constraint < 1e-5);
    o.step = 5e-4;
    run_text(PORTAL(""), &o, q0, NULL, 0.2, q[1], v[1], &state);
    CHECK(state.constraint < 5e-6);
    for (int i = 0; i < 7; i++) CHECK_NEAR(q[0][i], q0[i], 1e-4); /* it stays */
    /* the angle by its equation of motion, in small steps */
    const double inertia = 2 * (0.01 + 0.15 * 0.15) + 2 * 0.3 * 0.3;
    double angle = 0.5, rate = 0;
    for (int i = 0; i < 200000; i++) {
        rate += 1e-6 * 9 * sin(angle) / inertia;
        angle += 1e-6 * rate;
    }
    CHECK_NEAR(q[0][7], angle, 0.02);
    CHECK_NEAR(2 * q[1][7] - q[0][7], angle, 5e-4);
}

/* a box of 0.3 x 0.3 x 0.1 m and 1 kg on a flat field of 4 x 4 m with so many points along each side */
static char *field_text(int n, double mu)
{
    const size_t room = 2000 + 4 * (size_t)n * (size_t)n;
    char *text = malloc(room);
    int at = snprintf(text, room, "{\"pinion\": 1, \"gravity\": [0, 0, -9.81], \"links\": [{\"name\": \"world\"}, "
                      "{\"name\": \"field\", \"collisions\": [{\"shape\": \"height_field\", \"size\": [4, 4], "
                      "\"depth\": 0.5, \"friction\": %g, \"heights\": [", mu);
    for (int i = 0; i < n * n; i++)
        at += snprintf(text + at, room - (size_t)at, "%s0%s", i % n ? "," : "[",
                       i % n < n - 1 ? "" : i < n * n - 1 ? "]," : "]");
    snprintf(text + at, room - (size_t)at, "]}]}, {\"name\": \"box\", \"mass\": 1, \"inertia\": {\"xx\": 0.00833, "
             "\"yy\": 0.00833, \"zz\": 0.015}, \"collisions\": [{\"shape\": \"box\", \"size\": [0.3, 0.3, 0.1], "
             "\"friction\": %g}]}], \"joints\": [{\"name\": \"w\", \"type\": \"fixed\", \"parent\": \"world\", "
             "\"child\": \"field\"}, {\"name\": \"root\", \"type\": \"free\", \"parent\": \"world\", "
             "\"child\": \"box\"}]}", mu);
    return text;
}

TEST(height_fields_carry_flat_bodies)
{
    pinion_sim_options o = pinion_sim_options_default();
    pinion_scene_options contact = pinion_scene_options_default();
    pinion_sim_state state;
    o.contact = &contact;
    o.integrator = PINION_INTEGRATOR_EULER;
    const int finest = check_every(2) > 1 ? 21 : 81; /* the same lines, cell by cell */
    for (int n = 21; n <= finest; n = 2 * n - 1) {
        static const double place[4][2] = {{0, 0}, {-1.5, 0.03}, {0.1234, 0.2345}, {1.05, -1.05}};
        const double still[6] = {0}, sliding[6] = {0, 0, 0, 2, 0, 0};
        char *text = field_text(n, 0.3);
        double q[7], v[6];
        for (int k = 0; k < 4; k++) {
            const double turn = 0.2 * k, q0[7] = {cos(turn), 0, 0, sin(turn), place[k][0], place[k][1], 0.05};
            run_text(text, &o, q0, still, 0.2, q, v, &state);
            for (int i = 0; i < 7; i++) CHECK_NEAR(q[i], q0[i], 1e-9);
            for (int i = 0; i < 6; i++) CHECK_NEAR(v[i], 0, 1e-8);
        }
        const double q0[7] = {1, 0, 0, 0, -1.5, 0.03, 0.05};
        run_text(text, &o, q0, sliding, 0.75, q, v, &state);
        CHECK_NEAR(q[4] + 1.5, 2 * 2 / (2 * 0.3 * 9.81), 2e-3); /* v^2 / (2 mu g), as on a plane */
        CHECK_NEAR(q[5], 0.03, 1e-5);
        CHECK_NEAR(q[6], 0.05, 1e-6);
        CHECK_NEAR(q[3], 0, 1e-4);
        for (int i = 0; i < 6; i++) CHECK_NEAR(v[i], 0, 1e-7);
        free(text);
    }
}

TEST(enormous_friction_lets_nothing_through)
{
    static const double mu[3] = {1e5, 1e7, 1e10}, q0[7] = {1, 0, 0, 0, 0.02, 0.03, 0.06}, v0[6] = {0, 0, 0, 1, 0, 0};
    pinion_sim_options o = pinion_sim_options_default();
    pinion_scene_options contact = pinion_scene_options_default();
    pinion_sim_state state;
    o.contact = &contact;
    o.integrator = PINION_INTEGRATOR_EULER;
    for (int i = 0; i < 3; i++) {
        char *text = field_text(2, mu[i]);
        double q[7], v[6];
        run_text(text, &o, q0, v0, 1, q, v, &state);
        CHECK_NEAR(q[6], 0.05, 1e-6);
        for (int k = 0; k < 6; k++) CHECK_NEAR(v[k], 0, 1e-6);
        free(text);
    }
}

TEST(more_contacts_than_there_is_room_for_end_a_run)
{
    /* two blocks, of which one has further to fall: with room for four points the run ends when it is there */
    const double down[3] = {0, 0, -10};
    const body block[2] = {{PINION_SHAPE_BOX, {0.4, 0.3, 0.1}, 2, 0.02, 0.5, 0},
                           {PINION_SHAPE_BOX, {0.4, 0.3, 0.1}, 2, 0.02, 0.5, 0}};
    const double q[14] = {1, 0, 0, 0, 0, 0, 0.05, 1, 0, 0, 0, 2, 0, 0.3}, v[12] = {0};
    pinion_model *m = bodies_model(2, block, down);
    pinion_error err;
    pinion_run_def def = pinion_run_def_default();
    pinion_scene_options contact = pinion_scene_options_default();
    contact.ground = 1;
    contact.contacts = 4;
    def.sim.contact = &contact;
    def.sim.integrator = PINION_INTEGRATOR_EULER;
    def.q = q;
    def.v = v;
    def.duration = 1;
    def.output_step = 0.1;
    def.result = pinion_result_new();
    pinion_run *run = pinion_run_new(m, &def, &err);
    if (!run) CHECK_FAIL("%s", err.message);
    CHECK_STATUS(pinion_run_to_end(run), PINION_ERR_MEMORY);
    CHECK(pinion_run_ended(run) == PINION_RUN_FAILED);
    CHECK_HAS(pinion_run_message(run), "more than 4 points of contact; ");
    CHECK(pinion_result_row_count(def.result) == 4); /* at 0, 0.1, 0.2 and 0.219 s */
    CHECK_NEAR(last_value(def.result, "t"), 0.219, 0.002);
    CHECK(isnan(last_value(def.result, "contact.count")));
    pinion_run_free(run);
    pinion_result_free(def.result);
    pinion_model_free(m);
}

TEST(what_does_not_go_together_is_said)
{
    const double down[3] = {0, 0, -10};
    const body block = {PINION_SHAPE_BOX, {0.4, 0.3, 0.1}, 2, 0.02, 0.5, 0};
    pinion_model *m = bodies_model(1, &block, down);
    pinion_error err;
    pinion_contact_totals totals;
    pinion_scene_options contact = pinion_scene_options_default();
    pinion_sim_options o = pinion_sim_options_default();
    pinion_sim *s = pinion_sim_new(m, &o, &err);
    CHECK_STATUS(pinion_sim_contact(s, &totals), PINION_ERR_ARGUMENT);
    pinion_sim_free(s);
    o.contact = &contact;
    CHECK(pinion_sim_new(m, &o, &err) == NULL && err.status == PINION_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "contact needs integrator euler");
    o.integrator = PINION_INTEGRATOR_EULER;
    contact.recover = 2;
    CHECK(pinion_sim_new(m, &o, &err) == NULL && err.status == PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "recover must be");
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_block_that_comes_to_rest);
    RUN(exact_friction_and_stops);
    RUN(soft_stops_at_rest_take_no_energy);
    RUN(dampers_hold_what_presses_on_them);
    RUN(closed_loops);
    RUN(height_fields_carry_flat_bodies);
    RUN(enormous_friction_lets_nothing_through);
    RUN(more_contacts_than_there_is_room_for_end_a_run);
    RUN(what_does_not_go_together_is_said);
    return CHECK_END();
}
