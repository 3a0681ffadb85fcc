/* Memory that grows with the runs of a sweep: of the heap while it is little, else of a file without a name, which the
 * system keeps in memory as far as there is room for it. */
#ifndef PN_SWEEP_SCRATCH_H
#define PN_SWEEP_SCRATCH_H

#include <stddef.h>

typedef struct pn_scratch {
    unsigned char *at; /* NULL: none */
    size_t size, used;
    int mapped;
} pn_scratch;

/* So many bytes; `path` is of a file that is not there, where one is needed. 0, or the error number. */
int pn_scratch_open(pn_scratch *s, size_t size, const char *path);
/* A part of it, for numbers of up to 16 bytes; NULL: there is no more. */
void *pn_scratch_take(pn_scratch *s, size_t size);
void pn_scratch_close(pn_scratch *s);

#endif
