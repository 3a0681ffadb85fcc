/// Gains of PD controllers that nobody gave, and how hard given ones brake. Part of the library pinion_sim.
///
/// A controller that is asked every T seconds takes kd T / I of a joint's velocity in each period, and one that takes
/// more than twice of it makes it grow. Steps of a fixed length are such periods, too.
#ifndef PINION_GAINS_H
#define PINION_GAINS_H

#include "pinion/sim/sim.h"

PINION_BEGIN

enum { PINION_DEFAULT_KP = 100, PINION_DEFAULT_KD = 20 };

/// What gains take of a velocity between two instants at which they are asked.
typedef struct pinion_braking {
    double period; ///< s: how often they are asked; 0: as often as it takes, and then nothing else is said
    double most;   ///< what makes velocities grow: 2, by forces that are held; 2.78 where rk4 asks within its steps
    double taken;  ///< the largest part of a velocity that is taken in a period
    int velocity;  ///< which, -1: one of closed loops, whose joints brake each other
} pinion_braking;

/// Period and `most` of a simulation, the rest 0.
PINION_API pinion_braking pinion_control_braking(const pinion_sim_options *options);
/// The same with what a PD controller's kd takes at a state.
/// @param kd  [nv]
PINION_API PINION_CHECK pinion_status pinion_pd_braking(const pinion_model *m, const pinion_sim_options *options,
                                                        const double *q, const double *kd, pinion_braking *out);

/// Gains where kp and kd are NAN: PINION_DEFAULT_KP and PINION_DEFAULT_KD, or less where these would take more than
/// half of a velocity in a period, all joints together; critically damped then.
/// @param options  NULL: they are asked as often as it takes, or are no forces
/// @param kp, kd   [nv]
/// @param lowered  [size] which joints have less, as "wrist_1 100 and 3.32, wrist_2 80.5 and 0.95 and 2 more", "" none;
///                 NULL: not told
PINION_API PINION_CHECK pinion_status pinion_pd_gains(const pinion_model *m, const pinion_sim_options *options,
                                                      const double *q, double *kp, double *kd, char *lowered,
                                                      size_t size);

PINION_END

#endif
