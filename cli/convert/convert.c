/* pinion convert: a model from one format to the other. */
#include "cli/args/load_option.h"
#include "cli/args/save.h"
#include "cli/convert/left_out.h"

#include <stdlib.h>

static int run_command(const cli_args *args)
{
    cli_target target;
    int status = pn_cli_save_target(args, PINION_FORMAT_AUTO, &target);
    if (status != CLI_DONE) return status;
    char *text = NULL;
    size_t size = 0;
    pinion_model *m = pn_cli_load_text(args, args->positional, &text, &size);
    if (!m) return CLI_FAILED;
    status = pn_cli_save(args, m, &target);
    if (status == CLI_DONE && text) pn_cli_report_left_out(m, args->positional, text, size);
    pinion_model_free(m);
    free(text);
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
    .about = "Writes a model in the native JSON format or as URDF; it may come from MJCF or SDF. What URDF\n"
             "cannot express is refused, and the message names it. Elements of a URDF file that a model has\n"
             "no place for (collision, safety_controller, transmission, ...) are counted on stderr, a line for\n"
             "each kind; of MJCF and SDF the warnings are printed there. The file is written whole or not at\n"
             "all.\n",
    .example = "pinion convert robot.urdf -o robot.json",
    .options = options,
};
