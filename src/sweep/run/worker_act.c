/* What acts in a run: its controller, torques from outside, force elements and sensors. */
#include "sweep/run/worker.h"

#include <math.h>
#include <stdlib.h>

#include "sweep/sample/counter.h"

static const char *motion_file(const pinion_sweep_worker *w)
{
    const pinion_sweep *s = w->s;
    for (int i = 0; i < s->parameter_count; i++)
        if (s->parameters[i].what == PN_VARY_TRAJECTORY) return s->parameters[i].words[w->numbers.trajectory];
    return NULL;
}

pinion_status pn_worker_motion(pinion_sweep_worker *w, pinion_error *err)
{
    const pn_plan_run *r = &w->s->run;
    pn_run_numbers *n = &w->numbers;
    const char *varied = motion_file(w);
    if (w->motion) return PINION_OK; /* it starts on it */
    if (varied || r->trajectory) {
        char *path = varied ? pn_plan_path(w->s, varied) : NULL;
        if (varied && !path) return PINION_ERR_MEMORY;
        w->motion = pinion_trajectory_load(w->m, path ? path : r->trajectory, err);
        free(path);
        return w->motion ? PINION_OK : err->status;
    }
    if (!r->moves) return PINION_OK;
    for (int i = 0; i < w->s->nq; i++)
        if (!w->to_given[i]) n->to[i] = n->q[i];
    const pinion_status status = pinion_normalize(w->m, n->to);
    if (status != PINION_OK) return status;
    w->motion = pinion_trajectory_between(w->m, n->q, n->to, n->duration, r->profile, r->blend, err);
    return w->motion ? PINION_OK : err->status;
}

pinion_status pn_worker_controller(pinion_sweep_worker *w, pinion_run_def *def, pinion_error *err)
{
    const pn_run_numbers *n = &w->numbers;
    pinion_control_def c = pinion_control_def_default();
    if (n->control == PN_PLAN_NONE) return PINION_OK;
    if (n->control == PN_PLAN_TASK) {
        w->tasks = pinion_tasks_load(w->m, w->s->run.tasks, n->q, w->s->run.limit_effort, err);
        def->sim.actuators = pinion_tasks_actuators;
        def->sim.actuators_user = def->tasks = w->tasks;
        return w->tasks ? PINION_OK : err->status;
    }
    c.gravity = n->control == PN_PLAN_GRAVITY || n->control == PN_PLAN_PD_GRAVITY;
    c.limit = w->s->run.limit_effort;
    if (n->control != PN_PLAN_GRAVITY) {
        const pinion_status status = pn_worker_motion(w, err);
        if (status != PINION_OK) return status;
        c.kind = n->control == PN_PLAN_COMPUTED ? PINION_CONTROL_COMPUTED : PINION_CONTROL_PD;
        c.target = w->motion;
        c.hold = n->q;
        c.kp = n->kp;
        c.kd = n->kd;
    }
    w->controller = pinion_controller_new(w->m, &c, err);
    if (!w->controller) return err->status;
    def->sim.actuators = pinion_controller_actuators;
    def->sim.actuators_jump = pinion_controller_jump;
    def->sim.actuators_user = w->controller;
    if (n->control != PN_PLAN_GRAVITY) def->tracked = w->controller;
    return PINION_OK;
}

pinion_status pn_worker_outside(pinion_sweep_worker *w, uint64_t run, pinion_run_def *def, pinion_error *err)
{
    const pn_plan_run *r = &w->s->run;
    pinion_control_def c = pinion_control_def_default();
    int some = 0;
    for (int i = 0; i < w->s->nv; i++) some = some || w->numbers.torque[i] != 0;
    if (some) {
        c.tau = w->numbers.torque;
        c.limit = r->limit_effort;
        w->outside = pinion_controller_new(w->m, &c, err);
        if (!w->outside) return err->status;
        def->sim.torque = pinion_controller_torque;
        def->sim.torque_jump = pinion_controller_jump;
        def->sim.torque_user = w->outside;
    }
    if (r->forces) {
        w->forces = pinion_forces_new(w->m);
        if (!w->forces) return PINION_ERR_MEMORY;
        if (pinion_forces_load(w->forces, r->forces, err) != PINION_OK) return err->status;
        def->sim.forces = w->forces;
    }
    if (!r->sensors) return PINION_OK;
    w->sensors = pinion_sensors_new(w->m);
    if (!w->sensors) return PINION_ERR_MEMORY;
    if (pinion_sensors_load(w->sensors, r->sensors, err) != PINION_OK) return err->status;
    const double seed = w->numbers.seed;
    pinion_sensors_set_seed(w->sensors, isnan(seed) ? pn_counter_bits(w->s->seed, run, 0, PN_STREAM_RUN)
                                                    : (uint64_t)fabs(seed));
    def->sim.sensors = w->sensors;
    return PINION_OK;
}
