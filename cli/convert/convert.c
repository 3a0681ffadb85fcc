/* pinion convert: a model from one format to the other. */
#include "cli/args/load_option.h"
#include "cli/args/save.h"

static int run_command(const cli_args *args)
{
    cli_target target;
    int status = pn_cli_save_target(args, PINION_FORMAT_AUTO, &target);
    if (status != CLI_DONE) return status;
    pinion_model *m = pn_cli_load(args, args->positional);
    if (!m) return CLI_FAILED;
    status = pn_cli_save(args, m, &target);
    pinion_model_free(m);
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

static const cli_option *const options[] = {SAVE_OPTIONS, LOAD_OPTIONS, SHARED(HELP), NULL};

const cli_command pn_cli_command_convert = {
    .name = "convert",
    .summary = "a model from one format to the other",
    .run = run_command,
    .takes = TAKES_MODEL,
    .usage = "MODEL -o OUT.json|OUT.urdf | --to json|urdf [options]",
    .about = "Writes a model in the native JSON format or as URDF. What URDF cannot express is refused,\n"
             "and the message names it. The file is written whole or not at all.\n",
    .example = "pinion convert robot.urdf -o robot.json",
    .options = options,
};
