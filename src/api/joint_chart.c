/* The chart of rollouts (kernel/state/chart_point.inc) for one joint, with its derivatives: where a joint is at theta
 * from q0, how fast theta moves as the joint moves with v, and what both change by. In double, whatever the precision
 * of the call. */
#include "api/api.h"
#include "base/vec3.h"
#include <math.h>

/* (1 - (x/2) cot(x/2)) / x^2 and its derivative by z = x^2, which are sums of 2 zeta(2k) z^(k-1) / (2 pi)^(2k). A step
 * turns by less than 3 rad: each term is below a fourth of the one before. */
static void cotangent_series(double z, double *t, double *slope)
{
    static const double zeta[] = {1.6449340668482264, 1.0823232337111382, 1.0173430619844491, 1.0040773561979443,
                                  1.0009945751278181, 1.0002460865533080, 1.0000612481350587, 1.0000152822594086,
                                  1.0000038172932650, 1.0000009539620338, 1.0000002384505027, 1.0000000596081891};
    const double square = 4 * 3.14159265358979323846 * 3.14159265358979323846;
    double power = 1 / square; /* z^(k-1) / (2 pi)^(2k) */
    double lower = 1 / square; /* z^(k-2) / (2 pi)^(2k), from k = 2 on */
    double quarters = 1;       /* 4^-k */
    *t = *slope = 0;
    for (int k = 1; k <= 30; k++) {
        quarters /= 4;
        const double times = k <= 12 ? zeta[k - 1] : 1 + quarters;
        if (k > 1) lower *= (k == 2 ? 1 : z) / square;
        if (k > 1) *slope += 2 * times * (k - 1) * lower;
        *t += 2 * times * power;
        power *= z / square;
    }
}

/* rate = J^-1 v with J the right Jacobian at theta: v + theta x v / 2 + t theta x (theta x v); and by theta */
static void rotation_rate(const double theta[3], const double v[3], pn_joint_chart *c, double rate[3])
{
    double t, slope, once[3], twice[3];
    cotangent_series(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2], &t, &slope);
    pn_cross3(theta, v, once);
    pn_cross3(theta, once, twice);
    for (int i = 0; i < 3; i++) rate[i] = v[i] + once[i] / 2 + t * twice[i];
    for (int j = 0; j < 3; j++) {
        const double e[3] = {j == 0, j == 1, j == 2};
        double x[3], y[3], z[3];
        pn_cross3(e, v, x);
        pn_cross3(e, once, y);
        pn_cross3(theta, x, z);
        for (int i = 0; i < 3; i++)
            c->by_theta[3 * i + j] = x[i] / 2 + t * (y[i] + z[i]) + 2 * slope * theta[j] * twice[i];
        pn_cross3(theta, e, x);
        pn_cross3(theta, x, y);
        for (int i = 0; i < 3; i++) c->by_v[3 * i + j] = e[i] + x[i] / 2 + t * y[i];
    }
}

/* the quaternion turned by theta */
static void turned(const double q0[4], const double theta[3], double q[4])
{
    const double x = sqrt(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]);
    const double s = x > 1e-9 ? sin(x / 2) / x : 0.5, w = cos(x / 2);
    const double *u = q0 + 1, step[3] = {s * theta[0], s * theta[1], s * theta[2]};
    double y[3];
    pn_cross3(u, step, y);
    for (int i = 0; i < 3; i++) q[1 + i] = q0[0] * step[i] + w * u[i] + y[i];
    q[0] = q0[0] * w - (u[0] * step[0] + u[1] * step[1] + u[2] * step[2]);
}

void pn_joint_chart_at(pinion_joint_type type, int nv, const double *q0, const double *theta, const double *v,
                       pn_joint_chart *c, double *q, double *rate)
{
    double xi[6] = {0}, back[36], J[36];
    c->type = type;
    c->nv = nv;
    for (int d = 0; d < nv; d++) c->v[d] = v[d];
    if (type == PINION_JOINT_PLANAR) {
        for (int d = 0; d < 3; d++) q[d] = q0[d] + theta[d];
        const double turn[2] = {q0[2], q[2]};
        for (int k = 0; k < 2; k++) {
            const double C = cos(turn[k]), S = sin(turn[k]), R[9] = {C, -S, 0, S, C, 0, 0, 0, 1};
            for (int i = 0; i < 9; i++) (k ? c->R : c->R0)[i] = R[i];
        }
        pn_turn3(c->R, v, rate);
        return;
    }
    if (type != PINION_JOINT_SPHERICAL && type != PINION_JOINT_FREE) {
        for (int d = 0; d < nv; d++) q[d] = q0[d] + theta[d], rate[d] = v[d];
        return;
    }
    turned(q0, theta, q);
    rotation_rate(theta, v, c, rate);
    for (int d = 0; d < 3; d++) xi[d] = theta[d];
    pn_twist_jacobians(xi, back, J);
    for (int i = 0; i < 9; i++) {
        c->back[i] = back[6 * (i / 3) + i % 3];
        c->J[i] = J[6 * (i / 3) + i % 3];
    }
    if (type != PINION_JOINT_FREE) return;
    pn_quaternion_matrix(q0, c->R0);
    pn_quaternion_matrix(q, c->R);
    for (int d = 0; d < 3; d++) q[4 + d] = q0[4 + d] + theta[3 + d];
    pn_turn3(c->R, v + 3, rate + 3);
}

/* dq = R' (R0 d0 + dtheta), of places */
static void shifted(const pn_joint_chart *c, const double *d0, const double *dtheta, double *dq)
{
    double x[3];
    pn_turn3(c->R0, d0, x);
    for (int i = 0; i < 3; i++) x[i] += dtheta[i];
    pn_turn3_back(c->R, x, dq);
}

/* R (dv + w x v), of places that turn with w */
static void carried(const pn_joint_chart *c, const double *v, const double *dv, const double *w, double *drate)
{
    double x[3];
    pn_cross3(w, v, x);
    for (int i = 0; i < 3; i++) x[i] += dv[i];
    pn_turn3(c->R, x, drate);
}

void pn_joint_chart_change(const pn_joint_chart *c, const double *d0, const double *dtheta, const double *dv,
                           double *dq, double *drate)
{
    if (c->type == PINION_JOINT_PLANAR) {
        const double there[3] = {d0[0], d0[1], 0}, moved[3] = {dtheta[0], dtheta[1], 0}, way[3] = {c->v[0], c->v[1], 0};
        const double w[3] = {0, 0, d0[2] + dtheta[2]}, more[3] = {dv[0], dv[1], 0};
        shifted(c, there, moved, dq);
        carried(c, way, more, w, drate);
        dq[2] = w[2];
        drate[2] = dv[2];
        return;
    }
    if (c->type != PINION_JOINT_SPHERICAL && c->type != PINION_JOINT_FREE) {
        for (int d = 0; d < c->nv; d++) dq[d] = d0[d] + dtheta[d], drate[d] = dv[d];
        return;
    }
    double x[3], y[3];
    pn_turn3(c->back, d0, x);
    pn_turn3(c->J, dtheta, y);
    for (int i = 0; i < 3; i++) dq[i] = x[i] + y[i];
    pn_turn3(c->by_theta, dtheta, x);
    pn_turn3(c->by_v, dv, y);
    for (int i = 0; i < 3; i++) drate[i] = x[i] + y[i];
    if (c->type != PINION_JOINT_FREE) return;
    shifted(c, d0 + 3, dtheta + 3, dq + 3);
    carried(c, c->v + 3, dv + 3, dq, drate + 3);
}
