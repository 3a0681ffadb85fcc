/* Copies of a model with changes, and files of it. */
#include "binding.h"

#include <string.h>

/* the model's path or None, package_path or None: (model with the points of mesh files, files, left out, why) */
static PyObject *model_meshes(PyObject *self, PyObject *args)
{
    const char *path, *packages;
    if (!PyArg_ParseTuple(args, "zz", &path, &packages)) return NULL;
    pinion_error err;
    pinion_mesh_report report = {0, 0, ""};
    pinion_model *made = pinion_model_read_meshes(((model_object *)self)->model, path, packages, &report, &err);
    PyObject *model = made ? pn_py_model_wrap(Py_TYPE(self), made) : pn_py_fail_with(&err);
    return model ? Py_BuildValue("(NiiN)", model, report.files, report.left_out, pn_py_text(report.why)) : NULL;
}

/* collision, points (n, 3): the model with these */
static PyObject *model_with_points(PyObject *self, PyObject *args)
{
    int collision;
    PyArrayObject *points;
    if (!PyArg_ParseTuple(args, "iO!", &collision, &PyArray_Type, &points)) return NULL;
    if (PyArray_TYPE(points) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(points) || PyArray_NDIM(points) != 2 ||
        PyArray_DIM(points, 1) != 3)
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "points has the wrong shape; expected (n, 3)");
    pinion_error err;
    pinion_model *made = pinion_model_with_points(((model_object *)self)->model, collision, (int)PyArray_DIM(points, 0),
                                                  PyArray_DATA(points), &err);
    return made ? pn_py_model_wrap(Py_TYPE(self), made) : pn_py_fail_with(&err);
}

static PyObject *model_edited(PyObject *self, PyObject *args)
{
    const char *what;
    int index;
    double x[12] = {0};
    if (!PyArg_ParseTuple(args, "si(dddddddddddd)", &what, &index, &x[0], &x[1], &x[2], &x[3], &x[4], &x[5],
                          &x[6], &x[7], &x[8], &x[9], &x[10], &x[11]))
        return NULL;
    pinion_model *copy = pinion_model_copy(((model_object *)self)->model);
    if (!copy) return PyErr_NoMemory();
    pinion_status status;
    if (strcmp(what, "gravity") == 0) {
        status = pinion_model_set_gravity(copy, x);
    } else if (strcmp(what, "payload") == 0 || strcmp(what, "inertia") == 0) {
        pinion_inertia load = {x[0], {x[1], x[2], x[3]}, {x[4], x[5], x[6], x[7], x[8], x[9]}};
        status = what[0] == 'i' ? pinion_model_set_inertia(copy, index, &load)
                                : pinion_model_set_payload(copy, index, &load);
    } else if (strcmp(what, "dof") == 0) { /* x[0]: which of the joint, then its numbers */
        pinion_dof dof = {0, 0, 0, 0, x[1], x[2], x[3], x[4], x[5], x[6], x[7], {x[10], x[11]}, {x[8], x[9]}};
        status = pinion_model_set_dof(copy, index, (int)x[0], &dof);
    } else {
        pinion_pose pose;
        memcpy(pose.position, x, sizeof pose.position);
        memcpy(pose.rotation, x + 3, sizeof pose.rotation);
        status = pinion_model_set_frame(copy, index, &pose);
    }
    if (status) {
        pinion_model_free(copy);
        return pn_py_fail(status, 0, 0, "with_%s: %s", what,
                          strcmp(what, "payload") == 0 || strcmp(what, "inertia") == 0
                              ? "mass, com and inertia are those of no body"
                          : strcmp(what, "dof") == 0 ? "a number is below 0, or the joint has no spring"
                                                     : pinion_status_text(status));
    }
    return pn_py_model_wrap(Py_TYPE(self), copy);
}

static PyObject *made_of(PyObject *self, pinion_model *made, const pinion_error *err)
{
    return made ? pn_py_model_wrap(Py_TYPE(self), made) : pn_py_fail_with(err);
}

/* numbers of joints, q: the model with these joints fixed */
static PyObject *model_reduced(PyObject *self, PyObject *args)
{
    const model_object *m = (model_object *)self;
    PyObject *list;
    PyArrayObject *q;
    if (!PyArg_ParseTuple(args, "O!O!", &PyTuple_Type, &list, &PyArray_Type, &q)) return NULL;
    if (PyArray_TYPE(q) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(q) || PyArray_SIZE(q) != m->dim[-PN_NQ])
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "q has the wrong shape; expected (%ld,)",
                          (long)m->dim[-PN_NQ]);
    Py_ssize_t count = PyTuple_Size(list);
    int *joints = PyMem_Malloc(((size_t)count + 1) * sizeof *joints);
    if (!joints) return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; i++) joints[i] = (int)PyLong_AsLong(PyTuple_GetItem(list, i));
    pinion_error err;
    PyObject *made =
        PyErr_Occurred()
            ? NULL
            : made_of(self, pinion_model_reduce(m->model, (int)count, joints, PyArray_DATA(q), &err), &err);
    PyMem_Free(joints);
    return made;
}

