/* Constants of sincos.inc for float. Coefficients: minimax on |r| <= 1.0005 pi/4, relative error 4e-9. */
#ifndef PN_SINCOS_CONSTANTS
#define PN_SINCOS_CONSTANTS

/* pi/2 in parts: all but the last have 8 bits, so that k times a part is exact while |k| < 2^16 */
enum { PN_PIO2_PARTS = 6, PN_SIN_TERMS = 3, PN_COS_TERMS = 3 };
static const num pn_pio2[] = {0x1.92p+0f, 0x1.fap-12f, 0x1.54p-20f, 0x1.1p-30f, 0x1.68p-39f, 0x1.84698ap-48f};
/* (sin r - r) / r^3 and (cos r - 1 + r^2/2) / r^4 in powers of r^2 */
static const num pn_sin[] = {-0x1.555546p-3f, 0x1.110734p-7f, -0x1.9941c2p-13f};
static const num pn_cos[] = {0x1.55554ap-5f, -0x1.6c0c86p-10f, 0x1.9a00cep-16f};
#define PN_ROUND 0x1.8p23f /* adding and taking it away again rounds to an integer */

#endif
