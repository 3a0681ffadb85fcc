/* The description into the block: records, names in alphabetical order, strings. */
#include <math.h>
#include <string.h>

#include "model/compile/compile_model.h"

/* Strings and degrees of freedom go one after the other from model->name on. */
typedef struct pn_cursor {
    pinion_model *m;
    const pinion_builder *b;
    pn_offset at;
} pn_cursor;

static size_t string_size(const pinion_builder *b, size_t string)
{
    return strlen(pn_builder_text(b, string)) + 1;
}

size_t pn_description_size(const pn_plan *plan)
{
    const pinion_builder *b = plan->b;
    size_t bytes = b->dofs.count * sizeof(pinion_dof) + 6 * sizeof(pinion_dof) + sizeof "root";
    bytes += string_size(b, b->name) + plan->warnings.count;
    for (int i = 0; i < plan->modes; i++) bytes += strlen(plan->mode_names + i * (PN_MAX_NAME + 1)) + 1;
    for (size_t i = 0; i < b->links.count; i++)
        bytes += string_size(b, PN_ITEM(&b->links, pn_described_link, i)->name);
    for (size_t i = 0; i < b->joints.count; i++)
        bytes += string_size(b, PN_ITEM(&b->joints, pn_described_joint, i)->name);
    for (size_t i = 0; i < b->loops.count; i++)
        bytes += string_size(b, PN_ITEM(&b->loops, pn_described_loop, i)->joint.name);
    for (size_t i = 0; i < b->frames.count; i++)
        bytes += string_size(b, PN_ITEM(&b->frames, pn_described_frame, i)->name);
    for (size_t i = 0; i < b->visuals.count; i++)
        bytes += string_size(b, PN_ITEM(&b->visuals, pn_described_visual, i)->mesh);
    for (size_t i = 0; i < b->collisions.count; i++) {
        const pn_described_collision *collision = PN_ITEM(&b->collisions, pn_described_collision, i);
        bytes += string_size(b, collision->name) + string_size(b, collision->mesh);
    }
    for (size_t i = 0; i < b->actuators.count; i++)
        bytes += string_size(b, PN_ITEM(&b->actuators, pn_described_actuator, i)->name);
    for (size_t i = 0; i < b->states.count; i++)
        bytes += string_size(b, PN_ITEM(&b->states, pn_described_set, i)->name);
    for (size_t i = 0; i < b->groups.count; i++)
        bytes += string_size(b, PN_ITEM(&b->groups, pn_described_set, i)->name);
    for (size_t i = 0; i < b->tendons.count; i++)
        bytes += string_size(b, PN_ITEM(&b->tendons, pn_described_tendon, i)->name);
    for (int i = 0; i < plan->actuators && !b->actuators_listed; i++)
        bytes += string_size(b, pn_plan_joint(plan, plan->term_joint[i])->name) + 2;
    return bytes;
}

static pn_offset put(pn_cursor *to, const void *data, size_t bytes)
{
    pn_offset start = to->at;
    memcpy(PN_AT(to->m, char, start), data, bytes);
    to->at += (pn_offset)bytes;
    return start;
}

static pn_offset put_string(pn_cursor *to, size_t string)
{
    return put(to, pn_builder_text(to->b, string), string_size(to->b, string));
}

/* What a joint of the tree and one of a loop have in common. Degrees of freedom were put before any string,
 * so that they are aligned. */
static void put_joint(pn_cursor *to, pn_joint_record *record, const pn_described_joint *joint, pn_offset dofs)
{
    record->name = put_string(to, joint->name);
    record->type = joint->type;
    record->dof = dofs + (pn_offset)(joint->dof * sizeof(pinion_dof));
    record->dof_count = pinion_joint_type_nv(joint->type);
    record->leader = -1;
    record->multiplier = 1;
    record->parent_pose = joint->parent_pose;
    record->child_pose = joint->child_pose;
    memcpy(record->axis, joint->axis, sizeof record->axis);
    record->pitch = joint->pitch;
    record->has_initial = joint->has_initial;
    memcpy(record->initial_q, joint->initial_q, sizeof record->initial_q);
    memcpy(record->initial_v, joint->initial_v, sizeof record->initial_v);
    record->unactuated = joint->unactuated;
}

