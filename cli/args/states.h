/* The states that `pinion eval` reads. */
#ifndef PN_CLI_STATES_H
#define PN_CLI_STATES_H

#include "pinion/pinion.h"

#include <jansson.h>

typedef struct states_file {
    const char *command; /* for messages */
    const char *name;    /* of the file */
    json_t *root;
    json_t *list; /* inside root */
    size_t count;
} states_file;

/* One state as arrays, in memory of its own. */
typedef struct state {
    double *memory;
    double *q, *v, *a, *tau;
    double *f_ext;   /* [nbody][6] */
    int has_forces;  /* f_ext is given */
    int constraints; /* how many rows A has */
    double A[36], b[6];
    double t; /* s, of laws of time */
} state;

/* Reads the file ("-": standard input). Returns 0 after a message. */
int pn_cli_states_open(states_file *file, const char *command, const char *path);
void pn_cli_states_close(states_file *file);

/* Makes room for a state of the model. Returns 0 when out of memory. */
int pn_cli_state_init(state *s, const pinion_model *m);
void pn_cli_state_free(state *s);
/* Reads a state and checks everything about it but its quaternions. Returns 0 after a message. */
int pn_cli_state_read(const states_file *file, size_t index, const pinion_model *m, state *s);

#endif
