/* Sums of products that a processor can do several of at a time: the order is fixed, and so are the bits. */
#ifndef PN_CONTACT_SUMS_H
#define PN_CONTACT_SUMS_H

static inline double pn_dot_sum(int n, const double *a, const double *b)
{
    double s[4] = {0, 0, 0, 0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) s[k] += a[i + k] * b[i + k];
    for (; i < n; i++) s[0] += a[i] * b[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

#endif
