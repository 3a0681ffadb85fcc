/* Every kernel over double with AVX-512: fused products and sums, three operands, more registers. */
#ifndef __AVX512F__
#error "this file is compiled with the flags of AVX-512"
#endif
#define PN_CONSTRAINED
#define PN_BACKEND pn_backend_f64_avx512
#define PN_ISA "avx512"
#define PN_STATES 1
#define PN_WIDE 8
#define PN_BROAD 8
#define PN_BROADS 16
#include "real/real_f64.h"
#include "kernel/all.inc"
