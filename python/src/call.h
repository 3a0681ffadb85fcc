/* What the files behind pn_py_call() share. */
#ifndef PN_PYTHON_CALL_H
#define PN_PYTHON_CALL_H

#include "binding.h"

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

/* Nonzero when all are finite. */
static inline int all_finite(const void *data, int type, npy_intp count)
{
    unsigned bad = 0;
    if (type == NPY_DOUBLE) {
        const uint64_t *x = data, infinite = UINT64_C(0x7ff0000000000000);
        for (npy_intp i = 0; i < count; i++) bad |= (x[i] & infinite) == infinite;
    } else {
        const uint32_t *x = data, infinite = UINT32_C(0x7f800000);
        for (npy_intp i = 0; i < count; i++) bad |= (x[i] & infinite) == infinite;
    }
    return !bad;
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
void pn_py_fill_nan(void *data, int type, npy_intp count);
/* Nonzero where the numbers of a state are to blame, and not the call. */
int pn_py_of_a_state(pinion_status status);
/* What a workspace has to say of a call; nothing when the call had none. */
const char *pn_py_said(const call *c, const void *w, int single);
/* Each sets an exception and returns NULL. lead: the leading axes that are expected; NULL: any. */
void *pn_py_fail_call(const call *c, pinion_status status, const char *message);
void *pn_py_fail_shape(const model_object *m, const call *c, const char *name, const shape *s,
                       PyArrayObject *a, const npy_intp *lead, int leads);
/* The results as Python has them; takes over the arrays. New arrays without axes become numbers. */
PyObject *pn_py_give(const call *c, PyObject **out, const options *o);

/* Any arrays, and things that are none. */
PyObject *pn_py_many_states(model_object *m, const call *c, bound value, const options *o, arguments *x);

#endif
