/* The part of the HDF5 file format that results are written in (docs/results.md), read without the HDF5
 * library, which does not survive every file made to break it. Nothing here trusts the file: every address is
 * checked, nothing is followed out of the file, and no byte counts more than once, so that neither time nor
 * memory exceed what a file of its size may take. Private to src/sim. */
#ifndef PN_SIM_HDF5_FILE_H
#define PN_SIM_HDF5_FILE_H

#include <stddef.h>
#include <stdint.h>

typedef struct pn_h5 {
    int file;             /* open for reading */
    uint64_t size, left;  /* bytes of the file, and how many of them may still be read */
    uint64_t root;        /* where its first group is */
    int spent, no_memory; /* why something was not read, other than that it is not there or not as expected */
} pn_h5;

/* What is in a group, a dataset or the root. */
typedef struct pn_h5_object {
    unsigned char *bytes; /* its messages, one behind the other */
    size_t size;
} pn_h5_object;

/* The members of a group, sorted by name. */
typedef struct pn_h5_member {
    const char *name;
    uint64_t at;
} pn_h5_member;
typedef struct pn_h5_group {
    char *names;
    pn_h5_member *member;
    int count;
} pn_h5_group;

/* Numbers or texts, of a dataset or an attribute. */
typedef enum pn_h5_kind { PN_H5_OTHER, PN_H5_DOUBLE, PN_H5_STRING, PN_H5_INTEGER } pn_h5_kind;
typedef struct pn_h5_data {
    pn_h5_kind kind;
    int rank;                  /* 0 or 1 */
    uint64_t count;            /* of elements */
    size_t width;              /* bytes of an element */
    int high_first;            /* the order of the bytes of a number */
    uint64_t at;               /* where in the file they are, for a dataset */
    const unsigned char *here; /* or here, in the object */
} pn_h5_data;

/* Each returns NULL when it is done, else what is wrong, or 0 when there is no such thing. */
const char *pn_h5_open(pn_h5 *h, const char *path);
void pn_h5_close(pn_h5 *h);

int pn_h5_object_read(pn_h5 *h, uint64_t at, pn_h5_object *o);
void pn_h5_object_free(pn_h5_object *o);
/* At most `most` members; 0 also for what is no group. */
int pn_h5_group_read(pn_h5 *h, const pn_h5_object *o, int most, pn_h5_group *g);
/* Whether it is a group of the kind that came with version 1.8 of the library. */
int pn_h5_group_is_newer(const pn_h5_object *o);
void pn_h5_group_free(pn_h5_group *g);
/* The member's address; 0 when there is none of that name. */
uint64_t pn_h5_group_find(const pn_h5_group *g, const char *name);

/* What the object, a dataset, has. It lives as long as the object. 0 when it is none, or stored in other
 * ways. */
int pn_h5_dataset(const pn_h5 *h, const pn_h5_object *o, pn_h5_data *d);
int pn_h5_attribute(const pn_h5_object *o, const char *name, pn_h5_data *d);
/* The elements, count times width bytes. */
int pn_h5_read(pn_h5 *h, const pn_h5_data *d, void *bytes);
/* The same as numbers; the kind is PN_H5_DOUBLE. */
int pn_h5_read_doubles(pn_h5 *h, const pn_h5_data *d, double *values);

#endif
