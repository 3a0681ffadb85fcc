/* The extension pinion._pinion: loading models, the registry, and what Python hands in when it is imported.
 */
#define PN_IMPORTS_NUMPY
#include "job.h"

#include "pinion/sim/sim.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

PyObject *pn_py_error_type;
PyArray_Descr *pn_py_dtype[2];

/* ---------------------------------------------------------------------------------------------
 * Models from files */

/* root, mimic, gravity and strict as Python checked them: numbers, and None or three numbers. */
static int read_load_options(int root, int mimic, PyObject *gravity, int strict, pinion_load_options *options)
{
    *options = pinion_load_options_default();
    options->root = (pinion_root)root;
    options->mimic = (pinion_mimic)mimic;
    options->strict = strict;
    if (gravity == Py_None) return 1;
    options->set_gravity = 1;
    return PyArg_ParseTuple(gravity, "ddd", &options->gravity[0], &options->gravity[1], &options->gravity[2]);
}

static PyObject *wrap(PyObject *type, pinion_model *m, const pinion_error *err)
{
    if (!m) return pn_py_fail_with(err);
    return pn_py_model_wrap((PyTypeObject *)type, m);
}

typedef struct loading {
    job base;
    const char *path; /* of a file; NULL: the text, of that format */
    const char *text, *name;
    size_t size;
    pinion_format format;
    pinion_load_options options;
    pinion_model *m;
    pinion_error err;
} loading;

static void do_load(job *j)
{
    loading *l = (loading *)j;
    l->m = l->path ? pinion_load(l->path, &l->options, &l->err)
                   : pinion_load_string(l->text, l->size, l->format, l->name, &l->options, &l->err);
}

static void release_loading(job *j)
{
    pinion_model_free(((loading *)j)->m);
}

/* Loads what is described, of a function's arguments; files of a usual size take some milliseconds. */
static PyObject *finish_load(PyObject *type, loading *l, PyObject *args, PyObject *path)
{
    enum { USUAL = 1 << 18 };
    struct stat about;
    pn_py_job_keep(&l->base, args);
    pn_py_job_keep(&l->base, path);
    int brief = l->path ? stat(l->path, &about) != 0 || about.st_size < USUAL : l->size < USUAL;
    if (!pn_py_job_run(&l->base, brief)) return NULL;
    PyObject *model = wrap(type, l->m, &l->err);
    l->m = NULL;
    pn_py_job_end(&l->base);
    return model;
}

static PyObject *load(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *type, *path, *gravity;
    const char *model_path, *srdf;
    int root, mimic, strict;
    if (!PyArg_ParseTuple(args, "OO&iiOpzz", &type, PyUnicode_FSConverter, &path, &root, &mimic, &gravity, &strict,
                          &model_path, &srdf))
        return NULL;
    loading *l = pn_py_job(sizeof *l, do_load, release_loading);
    PyObject *model = NULL;
    if (l && read_load_options(root, mimic, gravity, strict, &l->options)) {
        l->options.model_path = model_path;
        l->options.srdf = srdf;
        l->path = PyBytes_AsString(path);
        model = finish_load(type, l, args, path);
    } else if (l) {
        pn_py_job_end(&l->base);
    }
    Py_DECREF(path);
    return model;
}

static PyObject *load_string(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *type, *gravity;
    const char *text, *name;
    Py_ssize_t size;
    int format, root, mimic, strict;
    if (!PyArg_ParseTuple(args, "Os#isiiOp", &type, &text, &size, &format, &name, &root, &mimic, &gravity,
                          &strict))
        return NULL;
    loading *l = pn_py_job(sizeof *l, do_load, release_loading);
    if (!l) return NULL;
    if (!read_load_options(root, mimic, gravity, strict, &l->options)) {
        pn_py_job_end(&l->base);
        return NULL;
    }
    l->text = text;
    l->size = (size_t)size;
    l->format = (pinion_format)format;
    l->name = name;
    return finish_load(type, l, args, NULL);
}

