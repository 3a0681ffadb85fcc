/* Distributions of one number, by the inverse of their distribution function. */
#ifndef PN_DISTRIBUTION_H
#define PN_DISTRIBUTION_H

#include <stddef.h>

typedef enum pn_distribution_kind {
    PN_UNIFORM,     /* between low and high */
    PN_LOG_UNIFORM, /* its logarithm is uniform; 0 < low */
    PN_NORMAL,      /* mean and deviation; only between low and high, where these are finite */
    PN_LOG_NORMAL   /* the median is `mean`, the logarithm's standard deviation `deviation`; low and high likewise */
} pn_distribution_kind;

typedef struct pn_distribution {
    pn_distribution_kind kind;
    double low, high; /* -INFINITY and INFINITY: not cut off */
    double mean, deviation;
} pn_distribution;

/* NULL where the numbers make a distribution, else what is wrong: "low must be below high". */
const char *pn_distribution_complaint(const pn_distribution *d);

/* The value below which a part u of all values lies, 0 < u < 1; v is 1 - u, which knows more digits where u is near 1.
 * Within a few units in the last place of the exact one for these u and v. Never outside of low and high. */
double pn_distribution_quantile(const pn_distribution *d, double u, double v);

/* The normal distribution: how much lies below x, and above; and the x below which p and above which q lie. */
void pn_normal_parts(double x, double *p, double *q);
double pn_normal_quantile(double p, double q);

#endif
