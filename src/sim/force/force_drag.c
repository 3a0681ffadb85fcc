/* Drag, buoyancy and added mass of a link in a medium.
 *
 * With u the velocity of the frame at the point against the medium, in the frame's axes, the drag is a linear and a
 * quadratic form of u and -1/2 density area_i |u| u_i along axis i, all of it power. Buoyancy is -density volume g at
 * its centre, with the potential density volume g'x.
 *
 * A fluid that is pushed aside resists acceleration. Added mass of an element, the same in all directions, is -m_a
 * times the acceleration of the point: what a point mass m_a does, but for its weight. So a copy of the model carries
 * the mass as payload, and the force -m_a g takes its weight off, with the potential m_a g'x. Added mass of the model
 * is in its dynamics for a medium at rest, A a + v x* A v (Kirchhoff). In a medium that moves with U, the same around
 * the whole link, the velocity is v_r = v - [0; U], and
 *
 *     A (a - [0; U' - w x U]) + v_r x* A v_r
 *
 * is needed, where U' is the acceleration of the medium: the difference, which has no acceleration of the link in it,
 * is a force here. What the link displaces is pushed by the pressure that accelerates the medium: density volume U'. */
#include "sim/force/force_list.h"

#include <math.h>
#include <string.h>

#define COOKIE 0x44524731u

pinion_drag_def pinion_drag_def_default(void)
{
    return (pinion_drag_def){.frame = -1, .center = {NAN, NAN, NAN}, .cookie = COOKIE};
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
           pn_element_finite(id, "gradient", def->gradient, 9) && pn_element_finite(id, "origin", def->origin, 3) &&
           pn_element_finite(id, "amplitude", def->amplitude, 3) &&
           pn_element_finite(id, "frequency", &def->frequency, 1) && pn_element_finite(id, "phase", &def->phase, 1) &&
           pn_element_finite(id, "wave", def->wave, 3) && pn_element_finite(id, "linear", def->linear, 36) &&
           pn_element_finite(id, "quadratic", def->quadratic, 36) &&
           (isnan(def->center[0]) || pn_element_finite(id, "center", def->center, 3)) &&
           pn_element_magnitude(id, "area[0]", def->area[0]) &&
           pn_element_magnitude(id, "area[1]", def->area[1]) &&
           pn_element_magnitude(id, "area[2]", def->area[2]) &&
           pn_element_magnitude(id, "volume", def->volume) &&
           pn_element_magnitude(id, "added_mass", def->added_mass);
}

/* Whether the medium moves, somewhere and some time. */
static int flows(const pinion_drag_def *p)
{
    for (int i = 0; i < 9; i++)
        if (p->gradient[i] != 0 || p->velocity[i % 3] != 0 || p->amplitude[i % 3] != 0) return 1;
    return 0;
}

/* The added mass of the frame's link goes with a medium that moves, and with one alone. */
static int take_added_mass(const pn_element_id *id, const pinion_forces *f, pn_element *e,
                           const pinion_frame_info *frame)
{
    pinion_link_info link;
    if (!flows(&e->drag) || frame->body == 0) return 1;
    if (pinion_model_link(f->m, frame->link, &link) != PINION_OK || !link.added_mass) return 1;
    for (int k = 0; k < f->count; k++)
        if (f->element[k].kind == PN_ELEMENT_DRAG && f->element[k].link == frame->link)
            return pn_element_fail(id, "link \"%.60s\" has added mass and is in the current of \"%.60s\" already",
                                   link.name, f->element[k].name);
    e->link = frame->link;
    return 1;
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

    pn_element e = {.kind = PN_ELEMENT_DRAG, .drag = *def, .link = -1};
    e.drag.name = NULL;
    if (isnan(def->center[0])) memcpy(e.drag.center, def->point, sizeof e.drag.center);
    if (!take_added_mass(&id, f, &e, &info)) return PINION_ERR_ARGUMENT;
    status = pn_forces_append(f, &e, def->name, err);
    if (status != PINION_OK || !heavy) return status;
    f->heavy++;
    if (pn_drag_load(f, info.link)) return PINION_OK;
    pn_forces_cut(f, f->count - 1);
    pn_element_fail(&id, "added_mass is too large for the model's numbers");
    return PINION_ERR_ARGUMENT;
}

