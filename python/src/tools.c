/* What stands on a model beside its quantities: inverse kinematics, linear systems, closed loops, other
 * libraries' layouts. Python has made arrays of doubles of what comes in. */
#include "frame.h"

#include <stdlib.h>
#include <string.h>

#include "pinion/sim/sim.h"

typedef struct ik_frame {
    frame f;
    int index;
    pinion_ik_options o;
    pinion_pose where;
    double *q;
    pinion_ik_report report;
} ik_frame;

static void do_ik(job *j)
{
    ik_frame *x = (ik_frame *)j;
    x->f.status = pinion_inverse_kinematics(x->f.model, x->f.work, x->index, &x->where, &x->o, x->q, &x->report);
}

/* model, frame, position and rotation (12 numbers), q, position and orientation tolerance, weights,
 * iterations, starts, limits, seed: (q, converged, starts, iterations, position error, orientation error) */
PyObject *pn_py_solve_ik(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *target, *start, *weights;
    int index;
    pinion_ik_options o = pinion_ik_options_default();
    unsigned long long seed;
    if (!PyArg_ParseTuple(args, "O!iOOddOiipK", pn_py_model_type, &model, &index, &target, &start,
                          &o.position_tolerance, &o.orientation_tolerance, &weights, &o.iterations, &o.starts,
                          &o.limits, &seed))
        return NULL;
    ik_frame *x = pn_py_enter(args, model, sizeof *x, do_ik);
    if (!x) return NULL;
    frame *f = &x->f;
    o.seed = seed;
    x->index = index;
    x->q = pn_py_copied(f, start, f->nq, "q0");
    const double *pose = pn_py_copied(f, target, 12, "target"), *weight = pn_py_copied(f, weights, 6, "weight");
    pn_py_work(f);
    if (!f->failed) {
        memcpy(x->where.position, pose, sizeof x->where.position);
        memcpy(x->where.rotation, pose + 3, sizeof x->where.rotation);
        memcpy(o.weight, weight, sizeof o.weight);
        x->o = o;
    }
    double n = (double)f->nv + 10;
    if (!pn_py_do(f, (double)o.iterations * o.starts * n * n < 2e6)) return NULL;
    if (f->status != PINION_ERR_CONVERGENCE) pn_py_refuse(f, "solve_ik");
    return pn_py_leave(f, "(AOiidd)", x->report.converged ? Py_True : Py_False, x->report.starts,
                       x->report.iterations, x->report.position_error, x->report.orientation_error);
}

/* ---------------------------------------------------------------------------------------------
 * Linear systems */

typedef struct linear_frame {
    frame f;
    const double *q, *v, *tau;
    pinion_forces *forces; /* or NULL */
    pinion_linear *l;
    double *modes;
} linear_frame;

static void do_linearize(job *j)
{
    linear_frame *x = (linear_frame *)j;
    x->l = pinion_linearize_with(x->f.model, x->forces, 0, x->q, x->v, x->tau, &x->f.err);
    x->modes = x->l ? malloc((2 * (size_t)x->l->states + 1) * sizeof *x->modes) : NULL;
    if (x->modes) x->f.status = pinion_linear_modes(x->l, x->modes, NULL);
}

static void release_linear(frame *f)
{
    free(((linear_frame *)f)->modes);
    pinion_linear_free(((linear_frame *)f)->l);
    pinion_forces_free(((linear_frame *)f)->forces);
}

/* force elements from the paths of a list, as bytes */
static void load_forces(linear_frame *x, PyObject *paths)
{
    frame *f = &x->f;
    const Py_ssize_t count = PyList_Size(paths);
    if (count && !f->failed && !(x->forces = pinion_forces_new(f->model))) {
        PyErr_NoMemory();
        f->failed = 1;
    }
    for (Py_ssize_t i = 0; i < count && !f->failed; i++) {
        const char *path = PyBytes_AsString(PyList_GetItem(paths, i));
        f->failed = !path;
        if (path && pinion_forces_load(x->forces, path, &f->err)) pn_py_refuse_with(f);
    }
}

