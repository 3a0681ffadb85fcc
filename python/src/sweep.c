/* Sweeps: plans, and blocks of their runs. */
#include "binding.h"
#include "job.h"
#include "pinion/sim/sweep.h"

#include <string.h>

typedef struct plan_object {
    PyObject ob_base;
    pinion_sweep *sweep;
} plan_object;

/* A worker belongs to one thread at a time. */
typedef struct worker_object {
    PyObject ob_base;
    PyObject *plan;
    pinion_sweep_worker *worker;
    atomic_int busy;
} worker_object;

static PyTypeObject *plan_type, *worker_type;

/* text, name, folder or None: a plan */
PyObject *pn_py_sweep_plan(PyObject *module, PyObject *args)
{
    (void)module;
    const char *text, *name, *folder;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "s#sz", &text, &size, &name, &folder)) return NULL;
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_sweep *sweep;
    Py_BEGIN_ALLOW_THREADS sweep = pinion_sweep_load_string(text, (size_t)size, name, folder, &err);
    Py_END_ALLOW_THREADS if (!sweep) return pn_py_fail_with(&err);
    plan_object *o = (plan_object *)PyType_GenericAlloc(plan_type, 0);
    if (o)
        o->sweep = sweep;
    else
        pinion_sweep_free(sweep);
    return (PyObject *)o;
}

static void plan_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    pinion_sweep_free(((plan_object *)self)->sweep);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* [(name, unit, [word, ...] or None), ...] */
static PyObject *numbers_of(const pinion_sweep *s, int count,
                            pinion_status (*get)(const pinion_sweep *, int, pinion_sweep_number *))
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < count; i++) {
        pinion_sweep_number n;
        if (get(s, i, &n) != PINION_OK) continue;
        PyObject *words = n.words ? PyList_New(0) : Py_NewRef(Py_None);
        for (int k = 0; words && k < n.word_count; k++) {
            PyObject *word = PyUnicode_FromString(n.words[k]);
            if (word) PyList_Append(words, word);
            Py_XDECREF(word);
        }
        PyObject *entry = words ? Py_BuildValue("(ssN)", n.name, n.unit, words) : NULL;
        if (entry) PyList_Append(list, entry);
        Py_XDECREF(entry);
    }
    if (list && PyErr_Occurred()) Py_CLEAR(list);
    return list;
}

/* (runs, parameters, scalars) */
static PyObject *plan_about(PyObject *self, PyObject *none)
{
    (void)none;
    const pinion_sweep *s = ((plan_object *)self)->sweep;
    PyObject *parameters = numbers_of(s, pinion_sweep_parameter_count(s), pinion_sweep_parameter);
    PyObject *scalars = parameters ? numbers_of(s, pinion_sweep_scalar_count(s), pinion_sweep_scalar) : NULL;
    if (!scalars) {
        Py_XDECREF(parameters);
        return NULL;
    }
    return Py_BuildValue("(KNN)", (unsigned long long)pinion_sweep_count(s), parameters, scalars);
}

/* [name of a column of the rows, ...] */
static PyObject *plan_columns(PyObject *self, PyObject *none)
{
    (void)none;
    const pinion_sweep *s = ((plan_object *)self)->sweep;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < pinion_sweep_column_count(s); i++) {
        pinion_column c;
        PyObject *name = pinion_sweep_column(s, i, &c) == PINION_OK ? PyUnicode_FromString(c.name) : NULL;
        if (name) PyList_Append(list, name);
        Py_XDECREF(name);
    }
    if (list && PyErr_Occurred()) Py_CLEAR(list);
    return list;
}

/* first, count: [count][parameters] */
static PyObject *plan_parameters(PyObject *self, PyObject *args)
{
    unsigned long long first, count;
    if (!PyArg_ParseTuple(args, "KK", &first, &count)) return NULL;
    const pinion_sweep *s = ((plan_object *)self)->sweep;
    const npy_intp columns = pinion_sweep_parameter_count(s), dims[2] = {(npy_intp)count, columns};
    PyObject *out = PyArray_SimpleNew(2, (npy_intp *)dims, NPY_DOUBLE);
    double *x = out ? PyArray_DATA((PyArrayObject *)out) : NULL;
    for (unsigned long long i = 0; x && i < count; i++)
        if (pinion_sweep_parameters(s, first + i, x + (npy_intp)i * columns) != PINION_OK) {
            Py_DECREF(out);
            return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "there is no run %llu", first + i);
        }
    return out;
}

/* n: after how many runs a plan that may end early is looked at next */
static PyObject *plan_next_look(PyObject *self, PyObject *args)
{
    unsigned long long n;
    if (!PyArg_ParseTuple(args, "K", &n)) return NULL;
    return PyLong_FromUnsignedLongLong(pinion_sweep_next_look(((plan_object *)self)->sweep, n));
}

