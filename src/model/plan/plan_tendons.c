/* Tendons: the joints and frames that they name. */
#include <string.h>

#include "model/plan/plan.h"

/* Names exist once. */
static pinion_status check_names(pn_plan *plan, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    const int count = (int)b->tendons.count;
    pn_name *names = plan->tendon_names = pn_pool_take(&plan->pool, (size_t)count, sizeof *names);
    if (!names) return pn_fail_memory(b, err);
    for (int i = 0; i < count; i++) {
        names[i].index = i;
        names[i].name = pn_builder_text(b, PN_ITEM(&b->tendons, pn_described_tendon, i)->name);
    }
    pn_names_sort(names, count);
    int first = 0, second = pn_names_duplicate(names, count, &first);
    if (second < 0) return PINION_OK;
    const pn_described_tendon *tendon = PN_ITEM(&b->tendons, pn_described_tendon, second);
    return pn_fail(b, err, PINION_ERR_MODEL, tendon->line,
                   "tendon %s has the name of another tendon; expected a name of its own",
                   pn_quote(pn_builder_text(b, tendon->name)).text);
}

/* The joint of that name; why it will not do goes to *why. */
static int find_joint(const pn_plan *plan, const char *name, const char **why)
{
    const pinion_builder *b = plan->b;
    const int found = pn_names_find(plan->joint_names, plan->joint_name_count, name);
    if (found < 0) {
        *why = "does not exist";
    } else if (found >= (int)b->joints.count || plan->joint_place[found] < 0) {
        *why = "closes a loop and has no coordinate of its own";
    } else if (!pn_type_has_one_coordinate((int)PN_ITEM(&b->joints, pn_described_joint, found)->type)) {
        *why = "has not one coordinate";
    } else {
        return plan->joint_place[found];
    }
    return -1;
}

static int find_frame(const pn_plan *plan, const char *name, const char **why)
{
    const int found = pn_names_find(plan->frame_names, plan->frame_name_count, name);
    if (found < 0) *why = "does not exist";
    return found >= 0 && found < plan->links ? plan->link_place[found] : found;
}

pinion_status pn_plan_tendons(pn_plan *plan, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    plan->tendon_index = pn_pool_take(&plan->pool, b->tendon_terms.count, sizeof(int));
    if (plan->pool.failed) return pn_fail_memory(b, err);
    const pinion_status status = check_names(plan, err);
    if (status != PINION_OK) return status;
    for (size_t i = 0; i < b->tendons.count; i++) {
        const pn_described_tendon *tendon = PN_ITEM(&b->tendons, pn_described_tendon, i);
        const int joints = tendon->type == PINION_TENDON_JOINTS;
        for (size_t k = tendon->term; k < tendon->term + (size_t)tendon->count; k++) {
            const size_t text = PN_ITEM(&b->tendon_terms, pn_described_term, k)->joint;
            const char *name = pn_builder_text(b, text), *why = NULL;
            plan->tendon_index[k] = -1;
            if (text) plan->tendon_index[k] = joints ? find_joint(plan, name, &why) : find_frame(plan, name, &why);
            if (why)
                return pn_fail(b, err, PINION_ERR_MODEL, tendon->line,
                               "tendon %s: %s %s %s; expected %s of this model",
                               pn_quote(pn_builder_text(b, tendon->name)).text, joints ? "joint" : "frame",
                               pn_quote(name).text, why, joints ? "a joint" : "a link or a frame");
        }
    }
    return PINION_OK;
}
