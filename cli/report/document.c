/* The document behind a report: a tree of JSON, filled item by item. */
#include "cli/report/document_internal.h"
#include "src/base/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void pn_doc_set(cli_document *doc, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0) doc->failed = 1;
}

void pn_doc_add(cli_document *doc, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0) doc->failed = 1;
}

json_t *pn_doc_text(const char *text)
{
    if (!text) text = "";
    size_t size = strlen(text);
    char *clean = size < SIZE_MAX / 4 ? malloc(3 * size + 1) : NULL;
    if (!clean) return NULL;
    char *out = clean;
    for (const char *s = text; *s;) {
        const size_t n = (size_t)pn_utf8_length(s);
        memcpy(out, n ? s : "\xef\xbf\xbd", n ? n : 3);
        out += n ? n : 3;
        s += n ? n : 1;
    }
    *out = '\0';
    json_t *value = json_string(clean);
    free(clean);
    return value;
}

json_t *pn_doc_item(cli_document *doc, const char *kind)
{
    json_t *item = json_object();
    if (!item || json_array_append_new(doc->items, item) != 0) {
        doc->failed = 1;
        return NULL;
    }
    pn_doc_set(doc, item, "kind", json_string(kind));
    return item;
}

json_t *pn_doc_base64(const void *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *in = bytes;
    char *text = size < SIZE_MAX / 2 ? malloc((size + 2) / 3 * 4 + 1) : NULL, *out = text;
    if (!text) return NULL;
    for (size_t i = 0; i < size; i += 3) {
        size_t n = size - i < 3 ? size - i : 3;
        unsigned word = (unsigned)in[i] << 16;
        if (n > 1) word |= (unsigned)in[i + 1] << 8;
        if (n > 2) word |= in[i + 2];
        *out++ = digits[word >> 18];
        *out++ = digits[word >> 12 & 63];
        *out++ = n > 1 ? digits[word >> 6 & 63] : '=';
        *out++ = n > 2 ? digits[word & 63] : '=';
    }
    json_t *value = json_stringn_nocheck(text, (size_t)(out - text));
    free(text);
    return value;
}

/* Packs numbers of `width` bytes, lowest byte first on every machine. */
static json_t *pack(const char *type, const void *numbers, size_t count, size_t width)
{
    const unsigned one = 1;
    const unsigned char *in = numbers;
    unsigned char *bytes = count < SIZE_MAX / 16 ? malloc(count * width + 1) : NULL;
    if (!bytes) return NULL;
    if (*(const unsigned char *)&one) {
        if (count) memcpy(bytes, in, count * width);
    } else {
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < width; k++) bytes[i * width + k] = in[i * width + width - 1 - k];
    }
    json_t *text = pn_doc_base64(bytes, count * width), *value = json_object();
    free(bytes);
    if (value && json_object_set_new(value, type, text) == 0) return value;
    if (!value) json_decref(text);
    json_decref(value);
    return NULL;
}

json_t *pn_doc_doubles(const double *x, size_t count)
{
    return pack("f64", x, count, sizeof *x);
}

json_t *pn_doc_floats(const float *x, size_t count)
{
    return pack("f32", x, count, sizeof *x);
}

cli_document *pn_cli_document_new(const char *title, const char *subtitle)
{
    cli_document *doc = calloc(1, sizeof *doc);
    if (!doc) return NULL;
    doc->root = json_object();
    if (!doc->root) {
        free(doc);
        return NULL;
    }
    pn_doc_set(doc, doc->root, "title", pn_doc_text(title));
    pn_doc_set(doc, doc->root, "subtitle", pn_doc_text(subtitle));
    pn_doc_set(doc, doc->root, "footer", json_string("Pinion " PINION_VERSION));
    pn_doc_set(doc, doc->root, "settings", json_array());
    pn_doc_set(doc, doc->root, "sections", json_array());
    pn_cli_document_section(doc, NULL);
    if (!doc->items) {
        pn_cli_document_free(doc);
        return NULL;
    }
    return doc;
}

void pn_cli_document_free(cli_document *doc)
{
    if (!doc) return;
    json_decref(doc->root);
    free(doc);
}

void pn_cli_document_setting(cli_document *doc, const char *key, const char *text)
{
    if (!doc) return;
    json_t *row = json_array();
    if (row) {
        pn_doc_add(doc, row, pn_doc_text(key));
        pn_doc_add(doc, row, pn_doc_text(text));
    }
    pn_doc_add(doc, json_object_get(doc->root, "settings"), row);
}

