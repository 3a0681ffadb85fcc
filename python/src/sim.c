/* Simulations, trajectories and controllers: libpinion_sim behind pinion.simulate() and what goes into it. */
#include "binding.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "pinion/sim/sim.h"

/* ---------------------------------------------------------------------------------------------
 * Arguments: Python has made arrays of doubles of them */

/* The numbers of an array that must have so many; NULL with an exception, or where None is given and allowed.
 */
static const double *numbers_of(PyObject *value, npy_intp count, const char *name, int *good)
{
    if (value == Py_None) return NULL;
    PyArrayObject *a = (PyArrayObject *)value;
    if (PyArray_Check(value) && PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISCARRAY_RO(a) &&
        PyArray_SIZE(a) == count)
        return PyArray_DATA(a);
    pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s has the wrong shape; expected %ld numbers", name, (long)count);
    *good = 0;
    return NULL;
}

static PyObject *copy_of(const double *x, npy_intp rows, npy_intp columns)
{
    npy_intp dims[2] = {rows, columns};
    PyObject *a = PyArray_SimpleNew(columns ? 2 : 1, dims, NPY_DOUBLE);
    if (a && x)
        memcpy(PyArray_DATA((PyArrayObject *)a), x, (size_t)(rows * (columns ? columns : 1)) * sizeof *x);
    return a;
}

/* ---------------------------------------------------------------------------------------------
 * Trajectories */

typedef struct trajectory_object {
    PyObject ob_base;
    pinion_trajectory *trajectory;
    model_object *model;
    atomic_int
        busy; /* it belongs to one thread at a time: a simulation that runs without the lock may have it */
} trajectory_object;

static PyTypeObject *trajectory_type;

static PyObject *trajectory_wrap(PyObject *model, pinion_trajectory *trajectory, const pinion_error *err)
{
    if (!trajectory) return pn_py_fail_with(err);
    trajectory_object *t = (trajectory_object *)PyType_GenericAlloc(trajectory_type, 0);
    if (!t) {
        pinion_trajectory_free(trajectory);
        return NULL;
    }
    t->trajectory = trajectory;
    t->model = (model_object *)Py_NewRef(model);
    return (PyObject *)t;
}

static void trajectory_dealloc(PyObject *self)
{
    trajectory_object *t = (trajectory_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    pinion_trajectory_free(t->trajectory);
    Py_XDECREF((PyObject *)t->model);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static int trajectory_take(trajectory_object *t)
{
    if (!atomic_exchange(&t->busy, 1)) return 1;
    pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "the trajectory is in use by another thread");
    return 0;
}

static PyObject *trajectory_at(PyObject *self, PyObject *times)
{
    trajectory_object *t = (trajectory_object *)self;
    PyArrayObject *at = (PyArrayObject *)times;
    if (!PyArray_Check(times) || PyArray_TYPE(at) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(at) ||
        PyArray_NDIM(at) != 1)
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "t is not an array of float64 with one axis");
    npy_intp count = PyArray_SIZE(at), nq = t->model->dim[-PN_NQ], nv = t->model->dim[-PN_NV];
    if (!trajectory_take(t)) return NULL;
    PyObject *q = copy_of(NULL, count, nq), *v = copy_of(NULL, count, nv), *a = copy_of(NULL, count, nv);
    pinion_status status = q && v && a ? PINION_OK : PINION_ERR_MEMORY;
    for (npy_intp i = 0; i < count && !status; i++) {
        status = pinion_trajectory_at(t->trajectory, ((const double *)PyArray_DATA(at))[i],
                                      (double *)PyArray_DATA((PyArrayObject *)q) + i * nq,
                                      (double *)PyArray_DATA((PyArrayObject *)v) + i * nv,
                                      (double *)PyArray_DATA((PyArrayObject *)a) + i * nv);
    }
    atomic_store(&t->busy, 0);
    if (!status) return Py_BuildValue("(NNN)", q, v, a);
    Py_XDECREF(q);
    Py_XDECREF(v);
    Py_XDECREF(a);
    return PyErr_Occurred() ? NULL : pn_py_fail(status, 0, 0, "at: %s", pinion_status_text(status));
}

