/* Where a quantity changes its sign, from values at instants. */
#ifndef PN_SIM_BRACKET_H
#define PN_SIM_BRACKET_H

#include "pinion/base.h"

#include <stddef.h>

/* The quantity at a time. */
typedef pinion_status pn_quantity_fn(void *user, double t, double *value);

/* An interval at whose two ends a quantity is known. */
typedef struct pn_bracket {
    double low, high; /* time */
    double at_low, at_high;
} pn_bracket;

static inline int pn_sign(double x)
{
    return (x > 0) - (x < 0);
}

/* Narrows a bracket with opposite signs (or 0 at its low end) down to the crossing; its high end is behind
 * it. */
pinion_status pn_bracket_narrow(pn_quantity_fn *quantity, void *user, double width, pn_bracket *b);
/* Searches between two instants for one where a quantity of the given sign has the other sign, by golden
 * sections towards the smallest magnitude. Sets *found. */
pinion_status pn_bracket_dip(pn_quantity_fn *quantity, void *user, double low, double high, int side, pn_bracket *dip,
                             int *found);
/* Whether the parabola through three equidistant values of one sign turns near or beyond zero between the
 * outer. */
int pn_may_dip(const double *y, size_t stride);

#endif
