/* The result of a sweep from its journals. */
#ifndef PN_SWEEP_ASSEMBLE_H
#define PN_SWEEP_ASSEMBLE_H

#include <stdatomic.h>

#include "sweep/store/crew.h"
#include "sweep/store/journal.h"

/* Counts what the journals have of the runs from `first` on. */
typedef struct pn_tally_sheet {
    atomic_uchar *done; /* [count bits], filled up to whole eights */
    uint64_t first, count, runs, failures, rows;
    uint64_t again; /* records of runs that were there before */
    uint64_t outcome[PINION_SWEEP_OUTCOME_COUNT];
    uint64_t first_failed; /* the first of those whose outcome is a failure, and why */
    char why[PINION_SWEEP_WHY];
} pn_tally_sheet;

int pn_sheet_new(pn_tally_sheet *t, uint64_t first, uint64_t count); /* 0: out of memory */
void pn_sheet_free(pn_tally_sheet *t);
int pn_sheet_has(const pn_tally_sheet *t, uint64_t run);
/* Counts a run, unless it was there before: nonzero when it was not. Threads with sheets of their own may share `done`.
 */
int pn_sheet_count(pn_tally_sheet *t, const pinion_sweep_record *record);
/* Counts all records of the journals; of a run that is there more than once the first. */
pinion_status pn_sheet_count_all(pn_tally_sheet *t, int threads, int count, pn_journal_reader *journals,
                                 pinion_error *err);
/* What all processes of a team counted together, each in journals of its own. *whole: all runs are there, each once. */
pinion_status pn_sheet_join(pn_tally_sheet *t, const pn_crew *crew, int *whole, pinion_error *err);
/* From now on the first `count` runs alone count, of those that it was made for. */
void pn_sheet_limit(pn_tally_sheet *t, uint64_t count);
/* All that it is limited to are there. */
void pn_sheet_fill(pn_tally_sheet *t);

/* PINION_OK when all runs are there; else it says which is missing first. */
pinion_status pn_sheet_whole(const pn_tally_sheet *t, pinion_error *err);
/* A finished file takes the place of `path`, or is gone. */
pinion_status pn_take_place(const char *temporary, const char *path, pinion_error *err);

/* Writes the HDF5 file at `temporary`, which then takes the place of `path`. All runs must be there. The processes of a
 * team call it together, each with journals of its own, which have no run twice; `sheet` has what all have.
 * *torn: nothing failed and there is no result, since the file system lost what several processes wrote. */
pinion_status pn_assemble(const pinion_sweep *s, const pn_crew *crew, int count, pn_journal_reader *journals,
                          const pn_tally_sheet *sheet, const char *temporary, const char *path, int *torn,
                          pinion_error *err);
/* The file of a shard: all records of the journals behind one head. */
pinion_status pn_assemble_shard(const pinion_sweep *s, int count, pn_journal_reader *journals,
                                const pn_tally_sheet *sheet, const char *temporary, const char *path,
                                pinion_error *err);

#endif
