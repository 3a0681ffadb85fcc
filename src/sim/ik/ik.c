/* Inverse kinematics by damped least squares.
 *
 * Each step minimizes |W (e - J dy)|^2 + lambda |dy|^2, with e what is missing to the target, and lambda
 * proportional to |W e|^2, so that near a solution the method becomes Newton's and converges quadratically,
 * also where the Jacobian is singular (Yamashita and Fukushima 2001). Coordinates that a step would take
 * beyond a limit are held there and the step is found again with the others.
 *
 * With closed loops dy is along the motions that they allow, and each new configuration is closed before it
 * is measured. */
#include "sim/ik/ik.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"
#include "sim/stepper/chart_rates.h"
#include "sim/ik/ik_loops.h"

#define COOKIE 0x696b6f70u
#define SLACK 1e-9         /* beyond a limit, where loops are closed */
#define STALLED 4          /* steps in a row with hardly any progress: a local minimum */
#define HARDLY 0.99        /* of the cost is left after such a step */
#define RANK 1e-13         /* of the largest: a singular value below it is rounding */
#define DAMPING_TIMES 8    /* more after a step that does not help, and less after one that does */
#define DAMPING_LEAST 1e-9 /* times the cost: as good as none, */
#define DAMPING_MOST 1e9   /* and steps too short to move anything */
#define UNIT 1e-6          /* how far rows of a rotation may be from orthonormal, as everywhere in the API */

pinion_ik_options pinion_ik_options_default(void)
{
    pinion_ik_options o = {1e-10, 1e-10, {1, 1, 1, 1, 1, 1}, 200, 20, 1, 0, COOKIE};
    return o;
}

pinion_status pn_ik_check(const pinion_ik_options *o)
{
    double sum = 0;
    for (int i = 0; i < 6; i++) {
        if (!isfinite(o->weight[i]) || o->weight[i] < 0) return PINION_ERR_ARGUMENT;
        sum += o->weight[i];
    }
    const int fine = o->cookie == COOKIE && sum > 0 && o->position_tolerance > 0 &&
                     o->orientation_tolerance > 0 && isfinite(o->position_tolerance) &&
                     isfinite(o->orientation_tolerance) && o->iterations > 0 && o->starts > 0;
    return fine ? PINION_OK : PINION_ERR_ARGUMENT;
}

/* ------------------------------------------------------------------------------------------------ */
/* What is missing */

/* The rotation vector of a rotation matrix, no longer than pi: by the quaternion's largest part (Shepperd
 * 1978). */
static void rotation_vector(const double R[9], double x[3])
{
    const double trace = R[0] + R[4] + R[8];
    double w, u[3];
    int largest = 0;
    for (int i = 1; i < 3; i++)
        if (R[4 * i] > R[4 * largest]) largest = i;
    if (trace > R[4 * largest]) {
        w = 1 + trace;
        u[0] = R[7] - R[5];
        u[1] = R[2] - R[6];
        u[2] = R[3] - R[1];
    } else {
        const int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
        u[i] = 1 + 2 * R[4 * i] - trace;
        u[j] = R[3 * i + j] + R[3 * j + i];
        u[k] = R[3 * i + k] + R[3 * k + i];
        w = R[3 * k + j] - R[3 * j + k];
    }
    const double s = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    const double angle = 2 * atan2(w < 0 ? -s : s, fabs(w)), f = s > 0 ? angle / s : 0;
    for (int i = 0; i < 3; i++) x[i] = f * u[i];
}

void pn_ik_error(const pinion_pose *target, const double position[3], const double rotation[9], double e[6])
{
    double R[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            R[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) R[3 * i + j] += target->rotation[3 * i + k] * rotation[3 * j + k];
        }
        e[3 + i] = target->position[i] - position[i];
    }
    rotation_vector(R, e);
}

void pn_ik_lengths(const double e[6], const double weight[6], double *position, double *orientation)
{
    double sum[2] = {0, 0};
    for (int i = 0; i < 6; i++)
        if (weight[i] > 0) sum[i / 3] += e[i] * e[i];
    *orientation = sqrt(sum[0]);
    *position = sqrt(sum[1]);
}

/* ------------------------------------------------------------------------------------------------ */
/* Limits */

