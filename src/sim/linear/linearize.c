/* x' = A x + B u near a state, and its modes. */
#include "pinion/sim/linearize.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pinion/actuators.h"
#include "pinion/calls.h"
#include "pinion/elements.h"
#include "sim/linear/eigen.h"
#include "sim/linear/near_state.h"

pinion_status pn_linear_fail(pinion_error *err, pinion_status status, const char *why)
{
    if (err) {
        memset(err, 0, sizeof *err);
        err->status = status;
        snprintf(err->message, sizeof err->message, "%s", why && *why ? why : pinion_status_text(status));
    }
    return status;
}

/* The coordinate that each actuator moves; -1: several, or a frame. */
static int inputs_of(const pinion_model *m, int *input)
{
    const int count = pinion_model_actuator_count(m);
    for (int k = 0; k < count; k++) {
        pinion_actuator_info a;
        const pinion_status status = pinion_model_actuator(m, k, &a);
        input[k] = !status && a.term_count == 1 ? a.term[0].v_index : -1;
    }
    return count;
}

/* What the actuators give of tau changes with q where their columns of B do: that is added to K. */
static pinion_status turn_actuators(const near_state *x, double *K)
{
    const int nv = x->nv, nu = pinion_model_actuator_count(x->m);
    double *u = malloc(((size_t)nu + (size_t)nv * (size_t)nv + 1) * sizeof *u), *dq = u + nu;
    pinion_allocation *allocation = pinion_allocation_new(x->m);
    pinion_status status = u && allocation ? PINION_OK : PINION_ERR_MEMORY;
    if (!status) status = pinion_allocation_forces(allocation, x->q, x->tau, 0, u, NULL);
    if (!status) status = pinion_d_actuation_torque(x->m, x->w, x->q, u, dq);
    for (int i = 0; i < nv * nv && !status; i++) K[i] += dq[i];
    free(u);
    pinion_allocation_free(allocation);
    return status;
}

/* Whether there are such columns. */
static int turns(const pinion_model *m)
{
    pinion_actuator_info a;
    for (int k = 0; pinion_model_actuator(m, k, &a) == PINION_OK; k++)
        if (!a.term_count) return 1;
    return 0;
}

/* d a / d (q, v, tau) of all velocities, with what springs and dampers add to it: dq and dv, and dtau */
static pinion_status derivatives(near_state *x, double *a, double *dq, double *dv, double *dtau, double *room)
{
    const int nv = x->nv;
    const size_t nn = (size_t)nv * (size_t)nv;
    double *K = room, *D = K + nn, *tau = D + nn;
    pinion_loop_options options = pinion_loop_options_default();
    pinion_loop_derivatives out = {.a_dq = dq, .a_dv = dv, .a_dtau = dtau, .a = a};
    options.passive = 1;
    pinion_status status = pinion_passive_forces(x->m, x->w, x->q, x->v, tau);
    pinion_elements *elements = pinion_model_has_elements(x->m) ? pinion_elements_new(x->m) : NULL;
    if (!status && pinion_model_has_elements(x->m))
        status = elements ? pinion_elements_forces(elements, x->w, x->q, x->v, tau, tau, tau, NULL) : PINION_ERR_MEMORY;
    for (int i = 0; i < nv; i++) tau[i] += x->tau[i];
    if (!status) status = pinion_d_passive_forces(x->m, x->w, x->q, x->v, K, D);
    if (!status && x->forces) status = pinion_d_forces(x->forces, x->w, x->t, x->q, x->v, tau, K, D);
    if (!status && x->looped)
        status = pinion_d_loop_dynamics(x->body, x->w, &options, x->q, x->v, tau, NULL, &out);
    if (!status && !x->looped) status = pinion_forward_dynamics(x->body, x->w, x->q, x->v, tau, NULL, a);
    if (!status && !x->looped)
        status = pinion_d_forward_dynamics(x->body, x->w, x->q, x->v, tau, NULL, dq, dv, dtau);
    if (!status && elements) status = pinion_d_elements_forces(elements, x->w, x->q, x->v, K, D);
    if (!status && turns(x->m)) status = turn_actuators(x, K);
    pinion_elements_free(elements);
    for (int i = 0; !status && i < nv; i++)
        for (int j = 0; j < nv; j++)
            for (int k = 0; k < nv; k++) {
                dq[i * nv + j] += dtau[i * nv + k] * K[k * nv + j];
                dv[i * nv + j] += dtau[i * nv + k] * D[k * nv + j];
            }
    return status;
}

/* The lower half of A and B, of the independent velocities. Along an independent coordinate q moves by `motion`, and v
 * by `drift`, which is NULL for trees. */
