/* Rollouts: many states for many steps, and their derivatives. */
#include "call.h"
#include "more.h"

#include <stdio.h>
#include <time.h>

pinion_status pn_py_batch_d_step(pinion_batch *b, size_t count, pinion_step_method method, double dt,
                                 int passive, const double *q, const double *v, const double *tau,
                                 const double *f_ext, double *q_out, double *v_out, double *A, double *B)
{
    pinion_rollout r = pinion_rollout_default();
    r.method = method, r.dt = dt, r.passive = passive, r.tau = tau, r.f_ext = f_ext;
    return pinion_batch_d_rollout(b, count, &r, q, v, q_out, v_out, A, B);
}

pinion_status pn_py_batch_d_step_f32(pinion_batch *b, size_t count, pinion_step_method method, double dt,
                                     int passive, const float *q, const float *v, const float *tau,
                                     const float *f_ext, float *q_out, float *v_out, float *A, float *B)
{
    pinion_rollout_f32 r = pinion_rollout_default_f32();
    r.method = method, r.dt = dt, r.passive = passive, r.tau = tau, r.f_ext = f_ext;
    return pinion_batch_d_rollout_f32(b, count, &r, q, v, q_out, v_out, A, B);
}

/* The arrays of a rollout, in rows; Python has checked their shapes. Those behind v may be NULL. */
enum { Q, V, TAU, Q_TARGET, V_TARGET, KP, KD, LIMIT, F_EXT, INPUTS };
enum { Q_OUT, V_OUT, Q_RECORD, V_RECORD, A, B, OUTPUTS };

typedef struct rollout {
    const model_object *m;
    int single, derivatives;
    int method, passive;
    double dt;
    npy_intp count, steps, hold, every;
    const char *in[INPUTS];
    char *out[OUTPUTS];
} rollout;

/* The numbers of a state in each array that has one part an interval, a record or a step. */
static npy_intp part(const rollout *r, npy_intp numbers)
{
    return r->count * numbers * (r->single ? 4 : 8);
}

/* The steps from `first` on, of which there are `steps`: whole intervals and records. */
static pinion_status run_piece(const rollout *r, pinion_batch *b, npy_intp first, npy_intp steps)
{
    npy_intp nq = r->m->dim[-PN_NQ], nv = r->m->dim[-PN_NV];
    npy_intp interval = r->hold ? first / r->hold : 0, record = r->every ? first / r->every : 0;
    const char *q = first ? r->out[Q_OUT] : r->in[Q], *v = first ? r->out[V_OUT] : r->in[V];
    const char *tau = r->in[TAU] ? r->in[TAU] + interval * part(r, nv) : NULL;
    const char *q_target = r->in[Q_TARGET] ? r->in[Q_TARGET] + interval * part(r, nq) : NULL;
    const char *v_target = r->in[V_TARGET] ? r->in[V_TARGET] + interval * part(r, nv) : NULL;
    char *q_record = r->every ? r->out[Q_RECORD] + record * part(r, nq) : NULL;
    char *v_record = r->every ? r->out[V_RECORD] + record * part(r, nv) : NULL;
    char *a = r->derivatives ? r->out[A] + first * part(r, 4 * nv * nv) : NULL;
    char *bb = r->derivatives ? r->out[B] + first * part(r, 2 * nv * nv) : NULL;
#define RUN(real, f_suffix)                                                                                  \
    do {                                                                                                     \
        pinion_rollout##f_suffix o = pinion_rollout_default##f_suffix();                                     \
        o.method = (pinion_step_method)r->method, o.dt = r->dt, o.passive = r->passive;                      \
        o.steps = (size_t)steps, o.hold = (size_t)r->hold, o.every = (size_t)r->every;                       \
        o.tau = (const real *)tau, o.q_target = (const real *)q_target, o.v_target = (const real *)v_target; \
        o.kp = (const real *)r->in[KP], o.kd = (const real *)r->in[KD],                                      \
        o.limit = (const real *)r->in[LIMIT];                                                                \
        o.f_ext = (const real *)r->in[F_EXT], o.q_record = (real *)q_record, o.v_record = (real *)v_record;  \
        if (r->derivatives)                                                                                  \
            return pinion_batch_d_rollout##f_suffix(b, (size_t)r->count, &o, (const real *)q,                \
                                                    (const real *)v, (real *)r->out[Q_OUT],                  \
                                                    (real *)r->out[V_OUT], (real *)a, (real *)bb);           \
        return pinion_batch_rollout##f_suffix(b, (size_t)r->count, &o, (const real *)q, (const real *)v,     \
                                              (real *)r->out[Q_OUT], (real *)r->out[V_OUT]);                 \
    } while (0)
    if (r->single) RUN(float, _f32);
    RUN(double, );
#undef RUN
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static npy_intp least_multiple(npy_intp a, npy_intp b)
{
    npy_intp x = a, y = b;
    while (y) {
        npy_intp rest = x % y;
        x = y, y = rest;
    }
    return a / x * b;
}

/* All of it, in pieces of some 20 ms, so that in between the interpreter may hear of a signal. How the way is
 * cut changes no number. The first state that fails is told, and the others go on. */
