/* The registry: its rows come from the algorithms' own files, through kernel/algorithms.inc and solvers.inc. */
#include "api/registry.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "kernel/forward_dynamics/logn/dca.h"

/* in a row's place for a count: none is published */
#define PN_NONE NAN

#define TEXT_OF(formula) #formula
#define PN_ALGORITHM(function, problem, name, source, complexity, limits, room, mul, add, counted_by)        \
    {name, source, complexity, PN_PROBLEM_##problem, limits, TEXT_OF(mul), TEXT_OF(add), counted_by},
#define PN_SOLVER(function, problem, name, source, complexity, limits, room)                                  \
    {name, source, complexity, PN_PROBLEM_##problem, limits, "", "", ""},
const pn_algorithm pn_algorithms[PN_REGISTERED_COUNT] = {
#include "kernel/algorithms.inc"
#include "solve/solvers.inc"
};
#undef PN_ALGORITHM
#undef PN_SOLVER

uint64_t pn_algorithm_room(int algorithm, const pn_counts *counts)
{
    const uint64_t N = (uint64_t)counts->nodes, nv = (uint64_t)counts->tree_nv;
    const uint64_t rows = (uint64_t)counts->rows, loops = (uint64_t)counts->loops;
    const uint64_t couplings = counts->couplings > 0 ? (uint64_t)counts->couplings : 0;
    (void)N;
    (void)nv;
    (void)rows;
    (void)loops;
    (void)couplings;
    switch (algorithm + PN_FIRST_ALGORITHM) {
#define PN_ALGORITHM(function, problem, name, source, complexity, limits, room, mul, add, counted_by)        \
    case PN_K_##function:                                                                                    \
        return (uint64_t)(room);
#include "kernel/algorithms.inc"
#undef PN_ALGORITHM
#define PN_SOLVER(function, problem, name, source, complexity, limits, room)                                  \
    case PN_KERNEL_COUNT + PN_S_##function:                                                                  \
        return (uint64_t)(room);
#include "solve/solvers.inc"
#undef PN_SOLVER
    default: return 0;
    }
}

uint64_t pn_algorithm_reals(int algorithm, const pn_counts *n)
{
    const int loops = n->loops || algorithm >= PN_ALGORITHM_COUNT;
    return pn_work_reals(n) + pn_algorithm_room(algorithm, n) + (loops ? pn_loop_reals(n) : 0);
}

uint64_t pn_step_reals(const pn_counts *n)
{
    const uint64_t nv = (uint64_t)n->nv, nq = (uint64_t)n->nq, matrices = 23 * nv * nv, vectors = 11 * nv + nq;
    if (n->loops) return 0;
    return pn_algorithm_reals(PN_K_fd_idsva - PN_FIRST_ALGORITHM, n) + matrices + vectors + PN_STEP_SCRATCH(nq, nv);
}

uint64_t pn_constrained_reals(const pn_counts *n, uint64_t *begin)
{
    const uint64_t nv = (uint64_t)n->nv;
    const uint64_t least = pn_algorithm_reals(PN_K_fd_idsva - PN_FIRST_ALGORITHM, n) + PN_CONSTRAINED_ROOM(nv);
    if (begin) *begin = least;
    return n->loops || n->followers ? 0 : least + 3 * nv * nv + 18 * nv;
}

/* Up to here a workspace begins with room for M^-1, the operational space and derivatives: some 160 kB. A humanoid has
 * less. */
#define MATRICES_AT_ONCE 64

uint64_t pn_default_reals(const pn_counts *n)
{
    uint64_t most = pn_work_reals(n);
    for (int a = 0; a < PN_REGISTERED_COUNT; a++) {
        const int kernel = a + PN_FIRST_ALGORITHM;
        const int plain = n->tree_nv <= MATRICES_AT_ONCE &&
                          (kernel == PN_K_ltl_inverse_of_mass_matrix || kernel == PN_K_osim_crba ||
                           kernel == PN_K_idsva || kernel == PN_K_fd_idsva);
        const int loops = n->loops && (pn_algorithms[a].limits & PN_TAKES_LOOPS);
        const uint64_t reals = plain || loops ? pn_algorithm_reals(a, n) : 0;
        if (reals > most) most = reals;
    }
    return most;
}

size_t pn_bytes(uint64_t reals, size_t bytes_each, size_t before)
{
    const uint64_t most = SIZE_MAX / 4;
    return reals > (most - before) / bytes_each ? SIZE_MAX : before + (size_t)reals * bytes_each;
}

void *pn_take(size_t bytes)
{
    return bytes && bytes < SIZE_MAX ? malloc(bytes) : NULL;
}

static int known(int algorithm)
{
    return algorithm >= 0 && algorithm < PN_REGISTERED_COUNT;
}

int pinion_algorithm_count(void)
{
    return PN_REGISTERED_COUNT;
}

int pinion_algorithm_find(const char *name)
{
    for (int a = 0; name && a < PN_REGISTERED_COUNT; a++)
        if (!strcmp(pn_algorithms[a].name, name)) return a;
    return -1;
}

const char *pinion_problem_name(pinion_problem problem)
{
    static const char *const name[] = {"inverse_dynamics", "mass_matrix", "mass_matrix_inverse", "coriolis",
                                       "forward_dynamics", "operational_space", "factorization", "d_inverse_dynamics",
                                       "d_forward_dynamics"};
    return (int)problem >= 0 && problem < PINION_PROBLEM_COUNT ? name[problem] : NULL;
}

/* the limits in words, for people */
static const char *applies_to(int limits)
{
    const int serial = limits & PN_LIMIT_SERIAL, followers = limits & PN_LIMIT_NO_FOLLOWERS;
    const int loops = limits & PN_TAKES_LOOPS;
    if ((limits & PN_LIMIT_NO_MASSLESS) && serial && followers)
        return "serial chains of every joint, no followers, no massless bodies";
    if (limits & PN_LIMIT_LEGS) return "trees of every joint, loops that hold legs to the base, no followers";
#define WORDS(joints)                                                                                        \
    {{joints, joints ", closed loops"}, {joints ", no followers", joints ", closed loops, no followers"}}
    static const char *const words[2][2][2] = {/* [serial][followers][loops] */
                                               WORDS("trees of every joint"), WORDS("serial chains of every joint")};
#undef WORDS
    return words[!!serial][!!followers][!!loops];
}

pinion_status pinion_algorithm(int algorithm, pinion_algorithm_info *out)
{
    if (!known(algorithm) || !out) return PINION_ERR_ARGUMENT;
    const pn_algorithm *a = &pn_algorithms[algorithm];
    double mul, add;
    const int published = pinion_algorithm_published(algorithm, 6, &mul, &add) == PINION_OK;
    out->name = a->name;
    out->problem = (pinion_problem)a->problem;
    out->source = a->source;
    out->complexity = a->complexity;
    out->applies_to = applies_to(a->limits);
    out->published_mul = published ? a->mul : "";
    out->published_add = published ? a->add : "";
    out->published_source = a->counted_by;
    out->kernel = algorithm < PN_ALGORITHM_COUNT;
    return PINION_OK;
}

pinion_status pinion_algorithm_published(int algorithm, int joints, double *mul_out, double *add_out)
{
    if (!known(algorithm) || !mul_out || !add_out) return PINION_ERR_ARGUMENT;
    const double n = joints;
    (void)n;
    switch (algorithm + PN_FIRST_ALGORITHM) {
#define PN_ALGORITHM(function, problem, name, source, complexity, limits, room, mul, add, counted_by)        \
    case PN_K_##function:                                                                                    \
        *mul_out = (mul);                                                                                    \
        *add_out = (add);                                                                                    \
        break;
#include "kernel/algorithms.inc"
#undef PN_ALGORITHM
    default: return PINION_ERR_NOT_FOUND;
    }
    return isnan(*mul_out) ? PINION_ERR_NOT_FOUND : PINION_OK;
}

int pinion_algorithm_default(pinion_problem problem, const pinion_model *m)
{
    const int loops = m && m->n.loops && problem == PINION_PROBLEM_FORWARD_DYNAMICS;
    for (int a = loops ? PN_DEFAULT_FOR_LOOPS : 0; a < PN_REGISTERED_COUNT; a++)
        if (pn_algorithms[a].problem == (int)problem && (!m || pinion_algorithm_applies(a, m, NULL) == PINION_OK))
            return a;
    return -1;
}

static pinion_status refuse(pinion_error *err, int algorithm, const char *needs, const char *but,
                            const char *name)
{
    if (err) {
        memset(err, 0, sizeof *err);
        err->status = PINION_ERR_UNSUPPORTED;
        snprintf(err->message, sizeof err->message, "%s %s: %s%s%.200s%s", pn_algorithms[algorithm].name,
                 needs, but, name ? " '" : "", name ? name : "", name ? "'" : "");
    }
    return PINION_ERR_UNSUPPORTED;
}

/* accelerations of a tree alone: who can do more */
static pinion_status refuse_loops(pinion_error *err, int algorithm)
{
    char list[320];
    size_t end = 0;
    list[0] = '\0';
    for (int a = 0; a < PN_REGISTERED_COUNT && end < sizeof list; a++)
        if (pn_algorithms[a].limits & PN_TAKES_LOOPS && pn_algorithms[a].problem == pn_algorithms[algorithm].problem)
            end += (size_t)snprintf(list + end, sizeof list - end, "%s%s", end ? ", " : "", pn_algorithms[a].name);
    (void)refuse(err, algorithm, "does not solve closed loops, and the model has some", "those that do are ", NULL);
    if (err) snprintf(err->message + strlen(err->message), sizeof err->message - strlen(err->message), "%s", list);
    return PINION_ERR_UNSUPPORTED;
}

/* the name of the joint behind a compiled body */
static const char *joint_name(const pinion_model *m, int node)
{
    const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
    pinion_body_info body;
    pinion_joint_info joint;
    if (nodes[node].body < 0) node++;
    if (pinion_model_body(m, nodes[node].body, &body) != PINION_OK) return "";
    return pinion_model_joint(m, body.joint, &joint) == PINION_OK ? joint.name : "";
}

/* whether an algorithm's arrays are too large for the ints that index them */
static int overflows(int algorithm, const pn_counts *n)
{
    const int problem = pn_algorithms[algorithm].problem;
    const int dense = problem == PN_PROBLEM_mass_matrix || problem == PN_PROBLEM_mass_matrix_inverse ||
                      problem == PN_PROBLEM_coriolis || problem >= PN_PROBLEM_factorization ||
                      algorithm >= PN_ALGORITHM_COUNT;
    return (dense && n->nv > PN_MAX_DENSE) || pn_algorithm_room(algorithm, n) > INT_MAX;
}

/* whether every loop ties a body of a leg, which hangs on one that the base's joint moves, to the base */
static int stands_on_legs(const pinion_model *m)
{
    const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
    const pn_loop *loop = PN_AT_CONST(m, pn_loop, m->closed);
    for (int l = 0; l < m->n.loops; l++) {
        const int *node = loop[l].node, foot = node[0] > node[1] ? node[0] : node[1];
        if (!loop[l].rows) continue;
        if (loop[l].kind == PN_LOOP_GEAR || loop[l].kind == PN_LOOP_DRIVE) return 0;
        if ((node[0] && node[1]) || !foot || nodes[foot].parent == 0) return 0;
    }
    return 1;
}

pinion_status pinion_algorithm_applies(int algorithm, const pinion_model *m, pinion_error *err)
{
    if (!known(algorithm) || !m) return PINION_ERR_ARGUMENT;
    const int limits = pn_algorithms[algorithm].limits, problem = pn_algorithms[algorithm].problem;
    const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
    if (m->n.loops && !(limits & PN_TAKES_LOOPS) &&
        (problem == PN_PROBLEM_forward_dynamics || problem == PN_PROBLEM_d_forward_dynamics))
        return refuse_loops(err, algorithm);
    if (m->n.loops && problem == PN_PROBLEM_operational_space)
        return refuse(err, algorithm, "needs a model without closed loops", "the model has some; what a tree's frame "
                      "resists with is not what it resists with while loops hold it", NULL);
    if (overflows(algorithm, &m->n))
        return refuse(err, algorithm, "needs a smaller model",
                      "its matrices would have more entries than it can number",
                      NULL);
    if (m->n.added && !(limits & PN_TAKES_ADDED))
        return refuse(err, algorithm, "needs rigid bodies", "the model has links with added mass", NULL);
    if (m->n.elastic && !(limits & PN_TAKES_ELASTIC))
        return refuse(err, algorithm, "needs rigid links", "the model has elastic ones", NULL);
    if ((limits & PN_LIMIT_COUPLINGS) && m->n.couplings < 0)
        return refuse(err, algorithm, "needs loops that do not overlap much", "those of the model do", NULL);
    if ((limits & PN_LIMIT_LEGS) && !stands_on_legs(m))
        return refuse(err, algorithm, "needs loops that hold bodies of legs to the base", "the model has others", NULL);
    if ((limits & PN_LIMIT_NO_FOLLOWERS) && m->n.followers)
        return refuse(err, algorithm, "needs a model without mimic joints",
                      "the model has some, which mimic = independent (--mimic independent) makes ordinary ones", NULL);
    if ((limits & PN_LIMIT_NO_MASSLESS) && pn_singular_body(m) > 0)
        return refuse(err, algorithm, "needs bodies whose inertias have an inverse", "not so is what moves with joint",
                      joint_name(m, pn_singular_body(m)));
    for (int i = 1; i < m->n.nodes && (limits & PN_LIMIT_SERIAL); i++)
        if (nodes[i].parent != i - 1)
            return refuse(err, algorithm, "needs a serial chain", "the tree branches at joint", joint_name(m, i));
    return PINION_OK;
}
