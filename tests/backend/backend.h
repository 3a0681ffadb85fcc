/* One kernel on one state or a pack of states, for any instantiation, below the C API. */
#ifndef PN_TEST_BACKEND_H
#define PN_TEST_BACKEND_H

#include "check.h"
#include "api/call_table.h"
#include "api/registry.h"
#include "pinion/pinion.h"
#include "pinion/research/global.h"

/* What a kernel reads and writes, as widths in numbers a state; 0: it does not. */
typedef struct shape {
    int kernel;
    const char *name;
    int q, v, a, tau, f_ext;
    int out[6];
} shape;

enum { SHAPES = PN_KERNEL_COUNT };

/* an algorithm's, from the problem it solves */
static inline shape shape_of_algorithm(const pinion_model *m, int a)
{
    const pn_counts *n = &m->n;
    const int nq = n->nq, nv = n->nv, f = 6 * n->bodies;
    const shape by_problem[PN_PROBLEM_COUNT] = {
        [PN_PROBLEM_inverse_dynamics] = {0, "", nq, nv, nv, 0, f, {nv}},
        [PN_PROBLEM_mass_matrix] = {0, "", nq, 0, 0, 0, 0, {nv * nv}},
        [PN_PROBLEM_mass_matrix_inverse] = {0, "", nq, 0, 0, 0, 0, {nv * nv, 1}},
        [PN_PROBLEM_coriolis] = {0, "", nq, nv, 0, 0, 0, {nv * nv}},
        [PN_PROBLEM_forward_dynamics] = {0, "", nq, nv, 0, nv, f, {nv, 1}},
        [PN_PROBLEM_operational_space] = {0, "", nq, nv, 0, 0, 0, {36, 1, 6, 6, 6 * nv}},
        [PN_PROBLEM_factorization] = {0, "", nq, 0, nv, nv, 0, {nv * nv, 1, nv, nv, nv * nv}},
        [PN_PROBLEM_d_inverse_dynamics] = {0, "", nq, nv, nv, 0, f, {nv * nv, nv * nv, nv * nv}},
        [PN_PROBLEM_d_forward_dynamics] = {0, "", nq, nv, 0, nv, f, {nv * nv, 1, nv * nv, nv * nv}},
    };
    shape s = by_problem[pn_algorithms[a].problem];
    s.kernel = PN_FIRST_ALGORITHM + a;
    s.name = pn_algorithms[a].name;
    return s;
}

/* that of a row of the table of calls; of rows with the same kernel the first one's */
static inline shape shape_of_call(const pinion_model *m, const pn_call *c)
{
    while (c > pn_calls && c[-1].kernel == c->kernel) c--;
    shape s = {.kernel = c->kernel, .name = c->function};
    int *const in[PN_IN_COUNT] = {&s.q, &s.v, &s.a, &s.tau, &s.f_ext};
    for (int i = 0; i < PN_IN_COUNT; i++) {
        const pn_item *x = pn_call_input(c, i);
        if (x) *in[i] = (int)pn_shape_size(&m->n, x->shape, NULL);
    }
    for (int o = 0; o < PN_CALL_OUTPUTS; o++) {
        const pn_item *x = pn_call_output(c, o);
        if (x) s.out[o] = (int)pn_shape_size(&m->n, x->shape, NULL);
    }
    return s;
}

