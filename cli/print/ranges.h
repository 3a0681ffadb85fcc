/* Limits of a model for the columns of a result. */
#ifndef PN_CLI_RANGES_H
#define PN_CLI_RANGES_H

#include "pinion/sim/result.h"

typedef struct cli_range {
    double low, high;
} cli_range;

/* Those that a model, which may be NULL, has for each column, infinite where there is none; to be released with free().
 * NULL when out of memory. */
cli_range *pn_cli_ranges(const pinion_result *r, const pinion_model *m);

#endif
