/* Inverse dynamics of elastic joints.
 *
 * The links need F = tau(q, q', q''), and the spring between motor and link gives it: k (theta / G - q) = F. So theta
 * is G (q + F / k), its acceleration takes F'', and that takes q''''. F, F' and F'' come from one run of RNEA over
 * polynomials in time (real/real_taylor.h). The motor gives J theta'' + F / G. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/curve.h"
#include "kernel/taylor.h"

#define PN_T double
#define UNIT 1e-6 /* how far quaternions may be from unit length, as everywhere in the API */
#include "api/quaternions.inc"

/* a joint's own coordinates */
typedef struct part {
    pinion_joint_type type;
    int q, v, nq, nv;
} part;

/* an elastic joint */
typedef struct spring {
    pinion_elastic_joint_info info;
    int q, v;             /* of the link side */
    int motor_q, motor_v; /* of the motor */
    pinion_dof dof, motor;
} spring;

struct pinion_elastic_joints {
    const pinion_model *m;
    pinion_work *w;
    int nq, nv, parts, springs;
    part *part;
    spring *spring;
    double *q, *v, *a, *tau; /* [nq or nv][PN_TAYLOR] */
    double *passive;         /* [nv] */
    void *memory, *scratch;
    char message[320];
};

/* ---- making one ---- */

static int take_parts(pinion_elastic_joints *x)
{
    const int joints = pinion_model_joint_count(x->m), springs = pinion_model_elastic_joint_count(x->m);
    x->part = calloc((size_t)joints + 1, sizeof *x->part);
    x->spring = calloc((size_t)springs + 1, sizeof *x->spring);
    if (!x->part || !x->spring) return 0;
    for (int i = 0; i < joints; i++) {
        pinion_joint_info j;
        if (pinion_model_joint(x->m, i, &j) != PINION_OK || j.nv == 0) continue;
        x->part[x->parts++] = (part){j.type, j.q_index, j.v_index, j.nq, j.nv};
    }
    for (int i = 0; i < springs; i++) {
        spring *s = &x->spring[i];
        pinion_joint_info joint, motor;
        if (pinion_model_elastic_joint(x->m, i, &s->info) != PINION_OK ||
            pinion_model_joint(x->m, s->info.joint, &joint) != PINION_OK ||
            pinion_model_joint(x->m, s->info.motor, &motor) != PINION_OK)
            return 0;
        s->q = joint.q_index;
        s->v = joint.v_index;
        s->dof = joint.dof[0];
        s->motor_q = motor.q_index;
        s->motor_v = motor.v_index;
        s->motor = motor.dof[0];
        x->springs++;
    }
    return 1;
}

pinion_elastic_joints *pinion_elastic_joints_new(const pinion_model *m)
{
    pinion_elastic_joints *x = m ? calloc(1, sizeof *x) : NULL;
    if (!x) return NULL;
    x->m = m;
    x->nq = m->n.nq;
    x->nv = m->n.nv;
    x->w = pinion_work_new(m);
    const uint64_t numbers = (uint64_t)(x->nq + 3 * x->nv) * PN_TAYLOR + (uint64_t)x->nv + 1;
    const uint64_t scratch = pn_work_reals(&m->n) * PN_TAYLOR;
    const uint64_t bytes = (numbers + scratch) * sizeof(double) + 64;
    x->memory = bytes < SIZE_MAX / 2 ? calloc(1, (size_t)bytes) : NULL;
    if (!x->w || !x->memory || !take_parts(x)) {
        pinion_elastic_joints_free(x);
        return NULL;
    }
    double *at = x->memory;
    x->q = at;
    x->v = x->q + x->nq * PN_TAYLOR;
    x->a = x->v + x->nv * PN_TAYLOR;
    x->tau = x->a + x->nv * PN_TAYLOR;
    x->passive = x->tau + x->nv * PN_TAYLOR;
    x->scratch = pn_align(x->passive + x->nv + 1);
    return x;
}

