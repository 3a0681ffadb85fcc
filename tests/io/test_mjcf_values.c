/* Small MJCF files with the numbers that MuJoCo 4.0 gives for them. */
#include <math.h>

#include "mjcf_text.h"
#include "pinion/elements.h"
#include "pinion/io.h"
#include "pinion/layouts.h"

/* In MuJoCo's layout: joint forces of inverse dynamics, and those that are passive. */
typedef struct sides {
    double inverse[16], passive[16], diagonal[16];
} sides;

static void compute(const pinion_model *m, const double *qpos, const double *qvel, const double *qacc,
                    sides *out)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_converter *c = pinion_converter_new(m, PINION_CONVENTION_MUJOCO, &err);
    pinion_work *w = pinion_work_new(m);
    pinion_elements *x = pinion_elements_new(m);
    double q[16], v[16], a[16], tau[16], M[256];
    const int nv = pinion_model_nv(m);
    CHECK(c && w && x && nv <= 16);
    CHECK_STATUS(pinion_convert_q_from(c, qpos, q), PINION_OK);
    CHECK_STATUS(pinion_convert_v_from(c, q, qvel, v), PINION_OK);
    CHECK_STATUS(pinion_convert_a_from(c, q, v, qacc, a), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(m, w, q, v, a, NULL, tau), PINION_OK);
    CHECK_STATUS(pinion_convert_tau_to(c, q, tau, out->inverse), PINION_OK);
    CHECK_STATUS(pinion_passive_forces(m, w, q, v, tau), PINION_OK);
    CHECK_STATUS(pinion_elements_forces(x, w, q, v, tau, tau, tau, NULL), PINION_OK);
    CHECK_STATUS(pinion_convert_tau_to(c, q, tau, out->passive), PINION_OK);

    /* and forward dynamics takes back what inverse dynamics gave */
    double back[16];
    CHECK_STATUS(pinion_inverse_dynamics(m, w, q, v, a, NULL, tau), PINION_OK);
    CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, tau, NULL, back), PINION_OK);
    for (int i = 0; i < nv; i++) CHECK_NEAR(back[i], a[i], 1e-12);
    CHECK_STATUS(pinion_mass_matrix(m, w, q, M), PINION_OK);
    for (int i = 0; i < nv; i++) out->diagonal[i] = M[i * (nv + 1)];
    pinion_elements_free(x);
    pinion_work_free(w);
    pinion_converter_free(c);
}

static const char floating[] = "<mujoco><worldbody><body name='a' pos='0 0 1'><joint type='free' "
                               "armature='.7'/><inertial pos='.1 -.2 .3' "
                               "mass='2' diaginertia='.1 .2 .25'/><site name='s' pos='.3 0 0'/><body "
                               "name='b' pos='.5 0 0'><joint name='j' "
                               "axis='0 1 0' armature='.1'/><inertial pos='.2 0 0' mass='1' diaginertia='.1 "
                               ".2 .15'/></body></body><site "
                               "name='w' pos='1 2 0'/></worldbody><tendon><spatial name='t' stiffness='50' "
                               "damping='3' springlength='.4'><site "
                               "site='s'/><site site='w'/></spatial></tendon></mujoco>";

static void check_floating(const pinion_model *m)
{
    static const double qpos[] = {.1, .2, .3, .5, -.5, .5, .5, .4}, qvel[] = {1, -2, .5, .3, .7, -1.1, .9},
                        qacc[] = {.5, -.25, 1, 2, -1, .75, -.5};
    static const double inverse[] = {1.673734276605917,  -0.8740800059797403, 35.45395287619321,
                                     2.8863928036435262, -7.15664752339546,   -3.266588814968265,
                                     0.5393124736146702};
    static const double passive[] = {37.90972809000085,   75.8194561800017,    0, 0,
                                     -22.745836854000512, -11.372918427000256, 0};
    static const double diagonal[] = {
        1.1736481980793776, 1.774212198800577, 1.6605640007211995, 3.7, 3.7, 3.7, .34};
    sides s;
    compute(m, qpos, qvel, qacc, &s);
    for (int i = 0; i < 7; i++) {
        CHECK_NEAR(s.inverse[i], inverse[i], 1e-13 * 35);
        CHECK_NEAR(s.passive[i], passive[i], 1e-13 * 75);
        CHECK_NEAR(s.diagonal[i], diagonal[i], 1e-14); /* the rotation first, here */
    }
}

/* Armature of a free joint has no weight and resists in the world; a line between two points is a passive
 * force. */
TEST(armature_of_a_free_joint)
{
    pinion_model *m = load(floating);
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK(pinion_model_warning_count(m) == 0 && pinion_model_tendon_count(m) == 1);
    check_floating(m);
    char *text = pinion_save_string(m, PINION_FORMAT_MJCF, &err);
    char *json = pinion_save_string(m, PINION_FORMAT_JSON, &err);
    pinion_model *back = text ? load(text) : NULL, *ours = json ? load(json) : NULL;
    CHECK(back && ours);
    if (back) check_floating(back);
    if (ours) check_floating(ours);
    pinion_model_free(back);
    pinion_model_free(ours);
    pinion_free(text);
    pinion_free(json);
    pinion_model_free(m);
}

