/* The motion of a step without contact. What depends on velocities alone, that a body which tumbles turns its momentum
 * along, is taken at the middle of the step (the implicit midpoint rule, which keeps energy and momentum of a free body
 * whatever the step); forces are those at its beginning. With a_v(q, v) the accelerations that velocities alone give,
 * v1 = v0 + h (a - a_v(q0, v0) + a_v(qm, vm)), vm = v0 + h/2 a_v(qm, vm), qm = q0 + h/2 vm. */
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "contact/scene/scene_parts.h"

#define TURNS 8      /* of the fixed point; one gains a factor of about h |v| */
#define SAME 1e-11   /* of the velocities: it does not move any more */
#define TOUCHING 1e-8 /* likewise, where what contact does is of order one */
#define LARGEST 1e-3 /* of its own change: where it has not come as near, steps are too long for it */

/* a_v: the accelerations at q with v, less those without, which are known where q is the one before */
static pinion_status products(pinion_scene *s, pinion_work *w, const double *q, const double *v, int known, double *out)
{
    pinion_status status = pinion_forward_dynamics(s->m, w, q, v, NULL, NULL, out);
    if (status == PINION_OK && !known) status = pinion_forward_dynamics(s->m, w, q, NULL, NULL, NULL, s->rest);
    for (int k = 0; k < s->nv; k++) out[k] -= s->rest[k];
    return status;
}

/* The fixed point, into s->middle and s->swing; 0 where it does not settle, or its numbers are not finite. Shapes that
 * touch are at q: rows of contacts are of there. */
static pinion_status find_middle(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v,
                                 int *settled)
{
    const double same = s->count ? TOUCHING : SAME;
    double *next = s->next, change = 0, size = 0, speed = 0;
    memcpy(s->swing, s->swing_start, (size_t)s->nv * sizeof *s->swing);
    for (int k = 0; k < s->nv; k++) {
        s->middle[k] = v[k] + 0.5 * h * s->swing[k];
        speed = fmax(speed, fabs(v[k]));
        size = fmax(size, fabs(s->swing[k]));
    }
    /* a_v goes with the square of v, and with q: what half a step changes of it may be less than rounding already */
    *settled = h * size * h * size <= same * speed * speed && (s->count || h * h * size <= same);
    for (int turn = 0; turn < TURNS && !*settled; turn++) {
        for (int k = 0; k < s->nv; k++) s->middle[k] = v[k] + 0.5 * h * s->swing[k];
        pinion_status status = s->count ? PINION_OK : pinion_integrate(s->m, q, s->middle, 0.5 * h, s->moved);
        if (status == PINION_OK) status = products(s, w, s->count ? q : s->moved, s->middle, s->count, next);
        if (status) return status;
        change = size = 0;
        for (int k = 0; k < s->nv; k++) {
            change = fmax(change, fabs(next[k] - s->swing[k]));
            size = fmax(size, fabs(next[k]));
            s->swing[k] = next[k];
        }
        *settled = h * change <= same * speed;
    }
    *settled = change <= LARGEST * size && isfinite(size);
    return PINION_OK;
}

/* The linear velocity of a free or planar joint: what velocities give, classically and in the frame in the middle, is
 * turned back to the frame at the beginning; what forces give is there already. */
static void go_classically(const pinion_scene *s, const pn_turning *j, double h, double *next)
{
    const double *m = s->middle + j->v, *swing = s->swing + j->v;
    double *to = next + j->v, more[3], turned[3];
    if (!j->planar) {
        double R[9];
        const double angle = 0.25 * h * sqrt(pn_dot3(m, m)), x = angle > 0 ? 0.25 * h * sin(angle) / angle : 0.25 * h;
        const double half[4] = {cos(angle), x * m[0], x * m[1], x * m[2]};
        pn_cross3(m, m + 3, more);
        for (int k = 0; k < 3; k++) more[k] += swing[3 + k];
        pn_quaternion_matrix(half, R);
        pn_turn3(R, more, turned);
        for (int k = 0; k < 3; k++) to[3 + k] += h * (turned[k] - swing[3 + k]);
        return;
    }
    const double c = cos(0.5 * h * m[2]), d = sin(0.5 * h * m[2]);
    more[0] = swing[0] - m[2] * m[1];
    more[1] = swing[1] + m[2] * m[0];
    to[0] += h * (c * more[0] - d * more[1] - swing[0]);
    to[1] += h * (d * more[0] + c * more[1] - swing[1]);
}

