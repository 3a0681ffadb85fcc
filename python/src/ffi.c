/* Calls for programs that differentiate (pinion.jax, pinion.torch): batches in rows, without the interpreter.
 *
 * XLA calls pn_py_xla() from its own threads. The layout of what it hands over is declared here, since a
 * wheel is built without XLA: the part of its C interface, major version 0, that has the same place in every
 * minor one so far. Each structure begins with its size, which is compared before anything else is read. */
#include "call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Calls that the table has for one state alone, and others */

/* One step of each state; with A and B, [2 nv][2 nv] and [2 nv][nv], its derivatives. */
#define STEP(f_suffix, name)                                                                                 \
    static pinion_status name(pinion_batch *b, size_t count, const arguments *x)                             \
    {                                                                                                        \
        pinion_rollout##f_suffix r = pinion_rollout_default##f_suffix();                                     \
        r.method = (pinion_step_method)x->method, r.dt = x->real, r.steps = 1, r.passive = x->passive;       \
        r.tau = x->in[2], r.f_ext = x->in[3];                                                                \
        if (!x->out[2])                                                                                      \
            return pinion_batch_rollout##f_suffix(b, count, &r, x->in[0], x->in[1], x->out[0], x->out[1]);   \
        return pinion_batch_d_rollout##f_suffix(b, count, &r, x->in[0], x->in[1], x->out[0], x->out[1],      \
                                                x->out[2], x->out[3]);                                       \
    }
STEP(, step_f64)
STEP(_f32, step_f32)
#undef STEP

#define BOTH(name, function, ...)                                                                            \
    static pinion_status name##_f64(pinion_batch *b, size_t count, const arguments *x)                       \
    {                                                                                                        \
        return function(b, count, __VA_ARGS__);                                                              \
    }                                                                                                        \
    static pinion_status name##_f32(pinion_batch *b, size_t count, const arguments *x)                       \
    {                                                                                                        \
        return function##_f32(b, count, __VA_ARGS__);                                                        \
    }
/* in[] has f_ext last */
BOTH(inverse_jvp, pinion_batch_inverse_dynamics_jvp, x->in[0], x->in[1], x->in[2], x->in[6], x->in[3],
     x->in[4], x->in[5], x->out[0])
BOTH(forward_jvp, pinion_batch_forward_dynamics_jvp, x->in[0], x->in[1], x->in[2], x->in[6], x->in[3],
     x->in[4], x->in[5], x->out[0])
BOTH(d_integrate, pinion_batch_d_integrate, x->in[0], x->real, x->out[0], x->out[1])
BOTH(d_difference, pinion_batch_d_difference, x->in[0], x->out[0], x->out[1])

/* What forces on the bodies are worth to joint forces, transposed: -J row of each body, in its link's frame.
 * It is the velocity of that frame when the joints move by the row. */
static pinion_status force_vjp(const pinion_model *m, pinion_batch *b, int single, size_t count,
                               const arguments *x)
{
    size_t wide = 6 * (size_t)pinion_model_body_count(m), item = single ? sizeof(float) : sizeof(double);
    memset(x->out[0], 0, count * wide * item);
    pinion_status status = pinion_batch_set_stride(b, PINION_BATCH_OUT, (ptrdiff_t)wide, 1),
                  worst = PINION_OK;
    for (int i = 1; i < pinion_model_body_count(m) && !status; i++) {
        pinion_body_info body;
        if ((status = pinion_model_body(m, i, &body))) break;
        void *out = (char *)x->out[0] + 6 * (size_t)i * item;
        /* a link's frame has its number */
        status = single ? pinion_batch_frame_velocity_f32(b, count, x->in[0], x->in[1], body.link,
                                                          PINION_REFERENCE_LOCAL, out)
                        : pinion_batch_frame_velocity(b, count, x->in[0], x->in[1], body.link,
                                                      PINION_REFERENCE_LOCAL, out);
        if (pn_py_of_a_state(status)) {
            worst = status;
            status = PINION_OK;
        }
    }
    for (size_t i = 0; i < count * wide; i++) {
        if (single)
            ((float *)x->out[0])[i] *= -1;
        else
            ((double *)x->out[0])[i] *= -1;
    }
    return status ? status : worst;
}

