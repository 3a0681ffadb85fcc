/* Which shapes of a scene touch at a configuration, and the rows of the contacts. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/vec3.h"
#include "contact/scene/scene_parts.h"

#define MORE 1.5          /* than the way of a step: what is looked for within it */
#define FIXED 1e-9        /* of the sums that a row is made of: less is rounding, and places are known no better */
#define PARALLEL 0.999999 /* cosine: normals of a patch are one */

void pn_scene_place_shape(pn_body_shape *shape, const double p[3], const double R[9])
{
    pinion_pose *at = &shape->solid.pose;
    pn_turn3(R, shape->pose.position, at->position);
    for (int k = 0; k < 3; k++) at->position[k] += p[k];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            at->rotation[3 * r + c] = R[3 * r] * shape->pose.rotation[c] + R[3 * r + 1] * shape->pose.rotation[3 + c] +
                                      R[3 * r + 2] * shape->pose.rotation[6 + c];
}

/* How far points of the shapes may go in a step: h (|v| + |omega| r), with r to the farthest corner of the box around
 * it, and some more, since velocities may change. */
static pinion_status find_reach(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v)
{
    int link = -1;
    double V[6] = {0, 0, 0, 0, 0, 0};
    for (int i = 0; i < s->shapes; i++) {
        double far[3], speed;
        const pn_body_shape *shape = &s->shape[i];
        s->reach[i] = 0;
        if (shape->body == 0 || !v) continue;
        if (shape->link != link) {
            link = shape->link;
            const pinion_status status = pinion_frame_velocity(s->m, w, q, v, link, PINION_REFERENCE_WORLD_ALIGNED, V);
            if (status) return status;
        }
        for (int k = 0; k < 3; k++)
            far[k] = fmax(s->high[3 * i + k] - s->position[3 * link + k],
                          s->position[3 * link + k] - s->low[3 * i + k]);
        speed = sqrt(pn_dot3(V + 3, V + 3)) + sqrt(pn_dot3(V, V) * pn_dot3(far, far));
        if (isfinite(speed)) s->reach[i] = MORE * h * speed; /* planes are without end */
    }
    return PINION_OK;
}

/* where the shapes are, and the boxes around them with their margins */
static pinion_status place_shapes(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v)
{
    pinion_status status = pinion_frames(s->m, w, q, s->position, s->rotation);
    if (status) return status;
    for (int i = 0; i < s->shapes; i++) {
        pn_body_shape *shape = &s->shape[i];
        if (shape->link >= 0)
            pn_scene_place_shape(shape, s->position + 3 * shape->link, s->rotation + 9 * shape->link);
        status = pinion_shape_bounds(&shape->solid, s->low + 3 * i, s->high + 3 * i);
        if (status) return status;
    }
    status = find_reach(s, w, h, q, v);
    for (int i = 0; i < s->shapes && status == PINION_OK; i++)
        for (int k = 0; k < 3; k++) {
            const double margin = fmax(s->shape[i].margin + s->options.margin, s->reach[i]);
            s->low[3 * i + k] -= margin;
            s->high[3 * i + k] += margin;
        }
    return status;
}

static int note_pair(void *context, int first, int second)
{
    pinion_scene *s = context;
    const int pair = s->pair_of[first * s->shapes + second];
    if (pair >= 0) s->found[s->founds++] = pair;
    return 0;
}

/* by number: contacts come in one order, wherever the shapes are */
static void sort_pairs(int count, int *found)
{
    for (int i = 1; i < count; i++) {
        const int x = found[i];
        int at = i;
        for (; at > 0 && found[at - 1] > x; at--) found[at] = found[at - 1];
        found[at] = x;
    }
}

pinion_status pinion_scene_find(pinion_scene *s, pinion_work *w, const double *q)
{
    if (!s) return PINION_ERR_ARGUMENT;
    memset(s->before, 0, (size_t)s->nv * sizeof *s->before);
    return pn_scene_find_within(s, w, 0, q, NULL);
}

