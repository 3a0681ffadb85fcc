/* The zero-moment point (Vukobratovic & Borovac 2004), and the polygon of support. */
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "contact/scene/scene_parts.h"
#include "contact/support/support_parts.h"

#define PRESSES 1e-9 /* of the weight */

pinion_status pinion_zero_moment_point(pinion_support *s, pinion_work *w, const double *q, const double *v,
                                       const double *a, const double *on, double *zmp)
{
    if (!s) return PINION_ERR_ARGUMENT;
    s->message[0] = 0;
    if (!q || !a || !on || !zmp) return PINION_ERR_ARGUMENT;
    double rate[6], center[3], g[3], arm[3], moment[3], force[3], up[3];
    const double mass = pinion_model_mass(s->m);
    pinion_model_gravity(s->m, g);
    const double pull = sqrt(pn_dot3(g, g));
    for (int k = 0; k < 3; k++) zmp[k] = NAN;
    if (!(pull > 0) || !(mass > 0)) return PINION_OK;
    pinion_status status = pinion_centroidal(s->m, w, q, v, s->frame, rate, NULL);
    if (status == PINION_OK) status = pinion_center_of_mass(s->m, w, q, NULL, center, NULL);
    if (status) return status;

    /* what the motion needs from outside, about the point of the level */
    for (int r = 0; r < 6; r++) rate[r] += pn_dot(s->nv, s->frame + r * s->nv, a);
    for (int k = 0; k < 3; k++) {
        force[k] = rate[3 + k] - mass * g[k];
        arm[k] = center[k] - on[k];
        up[k] = -g[k] / pull;
    }
    pn_cross3(arm, force, moment);
    for (int k = 0; k < 3; k++) moment[k] += rate[k];
    const double press = pn_dot3(up, force);
    if (!(press > PRESSES * mass * pull)) return PINION_OK;
    pn_cross3(up, moment, arm);
    for (int k = 0; k < 3; k++) zmp[k] = on[k] + arm[k] / press;
    return PINION_OK;
}

/* twice the area of a triangle in the plane, and of sides that it is measured against */
static double turn(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static void flatten(const double *point, const double x[3], const double y[3], double out[2])
{
    out[0] = pn_dot3(point, x);
    out[1] = pn_dot3(point, y);
}

/* the distance of a point from a side, in the plane */
static double from_side(const double a[2], const double b[2], const double p[2])
{
    const double side[2] = {b[0] - a[0], b[1] - a[1]}, way[2] = {p[0] - a[0], p[1] - a[1]};
    const double size = side[0] * side[0] + side[1] * side[1];
    const double part = size > 0 ? fmin(1, fmax(0, (side[0] * way[0] + side[1] * way[1]) / size)) : 0;
    return hypot(way[0] - part * side[0], way[1] - part * side[1]);
}

/* how far inside of the border a place is */
static double inside_by(const double *points, const int *corner, int corners, const double x[3], const double y[3],
                        const double *place)
{
    double p[2], a[2], b[2], least = INFINITY;
    int inside = corners > 2;
    flatten(place, x, y, p);
    for (int i = 0; i < corners; i++) {
        flatten(points + 3 * corner[i], x, y, a);
        flatten(points + 3 * corner[(i + 1) % corners], x, y, b);
        least = fmin(least, from_side(a, b, p));
        inside = inside && turn(a, b, p) >= 0;
    }
    return inside ? least : -least;
}

/* The corner that follows: the one that all others are left of; of those in line the farthest. */
static int next_corner(int count, const double *points, const double x[3], const double y[3], int from, double tiny)
{
    double a[2], b[2], c[2];
    int best = -1;
    flatten(points + 3 * from, x, y, a);
    for (int i = 0; i < count; i++) {
        flatten(points + 3 * i, x, y, c);
        const double far = hypot(c[0] - a[0], c[1] - a[1]);
        if (!(far > tiny)) continue;
        if (best >= 0) {
            flatten(points + 3 * best, x, y, b);
            const double there = hypot(b[0] - a[0], b[1] - a[1]), side = turn(a, b, c);
            if (side > tiny * there || (side >= -tiny * there && far <= there)) continue;
        }
        best = i;
    }
    return best;
}

pinion_status pinion_support_polygon(int count, const double *points, const double *up, const double *place,
                                     int *corner, int *corners, double *margin)
{
    double x[3], y[3], z[3], at[2], best[2], size = 0;
    if (count < 0 || !up || !corners || (count && (!points || !corner))) return PINION_ERR_ARGUMENT;
    const double length = sqrt(pn_dot3(up, up));
    if (!(length > 0) || !isfinite(length)) return PINION_ERR_ARGUMENT;
    for (int k = 0; k < 3 * count; k++)
        if (!isfinite(points[k])) return PINION_ERR_ARGUMENT;
    *corners = 0;
    if (margin) *margin = -INFINITY;
    if (!count) return PINION_OK;
    for (int k = 0; k < 3; k++) z[k] = up[k] / length;
    pn_scene_tangents(z, x, y);

    /* around the points from the lowest one on (Jarvis 1973), what is nearly in line or at one place left out */
    int first = 0;
    flatten(points, x, y, best);
    for (int i = 0; i < count; i++) {
        double way[3];
        flatten(points + 3 * i, x, y, at);
        for (int k = 0; k < 3; k++) way[k] = points[3 * i + k] - points[k];
        size = fmax(size, sqrt(pn_dot3(way, way)));
        if (at[1] > best[1] || (at[1] == best[1] && at[0] >= best[0])) continue;
        first = i;
        memcpy(best, at, sizeof best);
    }
    const double tiny = 1e-9 * size;
    int now = first;
    do {
        corner[(*corners)++] = now;
        now = next_corner(count, points, x, y, now, tiny);
        if (now >= 0) { /* rounding must not send it round again */
            double a[2], b[2];
            flatten(points + 3 * first, x, y, a);
            flatten(points + 3 * now, x, y, b);
            if (hypot(a[0] - b[0], a[1] - b[1]) <= tiny) now = first;
        }
    } while (now >= 0 && now != first && *corners < count);
    if (margin && place) *margin = inside_by(points, corner, *corners, x, y, place);
    return PINION_OK;
}
