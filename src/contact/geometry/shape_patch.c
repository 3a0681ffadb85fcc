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

#define CANDIDATES 64 /* of a patch, before the best are chosen */
#define WAYS 8        /* directions in which the farthest points of a full list stay */
#define AS_DEEP 1e-7  /* m: a point of a patch is as deep as the deepest */
#define EDGE 1e-9     /* of its sides: a triangle of a field reaches beyond its edges, so that there are no seams */

typedef struct patch {
    int count;
    pinion_nearest at[CANDIDATES];
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

/* How far along the normal the feature g is above a point: its plane, or its line where both are lines. Corners of a
 * mesh are only nearly in a plane: it is the one across their mean area, through their middle. */
static double above(const feature *g, const double normal[3], const double p[3])
{
    double x[3], y[3], plane[3] = {0, 0, 0}, d[3] = {0, 0, 0};
    for (int i = 0; i < g->count; i++)
        for (int k = 0; k < 3; k++) d[k] += g->at[i][k] / g->count;
    for (int k = 0; k < 3; k++) d[k] -= p[k];
    if (g->count == 2) {
        for (int k = 0; k < 3; k++) x[k] = g->at[1][k] - g->at[0][k];
        pn_cross3(normal, x, y);
        pn_cross3(x, y, plane);
    }
    for (int i = 1; i + 1 < g->count; i++) { /* triangles from the first corner */
        double part[3];
        for (int k = 0; k < 3; k++) {
            x[k] = g->at[i][k] - g->at[0][k];
            y[k] = g->at[i + 1][k] - g->at[0][k];
        }
        pn_cross3(x, y, part);
        for (int k = 0; k < 3; k++) plane[k] += part[k];
    }
    const double along = pn_dot3(plane, normal);
    if (!(fabs(along) > 0.5 * sqrt(pn_dot3(plane, plane)))) return INFINITY; /* it does not look along the normal */
    return pn_dot3(plane, d) / along;
}

static void add(patch *p, double gap, const double normal[3], const double first[3], double margin)
{
    if (!(gap <= margin) || p->count == CANDIDATES) return;
    pinion_nearest *n = &p->at[p->count++];
    n->gap = gap;
    for (int k = 0; k < 3; k++) {
        n->normal[k] = normal[k];
        n->first[k] = first[k];
        n->second[k] = first[k] + gap * normal[k];
    }
}

/* The nearest points, where none of those from `before` on is about as near: features are polygons, with points that
 * are only nearly in one plane. */
static void add_deepest(patch *p, int before, const pinion_nearest *n, double margin)
{
    for (int i = before; i < p->count; i++)
        if (p->at[i].gap <= n->gap + AS_DEEP) return;
    if (p->count == CANDIDATES) p->count--;
    add(p, n->gap, n->normal, n->first, margin);
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
    add_deepest(out, 0, &n, margin);
}

/* Features of two solids, with their radii, clipped against each other; where they miss each other, or one is a point,
 * the nearest points. */
static void feature_patch(feature *f, feature *g, double first_radius, double second_radius, const pinion_nearest *n,
                          double margin, patch *out)
{
    const int before = out->count;
    if (f->count > 1 && g->count > 1) {
        /* the smaller feature is clipped to the larger one, and its points are put onto the plane of the latter */
        const int flip = f->count == 2 && g->count > 2 ? 0 : g->count == 2 && f->count > 2;
        feature *inner = flip ? g : f;
        const feature *outer = flip ? f : g;
        clip_to(inner, outer, n->normal);
        for (int i = 0; i < inner->count; i++) {
            const double way = above(outer, n->normal, inner->at[i]), radii = first_radius + second_radius;
            double gap = (flip ? -way : way) - radii, first[3];
            if (!isfinite(gap)) continue;
            gap = fmax(gap, n->gap); /* no points of the two are deeper; planes of features may be */
            for (int k = 0; k < 3; k++)
                first[k] = inner->at[i][k] + (flip ? -gap - second_radius : first_radius) * n->normal[k];
            add(out, gap, n->normal, first, margin);
        }
    }
    add_deepest(out, before, n, margin);
}

static void convex_patch(const pn_convex *a, const pn_convex *b, double margin, patch *out)
{
    pinion_nearest n;
    feature f, g;
    double back[3];
    pn_convex_nearest(a, b, &n);
    if (!(n.gap <= margin)) return;
    for (int k = 0; k < 3; k++) back[k] = -n.normal[k];
    f.count = pn_convex_feature(a, n.normal, NEARLY, f.at);
    g.count = pn_convex_feature(b, back, NEARLY, g.at);
    feature_patch(&f, &g, a->radius, b->radius, &n, margin, out);
}

/* ---- height fields ---- */

/* the top of a prism in the world: its corners and its normal */
static void top_of(const pn_prism *prism, feature *top, double normal[3])
{
    const pn_convex *c = &prism->convex;
    double x[3], y[3];
    top->count = 3;
    for (int i = 0; i < 3; i++) {
        pn_turn3(c->R, prism->points + 3 * i, top->at[i]);
        for (int k = 0; k < 3; k++) top->at[i][k] += c->at[k];
    }
    for (int k = 0; k < 3; k++) {
        x[k] = top->at[1][k] - top->at[0][k];
        y[k] = top->at[2][k] - top->at[0][k];
    }
    pn_cross3(x, y, normal);
    const double size = sqrt(pn_dot3(normal, normal));
    for (int k = 0; k < 3; k++) normal[k] /= size;
}

/* Whether a point as far below the surface is nearer to the sides of the field, through which it came then. At the
 * border itself what sticks out is only a little below it. */
static int came_sideways(const pinion_solid *field, const double p[3], double depth)
{
    double d[3], own[3], cell = INFINITY, side = INFINITY;
    for (int k = 0; k < 3; k++) d[k] = p[k] - field->pose.position[k];
    pn_turn3_back(field->pose.rotation, d, own);
    for (int k = 0; k < 2; k++) {
        cell = fmin(cell, field->size[k] / ((k ? field->rows : field->columns) - 1));
        side = fmin(side, 0.5 * field->size[k] - fabs(own[k]));
    }
    return depth > side + 0.1 * cell;
}

/* what of the side of a solid that looks at a triangle is straight above or below it */
static void triangle_patch(const pinion_solid *field, const pn_prism *prism, const feature *top,
                           const double normal[3], const pn_convex *c, double margin, patch *out)
{
    const double *R = prism->convex.R, up[3] = {R[2], R[5], R[8]};
    feature f;
    double back[3], edge[3], side[3];
    for (int k = 0; k < 3; k++) back[k] = -normal[k];
    f.count = pn_convex_feature(c, back, NEARLY, f.at);
    for (int i = 0; i < f.count; i++)
        for (int k = 0; k < 3; k++) f.at[i][k] += c->radius * back[k];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) edge[k] = top->at[(i + 1) % 3][k] - top->at[i][k];
        pn_cross3(edge, up, side);
        clip(&f, side, pn_dot3(side, top->at[i]) + EDGE * pn_dot3(side, side));
    }
    const double floor = prism->points[11];
    for (int i = 0; i < f.count; i++) {
        double d[3], first[3], gap;
        for (int k = 0; k < 3; k++) d[k] = f.at[i][k] - prism->convex.at[k];
        if (pn_dot3(d, up) < floor) continue;
        for (int k = 0; k < 3; k++) d[k] = f.at[i][k] - top->at[0][k];
        gap = pn_dot3(d, normal);
        if (came_sideways(field, f.at[i], -gap)) continue;
        for (int k = 0; k < 3; k++) first[k] = f.at[i][k] - gap * normal[k];
        add(out, gap, normal, first, margin);
    }
}

