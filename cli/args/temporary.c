#define _XOPEN_SOURCE 700
#include "cli/args/temporary.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { SIGNALS = 4, TRIES = 20 };
static const int signals[SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

static char folder[1024]; /* "" when there is none */
static char *before;      /* TMPDIR as it was; NULL when it was not set */
static struct sigaction old[SIGNALS];

/* Removes the folder with what is in it. A signal's handler may start a program, and little else; not by fork(), which
 * may need more memory than there is, and behind which gcc's counters of coverage allocate some. A compiler that still
 * runs may add a file meanwhile. */
static void remove_all(void)
{
    const struct timespec pause = {0, 10000000};
    char *arguments[] = {"rm", "-rf", folder, NULL};
    for (int i = 0; i < TRIES && rmdir(folder) != 0 && errno != ENOENT; i++) {
        pid_t child;
        if (i > 0) nanosleep(&pause, NULL);
        if (posix_spawn(&child, "/bin/rm", NULL, NULL, arguments, environ) == 0) waitpid(child, NULL, 0);
    }
}

static void end_by_signal(int number)
{
    remove_all();
    signal(number, SIG_DFL);
    raise(number);
}

/* A folder of a name nobody has, in the place where such folders go; 0 when there is none to be had. */
static int make_folder(const char *place)
{
    const int length = snprintf(folder, sizeof folder, "%s/pinion-XXXXXX", place ? place : "/tmp");
    if (length < (int)sizeof folder && mkdtemp(folder)) return 1;
    folder[0] = '\0';
    return 0;
}

static void set_handlers(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = end_by_signal;
    sigfillset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &old[i]);
        if (old[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, NULL); /* nohup stays as it is */
    }
}

void pn_cli_temporary_begin(void)
{
    const char *place = getenv("TMPDIR");
    if (place && place[0] != '/') place = NULL;
    pn_cli_hold_signals(1); /* between the folder and the handlers nobody would remove it */
    if (make_folder(place)) {
        before = place ? strdup(place) : NULL;
        setenv("TMPDIR", folder, 1);
        set_handlers();
    }
    pn_cli_hold_signals(0);
}

void pn_cli_temporary_end(void)
{
    if (!folder[0]) return;
    remove_all();
    for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], &old[i], NULL);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
    before = NULL;
    folder[0] = '\0';
}

void pn_cli_hold_signals(int hold)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < SIGNALS; i++) sigaddset(&set, signals[i]);
    sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}
