/* The integrators by name. */
#include "pinion/sim/sim.h"

#include <string.h>

/* One row a method, in the order of the enum. */
static const struct {
    const char *name;
    int fixed;
} integrators[PINION_INTEGRATOR_COUNT] = {
    [PINION_INTEGRATOR_DOPRI5] = {"dopri5", 0},
    [PINION_INTEGRATOR_VERNER65] = {"verner65", 0},
    [PINION_INTEGRATOR_RK4] = {"rk4", 1},
    [PINION_INTEGRATOR_EULER] = {"euler", 1},
    [PINION_INTEGRATOR_VARIATIONAL] = {"variational", 1},
    [PINION_INTEGRATOR_BDF] = {"bdf", 0},
    [PINION_INTEGRATOR_ADAMS] = {"adams", 0},
    [PINION_INTEGRATOR_DIRK] = {"dirk", 0},
    [PINION_INTEGRATOR_IDA] = {"ida", 0},
    [PINION_INTEGRATOR_AUTO] = {"auto", 0},
};

static int in_range(pinion_integrator integrator)
{
    return (int)integrator >= 0 && integrator < PINION_INTEGRATOR_COUNT;
}

const char *pinion_integrator_name(pinion_integrator integrator)
{
    return in_range(integrator) ? integrators[integrator].name : NULL;
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
