/* Simulations: whole runs, and step by step. */
#include "setting.h"

#include <string.h>

/* A whole run. */
typedef struct running {
    job base;
    setting s;
    beginning b;
    int taken; /* the trajectory */
    pinion_result *result;
    pinion_run *run;
    long steps;
    pinion_status status;
    pinion_error err;
} running;

/* Makes it, and then moves it on. */
static void move_run(job *j)
{
    running *r = (running *)j;
    if (r->run)
        r->status = pinion_run_advance(r->run, r->steps);
    else
        r->run = pinion_run_new(r->b.m->model, &r->s.def, &r->err);
}

static void release_run(job *j)
{
    running *r = (running *)j;
    pinion_run_free(r->run);
    pinion_result_free(r->result);
    if (r->taken) pn_py_trajectory_put(r->s.target);
    pn_py_release(&r->s);
}

/* ---------------------------------------------------------------------------------------------
 * What was recorded. Its file is long to write, and often nobody asks for it: it is made when somebody does. */

typedef struct result_object {
    PyObject ob_base;
    pinion_result *result;
} result_object;

static PyTypeObject *result_type;

static void result_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    pinion_result_free(((result_object *)self)->result);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

typedef struct writing {
    job base;
    const pinion_result *result;
    char *text;
    size_t size;
    pinion_error err;
} writing;

static void write_result(job *j)
{
    writing *w = (writing *)j;
    w->text = pinion_result_save_string(w->result, PINION_RESULT_JSONL, &w->size, &w->err);
}

static void release_writing(job *j)
{
    pinion_free(((writing *)j)->text);
}

/* the file, as bytes */
static PyObject *result_text(PyObject *self, PyObject *unused)
{
    (void)unused;
    writing *w = pn_py_job(sizeof *w, write_result, release_writing);
    if (!w) return NULL;
    pn_py_job_keep(&w->base, self);
    w->result = ((result_object *)self)->result;
    double numbers = (double)pinion_result_row_count(w->result) * pinion_result_column_count(w->result);
    if (!pn_py_job_run(&w->base, numbers < 1e4)) return NULL;
    PyObject *bytes =
        w->text ? PyBytes_FromStringAndSize(w->text, (Py_ssize_t)w->size) : pn_py_fail_with(&w->err);
    pn_py_job_end(&w->base);
    return bytes;
}

/* What contact came to in a simulation; None where there is none. */
static PyObject *contact_totals(const pinion_sim *sim)
{
    pinion_contact_totals c;
    if (!sim || pinion_sim_contact(sim, &c)) return Py_NewRef(Py_None);
    return Py_BuildValue("(iiillllddddddllii)", c.pairs, c.left_out, c.most, c.impacts, c.bounded, c.unsolved,
                         c.softened, c.penetration, c.residual, c.cone, c.dual, c.complementarity, c.dissipation,
                         c.undetermined, c.not_least, c.immovable, c.unrecorded);
}

/* [(name, unit, numbers), ...], [(t, text), ...], how it went, the result itself, which is not the caller's then, and
 * what contact came to */
