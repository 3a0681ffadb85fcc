/* pinion sim: checkpoints. Beside what the library needs to go on, a checkpoint has under "checkpoint" a JSON text: the
 * arguments of the command, the folder it was called in, and what its input files were like. Resuming does what those
 * arguments say, but starts where the checkpoint was. */
#define _POSIX_C_SOURCE 200809L
#include "cli/sim/sim_command.h"

#include "cli/print/print_text.h"
#include "src/base/hash.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY "checkpoint"
#define UNKNOWN "no plain file"
/* ------------------------------------------------------------------------------------------------ */
/* What a run was called with */

/* Whether something is there that is no plain file: a pipe would be waited for. */
static int is_other(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

/* A file's content as a short text: its size and a hash (FNV-1a, 64 bits). Whoever wants to deceive himself
 * can. */
static json_t *fingerprint(const char *path)
{
    unsigned char bytes[1 << 14];
    uint64_t hash = PN_FNV1A, size = 0;
    size_t got;
    if (is_other(path)) return json_string(UNKNOWN); /* it can be read only once */
    FILE *file = fopen(path, "rb");
    if (!file) return json_string("missing");
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0) {
        size += got;
        hash = pn_fnv1a(hash, bytes, got);
    }
    fclose(file);
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64 " %016" PRIx64, size, hash);
    return json_string(text);
}

/* The files that a run reads, by their options. The model has a hash of its own. */
static json_t *fingerprints(const cli_args *args)
{
    const option_id input[] = {OPT_STATE, OPT_TRAJECTORY, OPT_TORQUE, OPT_FORCES, OPT_TASKS, OPT_SENSORS};
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof input / sizeof input[0]; i++) {
        const char *path = args->value[input[i]];
        if (path) json_object_set_new(object, pn_cli_option_name(args, input[i]), fingerprint(path));
    }
    return object;
}

char *pn_cli_sim_describe(const cli_args *args)
{
    if (is_other(args->value[OPT_CHECKPOINT])) {
        pn_cli_report(args->command->name, "--checkpoint %s: cannot be written: it is no plain file",
                      args->value[OPT_CHECKPOINT]);
        return NULL;
    }
    json_t *arguments = json_array();
    int ok = arguments != NULL;
    for (int i = 0; i < args->argc && ok; i++)
        ok = json_array_append_new(arguments, json_string(args->argv[i])) == 0;
    char *folder = getcwd(NULL, 0), *text = NULL;
    json_t *whole = ok && folder ? json_pack("{s:O,s:s,s:o}", "arguments", arguments, "folder", folder,
                                             "inputs", fingerprints(args))
                                 : NULL;
    if (whole) text = json_dumps(whole, JSON_COMPACT);
    if (!text)
        pn_cli_report(args->command->name,
                      "--checkpoint %s: cannot be written: out of memory, or an argument is not UTF-8",
                      args->value[OPT_CHECKPOINT]);
    json_decref(whole);
    json_decref(arguments);
    free(folder);
    return text;
}

/* ------------------------------------------------------------------------------------------------ */
/* Reading */

/* Parses the stored arguments, which `text` holds. Returns 0 when they are not what a run of this command
 * has. */
static int parse_stored(const cli_args *args, json_t *text, cli_args *stored)
{
    json_t *arguments = json_object_get(text, "arguments");
    const char *folder = json_string_value(json_object_get(text, "folder"));
    const size_t count = json_array_size(arguments);
    if (!folder || count == 0 || count > 10000) return 0;

    /* the pointers go into the array itself, so that they live as long as the text */
    char **argv = calloc(count, sizeof *argv);
    if (!argv) return 0;
    int ok = 1;
    for (size_t i = 0; i < count && ok; i++) {
        argv[i] = (char *)json_string_value(json_array_get(arguments, i));
        ok = argv[i] != NULL;
    }
    stored->program = args->program;
    ok = ok && pn_cli_parse(args->command, (int)count, argv, stored) == CLI_DONE && stored->positional &&
         !stored->value[OPT_RESUME] && !stored->value[OPT_HELP] && stored->value[OPT_CHECKPOINT];
    if (!ok) free(argv);
    return ok;
}