static const call force_vjp_call = {
    .name = "force_vjp",
    .parameters = 2,
    .parameter = {{"q", PARAMETER_ARRAY, 1, {1, {PN_NQ}}, PINION_BATCH_Q, NULL},
                  {"row", PARAMETER_ARRAY, 1, {1, {PN_NV}}, PINION_BATCH_V, NULL}},
    .outputs = 1,
    .output = {{"df_ext", {2, {PN_BODIES, 6}}}},
    .arrays = 2,
    .array_at = {0, 1},
};

/* Calls by number: those of the table, and the one above. */
static const call *call_at(int number)
{
    if (number < 0 || number > pn_py_call_count) return NULL;
    return number == pn_py_call_count ? &force_vjp_call : &pn_py_calls[number];
}

static const struct {
    const char *name;
    batch_fn batch[2];
} more[] = {
    {"inverse_dynamics_jvp", {inverse_jvp_f64, inverse_jvp_f32}},
    {"forward_dynamics_jvp", {forward_jvp_f64, forward_jvp_f32}},
    {"d_integrate", {d_integrate_f64, d_integrate_f32}},
    {"d_difference", {d_difference_f64, d_difference_f32}},
    {"step", {step_f64, step_f32}},
    {"d_step", {step_f64, step_f32}},
};

/* ---------------------------------------------------------------------------------------------
 * One call */

/* NULL: there is none, or it is force_vjp() */
static batch_fn batch_of(const call *c, int single)
{
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        if (strcmp(c->name, more[i].name) == 0) return more[i].batch[single];
    }
    return c->batch[single];
}

/* This thread's batch; NULL when out of memory. Unlike pn_py_take_batch() it sets no exception. */
static pinion_batch *take_batch(model_object *m)
{
    int wanted = atomic_load(&m->threads), threads = pinion_threads_available();
    if (atomic_load(&pn_py_forked))
        threads = 1;
    else if (wanted > 0 && wanted < threads)
        threads = wanted;
    pinion_batch *b = atomic_exchange(&m->batch[pn_py_slot()], NULL);
    pinion_status status = PINION_OK;
    if (!b && (b = pinion_batch_new(m->model, threads)) && m->code) status = pinion_batch_use(b, m->code);
    if (b && !status && pinion_batch_threads(b) != threads) status = pinion_batch_set_threads(b, threads);
    if (!b || !status) return b;
    pinion_batch_free(b);
    return NULL;
}

