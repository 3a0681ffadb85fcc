/* Closed configurations near a guess by plain means, for tests: Newton's steps from many random starts, and walks from
 * there towards the guess. */
#ifndef PN_TEST_RESTARTS_H
#define PN_TEST_RESTARTS_H

#include "assembled.h"

/* how far q is from the guess, in the tangent space at q, by the units at the guess */
static inline double distance(const pinion_model *m, pinion_work *w, const double *q, const double *guess, double *way)
{
    double sum = 0, unit[8];
    CHECK(pinion_model_nv(m) <= 8);
    CHECK_STATUS(pinion_constraint_sizes(m, w, guess, NULL, unit), PINION_OK);
    CHECK_STATUS(pinion_difference(m, q, guess, way), PINION_OK);
    for (int j = 0; j < pinion_model_nv(m); j++) sum += way[j] / unit[j] * (way[j] / unit[j]);
    return sqrt(sum);
}

/* A chain of six links on a base, its joints turning but for a few that slide, its end held by a joint to the base:
 * closed at x.q. */
static inline mechanism chain(pinion_joint_type type, uint64_t *seed)
{
    static const char *const link[] = {"base", "a", "b", "c", "d", "e", "f"};
    mechanism x = {0};
    pinion_builder *b = pinion_builder_new("chain");
    for (int i = 0; i < 7; i++) add_random_link(b, link[i], seed);
    for (int i = 1; i < 7; i++) {
        const pinion_joint_type moves = check_uniform(seed) < 0.15 ? PINION_JOINT_PRISMATIC : PINION_JOINT_REVOLUTE;
        const pinion_joint_def joint = random_joint(link[i], moves, link[i - 1], link[i], seed);
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    }
    pinion_model *tree = pinion_builder_build(b, NULL, NULL);
    pinion_work *w = tree ? pinion_work_new(tree) : NULL;
    if (!w) abort();
    x.n = 6;
    x.q = numbers(6);
    for (int i = 0; i < 6; i++) x.q[i] = check_between(seed, -2, 2);
    pinion_joint_def joint = random_joint("close", type, "base", "f", seed);
    const pinion_pose P = link_pose(tree, w, x.q, "base"), S = link_pose(tree, w, x.q, "f");
    const pinion_pose there = compose(&P, &joint.parent_pose);
    joint.child_pose = relative_pose(&S, &there);
    CHECK_STATUS(pinion_builder_add_loop(b, &joint, NULL), PINION_OK);
    pinion_work_free(w);
    pinion_model_free(tree);
    x.m = pinion_builder_build(b, NULL, NULL);
    x.w = x.m ? pinion_work_new(x.m) : NULL;
    pinion_builder_free(b);
    CHECK(x.w != NULL);
    return x;
}

/* From a closed q towards the guess, by assembling again and again a little nearer to it; returns how far it comes. */
static inline double walk(const mechanism *x, const unsigned char *locked, const double *guess, double enough,
                          double *q)
{
    const int nq = pinion_model_nq(x->m);
    double *way = numbers(x->n), *next = numbers(nq), *back = numbers(x->n), size = 0.5;
    double far = distance(x->m, x->w, q, guess, way);
    for (int turn = 0; turn < 20 && size > 0.1 && far < enough * (turn < 3 ? 2 : turn < 8 ? 1.3 : 1.1); turn++) {
        const double step = fmin(size, 0.3 / far);
        for (int j = 0; locked && j < x->n; j++) way[j] *= !locked[j];
        CHECK_STATUS(pinion_integrate(x->m, q, way, step, next), PINION_OK);
        const pinion_status status = pinion_assemble(x->m, x->w, 0, locked, next, NULL);
        const double then = status == PINION_OK ? distance(x->m, x->w, next, guess, back) : INFINITY;
        if (then < far * (1 - 1e-4)) {
            far = distance(x->m, x->w, next, guess, way);
            memcpy(q, next, sizeof *q * (size_t)nq);
        } else {
            size /= 2;
        }
    }
    free(way);
    free(next);
    free(back);
    return far;
}

/* Newton's steps of least norm from q on, none longer than 1: whether they close the loops */
static inline int newton(const mechanism *x, const unsigned char *locked, double *q)
{
    const int n = x->n, rows = pinion_model_row_count(x->m), nq = pinion_model_nq(x->m);
    double *phi = numbers(rows), *L = numbers(rows * n), *y = numbers(rows), *step = numbers(n), *next = numbers(nq);
    long double *G = calloc((size_t)(rows * rows), sizeof *G), *g = calloc((size_t)rows, sizeof *g);
    const pinion_constraints parts = {.phi = phi, .L = L};
    double open = INFINITY;
    if (!G || !g) abort();
    for (int turn = 0; turn < 30; turn++) {
        CHECK_STATUS(pinion_constraints_at(x->m, x->w, 0, q, NULL, &parts), PINION_OK);
        open = 0;
        for (int i = 0; i < rows; i++) open = fmax(open, fabs(phi[i]));
        if (open < 1e-10) break;
        for (int i = 0; i < rows; i++) {
            g[i] = -phi[i];
            for (int j = 0; j < n; j++) L[i * n + j] *= !(locked && locked[j]);
        }
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < rows; k++) {
                G[i * rows + k] = i == k ? 1e-9L : 0;
                for (int j = 0; j < n; j++) G[i * rows + k] += (long double)L[i * n + j] * L[k * n + j];
            }
        eliminate(G, rows, g, 1e-15L, y);
        double length = 0;
        for (int j = 0; j < n; j++) {
            step[j] = 0;
            for (int i = 0; i < rows; i++) step[j] += L[i * n + j] * y[i];
            length += step[j] * step[j];
        }
        CHECK_STATUS(pinion_integrate(x->m, q, step, fmin(1, 1 / sqrt(length)), next), PINION_OK);
        memcpy(q, next, sizeof *q * (size_t)nq);
    }
    free(phi);
    free(L);
    free(y);
    free(step);
    free(next);
    free(G);
    free(g);
    return open < 1e-10;
}

/* the nearest place that many random starts lead to */
static inline double best_restart(const mechanism *x, const unsigned char *locked, const double *guess, double enough,
                                  int count, uint64_t *seed)
{
    const int nq = pinion_model_nq(x->m);
    double *way = numbers(x->n), *q = numbers(nq), least = INFINITY;
    for (int k = 0; k < count; k++) {
        const double size = 3.0 * (1 + k) / count;
        for (int j = 0; j < x->n; j++) way[j] = locked && locked[j] ? 0 : check_between(seed, -size, size);
        CHECK_STATUS(pinion_integrate(x->m, guess, way, 1, q), PINION_OK);
        /* closed, and not the wrong way round */
        if (!newton(x, locked, q) || pinion_assemble(x->m, x->w, 0, locked, q, NULL) != PINION_OK) continue;
        least = fmin(least, walk(x, locked, guess, fmin(least, enough), q));
    }
    free(way);
    free(q);
    return least;
}

#endif
