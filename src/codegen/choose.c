/* The algorithm for each quantity: those that can win are recorded, simplified and counted, and what each loses to
 * rounding is measured. The fewest operations win among those that lose little.
 *
 * Which ones can: all algorithms that take a regrouped model were counted on arms, legged robots and random chains,
 * and those below the others somewhere are tried. tests/codegen/test_choose.c does so again. */
#include "codegen/values.h"
#include <math.h>

/* Algorithms that read mass and moments of a link as they are. All others divide a first moment by its mass, or invert
 * an inertia: a regrouped link has moments without a mass. */
static const int takes_moments[] = {
    PN_K_rnea,        PN_K_cartesian_tensor, PN_K_parallel_axes,      PN_K_crba,          PN_K_rnea_columns,
    PN_K_gah,         PN_K_parallel_composite, PN_K_aba,              PN_K_kkt_sparse,    PN_K_crba_ltl,
    PN_K_crba_cholesky, PN_K_parallel_ltl,   PN_K_denoc_udu,          PN_K_innovations,   PN_K_vereshchagin,
    PN_K_gah_gauss_jordan, PN_K_innovations_inverse, PN_K_ltl_inverse_of_mass_matrix, PN_K_idsva, PN_K_fd_idsva,
    PN_K_rnea_tangent, PN_K_aba_columns};

int pn_takes_regrouped(int algorithm)
{
    for (size_t i = 0; i < sizeof takes_moments / sizeof *takes_moments; i++)
        if (takes_moments[i] == PN_FIRST_ALGORITHM + algorithm) return 1;
    return 0;
}

/* Those that are tried, in this order: of equals the first is taken. Of forward dynamics most are: where the cheapest
 * loses too much, another one is next. */
static const int tried[] = {PN_K_parallel_axes, PN_K_cartesian_tensor, PN_K_rnea,         PN_K_parallel_composite,
                            PN_K_crba,          PN_K_gah,              PN_K_aba,          PN_K_kkt_sparse,
                            PN_K_parallel_ltl,  PN_K_denoc_udu,        PN_K_vereshchagin, PN_K_crba_cholesky,
                            PN_K_crba_ltl,      PN_K_innovations_inverse, PN_K_ltl_inverse_of_mass_matrix};
enum { TRIED = sizeof tried / sizeof *tried };

/* Where one that is tried has more operations than this, before they are simplified, it is not recorded. */
#define MANY 60000

/* a division, a root or a sine counts as ten others */
static double weigh(const pinion_operations *count)
{
    return count->mul + count->add + 10 * (count->div + count->sqrt + count->trig);
}

/* An algorithm qualifies if it loses no more than this many units of rounding of the largest result in any of the
 * states, or no more than this multiple of what the library's own loses there. What is lost changes by a factor of two
 * or so with the order of a sum; forming M and factoring it, where M is badly conditioned, costs a factor of ten and
 * more over articulated bodies. */
#define UNITS_ALLOWED 32
#define TIMES_ALLOWED 4

typedef struct candidate {
    int algorithm;       /* -1: the kernel of the target */
    double cost;         /* below zero: nothing of it can be made */
    double worst, scale; /* what it loses, and the largest result; infinite where it is not known */
} candidate;

/* What a call takes, and loses. Where there are too many operations to record, their number before anything is
 * simplified, far above any that was recorded. Fails when out of memory alone. */
static pinion_status weigh_candidate(const pinion_model *m, const pn_values *states, const pn_trace_call *call,
                                     unsigned flags, candidate *c)
{
    pn_graph graph;
    pn_loss loss;
    pinion_operations count;
    c->cost = -1;
    c->worst = c->scale = INFINITY;
    pinion_status status = pn_trace_span(m, call, &count);
    if (status == PINION_OK && count.mul + count.add > MANY) {
        c->cost = 1e3 * weigh(&count);
        return PINION_OK;
    }
    if (status == PINION_OK) status = pn_trace(m, call, &graph);
    if (status != PINION_OK) return status == PINION_ERR_MEMORY ? status : PINION_OK;
    graph.results = call->out[0]; /* the margin of pivots costs next to nothing, and all have it */
    status = pn_simplify(&graph, flags);
    if (status == PINION_OK) {
        pn_graph_mark(&graph);
        status = pn_graph_count(&graph, 0, &count);
    }
    if (status == PINION_OK) status = pn_graph_loss(states, &graph, call->out, &loss);
    pn_graph_free(&graph);
    if (status != PINION_OK) return status == PINION_ERR_MEMORY ? status : PINION_OK;
    c->cost = weigh(&count);
    c->worst = loss.worst[0];
    c->scale = loss.scale[0];
    return PINION_OK;
}

/* All that can be taken, the library's own first; returns how many there are. */
static int list_candidates(const pinion_model *m, const pn_call *target, candidate list[TRIED + 1])
{
    const int own = pn_general_algorithm(m, target);
    int count = 0;
    if (own >= 0 || pn_own_kernel(target) >= 0) list[count++].algorithm = own;
    for (int i = 0; i < TRIED; i++) {
        const int algorithm = tried[i] - PN_FIRST_ALGORITHM;
        if (algorithm == own || pn_algorithms[algorithm].problem != target->problem) continue;
        if (pinion_algorithm_applies(algorithm, m, NULL) == PINION_OK) list[count++].algorithm = algorithm;
    }
    return count;
}

/* The cheapest of those that qualify. The first, where it is the library's own, always does; of inverses of M the
 * library has no own, and the one that loses least is the measure. */
static int take_cheapest(const pn_call *target, const candidate *list, int count)
{
    const int own = target->problem != PN_PROBLEM_mass_matrix_inverse;
    int measure = 0, best = -1;
    for (int i = 1; i < count && !own; i++)
        if (list[i].worst < list[measure].worst) measure = i;

    /* all errors against the same number */
    double least, allowed = INFINITY;
    if (isfinite(list[measure].worst)) {
        const double units = pn_loss_units(list[measure].worst, list[measure].scale, &least);
        allowed = fmax(UNITS_ALLOWED, TIMES_ALLOWED * units) * fmax(list[measure].scale, least);
    }
    for (int i = 0; i < count; i++) {
        if (list[i].cost < 0 || (!(own && i == 0) && !(list[i].worst <= allowed))) continue;
        if (best < 0 || list[i].cost < list[best].cost) best = i;
    }
    return list[best < 0 ? 0 : best].algorithm;
}

pinion_status pn_choose_algorithm(const pinion_model *m, const pinion_codegen_options *o, pn_function *f)
{
    candidate list[TRIED + 1];
    const int count = list_candidates(m, f->target, list);
    pn_values states;
    if (count == 0) return PINION_OK;
    pinion_status status = pn_states_open(m, PN_STATES_WEIGHED, &states);
    for (int i = 0; status == PINION_OK && i < count; i++) {
        pn_function with = *f;
        with.algorithm = list[i].algorithm;
        pn_function_arguments(m, o->f_ext, 0, &with);
        status = weigh_candidate(m, &states, &with.call, pn_simplify_flags(o), &list[i]);
    }
    pn_values_close(&states);
    if (status == PINION_OK) f->algorithm = take_cheapest(f->target, list, count);
    return status;
}
