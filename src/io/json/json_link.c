/* Links, their mass properties, and frames. */
#include <stdlib.h>

#include "io/json/json.h"

#include <string.h>

/* I about the centre of mass from I about the origin: I - m (|c|^2 1 - c c'). */
static void inertia_from_origin(pinion_inertia *x)
{
    double m = x->mass, cx = x->com[0], cy = x->com[1], cz = x->com[2];
    x->inertia[0] -= m * (cy * cy + cz * cz);
    x->inertia[1] += m * cx * cy;
    x->inertia[2] += m * cx * cz;
    x->inertia[3] -= m * (cx * cx + cz * cz);
    x->inertia[4] += m * cy * cz;
    x->inertia[5] -= m * (cx * cx + cy * cy);
}

int pn_json_inertia(const pn_json_value *element, pinion_inertia *out)
{
    static const char *const entries[] = {"xx", "xy", "xz", "yy", "yz", "zz", NULL};
    static const char *const points[] = {"com", "origin", NULL};
    if (!pn_get_magnitude(element, "mass", &out->mass)) return 0;
    if (!pn_get_numbers(element, "com", 3, out->com)) return 0;

    pn_json_value inertia, about;
    int given = pn_value_get(element, "inertia", &inertia), origin = 0;
    if (given) {
        if (!pn_value_object(&inertia, entries)) return 0;
        for (int i = 0; i < 6; i++) {
            if (!pn_get_number(&inertia, entries[i], &out->inertia[i])) return 0;
        }
    }
    if (pn_value_get(element, "about", &about)) {
        if (!given)
            return pn_value_fail(&about, "has nothing to apply to, expected it only beside \"inertia\"");
        if (!pn_value_choice(&about, points, "\"com\" or \"origin\"", &origin)) return 0;
        if (origin) inertia_from_origin(out);
    }
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Links and frames */

static int read_drag(const pn_json_value *link, pinion_drag *drag, const pinion_drag **out)
{
    static const char *const keys[] = {"origin", "linear", "quadratic", "wind", NULL};
    pn_json_value v;
    if (!pn_value_get(link, "drag", &v)) return 1;
    memset(drag, 0, sizeof *drag);
    drag->pose = pinion_pose_identity();
    *out = drag;
    return pn_value_object(&v, keys) && pn_get_pose(&v, "origin", &drag->pose) &&
           pn_get_numbers(&v, "linear", 6, drag->linear) && pn_get_numbers(&v, "quadratic", 6, drag->quadratic) &&
           pn_get_numbers(&v, "wind", 3, drag->wind);
}

int pn_json_links(const pn_json_value *array)
{
    static const char *const keys[] = {"name",    "mass",       "com", "inertia", "about", "gravity_compensation",
                                       "visuals", "collisions", "added_mass", "elastic", "drag", NULL};
    if (!pn_value_array(array, "an array of links")) return 0;
    pn_json_value v = {0};
    while (pn_value_next(array, &v)) {
        pinion_link_def def = pinion_link_def_default();
        if (!pn_value_object(&v, keys) || !pn_need_string(&v, "name", &def.name)) return 0;
        if (!pn_json_inertia(&v, &def.inertia)) return 0;
        if (!pn_get_number(&v, "gravity_compensation", &def.gravity_compensation)) return 0;
        double added[36];
        int given;
        if (!pn_get_matrix6(&v, "added_mass", added, &given)) return 0;
        if (given) def.added_mass = added;
        pinion_drag drag;
        if (!read_drag(&v, &drag, &def.drag)) return 0;
        def.line = pn_value_line(&v);
        pinion_elastic_def elastic;
        double *numbers = NULL;
        if (!pn_json_elastic(&v, &elastic, &numbers, &given)) {
            free(numbers);
            return 0;
        }
        if (given) def.elastic = &elastic;
        const pinion_status status = pinion_builder_add_link(v.file->builder, &def, v.file->err);
        free(numbers);
        if (status != PINION_OK) return 0;
        if (!pn_json_shapes(&v, def.name)) return 0;
    }
    return 1;
}

int pn_json_frames(const pn_json_value *array)
{
    static const char *const keys[] = {"name", "link", "origin", NULL};
    if (!pn_value_array(array, "an array of frames")) return 0;
    pn_json_value v = {0};
    while (pn_value_next(array, &v)) {
        pinion_frame_def def = pinion_frame_def_default();
        if (!pn_value_object(&v, keys)) return 0;
        if (!pn_need_string(&v, "name", &def.name) || !pn_need_string(&v, "link", &def.link)) return 0;
        if (!pn_get_pose(&v, "origin", &def.pose)) return 0;
        def.line = pn_value_line(&v);
        if (pinion_builder_add_frame(v.file->builder, &def, v.file->err) != PINION_OK) return 0;
    }
    return 1;
}
