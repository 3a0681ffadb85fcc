/* A compliant half-space below a plane, for points of the model.
 *
 * With d the depth of a point below the plane, the normal force is k d^n (1 + c d'), never below zero (Hunt &
 * Crossley 1975, Coefficient of restitution interpreted as damping in vibroimpact). Friction mu N tanh(|u| /
 * slip) acts against the sliding velocity u. The potential is k d^(n + 1) / (n + 1); damping, what is missing
 * where the force would pull, and friction are power. */
#include "sim/force/force_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COOKIE 0x47524e31u

pinion_ground_def pinion_ground_def_default(void)
{
    return (pinion_ground_def){.normal = {0, 0, 1}, .exponent = 1, .slip = 1e-3, .cookie = COOKIE};
}

/* Unit length; the largest entry first, so that no square overflows or vanishes. Zero when there is no
 * direction. */
static int normalize(double x[3])
{
    const double largest = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
    if (largest == 0) return 0;
    for (int i = 0; i < 3; i++) x[i] /= largest;
    const double length = sqrt(pn_dot3(x, x));
    for (int i = 0; i < 3; i++) x[i] /= length;
    return 1;
}

static int check(const pn_element_id *id, const pinion_forces *f, const pinion_ground_def *def)
{
    if (!pn_element_begin(id, def->cookie, COOKIE) || !pn_element_finite(id, "normal", def->normal, 3))
        return 0;
    if (def->normal[0] == 0 && def->normal[1] == 0 && def->normal[2] == 0)
        return pn_element_fail(id, "normal is zero; expected a direction of any length but 0");
    if (!pn_element_finite(id, "height", &def->height, 1) ||
        !pn_element_magnitude(id, "stiffness", def->stiffness) ||
        !pn_element_finite(id, "exponent", &def->exponent, 1) ||
        !pn_element_magnitude(id, "damping", def->damping) ||
        !pn_element_magnitude(id, "friction", def->friction) || !pn_element_finite(id, "slip", &def->slip, 1))
        return 0;
    if (!(def->exponent >= 1))
        return pn_element_fail(id, "exponent is below 1, where the force has no slope");
    if (!(def->slip > 0)) return pn_element_fail(id, "slip is not above 0");
    if (def->count < 1) return pn_element_fail(id, "count is %d; expected at least one point", def->count);
    if (!def->frame) return pn_element_fail(id, "frame is NULL; expected %d frames", def->count);
    for (int i = 0; i < def->count; i++)
        if (!pn_element_frame(id, "frame", f, def->frame[i], 0)) return 0;
    return 1;
}

pinion_status pinion_forces_add_ground(pinion_forces *f, const pinion_ground_def *def, pinion_error *err)
{
    if (!f || !def) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "no list or no ground was given");
        return PINION_ERR_ARGUMENT;
    }
    const pn_element_id id = {"ground", def->name, err};
    if (!check(&id, f, def)) return PINION_ERR_ARGUMENT;
    int *frame = calloc((size_t)def->count, sizeof *frame);
    if (!frame) {
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        return PINION_ERR_MEMORY;
    }
    memcpy(frame, def->frame, (size_t)def->count * sizeof *frame);
    pn_element e = {.kind = PN_ELEMENT_GROUND, .owned = frame, .ground = *def};
    e.ground.name = NULL;
    e.ground.frame = frame;
    normalize(e.ground.normal);
    return pn_forces_append(f, &e, def->name, err);
}

void pn_ground_touch(const pinion_ground_def *p, int frame, pn_scene *s, double force[3], double *gap)
{
    static const double origin[3] = {0, 0, 0};
    double x[3], v[3], u[3];
    pn_scene_point(s, frame, origin, x, v);
    const double depth = p->height - pn_dot3(p->normal, x);
    force[0] = force[1] = force[2] = 0;
    *gap = -depth;
    if (!(depth > 0)) return;

    /* what the ground stores, and how much more or less it presses */
    const double rise = pn_dot3(p->normal, v);
    const double elastic = p->stiffness * pow(depth, p->exponent);
    const double press = fmax(0, elastic * (1 - p->damping * rise));
    s->potential += elastic * depth / (p->exponent + 1);
    s->power += (press - elastic) * rise;

    /* friction against the sliding */
    for (int i = 0; i < 3; i++) u[i] = v[i] - rise * p->normal[i];
    const double speed = sqrt(pn_dot3(u, u));
    const double rub = p->friction * press * tanh(speed / p->slip);
    for (int i = 0; i < 3; i++) force[i] = press * p->normal[i] - (speed > 0 ? rub * u[i] / speed : 0);
    s->power -= rub * speed;
    pn_scene_push(s, frame, origin, force);
}

void pn_ground_act(const pn_element *e, pn_scene *s)
{
    double force[3], gap;
    for (int i = 0; i < e->ground.count; i++) pn_ground_touch(&e->ground, e->ground.frame[i], s, force, &gap);
}

void pn_ground_change(const pn_element *e, int part, const pn_scene *s, const pn_change c[2], pn_pull to[2])
{
    static const double origin[3] = {0, 0, 0};
    const pinion_ground_def *p = &e->ground;
    const int frame = p->frame[part];
    double x[3], v[3], u[3], dx[3], dv[3], du[3], force[3], change[3];
    pn_scene_point(s, frame, origin, x, v);
    pn_change_point(s, frame, origin, c, dx, dv);
    const double depth = p->height - pn_dot3(p->normal, x), ddepth = -pn_dot3(p->normal, dx);
    if (!(depth > 0)) return;

    const double rise = pn_dot3(p->normal, v), drise = pn_dot3(p->normal, dv), hold = 1 - p->damping * rise;
    const double elastic = p->stiffness * pow(depth, p->exponent), delastic = p->exponent * elastic / depth * ddepth;
    const double press = fmax(0, elastic * hold);
    const double dpress = press > 0 ? delastic * hold - elastic * p->damping * drise : 0;

    /* friction is -mu press g u with g = tanh(speed / slip) / speed, which is 1 / slip at rest */
    for (int i = 0; i < 3; i++) u[i] = v[i] - rise * p->normal[i], du[i] = dv[i] - drise * p->normal[i];
    const double speed = sqrt(pn_dot3(u, u)), z = speed / p->slip, t = tanh(z), z2 = z * z;
    const double g = (z < 1e-3 ? 1 - z2 / 3 + 2 * z2 * z2 / 15 : t / z) / p->slip;
    const double bend = (z < 1e-3 ? -2.0 / 3 + 8 * z2 / 15 : (1 - t * t - t / z) / z2) / (p->slip * p->slip * p->slip);
    const double dg = bend * pn_dot3(u, du); /* dg/d(speed) is bend times speed */
    for (int i = 0; i < 3; i++) {
        force[i] = press * p->normal[i] - p->friction * press * g * u[i];
        change[i] = dpress * p->normal[i] -
                    p->friction * (dpress * g * u[i] + press * dg * u[i] + press * g * du[i]);
    }
    pn_change_push(s, frame, origin, c, force, change, to);
}
