/* The contact problem as numbers, and distances between shapes. Python has made arrays of doubles of what comes in. */
#include "contact.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * The problem */

PyObject *pn_py_residuals(const pinion_contact_residuals *r)
{
    return Py_BuildValue("(dddddi)", r->cone, r->dual, r->complementarity, r->dissipation, r->natural, r->worst);
}

PyObject *pn_py_contact_solution(const pinion_contact_solution *s)
{
    pinion_contact_solver_info info = {"", "", "", ""};
    if (pinion_contact_solver(s->solver, &info)) info.name = "";
    return Py_BuildValue("(NsiiN)", pn_py_residuals(&s->residuals), info.name, s->iterations, s->undetermined,
                         PyBool_FromLong(s->least_norm));
}

int pn_py_contact_options(const char *solver, double tolerance, int iterations, int least_norm,
                          pinion_contact_options *o)
{
    o->solver = solver ? pinion_contact_solver_find(solver) : -1;
    o->tolerance = tolerance;
    o->iterations = iterations;
    o->least_norm = least_norm;
    if (!solver || o->solver >= 0) return 1;
    pn_py_fail(PINION_ERR_NOT_FOUND, 0, 0, "there is no contact solver '%.60s'", solver);
    return 0;
}

/* [(name, source, cost, suited), ...] */
PyObject *pn_py_contact_solvers(PyObject *module, PyObject *args)
{
    (void)module, (void)args;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < pinion_contact_solver_count(); i++) {
        pinion_contact_solver_info s;
        PyObject *row = pinion_contact_solver(i, &s)
                            ? NULL
                            : Py_BuildValue("(ssss)", s.name, s.source, s.cost, s.suited);
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

typedef struct solving {
    job base;
    pinion_contact_problem p;
    pinion_contact_options o;
    pinion_contact_work *w;
    PyObject *lambda, *u;
    pinion_contact_solution solution;
    pinion_status status;
} solving;

static void do_solve(job *j)
{
    solving *x = (solving *)j;
    double *lambda = PyArray_DATA((PyArrayObject *)x->lambda), *u = PyArray_DATA((PyArrayObject *)x->u);
    x->status = pinion_contact_solve(x->w, &x->p, &x->o, lambda, u, &x->solution);
}

static void release_solving(job *j)
{
    solving *x = (solving *)j;
    pinion_contact_work_free(x->w);
    Py_XDECREF(x->lambda);
    Py_XDECREF(x->u);
}

/* G, g, mu, laws (bytes, a block each), R or None: the problem; they must stay while it is used. */
static int read_problem(PyObject *const x[5], pinion_contact_problem *p)
{
    int good = 1;
    char *laws;
    Py_ssize_t blocks;
    if (PyBytes_AsStringAndSize(x[3], &laws, &blocks) < 0) return 0;
    npy_intp rows = PyArray_Check(x[1]) ? PyArray_SIZE((PyArrayObject *)x[1]) : 0;
    p->blocks = (int)blocks;
    p->rows = (int)rows;
    p->law = (const unsigned char *)laws;
    p->G = pn_py_numbers_of(x[0], rows * rows, "G", &good);
    p->g = pn_py_numbers_of(x[1], rows, "g", &good);
    p->mu = pn_py_numbers_of(x[2], blocks, "mu", &good);
    p->R = pn_py_numbers_of(x[4], rows, "R", &good);
    return good;
}

/* G, g, mu, laws, R, guess or None, solver's name or None, tolerance, iterations, least norm:
 * (lambda, u, solution, what is wrong with it or None) */
PyObject *pn_py_contact_solve(PyObject *module, PyObject *args)
{
    (void)module;
    enum { BRIEF_ROWS = 60 };
    PyObject *given[5], *guess, *answer = NULL;
    const char *solver;
    double tolerance;
    int iterations, least_norm;
    if (!PyArg_ParseTuple(args, "OOOOOOzdip", &given[0], &given[1], &given[2], &given[3], &given[4], &guess, &solver,
                          &tolerance, &iterations, &least_norm))
        return NULL;
    solving *x = pn_py_job(sizeof *x, do_solve, release_solving);
    if (!x) return NULL;
    pn_py_job_keep(&x->base, args);
    x->o = pinion_contact_options_default();
    x->o.warm = guess != Py_None;
    int good = pn_py_contact_options(solver, tolerance, iterations, least_norm, &x->o) && read_problem(given, &x->p);
    const double *start = pn_py_numbers_of(guess, x->p.rows, "guess", &good);
    if (good) {
        x->lambda = pn_py_copy_of(start, x->p.rows, 0);
        x->u = pn_py_copy_of(NULL, x->p.rows, 0);
        x->w = pinion_contact_work_new(x->p.rows);
        if (!x->w && !PyErr_Occurred()) PyErr_NoMemory();
        good = x->lambda && x->u && x->w;
    }
    if (good && !pn_py_job_run(&x->base, x->p.rows <= BRIEF_ROWS)) return NULL;
    if (good && x->status && x->status != PINION_ERR_CONVERGENCE)
        good = pn_py_fail(x->status, 0, 0, "contact_solve: %s", pinion_contact_work_message(x->w)) != NULL;
    if (good)
        answer = Py_BuildValue("(OONz)", x->lambda, x->u, pn_py_contact_solution(&x->solution),
                               x->status ? pinion_contact_work_message(x->w) : NULL);
    pn_py_job_end(&x->base);
    return answer;
}

/* G, g, mu, laws, R, lambda: (u, residuals) */
PyObject *pn_py_contact_check(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *given[5], *lambda;
    pinion_contact_problem p;
    pinion_contact_residuals r;
    int good = 1;
    if (!PyArg_ParseTuple(args, "OOOOOO", &given[0], &given[1], &given[2], &given[3], &given[4], &lambda) ||
        !read_problem(given, &p))
        return NULL;
    const double *x = pn_py_numbers_of(lambda, p.rows, "lambda_", &good);
    PyObject *u = good ? pn_py_copy_of(NULL, p.rows, 0) : NULL;
    if (!u) return NULL;
    pinion_status status = pinion_contact_check(&p, x, PyArray_DATA((PyArrayObject *)u), &r);
    if (!status) return Py_BuildValue("(NN)", u, pn_py_residuals(&r));
    Py_DECREF(u);
    return pn_py_fail(status, 0, 0, "contact_check: %s", pinion_status_text(status));
}

/* ---------------------------------------------------------------------------------------------
 * Shapes */

/* (shape's name, 12 numbers of its pose, size, data or None) */
static int read_solid(PyObject *tuple, const char *which, pinion_solid *s)
{
    const char *name;
    PyObject *pose, *data;
    int good = 1;
    memset(s, 0, sizeof *s);
    if (!PyArg_ParseTuple(tuple, "sO(ddd)O", &name, &pose, &s->size[0], &s->size[1], &s->size[2], &data)) return 0;
    int kind = 0;
    while (kind < PINION_SHAPE_COUNT && strcmp(pinion_shape_name((pinion_shape)kind), name) != 0) kind++;
    if (kind == PINION_SHAPE_COUNT)
        return pn_py_fail(PINION_ERR_NOT_FOUND, 0, 0, "%s: there is no shape '%.60s'", which, name) != NULL;
    s->shape = (pinion_shape)kind;
    const double *numbers = pn_py_numbers_of(pose, 12, "pose", &good);
    if (!good) return 0;
    memcpy(s->pose.position, numbers, sizeof s->pose.position);
    memcpy(s->pose.rotation, numbers + 3, sizeof s->pose.rotation);
    if (data == Py_None) return 1;
    PyArrayObject *a = (PyArrayObject *)data;
    if (!PyArray_Check(data) || PyArray_NDIM(a) != 2)
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: data has not two axes", which) != NULL;
    s->rows = (int)PyArray_DIM(a, 0);
    s->columns = (int)PyArray_DIM(a, 1);
    s->data = pn_py_numbers_of(data, PyArray_SIZE(a), "data", &good);
    return good;
}

static PyObject *fail_shape(const char *function, pinion_status status, const pinion_solid *a, const pinion_solid *b)
{
    const char *first = pinion_shape_name(a->shape), *second = b ? pinion_shape_name(b->shape) : "";
    return pn_py_fail(status, 0, 0, "%s: %s%s%s: %s", function, first, b ? " and " : "", second,
                      status == PINION_ERR_UNSUPPORTED ? "two of planes and height fields have no distance"
                                                       : "a size is not above 0, or data are missing");
}

/* solid, solid: (gap, normal, point of the first, of the second) */
PyObject *pn_py_shape_distance(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *x[2];
    pinion_solid a, b;
    pinion_nearest n;
    if (!PyArg_ParseTuple(args, "OO", &x[0], &x[1]) || !read_solid(x[0], "first", &a) ||
        !read_solid(x[1], "second", &b))
        return NULL;
    pinion_status status;
    Py_BEGIN_ALLOW_THREADS status = pinion_shape_distance(&a, &b, &n);
    Py_END_ALLOW_THREADS
    if (status) return fail_shape("shape_distance", status, &a, &b);
    return Py_BuildValue("(dNNN)", n.gap, pn_py_copy_of(n.normal, 3, 0), pn_py_copy_of(n.first, 3, 0),
                         pn_py_copy_of(n.second, 3, 0));
}

/* solid, solid: (gap, normal, point of the first, of the second, derivatives (10, 12)) */
PyObject *pn_py_shape_d_distance(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *x[2];
    pinion_solid a, b;
    pinion_nearest n;
    if (!PyArg_ParseTuple(args, "OO", &x[0], &x[1]) || !read_solid(x[0], "first", &a) ||
        !read_solid(x[1], "second", &b))
        return NULL;
    PyObject *d = pn_py_copy_of(NULL, 10, 12);
    if (!d) return NULL;
    pinion_status status = pinion_shape_distance(&a, &b, &n);
    if (!status) status = pinion_shape_d_distance(&a, &b, &n, PyArray_DATA((PyArrayObject *)d));
    if (!status)
        return Py_BuildValue("(dNNNN)", n.gap, pn_py_copy_of(n.normal, 3, 0), pn_py_copy_of(n.first, 3, 0),
                             pn_py_copy_of(n.second, 3, 0), d);
    Py_DECREF(d);
    return fail_shape("shape_d_distance", status, &a, &b);
}

/* solid, solid, margin: the same as arrays with a row a point */
PyObject *pn_py_shape_patch(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *x[2];
    pinion_solid a, b;
    pinion_nearest n[PINION_PATCH_MOST];
    double margin, gap[PINION_PATCH_MOST], vector[3][PINION_PATCH_MOST][3];
    int count = 0;
    if (!PyArg_ParseTuple(args, "OOd", &x[0], &x[1], &margin) || !read_solid(x[0], "first", &a) ||
        !read_solid(x[1], "second", &b))
        return NULL;
    pinion_status status;
    Py_BEGIN_ALLOW_THREADS status = pinion_shape_patch(&a, &b, margin, n, &count);
    Py_END_ALLOW_THREADS
    if (status) return fail_shape("shape_patch", status, &a, &b);
    for (int i = 0; i < count; i++) {
        gap[i] = n[i].gap;
        memcpy(vector[0][i], n[i].normal, sizeof n[i].normal);
        memcpy(vector[1][i], n[i].first, sizeof n[i].first);
        memcpy(vector[2][i], n[i].second, sizeof n[i].second);
    }
    return Py_BuildValue("(NNNN)", pn_py_copy_of(gap, count, 0), pn_py_copy_of(*vector[0], count, 3),
                         pn_py_copy_of(*vector[1], count, 3), pn_py_copy_of(*vector[2], count, 3));
}

/* solid: (low, high) */
PyObject *pn_py_shape_bounds(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *x;
    pinion_solid a;
    double low[3], high[3];
    if (!PyArg_ParseTuple(args, "O", &x) || !read_solid(x, "solid", &a)) return NULL;
    pinion_status status = pinion_shape_bounds(&a, low, high);
    if (status) return fail_shape("shape_bounds", status, &a, NULL);
    return Py_BuildValue("(NN)", pn_py_copy_of(low, 3, 0), pn_py_copy_of(high, 3, 0));
}

typedef struct sweeping {
    int *pair;
    size_t count, room;
} sweeping;

static int overlap(void *context, int first, int second)
{
    sweeping *s = context;
    if (s->count == s->room) {
        size_t room = 2 * s->room + 64;
        int *pair = realloc(s->pair, 2 * room * sizeof *pair);
        if (!pair) return 1;
        s->pair = pair;
        s->room = room;
    }
    s->pair[2 * s->count] = first;
    s->pair[2 * s->count++ + 1] = second;
    return 0;
}

/* low, high, both (count, 3), their numbers in the order of low x: numbers of those that overlap, (pairs, 2) */
PyObject *pn_py_shape_overlaps(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *x[3], *answer = NULL;
    int good = 1;
    if (!PyArg_ParseTuple(args, "OOO", &x[0], &x[1], &x[2])) return NULL;
    PyArrayObject *order = (PyArrayObject *)x[2];
    npy_intp count = PyArray_Check(x[2]) && PyArray_TYPE(order) == NPY_INT && PyArray_ISCARRAY(order)
                         ? PyArray_SIZE(order)
                         : 0;
    const double *low = pn_py_numbers_of(x[0], 3 * count, "low", &good);
    const double *high = pn_py_numbers_of(x[1], 3 * count, "high", &good);
    if (!good) return NULL;
    sweeping s = {NULL, 0, 0};
    pinion_status status;
    Py_BEGIN_ALLOW_THREADS status = pinion_shape_overlaps((int)count, low, high, PyArray_DATA(order), overlap, &s);
    Py_END_ALLOW_THREADS
    npy_intp dims[2] = {(npy_intp)s.count, 2};
    if (status)
        PyErr_NoMemory(); /* else there is nothing that it objects to */
    else
        answer = PyArray_SimpleNew(2, dims, NPY_INT);
    if (answer && s.count) memcpy(PyArray_DATA((PyArrayObject *)answer), s.pair, 2 * s.count * sizeof *s.pair);
    free(s.pair);
    return answer;
}
