/* What the files of a run share. */
#ifndef PN_SIM_RUN_PARTS_H
#define PN_SIM_RUN_PARTS_H

#include "pinion/sim/run.h"

/* What the rows had so far, for the summary. */
typedef struct pn_run_largest {
    double t; /* of the last row */
    double potential, work, constraint;
    double events; /* how many */
} pn_run_largest;

/* Where a run can go on from to the bit: its last checkpoint, at first its start. A method that remembers earlier steps
 * cannot be stored between two of them; it takes the steps since then again. */
typedef struct pn_run_base {
    double *memory; /* [size] of pinion_sim_store(), then what is applied by hand; NULL: there is none */
    int size;
    double rows, checkpoints; /* that were there */
    int events;
    long steps;
    pn_run_largest largest;
} pn_run_base;

struct pinion_run {
    const pinion_model *m;
    pinion_run_def def; /* with its defaults filled in */
    pinion_sim *sim;
    double began;          /* wall clock */
    pinion_result *table;  /* the columns, and settings; def.result, or one of the run's own without rows */
    pinion_column *column; /* [columns] of the table */
    int columns;
    double *row; /* [columns], and room for those of pairs that come late */
    int points;  /* of grounds that have columns */
    struct {     /* pairs that get columns behind all others when they first touch */
        int count, pair[PINION_RUN_PAIRS];
        int missing; /* nonzero: the row has no numbers for contact */
    } late;

    size_t rows;        /* of a complete run, with the first and the last */
    size_t next_row;    /* how many are there */
    double checkpoints; /* how many are past */
    int started;
    long resumed_after; /* steps that the run had had when the checkpoint was written */
    double timed;       /* wall clock from which on max_time counts: when these were there again */
    pn_run_base base;
    pn_run_largest largest;
    pinion_run_end end;
    pinion_status status;
    pinion_status last; /* of the last call, for the message */
    double fence;       /* no step goes past this time; INFINITY: any */
    struct {
        int count;                /* of all numbers */
        double *tau, *u, *f_ext;  /* [nv], [nu], [nbody][6], in one piece; NULL unless stepped by hand */
        pinion_forces *forces;    /* the list that has f_ext; NULL: none was applied */
    } applied;
    char why[700], warning[300];
};

/* Breaks the run, in words; those of the status when they are NULL. Returns the status. */
pinion_status pn_run_break(pinion_run *r, pinion_status status, const char *words);

/* run_checkpoint.c: takes the time reached as the base; a checkpoint of that, for pinion_run_store(). */
pinion_status pn_run_keep(pinion_run *r);
pinion_status pn_run_write_base(pinion_run *r, const char *path);

/* run_step.c */

/* Puts the run's own functions into the options of a run that is stepped by hand; 0 when out of memory. */
int pn_run_prepare(pinion_run *r, pinion_sim_options *o);
/* Applies again what a checkpoint has, applied.count numbers. */
pinion_status pn_run_reapply(pinion_run *r, const double *numbers);

/* run_record.c */

/* The columns of the table, and if there is a result the settings. */
pinion_status pn_run_describe(pinion_run *r, pinion_error *err);
/* The columns for the sink. */
pinion_status pn_run_begin(pinion_run *r);
/* Adds the state that the simulation is at, and the events since the last. They break the run if they fail. */
pinion_status pn_run_add_row(pinion_run *r);
pinion_status pn_run_add_events(pinion_run *r);
/* The same with a row and an event that are given. */
pinion_status pn_run_put_row(pinion_run *r, const double *row);
pinion_status pn_run_put_event(pinion_run *r, double t, const char *text);
/* How the run went, among the settings and to the sink. */
pinion_status pn_run_conclude(pinion_run *r);

/* run_watched.c: what is recorded beside the state, in columns before the energies: targets and errors, grounds,
 * frames. How many there are at most, all of their names, and their values at a state. */
int pn_watched_count(const pinion_run *r);
pinion_status pn_watched_columns(pinion_run *r, pinion_error *err);
pinion_status pn_watched_fill(pinion_run *r, double t, const double *q, const double *v, double *a, double *out);
/* A column more, or the error filled. */
pinion_status pn_run_add_column(pinion_run *r, const char *name, const char *unit, pinion_error *err);
/* Columns "NAME.PART.0" and so on. */
pinion_status pn_run_add_numbered(pinion_run *r, const char *base, const char *part, int count, const char *unit,
                                  pinion_error *err);

#define PN_RUN_PAIR 7 /* columns of a pair */
#define PN_RUN_LATE (PN_RUN_PAIR * PINION_RUN_PAIRS)

/* run_contacts.c: contact of the model. Columns that are there from the start, at most those before the simulation is
 * there; their names; their values at a state, whose a becomes the acceleration with contact. */
int pn_contacts_count(const pinion_run *r);
pinion_status pn_contacts_columns(pinion_run *r, pinion_error *err);
pinion_status pn_contacts_fill(pinion_run *r, double t, const double *q, const double *v, double *a, double *out);
/* Where many pairs may touch: columns of those that touch for the first time, after all others of the table, and the
 * values of all such, into r->row. To be called after the above. */
pinion_status pn_contacts_touch(pinion_run *r);
/* Columns in the table, with those. */
int pn_contacts_all(const pinion_run *r);
/* Gives those pairs of a checkpoint their columns, before there are rows; PINION_ERR_ARGUMENT for numbers of none. */
pinion_status pn_contacts_again(pinion_run *r, int count, const double *pairs);

#endif
