/* The frame that functions of the module stand in: a model, arrays that are theirs, and a workspace. */
#ifndef PN_PYTHON_FRAME_H
#define PN_PYTHON_FRAME_H

#include "job.h"

/* At the start of what a function needs; all of it is a job. */
typedef struct frame {
    job base;
    model_object *m;
    const pinion_model *model;
    npy_intp nq, nv;
    pinion_work *work;
    PyObject *array[16]; /* in the order in which they were asked for */
    int arrays, first;   /* how many, and the first of those that are given back */
    int failed;          /* nonzero: an exception is set, and what is asked for is NULL */
    pinion_status status; /* of what was done */
    pinion_error err;
    void (*release)(struct frame *f); /* what the function itself holds; NULL: nothing */
} frame;

/* Enters it with a model that PyArg_ParseTuple has checked, of a function's arguments; NULL with an exception. */
void *pn_py_enter(PyObject *args, PyObject *model, size_t size, void (*work)(job *));
/* Does the work unless something failed before. 0 with an exception: the frame is left, and no longer the caller's. */
int pn_py_do(frame *f, int brief);
/* Nonzero where what takes the third power of the model's size takes no time to speak of. */
int pn_py_small(const frame *f);
/* The numbers of a copy of an array that must have so many; NULL also for None. */
double *pn_py_copied(frame *f, PyObject *value, npy_intp count, const char *name);
/* Room for results: rows, or rows x columns where columns is not negative. */
double *pn_py_room(frame *f, npy_intp rows, npy_intp columns);
pinion_work *pn_py_work(frame *f);
/* Sets the exception of work that failed, with what its workspace says, if it did. */
void pn_py_refuse(frame *f, const char *function);
void pn_py_refuse_with(frame *f); /* with what is in err */
/* Leaves it: frees what it took. Gives NULL where it failed, else a tuple by Py_BuildValue's format, in which
 * each 'A' is the array at that place: "(AAid)" has the first two arrays, then the arguments that follow. */
PyObject *pn_py_leave(frame *f, const char *format, ...);
/* A new array of integers. */
PyObject *pn_py_integers(const int *x, npy_intp count);

#endif
