/* What the geoms of MJCF touch others with: collisions, pairs of them, and bodies that exclude each other. */
#include "io/image/png.h"
#include "io/mjcf/mjcf_mesh.h"
#include "io/mjcf/mjcf_shape.h"
#include "model/pose.h"
#include "pinion/collision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Geoms, as they are read */

int pn_mjcf_touch(const mjcf_element *e, int shape, const double size[3], const pinion_pose *pose, int body,
                  const char *name)
{
    mjcf_reader *r = e->r;
    double contype = 1, conaffinity = 1;
    if (!pn_mjcf_number(e, "contype", &contype) || !pn_mjcf_number(e, "conaffinity", &conaffinity)) return 0;
    const int used = contype != 0 || conaffinity != 0;
    if (!used && !name) return 1;
    if (!MJCF_ADD(r, r->touches)) return 0;
    mjcf_touch *touch = &MJCF_LAST(r->touches);
    *touch = (mjcf_touch){.body = body, .shape = shape, .used = used, .pose = *pose, .spec = e->s, .node = e->node};
    touch->class_ = e->class_;
    memcpy(touch->size, size, sizeof touch->size);
    return !name || (touch->name = pn_mjcf_join(r, name, "", ""));
}

/* ---------------------------------------------------------------------------------------------
 * Height fields */

/* Numbers between 0 and 1 become heights: the least is 0, the largest as high as the asset says. */
static void normalize(double *data, size_t count, double height)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, data[i]);
        most = fmax(most, data[i]);
    }
    for (size_t i = 0; i < count; i++) data[i] = most > least ? height * (data[i] - least) / (most - least) : 0;
}

/* The text of `elevation`, whose first row is the one at the largest y. NULL, or what is wrong. */
static const char *read_elevation(const char *text, double *data, size_t rows, size_t columns)
{
    size_t count = 0;
    for (const char *s = text + strspn(text, " \t\r\n"); *s; s += strspn(s, " \t\r\n")) {
        double x;
        if (!pn_parse_number(s, &s, &x)) return "an elevation that is no number";
        if (count >= rows * columns) return "more elevations than nrow times ncol";
        data[(rows - 1 - count / columns) * columns + count % columns] = x;
        count++;
    }
    return count == 0 || count == rows * columns ? NULL : "fewer elevations than nrow times ncol";
}

/* A file of MuJoCo's own: rows, columns, then as many numbers in single precision. */
static const char *read_grid(const char *text, size_t size, pinion_collision_def *def, double **data)
{
    int32_t shape[2];
    if (size < sizeof shape) return "no size in its file";
    memcpy(shape, text, sizeof shape);
    if (shape[0] < 2 || shape[1] < 2 || (size - sizeof shape) / sizeof(float) / (size_t)shape[0] < (size_t)shape[1])
        return "another number of elevations in its file than that says";
    const size_t count = (size_t)shape[0] * (size_t)shape[1];
    *data = malloc(count * sizeof **data);
    for (size_t i = 0; i < count && *data; i++) {
        float x;
        memcpy(&x, text + sizeof shape + i * sizeof x, sizeof x);
        if (!isfinite(x)) return "an elevation that is not finite";
        (*data)[i] = x;
    }
    def->rows = shape[0];
    def->columns = shape[1];
    return *data ? NULL : "";
}

/* A picture, whose first row is the one at the largest y. */
static const char *read_picture(const char *text, size_t size, pinion_collision_def *def, double **data)
{
    const char *why = pn_png_heights((const unsigned char *)text, size, &def->columns, &def->rows, data);
    for (int i = 0; !why && i < def->rows / 2; i++) {
        double *a = *data + (size_t)i * (size_t)def->columns;
        double *b = *data + (size_t)(def->rows - 1 - i) * (size_t)def->columns;
        for (int k = 0; k < def->columns; k++) {
            const double x = a[k];
            a[k] = b[k];
            b[k] = x;
        }
    }
    return why;
}

