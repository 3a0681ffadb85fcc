/* Many states that step with contact on threads: one scene and one workspace a thread, one state after the other. A
 * state's way depends on it alone, so that the bits are the same on any number of threads. */
#include <math.h>
#include "contact/scene/scene_parts.h"
#include "pinion/batch.h"

/* all steps of one state; NaN from where it fails */
static pinion_status go(pinion_scene *s, pinion_work *w, const pinion_scene_rollout *r, size_t i)
{
    const size_t nq = (size_t)pinion_model_nq(s->m), nv = (size_t)s->nv;
    double *q = r->q + i * nq, *v = r->v + i * nv;
    const double *tau = r->tau ? r->tau + i * nv : NULL;
    pinion_status status = PINION_OK;
    for (size_t k = 0; k < r->steps && status == PINION_OK; k++) {
        pinion_scene_set_time(s, (double)k * r->h);
        status = pinion_forward_dynamics(s->m, w, q, v, tau, NULL, s->start_a);
        if (status == PINION_OK) status = pinion_scene_step(s, w, r->h, q, v, s->start_a, q, v, NULL);
    }
    for (size_t k = 0; k < nq && status != PINION_OK; k++) q[k] = NAN;
    for (size_t k = 0; k < nv && status != PINION_OK; k++) v[k] = NAN;
    if (r->status) r->status[i] = status;
    return status;
}

/* every so many states from the scene's own on; the first that fails is kept in the scene */
static void run_seat(int seats, int t, pinion_scene *s, pinion_work *w, const pinion_scene_rollout *r)
{
    s->failed_status = PINION_OK;
    for (size_t i = (size_t)t; i < r->count; i += (size_t)seats) {
        const pinion_status status = go(s, w, r, i);
        if (status == PINION_OK || s->failed_status != PINION_OK) continue;
        s->failed = i;
        s->failed_status = status;
    }
}

pinion_status pinion_scene_roll(int threads, pinion_scene *const *scene, pinion_work *const *work,
                                const pinion_scene_rollout *r)
{
    if (threads < 1 || !scene || !work || !r || !r->q || !r->v || !(r->h > 0) || !isfinite(r->h))
        return PINION_ERR_ARGUMENT;
    for (int t = 0; t < threads; t++)
        if (!scene[t] || !work[t] || scene[t]->m != scene[0]->m) return PINION_ERR_ARGUMENT;
#ifdef _OPENMP
    /* OpenMP ends the process where it cannot start a thread; scenes without one of their own wait for their turn */
    const int most = threads > 1 ? pinion_threads_available() : 1, started = threads < most ? threads : most;
#pragma omp parallel for schedule(static, 1) num_threads(started)
#endif
    for (int t = 0; t < threads; t++) run_seat(threads, t, scene[t], work[t], r);
    const pinion_scene *first = NULL;
    for (int t = 0; t < threads; t++)
        if (scene[t]->failed_status != PINION_OK && (!first || scene[t]->failed < first->failed)) first = scene[t];
    return first ? first->failed_status : PINION_OK;
}
