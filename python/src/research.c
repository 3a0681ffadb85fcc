/* Other ways to the dynamics, and the matrices of the papers. */
#include "frame.h"

#include <stdlib.h>

#include "pinion/research/global.h"
#include "pinion/research/operators.h"
#include "pinion/research/threads.h"
#include "pinion/sim/sparse.h"

/* What the functions of this file need: which of it, each says. */
typedef struct research {
    frame f;
    int number, way; /* of an algorithm or operator; what is done with it */
    double t, alpha;
    double *q, *v, *tau, *f_ext, *out, *given;
    int *row, *column; /* places of entries */
    pinion_global_size size;
    double *rhs, *joints;
    pinion_sparse *sparse;
    pinion_loop_solution solution;
    pinion_sparse_info about;
    pinion_parallel *parallel;
    /* of a constrained frame */
    int frame, count;
    pinion_acceleration kind;
    double *A, *b, *lambda;
    pinion_constrained_derivatives d;
} research;

static void release(frame *f)
{
    research *x = (research *)f;
    free(x->row);
    pinion_sparse_free(x->sparse);
    if (x->parallel) pinion_parallel_free(x->parallel);
}

static research *enter(PyObject *args, PyObject *model, void (*work)(job *))
{
    research *x = pn_py_enter(args, model, sizeof *x, work);
    if (x) x->f.release = release;
    return x;
}

static PyObject *finish(research *x, const char *function)
{
    if (!pn_py_do(&x->f, pn_py_small(&x->f))) return NULL;
    pn_py_refuse(&x->f, function);
    return pn_py_leave(&x->f, "(A)");
}

static void factorize(job *j)
{
    research *x = (research *)j;
    frame *f = &x->f;
    double *out = x->out, *given = x->given;
    f->status = x->way < 0 ? pinion_factorization_by(f->model, f->work, x->number, given, out)
                : x->way   ? pinion_factorization_multiply(f->model, f->work, x->number, given, out, out)
                           : pinion_factorization_solve(f->model, f->work, x->number, given, out, out);
}

/* model, algorithm, q: (F,); model, algorithm, F, b, multiply?: (x,) */
PyObject *pn_py_factorization(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *given, *right = NULL;
    const char *name;
    int multiply = 0;
    if (!PyArg_ParseTuple(args, "O!sO|Op", pn_py_model_type, &model, &name, &given, &right, &multiply))
        return NULL;
    int algorithm = pinion_algorithm_find(name);
    npy_intp size = (npy_intp)pinion_factorization_size(((model_object *)model)->model, algorithm);
    if (!size) return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "there is no factorization '%.80s'", name);
    research *x = enter(args, model, factorize);
    if (!x) return NULL;
    frame *f = &x->f;
    x->number = algorithm;
    x->way = right ? multiply : -1;
    x->out = right ? pn_py_copied(f, right, f->nv, "b") : pn_py_room(f, size, -1);
    x->given = pn_py_copied(f, given, right ? size : f->nq, right ? "F" : "q");
    pn_py_work(f);
    return finish(x, "factorization");
}

static void constrain(job *j)
{
    research *x = (research *)j;
    frame *f = &x->f;
    f->status = pinion_constrained_forward_dynamics(f->model, f->work, x->q, x->v, x->tau, x->f_ext, x->frame, x->kind,
                                                    x->count, x->A, x->b, x->out, x->lambda);
    if (!f->status)
        f->status = pinion_d_constrained_forward_dynamics(f->model, f->work, x->q, x->v, x->tau, x->f_ext, x->frame,
                                                          x->kind, x->count, x->A, x->b, &x->d);
}

/* model, q, v, tau, f_ext or None, frame, kind, A, b: (a, lambda, a_dq, a_dv, a_dtau, lambda_dq, lambda_dv,
 * lambda_dtau) */
