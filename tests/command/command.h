/* Running the command and looking at what it says. The environment names the binary, PINION_COMMAND, and
 * the folder of the bundled models, PINION_MODELS. */
#ifndef PN_COMMAND_H
#define PN_COMMAND_H

#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

#include "check.h"

#define SECONDS 120 /* a run that takes longer is stopped by a signal, and so fails */
#define ARGUMENTS 60

/* What a run of the command left behind. */
typedef struct answer {
    int status; /* exit status; 128 + the signal that ended it */
    char *out, *err;
} answer;

static char folder[] = "/tmp/pinion-command-XXXXXX"; /* where the files of a test program go */
static const char *run_out;    /* where stdout goes instead of the answer, if set; "|": a pipe nobody reads */
static const char *run_folder; /* where the command starts, if set */

/* The path of a file in the test's own folder, valid to the end. */
static inline const char *place(const char *name)
{
    static char path[32][300];
    char wanted[300];
    int i = 0;
    snprintf(wanted, sizeof wanted, "%s/%s", folder, name);
    while (i < 31 && path[i][0] && strcmp(path[i], wanted) != 0) i++;
    memcpy(path[i], wanted, sizeof wanted);
    return path[i];
}

static inline const char *write_file(const char *name, const char *text)
{
    const char *path = place(name);
    FILE *f = fopen(path, "wb");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0) CHECK_FAIL("cannot write %s", path);
    return path;
}

static inline char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    size_t used = 0, capacity = 1 << 16;
    char *text = (char *)malloc(capacity);
    while (text && (used += fread(text + used, 1, capacity - used - 1, f)) == capacity - 1) {
        capacity *= 2;
        char *larger = (char *)realloc(text, capacity);
        if (!larger) free(text);
        text = larger;
    }
    fclose(f);
    if (text) text[used] = '\0';
    return text;
}

/* A bundled model. */
static inline const char *bundled(const char *name)
{
    static char path[4][600];
    static int next;
    const char *models = getenv("PINION_MODELS");
    char *text = path[next++ % 4];
    snprintf(text, sizeof path[0], "%s/%s", models ? models : "models", name);
    return text;
}

/* Puts the file at `path` in place of the stream `to`, in the child. */
static inline void redirect(const char *path, int flags, int to)
{
    int fd = open(path, flags, 0600);
    if (fd < 0 || dup2(fd, to) < 0) _exit(126);
    close(fd);
}

static inline answer run_list(const char *input, const char *const *arguments, int count)
{
    const char *argv[ARGUMENTS + 2] = {getenv("PINION_COMMAND")};
    for (int i = 0; i < count; i++) argv[i + 1] = arguments[i];
    write_file("stdin", input ? input : "");

    pid_t child = fork();
    if (child == 0) {
        redirect(place("stdin"), O_RDONLY, 0);
        int ends[2];
        if (!run_out || strcmp(run_out, "|") != 0)
            redirect(run_out ? run_out : place("stdout"), O_WRONLY | O_CREAT | O_TRUNC, 1);
        else if (pipe(ends) != 0 || close(ends[0]) != 0 || dup2(ends[1], 1) < 0)
            _exit(126);
        redirect(place("stderr"), O_WRONLY | O_CREAT | O_TRUNC, 2);
        if (run_folder && chdir(run_folder) != 0) _exit(126);
        alarm(SECONDS);
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) CHECK_FAIL("cannot run the command");
    answer a = {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), NULL, NULL};
    a.out = run_out ? NULL : read_file(place("stdout"));
    a.err = read_file(place("stderr"));
    return a;
}

/* Runs the command with `input` on stdin (NULL: nothing); the arguments end with NULL. */
static inline answer run(const char *input, ...)
{
    const char *list[ARGUMENTS];
    int count = 0;
    va_list arguments;
    va_start(arguments, input);
    while (count < ARGUMENTS && (list[count] = va_arg(arguments, const char *)) != NULL) count++;
    va_end(arguments);
    return run_list(input, list, count);
}

static inline void forget(answer *a)
{
    free(a->out);
    free(a->err);
}

static inline int lines_of(const char *text)
{
    int lines = 0;
    for (; text && *text; text++) lines += *text == '\n';
    return lines;
}

/* A run that must fail: this status, nothing on stdout, one line on stderr that starts with "pinion" and
 * holds the text. */
#define REFUSED(expected, text, input, ...)                                                                  \
    do {                                                                                                     \
        answer refused = run(input, __VA_ARGS__, (const char *)NULL);                                        \
        CHECK_STATUS(refused.status, expected);                                                              \
        CHECK_HAS(refused.err, text);                                                                        \
        CHECK(refused.err &&strncmp(refused.err, "pinion", 6) == 0);                                         \
        CHECK(lines_of(refused.err) == 1);                                                                   \
        CHECK(refused.out && !*refused.out);                                                                 \
        forget(&refused);                                                                                    \
    } while (0)

