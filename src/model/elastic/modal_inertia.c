/* What an elastic link weighs against its modes, and whether a mass matrix that is given goes with its nodes.
 *
 * With its frame moving, a link at rest has the inertia [I B; B' M] over three rotations, three translations and its
 * modes: I and B are the points', M is theirs or given. It is the link's kinetic energy, which no motion may make
 * negative. M that is given is at least what the points have, but for what lumps weigh more than what they are for. */
#include <math.h>
#include <string.h>

#include "model/elastic/elastic_modes.h"
#include "model/pose.h"

enum { WHOLE = 6 + PN_MODES };
/* the part of a given mass that points may have too much: ten equal lumps along a cantilever have a hundredth */
#define LUMPED 0.05

/* How each of the motions displaces and turns a point. */
static void motions_at(const pn_modes *modes, double station, double (*shift)[3], double (*turn)[3])
{
    double numbers[PN_PLACE_NUMBERS(PN_MODES)];
    const int n = modes->count;
    const pinion_pose rest = pn_elastic_rest(&modes->def, station), at = pn_pose_between(&modes->def.origin, &rest);
    pn_modes_place(modes, station, numbers);
    memset(shift, 0, (size_t)(6 + n) * sizeof *shift);
    memset(turn, 0, (size_t)(6 + n) * sizeof *turn);
    for (int i = 0; i < 3; i++) {
        turn[i][i] = shift[3 + i][i] = 1;
        pn_cross3(turn[i], at.position, shift[i]);
    }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 3; i++) {
            shift[6 + k][i] = numbers[3 * k + i];
            turn[6 + k][i] = 2 * numbers[3 * (n + k) + i]; /* the numbers are half of the rotation */
        }
}

/* The points' inertia at rest, [6 + n][6 + n]. */
static void weigh_points(const pn_modes *modes, double *A)
{
    const int all = 6 + modes->count, points = pn_elastic_point_count(&modes->def);
    double shift[WHOLE][3], turn[WHOLE][3];
    memset(A, 0, (size_t)(all * all) * sizeof *A);
    for (int p = 0; p < points; p++) {
        double mass, I[6], y[3];
        motions_at(modes, pn_elastic_point(&modes->def, p, &mass, I), shift, turn);
        const double J[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]};
        for (int i = 0; i < all * all; i++) {
            pn_rotate(J, turn[i % all], y);
            A[i] += mass * pn_dot3(shift[i / all], shift[i % all]) + pn_dot3(turn[i / all], y);
        }
    }
}

/* The least eigenvalue of a symmetric matrix whose diagonal is scaled to 1. */
static double least_value(int n, const double *A)
{
    double B[WHOLE * WHOLE], V[WHOLE * WHOLE], least = 1;
    for (int i = 0; i < n * n; i++) {
        const double size = sqrt(fabs(A[i / n * (n + 1)])) * sqrt(fabs(A[i % n * (n + 1)]));
        B[i] = size > 0 ? A[i] / size : A[i];
    }
    pn_jacobi(n, B, V);
    for (int i = 0; i < n; i++) least = fmin(least, B[i * (n + 1)]);
    return least;
}

const char *pn_modes_weigh(pn_modes *modes)
{
    double A[WHOLE * WHOLE], more[PN_MODES * PN_MODES];
    const int n = modes->count, all = 6 + n;
    const double *given = modes->def.node_count ? modes->def.mass_matrix : NULL;
    weigh_points(modes, A);
    for (int i = 0; i < n * n; i++) {
        double *points = &A[(6 + i / n) * all + 6 + i % n];
        modes->mass[i] = given ? given[i] : *points;
        modes->lack[i] = modes->mass[i] - *points;
        more[i] = modes->mass[i] - (1 - LUMPED) * *points;
        *points = modes->mass[i];
    }
    if (!given) return NULL;
    if (least_value(n, more) < -1e-9)
        return "its mass matrix is smaller than what its nodes weigh against the modes; expected no less than that, "
               "or no mass matrix";
    return least_value(all, A) < -1e-9 ? "its mass matrix is too small for how its nodes move along with the link: the "
                                         "kinetic energy of the two together could be negative"
                                       : NULL;
}
