/* The integrators by name. */
#include "pinion/sim.h"

#include <string.h>

/* One row a method, in the order of the enum. */
static const struct {
    const char *name, *text;
    int fixed;
} integrators[PINION_INTEGRATOR_COUNT] = {
    [PINION_DOPRI5] = {"dopri5", "Dormand and Prince 5(4), adaptive, dense output", 0},
    [PINION_VERNER65] = {"verner65", "Verner 6(5), adaptive, dense output", 0},
    [PINION_RK4] = {"rk4", "the classical Runge-Kutta method of order 4, fixed step", 1},
    [PINION_EULER] = {"euler", "semi-implicit Euler, order 1, fixed step", 1},
    [PINION_VARIATIONAL] = {"variational", "variational midpoint rule, order 2, fixed step, for long runs", 1},
    [PINION_BDF] = {"bdf", "backward differences of variable order, for stiff systems (SUNDIALS CVODE)", 0},
    [PINION_ADAMS] = {"adams", "Adams-Moulton of variable order, for smooth systems (SUNDIALS CVODE)", 0},
    [PINION_DIRK] = {"dirk", "implicit Runge-Kutta of order 4, for stiff systems (SUNDIALS ARKODE)", 0},
    [PINION_IDA] = {"ida", "backward differences on M(q) v' + h = tau as it stands (SUNDIALS IDA)", 0},
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
    return integrator == PINION_BDF || integrator == PINION_ADAMS || integrator == PINION_DIRK ||
           integrator == PINION_IDA;
}

int pinion_integrator_takes_loops(pinion_integrator integrator)
{
    return in_range(integrator) && integrator != PINION_VARIATIONAL && integrator != PINION_IDA;
}

int pinion_integrator_find(const char *name)
{
    for (int i = 0; name && i < PINION_INTEGRATOR_COUNT; i++)
        if (strcmp(integrators[i].name, name) == 0) return i;
    return -1;
}
