/* A satellite with wheels, without gravity. */
#ifndef PN_SATELLITE_H
#define PN_SATELLITE_H

#include "../fluid/runs.h"

/* Links "bus" and "wheel0", ... on joints about the given axes; each rotor is round, with `spin` about its axis. */
static inline pinion_model *satellite(const double I[6], int wheels, const double (*axis)[3], double spin,
                                      double across)
{
    const double g[3] = {0, 0, 0};
    pinion_builder *b = pinion_builder_new("satellite");
    pinion_load_options options = pinion_load_options_default();
    options.root = PINION_ROOT_FREE;
    CHECK_STATUS(pinion_builder_set_gravity(b, g, NULL), PINION_OK);
    for (int i = -1; i < wheels; i++) {
        char name[16];
        pinion_link_def link = pinion_link_def_default();
        pinion_joint_def joint = pinion_joint_def_default();
        snprintf(name, sizeof name, "wheel%d", i);
        link.name = i < 0 ? "bus" : name;
        link.inertia.mass = i < 0 ? 10 : 1;
        for (int k = 0; k < 6; k++) link.inertia.inertia[k] = i < 0 ? I[k] : 0;
        if (i >= 0) {
            const double *e = axis[i];
            static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
            for (int k = 0; k < 6; k++) {
                const double along = (spin - across) * e[row[k]] * e[column[k]];
                link.inertia.inertia[k] = row[k] == column[k] ? across + along : along;
            }
        }
        CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
        if (i < 0) continue;
        joint.name = name;
        joint.type = PINION_JOINT_CONTINUOUS;
        joint.parent = "bus";
        joint.child = name;
        memcpy(joint.axis, axis[i], sizeof joint.axis);
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, &options, NULL);
    pinion_builder_free(b);
    CHECK(m);
    return m;
}

#endif
