/* The equations of motion as they stand, M(q) v' + h(q, v) = f, by BDF of variable order: IDA. */
#include "sim/stepper/sundials_common.h"

#include <ida/ida.h>
#include <ida/ida_ls.h>
#include <string.h>

static pinion_status residual_of(pn_sundials *d, double t, const double *y, const double *yp, double *r)
{
    pn_stepper *s = d->s;
    const pn_system *m = &s->system;
    const int nv = m->nv, nz = m->nz;
    const double *v = y + nv, *a = yp + nv;
    t = pn_time_in_step(s, t);
    if (!(pn_chart_turn(s->chart, y) <= PN_LARGEST_TURN))
        return pn_stepper_fail(s, PINION_ERR_STEP,
                               "a joint turns by more than half a turn in the step at t = %.17g", t);
    pn_chart_point(s->chart, d->origin, y, s->q);

    /* theta' = rate, M v' + h = f, z' as the system has it */
    s->evaluations++;
    pinion_status status = m->terms(m->user, t, s->q, v, y + 2 * nv, d->M, d->f, r + 2 * nv);
    if (status == PINION_OK) status = pinion_bias(m->m, d->work, s->q, v, d->bias);
    if (status != PINION_OK)
        return pn_stepper_fail(s, status, "the forces cannot be computed at t = %.17g: %s", t,
                               pinion_status_text(status));
    pn_chart_rate(s->chart, s->q, y, v, r);
    for (int i = 0; i < nv; i++) {
        r[i] = yp[i] - r[i];
        double x = d->bias[i] - d->f[i];
        for (int j = 0; j < nv; j++) x += d->M[i * nv + j] * a[j];
        r[nv + i] = x;
    }
    for (int i = 2 * nv; i < 2 * nv + nz; i++) r[i] = yp[i] - r[i];
    return pn_check_finite(s, t, r, s->n);
}

static int residual(realtype t, N_Vector y, N_Vector yp, N_Vector r, void *user)
{
    pn_sundials *d = user;
    const pinion_status status =
        residual_of(d, t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp), N_VGetArrayPointer(r));
    if (status == PINION_OK) return 0;
    d->failed = status;
    return 1;
}

static int ida_create(pn_sundials *d)
{
    const pinion_sim_options *o = &d->s->options;
    d->mem = IDACreate(d->context);
    if (!d->mem) return IDA_MEM_FAIL;
    int flag = IDASetErrHandlerFn(d->mem, pn_sundials_hear, d);
    if (flag >= 0) flag = IDAInit(d->mem, residual, d->t, d->y, d->yp);
    if (flag >= 0) flag = IDASetUserData(d->mem, d);
    if (flag >= 0) flag = IDAWFtolerances(d->mem, pn_sundials_weights);
    if (flag >= 0) flag = IDASetLinearSolver(d->mem, d->linear, d->matrix);
    if (flag >= 0 && o->step > 0) flag = IDASetInitStep(d->mem, o->step);
    return flag;
}

static int ida_again(pn_sundials *d)
{
    return IDAReInit(d->mem, d->t, d->y, d->yp);
}

static int ida_evolve(pn_sundials *d, double towards, double *t)
{
    return IDASolve(d->mem, towards, t, d->y, d->yp, IDA_ONE_STEP);
}

static int ida_dense(void *mem, double t, N_Vector y)
{
    return IDAGetDky(mem, t, 0, y);
}

static int ida_refused(void *mem, long *count)
{
    long errors = 0, solutions = 0;
    int flag = IDAGetNumErrTestFails(mem, &errors);
    if (flag >= 0) flag = IDAGetNumNonlinSolvConvFails(mem, &solutions);
    *count = errors + solutions;
    return flag;
}

static const pn_package IDA = {ida_create, ida_again,   IDASetStopTime, IDASetMaxStep, ida_evolve,
                               ida_dense,  ida_refused, IDAFree,        IDA_MEM_FAIL,  IDA_TSTOP_RETURN};

static pinion_status ida_open(pn_stepper *s)
{
    return pn_sundials_open(s, &IDA);
}

PN_SUNDIALS_METHOD(pn_method_ida, ida_open);
