/* The quantities that `pinion eval --what` can name. */
#ifndef PN_CLI_QUANTITY_H
#define PN_CLI_QUANTITY_H

#include "pinion/pinion.h"

/* Those that the library's table of calls does not have; its own are numbered behind these. */
typedef enum quantity_id {
    Q_OPERATIONAL_SPACE,
    Q_CONSTRAINED_DYNAMICS,
    Q_FACTORIZATION,
    Q_DISTANCE,
    Q_CONSTRAINTS,
    Q_CONSTRAINT_FORCES,
    Q_DELASSUS,
    Q_LOOP_INVERSE_DYNAMICS,
    Q_MOBILITY,
    Q_PASSIVE_FORCES,
    Q_D2_INVERSE_DYNAMICS,
    Q_OWN_COUNT,
    Q_LIBRARY = Q_OWN_COUNT /* Q_LIBRARY + i is quantity i of pinion/quantities.h */
} quantity_id;

typedef struct quantity_def {
    const char *name;
    int takes_frame; /* NAME:FRAME; 2: NAME:A/B, two collisions, which the command finds */
    int later;       /* not available yet */
    const char *help;
} quantity_def;

/* All of them, the library's first: the one at a place; 0 when there are fewer. */
int pn_cli_quantity_at(int place, int *id, quantity_def *def);
/* The problem that the quantity is the answer to, whose algorithms then compute it; -1 if it is none. */
int pn_cli_quantity_problem(int id);

/* One entry of --what. */
typedef struct quantity {
    int id;            /* quantity_id, or Q_LIBRARY + i; or a place in the table that was read with */
    char *key;         /* "name" or "name:frame", the key of the answer */
    const char *frame; /* inside key; NULL without a frame */
    int frame_index;   /* after pn_cli_what_resolve() */
    int is_pair;       /* `frame` is A/B */
} quantity;

typedef struct quantity_list {
    quantity *entry;
    int count;
} quantity_list;

/* Reads the list: entries are separated by commas; a comma or backslash in a frame's name is written
 * with a backslash before it. An entry named twice counts once. Returns CLI_DONE, CLI_USAGE or CLI_FAILED. */
int pn_cli_what_parse(const char *command, const char *text, quantity_list *what);
/* The same for a command that has other quantities: `count` of them in a table, which entries' ids then refer to. */
int pn_cli_what_parse_table(const char *command, const char *text, const quantity_def *table, int count,
                            quantity_list *what);
/* Finds the frames in the model. Returns CLI_DONE or CLI_FAILED. */
int pn_cli_what_resolve(const char *command, const pinion_model *m, quantity_list *what);
void pn_cli_what_free(quantity_list *what);
/* Whether the quantity is in the list. */
int pn_cli_what_has(const quantity_list *what, int id);

/* The frame of that name; -1 after a message that says which names are near. `where` starts the message. */
int pn_cli_find_frame(const char *command, const pinion_model *m, const char *where, const char *name);

#endif
