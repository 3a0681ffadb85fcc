/* Recorded computations in tests: models, the calls that are recorded on them, and their values at a state. */
#ifndef PN_COMPUTED_H
#define PN_COMPUTED_H

#include "check.h"
#include "codegen/codegen_steps.h"
#include "pinion/io.h"

/* the arrays of one state, as PN_IN_* number them */
typedef struct state {
    double *in[PN_IN_COUNT];
} state;

static inline void state_free(state *s)
{
    for (int k = 0; k < PN_IN_COUNT; k++) free(s->in[k]);
}

static inline state state_random(const pinion_model *m, uint64_t *seed)
{
    state s;
    const size_t nv = (size_t)m->n.nv, width[PN_IN_COUNT] = {(size_t)m->n.nq, nv, nv, nv, 6 * (size_t)m->n.bodies};
    for (int k = 0; k < PN_IN_COUNT; k++) {
        s.in[k] = calloc(width[k] + 1, sizeof(double));
        for (size_t i = 0; i < width[k]; i++) s.in[k][i] = check_between(seed, -2, 2);
    }
    CHECK_STATUS(pinion_random(m, (uint64_t)(1e9 * check_uniform(seed)), s.in[PN_IN_Q]), PINION_OK);
    return s;
}

/* the values of the results; `scale`, unless NULL, gets the largest number met on the way */
static inline double *values_of(const pn_graph *g, const state *s, double *scale)
{
    double *x = calloc((size_t)g->count + 1, sizeof *x), *result = calloc(g->results + 1, sizeof *result);
    for (int32_t i = 0; i < g->count; i++) {
        const pn_record *r = &g->record[i];
        if (r->operation == PN_OP_CONSTANT) {
            x[i] = r->value;
        } else if (r->operation == PN_OP_INPUT) {
            x[i] = s->in[r->a][r->b];
        } else {
            if (r->a >= i || r->b >= i || r->c >= i) CHECK_FAIL("record %d has operands behind it", (int)i);
            if (r->operation == PN_OP_SELECT) x[i] = x[r->a] != 0 ? x[r->b] : x[r->c];
            else x[i] = pn_constant_result((pn_operation)r->operation, x[r->a], x[r->b]);
        }
        if (scale && fabs(x[i]) > *scale) *scale = fabs(x[i]);
    }
    for (size_t i = 0; i < g->results; i++) result[i] = x[g->result[i]];
    free(x);
    return result;
}

static inline pn_graph graph_copy(const pn_graph *g)
{
    pn_graph copy = *g;
    copy.record = malloc(((size_t)g->count + 1) * sizeof *copy.record);
    copy.result = malloc((g->results + 1) * sizeof *copy.result);
    memcpy(copy.record, g->record, (size_t)g->count * sizeof *copy.record);
    memcpy(copy.result, g->result, g->results * sizeof *copy.result);
    return copy;
}

static inline pinion_operations count_of(const pn_graph *g)
{
    pinion_operations count;
    CHECK_STATUS(pn_graph_count(g, 0, &count), PINION_OK);
    return count;
}

static inline double sum_of(pinion_operations n)
{
    return n.mul + n.add + n.div + n.sqrt + n.trig;
}

/* ---- models and calls ---- */

typedef void graph_check(const char *what, const pinion_model *m, const pn_graph *g);

static inline void check_call(const char *what, const pinion_model *m, const pn_trace_call *call, graph_check check)
{
    pn_graph g;
    CHECK_STATUS(pn_trace(m, call, &g), PINION_OK);
    if (!g.record) return;
    pn_graph_mark(&g);
    check(what, m, &g);
    pn_graph_free(&g);
}

/* every algorithm that applies, gravity, frames, and the Jacobian of the last frame */
static inline void check_model(const char *name, const pinion_model *m, graph_check check)
{
    char what[200];
    const size_t nv = (size_t)m->n.nv, frames = (size_t)m->n.frames;
    for (int k = 0; k < PN_ALGORITHM_COUNT; k++) {
        if (pinion_algorithm_applies(k, m, NULL) != PINION_OK) continue;
        const pn_trace_call call = pn_trace_algorithm(m, k);
        snprintf(what, sizeof what, "%s %s", name, pn_algorithms[k].name);
        check_call(what, m, &call, check);
    }
    pn_trace_call call;
    memset(&call, 0, sizeof call);
    call.in = 1u << PN_IN_Q;
    call.kernel = PN_K_gravity;
    call.out[0] = nv;
    snprintf(what, sizeof what, "%s gravity", name);
    check_call(what, m, &call, check);

    call.kernel = PN_K_frames;
    call.frame = -1;
    call.out[0] = 3 * frames;
    call.out[1] = 9 * frames;
    snprintf(what, sizeof what, "%s frames", name);
    check_call(what, m, &call, check);

    call.kernel = PN_K_jacobian;
    call.frame = m->n.frames - 1;
    call.reference = PINION_REFERENCE_WORLD_ALIGNED;
    call.out[0] = 6 * nv;
    call.out[1] = 0;
    snprintf(what, sizeof what, "%s jacobian", name);
    check_call(what, m, &call, check);

    call.kernel = PN_K_energy;
    call.in |= 1u << PN_IN_V;
    call.option = 1;
    call.out[0] = call.out[1] = 1;
    snprintf(what, sizeof what, "%s energy", name);
    check_call(what, m, &call, check);
}

/* NULL without a folder of models, and in a build that reads none */
static inline pinion_model *bundled(const char *file)
{
    pinion_model *m = NULL;
#ifdef PINION_IO
    const char *folder = getenv("PINION_MODELS");
    char path[1024];
    pinion_error err;
    if (!folder) return NULL;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    m = pinion_load(path, NULL, &err);
    if (!m) CHECK_FAIL("%s: %s", path, err.message);
#else
    (void)file;
#endif
    return m;
}

/* chains, trees over all joints with a fixed and a free root, and the bundled arms */
static inline void for_models(graph_check check)
{
    static const char *const files[] = {"stanford.json", "planar-3r.json", "puma560-corke.json", "puma560-akb.json"};
    pinion_error err;
    char name[100];
    for (int k = 0; k < 5; k += check_every(4)) {
        pinion_model *m = k < 2 ? pinion_random_chain(2 + 3 * k, check_seed + (uint64_t)k, &err)
                                : pinion_random_tree(4 + k, k & 1, check_seed + (uint64_t)k, &err);
        if (!m) CHECK_FAIL("%s", err.message);
        if (!m) continue;
        snprintf(name, sizeof name, "%s %d", k < 2 ? "chain" : "tree", k);
        check_model(name, m, check);
        pinion_model_free(m);
    }
    for (size_t k = 0; k < sizeof files / sizeof *files; k += (size_t)check_every(3)) {
        pinion_model *m = bundled(files[k]);
        if (m) check_model(files[k], m, check);
        pinion_model_free(m);
    }
}

#endif
