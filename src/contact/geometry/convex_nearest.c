/* The nearest points of two convex solids (Gilbert, Johnson & Keerthi 1988; van den Bergen 2004): the point of A - B
 * nearest to the origin, by simplices of its own points. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "contact/geometry/convex.h"

#define TURNS 200
#define CLOSE 1e-14 /* of the square of the distance: the bound below has come so near */
#define TOUCH 1e-14 /* of the solids' size: they overlap */
#define SHALLOW 0.01 /* of it: a gap so small, or a depth, is looked at again from some way off, */
#define SHIFT 1e-3   /* which is this share of it */
#define REFINEMENTS 20
#define LEAST 1e-13 /* of it: gaps that differ by less are the same */

void pn_difference_support(const pn_convex *a, const pn_convex *b, const double direction[3], double w[3], double pa[3],
                           double pb[3])
{
    const double back[3] = {-direction[0], -direction[1], -direction[2]};
    pn_convex_support(a, direction, pa);
    pn_convex_support(b, back, pb);
    for (int k = 0; k < 3; k++) w[k] = pa[k] - pb[k];
}

/* The shares of the points of a subset whose affine hull's point nearest to the origin they make; 0 unless all of them
 * are above 0. The points are differences from the first, so that rounding is of the subset's size. */
static int shares_of(const pn_simplex *s, const int *which, int count, double share[4])
{
    double D[3][3], A[3][4];
    const double *first = s->w[which[0]];
    for (int i = 1; i < count; i++)
        for (int k = 0; k < 3; k++) D[i - 1][k] = s->w[which[i]][k] - first[k];
    const int n = count - 1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) A[i][j] = pn_dot3(D[i], D[j]);
        A[i][n] = -pn_dot3(D[i], first);
    }
    /* elimination with the largest pivot on the diagonal */
    int order[3] = {0, 1, 2};
    for (int p = 0; p < n; p++) {
        int best = p;
        for (int i = p + 1; i < n; i++)
            if (A[order[i]][order[i]] > A[order[best]][order[best]]) best = i;
        const int swap = order[p];
        order[p] = order[best];
        order[best] = swap;
        const int o = order[p];
        if (!(A[o][o] > DBL_MIN)) return 0;
        for (int i = p + 1; i < n; i++) {
            const int r = order[i];
            const double f = A[r][o] / A[o][o];
            for (int j = 0; j <= n; j++) A[r][j] -= f * A[o][j];
            A[r][o] = 0;
        }
    }
    double x[3] = {0, 0, 0}, rest = 1;
    for (int p = n - 1; p >= 0; p--) {
        const int o = order[p];
        double sum = A[o][n];
        for (int i = p + 1; i < n; i++) sum -= A[o][order[i]] * x[order[i]];
        x[o] = sum / A[o][o];
    }
    for (int i = 0; i < n; i++) {
        share[i + 1] = x[i];
        rest -= x[i];
        if (!(x[i] > 0)) return 0;
    }
    share[0] = rest;
    return rest > 0;
}

int pn_simplex_nearest(pn_simplex *s, double v[3])
{
    double best = INFINITY, best_share[4] = {0, 0, 0, 0}, size = 0;
    int best_set = 0;
    for (int i = 0; i < s->count; i++) size = fmax(size, pn_dot3(s->w[i], s->w[i]));
    for (int set = 1; set < 1 << s->count; set++) {
        int which[4], count = 0;
        double share[4], at[3] = {0, 0, 0};
        for (int i = 0; i < s->count; i++)
            if (set >> i & 1) which[count++] = i;
        if (!shares_of(s, which, count, share)) continue;
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 3; k++) at[k] += share[i] * s->w[which[i]][k];
        const double far = pn_dot3(at, at);
        /* four points in a plane have shares, too, but not of the origin */
        if (far < best && (count < 4 || far <= 1e-24 * size)) {
            best = far;
            best_set = set;
            memset(best_share, 0, sizeof best_share);
            for (int i = 0; i < count; i++) best_share[which[i]] = share[i];
            memcpy(v, at, sizeof at);
        }
    }
    int kept = 0;
    for (int i = 0; i < s->count; i++) {
        if (!(best_set >> i & 1)) continue;
        memcpy(s->w[kept], s->w[i], sizeof s->w[0]);
        memcpy(s->a[kept], s->a[i], sizeof s->a[0]);
        memcpy(s->b[kept], s->b[i], sizeof s->b[0]);
        s->share[kept++] = best_share[i];
    }
    s->count = kept;
    return kept == 4;
}

