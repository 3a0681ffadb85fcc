/* Scenes: what of a model touches, and steps with contact. */
#include "call.h"
#include "contact.h"

#include <string.h>

typedef struct scene_object {
    PyObject ob_base;
    model_object *model;
    pinion_scene *scene;
    pinion_work *work;
    int points; /* that the last call found; -1: there was none */
    atomic_int busy;
} scene_object;

static PyTypeObject *scene_type;

/* ---------------------------------------------------------------------------------------------
 * The object */

static int whole(PyObject *value, const char *name, int *number)
{
    long x = PyLong_AsLong(value);
    if (x == -1 && PyErr_Occurred()) return 0;
    if (x < 0 || x > 1000000000)
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s is %ld; expected 0 to 1e9", name, x) != NULL;
    *number = (int)x;
    return 1;
}

int pn_py_scene_options(PyObject *given, pinion_scene_options *o)
{
    *o = pinion_scene_options_default();
    const struct {
        const char *name;
        double *number;
        int *count;
    } known[] = {{"ground", NULL, &o->ground},
                 {"friction", &o->friction, NULL},
                 {"restitution", &o->restitution, NULL},
                 {"margin", &o->margin, NULL},
                 {"recover", &o->recover, NULL},
                 {"compliance", &o->compliance, NULL},
                 {"limits", NULL, &o->limits},
                 {"limit_stiffness", &o->limit_stiffness, NULL},
                 {"limit_damping", &o->limit_damping, NULL},
                 {"stiction", &o->stiction, NULL},
                 {"contacts", NULL, &o->contacts},
                 {"tol", &o->solver.tolerance, NULL},
                 {"iterations", NULL, &o->solver.iterations},
                 {"least_norm", NULL, &o->solver.least_norm}};
    const char *solver = NULL;
    PyObject *value = PyDict_GetItemString(given, "solver");
    if (value && value != Py_None && !(solver = PyUnicode_AsUTF8AndSize(value, NULL))) return 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        value = PyDict_GetItemString(given, known[i].name);
        if (!value || value == Py_None) continue;
        if (known[i].count) {
            if (!whole(value, known[i].name, known[i].count)) return 0;
        } else {
            *known[i].number = PyFloat_AsDouble(value);
            if (PyErr_Occurred()) return 0;
        }
    }
    return pn_py_contact_options(solver, o->solver.tolerance, o->solver.iterations, o->solver.least_norm, &o->solver);
}

/* model, options: a scene */
PyObject *pn_py_scene(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model, *given;
    pinion_scene_options wanted;
    if (!PyArg_ParseTuple(args, "O!O!", pn_py_model_type, &model, &PyDict_Type, &given) ||
        !pn_py_scene_options(given, &wanted))
        return NULL;
    scene_object *o = (scene_object *)PyType_GenericAlloc(scene_type, 0);
    if (!o) return NULL;
    pinion_error err = {PINION_ERR_MEMORY, 0, 0, ""};
    o->model = (model_object *)Py_NewRef(model);
    o->points = -1;
    o->work = pn_py_new_work(o->model, 0);
    if (o->work) o->scene = pinion_scene_new(o->model->model, &wanted, &err);
    if (o->scene) return (PyObject *)o;
    if (o->work) pn_py_fail_with(&err);
    Py_DECREF((PyObject *)o);
    return NULL;
}