static const xmlNode *find_field(const mjcf_spec *s, const char *name)
{
    for (xmlNode *n = pn_mjcf_first(s->root, "asset"); n; n = pn_mjcf_next(n, "asset")) {
        for (xmlNode *h = pn_mjcf_first(n, "hfield"); h; h = pn_mjcf_next(h, "hfield")) {
            const char *own = pn_xml_attribute(h, "name");
            if (own && name && strcmp(own, name) == 0) return h;
        }
    }
    return NULL;
}

/* Returns 0 with the error filled, which the caller makes a warning of. */
static int read_field(const mjcf_element *e, pinion_collision_def *def, double **data)
{
    mjcf_reader *r = e->r;
    const char *name = pn_mjcf_text(e, "hfield"), *why = NULL;
    const mjcf_element of = {r, e->s, find_field(e->s, name), TAG_COUNT, -1};
    double size[4] = {0, 0, 0, 0}, rows = 0, columns = 0;
    if (!of.node)
        return pn_xml_fail(&r->u, e->node, PINION_ERR_PARSE, "there is no height field '%.60s'", name ? name : "");
    if (pn_mjcf_numbers(&of, "size", 4, 4, size) < 0 || !pn_mjcf_number(&of, "nrow", &rows) ||
        !pn_mjcf_number(&of, "ncol", &columns))
        return 0;
    const char *file = pn_xml_attribute(of.node, "file"), *elevation = pn_xml_attribute(of.node, "elevation");
    if (file && *file) {
        const char *dot = strrchr(file, '.');
        const int picture = dot && (strcmp(dot, ".png") == 0 || strcmp(dot, ".PNG") == 0);
        size_t bytes = 0;
        char *text = pn_mjcf_read_file(r, e->s, of.node, e->s->compiler.mesh_folder, file, &bytes);
        if (!text) return 0;
        why = picture ? read_picture(text, bytes, def, data) : read_grid(text, bytes, def, data);
        r->bytes -= bytes;
        free(text);
    } else if (rows >= 2 && columns >= 2 && rows * columns <= 1 << 24) {
        def->rows = (int)rows;
        def->columns = (int)columns;
        *data = calloc((size_t)rows * (size_t)columns, sizeof **data);
        why = !*data ? "" : elevation ? read_elevation(elevation, *data, (size_t)rows, (size_t)columns) : NULL;
    } else {
        why = "no file, and no nrow and ncol of 2 or more";
    }
    if (why && !*why) return pn_xml_memory(&r->u);
    if (why) return pn_xml_fail(&r->u, of.node, PINION_ERR_PARSE, "the height field '%.60s' has %s", name, why);
    normalize(*data, (size_t)def->rows * (size_t)def->columns, size[2]);
    def->data = *data;
    def->size[0] = 2 * size[0];
    def->size[1] = 2 * size[1];
    def->size[2] = size[3];
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Shapes */

/* The file of a mesh, or its points where there is none, or where it is not used as it is. */
static int read_mesh(const mjcf_element *e, pinion_collision_def *def, char **path, mjcf_surface *points)
{
    mjcf_reader *r = e->r;
    const char *name = pn_mjcf_text(e, "mesh");
    const mjcf_mesh *mesh = name ? pn_mjcf_find_mesh(e->s, name) : NULL;
    mjcf_element of;
    if (!mesh)
        return pn_xml_fail(&r->u, e->node, PINION_ERR_PARSE, "there is no mesh '%.60s'", name ? name : "");
    if (!pn_mjcf_element(r, e->s, mesh->node, TAG_MESH, 0, &of)) return 0;
    for (int i = 0; i < 3; i++) def->size[i] = 1;
    if (pn_xml_attribute(mesh->node, "file") && !pn_mjcf_text(&of, "refpos") && !pn_mjcf_text(&of, "refquat")) {
        if (pn_mjcf_numbers(&of, "scale", 3, 3, def->size) < 0) return 0;
        def->mesh = *path = pn_mjcf_mesh_path(e, mesh);
        return *path != NULL;
    }
    if (!pn_mjcf_mesh_surface(&of, points)) return 0;
    def->rows = points->points;
    def->columns = 3;
    def->data = points->point;
    return 1;
}

/* MJCF has half of the lengths that we have. */
static void take_size(const mjcf_touch *touch, const double size[3], pinion_collision_def *def)
{
    static const pinion_shape shapes[] = {
        [SHAPE_PLANE] = PINION_SHAPE_PLANE,         [SHAPE_HFIELD] = PINION_SHAPE_HEIGHT_FIELD,
        [SHAPE_SPHERE] = PINION_SHAPE_SPHERE,       [SHAPE_CAPSULE] = PINION_SHAPE_CAPSULE,
        [SHAPE_ELLIPSOID] = PINION_SHAPE_ELLIPSOID, [SHAPE_CYLINDER] = PINION_SHAPE_CYLINDER,
        [SHAPE_BOX] = PINION_SHAPE_BOX,             [SHAPE_MESH] = PINION_SHAPE_MESH};
    const int whole = touch->shape == SHAPE_BOX || touch->shape == SHAPE_PLANE;
    def->shape = shapes[touch->shape];
    for (int i = 0; i < 3; i++) def->size[i] = whole ? 2 * size[i] : size[i];
    if (touch->shape == SHAPE_CAPSULE || touch->shape == SHAPE_CYLINDER) def->size[1] = 2 * size[1];
}

/* ---------------------------------------------------------------------------------------------
 * Collisions */

/* How it touches others. */
static int read_touch(const mjcf_element *e, pinion_collision_def *def)
{
    static const char *const soft[] = {"solref", "solimp", "solmix", "gap"};
    static const char *const other[] = {"priority", "surfacevel", "adhesion"};
    const double standard[3] = {1, 0.005, 0.0001};
    double contype = 1, conaffinity = 1, condim = 3;
    memcpy(def->friction, standard, sizeof standard);
    if (pn_mjcf_numbers(e, "friction", 1, 3, def->friction) < 0 || !pn_mjcf_number(e, "margin", &def->margin) ||
        !pn_mjcf_number(e, "condim", &condim) || !pn_mjcf_number(e, "contype", &contype) ||
        !pn_mjcf_number(e, "conaffinity", &conaffinity))
        return 0;
    const double bits[2] = {contype, conaffinity};
    for (int i = 0; i < 2; i++) {
        if (!(bits[i] >= -2147483648.0 && bits[i] <= 4294967295.0))
            return pn_xml_fail(&e->r->u, e->node, PINION_ERR_PARSE, "<geom> has a contype or conaffinity of %g",
                               bits[i]);
    }
    def->category = (uint32_t)(int64_t)contype;
    def->mask = (uint32_t)(int64_t)conaffinity;
    def->dimension = (int)condim;
    int softened = 0;
    for (size_t i = 0; i < sizeof soft / sizeof soft[0]; i++) softened = softened || pn_mjcf_text(e, soft[i]);
    e->r->counts[COUNT_SOFT] += softened;
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        const char *said = pn_mjcf_text(e, other[i]);
        if (!said || said[strspn(said, "0.+- ")] == '\0') continue;
        if (!pn_xml_warn(&e->r->u, e->node, "<geom> has %s=\"%.40s\", which is left out; it counts in contact alone",
                         other[i], said))
            return 0;
    }
    return 1;
}

