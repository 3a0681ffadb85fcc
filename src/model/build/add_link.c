/* Links: what a builder takes of them. */
#include <string.h>

#include "model/build/describe.h"

pinion_link_def pinion_link_def_default(void)
{
    pinion_link_def def;
    memset(&def, 0, sizeof def);
    def.cookie = PN_COOKIE_LINK;
    return def;
}

pinion_status pinion_builder_add_link(pinion_builder *b, const pinion_link_def *def, pinion_error *err)
{
    if (!b || !def)
        return pn_fail(b, err, PINION_ERR_ARGUMENT, 0, "an argument is NULL; expected a builder and a definition");
    pinion_status status = pn_check_link(b, def, err);
    if (status == PINION_OK) status = pn_builder_room(b, &b->links, "link", &def->name, 1, def->line, err);
    if (status == PINION_OK && def->added_mass && !pn_list_reserve(&b->added, 1)) status = pn_fail_memory(b, err);
    if (status == PINION_OK) status = pn_builder_elastic_room(b, def, err);
    if (status == PINION_OK && def->drag && !pn_list_reserve(&b->drags, 1)) status = pn_fail_memory(b, err);
    if (status != PINION_OK) return status;

    pn_described_link *link = pn_list_push(&b->links);
    link->name = pn_builder_keep(b, def->name);
    link->inertia = def->inertia;
    link->gravity_compensation = def->gravity_compensation;
    link->added = 0;
    if (def->added_mass) {
        double *A = pn_list_push(&b->added);
        for (int i = 0; i < 36; i++) A[i] = (def->added_mass[i] + def->added_mass[i % 6 * 6 + i / 6]) / 2;
        link->added = b->added.count;
    }
    link->elastic = pn_builder_keep_elastic(b, def->elastic);
    link->drag = 0;
    if (def->drag) {
        pinion_drag *drag = pn_list_push(&b->drags);
        *drag = *def->drag;
        pn_pose_fault(&drag->pose); /* which has none, and gets a rotation to rounding */
        link->drag = b->drags.count;
    }
    link->line = def->line;
    return PINION_OK;
}
