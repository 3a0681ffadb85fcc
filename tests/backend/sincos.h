/* The polynomial sincos of both scalar contracts, and that of cores that have no double. */
#ifndef PN_TEST_SINCOS_H
#define PN_TEST_SINCOS_H

/* as compiled with -Ofast and the like (CMakeLists.txt), under the names that end so */
#define PN_SINCOS_WAYS(DO) DO(fast) DO(associative) DO(unsafe) DO(finite)

void sincos_f64(double x, double *s, double *c);
void sincos_f32(float x, float *s, float *c);
void sincos_float_only(float x, float *s, float *c); /* without double */

#endif
