/* Joints of SDF: their axes and types, as the builder has them. */
#include "io/sdf/sdf.h"
#include "model/pose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NO_LIMIT 1e16 /* the format's word for none */

typedef struct type_row {
    const char *name;
    pinion_joint_type type;
    int axes;
} type_row;

static const type_row types[] = {
    {"fixed", PINION_JOINT_FIXED, 0},           {"revolute", PINION_JOINT_REVOLUTE, 1},
    {"continuous", PINION_JOINT_CONTINUOUS, 1}, {"prismatic", PINION_JOINT_PRISMATIC, 1},
    {"screw", PINION_JOINT_HELICAL, 1},         {"universal", PINION_JOINT_UNIVERSAL, 2},
    {"revolute2", PINION_JOINT_UNIVERSAL, 2},   {"ball", PINION_JOINT_SPHERICAL, 0},
    {"gearbox", PINION_JOINT_FIXED, 2},
};

typedef struct axis {
    double xyz[3]; /* of unit length, in the frame of the joint */
    pinion_dof dof;
    const char *mimic; /* the joint that it follows; NULL: none */
    double multiplier, offset;
    double position, velocity; /* at the start */
    int starts;                /* nonzero: the file says so */
} axis;

static const type_row *type_of(const sdf_entity *e)
{
    const char *type = pn_xml_attribute(e->node, "type");
    for (size_t i = 0; type && i < sizeof types / sizeof types[0]; i++) {
        if (strcasecmp(type, types[i].name) == 0) return &types[i];
    }
    return NULL;
}

int pn_sdf_check_type(sdf_reader *r, const sdf_entity *e)
{
    return type_of(e) ||
           pn_xml_fail(
               &r->u, e->node, PINION_ERR_PARSE,
               "joint '%.80s' has type \"%.60s\"; expected fixed, revolute, continuous, prismatic, screw, "
               "universal, revolute2, ball or gearbox",
               e->name, pn_xml_attribute(e->node, "type"));
}

int pn_sdf_is_gearbox(const sdf_entity *e)
{
    const type_row *type = type_of(e);
    return type && strcmp(type->name, "gearbox") == 0;
}

int pn_sdf_is_fixed(const sdf_entity *e)
{
    return type_of(e)->type == PINION_JOINT_FIXED && !pn_sdf_is_gearbox(e);
}

/* ---------------------------------------------------------------------------------------------
 * Axes */

static int read_direction(sdf_reader *r, const sdf_entity *e, const xmlNode *node, axis *out)
{
    const int minor = r->files.at[e->file].minor;
    xmlNode *xyz;
    int of_model = minor < 5, frame = -1;
    double x[3] = {0, 0, 1};
    if (!pn_sdf_child(r, node, "xyz", &xyz) || (xyz && !pn_sdf_numbers(r, xyz, 3, x))) return 0;
    const double length = pn_norm3(x);
    /* what is so short counts as zero for other programs */
    if (!(fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))) >= 1e-6 && isfinite(length)))
        return pn_xml_fail(&r->u, xyz, PINION_ERR_MODEL,
                           "an axis of joint '%.80s' is zero; expected a direction of any length but 0",
                           e->name);
    for (int i = 0; i < 3; i++) out->xyz[i] = x[i] / length;
    if (minor < 7 && !pn_sdf_child_bool(r, node, "use_parent_model_frame", &of_model)) return 0;
    const char *in = xyz ? pn_xml_attribute(xyz, "expressed_in") : NULL;
    if (in && *in) {
        frame = pn_sdf_refer(r, e->scope, e->home, in);
        if (frame < 0)
            return pn_xml_fail(&r->u, xyz, PINION_ERR_MODEL,
                               "expressed_in of joint '%.80s' names '%.80s', which is not there", e->name,
                               in);
    } else if (minor < 7 && of_model) {
        frame = e->home;
    }
    if (frame < 0 || &r->entities.at[frame] == e) return 1;
    pn_rotate(r->entities.at[frame].world.rotation, out->xyz, x);
    pn_rotate_back(e->world.rotation, x, out->xyz);
    return 1;
}

/* The axes that a joint of its type has no use for are to be directions all the same. A second one is told, unless
 * nothing moves at all. */
