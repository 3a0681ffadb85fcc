/* The parts of `pinion demo`. */
#ifndef PN_CLI_DEMO_H
#define PN_CLI_DEMO_H

#include "pinion/pinion.h"

#define DEMO_DURATION 10.0 /* s */
#define DEMO_SAMPLES 1001
#define DEMO_TOLERANCE 1e-9

/* What is known of one degree of freedom. */
typedef struct demo_dof {
    const char *joint;
    pinion_joint_type type;
    int part;   /* which degree of freedom of its joint; -1 when that has only one */
    int q;      /* its coordinate in q; -1 for parts of quaternions */
    int linear; /* a displacement, not an angle */
} demo_dof;

typedef struct demo {
    pinion_model *m;
    pinion_work *w;
    int nv;
    int paper;        /* the robot and motion of Saha 1999 */
    double *start;    /* [nq] */
    double *distance; /* [nv] */
    demo_dof *dof;    /* [nv] */
    double *tau;      /* [DEMO_SAMPLES][nv] */
    double largest;   /* force, N m or N */
    double error;     /* of the forces that come back, relative to the largest */
    int passed;
} demo;

/* The tour in words. Returns 0 when out of memory. */
int pn_cli_demo_text(const demo *d, const char *program, const char *path);

#endif
