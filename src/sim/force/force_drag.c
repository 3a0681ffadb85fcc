/* Drag, buoyancy and added mass of a link in a medium that moves uniformly.
 *
 * With u the velocity of the point against the medium, in the frame's axes, the drag along axis i is
 * -1/2 density area_i |u| u_i, all of it power. Buoyancy is -density volume g at the point, with the
 * potential density volume g'x.
 *
 * A fluid that is pushed aside resists acceleration: -m_a times the acceleration of the point against the
 * medium, which is its acceleration in the world, since the medium does not accelerate. That is what a point
 * mass m_a does, but for its weight. So a copy of the model carries the mass as payload, and the force -m_a g
 * takes its weight off, with the potential m_a g'x. */
#include "sim/force/force_list.h"

#include <math.h>

#define COOKIE 0x44524731u

pinion_drag_def pinion_drag_def_default(void)
{
    return (pinion_drag_def){.frame = -1, .cookie = COOKIE};
}

/* ---------------------------------------------------------------------------------------------
 * Added mass */

/* Adds m (r.r 1 - r r') to xx, xy, xz, yy, yz, zz. */
static void add_point(double m, const double r[3], double I[6])
{
    I[0] += m * (r[1] * r[1] + r[2] * r[2]);
    I[1] -= m * r[0] * r[1];
    I[2] -= m * r[0] * r[2];
    I[3] += m * (r[0] * r[0] + r[2] * r[2]);
    I[4] -= m * r[1] * r[2];
    I[5] += m * (r[0] * r[0] + r[1] * r[1]);
}

/* The element's point in its link's frame; zero when it adds no mass to this link. */
static int point_on(const pinion_forces *f, const pn_element *e, int link, double x[3])
{
    pinion_frame_info info;
    if (e->kind != PN_ELEMENT_DRAG || !(e->drag.added_mass > 0)) return 0;
    if (pinion_model_frame(f->m, e->drag.frame, &info) != PINION_OK || info.link != link) return 0;
    pn_turn3(info.pose.rotation, e->drag.point, x);
    for (int i = 0; i < 3; i++) x[i] += info.pose.position[i];
    return 1;
}

int pn_drag_load(pinion_forces *f, int link)
{
    pinion_inertia own, sum;
    if (pinion_model_payload(f->m, link, &own) != PINION_OK) return 0;
    sum = own;
    double x[3], r[3], moment[3];

    /* mass and mass centre of the load that was there and of all added masses */
    for (int i = 0; i < 3; i++) moment[i] = own.mass * own.com[i];
    for (int k = 0; k < f->count; k++) {
        if (!point_on(f, &f->element[k], link, x)) continue;
        sum.mass += f->element[k].drag.added_mass;
        for (int i = 0; i < 3; i++) moment[i] += f->element[k].drag.added_mass * x[i];
    }
    if (sum.mass > own.mass) {
        /* their inertia about it */
        for (int i = 0; i < 3; i++) sum.com[i] = moment[i] / sum.mass, r[i] = own.com[i] - sum.com[i];
        add_point(own.mass, r, sum.inertia);
        for (int k = 0; k < f->count; k++) {
            if (!point_on(f, &f->element[k], link, x)) continue;
            for (int i = 0; i < 3; i++) r[i] = x[i] - sum.com[i];
            add_point(f->element[k].drag.added_mass, r, sum.inertia);
        }
    }
    return pinion_model_set_payload(f->loaded, link, &sum) == PINION_OK;
}

/* ---------------------------------------------------------------------------------------------
 * The element */

static int check(const pn_element_id *id, const pinion_forces *f, const pinion_drag_def *def)
{
    return pn_element_begin(id, def->cookie, COOKIE) && pn_element_frame(id, "frame", f, def->frame, 0) &&
           pn_element_finite(id, "point", def->point, 3) &&
           pn_element_magnitude(id, "density", def->density) &&
           pn_element_finite(id, "velocity", def->velocity, 3) &&
           pn_element_magnitude(id, "area[0]", def->area[0]) &&
           pn_element_magnitude(id, "area[1]", def->area[1]) &&
           pn_element_magnitude(id, "area[2]", def->area[2]) &&
           pn_element_magnitude(id, "volume", def->volume) &&
           pn_element_magnitude(id, "added_mass", def->added_mass);
}

pinion_status pinion_forces_add_drag(pinion_forces *f, const pinion_drag_def *def, pinion_error *err)
{
    if (!f || !def) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "no list or no drag was given");
        return PINION_ERR_ARGUMENT;
    }
    const pn_element_id id = {"drag", def->name, err};
    if (!check(&id, f, def)) return PINION_ERR_ARGUMENT;

    pinion_frame_info info;
    pinion_status status = pinion_model_frame(f->m, def->frame, &info);
    const int heavy = status == PINION_OK && def->added_mass > 0;
    if (heavy && info.body == 0) {
        pn_element_fail(&id, "added_mass is on a link that cannot move; expected one that can");
        return PINION_ERR_ARGUMENT;
    }
    if (heavy && !f->loaded) f->loaded = pinion_model_copy(f->m);
    if (status != PINION_OK || (heavy && !f->loaded)) {
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        return PINION_ERR_MEMORY;
    }

    pn_element e = {.kind = PN_ELEMENT_DRAG, .drag = *def};
    e.drag.name = NULL;
    status = pn_forces_append(f, &e, def->name, err);
    if (status != PINION_OK || !heavy) return status;
    f->heavy++;
    if (pn_drag_load(f, info.link)) return PINION_OK;
    pn_forces_cut(f, f->count - 1);
    pn_element_fail(&id, "added_mass is too large for the model's numbers");
    return PINION_ERR_ARGUMENT;
}

void pn_drag_act(const pn_element *e, pn_scene *s)
{
    const pinion_drag_def *p = &e->drag;
    const double *R = pn_scene_rotation(s, p->frame);
    double x[3], v[3], u[3], own[3], drag[3], lift[3], force[3];
    pn_scene_point(s, p->frame, p->point, x, v);

    /* the velocity against the medium, in the frame's axes, and the drag in the world's */
    for (int i = 0; i < 3; i++) u[i] = v[i] - p->velocity[i];
    pn_turn3_back(R, u, own);
    const double speed = sqrt(pn_dot3(u, u));
    for (int i = 0; i < 3; i++) own[i] *= -0.5 * p->density * p->area[i] * speed;
    pn_turn3(R, own, drag);

    /* buoyancy, and the weight that the added mass does not have; the base has no energy */
    const int moves = s->f->frame_body[p->frame] > 0;
    const double mass = p->density * p->volume + p->added_mass;
    for (int i = 0; i < 3; i++) {
        lift[i] = moves ? -mass * s->gravity[i] : 0;
        force[i] = drag[i] + lift[i];
    }
    pn_scene_push(s, p->frame, p->point, force);
    s->potential -= pn_dot3(lift, x);
    s->power += pn_dot3(drag, v);
}
