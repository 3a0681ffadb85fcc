/* What simulations stand on, from what Python gives. */
#include "contact.h"

#include <math.h>
#include <string.h>
#include <time.h>

static pinion_status ask_python(void *user, double t, const double *q, const double *v, double *out)
{
    const callback *c = user;
    if (PyErr_Occurred()) return PINION_ERR_CALLBACK; /* it failed, and the integrator tries a shorter step */
    PyObject *answer =
        PyObject_CallFunction(c->function, "dNN", t, pn_py_copy_of(q, c->nq, 0), pn_py_copy_of(v, c->nv, 0));
    PyArrayObject *given = answer ? pn_py_array(c->what, "what the function gives", answer) : NULL;
    Py_XDECREF(answer);
    if (given && PyArray_SIZE(given) != c->size) {
        pn_py_fail(PINION_ERR_ARGUMENT, 0, 0,
                   "%s: what the function gives has the wrong shape; expected %ld numbers", c->what,
                   (long)c->size);
        Py_CLEAR(given);
    }
    PyObject *a = given ? PyArray_FromAny((PyObject *)given, PyArray_DescrFromType(NPY_DOUBLE), 0, 0,
                                          NPY_ARRAY_CARRAY_RO, NULL)
                        : NULL;
    Py_XDECREF((PyObject *)given);
    if (!a) return PINION_ERR_CALLBACK;
    memcpy(out, PyArray_DATA((PyArrayObject *)a), (size_t)c->size * sizeof *out);
    Py_DECREF(a);
    if (c->what[0] != 'e' || isfinite(*out)) return PINION_OK; /* of events no sign of it could be told */
    pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: what the function gives is not finite", c->what);
    return PINION_ERR_CALLBACK;
}

/* Takes a function of Python; NULL with an exception. */
static callback *take_function(const model_object *m, PyObject *function, const char *what, npy_intp size,
                               setting *s)
{
    if (s->callbacks == MAX_CALLBACKS)
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: expected at most %d functions", what,
                          MAX_CALLBACKS);
    callback *c = &s->callback[s->callbacks++];
    *c = (callback){Py_NewRef(function), what, m->dim[-PN_NQ], m->dim[-PN_NV], size};
    return c;
}

/* A controller: (kind, gravity, limit, tau, t, table, target, hold, kp, kd). */
static int make_controller(const model_object *m, PyObject *control, setting *s)
{
    PyObject *tau, *times, *table, *target, *hold, *kp, *kd;
    pinion_control_def def = pinion_control_def_default();
    int kind, good = 1;
    if (!PyArg_ParseTuple(control, "ippOOOOOOO", &kind, &def.gravity, &def.limit, &tau, &times, &table,
                          &target, &hold, &kp, &kd))
        return 0;
    npy_intp nv = m->dim[-PN_NV];
    def.kind = (pinion_control)kind;
    def.tau = pn_py_numbers_of(tau, nv, "tau", &good);
    if (times != Py_None) {
        def.count = PyArray_Check(times) ? (int)PyArray_SIZE((PyArrayObject *)times) : 0;
        def.table_t = pn_py_numbers_of(times, def.count, "t", &good);
        def.table_tau = pn_py_numbers_of(table, def.count * nv, "tau", &good);
    }
    def.hold = pn_py_numbers_of(hold, m->dim[-PN_NQ], "target", &good);
    def.kp = pn_py_numbers_of(kp, nv, "kp", &good);
    def.kd = pn_py_numbers_of(kd, nv, "kd", &good);
    if (!good) return 0;
    if (target != Py_None) {
        if (!PyObject_TypeCheck(target, pn_py_trajectory_type) ||
            ((trajectory_object *)target)->model->model != m->model)
            return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "target is no trajectory of this model") != NULL;
        s->target = (trajectory_object *)Py_NewRef(target);
        def.target = s->target->trajectory;
    }
    pinion_error err;
    s->controller = pinion_controller_new(m->model, &def, &err);
    if (!s->controller) return pn_py_fail_with(&err) != NULL;
    if (def.kind > PINION_CONTROL_TABLE) s->def.tracked = s->controller;
    if (def.kind > PINION_CONTROL_TABLE || !(def.tau || def.count)) { /* what the actuators give */
        s->def.sim.actuators = pinion_controller_actuators;
        s->def.sim.actuators_jump = pinion_controller_jump;
        s->def.sim.actuators_user = s->controller;
    } else {
        s->def.sim.torque = pinion_controller_torque;
        s->def.sim.torque_jump = pinion_controller_jump;
        s->def.sim.torque_user = s->controller;
    }
    return 1;
}

/* Tasks: (file as bytes, limit). */
static int make_tasks(const beginning *b, PyObject *control, setting *s)
{
    const char *path;
    int limit;
    pinion_error err;
    if (!PyArg_ParseTuple(control, "yp", &path, &limit)) return 0;
    s->tasks = pinion_tasks_load(b->m->model, path, b->q, limit, &err);
    if (!s->tasks) return pn_py_fail_with(&err) != NULL;
    s->def.sim.actuators = pinion_tasks_actuators;
    s->def.sim.actuators_user = s->def.tasks = s->tasks;
    return 1;
}

