/* Shapes of links: what they look like, and what they touch others with. */
#include "io/json/json.h"
#include "pinion/collision.h"

#include <stdlib.h>

/* ---------------------------------------------------------------------------------------------
 * Shapes */

/* A shape of either kind. */
typedef struct shape {
    pinion_shape shape;
    double size[3];
    const char *mesh;
    int rows, columns;
    double *data; /* to be released */
} shape;

/* A length that must be there. */
static int need_length(const pn_json_value *object, const char *key, double *out)
{
    pn_json_value v;
    return pn_value_need(object, key, &v) && pn_value_number(&v, out);
}

/* Rows of numbers, each as long as the first; columns 0: any. */
static int need_rows(const pn_json_value *object, const char *key, size_t columns, shape *out)
{
    pn_json_value array, row = {0};
    if (!pn_value_need(object, key, &array) || !pn_value_array(&array, "an array of rows of numbers")) return 0;
    const size_t rows = json_array_size(array.json);
    for (size_t i = 0; pn_value_next(&array, &row); i++) {
        if (i == 0) {
            if (!columns) columns = json_array_size(row.json);
            if (!columns) return pn_value_expected(&row, "an array of numbers");
            out->data = columns < PN_SIZE_MAX / rows ? malloc(rows * columns * sizeof *out->data) : NULL;
            if (!out->data) {
                pn_error_set(row.file->err, PINION_ERR_MEMORY, row.file->name, 0, 0, "out of memory");
                return 0;
            }
        }
        if (!pn_value_numbers(&row, columns, out->data + i * columns)) return 0;
    }
    out->rows = (int)rows;
    out->columns = (int)columns;
    return 1;
}

/* The keys that only this shape has; those of all are in `others`, a list that ends with NULL. */
static int check_keys(const pn_json_value *v, const char *const *own, const char *const *others)
{
    const char *keys[32];
    int count = 0;
    for (; *others; others++) keys[count++] = *others;
    for (; *own; own++) keys[count++] = *own;
    keys[count] = NULL;
    return pn_value_object(v, keys);
}

static int shape_read(const pn_json_value *v, const char *const *others, shape *out)
{
    static const char *const own[PINION_SHAPE_COUNT][4] = {
        [PINION_SHAPE_BOX] = {"size"},
        [PINION_SHAPE_SPHERE] = {"radius"},
        [PINION_SHAPE_CYLINDER] = {"radius", "length"},
        [PINION_SHAPE_CAPSULE] = {"radius", "length"},
        [PINION_SHAPE_MESH] = {"mesh", "scale", "points"},
        [PINION_SHAPE_ELLIPSOID] = {"radii"},
        [PINION_SHAPE_CONE] = {"radius", "length"},
        [PINION_SHAPE_PLANE] = {"size"},
        [PINION_SHAPE_HEIGHT_FIELD] = {"size", "depth", "heights"},
    };
    pn_json_value size;
    if (!check_keys(v, own[out->shape], others)) return 0;
    switch (out->shape) {
    case PINION_SHAPE_BOX:
    case PINION_SHAPE_ELLIPSOID:
        return pn_value_need(v, out->shape == PINION_SHAPE_BOX ? "size" : "radii", &size) &&
               pn_value_numbers(&size, 3, out->size);
    case PINION_SHAPE_SPHERE: return need_length(v, "radius", &out->size[0]);
    case PINION_SHAPE_PLANE: out->size[0] = out->size[1] = 0; return pn_get_numbers(v, "size", 2, out->size);
    case PINION_SHAPE_HEIGHT_FIELD:
        out->size[2] = 0;
        return pn_value_need(v, "size", &size) && pn_value_numbers(&size, 2, out->size) &&
               pn_get_number(v, "depth", &out->size[2]) && need_rows(v, "heights", 0, out);
    case PINION_SHAPE_MESH:
        if (pn_value_get(v, "points", &size)) return need_rows(v, "points", 3, out);
        return pn_need_string(v, "mesh", &out->mesh) && pn_get_numbers(v, "scale", 3, out->size);
    default: return need_length(v, "radius", &out->size[0]) && need_length(v, "length", &out->size[1]);
    }
}

/* ---------------------------------------------------------------------------------------------
 * Visuals */

static int visual_read(const pn_json_value *v, const char *link)
{
    static const char *const others[] = {"shape", "origin", "rgba", NULL};
    static const char *const all[] = {"shape", "origin", "rgba", "size", "radius", "length", "mesh", "scale", NULL};
    static const char *const shapes[] = {"box", "sphere", "cylinder", "capsule", "mesh", NULL};
    pinion_visual_def def = pinion_visual_def_default();
    pn_json_value name;
    shape own = {.size = {1, 1, 1}};
    int kind = 0;
    if (!pn_value_object(v, all) || !pn_value_need(v, "shape", &name)) return 0;
    if (!pn_value_choice(&name, shapes, "\"box\", \"sphere\", \"cylinder\", \"capsule\" or \"mesh\"", &kind)) return 0;
    own.shape = (pinion_shape)kind;
    if (!shape_read(v, others, &own)) return 0;
    def.shape = own.shape;
    def.mesh = own.mesh;
    for (int i = 0; i < 3; i++) def.size[i] = own.size[i];
    if (!pn_get_pose(v, "origin", &def.pose) || !pn_get_numbers(v, "rgba", 4, def.rgba)) return 0;
    def.link = link;
    def.line = pn_value_line(v);
    return pinion_builder_add_visual(v->file->builder, &def, v->file->err) == PINION_OK;
}

