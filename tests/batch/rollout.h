/* What tests of rollouts share: random rollouts, and the same simulation state by state through the single calls
 * of dynamics.h. */
#ifndef PN_TEST_ROLLOUT_H
#define PN_TEST_ROLLOUT_H

#include "check.h"
#include "pinion/pinion.h"
#include "registry/models.h"

/* The arrays of a rollout over some states. */
typedef struct scene {
    pinion_model *m;
    pinion_batch *b;
    size_t count, nq, nv, nf, intervals, records;
    pinion_rollout r;
    double *q, *v, *q1, *v1; /* the states at the beginning and at the end */
    double *tau, *q_target, *v_target, *kp, *kd, *limit, *f_ext, *q_record, *v_record;
} scene;

static inline double *numbers(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);
    if (!x) exit(1);
    return x;
}

static inline double *random_numbers(size_t n, double size, uint64_t *seed)
{
    double *x = numbers(n);
    for (size_t i = 0; i < n; i++) x[i] = check_between(seed, -size, size);
    return x;
}

static inline double *random_configurations(const pinion_model *m, size_t count, uint64_t *seed)
{
    const size_t nq = (size_t)pinion_model_nq(m);
    double *q = numbers(count * nq);
    for (size_t s = 0; s < count; s++)
        CHECK_STATUS(pinion_random(m, (uint64_t)(check_uniform(seed) * 1e15), q + s * nq), PINION_OK);
    return q;
}

/* Room for everything, random, but nothing of it is asked for yet. The model is the scene's from now on. */
static inline scene scene_new(pinion_model *m, size_t count, size_t steps, size_t hold, size_t every, uint64_t *seed)
{
    scene x;
    memset(&x, 0, sizeof x);
    if (!m) exit(1);
    x.m = m;
    x.b = pinion_batch_new(m, 1);
    if (!x.b) exit(1);
    x.count = count;
    x.nq = (size_t)pinion_model_nq(m);
    x.nv = (size_t)pinion_model_nv(m);
    x.nf = 6 * (size_t)pinion_model_body_count(m);
    x.intervals = pinion_rollout_intervals(steps, hold);
    x.records = pinion_rollout_records(steps, every);
    x.r = pinion_rollout_default();
    x.r.steps = steps;
    x.r.hold = hold;
    x.r.every = every;
    x.q = random_configurations(m, count, seed);
    x.v = random_numbers(count * x.nv, 1, seed);
    x.q1 = numbers(count * x.nq);
    x.v1 = numbers(count * x.nv);
    x.tau = random_numbers(x.intervals * count * x.nv, 2, seed);
    x.q_target = random_configurations(m, x.intervals * count, seed);
    x.v_target = random_numbers(x.intervals * count * x.nv, 1, seed);
    x.kp = random_numbers(x.nv, 5, seed);
    x.kd = random_numbers(x.nv, 0.5, seed);
    x.limit = random_numbers(x.nv, 4, seed);
    for (size_t i = 0; i < x.nv; i++) x.limit[i] = i % 3 ? fabs(x.limit[i]) : INFINITY;
    x.f_ext = random_numbers(count * x.nf, 3, seed);
    x.q_record = numbers(x.records * count * x.nq);
    x.v_record = numbers(x.records * count * x.nv);
    return x;
}

static inline void scene_free(scene *x)
{
    double *all[] = {x->q,  x->v,  x->q1,    x->v1,    x->tau,      x->q_target, x->v_target,
                     x->kp, x->kd, x->limit, x->f_ext, x->q_record, x->v_record};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    pinion_batch_free(x->b);
    pinion_model_free(x->m);
}

static inline pinion_status scene_run(scene *x)
{
    return pinion_batch_rollout(x->b, x->count, &x->r, x->q, x->v, x->q1, x->v1);
}

