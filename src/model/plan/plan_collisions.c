/* Collisions: the links they are on, and those that pairs and exclusions name. */
#include <stdlib.h>
#include <string.h>

#include "model/plan/plan.h"

/* Puts them in the order of their links, those of a link in the order they were added. */
static pinion_status place_collisions(pn_plan *plan, int *at, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    const int count = (int)b->collisions.count;
    int *start = pn_pool_take(&plan->pool, (size_t)plan->links + 1, sizeof *start);
    int *link = pn_pool_take(&plan->pool, (size_t)count, sizeof *link);
    if (plan->pool.failed) return pn_fail_memory(b, err);
    for (int i = 0; i < count; i++) {
        const pn_described_collision *collision = PN_ITEM(&b->collisions, pn_described_collision, i);
        link[i] = pn_plan_find_link(plan, collision->link);
        if (link[i] < 0)
            return pn_fail(b, err, PINION_ERR_MODEL, collision->line,
                           "a collision is on link %s, which does not exist; expected a link of this model",
                           pn_quote(pn_builder_text(b, collision->link)).text);
        start[link[i] + 1]++;
    }
    for (int i = 0; i < plan->links; i++) start[i + 1] += start[i];
    for (int i = 0; i < count; i++) {
        at[i] = start[link[i]]++;
        plan->collision_source[at[i]] = i;
        plan->collision_link[at[i]] = link[i];
    }
    return PINION_OK;
}

/* The collision of that name; -1: there is none, -2: there are several. */
static int find_collision(const pn_name *names, int count, const char *name)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (strcmp(names[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == count || strcmp(names[low].name, name) != 0) return -1;
    return low + 1 < count && strcmp(names[low + 1].name, name) == 0 ? -2 : names[low].index;
}

static pinion_status find_pairs(pn_plan *plan, const int *at, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    const int count = b->pairs.count ? (int)b->collisions.count : 0;
    pn_name *names = pn_pool_take(&plan->pool, (size_t)count, sizeof *names);
    if (plan->pool.failed) return pn_fail_memory(b, err);
    for (int i = 0; i < count; i++) {
        names[i].name = pn_builder_text(b, PN_ITEM(&b->collisions, pn_described_collision, i)->name);
        names[i].index = i;
    }
    if (count) pn_names_sort(names, count);
    for (size_t i = 0; i < b->pairs.count; i++) {
        const pn_described_pair *pair = PN_ITEM(&b->pairs, pn_described_pair, i);
        const size_t name[2] = {pair->first, pair->second};
        for (int k = 0; k < 2; k++) {
            const int found = find_collision(names, count, pn_builder_text(b, name[k]));
            if (found < 0)
                return pn_fail(b, err, PINION_ERR_MODEL, pair->line,
                               "a pair names the collision %s, %s; expected a collision of this model",
                               pn_quote(pn_builder_text(b, name[k])).text,
                               found == -2 ? "of which there are several" : "which does not exist");
            plan->pair[i][k] = at[found];
        }
        if (plan->pair[i][0] == plan->pair[i][1])
            return pn_fail(b, err, PINION_ERR_MODEL, pair->line,
                           "a pair names the collision %s twice; expected two collisions",
                           pn_quote(pn_builder_text(b, name[0])).text);
    }
    return PINION_OK;
}

static int by_links(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static pinion_status find_exclusions(pn_plan *plan, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    int count = 0;
    for (size_t i = 0; i < b->exclusions.count; i++) {
        const pn_described_pair *pair = PN_ITEM(&b->exclusions, pn_described_pair, i);
        const size_t name[2] = {pair->first, pair->second};
        int link[2];
        for (int k = 0; k < 2; k++) {
            link[k] = pn_plan_find_link(plan, name[k]);
            if (link[k] < 0)
                return pn_fail(b, err, PINION_ERR_MODEL, pair->line,
                               "an exclusion names link %s, which does not exist; expected a link of this model",
                               pn_quote(pn_builder_text(b, name[k])).text);
        }
        if (link[0] == link[1]) continue; /* a link never collides with itself */
        plan->exclusion[count][0] = link[0] < link[1] ? link[0] : link[1];
        plan->exclusion[count++][1] = link[0] < link[1] ? link[1] : link[0];
    }
    if (count) qsort(plan->exclusion, (size_t)count, sizeof *plan->exclusion, by_links);
    for (int i = 0; i < count; i++) {
        if (plan->exclusions && by_links(plan->exclusion[i], plan->exclusion[plan->exclusions - 1]) == 0) continue;
        memmove(plan->exclusion[plan->exclusions++], plan->exclusion[i], sizeof *plan->exclusion);
    }
    return PINION_OK;
}

pinion_status pn_plan_collisions(pn_plan *plan, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    int *at = pn_pool_take(&plan->pool, b->collisions.count, sizeof *at);
    plan->collision_source = pn_pool_take(&plan->pool, b->collisions.count, sizeof(int));
    plan->collision_link = pn_pool_take(&plan->pool, b->collisions.count, sizeof(int));
    plan->pair = pn_pool_take(&plan->pool, b->pairs.count, sizeof *plan->pair);
    plan->exclusion = pn_pool_take(&plan->pool, b->exclusions.count, sizeof *plan->exclusion);
    if (plan->pool.failed) return pn_fail_memory(b, err);
    pinion_status status = place_collisions(plan, at, err);
    if (status == PINION_OK) status = find_pairs(plan, at, err);
    return status == PINION_OK ? find_exclusions(plan, err) : status;
}
