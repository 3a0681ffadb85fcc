/* What the extension shares with the command: the command itself, and the page of a report. */
#include "job.h"

#include <stdlib.h>

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

typedef struct drawing {
    job base;
    const model_object *m;
    const char *model_path, *title, *result_path;
    const double *t, *q;
    size_t count;
    char *page;
    size_t size;
    pinion_error err;
} drawing;

/* The document of a result's file, or of configurations at instants. */
static void draw(job *j)
{
    drawing *d = (drawing *)j;
    pinion_result *r = d->result_path ? pinion_result_load(d->result_path, &d->err) : NULL;
    if (d->result_path && !r) return;
    cli_document *doc = pn_cli_document_new(d->title, NULL);
    if (r)
        pn_cli_document_result(doc, r, d->m->model, d->model_path);
    else
        pn_cli_document_playback(doc, d->m->model, d->model_path, d->count, d->t, d->q);
    pinion_result_free(r);
    if (doc) d->page = pn_cli_document_page(doc, &d->size);
    pn_cli_document_free(doc);
    if (!d->page) d->err.status = PINION_ERR_MEMORY;
}

static void release(job *j)
{
    free(((drawing *)j)->page);
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
    drawing *d = pn_py_job(sizeof *d, draw, release);
    if (!d) return NULL;
    pn_py_job_keep(&d->base, args);
    d->m = m;
    d->model_path = model_path;
    d->title = title;
    d->result_path = result_path;
    d->t = PyArray_DATA(t);
    d->q = PyArray_DATA(q);
    d->count = (size_t)PyArray_SIZE(t);
    if (!pn_py_job_run(&d->base, 0)) return NULL;
    PyObject *bytes = d->page ? PyBytes_FromStringAndSize(d->page, (Py_ssize_t)d->size) : pn_py_fail_with(&d->err);
    pn_py_job_end(&d->base);
    return bytes;
}
