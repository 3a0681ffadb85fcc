/* Controllers act through the actuators and nothing else: closed forms of machines with fewer motors than freedoms. */
#include <math.h>

#include "built.h"
#include "check.h"
#include "control/block.h"
#include "pinion/loops.h"
#include "pinion/sim/sim.h"

enum { MAX = 24 };

static void add_body(pinion_builder *b, const char *name, double mass, const double com[3], double inertia)
{
    pinion_link_def link = pinion_link_def_default();
    link.name = name;
    link.inertia.mass = mass;
    for (int i = 0; i < 3; i++) link.inertia.com[i] = com[i];
    link.inertia.inertia[0] = link.inertia.inertia[3] = link.inertia.inertia[5] = inertia;
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
}

static void add_joint(pinion_builder *b, const char *name, pinion_joint_type type, const char *parent,
                      const char *child, int axis, double z, int motor)
{
    pinion_joint_def joint = pinion_joint_def_default();
    joint.name = name;
    joint.type = type;
    joint.parent = parent;
    joint.child = child;
    for (int i = 0; i < 3; i++) joint.axis[i] = i == axis;
    joint.parent_pose.position[2] = z;
    joint.unactuated = !motor;
    joint.dof[0].effort = 12;
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
}

static pinion_controller *controller(const pinion_model *m, const pinion_control_def *def)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_controller *c = pinion_controller_new(m, def, &err);
    if (!c) CHECK_FAIL("%s", err.message);
    return c;
}

/* ---- a pole on a cart ---- */

static const double cart = 1.3, pole = 0.4, length = 0.6, turning = 0.02, g = 9.81;

/* the cart slides along x, the pole hangs from it and turns about y so that its tip goes to +x */
static pinion_model *cart_pole(int listed)
{
    const double none[3] = {0, 0, 0}, down[3] = {0, 0, -length};
    pinion_builder *b = pinion_builder_new("cart-pole");
    add_body(b, "rail", 0, none, 0);
    add_body(b, "cart", cart, none, 0.01);
    add_body(b, "pole", pole, down, turning);
    add_joint(b, "slide", PINION_JOINT_PRISMATIC, "rail", "cart", 0, 0, 1);
    pinion_joint_def pivot = pinion_joint_def_default();
    pivot.name = "pivot";
    pivot.type = PINION_JOINT_CONTINUOUS;
    pivot.parent = "cart";
    pivot.child = "pole";
    pivot.axis[1] = -1;
    pivot.axis[2] = 0;
    pivot.unactuated = 1;
    CHECK_STATUS(pinion_builder_add_joint(b, &pivot, NULL), PINION_OK);
    const char *slide = "slide";
    pinion_actuator_def motor = pinion_actuator_def_default();
    motor.name = "belt";
    motor.joints = &slide;
    motor.gear = -25;
    motor.efficiency = 0.8;
    if (listed) CHECK_STATUS(pinion_builder_add_actuator(b, &motor, NULL), PINION_OK);
    return built(b);
}

/* the force on the cart for an acceleration of it, by Lagrange's equations */
static double force_for(double a, double angle, double rate)
{
    const double moment = turning + pole * length * length;
    const double turn = -(pole * length * a * cos(angle) + pole * g * length * sin(angle)) / moment;
    return (cart + pole) * a + pole * length * (turn * cos(angle) - rate * rate * sin(angle));
}

TEST(computed_torque_of_a_cart_pole)
{
    for (int listed = 0; listed < 2; listed++) {
        pinion_model *m = cart_pole(listed);
        const double kp[2] = {9, 100}, kd[2] = {4, 20}, hold[2] = {0.5, 0};
        pinion_control_def def = pinion_control_def_default();
        def.kind = PINION_CONTROL_COMPUTED;
        def.hold = hold;
        def.kp = kp;
        def.kd = kd;
        pinion_controller *c = controller(m, &def);
        CHECK(pinion_model_actuator_count(m) == 1);
        for (int i = 0; i < 20; i++) {
            const double q[2] = {0.1 * i, 0.7 * i - 3}, v[2] = {1 - 0.2 * i, 0.3 * i};
            const double force = force_for(9 * (0.5 - q[0]) - 4 * v[0], q[1], v[1]);
            double tau[2], u[1];
            CHECK_STATUS(pinion_controller_torque(c, 0, q, v, tau), PINION_OK);
            CHECK_STATUS(pinion_controller_actuators(c, 0, q, v, u), PINION_OK);
            CHECK_NEAR(tau[0], force, 1e-12 * (1 + fabs(force)));
            CHECK(tau[1] == 0);
            CHECK_NEAR(u[0], listed ? -force / 20 : force, 1e-12 * (1 + fabs(force)));
        }
        pinion_controller_free(c);
        pinion_model_free(m);
    }
}

