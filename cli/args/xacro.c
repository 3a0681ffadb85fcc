/* Models that are written for xacro, a program of ROS that expands macros. */
#define _POSIX_C_SOURCE 200809L
#include "cli/args/xacro.h"

#include "cli/print/print_text.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST ((long)64 << 20) /* bytes of a model */
#define SECONDS 60            /* that it may take */

extern char **environ;

/* Waits until it ends, and ends it where it takes too long or writes too much: ETIMEDOUT, EFBIG. */
static int wait_for(pid_t child, FILE *out, int *ended)
{
    const struct timespec nap = {0, 5000000};
    struct timespec start, now;
    int number = 0;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        struct stat about;
        const pid_t found = waitpid(child, ended, number ? 0 : WNOHANG);
        if (found == child || (found < 0 && errno != EINTR)) return number || found == child ? number : errno;
        if (number) continue; /* it was told to end */
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - start.tv_sec >= SECONDS) number = ETIMEDOUT;
        if (fstat(fileno(out), &about) == 0 && about.st_size > MOST) number = EFBIG;
        if (number) kill(child, SIGKILL);
        if (!number) nanosleep(&nap, NULL);
    }
}

/* Runs it with nothing to read; the error number, or 0 and how it ended. */
static int run(char *const *arguments, FILE *out, int *ended)
{
    posix_spawn_file_actions_t actions;
    int number = posix_spawn_file_actions_init(&actions);
    if (number) return number;
    number = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!number) number = posix_spawn_file_actions_adddup2(&actions, fileno(out), 1);
    pid_t child;
    if (!number) number = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return number ? number : wait_for(child, out, ended);
}

/* The whole of a temporary file; NULL with what is wrong. */
static char *read_back(FILE *file, size_t *size, const char **problem)
{
    const long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    *problem = length < 0 ? "its output cannot be read" : length > MOST ? "its output has more than 64 MiB" : NULL;
    if (*problem) return NULL;
    char *text = malloc((size_t)length + 1);
    rewind(file);
    *size = text ? fread(text, 1, (size_t)length, file) : 0;
    if (!text) *problem = "out of memory";
    return text;
}

char *pn_cli_xacro(const char *command, const char *path, size_t *size)
{
    if (access(path, R_OK) != 0) {
        pn_cli_report(command, "%s: %s", path, strerror(errno));
        return NULL;
    }
    /* a name that starts with '-' is a file, no option */
    char program[] = "xacro", *file = malloc(strlen(path) + 3), *text = NULL;
    if (file) snprintf(file, strlen(path) + 3, "%s%s", path[0] == '-' ? "./" : "", path);
    char *arguments[] = {program, file, NULL};
    FILE *out = file ? tmpfile() : NULL;
    int ended = 0;
    const char *problem = NULL;
    const int number = out ? run(arguments, out, &ended) : errno;
    if (number == ENOENT || number == EACCES)
        problem = "it is not installed; 'pip install xacro' does, and ROS has it";
    else if (number == ETIMEDOUT)
        problem = "it takes longer than 60 s";
    else if (number == EFBIG)
        problem = "its output has more than 64 MiB";
    else if (number)
        problem = strerror(number);
    else if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
        problem = "it failed";
    else
        text = read_back(out, size, &problem);
    if (problem) pn_cli_report(command, "xacro does not expand '%s': %s", path, problem);
    if (out) fclose(out);
    free(file);
    return text;
}
