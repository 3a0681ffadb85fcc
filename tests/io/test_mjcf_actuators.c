/* Actuators of MJCF whose arms depend on the configuration, against MuJoCo's actuator_moment, and the laws of
 * servos; written and read. */
#include <math.h>

#include "io/mjcf_text.h"

enum { NV = 3, NU = 5 };

#define BODIES                                                                                                         \
    "<mujoco><compiler angle='radian'/><worldbody>"                                                                    \
    "<site name='drum' pos='-.3 .1 .5' euler='.2 .4 -.3'/><site name='rail' pos='.1 -.2 .3' euler='.5 -.3 .8'/>"       \
    "<body name='thigh' pos='.2 0 0'><joint name='h' axis='0 1 .1'/>" UNIT                                             \
    "<site name='eye' pos='.03 .02 -.3' euler='.1 .7 .3'/>"                                                            \
    "<body name='shank' pos='.05 0 -.4'><joint name='k' axis='1 1 0'/>" UNIT                                           \
    "<site name='tip' pos='-.02 .01 -.25' euler='-.5 .2 .1'/></body>"                                                  \
    "<body name='arm' pos='-.2 0 .1'><joint name='s' type='slide' axis='1 0 .3'/>" UNIT                                \
    "<site name='hand' pos='-.1 .1 .2' euler='.4 .3 .2'/></body></body></worldbody>"                                   \
    "<tendon><spatial name='cable'><site site='drum'/><site site='eye'/><pulley divisor='2'/><site site='eye'/>"       \
    "<site site='tip'/></spatial><spatial name='unused'><site site='eye'/><site site='tip'/></spatial></tendon>"

static const char robot[] =
    BODIES "<actuator><motor name='winch' tendon='cable' gear='-2' forcerange='0 300'/>"
           "<motor name='crank' cranksite='tip' slidersite='rail' cranklength='1.5' gear='3'/>"
           "<motor name='near' site='tip' refsite='eye' gear='1 2 -3 .4 .5 .6'/>"
           "<motor name='far' site='tip' refsite='hand' gear='0 .5 0 .4 -.5 .6'/>"
           "<motor name='out' site='hand' refsite='drum' gear='.3 .1 -.7 0 0 0'/></actuator></mujoco>";

/* MuJoCo 4.0: actuator_moment at two configurations */
static const double at[2][NV] = {{0.3, -0.7, 0.2}, {-1.1, 0.9, -0.15}};
static const double moment[2][NU][NV] = {{{0.38858294321637354, -0.024776094534471341, 0},
                                          {0.84384235124876739, -0.23788330608397132, 0},
                                          {0, 1.7243672147019706, 0},
                                          {0, 0.11798124379031052, 0.02829247469396896},
                                          {0.0056592728307840283, 0, 0.028550438928532675}},
                                         {{-0.16546875385503956, 0.082880425486768494, 0},
                                          {-1.1453481633005911, -0.076497681110122728, 0},
                                          {0, 0.7201320325709103, 0},
                                          {0, 0.1700788989742274, 0.028292474693969019},
                                          {-0.32602018107258912, 0, -0.74483533725124929}}};

static void check_moments(const pinion_model *m)
{
    pinion_work *w = pinion_work_new(m);
    CHECK(pinion_model_nv(m) == NV && pinion_model_actuator_count(m) == NU);
    for (int i = 0; i < 2 && pinion_model_actuator_count(m) == NU; i++) {
        double B[NV * NU];
        CHECK_STATUS(pinion_actuation_matrix(m, w, at[i], B), PINION_OK);
        for (int k = 0; k < NU; k++)
            for (int j = 0; j < NV; j++) CHECK_NEAR(B[j * NU + k], moment[i][k][j], 1e-14);
    }
    pinion_work_free(w);
}

TEST(arms_are_those_of_mujoco)
{
    pinion_model *m = load(robot);
    check_moments(m);
    CHECK(pinion_model_warning_count(m) == 0);
    CHECK(pinion_model_tendon_count(m) == 1); /* one that nothing acts along is none */
    pinion_actuator_info a;
    CHECK_STATUS(pinion_model_actuator(m, 0, &a), PINION_OK);
    CHECK(a.type == PINION_ACTUATOR_TENDON && a.effort[0] == 0 && a.effort[1] == 300 && a.term_count == 0);
    pinion_model_free(m);
}

