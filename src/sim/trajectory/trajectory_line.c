/* A frame on a straight line, its orientation kept.
 *
 * The line is parametrized by s from 0 to 1, and s moves in time by the profile. Knots on it are found by
 * following q' = J+ d, the motion of least norm along d, by Runge-Kutta steps, each corrected until the frame
 * is on the line. Between knots k and k + 1, in the chart around q[k],
 *
 *     y(s) = y~(s) + V' z(s)
 *
 * where y~ is the quintic that meets q, q' and q'' of both knots, the rows of V span what the frame's
 * Jacobian at knot k sees, and z is such that the frame is on the line exactly. z' and z'' follow from
 * J q' = d and J q'' + J' q' = 0, so that v and a are the derivatives of q. At the knots z, z' and z'' are
 * zero, from both sides: q, v and a are continuous functions of s. A robot without joints to spare has no
 * other way to follow the line, whatever y~ is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/ik/ik.h"
#include "sim/trajectory/trajectory_kind.h"

#define STEP_MAX 0.0625 /* of s, between knots */
#define STEP_MIN 1e-7   /* what has not worked by then does not */
#define STEP_ERROR 1e-8 /* of a Runge-Kutta step, rad or m */
#define KNOTS_MAX 20000
#define SINGULAR 1e-6 /* ratio of singular values below which a direction is lost */
#define NEWTON_MAX 12
#define LIMIT_SLACK 1e-9 /* rad or m */

/* Why the line cannot be followed. */
typedef enum obstacle { NOTHING = 0, REACH, WAY, LIMIT, FAILED } obstacle;

typedef struct line {
    pinion_trajectory base;
    pn_chart *chart;
    pn_path path;
    pinion_work *w;
    pinion_ik_options o;
    pinion_profile profile;
    double blend;
    int frame;
    pinion_pose start;                  /* of the frame */
    double way[6];                      /* d: no rotation, then the displacement */
    int rows, row[6];                   /* directions that have a weight */
    int rank;                           /* of the Jacobian's rows at configurations that are not singular */
    int limited;                        /* the coordinate that is at its limit */
    double *V;                          /* [knots][6][nv], the first `rank` rows of each */
    int V_capacity;                     /* knots */
    double *lower, *upper, *q, *trial;  /* [nq] */
    double *J, *A;                      /* [6][nv] */
    double *y, *y1, *y2, *v, *a, *zero; /* [nv] */
    double *k1, *k2, *k3, *k4, *to, *half; /* [nv] of Runge-Kutta */
    double *memory;
} line;

/* ------------------------------------------------------------------------------------------------ */
/* The frame and its Jacobian */

static void weigh(const line *l, const double x[6], double out[6])
{
    for (int r = 0; r < l->rows; r++) out[r] = l->o.weight[l->row[r]] * x[l->row[r]];
}

/* What is missing at q to the place on the line at s: e in the directions that count, and whether that is
 * within the tolerances. */
static pinion_status miss(line *l, const double *q, double s, double e[6], int *met)
{
    pinion_pose target = l->start;
    double position[3], rotation[9], missing[6], length[2];
    for (int i = 0; i < 3; i++) target.position[i] += s * l->way[3 + i];
    pinion_status status = pinion_frame_pose(l->base.m, l->w, q, l->frame, position, rotation);
    if (status != PINION_OK) return status;
    pn_ik_error(&target, position, rotation, missing);
    pn_ik_lengths(missing, l->o.weight, &length[0], &length[1]);
    *met = length[0] <= l->o.position_tolerance && length[1] <= l->o.orientation_tolerance;
    weigh(l, missing, e);
    return PINION_OK;
}

/* The weighted rows of the Jacobian with respect to v, into l->J. */
static pinion_status jacobian(line *l, const double *q)
{
    const int nv = l->base.nv;
    pinion_status status = pinion_jacobian(l->base.m, l->w, q, l->frame, PINION_REFERENCE_WORLD_ALIGNED, l->J);
    for (int r = 0; status == PINION_OK && r < l->rows; r++)
        for (int i = 0; i < nv; i++) l->J[r * nv + i] = l->o.weight[l->row[r]] * l->J[l->row[r] * nv + i];
    return status;
}

