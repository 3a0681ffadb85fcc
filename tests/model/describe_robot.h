/* Definitions of links and joints in short, a small robot to put them on, the check of an error message. */
#ifndef PN_TEST_DESCRIBE_ROBOT_H
#define PN_TEST_DESCRIBE_ROBOT_H

#include <pinion/model.h>

#include "../support/check.h"

static inline pinion_link_def link_def(const char *name, int line)
{
    pinion_link_def def = pinion_link_def_default();
    def.name = name;
    def.inertia.mass = 1;
    def.inertia.inertia[0] = def.inertia.inertia[3] = def.inertia.inertia[5] = 0.1;
    def.line = line;
    return def;
}

static inline pinion_joint_def joint_def(const char *name, pinion_joint_type type, const char *parent,
                                         const char *child, int line)
{
    pinion_joint_def def = pinion_joint_def_default();
    def.name = name;
    def.type = type;
    def.parent = parent;
    def.child = child;
    def.line = line;
    return def;
}

static inline void add_link(pinion_builder *b, const char *name, int line)
{
    pinion_link_def def = link_def(name, line);
    CHECK_STATUS(pinion_builder_add_link(b, &def, NULL), PINION_OK);
}

static inline void add_joint(pinion_builder *b, const char *name, const char *parent, const char *child,
                             int line)
{
    pinion_joint_def def = joint_def(name, PINION_JOINT_REVOLUTE, parent, child, line);
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
}

/* A builder of a small valid model from "robot.urdf": base -j1-> arm -j2-> hand, all of line 10 and on. */
static inline pinion_builder *small(void)
{
    pinion_builder *b = pinion_builder_new("small");
    CHECK_STATUS(pinion_builder_set_source(b, "robot.urdf"), PINION_OK);
    add_link(b, "base", 10);
    add_link(b, "arm", 11);
    add_link(b, "hand", 12);
    add_joint(b, "j1", "base", "arm", 13);
    add_joint(b, "j2", "arm", "hand", 14);
    return b;
}

/* The message has its place, all the parts, says what was expected, and is one line. */
static inline void check_message(const pinion_error *err, pinion_status status, const char *place,
                                 const char *a, const char *b)
{
    CHECK_STATUS(err->status, status);
    CHECK(strncmp(err->message, place, strlen(place)) == 0);
    if (strncmp(err->message, place, strlen(place)) != 0) printf("       %s\n", err->message);
    CHECK_HAS(err->message, a);
    CHECK_HAS(err->message, b);
    CHECK(strchr(err->message, '\n') == NULL);
    CHECK(memchr(err->message, 0, sizeof err->message) != NULL);
}

#endif
