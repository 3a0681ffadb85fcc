/* pinion: the command. */
#define _POSIX_C_SOURCE 200809L
#include "cli/args/entry.h"

#include <signal.h>

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that may not be so large is an error to be told, as a full disk is */
    return pn_cli_main(argc, argv);
}
