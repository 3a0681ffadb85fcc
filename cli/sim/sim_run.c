/* pinion sim: the run itself, a few steps of the integrator at a time. In between it shows how far it is, and looks
 * whether the user wants it to end. */
#define _POSIX_C_SOURCE 200809L
#include "cli/sim/sim_command.h"

#include "cli/print/interrupt.h"
#include "cli/print/progress.h"
#include "cli/print/print_text.h"

#include <string.h>

#define STEPS 64   /* between two looks at the clock and at signals */
#define MANY 10000 /* between two looks at how far they go */

/* Looks whether the steps have become so short that the user should know now, not at the end: once a line,
 * and on a terminal words beside the bar. */
static void watch_steps(sim_run *r, cli_progress *bar)
{
    const pinion_sim *sim = pinion_run_simulation(r->run);
    const double t = pinion_sim_time(sim);
    long steps;
    pinion_sim_counts(sim, &steps, NULL, NULL);
    if (r->short_steps || steps - r->looked_after < MANY) return;
    r->short_steps = pn_cli_sim_stiff(r, steps - r->looked_after, t - r->looked_at);
    const int chooses = r->def.sim.integrator == PINION_INTEGRATOR_AUTO;
    if (r->short_steps && bar->stream)
        bar->note = chooses ? "short steps: --tol 1e-8?" : "short steps: --integrator bdf?";
    const double step = (t - r->looked_at) / (double)(steps - r->looked_after), delay = pn_cli_sim_delay(r, step);
    if (r->short_steps && bar->stream && delay > 0) bar->note = "short steps: a delay";
    if (r->short_steps && !bar->stream && !r->quiet && delay > 0)
        pn_cli_report(r->command,
                      "steps are short, %.2g s near t = %.4g s: none is longer than the delay of an actuator", step, t);
    else if (r->short_steps && !bar->stream && !r->quiet)
        pn_cli_report(r->command,
                      "steps are short, %.2g s near t = %.4g s; if this takes too long, try %s--tol 1e-8", step, t,
                      chooses ? "" : "an implicit method: --integrator bdf ");
    r->looked_after = steps;
    r->looked_at = t;
}

int pn_cli_sim_go(sim_run *r)
{
    const pinion_sim *sim = pinion_run_simulation(r->run);
    pn_cli_catch_signals();
    r->from = r->looked_at = r->resumed ? pinion_sim_time(sim) : 0;
    pinion_sim_counts(sim, &r->before, NULL, NULL);
    r->looked_after = r->before;
    cli_progress bar = pn_cli_progress(r->quiet ? NULL : stderr, r->from, r->def.duration);
    pinion_status status = PINION_OK;
    while (status == PINION_OK && pinion_run_ended(r->run) == PINION_RUN_GOING) {
        status = pinion_run_advance(r->run, r->def.sim.contact ? 1 : STEPS); /* those with contact may take long */
        watch_steps(r, &bar);
        pn_cli_progress_show(&bar, pinion_sim_time(sim));
        if (status == PINION_OK && pn_cli_interrupted()) status = pinion_run_interrupt(r->run);
    }
    pn_cli_progress_clear(&bar);
    if (pinion_run_ended(r->run) != PINION_RUN_BROKEN) return CLI_DONE;
    pn_cli_report(r->command, "%s", pinion_run_message(r->run));
    return CLI_FAILED;
}
