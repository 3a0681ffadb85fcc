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
    pn_element e = {.kind = PN_ELEMENT_ATTRACTION, .attraction = *def};
    e.attraction.name = NULL;
    return pn_forces_append(f, &e, def->name, err);
}

/* One rigid part of a link, given in the link's frame. */
static void attract(const pinion_attraction_def *p, int link, const pinion_inertia *part, pn_scene *s)
{
    const double *R = pn_scene_rotation(s, link), *I = part->inertia;
    double x[3], v[3], r[3], own[3], Ir[3], turned[3], force[3], moment[3];
    pn_scene_point(s, link, part->com, x, v);
    for (int i = 0; i < 3; i++) r[i] = x[i] - p->center[i];
    const double d2 = pn_dot3(r, r), d = sqrt(d2), d3 = d2 * d, d5 = d3 * d2;
    s->potential -= p->mu * part->mass / d;
    for (int i = 0; i < 3; i++) force[i] = -p->mu * part->mass / d3 * r[i];
    if (p->gradient) {
        pn_turn3_back(R, r, own);
        turned[0] = I[0] * own[0] + I[1] * own[1] + I[2] * own[2];
        turned[1] = I[1] * own[0] + I[3] * own[1] + I[4] * own[2];
        turned[2] = I[2] * own[0] + I[4] * own[1] + I[5] * own[2];
        pn_turn3(R, turned, Ir);
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