/* PD and gravity: what the pivot would need is not given, and the motor's limit is that of its joint, 12 N = 20 u */
TEST(pd_and_limits_of_a_cart_pole)
{
    pinion_model *m = cart_pole(1);
    const double kp[2] = {30, 30}, kd[2] = {2, 2}, hold[2] = {0, 0}, q[2] = {0.1, 1}, v[2] = {0.5, -1};
    double tau[2], u[1];
    pinion_control_def def = pinion_control_def_default();
    def.kind = PINION_CONTROL_PD;
    def.gravity = 1;
    def.hold = hold;
    def.kp = kp;
    def.kd = kd;
    pinion_controller *c = controller(m, &def);
    CHECK_STATUS(pinion_controller_torque(c, 0, q, v, tau), PINION_OK);
    CHECK_NEAR(tau[0], -3 - 1, 1e-14);
    CHECK(tau[1] == 0);
    const double far[2] = {10, 0};
    CHECK_STATUS(pinion_controller_actuators(c, 0, far, v, u), PINION_OK);
    CHECK_NEAR(u[0], (300 + 1) / 20.0, 1e-13);
    pinion_controller_free(c);
    def.limit = 1;
    c = controller(m, &def);
    CHECK_STATUS(pinion_controller_actuators(c, 0, far, v, u), PINION_OK);
    CHECK_NEAR(u[0], 0.6, 1e-15);
    CHECK_STATUS(pinion_controller_torque(c, 0, far, v, tau), PINION_OK);
    CHECK_NEAR(tau[0], -12, 1e-14);
    pinion_controller_free(c);

    /* what is given from outside acts wherever it is given */
    const double given[2] = {1, 2};
    def = pinion_control_def_default();
    def.tau = given;
    c = controller(m, &def);
    CHECK_STATUS(pinion_controller_torque(c, 0, q, v, tau), PINION_OK);
    CHECK_STATUS(pinion_controller_actuators(c, 0, q, v, u), PINION_OK);
    CHECK(tau[0] == 1 && tau[1] == 2 && u[0] == 0);
    CHECK_STATUS(pinion_controller_actuators(c, 0, q, v, NULL), PINION_ERR_ARGUMENT);
    pinion_controller_free(c);
    pinion_model_free(m);
}

/* ---- machines that float ---- */

/* a trunk on a free joint with three legs of two joints */
static pinion_model *walker(void)
{
    static const char *const link[] = {"a1", "a2", "b1", "b2", "c1", "c2"};
    const double none[3] = {0, 0, 0}, down[3] = {0.02, 0, -0.15};
    pinion_builder *b = pinion_builder_new("walker");
    add_body(b, "world", 0, none, 0);
    add_body(b, "trunk", 6, down, 0.1);
    add_joint(b, "float", PINION_JOINT_FREE, "world", "trunk", 2, 0, 1);
    for (int i = 0; i < 6; i++) {
        add_body(b, link[i], 0.8, down, 0.01);
        add_joint(b, link[i], PINION_JOINT_REVOLUTE, i % 2 ? link[i - 1] : "trunk", link[i], i / 2 == 1 ? 0 : 1,
                  i % 2 ? -0.3 : 0.1 * i, 1);
    }
    return built(b);
}

