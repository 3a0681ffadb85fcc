/* What the benchmarks time below the C API: kernels of the library, and parts of them. */
#ifndef PN_BENCH_H
#define PN_BENCH_H

#include "core/registry.h"
#include "pinion/pinion.h"

/* q: the direct kinematics as GDAHJ needs it, the pose of every body in the base, left in the workspace */
pn_kernel bench_kinematics;

#endif
