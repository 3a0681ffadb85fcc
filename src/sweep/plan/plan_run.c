/* The run of a plan: what `pinion sim` has as options. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/plan/sweep_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_SHARE 100 /* "tol" is of a run: this part of it is allowed in a step */

const char *const pn_plan_controls[] = {"none", "gravity", "pd", "pd-gravity", "computed-torque",
                                        "task", NULL};
const char *const pn_plan_integrators[] = {"dopri5", "verner65", "rk4", "euler", "variational", "bdf",
                                           "adams",  "dirk",     "ida", "auto",  NULL};

/* ------------------------------------------------------------------------------------------------
 * Memory */

int pn_run_numbers_new(pn_run_numbers *x, int nq, int nv)
{
    x->memory = calloc(2 * (size_t)nq + 5 * (size_t)nv + 1, sizeof *x->memory);
    if (!x->memory) return 0;
    x->q = x->memory;
    x->to = x->q + nq;
    x->v = x->to + nq;
    x->kp = x->v + nv;
    x->kd = x->kp + nv;
    x->torque = x->kd + nv;
    x->a = x->torque + nv;
    return 1;
}

void pn_run_numbers_copy(pn_run_numbers *to, const pn_run_numbers *from, int nq, int nv)
{
    const pn_run_numbers own = *to;
    *to = *from;
    to->memory = own.memory, to->q = own.q, to->to = own.to, to->v = own.v;
    to->kp = own.kp, to->kd = own.kd, to->torque = own.torque, to->a = own.a;
    memcpy(to->memory, from->memory, (2 * (size_t)nq + 5 * (size_t)nv) * sizeof *to->memory);
}

void pn_plan_run_free(pn_plan_run *r)
{
    free(r->numbers.memory);
    free(r->q_given);
    free(r->trajectory);
    free(r->forces);
    free(r->sensors);
    free(r->tasks);
    free(r->frames);
    free(r->events);
    for (int i = 0; i < r->quantity_count; i++) free(r->quantities[i].name);
    free(r->quantities);
}