/* the shapes of all kernels for a model: of the table of calls, of the algorithms, and of the others here */
static inline void shapes_of(const pinion_model *m, shape s[SHAPES])
{
    const pn_counts *n = &m->n;
    const int nq = n->nq, nv = n->nv, f = 6 * n->bodies, nf = n->frames;
    pinion_global_size global = {0};
    if (pinion_global_count(m, &global) != PINION_OK) global.entries = 0; /* followers: nothing is written */
    const shape all[PN_FIRST_ALGORITHM] = {
        [PN_K_followers_fd] = {PN_K_followers_fd, "followers_fd", nq, nv, 0, nv, f, {nv, 1}},
        [PN_K_constrained] =
            {PN_K_constrained, "constrained", nq, nv, 7, nv, f, {nv, 1, 1, 1}}, /* one constraint: A and b */
        [PN_K_d_constrained] = {PN_K_d_constrained, "d_constrained", nq, nv, 7, nv, f,
                                {nv * nv, 2, nv * nv, nv * nv, 3 * nv}},
        [PN_K_terms] = {PN_K_terms, "terms", nq, nv, 0, 0, 0, {nv * nv, nv, nv, 3 * nf, 9 * nf, 6 * nv}},
        [PN_K_tree_solve] =
            {PN_K_tree_solve, "tree_solve", nq, 0, 0, nv, 0, {nv, 1, nv}}, /* one right-hand side */
        [PN_K_loops] = {PN_K_loops, "loops", nq, nv, 0, 0, 0, {n->rows, n->rows * nv, n->rows, n->rows}},
        [PN_K_loop_motion] = {PN_K_loop_motion, "loop_motion", nq, nv, 0, 0, 0, {n->loop_nq, n->loop_nv}},
        [PN_K_loop_active] = {PN_K_loop_active, "loop_active", nq, nv, 0, n->loop_nv, 0, {nv, 1, n->loop_nv}},
        [PN_K_loop_reactions] =
            {PN_K_loop_reactions, "loop_reactions", nq, 0, n->rows, n->loop_nv, 0, {f, nv, 6 * n->loops}},
        [PN_K_global] = {PN_K_global, "global", nq, nv, 0, nv, f, {global.entries, global.unknowns, 7 * nv}},
        [PN_K_d_loops] = {PN_K_d_loops, "d_loops", nq, nv, nv, n->loop_nv, 0,
                          {nv * nv, nv * nv, n->rows * nv, n->rows * nv}},
        [PN_K_dca_step] = {PN_K_dca_step, "dca_step", 0, 0, 0, 0, 0, {0}},
        [PN_K_dca_join] = {PN_K_dca_join, "dca_join", 0, 0, 0, 0, 0, {0}},
        [PN_K_inverse_dynamics_jvp] = {PN_K_inverse_dynamics_jvp, "inverse_dynamics_jvp", nq, nv, nv, 0, f, {nv}},
        [PN_K_forward_dynamics_jvp] = {PN_K_forward_dynamics_jvp, "forward_dynamics_jvp", nq, nv, 0, nv, f, {nv, 1}},
        [PN_K_integrate] = {PN_K_integrate, "integrate", nq, nv, 0, 0, 0, {nq}},
        [PN_K_difference] = {PN_K_difference, "difference", nq, 0, nq, 0, 0, {nv}},
        [PN_K_step] = {PN_K_step, "step", nq, nv, 0, nv, f, {nq, nv, 1, 1, PN_STEP_SCRATCH(nq, nv)}},
        [PN_K_normalize] = {PN_K_normalize, "normalize", nq, 0, 0, 0, 0, {nq}},
    };
    memcpy(s, all, sizeof all);
    for (int c = 0; c < PN_CALL_COUNT; c++)
        if (pn_calls[c].kernel < PN_FIRST_ALGORITHM) s[pn_calls[c].kernel] = shape_of_call(m, &pn_calls[c]);
    for (int a = 0; a < PN_ALGORITHM_COUNT; a++) s[PN_FIRST_ALGORITHM + a] = shape_of_algorithm(m, a);
}

/* products along a direction, for which the velocities do */
static inline int is_jvp(const shape *s)
{
    return s->kernel == PN_K_inverse_dynamics_jvp || s->kernel == PN_K_forward_dynamics_jvp;
}

/* the second output of the solving kernels is a pivot margin: a test, not a result; of a step the third, behind
 * which there are a test and scratch memory */
static inline int is_margin(const shape *s, int output)
{
    if (s->kernel == PN_K_step) return output >= 2;
    if (s->kernel == PN_K_constrained) return output == 1 || output == 3;
    if (output != 1) return 0;
    if (s->kernel == PN_K_followers_fd || s->kernel == PN_K_tree_solve || s->kernel == PN_K_forward_dynamics_jvp ||
        s->kernel == PN_K_forward_dynamics_vjp || s->kernel == PN_K_d_constrained)
        return 1;
    return s->kernel >= PN_FIRST_ALGORITHM &&
           pn_algorithms[s->kernel - PN_FIRST_ALGORITHM].problem != PN_PROBLEM_d_inverse_dynamics;
}

/* The size below which an output's entries are the rest of larger numbers. Lengths of about a metre are behind all of
 * it; a potential energy may vanish by cancellation, and is measured against the weight at a metre's height, as
 * derivatives of the momentum against that of a metre in a second. */