PyObject *pn_py_constrained(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *given[4], *rows, *right;
    int index, kind;
    if (!PyArg_ParseTuple(args, "O!OOOOiiO!O", pn_py_model_type, &model, &given[0], &given[1], &given[2], &given[3],
                          &index, &kind, &PyArray_Type, &rows, &right))
        return NULL;
    research *x = enter(args, model, constrain);
    if (!x) return NULL;
    frame *f = &x->f;
    npy_intp count = PyArray_DIM((PyArrayObject *)rows, 0);
    x->frame = index;
    x->kind = (pinion_acceleration)kind;
    x->count = (int)count;
    x->out = pn_py_room(f, f->nv, -1);
    x->lambda = pn_py_room(f, count, -1);
    x->d = (pinion_constrained_derivatives){pn_py_room(f, f->nv, f->nv),  pn_py_room(f, f->nv, f->nv),
                                            pn_py_room(f, f->nv, f->nv),  pn_py_room(f, count, f->nv),
                                            pn_py_room(f, count, f->nv), pn_py_room(f, count, f->nv)};
    x->A = pn_py_copied(f, rows, 6 * count, "A");
    x->b = pn_py_copied(f, right, count, "b");
    x->q = pn_py_copied(f, given[0], f->nq, "q");
    x->v = pn_py_copied(f, given[1], f->nv, "v");
    x->tau = pn_py_copied(f, given[2], f->nv, "tau");
    x->f_ext = pn_py_copied(f, given[3], 6 * f->m->dim[-PN_BODIES], "f_ext");
    pn_py_work(f);
    if (!pn_py_do(f, pn_py_small(f))) return NULL;
    pn_py_refuse(f, "constrained_forward_dynamics");
    return pn_py_leave(f, "(AAAAAAAA)");
}

static void make_operator(job *j)
{
    research *x = (research *)j;
    x->f.status =
        pinion_operator_matrix(x->f.model, x->f.work, (pinion_operator)x->number, x->q, x->v, x->out);
}

/* model, name, q, v: (matrix,); without arguments [(name, text), ...] */
PyObject *pn_py_operators(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *given[2];
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
    if (!PyArg_ParseTuple(args, "O!sOO", pn_py_model_type, &model, &name, &given[0], &given[1])) return NULL;
    int number = pinion_operator_find(name), rows = 0, columns = 0;
    if (number < 0) return pn_py_fail(PINION_ERR_NOT_FOUND, 0, 0, "there is no operator '%.80s'", name);
    pinion_status status =
        pinion_operator_size(((model_object *)model)->model, (pinion_operator)number, &rows, &columns);
    if (status) return pn_py_fail(status, 0, 0, "operator: %s", pinion_status_text(status));
    research *x = enter(args, model, make_operator);
    if (!x) return NULL;
    frame *f = &x->f;
    x->number = number;
    x->out = pn_py_room(f, rows, columns);
    x->q = pn_py_copied(f, given[0], f->nq, "q");
    x->v = pn_py_copied(f, given[1], f->nv, "v");
    pn_py_work(f);
    return finish(x, "operator");
}

static void make_global(job *j)
{
    research *x = (research *)j;
    frame *f = &x->f;
    f->status = x->row ? pinion_global_places(f->model, x->row, x->column) : PINION_ERR_MEMORY;
    if (!f->status)
        f->status = pinion_global_system(f->model, f->work, x->t, x->alpha, x->q, x->v, x->tau, NULL, x->out, x->rhs,
                                         x->joints);
}

/* model, q, v, tau, t, alpha: (value, rhs, joints, row, column) */
PyObject *pn_py_global_system(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *given[3];
    double t, alpha;
    if (!PyArg_ParseTuple(args, "O!OOOdd", pn_py_model_type, &model, &given[0], &given[1], &given[2], &t, &alpha))
        return NULL;
    research *x = enter(args, model, make_global);
    if (!x) return NULL;
    frame *f = &x->f;
    x->t = t;
    x->alpha = alpha;
    f->status = pinion_global_count(f->model, &x->size);
    pn_py_refuse(f, "global_system");
    npy_intp entries = x->size.entries;
    x->out = pn_py_room(f, entries, -1);
    x->rhs = pn_py_room(f, x->size.unknowns, -1);
    x->joints = pn_py_room(f, f->nv, 7);
    x->q = pn_py_copied(f, given[0], f->nq, "q");
    x->v = pn_py_copied(f, given[1], f->nv, "v");
    x->tau = pn_py_copied(f, given[2], f->nv, "tau");
    x->row = malloc(2 * ((size_t)entries + 1) * sizeof *x->row);
    x->column = x->row ? x->row + entries : NULL;
    pn_py_work(f);
    if (!pn_py_do(f, pn_py_small(f))) return NULL;
    pn_py_refuse(f, "global_system");
    if (f->failed) return pn_py_leave(f, NULL);
    return pn_py_leave(f, "(AAANN)", pn_py_integers(x->row, entries), pn_py_integers(x->column, entries));
}

