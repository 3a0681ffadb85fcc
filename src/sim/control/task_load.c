/* Tasks from a JSON file (docs/tasks.md). */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/vec3.h"
#include "io/json/json.h"
#include "io/model_io.h"
#include "pinion/pinion.h"
#include "sim/control/task_control.h"

/* How a goal moves: on a circle about an axis, or along a straight line, from where it starts. */
typedef struct motion {
    double start[3], center[3], axis[3]; /* the axis of unit length; zero: a line */
    double by[3];
    double time; /* of a turn, or of the way */
} motion;

/* A file that is being read. */
typedef struct reader {
    const pinion_model *m;
    pinion_work *w;
    const double *q; /* the start */
    pinion_error *err;
    pinion_task *task; /* [count] and what they lead to */
    motion *moves;
    double *posture, *joints; /* [nq], [nv] each */
    pinion_held *held;
    int count, held_count;
    double damping;
} reader;

/* ---------------------------------------------------------------------------------------------
 * Motions */

static pinion_status circle(void *user, double t, pinion_goal *goal)
{
    const motion *c = user;
    const double rate = 2 * 3.14159265358979323846 / c->time, s = sin(rate * t), k = cos(rate * t);
    double arm[3], across[3], along, out[3];
    for (int i = 0; i < 3; i++) arm[i] = c->start[i] - c->center[i];
    along = pn_dot3(c->axis, arm);
    for (int i = 0; i < 3; i++) out[i] = arm[i] - along * c->axis[i];
    pn_cross3(c->axis, arm, across);
    for (int i = 0; i < 3; i++) {
        goal->pose.position[i] = c->center[i] + along * c->axis[i] + k * out[i] + s * across[i];
        goal->velocity[3 + i] = rate * (k * across[i] - s * out[i]);
        goal->acceleration[3 + i] = -rate * rate * (k * out[i] + s * across[i]);
    }
    return PINION_OK;
}

/* The cycloidal profile, from rest to rest. */
static pinion_status line(void *user, double t, pinion_goal *goal)
{
    const motion *c = user;
    const double turn = 2 * 3.14159265358979323846, x = fmin(fmax(t / c->time, 0), 1), moves = t > 0 && t < c->time;
    for (int i = 0; i < 3; i++) {
        goal->pose.position[i] = c->start[i] + c->by[i] * (x - sin(turn * x) / turn);
        goal->velocity[3 + i] = moves * c->by[i] * (1 - cos(turn * x)) / c->time;
        goal->acceleration[3 + i] = moves * c->by[i] * turn * sin(turn * x) / (c->time * c->time);
    }
    return PINION_OK;
}

/* "circle" or "line" of a task, from where its goal is. */
static int read_motion(reader *r, const pn_json_value *v, pinion_task *task)
{
    static const char *const circles[] = {"center", "axis", "period", NULL}, *const lines[] = {"by", "duration", NULL};
    pn_json_value c, l, time;
    const int turns = pn_value_get(v, "circle", &c), goes = pn_value_get(v, "line", &l);
    motion *move = &r->moves[r->count];
    if (!turns && !goes) return 1;
    if (turns && goes) return pn_value_fail(&l, "beside \"circle\"; expected one of them");
    memcpy(move->start, task->goal.pose.position, sizeof move->start);
    task->reference_user = move;
    task->reference = turns ? circle : line;
    const pn_json_value *of = turns ? &c : &l;
    if (!pn_value_object(of, turns ? circles : lines)) return 0;
    move->axis[2] = turns;
    if (turns) memcpy(move->center, move->start, sizeof move->center);
    if (!pn_value_need(of, turns ? "period" : "duration", &time) || !pn_value_number(&time, &move->time)) return 0;
    if (!(move->time > 0)) return pn_value_fail(&time, "is not above 0");
    if (goes) return pn_get_numbers(of, "by", 3, move->by);
    if (!pn_get_numbers(of, "center", 3, move->center) || !pn_get_numbers(of, "axis", 3, move->axis)) return 0;
    const double length = sqrt(pn_dot3(move->axis, move->axis));
    for (int i = 0; i < 3; i++) move->axis[i] /= length;
    return length > 0 || pn_value_fail(&c, "its axis is zero; expected a direction");
}

