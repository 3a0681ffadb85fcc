/* The convex hull of the points of a mesh: Barber, Dobkin and Huhdanpaa's quickhull (1996). A point that is
 * no farther from a face than rounding could put it counts as lying on it. */
#include "io/mjcf/mjcf_mesh.h"
#include "model/pose.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char out_of_memory[] = "";

typedef struct face {
    int corner[3], across[3]; /* across[k]: the face beyond the edge from corner k to k + 1 */
    double normal[3], offset; /* a point is outside where normal * p > offset */
    int outside;              /* the first of its points, -1: none */
    int gone, seen;
} face;

typedef struct hull {
    const double *point;
    int points;
    double near;
    face *face;
    int faces, capacity;
    int *next; /* of a point, in the list of its face */
    int *from; /* of a point, the new face whose edge starts there */
    int *stack, *edge_face, *edge_side;
    int stack_capacity;
} hull;

static double height(const hull *h, const face *f, int p)
{
    return pn_dot3(f->normal, h->point + 3 * (size_t)p) - f->offset;
}

/* A new face, or -1 when out of memory. */
static int add_face(hull *h, int a, int b, int c)
{
    if (h->faces == h->capacity) {
        const int more = h->capacity ? 2 * h->capacity : 64;
        face *grown = h->capacity > (1 << 26) ? NULL : realloc(h->face, (size_t)more * sizeof *grown);
        if (!grown) return -1;
        h->face = grown;
        h->capacity = more;
    }
    face *f = &h->face[h->faces];
    const double *A = h->point + 3 * (size_t)a, *B = h->point + 3 * (size_t)b, *C = h->point + 3 * (size_t)c;
    double u[3], v[3];
    *f = (face){.corner = {a, b, c}, .across = {-1, -1, -1}, .outside = -1};
    for (int k = 0; k < 3; k++) {
        u[k] = B[k] - A[k];
        v[k] = C[k] - A[k];
    }
    pn_cross3(u, v, f->normal);
    const double length = pn_norm3(f->normal);
    for (int k = 0; k < 3 && length > 0; k++) f->normal[k] /= length;
    f->offset = pn_dot3(f->normal, A);
    return h->faces++;
}

/* Gives a point to the first face that it is outside of. */
static void assign(hull *h, int p, int first)
{
    for (int i = first; i < h->faces; i++) {
        if (h->face[i].gone || !(height(h, &h->face[i], p) > h->near)) continue;
        h->next[p] = h->face[i].outside;
        h->face[i].outside = p;
        return;
    }
}

/* The point that a measure is largest for. */
static int farthest(const hull *h, const double origin[3], const double direction[3], int along)
{
    int best = 0;
    double most = -1;
    for (int i = 0; i < h->points; i++) {
        double d[3], side[3];
        for (int k = 0; k < 3; k++) d[k] = h->point[3 * (size_t)i + (size_t)k] - origin[k];
        pn_cross3(d, direction, side);
        const double measure = along ? fabs(pn_dot3(d, direction)) : pn_norm3(side);
        if (measure > most) {
            most = measure;
            best = i;
        }
    }
    return best;
}

/* Four points that span a volume; returns 0 where there are none. */
static int first_four(hull *h, int p[4])
{
    double low[3], high[3], extent = 0;
    int at_low[3] = {0}, at_high[3] = {0}, axis = 0;
    for (int k = 0; k < 3; k++) low[k] = high[k] = h->point[k];
    for (int i = 1; i < h->points; i++) {
        for (int k = 0; k < 3; k++) {
            const double x = h->point[3 * (size_t)i + (size_t)k];
            if (x < low[k]) low[k] = x, at_low[k] = i;
            if (x > high[k]) high[k] = x, at_high[k] = i;
        }
    }
    for (int k = 0; k < 3; k++) {
        extent = fmax(extent, fmax(fabs(low[k]), fabs(high[k])));
        if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
    }
    h->near = 64 * DBL_EPSILON * extent;
    p[0] = at_low[axis];
    p[1] = at_high[axis];
    const double *A = h->point + 3 * (size_t)p[0];
    double u[3], v[3], n[3];
    for (int k = 0; k < 3; k++) u[k] = h->point[3 * (size_t)p[1] + (size_t)k] - A[k];
    double length = pn_norm3(u);
    if (!(length > h->near) || !isfinite(extent)) return 0;
    for (int k = 0; k < 3; k++) u[k] /= length;
    p[2] = farthest(h, A, u, 0);
    for (int k = 0; k < 3; k++) v[k] = h->point[3 * (size_t)p[2] + (size_t)k] - A[k];
    pn_cross3(u, v, n);
    length = pn_norm3(n);
    if (!(length > h->near)) return 0;
    for (int k = 0; k < 3; k++) n[k] /= length;
    p[3] = farthest(h, A, n, 1);
    for (int k = 0; k < 3; k++) v[k] = h->point[3 * (size_t)p[3] + (size_t)k] - A[k];
    const double above = pn_dot3(n, v);
    if (!(fabs(above) > h->near)) return 0;
    if (above > 0) { /* the first face looks away from the fourth point */
        const int swap = p[1];
        p[1] = p[2];
        p[2] = swap;
    }
    return 1;
}

