/* tau = B(q) u: B, its product with u, and u for given joint forces. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/element_forces.h"
#include "api/transmission.h"
#include "base/law.h"
#include "base/vec3.h"
#include "model/actuator_terms.h"
#include "model/block.h"
#include "pinion/actuators.h"
#include "pinion/loops.h"

#define PN_T double
#include "solve/dense_orthogonal.inc"

#define PI 3.14159265358979323846
#define DEPENDENT 1e-12 /* the share of the longest column of B below which one counts as a sum of others */

pinion_status pinion_actuation_matrix(const pinion_model *m, pinion_work *w, const double *q, double *B)
{
    double *column = NULL;
    pinion_status status = pn_work_enter(m, w, q, B, &column);
    if (status != PINION_OK) return status;
    const size_t nv = (size_t)m->n.nv, nu = (size_t)m->actuators;
    memset(B, 0, nv * nu * sizeof *B);
    for (size_t k = 0; k < nu && status == PINION_OK; k++) {
        pinion_actuator_info a;
        status = pinion_model_actuator(m, (int)k, &a);
        for (int i = 0; status == PINION_OK && i < a.term_count; i++)
            B[(size_t)a.term[i].v_index * nu + k] += a.term[i].factor;
        if (status != PINION_OK || a.term_count) continue;
        memset(column, 0, nv * sizeof *column);
        status = pn_transmit(m, w, q, &a, a.gear * a.efficiency, column + nv, column);
        for (size_t i = 0; i < nv && status == PINION_OK; i++) B[i * nu + k] = column[i];
    }
    return status;
}

pinion_status pinion_actuation_torque(const pinion_model *m, pinion_work *w, const double *q, const double *u,
                                      double *tau)
{
    double *room = NULL;
    pinion_status status = pn_work_enter(m, w, q, u && tau ? tau : NULL, &room);
    if (status != PINION_OK) return status;
    memset(tau, 0, (size_t)m->n.nv * sizeof *tau);
    for (int k = 0; k < m->actuators && status == PINION_OK; k++) {
        int count = 0;
        const pinion_actuator_term *term = pn_actuator_terms(m, k, &count);
        for (int i = 0; i < count; i++) tau[term[i].v_index] += term[i].factor * u[k];
        pinion_actuator_info a;
        if (count) continue;
        status = pinion_model_actuator(m, k, &a);
        if (status == PINION_OK) status = pn_transmit(m, w, q, &a, a.gear * a.efficiency * u[k], room, tau);
    }
    return status;
}

pinion_status pinion_d_actuation_torque(const pinion_model *m, pinion_work *w, const double *q, const double *u,
                                        double *dq)
{
    double *columns = NULL, *room = NULL;
    pinion_status status = pn_work_enter(m, w, q, u && dq ? dq : NULL, &columns);
    if (status != PINION_OK) return status;
    const size_t nv = (size_t)m->n.nv;
    memset(dq, 0, nv * nv * sizeof *dq);
    for (int k = 0; k < m->actuators && status == PINION_OK; k++) {
        pinion_actuator_info a;
        status = pinion_model_actuator(m, k, &a);
        if (status != PINION_OK || a.term_count || u[k] == 0) continue;
        if (!room) room = malloc((pn_tendon_room(m) + 18 * nv) * sizeof *room);
        if (!room) return PINION_ERR_MEMORY;
        status = pn_d_transmit(m, w, q, &a, a.gear * a.efficiency * u[k], room, dq);
    }
    free(room);
    return status;
}

pinion_status pinion_actuator_speed(const pinion_model *m, pinion_work *w, const double *q, const double *v, int index,
                                    double *speed)
{
    double *columns = NULL;
    pinion_actuator_info a;
    pinion_status status = pn_work_enter(m, w, q, v ? speed : NULL, &columns);
    if (status == PINION_OK) status = pinion_model_actuator(m, index, &a);
    if (status != PINION_OK) return status;
    *speed = 0;
    for (int i = 0; i < a.term_count; i++) *speed += a.term[i].factor * v[a.term[i].v_index] / a.efficiency;
    if (a.term_count) return PINION_OK;
    status = pn_transmission_rate(m, w, q, v, &a, speed);
    *speed *= a.gear;
    return status;
}

/* What a term adds to the length of its actuator. */
static double term_length(const pinion_model *m, const double *q, const pinion_actuator_term *t)
{
    pinion_joint_info j;
    if (pinion_model_joint(m, t->joint, &j) != PINION_OK) return 0;
    if (j.type == PINION_JOINT_SPHERICAL) {
        double vector[3];
        pn_quaternion_vector(q + j.q_index, vector);
        return vector[t->dof];
    }
    const int has = j.type != PINION_JOINT_FREE && (j.type != PINION_JOINT_PLANAR || t->dof == 2);
    return has ? j.multiplier * q[j.q_source + t->dof] + j.offset : 0;
}