static int read_collision(const mjcf_element *e, mjcf_touch *touch, char **path, double **data, mjcf_surface *points)
{
    mjcf_reader *r = e->r;
    pinion_collision_def def = pinion_collision_def_default();
    double size[3];
    memcpy(size, touch->size, sizeof size);
    def.pose = touch->pose;
    def.link = r->bodies.at[touch->body].name;
    def.name = touch->name;
    def.line = touch->node->doc == r->main->root->doc ? pn_xml_line(touch->node) : 0;
    if (touch->shape == SHAPE_SDF)
        return pn_xml_fail(&r->u, e->node, PINION_ERR_UNSUPPORTED, "a geom of type sdf is not read");
    if (!pn_mjcf_fit(e, touch->shape, size, &def.pose)) return 0;
    take_size(touch, size, &def);
    if (!read_touch(e, &def)) return 0;
    if (touch->shape == SHAPE_MESH && !read_mesh(e, &def, path, points)) return 0;
    if (touch->shape == SHAPE_HFIELD && !read_field(e, &def, data)) return 0;
    touch->used = pinion_builder_add_collision(r->b, &def, r->u.err) == PINION_OK ? 2 : 1;
    return touch->used == 2;
}

/* A geom of which something cannot be read costs the collision, and no more. */
static int add_collision(mjcf_reader *r, mjcf_touch *touch)
{
    const mjcf_element e = {r, touch->spec, touch->node, TAG_GEOM, touch->class_};
    char *path = NULL;
    double *data = NULL;
    mjcf_surface points = {0};
    int ok = read_collision(&e, touch, &path, &data, &points);
    free(path);
    free(data);
    free(points.point);
    free(points.corner);
    if (ok || !r->u.err || r->u.err->status == PINION_ERR_MEMORY) return ok;
    const pinion_error why = *r->u.err;
    pn_xml looks = r->u;
    looks.looks = 1;
    *r->u.err = (pinion_error){PINION_OK, 0, 0, ""};
    return pn_xml_pass_over(&looks, &why, "this collision is left out");
}

