/* What all integrators share: making one, its state, dense output, memory. */
#include "sim/stepper/stepper.h"

#include "sim/stepper/method.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const pn_method *const METHODS[PINION_INTEGRATOR_COUNT] = {
    [PINION_INTEGRATOR_DOPRI5] = &pn_method_explicit,
    [PINION_INTEGRATOR_VERNER65] = &pn_method_explicit,
    [PINION_INTEGRATOR_RK4] = &pn_method_explicit,
    [PINION_INTEGRATOR_EULER] = &pn_method_euler,
    [PINION_INTEGRATOR_VARIATIONAL] = &pn_method_variational,
    [PINION_INTEGRATOR_BDF] = &pn_method_cvode,
    [PINION_INTEGRATOR_ADAMS] = &pn_method_cvode,
    [PINION_INTEGRATOR_DIRK] = &pn_method_arkode,
    [PINION_INTEGRATOR_IDA] = &pn_method_ida,
    [PINION_INTEGRATOR_AUTO] = &pn_method_auto,
};

/* ---------------------------------------------------------------------------------------------
 * Making one */

static pn_stepper *refuse(pinion_error *err, pinion_status status, const char *message)
{
    if (err) {
        memset(err, 0, sizeof *err);
        err->status = status;
        snprintf(err->message, sizeof err->message, "%s", message);
    }
    return NULL;
}

/* what is wrong with the options, NULL when nothing is */
static const char *complaint(const pinion_sim_options *o, int fixed)
{
    if (!(o->max_step > 0)) return "max_step is not positive";
    if (fixed) return o->step > 0 && isfinite(o->step) ? NULL : "step is not positive";
    if (!(o->step >= 0 && isfinite(o->step))) return "step is negative or not finite";
    if (!(o->rtol >= 0 && o->atol >= 0 && isfinite(o->rtol) && isfinite(o->atol)))
        return "a tolerance is negative or not finite";
    return o->rtol + o->atol > 0 ? NULL : "both tolerances are zero";
}

static int is_fixed(pinion_integrator integrator)
{
    return integrator == PINION_INTEGRATOR_RK4 || integrator == PINION_INTEGRATOR_EULER ||
           integrator == PINION_INTEGRATOR_VARIATIONAL;
}

/* the numbers of a stepper, in one piece */
static int allocate(pn_stepper *s)
{
    const size_t nq = (size_t)s->system.nq, nv = (size_t)s->system.nv, nz = (size_t)s->system.nz;
    const size_t margins = s->system.modes ? (size_t)s->system.margins * (PN_SWITCH_PARTS + 2) + nq + nv + nz : 0;
    double *x = calloc(3 * nq + 2 * nv + 2 * nz + (size_t)s->n + margins + 1, sizeof *x);
    s->q = x;
    if (!x) return 0;
    s->y = x += nq;
    s->before.q = x += s->n;
    s->before.v = x += nq;
    s->before.z = x += nv;
    s->now.q = x += nz;
    s->now.v = x += nq;
    s->now.z = x += nv;
    s->margin = x += nz;
    s->origin = s->before.q;
    s->chart = pn_chart_new(s->system.m);
    return s->chart != NULL;
}