static PyObject *recorded(pinion_result **result, pinion_run *run)
{
    const pinion_result *r = *result;
    int columns = pinion_result_column_count(r), events = pinion_result_event_count(r);
    PyObject *table = PyList_New(columns), *list = PyList_New(events);
    npy_intp rows = (npy_intp)pinion_result_row_count(r);
    for (int i = 0; table && i < columns; i++) {
        pinion_column c;
        if (pinion_result_column(r, i, &c)) continue;
        PyList_SetItem(
            table, i,
            Py_BuildValue("(ssN)", c.name, c.unit, pn_py_copy_of(pinion_result_values(r, i), rows, 0)));
    }
    for (int i = 0; list && i < events; i++) {
        double t;
        const char *text = pinion_result_event(r, i, &t);
        PyList_SetItem(list, i, Py_BuildValue("(ds)", t, text));
    }
    pinion_run_summary sum;
    if (!run || pinion_run_summarize(run, &sum)) memset(&sum, 0, sizeof sum);
    result_object *o = (result_object *)PyType_GenericAlloc(result_type, 0);
    if (!table || !list || !o || PyErr_Occurred()) {
        Py_XDECREF(table);
        Py_XDECREF(list);
        Py_XDECREF((PyObject *)o);
        return NULL;
    }
    o->result = *result;
    *result = NULL;
    return Py_BuildValue("(NN(ssdlllddsd)NN)", table, list, pinion_run_end_name(sum.end),
                         sum.why ? sum.why : "", sum.t_end, sum.steps, sum.refused, sum.evaluations,
                         sum.largest_kinetic, sum.largest_drift, sum.warning ? sum.warning : "", sum.wall,
                         o, contact_totals(run ? pinion_run_simulation(run) : NULL));
}

typedef struct reading {
    job base;
    const char *path;
    pinion_result *result;
    pinion_error err;
} reading;

static void read_result(job *j)
{
    reading *r = (reading *)j;
    r->result = pinion_result_load(r->path, &r->err);
}

static void release_reading(job *j)
{
    pinion_result_free(((reading *)j)->result);
}

/* path: (columns, events, {key: text}, result) */
PyObject *pn_py_load_result(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) return NULL;
    reading *x = pn_py_job(sizeof *x, read_result, release_reading);
    if (x) {
        pn_py_job_keep(&x->base, path);
        x->path = PyBytes_AsString(path);
    }
    Py_DECREF(path);
    if (!x || !pn_py_job_run(&x->base, 0)) return NULL;
    const pinion_result *r = x->result;
    PyObject *keys = r ? PyDict_New() : pn_py_fail_with(&x->err), *parts = NULL, *answer = NULL;
    for (int i = 0; keys && i < pinion_result_key_count(r); i++) {
        const char *key = pinion_result_key(r, i), *text = key ? pinion_result_get(r, key) : NULL;
        PyObject *value = text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace") : NULL;
        if (value && PyDict_SetItemString(keys, key, value)) Py_CLEAR(keys);
        Py_XDECREF(value);
    }
    if (keys && (parts = recorded(&x->result, NULL)))
        answer = Py_BuildValue("(OOOO)", PyTuple_GetItem(parts, 0), PyTuple_GetItem(parts, 1), keys,
                               PyTuple_GetItem(parts, 3));
    pn_py_job_end(&x->base);
    Py_XDECREF(parts);
    Py_XDECREF(keys);
    return answer;
}

/* One piece, on which its functions of Python need the lock. 0 with an exception: the run is no longer the caller's. */
static int move_piece(running *r)
{
    if (!r->s.callbacks) return pn_py_job_run(&r->base, !pn_py_long_steps(r->b.m, &r->s));
    move_run(&r->base);
    return 1;
}

static void leave_run(job *j)
{
    running *r = (running *)j;
    if (r->taken) pn_py_trajectory_leave(r->s.target);
}

PyObject *pn_py_simulate(PyObject *module, PyObject *args)
{
    (void)module;
    running *r = pn_py_job(sizeof *r, move_run, release_run);
    if (!r) return NULL;
    r->base.leaving = leave_run;
    pn_py_job_keep(&r->base, args);
    PyObject *answer = NULL;
    int good = pn_py_set_up(args, &r->s, &r->b) && (!r->s.target || (r->taken = pn_py_trajectory_take(r->s.target)));
    if (good && !(r->s.def.result = r->result = pinion_result_new())) good = PyErr_NoMemory() != NULL;
    if (good && !move_piece(r)) return NULL;
    if (good && !r->run) good = PyErr_Occurred() || pn_py_fail_with(&r->err);
    good = good && r->run && pn_py_add_events(&r->b, &r->s, pinion_run_simulation(r->run));
    /* in pieces, so that in between the interpreter may hear of a signal */
    r->steps = 8;
    while (good && pinion_run_ended(r->run) == PINION_RUN_GOING) {
        double begin = pn_py_seconds();
        if (!move_piece(r)) return NULL;
        r->steps = pn_py_next_steps(r->steps, pn_py_seconds() - begin);
        good = !PyErr_Occurred() && PyErr_CheckSignals() >= 0;
        if (good && r->status)
            good = pn_py_fail(r->status, 0, 0, "simulate: %s", pinion_run_message(r->run)) != NULL;
    }
    if (good) answer = recorded(&r->result, r->run);
    pn_py_job_end(&r->base);
    return answer;
}

