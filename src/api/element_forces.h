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

/* A tendon by itself, without what acts along it: its length and, with v, its rate, else 0; f times the gradient g of
 * its length, added, with `room` [nv]; f times dg/dq, [nv][nv], added, with `room` for pn_tendon_room() numbers. */
pinion_status pn_tendon_length(const pinion_model *m, pinion_work *w, const double *q, const double *v, int tendon,
                               double *length, double *rate);
pinion_status pn_tendon_pull(const pinion_model *m, pinion_work *w, const double *q, int tendon, double f, double *room,
                             double *to);
size_t pn_tendon_room(const pinion_model *m);
pinion_status pn_tendon_bend(const pinion_model *m, pinion_work *w, const double *q, int tendon, double f, double *room,
                             double *to);

/* What the medium exerts on a link, along the link's axes about its origin: f = G(y) with the velocity y of the link
 * against the medium. K = dG/dy, [6][6]; the wind is that along the link's axes. */
typedef struct pn_braking {
    double f[6], K[36], wind[3];
} pn_braking;
pinion_status pn_brake(const pinion_model *m, pinion_work *w, const double *q, const double *v, int link,
                       const pinion_drag *drag, pn_braking *out);
/* Its part of dtau/dq and dtau/dv, [nv][nv], added; J [6][nv] and H [6][nv][nv] are room. */
pinion_status pn_d_brake(const pinion_model *m, pinion_work *w, const double *q, const double *v, int link,
                         const pinion_drag *drag, double *J, double *H, double *dq, double *dv);

#endif
