/* Every kernel over double _Complex. */
#define PN_COMPLETE
#define PN_BACKEND instance_complex
#define PN_ISA "complex"
#define PN_STATES 1
#include "real/real_complex.h"
#include "kernel/all.inc"
