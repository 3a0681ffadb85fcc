/* pinion id: the forces of the actuators, and what they cannot give. */
#include "cli/id/id.h"

#include "cli/print/print_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int pn_cli_id_actuators_begin(id_run *d)
{
    const int nu = pinion_model_actuator_count(d->m);
    const size_t nv = (size_t)d->nv;
    d->listed = pinion_model_actuators_listed(d->m);
    if (pn_cli_reach_begin(&d->reach, d->command, d->m) != CLI_DONE) return CLI_FAILED;
    d->reach.voltages = 1;
    d->u = calloc((size_t)nu + 2 * nv + 1, sizeof *d->u);
    d->allocation = pinion_allocation_new(d->m);
    if (!d->u || !d->allocation) {
        pn_cli_report(d->command, "out of memory");
        return CLI_FAILED;
    }
    d->rest = d->u + nu;
    d->outside = d->rest + nv;
    return CLI_DONE;
}

void pn_cli_id_actuators_note(const id_run *d)
{
    int count = 0;
    pinion_actuator_info a;
    for (int k = 0; pinion_model_actuator(d->m, k, &a) == PINION_OK; k++)
        count += a.dynamics.delay > 0 || pinion_actuator_time_constant(&a) > 0;
    if (count)
        pn_cli_report(d->command,
                      "note: the forces are those that act; delays, lags and inductances of %d actuator%s are left out",
                      count, pn_cli_plural(count));
}

void pn_cli_id_actuators_end(id_run *d)
{
    pn_cli_reach_end(&d->reach);
    pinion_allocation_free(d->allocation);
    free(d->u);
}

static double largest(const double *x, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
    return most;
}

pinion_status pn_cli_id_actuate_loops(id_run *d, double t)
{
    pinion_loop_options o = pinion_loop_options_default();
    pinion_loop_solution solution = {.lambda = d->loops.lambda};
    o.t = t;
    o.passive = d->passive;

    /* the forces of the joints, less what springs and the like give by themselves */
    pinion_status status = pinion_inverse_dynamics(d->m, d->w, d->q, d->v, d->a, NULL, d->tau);
    if (status == PINION_OK && d->passive) status = pn_cli_id_passive(d);
    if (status == PINION_OK)
        status = pinion_loop_active_forces(d->m, d->w, d->q, d->v, NULL, d->passive, d->outside, NULL);
    for (int i = 0; i < d->nv && status == PINION_OK; i++)
        d->tau[i] -= d->outside[i] + (d->passive ? d->tau_p[i] : 0);
    if (status == PINION_OK) status = pinion_allocation_forces(d->allocation, d->q, d->tau, 0, d->u, d->rest);
    if (status != PINION_OK) return status;
    d->most = largest(d->tau, d->nv);

    /* the loops' forces in this motion, what is missing given from outside; then what the actuators alone give */
    status = pinion_actuation_torque(d->m, d->w, d->q, d->u, d->tau);
    for (int i = 0; i < d->nv; i++) d->outside[i] = d->tau[i] + d->rest[i] + (d->passive ? d->tau_p[i] : 0);
    if (status != PINION_OK) return status;
    return pinion_loop_dynamics(d->m, d->w, -1, &o, d->q, d->v, d->outside, NULL, d->tau_p, &solution);
}

pinion_status pn_cli_id_actuate(id_run *d, double t)
{
    pinion_status status = PINION_OK;
    if (d->loops.count == 0) {
        status = pinion_allocation_forces(d->allocation, d->q, d->tau, 0, d->u, d->rest);
        d->most = largest(d->tau, d->nv);
    } else if (!d->listed) {
        /* what goes to joints that no motor moves */
        memcpy(d->rest, d->tau, (size_t)d->nv * sizeof *d->rest);
        for (int k = 0; k < pinion_model_actuator_count(d->m); k++) {
            pinion_actuator_info a;
            if (pinion_model_actuator(d->m, k, &a) == PINION_OK) d->rest[a.term[0].v_index] = 0;
        }
        d->most = largest(d->tau, d->nv);
    }
    const int chosen = d->args->value[OPT_ACTUATED] != NULL;
    if (status != PINION_OK) return status;
    return pn_cli_reach_see(&d->reach, d->q, d->v, d->u, chosen ? NULL : d->rest, d->most, t);
}
