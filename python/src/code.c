/* Operation counts, code for one robot, and its equations. */
#include "binding.h"

#include "pinion/equations.h"

static PyObject *counts_of(const pinion_operations *o)
{
    return Py_BuildValue("(dddddd)", o->mul, o->add, o->div, o->sqrt, o->trig, o->span);
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
    pinion_operations lean, whole;
    double mul, add;
    pinion_status status = pinion_algorithm_operations(algorithm, m, &lean, &whole);
    if (status) return pn_py_fail(status, 0, 0, "operations: %s", pinion_status_text(status));
    PyObject *published = pinion_algorithm_published(algorithm, pinion_model_nv(m), &mul, &add)
                              ? Py_NewRef(Py_None)
                              : Py_BuildValue("(dd)", mul, add);
    return Py_BuildValue("(NNN)", counts_of(&lean), counts_of(&whole), published);
}

/* model, algorithm: the span with the counts, for models too large to be recorded */
PyObject *pn_py_span(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *model;
    const char *name;
    pinion_operations o;
    if (!PyArg_ParseTuple(args, "O!s", pn_py_model_type, &model, &name)) return NULL;
    pinion_status status =
        pinion_algorithm_span(pinion_algorithm_find(name), ((model_object *)model)->model, &o);
    if (status) return pn_py_fail(status, 0, 0, "span: %.80s: %s", name, pinion_status_text(status));
    return counts_of(&o);
}

/* model, what or None, algorithm or None, f_ext, scalar: {file: text} */
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
    pinion_error err;
    pinion_generated *g = pinion_codegen(((model_object *)model)->model, &o, &err);
    if (!g) return pn_py_fail_with(&err);
    PyObject *files = PyDict_New();
    for (int i = 0; files && i < pinion_generated_file_count(g); i++) {
        const char *name, *text;
        size_t length;
        if (pinion_generated_file(g, i, &name, &text, &length)) continue;
        PyObject *content = PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "replace");
        if (!content || PyDict_SetItemString(files, name, content)) Py_CLEAR(files);
        Py_XDECREF(content);
    }
    pinion_generated_free(g);
    return files;
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
    pinion_model *copy = pinion_model_copy(((model_object *)model)->model);
    if (!copy) return PyErr_NoMemory();
    pinion_error err;
    pinion_compiled *code;
    Py_BEGIN_ALLOW_THREADS code = pinion_codegen_compile(copy, &o, &c, &err);
    Py_END_ALLOW_THREADS if (!code)
    {
        pinion_model_free(copy);
        return pn_py_fail_with(&err);
    }
    model_object *made_one = (model_object *)pn_py_model_wrap(Py_TYPE(model), copy);
    if (made_one)
        made_one->code = code;
    else
        pinion_compiled_free(code);
    return (PyObject *)made_one;
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
    pinion_error err;
    pinion_equations *e = pinion_equations_new(((model_object *)model)->model, &o, &err);
    if (!e) return pn_py_fail_with(&err);
    PyObject *text = parts ? parts_of(e) : PyUnicode_FromString(pinion_equations_text(e));
    pinion_equations_free(e);
    return text;
}
