/* Batches: other things than arrays become arrays, leading axes are broadcast, and what the strides of a
 * batch can say is not copied. */
#include "call.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct many {
    PyArrayObject *in[PN_MAX_IN];   /* NULL: not given */
    PyArrayObject *out[PN_MAX_OUT]; /* what is given back */
    PyArrayObject *to[PN_MAX_OUT];  /* what the call writes: the same, or copied there at the end */
    npy_intp in_state[PN_MAX_IN], in_item[PN_MAX_IN]; /* strides in numbers */
    npy_intp out_state[PN_MAX_OUT], out_item[PN_MAX_OUT];
    npy_intp lead[BATCH_AXES]; /* the leading axes, broadcast */
    int leads;
    int type;
    npy_intp count;
} many;

/* The strides with which a batch can read an array over the broadcast leading axes; 0 when it cannot. */
static int strides_of(const many *b, PyArrayObject *a, int nd, npy_intp *state, npy_intp *item)
{
    npy_intp size = PyArray_ITEMSIZE(a), step = 0, items = 1, found = 0;
    int own = PyArray_NDIM(a) - nd;
    /* the numbers of a state, one stride from each to the next */
    *item = 1;
    for (int k = PyArray_NDIM(a) - 1; k >= own; k--) {
        npy_intp d = PyArray_DIM(a, k), s = PyArray_STRIDE(a, k);
        if (d == 1) continue;
        if (items == 1) {
            if (s % size) return 0;
            *item = step = s / size;
        } else if (s != step * items * size) {
            return 0;
        }
        items *= d;
    }
    /* the states, likewise */
    npy_intp states = 1;
    *state = 0;
    for (int k = b->leads - 1; k >= 0; k--) {
        if (b->lead[k] == 1) continue;
        int at = k - (b->leads - own);
        npy_intp s = at < 0 || PyArray_DIM(a, at) == 1 ? 0 : PyArray_STRIDE(a, at);
        if (!found) {
            if (s % size) return 0;
            *state = s / size;
            found = 1;
        } else if (s != *state * states * size) {
            return 0;
        }
        states *= b->lead[k];
    }
    return 1;
}

/* All arrays as one of two dtypes: float where all are, else double. */
static int gather(const model_object *m, const call *c, bound value, many *b)
{
    int seen = 0, single = 1;
    for (int n = 0; n < c->arrays; n++) {
        int i = c->array_at[n];
        if (!value[i]) continue;
        b->in[n] = pn_py_array(c->name, c->parameter[i].name, value[i]);
        if (!b->in[n]) return 0;
        seen = 1;
        single &= PyArray_TYPE(b->in[n]) == NPY_FLOAT;
    }
    b->type = seen && single ? NPY_FLOAT : NPY_DOUBLE;
    for (int n = 0; n < c->arrays; n++) {
        const parameter *p = &c->parameter[c->array_at[n]];
        PyArrayObject *a = b->in[n];
        if (a && PyArray_TYPE(a) != b->type) {
            PyArrayObject *other = (PyArrayObject *)PyArray_Cast(a, b->type);
            if (!other) return 0;
            Py_DECREF(a);
            b->in[n] = a = other;
        }
        if (!a) continue;
        int own = PyArray_NDIM(a) - p->shape.nd, fits = own >= 0;
        for (int k = 0; fits && k < p->shape.nd; k++) {
            fits = PyArray_DIM(a, own + k) == dim_of(m, p->shape.dim[k]);
        }
        if (!fits) return pn_py_fail_shape(m, c, p->name, &p->shape, a, NULL, 0) != NULL;
        if (own > BATCH_AXES) {
            pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: %s has %d leading axes; expected at most %d", c->name,
                       p->name, own, BATCH_AXES);
            return 0;
        }
    }
    return 1;
}

