/* Generated functions against the general kernels, before anyone uses them.
 *
 * The kernels in double are the measure. Both compute the same functions in another order, so they differ by rounding:
 * by what the result moves by when each number that goes in, of the state and of the model, moves by some units in its
 * last place. How many grows with the number of operations; how much the result moves by is measured: by the kernels
 * themselves, with every input and every constant of the model moved by a thousandth of a thousandth of itself. The
 * change over that is the result's sensitivity. It is large where M is badly conditioned, and where large terms cancel.
 * So for each state
 *
 *     |generated - kernel| <= units eps (scale + sensitivity)
 *
 * with the eps of the scalar. What was seen is far below; a term that is wrong, left out or of the wrong sign differs
 * by some 1e15 units in double. Scale and sensitivity are those of the array that the result is in. */
#include "base/random.h"
#include "codegen/compile/compiled.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "api/api.h"

#define UNITS 128.0         /* the most that was seen is 10 */
#define UNITS_SOLVED 1000.0 /* accelerations and inverses: 60 */
#define MOVE 0x1p-20

/* The states, the same for all functions, and for one function the kernel's results. */
typedef struct trial {
    const pinion_model *m;
    int states;
    size_t width[PN_SHORTCUT_INPUTS];
    double *in[PN_SHORTCUT_INPUTS];    /* [states][width], numbers that float has, too */
    double *moved[PN_SHORTCUT_INPUTS]; /* the same, a little elsewhere */
    pinion_model *other;               /* likewise */
    void *work;
    size_t results;
    double *expected, *elsewhere, *given; /* [states][results] */
    double *scale;                        /* [results]: of the array that the result is in */
    void *lanes;                          /* what a generated function reads and writes */
} trial;

/* whether so many numbers a state have a size */
static int fits(const trial *t, size_t numbers)
{
    return numbers < SIZE_MAX / sizeof(double) / ((size_t)t->states + 1);
}

/* ---- states ---- */

/* the configurations are random ones of the model, all else is within 1; the same states in every run */
static int take_states(trial *t)
{
    uint64_t seed = 7;
    const size_t nq = (size_t)t->m->n.nq;
    for (int i = 0; i < PN_SHORTCUT_INPUTS; i++) {
        if (!fits(t, t->width[i])) return 0;
        const size_t count = (size_t)t->states * t->width[i];
        t->in[i] = calloc(count + 1, sizeof(double));
        t->moved[i] = calloc(count + 1, sizeof(double));
        if (!t->in[i] || !t->moved[i]) return 0;
        for (size_t k = 0; k < count; k++) t->in[i][k] = (double)(int64_t)pn_random_bits(&seed) * 0x1p-63;
    }
    for (int s = 0; s < t->states; s++)
        if (pinion_random(t->m, pn_random_bits(&seed), t->in[0] + (size_t)s * nq) != PINION_OK) return 0;
    for (int i = 0; i < PN_SHORTCUT_INPUTS; i++)
        for (size_t k = 0; k < (size_t)t->states * t->width[i]; k++) {
            t->in[i][k] = (double)(float)t->in[i][k];
            t->moved[i][k] = t->in[i][k] * (pn_random_bits(&seed) & 1 ? 1 + MOVE : 1 - MOVE);
        }
    return 1;
}

/* a model whose constants are all a little different; those that are 0 are so by its structure */
static int take_other(trial *t)
{
    uint64_t seed = 8;
    t->other = pinion_model_copy(t->m);
    if (!t->other) return 0;
    double *constant = PN_AT(t->other, double, t->other->f64);
    for (uint32_t i = 0; i < t->other->constants; i++) constant[i] *= pn_random_bits(&seed) & 1 ? 1 + MOVE : 1 - MOVE;
    return 1;
}

/* what one function's results took */
static void release_results(trial *t)
{
    free(t->work);
    free(t->expected);
    free(t->elsewhere);
    free(t->given);
    free(t->scale);
    free(t->lanes);
}

static void release(trial *t)
{
    pinion_model_free(t->other);
    for (int i = 0; i < PN_SHORTCUT_INPUTS; i++) {
        free(t->in[i]);
        free(t->moved[i]);
    }
    release_results(t);
}

/* ---- the kernels ---- */

/* The kernel that is the measure: the library's own, or the first registered that applies. Of matrices C with
 * C v = bias - gravity there are many, and every algorithm has its own. */
static int measure(const pinion_model *m, const pn_function *f)
{
    const pn_call *target = f->target;
    if (target->problem == PN_PROBLEM_coriolis) return f->call.kernel;
    if (pn_own_kernel(target) >= 0) return pn_own_kernel(target);
    if (target->kernel == PN_K_aba && m->n.followers) return PN_K_followers_fd;
    return target->kernel;
}