static int make_control(const beginning *b, PyObject *control, setting *s)
{
    const model_object *m = b->m;
    if (control == Py_None) return 1;
    if (PyTuple_Check(control))
        return PyTuple_Size(control) == 2 ? make_tasks(b, control, s) : make_controller(m, control, s);
    s->def.sim.torque = ask_python;
    return (s->def.sim.torque_user = take_function(m, control, "control", m->dim[-PN_NV], s)) != NULL;
}

/* The sensors of a file, and the frames whose poses are recorded. */
static int make_readings(const model_object *m, PyObject *sensors, PyObject *frames, setting *s)
{
    pinion_error err;
    if (sensors != Py_None) {
        const char *path = PyBytes_AsString(sensors);
        s->sensors = path ? pinion_sensors_new(m->model) : NULL;
        if (!s->sensors) return PyErr_Occurred() ? 0 : PyErr_NoMemory() != NULL;
        if (pinion_sensors_load(s->sensors, path, &err)) return pn_py_fail_with(&err) != NULL;
        s->def.sim.sensors = s->sensors;
    }
    Py_ssize_t count = PyList_Size(frames);
    s->frames = PyMem_Malloc(((size_t)count + 1) * sizeof *s->frames);
    if (!s->frames) return PyErr_NoMemory() != NULL;
    for (Py_ssize_t i = 0; i < count; i++) s->frames[i] = (int)PyLong_AsLong(PyList_GetItem(frames, i));
    s->def.frames = s->frames;
    s->def.frame_count = (int)count;
    return !PyErr_Occurred();
}

static int make_actuators(const model_object *m, PyObject *function, setting *s)
{
    if (function == Py_None) return 1;
    if (s->def.sim.actuators)
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0,
                          "actuators cannot go with a controller, which gives their forces") != NULL;
    s->def.sim.actuators = ask_python;
    return (s->def.sim.actuators_user = take_function(m, function, "actuators", m->dim[-PN_NU], s)) != NULL;
}

/* Force elements: [path as bytes or a function that gives nbody x 6 numbers, ...] */
static int make_forces(const model_object *m, PyObject *elements, setting *s)
{
    Py_ssize_t count = PyList_Size(elements);
    if (!count) return 1;
    pinion_error err = {PINION_OK, 0, 0, ""};
    s->forces = pinion_forces_new(m->model);
    if (!s->forces) return PyErr_NoMemory() != NULL;
    s->def.sim.forces = s->forces;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *e = PyList_GetItem(elements, i);
        callback *c = NULL;
        if (!PyBytes_Check(e) && !(c = take_function(m, e, "forces", 6 * m->dim[-PN_BODIES], s))) return 0;
        pinion_status status = c ? pinion_forces_add_function(s->forces, NULL, ask_python, c, &err)
                                 : pinion_forces_load(s->forces, PyBytes_AsString(e), &err);
        if (status) return pn_py_fail_with(&err) != NULL;
    }
    return 1;
}

/* A number of a dictionary, which stays what it is where there is none. */
static int option(PyObject *options, const char *name, double *number)
{
    PyObject *value = PyDict_GetItemString(options, name);
    if (!value || value == Py_None) return 1;
    double x = PyFloat_AsDouble(value);
    if (x == -1 && PyErr_Occurred()) return 0;
    *number = x;
    return 1;
}

static int read_run_options(PyObject *options, pinion_run_def *def)
{
    double integrator = def->sim.integrator, passive = def->sim.passive, stops = def->sim.stops,
           algorithm = def->sim.algorithm, stabilization = def->sim.stabilization, max_steps = 0,
           friction = def->sim.friction, by_hand = 0;
    const struct {
        const char *name;
        double *number;
    } known[] = {{"duration", &def->duration},
                 {"output_step", &def->output_step},
                 {"integrator", &integrator},
                 {"step", &def->sim.step},
                 {"max_step", &def->sim.max_step},
                 {"rtol", &def->sim.rtol},
                 {"atol", &def->sim.atol},
                 {"passive", &passive},
                 {"friction_speed", &def->sim.friction_speed},
                 {"limits", &stops},
                 {"algorithm", &algorithm},
                 {"stabilization", &stabilization},
                 {"baumgarte", &def->sim.baumgarte},
                 {"max_steps", &max_steps},
                 {"max_time", &def->max_time},
                 {"max_drift", &def->max_drift},
                 {"friction", &friction},
                 {"stiction", &def->sim.stiction},
                 {"by_hand", &by_hand},
                 {"control_step", &def->sim.sample},
                 {"control_delay", &def->sim.delay},
                 {"stop_stiffness", &def->sim.stop_stiffness},
                 {"stop_damping", &def->sim.stop_damping}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!option(options, known[i].name, known[i].number)) return 0;
    def->sim.integrator = (pinion_integrator)integrator;
    def->sim.friction = (pinion_friction)friction;
    def->by_hand = by_hand != 0;
    def->sim.passive = passive != 0;
    def->sim.stops = stops != 0;
    def->sim.algorithm = (int)algorithm;
    def->sim.stabilization = (pinion_stabilization)stabilization;
    def->max_steps = max_steps < 1e18 ? (long)max_steps : 0;
    return 1;
}

