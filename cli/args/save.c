#define _POSIX_C_SOURCE 200809L
#include "cli/args/save.h"

#include "cli/print/json_out.h"
#include "cli/args/load_option.h"
#include "cli/print/print_text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const names[] = {"", "urdf", "json", "mjcf", "sdf"}; /* by pinion_format */

/* The format by the end of the file's name; PINION_FORMAT_AUTO when that does not say it. */
static pinion_format format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (dot && strcasecmp(dot, ".urdf") == 0) return PINION_FORMAT_URDF;
    if (dot && strcasecmp(dot, ".json") == 0) return PINION_FORMAT_JSON;
    if (dot && strcasecmp(dot, ".mjcf") == 0) return PINION_FORMAT_MJCF;
    if (dot && strcasecmp(dot, ".sdf") == 0) return PINION_FORMAT_SDF;
    return PINION_FORMAT_AUTO;
}

int pn_cli_save_target(const cli_args *args, pinion_format fallback, cli_target *target)
{
    const char *command = args->command->name, *path = args->value[OPT_OUTPUT], *to = args->value[OPT_TO];
    int to_stdout = !path || strcmp(path, "-") == 0;
    target->path = to_stdout ? NULL : path;
    if (to) {
        target->format = PINION_FORMAT_AUTO;
        for (int f = PINION_FORMAT_URDF; f <= PINION_FORMAT_SDF; f++) {
            if (strcmp(to, names[f]) == 0) target->format = (pinion_format)f;
        }
    } else {
        target->format = to_stdout ? fallback : format_of(path);
    }

    if (!path && target->format == PINION_FORMAT_AUTO) {
        pn_cli_report(
            command,
            "where to is missing: -o FILE.json, .urdf, .mjcf or .sdf, or --to json|urdf|mjcf|sdf for standard output");
        return CLI_USAGE;
    }
    if (target->format == PINION_FORMAT_AUTO) {
        pn_cli_report(command,
                      "'%s' does not say the format: end it in .json, .urdf, .mjcf or .sdf, or add --to "
                      "json|urdf|mjcf|sdf",
                      path);
        return CLI_USAGE;
    }
    if (to_stdout && args->value[OPT_JSON]) {
        pn_cli_report(command, "--json needs -o FILE: standard output holds the model itself");
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* The answer of --json: what was written where. */
static int print_answer(const cli_args *args, const cli_target *target)
{
    cli_json json = pn_cli_json(stdout);
    pn_cli_json_open(&json, '{', 1);
    pn_cli_json_key(&json, "output");
    pn_cli_json_string(&json, target->path);
    pn_cli_json_key(&json, "format");
    pn_cli_json_string(&json, names[target->format]);
    pn_cli_json_end(&json);
    return pn_cli_finish(args->command->name, CLI_DONE);
}

/* What the format has no words for, a line each. */
static void tell(const cli_args *args, char *lines)
{
    for (char *line = lines, *end; line && *line; line = end + 1) {
        end = strchr(line, '\n');
        if (!end) break;
        *end = '\0';
        pn_cli_report(args->command->name, "%s", line);
    }
    pinion_free(lines);
}

int pn_cli_save(const cli_args *args, const pinion_model *m, const cli_target *target)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    char *told = NULL, *text = args->value[OPT_STRICT] ? pinion_save_string(m, target->format, &err) : NULL;
    int status = CLI_DONE;
    if (text || !args->value[OPT_STRICT]) { /* strict or not, what has no part in the motion is told */
        pinion_free(text);
        text = pinion_save_string_telling(m, target->format, &told, &err);
    }
    if (!text) {
        status = CLI_FAILED;
    } else if (target->path) {
        if (pinion_write_file(target->path, text, strlen(text), &err) != PINION_OK)
            status = CLI_FAILED;
        else if (args->value[OPT_JSON])
            status = print_answer(args, target);
    } else {
        fputs(text, stdout);
        if (*text && text[strlen(text) - 1] != '\n') fputc('\n', stdout);
        status = pn_cli_finish(args->command->name, CLI_DONE);
    }
    pinion_free(text);
    if (status != CLI_DONE && err.status != PINION_OK)
        pn_cli_report(args->command->name, "%s",
                      err.message[0] ? err.message : pinion_status_text(err.status));
    tell(args, told);
    return status;
}
