/* The elements of a model, as tuples that Python makes named ones of. */
#include "binding.h"

#include <string.h>

PyObject *pn_py_text(const char *text)
{
    if (!text) return Py_NewRef(Py_None);
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* Numbers as an array that nobody changes. */
static PyObject *numbers(const double *x, int rows, int columns)
{
    npy_intp dims[2] = {rows, columns};
    PyArrayObject *a = (PyArrayObject *)PyArray_SimpleNew(columns ? 2 : 1, dims, NPY_DOUBLE);
    if (!a) return NULL;
    memcpy(PyArray_DATA(a), x, (size_t)rows * (size_t)(columns ? columns : 1) * sizeof *x);
    PyArray_CLEARFLAGS(a, NPY_ARRAY_WRITEABLE);
    return (PyObject *)a;
}

static PyObject *pose_of(const pinion_pose *p)
{
    return Py_BuildValue("(NN)", numbers(p->position, 3, 0), numbers(p->rotation, 3, 3));
}

static PyObject *dofs_of(const pinion_joint_info *j)
{
    PyObject *dofs = PyTuple_New(j->dof_count);
    for (int i = 0; dofs && i < j->dof_count; i++) {
        const pinion_dof *d = &j->dof[i];
        PyObject *dof = Py_BuildValue("(ddddddddddd(dd)(dd))", d->lower, d->upper, d->velocity, d->effort, d->damping,
                                      d->friction_positive, d->friction_negative, d->rotor_inertia,
                                      d->gear_ratio, d->stiffness, d->rest, d->damping_curve[0], d->damping_curve[1],
                                      d->stiffness_curve[0], d->stiffness_curve[1]);
        if (!dof)
            Py_CLEAR(dofs);
        else
            PyTuple_SetItem(dofs, i, dof);
    }
    return dofs;
}

static PyObject *joint_of(const pinion_joint_info *j)
{
    return Py_BuildValue("(Nsiiiiiiiiddii)NNNdN", pn_py_text(j->name), pinion_joint_type_name(j->type),
                         j->parent, j->child, j->body, j->q_index, j->nq, j->v_index, j->nv, j->leader,
                         j->multiplier, j->offset, j->reversed, !j->unactuated, pose_of(&j->parent_pose),
                         pose_of(&j->child_pose), numbers(j->axis, 3, 0), j->pitch, dofs_of(j));
}

static PyObject *inertia_of(const pinion_inertia *x)
{
    double full[9] = {x->inertia[0], x->inertia[1], x->inertia[2], x->inertia[1], x->inertia[3],
                      x->inertia[4], x->inertia[2], x->inertia[4], x->inertia[5]};
    return Py_BuildValue("(dNN)", x->mass, numbers(x->com, 3, 0), numbers(full, 3, 3));
}

static PyObject *actuator_of(const pinion_actuator_info *u)
{
    PyObject *terms = PyTuple_New(u->term_count);
    for (int i = 0; terms && i < u->term_count; i++) {
        const pinion_actuator_term *t = &u->term[i];
        PyObject *term = Py_BuildValue("(iidid)", t->joint, t->dof, t->weight, t->v_index, t->factor);
        if (!term)
            Py_CLEAR(terms);
        else
            PyTuple_SetItem(terms, i, term);
    }
    return Py_BuildValue("(NsiNddNdNdiid(dNNNdNN))", pn_py_text(u->name), pinion_actuator_type_name(u->type), u->frame,
                         numbers(u->wrench, 6, 0), u->gear, u->efficiency, numbers(u->effort, 2, 0), u->velocity,
                         terms, pinion_actuator_time_constant(u), u->reference, u->tendon, u->rod,
                         u->law.gain, numbers(u->law.bias, 3, 0), numbers(u->law.control, 2, 0),
                         numbers(u->law.slope, 2, 0), u->law.filter, PyBool_FromLong(u->law.integrates),
                         numbers(u->law.state, 2, 0));
}

static PyObject *visual_of(const pinion_visual_info *v)
{
    return Py_BuildValue("(isNNNN)", v->link, pinion_shape_name(v->shape), pose_of(&v->pose), numbers(v->size, 3, 0),
                         pn_py_text(v->mesh), numbers(v->rgba, 4, 0));
}

static PyObject *collision_of(const pinion_collision_info *c)
{
    PyObject *data = c->data ? numbers(c->data, c->rows, c->columns) : Py_NewRef(Py_None);
    return Py_BuildValue("(iNsNNNNNddiIIi)", c->link, pn_py_text(c->name), pinion_shape_name(c->shape),
                         pose_of(&c->pose), numbers(c->size, 3, 0), pn_py_text(c->mesh), data,
                         numbers(c->friction, 3, 0), c->restitution, c->margin, c->dimension, c->category, c->mask,
                         c->group);
}

static PyObject *tendon_of(const pinion_tendon_info *t)
{
    PyObject *terms = PyTuple_New(t->count);
    for (int k = 0; terms && k < t->count; k++)
        PyTuple_SetItem(terms, k, Py_BuildValue("(id)", t->term[k].index, t->term[k].weight));
    return Py_BuildValue("(NsNddNNNN)", pn_py_text(t->name), t->type == PINION_TENDON_PATH ? "path" : "joints", terms,
                         t->stiffness, t->damping, numbers(t->rest, 2, 0), numbers(t->limits, 2, 0),
                         numbers(t->damping_curve, 2, 0), numbers(t->stiffness_curve, 2, 0));
}

static PyObject *state_of(const pinion_model *m, int i)
{
    npy_intp nq = pinion_model_nq(m), nv = pinion_model_nv(m);
    PyObject *q = PyArray_SimpleNew(1, &nq, NPY_DOUBLE), *v = PyArray_SimpleNew(1, &nv, NPY_DOUBLE);
    if (q && v &&
        !pinion_model_state(m, i, PyArray_DATA((PyArrayObject *)q), PyArray_DATA((PyArrayObject *)v)))
        return Py_BuildValue("(NNN)", pn_py_text(pinion_model_state_name(m, i)), q, v);
    Py_XDECREF(q);
    Py_XDECREF(v);
    return NULL;
}

static PyObject *group_of(const pinion_model *m, int i)
{
    int count;
    const int *joints = pinion_model_group(m, i, &count);
    PyObject *numbers_of = joints ? PyTuple_New(count) : NULL;
    for (int k = 0; numbers_of && k < count; k++) PyTuple_SetItem(numbers_of, k, PyLong_FromLong(joints[k]));
    return numbers_of ? Py_BuildValue("(NN)", pn_py_text(pinion_model_group_name(m, i)), numbers_of) : NULL;
}

static PyObject *element(const pinion_model *m, const char *kind, int i)
{
    if (strcmp(kind, "state") == 0) return state_of(m, i);
    if (strcmp(kind, "group") == 0) return group_of(m, i);
    if (strcmp(kind, "actuator") == 0) {
        pinion_actuator_info u;
        return pinion_model_actuator(m, i, &u) ? NULL : actuator_of(&u);
    }
    if (strcmp(kind, "tendon") == 0) {
        pinion_tendon_info t;
        return pinion_model_tendon(m, i, &t) ? NULL : tendon_of(&t);
    }
    if (strcmp(kind, "visual") == 0) {
        pinion_visual_info v;
        return pinion_model_visual(m, i, &v) ? NULL : visual_of(&v);
    }
    if (strcmp(kind, "collision") == 0) {
        pinion_collision_info c;
        return pinion_model_collision(m, i, &c) ? NULL : collision_of(&c);
    }
    if (strcmp(kind, "exclusion") == 0) {
        int links[2];
        return pinion_model_exclusion(m, i, links) ? NULL : Py_BuildValue("(ii)", links[0], links[1]);
    }
    if (strcmp(kind, "pair") == 0) {
        pinion_collision_pair_info p;
        if (pinion_model_collision_pair(m, i, &p)) return NULL;
        return Py_BuildValue("(iiNdi)", p.first, p.second, numbers(p.friction, 3, 0), p.margin, p.dimension);
    }
    if (strcmp(kind, "parameters") == 0) {
        pinion_joint_info j;
        double p[6 * 4];
        if (pinion_model_joint(m, i, &j) || pinion_model_joint_parameters(m, i, p)) return NULL;
        return numbers(p, j.dof_count, 4);
    }
    if (strcmp(kind, "joint") == 0) {
        pinion_joint_info j;
        return pinion_model_joint(m, i, &j) ? NULL : joint_of(&j);
    }
    if (strcmp(kind, "link") == 0) {
        pinion_link_info l;
        return pinion_model_link(m, i, &l)
                   ? NULL
                   : Py_BuildValue("(NiiN)", pn_py_text(l.name), l.joint, l.body, inertia_of(&l.inertia));
    }
    if (strcmp(kind, "payload") == 0) {
        pinion_inertia load;
        return pinion_model_payload(m, i, &load) ? NULL : inertia_of(&load);
    }
    if (strcmp(kind, "frame") == 0) {
        pinion_frame_info f;
        return pinion_model_frame(m, i, &f)
                   ? NULL
                   : Py_BuildValue("(NiiN)", pn_py_text(f.name), f.link, f.body, pose_of(&f.pose));
    }
    if (strcmp(kind, "body") == 0) {
        pinion_body_info b;
        double p[10] = {0};
        if (pinion_model_body(m, i, &b) || (i && pinion_model_body_parameters(m, i, p))) return NULL;
        return Py_BuildValue("(NiiidN)", pn_py_text(b.name), b.parent, b.joint, b.link, b.mass,
                             numbers(p, 10, 0));
    }
    if (strcmp(kind, "loop") == 0) {
        pinion_loop_info l;
        if (pinion_model_loop(m, i, &l)) return NULL;
        return Py_BuildValue("(NsiiiiidddN)", pn_py_text(l.name), pinion_loop_kind_name(l.kind), l.row, l.rows,
                             l.nonholonomic, l.first, l.second, l.ratio, l.length, l.radius, numbers(l.curve, 3, 0));
    }
    return pn_py_text(pinion_model_warning(m, i));
}

static PyObject *model_element(PyObject *self, PyObject *args)
{
    const char *kind;
    int i;
    if (!PyArg_ParseTuple(args, "si", &kind, &i)) return NULL;
    PyObject *e = element(((model_object *)self)->model, kind, i);
    if (!e && !PyErr_Occurred()) pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "the model has no %s %d", kind, i);
    return e;
}

