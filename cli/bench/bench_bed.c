/* pinion bench: a model with its states, and the memory that calls need. */
#include "cli/bench/bench.h"
#include "src/base/random.h"

#include <stdlib.h>
#include <string.h>

#define NEAR 0.05        /* how far along v the second configuration is, s */
#define AROUND 0.3       /* how far from the initial state configurations with closed loops begin, rad or m */
#define BATCH_N_MAX 500  /* velocities and rows of models whose batches run all algorithms */
#define CLOSING_TIME 2.0 /* s, for closing the loops of all states */

/* ------------------------------------------------------------------------------------------------ */
/* States */

/* Zeros from the beginning of a cache line on, where packs may stay. */
void *pn_cli_bench_take(size_t count, size_t size)
{
    const size_t bytes = count <= PTRDIFF_MAX / 2 / size ? (count * size + 63) / 64 * 64 : 0;
    void *x = bytes ? aligned_alloc(64, bytes) : NULL;
    if (x) memset(x, 0, bytes);
    return x;
}

static int arrays_new(bench_arrays *r, size_t states, size_t nq, size_t nv)
{
    double **const wide[] = {&r->q, &r->v, &r->a, &r->tau, &r->near};
    float **const narrow[] = {&r->q32, &r->v32, &r->a32, &r->tau32, &r->near32};
    int done = 1;
    for (int i = 0; i < 5; i++) {
        const size_t n = (states + BENCH_PACK) * (i == 0 || i == 4 ? nq : nv) + 1;
        *wide[i] = pn_cli_bench_take(n, sizeof(double));
        *narrow[i] = pn_cli_bench_take(n, sizeof(float));
        done = done && *wide[i] && *narrow[i];
    }
    return done;
}

static void arrays_free(bench_arrays *r)
{
    double *const wide[] = {r->q, r->v, r->a, r->tau, r->near};
    float *const narrow[] = {r->q32, r->v32, r->a32, r->tau32, r->near32};
    for (int i = 0; i < 5; i++) {
        free(wide[i]);
        free(narrow[i]);
    }
}

/* A state of a model with loops: near the initial one, with velocities and accelerations that keep the loops.
 */
static pinion_status closed_state(const bench_bed *bed, uint64_t *seed, double *q, double *v, double *a,
                                  const double *tau)
{
    const int nv = pinion_model_nv(bed->m);
    for (int i = 0; i < nv; i++) a[i] = AROUND * pn_random_signed(seed);
    pinion_status status = pinion_initial(bed->m, q, v);
    if (status == PINION_OK) status = pinion_integrate(bed->m, q, a, 1, q);
    if (status == PINION_OK) status = pinion_assemble(bed->m, bed->w, 0, NULL, q, NULL);
    for (int i = 0; i < nv; i++) v[i] = pn_random_signed(seed);
    if (status == PINION_OK) status = pinion_project_velocity(bed->m, bed->w, 0, NULL, q, v);
    if (status == PINION_OK) status = pinion_forward_dynamics(bed->m, bed->w, q, v, tau, NULL, a);
    return status;
}

/* Copies a state of the rows to another place. */
static void repeat(const bench_arrays *r, size_t from, size_t to, size_t nq, size_t nv)
{
    memcpy(r->q + to * nq, r->q + from * nq, nq * sizeof(double));
    memcpy(r->v + to * nv, r->v + from * nv, nv * sizeof(double));
    memcpy(r->a + to * nv, r->a + from * nv, nv * sizeof(double));
    memcpy(r->tau + to * nv, r->tau + from * nv, nv * sizeof(double));
}

/* The states in double, side by side. Where closing loops fails or takes long, those there are come again. */
static pinion_status fill_rows(bench_bed *bed)
{
    const bench_arrays *r = &bed->rows;
    const size_t nq = (size_t)pinion_model_nq(bed->m), nv = (size_t)pinion_model_nv(bed->m);
    const int loops = pinion_model_loop_count(bed->m) > 0;
    const double began = pn_cli_now();
    uint64_t seed = BENCH_SEED;
    pinion_status status = PINION_OK;
    for (size_t tried = 0; tried < bed->states; tried++) {
        const size_t s = bed->distinct;
        double *q = r->q + s * nq, *v = r->v + s * nv, *a = r->a + s * nv, *tau = r->tau + s * nv;
        for (size_t i = 0; i < nv; i++) tau[i] = pn_random_signed(&seed);
        if (loops) {
            status = closed_state(bed, &seed, q, v, a, tau);
        } else {
            for (size_t i = 0; i < nv; i++) {
                v[i] = pn_random_signed(&seed);
                a[i] = pn_random_signed(&seed);
            }
            status = pinion_random(bed->m, BENCH_SEED + s, q);
        }
        bed->distinct += status == PINION_OK;
        if (loops && pn_cli_now() - began > CLOSING_TIME) break;
    }
    if (!bed->distinct) return status;
    for (size_t s = bed->distinct; s < bed->states; s++) repeat(r, s - bed->distinct, s, nq, nv);
    return PINION_OK;
}

