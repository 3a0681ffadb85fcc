/* The files that a command reads and writes, looked at before the work starts. */
#ifndef PN_CLI_FILE_ARGS_H
#define PN_CLI_FILE_ARGS_H

#define RESULT_ENDINGS ".csv|.jsonl|.h5|.hdf5"
#define PAGE_ENDINGS ".html|.htm"
#define FIGURE_ENDINGS ".svg|.png"
#define CHECKPOINT_ENDINGS ".h5|.hdf5"

typedef struct cli_file {
    const char *what;    /* how messages name it: "--report", "the model" */
    const char *path;    /* NULL: there is none */
    const char *endings; /* that the name of a file to write may have, separated by '|'; NULL: it is read */
} cli_file;

/* Checks that names to write to end as they should, that no file to write is one that is read or is written
 * twice, and that it can be made there. CLI_DONE or, after a message, CLI_USAGE, for the last one CLI_FAILED.
 */
int pn_cli_files_check(const char *command, const cli_file *file, int count);
/* Whether a name ends so, in small or capital letters. */
int pn_cli_ends_with(const char *name, const char *end);

#endif
