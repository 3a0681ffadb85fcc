/* Which runs the journals of a sweep have; and the file of a shard, which is all their records behind one
 * head. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/store/assemble.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

int pn_sheet_new(pn_tally_sheet *t, uint64_t first, uint64_t count)
{
    *t = (pn_tally_sheet){.first = first, .count = count, .first_failed = UINT64_MAX};
    t->done = calloc((size_t)(count / 64) + 1, 8);
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
    if (record->run < t->first || k >= t->count) return 0;
    const unsigned char bit = (unsigned char)(1u << (k % 8));
    if (atomic_fetch_or_explicit(&t->done[k / 8], bit, memory_order_relaxed) & bit) {
        t->again++;
        return 0;
    }
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

/* ------------------------------------------------------------------------------------------------
 * All records */

/* A sheet of the same runs that has counted none yet; threads that count share their bits. */
static pn_tally_sheet begin_anew(const pn_tally_sheet *t)
{
    return (pn_tally_sheet){.done = t->done, .first = t->first, .count = t->count, .first_failed = UINT64_MAX};
}

static void add(pn_tally_sheet *t, const pn_tally_sheet *more)
{
    t->runs += more->runs;
    t->failures += more->failures;
    t->rows += more->rows;
    t->again += more->again;
    for (int i = 0; i < PINION_SWEEP_OUTCOME_COUNT; i++) t->outcome[i] += more->outcome[i];
    if (more->first_failed >= t->first_failed) return;
    t->first_failed = more->first_failed;
    memcpy(t->why, more->why, sizeof t->why);
}

typedef struct counting {
    pn_tally_sheet *sheet;
    pn_journal_reader *journals;
    int count;
    atomic_int next, failed;
    pthread_mutex_t mutex; /* guards the sheet, but for its bits */
} counting;

static void count_some(void *shared)
{
    counting *c = shared;
    pinion_sweep_record record;
    pn_tally_sheet own = begin_anew(c->sheet);
    for (int i; !c->failed && (i = atomic_fetch_add(&c->next, 1)) < c->count;) {
        int more;
        pn_journal_rewind(&c->journals[i]);
        while ((more = pn_journal_next(&c->journals[i], &record)) > 0) pn_sheet_count(&own, &record);
        if (more < 0) c->failed = 1;
    }
    pthread_mutex_lock(&c->mutex);
    add(c->sheet, &own);
    pthread_mutex_unlock(&c->mutex);
}

pinion_status pn_sheet_count_all(pn_tally_sheet *t, int threads, int count, pn_journal_reader *journals,
                                 pinion_error *err)
{
    counting c = {.sheet = t, .journals = journals, .count = count};
    if (pthread_mutex_init(&c.mutex, NULL) != 0)
        return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    pn_crew_work(threads < count ? threads : count, count_some, &c);
    pthread_mutex_destroy(&c.mutex);
    if (c.failed) return pn_journal_complain(journals, count, err);
    if (t->again == 0 || threads < 2) return PINION_OK;
    memset((void *)t->done, 0, 8 * ((size_t)(t->count / 64) + 1)); /* which is the first is a matter of order */
    *t = begin_anew(t);
    return pn_sheet_count_all(t, 1, count, journals, err);
}

static uint64_t bits_of(uint64_t word)
{
    uint64_t count = 0;
    for (; word; word &= word - 1) count++;
    return count;
}

/* Bits are added up as numbers: where one is there twice there is a carry, and fewer bits than were counted. */
static pinion_status join_bits(pn_tally_sheet *t, const pn_crew *crew, uint64_t *bits, pinion_error *err)
{
    const uint64_t words = t->count / 64 + 1;
    uint64_t *word = (uint64_t *)(void *)t->done;
    const pinion_status status = pn_crew_sum(crew, word, words, err);
    *bits = 0;
    for (uint64_t i = 0; i < words; i++) *bits += bits_of(word[i]);
    return status;
}

/* The first that failed of all. */
static pinion_status join_failed(pn_tally_sheet *t, const pn_crew *crew, pinion_error *err)
{
    enum { WORDS = (PINION_SWEEP_WHY + 7) / 8 };
    const int ranks = pn_crew_ranks(crew);
    uint64_t *found = calloc((size_t)ranks, sizeof *found), why[WORDS] = {0}, first = UINT64_MAX;
    pinion_status status = found ? PINION_OK : pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    status = pn_crew_agree(crew, status, err);
    if (status != PINION_OK) {
        free(found);
        return status;
    }
    if (crew->team) found[crew->team->rank] = t->first_failed;
    status = pn_crew_sum(crew, found, (uint64_t)ranks, err);
    for (int i = 0; i < ranks; i++)
        if (found[i] < first) first = found[i];
    if (first == t->first_failed) memcpy(why, t->why, sizeof t->why);
    if (status == PINION_OK) status = pn_crew_sum(crew, why, WORDS, err);
    memcpy(t->why, why, sizeof t->why);
    t->first_failed = first;
    free(found);
    return status;
}

pinion_status pn_sheet_join(pn_tally_sheet *t, const pn_crew *crew, int *whole, pinion_error *err)
{
    uint64_t numbers[4 + PINION_SWEEP_OUTCOME_COUNT] = {t->runs, t->failures, t->rows, t->again}, bits = 0;
    memcpy(numbers + 4, t->outcome, sizeof t->outcome);
    pinion_status status = pn_crew_sum(crew, numbers, 4 + PINION_SWEEP_OUTCOME_COUNT, err);
    if (status == PINION_OK) status = join_bits(t, crew, &bits, err);
    if (status == PINION_OK) status = join_failed(t, crew, err);
    t->runs = numbers[0];
    t->failures = numbers[1];
    t->rows = numbers[2];
    t->again = numbers[3];
    memcpy(t->outcome, numbers + 4, sizeof t->outcome);
    *whole = t->runs == t->count && bits == t->count && t->again == 0;
    return status;
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
