/* Every kernel over 8 states in one AVX2 register, float. */
#ifndef __AVX2__
#error "this file is compiled with the flags of AVX2"
#endif
#define PN_PACK_F32
#define PN_LANES 8
#define PN_BACKEND pn_backend_f32x8_avx2
#define PN_ISA "avx2"
#define PN_STATES PN_LANES
#include "real/real_pack.h"
#include "kernel/all.inc"
