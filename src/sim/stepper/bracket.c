/* Where a quantity changes its sign, from values at instants: see bracket.h. */
#include "sim/stepper/bracket.h"

#include <math.h>

#define ROUNDS 200 /* never reached: bisection alone takes about 50 */

pinion_status pn_bracket_narrow(pn_quantity_fn *quantity, void *user, double width, pn_bracket *b)
{
    const int behind = pn_sign(b->at_high);
    int last = 0; /* the end that was moved last: -1 low, 1 high */
    double weight_low = b->at_low, weight_high = b->at_high;
    for (int round = 0; round < ROUNDS && b->high - b->low > width; round++) {
        /* the secant's zero, every third time the middle, never closer to an end than the width wanted */
        double t = 0.5 * (b->low + b->high), value;
        if (round % 3 != 2 && pn_sign(weight_low) == -behind) {
            t = b->low + (b->high - b->low) * (weight_low / (weight_low - weight_high));
            t = fmin(fmax(t, b->low + 0.5 * width), b->high - 0.5 * width);
        }
        if (!(t > b->low && t < b->high)) break; /* neighbouring numbers */
        pinion_status status = quantity(user, t, &value);
        if (status != PINION_OK) return status;

        /* an end that stays twice counts half (the Illinois rule) */
        const int end = pn_sign(value) == behind ? 1 : -1;
        if (end > 0) {
            b->high = t;
            weight_high = value;
            if (last == end) weight_low *= 0.5;
        } else {
            b->low = t;
            weight_low = value;
            if (last == end) weight_high *= 0.5;
        }
        last = end;
    }
    return PINION_OK;
}

pinion_status pn_bracket_dip(pn_quantity_fn *quantity, void *user, double low, double high, int side,
                             pn_bracket *dip, int *found)
{
    const double golden = 0.3819660112501051;
    double t[2] = {low + golden * (high - low), high - golden * (high - low)}, value[2];
    *found = 0;
    for (int i = 0; i < 2; i++) {
        pinion_status status = quantity(user, t[i], &value[i]);
        if (status != PINION_OK) return status;
    }
    for (int round = 0; round < 40; round++) {
        const int best = side * value[0] < side * value[1] ? 0 : 1;
        if (pn_sign(value[best]) == -side) {
            dip->low = dip->high = t[best];
            dip->at_low = dip->at_high = value[best];
            *found = 1;
            return PINION_OK;
        }

        /* keep the better of the two inside, and take a new one on its other side */
        if (best == 0)
            high = t[1];
        else
            low = t[0];
        t[1 - best] = t[best];
        value[1 - best] = value[best];
        t[best] = best == 0 ? low + golden * (high - low) : high - golden * (high - low);
        if (!(t[0] < t[1])) return PINION_OK;
        pinion_status status = quantity(user, t[best], &value[best]);
        if (status != PINION_OK) return status;
    }
    return PINION_OK;
}

int pn_may_dip(const double *y, size_t stride)
{
    const double a = y[0], b = y[stride], c = y[2 * stride];
    const double curve = 0.5 * (a + c) - b, slope = 0.5 * (c - a), side = pn_sign(b);
    if (pn_sign(a) != side || pn_sign(c) != side || !(side * curve > 0)) return 0;
    const double turn = -0.5 * slope / curve, lowest = b - 0.25 * slope * slope / curve;
    return fabs(turn) <= 1 && side * lowest < 0.2 * fmin(fabs(b), fmin(fabs(a), fabs(c)));
}
