/* States of rest: the model sinks as if through honey, where velocities and not accelerations follow the
 * forces, delta' = a(delta), by implicit steps that grow as it comes to rest and are Newton's in the end
 * (Kelley & Keyes 1998).
 */
#include "pinion/sim/linearize.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/linear/near_state.h"
#include "base/lu.h"

#define ROUNDS 400
#define AT_REST 1e-9 /* of gravity, and of 1 m/s^2 or rad/s^2 */

static double largest(int n, const int *which, const double *a, int *most)
{
    double size = 0;
    for (int i = 0; i < n; i++) {
        const double x = fabs(a[which[i]]);
        if (x <= size && i > 0) continue;
        size = x;
        if (most) *most = which[i];
    }
    return size;
}

/* (1/h - J) step = a, where J is d a / d delta */
static int step_of(const pinion_linear *l, double h, double *room, int *pivot, double *step)
{
    const int n = l->freedom;
    const int states = l->states;
    const double *J = l->A + (size_t)n * (size_t)states;
    for (int i = 0; i < n; i++) {
        step[i] = l->a[l->velocity[i]];
        for (int j = 0; j < n; j++) room[i * n + j] = (i == j) / h - J[i * states + j];
    }
    if (!pn_lu_factor(n, room, pivot)) return 0;
    pn_lu_solve(n, room, pivot, step);
    return 1;
}

/* what h begins with: a part of the time of the stiffest direction */
static double first_h(const pinion_linear *l)
{
    const int n = l->freedom;
    double most = 1e-3;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) most = fmax(most, fabs(l->A[(n + i) * l->states + j]));
    return 0.5 / most;
}

static pinion_status moved(const pinion_model *m, pinion_work *w, const pinion_linear *l, const double *q,
                           const double *step, double *delta, double *to)
{
    double size = 0;
    for (int i = 0; i < l->freedom; i++) size = fmax(size, fabs(step[i]));
    const double part = size > 0.5 ? 0.5 / size : 1; /* rad or m at a time */
    for (int k = 0; k < pinion_model_nv(m); k++) {
        delta[k] = 0;
        for (int i = 0; i < l->freedom; i++) delta[k] += part * l->motion[k * l->freedom + i] * step[i];
    }
    const pinion_status status = pinion_integrate(m, q, delta, 1, to);
    if (status || pinion_model_loop_count(m) == 0) return status;
    return pinion_assemble(m, w, 0, NULL, to, NULL);
}

/* says which joint still moves */
static pinion_status nowhere(const pinion_model *m, int most, double size, pinion_error *err)
{
    pinion_joint_info joint = {.name = "?"};
    for (int i = 0; i < pinion_model_joint_count(m) && pinion_model_joint(m, i, &joint) == PINION_OK; i++)
        if (joint.nv > 0 && most >= joint.v_index && most < joint.v_index + joint.nv) break;
    err->status = PINION_ERR_CONVERGENCE;
    snprintf(err->message, sizeof err->message,
             "no state of rest was found: where it comes nearest, joint '%s' still accelerates by %.3g",
             joint.name, size);
    return PINION_ERR_CONVERGENCE;
}

static pinion_status search(const pinion_model *m, pinion_work *w, const double *tau, double *q, double *room,
                            int *pivot, pinion_error *err)
{
    const size_t nv = (size_t)pinion_model_nv(m), nq = (size_t)pinion_model_nq(m);
    double *matrix = room, *step = matrix + nv * nv, *delta = step + nv, *at = delta + nv, *to = at + nq,
           gravity[3];
    pinion_model_gravity(m, gravity);
    const double enough =
        AT_REST * (1 + sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2]));
    pinion_linear *l = pinion_linearize(m, q, NULL, tau, err);
    if (!l) return err->status;
    int most = 0, worst = 0;
    double size = largest(l->freedom, l->velocity, l->a, &most), least = size, h = first_h(l);
    worst = most;
    memcpy(at, q, nq * sizeof *at);
    for (int round = 0; round < ROUNDS && least > enough && h > 1e-12; round++) {
        pinion_error ignored;
        pinion_linear *next = NULL;
        if (step_of(l, h, matrix, pivot, step) && moved(m, w, l, at, step, delta, to) == PINION_OK)
            next = pinion_linearize(m, to, NULL, tau, &ignored);
        const double then = next ? largest(next->freedom, next->velocity, next->a, &most) : INFINITY;
        if (!isfinite(then)) {
            pinion_linear_free(next);
            h /= 4;
            continue;
        }
        h *= fmin(fmax(size / fmax(then, 1e-300), 0.2), 10);
        memcpy(at, to, nq * sizeof *at);
        pinion_linear_free(l);
        l = next;
        size = then;
        if (size >= least) continue;
        least = size;
        worst = most;
        memcpy(q, at, nq * sizeof *q);
    }
    pinion_linear_free(l);
    return least <= enough ? PINION_OK : nowhere(m, worst, least, err);
}

pinion_status pinion_equilibrium(const pinion_model *m, const double *tau, double *q, pinion_error *err)
{
    pinion_error own;
    if (!err) err = &own;
    memset(err, 0, sizeof *err);
    if (!m || !q) return pn_linear_fail(err, PINION_ERR_ARGUMENT, m ? "q is NULL" : "m is NULL");
    const size_t nv = (size_t)pinion_model_nv(m), nq = (size_t)pinion_model_nq(m);
    double *room = malloc((nv * nv + 2 * nv + 2 * nq + 1) * sizeof *room);
    int *pivot = malloc((nv + 1) * sizeof *pivot);
    pinion_work *w = pinion_work_new(m);
    pinion_status status = room && pivot && w ? PINION_OK : PINION_ERR_MEMORY;
    if (!status && pinion_model_loop_count(m) > 0) status = pinion_assemble(m, w, 0, NULL, q, NULL);
    if (status)
        pn_linear_fail(err, status, w ? pinion_work_message(w) : NULL);
    else
        status = search(m, w, tau, q, room, pivot, err);
    pinion_work_free(w);
    free(room);
    free(pivot);
    return status;
}
