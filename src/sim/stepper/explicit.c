/* Explicit Runge-Kutta methods in the chart of each step, with a fixed step or with step-size control. */
#include "sim/stepper/method.h"
#include "sim/stepper/tableau.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_SINGULAR 0.2 /* of pn_system's `rest`: from here on steps mind singular positions */
#define TOO_NEAR 0.02     /* from here on accelerations are no better than NOISE */
#define NOISE 1e-11

typedef struct explicit_data {
    const pn_tableau *tableau;
    double h;     /* of the next step; 0: not known yet */
    double old;   /* the error of the last step against the tolerance, for the PI controller */
    int jumps;    /* shortest steps taken across jumps since the last step of ordinary length */
    double rest;  /* how near the constraints at `now` are to singular, see pn_system */
    double ahead; /* s, how far ahead they are expected to be so; 0: not soon */
    double leap;  /* the error of the last step tried across a singular position that is still ahead; 0: none */
    double gap;   /* middle of the widest gap between the stages, in parts of a step */
    int fresh;    /* the rates at `now` are known: the last stage's */
    int extended; /* the stages for the dense output have been computed */
    double stiff; /* of the last step tried, see stiffness(); of AUTO alone */
    pn_grid grid;
    double *k[PN_STAGES]; /* [n] theta', v', z' of each stage */
    double *y0, *y1;      /* [n] (0, v, z) and (theta, v, z) at the ends */
    double *stage;        /* [n] */
    double *error;        /* [n] of the last step tried */
    double *scale[2];     /* [nv] of theta at the ends */
} explicit_data;

static void explicit_close(pn_stepper *s)
{
    explicit_data *d = s->data;
    if (d) free(d->y0);
    free(d);
    s->data = NULL;
}

/* The middle of the widest gap between the times of the stages. */
static double widest_gap(const pn_tableau *b)
{
    double width = 0, middle = 0.5;
    for (int i = 0; i < b->stages; i++) {
        double next = 1;
        for (int j = 0; j < b->stages; j++)
            if (b->c[j] > b->c[i] && b->c[j] < next) next = b->c[j];
        if (next - b->c[i] > width) width = next - b->c[i], middle = (next + b->c[i]) / 2;
    }
    return middle;
}

static pinion_status explicit_open(pn_stepper *s)
{
    const size_t n = (size_t)s->n, nv = (size_t)s->system.nv;
    explicit_data *d = calloc(1, sizeof *d);
    s->data = d;
    if (!d) return PINION_ERR_MEMORY;
    d->tableau = s->options.integrator == PINION_INTEGRATOR_RK4        ? &pn_rk4
                 : s->options.integrator == PINION_INTEGRATOR_VERNER65 ? &pn_verner65
                                                            : &pn_dopri5;

    d->gap = widest_gap(d->tableau);
    const int stages = d->tableau->stages + d->tableau->more;
    double *x = calloc(((size_t)stages + 4) * n + 2 * nv + 1, sizeof *x);
    d->y0 = x;
    if (!x) return PINION_ERR_MEMORY;
    d->y1 = x += n;
    d->stage = x += n;
    d->error = x += n;
    for (int i = 0; i < stages; i++) d->k[i] = x += n;
    d->scale[0] = x += n;
    d->scale[1] = x + nv;
    return PINION_OK;
}

static pinion_status explicit_start(pn_stepper *s)
{
    explicit_data *d = s->data;
    d->h = s->options.step;
    d->old = 1e-4;
    d->jumps = 0;
    d->rest = 1;
    d->ahead = d->leap = 0;
    d->fresh = 0;
    d->grid.origin = s->now.t;
    d->grid.count = 0;
    return PINION_OK;
}

/* ---------------------------------------------------------------------------------------------
 * Stages */

/* y = y0 + h (row of coefficients, the first `count`) k */
static void combine(const pn_stepper *s, const explicit_data *d, double h, const double *row, int count,
                    double *y)
{
    const int n = s->n;
    memcpy(y, d->y0, (size_t)n * sizeof *y);
    for (int j = 0; j < count; j++) {
        if (row[j] == 0) continue;
        const double f = h * row[j], *k = d->k[j];
        for (int i = 0; i < n; i++) y[i] += f * k[i];
    }
}