/* whether the point is one of the simplex already: nothing new is found then */
static int is_known(const pn_simplex *s, const double w[3])
{
    for (int i = 0; i < s->count; i++)
        if (memcmp(s->w[i], w, sizeof s->w[0]) == 0) return 1;
    return 0;
}

/* the cores' points a and b, their normal from a to b and their gap, with the radii */
static void add_radii(const pn_convex *a, const pn_convex *b, pinion_nearest *out)
{
    for (int k = 0; k < 3; k++) {
        out->first[k] += a->radius * out->normal[k];
        out->second[k] -= b->radius * out->normal[k];
    }
    out->gap -= a->radius + b->radius;
}

/* A normal where cores without a volume meet, points and segments: across both, or across the one there is. */
static void normal_across(const pn_convex *a, const pn_convex *b, double normal[3])
{
    double x[3] = {0, 0, 0}, y[3] = {0, 0, 0}, size;
    for (int k = 0; k < 3; k++) {
        x[k] = a->shape == PINION_SHAPE_CAPSULE ? a->R[3 * k + 2] : 0;
        y[k] = b->shape == PINION_SHAPE_CAPSULE ? b->R[3 * k + 2] : 0;
    }
    pn_cross3(x, y, normal);
    for (int k = 0; k < 3 && !(pn_dot3(normal, normal) > 1e-12); k++) {
        const double axis[3] = {k == 0, k == 1, k == 2};
        pn_cross3(pn_dot3(x, x) > 0 ? x : y, axis, normal);
    }
    size = sqrt(pn_dot3(normal, normal));
    for (int k = 0; k < 3; k++) normal[k] = size > 0 ? normal[k] / size : k == 2;
}

/* The nearest points of two cores; 0 where they overlap, and the simplex says where. */
static int separated(const pn_convex *a, const pn_convex *b, double size, pn_simplex *s, pinion_nearest *out)
{
    double v[3];
    memset(s, 0, sizeof *s);
    for (int k = 0; k < 3; k++) v[k] = a->at[k] - b->at[k];
    if (!(pn_dot3(v, v) > 0)) v[0] = 1;
    for (int turn = 0; turn < TURNS; turn++) {
        const double back[3] = {-v[0], -v[1], -v[2]}, far = pn_dot3(v, v);
        double w[3], pa[3], pb[3];
        pn_difference_support(a, b, back, w, pa, pb);
        if (s->count && (far - pn_dot3(v, w) <= CLOSE * far || is_known(s, w))) break;
        pn_simplex before = *s;
        const int at = s->count++;
        memcpy(s->w[at], w, sizeof w);
        memcpy(s->a[at], pa, sizeof pa);
        memcpy(s->b[at], pb, sizeof pb);
        double next[3] = {0, 0, 0};
        const int inside = pn_simplex_nearest(s, next);
        if (at && !inside && !(pn_dot3(next, next) < far)) { /* rounding: what was is as near */
            *s = before;
            break;
        }
        memcpy(v, next, sizeof v);
        if (inside || sqrt(pn_dot3(v, v)) <= TOUCH * size) return 0;
    }
    out->gap = sqrt(pn_dot3(v, v));
    for (int k = 0; k < 3; k++) {
        out->normal[k] = -v[k] / out->gap;
        out->first[k] = out->second[k] = 0;
        for (int i = 0; i < s->count; i++) {
            out->first[k] += s->share[i] * s->a[i][k];
            out->second[k] += s->share[i] * s->b[i][k];
        }
    }
    return 1;
}

