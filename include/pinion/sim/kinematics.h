/// Inverse kinematics: the configuration that puts a frame where it is wanted. Part of the library pinion_sim.
#ifndef PINION_KINEMATICS_H
#define PINION_KINEMATICS_H

#include "pinion/dynamics.h"

PINION_BEGIN

/// Get one from pinion_ik_options_default().
typedef struct pinion_ik_options {
    double position_tolerance;    ///< m, default 1e-10
    double orientation_tolerance; ///< rad, default 1e-10
    double weight[6];             ///< angular first, world axes; 0 leaves that direction free; default all 1
    int iterations;               ///< at most, from each start, with new tries when stuck; default 200
    int starts;                   ///< the given one, then random ones within the limits; default 20
    int limits;                   ///< nonzero (default): coordinates stay within the joints' limits
    uint64_t seed;                ///< of the random starts
    uint32_t cookie;
} pinion_ik_options;

typedef struct pinion_ik_report {
    int converged;
    int starts, iterations;    ///< how many were used, in all
    double position_error;     ///< m, of the answer, over the directions that have a weight
    double orientation_error;  ///< rad, likewise
} pinion_ik_report;

/// The defaults named above.
PINION_API pinion_ik_options pinion_ik_options_default(void);

/// Damped least squares. The answer is the first start that converges; when none does, the best that was seen,
/// with PINION_ERR_CONVERGENCE. Closed loops are closed in the answer, with their laws of time at t = 0.
/// @param target   where the frame is to be, in the world
/// @param options  NULL for the defaults
/// @param q        [nq] in: the first start; out: the answer
/// @param report   may be NULL
PINION_API PINION_CHECK pinion_status pinion_inverse_kinematics(const pinion_model *m, pinion_work *w, int frame,
                                                                const pinion_pose *target,
                                                                const pinion_ik_options *options, double *q,
                                                                pinion_ik_report *report);

PINION_END

#endif