TEST(no_force_on_a_free_base)
{
    pinion_model *m = walker();
    const int nv = pinion_model_nv(m);
    double q[MAX], v[MAX], a[MAX], tau[MAX], kp[MAX], kd[MAX], hold[MAX], e[MAX];
    pinion_work *w = pinion_work_new(m);
    CHECK(nv == 12 && pinion_model_actuator_count(m) == 6);
    for (int i = 0; i < nv; i++) kp[i] = 40, kd[i] = 9, v[i] = sin(i);
    CHECK_STATUS(pinion_random(m, check_seed, q), PINION_OK);
    CHECK_STATUS(pinion_random(m, check_seed + 1, hold), PINION_OK);
    CHECK_STATUS(pinion_difference(m, q, hold, e), PINION_OK);
    for (int kind = 0; kind < 3; kind++) {
        pinion_control_def def = pinion_control_def_default();
        def.kind = kind == 2 ? PINION_CONTROL_COMPUTED : kind == 1 ? PINION_CONTROL_PD : PINION_CONTROL_CONSTANT;
        def.gravity = kind < 2;
        def.hold = hold;
        def.kp = kp;
        def.kd = kd;
        pinion_controller *c = controller(m, &def);
        CHECK_STATUS(pinion_controller_torque(c, 0, q, v, tau), PINION_OK);
        for (int i = 0; i < 6; i++) CHECK(tau[i] == 0);
        CHECK(tau[7] != 0);

        /* the joints accelerate as computed torque says, whatever the base does */
        CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, tau, NULL, a), PINION_OK);
        for (int i = 6; i < nv && kind == 2; i++) CHECK_NEAR(a[i], 40 * e[i] - 9 * v[i], 1e-9);
        pinion_controller_free(c);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* ---- a thruster ---- */

static pinion_status constant(void *user, double t, const double *q, const double *v, double *u)
{
    (void)t, (void)q, (void)v;
    *u = *(const double *)user;
    return PINION_OK;
}

/* R f of the thruster, from the quaternion */
static void turned(const double *q, const double f[3], double out[3])
{
    const double w = q[0], *x = q + 1;
    const double c[3] = {x[1] * f[2] - x[2] * f[1] + w * f[0], x[2] * f[0] - x[0] * f[2] + w * f[1],
                         x[0] * f[1] - x[1] * f[0] + w * f[2]};
    for (int i = 0; i < 3; i++)
        out[i] = f[i] + 2 * (x[(i + 1) % 3] * c[(i + 2) % 3] - x[(i + 2) % 3] * c[(i + 1) % 3]);
}

/* a body without weight and a jet beside its centre: its momentum is the integral of the jet's force, and the energies
 * balance; the record has the jet's force and B u */
TEST(momentum_of_a_thruster)
{
    const double none[3] = {0, 0, 0}, com[3] = {0.1, 0.05, -0.02};
    pinion_builder *b = pinion_builder_new("rocket");
    add_body(b, "world", 0, none, 0);
    add_body(b, "body", 2.5, com, 0.3);
    add_joint(b, "float", PINION_JOINT_FREE, "world", "body", 2, 0, 1);
    CHECK_STATUS(pinion_builder_set_gravity(b, none, NULL), PINION_OK);
    pinion_actuator_def jet = pinion_actuator_def_default();
    jet.name = "jet";
    jet.type = PINION_ACTUATOR_FRAME;
    jet.frame = "body";
    jet.wrench[1] = 0.2;
    jet.wrench[3] = 0.5;
    jet.wrench[5] = 2;
    CHECK_STATUS(pinion_builder_add_actuator(b, &jet, NULL), PINION_OK);
    pinion_model *m = built(b);

    double u = 1.5, q0[7] = {1, 0, 0, 0, 0, 0, 0}, v0[6] = {0.2, -0.1, 0.4, 0, 0, 0};
    double sum[3] = {0, 0, 0}, before[6], after[6];
    enum { STEPS = 1000 };
    pinion_run_def def = pinion_run_def_default();
    def.sim.actuators = constant;
    def.sim.actuators_user = &u;
    def.duration = 2;
    def.output_step = def.duration / STEPS;
    def.q = q0;
    def.v = v0;
    def.result = pinion_result_new();
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_run *run = pinion_run_new(m, &def, &err);
    if (!run) CHECK_FAIL("%s", err.message);
    CHECK_STATUS(pinion_run_to_end(run), PINION_OK);

    /* Simpson's rule over the rows */
    const pinion_result *r = def.result;
    CHECK(pinion_result_row_count(r) == STEPS + 1);
    double q[7], v[6], f[3];
    for (size_t k = 0; k <= STEPS; k++) {
        for (int i = 0; i < 7; i++) q[i] = pinion_result_values(r, 1 + i)[k];
        for (int i = 0; i < 6; i++) v[i] = pinion_result_values(r, 8 + i)[k];
        turned(q, jet.wrench + 3, f);
        for (int i = 0; i < 3; i++)
            sum[i] += f[i] * u * def.output_step / 3 * (k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2);
    }
    pinion_work *w = pinion_work_new(m);
    CHECK_STATUS(pinion_momentum(m, w, q0, v0, before), PINION_OK);
    CHECK_STATUS(pinion_momentum(m, w, q, v, after), PINION_OK);
    for (int i = 0; i < 3; i++) CHECK_NEAR(after[3 + i] - before[3 + i], sum[i], 1e-9);
    CHECK(fabs(after[3] - before[3] - 2 * 0.5 * u) > 0.1); /* it turned */
    pinion_run_summary s;
    CHECK_STATUS(pinion_run_summarize(run, &s), PINION_OK);
    CHECK(s.largest_drift < 1e-11);

    /* t, 7 q, 6 v, 6 a, 6 tau, then the actuator */
    pinion_column column;
    CHECK_STATUS(pinion_result_column(r, 26, &column), PINION_OK);
    CHECK(strcmp(column.name, "actuator.jet") == 0 && strcmp(column.unit, "N") == 0);
    CHECK(pinion_result_values(r, 26)[17] == 1.5);
    for (int i = 0; i < 6; i++) CHECK_NEAR(pinion_result_values(r, 20 + i)[17], 1.5 * jet.wrench[i], 1e-15);
    pinion_work_free(w);
    pinion_run_free(run);
    pinion_result_free(def.result);
    pinion_model_free(m);
}