pn_stepper *pn_stepper_new(const pn_system *system, const pinion_sim_options *options, pinion_error *err)
{
    /* arguments */
    if (!system || !options || !system->m || !system->rates || system->nz < 0 ||
        system->nx < 0 || system->nx > system->nz ||
        system->nq != pinion_model_nq(system->m) || system->nv != pinion_model_nv(system->m))
        return refuse(err, PINION_ERR_ARGUMENT, "the system to integrate is incomplete");
    const int kind = (int)options->integrator;
    if (kind < 0 || kind >= PINION_INTEGRATOR_COUNT)
        return refuse(err, PINION_ERR_ARGUMENT, "no such integrator");
    if ((kind == PINION_INTEGRATOR_VARIATIONAL || kind == PINION_INTEGRATOR_IDA) && !system->terms)
        return refuse(err, PINION_ERR_ARGUMENT, "this integrator needs the terms of the system");
    if (system->project && (kind == PINION_INTEGRATOR_VARIATIONAL || kind == PINION_INTEGRATOR_IDA ||
                            kind == PINION_INTEGRATOR_ADAMS))
        return refuse(err, PINION_ERR_UNSUPPORTED, "this integrator cannot project onto constraints");
    const char *wrong = complaint(options, is_fixed(options->integrator));
    if (wrong) return refuse(err, PINION_ERR_ARGUMENT, wrong);

    pn_stepper *s = calloc(1, sizeof *s);
    if (!s) return refuse(err, PINION_ERR_MEMORY, "out of memory");
    s->system = *system;
    s->options = *options;
    s->n = 2 * system->nv + system->nz;
    s->fixed = is_fixed(options->integrator) ? fmin(options->step, options->max_step) : 0;
    s->limit = s->cut = INFINITY;

    pinion_status status = allocate(s) ? PINION_OK : PINION_ERR_MEMORY;
    if (status == PINION_OK) {
        s->method = METHODS[kind];
        status = s->method->open(s);
    }
    if (status != PINION_OK) {
        refuse(err, status, status == PINION_ERR_MEMORY ? "out of memory" : s->message);
        pn_stepper_free(s);
        return NULL;
    }
    return s;
}

void pn_stepper_free(pn_stepper *s)
{
    if (!s) return;
    if (s->method) s->method->close(s);
    free(s->chart);
    free(s->q);
    free(s);
}

/* ---------------------------------------------------------------------------------------------
 * What methods use */

pinion_status pn_stepper_fail(pn_stepper *s, pinion_status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(s->message, sizeof s->message, format, list);
    va_end(list);
    return status;
}

pinion_status pn_check_finite(pn_stepper *s, double t, const double *x, int n)
{
    /* a sum of products with zero is zero unless one of them is infinite or NaN */
    double sum = 0;
    for (int i = 0; i < n; i++) sum += 0 * x[i];
    if (sum == 0) return PINION_OK;
    return pn_stepper_fail(s, PINION_ERR_STEP, "an acceleration is not finite at t = %.17g", t);
}

double pn_time_in_step(const pn_stepper *s, double t)
{
    return fmin(t, s->limit);
}

pinion_status pn_evaluate_at(pn_stepper *s, double t, const double *q, const double *y, double *rate)
{
    const int nv = s->system.nv;
    t = pn_time_in_step(s, t);
    pn_chart_rate(s->chart, q, y, y + nv, rate);
    s->evaluations++;
    const pinion_status status = s->system.rates(s->system.user, t, q, y + nv, y + 2 * nv, rate + nv, rate + 2 * nv);
    if (status != PINION_OK)
        return pn_stepper_fail(s, status, "the accelerations cannot be computed at t = %.17g: %s", t,
                               pinion_status_text(status));
    return pn_check_finite(s, t, rate, s->n);
}

pinion_status pn_evaluate(pn_stepper *s, double t, const double *q0, const double *y, double *rate)
{
    if (!(pn_chart_turn(s->chart, y) <= PN_LARGEST_TURN))
        return pn_stepper_fail(s, PINION_ERR_STEP,
                               "a joint turns by more than half a turn in the step at t = %.17g", t);
    pn_chart_point(s->chart, q0, y, s->q);
    return pn_evaluate_at(s, t, s->q, y, rate);
}

pinion_status pn_project_now(pn_stepper *s, double t)
{
    if (!s->system.project) return PINION_OK;
    const pinion_status status = s->system.project(s->system.user, t, s->now.q, s->now.v);
    if (status == PINION_OK) return PINION_OK;
    return pn_stepper_fail(s, status, "the state cannot be brought onto the constraints at t = %.17g", t);
}

