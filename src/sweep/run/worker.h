/* One run of a sweep at a time: what its files share. */
#ifndef PN_SWEEP_WORKER_H
#define PN_SWEEP_WORKER_H

#include "sweep/plan/sweep_plan.h"

/* A scalar while the rows come. */
typedef struct pn_tally {
    double value, first_t, t, last; /* LAST: the value of the row before, of integrals */
    double since;                   /* SETTLING: when it last came within; NaN: it is not */
    int rows;
} pn_tally;

struct pinion_sweep_worker {
    const pinion_sweep *s;
    pinion_model *own; /* a copy of the plan's model that varies */
    json_t *tree;      /* the model's JSON, where numbers of it vary */
    double *x;         /* [parameter_count] of the run */
    double *scalars;   /* [kept_count] */
    pn_tally *tally;   /* [kept_count] */
    pn_run_numbers numbers;
    unsigned char *to_given;         /* [nq] */
    unsigned char *q_held, *v_held;  /* [nq], [nv] where the plan or a parameter says how it starts */
    pinion_start_info start;         /* what closing the loops changed */

    /* the run being made */
    pinion_model *made; /* for this run alone */
    pinion_model *m;    /* that of the run: `made` or `own` */
    pinion_trajectory *motion;
    pinion_controller *controller, *outside;
    pinion_tasks *tasks;
    pinion_forces *forces;
    pinion_sensors *sensors;
    pinion_run *run;
    pinion_work *work;      /* of runs that integrate nothing */
    struct pn_lanes *lanes; /* of runs side by side */
    double t; /* of the last row */
    int begun, infinite;

    double *row; /* of a trajectory that is kept */
    size_t rows, room;
    int keeps, no_memory;
    int keeps_all; /* rows of every run, whatever the plan says */
    pinion_sweep_watch watch; /* NULL: none */
    void *watcher;
    int given_up; /* the watch ended the run */
};

/* worker_apply.c: gives the model and the numbers of a run its parameters; with x NULL those of the plan. */
pinion_status pn_worker_apply(pinion_sweep_worker *w, const double *x, pinion_error *err);
/* worker_tally.c */
void pn_tally_begin(pinion_sweep_worker *w);
void pn_tally_row(pinion_sweep_worker *w, const double *row);
void pn_tally_end(pinion_sweep_worker *w);
/* worker_act.c: the motion to follow becomes w->motion: of a file, or from the start to where it goes; none: stay. */
pinion_status pn_worker_motion(pinion_sweep_worker *w, pinion_error *err);
/* The controller of a simulation; given torques, force elements and sensors. */
pinion_status pn_worker_controller(pinion_sweep_worker *w, pinion_run_def *def, pinion_error *err);
pinion_status pn_worker_outside(pinion_sweep_worker *w, uint64_t run, pinion_run_def *def, pinion_error *err);
/* worker.c */
/* A row of the run, of which the worker takes what is kept. */
pinion_status pn_worker_row(void *worker, int count, const double *values);
/* Whether the watch ends the run, of which so much is made. */
int pn_worker_given_up(pinion_sweep_worker *w, double made);
/* direct.c: columns of the frames that a run watches, "frame.tip.position.0" and so on, and their numbers. */
pinion_status pn_worker_frame_columns(const pinion_sweep_worker *w, pinion_result *table);
pinion_status pn_worker_frames(const pinion_sweep_worker *w, pinion_work *work, const double *q, double *out);
/* worker.c: an empty result with the columns of a run before anything varies. */
pinion_result *pn_worker_columns(pinion_sweep_worker *w, pinion_error *err);

#endif
