/* The result of a sweep from its journals. */
#ifndef PN_SWEEP_ASSEMBLE_H
#define PN_SWEEP_ASSEMBLE_H

#include "sweep/store/journal.h"

/* Counts what the journals have of the runs from `first` on. */
typedef struct pn_tally_sheet {
    unsigned char *done; /* [count bits] */
    uint64_t first, count, runs, failures, rows;
    uint64_t outcome[PINION_SWEEP_OUTCOME_COUNT];
    uint64_t first_failed; /* the first of those whose outcome is a failure, and why */
    char why[PINION_SWEEP_WHY];
} pn_tally_sheet;

int pn_sheet_new(pn_tally_sheet *t, uint64_t first, uint64_t count); /* 0: out of memory */
void pn_sheet_free(pn_tally_sheet *t);
int pn_sheet_has(const pn_tally_sheet *t, uint64_t run);
/* Counts a run, unless it was there before: nonzero when it was not. */
int pn_sheet_count(pn_tally_sheet *t, const pinion_sweep_record *record);
/* From now on the first `count` runs alone count, of those that it was made for. */
void pn_sheet_limit(pn_tally_sheet *t, uint64_t count);
/* All that it is limited to are there. */
void pn_sheet_fill(pn_tally_sheet *t);

/* PINION_OK when all runs are there; else it says which is missing first. */
pinion_status pn_sheet_whole(const pn_tally_sheet *t, pinion_error *err);
/* A finished file takes the place of `path`, or is gone. */
pinion_status pn_take_place(const char *temporary, const char *path, pinion_error *err);

/* Writes the HDF5 file at `temporary`, which then takes the place of `path`. All runs must be there. */
pinion_status pn_assemble(const pinion_sweep *s, int count, pn_journal_reader *journals,
                          const pn_tally_sheet *sheet, const char *temporary, const char *path,
                          pinion_error *err);
/* The file of a shard: all records of the journals behind one head. */
pinion_status pn_assemble_shard(const pinion_sweep *s, int count, pn_journal_reader *journals,
                                const pn_tally_sheet *sheet, const char *temporary, const char *path,
                                pinion_error *err);

#endif
