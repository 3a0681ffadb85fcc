/* Tendons, what carries the weight of links and what brakes them (element_drag.c): their forces on the joints, and the
 * derivatives of these.
 *
 * A tendon of length L(q) with g = dL/dq pulls with f = -k (L - rest) - d L', where k and d may have curves
 * (base/curve.h): tau = f g. A stop presses it back from a limit. Of a path L is the sum of
 * |p_b - p_a| over its lines, each divided by its pulley, and g = sum u' (J_b - J_a), u the line's direction. The
 * weight of a link is carried by a force at its centre of mass, which keeps its direction in the world. */
#include "api/element_forces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/curve.h"
#include "base/vec3.h"
#include "pinion/calls.h"

struct pinion_elements {
    const pinion_model *m;
    pn_tendon_stops stops;
    double *tau;  /* [nv] */
    double *more; /* of derivatives: taken the first time */
};

/* What a call computes with. */
typedef struct call {
    const pinion_model *m;
    pinion_work *w;
    const double *q, *v; /* v NULL: at rest */
    double *tau;         /* [nv] */
    int nv;
    const pn_tendon_stops *stops; /* NULL: none */
} call;

pinion_elements *pinion_elements_new(const pinion_model *m)
{
    pinion_elements *x = m ? calloc(1, sizeof *x) : NULL;
    if (!x) return NULL;
    x->m = m;
    x->tau = calloc((size_t)pinion_model_nv(m) + 1, sizeof *x->tau);
    if (x->tau) return x;
    pinion_elements_free(x);
    return NULL;
}

void pinion_elements_free(pinion_elements *x)
{
    if (!x) return;
    free(x->tau);
    free(x->more);
    free(x);
}

pinion_status pinion_elements_stops(pinion_elements *x, double stiffness, double damping, int alone)
{
    if (!x || !(stiffness >= 0 && damping >= 0) || !isfinite(stiffness + damping)) return PINION_ERR_ARGUMENT;
    x->stops = (pn_tendon_stops){stiffness, damping, alone != 0};
    return PINION_OK;
}

