/* pinion sim: what acts on the model, and what is watched. */
#define _POSIX_C_SOURCE 200809L
#include "cli/sim/sim_command.h"

#include "cli/args/coordinate_list.h"
#include "cli/args/file_args.h"
#include "cli/args/motion_args.h"
#include "cli/args/near.h"
#include "cli/args/quantity.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const sim_run *r, const char *option, const char *words)
{
    pn_cli_report(r->command, "--%s: %s", option, words);
    return CLI_USAGE;
}

/* Says what the library objected to. */
static int failed(const sim_run *r, const char *where, const pinion_error *err)
{
    pn_cli_report(r->command, "%s%s%s", where, *where ? ": " : "",
                  err->message[0] ? err->message : pinion_status_text(err->status));
    return CLI_FAILED;
}

/* ------------------------------------------------------------------------------------------------ */
/* Motors */

const char *pn_cli_sim_torque_file(const sim_run *r)
{
    const char *text = r->args->value[OPT_TORQUE];
    return text && pn_cli_ends_with(text, ".csv") && !strchr(text, '=') ? text : NULL;
}

/* Checks that the options go together: torques that are given, or a controller towards a motion. */
static int check_together(const sim_run *r, int follows)
{
    const char *const *value = r->args->value;
    const option_id motion[] = {OPT_TRAJECTORY, OPT_FROM,  OPT_TO_Q, OPT_LINE,
                                OPT_PROFILE,    OPT_BLEND, OPT_KP,   OPT_KD,   OPT_FLOATING};
    if (follows && value[OPT_TORQUE])
        return refuse(r, "torque", "cannot go with a controller that follows a motion");
    for (int i = 0; i < 9 && !follows; i++)
        if (value[motion[i]])
            return refuse(r, pn_cli_option_name(r->args, motion[i]),
                          "has no use without --control pd, pd-gravity or computed-torque");
    const int tasks = value[OPT_CONTROL] && strcmp(value[OPT_CONTROL], "task") == 0;
    if (tasks != (value[OPT_TASKS] != NULL))
        return refuse(r, tasks ? "control" : "tasks",
                      tasks ? "task needs --tasks FILE" : "has no use without --control task");
    const int controls = value[OPT_CONTROL] && strcmp(value[OPT_CONTROL], "none") != 0;
    if (value[OPT_CONTROL_STEP] && !controls && !value[OPT_SENSORS] && !value[OPT_CTRL])
        return refuse(r, "control-step", "has no use without --control, --ctrl or --sensors");
    if (value[OPT_ACTUATOR] && controls) return refuse(r, "actuator", "cannot go with --control");
    if (value[OPT_CTRL] && (controls || value[OPT_ACTUATOR]))
        return refuse(r, "ctrl", controls ? "cannot go with --control" : "cannot go with --actuator");
    if (value[OPT_LIMIT_EFFORT] && !value[OPT_TORQUE] && !value[OPT_ACTUATOR] &&
        (!value[OPT_CONTROL] || strcmp(value[OPT_CONTROL], "none") == 0))
        return refuse(r, "limit-effort", "has no use without --torque or --control");
    return follows ? pn_cli_motion_check(r->args, 0) : CLI_DONE;
}

static int has_position_limit(const pinion_joint_info *joint)
{
    int some = 0;
    for (int k = 0; k < joint->dof_count; k++)
        some = some || isfinite(joint->dof[k].lower) || isfinite(joint->dof[k].upper);
    return some;
}

static int has_friction(const pinion_joint_info *joint)
{
    int some = 0;
    for (int k = 0; k < joint->dof_count; k++)
        some = some || joint->dof[k].friction_positive > 0 || joint->dof[k].friction_negative > 0;
    return some;
}

int pn_cli_sim_rubs(const sim_run *r)
{
    pinion_joint_info joint;
    pinion_loop_info loop;
    for (int i = 0; pinion_model_joint(r->m, i, &joint) == PINION_OK; i++)
        if (has_friction(&joint)) return 1;
    for (int i = 0; pinion_model_loop(r->m, i, &loop) == PINION_OK; i++)
        if (loop.kind == PINION_LOOP_JOINT && has_friction(&loop.joint)) return 1;
    return 0;
}

