#include "cli/args/load_option.h"

#include "cli/args/xacro.h"
#include "cli/print/print_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define STDIN_MAX ((size_t)64 << 20) /* bytes of a model on standard input, as of a file */

/* All of a stream in new memory, with a zero behind it; NULL with what is wrong. */
static char *read_stream(FILE *stream, size_t *size, const char **problem)
{
    size_t capacity = 1 << 16, used = 0;
    char *text = malloc(capacity);
    while (text && used < STDIN_MAX) {
        used += fread(text + used, 1, capacity - used, stream);
        if (used < capacity) break;
        char *larger = realloc(text, capacity * 2);
        if (!larger) free(text);
        text = larger;
        capacity *= 2;
    }

    *problem = !text               ? "out of memory"
               : ferror(stream)    ? strerror(errno)
               : used >= STDIN_MAX ? "too large to be a model; expected at most 64 MiB"
                                   : NULL;
    *size = used;
    if (!*problem) {
        text[used] = '\0'; /* a full buffer was made larger */
        return text;
    }
    free(text);
    return NULL;
}

/* The text of a model's file, which is read once, since it may be a pipe; NULL when that must be left to the library,
 * which then says what is wrong. */
static char *read_path(const char *path, size_t *size)
{
    const char *problem;
    FILE *stream = fopen(path, "rb");
    char *text = stream ? read_stream(stream, size, &problem) : NULL;
    if (stream) fclose(stream);
    return text;
}

/* From a text, or where that is NULL from a file. A file that may name others is always read from where it is, unless
 * the text is what xacro made of it. */
static pinion_model *load(const char *path, const char *text, size_t size, int expanded,
                          const pinion_load_options *options, pinion_error *err)
{
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    struct stat about;
    if (text && !expanded && name == path && stat(path, &about) == 0 && S_ISREG(about.st_mode)) text = NULL;
    return text ? pinion_load_string(text, size, PINION_FORMAT_AUTO, name, options, err)
                : pinion_load(path, options, err);
}

/* Whether a model that was refused because of a joint that mimics another one could be had without that. */
static int mimic_is_to_blame(const char *path, const char *text, size_t size, int expanded,
                             pinion_load_options options, const char *message)
{
    pinion_error ignored;
    if (options.mimic == PINION_MIMIC_INDEPENDENT || !strstr(message, "mimic")) return 0;
    options.mimic = PINION_MIMIC_INDEPENDENT;
    pinion_model *m = load(path, text, size, expanded, &options, &ignored);
    pinion_model_free(m);
    return m != NULL;
}

pinion_model *pn_cli_load_text(const cli_args *args, const char *path, char **kept, size_t *kept_size)
{
    pinion_load_options options = pinion_load_options_default();
    const char *root = args->value[OPT_ROOT], *mimic = args->value[OPT_MIMIC],
               *gravity = args->value[OPT_GRAVITY];
    if (root) options.root = strcmp(root, "free") == 0 ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
    if (mimic && strcmp(mimic, "independent") == 0) options.mimic = PINION_MIMIC_INDEPENDENT;
    options.strict = args->value[OPT_STRICT] != NULL;
    options.model_path = args->value[OPT_MODEL_PATH];
    options.srdf = args->value[OPT_SRDF];
    if (gravity) options.set_gravity = pn_cli_parse_vector(gravity, options.gravity);

    pinion_error err = {PINION_OK, 0, 0, ""};
    size_t size = 0;
    const int from_stdin = strcmp(path, "-") == 0, expanded = args->value[OPT_XACRO] != NULL;
    const char *problem = NULL;
    if (expanded && from_stdin) problem = "--xacro needs a file";
    char *text = problem      ? NULL
                 : from_stdin ? read_stream(stdin, &size, &problem)
                 : expanded   ? pn_cli_xacro(args->command->name, path, &size)
                 : kept       ? read_path(path, &size)
                              : NULL;
    if (expanded && !text && !problem) return NULL;
    if (problem) {
        pn_cli_report(args->command->name, "the model on standard input cannot be read: %s", problem);
        return NULL;
    }
    pinion_model *m = load(path, text, size, expanded, &options, &err);
    if (!m)
        pn_cli_report(args->command->name, "%s%s", err.message[0] ? err.message : pinion_status_text(err.status),
                      mimic_is_to_blame(path, text, size, expanded, options, err.message)
                          ? "; --mimic independent makes such joints ordinary ones"
                      : !expanded && err.status != PINION_ERR_FILE && strstr(err.message, "xacro")
                          ? "; 'xacro FILE > robot.urdf' does, and --xacro here where it is installed"
                          : "");
    if (kept && m) {
        *kept = text;
        *kept_size = size;
    } else {
        free(text);
    }
    return m;
}

pinion_model *pn_cli_load(const cli_args *args, const char *path)
{
    return pn_cli_load_text(args, path, NULL, NULL);
}

pinion_model *pn_cli_load_meshes(const cli_args *args, const char *path, char *why, size_t size)
{
    pinion_mesh_report report;
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pn_cli_load(args, path), *more = NULL;
    why[0] = '\0';
    if (!m) return NULL;
    const char *from = strcmp(path, "-") == 0 ? NULL : path;
    more = pinion_model_read_meshes(m, from, args->value[OPT_PACKAGE_PATH], &report, &err);
    if (more) snprintf(why, size, "%s", report.why);
    else pn_cli_report(args->command->name, "%s", err.message);
    pinion_model_free(m);
    return more;
}

void pn_cli_tell_meshes(int left_out, const char *why, char *text, size_t size)
{
    snprintf(text, size, "%d collision%s in mesh files take%s no part in contact%s%s", left_out,
             pn_cli_plural(left_out), left_out == 1 ? "s" : "", *why ? ": " : "", why);
}

int pn_cli_finish(const char *command, int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    pn_cli_report(command, "the answer cannot be written: %s", errno ? strerror(errno) : "write error");
    return CLI_FAILED;
}
