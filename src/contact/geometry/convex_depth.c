/* How deep two convex solids are in each other: a polytope inside A - B that holds the origin grows where its boundary
 * is nearest to the origin, until it does not grow any more (the expanding polytope algorithm, van den Bergen 2001). */
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "contact/geometry/convex.h"

#define MOST_POINTS 256
#define MOST_FACES (2 * MOST_POINTS)
#define FLAT 1e-6   /* share of a volume or an area: points in a plane or on a line do not begin a polytope */
#define NEEDLE 1e-9 /* the area of a face as a share of its longest side's square: its normal is rounding */
#define CLOSE 1e-13 /* of the solids' size: the boundary has been reached */

typedef struct corner {
    double w[3], a[3], b[3];
} corner;

typedef struct side {
    int corner[3]; /* counterclockwise from outside */
    double normal[3], far;
    int alive;
} side;

typedef struct polytope {
    corner point[MOST_POINTS];
    side face[MOST_FACES];
    int points, faces;
    double tiny;
} polytope;

/* a face; its distance is infinite where it has next to no area, so that it is never the nearest */
static int add_face(polytope *p, int i, int j, int k)
{
    if (p->faces == MOST_FACES) return 0;
    side *f = &p->face[p->faces++];
    double x[3], y[3], d[3];
    for (int c = 0; c < 3; c++) {
        x[c] = p->point[j].w[c] - p->point[i].w[c];
        y[c] = p->point[k].w[c] - p->point[i].w[c];
    }
    pn_cross3(x, y, f->normal);
    const double size = sqrt(pn_dot3(f->normal, f->normal));
    f->corner[0] = i;
    f->corner[1] = j;
    f->corner[2] = k;
    f->alive = 1;
    f->far = INFINITY;
    for (int c = 0; c < 3; c++) d[c] = y[c] - x[c];
    if (!(size > NEEDLE * fmax(pn_dot3(d, d), fmax(pn_dot3(x, x), pn_dot3(y, y))))) return 1;
    for (int c = 0; c < 3; c++) f->normal[c] /= size;
    f->far = pn_dot3(f->normal, p->point[i].w);
    return 1;
}

static int add_point(polytope *p, const pn_convex *a, const pn_convex *b, const double direction[3])
{
    corner *c = &p->point[p->points];
    pn_difference_support(a, b, direction, c->w, c->a, c->b);
    return p->points++;
}

/* how far a point is over the affine hull of the first ones, along a direction across it */
static double over(const polytope *p, const double direction[3], int point)
{
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = p->point[point].w[k] - p->point[0].w[k];
    return pn_dot3(d, direction);
}

/* A point off the hull of those there are, in that of the directions +-d where it is farther off; 0 where there is
 * none. */
static int grow(polytope *p, const pn_convex *a, const pn_convex *b, const double d[3])
{
    const double back[3] = {-d[0], -d[1], -d[2]};
    const int at = add_point(p, a, b, d);
    const double ahead = fabs(over(p, d, at));
    p->points--;
    add_point(p, a, b, back);
    if (fabs(over(p, d, at)) < ahead) {
        p->points--;
        add_point(p, a, b, d);
    }
    if (fabs(over(p, d, at)) > p->tiny) return 1;
    p->points--;
    return 0;
}

/* the three edges from the first point, and the volume between them as a share of what their lengths allow */
static double volume(const polytope *p, double n[3])
{
    double x[3], y[3], z[3];
    for (int c = 0; c < 3; c++) {
        x[c] = p->point[1].w[c] - p->point[0].w[c];
        y[c] = p->point[2].w[c] - p->point[0].w[c];
        z[c] = p->point[3].w[c] - p->point[0].w[c];
    }
    pn_cross3(x, y, n);
    const double size = sqrt(pn_dot3(x, x) * pn_dot3(y, y) * pn_dot3(z, z));
    return size > 0 ? pn_dot3(n, z) / size : 0;
}

