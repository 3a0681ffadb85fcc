/* What the files of the extension share: models as Python objects, arrays, and calls described as data. */
#ifndef PN_PYTHON_BINDING_H
#define PN_PYTHON_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL pn_py_numpy
#ifndef PN_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include <stdatomic.h>

#include "pinion/pinion.h"

/* ---- shapes ---- */

/* a dimension that the model decides; others are numbers */
enum {
    PN_NQ = -1,
    PN_NV = -2,
    PN_BODIES = -3,
    PN_FRAMES = -4,
    PN_PARAMETERS = -5,       /* of the bodies: 10 each */
    PN_JOINT_PARAMETERS = -6, /* of the joints: 4 a degree of freedom, followers' too */
    PN_STATES = -7,           /* q's and v's: 2 nv */
    PN_ROWS = -8,             /* constraints of loops */
    PN_LOOP_NQ = -9,          /* coordinates of the joints that close them */
    PN_LOOP_NV = -10,
    PN_LOOPS = -11,
    PN_NU = -12, /* actuators */
    PN_DIMS = 13
};

typedef struct shape {
    int nd;
    int dim[3];
} shape;

/* ---- models ---- */

enum { PN_SLOTS = 32 };

/* A model with what its calls need. Each thread has a slot for its workspaces and its batch: no two use one
 * at a time, with a lock of the interpreter or without. */
typedef struct model_object {
    PyObject ob_base;
    pinion_model *model;
    pinion_compiled *code; /* what was compiled for it; NULL: nothing */
    npy_intp dim[PN_DIMS]; /* by the negative of PN_NQ, ... */
    atomic_int threads;    /* of batches; 0: as many as there are */
    _Atomic(void *) work[PN_SLOTS], work_f32[PN_SLOTS], batch[PN_SLOTS];
} model_object;

static inline npy_intp dim_of(const model_object *m, int dim)
{
    return dim >= 0 ? dim : m->dim[-dim];
}

extern PyTypeObject *pn_py_model_type;
extern PyObject *pn_py_error_type;
extern PyArray_Descr *pn_py_dtype[2]; /* float64, float32 */
extern atomic_int pn_py_forked;       /* nonzero in a process that was forked: its threads are gone */

/* Takes over the model; NULL with an exception set. */
PyObject *pn_py_model_wrap(PyTypeObject *type, pinion_model *model);
/* model_elements.c: a string, None for NULL; and methods of a model, as model_copies.c has others. */
PyObject *pn_py_text(const char *text);
extern PyMethodDef pn_py_element_methods[], pn_py_copy_methods[];
pinion_batch *pn_py_take_batch(model_object *m);
void pn_py_put_batch(model_object *m, pinion_batch *b);

/* The slot of this thread: its own, or the last one, which all share that came when no other was left. */
extern _Thread_local int pn_py_thread_slot __attribute__((tls_model("initial-exec")));
int pn_py_find_slot(void);

static inline int pn_py_slot(void)
{
    return pn_py_thread_slot >= 0 ? pn_py_thread_slot : pn_py_find_slot();
}

/* What is in the thread's slot; NULL when there is nothing. Afterwards it is this thread's alone. */
static inline void *slot_take(_Atomic(void *) *slots)
{
    int slot = pn_py_slot();
    if (slot == PN_SLOTS - 1) return atomic_exchange_explicit(&slots[slot], NULL, memory_order_acquire);
    return atomic_load_explicit(&slots[slot], memory_order_relaxed);
}

/* Puts it there again; what comes back is to be freed. */
static inline void *slot_put(_Atomic(void *) *slots, void *thing)
{
    if (pn_py_thread_slot == PN_SLOTS - 1)
        return atomic_exchange_explicit(&slots[PN_SLOTS - 1], thing, memory_order_release);
    atomic_store_explicit(&slots[pn_py_thread_slot], thing, memory_order_relaxed);
    return NULL;
}

/* ---- errors ---- */

/* Each sets an exception and returns NULL. */
void *pn_py_fail(pinion_status status, int line, int column, const char *format, ...);
void *pn_py_fail_with(const pinion_error *err);

/* ---- calls ---- */

enum { PN_MAX_PARAMETERS = 16, PN_MAX_IN = 8, PN_MAX_OUT = 6 };

typedef enum parameter_kind {
    PARAMETER_ARRAY,
    PARAMETER_FRAME,
    PARAMETER_REFERENCE,
    PARAMETER_KIND,
    PARAMETER_PASSIVE,
    PARAMETER_REAL,
    PARAMETER_METHOD,
    PARAMETER_OUT,
    PARAMETER_ERRORS,
    PARAMETER_ALGORITHM
} parameter_kind;

typedef struct parameter {
    const char *name;
    parameter_kind kind;
    int required;
    shape shape;
    int slot;      /* PINION_BATCH_Q, ..., of an array */
    PyObject *key; /* the name as an interned string, made once */
} parameter;

typedef struct output {
    const char *name;
    shape shape;
} output;

