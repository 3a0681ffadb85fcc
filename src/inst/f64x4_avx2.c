/* Every kernel over 4 states in one AVX2 register, double. */
#ifndef __AVX2__
#error "this file is compiled with the flags of AVX2"
#endif
#define PN_PACK_F64
#define PN_LANES 4
#ifndef PN_FEW
#define PN_COMPLETE
#endif
#define PN_BACKEND pn_backend_f64x4_avx2
#define PN_ISA "avx2"
#define PN_STATES PN_LANES
#include "real/real_pack.h"
#include "kernel/all.inc"
