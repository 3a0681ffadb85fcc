/* pinion sim: the run itself, a few steps of the integrator at a time. In between it shows how far it is, and looks
 * whether the user wants it to end. */
#define _POSIX_C_SOURCE 200809L
#include "cli/sim/sim_command.h"

#include "cli/print/interrupt.h"
#include "cli/print/progress.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <string.h>

#define STEPS 64     /* between two looks at the clock and at signals */
#define MANY 10000   /* between two looks at how far they go */
#define TOO_MANY 1e7 /* steps ahead: from ten seconds for a small robot to hours with contact */

/* Says that steps are so short that the user should know now, not at the end: a line, and on a terminal words beside
 * the bar. */
static void tell_short(const sim_run *r, cli_progress *bar, double step, double t)
{
    const int chooses = r->def.sim.integrator == PINION_INTEGRATOR_AUTO;
    const double delay = pn_cli_sim_delay(r, step);
    if (bar->stream)
        bar->note = delay > 0 ? "short steps: a delay"
                    : chooses ? "short steps: --tol 1e-8?"
                              : "short steps: --integrator bdf?";
    else if (!r->quiet && delay > 0)
        pn_cli_report(r->command,
                      "steps are short, %.2g s near t = %.4g s: none is longer than the delay of an actuator", step, t);
    else if (!r->quiet)
        pn_cli_report(r->command,
                      "steps are short, %.2g s near t = %.4g s; if this takes too long, try %s--tol 1e-8", step, t,
                      chooses ? "" : "an implicit method: --integrator bdf ");
}

/* Says once, where no bar shows it, that a run will take very many steps, also one that is quiet. */
static void tell_ahead(sim_run *r, const cli_progress *bar, double step, double t, long steps)
{
    double ahead = step > 0 ? (r->def.duration - t) / step : 0;
    if (r->def.max_steps > 0) ahead = fmin(ahead, (double)(r->def.max_steps - (steps - r->before)));
    if (r->many_ahead || bar->stream || !(ahead > TOO_MANY)) return;
    r->many_ahead = 1;
    pn_cli_report(r->command,
                  "warning: steps are of %.2g s near t = %.4g s; with such ones %.1e are ahead (--max-steps, "
                  "--max-time or Ctrl-C end the run)",
                  step, t, ahead);
}

/* Looks how far steps go. */
static void watch_steps(sim_run *r, cli_progress *bar)
{
    const pinion_sim *sim = pinion_run_simulation(r->run);
    const double t = pinion_sim_time(sim);
    long steps;
    pinion_sim_counts(sim, &steps, NULL, NULL);
    const long taken = steps - r->looked_after;
    if (taken < MANY) return;
    const double step = (t - r->looked_at) / (double)taken;
    if (!r->short_steps && (r->short_steps = pn_cli_sim_stiff(r, taken, t - r->looked_at))) tell_short(r, bar, step, t);
    tell_ahead(r, bar, step, t, steps);
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
