/* Constants of sincos.inc for float. Coefficients: minimax on |r| <= 1.0005 pi/4, relative error 4e-9. */
#ifndef PN_SINCOS_CONSTANTS
#define PN_SINCOS_CONSTANTS

enum { PN_SIN_TERMS = 3, PN_COS_TERMS = 3 };
/* (sin r - r) / r^3 and (cos r - 1 + r^2/2) / r^4 in powers of r^2 */
static const num pn_sin[] = {-0x1.555546p-3f, 0x1.110734p-7f, -0x1.9941c2p-13f};
static const num pn_cos[] = {0x1.55554ap-5f, -0x1.6c0c86p-10f, 0x1.9a00cep-16f};
#define PN_ROUND 0x1.8p23f /* adding it rounds to an integer */

/* r + e = x - k pi/2 (Cody & Waite). The difference is taken in double: in float, parts of pi/2 that are short enough
 * for exact products would be six. */
static inline real pn_reduce(real x, real k, real *e)
{
    const real_wide kd = real_widen(k);
    const real_wide d = (real_widen(x) - kd * 0x1.921fb544p+0) - kd * 0x1.0b4611a626331p-34;
    const real r = real_narrow(d);
    *e = real_narrow(d - real_widen(r));
    return r;
}

#endif