/* Says when what an option relies on is not in the model: limits, friction, closed loops. */
static void tell_without_effect(const sim_run *r)
{
    int position = 0, effort = 0;
    for (int i = 0; i < pinion_model_joint_count(r->m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(r->m, i, &joint) != PINION_OK) continue;
        position = position || has_position_limit(&joint);
        for (int k = 0; k < joint.dof_count && r->args->value[OPT_TORQUE]; k++)
            effort = effort || isfinite(joint.dof[k].effort);
    }
    for (int i = 0; i < pinion_model_actuator_count(r->m); i++) {
        pinion_actuator_info a;
        if (pinion_model_actuator(r->m, i, &a) == PINION_OK)
            effort = effort || isfinite(a.effort[0]) || isfinite(a.effort[1]);
    }
    for (int i = 0; i < pinion_model_loop_count(r->m); i++) {
        pinion_loop_info loop;
        if (pinion_model_loop(r->m, i, &loop) == PINION_OK && loop.kind == PINION_LOOP_JOINT)
            position = position || has_position_limit(&loop.joint);
    }
    for (int i = 0; i < pinion_model_tendon_count(r->m); i++) {
        pinion_tendon_info t;
        if (pinion_model_tendon(r->m, i, &t) == PINION_OK)
            position = position || isfinite(t.limits[0]) || isfinite(t.limits[1]);
    }
    if (r->def.sim.stops && !position)
        pn_cli_report(r->command, "--limits has no effect: no joint of the model has a position limit, no tendon one");
    if (r->args->value[OPT_FRICTION] && r->def.sim.friction == PINION_FRICTION_EXACT &&
        !pn_cli_sim_rubs(r))
        pn_cli_report(r->command, "--friction exact has no effect: no joint of the model has friction");
    if (r->args->value[OPT_FRICTION_SPEED] && !pn_cli_sim_rubs(r))
        pn_cli_report(r->command, "--friction-speed has no effect: no joint of the model has friction");
    if (r->args->value[OPT_LIMIT_EFFORT] && !effort)
        pn_cli_report(r->command,
                      "--limit-effort has no effect: no joint or actuator of the model has an effort limit");
    if (r->args->value[OPT_STABILIZE] && pinion_model_row_count(r->m) == 0)
        pn_cli_report(r->command, "--stabilize has no effect: the model has no closed loop");
}

static void tell_none(const sim_run *r)
{
    if (pinion_model_actuator_count(r->m) == 0 && r->nv > 0 && !r->resumed)
        pn_cli_report(r->command, "warning: the model has no actuator: --control %s does nothing",
                      r->args->value[OPT_CONTROL]);
}

/* Says on which joints the actuators cannot give every force. Of joint forces that have nothing to do with each other
 * something is left on each coordinate that B does not reach. */
static int tell_out_of_reach(const sim_run *r)
{
    enum { NAMED = 6 };
    const size_t nv = (size_t)r->nv, nu = (size_t)pinion_model_actuator_count(r->m);
    pinion_allocation *x = pinion_allocation_new(r->m);
    double *tau = malloc((2 * nv + nu + 1) * sizeof *tau), *rest = tau + nv;
    char line[800] = "";
    int found = 0;
    for (size_t i = 0; i < nv && tau; i++) tau[i] = 1 + fabs(sin(1.7 * (double)i));
    pinion_status status = x && tau ? pinion_allocation_forces(x, r->q, tau, 0, rest + nv, rest) : PINION_ERR_MEMORY;
    for (int i = 0; i < pinion_model_joint_count(r->m) && status == PINION_OK; i++) {
        pinion_joint_info joint;
        double most = 0;
        if (pinion_model_joint(r->m, i, &joint) != PINION_OK) continue;
        for (int k = 0; k < joint.nv; k++) most = fmax(most, fabs(rest[joint.v_index + k]));
        const size_t used = strlen(line);
        if (most > 1e-6 && found++ < NAMED)
            snprintf(line + used, sizeof line - used, "%s%.80s", used ? ", " : "", joint.name);
    }
    if (found > NAMED) snprintf(line + strlen(line), sizeof line - strlen(line), " and %d more", found - NAMED);
    tell_none(r);
    if (found && nu > 0 && !r->quiet && !r->resumed)
        pn_cli_report(r->command, "note: --control acts through the actuators, which cannot give every force on %s",
                      line);
    free(tau);
    pinion_allocation_free(x);
    if (status == PINION_OK) return CLI_DONE;
    pn_cli_report(r->command, "%s", pinion_status_text(status));
    return CLI_FAILED;
}

