/* The integrators by name. */
#include "pinion/sim/sim.h"

#include <string.h>

/* One row a method, in the order of the enum. */
static const struct {
    const char *name, *text;
    int fixed;
} integrators[PINION_INTEGRATOR_COUNT] = {
    [PINION_INTEGRATOR_DOPRI5] = {"dopri5", "Dormand and Prince 5(4), adaptive, dense output", 0},
    [PINION_INTEGRATOR_VERNER65] = {"verner65", "Verner 6(5), adaptive, dense output", 0},
    [PINION_INTEGRATOR_RK4] = {"rk4", "the classical Runge-Kutta method of order 4, fixed step", 1},
    [PINION_INTEGRATOR_EULER] = {"euler", "semi-implicit Euler, order 1, fixed step", 1},
    [PINION_INTEGRATOR_VARIATIONAL] = {"variational",
                                       "variational midpoint rule, order 2, fixed step, for long runs", 1},
    [PINION_INTEGRATOR_BDF] = {"bdf",
                               "backward differences of variable order, for stiff systems (SUNDIALS CVODE)",
                               0},
    [PINION_INTEGRATOR_ADAMS] = {"adams",
                                 "Adams-Moulton of variable order, for smooth systems (SUNDIALS CVODE)", 0},
    [PINION_INTEGRATOR_DIRK] = {"dirk",
                                "implicit Runge-Kutta of order 4, for stiff systems (SUNDIALS ARKODE)", 0},
    [PINION_INTEGRATOR_IDA] = {"ida", "backward differences on M(q) v' + h = tau as it stands (SUNDIALS IDA)",
                               0},
};

static int in_range(pinion_integrator integrator)
{
    return (int)integrator >= 0 && integrator < PINION_INTEGRATOR_COUNT;
}

const char *pinion_integrator_name(pinion_integrator integrator)
{
    return in_range(integrator) ? integrators[integrator].name : NULL;
}

const char *pinion_integrator_text(pinion_integrator integrator)
{
    return in_range(integrator) ? integrators[integrator].text : NULL;
}

int pinion_integrator_is_fixed(pinion_integrator integrator)
{
    return in_range(integrator) && integrators[integrator].fixed;
}

int pinion_integrator_restarts(pinion_integrator integrator)
{
    return integrator == PINION_INTEGRATOR_BDF || integrator == PINION_INTEGRATOR_ADAMS ||
           integrator == PINION_INTEGRATOR_DIRK || integrator == PINION_INTEGRATOR_IDA;
}

int pinion_integrator_takes_loops(pinion_integrator integrator)
{
    return in_range(integrator) && integrator != PINION_INTEGRATOR_VARIATIONAL && integrator != PINION_INTEGRATOR_IDA;
}

int pinion_integrator_find(const char *name)
{
    for (int i = 0; name && i < PINION_INTEGRATOR_COUNT; i++)
        if (strcmp(integrators[i].name, name) == 0) return i;
    return -1;
}
