/* The initial state of a model: what is said of a joint is kept and read back, the rest is neutral and at
 * rest. */
#include <math.h>
#include <pinion/pinion.h>

#include "../support/check.h"

static void add_link(pinion_builder *b, const char *name)
{
    pinion_link_def def = pinion_link_def_default();
    def.name = name;
    def.inertia.mass = 1;
    def.inertia.inertia[0] = def.inertia.inertia[3] = def.inertia.inertia[5] = 0.1;
    CHECK_STATUS(pinion_builder_add_link(b, &def, NULL), PINION_OK);
}

static pinion_joint_def joint_def(const char *name, pinion_joint_type type, const char *parent,
                                  const char *child)
{
    pinion_joint_def def = pinion_joint_def_default();
    def.name = name;
    def.type = type;
    def.parent = parent;
    def.child = child;
    def.line = 12;
    return def;
}

/* A joint between two links, with a follower's leader at hand. */
static pinion_builder *two_links(void)
{
    pinion_builder *b = pinion_builder_new("two");
    CHECK_STATUS(pinion_builder_set_source(b, "two.json"), PINION_OK);
    add_link(b, "base");
    add_link(b, "arm");
    return b;
}

/* Numbers of a valid state; quaternions are unit to rounding. */
static void any_state(pinion_joint_type type, uint64_t *seed, double q[7], double v[6])
{
    int nq = pinion_joint_type_nq(type), nv = pinion_joint_type_nv(type);
    double square = 0;
    for (int i = 0; i < 7; i++) q[i] = i < nq ? check_between(seed, -3, 3) : 0;
    for (int i = 0; i < 6; i++) v[i] = i < nv ? check_between(seed, -3, 3) : 0;
    if (nq == nv) return;
    for (int i = 0; i < 4; i++) square += q[i] * q[i];
    for (int i = 0; i < 4; i++) q[i] /= sqrt(square);
}

/* Every type in one chain, every second joint with a state of its own. */
TEST(every_type)
{
    uint64_t seed = check_seed;
    for (int odd = 0; odd < 2; odd++) {
        for (int free_root = 0; free_root < 2; free_root++) {
            pinion_builder *b = pinion_builder_new("chain");
            double q[PINION_JOINT_TYPE_COUNT][7], v[PINION_JOINT_TYPE_COUNT][6];
            char name[PINION_JOINT_TYPE_COUNT + 1][20];
            for (int i = 0; i <= PINION_JOINT_TYPE_COUNT; i++) {
                snprintf(name[i], sizeof name[i], "l%d", i);
                add_link(b, name[i]);
            }
            for (int i = 1; i < PINION_JOINT_TYPE_COUNT; i++) {
                pinion_joint_def def =
                    joint_def(name[i], (pinion_joint_type)i, i == 1 ? "l0" : name[i - 1], name[i]);
                any_state(def.type, &seed, q[i], v[i]);
                def.has_initial = i % 2 == odd;
                memcpy(def.initial_q, q[i], sizeof q[i]);
                memcpy(def.initial_v, v[i], sizeof v[i]);

                /* what lies behind the type's own numbers does not count */
                for (int k = pinion_joint_type_nq(def.type); k < 7; k++) def.initial_q[k] = NAN;
                for (int k = pinion_joint_type_nv(def.type); k < 6; k++) def.initial_v[k] = INFINITY;
                CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
                if (def.has_initial) continue;
                memset(q[i], 0, sizeof q[i]);
                memset(v[i], 0, sizeof v[i]);
                if (i == PINION_JOINT_SPHERICAL || i == PINION_JOINT_FREE) q[i][0] = 1;
            }
            pinion_joint_def weld = joint_def("weld", PINION_JOINT_FIXED, name[PINION_JOINT_TYPE_COUNT - 1],
                                              name[PINION_JOINT_TYPE_COUNT]);
            CHECK_STATUS(pinion_builder_add_joint(b, &weld, NULL), PINION_OK);

            pinion_load_options options = pinion_load_options_default();
            options.root = free_root ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
            pinion_error err;
            pinion_model *built = pinion_builder_build(b, &options, &err);
            if (!built) CHECK_FAIL("%s", err.message);
            pinion_model *m = built ? pinion_model_copy(built) : NULL;
            pinion_model_free(built);
            double state_q[64], state_v[64], neutral[64];
            float q32[64], v32[64];
            if (m) {
                for (int i = 0; i < 64; i++) state_q[i] = state_v[i] = 99;
                CHECK_STATUS(pinion_initial(m, state_q, state_v), PINION_OK);
                CHECK_STATUS(pinion_initial_f32(m, q32, v32), PINION_OK);
                CHECK_STATUS(pinion_neutral(m, neutral), PINION_OK);
                for (int i = 1; i < PINION_JOINT_TYPE_COUNT; i++) {
                    pinion_joint_info info;
                    CHECK_STATUS(pinion_model_joint(m, pinion_model_find_joint(m, name[i]), &info),
                                 PINION_OK);
                    CHECK(info.has_initial == (i % 2 == odd));
                    CHECK(memcmp(info.initial_q, q[i], sizeof q[i]) == 0);
                    CHECK(memcmp(info.initial_v, v[i], sizeof v[i]) == 0);
                    for (int k = 0; k < info.nq; k++) {
                        CHECK(state_q[info.q_index + k] == q[i][k] &&
                              q32[info.q_index + k] == (float)q[i][k]);
                        if (!info.has_initial) CHECK(neutral[info.q_index + k] == q[i][k]);
                    }
                    for (int k = 0; k < info.nv; k++)
                        CHECK(state_v[info.v_index + k] == v[i][k] &&
                              v32[info.v_index + k] == (float)v[i][k]);
                }

                /* the joint that the load option adds says nothing */
                for (int i = 0; free_root && i < 7; i++)
                    CHECK(state_q[i] == (i == 0) && (i > 5 || state_v[i] == 0));
                CHECK(state_q[pinion_model_nq(m)] == 99 && state_v[pinion_model_nv(m)] == 99);
                CHECK_STATUS(pinion_initial(m, neutral, NULL), PINION_OK);
                CHECK(memcmp(neutral, state_q, sizeof(double) * (size_t)pinion_model_nq(m)) == 0);
                CHECK_STATUS(pinion_initial(m, NULL, state_v), PINION_ERR_ARGUMENT);
            }
            CHECK_STATUS(pinion_initial(NULL, state_q, state_v), PINION_ERR_ARGUMENT);
            pinion_model_free(m);
            pinion_builder_free(b);
        }
    }
}

