/* XML for the readers: what they ask of the tree that xml_libxml2.c or small_xml.c makes of a file. */
#include "io/xml/xml.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Errors */

int pn_xml_memory(const pn_xml *u)
{
    return pn_xml_fail(u, NULL, PINION_ERR_MEMORY, "out of memory");
}

int pn_xml_grow(const pn_xml *u, void *at, int count, int *capacity, size_t size)
{
    if (count < *capacity) return 1;
    const int more = *capacity ? 2 * *capacity : 16;
    void *old;
    memcpy(&old, at, sizeof old); /* a pointer of any type */
    void *grown = *capacity > (1 << 28) ? NULL : realloc(old, (size_t)more * size);
    if (!grown) return pn_xml_memory(u);
    memcpy(at, &grown, sizeof grown);
    *capacity = more;
    return 1;
}

int pn_xml_left_out(const pn_xml *u, int strict, const xmlNode *node, const char *format, ...)
{
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return strict ? pn_xml_fail(u, node, PINION_ERR_UNSUPPORTED, "%s", what)
                     : pn_xml_warn(u, node, "%s", what);
}

int pn_xml_line(const xmlNode *node)
{
    long line = xmlGetLineNo(node);
    return line < 1 ? 0 : line > 0x7fffffff ? 0x7fffffff : (int)line;
}

/* The file that a place is in: readers that put several files together note it in each document. */
static const char *file_of(const pn_xml *u, const xmlNode *node)
{
    return node && node->doc && node->doc->_private ? node->doc->_private : u->file;
}

int pn_xml_fail(const pn_xml *u, const xmlNode *node, pinion_status status, const char *format, ...)
{
    char what[sizeof u->err->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    pn_error_set(u->err, status, file_of(u, node), node ? pn_xml_line(node) : 0, 0, "%s", what);
    return 0;
}

/* ---------------------------------------------------------------------------------------------
 * Warnings */

static int add_warning(const pn_xml *u, const char *sentence)
{
    if (!u->warnings) return 1;
    int *count = u->looks ? &u->warnings->looks : &u->warnings->others;
    if (*count < INT_MAX) ++*count;
    if (*count > (u->looks ? PN_XML_MAX_LOOKS : PN_XML_MAX_OTHERS)) return 1;
    return pinion_builder_add_warning(u->warnings->b, sentence, u->err) == PINION_OK;
}

int pn_xml_warn(const pn_xml *u, const xmlNode *node, const char *format, ...)
{
    char what[sizeof u->err->message];
    pinion_error place;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    pn_error_set(&place, PINION_OK, file_of(u, node), node ? pn_xml_line(node) : 0, 0, "%s", what);
    return add_warning(u, place.message);
}

int pn_xml_pass_over(const pn_xml *u, const pinion_error *why, const char *outcome)
{
    if (why->status == PINION_ERR_MEMORY) {
        return pn_xml_fail(u, NULL, PINION_ERR_MEMORY, "out of memory");
    }
    char sentence[sizeof why->message + 64];
    snprintf(sentence, sizeof sentence, "%s (%.60s)", why->message, outcome);
    return add_warning(u, sentence);
}

/* One warning about `count` others, if there are any. */
static int count_rest(const pn_xml *u, int count, const char *what)
{
    if (count <= 0) return 1;
    pinion_error rest;
    pn_error_set(&rest, PINION_OK, u->file, 0, 0, "%d more warning%s about %s", count, count == 1 ? "" : "s",
                 what);
    return pinion_builder_add_warning(u->warnings->b, rest.message, u->err) == PINION_OK;
}

int pn_xml_count_rest(const pn_xml *u)
{
    return count_rest(u, u->warnings->looks - PN_XML_MAX_LOOKS, "visuals and colours") &&
           count_rest(u, u->warnings->others - PN_XML_MAX_OTHERS, u->others);
}

/* ---------------------------------------------------------------------------------------------
 * Opening */

/* Skips to behind `stop`; the end of the text when it does not come. */
static const char *behind(const char *s, const char *stop)
{
    const char *found = strstr(s, stop);
    return found ? found + strlen(stop) : s + strlen(s);
}

/* Looks for more attributes in one element, or more name spaces in all, than any robot has: libxml2
 * compares each attribute with the others and each element with the name spaces, which for a hostile
 * file of a few MB takes hours. Returns the line where there are too many, 0 when all is well. Text
 * that is not XML is let through: the parser says what is wrong with it. */
static int crowded_line(const char *text)
{
    const char *end = text + strlen(text);
    int name_spaces = 0;
    for (const char *s = text; (s = memchr(s, '<', (size_t)(end - s)));) {
        if (strncmp(s, "<!--", 4) == 0) {
            s = behind(s + 4, "-->");
        } else if (strncmp(s, "<![CDATA[", 9) == 0) {
            s = behind(s + 9, "]]>");
        } else if (s[1] == '?') {
            s = behind(s + 2, "?>");
        } else {
            int attributes = 0;
            for (s++; *s && *s != '>' && *s != '<'; s++) {
                if (*s == '"' || *s == '\'') {
                    const char *quote = memchr(s + 1, *s, (size_t)(end - s - 1));
                    if (!quote) return 0;
                    s = quote;
                }
                attributes += *s == '=';
                if (*s == 'x') name_spaces += strncmp(s, "xmlns", 5) == 0;
                if (attributes <= PN_XML_MAX_ATTRIBUTES && name_spaces <= PN_XML_MAX_NAME_SPACES) continue;
                int line = 1;
                for (const char *t = text; t < s; t++) line += *t == '\n';
                return line;
            }
        }
    }
    return 0;
}

/* Nonzero when a text says it is in one of the old one-byte encodings. Any other is read as UTF-8, whatever
 * it says: in those that write '<' in another way nothing here would see what the parser sees. */
int pn_xml_is_one_byte(const char *text)
{
    static const char *const known[] = {"iso-8859-", "ISO-8859-", "windows-125", "Windows-125",
                                        "WINDOWS-125"};
    const char *end = strstr(text, "?>"), *e = strstr(text, "encoding");
    if (strncmp(text, "<?xml", 5) != 0 || !end || !e || e > end) return 0;
    e += strlen("encoding");
    e += strspn(e, " \t\r\n=\"'");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strncmp(e, known[i], strlen(known[i])) == 0) return 1;
    }
    return 0;
}

