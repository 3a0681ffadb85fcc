/* From the description of an MJCF file to the model: names, links, joints, frames. */
#include "base/curve.h"
#include "base/vec3.h"
#include "io/mjcf/mjcf.h"
#include "io/rotation.h"
#include "model/pose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Names */

/* An index of names: `count` of them, each `stride` bytes behind the one before. NULL when out of memory. */
static mjcf_name *index_names(mjcf_reader *r, const void *first, int count, size_t stride)
{
    mjcf_name *out = malloc(((size_t)count + 1) * sizeof *out);
    if (!out) {
        pn_xml_memory(&r->u);
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        char *name;
        memcpy(&name, (const char *)first + (size_t)i * stride, sizeof name);
        out[i] = (mjcf_name){name, i};
    }
    pn_mjcf_sort_names(out, count);
    return out;
}

int pn_mjcf_check_twice(mjcf_reader *r, const mjcf_name *names, int count, const char *what)
{
    for (int i = 1; i < count && names[i].name; i++) {
        if (strcmp(names[i].name, names[i - 1].name) == 0)
            return pn_xml_fail(&r->u, NULL, PINION_ERR_MODEL,
                               "two %s are called '%.60s'; expected a name of its own each", what,
                               names[i].name);
    }
    return 1;
}

/* Bodies without a name are called after their number, with '_' behind it until no other has the name. */
static int name_bodies(mjcf_reader *r)
{
    mjcf_name *given = index_names(r, &r->bodies.at->name, r->bodies.count, sizeof *r->bodies.at);
    int ok = given && pn_mjcf_check_twice(r, given, r->bodies.count, "bodies");
    for (int i = 0; ok && i < r->bodies.count; i++) {
        if (r->bodies.at[i].name) continue;
        char name[64];
        int length = snprintf(name, sizeof name, "body%d", i);
        while (pn_mjcf_look_up(given, r->bodies.count, name) >= 0 && length < 60)
            length += snprintf(name + length, sizeof name - (size_t)length, "_");
        r->bodies.at[i].name = pn_mjcf_join(r, name, "", "");
        ok = r->bodies.at[i].name != NULL;
    }
    free(given);
    return ok;
}

/* A joint without a name is called after its body, with its number among several. */
static int name_joints(mjcf_reader *r)
{
    for (int i = 0; i < r->bodies.count; i++) {
        const mjcf_body *b = &r->bodies.at[i];
        for (int k = 0; k < b->joint_count; k++) {
            mjcf_joint *j = &r->joints.at[b->joint + k];
            char number[16] = "";
            if (b->joint_count > 1) snprintf(number, sizeof number, ".%d", k);
            if (!j->name && !(j->name = pn_mjcf_join(r, b->name, number, ""))) return 0;
        }
    }
    return 1;
}

int pn_mjcf_names(mjcf_reader *r)
{
    if (!name_bodies(r) || !name_joints(r)) return 0;
    r->body_names = index_names(r, &r->bodies.at->name, r->bodies.count, sizeof *r->bodies.at);
    r->joint_names =
        index_names(r, r->joints.at ? &r->joints.at->name : NULL, r->joints.count, sizeof *r->joints.at);
    r->site_names =
        index_names(r, r->sites.at ? &r->sites.at->name : NULL, r->sites.count, sizeof *r->sites.at);
    return r->body_names && r->joint_names && r->site_names &&
           pn_mjcf_check_twice(r, r->joint_names, r->joints.count, "joints") &&
           pn_mjcf_check_twice(r, r->site_names, r->sites.count, "sites");
}

/* ---------------------------------------------------------------------------------------------
 * Links and joints */

/* The frame of a joint in the link before it: turned or shifted back by `ref`, so that q = ref is as drawn.
 */
