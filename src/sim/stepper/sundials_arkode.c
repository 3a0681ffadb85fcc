/* A diagonally implicit Runge-Kutta method of order 4 with an embedded one of order 3 (the package's
 * default of that order: Hairer, Wanner, Solving Ordinary Differential Equations II, table IV.6.5):
 * ARKODE. */
#include "sim/stepper/sundials_common.h"

#include <arkode/arkode_arkstep.h>

/* The step is taken already and cannot be refused any more: where the projection fails, the end stays as it
 * is. */
static int arkode_project(realtype t, N_Vector y, void *user)
{
    (void)pn_sundials_project(t, y, user);
    ((pn_sundials *)user)->failed = PINION_OK;
    return 0;
}

static int arkode_create(pn_sundials *d)
{
    const pinion_sim_options *o = &d->s->options;
    d->mem = ARKStepCreate(NULL, pn_sundials_rates, d->t, d->y, d->context);
    if (!d->mem) return ARK_MEM_FAIL;
    int flag = ARKStepSetErrHandlerFn(d->mem, pn_sundials_hear, d);
    if (flag >= 0) flag = ARKStepSetUserData(d->mem, d);
    if (flag >= 0) flag = ARKStepSetOrder(d->mem, 4);
    if (flag >= 0) flag = ARKStepWFtolerances(d->mem, pn_sundials_weights);
    if (flag >= 0) flag = ARKStepSetMaxHnilWarns(d->mem, -1);
    if (flag >= 0) flag = ARKStepSetLinearSolver(d->mem, d->linear, d->matrix);
    if (flag >= 0 && o->step > 0) flag = ARKStepSetInitStep(d->mem, o->step);
    if (flag >= 0 && d->s->system.project) flag = ARKStepSetPostprocessStepFn(d->mem, arkode_project);
    return flag;
}

static int arkode_again(pn_sundials *d)
{
    int flag = ARKStepReInit(d->mem, NULL, pn_sundials_rates, d->t, d->y);
    if (flag < 0 || !(d->s->fixed > 0)) return flag;
    /* a given step cannot be shortened: the equations of its stages are solved whatever that takes */
    flag = ARKStepSetFixedStep(d->mem, d->s->fixed);
    if (flag >= 0) flag = ARKStepSetMaxNonlinIters(d->mem, 50);
    if (flag >= 0) flag = ARKStepSetNonlinRDiv(d->mem, 100);
    if (flag >= 0) flag = ARKStepSetLSetupFrequency(d->mem, 1);
    if (flag >= 0) flag = ARKStepSetJacEvalFrequency(d->mem, 1);
    return flag;
}

static int arkode_evolve(pn_sundials *d, double towards, double *t)
{
    return ARKStepEvolve(d->mem, towards, d->y, t, ARK_ONE_STEP);
}

static int arkode_dense(void *mem, double t, N_Vector y)
{
    return ARKStepGetDky(mem, t, 0, y);
}

static int arkode_refused(void *mem, long *count)
{
    long errors = 0, solutions = 0;
    int flag = ARKStepGetNumErrTestFails(mem, &errors);
    if (flag >= 0) flag = ARKStepGetNumStepSolveFails(mem, &solutions);
    *count = errors + solutions;
    return flag;
}

static const pn_package ARKODE = {arkode_create, arkode_again,    ARKStepSetStopTime, ARKStepSetMaxStep,
                                  arkode_evolve, arkode_dense,    arkode_refused,     ARKStepFree,
                                  ARK_MEM_FAIL,  ARK_TSTOP_RETURN};

static pinion_status arkode_open(pn_stepper *s)
{
    return pn_sundials_open(s, &ARKODE);
}

PN_SUNDIALS_METHOD(pn_method_arkode, arkode_open);
