/* pinion sim: whether what it starts from, follows and computes is within the model's limits. */
#include "cli/args/reach.h"
#include "cli/sim/sim_command.h"

#include <stdlib.h>

enum { SAMPLES = 100 }; /* of a motion that has no instants of its own */

/* The motion that a controller follows. */
static void see_target(sim_run *r, double *q, double *v, double *a)
{
    int count = 0;
    const double *times = pinion_trajectory_times(r->target, &count), start = pinion_trajectory_start(r->target),
                 span = pinion_trajectory_end(r->target) - start;
    if (!times) count = SAMPLES + 1;
    for (int i = 0; i < count; i++) {
        const double t = times ? times[i] : start + span * i / SAMPLES;
        if (pinion_trajectory_at(r->target, t, q, v, a) == PINION_OK)
            pn_cli_limits_see(&r->limits, GIVEN_POSITIONS, q, v, NULL, t);
    }
}

int pn_cli_sim_check_start(sim_run *r)
{
    const int status = pn_cli_limits_begin(&r->limits, r->args, r->m, "t = ", " s");
    if (status != CLI_DONE || r->resumed) return status;
    pn_cli_limits_see(&r->limits, GIVEN_POSITIONS | GIVEN_VELOCITIES, r->q, r->v, NULL, 0);
    double *q = r->target ? calloc((size_t)r->nq + 2 * (size_t)r->nv, sizeof *q) : NULL;
    if (q) see_target(r, q, q + r->nq, q + r->nq + r->nv);
    free(q);
    return pn_cli_limits_tell(&r->limits);
}

int pn_cli_sim_check_rows(sim_run *r)
{
    const int nu = pinion_model_actuators_listed(r->m) ? pinion_model_actuator_count(r->m) : 0;
    const size_t rows = pinion_result_row_count(r->result),
                 columns = 1 + (size_t)r->nq + 3 * (size_t)r->nv + (size_t)nu;
    double *x = r->limits.count || nu ? calloc(columns, sizeof *x) : NULL;
    cli_reach reach = {0};
    if (nu && pn_cli_reach_begin(&reach, r->command, r->m) != CLI_DONE) {
        free(x);
        return CLI_FAILED;
    }
    /* the order of the columns is that of pinion/sim/run.h: t, q, v, a, tau, actuators;
     * stops are there to be run into */
    const int stops = r->def.sim.stops || (r->def.sim.contact && r->contact.limits);
    const double *q = stops || !x ? NULL : x + 1, *v = x ? x + 1 + r->nq : NULL;
    for (size_t k = 0; x && k < rows; k++) {
        for (size_t i = 0; i < columns; i++) x[i] = pinion_result_values(r->result, (int)i)[k];
        pn_cli_limits_see(&r->limits, GIVEN_NOTHING, q, v, v + 2 * r->nv, x[0]);
        if (nu && pn_cli_reach_see(&reach, x + 1, v, v + 3 * r->nv, NULL, 0, x[0]) != PINION_OK) break;
    }
    if (nu) pn_cli_reach_tell(&reach, &r->limits);
    pn_cli_reach_end(&reach);
    free(x);
    return pn_cli_limits_tell(&r->limits);
}
