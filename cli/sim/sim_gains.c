/* pinion sim: the gains of a controller, and what is told of them. */
#include "cli/sim/sim_command.h"

#include "cli/args/coordinate_list.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What gains take of a velocity in a period, by the words of the command. */
static void tell_unstable(const sim_run *r, const pinion_braking *x)
{
    char name[400];
    if (!(x->taken > x->most) || r->resumed) return;
    if (x->velocity < 0)
        pn_cli_report(r->command,
                      "warning: --kd every %g s takes %.3g times a velocity of the closed loops in one period, and "
                      "more than %g make it grow; take shorter periods, or %.3g of these gains at most",
                      x->period, x->taken, x->most, x->most / x->taken);
    else
        pn_cli_report(r->command,
                      "warning: --kd %g of %s every %g s takes %.3g times its velocity in one period, and more than "
                      "%g make it grow; take shorter periods, or no more than %.3g",
                      r->kd[x->velocity], pinion_coordinate_name(r->m, "v", x->velocity, name, sizeof name) + 2,
                      x->period, x->taken, x->most, x->most / x->taken * r->kd[x->velocity]);
}

/* Computed torque is asked for accelerations: it takes kd T of a velocity, whatever the inertia. */
static pinion_braking brakes_computed(const sim_run *r)
{
    pinion_braking x = pinion_control_braking(&r->def.sim);
    for (int i = 0; i < r->nv; i++) {
        if (!(x.period * r->kd[i] > x.taken)) continue;
        x.taken = x.period * r->kd[i];
        x.velocity = i;
    }
    return x;
}

/* The kd of a task: what it wants less where the joints move that way than where they move back, over J v. */
static double task_kd(const sim_run *r, int task, double *memory)
{
    const size_t nv = (size_t)r->nv, most = nv > 6 ? nv : 6;
    double *v = memory, *J = v + nv, *wanted = J + most * nv, *back = wanted + most, kd = 0, longest = 0;
    for (size_t i = 0; i < nv; i++) v[i] = 1 + 0.3 * sin((double)i);
    const int rows = pinion_tasks_wanted(r->tasks, task, 0, r->q, v, J, wanted);
    for (size_t i = 0; i < nv; i++) v[i] = -v[i];
    if (rows < 0 || pinion_tasks_wanted(r->tasks, task, 0, r->q, v, J, back) != rows) return 0;
    for (int k = 0; k < rows; k++) {
        double moves = 0;
        for (size_t i = 0; i < nv; i++) moves += J[(size_t)k * nv + i] * v[i];
        if (!(fabs(moves) > longest)) continue;
        longest = fabs(moves);
        kd = 0.5 * (wanted[k] - back[k]) / moves;
    }
    return kd;
}

void pn_cli_sim_task_gains(const sim_run *r)
{
    const size_t nv = (size_t)r->nv, most = nv > 6 ? nv : 6;
    const pinion_braking x = pinion_control_braking(&r->def.sim);
    double *memory = malloc((nv + most * (nv + 2)) * sizeof *memory);
    for (int i = 0; memory && x.period > 0 && !r->resumed && !isnan(pinion_tasks_damped(r->tasks, i)); i++) {
        const double kd = task_kd(r, i, memory);
        if (x.period * kd > x.most)
            pn_cli_report(r->command,
                          "warning: kd %.4g of task %d every %g s takes %.3g times its velocity in one period, and "
                          "more than %g make it grow; take shorter periods, or no more than %.3g",
                          kd, i, x.period, x.period * kd, x.most, x.most / x.period);
    }
    free(memory);
}

/* A list over what is not given yet. */
static int read_list(sim_run *r, option_id option, const char *name, double *gain)
{
    const char *list = r->args->value[option];
    for (int i = 0; i < r->nv; i++) gain[i] = NAN;
    const int status = list ? pn_cli_coordinates(r->command, name, r->m, "v", 1, list, gain) : CLI_DONE;
    for (int i = 0; i < r->nv && status == CLI_DONE; i++) {
        if (!(gain[i] < 0)) continue;
        pn_cli_report(r->command, "--%s: expected numbers of at least 0", name);
        return CLI_USAGE;
    }
    return status;
}

int pn_cli_sim_gains(sim_run *r, int pd)
{
    char lowered[400] = "";
    pinion_braking x = pinion_control_braking(&r->def.sim);
    int status = read_list(r, OPT_KP, "kp", r->kp);
    if (status == CLI_DONE) status = read_list(r, OPT_KD, "kd", r->kd);
    if (status != CLI_DONE) return status;
    pinion_status good =
        pinion_pd_gains(r->m, pd ? &r->def.sim : NULL, r->q, r->kp, r->kd, lowered, sizeof lowered);
    if (*lowered && !r->quiet && !r->resumed)
        pn_cli_report(r->command, "note: --kp %d and --kd %d every %g s would shake light joints, which have less: %s",
                      PINION_DEFAULT_KP, PINION_DEFAULT_KD, x.period, lowered);
    if (good == PINION_OK && pd) good = pinion_pd_braking(r->m, &r->def.sim, r->q, r->kd, &x);
    if (good == PINION_OK && !pd) x = brakes_computed(r);
    if (good == PINION_OK) tell_unstable(r, &x);
    if (good == PINION_OK) return CLI_DONE;
    pn_cli_report(r->command, "%s", pinion_status_text(good));
    return CLI_FAILED;
}