/* Makes the controller that the def describes: of the actuators, */
static int make_controller(sim_run *r, const pinion_control_def *def)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    r->controller = pinion_controller_new(r->m, def, &err);
    if (!r->controller) return failed(r, "", &err);
    r->def.sim.actuators = pinion_controller_actuators;
    r->def.sim.actuators_jump = pinion_controller_jump;
    r->def.sim.actuators_user = r->controller;
    return tell_out_of_reach(r);
}

/* and of what acts from outside. */
static int make_outside(sim_run *r, const pinion_control_def *def)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    r->outside = pinion_controller_new(r->m, def, &err);
    if (!r->outside) return failed(r, "", &err);
    r->def.sim.torque = pinion_controller_torque;
    r->def.sim.torque_jump = pinion_controller_jump;
    r->def.sim.torque_user = r->outside;
    return CLI_DONE;
}

/* Says which tasks the actuators cannot do where the run begins. */
static int tell_singular(const sim_run *r)
{
    double *u = calloc((size_t)pinion_model_actuator_count(r->m) + 1, sizeof *u);
    pinion_status status = u ? pinion_tasks_actuators(r->tasks, 0, r->q, r->v, u) : PINION_ERR_MEMORY;
    for (int i = 0; status == PINION_OK && !isnan(pinion_tasks_damped(r->tasks, i)) && !r->resumed; i++)
        if (pinion_tasks_damped(r->tasks, i) > 0.99)
            pn_cli_report(r->command,
                          "warning: task %d wants a motion at the start that the actuators cannot make: this is a "
                          "singular position, or out of their reach", i);
    for (int i = 0; status == PINION_OK && !r->resumed && !isnan(pinion_tasks_out_of_reach(r->tasks, i)); i++)
        if (pinion_tasks_out_of_reach(r->tasks, i) > 0)
            pn_cli_report(r->command,
                          "warning: the target of task %d is out of reach by %.3g m at the start: it is led to the "
                          "nearest place", i, pinion_tasks_out_of_reach(r->tasks, i));
    free(u);
    if (status == PINION_OK) return CLI_DONE;
    pn_cli_report(r->command, "--tasks: %s", pinion_status_text(status));
    return CLI_FAILED;
}

/* Or of tasks. */
static int make_tasks(sim_run *r, int limit)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    r->tasks = pinion_tasks_load(r->m, r->args->value[OPT_TASKS], r->q, limit, &err);
    if (!r->tasks) return failed(r, "", &err);
    r->def.sim.actuators = pinion_tasks_actuators;
    r->def.sim.actuators_user = r->def.tasks = r->tasks;
    tell_none(r);
    pn_cli_sim_task_gains(r);
    return tell_singular(r);
}

/* What --actuator says. */
static pinion_status constant_forces(void *user, double t, const double *q, const double *v, double *u)
{
    const sim_run *r = user;
    (void)t;
    (void)q;
    (void)v;
    memcpy(u, r->u, (size_t)pinion_model_actuator_count(r->m) * sizeof *u);
    return PINION_OK;
}

