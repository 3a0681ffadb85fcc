/* Batches in single precision. */
#define PN_T float
#define PN_FN(name) name##_f32
#define PN_WORK(name) pinion_work_f32_##name
#define PN_BACKEND_OF(b) ((b)->f32)
#define PN_COMPLETE_OF(b) ((b)->complete_f32)
#define PN_WORK_OF(seat) ((seat)->work_f32)
#define PN_SCALAR pn_backend_f32
#define PN_OVER PN_OVER_F32_PACK
#define PN_UNIT_TOLERANCE 1e-3
#include "batch/batch.inc"