static int check_spare_axes(sdf_reader *r, const sdf_entity *e, int used)
{
    const xmlNode *second = pn_xml_find(e->node->children, "axis2");
    if (second && used < 2 && type_of(e)->type != PINION_JOINT_FIXED &&
        !pn_sdf_left_out(r, second, "<axis2> of joint '%.80s' is left out: it is %s", e->name, type_of(e)->name))
        return 0;
    for (int i = used; i < 2; i++) {
        const xmlNode *node = pn_xml_find(e->node->children, i ? "axis2" : "axis");
        axis spare;
        if (node && !read_direction(r, e, node, &spare)) return 0;
    }
    return 1;
}

/* One that a model can hold: not negative, and finite. */
static int read_positive(sdf_reader *r, const sdf_entity *e, const xmlNode *node, const char *name,
                         double *out)
{
    if (!pn_sdf_child_numbers(r, node, name, 1, out)) return 0;
    if (*out >= 0 && isfinite(*out)) return 1;
    *out = 0;
    return pn_sdf_left_out(r, node, "<%s> of joint '%.80s' is left out: it is not a number >= 0", name,
                           e->name);
}

static int read_dynamics(sdf_reader *r, const sdf_entity *e, const xmlNode *node, pinion_dof *dof)
{
    xmlNode *dynamics, *limit;
    if (!pn_sdf_child(r, node, "dynamics", &dynamics) || !pn_sdf_child(r, node, "limit", &limit)) return 0;
    if (dynamics) {
        if (!pn_sdf_known(r, dynamics, " damping friction spring_reference spring_stiffness ") ||
            !read_positive(r, e, dynamics, "damping", &dof->damping) ||
            !read_positive(r, e, dynamics, "friction", &dof->friction_positive) ||
            !read_positive(r, e, dynamics, "spring_stiffness", &dof->stiffness) ||
            !pn_sdf_child_numbers(r, dynamics, "spring_reference", 1, &dof->rest))
            return 0;
        dof->friction_negative = dof->friction_positive;
        if (!isfinite(dof->rest))
            return pn_xml_fail(&r->u, dynamics, PINION_ERR_MODEL, "<spring_reference> is infinite");
    }
    if (!limit) return 1;
    double lower = -INFINITY, upper = INFINITY, effort = INFINITY, velocity = INFINITY;
    if (!pn_sdf_known(r, limit, " lower upper effort velocity stiffness dissipation ") ||
        !pn_sdf_child_numbers(r, limit, "lower", 1, &lower) ||
        !pn_sdf_child_numbers(r, limit, "upper", 1, &upper) ||
        !pn_sdf_child_numbers(r, limit, "effort", 1, &effort) ||
        !pn_sdf_child_numbers(r, limit, "velocity", 1, &velocity))
        return 0;
    dof->effort = effort < 0 || effort >= NO_LIMIT ? INFINITY : effort;
    dof->velocity = velocity < 0 || velocity >= NO_LIMIT ? INFINITY : velocity;
    if (lower > upper)
        return pn_xml_warn(
            &r->u, limit,
            "the lower limit of joint '%.80s' is above the upper one: read as no position limits", e->name);
    dof->lower = lower <= -NO_LIMIT ? -INFINITY : lower;
    dof->upper = upper >= NO_LIMIT ? INFINITY : upper;
    if (dof->lower < INFINITY && dof->upper > -INFINITY) return 1;
    return pn_xml_fail(&r->u, limit, PINION_ERR_MODEL,
                       "joint '%.80s' has limits at infinity on the wrong side", e->name);
}

/* <mimic>: multiplier * (q of the leader - reference) + offset. */
static int read_mimic(sdf_reader *r, const sdf_entity *e, const xmlNode *node, int second, axis *out)
{
    xmlNode *mimic;
    const char *joint, *which;
    double reference = 0;
    out->multiplier = 1;
    if (!pn_sdf_child(r, node, "mimic", &mimic)) return 0;
    if (!mimic) return 1;
    if (!pn_xml_string(&r->u, mimic, "joint", &joint) ||
        !pn_sdf_child_numbers(r, mimic, "multiplier", 1, &out->multiplier) ||
        !pn_sdf_child_numbers(r, mimic, "offset", 1, &out->offset) ||
        !pn_sdf_child_numbers(r, mimic, "reference", 1, &reference))
        return 0;
    which = pn_xml_attribute(mimic, "axis");
    const int of_second = which && strcmp(which, "axis2") == 0;
    if (which && !of_second && strcmp(which, "axis") != 0)
        return pn_xml_fail(&r->u, mimic, PINION_ERR_MODEL, "<mimic axis=\"%.40s\">; expected axis or axis2",
                           which);
    const int leader = pn_sdf_refer(r, e->scope, e->home, joint);
    const sdf_entity *l = leader > 0 ? &r->entities.at[leader] : NULL;
    const type_row *type = l && l->kind == SDF_JOINT ? type_of(l) : NULL;
    if (!type || !pn_xml_find(l->node->children, of_second ? "axis2" : "axis") ||
        (l == e && of_second == second))
        return pn_xml_fail(&r->u, mimic, PINION_ERR_MODEL,
                           "joint '%.80s' is to follow '%.80s', which has no such axis", e->name, joint);
    out->offset -= out->multiplier * reference;
    if (type->axes != 1 || second || of_second)
        return pn_sdf_left_out(r, mimic,
                               "that joint '%.80s' follows '%.80s' is left out: only joints with one "
                               "coordinate do",
                               e->name, joint);
    out->mimic = l->name;
    return 1;
}