/* Leading axes as numpy broadcasts them. */
static int broadcast(const call *c, many *b)
{
    b->leads = 0;
    for (int k = 0; k < BATCH_AXES; k++) b->lead[k] = 1;
    for (int pass = 0; pass < 2; pass++) {
        for (int n = 0; n < c->arrays; n++) {
            const parameter *p = &c->parameter[c->array_at[n]];
            PyArrayObject *a = b->in[n];
            if (!a) continue;
            int own = PyArray_NDIM(a) - p->shape.nd;
            if (!pass) {
                if (own > b->leads) b->leads = own;
                continue;
            }
            for (int k = 0; k < own; k++) {
                npy_intp d = PyArray_DIM(a, k), *lead = &b->lead[b->leads - own + k];
                if (*lead == 1) *lead = d;
                if (d != 1 && d != *lead) {
                    pn_py_fail(PINION_ERR_ARGUMENT, 0, 0,
                               "%s: axis %d of %s has %ld entries, which cannot be broadcast with %ld",
                               c->name, k, p->name, (long)d, (long)*lead);
                    return 0;
                }
            }
        }
    }
    b->count = 1;
    for (int k = 0; k < b->leads; k++) b->count *= b->lead[k];
    return 1;
}

/* An array over all leading axes, contiguous, with the numbers of `a` or none. */
static PyArrayObject *spread(const many *b, int nd, const npy_intp *dims, PyArrayObject *a)
{
    npy_intp all[AXES];
    memcpy(all, b->lead, (size_t)b->leads * sizeof *all);
    memcpy(all + b->leads, dims, (size_t)nd * sizeof *all);
    PyArrayObject *copy = (PyArrayObject *)PyArray_SimpleNew(b->leads + nd, all, b->type);
    if (copy && a && PyArray_CopyInto(copy, a) < 0) Py_CLEAR(copy);
    return copy;
}

/* Whether the strides are those of rows side by side. */
static int side_by_side(const many *b, npy_intp state, npy_intp item, npy_intp size)
{
    return (item == 1 || size == 1) && (b->count < 2 || state == size);
}

static int lay_out_inputs(const model_object *m, const call *c, many *b, int plain)
{
    for (int k = 0; k < c->arrays; k++) {
        const parameter *p = &c->parameter[c->array_at[k]];
        PyArrayObject *a = b->in[k];
        if (!a) continue;
        int packed = !plain && c->packed >> k & 1;
        if (strides_of(b, a, p->shape.nd, &b->in_state[k], &b->in_item[k]) &&
            (!plain || b->in_item[k] == 1) &&
            (!packed || side_by_side(b, b->in_state[k], b->in_item[k], size_of(m, &p->shape))))
            continue;
        b->in[k] = spread(b, p->shape.nd, PyArray_DIMS(a) + PyArray_NDIM(a) - p->shape.nd, a);
        Py_DECREF(a);
        if (!b->in[k]) return 0;
        strides_of(b, b->in[k], p->shape.nd, &b->in_state[k], &b->in_item[k]);
    }
    return 1;
}

/* Whether two arrays have a number in common; -1 with an exception. numpy's bounds first, which are cheap. */
static int shares(PyArrayObject *a, PyArrayObject *b)
{
    static PyObject *numpy;
    if (!numpy && !(numpy = PyImport_ImportModule("numpy"))) return -1;
    PyObject *may = PyObject_CallMethod(numpy, "may_share_memory", "OO", a, b);
    int answer = may ? PyObject_IsTrue(may) : -1;
    Py_XDECREF(may);
    if (answer <= 0) return answer;
    PyObject *does = PyObject_CallMethod(numpy, "shares_memory", "OOi", a, b, 10000);
    if (!does) { /* too hard to say */
        PyErr_Clear();
        return 1;
    }
    answer = PyObject_IsTrue(does);
    Py_DECREF(does);
    return answer;
}

static int by_number(const void *a, const void *b)
{
    npy_intp x = *(const npy_intp *)a, y = *(const npy_intp *)b;
    return (x > y) - (x < y);
}

/* Whether two numbers of an array are at one place; -1 with an exception. Strides that each lead past all that the
 * smaller ones reach say no at once; for others all places are looked at. */
