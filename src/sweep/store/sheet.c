/* Which runs the journals of a sweep have; and the file of a shard, which is all their records behind one
 * head. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/store/assemble.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"

int pn_sheet_new(pn_tally_sheet *t, uint64_t first, uint64_t count)
{
    *t = (pn_tally_sheet){.first = first, .count = count, .first_failed = UINT64_MAX};
    t->done = calloc((size_t)(count / 8) + 1, 1);
    return t->done != NULL;
}

void pn_sheet_free(pn_tally_sheet *t)
{
    free(t->done);
    t->done = NULL;
}

int pn_sheet_has(const pn_tally_sheet *t, uint64_t run)
{
    const uint64_t k = run - t->first;
    return run >= t->first && k < t->count && (t->done[k / 8] >> (k % 8) & 1);
}

int pn_sheet_count(pn_tally_sheet *t, const pinion_sweep_record *record)
{
    const uint64_t k = record->run - t->first;
    if (record->run < t->first || k >= t->count || pn_sheet_has(t, record->run)) return 0;
    t->done[k / 8] |= (unsigned char)(1u << (k % 8));
    t->runs++;
    t->rows += record->rows;
    t->failures += record->outcome != PINION_SWEEP_COMPLETE;
    t->outcome[record->outcome]++;
    if (record->outcome > PINION_SWEEP_STOPPED && record->run < t->first_failed) {
        t->first_failed = record->run;
        snprintf(t->why, sizeof t->why, "%s", record->why);
    }
    return 1;
}

void pn_sheet_limit(pn_tally_sheet *t, uint64_t count)
{
    t->count = count;
    t->runs = 0;
    for (uint64_t k = 0; k < count; k++) t->runs += t->done[k / 8] >> (k % 8) & 1;
}

void pn_sheet_fill(pn_tally_sheet *t)
{
    for (uint64_t k = 0; k < t->count; k++) t->done[k / 8] |= (unsigned char)(1u << (k % 8));
    t->runs = t->count;
}

pinion_status pn_sheet_whole(const pn_tally_sheet *t, pinion_error *err)
{
    if (t->runs == t->count) return PINION_OK;
    uint64_t run = t->first;
    while (pn_sheet_has(t, run)) run++;
    return pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%llu of %llu runs are missing, run %llu first",
                        (unsigned long long)(t->count - t->runs), (unsigned long long)t->count,
                        (unsigned long long)run);
}

/* ------------------------------------------------------------------------------------------------ */

pinion_status pn_take_place(const char *temporary, const char *path, pinion_error *err)
{
    if (rename(temporary, path) == 0) return PINION_OK;
    const int number = errno;
    unlink(temporary);
    return pn_file_not_written(err, path, number);
}

pinion_status pn_assemble_shard(const pinion_sweep *s, int count, pn_journal_reader *journals,
                                const pn_tally_sheet *sheet, const char *temporary, const char *path,
                                pinion_error *err)
{
    pn_journal j = {.file = -1};
    pn_tally_sheet seen;
    pinion_sweep_record record;
    pinion_status status = pn_sheet_whole(sheet, err);
    if (status != PINION_OK) return status;
    if (!pn_sheet_new(&seen, sheet->first, sheet->count))
        return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    unlink(temporary);
    int number = pn_journal_create(&j, temporary, s, sheet->first, sheet->count), more = 0;
    for (int i = 0; i < count && !number && more >= 0; i++) {
        pn_journal_rewind(&journals[i]);
        while (!number && (more = pn_journal_next(&journals[i], &record)) > 0)
            if (pn_sheet_count(&seen, &record)) number = pn_journal_add(&j, &record, s->kept_count, 1);
    }
    if (!number && more >= 0) number = pn_journal_flush(&j, 1);
    pn_journal_close(&j);
    pn_sheet_free(&seen);
    if (!number && more >= 0) return pn_take_place(temporary, path, err);
    unlink(temporary);
    return more < 0 ? pn_journal_complain(journals, count, err) : pn_file_not_written(err, path, number);
}
