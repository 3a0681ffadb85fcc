/* Closed loops in inverse kinematics: configurations stay closed, and steps along the motions that loops
 * allow. Private to src/sim. */
#ifndef PN_SIM_IK_LOOPS_H
#define PN_SIM_IK_LOOPS_H

#include "sim/stepper/chart.h"

typedef struct pn_ik_loops pn_ik_loops;

/* NULL when out of memory. */
pn_ik_loops *pn_ik_loops_new(const pinion_model *m);
void pn_ik_loops_free(pn_ik_loops *l); /* NULL is allowed */

/* Closes the loops of q at time 0 without moving what is held; `held` may be NULL. 0 when they do not close.
 */
int pn_ik_loops_close(pn_ik_loops *l, pinion_work *w, const char *held, double *q);
/* The rows of the loops at q, in the chart around q. */
pinion_status pn_ik_loops_at(pn_ik_loops *l, pinion_work *w, const pn_chart *chart, const double *q);
/* What loops ask of the coordinates that are not held when the others move by `step`: shift [nv], of least
 * norm and zero where held. The rows of A [rows][nv], zero where held, lose what would open the loops. */
void pn_ik_loops_free_motion(pn_ik_loops *l, const char *held, const double *step, int rows, double *A,
                             double *shift);

#endif