/* ---------------------------------------------------------------------------------------------
 * Step by step */

typedef struct stepping_object {
    PyObject ob_base;
    setting s;
    pinion_run *run; /* of one that is moved by hand; NULL: the simulation is its own */
    pinion_sim *sim;
    model_object *model;
    atomic_int busy;
} stepping_object;

static PyTypeObject *stepping_type;

/* A function of Python may know the simulation that it drives. */
static int stepping_traverse(PyObject *self, visitproc visit, void *arg)
{
    stepping_object *o = (stepping_object *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT((PyObject *)o->model);
    for (int i = 0; i < o->s.callbacks; i++) Py_VISIT(o->s.callback[i].function);
    return 0;
}

static int stepping_clear(PyObject *self)
{
    stepping_object *o = (stepping_object *)self;
    for (int i = 0; i < o->s.callbacks; i++) {
        PyObject *old = o->s.callback[i].function;
        o->s.callback[i].function = Py_NewRef(Py_None);
        Py_DECREF(old);
    }
    return 0;
}

static void stepping_dealloc(PyObject *self)
{
    stepping_object *o = (stepping_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (o->run)
        pinion_run_free(o->run);
    else
        pinion_sim_free(o->sim);
    pn_py_release(&o->s);
    Py_XDECREF((PyObject *)o->model);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* For one call of one thread, with the trajectory that it follows. */
static int stepping_take(stepping_object *o)
{
    if (atomic_load(&o->busy)) pn_py_job_collect();
    if (atomic_exchange(&o->busy, 1)) {
        pn_py_fail(PINION_ERR_ARGUMENT, 0, 0,
                   "the simulation is under way: in another thread, or in the call that this function is part of");
        return 0;
    }
    if (!o->s.target || pn_py_trajectory_take(o->s.target)) return 1;
    atomic_store(&o->busy, 0);
    return 0;
}

static void stepping_put(stepping_object *o)
{
    if (o->s.target) pn_py_trajectory_put(o->s.target);
    atomic_store(&o->busy, 0);
}

static PyObject *stepping_fail(const stepping_object *o, pinion_status status)
{
    if (PyErr_Occurred()) return NULL; /* a function of Python has said why */
    const char *said = o->run ? pinion_run_message(o->run) : pinion_sim_message(o->sim);
    return pn_py_fail(status, 0, 0, "simulation: %s", *said ? said : pinion_status_text(status));
}

/* What takes time: making it, going to its start, and going on. It keeps the simulation, which is free again when it
 * has ended. */
typedef struct moving {
    job base;
    stepping_object *o;
    enum { MAKE, START, GO } what;
    const double *q, *v;
    double t;
    long steps;
    pinion_status status;
    pinion_error err;
} moving;

static void do_move(job *j)
{
    moving *x = (moving *)j;
    stepping_object *o = x->o;
    switch (x->what) {
    case MAKE:
        if (o->s.def.by_hand)
            o->run = pinion_run_new(o->model->model, &o->s.def, &x->err);
        else
            o->sim = pinion_sim_new(o->model->model, &o->s.def.sim, &x->err);
        if (o->run) o->sim = pinion_run_simulation(o->run);
        break;
    case START:
        x->status = o->run ? pinion_run_step_to(o->run, 0) : pinion_sim_start(o->sim, 0, x->q, x->v);
        break;
    case GO: /* a step by hand ends at t, and is not cut */
        x->status = o->run ? pinion_run_step_to(o->run, x->t) : pinion_sim_advance_some(o->sim, x->t, x->steps);
        break;
    }
}

static void release_move(job *j)
{
    stepping_put(((moving *)j)->o);
}

static void leave_move(job *j)
{
    pn_py_trajectory_leave(((moving *)j)->o->s.target);
}

/* A job with the simulation, for this thread; NULL with an exception. */
static moving *begin_move(stepping_object *o, PyObject *args)
{
    if (!stepping_take(o)) return NULL;
    moving *x = pn_py_job(sizeof *x, do_move, release_move);
    if (!x) {
        stepping_put(o);
        return NULL;
    }
    x->o = o;
    x->base.leaving = leave_move;
    pn_py_job_keep(&x->base, (PyObject *)o);
    pn_py_job_keep(&x->base, args);
    return x;
}

/* Does one thing; functions of Python need the lock. 0 with an exception: the job is no longer the caller's. */
static int do_piece(moving *x, int what)
{
    x->what = what;
    if (!x->o->s.callbacks) return pn_py_job_run(&x->base, !pn_py_long_steps(x->o->model, &x->o->s));
    do_move(&x->base);
    return 1;
}

/* the arguments of simulate(): a simulation at its start */
PyObject *pn_py_stepping(PyObject *module, PyObject *args)
{
    (void)module;
    stepping_object *o = (stepping_object *)PyType_GenericAlloc(stepping_type, 0);
    if (!o) return NULL;
    beginning b;
    moving *x = NULL;
    int good = pn_py_set_up(args, &o->s, &b);
    if (good) {
        o->model = (model_object *)Py_NewRef((PyObject *)b.m);
        if (o->s.def.by_hand) o->s.def.duration = o->s.def.output_step = 1e10;
        good = (x = begin_move(o, args)) != NULL;
    }
    if (good && !(good = do_piece(x, MAKE))) x = NULL;
    if (good && !o->sim) good = PyErr_Occurred() ? 0 : pn_py_fail_with(&x->err) != NULL;
    good = good && pn_py_add_events(&b, &o->s, o->sim);
    if (good) {
        x->q = b.q;
        x->v = b.v;
        if (!(good = do_piece(x, START))) x = NULL;
    }
    if (good && x->status) good = stepping_fail(o, x->status) != NULL;
    if (x) pn_py_job_end(&x->base);
    if (good) return (PyObject *)o;
    Py_DECREF((PyObject *)o);
    return NULL;
}

/* t: goes there, or to an event that stops */
static PyObject *stepping_advance(PyObject *self, PyObject *to)
{
    stepping_object *o = (stepping_object *)self;
    double t = PyFloat_AsDouble(to);
    moving *x = t == -1 && PyErr_Occurred() ? NULL : begin_move(o, NULL);
    if (!x) return NULL;
    x->t = t;
    x->steps = 8;
    int signalled = 0;
    do {
        double begin = pn_py_seconds();
        if (!do_piece(x, GO)) return NULL;
        x->steps = pn_py_next_steps(x->steps, pn_py_seconds() - begin);
        signalled = PyErr_Occurred() || PyErr_CheckSignals() < 0;
    } while (!x->status && !signalled && pinion_sim_time(o->sim) < t && !pinion_sim_stopped(o->sim));
    PyObject *answer = signalled   ? NULL
                       : x->status ? stepping_fail(o, x->status)
                                   : Py_NewRef(Py_None);
    pn_py_job_end(&x->base);
    return answer;
}

/* (t, q, v, a, tau, u, kinetic, potential, work, drift, constraint, stopped) */
static PyObject *stepping_state(PyObject *self, PyObject *unused)
{
    (void)unused;
    stepping_object *o = (stepping_object *)self;
    const npy_intp *dim = o->model->dim;
    npy_intp size[5] = {dim[-PN_NQ], dim[-PN_NV], dim[-PN_NV], dim[-PN_NV], dim[-PN_NU]};
    PyObject *x[5] = {NULL}, *answer = NULL;
    int good = stepping_take(o), taken = good;
    for (int i = 0; i < 5 && good; i++) good = (x[i] = pn_py_copy_of(NULL, size[i], 0)) != NULL;
    if (good) {
        double *p[5];
        for (int i = 0; i < 5; i++) p[i] = PyArray_DATA((PyArrayObject *)x[i]);
        pinion_sim_state state = {.q = p[0], .v = p[1], .a = p[2], .tau = p[3], .u = p[4]};
        pinion_status status = pinion_sim_get(o->sim, &state);
        if (status)
            stepping_fail(o, status);
        else
            answer = Py_BuildValue("(dOOOOOdddddO)", state.t, x[0], x[1], x[2], x[3], x[4], state.kinetic,
                                   state.potential, state.work, state.drift, state.constraint,
                                   pinion_sim_stopped(o->sim) ? Py_True : Py_False);
    }
    if (taken) stepping_put(o);
    for (int i = 0; i < 5; i++) Py_XDECREF(x[i]);
    return answer;
}

/* [(t, text), ...] that were not asked for yet */
static PyObject *stepping_events(PyObject *self, PyObject *unused)
{
    (void)unused;
    stepping_object *o = (stepping_object *)self;
    if (!stepping_take(o)) return NULL;
    PyObject *list = PyList_New(0);
    pinion_event_hit hit;
    while (list && pinion_sim_next_event(o->sim, &hit)) {
        PyObject *row = Py_BuildValue("(ds)", hit.t, hit.text);
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    stepping_put(o);
    return list;
}

/* None: all that it needs to go on, as an array; an array: goes back there */
static PyObject *stepping_memory(PyObject *self, PyObject *given)
{
    stepping_object *o = (stepping_object *)self;
    int good = 1, count = pinion_sim_memory_size(o->sim);
    const double *from = pn_py_numbers_of(given, count, "memory", &good);
    if (good && o->run)
        return pn_py_fail(PINION_ERR_UNSUPPORTED, 0, 0,
                          "memory: a simulation that is moved by hand has none");
    if (!good || !stepping_take(o)) return NULL;
    PyObject *memory = from ? Py_NewRef(Py_None) : pn_py_copy_of(NULL, count, 0);
    pinion_status status = PINION_OK;
    if (memory)
        status = from ? pinion_sim_restore(o->sim, from, count)
                      : pinion_sim_store(o->sim, PyArray_DATA((PyArrayObject *)memory));
    stepping_put(o);
    if (!status) return memory;
    Py_XDECREF(memory);
    return stepping_fail(o, status);
}

/* (tau, u, f_ext), each an array or None: what acts from here on */
static PyObject *stepping_apply(PyObject *self, PyObject *args)
{
    stepping_object *o = (stepping_object *)self;
    PyObject *x[3];
    int good = 1;
    if (!PyArg_ParseTuple(args, "OOO", &x[0], &x[1], &x[2])) return NULL;
    const npy_intp *dim = o->model->dim;
    const double *tau = pn_py_numbers_of(x[0], dim[-PN_NV], "tau", &good);
    const double *u = pn_py_numbers_of(x[1], dim[-PN_NU], "u", &good);
    const double *f_ext = pn_py_numbers_of(x[2], 6 * dim[-PN_BODIES], "f_ext", &good);
    if (good && !o->run)
        return pn_py_fail(PINION_ERR_UNSUPPORTED, 0, 0, "apply: expected a simulation with by_hand=True");
    if (!good || !stepping_take(o)) return NULL;
    pinion_status status = pinion_run_apply(o->run, tau, u, f_ext);
    stepping_put(o);
    return status ? stepping_fail(o, status) : Py_NewRef(Py_None);
}

/* {name: reading} of the sensors */
static PyObject *stepping_readings(PyObject *self, PyObject *unused)
{
    (void)unused;
    stepping_object *o = (stepping_object *)self;
    int count = o->s.sensors ? pinion_sensors_reading_count(o->s.sensors) : 0;
    PyObject *values = pn_py_copy_of(NULL, count, 0), *readings = values ? PyDict_New() : NULL;
    double *x = values ? PyArray_DATA((PyArrayObject *)values) : NULL;
    if (readings && !stepping_take(o)) {
        Py_DECREF(values);
        Py_DECREF(readings);
        return NULL;
    }
    pinion_status status = count && x ? pinion_sim_readings(o->sim, x) : PINION_OK;
    if (readings) stepping_put(o);
    if (status) {
        stepping_fail(o, status);
        Py_CLEAR(readings);
    }
    for (int i = 0; readings && i < count; i++) {
        char name[300];
        PyObject *value = PyFloat_FromDouble(x[i]);
        const char *key = pinion_sensors_reading_name(o->s.sensors, i, name, sizeof name);
        if (!value || !key || PyDict_SetItemString(readings, key, value)) Py_CLEAR(readings);
        Py_XDECREF(value);
    }
    Py_XDECREF(values);
    return readings;
}

/* (steps, refused, evaluations, implicit steps, changes, sticks, slips) */
static PyObject *stepping_counts(PyObject *self, PyObject *unused)
{
    (void)unused;
    long steps, refused, evaluations, implicit, changes, sticks, slips;
    const stepping_object *o = (stepping_object *)self;
    pinion_sim_counts(o->sim, &steps, &refused, &evaluations);
    pinion_sim_changes(o->sim, &implicit, &changes);
    pinion_sim_sticks(o->sim, &sticks, &slips);
    return Py_BuildValue("(lllllll)", steps, refused, evaluations, implicit, changes, sticks, slips);
}

/* what contact came to; None */
static PyObject *stepping_contact(PyObject *self, PyObject *unused)
{
    (void)unused;
    stepping_object *o = (stepping_object *)self;
    if (!stepping_take(o)) return NULL;
    PyObject *answer = contact_totals(o->sim);
    stepping_put(o);
    return answer;
}

static PyMethodDef stepping_methods[] = {
    {"contact", stepping_contact, METH_NOARGS, NULL},
    {"advance", stepping_advance, METH_O, NULL},        {"state", stepping_state, METH_NOARGS, NULL},
    {"events", stepping_events, METH_NOARGS, NULL},     {"memory", stepping_memory, METH_O, NULL},
    {"counts", stepping_counts, METH_NOARGS, NULL},     {"apply", stepping_apply, METH_VARARGS, NULL},
    {"readings", stepping_readings, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};

int pn_py_sim_ready(PyObject *module)
{
    PyType_Slot slots[] = {{Py_tp_dealloc, (void *)stepping_dealloc},
                           {Py_tp_traverse, (void *)stepping_traverse},
                           {Py_tp_clear, (void *)stepping_clear},
                           {Py_tp_methods, stepping_methods},
                           {0, NULL}};
    PyType_Spec spec = {"pinion._pinion.Stepping", sizeof(stepping_object), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_GC, slots};
    static PyMethodDef methods[] = {{"text", result_text, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
    PyType_Slot result_slots[] = {
        {Py_tp_dealloc, (void *)result_dealloc}, {Py_tp_methods, methods}, {0, NULL}};
    PyType_Spec result_spec = {"pinion._pinion.Result", sizeof(result_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, result_slots};
    result_type = (PyTypeObject *)PyType_FromSpec(&result_spec);
    stepping_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!stepping_type || !result_type) return -1;
    return PyModule_AddObjectRef(module, "Stepping", (PyObject *)stepping_type);
}