/* Models that are made up, for tests and trials: kind, a number of joints, a seed. */
static PyObject *generated(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *type;
    const char *kind;
    int n, free_root;
    unsigned long long seed;
    if (!PyArg_ParseTuple(args, "OsiiK", &type, &kind, &n, &free_root, &seed)) return NULL;
    pinion_error err;
    pinion_model *m = strcmp(kind, "chain") == 0  ? pinion_random_chain(n, seed, &err)
                      : strcmp(kind, "tree") == 0 ? pinion_random_tree(n, free_root, seed, &err)
                                                  : pinion_n_four_bar(n, &err);
    return wrap(type, m, &err);
}

/* ---------------------------------------------------------------------------------------------
 * The registry */

static PyObject *algorithms(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    int count = pinion_algorithm_count();
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; i++) {
        pinion_algorithm_info a;
        PyObject *row = pinion_algorithm(i, &a)
                            ? NULL
                            : Py_BuildValue("(sssssO)", a.name, pinion_problem_name(a.problem), a.source,
                                            a.complexity, a.applies_to, a.kernel ? Py_True : Py_False);
        if (!row)
            Py_CLEAR(list);
        else
            PyList_SetItem(list, i, row);
    }
    return list;
}

/* ---------------------------------------------------------------------------------------------
 * Import */