/* What the actuators' laws make of --ctrl. */
static pinion_status law_forces(void *user, double t, const double *q, const double *v, double *u)
{
    sim_run *r = user;
    pinion_actuator_info a;
    for (int k = 0; pinion_model_actuator(r->m, k, &a) == PINION_OK; k++)
        u[k] = pinion_actuator_activation(&a.law, r->u[k], t);
    return pinion_actuation_controls(r->m, r->law, q, v, u, u);
}

static int read_controls(sim_run *r)
{
    r->law = pinion_work_new(r->m);
    if (!r->law) {
        pn_cli_report(r->command, "out of memory");
        return CLI_FAILED;
    }
    r->def.sim.actuators = law_forces;
    r->def.sim.actuators_user = r;
    return pn_cli_coordinates(r->command, "ctrl", r->m, "actuator", 0, r->args->value[OPT_CTRL], r->u);
}

static int read_actuators(sim_run *r, int limit)
{
    const char *list = r->args->value[OPT_ACTUATOR];
    if (r->args->value[OPT_CTRL]) return read_controls(r);
    if (!list) return CLI_DONE;
    const int status = pn_cli_coordinates(r->command, "actuator", r->m, "actuator", 0, list, r->u);
    for (int k = 0; k < pinion_model_actuator_count(r->m) && limit; k++) {
        pinion_actuator_info a;
        if (pinion_model_actuator(r->m, k, &a) == PINION_OK) r->u[k] = fmin(fmax(r->u[k], a.effort[0]), a.effort[1]);
    }
    r->def.sim.actuators = constant_forces;
    r->def.sim.actuators_user = r;
    return status;
}

/* What --torque says about joints that close loops. */
static pinion_status loop_torque(void *user, double t, const double *q, const double *v, double *tau)
{
    const sim_run *r = user;
    (void)t;
    (void)q;
    (void)v;
    memcpy(tau, r->torque + r->nv, (size_t)pinion_model_loop_nv(r->m) * sizeof *tau);
    return PINION_OK;
}

/* Torques that are given, constant or over time. */
static int read_torques(sim_run *r, int limit)
{
    const char *constant = r->args->value[OPT_TORQUE];
    pinion_control_def own = pinion_control_def_default(), *def = &own;
    def->limit = limit;
    if (!pn_cli_sim_torque_file(r)) {
        int status = constant ? pn_cli_torques(r->command, "torque", r->m, constant, r->torque) : CLI_DONE;
        def->tau = r->torque;
        for (int i = 0; i < pinion_model_loop_nv(r->m); i++)
            if (r->torque[r->nv + i] != 0) r->def.sim.loop_torque = loop_torque;
        r->def.sim.loop_torque_user = r;
        return status == CLI_DONE && constant ? make_outside(r, def) : status;
    }
    pinion_error err = {PINION_OK, 0, 0, ""};
    double *t = NULL, *tau = NULL;
    if (pinion_torques_load(r->m, constant, &def->count, &t, &tau, &err) != PINION_OK)
        return failed(r, "", &err);
    def->kind = PINION_CONTROL_TABLE;
    def->table_t = t;
    def->table_tau = tau;
    int status = make_outside(r, def);
    pinion_free(t);
    pinion_free(tau);
    return status;
}

static int read_forces(sim_run *r)
{
    const char *path = r->args->value[OPT_FORCES];
    pinion_error err = {PINION_OK, 0, 0, ""};
    if (!path) return CLI_DONE;
    r->forces = pinion_forces_new(r->m);
    if (!r->forces) {
        pn_cli_report(r->command, "out of memory");
        return CLI_FAILED;
    }
    r->def.sim.forces = r->forces;
    return pinion_forces_load(r->forces, path, &err) == PINION_OK ? CLI_DONE : failed(r, "", &err);
}