/* ---------------------------------------------------------------------------------------------
 * Pairs and exclusions */

/* What an attribute names, with the prefix of the part: new memory; NULL with the error filled. */
static char *full_name(mjcf_reader *r, const mjcf_part *part, const xmlNode *node, const char *attribute)
{
    const char *name;
    return pn_xml_string(&r->u, node, attribute, &name) ? pn_mjcf_join(r, part->prefix, name, "") : NULL;
}

static int is_left_behind(const mjcf_reader *r, const mjcf_part *part)
{
    return part->spec != r->main; /* attached parts may have left behind what they name */
}

static int add_exclusion(mjcf_reader *r, const mjcf_part *part, const xmlNode *node)
{
    char *name[2] = {full_name(r, part, node, "body1"), NULL};
    int ok = 0, missing = 0;
    if (name[0]) name[1] = full_name(r, part, node, "body2");
    for (int i = 0; i < 2 && name[1]; i++)
        if (pn_mjcf_look_up(r->body_names, r->bodies.count, name[i]) < 0) missing = i + 1;
    if (!name[0] || !name[1])
        ok = 0;
    else if (missing && is_left_behind(r, part))
        ok = 1;
    else if (missing)
        pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "<exclude> names the body '%.60s', which is not there",
                    name[missing - 1]);
    else
        ok = pinion_builder_add_exclusion(r->b, name[0], name[1], pn_xml_line(node), r->u.err) == PINION_OK;
    free(name[0]);
    free(name[1]);
    return ok;
}

static mjcf_touch *find_touch(mjcf_reader *r, const mjcf_name *names, const char *name)
{
    const int found = pn_mjcf_look_up(names, r->touches.count, name);
    return found < 0 ? NULL : &r->touches.at[found];
}

/* Numbers of a pair: sliding along both directions, spin, rolling about both. */
static int read_pair(const mjcf_element *e, pinion_collision_pair_def *def)
{
    double friction[5] = {-1, -1, -1, -1, -1}, condim = 0;
    const int given = pn_mjcf_numbers(e, "friction", 1, 5, friction);
    if (given < 0 || !pn_mjcf_number(e, "margin", &def->margin) || !pn_mjcf_number(e, "condim", &condim)) return 0;
    def->friction[0] = friction[0];
    def->friction[1] = friction[2];
    def->friction[2] = friction[3];
    def->dimension = (int)condim;
    if ((given >= 2 && friction[1] != friction[0]) || (given >= 5 && friction[4] != friction[3]))
        return pn_xml_warn(&e->r->u, e->node,
                           "<pair> has another friction across than along: that along counts for both");
    return 1;
}

