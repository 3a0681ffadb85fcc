/* pinion: the command. */
#include "cli/args/entry.h"

int main(int argc, char **argv)
{
    return pn_cli_main(argc, argv);
}
