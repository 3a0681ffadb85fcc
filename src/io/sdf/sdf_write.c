/* The SDF writer: one model, in a world where it says something about that.
 *
 * A link is a link, a joint a joint, and q = 0 is as it is drawn. Links without mass that are fixed to others are
 * frames; the root link, where it has no mass, is the world. What floats is joined to nothing. */
#include "base/curve.h"
#include "io/sdf/sdf_write.h"
#include "model/pose.h"
#include "pinion/actuators.h"
#include "pinion/collision.h"
#include "pinion/elements.h"
#include "pinion/named.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Values */

static void put_text(sdf_writer *w, const char *text)
{
    pn_text_xml(&w->out, text);
}

/* <name>numbers</name> */
void pn_sdf_put_numbers(sdf_writer *w, const char *indent, const char *name, const double *x, int count)
{
    pn_text_add(&w->out, "%s<%s>", indent, name);
    for (int i = 0; i < count; i++) {
        if (i) pn_text_append(&w->out, " ");
        pn_text_number(&w->out, x[i] + 0.0);
    }
    pn_text_add(&w->out, "</%s>\n", name);
}

void pn_sdf_put_pose(sdf_writer *w, const char *indent, const char *relative_to, const pinion_pose *pose)
{
    double q[4];
    if (pn_pose_is_identity(pose) && !relative_to) return;
    pn_matrix_quaternion(pose->rotation, q);
    pn_text_add(&w->out, "%s<pose", indent);
    if (relative_to) {
        pn_text_append(&w->out, " relative_to=\"");
        put_text(w, relative_to);
        pn_text_append(&w->out, "\"");
    }
    pn_text_append(&w->out, " rotation_format=\"quat_xyzw\">");
    const double x[7] = {pose->position[0], pose->position[1], pose->position[2], q[1], q[2], q[3], q[0]};
    for (int i = 0; i < 7; i++) {
        if (i) pn_text_append(&w->out, " ");
        pn_text_number(&w->out, x[i] + 0.0);
    }
    pn_text_append(&w->out, "</pose>\n");
}

/* The link that a massless one is a frame of. */
static int base_of(const sdf_writer *w, int link)
{
    while (w->is_frame[link]) {
        pinion_link_info info;
        pinion_joint_info j;
        if (pinion_model_link(w->m, link, &info) != PINION_OK || pinion_model_joint(w->m, info.joint, &j) != PINION_OK)
            return link;
        link = j.parent;
    }
    return link;
}

/* The label of a link, NULL for the world. */
static const char *label_of(const sdf_writer *w, int link)
{
    return w->ground && base_of(w, link) == w->root ? NULL : w->label[link];
}

/* ---------------------------------------------------------------------------------------------
 * Links */

static void put_shape(sdf_writer *w, const pinion_visual_info *v)
{
    static const char *const names[] = {"box", "sphere", "cylinder", "capsule", "mesh"};
    pn_text_add(&w->out, "          <%s>\n", names[v->shape]);
    if (v->shape == PINION_SHAPE_BOX) pn_sdf_put_numbers(w, "            ", "size", v->size, 3);
    if (v->shape == PINION_SHAPE_MESH) {
        pn_text_append(&w->out, "            <uri>");
        put_text(w, v->mesh);
        pn_text_append(&w->out, "</uri>\n");
        pn_sdf_put_numbers(w, "            ", "scale", v->size, 3);
    } else if (v->shape != PINION_SHAPE_BOX) {
        pn_sdf_put_numbers(w, "            ", "radius", v->size, 1);
        if (v->shape != PINION_SHAPE_SPHERE) pn_sdf_put_numbers(w, "            ", "length", v->size + 1, 1);
    }
    pn_text_add(&w->out, "          </%s>\n", names[v->shape]);
}

