/* Joint types: their names and their numbers of coordinates. */
#include <string.h>

#include "describe.h"

typedef struct type_row {
    const char *name;
    int nq, nv;
    int axis; /* nonzero: `axis` means something */
} type_row;

static const type_row types[PINION_JOINT_TYPE_COUNT] = {
    [PINION_FIXED] = {"fixed", 0, 0, 0},           [PINION_REVOLUTE] = {"revolute", 1, 1, 1},
    [PINION_CONTINUOUS] = {"continuous", 1, 1, 1}, [PINION_PRISMATIC] = {"prismatic", 1, 1, 1},
    [PINION_HELICAL] = {"helical", 1, 1, 1},       [PINION_CYLINDRICAL] = {"cylindrical", 2, 2, 1},
    [PINION_UNIVERSAL] = {"universal", 2, 2, 0},   [PINION_PLANAR] = {"planar", 3, 3, 1},
    [PINION_SPHERICAL] = {"spherical", 4, 3, 0},   [PINION_FREE] = {"free", 7, 6, 0},
};

int pn_type_valid(int type)
{
    return type >= 0 && type < PINION_JOINT_TYPE_COUNT;
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
    if (type == PINION_SPHERICAL || type == PINION_FREE) q[0] = 1;
}

const char *pinion_joint_type_name(pinion_joint_type type)
{
    return pn_type_valid((int)type) ? types[type].name : NULL;
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
    return pn_type_valid((int)type) ? types[type].nq : 0;
}

int pinion_joint_type_nv(pinion_joint_type type)
{
    return pn_type_valid((int)type) ? types[type].nv : 0;
}
