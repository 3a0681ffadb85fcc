/* Actuators: which a model has, B at a configuration, and the forces that give wanted joint forces. */
#include <math.h>

#include <pinion/pinion.h>

#include "built.h"
#include "describe_robot.h"

/* base -fly(free)-> trunk -hip(universal)-> thigh -knee-> shank, and `toe` that follows the knee by -2 */
static pinion_builder *walker(void)
{
    static const pinion_joint_type type[] = {PINION_JOINT_FREE, PINION_JOINT_UNIVERSAL, PINION_JOINT_REVOLUTE,
                                             PINION_JOINT_REVOLUTE};
    static const char *const joint[] = {"fly", "hip", "knee", "toe"};
    static const char *const link[] = {"base", "trunk", "thigh", "shank", "foot"};
    pinion_builder *b = pinion_builder_new("walker");
    for (int i = 0; i < 5; i++) add_link(b, link[i], i + 1);
    for (int i = 0; i < 4; i++) {
        pinion_joint_def def = joint_def(joint[i], type[i], link[i], link[i + 1], 10 + i);
        def.parent_pose.position[0] = 0.1 * i;
        def.dof[0].effort = 10 * i + 10;
        def.dof[0].velocity = i + 2;
        if (i == 3) def.mimic = "knee", def.multiplier = -2;
        CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    }
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = "nozzle";
    frame.link = "thigh";
    frame.pose.position[1] = 0.3;
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
    return b;
}

/* a tendon over knee and toe, a motor with a gear, and a thruster */
static void add_actuators(pinion_builder *b)
{
    static const char *const two[] = {"hip", "toe"}, *const knee[] = {"knee"};
    static const int part[] = {1, 0};
    static const double weight[] = {0.5, 0.25};
    pinion_actuator_def def = pinion_actuator_def_default();
    def.name = "motor";
    def.joints = knee;
    def.gear = -40;
    def.efficiency = 0.5;
    CHECK_STATUS(pinion_builder_add_actuator(b, &def, NULL), PINION_OK);
    def = pinion_actuator_def_default();
    def.name = "tendon";
    def.type = PINION_ACTUATOR_SUM;
    def.count = 2;
    def.joints = two;
    def.dofs = part;
    def.weights = weight;
    def.effort[0] = 0;
    CHECK_STATUS(pinion_builder_add_actuator(b, &def, NULL), PINION_OK);
    def = pinion_actuator_def_default();
    def.name = "jet";
    def.type = PINION_ACTUATOR_FRAME;
    def.frame = "nozzle";
    def.wrench[2] = 0.1;
    def.wrench[3] = 1;
    def.gear = 3;
    def.effort[0] = 0;
    def.effort[1] = 20;
    CHECK_STATUS(pinion_builder_add_actuator(b, &def, NULL), PINION_OK);
}

TEST(every_joint_has_an_ideal_one)
{
    /* but the free one and the one that follows */
    pinion_model *m = built(walker());
    static const char *const name[] = {"hip.0", "hip.1", "knee"};
    static const int v[] = {6, 7, 8};
    CHECK(pinion_model_actuator_count(m) == 3 && !pinion_model_actuators_listed(m));
    for (int i = 0; i < 3; i++) {
        pinion_actuator_info a;
        CHECK_STATUS(pinion_model_actuator(m, i, &a), PINION_OK);
        CHECK(strcmp(a.name, name[i]) == 0 && pinion_model_find_actuator(m, name[i]) == i);
        CHECK(a.type == PINION_ACTUATOR_JOINT && a.term_count == 1 && a.frame == -1);
        CHECK(a.gear == 1 && a.efficiency == 1);
        CHECK(a.term[0].v_index == v[i] && a.term[0].factor == 1);
    }
    pinion_actuator_info a;
    CHECK_STATUS(pinion_model_actuator(m, 2, &a), PINION_OK);
    CHECK(a.effort[0] == -30 && a.effort[1] == 30 && a.velocity == 4);
    CHECK_STATUS(pinion_model_actuator(m, 3, &a), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_model_actuator(m, -1, &a), PINION_ERR_ARGUMENT);
    CHECK(pinion_model_find_actuator(m, "fly") == -1 && pinion_model_find_actuator(m, NULL) == -1);
    pinion_model_free(m);

    /* nor one that has no motor, nor any where the list is empty */
    pinion_builder *b = small();
    pinion_joint_def def = joint_def("j3", PINION_JOINT_PRISMATIC, "hand", "tip", 20);
    def.unactuated = 1;
    add_link(b, "tip", 21);
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    m = pinion_builder_build(b, NULL, NULL);
    CHECK(m && pinion_model_actuator_count(m) == 2 && pinion_model_find_actuator(m, "j3") == -1);
    pinion_model_free(m);
    CHECK_STATUS(pinion_builder_list_actuators(b, 1), PINION_OK);
    m = built(b);
    CHECK(pinion_model_actuator_count(m) == 0 && pinion_model_actuators_listed(m));
    pinion_model_free(m);
}

