/* The processes that a sweep is made by together. */
#ifndef PN_CLI_SWEEP_TEAM_H
#define PN_CLI_SWEEP_TEAM_H

#include "pinion/sim/sweep.h"

/* Set by the main function of pinion-mpi; NULL in pinion, which is alone. */
extern const pinion_sweep_team *pn_cli_team;

#endif
