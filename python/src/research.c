/* Other ways to the dynamics, and the matrices of the papers. */
#include "frame.h"

#include <string.h>

#include "pinion/research/global.h"
#include "pinion/research/operators.h"
#include "pinion/research/threads.h"
#include "pinion/sim/sparse.h"

/* model, algorithm, q: (F,); model, algorithm, F, b, multiply?: (x,) */
PyObject *pn_py_factorization(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *given, *right = NULL;
    const char *name;
    int multiply = 0;
    if (!PyArg_ParseTuple(args, "O!sO|Op", pn_py_model_type, &model, &name, &given, &right, &multiply))
        return NULL;
    frame f = pn_py_enter(model);
    int algorithm = pinion_algorithm_find(name);
    npy_intp size = (npy_intp)pinion_factorization_size(f.model, algorithm);
    if (!size) return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "there is no factorization '%.80s'", name);
    double *x = right ? pn_py_copied(&f, right, f.nv, "b") : pn_py_room(&f, size, -1);
    double *other = pn_py_copied(&f, given, right ? size : f.nq, right ? "F" : "q");
    pinion_work *w = pn_py_work(&f);
    if (!f.failed) {
        pinion_status status = !right     ? pinion_factorization_by(f.model, w, algorithm, other, x)
                               : multiply ? pinion_factorization_multiply(f.model, w, algorithm, other, x, x)
                                          : pinion_factorization_solve(f.model, w, algorithm, other, x, x);
        if (status) pn_py_refuse(&f, "factorization", status);
    }
    return pn_py_leave(&f, "(A)");
}

/* model, q, v, tau, f_ext or None, frame, kind, A, b: (a, lambda, a_dq, a_dv, a_dtau, lambda_dq, lambda_dv,
 * lambda_dtau) */
PyObject *pn_py_constrained(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *x[4], *rows, *right;
    int index, kind;
    if (!PyArg_ParseTuple(args, "O!OOOOiiO!O", pn_py_model_type, &model, &x[0], &x[1], &x[2], &x[3], &index,
                          &kind, &PyArray_Type, &rows, &right))
        return NULL;
    frame f = pn_py_enter(model);
    npy_intp count = PyArray_DIM((PyArrayObject *)rows, 0);
    double *a = pn_py_room(&f, f.nv, -1), *lambda = pn_py_room(&f, count, -1);
    pinion_constrained_derivatives d = {pn_py_room(&f, f.nv, f.nv),  pn_py_room(&f, f.nv, f.nv),
                                        pn_py_room(&f, f.nv, f.nv),  pn_py_room(&f, count, f.nv),
                                        pn_py_room(&f, count, f.nv), pn_py_room(&f, count, f.nv)};
    double *A = pn_py_copied(&f, rows, 6 * count, "A"), *b = pn_py_copied(&f, right, count, "b");
    frame in = pn_py_enter(model);
    in.failed = f.failed;
    double *q = pn_py_copied(&in, x[0], f.nq, "q"), *v = pn_py_copied(&in, x[1], f.nv, "v"),
           *tau = pn_py_copied(&in, x[2], f.nv, "tau"),
           *f_ext = pn_py_copied(&in, x[3], 6 * f.m->dim[-PN_BODIES], "f_ext");
    pinion_work *w = pn_py_work(&in);
    f.failed = in.failed;
    if (!f.failed) {
        const pinion_acceleration of = (pinion_acceleration)kind;
        pinion_status status = pinion_constrained_forward_dynamics(f.model, w, q, v, tau, f_ext, index, of,
                                                                   (int)count, A, b, a, lambda);
        if (!status)
            status = pinion_d_constrained_forward_dynamics(f.model, w, q, v, tau, f_ext, index, of,
                                                           (int)count, A, b, &d);
        if (status) pn_py_refuse(&in, "constrained_forward_dynamics", status);
        f.failed = in.failed;
    }
    pn_py_leave(&in, NULL);
    return pn_py_leave(&f, "(AAAAAAAA)");
}

/* model, name, q, v: (matrix,); without arguments [(name, text), ...] */
PyObject *pn_py_operators(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *x[2];
    const char *name;
    if (!PyTuple_Size(args)) {
        PyObject *list = PyList_New(0);
        for (int i = 0; list && i < PINION_OPERATOR_COUNT; i++) {
            PyObject *row = Py_BuildValue("(ss)", pinion_operator_name((pinion_operator)i),
                                          pinion_operator_text((pinion_operator)i));
            if (!row || PyList_Append(list, row)) Py_CLEAR(list);
            Py_XDECREF(row);
        }
        return list;
    }
    if (!PyArg_ParseTuple(args, "O!sOO", pn_py_model_type, &model, &name, &x[0], &x[1])) return NULL;
    frame f = pn_py_enter(model);
    int number = pinion_operator_find(name), rows = 0, columns = 0;
    if (number < 0) return pn_py_fail(PINION_ERR_NOT_FOUND, 0, 0, "there is no operator '%.80s'", name);
    pinion_status status = pinion_operator_size(f.model, (pinion_operator)number, &rows, &columns);
    double *out = pn_py_room(&f, rows, columns), *q = pn_py_copied(&f, x[0], f.nq, "q"),
           *v = pn_py_copied(&f, x[1], f.nv, "v");
    pinion_work *w = pn_py_work(&f);
    if (!f.failed && !status) status = pinion_operator_matrix(f.model, w, (pinion_operator)number, q, v, out);
    if (!f.failed && status) pn_py_refuse(&f, "operator", status);
    return pn_py_leave(&f, "(A)");
}

