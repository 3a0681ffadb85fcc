/* How nearest points move with their solids. Near its nearest point a solid is known by two radii of curvature: the
 * point slides by them as the normal turns, not at all at a corner (0), and where it likes on what is flat (infinite).
 * With a the way of a point along its surface, u one of the solid's two directions of curvature and r the radius,
 *     u a = r u (dn - w x n)  on the first,   u a = -r u (dn - w x n)  on the second,   a2 - a1 - gap dn = v1 - v2,
 * six equations across the normal for dn, a1 and a2. They are singular where faces, or lines, lie along each other. */
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "contact/geometry/shape_pairs.h"

/* What is nearer to a face than a normal is known counts as on it: to rounding where both solids have corners and radii
 * alone, to the root of it where one is smooth. */
#define ON_SHARP 1e-9
#define ON_SMOOTH 1e-6
#define SINGULAR 1e-9
#define INPUTS 12

/* curvature across a direction; world. An infinite radius: flat that way */
typedef struct bend {
    double u[2][3], radius[2];
} bend;

static void across(const double n[3], double x[3], double y[3])
{
    const int least = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2) : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
    const double axis[3] = {least == 0, least == 1, least == 2};
    pn_cross3(axis, n, x);
    const double size = sqrt(pn_dot3(x, x));
    for (int k = 0; k < 3; k++) x[k] /= size;
    pn_cross3(n, x, y);
}

/* flat along a direction, which need not be quite across d, and a corner across it */
static void edge(const double d[3], const double along[3], bend *out)
{
    const double off = pn_dot3(along, d);
    double size = 0;
    for (int k = 0; k < 3; k++) out->u[0][k] = along[k] - off * d[k];
    size = sqrt(pn_dot3(out->u[0], out->u[0]));
    for (int k = 0; k < 3; k++) out->u[0][k] /= size;
    pn_cross3(d, out->u[0], out->u[1]);
    out->radius[0] = INFINITY;
}

static void face(bend *out)
{
    out->radius[0] = out->radius[1] = INFINITY;
}

static void box_bend(const double d[3], double on, bend *out)
{
    int flat = 0, axis = 0;
    for (int k = 0; k < 3; k++)
        if (fabs(d[k]) <= on) flat++, axis = k;
    const double along[3] = {axis == 0, axis == 1, axis == 2};
    if (flat == 1) edge(d, along, out);
    if (flat > 1) face(out);
}

/* cylinders and cones: round about z as their point says, flat along their lines and at their ends */
static void turned_bend(const pn_convex *c, const double d[3], const double point[3], double on, bend *out)
{
    const double level = hypot(d[0], d[1]), radius = c->size[0], half = c->size[1];
    const int cone = c->shape == PINION_SHAPE_CONE;
    if (level <= on) {
        if (!cone || d[2] < 0) face(out);
        return;
    }
    const double around[3] = {-d[1] / level, d[0] / level, 0};
    const double off = cone ? (2 * half * d[2] - radius * level) / hypot(radius, 2 * half) : d[2];
    memcpy(out->u[0], around, sizeof around);
    pn_cross3(d, around, out->u[1]);
    out->radius[0] = hypot(point[0], point[1]) / level;
    out->radius[1] = fabs(off) <= on ? INFINITY : 0;
}

/* the second derivatives of the reach |S d|, with their two directions */
static void ellipsoid_bend(const pn_convex *c, const double d[3], bend *out)
{
    double h = 0, H[2][2], x[3], y[3], s[3], Sd[3];
    for (int k = 0; k < 3; k++) {
        s[k] = c->size[k] * c->size[k];
        Sd[k] = s[k] * d[k];
        h += Sd[k] * d[k];
    }
    h = sqrt(h);
    across(d, x, y);
    const double *const t[2] = {x, y};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            H[i][j] = -pn_dot3(t[i], Sd) * pn_dot3(t[j], Sd) / (h * h * h);
            for (int k = 0; k < 3; k++) H[i][j] += t[i][k] * s[k] * t[j][k] / h;
        }
    const double angle = 0.5 * atan2(2 * H[0][1], H[0][0] - H[1][1]), cs = cos(angle), sn = sin(angle);
    for (int k = 0; k < 3; k++) {
        out->u[0][k] = cs * x[k] + sn * y[k];
        out->u[1][k] = -sn * x[k] + cs * y[k];
    }
    out->radius[0] = cs * cs * H[0][0] + 2 * cs * sn * H[0][1] + sn * sn * H[1][1];
    out->radius[1] = sn * sn * H[0][0] - 2 * cs * sn * H[0][1] + cs * cs * H[1][1];
}

