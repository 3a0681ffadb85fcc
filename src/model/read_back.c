/* Reading a model back. */
#include <stdlib.h>
#include <string.h>

#include "model/record.h"

void pinion_model_free(pinion_model *m)
{
    free(m);
}

/* ---- numbers of things ---- */

static const char *string_at(const pinion_model *m, pn_offset at)
{
    return PN_AT_CONST(m, char, at);
}

const char *pinion_model_name(const pinion_model *m)
{
    return string_at(m, m->name);
}

int pinion_model_nq(const pinion_model *m)
{
    return m->n.nq;
}

int pinion_model_nv(const pinion_model *m)
{
    return m->n.nv;
}

double pinion_model_mass(const pinion_model *m)
{
    return m->mass;
}

double pinion_model_fixed_mass(const pinion_model *m)
{
    return m->fixed_mass;
}

void pinion_model_gravity(const pinion_model *m, double gravity[3])
{
    memcpy(gravity, m->gravity, sizeof m->gravity);
}

int pinion_model_body_count(const pinion_model *m)
{
    return m->n.bodies;
}

int pinion_model_link_count(const pinion_model *m)
{
    return m->links;
}

int pinion_model_joint_count(const pinion_model *m)
{
    return m->joints;
}

int pinion_model_frame_count(const pinion_model *m)
{
    return m->n.frames;
}

int pinion_model_loop_count(const pinion_model *m)
{
    return m->n.loops;
}

int pinion_model_row_count(const pinion_model *m)
{
    return m->n.rows;
}

int pinion_model_loop_nq(const pinion_model *m)
{
    return m->n.loop_nq;
}

int pinion_model_loop_nv(const pinion_model *m)
{
    return m->n.loop_nv;
}

int pinion_model_visual_count(const pinion_model *m)
{
    return m->visuals;
}

int pinion_model_warning_count(const pinion_model *m)
{
    return m->warnings;
}

/* ---- things ---- */

static int out_of_range(const pinion_model *m, int index, int count, const void *out)
{
    return !m || !out || index < 0 || index >= count;
}

pinion_status pinion_model_body(const pinion_model *m, int index, pinion_body_info *out)
{
    if (out_of_range(m, index, m ? m->n.bodies : 0, out)) return PINION_ERR_ARGUMENT;
    if (index == 0) {
        out->name = "world";
        out->parent = out->joint = out->link = -1;
        out->mass = m->fixed_mass;
        return PINION_OK;
    }

    /* the joint and the link it carries */
    out->joint = PN_AT_CONST(m, int, m->body_joint)[index];
    out->link = PN_AT_CONST(m, pn_joint_record, m->joint)[out->joint].child;
    out->name = string_at(m, PN_AT_CONST(m, pn_link_record, m->link)[out->link].name);

    /* the next body down, past a massless one in between */
    const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
    int node = PN_AT_CONST(m, int, m->body_node)[index], parent = nodes[node].parent;
    while (nodes[parent].body < 0) parent = nodes[parent].parent;
    out->parent = nodes[parent].body;
    const pn_link *constants = (const pn_link *)(PN_AT_CONST(m, pn_head, m->f64) + 1);
    out->mass = constants[node].m;
    return PINION_OK;
}

pinion_status pinion_model_link(const pinion_model *m, int index, pinion_link_info *out)
{
    if (out_of_range(m, index, m ? m->links : 0, out)) return PINION_ERR_ARGUMENT;
    const pn_link_record *record = PN_AT_CONST(m, pn_link_record, m->link) + index;
    out->name = string_at(m, record->name);
    out->joint = record->joint;
    out->body = record->body;
    out->inertia = record->inertia;
    out->gravity_compensation = record->gravity_compensation;
    out->drag = record->drag ? PN_AT_CONST(m, pinion_drag, m->drag) + (record->drag - 1) : NULL;
    out->added_mass = record->added ? PN_AT_CONST(m, double, m->added) + 36 * (record->added - 1) : NULL;
    return PINION_OK;
}

static void read_joint(const pinion_model *m, const pn_joint_record *record, pinion_joint_info *out)
{
    memset(out, 0, sizeof *out);
    out->name = string_at(m, record->name);
    out->type = record->type;
    out->parent = record->parent;
    out->child = record->child;
    out->body = record->body;
    out->q_index = record->q_index;
    out->nq = record->nq;
    out->v_index = record->v_index;
    out->nv = record->nv;
    out->leader = record->leader;
    out->multiplier = record->multiplier;
    out->offset = record->offset;
    const pn_joint_record *source =
        record->leader >= 0 ? PN_AT_CONST(m, pn_joint_record, m->joint) + record->leader : record;
    out->q_source = source->q_index;
    out->v_source = source->v_index;
    out->parent_pose = record->parent_pose;
    out->child_pose = record->child_pose;
    memcpy(out->axis, record->axis, sizeof out->axis);
    out->pitch = record->pitch;
    out->dof = PN_AT_CONST(m, pinion_dof, record->dof);
    out->dof_count = record->dof_count;
    out->has_initial = record->has_initial;
    memcpy(out->initial_q, record->initial_q, sizeof out->initial_q);
    memcpy(out->initial_v, record->initial_v, sizeof out->initial_v);
    out->reversed = record->reversed;
    out->unactuated = record->unactuated;
}

