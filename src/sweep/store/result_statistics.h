/* What a result says of all its runs together (docs/sweeps.md#statistics). */
#ifndef PN_SWEEP_RESULT_STATISTICS_H
#define PN_SWEEP_RESULT_STATISTICS_H

#include "sweep/store/result_layout.h"

typedef struct pn_statistics {
    pinion_sweep_summary *summary; /* of parameters, then of scalars */
    double *correlation;           /* [scalars][parameters] NaN where there is none */
    int sampled;                   /* parameters that have Sobol's indices; 0: the plan has none */
    int *which;                    /* [sampled] */
    double *indices;               /* [scalars][4][sampled]: first, its error, total, its error */
    uint64_t *groups;              /* [scalars] of which those are */
    uint64_t runs, failed;
    double failure[2]; /* the interval of the probability that a run fails */
} pn_statistics;

#define PN_CONFIDENCE 0.95 /* of that interval */

/* statistics_find.c: from the bytes of a file that has all numbers. 0, or the error number. To be released in any case.
 * scratch: what the paths of files that are not there begin with, for what grows with the runs. */
int pn_statistics_find(pn_statistics *x, const pinion_sweep *s, const pn_layout *l, const unsigned char *file,
                       const char *scratch, int threads);
void pn_statistics_free(pn_statistics *x);
/* hdf5_statistics.c: adds them to the file. */
pinion_status pn_statistics_put(const pn_statistics *x, const pinion_sweep *s, const char *path, pinion_error *err);

#endif
