// Pinion: single calls and batches, in double and single precision, on one thread and on all; and the same with code
// that was generated for the robot, where it is small enough for straight lines. Compiled with PEER_NO_GENERATED it
// does without: for a library that cannot generate.
#include "peer.h"

#include <pinion/pinion.h>
#ifndef PEER_NO_GENERATED
#include <pinion/codegen.h>
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct ours {
    peer_robot *r;
    pinion_model *model; // a link a body
    pinion_model *tool;  // the same and the tool frame, for the Jacobian
    int frames, base;    // base: links that are no body's, 1 when the base is fixed
    pinion_work *work, *work_tool;
    pinion_work_f32 *work_f32, *work_tool_f32;
    pinion_batch *batch[3], *batch_tool[3]; // on one thread, on two, on all
    int threads[3];
    pinion_work *generated, *generated_tool; // those that use generated code; NULL: none
    pinion_batch *generated_batch, *generated_batch_tool;
    pinion_batch *packs[2], *packs_tool[2]; // on one thread with arrays in packs; general, generated
    int has_generated[PEER_WORKS];
#ifndef PEER_NO_GENERATED
    pinion_compiled *code, *code_tool;
#endif
    float *q, *v, *a, *tau; // the states in single precision
    double *packed[4];      // and in packs: q, v, a, tau
    double *out;            // what a run wrote, in either precision
    size_t size;            // of out, in bytes
    const peer_variant *ready; // what `out` is prepared for; NULL: nothing
    int failed;
} ours;

static void *allocate(size_t count, size_t size)
{
    // whole cache lines, because batches care for alignment as their callers would
    size_t bytes = (count * size + 63) / 64 * 64;
    void *p = aligned_alloc(64, bytes ? bytes : 64);
    if (!p) peer_fail("out of memory");
    return p;
}

// ---------------------------------------------------------------------------------------------
// The model

static void add_body(pinion_builder *b, const peer_robot *r, int index)
{
    static const pinion_joint_type type[] = {PINION_JOINT_FREE, PINION_JOINT_REVOLUTE, PINION_JOINT_CONTINUOUS,
                                             PINION_JOINT_PRISMATIC};
    const peer_body *p = &r->body[index];
    pinion_error err;
    char joint[160];
    snprintf(joint, sizeof joint, "joint %s", p->name);
    pinion_link_def link = pinion_link_def_default();
    link.name = p->name;
    link.inertia.mass = p->mass;
    memcpy(link.inertia.com, p->com, sizeof p->com);
    memcpy(link.inertia.inertia, p->inertia, sizeof p->inertia);
    if (pinion_builder_add_link(b, &link, &err)) peer_fail(err.message);
    if (p->type == PEER_FREE) return; // the load option makes its joint

    pinion_joint_def def = pinion_joint_def_default();
    def.name = joint;
    def.type = type[p->type];
    def.parent = p->parent < 0 ? "base" : r->body[p->parent].name;
    def.child = p->name;
    memcpy(def.parent_pose.position, p->position, sizeof p->position);
    memcpy(def.parent_pose.rotation, p->rotation, sizeof p->rotation);
    for (int k = 0; k < 3; k++) def.axis[k] = k == p->axis;
    if (pinion_builder_add_joint(b, &def, &err)) peer_fail(err.message);
}

static pinion_model *build(const peer_robot *r, int with_tool)
{
    pinion_error err;
    pinion_builder *b = pinion_builder_new("peer");
    int base_free = r->body[0].type == PEER_FREE;
    pinion_link_def base = pinion_link_def_default();
    base.name = "base";
    if (!b || pinion_builder_set_gravity(b, r->gravity, &err)) peer_fail("the builder refuses");
    if (!base_free && pinion_builder_add_link(b, &base, &err)) peer_fail(err.message);
    for (int i = 0; i < r->bodies; i++) add_body(b, r, i);

    pinion_frame_def tool = pinion_frame_def_default();
    tool.name = "tool";
    tool.link = r->body[r->tool].name;
    memcpy(tool.pose.position, r->tool_position, sizeof tool.pose.position);
    memcpy(tool.pose.rotation, r->tool_rotation, sizeof tool.pose.rotation);
    if (with_tool && pinion_builder_add_frame(b, &tool, &err)) peer_fail(err.message);

    pinion_load_options options = pinion_load_options_default();
    options.root = base_free ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
    pinion_model *m = pinion_builder_build(b, &options, &err);
    if (!m) peer_fail(err.message);
    pinion_builder_free(b);
    return m;
}

