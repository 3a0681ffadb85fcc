/// What can be said of all runs of a sweep together (docs/sweeps.md#statistics). Part of the library
/// pinion_sim. Sums are made in the order of the runs, so that they have the same bits however the runs were
/// made.
#ifndef PINION_SWEEP_STATISTICS_H
#define PINION_SWEEP_STATISTICS_H

#include "pinion/base.h"

PINION_BEGIN

enum { PINION_SWEEP_QUANTILES = 11, PINION_SWEEP_BINS = 64 };

/// The parts of the values below the quantiles: 0.1 %, 1 %, 2.5 %, 5 %, 25 %, 50 %, 75 %, 95 %, 97.5 %, 99
/// %, 99.9 %.
PINION_API const double *pinion_sweep_probabilities(void);

/// One number of all runs.
typedef struct pinion_sweep_summary {
    uint64_t count;                          ///< values that are finite, of runs that count
    double mean, deviation;                  ///< the deviation with count - 1; NaN below two values
    double error;                            ///< standard error of the mean, as if the runs were independent
    double minimum, maximum;                 ///< NaN without values
    double quantile[PINION_SWEEP_QUANTILES]; ///< linear between the two nearest values in order; exact
    uint64_t histogram[PINION_SWEEP_BINS];   ///< bins of one width from minimum to maximum
} pinion_sweep_summary;

/// @param x       [runs]
/// @param counts  [runs] nonzero: this run counts; NULL: all do
PINION_API PINION_CHECK pinion_status pinion_sweep_summarize(uint64_t runs, const double *x,
                                                             const unsigned char *counts,
                                                             pinion_sweep_summary *out);

/// Spearman's rank correlation of two numbers, ties with the mean of their ranks; NaN below three runs, or
/// where one of them is the same in all.
PINION_API PINION_CHECK pinion_status pinion_sweep_rank_correlation(uint64_t runs, const double *x,
                                                                    const double *y,
                                                                    const unsigned char *counts, double *out);

/// Sobol's indices of one number from a plan with "indices": how much of its variance a parameter explains by
/// itself, and with all others. Estimators of Saltelli and others 2010 and of Jansen 1999; errors are one
/// standard error.
/// @param runs        groups of parameters + 2 runs; a group with a run that does not count is left out
/// @param parameters  that are sampled
/// @param first, first_error, total, total_error  [parameters]
/// @param groups      may be NULL: how many counted
PINION_API PINION_CHECK pinion_status pinion_sweep_indices(uint64_t runs, const double *x,
                                                           const unsigned char *counts, int parameters,
                                                           double *first, double *first_error, double *total,
                                                           double *total_error, uint64_t *groups);

/// Wilson's interval of a probability of which `events` of `runs` trials are known.
/// @param confidence  of the interval, 0.95 say
/// @param interval    [2] its ends
PINION_API PINION_CHECK pinion_status pinion_sweep_probability(uint64_t runs, uint64_t events,
                                                               double confidence, double interval[2]);

PINION_END

#endif
