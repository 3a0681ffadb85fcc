/* Typed access to the values of a model file, with complaints that say where and what. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/json/json.h"

/* No element of the format lies deeper. */
#define PATH_DEPTH 16

pn_spot pn_value_locate(const pn_json_value *v)
{
    /* up to a value whose place is known, then down again */
    const pn_json_value *path[PATH_DEPTH];
    int depth = 0;
    while (!v->spot.at && v->parent && depth < PATH_DEPTH) {
        path[depth++] = v;
        v = v->parent;
    }
    pn_spot s = v->spot.at ? v->spot : pn_spot_begin(v->file->text);
    while (depth > 0) {
        const pn_json_value *child = path[--depth];
        if (!child->key) {
            s = pn_spot_element(s, child->index);
        } else {
            /* jansson keeps the order of the members: the place in its list is the place in the text */
            size_t index = 0;
            const char *key;
            json_t *value;
            json_object_foreach((json_t *)child->parent->json, key, value)
            {
                if (strcmp(key, child->key) == 0) break;
                index++;
            }
            s = pn_spot_member(s, index, 1);
        }
    }
    return s;
}

int pn_value_line(const pn_json_value *v)
{
    return pn_value_locate(v).line;
}

/* Writes the path of a value, such as joints[3].axis, with ": " behind it; nothing for the top value. */
static void path_text(const pn_json_value *v, char *out, size_t size)
{
    const pn_json_value *path[PATH_DEPTH];
    int depth = 0;
    for (; v->parent && depth < PATH_DEPTH; v = v->parent) path[depth++] = v;
    size_t used = 0;
    out[0] = '\0';
    while (depth > 0) {
        const pn_json_value *p = path[--depth];
        int n = p->key ? snprintf(out + used, size - used, "%s%s", used ? "." : "", p->key)
                       : snprintf(out + used, size - used, "[%zu]", p->index);
        if (n < 0 || (size_t)n >= size - used) return;
        used += (size_t)n;
    }
    if (used) snprintf(out + used, size - used, ": ");
}

static int fail_at(const pn_json_value *v, pn_spot s, const char *message)
{
    char path[160];
    path_text(v, path, sizeof path);
    size_t column = (size_t)(s.at - s.line_start) + 1;
    pn_error_set(v->file->err, PINION_ERR_PARSE, v->file->name, s.line, column < INT_MAX ? (int)column : 0,
                 "%s%s", path, message);
    return 0;
}

int pn_value_fail(const pn_json_value *v, const char *format, ...)
{
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return fail_at(v, pn_value_locate(v), message);
}

static const char *kind_text(const json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "an array";
    case JSON_STRING: return "a string";
    case JSON_INTEGER:
    case JSON_REAL: return "a number";
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    default: return "null";
    }
}

int pn_value_expected(const pn_json_value *v, const char *what)
{
    return pn_value_fail(v, "found %s, expected %s", kind_text(v->json), what);
}

static int comment_check(const pn_json_value *v)
{
    if (json_is_string(v->json)) return 1;
    if (!json_is_array(v->json)) return pn_value_expected(v, "a string or an array of strings");
    for (size_t i = 0; i < json_array_size(v->json); i++) {
        pn_json_value line = pn_value_at(v, i);
        if (!json_is_string(line.json)) return pn_value_expected(&line, "a string");
    }
    return 1;
}

/* Complains about a key that the list does not have. */
static int unknown_key(const pn_json_value *v, size_t index, const char *key, const char *const *keys)
{
    char message[400];
    int n = snprintf(message, sizeof message, "unknown key \"%.40s\", expected one of", key);
    for (size_t i = 0; keys[i] && n > 0 && (size_t)n < sizeof message; i++)
        n += snprintf(message + n, sizeof message - (size_t)n, "%s %s", i ? "," : "", keys[i]);
    return fail_at(v, pn_spot_member(pn_value_locate(v), index, 0), message);
}

int pn_value_object(const pn_json_value *v, const char *const *keys)
{
    if (!json_is_object(v->json)) return pn_value_expected(v, "an object");
    size_t index = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)v->json, key, value)
    {
        if (strcmp(key, "comment") == 0) {
            pn_json_value comment;
            if (pn_value_get(v, key, &comment) && !comment_check(&comment)) return 0;
        } else {
            size_t i = 0;
            while (keys[i] && strcmp(key, keys[i]) != 0) i++;
            if (!keys[i]) return unknown_key(v, index, key, keys);
        }
        index++;
    }
    return 1;
}

int pn_value_get(const pn_json_value *object, const char *key, pn_json_value *out)
{
    const json_t *json = json_object_get(object->json, key);
    if (!json) return 0;
    *out = (pn_json_value){object->file, object, json, key, 0, {NULL, NULL, 0}};
    return 1;
}

int pn_value_need(const pn_json_value *object, const char *key, pn_json_value *out)
{
    return pn_value_get(object, key, out) || pn_value_fail(object, "the key \"%s\" is missing", key);
}

