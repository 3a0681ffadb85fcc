/* The forces of tendons and of what carries weight, in memory of the caller's. */
#ifndef PN_ELEMENT_FORCES_H
#define PN_ELEMENT_FORCES_H

#include "pinion/elements.h"

/* What presses tendons back from their limits. */
typedef struct pn_tendon_stops {
    double stiffness, damping;
    int alone; /* and nothing else acts */
} pn_tendon_stops;

/* As pinion_elements_forces(); `stops` may be NULL, `room` is [nv]. */
pinion_status pn_elements_forces(const pinion_model *m, pinion_work *w, const pn_tendon_stops *stops, const double *q,
                                 const double *v, double *room, double *springs, double *dampers, double *compensation,
                                 double *potential);

#endif
