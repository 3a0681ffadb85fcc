/* pinion sim: the run itself. It goes from one instant of interest to the next, rows and checkpoints, a few
 * steps of the integrator at a time, and in between looks whether the user wants it to end. */
#define _POSIX_C_SOURCE 200809L
#include "cli/sim/sim_command.h"

#include "cli/print/progress.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <signal.h>
#include <string.h>

#define STEPS 64   /* between two looks at the clock and at signals */
#define MANY 10000 /* between two looks at how far they go */

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    interrupted = number;
}

/* Ctrl-C and the like end the run in good order. A second one ends the process. */
static void catch_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    interrupted = 0;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* The next instant at which something is to be done. */
static double next_stop(const sim_run *r)
{
    const double row = pn_cli_sim_row_time(r, r->next_row);
    return r->checkpoint ? fmin(row, (r->checkpoints + 1) * r->checkpoint_every) : row;
}

/* The last row is where the run ended, unless a row is there already. */
static int close_with_row(sim_run *r)
{
    const double *t = pinion_result_values(r->result, 0);
    const size_t rows = pinion_result_row_count(r->result);
    int status = pn_cli_sim_add_events(r);
    if (status == CLI_DONE && (rows == 0 || !(t[rows - 1] >= pinion_sim_time(r->sim))))
        status = pn_cli_sim_add_row(r);
    return status;
}

/* Ends the run where it is: the user wants it so. What a method that restarts would do from here on is not
 * what it does in a run that goes on, so its last checkpoint is the one to resume from. */
static int end_interrupted(sim_run *r)
{
    char t[40];
    r->end = RUN_INTERRUPTED;
    snprintf(r->why, sizeof r->why, "interrupted at t = %s s",
             pn_cli_number_text(pinion_sim_time(r->sim), t, sizeof t));
    int status = pn_cli_sim_add_events(r);
    if (status == CLI_DONE && r->checkpoint && !pinion_integrator_restarts(r->options.integrator))
        status = pn_cli_sim_checkpoint(r);
    return status == CLI_DONE ? close_with_row(r) : status;
}

/* Ends the run where the integration could still be trusted. */
static int end_failed(sim_run *r)
{
    char t[40];
    r->end = RUN_FAILED;
    snprintf(r->why, sizeof r->why, "the integration ends at t = %s s: %s",
             pn_cli_number_text(pinion_sim_time(r->sim), t, sizeof t), pinion_sim_message(r->sim));
    return close_with_row(r);
}

static int end_stopped(sim_run *r)
{
    r->end = RUN_STOPPED;
    return close_with_row(r);
}

/* Does what is due at the time reached: a row, then a checkpoint. */
static int arrive(sim_run *r, double t)
{
    int status = pn_cli_sim_add_events(r);
    if (status == CLI_DONE && t >= pn_cli_sim_row_time(r, r->next_row)) {
        status = pn_cli_sim_add_row(r);
        r->next_row++;
    }
    if (status == CLI_DONE && r->checkpoint && t >= (r->checkpoints + 1) * r->checkpoint_every) {
        r->checkpoints++;
        if (r->next_row < r->rows) status = pn_cli_sim_checkpoint(r);
    }
    return status;
}

/* Looks whether the steps have become so short that the user should know now, not at the end: once a line,
 * and on a terminal words beside the bar. */
static void watch_steps(sim_run *r, cli_progress *bar)
{
    long steps;
    const double t = pinion_sim_time(r->sim);
    pinion_sim_counts(r->sim, &steps, NULL, NULL);
    if (r->short_steps || steps - r->looked_after < MANY) return;
    r->short_steps = pn_cli_sim_stiff(r, steps - r->looked_after, t - r->looked_at);
    if (r->short_steps && bar->stream) bar->note = "short steps: --integrator bdf?";
    if (r->short_steps && !bar->stream && !r->quiet)
        pn_cli_report(r->command,
                      "steps are short, %.2g s near t = %.4g s; if this takes too long, try an implicit "
                      "method: --integrator bdf --tol 1e-8",
                      (t - r->looked_at) / (double)(steps - r->looked_after), t);
    r->looked_after = steps;
    r->looked_at = t;
}

int pn_cli_sim_go(sim_run *r)
{
    catch_signals();
    cli_progress bar = pn_cli_progress(r->quiet ? NULL : stderr, pinion_sim_time(r->sim), r->duration);
    r->from = r->looked_at = pinion_sim_time(r->sim);
    pinion_sim_counts(r->sim, &r->before, NULL, NULL);
    r->looked_after = r->before;
    int status = CLI_DONE;
    while (status == CLI_DONE && r->next_row < r->rows) {
        const double target = next_stop(r);
        const pinion_status step = pinion_sim_advance_some(r->sim, target, STEPS);
        const double t = pinion_sim_time(r->sim);
        watch_steps(r, &bar);
        pn_cli_progress_show(&bar, t);

        int ended = 1;
        if (step != PINION_OK)
            status = end_failed(r);
        else if (pinion_sim_stopped(r->sim))
            status = end_stopped(r);
        else if (interrupted && t < r->duration)
            status = end_interrupted(r);
        else
            ended = 0;
        if (ended) break;
        if (t >= target) status = arrive(r, t);
    }
    pn_cli_progress_clear(&bar);
    return status;
}
