/* Batches in double precision. */
#define PN_T double
#define PN_FN(name) name
#define PN_WORK(name) pinion_work_##name
#define PN_BACKEND_OF(b) ((b)->f64)
#define PN_COMPLETE_OF(b) ((b)->complete_f64)
#define PN_WORK_OF(seat) ((seat)->work_f64)
#define PN_SCALAR pn_backend_f64
#define PN_OVER PN_OVER_F64_PACK
#define PN_UNIT_TOLERANCE 1e-6
#define PN_WITH_ALGORITHMS
#include "batch/batch.inc"