/* model, joints, solution: (a,) */
PyObject *pn_py_global_accelerations(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *given[2];
    if (!PyArg_ParseTuple(args, "O!OO", pn_py_model_type, &model, &given[0], &given[1])) return NULL;
    frame *f = pn_py_enter(args, model, sizeof *f, NULL);
    if (!f) return NULL;
    pinion_global_size size = {0};
    f->status = pinion_global_count(f->model, &size);
    double *a = pn_py_room(f, f->nv, -1), *joints = pn_py_copied(f, given[0], 7 * f->nv, "joints"),
           *solution = pn_py_copied(f, given[1], size.unknowns, "solution");
    if (!f->failed && !f->status) f->status = pinion_global_accelerations(f->model, joints, solution, a);
    pn_py_refuse(f, "global_accelerations");
    return pn_py_leave(f, "(A)");
}

static void solve_sparse(job *j)
{
    research *x = (research *)j;
    pinion_loop_options o = pinion_loop_options_default();
    o.t = x->t;
    x->sparse = pinion_sparse_new(x->f.model, &x->f.err);
    if (!x->sparse) return;
    x->f.status =
        pinion_sparse_forward_dynamics(x->sparse, &o, x->q, x->v, x->tau, NULL, x->out, &x->solution);
    if (!x->f.status) x->f.status = pinion_sparse_about(x->sparse, &x->about);
}

/* model, q, v, tau, t: (a, lambda, residual, unknowns, entries, factor_entries) */
PyObject *pn_py_sparse(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *given[3];
    double t;
    if (!PyArg_ParseTuple(args, "O!OOOd", pn_py_model_type, &model, &given[0], &given[1], &given[2], &t)) return NULL;
    research *x = enter(args, model, solve_sparse);
    if (!x) return NULL;
    frame *f = &x->f;
    x->t = t;
    x->out = pn_py_room(f, f->nv, -1);
    x->solution.lambda = pn_py_room(f, f->m->dim[-PN_ROWS], -1);
    x->q = pn_py_copied(f, given[0], f->nq, "q");
    x->v = pn_py_copied(f, given[1], f->nv, "v");
    x->tau = pn_py_copied(f, given[2], f->nv, "tau");
    if (!pn_py_do(f, pn_py_small(f))) return NULL;
    if (!x->sparse) pn_py_refuse_with(f);
    if (!f->failed && f->status) {
        pn_py_fail(f->status, 0, 0, "sparse_forward_dynamics: %s", pinion_sparse_message(x->sparse));
        f->failed = 1;
    }
    return pn_py_leave(f, "(AAdiii)", x->solution.residual, x->about.unknowns, x->about.entries,
                       x->about.factor_entries);
}

static void solve_on_threads(job *j)
{
    research *x = (research *)j;
    x->parallel = pinion_parallel_new(x->f.model, &x->f.err);
    if (x->parallel)
        x->f.status =
            pinion_forward_dynamics_threads(x->parallel, x->number, x->q, x->v, x->tau, NULL, x->out);
}

/* model, threads, q, v, tau: (a,) */
PyObject *pn_py_forward_dynamics_threads(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *given[3];
    int threads;
    if (!PyArg_ParseTuple(args, "O!iOOO", pn_py_model_type, &model, &threads, &given[0], &given[1], &given[2]))
        return NULL;
    research *x = enter(args, model, solve_on_threads);
    if (!x) return NULL;
    frame *f = &x->f;
    x->number = atomic_load(&pn_py_forked) ? 1 : threads;
    x->out = pn_py_room(f, f->nv, -1);
    x->q = pn_py_copied(f, given[0], f->nq, "q");
    x->v = pn_py_copied(f, given[1], f->nv, "v");
    x->tau = pn_py_copied(f, given[2], f->nv, "tau");
    /* it takes milliseconds at most, and OpenMP would keep threads for each thread that calls */
    if (!pn_py_do(f, 1)) return NULL;
    if (!x->parallel) pn_py_refuse_with(f);
    pn_py_refuse(f, "forward_dynamics_threads");
    return pn_py_leave(f, "(A)");
}
