#include "cli/args/load_option.h"

#include "cli/print/print_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STDIN_MAX ((size_t)64 << 20) /* bytes of a model on standard input, as of a file */

/* All of standard input in new memory; NULL after a message. */
static char *read_stdin(const char *command, size_t *size)
{
    size_t capacity = 1 << 16, used = 0;
    char *text = malloc(capacity);
    while (text && used < STDIN_MAX) {
        used += fread(text + used, 1, capacity - used, stdin);
        if (used < capacity) break;
        char *larger = realloc(text, capacity * 2);
        if (!larger) free(text);
        text = larger;
        capacity *= 2;
    }

    const char *problem = !text               ? "out of memory"
                          : ferror(stdin)     ? strerror(errno)
                          : used >= STDIN_MAX ? "too large to be a model; expected at most 64 MiB"
                                              : NULL;
    if (problem) {
        pn_cli_report(command, "the model on standard input cannot be read: %s", problem);
        free(text);
        return NULL;
    }
    *size = used;
    return text;
}

pinion_model *pn_cli_load(const cli_args *args, const char *path)
{
    pinion_load_options options = pinion_load_options_default();
    const char *root = args->value[OPT_ROOT], *mimic = args->value[OPT_MIMIC],
               *gravity = args->value[OPT_GRAVITY];
    if (root && strcmp(root, "free") == 0) options.root = PINION_ROOT_FREE;
    if (mimic && strcmp(mimic, "independent") == 0) options.mimic = PINION_MIMIC_INDEPENDENT;
    if (gravity) options.set_gravity = pn_cli_parse_vector(gravity, options.gravity);

    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = NULL;
    if (strcmp(path, "-") == 0) {
        size_t size = 0;
        char *text = read_stdin(args->command->name, &size);
        if (!text) return NULL;
        m = pinion_load_string(text, size, PINION_FORMAT_AUTO, "<stdin>", &options, &err);
        free(text);
    } else {
        m = pinion_load(path, &options, &err);
    }
    if (!m)
        pn_cli_report(args->command->name, "%s",
                      err.message[0] ? err.message : pinion_status_text(err.status));
    return m;
}

int pn_cli_finish(const char *command, int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    pn_cli_report(command, "the answer cannot be written: %s", errno ? strerror(errno) : "write error");
    return CLI_FAILED;
}
