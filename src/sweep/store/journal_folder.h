/* The folder of a sweep's journals, and who may write in it. */
#ifndef PN_SWEEP_FOLDER_H
#define PN_SWEEP_FOLDER_H

#include "sweep/store/assemble.h"

typedef struct pn_folder {
    char *path;
    int lock; /* held while the sweep goes on; -1: none */
    pn_journal_reader *journals;
    int count;
    uint64_t next, stride; /* the number of this process's next journal, and from one to the next */
    uint64_t began;        /* the number of the first journal of this attempt */
} pn_folder;

/* Makes or takes up PATH.journal, for one process at a time. Journals of another sweep are refused. */
pinion_status pn_folder_open(pn_folder *f, const char *path, const pinion_sweep *s, pinion_error *err);
/* The same folder for another process of the team, which needs no lock; 0: out of memory. */
int pn_folder_join(pn_folder *f, const char *path);
/* A new journal in it; 0 or the error number, with the path in j. */
int pn_folder_journal(pn_folder *f, pn_journal *j, const pinion_sweep *s, uint64_t first, uint64_t count);
/* Opens all journals, in the order of their numbers. */
pinion_status pn_folder_read(pn_folder *f, const pinion_sweep *s, pinion_error *err);
/* Opens those of one process of a team: its own, and its part of those that earlier attempts left. */
pinion_status pn_folder_read_part(pn_folder *f, const pinion_sweep *s, int rank, int ranks, pinion_error *err);
/* A path in it, in new memory; NULL when out of memory. */
char *pn_folder_path(const pn_folder *f, const char *name);
/* Lets go of it; `finished`: it is removed. */
void pn_folder_close(pn_folder *f, int finished);

#endif
