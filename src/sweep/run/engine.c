/* Threads take blocks of runs as they become free. Which thread makes a run changes nothing in it. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/run/engine.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

enum { BLOCKS = 64, BLOCK_MAX = 256, THREADS_MAX = 1024 }; /* blocks a thread; runs in one; threads */
enum { LEAST_LANES = 8 };                                  /* runs in a block that go side by side */
#define LOOK 0.1                                           /* s between two looks at how far it is */

/* What the threads share. */
typedef struct engine {
    const pinion_sweep *s;
    pn_folder *folder;
    const pn_tally_sheet *done;
    const pinion_sweep_team *team; /* NULL: this process alone */
    atomic_int stop;               /* looked at within runs, without the mutex */
    pthread_mutex_t mutex;         /* guards all below */
    pthread_cond_t ended;
    uint64_t next, end, block;
    int going;
    pinion_sweep_state *state;
    pinion_status status;
    pinion_error *err;
} engine;

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The first thing that goes wrong ends all threads. */
static void fail(engine *e, pinion_status status, const char *path, int number)
{
    pthread_mutex_lock(&e->mutex);
    if (e->status == PINION_OK) {
        e->status = status;
        if (path)
            e->status = pn_file_not_written(e->err, path, number);
        else
            pn_error_set(e->err, status, NULL, 0, 0, "%s", pinion_status_text(status));
    }
    e->stop = 1;
    pthread_mutex_unlock(&e->mutex);
}

/* Takes a block, and tells what was done since the last one. */
static int take(engine *e, uint64_t outcome[PINION_SWEEP_OUTCOME_COUNT], uint64_t *first, uint64_t *end)
{
    pthread_mutex_lock(&e->mutex);
    for (int i = 0; i < PINION_SWEEP_OUTCOME_COUNT; i++) {
        e->state->outcome[i] += outcome[i];
        if (!e->team) e->state->done += outcome[i];
        outcome[i] = 0;
    }
    int some = !e->stop && e->next < e->end;
    if (some && e->team) {
        uint64_t taken = 0;
        some = e->team->take(e->team->user, e->block, &taken);
        e->next = some && taken < e->done->count ? e->done->first + taken : e->end;
        some = some && e->next < e->end;
        e->state->done = e->next - e->done->first; /* about: what others took counts as done */
    }
    *first = e->next;
    *end = e->end - e->next < e->block ? e->end : e->next + e->block;
    if (some && !e->team) e->next = *end;
    pthread_mutex_unlock(&e->mutex);
    return some;
}

static int stopped(engine *e)
{
    return atomic_load_explicit(&e->stop, memory_order_relaxed);
}

/* Runs that are being made are given up then. */
static int watch(void *user, double made, size_t rows)
{
    (void)made, (void)rows;
    return stopped(user);
}

/* What a thread does with a block. */
typedef struct job {
    engine *e;
    pn_journal *journal;
    uint64_t outcome[PINION_SWEEP_OUTCOME_COUNT];
} job;

/* A record into the journal; 0: it is to end. */
static int keep(void *user, const pinion_sweep_record *record)
{
    job *k = user;
    const int number = pn_journal_add(k->journal, record, k->e->s->kept_count, clock_now());
    if (number) return fail(k->e, PINION_ERR_FILE, k->journal->path, number), 0;
    k->outcome[record->outcome]++;
    return !stopped(k->e);
}

static void work(engine *e, pinion_sweep_worker *w, pn_journal *j)
{
    job k = {.e = e, .journal = j};
    uint64_t first, end, runs[BLOCK_MAX];
    while (take(e, k.outcome, &first, &end)) {
        int count = 0;
        for (uint64_t run = first; run < end; run++)
            if (!pn_sheet_has(e->done, run)) runs[count++] = run;
        if (stopped(e)) break;
        const pinion_status status = pinion_sweep_runs(w, (size_t)count, runs, keep, &k);
        if (status == PINION_ERR_CALLBACK && stopped(e)) break;
        if (status != PINION_OK) return fail(e, status, NULL, 0);
    }
    const int number = pn_journal_flush(j, 0);
    if (number) fail(e, PINION_ERR_FILE, j->path, number);
}

