/* A step in which bodies that float meet and bounce is parted at these instants: they move freely until they touch,
 * the impact acts at once and where they are then, and what is left of the step goes on from there. Normals and levers
 * are those of bodies that touch, and energy and momentum are those of the instant. Bodies that hang on joints bounce
 * at the beginning of the step in which they would meet (scene_chain.c). */
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "contact/scene/scene_parts.h"

#define MOST 24     /* parts and impacts of a step; what is left then is one part */
#define SOON 1e-6   /* of the step: impacts no farther apart are one */
#define NOTHING 1e-9 /* of the step: no part is as short */
#define ROUNDED 1e-12 /* of the sum that a speed is: no impact is as slow, without gravity, too */
#define TOUCHES 1e-8 /* m: a gap up to it is none */

/* whether all that moves in a row hangs on free joints of the base */
static int floats(const pinion_scene *s, const double *row)
{
    for (int k = 0; k < s->nv; k++) {
        int root = k, found = 0;
        if (row[k] == 0) continue;
        while (s->tree[root] >= 0) root = s->tree[root];
        for (int i = 0; i < s->turnings; i++) found |= s->turning[i].floats && s->turning[i].v == root;
        if (!found) return 0;
    }
    return 1;
}

int pn_scene_meets(const pinion_scene *s, int i, const double *v, double *speed)
{
    const double *row = s->J + (size_t)(3 * i) * (size_t)s->nv;
    double size = 0;
    *speed = 0;
    for (int k = 0; k < s->nv; k++) {
        *speed += row[k] * v[k];
        size += fabs(row[k] * v[k]);
    }
    return s->contact[i].restitution > 0 && !(s->options.compliance > 0) &&
           *speed < -pn_scene_slow(s) - ROUNDED * size && floats(s, row);
}

/* when a gap closes that changes by `speed` at first and by `later` at the end; bodies fall along parabolas */
static double closes(double gap, double speed, double later, double h)
{
    const double bend = 0.5 * (later - speed) / h, root = speed * speed - 4 * bend * gap;
    if (!(gap > 0)) return 0;
    if (!(root >= 0)) return INFINITY;
    const double time = 2 * gap / (-speed + sqrt(root)); /* speed is below 0 */
    return time < h ? time : INFINITY;
}

pinion_status pn_scene_meet(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v, double *time)
{
    int any = 0;
    *time = INFINITY;
    for (int i = 0; i < s->count; i++) any |= s->contact[i].restitution > 0;
    if (!any || s->options.compliance > 0) return PINION_OK;
    const pinion_status status = pn_scene_rows(s, w, q);
    for (int i = 0; i < s->count && status == PINION_OK; i++) {
        const double *row = s->J + (size_t)(3 * i) * (size_t)s->nv;
        double speed;
        if (pn_scene_meets(s, i, v, &speed))
            *time = fmin(*time, closes(s->contact[i].at.gap, speed, pn_dot(s->nv, row, s->next), h));
    }
    return status;
}

/* Who takes part in an impact: what meets bounces, what touches is held, what is apart or is a spring or dry friction
 * has nothing to do with it. */
static void find_parts(pinion_scene *s, double h, const double *v)
{
    for (int i = 0; i < s->blocks; i++) {
        const int row = i < s->count ? 3 * i : 2 * s->count + i;
        const double gap = s->off[row];
        double speed;
        if (i >= s->count) {
            const int rests = s->law[i] == PINION_CONTACT_FRICTION || pn_scene_is_spring(s, i) ||
                              (s->law[i] == PINION_CONTACT_LIMIT && gap > 0);
            s->part[i] = rests ? PN_PART_NONE : PN_PART_OWN;
        } else if (pn_scene_meets(s, i, v, &speed) && gap <= TOUCHES - 2 * SOON * h * speed)
            s->part[i] = PN_PART_BOUNCES;
        else
            s->part[i] = gap > TOUCHES ? PN_PART_NONE : PN_PART_HOLDS;
    }
}

/* the impact at q: v changes at once */
static pinion_status strike(pinion_scene *s, pinion_work *w, double h, const double *q, double *v,
                            pinion_scene_report *r)
{
    pn_scene_wish by = {h, pn_scene_slow(s), 1, 0, 0, 0, 0};
    pinion_status status = pn_scene_set_up(s, w, h, q, v, v, r);
    if (status) return status;
    for (int i = 0; i < s->rows; i++) {
        double size = 0;
        for (int k = 0; k < s->nv; k++) size += fabs(s->J[i * s->nv + k] * v[k]);
        by.size = fmax(by.size, size);
    }
    find_parts(s, h, v);
    const double gain = pn_scene_solve_for(s, &by, r);
    (void)pn_scene_bound(s, &by, gain, pn_scene_energy_lost(s, v, v), r);
    pn_scene_change(s, s->lambda, s->frame);
    for (int k = 0; k < s->nv; k++) v[k] += s->frame[k];
    for (int i = 0; i < s->rows; i++) {
        const double after = pn_dot(s->nv, s->J + (size_t)i * (size_t)s->nv, v);
        r->work += 0.5 * s->lambda[i] * (s->start[i] + after);
    }
    pn_scene_give_forces(s, h);
    return PINION_OK;
}

/* ---- what parts add up to ---- */