/* A quaternion that is nearly unit is made so, and is then left alone. */
TEST(quaternions)
{
    uint64_t seed = check_seed;
    for (int i = 0; i < 2000; i++) {
        pinion_joint_def def = joint_def("j", i % 2 ? PINION_JOINT_SPHERICAL : PINION_JOINT_FREE, "base", "arm");
        def.has_initial = 1;
        any_state(def.type, &seed, def.initial_q, def.initial_v);
        double off = i % 3 ? check_between(&seed, -0.9e-6, 0.9e-6) : 0;
        for (int k = 0; k < 4; k++) def.initial_q[k] *= 1 + off;
        pinion_joint_info info[2];
        for (int again = 0; again < 2; again++) {
            pinion_builder *b = two_links();
            CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
            pinion_model *m = pinion_builder_build(b, NULL, NULL);
            CHECK(m && pinion_model_joint(m, 0, &info[again]) == PINION_OK);
            memcpy(def.initial_q, info[again].initial_q, sizeof def.initial_q);
            pinion_model_free(m);
            pinion_builder_free(b);
        }
        double square = 0;
        for (int k = 0; k < 4; k++) square += info[0].initial_q[k] * info[0].initial_q[k];
        CHECK_NEAR(square, 1, 4e-15);
        CHECK(memcmp(info[0].initial_q, info[1].initial_q, sizeof info[0].initial_q) == 0);
    }
}

static void refused(const pinion_joint_def *def, int loop, const char *part)
{
    pinion_builder *b = two_links();
    pinion_error err;
    CHECK_STATUS(loop ? pinion_builder_add_loop(b, def, &err) : pinion_builder_add_joint(b, def, &err),
                 PINION_ERR_MODEL);
    CHECK_HAS(err.message, "two.json:12: ");
    CHECK_HAS(err.message, "'j'");
    CHECK_HAS(err.message, part);
    CHECK(err.line == 12);
    pinion_builder_free(b);
}

