#include "frame.h"

#include <stdarg.h>
#include <string.h>

static void release(job *j)
{
    frame *f = (frame *)j;
    if (f->release) f->release(f);
    for (int i = 0; i < f->arrays; i++) Py_DECREF(f->array[i]);
    pinion_work_free(f->work);
}

void *pn_py_enter(PyObject *args, PyObject *model, size_t size, void (*work)(job *))
{
    frame *f = pn_py_job(size, work, release);
    if (!f) return NULL;
    pn_py_job_keep(&f->base, args);
    f->m = (model_object *)model;
    f->model = f->m->model;
    f->nq = f->m->dim[-PN_NQ];
    f->nv = f->m->dim[-PN_NV];
    return f;
}

int pn_py_small(const frame *f)
{
    return f->nv + f->m->dim[-PN_ROWS] < 60;
}

int pn_py_do(frame *f, int brief)
{
    return f->failed || pn_py_job_run(&f->base, brief);
}

static double *keep(frame *f, PyObject *array)
{
    f->failed |= !array;
    if (!array) return NULL;
    f->array[f->arrays++] = array;
    return PyArray_DATA((PyArrayObject *)array);
}

double *pn_py_copied(frame *f, PyObject *value, npy_intp count, const char *name)
{
    if (f->failed || value == Py_None) return NULL;
    PyArrayObject *a = (PyArrayObject *)value;
    if (PyArray_Check(value) && PyArray_TYPE(a) == NPY_DOUBLE && PyArray_ISCARRAY_RO(a) &&
        PyArray_SIZE(a) == count)
        return keep(f, PyArray_NewCopy(a, NPY_CORDER));
    pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s has the wrong shape; expected %ld numbers", name, (long)count);
    return keep(f, NULL);
}

double *pn_py_room(frame *f, npy_intp rows, npy_intp columns)
{
    npy_intp dims[2] = {rows, columns};
    return f->failed ? NULL : keep(f, PyArray_SimpleNew(columns < 0 ? 1 : 2, dims, NPY_DOUBLE));
}

pinion_work *pn_py_work(frame *f)
{
    if (f->failed) return NULL;
    if (!f->work && !(f->work = pinion_work_new(f->model))) {
        PyErr_NoMemory();
        f->failed = 1;
    }
    return f->work;
}

void pn_py_refuse(frame *f, const char *function)
{
    if (f->failed || !f->status) return;
    const char *said = f->work ? pinion_work_message(f->work) : "";
    pn_py_fail(f->status, 0, 0, "%s: %s", function, *said ? said : pinion_status_text(f->status));
    f->failed = 1;
}

void pn_py_refuse_with(frame *f)
{
    if (f->failed) return;
    pn_py_fail_with(&f->err);
    f->failed = 1;
}

PyObject *pn_py_leave(frame *f, const char *format, ...)
{
    PyObject *answer = NULL;
    if (!f->failed && format) {
        /* the arrays come first; what follows them is Py_BuildValue's */
        char rest[32] = "()";
        size_t arrays = strspn(format + 1, "A");
        memcpy(rest + 1, format + 1 + arrays, strlen(format + 1 + arrays) + 1);
        va_list list;
        va_start(list, format);
        PyObject *more = Py_VaBuildValue(rest, list), *first = PyTuple_New((Py_ssize_t)arrays);
        va_end(list);
        for (size_t i = 0; first && i < arrays; i++)
            PyTuple_SetItem(first, (Py_ssize_t)i, Py_NewRef(f->array[f->first + (int)i]));
        answer = first && more ? PySequence_Concat(first, more) : NULL;
        Py_XDECREF(first);
        Py_XDECREF(more);
    }
    pn_py_job_end(&f->base);
    return answer;
}

PyObject *pn_py_integers(const int *x, npy_intp count)
{
    PyObject *a = PyArray_SimpleNew(1, &count, NPY_INT);
    if (a && count) memcpy(PyArray_DATA((PyArrayObject *)a), x, (size_t)count * sizeof *x);
    return a;
}