/* J' of a force at the origin of a frame, with its moment about it, times a factor, added. */
static pinion_status add_force(const call *c, int frame, const double force[6], double factor, double *to)
{
    const pinion_status status =
        pinion_force_to_torque(c->m, c->w, c->q, frame, PINION_REFERENCE_WORLD_ALIGNED, force, c->tau);
    for (int i = 0; i < c->nv && status == PINION_OK; i++) to[i] += factor * c->tau[i];
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Weight */

/* Whether some of a link's weight is carried. */
static int is_carried(const pinion_model *m, int link, pinion_link_info *out)
{
    return pinion_model_link(m, link, out) == PINION_OK && out->body > 0 && out->gravity_compensation != 0 &&
           out->inertia.mass != 0;
}

/* The force that carries a link and its moment about the link's origin; `arm` is from there to the centre of mass.
 * What it adds to the potential goes to *height. */
static pinion_status carry_force(const call *c, int index, const pinion_link_info *link, double force[6], double arm[3],
                                 double *height)
{
    double p[3], R[9], gravity[3];
    const double mass = link->inertia.mass * link->gravity_compensation;
    const pinion_status status = pinion_frame_pose(c->m, c->w, c->q, index, p, R);
    if (status != PINION_OK) return status;
    pinion_model_gravity(c->m, gravity);
    pn_turn3(R, link->inertia.com, arm);
    *height = 0;
    for (int i = 0; i < 3; i++) {
        force[3 + i] = -mass * gravity[i];
        *height += mass * gravity[i] * (p[i] + arm[i]);
    }
    pn_cross3(arm, force + 3, force);
    return PINION_OK;
}

static pinion_status carry(const call *c, double *to, double *potential)
{
    pinion_status status = PINION_OK;
    for (int i = 0; i < pinion_model_link_count(c->m) && status == PINION_OK; i++) {
        pinion_link_info link;
        double force[6], arm[3], height;
        if (!is_carried(c->m, i, &link)) continue;
        status = carry_force(c, i, &link, force, arm, &height);
        if (status == PINION_OK && to) status = add_force(c, i, force, 1, to);
        if (potential) *potential += height;
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Drag */

/* What brakes a link that moves; NULL: nothing. */
static const pinion_drag *drag_of(const pinion_model *m, int link)
{
    pinion_link_info info;
    return pinion_model_link(m, link, &info) == PINION_OK && info.body > 0 ? info.drag : NULL;
}

static pinion_status brake(const call *c, double *to)
{
    pinion_status status = PINION_OK;
    for (int i = 0; i < pinion_model_link_count(c->m) && status == PINION_OK; i++) {
        const pinion_drag *drag = drag_of(c->m, i);
        pn_braking b;
        if (!drag) continue;
        status = pn_brake(c->m, c->w, c->q, c->v, i, drag, &b);
        if (status == PINION_OK)
            status = pinion_force_to_torque(c->m, c->w, c->q, i, PINION_REFERENCE_LOCAL, b.f, c->tau);
        for (int k = 0; k < c->nv && status == PINION_OK; k++) to[k] += c->tau[k];
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Tendons */

/* A line of a path, from a frame to the next one. */
typedef struct line {
    int frame[2];
    double u[3], length;
} line;

/* Whether one begins with object k; a pulley changes the divisor instead. */
static int is_line(const pinion_tendon_info *t, int k, double *divisor)
{
    if (t->term[k].index < 0) *divisor = t->term[k].weight;
    return k + 1 < t->count && t->term[k].index >= 0 && t->term[k + 1].index >= 0;
}

static pinion_status line_at(const call *c, const pinion_tendon_info *t, int k, line *out)
{
    double p[2][3] = {{0}};
    pinion_status status = PINION_OK;
    for (int i = 0; i < 2 && status == PINION_OK; i++) {
        out->frame[i] = t->term[k + i].index;
        status = pinion_frame_pose(c->m, c->w, c->q, out->frame[i], p[i], NULL);
    }
    for (int i = 0; i < 3; i++) out->u[i] = p[1][i] - p[0][i];
    out->length = sqrt(pn_dot3(out->u, out->u));
    for (int i = 0; i < 3; i++) out->u[i] = out->length > 0 ? out->u[i] / out->length : 0;
    return status;
}

static pinion_status path_length(const call *c, const pinion_tendon_info *t, double *length, double *rate)
{
    pinion_status status = PINION_OK;
    double divisor = 1;
    for (int k = 0; k < t->count && status == PINION_OK; k++) {
        line s;
        double motion[2][6] = {{0}};
        if (!is_line(t, k, &divisor)) continue;
        status = line_at(c, t, k, &s);
        *length += s.length / divisor;
        for (int i = 0; i < 2 && c->v && status == PINION_OK; i++)
            status = pinion_frame_velocity(c->m, c->w, c->q, c->v, s.frame[i], PINION_REFERENCE_WORLD_ALIGNED,
                                           motion[i]);
        for (int i = 0; i < 3; i++) *rate += s.u[i] * (motion[1][3 + i] - motion[0][3 + i]) / divisor;
    }
    return status;
}

/* The length and its rate. */
static pinion_status length_of(const call *c, const pinion_tendon_info *t, double *length, double *rate)
{
    *length = *rate = 0;
    if (t->type == PINION_TENDON_PATH) return path_length(c, t, length, rate);
    pinion_status status = PINION_OK;
    for (int k = 0; k < t->count && status == PINION_OK; k++) {
        pinion_joint_info j;
        status = pinion_model_joint(c->m, t->term[k].index, &j);
        *length += t->term[k].weight * (j.multiplier * c->q[j.q_source] + j.offset);
        if (c->v) *rate += t->term[k].weight * j.multiplier * c->v[j.v_source];
    }
    return status;
}

/* How far a length is from where the tendon is relaxed. */
static double stretch(const pinion_tendon_info *t, double length)
{
    return length > t->rest[1] ? length - t->rest[1] : length < t->rest[0] ? length - t->rest[0] : 0;
}

/* What acts along a tendon, its stop included: forces, and their derivatives by the length and its rate. */
typedef struct tension {
    double spring, damper;     /* N, those that pull it together are negative */
    double stiffness, damping; /* minus the derivatives of their sum */
    double potential;
} tension;

static tension tension_of(const pn_tendon_stops *stops, const pinion_tendon_info *t, double length, double rate)
{
    const int alone = stops && stops->alone;
    const double off = alone ? 0 : stretch(t, length), k = t->stiffness, *c = t->stiffness_curve;
    const double d = alone ? 0 : t->damping, still[2] = {0, 0}, *b = alone ? still : t->damping_curve;
    /* within a range of relaxed lengths nothing pulls back; one that is a single length is a spring there, too */
    const int pulls = !alone && (off != 0 || t->rest[0] == t->rest[1]);
    tension x = {-pn_secant(k, c, off) * off, -pn_secant(d, b, fabs(rate)) * rate, pulls ? pn_tangent(k, c, off) : 0,
                 pn_tangent(d, b, fabs(rate)), pn_spring_energy(k, c, off)};
    if (!stops || (length >= t->limits[0] && length <= t->limits[1])) return x;

    /* beyond a limit, on that side of it */
    const double side = length > t->limits[1] ? 1 : -1, beyond = side * (length - t->limits[side > 0]);
    const double elastic = stops->stiffness * beyond, press = fmax(0, elastic + stops->damping * side * rate);
    x.spring -= side * elastic;
    x.damper -= side * (press - elastic);
    x.potential += elastic * beyond / 2;
    if (press > 0) {
        x.stiffness += stops->stiffness;
        x.damping += stops->damping;
    }
    return x;
}

/* f g, added. */
static pinion_status pull(const call *c, const pinion_tendon_info *t, double f, double *to)
{
    pinion_status status = PINION_OK;
    double divisor = 1;
    for (int k = 0; k < t->count && status == PINION_OK && f != 0; k++) {
        if (t->type == PINION_TENDON_JOINTS) {
            pinion_joint_info j;
            status = pinion_model_joint(c->m, t->term[k].index, &j);
            to[j.v_source] += f * t->term[k].weight * j.multiplier;
            continue;
        }
        line s;
        if (!is_line(t, k, &divisor)) continue;
        status = line_at(c, t, k, &s);
        const double force[6] = {0, 0, 0, s.u[0], s.u[1], s.u[2]};
        for (int i = 0; i < 2 && status == PINION_OK; i++)
            status = add_force(c, s.frame[i], force, (i ? f : -f) / divisor, to);
    }
    return status;
}

pinion_status pn_elements_forces(const pinion_model *m, pinion_work *w, const pn_tendon_stops *stops, const double *q,
                                 const double *v, double *room, double *springs, double *dampers, double *compensation,
                                 double *potential)
{
    const call c = {m, w, q, v, room, pinion_model_nv(m), stops};
    pinion_status status = PINION_OK;
    if (potential) *potential = 0;
    if ((compensation || potential) && !(stops && stops->alone)) status = carry(&c, compensation, potential);
    if (dampers && status == PINION_OK && !(stops && stops->alone)) status = brake(&c, dampers);
    for (int i = 0; i < pinion_model_tendon_count(m) && status == PINION_OK; i++) {
        pinion_tendon_info t;
        double length, rate;
        status = pinion_model_tendon(m, i, &t);
        if (status == PINION_OK) status = length_of(&c, &t, &length, &rate);
        if (status != PINION_OK) return status;
        const tension x = tension_of(stops, &t, length, rate);
        if (potential) *potential += x.potential;
        if (springs) status = pull(&c, &t, x.spring, springs);
        if (dampers && v && status == PINION_OK) status = pull(&c, &t, x.damper, dampers);
    }
    return status;
}

static int is_call(const pinion_elements *x, const pinion_work *w, const double *q)
{
    return x && w && (q || pinion_model_nq(x->m) == 0);
}

pinion_status pinion_elements_forces(pinion_elements *x, pinion_work *w, const double *q, const double *v,
                                     double *springs, double *dampers, double *compensation, double *potential)
{
    if (!is_call(x, w, q)) return PINION_ERR_ARGUMENT;
    return pn_elements_forces(x->m, w, &x->stops, q, v, x->tau, springs, dampers, compensation, potential);
}

pinion_status pinion_drag_forces(pinion_elements *x, pinion_work *w, const double *q, const double *v, double *tau)
{
    if (!is_call(x, w, q) || !tau) return PINION_ERR_ARGUMENT;
    const call c = {x->m, w, q, v, x->tau, pinion_model_nv(x->m), NULL};
    return brake(&c, tau);
}

pinion_status pn_tendon_length(const pinion_model *m, pinion_work *w, const double *q, const double *v, int tendon,
                               double *length, double *rate)
{
    pinion_tendon_info t;
    const call c = {m, w, q, v, NULL, pinion_model_nv(m), NULL};
    const pinion_status status = pinion_model_tendon(m, tendon, &t);
    return status == PINION_OK ? length_of(&c, &t, length, rate) : status;
}

pinion_status pn_tendon_pull(const pinion_model *m, pinion_work *w, const double *q, int tendon, double f, double *room,
                             double *to)
{
    pinion_tendon_info t;
    const call c = {m, w, q, NULL, room, pinion_model_nv(m), NULL};
    const pinion_status status = pinion_model_tendon(m, tendon, &t);
    return status == PINION_OK ? pull(&c, &t, f, to) : status;
}

pinion_status pinion_tendon_length(pinion_elements *x, pinion_work *w, const double *q, const double *v, int tendon,
                                   double *length, double *rate)
{
    double now[2];
    if (!is_call(x, w, q)) return PINION_ERR_ARGUMENT;
    const pinion_status status = pn_tendon_length(x->m, w, q, v, tendon, &now[0], &now[1]);
    if (status != PINION_OK) return status;
    if (length) *length = now[0];
    if (rate) *rate = now[1];
    return PINION_OK;
}

/* ---------------------------------------------------------------------------------------------
 * Derivatives */

/* What they are computed with: Jacobians and Hessians of both ends of a line; g and G = dg/dq of a tendon. */
typedef struct room {
    double *J[2], *H[2], *g, *G;
} room;

size_t pn_tendon_room(const pinion_model *m)
{
    const size_t n = (size_t)pinion_model_nv(m);
    return 13 * n + 13 * n * n + 1;
}

static room room_in(double *memory, size_t n)
{
    room r = {.J = {memory, memory + 6 * n}};
    r.H[0] = r.J[1] + 6 * n;
    r.H[1] = r.H[0] + 6 * n * n;
    r.G = r.H[1] + 6 * n * n;
    r.g = r.G + n * n;
    return r;
}

static int take_room(pinion_elements *x, room *r)
{
    if (!x->more) x->more = malloc(pn_tendon_room(x->m) * sizeof *x->more);
    if (x->more) *r = room_in(x->more, (size_t)pinion_model_nv(x->m));
    return x->more != NULL;
}

static pinion_status see(const call *c, int frame, const room *r, int end)
{
    const pinion_reference aligned = PINION_REFERENCE_WORLD_ALIGNED;
    const pinion_status status = pinion_jacobian(c->m, c->w, c->q, frame, aligned, r->J[end]);
    return status == PINION_OK ? pinion_hessian(c->m, c->w, c->q, frame, aligned, r->H[end]) : status;
}

/* d (J' [n; F]) by q: F stays, and n = arm x F turns with the link. */
static pinion_status d_carry(const call *c, int index, const pinion_link_info *link, const room *r, double *dq)
{
    const int n = c->nv;
    double force[6], arm[3], height;
    pinion_status status = carry_force(c, index, link, force, arm, &height);
    if (status == PINION_OK) status = see(c, index, r, 0);
    for (int k = 0; k < n && status == PINION_OK; k++) {
        const double turn[3] = {r->J[0][k], r->J[0][n + k], r->J[0][2 * n + k]};
        double moved[3], moment[3];
        pn_cross3(turn, arm, moved);
        pn_cross3(moved, force + 3, moment);
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int i = 0; i < 6; i++) sum += r->H[0][(i * n + j) * n + k] * force[i];
            for (int i = 0; i < 3; i++) sum += r->J[0][i * n + j] * moment[i];
            dq[j * n + k] += sum;
        }
    }
    return status;
}

/* g and G of one line, added. */
static void add_line(const line *s, double divisor, int n, const room *r)
{
    for (int k = 0; k < n; k++) {
        double along = 0, du[3];
        for (int i = 0; i < 3; i++) {
            du[i] = r->J[1][(3 + i) * n + k] - r->J[0][(3 + i) * n + k];
            along += s->u[i] * du[i];
        }
        r->g[k] += along / divisor;
        for (int i = 0; i < 3; i++) du[i] = s->length > 0 ? (du[i] - along * s->u[i]) / s->length : 0;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < 3; i++) {
                const int of = (3 + i) * n + j, at = of * n + k;
                const double bent = s->u[i] * (r->H[1][at] - r->H[0][at]), turned = du[i] * (r->J[1][of] - r->J[0][of]);
                r->G[j * n + k] += (bent + turned) / divisor;
            }
    }
}

/* g and G of a path. */
static pinion_status path_gradients(const call *c, const pinion_tendon_info *t, const room *r)
{
    pinion_status status = PINION_OK;
    double divisor = 1;
    for (int k = 0; k < t->count && status == PINION_OK; k++) {
        line s;
        if (!is_line(t, k, &divisor)) continue;
        status = line_at(c, t, k, &s);
        for (int i = 0; i < 2 && status == PINION_OK; i++) status = see(c, s.frame[i], r, i);
        if (status == PINION_OK) add_line(&s, divisor, c->nv, r);
    }
    return status;
}

/* g and G. */
static pinion_status gradients(const call *c, const pinion_tendon_info *t, const room *r)
{
    const size_t n = (size_t)c->nv;
    memset(r->g, 0, n * sizeof *r->g);
    memset(r->G, 0, n * n * sizeof *r->G);
    return t->type == PINION_TENDON_PATH ? path_gradients(c, t, r) : pull(c, t, 1, r->g);
}

pinion_status pn_tendon_bend(const pinion_model *m, pinion_work *w, const double *q, int tendon, double f,
                             double *memory, double *to)
{
    pinion_tendon_info t;
    const call c = {m, w, q, NULL, NULL, pinion_model_nv(m), NULL};
    const room r = room_in(memory, (size_t)c.nv);
    pinion_status status = pinion_model_tendon(m, tendon, &t);
    if (status == PINION_OK && t.type == PINION_TENDON_PATH) status = gradients(&c, &t, &r);
    for (int i = 0; i < c.nv * c.nv && status == PINION_OK && t.type == PINION_TENDON_PATH; i++) to[i] += f * r.G[i];
    return status;
}

static pinion_status d_tendon(const call *c, const pinion_tendon_info *t, const room *r, double *dq, double *dv)
{
    const int n = c->nv;
    double length, rate;
    pinion_status status = length_of(c, t, &length, &rate);
    if (status == PINION_OK) status = gradients(c, t, r);
    if (status != PINION_OK) return status;
    const tension x = tension_of(c->stops, t, length, rate);
    const double f = x.spring + x.damper;
    for (int j = 0; j < n; j++) {
        double bend = 0; /* of L' by q_j */
        for (int i = 0; c->v && i < n; i++) bend += r->G[i * n + j] * c->v[i];
        for (int i = 0; i < n; i++) {
            if (dq) dq[i * n + j] += r->g[i] * (-x.stiffness * r->g[j] - x.damping * bend) + f * r->G[i * n + j];
            if (dv) dv[i * n + j] -= x.damping * r->g[i] * r->g[j];
        }
    }
    return PINION_OK;
}

pinion_status pinion_d_elements_forces(pinion_elements *x, pinion_work *w, const double *q, const double *v, double *dq,
                                       double *dv)
{
    room r;
    if (!is_call(x, w, q)) return PINION_ERR_ARGUMENT;
    if (!take_room(x, &r)) return PINION_ERR_MEMORY;
    const call c = {x->m, w, q, v, x->tau, pinion_model_nv(x->m), &x->stops};
    pinion_status status = PINION_OK;
    for (int i = 0; i < pinion_model_link_count(x->m) && dq && !x->stops.alone && status == PINION_OK; i++) {
        pinion_link_info link;
        if (is_carried(x->m, i, &link)) status = d_carry(&c, i, &link, &r, dq);
    }
    for (int i = 0; i < pinion_model_link_count(x->m) && !x->stops.alone && status == PINION_OK; i++) {
        const pinion_drag *drag = drag_of(x->m, i);
        if (drag) status = pn_d_brake(x->m, w, q, v, i, drag, r.J[0], r.H[0], dq, dv);
    }
    for (int i = 0; i < pinion_model_tendon_count(x->m) && status == PINION_OK; i++) {
        pinion_tendon_info t;
        status = pinion_model_tendon(x->m, i, &t);
        if (status == PINION_OK) status = d_tendon(&c, &t, &r, dq, dv);
    }
    return status;
}