TEST(a_list)
{
    pinion_builder *b = walker();
    add_actuators(b);
    CHECK_STATUS(pinion_builder_list_actuators(b, 0), PINION_ERR_ARGUMENT);
    pinion_model *m = built(b);
    pinion_actuator_info a;
    CHECK(pinion_model_actuator_count(m) == 3 && pinion_model_actuators_listed(m));

    /* the joint's own limits, brought before the gear: 30 N m = 20 * 1.5, 4 rad/s * 40 */
    CHECK_STATUS(pinion_model_actuator(m, 0, &a), PINION_OK);
    CHECK_NEAR(a.effort[1], 1.5, 1e-15);
    CHECK_NEAR(a.effort[0], -1.5, 1e-15);
    CHECK(a.velocity == 160 && a.term[0].factor == -20);

    /* what follows by -2 pulls its leader by -2 */
    CHECK_STATUS(pinion_model_actuator(m, 1, &a), PINION_OK);
    CHECK(a.type == PINION_ACTUATOR_SUM && a.term_count == 2 && a.effort[0] == 0 && a.effort[1] == INFINITY);
    CHECK(a.term[0].v_index == 7 && a.term[0].factor == 0.5 && a.term[0].dof == 1);
    CHECK(a.term[1].v_index == 8 && a.term[1].factor == -0.5 && a.term[1].weight == 0.25);
    CHECK_STATUS(pinion_model_actuator(m, 2, &a), PINION_OK);
    CHECK(a.type == PINION_ACTUATOR_FRAME && a.frame == pinion_model_find_frame(m, "nozzle") && a.term_count == 0);
    CHECK(strcmp(pinion_actuator_type_name(PINION_ACTUATOR_SUM), "sum") == 0 &&
          !pinion_actuator_type_name(PINION_ACTUATOR_TYPE_COUNT));
    pinion_model_free(m);
}

