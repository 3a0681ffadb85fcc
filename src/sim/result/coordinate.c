/* Names and units of coordinates, for the columns of results, and coordinates by their names. */
#define _POSIX_C_SOURCE 200809L
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pinion/actuators.h"
#include "pinion/named.h"
#include "pinion/sim/result.h"

/* Which part of a state a name begins with. */
enum { POSITION, VELOCITY, ACCELERATION, FORCE, WHAT_COUNT };
static const char *const what_name[WHAT_COUNT] = {"q", "v", "a", "tau"};
static const char *const angular_unit[WHAT_COUNT] = {"rad", "rad/s", "rad/s^2", "N m"};
static const char *const linear_unit[WHAT_COUNT] = {"m", "m/s", "m/s^2", "N"};

/* Which coordinates of a joint are along an axis, not about one, as bits: of positions, and of velocities,
 * accelerations and forces. Those of a quaternion have no unit. */
typedef struct parts {
    unsigned q_linear, v_linear;
    int quaternion; /* how many of q */
} parts;

static const parts parts_of[PINION_JOINT_MODE + 1] = {
    [PINION_JOINT_PRISMATIC] = {1, 1, 0}, [PINION_JOINT_CYLINDRICAL] = {2, 2, 0}, [PINION_JOINT_PLANAR] = {3, 3, 0},
    [PINION_JOINT_SPHERICAL] = {0, 0, 4}, [PINION_JOINT_FREE] = {0x70, 0x38, 4}, [PINION_JOINT_MODE] = {1, 1, 0},
};

/* Finds a coordinate: its joint, which of the joint's it is, and what it is; -1 when there is none. */
static int find(const pinion_model *m, const char *what, int index, pinion_joint_info *joint, int *part)
{
    int kind = 0;
    if (!m || !what || index < 0) return -1;
    while (kind < WHAT_COUNT && strcmp(what, what_name[kind]) != 0) kind++;
    if (kind == WHAT_COUNT) return -1;
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        if (pinion_model_joint(m, i, joint) != PINION_OK) return -1;
        int first = kind == POSITION ? joint->q_index : joint->v_index;
        int count = kind == POSITION ? joint->nq : joint->nv;
        *part = index - first;
        if (count > 0 && *part >= 0 && *part < count) return kind;
    }
    return -1;
}

/* Whether an actuator is meant, and which. */
static int find_actuator(const pinion_model *m, const char *what, int index, pinion_actuator_info *a)
{
    return strcmp(what, "actuator") == 0 && pinion_model_actuator(m, index, a) == PINION_OK;
}

const char *pinion_coordinate_name(const pinion_model *m, const char *what, int index, char *name,
                                   size_t size)
{
    pinion_joint_info joint;
    int part, kind = find(m, what, index, &joint, &part);
    pinion_actuator_info actuator;
    if (size) name[0] = '\0';
    if (find_actuator(m, what, index, &actuator)) snprintf(name, size, "%s.%s", what, actuator.name);
    if (kind < 0) return name;

    /* a joint of several coordinates in q is one of several in v, and numbers both */
    if (joint.nq > 1)
        snprintf(name, size, "%s.%s.%d", what, joint.name, part);
    else
        snprintf(name, size, "%s.%s", what, joint.name);
    return name;
}

#define ARM 0.2 /* m: weights of tendons are below, ratios of differentials are not */

/* Whether a weighted sum of joints is a length, so that what acts on it is a force: where a term is one, or where all
 * weights of angles are so small that they are lengths. */
static int is_length(const pinion_model *m, const pinion_actuator_info *a)
{
    int small = a->type != PINION_ACTUATOR_JOINT;
    for (int i = 0; i < a->term_count; i++) {
        const char *unit = pinion_coordinate_unit(m, "tau", a->term[i].v_index);
        if (strcmp(unit, "N") == 0) return 1;
        small = small && fabs(a->term[i].factor / (a->gear * a->efficiency)) < ARM;
    }
    return small;
}

const char *pinion_coordinate_unit(const pinion_model *m, const char *what, int index)
{
    pinion_joint_info joint;
    pinion_actuator_info actuator;
    if (find_actuator(m, what, index, &actuator)) {
        /* that of the joints it moves, since gears are numbers; of a frame that of its force */
        if (actuator.term_count > 0) return is_length(m, &actuator) ? "N" : "N m";
        if (actuator.type == PINION_ACTUATOR_TENDON || actuator.type == PINION_ACTUATOR_CRANK) return "N";
        const double *f = actuator.wrench + 3;
        return f[0] != 0 || f[1] != 0 || f[2] != 0 ? "N" : "N m";
    }
    int part, kind = find(m, what, index, &joint, &part);
    if (kind < 0) return "";
    const parts *p = &parts_of[joint.type];
    if (kind == POSITION && part < p->quaternion) return "";
    unsigned linear = kind == POSITION ? p->q_linear : p->v_linear;
    return linear >> part & 1 ? linear_unit[kind] : angular_unit[kind];
}

/* ------------------------------------------------------------------------------------------------
 * By name */

static int in_group(const pinion_model *m, int group, int joint)
{
    int count = 0;
    const int *joints = pinion_model_group(m, group, &count);
    for (int i = 0; joints && i < count; i++)
        if (joints[i] == joint) return 1;
    return 0;
}

/* The one of that name; 0: there is none. */
static int find_named(const pinion_model *m, const char *what, int count, const char *name, unsigned char *found)
{
    const size_t prefix = strlen(what) + 1;
    for (int i = 0; i < count; i++) {
        char own[400];
        pinion_coordinate_name(m, what, i, own, sizeof own);
        if (strcmp(own, name) != 0 && strcmp(own + prefix, name) != 0) continue;
        found[i] = 1;
        return 1;
    }
    return 0;
}

int pinion_find_coordinates(const pinion_model *m, const char *what, const char *name, unsigned char *found)
{
    if (!m || !what || !name || !found) return 0;
    const int position = strcmp(what, "q") == 0, actuators = strcmp(what, "actuator") == 0,
              count = position    ? pinion_model_nq(m)
                      : actuators ? pinion_model_actuator_count(m)
                                  : pinion_model_nv(m);
    int matched = 0;
    if (find_named(m, what, count, name, found)) return 1;
    for (int k = 0; k < count && actuators; k++) {
        pinion_actuator_info a;
        if (pinion_model_actuator(m, k, &a) != PINION_OK || fnmatch(name, a.name, 0) != 0) continue;
        found[k] = 1;
        matched++;
    }
    const int group = actuators ? -1 : pinion_model_find_group(m, name);
    for (int i = 0; i < pinion_model_joint_count(m) && !actuators; i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(m, i, &joint) != PINION_OK || joint.nv == 0 || (position && joint.nq > 1)) continue;
        if (!(group >= 0 ? in_group(m, group, i) : strcmp(name, joint.name) == 0 || fnmatch(name, joint.name, 0) == 0))
            continue;
        for (int k = 0; k < joint.nv; k++, matched++) found[(position ? joint.q_index : joint.v_index) + k] = 1;
    }
    return matched;
}
