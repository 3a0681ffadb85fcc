/* Rollouts in double precision. */
#define PN_T double
#define PN_FN(name) name
#define PN_BACKEND_OF(b) ((b)->f64)
#define PN_UNIT_TOLERANCE 1e-6
#define PN_WORK_OF(seat) ((seat)->work_f64)
#define PN_MESSAGE_OF(seat) pinion_work_message(PN_WORK_OF(seat))
#include "batch/rollout.inc"