/* y0 and the first stage at `before` */
static pinion_status first_stage(pn_stepper *s)
{
    explicit_data *d = s->data;
    const int nv = s->system.nv, nz = s->system.nz;
    memset(d->y0, 0, (size_t)nv * sizeof(double));
    memcpy(d->y0 + nv, s->before.v, (size_t)nv * sizeof(double));
    if (nz) memcpy(d->y0 + 2 * nv, s->before.z, (size_t)nz * sizeof(double));
    d->extended = 0;
    if (!d->fresh) return pn_evaluate(s, s->before.t, s->before.q, d->y0, d->k[0]);

    /* the last stage of the step before was here, in another chart: accelerations stay, theta' is new */
    const double *last = d->k[d->tableau->stages - 1];
    pn_chart_rate(s->chart, s->before.q, d->y0, s->before.v, d->k[0]);
    memcpy(d->k[0] + nv, last + nv, (size_t)(nv + nz) * sizeof(double));
    return PINION_OK;
}

/* Near a singular position the stages are put onto the constraints before they are looked at. The accelerations
 * of states beside them have a pole there: in a direction that the constraints hardly hold, an error of the
 * velocity asks for as much acceleration as the time to the singular position is short. On the constraints
 * they are smooth across it, so that the method keeps its order and its steps their length. */
static pinion_status project_stage(pn_stepper *s, double t, double *y)
{
    if (!(pn_chart_turn(s->chart, y) <= PN_LARGEST_TURN))
        return pn_stepper_fail(s, PINION_ERR_STEP,
                               "a joint turns by more than half a turn in the step at t = %.17g", t);
    return pn_project_chart(s, t, s->before.q, y);
}