void pn_cli_document_section(cli_document *doc, const char *heading)
{
    if (!doc) return;
    json_t *section = json_object(), *items = json_array();
    if (!section || json_object_set_new(section, "items", items) != 0) {
        if (!section) json_decref(items);
        json_decref(section);
        doc->failed = 1;
        return;
    }
    pn_doc_set(doc, section, "heading", pn_doc_text(heading));
    if (json_array_append_new(json_object_get(doc->root, "sections"), section) == 0)
        doc->items = items;
    else
        doc->failed = 1;
}

/* A paragraph of one of the two kinds. */
static void add_paragraph(cli_document *doc, const char *kind, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (text) vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    json_t *item = text ? pn_doc_item(doc, kind) : NULL;
    if (item) pn_doc_set(doc, item, "text", pn_doc_text(text));
    if (!text) doc->failed = 1;
    free(text);
}

void pn_cli_document_text(cli_document *doc, const char *format, ...)
{
    if (!doc) return;
    va_list arguments;
    va_start(arguments, format);
    add_paragraph(doc, "text", format, arguments);
    va_end(arguments);
}

void pn_cli_document_note(cli_document *doc, const char *format, ...)
{
    if (!doc) return;
    va_list arguments;
    va_start(arguments, format);
    add_paragraph(doc, "note", format, arguments);
    va_end(arguments);
}

void pn_cli_document_table(cli_document *doc, const char *caption, int columns, int rows,
                           const char *const *cells, const char *align)
{
    if (!doc || columns <= 0 || rows <= 0) return;
    json_t *item = pn_doc_item(doc, "table"), *list = json_array();
    if (!item) {
        json_decref(list);
        return;
    }
    char *sides = malloc((size_t)columns + 1);
    if (sides) {
        for (int i = 0; i < columns; i++)
            sides[i] = align && strlen(align) > (size_t)i && align[i] == 'r' ? 'r' : 'l';
        sides[columns] = '\0';
    }
    pn_doc_set(doc, item, "align", sides ? json_string(sides) : NULL);
    free(sides);
    pn_doc_set(doc, item, "caption", pn_doc_text(caption));
    for (int i = 0; i < rows && list; i++) {
        json_t *row = json_array();
        for (int k = 0; k < columns && row; k++)
            pn_doc_add(doc, row, pn_doc_text(cells[(size_t)i * columns + k]));
        pn_doc_add(doc, list, row);
    }
    pn_doc_set(doc, item, "rows", list);
}

void pn_cli_document_table_runs(cli_document *doc)
{
    json_t *item = doc && doc->items ? json_array_get(doc->items, json_array_size(doc->items) - 1) : NULL;
    if (item) pn_doc_set(doc, item, "of", json_string("runs"));
}

void pn_cli_document_cli_table(cli_document *doc, const char *caption, const cli_table *t, const char *align)
{
    if (!doc) return;
    if (t->failed) {
        doc->failed = 1;
        return;
    }
    pn_cli_document_table(doc, caption, t->columns, t->columns > 0 ? t->cells / t->columns : 0,
                          (const char *const *)t->cell, align);
}

void pn_cli_document_figure(cli_document *doc, const cli_figure *figure)
{
    static const char *const styles[] = {"lines", "points", "both"};
    if (!doc) return;
    json_t *item = pn_doc_item(doc, "figure"), *list = json_array();
    if (!item) {
        json_decref(list);
        return;
    }
    pn_doc_set(doc, item, "caption", pn_doc_text(figure->caption));
    pn_doc_set(doc, item, "x_label", pn_doc_text(figure->x_label));
    pn_doc_set(doc, item, "y_label", pn_doc_text(figure->y_label));
    pn_doc_set(doc, item, "x_log", json_boolean(figure->x_log));
    pn_doc_set(doc, item, "y_log", json_boolean(figure->y_log));
    pn_doc_set(doc, item, "equal", json_boolean(figure->equal));
    for (int i = 0; i < figure->series_count && list; i++) {
        const cli_series *s = &figure->series[i];
        size_t count = s->count > 0 ? (size_t)s->count : 0;
        json_t *series = json_object();
        if (series) {
            pn_doc_set(doc, series, "name", pn_doc_text(s->name));
            pn_doc_set(doc, series, "style", json_string(styles[s->style]));
            pn_doc_set(doc, series, "dashed", json_boolean(s->dashed));
            pn_doc_set(doc, series, "color", json_integer(s->color));
            pn_doc_set(doc, series, "x", pn_doc_doubles(s->x, count));
            pn_doc_set(doc, series, "y", pn_doc_doubles(s->y, count));
        }
        pn_doc_add(doc, list, series);
    }
    pn_doc_set(doc, item, "series", list);
}