// ---------------------------------------------------------------------------------------------
// Runs. The size of one result is the same in all precisions; a batch's results lie one after the other, for
// the kinematics all positions before all rotations, for derivatives all those by q before those by v.

static pinion_reference reference(const peer_variant *variant)
{
    return variant->local ? PINION_REFERENCE_LOCAL : PINION_REFERENCE_WORLD_ALIGNED;
}

static int is_generated(const peer_variant *variant)
{
    return variant->mode[0] == 'g';
}

static int is_packed(const peer_variant *variant)
{
    return strstr(variant->mode, "packs") != NULL;
}

// Zeros that the tree's structure leaves in M, in derivatives of inverse dynamics and in Jacobians are the caller's to
// write once, as in the libraries beside: Pinocchio asks for zeroed matrices. Our batches have them from the start,
// calls write them. Pinocchio's regressor writes them, too, and so do our rows of it, but not packs.
static void prepare(ours *o, const peer_variant *variant)
{
    if (o->ready == variant) return;
    int w = variant->work, failed = 0;
    int keep = w == PEER_MASS_MATRIX || w == PEER_D_INVERSE_DYNAMICS || w == PEER_JACOBIAN ||
               (w == PEER_REGRESSOR && is_packed(variant));
    pinion_batch *batches[] = {o->batch[0],      o->batch[1],           o->batch[2],        o->batch_tool[0],
                               o->batch_tool[1], o->batch_tool[2],      o->packs[0],        o->packs[1],
                               o->packs_tool[0], o->packs_tool[1],      o->generated_batch, o->generated_batch_tool};
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
        if (batches[i]) failed |= pinion_batch_keep_zeros(batches[i], keep);
    if (failed) peer_fail("zeros cannot be kept");
    memset(o->out, 0, o->size);
    o->ready = variant;
}

static void run_call(void *self, const peer_variant *variant, int first, int count)
{
    ours *o = self;
    prepare(o, variant);
    const pinion_model *m = o->model;
    pinion_work *w = is_generated(variant) ? o->generated : o->work;
    pinion_work *w_tool = is_generated(variant) ? o->generated_tool : o->work_tool;
    size_t nq = (size_t)o->r->nq, nv = (size_t)o->r->nv;
    int tool = o->frames, failed = 0;
    double *out = o->out, *second = out + nv * nv, *third = second + nv * nv;
    static const double along[18] = {[3] = 1, [10] = 1, [17] = 1}, none[3] = {0};
    const pinion_constrained_derivatives constrained = {out, second, third, NULL, NULL, NULL};
    for (size_t s = (size_t)first; s < (size_t)(first + count); s++) {
        const double *q = o->r->q + s * nq, *v = o->r->v + s * nv;
        switch (variant->work) {
        case PEER_INVERSE_DYNAMICS:
            failed |= pinion_inverse_dynamics(m, w, q, v, o->r->a + s * nv, NULL, out);
            break;
        case PEER_MASS_MATRIX: failed |= pinion_mass_matrix(m, w, q, out); break;
        case PEER_FORWARD_DYNAMICS:
            failed |= pinion_forward_dynamics(m, w, q, v, o->r->tau + s * nv, NULL, out);
            break;
        case PEER_KINEMATICS: failed |= pinion_frames(m, w, q, out, out + 3 * o->frames); break;
        case PEER_D_INVERSE_DYNAMICS:
            failed |= pinion_d_inverse_dynamics(m, w, q, v, o->r->a + s * nv, NULL, out, second, third);
            break;
        case PEER_D_FORWARD_DYNAMICS:
            failed |= pinion_d_forward_dynamics(m, w, q, v, o->r->tau + s * nv, NULL, out, second, third);
            break;
        case PEER_REGRESSOR: failed |= pinion_regressor(m, w, q, v, o->r->a + s * nv, out); break;
        case PEER_D_CONSTRAINED:
            failed |= pinion_d_constrained_forward_dynamics(o->tool, w_tool, q, v, o->r->tau + s * nv, NULL, tool,
                                                            PINION_ACCELERATION_CLASSICAL, 3, along, none,
                                                            &constrained);
            break;
        default: failed |= pinion_jacobian(o->tool, w_tool, q, tool, reference(variant), out);
        }
        peer_escape(out);
    }
    o->failed = failed;
}

