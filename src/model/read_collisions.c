/* Collisions of a model, read back, and which of them may touch. */
#include <string.h>

#include "model/record.h"

static int is_there(const pinion_model *m, int index, int count, const void *out)
{
    return m && out && index >= 0 && index < count;
}

int pinion_model_collision_count(const pinion_model *m)
{
    return m->collisions;
}

pinion_status pinion_model_collision(const pinion_model *m, int index, pinion_collision_info *out)
{
    if (!is_there(m, index, m ? m->collisions : 0, out)) return PINION_ERR_ARGUMENT;
    const pn_collision_record *record = PN_AT_CONST(m, pn_collision_record, m->collision) + index;
    *out = record->info;
    out->name = PN_AT_CONST(m, char, record->name);
    out->mesh = record->mesh ? PN_AT_CONST(m, char, record->mesh) : NULL;
    out->data = record->data ? PN_AT_CONST(m, double, record->data) : NULL;
    return PINION_OK;
}

int pinion_model_collision_pair_count(const pinion_model *m)
{
    return m->pairs;
}

pinion_status pinion_model_collision_pair(const pinion_model *m, int index, pinion_collision_pair_info *out)
{
    if (!is_there(m, index, m ? m->pairs : 0, out)) return PINION_ERR_ARGUMENT;
    *out = PN_AT_CONST(m, pinion_collision_pair_info, m->pair)[index];
    return PINION_OK;
}

int pinion_model_exclusion_count(const pinion_model *m)
{
    return m->exclusions;
}

pinion_status pinion_model_exclusion(const pinion_model *m, int index, int links[2])
{
    if (!is_there(m, index, m ? m->exclusions : 0, links)) return PINION_ERR_ARGUMENT;
    memcpy(links, PN_AT_CONST(m, int, m->exclusion) + 2 * (size_t)index, 2 * sizeof(int));
    return PINION_OK;
}

int pinion_model_link_collisions(const pinion_model *m, int link, int *first)
{
    if (!is_there(m, link, m ? m->links : 0, first)) return 0;
    const int *start = PN_AT_CONST(m, int, m->link_collision) + link;
    *first = start[0];
    return start[1] - start[0];
}

int pinion_model_find_collision(const pinion_model *m, const char *name)
{
    for (int i = 0; m && name && i < m->collisions; i++) {
        const pn_collision_record *record = PN_AT_CONST(m, pn_collision_record, m->collision) + i;
        if (strcmp(PN_AT_CONST(m, char, record->name), name) == 0) return i;
    }
    return -1;
}

/* ---------------------------------------------------------------------------------------------
 * What may touch */

static int is_pair(const pinion_model *m, int first, int second)
{
    const pinion_collision_pair_info *pair = PN_AT_CONST(m, pinion_collision_pair_info, m->pair);
    for (int i = 0; i < m->pairs; i++) {
        if ((pair[i].first == first && pair[i].second == second) ||
            (pair[i].first == second && pair[i].second == first))
            return 1;
    }
    return 0;
}

/* A body without mass and shapes is a step between two joints: one body of a file that has several joints, say. */
static int is_between(const pinion_model *m, int index, const pinion_body_info *body)
{
    const pn_collision_record *list = PN_AT_CONST(m, pn_collision_record, m->collision);
    const pn_link_record *links = PN_AT_CONST(m, pn_link_record, m->link);
    if (body->mass != 0) return 0;
    for (int i = 0; i < m->collisions; i++)
        if (links[list[i].info.link].body == index) return 0;
    return 1;
}

/* Whether the body that `child` is in hangs on the body of `parent`, or on that link where it is part of the base. */
static int is_joined(const pinion_model *m, int parent, int child)
{
    const pn_link_record *links = PN_AT_CONST(m, pn_link_record, m->link);
    pinion_body_info body, above;
    if (links[child].body == 0 || pinion_model_body(m, links[child].body, &body) != PINION_OK) return 0;
    while (body.parent != 0 && pinion_model_body(m, body.parent, &above) == PINION_OK &&
           is_between(m, body.parent, &above))
        body = above;
    if (body.parent != links[parent].body) return 0;
    if (body.parent != 0) return 1;
    const int world = links[parent].joint < 0 && strcmp(PN_AT_CONST(m, char, links[parent].name), "world") == 0;
    return !world && PN_AT_CONST(m, pn_joint_record, m->joint)[body.joint].parent == parent;
}

static int is_excluded(const pinion_model *m, int a, int b)
{
    const int *list = PN_AT_CONST(m, int, m->exclusion);
    const int first = a < b ? a : b, second = a < b ? b : a;
    int low = 0, high = m->exclusions;
    while (low < high) {
        const int middle = low + (high - low) / 2, x = list[2 * middle], y = list[2 * middle + 1];
        if (x == first && y == second) return 1;
        if (x < first || (x == first && y < second))
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

int pinion_model_may_collide(const pinion_model *m, int first, int second)
{
    if (!m || first < 0 || second < 0 || first >= m->collisions || second >= m->collisions || first == second) return 0;
    if (is_pair(m, first, second)) return 1;
    const pn_collision_record *list = PN_AT_CONST(m, pn_collision_record, m->collision);
    const pinion_collision_info *a = &list[first].info, *b = &list[second].info;
    const pn_link_record *links = PN_AT_CONST(m, pn_link_record, m->link);
    if (links[a->link].body == links[b->link].body) return 0;
    if (is_joined(m, a->link, b->link) || is_joined(m, b->link, a->link)) return 0;
    if (is_excluded(m, a->link, b->link) || (a->group && a->group == b->group)) return 0;
    return (a->category & b->mask) || (b->category & a->mask);
}