static void run_kernel(const trial *t, const pinion_model *m, const pn_function *f, int kernel, double *const in[],
                       double *out)
{
    const pn_backend *back = pn_complete_for_calls(sizeof(double));
    const pn_ctx k = pn_context(m, sizeof(double), pn_align(t->work));
    for (int s = 0; s < t->states; s++) {
        const double *x[PN_SHORTCUT_INPUTS];
        for (int i = 0; i < PN_SHORTCUT_INPUTS; i++)
            x[i] = f->call.in >> i & 1 ? in[i] + (size_t)s * t->width[i] : NULL;
        pn_io io = {.q = x[0], .v = x[1], .a = x[2], .tau = x[3], .f_ext = x[4], .frame = f->call.frame,
                    .reference = f->call.reference, .option = f->call.option};
        double *to = out + (size_t)s * t->results;
        for (int o = 0; o < PN_SHORTCUT_OUTPUTS; to += f->out[o].name ? f->out[o].count : 0, o++)
            if (f->out[o].name) io.out[o] = to;
        back->kernel[kernel](&k, &io);
    }
}

/* the largest number in each array of results, over all states */
static void measure_scale(const pn_function *f, trial *t)
{
    size_t first = 0;
    for (int o = 0; o < PN_SHORTCUT_OUTPUTS; first += f->out[o++].count) {
        double most = 0;
        for (int s = 0; s < t->states; s++)
            for (size_t i = first; i < first + f->out[o].count; i++) {
                const double x = fabs(t->expected[(size_t)s * t->results + i]);
                if (x > most && isfinite(x)) most = x;
            }
        for (size_t i = first; i < first + f->out[o].count; i++) t->scale[i] = most;
    }
}

/* room for a function's results, the kernel's among them */
static pinion_status begin_function(trial *t, const pn_function *f, int kernel)
{
    t->results = 0;
    for (int o = 0; o < PN_SHORTCUT_OUTPUTS; o++) t->results += f->out[o].name ? f->out[o].count : 0;
    const int algorithm = kernel - PN_FIRST_ALGORITHM;
    const uint64_t room = pn_work_reals(&t->m->n) + (algorithm >= 0 ? pn_algorithm_room(algorithm, &t->m->n) : 0);
    size_t inputs = 0;
    for (int i = 0; i < PN_SHORTCUT_INPUTS; i++) inputs += t->width[i];
    if (!fits(t, t->results)) return PINION_ERR_MEMORY;
    const size_t all = (size_t)t->states * t->results + 1;

    release_results(t);
    t->work = pn_take(pn_bytes(room, sizeof(double), 128));
    t->expected = calloc(all, sizeof(double));
    t->elsewhere = calloc(all, sizeof(double));
    t->given = calloc(all, sizeof(double));
    t->scale = calloc(t->results + 1, sizeof(double));
    t->lanes = calloc(inputs + t->results + 16, 64);
    if (!t->work || !t->expected || !t->elsewhere || !t->given || !t->scale || !t->lanes) return PINION_ERR_MEMORY;
    run_kernel(t, t->m, f, kernel, t->in, t->expected);
    run_kernel(t, t->other, f, kernel, t->moved, t->elsewhere);
    measure_scale(f, t);
    return PINION_OK;
}

/* ---- what was generated ---- */

static double read_lane(const void *at, size_t i, int single)
{
    return single ? (double)((const float *)at)[i] : ((const double *)at)[i];
}

static void write_lane(void *at, size_t i, int single, double x)
{
    if (single)
        ((float *)at)[i] = (float)x;
    else
        ((double *)at)[i] = x;
}

/* the function over a scalar at all states, `lanes` at a time; the last pack begins again with the first state */
static void run_generated(const trial *t, const pn_function *f, int over, int lanes_int, pn_shortcut_call *call,
                          pn_shortcut_call *zeros)
{
    const int single = over == PN_OVER_F32 || over == PN_OVER_F32_PACK;
    const size_t lanes = (size_t)lanes_int, real = lanes * (single ? 4 : 8), states = (size_t)t->states;
    for (size_t first = 0; first < states; first += lanes) {
        const void *in[PN_SHORTCUT_INPUTS] = {0};
        void *out[PN_SHORTCUT_OUTPUTS] = {0};
        char *at = pn_align(t->lanes);
        for (int i = 0; i < PN_SHORTCUT_INPUTS; i++) {
            if (!(f->call.in >> i & 1)) continue;
            in[i] = at;
            for (size_t k = 0; k < t->width[i]; k++)
                for (size_t l = 0; l < lanes; l++)
                    write_lane(at, k * lanes + l, single, t->in[i][(first + l) % states * t->width[i] + k]);
            at += t->width[i] * real;
        }
        char *const results = at;
        for (int o = 0; o < PN_SHORTCUT_OUTPUTS; o++) {
            if (!f->out[o].name) continue;
            out[o] = at;
            at += f->out[o].count * real;
        }
        /* what it does not write is not the kernel's result by chance */
        for (size_t k = 0; k < t->results * lanes; k++) write_lane(results, k, single, NAN);
        call(in, out);
        if (zeros) zeros(in, out);
        for (size_t l = 0; l < lanes && first + l < states; l++)
            for (size_t k = 0; k < t->results; k++)
                t->given[(first + l) * t->results + k] = read_lane(results, k * lanes + l, single);
    }
}