static void *thread(void *user)
{
    engine *e = user;
    pinion_error err;
    pn_journal j = {.file = -1};
    pinion_sweep_worker *w = pinion_sweep_worker_new(e->s, &err);
    if (!w) fail(e, err.status, NULL, 0);
    pinion_sweep_worker_watch(w, watch, e);
    pthread_mutex_lock(&e->mutex);
    const int number = w ? pn_folder_journal(e->folder, &j, e->s, e->done->first, e->done->count) : 0;
    pthread_mutex_unlock(&e->mutex);
    if (number) fail(e, PINION_ERR_FILE, e->folder->path, number);
    if (w && !number) work(e, w, &j);
    pn_journal_close(&j);
    pinion_sweep_worker_free(w);
    pthread_mutex_lock(&e->mutex);
    e->going--;
    pthread_cond_signal(&e->ended);
    pthread_mutex_unlock(&e->mutex);
    return NULL;
}

/* Until all threads have ended; from time to time it is told how far they are. */
static void wait_for(engine *e, const pinion_sweep_options *options, double began)
{
    pthread_mutex_lock(&e->mutex);
    while (e->going > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += (long)(LOOK * 1e9);
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        pthread_cond_timedwait(&e->ended, &e->mutex, &until);
        e->state->wall = clock_now() - began;
        if (e->team && e->team->idle) e->team->idle(e->team->user);
        const pinion_sweep_state state = *e->state;
        if (!options->progress || e->stop) continue;
        pthread_mutex_unlock(&e->mutex);
        const int ends = options->progress(options->user, &state);
        pthread_mutex_lock(&e->mutex);
        if (!ends || e->stop) continue;
        e->stop = 1;
        e->status = pn_error_set(e->err, PINION_ERR_CALLBACK, NULL, 0, 0, "ended before all runs were made");
    }
    pthread_mutex_unlock(&e->mutex);
}

pinion_status pn_engine(const pinion_sweep *s, pn_folder *folder, const pn_tally_sheet *done,
                        const pinion_sweep_options *options, pinion_sweep_state *state, pinion_error *err)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int threads = options->threads > 0 ? options->threads : processors > 0 ? (int)processors : 1;
    const uint64_t left = done->count - done->runs;
    if (threads > THREADS_MAX) threads = THREADS_MAX;
    if ((uint64_t)threads > left) threads = (int)left;
    engine e = {.s = s,
                .folder = folder,
                .done = done,
                .team = options->team,
                .next = done->first,
                .end = done->first + done->count,
                .state = state,
                .err = err};
    const uint64_t workers = (uint64_t)threads * (uint64_t)(options->team ? options->team->ranks : 1);
    e.block = done->count / (workers * BLOCKS + 1);
    const uint64_t least = s->run.steps ? LEAST_LANES : 1;
    e.block = e.block < least ? least : e.block > BLOCK_MAX ? BLOCK_MAX : e.block;
    pthread_t *id = calloc((size_t)threads + 1, sizeof *id);
    if (!id) return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    if (pthread_mutex_init(&e.mutex, NULL) != 0) {
        free(id);
        return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    }
    pthread_cond_init(&e.ended, NULL);
    const double began = clock_now() - state->wall; /* of all that were made, where this is not the first time */
    int count = 0;
    e.going = threads;
    while (count < threads && pthread_create(&id[count], NULL, thread, &e) == 0) count++;
    pthread_mutex_lock(&e.mutex);
    e.going -= threads - count;
    pthread_mutex_unlock(&e.mutex);
    if (count == 0 && threads > 0)
        fail(&e, PINION_ERR_MEMORY, NULL, 0); /* with fewer it takes longer, that is all */
    wait_for(&e, options, began);
    for (int i = 0; i < count; i++) pthread_join(id[i], NULL);
    pthread_cond_destroy(&e.ended);
    pthread_mutex_destroy(&e.mutex);
    free(id);
    state->wall = clock_now() - began;
    return e.status;
}