static int overlaps_itself(PyArrayObject *a)
{
    npy_intp reach = PyArray_ITEMSIZE(a), size = PyArray_SIZE(a);
    int nd = PyArray_NDIM(a), left = 0, done[AXES] = {0};
    for (int k = 0; k < nd; k++) left += !(done[k] = PyArray_DIM(a, k) < 2);
    if (!size) return 0;
    for (; left; left--) {
        int least = -1;
        for (int k = 0; k < nd; k++) {
            if (!done[k] && (least < 0 || labs(PyArray_STRIDE(a, k)) < labs(PyArray_STRIDE(a, least)))) least = k;
        }
        npy_intp stride = labs(PyArray_STRIDE(a, least));
        if (stride < reach) break;
        reach += stride * (PyArray_DIM(a, least) - 1);
        done[least] = 1;
    }
    if (!left) return 0;
    npy_intp *place = PyMem_Malloc((size_t)size * sizeof *place);
    if (!place) return PyErr_NoMemory() ? 1 : -1;
    for (npy_intp i = 0; i < size; i++) {
        npy_intp rest = i;
        place[i] = 0;
        for (int k = nd - 1; k >= 0; k--) {
            place[i] += rest % PyArray_DIM(a, k) * PyArray_STRIDE(a, k);
            rest /= PyArray_DIM(a, k);
        }
    }
    qsort(place, (size_t)size, sizeof *place, by_number);
    int answer = 0;
    for (npy_intp i = 1; i < size && !answer; i++) answer = place[i] - place[i - 1] < PyArray_ITEMSIZE(a);
    PyMem_Free(place);
    return answer;
}

/* Checks an array that results are to go to. */
static int check_out(const model_object *m, const call *c, const char *name, const shape *s, PyObject *given,
                     many *b)
{
    int exact = PyArray_CheckExact(given);
    if (!PyArray_Check(given) || (!exact && PyObject_HasAttrString(given, "mask"))) {
        pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: %s is %s", c->name, name,
                   PyArray_Check(given) ? "a masked array" : "not a numpy array");
        return 0;
    }
    PyArrayObject *a = (PyArrayObject *)given;
    if (PyArray_TYPE(a) != b->type || !PyArray_ISBEHAVED_RO(a)) {
        pn_py_fail(PINION_ERR_ARGUMENT, 0, 0,
                   "%s: %s has another dtype than the results; expected %s, aligned", c->name, name,
                   b->type == NPY_DOUBLE ? "float64" : "float32");
        return 0;
    }
    int fits = PyArray_NDIM(a) == b->leads + s->nd;
    for (int k = 0; fits && k < b->leads; k++) fits = PyArray_DIM(a, k) == b->lead[k];
    for (int k = 0; fits && k < s->nd; k++) fits = PyArray_DIM(a, b->leads + k) == dim_of(m, s->dim[k]);
    if (!fits) return pn_py_fail_shape(m, c, name, s, a, b->lead, b->leads) != NULL;
    if (!PyArray_ISWRITEABLE(a)) {
        pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: %s is read-only", c->name, name);
        return 0;
    }
    int twice = overlaps_itself(a);
    if (twice > 0) pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: %s overlaps with itself", c->name, name);
    return !twice;
}

static int check_overlap(const call *c, const char *name, PyArrayObject *a, const many *b, int before)
{
    for (int n = 0; n < c->arrays; n++) {
        int shared = b->in[n] ? shares(a, b->in[n]) : 0;
        if (shared < 0) return 0;
        if (!shared) continue;
        pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: %s overlaps with %s", c->name, name,
                   c->parameter[c->array_at[n]].name);
        return 0;
    }
    for (int i = 0; i < before; i++) {
        int shared = b->out[i] ? shares(a, b->out[i]) : 0;
        if (shared < 0) return 0;
        if (!shared) continue;
        pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: %s overlaps with out[%d]", c->name, name, i);
        return 0;
    }
    return 1;
}

static int lay_out_outputs(const model_object *m, const call *c, const options *o, many *b, int plain)
{
    int several = c->outputs > 1;
    if (several && o->out && (!PyTuple_Check(o->out) || PyTuple_Size(o->out) != c->outputs)) {
        pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: out is not a tuple of %d arrays", c->name, c->outputs);
        return 0;
    }
    for (int i = 0; i < c->outputs; i++) {
        const shape *s = &c->output[i].shape;
        npy_intp dims[3];
        for (int k = 0; k < s->nd; k++) dims[k] = dim_of(m, s->dim[k]);
        PyObject *given = !o->out ? NULL : several ? PyTuple_GetItem(o->out, i) : o->out;
        if (!given || given == Py_None) {
            b->out[i] = spread(b, s->nd, dims, NULL);
            if (!b->out[i]) return 0;
        } else {
            char name[16] = "out";
            if (several) snprintf(name, sizeof name, "out[%d]", i);
            if (!check_out(m, c, name, s, given, b) || !check_overlap(c, name, (PyArrayObject *)given, b, i))
                return 0;
            b->out[i] = (PyArrayObject *)Py_NewRef(given);
        }
        int fits = strides_of(b, b->out[i], s->nd, &b->out_state[i], &b->out_item[i]) &&
                   (!plain || b->out_item[i] == 1) &&
                   (plain || !c->rows || side_by_side(b, b->out_state[i], b->out_item[i], size_of(m, s)));
        b->to[i] = fits ? (PyArrayObject *)Py_NewRef((PyObject *)b->out[i]) : spread(b, s->nd, dims, NULL);
        if (!b->to[i]) return 0;
        if (!fits) strides_of(b, b->to[i], s->nd, &b->out_state[i], &b->out_item[i]);
    }
    return 1;
}

