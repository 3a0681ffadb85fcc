/* Small MJCF files of tests, and what is told of them. */
#ifndef TESTS_IO_MJCF_TEXT_H
#define TESTS_IO_MJCF_TEXT_H

#include "check.h"
#include "pinion/pinion.h"

static inline pinion_model *load(const char *text)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, "f", NULL, &err);
    if (!m) CHECK_FAIL("%.200s: %s", text, err.message);
    return m;
}

/* A file of which one part is given: what is before <worldbody>, and the bodies. */
static inline pinion_model *world(const char *head, const char *bodies)
{
    char text[8000];
    snprintf(text, sizeof text, "<mujoco model='m'>%s<worldbody>%s</worldbody></mujoco>", head, bodies);
    return load(text);
}

static inline int has_warning(const pinion_model *m, const char *part)
{
    for (int i = 0; i < pinion_model_warning_count(m); i++) {
        if (strstr(pinion_model_warning(m, i), part)) return 1;
    }
    return 0;
}

#define UNIT "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"

#endif
