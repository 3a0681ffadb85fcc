/* Elastic links: their modes, the names of these, and what they cannot be combined with. */
#include <stdio.h>
#include <string.h>

#include "model/plan/plan.h"

/* "LINK.mode1", which no other joint may be called. */
static pinion_status name_modes(pn_plan *plan, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    char *name = plan->mode_names;
    for (int i = 0; i < plan->elastics; i++) {
        const pn_described_link *link = pn_plan_link(plan, plan->elastic_link[i]);
        for (int k = 0; k < plan->elastic[i].count; k++, name += PN_MAX_NAME + 1) {
            const char *own = pn_builder_text(b, link->name);
            if (strlen(own) > PN_MAX_NAME - 8)
                return pn_fail(b, err, PINION_ERR_MODEL, link->line,
                               "link %s: its name is too long for those of its modes; expected at most %d bytes",
                               pn_quote(own).text, PN_MAX_NAME - 8);
            snprintf(name, PN_MAX_NAME + 1, "%.*s.mode%d", PN_MAX_NAME - 8, own, (k + 1) % 100);
            if (pn_names_find(plan->joint_names, plan->joint_name_count, name) >= 0)
                return pn_fail(b, err, PINION_ERR_MODEL, link->line,
                               "joint %s has the name of a mode of the elastic link %s; expected a name of its own",
                               pn_quote(name).text, pn_quote(own).text);
        }
    }
    return PINION_OK;
}

/* What an elastic link cannot have yet: it would be rigid where the link is not. */
static pinion_status check_elastic(const pn_plan *plan, int i, pinion_error *err)
{
    const int place = plan->elastic_link[i];
    const pn_described_link *link = pn_plan_link(plan, place);
    const char *name = pn_builder_text(plan->b, link->name);
    for (int l = 0; l < plan->loops; l++) {
        const pn_described_joint *joint = pn_plan_loop_joint(plan, l);
        const pinion_elastic_def *def = &plan->elastic[i].def;
        const int ends[2] = {plan->loop_parent[l] == place, plan->loop_child[l] == place};
        if ((ends[0] && pn_elastic_station(def, &joint->parent_pose) >= 0) ||
            (ends[1] && pn_elastic_station(def, &joint->child_pose) >= 0))
            return pn_fail(plan->b, err, PINION_ERR_UNSUPPORTED, link->line,
                           "link %s is elastic, and a loop or a spring is closed where it bends; expected that on a "
                           "link fixed there",
                           pn_quote(name).text);
    }
    for (size_t c = 0; c < plan->b->collisions.count; c++)
        if (plan->collision_link[c] == place)
            return pn_fail(plan->b, err, PINION_ERR_UNSUPPORTED, link->line,
                           "link %s is elastic and has shapes that collide; expected them on links fixed to it",
                           pn_quote(name).text);
    if (link->added)
        return pn_fail(plan->b, err, PINION_ERR_UNSUPPORTED, link->line,
                       "link %s is elastic and has added mass; expected that on links fixed to it",
                       pn_quote(name).text);
    if (link->gravity_compensation != 0)
        return pn_fail(plan->b, err, PINION_ERR_UNSUPPORTED, link->line,
                       "link %s is elastic and has gravity compensation; expected a rigid link",
                       pn_quote(name).text);
    return PINION_OK;
}

pinion_status pn_plan_elastic(pn_plan *plan, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    plan->link_elastic = pn_pool_take(&plan->pool, (size_t)plan->links, sizeof(int));
    plan->elastic_link = pn_pool_take(&plan->pool, b->elastics.count, sizeof(int));
    plan->elastic = pn_pool_take(&plan->pool, b->elastics.count, sizeof *plan->elastic);
    if (plan->pool.failed) return pn_fail_memory(b, err);
    for (int i = 0; i < plan->links; i++) {
        const pn_described_link *link = pn_plan_link(plan, i);
        if (!link->elastic) continue;
        const pinion_elastic_def def = pn_builder_elastic(b, link);
        const char *fault = pn_modes_make(&plan->elastic[plan->elastics], &def);
        if (fault)
            return pn_fail(b, err, PINION_ERR_MODEL, link->line, "link %s: %s",
                           pn_quote(pn_builder_text(b, link->name)).text, fault);
        plan->elastic_link[plan->elastics++] = i;
        plan->link_elastic[i] = plan->elastics;
        plan->modes += plan->elastic[plan->elastics - 1].count;
        const pinion_status status = check_elastic(plan, plan->elastics - 1, err);
        if (status != PINION_OK) return status;
    }
    plan->mode_names = pn_pool_take(&plan->pool, (size_t)plan->modes, PN_MAX_NAME + 1);
    return plan->pool.failed ? pn_fail_memory(b, err) : name_modes(plan, err);
}
