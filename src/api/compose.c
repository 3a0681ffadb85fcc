/* Models made of others: what a model describes goes through a builder again. */
#include "pinion/compose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/describe.h"
#include "model/pose.h"

#define NAME 600 /* longer than a prefix and a name may be: the builder refuses what is too long */

/* What is copied, and what is changed on the way. */
typedef struct copy {
    pinion_builder *b;
    const pinion_model *m;
    const char *prefix;
    const char *locked;  /* [joints] nonzero: fixed; NULL: none are */
    const double *q;     /* where they are */
    const double *p, *R; /* and where the frames are then */
    pinion_error *err;
} copy;

/* A name with the prefix, in one of a few buffers that the caller has. */
static const char *named(const copy *c, const char *name, char out[NAME])
{
    snprintf(out, NAME, "%.290s%.290s", c->prefix, name);
    return out;
}

static const char *link_named(const copy *c, int link, char out[NAME])
{
    pinion_link_info info = {0};
    return pinion_model_link(c->m, link, &info) == PINION_OK ? named(c, info.name, out) : "";
}

static const char *joint_named(const copy *c, int joint, char out[NAME])
{
    pinion_joint_info info = {0};
    return pinion_model_joint(c->m, joint, &info) == PINION_OK ? named(c, info.name, out) : "";
}

static int is_locked(const copy *c, int joint)
{
    return c->locked && joint >= 0 && c->locked[joint];
}

/* The coordinate of a joint that has one. */
static double coordinate(const copy *c, int joint)
{
    pinion_joint_info j = {0};
    if (pinion_model_joint(c->m, joint, &j) != PINION_OK || j.q_source < 0) return 0;
    return j.multiplier * c->q[j.q_source] + j.offset;
}

static pinion_pose pose_of(const copy *c, int link)
{
    pinion_pose out;
    memcpy(out.position, c->p + 3 * (size_t)link, sizeof out.position);
    memcpy(out.rotation, c->R + 9 * (size_t)link, sizeof out.rotation);
    return out;
}

/* ---------------------------------------------------------------------------------------------
 * Links, joints, frames */

static pinion_status add_links(const copy *c)
{
    for (int i = 0; i < pinion_model_link_count(c->m); i++) {
        char name[NAME];
        pinion_link_info info;
        pinion_link_def def = pinion_link_def_default();
        pinion_status s = pinion_model_link(c->m, i, &info);
        if (s != PINION_OK) return s;
        def.name = named(c, info.name, name);
        def.inertia = info.inertia;
        if ((s = pinion_builder_add_link(c->b, &def, c->err)) != PINION_OK) return s;
    }
    return PINION_OK;
}

/* A joint of the tree or of a loop, as it is, or fixed. */
static pinion_status add_joint(const copy *c, const pinion_joint_info *j, int cut, int fixed)
{
    char name[4][NAME];
    pinion_joint_def def = pinion_joint_def_default();
    def.name = named(c, j->name, name[0]);
    def.type = fixed ? PINION_JOINT_FIXED : j->type;
    def.parent = link_named(c, j->parent, name[1]);
    def.child = link_named(c, j->child, name[2]);
    def.parent_pose = j->parent_pose;
    def.child_pose = j->child_pose;
    if (fixed) {
        const pinion_pose parent = pose_of(c, j->parent), child = pose_of(c, j->child);
        def.parent_pose = pn_pose_between(&parent, &child);
        def.child_pose = pinion_pose_identity();
        return pinion_builder_add_joint(c->b, &def, c->err);
    }
    memcpy(def.axis, j->axis, sizeof def.axis);
    def.pitch = j->pitch;
    for (int i = 0; i < j->dof_count; i++) def.dof[i] = j->dof[i];
    if (j->leader >= 0) {
        def.mimic = joint_named(c, j->leader, name[3]);
        def.multiplier = j->multiplier;
        def.offset = j->offset;
    }
    def.has_initial = j->has_initial;
    memcpy(def.initial_q, j->initial_q, sizeof def.initial_q);
    memcpy(def.initial_v, j->initial_v, sizeof def.initial_v);
    def.unactuated = j->unactuated;
    def.cut = cut;
    return pinion_builder_add_joint(c->b, &def, c->err);
}

static pinion_status add_joints(const copy *c)
{
    for (int i = 0; i < pinion_model_joint_count(c->m); i++) {
        pinion_joint_info j;
        pinion_status s = pinion_model_joint(c->m, i, &j);
        if (s == PINION_OK && j.parent >= 0)
            s = add_joint(c, &j, 0, is_locked(c, i));
        if (s != PINION_OK) return s;
    }
    return PINION_OK;
}

