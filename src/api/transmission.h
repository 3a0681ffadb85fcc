/* What actuators without terms do to the joints: those on frames, along paths, on cranks and between frames. */
#ifndef PN_TRANSMISSION_H
#define PN_TRANSMISSION_H

#include "pinion/actuators.h"

/* f times its column of B without gear and efficiency, added to `to` [nv]; `room` is [nv]. */
pinion_status pn_transmit(const pinion_model *m, pinion_work *w, const double *q, const pinion_actuator_info *a,
                          double f, double *room, double *to);
/* The product of that column with v. */
pinion_status pn_transmission_rate(const pinion_model *m, pinion_work *w, const double *q, const double *v,
                                   const pinion_actuator_info *a, double *rate);
/* The length whose rate that is; 0 on a frame. */
pinion_status pn_transmission_length(const pinion_model *m, pinion_work *w, const double *q,
                                     const pinion_actuator_info *a, double *length);
/* f times the derivative of the column by q, [nv][nv], added; `room` as pn_tendon_bend() has it. */
pinion_status pn_d_transmit(const pinion_model *m, pinion_work *w, const double *q, const pinion_actuator_info *a,
                            double f, double *room, double *to);

#endif
