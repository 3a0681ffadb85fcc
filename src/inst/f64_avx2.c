/* Every kernel over double with AVX2: fused products and sums, three operands, more registers. */
#ifndef __AVX2__
#error "this file is compiled with the flags of AVX2"
#endif
#define PN_COMPLETE
#define PN_BACKEND pn_backend_f64_avx2
#define PN_ISA "avx2"
#define PN_STATES 1
#include "real/real_f64.h"
#include "kernel/all.inc"
