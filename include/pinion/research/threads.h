/// Forward dynamics of one state on threads that OpenMP starts. parallel.h has the same without threads of its own, and
/// batch.h has many states on threads.
#ifndef PINION_THREADS_H
#define PINION_THREADS_H

#include "pinion/batch.h"
#include "pinion/research/parallel.h"

PINION_BEGIN

/// As pinion_forward_dynamics, by divide and conquer on `threads` threads, 1 or more; more than the machine can run at
/// once are not started. The result has the same bits for every number of them, unless SIMD lanes are on
/// (pinion_parallel_lanes): then rounding may differ in the last digits.
PINION_API PINION_CHECK pinion_status pinion_forward_dynamics_threads(pinion_parallel *p, int threads,
                                                                      const double *q, const double *v,
                                                                      const double *tau, const double *f_ext,
                                                                      double *a);

PINION_END

#endif
