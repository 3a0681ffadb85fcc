/* Constant angles, and the common normal of two axes. */
#include <math.h>

#include "model/plan/place_frames.h"
#include "model/pose.h"

/* Below this an entry of a rotation is rounding: a few products of exact structure reach some 1e-16. */
#define ANGLE_ROUNDING 1e-15
/* Axes whose directions differ by less are parallel. */
#define PARALLEL 1e-13
/* The feet of the common normal may be this much farther from the origins than those from each other. */
#define FAR_NORMAL 16

pn_angle pn_angle_of(double c, double s)
{
    pn_angle angle = {c, s};
    double length = hypot(c, s);
    if (length != 1) {
        angle.c /= length;
        angle.s /= length;
    }
    if (fabs(angle.c) < ANGLE_ROUNDING) {
        angle.c = 0;
        angle.s = angle.s > 0 ? 1 : -1;
    } else if (fabs(angle.s) < ANGLE_ROUNDING) {
        angle.c = angle.c > 0 ? 1 : -1;
        angle.s = 0;
    }
    return angle;
}

pn_angle pn_angle_add(pn_angle x, pn_angle y)
{
    return pn_angle_of(x.c * y.c - x.s * y.s, x.s * y.c + x.c * y.s);
}

pn_angle pn_angle_subtract(pn_angle x, pn_angle y)
{
    return pn_angle_of(x.c * y.c + x.s * y.s, x.s * y.c - x.c * y.s);
}

double pn_snap_length(double x, double tiny)
{
    return fabs(x) < tiny ? 0 : x;
}

pinion_pose pn_snap_pose(const pinion_pose *pose, double tiny)
{
    pinion_pose out = *pose;
    for (int i = 0; i < 9; i++) {
        if (fabs(out.rotation[i]) < ANGLE_ROUNDING) out.rotation[i] = 0;
        if (fabs(fabs(out.rotation[i]) - 1) < ANGLE_ROUNDING) out.rotation[i] = out.rotation[i] > 0 ? 1 : -1;
    }
    for (int i = 0; i < 3; i++) out.position[i] = pn_snap_length(out.position[i], tiny);
    return out;
}

/* theta from Rz(theta) = Rx(-alpha) Rz(-beta) R, which has its cosine and its sine twice. */
static pn_angle last_angle(const double R[9], pn_angle beta, pn_angle alpha)
{
    double upper[2], lower[2];
    for (int j = 0; j < 2; j++) {
        upper[j] = beta.c * R[j] + beta.s * R[3 + j];
        lower[j] = alpha.c * (beta.c * R[3 + j] - beta.s * R[j]) + alpha.s * R[6 + j];
    }
    return pn_angle_of(0.5 * (upper[0] + lower[1]), 0.5 * (lower[0] - upper[1]));
}

pn_normal pn_common_normal(const pinion_pose *K, double tiny)
{
    pn_normal n = {1, {1, 0}, {1, 0}, {1, 0}, 0, 0, 0};
    const double *R = K->rotation;
    double p[3];
    for (int i = 0; i < 3; i++) p[i] = pn_snap_length(K->position[i], tiny);
    double ux = R[2], uy = R[5], uz = R[8], sine = hypot(ux, uy);

    /* parallel: any common normal will do, so the one through both origins' plane */
    if (sine < PARALLEL) {
        n.alpha.c = uz > 0 ? 1 : -1;
        n.a = hypot(p[0], p[1]);
        if (n.a > 0) n.beta = pn_angle_of(p[0] / n.a, p[1] / n.a);
        n.d = n.alpha.c * p[2];
        n.theta = last_angle(R, n.beta, n.alpha);
        return n;
    }

    /* x on z cross u; p = a x + d u + e z */
    n.alpha = pn_angle_of(uz, sine);
    n.beta = pn_angle_of(0.0 - uy / sine, ux / sine);
    n.a = n.beta.c * p[0] + n.beta.s * p[1];
    n.d = (p[0] * (ux / sine) + p[1] * (uy / sine)) / sine;
    n.e = p[2] - n.d * uz;
    n.good = fmax(fabs(n.e), fabs(n.d)) <= FAR_NORMAL * pn_norm3(p) + tiny;
    n.theta = last_angle(R, n.beta, n.alpha);
    n.a = pn_snap_length(n.a, tiny);
    n.d = pn_snap_length(n.d, tiny);
    n.e = pn_snap_length(n.e, tiny);
    return n;
}
