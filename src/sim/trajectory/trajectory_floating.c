/* A frame of a machine that floats on its way to a pose, by what the joints do alone: resolved motion rate with the
 * generalized Jacobian (Umetani & Yoshida 1989).
 *
 * The way is straight, and turns about one axis; s from 0 to 1 goes along it and moves in time by the profile. With no
 * momentum the joints' motion is v_m = J*+ d, of least norm, and that of the base follows from M_b v = 0, the rows of M
 * that the base's joint has. That is a differential equation for q(s), since angular momentum cannot be integrated: the
 * base ends where the way of the joints leads it. It is solved by Runge-Kutta steps of order 4, the frame brought back
 * to its way at each knot; the number of knots is doubled until the end does not change any more. Between knots q is
 * the quintic in a chart that meets q, v and a of both, with a by differences of v of order 4. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lu.h"
#include "sim/ik/ik.h"
#include "sim/trajectory/trajectory_kind.h"

#define KNOTS_LEAST 64
#define KNOTS_MOST 8192
#define SETTLED 1e-9     /* rad or m, of the end between so many knots and twice as many */
#define SINGULAR 1e-6    /* ratio of singular values below which a direction is lost */
#define NEWTON_MAX 8
#define LIMIT_SLACK 1e-9 /* rad or m */

typedef struct floating {
    pinion_trajectory base;
    pn_chart *chart;
    pn_path path;
    pinion_work *w;
    pinion_ik_options o;
    pinion_profile profile;
    double blend;
    int frame;
    int root, root_nv;             /* velocities of the joint that the machine floats on */
    pinion_pose start;             /* of the frame */
    double way[6];                 /* d: rotation vector and displacement, world axes */
    int rows, row[6];              /* directions that have a weight */
    int limited;                   /* the coordinate that is at its limit */
    char *moves;                   /* [nv] those of joints on the way to the frame; the others stand still */
    double *lower, *upper, *q, *trial, *before; /* [nq] */
    double *J, *M;                 /* [6][nv], [nv][nv] */
    double *y, *y1, *y2, *k[4];    /* [nv] */
    double *memory;
} floating;

/* y += the rotation by the vector s r */
static void turned(const double r[3], double s, const double R[9], double out[9])
{
    const double angle = s * sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    /* sin x / x and (1 - cos x) / x^2 */
    const double f = angle != 0 ? sin(angle) / angle : 1;
    const double half = 0.5 * angle, g = angle != 0 ? 0.5 * (sin(half) / half) * (sin(half) / half) : 0.5;
    const double x[3] = {s * r[0], s * r[1], s * r[2]};
    const double K[9] = {0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0};
    double E[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double square = 0;
            for (int e = 0; e < 3; e++) square += K[3 * i + e] * K[3 * e + j];
            E[3 * i + j] = (i == j) + f * K[3 * i + j] + g * square;
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = 0;
            for (int e = 0; e < 3; e++) out[3 * i + j] += E[3 * i + e] * R[3 * e + j];
        }
}

/* what is missing at q to the place on the way at s, in the directions that count */
static pinion_status miss(floating *f, const double *q, double s, double e[6], int *met)
{
    pinion_pose target = f->start;
    double position[3], rotation[9], length[2];
    for (int i = 0; i < 3; i++) target.position[i] += s * f->way[3 + i];
    turned(f->way, s, f->start.rotation, target.rotation);
    const pinion_status status = pinion_frame_pose(f->base.m, f->w, q, f->frame, position, rotation);
    if (status != PINION_OK) return status;
    pn_ik_error(&target, position, rotation, e);
    pn_ik_lengths(e, f->o.weight, &length[0], &length[1]);
    *met = length[0] <= f->o.position_tolerance && length[1] <= f->o.orientation_tolerance;
    return PINION_OK;
}

/* The velocity without momentum that moves the frame by x, of least norm in the joints; PINION_ERR_CONVERGENCE where
 * there is none. */