static int read_sensors(sim_run *r)
{
    const char *path = r->args->value[OPT_SENSORS], *seed = r->args->value[OPT_SEED];
    pinion_error err = {PINION_OK, 0, 0, ""};
    uint64_t number = 0;
    if (!path && !seed) return CLI_DONE;
    if (!path || !r->args->value[OPT_CONTROL_STEP]) {
        pn_cli_report(r->command, path ? "--sensors has no use without --control-step S: they are read so often"
                                       : "--seed has no use without --sensors FILE");
        return CLI_USAGE;
    }
    r->sensors = pinion_sensors_new(r->m);
    if (!r->sensors) {
        pn_cli_report(r->command, "out of memory");
        return CLI_FAILED;
    }
    r->def.sim.sensors = r->sensors;
    if (pinion_sensors_load(r->sensors, path, &err) != PINION_OK) return failed(r, "", &err);
    if (seed && pn_cli_parse_whole(seed, &number)) pinion_sensors_set_seed(r->sensors, number);
    return CLI_DONE;
}

int pn_cli_sim_follows(const sim_run *r)
{
    const char *control = r->args->value[OPT_CONTROL];
    return control && (strcmp(control, "computed-torque") == 0 || strncmp(control, "pd", 2) == 0);
}

int pn_cli_sim_control(sim_run *r)
{
    const char *const *value = r->args->value, *control = value[OPT_CONTROL] ? value[OPT_CONTROL] : "none";
    const int computed = strcmp(control, "computed-torque") == 0, follows = pn_cli_sim_follows(r);
    pinion_control_def def = pinion_control_def_default();
    def.gravity = strcmp(control, "gravity") == 0 || strcmp(control, "pd-gravity") == 0;
    def.limit = value[OPT_LIMIT_EFFORT] != NULL;
    int status = check_together(r, follows);
    if (status == CLI_DONE) status = read_forces(r);
    if (status == CLI_DONE) status = read_sensors(r);
    if (status != CLI_DONE) return status;
    tell_without_effect(r);
    if (strcmp(control, "task") == 0) {
        status = read_torques(r, def.limit);
        return status == CLI_DONE ? make_tasks(r, def.limit) : status;
    }
    if (!follows) {
        status = read_torques(r, def.limit);
        if (status == CLI_DONE) status = read_actuators(r, def.limit);
        return status == CLI_DONE && def.gravity ? make_controller(r, &def) : status;
    }

    /* towards a motion, or to stay where it starts */
    status = pn_cli_sim_gains(r, !computed);
    if (status == CLI_DONE && !r->target && pn_cli_motion_given(r->args))
        status = pn_cli_motion(r->args, r->m, r->q, &r->target);
    if (status != CLI_DONE) return status;
    def.kind = computed ? PINION_CONTROL_COMPUTED : PINION_CONTROL_PD;
    def.target = r->target;
    def.hold = r->q;
    def.kp = r->kp;
    def.kd = r->kd;
    status = make_controller(r, &def);
    r->def.tracked = r->controller;
    return status;
}

/* ------------------------------------------------------------------------------------------------ */
/* Events */

/* What one --event or --stop-when is about. */
typedef struct request {
    const sim_run *r;
    const char *option, *text; /* as given */
} request;

static int not_understood(const request *q, const char *expected)
{
    pn_cli_report(q->r->command, "--%s: expected %s, got '%s'", q->option, expected, q->text);
    return CLI_USAGE;
}

/* A joint, or a tendon behind the joints, as events count them. */
static int find_limited(const request *q, const char *name)
{
    const pinion_model *m = q->r->m;
    const int index = pinion_model_find_joint(m, name), tendon = pinion_model_find_tendon(m, name);
    if (index >= 0) return index;
    if (tendon >= 0) return pinion_model_joint_count(m) + tendon;
    char near[400];
    cli_near found = pn_cli_near(name);
    pinion_joint_info joint;
    pinion_tendon_info t;
    for (int i = 0; pinion_model_joint(m, i, &joint) == PINION_OK; i++) pn_cli_near_offer(&found, joint.name);
    for (int i = 0; pinion_model_tendon(m, i, &t) == PINION_OK; i++) pn_cli_near_offer(&found, t.name);
    pn_cli_report(q->r->command, "--%s: no joint%s is named '%s'%s", q->option,
                  pinion_model_tendon_count(m) ? " and no tendon" : "", name,
                  pn_cli_near_text(&found, near, sizeof near));
    return -1;
}