static pinion_status dynamics(near_state *x, double *a, double *A, double *B, const double *drift, double *room)
{
    const pinion_linear *l = &x->seen;
    const int nv = x->nv, n = l->freedom;
    const size_t nn = (size_t)nv * (size_t)nv;
    double *dq = room, *dv = dq + nn, *dtau = dv + nn;
    const pinion_status status = derivatives(x, a, dq, dv, dtau, dtau + nn);
    if (status) return status;
    for (int i = 0; i < n; i++) {
        const double *by_q = dq + l->velocity[i] * nv, *by_v = dv + l->velocity[i] * nv;
        for (int j = 0; j < n; j++) {
            double q = drift ? 0 : by_q[j], v = drift ? 0 : by_v[j];
            for (int k = 0; drift && k < nv; k++) {
                q += by_q[k] * l->motion[k * n + j] + by_v[k] * drift[k * n + j];
                v += by_v[k] * l->motion[k * n + j];
            }
            A[i * 2 * n + j] = q;
            A[i * 2 * n + n + j] = v;
        }
    }
    const pinion_status known = pinion_actuation_matrix(x->m, x->w, x->q, x->actuation);
    for (int i = 0; i < n && !known; i++)
        for (int k = 0; k < nv; k++)
            for (int j = 0; j < l->inputs; j++)
                B[i * l->inputs + j] += dtau[l->velocity[i] * nv + k] * x->actuation[k * l->inputs + j];
    return known;
}

/* the upper half: d delta / dt = w - ad(v) delta */
static void kinematics(const near_state *x, double *A, double *ad)
{
    const int n = x->seen.freedom, nv = x->nv;
    pn_adjoint(x->m, x->v, ad);
    for (int i = 0; i < n; i++) {
        A[i * 2 * n + n + i] = 1;
        for (int j = 0; j < n; j++)
            for (int k = 0; k < nv; k++)
                A[i * 2 * n + j] -= ad[x->seen.velocity[i] * nv + k] * x->seen.motion[k * n + j];
    }
}

/* rolling leaves more freedom to positions than to velocities, which [delta; w] cannot say */
static int rolls(const pinion_model *m)
{
    pinion_loop_info loop;
    for (int i = 0; i < pinion_model_loop_count(m); i++)
        if (pinion_model_loop(m, i, &loop) == PINION_OK && loop.nonholonomic > 0) return 1;
    return 0;
}

static pinion_status fill(near_state *x, pinion_error *err)
{
    pinion_linear *l = &x->seen;
    const size_t nv = (size_t)x->nv, nn = nv * nv, nu = (size_t)pinion_model_actuator_count(x->m);
    /* the largest it can be; states, velocities and forces are copied behind the results */
    double *A = x->memory, *B = A + 4 * nn, *a = B + 2 * nv * nu;
    double *motion = a + nv, *drift = motion + nn, *room = drift + nn;
    int *velocity = x->numbers, *input = velocity + nv;
    l->A = A, l->B = B, l->a = a, l->motion = motion, l->velocity = velocity, l->input = input;
    l->inputs = inputs_of(x->m, input);
    l->friction = pn_friction_at_rest(x->m, x->v);
    l->freedom = x->nv;
    pinion_status status = PINION_OK;
    for (int i = 0; i < x->nv; i++) velocity[i] = i, motion[(size_t)i * nv + (size_t)i] = 1;
    if (x->looped) status = pn_loops_independent(x, velocity, motion, drift, &l->freedom);
    const size_t n = (size_t)l->freedom;
    double *lower = A + 2 * n * n, *moved = B + n * (size_t)l->inputs;
    if (!status) status = dynamics(x, a, lower, moved, x->looped ? drift : NULL, room);
    if (!status) kinematics(x, A, room);
    if (status) return pn_linear_fail(err, status, pinion_work_message(x->w));
    l->states = 2 * l->freedom;
    status = pn_linear_actuators(x);
    return status ? pn_linear_fail(err, status, NULL) : PINION_OK;
}

/* at a state that is not looked at afterwards; forces and `like` may be NULL */
static near_state *linear_at(const pinion_model *m, pinion_forces *forces, double t, const double *q, const double *v,
                             const double *tau, const near_state *like, pinion_error *err)
{
    const size_t nv = (size_t)pinion_model_nv(m), nn = nv * nv, nu = (size_t)pinion_model_actuator_count(m);
    near_state *x = calloc(1, sizeof *x);
    double *memory = calloc(11 * nn + 3 * nv * nu + 6 * nv + 1, sizeof *memory);
    int *numbers = calloc(nv + nu + 1, sizeof *numbers);
    pinion_work *w = pinion_work_new(m);
    if (!x || !memory || !numbers || !w) {
        pn_linear_fail(err, PINION_ERR_MEMORY, NULL);
        free(x);
        free(memory);
        free(numbers);
        pinion_work_free(w);
        return NULL;
    }
    double *own = memory + 11 * nn + 2 * nv * nu + 2 * nv;
    x->slack = own + 2 * nv;
    x->actuation = x->slack + 2 * nv;
    x->forces = forces, x->t = t, x->body = forces ? pinion_forces_model(forces) : m;
    x->m = m, x->w = w, x->memory = memory, x->numbers = numbers, x->like = like;
    x->nq = pinion_model_nq(m), x->nv = (int)nv, x->rows = pinion_model_row_count(m);
    x->looped = pinion_model_loop_count(m) > 0;
    x->q = q;
    x->v = v ? v : own;
    x->tau = tau ? tau : own;
    const pinion_status status = fill(x, err);
    pinion_work_free(w);
    x->w = NULL;
    x->q = x->v = x->tau = NULL;
    x->like = NULL;
    if (!status) return x;
    pinion_linear_free(&x->seen);
    return NULL;
}