static PyObject *trajectory_span(PyObject *self, void *end)
{
    const pinion_trajectory *t = ((trajectory_object *)self)->trajectory;
    return PyFloat_FromDouble(end ? pinion_trajectory_end(t) : pinion_trajectory_start(t));
}

static PyObject *trajectory_text(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(pinion_trajectory_text(((trajectory_object *)self)->trajectory));
}

static PyMethodDef trajectory_methods[] = {{"_at", trajectory_at, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static PyGetSetDef trajectory_getset[] = {
    {"start", trajectory_span, NULL, "s", NULL},
    {"end", trajectory_span, NULL, "s", (void *)1},
    {"text", trajectory_text, NULL, "one line about where the motion comes from", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* model, q0, q1, duration, profile, blend */
PyObject *pn_py_trajectory_between(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *from, *to;
    double duration, blend;
    const char *profile;
    if (!PyArg_ParseTuple(args, "O!OOdsd", pn_py_model_type, &model, &from, &to, &duration, &profile, &blend))
        return NULL;
    const model_object *m = (model_object *)model;
    int good = 1, kind = pinion_profile_find(profile);
    const double *q0 = numbers_of(from, m->dim[-PN_NQ], "q0", &good),
                 *q1 = numbers_of(to, m->dim[-PN_NQ], "q1", &good);
    if (!good) return NULL;
    if (kind < 0) return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "there is no profile '%.60s'", profile);
    pinion_error err;
    return trajectory_wrap(
        model, pinion_trajectory_between(m->model, q0, q1, duration, (pinion_profile)kind, blend, &err),
        &err);
}

/* model, t, q, v or None, a or None */
PyObject *pn_py_trajectory_samples(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *times, *x[3];
    if (!PyArg_ParseTuple(args, "O!O!OOO", pn_py_model_type, &model, &PyArray_Type, &times, &x[0], &x[1],
                          &x[2]))
        return NULL;
    const model_object *m = (model_object *)model;
    npy_intp count = PyArray_SIZE((PyArrayObject *)times);
    int good = 1;
    const double *t = numbers_of(times, count, "t", &good);
    const double *q = numbers_of(x[0], count * m->dim[-PN_NQ], "q", &good);
    const double *v = numbers_of(x[1], count * m->dim[-PN_NV], "v", &good);
    const double *a = numbers_of(x[2], count * m->dim[-PN_NV], "a", &good);
    if (!good) return NULL;
    pinion_error err;
    return trajectory_wrap(model, pinion_trajectory_samples(m->model, (int)count, t, q, v, a, &err), &err);
}

/* model, q0, frame, displacement, duration, profile, blend */
PyObject *pn_py_trajectory_line(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *from;
    double duration, blend, d[3];
    const char *profile;
    int frame;
    if (!PyArg_ParseTuple(args, "O!Oi(ddd)dsd", pn_py_model_type, &model, &from, &frame, &d[0], &d[1], &d[2],
                          &duration, &profile, &blend))
        return NULL;
    const model_object *m = (model_object *)model;
    int good = 1, kind = pinion_profile_find(profile);
    const double *q0 = numbers_of(from, m->dim[-PN_NQ], "q0", &good);
    if (!good) return NULL;
    if (kind < 0) return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "there is no profile '%.60s'", profile);
    pinion_error err;
    return trajectory_wrap(
        model,
        pinion_trajectory_line(m->model, q0, frame, d, duration, (pinion_profile)kind, blend, NULL, &err),
        &err);
}

/* model, path */
PyObject *pn_py_trajectory_load(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *path;
    if (!PyArg_ParseTuple(args, "O!O&", pn_py_model_type, &model, PyUnicode_FSConverter, &path)) return NULL;
    pinion_error err;
    pinion_trajectory *t =
        pinion_trajectory_load(((model_object *)model)->model, PyBytes_AsString(path), &err);
    Py_DECREF(path);
    return trajectory_wrap(model, t, &err);
}

/* model, path: (t, tau) */
PyObject *pn_py_torques_load(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *path;
    if (!PyArg_ParseTuple(args, "O!O&", pn_py_model_type, &model, PyUnicode_FSConverter, &path)) return NULL;
    const model_object *m = (model_object *)model;
    pinion_error err;
    int count = 0;
    double *t = NULL, *tau = NULL;
    pinion_status status = pinion_torques_load(m->model, PyBytes_AsString(path), &count, &t, &tau, &err);
    Py_DECREF(path);
    if (status) return pn_py_fail_with(&err);
    PyObject *answer = Py_BuildValue("(NN)", copy_of(t, count, 0), copy_of(tau, count, m->dim[-PN_NV]));
    pinion_free(t);
    pinion_free(tau);
    return answer;
}

/* ---------------------------------------------------------------------------------------------
 * What drives a simulation */

/* A function of Python, and how many numbers it gives. */
typedef struct callback {
    PyObject *function;
    const char *what;
    npy_intp nq, nv, size;
} callback;

static pinion_status ask_python(void *user, double t, const double *q, const double *v, double *out)
{
    const callback *c = user;
    if (PyErr_Occurred()) return PINION_ERR_CALLBACK; /* it failed, and the integrator tries a shorter step */
    PyObject *answer =
        PyObject_CallFunction(c->function, "dNN", t, copy_of(q, c->nq, 0), copy_of(v, c->nv, 0));
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

enum { MAX_CALLBACKS = 64 };

/* All that a run stands on. */
typedef struct setting {
    pinion_run_def def;
    pinion_controller *controller;
    trajectory_object *target; /* taken while the run lasts */
    callback callback[MAX_CALLBACKS];
    int callbacks;
    pinion_forces *forces;
    pinion_result *result;
    pinion_run *run;
} setting;

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
    def.tau = numbers_of(tau, nv, "tau", &good);
    if (times != Py_None) {
        def.count = PyArray_Check(times) ? (int)PyArray_SIZE((PyArrayObject *)times) : 0;
        def.table_t = numbers_of(times, def.count, "t", &good);
        if (good) def.table_tau = numbers_of(table, def.count * nv, "tau", &good);
    }
    if (good) def.hold = numbers_of(hold, m->dim[-PN_NQ], "target", &good);
    if (good) def.kp = numbers_of(kp, nv, "kp", &good);
    if (good) def.kd = numbers_of(kd, nv, "kd", &good);
    if (!good) return 0;
    if (target != Py_None) {
        if (!PyObject_TypeCheck(target, trajectory_type) ||
            ((trajectory_object *)target)->model->model != m->model)
            return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "target is no trajectory of this model") != NULL;
        if (!trajectory_take((trajectory_object *)target)) return 0;
        s->target = (trajectory_object *)Py_NewRef(target);
        def.target = s->target->trajectory;
    }
    pinion_error err;
    s->controller = pinion_controller_new(m->model, &def, &err);
    if (!s->controller) return pn_py_fail_with(&err) != NULL;
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

static int make_control(const model_object *m, PyObject *control, setting *s)
{
    if (control == Py_None) return 1;
    if (PyTuple_Check(control)) return make_controller(m, control, s);
    s->def.sim.torque = ask_python;
    return (s->def.sim.torque_user = take_function(m, control, "control", m->dim[-PN_NV], s)) != NULL;
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
           algorithm = def->sim.algorithm, stabilization = def->sim.stabilization, max_steps = 0;
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
                 {"control_step", &def->sim.sample},
                 {"control_delay", &def->sim.delay},
                 {"stop_stiffness", &def->sim.stop_stiffness},
                 {"stop_damping", &def->sim.stop_damping}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!option(options, known[i].name, known[i].number)) return 0;
    def->sim.integrator = (pinion_integrator)integrator;
    def->sim.passive = passive != 0;
    def->sim.stops = stops != 0;
    def->sim.algorithm = (int)algorithm;
    def->sim.stabilization = (pinion_stabilization)stabilization;
    def->max_steps = max_steps < 1e18 ? (long)max_steps : 0;
    return 1;
}

/* [(kind, index, normal, height, direction, stop, name or None, function or None), ...] */
static int add_events(const model_object *m, PyObject *events, setting *s)
{
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
            if (!(def.user = take_function(m, function, "events", 1, s))) return 0;
        }
        def.kind = (pinion_event_kind)kind;
        pinion_error err;
        if (pinion_sim_add_event(pinion_run_simulation(s->run), &def, &err))
            return pn_py_fail_with(&err) != NULL;
    }
    return 1;
}

