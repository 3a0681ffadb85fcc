/* A spring and a damper on the straight line between two points.
 *
 * With r = x_b - x_a, d = |r| and e = r / d, it pulls the points together with k (d - length) + c d'. The
 * potential is k (d - length)^2 / 2, the power -c d'^2. Where the points coincide e is not defined: the
 * damper and the part k length are then zero, and a spring of length zero pulls with k r, which needs no
 * direction. */
#include "sim/force/force_list.h"

#include <math.h>

#define COOKIE 0x53505231u

pinion_spring_def pinion_spring_def_default(void)
{
    return (pinion_spring_def){.frame_a = -1, .frame_b = -1, .cookie = COOKIE};
}

pinion_status pinion_forces_add_spring(pinion_forces *f, const pinion_spring_def *def, pinion_error *err)
{
    if (!f || !def) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "no list or no spring was given");
        return PINION_ERR_ARGUMENT;
    }
    const pn_element_id id = {"spring", def->name, err};
    if (!pn_element_begin(&id, def->cookie, COOKIE) ||
        !pn_element_frame(&id, "frame_a", f, def->frame_a, 1) ||
        !pn_element_frame(&id, "frame_b", f, def->frame_b, 1) ||
        !pn_element_finite(&id, "point_a", def->point_a, 3) ||
        !pn_element_finite(&id, "point_b", def->point_b, 3) ||
        !pn_element_magnitude(&id, "stiffness", def->stiffness) ||
        !pn_element_magnitude(&id, "damping", def->damping) ||
        !pn_element_magnitude(&id, "length", def->length))
        return PINION_ERR_ARGUMENT;
    if ((def->frame_a < 0 || f->frame_body[def->frame_a] == 0) &&
        (def->frame_b < 0 || f->frame_body[def->frame_b] == 0)) {
        pn_element_fail(&id, "neither end can move; expected a frame that can");
        return PINION_ERR_ARGUMENT;
    }
    pn_element e = {.kind = PN_ELEMENT_SPRING, .spring = *def};
    e.spring.name = NULL;
    return pn_forces_append(f, &e, def->name, err);
}

void pn_spring_act(const pn_element *element, pn_scene *s)
{
    const pinion_spring_def *p = &element->spring;
    double a[3], b[3], va[3], vb[3], r[3], u[3], pull[3], back[3];
    pn_scene_point(s, p->frame_a, p->point_a, a, va);
    pn_scene_point(s, p->frame_b, p->point_b, b, vb);
    for (int i = 0; i < 3; i++) r[i] = b[i] - a[i], u[i] = vb[i] - va[i];

    /* e = r / d, zero where the points coincide */
    const double d = sqrt(pn_dot3(r, r)), inverse = d > 0 ? 1 / d : 0;
    const double rate = pn_dot3(r, u) * inverse;

    /* k (d - length) e = k r - k length e */
    for (int i = 0; i < 3; i++) {
        const double e = r[i] * inverse;
        pull[i] = p->stiffness * r[i] + (p->damping * rate - p->stiffness * p->length) * e;
        back[i] = -pull[i];
    }
    pn_scene_push(s, p->frame_a, p->point_a, pull);
    pn_scene_push(s, p->frame_b, p->point_b, back);
    s->potential += 0.5 * p->stiffness * (d - p->length) * (d - p->length);
    s->power -= p->damping * rate * rate;
}

void pn_spring_change(const pn_element *element, int part, const pn_scene *s, const pn_change c[2], pn_pull to[2])
{
    const pinion_spring_def *p = &element->spring;
    double a[3], b[3], va[3], vb[3], r[3], u[3], da[3], db[3], dua[3], dub[3], dr[3], du[3];
    double e[3], de[3], pull[3], dpull[3], back[3], dback[3];
    (void)part;
    pn_scene_point(s, p->frame_a, p->point_a, a, va);
    pn_scene_point(s, p->frame_b, p->point_b, b, vb);
    pn_change_point(s, p->frame_a, p->point_a, &c[0], da, dua);
    pn_change_point(s, p->frame_b, p->point_b, &c[1], db, dub);
    for (int i = 0; i < 3; i++) {
        r[i] = b[i] - a[i], u[i] = vb[i] - va[i];
        dr[i] = db[i] - da[i], du[i] = dub[i] - dua[i];
    }
    const double d = sqrt(pn_dot3(r, r)), inverse = d > 0 ? 1 / d : 0;
    for (int i = 0; i < 3; i++) e[i] = r[i] * inverse;
    const double along = pn_dot3(e, dr), rate = pn_dot3(e, u);
    for (int i = 0; i < 3; i++) de[i] = (dr[i] - along * e[i]) * inverse;
    const double rest = p->damping * rate - p->stiffness * p->length;
    const double drest = p->damping * (pn_dot3(de, u) + pn_dot3(e, du));
    for (int i = 0; i < 3; i++) {
        pull[i] = p->stiffness * r[i] + rest * e[i];
        dpull[i] = p->stiffness * dr[i] + drest * e[i] + rest * de[i];
        back[i] = -pull[i], dback[i] = -dpull[i];
    }
    pn_change_push(s, p->frame_a, p->point_a, &c[0], pull, dpull, &to[0]);
    pn_change_push(s, p->frame_b, p->point_b, &c[1], back, dback, &to[1]);
}
