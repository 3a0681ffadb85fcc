/* Motions: what controllers follow. */
#include "setting.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Arguments: Python has made arrays of doubles of them */

const double *pn_py_numbers_of(PyObject *value, npy_intp count, const char *name, int *good)
{
    if (!*good || value == Py_None) return NULL; /* what is wrong has been said */
    PyArrayObject *a = (PyArrayObject *)value;
    if (PyArray_Check(value) && PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISCARRAY_RO(a) &&
        PyArray_SIZE(a) == count)
        return PyArray_DATA(a);
    pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s has the wrong shape; expected %ld numbers", name, (long)count);
    *good = 0;
    return NULL;
}

PyObject *pn_py_copy_of(const double *x, npy_intp rows, npy_intp columns)
{
    npy_intp dims[2] = {rows, columns};
    PyObject *a = PyArray_SimpleNew(columns ? 2 : 1, dims, NPY_DOUBLE);
    if (a && x)
        memcpy(PyArray_DATA((PyArrayObject *)a), x, (size_t)(rows * (columns ? columns : 1)) * sizeof *x);
    return a;
}

/* ---------------------------------------------------------------------------------------------
 * Trajectories */

PyTypeObject *pn_py_trajectory_type;
enum { LEFT = 1 }; /* an owner that is no thread */

static PyObject *trajectory_wrap(PyObject *model, pinion_trajectory *trajectory, const pinion_error *err)
{
    if (!trajectory) return pn_py_fail_with(err);
    trajectory_object *t = (trajectory_object *)PyType_GenericAlloc(pn_py_trajectory_type, 0);
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

int pn_py_trajectory_take(trajectory_object *t)
{
    unsigned long me = PyThread_get_thread_ident(), nobody = 0;
    if (atomic_load(&t->owner) == LEFT) pn_py_job_collect();
    if (atomic_load(&t->owner) != me && !atomic_compare_exchange_strong(&t->owner, &nobody, me)) {
        pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "the trajectory is in use by another thread");
        return 0;
    }
    t->depth++;
    return 1;
}

void pn_py_trajectory_put(trajectory_object *t)
{
    if (--t->depth == 0) atomic_store(&t->owner, 0);
}

void pn_py_trajectory_leave(trajectory_object *t)
{
    if (t) atomic_store(&t->owner, LEFT);
}

static PyObject *trajectory_at(PyObject *self, PyObject *times)
{
    trajectory_object *t = (trajectory_object *)self;
    PyArrayObject *at = (PyArrayObject *)times;
    if (!PyArray_Check(times) || PyArray_TYPE(at) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(at) ||
        PyArray_NDIM(at) != 1)
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "t is not an array of float64 with one axis");
    npy_intp count = PyArray_SIZE(at), nq = t->model->dim[-PN_NQ], nv = t->model->dim[-PN_NV];
    if (!pn_py_trajectory_take(t)) return NULL;
    PyObject *q = pn_py_copy_of(NULL, count, nq), *v = pn_py_copy_of(NULL, count, nv),
             *a = pn_py_copy_of(NULL, count, nv);
    pinion_status status = q && v && a ? PINION_OK : PINION_ERR_MEMORY;
    for (npy_intp i = 0; i < count && !status; i++) {
        status = pinion_trajectory_at(t->trajectory, ((const double *)PyArray_DATA(at))[i],
                                      (double *)PyArray_DATA((PyArrayObject *)q) + i * nq,
                                      (double *)PyArray_DATA((PyArrayObject *)v) + i * nv,
                                      (double *)PyArray_DATA((PyArrayObject *)a) + i * nv);
        if ((i & 1023) == 1023 && PyErr_CheckSignals() < 0) status = PINION_ERR_CALLBACK;
    }
    pn_py_trajectory_put(t);
    if (!status) return Py_BuildValue("(NNN)", q, v, a);
    Py_XDECREF(q);
    Py_XDECREF(v);
    Py_XDECREF(a);
    return PyErr_Occurred() ? NULL : pn_py_fail(status, 0, 0, "at: %s", pinion_status_text(status));
}

