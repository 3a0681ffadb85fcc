/* One method of a model: its arguments, checked and bound, and one state.
 *
 * A state whose arrays are plain (aligned, contiguous, of one precision) goes to the C call at once. All else
 * goes to many.c. */
#include "call.h"
#include "job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Binding */

static int place_of(const call *c, PyObject *key)
{
    for (int i = 0; i < c->parameters; i++) {
        if (c->parameter[i].key == key) return i;
    }
    for (int i = 0; i < c->parameters; i++) {
        if (PyUnicode_CompareWithASCIIString(key, c->parameter[i].name) == 0) return i;
    }
    return -1;
}

static int bind_names(const call *c, PyObject *const *args, PyObject *names, bound value, unsigned *given)
{
    Py_ssize_t n = PyTuple_Size(names);
    for (Py_ssize_t k = 0; k < n; k++) {
        PyObject *key = PyTuple_GetItem(names, k);
        int i = place_of(c, key);
        if (i < 0 || *given >> i & 1) {
            PyErr_Format(PyExc_TypeError,
                         i < 0 ? "%s() has no argument '%U'" : "%s() got the argument '%U' twice", c->name,
                         key);
            return 0;
        }
        value[i] = args[k];
        *given |= 1u << i;
    }
    return 1;
}

/* What is given, as a set of bits; values of what is not are not set. 0 with an exception. */
static unsigned bind(const call *c, PyObject *const *args, Py_ssize_t count, PyObject *names, bound value)
{
    if (count > c->parameters) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %d arguments, got %zd", c->name, c->parameters,
                     count);
        return 0;
    }
    unsigned given = (1u << count) - 1;
    for (Py_ssize_t i = 0; i < count; i++) value[i] = args[i];
    if (names && !bind_names(c, args + count, names, value, &given)) return 0;
    if ((given & c->must) == c->must) return given;
    int i = 0;
    while (!(c->must >> i & 1) || given >> i & 1) i++;
    PyErr_Format(PyExc_TypeError, "%s() needs the argument '%s'%s", c->name, c->parameter[i].name,
                 c->parameter[i].required == 2 ? " (None: zero)" : "");
    return 0;
}

/* ---------------------------------------------------------------------------------------------
 * Options */

/* Says that an option is not what was expected, and returns -1. */
static int unexpected(const call *c, const char *name, PyObject *value, const char *expected)
{
    PyErr_Clear();
    PyObject *text = PyObject_Repr(value);
    const char *given = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    if (given)
        pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: %s is %.60s; expected %s", c->name, name, given, expected);
    Py_XDECREF(text);
    return -1;
}

/* The number of a word among others; -1 with an exception. */
static int choose(const call *c, const char *name, PyObject *value, const char *const *words, int count)
{
    if (PyUnicode_Check(value)) {
        for (int i = 0; i < count; i++) {
            if (PyUnicode_CompareWithASCIIString(value, words[i]) == 0) return i;
        }
    }
    char expected[128] = "";
    for (int i = 0; i < count; i++) {
        size_t at = strlen(expected);
        snprintf(expected + at, sizeof expected - at, "%s\"%s\"",
                 !i               ? ""
                 : i + 1 == count ? " or "
                                  : ", ",
                 words[i]);
    }
    return unexpected(c, name, value, expected);
}

static int frame_of(const model_object *m, const call *c, PyObject *value)
{
    if (PyUnicode_Check(value)) {
        Py_ssize_t length = 0;
        const char *name = PyUnicode_AsUTF8AndSize(value, &length);
        /* no name has a zero byte, nor what is no text */
        int frame = name && strlen(name) == (size_t)length ? pinion_model_find_frame(m->model, name) : -1;
        if (frame >= 0) return frame;
        PyErr_Clear();
        PyObject *text = PyObject_Repr(value);
        const char *shown = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
        if (shown) pn_py_fail(PINION_ERR_NOT_FOUND, 0, 0, "%s: the model has no frame %.80s", c->name, shown);
        Py_XDECREF(text);
        return -1;
    }
    if (!PyIndex_Check(value) || PyBool_Check(value)) return unexpected(c, "frame", value, "a name or a number");
    if (PyTuple_Check(value) && PyTuple_Size(value) > 1 && PyUnicode_Check(PyTuple_GetItem(value, 1))) {
        /* an element: its own number, were it not another model's */
        const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(value, 1), NULL);
        if (!name) return -1;
        if (pinion_model_find_frame(m->model, name) != PyNumber_AsSsize_t(value, NULL)) {
            pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: the frame '%.80s' is of another model", c->name, name);
            return -1;
        }
    }
    Py_ssize_t frame = PyNumber_AsSsize_t(value, NULL), count = m->dim[-PN_FRAMES]; /* cut off where it is huge */
    if (frame == -1 && PyErr_Occurred()) return -1;
    if (frame >= 0 && frame < count) return (int)frame;
    char expected[60];
    snprintf(expected, sizeof expected, "0 to %ld", (long)count - 1);
    return unexpected(c, "frame", value, expected);
}

