/* The kernel over polynomials in time (real/real_taylor.h), whose numbers are three doubles each. It is there where a
 * compiler for C++ is. */
#ifndef PN_TAYLOR_H
#define PN_TAYLOR_H

#include "kernel/kernel.h"

enum { PN_TAYLOR = 3 };

#ifdef __cplusplus
extern "C" {
#endif
/* q, v, a -> tau, as inverse dynamics has them, all of them polynomials */
void pn_taylor_inverse_dynamics(const pn_ctx *k, const pn_io *io);
#ifdef __cplusplus
}
#endif

#endif
