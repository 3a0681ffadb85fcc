/* What stands on a model beside its quantities: inverse kinematics, linear systems, closed loops, other
 * libraries' layouts, operation counts, code for one robot and its equations. Python has made arrays of
 * doubles of what comes in. */
#include "binding.h"

#include <string.h>

#include "pinion/equations.h"
#include "pinion/sim/sim.h"

/* A copy of an array that must have so many numbers, as a new array; NULL with an exception. */
static PyObject *fresh(PyObject *value, npy_intp count, const char *name)
{
    PyArrayObject *a = (PyArrayObject *)value;
    if (PyArray_Check(value) && PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISCARRAY_RO(a) &&
        PyArray_SIZE(a) == count)
        return PyArray_NewCopy(a, NPY_CORDER);
    return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s has the wrong shape; expected %ld numbers", name,
                      (long)count);
}

static double *data_of(PyObject *array)
{
    return PyArray_DATA((PyArrayObject *)array);
}

static PyObject *made(const void *x, int type, npy_intp rows, npy_intp columns)
{
    npy_intp dims[2] = {rows, columns}, size = rows * (columns ? columns : 1);
    PyObject *a = PyArray_SimpleNew(columns ? 2 : 1, dims, type);
    if (a && x && size)
        memcpy(data_of(a), x, (size_t)size * (type == NPY_INT ? sizeof(int) : sizeof(double)));
    return a;
}

/* ---------------------------------------------------------------------------------------------
 * Inverse kinematics */

/* model, frame, position and rotation (12 numbers), q, position and orientation tolerance, weights,
 * iterations, starts, limits, seed: (q, converged, starts, iterations, position error, orientation error) */
PyObject *pn_py_solve_ik(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *target, *start, *weights;
    int frame;
    pinion_ik_options o = pinion_ik_options_default();
    unsigned long long seed;
    if (!PyArg_ParseTuple(args, "O!iOOddOiipK", pn_py_model_type, &model, &frame, &target, &start,
                          &o.position_tolerance, &o.orientation_tolerance, &weights, &o.iterations, &o.starts,
                          &o.limits, &seed))
        return NULL;
    model_object *m = (model_object *)model;
    o.seed = seed;
    PyObject *pose = fresh(target, 12, "target"), *weight = pose ? fresh(weights, 6, "weight") : NULL;
    PyObject *q = weight ? fresh(start, m->dim[-PN_NQ], "q0") : NULL;
    pinion_work *w = q ? pinion_work_new(m->model) : NULL;
    PyObject *answer = NULL;
    if (w) {
        pinion_pose where;
        memcpy(where.position, data_of(pose), sizeof where.position);
        memcpy(where.rotation, data_of(pose) + 3, sizeof where.rotation);
        memcpy(o.weight, data_of(weight), sizeof o.weight);
        pinion_ik_report report;
        pinion_status status;
        memset(&report, 0, sizeof report);
        Py_BEGIN_ALLOW_THREADS status =
            pinion_inverse_kinematics(m->model, w, frame, &where, &o, data_of(q), &report);
        Py_END_ALLOW_THREADS if (status && status != PINION_ERR_CONVERGENCE)
            pn_py_fail(status, 0, 0, "solve_ik: %s", pinion_work_message(w));
        else answer = Py_BuildValue("(OOiidd)", q, report.converged ? Py_True : Py_False, report.starts,
                                    report.iterations, report.position_error, report.orientation_error);
    } else if (q) {
        PyErr_NoMemory();
    }
    pinion_work_free(w);
    Py_XDECREF(pose);
    Py_XDECREF(weight);
    Py_XDECREF(q);
    return answer;
}

/* ---------------------------------------------------------------------------------------------
 * Linear systems */

