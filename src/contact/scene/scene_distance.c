/* Distances between any two collisions of a scene, and how they change with the coordinates. */
#include <math.h>
#include <string.h>
#include "contact/scene/scene_parts.h"

static const pn_body_shape *find_shape(const pinion_scene *s, int collision)
{
    for (int i = 0; i < s->shapes; i++)
        if (s->shape[i].collision == collision) return &s->shape[i];
    return NULL;
}

/* where a shape is at q; the scene keeps what its last call placed */
static pinion_status place(pinion_scene *s, pinion_work *w, const double *q, const pn_body_shape *from,
                           pn_body_shape *to)
{
    double position[3], rotation[9];
    *to = *from;
    if (from->link < 0) return PINION_OK;
    const pinion_status status = pinion_frame_pose(s->m, w, q, from->link, position, rotation);
    if (status == PINION_OK) pn_scene_place_shape(to, position, rotation);
    return status;
}

/* d += by times the velocity of a body by v; by: [10][12], of which six columns count */
static pinion_status add_body(pinion_scene *s, pinion_work *w, const double *q, const pn_body_shape *shape,
                              const double *by, double *d)
{
    const int nv = s->nv;
    if (shape->body == 0) return PINION_OK; /* it does not move */
    const pinion_status status = pinion_jacobian(s->m, w, q, shape->link, PINION_REFERENCE_WORLD, s->frame);
    for (int i = 0; i < 10 && status == PINION_OK; i++)
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < nv; j++) d[i * nv + j] += by[12 * i + k] * s->frame[k * nv + j];
    return status;
}

pinion_status pinion_scene_distance(pinion_scene *s, pinion_work *w, const double *q, int first, int second,
                                    pinion_nearest *out, double *d)
{
    if (!s) return PINION_ERR_ARGUMENT;
    s->message[0] = 0;
    if (!q || !out) return pn_scene_fail(s, PINION_ERR_ARGUMENT, "q or the place for the distance is NULL");
    const int count = pinion_model_collision_count(s->m), least = s->options.ground ? PN_SCENE_GROUND : 0;
    if (first < least || second < least || first >= count || second >= count)
        return pn_scene_fail(s, PINION_ERR_ARGUMENT, "there is no collision of that number");
    const pn_body_shape *of[2] = {find_shape(s, first), find_shape(s, second)};
    if (!of[0] || !of[1])
        return pn_scene_fail(s, PINION_ERR_UNSUPPORTED, "a collision is a mesh in a file that was not read");
    pn_body_shape at[2];
    double by[120];
    pinion_status status = place(s, w, q, of[0], &at[0]);
    if (status == PINION_OK) status = place(s, w, q, of[1], &at[1]);
    if (status) return pn_scene_fail(s, status, "the shapes cannot be placed at this q");
    status = pinion_shape_distance(&at[0].solid, &at[1].solid, out);
    if (status == PINION_OK && d) status = pinion_shape_d_distance(&at[0].solid, &at[1].solid, out, by);
    if (status) return pn_scene_fail(s, status, "the two shapes have no distance");
    if (!d) return PINION_OK;
    memset(d, 0, 10 * (size_t)s->nv * sizeof *d);
    status = add_body(s, w, q, &at[0], by, d);
    if (status == PINION_OK) status = add_body(s, w, q, &at[1], by + 6, d);
    return status ? pn_scene_fail(s, status, pinion_work_message(w)) : PINION_OK;
}
