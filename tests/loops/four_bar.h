/* A four-bar, built by hand. */
#ifndef PN_TEST_FOUR_BAR_H
#define PN_TEST_FOUR_BAR_H

#include "check.h"
#include "pinion/pinion.h"

/* A planar four-bar: crank 1 m, coupler 2 m and rocker 2 m over a base of `base` m, in the x-z plane, axes
 * along y. The coupler has the mass given. */
static inline pinion_model *four_bar(double base, double coupler_mass)
{
    static const char *const link[] = {"crank", "coupler", "rocker"};
    const double length[] = {1, 2, 2};
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("four-bar");
    pinion_link_def l = pinion_link_def_default();
    l.name = "base";
    CHECK_STATUS(pinion_builder_add_link(b, &l, NULL), PINION_OK);
    for (int i = 0; i < 3; i++) {
        const double mass = i == 1 ? coupler_mass : 1, I = mass * length[i] * length[i] / 12;
        l.name = link[i];
        l.inertia.mass = mass;
        l.inertia.com[0] = length[i] / 2;
        l.inertia.inertia[3] = I;
        l.inertia.inertia[5] = I;
        CHECK_STATUS(pinion_builder_add_link(b, &l, NULL), PINION_OK);
    }
    for (int i = 0; i < 4; i++) {
        static const char *const parent[] = {"base", "crank", "base", "coupler"};
        static const char *const child[] = {"crank", "coupler", "rocker", "rocker"};
        static const char *const name[] = {"A", "B", "D", "C"};
        pinion_joint_def j = pinion_joint_def_default();
        j.name = name[i];
        j.type = PINION_JOINT_CONTINUOUS;
        j.parent = parent[i];
        j.child = child[i];
        j.axis[0] = j.axis[2] = 0;
        j.axis[1] = 1;
        j.parent_pose.position[0] = i == 1 ? 1 : i == 2 ? base : i == 3 ? 2 : 0;
        j.child_pose.position[0] = i == 3 ? 2 : 0;
        CHECK_STATUS(i < 3 ? pinion_builder_add_joint(b, &j, NULL) : pinion_builder_add_loop(b, &j, NULL),
                     PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

#endif
