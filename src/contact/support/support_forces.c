/* Inverse dynamics on contacts: the forces of points of contact in a motion. The rows of the motion that no actuator
 * moves, N (M a + h) = N J' f, are what the forces have to give; in the metric of N M N' where they cannot. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define PN_T double
#include "base/vec3.h"
#include "contact/scene/scene_parts.h"
#include "contact/support/cone_forces.h"
#include "contact/support/support_parts.h"
#include "solve/dense_orthogonal.inc"
#include "solve/dense_symmetric.inc"

#define DEPENDENT 1e-10 /* of the largest column: what is left of others is dependent on them */
#define MOST_POINTS 4096

static pinion_status fail(pinion_support *s, pinion_status status, const char *words)
{
    snprintf(s->message, sizeof s->message, "%s", words);
    return status;
}

pinion_support *pinion_support_new(const pinion_model *m, int points)
{
    if (!m || points < 0 || points > MOST_POINTS) return NULL;
    pinion_support *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    const size_t nv = (size_t)pinion_model_nv(m), n = 3 * (size_t)points;
    const int nu = pinion_model_actuator_count(m), wide = nu > 3 * points ? nu : 3 * points;
    const size_t numbers = 6 * nv + n * nv + nv * (size_t)wide + qr_room(wide) + 3 * nv * nv + n * nv + 3 * nv +
                           n + (size_t)points + pn_cone_room((int)nv, points);
    s->m = m;
    s->nv = (int)nv;
    s->nu = nu;
    s->most = points;
    s->frame = calloc(numbers + 1, sizeof *s->frame);
    if (!s->frame) {
        free(s);
        return NULL;
    }
    double *next = s->frame + 6 * nv;
    s->J = next, next += n * nv;
    s->B = next, next += nv * (size_t)wide;
    s->qr = next, next += qr_room(wide);
    s->N = next, next += nv * nv;
    s->M = next, next += nv * nv;
    s->L = next, next += nv * nv;
    s->A = next, next += n * nv;
    s->c = next, next += nv;
    s->unit = next, next += nv;
    s->rest = next, next += nv;
    s->x = next, next += n;
    s->mu = next, next += points;
    s->room = next;
    return s;
}

void pinion_support_free(pinion_support *s)
{
    if (!s) return;
    free(s->frame);
    free(s);
}

const char *pinion_support_message(const pinion_support *s)
{
    return s ? s->message : "the support is NULL";
}

/* what is wrong with a point, NULL when nothing is */
static const char *complaint(const pinion_support *s, const pinion_support_point *p)
{
    const int links = pinion_model_link_count(s->m);
    double size = pn_dot3(p->normal, p->normal), sum = pn_dot3(p->point, p->point);
    if (p->first < -1 || p->first >= links || p->second < -1 || p->second >= links) return "a point has no such link";
    if (!isfinite(sum)) return "a point is not finite";
    if (!(fabs(size - 1) < 1e-6)) return "a normal is not a unit vector";
    if (!(p->friction >= 0) || !isfinite(p->friction)) return "friction must be 0 or more";
    if (!(p->share >= 0) || !isfinite(p->share)) return "a share must be 0 or more";
    return NULL;
}

/* the rows of a point, normal and tangents, times the root of its share */
static pinion_status point_rows(pinion_support *s, pinion_work *w, const double *q, const pinion_support_point *p,
                                double *J)
{
    const int nv = s->nv;
    double axes[3][3];
    memcpy(axes[0], p->normal, sizeof axes[0]);
    pn_scene_tangents(axes[0], axes[1], axes[2]);
    memset(J, 0, 3 * (size_t)nv * sizeof *J);
    for (int side = 0; side < 2; side++) {
        const int link = side ? p->second : p->first;
        const double sign = (side ? 1 : -1) * sqrt(p->share);
        if (link < 0) continue;
        const pinion_status status = pinion_jacobian(s->m, w, q, link, PINION_REFERENCE_WORLD, s->frame);
        if (status) return fail(s, status, pinion_work_message(w));
        for (int r = 0; r < 3; r++) {
            double arm[3];
            pn_cross3(p->point, axes[r], arm);
            for (int c = 0; c < nv; c++)
                for (int k = 0; k < 3; k++)
                    J[r * nv + c] += sign * (arm[k] * s->frame[k * nv + c] + axes[r][k] * s->frame[(3 + k) * nv + c]);
        }
    }
    return PINION_OK;
}