/* Where a joint starts: what <model_state> of its model says. */
static int read_start(sdf_reader *r, const sdf_entity *e, const char *which, int rotates, axis *out)
{
    const xmlNode *state = r->entities.at[e->home].start;
    const char *own = pn_xml_attribute(e->node, "name");
    for (xmlNode *j = state ? pn_xml_find(state->children, "joint_state") : NULL; j;
         j = pn_xml_find(j->next, "joint_state")) {
        const char *name = pn_xml_attribute(j, "name");
        const xmlNode *at = name && own && strcmp(name, own) == 0 ? pn_xml_find(j->children, which) : NULL;
        double *value[2] = {&out->position, &out->velocity};
        for (int i = 0; at && i < 2; i++) {
            xmlNode *n;
            int degrees = 0;
            if (!pn_sdf_child(r, at, i ? "velocity" : "position", &n)) return 0;
            if (!n) continue;
            if (!pn_sdf_numbers(r, n, 1, value[i]) ||
                !pn_sdf_bool(r, n, pn_xml_attribute(n, "degrees"), &degrees))
                return 0;
            if (degrees && rotates) *value[i] *= 3.14159265358979323846 / 180;
            out->starts = 1;
        }
    }
    return 1;
}

/* The same in files up to 1.6: <initial_position> of the axis. */
static int read_old_start(sdf_reader *r, const sdf_entity *e, const xmlNode *node, axis *out)
{
    double start = 0;
    if (!pn_sdf_child_numbers(r, node, "initial_position", 1, &start)) return 0;
    if (start == 0 || out->starts) return 1;
    if (out->mimic)
        return pn_sdf_left_out(r, node, "<initial_position> of joint '%.80s' is left out: it follows another one",
                               e->name);
    out->position = start;
    out->starts = 1;
    return 1;
}

static int read_axis(sdf_reader *r, const sdf_entity *e, int second, int rotates, axis *out)
{
    const char *name = second ? "axis2" : "axis";
    xmlNode *node;
    *out = (axis){.xyz = {0, 0, 1}, .dof = pinion_joint_def_default().dof[0]};
    if (!pn_sdf_child(r, e->node, name, &node) ||
        !read_start(r, e, second ? "axis2_state" : "axis_state", rotates, out))
        return 0;
    if (!node) return pn_xml_warn(&r->u, e->node, "joint '%.80s' has no <%s>: it is z", e->name, name);
    return pn_sdf_known(r, node, " xyz dynamics limit mimic use_parent_model_frame initial_position ") &&
           read_direction(r, e, node, out) && read_dynamics(r, e, node, &out->dof) &&
           read_mimic(r, e, node, second, out) && read_old_start(r, e, node, out);
}

/* ---------------------------------------------------------------------------------------------
 * Types */

/* m/rad of a screw: what it advances in a turn, or the older number of radians a metre of a left-handed one.
 */
static int read_pitch(sdf_reader *r, const sdf_entity *e, double *out)
{
    const double turn = 2 * 3.14159265358979323846;
    double old = 0, pitch = 1;
    if (!pn_sdf_child_numbers(r, e->node, "screw_thread_pitch", 1, &pitch) ||
        !pn_sdf_child_numbers(r, e->node, "thread_pitch", 1, &old))
        return 0;
    if (pn_xml_find(e->node->children, "screw_thread_pitch") ||
        !pn_xml_find(e->node->children, "thread_pitch"))
        *out = pitch / turn;
    else
        *out = -1 / old;
    return isfinite(*out) || pn_xml_fail(&r->u, e->node, PINION_ERR_MODEL,
                                         "joint '%.80s' has a thread_pitch of 0; expected another", e->name);
}

