/* pinion convert: a model from one format to the other. */
#include "cli/args/load_option.h"
#include "cli/args/save.h"

int pn_cli_convert(const cli_args *args)
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