/* With no word told: the formats say all of it. */
static void write_and_read(const pinion_model *m, void (*look)(const pinion_model *))
{
    static const pinion_format format[] = {PINION_FORMAT_MJCF, PINION_FORMAT_JSON};
    for (int i = 0; i < 2; i++) {
        char *told = NULL, *text = pinion_save_string_telling(m, format[i], &told, NULL);
        CHECK(text != NULL && !told);
        pinion_model *back = text ? load(text) : NULL;
        if (back) look(back);
        pinion_model_free(back);
        pinion_free(told);
        pinion_free(text);
    }
}

TEST(written_and_read_again)
{
    pinion_model *m = load(robot);
    write_and_read(m, check_moments);
    pinion_model_free(m);
}

TEST(left_out_and_refused)
{
    pinion_model *m = load(BODIES
                           "<actuator><motor name='a' site='tip' gear='0'/><motor name='b' site='tip' refsite='eye' "
                           "gear='0'/><motor name='c' cranksite='tip' slidersite='rail' cranklength='1' gear='0'/>"
                           "</actuator></mujoco>");
    CHECK(m && pinion_model_actuator_count(m) == 0 && has_warning(m, "the actuator 'c' is left out: its gear is 0"));
    CHECK(m && has_warning(m, "the actuator 'a' is left out") && has_warning(m, "the actuator 'b' is left out"));
    pinion_model_free(m);

    static const char *const bad[][2] = {
        {"<motor cranksite='tip' slidersite='rail'/>", "has no cranklength; expected a number above 0"},
        {"<motor cranksite='tip' slidersite='rail' cranklength='-1'/>", "has no cranklength"},
        {"<motor cranksite='tip' cranklength='1'/>", "acts on nothing that is there"},
        {"<motor site='tip' refsite='nowhere'/>", "acts on nothing that is there"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[4000];
        pinion_error err = {PINION_OK, 0, 0, ""};
        snprintf(text, sizeof text, BODIES "<actuator>%s</actuator></mujoco>", bad[i][0]);
        m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, "f", NULL, &err);
        CHECK(m == NULL);
        CHECK_HAS(err.message, bad[i][1]);
        pinion_model_free(m);
    }
}

/* One that wraps around a geom has no path of straight lines. */
TEST(wrapped_tendons_are_told)
{
    pinion_model *m =
        load("<mujoco><worldbody><site name='a' pos='0 0 1'/><body name='b'><joint name='j' axis='0 1 0'/>" UNIT
             "<geom name='g' size='.1'/><site name='c' pos='0 0 -1'/></body></worldbody><tendon><spatial name='t'>"
             "<site site='a'/><geom geom='g'/><site site='c'/></spatial></tendon><actuator><motor name='m' tendon='t'/>"
             "</actuator></mujoco>");
    CHECK(m && pinion_model_actuator_count(m) == 0);
    CHECK(m && has_warning(m, "the actuator 'm' is left out: its tendon wraps around a geom"));
    pinion_model_free(m);
}

/* ---- laws of servos ---- */

enum { SERVOS = 8 };

/* MuJoCo 4.0: actuator_force at q, v and controls */
static const double servo_q[NV] = {0.4, -0.3, 0.15}, servo_v[NV] = {0.7, -1.1, 0.4};
static const double control[SERVOS] = {0.2, 0.9, -0.5, 0.3, 1.5, -0.8, 3, 0.25};
static const double servo_force[SERVOS] = {-20, 13.763277648278144, -3.6000000000000001, -1.8500000000000005,
                                           8.7516302926491463, -4.3500000000000014, 10, 17.368863565734998};
static const char servos[] =
    BODIES "<default><default class='g'><general gainprm='12' biastype='affine' biasprm='.4 -12 -1.5'/></default>"
           "</default>"
           "<actuator><position joint='h' kp='30' kv='2' gear='3' ctrlrange='-.5 .6' forcerange='-20 25'/>"
           "<position joint='s' kp='10' dampratio='.7' gear='-2'/><velocity joint='s' kv='4'/>"
           "<general joint='h' class='g'/><position tendon='cable' kp='20' kv='1'/><position class='g' joint='k'/>"
           "<general joint='h' gainprm='50' ctrlrange='-.1 .2'/>"
           "<position cranksite='tip' slidersite='rail' cranklength='1.5' kp='7' kv='.6'/></actuator></mujoco>";