/* Two cranks with a rod between them, flat at zero: a singular position, where nothing has a derivative. */
#define FLAT_ROD \
    "{\"pinion\": 1, \"name\": \"flat\", \"gravity\": [0, -9.81, 0], \"links\": [{\"name\": \"g\"},\n" \
    " {\"name\": \"a\", \"mass\": 1, \"com\": [0.2, 0, 0], \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}},\n" \
    " {\"name\": \"b\", \"mass\": 1, \"com\": [0.2, 0, 0], \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}}],\n" \
    "\"joints\": [{\"name\": \"A\", \"type\": \"continuous\", \"parent\": \"g\", \"child\": \"a\"},\n" \
    " {\"name\": \"D\", \"type\": \"continuous\", \"parent\": \"g\", \"child\": \"b\"," \
    " \"origin\": {\"position\": [1, 0, 0]}}],\n" \
    "\"loops\": [{\"name\": \"rod\", \"type\": \"distance\", \"parent\": \"a\", \"child\": \"b\"," \
    " \"origin\": {\"position\": [0.4, 0, 0]}, \"child_origin\": {\"position\": [0.4, 0, 0]}, \"length\": 1}]}\n"

/* ------------------------------------------------------------------------------------------------ */
/* JSON answers */

/* The answer of a run that must end with `status`; NULL when stdout is not JSON. */
static inline json_t *parse_answer(answer *a, int status)
{
    json_error_t error;
    CHECK_STATUS(a->status, status);
    if (status == 0) CHECK(a->err && !*a->err);
    if (a->status != status && a->err) printf("  stderr: %s", a->err);
    json_t *json = a->out ? json_loads(a->out, JSON_REJECT_DUPLICATES, &error) : NULL;
    if (!json)
        CHECK_FAIL("stdout is not JSON: %s, line %d", a->out ? error.text : "nothing",
                   a->out ? error.line : 0);
    forget(a);
    return json;
}

/* A member of a member of ...; the keys end with NULL, and those of digits are indices. */
static inline json_t *dig(json_t *json, ...)
{
    va_list keys;
    va_start(keys, json);
    const char *key;
    while (json && (key = va_arg(keys, const char *)) != NULL) {
        char *end;
        unsigned long index = strtoul(key, &end, 10);
        json = json_is_array(json) && !*end ? json_array_get(json, index) : json_object_get(json, key);
    }
    va_end(keys);
    return json;
}
#define DIG(...) dig(__VA_ARGS__, (const char *)NULL)

/* An array of numbers, within a tolerance. */
static inline void check_numbers(json_t *json, const double *expected, size_t count, double tolerance,
                                 int line)
{
    check_count++;
    if (!json_is_array(json) || json_array_size(json) != count) {
        CHECK_FAIL("line %d: not an array of %zu", line, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        json_t *number = json_array_get(json, i);
        double difference = fabs(json_number_value(number) - expected[i]);
        if (!json_is_number(number) || !(difference <= tolerance))
            CHECK_FAIL("line %d: number %zu is %.17g, expected %.17g", line, i, json_number_value(number),
                       expected[i]);
    }
}
#define CHECK_NUMBERS(json, tolerance, ...)                                                                  \
    do {                                                                                                     \
        const double wanted_[] = {__VA_ARGS__};                                                              \
        check_numbers(json, wanted_, sizeof wanted_ / sizeof wanted_[0], tolerance, __LINE__);               \
    } while (0)

#define CHECK_TEXT(json, expected)                                                                           \
    do {                                                                                                     \
        const char *text_ = json_string_value(json);                                                         \
        check_count++;                                                                                       \
        if (!text_ || strcmp(text_, expected) != 0)                                                          \
            CHECK_FAIL("%s is \"%s\", expected \"%s\"", #json, text_ ? text_ : "(none)", expected);          \
    } while (0)

/* The keys of an object, in order, joined by spaces. */
static inline void check_keys(json_t *object, const char *expected, int line)
{
    char keys[2000] = "";
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        size_t used = strlen(keys);
        snprintf(keys + used, sizeof keys - used, "%s%s", used ? " " : "", key);
    }
    check_count++;
    if (strcmp(keys, expected) != 0)
        CHECK_FAIL("line %d: the keys are \"%s\", expected \"%s\"", line, keys, expected);
}
#define CHECK_KEYS(object, expected) check_keys(object, expected, __LINE__)

/* ------------------------------------------------------------------------------------------------ */

/* The bodies of main(): a folder for files, and everything skipped where there is no command. */
#define COMMAND_BEGIN(argc, argv)                                                                            \
    do {                                                                                                     \
        CHECK_BEGIN(argc, argv);                                                                             \
        if (!getenv("PINION_COMMAND")) {                                                                     \
            printf("skipped: PINION_COMMAND does not name the command\n");                                   \
            return 77;                                                                                       \
        }                                                                                                    \
        if (!mkdtemp(folder)) {                                                                              \
            printf("no folder for the test's files\n");                                                      \
            return 1;                                                                                        \
        }                                                                                                    \
        unsetenv("LC_ALL");                                                                                  \
        unsetenv("LC_CTYPE");                                                                                \
        setenv("LANG", "C.UTF-8", 1);                                                                        \
    } while (0)

/* removes the files that tests name, and the folder */
static inline int command_end(const char *const *files)
{
    static const char *const own[] = {"stdin", "stdout", "stderr", NULL};
    for (int i = 0; own[i]; i++) remove(place(own[i]));
    for (int i = 0; files && files[i]; i++) remove(place(files[i]));
    if (rmdir(folder) != 0) CHECK_FAIL("files are left in %s", folder);
    return CHECK_END();
}

#endif