/* what, link or frame's name or old name, new name or link, 12 numbers: the model with a change */
static PyObject *model_made(PyObject *self, PyObject *args)
{
    const pinion_model *m = ((model_object *)self)->model;
    const char *what, *first, *second;
    double x[12] = {0};
    if (!PyArg_ParseTuple(args, "szz(dddddddddddd)", &what, &first, &second, &x[0], &x[1], &x[2], &x[3], &x[4], &x[5],
                          &x[6], &x[7], &x[8], &x[9], &x[10], &x[11]))
        return NULL;
    pinion_error err;
    pinion_model *made;
    if (strcmp(what, "subtree") == 0) {
        made = pinion_model_subtree(m, pinion_model_find_link(m, first), &err);
    } else if (strcmp(what, "rename") == 0) {
        made = pinion_model_rename(m, first, second, &err);
    } else if (strcmp(what, "scale") == 0) {
        made = pinion_model_scale(m, x[0], x[1], &err);
    } else {
        pinion_frame_def def = pinion_frame_def_default();
        def.name = first;
        def.link = second;
        memcpy(def.pose.position, x, sizeof def.pose.position);
        memcpy(def.pose.rotation, x + 3, sizeof def.pose.rotation);
        made = pinion_model_add_frame(m, &def, &err);
    }
    return made_of(self, made, &err);
}

/* frame, part, prefix or None, pose (12 numbers): the model with the part fixed to the frame */
static PyObject *model_attached(PyObject *self, PyObject *args)
{
    PyObject *part;
    const char *prefix;
    int frame;
    double x[12];
    if (!PyArg_ParseTuple(args, "iO!z(dddddddddddd)", &frame, pn_py_model_type, &part, &prefix, &x[0], &x[1],
                          &x[2], &x[3], &x[4], &x[5], &x[6], &x[7], &x[8], &x[9], &x[10], &x[11]))
        return NULL;
    pinion_pose pose;
    memcpy(pose.position, x, sizeof pose.position);
    memcpy(pose.rotation, x + 3, sizeof pose.rotation);
    pinion_error err;
    return made_of(self,
                   pinion_model_attach(((model_object *)self)->model, frame, ((model_object *)part)->model,
                                       prefix, &pose, &err),
                   &err);
}

static PyObject *model_text(PyObject *self, PyObject *args)
{
    int format;
    if (!PyArg_ParseTuple(args, "i", &format)) return NULL;
    pinion_error err;
    char *text = pinion_save_string(((model_object *)self)->model, (pinion_format)format, &err);
    if (!text) return pn_py_fail_with(&err);
    PyObject *answer = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    pinion_free(text);
    return answer;
}

/* What a format cannot hold is left out, and told. */
static PyObject *save_telling(const pinion_model *m, const char *path, pinion_format format)
{
    pinion_error err;
    char *told = NULL, *text = pinion_save_string_telling(m, format, &told, &err);
    pinion_status status = text ? pinion_write_file(path, text, strlen(text), &err) : err.status;
    PyObject *answer = status ? pn_py_fail_with(&err) : pn_py_text(told ? told : "");
    pinion_free(text);
    pinion_free(told);
    return answer;
}

/* path, format, strict: what was left out, a line each */
static PyObject *model_save(PyObject *self, PyObject *args)
{
    const pinion_model *m = ((model_object *)self)->model;
    PyObject *path, *answer;
    int format, strict;
    if (!PyArg_ParseTuple(args, "O&ip", PyUnicode_FSConverter, &path, &format, &strict)) return NULL;
    pinion_error err;
    if (!strict)
        answer = save_telling(m, PyBytes_AsString(path), (pinion_format)format);
    else if (pinion_save(m, PyBytes_AsString(path), (pinion_format)format, &err))
        answer = pn_py_fail_with(&err);
    else
        answer = pn_py_text("");
    Py_DECREF(path);
    return answer;
}

PyMethodDef pn_py_copy_methods[] = {
    {"_edited", model_edited, METH_VARARGS, NULL},
    {"_reduced", model_reduced, METH_VARARGS, NULL},
    {"_attached", model_attached, METH_VARARGS, NULL},
    {"_made", model_made, METH_VARARGS, NULL},
    {"_meshes", model_meshes, METH_VARARGS, NULL},
    {"_with_points", model_with_points, METH_VARARGS, NULL},
    {"_text", model_text, METH_VARARGS, NULL},
    {"_save", model_save, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