/* Edges and corners of a triangle. Those inside of the field's surface touch nothing: no triangle at the point may
 * rise above the plane across the normal. */
static void edge_patch(const pinion_solid *field, const feature *top, const pn_prism *prism, const pn_convex *c,
                       double margin, patch *out)
{
    pinion_nearest n;
    feature f, g;
    double back[3];
    pn_convex_nearest(&prism->convex, c, &n);
    if (!(n.gap <= margin) || !pn_field_is_outside(field, n.first, n.normal)) return;
    f.count = 0;
    for (int i = 0; i < 3; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = n.first[k] - top->at[i][k];
        if (pn_dot3(d, n.normal) <= NEARLY * sqrt(pn_dot3(d, d))) memcpy(f.at[f.count++], top->at[i], sizeof d);
    }
    for (int k = 0; k < 3; k++) back[k] = -n.normal[k];
    g.count = pn_convex_feature(c, back, NEARLY, g.at);
    feature_patch(&f, &g, 0, c->radius, &n, margin, out);
}

/* Of a list of points the deepest and the farthest in some directions along the field stay, of all and of those that
 * are hardly less deep. */
static void thin(const pinion_solid *field, double margin, patch *p)
{
    static const double way[WAYS][2] = {{1, 0.1},   {0.6, 0.8},   {-0.1, 1}, {-0.8, 0.6},
                                        {-1, -0.1}, {-0.6, -0.8}, {0.1, -1}, {0.8, -0.6}};
    const double *R = field->pose.rotation;
    int keep[CANDIDATES] = {0}, deepest = 0, count = 0;
    for (int i = 1; i < p->count; i++)
        if (p->at[i].gap < p->at[deepest].gap) deepest = i;
    keep[deepest] = 1;
    for (int all = 0; all < 2; all++)
        for (int w = 0; w < WAYS; w++) {
            int best = deepest;
            double most = -INFINITY;
            for (int i = 0; i < p->count; i++) {
                double far = 0;
                if (!all && p->at[i].gap > p->at[deepest].gap + 0.1 * fabs(margin)) continue;
                for (int k = 0; k < 3; k++)
                    far += p->at[i].first[k] * (way[w][0] * R[3 * k] + way[w][1] * R[3 * k + 1]);
                if (far > most) most = far, best = i;
            }
            keep[best] = 1;
        }
    for (int i = 0; i < p->count; i++)
        if (keep[i]) p->at[count++] = p->at[i];
    p->count = count;
}

