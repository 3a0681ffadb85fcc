/* Every kernel over 2 states in one NEON register, double. */
#ifndef __ARM_NEON
#error "this file is compiled with the flags of NEON"
#endif
#define PN_PACK_F64
#define PN_LANES 2
#ifndef PN_FEW
#define PN_COMPLETE
#endif
#define PN_BACKEND pn_backend_f64x2_neon
#define PN_ISA "neon"
#define PN_STATES PN_LANES
#include "real/real_pack.h"
#include "kernel/all.inc"