static pinion_status resolve(floating *f, const double *q, const double x[6], double *v)
{
    const int nv = f->base.nv, nb = f->root_nv;
    double U[36], sigma[6], rest = 0, size = 0;
    pinion_status status =
        pinion_generalized_jacobian(f->base.m, f->w, q, f->frame, PINION_REFERENCE_WORLD_ALIGNED, f->J, NULL);
    if (status == PINION_OK) status = pinion_mass_matrix(f->base.m, f->w, q, f->M);
    if (status != PINION_OK) return status;
    for (int r = 0; r < f->rows; r++)
        for (int i = 0; i < nv; i++)
            f->J[r * nv + i] = f->moves[i] ? f->o.weight[f->row[r]] * f->J[f->row[r] * nv + i] : 0;
    pn_svd(f->rows, nv, f->J, U, sigma);
    memset(v, 0, (size_t)nv * sizeof *v);
    for (int r = 0; r < f->rows; r++) {
        double along = 0;
        for (int i = 0; i < f->rows; i++) along += U[r * f->rows + i] * f->o.weight[f->row[i]] * x[f->row[i]];
        size += along * along;
        if (!(sigma[r] > SINGULAR * sigma[0])) {
            rest += along * along;
            continue;
        }
        for (int i = 0; i < nv; i++) v[i] += along / sigma[r] * f->J[r * nv + i];
    }
    if (rest > 1e-18 * size) return PINION_ERR_CONVERGENCE;

    /* the base: M_b v = 0 */
    double A[36], p[6];
    int pivot[6];
    for (int r = 0; r < nb; r++) {
        const double *row = f->M + (size_t)(f->root + r) * (size_t)nv;
        p[r] = 0;
        for (int i = 0; i < nv; i++)
            if (i < f->root || i >= f->root + nb) p[r] -= row[i] * v[i];
        for (int c = 0; c < nb; c++) A[r * nb + c] = row[f->root + c];
    }
    if (!pn_lu_factor(nb, A, pivot)) return PINION_ERR_SINGULAR;
    pn_lu_solve(nb, A, pivot, p);
    memcpy(v + f->root, p, (size_t)nb * sizeof *v);
    return PINION_OK;
}

/* y' in the chart around q0 at y */
static pinion_status slope(floating *f, const double *q0, const double *y, double *out)
{
    pn_chart_point(f->chart, q0, y, f->trial);
    const pinion_status status = resolve(f, f->trial, f->way, f->y1);
    if (status == PINION_OK) pn_chart_from_rates(f->chart, f->trial, y, f->y1, NULL, out, NULL);
    return status;
}

/* q goes on by h, without looking at the frame */
static pinion_status runge_kutta(floating *f, double h, double *q)
{
    static const double at[4] = {0, 0.5, 0.5, 1};
    const int nv = f->base.nv;
    pinion_status status = PINION_OK;
    for (int k = 0; k < 4 && status == PINION_OK; k++) {
        for (int i = 0; i < nv; i++) f->y[i] = k ? at[k] * h * f->k[k - 1][i] : 0;
        status = slope(f, q, f->y, f->k[k]);
    }
    for (int i = 0; i < nv; i++)
        f->y[i] = h / 6 * (f->k[0][i] + 2 * f->k[1][i] + 2 * f->k[2][i] + f->k[3][i]);
    pn_chart_point(f->chart, q, f->y, f->trial);
    memcpy(q, f->trial, (size_t)f->base.nq * sizeof *q);
    return status;
}

/* the frame onto its way at s */
static pinion_status correct(floating *f, double s, double *q)
{
    double e[6];
    int met = 0, met_before = 0;
    for (int i = 0; i < NEWTON_MAX; i++) {
        pinion_status status = miss(f, q, s, e, &met);
        if (status != PINION_OK || (met && met_before)) return status;
        met_before = met;
        status = resolve(f, q, e, f->y);
        if (status == PINION_OK) status = pinion_integrate(f->base.m, q, f->y, 1, q);
        if (status != PINION_OK) return status;
    }
    return met ? PINION_OK : PINION_ERR_CONVERGENCE;
}

/* A path of so many pieces from `start`; f->q is its end, and *reached how far it got. */
static pinion_status walk(floating *f, const double *start, int pieces, double *reached)
{
    const double h = 1.0 / pieces;
    pn_path_end(&f->path);
    pn_path_begin(&f->path, f->chart, 1);
    memcpy(f->q, start, (size_t)f->base.nq * sizeof *f->q);
    pinion_status status = PINION_OK;
    for (int k = 0; k <= pieces && status == PINION_OK; k++) {
        *reached = k * h;
        if (k > 0) status = runge_kutta(f, h, f->q);
        if (k > 0 && status == PINION_OK) status = correct(f, k * h, f->q);
        f->limited = f->o.limits ? pn_ik_outside(f->base.nq, f->q, f->lower, f->upper, LIMIT_SLACK) : -1;
        if (status == PINION_OK && f->limited >= 0) status = PINION_ERR_CONVERGENCE;
        if (status == PINION_OK) status = resolve(f, f->q, f->way, f->y2);
        if (status == PINION_OK && !pn_path_add(&f->path, k * h, f->q, f->y2, NULL)) status = PINION_ERR_MEMORY;
    }
    return status;
}

