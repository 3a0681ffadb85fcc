/* Control in task space: making a controller, and what its tasks want; see tasks.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"
#include "io/model_io.h"
#include "pinion/actuators.h"
#include "pinion/loops.h"
#include "pinion/pinion.h"
#include "sim/control/task_control.h"
#include "sim/ik/ik.h"

#define COOKIE_TASK 0x5441534bu
#define COOKIE_DEF 0x54415344u

pinion_task pinion_task_default(void)
{
    pinion_task task = {.weight = 1, .kp = 100, .kd = 20, .cookie = COOKIE_TASK};
    for (int i = 0; i < 6; i++) task.axes[i] = 1;
    task.goal.pose = pinion_pose_identity();
    return task;
}

pinion_tasks_def pinion_tasks_def_default(void)
{
    return (pinion_tasks_def){.damping = 20, .cookie = COOKIE_DEF};
}

/* ---------------------------------------------------------------------------------------------
 * Making one */

static int refuse(pinion_error *err, int task, const char *what)
{
    if (task < 0)
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "tasks: %s", what);
    else
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "task %d: %s", task, what);
    return 0;
}

/* All finite and not negative. */
static int magnitudes(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!(x[i] >= 0 && isfinite(x[i]))) return 0;
    return 1;
}

static int check_task(const pinion_model *m, const pinion_task *task, int i, pinion_error *err)
{
    const int nv = pinion_model_nv(m);
    const double gains[2] = {task->kp, task->kd};
    if (task->cookie != COOKIE_TASK) return refuse(err, i, "was not started from pinion_task_default()");
    if ((unsigned)task->kind >= PINION_TASK_KIND_COUNT) return refuse(err, i, "kind is not one of those there are");
    if (!(task->weight > 0) || !isfinite(task->weight)) return refuse(err, i, "weight is not a number above 0");
    if (!magnitudes(gains, 2)) return refuse(err, i, "kp or kd is negative or not finite");
    if (!magnitudes(task->axes, 6)) return refuse(err, i, "a weight in axes is negative or not finite");
    if (task->kind == PINION_TASK_FRAME && (task->frame < 0 || task->frame >= pinion_model_frame_count(m)))
        return refuse(err, i, "the model has no such frame");
    if (task->kind != PINION_TASK_POSTURE) return 1;
    if (!task->target && !task->posture) return refuse(err, i, "posture and target are NULL; expected one of them");
    return !task->joints || magnitudes(task->joints, nv) ||
           refuse(err, i, "a weight in joints is negative or not finite");
}

static int check(const pinion_model *m, const pinion_tasks_def *def, pinion_error *err)
{
    if (!m || !def) return refuse(err, -1, "no model or no def was given");
    if (def->cookie != COOKIE_DEF) return refuse(err, -1, "the def was not started from pinion_tasks_def_default()");
    if (def->count < 1 || !def->tasks) return refuse(err, -1, "there are none");
    if (!magnitudes(&def->damping, 1)) return refuse(err, -1, "damping is negative or not finite");
    for (int i = 0; i < def->count; i++)
        if (!check_task(m, &def->tasks[i], i, err)) return 0;
    for (int i = 0; i < def->held_count; i++)
        if (def->held[i].frame < 0 || def->held[i].frame >= pinion_model_frame_count(m))
            return refuse(err, -1, "a frame that is held is not in the model");
    return 1;
}

int pn_task_rows(const pinion_tasks *x, const pinion_task *task)
{
    return task->kind == PINION_TASK_FRAME ? 6 : task->kind == PINION_TASK_COM ? 3 : x->nv;
}

/* The most rows that a priority has. */
static int largest_level(const pinion_tasks *x)
{
    int most = 0;
    for (int i = 0; i < x->count; i++) {
        int rows = 0;
        for (int k = 0; k < x->count; k++)
            if (x->task[k].priority == x->task[i].priority) rows += pn_task_rows(x, &x->task[k]);
        if (rows > most) most = rows;
    }
    return most;
}

/* Copies the arrays of a posture. Its weights leave out free joints, which no posture means. */
static void copy_posture(pinion_tasks *x, pinion_task *task, double **at)
{
    double *q = *at, *joints = q + x->nq;
    *at = joints + x->nv;
    if (task->posture) memcpy(q, task->posture, (size_t)x->nq * sizeof *q);
    for (int i = 0; i < x->nv; i++) joints[i] = task->joints ? task->joints[i] : 1;
    for (int i = 0; i < pinion_model_joint_count(x->m) && !task->joints; i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(x->m, i, &joint) != PINION_OK || joint.type != PINION_JOINT_FREE) continue;
        for (int k = 0; k < joint.nv; k++) joints[joint.v_index + k] = 0;
    }
    task->posture = q;
    task->joints = joints;
}

