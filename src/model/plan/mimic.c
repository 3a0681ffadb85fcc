/* Followers: whom they follow in the end, and by what multiplier and offset. */
#include <math.h>

#include "model/plan/plan.h"

enum { NOT_YET = 0, ON_THE_WAY, DONE };

/* The joint each described joint names as its leader, by the builder's numbers; -1 for none. Where followers
 * become ordinary joints nobody needs a leader, and one that does not exist is worth a warning. */
static pinion_status find_leaders(pn_plan *plan, int *leader, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    for (int i = 0; i < (int)b->joints.count; i++) {
        const pn_described_joint *joint = PN_ITEM(&b->joints, const pn_described_joint, i);
        leader[i] = -1;
        if (!joint->mimic) continue;
        const char *name = pn_builder_text(b, joint->mimic);
        if (plan->joint_place[i] < 0 && !plan->independent) {
            return pn_fail(
                b, err, PINION_ERR_MODEL, joint->line,
                "joint %s mimics joint %s but closes a loop, so it has no place in the tree; expected "
                "another joint of the loop to be cut, or a gear in place of the mimic",
                pn_quote(pn_builder_text(b, joint->name)).text, pn_quote(name).text);
        }
        int found = pn_names_find(plan->joint_names, plan->joint_name_count, name);
        int in_tree = found >= 0 && found < (int)b->joints.count;
        if (in_tree && plan->joint_place[found] < 0 && !plan->independent) in_tree = 0;
        if (!in_tree) {
            pinion_error why;
            pinion_status status = pn_fail(b, &why, PINION_ERR_MODEL, joint->line,
                                           "joint %s mimics joint %s, which %s; expected a joint of the tree",
                                           pn_quote(pn_builder_text(b, joint->name)).text, pn_quote(name).text,
                                           found < 0 ? "does not exist" : "closes a loop");
            if (found < 0 && plan->independent) {
                if (!pn_plan_warn(plan, "%s", why.message)) return pn_fail_memory(b, err);
                continue;
            }
            if (err) *err = why;
            return status;
        }
        pinion_joint_type type = PN_ITEM(&b->joints, const pn_described_joint, found)->type;
        if (!pn_type_has_one_coordinate(type)) {
            return pn_fail(
                b, err, PINION_ERR_MODEL, joint->line,
                "joint %s mimics joint %s, which is %s; expected a joint with exactly one coordinate",
                pn_quote(pn_builder_text(b, joint->name)).text, pn_quote(name).text, pinion_joint_type_name(type));
        }
        leader[i] = found;
    }
    return PINION_OK;
}

/* Follows one chain of followers up to its end, then resolves it from there down. `state` marks the joints
 * seen, `chain` is scratch; leader, multiplier and offset are by the builder's numbers. */
static pinion_status resolve(const pn_plan *plan, int start, int *leader, double *multiplier, double *offset,
                             int *state, int *chain, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    int length = 0, at = start;
    while (leader[at] >= 0 && state[at] == NOT_YET) {
        state[at] = ON_THE_WAY;
        chain[length++] = at;
        at = leader[at];
    }
    if (state[at] == ON_THE_WAY) {
        const pn_described_joint *joint = PN_ITEM(&b->joints, const pn_described_joint, at);
        return pn_fail(
            b, err, PINION_ERR_MODEL, joint->line,
            "joint %s mimics joint %s, which mimics it in turn; expected one joint that follows none",
            pn_quote(pn_builder_text(b, joint->name)).text, pn_quote(pn_builder_text(b, joint->mimic)).text);
    }

    /* q = k (k' q' + o') + o */
    while (length > 0) {
        int i = chain[--length], above = leader[i];
        state[i] = DONE;
        if (leader[above] < 0) continue;
        offset[i] = multiplier[i] * offset[above] + offset[i];
        multiplier[i] *= multiplier[above];
        leader[i] = leader[above];
        if (!isfinite(multiplier[i]) || !isfinite(offset[i])) {
            const pn_described_joint *joint = PN_ITEM(&b->joints, const pn_described_joint, i);
            return pn_fail(
                b, err, PINION_ERR_MODEL, joint->line,
                "joint %s: the multipliers along its chain of mimics overflow; expected finite numbers",
                pn_quote(pn_builder_text(b, joint->name)).text);
        }
    }
    return PINION_OK;
}

pinion_status pn_plan_mimics(pn_plan *plan, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    size_t joints = b->joints.count;
    int *leader = pn_pool_take(&plan->pool, joints, sizeof(int));
    int *state = pn_pool_take(&plan->pool, joints, sizeof(int));
    int *chain = pn_pool_take(&plan->pool, joints, sizeof(int));
    double *multiplier = pn_pool_take(&plan->pool, joints, sizeof(double));
    double *offset = pn_pool_take(&plan->pool, joints, sizeof(double));
    if (plan->pool.failed) return pn_fail_memory(b, err);

    /* resolved by the builder's numbers, and checked even where followers become ordinary joints */
    pinion_status status = find_leaders(plan, leader, err);
    if (status != PINION_OK) return status;
    for (size_t i = 0; i < joints; i++) {
        multiplier[i] = PN_ITEM(&b->joints, const pn_described_joint, i)->multiplier;
        offset[i] = PN_ITEM(&b->joints, const pn_described_joint, i)->offset;
    }
    for (size_t i = 0; i < joints; i++) {
        status = resolve(plan, (int)i, leader, multiplier, offset, state, chain, err);
        if (status != PINION_OK) return status;
    }

    /* to the model's numbers */
    for (int i = 0; i < plan->joints; i++) {
        int source = plan->joint_source[i];
        int follows = source >= 0 && leader[source] >= 0 && !plan->independent;
        plan->joint_leader[i] = follows ? plan->joint_place[leader[source]] : -1;
        plan->multiplier[i] = follows ? multiplier[source] : 1;
        plan->offset[i] = follows ? offset[source] : 0;
    }
    return PINION_OK;
}