/* The visuals of one link: a list through `next`. */
static void put_visuals(sdf_writer *w, int link, int visual, const int *next)
{
    for (int number = 0; visual >= 0; visual = next[visual], number++) {
        pinion_visual_info v;
        if (pinion_model_visual(w->m, visual, &v) != PINION_OK) return;
        const pinion_pose at = pn_pose_mul(&w->world[v.link], &v.pose), pose = pn_pose_between(&w->world[link], &at);
        pn_text_add(&w->out, "      <visual name=\"visual%d\">\n", number);
        pn_sdf_put_pose(w, "        ", NULL, v.link == link ? &v.pose : &pose);
        pn_text_append(&w->out, "        <geometry>\n");
        put_shape(w, &v);
        pn_text_append(&w->out, "        </geometry>\n        <material>\n");
        pn_sdf_put_numbers(w, "          ", "diffuse", v.rgba, 4);
        pn_text_append(&w->out, "        </material>\n      </visual>\n");
    }
}

static int put_inertial(sdf_writer *w, int index, const pinion_link_info *link)
{
    static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    const pinion_inertia *x = &w->inertia[index];
    pinion_pose at = pinion_pose_identity();
    if (pn_inertia_is_none(x))
        return pn_cannot_write(w->l, "link", link->name, "has no mass and is not fixed to another");
    if (!pn_inertia_is_sound(x, 0))
        return pn_cannot_write(w->l, "link", link->name, "has an inertia that no solid body has");
    memcpy(at.position, x->com, sizeof at.position);
    pn_text_append(&w->out, "      <inertial>\n");
    pn_sdf_put_pose(w, "        ", NULL, &at);
    pn_sdf_put_numbers(w, "        ", "mass", &x->mass, 1);
    pn_text_append(&w->out, "        <inertia>\n");
    for (int i = 0; i < 6; i++) pn_sdf_put_numbers(w, "          ", names[i], &x->inertia[i], 1);
    pn_text_append(&w->out, "        </inertia>\n      </inertial>\n");
    return 1;
}

static int put_link(sdf_writer *w, int index, int visual, const int *next)
{
    pinion_link_info link;
    pinion_joint_info j;
    if (pinion_model_link(w->m, index, &link) != PINION_OK) return 0;
    pn_text_append(&w->out, "    <link name=\"");
    put_text(w, w->label[index]);
    pn_text_append(&w->out, "\">\n");

    /* where it is drawn: on the link before it, or in the world */
    const char *from = NULL;
    pinion_pose pose = w->world[index];
    if (link.joint >= 0 && pinion_model_joint(w->m, link.joint, &j) == PINION_OK && j.type != PINION_JOINT_FREE) {
        const pinion_pose back = pn_pose_inverse(&j.child_pose);
        from = label_of(w, j.parent);
        if (from) pose = pn_pose_mul(&j.parent_pose, &back);
    }
    pn_sdf_put_pose(w, "      ", from, &pose);
    if (link.gravity_compensation == 1)
        pn_text_append(&w->out, "      <gravity>false</gravity>\n");
    else if (link.gravity_compensation != 0 &&
             !pn_lose(w->l, 1, "link", link.name, "that a part of its weight is carried is left out"))
        return 0;
    if (link.added_mass && !pn_lose(w->l, 1, "link", link.name, "its added mass is left out")) return 0;
    if (link.drag && !pn_lose(w->l, 1, "link", link.name, "its drag is left out")) return 0;
    if (!put_inertial(w, index, &link)) return 0;
    put_visuals(w, index, visual, next);
    int number = 0;
    for (int i = w->touch[index]; i >= 0; i = w->next_touch[i])
        if (!pn_sdf_put_collisions(w, index, link.name, i, &number)) return 0;
    pn_text_append(&w->out, "    </link>\n");
    return 1;
}

