/* Patches: the points at which two solids touch over a face or along a line. The features of both that look at each
 * other are clipped against each other; of what is left up to four points stay. */
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "contact/geometry/shape_pairs.h"

#define NEARLY 0.1 /* rad: faces that are turned against the normal by no more count as parts of the patch */
#define ROOM (3 * PN_FEATURE_MOST)

typedef struct feature {
    int count;
    double at[ROOM][3];
} feature;

typedef struct patch {
    int count;
    pinion_nearest at[ROOM];
} patch;

/* the part of a polygon or segment on the side of a plane where d . x <= far */
static void clip(feature *f, const double d[3], double far)
{
    feature out;
    out.count = 0;
    const int closed = f->count > 2;
    for (int i = 0; i < f->count; i++) {
        const double *p = f->at[i], *q = f->at[(i + 1) % f->count];
        const double x = pn_dot3(d, p) - far, y = pn_dot3(d, q) - far;
        if (x <= 0 && out.count < ROOM) memcpy(out.at[out.count++], p, sizeof out.at[0]);
        if ((closed || i + 1 < f->count) && ((x < 0 && y > 0) || (x > 0 && y < 0)) && out.count < ROOM) {
            for (int k = 0; k < 3; k++) out.at[out.count][k] = p[k] + (q[k] - p[k]) * (x / (x - y));
            out.count++;
        }
    }
    *f = out;
}

/* f is clipped to the prism over g along the normal; g is a polygon, or a segment, whose ends then bound it */
static void clip_to(feature *f, const feature *g, const double normal[3])
{
    double middle[3] = {0, 0, 0}, out[3], edge[3];
    if (g->count == 2) {
        for (int k = 0; k < 3; k++) edge[k] = g->at[1][k] - g->at[0][k];
        clip(f, edge, pn_dot3(edge, g->at[1]));
        for (int k = 0; k < 3; k++) edge[k] = -edge[k];
        clip(f, edge, pn_dot3(edge, g->at[0]));
        return;
    }
    for (int i = 0; i < g->count; i++)
        for (int k = 0; k < 3; k++) middle[k] += g->at[i][k] / g->count;
    for (int i = 0; i < g->count; i++) {
        const double *p = g->at[i], *q = g->at[(i + 1) % g->count];
        for (int k = 0; k < 3; k++) edge[k] = q[k] - p[k];
        pn_cross3(edge, normal, out);
        if (pn_dot3(out, middle) > pn_dot3(out, p))
            for (int k = 0; k < 3; k++) out[k] = -out[k];
        clip(f, out, pn_dot3(out, p));
    }
}

/* how far along the normal the feature g is above a point: its plane, or its line where both are lines */
static double above(const feature *g, const double normal[3], const double p[3])
{
    double x[3], y[3], plane[3], d[3];
    for (int k = 0; k < 3; k++) {
        x[k] = g->at[1][k] - g->at[0][k];
        y[k] = g->count > 2 ? g->at[2][k] - g->at[0][k] : 0;
        d[k] = g->at[0][k] - p[k];
    }
    if (g->count == 2) pn_cross3(normal, x, y);
    pn_cross3(x, y, plane);
    return pn_dot3(plane, d) / pn_dot3(plane, normal);
}

static void add(patch *p, double gap, const double normal[3], const double first[3], double margin)
{
    if (!(gap <= margin) || p->count == ROOM) return;
    pinion_nearest *n = &p->at[p->count++];
    n->gap = gap;
    for (int k = 0; k < 3; k++) {
        n->normal[k] = normal[k];
        n->first[k] = first[k];
        n->second[k] = first[k] + gap * normal[k];
    }
}

static void plane_patch(const pinion_solid *plane, const pn_convex *c, double margin, patch *out)
{
    pinion_nearest n;
    feature f;
    double down[3];
    pn_plane_nearest(plane, c, &n);
    if (!(n.gap <= margin)) return;
    for (int k = 0; k < 3; k++) down[k] = -n.normal[k];
    f.count = pn_convex_feature(c, down, NEARLY, f.at);
    for (int i = 0; i < f.count; i++) {
        double gap = -c->radius, first[3];
        for (int k = 0; k < 3; k++) gap += n.normal[k] * (f.at[i][k] - plane->pose.position[k]);
        for (int k = 0; k < 3; k++) first[k] = f.at[i][k] - (gap + c->radius) * n.normal[k];
        add(out, gap, n.normal, first, margin);
    }
}

