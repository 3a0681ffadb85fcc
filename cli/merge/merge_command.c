/* pinion merge: the parts of a sweep become one result. */
#include "cli/args/file_args.h"
#include "cli/args/load_option.h"
#include "cli/args/options.h"
#include "cli/print/print_text.h"
#include "cli/sweep/sweep_print.h"
#include "pinion/sim/sweep.h"

enum { OPT_MERGED = OPT_OWN, OPT_QUIET };

static int run(const cli_args *args)
{
    const char *command = args->command->name, *path = args->value[OPT_MERGED];
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_sweep_state state;
    if (!path) {
        pn_cli_report(command, "--output FILE is missing (usage: pinion merge %s)", args->command->usage);
        return CLI_USAGE;
    }
    for (int i = 0; i < args->model_count; i++) {
        const cli_file file[] = {{"--output", path, ".h5|.hdf5"}, {"a part", args->model[i], NULL}};
        const int status = pn_cli_files_check(command, file, 2);
        if (status != CLI_DONE) return status;
    }
    if (pinion_sweep_merge(args->model_count, args->model, path, &state, &err) != PINION_OK) {
        pn_cli_report(command, "%s", err.message);
        return CLI_FAILED;
    }
    if (!args->value[OPT_QUIET] || args->value[OPT_JSON])
        pn_cli_sweep_summary(command, &state, path, args->value[OPT_JSON] != NULL);
    return pn_cli_finish(command, CLI_DONE);
}

static const cli_option *const options[] = {
    OPTION(MERGED, .name = "output", .letter = 'o', .kind = VALUE_FILE, .value = "FILE",
           .help = "the result: .h5"),
    OPTION(QUIET, .name = "quiet", .help = "no summary"), SHARED(JSON), SHARED(HELP), NULL};

const cli_command pn_cli_command_merge = {
    .name = "merge",
    .summary = "one result of the parts of a sweep",
    .run = run,
    .takes = TAKES_FILES,
    .words_are = "a PART file",
    .usage = "PART... -o RESULT.h5",
    .about =
        "Puts the parts that pinion sweep --shard wrote together. The result has the bytes that the sweep\n"
        "would have written in one piece. The plan and its files are not needed.\n",
    .example = "pinion merge part*.part -o study.h5",
    .options = options,
};
