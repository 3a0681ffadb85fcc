/* Inertias of bodies: which have one of their own, for algorithms that invert it; and what regressors multiply. */
#include <math.h>
#include "api/registry.h"
#define num double
#include "model/constants.inc"
#undef num

/* A principal second moment below this part of the trace about the body's origin counts as none: what is solved with
 * the inverse loses as many digits. */
#define LEAST 1e-6

/* Whether the 6 x 6 inertia has an inverse: a mass, and a second moment about the centre of mass with positive
 * pivots. */
static int has_inverse(const pn_link *L)
{
    const double *I = L->I, *h = L->h;
    if (!(L->m > 0)) return 0;
    const double x = h[0] / L->m, y = h[1] / L->m, z = h[2] / L->m;
    const double xx = I[0] - (h[1] * y + h[2] * z), yy = I[3] - (h[0] * x + h[2] * z);
    const double zz = I[5] - (h[0] * x + h[1] * y), least = LEAST * (I[0] + I[3] + I[5]);
    const double xy = I[1] + h[0] * y, xz = I[2] + h[0] * z, yz = I[4] + h[1] * z;
    if (!(xx > least)) return 0;
    const double second = yy - xy * xy / xx, mixed = yz - xy * xz / xx;
    return second > least && zz - xz * xz / xx - mixed * mixed / second > least;
}

int pn_singular_body(const pinion_model *m)
{
    const pn_link *links = (const pn_link *)(PN_AT_CONST(m, pn_head, m->f64) + 1);
    for (int i = 1; i < m->n.nodes; i++)
        if (!has_inverse(&links[i])) return i;
    return -1;
}

double pn_force_bound(const pinion_model *m, double unit, double a, double v, const double external[2])
{
    const pn_head *head = PN_AT_CONST(m, pn_head, m->f64);
    const pn_link *links = (const pn_link *)(head + 1);
    const double *g = head->gravity, lift = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), any = a + v * v;
    double most = 0;
    for (int i = 1; i < m->n.nodes; i++) {
        const double turning = links[i].turning, mass = links[i].shifting, lever = mass > 0 ? sqrt(turning / mass) : 0;
        most = fmax(most, (turning + mass * unit * unit) * any + (unit + lever) * (mass * lift + external[1]));
    }
    return most + external[0];
}

/* With the frame of the link at p in the compiled body, turned by R: points x there are r = R x + p here, so the sums
 * over m x and m x x' follow from those over m r and m r r'. */
pinion_status pinion_model_body_parameters(const pinion_model *m, int body, double parameters[10])
{
    if (!m || !parameters || body < 1 || body >= m->n.bodies) return PINION_ERR_ARGUMENT;
    const pn_link *L = (const pn_link *)(PN_AT_CONST(m, pn_head, m->f64) + 1) + PN_AT_CONST(m, int, m->body_node)[body];
    const double *p = L->link.p, *R = L->link.R, half = (L->I[0] + L->I[3] + L->I[5]) / 2;
    const double I[3][3] = {{L->I[0], L->I[1], L->I[2]}, {L->I[1], L->I[3], L->I[4]}, {L->I[2], L->I[4], L->I[5]}};
    double S[3][3], T[3][3] = {{0}}, h[3];
    for (int r = 0; r < 3; r++) h[r] = L->h[r] - L->m * p[r];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            S[r][c] = (r == c ? half : 0) - I[r][c] - p[r] * L->h[c] - h[r] * p[c];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 9; k++) T[r][c] += R[3 * (k / 3) + r] * S[k / 3][k % 3] * R[3 * (k % 3) + c];
    const double trace = T[0][0] + T[1][1] + T[2][2];
    parameters[0] = L->m;
    for (int r = 0; r < 3; r++) parameters[1 + r] = R[r] * h[0] + R[3 + r] * h[1] + R[6 + r] * h[2];
    const double second[6] = {trace - T[0][0], -T[0][1], -T[0][2], trace - T[1][1], -T[1][2], trace - T[2][2]};
    for (int k = 0; k < 6; k++) parameters[4 + k] = second[k];
    return PINION_OK;
}

pinion_status pinion_model_joint_parameters(const pinion_model *m, int joint, double *parameters)
{
    pinion_joint_info info;
    const pinion_status status = pinion_model_joint(m, joint, &info);
    if (status != PINION_OK || !parameters) return PINION_ERR_ARGUMENT;
    for (int d = 0; d < info.dof_count; d++) {
        const pinion_dof *e = &info.dof[d];
        parameters[4 * d] = e->gear_ratio * e->gear_ratio * e->rotor_inertia;
        parameters[4 * d + 1] = e->damping;
        parameters[4 * d + 2] = e->friction_positive;
        parameters[4 * d + 3] = e->friction_negative;
    }
    return PINION_OK;
}