/* What a class says of all joints says of balls that they are limited, by a range which they have not. */
/* Stiffness and damping that are polynomials, of every kind of joint, of tendons and of an actuator. */
static const char curved[] =
    "<mujoco><compiler angle='radian'/><worldbody><body name='a'>"
    "<joint name='a' axis='0 1 0' stiffness='3 -2 5' springref='.3' damping='1 2 .5'/>"
    "<inertial pos='.1 -.2 .3' mass='2' diaginertia='.1 .2 .25'/><body name='b' pos='.3 0 0'>"
    "<joint name='b' type='slide' axis='1 0 0' stiffness='0 4' damping='0 0 3' ref='.1'/>"
    "<inertial pos='.1 0 0' mass='1' diaginertia='.1 .2 .15'/><body name='c' pos='0 0 .1'>"
    "<joint name='c' type='ball' stiffness='2 1.5 -.3' damping='.2 .3 .4'/>"
    "<inertial pos='.2 0 .1' mass='1' diaginertia='.1 .2 .15'/><site name='s' pos='.1 .2 .3'/></body>"
    "</body></body><body name='f' pos='1 2 3'>"
    "<joint name='f' type='free' stiffness='2 3 4' damping='.5'/>"
    "<inertial pos='0 0 0' mass='1' diaginertia='.1 .2 .15'/></body><site name='w' pos='0 0 1'/>"
    "</worldbody><tendon><fixed name='t' stiffness='1 2 3' damping='0 1 2' springlength='-.1 .2'>"
    "<joint joint='a' coef='2'/><joint joint='b' coef='-1.5'/></fixed>"
    "<spatial name='u' stiffness='10 -2 3' damping='1 2 3' springlength='.4'><site site='w'/>"
    "<site site='s'/></spatial></tendon><actuator><motor joint='a' gear='3' damping='.1 .2 .3'/>"
    "</actuator></mujoco>";

static void check_curved(const pinion_model *m)
{
    static const double qpos[] = {.7, -.2, .5, -.5, .5, .5, 1.3, 1.8, 3.2, .5, .5, -.5, .5},
                        qvel[] = {.4, -.6, .3, -1.1, .9, .5, .2, -.3, 1, -2, .5}, qacc[11] = {0};
    static const double passive[] = {-60.06150359548448, 42.607374067897084,  4.031265308936185,  -4.023380549225907,
                                     -4.83305979861237,  -1.4250795063055897, 0.6833863375370596, -0.6333863375370603,
                                     -31.73259564466629, 32.23259564466629,   -31.48259564466629};
    sides s;
    compute(m, qpos, qvel, qacc, &s);
    for (int i = 0; i < 11; i++) CHECK_NEAR(s.passive[i], passive[i], 1e-12 * (1 + fabs(passive[i])));
}

TEST(curved_springs_and_dampers)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = load(curved);
    CHECK(m && pinion_model_warning_count(m) == 0);
    check_curved(m);
    static const pinion_format formats[] = {PINION_FORMAT_JSON, PINION_FORMAT_MJCF};
    for (int i = 0; i < 2; i++) {
        char *text = pinion_save_string(m, formats[i], &err);
        if (!text) CHECK_FAIL("%s", err.message);
        pinion_model *again = text ? pinion_load_string(text, strlen(text), formats[i], NULL, NULL, &err) : NULL;
        if (again) check_curved(again);
        else CHECK_FAIL("%s", err.message);
        pinion_model_free(again);
        pinion_free(text);
    }
    pinion_model_free(m);
}

TEST(ranges_of_balls)
{
    pinion_model *m =
        world("<default><joint limited='true'/></default>",
              "<body><joint type='ball'/>" UNIT "</body><body><joint type='free'/>" UNIT "</body>");
    CHECK(m && has_warning(m, "its range is left out"));
    pinion_model_free(m);
    static const char text[] = "<mujoco><worldbody><body><joint type='ball' limited='true' range='1 2'/>" UNIT
                               "</body></worldbody></mujoco>";
    pinion_error err = {PINION_OK, 0, 0, ""};
    m = pinion_load_string(text, strlen(text), PINION_FORMAT_MJCF, "f", NULL, &err);
    CHECK(!m && strstr(err.message, "expected 0 and an angle"));
}

/* Less weight than none counts only where some body's is carried; a damper's control is limited without a
 * word. */
TEST(quirks)
{
    static const char two[] =
        "<mujoco><compiler autolimits='false'/><worldbody><body gravcomp='-.5'><joint name='i' "
        "type='slide'/>" UNIT "</body><body gravcomp='%s'><joint type='slide'/>" UNIT
        "</body></worldbody><actuator><damper joint='i' ctrlrange='0 1'/></actuator></mujoco>";
    for (int carried = 0; carried < 2; carried++) {
        char text[600];
        snprintf(text, sizeof text, two, carried ? "1" : "0");
        pinion_model *m = load(text);
        const double rest[2] = {0, 0};
        sides s;
        compute(m, rest, rest, rest, &s);
        CHECK_NEAR(s.passive[0], carried ? -4.905 : 0, 1e-15);
        CHECK_NEAR(s.passive[1], carried ? 9.81 : 0, 1e-15);
        pinion_model_free(m);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(armature_of_a_free_joint);
    RUN(curved_springs_and_dampers);
    RUN(ranges_of_balls);
    RUN(quirks);
    return CHECK_END();
}
