/* What the extension shares with the command: the command itself, and the page of a report. */
#include "binding.h"

#include <stdlib.h>
#include <string.h>

#include "cli/args/entry.h"
#include "cli/report/document.h"
#include "cli/report/report.h"

/* words, as bytes: the exit status. Only for a process that is the command: it prints, and takes over
 * signals. */
PyObject *pn_py_command(PyObject *module, PyObject *args)
{
    (void)module;
    Py_ssize_t count = PyTuple_Size(args);
    char **words = calloc((size_t)count + 1, sizeof *words);
    if (!words) return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!(words[i] = PyBytes_AsString(PyTuple_GetItem(args, i)))) {
            free(words);
            return NULL;
        }
    }
    int status;
    Py_BEGIN_ALLOW_THREADS status = pn_cli_main((int)count, words);
    Py_END_ALLOW_THREADS free(words);
    return PyLong_FromLong(status);
}

/* The document of a result's file, or of configurations at instants. NULL with `err` filled. */
static cli_document *document_of(const model_object *m, const char *model_path, const char *title,
                                 const char *result_path, PyArrayObject *t, PyArrayObject *q,
                                 pinion_error *err)
{
    pinion_result *r = result_path ? pinion_result_load(result_path, err) : NULL;
    if (result_path && !r) return NULL;
    cli_document *doc = pn_cli_document_new(title, NULL);
    if (r)
        pn_cli_document_result(doc, r, m->model, model_path);
    else
        pn_cli_document_playback(doc, m->model, model_path, (size_t)PyArray_SIZE(t), PyArray_DATA(t),
                                 PyArray_DATA(q));
    pinion_result_free(r);
    if (!doc) err->status = PINION_ERR_MEMORY;
    return doc;
}

/* model, its file or None, title, a result's file or None, t, q: the page, as bytes */
PyObject *pn_py_page(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model;
    PyArrayObject *t, *q;
    const char *model_path, *title, *result_path;
    if (!PyArg_ParseTuple(args, "O!zszO!O!", pn_py_model_type, &model, &model_path, &title, &result_path,
                          &PyArray_Type, &t, &PyArray_Type, &q))
        return NULL;
    const model_object *m = (model_object *)model;
    if (!pn_cli_document_has_page())
        return pn_py_fail(PINION_ERR_UNSUPPORTED, 0, 0,
                          "show: this build has no page: node and npm were not there when it was made");
    if (PyArray_TYPE(t) != NPY_DOUBLE || PyArray_TYPE(q) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(t) ||
        !PyArray_ISCARRAY_RO(q) || PyArray_SIZE(q) != PyArray_SIZE(t) * m->dim[-PN_NQ])
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "show: q has the wrong shape; expected (%ld, %ld)",
                          (long)PyArray_SIZE(t), (long)m->dim[-PN_NQ]);
    pinion_error err = {PINION_OK, 0, 0, ""};
    size_t size = 0;
    char *page = NULL;
    Py_BEGIN_ALLOW_THREADS cli_document *doc = document_of(m, model_path, title, result_path, t, q, &err);
    if (doc) page = pn_cli_document_page(doc, &size);
    if (doc && !page) err.status = PINION_ERR_MEMORY;
    pn_cli_document_free(doc);
    Py_END_ALLOW_THREADS if (!page) return pn_py_fail_with(&err);
    PyObject *bytes = PyBytes_FromStringAndSize(page, (Py_ssize_t)size);
    free(page);
    return bytes;
}
