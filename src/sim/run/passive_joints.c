/* Passive joint forces for simulation: see passive_joints.h. */
#include "sim/run/passive_joints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/curve.h"
#include "base/vec3.h"
#include "io/model_io.h"
#include "pinion/elastic.h"
#include "sim/stepper/chart.h"

/* One degree of freedom of the tree: a joint's own, or a follower's seen from its leader. */
typedef struct passive_dof {
    int q, v;   /* coordinate and velocity of the model; q is -1 where the two do not correspond */
    int planar; /* the place in a planar joint, 1, 2 or 3; 0 elsewhere */
    int ball;   /* the first of a ball or free joint with springs: how many, and q is where its quaternion is */
    double multiplier, offset; /* of a follower; 1 and 0 for others */
    double damping, friction_positive, friction_negative;
    double stiffness, rest;
    double damping_curve[2], stiffness_curve[2];
    double lower, upper; /* infinite without a stop */
} passive_dof;

/* An elastic link: - K x - D v over its modes. */
typedef struct passive_link {
    int q, v, modes;
    double *K, *D; /* [modes][modes] */
} passive_link;

struct pn_passive {
    double speed, stop_stiffness, stop_damping;
    int links;
    passive_link *link; /* [links], with the matrices behind */
    int count;
    passive_dof dof[]; /* [count], only those that exert something; those of planar and ball joints together */
};

/* ---------------------------------------------------------------------------------------------
 * From the model */

static passive_dof read_dof(const pinion_joint_info *joint, int k, const pn_passive_options *o)
{
    const pinion_dof *d = &joint->dof[k];
    passive_dof out = {.q = joint->q_source + k,
                       .v = joint->v_source + k,
                       .multiplier = joint->multiplier,
                       .offset = joint->offset,
                       .lower = -INFINITY,
                       .upper = INFINITY};
    const int plain = joint->type != PINION_JOINT_SPHERICAL && joint->type != PINION_JOINT_FREE;
    if (!plain) out.q = -1;
    if (joint->type == PINION_JOINT_PLANAR) out.planar = k + 1;
    if (o->elements) {
        out.damping = d->damping;
        out.friction_positive = o->frictionless ? 0 : d->friction_positive;
        out.friction_negative = o->frictionless ? 0 : d->friction_negative;
        out.stiffness = d->stiffness;
        out.rest = d->rest;
        memcpy(out.damping_curve, d->damping_curve, sizeof out.damping_curve);
        memcpy(out.stiffness_curve, d->stiffness_curve, sizeof out.stiffness_curve);
    }
    if (o->stops && plain) {
        out.lower = d->lower;
        out.upper = d->upper;
    }
    return out;
}

static int has_spring(const passive_dof *d)
{
    return d->stiffness != 0 || pn_is_curved(d->stiffness_curve);
}

static int does_something(const passive_dof *d)
{
    return d->damping != 0 || pn_is_curved(d->damping_curve) || d->friction_positive != 0 ||
           d->friction_negative != 0 || has_spring(d) || isfinite(d->lower) || isfinite(d->upper);
}

/* Adds the degrees of freedom of a joint, all of them or, when they exert nothing, none. */
static void add_joint(pn_passive *p, const pinion_joint_info *joint, const pn_passive_options *o)
{
    int some = 0, springs = 0;
    passive_dof *own = &p->dof[p->count];
    for (int k = 0; k < joint->dof_count; k++) {
        own[k] = read_dof(joint, k, o);
        some = some || does_something(&own[k]);
        springs = springs || has_spring(&own[k]);
    }
    if (springs && own->q < 0) {
        own->ball = joint->dof_count;
        own->q = joint->q_source;
    }
    if (some) p->count += joint->dof_count;
}

/* A joint of the tree; a follower acts on its leader. */
static pinion_status add_of_tree(pn_passive *p, const pinion_model *m, int index, const pn_passive_options *o)
{
    pinion_joint_info joint;
    const pinion_status status = pinion_model_joint(m, index, &joint);
    if (status == PINION_OK) add_joint(p, &joint, o);
    return status;
}

/* A joint that closes a loop, or a spring between two points. */
static pinion_status add_of_loop(pn_passive *p, const pinion_model *m, int index, const pn_passive_options *o)
{
    pinion_loop_info loop;
    const pinion_status status = pinion_model_loop(m, index, &loop);
    if (status != PINION_OK) return status;
    if (loop.kind != PINION_LOOP_JOINT && loop.kind != PINION_LOOP_SPRING) return PINION_OK;
    loop.joint.q_source = loop.q_index;
    loop.joint.v_source = loop.v_index;
    add_joint(p, &loop.joint, o);
    return PINION_OK;
}

