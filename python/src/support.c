/* Inverse dynamics on contacts. Python has made arrays of what comes in. */
#include "contact.h"
#include "frame.h"

#include <string.h>

PyObject *pn_py_support_points(const pinion_support_point *points, npy_intp count)
{
    PyObject *number[2] = {PyArray_SimpleNew(1, &count, NPY_INT), PyArray_SimpleNew(1, &count, NPY_INT)},
             *point = pn_py_copy_of(NULL, count, 3), *normal = pn_py_copy_of(NULL, count, 3),
             *friction = pn_py_copy_of(NULL, count, 0);
    int good = number[0] && number[1] && point && normal && friction;
    for (npy_intp i = 0; good && i < count; i++) {
        ((int *)PyArray_DATA((PyArrayObject *)number[0]))[i] = points[i].first;
        ((int *)PyArray_DATA((PyArrayObject *)number[1]))[i] = points[i].second;
        memcpy((double *)PyArray_DATA((PyArrayObject *)point) + 3 * i, points[i].point, sizeof points[i].point);
        memcpy((double *)PyArray_DATA((PyArrayObject *)normal) + 3 * i, points[i].normal, sizeof points[i].normal);
        ((double *)PyArray_DATA((PyArrayObject *)friction))[i] = points[i].friction;
    }
    if (good) return Py_BuildValue("(NNNNN)", number[0], number[1], point, normal, friction);
    Py_XDECREF(number[0]);
    Py_XDECREF(number[1]);
    Py_XDECREF(point);
    Py_XDECREF(normal);
    Py_XDECREF(friction);
    return NULL;
}

typedef struct support_frame {
    frame f;
    const double *q, *v, *a, *f_ext, *on;
    int count;
    pinion_support_point *points;
    pinion_support *support;
    double *tau;
    pinion_support_report report;
} support_frame;

static void release(frame *f)
{
    support_frame *x = (support_frame *)f;
    pinion_support_free(x->support);
    PyMem_Free(x->points);
}

static support_frame *enter(PyObject *args, PyObject *model, void (*work)(job *), int count)
{
    support_frame *x = pn_py_enter(args, model, sizeof *x, work);
    if (!x) return NULL;
    x->f.release = release;
    x->count = count;
    x->support = pinion_support_new(x->f.model, count);
    x->points = PyMem_Calloc((size_t)count + 1, sizeof *x->points);
    if (!x->support || !x->points) {
        PyErr_NoMemory();
        x->f.failed = 1;
    }
    pn_py_work(&x->f);
    return x;
}

/* Says what failed: the support, or a call before it. */
static void refuse(support_frame *x, const char *function)
{
    frame *f = &x->f;
    const char *said = f->status ? pinion_support_message(x->support) : "";
    if (f->failed || !f->status || !*said) {
        pn_py_refuse(f, function);
        return;
    }
    pn_py_fail(f->status, 0, 0, "%s: %s", function, said);
    f->failed = 1;
}

static void do_forces(job *j)
{
    support_frame *x = (support_frame *)j;
    frame *f = &x->f;
    f->status = pinion_inverse_dynamics(f->model, f->work, x->q, x->v, x->a, x->f_ext, x->tau);
    if (!f->status)
        f->status = pinion_support_forces(x->support, f->work, x->q, x->count, x->points, x->tau, &x->report);
}

/* model, q, v, a, f_ext or None, first and second (bytes of ints), point, normal, friction, share:
 * (tau, force, margin, inside, least margin, friction, missing, undetermined) */