static pinion_status add_frames(const copy *c)
{
    for (int i = pinion_model_link_count(c->m); i < pinion_model_frame_count(c->m); i++) {
        char name[2][NAME];
        pinion_frame_info info;
        pinion_frame_def def = pinion_frame_def_default();
        pinion_status s = pinion_model_frame(c->m, i, &info);
        if (s != PINION_OK) return s;
        def.name = named(c, info.name, name[0]);
        def.link = link_named(c, info.link, name[1]);
        def.pose = info.pose;
        if ((s = pinion_builder_add_frame(c->b, &def, c->err)) != PINION_OK) return s;
    }
    for (int i = 0; i < pinion_model_visual_count(c->m); i++) {
        char name[NAME];
        pinion_visual_info info;
        pinion_visual_def def = pinion_visual_def_default();
        pinion_status s = pinion_model_visual(c->m, i, &info);
        if (s != PINION_OK) return s;
        def.link = link_named(c, info.link, name);
        def.shape = info.shape;
        def.pose = info.pose;
        def.mesh = info.mesh;
        memcpy(def.size, info.size, sizeof def.size);
        memcpy(def.rgba, info.rgba, sizeof def.rgba);
        if ((s = pinion_builder_add_visual(c->b, &def, c->err)) != PINION_OK) return s;
    }
    return PINION_OK;
}

/* ---------------------------------------------------------------------------------------------
 * Loops */

/* A gear of which one joint is locked drives the other one: q2 = ratio q1 + law. */
static void drive_by(const copy *c, const pinion_loop_info *loop, pinion_constraint_def *def)
{
    const double ratio = loop->ratio;
    def->kind = PINION_LOOP_DRIVE;
    if (is_locked(c, loop->first)) {
        def->first = def->second;
        def->motion.offset += ratio * coordinate(c, loop->first);
    } else {
        double *x[4] = {&def->motion.offset, &def->motion.rate, &def->motion.acceleration,
                        &def->motion.amplitude};
        def->motion.offset -= coordinate(c, loop->second);
        for (int i = 0; i < 4; i++) *x[i] /= -ratio;
    }
    def->second = NULL;
    def->ratio = 1;
}

/* Joints that are both locked must be where their gear has them. */
static pinion_status check_gear(const copy *c, const pinion_loop_info *loop)
{
    const pinion_motion *law = &loop->motion;
    if (loop->kind != PINION_LOOP_GEAR) return PINION_OK;
    const double one = coordinate(c, loop->first), two = coordinate(c, loop->second),
                 there = loop->ratio * one + law->offset + law->amplitude * sin(law->phase);
    if (fabs(two - there) <= 1e-6 * (1 + fabs(there))) return PINION_OK;
    char name[2][NAME];
    return pn_error_set(c->err, PINION_ERR_MODEL, NULL, 0, 0,
                        "gear '%.80s': joint '%.80s' is locked at %.9g and joint '%.80s' at %.9g, where the gear does "
                        "not have it; expected %.9g",
                        loop->name, joint_named(c, loop->first, name[0]), one, joint_named(c, loop->second, name[1]),
                        two, there);
}

static pinion_status add_constraint(const copy *c, const pinion_loop_info *loop)
{
    char name[5][NAME];
    const int tied = loop->kind == PINION_LOOP_GEAR || loop->kind == PINION_LOOP_DRIVE;
    pinion_constraint_def def = pinion_constraint_def_default();
    def.name = named(c, loop->name, name[0]);
    def.kind = loop->kind;
    def.motion = loop->motion;
    if (tied) {
        const int first = is_locked(c, loop->first),
                  second = loop->second < 0 ? first : is_locked(c, loop->second);
        if (first && second) return check_gear(c, loop); /* nothing is left to tie */
        def.first = joint_named(c, loop->first, name[1]);
        if (loop->second >= 0) def.second = joint_named(c, loop->second, name[2]);
        def.ratio = loop->ratio;
        if (first || second) drive_by(c, loop, &def);
        return pinion_builder_add_constraint(c->b, &def, c->err);
    }
    def.parent = link_named(c, loop->joint.parent, name[3]);
    def.child = link_named(c, loop->joint.child, name[4]);
    def.parent_pose = loop->joint.parent_pose;
    def.child_pose = loop->joint.child_pose;
    def.length = loop->length;
    def.radius = loop->radius;
    def.disk = loop->disk;
    if (loop->kind == PINION_LOOP_SPRING) {
        def.stiffness = loop->joint.dof[0].stiffness;
        def.damping = loop->joint.dof[0].damping;
    }
    return pinion_builder_add_constraint(c->b, &def, c->err);
}

