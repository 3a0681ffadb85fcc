/* The states that `pinion eval` and others read: {"states": [...]}, or one state after the other (JSON lines). One
 * is in memory at a time. */
#ifndef PN_CLI_STATES_H
#define PN_CLI_STATES_H

#include "cli/args/states_text.h"
#include "pinion/pinion.h"

typedef struct states_file {
    const char *command; /* for messages */
    const char *name;    /* of the file */
    states_text text;
    json_t *root; /* a first state that was read already; or the whole, where only jansson can tell what it is */
    int lines;    /* it is the first */
    size_t index; /* of the state that was read last */
    size_t count; /* of those so far */
} states_file;

/* One state as arrays, in memory of its own. */
typedef struct state {
    double *memory;
    size_t numbers, forces; /* in it; how many of them, at its end, are f_ext */
    double *q, *v, *a, *tau;
    double *f_ext;   /* [nbody][6] */
    int has_forces;  /* f_ext is given */
    int constraints; /* how many rows A has */
    double A[36], b[6];
    double t; /* s, of laws of time */
} state;

/* Opens the file ("-": standard input); the name of a state of the model is that one. Returns 0 after a message. */
int pn_cli_states_open(states_file *file, const char *command, const char *path, const pinion_model *m);
void pn_cli_states_close(states_file *file);
/* Reads the next state and checks everything about it but its quaternions: 1; 0 at the end, -1 after a message. */
int pn_cli_states_next(states_file *file, const pinion_model *m, state *s);
/* Reads to the end, whatever the states are; 0 after a message. */
int pn_cli_states_rest(states_file *file);

/* The first state of a file, with its quaternions made unit: room is taken for it, and released again on failure.
 * Returns 0 after a message. */
int pn_cli_state_of_file(const char *command, const char *path, const pinion_model *m, state *s);

/* Makes room for a state of the model. Returns 0 when out of memory. */
int pn_cli_state_init(state *s, const pinion_model *m);
void pn_cli_state_free(state *s);

/* States that were read, to be looked at again: a few in memory, more in a temporary file. Starts with {0}. */
typedef struct state_store {
    char *memory;
    size_t used, at; /* bytes in memory, and up to where they were read back */
    FILE *file;
} state_store;

/* Each returns 0 after a message. */
int pn_cli_store_add(state_store *store, const char *command, const state *s);
int pn_cli_store_rewind(state_store *store, const char *command);
int pn_cli_store_next(state_store *store, const char *command, state *s);
void pn_cli_store_free(state_store *store);

#endif
