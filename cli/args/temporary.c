#define _XOPEN_SOURCE 700
#include "cli/args/temporary.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIGNALS = 4, TRIES = 20 };
static const int signals[SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

static char folder[1024]; /* "" when there is none */
static char *before;      /* TMPDIR as it was; NULL when it was not set */
static struct sigaction old[SIGNALS];

/* Removes the folder with what is in it. A signal's handler may start a program, and little else. A compiler
 * that still runs may add a file meanwhile. */
static void remove_all(void)
{
    for (int i = 0; i < TRIES && access(folder, F_OK) == 0; i++) {
        const pid_t child = fork();
        if (child == 0) {
            execl("/bin/rm", "rm", "-rf", folder, (char *)NULL);
            _exit(127);
        }
        if (child < 0 || waitpid(child, NULL, 0) < 0) return;
    }
}

static void end_by_signal(int number)
{
    remove_all();
    signal(number, SIG_DFL);
    raise(number);
}

void pn_cli_temporary_begin(void)
{
    const char *place = getenv("TMPDIR");
    if (place && place[0] != '/') place = NULL;
    if (snprintf(folder, sizeof folder, "%s/pinion-XXXXXX", place ? place : "/tmp") >= (int)sizeof folder ||
        !mkdtemp(folder)) {
        folder[0] = '\0';
        return;
    }
    before = place ? strdup(place) : NULL;
    setenv("TMPDIR", folder, 1);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = end_by_signal;
    sigfillset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &old[i]);
        if (old[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, NULL); /* nohup stays as it is */
    }
}

void pn_cli_temporary_end(void)
{
    if (!folder[0]) return;
    rmdir(folder); /* the library leaves it empty */
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
