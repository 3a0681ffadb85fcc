/* Arguments as arrays, and failures as exceptions. */
#include "binding.h"

#include <stdarg.h>
#include <string.h>

void *pn_py_fail(pinion_status status, int line, int column, const char *format, ...)
{
    char message[sizeof((pinion_error *)NULL)->message + 200];
    va_list list;
    va_start(list, format);
    PyOS_vsnprintf(message, sizeof message, format, list);
    va_end(list);
    static const char *const words[] = {"ok",    "argument",    "memory",      "file",       "parse",
                                        "model", "not_found",   "mismatch",    "quaternion", "singular",
                                        "loops", "unsupported", "convergence", "step",       "callback"};
    int index = -(int)status;
    const char *word = index >= 0 && index < (int)(sizeof words / sizeof words[0]) ? words[index] : "unknown";
    PyObject *text = PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace");
    PyObject *e = text ? PyObject_CallFunction(pn_py_error_type, "O", text) : NULL;
    Py_XDECREF(text);
    PyObject *value[3] = {PyUnicode_FromString(word), PyLong_FromLong(line), PyLong_FromLong(column)};
    static const char *const names[3] = {"status", "line", "column"};
    for (int i = 0; i < 3; i++) {
        if (e && value[i]) PyObject_SetAttrString(e, names[i], value[i]);
        Py_XDECREF(value[i]);
    }
    if (e) PyErr_SetObject(pn_py_error_type, e);
    Py_XDECREF(e);
    return NULL;
}

void *pn_py_fail_with(const pinion_error *err)
{
    if (err->status == PINION_ERR_MEMORY) return PyErr_NoMemory();
    return pn_py_fail(err->status, err->line, err->column, "%s", err->message);
}

/* What is only offered as a capsule of DLPack. */
static PyObject *from_dlpack(PyObject *value)
{
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *array = numpy ? PyObject_CallMethod(numpy, "from_dlpack", "O", value) : NULL;
    Py_XDECREF(numpy);
    return array;
}

static int has(PyObject *value, const char *name)
{
    return PyObject_HasAttrString(value, name);
}

/* Says whose array cannot be used, with numpy's reason. */
static void *fail_argument(const char *function, const char *name)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *text = value ? PyObject_Str(value) : NULL;
    const char *why = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    if (!why) PyErr_Clear();
    pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: %s is no array of real numbers: %.200s", function, name,
               why ? why : "");
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return NULL;
}

/* Whether an array has places that count as empty; numpy's masked arrays are arrays of another class. */
static int has_gaps(PyObject *value)
{
    if (!PyArray_Check(value) || PyArray_CheckExact(value) || !has(value, "mask")) return 0;
    PyObject *mask = PyObject_GetAttrString(value, "mask");
    PyObject *any = mask ? PyObject_CallMethod(mask, "any", NULL) : NULL;
    int answer = any ? PyObject_IsTrue(any) : 1;
    Py_XDECREF(mask);
    Py_XDECREF(any);
    PyErr_Clear();
    return answer;
}

/* Whether every number of that type is one in double, or nearly so. */
static int is_real(int type)
{
    return PyTypeNum_ISINTEGER(type) || type == NPY_HALF || type == NPY_FLOAT || type == NPY_DOUBLE;
}

PyArrayObject *pn_py_array(const char *function, const char *name, PyObject *value)
{
    PyObject *first = NULL;
    if (has_gaps(value))
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: %s has masked entries", function, name);
    if (!PyArray_Check(value) && has(value, "__dlpack__") && !has(value, "__array__") &&
        !has(value, "__array_interface__")) {
        first = from_dlpack(value);
    } else {
        first = PyArray_FromAny(value, NULL, 0, 0, 0, NULL);
    }
    if (!first) return fail_argument(function, name);
    int type = PyArray_TYPE((PyArrayObject *)first) == NPY_FLOAT ? NPY_FLOAT : NPY_DOUBLE;
    if (!is_real(PyArray_TYPE((PyArrayObject *)first))) {
        PyErr_Format(PyExc_TypeError, "its dtype is %S", PyArray_DESCR((PyArrayObject *)first));
        Py_DECREF(first);
        return fail_argument(function, name);
    }
    PyObject *array = PyArray_FromAny(first, PyArray_DescrFromType(type), 0, 0,
                                      NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_ENSUREARRAY, NULL);
    Py_DECREF(first);
    return array ? (PyArrayObject *)array : fail_argument(function, name);
}

/* "(3, 4)", "(3,)", "()" */
static void write_shape(char text[100], int nd, const npy_intp *dims)
{
    size_t n = (size_t)PyOS_snprintf(text, 100, "(");
    for (int k = 0; k < nd && n < 80; k++)
        n += (size_t)PyOS_snprintf(text + n, 100 - n, "%ld%s", (long)dims[k], k + 1 < nd ? ", " : nd == 1 ? "," : "");
    PyOS_snprintf(text + n, 100 - n, ")");
}

PyObject *pn_py_copied_array(const char *function, const char *name, PyObject *value, npy_intp rows, npy_intp columns)
{
    const npy_intp dims[2] = {rows, columns};
    const int nd = columns ? 2 : 1;
    char has[160], wants[100];
    double x;
    PyArrayObject *a = pn_py_array(function, name, value);
    if (!a) return NULL;
    PyObject *copy = NULL;
    if (PyArray_NDIM(a) == nd && PyArray_CompareLists(PyArray_DIMS(a), dims, nd)) {
        copy = PyArray_FromAny((PyObject *)a, PyArray_DescrFromType(NPY_DOUBLE), 0, 0,
                               NPY_ARRAY_CARRAY | NPY_ARRAY_ENSURECOPY, NULL);
    } else {
        write_shape(has, PyArray_NDIM(a), PyArray_DIMS(a));
        write_shape(wants, nd, dims);
        pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: %s has the shape %s; expected %s", function, name, has, wants);
    }
    Py_DECREF((PyObject *)a);
    if (copy && pn_py_not_finite((PyArrayObject *)copy, has, &x)) {
        pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: %s[%s] is not finite", function, name, has);
        Py_CLEAR(copy);
    }
    return copy;
}
