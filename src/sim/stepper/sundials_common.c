#include "sim/stepper/sundials_common.h"

#include "base/room.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

/* rotation vectors longer than this move the chart: dexp^-1 is then still far from its pole at 2 pi */
#define LONG_TURN 2.0

/* ---------------------------------------------------------------------------------------------
 * What the package calls */

static int note(pn_sundials *d, pinion_status status)
{
    if (status == PINION_OK) return 0;
    d->failed = status;
    return 1; /* a shorter step may do better */
}

int pn_sundials_rates(realtype t, N_Vector y, N_Vector rate, void *user)
{
    pn_sundials *d = user;
    return note(d, pn_evaluate(d->s, t, d->origin, N_VGetArrayPointer(y), N_VGetArrayPointer(rate)));
}

/* A tolerance as the package gets it. Errors of BDF add up, those of the explicit method less: where AUTO goes from one
 * to the other, so that energies balance as well as before, it is a hundredth, and of tight ones a thousandth. */
static double tolerance_of(const pn_stepper *s, double tolerance)
{
    const double least = 1e-15;
    if (s->options.integrator != PINION_INTEGRATOR_AUTO || tolerance < least) return tolerance;
    return fmax(0.01 * fmin(1, sqrt(1e10 * tolerance)) * tolerance, least);
}

int pn_sundials_weights(N_Vector y, N_Vector weights, void *user)
{
    pn_sundials *d = user;
    const pn_stepper *s = d->s;
    const int nv = s->system.nv;
    const double rtol = tolerance_of(s, s->options.rtol), atol = tolerance_of(s, s->options.atol);
    const double *x = N_VGetArrayPointer(y);
    double *w = N_VGetArrayPointer(weights);
    pn_chart_point(s->chart, d->origin, x, s->q);
    pn_chart_scale(s->chart, s->q, d->scale);
    for (int i = 0; i < s->n; i++) {
        /* quadratures have a say here, since the package has no other way; a loose one near zero */
        const double size = i < nv ? d->scale[i] : i < 2 * nv + s->system.nx ? fabs(x[i]) : 1 + fabs(x[i]);
        w[i] = 1 / (atol + rtol * size);
        if (!(w[i] > 0 && isfinite(w[i]))) return -1;
    }
    return 0;
}

int pn_sundials_project(realtype t, N_Vector y, void *user)
{
    pn_sundials *d = user;
    return note(d, pn_project_chart(d->s, t, d->origin, N_VGetArrayPointer(y)));
}

