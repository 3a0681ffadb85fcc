/* The contract's sincos over double, for test_sincos.c. */
#include "real/real_f64.h"
#include "sincos.h"

void sincos_f64(double x, double *s, double *c)
{
    real_sincos(x, s, c);
}
