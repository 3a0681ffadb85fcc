/* A sweep from its plan to its file, and one file of the files of shards. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/run/engine.h"
#include "sweep/store/journal_folder.h"
#include "sweep/store/stopping.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

#define COOKIE 0x73776565u

#ifdef PN_NO_HDF5
/* In the place of assemble.c. */
pinion_status pn_assemble(const pinion_sweep *s, const pn_crew *crew, int count, pn_journal_reader *journals,
                          const pn_tally_sheet *sheet, const char *temporary, const char *path, int *torn,
                          pinion_error *err)
{
    (void)s, (void)crew, (void)count, (void)journals, (void)sheet, (void)temporary, (void)torn;
    return pn_error_set(err, PINION_ERR_UNSUPPORTED, path, 0, 0, "HDF5 is not part of this build");
}
#endif

pinion_sweep_options pinion_sweep_options_default(void)
{
    return (pinion_sweep_options){.shards = 1, .cookie = COOKIE};
}

static const char *complaint(const pinion_sweep *s, const char *path, const pinion_sweep_options *o)
{
    if (!s || !path) return s ? "the path is missing" : "the plan is missing";
    if (!*path) return "the path is empty";
    if (o->cookie != COOKIE) return "the options were not started from pinion_sweep_options_default()";
    if (o->shards < 1 || o->shard < 0 || o->shard >= o->shards) return "there is no such shard";
    return NULL;
}

/* The runs of a shard: as many as of any other, or one less. */
static void range(const pinion_sweep *s, const pinion_sweep_options *o, uint64_t *first, uint64_t *count)
{
    const uint64_t runs = pinion_sweep_count(s), n = (uint64_t)o->shards, k = (uint64_t)o->shard,
                   each = runs / n, rest = runs % n;
    *first = k * each + (k < rest ? k : rest);
    *count = each + (k < rest);
}

static void tell(const pn_tally_sheet *sheet, pinion_sweep_state *state)
{
    state->runs = sheet->count;
    state->done = sheet->runs;
    memcpy(state->outcome, sheet->outcome, sizeof state->outcome);
    state->first_failed = sheet->first_failed;
    memcpy(state->why, sheet->why, sizeof state->why);
}

/* ------------------------------------------------------------------------------------------------
 * A team: rank 0 has the folder's lock and reads what there is */

static pn_crew crew_of(const pinion_sweep_options *o)
{
    return (pn_crew){pn_crew_threads(o->threads), o->team};
}

/* What was done before, and which journal is the next, from rank 0. */
static pinion_status share_start(const pn_crew *crew, pn_folder *f, pn_tally_sheet *sheet, pinion_error *err)
{
    uint64_t numbers[2] = {f->next, sheet->runs};
    if (!crew->team) return PINION_OK;
    const pinion_status status = pn_crew_share(crew, numbers, sizeof numbers, err);
    f->began = numbers[0];
    f->next = numbers[0] + (uint64_t)crew->team->rank;
    f->stride = (uint64_t)crew->team->ranks;
    sheet->runs = numbers[1];
    if (status != PINION_OK || sheet->runs == 0) return status;
    return pn_crew_share(crew, (void *)sheet->done, (size_t)(sheet->count / 8) + 1, err);
}

