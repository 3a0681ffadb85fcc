/* Rollouts in double precision. */
#define PN_T double
#define PN_FN(name) name
#define PN_BACKEND_OF(b) ((b)->f64)
#define PN_UNIT_TOLERANCE 1e-6
#include "batch/rollout.inc"