/* The medium at a place and an instant, and how that changes as the place moves. */
typedef struct medium {
    double U[3], acceleration[3], dU[3], dacceleration[3];
} medium;

/* Its velocity, and the acceleration of what is there: dU/dt + (grad U) U. The place moves by dx; NULL: it stays. */
static medium current_at(const pinion_drag_def *p, double t, const double x[3], const double *dx)
{
    medium y;
    double arm[3], slope[9];
    const double turn = 2 * M_PI * p->frequency, angle = turn * t - pn_dot3(p->wave, x) + p->phase;
    const double s = sin(angle), c = cos(angle), dc = dx ? s * pn_dot3(p->wave, dx) : 0;
    for (int i = 0; i < 3; i++) arm[i] = x[i] - p->origin[i];
    for (int i = 0; i < 3; i++) {
        y.U[i] = p->velocity[i] + pn_dot3(p->gradient + 3 * i, arm) + p->amplitude[i] * s;
        for (int j = 0; j < 3; j++) slope[3 * i + j] = p->gradient[3 * i + j] - p->amplitude[i] * c * p->wave[j];
        y.dU[i] = dx ? pn_dot3(slope + 3 * i, dx) : 0;
    }
    for (int i = 0; i < 3; i++) {
        y.acceleration[i] = p->amplitude[i] * c * turn + pn_dot3(slope + 3 * i, y.U);
        y.dacceleration[i] =
            p->amplitude[i] * dc * (turn - pn_dot3(p->wave, y.U)) + pn_dot3(slope + 3 * i, y.dU);
    }
    return y;
}

/* y += factor (v x* A u) */
static void add_momentum_turn(const double *A, const double v[6], const double u[6], double factor, double y[6])
{
    double p[6], n[3], m[3], f[3];
    for (int i = 0; i < 6; i++) p[i] = pn_dot(6, A + 6 * i, u);
    pn_cross3(v, p, n);
    pn_cross3(v + 3, p + 3, m);
    pn_cross3(v, p + 3, f);
    for (int i = 0; i < 3; i++) {
        y[i] += factor * (n[i] + m[i]);
        y[3 + i] += factor * f[i];
    }
}

/* A force [moment; force] in a frame's axes, at a point of it; all of it is power. */
static void push(pn_scene *s, int frame, const double point[3], const double f[6], const double v[3], const double w[3])
{
    const double *R = pn_scene_rotation(s, frame);
    double moment[3], force[3];
    pn_turn3(R, f, moment);
    pn_turn3(R, f + 3, force);
    pn_scene_push(s, frame, point, force);
    pn_scene_twist(s, frame, moment);
    s->power += pn_dot3(force, v) + pn_dot3(moment, w);
}

/* What a medium that moves changes about the added mass of a link. */
static void carry_along(int link, const medium *at, pn_scene *s)
{
    static const double origin[3] = {0, 0, 0};
    const double *R = pn_scene_rotation(s, link);
    double x[3], v[3], w[3], own[6], against[6], a[6] = {0}, turned[3], f[6] = {0};
    pinion_link_info info;
    if (pinion_model_link(s->f->m, link, &info) != PINION_OK) return; /* it was there when the element was added */
    pn_scene_point(s, link, origin, x, v);
    pn_scene_spin(s, link, w);
    pn_turn3_back(R, w, own);
    pn_turn3_back(R, v, own + 3);
    memcpy(against, own, sizeof own);
    pn_turn3_back(R, at->U, turned);
    for (int i = 0; i < 3; i++) against[3 + i] -= turned[i];
    pn_cross3(own, turned, a);
    pn_turn3_back(R, at->acceleration, turned);
    for (int i = 0; i < 3; i++) {
        a[3 + i] = turned[i] - a[i];
        a[i] = 0;
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) f[i] += info.added_mass[6 * i + j] * a[j];
    add_momentum_turn(info.added_mass, against, against, -1, f);
    add_momentum_turn(info.added_mass, own, own, 1, f);
    push(s, link, origin, f, v, w);
}

