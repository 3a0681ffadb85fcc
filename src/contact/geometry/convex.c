#include "contact/geometry/convex.h"
#include <math.h>
#include <string.h>
#include "base/vec3.h"

pn_convex pn_convex_of(const pinion_solid *s)
{
    pn_convex c;
    memset(&c, 0, sizeof c);
    c.shape = s->shape;
    c.R = s->pose.rotation;
    c.at = s->pose.position;
    memcpy(c.size, s->size, sizeof c.size);
    switch (s->shape) {
    case PINION_SHAPE_BOX:
        for (int k = 0; k < 3; k++) c.size[k] = 0.5 * s->size[k];
        break;
    case PINION_SHAPE_SPHERE: c.radius = s->size[0]; break;
    case PINION_SHAPE_CAPSULE:
        c.radius = s->size[0];
        c.size[1] = 0.5 * s->size[1];
        break;
    case PINION_SHAPE_CYLINDER:
    case PINION_SHAPE_CONE: c.size[1] = 0.5 * s->size[1]; break;
    case PINION_SHAPE_MESH:
        c.points = s->rows;
        c.data = s->data;
        memcpy(c.scale, s->size, sizeof c.scale);
        break;
    default: break;
    }
    return c;
}

/* the farthest point of a disk of some radius about z, at some height */
static void disk_support(double radius, double height, const double d[3], double p[3])
{
    const double size = hypot(d[0], d[1]);
    p[0] = size > 0 ? radius * d[0] / size : radius;
    p[1] = size > 0 ? radius * d[1] / size : 0;
    p[2] = height;
}

static void mesh_point(const pn_convex *c, int i, double p[3])
{
    for (int k = 0; k < 3; k++) p[k] = c->scale[k] * c->data[3 * i + k];
}

/* in the shape's own frame */
static void own_support(const pn_convex *c, const double d[3], double p[3])
{
    const double radius = c->size[0], half = c->size[1];
    p[0] = p[1] = p[2] = 0;
    switch (c->shape) {
    case PINION_SHAPE_BOX:
        for (int k = 0; k < 3; k++) p[k] = d[k] < 0 ? -c->size[k] : c->size[k];
        break;
    case PINION_SHAPE_CAPSULE: p[2] = d[2] < 0 ? -half : half; break;
    case PINION_SHAPE_CYLINDER: disk_support(radius, d[2] < 0 ? -half : half, d, p); break;
    case PINION_SHAPE_CONE:
        p[2] = half;
        if (2 * half * d[2] < radius * hypot(d[0], d[1])) disk_support(radius, -half, d, p);
        break;
    case PINION_SHAPE_ELLIPSOID: {
        double scaled[3], most = 0;
        for (int k = 0; k < 3; k++) {
            scaled[k] = c->size[k] * d[k];
            most = fmax(most, fabs(scaled[k]));
        }
        if (!(most > 0)) break;
        for (int k = 0; k < 3; k++) scaled[k] /= most;
        const double size = sqrt(pn_dot3(scaled, scaled));
        for (int k = 0; k < 3; k++) p[k] = c->size[k] * scaled[k] / size;
        break;
    }
    case PINION_SHAPE_MESH: {
        double best = -INFINITY, q[3];
        for (int i = 0; i < c->points; i++) {
            mesh_point(c, i, q);
            const double far = pn_dot3(q, d);
            if (far > best) {
                best = far;
                memcpy(p, q, sizeof q);
            }
        }
        break;
    }
    default: break;
    }
}

static void to_world(const pn_convex *c, double p[3])
{
    pn_turn3(c->R, p, p);
    for (int k = 0; k < 3; k++) p[k] += c->at[k];
}

void pn_convex_support(const pn_convex *c, const double direction[3], double point[3])
{
    double d[3];
    pn_turn3_back(c->R, direction, d);
    own_support(c, d, point);
    to_world(c, point);
}

double pn_convex_size(const pn_convex *c)
{
    double most = c->radius;
    if (c->shape == PINION_SHAPE_MESH) {
        for (int i = 0; i < c->points; i++)
            for (int k = 0; k < 3; k++) most = fmax(most, fabs(c->scale[k] * c->data[3 * i + k]));
    } else
        for (int k = 0; k < 3; k++) most = fmax(most, c->size[k]);
    return most;
}