/* How much A is another one at a state that differs from q and v by as much as rows of loops are not zero here. */
static double loss_at(const near_state *x, const double *q, const double *v, const double *tau)
{
    const size_t nv = (size_t)x->nv, size = (size_t)x->seen.states * (size_t)x->seen.states;
    double *other = malloc(((size_t)x->nq + nv + 1) * sizeof *other), *velocity = other ? other + x->nq : NULL;
    double most = 0;
    near_state *y = NULL;
    for (size_t i = 0; other && i < nv; i++) velocity[i] = (v ? v[i] : 0) + x->slack[nv + i];
    if (other && pinion_integrate(x->m, q, x->slack, 1, other) == PINION_OK)
        y = linear_at(x->m, x->forces, x->t, other, velocity, tau, x, NULL);
    for (size_t i = 0; y && i < size && !isnan(most); i++) {
        const double off = fabs(y->seen.A[i] - x->seen.A[i]);
        if (!(off <= most)) most = off;
    }
    if (!y || isnan(most)) most = INFINITY;
    if (y) pinion_linear_free(&y->seen);
    free(other);
    return most;
}

pinion_linear *pinion_linearize_with(const pinion_model *m, pinion_forces *forces, double t, const double *q,
                                     const double *v, const double *tau, pinion_error *err)
{
    if (err) memset(err, 0, sizeof *err);
    if (!m || !q) {
        pn_linear_fail(err, PINION_ERR_ARGUMENT, !m ? "m is NULL" : "q is NULL");
        return NULL;
    }
    if (rolls(m)) {
        pn_linear_fail(err, PINION_ERR_UNSUPPORTED, "a model with rolling contacts cannot be linearized yet");
        return NULL;
    }
    near_state *x = linear_at(m, forces, t, q, v, tau, NULL, err);
    if (x && x->rows) x->seen.loss = loss_at(x, q, v, tau);
    return x ? &x->seen : NULL;
}

pinion_linear *pinion_linearize(const pinion_model *m, const double *q, const double *v, const double *tau,
                                pinion_error *err)
{
    return pinion_linearize_with(m, NULL, 0, q, v, tau, err);
}

void pinion_linear_free(pinion_linear *l)
{
    if (!l) return;
    near_state *x = (near_state *)l;
    free(x->memory);
    free(x->numbers);
    free(x->more);
    free(x->whose);
    free(x);
}

/* ---- modes ---- */

typedef struct ranked {
    double size, re, im;
    int from;
} ranked;

/* by frequency, then decay, conjugate ones beside each other with the positive first */
static int by_frequency(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    const double near = 1e-9 * (x->size + y->size);
    if (fabs(x->size - y->size) > near) return x->size < y->size ? -1 : 1;
    if (fabs(x->re - y->re) > near) return x->re < y->re ? -1 : 1;
    return x->im > y->im ? -1 : x->im < y->im;
}

pinion_status pinion_linear_modes(const pinion_linear *l, double *value, double *vector)
{
    if (!l || !value) return PINION_ERR_ARGUMENT;
    const size_t n = (size_t)l->states;
    double *values = malloc((2 * n + 2 * n * n + 1) * sizeof *values),
           *vectors = values ? values + 2 * n : NULL;
    ranked *order = malloc((n + 1) * sizeof *order);
    pinion_status status = values && order ? PINION_OK : PINION_ERR_MEMORY;
    if (!status) status = pn_eigen((int)n, l->A, values, vector ? vectors : NULL);
    for (size_t i = 0; !status && i < n; i++)
        order[i] =
            (ranked){hypot(values[2 * i], values[2 * i + 1]), values[2 * i], values[2 * i + 1], (int)i};
    if (!status) qsort(order, n, sizeof *order, by_frequency);
    for (size_t i = 0; !status && i < n; i++) {
        value[2 * i] = order[i].re;
        value[2 * i + 1] = order[i].im;
        if (vector)
            memcpy(vector + 2 * n * i, vectors + 2 * n * (size_t)order[i].from, 2 * n * sizeof *vector);
    }
    free(values);
    free(order);
    return status;
}