/* The arguments of a call of the C library. */
typedef struct arguments {
    const void *in[PN_MAX_IN];
    void *out[PN_MAX_OUT];
    int frame, reference, kind, passive, method, algorithm;
    double real;
} arguments;

typedef pinion_status (*one_fn)(const pinion_model *m, void *w, const arguments *x);
typedef pinion_status (*batch_fn)(pinion_batch *b, size_t count, const arguments *x);

/* A method of a model. Arrays come first among in[] in the order of the parameters. */
typedef struct call {
    const char *name;
    int parameters;
    parameter parameter[PN_MAX_PARAMETERS];
    int outputs;
    output output[PN_MAX_OUT];
    one_fn one[2];     /* double, float; NULL: a batch of one state does it */
    batch_fn batch[2]; /* NULL: state by state */
    batch_fn by[2];    /* by an algorithm of the registry */
    int has_work;      /* nonzero: one[] leaves its message in the workspace */
    double real;       /* default of the parameter that is a number */
    int rows;          /* nonzero: batch[] takes rows side by side alone */
    PyObject *result;  /* the named tuple of several outputs */
    PyObject *spare[2]; /* the last two results of the short way; NULL: none */
    /* made of the parameters when the module is imported, as sets of bits and lists of places */
    unsigned must, option;
    int arrays, array_at[PN_MAX_IN], out_at;
    int usual; /* arguments by place that the short way takes: arrays alone; -1: none */
    unsigned
        packed; /* of the arrays those that must be rows side by side: they share a stride with another */
} call;

PyObject *pn_py_call(model_object *m, call *c, PyObject *const *args, Py_ssize_t count,
                     PyObject *names);

/* An array for an argument, of a dtype that a call takes, or NULL with an exception that names it. */
PyArrayObject *pn_py_array(const char *function, const char *name, PyObject *value);
/* A copy of one as rows of doubles, all of them finite, with that shape; columns 0: one axis. NULL with an exception
 * that names it. */
PyObject *pn_py_copied_array(const char *function, const char *name, PyObject *value, npy_intp rows, npy_intp columns);
/* Where the first number is that is not finite: its place as text, and the number. 0: all are. */
int pn_py_not_finite(PyArrayObject *a, char place[160], double *x);

/* The other files: functions of the module, with their arguments as a tuple */
#define PN_SIM_FUNCTIONS(X)                                                                                  \
    X(trajectory_between)                                                                                    \
    X(trajectory_samples)                                                                                    \
    X(trajectory_line)                                                                                       \
    X(trajectory_floating)                                                                                   \
    X(trajectory_load)                                                                                       \
    X(torques_load)                                                                                          \
    X(stepping)                                                                                              \
    X(simulate)                                                                                              \
    X(load_result)                                                                                           \
    X(solve_ik)                                                                                              \
    X(linearize)                                                                                             \
    X(equilibrium)                                                                                           \
    X(mobility)                                                                                              \
    X(element_forces)                                                                                        \
    X(assemble)                                                                                              \
    X(layout)                                                                                                \
    X(convert)                                                                                               \
    X(operations)                                                                                            \
    X(span)                                                                                                  \
    X(codegen)                                                                                               \
    X(compile)                                                                                               \
    X(equations)                                                                                             \
    X(factorization)                                                                                         \
    X(constrained)                                                                                           \
    X(operators)                                                                                             \
    X(global_system)                                                                                         \
    X(global_accelerations)                                                                                  \
    X(sparse)                                                                                                \
    X(forward_dynamics_threads)                                                                              \
    X(command)                                                                                               \
    X(page)                                                                                                  \
    X(rollout)                                                                                               \
    X(contact_solvers)                                                                                       \
    X(contact_solve)                                                                                         \
    X(contact_check)                                                                                         \
    X(shape_distance)                                                                                        \
    X(shape_d_distance)                                                                                      \
    X(shape_patch)                                                                                           \
    X(shape_bounds)                                                                                          \
    X(shape_overlaps)                                                                                        \
    X(scene)                                                                                                 \
    X(support_forces)                                                                                        \
    X(zero_moment_point)                                                                                     \
    X(support_polygon)                                                                                       \
    X(tasks)                                                                                                 \
    X(tendon_lengths)                                                                                        \
    X(d_element_forces)                                                                                      \
    X(sweep_plan)
#define PN_SIM_DECLARE(name) PyObject *pn_py_##name(PyObject *module, PyObject *args);
PN_SIM_FUNCTIONS(PN_SIM_DECLARE)
#undef PN_SIM_DECLARE
int pn_py_sim_ready(PyObject *module);
int pn_py_trajectory_ready(PyObject *module);
int pn_py_model_ready(PyObject *module);
int pn_py_ffi_ready(PyObject *module);
int pn_py_scene_ready(PyObject *module);
int pn_py_tasks_ready(PyObject *module);
int pn_py_sweep_ready(PyObject *module);

/* Made of the description of the C API (generate.py). */
extern call pn_py_calls[];
extern const int pn_py_call_count;
extern PyMethodDef pn_py_call_methods[];

#endif