pinion_status pn_project_chart(pn_stepper *s, double t, const double *q0, double *y)
{
    if (!s->system.project) return PINION_OK;
    pn_chart_point(s->chart, q0, y, s->q);
    const pinion_status status = s->system.project(s->system.user, t, s->q, y + s->system.nv);
    if (status == PINION_OK) pn_chart_theta(s->chart, q0, s->q, y);
    return status;
}

double pn_grid_next(pn_grid *g, double t, double h, double end)
{
    const double next = g->origin + (g->count + 1) * h;
    /* `end` lies on the grid where rounding alone tells them apart; it is the origin of what follows */
    if (next >= end - 1e-6 * h) {
        g->origin = end;
        g->count = 0;
        return end;
    }
    g->count++;
    return next > t ? next : t;
}

void pn_hermite(int n, double h, double s, const double *y0, const double *f0, const double *y1,
                const double *f1, double *y)
{
    const double r = 1 - s;
    for (int i = 0; i < n; i++) {
        const double d = y1[i] - y0[i];
        y[i] = y0[i] + s * (d + r * (h * f0[i] - d + s * (2 * d - h * f0[i] - h * f1[i])));
    }
}

/* ---------------------------------------------------------------------------------------------
 * Going */

static void copy_state(const pn_system *system, pn_step_state *to, const pn_step_state *from)
{
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)system->nq * sizeof(double));
    memcpy(to->v, from->v, (size_t)system->nv * sizeof(double));
    if (system->nz) memcpy(to->z, from->z, (size_t)system->nz * sizeof(double));
}

/* the system at `now` is to be asked as it is from there on */
static pinion_status start_here(pn_stepper *s)
{
    copy_state(&s->system, &s->before, &s->now);
    s->origin = s->before.q;
    s->limit = INFINITY;
    s->started = 1;
    return s->method->start(s);
}

pinion_status pn_stepper_start(pn_stepper *s, double t, const double *q, const double *v, const double *z)
{
    const pn_system *m = &s->system;
    if (!isfinite(t) || !q) return pn_stepper_fail(s, PINION_ERR_ARGUMENT, "the time or q is missing");
    s->started = 0;
    s->now.t = t;
    memcpy(s->now.q, q, (size_t)m->nq * sizeof(double));
    const pinion_status status = pinion_normalize(m->m, s->now.q);
    if (status != PINION_OK) return pn_stepper_fail(s, status, "%s", pinion_status_text(status));
    for (int i = 0; i < m->nv; i++) s->now.v[i] = v ? v[i] : 0;
    for (int i = 0; i < m->nz; i++) s->now.z[i] = z ? z[i] : 0;
    if (pn_check_finite(s, t, s->now.q, m->nq) != PINION_OK ||
        pn_check_finite(s, t, s->now.v, m->nv) != PINION_OK)
        return pn_stepper_fail(s, PINION_ERR_ARGUMENT, "a coordinate or velocity at the start is not finite");
    s->steps = s->refused = s->evaluations = 0;
    s->cut = INFINITY;
    pinion_status first = m->modes ? m->change(m->user, t, s->now.q, s->now.v, s->now.z, 1) : PINION_OK;
    if (first == PINION_OK) first = start_here(s);
    if (m->modes) s->cut = t; /* what sticks is found once all that acts is there */
    return first;
}

pinion_status pn_stepper_settle(pn_stepper *s)
{
    const pn_system *m = &s->system;
    if (!(s->cut < INFINITY)) return PINION_OK;
    pinion_status status = pn_stepper_cut(s, s->cut);
    if (status == PINION_OK) status = m->change(m->user, s->now.t, s->now.q, s->now.v, s->now.z, 0);
    return status == PINION_OK ? start_here(s) : status;
}

int pn_stepper_switches(const pn_stepper *s)
{
    return s->cut < INFINITY;
}