/* A state that is wrong has NaN in its results. Else what is wrong is in `message`. */
static pinion_status run(model_object *m, const call *c, int single, size_t count, const arguments *x,
                         char message[256])
{
    batch_fn function = batch_of(c, single);
    int there = function || c == &force_vjp_call;
    pinion_batch *b = there ? take_batch(m) : NULL;
    if (!b) {
        snprintf(message, 256, "%s: %s", c->name, there ? "out of memory" : "not in this precision");
        return there ? PINION_ERR_MEMORY : PINION_ERR_UNSUPPORTED;
    }
    /* what numpy's arrays left there */
    pinion_status status = pinion_batch_set_layout(b, PINION_LAYOUT_ROWS);
    if (!status) status = function ? function(b, count, x) : force_vjp(m->model, b, single, count, x);
    if (pn_py_of_a_state(status)) status = PINION_OK;
    if (status) {
        const char *said = pinion_batch_message(b);
        snprintf(message, 256, "%s: %s", c->name, *said ? said : pinion_status_text(status));
    }
    pn_py_put_batch(m, b);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Models by key. They stay: a compiled function of XLA may ask for one as long as the process lives. */

enum { KEY = 32, LISTS = 256 };

typedef struct entry {
    char key[KEY];
    model_object *model;
    struct entry *next;
} entry;

static _Atomic(entry *) registered[LISTS];

static unsigned list_of(const char *key)
{
    unsigned h = 0;
    for (int i = 0; i < 8; i++) h = h * 31 + (unsigned char)key[i];
    return h % LISTS;
}

static model_object *find_model(const char *key, size_t length)
{
    if (length != KEY) return NULL;
    for (const entry *e = atomic_load(&registered[list_of(key)]); e; e = e->next) {
        if (memcmp(e->key, key, KEY) == 0) return e->model;
    }
    return NULL;
}

/* key, model: registers the model and gives the key under which it is known, which tells compiled models
 * apart.
 */
static PyObject *ffi_register(PyObject *module, PyObject *args)
{
    (void)module;
    const char *key;
    Py_ssize_t length;
    model_object *m;
    if (!PyArg_ParseTuple(args, "s#O!", &key, &length, pn_py_model_type, &m)) return NULL;
    if (length != KEY) return PyErr_Format(PyExc_ValueError, "a key has %d characters", KEY);
    entry *e = malloc(sizeof *e);
    if (!e) return PyErr_NoMemory();
    memcpy(e->key, key, KEY);
    if (m->code) e->key[0] = 'x'; /* no hexadecimal digit */
    PyObject *answer = PyUnicode_FromStringAndSize(e->key, KEY);
    if (!answer || find_model(e->key, KEY)) {
        free(e);
        return answer;
    }
    e->model = (model_object *)Py_NewRef((PyObject *)m);
    _Atomic(entry *) *list = &registered[list_of(e->key)];
    e->next = atomic_load(list);
    while (!atomic_compare_exchange_weak(list, &e->next, e)) continue;
    return answer;
}

/* ---------------------------------------------------------------------------------------------
 * For Python */

static PyObject *shape_of(const model_object *m, const char *name, const shape *s)
{
    PyObject *dims = PyTuple_New(s->nd);
    for (int k = 0; dims && k < s->nd; k++) {
        PyTuple_SetItem(dims, k, PyLong_FromSsize_t(dim_of(m, s->dim[k])));
    }
    return dims ? Py_BuildValue("(sN)", name, dims) : NULL;
}

/* model: {name: (number, ((argument, shape), ...), ((result, shape), ...))} */
static PyObject *ffi_calls(PyObject *module, PyObject *model)
{
    (void)module;
    if (!PyObject_TypeCheck(model, pn_py_model_type)) {
        PyErr_SetString(PyExc_TypeError, "expected a Model");
        return NULL;
    }
    const model_object *m = (model_object *)model;
    PyObject *table = PyDict_New();
    for (int i = 0; table && i <= pn_py_call_count; i++) {
        const call *c = call_at(i);
        if (!batch_of(c, 0) && c != &force_vjp_call) continue;
        PyObject *in = PyTuple_New(c->arrays), *out = PyTuple_New(c->outputs);
        for (int k = 0; in && k < c->arrays; k++) {
            const parameter *p = &c->parameter[c->array_at[k]];
            PyTuple_SetItem(in, k, shape_of(m, p->name, &p->shape));
        }
        for (int k = 0; out && k < c->outputs; k++) {
            PyTuple_SetItem(out, k, shape_of(m, c->output[k].name, &c->output[k].shape));
        }
        PyObject *row = Py_BuildValue("(iNN)", i, in, out);
        if (!row || PyErr_Occurred() || PyDict_SetItemString(table, c->name, row) < 0) Py_CLEAR(table);
        Py_XDECREF(row);
    }
    return table;
}

/* The data of an array that a call reads or writes; NULL with an exception. None: not given. */
static int data_of(const model_object *m, const call *c, PyObject *item, const shape *s, int written,
                   Py_ssize_t count, int type, void **data)
{
    *data = NULL;
    if (item == Py_None) return 1;
    PyArrayObject *a = (PyArrayObject *)item;
    if (!PyArray_Check(item) || PyArray_TYPE(a) != type || !PyArray_ISCARRAY_RO(a) ||
        (written && !PyArray_ISWRITEABLE(a)) || PyArray_SIZE(a) != count * size_of(m, s)) {
        pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: an array has the wrong size, dtype or layout", c->name);
        return 0;
    }
    *data = PyArray_DATA(a);
    return 1;
}

/* model, number of the call, count, inputs, outputs, frame, reference, kind, passive, method, real: the
 * arrays are of one dtype and contiguous. */
static PyObject *ffi_run(PyObject *module, PyObject *args)
{
    (void)module;
    model_object *m;
    int number;
    Py_ssize_t count;
    PyObject *in, *out;
    arguments x;
    memset(&x, 0, sizeof x);
    x.algorithm = -1;
    if (!PyArg_ParseTuple(args, "O!inO!O!iiiiid", pn_py_model_type, &m, &number, &count, &PyTuple_Type, &in,
                          &PyTuple_Type, &out, &x.frame, &x.reference, &x.kind, &x.passive, &x.method,
                          &x.real))
        return NULL;
    const call *c = call_at(number);
    if (!c || count < 0 || PyTuple_Size(in) != c->arrays || PyTuple_Size(out) != c->outputs)
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "there is no such call");
    PyObject *first = PyTuple_GetItem(in, 0);
    int type = first && PyArray_Check(first) ? PyArray_TYPE((PyArrayObject *)first) : -1,
        single = type == NPY_FLOAT;
    if (type != NPY_DOUBLE && !single)
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: expected float64 or float32", c->name);
    for (int i = 0; i < c->arrays; i++) {
        void *data;
        if (!data_of(m, c, PyTuple_GetItem(in, i), &c->parameter[c->array_at[i]].shape, 0, count, type,
                     &data))
            return NULL;
        x.in[i] = data;
    }
    for (int i = 0; i < c->outputs; i++) {
        if (!data_of(m, c, PyTuple_GetItem(out, i), &c->output[i].shape, 1, count, type, &x.out[i]))
            return NULL;
    }
    char message[256];
    pinion_status status;
    Py_BEGIN_ALLOW_THREADS status = run(m, c, single, (size_t)count, &x, message);
    Py_END_ALLOW_THREADS if (status) return pn_py_fail(status, 0, 0, "%s", message);
    return Py_NewRef(Py_None);
}

