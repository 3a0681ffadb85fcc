/* Every kernel over 4 states in one SSE2 register, float. */
#ifndef __SSE2__
#error "this file is compiled with the flags of SSE2"
#endif
#define PN_PACK_F32
#define PN_LANES 4
#define PN_BACKEND pn_backend_f32x4_sse2
#define PN_ISA "sse2"
#define PN_STATES PN_LANES
#include "real/real_pack.h"
#include "kernel/all.inc"
