/* What a support is inside. */
#ifndef PN_SUPPORT_PARTS_H
#define PN_SUPPORT_PARTS_H

#include "pinion/support.h"

struct pinion_support {
    const pinion_model *m;
    int nv, nu, most;        /* most: points that there is room for */
    double *frame;           /* [6][nv] Jacobian of a link, and all other memory */
    double *J;               /* [3 most][nv] rows of the points */
    double *B, *qr;          /* [nv][nu or 3 most] factors, and room for them */
    double *N;               /* [nv][nv] basis of what no actuator moves */
    double *M, *L;           /* [nv][nv] mass matrix, and factors of N M N' */
    double *A, *c, *x, *mu;  /* the task: [nv][3 most], [nv], [3 most], [most] */
    double *unit, *rest;     /* [nv] */
    double *room;
    char message[256];
};

#endif
