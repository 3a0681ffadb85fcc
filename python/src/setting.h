/* What simulations stand on: trajectories, controllers, force elements, events, functions of Python. */
#ifndef PN_PYTHON_SETTING_H
#define PN_PYTHON_SETTING_H

#include "job.h"

#include "pinion/sim/sim.h"

/* The numbers of an array that must have so many; NULL for None, with an exception, or where `good` is 0 before. */
const double *pn_py_numbers_of(PyObject *value, npy_intp count, const char *name, int *good);
/* A new array with a copy, or with no numbers yet; columns 0: one axis. */
PyObject *pn_py_copy_of(const double *x, npy_intp rows, npy_intp columns);

typedef struct trajectory_object {
    PyObject ob_base;
    pinion_trajectory *trajectory;
    model_object *model;
    /* it belongs to one thread at a time: a simulation that runs without the lock may have it. The thread that has it
     * may ask it again, from a function of Python that a simulation calls */
    atomic_ulong owner; /* 0: none */
    int depth;
} trajectory_object;

extern PyTypeObject *pn_py_trajectory_type;
/* Takes it for this thread; 0 with an exception. */
int pn_py_trajectory_take(trajectory_object *t);
void pn_py_trajectory_put(trajectory_object *t);
/* The one who has it is no longer this thread, but a job that was left behind. NULL is allowed. */
void pn_py_trajectory_leave(trajectory_object *t);

/* A function of Python, and how many numbers it gives. */
typedef struct callback {
    PyObject *function;
    const char *what;
    npy_intp nq, nv, size;
} callback;

enum { MAX_CALLBACKS = 64 };

/* All that a run stands on. */
typedef struct setting {
    pinion_run_def def;
    pinion_controller *controller;
    trajectory_object *target; /* taken while the run moves */
    callback callback[MAX_CALLBACKS];
    int callbacks;
    pinion_forces *forces;
    pinion_sensors *sensors;
    pinion_tasks *tasks;
    int *frames;
    pinion_scene_options contact; /* where def.sim.contact says so */
} setting;

/* Where it starts, and the events to look for. */
typedef struct beginning {
    model_object *m;
    double *q, *v; /* of Python's arrays */
    PyObject *events;
} beginning;

/* Reads the arguments of simulate(): model, q, v (changed where loops are closed), q_given, v_given (bytes),
 * options, control, actuators, events, forces, a file of sensors or None, frames. 0 with an exception; the
 * setting is to be released in any case. */
int pn_py_set_up(PyObject *args, setting *s, beginning *b);
/* Nonzero where a step takes so long that it is a job of its own: there are many constraints, or bodies. */
int pn_py_long_steps(const model_object *m, const setting *s);
int pn_py_add_events(const beginning *b, setting *s, pinion_sim *sim);
void pn_py_release(setting *s);
/* How many steps to take next, so that it takes some 20 ms: how the way is cut changes no number. */
long pn_py_next_steps(long steps, double took);
double pn_py_seconds(void);

#endif
