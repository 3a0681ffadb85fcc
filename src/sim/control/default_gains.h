/* Gains of a PD controller that nobody gave. A controller that is sampled takes kd T / I of a joint's velocity in each
 * period T, and what takes more than twice of it makes it grow: these gains stay well below. Steps of a fixed length
 * are such periods, too. */
#ifndef PN_DEFAULT_GAINS_H
#define PN_DEFAULT_GAINS_H

#include "pinion/pinion.h"
#include "pinion/sim/sim.h"

enum { PN_DEFAULT_KP = 100, PN_DEFAULT_KD = 20 };

/* How often a controller is asked, s; 0: as often as it takes. */
double pn_gains_period(const pinion_sim_options *o);

/* Of each velocity that actuators drive what its kd takes of it in a period, for kd = 1: by itself, and the most with
 * the same of all others. `alone` and `all` are [nv], `inverse`, [nv][nv], becomes M^-1, that of the mechanism where
 * loops are closed. */
pinion_status pn_gains_answers(const pinion_model *m, const double *q, const double *v, double period, double *alone,
                               double *all, double *inverse);

/* Puts gains where kp and kd, [nv], are NaN; with `all` lower ones where a period asks for it, critical then. lowered,
 * [nv], says where. Returns how many are lower; `all` NULL: none. */
int pn_gains_settle(int nv, double period, const double *alone, const double *all, double *kp, double *kd,
                    unsigned char *lowered);

#endif
