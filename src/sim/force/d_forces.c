/* How the elements' forces on the joints change with q and v.
 *
 * An element pulls at frames with f = [n; F], at each frame's origin along the world's axes. With the frame's Jacobian
 * J and its derivative H, by coordinate k the frame moves with column k of J, its velocity changes with that of H v:
 *
 *     tau = sum of J' f,   dtau/dq = sum of H' f + J' df/dq,   dtau/dv = sum of J' df/dv
 *
 * df along such a motion is what the elements' files say. */
#include "sim/force/force_list.h"

#include <stdlib.h>
#include <string.h>

#include "pinion/calls.h"

void pn_change_point(const pn_scene *s, int frame, const double local[3], const pn_change *c, double dx[3],
                     double du[3])
{
    double arm[3], turned[3], w[3], y[3];
    if (frame < 0) {
        memset(dx, 0, 3 * sizeof *dx);
        memset(du, 0, 3 * sizeof *du);
        return;
    }
    pn_turn3(pn_scene_rotation(s, frame), local, arm);
    pn_scene_spin(s, frame, w);
    pn_cross3(c->turn, arm, turned);
    pn_cross3(w, turned, du);
    pn_cross3(c->w, arm, y);
    for (int i = 0; i < 3; i++) {
        dx[i] = c->x[i] + turned[i];
        du[i] += c->v[i] + y[i];
    }
}

void pn_change_push(const pn_scene *s, int frame, const double local[3], const pn_change *c, const double F[3],
                    const double dF[3], pn_pull *to)
{
    double arm[3], turned[3], n[3], a[3], b[3];
    pn_turn3(pn_scene_rotation(s, frame), local, arm);
    pn_cross3(c->turn, arm, turned);
    pn_cross3(arm, F, n);
    pn_cross3(turned, F, a);
    pn_cross3(arm, dF, b);
    for (int i = 0; i < 3; i++) {
        to->f[i] += n[i];
        to->f[3 + i] += F[i];
        to->change[i] += a[i] + b[i];
        to->change[3 + i] += dF[i];
    }
}

/* The frames that part of an element acts on, -1: none; zero behind the last part. */
static int frames_of(const pinion_forces *f, const pn_element *e, int part, int frame[2])
{
    frame[0] = frame[1] = -1;
    switch (e->kind) {
    case PN_ELEMENT_SPRING:
        frame[0] = e->spring.frame_a;
        frame[1] = e->spring.frame_b;
        return part < 1;
    case PN_ELEMENT_WRENCH: frame[0] = e->wrench.frame; return part < 1;
    case PN_ELEMENT_DRAG:
        frame[0] = e->drag.frame;
        frame[1] = e->link;
        return part < 1;
    case PN_ELEMENT_GROUND:
        if (part < e->ground.count) frame[0] = e->ground.frame[part];
        return part < e->ground.count;
    case PN_ELEMENT_ATTRACTION: frame[0] = part; return part < pinion_model_link_count(f->m);
    default: return 0;
    }
}

/* J [6][n] and H [6][n][n] of the two frames, and what is wanted. */
typedef struct room {
    int n;
    double *J[2], *H[2];
    double *tau, *dq, *dv;
} room;

static int take_room(pinion_forces *f, room *r)
{
    const size_t n = (size_t)r->n;
    if (!f->derivatives) f->derivatives = malloc((12 * n + 12 * n * n + 1) * sizeof *f->derivatives);
    if (!f->derivatives) return 0;
    r->J[0] = f->derivatives;
    r->J[1] = r->J[0] + 6 * n;
    r->H[0] = r->J[1] + 6 * n;
    r->H[1] = r->H[0] + 6 * n * n;
    return 1;
}

/* The frame's motion with coordinate k of q, or of v. */
static pn_change change_of(const room *r, int side, int k, const double *v, int by_v)
{
    pn_change c = {{0}, {0}, {0}, {0}};
    const int n = r->n;
    for (int i = 0; i < 3; i++) {
        const double turn = r->J[side][i * n + k], shift = r->J[side][(3 + i) * n + k];
        if (by_v) {
            c.w[i] = turn;
            c.v[i] = shift;
            continue;
        }
        c.turn[i] = turn;
        c.x[i] = shift;
        for (int j = 0; v && j < n; j++) {
            c.w[i] += r->H[side][(i * n + j) * n + k] * v[j];
            c.v[i] += r->H[side][((3 + i) * n + j) * n + k] * v[j];
        }
    }
    return c;
}

