/* The registry: its rows come from the algorithms' own files, through kernel/algorithms.inc. */
#include "registry.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* in a row's place for a count: none is published */
#define PN_NONE NAN

#define TEXT_OF(formula) #formula
#define PN_ALGORITHM(function, problem, name, source, complexity, limits, room, mul, add, counted_by)        \
    {name, source, complexity, PN_PROBLEM_##problem, limits, TEXT_OF(mul), TEXT_OF(add), counted_by},
const pn_algorithm pn_algorithms[PN_ALGORITHM_COUNT] = {
#include "kernel/algorithms.inc"
};
#undef PN_ALGORITHM

size_t pn_algorithm_room(int algorithm, const pn_counts *counts)
{
    const size_t N = (size_t)counts->nodes, nv = (size_t)counts->tree_nv;
    (void)N;
    (void)nv;
    switch (algorithm + PN_FIRST_ALGORITHM) {
#define PN_ALGORITHM(function, problem, name, source, complexity, limits, room, mul, add, counted_by)        \
    case PN_K_##function:                                                                                    \
        return (size_t)(room);
#include "kernel/algorithms.inc"
#undef PN_ALGORITHM
    default: return 0;
    }
}

size_t pn_largest_room(const pn_counts *counts)
{
    size_t most = 0;
    for (int a = 0; a < PN_ALGORITHM_COUNT; a++) {
        const size_t room = pn_algorithm_room(a, counts);
        if (room > most) most = room;
    }
    return most;
}

static int known(int algorithm)
{
    return algorithm >= 0 && algorithm < PN_ALGORITHM_COUNT;
}

int pinion_algorithm_count(void)
{
    return PN_ALGORITHM_COUNT;
}

int pinion_algorithm_find(const char *name)
{
    for (int a = 0; name && a < PN_ALGORITHM_COUNT; a++)
        if (!strcmp(pn_algorithms[a].name, name)) return a;
    return -1;
}

const char *pinion_problem_name(pinion_problem problem)
{
    static const char *const name[] = {"inverse_dynamics", "mass_matrix", "mass_matrix_inverse", "coriolis",
                                       "forward_dynamics", "operational_space", "factorization"};
    return (int)problem >= 0 && problem < PINION_PROBLEM_COUNT ? name[problem] : NULL;
}

/* the limits in words, for people */
static const char *applies_to(int limits)
{
    const int serial = limits & PN_LIMIT_SERIAL, one = limits & PN_LIMIT_ONE_DOF;
    const int followers = limits & PN_LIMIT_NO_FOLLOWERS, helical = limits & PN_LIMIT_NO_HELICAL;
    static const char *const words[2][2][2][2] = {
        /* [serial][one][helical][followers] */
        {{{"trees of every joint", "trees of every joint, no followers"},
          {"trees without helical joints", "trees without helical joints, no followers"}},
         {{"trees of one-DoF joints", "trees of one-DoF joints, no followers"},
          {"trees of revolute and prismatic joints",
           "trees of revolute and prismatic joints, no followers"}}},
        {{{"serial chains of every joint", "serial chains of every joint, no followers"},
          {"serial chains without helical joints", "serial chains without helical joints, no followers"}},
         {{"serial chains of one-DoF joints", "serial chains of one-DoF joints, no followers"},
          {"serial chains of revolute and prismatic joints",
           "serial chains of revolute and prismatic joints, no followers"}}}};
    return words[!!serial][!!one][!!helical][!!followers];
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
    default: return PINION_ERR_ARGUMENT;
    }
    return isnan(*mul_out) ? PINION_ERR_NOT_FOUND : PINION_OK;
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

pinion_status pinion_algorithm_applies(int algorithm, const pinion_model *m, pinion_error *err)
{
    if (!known(algorithm) || !m) return PINION_ERR_ARGUMENT;
    const int limits = pn_algorithms[algorithm].limits, problem = pn_algorithms[algorithm].problem;
    const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
    const int solves = problem == PN_PROBLEM_forward_dynamics || problem == PN_PROBLEM_mass_matrix_inverse ||
                       problem == PN_PROBLEM_operational_space || problem == PN_PROBLEM_factorization;
    if (solves && m->n.loops)
        return refuse(err, algorithm, "cannot solve closed loops yet", "the model has some", NULL);
    if ((limits & PN_LIMIT_NO_FOLLOWERS) && m->n.followers)
        return refuse(err, algorithm, "needs a model without mimic joints", "the model has some", NULL);
    for (int i = 1; i < m->n.nodes; i++) {
        if ((limits & PN_LIMIT_SERIAL) && nodes[i].parent != i - 1)
            return refuse(err, algorithm, "needs a serial chain", "the tree branches at joint",
                          joint_name(m, i));
        if ((limits & PN_LIMIT_ONE_DOF) && nodes[i].dense >= 0)
            return refuse(err, algorithm, "needs joints of one degree of freedom", "not so is joint",
                          joint_name(m, i));
        if ((limits & PN_LIMIT_NO_HELICAL) && nodes[i].joint == PN_HELICAL)
            return refuse(err, algorithm, "needs revolute and prismatic joints", "not so is joint",
                          joint_name(m, i));
    }
    return PINION_OK;
}
