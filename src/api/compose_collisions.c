/* Collisions of a model to a builder. */
#include "api/compose_copy.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The largest group that a builder's collisions have: those of another model come behind it. */
static int last_group(const pinion_builder *b)
{
    int last = 0;
    for (size_t i = 0; i < b->collisions.count; i++) {
        const int group = PN_ITEM(&b->collisions, const pn_described_collision, i)->info.group;
        if (group > last) last = group;
    }
    return last;
}

/* Of spin and rolling they are lengths; what is not said stays so. */
static void scale_friction(const pn_copy *c, const double from[3], double to[3])
{
    for (int i = 0; i < 3; i++) to[i] = i ? from[i] * pn_copy_length(c) : from[i];
}

static pinion_status add_collision(const pn_copy *c, const pinion_collision_info *info, int groups)
{
    char name[2][PN_COPY_NAME];
    pinion_collision_def def = pinion_collision_def_default();
    def.link = pn_copy_link(c, info->link, name[0]);
    def.name = *info->name ? pn_copy_name(c, info->name, name[1]) : NULL;
    def.shape = info->shape;
    def.pose = pn_copy_pose(c, &info->pose);
    def.mesh = info->mesh;
    def.rows = info->rows;
    def.columns = info->columns;
    def.data = info->data;
    memcpy(def.size, info->size, sizeof def.size);
    pn_copy_scale(c, def.size, 3);
    scale_friction(c, info->friction, def.friction);
    def.restitution = info->restitution;
    def.margin = info->margin * pn_copy_length(c);
    def.dimension = info->dimension;
    def.category = info->category;
    def.mask = info->mask;
    if (info->group > INT_MAX - groups)
        return pn_error_set(c->err, PINION_ERR_MODEL, NULL, 0, 0, "the collisions have groups of too large numbers");
    def.group = info->group ? info->group + groups : 0;
    const size_t numbers = pn_copy_length(c) != 1 && !info->mesh ? (size_t)info->rows * (size_t)info->columns : 0;
    double *data = numbers ? malloc(numbers * sizeof *data) : NULL;
    if (numbers && !data) return pn_error_set(c->err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    for (size_t i = 0; i < numbers; i++) data[i] = info->data[i] * pn_copy_length(c);
    if (data) def.data = data;
    const pinion_status s = pinion_builder_add_collision(c->b, &def, c->err);
    free(data);
    return s;
}

static pinion_status add_pair(const pn_copy *c, int index)
{
    char name[2][PN_COPY_NAME];
    pinion_collision_pair_info info;
    pinion_collision_info of[2];
    pinion_collision_pair_def def = pinion_collision_pair_def_default();
    pinion_status s = pinion_model_collision_pair(c->m, index, &info);
    if (s == PINION_OK) s = pinion_model_collision(c->m, info.first, &of[0]);
    if (s == PINION_OK) s = pinion_model_collision(c->m, info.second, &of[1]);
    if (s != PINION_OK || pn_copy_left(c, of[0].link) || pn_copy_left(c, of[1].link)) return s;
    def.first = pn_copy_name(c, of[0].name, name[0]);
    def.second = pn_copy_name(c, of[1].name, name[1]);
    scale_friction(c, info.friction, def.friction);
    def.margin = info.margin * pn_copy_length(c);
    def.dimension = info.dimension;
    return pinion_builder_add_collision_pair(c->b, &def, c->err);
}

pinion_status pn_copy_collisions(const pn_copy *c)
{
    const int groups = last_group(c->b);
    pinion_status s = PINION_OK;
    for (int i = 0; s == PINION_OK && i < pinion_model_collision_count(c->m); i++) {
        pinion_collision_info info;
        s = pinion_model_collision(c->m, i, &info);
        if (s == PINION_OK && !pn_copy_left(c, info.link)) s = add_collision(c, &info, groups);
    }
    for (int i = 0; s == PINION_OK && i < pinion_model_collision_pair_count(c->m); i++) s = add_pair(c, i);
    for (int i = 0; s == PINION_OK && i < pinion_model_exclusion_count(c->m); i++) {
        char name[2][PN_COPY_NAME];
        int links[2];
        s = pinion_model_exclusion(c->m, i, links);
        if (s == PINION_OK && !pn_copy_left(c, links[0]) && !pn_copy_left(c, links[1]))
            s = pinion_builder_add_exclusion(c->b, pn_copy_link(c, links[0], name[0]),
                                             pn_copy_link(c, links[1], name[1]), 0, c->err);
    }
    return s;
}
