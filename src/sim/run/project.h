/* Bringing a state back onto the constraints of closed loops, from nearby. */
#ifndef PN_SIM_PROJECT_H
#define PN_SIM_PROJECT_H

#include "pinion/loops.h"

typedef struct pn_projection pn_projection;

/* For models with this one's coordinates and loops. NULL when out of memory. */
pn_projection *pn_projection_new(const pinion_model *m);
void pn_projection_free(pn_projection *p); /* NULL is allowed */

/* The nearest configuration on the constraints at time t, by the metric of the mass matrix at q, and there
 * the nearest velocity, by kinetic energy. PINION_ERR_CONVERGENCE when q is not near enough; q and v are then
 * as they were. */
pinion_status pn_projection_apply(pn_projection *p, const pinion_model *m, pinion_work *w, double t,
                                  double *q, double *v);

/* Whether rounded data keep rows apart or open, so that these do not count: found once, at the first place that is
 * given here or to pn_projection_apply(). */
int pn_projection_rounded(pn_projection *p, const pinion_model *m, pinion_work *w, double t, const double *q);

/* What follows is of the place where pn_projection_apply() last was. */

/* How far the row that depends the most on others is from depending on them, in (0, 1]: 1 is orthogonal, and
 * near 0 the place is near a singular position. Rows that depend to rounding do not count. */
double pn_projection_weakest(const pn_projection *p);
/* Takes from a change of configuration (`moving` 0) or velocity (1) [nv] what projecting would take from it,
 * by the rows that are nearer to depending on others than `below`. */
void pn_projection_tangent(const pn_projection *p, int moving, double below, double *change);

#endif