/* model, q, v, tau: (A, B, velocities, inputs, a, eigenvalues as pairs) */
PyObject *pn_py_linearize(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *x[3];
    if (!PyArg_ParseTuple(args, "O!OOO", pn_py_model_type, &model, &x[0], &x[1], &x[2])) return NULL;
    const model_object *m = (model_object *)model;
    npy_intp nv = m->dim[-PN_NV];
    PyObject *q = fresh(x[0], m->dim[-PN_NQ], "q"), *v = q ? fresh(x[1], nv, "v") : NULL;
    PyObject *tau = v ? fresh(x[2], nv, "tau") : NULL, *answer = NULL;
    pinion_error err;
    pinion_linear *l = NULL;
    if (tau) {
        Py_BEGIN_ALLOW_THREADS l = pinion_linearize(m->model, data_of(q), data_of(v), data_of(tau), &err);
        Py_END_ALLOW_THREADS if (!l) pn_py_fail_with(&err);
    }
    if (l) {
        npy_intp states = l->states;
        PyObject *values = made(NULL, NPY_DOUBLE, states, 2);
        pinion_status status = values ? pinion_linear_modes(l, data_of(values), NULL) : PINION_ERR_MEMORY;
        if (status) {
            pn_py_fail(status, 0, 0, "linearize: %s", pinion_status_text(status));
            Py_XDECREF(values);
        } else {
            npy_intp dims[2] = {states, l->inputs};
            PyObject *B = PyArray_SimpleNew(2, dims, NPY_DOUBLE);
            if (B && l->inputs) memcpy(data_of(B), l->B, (size_t)(states * l->inputs) * sizeof(double));
            answer =
                Py_BuildValue("(NNNNNN)", made(l->A, NPY_DOUBLE, states, states), B,
                              made(l->velocity, NPY_INT, l->freedom, 0),
                              made(l->input, NPY_INT, l->inputs, 0), made(l->a, NPY_DOUBLE, nv, 0), values);
        }
    }
    pinion_linear_free(l);
    Py_XDECREF(q);
    Py_XDECREF(v);
    Py_XDECREF(tau);
    return answer;
}

/* model, tau, q: q at rest */
PyObject *pn_py_equilibrium(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *forces, *start;
    if (!PyArg_ParseTuple(args, "O!OO", pn_py_model_type, &model, &forces, &start)) return NULL;
    const model_object *m = (model_object *)model;
    PyObject *tau = fresh(forces, m->dim[-PN_NV], "tau"), *q = tau ? fresh(start, m->dim[-PN_NQ], "q") : NULL;
    pinion_error err;
    if (q && pinion_equilibrium(m->model, data_of(tau), data_of(q), &err)) {
        pn_py_fail_with(&err);
        Py_CLEAR(q);
    }
    Py_XDECREF(tau);
    return q;
}

/* ---------------------------------------------------------------------------------------------
 * Closed loops */

/* model, t, q, v: (phi, L, rate, c, rank, freedom) */
PyObject *pn_py_constraints(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *x[2];
    double t;
    if (!PyArg_ParseTuple(args, "O!dOO", pn_py_model_type, &model, &t, &x[0], &x[1])) return NULL;
    const model_object *m = (model_object *)model;
    npy_intp nv = m->dim[-PN_NV], rows = pinion_model_row_count(m->model);
    PyObject *q = fresh(x[0], m->dim[-PN_NQ], "q"), *v = q ? fresh(x[1], nv, "v") : NULL, *answer = NULL;
    pinion_work *w = v ? pinion_work_new(m->model) : NULL;
    if (v && !w) PyErr_NoMemory();
    if (w) {
        npy_intp dims[2] = {rows, nv};
        PyObject *phi = made(NULL, NPY_DOUBLE, rows, 0), *L = PyArray_SimpleNew(2, dims, NPY_DOUBLE);
        PyObject *rate = made(NULL, NPY_DOUBLE, rows, 0), *c = made(NULL, NPY_DOUBLE, rows, 0);
        pinion_mobility mobility;
        memset(&mobility, 0, sizeof mobility);
        if (phi && L && rate && c) {
            pinion_constraints out = {data_of(phi), data_of(L), data_of(rate), data_of(c)};
            pinion_status status = pinion_constraints_at(m->model, w, t, data_of(q), data_of(v), &out);
            if (!status) status = pinion_mobility_at(m->model, w, t, data_of(q), &mobility);
            if (status)
                pn_py_fail(status, 0, 0, "constraints: %s", pinion_work_message(w));
            else
                answer = Py_BuildValue("(OOOOii)", phi, L, rate, c, mobility.rank, mobility.freedom);
        }
        Py_XDECREF(phi);
        Py_XDECREF(L);
        Py_XDECREF(rate);
        Py_XDECREF(c);
    }
    pinion_work_free(w);
    Py_XDECREF(q);
    Py_XDECREF(v);
    return answer;
}