/* How many runs ended how, with those of all. */
static pinion_status add_up(const pn_crew *crew, pinion_sweep_state *state, pinion_error *err)
{
    if (!crew->team) return PINION_OK;
    const pinion_status status = pn_crew_sum(crew, state->outcome, PINION_SWEEP_OUTCOME_COUNT, err);
    state->done = 0;
    for (int i = 0; i < PINION_SWEEP_OUTCOME_COUNT; i++) state->done += state->outcome[i];
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

/* Where the result goes, in new memory: behind links, so that it is made beside the file that it takes the place of. A
 * device is not replaced by a file, and cannot be one. */
static pinion_status find_place(const char *path, char **place, pinion_error *err)
{
    struct stat there;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return pn_error_set(err, PINION_ERR_FILE, path, 0, 0, "cannot be written: it is no plain file");
    *place = pn_file_behind_links(path);
    return *place ? PINION_OK : pn_file_not_written(err, path, errno);
}

/* The folder and what earlier attempts left there. */
static pinion_status begin(const pinion_sweep *s, const char *path, char **place, const pinion_sweep_options *o,
                           pn_folder *f, pn_tally_sheet *sheet, pinion_sweep_state *state, pinion_error *err)
{
    const pn_crew crew = crew_of(o);
    pinion_status status = find_place(path, place, err);
    uint64_t first = 0, count = 0;
    range(s, o, &first, &count);
    if (!pn_sheet_new(sheet, first, count))
        status = pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    if (status == PINION_OK && pn_crew_first(&crew)) {
        status = pn_folder_open(f, *place, s, err);
        if (status == PINION_OK) status = pn_sheet_count_all(sheet, crew.threads, f->count, f->journals, err);
    } else if (status == PINION_OK && !pn_folder_join(f, *place)) {
        status = pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    }
    status = pn_crew_agree(&crew, status, err);
    if (status == PINION_OK) status = share_start(&crew, f, sheet, err);
    tell(sheet, state);
    state->planned = sheet->count;
    state->resumed = sheet->runs;
    return status;
}

/* Makes the runs of the sheet that are not there, all processes together. */
static pinion_status make_runs(const pinion_sweep *s, const pinion_sweep_options *o, pn_folder *f,
                               const pn_tally_sheet *sheet, pinion_sweep_state *state, pinion_error *err)
{
    const pn_crew crew = crew_of(o);
    return pn_crew_agree(&crew, sheet->runs < sheet->count ? pn_engine(s, f, sheet, o, state, err) : PINION_OK, err);
}

/* Whether the runs so far are enough, which rank 0 knows; what it decides all do. */
static pinion_status look(const pinion_sweep *s, const pinion_sweep_options *o, pn_folder *f, uint64_t n, int *enough,
                          pinion_error *err)
{
    const pn_crew crew = crew_of(o);
    pinion_status status = PINION_OK;
    const uint64_t next = f->next; /* journals of the others are no reason to number this process's otherwise */
    if (pn_crew_first(&crew)) {
        status = pn_folder_read(f, s, err);
        *enough = status == PINION_OK ? pn_stop_enough(s, n, f->count, f->journals) : 0;
        if (*enough < 0) status = pn_journal_complain(f->journals, f->count, err);
        f->next = next;
    }
    status = pn_crew_agree(&crew, status, err);
    return status == PINION_OK ? pn_crew_share(&crew, enough, sizeof *enough, err) : status;
}

/* All runs; where the plan says when there are enough, those up to the first look that finds so, which are then the
 * runs of the sheet. A part makes all of its own: pinion_sweep_merge() looks. */
static pinion_status make_enough(const pinion_sweep *s, const pinion_sweep_options *o, pn_folder *f,
                                 pn_tally_sheet *sheet, pinion_sweep_state *state, pinion_error *err)
{
    const uint64_t all = sheet->count;
    if (!s->stop.every || o->shards > 1) return make_runs(s, o, f, sheet, state, err);
    for (uint64_t n = pinion_sweep_next_look(s, 0);; n = pinion_sweep_next_look(s, n)) {
        int enough = 0;
        pn_sheet_limit(sheet, n);
        pinion_status status = make_runs(s, o, f, sheet, state, err);
        if (status == PINION_OK && n < all) status = look(s, o, f, n, &enough, err);
        if (status != PINION_OK || enough || n == all) return status;
        pn_sheet_fill(sheet);
    }
}

/* A new sheet for the same runs. */
static pinion_status renew(pn_tally_sheet *sheet, pinion_error *err)
{
    const uint64_t first = sheet->first, count = sheet->count;
    pn_sheet_free(sheet);
    return pn_sheet_new(sheet, first, count) ? PINION_OK
                                             : pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
}

/* The file of all that the journals have, by all processes, each with a part of the journals. *done: it is there; else
 * one has to do it alone, which is never wrong: a run is missing, which is to be said, or there twice, or the file
 * system is none for several. */
static pinion_status finish_together(const pinion_sweep *s, const char *path, const char *temporary,
                                     const pn_crew *crew, pn_folder *f, pn_tally_sheet *sheet,
                                     pinion_sweep_state *state, int *done, pinion_error *err)
{
    int whole = 0, torn = 0;
    pinion_status status = renew(sheet, err);
    if (status == PINION_OK) status = pn_folder_read_part(f, s, crew->team->rank, crew->team->ranks, err);
    if (status == PINION_OK) status = pn_sheet_count_all(sheet, crew->threads, f->count, f->journals, err);
    status = pn_crew_agree(crew, status, err);
    if (status == PINION_OK) status = pn_sheet_join(sheet, crew, &whole, err);
    if (status != PINION_OK || !whole) return status;
    tell(sheet, state);
    status = pn_assemble(s, crew, f->count, f->journals, sheet, temporary, path, &torn, err);
    *done = !torn;
    return status;
}

static pinion_status finish_alone(const pinion_sweep *s, const char *path, const char *temporary,
                                  const pinion_sweep_options *o, pn_folder *f, pn_tally_sheet *sheet,
                                  pinion_sweep_state *state, pinion_error *err)
{
    const pn_crew alone = {pn_crew_threads(o->threads), NULL};
    int torn;
    pinion_status status = renew(sheet, err);
    if (status == PINION_OK) status = pn_folder_read(f, s, err);
    if (status == PINION_OK) status = pn_sheet_count_all(sheet, alone.threads, f->count, f->journals, err);
    if (status != PINION_OK) return status;
    tell(sheet, state);
    return o->shards > 1 ? pn_assemble_shard(s, f->count, f->journals, sheet, temporary, path, err)
                         : pn_assemble(s, &alone, f->count, f->journals, sheet, temporary, path, &torn, err);
}

static pinion_status finish(const pinion_sweep *s, const char *path, const pinion_sweep_options *o, pn_folder *f,
                            pn_tally_sheet *sheet, pinion_sweep_state *state, pinion_error *err)
{
    const pn_crew crew = crew_of(o);
    char *temporary = pn_folder_path(f, "result");
    int done = 0;
    pinion_status status = temporary ? PINION_OK : pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    status = pn_crew_agree(&crew, status, err);
    if (status == PINION_OK && pn_crew_ranks(&crew) > 1 && o->shards == 1)
        status = finish_together(s, path, temporary, &crew, f, sheet, state, &done, err);
    if (status == PINION_OK && !done && pn_crew_first(&crew))
        status = finish_alone(s, path, temporary, o, f, sheet, state, err);
    free(temporary);
    return pn_crew_agree(&crew, status, err);
}

pinion_status pinion_sweep_to_file(const pinion_sweep *s, const char *path,
                                   const pinion_sweep_options *options, pinion_sweep_state *state,
                                   pinion_error *err)
{
    const pinion_sweep_options own = pinion_sweep_options_default(), *o = options ? options : &own;
    const char *wrong = complaint(s, path, o);
    pinion_sweep_state ignored;
    pn_folder f = {.lock = -1};
    pn_tally_sheet sheet = {0};
    char *place = NULL;
    if (!state) state = &ignored;
    *state = (pinion_sweep_state){0};
    if (wrong) return pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s", wrong);
    if (pn_plan_missing(s)) { /* said before anything is made */
        pinion_sweep_worker_free(pinion_sweep_worker_new(s, err));
        return PINION_ERR_UNSUPPORTED;
    }
#ifdef PN_NO_HDF5
    if (o->shards == 1)
        return pn_assemble(s, NULL, 0, NULL, NULL, NULL, path, NULL, err); /* said before the runs are made */
#endif
    const pn_crew crew = crew_of(o);
    pinion_status status = begin(s, path, &place, o, &f, &sheet, state, err);
    if (status == PINION_OK) {
        status = make_enough(s, o, &f, &sheet, state, err);
        if (status == PINION_OK) status = add_up(&crew, state, err);
    }
    if (status == PINION_OK) status = finish(s, place, o, &f, &sheet, state, err);
    pn_sheet_free(&sheet);
    pn_folder_close(&f, status == PINION_OK && pn_crew_first(&crew));
    free(place);
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Shards */

/* All files must be of one sweep. */
static pinion_status open_shards(int count, const char *const *shards, pn_journal_reader *journals,
                                 int *opened, pinion_error *err)
{
    pinion_status status = PINION_OK;
    for (int i = 0; i < count && status == PINION_OK; i++) {
        status = pn_journal_open(&journals[i], shards[i], err);
        if (status != PINION_OK) break;
        ++*opened;
        if (i > 0) pn_journal_forget_texts(&journals[i]);
        if (i > 0 && strcmp(journals[i].identity, journals[0].identity) != 0)
            status = pn_error_set(err, PINION_ERR_ARGUMENT, shards[i], 0, 0,
                                  "is of a sweep with another plan, model or version than %.200s", shards[0]);
    }
    return status;
}

/* A part that lacks runs of its own is damaged, and named. */
static pinion_status check_parts(int count, const pn_journal_reader *journals, const pn_tally_sheet *sheet,
                                 pinion_error *err)
{
    uint64_t run = sheet->first, missing = 0;
    if (sheet->runs == sheet->count) return PINION_OK;
    while (pn_sheet_has(sheet, run)) run++;
    for (int i = 0; i < count; i++) {
        const uint64_t first = journals[i].first, end = first + journals[i].count;
        if (run < first || run >= end || end > sheet->first + sheet->count) continue;
        for (uint64_t k = first; k < end; k++) missing += !pn_sheet_has(sheet, k);
        return pn_error_set(err, PINION_ERR_PARSE, journals[i].path, 0, 0,
                            "is damaged after %llu of %llu bytes: %llu of its %llu runs are missing, run %llu first",
                            (unsigned long long)journals[i].at, (unsigned long long)journals[i].size,
                            (unsigned long long)missing, (unsigned long long)journals[i].count,
                            (unsigned long long)run);
    }
    return PINION_OK; /* a part is missing, which is said later */
}

/* Leaves the runs that are enough, of parts that have all. */
static pinion_status cut(const pinion_sweep *s, int count, pn_journal_reader *journals, pn_tally_sheet *sheet,
                         pinion_error *err)
{
    const pinion_status status = pn_sheet_whole(sheet, err);
    if (status != PINION_OK) return status;
    const uint64_t n = pn_stop_find(s, count, journals);
    pn_sheet_free(sheet);
    if (n == 0 || !pn_sheet_new(sheet, 0, n))
        return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    return pn_sheet_count_all(sheet, pn_crew_threads(0), count, journals, err);
}

pinion_status pinion_sweep_merge(int count, const char *const *shards, const char *path,
                                 pinion_sweep_state *state, pinion_error *err)
{
    const pn_crew alone = {pn_crew_threads(0), NULL};
    pinion_sweep_state ignored;
    pinion_error untold;
    pn_tally_sheet sheet = {0};
    int opened = 0, torn;
    if (!state) state = &ignored;
    if (!err) err = &untold;
    *state = (pinion_sweep_state){0};
    if (count < 1 || !shards || !path)
        return pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0,
                            count < 1 ? "no files to merge" : "an argument is missing");
    pn_journal_reader *journals = calloc((size_t)count, sizeof *journals);
    if (!journals) return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    pinion_status status = open_shards(count, shards, journals, &opened, err);
    pinion_sweep *s = status == PINION_OK ? pn_sweep_of_journal(&journals[0], err) : NULL;
    if (status == PINION_OK && !s) status = err->status;
    if (s && !pn_sheet_new(&sheet, 0, pinion_sweep_count(s)))
        status = pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    if (status == PINION_OK) status = pn_sheet_count_all(&sheet, alone.threads, count, journals, err);
    if (status == PINION_OK) status = check_parts(count, journals, &sheet, err);
    if (status == PINION_OK && s->stop.every) status = cut(s, count, journals, &sheet, err);
    if (status == PINION_OK) tell(&sheet, state);
    state->planned = pinion_sweep_count(s);
    char *place = NULL, *temporary = NULL;
    if (status == PINION_OK) status = find_place(path, &place, err);
    const size_t room = place ? strlen(place) + 40 : 0;
    if (place && !(temporary = malloc(room)))
        status = pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    if (temporary) snprintf(temporary, room, "%s.%ld.tmp", place, (long)getpid());
    if (status == PINION_OK) status = pn_assemble(s, &alone, count, journals, &sheet, temporary, place, &torn, err);
    free(temporary);
    free(place);
    pn_sheet_free(&sheet);
    pinion_sweep_free(s);
    for (int i = 0; i < opened; i++) pn_journal_end(&journals[i]);
    free(journals);
    return status;
}