static int algorithm_of(const model_object *m, const call *c, PyObject *value)
{
    const char *name = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
    if (!name) {
        if (!PyErr_Occurred()) pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: algorithm is not a name", c->name);
        return -1;
    }
    int algorithm = pinion_algorithm_find(name);
    pinion_error err;
    if (algorithm < 0) {
        pn_py_fail(PINION_ERR_NOT_FOUND, 0, 0, "%s: there is no algorithm '%.80s'", c->name, name);
    } else if (pinion_algorithm_applies(algorithm, m->model, &err)) {
        pn_py_fail_with(&err);
        algorithm = -1;
    }
    return algorithm;
}

/* Reads what is no array. */
static int read_options(const model_object *m, const call *c, bound value, unsigned given, arguments *x,
                        options *o)
{
    static const char *const references[] = {"world_aligned", "local", "world"};
    static const char *const kinds[] = {"classical", "spatial"};
    static const char *const methods[] = {"semi_implicit", "rk4"};
    static const char *const errors[] = {"raise", "nan"};
    for (int i = 0; i < c->parameters; i++) {
        const parameter *p = &c->parameter[i];
        PyObject *it = value[i];
        if (!(c->option >> i & given >> i & 1) || (it == Py_None && !p->required)) continue;
        int read = 0;
        switch (p->kind) {
        case PARAMETER_FRAME: read = x->frame = frame_of(m, c, it); break;
        case PARAMETER_REFERENCE: read = x->reference = choose(c, p->name, it, references, 3); break;
        case PARAMETER_KIND: read = x->kind = choose(c, p->name, it, kinds, 2); break;
        case PARAMETER_METHOD: read = x->method = choose(c, p->name, it, methods, 2); break;
        case PARAMETER_ERRORS: read = o->nan = choose(c, p->name, it, errors, 2); break;
        case PARAMETER_PASSIVE: read = x->passive = PyObject_IsTrue(it); break;
        case PARAMETER_ALGORITHM: read = x->algorithm = algorithm_of(m, c, it); break;
        case PARAMETER_REAL:
            x->real = PyFloat_AsDouble(it);
            if ((x->real == -1 && PyErr_Occurred()) || !isfinite(x->real))
                read = unexpected(c, p->name, it, "a finite number");
            break;
        default: break;
        }
        if (read < 0) return 0;
    }
    return 1;
}

static void drop(PyObject **out, int count)
{
    for (int i = 0; i < count; i++) Py_CLEAR(out[i]);
}

/* ---------------------------------------------------------------------------------------------
 * One state */

static inline int is_plain(const model_object *m, PyObject *value, const shape *s, int type)
{
    if (!PyArray_CheckExact(value)) return 0;
    PyArrayObject *a = (PyArrayObject *)value;
    const int flags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;
    if (PyArray_TYPE(a) != type || PyArray_NDIM(a) != s->nd || (PyArray_FLAGS(a) & flags) != flags) return 0;
    for (int k = 0; k < s->nd; k++) {
        if (PyArray_DIM(a, k) != dim_of(m, s->dim[k])) return 0;
    }
    return PyArray_ISNOTSWAPPED(a);
}

static inline int apart(const void *a, npy_intp a_bytes, const void *b, npy_intp b_bytes)
{
    return (const char *)a + a_bytes <= (const char *)b || (const char *)b + b_bytes <= (const char *)a;
}

