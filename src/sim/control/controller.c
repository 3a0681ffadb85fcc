/* Controllers: constant and tabulated torques, PD and computed torque towards a target. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/model_io.h"
#include "pinion/sim/control.h"
#include "sim/control/motors.h"
#include "sim/control/tracking.h"
#include "sim/trajectory/trajectory_kind.h"

#define COOKIE 0x434e5431u

struct pinion_controller {
    const pinion_model *m;
    pinion_work *w;
    pn_motors *motors;
    pinion_control kind;
    int nq, nv;
    int gravity;
    pinion_trajectory *target; /* NULL: hold, in q_target */
    int rows;
    pn_group_joint *group;
    int group_count;
    double *pool;                    /* all that follows */
    double *limit;                   /* [nv] of given torques; NULL: none */
    int limited;                     /* the actuators' are kept */
    double *u;                       /* scratch: [nu] */
    double *tau;                     /* [nv] CONSTANT */
    double *table_t, *table_tau;     /* [rows], [rows][nv] TABLE */
    double *kp, *kd;                 /* [nv] */
    double *hold;                    /* [nq] */
    double *q_target, *v_target;     /* scratch: [nq], [nv] */
    double *a_target, *error, *more; /* scratch: [nv] */
};

pinion_control_def pinion_control_def_default(void)
{
    return (pinion_control_def){.kind = PINION_CONTROL_CONSTANT, .cookie = COOKIE};
}

/* ---------------------------------------------------------------------------------------------
 * Making one */

static int fail(pinion_error *err, const char *what)
{
    pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "controller: %s", what);
    return 0;
}

/* An array that may be absent: finite and, if asked for, not negative. */
static int check_array(pinion_error *err, const char *name, const double *x, int count, int magnitude)
{
    for (int i = 0; x && i < count; i++) {
        const char *wrong = !isfinite(x[i])         ? "not a finite number"
                            : magnitude && x[i] < 0 ? "negative; expected a number of at least 0"
                                                    : NULL;
        if (!wrong) continue;
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "controller: %s[%d] is %s", name, i, wrong);
        return 0;
    }
    return 1;
}

static int check_table(const pinion_control_def *def, int nv, pinion_error *err)
{
    if (def->count < 1) return fail(err, "count is below 1; expected a table of at least one instant");
    if (!def->table_t || !def->table_tau) return fail(err, "table_t or table_tau is NULL; expected a table");
    for (int i = 0; i < def->count; i++) {
        if (!check_array(err, "table_t", def->table_t + i, 1, 0)) return 0;
        if (i == 0 || def->table_t[i] > def->table_t[i - 1]) continue;
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0,
                     "controller: table_t[%d] is not after table_t[%d]; expected increasing times", i, i - 1);
        return 0;
    }
    for (int i = 0; i < def->count; i++)
        for (int k = 0; k < nv; k++) {
            if (isfinite(def->table_tau[(size_t)i * (size_t)nv + (size_t)k])) continue;
            pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0,
                         "controller: table_tau[%d][%d] is not a finite number", i, k);
            return 0;
        }
    return 1;
}

static int check(const pinion_model *m, const pinion_control_def *def, pinion_error *err)
{
    const int nq = pinion_model_nq(m), nv = pinion_model_nv(m);
    if (def->cookie != COOKIE)
        return fail(err, "the def was not started from its default; expected pinion_control_def_default()");
    switch (def->kind) {
    case PINION_CONTROL_CONSTANT: return check_array(err, "tau", def->tau, nv, 0);
    case PINION_CONTROL_TABLE: return check_table(def, nv, err);
    case PINION_CONTROL_PD:
    case PINION_CONTROL_COMPUTED: break;
    default: return fail(err, "kind is not one of those there are");
    }

    /* towards a target */
    if (def->kind == PINION_CONTROL_COMPUTED && def->gravity)
        return fail(err, "gravity is set, but computed torque has the gravity torques already");
    if (!check_array(err, "kp", def->kp, nv, 1) || !check_array(err, "kd", def->kd, nv, 1)) return 0;
    if (def->target) return 1;
    if (!def->hold && nq > 0) return fail(err, "target and hold are NULL; expected one of them");
    return check_array(err, "hold", def->hold, nq, 0);
}

/* Cuts `count` numbers from the pool and fills them: with those given, or with zeros. */
static double *take(double **at, size_t count, const double *from)
{
    double *x = *at;
    if (from) memcpy(x, from, count * sizeof *x);
    *at = x + count;
    return x;
}

/* The effort limits, one for each velocity. */
static pinion_status read_limits(const pinion_model *m, double *limit)
{
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info info;
        const pinion_status status = pinion_model_joint(m, i, &info);
        if (status != PINION_OK) return status;
        for (int k = 0; k < info.nv; k++) { /* 0 stands for none */
            const double most = fabs(info.dof[k].effort);
            limit[info.v_index + k] = most > 0 ? most : INFINITY;
        }
    }
    return PINION_OK;
}

