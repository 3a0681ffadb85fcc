/* pinion sim: forward simulation. */
#include "cli/sim/sim_command.h"

#include "cli/args/command_line.h"
#include "cli/print/plot.h"
#include "cli/print/progress.h"
#include "cli/print/print_text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Whether a message is about the number of an option: it then starts with the option's name, as a field of the def. */
static int blames(const char *message, const char *option)
{
    while (*option && (*message == *option || (*message == '_' && *option == '-'))) message++, option++;
    return !*option && *message == ':';
}

/* Says why there is no run. */
static int refuse(const sim_run *r, const pinion_error *err)
{
    const option_id number[] = {OPT_DURATION, OPT_OUTPUT_STEP, OPT_STEP, OPT_MAX_STEP, OPT_CHECKPOINT_EVERY};
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) {
        const char *option = pn_cli_option_name(r->args, number[i]);
        if (!blames(err->message, option)) continue;
        pn_cli_report(r->command, "--%s%s", option, err->message + strlen(option));
        return CLI_USAGE;
    }
    pn_cli_report(r->command, "%s", err->message[0] ? err->message : pinion_status_text(err->status));
    return CLI_FAILED;
}

/* The run, not yet started, with an empty result. */
static int make_run(sim_run *r)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    r->line = pn_cli_command_line(r->args);
    r->def.result = r->result = pinion_result_new();
    r->def.command = r->line;
    r->def.model_file = r->args->positional;
    r->def.control = r->args->value[OPT_CONTROL];
    if (!r->line || !r->result) {
        pn_cli_report(r->command, "out of memory");
        return CLI_FAILED;
    }
    if (r->def.checkpoint && !(r->def.checkpoint_text = r->stored = pn_cli_sim_describe(r->args))) return CLI_FAILED;
    r->run = pinion_run_new(r->m, &r->def, &err);
    if (!r->run) return refuse(r, &err);
    int status = pn_cli_sim_events(r);
    if (status == CLI_DONE) status = pn_cli_sim_settings(r);
    if (status == CLI_DONE && r->plot)
        status = pn_cli_plot_columns(r->command, r->result, r->args->value[OPT_PLOT_COLUMNS]);
    return status;
}

static void release(sim_run *r)
{
    pn_cli_limits_end(&r->limits);
    pinion_run_free(r->run);
    pinion_result_free(r->result);
    free(r->line);
    free(r->stored);
    pinion_controller_free(r->controller);
    pinion_controller_free(r->outside);
    pinion_tasks_free(r->tasks);
    pinion_work_free(r->law);
    pinion_trajectory_free(r->target);
    pinion_forces_free(r->forces);
    pinion_sensors_free(r->sensors);
    free(r->frames);
    free(r->memory);
    pinion_model_free(r->m);
}

/* A run from its arguments to its files. */
static int simulate(const cli_args *args, int quiet, int json, const pinion_result *checkpoint)
{
    sim_run r;
    memset(&r, 0, sizeof r);
    r.args = args;
    r.command = args->command->name;
    r.quiet = quiet || args->value[OPT_QUIET];
    r.json = json || args->value[OPT_JSON];
    r.resumed = checkpoint != NULL;
    r.began = pn_cli_clock();

    int status = pn_cli_sim_options(&r);
    if (status == CLI_DONE) status = make_run(&r);
    if (status == CLI_DONE && checkpoint) status = pn_cli_sim_resume(&r, checkpoint);
    if (status == CLI_DONE) status = pn_cli_sim_go(&r);
    if (status == CLI_DONE) status = pn_cli_sim_write(&r);
    release(&r);
    return status;
}

/* Goes on from a checkpoint: its arguments count, and of those given now only how much is said and how far it goes. */
static int resume(const cli_args *args)
{
    for (int id = 0; id < CLI_OPTIONS; id++) {
        const int may = id == OPT_RESUME || id == OPT_QUIET || id == OPT_JSON || id == OPT_MAX_STEPS ||
                        id == OPT_MAX_TIME;
        if (!args->positional && (!args->value[id] || may)) continue;
        pn_cli_report(args->command->name,
                      "--resume goes on with the settings of the run that wrote the checkpoint; only --quiet, --json, "
                      "--max-steps and --max-time can be added");
        return CLI_USAGE;
    }
    cli_args stored;
    json_t *text = NULL;
    pinion_result *checkpoint = pn_cli_sim_read_checkpoint(args, &stored, &text);
    if (!checkpoint) return CLI_FAILED;
    if (args->value[OPT_MAX_STEPS]) stored.value[OPT_MAX_STEPS] = args->value[OPT_MAX_STEPS];
    if (args->value[OPT_MAX_TIME]) stored.value[OPT_MAX_TIME] = args->value[OPT_MAX_TIME];
    int status = simulate(&stored, args->value[OPT_QUIET] != NULL, args->value[OPT_JSON] != NULL, checkpoint);
    free(stored.argv);
    json_decref(text);
    pinion_result_free(checkpoint);
    return status;
}

int pn_cli_sim(const cli_args *args)
{
    if (args->value[OPT_RESUME]) return resume(args);
    if (args->positional) return simulate(args, 0, 0, NULL);
    pn_cli_report(args->command->name, "a MODEL file is missing (usage: pinion sim %s)",
                  args->command->usage);
    return CLI_USAGE;
}