/* ---------------------------------------------------------------------------------------------
 * One task each */

static int find_frame(const reader *r, const pn_json_value *v, int *frame)
{
    const char *name = NULL;
    if (!pn_value_string(v, &name)) return 0;
    *frame = pinion_model_find_frame(r->m, name);
    return *frame >= 0 || pn_value_fail(v, "the model has no link or frame \"%.60s\"", name);
}

/* "rpy", R = Rz(yaw) Ry(pitch) Rx(roll), or "quaternion" w, x, y, z; else the rotation stays. */
static int read_turn(const pn_json_value *v, double R[9])
{
    pn_json_value angles, quaternion;
    double x[4] = {0};
    const int turned = pn_value_get(v, "rpy", &angles);
    if (pn_value_get(v, "quaternion", &quaternion)) {
        if (turned) return pn_value_fail(&quaternion, "beside \"rpy\"; expected one of them");
        if (!pn_value_numbers(&quaternion, 4, x)) return 0;
        if (!(fabs(sqrt(pn_dot(4, x, x)) - 1) <= 1e-3)) return pn_value_fail(&quaternion, "is not of unit length");
        pn_quaternion_matrix(x, R);
    }
    if (!turned) return 1;
    if (!pn_value_numbers(&angles, 3, x)) return 0;
    const double sr = sin(x[0]), cr = cos(x[0]), sp = sin(x[1]), cp = cos(x[1]), sy = sin(x[2]), cy = cos(x[2]);
    const double of[9] = {cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,
                          sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,
                          -sp,     cp * sr,                cp * cr};
    memcpy(R, of, sizeof of);
    return 1;
}

/* The goal of a frame or of the centre of mass: as the file says, else where it is at the start. */
static int read_goal(reader *r, const pn_json_value *v, pinion_task *task)
{
    pinion_pose *pose = &task->goal.pose;
    const pinion_status status = task->kind == PINION_TASK_FRAME
                                     ? pinion_frame_pose(r->m, r->w, r->q, task->frame, pose->position, pose->rotation)
                                     : pinion_center_of_mass(r->m, r->w, r->q, NULL, pose->position, NULL);
    if (status != PINION_OK) return pn_value_fail(v, "the start is not good: %s", pinion_status_text(status));
    return pn_get_numbers(v, "position", 3, pose->position) && read_turn(v, pose->rotation) && read_motion(r, v, task);
}

/* The joints of a posture that count, by name. */
static int read_joints(reader *r, const pn_json_value *list, double *joints)
{
    pn_json_value x = {0};
    if (!pn_value_array(list, "an array of names of joints")) return 0;
    while (pn_value_next(list, &x)) {
        const char *name = NULL;
        pinion_joint_info joint;
        if (!pn_value_string(&x, &name)) return 0;
        int count = 0;
        const int *group = pinion_model_group(r->m, pinion_model_find_group(r->m, name), &count);
        for (int i = 0; group && i < count; i++) {
            if (pinion_model_joint(r->m, group[i], &joint) != PINION_OK) return 0;
            for (int k = 0; k < joint.nv; k++) joints[joint.v_index + k] = 1;
        }
        if (group) continue;
        const int index = pinion_model_find_joint(r->m, name);
        if (index < 0 || pinion_model_joint(r->m, index, &joint) != PINION_OK || joint.nv == 0)
            return pn_value_fail(&x, "no group, and no joint with a coordinate, is named \"%.60s\"", name);
        for (int k = 0; k < joint.nv; k++) joints[joint.v_index + k] = 1;
    }
    return 1;
}