/* Memory for a controller whose counts are set. */
static int allocate(pinion_controller *c, const pinion_control_def *def)
{
    const size_t nq = (size_t)c->nq, nv = (size_t)c->nv, rows = (size_t)c->rows;
    const size_t nu = (size_t)pinion_model_actuator_count(c->m);
    c->pool = calloc(2 * nq + 8 * nv + nu + rows * (nv + 1) + 1, sizeof *c->pool);
    c->group = pn_group_joints(c->m, &c->group_count);
    c->w = pinion_work_new(c->m);
    c->motors = pn_motors_new(c->m, c->kind == PINION_CONTROL_COMPUTED);
    if (!c->pool || !c->group || !c->w || !c->motors) return 0;
    double *at = c->pool;
    const int towards = c->kind == PINION_CONTROL_PD || c->kind == PINION_CONTROL_COMPUTED;
    double *limit = take(&at, nv, NULL);
    c->limit = def->limit ? limit : NULL;
    c->limited = def->limit != 0;
    c->u = take(&at, nu, NULL);
    c->tau = take(&at, nv, c->kind == PINION_CONTROL_CONSTANT ? def->tau : NULL);
    c->table_t = take(&at, rows, rows ? def->table_t : NULL);
    c->table_tau = take(&at, rows * nv, rows ? def->table_tau : NULL);
    c->kp = take(&at, nv, towards ? def->kp : NULL);
    c->kd = take(&at, nv, towards ? def->kd : NULL);
    c->hold = take(&at, nq, towards && !def->target ? def->hold : NULL);
    c->q_target = take(&at, nq, NULL);
    c->v_target = take(&at, nv, NULL);
    c->a_target = take(&at, nv, NULL);
    c->error = take(&at, nv, NULL);
    c->more = take(&at, nv, NULL);
    return 1;
}

pinion_controller *pinion_controller_new(const pinion_model *m, const pinion_control_def *def,
                                         pinion_error *err)
{
    if (!m || !def) {
        fail(err, "no model or no def was given");
        return NULL;
    }
    if (!check(m, def, err)) return NULL;
    pinion_controller *c = calloc(1, sizeof *c);
    pinion_status status = c ? PINION_OK : PINION_ERR_MEMORY;
    if (c) {
        c->m = m;
        c->kind = def->kind;
        c->nq = pinion_model_nq(m);
        c->nv = pinion_model_nv(m);
        c->gravity = def->gravity != 0;
        c->target = c->kind >= PINION_CONTROL_PD ? def->target : NULL;
        c->rows = c->kind == PINION_CONTROL_TABLE ? def->count : 0;
        if (!allocate(c, def)) status = PINION_ERR_MEMORY;
    }
    if (status == PINION_OK && c->limit) status = read_limits(m, c->limit);

    /* quaternions of the place to hold are checked here, not at the first torque */
    if (status == PINION_OK && c->kind >= PINION_CONTROL_PD && !c->target)
        status = pinion_difference(m, c->hold, c->hold, c->error);
    if (status == PINION_OK) return c;
    pn_error_set(err, status, NULL, 0, 0, "controller: %s%s", status == PINION_ERR_QUATERNION ? "hold: " : "",
                 pinion_status_text(status));
    pinion_controller_free(c);
    return NULL;
}

void pinion_controller_free(pinion_controller *c)
{
    if (!c) return;
    pinion_work_free(c->w);
    pn_motors_free(c->motors);
    free(c->group);
    free(c->pool);
    free(c);
}

pinion_status pinion_controller_set_gains(pinion_controller *c, const double *kp, const double *kd)
{
    if (!c || c->kind < PINION_CONTROL_PD || !check_array(NULL, "kp", kp, c->nv, 1) ||
        !check_array(NULL, "kd", kd, c->nv, 1))
        return PINION_ERR_ARGUMENT;
    if (kp) memcpy(c->kp, kp, (size_t)c->nv * sizeof *kp);
    if (kd) memcpy(c->kd, kd, (size_t)c->nv * sizeof *kd);
    return PINION_OK;
}