static pinion_status add_loops(const copy *c)
{
    for (int i = 0; i < pinion_model_loop_count(c->m); i++) {
        pinion_loop_info loop;
        pinion_status s = pinion_model_loop(c->m, i, &loop);
        if (s != PINION_OK) return s;
        s = loop.kind == PINION_LOOP_JOINT ? add_joint(c, &loop.joint, 1, 0) : add_constraint(c, &loop);
        if (s != PINION_OK) return s;
    }
    return PINION_OK;
}

/* ---------------------------------------------------------------------------------------------
 * Actuators */

/* One actuator without the joints that are locked. `room`: for as many terms as it has. */
static pinion_status add_actuator(const copy *c, const pinion_actuator_info *info, char (*room)[NAME],
                                  const char **joints, int *dofs, double *weights)
{
    char name[2][NAME];
    pinion_actuator_def def = pinion_actuator_def_default();
    def.name = named(c, info->name, name[0]);
    def.type = info->type;
    def.gear = info->gear;
    def.efficiency = info->efficiency;
    if (pinion_model_actuators_listed(c->m)) { /* an ideal one has the joint's own limits */
        memcpy(def.effort, info->effort, sizeof def.effort);
        def.velocity = info->velocity;
    }
    memcpy(def.wrench, info->wrench, sizeof def.wrench);
    def.dynamics = info->dynamics;
    for (int i = 0; i < info->term_count; i++) {
        pinion_joint_info j;
        const pinion_actuator_term *t = &info->term[i];
        const pinion_status s = pinion_model_joint(c->m, t->joint, &j);
        if (s != PINION_OK) return s;
        if (is_locked(c, t->joint)) continue;
        joints[def.count] = named(c, j.name, room[def.count]);
        dofs[def.count] = t->dof;
        weights[def.count++] = t->weight;
    }
    if (info->type == PINION_ACTUATOR_FRAME) {
        pinion_frame_info frame;
        const pinion_status s = pinion_model_frame(c->m, info->frame, &frame);
        if (s != PINION_OK) return s;
        def.frame = named(c, frame.name, name[1]);
    } else if (def.count == 0) {
        return PINION_OK;
    }
    def.joints = joints;
    def.dofs = dofs;
    def.weights = info->type == PINION_ACTUATOR_SUM ? weights : NULL;
    return pinion_builder_add_actuator(c->b, &def, c->err);
}

