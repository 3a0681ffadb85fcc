/* Chains given by Denavit-Hartenberg rows. With the joint's own motion taken out of
 *
 *     classic    T = Rz(theta) Tz(d) Tx(a) Rx(alpha)
 *     modified   T = Rx(alpha) Tx(a) Rz(theta) Tz(d)
 *
 * both types of joint leave the same constants, since Rz and Tz commute: in the classic convention
 * Rz(theta) Tz(d) before the joint and Tx(a) Rx(alpha) behind it, in the modified one all of it before. */
#include <string.h>

#include "io/json/json.h"
#include "model/pose.h"

static const char default_base[] = "base";

typedef struct dh_chain {
    int modified, degrees;
    const char *previous; /* the link the next row's joint sits on */
    pinion_pose origin;   /* of the next row's joint on that link, before its own constants */
} dh_chain;

/* A turn about x, and a shift along it. */
static pinion_pose screw_x(double angle, int degrees, double shift)
{
    double s, c;
    pn_sincos(angle, degrees, &s, &c);
    return (pinion_pose){{shift, 0, 0}, {1, 0, 0, 0, c, 0.0 - s, 0, s, c}};
}

static pinion_pose screw_z(double angle, int degrees, double shift)
{
    double s, c;
    pn_sincos(angle, degrees, &s, &c);
    return pn_pose_screw_z(c, s, shift);
}

/* a, alpha, d, theta: where the joint sits on the link before and on its own. */
static int place_read(const pn_json_value *row, const dh_chain *chain, pinion_joint_def *def)
{
    double a = 0, alpha = 0, d = 0, theta = 0;
    if (!pn_get_number(row, "a", &a) || !pn_get_number(row, "alpha", &alpha)) return 0;
    if (!pn_get_number(row, "d", &d) || !pn_get_number(row, "theta", &theta)) return 0;
    pinion_pose x = screw_x(alpha, chain->degrees, a), z = screw_z(theta, chain->degrees, d);
    def->parent_pose = chain->origin;
    if (chain->modified) {
        def->parent_pose = pn_pose_mul(&def->parent_pose, &x);
    } else {
        def->child_pose = pn_pose_inverse(&x);
    }
    def->parent_pose = pn_pose_mul(&def->parent_pose, &z);
    return 1;
}

static int row_read(const pn_json_value *row, dh_chain *chain)
{
    static const char *const keys[] = {"joint",  "link",     "type",   "a",       "alpha",    "d",
                                       "theta",  "mass",     "com",    "inertia", "about",    "visuals",
                                       "limits", "velocity", "effort", "damping", "friction", "rotor",
                                       "motor",  "armature", "spring", "mimic",   "initial",  "actuated",
                                       "collisions", "elastic", NULL};
    static const char *const names[] = {"revolute", "continuous", "prismatic", NULL};
    static const pinion_joint_type types[] = {PINION_JOINT_REVOLUTE, PINION_JOINT_CONTINUOUS, PINION_JOINT_PRISMATIC};
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def joint = pinion_joint_def_default();
    int type = 0;
    pn_json_value v;
    if (!pn_value_object(row, keys)) return 0;

    /* the link */
    if (!pn_need_string(row, "joint", &joint.name) || !pn_need_string(row, "link", &link.name)) return 0;
    if (!pn_json_inertia(row, &link.inertia)) return 0;
    link.line = joint.line = pn_value_line(row);
    if (pinion_builder_add_link(row->file->builder, &link, row->file->err) != PINION_OK) return 0;
    if (!pn_json_shapes(row, link.name)) return 0;

    /* the joint; its axis is z, the default */
    if (pn_value_get(row, "type", &v) &&
        !pn_value_choice(&v, names, "\"revolute\", \"continuous\" or \"prismatic\"", &type))
        return 0;
    joint.type = types[type];
    joint.parent = chain->previous;
    joint.child = link.name;
    if (!place_read(row, chain, &joint) || !pn_json_dofs(row, chain->degrees, &joint)) return 0;
    if (!pn_json_add_joint(row, &joint)) return 0;

    /* the next row starts from this link's frame */
    chain->previous = link.name;
    chain->origin = pinion_pose_identity();
    return 1;
}

static int chain_read(const pn_json_value *v)
{
    static const char *const keys[] = {"convention", "angles", "base", "origin", "rows", NULL};
    static const char *const conventions[] = {"classic", "modified", NULL};
    dh_chain chain = {0, 0, default_base, pinion_pose_identity()};
    pn_json_value convention, base, rows, row = {0};

    /* what holds for the whole chain */
    if (!pn_value_object(v, keys) || !pn_value_need(v, "convention", &convention)) return 0;
    if (!pn_value_choice(&convention, conventions, "\"classic\" or \"modified\"", &chain.modified)) return 0;
    if (!pn_get_angles(v, &chain.degrees) || !pn_get_pose(v, "origin", &chain.origin)) return 0;
    if (pn_value_get(v, "base", &base) && !pn_value_string(&base, &chain.previous)) return 0;

    if (!pn_value_need(v, "rows", &rows) || !pn_value_array(&rows, "an array of rows")) return 0;
    if (json_array_size(rows.json) == 0) return pn_value_fail(&rows, "is empty, expected at least one row");
    while (pn_value_next(&rows, &row)) {
        if (!row_read(&row, &chain)) return 0;
    }
    return 1;
}

/* Nonzero when an element of the array has the default base's name under the key. Nothing of the
 * array has been checked yet: jansson answers NULL and 0 for what is of another kind. */
static int names_base(const json_t *array, const char *key)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const char *text = json_string_value(json_object_get(json_array_get(array, i), key));
        if (text && strcmp(text, default_base) == 0) return 1;
    }
    return 0;
}

/* A chain without "base" starts from the link of that name, made here when the file has none. */
static int base_make(const pn_json_value *dh, const pn_json_value *top)
{
    int several = json_is_array(dh->json), needed = 0;
    size_t count = several ? json_array_size(dh->json) : 1;
    for (size_t i = 0; i < count; i++) {
        const json_t *chain = several ? json_array_get(dh->json, i) : dh->json;
        if (!json_object_get(chain, "base")) needed = 1;
        if (names_base(json_object_get(chain, "rows"), "link")) return 1;
    }
    if (!needed || names_base(json_object_get(top->json, "links"), "name")) return 1;
    pinion_link_def link = pinion_link_def_default();
    link.name = default_base;
    link.line = pn_value_line(dh);
    return pinion_builder_add_link(dh->file->builder, &link, dh->file->err) == PINION_OK;
}

int pn_json_dh(const pn_json_value *dh, const pn_json_value *top)
{
    pn_json_value chain = {0};
    if (!json_is_array(dh->json) && !json_is_object(dh->json))
        return pn_value_expected(dh, "a chain or an array of chains");
    if (!base_make(dh, top)) return 0;
    if (json_is_object(dh->json)) return chain_read(dh);
    while (pn_value_next(dh, &chain)) {
        if (!chain_read(&chain)) return 0;
    }
    return 1;
}