/* model, t, q, v, locked (bytes, nv): the nearest q and v that keep the loops */
PyObject *pn_py_assemble(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *x[2];
    double t;
    const char *locked;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(args, "O!dOOy#", pn_py_model_type, &model, &t, &x[0], &x[1], &locked, &count))
        return NULL;
    const model_object *m = (model_object *)model;
    PyObject *q = fresh(x[0], m->dim[-PN_NQ], "q"), *v = q ? fresh(x[1], m->dim[-PN_NV], "v") : NULL,
             *answer = NULL;
    if (v && count != m->dim[-PN_NV]) {
        pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "locked has the wrong shape; expected %ld entries",
                   (long)m->dim[-PN_NV]);
        Py_CLEAR(v);
    }
    pinion_work *w = v ? pinion_work_new(m->model) : NULL;
    if (v && !w) PyErr_NoMemory();
    if (w) {
        const unsigned char *held = (const unsigned char *)locked;
        pinion_status status = pinion_assemble(m->model, w, t, held, data_of(q), NULL);
        if (!status) status = pinion_project_velocity(m->model, w, t, held, data_of(q), data_of(v));
        if (status)
            pn_py_fail(status, 0, 0, "assemble: %s", pinion_work_message(w));
        else
            answer = Py_BuildValue("(OO)", q, v);
    }
    pinion_work_free(w);
    Py_XDECREF(q);
    Py_XDECREF(v);
    return answer;
}

/* ---------------------------------------------------------------------------------------------
 * Layouts of other libraries */

/* model, convention: (nq, nv) there */
PyObject *pn_py_layout(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model;
    int convention;
    if (!PyArg_ParseTuple(args, "O!i", pn_py_model_type, &model, &convention)) return NULL;
    pinion_error err;
    pinion_converter *c =
        pinion_converter_new(((model_object *)model)->model, (pinion_convention)convention, &err);
    if (!c) return pn_py_fail_with(&err);
    PyObject *answer = Py_BuildValue("(ii)", pinion_converter_nq(c), pinion_converter_nv(c));
    pinion_converter_free(c);
    return answer;
}

/* model, convention, "q", "v", "a" or "tau", to them?, rows of x, of q and of v (ours): rows of what x is
 * there or here */
PyObject *pn_py_convert(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *x[3];
    int convention, to;
    const char *what;
    if (!PyArg_ParseTuple(args, "O!ispOOO", pn_py_model_type, &model, &convention, &what, &to, &x[0], &x[1],
                          &x[2]))
        return NULL;
    const model_object *m = (model_object *)model;
    pinion_error err;
    pinion_converter *c = pinion_converter_new(m->model, (pinion_convention)convention, &err);
    if (!c) return pn_py_fail_with(&err);
    int is_q = strcmp(what, "q") == 0;
    npy_intp nq = m->dim[-PN_NQ], nv = m->dim[-PN_NV], own = is_q ? nq : nv;
    npy_intp other = is_q ? pinion_converter_nq(c) : pinion_converter_nv(c), in = to ? own : other,
             out = to ? other : own;
    npy_intp rows = PyArray_Check(x[0]) && in ? PyArray_SIZE((PyArrayObject *)x[0]) / in : 0;
    PyObject *given = fresh(x[0], rows * in, what), *q = given ? fresh(x[1], rows * nq, "q") : NULL;
    PyObject *v = q ? fresh(x[2], rows * nv, "v") : NULL;
    npy_intp dims[2] = {rows, out};
    PyObject *answer = v ? PyArray_SimpleNew(2, dims, NPY_DOUBLE) : NULL;
    pinion_status status = PINION_OK;
    for (npy_intp i = 0; answer && i < rows && !status; i++) {
        const double *a = data_of(given) + i * in, *qi = data_of(q) + i * nq, *vi = data_of(v) + i * nv;
        double *b = data_of(answer) + i * out;
        switch (what[0]) {
        case 'q': status = to ? pinion_convert_q_to(c, a, b) : pinion_convert_q_from(c, a, b); break;
        case 'v': status = to ? pinion_convert_v_to(c, qi, a, b) : pinion_convert_v_from(c, qi, a, b); break;
        case 'a':
            status = to ? pinion_convert_a_to(c, qi, vi, a, b) : pinion_convert_a_from(c, qi, vi, a, b);
            break;
        default:
            status = to ? pinion_convert_tau_to(c, qi, a, b) : pinion_convert_tau_from(c, qi, a, b);
            break;
        }
        if (status) pn_py_fail(status, 0, 0, "%s: state %ld: %s", what, (long)i, pinion_status_text(status));
    }
    if (status) Py_CLEAR(answer);
    pinion_converter_free(c);
    Py_XDECREF(given);
    Py_XDECREF(q);
    Py_XDECREF(v);
    return answer;
}