static void add_report(pinion_scene_report *sum, const pinion_scene_report *r)
{
    const int worse = !(r->solution.residuals.natural <= sum->solution.residuals.natural);
    if (r->contacts > sum->contacts) sum->contacts = r->contacts;
    if (r->immovable > sum->immovable) sum->immovable = r->immovable;
    sum->impacts += r->impacts;
    sum->bounded |= r->bounded;
    sum->solved &= r->solved;
    sum->softened |= r->softened;
    sum->stopped = r->stopped;
    sum->held = r->held;
    sum->penetration = fmax(sum->penetration, r->penetration);
    sum->beyond = fmax(sum->beyond, r->beyond);
    sum->open = fmax(sum->open, r->open);
    sum->taken_back |= r->taken_back;
    sum->work += r->work;
    if (worse || sum->solution.residuals.worst < 0) sum->solution = r->solution;
}

/* the point of the same pair that is nearest to one of a part before; -1: none */
static int nearest_to(const pinion_scene *s, const pinion_scene_contact *c)
{
    int found = -1;
    double best = INFINITY;
    for (int i = 0; i < s->count; i++) {
        double d[3];
        if (s->contact[i].pair != c->pair) continue;
        for (int k = 0; k < 3; k++) d[k] = s->contact[i].at.first[k] - c->at.first[k];
        if (!(pn_dot3(d, d) < best)) continue;
        best = pn_dot3(d, d);
        found = i;
    }
    return found;
}

/* Forces over a part of length `part` become those over the whole step, with what the parts before gave. */
static void gather(pinion_scene *s, double part, double h)
{
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < 3; k++) s->contact[i].force[k] *= part / h;
    for (int j = 0; j < s->pasts; j++) {
        int i = nearest_to(s, &s->past[j]);
        if (i < 0 && s->count < s->most) {
            i = s->count++;
            s->contact[i] = s->past[j];
            s->body_of[2 * i] = s->pair[s->past[j].pair].first;
            s->body_of[2 * i + 1] = s->pair[s->past[j].pair].second;
        } else
            for (int k = 0; k < 3 && i >= 0; k++) s->contact[i].force[k] += s->past[j].force[k];
    }
    s->last = h;
}

/* ... and are kept while the next part is computed */
static void keep(pinion_scene *s)
{
    const int nv = s->nv;
    s->pasts = 0;
    for (int i = 0; i < s->count; i++)
        if (s->contact[i].force[0] != 0 || s->contact[i].force[1] != 0 || s->contact[i].force[2] != 0)
            s->past[s->pasts++] = s->contact[i];
    for (int i = 0; i < s->rows; i++)
        for (int k = 0; k < nv; k++) s->before[k] += s->lambda[i] * s->J[(size_t)i * (size_t)nv + (size_t)k];
}

/* the free motion from where a part begins, with contacts found */
static pinion_status go_freely(pinion_scene *s, pinion_work *w, double h)
{
    double *a = s->chained;
    pinion_status status = pinion_forward_dynamics(s->m, w, s->at_q, s->at_v, NULL, NULL, a);
    for (int k = 0; k < s->nv && status == PINION_OK; k++) {
        a[k] += s->outer[k];
        s->next[k] = s->at_v[k] + h * a[k];
    }
    if (status == PINION_OK) status = pn_scene_find_within(s, w, h, s->at_q, s->next);
    return status ? status : pn_scene_move_freely(s, w, h, s->at_q, s->at_v, a);
}

/* the next part, or the impact that comes first; what is left of the step is returned in its place */
static pinion_status go_on(pinion_scene *s, pinion_work *w, double h, int last, double *left,
                           pinion_scene_report *r)
{
    double time = INFINITY, part = h;
    pinion_status status = go_freely(s, w, *left);
    if (status == PINION_OK && !last) status = pn_scene_meet(s, w, *left, s->at_q, s->at_v, &time);
    if (status) return status;
    if (time <= SOON * h) {
        status = strike(s, w, h, s->at_q, s->at_v, r);
        memcpy(s->next, s->at_v, (size_t)s->nv * sizeof *s->next);
        memcpy(s->moved, s->at_q, (size_t)pinion_model_nq(s->m) * sizeof *s->moved);
    } else {
        s->gliding = time < *left;
        part = s->gliding ? time : *left;
        if (s->gliding) status = go_freely(s, w, part);
        if (status == PINION_OK) status = pn_scene_step_part(s, w, part, s->at_q, s->at_v, r);
        s->gliding = 0;
        s->time += part;
        *left -= part;
    }
    if (status == PINION_OK) gather(s, part, h);
    return status;
}

pinion_status pn_scene_step_in_parts(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v,
                                     const double *a, pinion_scene_report *report)
{
    const size_t nq = (size_t)pinion_model_nq(s->m), nv = (size_t)s->nv;
    const double time = s->time;
    double left = h;
    pinion_scene_report sum, r;
    pinion_status status = pinion_forward_dynamics(s->m, w, q, v, NULL, NULL, s->outer);
    for (size_t k = 0; k < nv; k++) s->outer[k] = a[k] - s->outer[k];
    memcpy(s->at_q, q, nq * sizeof *q);
    memcpy(s->at_v, v, nv * sizeof *v);
    memset(&sum, 0, sizeof sum);
    sum.solved = 1;
    sum.solution.residuals.worst = -1;
    s->pasts = 0;
    for (int k = 0; left > NOTHING * h && status == PINION_OK; k++) {
        if (k) keep(s);
        status = go_on(s, w, h, k >= MOST, &left, &r);
        if (status) break;
        add_report(&sum, &r);
        memcpy(s->at_q, s->moved, nq * sizeof *q);
        memcpy(s->at_v, s->next, nv * sizeof *v);
    }
    s->time = time;
    if (report) *report = sum;
    return status;
}
