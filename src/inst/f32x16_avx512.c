/* Every kernel over 16 states in one AVX-512 register, float. */
#ifndef __AVX512F__
#error "this file is compiled with the flags of AVX-512"
#endif
#define PN_PACK_F32
#define PN_LANES 16
#define PN_BACKEND pn_backend_f32x16_avx512
#define PN_ISA "avx512"
#define PN_STATES PN_LANES
#include "real/real_pack.h"
#include "kernel/all.inc"
