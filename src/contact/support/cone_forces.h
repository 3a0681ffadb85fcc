/* The least forces within friction cones that give what is asked of them. */
#ifndef PN_CONE_FORCES_H
#define PN_CONE_FORCES_H

#include <stddef.h>

/* a linear task for forces in cones: A x = c */
typedef struct pn_cone_task {
    int rows, points;
    const double *A;  /* [rows][3 points], of full rank; three columns a point: normal, two tangents */
    const double *c;  /* [rows] */
    const double *mu; /* [points] */
    double *room;     /* pn_cone_room(rows, points) numbers */
} pn_cone_task;

size_t pn_cone_room(int rows, int points);

/* The x of least norm with A x = c and every point in its cone, and 1. Where there is none: an x with A x = c that is
 * nearest to the cones, and 0. */
int pn_cone_forces(const pn_cone_task *t, double *x);

/* How far a force (normal, two tangents) is inside of the border of its cone; below 0: outside. */
double pn_cone_margin(double mu, const double f[3]);

#endif