/* The free joint of a free base; its degrees of freedom come after all described ones. */
static void put_root(pn_cursor *to, pn_joint_record *record, pn_offset dofs)
{
    record->name = put(to, "root", sizeof "root");
    record->type = PINION_JOINT_FREE;
    record->dof = dofs + (pn_offset)(to->b->dofs.count * sizeof(pinion_dof));
    record->dof_count = 6;
    record->leader = -1;
    record->multiplier = 1;
    record->parent_pose = record->child_pose = pinion_pose_identity();
    record->axis[2] = 1;
    pn_type_neutral(PINION_JOINT_FREE, record->initial_q);
}

static void put_joints(pn_cursor *to, const pn_plan *plan, pn_offset dofs)
{
    pinion_model *m = to->m;
    int *body_joint = PN_AT(m, int, m->body_joint);
    int q = 0, v = 0;
    body_joint[0] = -1;
    for (int i = 0; i < plan->joints; i++) {
        pn_joint_record *record = PN_AT(m, pn_joint_record, m->joint) + i;
        const pn_described_joint *described = pn_plan_joint(plan, i);
        if (described) {
            put_joint(to, record, described, dofs);
        } else {
            put_root(to, record, dofs);
        }
        record->reversed = described && plan->joint_turned[plan->joint_source[i]];
        record->parent = plan->joint_parent[i];
        record->child = pn_plan_child(plan, i);
        record->body = plan->joint_body[i];
        const int carrier = record->parent < 0 ? 0 : plan->link_body[record->parent];
        if (record->type != PINION_JOINT_FIXED || record->body != carrier)
            body_joint[record->body] = i;

        /* coordinates of its own, or those of its leader */
        record->leader = plan->joint_leader[i];
        record->multiplier = plan->multiplier[i];
        record->offset = plan->offset[i];
        if (record->leader < 0) {
            record->nq = pinion_joint_type_nq(record->type);
            record->nv = pinion_joint_type_nv(record->type);
        }
        record->q_index = record->nq ? q : -1;
        record->v_index = record->nv ? v : -1;
        q += record->nq;
        v += record->nv;
    }
}

/* Modes of elastic links, behind all other joints; they have the degree of freedom of a free base, without limits. */
static void put_modes(pn_cursor *to, const pn_plan *plan, pn_offset dofs)
{
    pinion_model *m = to->m;
    const char *name = plan->mode_names;
    int joint = plan->joints, q = m->n.nq - plan->modes, v = m->n.nv - plan->modes;
    for (int i = 0; i < plan->elastics; i++) {
        const pn_modes *modes = &plan->elastic[i];
        for (int k = 0; k < modes->count; k++, joint++, name += PN_MAX_NAME + 1) {
            pn_joint_record *record = PN_AT(m, pn_joint_record, m->joint) + joint;
            record->name = put(to, name, strlen(name) + 1);
            record->type = PINION_JOINT_MODE;
            record->dof = dofs + (pn_offset)(to->b->dofs.count * sizeof(pinion_dof));
            record->dof_count = 1;
            record->leader = -1;
            record->multiplier = 1;
            record->parent_pose = record->child_pose = pinion_pose_identity();
            record->axis[2] = 1;
            record->parent = record->child = plan->elastic_link[i];
            record->body = plan->link_body[plan->elastic_link[i]];
            record->nq = record->nv = 1;
            record->q_index = q++;
            record->v_index = v++;
            record->has_initial = modes->def.initial_q || modes->def.initial_v;
            if (modes->def.initial_q) record->initial_q[0] = modes->def.initial_q[k];
            if (modes->def.initial_v) record->initial_v[0] = modes->def.initial_v[k];
            record->unactuated = 1;
        }
    }
}

/* Loops. Their joint.q_index and v_index are among the coordinates of all loop joints; joint.nq and nv stay
 * 0, since the model's q and v have no place for them. */
