/* Drag of links: what it exerts, against the law written out, MuJoCo's own numbers and differences; how it is
 * kept. */
#include <math.h>

#include "mjcf_text.h"
#include "pinion/compose.h"
#include "pinion/elements.h"
#include "pinion/io.h"
#include "pinion/layouts.h"

enum { NV = 8, NQ = 9 };

static const char tree[] = "{\"pinion\": 1, \"name\": \"tree\", \"links\": [{\"name\": \"world\"}, "
                           "{\"name\": \"a\", \"mass\": 2, \"inertia\": {\"xx\": 0.1, "
                           "\"yy\": 0.2, \"zz\": 0.15}, \"drag\": {\"origin\": {\"position\": [0.1, 0.2, "
                           "-0.3], \"rpy\": [0.3, -0.2, 0.5]}, "
                           "\"linear\": [0.1, 0.2, 0.3, 1, 2, 3], \"quadratic\": [0.2, 0.1, 0.4, 3, 1, 2], "
                           "\"wind\": [0.5, -1, 2]}}, "
                           "{\"name\": \"b\", \"mass\": 1, \"com\": [0.1, 0, 0], \"inertia\": {\"xx\": 0.1, "
                           "\"yy\": 0.1, \"zz\": 0.1}, "
                           "\"drag\": {\"quadratic\": [0, 0.1, 0, 1, 0, 2]}}, {\"name\": \"c\", \"mass\": 1, "
                           "\"inertia\": {\"xx\": 0.1, "
                           "\"yy\": 0.1, \"zz\": 0.1}, \"drag\": {\"linear\": [1, 0, 0.2, 1, 2, 0]}}], "
                           "\"joints\": [{\"name\": \"f\", "
                           "\"type\": \"free\", \"parent\": \"world\", \"child\": \"a\"}, {\"name\": \"t\", "
                           "\"type\": \"continuous\", "
                           "\"parent\": \"a\", \"child\": \"b\", \"axis\": [0.6, 0, 0.8], \"origin\": "
                           "{\"position\": [0.2, 0, 0.1]}}, {\"name\": "
                           "\"s\", \"type\": \"prismatic\", \"parent\": \"b\", \"child\": \"c\", \"axis\": "
                           "[0, 1, 0], \"origin\": {\"position\": "
                           "[0, 0.3, 0]}}]}";

/* What acts on the joints, without their own springs. */
static void brake(const pinion_model *m, const double *q, const double *v, double *tau)
{
    pinion_work *w = pinion_work_new(m);
    pinion_elements *x = pinion_elements_new(m);
    memset(tau, 0, NV * sizeof *tau);
    CHECK_STATUS(pinion_elements_forces(x, w, q, v, tau, tau, tau, NULL), PINION_OK);
    double alone[NV] = {0};
    CHECK_STATUS(pinion_drag_forces(x, w, q, v, alone), PINION_OK);
    for (int i = 0; i < pinion_model_nv(m); i++) CHECK_NEAR(alone[i], tau[i], 0); /* nothing else acts here */
    CHECK_STATUS(pinion_drag_forces(x, w, q, v, NULL), PINION_ERR_ARGUMENT);
    pinion_elements_free(x);
    pinion_work_free(w);
}

/* Along a slider that is all of it: -l u - k |u| u, against the wind. */
TEST(law)
{
    static const char slider[] = "{\"pinion\": 1, \"name\": \"m\", \"links\": [{\"name\": \"world\"}, "
                                 "{\"name\": \"a\", \"mass\": 2, \"inertia\": {\"xx\": 1, "
                                 "\"yy\": 1, \"zz\": 1}, \"drag\": {\"linear\": [9, 9, 9, 2, 9, 9], "
                                 "\"quadratic\": [9, 9, 9, 3, 9, 9], \"wind\": "
                                 "[0.5, 0, 0]}}], \"joints\": [{\"name\": \"s\", \"type\": \"prismatic\", "
                                 "\"parent\": \"world\", \"child\": "
                                 "\"a\", \"axis\": [1, 0, 0]}]}";
    pinion_model *m = load(slider);
    for (int i = -3; i <= 3; i++) {
        const double q = 0.3, v = 0.7 * i, u = v - 0.5;
        double tau[NV];
        brake(m, &q, &v, tau);
        CHECK_NEAR(tau[0], -2 * u - 3 * fabs(u) * u, 1e-14);
    }
    double still[NV], q = 0.3;
    brake(m, &q, NULL, still);
    CHECK_NEAR(still[0], 2 * 0.5 + 3 * 0.25, 1e-15);
    pinion_model_free(m);
}