/* The joint's frame in the two links, and which they are. */
static void place(const sdf_reader *r, const sdf_entity *e, pinion_joint_def *def)
{
    const sdf_entity *parent = &r->entities.at[e->ends[0]], *child = &r->entities.at[e->ends[1]];
    def->name = e->name;
    def->parent = e->ends[0] ? parent->name : "world";
    def->child = e->ends[1] ? child->name : "world";
    def->parent_pose = pn_pose_between(&parent->world, &e->world);
    def->child_pose = pn_pose_between(&child->world, &e->world);
    def->line = pn_xml_line(e->node);
}

static void take_start(pinion_joint_def *def, int at, const axis *a)
{
    if (!a->starts) return;
    def->has_initial = 1;
    def->initial_q[at] = a->position;
    def->initial_v[at] = a->velocity;
}

static int add(sdf_reader *r, const pinion_joint_def *def)
{
    return pinion_builder_add_joint(r->b, def, r->u.err) == PINION_OK;
}

/* Two axes that are not at a right angle: two joints, with a link without mass between them. */
static int add_chain(sdf_reader *r, pinion_joint_def def, const axis a[2])
{
    char *names[3] = {pn_sdf_join(r, def.name, ".0", ""), pn_sdf_join(r, def.name, ".1", ""),
                      pn_sdf_join(r, def.name, ".link", "")};
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def one = def, two = def;
    if (!names[0] || !names[1] || !names[2]) return 0;
    link.name = names[2];
    link.line = def.line;
    one.type = two.type = PINION_JOINT_REVOLUTE;
    one.name = names[0];
    one.child = two.parent = names[2];
    one.child_pose = two.parent_pose = pinion_pose_identity();
    two.name = names[1];
    memcpy(one.axis, a[0].xyz, sizeof one.axis);
    memcpy(two.axis, a[1].xyz, sizeof two.axis);
    one.dof[0] = a[0].dof;
    two.dof[0] = a[1].dof;
    one.has_initial = two.has_initial = 0;
    take_start(&one, 0, &a[0]);
    take_start(&two, 0, &a[1]);
    return pinion_builder_add_link(r->b, &link, r->u.err) == PINION_OK && add(r, &one) && add(r, &two);
}

static int add_universal(sdf_reader *r, pinion_joint_def def, const axis a[2])
{
    double side[3];
    if (fabs(pn_dot3(a[0].xyz, a[1].xyz)) > 1e-9) return add_chain(r, def, a);
    pinion_pose turn = pinion_pose_identity();
    pn_cross3(a[0].xyz, a[1].xyz, side);
    for (int i = 0; i < 3; i++) {
        turn.rotation[3 * i] = a[0].xyz[i];
        turn.rotation[3 * i + 1] = a[1].xyz[i];
        turn.rotation[3 * i + 2] = side[i];
    }
    if (pn_rotation_repair(turn.rotation) < 0) return add_chain(r, def, a);
    def.parent_pose = pn_pose_mul(&def.parent_pose, &turn);
    def.child_pose = pn_pose_mul(&def.child_pose, &turn);
    for (int i = 0; i < 2; i++) {
        def.dof[i] = a[i].dof;
        take_start(&def, i, &a[i]);
    }
    return add(r, &def);
}

/* What solvers need, and one word that says where a loop is to be cut. */
static int read_cut(sdf_reader *r, const sdf_entity *e, int *cut)
{
    xmlNode *physics, *simbody = NULL;
    if (!pn_sdf_child(r, e->node, "physics", &physics)) return 0;
    if (physics && !pn_sdf_child(r, physics, "simbody", &simbody)) return 0;
    return !simbody || pn_sdf_child_bool(r, simbody, "must_be_loop_joint", cut);
}