/* Points the call at state `first`. */
static void point_at(const call *c, const many *b, npy_intp first, arguments *x)
{
    npy_intp item = b->type == NPY_DOUBLE ? 8 : 4;
    for (int i = 0; i < PN_MAX_IN; i++) {
        x->in[i] = b->in[i] ? PyArray_BYTES(b->in[i]) + first * b->in_state[i] * item : NULL;
    }
    for (int i = 0; i < c->outputs; i++) x->out[i] = PyArray_BYTES(b->to[i]) + first * b->out_state[i] * item;
}

/* Whether all are finite; many of them are looked at by as many threads as have written them, each its own part. */
static int finite_parts(const char *data, int type, npy_intp count, int threads)
{
    enum { FEW = 1 << 13 };
    if (threads < 2 || count < FEW) return all_finite(data, type, count);
    int bad = 0;
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(threads) reduction(| : bad)
#endif
    for (int i = 0; i < threads; i++) {
        npy_intp first = count * i / threads, end = count * (i + 1) / threads;
        bad |= !all_finite(data + first * (type == NPY_DOUBLE ? 8 : 4), type, end - first);
    }
    return !bad;
}

/* Whether the numbers of some states in an array are finite. */
static int finite_states(const void *data, int type, npy_intp states, npy_intp items, npy_intp state,
                         npy_intp item, int threads)
{
    if (item == 1 && (state == items || states == 1)) return finite_parts(data, type, states * items, threads);
    for (npy_intp s = 0; s < states; s++) {
        for (npy_intp i = 0; i < items; i++) {
            double x = type == NPY_DOUBLE ? ((const double *)data)[s * state + i * item]
                                          : ((const float *)data)[s * state + i * item];
            if (!isfinite(x)) return 0;
        }
        if (!state) break;
    }
    return 1;
}

/* Where a state is along the leading axes. */
static void say_place(const many *b, npy_intp state, char *place, size_t size)
{
    npy_intp at[BATCH_AXES], rest = state;
    for (int k = b->leads - 1; k >= 0; k--) {
        at[k] = rest % b->lead[k];
        rest /= b->lead[k];
    }
    *place = '\0';
    for (int k = 0; k < b->leads; k++) {
        size_t n = strlen(place);
        snprintf(place + n, size - n, "%s%ld", k ? ", " : "", (long)at[k]);
    }
}

static void *fail_state(const call *c, const many *b, npy_intp state, pinion_status status,
                        const char *message)
{
    char place[200];
    say_place(b, state, place, sizeof place);
    if (!b->leads || !pn_py_of_a_state(status)) return pn_py_fail_call(c, status, message);
    return pn_py_fail(status, 0, 0, "%s: state [%s]: %s; errors=\"nan\" lets the others through", c->name,
                      place, message && *message ? pn_py_without_state(message) : pinion_status_text(status));
}