void pinion_elastic_joints_free(pinion_elastic_joints *x)
{
    if (!x) return;
    pinion_work_free(x->w);
    free(x->part);
    free(x->spring);
    free(x->memory);
    free(x);
}

const char *pinion_elastic_joints_message(const pinion_elastic_joints *x)
{
    return x ? x->message : "";
}

static pinion_status refuse(pinion_elastic_joints *x, pinion_status status, const char *sentence)
{
    snprintf(x->message, sizeof x->message, "%s", sentence);
    return status;
}

/* ---- coordinates as polynomials ---- */

static double entry(const double *x, int i)
{
    return x ? x[i] : 0;
}

/* y = p w of a quaternion and a vector, times a factor, added */
static void add_product(double factor, const double p[4], const double w[3], double y[4])
{
    y[0] -= factor * (p[1] * w[0] + p[2] * w[1] + p[3] * w[2]);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        y[1 + i] += factor * (p[0] * w[i] + p[1 + j] * w[k] - p[1 + k] * w[j]);
    }
}

/* p' = p w / 2, with w in the child's frame */
static void quaternion_series(const double *q, const double w[3], const double dw[3], double *out)
{
    double p1[4] = {0}, p2[4] = {0};
    add_product(0.5, q, w, p1);
    add_product(0.25, q, dw, p2);
    add_product(0.25, p1, w, p2);
    for (int i = 0; i < 4; i++) {
        out[PN_TAYLOR * i] = q[i];
        out[PN_TAYLOR * i + 1] = p1[i];
        out[PN_TAYLOR * i + 2] = p2[i];
    }
}

/* y = the rotation of a quaternion, of any length, times x */
static void turn(const double *q, const double x[3], double y[3])
{
    const double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], *u = q + 1;
    const double c[3] = {u[1] * x[2] - u[2] * x[1], u[2] * x[0] - u[0] * x[2], u[0] * x[1] - u[1] * x[0]};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        y[i] = x[i] + 2 * (q[0] * c[i] + u[j] * c[k] - u[k] * c[j]) / n;
    }
}

/* a place whose velocity is x' = R v, with v in axes that turn with w */
static void place_series(const double p[3], const double v[3], const double bend[3], double *out)
{
    for (int i = 0; i < 3; i++) {
        out[PN_TAYLOR * i] = p[i];
        out[PN_TAYLOR * i + 1] = v[i];
        out[PN_TAYLOR * i + 2] = bend[i] / 2;
    }
}

static void joint_series(const part *p, const double *q, const double *v, const double *a, double *out)
{
    double x[6], y[6], world[3], bend[3];
    for (int i = 0; i < p->nv; i++) {
        x[i] = entry(v, p->v + i);
        y[i] = entry(a, p->v + i);
    }
    if (p->type == PINION_JOINT_SPHERICAL || p->type == PINION_JOINT_FREE) {
        quaternion_series(q, x, y, out);
        if (p->type == PINION_JOINT_SPHERICAL) return;
        double b[3];
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            b[i] = y[3 + i] + x[j] * x[3 + k] - x[k] * x[3 + j];
        }
        turn(q, x + 3, world);
        turn(q, b, bend);
        place_series(q + 4, world, bend, out + 4 * PN_TAYLOR);
    } else if (p->type == PINION_JOINT_PLANAR) {
        const double c = cos(q[2]), s = sin(q[2]), b[2] = {y[0] - x[2] * x[1], y[1] + x[2] * x[0]};
        const double along[3] = {c * x[0] - s * x[1], s * x[0] + c * x[1], x[2]};
        const double curve[3] = {c * b[0] - s * b[1], s * b[0] + c * b[1], y[2]};
        place_series(q, along, curve, out);
    } else {
        for (int i = 0; i < p->nv; i++) {
            out[PN_TAYLOR * i] = q[i];
            out[PN_TAYLOR * i + 1] = x[i];
            out[PN_TAYLOR * i + 2] = y[i] / 2;
        }
    }
}