/* Takes arrays and results where all are plain; 0 when many.c must look at them. */
static inline int plain_state(const model_object *m, const call *c, bound value, const options *o,
                              arguments *x, int *type_out, npy_intp *sizes)
{
    int type = NPY_DOUBLE;
    PyObject *first = value[c->array_at[0]];
    if (first && PyArray_Check(first) && PyArray_TYPE((PyArrayObject *)first) == NPY_FLOAT) type = NPY_FLOAT;
    *type_out = type;
    for (int n = 0; n < c->arrays; n++) {
        const parameter *p = &c->parameter[c->array_at[n]];
        PyObject *it = value[c->array_at[n]];
        sizes[n] = 0;
        x->in[n] = NULL;
        if (!it) continue;
        if (!is_plain(m, it, &p->shape, type)) return 0;
        x->in[n] = PyArray_DATA((PyArrayObject *)it);
        sizes[n] = size_of(m, &p->shape);
    }
    if (!o->out) return 1;
    if (c->outputs > 1) return 0;
    PyArrayObject *out = (PyArrayObject *)o->out;
    if (!is_plain(m, o->out, &c->output[0].shape, type) || !PyArray_ISWRITEABLE(out)) return 0;
    npy_intp item = type == NPY_DOUBLE ? 8 : 4, bytes = size_of(m, &c->output[0].shape) * item;
    for (int i = 0; i < c->arrays; i++) {
        if (!apart(x->in[i], sizes[i] * item, PyArray_DATA(out), bytes)) return 0;
    }
    return 1;
}

typedef struct long_call {
    job base;
    const model_object *m;
    const call *c;
    int single;
    pinion_batch *batch;
    batch_fn run;
    size_t count;
    arguments x;
    pinion_status status;
    char message[400];
} long_call;

static void work_long(job *j)
{
    long_call *l = (long_call *)j;
    const pinion_compiled *code = l->m->code;
    if (l->batch) {
        l->status = l->run(l->batch, l->count, &l->x);
        return;
    }
    /* the model's own workspace is for the calls that come after this one */
    pinion_work *w = l->single ? NULL : pinion_work_new(l->m->model);
    pinion_work_f32 *w_f32 = l->single ? pinion_work_f32_new(l->m->model) : NULL;
    void *any = l->single ? (void *)w_f32 : (void *)w;
    l->status = any ? PINION_OK : PINION_ERR_MEMORY;
    if (any && code) l->status = l->single ? pinion_work_f32_use(w_f32, code) : pinion_work_use(w, code);
    if (!l->status) l->status = l->c->one[l->single](l->m->model, any, &l->x);
    if (any) snprintf(l->message, sizeof l->message, "%s", pn_py_said(l->c, any, l->single));
    pinion_work_free(w);
    pinion_work_f32_free(w_f32);
}

static void release_long(job *j)
{
    pinion_batch_free(((long_call *)j)->batch);
}

int pn_py_long_call(model_object *m, const call *c, int single, pinion_batch *b, batch_fn run, size_t count,
                    const arguments *x, PyObject *const *keep, int keeps, pinion_status *status, char message[400])
{
    long_call *l = pn_py_job(sizeof *l, work_long, release_long);
    if (!l) {
        pinion_batch_free(b);
        return 0;
    }
    l->m = m;
    l->c = c;
    l->single = single;
    l->batch = b;
    l->run = run;
    l->count = count;
    l->x = *x;
    pn_py_job_keep(&l->base, (PyObject *)m);
    for (int i = 0; i < keeps; i++) pn_py_job_keep(&l->base, keep[i]);
    if (!pn_py_job_run(&l->base, 0)) return 0;
    *status = l->status;
    memcpy(message, l->message, sizeof l->message);
    l->batch = NULL;
    pn_py_job_end(&l->base);
    return 1;
}

/* One state that takes long. */
static int one_long(model_object *m, const call *c, bound value, PyObject *const *out, const arguments *x, int single,
                    pinion_status *status, char message[400])
{
    PyObject *keep[PN_MAX_IN + PN_MAX_OUT];
    int keeps = 0;
    for (int n = 0; n < c->arrays; n++) keep[keeps++] = value[c->array_at[n]];
    for (int i = 0; i < c->outputs; i++) keep[keeps++] = out[i];
    return pn_py_long_call(m, c, single, NULL, NULL, 1, x, keep, keeps, status, message);
}