/* ---------------------------------------------------------------------------------------------
 * For XLA. Names are ours; the order and the types of the members are those of its C interface. */

typedef struct xla_head {
    size_t size;
    struct xla_extension *extension;
} xla_head;

typedef struct xla_extension {
    size_t size;
    int type; /* 1: it asks for the version that a handler was made for */
    struct xla_extension *next;
} xla_extension;

typedef struct xla_version {
    xla_head head;
    int major, minor;
} xla_version;

typedef struct xla_about {
    size_t size;
    xla_version version;
    uint32_t traits;
} xla_about;

typedef struct xla_about_extension {
    xla_extension base;
    xla_about *about;
} xla_about_extension;

typedef struct xla_error_arguments {
    xla_head head;
    const char *message;
    int code; /* 3: invalid argument, 8: no resources */
} xla_error_arguments;

typedef struct xla_interface {
    xla_head head;
    xla_version version;
    const void *internal;
    void *(*make_error)(xla_error_arguments *);
} xla_interface;

enum { XLA_BUFFER = 1, XLA_SCALAR = 3, XLA_STRING = 4, XLA_S32 = 4, XLA_F32 = 11, XLA_F64 = 12 };

typedef struct xla_buffer {
    xla_head head;
    int dtype;
    void *data;
    int64_t rank, *dims;
} xla_buffer;

