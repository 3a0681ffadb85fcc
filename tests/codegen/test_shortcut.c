/* Which calls generated functions answer: functions that only write down that they were called stand in for compiled
 * ones, so no compiler is needed. */
#include "check.h"

#include "batch/batch_internal.h"
#include "api/registry.h"
#include "api/shortcut.h"
#include "pinion/pinion.h"

enum { MOST = 400 };

/* ---- functions that note what they get ---- */

static struct {
    int calls, which;
    const void *in[PN_SHORTCUT_INPUTS];
    void *out[PN_SHORTCUT_OUTPUTS];
} seen;

static void note(int which, const void *const *in, void *const *out)
{
    seen.calls++;
    seen.which = which;
    for (int i = 0; i < PN_SHORTCUT_INPUTS; i++) seen.in[i] = in[i];
    for (int o = 0; o < PN_SHORTCUT_OUTPUTS; o++) seen.out[o] = out[o];
}

/* a function for each place in the list and each scalar; a margin, where there is one, says that all is well */
#define SPY(n)                                                                                               \
    static void spy_f64_##n(const void *const *in, void *const *out)                                         \
    {                                                                                                        \
        note(n, in, out);                                                                                    \
        ((double *)out[0])[0] = 100 + n;                                                                     \
        if (n == FORWARD) ((double *)out[1])[0] = seen_margin;                                               \
    }                                                                                                        \
    static void spy_f32_##n(const void *const *in, void *const *out)                                         \
    {                                                                                                        \
        note(n, in, out);                                                                                    \
        ((float *)out[0])[0] = 100 + n;                                                                      \
        if (n == FORWARD) ((float *)out[1])[0] = (float)seen_margin;                                         \
    }                                                                                                        \
    static void spy_f64_pack_##n(const void *const *in, void *const *out)                                    \
    {                                                                                                        \
        note(n, in, out);                                                                                    \
        for (int l = 0; l < lanes_f64; l++) ((double *)out[0])[l] = 100 + n;                                 \
        for (int l = 0; n == FORWARD && l < lanes_f64; l++) ((double *)out[1])[l] = seen_margin;             \
    }                                                                                                        \
    static void spy_f32_pack_##n(const void *const *in, void *const *out)                                    \
    {                                                                                                        \
        note(n, in, out);                                                                                    \
        for (int l = 0; l < lanes_f32; l++) ((float *)out[0])[l] = 100 + n;                                  \
        for (int l = 0; n == FORWARD && l < lanes_f32; l++) ((float *)out[1])[l] = (float)seen_margin;       \
    }

enum { GRAVITY, FRAMES, JACOBIAN, MASS, AT_REST, BIAS, INVERSE, FORWARD, ENERGY, COUNT };
static double seen_margin = 1;
static int lanes_f64, lanes_f32;
#define SPIES(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)
SPIES(SPY)
#define ALL(n) {spy_f64_##n, spy_f32_##n, spy_f64_pack_##n, spy_f32_pack_##n},
static pn_shortcut_call *const spies[COUNT][PN_OVER_COUNT] = {SPIES(ALL)};

enum { Q = 1, V = 2, A = 4, TAU = 8, F_EXT = 16 };

static double zeros[MOST * 8];
static pn_shortcut list[COUNT];
static pn_shortcuts shortcuts;

