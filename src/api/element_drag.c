/* Drag: how the medium around a link brakes it.
 *
 * With the link's velocity nu and the wind W, both along the link's axes, y = nu - [0; W] is the velocity
 * against the medium, and u = X y the same in the frame of the drag. There the force is -l u - k |u| u, axis
 * by axis, so f = -X' (l u + k |u| u) in the link, K = df/dy = -X' (l + 2 k |u|) X, and
 *
 *     tau = J' f,   dtau/dv = J' K J,   dtau/dq = H' f + J' K dy/dq,   dy/dq = H v + [0; J_w x W],
 *
 * with J and H the link's Jacobian and its derivative, J_w the angular rows: W stands still in the world. */
#include "api/element_forces.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "pinion/calls.h"

/* X, the motion transform from the link to the frame of the drag: [E 0; -E p~ E]. */
static void transform(const pinion_pose *pose, double X[36])
{
    const double *R = pose->rotation, *p = pose->position;
    memset(X, 0, 36 * sizeof *X);
    for (int i = 0; i < 3; i++) {
        const double e[3] = {R[i], R[3 + i], R[6 + i]}; /* axis i of the frame, in the link */
        double arm[3];
        pn_cross3(p, e, arm); /* e . (w x p) = w . (p x e) */
        for (int k = 0; k < 3; k++) {
            X[6 * i + k] = X[6 * (3 + i) + 3 + k] = e[k];
            X[6 * (3 + i) + k] = arm[k];
        }
    }
}

pinion_status pn_brake(const pinion_model *m, pinion_work *w, const double *q, const double *v, int link,
                       const pinion_drag *drag, pn_braking *out)
{
    double y[6] = {0}, X[36], R[9], slope[6];
    pinion_status status = pinion_frame_pose(m, w, q, link, NULL, R);
    if (status == PINION_OK && v) status = pinion_frame_velocity(m, w, q, v, link, PINION_REFERENCE_LOCAL, y);
    if (status != PINION_OK) return status;
    for (int i = 0; i < 3; i++) {
        out->wind[i] = R[i] * drag->wind[0] + R[3 + i] * drag->wind[1] + R[6 + i] * drag->wind[2];
        y[3 + i] -= out->wind[i];
    }
    transform(&drag->pose, X);
    memset(out->f, 0, sizeof out->f);
    memset(out->K, 0, sizeof out->K);
    for (int i = 0; i < 6; i++) {
        double u = 0;
        for (int k = 0; k < 6; k++) u += X[6 * i + k] * y[k];
        slope[i] = drag->linear[i] + 2 * drag->quadratic[i] * fabs(u);
        const double f = (drag->linear[i] + drag->quadratic[i] * fabs(u)) * u;
        for (int k = 0; k < 6; k++) {
            out->f[k] -= X[6 * i + k] * f;
            for (int l = 0; l < 6; l++) out->K[6 * k + l] -= X[6 * i + k] * slope[i] * X[6 * i + l];
        }
    }
    return PINION_OK;
}

pinion_status pn_d_brake(const pinion_model *m, pinion_work *w, const double *q, const double *v, int link,
                         const pinion_drag *drag, double *J, double *H, double *dq, double *dv)
{
    const int n = pinion_model_nv(m);
    pn_braking b;
    pinion_status status = pn_brake(m, w, q, v, link, drag, &b);
    if (status == PINION_OK) status = pinion_jacobian(m, w, q, link, PINION_REFERENCE_LOCAL, J);
    if (status == PINION_OK && dq) status = pinion_hessian(m, w, q, link, PINION_REFERENCE_LOCAL, H);
    for (int k = 0; k < n && status == PINION_OK; k++) {
        /* how the force changes with v_k and with q_k */
        double by_v[6] = {0}, by_q[6] = {0}, dy[6] = {0};
        const double turn[3] = {J[k], J[n + k], J[2 * n + k]};
        pn_cross3(turn, b.wind, dy + 3);
        for (int i = 0; i < 6; i++)
            for (int j = 0; dq && v && j < n; j++) dy[i] += H[(i * n + j) * n + k] * v[j];
        for (int i = 0; i < 6; i++)
            for (int l = 0; l < 6; l++) {
                by_v[i] += b.K[6 * i + l] * J[l * n + k];
                by_q[i] += b.K[6 * i + l] * dy[l];
            }
        for (int j = 0; j < n; j++)
            for (int i = 0; i < 6; i++) {
                if (dq) dq[j * n + k] += H[(i * n + j) * n + k] * b.f[i] + J[i * n + j] * by_q[i];
                if (dv) dv[j * n + k] += J[i * n + j] * by_v[i];
            }
    }
    return status;
}
