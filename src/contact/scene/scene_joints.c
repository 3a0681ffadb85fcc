/* What joints and loops bring into the problem of a scene: rows that keep loops closed, stops at the limits of joints,
 * dry friction that may hold. The rows follow those of the contacts; each is a block of its own. */
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "contact/scene/scene_parts.h"
#include "pinion/loops.h"

#define TOUCHES 1e-8 /* m: a gap, or a penetration, up to it is none, so that four corners can stand on one plane */
#define NEAR 0.01    /* rad or m: a stop takes part when it is so near, or could be reached in two steps */
#define DEPENDENT 1e-9 /* of what its diagonal could be: compliance of a loop's row */
#define AT_REST 1e-3 /* of a step: what friction stops within it is at rest */

static int is_limited(const pinion_dof *d)
{
    return isfinite(d->lower) || isfinite(d->upper);
}

/* coordinates with limits, and velocities with friction, of one joint; `loop` adds to where its own begin */
static void list_joint(pinion_scene *s, const pinion_joint_info *j, int loop)
{
    const int plain = j->type != PINION_JOINT_SPHERICAL && j->type != PINION_JOINT_FREE;
    const double size = fabs(j->multiplier);
    for (int k = 0; k < j->dof_count && j->v_source >= 0; k++) {
        const pinion_dof *d = &j->dof[k];
        const int v = j->v_source + k, back = j->multiplier < 0;
        if (plain && s->options.limits && is_limited(d)) {
            const pn_scene_stop stop = {loop, j->q_source + k, v, j->type == PINION_JOINT_PLANAR ? k + 1 : 0,
                                        j->multiplier, j->offset, d->lower, d->upper};
            if (s->stop) s->stop[s->stops] = stop;
            s->stops++;
        }
        if (!s->rubs || !(s->options.stiction > 0)) continue;
        double *own = s->rubs + 2 * (v + (loop ? s->nv : 0)); /* a follower's acts on its leader */
        own[0] += size * (back ? d->friction_negative : d->friction_positive);
        own[1] += size * (back ? d->friction_positive : d->friction_negative);
    }
}

void pn_scene_list_joints(pinion_scene *s)
{
    pinion_joint_info j;
    pinion_loop_info l;
    s->stops = 0;
    if (s->rubs) memset(s->rubs, 0, 2 * (size_t)(s->nv + s->loop_nv) * sizeof *s->rubs);
    for (int i = 0; i < pinion_model_joint_count(s->m); i++)
        if (pinion_model_joint(s->m, i, &j) == PINION_OK) list_joint(s, &j, 0);
    for (int i = 0; i < pinion_model_loop_count(s->m); i++) {
        if (pinion_model_loop(s->m, i, &l) || (l.kind != PINION_LOOP_JOINT && l.kind != PINION_LOOP_SPRING)) continue;
        l.joint.q_source = l.q_index;
        l.joint.v_source = l.v_index;
        list_joint(s, &l.joint, 1);
    }
}

/* Adds a block of one row, which is cleared, and returns that row. */
static double *add_block(pinion_scene *s, pinion_contact_law law, double bound, double off)
{
    double *row = s->J + (size_t)s->rows * (size_t)s->nv;
    s->law[s->blocks] = (unsigned char)law;
    s->mu[s->blocks++] = bound;
    s->off[s->rows++] = off;
    memset(row, 0, (size_t)s->nv * sizeof *row);
    return row;
}

/* The row of a velocity of a loop joint: what a force of 1 along it does to the tree. */
static pinion_status loop_row(pinion_scene *s, pinion_work *w, const double *q, int v, double *row)
{
    s->unit[v] = 1;
    const pinion_status status = pinion_loop_active_forces(s->m, w, q, NULL, s->unit, 0, row, NULL);
    s->unit[v] = 0;
    return status;
}

