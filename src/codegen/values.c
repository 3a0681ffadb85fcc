/* What the general kernels give at a few states: the values that a generated self-test holds, and those that
 * code is compared with before it is given out.
 *
 * The values are those of the baseline kernels in double, which are the same on every processor of an
 * architecture. Generated code must come as near to them as both algorithms, the library's and that of the code, lose
 * digits on this robot (evaluate.c). Where there is too much of it to be recorded, the measure is what their kernels
 * lose in single precision, whose rounding errors are 2^29 times as large. */
#include "base/random.h"
#include "codegen/values.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_STATES = 2, MOST_NUMBERS = 20000, MOST_RECORDED = 60000 };

/* ---- states ---- */

/* all numbers are those of single precision, so that both kinds of code get the same */
static pinion_status make_state(const pn_values *b, int index, pn_sample *s)
{
    uint64_t seed = 1 + 1000u * (uint64_t)index;
    for (int k = 0; k < PN_IN_COUNT; k++) {
        s->in[k] = calloc(b->width[k] + 1, sizeof(double));
        s->single[k] = calloc(b->width[k] + 1, sizeof(float));
        if (!s->in[k] || !s->single[k]) return PINION_ERR_MEMORY;
        for (size_t i = 0; i < b->width[k]; i++) s->in[k][i] = pn_random_signed(&seed);
    }
    const pinion_status status = pinion_random(b->m, seed, s->in[PN_IN_Q]);
    if (status != PINION_OK) return status;
    for (int k = 0; k < PN_IN_COUNT; k++)
        for (size_t i = 0; i < b->width[k]; i++) s->in[k][i] = s->single[k][i] = (float)s->in[k][i];
    return PINION_OK;
}

/* how many numbers all functions give at a state */
static size_t all_results(const pinion_generated *g)
{
    size_t sum = 0;
    for (int i = 0; i < g->functions; i++)
        for (int k = 0; k < 6; k++) sum += g->function[i].out[k].name ? g->function[i].out[k].count : 0;
    return sum;
}

/* the most that the algorithm of a function needs, and the library's own */
static uint64_t room_of(const pinion_model *m, const pn_function *f)
{
    const int general = pn_general_algorithm(m, f->target);
    const uint64_t own = f->algorithm >= 0 ? pn_algorithm_room(f->algorithm, &m->n) : 0;
    const uint64_t other = general >= 0 ? pn_algorithm_room(general, &m->n) : 0;
    return own > other ? own : other;
}

pinion_status pn_states_open(const pinion_model *m, int states, pn_values *b)
{
    const size_t nv = (size_t)m->n.nv;
    const size_t width[PN_IN_COUNT] = {(size_t)m->n.nq, nv, nv, nv, 6 * (size_t)m->n.bodies};
    memset(b, 0, sizeof *b);
    b->m = m;
    memcpy(b->width, width, sizeof width);
    b->states = states;
    for (int i = 0; i < states; i++) {
        const pinion_status status = make_state(b, i, &b->at[i]);
        if (status != PINION_OK) return status;
    }
    return PINION_OK;
}

pinion_status pn_values_open(const pinion_model *m, const pinion_generated *g, pn_values *b)
{
    const size_t results = all_results(g);
    int states = PN_STATES_STORED;
    while (states > FEWEST_STATES && (size_t)states * results > MOST_NUMBERS) states--;
    return pn_states_open(m, states, b);
}

void pn_values_close(pn_values *b)
{
    for (int i = 0; i < b->states; i++)
        for (int k = 0; k < PN_IN_COUNT; k++) {
            free(b->at[i].in[k]);
            free(b->at[i].single[k]);
        }
}

/* ---- values ---- */

/* the general kernel on one state; `out` has room for all results, with a margin that is not stored */
static void run_kernel(const pn_values *b, const pn_function *f, void *work, int index, int single, void *out)
{
    void *aligned = (char *)work + (64 - (uintptr_t)work % 64) % 64;
    const size_t bytes = single ? sizeof(float) : sizeof(double);
    const pn_ctx k = pn_context(b->m, bytes, aligned);
    pn_io io;
    memset(&io, 0, sizeof io);
    const void *in[PN_IN_COUNT];
    for (int i = 0; i < PN_IN_COUNT; i++) {
        const void *given = single ? (const void *)b->at[index].single[i] : (const void *)b->at[index].in[i];
        in[i] = f->call.in >> i & 1 ? given : NULL;
    }
    io.q = in[PN_IN_Q];
    io.v = in[PN_IN_V];
    io.a = in[PN_IN_A];
    io.tau = in[PN_IN_TAU];
    io.f_ext = in[PN_IN_F_EXT];
    io.frame = f->call.frame;
    io.reference = f->call.reference;
    io.option = f->call.option;
    char *at = out;
    for (int i = 0; i < 6; at += f->call.out[i++] * bytes)
        if (f->call.out[i]) io.out[i] = at;
    (single ? &pn_backend_f32 : &pn_backend_f64)->kernel[f->call.kernel](&k, &io);
}

size_t pn_call_results(const pn_function *f)
{
    size_t sum = 0;
    for (int i = 0; i < 6; i++) sum += f->call.out[i];
    return sum;
}

/* ---- how near ---- */

/* the kernel in float against its results in double */
static pinion_status kernel_loss(const pn_values *b, const pn_function *f, void *work, const double *exact,
                                 pn_loss *loss)
{
    const size_t results = pn_call_results(f);
    float *single = calloc(results + 1, sizeof *single);
    for (int s = 0; single && s < b->states; s++, exact += results) {
        run_kernel(b, f, work, s, 1, single);
        size_t i = 0;
        for (int k = 0; k < 6; k++)
            for (const size_t end = i + f->call.out[k]; i < end; i++) {
                const double error = fabs((double)single[i] - exact[i]) * 0x1p24;
                if (isfinite(error)) loss->worst[k] = fmax(loss->worst[k], error);
                if (isfinite(exact[i])) loss->scale[k] = fmax(loss->scale[k], fabs(exact[i]));
            }
    }
    const int failed = !single;
    free(single);
    return failed ? PINION_ERR_MEMORY : PINION_OK;
}