/* Differences of what is exerted: h^2 and rounding / h of numbers near 30. */
TEST(derivatives)
{
    pinion_model *m = load(tree);
    pinion_work *w = pinion_work_new(m);
    pinion_elements *x = pinion_elements_new(m);
    CHECK(pinion_model_nv(m) == NV && pinion_model_has_elements(m));
    for (uint64_t seed = 1; seed <= 4; seed++) {
        double q[NQ], v[NV], dq[NV * NV] = {0}, dv[NV * NV] = {0};
        const double h = 1e-5;
        CHECK_STATUS(pinion_random(m, seed, q), PINION_OK);
        for (int i = 0; i < NV; i++) v[i] = sin(3.7 * (double)seed + 1.3 * i);
        CHECK_STATUS(pinion_d_elements_forces(x, w, q, v, dq, dv), PINION_OK);
        for (int k = 0; k < NV; k++) {
            double step[NV] = {0}, to[NQ], faster[NV], there[2][NV], after[2][NV];
            step[k] = 1;
            for (int s = 0; s < 2; s++) {
                CHECK_STATUS(pinion_integrate(m, q, step, s ? h : -h, to), PINION_OK);
                brake(m, to, v, there[s]);
                memcpy(faster, v, sizeof v);
                faster[k] += s ? h : -h;
                brake(m, q, faster, after[s]);
            }
            for (int i = 0; i < NV; i++) {
                CHECK_NEAR(dq[i * NV + k], (there[1][i] - there[0][i]) / (2 * h), 1e-6);
                CHECK_NEAR(dv[i * NV + k], (after[1][i] - after[0][i]) / (2 * h), 1e-6);
            }
        }
    }
    pinion_elements_free(x);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* A medium of MJCF, with the passive forces of MuJoCo 4.0: a geom, a full inertia, several geoms on a body
 * that is fixed to another, and an inertia with axes of its own, two moments of which are equal. */
TEST(medium)
{
    static const char text[] =
        "<mujoco><option density='80' viscosity='.7' wind='1 -2 .5'/><worldbody><body name='a' pos='0 0 "
        "1'><freejoint/>"
        "<geom type='capsule' size='.1 .2' pos='.1 0 0' euler='10 20 30'/><body name='b' pos='.5 0 0'><joint "
        "name='j' "
        "axis='0 1 1'/><inertial pos='.2 0 .1' mass='1' fullinertia='.1 .2 .15 .01 .02 -.03'/><body name='c' "
        "pos='.1 .2 "
        "0'><geom type='box' size='.1 .2 .3' pos='.1 .2 .3'/><geom size='.1' pos='-.2 .1 "
        ".4'/></body></body></body>"
        "<body name='d'><joint type='slide' axis='1 2 3'/><inertial pos='.1 0 0' euler='20 30 40' mass='2' "
        "diaginertia='.1 .1 .05'/></body></worldbody></mujoco>";
    static const double qpos[] = {.1, .2, .3, .5, -.5, .5, .5, .4, .2},
                        qvel[] = {1, -2, .5, .3, .7, -1.1, .9, -.6};
    static const double passive[NV] = {-19.980166530905045, 11.768147440684665,  5.787943873784715,
                                       -0.9465417095238519, -14.498585409666926, 17.659625863129293,
                                       -0.6518659601815846, 4.005674121057994};
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = load(text);
    char *json = pinion_save_string(m, PINION_FORMAT_JSON, &err);
    char *mjcf = pinion_save_string(m, PINION_FORMAT_MJCF, &err);
    pinion_model *both[3] = {m, json ? load(json) : NULL, mjcf ? load(mjcf) : NULL};
    CHECK(json && mjcf);
    CHECK(pinion_model_warning_count(m) == 0);
    for (int k = 0; k < 3 && both[k]; k++) {
        pinion_converter *c = pinion_converter_new(both[k], PINION_CONVENTION_MUJOCO, &err);
        double q[NQ], v[NV], tau[NV], theirs[NV];
        CHECK_STATUS(pinion_convert_q_from(c, qpos, q), PINION_OK);
        CHECK_STATUS(pinion_convert_v_from(c, q, qvel, v), PINION_OK);
        brake(both[k], q, v, tau);
        CHECK_STATUS(pinion_convert_tau_to(c, q, tau, theirs), PINION_OK);
        for (int i = 0; i < NV; i++)
            CHECK_NEAR(theirs[i], passive[i], 1e-12); /* rounding of numbers near 100 */
        pinion_converter_free(c);
    }
    pinion_free(json);
    pinion_free(mjcf);
    for (int k = 0; k < 3; k++) pinion_model_free(both[k]);

    /* other formats have no words for it */
    m = load(tree);
    for (pinion_format f = PINION_FORMAT_URDF; f <= PINION_FORMAT_SDF; f++) {
        if (f == PINION_FORMAT_JSON) continue;
        CHECK(!pinion_save_string(m, f, &err));
        CHECK_HAS(err.message, "drag");
    }
    pinion_model_free(m);
}

/* Twice as large and three times as heavy it moves the same way in a wind that is twice as fast. */
TEST(scaled)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = load(tree);
    pinion_model *large = pinion_model_scale(m, 2, 3, &err);
    CHECK(large != NULL);
    if (large) {
        double q[NQ], v[NV], more[NV], tau[NV];
        CHECK_STATUS(pinion_random(m, 3, q), PINION_OK);
        for (int i = 0; i < NV; i++) v[i] = cos(1.3 * i);
        brake(m, q, v, tau);
        static const int lengths[NV] = {0, 0, 0, 1, 1, 1, 0, 1}; /* coordinates that are */
        for (int i = 0; i < NV; i++) v[i] *= lengths[i] ? 2 : 1;
        for (int i = 4; i < 7; i++) q[i] *= 2;
        q[8] *= 2;
        brake(large, q, v, more);
        for (int i = 0; i < NV; i++) CHECK_NEAR(more[i], tau[i] * 3 * (lengths[i] ? 2 : 4), 1e-12 * 300);
    }
    pinion_model_free(large);
    pinion_model_free(m);
}