static PyObject *one_state(model_object *m, const call *c, bound value, const options *o, arguments *x,
                           int type, const npy_intp *sizes)
{
    PyObject *out[PN_MAX_OUT] = {NULL};
    int single = type == NPY_FLOAT;
    for (int i = 0; i < c->outputs; i++) {
        if (o->out) {
            out[i] = Py_NewRef(o->out);
        } else {
            npy_intp dims[3];
            const shape *s = &c->output[i].shape;
            for (int k = 0; k < s->nd; k++) dims[k] = dim_of(m, s->dim[k]);
            Py_INCREF((PyObject *)pn_py_dtype[single]);
            out[i] =
                PyArray_NewFromDescr(&PyArray_Type, pn_py_dtype[single], s->nd, dims, NULL, NULL, 0, NULL);
            if (!out[i]) {
                drop(out, i);
                return NULL;
            }
        }
        x->out[i] = PyArray_DATA((PyArrayObject *)out[i]);
    }
    if (!o->nan) {
        for (int n = 0; n < c->arrays; n++) {
            if (all_finite(x->in[n], type, sizes[n])) continue;
            pn_py_complain_of(c, c->parameter[c->array_at[n]].name, (PyArrayObject *)value[c->array_at[n]]);
            drop(out, c->outputs);
            return NULL;
        }
    }
    int large = m->dim[-PN_NV] >= LARGE_NV, lengthy = large && expected_ns(m, c) > LONG_NS;
    void *w = take_work(m, single);
    char message[400];
    pinion_status status;
    if (!w || (lengthy && !one_long(m, c, value, out, x, single, &status, message))) {
        drop(out, c->outputs);
        return NULL;
    }
    if (!large) {
        status = c->one[single](m->model, w, x);
    } else if (!lengthy) {
        Py_BEGIN_ALLOW_THREADS status = c->one[single](m->model, w, x);
        Py_END_ALLOW_THREADS
    }
    if (status && !(o->nan && pn_py_of_a_state(status))) {
        pn_py_fail_call(c, status, lengthy ? message : pn_py_said(c, w, single));
        drop(out, c->outputs);
    }
    put_work(m, w, single);
    if (status && out[0]) {
        for (int i = 0; i < c->outputs; i++)
            pn_py_fill_nan(x->out[i], type, PyArray_SIZE((PyArrayObject *)out[i]));
    }
    for (int i = 0; i < c->outputs && out[i] && !o->nan; i++) {
        if (all_finite(x->out[i], type, size_of(m, &c->output[i].shape))) continue;
        static const npy_intp rows[PN_MAX_IN] = {1, 1, 1, 1, 1, 1, 1, 1};
        pn_py_complain_of_result(m, c, c->output[i].name, "", x->in, rows, type);
        drop(out, c->outputs);
        return NULL;
    }
    if (!out[0] || (c->outputs == 1 && c->output[0].shape.nd)) return out[0];
    return pn_py_give(c, out, o);
}

/* Any arguments. */
static __attribute__((noinline)) PyObject *take_long_way(model_object *m, const call *c, PyObject *const *args,
                                                         Py_ssize_t count, PyObject *names)
{
    bound value;
    arguments x;
    options o = {NULL, 0};
    int type;
    npy_intp sizes[PN_MAX_IN];
    unsigned given = bind(c, args, count, names, value);
    if (!given && PyErr_Occurred()) return NULL;
    for (int n = 0; n < c->arrays; n++) {
        int i = c->array_at[n];
        if (!(given >> i & 1) || (value[i] == Py_None && c->parameter[i].required != 1)) value[i] = NULL;
    }
    if (given >> c->out_at & 1 && value[c->out_at] != Py_None) o.out = value[c->out_at];
    x.algorithm = -1;
    if (c->option) {
        x.frame = x.reference = x.kind = x.passive = x.method = 0;
        x.real = c->real;
        if (given & c->option && !read_options(m, c, value, given, &x, &o)) return NULL;
    }
    if (x.algorithm < 0 && plain_state(m, c, value, &o, &x, &type, sizes) && c->one[type == NPY_FLOAT])
        return one_state(m, c, value, &o, &x, type, sizes);
    return pn_py_many_states(m, c, value, &o, &x);
}

/* ---------------------------------------------------------------------------------------------
 * The usual call: plain arrays by their places, at most out= besides, one result. It takes the short way; whatever is
 * not as usual, failures too, takes the long way from the start, which knows what to say. */

static inline int is_usual(const model_object *m, PyObject *value, const shape *s, const PyArray_Descr *dtype,
                           npy_intp *size)
{
    PyArrayObject *a = (PyArrayObject *)value;
    const int flags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;
    if (!PyArray_CheckExact(value) || PyArray_DESCR(a) != dtype || PyArray_NDIM(a) != s->nd ||
        (PyArray_FLAGS(a) & flags) != flags)
        return 0;
    *size = 1;
    for (int k = 0; k < s->nd; k++) {
        const npy_intp n = dim_of(m, s->dim[k]);
        if (PyArray_DIM(a, k) != n) return 0;
        *size *= n;
    }
    return 1;
}

/* A new array for the result: one of the last two, if nobody else has it any more, or really a new one. Only what the
 * interpreter's lock guards may be shared so. */