/* ---- a winch ---- */

enum { ACROSS = 1 }; /* m from the slide to the drum, and as much above where it starts */

static double cable(double z)
{
    return sqrt(ACROSS * ACROSS + (ACROSS - z) * (ACROSS - z));
}

/* A carriage of 2 kg on a vertical slide, and a cable to a drum beside it that is wound up. */
static pinion_model *carriage(double lag, double voltage)
{
    const double none[3] = {0, 0, 0};
    const char *const through[] = {"drum", "carriage"};
    pinion_builder *b = pinion_builder_new("carriage");
    add_body(b, "world", 0, none, 0);
    add_body(b, "carriage", 2, none, 0.1);
    add_joint(b, "slide", PINION_JOINT_PRISMATIC, "world", "carriage", 2, 0, 1);
    pinion_frame_def drum = pinion_frame_def_default();
    drum.name = "drum";
    drum.link = "world";
    drum.pose.position[0] = drum.pose.position[2] = ACROSS;
    CHECK_STATUS(pinion_builder_add_frame(b, &drum, NULL), PINION_OK);
    pinion_tendon_def line = pinion_tendon_def_default();
    line.name = "line";
    line.type = PINION_TENDON_PATH;
    line.count = 2;
    line.through = through;
    CHECK_STATUS(pinion_builder_add_tendon(b, &line, NULL), PINION_OK);
    pinion_actuator_def winch = pinion_actuator_def_default();
    winch.name = "winch";
    winch.type = PINION_ACTUATOR_TENDON;
    winch.tendon = "line";
    winch.gear = -20;
    winch.efficiency = 0.8;
    winch.dynamics.lag = lag;
    if (voltage > 0) {
        winch.dynamics.torque_constant = 0.5;
        winch.dynamics.resistance = 2;
        winch.dynamics.voltage = voltage;
    }
    CHECK_STATUS(pinion_builder_add_actuator(b, &winch, NULL), PINION_OK);
    return built(b);
}

static pinion_run *wind(pinion_model *m, double *u, double duration, pinion_result *result)
{
    pinion_run_def def = pinion_run_def_default();
    def.sim.actuators = constant;
    def.sim.actuators_user = u;
    def.duration = duration;
    def.output_step = duration / 10;
    def.result = result;
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_run *run = pinion_run_new(m, &def, &err);
    if (!run) CHECK_FAIL("%s", err.message);
    CHECK_STATUS(pinion_run_to_end(run), PINION_OK);
    return run;
}

/* Its energy is what the winch did: the force times what it took in. Its arm, and so the force on the slide, is that
 * of the cable's direction. */
