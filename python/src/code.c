/* Operation counts, code for one robot, and its equations. */
#include "frame.h"

#include "pinion/equations.h"

static PyObject *counts_of(const pinion_operations *o)
{
    return Py_BuildValue("(dddddd)", o->mul, o->add, o->div, o->sqrt, o->trig, o->span);
}

typedef struct code_frame {
    frame f;
    int algorithm;
    pinion_operations lean, whole;
    pinion_codegen_options options;
    pinion_compile_options compile;
    pinion_equations_options equations_options;
    pinion_generated *generated;
    pinion_model *copy;
    pinion_compiled *compiled;
    pinion_equations *equations;
} code_frame;

static void release(frame *f)
{
    code_frame *x = (code_frame *)f;
    pinion_generated_free(x->generated);
    pinion_compiled_free(x->compiled);
    pinion_model_free(x->copy);
    pinion_equations_free(x->equations);
}

static code_frame *enter(PyObject *args, PyObject *model, void (*work)(job *))
{
    code_frame *x = pn_py_enter(args, model, sizeof *x, work);
    if (x) x->f.release = release;
    return x;
}

static void count(job *j)
{
    code_frame *x = (code_frame *)j;
    x->f.status = pinion_algorithm_operations(x->algorithm, x->f.model, &x->lean, &x->whole);
}

/* model, algorithm: by the papers' rules, every one, and what is published for a serial chain of as many
 * joints, or None */
PyObject *pn_py_operations(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model;
    const char *name;
    if (!PyArg_ParseTuple(args, "O!s", pn_py_model_type, &model, &name)) return NULL;
    int algorithm = pinion_algorithm_find(name);
    if (algorithm < 0) return pn_py_fail(PINION_ERR_NOT_FOUND, 0, 0, "there is no algorithm '%.80s'", name);
    const pinion_model *m = ((model_object *)model)->model;
    pinion_error err;
    if (pinion_algorithm_applies(algorithm, m, &err)) return pn_py_fail_with(&err);
    code_frame *x = enter(args, model, count);
    if (!x) return NULL;
    x->algorithm = algorithm;
    if (!pn_py_do(&x->f, x->f.nv < 20)) return NULL;
    pn_py_refuse(&x->f, "operations");
    double mul, add;
    PyObject *answer = NULL;
    if (!x->f.failed)
        answer = Py_BuildValue("(NNN)", counts_of(&x->lean), counts_of(&x->whole),
                               pinion_algorithm_published(algorithm, pinion_model_nv(m), &mul, &add)
                                   ? Py_NewRef(Py_None)
                                   : Py_BuildValue("(dd)", mul, add));
    pn_py_leave(&x->f, NULL);
    return answer;
}

static void count_span(job *j)
{
    code_frame *x = (code_frame *)j;
    x->f.status = pinion_algorithm_span(x->algorithm, x->f.model, &x->lean);
}

/* model, algorithm: the span with the counts, for models too large to be recorded */
PyObject *pn_py_span(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model;
    const char *name;
    if (!PyArg_ParseTuple(args, "O!s", pn_py_model_type, &model, &name)) return NULL;
    int algorithm = pinion_algorithm_find(name);
    if (algorithm < 0) return pn_py_fail(PINION_ERR_NOT_FOUND, 0, 0, "there is no algorithm '%.80s'", name);
    code_frame *x = enter(args, model, count_span);
    if (!x) return NULL;
    x->algorithm = algorithm;
    if (!pn_py_do(&x->f, x->f.nv < 20)) return NULL;
    if (x->f.status)
        pn_py_fail(x->f.status, 0, 0, "span: %.80s: %s", name, pinion_status_text(x->f.status));
    PyObject *answer = x->f.status ? NULL : counts_of(&x->lean);
    pn_py_leave(&x->f, NULL);
    return answer;
}

static PyObject *files_of(const pinion_generated *g)
{
    PyObject *files = PyDict_New();
    for (int i = 0; files && i < pinion_generated_file_count(g); i++) {
        const char *name, *text;
        size_t length;
        if (pinion_generated_file(g, i, &name, &text, &length)) continue;
        PyObject *content = PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "replace");
        if (!content || PyDict_SetItemString(files, name, content)) Py_CLEAR(files);
        Py_XDECREF(content);
    }
    return files;
}

static void generate(job *j)
{
    code_frame *x = (code_frame *)j;
    x->generated = pinion_codegen(x->f.model, &x->options, &x->f.err);
}

