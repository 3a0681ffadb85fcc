/* Gravity towards a point: a planet's, of all that moves.
 *
 * A link of mass m and inertia I about its mass centre, which is at r from the point, d = |r|, has the potential
 *
 *     V = - mu m / d - mu / (2 d^3) (tr I - 3 r' I r / d^2)
 *
 * (MacCullagh's formula; the rest is smaller by the size of the link over d once more). The force and the moment are
 * its gradients by place and attitude, so that energy is kept exactly:
 *
 *     F = - mu m r / d^3 - 3 mu / (2 d^5) (tr I r + 2 I r - 5 (r' I r / d^2) r),   n = 3 mu / d^5 (r x I r)
 *
 * Without `gradient` a link is a point: the first term of each alone. */
#include "sim/force/force_list.h"

#include <math.h>

#include "pinion/elastic.h"

#define COOKIE 0x41545431u

pinion_attraction_def pinion_attraction_def_default(void)
{
    return (pinion_attraction_def){.gradient = 1, .cookie = COOKIE};
}

pinion_status pinion_forces_add_attraction(pinion_forces *f, const pinion_attraction_def *def, pinion_error *err)
{
    if (!f || !def) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "no list or no attraction was given");
        return PINION_ERR_ARGUMENT;
    }
    const pn_element_id id = {"attraction", def->name, err};
    if (!pn_element_begin(&id, def->cookie, COOKIE) || !pn_element_finite(&id, "center", def->center, 3) ||
        !pn_element_magnitude(&id, "mu", def->mu))
        return PINION_ERR_ARGUMENT;
    if (pinion_model_elastic_count(f->m)) { /* their mass is at places that f_ext does not have */
        pn_element_fail(&id, "the model has elastic links, and rigid ones alone are attracted");
        return PINION_ERR_ARGUMENT;
    }
    pn_element e = {.kind = PN_ELEMENT_ATTRACTION, .attraction = *def};
    e.attraction.name = NULL;
    return pn_forces_append(f, &e, def->name, err);
}

/* I r of an inertia given in the link's axes. */
static void inertia_times(const double R[9], const double I[6], const double r[3], double y[3])
{
    double own[3], turned[3];
    pn_turn3_back(R, r, own);
    turned[0] = I[0] * own[0] + I[1] * own[1] + I[2] * own[2];
    turned[1] = I[1] * own[0] + I[3] * own[1] + I[4] * own[2];
    turned[2] = I[2] * own[0] + I[4] * own[1] + I[5] * own[2];
    pn_turn3(R, turned, y);
}

/* One rigid part of a link, given in the link's frame. */
static void attract(const pinion_attraction_def *p, int link, const pinion_inertia *part, pn_scene *s)
{
    const double *R = pn_scene_rotation(s, link), *I = part->inertia;
    double x[3], v[3], r[3], Ir[3], force[3], moment[3];
    pn_scene_point(s, link, part->com, x, v);
    for (int i = 0; i < 3; i++) r[i] = x[i] - p->center[i];
    const double d2 = pn_dot3(r, r), d = sqrt(d2), d3 = d2 * d, d5 = d3 * d2;
    s->potential -= p->mu * part->mass / d;
    for (int i = 0; i < 3; i++) force[i] = -p->mu * part->mass / d3 * r[i];
    if (p->gradient) {
        inertia_times(R, I, r, Ir);
        const double trace = I[0] + I[3] + I[5], square = pn_dot3(r, Ir) / d2;
        s->potential -= p->mu / (2 * d3) * (trace - 3 * square);
        pn_cross3(r, Ir, moment);
        for (int i = 0; i < 3; i++) {
            force[i] -= 1.5 * p->mu / d5 * (trace * r[i] + 2 * Ir[i] - 5 * square * r[i]);
            moment[i] *= 3 * p->mu / d5;
        }
        pn_scene_twist(s, link, moment);
    }
    pn_scene_push(s, link, part->com, force);
}

void pn_attraction_act(const pn_element *e, pn_scene *s)
{
    for (int i = 0; i < pinion_model_link_count(s->f->m); i++) {
        pinion_link_info link;
        pinion_inertia load;
        if (s->f->frame_body[i] == 0 || pinion_model_link(s->f->m, i, &link) != PINION_OK) continue;
        attract(&e->attraction, i, &link.inertia, s);
        if (pinion_model_payload(s->f->m, i, &load) == PINION_OK && load.mass > 0) attract(&e->attraction, i, &load, s);
    }
}

/* The same with its change: with I r turning with the link, d(I r) = turn x I r + I (dr - turn x r). */
static void attract_change(const pinion_attraction_def *p, int link, const pinion_inertia *part, const pn_scene *s,
                           const pn_change *c, pn_pull *to)
{
    const double *R = pn_scene_rotation(s, link), *I = part->inertia;
    double x[3], v[3], r[3], dr[3], du[3], Ir[3], dIr[3], y[3], moment[3], more[3], force[3], change[3];
    pn_scene_point(s, link, part->com, x, v);
    pn_change_point(s, link, part->com, c, dr, du);
    for (int i = 0; i < 3; i++) r[i] = x[i] - p->center[i];
    const double d2 = pn_dot3(r, r), d = sqrt(d2), d3 = d2 * d, d5 = d3 * d2, away = pn_dot3(r, dr) / d2;
    for (int i = 0; i < 3; i++) {
        force[i] = -p->mu * part->mass / d3 * r[i];
        change[i] = -p->mu * part->mass / d3 * (dr[i] - 3 * away * r[i]);
    }
    if (p->gradient) {
        inertia_times(R, I, r, Ir);
        pn_cross3(c->turn, r, y);
        for (int i = 0; i < 3; i++) y[i] = dr[i] - y[i];
        inertia_times(R, I, y, dIr);
        pn_cross3(c->turn, Ir, y);
        for (int i = 0; i < 3; i++) dIr[i] += y[i];
        const double trace = I[0] + I[3] + I[5], square = pn_dot3(r, Ir) / d2;
        const double dsquare = (pn_dot3(dr, Ir) + pn_dot3(r, dIr)) / d2 - 2 * away * square;
        pn_cross3(r, Ir, moment);
        pn_cross3(dr, Ir, more);
        pn_cross3(r, dIr, y);
        for (int i = 0; i < 3; i++) {
            const double b = trace * r[i] + 2 * Ir[i] - 5 * square * r[i];
            const double db = trace * dr[i] + 2 * dIr[i] - 5 * (dsquare * r[i] + square * dr[i]);
            force[i] -= 1.5 * p->mu / d5 * b;
            change[i] -= 1.5 * p->mu / d5 * (db - 5 * away * b);
            to->f[i] += 3 * p->mu / d5 * moment[i];
            to->change[i] += 3 * p->mu / d5 * (more[i] + y[i] - 5 * away * moment[i]);
        }
    }
    pn_change_push(s, link, part->com, c, force, change, to);
}

void pn_attraction_change(const pn_element *e, int part, const pn_scene *s, const pn_change c[2], pn_pull to[2])
{
    pinion_link_info link;
    pinion_inertia load;
    if (pinion_model_link(s->f->m, part, &link) != PINION_OK) return; /* there is one for every part */
    attract_change(&e->attraction, part, &link.inertia, s, c, to);
    if (pinion_model_payload(s->f->m, part, &load) == PINION_OK && load.mass > 0)
        attract_change(&e->attraction, part, &load, s, c, to);
}