/* four points with a volume that begins with those of the simplex; 0 where A - B is flat */
static int open_polytope(polytope *p, const pn_convex *a, const pn_convex *b, const pn_simplex *s)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    p->points = p->faces = 0;
    for (int i = 0; i < s->count; i++) {
        corner *c = &p->point[p->points++];
        memcpy(c->w, s->w[i], sizeof c->w);
        memcpy(c->a, s->a[i], sizeof c->a);
        memcpy(c->b, s->b[i], sizeof c->b);
    }
    double n[3];
    if (p->points == 4 && !(fabs(volume(p, n)) > FLAT)) p->points = 3;
    if (p->points == 3) {
        double x[3], y[3];
        for (int c = 0; c < 3; c++) {
            x[c] = p->point[1].w[c] - p->point[0].w[c];
            y[c] = p->point[2].w[c] - p->point[0].w[c];
        }
        pn_cross3(x, y, n);
        if (!(pn_dot3(n, n) > FLAT * FLAT * pn_dot3(x, x) * pn_dot3(y, y))) p->points = 1;
    }
    if (!p->points) add_point(p, a, b, axes[0]);
    for (int k = 0; k < 3 && p->points == 1; k++) grow(p, a, b, axes[k]);
    for (int k = 0; k < 3 && p->points == 2; k++) {
        double line[3], across[3];
        for (int c = 0; c < 3; c++) line[c] = p->point[1].w[c] - p->point[0].w[c];
        pn_cross3(line, axes[k], across);
        const double size = sqrt(pn_dot3(across, across));
        if (!(size > 0.1 * sqrt(pn_dot3(line, line)))) continue;
        for (int c = 0; c < 3; c++) across[c] /= size;
        grow(p, a, b, across);
        if (p->points == 2) {
            double other[3];
            pn_cross3(line, across, other);
            const double length = sqrt(pn_dot3(other, other));
            for (int c = 0; c < 3; c++) other[c] /= length;
            grow(p, a, b, other);
        }
    }
    if (p->points == 3) {
        double x[3], y[3], across[3];
        for (int c = 0; c < 3; c++) {
            x[c] = p->point[1].w[c] - p->point[0].w[c];
            y[c] = p->point[2].w[c] - p->point[0].w[c];
        }
        pn_cross3(x, y, across);
        const double size = sqrt(pn_dot3(across, across));
        if (!(size > DBL_MIN)) return 0;
        for (int c = 0; c < 3; c++) across[c] /= size;
        grow(p, a, b, across);
    }
    if (p->points < 4) return 0;
    const double size = volume(p, n);
    const int flip = size > 0; /* faces look outwards */
    if (!(fabs(size) > 0)) return 0;
    return add_face(p, 0, flip ? 2 : 1, flip ? 1 : 2) && add_face(p, 0, flip ? 1 : 3, flip ? 3 : 1) &&
           add_face(p, 0, flip ? 3 : 2, flip ? 2 : 3) && add_face(p, 1, flip ? 2 : 3, flip ? 3 : 2);
}

/* Faces in one plane with the point go, too, and so do those without area: what is left is convex to rounding. */
static int sees(const polytope *p, const side *f, int point)
{
    return !isfinite(f->far) || pn_dot3(p->point[point].w, f->normal) > f->far - p->tiny;
}

/* the face on the other side of an edge, -1 when there is none */
static int beyond(const polytope *p, int from, int to)
{
    for (int i = 0; i < p->faces; i++)
        for (int c = 0; c < 3; c++)
            if (p->face[i].corner[c] == to && p->face[i].corner[(c + 1) % 3] == from) return i;
    return -1;
}

/* Replaces the faces that see a point, in one piece around the first, by those from their rim to it. Returns 0 where
 * there is no room. */