/* accelerations at the knots from their velocities, by five of them */
static void differences(floating *f)
{
    static const double weight[3][5] = {{-25, 48, -36, 16, -3}, {-3, -10, 18, -6, 1}, {1, -8, 0, 8, -1}};
    const int last = f->path.count - 1, nv = f->base.nv;
    for (int k = 0; k <= last; k++) {
        const int end = last - k, near = k < end ? k : end, side = k < end || near >= 2 ? 1 : -1;
        const int kind = near < 2 ? near : 2, first = near >= 2 ? k - 2 : side > 0 ? 0 : last;
        for (int i = 0; i < nv; i++) {
            double sum = 0;
            for (int j = 0; j < 5; j++) sum += weight[kind][j] * f->path.v[(first + side * j) * nv + i];
            f->path.a[k * nv + i] = side * sum * last / 12;
        }
    }
}

static pinion_status refuse(floating *f, pinion_status status, double s, pinion_error *err)
{
    const pn_number at = pn_number_text(100 * s);
    pinion_frame_info frame = {"", 0, 0, pinion_pose_identity()};
    if (status == PINION_ERR_MEMORY) return pn_trajectory_fail(err, status, "out of memory");
    if (pinion_model_frame(f->base.m, f->frame, &frame) != PINION_OK || status != PINION_ERR_CONVERGENCE)
        return pn_trajectory_fail(err, status, "%s", pinion_work_message(f->w));
    if (f->limited >= 0)
        return pn_trajectory_fail(err, status,
                                  "after %s %% of the way joint '%.100s' is at its limit: frame '%.100s' cannot go on",
                                  at.text, pn_ik_joint_name(f->base.m, f->limited), frame.name);
    return pn_trajectory_fail(err, status,
                              "after %s %% of the way frame '%.100s' cannot go on: it leaves the reach of a base that "
                              "floats, or the generalized Jacobian is singular there",
                              at.text, frame.name);
}

/* twice as many knots until the end stays */
static pinion_status follow(floating *f, const double *start, pinion_error *err)
{
    double s = 0;
    pinion_status status = walk(f, start, KNOTS_LEAST / 2, &s);
    for (int pieces = KNOTS_LEAST; status == PINION_OK; pieces *= 2) {
        double change = 0;
        memcpy(f->before, f->q, (size_t)f->base.nq * sizeof *f->q);
        if ((status = walk(f, start, pieces, &s)) != PINION_OK) break;
        pn_chart_theta(f->chart, f->before, f->q, f->y);
        for (int i = 0; i < f->base.nv; i++) change = fmax(change, fabs(f->y[i]));
        if (change <= SETTLED) break;
        if (2 * pieces > KNOTS_MOST) status = PINION_ERR_CONVERGENCE;
    }
    if (status != PINION_OK) return refuse(f, status, s, err);
    differences(f);
    pn_path_pieces(&f->path);
    return PINION_OK;
}

static pinion_status floating_at(pinion_trajectory *trajectory, double t, double *q, double *v, double *a)
{
    floating *f = (floating *)trajectory;
    double s[3];
    pn_path_when(f->profile, f->blend, t, trajectory->end, s);
    const int k = pn_path_find(&f->path, s[0]);
    pn_path_at(&f->path, k, s[0], f->y, f->y1, f->y2);
    pn_chart_point(f->chart, f->path.q + (size_t)k * (size_t)trajectory->nq, f->y, q);
    pn_chart_to_rates(f->chart, q, f->y, f->y1, f->y2, v, a);
    pn_path_in_time(trajectory->nv, s, v, a);
    return PINION_OK;
}

static void floating_release(pinion_trajectory *trajectory)
{
    floating *f = (floating *)trajectory;
    pn_path_end(&f->path);
    free(f->chart);
    pinion_work_free(f->w);
    free(f->memory);
    free(f->moves);
}

/* the joint that the frame's tree floats on */
static int find_root(floating *f)
{
    pinion_frame_info frame;
    pinion_body_info body;
    pinion_joint_info joint;
    if (pinion_model_frame(f->base.m, f->frame, &frame) != PINION_OK) return 0;
    for (int b = frame.body; b > 0; b = body.parent) {
        if (pinion_model_body(f->base.m, b, &body) != PINION_OK ||
            pinion_model_joint(f->base.m, body.joint, &joint) != PINION_OK)
            return 0;
        for (int d = 0; d < joint.dof_count; d++) f->moves[joint.v_source + d] = 1;
        if (body.parent != 0) continue;
        f->root = joint.v_index;
        f->root_nv = joint.nv;
        return joint.leader < 0 && (joint.type == PINION_JOINT_FREE || joint.type == PINION_JOINT_PLANAR);
    }
    return 0;
}

