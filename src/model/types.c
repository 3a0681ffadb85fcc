/* Joint types, shapes and kinds of loops: their names, their numbers of coordinates and of constraints, laws of time.
 */
#include <math.h>
#include <string.h>

#include "model/build/describe.h"
#include "model/tree.h"

/* kernels have numbers of their own for these, since they do not include the API */
#define SAME(kernels, ours) _Static_assert((int)(kernels) == (int)(ours), #kernels " is " #ours)
SAME(PN_LOOP_JOINT, PINION_LOOP_JOINT);
SAME(PN_LOOP_DISTANCE, PINION_LOOP_DISTANCE);
SAME(PN_LOOP_GEAR, PINION_LOOP_GEAR);
SAME(PN_LOOP_ROLLING, PINION_LOOP_ROLLING);
SAME(PN_LOOP_DRIVE, PINION_LOOP_DRIVE);
SAME(PN_LOOP_SPRING, PINION_LOOP_SPRING);
SAME(PN_LOOP_SPRING + 1, PINION_LOOP_KIND_COUNT);
SAME(PN_TYPE_FIXED, PINION_JOINT_FIXED);
SAME(PN_TYPE_REVOLUTE, PINION_JOINT_REVOLUTE);
SAME(PN_TYPE_CONTINUOUS, PINION_JOINT_CONTINUOUS);
SAME(PN_TYPE_PRISMATIC, PINION_JOINT_PRISMATIC);
SAME(PN_TYPE_HELICAL, PINION_JOINT_HELICAL);
SAME(PN_TYPE_CYLINDRICAL, PINION_JOINT_CYLINDRICAL);
SAME(PN_TYPE_UNIVERSAL, PINION_JOINT_UNIVERSAL);
SAME(PN_TYPE_PLANAR, PINION_JOINT_PLANAR);
SAME(PN_TYPE_SPHERICAL, PINION_JOINT_SPHERICAL);
SAME(PN_TYPE_FREE, PINION_JOINT_FREE);
SAME(PN_TYPE_FREE + 1, PINION_JOINT_TYPE_COUNT);
_Static_assert((int)PN_SPRING_TYPE >= (int)PINION_JOINT_TYPE_COUNT, "a spring is no joint");
#undef SAME

typedef struct type_row {
    const char *name;
    int nq, nv;
    int axis; /* nonzero: `axis` means something */
} type_row;

static const type_row types[PINION_JOINT_MODE + 1] = {
    [PINION_JOINT_FIXED] = {"fixed", 0, 0, 0},           [PINION_JOINT_REVOLUTE] = {"revolute", 1, 1, 1},
    [PINION_JOINT_CONTINUOUS] = {"continuous", 1, 1, 1}, [PINION_JOINT_PRISMATIC] = {"prismatic", 1, 1, 1},
    [PINION_JOINT_HELICAL] = {"helical", 1, 1, 1},       [PINION_JOINT_CYLINDRICAL] = {"cylindrical", 2, 2, 1},
    [PINION_JOINT_UNIVERSAL] = {"universal", 2, 2, 0},   [PINION_JOINT_PLANAR] = {"planar", 3, 3, 1},
    [PINION_JOINT_SPHERICAL] = {"spherical", 4, 3, 0},   [PINION_JOINT_FREE] = {"free", 7, 6, 0},
    [PINION_JOINT_MODE] = {"mode", 1, 1, 0},
};

int pn_type_valid(int type)
{
    return type >= 0 && type < PINION_JOINT_TYPE_COUNT;
}

/* what a joint of a model can be, too: a mode */
static int is_known(int type)
{
    return pn_type_valid(type) || type == PINION_JOINT_MODE;
}

int pn_type_uses_axis(int type)
{
    return types[type].axis;
}

int pn_type_has_one_coordinate(int type)
{
    return types[type].nq == 1;
}

void pn_type_neutral(int type, double q[7])
{
    memset(q, 0, 7 * sizeof *q);
    if (type == PINION_JOINT_SPHERICAL || type == PINION_JOINT_FREE) q[0] = 1;
}

const char *pinion_joint_type_name(pinion_joint_type type)
{
    return is_known((int)type) ? types[type].name : NULL;
}

int pinion_joint_type_find(const char *name)
{
    for (int i = 0; name && i < PINION_JOINT_TYPE_COUNT; i++) {
        if (strcmp(name, types[i].name) == 0) return i;
    }
    return -1;
}

int pinion_joint_type_nq(pinion_joint_type type)
{
    return is_known((int)type) ? types[type].nq : 0;
}

int pinion_joint_type_nv(pinion_joint_type type)
{
    return is_known((int)type) ? types[type].nv : 0;
}

/* ---- loops ---- */

static const char *const kinds[PINION_LOOP_KIND_COUNT] = {
    [PINION_LOOP_JOINT] = "joint",     [PINION_LOOP_DISTANCE] = "distance", [PINION_LOOP_GEAR] = "gear",
    [PINION_LOOP_ROLLING] = "rolling", [PINION_LOOP_DRIVE] = "drive",       [PINION_LOOP_SPRING] = "spring",
};

const char *pinion_loop_kind_name(pinion_loop_kind kind)
{
    return (int)kind >= 0 && kind < PINION_LOOP_KIND_COUNT ? kinds[kind] : NULL;
}

int pn_loop_rows(int kind, int type)
{
    if (kind == PINION_LOOP_JOINT) return 6 - types[type].nv;
    if (kind == PINION_LOOP_SPRING) return 0;
    return kind == PINION_LOOP_ROLLING ? 3 : 1;
}

int pn_loop_nonholonomic(int kind)
{
    return kind == PINION_LOOP_ROLLING ? 2 : 0;
}

void pinion_motion_at(const pinion_motion *motion, double t, double g[3])
{
    const double pi = 3.14159265358979323846;
    double w = 2 * pi * motion->frequency, angle = w * t + motion->phase;
    double s = motion->amplitude * sin(angle), c = motion->amplitude * cos(angle);
    g[0] = motion->offset + motion->rate * t + motion->acceleration * t * t / 2 + s;
    g[1] = motion->rate + motion->acceleration * t + w * c;
    g[2] = motion->acceleration - w * w * s;
}

const char *pinion_shape_name(pinion_shape shape)
{
    static const char *const names[PINION_SHAPE_COUNT] = {"box",       "sphere", "cylinder", "capsule",     "mesh",
                                                          "ellipsoid", "cone",   "plane",    "height_field"};
    return (int)shape >= 0 && shape < PINION_SHAPE_COUNT ? names[shape] : NULL;
}