pinion_status pn_stepper_step(pn_stepper *s, double end)
{
    if (!s->started) return pn_stepper_fail(s, PINION_ERR_ARGUMENT, "it was not started");
    pinion_status settled = pn_stepper_settle(s);
    if (settled == PINION_OK && s->system.modes) settled = pn_switches_start(s);
    if (settled != PINION_OK) return settled;
    if (!(end > s->now.t)) return pn_stepper_fail(s, PINION_ERR_ARGUMENT, "the end does not lie ahead");
    copy_state(&s->system, &s->before, &s->now);
    s->origin = s->before.q;
    s->limit = nextafter(end, -INFINITY);
    pinion_status status = s->method->step(s, end);
    if (status == PINION_OK && !(s->now.t > s->before.t))
        status = pn_stepper_fail(s, PINION_ERR_STEP, "the step is lost in rounding at t = %.17g", s->before.t);
    if (status != PINION_OK) {
        copy_state(&s->system, &s->now, &s->before);
        return status;
    }
    s->steps++;
    s->message[0] = '\0'; /* of attempts that a shorter one made good */
    return s->system.modes ? pn_switches_find(s) : PINION_OK;
}

double pn_stepper_before(const pn_stepper *s)
{
    return s->before.t;
}

double pn_stepper_now(const pn_stepper *s)
{
    return fmin(s->now.t, s->cut);
}

/* The state within the last step: q in s->q, v and z in s->y. Where the projection fails, at a singular
 * position, what the dense output says is near enough. */
static pinion_status between(pn_stepper *s, double t)
{
    const pn_system *m = &s->system;
    const pinion_status status = s->method->dense(s, t, s->y);
    if (status != PINION_OK) return status;
    pn_chart_point(s->chart, s->origin, s->y, s->q);
    if (m->project) (void)m->project(m->user, t, s->q, s->y + m->nv);
    return PINION_OK;
}

pinion_status pn_stepper_at(pn_stepper *s, double t, double *q, double *v, double *z)
{
    const int nq = s->system.nq, nv = s->system.nv, nz = s->system.nz;
    if (!s->started || !(t >= s->before.t && t <= s->now.t))
        return pn_stepper_fail(s, PINION_ERR_ARGUMENT, "t = %.17g is not within the last step", t);

    /* at the ends as it was */
    const pn_step_state *x = t == s->now.t ? &s->now : t == s->before.t ? &s->before : NULL;
    if (x) {
        if (q) memcpy(q, x->q, (size_t)nq * sizeof(double));
        if (v) memcpy(v, x->v, (size_t)nv * sizeof(double));
        if (z && nz) memcpy(z, x->z, (size_t)nz * sizeof(double));
        return PINION_OK;
    }
    const pinion_status status = between(s, t);
    if (status != PINION_OK) return status;
    if (q) memcpy(q, s->q, (size_t)nq * sizeof(double));
    if (v) memcpy(v, s->y + nv, (size_t)nv * sizeof(double));
    if (z && nz) memcpy(z, s->y + 2 * nv, (size_t)nz * sizeof(double));
    return PINION_OK;
}

void pn_stepper_pause(pn_stepper *s)
{
    if (s->cut < s->now.t) return;
    copy_state(&s->system, &s->before, &s->now);
    s->origin = s->before.q;
}

pinion_status pn_stepper_cut(pn_stepper *s, double t)
{
    const int nv = s->system.nv;
    if (!s->started || !(t >= s->before.t && t <= s->now.t))
        return pn_stepper_fail(s, PINION_ERR_ARGUMENT, "t = %.17g is not within the last step", t);
    s->cut = INFINITY;
    if (t == s->before.t) {
        copy_state(&s->system, &s->now, &s->before);
    } else if (t < s->now.t) {
        /* the dense output needs both ends: `now` is overwritten when it is done */
        pinion_status status = between(s, t);
        if (status != PINION_OK) return status;
        const pn_step_state here = {t, s->q, s->y + nv, s->y + 2 * nv};
        copy_state(&s->system, &s->now, &here);
        /* as pn_stepper_start does: the same state goes on in the same way, to the bit */
        status = pinion_normalize(s->system.m, s->now.q);
        if (status != PINION_OK) return pn_stepper_fail(s, status, "%s", pinion_status_text(status));
    }
    return start_here(s);
}