TEST(what_is_refused)
{
    pinion_joint_def def = joint_def("j", PINION_JOINT_REVOLUTE, "base", "arm");
    def.has_initial = 1;
    refused(&def, 1, "a loop joint has no coordinates of its own");
    def.mimic = "leader";
    refused(&def, 0, "a joint that follows another one has no coordinates of its own");
    def.mimic = NULL;
    def.type = PINION_JOINT_FIXED;
    refused(&def, 0, "a fixed joint has no coordinates of its own");

    /* numbers: each of every type */
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int type = PINION_JOINT_REVOLUTE; type < PINION_JOINT_TYPE_COUNT; type++) {
        def.type = (pinion_joint_type)type;
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < pinion_joint_type_nq(def.type); k++) {
                uint64_t seed = check_seed;
                any_state(def.type, &seed, def.initial_q, def.initial_v);
                def.initial_q[k] = bad[i];
                refused(&def, 0, "the position is not finite");
            }
            for (int k = 0; k < pinion_joint_type_nv(def.type); k++) {
                uint64_t seed = check_seed;
                any_state(def.type, &seed, def.initial_q, def.initial_v);
                def.initial_v[k] = bad[i];
                refused(&def, 0, "the velocity is not finite");
            }
        }
    }

    /* quaternions: none, and those of another length */
    static const double length[] = {0, 1 - 2e-6, 1 + 2e-6, 2, 1e200};
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
        memset(def.initial_q, 0, sizeof def.initial_q);
        memset(def.initial_v, 0, sizeof def.initial_v);
        def.initial_q[1] = 0.6 * length[i];
        def.initial_q[3] = -0.8 * length[i];
        def.type = PINION_JOINT_SPHERICAL;
        refused(&def, 0, "unit length");
        def.type = PINION_JOINT_FREE;
        refused(&def, 0, "unit length");
    }
}

/* Limits are not enforced, but someone may have mistaken degrees for radians. */
TEST(outside_the_limits)
{
    static const double at[] = {-1, 0.5, 2, -1.001, 2.5, 90};
    static const char *const said[] = {NULL,
                                       NULL,
                                       NULL,
                                       "below its lower limit, -1",
                                       "above its upper limit, 2",
                                       "initial position 90 of joint 'j' is above"};
    for (int i = 0; i < 12; i++) {
        pinion_builder *b = two_links();
        pinion_joint_def def = joint_def("j", i < 6 ? PINION_JOINT_REVOLUTE : PINION_JOINT_PLANAR, "base", "arm");
        int dof = i < 6 ? 0 : 2;
        def.dof[dof].lower = -1;
        def.dof[dof].upper = 2;
        def.has_initial = 1;
        def.initial_q[dof] = at[i % 6];
        CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
        pinion_model *m = pinion_builder_build(b, NULL, NULL);
        CHECK(m && pinion_model_warning_count(m) == (said[i % 6] != NULL));
        if (m && said[i % 6]) CHECK_HAS(pinion_model_warning(m, 0), said[i % 6]);
        double q[3];
        if (m) CHECK(pinion_initial(m, q, NULL) == PINION_OK && q[dof] == at[i % 6]);
        pinion_model_free(m);
        pinion_builder_free(b);
    }

    /* the neutral position is nobody's choice, and a quaternion's velocity has no position limits */
    pinion_builder *b = two_links();
    pinion_joint_def def = joint_def("j", PINION_JOINT_REVOLUTE, "base", "arm");
    def.dof[0].lower = 1;
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    def = joint_def("k", PINION_JOINT_SPHERICAL, "arm", "hand");
    def.dof[0].upper = 0.1;
    def.has_initial = 1;
    def.initial_q[0] = 1;
    add_link(b, "hand");
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    CHECK(m && pinion_model_warning_count(m) == 0);
    pinion_model_free(m);
    pinion_builder_free(b);
}

/* Followers take no part in it, also where they become ordinary joints. */
TEST(followers)
{
    pinion_builder *b = two_links();
    pinion_joint_def def = joint_def("j", PINION_JOINT_REVOLUTE, "base", "arm");
    def.has_initial = 1;
    def.initial_q[0] = 0.5;
    def.initial_v[0] = -2;
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    add_link(b, "hand");
    def = joint_def("k", PINION_JOINT_REVOLUTE, "arm", "hand");
    def.mimic = "j";
    def.offset = 0.1;
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    for (int independent = 0; independent < 2; independent++) {
        pinion_load_options options = pinion_load_options_default();
        options.mimic = independent ? PINION_MIMIC_INDEPENDENT : PINION_MIMIC_FOLLOW;
        pinion_model *m = pinion_builder_build(b, &options, NULL);
        double q[2] = {9, 9}, v[2] = {9, 9};
        CHECK(m && pinion_initial(m, q, v) == PINION_OK);
        CHECK(q[0] == 0.5 && v[0] == -2);
        CHECK(q[1] == (independent ? 0 : 9) && v[1] == (independent ? 0 : 9));
        pinion_model_free(m);
    }
    pinion_builder_free(b);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(every_type);
    RUN(quaternions);
    RUN(what_is_refused);
    RUN(outside_the_limits);
    RUN(followers);
    return CHECK_END();
}
