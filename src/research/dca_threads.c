/* Divide and conquer on threads: the phases of a call dealt out, with a barrier between them. */
#include "pinion/research/threads.h"
#include "pinion/research/parallel.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* A phase with fewer items than this for each thread is left to one of them: waiting costs more than the work. Such
 * phases follow each other near the root of the assembly, and need no barrier between them. */
#define ITEMS_EACH 2

static int is_small(const pinion_parallel *p, int phase, int threads)
{
    return pinion_parallel_items(p, phase) < ITEMS_EACH * threads;
}

/* all phases, on one thread */
static void run_alone(pinion_parallel *p)
{
    const int phases = pinion_parallel_phases(p);
    for (int phase = 0; phase < phases; phase++)
        pinion_parallel_run(p, phase, 0, pinion_parallel_items(p, phase));
}

#ifdef _OPENMP

/* what thread `rank` of `count` does in a call; every thread sees the same phases and meets the same barriers */
static void run_rank(pinion_parallel *p, int rank, int count)
{
    const int phases = pinion_parallel_phases(p);
    for (int phase = 0; phase < phases; phase++) {
        const int items = pinion_parallel_items(p, phase), small = is_small(p, phase, count);
        if (!small) {
            const long long first = (long long)items * rank / count, end = (long long)items * (rank + 1) / count;
            pinion_parallel_run(p, phase, (int)first, (int)end);
        } else if (rank == 0) {
            pinion_parallel_run(p, phase, 0, items);
        }
        /* small phases in a row run on one thread, in order by themselves */
        if (small && phase + 1 < phases && is_small(p, phase + 1, count)) continue;
#pragma omp barrier
    }
}

static void run_threads(pinion_parallel *p, int threads)
{
#pragma omp parallel num_threads(threads)
    run_rank(p, omp_get_thread_num(), omp_get_num_threads());
}

#else

static void run_threads(pinion_parallel *p, int threads)
{
    (void)threads;
    (void)is_small;
    run_alone(p);
}

#endif

pinion_status pinion_forward_dynamics_threads(pinion_parallel *p, int threads, const double *q, const double *v,
                                              const double *tau, const double *f_ext, double *a)
{
    if (threads < 1) return PINION_ERR_ARGUMENT;
    const pinion_status status = pinion_parallel_begin(p, q, v, tau, f_ext, a);
    if (status != PINION_OK) return status;
    /* OpenMP ends the process where it cannot start a thread */
    const int most = pinion_threads_available();
    if (threads > most) threads = most;
    if (threads == 1)
        run_alone(p);
    else
        run_threads(p, threads);
    return pinion_parallel_end(p);
}