/* Those of its list or, where the others are in one, the ideal ones. */
static pinion_status add_actuators(const copy *c)
{
    if (!pinion_model_actuators_listed(c->m) && !c->b->actuators_listed) return PINION_OK;
    pinion_status s = pinion_builder_list_actuators(c->b, 1);
    for (int i = 0; s == PINION_OK && i < pinion_model_actuator_count(c->m); i++) {
        pinion_actuator_info info;
        if ((s = pinion_model_actuator(c->m, i, &info)) != PINION_OK) break;
        const size_t n = (size_t)info.term_count + 1;
        char(*room)[NAME] = malloc(n * sizeof *room);
        const char **joints = malloc(n * sizeof *joints);
        int *dofs = malloc(n * sizeof *dofs);
        double *weights = malloc(n * sizeof *weights);
        s = room && joints && dofs && weights
                ? add_actuator(c, &info, room, joints, dofs, weights)
                : pn_error_set(c->err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        free(room);
        free(joints);
        free(dofs);
        free(weights);
    }
    return s;
}

/* ---------------------------------------------------------------------------------------------
 * Named states and groups */

/* What a state says of a joint, where that is not the initial one: up to two entries. */
static int state_entries(const copy *c, const pinion_joint_info *j, const double *q, const double *v, char name[NAME],
                         pinion_state_entry *out)
{
    int count = 0;
    for (int velocity = 0; velocity < 2; velocity++) {
        const int n = velocity ? j->nv : j->nq;
        const double *value = velocity ? v + j->v_index : q + j->q_index;
        if (memcmp(value, velocity ? j->initial_v : j->initial_q, (size_t)n * sizeof *value) == 0) continue;
        out[count] = (pinion_state_entry){.joint = named(c, j->name, name), .velocity = velocity, .count = n};
        memcpy(out[count++].value, value, (size_t)n * sizeof *value);
    }
    return count;
}

/* Joints that are described and keep their coordinates. */
static int is_kept(const copy *c, int joint, pinion_joint_info *out)
{
    return pinion_model_joint(c->m, joint, out) == PINION_OK && out->parent >= 0 && !is_locked(c, joint);
}

static pinion_status add_state(const copy *c, int index, char (*room)[NAME], pinion_state_entry *entries, double *q)
{
    char name[NAME];
    int count = 0;
    double *v = q + pinion_model_nq(c->m);
    pinion_status s = pinion_model_state(c->m, index, q, v);
    for (int i = 0; s == PINION_OK && i < pinion_model_joint_count(c->m); i++) {
        pinion_joint_info j;
        if (is_kept(c, i, &j) && j.nv > 0) count += state_entries(c, &j, q, v, room[i], entries + count);
    }
    if (s != PINION_OK) return s;
    return pinion_builder_add_state(c->b, named(c, pinion_model_state_name(c->m, index), name), count, entries, 0,
                                    c->err);
}

/* A group of which every joint is locked is gone. */
static pinion_status add_group(const copy *c, int index, char (*room)[NAME], const char **joints)
{
    char name[NAME];
    int count = 0, of = 0;
    const int *list = pinion_model_group(c->m, index, &of);
    for (int i = 0; list && i < of; i++) {
        pinion_joint_info j;
        if (is_kept(c, list[i], &j)) joints[count++] = named(c, j.name, room[list[i]]);
    }
    if (count == 0 && of > 0) return PINION_OK;
    return pinion_builder_add_group(c->b, named(c, pinion_model_group_name(c->m, index), name), count, joints, 0,
                                    c->err);
}

static pinion_status add_sets(const copy *c)
{
    const int states = pinion_model_state_count(c->m), groups = pinion_model_group_count(c->m);
    const size_t joints = (size_t)pinion_model_joint_count(c->m) + 1,
                 numbers = (size_t)(pinion_model_nq(c->m) + pinion_model_nv(c->m)) + 1;
    if (states + groups == 0) return PINION_OK;
    char(*room)[NAME] = malloc(joints * sizeof *room);
    const char **names = malloc(joints * sizeof *names);
    pinion_state_entry *entries = malloc(2 * joints * sizeof *entries);
    double *q = malloc(numbers * sizeof *q);
    pinion_status s = PINION_OK;
    if (!room || !names || !entries || !q)
        s = pn_error_set(c->err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    for (int i = 0; s == PINION_OK && i < states; i++) s = add_state(c, i, room, entries, q);
    for (int i = 0; s == PINION_OK && i < groups; i++) s = add_group(c, i, room, names);
    free(room);
    free(names);
    free(entries);
    free(q);
    return s;
}

/* ---------------------------------------------------------------------------------------------
 * All of it */

static pinion_status add_all(const copy *c)
{
    pinion_status s = PINION_OK;
    if (pinion_model_actuators_listed(c->m)) s = pn_builder_list_ideal(c->b, c->err);
    if (s == PINION_OK) s = add_links(c);
    if (s == PINION_OK) s = add_joints(c);
    if (s == PINION_OK) s = add_loops(c);
    if (s == PINION_OK) s = add_frames(c);
    if (s == PINION_OK) s = add_actuators(c);
    return s == PINION_OK ? add_sets(c) : s;
}

pinion_status pinion_builder_add_model(pinion_builder *b, const pinion_model *m, const char *prefix,
                                       pinion_error *err)
{
    if (!b || !m)
        return pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "no builder, or no model to add to it");
    const copy c = {.b = b, .m = m, .prefix = prefix ? prefix : "", .err = err};
    return add_all(&c);
}

/* The link that the tree hangs on, and whether by a free joint that a load option asked for. */
static int root_link(const pinion_model *m, int *is_free)
{
    int root = 0;
    *is_free = 0;
    for (int i = 0; i < pinion_model_link_count(m); i++) {
        pinion_link_info link;
        if (pinion_model_link(m, i, &link) == PINION_OK && link.joint < 0) root = i;
    }
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info j;
        if (pinion_model_joint(m, i, &j) != PINION_OK || j.parent >= 0) continue;
        root = j.child;
        *is_free = 1;
    }
    return root;
}

