/* The type behind pinion.Model: a model of the C library, its workspaces, and what can be read of it. */
#include "binding.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

PyTypeObject *pn_py_model_type;
atomic_int pn_py_forked;

/* ---------------------------------------------------------------------------------------------
 * Workspaces and batches */

_Thread_local int pn_py_thread_slot = -1;
static _Atomic(uint64_t) slots_in_use;
static pthread_key_t slot_key;
static int has_slot_key;

/* When a thread ends, another may have its slot, with what is in it. */
static void give_slot_back(void *number)
{
    atomic_fetch_and(&slots_in_use, ~(UINT64_C(1) << ((intptr_t)number - 1)));
}

int pn_py_find_slot(void)
{
    uint64_t used = atomic_load(&slots_in_use);
    int slot = PN_SLOTS - 1;
    while (has_slot_key) {
        for (slot = 0; slot < PN_SLOTS - 1 && (used >> slot & 1); slot++) continue;
        if (slot == PN_SLOTS - 1 ||
            atomic_compare_exchange_weak(&slots_in_use, &used, used | UINT64_C(1) << slot))
            break;
    }
    if (slot < PN_SLOTS - 1 && pthread_setspecific(slot_key, (void *)(intptr_t)(slot + 1))) {
        give_slot_back((void *)(intptr_t)(slot + 1));
        slot = PN_SLOTS - 1;
    }
    return pn_py_thread_slot = slot;
}

static int threads_of(const model_object *m)
{
    int wanted = atomic_load(&m->threads), there = pinion_threads_available();
    if (atomic_load(&pn_py_forked))
        return 1; /* OpenMP's threads did not come along, and it would wait for them */
    return wanted < 1 || wanted > there ? there : wanted;
}

pinion_batch *pn_py_take_batch(model_object *m)
{
    int threads = threads_of(m);
    /* taken out: a signal handler may make a call of its own between two pieces of this one */
    pinion_batch *b = atomic_exchange(&m->batch[pn_py_slot()], NULL);
    if (!b) {
        b = pinion_batch_new(m->model, threads);
        if (b && m->code && pinion_batch_use(b, m->code))
            PyErr_Clear(); /* which its own code never is refused */
    }
    if (b && pinion_batch_threads(b) != threads && pinion_batch_set_threads(b, threads)) {
        pn_py_put_batch(m, b);
        b = NULL;
    }
    if (!b) PyErr_NoMemory();
    return b;
}

void pn_py_put_batch(model_object *m, pinion_batch *b)
{
    pinion_batch_free(atomic_exchange(&m->batch[pn_py_slot()], b));
}

/* ---------------------------------------------------------------------------------------------
 * The object */

PyObject *pn_py_model_wrap(PyTypeObject *type, pinion_model *model)
{
    model_object *m = (model_object *)PyType_GenericAlloc(type, 0);
    if (!m) {
        pinion_model_free(model);
        return NULL;
    }
    m->model = model;
    m->dim[-PN_NQ] = pinion_model_nq(model);
    m->dim[-PN_NV] = pinion_model_nv(model);
    m->dim[-PN_BODIES] = pinion_model_body_count(model);
    m->dim[-PN_FRAMES] = pinion_model_frame_count(model);
    m->dim[-PN_PARAMETERS] = 10 * (m->dim[-PN_BODIES] - 1);
    m->dim[-PN_STATES] = 2 * m->dim[-PN_NV];
    m->dim[-PN_ROWS] = pinion_model_row_count(model);
    m->dim[-PN_LOOP_NQ] = pinion_model_loop_nq(model);
    m->dim[-PN_LOOP_NV] = pinion_model_loop_nv(model);
    m->dim[-PN_LOOPS] = pinion_model_loop_count(model);
    m->dim[-PN_NU] = pinion_model_actuator_count(model);
    for (int i = 0; i < pinion_model_joint_count(model); i++) {
        pinion_joint_info j;
        if (!pinion_model_joint(model, i, &j)) m->dim[-PN_JOINT_PARAMETERS] += 4 * j.dof_count;
    }
    return (PyObject *)m;
}

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    (void)type, (void)args, (void)names;
    PyErr_SetString(PyExc_TypeError, "a Model comes from pinion.load(), load_string() or Builder.build()");
    return NULL;
}