static void put_loops(pn_cursor *to, const pn_plan *plan, pn_offset dofs)
{
    pinion_model *m = to->m;
    int row = 0, q = 0, v = 0;
    for (int i = 0; i < plan->loops; i++) {
        pn_loop_record *record = PN_AT(m, pn_loop_record, m->loop) + i;
        const pn_described_loop *described = pn_plan_loop(plan, i);
        put_joint(to, &record->joint, pn_plan_loop_joint(plan, i), dofs);
        record->kind = pn_plan_loop_kind(plan, i);

        /* a joint that was cut may have said how it starts */
        record->joint.has_initial = 0;
        pn_type_neutral(record->joint.type, record->joint.initial_q);
        memset(record->joint.initial_v, 0, sizeof record->joint.initial_v);

        /* what it ties */
        record->joint.parent = plan->loop_parent[i];
        record->joint.child = plan->loop_child[i];
        record->joint.body = -1;
        record->first = plan->loop_first[i];
        record->second = plan->loop_second[i];
        record->ratio = described ? described->ratio : 1;
        if (described) {
            memcpy(record->curve, described->curve, sizeof record->curve);
            record->length = described->length;
            record->radius = described->radius;
            record->disk = described->disk;
            record->motion = described->motion;
        }

        /* its rows and coordinates */
        record->row = row;
        record->rows = pn_loop_rows(record->kind, record->joint.type);
        record->nonholonomic = pn_loop_nonholonomic(record->kind);
        record->joint.q_index = q;
        record->joint.v_index = v;
        row += record->rows;
        q += pinion_joint_type_nq(record->joint.type);
        v += pinion_joint_type_nv(record->joint.type);
    }
}

/* What an actuator adds to a row of B. */
static void put_term(pinion_model *m, const pn_plan *plan, int index, double weight, const pn_actuator_record *record)
{
    pinion_actuator_term *term = PN_AT(m, pinion_actuator_term, m->term) + index;
    const pn_joint_record *joints = PN_AT_CONST(m, pn_joint_record, m->joint), *joint;
    term->joint = plan->term_joint[index];
    term->dof = plan->term_dof[index];
    term->weight = weight;
    term->factor = weight * record->gear * record->efficiency;
    joint = joints + term->joint;
    if (joint->leader >= 0) {
        term->factor *= joint->multiplier;
        joint = joints + joint->leader;
    }
    term->v_index = joint->v_index + term->dof;
}

/* Limits that the actuator of one joint does not have are the joint's own. */
static void fill_limits(const pinion_model *m, pn_actuator_record *record)
{
    const pinion_actuator_term *term = PN_AT_CONST(m, pinion_actuator_term, m->term) + record->term;
    const pn_joint_record *joint = PN_AT_CONST(m, pn_joint_record, m->joint) + term->joint;
    const pinion_dof *dof = PN_AT_CONST(m, pinion_dof, joint->dof) + term->dof;
    const double speed = fabs(record->gear), force = speed * record->efficiency;
    if (isinf(record->velocity)) record->velocity = fabs(dof->velocity) * speed;
    if (isinf(record->effort[0]) && isinf(record->effort[1])) {
        record->effort[1] = dof->effort != 0 ? fabs(dof->effort) / force : INFINITY; /* 0 stands for none */
        record->effort[0] = -record->effort[1];
    }
}

/* The ideal actuator of one coordinate; it has the joint's name, which ends in the coordinate where there are more. */
static void put_ideal(pn_cursor *to, const pn_plan *plan, int i, pn_actuator_record *record)
{
    const pn_described_joint *joint = pn_plan_joint(plan, plan->term_joint[i]);
    const char ending[3] = {'.', (char)('0' + plan->term_dof[i]), 0};
    record->name = put_string(to, joint->name);
    if (pinion_joint_type_nv(joint->type) > 1) {
        to->at--;
        put(to, ending, sizeof ending);
    }
    record->type = PINION_ACTUATOR_JOINT;
    record->frame = record->reference = record->carrier = record->tendon = -1;
    record->term = i;
    record->term_count = 1;
    record->gear = record->efficiency = record->law.gain = 1;
    record->velocity = record->effort[1] = record->law.control[1] = record->law.state[1] = INFINITY;
    record->effort[0] = record->law.control[0] = record->law.state[0] = -INFINITY;
    put_term(to->m, plan, i, 1, record);
}

