/* Rollouts in single precision. */
#define PN_T float
#define PN_FN(name) name##_f32
#define PN_BACKEND_OF(b) ((b)->f32)
#define PN_UNIT_TOLERANCE 1e-3
#define PN_WORK_OF(seat) ((seat)->work_f32)
#define PN_MESSAGE_OF(seat) pinion_work_f32_message(PN_WORK_OF(seat))
#include "batch/rollout.inc"
