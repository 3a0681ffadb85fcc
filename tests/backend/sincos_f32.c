/* The contract's sincos over float, for test_sincos.c. */
#include "real/real_f32.h"
#include "sincos.h"

void sincos_f32(float x, float *s, float *c)
{
    real_sincos(x, s, c);
}