/* model, q, v, tau, [paths of force elements]: (A, B, a, eigenvalues as pairs, velocities, inputs, loss) */
PyObject *pn_py_linearize(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *given[3], *forces;
    if (!PyArg_ParseTuple(args, "O!OOOO!", pn_py_model_type, &model, &given[0], &given[1], &given[2], &PyList_Type,
                          &forces))
        return NULL;
    linear_frame *x = pn_py_enter(args, model, sizeof *x, do_linearize);
    if (!x) return NULL;
    frame *f = &x->f;
    f->release = release_linear;
    x->q = pn_py_copied(f, given[0], f->nq, "q");
    x->v = pn_py_copied(f, given[1], f->nv, "v");
    x->tau = pn_py_copied(f, given[2], f->nv, "tau");
    load_forces(x, forces);
    if (!pn_py_do(f, pn_py_small(f))) return NULL;
    const pinion_linear *l = x->l;
    if (!l) pn_py_refuse_with(f);
    if (l && !x->modes) f->status = PINION_ERR_MEMORY;
    if (!f->failed && f->status == PINION_ERR_ARGUMENT) {
        pn_py_fail(f->status, 0, 0, "linearize: A is not finite: a number that went in is too large to compute with");
        f->failed = 1;
    }
    pn_py_refuse(f, "linearize");
    f->first = f->arrays;
    npy_intp states = l ? l->states : 0, inputs = l ? l->inputs : 0;
    double *A = pn_py_room(f, states, states), *B = pn_py_room(f, states, inputs), *a = pn_py_room(f, f->nv, -1),
           *values = pn_py_room(f, states, 2);
    if (f->failed) return pn_py_leave(f, NULL);
    memcpy(A, l->A, (size_t)(states * states) * sizeof *A);
    if (inputs) memcpy(B, l->B, (size_t)(states * inputs) * sizeof *B);
    memcpy(a, l->a, (size_t)f->nv * sizeof *a);
    memcpy(values, x->modes, 2 * (size_t)states * sizeof *values);
    return pn_py_leave(f, "(AAAANNd)", pn_py_integers(l->velocity, l->freedom), pn_py_integers(l->input, inputs),
                       l->loss);
}

typedef struct rest_frame {
    frame f;
    double *q, *tau;
} rest_frame;

static void do_equilibrium(job *j)
{
    rest_frame *x = (rest_frame *)j;
    x->f.status = pinion_equilibrium(x->f.model, x->tau, x->q, &x->f.err);
}

/* model, tau, q: (q at rest,) */
PyObject *pn_py_equilibrium(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *forces, *start;
    if (!PyArg_ParseTuple(args, "O!OO", pn_py_model_type, &model, &forces, &start)) return NULL;
    rest_frame *x = pn_py_enter(args, model, sizeof *x, do_equilibrium);
    if (!x) return NULL;
    frame *f = &x->f;
    x->q = pn_py_copied(f, start, f->nq, "q");
    x->tau = pn_py_copied(f, forces, f->nv, "tau");
    if (!pn_py_do(f, 0)) return NULL;
    if (f->status) pn_py_refuse_with(f);
    return pn_py_leave(f, "(A)");
}

/* ---------------------------------------------------------------------------------------------
 * Closed loops */

typedef struct loop_frame {
    frame f;
    double t, *q, *v, *a;
    const unsigned char *locked;
    pinion_mobility mobility;
} loop_frame;

static void do_mobility(job *j)
{
    loop_frame *x = (loop_frame *)j;
    x->f.status = pinion_mobility_at(x->f.model, x->f.work, x->t, x->q, &x->mobility);
}

/* model, t, q: (rows, rank, redundant, gruebler, freedom, doubt, singular, open) */
PyObject *pn_py_mobility(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *q;
    double t;
    if (!PyArg_ParseTuple(args, "O!dO", pn_py_model_type, &model, &t, &q)) return NULL;
    loop_frame *x = pn_py_enter(args, model, sizeof *x, do_mobility);
    if (!x) return NULL;
    frame *f = &x->f;
    x->t = t;
    x->q = pn_py_copied(f, q, f->nq, "q");
    pn_py_work(f);
    if (!pn_py_do(f, pn_py_small(f))) return NULL;
    pn_py_refuse(f, "mobility");
    const pinion_mobility *o = &x->mobility;
    return pn_py_leave(f, "(iiiiidid)", o->rows, o->rank, o->redundant, o->gruebler, o->freedom, o->doubt, o->singular,
                       o->open);
}

typedef struct element_frame {
    frame f;
    const double *q, *v;
    double *force[3], potential, stops[2];
} element_frame;

static void do_elements(job *j)
{
    element_frame *x = (element_frame *)j;
    pinion_elements *e = pinion_elements_new(x->f.model);
    x->f.status = e ? pinion_elements_stops(e, x->stops[0], x->stops[1], 0) : PINION_ERR_MEMORY;
    if (!x->f.status)
        x->f.status = pinion_elements_forces(e, x->f.work, x->q, x->v, x->force[0], x->force[1], x->force[2],
                                             &x->potential);
    pinion_elements_free(e);
}