/* The second configuration of a state, and where the frame is there: with loops that are closed, so that it
 * can be reached. `q` is room for a configuration. */
static pinion_status fill_near(const bench_bed *bed, size_t s, double *q)
{
    const size_t nq = (size_t)bed->nq, nv = (size_t)bed->nv;
    double *near = bed->rows.near + s * nq;
    pinion_pose *target = &bed->target[s];
    pinion_status status = pinion_integrate(bed->m, bed->rows.q + s * nq, bed->rows.v + s * nv, NEAR, near);
    if (status != PINION_OK) return status;
    memcpy(q, near, nq * sizeof *q);
    if (pinion_model_loop_count(bed->m) && pinion_assemble(bed->m, bed->w, 0, NULL, q, NULL) != PINION_OK)
        memcpy(q, bed->rows.q + s * nq, nq * sizeof *q);
    return pinion_frame_pose(bed->m, bed->w, q, bed->frame, target->position, target->rotation);
}

/* The second configurations, and everything in single precision. */
static pinion_status fill_rest(bench_bed *bed)
{
    const bench_arrays *r = &bed->rows;
    const size_t nq = (size_t)bed->nq, nv = (size_t)bed->nv;
    double *room = malloc((nq + 1) * sizeof *room);
    pinion_status status = room ? PINION_OK : PINION_ERR_MEMORY;
    for (size_t s = 0; s < bed->states && status == PINION_OK; s++) status = fill_near(bed, s, room);
    for (size_t i = 0; i < bed->states * nq; i++) {
        r->q32[i] = (float)r->q[i];
        r->near32[i] = (float)r->near[i];
    }
    for (size_t i = 0; i < bed->states * nv; i++) {
        r->v32[i] = (float)r->v[i];
        r->a32[i] = (float)r->a[i];
        r->tau32[i] = (float)r->tau[i];
    }
    free(room);
    return status;
}

/* where number i of n of a state is in a layout */
static size_t place(pinion_layout layout, size_t states, size_t lanes, size_t s, size_t i, size_t n)
{
    if (layout == PINION_LAYOUT_COLUMNS) return i * states + s;
    return (s / lanes * n + i) * lanes + s % lanes;
}

static void fill_one(const bench_bed *bed, pinion_layout layout, const double *from, const float *from32, double *to,
                     float *to32, size_t n)
{
    const size_t lanes = (size_t)pinion_batch_lanes(bed->one), lanes32 = (size_t)pinion_batch_lanes_f32(bed->one);
    for (size_t s = 0; s < bed->states; s++)
        for (size_t i = 0; i < n; i++) {
            to[place(layout, bed->states, lanes, s, i, n)] = from[s * n + i];
            to32[place(layout, bed->states, lanes32, s, i, n)] = from32[s * n + i];
        }
}

/* the states in another layout than rows */
static void fill_laid(bench_bed *bed, pinion_layout layout)
{
    const bench_arrays *r = &bed->rows, *c = &bed->laid[layout];
    const size_t nq = (size_t)bed->nq, nv = (size_t)bed->nv;
    fill_one(bed, layout, r->q, r->q32, c->q, c->q32, nq);
    fill_one(bed, layout, r->near, r->near32, c->near, c->near32, nq);
    fill_one(bed, layout, r->v, r->v32, c->v, c->v32, nv);
    fill_one(bed, layout, r->a, r->a32, c->a, c->a32, nv);
    fill_one(bed, layout, r->tau, r->tau32, c->tau, c->tau32, nv);
}

/* ------------------------------------------------------------------------------------------------ */

/* How many joints carry a body. */
static int depth(const pinion_model *m, int body)
{
    int deep = 0;
    pinion_body_info info;
    for (; body > 0 && pinion_model_body(m, body, &info) == PINION_OK; body = info.parent) deep++;
    return deep;
}

/* The frame that most joints carry, the last one of those: a tool rather than a base. */
static int deepest_frame(const pinion_model *m)
{
    int best = 0, deepest = -1, known_body = -1, known_depth = 0;
    for (int i = 0; i < pinion_model_frame_count(m); i++) {
        pinion_frame_info frame;
        if (pinion_model_frame(m, i, &frame) != PINION_OK) continue;
        if (frame.body != known_body) known_depth = depth(m, frame.body);
        known_body = frame.body;
        if (known_depth < deepest) continue;
        deepest = known_depth;
        best = i;
    }
    return best;
}

/* Batches on one thread, on all, and in other layouts; what cannot be made is left out. Most algorithms take n^2 and
 * more numbers a lane, so that in batches of large models they are left out. */