static PyObject *model_may_collide(PyObject *self, PyObject *args)
{
    const pinion_model *m = ((model_object *)self)->model;
    const int count = pinion_model_collision_count(m);
    int first, second;
    if (!PyArg_ParseTuple(args, "ii", &first, &second)) return NULL;
    if (first < 0 || second < 0 || first >= count || second >= count)
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "the model has no collision %d",
                          first < 0 || first >= count ? first : second);
    return PyBool_FromLong(pinion_model_may_collide(m, first, second));
}

/* index, the model's path or None, package_path or None */
static PyObject *model_points(PyObject *self, PyObject *args)
{
    int index, count = 0;
    const char *path, *packages;
    if (!PyArg_ParseTuple(args, "izz", &index, &path, &packages)) return NULL;
    pinion_error err;
    double *points =
        pinion_collision_points(((model_object *)self)->model, index, path, packages, &count, &err);
    PyObject *made = points ? numbers(points, count, 3) : pn_py_fail_with(&err);
    pinion_free(points);
    return made;
}

PyMethodDef pn_py_element_methods[] = {
    {"_element", model_element, METH_VARARGS, NULL},
    {"_points", model_points, METH_VARARGS, NULL},
    {"may_collide", model_may_collide, METH_VARARGS,
     "may_collide($self, first, second, /)\n--\n\nWhether two collisions, by their numbers, may touch: not those of "
     "one body or\nof parent and child, and what the model's pairs, bits and groups say."},
    {NULL, NULL, 0, NULL},
};