/* In pieces of some 20 ms, so that in between the interpreter may hear of a signal; how the way is cut
 * changes no number.
 */
static int run_to_end(setting *s)
{
    long steps = 8;
    while (pinion_run_ended(s->run) == PINION_RUN_GOING) {
        pinion_status status;
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        if (s->callbacks) {
            status = pinion_run_advance(s->run, steps);
        } else {
            Py_BEGIN_ALLOW_THREADS status = pinion_run_advance(s->run, steps);
            Py_END_ALLOW_THREADS
        }
        clock_gettime(CLOCK_MONOTONIC, &to);
        double took = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
        if (took < 0.01 && steps < 4096) steps *= 2;
        if (took > 0.03 && steps > 1) steps /= 2;
        if (PyErr_Occurred() || PyErr_CheckSignals() < 0) return 0;
        if (status) return pn_py_fail(status, 0, 0, "simulate: %s", pinion_run_message(s->run)) != NULL;
    }
    return 1;
}

/* What was recorded: [(name, unit, numbers), ...], [(t, text), ...], and how it went. */
static PyObject *recorded(const pinion_result *r, pinion_run *run)
{
    int columns = pinion_result_column_count(r), events = pinion_result_event_count(r);
    PyObject *table = PyList_New(columns), *list = PyList_New(events);
    npy_intp rows = (npy_intp)pinion_result_row_count(r);
    for (int i = 0; table && i < columns; i++) {
        pinion_column c;
        if (pinion_result_column(r, i, &c)) continue;
        PyList_SetItem(table, i,
                       Py_BuildValue("(ssN)", c.name, c.unit, copy_of(pinion_result_values(r, i), rows, 0)));
    }
    for (int i = 0; list && i < events; i++) {
        double t;
        const char *text = pinion_result_event(r, i, &t);
        PyList_SetItem(list, i, Py_BuildValue("(ds)", t, text));
    }
    pinion_run_summary sum;
    if (!run || pinion_run_summarize(run, &sum)) memset(&sum, 0, sizeof sum);
    size_t size = 0;
    pinion_error err;
    char *text = pinion_result_save_string(r, PINION_RESULT_JSONL, &size, &err);
    PyObject *file = text ? PyBytes_FromStringAndSize(text, (Py_ssize_t)size) : pn_py_fail_with(&err);
    pinion_free(text);
    if (!table || !list || !file || PyErr_Occurred()) {
        Py_XDECREF(table);
        Py_XDECREF(list);
        Py_XDECREF(file);
        return NULL;
    }
    return Py_BuildValue("(NN(ssdlllddsd)N)", table, list, pinion_run_end_name(sum.end),
                         sum.why ? sum.why : "", sum.t_end, sum.steps, sum.refused, sum.evaluations,
                         sum.largest_kinetic, sum.largest_drift, sum.warning ? sum.warning : "", sum.wall,
                         file);
}