/* ---------------------------------------------------------------------------------------------
 * How far it goes */

static int slides(const pinion_joint_info *joint)
{
    return joint->type != PINION_JOINT_FIXED && joint->type != PINION_JOINT_REVOLUTE &&
           joint->type != PINION_JOINT_CONTINUOUS && joint->type != PINION_JOINT_SPHERICAL &&
           joint->type != PINION_JOINT_UNIVERSAL;
}

/* The ball about the first joint that moves a frame, in which it always is: how far it goes, INFINITY without one. */
static double arm_length(pinion_tasks *x, int frame, double center[3])
{
    pinion_frame_info at;
    pinion_joint_info joint, first = {0};
    pinion_link_info link;
    if (pinion_model_frame(x->m, frame, &at) != PINION_OK) return INFINITY;
    double sum = sqrt(pn_dot3(at.pose.position, at.pose.position)), length = 0, turn[9];
    for (int i = at.link; pinion_model_link(x->m, i, &link) == PINION_OK &&
                          pinion_model_joint(x->m, link.joint, &joint) == PINION_OK; i = joint.parent) {
        const double *up = joint.parent_pose.position, *down = joint.child_pose.position;
        sum += sqrt(pn_dot3(down, down));
        if (slides(&joint)) return INFINITY;
        if (joint.type != PINION_JOINT_FIXED) length = sum, first = joint;
        sum += sqrt(pn_dot3(up, up));
    }
    /* what carries the first joint does not move, wherever the others are */
    if (!(length > 0) || pinion_neutral(x->m, x->q) != PINION_OK ||
        pinion_frame_pose(x->m, x->w, x->q, first.parent, center, turn) != PINION_OK)
        return INFINITY;
    double out[3];
    pn_turn3(turn, first.parent_pose.position, out);
    for (int i = 0; i < 3; i++) center[i] += out[i];
    return length;
}

/* What holds on to something, or does not float, stays within this of it; `out` is how far a point is from its link. */
static double tree_length(const pinion_model *m, int holds, double out)
{
    pinion_joint_info joint;
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        if (pinion_model_joint(m, i, &joint) != PINION_OK) continue;
        const double *up = joint.parent_pose.position, *down = joint.child_pose.position;
        if (slides(&joint) && !(holds && joint.type == PINION_JOINT_FREE)) return INFINITY;
        out += sqrt(pn_dot3(down, down)) + sqrt(pn_dot3(up, up));
    }
    return out;
}

static pn_reach reach_of(pinion_tasks *x, const pinion_task *task)
{
    pn_reach reach = {.radius = INFINITY, .way = INFINITY};
    pinion_frame_info frame;
    pinion_link_info link;
    double out = 0;
    if (task->kind == PINION_TASK_POSTURE) return reach;
    if (task->kind == PINION_TASK_FRAME) {
        reach.radius = arm_length(x, task->frame, reach.center);
        if (pinion_model_frame(x->m, task->frame, &frame) == PINION_OK)
            out = sqrt(pn_dot3(frame.pose.position, frame.pose.position));
    }
    for (int i = 0; task->kind == PINION_TASK_COM && i < pinion_model_link_count(x->m); i++)
        if (pinion_model_link(x->m, i, &link) == PINION_OK)
            out = fmax(out, sqrt(pn_dot3(link.inertia.com, link.inertia.com)));
    reach.way = 2 * tree_length(x->m, x->held_count > 0, out);
    return reach;
}

/* e [3], from a place to the target, or to what of it is in reach: a target outside of the ball counts as the nearest
 * place in it. Keeps how far out it is. */
static void shorten(pinion_tasks *x, const pinion_task *task, const double *place, double *e)
{
    pn_reach *reach = &x->reach[task - x->task];
    double out[3];
    for (int i = 0; i < 3; i++) out[i] = place[i] + e[i] - reach->center[i];
    const double all = sqrt(pn_dot3(out, out)), beyond = fmax(0, all - reach->radius);
    for (int i = 0; i < 3 && beyond > 0; i++) e[i] -= beyond / all * out[i];
    const double way = sqrt(pn_dot3(e, e)), longer = fmax(0, way - reach->way);
    for (int i = 0; i < 3 && longer > 0; i++) e[i] *= reach->way / way;
    reach->lacks = beyond + longer;
}

/* --------------------------------------------------------------------------------------------- */