/* out += J+ x, of least norm, with the decomposition U, sigma, A of pn_svd; and how far J out is from x. */
static double add_solution(int rows, int n, int rank, const double *U, const double *sigma, const double *A,
                           const double *x, double *out)
{
    double rest = 0;
    for (int r = 0; r < rows; r++) {
        double along = 0;
        for (int i = 0; i < rows; i++) along += U[r * rows + i] * x[i];
        if (r >= rank || !(sigma[r] > 0)) {
            rest += along * along;
            continue;
        }
        for (int i = 0; i < n; i++) out[i] += along / sigma[r] * A[r * n + i];
    }
    return sqrt(rest);
}

/* How many singular values count. */
static int rank_of(int rows, const double *sigma)
{
    int rank = 0;
    while (rank < rows && sigma[rank] > SINGULAR * sigma[0] && sigma[0] > 0) rank++;
    return rank;
}

/* The motion of least norm along the line at q: v by s, and with V not NULL what the Jacobian sees there. */
static obstacle tangent(line *l, const double *q, double *v, double *V)
{
    const int nv = l->base.nv;
    double U[36], sigma[6], d[6] = {0}, length = 0;
    if (jacobian(l, q) != PINION_OK) return FAILED;
    memcpy(l->A, l->J, (size_t)(l->rows * nv) * sizeof *l->A);
    pn_svd(l->rows, nv, l->A, U, sigma);
    if (rank_of(l->rows, sigma) < l->rank) return REACH;
    weigh(l, l->way, d);
    for (int r = 0; r < l->rows; r++) length += d[r] * d[r];
    memset(v, 0, (size_t)nv * sizeof *v);
    if (add_solution(l->rows, nv, l->rank, U, sigma, l->A, d, v) > 1e-9 * sqrt(length)) return WAY;
    if (V) memcpy(V, l->A, (size_t)(l->rank * nv) * sizeof *V);
    return NOTHING;
}

/* ------------------------------------------------------------------------------------------------ */
/* Knots */

/* The second derivative at a knot: J a = - J' v fixes what the frame sees, and the rest is how the motion of
 * least norm changes along itself, by central differences. Leaves a in l->a. */
static obstacle second_derivative(line *l, const double *q, const double *v)
{
    const int nv = l->base.nv;
    double size = 0;
    memset(l->a, 0, (size_t)nv * sizeof *l->a);
    for (int i = 0; i < nv; i++) size = fmax(size, fabs(v[i]));
    if (l->rank < nv && size > 0) {
        const double step = 1e-4 / size;
        for (int side = -1; side <= 1; side += 2) {
            obstacle o = FAILED;
            if (pinion_integrate(l->base.m, q, v, side * step, l->trial) == PINION_OK)
                o = tangent(l, l->trial, l->y, NULL);
            if (o != NOTHING) return o;
            for (int i = 0; i < nv; i++) l->a[i] += side * l->y[i] / (2 * step);
        }
    }

    double bend[6], x[6], U[36], sigma[6];
    if (jacobian(l, q) != PINION_OK) return FAILED;
    if (pinion_jacobian_dot_v(l->base.m, l->w, q, v, l->frame, PINION_REFERENCE_WORLD_ALIGNED, bend) != PINION_OK)
        return FAILED;
    weigh(l, bend, x);
    for (int r = 0; r < l->rows; r++) {
        x[r] = -x[r];
        for (int i = 0; i < nv; i++) x[r] -= l->J[r * nv + i] * l->a[i];
    }
    memcpy(l->A, l->J, (size_t)(l->rows * nv) * sizeof *l->A);
    pn_svd(l->rows, nv, l->A, U, sigma);
    add_solution(l->rows, nv, l->rank, U, sigma, l->A, x, l->a);
    return NOTHING;
}