static void check_forces(const pinion_model *m)
{
    pinion_work *w = pinion_work_new(m);
    double u[SERVOS];
    CHECK(pinion_model_actuator_count(m) == SERVOS);
    if (pinion_model_actuator_count(m) == SERVOS) {
        CHECK_STATUS(pinion_actuation_controls(m, w, servo_q, servo_v, control, u), PINION_OK);
        for (int k = 0; k < SERVOS; k++) CHECK_NEAR(u[k], servo_force[k], 1e-12);
    }
    pinion_work_free(w);
}

TEST(servos_have_their_laws)
{
    pinion_model *m = load(servos);
    CHECK(m && pinion_model_warning_count(m) == 0);
    check_forces(m);
    pinion_actuator_info a;
    CHECK_STATUS(pinion_model_actuator(m, 0, &a), PINION_OK);
    CHECK(a.law.gain == 30 && a.law.bias[1] == -30 && a.law.bias[2] == -2 && a.law.control[1] == 0.6);
    CHECK_STATUS(pinion_model_actuator(m, 6, &a), PINION_OK);
    CHECK(a.law.gain == 50 && a.effort[0] == -5 && a.effort[1] == 10);
    write_and_read(m, check_forces);
    pinion_model_free(m);
}

/* A range that is the joint's, and a ball that turns the shorter way. */
TEST(ranges_and_turns_of_servos)
{
    pinion_model *m = load("<mujoco><compiler angle='radian'/><worldbody><body><joint name='h' range='-1 2'/>" UNIT
                           "</body><body><joint name='b' type='ball'/>" UNIT "</body></worldbody><actuator><position "
                           "joint='h' kp='8' inheritrange='.5'/><position joint='b' kp='3' gear='0 0 2'/></actuator>"
                           "</mujoco>");
    pinion_actuator_info a;
    CHECK_STATUS(pinion_model_actuator(m, 0, &a), PINION_OK);
    CHECK_NEAR(a.law.control[0], -0.25, 1e-15);
    CHECK_NEAR(a.law.control[1], 1.25, 1e-15);
    pinion_work *w = pinion_work_new(m);
    const double angle = 3, q[5] = {0.1, cos(angle / 2), 0, 0, sin(angle / 2)}, v[4] = {0}, c[2] = {5, -4};
    double u[2];
    CHECK_STATUS(pinion_actuation_controls(m, w, q, v, c, u), PINION_OK);
    CHECK_NEAR(u[0], 8 * (1.25 - 0.1), 1e-14);
    CHECK_NEAR(u[1], 3 * (-4 - 2 * angle + 4 * acos(-1)), 1e-13); /* by -10 it would be further than by 2.6 */
    const double unknown[2] = {NAN, 0};
    CHECK_STATUS(pinion_actuation_controls(m, w, q, v, unknown, u), PINION_OK);
    CHECK(isnan(u[0]) && isfinite(u[1])); /* not the end of a range */
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Of what MuJoCo 4.0 makes of these, with actuator_force for the activations 0.3 and controls 0.5. */
static const char active[] =
    "<mujoco><compiler angle='radian'/><default><general gainprm='4 .5' biasprm='0 -4 -1'/><default class='v'>"
    "<velocity kv='7'/></default></default><worldbody><body><joint name='h' range='-1 2'/>" UNIT
    "</body></worldbody><actuator>"
    "<intvelocity joint='h' kp='5' kv='2' ctrlrange='-1 1' inheritrange='.5'/>"
    "<damper joint='h' kv='3' ctrlrange='0 2'/>"
    "<position joint='h' kp='6' kv='1' timeconst='.2'/><cylinder joint='h' timeconst='.5' diameter='2' bias='1 -2 -3'/>"
    "<general joint='h' gaintype='affine' gainprm='1 2 3' biastype='affine' biasprm='.1 .2 .3'/>"
    "<position joint='h'/><position joint='h' class='v'/><general joint='h' class='v'/></actuator></mujoco>";

static void check_activations(const pinion_model *m)
{
    static const double q[1] = {0.4}, v[1] = {-0.7};
    static const double given[] = {.3, .5, .3, .3, .5, .5, .5, .5};
    static const double force[] = {0.9, 1.05, 0.1, 3.2424777960769378, -0.18, 1.1, 1.1, 8.4};
    double u[8];
    pinion_work *w = pinion_work_new(m);
    CHECK(pinion_model_actuator_count(m) == 8);
    CHECK_STATUS(pinion_actuation_controls(m, w, q, v, given, u), PINION_OK);
    for (int k = 0; k < 8; k++) CHECK_NEAR(u[k], force[k], 1e-12);
    pinion_work_free(w);

    /* under a constant control: what is integrated runs into its range, the others come near to it */
    pinion_actuator_info a;
    CHECK_STATUS(pinion_model_actuator(m, 0, &a), PINION_OK);
    CHECK(a.law.integrates && a.law.state[0] == -0.25 && a.law.state[1] == 1.25);
    CHECK(pinion_actuator_activation(&a.law, 0.5, 2) == 1 && pinion_actuator_activation(&a.law, 9, 1.2) == 1.2);
    CHECK(pinion_actuator_activation(&a.law, 0.5, 7) == 1.25 && pinion_actuator_activation(&a.law, -3, 7) == -0.25);
    CHECK_STATUS(pinion_model_actuator(m, 3, &a), PINION_OK);
    CHECK(a.law.filter == 0.5);
    CHECK_NEAR(pinion_actuator_activation(&a.law, 2, 1), 2 * (1 - exp(-2)), 1e-15);
    CHECK_STATUS(pinion_model_actuator(m, 1, &a), PINION_OK);
    CHECK(pinion_actuator_activation(&a.law, 9, 1) == 2);
}

TEST(laws_with_activations_and_classes)
{
    pinion_model *m = load(active);
    CHECK(m && pinion_model_warning_count(m) == 0);
    check_activations(m);
    write_and_read(m, check_activations);
    pinion_model_free(m);
}

/* A filter whose activation has a range filters the control; without one it is a lag of the force. */
TEST(filters_with_a_range)
{
    pinion_model *m = load(BODIES "<actuator><general joint='h' dyntype='filterexact' dynprm='.2'/><general joint='h' "
                                  "dyntype='filterexact' dynprm='.2' actrange='-1 .5'/></actuator></mujoco>");
    pinion_actuator_info a;
    CHECK(m && pinion_model_warning_count(m) == 0);
    CHECK_STATUS(pinion_model_actuator(m, 0, &a), PINION_OK);
    CHECK(a.dynamics.lag == 0.2 && a.law.filter == 0 && isinf(a.law.state[1]));
    CHECK_STATUS(pinion_model_actuator(m, 1, &a), PINION_OK);
    CHECK(a.dynamics.lag == 0 && a.law.filter == 0.2 && a.law.state[0] == -1 && a.law.state[1] == 0.5);
    CHECK(pinion_actuator_activation(&a.law, 2, 100) == 0.5);
    pinion_model_free(m);
}

TEST(delays)
{
    pinion_model *m = load(BODIES "<actuator><motor joint='h' delay='.1' nsample='5'/></actuator></mujoco>");
    pinion_actuator_info a;
    CHECK(m && pinion_model_warning_count(m) == 0);
    CHECK_STATUS(pinion_model_actuator(m, 0, &a), PINION_OK);
    CHECK(a.dynamics.delay == 0.1);
    pinion_model_free(m);
}

TEST(other_laws_are_told)
{
    pinion_model *m = load(BODIES "<actuator><position tendon='cable' dampratio='1'/><general joint='h' "
                                  "gaintype='user'/><dcmotor joint='h' motorconst='1' resistance='1'/></actuator>"
                                  "</mujoco>");
    CHECK(m && pinion_model_actuator_count(m) == 3 && has_warning(m, "the law of 1 position actuator is left out"));
    CHECK(m && has_warning(m, "the law of 1 general actuator is left out") && has_warning(m, "the law of 1 dcmotor"));
    pinion_actuator_info a;
    CHECK_STATUS(pinion_model_actuator(m, 0, &a), PINION_OK);
    CHECK(a.law.gain == 1 && a.law.bias[1] == 0);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(servos_have_their_laws);
    RUN(ranges_and_turns_of_servos);
    RUN(laws_with_activations_and_classes);
    RUN(filters_with_a_range);
    RUN(delays);
    RUN(other_laws_are_told);
    RUN(arms_are_those_of_mujoco);
    RUN(written_and_read_again);
    RUN(left_out_and_refused);
    RUN(wrapped_tendons_are_told);
    return CHECK_END();
}