/* the largest difference between two states, in the tangent space, against the largest velocity */
static inline double state_error(const pinion_model *m, const double *q, const double *v, const double *q_ref,
                                 const double *v_ref)
{
    const size_t nv = (size_t)pinion_model_nv(m);
    double *d = numbers(nv), *zero = numbers(nv);
    if (pinion_difference(m, q_ref, q, d) != PINION_OK) d[0] = INFINITY;
    const double turn = check_error(d, zero, nv, 1), speed = check_error(v, v_ref, nv, 1);
    free(d);
    free(zero);
    return fmax(turn, speed);
}

/* ---- state by state ---- */

/* the joint forces that state s holds in a step */
static inline void single_forces(const scene *x, size_t s, size_t step, const double *q, const double *v, double *f)
{
    const pinion_rollout *r = &x->r;
    const size_t at = (r->hold ? step / r->hold : 0) * x->count + s;
    double *e = numbers(x->nv);
    if (r->q_target) CHECK_STATUS(pinion_difference(x->m, q, r->q_target + at * x->nq, e), PINION_OK);
    for (size_t i = 0; i < x->nv; i++) {
        f[i] = r->tau ? r->tau[at * x->nv + i] : 0;
        if (r->kp) f[i] += r->kp[i] * e[i];
        if (r->kd) f[i] += r->kd[i] * ((r->v_target ? r->v_target[at * x->nv + i] : 0) - v[i]);
        if (r->limit) f[i] = fmax(-r->limit[i], fmin(r->limit[i], f[i]));
    }
    free(e);
}

static inline void single_acceleration(const scene *x, pinion_work *w, size_t s, const double *q, const double *v,
                                       const double *held, double *a)
{
    double *f = numbers(x->nv);
    if (x->r.passive) CHECK_STATUS(pinion_passive_forces(x->m, w, q, v, f), PINION_OK);
    for (size_t i = 0; i < x->nv; i++) f[i] += held[i];
    CHECK_STATUS(pinion_forward_dynamics(x->m, w, q, v, f, x->r.f_ext ? x->r.f_ext + s * x->nf : NULL, a), PINION_OK);
    free(f);
}

/* Runge and Kutta's method for joints whose velocities are the derivatives of their coordinates */
static inline void single_rk4(const scene *x, pinion_work *w, size_t s, const double *held, double *q, double *v)
{
    static const double c[4] = {0, 0.5, 0.5, 1}, b[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const size_t n = x->nv;
    const double h = x->r.dt;
    double *y = numbers(8 * n), *u = y + n, *k = u + n, *a = k + n, *dq = a + n, *dv = dq + n;
    for (int stage = 0; stage < 4; stage++) {
        for (size_t i = 0; i < n; i++) {
            y[i] = q[i] + c[stage] * h * k[i];
            u[i] = v[i] + c[stage] * h * a[i];
        }
        single_acceleration(x, w, s, y, u, held, a);
        for (size_t i = 0; i < n; i++) {
            k[i] = u[i];
            dq[i] += b[stage] * h * k[i];
            dv[i] += b[stage] * h * a[i];
        }
    }
    for (size_t i = 0; i < n; i++) q[i] += dq[i], v[i] += dv[i];
    free(y);
}

/* state s after the rollout, by single calls */
static inline void single_rollout(const scene *x, size_t s, double *q, double *v)
{
    pinion_work *w = pinion_work_new(x->m);
    double *held = numbers(x->nv), *a = numbers(x->nv);
    if (!w) exit(1);
    memcpy(q, x->q + s * x->nq, x->nq * sizeof *q);
    memcpy(v, x->v + s * x->nv, x->nv * sizeof *v);
    for (size_t step = 0; step < x->r.steps; step++) {
        single_forces(x, s, step, q, v, held);
        if (x->r.method == PINION_STEP_RK4) {
            single_rk4(x, w, s, held, q, v);
            continue;
        }
        single_acceleration(x, w, s, q, v, held, a);
        for (size_t i = 0; i < x->nv; i++) v[i] += x->r.dt * a[i];
        CHECK_STATUS(pinion_integrate(x->m, q, v, x->r.dt, q), PINION_OK);
    }
    free(a);
    free(held);
    pinion_work_free(w);
}

#endif