/* Adds the knot at q, which is on the line. */
static obstacle add_knot(line *l, double s, const double *q)
{
    const int nv = l->base.nv, at = l->path.count;
    if (at == l->V_capacity) {
        const int capacity = at ? 2 * at : 64;
        double *larger = realloc(l->V, (size_t)capacity * 6 * (size_t)nv * sizeof *larger + 1);
        if (!larger) return FAILED;
        l->V = larger;
        l->V_capacity = capacity;
    }
    double *V = l->V + (size_t)at * 6 * (size_t)nv;
    l->limited = l->o.limits ? pn_ik_outside(l->base.nq, q, l->lower, l->upper, LIMIT_SLACK) : -1;
    if (l->limited >= 0) return LIMIT;
    obstacle o = tangent(l, q, l->v, V);
    if (o == NOTHING) o = second_derivative(l, q, l->v);
    if (o != NOTHING) return o;
    pn_chart_columns(l->chart, q, l->zero, l->rank, V);
    if (!pn_path_add(&l->path, s, q, l->v, l->a)) return FAILED;
    if (at > 0) pn_path_piece(&l->path, at - 1);
    return NOTHING;
}

/* y' in the chart around q0 at y. */
static obstacle slope(line *l, const double *q0, const double *y, double *out)
{
    pn_chart_point(l->chart, q0, y, l->trial);
    obstacle o = tangent(l, l->trial, l->v, NULL);
    if (o == NOTHING) pn_chart_from_rates(l->chart, l->trial, y, l->v, NULL, out, NULL);
    return o;
}

/* One step of the classical method of order 4, from y on by h. */
static obstacle runge_kutta(line *l, const double *q0, const double *y, double h, double *out)
{
    const int nv = l->base.nv;
    obstacle o = slope(l, q0, y, l->k1);
    for (int i = 0; i < nv; i++) l->y[i] = y[i] + 0.5 * h * l->k1[i];
    if (o == NOTHING) o = slope(l, q0, l->y, l->k2);
    for (int i = 0; i < nv; i++) l->y[i] = y[i] + 0.5 * h * l->k2[i];
    if (o == NOTHING) o = slope(l, q0, l->y, l->k3);
    for (int i = 0; i < nv; i++) l->y[i] = y[i] + h * l->k3[i];
    if (o == NOTHING) o = slope(l, q0, l->y, l->k4);
    for (int i = 0; i < nv; i++) out[i] = y[i] + h / 6 * (l->k1[i] + 2 * l->k2[i] + 2 * l->k3[i] + l->k4[i]);
    return o;
}

/* Moves q by steps of least norm until the frame is where it is to be at s, and once more. */
static obstacle correct(line *l, double *q, double s)
{
    const int nv = l->base.nv;
    double e[6], U[36], sigma[6];
    int met = 0, met_before = 0;
    for (int i = 0; i < NEWTON_MAX; i++) {
        if (miss(l, q, s, e, &met) != PINION_OK) return FAILED;
        if (met && met_before) return NOTHING;
        met_before = met;
        if (jacobian(l, q) != PINION_OK) return FAILED;
        memcpy(l->A, l->J, (size_t)(l->rows * nv) * sizeof *l->A);
        pn_svd(l->rows, nv, l->A, U, sigma);
        if (rank_of(l->rows, sigma) < l->rank) return REACH;
        memset(l->y, 0, (size_t)nv * sizeof *l->y);
        add_solution(l->rows, nv, l->rank, U, sigma, l->A, e, l->y);
        if (pinion_integrate(l->base.m, q, l->y, 1, q) != PINION_OK) return FAILED;
    }
    return met ? NOTHING : REACH;
}

/* Tries to get from the last knot to s + h: one step, and two of half the length, must agree. */
static obstacle try_step(line *l, double h)
{
    const int nv = l->base.nv, last = l->path.count - 1;
    const double s = l->path.s[last], *q0 = l->path.q + (size_t)last * (size_t)l->base.nq;
    double difference = 0;
    obstacle o = runge_kutta(l, q0, l->zero, h, l->to);
    if (o == NOTHING) o = runge_kutta(l, q0, l->zero, 0.5 * h, l->half);
    if (o == NOTHING) o = runge_kutta(l, q0, l->half, 0.5 * h, l->half);
    if (o != NOTHING) return o;
    for (int i = 0; i < nv; i++) difference = fmax(difference, fabs(l->to[i] - l->half[i]));
    if (!(difference <= STEP_ERROR)) return REACH;
    pn_chart_point(l->chart, q0, l->half, l->q);
    o = correct(l, l->q, s + h);
    return o == NOTHING ? add_knot(l, s + h, l->q) : o;
}