static int allocate(pinion_tasks *x, const pinion_tasks_def *def)
{
    x->task = malloc((size_t)x->count * sizeof *x->task);
    x->held = malloc(((size_t)x->held_count + 1) * sizeof *x->held);
    x->order = malloc(((size_t)x->count + 1) * sizeof *x->order);
    x->reach = calloc((size_t)x->count, sizeof *x->reach);
    x->w = pinion_work_new(x->m);
    x->group = pn_group_joints(x->m, &x->group_count);
    if (!x->task || !x->held || !x->order || !x->reach || !x->w || !x->group) return 0;
    memcpy(x->task, def->tasks, (size_t)x->count * sizeof *x->task);
    if (x->held_count) memcpy(x->held, def->held, (size_t)x->held_count * sizeof *x->held);

    /* by priority, those of one in their own order */
    for (int i = 0; i < x->count; i++) {
        int k = i;
        for (; k > 0 && x->task[x->order[k - 1]].priority > x->task[i].priority; k--) x->order[k] = x->order[k - 1];
        x->order[k] = i;
    }
    const size_t nq = (size_t)x->nq, nv = (size_t)x->nv, nu = (size_t)x->nu, rows = (size_t)x->rows,
                 level = (size_t)largest_level(x);
    const size_t numbers = (size_t)x->count * (nq + nv + 1) + nq + 8 * nv + 3 * nv * nv + 2 * nv * nu + 5 * nu * nu +
                           rows * (2 * nv + rows + 3) + (nv > 6 ? nv : 6) * (nv + 1) +
                           level * (nu + nv + level + 5) + 6 * nu + 6 * nv;
    x->memory = calloc(numbers + 1, sizeof *x->memory);
    x->pivot = calloc(rows + nu + 2 * level + 1, sizeof *x->pivot);
    if (!x->memory || !x->pivot) return 0;
    x->at = x->pivot + rows;
    x->whose = x->at + nu;
    x->axis = x->whose + level;
    double *at = x->memory;
    for (int i = 0; i < x->count; i++)
        if (x->task[i].kind == PINION_TASK_POSTURE) copy_posture(x, &x->task[i], &at);
#define TAKE(name, size) (x->name = at, at += (size))
    TAKE(q, nq), TAKE(h, nv), TAKE(free, nv), TAKE(error, nv), TAKE(v_target, nv), TAKE(a_target, nv);
    TAKE(inverse, nv * nv), TAKE(B, nv * nu), TAKE(P, nv * nu), TAKE(N, nu * nu), TAKE(y, nu);
    TAKE(L, nu * nu), TAKE(T, nu * nu), TAKE(row, nu), TAKE(sum, nu), TAKE(speed, nu), TAKE(falls, nu);
    TAKE(scale, level), TAKE(kd, level), TAKE(weight, level), TAKE(damped, (size_t)x->count);
    TAKE(turn, nu * nu), TAKE(bend, nu * nu), TAKE(bends, nv * nv), TAKE(bent, nu);
    TAKE(C, rows * nv), TAKE(X, rows * nv), TAKE(S, rows * rows), TAKE(c, rows), TAKE(rhs, rows);
    TAKE(J, (nv > 6 ? nv : 6) * nv), TAKE(wanted, nv > 6 ? nv : 6), TAKE(centroidal, 6 * nv);
    TAKE(A, level * nu), TAKE(plain, level * nv), TAKE(U, level * level), TAKE(s, level), TAKE(b, level);
#undef TAKE
    for (int i = 0; i < x->count; i++) x->reach[i] = reach_of(x, &x->task[i]);
    return 1;
}

pinion_tasks *pinion_tasks_new(const pinion_model *m, const pinion_tasks_def *def, pinion_error *err)
{
    if (!check(m, def, err)) return NULL;
    pinion_tasks *x = calloc(1, sizeof *x);
    if (x) {
        x->m = m;
        x->nq = pinion_model_nq(m);
        x->nv = pinion_model_nv(m);
        x->nu = pinion_model_actuator_count(m);
        x->loop_rows = x->rows = pinion_model_row_count(m);
        x->count = def->count;
        x->held_count = def->held_count;
        x->limit = def->limit != 0;
        x->damping = def->damping;
        for (int i = 0; i < def->held_count; i++) x->rows += def->held[i].point ? 3 : 6;
    }
    pinion_status status = x && allocate(x, def) ? PINION_OK : PINION_ERR_MEMORY;
    for (int i = 0; i < def->count && status == PINION_OK; i++)
        if (x->task[i].kind == PINION_TASK_POSTURE && !x->task[i].target) /* its quaternions */
            status = pinion_difference(m, x->task[i].posture, x->task[i].posture, x->error);
    if (status == PINION_OK) return x;
    pn_error_set(err, status, NULL, 0, 0, "tasks: %s", pinion_status_text(status));
    pinion_tasks_free(x);
    return NULL;
}

