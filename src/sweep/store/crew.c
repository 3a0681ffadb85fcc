#define _POSIX_C_SOURCE 200809L
#include "sweep/store/crew.h"

#include <pthread.h>
#include <unistd.h>

#include "base/message.h"

enum { THREADS_MAX = 256 };

int pn_crew_threads(int asked)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const int threads = asked > 0 ? asked : processors > 0 && processors < THREADS_MAX ? (int)processors : 1;
    return threads < THREADS_MAX ? threads : THREADS_MAX;
}

typedef struct job {
    void (*work)(void *);
    void *shared;
} job;

static void *begin(void *user)
{
    const job *j = user;
    j->work(j->shared);
    return NULL;
}

void pn_crew_work(int threads, void (*work)(void *), void *shared)
{
    job j = {work, shared};
    pthread_t id[THREADS_MAX];
    int count = 0;
    while (count < threads - 1 && count < THREADS_MAX && pthread_create(&id[count], NULL, begin, &j) == 0) count++;
    work(shared);
    for (int i = 0; i < count; i++) pthread_join(id[i], NULL);
}

int pn_crew_first(const pn_crew *c)
{
    return !c->team || c->team->rank == 0;
}

int pn_crew_ranks(const pn_crew *c)
{
    return c->team ? c->team->ranks : 1;
}

static pinion_status out_of_reach(pinion_error *err)
{
    return pn_error_set(err, PINION_ERR_CALLBACK, NULL, 0, 0, "the processes of the sweep cannot reach each other");
}

pinion_status pn_crew_agree(const pn_crew *c, pinion_status status, pinion_error *err)
{
    pinion_error of_first = err ? *err : (pinion_error){PINION_OK, 0, 0, ""};
    uint64_t failed = status != PINION_OK;
    if (!c->team) return status;
    if (!c->team->sum(c->team->user, &failed, 1)) return out_of_reach(err);
    if (failed == 0) return PINION_OK;
    of_first.status = status;
    if (!c->team->share(c->team->user, &of_first, sizeof of_first)) return out_of_reach(err);
    if (status != PINION_OK) return status;
    if (of_first.status == PINION_OK)
        return pn_error_set(err, PINION_ERR_CALLBACK, NULL, 0, 0, "another process of the sweep has failed");
    if (err) *err = of_first;
    return of_first.status;
}

pinion_status pn_crew_share(const pn_crew *c, void *bytes, size_t size, pinion_error *err)
{
    enum { PIECE = 1 << 30 };
    for (size_t at = 0; c->team && at < size; at += PIECE)
        if (!c->team->share(c->team->user, (char *)bytes + at, size - at < PIECE ? size - at : PIECE))
            return out_of_reach(err);
    return PINION_OK;
}

pinion_status pn_crew_sum(const pn_crew *c, uint64_t *numbers, uint64_t count, pinion_error *err)
{
    enum { PIECE = 1 << 24 };
    for (uint64_t at = 0; c->team && at < count; at += PIECE)
        if (!c->team->sum(c->team->user, numbers + at, count - at < PIECE ? (int)(count - at) : PIECE))
            return out_of_reach(err);
    return PINION_OK;
}
