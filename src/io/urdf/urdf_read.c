/* The URDF reader: what <robot>, <link> and <joint> mean, handed to the builder, which checks how they
 * fit together. What other programs have in <robot> (transmission, gazebo, ...) is ignored.
 *
 * What a robot looks like or touches others with has no influence on how it moves: a fault there costs the visual,
 * the colour or the collision and gives a warning, never an error. */
#include "io/rotation.h"
#include "io/urdf/urdf.h"
#include "pinion/collision.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A colour that visuals may use by its name. */
typedef struct material {
    const char *name;
    double rgba[4];
    size_t order; /* of the definition */
} material;

typedef struct reader {
    pn_xml u;
    pn_xml looks; /* the same file, for what concerns only looks: its errors go to `fault` */
    pinion_error fault;
    pn_xml_warnings warnings;
    pinion_builder *b;
    int strict;          /* nonzero: what would change the motion and is left out is an error */
    material *materials; /* by name, then in the order of their definition */
    size_t material_count, material_capacity;
} reader;

/* ---------------------------------------------------------------------------------------------
 * Poses */

/* Normalizes, so the quaternion need not be exact. */
static void rotation_of_quaternion(const double xyzw[4], double R[9])
{
    double x = xyzw[0], y = xyzw[1], z = xyzw[2], w = xyzw[3], s = 2 / (x * x + y * y + z * z + w * w);
    const double out[9] = {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
                           s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
                           s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
    for (int i = 0; i < 9; i++) R[i] = out[i] + 0.0;
}

/* The <origin> of an element; the identity when it has none. */
static int read_origin(const pn_xml *u, const xmlNode *parent, pinion_pose *out)
{
    xmlNode *origin;
    *out = pinion_pose_identity();
    if (!pn_xml_child(u, parent, "origin", &origin)) return 0;
    if (!origin) return 1;
    if (!pn_xml_numbers_or(u, origin, "xyz", 3, out->position)) return 0;

    /* the rotation in one of two ways */
    double rpy[3] = {0, 0, 0}, quaternion[4] = {0, 0, 0, 1};
    int angles = pn_xml_attribute(origin, "rpy") != NULL,
        turned = pn_xml_attribute(origin, "quat_xyzw") != NULL;
    if (angles && turned) {
        return pn_xml_fail(u, origin, PINION_ERR_PARSE,
                            "<origin> has both rpy and quat_xyzw; expected one of them");
    }
    if (!pn_xml_numbers_or(u, origin, "rpy", 3, rpy)) return 0;
    if (!pn_xml_numbers_or(u, origin, "quat_xyzw", 4, quaternion)) return 0;
    if (!turned) {
        pn_rotation_of_rpy(rpy, out->rotation);
        return 1;
    }
    double length = hypot(hypot(quaternion[0], quaternion[1]), hypot(quaternion[2], quaternion[3]));
    if (!(fabs(length - 1) <= 1e-6)) {
        return pn_xml_fail(
            u, origin, PINION_ERR_MODEL,
            "<origin quat_xyzw=\"%.60s\"> is not of unit length; expected a length of 1 within 1e-6",
            pn_xml_attribute(origin, "quat_xyzw"));
    }
    rotation_of_quaternion(quaternion, out->rotation);
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Links */

/* Child `name` of <inertial>, which must be there. */
static int inertial_part(const pn_xml *u, const xmlNode *inertial, const char *link, const char *name,
                         xmlNode **out)
{
    if (!pn_xml_child(u, inertial, name, out)) return 0;
    if (*out) return 1;
    return pn_xml_fail(u, inertial, PINION_ERR_PARSE, "<inertial> of link '%.60s' has no <%s>; expected one",
                        link, name);
}

/* <inertial>: the inertia is about the centre of mass, in the axes of its <origin>. */
static int read_inertial(const pn_xml *u, const xmlNode *link, pinion_link_def *def)
{
    xmlNode *inertial, *mass, *inertia;
    pinion_pose origin;
    if (!pn_xml_child(u, link, "inertial", &inertial)) return 0;
    if (!inertial) return 1;
    if (!inertial_part(u, inertial, def->name, "mass", &mass)) return 0;
    if (!inertial_part(u, inertial, def->name, "inertia", &inertia)) return 0;
    if (!read_origin(u, inertial, &origin)) return 0;

    if (!pn_xml_numbers(u, mass, "value", 1, &def->inertia.mass)) return 0;
    if (def->inertia.mass < 0) {
        return pn_xml_fail(u, mass, PINION_ERR_MODEL,
                            "link '%.60s' has a negative mass; expected a mass >= 0 kg", def->name);
    }
    static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    for (int i = 0; i < 6; i++) {
        if (!pn_xml_numbers(u, inertia, names[i], 1, &def->inertia.inertia[i])) return 0;
    }
    memcpy(def->inertia.com, origin.position, sizeof origin.position);

    /* axes that are already the link's keep the numbers of the file */
    pinion_pose straight = pinion_pose_identity();
    if (memcmp(origin.rotation, straight.rotation, sizeof origin.rotation) != 0) {
        pn_turn_inertia(origin.rotation, def->inertia.inertia);
    }
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Colours and visuals */

static int by_name(const void *a, const void *b)
{
    const material *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->order < y->order ? -1 : 1;
}

/* The colour a <material> gives, if it does: 1 it does, 0 it does not, -1 on failure. */
static int read_color(const pn_xml *u, const xmlNode *node, double rgba[4])
{
    xmlNode *color;
    if (!pn_xml_child(u, node, "color", &color)) return -1;
    if (!color) return 0;
    if (!pn_xml_numbers(u, color, "rgba", 4, rgba)) return -1;
    for (int i = 0; i < 4; i++) rgba[i] = rgba[i] > 1 ? 1 : rgba[i] > 0 ? rgba[i] : 0;
    return 1;
}

/* Leaves something out that has a fault. Returns 0 when out of memory, as all that reads looks. */
static int leave_out(reader *r, const char *outcome)
{
    pn_xml u = r->looks;
    u.err = r->u.err;
    return pn_xml_pass_over(&u, &r->fault, outcome);
}

/* Notes a <material> that has a name and a colour. */
static int define_material(reader *r, const material *found)
{
    material m = *found;
    m.order = r->material_count;
    if (!m.name) return 1;
    if (r->material_count == r->material_capacity) {
        size_t capacity = r->material_capacity ? 2 * r->material_capacity : 16;
        material *grown = realloc(r->materials, capacity * sizeof *grown);
        if (!grown) return pn_xml_fail(&r->u, NULL, PINION_ERR_MEMORY, "out of memory");
        r->materials = grown;
        r->material_capacity = capacity;
    }
    r->materials[r->material_count++] = m;
    return 1;
}

/* All colours with a name: those of the robot first, then those that visuals define on the spot. What is
 * wrong with a colour of a visual is said when that is read. */
static int read_materials(reader *r, const xmlNode *robot)
{
    for (xmlNode *m = pn_xml_find(robot->children, "material"); m; m = pn_xml_find(m->next, "material")) {
        material found = {.name = pn_xml_attribute(m, "name")};
        int colored = read_color(&r->looks, m, found.rgba);
        if (colored < 0 && !leave_out(r, "this colour is left out")) return 0;
        if (colored > 0 && !define_material(r, &found)) return 0;
    }
    pn_xml silent = r->looks;
    silent.warnings = NULL;
    for (xmlNode *link = pn_xml_find(robot->children, "link"); link;
         link = pn_xml_find(link->next, "link")) {
        for (xmlNode *v = pn_xml_find(link->children, "visual"); v; v = pn_xml_find(v->next, "visual")) {
            xmlNode *m;
            if (!pn_xml_child(&silent, v, "material", &m) || !m) continue;
            material found = {.name = pn_xml_attribute(m, "name")};
            if (read_color(&silent, m, found.rgba) > 0 && !define_material(r, &found)) return 0;
        }
    }
    if (r->material_count) qsort(r->materials, r->material_count, sizeof *r->materials, by_name);
    return 1;
}

/* The colour of a visual; what nobody defined keeps the default. */
static int read_material(reader *r, const xmlNode *visual, double rgba[4])
{
    xmlNode *node;
    if (!pn_xml_child(&r->looks, visual, "material", &node)) return leave_out(r, "its colour is left out");
    if (!node) return 1;
    int colored = read_color(&r->looks, node, rgba);
    if (colored < 0 && !leave_out(r, "this colour is left out")) return 0;
    const char *name = pn_xml_attribute(node, "name");
    if (colored > 0 || !name) return 1;

    /* the first definition of that name */
    size_t low = 0, high = r->material_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(r->materials[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < r->material_count && strcmp(r->materials[low].name, name) == 0) {
        memcpy(rgba, r->materials[low].rgba, sizeof r->materials[low].rgba);
    }
    return 1;
}

/* The shape in <geometry>: 1 one that is known, 0 none of ours, -1 on failure. */
static int read_shape(const pn_xml *u, const char *what, const xmlNode *geometry, pinion_visual_def *def)
{
    xmlNode *shape = pn_xml_find(geometry->children, NULL);
    if (!shape) {
        pn_xml_fail(u, geometry, PINION_ERR_PARSE,
                     "<geometry> of a %s of link '%.60s' is empty; expected box, cylinder, sphere, "
                     "capsule or mesh",
                     what, def->link);
        return -1;
    }
    xmlNode *second = pn_xml_find(shape->next, NULL);
    if (second) {
        pn_xml_fail(u, second, PINION_ERR_PARSE, "a second shape in one <geometry>; expected one");
        return -1;
    }
    int ok = 1;
    if (pn_xml_is(shape, "box")) {
        def->shape = PINION_SHAPE_BOX;
        ok = pn_xml_numbers(u, shape, "size", 3, def->size);
    } else if (pn_xml_is(shape, "sphere")) {
        def->shape = PINION_SHAPE_SPHERE;
        ok = pn_xml_numbers(u, shape, "radius", 1, def->size);
    } else if (pn_xml_is(shape, "cylinder") || pn_xml_is(shape, "capsule")) {
        def->shape = pn_xml_is(shape, "capsule") ? PINION_SHAPE_CAPSULE : PINION_SHAPE_CYLINDER;
        ok = pn_xml_numbers(u, shape, "radius", 1, def->size) &&
             pn_xml_numbers(u, shape, "length", 1, def->size + 1);
    } else if (pn_xml_is(shape, "mesh")) {
        def->shape = PINION_SHAPE_MESH;
        for (int i = 0; i < 3; i++) def->size[i] = 1;
        ok = pn_xml_string(u, shape, "filename", &def->mesh) &&
             pn_xml_numbers_or(u, shape, "scale", 3, def->size);
    } else {
        return 0;
    }
    return ok ? 1 : -1;
}

/* The same of a <visual> or a <collision>, which has one <geometry>. */
static int read_geometry(const pn_xml *u, const char *what, const xmlNode *visual, pinion_visual_def *def)
{
    xmlNode *geometry;
    if (!pn_xml_child(u, visual, "geometry", &geometry)) return -1;
    if (geometry) return read_shape(u, what, geometry, def);
    pn_xml_fail(u, visual, PINION_ERR_PARSE, "a %s of link '%.60s' has no <geometry>; expected one", what, def->link);
    return -1;
}

/* A visual or collision whose shape is none of ours. */
static int tell_shape(reader *r, const char *what, const xmlNode *node, const char *link)
{
    pn_xml u = r->looks;
    u.err = r->u.err;
    return pn_xml_warn(&u, node, "a %s of link '%.60s' has a shape that is not known (this %s is left out)", what, link,
                       what);
}

static int read_visual(reader *r, const xmlNode *node, const char *link)
{
    static const char left_out[] = "this visual is left out";
    pinion_visual_def def = pinion_visual_def_default();
    def.link = link;
    def.line = pn_xml_line(node);
    for (int i = 0; i < 3; i++) def.size[i] = 0;
    int known = read_geometry(&r->looks, "visual", node, &def);
    if (known == 0) return tell_shape(r, "visual", node, link);
    if (known < 0 || !read_origin(&r->looks, node, &def.pose)) return leave_out(r, left_out);
    if (!read_material(r, node, def.rgba)) return 0;
    if (pinion_builder_add_visual(r->b, &def, &r->fault) == PINION_OK) return 1;
    return leave_out(r, left_out);
}

/* A <collision>: its geometry is written as that of a visual is. */
static int read_collision(reader *r, const xmlNode *node, const char *link)
{
    static const char left_out[] = "this collision is left out";
    pinion_visual_def shape = pinion_visual_def_default();
    pinion_collision_def def = pinion_collision_def_default();
    shape.link = def.link = link;
    def.line = pn_xml_line(node);
    def.name = pn_xml_attribute(node, "name");
    for (int i = 0; i < 3; i++) shape.size[i] = 0;
    const int known = read_geometry(&r->looks, "collision", node, &shape);
    if (known == 0) return tell_shape(r, "collision", node, link);
    if (known < 0 || !read_origin(&r->looks, node, &def.pose)) return leave_out(r, left_out);
    def.shape = shape.shape;
    def.mesh = shape.mesh;
    memcpy(def.size, shape.size, sizeof def.size);
    if (pinion_builder_add_collision(r->b, &def, &r->fault) == PINION_OK) return 1;
    return leave_out(r, left_out);
}

static int read_link(reader *r, const xmlNode *node)
{
    pinion_link_def def = pinion_link_def_default();
    def.line = pn_xml_line(node);
    if (!pn_xml_string(&r->u, node, "name", &def.name) || !read_inertial(&r->u, node, &def)) return 0;
    if (pinion_builder_add_link(r->b, &def, r->u.err) != PINION_OK) return 0;
    for (xmlNode *v = pn_xml_find(node->children, "visual"); v; v = pn_xml_find(v->next, "visual")) {
        if (!read_visual(r, v, def.name)) return 0;
    }
    for (xmlNode *c = pn_xml_find(node->children, "collision"); c; c = pn_xml_find(c->next, "collision")) {
        if (!read_collision(r, c, def.name)) return 0;
    }
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Joints */

static int read_joint_type(const pn_xml *u, const xmlNode *node, pinion_joint_def *def)
{
    static const struct {
        const char *name;
        pinion_joint_type type;
    } types[] = {
        {"fixed", PINION_JOINT_FIXED},           {"revolute", PINION_JOINT_REVOLUTE},
        {"continuous", PINION_JOINT_CONTINUOUS}, {"prismatic", PINION_JOINT_PRISMATIC},
        {"floating", PINION_JOINT_FREE},         {"planar", PINION_JOINT_PLANAR},
    };
    const char *type;
    if (!pn_xml_string(u, node, "type", &type)) return 0;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(type, types[i].name) != 0) continue;
        def->type = types[i].type;
        return 1;
    }
    return pn_xml_fail(u, node, PINION_ERR_PARSE,
                        "joint '%.60s' has type \"%.60s\"; expected fixed, revolute, continuous, prismatic, "
                        "floating or planar",
                        def->name, type);
}

/* <parent link=""> or <child link="">, which must be there. */
static int read_end(const pn_xml *u, const xmlNode *joint, const char *which, const char *name,
                    const char **out)
{
    xmlNode *end;
    if (!pn_xml_child(u, joint, which, &end)) return 0;
    if (end) return pn_xml_string(u, end, "link", out);
    return pn_xml_fail(u, joint, PINION_ERR_PARSE, "joint '%.60s' has no <%s>; expected <%s link=\"...\">",
                        name, which, which);
}

/* Nonzero for joints with one coordinate; those and planar joints have an axis. */
static int is_single(pinion_joint_type type)
{
    return type == PINION_JOINT_REVOLUTE || type == PINION_JOINT_CONTINUOUS || type == PINION_JOINT_PRISMATIC;
}

/* The axis: x when the file does not say. Many files give fixed joints one of zeros. */
static int read_axis(const pn_xml *u, const xmlNode *joint, pinion_joint_def *def)
{
    xmlNode *axis;
    int used = is_single(def->type) || def->type == PINION_JOINT_PLANAR;
    double x[3] = {1, 0, 0};
    if (!pn_xml_child(u, joint, "axis", &axis)) return 0;
    if (axis && (used || pn_xml_attribute(axis, "xyz")) && !pn_xml_numbers(u, axis, "xyz", 3, x)) return 0;
    if (!used) return 1;
    if (x[0] == 0 && x[1] == 0 && x[2] == 0) {
        return pn_xml_fail(u, axis, PINION_ERR_MODEL,
                            "the axis of joint '%.60s' is zero; expected a direction of any length but 0",
                            def->name);
    }
    memcpy(def->axis, x, sizeof x);
    return 1;
}

/* <mimic>; the builder says which joints can follow another. */
static int read_leader(const pn_xml *u, const xmlNode *joint, pinion_joint_def *def)
{
    xmlNode *mimic;
    if (!pn_xml_child(u, joint, "mimic", &mimic)) return 0;
    if (!mimic) return 1;
    def->multiplier = 1;
    def->offset = 0;
    return pn_xml_string(u, mimic, "joint", &def->mimic) &&
           pn_xml_numbers_or(u, mimic, "multiplier", 1, &def->multiplier) &&
           pn_xml_numbers_or(u, mimic, "offset", 1, &def->offset);
}

/* <limit>: a missing bound is 0; without <limit>, and for a continuous joint, there are none. A lower bound
 * above the upper one is how some files say so. */
static int read_limit(const pn_xml *u, const xmlNode *joint, const pinion_joint_def *def, pinion_dof *dof)
{
    xmlNode *limit;
    double lower = 0, upper = 0;
    if (!pn_xml_child(u, joint, "limit", &limit)) return 0;
    if (!limit) return 1;
    if (!pn_xml_numbers_or(u, limit, "lower", 1, &lower)) return 0;
    if (!pn_xml_numbers_or(u, limit, "upper", 1, &upper)) return 0;
    if (!pn_xml_numbers_or(u, limit, "velocity", 1, &dof->velocity)) return 0;
    if (!pn_xml_numbers_or(u, limit, "effort", 1, &dof->effort)) return 0;

    /* the largest double is the writer's word for none */
    if (dof->velocity == DBL_MAX) dof->velocity = INFINITY;
    if (dof->effort == DBL_MAX) dof->effort = INFINITY;
    if (def->type != PINION_JOINT_REVOLUTE && def->type != PINION_JOINT_PRISMATIC) return 1;
    if (lower > upper) {
        return pn_xml_warn(
            u, limit, "the lower limit of joint '%.60s' is above the upper one: read as no position limits",
            def->name);
    }
    dof->lower = lower == -DBL_MAX ? -INFINITY : lower;
    dof->upper = upper == DBL_MAX ? INFINITY : upper;
    return 1;
}

/* <dynamics> */
static int read_dynamics(const pn_xml *u, const xmlNode *joint, pinion_dof *dof)
{
    xmlNode *dynamics;
    if (!pn_xml_child(u, joint, "dynamics", &dynamics)) return 0;
    if (!dynamics) return 1;
    if (!pn_xml_numbers_or(u, dynamics, "damping", 1, &dof->damping)) return 0;
    if (!pn_xml_numbers_or(u, dynamics, "friction", 1, &dof->friction_positive)) return 0;
    dof->friction_negative = dof->friction_positive;
    return 1;
}

/* Tells what a planar or floating joint has no place for; zeros say nothing. */
static int tell_dropped(const reader *r, const xmlNode *node, const pinion_joint_def *def, const pinion_dof *dof)
{
    static const char why[] = "only joints with one coordinate have it here";
    const char *kind = def->type == PINION_JOINT_PLANAR ? "planar" : "floating";
    const xmlNode *limit = pn_xml_find(node->children, "limit"), *dynamics = pn_xml_find(node->children, "dynamics");
    double lower = 0, upper = 0;
    if (def->type != PINION_JOINT_PLANAR && def->type != PINION_JOINT_FREE) return 1;
    if (limit && !pn_xml_numbers_or(&r->u, limit, "lower", 1, &lower)) return 0;
    if (limit && !pn_xml_numbers_or(&r->u, limit, "upper", 1, &upper)) return 0;
    const int limited = (lower != 0 && lower > -DBL_MAX) || (upper != 0 && upper < DBL_MAX) ||
                        (dof->velocity != 0 && isfinite(dof->velocity)) || (dof->effort != 0 && isfinite(dof->effort));
    if (limited && !pn_xml_left_out(&r->u, r->strict, limit, "<limit> of the %s joint '%.60s' is left out: %s", kind,
                                    def->name, why))
        return 0;
    return (dof->damping == 0 && dof->friction_positive == 0) ||
           pn_xml_left_out(&r->u, r->strict, dynamics, "<dynamics> of the %s joint '%.60s' is left out: %s", kind,
                           def->name, why);
}

static int read_joint(reader *r, const xmlNode *node)
{
    pinion_joint_def def = pinion_joint_def_default();
    def.line = pn_xml_line(node);
    if (!pn_xml_string(&r->u, node, "name", &def.name) || !read_joint_type(&r->u, node, &def)) return 0;
    if (!read_end(&r->u, node, "parent", def.name, &def.parent)) return 0;
    if (!read_end(&r->u, node, "child", def.name, &def.child)) return 0;
    if (!read_origin(&r->u, node, &def.parent_pose)) return 0;
    if (!read_axis(&r->u, node, &def) || !read_leader(&r->u, node, &def)) return 0;
    if (def.type == PINION_JOINT_FIXED) def.mimic = NULL;

    /* limits and damping are read from every joint and count where there is one coordinate */
    pinion_dof dof = def.dof[0];
    if (!read_limit(&r->u, node, &def, &dof) || !read_dynamics(&r->u, node, &dof)) return 0;
    if (is_single(def.type)) def.dof[0] = dof;
    if (!tell_dropped(r, node, &def, &dof)) return 0;
    return pinion_builder_add_joint(r->b, &def, r->u.err) == PINION_OK;
}

/* ---------------------------------------------------------------------------------------------
 * The robot */

static int read_robot(reader *r)
{
    xmlNode *robot = xmlDocGetRootElement(r->u.doc);
    if (!robot || !pn_xml_is(robot, "robot")) {
        const char *hint = pn_xml_is(robot, "mujoco") ? ": this is MJCF, MuJoCo's format, and not read as URDF"
                           : pn_xml_is(robot, "sdf")  ? ": this is SDF, Gazebo's format, and not read as URDF"
                                                       : "";
        return pn_xml_fail(&r->u, robot, PINION_ERR_PARSE, "the outermost element is <%.60s>; expected <robot>%s",
                            robot ? (const char *)robot->name : "", hint);
    }
    const char *name = pn_xml_attribute(robot, "name"); /* it may be empty, but not be missing */
    if ((!name || *name) && !pn_xml_string(&r->u, robot, "name", &name)) return 0;
    r->b = r->warnings.b = pinion_builder_new(name);
    if (!r->b || pinion_builder_set_source(r->b, r->u.file) != PINION_OK) {
        return pn_xml_fail(&r->u, NULL, PINION_ERR_MEMORY, "out of memory");
    }
    /* URDF describes trees: a second parent is a mistake, no loop */
    if (pinion_builder_set_tree_only(r->b, 1) != PINION_OK) return 0;
    if (!pn_urdf_check(&r->u, r->strict, robot) || !read_materials(r, robot)) return 0;
    for (xmlNode *node = pn_xml_find(robot->children, NULL); node; node = pn_xml_find(node->next, NULL)) {
        if (pn_xml_is(node, "link") && !read_link(r, node)) return 0;
        if (pn_xml_is(node, "joint") && !read_joint(r, node)) return 0;
    }
    return pn_xml_count_rest(&r->u);
}

/* Nonzero for text between the elements of the robot, a link, an inertial or a joint, where only white space
 * belongs: an element that lost its '<'. Elements of the same names elsewhere are not ours. */
static int is_stray_text(const xmlNode *node, const xmlNode *root)
{
    if (node->type != XML_TEXT_NODE || !node->content) return 0;
    const char *text = (const char *)node->content;
    if (!text[strspn(text, " \t\r\n")]) return 0;
    const xmlNode *holder = node->parent;
    if (holder == root) return 1;
    if (pn_xml_is(holder, "inertial") && pn_xml_is(holder->parent, "link")) holder = holder->parent;
    return holder->parent == root && (pn_xml_is(holder, "link") || pn_xml_is(holder, "joint"));
}

/* Refuses what a plain URDF file does not hold: stray text and xacro. */
static int check_plain(const pn_xml *u)
{
    xmlNode *root = xmlDocGetRootElement(u->doc);
    for (xmlNode *node = root; node; node = pn_xml_behind(node, root)) {
        if (is_stray_text(node, root)) {
            const char *text = (const char *)node->content;
            text += strspn(text, " \t\r\n");
            return pn_xml_fail(u, node->parent, PINION_ERR_PARSE,
                               "text \"%.40s\" in <%s>; expected elements alone: is a '<' missing?", text,
                               (const char *)node->parent->name);
        }
        if (node->type != XML_ELEMENT_NODE) continue;
        int prefixed = node->ns && node->ns->prefix && strcmp((const char *)node->ns->prefix, "xacro") == 0;
        if (prefixed || strncmp((const char *)node->name, "xacro:", 6) == 0) {
            return pn_xml_fail(
                u, node, PINION_ERR_PARSE,
                "<%s%.60s> is an instruction to xacro; expected plain URDF: expand it with xacro first",
                prefixed ? "xacro:" : "", (const char *)node->name);
        }
    }
    return 1;
}

pinion_model *pn_urdf_read(const char *text, size_t size, const char *name, const pinion_load_options *o,
                           pinion_error *err)
{
    reader r = {.strict = o && o->strict};
    if (!pn_xml_open(&r.u, text, size, name, err)) return NULL;
    r.u.warnings = &r.warnings;
    r.u.others = "limits, repeated elements and what is not known";
    r.looks = r.u;
    r.looks.looks = 1;
    r.looks.err = &r.fault;
    pinion_model *m = NULL;
    if (check_plain(&r.u) && read_robot(&r) && (!o || !o->srdf || pn_srdf_read(r.b, o->srdf, name, o->strict, err)))
        m = pinion_builder_build(r.b, o, err);
    pinion_builder_free(r.b);
    free(r.materials);
    pn_xml_close(&r.u);
    return m;
}
