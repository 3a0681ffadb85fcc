/* What stands on a model beside its quantities: inverse kinematics, linear systems, closed loops, other
 * libraries' layouts. Python has made arrays of doubles of what comes in. */
#include "frame.h"

#include <string.h>

#include "pinion/sim/sim.h"

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
    frame f = pn_py_enter(model);
    o.seed = seed;
    double *q = pn_py_copied(&f, start, f.nq, "q0"), *pose = pn_py_copied(&f, target, 12, "target");
    double *weight = pn_py_copied(&f, weights, 6, "weight");
    pinion_work *w = pn_py_work(&f);
    pinion_ik_report report;
    memset(&report, 0, sizeof report);
    if (!f.failed) {
        pinion_pose where;
        memcpy(where.position, pose, sizeof where.position);
        memcpy(where.rotation, pose + 3, sizeof where.rotation);
        memcpy(o.weight, weight, sizeof o.weight);
        pinion_status status;
        Py_BEGIN_ALLOW_THREADS status = pinion_inverse_kinematics(f.model, w, index, &where, &o, q, &report);
        Py_END_ALLOW_THREADS if (status && status != PINION_ERR_CONVERGENCE)
            pn_py_refuse(&f, "solve_ik", status);
    }
    return pn_py_leave(&f, "(AOiidd)", report.converged ? Py_True : Py_False, report.starts,
                       report.iterations, report.position_error, report.orientation_error);
}

/* ---------------------------------------------------------------------------------------------
 * Linear systems */

/* model, q, v, tau: (A, B, a, eigenvalues as pairs, velocities, inputs, loss) */
PyObject *pn_py_linearize(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *x[3];
    if (!PyArg_ParseTuple(args, "O!OOO", pn_py_model_type, &model, &x[0], &x[1], &x[2])) return NULL;
    frame f = pn_py_enter(model), out = pn_py_enter(model);
    const double *q = pn_py_copied(&f, x[0], f.nq, "q"), *v = pn_py_copied(&f, x[1], f.nv, "v"),
                 *tau = pn_py_copied(&f, x[2], f.nv, "tau");
    pinion_error err;
    pinion_linear *l = NULL;
    if (!f.failed) {
        Py_BEGIN_ALLOW_THREADS l = pinion_linearize(f.model, q, v, tau, &err);
        Py_END_ALLOW_THREADS if (!l) pn_py_refuse_with(&f, &err);
    }
    out.failed = !l;
    npy_intp states = l ? l->states : 0, inputs = l ? l->inputs : 0;
    double *A = pn_py_room(&out, states, states), *B = pn_py_room(&out, states, inputs),
           *a = pn_py_room(&out, f.nv, -1);
    double *values = pn_py_room(&out, states, 2);
    PyObject *answer = NULL;
    if (!out.failed) {
        memcpy(A, l->A, (size_t)(states * states) * sizeof *A);
        if (inputs) memcpy(B, l->B, (size_t)(states * inputs) * sizeof *B);
        memcpy(a, l->a, (size_t)f.nv * sizeof *a);
        pinion_status status = pinion_linear_modes(l, values, NULL);
        if (status) pn_py_refuse(&out, "linearize", status);
    }
    if (out.failed)
        pn_py_leave(&out, NULL);
    else
        answer = pn_py_leave(&out, "(AAAANNd)", pn_py_integers(l->velocity, l->freedom),
                             pn_py_integers(l->input, inputs), l->loss);
    pinion_linear_free(l);
    pn_py_leave(&f, NULL);
    return answer;
}

/* model, tau, q: (q at rest,) */
PyObject *pn_py_equilibrium(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *forces, *start;
    if (!PyArg_ParseTuple(args, "O!OO", pn_py_model_type, &model, &forces, &start)) return NULL;
    frame f = pn_py_enter(model);
    double *q = pn_py_copied(&f, start, f.nq, "q"), *tau = pn_py_copied(&f, forces, f.nv, "tau");
    pinion_error err;
    if (!f.failed && pinion_equilibrium(f.model, tau, q, &err)) pn_py_refuse_with(&f, &err);
    return pn_py_leave(&f, "(A)");
}