/* All links that are such, with the looks of what is a frame on them. */
static int put_links(sdf_writer *w)
{
    const int visuals = pinion_model_visual_count(w->m);
    int *first = malloc(((size_t)w->links + (size_t)visuals + 1) * sizeof *first), ok = first != NULL, some = 0;
    int *next = first ? first + w->links : NULL;
    for (int i = 0; ok && i < w->links; i++) first[i] = -1;
    for (int i = visuals - 1; ok && i >= 0; i--) {
        pinion_visual_info v;
        ok = pinion_model_visual(w->m, i, &v) == PINION_OK;
        if (!ok) break;
        const int base = base_of(w, v.link);
        next[i] = first[base];
        first[base] = i;
        if (base == w->root && w->ground)
            ok = pn_lose(w->l, 0, "link", w->label[v.link] ? w->label[v.link] : "world", "it is not drawn");
    }
    for (int i = w->links - 1; ok && i >= 0; i--) { /* parents have lower numbers: theirs come first */
        const int base = base_of(w, i);
        int at = 0;
        if (!pinion_model_link_collisions(w->m, i, &at)) continue;
        w->next_touch[i] = w->touch[base];
        w->touch[base] = i;
    }
    for (int i = 0; ok && i < w->links; i++) {
        if (w->is_frame[i] || (i == w->root && w->ground)) continue;
        ok = put_link(w, i, first[i], next);
        some = 1;
    }
    free(first);
    return ok && (some || pn_cannot_write(w->l, "model", pinion_model_name(w->m), "has no link with mass"));
}

/* ---------------------------------------------------------------------------------------------
 * Joints */

/* Limits, damping, friction and spring of one degree of freedom. */
static int put_axis(sdf_writer *w, const pinion_joint_info *j, const char *name, const double axis[3],
                    const pinion_dof *d)
{
    const struct {
        const char *name;
        double value;
        int given;
    } limit[] = {{"lower", d->lower, isfinite(d->lower)},
                 {"upper", d->upper, isfinite(d->upper)},
                 {"effort", d->effort, isfinite(d->effort)},
                 {"velocity", d->velocity, isfinite(d->velocity)}},
      force[] = {{"damping", d->damping, d->damping != 0},
                 {"friction", (d->friction_positive + d->friction_negative) / 2,
                  d->friction_positive != 0 || d->friction_negative != 0},
                 {"spring_reference", d->rest, d->stiffness != 0},
                 {"spring_stiffness", d->stiffness, d->stiffness != 0}};
    if (d->friction_positive != d->friction_negative &&
        !pn_lose(w->l, 1, "joint", j->name, "its friction is the mean of its two directions"))
        return 0;
    if (d->rotor_inertia * d->gear_ratio != 0 && !pn_lose(w->l, 1, "joint", j->name, "its rotor is left out")) return 0;
    if ((pn_is_curved(d->damping_curve) || pn_is_curved(d->stiffness_curve)) &&
        !pn_lose(w->l, 1, "joint", j->name, "the curves of its spring and damping are left out"))
        return 0;
    pn_text_add(&w->out, "      <%s>\n", name);
    pn_sdf_put_numbers(w, "        ", "xyz", axis, 3);
    if (j->leader >= 0) {
        const double numbers[3] = {j->multiplier, j->offset, 0};
        pn_text_append(&w->out, "        <mimic joint=\"");
        put_text(w, w->label[w->frames + j->leader]);
        pn_text_append(&w->out, "\">\n");
        pn_sdf_put_numbers(w, "          ", "multiplier", &numbers[0], 1);
        pn_sdf_put_numbers(w, "          ", "offset", &numbers[1], 1);
        pn_sdf_put_numbers(w, "          ", "reference", &numbers[2], 1);
        pn_text_append(&w->out, "        </mimic>\n");
    }
    pn_text_append(&w->out, "        <limit>\n");
    for (int i = j->type == PINION_JOINT_CONTINUOUS ? 2 : 0; i < 4; i++)
        if (limit[i].given) pn_sdf_put_numbers(w, "          ", limit[i].name, &limit[i].value, 1);
    pn_text_append(&w->out, "        </limit>\n        <dynamics>\n");
    for (int i = 0; i < 4; i++)
        if (force[i].given) pn_sdf_put_numbers(w, "          ", force[i].name, &force[i].value, 1);
    pn_text_add(&w->out, "        </dynamics>\n      </%s>\n", name);
    return 1;
}