static void run_call_f32(void *self, const peer_variant *variant, int first, int count)
{
    ours *o = self;
    prepare(o, variant);
    const pinion_model *m = o->model;
    pinion_work_f32 *w = o->work_f32;
    size_t nq = (size_t)o->r->nq, nv = (size_t)o->r->nv;
    int tool = o->frames, failed = 0;
    float *out = (float *)o->out, *second = out + nv * nv, *third = second + nv * nv;
    for (size_t s = (size_t)first; s < (size_t)(first + count); s++) {
        const float *q = o->q + s * nq, *v = o->v + s * nv;
        switch (variant->work) {
        case PEER_INVERSE_DYNAMICS:
            failed |= pinion_inverse_dynamics_f32(m, w, q, v, o->a + s * nv, NULL, out);
            break;
        case PEER_MASS_MATRIX: failed |= pinion_mass_matrix_f32(m, w, q, out); break;
        case PEER_FORWARD_DYNAMICS:
            failed |= pinion_forward_dynamics_f32(m, w, q, v, o->tau + s * nv, NULL, out);
            break;
        case PEER_KINEMATICS: failed |= pinion_frames_f32(m, w, q, out, out + 3 * o->frames); break;
        case PEER_D_INVERSE_DYNAMICS:
            failed |= pinion_d_inverse_dynamics_f32(m, w, q, v, o->a + s * nv, NULL, out, second, third);
            break;
        case PEER_D_FORWARD_DYNAMICS:
            failed |= pinion_d_forward_dynamics_f32(m, w, q, v, o->tau + s * nv, NULL, out, second, third);
            break;
        case PEER_REGRESSOR: failed |= pinion_regressor_f32(m, w, q, v, o->a + s * nv, out); break;
        default: failed |= pinion_jacobian_f32(o->tool, o->work_tool_f32, q, tool, reference(variant), out);
        }
        peer_escape(out);
    }
    o->failed = failed;
}

static pinion_batch *batch_of(const ours *o, const peer_variant *variant)
{
    int with_tool = variant->work == PEER_JACOBIAN, k = 0;
    if (is_packed(variant)) return (with_tool ? o->packs_tool : o->packs)[is_generated(variant)];
    if (is_generated(variant)) return with_tool ? o->generated_batch_tool : o->generated_batch;
    while (k < 2 && o->threads[k] != variant->threads) k++;
    return with_tool ? o->batch_tool[k] : o->batch[k];
}