void pn_ik_limits(const pinion_model *m, double *lower, double *upper)
{
    const int nq = pinion_model_nq(m);
    for (int i = 0; i < nq; i++) {
        lower[i] = -INFINITY;
        upper[i] = INFINITY;
    }
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(m, i, &joint) != PINION_OK) continue;
        if (pinion_joint_type_nq(joint.type) != joint.dof_count) continue; /* quaternions */
        if (joint.multiplier == 0) continue;                               /* stays where it is */
        if (joint.type == PINION_JOINT_MODE) lower[joint.q_index] = upper[joint.q_index] = 0; /* of links unbent */
        /* a follower's limits are its leader's as well */
        const int at = joint.q_source;
        for (int d = 0; d < joint.dof_count; d++) {
            double low = (joint.dof[d].lower - joint.offset) / joint.multiplier,
                   high = (joint.dof[d].upper - joint.offset) / joint.multiplier;
            if (low > high) {
                const double swap = low;
                low = high;
                high = swap;
            }
            /* limits that leave nothing are not the answer's to keep */
            if (fmax(low, lower[at + d]) > fmin(high, upper[at + d])) continue;
            lower[at + d] = fmax(low, lower[at + d]);
            upper[at + d] = fmin(high, upper[at + d]);
        }
    }
}

int pn_ik_outside(int nq, const double *q, const double *lower, const double *upper, double tolerance)
{
    for (int i = 0; i < nq; i++)
        if (q[i] < lower[i] - tolerance || q[i] > upper[i] + tolerance) return i;
    return -1;
}

const char *pn_ik_joint_name(const pinion_model *m, int coordinate)
{
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(m, i, &joint) == PINION_OK && joint.nq > 0 && coordinate >= joint.q_index &&
            coordinate < joint.q_index + joint.nq)
            return joint.name;
    }
    return "";
}

/* ------------------------------------------------------------------------------------------------ */
/* The search */

typedef struct search {
    const pinion_model *m;
    pinion_work *w;
    const pinion_ik_options *o;
    const pinion_pose *target;
    pn_chart *chart;
    int frame, nq, nv;
    int rows, row[6];      /* the directions that have a weight */
    int *coordinate;       /* [nv] the place in q of what y[i] adds to; -1 for rotations */
    double *lower, *upper; /* [nq]; infinite when limits do not count */
    double *q, *trial;     /* [nq] */
    double *J, *A;         /* [6][nv] the weighted rows with respect to y, and scratch */
    double *step;          /* [nv] */
    char *held;            /* [nv] */
    pn_ik_loops *loops;    /* NULL: none */
    double *shift;         /* [nv] what loops ask of the others for those that are held */
    double e[6], cost;     /* what is missing at q, and |W e|^2 */
    double *best;          /* [nq] the best seen, and the same of it */
    double best_e[6], best_cost;
    double *memory;
} search;

/* What is missing at a configuration. */
static pinion_status measure(search *s, const double *q, double e[6], double *cost)
{
    double position[3], rotation[9];
    pinion_status status = pinion_frame_pose(s->m, s->w, q, s->frame, position, rotation);
    if (status != PINION_OK) return status;
    pn_ik_error(s->target, position, rotation, e);
    *cost = 0;
    for (int i = 0; i < 6; i++) *cost += s->o->weight[i] * s->o->weight[i] * e[i] * e[i];
    return PINION_OK;
}

static int is_solved(const search *s)
{
    double position, orientation;
    pn_ik_lengths(s->e, s->o->weight, &position, &orientation);
    return position <= s->o->position_tolerance && orientation <= s->o->orientation_tolerance;
}

static void clamp(const search *s, double *q)
{
    for (int i = 0; i < s->nq; i++) {
        if (q[i] < s->lower[i]) q[i] = s->lower[i];
        if (q[i] > s->upper[i]) q[i] = s->upper[i];
    }
}

/* The weighted rows of the Jacobian at q, with respect to the coordinates of the chart around q. */
static pinion_status linearize(search *s)
{
    pinion_status status = pinion_jacobian(s->m, s->w, s->q, s->frame, PINION_REFERENCE_WORLD_ALIGNED, s->A);
    if (status != PINION_OK) return status;
    for (int i = 0; i < s->nv; i++) s->step[i] = 0;
    pn_chart_columns(s->chart, s->q, s->step, 6, s->A);
    for (int r = 0; r < s->rows; r++)
        for (int i = 0; i < s->nv; i++)
            s->J[r * s->nv + i] = s->o->weight[s->row[r]] * s->A[s->row[r] * s->nv + i];
    return s->loops ? pn_ik_loops_at(s->loops, s->w, s->chart, s->q) : PINION_OK;
}

/* The damped step of the coordinates that are not held, for the missing `e` (weighted rows). */
static void free_step(search *s, const double *missing, double lambda)
{
    double U[36], sigma[6], e[6];
    memcpy(s->A, s->J, (size_t)(s->rows * s->nv) * sizeof *s->A);
    for (int i = 0; i < s->nv; i++)
        for (int r = 0; s->held[i] && r < s->rows; r++) s->A[r * s->nv + i] = 0;
    memcpy(e, missing, sizeof e);
    if (s->loops) {
        pn_ik_loops_free_motion(s->loops, s->held, s->step, s->rows, s->A, s->shift);
        for (int r = 0; r < s->rows; r++) e[r] -= pn_dot(s->nv, s->J + r * s->nv, s->shift);
    }
    pn_svd(s->rows, s->nv, s->A, U, sigma);
    for (int i = 0; i < s->nv; i++)
        if (!s->held[i]) s->step[i] = s->shift[i];
    for (int r = 0; r < s->rows; r++) {
        if (!(sigma[r] > RANK * sigma[0])) continue;
        double along = pn_dot(s->rows, U + r * s->rows, e) * sigma[r] / (sigma[r] * sigma[r] + lambda);
        for (int i = 0; i < s->nv; i++)
            if (!s->held[i]) s->step[i] += along * s->A[r * s->nv + i];
    }
}