pinion_status pn_scene_find_within(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v)
{
    s->message[0] = 0;
    s->count = s->founds = s->rows = 0;
    pinion_status status = q ? place_shapes(s, w, h, q, v) : PINION_ERR_ARGUMENT;
    if (status == PINION_OK)
        status = pinion_shape_overlaps(s->shapes, s->low, s->high, s->order, note_pair, s);
    if (status) return pn_scene_fail(s, status, "the shapes cannot be placed at this q");
    sort_pairs(s->founds, s->found);
    for (int i = 0; i < s->founds; i++) {
        const pn_shape_pair *p = &s->pair[s->found[i]];
        const pn_body_shape *a = &s->shape[p->first], *b = &s->shape[p->second];
        pinion_nearest patch[PINION_PATCH_MOST];
        int points;
        const double margin = fmax(p->margin, s->reach[p->first] + s->reach[p->second]);
        status = pinion_shape_patch(&a->solid, &b->solid, margin, patch, &points);
        if (status) return pn_scene_fail(s, status, "two shapes have no distance");
        if (s->count + points > s->most) {
            char words[120];
            s->count = 0;
            snprintf(words, sizeof words, "more than %d points of contact; `contacts` of the options gives room",
                     s->most);
            return pn_scene_fail(s, PINION_ERR_MEMORY, words);
        }
        for (int k = 0; k < points; k++) {
            const pinion_scene_contact c = {a->collision, b->collision,   s->found[i], patch[k],
                                            p->friction,  p->restitution, {0, 0, 0}};
            s->body_of[2 * s->count] = p->first;
            s->body_of[2 * s->count + 1] = p->second;
            s->contact[s->count++] = c;
        }
    }
    return PINION_OK;
}

void pn_scene_tangents(const double normal[3], double x[3], double y[3])
{
    const int least = fabs(normal[0]) < fabs(normal[1]) ? (fabs(normal[0]) < fabs(normal[2]) ? 0 : 2)
                                                        : (fabs(normal[1]) < fabs(normal[2]) ? 1 : 2);
    const double axis[3] = {least == 0, least == 1, least == 2};
    pn_cross3(axis, normal, x);
    const double size = sqrt(pn_dot3(x, x));
    for (int k = 0; k < 3; k++) x[k] /= size;
    pn_cross3(normal, x, y);
}

/* Adds sign times the velocities along three axes of a point of a body, by its Jacobian at the world's origin. Returns
 * the largest sum of |terms| in the first row. */
static double add_rows(const pinion_scene *s, const double axes[3][3], const double point[3], double sign, double *J)
{
    const int nv = s->nv;
    double most = 0;
    for (int r = 0; r < 3; r++) {
        double arm[3];
        pn_cross3(point, axes[r], arm);
        for (int c = 0; c < nv; c++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += arm[k] * s->frame[k * nv + c] + axes[r][k] * s->frame[(3 + k) * nv + c];
            J[r * nv + c] += sign * sum;
            if (r) continue;
            double terms = 0;
            for (int k = 0; k < 3; k++)
                terms += fabs(arm[k] * s->frame[k * nv + c]) + fabs(axes[r][k] * s->frame[(3 + k) * nv + c]);
            most = fmax(most, terms);
        }
    }
    return most;
}

/* Where a contact acts: on the surface of the body that moves where the other does not, so that a gap is no part of a
 * lever, else between the two, so that momenta are kept. The points of a patch are
 * brought into one plane across the normal, that of the nearest of them. Friction along a line through two points of a
 * body would else be asked to hold both while the body turns, as if it could be stretched. */