/* path: (columns, events, {key: text}, file) */
PyObject *pn_py_load_result(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
    pinion_error err;
    pinion_result *r = pinion_result_load(PyBytes_AsString(path), &err);
    Py_DECREF(path);
    if (!r) return pn_py_fail_with(&err);
    PyObject *parts = recorded(r, NULL), *keys = PyDict_New(), *answer = NULL;
    for (int i = 0; keys && i < pinion_result_key_count(r); i++) {
        const char *key = pinion_result_key(r, i), *text = key ? pinion_result_get(r, key) : NULL;
        PyObject *value = text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace") : NULL;
        if (value && PyDict_SetItemString(keys, key, value)) Py_CLEAR(keys);
        Py_XDECREF(value);
    }
    if (parts && keys)
        answer = Py_BuildValue("(OOOO)", PyTuple_GetItem(parts, 0), PyTuple_GetItem(parts, 1), keys,
                               PyTuple_GetItem(parts, 3));
    pinion_result_free(r);
    Py_XDECREF(parts);
    Py_XDECREF(keys);
    return answer;
}

static void free_setting(setting *s)
{
    pinion_run_free(s->run);
    pinion_result_free(s->result);
    pinion_controller_free(s->controller);
    pinion_forces_free(s->forces);
    if (s->target) atomic_store(&s->target->busy, 0);
    Py_XDECREF((PyObject *)s->target);
    for (int i = 0; i < s->callbacks; i++) Py_DECREF(s->callback[i].function);
}