static void convex_patch(const pn_convex *a, const pn_convex *b, double margin, patch *out)
{
    pinion_nearest n;
    feature f, g;
    double back[3];
    const int before = out->count;
    pn_convex_nearest(a, b, &n);
    if (!(n.gap <= margin)) return;
    for (int k = 0; k < 3; k++) back[k] = -n.normal[k];
    f.count = pn_convex_feature(a, n.normal, NEARLY, f.at);
    g.count = pn_convex_feature(b, back, NEARLY, g.at);
    if (f.count > 1 && g.count > 1) {
        /* the smaller feature is clipped to the larger one, and its points are put onto the plane of the latter */
        const int flip = f.count == 2 && g.count > 2 ? 0 : g.count == 2 && f.count > 2;
        feature *inner = flip ? &g : &f;
        const feature *outer = flip ? &f : &g;
        clip_to(inner, outer, n.normal);
        for (int i = 0; i < inner->count; i++) {
            const double way = above(outer, n.normal, inner->at[i]), gap = (flip ? -way : way) - a->radius - b->radius;
            double first[3];
            for (int k = 0; k < 3; k++)
                first[k] = inner->at[i][k] + ((flip ? way : 0) + a->radius) * n.normal[k];
            if (isfinite(gap)) add(out, gap, n.normal, first, margin);
        }
    }
    /* a point, or features that miss each other */
    if (out->count == before && out->count < ROOM) out->at[out->count++] = n;
}

static double apart(const pinion_nearest *a, const pinion_nearest *b)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += (a->first[k] - b->first[k]) * (a->first[k] - b->first[k]);
    return sum;
}

/* twice the area of a triangle, with the sign that the normal gives it */
static double area(const pinion_nearest *a, const pinion_nearest *b, const pinion_nearest *c)
{
    double x[3], y[3], n[3];
    for (int k = 0; k < 3; k++) {
        x[k] = b->first[k] - a->first[k];
        y[k] = c->first[k] - a->first[k];
    }
    pn_cross3(x, y, n);
    return pn_dot3(n, a->normal);
}

/* the deepest point, the farthest from it, and those that span most area to either side */
static int reduce(const patch *p, pinion_nearest out[PINION_PATCH_MOST])
{
    int count = 0, pick[4] = {0, 0, 0, 0};
    double best;
    if (!p->count) return 0;
    for (int i = 1; i < p->count; i++)
        if (p->at[i].gap < p->at[pick[0]].gap) pick[0] = i;
    out[count++] = p->at[pick[0]];
    best = 0;
    for (int i = 0; i < p->count; i++)
        if (apart(&p->at[i], &out[0]) > best) best = apart(&p->at[pick[1] = i], &out[0]);
    if (!(best > 1e-16)) return count; /* the same point again */
    const double tiny = 1e-6 * best;
    out[count++] = p->at[pick[1]];
    for (int side = 0; side < 2; side++) {
        int found = -1;
        best = tiny;
        for (int i = 0; i < p->count; i++) {
            const double size = (side ? -1 : 1) * area(&out[0], &out[1], &p->at[i]);
            if (size > best) best = size, found = i;
        }
        if (found >= 0) out[count++] = p->at[found];
    }
    return count;
}

pinion_status pinion_shape_patch(const pinion_solid *first, const pinion_solid *second, double margin,
                                 pinion_nearest out[PINION_PATCH_MOST], int *count)
{
    patch p;
    p.count = 0;
    if (!out || !count || pn_solid_check(first) || pn_solid_check(second) || !isfinite(margin))
        return PINION_ERR_ARGUMENT;
    const int flat = second->shape == PINION_SHAPE_PLANE || second->shape == PINION_SHAPE_HEIGHT_FIELD;
    const pinion_solid *a = flat ? second : first, *b = flat ? first : second;
    if (b->shape == PINION_SHAPE_PLANE || b->shape == PINION_SHAPE_HEIGHT_FIELD) return PINION_ERR_UNSUPPORTED;
    const pn_convex c = pn_convex_of(b);
    if (a->shape == PINION_SHAPE_PLANE)
        plane_patch(a, &c, margin, &p);
    else if (a->shape == PINION_SHAPE_HEIGHT_FIELD) {
        const pn_field near = pn_field_near(a, &c, margin);
        pn_prism prism;
        for (int place = 0; pn_field_next(&near, &place, &prism);) {
            patch one;
            pinion_nearest few[PINION_PATCH_MOST];
            one.count = 0;
            convex_patch(&prism.convex, &c, margin, &one);
            const int some = reduce(&one, few);
            for (int i = 0; i < some && p.count < ROOM; i++) p.at[p.count++] = few[i];
        }
    } else {
        const pn_convex d = pn_convex_of(a);
        convex_patch(&d, &c, margin, &p);
    }
    *count = reduce(&p, out);
    for (int i = 0; i < *count && flat; i++) pn_nearest_flip(&out[i]);
    return PINION_OK;
}
