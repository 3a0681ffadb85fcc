/* What a call complains of, and what it gives back. */
#include "call.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Numbers that are none */

int pn_py_not_finite(PyArrayObject *a, char place[160], double *x)
{
    npy_intp size = PyArray_SIZE(a), at[AXES];
    int nd = PyArray_NDIM(a);
    for (npy_intp i = 0; i < size; i++) {
        const char *p = PyArray_BYTES(a);
        npy_intp rest = i;
        for (int k = nd - 1; k >= 0; k--) {
            at[k] = rest % PyArray_DIM(a, k);
            rest /= PyArray_DIM(a, k);
            p += at[k] * PyArray_STRIDE(a, k);
        }
        *x = PyArray_TYPE(a) == NPY_DOUBLE ? *(const double *)p : *(const float *)p;
        if (isfinite(*x)) continue;
        *place = '\0';
        for (int k = 0; k < nd; k++) {
            size_t n = strlen(place);
            snprintf(place + n, 160 - n, "%s%ld", k ? ", " : "", (long)at[k]);
        }
        return 1;
    }
    return 0;
}

int pn_py_complain_of(const call *c, const char *name, PyArrayObject *a)
{
    char place[160];
    double x;
    if (!pn_py_not_finite(a, place, &x)) return 0;
    pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: %s[%s] is %s; errors=\"nan\" lets it through", c->name, name, place,
               isnan(x) ? "nan" : "infinite");
    return 1;
}

void pn_py_complain_of_result(const model_object *m, const call *c, const char *result, const char *place,
                              const void *const *in, const npy_intp *item, int type)
{
    double largest = -1;
    npy_intp at = 0;
    const parameter *whose = &c->parameter[0];
    for (int n = 0; n < c->arrays; n++) {
        const parameter *p = &c->parameter[c->array_at[n]];
        for (npy_intp i = 0; in[n] && i < size_of(m, &p->shape); i++) {
            double x = type == NPY_DOUBLE ? ((const double *)in[n])[i * item[n]] : ((const float *)in[n])[i * item[n]];
            if (fabs(x) <= largest) continue;
            largest = fabs(x), at = i, whose = p;
        }
    }
    char where[60];
    npy_intp columns = whose->shape.nd > 1 ? dim_of(m, whose->shape.dim[1]) : 1;
    snprintf(where, sizeof where, whose->shape.nd > 1 ? "%ld, %ld" : "%ld", (long)(at / columns), (long)(at % columns));
    pn_py_fail(PINION_ERR_ARGUMENT, 0, 0,
               "%s: %s%s%s%s is not finite, though all that went in is; the largest of it is %s[%s], %.3g; "
               "errors=\"nan\" lets it through",
               c->name, *place ? "state [" : "", place, *place ? "]: " : "", result, whose->name, where, largest);
}

void pn_py_fill_nan(void *data, int type, npy_intp count)
{
    for (npy_intp i = 0; i < count; i++) {
        if (type == NPY_DOUBLE)
            ((double *)data)[i] = NAN;
        else
            ((float *)data)[i] = NAN;
    }
}

/* ---------------------------------------------------------------------------------------------
 * Workspaces */

void *pn_py_new_work(model_object *m, int single)
{
    void *w = single ? (void *)pinion_work_f32_new(m->model) : (void *)pinion_work_new(m->model);
    if (!w) PyErr_NoMemory();
    /* it never refuses a workspace of its own model */
    else if (m->code && (single ? pinion_work_f32_use(w, m->code) : pinion_work_use(w, m->code)))
        PyErr_Clear();
    return w;
}

/* ---------------------------------------------------------------------------------------------
 * Failures */

int pn_py_of_a_state(pinion_status status)
{
    return status == PINION_ERR_QUATERNION || status == PINION_ERR_SINGULAR || status == PINION_ERR_STEP ||
           status == PINION_ERR_CONVERGENCE;
}

const char *pn_py_without_state(const char *message)
{
    int length = 0;
    sscanf(message, "state %*u: %n", &length);
    return message + length;
}

const char *pn_py_said(const call *c, const void *w, int single)
{
    return !c->has_work ? "" : single ? pinion_work_f32_message(w) : pinion_work_message(w);
}

void *pn_py_fail_call(const call *c, pinion_status status, const char *message)
{
    return pn_py_fail(status, 0, 0, "%s: %s", c->name,
                      message && *message ? message : pinion_status_text(status));
}

void *pn_py_fail_shape(const model_object *m, const call *c, const char *name, const shape *s,
                       PyArrayObject *a, const npy_intp *lead, int leads)
{
    char has[200] = "", wants[200] = "";
    for (int k = 0; k < PyArray_NDIM(a) && k < 20; k++) {
        size_t n = strlen(has);
        snprintf(has + n, sizeof has - n, "%ld%s", (long)PyArray_DIM(a, k),
                 k + 1 < PyArray_NDIM(a) ? ", " : "");
    }
    if (PyArray_NDIM(a) == 1) strcat(has, ",");
    int dims = s->nd + (lead ? leads : 0);
    for (int k = 0; k < dims; k++) {
        size_t n = strlen(wants);
        npy_intp d = lead && k < leads ? lead[k] : dim_of(m, s->dim[k - (lead ? leads : 0)]);
        snprintf(wants + n, sizeof wants - n, "%ld%s", (long)d,
                 k + 1 < dims        ? ", "
                 : dims == 1 && lead ? ","
                                     : "");
    }
    return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: %s has the shape (%s); expected (%s%s)", c->name, name,
                      has,
                      lead    ? ""
                      : s->nd ? "..., "
                              : "...",
                      wants);
}

/* ---------------------------------------------------------------------------------------------
 * Results */

PyObject *pn_py_give(const call *c, PyObject **out, const options *o)
{
    for (int i = 0; i < c->outputs; i++) {
        if (!o->out && !PyArray_NDIM((PyArrayObject *)out[i]))
            out[i] = PyArray_Return((PyArrayObject *)out[i]);
    }
    if (c->outputs == 1) return out[0];
    PyObject *result = PyType_GenericAlloc((PyTypeObject *)c->result, c->outputs);
    for (int i = 0; i < c->outputs; i++) {
        if (result && out[i])
            PyTuple_SetItem(result, i, out[i]);
        else
            Py_XDECREF(out[i]);
    }
    return result;
}