static int read_posture(reader *r, const pn_json_value *v, pinion_task *task)
{
    const size_t nq = (size_t)pinion_model_nq(r->m), nv = (size_t)pinion_model_nv(r->m);
    double *q = r->posture + (size_t)r->count * nq, *joints = r->joints + (size_t)r->count * nv;
    pn_json_value list;
    memcpy(q, r->q, nq * sizeof *q);
    task->posture = q;
    const char *name = NULL;
    if (pn_value_get(v, "q", &list) && json_is_string(list.json)) {
        if (!pn_value_string(&list, &name)) return 0;
        if (pinion_model_state(r->m, pinion_model_find_state(r->m, name), q, NULL) != PINION_OK)
            return pn_value_fail(&list, "the model has no state \"%.60s\"", name);
    } else if (!pn_get_numbers(v, "q", nq, q)) {
        return 0;
    }
    if (!pn_value_get(v, "joints", &list)) return 1;
    task->joints = joints;
    return read_joints(r, &list, joints);
}

static int read_task(reader *r, const pn_json_value *v)
{
    static const char *const kinds[] = {"position", "orientation", "pose", "com", "posture", NULL};
    /* the keys of each: what would have no effect is refused */
    static const char *const keys[][14] = {
        {"task", "priority", "weight", "kp", "kd", "axes", "frame", "position", "circle", "line", NULL},
        {"task", "priority", "weight", "kp", "kd", "axes", "frame", "rpy", "quaternion", NULL},
        {"task", "priority", "weight", "kp", "kd", "axes", "frame", "position", "rpy", "quaternion", "circle", "line",
         NULL},
        {"task", "priority", "weight", "kp", "kd", "axes", "position", "circle", "line", NULL},
        {"task", "priority", "weight", "kp", "kd", "q", "joints", NULL}};
    enum { POSITION, ORIENTATION, POSE, COM, POSTURE };
    pinion_task *task = &r->task[r->count];
    pn_json_value key, frame;
    int kind = 0;
    double priority = 0;
    *task = pinion_task_default();
    if (!json_is_object(v->json)) return pn_value_expected(v, "an object");
    if (!pn_value_need(v, "task", &key) ||
        !pn_value_choice(&key, kinds, "position, orientation, pose, com or posture", &kind))
        return 0;
    if (!pn_value_object(v, keys[kind])) return 0;
    task->kind = kind == POSTURE ? PINION_TASK_POSTURE : kind == COM ? PINION_TASK_COM : PINION_TASK_FRAME;
    if (task->kind == PINION_TASK_FRAME &&
        (!pn_value_need(v, "frame", &frame) || !find_frame(r, &frame, &task->frame)))
        return 0;
    if (!pn_get_number(v, "priority", &priority) || !pn_get_magnitude(v, "weight", &task->weight) ||
        !pn_get_magnitude(v, "kp", &task->kp))
        return 0;
    task->kd = 2 * sqrt(task->kp); /* critical */
    if (!pn_get_magnitude(v, "kd", &task->kd) || !pn_get_numbers(v, "axes", 6, task->axes)) return 0;
    if (!(fabs(priority) < 1e6) || priority != floor(priority))
        return pn_value_fail(v, "its priority is not a whole number");
    if (priority < 0) return pn_value_fail(v, "its priority is below 0, which is the first");
    task->priority = (int)priority;
    for (int i = 0; i < 6; i++)
        if (kind == (i < 3 ? POSITION : ORIENTATION)) task->axes[i] = 0;
    double most = task->kind == PINION_TASK_POSTURE;
    for (int i = kind == COM ? 3 : 0; i < 6; i++) most = fmax(most, fabs(task->axes[i]));
    if (!(most > 0)) return pn_value_fail(v, "its axes are all 0, so that it asks for nothing");
    if (!(task->kind == PINION_TASK_POSTURE ? read_posture(r, v, task) : read_goal(r, v, task))) return 0;
    r->count++;
    return 1;
}

/* Frames that are held: as they are, or a point of them. */
static int read_held(reader *r, const pn_json_value *top, const char *key, int point)
{
    pn_json_value list, x = {0};
    if (!pn_value_get(top, key, &list)) return 1;
    if (!pn_value_array(&list, "an array of names of frames")) return 0;
    for (; pn_value_next(&list, &x); r->held_count++) {
        if (!find_frame(r, &x, &r->held[r->held_count].frame)) return 0;
        r->held[r->held_count].point = point;
    }
    return 1;
}

