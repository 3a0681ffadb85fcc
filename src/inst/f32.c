/* Every kernel over float. */
#define PN_COMPLETE
#define PN_BACKEND pn_backend_f32
#define PN_ISA "scalar"
#define PN_STATES 1
#include "real/real_f32.h"
#include "kernel/all.inc"