pinion_status pinion_model_joint(const pinion_model *m, int index, pinion_joint_info *out)
{
    if (out_of_range(m, index, m ? m->joints : 0, out)) return PINION_ERR_ARGUMENT;
    read_joint(m, PN_AT_CONST(m, pn_joint_record, m->joint) + index, out);
    return PINION_OK;
}

pinion_status pinion_model_loop(const pinion_model *m, int index, pinion_loop_info *out)
{
    if (out_of_range(m, index, m ? m->n.loops : 0, out)) return PINION_ERR_ARGUMENT;
    const pn_loop_record *record = PN_AT_CONST(m, pn_loop_record, m->loop) + index;
    memset(out, 0, sizeof *out);
    read_joint(m, &record->joint, &out->joint);
    out->joint.q_index = out->joint.v_index = out->joint.q_source = out->joint.v_source = -1;
    out->name = out->joint.name;
    out->kind = record->kind;
    out->first = record->first;
    out->second = record->second;
    out->ratio = record->ratio;
    memcpy(out->curve, record->curve, sizeof out->curve);
    out->length = record->length;
    out->radius = record->radius;
    out->disk = record->disk;
    out->motion = record->motion;
    out->row = record->row;
    out->rows = record->rows;
    out->nonholonomic = record->nonholonomic;

    /* its coordinates among those of all loop joints */
    out->nq = pinion_joint_type_nq(record->joint.type);
    out->nv = pinion_joint_type_nv(record->joint.type);
    out->q_index = out->nq ? record->joint.q_index : -1;
    out->v_index = out->nv ? record->joint.v_index : -1;
    return PINION_OK;
}

pinion_status pinion_model_frame(const pinion_model *m, int index, pinion_frame_info *out)
{
    if (out_of_range(m, index, m ? m->n.frames : 0, out)) return PINION_ERR_ARGUMENT;
    const pn_link_record *links = PN_AT_CONST(m, pn_link_record, m->link);
    if (index < m->links) {
        out->name = string_at(m, links[index].name);
        out->link = index;
        out->pose = pinion_pose_identity();
    } else {
        const pn_frame_record *record = PN_AT_CONST(m, pn_frame_record, m->frame) + (index - m->links);
        out->name = string_at(m, record->name);
        out->link = record->link;
        out->pose = record->pose;
    }
    out->body = links[out->link].body;
    return PINION_OK;
}

pinion_status pinion_model_visual(const pinion_model *m, int index, pinion_visual_info *out)
{
    if (out_of_range(m, index, m ? m->visuals : 0, out)) return PINION_ERR_ARGUMENT;
    const pn_visual_record *record = PN_AT_CONST(m, pn_visual_record, m->visual) + index;
    out->link = record->link;
    out->shape = record->shape;
    out->pose = record->pose;
    memcpy(out->size, record->size, sizeof out->size);
    out->mesh = record->mesh ? string_at(m, record->mesh) : NULL;
    memcpy(out->rgba, record->rgba, sizeof out->rgba);
    return PINION_OK;
}

const char *pinion_model_warning(const pinion_model *m, int index)
{
    if (out_of_range(m, index, m ? m->warnings : 0, m)) return NULL;
    return string_at(m, PN_AT_CONST(m, pn_offset, m->warning)[index]);
}

/* ---- by name ---- */

static const char *frame_name(const pinion_model *m, int index)
{
    if (index < m->links) return string_at(m, PN_AT_CONST(m, pn_link_record, m->link)[index].name);
    return string_at(m, PN_AT_CONST(m, pn_frame_record, m->frame)[index - m->links].name);
}

static const char *joint_name(const pinion_model *m, int index)
{
    if (index < m->joints) return string_at(m, PN_AT_CONST(m, pn_joint_record, m->joint)[index].name);
    return string_at(m, PN_AT_CONST(m, pn_loop_record, m->loop)[index - m->joints].joint.name);
}

/* The element of that name among those in alphabetical order; -1 if there is none. */
static int find(const pinion_model *m, pn_offset order, int count,
                const char *(*name_of)(const pinion_model *, int), const char *name)
{
    const int *index = PN_AT_CONST(m, int, order);
    int low = 0, high = name ? count : 0;
    while (low < high) {
        int middle = low + (high - low) / 2, side = strcmp(name_of(m, index[middle]), name);
        if (side == 0) return index[middle];
        if (side < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return -1;
}

int pinion_model_find_frame(const pinion_model *m, const char *name)
{
    return find(m, m->frame_names, m->n.frames, frame_name, name);
}

int pinion_model_find_link(const pinion_model *m, const char *name)
{
    int found = pinion_model_find_frame(m, name);
    return found < m->links ? found : -1;
}

int pinion_model_find_joint(const pinion_model *m, const char *name)
{
    int found = find(m, m->joint_names, m->joints + m->n.loops, joint_name, name);
    return found < m->joints ? found : -1;
}

int pinion_model_find_loop(const pinion_model *m, const char *name)
{
    int found = find(m, m->joint_names, m->joints + m->n.loops, joint_name, name);
    return found >= m->joints ? found - m->joints : -1;
}
