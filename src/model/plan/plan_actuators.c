/* Actuators: the joints, frames and tendons that they name; without a list, which coordinates have one of their own. */
#include "model/plan/plan.h"

/* Names exist once. */
static pinion_status check_names(pn_plan *plan, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    const int count = (int)b->actuators.count;
    pn_name *names = pn_pool_take(&plan->pool, (size_t)count, sizeof *names);
    if (!names) return pn_fail_memory(b, err);
    for (int i = 0; i < count; i++) {
        names[i].index = i;
        names[i].name = pn_builder_text(b, PN_ITEM(&b->actuators, pn_described_actuator, i)->name);
    }
    pn_names_sort(names, count);
    int first = 0, second = pn_names_duplicate(names, count, &first);
    if (second < 0) return PINION_OK;
    const pn_described_actuator *actuator = PN_ITEM(&b->actuators, pn_described_actuator, second);
    return pn_fail(b, err, PINION_ERR_MODEL, actuator->line,
                   "actuator %s has the name of another actuator; expected a name of its own",
                   pn_quote(pn_builder_text(b, actuator->name)).text);
}

/* The joint and the degree of freedom of one term. */
static pinion_status find_joint(pn_plan *plan, const pn_described_actuator *actuator, size_t index, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    const pn_described_term *term = PN_ITEM(&b->terms, pn_described_term, index);
    const char *name = pn_builder_text(b, term->joint), *why = NULL;
    const int joints = (int)b->joints.count;
    const int found = pn_names_find(plan->joint_names, plan->joint_name_count, name);
    const pn_described_joint *joint = NULL;
    int dof = term->dof;
    if (found < 0) {
        why = "does not exist";
    } else if (found >= joints || plan->joint_place[found] < 0) {
        why = "closes a loop and has no coordinate of its own";
    } else {
        joint = PN_ITEM(&b->joints, pn_described_joint, found);
        const int turned = plan->joint_turned[found];
        if (joint->type == PINION_JOINT_FIXED) why = "is fixed";
        else if (joint->unactuated) why = "is said to have no motor";
        else if (dof < 0 || dof >= pinion_joint_type_nv(joint->type)) why = "has no such degree of freedom";
        else if (turned && joint->type == PINION_JOINT_SPHERICAL)
            why = "is spherical and points towards the root, so that its axes are not those described";
        else if (turned && joint->type == PINION_JOINT_UNIVERSAL) dof = 1 - dof;
    }
    if (why) {
        return pn_fail(b, err, PINION_ERR_MODEL, actuator->line,
                       "actuator %s: joint %s %s; expected a joint of the tree that it can move",
                       pn_quote(pn_builder_text(b, actuator->name)).text, pn_quote(name).text, why);
    }
    plan->term_joint[index] = plan->joint_place[found];
    plan->term_dof[index] = dof;
    return PINION_OK;
}

/* A frame or link of one actuator; no name: none. */
static pinion_status find_frame(pn_plan *plan, const pn_described_actuator *actuator, size_t text, int *out,
                                pinion_error *err)
{
    const pinion_builder *b = plan->b;
    const char *name = pn_builder_text(b, text);
    const int found = text ? pn_names_find(plan->frame_names, plan->frame_name_count, name) : -1;
    if (text && found < 0) {
        return pn_fail(b, err, PINION_ERR_MODEL, actuator->line,
                       "actuator %s: frame %s does not exist; expected a link or a frame of this model",
                       pn_quote(pn_builder_text(b, actuator->name)).text, pn_quote(name).text);
    }
    *out = found >= 0 && found < plan->links ? plan->link_place[found] : found;
    return PINION_OK;
}

static pinion_status find_tendon(pn_plan *plan, const pn_described_actuator *actuator, int *out, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    const char *name = pn_builder_text(b, actuator->tendon);
    *out = actuator->tendon ? pn_names_find(plan->tendon_names, (int)b->tendons.count, name) : -1;
    if (!actuator->tendon || *out >= 0) return PINION_OK;
    return pn_fail(b, err, PINION_ERR_MODEL, actuator->line,
                   "actuator %s: tendon %s does not exist; expected a tendon of this model",
                   pn_quote(pn_builder_text(b, actuator->name)).text, pn_quote(name).text);
}