/* What the format has no words for in a joint of several coordinates: all but `damping`. */
static int check_many(sdf_writer *w, const pinion_joint_info *j, double damping)
{
    int plain = 1, springs = 0, curves = 0;
    for (int i = 0; i < j->dof_count; i++) {
        const pinion_dof *d = &j->dof[i];
        springs += d->stiffness != 0 || pn_is_curved(d->stiffness_curve);
        curves += pn_is_curved(d->damping_curve);
        plain = plain && d->damping == damping && d->friction_positive == 0 && d->friction_negative == 0 &&
                d->rotor_inertia * d->gear_ratio == 0;
    }
    if (springs && !pn_lose(w->l, 1, "joint", j->name, "its spring is left out")) return 0;
    if (curves && !pn_lose(w->l, 1, "joint", j->name, "the curve of its damping is left out")) return 0;
    return plain || pn_lose(w->l, 1, "joint", j->name, damping != 0 ? "its friction and rotors are left out"
                                                         : "its damping, friction and rotors are left out");
}

/* A ball joint is damped alike in every direction, or not at all. */
static int put_ball(sdf_writer *w, const pinion_joint_info *j)
{
    const double damping = j->dof[0].damping;
    const int alike = damping == j->dof[1].damping && damping == j->dof[2].damping;
    if (!check_many(w, j, alike ? damping : 0)) return 0;
    if (!alike || damping == 0) return 1;
    pn_text_append(&w->out, "      <axis>\n        <dynamics>\n");
    pn_sdf_put_numbers(w, "          ", "damping", &damping, 1);
    pn_text_append(&w->out, "        </dynamics>\n      </axis>\n");
    return 1;
}

static int put_joint(sdf_writer *w, const pinion_joint_info *j, int label)
{
    static const char *const types[PINION_JOINT_TYPE_COUNT] = {
        [PINION_JOINT_FIXED] = "fixed",         [PINION_JOINT_REVOLUTE] = "revolute",
        [PINION_JOINT_CONTINUOUS] = "continuous", [PINION_JOINT_PRISMATIC] = "prismatic",
        [PINION_JOINT_HELICAL] = "screw",       [PINION_JOINT_UNIVERSAL] = "universal",
        [PINION_JOINT_SPHERICAL] = "ball"};
    static const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    const double turn = 2 * 3.14159265358979323846 * j->pitch;
    if (!types[j->type]) {
        char why[40];
        snprintf(why, sizeof why, "is %s", pinion_joint_type_name(j->type));
        return pn_cannot_write(w->l, "joint", j->name, why);
    }
    const char *parent = label_of(w, j->parent);
    pn_text_append(&w->out, "    <joint name=\"");
    put_text(w, w->label[label]);
    pn_text_add(&w->out, "\" type=\"%s\">\n", types[j->type]);
    pn_sdf_put_pose(w, "      ", NULL, &j->child_pose);
    pn_text_append(&w->out, "      <parent>");
    put_text(w, parent ? parent : "world");
    pn_text_append(&w->out, "</parent>\n      <child>");
    put_text(w, w->label[j->child]);
    pn_text_append(&w->out, "</child>\n");
    int ok = 1;
    if (j->type == PINION_JOINT_HELICAL) pn_sdf_put_numbers(w, "      ", "screw_thread_pitch", &turn, 1);
    if (j->dof_count == 1) ok = put_axis(w, j, "axis", j->axis, &j->dof[0]);
    if (j->type == PINION_JOINT_UNIVERSAL)
        ok = put_axis(w, j, "axis", x, &j->dof[0]) && put_axis(w, j, "axis2", y, &j->dof[1]);
    if (j->type == PINION_JOINT_SPHERICAL) ok = put_ball(w, j);
    pn_text_append(&w->out, "    </joint>\n");
    return ok;
}