static void model_dealloc(PyObject *self)
{
    model_object *m = (model_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    for (int i = 0; i < PN_SLOTS; i++) {
        pinion_work_free(atomic_load(&m->work[i]));
        pinion_work_f32_free(atomic_load(&m->work_f32[i]));
        pinion_batch_free(atomic_load(&m->batch[i]));
    }
    pinion_compiled_free(m->code);
    pinion_model_free(m->model);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

/* ---------------------------------------------------------------------------------------------
 * Numbers of it */

static PyObject *get_dim(PyObject *self, void *which)
{
    return PyLong_FromSsize_t(((model_object *)self)->dim[(intptr_t)which]);
}

static PyObject *get_name(PyObject *self, void *unused)
{
    (void)unused;
    const char *name = pinion_model_name(((model_object *)self)->model);
    return PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
}

static PyObject *get_mass(PyObject *self, void *fixed)
{
    const pinion_model *m = ((model_object *)self)->model;
    return PyFloat_FromDouble(fixed ? pinion_model_fixed_mass(m) : pinion_model_mass(m));
}

static PyObject *get_gravity(PyObject *self, void *unused)
{
    (void)unused;
    npy_intp three = 3;
    PyObject *g = PyArray_SimpleNew(1, &three, NPY_DOUBLE);
    if (g) pinion_model_gravity(((model_object *)self)->model, PyArray_DATA((PyArrayObject *)g));
    return g;
}

static PyObject *get_threads(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(threads_of((model_object *)self));
}

static int set_threads(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    long n = value && value != Py_None ? PyLong_AsLong(value) : 0;
    if (n == -1 && PyErr_Occurred()) PyErr_Clear();
    if (n < 0 || n > 4096 || (value && value != Py_None && n == 0)) {
        PyObject *text = PyObject_Repr(value);
        const char *given = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
        if (given)
            pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "threads is %.60s; expected 1 to 4096, or None for all there are",
                       given);
        Py_XDECREF(text);
        return -1;
    }
    atomic_store(&((model_object *)self)->threads, (int)n);
    return 0;
}

/* What was set: 0 for all there are. Models that are made of this one have it, too. */
static PyObject *get_threads_set(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(atomic_load(&((model_object *)self)->threads));
}

static PyObject *get_isa(PyObject *self, void *unused)
{
    (void)unused;
    pinion_batch *b = pn_py_take_batch((model_object *)self);
    if (!b) return NULL;
    PyObject *isa =
        Py_BuildValue("(sii)", pinion_batch_isa(b), pinion_batch_lanes(b), pinion_batch_lanes_f32(b));
    pn_py_put_batch((model_object *)self, b);
    return isa;
}

static PyObject *get_counts(PyObject *self, void *unused)
{
    (void)unused;
    const pinion_model *m = ((model_object *)self)->model;
    return Py_BuildValue("(iiiiiiiiiiiiiiii)", pinion_model_link_count(m), pinion_model_joint_count(m),
                         pinion_model_loop_count(m), pinion_model_row_count(m), pinion_model_loop_nq(m),
                         pinion_model_loop_nv(m), pinion_model_visual_count(m), pinion_model_warning_count(m),
                         pinion_model_frame_count(m), pinion_model_actuators_listed(m),
                         pinion_model_state_count(m), pinion_model_group_count(m), pinion_model_collision_count(m),
                         pinion_model_exclusion_count(m), pinion_model_collision_pair_count(m),
                         pinion_model_tendon_count(m));
}

static PyGetSetDef model_getset[] = {
    {"nq", get_dim, NULL, "coordinates of position", (void *)(intptr_t)-PN_NQ},
    {"nv", get_dim, NULL, "coordinates of velocity", (void *)(intptr_t)-PN_NV},
    {"nu", get_dim, NULL, "actuators", (void *)(intptr_t)-PN_NU},
    {"nbody", get_dim, NULL, "bodies, with the base, body 0", (void *)(intptr_t)-PN_BODIES},
    {"name", get_name, NULL, "as the file or the builder gave it", NULL},
    {"mass", get_mass, NULL, "kg, of the bodies that can move", NULL},
    {"fixed_mass", get_mass, NULL, "kg, welded to the world", (void *)1},
    {"gravity_vector", get_gravity, NULL, "m/s^2, in the world", NULL},
    {"threads", get_threads, set_threads, "how many a batch may use; set None for all there are", NULL},
    {"_threads", get_threads_set, NULL, "what threads was set to, 0: None", NULL},
    {"_isa", get_isa, NULL, "instruction set of batches, states at once in double and in float", NULL},
    {"_counts", get_counts, NULL,
     "links, joints, loops, rows, loop_nq, loop_nv, visuals, warnings, frames, listed, states, groups, "
     "collisions, exclusions, pairs, tendons",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* ---------------------------------------------------------------------------------------------
 * Its elements, as tuples that Python makes named ones of */

static PyObject *text_of(const char *text)
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
        PyObject *dof = Py_BuildValue("(ddddddddddd)", d->lower, d->upper, d->velocity, d->effort, d->damping,
                                      d->friction_positive, d->friction_negative, d->rotor_inertia,
                                      d->gear_ratio, d->stiffness, d->rest);
        if (!dof)
            Py_CLEAR(dofs);
        else
            PyTuple_SetItem(dofs, i, dof);
    }
    return dofs;
}

static PyObject *joint_of(const pinion_joint_info *j)
{
    return Py_BuildValue("(Nsiiiiiiiiddii)NNNdN", text_of(j->name), pinion_joint_type_name(j->type),
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
    return Py_BuildValue("(NsiNddNdNdiid(dNN))", text_of(u->name), pinion_actuator_type_name(u->type), u->frame,
                         numbers(u->wrench, 6, 0), u->gear, u->efficiency, numbers(u->effort, 2, 0), u->velocity,
                         terms, pinion_actuator_time_constant(u), u->reference, u->tendon, u->rod,
                         u->law.gain, numbers(u->law.bias, 3, 0), numbers(u->law.control, 2, 0));
}

static PyObject *visual_of(const pinion_visual_info *v)
{
    return Py_BuildValue("(isNNNN)", v->link, pinion_shape_name(v->shape), pose_of(&v->pose), numbers(v->size, 3, 0),
                         text_of(v->mesh), numbers(v->rgba, 4, 0));
}

static PyObject *collision_of(const pinion_collision_info *c)
{
    PyObject *data = c->data ? numbers(c->data, c->rows, c->columns) : Py_NewRef(Py_None);
    return Py_BuildValue("(iNsNNNNNddiIIi)", c->link, text_of(c->name), pinion_shape_name(c->shape), pose_of(&c->pose),
                         numbers(c->size, 3, 0), text_of(c->mesh), data, numbers(c->friction, 3, 0), c->restitution,
                         c->margin, c->dimension, c->category, c->mask, c->group);
}

static PyObject *tendon_of(const pinion_tendon_info *t)
{
    PyObject *terms = PyTuple_New(t->count);
    for (int k = 0; terms && k < t->count; k++)
        PyTuple_SetItem(terms, k, Py_BuildValue("(id)", t->term[k].index, t->term[k].weight));
    return Py_BuildValue("(NsNddNN)", text_of(t->name), t->type == PINION_TENDON_PATH ? "path" : "joints", terms,
                         t->stiffness, t->damping, numbers(t->rest, 2, 0), numbers(t->limits, 2, 0));
}

static PyObject *state_of(const pinion_model *m, int i)
{
    npy_intp nq = pinion_model_nq(m), nv = pinion_model_nv(m);
    PyObject *q = PyArray_SimpleNew(1, &nq, NPY_DOUBLE), *v = PyArray_SimpleNew(1, &nv, NPY_DOUBLE);
    if (q && v &&
        !pinion_model_state(m, i, PyArray_DATA((PyArrayObject *)q), PyArray_DATA((PyArrayObject *)v)))
        return Py_BuildValue("(NNN)", text_of(pinion_model_state_name(m, i)), q, v);
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
    return numbers_of ? Py_BuildValue("(NN)", text_of(pinion_model_group_name(m, i)), numbers_of) : NULL;
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
                   : Py_BuildValue("(NiiN)", text_of(l.name), l.joint, l.body, inertia_of(&l.inertia));
    }
    if (strcmp(kind, "payload") == 0) {
        pinion_inertia load;
        return pinion_model_payload(m, i, &load) ? NULL : inertia_of(&load);
    }
    if (strcmp(kind, "frame") == 0) {
        pinion_frame_info f;
        return pinion_model_frame(m, i, &f)
                   ? NULL
                   : Py_BuildValue("(NiiN)", text_of(f.name), f.link, f.body, pose_of(&f.pose));
    }
    if (strcmp(kind, "body") == 0) {
        pinion_body_info b;
        double p[10] = {0};
        if (pinion_model_body(m, i, &b) || (i && pinion_model_body_parameters(m, i, p))) return NULL;
        return Py_BuildValue("(NiiidN)", text_of(b.name), b.parent, b.joint, b.link, b.mass,
                             numbers(p, 10, 0));
    }
    if (strcmp(kind, "loop") == 0) {
        pinion_loop_info l;
        if (pinion_model_loop(m, i, &l)) return NULL;
        return Py_BuildValue("(NsiiiiidddN)", text_of(l.name), pinion_loop_kind_name(l.kind), l.row, l.rows,
                             l.nonholonomic, l.first, l.second, l.ratio, l.length, l.radius, numbers(l.curve, 3, 0));
    }
    return text_of(pinion_model_warning(m, i));
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

/* ---------------------------------------------------------------------------------------------
 * Copies with changes, and files */

/* the model's path or None, package_path or None: (model with the points of mesh files, files, left out, why) */
static PyObject *model_meshes(PyObject *self, PyObject *args)
{
    const char *path, *packages;
    if (!PyArg_ParseTuple(args, "zz", &path, &packages)) return NULL;
    pinion_error err;
    pinion_mesh_report report = {0, 0, ""};
    pinion_model *made = pinion_model_read_meshes(((model_object *)self)->model, path, packages, &report, &err);
    PyObject *model = made ? pn_py_model_wrap(Py_TYPE(self), made) : pn_py_fail_with(&err);
    return model ? Py_BuildValue("(NiiN)", model, report.files, report.left_out, text_of(report.why)) : NULL;
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
        pinion_dof dof = {0, 0, 0, 0, x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
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
    PyObject *answer = status ? pn_py_fail_with(&err) : text_of(told ? told : "");
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
        answer = text_of("");
    Py_DECREF(path);
    return answer;
}

/* ---------------------------------------------------------------------------------------------
 * Configurations that come from the model */

static PyObject *model_neutral(PyObject *self, PyObject *unused)
{
    (void)unused;
    model_object *m = (model_object *)self;
    PyObject *q = PyArray_SimpleNew(1, &m->dim[-PN_NQ], NPY_DOUBLE);
    pinion_status status = q ? pinion_neutral(m->model, PyArray_DATA((PyArrayObject *)q)) : PINION_OK;
    if (!status) return q;
    Py_DECREF(q);
    return pn_py_fail(status, 0, 0, "neutral: %s", pinion_status_text(status));
}

static PyObject *model_initial(PyObject *self, PyObject *unused)
{
    (void)unused;
    model_object *m = (model_object *)self;
    PyObject *q = PyArray_SimpleNew(1, &m->dim[-PN_NQ], NPY_DOUBLE),
             *v = PyArray_SimpleNew(1, &m->dim[-PN_NV], NPY_DOUBLE);
    pinion_status status = PINION_OK;
    if (q && v) {
        status = pinion_initial(m->model, PyArray_DATA((PyArrayObject *)q), PyArray_DATA((PyArrayObject *)v));
        if (!status) return Py_BuildValue("(NN)", q, v);
        pn_py_fail(status, 0, 0, "initial: %s", pinion_status_text(status));
    }
    Py_XDECREF(q);
    Py_XDECREF(v);
    return NULL;
}

static PyObject *model_random(PyObject *self, PyObject *args)
{
    model_object *m = (model_object *)self;
    unsigned long long seed;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(args, "Kn", &seed, &count)) return NULL;
    npy_intp dims[2] = {count, m->dim[-PN_NQ]};
    PyObject *q = PyArray_SimpleNew(2, dims, NPY_DOUBLE);
    pinion_status status = PINION_OK;
    for (npy_intp i = 0; q && !status && i < count; i++) {
        status = pinion_random(m->model, seed + (uint64_t)i,
                               (double *)PyArray_DATA((PyArrayObject *)q) + i * dims[1]);
        if ((i & 1023) == 1023 && PyErr_CheckSignals() < 0) Py_CLEAR(q);
    }
    if (!status) return q;
    Py_DECREF(q);
    return pn_py_fail(status, 0, 0, "random: %s", pinion_status_text(status));
}

/* Rows of a new, contiguous array of doubles, in place. */
static PyObject *model_normalize(PyObject *self, PyObject *rows)
{
    model_object *m = (model_object *)self;
    PyArrayObject *a = (PyArrayObject *)rows;
    npy_intp nq = m->dim[-PN_NQ];
    if (!PyArray_Check(rows) || PyArray_TYPE(a) != NPY_DOUBLE || !PyArray_ISCARRAY(a) ||
        PyArray_NDIM(a) < 1 || PyArray_DIM(a, PyArray_NDIM(a) - 1) != nq) {
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "normalize: q has the wrong shape; expected (..., %ld)",
                          (long)nq);
    }
    npy_intp count = nq ? PyArray_SIZE(a) / nq : 0;
    for (npy_intp i = 0; i < count; i++) {
        pinion_status status = pinion_normalize(m->model, (double *)PyArray_DATA(a) + i * nq);
        if (status)
            return pn_py_fail(status, 0, 0, "normalize: state %ld: a quaternion is zero or not finite",
                              (long)i);
        if ((i & 1023) == 1023 && PyErr_CheckSignals() < 0) return NULL;
    }
    return Py_NewRef(rows);
}

static PyMethodDef model_methods[] = {
    {"_element", model_element, METH_VARARGS, NULL},
    {"_edited", model_edited, METH_VARARGS, NULL},
    {"_reduced", model_reduced, METH_VARARGS, NULL},
    {"_attached", model_attached, METH_VARARGS, NULL},
    {"_made", model_made, METH_VARARGS, NULL},
    {"_text", model_text, METH_VARARGS, NULL},
    {"_save", model_save, METH_VARARGS, NULL},
    {"_random", model_random, METH_VARARGS, NULL},
    {"_normalize", model_normalize, METH_O, NULL},
    {"_points", model_points, METH_VARARGS, NULL},
    {"_meshes", model_meshes, METH_VARARGS, NULL},
    {"_with_points", model_with_points, METH_VARARGS, NULL},
    {"may_collide", model_may_collide, METH_VARARGS,
     "may_collide($self, first, second, /)\n--\n\nWhether two collisions, by their numbers, may touch: not those of "
     "one body or\nof parent and child, and what the model's pairs, bits and groups say."},
    {"neutral", model_neutral, METH_NOARGS,
     "neutral($self)\n--\n\nThe zero configuration: zero angles and displacements, unit quaternions."},
    {"_initial", model_initial, METH_NOARGS, NULL},
};

/* The methods above and those of the table of calls. */
static PyMethodDef *all_methods(void)
{
    size_t own = sizeof model_methods / sizeof *model_methods, made = (size_t)pn_py_call_count;
    PyMethodDef *all = calloc(own + made + 1, sizeof *all); /* lives as long as the type */
    if (!all) return NULL;
    memcpy(all, model_methods, sizeof model_methods);
    memcpy(all + own, pn_py_call_methods, made * sizeof *all);
    return all;
}

int pn_py_model_ready(PyObject *module)
{
    PyMethodDef *methods = all_methods();
    if (!methods) return -1;
    has_slot_key = pthread_key_create(&slot_key, give_slot_back) == 0;
    PyType_Slot slots[] = {
        {Py_tp_new, (void *)model_new},
        {Py_tp_dealloc, (void *)model_dealloc},
        {Py_tp_getset, model_getset},
        {Py_tp_methods, methods},
        {Py_tp_doc, (void *)"A robot. Quantities are methods; leading axes of arrays are a batch."},
        {0, NULL},
    };
    PyType_Spec spec = {"pinion._pinion.Model", sizeof(model_object), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    pn_py_model_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return pn_py_model_type ? PyModule_AddObjectRef(module, "Model", (PyObject *)pn_py_model_type) : -1;
}
