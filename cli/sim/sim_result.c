/* pinion sim: the result's settings and files. */
#define _POSIX_C_SOURCE 200809L
#include "cli/sim/sim_command.h"

#include "cli/args/load_option.h"
#include "cli/print/plot.h"
#include "cli/print/progress.h"
#include "cli/report/report.h"
#include "cli/print/result_out.h"
#include "cli/print/print_text.h"

#include <string.h>

static int out_of_memory(const sim_run *r)
{
    pn_cli_report(r->command, "out of memory");
    return CLI_FAILED;
}

static int set(sim_run *r, const char *key, const char *text)
{
    return pinion_result_set(r->result, key, text) == PINION_OK;
}

/* The values of an option that may be given several times, with semicolons between them. */
static int set_repeated(sim_run *r, option_id id, const char *key)
{
    char text[1000] = "";
    for (int i = 0; i < r->args->repeated_count; i++) {
        const repeated_value *given = &r->args->repeated[i];
        const size_t used = strlen(text);
        if (given->option == id)
            snprintf(text + used, sizeof text - used, "%s%s", used ? "; " : "", given->value);
    }
    return !*text || set(r, key, text);
}

int pn_cli_sim_settings(sim_run *r)
{
    const char *const *value = r->args->value;
    int ok = 1;
    const option_id given[] = {OPT_Q,     OPT_V,          OPT_STATE, OPT_TORQUE, OPT_KP,
                               OPT_KD,    OPT_LINE,       OPT_FROM,  OPT_TO_Q,   OPT_PROFILE, OPT_FLOATING,
                               OPT_BLEND, OPT_TRAJECTORY, OPT_FORCES, OPT_CONTACT, OPT_CONTACT_FRICTION,
                               OPT_CONTACT_SOLVER, OPT_CONTACT_TOL, OPT_CONTACT_COMPLIANCE, OPT_FRAMES, OPT_TASKS,
                               OPT_SENSORS, OPT_SEED, OPT_CTRL};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        if (value[given[i]])
            ok = ok && set(r, pn_cli_option_name(r->args, given[i]), *value[given[i]] ? value[given[i]] : "on");
    if (value[OPT_LIMIT_EFFORT]) ok = ok && set(r, "limit_effort", "on");
    ok = ok && set_repeated(r, OPT_EVENT, "events") && set_repeated(r, OPT_STOP_WHEN, "stop_when");
    return ok ? CLI_DONE : out_of_memory(r);
}

int pn_cli_sim_write(sim_run *r)
{
    const double wall = pn_cli_clock() - r->began;
    pinion_run_summary s;
    if (pinion_run_summarize(r->run, &s) != PINION_OK) return CLI_FAILED;

    /* every file that can be written is, whatever happens to another */
    int status = pn_cli_sim_check_rows(r), told = 0;
    pinion_error err = {PINION_OK, 0, 0, ""};
    if (r->output && pinion_result_save(r->result, r->output, PINION_RESULT_AUTO, &err) != PINION_OK) {
        r->output = NULL; /* said below, as the last word */
        status = CLI_FAILED;
    } else if (!r->output && !r->json && pn_cli_print_result(r->command, r->result) != CLI_DONE) {
        told = 1;
        status = CLI_FAILED;
    }
    if (r->report &&
        pn_cli_report_result(r->command, r->result, r->m, r->args->positional,
                             r->args->value[OPT_PACKAGE_PATH], r->report) != CLI_DONE) {
        r->report = NULL;
        status = CLI_FAILED;
    }
    if (r->plot &&
        pn_cli_plot_result(r->command, r->result, r->args->value[OPT_PLOT_COLUMNS], r->m, r->plot) != CLI_DONE) {
        r->plot = NULL;
        status = CLI_FAILED;
    }
    pn_cli_sim_print(r, &s, wall);
    if (err.status != PINION_OK) pn_cli_report(r->command, "%s", err.message);

    /* what came out is complete as far as it goes, but not what was asked for */
    if (s.end == PINION_RUN_INTERRUPTED || s.end == PINION_RUN_FAILED) {
        pn_cli_report(r->command, "%s%s%s", s.why,
                      r->output ? "; the result up to there is complete in " : "",
                      r->output ? r->output : "");
        status = CLI_FAILED;
    }
    return told ? status : pn_cli_finish(r->command, status);
}
