/* What the files behind pn_py_call() share. */
#ifndef PN_PYTHON_CALL_H
#define PN_PYTHON_CALL_H

#include "binding.h"

#include <string.h>

enum { BATCH_AXES = 16, AXES = BATCH_AXES + 3 };
enum { LARGE_NV = 64 }; /* from here on one state is worth letting other threads run */

/* The arguments as they came, by the places of the parameters. */
typedef PyObject *bound[PN_MAX_PARAMETERS];

/* What the options say. */
typedef struct options {
    PyObject *out;
    int nan; /* nonzero: states that are wrong are NaN, and no error */
} options;

static inline npy_intp size_of(const model_object *m, const shape *s)
{
    npy_intp n = 1;
    for (int k = 0; k < s->nd; k++) n *= dim_of(m, s->dim[k]);
    return n;
}

/* Two doubles or four floats at once, as every x86-64 and AArch64 has them, at any address of a number. */
typedef double two_doubles __attribute__((vector_size(16), aligned(8), may_alias));
typedef float four_floats __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint64_t two_words __attribute__((vector_size(16)));

/* Nonzero when all are finite: x - x has no bit set then, and is NaN else. */
static inline int all_finite(const void *data, int type, npy_intp count)
{
    two_words bad = {0, 0};
    if (type == NPY_DOUBLE) {
        const double *x = data, *end = x + count;
        for (; end - x >= 2; x += 2) {
            const two_doubles two = *(const two_doubles *)x, nothing = two - two;
            bad |= (two_words)nothing;
        }
        if (x < end && !(*x - *x == 0)) return 0;
        return !(bad[0] | bad[1]);
    }
    const float *x = data, *end = x + count;
    for (; end - x >= 4; x += 4) {
        const four_floats four = *(const four_floats *)x, nothing = four - four;
        bad |= (two_words)nothing;
    }
    for (; x < end; x++)
        if (!(*x - *x == 0)) return 0;
    return !(bad[0] | bad[1]);
}

/* Another workspace; NULL with an exception. */
void *pn_py_new_work(model_object *m, int single);

static inline void *take_work(model_object *m, int single)
{
    void *w = slot_take(single ? m->work_f32 : m->work);
    if (w) return w;
    return pn_py_new_work(m, single);
}

static inline void put_work(model_object *m, void *w, int single)
{
    void *old = slot_put(single ? m->work_f32 : m->work, w);
    if (!old) return;
    if (single)
        pinion_work_f32_free(old);
    else
        pinion_work_free(old);
}

/* Says which number of an array is not finite and returns 1, if one is. */
int pn_py_complain_of(const call *c, const char *name, PyArrayObject *a);
/* Says that a result is not finite though all that went in is. `place` is a state's, or empty; the arrays
 * are those of the call, NULL where none is given, with their strides in that state. */
void pn_py_complain_of_result(const model_object *m, const call *c, const char *result, const char *place,
                              const void *const *in, const npy_intp *item, int type);
void pn_py_fill_nan(void *data, int type, npy_intp count);
/* Nonzero where the numbers of a state are to blame, and not the call. */
int pn_py_of_a_state(pinion_status status);
/* What a batch says of a state without the number of the state, which has a place along several axes here. */
const char *pn_py_without_state(const char *message);
/* What a workspace has to say of a call; nothing when the call had none. */
const char *pn_py_said(const call *c, const void *w, int single);
/* Each sets an exception and returns NULL. lead: the leading axes that are expected; NULL: any. */
void *pn_py_fail_call(const call *c, pinion_status status, const char *message);
void *pn_py_fail_shape(const model_object *m, const call *c, const char *name, const shape *s,
                       PyArrayObject *a, const npy_intp *lead, int leads);
/* The results as Python has them; takes over the arrays. New arrays without axes become numbers. */
PyObject *pn_py_give(const call *c, PyObject **out, const options *o);

/* How long a state of a call takes, as far as one can tell, ns. */
static inline double expected_ns(const model_object *m, const call *c)
{
    double rows = (double)m->dim[-PN_ROWS], ns = 100.0 * (double)m->dim[-PN_BODIES] + rows * rows * rows;
    for (int i = 0; i < c->outputs; i++) ns += 20.0 * (double)size_of(m, &c->output[i].shape);
    return ns;
}

/* From here on a call is a job of its own (job.h): nobody would wait longer for Ctrl-C. */
#define LONG_NS 4e7

/* One state or, with a batch, `count` of them, on a thread of its own; what is in `keep` (so many) stays while it
 * lasts. 0 with an exception: it goes on without the caller, and the batch is no longer the caller's. */
int pn_py_long_call(model_object *m, const call *c, int single, pinion_batch *b, batch_fn run, size_t count,
                    const arguments *x, PyObject *const *keep, int keeps, pinion_status *status, char message[400]);

/* Any arrays, and things that are none. */
PyObject *pn_py_many_states(model_object *m, const call *c, bound value, const options *o, arguments *x);

#endif