/* model, q, v, tau, t, alpha: (value, rhs, joints, row, column) */
PyObject *pn_py_global_system(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *x[3];
    double t, alpha;
    if (!PyArg_ParseTuple(args, "O!OOOdd", pn_py_model_type, &model, &x[0], &x[1], &x[2], &t, &alpha))
        return NULL;
    frame f = pn_py_enter(model);
    pinion_global_size size = {0};
    pinion_status status = pinion_global_count(f.model, &size);
    double *value = pn_py_room(&f, size.entries, -1), *rhs = pn_py_room(&f, size.unknowns, -1),
           *joints = pn_py_room(&f, f.nv, 7), *q = pn_py_copied(&f, x[0], f.nq, "q"),
           *v = pn_py_copied(&f, x[1], f.nv, "v"), *tau = pn_py_copied(&f, x[2], f.nv, "tau");
    pinion_work *w = pn_py_work(&f);
    int *row = PyMem_Malloc(2 * ((size_t)size.entries + 1) * sizeof *row);
    if (!f.failed && !row) {
        PyErr_NoMemory();
        f.failed = 1;
    }
    if (!f.failed && !status) status = pinion_global_places(f.model, row, row + size.entries);
    if (!f.failed && !status)
        status = pinion_global_system(f.model, w, t, alpha, q, v, tau, NULL, value, rhs, joints);
    if (!f.failed && status) pn_py_refuse(&f, "global_system", status);
    PyObject *answer = f.failed ? pn_py_leave(&f, NULL)
                                : pn_py_leave(&f, "(AAANN)", pn_py_integers(row, size.entries),
                                              pn_py_integers(row + size.entries, size.entries));
    PyMem_Free(row);
    return answer;
}

/* model, joints, solution: (a,) */
PyObject *pn_py_global_accelerations(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *x[2];
    if (!PyArg_ParseTuple(args, "O!OO", pn_py_model_type, &model, &x[0], &x[1])) return NULL;
    frame f = pn_py_enter(model);
    pinion_global_size size = {0};
    pinion_status status = pinion_global_count(f.model, &size);
    double *a = pn_py_room(&f, f.nv, -1), *joints = pn_py_copied(&f, x[0], 7 * f.nv, "joints"),
           *solution = pn_py_copied(&f, x[1], size.unknowns, "solution");
    if (!f.failed && !status) status = pinion_global_accelerations(f.model, joints, solution, a);
    if (!f.failed && status) pn_py_refuse(&f, "global_accelerations", status);
    return pn_py_leave(&f, "(A)");
}

/* model, q, v, tau, t: (a, lambda, residual, unknowns, entries, factor_entries) */
PyObject *pn_py_sparse(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *x[3];
    pinion_loop_options o = pinion_loop_options_default();
    if (!PyArg_ParseTuple(args, "O!OOOd", pn_py_model_type, &model, &x[0], &x[1], &x[2], &o.t)) return NULL;
    frame f = pn_py_enter(model);
    double *a = pn_py_room(&f, f.nv, -1), *lambda = pn_py_room(&f, f.m->dim[-PN_ROWS], -1);
    double *q = pn_py_copied(&f, x[0], f.nq, "q"), *v = pn_py_copied(&f, x[1], f.nv, "v"),
           *tau = pn_py_copied(&f, x[2], f.nv, "tau");
    pinion_error err;
    pinion_sparse *s = f.failed ? NULL : pinion_sparse_new(f.model, &err);
    if (!f.failed && !s) pn_py_refuse_with(&f, &err);
    pinion_loop_solution solution = {.lambda = lambda};
    pinion_sparse_info about = {0};
    if (s) {
        pinion_status status;
        Py_BEGIN_ALLOW_THREADS status = pinion_sparse_forward_dynamics(s, &o, q, v, tau, NULL, a, &solution);
        if (!status) status = pinion_sparse_about(s, &about);
        Py_END_ALLOW_THREADS if (status)
        {
            pn_py_fail(status, 0, 0, "sparse_forward_dynamics: %s", pinion_sparse_message(s));
            f.failed = 1;
        }
    }
    pinion_sparse_free(s);
    return pn_py_leave(&f, "(AAdiii)", solution.residual, about.unknowns, about.entries,
                       about.factor_entries);
}

/* model, threads, q, v, tau: (a,) */
PyObject *pn_py_forward_dynamics_threads(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *x[3];
    int threads;
    if (!PyArg_ParseTuple(args, "O!iOOO", pn_py_model_type, &model, &threads, &x[0], &x[1], &x[2]))
        return NULL;
    frame f = pn_py_enter(model);
    double *a = pn_py_room(&f, f.nv, -1), *q = pn_py_copied(&f, x[0], f.nq, "q"),
           *v = pn_py_copied(&f, x[1], f.nv, "v"), *tau = pn_py_copied(&f, x[2], f.nv, "tau");
    pinion_error err;
    pinion_parallel *p = f.failed ? NULL : pinion_parallel_new(f.model, &err);
    if (!f.failed && !p) pn_py_refuse_with(&f, &err);
    if (p) {
        pinion_status status;
        if (atomic_load(&pn_py_forked)) threads = 1;
        Py_BEGIN_ALLOW_THREADS status = pinion_forward_dynamics_threads(p, threads, q, v, tau, NULL, a);
        Py_END_ALLOW_THREADS if (status) pn_py_refuse(&f, "forward_dynamics_threads", status);
    }
    pinion_parallel_free(p);
    return pn_py_leave(&f, "(A)");
}
