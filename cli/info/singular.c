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

#define NEARLY 1e-6 /* of what rows could be: rounding of files, which opens no loop */
#define WAY 0.01 /* rad, or of a length of the mechanism, of the coordinate that moves the most */
enum { LOOKS = 4, LARGEST = 200 };

/* Uniform in [-1, 1): a linear congruential generator. */
static double any_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

static double largest(int n, const double *x, const double *unit)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]) / unit[i]);
    return most;
}

/* One look: the rank at a place nearby and how far that is, as a part of the way that was gone; 0 when there is
 * nothing to see. */
static int look(const pinion_model *m, pinion_work *w, const double *q, const double *unit, uint64_t *state,
                double *there, double *v, int *rank, double *way)
{
    const int nv = pinion_model_nv(m);
    pinion_mobility mobility;
    for (int i = 0; i < nv; i++) v[i] = any_number(state) * unit[i];
    if (pinion_project_velocity(m, w, 0, NULL, q, v) != PINION_OK) return 0;
    const double most = largest(nv, v, unit);
    if (!(most > 1e-6)) return 0;
    for (int i = 0; i < nv; i++) v[i] *= WAY / most;
    if (pinion_integrate(m, q, v, 1, there) != PINION_OK || pinion_assemble(m, w, 0, NULL, there, NULL) != PINION_OK ||
        pinion_mobility_at(m, w, 0, there, &mobility) != PINION_OK || pinion_difference(m, q, there, v) != PINION_OK)
        return 0;
    *rank = mobility.rank;
    *way = largest(nv, v, unit) / WAY;
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

void pn_cli_doubt_at(const pinion_model *m, const pinion_mobility *at, char *text, size_t size)
{
    pinion_loop_info loop;
    if (at->doubt > 0)
        pn_cli_doubt(m, at->doubt, at->doubt_loop, at->rounded, text, size);
    else if (at->singular && pinion_model_loop(m, at->singular_loop, &loop) == PINION_OK)
        snprintf(text, size,
                 "loop '%.80s' is at a singular position: motions of several kinds meet here, or none is possible (the "
                 "rank of the constraints, %d, is another one next to it); accelerations and forces are one answer of "
                 "several",
                 loop.name, at->rank);
    else
        snprintf(text, size, "%s", "");
}

/* Whether a row of a loop is an angle, or the sine of one. */
static int is_angle(const pinion_model *m, const pinion_loop_info *loop, int row)
{
    static const int turning[] = {3, 2, 2, 3, 2, 2, 1, 2, 0, 0}; /* rows, PINION_JOINT_FIXED ... */
    const int gear = loop->kind == PINION_LOOP_GEAR;
    pinion_joint_info joint;
    if (loop->kind == PINION_LOOP_JOINT) return row - loop->row < turning[loop->joint.type];
    if (!gear && loop->kind != PINION_LOOP_DRIVE) return 0;
    return pinion_model_joint(m, gear ? loop->second : loop->first, &joint) != PINION_OK ||
           joint.type != PINION_JOINT_PRISMATIC;
}

/* The row that is off most, in what it may be off; -1: none. */
static int worst_row(int rows, const double *off, const double *size, double times)
{
    int worst = -1;
    double most = 1;
    for (int i = 0; i < rows; i++) {
        const double share = fabs(off[i]) / (NEARLY * times * (size[i] > 0 ? size[i] : 1));
        if (share > most) most = share, worst = i;
    }
    return worst;
}

double pn_cli_open_share(const pinion_model *m, pinion_work *w, double t, const double *q)
{
    const int rows = pinion_model_row_count(m);
    double *phi = calloc(2 * (size_t)rows + 1, sizeof *phi), *size = phi ? phi + rows : NULL, most = 0;
    const pinion_constraints parts = {.phi = phi};
    if (phi && pinion_constraints_at(m, w, t, q, NULL, &parts) == PINION_OK &&
        pinion_constraint_sizes(m, w, q, size, NULL) == PINION_OK)
        for (int i = 0; i < rows; i++) most = fmax(most, fabs(phi[i]) / (size[i] > 0 ? size[i] : 1));
    free(phi);
    return most;
}

/* "loop 'rod' is open by 0.36 m: ...", with the rows of that loop that have the unit of the worst one; `rate`: they are
 * rates. */
static void tell_rows(const pinion_model *m, double t, int worst, const double *off, int rate, const char *then,
                      char *text, size_t size)
{
    pinion_loop_info loop;
    double sum = 0, law[3];
    for (int i = 0; pinion_model_loop(m, i, &loop) == PINION_OK; i++)
        if (worst >= loop.row && worst < loop.row + loop.rows) break;
    const int angle = is_angle(m, &loop, worst);
    for (int i = loop.row; i < loop.row + loop.rows; i++)
        if (is_angle(m, &loop, i) == angle) sum += off[i] * off[i];
    double by = sqrt(sum);
    if (angle && !rate && loop.kind == PINION_LOOP_JOINT) by = asin(fmin(by, 1));
    if (!rate && loop.kind == PINION_LOOP_DISTANCE) { /* phi is of its square */
        pinion_motion_at(&loop.motion, t, law);
        const double length = loop.length + law[0];
        by = fabs(sqrt(fmax(0, 2 * loop.length * off[worst] + length * length)) - length);
    }
    snprintf(text, size, "loop '%.80s' is %s by %.3g %s%s: %s", loop.name, rate ? "driven open" : "open",
             angle ? by * (180 / M_PI) : by, angle ? "degrees" : "m", rate ? " a second" : "", then);
}

void pn_cli_loops_look(const pinion_model *m, pinion_work *w, double t, const double *q, const double *v, cli_loops *x)
{
    static const char as_it_is[] = "accelerations and forces are those of the state as it is, in which the mechanism "
                                   "cannot be";
    const int rows = pinion_model_row_count(m);
    const int nv = pinion_model_nv(m);
    double *phi = calloc(3 * (size_t)rows + (size_t)nv + 1, sizeof *phi), *rate = phi + rows, *size = rate + rows;
    double *unit = size + rows, fast = 1;
    const pinion_constraints parts = {.phi = phi, .rate = rate};
    pinion_mobility at;
    memset(x, 0, sizeof *x);
    x->angle = INFINITY;
    if (phi && rows && pinion_constraints_at(m, w, t, q, v, &parts) == PINION_OK &&
        pinion_constraint_sizes(m, w, q, size, unit) == PINION_OK && pinion_mobility_at(m, w, t, q, &at) == PINION_OK) {
        pinion_loop_info loop;
        const int open = worst_row(rows, phi, size, 1);
        for (int i = 0; v && i < nv; i++) fast = fmax(fast, fabs(v[i]) / unit[i]);
        const int driven = worst_row(rows, rate, size, fast);
        if (open >= 0) tell_rows(m, t, open, phi, 0, as_it_is, x->text[TOLD_OPEN], sizeof x->text[0]);
        if (open < 0 && at.open > 1 && pinion_model_loop(m, at.open_loop, &loop) == PINION_OK)
            snprintf(x->text[TOLD_OPEN], sizeof x->text[0],
                     "loop '%.80s' is turned out of its place by %.3g degrees: %s", loop.name, at.open * (180 / M_PI),
                     as_it_is);
        if (driven >= 0)
            tell_rows(m, t, driven, rate, 1,
                      "accelerations and forces are those of velocities that the mechanism cannot have",
                      x->text[TOLD_RATE], sizeof x->text[0]);
        const int in_doubt = at.doubt > 0;
        pn_cli_doubt_at(m, &at, x->text[in_doubt ? TOLD_DOUBT : TOLD_SINGULAR], sizeof x->text[0]);
        if (in_doubt || at.singular) x->angle = at.doubt;
    }
    free(phi);
}

singular_kind pn_cli_singular(const pinion_model *m, pinion_work *w, const double *q, const pinion_mobility *mobility)
{
    const int nq = pinion_model_nq(m), nv = pinion_model_nv(m);
    if (mobility->freedom < 1 || nv > LARGEST) return SINGULAR_NOT;
    double *there = calloc((size_t)nq + 2 * (size_t)nv + 1, sizeof *there), *unit = there ? there + nq + nv : NULL;
    if (!there || pinion_constraint_sizes(m, w, q, NULL, unit) != PINION_OK) {
        free(there);
        return SINGULAR_NOT;
    }
    singular_kind kind = SINGULAR_NOT;
    uint64_t state = 1;
    int seen = 0, back = 0;
    for (int i = 0; i < LOOKS && kind == SINGULAR_NOT; i++) {
        int rank = 0;
        double way = 0;
        if (!look(m, w, q, unit, &state, there, there + nq, &rank, &way)) continue;
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