static int put_joints(sdf_writer *w)
{
    if (!w->ground) {
        pinion_link_info root;
        if (pinion_model_link(w->m, w->root, &root) != PINION_OK) return 0;
        if (root.joint < 0) {
            char name[40] = "fixed_to_world";
            for (int i = 1; pn_sdf_is_label(w, name); i++) snprintf(name, sizeof name, "fixed_to_world%d", i);
            pn_text_add(&w->out, "    <joint name=\"%s\" type=\"fixed\">\n      <parent>world</parent>\n      <child>",
                        name);
            put_text(w, w->label[w->root]);
            pn_text_append(&w->out, "</child>\n    </joint>\n");
        }
    }
    for (int i = 0; i < w->joints; i++) {
        pinion_joint_info j;
        if (pinion_model_joint(w->m, i, &j) != PINION_OK) return 0;
        const int frame = j.type == PINION_JOINT_FIXED && w->is_frame[j.child];
        if (frame && !pn_lose(w->l, 0, "joint", j.name, "it is not named: what it fixes is a frame")) return 0;
        if (j.type == PINION_JOINT_FREE) {
            if (j.parent >= 0 && (w->floats || j.parent != w->root))
                return pn_cannot_write(w->l, "joint", j.name, "is free and not in the world");
            if (!pn_pose_is_identity(&j.child_pose) || !pn_pose_is_identity(&j.parent_pose))
                if (!pn_lose(w->l, 1, "joint", j.name, "its coordinates are those of its link in the world")) return 0;
            if (!check_many(w, &j, 0)) return 0;
        } else if (!frame && !put_joint(w, &j, w->frames + i)) {
            return 0;
        }
        if (j.unactuated && !pn_lose(w->l, 0, "joint", j.name, "that it has no motor is left out")) return 0;
        if (j.has_initial && j.type != PINION_JOINT_FREE &&
            !pn_lose(w->l, 0, "joint", j.name, "how it starts is left out"))
            return 0;
    }
    return 1;
}

/* A joint seen from its other end: its coordinate stays, about the opposite axis. */
static void turn(pinion_joint_info *j)
{
    const pinion_pose pose = j->parent_pose;
    const int link = j->parent;
    j->parent_pose = j->child_pose;
    j->parent = j->child;
    j->child_pose = pose;
    j->child = link;
    for (int i = 0; i < 3; i++) j->axis[i] = -j->axis[i];
}