/* The elastic links of a model. */
static pinion_status add_links(pn_passive *p, const pinion_model *m)
{
    const int links = pinion_model_elastic_count(m);
    pinion_elastic_info info;
    size_t numbers = 0;
    for (int i = 0; i < links; i++)
        if (pinion_model_elastic(m, i, &info) == PINION_OK) numbers += 2 * (size_t)(info.modes * info.modes);
    if (links <= 0) return PINION_OK;
    p->link = malloc((size_t)links * sizeof *p->link + numbers * sizeof(double));
    if (!p->link) return PINION_ERR_MEMORY;
    double *at = (double *)(p->link + links);
    for (int i = 0; i < links && pinion_model_elastic(m, i, &info) == PINION_OK; i++) {
        const size_t square = (size_t)(info.modes * info.modes);
        p->link[p->links++] = (passive_link){info.q_index, info.v_index, info.modes, at, at + square};
        memcpy(at, info.stiffness, square * sizeof *at);
        memcpy(at + square, info.damping, square * sizeof *at);
        at += 2 * square;
    }
    return PINION_OK;
}

static int check(const pn_passive_options *o, pinion_error *err)
{
    const double number[3] = {o->friction_speed, o->stop_stiffness, o->stop_damping};
    static const char *const name[3] = {"friction_speed", "stop_stiffness", "stop_damping"};
    for (int i = 0; i < 3; i++) {
        if (number[i] >= 0 && isfinite(number[i])) continue;
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s is not a finite number of at least 0",
                     name[i]);
        return 0;
    }
    return 1;
}

/* Of the tree's joints, or of those that close loops. */
static pn_passive *make(const pinion_model *m, int loops, const pn_passive_options *options,
                        pinion_error *err)
{
    if (!m || !options) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "no model or no options were given");
        return NULL;
    }
    if (!check(options, err)) return NULL;

    /* joints have at most six degrees of freedom */
    const int joints = loops ? pinion_model_loop_count(m) : pinion_model_joint_count(m);
    pn_passive *p = calloc(1, sizeof *p + (size_t)joints * 6 * sizeof p->dof[0]);
    pinion_status status = p ? PINION_OK : PINION_ERR_MEMORY;
    for (int i = 0; i < joints && status == PINION_OK; i++)
        status = loops ? add_of_loop(p, m, i, options) : add_of_tree(p, m, i, options);
    if (status == PINION_OK && !loops && options->elements) status = add_links(p, m);
    if (status != PINION_OK) {
        pn_error_set(err, status, NULL, 0, 0, "%s", pinion_status_text(status));
        pn_passive_free(p);
        return NULL;
    }
    /* where nothing acts along a coordinate it need not be looked at */
    for (int i = 0; i < p->count; i += p->dof[i].planar ? 3 : p->dof[i].ball ? p->dof[i].ball : 1) {
        passive_dof *d = &p->dof[i];
        if (!d->planar && !d->ball && !has_spring(d) && d->lower == -INFINITY && d->upper == INFINITY) d->q = -1;
    }
    p->speed = options->friction_speed;
    p->stop_stiffness = options->stop_stiffness;
    p->stop_damping = options->stop_damping;
    return p;
}

pn_passive *pn_passive_new(const pinion_model *m, const pn_passive_options *options, pinion_error *err)
{
    return make(m, 0, options, err);
}

pn_passive *pn_passive_new_of_loops(const pinion_model *m, const pn_passive_options *options,
                                    pinion_error *err)
{
    return make(m, 1, options, err);
}

int pn_passive_is_empty(const pn_passive *p)
{
    return p->count == 0 && p->links == 0;
}

void pn_passive_free(pn_passive *p)
{
    if (p) free(p->link);
    free(p);
}

/* ---------------------------------------------------------------------------------------------
 * At a state */

/* What a stop exerts along the direction in which it is pressed against, d > 0 beyond it at the rate `rate`.
 */
static double stop(const pn_passive *p, double d, double rate, double *potential, double *power)
{
    const double elastic = p->stop_stiffness * d;
    const double press = fmax(0, elastic + p->stop_damping * rate);
    *potential += 0.5 * elastic * d;
    *power -= (press - elastic) * rate;
    return press;
}

/* Springs and stops: along a coordinate q that changes at a rate. */
static double along_coordinate(const pn_passive *p, const passive_dof *d, double q, double rate,
                               double *potential, double *power)
{
    const double x = q - d->rest;
    double force = -pn_secant(d->stiffness, d->stiffness_curve, x) * x;
    *potential += pn_spring_energy(d->stiffness, d->stiffness_curve, x);
    if (q < d->lower) force += stop(p, d->lower - q, -rate, potential, power);
    if (q > d->upper) force -= stop(p, q - d->upper, rate, potential, power);
    return force;
}