TEST(a_winch_works_along_its_cable)
{
    double u = 4;
    pinion_model *m = carriage(0, 0);
    pinion_result *r = pinion_result_new();
    pinion_run *run = wind(m, &u, 0.3, r);
    const size_t last = pinion_result_row_count(r) - 1;
    const double z = pinion_result_values(r, 1)[last], v = pinion_result_values(r, 2)[last];
    CHECK(z > 0.2);
    CHECK_NEAR(v * v + 2 * 9.81 * z, 20 * 0.8 * u * (cable(0) - cable(z)), 1e-8);
    CHECK_NEAR(pinion_result_values(r, 4)[last], 20 * 0.8 * u * (ACROSS - z) / cable(z), 1e-12);
    pinion_column column;
    CHECK_STATUS(pinion_result_column(r, 5, &column), PINION_OK);
    CHECK(strcmp(column.name, "actuator.winch") == 0 && strcmp(column.unit, "N") == 0);
    pinion_run_summary s;
    CHECK_STATUS(pinion_run_summarize(run, &s), PINION_OK);
    CHECK(s.largest_drift < 1e-9);
    pinion_run_free(run);
    pinion_result_free(r);
    pinion_model_free(m);
}

/* A motor gives what its voltage leaves at the speed at which the cable comes in. */
TEST(a_winch_has_the_speed_of_its_cable)
{
    double u = 100;
    const double k = 0.5, R = 2, V = 24;
    pinion_model *m = carriage(0, V);
    pinion_result *r = pinion_result_new();
    pinion_run_free(wind(m, &u, 0.2, r));
    for (size_t i = 0; i < pinion_result_row_count(r); i++) {
        const double z = pinion_result_values(r, 1)[i], v = pinion_result_values(r, 2)[i];
        const double speed = 20 * (ACROSS - z) / cable(z) * v;
        CHECK_NEAR(pinion_result_values(r, 5)[i], k * (V - k * speed) / R, 1e-9);
    }
    pinion_result_free(r);
    pinion_model_free(m);
}

/* ---- a closed loop ---- */