/* The step within the limits: what would leave them goes to the limit and stays, and the rest is found again.
 */
static void limited_step(search *s, double lambda)
{
    double e[6] = {0};
    for (int r = 0; r < s->rows; r++) e[r] = s->o->weight[s->row[r]] * s->e[s->row[r]];
    memset(s->held, 0, (size_t)s->nv);
    for (int round = 0; round <= s->nv; round++) {
        int more = 0;
        free_step(s, e, lambda);
        for (int i = 0; i < s->nv; i++) {
            const int c = s->coordinate[i];
            if (s->held[i] || c < 0) continue;
            const double to = s->q[c] + s->step[i];
            if (to >= s->lower[c] && to <= s->upper[c]) continue;
            s->step[i] = (to < s->lower[c] ? s->lower[c] : s->upper[c]) - s->q[c];
            s->held[i] = 1;
            for (int r = 0; r < s->rows; r++) e[r] -= s->J[r * s->nv + i] * s->step[i];
            more = 1;
        }
        if (!more) return;
    }
}

/* Whether loops can be closed from q, which is then closed, within the limits. */
static int closes(search *s, const char *held, double *q)
{
    if (!s->loops) return 1;
    return pn_ik_loops_close(s->loops, s->w, held, q) &&
           pn_ik_outside(s->nq, q, s->lower, s->upper, SLACK) < 0;
}

