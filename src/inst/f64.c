/* Every kernel over double. */
#define PN_COMPLETE
#define PN_BACKEND pn_backend_f64
#define PN_ISA "scalar"
#define PN_STATES 1
#include "real/real_f64.h"
#include "kernel/all.inc"