/* B of a thruster is the Jacobian's transpose; of the others what they say */
TEST(the_matrix)
{
    pinion_builder *b = walker();
    add_actuators(b);
    pinion_model *m = built(b);
    pinion_work *w = pinion_work_new(m);
    enum { NQ = 10, NV = 9, NU = 3 };
    double q[NQ], B[NV * NU], J[6 * NV], tau[NV], wrench[6] = {0, 0, 0.3, 3, 0, 0};
    const double u[NU] = {0.7, -0.2, 1.9};
    uint64_t seed = check_seed;
    CHECK(pinion_model_nq(m) == NQ && pinion_model_nv(m) == NV);
    for (int round = 0; round < 5; round++) {
        CHECK_STATUS(pinion_random(m, seed++, q), PINION_OK);
        CHECK_STATUS(pinion_actuation_matrix(m, w, q, B), PINION_OK);
        CHECK_STATUS(pinion_actuation_torque(m, w, q, u, tau), PINION_OK);
        const int nozzle = pinion_model_find_frame(m, "nozzle");
        CHECK_STATUS(pinion_jacobian(m, w, q, nozzle, PINION_REFERENCE_LOCAL, J), PINION_OK);
        for (int i = 0; i < NV; i++) {
            double jet = 0, sum = 0;
            for (int k = 0; k < 6; k++) jet += J[k * NV + i] * wrench[k];
            for (int k = 0; k < NU; k++) sum += B[i * NU + k] * u[k];
            CHECK_NEAR(B[i * NU + 2], jet, 1e-14);
            CHECK(B[i * NU] == (i == 8 ? -20 : 0) && B[i * NU + 1] == (i == 7 ? 0.5 : i == 8 ? -0.5 : 0));
            CHECK_NEAR(tau[i], sum, 1e-14);
        }
    }
    CHECK_STATUS(pinion_actuation_matrix(m, w, NULL, B), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_actuation_matrix(m, w, q, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_actuation_torque(m, w, q, NULL, tau), PINION_ERR_ARGUMENT);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* what can be given is; of the rest the part at right angles to B is left, and limits are kept */
TEST(forces_for_joint_forces)
{
    pinion_builder *b = walker();
    add_actuators(b);
    pinion_model *m = built(b);
    pinion_work *w = pinion_work_new(m);
    pinion_allocation *x = pinion_allocation_new(m);
    enum { NQ = 10, NV = 9, NU = 3 };
    double q[NQ], B[NV * NU], tau[NV], u[NU], rest[NV];
    const double wanted[NU] = {0.7, -0.2, 30};
    uint64_t seed = check_seed;
    for (int round = 0; round < 5; round++) {
        CHECK_STATUS(pinion_random(m, seed++, q), PINION_OK);
        CHECK_STATUS(pinion_actuation_matrix(m, w, q, B), PINION_OK);
        CHECK_STATUS(pinion_actuation_torque(m, w, q, wanted, tau), PINION_OK);
        CHECK_STATUS(pinion_allocation_forces(x, q, tau, 0, u, rest), PINION_OK);
        for (int k = 0; k < NU; k++) CHECK_NEAR(u[k], wanted[k], 1e-11);
        for (int i = 0; i < NV; i++) CHECK_NEAR(rest[i], 0, 1e-11);
        for (int i = 0; i < NV; i++) tau[i] += 1 + i;
        CHECK_STATUS(pinion_allocation_forces(x, q, tau, 0, u, rest), PINION_OK);
        for (int k = 0; k < NU; k++) {
            double along = 0;
            for (int i = 0; i < NV; i++) along += B[i * NU + k] * rest[i];
            CHECK_NEAR(along, 0, 1e-10);
        }
        CHECK_STATUS(pinion_actuation_torque(m, w, q, wanted, tau), PINION_OK);
        CHECK_STATUS(pinion_allocation_forces(x, q, tau, 1, u, NULL), PINION_OK);
        CHECK_NEAR(u[0], 0.7, 1e-11);
        CHECK(u[1] == 0 && u[2] == 20);
    }
    CHECK_STATUS(pinion_allocation_forces(NULL, q, tau, 0, u, rest), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_allocation_forces(x, NULL, tau, 0, u, rest), PINION_ERR_ARGUMENT);
    CHECK(pinion_allocation_new(NULL) == NULL);
    pinion_allocation_free(x);
    pinion_allocation_free(NULL);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* two motors on one joint share its force so that the sum of squares is least: u = tau g / (g . g) */
TEST(motors_that_share_a_joint)
{
    static const char *const joint[] = {"j2"};
    pinion_builder *b = small();
    pinion_actuator_def def = pinion_actuator_def_default();
    def.joints = joint;
    def.name = "a";
    CHECK_STATUS(pinion_builder_add_actuator(b, &def, NULL), PINION_OK);
    def.name = "b";
    def.gear = 2;
    CHECK_STATUS(pinion_builder_add_actuator(b, &def, NULL), PINION_OK);
    pinion_model *m = built(b);
    pinion_allocation *x = pinion_allocation_new(m);
    const double q[2] = {0, 0}, tau[2] = {3, 10};
    double u[2], rest[2];
    CHECK_STATUS(pinion_allocation_forces(x, q, tau, 0, u, rest), PINION_OK);
    CHECK_NEAR(u[0], 2, 1e-14);
    CHECK_NEAR(u[1], 4, 1e-14);
    CHECK_NEAR(rest[0], 3, 1e-15);
    CHECK_NEAR(rest[1], 0, 1e-14);
    pinion_allocation_free(x);
    pinion_model_free(m);
}

/* each wrong in one way; by itself, or when the model is built */
TEST(mistakes)
{
    enum { GOOD, NAME, GEAR, EFFICIENCY, EFFORT, SPEED, WRENCH, FRAME, JOINT, PART, WEIGHT, EMPTY, TYPE, LOST, FIXED,
           MOTORLESS, TWICE, COUNT };
    static const char *const say[COUNT] = {"", "no name", "gear", "efficiency", "effort", "velocity", "all 0",
                                           "'nowhere' does not exist", "'nobody' does not exist", "degree of freedom",
                                           "weight", "acts on no joint", "type", "NULL", "is fixed", "no motor",
                                           "name of another"};
    for (int i = 0; i < COUNT; i++) {
        pinion_builder *b = small();
        pinion_joint_def joint = joint_def("weld", PINION_JOINT_FIXED, "hand", "tip", 20);
        add_link(b, "tip", 21);
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
        joint = joint_def("loose", PINION_JOINT_REVOLUTE, "tip", "end", 22);
        joint.unactuated = 1;
        add_link(b, "end", 23);
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);

        const char *name = i == JOINT ? "nobody" : i == FIXED ? "weld" : i == MOTORLESS ? "loose" : "j1";
        const int part = i == PART ? 1 : 0;
        const double weight = 0;
        pinion_actuator_def def = pinion_actuator_def_default();
        def.line = 33;
        def.name = i == NAME ? "" : "act";
        def.joints = i == LOST ? NULL : &name;
        def.dofs = &part;
        if (i == GEAR) def.gear = 0;
        if (i == EFFICIENCY) def.efficiency = 1.5;
        if (i == EFFORT) def.effort[0] = 3, def.effort[1] = 2;
        if (i == SPEED) def.velocity = -1;
        if (i == WRENCH || i == FRAME) def.type = PINION_ACTUATOR_FRAME, def.frame = i == FRAME ? "nowhere" : "arm";
        if (i == FRAME) def.wrench[3] = 1;
        if (i == WEIGHT || i == EMPTY) def.type = PINION_ACTUATOR_SUM, def.count = i == WEIGHT, def.weights = &weight;
        if (i == TYPE) def.type = PINION_ACTUATOR_TYPE_COUNT;
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_status status = pinion_builder_add_actuator(b, &def, &err);
        if (i == TWICE) CHECK_STATUS(pinion_builder_add_actuator(b, &def, NULL), PINION_OK);
        pinion_model *m = status == PINION_OK ? pinion_builder_build(b, NULL, &err) : NULL;
        CHECK((m != NULL) == (i == GOOD));
        if (i != GOOD) check_message(&err, PINION_ERR_MODEL, "robot.urdf:33: ", say[i], i == NAME ? "" : "'act'");
        pinion_model_free(m);
        pinion_builder_free(b);
    }
    pinion_builder *b = small();
    pinion_actuator_def blank = {0};
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK_STATUS(pinion_builder_add_actuator(b, &blank, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "pinion_actuator_def_default()");
    CHECK_STATUS(pinion_builder_add_actuator(b, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_list_actuators(NULL, 1), PINION_ERR_ARGUMENT);
    pinion_builder_free(b);
}

/* laws that are none */
TEST(mistakes_in_laws)
{
    enum { GAIN, BIAS, SLOPE, NOTHING, CONTROL, STATE, FILTER, BOTH, COUNT };
    static const char *const say[COUNT] = {"gain of its law is not", "bias of its law is not",
                                           "slope of its law is not", "the gain of its law is 0, and so is all else",
                                           "control of its law is no range", "state of its law is no range",
                                           "filter of its law is no time", "integrates and has a filter"};
    for (int i = 0; i < COUNT; i++) {
        pinion_builder *b = small();
        const char *name = "j1";
        const int part = 0;
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_actuator_def def = pinion_actuator_def_default();
        def.name = "act";
        def.joints = &name;
        def.dofs = &part;
        def.law.gain = i == GAIN ? NAN : i == NOTHING ? 0 : 2;
        if (i == BIAS) def.law.bias[2] = INFINITY;
        if (i == SLOPE) def.law.slope[1] = NAN;
        if (i == CONTROL) def.law.control[0] = 3, def.law.control[1] = 2;
        if (i == STATE) def.law.state[0] = NAN;
        if (i == FILTER) def.law.filter = -1;
        if (i == BOTH) def.law.filter = 1, def.law.integrates = 1;
        CHECK_STATUS(pinion_builder_add_actuator(b, &def, &err), PINION_ERR_MODEL);
        CHECK_HAS(err.message, say[i]);
        pinion_builder_free(b);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(every_joint_has_an_ideal_one);
    RUN(a_list);
    RUN(the_matrix);
    RUN(forces_for_joint_forces);
    RUN(motors_that_share_a_joint);
    RUN(mistakes);
    RUN(mistakes_in_laws);
    return CHECK_END();
}
