/* What the files of control in task space share. */
#ifndef PN_SIM_TASK_CONTROL_H
#define PN_SIM_TASK_CONTROL_H

#include "pinion/sim/tasks.h"
#include "sim/control/tracking.h"

/* How far what a task moves goes at all. */
typedef struct pn_reach {
    double center[3], radius; /* m: a ball in which it always is; INFINITY: any place may be in reach */
    double way;               /* m: two places of it are no farther apart */
    double lacks;             /* m: how far its target was out of that when it was asked last */
} pn_reach;

struct pinion_tasks {
    const pinion_model *m;
    pinion_work *w;
    int nq, nv, nu;
    int rows, loop_rows; /* of constraints: of loops, then of what is held */
    int fixed; /* the rank of the constraints when they were asked last */
    int count, held_count, limit;
    double damping; /* 1/s, of what no task asks for */
    pinion_task *task; /* [count] */
    pinion_held *held;
    int *order; /* [count] by priority */
    pn_reach *reach; /* [count] */
    pn_group_joint *group;
    int group_count;
    void *owned; /* of references that a file gave */
    int *pivot;  /* [rows], then at and whose */
    double *memory;                             /* of the postures and of the arrays that follow */
    double *q, *error, *v_target, *a_target;    /* [nq], [nv] of a posture */
    double *h, *free;                           /* [nv] bias; a_0 */
    double *inverse, *B, *P;                    /* [nv][nv], [nv][nu] */
    double *C, *X, *S, *c, *rhs;                /* [rows][nv] twice, [rows][rows], [rows] */
    double *J, *wanted, *centroidal;            /* [nv or 6][nv], [nv or 6], [6][nv] */
    double *A, *U, *s, *b, *plain; /* of a priority: [level][nu], [level][level], [level], its J [level][nv] */
    int *whose, *axis;             /* [level] the tasks of its rows, and which of theirs they are */
    double *scale, *kd, *weight;   /* [level] how long its rows could be; of their tasks; roots of weights */
    double *L, *T, *row;                        /* [nu][nu] B' P = L L' and L = Q T; [nu] */
    int *at, rank;                              /* [nu] the order of its pivots; those that are not rounding */
    double *speed, *falls;                      /* [nu] of v and a_0, as L measures them */
    double *N, *y;                              /* [nu][nu] what is still free, transposed; [nu] */
    double *sum;                                /* [nu] what the levels want so far */
    double *turn, *bend, *bent;          /* [nu][nu] H of a direction, C of a level; [nu] its singular values */
    double *bends;                       /* [nv][nv] H of joints */
    int lower, soft;                            /* a level so far is near a singular position */
    double *damped;                             /* [count] by which part a task gave way when it was asked last */
};

/* task_control.c: how many rows a task has; J and what J a is to be. */
int pn_task_rows(const pinion_tasks *x, const pinion_task *task);
pinion_status pn_task_want(pinion_tasks *x, const pinion_task *task, double t, const double *q, const double *v,
                           double *J, double *wanted);
/* task_levels.c: how many freedoms loops and what is held take at q, or near it. */
pinion_status pn_tasks_fixed(pinion_tasks *x, const double *q, int *fixed);

/* task_soft.c: adds to C of a level what its direction i has, J with so much of what it could have, where it lacks so
 * much, and how fast it turns as it moves; takes what bends, with this kd, from what is free. */
pinion_status pn_tasks_soften(pinion_tasks *x, int rows, int i, double length, double lacks, const double *q,
                              double *turns);
void pn_tasks_take_bends(pinion_tasks *x, double kd);

#endif