static int run(const rollout *r, pinion_batch *b, int nan)
{
    npy_intp unit = least_multiple(r->hold ? r->hold : 1, r->every ? r->every : 1), piece = unit, done = 0;
    pinion_status status = pinion_batch_set_layout(b, PINION_LAYOUT_ROWS), first = PINION_OK;
    char message[400] = "";
    while (!status && done < r->steps) {
        npy_intp steps = r->steps - done < piece ? r->steps - done : piece;
        double begin = seconds();
        Py_BEGIN_ALLOW_THREADS status = run_piece(r, b, done, steps);
        Py_END_ALLOW_THREADS if (status == PINION_ERR_QUATERNION || status == PINION_ERR_SINGULAR ||
                                 status == PINION_ERR_STEP)
        {
            const char *said = pn_py_without_state(pinion_batch_message(b));
            long step = 0;
            int length = 0;
            sscanf(said, "step %ld: %n", &step, &length); /* of this piece */
            if (!first)
                PyOS_snprintf(message, sizeof message, "state %ld, step %ld: %s", (long)pinion_batch_failed_state(b),
                              (long)done + step, said + length);
            if (!first) first = status;
            status = nan ? PINION_OK : status;
        }
        done += steps;
        double goal = 0.02 / (seconds() - begin + 1e-9) * (double)steps;
        if (goal > 8.0 * (double)piece) goal = 8.0 * (double)piece;
        piece = unit * (npy_intp)(goal / (double)unit);
        if (piece < unit) piece = unit;
        if (PyErr_CheckSignals() < 0) return 0;
    }
    if (!status) return 1;
    pn_py_fail(status, 0, 0, "rollout: %s%s", message,
               first                      ? "; errors=\"nan\" lets the others through"
               : *pinion_batch_message(b) ? pinion_batch_message(b)
                                          : pinion_status_text(status));
    return 0;
}

/* Whether the derivatives are finite; of states the library itself tells. */
static int check_derivatives(const rollout *r, PyObject *const *out)
{
    for (int i = A; i < OUTPUTS; i++) {
        PyArrayObject *a = (PyArrayObject *)out[i];
        if (!a || all_finite(PyArray_DATA(a), PyArray_TYPE(a), PyArray_SIZE(a))) continue;
        npy_intp at = 0;
        while (all_finite(PyArray_BYTES(a) + at * PyArray_ITEMSIZE(a), PyArray_TYPE(a), 1)) at++;
        at /= PyArray_SIZE(a) / (r->steps * r->count);
        pn_py_fail(PINION_ERR_STEP, 0, 0,
                   "d_rollout: state %ld, step %ld: %s is not finite; errors=\"nan\" lets the others through",
                   (long)(at % r->count), (long)(at / r->count), i == A ? "A" : "B");
        return 0;
    }
    return 1;
}

/* A new array of a rollout's results; the axes are parts (left out where it is negative), states, and the
 * numbers. */
static PyObject *results(const rollout *r, npy_intp parts, npy_intp n, npy_intp columns)
{
    npy_intp dims[4];
    int nd = 0;
    if (parts >= 0) dims[nd++] = parts;
    dims[nd++] = r->count;
    dims[nd++] = n;
    if (columns) dims[nd++] = columns;
    return PyArray_SimpleNew(nd, dims, r->single ? NPY_FLOAT : NPY_DOUBLE);
}

/* model, derivatives?, method, dt, steps, hold, every, passive, errors are NaN?, and a tuple of arrays or
 * None (Q ... F_EXT): (q, v, q_record, v_record, A, B), without the last two where no derivatives are wanted
 */
PyObject *pn_py_rollout(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *arrays, *out[OUTPUTS] = {NULL}, *answer = NULL;
    rollout r = {0};
    int nan;
    if (!PyArg_ParseTuple(args, "O!pidnnnppO!", pn_py_model_type, &model, &r.derivatives, &r.method, &r.dt,
                          &r.steps, &r.hold, &r.every, &r.passive, &nan, &PyTuple_Type, &arrays))
        return NULL;
    model_object *m = (model_object *)model;
    r.m = m;
    for (int i = 0; i < INPUTS; i++) {
        PyArrayObject *a = (PyArrayObject *)PyTuple_GetItem(arrays, i);
        if (!a) return NULL;
        if ((PyObject *)a == Py_None) continue;
        if (i == Q) r.single = PyArray_TYPE(a) == NPY_FLOAT;
        if (i == Q) r.count = PyArray_DIM(a, 0);
        r.in[i] = PyArray_BYTES(a);
    }
    npy_intp nq = m->dim[-PN_NQ], nv = m->dim[-PN_NV], records = r.every ? r.steps / r.every : 0;
    out[Q_OUT] = results(&r, -1, nq, 0);
    out[V_OUT] = results(&r, -1, nv, 0);
    out[Q_RECORD] = results(&r, records, nq, 0);
    out[V_RECORD] = results(&r, records, nv, 0);
    out[A] = r.derivatives ? results(&r, r.steps, 2 * nv, 2 * nv) : NULL;
    out[B] = r.derivatives ? results(&r, r.steps, 2 * nv, nv) : NULL;
    int good = !PyErr_Occurred();
    for (int i = 0; i < OUTPUTS && good; i++)
        r.out[i] = out[i] ? PyArray_BYTES((PyArrayObject *)out[i]) : NULL;
    pinion_batch *b = good ? pn_py_take_batch(m) : NULL;
    good = b && run(&r, b, nan);
    if (b) pn_py_put_batch(m, b);
    good = good && (nan || check_derivatives(&r, out));
    if (good) {
        answer = PyTuple_New(r.derivatives ? OUTPUTS : A);
        for (int i = 0; answer && i < (r.derivatives ? OUTPUTS : A); i++)
            PyTuple_SetItem(answer, i, Py_NewRef(out[i]));
    }
    for (int i = 0; i < OUTPUTS; i++) Py_XDECREF(out[i]);
    return answer;
}