static void mesh_point(const pn_convex *c, int i, double p[3])
{
    for (int k = 0; k < 3; k++) p[k] = c->scale[k] * c->data[3 * i + k];
}

/* a corner, an edge or a face of a mesh: all its points that are farthest in a direction have a say */
static void mesh_bend(const pn_convex *c, const double d[3], double on, bend *out)
{
    const double depth = on * pn_convex_size(c);
    double p[3], top[3] = {0, 0, 0}, along[3] = {0, 0, 0}, side[3], most = -INFINITY, longest = 0;
    for (int i = 0; i < c->points; i++) {
        mesh_point(c, i, p);
        if (!(pn_dot3(p, d) > most)) continue;
        most = pn_dot3(p, d);
        memcpy(top, p, sizeof p);
    }
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0; i < c->points; i++) {
            mesh_point(c, i, p);
            if (pn_dot3(p, d) < most - depth) continue;
            for (int k = 0; k < 3; k++) p[k] -= top[k];
            const double size = pn_dot3(p, p);
            if (!turn && size > longest) {
                longest = size;
                memcpy(along, p, sizeof p);
            }
            pn_cross3(p, along, side);
            if (!turn || !(pn_dot3(side, side) > depth * depth * longest)) continue;
            face(out);
            return;
        }
    if (longest > depth * depth) edge(d, along, out);
}

/* the curvature of a convex solid that looks along the unit vector d, at its point there */
static bend bend_of(const pn_convex *c, const double direction[3], const double point[3], double on)
{
    bend out;
    double d[3], p[3], own[3] = {point[0] - c->at[0], point[1] - c->at[1], point[2] - c->at[2]};
    const double z[3] = {0, 0, 1};
    memset(&out, 0, sizeof out);
    pn_turn3_back(c->R, direction, d);
    pn_turn3_back(c->R, own, p);
    across(d, out.u[0], out.u[1]);
    switch (c->shape) {
    case PINION_SHAPE_BOX: box_bend(d, on, &out); break;
    case PINION_SHAPE_CAPSULE:
        if (fabs(d[2]) <= on && c->size[1] > 0) edge(d, z, &out);
        break;
    case PINION_SHAPE_CYLINDER:
    case PINION_SHAPE_CONE: turned_bend(c, d, p, on, &out); break;
    case PINION_SHAPE_ELLIPSOID: ellipsoid_bend(c, d, &out); break;
    case PINION_SHAPE_MESH: mesh_bend(c, d, on, &out); break;
    default: break;
    }
    for (int k = 0; k < 2; k++) pn_turn3(c->R, out.u[k], out.u[k]);
    for (int k = 0; k < 2; k++) out.radius[k] += c->radius;
    return out;
}

/* of a plane, or of the part of a height field that is nearest to the other solid */
static bend ground_bend(const pinion_solid *s, const pn_convex *other, const double direction[3],
                        const double point[3], double on)
{
    bend out;
    memset(&out, 0, sizeof out);
    across(direction, out.u[0], out.u[1]);
    face(&out);
    if (s->shape == PINION_SHAPE_PLANE) return out;
    const pn_field all = pn_field_near(s, other, INFINITY);
    double gap = INFINITY;
    int place = 0;
    pn_prism prism;
    while (pn_field_next(&all, &place, &prism)) {
        pinion_nearest n;
        pn_convex_nearest(&prism.convex, other, &n);
        if (!(n.gap < gap)) continue;
        gap = n.gap;
        out = bend_of(&prism.convex, direction, point, on);
    }
    return out;
}

static int is_smooth(const pinion_solid *s)
{
    return s->shape == PINION_SHAPE_CYLINDER || s->shape == PINION_SHAPE_CONE || s->shape == PINION_SHAPE_ELLIPSOID;
}

/* Solves the six equations for all inputs, with pivots; 0 where they are singular. */
static int solve(double A[6][6], double B[6][INPUTS])
{
    for (int i = 0; i < 6; i++) {
        int pivot = i;
        for (int k = i + 1; k < 6; k++)
            if (fabs(A[k][i]) > fabs(A[pivot][i])) pivot = k;
        if (!(fabs(A[pivot][i]) > SINGULAR)) return 0;
        for (int j = 0; j < 6 && pivot != i; j++) {
            const double x = A[i][j];
            A[i][j] = A[pivot][j], A[pivot][j] = x;
        }
        for (int j = 0; j < INPUTS && pivot != i; j++) {
            const double x = B[i][j];
            B[i][j] = B[pivot][j], B[pivot][j] = x;
        }
        for (int k = 0; k < 6; k++) {
            if (k == i) continue;
            const double f = A[k][i] / A[i][i];
            for (int j = i; j < 6; j++) A[k][j] -= f * A[i][j];
            for (int j = 0; j < INPUTS; j++) B[k][j] -= f * B[i][j];
        }
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < INPUTS; j++) B[i][j] /= A[i][i];
    return 1;
}