static PyObject *trajectory_higher(PyObject *self, PyObject *times)
{
    trajectory_object *t = (trajectory_object *)self;
    PyArrayObject *at = (PyArrayObject *)times;
    if (!PyArray_Check(times) || PyArray_TYPE(at) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(at) || PyArray_NDIM(at) != 1)
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "t is not an array of float64 with one axis");
    npy_intp count = PyArray_SIZE(at), nv = t->model->dim[-PN_NV];
    if (!pn_py_trajectory_take(t)) return NULL;
    PyObject *jerk = pn_py_copy_of(NULL, count, nv), *snap = pn_py_copy_of(NULL, count, nv);
    pinion_status status = jerk && snap ? PINION_OK : PINION_ERR_MEMORY;
    for (npy_intp i = 0; i < count && !status; i++)
        status = pinion_trajectory_higher(t->trajectory, ((const double *)PyArray_DATA(at))[i],
                                          (double *)PyArray_DATA((PyArrayObject *)jerk) + i * nv,
                                          (double *)PyArray_DATA((PyArrayObject *)snap) + i * nv);
    pn_py_trajectory_put(t);
    if (!status) return Py_BuildValue("(NN)", jerk, snap);
    Py_XDECREF(jerk);
    Py_XDECREF(snap);
    return pn_py_fail(status, 0, 0, "higher: %s", pinion_status_text(status));
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

static PyMethodDef trajectory_methods[] = {{"_at", trajectory_at, METH_O, NULL},
                                           {"_higher", trajectory_higher, METH_O, NULL},
                                           {NULL, NULL, 0, NULL}};
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
    const double *q0 = pn_py_numbers_of(from, m->dim[-PN_NQ], "q0", &good),
                 *q1 = pn_py_numbers_of(to, m->dim[-PN_NQ], "q1", &good);
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
    const double *t = pn_py_numbers_of(times, count, "t", &good);
    const double *q = pn_py_numbers_of(x[0], count * m->dim[-PN_NQ], "q", &good);
    const double *v = pn_py_numbers_of(x[1], count * m->dim[-PN_NV], "v", &good);
    const double *a = pn_py_numbers_of(x[2], count * m->dim[-PN_NV], "a", &good);
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
    const double *q0 = pn_py_numbers_of(from, m->dim[-PN_NQ], "q0", &good);
    if (!good) return NULL;
    if (kind < 0) return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "there is no profile '%.60s'", profile);
    pinion_error err;
    return trajectory_wrap(
        model,
        pinion_trajectory_line(m->model, q0, frame, d, duration, (pinion_profile)kind, blend, NULL, &err),
        &err);
}

/* model, q0, frame, position, rotation, duration, profile, blend */
PyObject *pn_py_trajectory_floating(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *from, *position, *rotation;
    double duration, blend;
    const char *profile;
    int frame;
    if (!PyArg_ParseTuple(args, "O!OiOOdsd", pn_py_model_type, &model, &from, &frame, &position, &rotation, &duration,
                          &profile, &blend))
        return NULL;
    const model_object *m = (model_object *)model;
    int good = 1, kind = pinion_profile_find(profile);
    const double *q0 = pn_py_numbers_of(from, m->dim[-PN_NQ], "q0", &good);
    const double *p = pn_py_numbers_of(position, 3, "position", &good);
    const double *R = pn_py_numbers_of(rotation, 9, "rotation", &good);
    if (!good) return NULL;
    if (kind < 0) return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "there is no profile '%.60s'", profile);
    pinion_pose target;
    memcpy(target.position, p, sizeof target.position);
    memcpy(target.rotation, R, sizeof target.rotation);
    pinion_error err;
    return trajectory_wrap(model,
                           pinion_trajectory_floating(m->model, q0, frame, &target, duration, (pinion_profile)kind,
                                                      blend, NULL, &err),
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
    PyObject *answer =
        Py_BuildValue("(NN)", pn_py_copy_of(t, count, 0), pn_py_copy_of(tau, count, m->dim[-PN_NV]));
    pinion_free(t);
    pinion_free(tau);
    return answer;
}

int pn_py_trajectory_ready(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_dealloc, (void *)trajectory_dealloc},
        {Py_tp_methods, trajectory_methods},
        {Py_tp_getset, trajectory_getset},
        {0, NULL},
    };
    PyType_Spec spec = {"pinion._pinion.Trajectory", sizeof(trajectory_object), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    pn_py_trajectory_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return pn_py_trajectory_type
               ? PyModule_AddObjectRef(module, "Trajectory", (PyObject *)pn_py_trajectory_type)
               : -1;
}
