/* Control in task space outside of a simulation: what the actuators should give at a state, and why. */
#include "setting.h"

#include <math.h>
#include <string.h>

typedef struct tasks_object {
    PyObject ob_base;
    model_object *model;
    pinion_tasks *tasks;
    int count;
    atomic_int busy;
} tasks_object;

static PyTypeObject *tasks_type;

/* model, file as bytes, q, limit */
PyObject *pn_py_tasks(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *q;
    const char *path;
    int limit, good = 1;
    pinion_error err;
    if (!PyArg_ParseTuple(args, "O!yOp", pn_py_model_type, &model, &path, &q, &limit)) return NULL;
    const double *at = pn_py_numbers_of(q, ((model_object *)model)->dim[-PN_NQ], "q", &good);
    tasks_object *o = good ? (tasks_object *)PyType_GenericAlloc(tasks_type, 0) : NULL;
    if (!o) return NULL;
    o->model = (model_object *)Py_NewRef(model);
    o->tasks = pinion_tasks_load(o->model->model, path, at, limit, &err);
    if (!o->tasks) {
        Py_DECREF((PyObject *)o);
        return pn_py_fail_with(&err);
    }
    while (!isnan(pinion_tasks_damped(o->tasks, o->count))) o->count++;
    return (PyObject *)o;
}

static void tasks_dealloc(PyObject *self)
{
    tasks_object *o = (tasks_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    pinion_tasks_free(o->tasks);
    Py_XDECREF((PyObject *)o->model);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static int tasks_take(tasks_object *o)
{
    if (!atomic_exchange(&o->busy, 1)) return 1;
    pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "another thread uses the tasks; each needs its own");
    return 0;
}

/* t, q, v: (u, by which part each task gave way, how far its target is out of reach) */
static PyObject *tasks_actuators(PyObject *self, PyObject *args)
{
    tasks_object *o = (tasks_object *)self;
    const npy_intp *dim = o->model->dim;
    PyObject *x[2];
    double t;
    int good = 1;
    if (!PyArg_ParseTuple(args, "dOO", &t, &x[0], &x[1])) return NULL;
    const double *q = pn_py_numbers_of(x[0], dim[-PN_NQ], "q", &good),
                 *v = pn_py_numbers_of(x[1], dim[-PN_NV], "v", &good);
    if (!good || !tasks_take(o)) return NULL;
    PyObject *u = pn_py_copy_of(NULL, dim[-PN_NU], 0), *damped = pn_py_copy_of(NULL, o->count, 0),
             *out = pn_py_copy_of(NULL, o->count, 0);
    const int made = u && damped && out;
    pinion_status status = made ? pinion_tasks_actuators(o->tasks, t, q, v, PyArray_DATA((PyArrayObject *)u))
                                       : PINION_ERR_MEMORY;
    for (int i = 0; !status && i < o->count; i++) {
        ((double *)PyArray_DATA((PyArrayObject *)damped))[i] = pinion_tasks_damped(o->tasks, i);
        ((double *)PyArray_DATA((PyArrayObject *)out))[i] = pinion_tasks_out_of_reach(o->tasks, i);
    }
    atomic_store(&o->busy, 0);
    if (!status) return Py_BuildValue("(NNN)", u, damped, out);
    Py_XDECREF(u);
    Py_XDECREF(damped);
    Py_XDECREF(out);
    return PyErr_Occurred() ? NULL : pn_py_fail(status, 0, 0, "actuators: %s", pinion_status_text(status));
}

/* task, t, q, v: (J, what is wanted of J a) */
static PyObject *tasks_wanted(PyObject *self, PyObject *args)
{
    tasks_object *o = (tasks_object *)self;
    const npy_intp *dim = o->model->dim, nv = dim[-PN_NV], most = nv > 6 ? nv : 6;
    PyObject *x[2], *answer = NULL;
    double t;
    int task, good = 1;
    if (!PyArg_ParseTuple(args, "idOO", &task, &t, &x[0], &x[1])) return NULL;
    const double *q = pn_py_numbers_of(x[0], dim[-PN_NQ], "q", &good),
                 *v = pn_py_numbers_of(x[1], nv, "v", &good);
    double *room = good ? PyMem_Malloc((size_t)(most * (nv + 1)) * sizeof *room) : NULL;
    if (!room) return good ? PyErr_NoMemory() : NULL;
    if (tasks_take(o)) {
        const int rows = pinion_tasks_wanted(o->tasks, task, t, q, v, room, room + most * nv);
        atomic_store(&o->busy, 0);
        answer = rows < 0 ? pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "wanted: task %d cannot be computed; there are %d",
                                       task, o->count)
                          : Py_BuildValue("(NN)", pn_py_copy_of(room, rows, nv),
                                          pn_py_copy_of(room + most * nv, rows, 0));
    }
    PyMem_Free(room);
    return answer;
}

static PyObject *tasks_count(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromLong(((tasks_object *)self)->count);
}

int pn_py_tasks_ready(PyObject *module)
{
    static PyMethodDef methods[] = {{"actuators", tasks_actuators, METH_VARARGS, NULL},
                                    {"wanted", tasks_wanted, METH_VARARGS, NULL},
                                    {"count", tasks_count, METH_NOARGS, NULL},
                                    {NULL, NULL, 0, NULL}};
    PyType_Slot slots[] = {{Py_tp_dealloc, (void *)tasks_dealloc}, {Py_tp_methods, methods}, {0, NULL}};
    PyType_Spec spec = {"pinion._pinion.Tasks", sizeof(tasks_object), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    tasks_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return tasks_type ? PyModule_AddObjectRef(module, "Tasks", (PyObject *)tasks_type) : -1;
}
