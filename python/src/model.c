/* The type behind pinion.Model: a model of the C library, its workspaces, and what can be read of it. */
#include "binding.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

PyTypeObject *pn_py_model_type;
atomic_int pn_py_forked;

/* ---------------------------------------------------------------------------------------------
 * Workspaces and batches */

_Thread_local int pn_py_thread_slot = -1;
static _Atomic(uint64_t) slots_in_use;
static pthread_key_t slot_key;
static int has_slot_key;

/* When a thread ends, another may have its slot, with what is in it. */
static void give_slot_back(void *number)
{
    atomic_fetch_and(&slots_in_use, ~(UINT64_C(1) << ((intptr_t)number - 1)));
}

int pn_py_find_slot(void)
{
    uint64_t used = atomic_load(&slots_in_use);
    int slot = PN_SLOTS - 1;
    while (has_slot_key) {
        for (slot = 0; slot < PN_SLOTS - 1 && (used >> slot & 1); slot++) continue;
        if (slot == PN_SLOTS - 1 ||
            atomic_compare_exchange_weak(&slots_in_use, &used, used | UINT64_C(1) << slot))
            break;
    }
    if (slot < PN_SLOTS - 1 && pthread_setspecific(slot_key, (void *)(intptr_t)(slot + 1))) {
        give_slot_back((void *)(intptr_t)(slot + 1));
        slot = PN_SLOTS - 1;
    }
    return pn_py_thread_slot = slot;
}

static int threads_of(const model_object *m)
{
    int wanted = atomic_load(&m->threads), there = pinion_threads_available();
    if (atomic_load(&pn_py_forked))
        return 1; /* OpenMP's threads did not come along, and it would wait for them */
    return wanted < 1 || wanted > there ? there : wanted;
}

pinion_batch *pn_py_take_batch(model_object *m)
{
    int threads = threads_of(m);
    /* taken out: a signal handler may make a call of its own between two pieces of this one */
    pinion_batch *b = atomic_exchange(&m->batch[pn_py_slot()], NULL);
    if (!b) {
        b = pinion_batch_new(m->model, threads);
        if (b && m->code && pinion_batch_use(b, m->code))
            PyErr_Clear(); /* which its own code never is refused */
    }
    if (b && pinion_batch_threads(b) != threads && pinion_batch_set_threads(b, threads)) {
        pn_py_put_batch(m, b);
        b = NULL;
    }
    if (!b) PyErr_NoMemory();
    return b;
}

void pn_py_put_batch(model_object *m, pinion_batch *b)
{
    pinion_batch_free(atomic_exchange(&m->batch[pn_py_slot()], b));
}

/* ---------------------------------------------------------------------------------------------
 * The object */

PyObject *pn_py_model_wrap(PyTypeObject *type, pinion_model *model)
{
    model_object *m = (model_object *)PyType_GenericAlloc(type, 0);
    if (!m) {
        pinion_model_free(model);
        return NULL;
    }
    m->model = model;
    m->dim[-PN_NQ] = pinion_model_nq(model);
    m->dim[-PN_NV] = pinion_model_nv(model);
    m->dim[-PN_BODIES] = pinion_model_body_count(model);
    m->dim[-PN_FRAMES] = pinion_model_frame_count(model);
    m->dim[-PN_PARAMETERS] = 10 * (m->dim[-PN_BODIES] - 1);
    m->dim[-PN_STATES] = 2 * m->dim[-PN_NV];
    m->dim[-PN_ROWS] = pinion_model_row_count(model);
    m->dim[-PN_LOOP_NQ] = pinion_model_loop_nq(model);
    m->dim[-PN_LOOP_NV] = pinion_model_loop_nv(model);
    m->dim[-PN_LOOPS] = pinion_model_loop_count(model);
    m->dim[-PN_NU] = pinion_model_actuator_count(model);
    for (int i = 0; i < pinion_model_joint_count(model); i++) {
        pinion_joint_info j;
        if (!pinion_model_joint(model, i, &j)) m->dim[-PN_JOINT_PARAMETERS] += 4 * j.dof_count;
    }
    return (PyObject *)m;
}

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    (void)type, (void)args, (void)names;
    PyErr_SetString(PyExc_TypeError, "a Model comes from pinion.load(), load_string() or Builder.build()");
    return NULL;
}