xmlNode *pn_xml_behind(xmlNode *node, const xmlNode *root)
{
    if (node->type == XML_ELEMENT_NODE && node->children) return node->children;
    while (node != root && !node->next) node = node->parent;
    return node == root ? NULL : node->next;
}

/* Refuses references to unknown entities, and elements too deep within others. */
static int check_tree(const pn_xml *u)
{
    xmlNode *root = xmlDocGetRootElement(u->doc), *next;
    int depth = 1;
    for (xmlNode *node = root; node; node = next) {
        next = pn_xml_behind(node, root);
        if (next && next->parent == node) {
            depth++;
        } else {
            for (const xmlNode *n = node; next && n->parent != next->parent; n = n->parent) depth--;
        }
        if (depth > PN_XML_MAX_DEPTH && next && next->type == XML_ELEMENT_NODE)
            return pn_xml_fail(u, node, PINION_ERR_PARSE, "elements more than %d deep", PN_XML_MAX_DEPTH);
        if (node->type == XML_ENTITY_REF_NODE) {
            return pn_xml_fail(
                u, node->parent, PINION_ERR_PARSE,
                "a reference to the entity '%.60s', which is not accepted; expected plain text",
                (const char *)node->name);
        }
        if (node->type != XML_ELEMENT_NODE) continue;
        for (xmlAttr *a = node->properties; a; a = a->next) {
            xmlNode *value = a->children;
            if (value && (value->type != XML_TEXT_NODE || value->next)) {
                return pn_xml_fail(
                    u, node, PINION_ERR_PARSE,
                    "%.60s of <%.60s> refers to an entity, which is not accepted; expected plain text",
                    (const char *)a->name, (const char *)node->name);
            }
        }
    }
    return 1;
}

int pn_xml_open(pn_xml *u, const char *text, size_t size, const char *file, pinion_error *err)
{
    *u = (pn_xml){.file = file, .err = err};
    if (text[strspn(text, " \t\r\n")] != '<') {
        pn_error_set(err, PINION_ERR_PARSE, file, 0, 0,
                     "not well-formed XML: it does not start with '<', as expected");
        return 0;
    }
    int line = crowded_line(text);
    if (line) {
        pn_error_set(err, PINION_ERR_PARSE, file, line, 0,
                     "too many attributes; expected at most %d in an element, and %d name spaces in all",
                     PN_XML_MAX_ATTRIBUTES, PN_XML_MAX_NAME_SPACES);
        return 0;
    }

    u->doc = pn_xml_parse(u, text, size);
    if (!u->doc) return 0;
    if (!check_tree(u)) {
        pn_xml_close(u);
        return 0;
    }
    return 1;
}

void pn_xml_close(pn_xml *u)
{
    if (u->doc) xmlFreeDoc(u->doc);
    u->doc = NULL;
}

/* ---------------------------------------------------------------------------------------------
 * Elements and attributes */

/* Names mostly differ in their first letter. */
static inline int same_name(const xmlChar *a, const char *b)
{
    return (char)*a == *b && strcmp((const char *)a, b) == 0;
}

int pn_xml_has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; length > 0 && (at = strstr(at, word)); at++)
        if (at > list && at[-1] == ' ' && at[length] == ' ') return 1;
    return 0;
}

int pn_xml_is(const xmlNode *node, const char *name)
{
    if (node->type != XML_ELEMENT_NODE || (node->ns && node->ns->prefix)) return 0;
    return !name || same_name(node->name, name);
}

xmlNode *pn_xml_find(xmlNode *sibling, const char *name)
{
    while (sibling && !pn_xml_is(sibling, name)) sibling = sibling->next;
    return sibling;
}