/* What a function loses: as it was recorded, as it would be, or by its kernel. */
static pinion_status find_loss(const pn_values *b, const pn_function *f, void *work, const double *exact,
                               pn_loss *loss)
{
    if (f->graph.count) return pn_graph_loss(b, &f->graph, f->call.out, loss);
    memset(loss, 0, sizeof *loss);
    pinion_operations count;
    pn_graph graph;
    pinion_status status = pn_trace_span(b->m, &f->call, &count);
    if (status != PINION_OK) return status;
    if (count.mul + count.add > MOST_RECORDED) return kernel_loss(b, f, work, exact, loss);
    status = pn_trace(b->m, &f->call, &graph);
    if (status != PINION_OK) return status;
    status = pn_graph_loss(b, &graph, f->call.out, loss);
    pn_graph_free(&graph);
    return status;
}

/* what is allowed for so much, between 4 and 2^24: a power of two that is so many times as large */
static double allow(double times, double units)
{
    return times * exp2(ceil(log2(fmin(fmax(units, 4), 0x1p24))));
}

/* by the larger of both losses, in units of rounding of the largest result, 16 times over for another order of
 * operations */
static pinion_status find_tolerance(const pn_values *b, const pn_function *general, const pn_function *chosen,
                                    void *work, pn_expected *v)
{
    pn_loss of[2];
    pinion_status status = find_loss(b, general, work, v->at, &of[0]);
    if (status == PINION_OK) status = find_loss(b, chosen, work, v->at, &of[1]);
    for (int k = 0; status == PINION_OK && k < 6; k++) {
        const double worst = fmax(of[0].worst[k], of[1].worst[k]);
        v->tolerance[k] = allow(16, pn_loss_units(worst, of[0].scale[k], &v->least[k]));
    }
    return status;
}

/* a workspace for either kernel */
static void *take_work(const pinion_model *m, const pn_function *f)
{
    return pn_take(pn_bytes(pn_work_reals(&m->n) + room_of(m, f), sizeof(double), 128));
}

pinion_status pn_values_find(const pn_values *b, const pinion_generated *g, const pn_function *chosen,
                             pn_expected *v)
{
    pn_function f = *chosen;
    memset(&f.graph, 0, sizeof f.graph);
    /* of C there are several that are right */
    if (f.target->problem != PN_PROBLEM_coriolis) f.algorithm = pn_general_algorithm(b->m, f.target);
    pn_function_arguments(b->m, g->options.f_ext, g->margins, &f);
    const size_t results = pn_call_results(&f), all = results * (size_t)b->states;
    void *work = take_work(b->m, chosen);
    v->at = calloc(all + 1, sizeof *v->at);
    v->finite = 1;
    pinion_status status = work && v->at ? PINION_OK : PINION_ERR_MEMORY;
    for (int s = 0; status == PINION_OK && s < b->states; s++)
        run_kernel(b, &f, work, s, 0, v->at + (size_t)s * results);
    for (size_t i = 0; status == PINION_OK && i < all; i++) v->finite = v->finite && isfinite(v->at[i]);
    if (status == PINION_OK) status = find_tolerance(b, &f, chosen, work, v);
    free(work);
    return status;
}

/* all results in double, in the order and with the stride of the call */
static pinion_status own_results(const pn_values *b, const pn_function *f, double *x)
{
    const size_t results = pn_call_results(f);
    if (f->graph.count && f->graph.results == results) return pn_graph_results(b, &f->graph, x);
    if (f->graph.count) { /* without the margin, which is the last */
        double *y = calloc((size_t)b->states * f->graph.results + 1, sizeof *y);
        const pinion_status status = y ? pn_graph_results(b, &f->graph, y) : PINION_ERR_MEMORY;
        for (size_t s = 0; status == PINION_OK && s < (size_t)b->states; s++)
            memcpy(x + s * results, y + s * f->graph.results, f->graph.results * sizeof *x);
        free(y);
        return status;
    }
    void *work = take_work(b->m, f);
    for (int s = 0; work && s < b->states; s++) run_kernel(b, f, work, s, 0, x + (size_t)s * results);
    const int failed = !work;
    free(work);
    return failed ? PINION_ERR_MEMORY : PINION_OK;
}

pinion_status pn_values_widen(const pn_values *b, const pn_function *f, pn_expected *v)
{
    const size_t results = pn_call_results(f);
    double *x = calloc(results * (size_t)b->states + 1, sizeof *x);
    const pinion_status status = x ? own_results(b, f, x) : PINION_ERR_MEMORY;
    size_t begin = 0;
    for (int k = 0; status == PINION_OK && k < 6; begin += f->call.out[k++]) {
        double worst = 0, scale = v->least[k];
        for (size_t s = 0; s < (size_t)b->states; s++)
            for (size_t i = s * results + begin; i < s * results + begin + f->call.out[k]; i++) {
                worst = fmax(worst, fabs(x[i] - v->at[i]));
                scale = fmax(scale, fabs(v->at[i]));
            }
        /* 4 times over: the states are the same, but another compiler may fuse products and sums */
        if (worst > 0 && isfinite(worst))
            v->tolerance[k] = fmax(v->tolerance[k], allow(4, worst / scale * 0x1p53));
    }
    free(x);
    return status;
}