pinion_status pinion_actuator_length(const pinion_model *m, pinion_work *w, const double *q, int index, double *length)
{
    double *columns = NULL;
    pinion_actuator_info a;
    pinion_status status = pn_work_enter(m, w, q, length, &columns);
    if (status == PINION_OK) status = pinion_model_actuator(m, index, &a);
    if (status != PINION_OK) return status;
    *length = 0;
    if (!a.term_count) status = pn_transmission_length(m, w, q, &a, length);
    for (int i = 0; i < a.term_count; i++) *length += a.term[i].weight * term_length(m, q, &a.term[i]);
    *length *= a.gear;
    return status;
}

/* The angle of a ball, or between two frames, is one of many, by turns; the one nearest to c. */
static double near_turn(const pinion_model *m, const pinion_actuator_info *a, double length, double c)
{
    const double *moment = a->wrench;
    double square = 0;
    if (a->type == PINION_ACTUATOR_PAIR && pn_dot3(moment + 3, moment + 3) == 0) square = pn_dot3(moment, moment);
    for (int i = 0; i < a->term_count; i++) {
        pinion_joint_info j;
        if (pinion_model_joint(m, a->term[i].joint, &j) != PINION_OK || j.type != PINION_JOINT_SPHERICAL ||
            a->term[i].joint != a->term[0].joint)
            return length;
        square += a->term[i].weight * a->term[i].weight;
    }
    const double turn = 2 * PI * fabs(a->gear) * sqrt(square);
    return turn > 0 ? length + turn * nearbyint((c - length) / turn) : length;
}

/* NaN stays what it is: fmin and fmax would make a limit of it. */
static double within(double x, const double range[2])
{
    return x < range[0] ? range[0] : x > range[1] ? range[1] : x;
}

double pinion_actuator_activation(const pinion_actuator_law *law, double control, double t)
{
    const double c = within(control, law->control), start = within(0, law->state);
    if (!pn_law_has_activation(law)) return c;
    /* it goes one way, so that a limit that it has reached holds it */
    return within(law->integrates ? start + c * t : c + (start - c) * exp(-t / law->filter), law->state);
}

pinion_status pinion_actuation_controls(const pinion_model *m, pinion_work *w, const double *q, const double *v,
                                        const double *control, double *u)
{
    double *columns = NULL;
    pinion_status status = pn_work_enter(m, w, q, v && control ? u : NULL, &columns);
    if (status != PINION_OK) return status;
    for (int k = 0; k < m->actuators && status == PINION_OK; k++) {
        pinion_actuator_info a;
        double length = 0, speed = 0;
        status = pinion_model_actuator(m, k, &a);
        const pinion_actuator_law *law = &a.law;
        if (status == PINION_OK && (law->bias[1] != 0 || law->slope[0] != 0))
            status = pinion_actuator_length(m, w, q, k, &length);
        if (status == PINION_OK && (law->bias[2] != 0 || law->slope[1] != 0))
            status = pinion_actuator_speed(m, w, q, v, k, &speed);
        if (status != PINION_OK) break;
        const double c = within(control[k], pn_law_has_activation(law) ? law->state : law->control);
        if (law->bias[1] == -law->gain) length = near_turn(m, &a, length, c);
        const double gain = law->gain + law->slope[0] * length + law->slope[1] * speed;
        const double force = gain * c + law->bias[0] + law->bias[1] * length + law->bias[2] * speed;
        u[k] = within(force, a.effort);
    }
    return status;
}

/* ---- the other way ---- */

/* With closed loops the forces lambda that keep them take their part: B u + L' lambda is to be tau. */
struct pinion_allocation {
    const pinion_model *m;
    pinion_work *w;
    int nv, nu, rows; /* rows 0: no loops, or nothing for them to do */
    int apart;        /* each actuator moves one coordinate, and no two the same: nothing to solve */
    int constant;     /* B is, and factored */
    double *memory;
    double *A; /* [nv][nu + rows]: B and L', then their factors */
    double *L; /* [rows][nv] */
    double *b; /* [nv] */
    double *x; /* [nu + rows]: u and lambda */
    qr f;
};

