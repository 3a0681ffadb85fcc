/* Whether v is the velocity and a the acceleration of q along a trajectory, by differences. */
#ifndef PN_TEST_DERIVATIVE_H
#define PN_TEST_DERIVATIVE_H

#include "check.h"
#include "pinion/sim/trajectory.h"

#define WIDEST 200 /* coordinates of the largest model in these tests */

/* (x(t + h) - x(t - h)) / 2h of q on the manifold, and of v. */
static inline int derivative_once(const pinion_model *m, pinion_trajectory *p, double t, double h, double *dq,
                                  double *dv)
{
    double q0[WIDEST], q1[WIDEST], v0[WIDEST], v1[WIDEST];
    if (pinion_trajectory_at(p, t - h, q0, v0, NULL) != PINION_OK) return 0;
    if (pinion_trajectory_at(p, t + h, q1, v1, NULL) != PINION_OK) return 0;
    if (pinion_difference(m, q0, q1, dq) != PINION_OK) return 0;
    for (int i = 0; i < pinion_model_nv(m); i++) {
        dq[i] /= 2 * h;
        dv[i] = (v1[i] - v0[i]) / (2 * h);
    }
    return 1;
}

/* The largest difference of v from the derivative of q, and of a from that of v, relative to the largest of
 * each. Of order 4 by extrapolation: t - h to t + h must not hold a kink. */
static inline void derivative_errors(const pinion_model *m, pinion_trajectory *p, double t, double h,
                                     double *error_v, double *error_a)
{
    double q[WIDEST], v[WIDEST], a[WIDEST], dq[WIDEST], dv[WIDEST], half_q[WIDEST], half_v[WIDEST];
    *error_v = *error_a = INFINITY;
    if (pinion_trajectory_at(p, t, q, v, a) != PINION_OK) return;
    if (!derivative_once(m, p, t, h, dq, dv) || !derivative_once(m, p, t, h / 2, half_q, half_v)) return;
    for (int i = 0; i < pinion_model_nv(m); i++) {
        dq[i] = (4 * half_q[i] - dq[i]) / 3;
        dv[i] = (4 * half_v[i] - dv[i]) / 3;
    }
    *error_v = check_error(dq, v, (size_t)pinion_model_nv(m), 1);
    *error_a = check_error(dv, a, (size_t)pinion_model_nv(m), 1);
}

/* Checks both at an instant; the errors so far are kept in worst[2]. */
static inline void check_derivatives(const pinion_model *m, pinion_trajectory *p, double t, double h,
                                     double tolerance, double worst[2])
{
    double error_v, error_a;
    derivative_errors(m, p, t, h, &error_v, &error_a);
    check_count += 2;
    if (!(error_v <= tolerance)) CHECK_FAIL("at %g v is not the velocity of q: %g", t, error_v);
    if (!(error_a <= tolerance)) CHECK_FAIL("at %g a is not the acceleration: %g", t, error_a);
    worst[0] = fmax(worst[0], error_v);
    worst[1] = fmax(worst[1], error_a);
}

/* The largest jump of q, v and a across an instant. */
static inline void jumps(const pinion_model *m, pinion_trajectory *p, double t, double h, double jump[3])
{
    double q[2][WIDEST], v[2][WIDEST], a[2][WIDEST], d[WIDEST];
    jump[0] = jump[1] = jump[2] = INFINITY;
    for (int side = 0; side < 2; side++)
        if (pinion_trajectory_at(p, side ? t + h : t - h, q[side], v[side], a[side]) != PINION_OK) return;
    if (pinion_difference(m, q[0], q[1], d) != PINION_OK) return;
    jump[0] = jump[1] = jump[2] = 0;
    for (int i = 0; i < pinion_model_nv(m); i++) {
        jump[0] = fmax(jump[0], fabs(d[i]));
        jump[1] = fmax(jump[1], fabs(v[1][i] - v[0][i]));
        jump[2] = fmax(jump[2], fabs(a[1][i] - a[0][i]));
    }
}

#endif