/* The nearest link that carries both frames. A link is behind the one that carries it. */
static int carrier_of(const pinion_model *m, int first, int second)
{
    const pn_frame_record *frames = PN_AT_CONST(m, pn_frame_record, m->frame);
    const pn_link_record *links = PN_AT_CONST(m, pn_link_record, m->link);
    const pn_joint_record *joints = PN_AT_CONST(m, pn_joint_record, m->joint);
    int link[2] = {first, second};
    for (int i = 0; i < 2; i++)
        if (link[i] >= m->links) link[i] = frames[link[i] - m->links].link;
    while (link[0] != link[1]) {
        int *deeper = &link[link[1] > link[0]];
        *deeper = joints[links[*deeper].joint].parent;
    }
    return link[0];
}

/* One of the list; the next joints of a tendon are at `*extra` among the terms. */
static void put_actuator(pn_cursor *to, const pn_plan *plan, int i, int *extra, pn_actuator_record *record)
{
    const pinion_builder *b = to->b;
    const pn_described_actuator *described = PN_ITEM(&b->actuators, const pn_described_actuator, i);
    record->name = put_string(to, described->name);
    record->type = described->type;
    record->frame = plan->actuator_frame[i];
    record->reference = plan->actuator_reference[i];
    record->tendon = plan->actuator_tendon[i];
    record->carrier = -1;
    if (record->type == PINION_ACTUATOR_PAIR) record->carrier = carrier_of(to->m, record->frame, record->reference);
    record->term = (int)described->term;
    record->term_count = described->count;
    record->rod = described->rod;
    memcpy(record->wrench, described->wrench, sizeof record->wrench);
    record->gear = described->gear;
    record->efficiency = described->efficiency;
    memcpy(record->effort, described->effort, sizeof record->effort);
    record->velocity = described->velocity;
    record->dynamics = described->dynamics;
    record->law = described->law;
    const pn_list *from = &b->terms;
    size_t first = described->term;
    if (record->tendon >= 0) {
        const pn_described_tendon *t = PN_ITEM(&b->tendons, const pn_described_tendon, record->tendon);
        record->term = *extra;
        record->term_count = t->type == PINION_TENDON_JOINTS ? t->count : 0;
        from = &b->tendon_terms;
        first = t->term;
        *extra += record->term_count;
    }
    for (int k = 0; k < record->term_count; k++)
        put_term(to->m, plan, record->term + k, PN_ITEM(from, const pn_described_term, first + (size_t)k)->weight,
                 record);
}

static void put_actuators(pn_cursor *to, const pn_plan *plan)
{
    int extra = (int)to->b->terms.count;
    for (int i = 0; i < to->m->actuators; i++) {
        pn_actuator_record *record = PN_AT(to->m, pn_actuator_record, to->m->actuator) + i;
        if (to->b->actuators_listed)
            put_actuator(to, plan, i, &extra, record);
        else
            put_ideal(to, plan, i, record);
        if (record->type == PINION_ACTUATOR_JOINT) fill_limits(to->m, record);
    }
}

/* Collisions, link by link, with their numbers; then pairs and exclusions. */
static void put_collisions(pn_cursor *to, const pn_plan *plan)
{
    const pinion_builder *b = to->b;
    pinion_model *m = to->m;
    int *start = PN_AT(m, int, m->link_collision), link = 0;
    pn_offset data = m->collision_data;
    for (int i = 0; i < m->collisions; i++) {
        const pn_described_collision *described =
            PN_ITEM(&b->collisions, const pn_described_collision, plan->collision_source[i]);
        pn_collision_record *record = PN_AT(m, pn_collision_record, m->collision) + i;
        record->info = described->info;
        record->info.link = plan->collision_link[i];
        record->name = put_string(to, described->name);
        if (described->mesh) record->mesh = put_string(to, described->mesh);
        const size_t bytes = (size_t)described->info.rows * (size_t)described->info.columns * sizeof(double);
        if (bytes) {
            record->data = data;
            memcpy(PN_AT(m, char, data), PN_ITEM(&b->data, const double, described->data), bytes);
            data += (pn_offset)bytes;
        }
        while (link <= record->info.link) start[link++] = i;
    }
    while (link <= m->links) start[link++] = m->collisions;

    for (int i = 0; i < m->pairs; i++) {
        pinion_collision_pair_info *pair = PN_AT(m, pinion_collision_pair_info, m->pair) + i;
        *pair = PN_ITEM(&b->pairs, const pn_described_pair, i)->info;
        pair->first = plan->pair[i][0];
        pair->second = plan->pair[i][1];
    }
    if (m->exclusions) memcpy(PN_AT(m, int, m->exclusion), plan->exclusion, (size_t)m->exclusions * sizeof(int[2]));
}