pinion_status pn_scene_move_freely(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v,
                                   const double *a)
{
    int settled;
    pinion_status status = products(s, w, q, v, 0, s->swing_start);
    if (status == PINION_OK) status = find_middle(s, w, h, q, v, &settled);
    if (status) return pn_scene_fail(s, status, pinion_work_message(w));
    if (!settled) { /* as at the beginning */
        memcpy(s->swing, s->swing_start, (size_t)s->nv * sizeof *s->swing);
        memcpy(s->middle, v, (size_t)s->nv * sizeof *v);
    }
    for (int k = 0; k < s->nv; k++) s->next[k] = v[k] + h * (a[k] - s->swing_start[k] + s->swing[k]);
    for (int i = 0; i < s->turnings; i++) go_classically(s, &s->turning[i], h, s->next);
    return PINION_OK;
}

/* The places of free and planar joints, straight ahead with the velocities `by`, and their own velocities in the frames
 * at the end. */
static void go_straight(const pinion_scene *s, double h, const double *q, const double *by, double *moved, double *next)
{
    for (int i = 0; i < s->turnings; i++) {
        const double *from = q + s->turning[i].q, *along = by + s->turning[i].v;
        double *to = moved + s->turning[i].q, *own = next + s->turning[i].v, world[3], R[9];
        if (!s->turning[i].planar) {
            pn_quaternion_matrix(from, R);
            pn_turn3(R, along + 3, world);
            for (int k = 0; k < 3; k++) to[4 + k] = from[4 + k] + h * world[k];
            pn_turn3(R, own + 3, world);
            pn_quaternion_matrix(to, R);
            pn_turn3_back(R, world, own + 3);
        } else {
            const double c = cos(from[2]), d = sin(from[2]);
            to[0] = from[0] + h * (c * along[0] - d * along[1]);
            to[1] = from[1] + h * (d * along[0] + c * along[1]);
            world[0] = c * own[0] - d * own[1];
            world[1] = d * own[0] + c * own[1];
            own[0] = cos(to[2]) * world[0] + sin(to[2]) * world[1];
            own[1] = cos(to[2]) * world[1] - sin(to[2]) * world[0];
        }
    }
}

/* Bodies that no impulse acts on, with s->frame what impulses changed, are half a step's gravity above where the
 * velocities at the end lead. A force that is the same everywhere makes no swing grow by that. */
static void fall(const pinion_scene *s, double h, double *moved)
{
    double g[3];
    pinion_model_gravity(s->m, g);
    for (int i = 0; i < s->turnings; i++) {
        const double *change = s->frame + s->turning[i].v;
        int free = s->turning[i].floats;
        for (int k = 0; k < 6 && s->rows; k++) free &= change[k] == 0;
        for (int k = 0; k < 3 && free; k++) moved[s->turning[i].q + 4 + k] -= 0.5 * h * h * g[k];
    }
}

/* the configuration after a step, with velocities that move places alone besides; velocities are turned to there */
static pinion_status move(pinion_scene *s, double h, const double *q, double share, double *next, double *moved)
{
    /* contact asks for velocities at the end; without any, what velocities give is there half of the step */
    for (int k = 0; k < s->nv; k++)
        s->middle[k] = next[k] + share * s->push[k] - (s->rows ? 0 : 0.5 * h * s->swing[k]);
    const pinion_status status = pinion_integrate(s->m, q, s->middle, h, moved);
    if (status) return pn_scene_fail(s, status, pinion_status_text(status));
    for (int i = 0; i < s->turnings && !s->rows; i++) /* but not of places, which go straight ahead */
        for (int k = 0; k < (s->turning[i].planar ? 2 : 3); k++) {
            const int at = s->turning[i].v + (s->turning[i].planar ? 0 : 3) + k;
            s->middle[at] = next[at] + share * s->push[at];
        }
    go_straight(s, h, q, s->middle, moved, next);
    fall(s, h, moved);
    return PINION_OK;
}

pinion_status pn_scene_move_on(pinion_scene *s, double h, const double *q)
{
    int pushed = 0;
    for (int k = 0; k < s->nv; k++) pushed |= s->push[k] != 0;
    memcpy(s->chained, s->next, (size_t)s->nv * sizeof *s->next);
    pinion_status status = move(s, h, q, 1, s->next, s->moved);
    if (status == PINION_OK && pushed) status = move(s, h, q, 0, s->chained, s->along);
    if (!pushed) memcpy(s->along, s->moved, (size_t)pinion_model_nq(s->m) * sizeof *s->moved);
    return status;
}