/* N: an orthonormal basis of the coordinates that no actuator moves, a row each; their number is returned in rows */
static pinion_status unactuated(pinion_support *s, pinion_work *w, const double *q, int *rows)
{
    const int nv = s->nv;
    *rows = 0;
    if (!s->nu) { /* it has no actuators at all: only what floats is left to contacts */
        for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
            pinion_joint_info j;
            if (pinion_model_joint(s->m, i, &j) || j.type != PINION_JOINT_FREE) continue;
            for (int k = 0; k < j.nv; k++, ++*rows)
                for (int c = 0; c < nv; c++) s->N[*rows * nv + c] = c == j.v_index + k;
        }
        return PINION_OK;
    }
    const pinion_status status = pinion_actuation_matrix(s->m, w, q, s->B);
    if (status) return fail(s, status, pinion_work_message(w));
    qr f = qr_open(nv, s->nu, s->B, s->qr);
    qr_factor(&f, DEPENDENT);
    for (int k = f.rank; k < nv; k++, ++*rows) {
        double *row = s->N + *rows * nv;
        for (int c = 0; c < nv; c++) row[c] = c == k;
        qr_apply(&f, row);
    }
    return PINION_OK;
}

/* L of N M N' = L L'; the identity where that has none */
static pinion_status metric(pinion_support *s, pinion_work *w, const double *q, int rows)
{
    const int nv = s->nv;
    const pinion_status status = pinion_mass_matrix(s->m, w, q, s->M);
    if (status) return fail(s, status, pinion_work_message(w));
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < nv; c++) s->unit[c] = pn_dot(nv, s->M + c * nv, s->N + r * nv);
        for (int k = 0; k < rows; k++) s->L[r * rows + k] = pn_dot(nv, s->unit, s->N + k * nv);
    }
    if (!(cholesky_factor(rows, s->L) > DBL_EPSILON))
        for (int i = 0; i < rows * rows; i++) s->L[i] = i % (rows + 1) == 0;
    return PINION_OK;
}

/* A and c: L^-1 N J' and L^-1 N tau, of full rank; what forces cannot give is not in them. Returns the rank. */
static int make_task(pinion_support *s, int rows, int n, const double *tau)
{
    const int nv = s->nv;
    double *full = s->B;
    for (int j = 0; j < n; j++) {
        for (int r = 0; r < rows; r++) s->unit[r] = pn_dot(nv, s->N + r * nv, s->J + j * nv);
        cholesky_forward(rows, s->L, s->unit);
        for (int r = 0; r < rows; r++) full[r * n + j] = s->unit[r];
    }
    for (int r = 0; r < rows; r++) s->c[r] = pn_dot(nv, s->N + r * nv, tau);
    cholesky_forward(rows, s->L, s->c);
    if (!n || !rows) return 0;
    qr f = qr_open(rows, n, full, s->qr);
    qr_factor(&f, DEPENDENT);
    qr_apply_transposed(&f, s->c);
    for (int r = 0; r < f.rank; r++)
        for (int j = 0; j < n; j++) s->A[r * n + f.perm[j]] = j >= r ? full[r * n + j] : 0;
    return f.rank;
}

