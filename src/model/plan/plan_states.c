/* Named states and groups: the joints that they name. */
#include <math.h>
#include <string.h>

#include "model/plan/plan.h"

/* Names exist once. */
static pinion_status check_names(pn_plan *plan, const pn_list *list, const char *what, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    const int count = (int)list->count;
    pn_name *names = pn_pool_take(&plan->pool, (size_t)count, sizeof *names);
    if (!names) return pn_fail_memory(b, err);
    for (int i = 0; i < count; i++) {
        names[i].index = i;
        names[i].name = pn_builder_text(b, PN_ITEM(list, pn_described_set, i)->name);
    }
    pn_names_sort(names, count);
    int first = 0, second = pn_names_duplicate(names, count, &first);
    if (second < 0) return PINION_OK;
    const pn_described_set *set = PN_ITEM(list, pn_described_set, second);
    return pn_fail(b, err, PINION_ERR_MODEL, set->line, "%s %s has the name of another; expected a name of its own",
                   what, pn_quote(pn_builder_text(b, set->name)).text);
}

/* What is wrong with the numbers that a joint is given; NULL when nothing is. */
static const char *fault(const pn_described_joint *joint, const pn_described_member *member, int turned)
{
    const int count = member->velocity ? pinion_joint_type_nv(joint->type) : pinion_joint_type_nq(joint->type);
    if (joint->type == PINION_JOINT_FIXED) return "is fixed";
    if (member->count != count) return "has another number of coordinates";
    if (turned && (joint->type == PINION_JOINT_SPHERICAL || joint->type == PINION_JOINT_UNIVERSAL))
        return "points towards the root, so that its coordinates are not those described";
    if (!member->velocity && (joint->type == PINION_JOINT_SPHERICAL || joint->type == PINION_JOINT_FREE)) {
        const double *q = member->value;
        const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (!(fabs(length - 1) <= 1e-6)) return "has a quaternion that is not of unit length";
    }
    return NULL;
}

static pinion_status find_joint(pn_plan *plan, const char *what, const pn_described_set *set, size_t index,
                                pinion_error *err)
{
    const pinion_builder *b = plan->b;
    const pn_described_member *member = PN_ITEM(&b->members, pn_described_member, index);
    const char *name = pn_builder_text(b, member->joint), *why = NULL;
    const int found = pn_names_find(plan->joint_names, plan->joint_name_count, name);
    int place = -1;
    if (found < 0 && strcmp(name, "root") == 0) {
        /* the joint of a free base, which counts where the model is loaded with one */
        static const pn_described_joint root = {.type = PINION_JOINT_FREE};
        if (plan->free_root) place = 0;
        if (member->count) why = fault(&root, member, 0);
    } else if (found < 0) {
        why = "does not exist";
    } else if (found >= (int)b->joints.count || plan->joint_place[found] < 0) {
        why = "closes a loop and has no coordinate of its own";
    } else {
        place = plan->joint_place[found];
        if (member->count)
            why = fault(PN_ITEM(&b->joints, pn_described_joint, found), member, plan->joint_turned[found]);
    }
    if (why)
        return pn_fail(b, err, PINION_ERR_MODEL, set->line, "%s %s: joint %s %s", what,
                       pn_quote(pn_builder_text(b, set->name)).text, pn_quote(name).text, why);
    const int follows = place >= 0 && member->count && plan->joint_leader[place] >= 0;
    plan->member_joint[index] = follows ? -1 : place;
    return PINION_OK;
}

pinion_status pn_plan_sets(pn_plan *plan, pinion_error *err)
{
    static const char *const what[2] = {"state", "group"};
    const pinion_builder *b = plan->b;
    const pn_list *const list[2] = {&b->states, &b->groups};
    plan->member_joint = pn_pool_take(&plan->pool, b->members.count, sizeof(int));
    if (plan->pool.failed) return pn_fail_memory(b, err);
    for (int k = 0; k < 2; k++) {
        pinion_status status = check_names(plan, list[k], what[k], err);
        for (size_t i = 0; i < list[k]->count && status == PINION_OK; i++) {
            const pn_described_set *set = PN_ITEM(list[k], pn_described_set, i);
            const char *name = pn_builder_text(b, set->name);
            if (k == 1 && pn_names_find(plan->joint_names, plan->joint_name_count, name) >= 0)
                status = pn_fail(b, err, PINION_ERR_MODEL, set->line,
                                 "group %s has the name of a joint; expected a name of its own", pn_quote(name).text);
            for (int j = 0; j < set->count && status == PINION_OK; j++)
                status = find_joint(plan, what[k], set, set->member + (size_t)j, err);
        }
        if (status != PINION_OK) return status;
    }
    return PINION_OK;
}
