/* Batches in double precision. */
#define PN_T double
#define PN_FN(name) name
#define PN_BACKEND_OF(b) ((b)->f64)
#define PN_WORK(name) pinion_work_##name
#define PN_LOOPS_OF(b) ((b)->loops_f64)
#define PN_UNIT_TOLERANCE 1e-6
#include "batch.inc"
