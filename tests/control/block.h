/* A block of a given mass on a rail along x, the simplest machine that is controlled. */
#ifndef TEST_BLOCK_H
#define TEST_BLOCK_H

#include "check.h"
#include "pinion/model.h"

static inline pinion_builder *block_builder(double mass)
{
    pinion_builder *b = pinion_builder_new("block");
    pinion_link_def link = pinion_link_def_default();
    link.name = "rail";
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    link.name = "block";
    link.inertia.mass = mass;
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    pinion_joint_def slide = pinion_joint_def_default();
    slide.name = "slide";
    slide.type = PINION_JOINT_PRISMATIC;
    slide.parent = "rail";
    slide.child = "block";
    slide.axis[0] = 1;
    slide.axis[2] = 0;
    CHECK_STATUS(pinion_builder_add_joint(b, &slide, NULL), PINION_OK);
    return b;
}

static inline pinion_model *block_built(pinion_builder *b)
{
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    CHECK(m != NULL);
    pinion_builder_free(b);
    return m;
}

#endif