/* ---------------------------------------------------------------------------------------------
 * Collisions */

/* An integer from `least` to `most`. */
static int get_integer(const pn_json_value *object, const char *key, double least, double most, double *out)
{
    pn_json_value v;
    if (!pn_value_get(object, key, &v)) return 1;
    if (!pn_value_number(&v, out)) return 0;
    if (*out >= least && *out <= most && *out == (double)(int64_t)*out) return 1;
    return pn_value_fail(&v, "is no integer from %.0f to %.0f", least, most);
}

/* One coefficient, or three, of which those below 0 are not said. */
static int get_friction(const pn_json_value *object, double friction[3])
{
    pn_json_value v;
    if (!pn_value_get(object, "friction", &v)) return 1;
    if (json_is_array(v.json)) return pn_value_numbers(&v, 3, friction);
    return pn_value_magnitude(&v, friction);
}

static int collision_def(const pn_json_value *v, shape *own, pinion_collision_def *def)
{
    static const char *const others[] = {"name",      "shape",  "origin",   "friction", "restitution", "margin",
                                         "dimension", "group",  "category", "mask",     NULL};
    static const char *const shapes[] = {"box",       "sphere", "cylinder", "capsule",      "mesh",
                                         "ellipsoid", "cone",   "plane",    "height_field", NULL};
    pn_json_value name;
    int kind = 0;
    double dimension = def->dimension, group = 0, category = def->category, mask = def->mask;
    if (!json_is_object(v->json)) return pn_value_expected(v, "an object");
    if (!pn_value_need(v, "shape", &name) ||
        !pn_value_choice(&name, shapes,
                         "\"box\", \"sphere\", \"cylinder\", \"capsule\", \"mesh\", \"ellipsoid\", \"cone\", "
                         "\"plane\" or \"height_field\"",
                         &kind))
        return 0;
    own->shape = def->shape = (pinion_shape)kind;
    if (!shape_read(v, others, own) || !pn_get_pose(v, "origin", &def->pose)) return 0;
    if (pn_value_get(v, "name", &name) && !pn_value_string(&name, &def->name)) return 0;
    if (!get_friction(v, def->friction) || !pn_get_magnitude(v, "restitution", &def->restitution) ||
        !pn_get_magnitude(v, "margin", &def->margin) || !get_integer(v, "dimension", 1, 6, &dimension) ||
        !get_integer(v, "group", 0, 2147483647, &group) || !get_integer(v, "category", 0, 4294967295.0, &category) ||
        !get_integer(v, "mask", 0, 4294967295.0, &mask))
        return 0;
    def->mesh = own->mesh;
    for (int i = 0; i < 3; i++) def->size[i] = own->size[i];
    def->rows = own->rows;
    def->columns = own->columns;
    def->data = own->data;
    def->dimension = (int)dimension;
    def->group = (int)group;
    def->category = (uint32_t)category;
    def->mask = (uint32_t)mask;
    return 1;
}

static int collision_read(const pn_json_value *v, const char *link)
{
    pinion_collision_def def = pinion_collision_def_default();
    shape own = {.size = {1, 1, 1}};
    def.link = link;
    def.line = pn_value_line(v);
    const int ok = collision_def(v, &own, &def) &&
                   pinion_builder_add_collision(v->file->builder, &def, v->file->err) == PINION_OK;
    free(own.data);
    return ok;
}

int pn_json_shapes(const pn_json_value *element, const char *link)
{
    for (int i = 0; i < 2; i++) {
        pn_json_value array, v = {0};
        if (!pn_value_get(element, i ? "collisions" : "visuals", &array)) continue;
        if (!pn_value_array(&array, i ? "an array of collisions" : "an array of visuals")) return 0;
        while (pn_value_next(&array, &v))
            if (!(i ? collision_read : visual_read)(&v, link)) return 0;
    }
    return 1;
}

int pn_json_exclusions(const pn_json_value *array)
{
    pn_json_value v = {0};
    if (!pn_value_array(array, "an array of pairs of links")) return 0;
    while (pn_value_next(array, &v)) {
        const char *link[2];
        if (!pn_value_array_of(&v, 2, "two names of links")) return 0;
        for (size_t i = 0; i < 2; i++) {
            const pn_json_value one = pn_value_at(&v, i);
            if (!pn_value_string(&one, &link[i])) return 0;
        }
        const int line = pn_value_line(&v);
        if (pinion_builder_add_exclusion(v.file->builder, link[0], link[1], line, v.file->err) != PINION_OK) return 0;
    }
    return 1;
}

int pn_json_pairs(const pn_json_value *array)
{
    static const char *const keys[] = {"first", "second", "friction", "margin", "dimension", NULL};
    pn_json_value v = {0};
    if (!pn_value_array(array, "an array of pairs of collisions")) return 0;
    while (pn_value_next(array, &v)) {
        pinion_collision_pair_def def = pinion_collision_pair_def_default();
        double dimension = 0;
        if (!pn_value_object(&v, keys) || !pn_need_string(&v, "first", &def.first) ||
            !pn_need_string(&v, "second", &def.second) || !get_friction(&v, def.friction) ||
            !pn_get_magnitude(&v, "margin", &def.margin) || !get_integer(&v, "dimension", 1, 6, &dimension))
            return 0;
        def.dimension = (int)dimension;
        def.line = pn_value_line(&v);
        if (pinion_builder_add_collision_pair(v.file->builder, &def, v.file->err) != PINION_OK) return 0;
    }
    return 1;
}