static int add_to_hull(polytope *p, int first, int point)
{
    int rim[3 * MOST_FACES][2], edges = 0, stack[MOST_FACES], depth = 0;
    stack[depth++] = first;
    p->face[first].alive = 0;
    while (depth) {
        const side *f = &p->face[stack[--depth]];
        for (int c = 0; c < 3; c++) {
            const int from = f->corner[c], to = f->corner[(c + 1) % 3], next = beyond(p, from, to);
            if (next < 0 || !p->face[next].alive) continue;
            if (sees(p, &p->face[next], point)) {
                p->face[next].alive = 0;
                stack[depth++] = next;
            }
        }
    }
    for (int i = 0; i < p->faces; i++)
        for (int c = 0; c < 3 && !p->face[i].alive; c++) {
            const int from = p->face[i].corner[c], to = p->face[i].corner[(c + 1) % 3], next = beyond(p, from, to);
            if (next >= 0 && !p->face[next].alive) continue;
            rim[edges][0] = from;
            rim[edges][1] = to;
            edges++;
        }
    /* faces that are gone make room */
    int kept = 0;
    for (int i = 0; i < p->faces; i++)
        if (p->face[i].alive) p->face[kept++] = p->face[i];
    p->faces = kept;
    for (int k = 0; k < edges; k++)
        if (!add_face(p, rim[k][0], rim[k][1], point)) return 0;
    return edges > 0;
}

/* the face's point nearest to the origin and what it is made of, with a given depth; returns its distance */
static double read_face(const polytope *p, const side *f, double depth, pinion_nearest *out)
{
    pn_simplex s;
    double v[3] = {0, 0, 0};
    memset(&s, 0, sizeof s);
    s.count = 3;
    for (int i = 0; i < 3; i++) {
        const corner *c = &p->point[f->corner[i]];
        memcpy(s.w[i], c->w, sizeof c->w);
        memcpy(s.a[i], c->a, sizeof c->a);
        memcpy(s.b[i], c->b, sizeof c->b);
    }
    pn_simplex_nearest(&s, v);
    out->gap = -depth;
    memcpy(out->normal, f->normal, sizeof out->normal);
    for (int k = 0; k < 3; k++) {
        double a = 0, b = 0;
        for (int i = 0; i < s.count; i++) {
            a += s.share[i] * s.a[i][k];
            b += s.share[i] * s.b[i][k];
        }
        out->first[k] = 0.5 * (a + b - out->gap * out->normal[k]);
        out->second[k] = out->first[k] + out->gap * out->normal[k];
    }
    return sqrt(pn_dot3(v, v));
}

/* The nearest face; of several in one plane the one that the origin is over. */
static int nearest_face(const polytope *p)
{
    int best = -1;
    pinion_nearest unused;
    double distance = INFINITY;
    for (int i = 0; i < p->faces; i++)
        if (isfinite(p->face[i].far) && (best < 0 || p->face[i].far < p->face[best].far)) best = i;
    if (best < 0) return -1;
    const double far = p->face[best].far;
    for (int i = 0; i < p->faces; i++) {
        if (!(p->face[i].far <= far + p->tiny)) continue;
        const double d = read_face(p, &p->face[i], 0, &unused);
        if (d < distance) {
            distance = d;
            best = i;
        }
    }
    return best;
}

/* The least reach of all directions that were tried is a bound of the depth, however the polytope has come out. */
int pn_convex_depth(const pn_convex *a, const pn_convex *b, const pn_simplex *from, pinion_nearest *out)
{
    polytope p;
    const double size = pn_convex_size(a) + pn_convex_size(b);
    double least = INFINITY;
    p.tiny = 1e-13 * size;
    if (!open_polytope(&p, a, b, from)) return 0;
    for (;;) {
        const int best = nearest_face(&p);
        if (best < 0 || p.points == MOST_POINTS) break;
        const side nearest = p.face[best];
        const int at = add_point(&p, a, b, nearest.normal);
        const double reach = pn_dot3(p.point[at].w, nearest.normal);
        int known = 0;
        if (reach < least) {
            least = reach;
            read_face(&p, &nearest, reach, out);
        }
        for (int i = 0; i < at; i++) known |= memcmp(p.point[i].w, p.point[at].w, sizeof p.point[at].w) == 0;
        if (known || reach - nearest.far <= CLOSE * size || !add_to_hull(&p, best, at)) break;
    }
    return isfinite(least);
}