static void scene_dealloc(PyObject *self)
{
    scene_object *o = (scene_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    pinion_scene_free(o->scene);
    pinion_work_free(o->work);
    Py_XDECREF((PyObject *)o->model);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* ---------------------------------------------------------------------------------------------
 * What it does. A call is a job that keeps the scene, which is free again when it has ended. */

typedef struct acting {
    job base;
    scene_object *o;
    const char *name;
    PyObject *in[5], *out[3];
    const double *q, *v, *tau, *f_ext, *a;
    double h, *v_next, *q_next, *room;
    pinion_scene_report report;
    int pair[2];
    pinion_nearest nearest;
    pinion_status status;
    const char *said; /* why it failed, where the scene does not say; NULL: it does */
} acting;

static void release_acting(job *j)
{
    acting *x = (acting *)j;
    for (int i = 0; i < 5; i++) Py_XDECREF(x->in[i]);
    for (int i = 0; i < 3; i++) Py_XDECREF(x->out[i]);
    atomic_store(&x->o->busy, 0);
}

static acting *begin(PyObject *self, const char *name, void (*work)(job *))
{
    scene_object *o = (scene_object *)self;
    if (atomic_load(&o->busy)) pn_py_job_collect();
    if (atomic_exchange(&o->busy, 1))
        return pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: another thread uses the scene; each needs its own", name);
    acting *x = pn_py_job(sizeof *x, work, release_acting);
    if (!x) {
        atomic_store(&o->busy, 0);
        return NULL;
    }
    x->o = o;
    x->name = name;
    pn_py_job_keep(&x->base, self);
    return x;
}

/* An argument, a copy; NULL with an exception. */
static double *take(acting *x, int place, const char *name, PyObject *value, npy_intp rows, npy_intp columns)
{
    if (PyErr_Occurred()) return NULL;
    x->in[place] = pn_py_copied_array(x->name, name, value, rows, columns);
    return x->in[place] ? PyArray_DATA((PyArrayObject *)x->in[place]) : NULL;
}

/* One that may be None. */
static double *take_any(acting *x, int place, const char *name, PyObject *value, npy_intp rows, npy_intp columns)
{
    return value == Py_None ? NULL : take(x, place, name, value, rows, columns);
}

static double *make_room(acting *x, int place, npy_intp rows, npy_intp columns)
{
    if (PyErr_Occurred()) return NULL;
    x->out[place] = pn_py_copy_of(NULL, rows, columns);
    return x->out[place] ? PyArray_DATA((PyArrayObject *)x->out[place]) : NULL;
}

static const double *take_q(acting *x, PyObject *q)
{
    return take(x, 0, "q", q, x->o->model->dim[-PN_NQ], 0);
}

/* Ends a job that failed. */
static PyObject *give_up(acting *x)
{
    if (x->status && !PyErr_Occurred()) {
        const char *said = x->said ? x->said : pinion_scene_message(x->o->scene);
        pn_py_fail(x->status, 0, 0, "%s: %s", x->name, *said ? said : pinion_status_text(x->status));
    }
    pn_py_job_end(&x->base);
    return NULL;
}

/* Does it: on this thread where there are few points, and nobody would wait long for Ctrl-C. 0 with an exception: the
 * job is no longer the caller's. */
static int act(acting *x)
{
    enum { FEW = 50 };
    scene_object *o = x->o;
    if (PyErr_Occurred()) {
        give_up(x);
        return 0;
    }
    int brief = o->points >= 0 ? o->points <= FEW : 4 * pinion_scene_pair_count(o->scene) <= FEW;
    if (!pn_py_job_run(&x->base, brief)) return 0;
    o->points = pinion_scene_count(o->scene);
    if (!x->status) return 1;
    give_up(x);
    return 0;
}

/* (first, second, gap, normal, point_first, point_second, friction, restitution, force), a row a point */
static PyObject *contacts_of(const pinion_scene *s)
{
    enum { GAP, FRICTION, RESTITUTION, NORMAL, FIRST, SECOND, FORCE, ARRAYS };
    const npy_intp n = pinion_scene_count(s);
    PyObject *number[2] = {PyArray_SimpleNew(1, &n, NPY_INT), PyArray_SimpleNew(1, &n, NPY_INT)}, *array[ARRAYS];
    int good = number[0] && number[1];
    for (int i = 0; i < ARRAYS; i++) {
        array[i] = pn_py_copy_of(NULL, n, i >= NORMAL ? 3 : 0);
        good = good && array[i];
    }
    for (int i = 0; good && i < n; i++) {
        pinion_scene_contact c;
        if (pinion_scene_contact_at(s, i, &c)) memset(&c, 0, sizeof c); /* which does not happen */
        const double *from[ARRAYS] = {&c.at.gap,   &c.friction, &c.restitution, c.at.normal,
                                      c.at.first, c.at.second, c.force};
        ((int *)PyArray_DATA((PyArrayObject *)number[0]))[i] = c.first;
        ((int *)PyArray_DATA((PyArrayObject *)number[1]))[i] = c.second;
        for (int k = 0; k < ARRAYS; k++) {
            const size_t width = k >= NORMAL ? 3 : 1;
            memcpy((double *)PyArray_DATA((PyArrayObject *)array[k]) + (size_t)i * width, from[k],
                   width * sizeof(double));
        }
    }
    if (good)
        return Py_BuildValue("(NNNNNNNNN)", number[0], number[1], array[GAP], array[NORMAL], array[FIRST],
                             array[SECOND], array[FRICTION], array[RESTITUTION], array[FORCE]);
    for (int i = 0; i < 2; i++) Py_XDECREF(number[i]);
    for (int i = 0; i < ARRAYS; i++) Py_XDECREF(array[i]);
    return NULL;
}

static void do_find(job *j)
{
    acting *x = (acting *)j;
    x->status = pinion_scene_find(x->o->scene, x->o->work, x->q);
}

/* q: the points of contact */
static PyObject *scene_find(PyObject *self, PyObject *q)
{
    acting *x = begin(self, "find", do_find);
    if (!x) return NULL;
    x->q = take_q(x, q);
    if (!act(x)) return NULL;
    PyObject *answer = contacts_of(x->o->scene);
    pn_py_job_end(&x->base);
    return answer;
}

/* q: (first, second, gap) of all pairs */
static PyObject *scene_distances(PyObject *self, PyObject *q)
{
    acting *x = begin(self, "distances", do_find);
    if (!x) return NULL;
    x->q = take_q(x, q);
    if (!act(x)) return NULL;
    const npy_intp n = pinion_scene_pair_count(x->o->scene);
    PyObject *first = PyArray_SimpleNew(1, &n, NPY_INT), *second = PyArray_SimpleNew(1, &n, NPY_INT),
             *gap = pn_py_copy_of(NULL, n, 0), *answer = NULL;
    for (int i = 0; first && second && gap && i < n; i++) {
        pinion_scene_pair p;
        if (pinion_scene_pair_at(x->o->scene, i, &p)) memset(&p, 0, sizeof p); /* which does not happen */
        ((int *)PyArray_DATA((PyArrayObject *)first))[i] = p.first;
        ((int *)PyArray_DATA((PyArrayObject *)second))[i] = p.second;
        ((double *)PyArray_DATA((PyArrayObject *)gap))[i] = p.gap;
    }
    if (first && second && gap) answer = Py_BuildValue("(OOO)", first, second, gap);
    Py_XDECREF(first);
    Py_XDECREF(second);
    Py_XDECREF(gap);
    pn_py_job_end(&x->base);
    return answer;
}

static void do_distance(job *j)
{
    acting *x = (acting *)j;
    x->status = pinion_scene_distance(x->o->scene, x->o->work, x->q, x->pair[0], x->pair[1], &x->nearest, x->room);
}

/* q, first, second, whether derivatives are wanted: (gap, normal, point of the first, of the second, derivatives or
 * None) */
static PyObject *scene_distance(PyObject *self, PyObject *args)
{
    PyObject *q;
    int first, second, wanted;
    if (!PyArg_ParseTuple(args, "Oiip", &q, &first, &second, &wanted)) return NULL;
    acting *x = begin(self, "distance", do_distance);
    if (!x) return NULL;
    x->q = take_q(x, q);
    x->pair[0] = first;
    x->pair[1] = second;
    if (wanted) x->room = make_room(x, 0, 10, x->o->model->dim[-PN_NV]);
    if (!act(x)) return NULL;
    const pinion_nearest *n = &x->nearest;
    PyObject *answer = Py_BuildValue("(dNNNO)", n->gap, pn_py_copy_of(n->normal, 3, 0), pn_py_copy_of(n->first, 3, 0),
                                     pn_py_copy_of(n->second, 3, 0), wanted ? x->out[0] : Py_None);
    pn_py_job_end(&x->base);
    return answer;
}

/* q: the points of contact at q, and their rows (points, 3, nv) */
static PyObject *scene_jacobian(PyObject *self, PyObject *q)
{
    acting *x = begin(self, "jacobian", do_find);
    if (!x) return NULL;
    x->q = take_q(x, q);
    if (!act(x)) return NULL;
    scene_object *o = x->o;
    const npy_intp dims[3] = {pinion_scene_count(o->scene), 3, o->model->dim[-PN_NV]};
    PyObject *J = x->out[0] = PyArray_SimpleNew(3, dims, NPY_DOUBLE);
    for (int i = 0; J && i < dims[0] && !x->status; i++)
        x->status = pinion_scene_jacobian(o->scene, o->work, x->q, i,
                                          (double *)PyArray_DATA((PyArrayObject *)J) + i * 3 * dims[2]);
    PyObject *contacts = J && !x->status ? contacts_of(o->scene) : NULL;
    if (!contacts) return give_up(x);
    PyObject *answer = Py_BuildValue("(NO)", contacts, J);
    pn_py_job_end(&x->base);
    return answer;
}

/* Whether what came out is finite; else says that it is not. */
static int is_finite(acting *x, PyObject *result, const char *name)
{
    char place[160];
    double number;
    if (!pn_py_not_finite((PyArrayObject *)result, place, &number)) return 1;
    pn_py_fail(PINION_ERR_ARGUMENT, 0, 0, "%s: %s[%s] after the step is not finite, though all that went in is",
               x->name, name, place);
    return 0;
}

/* (contacts, immovable, impacts, bounded, solved, softened, stopped, held, penetration, beyond, open, work, solution,
 * joint forces) */
static PyObject *report_of(acting *x)
{
    const pinion_scene_report *r = &x->report;
    PyObject *tau = pn_py_copy_of(NULL, x->o->model->dim[-PN_NV], 0);
    if (!tau) return NULL;
    x->status = pinion_scene_joint_forces(x->o->scene, PyArray_DATA((PyArrayObject *)tau));
    if (x->status) {
        Py_DECREF(tau);
        return pn_py_fail(x->status, 0, 0, "%s: %s", x->name, pinion_status_text(x->status));
    }
    return Py_BuildValue("(iiiNNNiiddddNN)", r->contacts, r->immovable, r->impacts, PyBool_FromLong(r->bounded),
                         PyBool_FromLong(r->solved), PyBool_FromLong(r->softened), r->stopped, r->held, r->penetration,
                         r->beyond, r->open, r->work, pn_py_contact_solution(&r->solution), tau);
}

static void do_impulse(job *j)
{
    acting *x = (acting *)j;
    x->status = pinion_scene_impulse(x->o->scene, x->o->work, x->h, x->q, x->v, x->v_next, &x->report);
}

/* t, h, q, v, velocity without contact: (velocity with it, contacts, report) */
static PyObject *scene_impulse(PyObject *self, PyObject *args)
{
    PyObject *q, *v, *v_free;
    double t, h;
    if (!PyArg_ParseTuple(args, "ddOOO", &t, &h, &q, &v, &v_free)) return NULL;
    acting *x = begin(self, "impulse", do_impulse);
    if (!x) return NULL;
    const npy_intp nv = x->o->model->dim[-PN_NV];
    x->h = h;
    pinion_scene_set_time(x->o->scene, t);
    x->q = take_q(x, q);
    x->v = take(x, 1, "v", v, nv, 0);
    x->v_next = take(x, 2, "v_free", v_free, nv, 0); /* a copy */
    if (!act(x)) return NULL;
    PyObject *contacts = is_finite(x, x->in[2], "v") ? contacts_of(x->o->scene) : NULL;
    PyObject *answer = contacts ? Py_BuildValue("(ONN)", x->in[2], contacts, report_of(x)) : NULL;
    pn_py_job_end(&x->base);
    return answer;
}

static void do_step(job *j)
{
    acting *x = (acting *)j;
    scene_object *o = x->o;
    const double *a = x->a;
    if (!a) {
        x->status = pinion_forward_dynamics(o->model->model, o->work, x->q, x->v, x->tau, x->f_ext, x->room);
        a = x->room;
        if (x->status) x->said = pinion_work_message(o->work);
    }
    if (!x->status)
        x->status = pinion_scene_step(o->scene, o->work, x->h, x->q, x->v, a, x->q_next, x->v_next, &x->report);
}

/* t, h, q, v, tau or None, f_ext or None, a or None: (q, v, contacts, report) */
static PyObject *scene_step(PyObject *self, PyObject *args)
{
    PyObject *q, *v, *tau, *f_ext, *a;
    double t, h;
    if (!PyArg_ParseTuple(args, "ddOOOOO", &t, &h, &q, &v, &tau, &f_ext, &a)) return NULL;
    acting *x = begin(self, "step", do_step);
    if (!x) return NULL;
    const npy_intp *dim = x->o->model->dim, nv = dim[-PN_NV];
    x->h = h;
    pinion_scene_set_time(x->o->scene, t);
    x->q = take_q(x, q);
    x->v = take(x, 1, "v", v, nv, 0);
    x->tau = take_any(x, 2, "tau", tau, nv, 0);
    x->f_ext = take_any(x, 3, "f_ext", f_ext, dim[-PN_BODIES], 6);
    x->a = take_any(x, 4, "a", a, nv, 0);
    x->q_next = make_room(x, 0, dim[-PN_NQ], 0);
    x->v_next = make_room(x, 1, nv, 0);
    x->room = make_room(x, 2, nv, 0);
    if (!act(x)) return NULL;
    int good = is_finite(x, x->out[0], "q") && is_finite(x, x->out[1], "v");
    PyObject *contacts = good ? contacts_of(x->o->scene) : NULL;
    PyObject *answer =
        contacts ? Py_BuildValue("(OONN)", x->out[0], x->out[1], contacts, report_of(x)) : NULL;
    pn_py_job_end(&x->base);
    return answer;
}

/* q, gap: points that a support takes, (first, second, point, normal, friction) with numbers of links */
static PyObject *scene_supports(PyObject *self, PyObject *args)
{
    PyObject *q;
    double gap;
    if (!PyArg_ParseTuple(args, "Od", &q, &gap)) return NULL;
    acting *x = begin(self, "inverse_dynamics", do_find);
    if (!x) return NULL;
    x->q = take_q(x, q);
    if (!act(x)) return NULL;
    int most = pinion_scene_count(x->o->scene), count = 0;
    pinion_support_point *points = PyMem_Malloc(((size_t)most + 1) * sizeof *points);
    if (!points) PyErr_NoMemory();
    x->status = points ? pinion_support_from_scene(x->o->scene, gap, most, points, &count) : PINION_ERR_MEMORY;
    PyObject *answer = x->status ? NULL : pn_py_support_points(points, count);
    PyMem_Free(points);
    if (!answer) return give_up(x);
    pn_py_job_end(&x->base);
    return answer;
}

/* (pairs, collisions that are left out) */
static PyObject *scene_counts(PyObject *self, PyObject *unused)
{
    (void)unused;
    const pinion_scene *s = ((scene_object *)self)->scene;
    return Py_BuildValue("(ii)", pinion_scene_pair_count(s), pinion_scene_left_out(s));
}

static PyMethodDef scene_methods[] = {{"find", scene_find, METH_O, NULL},
                                      {"distances", scene_distances, METH_O, NULL},
                                      {"jacobian", scene_jacobian, METH_O, NULL},
                                      {"distance", scene_distance, METH_VARARGS, NULL},
                                      {"impulse", scene_impulse, METH_VARARGS, NULL},
                                      {"step", scene_step, METH_VARARGS, NULL},
                                      {"supports", scene_supports, METH_VARARGS, NULL},
                                      {"counts", scene_counts, METH_NOARGS, NULL},
                                      {NULL, NULL, 0, NULL}};

int pn_py_scene_ready(PyObject *module)
{
    PyType_Slot slots[] = {{Py_tp_dealloc, (void *)scene_dealloc}, {Py_tp_methods, scene_methods}, {0, NULL}};
    PyType_Spec spec = {"pinion._pinion.Scene", sizeof(scene_object), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    scene_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return scene_type ? PyModule_AddObjectRef(module, "Scene", (PyObject *)scene_type) : -1;
}