/* What is held may not hold all that moves: nothing would be left to the tasks. */
static int leaves_motion(const reader *r, pinion_tasks *x, const pn_json_value *top)
{
    pn_json_value list;
    int fixed = 0;
    if (r->held_count == 0) return 1;
    const pinion_status status = pn_tasks_fixed(x, r->q, &fixed);
    if (status != PINION_OK) return pn_value_fail(top, "the start is not good: %s", pinion_status_text(status));
    if (fixed < x->nv) return 1;
    if (!pn_value_get(top, "hold", &list) && !pn_value_get(top, "hold_points", &list)) list = *top;
    return pn_value_fail(&list, "what is held leaves nothing that moves, there or near: all %d freedoms are taken, "
                                "and none is left to the tasks; feet that may turn are in hold_points",
                         x->nv);
}

/* ---------------------------------------------------------------------------------------------
 * The file */

static size_t entries(const pn_json_value *top, const char *key)
{
    pn_json_value list;
    return pn_value_get(top, key, &list) ? json_array_size(list.json) : 0;
}

static int out_of_memory(const reader *r)
{
    pn_error_set(r->err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    return 0;
}

static int read_all(reader *r, const pn_json_value *top)
{
    static const char *const keys[] = {"tasks", "hold", "hold_points", "damping", NULL};
    const size_t nq = (size_t)pinion_model_nq(r->m), nv = (size_t)pinion_model_nv(r->m);
    pn_json_value list, x = {0};
    if (!pn_value_object(top, keys) || !pn_value_need(top, "tasks", &list) ||
        !pn_value_array(&list, "an array of objects"))
        return 0;
    const size_t count = json_array_size(list.json), held = entries(top, "hold") + entries(top, "hold_points");
    if (count == 0 || count > 10000 || held > 10000) return pn_value_fail(&list, "expected 1 to 10000 tasks");
    r->task = calloc(count, sizeof *r->task);
    r->moves = calloc(count, sizeof *r->moves);
    r->posture = calloc(count * (nq + nv) + 1, sizeof *r->posture);
    r->held = calloc(held + 1, sizeof *r->held);
    if (!r->task || !r->moves || !r->posture || !r->held) return out_of_memory(r);
    r->joints = r->posture + count * nq;
    while (pn_value_next(&list, &x))
        if (!read_task(r, &x)) return 0;
    return read_held(r, top, "hold", 0) && read_held(r, top, "hold_points", 1) &&
           pn_get_magnitude(top, "damping", &r->damping);
}

pinion_tasks *pinion_tasks_load(const pinion_model *m, const char *path, const double *q, int limit, pinion_error *err)
{
    pinion_error own;
    if (!err) err = &own;
    if (!m || !path || !*path || !q) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "tasks: no model, no file or no q was given");
        return NULL;
    }
    size_t size = 0;
    char *text = pn_file_read(path, PN_SIZE_MAX, "a file of tasks", &size, err);
    json_t *json = text ? pn_json_parse(text, size, path, err) : NULL;
    pinion_tasks *x = NULL;
    pinion_tasks_def def = pinion_tasks_def_default();
    reader r = {.m = m, .q = q, .err = err, .damping = def.damping};
    if (json) {
        const pn_json_file file = {text, path, NULL, err};
        const pn_json_value top = {.file = &file, .json = json};
        r.w = pinion_work_new(m);
        if (r.w ? read_all(&r, &top) : out_of_memory(&r)) {
            def.count = r.count;
            def.tasks = r.task;
            def.held_count = r.held_count;
            def.held = r.held;
            def.limit = limit;
            def.damping = r.damping;
            x = pinion_tasks_new(m, &def, err);
            if (x && !leaves_motion(&r, x, &top)) {
                pinion_tasks_free(x);
                x = NULL;
            }
        }
    }
    if (x)
        x->owned = r.moves;
    else
        free(r.moves);
    pinion_work_free(r.w);
    free(r.task);
    free(r.posture);
    free(r.held);
    json_decref(json);
    free(text);
    return x;
}