/* the list that load_code.c would make: by kernel, those that read least first */
static void set_up(const pinion_model *m, int frame, unsigned inverse_in)
{
    const size_t nv = (size_t)pinion_model_nv(m), frames = (size_t)pinion_model_frame_count(m);
    const pn_shortcut all[COUNT] = {
        [GRAVITY] = {PN_K_gravity, Q, 1, {nv}, 0, 0, 0, 0, {0}, {0}},
        [FRAMES] = {PN_K_frames, Q, 3, {3 * frames, 9 * frames}, PN_SAME_FRAME, -1, 0, 0, {0}, {0}},
        [JACOBIAN] = {PN_K_jacobian, Q, 1, {6 * nv}, PN_SAME_FRAME | PN_SAME_REFERENCE | PN_SAME_OPTION, frame,
                      PINION_REFERENCE_WORLD_ALIGNED, 0, {0}, {0}},
        [MASS] = {PN_K_crba, Q, 1, {nv * nv}, 0, 0, 0, 0, {0}, {0}},
        [AT_REST] = {PN_K_rnea, Q, 1, {nv}, 0, 0, 0, 0, {0}, {0}},
        [BIAS] = {PN_K_rnea, Q | V, 1, {nv}, 0, 0, 0, 0, {0}, {0}},
        [INVERSE] = {PN_K_rnea, inverse_in, 1, {nv}, 0, 0, 0, 0, {0}, {0}},
        [FORWARD] = {PN_K_aba, Q | V | TAU, 3, {nv, 1}, 0, 0, 0, 0, {0}, {0}},
        [ENERGY] = {PN_K_energy, Q | V, 3, {1, 1}, PN_SAME_OPTION, 0, 0, 0, {0}, {0}}};
    memset(&shortcuts, 0, sizeof shortcuts);
    lanes_f64 = pn_backend_for_batches(8)->lanes;
    lanes_f32 = pn_backend_for_batches(4)->lanes;
    int n = 0;
    for (int k = 0; k < PN_KERNEL_COUNT; k++) {
        shortcuts.first[k] = n;
        for (int i = 0; i < COUNT; i++) {
            if (all[i].kernel != k) continue;
            list[n] = all[i];
            memcpy(list[n++].call, spies[i], sizeof spies[i]);
        }
    }
    shortcuts.first[PN_KERNEL_COUNT] = n;
    shortcuts.list = list;
    shortcuts.zeros = zeros;
    shortcuts.structure = m->structure;
    memcpy(shortcuts.content, m->content, sizeof m->content);
    const int lanes[PN_OVER_COUNT] = {1, 1, lanes_f64, lanes_f32};
    memcpy(shortcuts.lanes, lanes, sizeof lanes);
    seen_margin = 1;
}

/* which function a call went to, -1: to a kernel */
#define WENT_TO(call, which_)                                                                                \
    do {                                                                                                     \
        seen.calls = 0;                                                                                      \
        CHECK_STATUS(call, PINION_OK);                                                                       \
        CHECK((which_) < 0 ? seen.calls == 0 : seen.calls == 1 && seen.which == (which_));                   \
    } while (0)

static double q[MOST], v[MOST], a[MOST], f[MOST], out[MOST * 4], more[MOST * 4];
static float q32[MOST], v32[MOST], a32[MOST], out32[MOST * 4], more32[MOST * 4];

static pinion_model *new_model(void)
{
    pinion_model *m = pinion_random_chain(6, 3, NULL);
    CHECK(m != NULL);
    if (!m) return NULL;
    for (int i = 0; i < MOST; i++) q32[i] = (float)(q[i] = 0.1 + 0.01 * i), v32[i] = (float)(v[i] = 0.2), a32[i] = 0.3f;
    for (int i = 0; i < MOST; i++) a[i] = 0.3, f[i] = 0.4;
    return m;
}

/* ---- tests ---- */

