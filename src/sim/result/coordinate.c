/* Names and units of coordinates, for the columns of results. */
#include <stdio.h>
#include <string.h>

#include "pinion/actuators.h"
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

static const parts parts_of[PINION_JOINT_TYPE_COUNT] = {
    [PINION_JOINT_PRISMATIC] = {1, 1, 0}, [PINION_JOINT_CYLINDRICAL] = {2, 2, 0}, [PINION_JOINT_PLANAR] = {3, 3, 0},
    [PINION_JOINT_SPHERICAL] = {0, 0, 4}, [PINION_JOINT_FREE] = {0x70, 0x38, 4},
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

const char *pinion_coordinate_unit(const pinion_model *m, const char *what, int index)
{
    pinion_joint_info joint;
    pinion_actuator_info actuator;
    if (find_actuator(m, what, index, &actuator)) {
        /* that of the joint it moves first, since gears are numbers; of a frame that of its force */
        if (actuator.term_count > 0) return pinion_coordinate_unit(m, "tau", actuator.term[0].v_index);
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
