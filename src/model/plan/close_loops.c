/* What each loop ties together: links and joints by number, and that it can constrain anything at all. */
#include "model/plan/plan.h"

/* "loop", or "joint" for one that the spanning tree has left out. */
static const char *what_of(const pn_plan *plan, int loop)
{
    return plan->loop_source[loop] < 0 ? "joint" : "loop";
}

/* Links of a loop joint, a distance or a rolling contact: two, and of two bodies. */
static pinion_status find_links(pn_plan *plan, int loop, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    const pn_described_joint *joint = pn_plan_loop_joint(plan, loop);
    const size_t name[2] = {joint->parent, joint->child};
    int link[2];
    for (int i = 0; i < 2; i++) {
        link[i] = pn_plan_find_link(plan, name[i]);
        if (link[i] >= 0) continue;
        return pn_fail(b, err, PINION_ERR_MODEL, joint->line,
                       "loop %s: %s link %s does not exist; expected a link of this model",
                       pn_quote(pn_builder_text(b, joint->name)).text, i ? "child" : "parent",
                       pn_quote(pn_builder_text(b, name[i])).text);
    }
    if (plan->link_body[link[0]] == plan->link_body[link[1]]) {
        return pn_fail(
            b, err, PINION_ERR_MODEL, joint->line,
            "%s %s closes a loop between links %s and %s, which fixed joints make one body; expected "
            "two links that can move against each other",
            what_of(plan, loop), pn_quote(pn_builder_text(b, joint->name)).text,
            pn_quote(pn_builder_text(b, name[0])).text, pn_quote(pn_builder_text(b, name[1])).text);
    }
    plan->loop_parent[loop] = link[0];
    plan->loop_child[loop] = link[1];
    return PINION_OK;
}

/* A joint of a gear or a drive: in the tree, with one coordinate of its own. */
static pinion_status find_joint(const pn_plan *plan, const pn_described_loop *loop, size_t name, int *out,
                                pinion_error *err)
{
    const pinion_builder *b = plan->b;
    const char *why = NULL;
    int joints = (int)b->joints.count;
    int found = pn_names_find(plan->joint_names, plan->joint_name_count, pn_builder_text(b, name)), place = -1;
    if (found < 0) {
        why = "does not exist";
    } else if (found >= joints) {
        why = "closes a loop itself";
    } else if (plan->joint_place[found] < 0) {
        why = "is not in the spanning tree but closes a loop (cut another joint of it)";
    } else {
        place = plan->joint_place[found];
        pinion_joint_type type = pn_plan_type(plan, place);
        if (!pn_type_has_one_coordinate(type)) {
            return pn_fail(b, err, PINION_ERR_MODEL, loop->joint.line,
                           "loop %s: joint %s is %s; expected a joint with exactly one coordinate",
                           pn_quote(pn_builder_text(b, loop->joint.name)).text, pn_quote(pn_builder_text(b, name)).text,
                           pinion_joint_type_name(type));
        }
        if (plan->joint_leader[place] >= 0)
            why = "follows another joint, and its coordinate is that one's (name it)";
    }
    *out = place;
    if (!why) return PINION_OK;
    return pn_fail(b, err, PINION_ERR_MODEL, loop->joint.line,
                   "loop %s: joint %s %s; expected a joint of the tree with one coordinate of its own",
                   pn_quote(pn_builder_text(b, loop->joint.name)).text, pn_quote(pn_builder_text(b, name)).text, why);
}

/* What is allowed but surely not meant. */
static int warn_loop(pn_plan *plan, int loop)
{
    const pn_described_joint *joint = pn_plan_loop_joint(plan, loop);
    pn_quoted name = pn_quote(pn_builder_text(plan->b, joint->name));
    if (pn_plan_loop_kind(plan, loop) != PINION_LOOP_JOINT) return 1;
    if (joint->type == PINION_JOINT_FREE &&
        !pn_plan_warn(plan, "%s %s is free and closes a loop: it constrains nothing", what_of(plan, loop),
                      name.text)) {
        return 0;
    }
    if (!joint->has_initial) return 1;
    return pn_plan_warn(
        plan, "the initial state of joint %s is ignored: it closes a loop and has no coordinates of its own",
        name.text);
}

pinion_status pn_plan_loops(pn_plan *plan, pinion_error *err)
{
    for (int i = 0; i < plan->loops; i++) {
        const pn_described_loop *described = pn_plan_loop(plan, i);
        pinion_loop_kind kind = pn_plan_loop_kind(plan, i);
        pinion_status status = PINION_OK;
        plan->loop_parent[i] = plan->loop_child[i] = plan->loop_first[i] = plan->loop_second[i] = -1;
        if (kind == PINION_LOOP_GEAR || kind == PINION_LOOP_DRIVE) {
            status = find_joint(plan, described, described->first, &plan->loop_first[i], err);
            if (status == PINION_OK && kind == PINION_LOOP_GEAR) {
                status = find_joint(plan, described, described->second, &plan->loop_second[i], err);
            }
        } else {
            status = find_links(plan, i, err);
        }
        if (status != PINION_OK) return status;
        if (!warn_loop(plan, i)) return pn_fail_memory(plan->b, err);
    }
    return PINION_OK;
}