pn_json_value pn_value_at(const pn_json_value *array, size_t index)
{
    return (pn_json_value){array->file, array, json_array_get(array->json, index), NULL, index, {NULL, NULL, 0}};
}

int pn_value_array(const pn_json_value *v, const char *what)
{
    return json_is_array(v->json) || pn_value_expected(v, what);
}

int pn_value_array_of(const pn_json_value *v, size_t count, const char *what)
{
    if (!pn_value_array(v, what)) return 0;
    size_t size = json_array_size(v->json);
    return size == count ||
           pn_value_fail(v, "has %zu element%s, expected %s", size, size == 1 ? "" : "s", what);
}

int pn_value_next(const pn_json_value *array, pn_json_value *element)
{
    size_t index = element->json ? element->index + 1 : 0;
    if (index >= json_array_size(array->json)) return 0;
    pn_spot spot = index ? pn_spot_next(element->spot) : pn_spot_element(pn_value_locate(array), 0);
    *element = pn_value_at(array, index);
    element->spot = spot;
    return 1;
}

int pn_value_number(const pn_json_value *v, double *out)
{
    if (!json_is_number(v->json)) return pn_value_expected(v, "a number");
    *out = json_number_value(v->json);
    return 1;
}

int pn_value_magnitude(const pn_json_value *v, double *out)
{
    double x = 0;
    if (!pn_value_number(v, &x)) return 0;
    if (x < 0) return pn_value_fail(v, "is negative, expected a number of at least 0");
    *out = x;
    return 1;
}

int pn_value_curved(const pn_json_value *v, double *linear, double curve[2])
{
    static const char *const keys[] = {"linear", "curve", NULL};
    if (json_is_object(v->json))
        return pn_value_object(v, keys) && pn_get_magnitude(v, "linear", linear) &&
               pn_get_numbers(v, "curve", 2, curve);
    if (!json_is_number(v->json)) return pn_value_expected(v, "a number or {\"linear\", \"curve\"}");
    return pn_value_magnitude(v, linear);
}

int pn_value_numbers(const pn_json_value *v, size_t count, double *out)
{
    char what[40];
    snprintf(what, sizeof what, "an array of %zu numbers", count);
    if (!pn_value_array_of(v, count, what)) return 0;
    for (size_t i = 0; i < count; i++) {
        pn_json_value x = pn_value_at(v, i);
        if (!pn_value_number(&x, &out[i])) return 0;
    }
    return 1;
}

int pn_value_string(const pn_json_value *v, const char **out)
{
    if (!json_is_string(v->json)) return pn_value_expected(v, "a string");
    *out = json_string_value(v->json);
    return 1;
}

int pn_value_boolean(const pn_json_value *v, int *out)
{
    if (!json_is_boolean(v->json)) return pn_value_expected(v, "true or false");
    *out = json_is_true(v->json);
    return 1;
}

int pn_value_choice(const pn_json_value *v, const char *const *list, const char *what, int *out)
{
    if (!json_is_string(v->json)) return pn_value_expected(v, what);
    const char *text = json_string_value(v->json);
    for (int i = 0; list[i]; i++) {
        if (strcmp(text, list[i]) == 0) {
            *out = i;
            return 1;
        }
    }
    return pn_value_fail(v, "is \"%.40s\", expected %s", text, what);
}

int pn_get_number(const pn_json_value *object, const char *key, double *out)
{
    pn_json_value v;
    return !pn_value_get(object, key, &v) || pn_value_number(&v, out);
}

int pn_get_magnitude(const pn_json_value *object, const char *key, double *out)
{
    pn_json_value v;
    return !pn_value_get(object, key, &v) || pn_value_magnitude(&v, out);
}

int pn_get_numbers(const pn_json_value *object, const char *key, size_t count, double *out)
{
    pn_json_value v;
    return !pn_value_get(object, key, &v) || pn_value_numbers(&v, count, out);
}

int pn_get_boolean(const pn_json_value *object, const char *key, int *out)
{
    pn_json_value v;
    return !pn_value_get(object, key, &v) || pn_value_boolean(&v, out);
}

int pn_need_string(const pn_json_value *object, const char *key, const char **out)
{
    pn_json_value v;
    return pn_value_need(object, key, &v) && pn_value_string(&v, out);
}

int pn_get_matrix6(const pn_json_value *object, const char *key, double out[36], int *given)
{
    pn_json_value v, row = {0};
    *given = pn_value_get(object, key, &v);
    memset(out, 0, 36 * sizeof *out);
    if (!*given) return 1;
    if (!pn_value_array_of(&v, 6, "six numbers, or six rows of six")) return 0;
    if (json_is_number(json_array_get(v.json, 0))) {
        double diagonal[6];
        if (!pn_value_numbers(&v, 6, diagonal)) return 0;
        for (int i = 0; i < 6; i++) out[7 * i] = diagonal[i];
        return 1;
    }
    for (int i = 0; pn_value_next(&v, &row); i++)
        if (!pn_value_numbers(&row, 6, out + 6 * i)) return 0;
    return 1;
}
