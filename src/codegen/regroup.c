/* Inertias moved to where they need least.
 *
 * What a joint's motion cannot show of a body's inertia is an inertia that, put on the parent in the same place, has
 * the same energy whatever the joint does (Gautier & Khalil 1990 find the base parameters of robots so; Khalil &
 * Kleinfinger 1987 compute with them). With w and v the angular velocity of the body and the velocity of its origin,
 * 2 T = m v.v + 2 h.(v x w) + w.I w, and
 *
 *     revolute     turns about z, the origin stays: m, h along z, and the same second moment a about x and y
 *     prismatic    w is the parent's: I
 *     helical, planar  wx and wy are those of the parent, turned; the origin moves: a alone
 *     spherical    the origin stays, w is the joint's own: m alone
 *     free         nothing
 *
 * a is taken to be Iyy, which then is zero. With Ixx it would be as good; what moves is in both cases a mass spread
 * along the axis, nowhere negative, so sums at the parents do not cancel more than those of the links themselves do.
 * The two halves of a cylindrical or universal joint are joints of their own. Joints that follow others move as all do
 * of their type. Whatever arrives at the base does not move and is gone.
 *
 * Rotors belong to coordinates, not to bodies, and stay.
 *
 * The same stay: poses and Jacobians, M and what is made of it, inverse and forward dynamics, gravity and bias forces,
 * with and without external forces, and the sizes that pivots are measured against (`turning`, `shifting`). Not the
 * same any more: what a single body has (momentum, kinetic and potential energy and centre of mass of the whole too,
 * where part of it went to the base), forces inside joints, and what follows the inertia of single bodies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/codegen_steps.h"
#include "model/record.h"

/* A number is rounding where it is below this part of the sizes of all terms it was summed from: rotating and moving a
 * moment rounds some four times. Such a number becomes 0, and what it is multiplied with is not computed. */
#define ROUNDING 1e-15

/* moments of mass about a body's origin, as in pn_link */
typedef struct moments {
    double m, h[3], I[6];
} moments;

/* moments, and the sizes of the terms they are sums of */
typedef struct sum {
    moments is, size;
} sum;

static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}; /* of xx, xy, xz, yy, yz, zz */

static void add_moments(const moments *a, moments *b)
{
    b->m += a->m;
    for (int k = 0; k < 3; k++) b->h[k] += a->h[k];
    for (int k = 0; k < 6; k++) b->I[k] += a->I[k];
}

/* Moments about the origin of a frame become those about the origin of another, in which the first is at p, turned
 * by R. With g = R h they are h + m p and I + 2 p.g 1 - p g' - g p' + m (p.p 1 - p p'). `sign` is -1. With +1 and
 * the sizes of all numbers the results are the sizes of their terms. */
static void displace(const double R[9], const double p[3], double sign, moments *A)
{
    double g[3], half[9], I[6];
    for (int i = 0; i < 3; i++) {
        g[i] = R[3 * i] * A->h[0] + R[3 * i + 1] * A->h[1] + R[3 * i + 2] * A->h[2];
        for (int j = 0; j < 3; j++) {
            half[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) half[3 * i + j] += R[3 * i + k] * A->I[at[k][j]];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            double *x = &I[at[i][j]];
            *x = 0;
            for (int k = 0; k < 3; k++) *x += half[3 * i + k] * R[3 * j + k];
            if (i != j) {
                *x += sign * (p[i] * g[j] + g[i] * p[j] + A->m * p[i] * p[j]);
                continue;
            }
            /* of p.p 1 - p p' what is left on the diagonal: the other two */
            for (int k = 0; k < 3; k++)
                if (k != i) *x += p[k] * (2 * g[k] + A->m * p[k]);
        }
    }
    for (int i = 0; i < 3; i++) A->h[i] = g[i] + A->m * p[i];
    memcpy(A->I, I, sizeof I);
}

/* Where the joint's frame is on the parent, before it moves: displaced by the constant part of its own screw, which
 * for a joint that turns is left without its angle, since what goes through it does not see that. */
static void joint_place(const pn_node *n, const pn_link *L, double R[9], double p[3])
{
    const int x = n->place == PN_PLACE_X || n->place == PN_PLACE_ZX, z = n->place == PN_PLACE_ZX;
    const double cx = x ? L->cx : 1, sx = x ? L->sx : 0, ax = x ? L->ax : 0;
    const double cz = z ? L->cz : 1, sz = z ? L->sz : 0, az = z ? L->az : 0;
    const double screws[9] = {cz, -sz * cx, sz * sx, sz, cz * cx, -cz * sx, 0, sx, cx};
    const double shift[3] = {cz * ax, sz * ax, az};
    memcpy(R, n->place == PN_PLACE_DENSE ? L->dense.R : screws, 9 * sizeof *R);
    memcpy(p, n->place == PN_PLACE_DENSE ? L->dense.p : shift, 3 * sizeof *p);
    if (n->joint == PN_PRISMATIC) {
        for (int i = 0; i < 3; i++) {
            const double a = R[3 * i], b = R[3 * i + 1];
            R[3 * i] = L->c0 * a + L->s0 * b;
            R[3 * i + 1] = L->c0 * b - L->s0 * a;
        }
    }
    for (int i = 0; n->joint == PN_REVOLUTE && i < 3; i++) p[i] += L->d0 * R[3 * i + 2];
}