static inline double least_size(const pinion_model *m, const shape *s, int output)
{
    if (s->kernel == PN_K_energy && output == 1) return 9.81 * m->mass;
    return s->kernel == PN_K_d_momentum && m->mass > 1e-3 ? m->mass : 1e-3;
}

/* algorithms say themselves what they apply to; the kernel for followers is for them alone, and the one with
 * a constraint on the last frame for models in which that moves */
static inline int applies(const pinion_model *m, const shape *s)
{
    if (s->kernel == PN_K_followers_fd) return m->n.followers > 0;
    if (s->kernel == PN_K_global || s->kernel == PN_K_tree_solve) return !m->n.followers;
    /* parts of divide-and-conquer, which calls the same functions in one kernel */
    if (s->kernel == PN_K_dca_step || s->kernel == PN_K_dca_join) return 0;
    if (s->kernel == PN_K_constrained || s->kernel == PN_K_d_constrained)
        return !m->n.followers && PN_AT_CONST(m, int, m->frame_node)[m->n.frames - 1] > 0;
    if (s->kernel < PN_FIRST_ALGORITHM) return 1;
    return pinion_algorithm_applies(s->kernel - PN_FIRST_ALGORITHM, m, NULL) == PINION_OK;
}

/* scratch memory for any kernel, in reals */
static inline size_t all_reals(const pinion_model *m)
{
    uint64_t most = 0;
    for (int a = 0; a < PN_REGISTERED_COUNT; a++) {
        const uint64_t room = pn_algorithm_room(a, &m->n);
        if (room > most) most = room;
    }
    return pn_work_reals(&m->n) + most + PN_CONSTRAINED_ROOM((uint64_t)m->n.nv) + 1;
}

static inline int width_of(const shape *s)
{
    int w = 0;
    for (int o = 0; o < 6; o++) w += s->out[o];
    return w;
}

/* a random state: q, v, a (the other q for difference, the constraint for constrained, lambda for loops), tau, f_ext,
 * one after the other */
typedef struct state {
    double *q, *v, *a, *tau, *f_ext;
} state;

static inline size_t state_numbers(const pn_counts *n)
{
    return (size_t)(2 * n->nq + 3 * n->nv + n->rows + n->loop_nv + 6 * n->bodies);
}

static inline state state_room(const pinion_model *m)
{
    const pn_counts *n = &m->n;
    state s;
    s.q = malloc(sizeof(double) * (state_numbers(n) + 1));
    s.v = s.q + n->nq;
    s.a = s.v + n->nv;
    s.tau = s.a + n->nv + n->nq + n->rows;
    s.f_ext = s.tau + n->nv + n->loop_nv;
    return s;
}

static inline state state_new(const pinion_model *m, uint64_t *seed)
{
    const pn_counts *n = &m->n;
    state s = state_room(m);
    CHECK_STATUS(pinion_random(m, (uint64_t)(check_uniform(seed) * 1e15), s.q), PINION_OK);
    for (int i = 0; i < n->nv; i++) {
        s.v[i] = check_between(seed, -2, 2);
        s.a[i] = check_between(seed, -5, 5);
        s.tau[i] = check_between(seed, -10, 10);
    }
    for (int i = 0; i < n->nq; i++) s.a[n->nv + i] = 1 - 0.3 * i; /* behind the accelerations */
    for (int i = 0; i < n->rows; i++) s.a[n->nv + n->nq + i] = check_between(seed, -5, 5);
    for (int i = 0; i < n->loop_nv; i++) s.tau[n->nv + i] = check_between(seed, -10, 10);
    for (int i = 0; i < 6 * n->bodies; i++) s.f_ext[i] = check_between(seed, -10, 10);
    return s;
}

/* The same state with every number off by some rounding units. What a result changes by it, it may be wrong by some
 * times as much: near a singular position, or where it is a small difference of large numbers. */
static inline state state_shaken(const pinion_model *m, const state *x, double unit, uint64_t *seed)
{
    state s = state_room(m);
    for (size_t i = 0; i < state_numbers(&m->n); i++)
        s.q[i] = x->q[i] + 8 * unit * (1 + fabs(x->q[i])) * check_between(seed, -1, 1);
    return s;
}

/* how often a state is shaken, and how many times as much a result may be off */
enum { SHAKES = 4, SHAKEN_TIMES = 12 };

#endif