/* the velocity of a point with input j of a solid: its angular velocity, then that of what is at the world's origin */
static void input_velocity(int j, const double point[3], double v[3])
{
    const double unit[3] = {j % 3 == 0, j % 3 == 1, j % 3 == 2};
    if (j < 3) pn_cross3(unit, point, v);
    else memcpy(v, unit, sizeof unit);
}

/* Rows of a solid, its number 0 or 1: unknowns are dn, a1 and a2 along e, lengths in units of `length`. */
static void bend_rows(const bend *b, int which, const double n[3], const double e[2][3], double length, double A[2][6],
                      double B[2][INPUTS])
{
    for (int r = 0; r < 2; r++) {
        const int flat = isinf(b->radius[r]);
        const double radius = flat ? 1 : b->radius[r] / length, c = flat ? 0 : 1, big = fmax(radius, c);
        const double slide = c / big, turn = (which ? 1 : -1) * radius / big;
        for (int k = 0; k < 2; k++) {
            const double part = pn_dot3(b->u[r], e[k]);
            A[r][k] = turn * part;
            A[r][2 + 2 * which + k] = slide * part;
        }
        for (int j = 0; j < 3; j++) {
            const double unit[3] = {j == 0, j == 1, j == 2};
            double turned[3];
            pn_cross3(unit, n, turned);
            B[r][6 * which + j] = turn * pn_dot3(b->u[r], turned);
        }
    }
}

pinion_status pinion_shape_d_distance(const pinion_solid *first, const pinion_solid *second, const pinion_nearest *at,
                                      double *d)
{
    if (!at || !d || pn_solid_check(first) || pn_solid_check(second)) return PINION_ERR_ARGUMENT;
    const int grounds[2] = {pn_solid_is_ground(first), pn_solid_is_ground(second)};
    if (grounds[0] && grounds[1]) return PINION_ERR_UNSUPPORTED;
    pn_convex c[2];
    double e[2][3], length = fabs(at->gap), A[6][6] = {{0}}, B[6][INPUTS] = {{0}}, row[10][INPUTS] = {{0}};
    const double *n = at->normal, back[3] = {-n[0], -n[1], -n[2]};
    for (int i = 0; i < 2; i++) {
        if (grounds[i]) continue;
        c[i] = pn_convex_of(i ? second : first);
        length = fmax(length, pn_convex_size(&c[i]));
    }
    const double on = is_smooth(first) || is_smooth(second) ? ON_SMOOTH : ON_SHARP;
    const bend bends[2] = {grounds[0] ? ground_bend(first, &c[1], n, at->first, on) : bend_of(&c[0], n, at->first, on),
                           grounds[1] ? ground_bend(second, &c[0], back, at->second, on)
                                      : bend_of(&c[1], back, at->second, on)};
    across(n, e[0], e[1]);
    for (int i = 0; i < 2; i++) bend_rows(&bends[i], i, n, (const double(*)[3])e, length, A + 2 * i, B + 2 * i);
    for (int k = 0; k < 2; k++) {
        A[4 + k][k] = -at->gap / length;
        A[4 + k][2 + k] = -1;
        A[4 + k][4 + k] = 1;
    }
    for (int j = 0; j < INPUTS; j++) {
        const int which = j / 6;
        double v[3];
        input_velocity(j % 6, which ? at->second : at->first, v);
        row[0][j] = (which ? 1 : -1) * pn_dot3(n, v);
        for (int k = 0; k < 2; k++) B[4 + k][j] = (which ? -1 : 1) * pn_dot3(e[k], v) / length;
        for (int k = 0; k < 3; k++) row[4 + 3 * which + k][j] = v[k];
    }
    const int defined = solve(A, B);
    for (int i = 1; i < 10; i++)
        for (int j = 0; j < INPUTS; j++) {
            const int part = (i - 1) / 3, k = (i - 1) % 3;
            const double along = e[0][k] * B[2 * part][j] + e[1][k] * B[2 * part + 1][j];
            row[i][j] = defined ? row[i][j] + (part ? length : 1) * along : NAN;
        }
    memcpy(d, row, sizeof row);
    return PINION_OK;
}