static int new_batches(bench_bed *bed)
{
    const int n = bed->nv + pinion_model_row_count(bed->m);
    bed->all_batches = n <= BATCH_N_MAX;
    bed->one = pinion_batch_new(bed->m, 1);
    bed->many = bed->threads > 1 ? pinion_batch_new(bed->m, bed->threads) : NULL;
    int good = 1;
    for (int k = PINION_LAYOUT_COLUMNS; bed->one && k < BENCH_LAYOUTS; k++) {
        bed->other[k] = pinion_batch_new(bed->m, 1);
        good = good && (!bed->other[k] || pinion_batch_set_layout(bed->other[k], (pinion_layout)k) == PINION_OK);
    }
    return good;
}

/* The model as it starts, on a ground; without a scene where nothing touches there, or there is none. */
static void stand(bench_bed *bed)
{
    pinion_error why;
    pinion_scene_options o = pinion_scene_options_default();
    o.ground = 1;
    o.solver.least_norm = 0;
    bed->stand = calloc((size_t)bed->nq + 2 * (size_t)bed->nv + 1, sizeof *bed->stand);
    bed->scene = bed->stand && pinion_model_collision_count(bed->m) ? pinion_scene_new(bed->m, &o, &why) : NULL;
    if (!bed->scene) return;
    double *q = bed->stand, *tau = q + bed->nq, *v = tau + bed->nv;
    if (pinion_initial(bed->m, q, v) == PINION_OK && pinion_gravity(bed->m, bed->w, q, tau) == PINION_OK &&
        pinion_scene_find(bed->scene, bed->w, q) == PINION_OK && pinion_scene_count(bed->scene) > 0) {
        pinion_joint_info j;
        for (int i = 0; pinion_model_joint(bed->m, i, &j) == PINION_OK; i++) /* a base is not held */
            for (int k = 0; k < j.nv && j.type == PINION_JOINT_FREE; k++) tau[j.v_index + k] = 0;
        return;
    }
    pinion_scene_free(bed->scene);
    bed->scene = NULL;
}

int pn_cli_bench_bed(bench_bed *bed, const pinion_model *m, size_t states, int threads, pinion_error *err)
{
    memset(bed, 0, sizeof *bed);
    *err = (pinion_error){PINION_ERR_MEMORY, 0, 0, "out of memory"};
    bed->m = m;
    bed->nq = pinion_model_nq(m);
    bed->nv = pinion_model_nv(m);
    bed->states = states;
    bed->threads = threads;
    bed->frame = deepest_frame(m);

    /* memory; some algorithms need n^2 and more, and take it when they are timed */
    const size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m);
    int good = arrays_new(&bed->rows, states, nq, nv);
    for (int k = PINION_LAYOUT_COLUMNS; k < BENCH_LAYOUTS; k++)
        good = good && arrays_new(&bed->laid[k], states, nq, nv);
    if (!good) return 0;
    bed->target = calloc(states, sizeof *bed->target);
    const size_t forces = 6 * (states + BENCH_PACK);
    bed->force = pn_cli_bench_take(forces, sizeof *bed->force);
    bed->force32 = pn_cli_bench_take(forces, sizeof *bed->force32);
    for (size_t i = 0; bed->force && bed->force32 && i < forces; i++) bed->force[i] = bed->force32[i] = 1;
    bed->w = pinion_work_new(m);
    bed->w32 = pinion_work_f32_new(m);
    if (!bed->target || !bed->force || !bed->force32 || !bed->w || !bed->w32) return 0;

    if (!new_batches(bed)) return 0;
    pinion_error why = {PINION_OK, 0, 0, ""};
    bed->sparse = pinion_sparse_new(m, &why);
    snprintf(bed->sparse_why, sizeof bed->sparse_why, "%.190s", why.message);

    stand(bed);

    err->status = fill_rows(bed);
    if (err->status == PINION_OK) err->status = fill_rest(bed);
    if (err->status != PINION_OK) {
        snprintf(err->message, sizeof err->message, "no states to time: %.200s",
                 pinion_work_message(bed->w));
        return 0;
    }
    for (int k = PINION_LAYOUT_COLUMNS; bed->one && k < BENCH_LAYOUTS; k++) fill_laid(bed, (pinion_layout)k);
    return 1;
}

void pn_cli_bench_bed_free(bench_bed *bed)
{
    arrays_free(&bed->rows);
    for (int k = 0; k < BENCH_LAYOUTS; k++) arrays_free(&bed->laid[k]);
    free(bed->target);
    free(bed->force);
    free(bed->force32);
    pinion_work_free(bed->w);
    pinion_work_f32_free(bed->w32);
    pinion_batch_free(bed->one);
    pinion_batch_free(bed->many);
    for (int k = 0; k < BENCH_LAYOUTS; k++) pinion_batch_free(bed->other[k]);
    pinion_sparse_free(bed->sparse);
    pinion_scene_free(bed->scene);
    free(bed->stand);
    memset(bed, 0, sizeof *bed);
}
