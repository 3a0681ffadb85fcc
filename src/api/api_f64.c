/* The C API in double precision. */
#define PN_T double
#define PN_FN(name) name
#define PN_WORK(name) pinion_work_##name
#define PN_OVER PN_OVER_F64
#define PN_USE pn_work_use_f64
#define PN_UNIT_TOLERANCE 1e-6
#define PN_WITH_ALGORITHMS
#include "api/api.inc"
