/* Constants of sincos.inc for double. Coefficients: minimax on |r| <= 1.0005 pi/4, relative error 4e-18. */
#ifndef PN_SINCOS_CONSTANTS
#define PN_SINCOS_CONSTANTS

/* pi/2 in parts: the first two have 33 bits, so that k times a part is exact while |k| < 2^20 */
enum { PN_PIO2_PARTS = 3, PN_SIN_TERMS = 6, PN_COS_TERMS = 6 };
static const num pn_pio2[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
/* (sin r - r) / r^3 and (cos r - 1 + r^2/2) / r^4 in powers of r^2 */
static const num pn_sin[] = {-0x1.5555555555548p-3, 0x1.111111110f7aap-7,   -0x1.a01a019bf9144p-13,
                             0x1.71de356381760p-19, -0x1.ae5e571b2ff92p-26, 0x1.5d8ecb1e0bd97p-33};
static const num pn_cos[] = {0x1.555555555554cp-5,   -0x1.6c16c16c15162p-10, 0x1.a01a019caef38p-16,
                             -0x1.27e4f807d61fcp-22, 0x1.1ee9ea6cbaa5ap-29,  -0x1.8fadd06a6f76bp-37};
#define PN_ROUND 0x1.8p52 /* adding and taking it away again rounds to an integer */

#endif