PyObject *pn_py_support_forces(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *given[4], *of[4];
    const char *first, *second;
    Py_ssize_t bytes[2];
    if (!PyArg_ParseTuple(args, "O!OOOOy#y#OOOO", pn_py_model_type, &model, &given[0], &given[1], &given[2], &given[3],
                          &first, &bytes[0], &second, &bytes[1], &of[0], &of[1], &of[2], &of[3]))
        return NULL;
    const npy_intp count = bytes[0] / (Py_ssize_t)sizeof(int);
    if (bytes[1] != bytes[0] || count > 4096)
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "support_forces: expected at most 4096 points");
    support_frame *x = enter(args, model, do_forces, (int)count);
    if (!x) return NULL;
    frame *f = &x->f;
    x->q = pn_py_copied(f, given[0], f->nq, "q");
    x->v = pn_py_copied(f, given[1], f->nv, "v");
    x->a = pn_py_copied(f, given[2], f->nv, "a");
    x->f_ext = pn_py_copied(f, given[3], 6 * f->m->dim[-PN_BODIES], "f_ext");
    const double *point = pn_py_copied(f, of[0], 3 * count, "point"),
                 *normal = pn_py_copied(f, of[1], 3 * count, "normal"),
                 *friction = pn_py_copied(f, of[2], count, "friction"),
                 *share = pn_py_copied(f, of[3], count, "share");
    for (npy_intp i = 0; !f->failed && i < count; i++) {
        pinion_support_point *p = &x->points[i];
        memcpy(&p->first, first + (size_t)i * sizeof(int), sizeof p->first);
        memcpy(&p->second, second + (size_t)i * sizeof(int), sizeof p->second);
        memcpy(p->point, point + 3 * i, sizeof p->point);
        memcpy(p->normal, normal + 3 * i, sizeof p->normal);
        p->friction = friction[i];
        p->share = share[i];
    }
    f->first = f->arrays;
    x->tau = pn_py_room(f, f->nv, -1);
    double *force = pn_py_room(f, count, 3), *margin = pn_py_room(f, count, -1);
    if (!pn_py_do(f, pn_py_small(f) && count < 60)) return NULL;
    refuse(x, "support_forces");
    for (npy_intp i = 0; !f->failed && i < count; i++) {
        memcpy(force + 3 * i, x->points[i].force, sizeof x->points[i].force);
        margin[i] = x->points[i].margin;
    }
    const pinion_support_report r = x->report;
    return pn_py_leave(f, "(AAAOdddi)", r.inside ? Py_True : Py_False, r.margin, r.friction, r.missing,
                       r.undetermined);
}

static void do_zmp(job *j)
{
    support_frame *x = (support_frame *)j;
    x->f.status = pinion_zero_moment_point(x->support, x->f.work, x->q, x->v, x->a, x->on, x->tau);
}

/* model, q, v, a, a point of the level: (zmp,) */
PyObject *pn_py_zero_moment_point(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *given[4];
    if (!PyArg_ParseTuple(args, "O!OOOO", pn_py_model_type, &model, &given[0], &given[1], &given[2], &given[3]))
        return NULL;
    support_frame *x = enter(args, model, do_zmp, 0);
    if (!x) return NULL;
    frame *f = &x->f;
    x->q = pn_py_copied(f, given[0], f->nq, "q");
    x->v = pn_py_copied(f, given[1], f->nv, "v");
    x->a = pn_py_copied(f, given[2], f->nv, "a");
    x->on = pn_py_copied(f, given[3], 3, "on");
    f->first = f->arrays;
    x->tau = pn_py_room(f, 3, -1);
    if (!pn_py_do(f, pn_py_small(f))) return NULL;
    refuse(x, "zero_moment_point");
    return pn_py_leave(f, "(A)");
}

/* points (count, 3), up, place or None: (numbers of the corners, margin) */
PyObject *pn_py_support_polygon(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *given[3];
    int good = 1, corners = 0;
    if (!PyArg_ParseTuple(args, "OOO", &given[0], &given[1], &given[2])) return NULL;
    const npy_intp count = PyArray_Check(given[0]) ? PyArray_SIZE((PyArrayObject *)given[0]) / 3 : 0;
    const double *points = pn_py_numbers_of(given[0], 3 * count, "points", &good);
    const double *up = pn_py_numbers_of(given[1], 3, "up", &good);
    const double *place = pn_py_numbers_of(given[2], 3, "place", &good);
    int *corner = good ? PyMem_Calloc((size_t)count + 1, sizeof *corner) : NULL;
    if (!corner) return good ? PyErr_NoMemory() : NULL;
    double margin = 0;
    pinion_status status = pinion_support_polygon((int)count, points, up, place, corner, &corners, &margin);
    PyObject *answer = status ? pn_py_fail(status, 0, 0, "support_polygon: there are no points, or up is zero")
                              : Py_BuildValue("(Nd)", pn_py_integers(corner, corners), margin);
    PyMem_Free(corner);
    return answer;
}
