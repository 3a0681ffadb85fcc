/* Polynomials of degree four, a[0] + a[1] x + ... + a[4] x^4: what a gear and MJCF's constraints of joints are. */
#ifndef PN_QUARTIC_H
#define PN_QUARTIC_H

static inline double pn_quartic_at(const double a[5], double x)
{
    return a[0] + x * (a[1] + x * (a[2] + x * (a[3] + x * a[4])));
}

/* a becomes the polynomial of which x is counted from `from`: what it was at x + from it is at x. */
static inline void pn_quartic_shift(double a[5], double from)
{
    for (int i = 0; i < 4; i++)
        for (int j = 3; j >= i; j--) a[j] += from * a[j + 1];
}

#endif
