/* Links, their mass properties and visuals, and frames. */
#include "io/json/json.h"
#include "model/pose.h"

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
 * Visuals */

/* A length that must be there. */
static int need_length(const pn_json_value *object, const char *key, double *out)
{
    pn_json_value v;
    return pn_value_need(object, key, &v) && pn_value_number(&v, out);
}

/* The keys that only this shape has. */
static int shape_read(const pn_json_value *v, pinion_visual_def *def)
{
    static const char *const box[] = {"shape", "origin", "rgba", "size", NULL};
    static const char *const sphere[] = {"shape", "origin", "rgba", "radius", NULL};
    static const char *const round_bar[] = {"shape", "origin", "rgba", "radius", "length", NULL};
    static const char *const mesh[] = {"shape", "origin", "rgba", "mesh", "scale", NULL};
    pn_json_value size;
    switch (def->shape) {
    case PINION_SHAPE_BOX:
        return pn_value_object(v, box) && pn_value_need(v, "size", &size) &&
               pn_value_numbers(&size, 3, def->size);
    case PINION_SHAPE_SPHERE: return pn_value_object(v, sphere) && need_length(v, "radius", &def->size[0]);
    case PINION_SHAPE_CYLINDER:
    case PINION_SHAPE_CAPSULE:
        return pn_value_object(v, round_bar) && need_length(v, "radius", &def->size[0]) &&
               need_length(v, "length", &def->size[1]);
    default:
        for (int i = 0; i < 3; i++) def->size[i] = 1;
        return pn_value_object(v, mesh) && pn_need_string(v, "mesh", &def->mesh) &&
               pn_get_numbers(v, "scale", 3, def->size);
    }
}

int pn_json_visuals(const pn_json_value *element, const char *link)
{
    static const char *const all[] = {"shape",  "origin", "rgba",  "size", "radius",
                                      "length", "mesh",   "scale", NULL};
    static const char *const shapes[] = {"box", "sphere", "cylinder", "capsule", "mesh", NULL};
    pn_json_value array, shape, v = {0};
    if (!pn_value_get(element, "visuals", &array)) return 1;
    if (!pn_value_array(&array, "an array of visuals")) return 0;
    while (pn_value_next(&array, &v)) {
        pinion_visual_def def = pinion_visual_def_default();
        int kind = 0;
        if (!pn_value_object(&v, all) || !pn_value_need(&v, "shape", &shape)) return 0;
        if (!pn_value_choice(&shape, shapes, "\"box\", \"sphere\", \"cylinder\", \"capsule\" or \"mesh\"",
                             &kind))
            return 0;
        def.shape = (pinion_shape)kind;
        if (!shape_read(&v, &def)) return 0;
        if (!pn_get_pose(&v, "origin", &def.pose) || !pn_get_numbers(&v, "rgba", 4, def.rgba)) return 0;
        def.link = link;
        def.line = pn_value_line(&v);
        if (pinion_builder_add_visual(v.file->builder, &def, v.file->err) != PINION_OK) return 0;
    }
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Links and frames */

int pn_json_links(const pn_json_value *array)
{
    static const char *const keys[] = {"name", "mass", "com", "inertia", "about", "visuals", NULL};
    if (!pn_value_array(array, "an array of links")) return 0;
    pn_json_value v = {0};
    while (pn_value_next(array, &v)) {
        pinion_link_def def = pinion_link_def_default();
        if (!pn_value_object(&v, keys) || !pn_need_string(&v, "name", &def.name)) return 0;
        if (!pn_json_inertia(&v, &def.inertia)) return 0;
        def.line = pn_value_line(&v);
        if (pinion_builder_add_link(v.file->builder, &def, v.file->err) != PINION_OK) return 0;
        if (!pn_json_visuals(&v, def.name)) return 0;
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