static const char *begin(hull *h)
{
    int p[4];
    if (h->points < 4 || !first_four(h, p)) return "no four points that are not in one plane";
    if (add_face(h, p[0], p[1], p[2]) < 0 || add_face(h, p[0], p[3], p[1]) < 0 ||
        add_face(h, p[1], p[3], p[2]) < 0 || add_face(h, p[2], p[3], p[0]) < 0)
        return out_of_memory;
    static const int across[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (int i = 0; i < 4; i++) memcpy(h->face[i].across, across[i], sizeof across[i]);
    for (int i = 0; i < h->points; i++) assign(h, i, 0);
    return NULL;
}

/* Which side of a face is across to another. */
static int side_to(const face *f, int other)
{
    return f->across[0] == other ? 0 : f->across[1] == other ? 1 : f->across[2] == other ? 2 : -1;
}

/* Room in the lists of a step for all faces there are. */
static int make_room(hull *h)
{
    const int need = 3 * h->faces + 16;
    if (need <= h->stack_capacity) return 1;
    int **const lists[3] = {&h->stack, &h->edge_face, &h->edge_side};
    for (int i = 0; i < 3; i++) {
        int *grown = realloc(*lists[i], (size_t)need * 2 * sizeof *grown);
        if (!grown) return 0;
        *lists[i] = grown;
    }
    h->stack_capacity = 2 * need;
    return 1;
}

/* Takes the faces away that a point sees; the edges around them go to the lists. How many there are. */
static int remove_seen(hull *h, int start, int p, int *seen_count)
{
    int depth = 1, edges = 0, seen = 0;
    h->stack[0] = start;
    h->face[start].seen = 1;
    while (seen < depth) {
        const int at = h->stack[seen++];
        for (int k = 0; k < 3; k++) {
            const int other = h->face[at].across[k];
            face *o = &h->face[other];
            if (o->seen) continue;
            if (height(h, o, p) > h->near) {
                o->seen = 1;
                h->stack[depth++] = other;
            } else {
                h->edge_face[edges] = at;
                h->edge_side[edges++] = k;
            }
        }
    }
    *seen_count = depth;
    return edges;
}

/* Puts a cone from the edges to the point, and gives it the points of the faces that are gone. */
static const char *add_cone(hull *h, int p, int edges, int seen)
{
    static const char torn[] = "points that make no hull";
    const int first = h->faces;
    for (int i = 0; i < edges; i++) {
        const face *old = &h->face[h->edge_face[i]];
        const int a = old->corner[h->edge_side[i]], b = old->corner[(h->edge_side[i] + 1) % 3];
        const int outer = old->across[h->edge_side[i]], back = side_to(&h->face[outer], h->edge_face[i]);
        if (back < 0) return torn;
        const int made = add_face(h, a, b, p);
        if (made < 0) return out_of_memory;
        h->face[made].across[0] = outer;
        h->face[outer].across[back] = made;
        h->from[a] = made;
    }
    for (int i = first; i < h->faces; i++) {
        const int next = h->from[h->face[i].corner[1]];
        if (next < first || next >= h->faces || h->face[next].corner[0] != h->face[i].corner[1]) return torn;
        if (h->face[next].across[2] >= 0) return torn;
        h->face[i].across[1] = next;
        h->face[next].across[2] = i;
    }
    for (int i = 0; i < seen; i++) {
        face *f = &h->face[h->stack[i]];
        f->gone = 1;
        for (int q = f->outside, then; q >= 0; q = then) {
            then = h->next[q];
            if (q != p) assign(h, q, first);
        }
    }
    return NULL;
}

static const char *run(hull *h)
{
    const char *why = begin(h);
    for (int i = 0; !why && i < h->faces; i++) {
        while (!why && !h->face[i].gone && h->face[i].outside >= 0) {
            int best = h->face[i].outside, seen;
            for (int q = best; q >= 0; q = h->next[q]) {
                if (height(h, &h->face[i], q) > height(h, &h->face[i], best)) best = q;
            }
            if (!make_room(h)) return out_of_memory;
            const int edges = remove_seen(h, i, best, &seen);
            why = add_cone(h, best, edges, seen);
        }
    }
    return why;
}

const char *pn_mjcf_hull(mjcf_surface *s)
{
    hull h = {.point = s->point, .points = s->points};
    h.next = malloc(((size_t)s->points + 1) * sizeof *h.next);
    h.from = malloc(((size_t)s->points + 1) * sizeof *h.from);
    for (int i = 0; h.from && i < s->points; i++) h.from[i] = -1;
    const char *why = h.next && h.from ? run(&h) : out_of_memory;
    s->triangles = 0;
    for (int i = 0; !why && i < h.faces; i++) {
        const int *c = h.face[i].corner;
        if (!h.face[i].gone && !pn_mjcf_surface_triangle(s, c[0], c[1], c[2])) why = out_of_memory;
    }
    free(h.next);
    free(h.from);
    free(h.face);
    free(h.stack);
    free(h.edge_face);
    free(h.edge_side);
    return why;
}