/* ---------------------------------------------------------------------------------------------
 * Closed loops */

/* model, t, q: (rows, rank, redundant, gruebler, freedom, doubt, singular, open) */
PyObject *pn_py_mobility(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *x;
    double t;
    if (!PyArg_ParseTuple(args, "O!dO", pn_py_model_type, &model, &t, &x)) return NULL;
    frame f = pn_py_enter(model);
    double *q = pn_py_copied(&f, x, f.nq, "q");
    pinion_work *w = pn_py_work(&f);
    pinion_mobility o;
    memset(&o, 0, sizeof o);
    pinion_status status = f.failed ? PINION_OK : pinion_mobility_at(f.model, w, t, q, &o);
    if (status) pn_py_refuse(&f, "mobility", status);
    return pn_py_leave(&f, "(iiiiidid)", o.rows, o.rank, o.redundant, o.gruebler, o.freedom, o.doubt, o.singular,
                       o.open);
}

/* model, t, q, v, a or None, locked (bytes, nv): the nearest q and v that keep the loops; with a, that of q
 * and v as they are: (q, v, a) */
PyObject *pn_py_assemble(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *x[3];
    double t;
    const char *bytes;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(args, "O!dOOOy#", pn_py_model_type, &model, &t, &x[0], &x[1], &x[2], &bytes,
                          &count))
        return NULL;
    frame f = pn_py_enter(model);
    double *q = pn_py_copied(&f, x[0], f.nq, "q"), *v = pn_py_copied(&f, x[1], f.nv, "v"),
           *a = pn_py_copied(&f, x[2], f.nv, "a");
    pinion_work *w = pn_py_work(&f);
    if (!f.failed && count != f.nv) {
        pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "locked has the wrong shape; expected %ld entries", (long)f.nv);
        f.failed = 1;
    }
    if (!f.failed) {
        const unsigned char *locked = (const unsigned char *)bytes;
        pinion_status status = a ? pinion_project_acceleration(f.model, w, t, locked, q, v, a)
                                 : pinion_assemble(f.model, w, t, locked, q, NULL);
        if (!status && !a) status = pinion_project_velocity(f.model, w, t, locked, q, v);
        if (status) pn_py_refuse(&f, a ? "project_acceleration" : "assemble", status);
    }
    return pn_py_leave(&f, a ? "(AAA)" : "(AA)");
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
    frame f = pn_py_enter(model);
    pinion_error err;
    pinion_converter *c = pinion_converter_new(f.model, (pinion_convention)convention, &err);
    if (!c) return pn_py_fail_with(&err);
    int is_q = strcmp(what, "q") == 0;
    npy_intp own = is_q ? f.nq : f.nv, other = is_q ? pinion_converter_nq(c) : pinion_converter_nv(c);
    npy_intp in = to ? own : other, out = to ? other : own;
    npy_intp rows = PyArray_Check(x[0]) && in ? PyArray_SIZE((PyArrayObject *)x[0]) / in : 0;
    double *b = pn_py_room(&f, rows, out), *a = pn_py_copied(&f, x[0], rows * in, what);
    double *q = pn_py_copied(&f, x[1], rows * f.nq, "q"), *v = pn_py_copied(&f, x[2], rows * f.nv, "v");
    for (npy_intp i = 0; i < rows && !f.failed; i++) {
        pinion_status status = convert(c, what[0], to, q + i * f.nq, v + i * f.nv, a + i * in, b + i * out);
        if (!status) continue;
        pn_py_fail(status, 0, 0, "%s: state %ld: %s", what, (long)i, pinion_status_text(status));
        f.failed = 1;
    }
    pinion_converter_free(c);
    return pn_py_leave(&f, "(A)");
}
