/* pinion: the command. */
#include "src/base/room.h"
#include "cli/args/entry.h"

/* The HDF5 library's, where it is there: a file that could not be written stays open in it, and at exit it would crash
 * over that. Not called in libpinion_sim, since a program may count on its own files being closed at exit. */
extern int H5dont_atexit(void) __attribute__((weak));

int main(int argc, char **argv)
{
    if (H5dont_atexit && pn_is_room(1 << 20)) H5dont_atexit();
    return pn_cli_main(argc, argv);
}