/* a parallelogram of massless bars of length 1 with a coupler of 2 kg: what holds it at an angle x is 2 g cos x */
TEST(a_list_names_the_motors_of_a_loop)
{
#define TURNS "\"type\": \"continuous\", \"axis\": [0, -1, 0]"
#define ONE "{\"position\": [1, 0, 0]}"
    static const char model[] =
        "{\"pinion\": 1, \"links\": [{\"name\": \"o\"}, {\"name\": \"a\"}, {\"name\": \"b\"}, {\"name\": \"c\","
        "\"mass\": 2, \"com\": [0.5, 0, 0], \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],"
        "\"joints\": [{\"name\": \"A\", " TURNS ", \"parent\": \"o\", \"child\": \"a\"},"
        "{\"name\": \"C\", " TURNS ", \"parent\": \"a\", \"child\": \"c\", \"origin\": " ONE "},"
        "{\"name\": \"B\", " TURNS ", \"parent\": \"o\", \"child\": \"b\", \"origin\": " ONE "}],"
        "\"loops\": [{\"name\": \"D\", " TURNS ", \"parent\": \"b\", \"child\": \"c\", \"origin\": " ONE ","
        "\"child_origin\": " ONE "}], \"actuators\": [{\"name\": \"motor\", \"joint\": \"B\", \"gear\": 5}]}";
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(model, sizeof model - 1, PINION_FORMAT_JSON, "model", NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_work *w = pinion_work_new(m);
    pinion_allocation *x = pinion_allocation_new(m);
    const double q[3] = {0.4, -0.4, 0.4}, none[3] = {0, 0, 0}, needed = 2 * 9.81 * cos(0.4);
    double tau[3], need[3], u[1], rest[3];
    CHECK_STATUS(pinion_loop_inverse_dynamics(m, w, NULL, q, none, none, NULL, NULL, tau, NULL), PINION_OK);
    CHECK_NEAR(tau[0], 0, 1e-12);
    CHECK_NEAR(tau[1], 0, 1e-12);
    CHECK_NEAR(tau[2], needed, 1e-12);

    /* through the loop the motor on B gives what the tree needs at A and C */
    CHECK_STATUS(pinion_inverse_dynamics(m, w, q, NULL, NULL, NULL, need), PINION_OK);
    CHECK_STATUS(pinion_allocation_forces(x, q, need, 0, u, rest), PINION_OK);
    CHECK_NEAR(u[0], needed / 5, 1e-12);
    for (int i = 0; i < 3; i++) CHECK_NEAR(rest[i], 0, 1e-12);
    pinion_allocation_free(x);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* The same parallelogram with a pendulum on its coupler that no motor moves: the one motor gives its own joint the
 * acceleration that is wanted there, whatever the pendulum does, and no more than its limit. */
TEST(computed_torque_through_a_loop)
{
    static const char model[] =
        "{\"pinion\": 1, \"links\": [{\"name\": \"o\"}, {\"name\": \"a\"}, {\"name\": \"b\"}, {\"name\": \"c\","
        "\"mass\": 2, \"com\": [0.5, 0, 0], \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}, {\"name\": \"p\","
        "\"mass\": 1, \"com\": [0, 0, -0.3], \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}}],"
        "\"joints\": [{\"name\": \"A\", " TURNS ", \"parent\": \"o\", \"child\": \"a\"},"
        "{\"name\": \"C\", " TURNS ", \"parent\": \"a\", \"child\": \"c\", \"origin\": " ONE "},"
        "{\"name\": \"P\", " TURNS ", \"parent\": \"c\", \"child\": \"p\", \"origin\": " ONE "},"
        "{\"name\": \"B\", " TURNS ", \"parent\": \"o\", \"child\": \"b\", \"origin\": " ONE "}],"
        "\"loops\": [{\"name\": \"D\", " TURNS ", \"parent\": \"b\", \"child\": \"c\", \"origin\": " ONE ","
        "\"child_origin\": " ONE "}],"
        "\"actuators\": [{\"name\": \"motor\", \"joint\": \"B\", \"gear\": 5, \"effort\": 0.5}]}";
    static const char *const names[4] = {"A", "C", "P", "B"};
    const double angle[4] = {0.4, -0.4, 0.3, 0.4}, rate[4] = {0.7, -0.7, -0.5, 0.7};
    const double kp[4] = {30, 30, 30, 30}, kd[4] = {4, 4, 4, 4};
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(model, sizeof model - 1, PINION_FORMAT_JSON, "model", NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_work *w = pinion_work_new(m);
    double q[4], v[4], hold[4] = {0}, tau[4], a[4], u[1];
    int motor = 0;
    for (int i = 0; i < 4; i++) {
        pinion_joint_info joint;
        CHECK_STATUS(pinion_model_joint(m, pinion_model_find_joint(m, names[i]), &joint), PINION_OK);
        q[motor = joint.q_index] = angle[i];
        v[joint.v_index] = rate[i];
    }
    pinion_control_def def = pinion_control_def_default();
    def.kind = PINION_CONTROL_COMPUTED;
    def.hold = hold;
    def.kp = kp;
    def.kd = kd;
    for (int limit = 0; limit < 2; limit++) {
        def.limit = limit;
        pinion_controller *c = controller(m, &def);
        CHECK_STATUS(pinion_controller_actuators(c, 0, q, v, u), PINION_OK);
        CHECK_STATUS(pinion_actuation_torque(m, w, q, u, tau), PINION_OK);
        CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, tau, NULL, a), PINION_OK);
        if (limit) CHECK(fabs(u[0]) == 0.5);
        else CHECK_NEAR(a[motor], -30 * 0.4 - 4 * 0.7, 1e-9);
        CHECK((fabs(u[0]) > 0.5) == !limit);
        pinion_controller_free(c);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Follows a motion by feed-forward alone: where the block is at a time, and how many steps that took. */
static long led(const pinion_model *m, pinion_trajectory *way, pinion_integrator by, double tolerance, double t,
                double *q, double *v)
{
    const double zero = 0;
    pinion_control_def def = pinion_control_def_default();
    def.kind = PINION_CONTROL_COMPUTED;
    def.target = way;
    def.kp = def.kd = &zero;
    pinion_controller *c = controller(m, &def);
    pinion_sim_options options = pinion_sim_options_default();
    options.integrator = by;
    options.rtol = options.atol = tolerance;
    options.actuators = pinion_controller_actuators;
    options.actuators_jump = pinion_controller_jump;
    options.actuators_user = c;
    pinion_sim *sim = pinion_sim_new(m, &options, NULL);
    CHECK_STATUS(pinion_trajectory_at(way, 0, q, v, NULL), PINION_OK);
    CHECK(sim && pinion_sim_start(sim, 0, q, v) == PINION_OK);
    CHECK_STATUS(pinion_sim_advance(sim, t), PINION_OK);
    pinion_sim_state state = {.q = q, .v = v};
    long steps = 0;
    CHECK_STATUS(pinion_sim_get(sim, &state), PINION_OK);
    pinion_sim_counts(sim, &steps, NULL, NULL);
    pinion_sim_free(sim);
    pinion_controller_free(c);
    return steps;
}

static const pinion_integrator methods[] = {PINION_INTEGRATOR_AUTO, PINION_INTEGRATOR_DOPRI5, PINION_INTEGRATOR_BDF,
                                            PINION_INTEGRATOR_ADAMS, PINION_INTEGRATOR_DIRK, PINION_INTEGRATOR_IDA};

/* Along a motion whose acceleration jumps: no step goes across a jump, and the block arrives. */
TEST(trapezoid_without_feedback)
{
    pinion_model *m = block_built(block_builder(2.5));
    const double zero = 0, one = 1;
    for (int i = 0; i < 6; i++) {
        double q = NAN, v = NAN;
        pinion_trajectory *way =
            pinion_trajectory_between(m, &zero, &one, 2, PINION_PROFILE_TRAPEZOIDAL, 0.25, NULL);
        led(m, way, methods[i], 1e-12, 2.5, &q, &v);
        CHECK_NEAR(q, 1, 1e-8);
        CHECK_NEAR(v, 0, 1e-8);
        pinion_trajectory_free(way);
    }
    pinion_model_free(m);
}

/* Samples between which the acceleration is a line: at rest, a short push at 1 s and its opposite at 5 s. No step leaps
 * over them, however long steps have become where nothing happens. */
TEST(short_pushes_between_samples)
{
    enum { N = 8 };
    const double t[N] = {0, 1, 1.01, 1.02, 5, 5.01, 5.02, 8}, a[N] = {0, 0, 50, 0, 0, -50, 0, 0};
    double q[N] = {0}, v[N] = {0};
    for (int i = 1; i < N; i++) {
        const double h = t[i] - t[i - 1];
        q[i] = q[i - 1] + h * v[i - 1] + h * h * (2 * a[i - 1] + a[i]) / 6;
        v[i] = v[i - 1] + h * (a[i - 1] + a[i]) / 2;
    }
    pinion_model *m = block_built(block_builder(2.5));
    for (int given = 0; given < 3; given++)
        for (int i = 0; i < 6; i++) {
            double at = NAN, speed = NAN, wanted = NAN;
            pinion_trajectory *way =
                pinion_trajectory_samples(m, N, t, q, given > 0 ? v : NULL, given > 1 ? a : NULL, NULL);
            led(m, way, methods[i], 1e-12, 6, &at, &speed);
            CHECK_STATUS(pinion_trajectory_at(way, 6, &wanted, NULL, NULL), PINION_OK);
            if (!(fabs(at - wanted) < 1e-7))
                CHECK_FAIL("%s: q is %.12g, expected %.12g", pinion_integrator_name(methods[i]), at, wanted);
            pinion_trajectory_free(way);
        }
    pinion_model_free(m);
}

/* Close samples of a smooth motion do not end steps: there are fewer of these. */
TEST(steps_go_past_samples_of_a_smooth_motion)
{
    enum { N = 2001 };
    static double t[N], q[N];
    double at, speed;
    for (int i = 0; i < N; i++) {
        t[i] = 1e-3 * i;
        q[i] = 0.5 * (1 - cos(3 * t[i]));
    }
    pinion_model *m = block_built(block_builder(2.5));
    pinion_trajectory *way = pinion_trajectory_samples(m, N, t, q, NULL, NULL, NULL);
    CHECK(led(m, way, PINION_INTEGRATOR_DOPRI5, 1e-9, 2, &at, &speed) < N / 2);
    CHECK_NEAR(at, q[N - 1], 1e-5); /* with 1e-9 allowed in each step */
    pinion_trajectory_free(way);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(trapezoid_without_feedback);
    RUN(short_pushes_between_samples);
    RUN(steps_go_past_samples_of_a_smooth_motion);
    RUN(computed_torque_of_a_cart_pole);
    RUN(pd_and_limits_of_a_cart_pole);
    RUN(no_force_on_a_free_base);
    RUN(momentum_of_a_thruster);
    RUN(a_winch_works_along_its_cable);
    RUN(a_winch_has_the_speed_of_its_cable);
    RUN(a_list_names_the_motors_of_a_loop);
    RUN(computed_torque_through_a_loop);
    return CHECK_END();
}