/* model, q, v, stiffness and damping of tendons' stops: (springs, dampers, compensation, potential) */
PyObject *pn_py_element_forces(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *q, *v;
    double stops[2];
    if (!PyArg_ParseTuple(args, "O!OOdd", pn_py_model_type, &model, &q, &v, &stops[0], &stops[1])) return NULL;
    element_frame *x = pn_py_enter(args, model, sizeof *x, do_elements);
    if (!x) return NULL;
    frame *f = &x->f;
    memcpy(x->stops, stops, sizeof stops);
    x->q = pn_py_copied(f, q, f->nq, "q");
    x->v = pn_py_copied(f, v, f->nv, "v");
    f->first = f->arrays;
    for (int i = 0; i < 3; i++) {
        x->force[i] = pn_py_room(f, f->nv, -1);
        if (x->force[i]) memset(x->force[i], 0, (size_t)f->nv * sizeof *x->force[i]);
    }
    pn_py_work(f);
    if (!pn_py_do(f, pn_py_small(f))) return NULL;
    pn_py_refuse(f, "element_forces");
    return pn_py_leave(f, "(AAAd)", x->potential);
}

/* What of the elements is asked for. */
typedef struct more_elements {
    frame f;
    const double *q, *v;
    int tendons;
    double *out[2];
} more_elements;

static void do_lengths(job *j)
{
    more_elements *x = (more_elements *)j;
    pinion_elements *e = pinion_elements_new(x->f.model);
    x->f.status = e ? PINION_OK : PINION_ERR_MEMORY;
    for (int i = 0; i < x->tendons && !x->f.status; i++)
        x->f.status = pinion_tendon_length(e, x->f.work, x->q, x->v, i, &x->out[0][i], &x->out[1][i]);
    pinion_elements_free(e);
}

static void do_d_elements(job *j)
{
    more_elements *x = (more_elements *)j;
    pinion_elements *e = pinion_elements_new(x->f.model);
    x->f.status = e ? pinion_d_elements_forces(e, x->f.work, x->q, x->v, x->out[0], x->out[1]) : PINION_ERR_MEMORY;
    pinion_elements_free(e);
}

/* model, q, v: two arrays of rows, or rows x columns */
static PyObject *ask_elements(PyObject *args, const char *function, void (*work)(job *))
{
    PyObject *model, *q, *v;
    if (!PyArg_ParseTuple(args, "O!OO", pn_py_model_type, &model, &q, &v)) return NULL;
    more_elements *x = pn_py_enter(args, model, sizeof *x, work);
    if (!x) return NULL;
    frame *f = &x->f;
    x->tendons = pinion_model_tendon_count(f->model);
    x->q = pn_py_copied(f, q, f->nq, "q");
    x->v = pn_py_copied(f, v, f->nv, "v");
    f->first = f->arrays;
    for (int i = 0; i < 2; i++) {
        const int square = work == do_d_elements;
        x->out[i] = pn_py_room(f, square ? f->nv : x->tendons, square ? f->nv : -1);
        if (x->out[i] && square) memset(x->out[i], 0, (size_t)(f->nv * f->nv) * sizeof *x->out[i]);
    }
    pn_py_work(f);
    if (!pn_py_do(f, pn_py_small(f))) return NULL;
    pn_py_refuse(f, function);
    return pn_py_leave(f, "(AA)");
}

/* model, q, v: (length, rate) of all tendons */
PyObject *pn_py_tendon_lengths(PyObject *module, PyObject *args)
{
    (void)module;
    return ask_elements(args, "tendon_lengths", do_lengths);
}

/* model, q, v: (dq, dv) */
PyObject *pn_py_d_element_forces(PyObject *module, PyObject *args)
{
    (void)module;
    return ask_elements(args, "d_element_forces", do_d_elements);
}

static void do_assemble(job *j)
{
    loop_frame *x = (loop_frame *)j;
    pinion_work *w = x->f.work;
    if (x->a) {
        x->f.status = pinion_project_acceleration(x->f.model, w, x->t, x->locked, x->q, x->v, x->a);
        return;
    }
    x->f.status = pinion_assemble(x->f.model, w, x->t, x->locked, x->q, NULL);
    if (!x->f.status) x->f.status = pinion_project_velocity(x->f.model, w, x->t, x->locked, x->q, x->v);
}

/* model, t, q, v, a or None, locked (bytes, nv): the nearest q and v that keep the loops; with a, that of q
 * and v as they are: (q, v, a) */