pinion_status pinion_controller_set_hold(pinion_controller *c, const double *hold)
{
    if (!c || c->kind < PINION_CONTROL_PD || c->target || !hold || !check_array(NULL, "hold", hold, c->nq, 0))
        return PINION_ERR_ARGUMENT;
    const pinion_status status = pinion_difference(c->m, hold, hold, c->error);
    if (status == PINION_OK) memcpy(c->hold, hold, (size_t)c->nq * sizeof *hold);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * The torques */

/* How many instants of the table are not after t. */
static int passed(const pinion_controller *c, double t)
{
    int low = 0, high = c->rows;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (c->table_t[middle] <= t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void table_at(const pinion_controller *c, double t, double *tau)
{
    const size_t nv = (size_t)c->nv;
    const int i = passed(c, t);
    if (i == 0 || i == c->rows) {
        memcpy(tau, c->table_tau + (size_t)(i ? i - 1 : 0) * nv, nv * sizeof *tau);
        return;
    }
    const double *before = c->table_tau + (size_t)(i - 1) * nv, *after = before + nv;
    const double part = (t - c->table_t[i - 1]) / (c->table_t[i] - c->table_t[i - 1]);
    for (size_t k = 0; k < nv; k++) tau[k] = before[k] + part * (after[k] - before[k]);
}

double pinion_controller_jump(void *controller, double t)
{
    const pinion_controller *c = controller;
    if (c && c->target) return pn_trajectory_jump(c->target, t);
    if (!c || c->kind != PINION_CONTROL_TABLE) return INFINITY;
    const int i = passed(c, t);
    return i < c->rows ? c->table_t[i] : INFINITY;
}

/* The target and the error towards it: e with q (+) e = q_target, and the target's velocity and acceleration
 * in the frame at q. */
static pinion_status aim(pinion_controller *c, double t, const double *q, const double *v)
{
    const size_t nq = (size_t)c->nq, nv = (size_t)c->nv;
    pinion_status status = PINION_OK;
    if (c->target) {
        status = pinion_trajectory_at(c->target, t, c->q_target, c->v_target, c->a_target);
    } else {
        memcpy(c->q_target, c->hold, nq * sizeof(double));
        memset(c->v_target, 0, nv * sizeof(double));
        memset(c->a_target, 0, nv * sizeof(double));
    }
    if (status == PINION_OK) status = pinion_difference(c->m, q, c->q_target, c->error);
    if (status == PINION_OK)
        pn_transport(c->group, c->group_count, q, v, c->q_target, c->v_target, c->a_target);
    return status;
}

pinion_status pinion_controller_target(pinion_controller *c, double t, const double *q, const double *v,
                                       double *q_target, double *v_target, double *q_error, double *v_error)
{
    if (!c || !q || !v || !q_target || !v_target || !q_error || !v_error) return PINION_ERR_ARGUMENT;
    if (c->kind != PINION_CONTROL_PD && c->kind != PINION_CONTROL_COMPUTED) return PINION_ERR_ARGUMENT;
    const pinion_status status = aim(c, t, q, v);
    if (status != PINION_OK) return status;
    memcpy(q_target, c->q_target, (size_t)c->nq * sizeof *q_target);
    for (int i = 0; i < c->nv; i++) {
        q_error[i] = c->error[i];
        v_error[i] = c->v_target[i] - v[i];
        v_target[i] = 0;
    }
    /* the target's own velocity, in its own frame */
    return c->target ? pinion_trajectory_at(c->target, t, q_target, v_target, NULL) : PINION_OK;
}

/* kp e + kd (v_target - v), for PD the torque, for computed torque an acceleration */
static void feedback(const pinion_controller *c, const double *v, double *out)
{
    for (int i = 0; i < c->nv; i++) out[i] = c->kp[i] * c->error[i] + c->kd[i] * (c->v_target[i] - v[i]);
}

/* The torques that are given, within the joints' limits where these are kept. */
static void given(const pinion_controller *c, double t, double *tau)
{
    if (c->kind == PINION_CONTROL_TABLE)
        table_at(c, t, tau);
    else
        memcpy(tau, c->tau, (size_t)c->nv * sizeof *tau);
    for (int i = 0; c->limit && i < c->nv; i++) tau[i] = fmin(fmax(tau[i], -c->limit[i]), c->limit[i]);
}

pinion_status pinion_controller_actuators(void *controller, double t, const double *q, const double *v, double *u)
{
    pinion_controller *c = controller;
    if (!c || !q || !v || !u) return PINION_ERR_ARGUMENT;
    const int towards = c->kind == PINION_CONTROL_PD || c->kind == PINION_CONTROL_COMPUTED;
    memset(c->more, 0, (size_t)c->nv * sizeof *c->more);
    pinion_status status = towards ? aim(c, t, q, v) : PINION_OK;
    if (status != PINION_OK) return status;
    if (towards) feedback(c, v, c->more);
    if (c->kind == PINION_CONTROL_COMPUTED) {
        for (int i = 0; i < c->nv; i++) c->more[i] += c->a_target[i];
        return pn_motors_accelerate(c->motors, t, q, v, c->more, c->limited, u);
    }

    /* gravity on top; a_target has served */
    if (c->gravity) status = pinion_gravity(c->m, c->w, q, c->a_target);
    for (int i = 0; c->gravity && i < c->nv && status == PINION_OK; i++) c->more[i] += c->a_target[i];
    return status == PINION_OK ? pn_motors_force(c->motors, q, c->more, c->limited, u) : status;
}

pinion_status pinion_controller_torque(void *controller, double t, const double *q, const double *v,
                                       double *tau)
{
    pinion_controller *c = controller;
    if (!c || !q || !v || !tau) return PINION_ERR_ARGUMENT;
    const int towards = c->kind == PINION_CONTROL_PD || c->kind == PINION_CONTROL_COMPUTED;
    memset(tau, 0, (size_t)c->nv * sizeof *tau);
    if (!towards) given(c, t, tau);
    if (!towards && !c->gravity) return PINION_OK;
    pinion_status status = pinion_controller_actuators(c, t, q, v, c->u);
    if (status == PINION_OK) status = pn_motors_torque(c->motors, q, c->u, c->more);
    for (int i = 0; i < c->nv && status == PINION_OK; i++) tau[i] += c->more[i];
    return status;
}