static void run_batch(void *self, const peer_variant *variant, int first, int count)
{
    ours *o = self;
    prepare(o, variant);
    peer_robot *r = o->r;
    pinion_batch *b = batch_of(o, variant);
    size_t n = (size_t)count, nq = (size_t)r->nq, nv = (size_t)r->nv, s = (size_t)first;
    size_t all = pinion_batch_array_size(b, n, nv * nv);
    size_t positions = pinion_batch_array_size(b, n, 3 * (size_t)o->frames);
    int packed = is_packed(variant); // these begin with state 0
    const double *q = packed ? o->packed[0] : r->q + s * nq, *v = packed ? o->packed[1] : r->v + s * nv;
    const double *a = packed ? o->packed[2] : r->a + s * nv, *tau = packed ? o->packed[3] : r->tau + s * nv;
    double *out = o->out;
    int failed = 0;
    switch (variant->work) {
    case PEER_INVERSE_DYNAMICS: failed = pinion_batch_inverse_dynamics(b, n, q, v, a, NULL, out); break;
    case PEER_MASS_MATRIX: failed = pinion_batch_mass_matrix(b, n, q, out); break;
    case PEER_FORWARD_DYNAMICS: failed = pinion_batch_forward_dynamics(b, n, q, v, tau, NULL, out); break;
    case PEER_KINEMATICS: failed = pinion_batch_frames(b, n, q, out, out + positions); break;
    case PEER_D_INVERSE_DYNAMICS:
        failed = pinion_batch_d_inverse_dynamics(b, n, q, v, a, NULL, out, out + all, out + 2 * all);
        break;
    case PEER_D_FORWARD_DYNAMICS:
        failed = pinion_batch_d_forward_dynamics(b, n, q, v, tau, NULL, out, out + all, out + 2 * all);
        break;
    case PEER_REGRESSOR: failed = pinion_batch_regressor(b, n, q, v, a, out); break;
    default: failed = pinion_batch_jacobian(b, n, q, o->frames, reference(variant), out);
    }
    peer_escape(out);
    o->failed = failed;
}

static void run_batch_f32(void *self, const peer_variant *variant, int first, int count)
{
    ours *o = self;
    prepare(o, variant);
    pinion_batch *b = batch_of(o, variant);
    size_t n = (size_t)count, nq = (size_t)o->r->nq, nv = (size_t)o->r->nv, s = (size_t)first, all = n * nv * nv;
    const float *q = o->q + s * nq, *v = o->v + s * nv;
    float *out = (float *)o->out;
    int failed = 0;
    switch (variant->work) {
    case PEER_INVERSE_DYNAMICS:
        failed = pinion_batch_inverse_dynamics_f32(b, n, q, v, o->a + s * nv, NULL, out);
        break;
    case PEER_MASS_MATRIX: failed = pinion_batch_mass_matrix_f32(b, n, q, out); break;
    case PEER_FORWARD_DYNAMICS:
        failed = pinion_batch_forward_dynamics_f32(b, n, q, v, o->tau + s * nv, NULL, out);
        break;
    case PEER_KINEMATICS:
        failed = pinion_batch_frames_f32(b, n, q, out, out + 3 * n * (size_t)o->frames);
        break;
    case PEER_D_INVERSE_DYNAMICS:
        failed = pinion_batch_d_inverse_dynamics_f32(b, n, q, v, o->a + s * nv, NULL, out, out + all, out + 2 * all);
        break;
    case PEER_D_FORWARD_DYNAMICS:
        failed = pinion_batch_d_forward_dynamics_f32(b, n, q, v, o->tau + s * nv, NULL, out, out + all, out + 2 * all);
        break;
    case PEER_REGRESSOR: failed = pinion_batch_regressor_f32(b, n, q, v, o->a + s * nv, out); break;
    default: failed = pinion_batch_jacobian_f32(b, n, q, o->frames, reference(variant), out);
    }
    peer_escape(out);
    o->failed = failed;
}

// number i of a state with n of them, in an array that begins at `from`
static double number(const ours *o, const peer_variant *variant, size_t from, size_t state, size_t i, size_t n)
{
    const size_t lanes = (size_t)pinion_batch_lanes(o->packs[0]);
    size_t index = from + state * n + i;
    if (is_packed(variant)) index = from + (state / lanes * n + i) * lanes + state % lanes;
    return variant->scalar[1] == '6' ? o->out[index] : (double)((const float *)o->out)[index];
}