/* the corners of a box's face, edge or point: every axis that the direction is nearly across goes both ways */
static int box_feature(const pn_convex *c, const double d[3], double angle, double points[][3])
{
    int both[3], free = 0, axis[3], count;
    for (int k = 0; k < 3; k++) {
        both[k] = fabs(d[k]) <= angle;
        if (both[k]) axis[free++] = k;
    }
    if (free > 2) free = 2;
    count = 1 << free;
    for (int i = 0; i < count; i++) {
        static const int around[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
        for (int k = 0; k < 3; k++) points[i][k] = d[k] < 0 ? -c->size[k] : c->size[k];
        for (int f = 0; f < free; f++)
            points[i][axis[f]] = c->size[axis[f]] * (free == 1 ? (i ? -1 : 1) : around[i][f]);
    }
    return count;
}

/* a circle about z at a height, by corners of a polygon: the direction lies along z */
static int circle_feature(double radius, double height, double points[][3])
{
    static const double c8[8] = {1, 0.70710678118654752, 0, -0.70710678118654752, -1, -0.70710678118654752, 0,
                                 0.70710678118654752};
    for (int i = 0; i < 8; i++) {
        points[i][0] = radius * c8[i];
        points[i][1] = radius * c8[(i + 6) % 8];
        points[i][2] = height;
    }
    return 8;
}

/* a line of a cone or cylinder between its two ends in the half plane of d */
static int line_feature(double low, double high, double half, const double d[3], double points[][3])
{
    disk_support(low, -half, d, points[0]);
    disk_support(high, half, d, points[1]);
    return high > 0 || low > 0 ? 2 : 1;
}

/* the points of a mesh in its farthest plane, those that matter: the farthest in eight directions across */
static int mesh_feature(const pn_convex *c, const double d[3], double angle, double points[][3])
{
    const double depth = angle * pn_convex_size(c);
    double top[3], x[3], y[3], q[3];
    own_support(c, d, top);
    const int least = fabs(d[0]) < fabs(d[1]) ? (fabs(d[0]) < fabs(d[2]) ? 0 : 2) : (fabs(d[1]) < fabs(d[2]) ? 1 : 2);
    const double axis[3] = {least == 0, least == 1, least == 2};
    pn_cross3(d, axis, x);
    pn_cross3(d, x, y);
    int count = 0;
    for (int i = 0; i < 8; i++) {
        static const double turn[8][2] = {{1, 0.1}, {0.6, 0.8}, {-0.1, 1}, {-0.8, 0.6},
                                          {-1, -0.1}, {-0.6, -0.8}, {0.1, -1}, {0.8, -0.6}};
        double best = -INFINITY, found[3];
        memcpy(found, top, sizeof found);
        for (int j = 0; j < c->points; j++) {
            mesh_point(c, j, q);
            if (pn_dot3(q, d) < pn_dot3(top, d) - depth) continue;
            const double far = turn[i][0] * pn_dot3(q, x) + turn[i][1] * pn_dot3(q, y);
            if (far > best) {
                best = far;
                memcpy(found, q, sizeof q);
            }
        }
        if (count && memcmp(points[count - 1], found, sizeof found) == 0) continue;
        if (count && i == 7 && memcmp(points[0], found, sizeof found) == 0) continue;
        memcpy(points[count++], found, sizeof found);
    }
    if (count > 1 && memcmp(points[0], points[count - 1], sizeof points[0]) == 0) count--;
    return count;
}

int pn_convex_feature(const pn_convex *c, const double direction[3], double angle, double points[PN_FEATURE_MOST][3])
{
    double d[3];
    int count = 1;
    pn_turn3_back(c->R, direction, d);
    const double radius = c->size[0], half = c->size[1], across = hypot(d[0], d[1]);
    if (c->shape == PINION_SHAPE_BOX)
        count = box_feature(c, d, angle, points);
    else if (c->shape == PINION_SHAPE_MESH)
        count = mesh_feature(c, d, angle, points);
    else if ((c->shape == PINION_SHAPE_CYLINDER && across <= angle) ||
             (c->shape == PINION_SHAPE_CONE && across <= angle && d[2] < 0))
        count = circle_feature(radius, d[2] < 0 ? -half : half, points);
    else if ((c->shape == PINION_SHAPE_CYLINDER || c->shape == PINION_SHAPE_CAPSULE) && fabs(d[2]) <= angle)
        count = c->shape == PINION_SHAPE_CYLINDER ? line_feature(radius, radius, half, d, points)
                                                  : line_feature(0, 0, half, d, points) + 1;
    else if (c->shape == PINION_SHAPE_CONE &&
             fabs(2 * half * d[2] - radius * across) <= angle * hypot(radius, 2 * half))
        count = line_feature(radius, 0, half, d, points);
    else
        own_support(c, d, points[0]);
    for (int i = 0; i < count; i++) to_world(c, points[i]);
    return count;
}