/* Says which result of some states from `first` on is not finite. Returns 0. */
static int fail_result(const model_object *m, const call *c, const many *b, npy_intp first, npy_intp states,
                       arguments *x)
{
    char place[200];
    for (npy_intp s = first; s < first + states; s++) {
        point_at(c, b, s, x);
        for (int i = 0; i < c->outputs; i++) {
            if (finite_states(x->out[i], b->type, 1, size_of(m, &c->output[i].shape), 0, b->out_item[i], 1))
                continue;
            say_place(b, s, place, sizeof place);
            pn_py_complain_of_result(m, c, c->output[i].name, place, x->in, b->in_item, b->type);
            return 0;
        }
    }
    return 0;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Strides that are not those of rows side by side. */
static pinion_status set_strides(pinion_batch *b, const call *c, const many *x)
{
    pinion_status status = pinion_batch_set_layout(b, PINION_LAYOUT_ROWS);
    if (!x->count || c->rows) return status;
    for (int k = 0; k < c->arrays && !status; k++) {
        if (!x->in[k]) continue;
        status = pinion_batch_set_stride(b, (pinion_batch_array)c->parameter[c->array_at[k]].slot,
                                         x->in_state[k], x->in_item[k]);
    }
    for (int i = 0; i < c->outputs && !status; i++) {
        /* of one state the stride does not matter, but it must not be that of two numbers at one place */
        npy_intp item = x->out_item[i], extent = PyArray_SIZE(x->to[i]) * (item < 0 ? -item : item);
        status = pinion_batch_set_stride(b, (pinion_batch_array)(PINION_BATCH_OUT + i),
                                         x->count > 1 ? x->out_state[i] : extent, item);
    }
    return status;
}

/* A batch goes in pieces of some 20 ms, so that in between the interpreter may hear of a signal. The first is
 * guessed. */
static npy_intp first_piece(const model_object *m, const call *c)
{
    return (npy_intp)(2e7 / expected_ns(m, c)) / 64 * 64 + 64;
}

static npy_intp next_piece(npy_intp piece, double took)
{
    double goal = took > 0 ? 0.02 / took * (double)piece : 8.0 * (double)piece;
    if (goal > 8.0 * (double)piece) goal = 8.0 * (double)piece;
    return (npy_intp)goal / 64 * 64 + 64;
}

/* Whether the results of some states are finite, each array of them. */
static int finite_results(const model_object *m, const call *c, const many *b, const arguments *x, npy_intp states,
                          int threads)
{
    for (int i = 0; i < c->outputs; i++) {
        if (!finite_states(x->out[i], b->type, states, size_of(m, &c->output[i].shape), b->out_state[i],
                           b->out_item[i], threads))
            return 0;
    }
    return 1;
}

static int check_numbers(const call *c, const many *b)
{
    for (int n = 0; n < c->arrays; n++) {
        PyArrayObject *a = b->in[n];
        if (!a || (PyArray_ISONESEGMENT(a) && all_finite(PyArray_DATA(a), b->type, PyArray_SIZE(a))))
            continue;
        if (pn_py_complain_of(c, c->parameter[c->array_at[n]].name, a)) return 0;
    }
    return 1;
}

/* Some states that take long, with the batch or one without it. */
static int long_call(model_object *m, const call *c, int single, pinion_batch *batch, batch_fn run, size_t count,
                     const arguments *x, const many *b, pinion_status *status, char *message)
{
    PyObject *keep[PN_MAX_IN + PN_MAX_OUT];
    int keeps = 0;
    for (int n = 0; n < c->arrays; n++) keep[keeps++] = (PyObject *)b->in[n];
    for (int i = 0; i < c->outputs; i++) keep[keeps++] = (PyObject *)b->to[i];
    return pn_py_long_call(m, c, single, batch, run, count, x, keep, keeps, status, message);
}

static int run_batch(model_object *m, const call *c, const many *b, arguments *x, const options *o)
{
    pinion_batch *batch = pn_py_take_batch(m);
    if (!batch) return 0;
    char message[400] = "";
    int single = b->type == NPY_FLOAT, good = 1, finite = 1;
    batch_fn run = x->algorithm >= 0 ? c->by[single] : c->batch[single];
    pinion_status status = set_strides(batch, c, b);
    if (status) good = pn_py_fail_call(c, status, pinion_batch_message(batch)) != NULL;
    npy_intp piece = first_piece(m, c), first = 0;
    int lengthy = expected_ns(m, c) * (double)(b->count < 64 ? b->count : 64) > LONG_NS;
    while (good) {
        npy_intp count = b->count - first < piece ? b->count - first : piece;
        point_at(c, b, first, x);
        double begin = seconds();
        if (lengthy && !(good = long_call(m, c, single, batch, run, (size_t)count, x, b, &status, message))) return 0;
        Py_BEGIN_ALLOW_THREADS if (!lengthy) status = run(batch, (size_t)count, x);
        finite = o->nan || status || finite_results(m, c, b, x, count, pinion_batch_threads(batch));
        Py_END_ALLOW_THREADS if (!o->nan && (!finite || pn_py_of_a_state(status)) && !check_numbers(c, b))
        {
            good = 0;
        }
        else if (!finite)
        {
            good = fail_result(m, c, b, first, count, x);
        }
        else if (status && !(o->nan && pn_py_of_a_state(status)))
        {
            fail_state(c, b, first + (npy_intp)pinion_batch_failed_state(batch), status,
                       pinion_batch_message(batch));
            good = 0;
        }
        first += count;
        if (first >= b->count) break;
        piece = next_piece(piece, seconds() - begin);
        if (good && PyErr_CheckSignals() < 0) good = 0;
    }
    pn_py_put_batch(m, batch);
    return good;
}

/* State by state, where there is no function for a batch. */
static int run_each(model_object *m, const call *c, const many *b, arguments *x, const options *o)
{
    int single = b->type == NPY_FLOAT, good = 1, finite = 1, lengthy = expected_ns(m, c) > LONG_NS;
    char message[400] = "";
    void *w = take_work(m, single);
    if (!w) return 0;
    pinion_status status = PINION_OK;
    npy_intp state = 0;
    while (good && state < b->count) {
        double until = seconds() + 0.02;
        point_at(c, b, state, x);
        if (lengthy && !long_call(m, c, single, NULL, NULL, 1, x, b, &status, message)) {
            put_work(m, w, single);
            return 0;
        }
        Py_BEGIN_ALLOW_THREADS do
        {
            point_at(c, b, state, x);
            if (!lengthy) status = c->one[single](m->model, w, x);
            if (status && o->nan && pn_py_of_a_state(status)) {
                for (int i = 0; i < c->outputs; i++)
                    pn_py_fill_nan(x->out[i], b->type, PyArray_SIZE(b->to[i]) / b->count);
                status = PINION_OK;
            }
            finite = o->nan || status || finite_results(m, c, b, x, 1, 1);
        }
        while (!status && finite && ++state < b->count && !lengthy && ((state & 15) || seconds() < until))
            ;
        Py_END_ALLOW_THREADS if (status)
        {
            fail_state(c, b, state, status, lengthy ? message : pn_py_said(c, w, single));
            good = 0;
        }
        else if (!finite)
        {
            good = fail_result(m, c, b, state, 1, x);
        }
        else if (PyErr_CheckSignals() < 0)
        {
            good = 0;
        }
    }
    put_work(m, w, single);
    return good;
}

PyObject *pn_py_many_states(model_object *m, const call *c, bound value, const options *o, arguments *x)
{
    many b;
    memset(&b, 0, sizeof b);
    PyObject *result = NULL, *out[PN_MAX_OUT];
    int single, each;
    if (!gather(m, c, value, &b) || !broadcast(c, &b)) goto done;
    single = b.type == NPY_FLOAT;
    if (x->algorithm >= 0 && !c->by[single]) {
        pn_py_fail(PINION_ERR_UNSUPPORTED, 0, 0, "%s: no algorithm can be chosen in this precision", c->name);
        goto done;
    }
    each = x->algorithm < 0 && c->one[single] && (!c->batch[single] || !b.leads);
    if (!each && x->algorithm < 0 && !c->batch[single]) {
        pn_py_fail(PINION_ERR_UNSUPPORTED, 0, 0, "%s: not in this precision; expected float64", c->name);
        goto done;
    }
    if (each && !o->nan && !check_numbers(c, &b)) goto done;
    if (!lay_out_inputs(m, c, &b, each) || !lay_out_outputs(m, c, o, &b, each)) goto done;
    if (!(each ? run_each(m, c, &b, x, o) : run_batch(m, c, &b, x, o))) goto done;
    for (int i = 0; i < c->outputs; i++) {
        if (b.to[i] != b.out[i] && PyArray_CopyInto(b.out[i], b.to[i]) < 0) goto done;
        out[i] = Py_NewRef((PyObject *)b.out[i]);
    }
    result = pn_py_give(c, out, o);
done:
    for (int i = 0; i < PN_MAX_IN; i++) Py_XDECREF((PyObject *)b.in[i]);
    for (int i = 0; i < PN_MAX_OUT; i++) {
        Py_XDECREF((PyObject *)b.out[i]);
        Py_XDECREF((PyObject *)b.to[i]);
    }
    return result;
}