static void place_joint(const mjcf_body *b, const mjcf_joint *j, int first, pinion_joint_def *def)
{
    pinion_pose at = pinion_pose_identity(), back = at;
    memcpy(at.position, j->pos, sizeof at.position);
    def->child_pose = at;
    memcpy(def->axis, j->axis, sizeof def->axis);
    if (j->type == PINION_JOINT_PRISMATIC) {
        for (int i = 0; i < 3; i++) back.position[i] = -j->ref * j->axis[i];
    } else if (j->ref != 0) {
        const double s = sin(-j->ref / 2),
                     q[4] = {cos(j->ref / 2), s * j->axis[0], s * j->axis[1], s * j->axis[2]};
        pn_quaternion_matrix(q, back.rotation);
    }
    def->parent_pose = pn_pose_mul(&at, &back);
    if (first) def->parent_pose = pn_pose_mul(&b->pose, &def->parent_pose);
    if (j->ref != 0) {
        def->has_initial = 1;
        def->initial_q[0] = j->ref;
    }
}

static int add_joint(mjcf_reader *r, const mjcf_body *b, int k, const char *parent, const char *child)
{
    const mjcf_joint *j = &r->joints.at[b->joint + k];
    pinion_joint_def def = pinion_joint_def_default();
    def.name = j->name;
    def.type = j->type;
    def.parent = parent;
    def.child = child;
    def.line = pn_xml_line(j->node);
    for (int i = 0; i < 6; i++) def.dof[i] = j->dof;
    for (int i = 3; i < 6; i++) memset(def.dof[i].damping_curve, 0, sizeof def.dof[i].damping_curve);
    if (j->type == PINION_JOINT_FREE) {
        /* its coordinates are those of the world, wherever it is drawn */
        if (b->joint_count > 1)
            return pn_xml_fail(&r->u, j->node, PINION_ERR_MODEL,
                               "a free joint beside others in one body; expected it alone");
        for (int i = 0; i < 6; i++) def.dof[i].rotor_inertia = 0; /* which is the link's: add_link */
        def.has_initial = 1;
        pn_matrix_quaternion(b->pose.rotation, def.initial_q);
        memcpy(def.initial_q + 4, b->pose.position, sizeof b->pose.position);

        /* springs are relaxed where it is drawn */
        const int sprung = j->dof.stiffness != 0 || pn_is_curved(j->dof.stiffness_curve);
        double rest[6];
        pn_quaternion_vector(def.initial_q, rest);
        memcpy(rest + 3, b->pose.position, sizeof b->pose.position);
        for (int i = 0; i < 6 && sprung; i++) def.dof[i].rest = rest[i];
    } else {
        place_joint(b, j, k == 0, &def);
    }
    return pinion_builder_add_joint(r->b, &def, r->u.err) == PINION_OK;
}

static int add_link(mjcf_reader *r, const char *name, const mjcf_body *body, const xmlNode *node)
{
    pinion_link_def def = pinion_link_def_default();
    double added[36] = {0};
    def.name = name;
    def.line = node ? pn_xml_line(node) : 0;
    if (body) {
        def.inertia = body->inertia;
        def.gravity_compensation = body->gravcomp;
    }

    /* The armature of a free joint resists the body's acceleration in the world, the same in all directions, and has no
     * weight. A rotor on our coordinates, which are along the body's axes, would miss omega x v: it is added mass. */
    const mjcf_joint *j = body && body->joint_count == 1 ? &r->joints.at[body->joint] : NULL;
    if (j && j->type == PINION_JOINT_FREE && j->dof.rotor_inertia != 0) {
        for (int i = 0; i < 6; i++) added[7 * i] = j->dof.rotor_inertia;
        def.added_mass = added;
    }
    pinion_drag drag;
    if (body && pn_mjcf_drag(r, body, &drag)) def.drag = &drag;
    return pinion_builder_add_link(r->b, &def, r->u.err) == PINION_OK;
}

/* MuJoCo carries no weight, not even less than none, unless some body's is carried. */
static void drop_negative_gravcomp(mjcf_reader *r)
{
    for (int i = 0; i < r->bodies.count; i++) {
        if (r->bodies.at[i].gravcomp > 0) return;
    }
    for (int i = 0; i < r->bodies.count; i++) r->bodies.at[i].gravcomp = 0;
}

