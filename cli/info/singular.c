/* Singular positions of closed loops, found by looking around.
 *
 * A velocity that L allows is followed for a short way, and the loops are closed again. At an ordinary place that is
 * a place a short way off, and the rank of L is the same. Where branches cross it is on one of them, and the rank is
 * higher. Where the mechanism cannot move at all, closing leads back. */
#include "cli/info/singular.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAY 0.01 /* m or rad, of the coordinate that moves the most */
enum { LOOKS = 4, LARGEST = 200 };

/* Uniform in [-1, 1): a linear congruential generator. */
static double any_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

static double largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* One look: the rank at a place nearby and how far that is, as a part of the way that was gone; 0 when there is
 * nothing to see. */
static int look(const pinion_model *m, pinion_work *w, const double *q, uint64_t *state, double *there, double *v,
                int *rank, double *way)
{
    const int nv = pinion_model_nv(m);
    pinion_mobility mobility;
    for (int i = 0; i < nv; i++) v[i] = any_number(state);
    if (pinion_project_velocity(m, w, 0, NULL, q, v) != PINION_OK) return 0;
    const double most = largest(nv, v);
    if (!(most > 1e-6)) return 0;
    for (int i = 0; i < nv; i++) v[i] *= WAY / most;
    if (pinion_integrate(m, q, v, 1, there) != PINION_OK || pinion_assemble(m, w, 0, NULL, there, NULL) != PINION_OK ||
        pinion_mobility_at(m, w, 0, there, &mobility) != PINION_OK || pinion_difference(m, q, there, v) != PINION_OK)
        return 0;
    *rank = mobility.rank;
    *way = largest(nv, v) / WAY;
    return 1;
}

void pn_cli_doubt(const pinion_model *m, double angle, int loop, int rounded, char *text, size_t size)
{
    pinion_loop_info info;
    const char *name = loop >= 0 && pinion_model_loop(m, loop, &info) == PINION_OK ? info.name : "";
    if (rounded)
        snprintf(text, size,
                 "loop '%.80s': a constraint is independent of the others, or contradicts them, by no more than "
                 "%.3g rad (%.2g degrees) wherever the loops move: data seem to be rounded, as pi/2 to 1.5708. It does "
                 "not count (but for kkt-sparse, and from 1e-6 rad on in part for loop-proximal), and the loop closes "
                 "but for that; with more digits, or angles in degrees, it would be exact",
                 name, angle, angle * (180 / M_PI));
    else
        snprintf(text, size,
                 "loop '%.80s': a constraint is independent of the others by no more than %.3g rad (%.2g degrees): "
                 "the position is nearly singular, or the loops are open, and the rank is in doubt; algorithms may "
                 "disagree, and accelerations depend on the last digits of the data",
                 name, angle, angle * (180 / M_PI));
}

singular_kind pn_cli_singular(const pinion_model *m, pinion_work *w, const double *q, const pinion_mobility *mobility)
{
    const int nq = pinion_model_nq(m), nv = pinion_model_nv(m);
    if (mobility->freedom < 1 || nv > LARGEST) return SINGULAR_NOT;
    double *there = calloc((size_t)nq + (size_t)nv + 1, sizeof *there);
    if (!there) return SINGULAR_NOT;
    singular_kind kind = SINGULAR_NOT;
    uint64_t state = 1;
    int seen = 0, back = 0;
    for (int i = 0; i < LOOKS && kind == SINGULAR_NOT; i++) {
        int rank = 0;
        double way = 0;
        if (!look(m, w, q, &state, there, there + nq, &rank, &way)) continue;
        seen++;
        if (way < 0.05)
            back++;
        else if (way < 10 && rank > mobility->rank)
            kind = SINGULAR_BRANCHES;
    }
    if (kind == SINGULAR_NOT && seen > 0 && back == seen) kind = SINGULAR_LOCKED;
    free(there);
    return kind;
}
