/* pinion id: inverse dynamics along a motion. What its two files share. */
#ifndef PN_CLI_ID_H
#define PN_CLI_ID_H

#include "options.h"
#include "pinion/result.h"
#include "pinion/trajectory.h"
#include "reactions.h"

/* The columns of a result, in this order. */
typedef enum id_group { ID_TIME, ID_MOTION, ID_TORQUES, ID_POWER, ID_REACTIONS, ID_GROUPS } id_group;

/* Everything one run needs. */
typedef struct id_run {
    const cli_args *args;
    const char *command;
    int algorithm; /* -1: the library's own */
    int passive;
    const char *output, *report, *plot; /* files; NULL: none */

    pinion_model *m;
    pinion_work *w;
    int nq, nv, joints;
    pinion_trajectory *motion;
    const double *times; /* of the rows, where they are the file's; NULL: every step */
    double start, end, step;
    size_t rows;
    cli_reactions reactions;
    double *memory;
    double *q, *v, *a, *tau, *tau_p;
    double *row;
    pinion_result *result;
    int first[ID_GROUPS + 1]; /* column of each group */
} id_run;

/* The time of a row. */
double pn_cli_id_time(const id_run *d, size_t row);

/* id_result.c: the result's settings, columns and rows, and where it goes. All return CLI_DONE or, after a
 * message, CLI_FAILED. */
int pn_cli_id_settings(id_run *d);
int pn_cli_id_columns(id_run *d);
int pn_cli_id_rows(id_run *d);
int pn_cli_id_write(id_run *d);

#endif