TEST(calls_find_their_function)
{
    pinion_model *m = new_model();
    if (!m) return;
    const int frame = pinion_model_frame_count(m) - 1;
    set_up(m, frame, Q | V | A);
    pinion_work *w = pinion_work_new(m);
    CHECK(w && pn_work_use_f64(w, &shortcuts) == PINION_OK);

    WENT_TO(pinion_inverse_dynamics(m, w, q, v, a, NULL, out), INVERSE);
    CHECK(seen.in[0] == q && seen.in[1] == v && seen.in[2] == a && seen.out[0] == out && out[0] == 100 + INVERSE);
    WENT_TO(pinion_bias(m, w, q, v, out), BIAS);
    WENT_TO(pinion_inverse_dynamics(m, w, q, v, NULL, NULL, out), BIAS);
    WENT_TO(pinion_inverse_dynamics(m, w, q, NULL, NULL, NULL, out), AT_REST);
    WENT_TO(pinion_gravity(m, w, q, out), GRAVITY);
    WENT_TO(pinion_mass_matrix(m, w, q, out), MASS);
    WENT_TO(pinion_forward_dynamics(m, w, q, v, a, NULL, out), FORWARD);
    CHECK(seen.in[3] == a && seen.out[1] != NULL);
    WENT_TO(pinion_frames(m, w, q, out, more), FRAMES);
    WENT_TO(pinion_jacobian(m, w, q, frame, PINION_REFERENCE_WORLD_ALIGNED, out), JACOBIAN);
    WENT_TO(pinion_energy(m, w, q, v, 0, out, more), ENERGY);

    /* what is absent is zero */
    WENT_TO(pinion_inverse_dynamics(m, w, q, NULL, a, NULL, out), INVERSE);
    CHECK(seen.in[0] == q && seen.in[1] == zeros && seen.in[2] == a);
    WENT_TO(pinion_forward_dynamics(m, w, q, NULL, NULL, NULL, out), FORWARD);
    CHECK(seen.in[1] == zeros && seen.in[3] == zeros);
    /* what is not wanted goes somewhere else */
    WENT_TO(pinion_frames(m, w, q, out, NULL), FRAMES);
    CHECK(seen.out[0] == out && seen.out[1] != NULL && seen.out[1] != (void *)more);
    WENT_TO(pinion_frames(m, w, q, NULL, more), FRAMES);
    CHECK(seen.out[1] == more && seen.out[0] != NULL);
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(other_calls_keep_the_kernels)
{
    pinion_model *m = new_model();
    if (!m) return;
    const int frame = pinion_model_frame_count(m) - 1;
    set_up(m, frame, Q | V | A);
    pinion_work *w = pinion_work_new(m);
    CHECK(w && pn_work_use_f64(w, &shortcuts) == PINION_OK);

    /* forces that the function does not take, other frames and references, springs */
    WENT_TO(pinion_inverse_dynamics(m, w, q, v, a, f, out), -1);
    WENT_TO(pinion_forward_dynamics(m, w, q, v, a, f, out), -1);
    WENT_TO(pinion_jacobian(m, w, q, frame - 1, PINION_REFERENCE_WORLD_ALIGNED, out), -1);
    WENT_TO(pinion_jacobian(m, w, q, frame, PINION_REFERENCE_LOCAL, out), -1);
    WENT_TO(pinion_jacobian(m, w, q, frame, PINION_REFERENCE_WORLD, out), -1);
    WENT_TO(pinion_frame_pose(m, w, q, frame, out, more), -1);
    WENT_TO(pinion_energy(m, w, q, v, 1, out, more), -1);
    WENT_TO(pinion_momentum(m, w, q, v, out), -1);
    const pinion_terms terms = {.M = out, .bias = more};
    WENT_TO(pinion_dynamics_terms(m, w, q, v, &terms), -1);

    /* algorithms that are named, also those that the plain calls run */
    WENT_TO(pinion_inverse_dynamics_by(m, w, PN_K_rnea - PN_FIRST_ALGORITHM, q, v, a, NULL, out), -1);
    WENT_TO(pinion_mass_matrix_by(m, w, PN_K_crba - PN_FIRST_ALGORITHM, q, out), -1);
    WENT_TO(pinion_forward_dynamics_by(m, w, PN_K_aba - PN_FIRST_ALGORITHM, q, v, a, NULL, out), -1);

    /* results over an argument */
    double both[MOST];
    memcpy(both, a, sizeof both);
    WENT_TO(pinion_inverse_dynamics(m, w, q, v, both, NULL, both), -1);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* forces are an argument where they were generated as one */
TEST(external_forces)
{
    pinion_model *m = new_model();
    if (!m) return;
    set_up(m, 0, Q | V | A | F_EXT);
    pinion_work *w = pinion_work_new(m);
    CHECK(w && pn_work_use_f64(w, &shortcuts) == PINION_OK);
    WENT_TO(pinion_inverse_dynamics(m, w, q, v, a, f, out), INVERSE);
    CHECK(seen.in[4] == f);
    WENT_TO(pinion_inverse_dynamics(m, w, q, v, a, NULL, out), INVERSE);
    CHECK(seen.in[4] == zeros);
    WENT_TO(pinion_inverse_dynamics(m, w, q, NULL, NULL, f, out), INVERSE);
    CHECK(seen.in[1] == zeros && seen.in[2] == zeros && seen.in[4] == f);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* the model it was made for, as it was then: any edit, and any other model, gets the kernels */
TEST(only_with_the_same_model)
{
    pinion_model *m = new_model();
    if (!m) return;
    set_up(m, 0, Q | V | A);
    pinion_work *w = pinion_work_new(m);
    pinion_model *copy = pinion_model_copy(m);
    CHECK(w && copy && pn_work_use_f64(w, &shortcuts) == PINION_OK);
    WENT_TO(pinion_gravity(m, w, q, out), GRAVITY);
    WENT_TO(pinion_gravity(copy, w, q, out), GRAVITY);

    /* gravity, there and back */
    double g[3];
    pinion_model_gravity(copy, g);
    CHECK_STATUS(pinion_model_set_gravity(copy, (double[]){0, 0, -1.62}), PINION_OK);
    WENT_TO(pinion_gravity(copy, w, q, out), -1);
    WENT_TO(pinion_gravity(m, w, q, out), GRAVITY);
    CHECK_STATUS(pinion_model_set_gravity(copy, (double[]){0, 0, INFINITY}), PINION_ERR_ARGUMENT);
    WENT_TO(pinion_gravity(copy, w, q, out), -1);
    CHECK_STATUS(pinion_model_set_gravity(copy, g), PINION_OK);
    WENT_TO(pinion_gravity(copy, w, q, out), GRAVITY);

    /* a load, and its removal */
    const int link = pinion_model_link_count(copy) - 1;
    pinion_inertia load = {.mass = 1e-9, .inertia = {0}}, none = {.mass = 0};
    CHECK_STATUS(pinion_model_set_payload(copy, link, &load), PINION_OK);
    WENT_TO(pinion_gravity(copy, w, q, out), -1);
    CHECK_STATUS(pinion_model_set_payload(copy, link, &none), PINION_OK);
    WENT_TO(pinion_gravity(copy, w, q, out), GRAVITY);

    /* a model of the same structure with other numbers */
    pinion_model *other = pinion_random_chain(6, 4, NULL);
    CHECK(other != NULL);
    if (other && other->structure == m->structure) WENT_TO(pinion_gravity(other, w, q, out), -1);
    pinion_model_free(other);

    /* none any more */
    CHECK_STATUS(pn_work_use_f64(w, NULL), PINION_OK);
    WENT_TO(pinion_gravity(m, w, q, out), -1);
    pinion_work_free(w);
    pinion_model_free(copy);

    /* of another structure */
    pinion_model *longer = pinion_random_chain(7, 3, NULL);
    w = longer ? pinion_work_new(longer) : NULL;
    CHECK(w != NULL);
    CHECK_STATUS(pn_work_use_f64(w, &shortcuts), PINION_ERR_MISMATCH);
    CHECK_STATUS(pn_work_use_f64(NULL, &shortcuts), PINION_ERR_ARGUMENT);
    pinion_batch *b = longer ? pinion_batch_new(longer, 1) : NULL;
    CHECK_STATUS(pn_batch_use(b, &shortcuts), PINION_ERR_MISMATCH);
    CHECK_STATUS(pn_batch_use(NULL, &shortcuts), PINION_ERR_ARGUMENT);
    pinion_batch_free(b);
    pinion_work_free(w);
    pinion_model_free(longer);
    pinion_model_free(m);
}

/* named frames are part of what frames and Jacobians compute */
TEST(edited_frames)
{
    pinion_builder *b = pinion_builder_new("a");
    CHECK(b != NULL);
    if (!b) return;
    pinion_link_def link = pinion_link_def_default();
    link.name = "base";
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    link.name = "arm";
    link.inertia = (pinion_inertia){.mass = 1, .com = {0.1, 0, 0}, .inertia = {0.1, 0, 0, 0.1, 0, 0.1}};
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    pinion_joint_def joint = pinion_joint_def_default();
    joint.name = "turn";
    joint.type = PINION_JOINT_REVOLUTE;
    joint.parent = "base";
    joint.child = "arm";
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = "tool";
    frame.link = "arm";
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    pinion_builder_free(b);
    CHECK(m != NULL);
    if (!m) return;
    const int tool = pinion_model_find_frame(m, "tool");
    set_up(m, tool, Q | V | A);
    pinion_work *w = pinion_work_new(m);
    CHECK(w && pn_work_use_f64(w, &shortcuts) == PINION_OK);
    WENT_TO(pinion_jacobian(m, w, q, tool, PINION_REFERENCE_WORLD_ALIGNED, out), JACOBIAN);
    pinion_pose pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .position = {0, 0, 1e-12}};
    CHECK_STATUS(pinion_model_set_frame(m, tool, &pose), PINION_OK);
    WENT_TO(pinion_jacobian(m, w, q, tool, PINION_REFERENCE_WORLD_ALIGNED, out), -1);
    pose.position[2] = 0;
    CHECK_STATUS(pinion_model_set_frame(m, tool, &pose), PINION_OK);
    WENT_TO(pinion_jacobian(m, w, q, tool, PINION_REFERENCE_WORLD_ALIGNED, out), JACOBIAN);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* a result in the place of an input: kernels have read it by then, generated functions may not have */
TEST(in_place)
{
    pinion_model *m = new_model();
    if (!m) return;
    set_up(m, 0, Q | V | A);
    pinion_work *w = pinion_work_new(m);
    CHECK(w && pn_work_use_f64(w, &shortcuts) == PINION_OK);
    double before[MOST], state[MOST];
    memcpy(before, v, sizeof before);
    memcpy(state, q, sizeof state);
    WENT_TO(pinion_inverse_dynamics(m, w, q, v, a, NULL, a), -1);
    WENT_TO(pinion_forward_dynamics(m, w, q, v, a, NULL, v), -1);
    memcpy(v, before, sizeof before);
    WENT_TO(pinion_energy(m, w, q, v, 0, more, v), -1);
    memcpy(v, before, sizeof before);
    WENT_TO(pinion_energy(m, w, q, v, 0, more, q), -1);
    memcpy(q, state, sizeof state);
    WENT_TO(pinion_energy(m, w, q, v, 0, more, more + 1), ENERGY);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* what the API says of a state is the same */
TEST(statuses)
{
    pinion_model *m = new_model();
    if (!m) return;
    set_up(m, 0, Q | V | A);
    pinion_work *w = pinion_work_new(m);
    CHECK(w && pn_work_use_f64(w, &shortcuts) == PINION_OK);
    seen_margin = 0;
    CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, a, NULL, out), PINION_ERR_SINGULAR);
    seen_margin = -1;
    CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, a, NULL, out), PINION_ERR_SINGULAR);
    seen.calls = 0;
    CHECK_STATUS(pinion_inverse_dynamics(m, w, NULL, v, a, NULL, out), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_inverse_dynamics(m, w, q, v, a, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_jacobian(m, w, q, -1, PINION_REFERENCE_WORLD_ALIGNED, out), PINION_ERR_ARGUMENT);
    CHECK(seen.calls == 0);
    pinion_work_free(w);
    pinion_model_free(m);

    /* quaternions are checked before */
    m = pinion_random_tree(3, 1, 5, NULL);
    w = m ? pinion_work_new(m) : NULL;
    CHECK(w != NULL);
    if (!w) return;
    set_up(m, 0, Q | V | A);
    CHECK_STATUS(pn_work_use_f64(w, &shortcuts), PINION_OK);
    seen.calls = 0;
    CHECK_STATUS(pinion_gravity(m, w, q, out), PINION_ERR_QUATERNION);
    CHECK(seen.calls == 0);
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(single_precision)
{
    pinion_model *m = new_model();
    if (!m) return;
    set_up(m, 0, Q | V | A);
    pinion_work_f32 *w = pinion_work_f32_new(m);
    CHECK(w && pn_work_use_f32(w, &shortcuts) == PINION_OK);
    WENT_TO(pinion_inverse_dynamics_f32(m, w, q32, v32, a32, NULL, out32), INVERSE);
    CHECK(out32[0] == 100 + INVERSE && seen.in[2] == a32);
    WENT_TO(pinion_forward_dynamics_f32(m, w, q32, v32, a32, NULL, out32), FORWARD);
    WENT_TO(pinion_frames_f32(m, w, q32, out32, more32), FRAMES);
    seen_margin = 0;
    CHECK_STATUS(pinion_forward_dynamics_f32(m, w, q32, v32, a32, NULL, out32), PINION_ERR_SINGULAR);
    CHECK_STATUS(pn_work_use_f32(w, NULL), PINION_OK);
    WENT_TO(pinion_inverse_dynamics_f32(m, w, q32, v32, a32, NULL, out32), -1);
    pinion_work_f32_free(w);
    pinion_model_free(m);
}

/* a call a pack, in both precisions; algorithms that are named and rollouts keep the kernels */
TEST(batches)
{
    pinion_model *m = new_model();
    if (!m) return;
    set_up(m, 0, Q | V | A);
    const size_t nv = (size_t)pinion_model_nv(m);
    pinion_batch *b = pinion_batch_new(m, 1);
    CHECK(b && pn_batch_use(b, &shortcuts) == PINION_OK);
    const size_t count = (size_t)lanes_f64 * 2 + 1;
    seen.calls = 0;
    CHECK_STATUS(pinion_batch_inverse_dynamics(b, count, q, v, a, NULL, out), PINION_OK);
    CHECK(seen.calls == 3 && seen.which == INVERSE);
    for (size_t s = 0; s < count; s++) CHECK(out[s * nv] == 100 + INVERSE);
    seen.calls = 0;
    CHECK_STATUS(pinion_batch_gravity_f32(b, (size_t)lanes_f32 + 1, q32, out32), PINION_OK);
    CHECK(seen.calls == 2 && seen.which == GRAVITY && out32[nv] == 100 + GRAVITY);
    WENT_TO(pinion_batch_forward_dynamics(b, 1, q, NULL, a, NULL, out), FORWARD);
    CHECK(seen.in[1] == zeros);
    WENT_TO(pinion_batch_frames(b, 1, q, out, NULL), FRAMES);
    CHECK(seen.out[1] != NULL);
    WENT_TO(pinion_batch_inverse_dynamics(b, 1, q, v, a, f, out), -1);
    WENT_TO(pinion_batch_inverse_dynamics_by(b, PN_K_rnea - PN_FIRST_ALGORITHM, 1, q, v, a, NULL, out), -1);
    WENT_TO(pinion_batch_mass_matrix_by(b, PN_K_crba - PN_FIRST_ALGORITHM, 1, q, out), -1);
    WENT_TO(pinion_batch_forward_dynamics_by(b, PN_K_aba - PN_FIRST_ALGORITHM, 1, q, v, a, NULL, out), -1);

    /* where every state is singular the results are not numbers */
    seen_margin = 0;
    CHECK_STATUS(pinion_batch_forward_dynamics(b, 1, q, v, a, NULL, out), PINION_ERR_SINGULAR);
    CHECK(isnan(out[0]));
    seen_margin = 1;

    /* an edited model through the same batch */
    pinion_model *copy = pinion_model_copy(m);
    CHECK(copy && pinion_model_set_gravity(copy, (double[]){0, 0, -1}) == PINION_OK);
    CHECK_STATUS(pinion_batch_set_model(b, copy), PINION_OK);
    WENT_TO(pinion_batch_gravity(b, 1, q, out), -1);
    CHECK_STATUS(pinion_batch_set_model(b, m), PINION_OK);
    WENT_TO(pinion_batch_gravity(b, 1, q, out), GRAVITY);
    CHECK_STATUS(pn_batch_use(b, NULL), PINION_OK);
    WENT_TO(pinion_batch_gravity(b, 1, q, out), -1);
    pinion_batch_free(b);
    pinion_model_free(copy);

    /* packs of another width than those that were compiled */
    b = pn_batch_new_with(m, &pn_backend_f64, &pn_backend_f32);
    CHECK(b && pn_batch_use(b, &shortcuts) == PINION_OK);
    if (lanes_f64 > 1) WENT_TO(pinion_batch_gravity(b, 1, q, out), -1);
    pinion_batch_free(b);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(calls_find_their_function);
    RUN(other_calls_keep_the_kernels);
    RUN(external_forces);
    RUN(only_with_the_same_model);
    RUN(edited_frames);
    RUN(in_place);
    RUN(statuses);
    RUN(single_precision);
    RUN(batches);
    return CHECK_END();
}
