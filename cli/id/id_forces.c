/* pinion id: force elements that act besides the actuators, so that these need give the less. */
#include "cli/id/id.h"

#include "cli/print/print_text.h"

#include <stdlib.h>
#include <string.h>

int pn_cli_id_forces_begin(id_run *d)
{
    const char *path = d->args->value[OPT_ID_FORCES];
    pinion_error err = {PINION_OK, 0, 0, ""};
    if (!path) return CLI_DONE;
    if (d->args->value[OPT_CONTACTS]) {
        pn_cli_report(d->command, "--forces and --contacts cannot both say what acts: take one of them");
        return CLI_USAGE;
    }
    if (pinion_model_loop_count(d->m)) {
        pn_cli_report(d->command, "--forces is not for models with closed loops");
        return CLI_FAILED;
    }
    d->forces = pinion_forces_new(d->m);
    d->f_ext = calloc(6 * (size_t)pinion_model_body_count(d->m), sizeof *d->f_ext);
    if (!d->forces || !d->f_ext) {
        pn_cli_report(d->command, "out of memory");
        return CLI_FAILED;
    }
    if (pinion_forces_load(d->forces, path, &err) != PINION_OK) {
        pn_cli_report(d->command, "%s", err.message);
        return CLI_FAILED;
    }
    if (pinion_forces_model(d->forces) == d->m) return CLI_DONE;
    pn_cli_report(d->command, "--forces %s: an element has added_mass; expected it in the model's links", path);
    return CLI_FAILED;
}

pinion_status pn_cli_id_forces_at(id_run *d, double t)
{
    if (!d->forces) return PINION_OK;
    memset(d->f_ext, 0, 6 * (size_t)pinion_model_body_count(d->m) * sizeof *d->f_ext);
    return pinion_forces_apply(d->forces, d->w, t, d->q, d->v, d->f_ext, NULL, NULL);
}

void pn_cli_id_forces_end(id_run *d)
{
    pinion_forces_free(d->forces);
    free(d->f_ext);
}