/* When s is reached. */
static double time_of(const line *l, double s)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double x = 0.5 * (low + high), at[3];
        pn_profile_at(l->profile, l->blend, x, at);
        if (at[0] < s)
            low = x;
        else
            high = x;
    }
    return (s > 0 ? high : 0) * l->base.end;
}

/* Says why and when the line ends. */
static pinion_status refuse(const line *l, obstacle o, pinion_error *err)
{
    const double s = l->path.count ? l->path.s[l->path.count - 1] : 0;
    const pn_number t = pn_number_text(time_of(l, s));
    pinion_frame_info frame = {"", 0, 0, pinion_pose_identity()};
    if (pinion_model_frame(l->base.m, l->frame, &frame) != PINION_OK) o = FAILED;
    switch (o) {
    case LIMIT:
        return pn_trajectory_fail(
            err, PINION_ERR_CONVERGENCE,
            "at t = %s s joint '%.100s' is at its limit: frame '%.100s' cannot go on along the line", t.text,
            pn_ik_joint_name(l->base.m, l->limited), frame.name);
    case WAY:
        return pn_trajectory_fail(
            err, PINION_ERR_CONVERGENCE,
            "at t = %s s the joints do not allow frame '%.100s' to move along the line without "
            "turning",
            t.text, frame.name);
    case REACH:
        return pn_trajectory_fail(
            err, PINION_ERR_CONVERGENCE,
            "at t = %s s frame '%.100s' cannot go on along the line: it leaves the reach, or the "
            "configuration is singular",
            t.text, frame.name);
    default: return pn_trajectory_fail(err, PINION_ERR_MEMORY, "out of memory");
    }
}

/* Finds the place on the line in piece k. */
static pinion_status place(line *l, int k, double s, double *q, double *v, double *a);

/* All knots, as far from each other as accuracy allows. */
static pinion_status follow(line *l, const double *q0, pinion_error *err)
{
    double h = STEP_MAX;
    obstacle o = add_knot(l, 0, q0);
    while (o == NOTHING && l->path.s[l->path.count - 1] < 1 && l->path.count < KNOTS_MAX) {
        const double s = l->path.s[l->path.count - 1];
        /* the last step ends exactly at 1, and the one before it is not tiny */
        const double rest = 1 - s, step = h >= rest ? rest : fmin(h, 0.5 * rest);
        const int knots = l->path.count;
        o = try_step(l, step);
        if (o == NOTHING && h >= rest) l->path.s[l->path.count - 1] = 1;

        /* the middle of the new piece must be found from the quintic */
        if (o == NOTHING && place(l, knots - 1, s + 0.5 * step, l->q, l->v, l->a) != PINION_OK) o = REACH;
        if (o == NOTHING && l->o.limits) {
            l->limited = pn_ik_outside(l->base.nq, l->q, l->lower, l->upper, LIMIT_SLACK);
            if (l->limited >= 0) o = LIMIT;
        }
        if (o == NOTHING) {
            h = fmin(2 * step, STEP_MAX);
            continue;
        }
        l->path.count = knots;
        h = 0.5 * step;
        if (o == FAILED || h < STEP_MIN) break;
        o = NOTHING;
    }
    if (o == NOTHING && l->path.s[l->path.count - 1] < 1) o = REACH;
    return o == NOTHING ? PINION_OK : refuse(l, o, err);
}

/* ------------------------------------------------------------------------------------------------ */
/* Between knots */

/* Solves (J G V') z = x and adds V' z to out. JG is in l->A. */
static void add_seen(const line *l, const double *V, const double *x, double *out)
{
    const int nv = l->base.nv, rank = l->rank;
    double B[36], U[36], sigma[6], z[6] = {0};
    for (int r = 0; r < l->rows; r++)
        for (int c = 0; c < rank; c++) {
            B[r * rank + c] = 0;
            for (int i = 0; i < nv; i++) B[r * rank + c] += l->A[r * nv + i] * V[c * nv + i];
        }
    pn_svd(l->rows, rank, B, U, sigma);
    add_solution(l->rows, rank, rank, U, sigma, B, x, z);
    for (int c = 0; c < rank; c++)
        for (int i = 0; i < nv; i++) out[i] += z[c] * V[c * nv + i];
}

