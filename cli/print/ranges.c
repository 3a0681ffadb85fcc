#include "cli/print/ranges.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "pinion/actuators.h"

static void set_range(const pinion_result *r, cli_range *of, const char *what, const char *name, int part, double low,
                      double high)
{
    char column[1000];
    if (part < 0)
        snprintf(column, sizeof column, "%s.%s", what, name);
    else
        snprintf(column, sizeof column, "%s.%s.%d", what, name, part);
    const int at = pinion_result_find_column(r, column);
    if (at >= 0) of[at] = (cli_range){low, high};
}

cli_range *pn_cli_ranges(const pinion_result *r, const pinion_model *m)
{
    const int count = pinion_result_column_count(r);
    cli_range *of = malloc(((size_t)count + 1) * sizeof *of);
    for (int i = 0; i < count && of; i++) of[i] = (cli_range){-INFINITY, INFINITY};
    for (int i = 0; i < (m && of ? pinion_model_joint_count(m) : 0); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(m, i, &joint) != PINION_OK || joint.nv == 0) continue;
        for (int k = 0; k < joint.nv; k++) {
            const pinion_dof *dof = &joint.dof[k];
            const int part = joint.nq > 1 ? k : -1;
            if (joint.nq == joint.nv) set_range(r, of, "q", joint.name, part, dof->lower, dof->upper);
            set_range(r, of, "v", joint.name, part, -dof->velocity, dof->velocity);
            set_range(r, of, "tau", joint.name, part, -dof->effort, dof->effort);
        }
    }
    for (int i = 0; i < (m && of ? pinion_model_actuator_count(m) : 0); i++) {
        pinion_actuator_info a;
        if (pinion_model_actuator(m, i, &a) == PINION_OK)
            set_range(r, of, "actuator", a.name, -1, a.effort[0], a.effort[1]);
    }
    return of;
}
