/* Runs side by side: what the files that make them share. */
#ifndef PN_SWEEP_LANES_PARTS_H
#define PN_SWEEP_LANES_PARTS_H

#include "sweep/run/lanes.h"

enum { PN_LANES_STEPS = 32 }; /* steps that are made at once, and between two looks at the energies */
#define PN_LANES_DRIFT 0.1    /* of the largest kinetic energy, as of simulations */

/* One of the runs made at once. */
typedef struct pn_lane {
    pinion_trajectory *motion; /* to follow; NULL: it stays where it began */
    double energy, work;       /* J, at the beginning; done on it since */
    double most_kinetic, most_other;
    pinion_status status; /* how it ended */
    int infinite;         /* it ended with a state that is no number */
    size_t failed;        /* after so many steps there is no state */
    char why[PINION_SWEEP_WHY];
} pn_lane;

struct pn_lanes {
    pinion_batch *batch;
    pinion_work *work;
    pinion_rollout r;
    double max_drift;
    double *memory;
    double *q, *v, *tau;         /* [MOST][n] starts, and torques */
    double *q_target, *v_target; /* [STEPS][count][n] as the rollout takes them */
    double *tau_each;            /* the same torques in each step, where there are targets */
    double *q_step, *v_step;     /* [STEPS + 1][count][n] the states of these steps, the first before them */
    double *way, *passive, *error; /* [STEPS][count][nv] how far each step goes; forces; how far the targets are */
    double *q_record, *v_record; /* [records][count][n] rows */
    double *row, *target;        /* a row; a target with its accelerations, which are not looked at */
    pn_lane lane[PN_LANES_MOST];
    double kinetic[PN_LANES_MOST], potential[PN_LANES_MOST];
    pinion_status status[PN_LANES_MOST * (PN_LANES_STEPS + 1)];
    size_t steps, records;
    int count; /* of those made */
    int works; /* something does work on them: torques, a law, passive forces */
    int each;  /* all states of the last steps are there, not the last one alone */
};

/* lanes.c: makes the next steps of all; with `each` all their states are kept, else the last one. */
pinion_status pn_lanes_roll(struct pn_lanes *l, const pinion_sweep *s, size_t steps, int each);

/* lanes_check.c: whether the runs go on as they should, from the states of the last steps. */
pinion_status pn_lanes_begin_check(pinion_sweep_worker *w, struct pn_lanes *l);
pinion_status pn_lanes_check(pinion_sweep_worker *w, struct pn_lanes *l, size_t first, size_t steps);

#endif