void pinion_tasks_free(pinion_tasks *x)
{
    if (!x) return;
    pinion_work_free(x->w);
    free(x->task);
    free(x->held);
    free(x->order);
    free(x->reach);
    free(x->group);
    free(x->memory);
    free(x->pivot);
    free(x->owned);
    free(x);
}

/* ---------------------------------------------------------------------------------------------
 * What the tasks want */

/* J and what J a is to be, of a frame. */
static pinion_status want_frame(pinion_tasks *x, const pinion_task *task, const pinion_goal *goal, const double *q,
                                const double *v, double *J, double *wanted)
{
    double position[3], rotation[9], e[6], now[6], rate[6];
    const pinion_reference world = PINION_REFERENCE_WORLD_ALIGNED;
    pinion_status status = pinion_frame_pose(x->m, x->w, q, task->frame, position, rotation);
    if (status == PINION_OK) status = pinion_jacobian(x->m, x->w, q, task->frame, world, J);
    if (status == PINION_OK) status = pinion_frame_velocity(x->m, x->w, q, v, task->frame, world, now);
    if (status == PINION_OK) status = pinion_jacobian_dot_v(x->m, x->w, q, v, task->frame, world, rate);
    if (status != PINION_OK) return status;
    pn_ik_error(&goal->pose, position, rotation, e);
    shorten(x, task, position, e + 3);
    for (int i = 0; i < 6; i++)
        wanted[i] = goal->acceleration[i] + task->kd * (goal->velocity[i] - now[i]) + task->kp * e[i] - rate[i];
    return PINION_OK;
}

/* The linear rows of the centroidal matrix over the mass. */
static pinion_status want_com(pinion_tasks *x, const pinion_task *task, const pinion_goal *goal, const double *q,
                              const double *v, double *J, double *wanted)
{
    double position[3], velocity[3], rate[6], e[3];
    const double mass = pinion_model_mass(x->m);
    pinion_status status = pinion_center_of_mass(x->m, x->w, q, v, position, velocity);
    if (status == PINION_OK) status = pinion_centroidal(x->m, x->w, q, v, x->centroidal, rate, NULL);
    if (status != PINION_OK) return status;
    for (int i = 0; i < 3; i++) e[i] = goal->pose.position[i] - position[i];
    shorten(x, task, position, e);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < x->nv; k++) J[i * x->nv + k] = x->centroidal[(3 + i) * x->nv + k] / mass;
        wanted[i] = goal->acceleration[3 + i] + task->kd * (goal->velocity[3 + i] - velocity[i]) +
                    task->kp * e[i] - rate[3 + i] / mass;
    }
    return PINION_OK;
}

static pinion_status want_posture(pinion_tasks *x, const pinion_task *task, double t, const double *q, const double *v,
                                  double *J, double *wanted)
{
    const size_t nv = (size_t)x->nv;
    pinion_status status = PINION_OK;
    memset(x->v_target, 0, nv * sizeof *x->v_target);
    memset(x->a_target, 0, nv * sizeof *x->a_target);
    if (task->target)
        status = pinion_trajectory_at(task->target, t, x->q, x->v_target, x->a_target);
    else
        memcpy(x->q, task->posture, (size_t)x->nq * sizeof *x->q);
    if (status == PINION_OK) status = pinion_difference(x->m, q, x->q, x->error);
    if (status != PINION_OK) return status;
    pn_transport(x->group, x->group_count, q, v, x->q, x->v_target, x->a_target);
    memset(J, 0, nv * nv * sizeof *J);
    for (size_t i = 0; i < nv; i++) {
        J[i * nv + i] = 1;
        wanted[i] = x->a_target[i] + task->kd * (x->v_target[i] - v[i]) + task->kp * x->error[i];
    }
    return PINION_OK;
}

pinion_status pn_task_want(pinion_tasks *x, const pinion_task *task, double t, const double *q, const double *v,
                           double *J, double *wanted)
{
    pinion_goal goal = task->goal;
    if (task->kind == PINION_TASK_POSTURE) return want_posture(x, task, t, q, v, J, wanted);
    const pinion_status status = task->reference ? task->reference(task->reference_user, t, &goal) : PINION_OK;
    if (status != PINION_OK) return status;
    return task->kind == PINION_TASK_FRAME ? want_frame(x, task, &goal, q, v, J, wanted)
                                           : want_com(x, task, &goal, q, v, J, wanted);
}

int pinion_tasks_wanted(pinion_tasks *x, int task, double t, const double *q, const double *v, double *J,
                        double *wanted)
{
    if (!x || task < 0 || task >= x->count || !q || !v || !J || !wanted) return -1;
    return pn_task_want(x, &x->task[task], t, q, v, J, wanted) == PINION_OK ? pn_task_rows(x, &x->task[task]) : -1;
}