/* "FRAME:X,Y,Z:HEIGHT"; the frame's name may have colons, so it is read from its end. */
static int read_plane(const request *q, char *text, pinion_event_def *def)
{
    static const char expected[] = "plane:FRAME:X,Y,Z:HEIGHT";
    char where[40], *height = strrchr(text, ':'), *normal;
    if (!height) return not_understood(q, expected);
    *height++ = '\0';
    normal = strrchr(text, ':');
    if (!normal) return not_understood(q, expected);
    *normal++ = '\0';
    const double *n = def->normal;
    if (!pn_cli_parse_number(height, &def->height) || !pn_cli_parse_vector(normal, def->normal) ||
        (n[0] == 0 && n[1] == 0 && n[2] == 0))
        return not_understood(q, expected);
    snprintf(where, sizeof where, "--%s", q->option);
    def->index = pn_cli_find_frame(q->r->command, q->r->m, where, text);
    return def->index < 0 ? CLI_USAGE : CLI_DONE;
}

/* What follows the sign: the kind, and after a colon what it needs. */
static int read_event(const request *q, char *text, pinion_event_def *def)
{
    /* All but functions, which have no words. */
    static const char *const kind[PINION_EVENT_FUNCTION] = {"limit", "plane", "energy", "kinetic"};
    char *rest = strchr(text, ':'), near[400];
    int found = 0;
    if (rest) *rest++ = '\0';
    while (found < PINION_EVENT_FUNCTION && strcmp(text, kind[found]) != 0) found++;
    def->kind = (pinion_event_kind)found;
    switch (found) {
    case PINION_EVENT_LIMIT:
        def->index = rest ? find_limited(q, rest) : -1;
        return rest && def->index < 0 ? CLI_USAGE : CLI_DONE;
    case PINION_EVENT_PLANE: return read_plane(q, rest ? rest : text, def);
    case PINION_EVENT_ENERGY:
    case PINION_EVENT_KINETIC:
        if (rest && pn_cli_parse_number(rest, &def->height)) return CLI_DONE;
        return not_understood(q, found == PINION_EVENT_ENERGY ? "energy:J" : "kinetic:J");
    default: break;
    }
    cli_near nearest = pn_cli_near(text);
    for (int i = 0; i < PINION_EVENT_FUNCTION; i++) pn_cli_near_offer(&nearest, kind[i]);
    pn_cli_report(q->r->command, "--%s: expected limit, plane, energy or kinetic, got '%s'%s", q->option,
                  text, pn_cli_near_text(&nearest, near, sizeof near));
    return CLI_USAGE;
}

int pn_cli_sim_events(sim_run *r)
{
    for (int i = 0; i < r->args->repeated_count; i++) {
        const repeated_value *given = &r->args->repeated[i];
        const request q = {r, pn_cli_option_name(r->args, given->option), given->value};
        pinion_event_def def = pinion_event_def_default();
        def.stop = given->option == OPT_STOP_WHEN;
        const char *text = given->value;
        if (*text == '+' || *text == '-') def.direction = *text++ == '+' ? 1 : -1;

        char *copy = strdup(text);
        if (!copy) {
            pn_cli_report(r->command, "out of memory");
            return CLI_FAILED;
        }
        pinion_error err = {PINION_OK, 0, 0, ""};
        int status = read_event(&q, copy, &def);
        free(copy);
        if (status != CLI_DONE) return status;
        if (pinion_sim_add_event(pinion_run_simulation(r->run), &def, &err) != PINION_OK) {
            pn_cli_report(r->command, "--%s %s: %s", q.option, q.text, err.message);
            return err.status == PINION_ERR_MEMORY ? CLI_FAILED : CLI_USAGE;
        }
    }
    return CLI_DONE;
}
