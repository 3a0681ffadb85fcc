/* The C API in single precision. */
#define PN_T float
#define PN_FN(name) name##_f32
#define PN_WORK(name) pinion_work_f32_##name
#define PN_OVER PN_OVER_F32
#define PN_USE pn_work_use_f32
#define PN_UNIT_TOLERANCE 1e-3
#include "api/api.inc"