// A call leaves its one result in front, a batch those of all states. They are wiped out then, because the
// next variant of the work leaves the same numbers at the same places.
static void result(void *self, const peer_variant *variant, int state, double *out)
{
    ours *o = self;
    size_t row = variant->batch ? (size_t)state : 0, rows = variant->batch ? (size_t)variant->batch : 1;
    size_t size = peer_size(o->r, variant->work), frames = (size_t)o->frames, base = (size_t)o->base;
    int poses = variant->work == PEER_KINEMATICS;
    // how many arrays of equal size a result is in
    size_t arrays = variant->work == PEER_D_INVERSE_DYNAMICS || variant->work == PEER_D_FORWARD_DYNAMICS ? 3 : 1;
    size_t each = size / arrays, room = rows; // for so many states, whole packs of them
    if (is_packed(variant)) room = pinion_batch_array_size(o->packs[0], rows, 1);
    if (o->failed) return; // what was not written is noticed
    for (size_t i = 0; !poses && i < size; i++)
        out[i] = number(o, variant, i / each * room * each, row, i % each, each);
    for (size_t i = 0; poses && i < frames - base; i++) {
        size_t frame = base + i;
        for (size_t k = 0; k < 3; k++) out[12 * i + k] = number(o, variant, 0, row, 3 * frame + k, 3 * frames);
        for (size_t k = 0; k < 9; k++)
            out[12 * i + 3 + k] = number(o, variant, 3 * room * frames, row, 9 * frame + k, 9 * frames);
    }
    memset(o->out, 0xff, o->size); // NaN
    o->ready = NULL;
}

// ---------------------------------------------------------------------------------------------

static float *single(const double *x, size_t n)
{
    float *y = allocate(n, sizeof *y);
    for (size_t i = 0; i < n; i++) y[i] = (float)x[i];
    return y;
}

static double *aligned(double *x, size_t n)
{
    double *y = allocate(n, sizeof *y);
    memcpy(y, x, n * sizeof *y);
    free(x);
    return y;
}

static pinion_batch *packed_batch(const pinion_model *m)
{
    pinion_batch *b = pinion_batch_new(m, 1);
    if (!b || pinion_batch_set_layout(b, PINION_LAYOUT_PACKS)) peer_fail("out of memory");
    return b;
}

// the states of an array in whole packs
static double *packed(const ours *o, const double *x, size_t n)
{
    const size_t states = (size_t)o->r->states, lanes = (size_t)pinion_batch_lanes(o->packs[0]);
    double *y = allocate(pinion_batch_array_size(o->packs[0], states, n), sizeof *y);
    for (size_t s = 0; s < states; s++)
        for (size_t i = 0; i < n; i++) y[(s / lanes * n + i) * lanes + s % lanes] = x[s * n + i];
    return y;
}

static void open_packs(ours *o)
{
    const size_t nq = (size_t)o->r->nq, nv = (size_t)o->r->nv;
    for (int k = 0; k < 2; k++) {
        o->packs[k] = packed_batch(o->model);
        o->packs_tool[k] = packed_batch(o->tool);
    }
    o->packed[0] = packed(o, o->r->q, nq);
    o->packed[1] = packed(o, o->r->v, nv);
    o->packed[2] = packed(o, o->r->a, nv);
    o->packed[3] = packed(o, o->r->tau, nv);
}

static void open_ours(ours *o, peer_robot *r, int cores)
{
    o->r = r;
    o->model = build(r, 0);
    o->tool = build(r, 1);
    o->frames = pinion_model_frame_count(o->model);
    o->base = o->frames - r->bodies;
    o->work = pinion_work_new(o->model);
    o->work_tool = pinion_work_new(o->tool);
    o->work_f32 = pinion_work_f32_new(o->model);
    o->work_tool_f32 = pinion_work_f32_new(o->tool);
    for (int k = 0; k < 3; k++) {
        o->threads[k] = k == 2 || cores < k + 1 ? cores : k + 1;
        o->batch[k] = pinion_batch_new(o->model, o->threads[k]);
        o->batch_tool[k] = pinion_batch_new(o->tool, o->threads[k]);
        if (!o->batch[k] || !o->batch_tool[k]) peer_fail("out of memory");
    }
    if (!o->work || !o->work_tool || !o->work_f32 || !o->work_tool_f32) peer_fail("out of memory");
    size_t nq = (size_t)(r->states * r->nq), nv = (size_t)(r->states * r->nv);
    r->q = aligned(r->q, nq);
    r->v = aligned(r->v, nv);
    r->a = aligned(r->a, nv);
    r->tau = aligned(r->tau, nv);
    o->q = single(r->q, nq);
    o->v = single(r->v, nv);
    o->a = single(r->a, nv);
    o->tau = single(r->tau, nv);
}