/* to[j][k] += column j of J . f */
static void add_column(const room *r, int side, const double f[6], int k, double *to)
{
    const int n = r->n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < 6; i++) to[j * n + k] += r->J[side][i * n + j] * f[i];
}

typedef void change_fn(const pn_element *, int, const pn_scene *, const pn_change[2], pn_pull[2]);

/* One part of an element. */
static void add_part(const pn_element *e, int part, const int frame[2], change_fn *change, const pn_scene *s,
                     const double *v, const room *r)
{
    const int n = r->n;
    for (int k = -1; k < 2 * n; k++) { /* first none, for the forces themselves; then those of q, then those of v */
        pn_change c[2] = {{{0}, {0}, {0}, {0}}, {{0}, {0}, {0}, {0}}};
        pn_pull y[2] = {{{0}, {0}}, {{0}, {0}}};
        const int by_v = k >= n;
        if (k >= 0 && !(by_v ? r->dv : r->dq)) continue;
        for (int side = 0; side < 2 && k >= 0; side++)
            if (frame[side] >= 0) c[side] = change_of(r, side, k % n, v, by_v);
        change(e, part, s, c, y);
        for (int side = 0; side < 2; side++) {
            if (frame[side] < 0) continue;
            if (k >= 0) add_column(r, side, y[side].change, k % n, by_v ? r->dv : r->dq);
            for (int j = 0; k < 0 && j < n; j++)
                for (int i = 0; i < 6; i++) {
                    if (r->tau) r->tau[j] += r->J[side][i * n + j] * y[side].f[i];
                    for (int l = 0; r->dq && l < n; l++)
                        r->dq[j * n + l] += r->H[side][(i * n + j) * n + l] * y[side].f[i];
                }
        }
    }
}

static pinion_status add_element(const pn_element *e, const pn_scene *s, pinion_work *w, const double *q,
                                 const double *v, const room *r)
{
    static change_fn *const change[PN_ELEMENT_KINDS] = {pn_spring_change, pn_wrench_change,     pn_drag_change,
                                                        pn_ground_change, pn_attraction_change, NULL};
    const pinion_reference aligned = PINION_REFERENCE_WORLD_ALIGNED;
    pinion_status status = PINION_OK;
    int frame[2];
    if (!change[e->kind]) return PINION_ERR_UNSUPPORTED; /* nobody knows how a function changes */
    for (int part = 0; frames_of(s->f, e, part, frame) && status == PINION_OK; part++) {
        if (e->kind == PN_ELEMENT_ATTRACTION && s->f->frame_body[part] == 0) continue;
        for (int side = 0; side < 2 && status == PINION_OK; side++) {
            if (frame[side] < 0) continue;
            status = pinion_jacobian(s->f->m, w, q, frame[side], aligned, r->J[side]);
            if (status == PINION_OK && r->dq) status = pinion_hessian(s->f->m, w, q, frame[side], aligned, r->H[side]);
        }
        if (status == PINION_OK) add_part(e, part, frame, change[e->kind], s, v, r);
    }
    return status;
}

pinion_status pinion_d_forces(pinion_forces *f, pinion_work *w, double t, const double *q, const double *v, double *tau,
                              double *dq, double *dv)
{
    if (!f || !w || !q) return PINION_ERR_ARGUMENT;
    room r = {.n = pinion_model_nv(f->m), .tau = tau, .dq = dq, .dv = dv};
    pn_scene s = {.f = f, .t = t};
    if (!f->count) return PINION_OK;
    if (!take_room(f, &r)) return PINION_ERR_MEMORY;
    pinion_status status = pn_forces_move(f, w, q, v);
    pinion_model_gravity(f->m, s.gravity);
    for (int i = 0; i < f->count && status == PINION_OK; i++) status = add_element(&f->element[i], &s, w, q, v, &r);
    return status;
}