/* Joints that close loops, where they are closed as drawn. */
static int put_loops(sdf_writer *w)
{
    for (int i = 0; i < w->loops; i++) {
        pinion_loop_info l;
        if (pinion_model_loop(w->m, i, &l) != PINION_OK) return 0;
        int open = l.kind != PINION_LOOP_JOINT ||
                   (l.joint.type == PINION_JOINT_UNIVERSAL && !label_of(w, l.joint.child)); /* its axes have an order */
        if (!open) {
            const pinion_pose a = pn_pose_mul(&w->world[l.joint.parent], &l.joint.parent_pose),
                              b = pn_pose_mul(&w->world[l.joint.child], &l.joint.child_pose),
                              off = pn_pose_between(&a, &b), none = pinion_pose_identity();
            for (int k = 0; k < 3; k++) open = open || fabs(off.position[k]) > 1e-12;
            for (int k = 0; k < 9; k++) open = open || fabs(off.rotation[k] - none.rotation[k]) > 1e-12;
        }
        if (open) {
            if (!pn_lose(w->l, 1, l.kind == PINION_LOOP_JOINT ? "loop joint" : "constraint", l.name,
                         l.kind == PINION_LOOP_JOINT ? "it is left out: it is not closed as drawn" : "it is left out"))
                return 0;
        } else {
            if (!label_of(w, l.joint.child)) turn(&l.joint); /* the world is no child */
            if (!label_of(w, l.joint.child)) continue;       /* both ends are in it */
            if (!put_joint(w, &l.joint, w->frames + w->joints + i)) return 0;
        }
    }
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Frames, and all of it */

/* Those on the world (`ground`) or on links, with the links that are frames. */
static int put_frames(sdf_writer *w, int ground)
{
    for (int i = 0; i < w->frames; i++) {
        pinion_frame_info f;
        if (pinion_model_frame(w->m, i, &f) != PINION_OK) return 0;
        if (i < w->links && !w->is_frame[i]) continue;
        pinion_pose pose = f.pose;
        int on = f.link;
        if (i < w->links) {
            on = base_of(w, i);
            pose = pn_pose_between(&w->world[on], &w->world[i]);
        } else if (w->is_frame[on]) {
            on = base_of(w, on);
            const pinion_pose at = pn_pose_mul(&w->world[f.link], &f.pose);
            pose = pn_pose_between(&w->world[on], &at);
        }
        if ((on == w->root && w->ground) != ground) continue;
        pn_text_append(&w->out, "    <frame name=\"");
        put_text(w, w->label[i]);
        if (!ground) {
            pn_text_append(&w->out, "\" attached_to=\"");
            put_text(w, w->label[on]);
        }
        pn_text_append(&w->out, "\">\n");
        pn_sdf_put_pose(w, "      ", NULL, &pose);
        pn_text_append(&w->out, "    </frame>\n");
    }
    return 1;
}

/* What has no place at all. */
static int lose_rest(sdf_writer *w)
{
    pinion_actuator_info a;
    pinion_tendon_info t;
    for (int i = 0; pinion_model_actuators_listed(w->m) && i < pinion_model_actuator_count(w->m); i++)
        if (pinion_model_actuator(w->m, i, &a) != PINION_OK || !pn_lose(w->l, 1, "actuator", a.name, "it is left out"))
            return 0;
    for (int i = 0; i < pinion_model_tendon_count(w->m); i++)
        if (pinion_model_tendon(w->m, i, &t) != PINION_OK || !pn_lose(w->l, 1, "tendon", t.name, "it is left out"))
            return 0;
    const int pairs = pinion_model_collision_pair_count(w->m) + pinion_model_exclusion_count(w->m);
    if (pairs && !pn_lose(w->l, 0, "model", pinion_model_name(w->m), "which collisions exclude each other is left out"))
        return 0;
    for (int i = 0; i < w->links; i++) {
        int first = 0;
        if (!w->ground || base_of(w, i) != w->root || !pinion_model_link_collisions(w->m, i, &first)) continue;
        if (!pn_lose(w->l, 0, "link", w->label[i] ? w->label[i] : "world", "its collisions are left out")) return 0;
    }
    for (int i = 0; i < pinion_model_state_count(w->m); i++)
        if (!pn_lose(w->l, 0, "state", pinion_model_state_name(w->m, i), "it is left out")) return 0;
    for (int i = 0; i < pinion_model_group_count(w->m); i++)
        if (!pn_lose(w->l, 0, "group", pinion_model_group_name(w->m, i), "it is left out")) return 0;
    return 1;
}

/* Whether a frame stands in the world, which only a world has a place for. */
static int has_ground_frames(const sdf_writer *w)
{
    for (int i = 0; i < w->frames && w->ground; i++) {
        pinion_frame_info f;
        if (pinion_model_frame(w->m, i, &f) != PINION_OK || (i < w->links && !w->is_frame[i])) continue;
        if (base_of(w, i < w->links ? i : f.link) == w->root) return 1;
    }
    return 0;
}

/* The version that has all the words: mimic and screws came late. */
static const char *version_of(const sdf_writer *w)
{
    for (int i = 0; i < w->joints; i++) {
        pinion_joint_info j;
        if (pinion_model_joint(w->m, i, &j) == PINION_OK && (j.leader >= 0 || j.type == PINION_JOINT_HELICAL))
            return "1.11";
    }
    return "1.9";
}

static int put_all(sdf_writer *w)
{
    const double usual[3] = {0, 0, -9.81};
    double gravity[3];
    char model[SDF_WRITE_NAME];
    pinion_model_gravity(w->m, gravity);
    const int world = memcmp(gravity, usual, sizeof usual) != 0 || has_ground_frames(w);
    pn_sdf_tidy("", *pinion_model_name(w->m) ? pinion_model_name(w->m) : "model", model);
    for (int i = 2; world && pn_sdf_is_label(w, model); i++) snprintf(model, sizeof model, "model%d", i);
    pn_text_add(&w->out, "<?xml version=\"1.0\"?>\n<sdf version=\"%s\">\n", version_of(w));
    if (world) {
        pn_text_append(&w->out, "  <world name=\"default\">\n");
        pn_sdf_put_numbers(w, "    ", "gravity", gravity, 3);
    }
    pn_text_append(&w->out, "  <model name=\"");
    put_text(w, model);
    pn_text_append(&w->out, "\">\n");
    if (!pn_sdf_put_self_collide(w)) return 0;
    if (!put_links(w) || !put_joints(w) || !put_loops(w) || !put_frames(w, 0) || !lose_rest(w)) return 0;
    pn_text_append(&w->out, "  </model>\n");
    if (world && !put_frames(w, 1)) return 0;
    if (world) pn_text_append(&w->out, "  </world>\n");
    pn_text_append(&w->out, "</sdf>\n");
    return 1;
}

/* Links as they are drawn, and which are frames. */
static int prepare(sdf_writer *w)
{
    w->links = pinion_model_link_count(w->m);
    w->joints = pinion_model_joint_count(w->m);
    w->loops = pinion_model_loop_count(w->m);
    w->frames = pinion_model_frame_count(w->m);
    const size_t names = (size_t)w->frames + (size_t)w->joints + (size_t)w->loops;
    for (w->room = 16; w->room < 2 * names;) w->room *= 2;
    w->label = calloc(names + 1, sizeof *w->label);
    w->table = calloc(w->room, sizeof *w->table);
    w->is_frame = calloc((size_t)w->links + 1, 1);
    w->world = malloc(((size_t)w->links + 1) * sizeof *w->world);
    w->inertia = calloc((size_t)w->links + 1, sizeof *w->inertia);
    w->touch = malloc((2 * (size_t)w->links + 1) * sizeof *w->touch);
    if (!w->label || !w->table || !w->is_frame || !w->world || !w->inertia || !w->touch) return 0;
    w->next_touch = w->touch + w->links;
    for (int i = 0; i < w->links; i++) w->touch[i] = -1;
    if (!pn_lump_inertias(w->m, w->l, 0, 1, w->inertia)) return 0;
    for (int i = 0; i < w->links; i++) {
        pinion_link_info link;
        pinion_joint_info j;
        if (pinion_model_link(w->m, i, &link) != PINION_OK) return 0;
        w->world[i] = pinion_pose_identity();
        if (link.joint < 0) {
            w->root = i;
            w->ground = pn_inertia_is_none(&w->inertia[i]);
            continue;
        }
        if (pinion_model_joint(w->m, link.joint, &j) != PINION_OK) return 0;
        w->is_frame[i] = j.type == PINION_JOINT_FIXED && pn_inertia_is_none(&w->inertia[i]);
        pinion_pose at = j.parent_pose;
        if (j.type == PINION_JOINT_FREE) {
            pinion_pose start;
            pn_quaternion_matrix(j.initial_q, start.rotation);
            memcpy(start.position, j.initial_q + 4, sizeof start.position);
            at = pn_pose_mul(&at, &start);
        }
        const pinion_pose back = pn_pose_inverse(&j.child_pose), moved = pn_pose_mul(&at, &back);
        w->world[i] = j.parent < 0 ? moved : pn_pose_mul(&w->world[j.parent], &moved);
        if (j.parent < 0) w->root = i, w->floats = 1;
    }
    return pn_sdf_add_labels(w);
}

char *pn_sdf_write(const pinion_model *m, pn_losses *l)
{
    sdf_writer w = {.m = m, .l = l};
    pinion_error *err = l->err;
    err->status = PINION_OK;
    char *text = NULL;
    if (prepare(&w) && put_all(&w))
        text = pn_text_take(&w.out);
    else
        pn_text_free(&w.out);
    if (!text && err->status == PINION_OK) pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    for (int i = 0; w.label && i < w.frames + w.joints + w.loops; i++) free(w.label[i]);
    free(w.label);
    free(w.table);
    free(w.is_frame);
    free(w.world);
    free(w.inertia);
    free(w.touch);
    return text;
}