static void field_patch(const pinion_solid *field, const pn_convex *c, double margin, patch *out)
{
    const pn_field near = pn_field_near(field, c, margin);
    pn_prism prism;
    for (int place = 0; pn_field_next(&near, &place, &prism);) {
        feature top;
        double normal[3];
        top_of(&prism, &top, normal);
        triangle_patch(field, &prism, &top, normal, c, margin, out);
        edge_patch(field, &top, &prism, c, margin, out);
        if (out->count > CANDIDATES / 2) thin(field, margin, out);
    }
}

int pn_field_deepest(const pinion_solid *field, const pn_convex *c, pinion_nearest *out)
{
    patch p;
    p.count = 0;
    field_patch(field, c, 0, &p);
    for (int i = 0; i < p.count; i++)
        if (i == 0 || p.at[i].gap < out->gap) *out = p.at[i];
    return p.count;
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

/* of the points about as deep as the deepest the farthest from their mean */
static int outermost(const patch *p, int deepest, double about)
{
    pinion_nearest mean = {0};
    int count = 0, found = deepest;
    double best = 0;
    for (int i = 0; i < p->count; i++) {
        if (p->at[i].gap > p->at[deepest].gap + about) continue;
        for (int k = 0; k < 3; k++) mean.first[k] += p->at[i].first[k];
        count++;
    }
    for (int k = 0; k < 3; k++) mean.first[k] /= count;
    for (int i = 0; i < p->count; i++) {
        if (p->at[i].gap > p->at[deepest].gap + about || !(apart(&p->at[i], &mean) > best)) continue;
        best = apart(&p->at[i], &mean);
        found = i;
    }
    return found;
}

/* The deepest point, the farthest from it, and those that span most area to either side. Where `fade` is above 0,
 * points that are less deep by so much count half, and of those equally deep the first is one at the border. */
static int reduce(const patch *p, double fade, pinion_nearest out[PINION_PATCH_MOST])
{
    double share[CANDIDATES];
    int count = 0, pick[4] = {0, 0, 0, 0};
    double best;
    if (!p->count) return 0;
    for (int i = 1; i < p->count; i++)
        if (p->at[i].gap < p->at[pick[0]].gap) pick[0] = i;
    if (fade > 0) pick[0] = outermost(p, pick[0], 1e-5 * fade);
    out[count++] = p->at[pick[0]];
    best = 0;
    for (int i = 0; i < p->count; i++) share[i] = fade > 0 ? 1 / (1 + (p->at[i].gap - out[0].gap) / fade) : 1;
    for (int i = 0; i < p->count; i++) {
        const double size = apart(&p->at[i], &out[0]) * share[i] * share[i];
        if (size > best) best = size, pick[1] = i;
    }
    if (!(best > 1e-16)) return count; /* the same point again */
    const double tiny = 1e-6 * best;
    out[count++] = p->at[pick[1]];
    for (int side = 0; side < 2; side++) {
        int found = -1;
        best = tiny;
        for (int i = 0; i < p->count; i++) {
            const double size = (side ? -1 : 1) * area(&out[0], &out[1], &p->at[i]) * share[i];
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
    else if (a->shape == PINION_SHAPE_HEIGHT_FIELD)
        field_patch(a, &c, margin, &p);
    else {
        const pn_convex d = pn_convex_of(a);
        convex_patch(&d, &c, margin, &p);
    }
    *count = reduce(&p, a->shape == PINION_SHAPE_HEIGHT_FIELD ? 0.1 * margin : 0, out);
    for (int i = 0; i < *count && flat; i++) pn_nearest_flip(&out[i]);
    return PINION_OK;
}
