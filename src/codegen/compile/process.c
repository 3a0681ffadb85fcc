/* Programs run without a shell, with what they say. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pipe2 */
#endif

#include "codegen/compile/compiled.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* of what a program says, so much is kept */
enum { KEEP = 1 << 16 };

/* The environment with other values for two names: messages in English, and temporary files where they are removed. The
 * array is the caller's to free, its strings are not. */
static char **environment_with(char *locale, char *folder)
{
    size_t count = 0;
    while (environ && environ[count]) count++;
    char **copy = calloc(count + 3, sizeof *copy);
    size_t n = 0;
    for (size_t i = 0; copy && i < count; i++)
        if (strncmp(environ[i], "LC_ALL=", 7) != 0 && (!folder || strncmp(environ[i], "TMPDIR=", 7) != 0))
            copy[n++] = environ[i];
    if (!copy) return NULL;
    copy[n++] = locale;
    if (folder) copy[n++] = folder;
    return copy;
}

/* Signals as in a program that was started from a shell: what the caller blocks or ignores stays with the caller. A
 * compiler whose children are ignored cannot wait for them. */
static int set_signals(posix_spawnattr_t *how, int group)
{
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGCHLD);
    sigaddset(&usual, SIGPIPE);
    int number = posix_spawnattr_setsigmask(how, &none);
    if (!number) number = posix_spawnattr_setsigdefault(how, &usual);
    if (!number && group) number = posix_spawnattr_setpgroup(how, 0);
    const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (group ? POSIX_SPAWN_SETPGROUP : 0);
    return number ? number : posix_spawnattr_setflags(how, (short)flags);
}

/* what the program begins with: nothing to read, both outputs into the pipe */
static int spawn(pid_t *pid, char *const *arguments, char **environment, int pipe_end, int group)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t how;
    int number = posix_spawn_file_actions_init(&actions);
    if (number) return number;
    number = posix_spawnattr_init(&how);
    if (number) {
        posix_spawn_file_actions_destroy(&actions);
        return number;
    }
    number = set_signals(&how, group);
    if (!number) number = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!number) number = posix_spawn_file_actions_adddup2(&actions, pipe_end, 1);
    if (!number) number = posix_spawn_file_actions_adddup2(&actions, pipe_end, 2);
    if (!number) number = posix_spawnp(pid, arguments[0], &actions, &how, arguments, environment);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&actions);
    return number;
}

/* A pipe, with ends that are never 0, 1 or 2, which the program's own are set from. Another thread's program may get
 * them where there is no pipe2: it then keeps the pipe open, which nobody waits for. */
static int open_pipe(int ends[2])
{
#ifdef __linux__
    if (pipe2(ends, O_CLOEXEC)) return 0;
#else
    if (pipe(ends)) return 0;
#endif
    int fine = 1;
    for (int i = 0; i < 2; i++) {
        const int higher = fcntl(ends[i], F_DUPFD_CLOEXEC, 3);
        close(ends[i]);
        ends[i] = higher;
        fine = fine && higher >= 0;
    }
    for (int i = 0; !fine && i < 2; i++)
        if (ends[i] >= 0) close(ends[i]);
    return fine;
}

static int start(pn_process *p, char *const *arguments, const char *folder, int group)
{
    memset(p, 0, sizeof *p);
    int ends[2];
    pid_t pid = 0;
    pn_text temporary = {0};
    char locale[] = "LC_ALL=C";
    if (folder) pn_text_add(&temporary, "TMPDIR=%s", folder);
    char **environment = temporary.failed ? NULL : environment_with(locale, temporary.at);
    int number = !environment ? ENOMEM : open_pipe(ends) ? 0 : errno;
    if (!number) {
        number = spawn(&pid, arguments, environment, ends[1], group);
        close(ends[1]);
        if (number) close(ends[0]);
    }
    free(environment);
    pn_text_free(&temporary);
    errno = number;
    if (number) return 0;
    p->pid = (int)pid;
    p->output = ends[0];
    p->group = group;
    p->status = -1;
    return 1;
}

int pn_process_start(pn_process *p, char *const *arguments, const char *folder)
{
    return start(p, arguments, folder, 0);
}

int pn_process_start_group(pn_process *p, char *const *arguments, const char *folder)
{
    return start(p, arguments, folder, 1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* what has come through the pipe, which is closed at its end */
static void hear(pn_process *p)
{
    char part[4096];
    const ssize_t n = read(p->output, part, sizeof part);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n > 0 && p->said.length < KEEP) pn_text_bytes(&p->said, part, (size_t)n);
    if (n > 0) return;
    close(p->output);
    p->output = -1;
}

/* Listens to all of them for so long, or until one has said something. */
static void hear_all(pn_process *p, int count, int milliseconds)
{
    enum { MOST = 16 };
    struct pollfd list[MOST];
    int from[MOST], open = 0;
    for (int i = 0; i < count && open < MOST; i++) {
        if (p[i].pid <= 0 || p[i].output < 0) continue;
        list[open] = (struct pollfd){.fd = p[i].output, .events = POLLIN};
        from[open++] = i;
    }
    const int ready = poll(list, (nfds_t)open, milliseconds);
    for (int k = 0; ready > 0 && k < open; k++)
        if (list[k].revents) hear(&p[from[k]]);
}

/* what an ended program has left in the pipe; another one that has it open, too, is not waited for */
static void hear_rest(pn_process *p)
{
    for (size_t parts = 0; p->output >= 0 && parts < 1024; parts++) {
        struct pollfd one = {.fd = p->output, .events = POLLIN};
        if (poll(&one, 1, 0) <= 0) break;
        hear(p);
    }
    if (p->output >= 0) close(p->output);
    p->output = -1;
}

/* Whether it has ended, and then all that is to be known of it. `options` are those of waitpid. */
static int collect(pn_process *p, int options)
{
    int status = -1;
    pid_t got;
    do got = waitpid((pid_t)p->pid, &status, options);
    while (got < 0 && errno == EINTR);
    if (got == 0) return 0;
    p->status = got == (pid_t)p->pid ? status : -1;
    p->pid = 0;
    hear_rest(p);
    return 1;
}

/* The end of a program counts, not that of what it says: it may close its outputs long before, or leave others behind
 * that keep them. So each is asked from time to time, at first often. */
int pn_process_wait_unless(pn_process *p, int count, double seconds, int (*stop)(void *user), void *user)
{
    const double end = now() + seconds;
    for (int pause = 1;; pause = pause < 20 ? pause + 1 : 20) {
        int left = 0;
        for (int i = 0; i < count; i++) left += p[i].pid > 0 && !collect(&p[i], WNOHANG);
        if (left == 0) return 1;
        if (now() >= end || (stop && stop(user))) break;
        hear_all(p, count, pause);
    }
    for (int i = 0; i < count; i++) {
        if (p[i].pid <= 0) continue;
        kill((pid_t)(p[i].group ? -p[i].pid : p[i].pid), SIGKILL);
        collect(&p[i], 0);
    }
    return 0;
}

int pn_process_wait(pn_process *p, int count, double seconds)
{
    return pn_process_wait_unless(p, count, seconds, NULL, NULL);
}

int pn_process_well(const pn_process *p)
{
    return p->status == -1 || (WIFEXITED(p->status) && WEXITSTATUS(p->status) == 0);
}

void pn_process_release(pn_process *p)
{
    pn_text_free(&p->said);
}
