/* The HDF5 library keeps state for the whole process and prints its errors unless told not to. All use of it
 * here is between these two, one thread at a time. Private to src/sim. */
#ifndef PN_SIM_HDF5_LOCK_H
#define PN_SIM_HDF5_LOCK_H

#include <hdf5.h>

typedef struct pn_hdf5 {
    H5E_auto2_t print; /* how errors were printed before */
    void *print_data;
} pn_hdf5;

/* 0 when the library cannot be used; then pn_hdf5_end() must not be called. */
int pn_hdf5_begin(pn_hdf5 *h);
void pn_hdf5_end(pn_hdf5 *h);

#endif