/* ---------------------------------------------------------------------------------------------
 * Memory: time, counts, state, and what the method adds */

enum { HEAD = 4 };

static int own_size(const pn_stepper *s)
{
    return HEAD + s->system.nq + s->system.nv + s->system.nz + s->system.modes;
}

int pn_stepper_memory_size(const pn_stepper *s)
{
    return own_size(s) + s->method->memory_size(s);
}

pinion_status pn_stepper_store(pn_stepper *s, double *memory)
{
    if (!s->started) return pn_stepper_fail(s, PINION_ERR_ARGUMENT, "it was not started");
    const double head[HEAD] = {s->now.t, (double)s->steps, (double)s->refused, (double)s->evaluations};
    memcpy(memory, head, sizeof head);
    pn_step_state at = {0, memory + HEAD, memory + HEAD + s->system.nq,
                   memory + HEAD + s->system.nq + s->system.nv};
    copy_state(&s->system, &at, &s->now);
    for (int i = 0; i < s->system.modes; i++) at.z[s->system.nz + i] = s->system.mode[i];
    s->method->store(s, memory + own_size(s));
    return PINION_OK;
}

pinion_status pn_stepper_restore(pn_stepper *s, const double *memory)
{
    const int nq = s->system.nq, nv = s->system.nv, nz = s->system.nz;
    /* it comes from a file: nothing in it may do harm */
    s->started = 0;
    int good = isfinite(memory[0]) != 0;
    for (int i = 1; i < HEAD; i++) good = good && memory[i] >= 0 && memory[i] <= 0x1p53;
    for (int i = 0; i < nq + nv + nz + s->system.modes; i++) good = good && isfinite(memory[HEAD + i]);
    if (!good) return pn_stepper_fail(s, PINION_ERR_ARGUMENT, "what was stored is not of this integrator");

    s->now.t = memory[0];
    s->steps = (long)memory[1];
    s->refused = (long)memory[2];
    s->evaluations = (long)memory[3];
    memcpy(s->now.q, memory + HEAD, (size_t)nq * sizeof(double));
    memcpy(s->now.v, memory + HEAD + nq, (size_t)nv * sizeof(double));
    if (nz) memcpy(s->now.z, memory + HEAD + nq + nv, (size_t)nz * sizeof(double));
    for (int i = 0; i < s->system.modes; i++) s->system.mode[i] = memory[HEAD + nq + nv + nz + i];
    copy_state(&s->system, &s->before, &s->now);
    s->origin = s->before.q;
    s->limit = s->cut = INFINITY;
    const pinion_status status = s->method->restore(s, memory + own_size(s));
    s->started = status == PINION_OK;
    return status;
}

int pn_stepper_restarts(const pn_stepper *s, int next)
{
    return s->method->restarts ? s->method->restarts(s, next) : pinion_integrator_restarts(s->options.integrator);
}

void pn_stepper_changes(const pn_stepper *s, long *implicit_steps, long *changes)
{
    *implicit_steps = *changes = 0;
    if (s->method->changes) s->method->changes(s, implicit_steps, changes);
}

void pn_stepper_counts(const pn_stepper *s, long *steps, long *refused, long *evaluations)
{
    if (steps) *steps = s->steps;
    if (refused) *refused = s->refused;
    if (evaluations) *evaluations = s->evaluations;
}

const char *pn_stepper_message(const pn_stepper *s)
{
    return s->message;
}