int pn_sdf_joint(sdf_reader *r, int index)
{
    const sdf_entity *e = &r->entities.at[index];
    const type_row *type = type_of(e);
    pinion_joint_def def = pinion_joint_def_default();
    axis a[2];
    if (!pn_sdf_known(
            r, e->node,
            " parent child gearbox_ratio gearbox_reference_body thread_pitch screw_thread_pitch axis axis2 "
            "physics pose sensor frame ") ||
        !read_cut(r, e, &def.cut) || !check_spare_axes(r, e, type->axes))
        return 0;
    def.type = type->type;
    place(r, e, &def);
    const int rotates = def.type != PINION_JOINT_PRISMATIC, ball = def.type == PINION_JOINT_SPHERICAL;
    if (type->axes > 0 && !read_axis(r, e, 0, rotates, &a[0])) return 0;
    if (type->axes > 1 && !read_axis(r, e, 1, rotates, &a[1])) return 0;
    if (type->axes > 1) return add_universal(r, def, a);
    const xmlNode *given = pn_xml_find(e->node->children, "axis");
    if (ball && given) { /* what damps it damps it in every direction */
        pinion_dof dof = def.dof[0];
        if (!read_dynamics(r, e, given, &dof)) return 0;
        for (int i = 0; i < 3; i++) def.dof[i].damping = dof.damping;
        if ((dof.stiffness != 0 || dof.friction_positive != 0) &&
            !pn_sdf_left_out(r, given, "spring and friction of the ball joint '%.80s' are left out", e->name))
            return 0;
    }
    if (type->axes == 0) return add(r, &def);
    if (def.type == PINION_JOINT_HELICAL && !read_pitch(r, e, &def.pitch)) return 0;
    memcpy(def.axis, a[0].xyz, sizeof def.axis);
    def.dof[0] = a[0].dof;
    if (def.type == PINION_JOINT_CONTINUOUS) {
        def.dof[0].lower = -INFINITY;
        def.dof[0].upper = INFINITY;
    }
    def.mimic = a[0].mimic;
    def.multiplier = a[0].multiplier;
    def.offset = a[0].offset;
    take_start(&def, 0, &a[0]);
    return add(r, &def);
}

/* ---------------------------------------------------------------------------------------------
 * Gearboxes */

/* The joint with one angle about `along` between a reference body and another one, and the sign with which
 * its angle is that of the other one about it; -1 where there is none. */
static int find_hinge(sdf_reader *r, int reference, int body, const double along[3], int *sign)
{
    for (int i = 0; i < r->entities.count; i++) {
        const sdf_entity *e = &r->entities.at[i];
        const type_row *type = e->kind == SDF_JOINT ? type_of(e) : NULL;
        if (!type || (type->type != PINION_JOINT_REVOLUTE && type->type != PINION_JOINT_CONTINUOUS)) continue;
        const int forth = e->ends[0] == reference && e->ends[1] == body,
                  back = e->ends[1] == reference && e->ends[0] == body;
        if (!forth && !back) continue;
        const xmlNode *node = pn_xml_find(e->node->children, "axis");
        axis a = {.xyz = {0, 0, 1}};
        double world[3];
        if (node && !read_direction(r, e, node, &a)) return -2;
        pn_rotate(e->world.rotation, a.xyz, world);
        const double same = pn_dot3(world, along);
        if (fabs(same) < 1 - 1e-9) continue;
        *sign = (same > 0) == forth ? 1 : -1;
        return i;
    }
    return -1;
}

int pn_sdf_gearbox(sdf_reader *r, int index)
{
    const sdf_entity *e = &r->entities.at[index];
    const char *name;
    double ratio = 1;
    axis a[2];
    int joint[2] = {-1, -1}, sign[2] = {1, 1};
    if (!pn_sdf_child_numbers(r, e->node, "gearbox_ratio", 1, &ratio) ||
        !pn_sdf_child_text(r, e->node, "gearbox_reference_body", &name))
        return 0;
    const int frame = *name ? pn_sdf_refer(r, e->scope, e->home, name) : -1;
    for (int i = 0; i < 2; i++) {
        const xmlNode *node = pn_xml_find(e->node->children, i ? "axis2" : "axis");
        a[i] = (axis){.xyz = {0, 0, 1}};
        if (i && !node) a[1] = a[0];
        if (node && !read_direction(r, e, node, &a[i])) return 0;
        double world[3];
        pn_rotate(e->world.rotation, a[i].xyz, world);
        if (frame > 0) joint[i] = find_hinge(r, r->entities.at[frame].body, e->ends[i], world, &sign[i]);
        if (joint[i] == -2) return 0;
    }
    if (joint[0] < 0 || joint[1] < 0 || joint[0] == joint[1] || ratio == 0 || !isfinite(ratio))
        return pn_sdf_left_out(
            r, e->node,
            "the gearbox '%.80s' is left out: expected a ratio and a reference body that is "
            "joined to both of its links by hinges about its axes",
            e->name);
    pinion_constraint_def def = pinion_constraint_def_default();
    def.name = e->name;
    def.kind = PINION_LOOP_GEAR;
    def.first = r->entities.at[joint[0]].name;
    def.second = r->entities.at[joint[1]].name;
    def.ratio = -ratio * sign[0] * sign[1];
    def.line = pn_xml_line(e->node);
    return pinion_builder_add_constraint(r->b, &def, r->u.err) == PINION_OK;
}
