/* Which bodies have an inertia of their own: what algorithms that invert it ask the registry for. */
#include "api/registry.h"
#define num double
#include "model/constants.inc"
#undef num

/* A principal second moment below this part of the trace about the body's origin counts as none: what is solved with
 * the inverse loses as many digits. */
#define LEAST 1e-6

/* Whether the 6 x 6 inertia has an inverse: a mass, and a second moment about the centre of mass with positive
 * pivots. */
static int has_inverse(const pn_link *L)
{
    const double *I = L->I, *h = L->h;
    if (!(L->m > 0)) return 0;
    const double x = h[0] / L->m, y = h[1] / L->m, z = h[2] / L->m;
    const double xx = I[0] - (h[1] * y + h[2] * z), yy = I[3] - (h[0] * x + h[2] * z);
    const double zz = I[5] - (h[0] * x + h[1] * y), least = LEAST * (I[0] + I[3] + I[5]);
    const double xy = I[1] + h[0] * y, xz = I[2] + h[0] * z, yz = I[4] + h[1] * z;
    if (!(xx > least)) return 0;
    const double second = yy - xy * xy / xx, mixed = yz - xy * xz / xx;
    return second > least && zz - xz * xz / xx - mixed * mixed / second > least;
}

int pn_singular_body(const pinion_model *m)
{
    const pn_link *links = (const pn_link *)(PN_AT_CONST(m, pn_head, m->f64) + 1);
    for (int i = 1; i < m->n.nodes; i++)
        if (!has_inverse(&links[i])) return i;
    return -1;
}