/* x->tau of the motion */
static pinion_status rates(pinion_elastic_joints *x, const double *q, const double *v, const double *a,
                           const double *jerk, const double *snap)
{
    x->message[0] = '\0';
    if (!q && x->nq) return refuse(x, PINION_ERR_ARGUMENT, "q is NULL");
    if (x->m->n.loops)
        return refuse(x, PINION_ERR_LOOPS, "rates of inverse dynamics are of models without closed loops");
    if (bad_quaternion(x->m, q, UNIT)) return refuse(x, PINION_ERR_QUATERNION, "a quaternion is not of unit length");
    for (int i = 0; i < x->parts; i++)
        joint_series(&x->part[i], q + x->part[i].q, v, a, x->q + x->part[i].q * PN_TAYLOR);
    for (int i = 0; i < x->nv; i++) {
        const double d[4] = {entry(v, i), entry(a, i), entry(jerk, i), entry(snap, i)};
        for (int k = 0; k < PN_TAYLOR; k++) {
            x->v[i * PN_TAYLOR + k] = k < 2 ? d[k] : d[k] / 2;
            x->a[i * PN_TAYLOR + k] = k < 2 ? d[k + 1] : d[k + 1] / 2;
        }
    }
#ifdef PN_HAS_TAYLOR
    const pn_ctx k = pn_context(x->m, sizeof(double), x->scratch);
    pn_io io;
    memset(&io, 0, sizeof io);
    io.q = x->q;
    io.v = x->v;
    io.a = x->a;
    io.out[0] = x->tau;
    io.frame = -1;
    pn_taylor_inverse_dynamics(&k, &io);
    return PINION_OK;
#else
    return refuse(x, PINION_ERR_UNSUPPORTED, "the library was built without C++ (PINION_TRACE=OFF), which this needs");
#endif
}

pinion_status pinion_inverse_dynamics_rates(pinion_elastic_joints *x, const double *q, const double *v, const double *a,
                                            const double *jerk, const double *snap, double *tau, double *dtau,
                                            double *ddtau)
{
    if (!x) return PINION_ERR_ARGUMENT;
    const pinion_status status = rates(x, q, v, a, jerk, snap);
    double *const out[PN_TAYLOR] = {tau, dtau, ddtau};
    for (int i = 0; status == PINION_OK && i < x->nv; i++)
        for (int k = 0; k < PN_TAYLOR; k++)
            if (out[k]) out[k][i] = (k == 2 ? 2 : 1) * x->tau[i * PN_TAYLOR + k];
    return status;
}

/* ---- elastic joints ---- */

/* whether the rotors move no link by their acceleration */
static pinion_status check_rotors(pinion_elastic_joints *x, int passive)
{
    for (int i = 0; i < x->springs; i++) {
        pinion_joint_info motor;
        pinion_link_info parent;
        if (x->spring[i].info.model != PINION_ELASTIC_FULL) continue;
        if (pinion_model_joint(x->m, x->spring[i].info.motor, &motor) != PINION_OK || motor.parent < 0 ||
            pinion_model_link(x->m, motor.parent, &parent) != PINION_OK || parent.body > 0)
            return refuse(x, PINION_ERR_UNSUPPORTED,
                          "rotors of the full model couple with the links that carry them: the motion of the links up "
                          "to its fourth derivative does not decide their torques; expected \"model\": \"spong\"");
    }
    int others = 0;
    for (int i = 0; passive && i < pinion_model_tendon_count(x->m); i++) {
        pinion_tendon_info t;
        if (pinion_model_tendon(x->m, i, &t) == PINION_OK && (t.stiffness != 0 || t.damping != 0 ||
            pn_is_curved(t.stiffness_curve) || pn_is_curved(t.damping_curve)))
            others++;
    }
    if (passive && (others > x->springs || x->m->carried))
        return refuse(x, PINION_ERR_UNSUPPORTED,
                      "tendons beside the springs of elastic joints, and weight that is carried, are not among the "
                      "passive forces of elastic inverse dynamics");
    return PINION_OK;
}