/* the row of the rate of a stop's coordinate */
static pinion_status stop_row(pinion_scene *s, pinion_work *w, const double *q, const pn_scene_stop *stop, double *row)
{
    if (stop->loop) return loop_row(s, w, q, stop->v, row);
    row[stop->v] = stop->multiplier;
    if (stop->planar == 1 || stop->planar == 2) { /* x and y in the parent's directions, velocities in the child's */
        const int first = stop->planar == 1, angle = stop->q + (first ? 2 : 1);
        row[stop->v] = cos(q[angle]);
        row[stop->v + (first ? 1 : -1)] = first ? -sin(q[angle]) : sin(q[angle]);
    }
    return PINION_OK;
}

/* the ends that are near enough to be reached; those of both sides where there is no room between them */
static pinion_status add_stop(pinion_scene *s, pinion_work *w, const pn_scene_stop *stop, const pn_scene_state *at)
{
    const double x = stop->loop ? s->position_of[stop->q] : stop->multiplier * at->q[stop->q] + stop->offset;
    for (int side = 0; side < 2; side++) {
        const double gap = side ? stop->upper - x : x - stop->lower;
        if (!isfinite(gap)) continue;
        double *row = add_block(s, PINION_CONTACT_LIMIT, 0, gap);
        const pinion_status status = stop_row(s, w, at->q, stop, row);
        if (status) return status;
        for (int k = 0; side && k < s->nv; k++) row[k] = -row[k];
        const double speed = fmax(fabs(pn_dot(s->nv, row, at->v)), fabs(pn_dot(s->nv, row, at->v_free)));
        if (!(gap > NEAR + 2 * at->h * speed)) continue;
        s->rows--;
        s->blocks--;
    }
    return PINION_OK;
}

/* the constraints of loops: how far they are open, and how fast laws of time open them */
static pinion_status add_loops(pinion_scene *s, pinion_work *w, const pn_scene_state *at)
{
    double *phi = s->phi, *later = s->phi + s->loop_rows;
    const int first = s->rows;
    pinion_constraints now = {phi, NULL, NULL, NULL}, then = {later, s->J + (size_t)first * (size_t)s->nv, NULL, NULL};
    for (int i = 0; i < s->loop_rows; i++) (void)add_block(s, PINION_CONTACT_EQUALITY, 0, 0);
    pinion_status status = pinion_constraints_at(s->m, w, s->time, at->q, NULL, &now);
    if (status == PINION_OK) status = pinion_constraints_at(s->m, w, s->time + at->h, at->q, NULL, &then);
    for (int i = 0; i < s->loop_rows; i++) {
        s->off[first + i] = phi[i];
        later[i] = (later[i] - phi[i]) / at->h;
    }
    return status;
}

/* Friction may be another one backwards: half the difference acts always, and the rest is even. */
static pinion_status add_friction(pinion_scene *s, pinion_work *w, int v, const pn_scene_state *at)
{
    const double *bound = s->rubs + 2 * v;
    if (!(bound[0] + bound[1] > 0)) return PINION_OK;
    double *row = add_block(s, PINION_CONTACT_FRICTION, 0.5 * at->h * (bound[0] + bound[1]),
                            0.5 * at->h * (bound[1] - bound[0]));
    if (v >= s->nv) return loop_row(s, w, at->q, v - s->nv, row);
    row[v] = 1;
    return PINION_OK;
}

