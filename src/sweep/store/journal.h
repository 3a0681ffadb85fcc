/* The journal of a sweep (docs/sweeps.md): files of records with checksums, one for each worker. The file of
 * a shard is of the same kind. */
#ifndef PN_SWEEP_JOURNAL_H
#define PN_SWEEP_JOURNAL_H

#include <stdint.h>

#include "sweep/plan/sweep_plan.h"

/* ------------------------------------------------------------------------------------------------
 * Writing. These return 0 or the error number. */

typedef struct pn_journal {
    int file;
    char *path;
    pn_text waiting;        /* what is not written yet */
    double written, synced; /* s, when it last was */
} pn_journal;

/* A new file at `path`, which must not exist: EEXIST. `first` and `count`: the runs that may be in it. */
int pn_journal_create(pn_journal *j, const char *path, const pinion_sweep *s, uint64_t first, uint64_t count);
/* Adds a record, and writes what waits where that is much, or has waited long. */
int pn_journal_add(pn_journal *j, const pinion_sweep_record *record, int scalars, double now);
int pn_journal_flush(pn_journal *j, int sync);
/* Without writing what waits. */
void pn_journal_close(pn_journal *j);

/* ------------------------------------------------------------------------------------------------
 * Reading. Nothing of a file is trusted. */

typedef struct pn_journal_reader {
    int file;                /* -1: it is not being read */
    const char *path;        /* the caller's */
    uint64_t size, head, at; /* bytes of the file and its head; at: behind the last whole record */
    unsigned char *buffer;
    size_t filled, used, capacity;
    uint64_t place; /* of the buffer's beginning, in the file */
    int number;     /* why it could not be read, an error number of the system's; 0 */

    char identity[65], isa[16];
    uint64_t first, count;
    uint32_t scalars, columns;
    char *plan, *model, *names; /* texts; names: name and unit of each column, each with its final zero */
    size_t names_size;
} pn_journal_reader;

/* Reads the head. */
pinion_status pn_journal_open(pn_journal_reader *j, const char *path, pinion_error *err);
/* The next record after pn_journal_rewind(): 1; 0 at the end, or where what follows is not whole. -1 out of memory, or
 * when the system does not read, which pn_journal_complain() tells. The record belongs to the reader until the next
 * call. The file is open from pn_journal_rewind() to the end alone. */
int pn_journal_next(pn_journal_reader *j, pinion_sweep_record *record);
/* From the first record on. */
void pn_journal_rewind(pn_journal_reader *j);
/* What only one journal of a sweep needs to know: its plan and model. */
void pn_journal_forget_texts(pn_journal_reader *j);
void pn_journal_end(pn_journal_reader *j);
/* Why one of them answered -1. */
pinion_status pn_journal_complain(const pn_journal_reader *journals, int count, pinion_error *err);
/* plan_read.c: the plan in the head of a journal, as far as a result needs it: without the files it names. */
pinion_sweep *pn_sweep_of_journal(const pn_journal_reader *j, pinion_error *err);

#endif