/* all other stages of a step from `before` to t1; the last of them is at the new state y1 */
static pinion_status stages(pn_stepper *s, double t1)
{
    explicit_data *d = s->data;
    const pn_tableau *b = d->tableau;
    const double t0 = s->before.t, h = t1 - t0;
    pinion_status status = PINION_OK;
    for (int i = 1; i < b->stages && status == PINION_OK; i++) {
        double *y = i == b->stages - 1 ? d->y1 : d->stage;
        combine(s, d, h, b->a[i], i, y);
        const double t = b->c[i] == 1 ? t1 : t0 + b->c[i] * h;
        if (d->rest < NEAR_SINGULAR) status = project_stage(s, t, y);
        if (status == PINION_OK) status = pn_evaluate(s, t, s->before.q, y, d->k[i]);
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Step-size control */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The error of a step whose stages are known. */
static void find_error(pn_stepper *s, double h)
{
    explicit_data *d = s->data;
    const pn_tableau *b = d->tableau;
    for (int i = 0; i < s->n; i++) {
        double e = 0;
        for (int j = 0; j < b->stages; j++) e += b->error[j] * d->k[j][i];
        d->error[i] = h * e;
    }
    pn_chart_point(s->chart, s->before.q, d->y1, s->q);
    pn_chart_scale(s->chart, s->before.q, d->scale[0]);
    pn_chart_scale(s->chart, s->q, d->scale[1]);
}

/* h times the largest eigenvalue that matters, from the two stages at the end of the step (Hairer, Wanner 1996, section
 * IV.2). Where it is as large as the method's stability allows, that sets the steps, not the error. */
static double stiffness(const pn_stepper *s, double h)
{
    const explicit_data *d = s->data;
    const pn_tableau *b = d->tableau;
    const int last = b->stages - 1;
    double rates = 0, states = 0;
    combine(s, d, h, b->a[last - 1], last - 1, d->stage);
    for (int i = 0; i < 2 * s->system.nv + s->system.nx; i++) { /* quadratures move nothing */
        const double rate = d->k[last][i] - d->k[last - 1][i], state = d->y1[i] - d->stage[i];
        rates += rate * rate;
        states += state * state;
    }
    return states > 0 ? h * sqrt(rates / states) : 0;
}

double pn_explicit_stiffness(const pn_stepper *s)
{
    const explicit_data *d = s->data;
    return d->stiff;
}

/* Of the error the largest component against its tolerance atol + rtol |.|, with |.| the larger of both
 * ends. Quadratures must have a say although q and v do not depend on them: where a damped stop or a contact
 * has let go, its potential is lost while no force acts that would shorten a step. Since their errors do not
 * grow, four times atol + rtol (1 + |.|) is enough, which costs smooth motions next to no steps. */
static double size_of_error(const pn_stepper *s)
{
    const explicit_data *d = s->data;
    const int nv = s->system.nv, states = 2 * nv + s->system.nx;
    const double rtol = s->options.rtol, atol = s->options.atol;
    double worst = 0;
    for (int i = 0; i < s->n; i++) {
        const double size =
            i < nv ? larger(d->scale[0][i], d->scale[1][i]) : larger(fabs(d->y0[i]), fabs(d->y1[i]));
        const double tolerance = i < states ? atol + rtol * size : 4 * (atol + rtol * (1 + size));
        const double x = fabs(d->error[i]) / tolerance;
        if (x > worst || isnan(x)) worst = x;
    }
    return worst;
}

/* The first step: small enough that an explicit Euler step changes the state and the rates little (Hairer,
 * Norsett, Wanner, section II.4). */
static double first_step(pn_stepper *s)
{
    explicit_data *d = s->data;
    const int nv = s->system.nv, states = 2 * nv + s->system.nx;
    const double rtol = s->options.rtol, atol = s->options.atol;
    double size = 0, rate = 0, bend = 0;
    pn_chart_scale(s->chart, s->before.q, d->scale[0]);
    for (int i = 0; i < states; i++) {
        const double x = i < nv ? d->scale[0][i] : fabs(d->y0[i]), tolerance = atol + rtol * x;
        size = larger(size, x / tolerance);
        rate = larger(rate, fabs(d->k[0][i]) / tolerance);
    }
    double h = size < 1e-5 || rate < 1e-5 ? 1e-6 : 0.01 * size / rate;
    h = fmin(h, s->options.max_step);

    /* one explicit Euler step, shorter where that fails; the second stage's place is free */
    for (int tries = 0;; tries++) {
        for (int i = 0; i < s->n; i++) d->stage[i] = d->y0[i] + h * d->k[0][i];
        if (pn_evaluate(s, s->before.t + h, s->before.q, d->stage, d->k[1]) == PINION_OK) break;
        h *= 0.1;
        if (tries == 8) return h;
    }
    for (int i = 0; i < states; i++) {
        const double x = i < nv ? d->scale[0][i] : fabs(d->y0[i]);
        bend = larger(bend, fabs(d->k[1][i] - d->k[0][i]) / (atol + rtol * x) / h);
    }
    const double most = larger(rate, bend);
    const double next = most <= 1e-15 ? larger(1e-6, h * 1e-3) : pow(0.01 / most, 1.0 / d->tableau->order);
    return fmin(100 * h, next);
}

/* what the step is to be multiplied with, from its error and that of the step before (Gustafsson's PI
 * controller with the constants of DOPRI5, but for the safety factor: 0.8 in place of 0.9 halves the
 * errors for an eighth more steps) */
static double factor(const explicit_data *d, double error)
{
    const double order = d->tableau->error_order + 1, beta = 0.2 / order;
    const double f = 0.8 * pow(d->old, beta) / pow(larger(error, 1e-10), 1 / order - 0.75 * beta);
    return fmin(10, fmax(0.2, f));
}

/* how long a step may be at most: max_step, and rotation vectors stay well within the chart */
static double longest(pn_stepper *s)
{
    const double turn = pn_chart_turn(s->chart, s->before.v);
    return fmin(fmin(s->options.max_step, 1e6), turn > 0 ? 2 / turn : INFINITY);
}

/* Where a step of about h, no longer than `most`, goes to. It ends at `end` rather than just before it,
 * and what is left for two steps is halved. */
static double target(double t, double h, double most, double end)
{
    const double rest = end - t;
    if (rest <= fmin(1.01 * h, most) || rest <= h) return end;
    return t + (rest < 2 * h ? rest / 2 : h);
}

/* ---------------------------------------------------------------------------------------------
 * The step */

/* `now` is y1, on the constraints. */
static pinion_status arrive(pn_stepper *s, double t1)
{
    explicit_data *d = s->data;
    const int nv = s->system.nv, nz = s->system.nz;
    pn_chart_point(s->chart, s->before.q, d->y1, s->now.q);
    memcpy(s->now.v, d->y1 + nv, (size_t)nv * sizeof(double));
    if (nz) memcpy(s->now.z, d->y1 + 2 * nv, (size_t)nz * sizeof(double));
    return pn_project_now(s, t1);
}

/* Where the constraints moved `now` the last stage moves with it, so that the dense output ends there and the
 * next step begins with the rates there. */
static pinion_status settle(pn_stepper *s, double t1)
{
    explicit_data *d = s->data;
    const int nv = s->system.nv;
    if (!s->system.project) return PINION_OK;
    pn_chart_theta(s->chart, s->before.q, s->now.q, d->y1);
    memcpy(d->y1 + nv, s->now.v, (size_t)nv * sizeof(double));
    return pn_evaluate_at(s, t1, s->now.q, d->y1, d->k[d->tableau->stages - 1]);
}

static void accept(pn_stepper *s, double t1, double end)
{
    explicit_data *d = s->data;
    s->now.t = t1;
    /* at `end` the system may change */
    d->fresh = t1 < end;
}

static pinion_status fixed_step(pn_stepper *s, double end)
{
    explicit_data *d = s->data;
    pn_grid grid = d->grid;
    const double t1 = pn_grid_next(&grid, s->before.t, s->fixed, end);
    if (!(t1 > s->before.t))
        return pn_stepper_fail(s, PINION_ERR_STEP, "the step is lost in rounding at t = %.17g", t1);
    pinion_status status = stages(s, t1);
    if (status == PINION_OK) status = arrive(s, t1);
    if (status == PINION_OK && s->system.project) d->rest = s->system.excuse(s->system.user, 0, NULL, NULL);
    if (status == PINION_OK) status = settle(s, t1);
    if (status != PINION_OK) return status;
    d->grid = grid;
    accept(s, t1, end);
    return PINION_OK;
}

/* The error of the step that arrived at `now`, less what the constraints take from it where they are near a
 * singular position: `now` is on them again, and what counts is the rest. */
static pinion_status excuse_error(pn_stepper *s, double *rest)
{
    explicit_data *d = s->data;
    const int nv = s->system.nv;

    /* the error of theta as a velocity at the end, by a small part of it, and back */
    double most = 0;
    for (int i = 0; i < nv; i++) most = larger(most, fabs(d->error[i]));
    const double part = most > 0 && isfinite(most) ? 1e-4 / most : 0;
    for (int i = 0; i < nv; i++) d->stage[i] = d->y1[i] + part * d->error[i];
    pn_chart_point(s->chart, s->before.q, d->stage, s->q);
    pn_chart_point(s->chart, s->before.q, d->y1, s->y);
    const pinion_status status = pinion_difference(s->system.m, s->y, s->q, d->stage);
    if (status != PINION_OK) return pn_stepper_fail(s, status, "%s", pinion_status_text(status));
    for (int i = 0; i < nv; i++) d->stage[i] = part > 0 ? d->stage[i] / part : 0;
    *rest = s->system.excuse(s->system.user, NEAR_SINGULAR, d->stage, d->error + nv);
    if (*rest < NEAR_SINGULAR) pn_chart_rate(s->chart, s->y, d->y1, d->stage, d->error);
    return PINION_OK;
}

/* A step to t1: `now`, its error against the tolerance, and how near the constraints there are to a singular
 * position. */
static pinion_status try_step(pn_stepper *s, double t1, double *error, double *rest)
{
    explicit_data *d = s->data;
    *error = INFINITY;
    *rest = 1;
    pinion_status status = stages(s, t1);
    if (status != PINION_OK) return status;
    if (s->options.integrator == PINION_INTEGRATOR_AUTO) d->stiff = stiffness(s, t1 - s->before.t);
    find_error(s, t1 - s->before.t);
    status = arrive(s, t1);
    if (status == PINION_OK && s->system.project) status = excuse_error(s, rest);
    if (status != PINION_OK) return status;
    *error = size_of_error(s);
    /* what rounding does to the accelerations there cannot be had better by shorter steps */
    if (fmin(*rest, d->rest) < TOO_NEAR) *error /= larger(1, NOISE / larger(s->options.rtol, DBL_EPSILON));
    return PINION_OK;
}

/* How far ahead the constraints are singular, from how near they were at both ends of the step; 0: not soon. */
static double singular_ahead(const explicit_data *d, double taken, double rest)
{
    const double fall = d->rest - rest;
    return rest < NEAR_SINGULAR && d->rest < 1 && fall > 0 ? rest * taken / fall : 0;
}

/* The length of a step with a singular position ahead: across it in one leap that has it in the widest gap
 * between the stages, and where that is too long, half the way. */
static double leap_or_approach(const explicit_data *d, double h, int tries)
{
    if (!(d->ahead > 0) || h <= d->ahead / 2) return h;
    return d->ahead / (tries ? 2 : d->gap);
}

/* Whether a leap that is off by more than the tolerance is as good as any: the one that was tried from twice as
 * far was no worse by much, so that it is not its length that matters but rounding. */
static int is_best_leap(const pn_stepper *s, double error)
{
    const explicit_data *d = s->data;
    return d->leap > 0 && error > d->leap / 2 && (error <= 1e3 || error * s->options.rtol <= 1e-9);
}

/* Where accelerations jump in the state (a stop is hit) the error is h times the jump, however short the
 * step. A jump whose time is known to rounding is stepped across; at a singularity, or a jump that leads back
 * to itself, that would happen over and over. */
enum { MOST_JUMPS = 8 };

/* What the next step begins with. */
static void plan(pn_stepper *s, double h, double taken, double error, double rest, int tries, int forced)
{
    explicit_data *d = s->data;
    const double f = factor(d, error);
    double next = forced ? taken : taken * (tries ? fmin(1, f) : f);
    /* a step that was cut short at `end` tells nothing against the length that was planned */
    if (taken < h && !tries) next = larger(next, h);
    d->h = next;
    d->old = fmin(1, larger(error, 1e-4));
    d->ahead = singular_ahead(d, taken, rest);
    d->rest = rest;
    if (!(d->ahead > 0)) d->leap = 0;
}

static pinion_status adaptive_step(pn_stepper *s, double end)
{
    explicit_data *d = s->data;
    const double t0 = s->before.t, least = 16 * DBL_EPSILON * larger(fabs(t0), 1e-3), most = longest(s);
    if (!(d->h > 0)) d->h = first_step(s);
    double h = fmin(d->h, most), error, rest;

    for (int tries = 0;; tries++) {
        h = fmin(larger(leap_or_approach(d, h, tries), least), most);
        const double t1 = target(t0, h, most, end), taken = t1 - t0;
        pinion_status status = try_step(s, t1, &error, &rest);
        /* the shortest of steps, and more than its share of error */
        const int across = error > 1 && isfinite(error) && taken <= 8 * least && d->jumps < MOST_JUMPS;
        const int leaps = d->ahead > 0 && taken > d->ahead;
        const int forced = across || (leaps && error > 1 && isfinite(error) && is_best_leap(s, error));
        if (leaps && isfinite(error)) d->leap = error;
        if (error <= 1 || forced) status = settle(s, t1);
        if (status != PINION_OK) error = INFINITY;
        if (error <= 1 || (forced && isfinite(error))) {
            plan(s, h, taken, error, rest, tries, forced);
            d->jumps = across ? d->jumps + 1 : taken > 1e3 * least ? 0 : d->jumps;
            accept(s, t1, end);
            return PINION_OK;
        }
        s->refused++;
        h = taken * (status == PINION_OK && isfinite(error) ? fmin(0.8, factor(d, error)) : 0.2);
        if (leaps) h = fmin(taken / 2, d->ahead / 2);
        if (h >= least) continue;
        if (status != PINION_OK) return status;
        return pn_stepper_fail(s, PINION_ERR_STEP, "no step meets the tolerance at t = %.17g", t0);
    }
}

static pinion_status explicit_step(pn_stepper *s, double end)
{
    explicit_data *d = s->data;
    const pinion_status status = first_stage(s);
    if (status != PINION_OK) return status;
    d->fresh = 0; /* until a step is accepted */
    return s->fixed > 0 ? fixed_step(s, end) : adaptive_step(s, end);
}

/* ---------------------------------------------------------------------------------------------
 * Dense output and memory */

static pinion_status explicit_dense(pn_stepper *s, double t, double *y)
{
    explicit_data *d = s->data;
    const pn_tableau *b = d->tableau;
    const double t0 = s->before.t, h = s->now.t - t0, x = (t - t0) / h,
                 bubble = h * x * x * (1 - x) * (1 - x);
    const int last = b->stages - 1;

    /* further stages, once a step */
    for (int i = b->stages; i < b->stages + b->more && !d->extended; i++) {
        combine(s, d, h, b->a[i], i, d->stage);
        const pinion_status status = pn_evaluate(s, t0 + b->c[i] * h, s->before.q, d->stage, d->k[i]);
        if (status != PINION_OK) return status;
    }
    d->extended = 1;

    pn_hermite(s->n, h, x, d->y0, d->k[0], d->y1, d->k[last], y);
    const double whole = bubble / h * (b->whole[0] + x * (b->whole[1] + x * b->whole[2]));
    for (int i = 0; i < s->n; i++) y[i] += whole * (d->y1[i] - d->y0[i]);
    for (int j = 0; j < b->stages + b->more; j++) {
        const double f = bubble * (b->dense[j][0] + x * (b->dense[j][1] + x * b->dense[j][2])), *k = d->k[j];
        if (f == 0) continue;
        for (int i = 0; i < s->n; i++) y[i] += f * k[i];
    }
    return PINION_OK;
}

enum { NUMBERS = 9 };

static int explicit_memory_size(const pn_stepper *s)
{
    return NUMBERS + s->system.nv + s->system.nz;
}

static void explicit_store(pn_stepper *s, double *memory)
{
    const explicit_data *d = s->data;
    const int nv = s->system.nv, count = nv + s->system.nz;
    const double head[NUMBERS] = {d->h, d->old, d->fresh, d->grid.origin, d->grid.count,
                                  d->jumps, d->rest,  d->ahead, d->leap};
    memcpy(memory, head, sizeof head);
    for (int i = 0; i < count; i++) memory[NUMBERS + i] = d->fresh ? d->k[d->tableau->stages - 1][nv + i] : 0;
}

static pinion_status explicit_restore(pn_stepper *s, const double *memory)
{
    explicit_data *d = s->data;
    const int nv = s->system.nv, count = nv + s->system.nz;
    int good = memory[0] >= 0 && isfinite(memory[0]) && memory[1] > 0 && isfinite(memory[1]) &&
               memory[4] >= 0 && memory[5] >= 0 && memory[5] <= MOST_JUMPS && memory[7] >= 0 && memory[8] >= 0;
    for (int i = 2; i < NUMBERS + count; i++) good = good && isfinite(memory[i]);
    if (!good) return pn_stepper_fail(s, PINION_ERR_ARGUMENT, "what was stored is not of this integrator");
    d->h = memory[0];
    d->old = memory[1];
    d->fresh = memory[2] != 0;
    d->grid.origin = memory[3];
    d->grid.count = memory[4];
    d->jumps = (int)memory[5];
    d->rest = memory[6];
    d->ahead = memory[7];
    d->leap = memory[8];
    memcpy(d->k[d->tableau->stages - 1] + nv, memory + NUMBERS, (size_t)count * sizeof(double));
    return PINION_OK;
}

const pn_method pn_method_explicit = {explicit_open,  explicit_close,       explicit_start, explicit_step,
                                      explicit_dense, explicit_memory_size, explicit_store, explicit_restore,
                                      NULL,           NULL};