/* Pairs: first those that they need are marked, then, when collisions are there, they are made. */
static int add_pair(mjcf_reader *r, const mjcf_part *part, const xmlNode *node, const mjcf_name *names, int mark)
{
    char *name[2] = {full_name(r, part, node, "geom1"), NULL};
    int ok = 0;
    if (name[0]) name[1] = full_name(r, part, node, "geom2");
    mjcf_touch *touch[2] = {NULL, NULL};
    for (int i = 0; i < 2 && name[1]; i++) touch[i] = find_touch(r, names, name[i]);
    if (name[1] && (!touch[0] || !touch[1])) {
        ok = is_left_behind(r, part) ||
             pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "<pair> names the geom '%.60s', which is not there",
                         name[touch[0] != NULL]);
    } else if (name[1] && mark) {
        for (int i = 0; i < 2; i++) touch[i]->used = 1;
        ok = 1;
    } else if (name[1] && (touch[0]->used != 2 || touch[1]->used != 2)) {
        ok = pn_xml_warn(&r->u, node, "<pair> has a geom whose collision is left out, and is left out, too");
    } else if (name[1]) {
        mjcf_element e;
        pinion_collision_pair_def def = pinion_collision_pair_def_default();
        def.first = name[0];
        def.second = name[1];
        def.line = pn_xml_line(node);
        ok = pn_mjcf_element(r, part->spec, node, TAG_PAIR, 0, &e) && read_pair(&e, &def) &&
             pinion_builder_add_collision_pair(r->b, &def, r->u.err) == PINION_OK;
    }
    free(name[0]);
    free(name[1]);
    return ok;
}

/* All of one kind, of all parts. */
static int each_contact(mjcf_reader *r, const char *kind, const mjcf_name *names, int mark)
{
    for (int i = 0; i < r->parts.count; i++) {
        const mjcf_part *part = &r->parts.at[i];
        for (xmlNode *n = pn_mjcf_first(part->spec->root, "contact"); n; n = pn_mjcf_next(n, "contact")) {
            for (xmlNode *c = pn_mjcf_first(n, kind); c; c = pn_mjcf_next(c, kind)) {
                if (!(names ? add_pair(r, part, c, names, mark) : add_exclusion(r, part, c))) return 0;
            }
        }
    }
    return 1;
}

/* What the options say about contact. */
static int tell_options(mjcf_reader *r)
{
    for (xmlNode *o = pn_mjcf_first(r->main->root, "option"); o; o = pn_mjcf_next(o, "option")) {
        for (xmlNode *f = pn_mjcf_first(o, "flag"); f; f = pn_mjcf_next(f, "flag")) {
            const char *contact = pn_xml_attribute(f, "contact"), *parent = pn_xml_attribute(f, "filterparent");
            if (contact && strcmp(contact, "disable") == 0 &&
                !pn_xml_warn(&r->u, f, "contact is switched off; the collisions are kept all the same"))
                return 0;
            if (parent && strcmp(parent, "disable") == 0 &&
                !pn_xml_warn(&r->u, f, "that a body collides with its parent (filterparent) is left out"))
                return 0;
        }
    }
    return 1;
}

int pn_mjcf_collisions(mjcf_reader *r)
{
    const int count = r->touches.count;
    mjcf_name *names = malloc(((size_t)count + 1) * sizeof *names);
    if (!names) return pn_xml_memory(&r->u);
    for (int i = 0; i < count; i++) names[i] = (mjcf_name){r->touches.at[i].name, i};
    pn_mjcf_sort_names(names, count);
    int ok = pn_mjcf_check_twice(r, names, count, "geoms") && tell_options(r) && each_contact(r, "pair", names, 1);
    for (int i = 0; i < count && ok; i++) ok = !r->touches.at[i].used || add_collision(r, &r->touches.at[i]);
    ok = ok && each_contact(r, "pair", names, 0) && each_contact(r, "exclude", NULL, 0);
    free(names);
    return ok;
}