TEST(refused)
{
    static const struct {
        const char *drag, *part;
    } list[] = {{"{\"linear\": [0, 0, 0, 0, 0, -1]}", "its drag is negative"},
                {"{\"quadratic\": [0, 0, -1, 0, 0, 0]}", "its drag is negative"},
                {"{\"linear\": [0, 0]}", "linear"},
                {"{\"cubic\": 1}", "cubic"},
                {"3", "drag"}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char text[300];
        pinion_error err = {PINION_OK, 0, 0, ""};
        snprintf(text, sizeof text,
                 "{\"pinion\": 1, \"name\": \"m\", \"links\": [{\"name\": \"a\", \"drag\": %s}]}",
                 list[i].drag);
        CHECK(!pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, NULL, NULL, &err));
        CHECK_HAS(err.message, list[i].part);
    }
    pinion_model *m = world("<option density='1'/>",
                            "<body name='x'><joint/><geom size='1' fluidshape='ellipsoid'/></body>");
    CHECK(m && has_warning(m, "the forces of the medium on body 'x' are left out"));
    pinion_model_free(m);
    m = world("<compiler fusestatic='true'/><option density='1'/>",
              "<body name='x'><joint/><geom size='1'/></body>");
    CHECK(m && has_warning(m, "the forces of the medium are left out"));
    pinion_model_free(m);
    m = world("<option density='1'><flag spring='disable' damper='disable'/></option>",
              "<body name='x'><joint/><geom size='1'/></body>");
    CHECK(m && !pinion_model_has_elements(m));
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(law);
    RUN(derivatives);
    RUN(medium);
    RUN(scaled);
    RUN(refused);
    return CHECK_END();
}
