/* Constants of sincos.inc for double. Coefficients: minimax on |r| <= 1.0005 pi/4, relative error 4e-18. */
#ifndef PN_SINCOS_CONSTANTS
#define PN_SINCOS_CONSTANTS

/* pi/2 in parts: the first two have 33 bits, so that k times a part is exact while |k| < 2^20 */
enum { PN_SIN_TERMS = 6, PN_COS_TERMS = 6 };
static const num pn_pio2[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
/* (sin r - r) / r^3 and (cos r - 1 + r^2/2) / r^4 in powers of r^2 */
static const num pn_sin[] = {-0x1.5555555555548p-3, 0x1.111111110f7aap-7,   -0x1.a01a019bf9144p-13,
                             0x1.71de356381760p-19, -0x1.ae5e571b2ff92p-26, 0x1.5d8ecb1e0bd97p-33};
static const num pn_cos[] = {0x1.555555555554cp-5,   -0x1.6c16c16c15162p-10, 0x1.a01a019caef38p-16,
                             -0x1.27e4f807d61fcp-22, 0x1.1ee9ea6cbaa5ap-29,  -0x1.8fadd06a6f76bp-37};
#define PN_ROUND 0x1.8p52           /* adding it rounds to an integer */
#define PN_SIZE 0x7fffffffffffffffu /* all bits but the sign's */

/* r + e = x - k pi/2 (Cody & Waite). x - k P0 is exact. The error of the next difference is found as in Dekker's fast
 * sum, which is right here: where the subtrahend is the larger one, the difference has at most 52 bits and no error. */
static inline real pn_hold(real x, real integer); /* sincos.inc */
static inline real pn_reduce(real x, real k, real integer, real *e)
{
    const real r0 = pn_hold(x - k * pn_pio2[0], integer);
    const real t = k * pn_pio2[1];
    const real r1 = r0 - t;
    const real rest = ((r0 - r1) - t) - k * pn_pio2[2];
    const real r = r1 + rest;
    *e = (r1 - r) + rest;
    return r;
}

#endif
