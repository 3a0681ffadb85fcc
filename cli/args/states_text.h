/* The text that states are in, read one at a time in constant memory. */
#ifndef PN_CLI_STATES_TEXT_H
#define PN_CLI_STATES_TEXT_H

#include <jansson.h>
#include <stdio.h>

typedef struct states_text {
    const char *command, *name; /* for messages */
    FILE *stream;               /* to be closed; NULL for standard input */
    int file;
    char *buffer; /* bytes that were read and not taken */
    size_t at, end;
    int ended, why; /* there is no more; the error number, when it could not be read */
    int line;
    char *text; /* of the state at hand */
    size_t length, room;
    int no_memory, too_large; /* why it has none */
    int in_list, past;        /* within {"states": [...]}; behind it */
    size_t count;             /* of values so far */
} states_text;

/* Opens a file ("-": standard input). All return 0 after a message. */
int pn_cli_text_open(states_text *t, const char *command, const char *path);
void pn_cli_text_close(states_text *t);
/* Looks whether it is a list of states; if not, the first value is put into `*first`. */
int pn_cli_text_begin(states_text *t, json_t **first);
/* The next value; NULL at the end, and with `*failed` after a message. */
json_t *pn_cli_text_next(states_text *t, int *failed);

#endif
