/* Every kernel over 4 states in one NEON register, float. */
#ifndef __ARM_NEON
#error "this file is compiled with the flags of NEON"
#endif
#define PN_PACK_F32
#define PN_LANES 4
#define PN_BACKEND pn_backend_f32x4_neon
#define PN_ISA "neon"
#define PN_STATES PN_LANES
#include "real/real_pack.h"
#include "kernel/all.inc"