/* Dampers and friction: along a velocity. */
static double along_velocity(const pn_passive *p, const passive_dof *d, double v, double *power)
{
    const double most = v > 0 ? d->friction_positive : d->friction_negative;
    double force = -pn_secant(d->damping, d->damping_curve, fabs(v)) * v;
    if (most != 0) force -= most * (p->speed > 0 ? tanh(v / p->speed) : (v > 0) - (v < 0));
    *power += force * v;
    return force;
}

/* A planar joint counts x and y in the parent's directions and its velocities in the child's. */
static void planar(const pn_passive *p, const passive_dof *d, const double *q, const double *v, double *tau,
                   double *potential, double *power)
{
    const double c = cos(q[d[2].q]), s = sin(q[d[2].q]);
    const double u[3] = {v ? v[d[0].v] : 0, v ? v[d[1].v] : 0, v ? v[d[2].v] : 0};
    const double rate[3] = {c * u[0] - s * u[1], s * u[0] + c * u[1], u[2]};
    double force[3];
    for (int k = 0; k < 3; k++) force[k] = along_coordinate(p, &d[k], q[d[k].q], rate[k], potential, power);
    const double turned[3] = {c * force[0] + s * force[1], c * force[1] - s * force[0], force[2]};
    for (int k = 0; k < 3; k++) {
        const double drag = along_velocity(p, &d[k], u[k], power);
        if (tau) tau[d[k].v] += turned[k] + drag;
    }
}

/* A ball, or a free body, which is held along the parent's axes and counts its velocities along its own. */
static void ball(const pn_passive *p, const passive_dof *d, const double *q, const double *v, double *tau,
                 double *potential, double *power)
{
    const double *own = q + d->q, back[4] = {own[0], -own[1], -own[2], -own[3]};
    const double none[4] = {1, 0, 0, 0}, turn[3] = {d[0].rest, d[1].rest, d[2].rest};
    double y[6], force[6], rest[4];
    pn_quaternion_turn(none, turn, rest);
    pn_quaternion_between(rest, own, y);
    for (int k = 3; k < d->ball; k++) y[k] = own[1 + k] - d[k].rest;
    for (int k = 0; k < d->ball; k++) {
        const double far = sqrt(pn_dot3(y + k / 3 * 3, y + k / 3 * 3));
        const double share = far > 0 ? y[k] * y[k] / (far * far) : 0; /* of the energy, which depends on the distance */
        force[k] = -pn_secant(d[k].stiffness, d[k].stiffness_curve, far) * y[k];
        *potential += share * pn_spring_energy(d[k].stiffness, d[k].stiffness_curve, far);
    }
    if (d->ball > 3) pn_quaternion_rotate(back, force + 3, force + 3);
    for (int k = 0; k < d->ball; k++) {
        const double drag = along_velocity(p, &d[k], v ? v[d[k].v] : 0, power);
        if (tau) tau[d[k].v] += force[k] + drag;
    }
}

static void bend(const passive_link *l, const double *q, const double *v, double *tau, double *potential,
                 double *power)
{
    for (int j = 0; j < l->modes; j++) {
        double spring = 0, drag = 0;
        for (int k = 0; k < l->modes; k++) {
            spring -= l->K[j * l->modes + k] * q[l->q + k];
            if (v) drag -= l->D[j * l->modes + k] * v[l->v + k];
        }
        *potential -= 0.5 * spring * q[l->q + j];
        if (v) *power += drag * v[l->v + j];
        if (tau) tau[l->v + j] += spring + drag;
    }
}

void pn_passive_forces(const pn_passive *p, const double *q, const double *v, double *tau, double *potential,
                       double *power)
{
    double V = 0, P = 0;
    for (int i = 0; i < p->links; i++) bend(&p->link[i], q, v, tau, &V, &P);
    for (int i = 0; i < p->count; i++) {
        const passive_dof *d = &p->dof[i];
        if (d->planar) {
            planar(p, d, q, v, tau, &V, &P);
            i += 2;
            continue;
        }
        if (d->ball) {
            ball(p, d, q, v, tau, &V, &P);
            i += d->ball - 1;
            continue;
        }
        const double rate = v ? d->multiplier * v[d->v] : 0;
        double force = along_velocity(p, d, rate, &P);
        if (d->q >= 0) force += along_coordinate(p, d, d->multiplier * q[d->q] + d->offset, rate, &V, &P);
        if (tau) tau[d->v] += d->multiplier * force;
    }
    if (potential) *potential = V;
    if (power) *power = P;
}
