#define _POSIX_C_SOURCE 200809L
#include "cli/print/interrupt.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    interrupted = number;
}

void pn_cli_catch_signals(void)
{
    static const int number[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    interrupted = 0;
    for (int i = 0; i < 3; i++)
        if (sigaction(number[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(number[i], &action, NULL);
}

int pn_cli_interrupted(void)
{
    return interrupted != 0;
}
