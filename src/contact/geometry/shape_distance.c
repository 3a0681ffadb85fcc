/* Distances between two solids of any kind. */
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "contact/geometry/shape_pairs.h"

static int all_finite(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

pinion_status pn_solid_check(const pinion_solid *s)
{
    static const int lengths[PINION_SHAPE_COUNT] = {
        [PINION_SHAPE_BOX] = 3,     [PINION_SHAPE_SPHERE] = 1,    [PINION_SHAPE_CYLINDER] = 2,
        [PINION_SHAPE_CAPSULE] = 1, [PINION_SHAPE_ELLIPSOID] = 3, [PINION_SHAPE_CONE] = 2,
        [PINION_SHAPE_HEIGHT_FIELD] = 2};
    if (!s || s->shape < 0 || s->shape >= PINION_SHAPE_COUNT) return PINION_ERR_ARGUMENT;
    if (!all_finite(3, s->pose.position) || !all_finite(9, s->pose.rotation) || !all_finite(3, s->size))
        return PINION_ERR_ARGUMENT;
    for (int k = 0; k < lengths[s->shape]; k++)
        if (!(s->size[k] > 0)) return PINION_ERR_ARGUMENT;
    if (s->shape == PINION_SHAPE_CAPSULE && !(s->size[1] >= 0)) return PINION_ERR_ARGUMENT;
    if (s->shape == PINION_SHAPE_MESH && (!s->data || s->rows < 1)) return PINION_ERR_ARGUMENT;
    if (s->shape == PINION_SHAPE_HEIGHT_FIELD && (!s->data || s->rows < 2 || s->columns < 2))
        return PINION_ERR_ARGUMENT;
    return PINION_OK;
}

int pn_solid_is_ground(const pinion_solid *s)
{
    return s->shape == PINION_SHAPE_PLANE || s->shape == PINION_SHAPE_HEIGHT_FIELD;
}

void pn_nearest_flip(pinion_nearest *n)
{
    for (int k = 0; k < 3; k++) {
        const double x = n->first[k];
        n->first[k] = n->second[k];
        n->second[k] = x;
        n->normal[k] = -n->normal[k];
    }
}

void pn_plane_nearest(const pinion_solid *plane, const pn_convex *c, pinion_nearest *out)
{
    double down[3], p[3], gap = -c->radius;
    for (int k = 0; k < 3; k++) {
        out->normal[k] = plane->pose.rotation[3 * k + 2];
        down[k] = -out->normal[k];
    }
    pn_convex_support(c, down, p);
    for (int k = 0; k < 3; k++) gap += out->normal[k] * (p[k] - plane->pose.position[k]);
    out->gap = gap;
    for (int k = 0; k < 3; k++) {
        out->second[k] = p[k] - c->radius * out->normal[k];
        out->first[k] = out->second[k] - gap * out->normal[k];
    }
}

static void field_nearest(const pinion_solid *field, const pn_convex *c, pinion_nearest *out)
{
    const pn_field all = pn_field_near(field, c, INFINITY);
    int place = 0;
    pn_prism prism;
    out->gap = INFINITY;
    while (pn_field_next(&all, &place, &prism)) {
        pinion_nearest n;
        pn_convex_nearest(&prism.convex, c, &n);
        if (n.gap < out->gap) *out = n;
    }
    /* the sides of a prism inside of the field are no surface: the way out is over a triangle */
    pinion_nearest deepest;
    if (out->gap < 0 && pn_field_deepest(field, c, &deepest)) *out = deepest;
}

pinion_status pinion_shape_distance(const pinion_solid *first, const pinion_solid *second, pinion_nearest *out)
{
    if (!out || pn_solid_check(first) || pn_solid_check(second)) return PINION_ERR_ARGUMENT;
    if (pn_solid_is_ground(first) && pn_solid_is_ground(second)) return PINION_ERR_UNSUPPORTED;
    const int flip = pn_solid_is_ground(second);
    const pinion_solid *a = flip ? second : first, *b = flip ? first : second;
    const pn_convex c = pn_convex_of(b);
    if (a->shape == PINION_SHAPE_PLANE)
        pn_plane_nearest(a, &c, out);
    else if (a->shape == PINION_SHAPE_HEIGHT_FIELD)
        field_nearest(a, &c, out);
    else {
        const pn_convex d = pn_convex_of(a);
        pn_convex_nearest(&d, &c, out);
    }
    if (flip) pn_nearest_flip(out);
    return PINION_OK;
}

pinion_status pinion_shape_bounds(const pinion_solid *solid, double low[3], double high[3])
{
    if (!low || !high || pn_solid_check(solid)) return PINION_ERR_ARGUMENT;
    if (solid->shape == PINION_SHAPE_PLANE) {
        for (int k = 0; k < 3; k++) {
            low[k] = -INFINITY;
            high[k] = INFINITY;
        }
        return PINION_OK;
    }
    pinion_solid box = *solid;
    double centre[3] = {0, 0, 0};
    if (solid->shape == PINION_SHAPE_HEIGHT_FIELD) { /* the box around it in its own frame */
        double from = -solid->size[2], to = from;
        for (int i = 0; i < solid->rows * solid->columns; i++) {
            from = fmin(from, solid->data[i]);
            to = fmax(to, solid->data[i]);
        }
        box.shape = PINION_SHAPE_BOX;
        box.size[2] = to - from;
        centre[2] = 0.5 * (from + to);
        pn_turn3(solid->pose.rotation, centre, centre);
        for (int k = 0; k < 3; k++) box.pose.position[k] += centre[k];
    }
    const pn_convex c = pn_convex_of(&box);
    for (int k = 0; k < 3; k++) {
        const double up[3] = {k == 0, k == 1, k == 2}, down[3] = {-up[0], -up[1], -up[2]};
        double p[3];
        pn_convex_support(&c, up, p);
        high[k] = p[k] + c.radius;
        pn_convex_support(&c, down, p);
        low[k] = p[k] - c.radius;
    }
    return PINION_OK;
}
