/* Inverse dynamics over polynomials in time: the joint forces of a motion and their first two derivatives by one run of
 * the recursion. No exceptions, no library of C++: the C linker links it. */
#include "real/real_taylor.h"
#include "kernel/taylor.h"

#pragma GCC diagnostic ignored "-Wunused-function" /* what other kernels need */
#include "kernel/problems.inc"
#include "kernel/inverse_dynamics/rnea.inc"

static_assert(sizeof(real) == sizeof(double[3]), "a polynomial is three numbers, as the caller has them");

void pn_taylor_inverse_dynamics(const pn_ctx *k, const pn_io *io)
{
    run_inverse_dynamics(k, io, rnea);
}
