/* Every kernel over 8 states in one AVX-512 register, double. */
#ifndef __AVX512F__
#error "this file is compiled with the flags of AVX-512"
#endif
#define PN_PACK_F64
#define PN_LANES 8
#define PN_BACKEND pn_backend_f64x8_avx512
#define PN_ISA "avx512"
#define PN_STATES PN_LANES
#include "real/real_pack.h"
#include "kernel/all.inc"