/* Outputs of the calls that have several: [(call, (names, ...))]. */
static PyObject *results(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < pn_py_call_count; i++) {
        const call *c = &pn_py_calls[i];
        if (c->outputs < 2) continue;
        PyObject *names = PyTuple_New(c->outputs);
        for (int k = 0; names && k < c->outputs; k++) {
            PyTuple_SetItem(names, k, PyUnicode_FromString(c->output[k].name));
        }
        PyObject *row = names ? Py_BuildValue("(iN)", i, Py_BuildValue("(sN)", c->name, names)) : NULL;
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* Takes the named tuple of one of them. */
static PyObject *set_result(PyObject *module, PyObject *args)
{
    (void)module;
    int i;
    PyObject *type;
    if (!PyArg_ParseTuple(args, "iO!", &i, &PyType_Type, &type)) return NULL;
    if (i < 0 || i >= pn_py_call_count || !PyType_IsSubtype((PyTypeObject *)type, &PyTuple_Type)) {
        PyErr_SetString(PyExc_TypeError, "_set_result takes a call and a named tuple");
        return NULL;
    }
    Py_XDECREF(pn_py_calls[i].result);
    pn_py_calls[i].result = Py_NewRef(type);
    return Py_NewRef(Py_None);
}

static PyObject *after_fork(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    atomic_store(&pn_py_forked, 1);
    return Py_NewRef(Py_None);
}

/* Their names, in the order of their numbers. */
static PyObject *integrators(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && pinion_integrator_name((pinion_integrator)i); i++) {
        PyObject *name = PyUnicode_FromString(pinion_integrator_name((pinion_integrator)i));
        if (!name || PyList_Append(list, name)) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

/* What a call of inverse dynamics takes in C, in ns, the least of several rounds: model, q, v, a, calls,
 * rounds. */
static PyObject *time_c(PyObject *module, PyObject *args)
{
    (void)module;
    model_object *m;
    PyArrayObject *x[3];
    int calls, rounds;
    if (!PyArg_ParseTuple(args, "O!O!O!O!ii", pn_py_model_type, &m, &PyArray_Type, &x[0], &PyArray_Type,
                          &x[1], &PyArray_Type, &x[2], &calls, &rounds))
        return NULL;
    const double *q = PyArray_DATA(x[0]), *v = PyArray_DATA(x[1]), *a = PyArray_DATA(x[2]);
    PyObject *tau = PyArray_SimpleNew(1, &m->dim[-PN_NV], NPY_DOUBLE);
    pinion_work *w = tau ? pinion_work_new(m->model) : NULL;
    pinion_status status = w ? PINION_OK : PINION_ERR_MEMORY;
    double best = INFINITY;
    for (int r = 0; r < rounds && !status; r++) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        for (int i = 0; i < calls && !status; i++)
            status = pinion_inverse_dynamics(m->model, w, q, v, a, NULL, PyArray_DATA((PyArrayObject *)tau));
        clock_gettime(CLOCK_MONOTONIC, &to);
        double took = ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / calls;
        if (took < best) best = took;
    }
    pinion_work_free(w);
    Py_XDECREF(tau);
    if (status) return pn_py_fail(status, 0, 0, "%s", pinion_status_text(status));
    return PyFloat_FromDouble(best);
}

static PyMethodDef functions[] = {
    {"_time_c", time_c, METH_VARARGS, NULL},
    {"integrators", integrators, METH_NOARGS, NULL},
#define ROW(name) {#name, pn_py_##name, METH_VARARGS, NULL},
    PN_SIM_FUNCTIONS(ROW){"load", load, METH_VARARGS, NULL},
    {"load_string", load_string, METH_VARARGS, NULL},
    {"generated", generated, METH_VARARGS, NULL},
    {"algorithms", algorithms, METH_NOARGS, NULL},
    {"_results", results, METH_NOARGS, NULL},
    {"_set_result", set_result, METH_VARARGS, NULL},
    {"_after_fork", after_fork, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_pinion", "The C library behind pinion.", -1, functions, NULL, NULL, NULL, NULL};

/* What calls look for, found once. */
static int prepare(call *c)
{
    c->must = c->option = 0;
    c->arrays = 0;
    for (int i = 0; i < c->parameters; i++) {
        parameter *p = &c->parameter[i];
        if (!(p->key = PyUnicode_InternFromString(p->name))) return 0;
        if (p->required) c->must |= 1u << i;
        if (p->kind == PARAMETER_ARRAY)
            c->array_at[c->arrays++] = i;
        else if (p->kind == PARAMETER_OUT)
            c->out_at = i;
        else
            c->option |= 1u << i;
    }
    c->usual = c->outputs == 1 && c->output[0].shape.nd ? c->arrays : -1;
    for (int i = 0; i < c->arrays; i++)
        if (c->array_at[i] != i) c->usual = -1;
    c->packed = c->rows ? ~0u : 0;
    for (int i = 0; i < c->arrays; i++)
        for (int k = 0; k < c->arrays; k++)
            if (i != k && c->parameter[c->array_at[i]].slot == c->parameter[c->array_at[k]].slot)
                c->packed |= 1u << i;
    return 1;
}

static int prepare_calls(void)
{
    for (int i = 0; i < pn_py_call_count; i++) {
        if (!prepare(&pn_py_calls[i])) return 0;
    }
    return 1;
}

PyMODINIT_FUNC PyInit__pinion(void)
{
    import_array();
    pn_py_dtype[0] = PyArray_DescrFromType(NPY_DOUBLE);
    pn_py_dtype[1] = PyArray_DescrFromType(NPY_FLOAT);
    PyObject *module = PyModule_Create(&definition);
    if (!module) return NULL;
    PyObject *defaults = Py_BuildValue("{sssisi}", "status", "argument", "line", 0, "column", 0);
    pn_py_error_type = PyErr_NewExceptionWithDoc(
        "pinion.Error",
        "What the library objected to, in one sentence.\n\nstatus is a word (\"argument\", \"parse\", "
        "\"quaternion\", "
        "\"singular\", ...); line and column say where in a file, 0 when there is no such place.",
        PyExc_ValueError, defaults);
    Py_XDECREF(defaults);
    if (!pn_py_error_type || PyModule_AddObjectRef(module, "Error", pn_py_error_type) < 0 ||
        pn_py_model_ready(module) < 0 || pn_py_sim_ready(module) < 0 || pn_py_trajectory_ready(module) < 0 ||
        pn_py_ffi_ready(module) < 0 || pn_py_scene_ready(module) < 0 || pn_py_tasks_ready(module) < 0 ||
        pn_py_sweep_ready(module) < 0 ||
        PyModule_AddStringConstant(module, "version", pinion_version()) < 0 || !prepare_calls()) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