/* model, name or None, what or None, algorithm or None, f_ext, scalar: {file: text} */
PyObject *pn_py_codegen(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model;
    pinion_codegen_options o = pinion_codegen_options_default();
    int scalar;
    if (!PyArg_ParseTuple(args, "O!zzzpi", pn_py_model_type, &model, &o.name, &o.what, &o.algorithm, &o.f_ext,
                          &scalar))
        return NULL;
    o.scalar = (pinion_codegen_scalar)scalar;
    code_frame *x = enter(args, model, generate);
    if (!x) return NULL;
    x->options = o;
    if (!pn_py_do(&x->f, 0)) return NULL;
    PyObject *files = x->generated ? files_of(x->generated) : pn_py_fail_with(&x->f.err);
    pn_py_leave(&x->f, NULL);
    return files;
}

/* Whether nobody waits for it any more. */
static int is_left(void *user)
{
    return atomic_load(&((job *)user)->left);
}

static void compile(job *j)
{
    code_frame *x = (code_frame *)j;
    x->compiled = pinion_codegen_compile(x->copy, &x->options, &x->compile, &x->f.err);
}

/* model, what or None, f_ext, compiler or None, cache or None: the same model with its code behind its calls
 */
PyObject *pn_py_compile(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model;
    pinion_codegen_options o = pinion_codegen_options_default();
    pinion_compile_options c = pinion_compile_options_default();
    if (!PyArg_ParseTuple(args, "O!zpzz", pn_py_model_type, &model, &o.what, &o.f_ext, &c.compiler, &c.cache))
        return NULL;
    code_frame *x = enter(args, model, compile);
    if (!x) return NULL;
    x->options = o;
    x->compile = c;
    x->compile.stop = is_left;
    x->compile.stop_user = x;
    if (!(x->copy = pinion_model_copy(x->f.model))) {
        PyErr_NoMemory();
        return pn_py_leave(&x->f, NULL);
    }
    if (!pn_py_do(&x->f, 0)) return NULL;
    model_object *made = NULL;
    if (x->compiled) {
        made = (model_object *)pn_py_model_wrap(Py_TYPE(model), x->copy);
        x->copy = NULL;
    } else {
        pn_py_fail_with(&x->f.err);
    }
    if (made) {
        made->code = x->compiled;
        x->compiled = NULL;
    }
    pn_py_leave(&x->f, NULL);
    return (PyObject *)made;
}

/* [(quantity, row, column, name, text), ...] and [(name, meaning, unit, value, coordinate, velocity), ...] */
static PyObject *parts_of(const pinion_equations *e)
{
    PyObject *entries = PyList_New(0), *symbols = PyList_New(0), *row = NULL;
    for (int i = 0; entries && symbols && i < pinion_equations_count(e); i++) {
        pinion_equation x;
        if (pinion_equations_entry(e, i, &x)) continue;
        row = Py_BuildValue("(siiss)", x.quantity, x.row, x.column, x.name, x.text);
        if (!row || PyList_Append(entries, row)) Py_CLEAR(entries);
        Py_XDECREF(row);
    }
    for (int i = 0; entries && symbols && i < pinion_equations_symbol_count(e); i++) {
        pinion_equation_symbol x;
        if (pinion_equations_symbol(e, i, &x)) continue;
        row = Py_BuildValue("(sssdii)", x.name, x.meaning, x.unit, x.value, x.coordinate, x.velocity);
        if (!row || PyList_Append(symbols, row)) Py_CLEAR(symbols);
        Py_XDECREF(row);
    }
    if (entries && symbols) return Py_BuildValue("(NN)", entries, symbols);
    Py_XDECREF(entries);
    Py_XDECREF(symbols);
    return NULL;
}

static void derive(job *j)
{
    code_frame *x = (code_frame *)j;
    x->equations = pinion_equations_new(x->f.model, &x->equations_options, &x->f.err);
}

/* model, what or None, format, numbers, document, parts?: the equations of motion, to be read, or as entries
 * and symbols */
PyObject *pn_py_equations(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model;
    pinion_equations_options o = pinion_equations_options_default();
    int format, parts;
    if (!PyArg_ParseTuple(args, "O!zippp", pn_py_model_type, &model, &o.what, &format, &o.numbers,
                          &o.document, &parts))
        return NULL;
    o.format = (pinion_equations_format)format;
    code_frame *x = enter(args, model, derive);
    if (!x) return NULL;
    x->equations_options = o;
    if (!pn_py_do(&x->f, 0)) return NULL;
    const pinion_equations *e = x->equations;
    PyObject *text = !e      ? pn_py_fail_with(&x->f.err)
                     : parts ? parts_of(e)
                             : PyUnicode_FromString(pinion_equations_text(e));
    pn_py_leave(&x->f, NULL);
    return text;
}
