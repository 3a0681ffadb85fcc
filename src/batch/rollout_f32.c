/* Rollouts in single precision. */
#define PN_T float
#define PN_FN(name) name##_f32
#define PN_BACKEND_OF(b) ((b)->f32)
#define PN_UNIT_TOLERANCE 1e-3
#include "batch/rollout.inc"
