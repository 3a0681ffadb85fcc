/* pinion convert: a model from one format to the other. */
#define _POSIX_C_SOURCE 200809L
#include "json_out.h"
#include "load.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The format to write, from --to or the file's name; PINION_FORMAT_AUTO when neither says it. */
static pinion_format choose_format(const char *to, const char *path)
{
    if (to) return strcmp(to, "urdf") == 0 ? PINION_FORMAT_URDF : PINION_FORMAT_JSON;
    const char *dot = path ? strrchr(path, '.') : NULL;
    if (dot && strcasecmp(dot, ".urdf") == 0) return PINION_FORMAT_URDF;
    if (dot && strcasecmp(dot, ".json") == 0) return PINION_FORMAT_JSON;
    return PINION_FORMAT_AUTO;
}

/* Writes to standard output. */
static int print_model(const cli_args *args, const pinion_model *m, pinion_format format, pinion_error *err)
{
    char *text = pinion_save_string(m, format, err);
    if (!text) return CLI_FAILED;
    fputs(text, stdout);
    if (*text && text[strlen(text) - 1] != '\n') fputc('\n', stdout);
    free(text);
    return pn_cli_finish(args->command->name, CLI_DONE);
}

/* The answer of --json: what was written where. */
static int print_answer(const cli_args *args, const char *path, pinion_format format)
{
    cli_json json = pn_cli_json(stdout);
    pn_cli_json_open(&json, '{', 1);
    pn_cli_json_key(&json, "output");
    pn_cli_json_string(&json, path);
    pn_cli_json_key(&json, "format");
    pn_cli_json_string(&json, format == PINION_FORMAT_URDF ? "urdf" : "json");
    pn_cli_json_end(&json);
    return pn_cli_finish(args->command->name, CLI_DONE);
}

int pn_cli_convert(const cli_args *args)
{
    const char *command = args->command->name, *path = args->value[OPT_OUTPUT], *to = args->value[OPT_TO];
    if (!path && !to) {
        pn_cli_report(
            command,
            "where to is missing: -o FILE.json, -o FILE.urdf, or --to json|urdf for standard output");
        return CLI_USAGE;
    }
    int to_stdout = !path || strcmp(path, "-") == 0;
    pinion_format format = choose_format(to, path);
    if (format == PINION_FORMAT_AUTO) {
        pn_cli_report(command,
                      "'%s' does not say the format: end it in .json or .urdf, or add --to json|urdf", path);
        return CLI_USAGE;
    }
    if (to_stdout && args->value[OPT_JSON]) {
        pn_cli_report(command, "--json needs -o FILE: standard output holds the model itself");
        return CLI_USAGE;
    }

    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pn_cli_load(args, args->positional);
    if (!m) return CLI_FAILED;
    int status = CLI_DONE;
    if (to_stdout)
        status = print_model(args, m, format, &err);
    else if (pinion_save(m, path, format, &err) != PINION_OK)
        status = CLI_FAILED;
    else if (args->value[OPT_JSON])
        status = print_answer(args, path, format);
    if (status != CLI_DONE && err.status != PINION_OK)
        pn_cli_report(command, "%s", err.message[0] ? err.message : pinion_status_text(err.status));
    pinion_model_free(m);
    return status;
}
