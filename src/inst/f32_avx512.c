/* Every kernel over float with AVX-512: fused products and sums, three operands, more registers. */
#ifndef __AVX512F__
#error "this file is compiled with the flags of AVX-512"
#endif
#define PN_BACKEND pn_backend_f32_avx512
#define PN_ISA "avx512"
#define PN_STATES 1
#define PN_BROAD 16
#define PN_BROADS 8
#include "real/real_f32.h"
#include "kernel/all.inc"