/* q on piece k at s, and its derivatives by s as velocity and acceleration. q, v and a may be l->q, l->v,
 * l->a. */
static pinion_status place(line *l, int k, double s, double *q, double *v, double *a)
{
    const int nv = l->base.nv;
    const double *q0 = l->path.q + (size_t)k * (size_t)l->base.nq, *V = l->V + (size_t)k * 6 * (size_t)nv;
    double x[6], bend[6];
    int met = 0, met_before = 0;
    pinion_status status = PINION_OK;
    pn_path_at(&l->path, k, s, l->y, l->y1, l->y2);

    /* onto the line, and one step more */
    for (int i = 0;; i++) {
        pn_chart_point(l->chart, q0, l->y, q);
        status = miss(l, q, s, x, &met);
        if (status == PINION_OK) status = jacobian(l, q);
        if (status != PINION_OK) return status;
        memcpy(l->A, l->J, (size_t)(l->rows * nv) * sizeof *l->A);
        pn_chart_columns(l->chart, q, l->y, l->rows, l->A);
        if (met && met_before) break;
        if (i == NEWTON_MAX) return PINION_ERR_CONVERGENCE;
        met_before = met;
        add_seen(l, V, x, l->y);
    }

    /* J G y' = d */
    weigh(l, l->way, x);
    for (int r = 0; r < l->rows; r++)
        for (int i = 0; i < nv; i++) x[r] -= l->A[r * nv + i] * l->y1[i];
    add_seen(l, V, x, l->y1);
    pn_chart_to_rates(l->chart, q, l->y, l->y1, l->y2, v, a);

    /* J a = - J' v, where a is G y'' and what the chart adds to it */
    status = pinion_jacobian_dot_v(l->base.m, l->w, q, v, l->frame, PINION_REFERENCE_WORLD_ALIGNED, bend);
    if (status != PINION_OK) return status;
    weigh(l, bend, x);
    for (int r = 0; r < l->rows; r++) {
        x[r] = -x[r];
        for (int i = 0; i < nv; i++) x[r] -= l->J[r * nv + i] * a[i];
    }
    add_seen(l, V, x, l->y2);
    pn_chart_to_rates(l->chart, q, l->y, l->y1, l->y2, v, a);
    return PINION_OK;
}

static pinion_status line_at(pinion_trajectory *trajectory, double t, double *q, double *v, double *a)
{
    line *l = (line *)trajectory;
    double s[3];
    pn_path_when(l->profile, l->blend, t, trajectory->end, s);
    pinion_status status = place(l, pn_path_find(&l->path, s[0]), s[0], q, v, a);
    if (status != PINION_OK) return status;
    pn_path_in_time(trajectory->nv, s, v, a);
    return PINION_OK;
}

static void line_release(pinion_trajectory *trajectory)
{
    line *l = (line *)trajectory;
    pn_path_end(&l->path);
    free(l->chart);
    pinion_work_free(l->w);
    free(l->V);
    free(l->memory);
}

/* ------------------------------------------------------------------------------------------------ */

/* Cuts up the memory. */
static int allocate(line *l)
{
    const size_t nq = (size_t)l->base.nq, nv = (size_t)l->base.nv;
    double **const of_q[] = {&l->lower, &l->upper, &l->q, &l->trial};
    double **const of_v[] = {&l->y,  &l->y1, &l->y2, &l->v,  &l->a,  &l->zero,
                             &l->k1, &l->k2, &l->k3, &l->k4, &l->to, &l->half};
    l->memory = calloc(4 * nq + (12 + 12) * nv + 1, sizeof *l->memory);
    l->chart = pn_chart_new(l->base.m);
    l->w = pinion_work_new(l->base.m);
    if (!l->memory || !l->chart || !l->w) return 0;
    double *next = l->memory;
    for (int i = 0; i < 4; i++, next += nq) *of_q[i] = next;
    for (int i = 0; i < 12; i++, next += nv) *of_v[i] = next;
    l->J = next;
    l->A = next + 6 * nv;
    pn_path_begin(&l->path, l->chart, 1);
    return 1;
}