/* of the moments of a body, what its joint does not show; the body loses it */
static moments unseen(const pn_node *n, moments *A)
{
    moments B;
    memset(&B, 0, sizeof B);
    if (n->joint == PN_REVOLUTE || n->joint == PN_SPHERICAL) {
        B.m = A->m;
        A->m = 0;
    }
    if (n->joint == PN_REVOLUTE) {
        B.h[2] = A->h[2];
        A->h[2] = 0;
    }
    if (n->joint == PN_REVOLUTE || n->joint == PN_HELICAL || n->joint == PN_PLANAR) {
        B.I[0] = B.I[3] = A->I[3];
        A->I[0] -= A->I[3];
        A->I[3] = 0;
    }
    if (n->joint == PN_PRISMATIC) {
        memcpy(B.I, A->I, sizeof B.I);
        memset(A->I, 0, sizeof A->I);
    }
    return B;
}

/* what rounding left of a number that is zero; what overflows stays, to be seen */
static double settle(double x, double size)
{
    return isfinite(size) && fabs(x) <= ROUNDING * size ? 0 : x;
}

static void settle_moments(sum *s)
{
    for (int k = 0; k < 3; k++) s->is.h[k] = settle(s->is.h[k], s->size.h[k]);
    for (int k = 0; k < 6; k++) s->is.I[k] = settle(s->is.I[k], s->size.I[k]);
}

/* A link's own moments. They were turned from the link's frame to the body's: the entries of what is turned round by
 * the size of its largest. */
static sum sum_of_link(const pn_link *L)
{
    sum s;
    const double length = sqrt(L->h[0] * L->h[0] + L->h[1] * L->h[1] + L->h[2] * L->h[2]);
    const double half = 0.5 * (fabs(L->I[0]) + fabs(L->I[3]) + fabs(L->I[5]));
    s.is.m = s.size.m = L->m;
    for (int k = 0; k < 3; k++) {
        s.is.h[k] = L->h[k];
        s.size.h[k] = length;
    }
    for (int k = 0; k < 6; k++) {
        s.is.I[k] = L->I[k];
        s.size.I[k] = half;
    }
    return s;
}

/* Body i complete with what its children gave it: it keeps what its joint shows, its parent gets the rest. */
static void regroup_body(const pn_node *n, pn_link *L, sum *own, sum *parent)
{
    double R[9], p[3];
    settle_moments(own);
    sum moved;
    moved.is = unseen(n, &own->is);
    moved.size = unseen(n, &own->size);
    own->is.I[0] = settle(own->is.I[0], moved.size.I[0]); /* Ixx - Iyy */
    L->m = own->is.m;
    memcpy(L->h, own->is.h, sizeof L->h);
    memcpy(L->I, own->is.I, sizeof L->I);
    if (!parent) return;

    joint_place(n, L, R, p);
    displace(R, p, -1, &moved.is);
    for (int k = 0; k < 9; k++) R[k] = fabs(R[k]);
    for (int k = 0; k < 3; k++) p[k] = fabs(p[k]);
    displace(R, p, 1, &moved.size);
    add_moments(&moved.is, &parent->is);
    add_moments(&moved.size, &parent->size);
}

static int is_finite(const pn_link *L)
{
    int finite = isfinite(L->m);
    for (int k = 0; k < 3; k++) finite = finite && isfinite(L->h[k]);
    for (int k = 0; k < 6; k++) finite = finite && isfinite(L->I[k]);
    return finite;
}

pinion_model *pn_regrouped(const pinion_model *m)
{
    pinion_model *out = pinion_model_copy(m);
    sum *sums = out ? malloc((size_t)m->n.nodes * sizeof *sums) : NULL;
    if (!sums) {
        pinion_model_free(out);
        return NULL;
    }
    const pn_node *nodes = PN_AT_CONST(out, pn_node, out->nodes);
    pn_link *L = pn_links_of(out);
    for (int i = 1; i < m->n.nodes; i++) sums[i] = sum_of_link(&L[i]);
    for (int i = m->n.nodes - 1; i > 0; i--)
        regroup_body(&nodes[i], &L[i], &sums[i], nodes[i].parent > 0 ? &sums[nodes[i].parent] : NULL);
    free(sums);

    /* lengths and masses whose products are beyond all numbers: as it was */
    int finite = 1;
    for (int i = 1; i < m->n.nodes; i++) finite = finite && is_finite(&L[i]);
    if (finite) {
        pn_narrow(out, L, (size_t)m->n.nodes * sizeof *L);
        pn_set_content(out);
    } else {
        memcpy(out, m, m->size);
    }
    return out;
}
