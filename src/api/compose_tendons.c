/* Models made of others: their tendons. */
#include "api/compose_copy.h"

#include <stdlib.h>
#include <string.h>

/* The name of what a tendon goes through, with the prefix; NULL for a pulley. */
static const char *name_of(const pn_copy *c, const pinion_tendon_info *t, int k, char out[PN_COPY_NAME])
{
    const int index = t->term[k].index;
    pinion_frame_info frame = {0};
    if (index < 0) return NULL;
    if (t->type == PINION_TENDON_JOINTS) return pn_copy_joint(c, index, out);
    return pinion_model_frame(c->m, index, &frame) == PINION_OK ? pn_copy_name(c, frame.name, out) : "";
}

/* Whether it goes through what is not part of the model. */
static int is_left(const pn_copy *c, const pinion_tendon_info *t)
{
    for (int i = 0; i < t->count; i++) {
        const int index = t->term[i].index;
        pinion_frame_info frame;
        if (index < 0) continue;
        if (t->type == PINION_TENDON_JOINTS ? pn_copy_joint_left(c, index)
                                            : pinion_model_frame(c->m, index, &frame) == PINION_OK &&
                                                  pn_copy_left(c, frame.link))
            return 1;
    }
    return 0;
}

int pn_copy_has_tendon(const pn_copy *c, const pinion_tendon_info *t)
{
    int locked = 0;
    for (int i = 0; i < t->count && t->type == PINION_TENDON_JOINTS; i++) locked += pn_copy_locked(c, t->term[i].index);
    return locked < t->count && !is_left(c, t);
}

/* How the length of a tendon is: that of joints which all turn is an angle. */
static double length_factor(const pn_copy *c, const pinion_tendon_info *t)
{
    for (int i = 0; t->type == PINION_TENDON_JOINTS && i < t->count; i++)
        if (pn_copy_joint_factor(c, t->term[i].index) != 1) return pn_copy_length(c);
    return t->type == PINION_TENDON_JOINTS ? 1 : pn_copy_length(c);
}

/* One tendon; what joints that are locked add to its length is taken from where it is relaxed and from its limits. */
static pinion_status add_tendon(const pn_copy *c, const pinion_tendon_info *info, char (*room)[PN_COPY_NAME],
                                const char **through, double *weights)
{
    char name[PN_COPY_NAME];
    pinion_tendon_def def = pinion_tendon_def_default();
    def.name = pn_copy_name(c, info->name, name);
    def.type = info->type;
    def.stiffness = info->stiffness;
    def.damping = info->damping;
    memcpy(def.stiffness_curve, info->stiffness_curve, sizeof def.stiffness_curve);
    memcpy(def.damping_curve, info->damping_curve, sizeof def.damping_curve);
    const double factor = length_factor(c, info);
    for (int k = 0; k < 2; k++) {
        def.rest[k] = factor * info->rest[k];
        def.limits[k] = factor * info->limits[k];
    }
    for (int i = 0; i < info->count; i++) {
        const pinion_tendon_term *t = &info->term[i];
        const int joints = info->type == PINION_TENDON_JOINTS;
        if (joints && pn_copy_locked(c, t->index)) {
            const double part = t->weight * pn_copy_coordinate(c, t->index);
            for (int k = 0; k < 2; k++) {
                def.rest[k] -= part;
                def.limits[k] -= part;
            }
            continue;
        }
        through[def.count] = name_of(c, info, i, room[i]);
        weights[def.count++] = joints ? t->weight * factor / pn_copy_joint_factor(c, t->index) : t->weight;
    }
    def.through = through;
    def.weights = weights;
    return pinion_builder_add_tendon(c->b, &def, c->err);
}

pinion_status pn_copy_tendons(const pn_copy *c)
{
    pinion_status s = PINION_OK;
    for (int i = 0; s == PINION_OK && i < pinion_model_tendon_count(c->m); i++) {
        pinion_tendon_info info;
        if ((s = pinion_model_tendon(c->m, i, &info)) != PINION_OK) break;
        if (!pn_copy_has_tendon(c, &info)) continue;
        const size_t n = (size_t)info.count + 1;
        char(*room)[PN_COPY_NAME] = malloc(n * sizeof *room);
        const char **through = malloc(n * sizeof *through);
        double *weights = malloc(n * sizeof *weights);
        s = room && through && weights ? add_tendon(c, &info, room, through, weights)
                                       : pn_error_set(c->err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        free(room);
        free(through);
        free(weights);
    }
    return s;
}