/* model, q, v (changed where loops are closed), q_given, v_given (bytes), options, control, actuators,
 * events, forces
 * */
PyObject *pn_py_simulate(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *start_q, *start_v, *options, *control, *actuators, *events, *forces, *answer = NULL;
    const char *q_given, *v_given;
    Py_ssize_t q_count, v_count;
    if (!PyArg_ParseTuple(args, "O!OOy#y#O!OOO!O!", pn_py_model_type, &model, &start_q, &start_v, &q_given,
                          &q_count, &v_given, &v_count, &PyDict_Type, &options, &control, &actuators,
                          &PyList_Type, &events, &PyList_Type, &forces))
        return NULL;
    const model_object *m = (model_object *)model;
    setting s;
    memset(&s, 0, sizeof s);
    s.def = pinion_run_def_default();
    int good = q_count == m->dim[-PN_NQ] && v_count == m->dim[-PN_NV];
    double *q = (double *)numbers_of(start_q, m->dim[-PN_NQ], "q0", &good);
    double *v = (double *)numbers_of(start_v, m->dim[-PN_NV], "v0", &good);
    pinion_error err;
    if (!good || !read_run_options(options, &s.def) || !make_control(m, control, &s) ||
        !make_actuators(m, actuators, &s) || !make_forces(m, forces, &s))
        goto done;
    if (pinion_start_close(m->model, (const unsigned char *)q_given, (const unsigned char *)v_given, 1, q, v,
                           NULL, &err)) {
        pn_py_fail_with(&err);
        goto done;
    }
    s.def.q = q;
    s.def.v = v;
    s.def.result = s.result = pinion_result_new();
    s.run = s.result ? pinion_run_new(m->model, &s.def, &err) : NULL;
    if (!s.run) {
        if (s.result)
            pn_py_fail_with(&err);
        else
            PyErr_NoMemory();
    } else if (add_events(m, events, &s) && run_to_end(&s)) {
        answer = recorded(s.result, s.run);
    }
done:
    free_setting(&s);
    return answer;
}

int pn_py_sim_ready(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)trajectory_dealloc},
        {Py_tp_methods, trajectory_methods},
        {Py_tp_getset, trajectory_getset},
        {0, NULL},
    };
    PyType_Spec spec = {"pinion._pinion.Trajectory", sizeof(trajectory_object), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    trajectory_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return trajectory_type ? PyModule_AddObjectRef(module, "Trajectory", (PyObject *)trajectory_type) : -1;
}
