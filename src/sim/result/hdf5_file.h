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
    uint64_t at;      /* 0: a link to elsewhere, which is not followed */
    uint64_t name_at; /* in the group's names */
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

/* For hdf5_group.c and hdf5_links.c. A number with its low byte first. */
uint64_t pn_h5_number(const unsigned char *bytes, int count);
/* Reads from a place in the file; 0 when it is not all there, or when more was read than the file has. */
int pn_h5_fetch(pn_h5 *h, uint64_t at, uint64_t size, void *bytes);
/* The same in memory that grows to `before + size` bytes. */
int pn_h5_fetch_behind(pn_h5 *h, uint64_t at, uint64_t size, unsigned char **bytes, size_t before);
/* The next message of an object: its type, and its data; 0 at the end. `*place` starts with 0. */
int pn_h5_message(const pn_h5_object *o, size_t *place, unsigned *type, unsigned *flags,
                  const unsigned char **data, size_t *size);
/* The data of the object's only message of a type, which is no reference to one elsewhere; NULL when there is
 * none. */
const unsigned char *pn_h5_find_message(const pn_h5_object *o, unsigned type, size_t *size);
/* Members of a group of the later kind, where names stay offsets; 0 when they cannot be read. */
int pn_h5_links_read(pn_h5 *h, const pn_h5_object *o, const unsigned char *info, size_t size, int most,
                     pn_h5_group *g);
/* What messages are about. */
enum {
    PN_H5_DATASPACE = 1,
    PN_H5_LINK_INFO = 2,
    PN_H5_DATATYPE = 3,
    PN_H5_LINK = 6,
    PN_H5_EXTERNAL_FILES = 7,
    PN_H5_LAYOUT = 8,
    PN_H5_FILTERS = 11,
    PN_H5_ATTRIBUTE = 12,
    PN_H5_CONTINUATION = 16,
    PN_H5_SYMBOL_TABLE = 17
};
enum { PN_H5_NAME_MAX = 4096 }; /* bytes of a member's name, with its end: a column's is the longest */

#endif
