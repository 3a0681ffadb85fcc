/* The HDF5 library keeps state for the whole process and prints its errors unless told not to. All use of it
 * here is between these two, one thread at a time. Private to src/sim. */
#ifndef PN_SIM_HDF5_LOCK_H
#define PN_SIM_HDF5_LOCK_H

#include <hdf5.h>

typedef struct pn_hdf5 {
    H5E_auto2_t print; /* how errors were printed before */
    void *print_data;
    int failures; /* calls of the library that failed since, also those whose answer nobody looked at */
} pn_hdf5;

/* 0 when the library cannot be used; then pn_hdf5_end() must not be called. */
int pn_hdf5_begin(pn_hdf5 *h);
void pn_hdf5_end(pn_hdf5 *h);

/* Closes a file on disk; 0 when it could not be written whole. */
int pn_hdf5_close(hid_t file);

/* What files are made of. A type of strings of `size` bytes, padded with zeros; H5I_INVALID_HID on failure. */
hid_t pn_hdf5_string_type(size_t size);
/* An attribute of one value; 0 on failure. */
int pn_hdf5_put_attribute(hid_t object, const char *name, hid_t file_type, hid_t memory_type, const void *value);
/* A name as that of a dataset: '/' would make a group, "." is the group itself. `link`: 3 bytes for each, and 4. */
void pn_hdf5_link_name(const char *name, char *link);

#endif