/* Tries a normal: with b moved along it the two are apart, and what is found there holds where they were, too, less the
 * way that b was moved. The gap along a normal is never more than the gap: the larger one is kept. Returns whether it
 * was, by more than rounding. Where `again` the normal is that of `out`, and points are taken over where the gap is the
 * same, too: only along the normal itself are they the nearest ones. */
static int try_normal(const pn_convex *a, const pn_convex *b, double size, const double along[3], int again,
                      pinion_nearest *out)
{
    const double way = fmax(SHIFT * size, 4 * fabs(out->gap));
    pn_convex moved = *b;
    pn_simplex s;
    pinion_nearest n;
    double at[3];
    for (int k = 0; k < 3; k++) at[k] = b->at[k] + way * along[k];
    moved.at = at;
    if (!separated(a, &moved, size, &s, &n)) return 0;
    const double gap = n.gap - way * pn_dot3(along, n.normal), gain = gap - out->gap;
    if (!(gain > (again ? -LEAST * size : 0))) return 0;
    for (int k = 0; k < 3; k++) {
        const double middle = 0.5 * (n.first[k] + n.second[k] - way * along[k]);
        out->normal[k] = n.normal[k];
        out->first[k] = middle - 0.5 * gap * n.normal[k];
        out->second[k] = middle + 0.5 * gap * n.normal[k];
    }
    out->gap = gap;
    return gain > TOUCH * size;
}

/* The points of cores by the normal that was found, and a better normal where there is one. */
static void settle(const pn_convex *a, const pn_convex *b, double size, pinion_nearest *out)
{
    double along[3];
    for (int turn = 0; turn < REFINEMENTS; turn++) {
        memcpy(along, out->normal, sizeof along);
        if (!try_normal(a, b, size, along, 1, out)) break;
    }
}

/* Where two cores nearly touch, the vector between their nearest points is mostly rounding, and so is its direction. */
static void refine(const pn_convex *a, const pn_convex *b, double size, pinion_nearest *out)
{
    double toward[3], back[3], along[3], length = 0;
    for (int k = 0; k < 3; k++) {
        toward[k] = b->at[k] - a->at[k];
        back[k] = -out->normal[k];
        length += toward[k] * toward[k];
    }
    for (int k = 0; k < 3; k++) toward[k] = length > 0 ? toward[k] / sqrt(length) : k == 2;
    memcpy(along, out->normal, sizeof along);
    /* the gap along each, from nothing: the best of them is where it goes on from */
    out->gap = -SHALLOW * size;
    (void)try_normal(a, b, size, along, 0, out);
    (void)try_normal(a, b, size, back, 0, out);
    (void)try_normal(a, b, size, toward, 0, out);
    settle(a, b, size, out);
}

void pn_convex_nearest(const pn_convex *a, const pn_convex *b, pinion_nearest *out)
{
    const double size = pn_convex_size(a) + pn_convex_size(b);
    pn_simplex s;
    if (!separated(a, b, size, &s, out) && !pn_convex_depth(a, b, &s, out)) { /* cores without a volume */
        out->gap = 0;
        normal_across(a, b, out->normal);
        for (int k = 0; k < 3; k++) {
            out->first[k] = 0;
            for (int i = 0; i < s.count; i++) out->first[k] += s.share[i] * s.a[i][k];
            out->second[k] = out->first[k];
        }
    } else if (fabs(out->gap) < SHALLOW * size) {
        const pinion_nearest before = *out;
        double w[3], pa[3], pb[3];
        pn_difference_support(a, b, before.normal, w, pa, pb);
        refine(a, b, size, out);
        if (!(out->gap > -pn_dot3(w, before.normal) - LEAST * size)) { /* the gap along its normal */
            *out = before;
            settle(a, b, size, out);
        }
    } else if (out->gap < 0)
        settle(a, b, size, out); /* the polytope may have found the normal before the points */
    add_radii(a, b, out);
}