static void model_dealloc(PyObject *self)
{
    model_object *m = (model_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    for (int i = 0; i < PN_SLOTS; i++) {
        pinion_work_free(atomic_load(&m->work[i]));
        pinion_work_f32_free(atomic_load(&m->work_f32[i]));
        pinion_batch_free(atomic_load(&m->batch[i]));
    }
    pinion_compiled_free(m->code);
    pinion_model_free(m->model);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

/* ---------------------------------------------------------------------------------------------
 * Numbers of it */

static PyObject *get_dim(PyObject *self, void *which)
{
    return PyLong_FromSsize_t(((model_object *)self)->dim[(intptr_t)which]);
}

static PyObject *get_name(PyObject *self, void *unused)
{
    (void)unused;
    const char *name = pinion_model_name(((model_object *)self)->model);
    return PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
}

static PyObject *get_mass(PyObject *self, void *fixed)
{
    const pinion_model *m = ((model_object *)self)->model;
    return PyFloat_FromDouble(fixed ? pinion_model_fixed_mass(m) : pinion_model_mass(m));
}

static PyObject *get_gravity(PyObject *self, void *unused)
{
    (void)unused;
    npy_intp three = 3;
    PyObject *g = PyArray_SimpleNew(1, &three, NPY_DOUBLE);
    if (g) pinion_model_gravity(((model_object *)self)->model, PyArray_DATA((PyArrayObject *)g));
    return g;
}

static PyObject *get_threads(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(threads_of((model_object *)self));
}

static int set_threads(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    long n = value && value != Py_None ? PyLong_AsLong(value) : 0;
    if (n == -1 && PyErr_Occurred()) PyErr_Clear();
    if (n < 0 || n > 4096 || (value && value != Py_None && n == 0)) {
        PyObject *text = PyObject_Repr(value);
        const char *given = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
        if (given)
            pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "threads is %.60s; expected 1 to 4096, or None for all there are",
                       given);
        Py_XDECREF(text);
        return -1;
    }
    atomic_store(&((model_object *)self)->threads, (int)n);
    return 0;
}

/* What was set: 0 for all there are. Models that are made of this one have it, too. */
static PyObject *get_threads_set(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(atomic_load(&((model_object *)self)->threads));
}

static PyObject *get_isa(PyObject *self, void *unused)
{
    (void)unused;
    pinion_batch *b = pn_py_take_batch((model_object *)self);
    if (!b) return NULL;
    PyObject *isa =
        Py_BuildValue("(sii)", pinion_batch_isa(b), pinion_batch_lanes(b), pinion_batch_lanes_f32(b));
    pn_py_put_batch((model_object *)self, b);
    return isa;
}

static PyObject *get_counts(PyObject *self, void *unused)
{
    (void)unused;
    const pinion_model *m = ((model_object *)self)->model;
    return Py_BuildValue("(iiiiiiiiiiiiiiii)", pinion_model_link_count(m), pinion_model_joint_count(m),
                         pinion_model_loop_count(m), pinion_model_row_count(m), pinion_model_loop_nq(m),
                         pinion_model_loop_nv(m), pinion_model_visual_count(m), pinion_model_warning_count(m),
                         pinion_model_frame_count(m), pinion_model_actuators_listed(m),
                         pinion_model_state_count(m), pinion_model_group_count(m), pinion_model_collision_count(m),
                         pinion_model_exclusion_count(m), pinion_model_collision_pair_count(m),
                         pinion_model_tendon_count(m));
}

static PyGetSetDef model_getset[] = {
    {"nq", get_dim, NULL, "coordinates of position", (void *)(intptr_t)-PN_NQ},
    {"nv", get_dim, NULL, "coordinates of velocity", (void *)(intptr_t)-PN_NV},
    {"nu", get_dim, NULL, "actuators", (void *)(intptr_t)-PN_NU},
    {"nbody", get_dim, NULL, "bodies, with the base, body 0", (void *)(intptr_t)-PN_BODIES},
    {"name", get_name, NULL, "as the file or the builder gave it", NULL},
    {"mass", get_mass, NULL, "kg, of the bodies that can move", NULL},
    {"fixed_mass", get_mass, NULL, "kg, welded to the world", (void *)1},
    {"gravity_vector", get_gravity, NULL, "m/s^2, in the world", NULL},
    {"threads", get_threads, set_threads, "how many a batch may use; set None for all there are", NULL},
    {"_threads", get_threads_set, NULL, "what threads was set to, 0: None", NULL},
    {"_isa", get_isa, NULL, "instruction set of batches, states at once in double and in float", NULL},
    {"_counts", get_counts, NULL,
     "links, joints, loops, rows, loop_nq, loop_nv, visuals, warnings, frames, listed, states, groups, "
     "collisions, exclusions, pairs, tendons",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* ---------------------------------------------------------------------------------------------
 * Configurations that come from the model */

static PyObject *model_neutral(PyObject *self, PyObject *unused)
{
    (void)unused;
    model_object *m = (model_object *)self;
    PyObject *q = PyArray_SimpleNew(1, &m->dim[-PN_NQ], NPY_DOUBLE);
    pinion_status status = q ? pinion_neutral(m->model, PyArray_DATA((PyArrayObject *)q)) : PINION_OK;
    if (!status) return q;
    Py_DECREF(q);
    return pn_py_fail(status, 0, 0, "neutral: %s", pinion_status_text(status));
}

static PyObject *model_initial(PyObject *self, PyObject *unused)
{
    (void)unused;
    model_object *m = (model_object *)self;
    PyObject *q = PyArray_SimpleNew(1, &m->dim[-PN_NQ], NPY_DOUBLE),
             *v = PyArray_SimpleNew(1, &m->dim[-PN_NV], NPY_DOUBLE);
    pinion_status status = PINION_OK;
    if (q && v) {
        status = pinion_initial(m->model, PyArray_DATA((PyArrayObject *)q), PyArray_DATA((PyArrayObject *)v));
        if (!status) return Py_BuildValue("(NN)", q, v);
        pn_py_fail(status, 0, 0, "initial: %s", pinion_status_text(status));
    }
    Py_XDECREF(q);
    Py_XDECREF(v);
    return NULL;
}

static PyObject *model_random(PyObject *self, PyObject *args)
{
    model_object *m = (model_object *)self;
    unsigned long long seed;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(args, "Kn", &seed, &count)) return NULL;
    npy_intp dims[2] = {count, m->dim[-PN_NQ]};
    PyObject *q = PyArray_SimpleNew(2, dims, NPY_DOUBLE);
    pinion_status status = PINION_OK;
    for (npy_intp i = 0; q && !status && i < count; i++) {
        status = pinion_random(m->model, seed + (uint64_t)i,
                               (double *)PyArray_DATA((PyArrayObject *)q) + i * dims[1]);
        if ((i & 1023) == 1023 && PyErr_CheckSignals() < 0) Py_CLEAR(q);
    }
    if (!status) return q;
    Py_DECREF(q);
    return pn_py_fail(status, 0, 0, "random: %s", pinion_status_text(status));
}

/* Rows of a new, contiguous array of doubles, in place. */
static PyObject *model_normalize(PyObject *self, PyObject *rows)
{
    model_object *m = (model_object *)self;
    PyArrayObject *a = (PyArrayObject *)rows;
    npy_intp nq = m->dim[-PN_NQ];
    if (!PyArray_Check(rows) || PyArray_TYPE(a) != NPY_DOUBLE || !PyArray_ISCARRAY(a) ||
        PyArray_NDIM(a) < 1 || PyArray_DIM(a, PyArray_NDIM(a) - 1) != nq) {
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "normalize: q has the wrong shape; expected (..., %ld)",
                          (long)nq);
    }
    npy_intp count = nq ? PyArray_SIZE(a) / nq : 0;
    for (npy_intp i = 0; i < count; i++) {
        pinion_status status = pinion_normalize(m->model, (double *)PyArray_DATA(a) + i * nq);
        if (status)
            return pn_py_fail(status, 0, 0, "normalize: state %ld: a quaternion is zero or not finite",
                              (long)i);
        if ((i & 1023) == 1023 && PyErr_CheckSignals() < 0) return NULL;
    }
    return Py_NewRef(rows);
}

static PyMethodDef model_methods[] = {
    {"_random", model_random, METH_VARARGS, NULL},
    {"_normalize", model_normalize, METH_O, NULL},
    {"neutral", model_neutral, METH_NOARGS,
     "neutral($self)\n--\n\nThe zero configuration: zero angles and displacements, unit quaternions."},
    {"_initial", model_initial, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static size_t count_of(const PyMethodDef *list)
{
    size_t count = 0;
    while (list[count].ml_name) count++;
    return count;
}

/* The methods above, those of the other files and those of the table of calls. */
static PyMethodDef *all_methods(void)
{
    PyMethodDef *const lists[] = {model_methods, pn_py_element_methods, pn_py_copy_methods};
    enum { LISTS = sizeof lists / sizeof *lists };
    size_t own = 0, made = (size_t)pn_py_call_count;
    for (int i = 0; i < LISTS; i++) own += count_of(lists[i]);
    PyMethodDef *all = calloc(own + made + 1, sizeof *all), *at = all; /* lives as long as the type */
    if (!all) return NULL;
    for (int i = 0; i < LISTS; at += count_of(lists[i++])) memcpy(at, lists[i], count_of(lists[i]) * sizeof *at);
    memcpy(at, pn_py_call_methods, made * sizeof *at);
    return all;
}

int pn_py_model_ready(PyObject *module)
{
    PyMethodDef *methods = all_methods();
    if (!methods) return -1;
    has_slot_key = pthread_key_create(&slot_key, give_slot_back) == 0;
    PyType_Slot slots[] = {
        {Py_tp_new, (void *)model_new},
        {Py_tp_dealloc, (void *)model_dealloc},
        {Py_tp_getset, model_getset},
        {Py_tp_methods, methods},
        {Py_tp_doc, (void *)"A robot. Quantities are methods; leading axes of arrays are a batch."},
        {0, NULL},
    };
    PyType_Spec spec = {"pinion._pinion.Model", sizeof(model_object), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    pn_py_model_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return pn_py_model_type ? PyModule_AddObjectRef(module, "Model", (PyObject *)pn_py_model_type) : -1;
}