/* Builds what was copied as the model it came from: its root, and gravity. */
static pinion_model *build_as(const pinion_model *m, const copy *c)
{
    char name[NAME];
    double gravity[3];
    pinion_load_options options = pinion_load_options_default();
    int is_free;
    const copy plain = {.m = m, .prefix = ""};
    const int root = root_link(m, &is_free);
    pinion_model_gravity(m, gravity);
    if (is_free) options.root = PINION_ROOT_FREE;
    if (pinion_builder_set_gravity(c->b, gravity, c->err) != PINION_OK ||
        pinion_builder_set_root(c->b, link_named(&plain, root, name), c->err) != PINION_OK)
        return NULL;
    return pinion_builder_build(c->b, &options, c->err);
}

static int complain(pinion_error *err, const char *what)
{
    pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s", what);
    return 0;
}

/* Notes which joints are locked; 0 after a complaint. */
static int note_locked(const pinion_model *m, int count, const int *joints, char *locked, pinion_error *err)
{
    for (int i = 0; i < count; i++) {
        pinion_joint_info j;
        if (pinion_model_joint(m, joints[i], &j) != PINION_OK)
            return complain(err, "a joint to lock is not there");
        if (j.parent < 0)
            return complain(err, "the free root cannot be locked; expected a model that is loaded without");
        if (j.leader >= 0)
            return complain(
                err, "a joint that follows another one cannot be locked alone; expected the one it follows");
        locked[joints[i]] = 1;
    }
    for (int i = 0; i < pinion_model_joint_count(m); i++) { /* and with them those that follow */
        pinion_joint_info j;
        if (pinion_model_joint(m, i, &j) == PINION_OK && j.leader >= 0) locked[i] = locked[j.leader];
    }
    return 1;
}

pinion_model *pinion_model_reduce(const pinion_model *m, int count, const int *joints, const double *q,
                                  pinion_error *err)
{
    if (!m || count < 0 || (count > 0 && !joints) || !q) {
        complain(err, "no model, no joints or no configuration to lock them at");
        return NULL;
    }
    const size_t frames = (size_t)pinion_model_frame_count(m);
    char *locked = calloc((size_t)pinion_model_joint_count(m) + 1, 1);
    double *place = malloc(12 * frames * sizeof *place);
    pinion_work *w = pinion_work_new(m);
    copy c = {.b = pinion_builder_new(pinion_model_name(m)),
              .m = m,
              .prefix = "",
              .locked = locked,
              .q = q,
              .p = place,
              .R = place ? place + 3 * frames : NULL,
              .err = err};
    pinion_model *out = NULL;
    if (!locked || !place || !w || !c.b) {
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    } else if (note_locked(m, count, joints, locked, err)) {
        const pinion_status s = pinion_frames(m, w, q, place, place + 3 * frames);
        if (s != PINION_OK)
            pn_error_set(err, s, NULL, 0, 0, "%s", pinion_work_message(w));
        else if (add_all(&c) == PINION_OK)
            out = build_as(m, &c);
    }
    pinion_builder_free(c.b);
    pinion_work_free(w);
    free(place);
    free(locked);
    return out;
}

pinion_model *pinion_model_attach(const pinion_model *m, int frame, const pinion_model *part,
                                  const char *prefix, const pinion_pose *pose, pinion_error *err)
{
    pinion_frame_info at;
    if (!m || !part || pinion_model_frame(m, frame, &at) != PINION_OK) {
        complain(err,
                 m && part ? "the frame to attach to is not there" : "no model, or no part to attach to it");
        return NULL;
    }
    char name[3][NAME], joint[NAME];
    int is_free;
    const int root = root_link(part, &is_free);
    copy c = {.b = pinion_builder_new(pinion_model_name(m)), .m = m, .prefix = "", .err = err}, d = c;
    d.m = part;
    d.prefix = prefix ? prefix : "";
    pinion_joint_def def = pinion_joint_def_default();
    pinion_model *out = NULL;
    if (!c.b) {
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        return NULL;
    }
    def.type = PINION_JOINT_FIXED;
    def.parent = link_named(&c, at.link, name[0]);
    def.child = link_named(&d, root, name[1]);
    snprintf(joint, sizeof joint, "attach:%.590s", def.child);
    def.name = joint;
    def.parent_pose = pose ? pn_pose_mul(&at.pose, pose) : at.pose;
    if (add_all(&c) == PINION_OK && pinion_builder_add_joint(c.b, &def, err) == PINION_OK &&
        add_all(&d) == PINION_OK)
        out = build_as(m, &c);
    pinion_builder_free(c.b);
    return out;
}