/* The rank that the rows have at almost every configuration. */
static pinion_status find_rank(line *l, const double *q0)
{
    double U[36], sigma[6];
    for (uint64_t seed = 0; seed < 5; seed++) {
        pinion_status status = PINION_OK;
        if (seed == 0)
            memcpy(l->q, q0, (size_t)l->base.nq * sizeof *q0);
        else
            status = pinion_random(l->base.m, seed, l->q);
        if (status == PINION_OK) status = jacobian(l, l->q);
        if (status != PINION_OK) return status;
        pn_svd(l->rows, l->base.nv, l->J, U, sigma);
        const int rank = rank_of(l->rows, sigma);
        if (rank > l->rank) l->rank = rank;
    }
    return PINION_OK;
}

/* What is wrong with the arguments. */
static pinion_status check(const pinion_model *m, const double *q0, int frame, const double displacement[3],
                           const pinion_ik_options *ik, pinion_error *err)
{
    if (!m || !q0 || !displacement)
        return pn_trajectory_fail(err, PINION_ERR_ARGUMENT,
                                  "the model, the start or the displacement is missing");
    if (frame < 0 || frame >= pinion_model_frame_count(m))
        return pn_trajectory_fail(err, PINION_ERR_ARGUMENT, "there is no frame %d", frame);
    if (!pn_all_finite(displacement, 3))
        return pn_trajectory_fail(err, PINION_ERR_ARGUMENT, "the displacement is not finite");
    if (pn_ik_check(ik) != PINION_OK)
        return pn_trajectory_fail(err, PINION_ERR_ARGUMENT,
                                  "the options of inverse kinematics are not valid");
    if (pinion_model_loop_count(m) > 0)
        return pn_trajectory_fail(err, PINION_ERR_LOOPS,
                                  "straight lines are not followed by mechanisms with closed loops; "
                                  "pinion_inverse_kinematics() finds single configurations on one");
    return PINION_OK;
}

/* Fills in what a line needs, and follows it from `start`, which has room for q0 in shape. */
static pinion_status prepare(line *l, const double *q0, double *start, pinion_error *err)
{
    for (int i = 0; i < 6; i++)
        if (l->o.weight[i] > 0) l->row[l->rows++] = i;
    if (!start || !allocate(l)) return pn_trajectory_fail(err, PINION_ERR_MEMORY, "out of memory");
    pinion_status status = pn_trajectory_configuration(l->base.m, q0, start, "the start", err);
    if (status != PINION_OK) return status;
    pn_ik_limits(l->base.m, l->lower, l->upper);
    status = pinion_frame_pose(l->base.m, l->w, start, l->frame, l->start.position, l->start.rotation);
    if (status == PINION_OK) status = find_rank(l, start);
    if (status != PINION_OK)
        return pn_trajectory_fail(err, status, "%s", pinion_work_message(l->w));
    if (l->rank == 0)
        return pn_trajectory_fail(err, PINION_ERR_CONVERGENCE,
                                  "the frame is fixed to the world: no joint moves it");
    return follow(l, start, err);
}

pinion_trajectory *pinion_trajectory_line(const pinion_model *m, const double *q0, int frame,
                                          const double displacement[3], double duration,
                                          pinion_profile profile, double blend, const pinion_ik_options *ik,
                                          pinion_error *err)
{
    const pinion_ik_options defaults = pinion_ik_options_default();
    if (!ik) ik = &defaults;
    if (check(m, q0, frame, displacement, ik, err) != PINION_OK) return NULL;
    if (pn_profile_check(duration, profile, blend, err) != PINION_OK) return NULL;
    line *l = (line *)pn_trajectory_new(m, sizeof *l, err);
    if (!l) return NULL;
    l->base.at = line_at;
    l->base.release = line_release;
    l->base.end = duration;
    l->o = *ik;
    l->profile = profile;
    l->blend = blend;
    pn_profile_jumps(&l->base, profile, blend);
    l->frame = frame;
    for (int i = 0; i < 3; i++) l->way[3 + i] = displacement[i];
    double *start = calloc((size_t)l->base.nq + 1, sizeof *start);
    pinion_status status = prepare(l, q0, start, err);
    free(start);
    if (status != PINION_OK) {
        pinion_trajectory_free(&l->base);
        return NULL;
    }
    snprintf(l->base.text, sizeof l->base.text, "%s along a straight line without turning",
             pinion_profile_name(profile));
    return &l->base;
}
