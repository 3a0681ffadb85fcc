/* The frame that functions of the module stand in: a model, arrays that are theirs, and a workspace. */
#ifndef PN_PYTHON_FRAME_H
#define PN_PYTHON_FRAME_H

#include "binding.h"

typedef struct frame {
    model_object *m;
    const pinion_model *model;
    npy_intp nq, nv;
    pinion_work *work;
    PyObject *array[12]; /* in the order in which they were asked for */
    int arrays;
    int failed; /* nonzero: an exception is set, and what is asked for is NULL */
} frame;

/* Enters it with a model that PyArg_ParseTuple has checked. */
frame pn_py_enter(PyObject *model);
/* The numbers of a copy of an array that must have so many; NULL also for None. */
double *pn_py_copied(frame *f, PyObject *value, npy_intp count, const char *name);
/* Room for results: rows, or rows x columns where columns is not negative. */
double *pn_py_room(frame *f, npy_intp rows, npy_intp columns);
pinion_work *pn_py_work(frame *f);
/* Sets the exception of a call that failed, with what its workspace says. */
void pn_py_refuse(frame *f, const char *function, pinion_status status);
void pn_py_refuse_with(frame *f, const pinion_error *err);
/* Leaves it: frees what it took. Gives NULL where it failed, else a tuple by Py_BuildValue's format, in which
 * each 'A' is the array at that place: "(AAid)" has the first two arrays, then the arguments that follow. */
PyObject *pn_py_leave(frame *f, const char *format, ...);
/* A new array of integers. */
PyObject *pn_py_integers(const int *x, npy_intp count);

#endif
