/* The contract's sincos over float as it is on cores without double, for test_sincos.c. */
#define PN_FLOAT_ONLY
#include "real/real_f32.h"
#include "sincos.h"

void sincos_float_only(float x, float *s, float *c)
{
    real_sincos(x, s, c);
}
