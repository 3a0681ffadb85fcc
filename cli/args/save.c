#define _POSIX_C_SOURCE 200809L
#include "cli/args/save.h"

#include "cli/print/json_out.h"
#include "cli/args/load_option.h"
#include "cli/print/print_text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The format by the end of the file's name; PINION_FORMAT_AUTO when that does not say it. */
static pinion_format format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (dot && strcasecmp(dot, ".urdf") == 0) return PINION_FORMAT_URDF;
    if (dot && strcasecmp(dot, ".json") == 0) return PINION_FORMAT_JSON;
    return PINION_FORMAT_AUTO;
}

int pn_cli_save_target(const cli_args *args, pinion_format fallback, cli_target *target)
{
    const char *command = args->command->name, *path = args->value[OPT_OUTPUT], *to = args->value[OPT_TO];
    int to_stdout = !path || strcmp(path, "-") == 0;
    target->path = to_stdout ? NULL : path;
    if (to)
        target->format = strcmp(to, "urdf") == 0 ? PINION_FORMAT_URDF : PINION_FORMAT_JSON;
    else
        target->format = to_stdout ? fallback : format_of(path);

    if (!path && target->format == PINION_FORMAT_AUTO) {
        pn_cli_report(
            command,
            "where to is missing: -o FILE.json, -o FILE.urdf, or --to json|urdf for standard output");
        return CLI_USAGE;
    }
    if (target->format == PINION_FORMAT_AUTO) {
        pn_cli_report(command,
                      "'%s' does not say the format: end it in .json or .urdf, or add --to json|urdf", path);
        return CLI_USAGE;
    }
    if (to_stdout && args->value[OPT_JSON]) {
        pn_cli_report(command, "--json needs -o FILE: standard output holds the model itself");
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* Writes to standard output. */
static int print_model(const cli_args *args, const pinion_model *m, pinion_format format, pinion_error *err)
{
    char *text = pinion_save_string(m, format, err);
    if (!text) return CLI_FAILED;
    fputs(text, stdout);
    if (*text && text[strlen(text) - 1] != '\n') fputc('\n', stdout);
    pinion_free(text);
    return pn_cli_finish(args->command->name, CLI_DONE);
}

/* The answer of --json: what was written where. */
static int print_answer(const cli_args *args, const cli_target *target)
{
    cli_json json = pn_cli_json(stdout);
    pn_cli_json_open(&json, '{', 1);
    pn_cli_json_key(&json, "output");
    pn_cli_json_string(&json, target->path);
    pn_cli_json_key(&json, "format");
    pn_cli_json_string(&json, target->format == PINION_FORMAT_URDF ? "urdf" : "json");
    pn_cli_json_end(&json);
    return pn_cli_finish(args->command->name, CLI_DONE);
}

int pn_cli_save(const cli_args *args, const pinion_model *m, const cli_target *target)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    int status = CLI_DONE;
    if (!target->path)
        status = print_model(args, m, target->format, &err);
    else if (pinion_save(m, target->path, target->format, &err) != PINION_OK)
        status = CLI_FAILED;
    else if (args->value[OPT_JSON])
        status = print_answer(args, target);
    if (status != CLI_DONE && err.status != PINION_OK)
        pn_cli_report(args->command->name, "%s",
                      err.message[0] ? err.message : pinion_status_text(err.status));
    return status;
}
