/* Every kernel over __float128. */
#define PN_COMPLETE
#define PN_BACKEND instance_quad
#define PN_ISA "quad"
#define PN_STATES 1
#include "real/real_quad.h"
#include "kernel/all.inc"