pinion_status pn_scene_join(pinion_scene *s, pinion_work *w, const pn_scene_state *at)
{
    pinion_status status = PINION_OK;
    s->rows = 3 * s->count;
    s->blocks = s->count;
    for (int i = 0; i < s->count; i++) {
        s->law[i] = PINION_CONTACT_COULOMB;
        s->mu[i] = s->contact[i].friction;
        const double gap = s->contact[i].at.gap;
        s->off[3 * i] = s->options.compliance > 0 ? gap : fabs(gap) <= TOUCHES ? 0 : gap - copysign(TOUCHES, gap);
        s->off[3 * i + 1] = s->off[3 * i + 2] = 0;
    }
    if (s->loop_rows) status = add_loops(s, w, at);
    if (s->loop_nq && s->stops && status == PINION_OK)
        status = pinion_loop_motion(s->m, w, at->q, NULL, s->position_of, NULL);
    for (int i = 0; i < s->stops && status == PINION_OK; i++) status = add_stop(s, w, &s->stop[i], at);
    for (int i = 0; s->options.stiction > 0 && i < s->nv + s->loop_nv && status == PINION_OK; i++)
        status = add_friction(s, w, i, at);
    return status ? pn_scene_fail(s, status, pinion_work_message(w)) : status;
}

int pn_scene_is_soft(const pinion_scene *s)
{
    return s->loop_rows || pn_scene_soft_stops(s) || s->options.compliance > 0;
}

int pn_scene_soft_stops(const pinion_scene *s)
{
    return s->options.limit_stiffness > 0 || s->options.limit_damping > 0;
}

/* A stop passed by d presses with k d + c d' at the end of the step, where d is d_0 + h d': as an impulse
 * lambda = h (k d_0 - (k h + c) u), or u + R lambda - k d_0 / (k h + c) = 0. */
static void soften_stops(pinion_scene *s, double h)
{
    for (int i = s->count; i < s->blocks; i++)
        if (s->law[i] == PINION_CONTACT_LIMIT)
            s->R[2 * s->count + i] = 1 / (h * (h * s->options.limit_stiffness + s->options.limit_damping));
}

pinion_status pn_scene_soften(pinion_scene *s, pinion_work *w, double h, const double *q)
{
    const int first = 3 * s->count, nv = s->nv, rows = s->rows;
    /* 1/kg of the lightest row; phi is in s->off already, and frame is free */
    double light = 0, *size = s->phi, *unit = s->frame;
    memset(s->R, 0, (size_t)rows * sizeof *s->R);
    if (pn_scene_soft_stops(s)) soften_stops(s, h);
    /* lambda / h = -(gap + h u) / c */
    for (int i = 0; i < s->count; i++) s->R[3 * i] = s->options.compliance / (h * h);
    if (!s->loop_rows) return PINION_OK;
    const pinion_status status = pinion_constraint_sizes(s->m, w, q, size, unit);
    if (status) return pn_scene_fail(s, status, pinion_work_message(w));
    for (int i = 0; i < s->loop_rows; i++) {
        const double *row = s->J + (size_t)(first + i) * (size_t)nv;
        double square = 0;
        for (int j = 0; j < nv; j++) square += row[j] * unit[j] * row[j] * unit[j];
        if (square > 1e-12 * size[i] * size[i])
            light = fmax(light, s->G[(size_t)(first + i) * (size_t)(rows + 1)] / square);
    }
    for (int i = 0; i < s->loop_rows; i++)
        s->R[first + i] = DEPENDENT * fmax(s->G[(size_t)(first + i) * (size_t)(rows + 1)], light * size[i] * size[i]);
    return PINION_OK;
}

int pn_scene_hold(pinion_scene *s, int holds)
{
    int changes = 0;
    const double more = s->options.stiction;
    for (int i = s->count; more > 1 && i < s->blocks; i++) {
        const int row = 2 * s->count + i;
        if (s->law[i] != PINION_CONTACT_FRICTION) continue;
        const double still = AT_REST * s->mu[i] * s->G[(size_t)row * (size_t)(s->rows + 1)];
        if (holds && fabs(s->start[row]) <= still) {
            s->mu[i] *= more;
            s->off[row] *= more;
            s->held[i] = 1;
        } else if (!holds && s->held[i] && fabs(s->u[row]) > still) {
            s->mu[i] /= more;
            s->off[row] /= more;
            s->held[i] = 0;
            changes = 1;
        } else if (holds)
            s->held[i] = 0;
    }
    return changes;
}