/* A dictionary of a scene's options, or None. */
static int make_contact(PyObject *options, setting *s)
{
    PyObject *given = PyDict_GetItemString(options, "contact");
    if (!given || given == Py_None) return 1;
    s->def.sim.contact = &s->contact;
    return pn_py_scene_options(given, &s->contact);
}

/* [(kind, index, normal, height, direction, stop, name or None, function or None), ...] */
int pn_py_add_events(const beginning *b, setting *s, pinion_sim *sim)
{
    PyObject *events = b->events;
    for (Py_ssize_t i = 0; i < PyList_Size(events); i++) {
        pinion_event_def def = pinion_event_def_default();
        int kind;
        PyObject *function;
        if (!PyArg_ParseTuple(PyList_GetItem(events, i), "ii(ddd)dipzO", &kind, &def.index, &def.normal[0],
                              &def.normal[1], &def.normal[2], &def.height, &def.direction, &def.stop,
                              &def.name, &function))
            return 0;
        if (function != Py_None) {
            def.function = ask_python;
            if (!(def.user = take_function(b->m, function, "events", 1, s))) return 0;
        }
        def.kind = (pinion_event_kind)kind;
        pinion_error err;
        if (pinion_sim_add_event(sim, &def, &err)) return pn_py_fail_with(&err) != NULL;
    }
    return 1;
}

int pn_py_long_steps(const model_object *m, const setting *s)
{
    return !s->callbacks && (m->dim[-PN_ROWS] > 150 || m->dim[-PN_NV] > 3000);
}

typedef struct closing {
    job base;
    const model_object *m;
    const unsigned char *q_given, *v_given;
    double *q, *v;
    pinion_status status;
    pinion_error err;
} closing;

static void do_close(job *j)
{
    closing *c = (closing *)j;
    c->status = pinion_start_close(c->m->model, c->q_given, c->v_given, 1, c->q, c->v, NULL, &c->err);
}

/* Closes the loops at the start. */
static int close_start(PyObject *args, const beginning *b, const char *q_given, const char *v_given)
{
    closing *c = pn_py_job(sizeof *c, do_close, NULL);
    if (!c) return 0;
    pn_py_job_keep(&c->base, args);
    c->m = b->m;
    c->q_given = (const unsigned char *)q_given;
    c->v_given = (const unsigned char *)v_given;
    c->q = b->q;
    c->v = b->v;
    if (!pn_py_job_run(&c->base, b->m->dim[-PN_ROWS] < 60)) return 0;
    int good = !c->status || pn_py_fail_with(&c->err);
    pn_py_job_end(&c->base);
    return good;
}

int pn_py_set_up(PyObject *args, setting *s, beginning *b)
{
    PyObject *model, *start_q, *start_v, *options, *control, *actuators, *forces, *sensors, *frames;
    const char *q_given, *v_given;
    Py_ssize_t q_count, v_count;
    memset(s, 0, sizeof *s);
    s->def = pinion_run_def_default();
    if (!PyArg_ParseTuple(args, "O!OOy#y#O!OOO!O!OO!", pn_py_model_type, &model, &start_q, &start_v, &q_given,
                          &q_count, &v_given, &v_count, &PyDict_Type, &options, &control, &actuators,
                          &PyList_Type, &b->events, &PyList_Type, &forces, &sensors, &PyList_Type, &frames))
        return 0;
    model_object *m = b->m = (model_object *)model;
    int good = q_count == m->dim[-PN_NQ] && v_count == m->dim[-PN_NV];
    s->def.q = b->q = (double *)pn_py_numbers_of(start_q, m->dim[-PN_NQ], "q0", &good);
    s->def.v = b->v = (double *)pn_py_numbers_of(start_v, m->dim[-PN_NV], "v0", &good);
    if (!good || !read_run_options(options, &s->def) || !close_start(args, b, q_given, v_given)) return 0;
    return make_contact(options, s) && make_control(b, control, s) && make_actuators(m, actuators, s) &&
           make_forces(m, forces, s) && make_readings(m, sensors, frames, s);
}

long pn_py_next_steps(long steps, double took)
{
    return took < 0.01 && steps < 4096 ? 2 * steps : took > 0.03 && steps > 1 ? steps / 2 : steps;
}

double pn_py_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void pn_py_release(setting *s)
{
    pinion_controller_free(s->controller);
    pinion_tasks_free(s->tasks);
    pinion_sensors_free(s->sensors);
    PyMem_Free(s->frames);
    pinion_forces_free(s->forces);
    Py_XDECREF((PyObject *)s->target);
    for (int i = 0; i < s->callbacks; i++) Py_DECREF(s->callback[i].function);
}