static void place_points(pinion_scene *s)
{
    for (int i = 0, next; i < s->count; i = next) {
        const int a = s->body_of[2 * i], b = s->body_of[2 * i + 1];
        int nearest = i;
        for (next = i; next < s->count && s->body_of[2 * next] == a && s->body_of[2 * next + 1] == b; next++) {
            const pinion_nearest *n = &s->contact[next].at;
            const double share = s->shape[a].body == 0 ? 0 : s->shape[b].body == 0 ? 1 : 0.5;
            for (int k = 0; k < 3; k++) s->point[3 * next + k] = share * n->first[k] + (1 - share) * n->second[k];
            if (n->gap < s->contact[nearest].at.gap) nearest = next;
        }
        for (int j = i; j < next; j++) {
            const double *n = s->contact[j].at.normal;
            if (j == nearest || !(pn_dot3(n, s->contact[nearest].at.normal) > PARALLEL)) continue;
            double off = 0;
            for (int k = 0; k < 3; k++) off += n[k] * (s->point[3 * nearest + k] - s->point[3 * j + k]);
            for (int k = 0; k < 3; k++) s->point[3 * j + k] += off * n[k];
        }
    }
}

pinion_status pn_scene_rows(pinion_scene *s, pinion_work *w, const double *q)
{
    memset(s->J, 0, (size_t)(3 * s->count) * (size_t)s->nv * sizeof *s->J);
    memset(s->terms, 0, (size_t)s->count * sizeof *s->terms);
    place_points(s);
    for (int shape = 0; shape < s->shapes; shape++) {
        int known = 0;
        if (s->shape[shape].body == 0) continue; /* it does not move */
        for (int i = 0; i < 2 * s->count; i++) {
            if (s->body_of[i] != shape) continue;
            const pinion_nearest *n = &s->contact[i / 2].at;
            double axes[3][3];
            if (!known) {
                const pinion_status status =
                    pinion_jacobian(s->m, w, q, s->shape[shape].link, PINION_REFERENCE_WORLD, s->frame);
                if (status) return pn_scene_fail(s, status, pinion_work_message(w));
                known = 1;
            }
            memcpy(axes[0], n->normal, sizeof axes[0]);
            pn_scene_tangents(axes[0], axes[1], axes[2]);
            s->terms[i / 2] += add_rows(s, (const double(*)[3])axes, s->point + 3 * (i / 2), i % 2 ? 1 : -1,
                                        s->J + (size_t)(3 * (i / 2)) * (size_t)s->nv);
        }
    }
    return PINION_OK;
}

int pn_scene_drop(pinion_scene *s)
{
    const size_t row = 3 * (size_t)s->nv;
    int kept = 0, touch = 0;
    for (int i = 0; i < s->count; i++) {
        double most = 0;
        for (int c = 0; c < s->nv; c++) most = fmax(most, fabs(s->J[(size_t)i * row + (size_t)c]));
        if (!(most > FIXED * s->terms[i])) {
            touch += s->contact[i].at.gap <= 0;
            continue;
        }
        if (kept < i) {
            s->contact[kept] = s->contact[i];
            memcpy(s->body_of + 2 * kept, s->body_of + 2 * i, 2 * sizeof *s->body_of);
            memcpy(s->point + 3 * kept, s->point + 3 * i, 3 * sizeof *s->point);
            memcpy(s->J + (size_t)kept * row, s->J + (size_t)i * row, row * sizeof *s->J);
        }
        kept++;
    }
    s->count = kept;
    return touch;
}

pinion_status pinion_scene_jacobian(pinion_scene *s, pinion_work *w, const double *q, int index, double *J)
{
    if (!s) return PINION_ERR_ARGUMENT;
    s->message[0] = 0;
    if (!q || !J || index < 0 || index >= s->count)
        return pn_scene_fail(s, PINION_ERR_ARGUMENT, "q or J is NULL, or there is no contact of that number");
    const pinion_status status = pn_scene_rows(s, w, q);
    const size_t row = 3 * (size_t)s->nv;
    if (status == PINION_OK) memcpy(J, s->J + (size_t)index * row, row * sizeof *J);
    return status;
}
