#include "sweep/sample/distribution.h"

#include <math.h>

static const double root_half = 0.70710678118654752440, root_two_pi = 2.50662827463100050242;

void pn_normal_parts(double x, double *p, double *q)
{
    *p = 0.5 * erfc(-x * root_half);
    *q = 0.5 * erfc(x * root_half);
}

/* A first guess, then Halley's method, which triples the digits. Near the middle the difference of the two parts is
 * what is small and exact; in the tails it is the smaller part. */
double pn_normal_quantile(double p, double q)
{
    const int middle = p > 0.25 && q > 0.25;
    const double small = p < q ? p : q, y = p - q;
    double x;
    if (middle) { /* the first terms of the series of the inverse of erf */
        const double s = 0.88622692545275801365 * y, s2 = s * s;
        x = 1.41421356237309504880 * s * (1 + s2 * (1. / 3 + s2 * (7. / 30)));
    } else { /* the lower tail; a fit within 0.04 / x down to 1e-300 */
        const double t = sqrt(-2 * log(small));
        x = (2.1977269 + 0.25707081 * t) / (1 + t * (0.91843316 + 0.044787331 * t)) - t;
    }
    for (int i = 0; i < 5; i++) {
        const double density = exp(-0.5 * x * x) / root_two_pi;
        const double excess = middle ? 0.5 * (erf(x * root_half) - y) : 0.5 * erfc(-x * root_half) - small;
        const double newton = excess / density, step = newton / (1 + 0.5 * x * newton);
        x -= step;
        if (fabs(step) * (1 + fabs(x)) < 1e-6) break; /* the next one would be below 1e-17 */
    }
    return !middle && q < p ? -x : x;
}

/* How far the ends of a normal distribution are from its mean, in deviations. */
static void ends(const pn_distribution *d, double *low, double *high)
{
    if (d->kind == PN_LOG_NORMAL) {
        *low = d->low > 0 ? log(d->low / d->mean) / d->deviation : -INFINITY;
        *high = isfinite(d->high) ? log(d->high / d->mean) / d->deviation : INFINITY;
    } else {
        *low = (d->low - d->mean) / d->deviation;
        *high = (d->high - d->mean) / d->deviation;
    }
}

const char *pn_distribution_complaint(const pn_distribution *d)
{
    if (!(d->low < d->high)) return "low must be below high";
    if (d->kind == PN_UNIFORM || d->kind == PN_LOG_UNIFORM) {
        if (!isfinite(d->low) || !isfinite(d->high)) return "low and high must be finite";
        if (d->kind == PN_LOG_UNIFORM && !(d->low > 0)) return "low must be above zero where the logarithm is uniform";
        if (d->kind == PN_UNIFORM && !isfinite(d->high - d->low)) return "high - low must be finite";
        return NULL;
    }
    if (!isfinite(d->mean)) return d->kind == PN_NORMAL ? "the mean must be finite" : "the median must be finite";
    if (!(d->deviation > 0) || !isfinite(d->deviation)) return "the deviation must be above zero";
    if (d->kind == PN_LOG_NORMAL && !(d->mean > 0)) return "the median must be above zero";
    if (d->kind == PN_LOG_NORMAL && !(d->high > 0)) return "high must be above zero";
    double low, high, p[2], q[2];
    ends(d, &low, &high);
    pn_normal_parts(low, &p[0], &q[0]);
    pn_normal_parts(high, &p[1], &q[1]);
    /* what is left must be told apart from nothing */
    const double mass = p[0] < 0.5 ? p[1] - p[0] : q[0] - q[1];
    if (!(mass > 1e-290)) return "nothing of the distribution lies between low and high";
    return NULL;
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

double pn_distribution_quantile(const pn_distribution *d, double u, double v)
{
    if (d->kind == PN_UNIFORM) /* from the nearer end, which small numbers are near to */
        return clamp(u < v ? d->low + u * (d->high - d->low) : d->high - v * (d->high - d->low), d->low, d->high);
    if (d->kind == PN_LOG_UNIFORM) { /* in two steps, which even the largest ratio allows */
        const double step = pow(sqrt(d->high) / sqrt(d->low), u);
        return clamp(d->low * step * step, d->low, d->high);
    }
    double p = u, q = v;
    if (isfinite(d->low) || isfinite(d->high)) { /* sums of positive numbers: neither part loses digits */
        double low, high, p0, q0, p1, q1;
        ends(d, &low, &high);
        pn_normal_parts(low, &p0, &q0);
        pn_normal_parts(high, &p1, &q1);
        p = v * p0 + u * p1;
        q = v * q0 + u * q1;
    }
    const double z = pn_normal_quantile(p, q);
    const double x = d->kind == PN_NORMAL ? d->mean + d->deviation * z : d->mean * exp(d->deviation * z);
    return clamp(x, d->low, d->high);
}