/* The joints of the tendons over joints that actuators act along are theirs. Counted first, for `room` of them. */
static int tendon_terms(pn_plan *plan, int room)
{
    const pinion_builder *b = plan->b;
    int at = (int)b->terms.count;
    for (int i = 0; i < plan->actuators; i++) {
        const int tendon = plan->actuator_tendon[i];
        if (tendon < 0) continue;
        const pn_described_tendon *t = PN_ITEM(&b->tendons, pn_described_tendon, tendon);
        for (int k = 0; k < t->count && t->type == PINION_TENDON_JOINTS; k++, at++) {
            if (at >= PN_MAX_TERMS) return -1;
            if (!room) continue;
            plan->term_joint[at] = plan->tendon_index[t->term + (size_t)k];
            plan->term_dof[at] = 0;
        }
    }
    return at;
}

/* The coordinates that have an ideal actuator: counted, and listed where there is room. */
static int ideal(const pn_plan *plan, int *joints, int *dofs)
{
    int count = 0;
    for (int i = 0; i < plan->joints; i++) {
        const pn_described_joint *joint = pn_plan_joint(plan, i);
        const pinion_joint_type type = pn_plan_type(plan, i);
        if (type == PINION_JOINT_FREE || plan->joint_leader[i] >= 0 || (joint && joint->unactuated)) continue;
        for (int k = 0; k < pinion_joint_type_nv(type); k++, count++) {
            if (joints) joints[count] = i;
            if (dofs) dofs[count] = k;
        }
    }
    return count;
}

static pinion_status plan_list(pn_plan *plan, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    pinion_status status = check_names(plan, err);
    for (int i = 0; i < plan->actuators && status == PINION_OK; i++) {
        const pn_described_actuator *actuator = PN_ITEM(&b->actuators, pn_described_actuator, i);
        status = find_frame(plan, actuator, actuator->frame, &plan->actuator_frame[i], err);
        if (status == PINION_OK)
            status = find_frame(plan, actuator, actuator->reference, &plan->actuator_reference[i], err);
        if (status == PINION_OK) status = find_tendon(plan, actuator, &plan->actuator_tendon[i], err);
    }
    if (status != PINION_OK) return status;
    plan->terms = tendon_terms(plan, 0);
    if (plan->terms < 0)
        return pn_fail(b, err, PINION_ERR_MODEL, 0, "the actuators act on too many joints; expected at most %d",
                       PN_MAX_TERMS);
    plan->term_joint = pn_pool_take(&plan->pool, (size_t)plan->terms, sizeof(int));
    plan->term_dof = pn_pool_take(&plan->pool, (size_t)plan->terms, sizeof(int));
    if (plan->pool.failed) return pn_fail_memory(b, err);
    for (int i = 0; i < plan->actuators && status == PINION_OK; i++) {
        const pn_described_actuator *actuator = PN_ITEM(&b->actuators, pn_described_actuator, i);
        for (int k = 0; k < actuator->count && status == PINION_OK; k++)
            status = find_joint(plan, actuator, actuator->term + (size_t)k, err);
    }
    tendon_terms(plan, 1);
    return status;
}

pinion_status pn_plan_actuators(pn_plan *plan, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    plan->actuators = plan->terms = b->actuators_listed ? (int)b->actuators.count : ideal(plan, NULL, NULL);
    plan->actuator_frame = pn_pool_take(&plan->pool, (size_t)plan->actuators, sizeof(int));
    plan->actuator_reference = pn_pool_take(&plan->pool, (size_t)plan->actuators, sizeof(int));
    plan->actuator_tendon = pn_pool_take(&plan->pool, (size_t)plan->actuators, sizeof(int));
    if (b->actuators_listed) return plan->pool.failed ? pn_fail_memory(b, err) : plan_list(plan, err);
    plan->term_joint = pn_pool_take(&plan->pool, (size_t)plan->terms, sizeof(int));
    plan->term_dof = pn_pool_take(&plan->pool, (size_t)plan->terms, sizeof(int));
    if (plan->pool.failed) return pn_fail_memory(b, err);
    ideal(plan, plan->term_joint, plan->term_dof);
    return PINION_OK;
}