typedef struct xla_text {
    const char *text;
    size_t length;
} xla_text;

typedef struct xla_scalar {
    int dtype;
    const void *value;
} xla_scalar;

typedef struct xla_buffers {
    xla_head head;
    int64_t count;
    const int *types;
    xla_buffer **buffer;
} xla_buffers;

typedef struct xla_attributes {
    xla_head head;
    int64_t count;
    const int *types;
    const xla_text **name;
    void **value;
} xla_attributes;

typedef struct xla_call {
    xla_head head;
    const xla_interface *interface;
    void *context;
    int stage;
    xla_buffers in, out;
    xla_attributes attributes;
} xla_call;

/* What the handler says it was made for: at most what was known when this was written. */
enum { XLA_MAJOR = 0, XLA_MINOR = 3 };
static atomic_int xla_minor = XLA_MINOR;

static void *xla_fail(const xla_call *f, int code, const char *message)
{
    xla_error_arguments e = {{sizeof e.head + sizeof e.message + sizeof e.code, NULL}, message, code};
    return f->interface->make_error(&e);
}

/* What the attributes say. */
typedef struct request {
    model_object *model;
    const call *call;
    unsigned given, wanted;
    arguments x;
} request;

static int read_int(const xla_attributes *a, int64_t i, int *to)
{
    const xla_scalar *s = a->value[i];
    if (a->types[i] != XLA_SCALAR || s->dtype != XLA_S32) return 0;
    memcpy(to, s->value, sizeof *to);
    return 1;
}

static const char *read_attributes(const xla_attributes *a, request *r)
{
    int number = -1, given = 0, wanted = 0;
    const struct {
        const char *name;
        int *to;
    } ints[] = {{"call", &number},          {"given", &given},
                {"wanted", &wanted},        {"frame", &r->x.frame},
                {"kind", &r->x.kind},       {"method", &r->x.method},
                {"passive", &r->x.passive}, {"reference", &r->x.reference}};
    for (int64_t i = 0; i < a->count; i++) {
        const xla_text *name = a->name[i];
        if (name->length == 5 && memcmp(name->text, "model", 5) == 0 && a->types[i] == XLA_STRING) {
            const xla_text *key = a->value[i];
            r->model = find_model(key->text, key->length);
            continue;
        }
        if (name->length == 2 && memcmp(name->text, "dt", 2) == 0 && a->types[i] == XLA_SCALAR) {
            const xla_scalar *s = a->value[i];
            if (s->dtype == XLA_F64) memcpy(&r->x.real, s->value, sizeof r->x.real);
            continue;
        }
        for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
            if (strlen(ints[k].name) == name->length && memcmp(ints[k].name, name->text, name->length) == 0 &&
                !read_int(a, i, ints[k].to))
                return "pinion: an attribute is not of the kind that was expected";
        }
    }
    if (!r->model)
        return "pinion: this function was compiled for a model that this process has not loaded; load it and "
               "call pinion.jax.register(model)";
    if (!(r->call = call_at(number))) return "pinion: there is no such call";
    r->given = (unsigned)given;
    r->wanted = (unsigned)wanted;
    return NULL;
}

/* The data of the next buffer; NULL when it is not what the call takes. The first one says how many states
 * there are, and their precision. */
static void *next_buffer(const request *r, const xla_buffers *from, int64_t i, const shape *s, int *dtype,
                         size_t *count)
{
    if (i >= from->count || from->types[i] != XLA_BUFFER) return NULL;
    const xla_buffer *b = from->buffer[i];
    if (b->head.size < sizeof *b || b->rank < s->nd || (b->dtype != XLA_F32 && b->dtype != XLA_F64))
        return NULL;
    size_t states = 1;
    for (int64_t k = 0; k < b->rank - s->nd; k++) states *= (size_t)b->dims[k];
    for (int k = 0; k < s->nd; k++) {
        if (b->dims[b->rank - s->nd + k] != dim_of(r->model, s->dim[k])) return NULL;
    }
    if (*dtype < 0) {
        *dtype = b->dtype;
        *count = states;
    }
    /* an array without numbers has no place, but is there */
    static double nowhere;
    return b->dtype != *dtype || states != *count ? NULL : b->data ? b->data : &nowhere;
}