/* What kind of B it is. */
static int examine(pinion_allocation *x)
{
    unsigned char *taken = calloc((size_t)x->nv + 1, 1);
    if (!taken) return 0;
    x->apart = x->constant = 1;
    for (int k = 0; k < x->nu; k++) {
        pinion_actuator_info a;
        if (pinion_model_actuator(x->m, k, &a) != PINION_OK) break;
        if (!a.term_count) x->constant = 0;
        if (a.term_count != 1 || taken[a.term[0].v_index]++) x->apart = 0;
    }
    free(taken);
    if (x->apart && x->nu == x->nv) return 1;
    x->rows = x->m->n.rows;
    if (x->rows > 0) x->apart = x->constant = 0;
    return 1;
}

static pinion_status factor(pinion_allocation *x, const double *q)
{
    const size_t nv = (size_t)x->nv, nu = (size_t)x->nu, rows = (size_t)x->rows, columns = nu + rows;
    const pinion_constraints loops = {.L = x->L};
    pinion_status status = pinion_actuation_matrix(x->m, x->w, q, x->A);
    if (status == PINION_OK && rows) status = pinion_constraints_at(x->m, x->w, 0, q, NULL, &loops);
    if (status != PINION_OK) return status;
    for (size_t i = nv; i-- > 0 && rows;) {
        memmove(x->A + i * columns, x->A + i * nu, nu * sizeof *x->A);
        for (size_t k = 0; k < rows; k++) x->A[i * columns + nu + k] = x->L[k * nv + i];
    }
    qr_factor(&x->f, DEPENDENT);
    qr_complete(&x->f);
    return PINION_OK;
}

/* A constant B is factored once, at any place. */
static int prepare(pinion_allocation *x)
{
    if (x->apart) return 1;
    const size_t nv = (size_t)x->nv, rows = (size_t)x->rows, columns = (size_t)x->nu + rows;
    if (nv > 0 && columns > (size_t)INT_MAX / nv) return 0;
    x->memory = malloc((nv * (columns + rows + 1) + columns + qr_room((int)columns) + 1) * sizeof *x->memory);
    if (!x->memory) return 0;
    x->A = x->memory;
    x->L = x->A + nv * columns;
    x->b = x->L + nv * rows;
    x->x = x->b + nv;
    x->f = qr_open(x->nv, (int)columns, x->A, x->x + columns);
    if (!x->constant) return 1;
    double *q = malloc((size_t)x->m->n.nq * sizeof *q + 1);
    const int ok = q && pinion_neutral(x->m, q) == PINION_OK && factor(x, q) == PINION_OK;
    free(q);
    return ok;
}

pinion_allocation *pinion_allocation_new(const pinion_model *m)
{
    pinion_allocation *x = m ? calloc(1, sizeof *x) : NULL;
    if (!x) return NULL;
    x->m = m;
    x->nv = m->n.nv;
    x->nu = m->actuators;
    x->w = pinion_work_new(m);
    if (x->w && examine(x) && prepare(x)) return x;
    pinion_allocation_free(x);
    return NULL;
}

void pinion_allocation_free(pinion_allocation *x)
{
    if (!x) return;
    pinion_work_free(x->w);
    free(x->memory);
    free(x);
}

/* u, its limits aside. */
static pinion_status solve(pinion_allocation *x, const double *q, const double *tau, double *u)
{
    if (x->apart) {
        for (int k = 0, count; k < x->nu; k++) {
            const pinion_actuator_term *term = pn_actuator_terms(x->m, k, &count);
            u[k] = tau[term->v_index] / term->factor;
        }
        return PINION_OK;
    }
    const pinion_status status = x->constant ? PINION_OK : factor(x, q);
    if (status != PINION_OK) return status;
    memcpy(x->b, tau, (size_t)x->nv * sizeof *x->b);
    qr_least_squares(&x->f, x->b, x->x);
    memcpy(u, x->x, (size_t)x->nu * sizeof *u);
    return PINION_OK;
}

pinion_status pinion_allocation_forces(pinion_allocation *x, const double *q, const double *tau, int limit, double *u,
                                       double *rest)
{
    if (!x || (!q && x->m->n.nq > 0) || !tau || !u) return PINION_ERR_ARGUMENT;
    pinion_status status = solve(x, q, tau, u);
    for (int k = 0; k < x->nu && limit && status == PINION_OK; k++) {
        pinion_actuator_info a;
        status = pinion_model_actuator(x->m, k, &a);
        if (u[k] < a.effort[0]) u[k] = a.effort[0];
        if (u[k] > a.effort[1]) u[k] = a.effort[1];
    }
    if (status != PINION_OK || !rest) return status;
    status = pinion_actuation_torque(x->m, x->w, q, u, rest);
    for (int i = 0; i < x->nv && status == PINION_OK; i++) {
        for (int k = 0; k < x->rows; k++) rest[i] += x->L[k * x->nv + i] * x->x[x->nu + k];
        rest[i] = tau[i] - rest[i];
    }
    return status;
}
