/* Where the numbers of a sweep's result are in its file (docs/sweeps.md). */
#ifndef PN_SWEEP_LAYOUT_H
#define PN_SWEEP_LAYOUT_H

#include "sweep/plan/sweep_plan.h"

typedef struct pn_layout {
    uint64_t size;                            /* bytes of the file */
    uint64_t *parameters, *scalars, *columns; /* offsets of the datasets */
    uint64_t outcome, t_end, failure_index, failure_text, first;
    uint64_t runs, failures, rows; /* how many */
} pn_layout;

/* hdf5_layout.c: a new file with all but the numbers, and where these go. The memory of the layout is to be
 * released in any case. */
pinion_status pn_layout_create(pn_layout *l, const pinion_sweep *s, const char *path, uint64_t runs,
                               uint64_t failures, uint64_t rows, pinion_error *err);
/* Room for the offsets; 0: out of memory. */
int pn_layout_allocate(pn_layout *l, const pinion_sweep *s);
void pn_layout_free(pn_layout *l);

#endif