/* n, outcomes and scalars of all runs, as their bytes: whether the first n are enough */
static PyObject *plan_enough(PyObject *self, PyObject *args)
{
    const pinion_sweep *s = ((plan_object *)self)->sweep;
    unsigned long long n;
    Py_buffer outcome, scalars;
    if (!PyArg_ParseTuple(args, "Ky*y*", &n, &outcome, &scalars)) return NULL;
    const size_t row = (size_t)pinion_sweep_scalar_count(s) * sizeof(double);
    const int fits = (size_t)outcome.len >= n && (row == 0 || (size_t)scalars.len / row >= n);
    const int enough = fits && pinion_sweep_enough(s, n, outcome.buf, scalars.buf);
    PyBuffer_Release(&outcome);
    PyBuffer_Release(&scalars);
    return PyBool_FromLong(enough);
}

/* ---------------------------------------------------------------------------------------------
 * Workers */

static PyObject *plan_worker(PyObject *self, PyObject *none)
{
    (void)none;
    pinion_error err = {PINION_OK, 0, 0, ""};
    worker_object *o = (worker_object *)PyType_GenericAlloc(worker_type, 0);
    if (!o) return NULL;
    o->plan = Py_NewRef(self);
    o->worker = pinion_sweep_worker_new(((plan_object *)self)->sweep, &err);
    if (o->worker) return (PyObject *)o;
    Py_DECREF((PyObject *)o);
    return pn_py_fail_with(&err);
}

static void worker_dealloc(PyObject *self)
{
    worker_object *o = (worker_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    pinion_sweep_worker_free(o->worker);
    Py_XDECREF(o->plan);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* A block of runs. */
typedef struct block {
    job base;
    worker_object *o;
    uint64_t first;
    npy_intp count, scalars;
    unsigned char *outcome;
    double *t_end, *scalar;
    char (*why)[PINION_SWEEP_WHY];
    PyObject *out[4];
    pinion_status status;
} block;

static int keep_record(void *user, const pinion_sweep_record *r)
{
    block *b = user;
    const npy_intp i = (npy_intp)(r->run - b->first);
    b->outcome[i] = (unsigned char)r->outcome;
    b->t_end[i] = r->t_end;
    memcpy(b->scalar + i * b->scalars, r->scalars, (size_t)b->scalars * sizeof *b->scalar);
    memcpy(b->why[i], r->why, sizeof r->why);
    return !atomic_load(&b->base.left);
}

/* Ctrl-C ends the run that is being made. */
static int watch_block(void *user, double made, size_t rows)
{
    (void)made, (void)rows;
    return atomic_load(&((block *)user)->base.left) != 0;
}

static void make_block(job *j)
{
    enum { AT_ONCE = 64 };
    block *b = (block *)j;
    pinion_sweep_worker_watch(b->o->worker, watch_block, b);
    for (npy_intp i = 0; i < b->count && b->status == PINION_OK && !atomic_load(&j->left); i += AT_ONCE) {
        uint64_t runs[AT_ONCE];
        const npy_intp count = b->count - i < AT_ONCE ? b->count - i : AT_ONCE;
        for (npy_intp k = 0; k < count; k++) runs[k] = b->first + (uint64_t)(i + k);
        b->status = pinion_sweep_runs(b->o->worker, (size_t)count, runs, keep_record, b);
    }
    pinion_sweep_worker_watch(b->o->worker, NULL, NULL);
}

static void release_block(job *j)
{
    block *b = (block *)j;
    for (int i = 0; i < 4; i++) Py_XDECREF(b->out[i]);
    atomic_store(&b->o->busy, 0);
}

static void *room(block *b, int place, int axes, npy_intp rows, npy_intp columns, int type, int width)
{
    npy_intp dims[2] = {rows, columns};
    b->out[place] = width ? PyArray_New(&PyArray_Type, axes, dims, type, NULL, NULL, width, 0, NULL)
                          : PyArray_SimpleNew(axes, dims, type);
    return b->out[place] ? PyArray_DATA((PyArrayObject *)b->out[place]) : NULL;
}

/* first, count: (outcome, t_end, scalars, why) */
static PyObject *worker_run(PyObject *self, PyObject *args)
{
    worker_object *o = (worker_object *)self;
    unsigned long long first, count;
    if (!PyArg_ParseTuple(args, "KK", &first, &count)) return NULL;
    const pinion_sweep *s = ((plan_object *)o->plan)->sweep;
    if (first > pinion_sweep_count(s) || count > pinion_sweep_count(s) - first)
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "there is no run %llu", first + count - 1);
    if (atomic_exchange(&o->busy, 1))
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "another thread uses the worker; each needs its own");
    block *b = pn_py_job(sizeof *b, make_block, release_block);
    if (!b) {
        atomic_store(&o->busy, 0);
        return NULL;
    }
    pn_py_job_keep(&b->base, self);
    b->o = o;
    b->first = first;
    b->count = (npy_intp)count;
    b->scalars = pinion_sweep_scalar_count(s);
    b->outcome = room(b, 0, 1, b->count, 0, NPY_UINT8, 0);
    b->t_end = room(b, 1, 1, b->count, 0, NPY_DOUBLE, 0);
    b->scalar = room(b, 2, 2, b->count, b->scalars, NPY_DOUBLE, 0);
    b->why = room(b, 3, 1, b->count, 0, NPY_STRING, PINION_SWEEP_WHY);
    if (PyErr_Occurred()) {
        pn_py_job_end(&b->base);
        return NULL;
    }
    if (!pn_py_job_run(&b->base, 0)) return NULL;
    PyObject *answer = b->status == PINION_OK
                           ? Py_BuildValue("(OOOO)", b->out[0], b->out[1], b->out[2], b->out[3])
                           : pn_py_fail(b->status, 0, 0, "%s", pinion_status_text(b->status));
    pn_py_job_end(&b->base);
    return answer;
}