/* Whether the input files are those of the run that wrote the checkpoint. */
static int check_inputs(const cli_args *args, const cli_args *stored, json_t *text)
{
    json_t *now = fingerprints(stored), *then = json_object_get(text, "inputs");
    const char *key;
    json_t *value;
    int ok = now != NULL;
    json_object_foreach(now, key, value)
    {
        const char *print = json_string_value(value);
        if (!ok || (json_equal(value, json_object_get(then, key)) && print && strcmp(print, UNKNOWN) != 0)) continue;
        pn_cli_report(args->command->name, "the file of --%s has changed since the checkpoint was written",
                      key);
        ok = 0;
    }
    json_decref(now);
    return ok;
}

pinion_result *pn_cli_sim_read_checkpoint(const cli_args *args, cli_args *stored, json_t **text)
{
    const char *command = args->command->name, *path = args->value[OPT_RESUME];
    pinion_error err = {PINION_OK, 0, 0, ""};
    if (is_other(path)) {
        pn_cli_report(command, "%s: is no plain file; expected a checkpoint of pinion sim", path);
        return NULL;
    }
    pinion_result *c = pinion_result_load(path, &err);
    if (!c) {
        pn_cli_report(command, "%s", err.message);
        return NULL;
    }
    const char *description = pinion_result_get(c, KEY), *version = pinion_result_get(c, "pinion_version");
    json_t *whole = description ? json_loads(description, JSON_REJECT_DUPLICATES, NULL) : NULL;
    *stored = (cli_args){.program = args->program};
    if (!description || !json_is_object(whole)) {
        pn_cli_report(command, "%s: this is a result, not a checkpoint of pinion sim", path);
    } else if (!version || strcmp(version, pinion_version()) != 0) {
        pn_cli_report(command,
                      "%s: was written by pinion %s; this is %s, which might not give the same numbers", path,
                      version ? version : "?", pinion_version());
    } else if (!parse_stored(args, whole, stored)) {
        pn_cli_report(command, "%s: its arguments are not those of a run that can be resumed", path);
    } else if (chdir(json_string_value(json_object_get(whole, "folder"))) != 0) {
        pn_cli_report(command, "%s: the folder it was started in cannot be entered: %s", path,
                      strerror(errno));
        free(stored->argv);
    } else if (!check_inputs(args, stored, whole)) {
        free(stored->argv);
    } else {
        *text = whole;
        return c;
    }
    json_decref(whole);
    pinion_result_free(c);
    return NULL;
}

/* Whether a name is that of a file which was to take the place of `base`, "BASE.PID-N.tmp", and its process
 * is gone. */
static int is_left_over(const char *name, const char *base)
{
    const size_t length = strlen(base);
    long process = 0;
    int used = 0;
    if (strncmp(name, base, length) != 0 || name[length] != '.') return 0;
    const char *rest = name + length + 1;
    if (rest[0] < '0' || rest[0] > '9') return 0;
    if (sscanf(rest, "%9ld-%*9[0-9].tmp%n", &process, &used) != 1 || used == 0 || rest[used]) return 0;
    return process > 0 && kill((pid_t)process, 0) == -1 && errno == ESRCH;
}

/* Takes away what a run that was killed while it wrote the file has left beside it. */
static void sweep(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL, *base = slash ? slash + 1 : path;
    if (!path) return;
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
    DIR *d = folder ? opendir(folder) : NULL;
    for (struct dirent *entry; d && (entry = readdir(d)) != NULL;)
        if (is_left_over(entry->d_name, base)) unlinkat(dirfd(d), entry->d_name, 0);
    if (d) closedir(d);
    free(folder);
}

int pn_cli_sim_resume(sim_run *r, const pinion_result *checkpoint)
{
    if (pinion_run_resume(r->run, checkpoint) != PINION_OK) {
        pn_cli_report(r->command, "%s", pinion_run_message(r->run));
        return CLI_FAILED;
    }
    const char *const written[] = {r->def.checkpoint, r->output, r->report, r->plot};
    for (int i = 0; i < 4; i++) sweep(written[i]);
    return CLI_DONE;
}
