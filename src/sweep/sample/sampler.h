/* The samples of a sweep: sample i is a pure function of what the sampler was made of and of i. */
#ifndef PN_SAMPLER_H
#define PN_SAMPLER_H

#include "pinion/base.h"
#include "sweep/sample/distribution.h"

#include <stdint.h>

enum { PN_SAMPLER_MOST = 1024 }; /* dimensions: a sample's numbers are on the stack */

typedef enum pn_sampling { PN_SAMPLING_RANDOM, PN_SAMPLING_LATIN, PN_SAMPLING_SOBOL, PN_SAMPLING_HALTON } pn_sampling;

typedef struct pn_sampler_options {
    pn_sampling sampling;
    uint64_t seed;
    uint64_t count;         /* samples; of a design for indices: base samples (below) */
    int dimensions;         /* numbers a sample */
    const pn_distribution *distributions; /* one a dimension */
    const char *const *names;             /* for messages; may be NULL */
    /* Dimensions x dimensions, row-major: correlations of the normal variables that a Gaussian copula makes the values
     * of; for normal distributions these are the correlations of the values. NULL: independent. */
    const double *correlations;
    /* A design for Sobol's indices (A. Saltelli and others, Comput. Phys. Commun. 181, 2010): each base sample becomes
     * dimensions + 2 samples, one behind the other: A, B, and A with the value of B in one dimension, for each. */
    int indices;
} pn_sampler_options;

typedef struct pn_sampler pn_sampler;

/* NULL with err where the numbers make no sense: a distribution, a matrix that is none of correlations, too many
 * dimensions or samples for a sequence. */
pn_sampler *pn_sampler_new(const pn_sampler_options *options, pinion_error *err);
void pn_sampler_free(pn_sampler *s);

/* How many samples there are: count, or (dimensions + 2) count. */
uint64_t pn_sampler_count(const pn_sampler *s);

/* Sample `index`, below that count: x[dimensions]. Any number of threads at a time; allocates nothing. */
void pn_sampler_values(const pn_sampler *s, uint64_t index, double *x);

/* The correlation of two normal variables whose rank correlation (Spearman's) is given; and the other way round. */
double pn_correlation_of_rank(double rank);
double pn_rank_of_correlation(double correlation);

/* Value k of n that lie evenly from low to high, both of which are among them; or evenly by their logarithms. */
double pn_grid_value(double low, double high, uint64_t n, uint64_t k, int logarithmic);

#endif
