/* The polynomial sincos of both scalar contracts, and that of cores that have no double. */
#ifndef PN_TEST_SINCOS_H
#define PN_TEST_SINCOS_H

void sincos_f64(double x, double *s, double *c);
void sincos_f32(float x, float *s, float *c);
void sincos_float_only(float x, float *s, float *c); /* without double */

#endif