static const char *value_of(const xmlAttr *a)
{
    return a->children && a->children->content ? (const char *)a->children->content : "";
}

const char *pn_xml_attribute(const xmlNode *node, const char *name)
{
    for (const xmlAttr *a = node->properties; a; a = a->next) {
        if (!a->ns && same_name(a->name, name)) return value_of(a);
    }
    return NULL;
}

/* Nonzero when a node has each attribute of the other with the same value. Those with a prefix, as elements
 * with one, belong to other programs. */
static int has_attributes_of(const xmlNode *node, const xmlNode *other)
{
    for (const xmlAttr *a = other->properties; a; a = a->next) {
        if (a->ns) continue;
        const char *value = pn_xml_attribute(node, (const char *)a->name);
        if (!value || strcmp(value, value_of(a)) != 0) return 0;
    }
    return 1;
}

/* Nonzero when two elements say the same: attributes in any order, elements within them in the same order.
 * As deep as the parser lets elements nest. */
static int says_the_same(const xmlNode *a, const xmlNode *b)
{
    if (strcmp((const char *)a->name, (const char *)b->name) != 0) return 0;
    if (!has_attributes_of(a, b) || !has_attributes_of(b, a)) return 0;
    const xmlNode *x = pn_xml_find(a->children, NULL), *y = pn_xml_find(b->children, NULL);
    while (x && y) {
        if (!says_the_same(x, y)) return 0;
        x = pn_xml_find(x->next, NULL);
        y = pn_xml_find(y->next, NULL);
    }
    return !x && !y;
}

int pn_xml_child(const pn_xml *u, const xmlNode *parent, const char *name, xmlNode **out)
{
    *out = pn_xml_find(parent->children, name);
    xmlNode *second = *out ? pn_xml_find((*out)->next, name) : NULL;
    if (!second) return 1;
    for (xmlNode *more = second; more; more = pn_xml_find(more->next, name)) {
        if (says_the_same(*out, more)) continue;
        return pn_xml_fail(u, more, PINION_ERR_PARSE, "a second <%s> in one <%s>; expected at most one",
                            name, (const char *)parent->name);
    }
    return pn_xml_warn(u, second, "a second <%s> in one <%.60s>, which says the same as the first", name,
                        (const char *)parent->name);
}

/* An expression that xacro was to replace. */
static int fail_xacro(const pn_xml *u, const xmlNode *node, const char *name, const char *text)
{
    return pn_xml_fail(
        u, node, PINION_ERR_PARSE,
        "<%s %s=\"%.60s\"> holds a xacro expression; expected a plain value: expand it with xacro first",
        (const char *)node->name, name, text);
}

int pn_xml_string(const pn_xml *u, const xmlNode *node, const char *name, const char **out)
{
    const char *text = pn_xml_attribute(node, name);
    if (!text || !*text) {
        return pn_xml_fail(u, node, PINION_ERR_PARSE, "<%s> has %s %s; expected %s=\"...\"",
                            (const char *)node->name, text ? "an empty" : "no", name, name);
    }
    if (strstr(text, "${")) return fail_xacro(u, node, name, text);
    *out = text;
    return 1;
}

int pn_xml_numbers(const pn_xml *u, const xmlNode *node, const char *name, int count, double *out)
{
    const char *element = (const char *)node->name, *text = pn_xml_attribute(node, name);
    char expected[32];
    snprintf(expected, sizeof expected, count == 1 ? "one number" : "%d numbers", count);
    if (!text)
        return pn_xml_fail(u, node, PINION_ERR_PARSE, "<%s> has no %s; expected %s", element, name,
                            expected);
    if (strstr(text, "${") || strstr(text, "$(")) return fail_xacro(u, node, name, text);

    /* numbers with white space between them, and counting on behind the last that fits */
    static const char space[] = " \t\r\n";
    double x, values[16];
    int found = 0;
    for (const char *s = text + strspn(text, space); *s; s += strspn(s, space)) {
        size_t word = strcspn(s, space);
        const char *end;
        if (!pn_parse_number(s, &end, &x) || end != s + word) {
            return pn_xml_fail(u, node, PINION_ERR_PARSE,
                                "<%s %s=\"%.60s\">: '%.*s' is not a finite number; expected %s", element,
                                name, text, word < 40 ? (int)word : 40, s, expected);
        }
        if (found < count) values[found] = x;
        found++;
        s = end;
    }
    if (found != count) {
        return pn_xml_fail(u, node, PINION_ERR_PARSE, "<%s %s=\"%.60s\"> has %d number%s; expected %s",
                            element, name, text, found, found == 1 ? "" : "s", expected);
    }
    memcpy(out, values, (size_t)count * sizeof *out);
    return 1;
}

int pn_xml_numbers_or(const pn_xml *u, const xmlNode *node, const char *name, int count, double *out)
{
    return pn_xml_attribute(node, name) ? pn_xml_numbers(u, node, name, count, out) : 1;
}