int pn_plan_no_memory(const pn_json_value *v)
{
    pn_error_set(v->file->err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    return 0;
}

char *pn_plan_path(const pinion_sweep *s, const char *path)
{
    const int absolute = *path == '/' || !s->folder;
    const size_t room = (absolute ? 0 : strlen(s->folder)) + strlen(path) + 2;
    char *all = malloc(room);
    if (all) snprintf(all, room, "%s%s%s", absolute ? "" : s->folder, absolute ? "" : "/", path);
    return all;
}

/* ------------------------------------------------------------------------------------------------
 * Coordinates by name */

/* {"elbow": 1, "leg_*": 2}: a name of its own counts more than a pattern. */
static int read_pairs(const pn_json_value *v, const pinion_model *m, const char *what, int count, double *x,
                      unsigned char *given)
{
    unsigned char *found = calloc(2 * (size_t)count + 1, 1), *named = found ? found + count : NULL;
    int fine = found ? 1 : pn_plan_no_memory(v);
    const char *key;
    json_t *json;
    json_object_foreach((json_t *)v->json, key, json)
    {
        pn_json_value element;
        double number = 0;
        if (!fine || !pn_value_get(v, key, &element)) break;
        memset(found, 0, (size_t)count);
        const int many = pinion_find_coordinates(m, what, key, found);
        fine = many ? pn_value_number(&element, &number) : pn_value_fail(&element, "no joint has that name");
        for (int i = 0; i < count && fine; i++) {
            if (!found[i] || (many > 1 && named[i])) continue;
            x[i] = number;
            named[i] = many == 1;
            if (given) given[i] = 1;
        }
    }
    free(found);
    return fine;
}

int pn_plan_coordinates(const pn_json_value *v, const pinion_model *m, const char *what, double *x,
                        unsigned char *given)
{
    const int position = what[0] == 'q', count = position ? pinion_model_nq(m) : pinion_model_nv(m);
    if (json_is_object(v->json)) return read_pairs(v, m, what, count, x, given);
    if (json_is_string(v->json)) {
        const char *name = json_string_value(v->json);
        const int state = pinion_model_find_state(m, name);
        if (state < 0) return pn_value_fail(v, "the model has no state of that name");
        if (given) memset(given, 1, (size_t)count);
        return pinion_model_state(m, state, position ? x : NULL, position ? NULL : x) == PINION_OK;
    }
    if (json_is_number(v->json) && !position) {
        double all = 0;
        if (!pn_value_number(v, &all)) return 0;
        for (int i = 0; i < count; i++) x[i] = all;
    } else if (!pn_value_numbers(v, (size_t)count, x)) {
        return 0;
    }
    if (given) memset(given, 1, (size_t)count);
    return 1;
}

/* ------------------------------------------------------------------------------------------------
 * Keys */

int pn_plan_list(const pn_json_value *run, const pinion_sweep *s, const char *key, const char *what, double *x,
                 unsigned char *given)
{
    pn_json_value v;
    if (!pn_value_get(run, key, &v)) return 1;
    if (json_is_string(v.json) && strcmp(key, "q0") != 0 && strcmp(key, "v0") != 0 && strcmp(key, "to") != 0)
        return pn_value_expected(&v, "a number, an array or an object with joints");
    return pn_plan_coordinates(&v, s->model, what, x, given);
}

/* The state of the model that a key names; -1: it names none. */
static int find_state(const pn_json_value *run, const pinion_sweep *s, const char *key)
{
    pn_json_value v;
    if (!pn_value_get(run, key, &v) || !json_is_string(v.json)) return -1;
    return pinion_model_find_state(s->model, json_string_value(v.json));
}

static int get_path(const pn_json_value *run, const pinion_sweep *s, const char *key, char **path)
{
    pn_json_value v;
    const char *text = NULL;
    if (!pn_value_get(run, key, &v)) return 1;
    if (!pn_value_string(&v, &text)) return 0;
    *path = pn_plan_path(s, text);
    return *path ? 1 : pn_plan_no_memory(&v);
}

int pn_plan_positive(const pn_json_value *run, const char *key, int also, double *x)
{
    pn_json_value v;
    if (!pn_value_get(run, key, &v)) return 1;
    if (!pn_value_number(&v, x)) return 0;
    return *x > 0 || (also && *x == 0) || pn_value_fail(&v, also ? "is below 0" : "is not above 0");
}

int pn_plan_choice(const pn_json_value *v, const char *const *words, int *out)
{
    char all[380] = "one of";
    for (int i = 0; words[i]; i++) {
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s %s", i ? "," : "", words[i]);
    }
    return pn_value_choice(v, words, all, out);
}

static int get_choice(const pn_json_value *run, const char *key, const char *const *words, int *out)
{
    pn_json_value v;
    return !pn_value_get(run, key, &v) || pn_plan_choice(&v, words, out);
}

/* "contact" and the numbers of it, which mean nothing without. */
static int read_contact(const pn_json_value *run, pn_plan_run *r)
{
    static const char *const kinds[] = {"model", "ground", NULL};
    static const char *const own[] = {"contact_friction", "contact_solver", "contact_tol", "contact_compliance"};
    int kind = -1;
    pn_json_value v;
    const char *name = NULL;
    if (!get_choice(run, "contact", kinds, &kind)) return 0;
    r->has_contact = kind >= 0;
    r->contact = pinion_scene_options_default();
    r->contact.ground = kind == 1;
    for (size_t i = 0; i < sizeof own / sizeof own[0] && !r->has_contact; i++)
        if (pn_value_get(run, own[i], &v)) return pn_value_fail(&v, "goes with \"contact\"");
    if (!pn_plan_positive(run, "contact_friction", 1, &r->contact.friction) ||
        !pn_plan_positive(run, "contact_tol", 0, &r->contact.solver.tolerance) ||
        !pn_plan_positive(run, "contact_compliance", 1, &r->contact.compliance))
        return 0;
    if (!(r->contact.solver.tolerance < 1))
        return pn_value_get(run, "contact_tol", &v) && pn_value_fail(&v, "is not below 1");
    if (!pn_value_get(run, "contact_solver", &v)) return 1;
    if (!pn_value_string(&v, &name)) return 0;
    r->contact.solver.solver = pinion_contact_solver_find(name);
    return r->contact.solver.solver >= 0 || pn_value_fail(&v, "is no solver: admm, pgs or interior-point");
}

/* How exactly it is integrated. */
static int read_method(const pn_json_value *run, pn_plan_run *r)
{
    int integrator = -1;
    double tolerance = 0;
    pn_json_value v;
    if (!read_contact(run, r) || !get_choice(run, "integrator", pn_plan_integrators, &integrator))
        return 0;
    r->numbers.integrator = integrator >= 0  ? integrator
                            : r->has_contact ? PINION_INTEGRATOR_EULER
                                             : PINION_INTEGRATOR_AUTO;
    if (!pn_plan_positive(run, "step", 0, &r->numbers.step) ||
        !pn_plan_positive(run, "max_step", 0, &r->sim.max_step) || !pn_plan_positive(run, "tol", 0, &tolerance))
        return 0;
    if (tolerance > 0) r->sim.rtol = r->sim.atol = tolerance / STEPS_SHARE;
    if (!pn_plan_positive(run, "rtol", 1, &r->sim.rtol) || !pn_plan_positive(run, "atol", 1, &r->sim.atol)) return 0;
    if (!pn_value_get(run, "algorithm", &v)) return 1;
    const char *name = NULL;
    pinion_algorithm_info info;
    if (!pn_value_string(&v, &name)) return 0;
    r->sim.algorithm = pinion_algorithm_find(name);
    if (r->sim.algorithm >= 0 && pinion_algorithm(r->sim.algorithm, &info) == PINION_OK &&
        info.problem == PINION_PROBLEM_FORWARD_DYNAMICS)
        return 1;
    return pn_value_fail(&v, "is no algorithm of forward dynamics (see 'pinion algorithms')");
}

/* "limits": true, false or [stiffness, damping]. */
static int read_stops(const pn_json_value *run, pn_plan_run *r)
{
    pn_json_value v;
    double x[2];
    if (!pn_value_get(run, "limits", &v)) return 1;
    if (!json_is_array(v.json)) return pn_value_boolean(&v, &r->sim.stops);
    if (!pn_value_numbers(&v, 2, x)) return 0;
    r->sim.stops = 1;
    r->sim.stop_stiffness = x[0];
    r->sim.stop_damping = x[1];
    return (x[0] >= 0 && x[1] >= 0) || pn_value_fail(&v, "a stiffness or damping is below 0");
}

/* What acts in the joints, and what is no more than a limit. */
static int read_physics(const pn_json_value *run, pn_plan_run *r)
{
    static const char *const frictions[] = {"smooth", "exact", NULL}, *const stabilizations[] = {
                                                                          "projection", "baumgarte", "both",
                                                                          "none", NULL};
    pn_json_value v;
    const int smoothed = pn_value_get(run, "friction_speed", &v);
    int friction = r->has_contact && !smoothed, stabilization = 0;
    double steps = 0;
    r->open_friction = !pn_value_get(run, "friction", &v) && !smoothed;
    if (!pn_get_boolean(run, "passive", &r->sim.passive) ||
        !get_choice(run, "friction", frictions, &friction) ||
        !get_choice(run, "stabilize", stabilizations, &stabilization) ||
        !pn_plan_positive(run, "stiction", 0, &r->numbers.stiction) ||
        !pn_plan_positive(run, "friction_speed", 1, &r->numbers.friction_speed) ||
        !pn_plan_positive(run, "baumgarte", 1, &r->sim.baumgarte) || !read_stops(run, r) ||
        !pn_plan_positive(run, "max_steps", 0, &steps) || !pn_plan_positive(run, "max_time", 0, &r->max_time) ||
        !pn_plan_positive(run, "max_drift", 0, &r->max_drift))
        return 0;
    r->sim.friction = friction ? PINION_FRICTION_EXACT : PINION_FRICTION_SMOOTH;
    r->sim.stabilization = (pinion_stabilization)stabilization;
    r->max_steps = steps > 1e15 ? 0 : (long)steps;
    if (pn_value_get(run, "stiction", &v) && r->numbers.stiction < 1) return pn_value_fail(&v, "is below 1");
    return steps == floor(steps) || (pn_value_get(run, "max_steps", &v) && pn_value_fail(&v, "is no whole number"));
}

/* A key that has a meaning with some controllers alone. */
static int useless(const pn_json_value *run, const char *key, const char *words)
{
    pn_json_value v;
    return pn_value_get(run, key, &v) && !pn_value_fail(&v, "has no use without %s", words);
}

int pn_plan_read_motion(const pn_json_value *run, pinion_sweep *s)
{
    static const char *const profiles[] = {"cycloidal", "quintic", "trapezoidal", "uniform", "nonic", NULL};
    pn_plan_run *r = &s->run;
    pn_json_value v;
    int profile = 0;
    r->blend = 0.25;
    r->moves = pn_value_get(run, "to", &v);
    r->to_state = find_state(run, s, "to");
    if (!pn_plan_list(run, s, "to", "q", r->numbers.to, r->to_given) ||
        !get_choice(run, "profile", profiles, &profile) ||
        !pn_plan_positive(run, "blend", 0, &r->blend) || !get_path(run, s, "trajectory", &r->trajectory))
        return 0;
    r->profile = (pinion_profile)profile;
    if (pn_value_get(run, "blend", &v) && r->profile != PINION_PROFILE_TRAPEZOIDAL)
        return pn_value_fail(&v, "is of \"profile\": \"trapezoidal\"");
    if (r->blend > 0.5) return pn_value_fail(&v, "is above 0.5");
    if (!r->moves && useless(run, "profile", "\"to\"")) return 0;
    return !(r->trajectory && r->moves && pn_value_get(run, "to", &v)) ||
           pn_value_fail(&v, "beside \"trajectory\"; expected one of them");
}

/* What drives it. */
static int read_control(const pn_json_value *run, pinion_sweep *s)
{
    static const char *const following[] = {"to", "trajectory", "kp", "kd", "profile", "blend"};
    pn_plan_run *r = &s->run;
    pn_run_numbers *x = &r->numbers;
    pn_json_value v;
    for (int i = 0; i < s->nv; i++) x->kp[i] = x->kd[i] = NAN; /* settled when all else is known */
    r->has_torque = pn_value_get(run, "torque", &v);
    if (!get_choice(run, "control", pn_plan_controls, &x->control) ||
        !pn_plan_list(run, s, "kp", "v", x->kp, NULL) ||
        !pn_plan_list(run, s, "kd", "v", x->kd, NULL) ||
        !pn_plan_list(run, s, "torque", "tau", x->torque, NULL) ||
        !pn_plan_positive(run, "control_step", 0, &x->control_step) ||
        !pn_plan_positive(run, "control_delay", 1, &x->control_delay) ||
        !pn_get_boolean(run, "limit_effort", &r->limit_effort) ||
        !pn_plan_read_motion(run, s) || !get_path(run, s, "tasks", &r->tasks) ||
        !get_path(run, s, "sensors", &r->sensors) || !get_path(run, s, "forces", &r->forces) ||
        !pn_plan_positive(run, "seed", 1, &x->seed))
        return 0;
    for (int i = 0; i < s->nv; i++)
        if ((x->kp[i] < 0 && pn_value_get(run, "kp", &v)) || (x->kd[i] < 0 && pn_value_get(run, "kd", &v)))
            return pn_value_fail(&v, "has a number below 0");
    for (int i = 0; i < 6 && !pn_plan_follows(x->control); i++)
        if (useless(run, following[i], "\"control\": \"pd\", \"pd-gravity\" or \"computed-torque\""))
            return 0;
    if (!r->tasks != (x->control != PN_PLAN_TASK))
        return pn_value_fail(run, "\"control\": \"task\" and \"tasks\" go together");
    if (!r->sensors && useless(run, "seed", "\"sensors\"")) return 0;
    return !(r->sensors && x->control_step == 0) ||
           pn_value_fail(run, "\"sensors\" need \"control_step\": they are read so often");
}

/* ------------------------------------------------------------------------------------------------
 * What is recorded and watched */

int pn_plan_read_frames(const pn_json_value *run, pinion_sweep *s)
{
    pn_json_value v, element = {0};
    pn_plan_run *r = &s->run;
    if (!pn_get_boolean(run, "rpy", &r->rpy)) return 0;
    if (!pn_value_get(run, "frames", &v)) return 1;
    if (!pn_value_array(&v, "names of frames")) return 0;
    r->frames = calloc(json_array_size(v.json) + 1, sizeof *r->frames);
    if (!r->frames) return pn_plan_no_memory(&v);
    while (pn_value_next(&v, &element)) {
        const char *name = NULL;
        if (!pn_value_string(&element, &name)) return 0;
        const int frame = pinion_model_find_frame(s->model, name);
        if (frame < 0) return pn_value_fail(&element, "the model has no link or frame \"%.60s\"", name);
        for (int i = 0; i < r->frame_count; i++)
            if (r->frames[i] == frame) return pn_value_fail(&element, "is there twice");
        r->frames[r->frame_count++] = frame;
    }
    return 1;
}

/* {"limit": "elbow"}, {"plane": "tip", "normal": [0, 0, 1], "height": 0}, {"energy": 3}, {"kinetic": 3}. */
static int read_event(const pn_json_value *v, const pinion_sweep *s, pinion_event_def *e)
{
    static const char *const keys[] = {"limit",  "plane",  "energy", "kinetic",
                                       "normal", "height", "when",   NULL},
                             *const ways[] = {"falls", "both", "rises", NULL};
    pn_json_value of;
    const char *name = NULL;
    int kind = 0, way = 1, kinds = 0;
    if (!pn_value_object(v, keys) || !get_choice(v, "when", ways, &way))
        return 0;
    for (int k = 0; k < 4; k++)
        if (pn_value_get(v, keys[k], &of)) kind = k, kinds++;
    if (kinds != 1)
        return pn_value_fail(v, "expected one of \"limit\", \"plane\", \"energy\" and \"kinetic\"");
    pn_value_get(v, keys[kind], &of);
    *e = pinion_event_def_default();
    e->kind = (pinion_event_kind)kind;
    e->direction = way - 1;
    e->stop = 1;
    if (kind >= PINION_EVENT_ENERGY) return pn_value_number(&of, &e->height);
    if (!pn_value_string(&of, &name)) return 0;
    if (kind == PINION_EVENT_LIMIT) {
        e->index = strcmp(name, "*") == 0 ? -1 : pinion_model_find_joint(s->model, name);
        return e->index >= 0 || *name == '*' || pn_value_fail(&of, "no joint is named \"%.60s\"", name);
    }
    e->index = pinion_model_find_frame(s->model, name);
    if (e->index < 0) return pn_value_fail(&of, "the model has no link or frame \"%.60s\"", name);
    if (!pn_get_numbers(v, "normal", 3, e->normal) || !pn_get_number(v, "height", &e->height)) return 0;
    return e->normal[0] != 0 || e->normal[1] != 0 || e->normal[2] != 0 ||
           (pn_value_get(v, "normal", &of) && pn_value_fail(&of, "has no direction: its numbers are 0"));
}

static int read_events(const pn_json_value *run, pinion_sweep *s)
{
    pn_json_value v, element = {0};
    pn_plan_run *r = &s->run;
    if (!pn_value_get(run, "stop_when", &v)) return 1;
    if (!pn_value_array(&v, "events")) return 0;
    r->events = calloc(json_array_size(v.json) + 1, sizeof *r->events);
    if (!r->events) return pn_plan_no_memory(&v);
    while (pn_value_next(&v, &element))
        if (!read_event(&element, s, &r->events[r->event_count++])) return 0;
    return 1;
}

/* ------------------------------------------------------------------------------------------------ */

/* Where it starts: the model's initial state, or one it has by name, with "q0" and "v0" in place of parts of
 * it. */
int pn_plan_read_start(const pn_json_value *run, pinion_sweep *s)
{
    pn_plan_run *r = &s->run;
    pn_json_value v;
    r->placed = pn_value_get(run, "state", &v) || pn_value_get(run, "q0", &v);
    if (pinion_initial(s->model, r->numbers.q, r->numbers.v) != PINION_OK)
        return pn_value_fail(run, "the model has no initial state");
    if (pn_value_get(run, "state", &v)) {
        if (!json_is_string(v.json)) return pn_value_expected(&v, "the name of a state of the model");
        if (!pn_plan_coordinates(&v, s->model, "q", r->numbers.q, NULL) ||
            !pn_plan_coordinates(&v, s->model, "v", r->numbers.v, NULL))
            return 0;
    }
    r->state = find_state(run, s, "state");
    r->q_state = find_state(run, s, "q0");
    r->v_state = find_state(run, s, "v0");
    if (!pn_plan_list(run, s, "q0", "q", r->numbers.q, r->q_given) ||
        !pn_plan_list(run, s, "v0", "v", r->numbers.v, r->v_given))
        return 0;
    /* as of pinion sim: what is named is held, all numbers together are a guess */
    if (pn_value_get(run, "q0", &v) && json_is_object(v.json)) memcpy(r->q_held, r->q_given, (size_t)s->nq);
    if (pn_value_get(run, "v0", &v) && json_is_object(v.json)) memcpy(r->v_held, r->v_given, (size_t)s->nv);
    return 1;
}

int pn_plan_read_run(const pn_json_value *v, pinion_sweep *s)
{
    static const char *const keys[] = {
        "command",       "state",     "q0",        "v0",           "duration",    "output_step", "integrator",
        "step",          "max_step",  "tol",       "rtol",         "atol",        "algorithm",
        "torque",        "control",   "tasks",     "kp",           "kd",          "control_step",
        "control_delay", "sensors",   "seed",      "limit_effort", "to",          "trajectory",
        "profile",       "blend",     "passive",   "friction",     "stiction",    "friction_speed",
        "limits",        "stabilize", "baumgarte", "forces",       "contact",     "frames",
        "contact_friction", "contact_solver", "contact_tol", "contact_compliance",
        "rpy",           "stop_when", "max_steps", "max_time",     "max_drift",   NULL};
    pn_plan_run *r = &s->run;
    pn_json_value duration;
    r->sim = pinion_sim_options_default();
    r->max_drift = NAN;
    int command = PN_PLAN_SIM;
    if (!get_choice(v, "command", pn_plan_commands, &command))
        return 0;
    r->command = (pn_plan_command)command;
    if (command == PN_PLAN_SIM && !pn_value_object(v, keys)) return 0;
    r->q_given = calloc(3 * (size_t)s->nq + 2 * (size_t)s->nv + 1, 1);
    if (!r->q_given || !pn_run_numbers_new(&r->numbers, s->nq, s->nv)) return pn_plan_no_memory(v);
    r->to_given = r->q_given + s->nq;
    r->q_held = r->to_given + s->nq;
    r->v_given = r->q_held + s->nq;
    r->v_held = r->v_given + s->nv;
    r->state = r->q_state = r->v_state = r->to_state = -1;
    r->numbers.stiction = r->sim.stiction;
    r->numbers.friction_speed = r->sim.friction_speed;
    r->numbers.seed = NAN;
    if (command != PN_PLAN_SIM) return pn_plan_read_command(v, s);
    if (!pn_value_need(v, "duration", &duration) || !pn_plan_positive(v, "duration", 0, &r->numbers.duration) ||
        !pn_plan_positive(v, "output_step", 0, &r->output_step))
        return 0;
    return pn_plan_read_start(v, s) && read_method(v, r) && read_physics(v, r) && read_control(v, s) &&
           pn_plan_read_frames(v, s) && read_events(v, s);
}
