/* Actuators, named states and groups of a model to a builder, without the joints that are locked. */
#include "api/compose_copy.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Actuators */

/* A frame that it acts on; *gone: it is not part of the model. */
static pinion_status name_frame(const pn_copy *c, int index, char room[PN_COPY_NAME], const char **out, int *gone)
{
    pinion_frame_info frame;
    if (index < 0) return PINION_OK;
    const pinion_status s = pinion_model_frame(c->m, index, &frame);
    if (s != PINION_OK) return s;
    if (pn_copy_left(c, frame.link)) *gone = 1;
    *out = pn_copy_name(c, frame.name, room);
    return PINION_OK;
}

/* What it acts on beside joints: frames, or a tendon. */
static pinion_status name_target(const pn_copy *c, const pinion_actuator_info *info, pinion_actuator_def *def,
                                 char room[3][PN_COPY_NAME], int *gone)
{
    pinion_tendon_info tendon;
    def->rod = pn_copy_length(c) * info->rod;
    pinion_status s = name_frame(c, info->frame, room[0], &def->frame, gone);
    if (s == PINION_OK) s = name_frame(c, info->reference, room[1], &def->reference, gone);
    if (s != PINION_OK || info->tendon < 0) return s;
    s = pinion_model_tendon(c->m, info->tendon, &tendon);
    if (s != PINION_OK) return s;
    if (!pn_copy_has_tendon(c, &tendon)) *gone = 1;
    def->tendon = pn_copy_name(c, tendon.name, room[2]);
    return PINION_OK;
}

/* One actuator without the joints that are locked. `room`: for as many terms as it has. */
static pinion_status add_actuator(const pn_copy *c, const pinion_actuator_info *info, char (*room)[PN_COPY_NAME],
                                  const char **joints, int *dofs, double *weights)
{
    char name[4][PN_COPY_NAME];
    pinion_actuator_def def = pinion_actuator_def_default();
    def.name = pn_copy_name(c, info->name, name[0]);
    def.type = info->type;
    def.gear = info->gear;
    def.efficiency = info->efficiency;
    if (pinion_model_actuators_listed(c->m)) { /* an ideal one has the joint's own limits */
        memcpy(def.effort, info->effort, sizeof def.effort);
        def.velocity = info->velocity;
    }
    memcpy(def.wrench, info->wrench, sizeof def.wrench);
    def.dynamics = info->dynamics;
    def.law = info->law;
    for (int i = 0; i < info->term_count; i++) {
        pinion_joint_info j;
        const pinion_actuator_term *t = &info->term[i];
        const pinion_status s = pinion_model_joint(c->m, t->joint, &j);
        if (s != PINION_OK) return s;
        if (pn_copy_locked(c, t->joint)) continue;
        joints[def.count] = pn_copy_name(c, j.name, room[def.count]);
        dofs[def.count] = t->dof;
        weights[def.count++] = t->weight;
    }
    if (info->type == PINION_ACTUATOR_JOINT || info->type == PINION_ACTUATOR_SUM) {
        if (def.count == 0) return PINION_OK;
    } else {
        int gone = 0;
        const pinion_status s = name_target(c, info, &def, name + 1, &gone);
        if (s != PINION_OK || gone) return s;
    }
    def.joints = joints;
    def.dofs = dofs;
    def.weights = info->type == PINION_ACTUATOR_SUM ? weights : NULL;
    return pinion_builder_add_actuator(c->b, &def, c->err);
}

/* Those of its list or, where the others are in one, the ideal ones. */
pinion_status pn_copy_actuators(const pn_copy *c)
{
    if (!pinion_model_actuators_listed(c->m) && !c->b->actuators_listed) return PINION_OK;
    pinion_status s = pinion_builder_list_actuators(c->b, 1);
    for (int i = 0; s == PINION_OK && i < pinion_model_actuator_count(c->m); i++) {
        pinion_actuator_info info;
        if ((s = pinion_model_actuator(c->m, i, &info)) != PINION_OK) break;
        const size_t n = (size_t)info.term_count + 1;
        char(*room)[PN_COPY_NAME] = malloc(n * sizeof *room);
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
static int state_entries(const pn_copy *c, const pinion_joint_info *j, const double *q, const double *v,
                         char name[PN_COPY_NAME], pinion_state_entry *out)
{
    int count = 0;
    for (int velocity = 0; velocity < 2; velocity++) {
        const int n = velocity ? j->nv : j->nq;
        const double *value = velocity ? v + j->v_index : q + j->q_index;
        if (memcmp(value, velocity ? j->initial_v : j->initial_q, (size_t)n * sizeof *value) == 0) continue;
        out[count] = (pinion_state_entry){.joint = pn_copy_name(c, j->name, name), .velocity = velocity, .count = n};
        memcpy(out[count].value, value, (size_t)n * sizeof *value);
        pn_copy_coordinates(c, j->type, velocity, out[count++].value);
    }
    return count;
}

/* Joints that are described and keep their coordinates. */
static int is_kept(const pn_copy *c, int joint, pinion_joint_info *out)
{
    return pinion_model_joint(c->m, joint, out) == PINION_OK && out->parent >= 0 && !pn_copy_locked(c, joint);
}

static pinion_status add_state(const pn_copy *c, int index, char (*room)[PN_COPY_NAME], pinion_state_entry *entries,
                               double *q)
{
    char name[PN_COPY_NAME];
    int count = 0;
    double *v = q + pinion_model_nq(c->m);
    pinion_status s = pinion_model_state(c->m, index, q, v);
    for (int i = 0; s == PINION_OK && i < pinion_model_joint_count(c->m); i++) {
        pinion_joint_info j;
        if (is_kept(c, i, &j) && j.nv > 0) count += state_entries(c, &j, q, v, room[i], entries + count);
    }
    if (s != PINION_OK) return s;
    pn_copy_name(c, pinion_model_state_name(c->m, index), name);
    return pinion_builder_add_state(c->b, name, count, entries, 0, c->err);
}

/* A group of which every joint is locked is gone. */
static pinion_status add_group(const pn_copy *c, int index, char (*room)[PN_COPY_NAME], const char **joints)
{
    char name[PN_COPY_NAME];
    int count = 0, of = 0;
    const int *list = pinion_model_group(c->m, index, &of);
    for (int i = 0; list && i < of; i++) {
        pinion_joint_info j;
        if (is_kept(c, list[i], &j)) joints[count++] = pn_copy_name(c, j.name, room[list[i]]);
    }
    if (count == 0 && of > 0) return PINION_OK;
    return pinion_builder_add_group(c->b, pn_copy_name(c, pinion_model_group_name(c->m, index), name), count, joints, 0,
                                    c->err);
}

pinion_status pn_copy_sets(const pn_copy *c)
{
    const int states = pinion_model_state_count(c->m), groups = pinion_model_group_count(c->m);
    const size_t joints = (size_t)pinion_model_joint_count(c->m) + 1,
                 numbers = (size_t)(pinion_model_nq(c->m) + pinion_model_nv(c->m)) + 1;
    if (states + groups == 0) return PINION_OK;
    char(*room)[PN_COPY_NAME] = malloc(joints * sizeof *room);
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
