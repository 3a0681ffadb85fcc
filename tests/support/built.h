/* A model from a builder, which is freed; its message is a failure. */
#ifndef PINION_TEST_BUILT_H
#define PINION_TEST_BUILT_H

#include "check.h"
#include "pinion/pinion.h"

static pinion_model *built(pinion_builder *b)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

#endif