/* run: (outcome, t_end, scalars, why, rows), with all rows of the run */
static PyObject *worker_rows(PyObject *self, PyObject *args)
{
    worker_object *o = (worker_object *)self;
    unsigned long long run;
    pinion_sweep_record r;
    pinion_status status;
    if (!PyArg_ParseTuple(args, "K", &run)) return NULL;
    if (atomic_exchange(&o->busy, 1))
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "another thread uses the worker; each needs its own");
    pinion_sweep_worker_keep_rows(o->worker);
    Py_BEGIN_ALLOW_THREADS status = pinion_sweep_run(o->worker, run, &r);
    Py_END_ALLOW_THREADS PyObject *answer = NULL;
    if (status == PINION_OK) {
        npy_intp count = pinion_sweep_scalar_count(((plan_object *)o->plan)->sweep),
                 dims[2] = {(npy_intp)r.rows, r.columns};
        PyObject *scalars = PyArray_SimpleNew(1, &count, NPY_DOUBLE),
                 *rows = PyArray_SimpleNew(2, dims, NPY_DOUBLE);
        if (scalars && rows) {
            memcpy(PyArray_DATA((PyArrayObject *)scalars), r.scalars, (size_t)count * sizeof(double));
            if (r.rows)
                memcpy(PyArray_DATA((PyArrayObject *)rows), r.row, r.rows * (size_t)r.columns * sizeof(double));
            answer = Py_BuildValue("(idNyN)", (int)r.outcome, r.t_end, scalars, r.why, rows);
        } else {
            Py_XDECREF(scalars);
            Py_XDECREF(rows);
        }
    }
    atomic_store(&o->busy, 0);
    return status == PINION_OK ? answer : pn_py_fail(status, 0, 0, "%s", pinion_status_text(status));
}

/* ------------------------------------------------------------------------------------------------ */

static PyMethodDef plan_methods[] = {{"about", plan_about, METH_NOARGS, NULL},
                                     {"columns", plan_columns, METH_NOARGS, NULL},
                                     {"parameters", plan_parameters, METH_VARARGS, NULL},
                                     {"next_look", plan_next_look, METH_VARARGS, NULL},
                                     {"enough", plan_enough, METH_VARARGS, NULL},
                                     {"worker", plan_worker, METH_NOARGS, NULL},
                                     {NULL, NULL, 0, NULL}};
static PyMethodDef worker_methods[] = {{"run", worker_run, METH_VARARGS, NULL},
                                       {"rows", worker_rows, METH_VARARGS, NULL},
                                       {NULL, NULL, 0, NULL}};

int pn_py_sweep_ready(PyObject *module)
{
    (void)module;
    static PyType_Slot plan_slots[] = {
        {Py_tp_dealloc, plan_dealloc}, {Py_tp_methods, plan_methods}, {0, NULL}};
    static PyType_Slot worker_slots[] = {
        {Py_tp_dealloc, worker_dealloc}, {Py_tp_methods, worker_methods}, {0, NULL}};
    static PyType_Spec plan_spec = {"pinion._pinion.SweepPlan", sizeof(plan_object), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, plan_slots};
    static PyType_Spec worker_spec = {"pinion._pinion.SweepWorker", sizeof(worker_object), 0,
                                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, worker_slots};
    plan_type = (PyTypeObject *)PyType_FromSpec(&plan_spec);
    worker_type = (PyTypeObject *)PyType_FromSpec(&worker_spec);
    return plan_type && worker_type ? 0 : -1;
}