PyObject *pn_py_assemble(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *given[3];
    double t;
    const char *bytes;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(args, "O!dOOOy#", pn_py_model_type, &model, &t, &given[0], &given[1], &given[2], &bytes,
                          &count))
        return NULL;
    loop_frame *x = pn_py_enter(args, model, sizeof *x, do_assemble);
    if (!x) return NULL;
    frame *f = &x->f;
    x->t = t;
    x->locked = (const unsigned char *)bytes;
    x->q = pn_py_copied(f, given[0], f->nq, "q");
    x->v = pn_py_copied(f, given[1], f->nv, "v");
    x->a = pn_py_copied(f, given[2], f->nv, "a");
    pn_py_work(f);
    if (!f->failed && count != f->nv) {
        pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "locked has the wrong shape; expected %ld entries", (long)f->nv);
        f->failed = 1;
    }
    int with_a = x->a != NULL;
    if (!pn_py_do(f, pn_py_small(f))) return NULL;
    pn_py_refuse(f, with_a ? "project_acceleration" : "assemble");
    return pn_py_leave(f, with_a ? "(AAA)" : "(AA)");
}

/* ---------------------------------------------------------------------------------------------
 * Layouts of other libraries */

/* model, convention: (nq, nv, where each joint has its q, where its v) there */
PyObject *pn_py_layout(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model;
    int convention;
    if (!PyArg_ParseTuple(args, "O!i", pn_py_model_type, &model, &convention)) return NULL;
    const pinion_model *m = ((model_object *)model)->model;
    pinion_error err;
    pinion_converter *c = pinion_converter_new(m, (pinion_convention)convention, &err);
    if (!c) return pn_py_fail_with(&err);
    int joints = pinion_model_joint_count(m);
    PyObject *q = PyList_New(joints), *v = PyList_New(joints), *answer = NULL;
    for (int i = 0; q && v && i < joints; i++) {
        PyList_SetItem(q, i, PyLong_FromLong(pinion_converter_q_index(c, i)));
        PyList_SetItem(v, i, PyLong_FromLong(pinion_converter_v_index(c, i)));
    }
    if (q && v) answer = Py_BuildValue("(iiOO)", pinion_converter_nq(c), pinion_converter_nv(c), q, v);
    Py_XDECREF(q);
    Py_XDECREF(v);
    pinion_converter_free(c);
    return answer;
}

static pinion_status convert(const pinion_converter *c, char what, int to, const double *q, const double *v,
                             const double *a, double *b)
{
    switch (what) {
    case 'q': return to ? pinion_convert_q_to(c, a, b) : pinion_convert_q_from(c, a, b);
    case 'v': return to ? pinion_convert_v_to(c, q, a, b) : pinion_convert_v_from(c, q, a, b);
    case 'a': return to ? pinion_convert_a_to(c, q, v, a, b) : pinion_convert_a_from(c, q, v, a, b);
    default: return to ? pinion_convert_tau_to(c, q, a, b) : pinion_convert_tau_from(c, q, a, b);
    }
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
    frame *f = pn_py_enter(args, model, sizeof *f, NULL);
    if (!f) return NULL;
    pinion_converter *c = pinion_converter_new(f->model, (pinion_convention)convention, &f->err);
    if (!c) {
        pn_py_refuse_with(f);
        return pn_py_leave(f, NULL);
    }
    int is_q = strcmp(what, "q") == 0;
    npy_intp own = is_q ? f->nq : f->nv, other = is_q ? pinion_converter_nq(c) : pinion_converter_nv(c);
    npy_intp in = to ? own : other, out = to ? other : own;
    npy_intp rows = PyArray_Check(x[0]) && in ? PyArray_SIZE((PyArrayObject *)x[0]) / in : 0;
    double *b = pn_py_room(f, rows, out), *a = pn_py_copied(f, x[0], rows * in, what);
    double *q = pn_py_copied(f, x[1], rows * f->nq, "q"), *v = pn_py_copied(f, x[2], rows * f->nv, "v");
    for (npy_intp i = 0; i < rows && !f->failed; i++) {
        pinion_status status = convert(c, what[0], to, q + i * f->nq, v + i * f->nv, a + i * in, b + i * out);
        if (status) pn_py_fail(status, 0, 0, "%s: state %ld: %s", what, (long)i, pinion_status_text(status));
        f->failed = status || ((i & 1023) == 1023 && PyErr_CheckSignals() < 0);
    }
    pinion_converter_free(c);
    return pn_py_leave(f, "(A)");
}