#ifndef PEER_NO_GENERATED
static const char *const quantity_of[PEER_WORKS] = {
    "inverse_dynamics",   "mass_matrix", "forward_dynamics", "frames", "d_inverse_dynamics",
    "d_forward_dynamics", "regressor",   NULL,               "jacobian:tool"};

// Which of the works [from, to) have straight-line code for a model; others are absent, with the reason. Writes their
// quantities as a list. PEER_WITHOUT is what names of works begin with that are left out: a test's, which cannot wait.
static void find_straight(ours *o, const pinion_model *m, int from, int to, char *list, size_t size)
{
    pinion_error err;
    pinion_codegen_options options = pinion_codegen_options_default();
    const char *without = getenv("PEER_WITHOUT");
    list[0] = 0;
    for (int w = from; w < to; w++) {
        if (!quantity_of[w]) continue;
        if (without && *without && strncmp(quantity_of[w], without, strlen(without)) == 0) continue;
        pinion_generated_function info = {0};
        options.what = quantity_of[w];
        pinion_generated *g = pinion_codegen(m, &options, &err);
        if (g && pinion_generated_function_info(g, 0, &info)) peer_fail("code without a function");
        o->has_generated[w] = g && !info.loops;
        if (!g) peer_absent((enum peer_work)w, err.message);
        if (info.loops) peer_absent((enum peer_work)w, "generated code of this size has loops and is not measured");
        if (o->has_generated[w]) {
            size_t length = strlen(list);
            snprintf(list + length, size - length, "%s%s", length ? "," : "", quantity_of[w]);
        }
        pinion_generated_free(g);
    }
}

// The compiled code of the works [from, to), as far as they have straight-line code; NULL: none.
static pinion_compiled *generate(ours *o, const pinion_model *m, int from, int to)
{
    char list[512];
    pinion_error err;
    pinion_codegen_options options = pinion_codegen_options_default();
    find_straight(o, m, from, to, list, sizeof list);
    if (!list[0]) return NULL;
    options.what = list;
    pinion_compiled *code = pinion_codegen_compile(m, &options, NULL, &err);
    for (int w = from; !code && w < to; w++) {
        if (o->has_generated[w]) peer_absent((enum peer_work)w, err.message);
        o->has_generated[w] = 0;
    }
    return code;
}

static void open_generated(ours *o)
{
    o->code = generate(o, o->model, 0, PEER_JACOBIAN);
    o->code_tool = generate(o, o->tool, PEER_JACOBIAN, PEER_WORKS);
    o->generated = pinion_work_new(o->model);
    o->generated_tool = pinion_work_new(o->tool);
    o->generated_batch = pinion_batch_new(o->model, 1);
    o->generated_batch_tool = pinion_batch_new(o->tool, 1);
    if (!o->generated || !o->generated_tool || !o->generated_batch || !o->generated_batch_tool)
        peer_fail("out of memory");
    if (pinion_work_use(o->generated, o->code) || pinion_work_use(o->generated_tool, o->code_tool) ||
        pinion_batch_use(o->generated_batch, o->code) || pinion_batch_use(o->generated_batch_tool, o->code_tool) ||
        pinion_batch_use(o->packs[1], o->code) || pinion_batch_use(o->packs_tool[1], o->code_tool))
        peer_fail("the generated code does not fit its own model");
}
#else
static void open_generated(ours *o)
{
    for (int w = 0; w < PEER_WORKS; w++) o->has_generated[w] = 0;
}
#endif

enum { CALL, BATCH, PACKS };