void pn_sundials_hear(int code, const char *module, const char *function, char *message, void *user)
{
    pn_sundials *d = user;
    (void)code;
    (void)module;
    (void)function;
    snprintf(d->said, sizeof d->said, "%s", message ? message : "");
    /* one line, without what ends it */
    for (char *c = d->said; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' ';
}

/* ---------------------------------------------------------------------------------------------
 * Making one */

void pn_sundials_close(pn_stepper *s)
{
    pn_sundials *d = s->data;
    if (!d) return;
    if (d->mem) d->package->destroy(&d->mem);
    if (d->nonlinear) SUNNonlinSolFree(d->nonlinear);
    if (d->linear) SUNLinSolFree(d->linear);
    if (d->matrix) SUNMatDestroy(d->matrix);
    if (d->y) N_VDestroy(d->y);
    if (d->yp) N_VDestroy(d->yp);
    if (d->dense) N_VDestroy(d->dense);
    if (d->context) SUNContext_Free(&d->context);
    pinion_work_free(d->work);
    free(d->origin);
    free(d);
    s->data = NULL;
}

pinion_status pn_sundials_open(pn_stepper *s, const pn_package *package)
{
    const size_t nq = (size_t)s->system.nq, nv = (size_t)s->system.nv;
    if (s->n == 0) return pn_stepper_fail(s, PINION_ERR_UNSUPPORTED, "there is nothing to integrate");
    pn_sundials *d = calloc(1, sizeof *d);
    s->data = d;
    if (!d) return PINION_ERR_MEMORY;
    d->s = s;
    d->package = package;
    /* its matrices and vectors, of which no method has more */
    const size_t size = (size_t)s->n;
    if (!pn_is_room(((4 * size + 100) * size + 1000) * sizeof(double))) return PINION_ERR_MEMORY;
    double *x = d->origin = calloc(nq + 3 * nv + nv * nv + 1, sizeof *x);
    if (!x || SUNContext_Create(NULL, &d->context) != 0) return PINION_ERR_MEMORY;
    d->scale = x += nq;
    d->f = x += nv;
    d->bias = x += nv;
    d->M = x + nv;
    if (pinion_neutral(s->system.m, d->origin) != PINION_OK) return PINION_ERR_ARGUMENT;

    const sunindextype n = s->n;
    d->y = N_VNew_Serial(n, d->context);
    d->yp = N_VNew_Serial(n, d->context);
    d->dense = N_VNew_Serial(n, d->context);
    d->matrix = SUNDenseMatrix(n, n, d->context);
    if (!d->y || !d->yp || !d->dense || !d->matrix) return PINION_ERR_MEMORY;
    d->linear = SUNLinSol_Dense(d->y, d->matrix, d->context);
    d->work = pinion_work_new(s->system.m);
    if (!d->linear || !d->work) return PINION_ERR_MEMORY;
    N_VConst(0, d->y);
    N_VConst(0, d->yp);

    const int flag = package->create(d);
    if (flag == package->out_of_memory || !d->mem) return PINION_ERR_MEMORY;
    if (flag < 0)
        return pn_stepper_fail(s, PINION_ERR_UNSUPPORTED, "SUNDIALS does not accept this: %s", d->said);
    return PINION_OK;
}

pinion_status pn_sundials_start(pn_stepper *s)
{
    pn_sundials *d = s->data;
    d->restart = 1;
    return PINION_OK;
}

/* ---------------------------------------------------------------------------------------------
 * The step */

/* what went wrong: the system's own failure if there was one, else what the package says */
static pinion_status explain(pn_stepper *s, int flag)
{
    pn_sundials *d = s->data;
    d->restart = 1;
    if (flag == d->package->out_of_memory) return pn_stepper_fail(s, PINION_ERR_MEMORY, "out of memory");
    if (d->failed != PINION_OK) return d->failed; /* with the message of that time */
    return pn_stepper_fail(s, PINION_ERR_STEP, "the integrator gives up at t = %.17g: %s", s->before.t,
                           d->said);
}

/* at `before`, in the chart around it */
static pinion_status begin_anew(pn_stepper *s)
{
    pn_sundials *d = s->data;
    const int nv = s->system.nv, nz = s->system.nz;
    double *y = N_VGetArrayPointer(d->y);
    memcpy(d->origin, s->before.q, (size_t)s->system.nq * sizeof(double));
    memset(y, 0, (size_t)nv * sizeof(double));
    memcpy(y + nv, s->before.v, (size_t)nv * sizeof(double));
    if (nz) memcpy(y + 2 * nv, s->before.z, (size_t)nz * sizeof(double));
    d->t = s->before.t;
    d->refused = 0;
    const pinion_status status = pn_evaluate(s, d->t, d->origin, y, N_VGetArrayPointer(d->yp));
    if (status != PINION_OK) return status;
    int flag = d->package->again(d);

    /* from a turn of LONG_TURN no step leads out of the chart, unless the joint speeds up */
    const double turn = pn_chart_turn(s->chart, s->before.v);
    const double longest = fmin(s->options.max_step, (PN_LARGEST_TURN - LONG_TURN) / turn);
    if (flag >= 0) flag = d->package->longest(d->mem, isfinite(longest) ? longest : 0);
    if (flag < 0) return explain(s, flag);
    d->restart = 0;
    return PINION_OK;
}

static void arrive(pn_stepper *s, double t)
{
    pn_sundials *d = s->data;
    const int nv = s->system.nv, nz = s->system.nz;
    const double *y = N_VGetArrayPointer(d->y);
    pn_chart_point(s->chart, d->origin, y, s->now.q);
    memcpy(s->now.v, y + nv, (size_t)nv * sizeof(double));
    if (nz) memcpy(s->now.z, y + 2 * nv, (size_t)nz * sizeof(double));
    s->now.t = t;
}

/* The rest of the way to `end` when it is too short for the package to start: a linear step, exact to
 * rounding. */
static pinion_status sliver(pn_stepper *s, double end)
{
    pn_sundials *d = s->data;
    N_VLinearSum(1, d->y, end - d->t, d->yp, d->y);
    d->t = end;
    arrive(s, end);
    d->restart = d->straight = 1;
    return PINION_OK;
}

pinion_status pn_sundials_step(pn_stepper *s, double end)
{
    pn_sundials *d = s->data;
    d->failed = PINION_OK;
    d->said[0] = 0;
    d->straight = 0;
    const double tiny = 1e3 * DBL_EPSILON * fmax(fabs(end), fabs(s->before.t));
    const int short_way = isfinite(end) && end - s->before.t <= tiny;
    if (d->restart || short_way || pn_chart_turn(s->chart, N_VGetArrayPointer(d->y)) > LONG_TURN) {
        const pinion_status status = begin_anew(s);
        if (status != PINION_OK) {
            d->restart = 1;
            return status;
        }
    }
    s->origin = d->origin;
    if (short_way) return sliver(s, end);

    /* one step, and how many were refused on the way */
    double t = s->before.t;
    int flag = d->package->stop(d->mem, isfinite(end) ? end : 1e300);
    if (flag >= 0) flag = d->package->evolve(d, t + 1, &t);
    long refused = 0;
    if (d->package->refused(d->mem, &refused) >= 0) {
        s->refused += refused - d->refused;
        d->refused = refused;
    }
    if (flag < 0) return explain(s, flag);
    if (!(t > s->before.t))
        return d->restart = 1,
               pn_stepper_fail(s, PINION_ERR_STEP, "the step is lost in rounding at t = %.17g", t);
    d->t = t;
    const pinion_status status = pn_check_finite(s, t, N_VGetArrayPointer(d->y), s->n);
    if (status != PINION_OK) return d->restart = 1, status;

    /* at `end` the system may change */
    if (t >= end || flag == d->package->at_stop) {
        t = end;
        d->restart = 1;
    }
    arrive(s, t);
    return PINION_OK;
}

pinion_status pn_sundials_dense(pn_stepper *s, double t, double *y)
{
    pn_sundials *d = s->data;
    int flag = 0;
    if (d->straight)
        N_VLinearSum(1, d->y, t - d->t, d->yp, d->dense);
    else
        flag = d->package->dense(d->mem, t, d->dense);
    if (flag < 0)
        return pn_stepper_fail(s, PINION_ERR_ARGUMENT, "t = %.17g is not within the last step: %s", t,
                               d->said);
    memcpy(y, N_VGetArrayPointer(d->dense), (size_t)s->n * sizeof *y);
    return PINION_OK;
}

/* ---------------------------------------------------------------------------------------------
 * Memory: the state says all, since storing restarts */

int pn_sundials_memory_size(const pn_stepper *s)
{
    (void)s;
    return 0;
}

void pn_sundials_store(pn_stepper *s, double *memory)
{
    pn_sundials *d = s->data;
    (void)memory;
    d->restart = 1;
}

pinion_status pn_sundials_restore(pn_stepper *s, const double *memory)
{
    pn_sundials *d = s->data;
    (void)memory;
    d->restart = 1;
    return PINION_OK;
}