/* From s->q on, until it is solved, nothing is gained any more, or the iterations are used up. */
static pinion_status descend(search *s, int *iterations)
{
    double damping = 1; /* times the cost */
    int stalled = 0;
    pinion_status status = measure(s, s->q, s->e, &s->cost);
    if (status == PINION_OK) status = linearize(s);
    while (status == PINION_OK && *iterations < s->o->iterations && !is_solved(s)) {
        double e[6], cost;
        ++*iterations;
        limited_step(s, damping * s->cost);
        pn_chart_point(s->chart, s->q, s->step, s->trial);
        clamp(s, s->trial);
        cost = INFINITY;
        if (closes(s, s->held, s->trial)) status = measure(s, s->trial, e, &cost);
        if (status != PINION_OK) break;
        if (!(cost < s->cost)) {
            damping *= DAMPING_TIMES;
            if (++stalled > STALLED || damping > DAMPING_MOST) break;
            continue;
        }
        stalled = cost > HARDLY * s->cost ? stalled + 1 : 0;
        if (stalled > STALLED) break;
        damping = fmax(damping / DAMPING_TIMES, DAMPING_LEAST);
        double *swap = s->q;
        s->q = s->trial;
        s->trial = swap;
        memcpy(s->e, e, sizeof e);
        s->cost = cost;
        status = linearize(s);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

static void search_end(search *s)
{
    pn_ik_loops_free(s->loops);
    free(s->memory);
    free(s->chart);
    free(s->coordinate);
}

static int search_begin(search *s)
{
    const size_t nq = (size_t)s->nq, nv = (size_t)s->nv;
    s->chart = pn_chart_new(s->m);
    s->memory = calloc(5 * nq + 14 * nv + 1, sizeof *s->memory);
    s->coordinate = calloc(nv + 1 + (nv + sizeof(int)) / sizeof(int), sizeof *s->coordinate);
    if (!s->chart || !s->memory || !s->coordinate) return 0;
    if (pinion_model_loop_count(s->m) > 0 && !(s->loops = pn_ik_loops_new(s->m))) return 0;
    s->held = (char *)(s->coordinate + nv + 1);
    s->lower = s->memory;
    s->upper = s->lower + nq;
    s->q = s->upper + nq;
    s->trial = s->q + nq;
    s->J = s->trial + nq;
    s->A = s->J + 6 * nv;
    s->step = s->A + 6 * nv;
    s->shift = s->step + nv;
    s->best = s->shift + nv;
    s->best_cost = INFINITY;

    /* the limits, and which coordinates they are of */
    pn_ik_limits(s->m, s->lower, s->upper);
    for (size_t i = 0; !s->o->limits && i < nq; i++) {
        s->lower[i] = -INFINITY;
        s->upper[i] = INFINITY;
    }
    for (int k = 0; k < s->chart->count; k++) {
        const pn_chart_part *p = &s->chart->part[k];
        const int plain = p->kind == PN_CHART_PLAIN || p->kind == PN_CHART_PLANAR;
        for (int i = 0; i < p->n; i++) s->coordinate[p->v + i] = plain ? p->q + i : -1;
    }
    for (int i = 0; i < 6; i++)
        if (s->o->weight[i] > 0) s->row[s->rows++] = i;
    return 1;
}

int pn_ik_is_pose(const pinion_pose *pose)
{
    const double *R = pose->rotation;
    for (int i = 0; i < 9; i++)
        if (!isfinite(R[i])) return 0;
    for (int i = 0; i < 3; i++) {
        if (!isfinite(pose->position[i])) return 0;
        for (int j = i; j < 3; j++)
            if (fabs(pn_dot(3, R + 3 * i, R + 3 * j) - (i == j)) > UNIT) return 0;
    }
    const double det = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
                       R[2] * (R[3] * R[7] - R[4] * R[6]);
    return det > 0;
}

/* Keeps what was found when it is the best so far. */
static void keep_best(search *s)
{
    if (!(s->cost < s->best_cost)) return;
    s->best_cost = s->cost;
    memcpy(s->best, s->q, (size_t)s->nq * sizeof *s->best);
    memcpy(s->best_e, s->e, sizeof s->e);
}

/* One start, from s->q. What gets stuck in a local minimum goes on from a random configuration, as long as
 * there are iterations left. */
static pinion_status one_start(search *s, uint64_t seed, pinion_ik_report *report)
{
    int used = 0;
    pinion_status status = PINION_OK;
    report->starts++;
    for (uint64_t jump = 1; status == PINION_OK; jump++) {
        int before = used;
        const int good = closes(s, NULL, s->q);
        for (int i = 0; i < 6; i++) s->e[i] = INFINITY;
        if (good) status = descend(s, &used);
        if (good && status == PINION_OK) keep_best(s);
        if (status != PINION_OK || used >= s->o->iterations || (good && is_solved(s))) break;
        if (used == before) used++; /* so that it ends */
        status = pinion_random(s->m, seed + (jump << 32), s->q);
        clamp(s, s->q);
    }
    report->iterations += used;
    return status;
}

static pinion_status all_starts(search *s, const double *q, pinion_ik_report *report)
{
    for (int k = 0; k < s->o->starts; k++) {
        const uint64_t seed = s->o->seed + (uint64_t)k;
        pinion_status status = PINION_OK;
        if (k == 0)
            memcpy(s->q, q, (size_t)s->nq * sizeof *q);
        else
            status = pinion_random(s->m, seed, s->q);
        clamp(s, s->q);
        if (status == PINION_OK) status = one_start(s, seed, report);
        if (status != PINION_OK) return status;
        report->converged = is_solved(s);
        if (!report->converged) continue;
        s->best_cost =
            INFINITY; /* another may have missed the target by less, yet in a direction that counts more */
        keep_best(s);
        return PINION_OK;
    }
    return PINION_ERR_CONVERGENCE;
}

pinion_status pinion_inverse_kinematics(const pinion_model *m, pinion_work *w, int frame,
                                        const pinion_pose *target, const pinion_ik_options *options,
                                        double *q, pinion_ik_report *report)
{
    const pinion_ik_options defaults = pinion_ik_options_default();
    pinion_ik_report local;
    if (!report) report = &local;
    memset(report, 0, sizeof *report);
    report->position_error = report->orientation_error = INFINITY;
    if (!options) options = &defaults;
    if (!m || !w || !target || !q || frame < 0 || frame >= pinion_model_frame_count(m))
        return PINION_ERR_ARGUMENT;
    if (pn_ik_check(options) != PINION_OK || !pn_ik_is_pose(target)) return PINION_ERR_ARGUMENT;
    for (int i = 0; i < pinion_model_nq(m); i++)
        if (!isfinite(q[i])) return PINION_ERR_ARGUMENT;

    search s;
    memset(&s, 0, sizeof s);
    s.m = m;
    s.w = w;
    s.o = options;
    s.target = target;
    s.frame = frame;
    s.nq = pinion_model_nq(m);
    s.nv = pinion_model_nv(m);
    pinion_status status = search_begin(&s) ? PINION_OK : PINION_ERR_MEMORY;
    if (status == PINION_OK) status = all_starts(&s, q, report);
    if ((status == PINION_OK || status == PINION_ERR_CONVERGENCE) && isfinite(s.best_cost)) {
        memcpy(q, s.best, (size_t)s.nq * sizeof *q);
        pn_ik_lengths(s.best_e, options->weight, &report->position_error, &report->orientation_error);
    }
    search_end(&s);
    return status;
}
