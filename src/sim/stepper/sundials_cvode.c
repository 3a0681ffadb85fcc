/* BDF and Adams methods of variable order and step: CVODE. */
#include "sim/stepper/sundials_common.h"

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

/* what a step's end lacks to the constraints */
static int cvode_project(realtype t, N_Vector y, N_Vector correction, realtype tolerance, N_Vector error,
                         void *user)
{
    pn_sundials *d = user;
    (void)tolerance;
    (void)error;
    N_VScale(1, y, correction);
    const int flag = pn_sundials_project(t, correction, d);
    if (flag == 0) N_VLinearSum(1, correction, -1, y, correction);
    return flag;
}

static int cvode_create(pn_sundials *d)
{
    const pinion_sim_options *o = &d->s->options;
    const int stiff = o->integrator != PINION_INTEGRATOR_ADAMS; /* BDF, and AUTO where it is stiff */
    d->mem = CVodeCreate(stiff ? CV_BDF : CV_ADAMS, d->context);
    if (!d->mem) return CV_MEM_FAIL;
    int flag = CVodeSetErrHandlerFn(d->mem, pn_sundials_hear, d);
    if (flag >= 0) flag = CVodeInit(d->mem, pn_sundials_rates, d->t, d->y);
    if (flag >= 0) flag = CVodeSetUserData(d->mem, d);
    if (flag >= 0) flag = CVodeWFtolerances(d->mem, pn_sundials_weights);
    if (flag >= 0) flag = CVodeSetMaxHnilWarns(d->mem, -1);
    if (flag >= 0 && o->step > 0) flag = CVodeSetInitStep(d->mem, o->step);
    if (flag >= 0 && d->s->system.project) {
        flag = CVodeSetProjFn(d->mem, cvode_project);
        if (flag >= 0) flag = CVodeSetProjErrEst(d->mem, SUNFALSE);
    }

    /* stiff problems by Newton's method, the others by fixed-point iteration */
    if (stiff) {
        SUNLinSolFree(d->linear);
        d->linear = pn_newton_solver(d);
        if (!d->linear) return CV_MEM_FAIL;
        if (flag >= 0) flag = CVodeSetLinearSolver(d->mem, d->linear, d->matrix);
        return flag >= 0 ? CVodeSetLinSysFn(d->mem, pn_newton_system) : flag;
    }
    d->nonlinear = SUNNonlinSol_FixedPoint(d->y, 0, d->context);
    if (!d->nonlinear) return CV_MEM_FAIL;
    return flag >= 0 ? CVodeSetNonlinearSolver(d->mem, d->nonlinear) : flag;
}

static int cvode_again(pn_sundials *d)
{
    return CVodeReInit(d->mem, d->t, d->y);
}

static int cvode_evolve(pn_sundials *d, double towards, double *t)
{
    return CVode(d->mem, towards, d->y, t, CV_ONE_STEP);
}

static int cvode_dense(void *mem, double t, N_Vector y)
{
    return CVodeGetDky(mem, t, 0, y);
}

static int cvode_refused(void *mem, long *count)
{
    long errors = 0, solutions = 0;
    int flag = CVodeGetNumErrTestFails(mem, &errors);
    if (flag >= 0) flag = CVodeGetNumStepSolveFails(mem, &solutions);
    *count = errors + solutions;
    return flag;
}

static const pn_package CVODE = {cvode_create, cvode_again,    CVodeSetStopTime, CVodeSetMaxStep,
                                 cvode_evolve, cvode_dense,    cvode_refused,    CVodeFree,
                                 CV_MEM_FAIL,  CV_TSTOP_RETURN};

static pinion_status cvode_open(pn_stepper *s)
{
    return pn_sundials_open(s, &CVODE);
}

PN_SUNDIALS_METHOD(pn_method_cvode, cvode_open);