static inline PyObject *result_array(const model_object *m, call *c, PyArray_Descr *dtype, npy_intp *size)
{
    const shape *s = &c->output[0].shape;
#ifndef Py_GIL_DISABLED
    enum { WHOLE = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE | NPY_ARRAY_OWNDATA };
    PyObject *old = c->spare[1];
    c->spare[1] = c->spare[0];
    c->spare[0] = old;
    if (old && Py_REFCNT(old) == 1 && is_usual(m, old, s, dtype, size) &&
        (PyArray_FLAGS((PyArrayObject *)old) & WHOLE) == WHOLE && !((PyArrayObject_fields *)old)->weakreflist)
        return Py_NewRef(old);
#endif
    npy_intp dims[3];
    *size = 1;
    for (int k = 0; k < s->nd; k++) *size *= dims[k] = dim_of(m, s->dim[k]);
    Py_INCREF((PyObject *)dtype);
    PyObject *made = PyArray_NewFromDescr(&PyArray_Type, dtype, s->nd, dims, NULL, NULL, 0, NULL);
#ifndef Py_GIL_DISABLED
    enum { SMALL = 512 };
    if (made && *size <= SMALL) {
        c->spare[0] = Py_NewRef(made);
        Py_XDECREF(old);
    }
#endif
    return made;
}

/* A result with all numbers set; NULL, perhaps with an exception: the long way. */
static inline PyObject *usual_call(model_object *m, call *c, PyObject *const *args, Py_ssize_t count, PyObject *out,
                                   const int single)
{
    const int type = single ? NPY_FLOAT : NPY_DOUBLE;
    const npy_intp item = single ? 4 : 8;
    PyArray_Descr *dtype = pn_py_dtype[single];
    if (!c->one[single]) return NULL;
    arguments x;
    x.real = c->real;
    x.frame = x.reference = x.kind = x.passive = x.method = 0;
    x.algorithm = -1;
    npy_intp bytes[PN_MAX_IN], size;
    for (int n = 0; n < c->arrays; n++) {
        x.in[n] = NULL;
        if (n >= count || (args[n] == Py_None && c->parameter[n].required != 1)) continue;
        if (!is_usual(m, args[n], &c->parameter[n].shape, dtype, &size)) return NULL;
        x.in[n] = PyArray_DATA((PyArrayObject *)args[n]);
        if (!all_finite(x.in[n], type, size)) return NULL;
        bytes[n] = size * item;
    }
    if (out) {
        if (!is_usual(m, out, &c->output[0].shape, dtype, &size) || !PyArray_ISWRITEABLE((PyArrayObject *)out))
            return NULL;
        for (int n = 0; n < count; n++)
            if (x.in[n] && !apart(x.in[n], bytes[n], PyArray_DATA((PyArrayObject *)out), size * item)) return NULL;
        Py_INCREF(out);
    } else if (!(out = result_array(m, c, dtype, &size))) {
        return NULL;
    }
    x.out[0] = PyArray_DATA((PyArrayObject *)out);
    void *w = take_work(m, single);
    const pinion_status status = w ? c->one[single](m->model, w, &x) : PINION_ERR_MEMORY;
    if (w) put_work(m, w, single);
    if (!status && all_finite(x.out[0], type, size)) return out;
    Py_DECREF(out);
    return NULL;
}

/* NULL without an exception where the call is not of that kind. */
static inline PyObject *take_short_way(model_object *m, call *c, PyObject *const *args, Py_ssize_t count,
                                       PyObject *names)
{
    if (count > c->usual || c->must >> count || !count || m->dim[-PN_NV] >= LARGE_NV) return NULL;
    PyObject *out = NULL;
    if (names) {
        if (PyTuple_Size(names) != 1 || PyTuple_GetItem(names, 0) != c->parameter[c->out_at].key) return NULL;
        out = args[count] == Py_None ? NULL : args[count];
    }
    if (!PyArray_CheckExact(args[0])) return NULL;
    const PyArray_Descr *dtype = PyArray_DESCR((PyArrayObject *)args[0]);
    return dtype == pn_py_dtype[0]   ? usual_call(m, c, args, count, out, 0)
           : dtype == pn_py_dtype[1] ? usual_call(m, c, args, count, out, 1)
                                     : NULL;
}

PyObject *pn_py_call(model_object *m, call *c, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *made = take_short_way(m, c, args, count, names);
    return made || PyErr_Occurred() ? made : take_long_way(m, c, args, count, names);
}