static int read_buffers(const xla_call *f, request *r, int *dtype, size_t *count)
{
    int64_t at = 0;
    for (int i = 0; i < r->call->arrays; i++) {
        if (!(r->given >> i & 1)) continue;
        const shape *s = &r->call->parameter[r->call->array_at[i]].shape;
        if (!(r->x.in[i] = next_buffer(r, &f->in, at++, s, dtype, count))) return 0;
    }
    if (at != f->in.count) return 0;
    at = 0;
    for (int i = 0; i < r->call->outputs; i++) {
        if (!(r->wanted >> i & 1)) continue;
        if (!(r->x.out[i] = next_buffer(r, &f->out, at++, &r->call->output[i].shape, dtype, count))) return 0;
    }
    return at == f->out.count;
}

/* The handler of every call. */
static void *xla_handler(xla_call *f)
{
    if (f->head.size < offsetof(xla_call, interface)) return NULL;
    for (xla_extension *e = f->head.extension; e; e = e->next) {
        if (e->type != 1) continue;
        xla_about *about = ((xla_about_extension *)e)->about;
        about->version.major = XLA_MAJOR;
        about->version.minor = atomic_load(&xla_minor);
        about->traits = 0;
        return NULL;
    }
    if (f->head.size < sizeof *f || f->in.head.size < sizeof f->in || f->out.head.size < sizeof f->out ||
        f->attributes.head.size < sizeof f->attributes)
        return xla_fail(f, 3, "pinion: this XLA's interface is not the one that was expected");
    request r;
    memset(&r, 0, sizeof r);
    r.x.algorithm = -1;
    const char *wrong = read_attributes(&f->attributes, &r);
    if (wrong) return xla_fail(f, 3, wrong);
    int dtype = -1;
    size_t count = 0;
    if (!read_buffers(f, &r, &dtype, &count))
        return xla_fail(f, 3, "pinion: arrays of other shapes or dtypes than the model's call takes");
    char message[256];
    pinion_status status = run(r.model, r.call, dtype == XLA_F32, count, &r.x, message);
    return status ? xla_fail(f, status == PINION_ERR_MEMORY ? 8 : 3, message) : NULL;
}

/* major, minor of the XLA at hand: the handler as a capsule. */
static PyObject *ffi_handler(PyObject *module, PyObject *args)
{
    (void)module;
    int major, minor;
    if (!PyArg_ParseTuple(args, "ii", &major, &minor)) return NULL;
    if (major != XLA_MAJOR) {
        return pn_py_fail(PINION_ERR_UNSUPPORTED, 0, 0,
                          "this XLA has version %d of its interface for foreign functions; expected %d",
                          major, XLA_MAJOR);
    }
    atomic_store(&xla_minor, minor < XLA_MINOR ? minor : XLA_MINOR);
    void *(*handler)(xla_call *) = xla_handler;
    void *address;
    memcpy(&address, &handler, sizeof address);
    return PyCapsule_New(address, NULL, NULL);
}

int pn_py_ffi_ready(PyObject *module)
{
    static PyMethodDef functions[] = {
        {"_ffi_register", ffi_register, METH_VARARGS, NULL},
        {"_ffi_calls", ffi_calls, METH_O, NULL},
        {"_ffi_run", ffi_run, METH_VARARGS, NULL},
        {"_ffi_handler", ffi_handler, METH_VARARGS, NULL},
        {NULL, NULL, 0, NULL},
    };
    return PyModule_AddFunctions(module, functions);
}