/* The drag at the point, in the frame's axes, from the velocity [angular; linear] there against the medium. */
static void drag_of(const pinion_drag_def *p, const double u[6], double f[6])
{
    const double speed = sqrt(pn_dot3(u + 3, u + 3));
    for (int i = 0; i < 6; i++) {
        f[i] = i < 3 ? 0 : -0.5 * p->density * p->area[i - 3] * speed * u[i];
        for (int j = 0; j < 6; j++)
            f[i] -= (p->linear[6 * i + j] + p->quadratic[6 * i + j] * fabs(u[j])) * u[j];
    }
}

void pn_drag_act(const pn_element *e, pn_scene *s)
{
    const pinion_drag_def *p = &e->drag;
    const double *R = pn_scene_rotation(s, p->frame);
    double x[3], v[3], w[3], against[3], u[6], f[6], lift[3], light[3], along[3];
    pn_scene_point(s, p->frame, p->point, x, v);
    pn_scene_spin(s, p->frame, w);
    const medium at = current_at(p, s->t, x, NULL);

    /* the velocity against the medium, in the frame's axes, and the drag */
    for (int i = 0; i < 3; i++) against[i] = v[i] - at.U[i];
    pn_turn3_back(R, w, u);
    pn_turn3_back(R, against, u + 3);
    drag_of(p, u, f);
    push(s, p->frame, p->point, f, v, w);
    if (e->link >= 0) carry_along(e->link, &at, s);

    /* buoyancy, and the weight that the added mass does not have; the base has no energy */
    const int moves = s->f->frame_body[p->frame] > 0;
    const double displaced = moves ? p->density * p->volume : 0;
    for (int i = 0; i < 3; i++) {
        light[i] = moves ? -p->added_mass * s->gravity[i] : 0;
        lift[i] = -displaced * s->gravity[i];
        along[i] = displaced * at.acceleration[i];
    }
    pn_scene_push(s, p->frame, p->point, light);
    s->potential -= pn_dot3(light, x);
    pn_scene_point(s, p->frame, p->center, x, v);
    pn_scene_push(s, p->frame, p->center, lift);
    s->potential -= pn_dot3(lift, x);
    pn_scene_push(s, p->frame, p->center, along);
    s->power += pn_dot3(along, v);
}

/* ---------------------------------------------------------------------------------------------
 * How it changes */

/* A velocity x of the world that changes by dx, in the axes of a frame that turns: R' x and R' (dx - turn x x). */
static void turned_back(const double R[9], const double turn[3], const double x[3], const double dx[3], double y[3],
                        double dy[3])
{
    double z[3];
    pn_cross3(turn, x, z);
    for (int i = 0; i < 3; i++) z[i] = dx[i] - z[i];
    pn_turn3_back(R, x, y);
    pn_turn3_back(R, z, dy);
}

/* A force [moment; force] at a point of a frame, in its axes, that changes by df there. */
static void push_change(const pn_scene *s, int frame, const double point[3], const pn_change *c, const double f[6],
                        const double df[6], pn_pull *to)
{
    const double *R = pn_scene_rotation(s, frame);
    double y[2][3], dy[2][3], z[3];
    for (int half = 0; half < 2; half++) {
        pn_turn3(R, f + 3 * half, y[half]);
        pn_turn3(R, df + 3 * half, dy[half]);
        pn_cross3(c->turn, y[half], z);
        for (int i = 0; i < 3; i++) dy[half][i] += z[i];
    }
    for (int i = 0; i < 3; i++) to->f[i] += y[0][i], to->change[i] += dy[0][i];
    pn_change_push(s, frame, point, c, y[1], dy[1], to);
}

/* of drag_of */
static void d_drag_of(const pinion_drag_def *p, const double u[6], const double du[6], double df[6])
{
    const double speed = sqrt(pn_dot3(u + 3, u + 3)), dspeed = speed > 0 ? pn_dot3(u + 3, du + 3) / speed : 0;
    for (int i = 0; i < 6; i++) {
        df[i] = i < 3 ? 0 : -0.5 * p->density * p->area[i - 3] * (dspeed * u[i] + speed * du[i]);
        for (int j = 0; j < 6; j++)
            df[i] -= (p->linear[6 * i + j] + 2 * p->quadratic[6 * i + j] * fabs(u[j])) * du[j];
    }
}