/* What a state has where it says nothing: as the model starts. */
static void put_start(const pinion_model *m, double *q, double *v)
{
    for (int i = 0; i < m->joints; i++) {
        const pn_joint_record *joint = PN_AT_CONST(m, pn_joint_record, m->joint) + i;
        if (joint->nq) memcpy(q + joint->q_index, joint->initial_q, (size_t)joint->nq * sizeof *q);
        if (joint->nv) memcpy(v + joint->v_index, joint->initial_v, (size_t)joint->nv * sizeof *v);
    }
}

/* Named states and groups, once the joints are there. */
static void put_sets(pn_cursor *to, const pn_plan *plan)
{
    const pinion_builder *b = to->b;
    pinion_model *m = to->m;
    const size_t nq = (size_t)m->n.nq, nv = (size_t)m->n.nv;
    for (int i = 0; i < m->states; i++) {
        const pn_described_set *set = PN_ITEM(&b->states, pn_described_set, i);
        double *q = PN_AT(m, double, m->state_value) + (size_t)i * (nq + nv), *v = q + nq;
        PN_AT(m, pn_set_record, m->state)[i].name = put_string(to, set->name);
        put_start(m, q, v);
        for (size_t k = set->member; k < set->member + (size_t)set->count; k++) {
            const pn_described_member *member = PN_ITEM(&b->members, pn_described_member, k);
            if (plan->member_joint[k] < 0) continue;
            const pn_joint_record *joint = PN_AT_CONST(m, pn_joint_record, m->joint) + plan->member_joint[k];
            double *x = member->velocity ? v + joint->v_index : q + joint->q_index;
            memcpy(x, member->value, (size_t)member->count * sizeof *x);
        }
    }
    for (int i = 0, first = 0; i < m->groups; i++) {
        const pn_described_set *set = PN_ITEM(&b->groups, pn_described_set, i);
        const int begin = first;
        for (int k = 0; k < set->count; k++) {
            const int joint = plan->member_joint[set->member + (size_t)k];
            if (joint >= 0) PN_AT(m, int, m->group_joint)[first++] = joint;
        }
        PN_AT(m, pn_set_record, m->group)[i] = (pn_set_record){put_string(to, set->name), begin, first - begin};
    }
}

static void put_tendons(pn_cursor *to, const pn_plan *plan)
{
    const pinion_builder *b = to->b;
    pinion_model *m = to->m;
    for (int i = 0; i < m->tendons; i++) {
        const pn_described_tendon *x = PN_ITEM(&b->tendons, const pn_described_tendon, i);
        const pn_offset name = put_string(to, x->name);
        PN_AT(m, pn_tendon_record, m->tendon)[i] = (pn_tendon_record){
            name,
            x->type,
            (int)x->term,
            x->count,
            x->stiffness,
            x->damping,
            {x->stiffness_curve[0], x->stiffness_curve[1]},
            {x->damping_curve[0], x->damping_curve[1]},
            {x->rest[0], x->rest[1]},
            {x->limits[0], x->limits[1]}};
    }
    for (size_t k = 0; k < b->tendon_terms.count; k++) {
        const double weight = PN_ITEM(&b->tendon_terms, const pn_described_term, k)->weight;
        PN_AT(m, pinion_tendon_term, m->tendon_term)[k] = (pinion_tendon_term){plan->tendon_index[k], weight};
    }
}

static const char *name_of_joint(const pinion_model *m, int index)
{
    const pn_offset name = index < m->joints ? PN_AT_CONST(m, pn_joint_record, m->joint)[index].name
                                             : PN_AT_CONST(m, pn_loop_record, m->loop)[index - m->joints].joint.name;
    return PN_AT_CONST(m, char, name);
}

