/* What a solution of a contact problem must satisfy, written for the tests alone: from G, g and mu, in plain loops. */
#ifndef PN_TEST_CONTACT_LAWS_H
#define PN_TEST_CONTACT_LAWS_H

#include <math.h>

typedef struct law_errors {
    double cone, dual, complementarity, dissipation;
} law_errors;

/* the largest over contacts of three rows, normal first; u = G lambda + g */
static inline law_errors law_check(int contacts, const double *G, const double *g, const double *mu,
                                   const double *lambda)
{
    law_errors e = {0, 0, 0, 0};
    const int n = 3 * contacts;
    for (int i = 0; i < contacts; i++) {
        long double u[3];
        const double *f = lambda + 3 * i;
        for (int k = 0; k < 3; k++) {
            u[k] = g[3 * i + k];
            for (int j = 0; j < n; j++) u[k] += (long double)G[(3 * i + k) * n + j] * lambda[j];
        }
        const double slip = (double)sqrtl(u[1] * u[1] + u[2] * u[2]);
        const double over[4] = {sqrt(f[1] * f[1] + f[2] * f[2]) - mu[i] * f[0], (double)-u[0],
                                fabs(f[0] * (double)u[0]),
                                fabs(mu[i] * f[0] * slip + (double)(f[1] * u[1] + f[2] * u[2]))};
        e.cone = fmax(e.cone, fmax(over[0], -f[0]));
        e.dual = fmax(e.dual, over[1]);
        e.complementarity = fmax(e.complementarity, over[2]);
        e.dissipation = fmax(e.dissipation, over[3]);
    }
    return e;
}

#endif