/* of carry_along */
static void d_carry_along(int link, const medium *at, const pn_scene *s, const pn_change *c, pn_pull *to)
{
    static const double origin[3] = {0, 0, 0};
    const double *R = pn_scene_rotation(s, link), *A;
    double x[3], v[3], w[3], own[6], against[6], down[6], dagainst[6], U[3], dU[3], a[6] = {0}, da[6] = {0};
    double y[3], z[3], f[6], df[6];
    pinion_link_info info;
    if (pinion_model_link(s->f->m, link, &info) != PINION_OK) return; /* it was there when the element was added */
    A = info.added_mass;
    pn_scene_point(s, link, origin, x, v);
    pn_scene_spin(s, link, w);
    turned_back(R, c->turn, w, c->w, own, down);
    turned_back(R, c->turn, v, c->v, own + 3, down + 3);
    turned_back(R, c->turn, at->U, at->dU, U, dU);
    turned_back(R, c->turn, at->acceleration, at->dacceleration, a + 3, da + 3);
    memcpy(against, own, sizeof own);
    memcpy(dagainst, down, sizeof down);
    pn_cross3(own, U, y);
    for (int i = 0; i < 3; i++) against[3 + i] -= U[i], dagainst[3 + i] -= dU[i], a[3 + i] -= y[i];
    pn_cross3(down, U, y);
    pn_cross3(own, dU, z);
    for (int i = 0; i < 3; i++) da[3 + i] -= y[i] + z[i];
    for (int i = 0; i < 6; i++) f[i] = pn_dot(6, A + 6 * i, a), df[i] = pn_dot(6, A + 6 * i, da);
    add_momentum_turn(A, against, against, -1, f);
    add_momentum_turn(A, own, own, 1, f);
    add_momentum_turn(A, dagainst, against, -1, df);
    add_momentum_turn(A, against, dagainst, -1, df);
    add_momentum_turn(A, down, own, 1, df);
    add_momentum_turn(A, own, down, 1, df);
    push_change(s, link, origin, c, f, df, to);
}

void pn_drag_change(const pn_element *e, int part, const pn_scene *s, const pn_change c[2], pn_pull to[2])
{
    static const double none[3] = {0, 0, 0};
    const pinion_drag_def *p = &e->drag;
    const double *R = pn_scene_rotation(s, p->frame);
    double x[3], v[3], w[3], dx[3], dv[3], against[3], dagainst[3], u[6], du[6], f[6], df[6];
    double light[3], along[3], dalong[3];
    (void)part;
    pn_scene_point(s, p->frame, p->point, x, v);
    pn_scene_spin(s, p->frame, w);
    pn_change_point(s, p->frame, p->point, c, dx, dv);
    const medium at = current_at(p, s->t, x, dx);
    for (int i = 0; i < 3; i++) against[i] = v[i] - at.U[i], dagainst[i] = dv[i] - at.dU[i];
    turned_back(R, c->turn, w, c->w, u, du);
    turned_back(R, c->turn, against, dagainst, u + 3, du + 3);
    drag_of(p, u, f);
    d_drag_of(p, u, du, df);
    push_change(s, p->frame, p->point, c, f, df, to);
    if (e->link >= 0) d_carry_along(e->link, &at, s, &c[1], &to[1]);

    const int moves = s->f->frame_body[p->frame] > 0;
    const double displaced = moves ? p->density * p->volume : 0;
    for (int i = 0; i < 3; i++) {
        light[i] = moves ? -p->added_mass * s->gravity[i] : 0;
        along[i] = displaced * (at.acceleration[i] - s->gravity[i]);
        dalong[i] = displaced * at.dacceleration[i];
    }
    pn_change_push(s, p->frame, p->point, c, light, none, to);
    pn_change_push(s, p->frame, p->center, c, along, dalong, to);
}