static int allocate(floating *f)
{
    const size_t nq = (size_t)f->base.nq, nv = (size_t)f->base.nv;
    double **const of_q[] = {&f->lower, &f->upper, &f->q, &f->trial, &f->before};
    double **const of_v[] = {&f->y, &f->y1, &f->y2, &f->k[0], &f->k[1], &f->k[2], &f->k[3]};
    f->memory = calloc(5 * nq + (7 + 6 + nv) * nv + 1, sizeof *f->memory);
    f->chart = pn_chart_new(f->base.m);
    f->w = pinion_work_new(f->base.m);
    if (!f->memory || !f->chart || !f->w) return 0;
    double *next = f->memory;
    for (int i = 0; i < 5; i++, next += nq) *of_q[i] = next;
    for (int i = 0; i < 7; i++, next += nv) *of_v[i] = next;
    f->J = next;
    f->M = next + 6 * nv;
    pn_path_begin(&f->path, f->chart, 1);
    return 1;
}

static pinion_status prepare(floating *f, const double *q0, const pinion_pose *target, double *start, pinion_error *err)
{
    for (int i = 0; i < 6; i++)
        if (f->o.weight[i] > 0) f->row[f->rows++] = i;
    if (!start || !allocate(f)) return pn_trajectory_fail(err, PINION_ERR_MEMORY, "out of memory");
    pinion_status status = pn_trajectory_configuration(f->base.m, q0, start, "the start", err);
    if (status != PINION_OK) return status;
    pn_ik_limits(f->base.m, f->lower, f->upper);
    status = pinion_frame_pose(f->base.m, f->w, start, f->frame, f->start.position, f->start.rotation);
    if (status != PINION_OK) return pn_trajectory_fail(err, status, "%s", pinion_work_message(f->w));
    pn_ik_error(target, f->start.position, f->start.rotation, f->way);
    for (int i = 0; i < 6; i++)
        if (f->o.weight[i] == 0) f->way[i] = 0; /* free: nothing is asked there */
    return follow(f, start, err);
}

pinion_trajectory *pinion_trajectory_floating(const pinion_model *m, const double *q0, int frame,
                                              const pinion_pose *target, double duration, pinion_profile profile,
                                              double blend, const pinion_ik_options *ik, pinion_error *err)
{
    const pinion_ik_options defaults = pinion_ik_options_default();
    if (!ik) ik = &defaults;
    if (!m || !q0 || !target || frame < 0 || frame >= pinion_model_frame_count(m) || pn_ik_check(ik) != PINION_OK ||
        !pn_ik_is_pose(target)) {
        pn_trajectory_fail(err, PINION_ERR_ARGUMENT,
                           "the model, the start, the frame, the target or the options are missing or not valid");
        return NULL;
    }
    if (pn_profile_check(duration, profile, blend, err) != PINION_OK) return NULL;
    if (pinion_model_loop_count(m) > 0) {
        pn_trajectory_fail(err, PINION_ERR_LOOPS, "a machine that floats is moved without closed loops");
        return NULL;
    }
    floating *f = (floating *)pn_trajectory_new(m, sizeof *f, err);
    if (!f) return NULL;
    f->base.at = floating_at;
    f->base.release = floating_release;
    f->base.end = duration;
    f->o = *ik;
    f->profile = profile;
    f->blend = blend;
    f->frame = frame;
    f->limited = -1;
    pn_profile_jumps(&f->base, profile, blend);
    f->moves = calloc((size_t)f->base.nv + 1, 1);
    pinion_status status = f->moves ? PINION_OK : pn_trajectory_fail(err, PINION_ERR_MEMORY, "out of memory");
    if (status == PINION_OK && !find_root(f))
        status = pn_trajectory_fail(err, PINION_ERR_UNSUPPORTED,
                                    "the frame's tree does not float: expected a free or planar joint on the world");
    double *start = calloc((size_t)f->base.nq + 1, sizeof *start);
    if (status == PINION_OK) status = prepare(f, q0, target, start, err);
    free(start);
    if (status != PINION_OK) {
        pinion_trajectory_free(&f->base);
        return NULL;
    }
    snprintf(f->base.text, sizeof f->base.text, "%s to a pose, the base floating without momentum",
             pinion_profile_name(profile));
    return &f->base;
}