// One way to do a work: generated or general, as a call or a batch in rows or packs, in either precision, on so many
// threads.
static peer_variant variant_of(const ours *o, int w, int generated, int way, int f32, int threads)
{
    static const char *const name[2][PEER_WORKS + 1] = {
        {"pinion_inverse_dynamics", "pinion_mass_matrix", "pinion_forward_dynamics", "pinion_frames",
         "pinion_d_inverse_dynamics", "pinion_d_forward_dynamics", "pinion_regressor",
         "pinion_d_constrained_forward_dynamics", "pinion_jacobian WORLD_ALIGNED", "pinion_jacobian LOCAL"},
        {"pinion_batch_inverse_dynamics", "pinion_batch_mass_matrix", "pinion_batch_forward_dynamics",
         "pinion_batch_frames", "pinion_batch_d_inverse_dynamics", "pinion_batch_d_forward_dynamics",
         "pinion_batch_regressor", NULL, "pinion_batch_jacobian WORLD_ALIGNED", "pinion_batch_jacobian LOCAL"}};
    static const char *const mode[2][3] = {{"call", "batch", "batch-packs"},
                                           {"generated", "generated-batch", "generated-packs"}};
    int local = w == PEER_WORKS, batch = way != CALL;
    peer_variant x = {(enum peer_work)(w - local),
                      mode[generated][way],
                      f32 ? "f32" : "f64",
                      threads,
                      name[batch][w],
                      batch ? (f32 ? run_batch_f32 : run_batch) : (f32 ? run_call_f32 : run_call),
                      result,
                      0,
                      local};
    if (batch) x.batch = peer_batch(o->r, x.work, f32 ? 4 : 8, x.threads);
    return x;
}

// Every work as a call and as a batch, in both precisions, the batch on one thread, on two and on all; Jacobians in the
// world's axes and in the tool's. Batches in packs in double, on one thread. Generated code as a call in double, as a
// batch in both precisions, and in packs.
static int list_variants(const ours *o, peer_variant *variant, size_t *largest)
{
    int variants = 0;
    const int held = peer_holds_tool(o->r);
    if (!held) peer_absent(PEER_D_CONSTRAINED, "its joints cannot keep the tool frame from accelerating");
    for (int w = 0; w <= PEER_WORKS; w++) {
        if (w == PEER_D_CONSTRAINED && !held) continue;
        for (int k = 0; k < 8; k++) {
            int way = k >= 2 ? BATCH : CALL, who = k >= 2 ? k / 2 - 1 : 0;
            if (who > 0 && o->threads[who] == o->threads[who - 1]) continue;
            if (w == PEER_D_CONSTRAINED && k > 0) continue; /* a call in double precision is all there is */
            variant[variants++] = variant_of(o, w, 0, way, k % 2, o->threads[who]);
        }
        if (w != PEER_D_CONSTRAINED) variant[variants++] = variant_of(o, w, 0, PACKS, 0, 1);
        for (int k = 0; w < PEER_WORKS && o->has_generated[w] && k < 4; k++)
            variant[variants++] = variant_of(o, w, 1, k == 0 ? CALL : k == 3 ? PACKS : BATCH, k == 2, 1);
    }

    *largest = 0;
    for (int i = 0; i < variants; i++) {
        // the base is a frame more than there are bodies
        size_t states = variant[i].batch ? pinion_batch_array_size(o->packs[0], (size_t)variant[i].batch, 1) : 1;
        size_t size = (peer_size(o->r, variant[i].work) + 12) * states;
        if (size > *largest) *largest = size;
    }
    return variants;
}

int main(int argc, char **argv)
{
    peer_robot *r = peer_read(argc, argv);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    static ours o;
    static peer_variant variant[(PEER_WORKS + 1) * 9 + PEER_WORKS * 4];
    size_t largest;
    open_ours(&o, r, cores < 1 ? 1 : (int)cores);
    open_packs(&o);
    open_generated(&o);
    int variants = list_variants(&o, variant, &largest);
    o.out = allocate(largest, sizeof *o.out);
    o.size = largest * sizeof *o.out;
    memset(o.out, 0xff, o.size);
    printf("isa %s\n", pinion_batch_isa(o.batch[0]));
    return peer_serve(r, "pinion", PINION_VERSION, variant, variants, &o);
}