/* Joints that the format does not have in one body. */
static int check_joints(mjcf_reader *r, const mjcf_body *b)
{
    int ball = 0, freedoms = 0;
    for (int k = 0; k < b->joint_count; k++) {
        const mjcf_joint *j = &r->joints.at[b->joint + k];
        if (j->type == PINION_JOINT_FREE) return 1; /* which may be alone */
        freedoms += pinion_joint_type_nv(j->type);
        if (freedoms > 6)
            return pn_xml_fail(&r->u, j->node, PINION_ERR_MODEL,
                               "a body whose joints have more than 6 degrees of freedom; expected at most 6");
        if (ball && j->type != PINION_JOINT_PRISMATIC)
            return pn_xml_fail(&r->u, j->node, PINION_ERR_MODEL,
                               "a joint that turns behind a ball joint of the same body; expected it before");
        ball = ball || j->type == PINION_JOINT_SPHERICAL;
    }
    return 1;
}

/* A body: a chain of its joints, with links without mass between them. */
static int add_body(mjcf_reader *r, int index)
{
    const mjcf_body *b = &r->bodies.at[index];
    const char *parent = r->bodies.at[b->parent].name;
    if (b->joint_count == 0) {
        pinion_joint_def def = pinion_joint_def_default();
        def.name = b->name;
        def.type = PINION_JOINT_FIXED;
        def.parent = parent;
        def.child = b->name;
        def.parent_pose = b->pose;
        def.line = pn_xml_line(b->node);
        char *other = NULL;
        if (pn_mjcf_look_up(r->joint_names, r->joints.count, def.name) >= 0) {
            other = pn_mjcf_join(r, "fixed:", b->name, "");
            if (!other) return 0;
            def.name = other;
        }
        const int ok = add_link(r, b->name, b, b->node) &&
                       pinion_builder_add_joint(r->b, &def, r->u.err) == PINION_OK;
        free(other);
        return ok;
    }
    char *before = NULL;
    int ok = check_joints(r, b);
    for (int k = 0; ok && k < b->joint_count; k++) {
        const int last = k == b->joint_count - 1;
        char number[16], *link = NULL;
        snprintf(number, sizeof number, ".%d", k);
        if (!last) link = pn_mjcf_join(r, b->name, number, "");
        ok = (last || link) && add_link(r, last ? b->name : link, last ? b : NULL, b->node) &&
             add_joint(r, b, k, before ? before : parent, last ? b->name : link);
        free(before);
        before = link;
    }
    free(before);
    return ok;
}

/* A site is a frame of its name, or with "site:" before it where a body or a link has that. */
static int add_site(mjcf_reader *r, const mjcf_site *s)
{
    if (!s->name) return 1;
    pinion_frame_def def = pinion_frame_def_default();
    const int taken = pn_mjcf_look_up(r->body_names, r->bodies.count, s->name) >= 0;
    char *name = pn_mjcf_join(r, taken ? "site:" : "", s->name, "");
    if (!name) return 0;
    def.name = name;
    def.link = r->bodies.at[s->body].name;
    def.pose = s->pose;
    def.line = pn_xml_line(s->node);
    const int ok = pinion_builder_add_frame(r->b, &def, r->u.err) == PINION_OK;
    free(name);
    return ok;
}

static int add_visuals(mjcf_reader *r)
{
    for (int i = 0; i < r->visuals.count; i++) {
        pinion_visual_def def = r->visuals.at[i];
        pinion_error fault = {PINION_OK, 0, 0, ""};
        def.link = r->bodies.at[def.line].name;
        def.line = 0;
        if (pinion_builder_add_visual(r->b, &def, &fault) == PINION_OK) continue;
        pn_xml looks = r->u;
        looks.looks = 1;
        if (!pn_xml_pass_over(&looks, &fault, "this geom is not shown")) return 0;
    }
    return 1;
}

int pn_mjcf_build(mjcf_reader *r)
{
    if (pinion_builder_set_gravity(r->b, r->gravity, r->u.err) != PINION_OK) return 0;
    drop_negative_gravcomp(r);
    if (!pn_mjcf_tell_fluid(r)) return 0;
    if (!add_link(r, "world", NULL, NULL)) return 0;
    for (int i = 1; i < r->bodies.count; i++) {
        if (!add_body(r, i)) return 0;
    }
    for (int i = 0; i < r->sites.count; i++) {
        if (!add_site(r, &r->sites.at[i])) return 0;
    }
    return add_visuals(r);
}