/* What spring, damper and friction of the joint itself exert, and its derivatives, as the joint moves with these. */
static void own_force(const pinion_dof *d, const double x[4], double out[3])
{
    const double friction = x[1] > 0 ? -d->friction_positive : x[1] < 0 ? d->friction_negative : 0;
    const double away = x[0] - d->rest, speed = fabs(x[1]), *c = d->stiffness_curve, *b = d->damping_curve;
    const double k = pn_tangent(d->stiffness, c, away), damping = pn_tangent(d->damping, b, speed);
    out[0] = -pn_secant(d->stiffness, c, away) * away - pn_secant(d->damping, b, speed) * x[1] + friction;
    out[1] = -k * x[1] - damping * x[2];
    out[2] = -k * x[2] - damping * x[3] - pn_tangent_slope(c, away) * x[1] * x[1] -
             (x[1] < 0 ? -1 : 1) * pn_tangent_slope(b, speed) * x[2] * x[2];
}

/* the motor of one joint, from what its link needs */
static void drive(const pinion_elastic_joints *x, const spring *s, int passive, double *q, double *v, double *a,
                  const double *jerk, double *tau)
{
    const double k = s->info.stiffness, d = s->info.damping, G = s->info.gear, J = s->info.rotor_inertia;
    const double *t = x->tau + s->v * PN_TAYLOR;
    const double link[4] = {q[s->q], v[s->v], a[s->v], entry(jerk, s->v)};
    double F[3] = {t[0], t[1], 2 * t[2]}, own[3], delta[3];
    own_force(&s->dof, link, own);
    for (int i = 0; passive && i < 3; i++) F[i] -= own[i];
    if (d == 0) {
        for (int i = 0; i < 3; i++) delta[i] = F[i] / k;
        q[s->motor_q] = G * (link[0] + delta[0]);
    } else {
        delta[0] = q[s->motor_q] / G - link[0];
        delta[1] = (F[0] - k * delta[0]) / d;
        delta[2] = (F[1] - k * delta[1]) / d;
    }
    v[s->motor_v] = G * (link[1] + delta[1]);
    a[s->motor_v] = G * (link[2] + delta[2]);
    const double motor[4] = {q[s->motor_q], v[s->motor_v], a[s->motor_v], 0};
    own_force(&s->motor, motor, own);
    tau[s->motor_v] = J * motor[2] + F[0] / G - (passive ? own[0] : 0);
    tau[s->v] = 0;
}

pinion_status pinion_elastic_joints_inverse_dynamics(pinion_elastic_joints *x, int passive, double *q, double *v,
                                                     double *a, const double *jerk, const double *snap, double *tau)
{
    if (!x) return PINION_ERR_ARGUMENT;
    x->message[0] = '\0';
    if (!q || !v || !a || !tau) return refuse(x, PINION_ERR_ARGUMENT, "q, v, a or tau is NULL");
    pinion_status status = check_rotors(x, passive);
    /* the links need the same however the motors move */
    for (int i = 0; i < x->springs; i++) v[x->spring[i].motor_v] = a[x->spring[i].motor_v] = 0;
    if (status == PINION_OK) status = rates(x, q, v, a, jerk, snap);
    if (status != PINION_OK) return status;
    for (int i = 0; i < x->nv; i++) tau[i] = x->tau[i * PN_TAYLOR];
    for (int i = 0; i < x->springs; i++) drive(x, &x->spring[i], passive, q, v, a, jerk, tau);
    if (!passive) return PINION_OK;
    status = pinion_passive_forces(x->m, x->w, q, v, x->passive);
    if (status != PINION_OK) return refuse(x, status, pinion_work_message(x->w));
    for (int i = 0; i < x->springs; i++) x->passive[x->spring[i].v] = x->passive[x->spring[i].motor_v] = 0;
    for (int i = 0; i < x->nv; i++) tau[i] -= x->passive[i];
    return PINION_OK;
}