/* ---------------------------------------------------------------------------------------------
 * Operations, and code for one robot */

static PyObject *counts_of(const pinion_operations *o)
{
    return Py_BuildValue("(dddddd)", o->mul, o->add, o->div, o->sqrt, o->trig, o->span);
}

/* model, algorithm: by the papers' rules, and every one */
PyObject *pn_py_operations(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model;
    const char *name;
    if (!PyArg_ParseTuple(args, "O!s", pn_py_model_type, &model, &name)) return NULL;
    int algorithm = pinion_algorithm_find(name);
    if (algorithm < 0) return pn_py_fail(PINION_ERR_NOT_FOUND, 0, 0, "there is no algorithm '%.80s'", name);
    const pinion_model *m = ((model_object *)model)->model;
    pinion_error err;
    if (pinion_algorithm_applies(algorithm, m, &err)) return pn_py_fail_with(&err);
    pinion_operations lean, whole;
    pinion_status status = pinion_algorithm_operations(algorithm, m, &lean, &whole);
    if (status) return pn_py_fail(status, 0, 0, "operations: %s", pinion_status_text(status));
    return Py_BuildValue("(NN)", counts_of(&lean), counts_of(&whole));
}

/* model, what or None, algorithm or None, f_ext, scalar: {file: text} */
PyObject *pn_py_codegen(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model;
    pinion_codegen_options o = pinion_codegen_options_default();
    int scalar;
    if (!PyArg_ParseTuple(args, "O!zzzpi", pn_py_model_type, &model, &o.name, &o.what, &o.algorithm, &o.f_ext,
                          &scalar))
        return NULL;
    o.scalar = (pinion_codegen_scalar)scalar;
    pinion_error err;
    pinion_generated *g = pinion_codegen(((model_object *)model)->model, &o, &err);
    if (!g) return pn_py_fail_with(&err);
    PyObject *files = PyDict_New();
    for (int i = 0; files && i < pinion_generated_file_count(g); i++) {
        const char *name, *text;
        size_t length;
        if (pinion_generated_file(g, i, &name, &text, &length)) continue;
        PyObject *content = PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "replace");
        if (!content || PyDict_SetItemString(files, name, content)) Py_CLEAR(files);
        Py_XDECREF(content);
    }
    pinion_generated_free(g);
    return files;
}

/* model, what or None, f_ext, compiler or None, cache or None: the same model with its code behind its calls
 */
PyObject *pn_py_compile(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model;
    pinion_codegen_options o = pinion_codegen_options_default();
    pinion_compile_options c = pinion_compile_options_default();
    if (!PyArg_ParseTuple(args, "O!zpzz", pn_py_model_type, &model, &o.what, &o.f_ext, &c.compiler, &c.cache))
        return NULL;
    pinion_model *copy = pinion_model_copy(((model_object *)model)->model);
    if (!copy) return PyErr_NoMemory();
    pinion_error err;
    pinion_compiled *code;
    Py_BEGIN_ALLOW_THREADS code = pinion_codegen_compile(copy, &o, &c, &err);
    Py_END_ALLOW_THREADS if (!code)
    {
        pinion_model_free(copy);
        return pn_py_fail_with(&err);
    }
    model_object *made_one = (model_object *)pn_py_model_wrap(Py_TYPE(model), copy);
    if (made_one)
        made_one->code = code;
    else
        pinion_compiled_free(code);
    return (PyObject *)made_one;
}

/* model, what or None, format, numbers, document: the equations of motion, to be read */
PyObject *pn_py_equations(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model;
    pinion_equations_options o = pinion_equations_options_default();
    int format;
    if (!PyArg_ParseTuple(args, "O!zipp", pn_py_model_type, &model, &o.what, &format, &o.numbers,
                          &o.document))
        return NULL;
    o.format = (pinion_equations_format)format;
    pinion_error err;
    pinion_equations *e = pinion_equations_new(((model_object *)model)->model, &o, &err);
    if (!e) return pn_py_fail_with(&err);
    PyObject *text = PyUnicode_FromString(pinion_equations_text(e));
    pinion_equations_free(e);
    return text;
}