/* The order of names is known by the builder's numbers; "root" is put where it belongs. */
static void put_names(pinion_model *m, const pn_plan *plan)
{
    int *frames = PN_AT(m, int, m->frame_names), *joints = PN_AT(m, int, m->joint_names);
    for (int i = 0; i < plan->frame_name_count; i++) {
        int index = plan->frame_names[i].index;
        frames[i] = index < plan->links ? plan->link_place[index] : index;
    }
    int root = plan->free_root, described = (int)plan->b->joints.count, out = 0;
    for (int i = 0; i < plan->joint_name_count; i++) {
        if (root && strcmp(plan->joint_names[i].name, "root") > 0) {
            joints[out++] = 0;
            root = 0;
        }
        int index = plan->joint_names[i].index;
        int place = index < described ? plan->joint_place[index] : described - 1 - index;
        joints[out++] = place >= 0 ? place : m->joints - 1 - place;
    }
    if (root) joints[out++] = 0;

    /* modes are few: each goes up to where it belongs */
    for (int k = 0; k < plan->modes; k++) {
        const char *name = plan->mode_names + k * (PN_MAX_NAME + 1);
        int at = out++;
        for (; at > 0 && strcmp(name_of_joint(m, joints[at - 1]), name) > 0; at--) joints[at] = joints[at - 1];
        joints[at] = plan->joints + k;
    }
}

void pn_transcribe(pinion_model *m, const pn_plan *plan)
{
    const pinion_builder *b = plan->b;
    pn_cursor to = {m, b, m->name};

    /* degrees of freedom, with six of no limits for a free base */
    pn_offset dofs = to.at;
    pinion_joint_def any = pinion_joint_def_default();
    if (b->dofs.count) put(&to, b->dofs.data, b->dofs.count * sizeof(pinion_dof));
    put(&to, any.dof, sizeof any.dof);

    /* strings from here on */
    m->name = put_string(&to, b->name);
    for (int i = 0; i < m->links; i++) {
        pn_link_record *record = PN_AT(m, pn_link_record, m->link) + i;
        const pn_described_link *link = pn_plan_link(plan, i);
        record->name = put_string(&to, link->name);
        record->joint = pn_plan_link_joint(plan, i);
        record->body = plan->link_body[i];
        record->inertia = link->inertia;
        record->gravity_compensation = link->gravity_compensation;
        record->added = (int)link->added;
        record->elastic = plan->link_elastic[i];
        record->drag = (int)link->drag;
        m->carried += link->gravity_compensation != 0;
    }
    if (b->added.count) memcpy(PN_AT(m, double, m->added), b->added.data, b->added.count * b->added.size);
    if (b->drags.count) memcpy(PN_AT(m, pinion_drag, m->drag), b->drags.data, b->drags.count * b->drags.size);
    put_joints(&to, plan, dofs);
    put_modes(&to, plan, dofs);
    put_loops(&to, plan, dofs);
    for (int i = 0; i < m->named_frames; i++) {
        pn_frame_record *record = PN_AT(m, pn_frame_record, m->frame) + i;
        const pn_described_frame *frame = PN_ITEM(&b->frames, const pn_described_frame, i);
        record->name = put_string(&to, frame->name);
        record->link = plan->frame_link[i];
        record->pose = frame->pose;
    }
    for (int i = 0; i < m->visuals; i++) {
        pn_visual_record *record = PN_AT(m, pn_visual_record, m->visual) + i;
        const pn_described_visual *visual = PN_ITEM(&b->visuals, const pn_described_visual, i);
        record->link = plan->visual_link[i];
        record->shape = visual->shape;
        record->mesh = visual->mesh ? put_string(&to, visual->mesh) : 0;
        record->pose = visual->pose;
        memcpy(record->size, visual->size, sizeof record->size);
        memcpy(record->rgba, visual->rgba, sizeof record->rgba);
    }

    put_collisions(&to, plan);
    put_actuators(&to, plan);
    put_sets(&to, plan);
    put_tendons(&to, plan);

    /* warnings lie one after the other, each with its end */
    const char *sentence = plan->warnings.data;
    for (int i = 0; i < m->warnings; i++) {
        size_t bytes = strlen(sentence) + 1;
        PN_AT(m, pn_offset, m->warning)[i] = put(&to, sentence, bytes);
        sentence += bytes;
    }
    put_names(m, plan);
}
