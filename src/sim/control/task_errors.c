/* What is missing to the targets of tasks, as numbers with names: columns of results. */
#include "sim/control/task_control.h"

#include <stdio.h>
#include <string.h>

#include "pinion/sim/result.h"
#include "sim/ik/ik.h"

/* The weight of a row; one of 0 is left free, and nothing is missing there. */
static double weight_of(const pinion_tasks *x, const pinion_task *task, int row)
{
    if (task->kind == PINION_TASK_POSTURE) return task->joints[row];
    return task->axes[row + 6 - pn_task_rows(x, task)];
}

int pinion_tasks_error_count(const pinion_tasks *x)
{
    int count = 0;
    for (int k = 0; x && k < x->count; k++)
        for (int i = 0; i < pn_task_rows(x, &x->task[k]); i++) count += weight_of(x, &x->task[k], i) > 0;
    return count;
}

/* The task and the row of an error; 0 out of range. */
static int find(const pinion_tasks *x, int index, int *task, int *row)
{
    for (int k = 0; x && index >= 0 && k < x->count; k++)
        for (int i = 0; i < pn_task_rows(x, &x->task[k]); i++) {
            if (weight_of(x, &x->task[k], i) <= 0 || index-- > 0) continue;
            *task = k;
            *row = i;
            return 1;
        }
    return 0;
}

const char *pinion_tasks_error_name(const pinion_tasks *x, int index, char *text, size_t size)
{
    int k, row;
    char name[1000];
    if (!text || size == 0 || !find(x, index, &k, &row)) return NULL;
    const int turns = x->task[k].kind == PINION_TASK_FRAME && row < 3;
    if (x->task[k].kind == PINION_TASK_POSTURE) {
        pinion_coordinate_name(x->m, "v", row, name, sizeof name);
        snprintf(text, size, "error.task.%d.q%s", k, name + 1);
    } else {
        snprintf(text, size, "error.task.%d.%s.%d", k, turns ? "rotation" : "position", row % 3);
    }
    return text;
}

const char *pinion_tasks_error_unit(const pinion_tasks *x, int index)
{
    int k, row;
    if (!find(x, index, &k, &row)) return NULL;
    if (x->task[k].kind == PINION_TASK_POSTURE)
        return strcmp(pinion_coordinate_unit(x->m, "v", row), "m/s") == 0 ? "m" : "rad";
    return x->task[k].kind == PINION_TASK_FRAME && row < 3 ? "rad" : "m";
}

/* All rows of a task. */
static pinion_status missing(pinion_tasks *x, const pinion_task *task, double t, const double *q, double *e)
{
    double position[3], rotation[9];
    pinion_goal goal = task->goal;
    pinion_status status = PINION_OK;
    if (task->kind == PINION_TASK_POSTURE) {
        const double *to = task->posture;
        if (task->target) {
            status = pinion_trajectory_at(task->target, t, x->q, NULL, NULL);
            to = x->q;
        }
        return status == PINION_OK ? pinion_difference(x->m, q, to, e) : status;
    }
    if (task->reference) status = task->reference(task->reference_user, t, &goal);
    if (status == PINION_OK && task->kind == PINION_TASK_FRAME) {
        status = pinion_frame_pose(x->m, x->w, q, task->frame, position, rotation);
        if (status == PINION_OK) pn_ik_error(&goal.pose, position, rotation, e);
    } else if (status == PINION_OK) {
        status = pinion_center_of_mass(x->m, x->w, q, NULL, position, NULL);
        for (int i = 0; i < 3; i++) e[i] = goal.pose.position[i] - position[i];
    }
    return status;
}

pinion_status pinion_tasks_errors(pinion_tasks *x, double t, const double *q, double *errors)
{
    pinion_status status = x && q && errors ? PINION_OK : PINION_ERR_ARGUMENT;
    for (int k = 0; status == PINION_OK && k < x->count; k++) {
        status = missing(x, &x->task[k], t, q, x->wanted);
        for (int i = 0; i < pn_task_rows(x, &x->task[k]) && status == PINION_OK; i++)
            if (weight_of(x, &x->task[k], i) > 0) *errors++ = x->wanted[i];
    }
    return status;
}