/* the forces and margins of the points, and what they say together */
static void give_forces(pinion_support *s, int count, pinion_support_point *points, pinion_support_report *out)
{
    out->margin = INFINITY;
    for (int i = 0; i < count; i++) {
        pinion_support_point *p = &points[i];
        double y[3], z[3], f[3];
        pn_scene_tangents(p->normal, y, z);
        for (int k = 0; k < 3; k++) f[k] = sqrt(p->share) * s->x[3 * i + k];
        for (int k = 0; k < 3; k++) p->force[k] = f[0] * p->normal[k] + f[1] * y[k] + f[2] * z[k];
        p->margin = pn_cone_margin(p->friction, f);
        if (f[0] == 0 && f[1] == 0 && f[2] == 0) continue;
        const double slip = hypot(f[1], f[2]);
        out->margin = fmin(out->margin, p->margin);
        if (f[0] > 0) out->friction = fmax(out->friction, slip / f[0]);
        else if (f[0] < 0 || slip > 0) out->friction = INFINITY;
    }
    if (isinf(out->margin)) out->margin = 0;
}

pinion_status pinion_support_forces(pinion_support *s, pinion_work *w, const double *q, int count,
                                    pinion_support_point *points, double *tau, pinion_support_report *report)
{
    pinion_support_report out;
    int rows = 0;
    memset(&out, 0, sizeof out);
    if (!s) return PINION_ERR_ARGUMENT;
    s->message[0] = 0;
    if (!q || !tau || count < 0 || (count && !points)) return fail(s, PINION_ERR_ARGUMENT, "an argument is NULL");
    if (count > s->most) return fail(s, PINION_ERR_MEMORY, "there are more points than the support was made for");
    if (pinion_model_loop_count(s->m))
        return fail(s, PINION_ERR_UNSUPPORTED, "forces of contacts in a model with closed loops are not found yet");
    pinion_status status = PINION_OK;
    const int nv = s->nv, n = 3 * count;
    for (int i = 0; i < count && status == PINION_OK; i++) {
        const char *wrong = complaint(s, &points[i]);
        if (wrong) return fail(s, PINION_ERR_ARGUMENT, wrong);
        s->mu[i] = points[i].friction;
        status = point_rows(s, w, q, &points[i], s->J + 3 * i * nv);
    }
    if (status == PINION_OK) status = unactuated(s, w, q, &rows);
    if (status == PINION_OK) status = metric(s, w, q, rows);
    if (status) return status;
    for (int i = 0; i < nv; i++)
        if (!isfinite(tau[i])) return fail(s, PINION_ERR_ARGUMENT, "tau is not finite");

    const int rank = make_task(s, rows, n, tau);
    const pn_cone_task task = {rank, count, s->A, s->c, s->mu, s->room};
    out.inside = pn_cone_forces(&task, s->x);
    out.undetermined = n - rank;
    give_forces(s, count, points, &out);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < nv; k++) tau[k] -= s->x[j] * s->J[j * nv + k];

    /* what is left where no actuator is */
    memset(s->rest, 0, (size_t)nv * sizeof *s->rest);
    for (int r = 0; r < rows; r++) {
        const double part = pn_dot(nv, s->N + r * nv, tau);
        for (int k = 0; k < nv; k++) s->rest[k] += part * s->N[r * nv + k];
    }
    for (int k = 0; k < nv; k++) out.missing = fmax(out.missing, fabs(s->rest[k]));
    if (report) *report = out;
    return PINION_OK;
}

pinion_status pinion_support_from_scene(const pinion_scene *scene, double gap, int most, pinion_support_point *points,
                                        int *count)
{
    if (!scene || !count || most < 0 || (most && !points)) return PINION_ERR_ARGUMENT;
    *count = 0;
    for (int i = 0; i < pinion_scene_count(scene); i++) {
        pinion_scene_contact c;
        if (pinion_scene_contact_at(scene, i, &c) || !(c.at.gap <= gap)) continue;
        if (*count < most) {
            pinion_support_point *p = &points[*count];
            memset(p, 0, sizeof *p);
            p->first = scene->shape[scene->body_of[2 * i]].link;
            p->second = scene->shape[scene->body_of[2 * i + 1]].link;
            for (int k = 0; k < 3; k++) p->point[k] = 0.5 * (c.at.first[k] + c.at.second[k]);
            memcpy(p->normal, c.at.normal, sizeof p->normal);
            p->friction = c.friction;
            p->share = 1;
        }
        ++*count;
    }
    return *count > most ? PINION_ERR_MEMORY : PINION_OK;
}