/* ---- the comparison ---- */

/* the array that a result is in, and its place there */
static const char *place_of(const pn_function *f, size_t *i)
{
    int o = 0;
    for (; o < PN_SHORTCUT_OUTPUTS - 1 && *i >= f->out[o].count; o++) *i -= f->out[o].count;
    return f->out[o].name ? f->out[o].name : "";
}

static int is_margin(const pn_function *f, size_t i)
{
    return f->out[1].name && strcmp(f->out[1].name, "margin") == 0 && i == f->out[0].count;
}

/* The first result of a state that is too far from the kernel's, -1: none. A margin says by its sign alone whether
 * M has an inverse; where it has none there is no acceleration to compare. In single precision M may have none that
 * has one in double: a call answers PINION_ERR_SINGULAR there, as the kernel's does on long chains. */
static long find_difference(const trial *t, const pn_function *f, int s, double eps)
{
    const double *e = t->expected + (size_t)s * t->results, *m = t->elsewhere + (size_t)s * t->results;
    const double *g = t->given + (size_t)s * t->results;
    const size_t margin = f->out[0].count;
    if (t->results > margin && is_margin(f, margin)) {
        const int coarse = eps > DBL_EPSILON && e[margin] > 0 && g[margin] <= 0;
        if (!coarse && (e[margin] > 0) != (g[margin] > 0)) return (long)margin;
        if (coarse || !(e[margin] > 0)) return -1;
    }
    const double units = t->results > margin && is_margin(f, margin) ? UNITS_SOLVED : UNITS;
    size_t first = 0;
    for (int o = 0; o < PN_SHORTCUT_OUTPUTS; first += f->out[o++].count) {
        const size_t end = first + f->out[o].count;
        double sensitivity = 0;
        for (size_t i = first; i < end; i++) {
            const double change = fabs(m[i] - e[i]) / MOVE;
            if (change > sensitivity && isfinite(change)) sensitivity = change;
        }
        for (size_t i = first; i < end; i++) {
            if (is_margin(f, i) || !isfinite(e[i])) continue;
            if (!(fabs(g[i] - e[i]) <= units * eps * (t->scale[i] + sensitivity))) return (long)i;
        }
    }
    return -1;
}

static pinion_status compare(const trial *t, const pn_function *f, int over, int lanes, pinion_error *err)
{
    const int single = over == PN_OVER_F32 || over == PN_OVER_F32_PACK;
    for (int s = 0; s < t->states; s++) {
        const long found = find_difference(t, f, s, single ? (double)FLT_EPSILON : DBL_EPSILON);
        if (found < 0) continue;
        const size_t at = (size_t)s * t->results + (size_t)found;
        size_t i = (size_t)found;
        const char *array = place_of(f, &i);
        char quantity[84], width[16] = "";
        pn_comment_text(f->quantity, quantity);
        if (lanes > 1) snprintf(width, sizeof width, "x%d", lanes);
        return pn_codegen_fail(err, PINION_ERR_MISMATCH,
                               "the compiled code does not agree with the kernels: %s in %s%s, %s[%zu] is %.17g and "
                               "not %.17g, at state %d of %d",
                               quantity, single ? "f32" : "f64", width, array, i, t->given[at], t->expected[at], s,
                               t->states);
    }
    return PINION_OK;
}

static pinion_status verify_function(trial *t, const pinion_compiled *c, int function, pinion_error *err)
{
    const pn_function *f = &c->code->function[function];
    const int kernel = measure(t->m, f);
    if (kernel < 0)
        return pn_codegen_fail(err, PINION_ERR_UNSUPPORTED, "no kernel for '%s' applies to this model",
                               f->target->what);
    pinion_status status = begin_function(t, f, kernel);
    if (status != PINION_OK) return pn_codegen_fail(err, status, "out of memory");
    for (int over = 0; over < PN_OVER_COUNT && status == PINION_OK; over++) {
        const pn_table *table = &c->place[0].table;
        const int lanes = table->lanes[over];
        if (!lanes) continue;
        run_generated(t, f, over, lanes, table->call[over][function], table->zeros[over][function]);
        status = compare(t, f, over, lanes, err);
    }
    return status;
}

pinion_status pn_verify(const pinion_model *m, const pinion_compiled *c, int states, pinion_error *err)
{
    const size_t nv = (size_t)m->n.nv;
    trial t = {.m = m, .states = states, .width = {(size_t)m->n.nq, nv, nv, nv, 6 * (size_t)m->n.bodies}};
    pinion_status status = PINION_OK;
    if (!take_states(&t) || !take_other(&t)) status = pn_codegen_fail(err, PINION_ERR_MEMORY, "out of memory");
    for (int i = 0; i < c->code->functions && status == PINION_OK; i++) status = verify_function(&t, c, i, err);
    release(&t);
    return status;
}
