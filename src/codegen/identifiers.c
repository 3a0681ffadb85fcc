/* Identifiers and comments of C made of the names in a model file, which may hold anything. */
#include "base/hash.h"
#include "codegen/codegen_steps.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 40 };

/* Keywords of C11, C++ and CUDA; words of the generated sources; names that a file or target of a build has
 * already. */
static const char *const reserved[] = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch",
    "char", "char8_t", "char16_t", "char32_t", "class", "compl", "concept", "const", "consteval", "constexpr",
    "constinit", "const_cast", "continue", "co_await", "co_return", "co_yield", "decltype", "default",
    "delete", "do", "double", "dynamic_cast", "elastic", "else", "enum", "explicit", "export", "extern",
    "false",
    "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new",
    "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public",
    "register", "reinterpret_cast", "requires", "restrict", "return", "short", "signed", "sizeof", "static",
    "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "true",
    "try", "typedef", "typeid", "typename", "typeof", "union", "unsigned", "using", "virtual", "void",
    "volatile", "wchar_t", "while", "xor", "xor_eq",
    /* of the sources */
    "R", "real", "num", "q", "v", "a", "tau", "f_ext", "angle", "sine", "cosine", "main",
    /* of the build: targets of CMake, headers that others include, and files that Windows does not have */
    "all", "ALL_BUILD", "alloca", "assert", "aux", "CMakeLists", "clean", "complex", "con", "ctype", "edit_cache",
    "endian", "errno", "features", "fenv", "help", "install", "INSTALL", "inttypes", "iso646", "limits", "locale", "m",
    "malloc", "math", "memory", "newlib", "nul", "package", "PACKAGE", "package_source", "preinstall", "prn", "README",
    "rebuild_cache", "RUN_TESTS", "setjmp", "signal", "stdalign", "stdarg", "stdatomic", "stdbool", "stddef", "stdint",
    "stdio", "stdlib", "stdnoreturn", "string", "strings", "test", "tgmath", "threads", "time", "uchar", "unistd",
    "wchar", "wctype", "ZERO_CHECK"};

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Letters, digits and single underscores, a letter first, no underscore last: names with two underscores, or
 * with one in front, are not for programs. */
static void clean(const char *text, char *out, size_t longest)
{
    size_t n = 0;
    for (const char *c = text; *c && n < longest; c++) {
        const int good = is_letter(*c) || is_digit(*c);
        if (n == 0 && is_digit(*c)) out[n++] = 'n';
        if (good && n < longest)
            out[n++] = *c;
        else if (!good && n > 0 && out[n - 1] != '_')
            out[n++] = '_';
    }
    while (n > 0 && out[n - 1] == '_') n--;
    out[n] = 0;
    if (n == 0) memcpy(out, "unnamed", 8);
}

/* ---- sets of names ---- */

/* where a name is, or would be */
static size_t place(const pn_names *names, const char *name)
{
    const uint64_t hash = pn_fnv1a(PN_FNV1A, name, strlen(name));
    size_t i = (size_t)(hash ^ hash >> 29) & (names->capacity - 1);
    while (names->at[i].name && strcmp(names->at[i].name, name) != 0) i = (i + 1) & (names->capacity - 1);
    return i;
}

/* room for one more, half of it empty */
static int grow(pn_names *names)
{
    if (2 * (names->count + 1) < names->capacity) return 1;
    pn_names grown = {NULL, names->capacity ? 2 * names->capacity : 1024, names->count};
    grown.at = calloc(grown.capacity, sizeof *grown.at);
    if (!grown.at) return 0;
    for (size_t i = 0; i < names->capacity; i++)
        if (names->at[i].name) grown.at[place(&grown, names->at[i].name)] = names->at[i];
    free(names->at);
    *names = grown;
    return 1;
}

/* The first of a name that is there leads the search: numbers below its `next` are given away. */
char *pn_names_add(pn_names *names, const char *name, size_t longest)
{
    if (!grow(names)) return NULL;
    const size_t length = strlen(name), first = place(names, name);
    char *copy = malloc((length > longest ? length : longest) + 1);
    if (!copy) return NULL;
    memcpy(copy, name, length + 1);
    size_t i = first;
    for (int number = names->at[first].next; names->at[i].name; names->at[first].next = ++number) {
        char suffix[16];
        const size_t digits = (size_t)snprintf(suffix, sizeof suffix, "_%d", number);
        size_t end = length + digits > longest ? longest - digits : length;
        while (end > 1 && name[end - 1] == '_') end--; /* never two in a row */
        memcpy(copy, name, end);
        memcpy(copy + end, suffix, digits + 1);
        i = place(names, copy);
    }
    names->at[i].name = copy;
    names->at[i].next = 2;
    names->count++;
    return copy;
}

void pn_names_free(pn_names *names)
{
    for (size_t i = 0; i < names->capacity; i++) free(names->at[i].name);
    free(names->at);
    memset(names, 0, sizeof *names);
}

/* what no identifier may be: reserved words, and those in `taken` */
static int reserve(pn_names *names, const char *const *taken, int count)
{
    const int words = (int)(sizeof reserved / sizeof *reserved);
    int fine = 1;
    for (int i = 0; i < words + count && fine; i++)
        fine = pn_names_add(names, i < words ? reserved[i] : taken[i - words], LONGEST) != NULL;
    return fine;
}

char *pn_identifier(const char *text, const char *const *taken, int count)
{
    char name[LONGEST + 1], *copy = NULL;
    pn_names names = {0};
    clean(text, name, LONGEST);
    const char *found = reserve(&names, taken, count) ? pn_names_add(&names, name, LONGEST) : NULL;
    if (found && (copy = malloc(strlen(found) + 1)) != NULL) memcpy(copy, found, strlen(found) + 1);
    pn_names_free(&names);
    return copy;
}

/* ---- text of comments ---- */

/* the length of a character of UTF-8 and its number; 1 where it is ASCII, or no UTF-8 at all */
static int wide_character(const char *text, unsigned long *point)
{
    const unsigned char *c = (const unsigned char *)text;
    const int bytes = *c >= 0xc2 && *c < 0xe0 ? 2 : *c >= 0xe0 && *c < 0xf0 ? 3 : *c >= 0xf0 && *c < 0xf5 ? 4 : 1;
    *point = bytes == 1 ? *c : *c & (0x7fu >> bytes);
    for (int i = 1; i < bytes; i++) {
        if ((c[i] & 0xc0) != 0x80) return 1;
        *point = *point << 6 | (c[i] & 0x3fu);
    }
    return bytes;
}

void pn_comment_text(const char *text, char out[84])
{
    size_t n = 0;
    const char *c = text;
    while (*c && n < 72) {
        /* what is not ASCII by its number, so that names stay different */
        unsigned long point = 0;
        const int bytes = wide_character(c, &point);
        if (bytes > 1) {
            n += (size_t)snprintf(out + n, 84 - n, "{%lx}", point);
            c += bytes;
            continue;
        }
        const int printable = *c >= 0x20 && *c < 0x7f && *c != '\\';
        char x = printable ? *c : '?';
        const char before = n > 0 ? out[n - 1] : 0;
        /* no end or beginning of a comment, and no trigraph */
        if ((x == '/' && before == '*') || (x == '*' && before == '/') || (x == '?' && before == '?'))
            x = '.';
        out[n++] = x;
        c++;
    }
    out[n] = 0;
    if (*c) memcpy(out + n, "...", 4);
}

/* ---- bodies ---- */

void pn_body_names_free(char **names, const pinion_model *m)
{
    for (int i = 0; names && i < m->n.nodes; i++) free(names[i]);
    free(names);
}

/* the link of a compiled body; the massless one inside a joint of two axes is named by the one behind it */
static void body_text(const pinion_model *m, int i, char text[300])
{
    const pn_node *node = PN_AT_CONST(m, pn_node, m->nodes);
    pinion_body_info body;
    const int between = i > 0 && node[i].body < 0;
    const int owner = between && i + 1 < m->n.nodes ? node[i + 1].body : node[i].body;
    const int known = i > 0 && pinion_model_body(m, owner, &body) == PINION_OK;
    snprintf(text, 300, "%s%s", known ? body.name : "base", between ? "_joint" : "");
}

char **pn_body_names(const pinion_model *m)
{
    char **names = calloc((size_t)m->n.nodes, sizeof *names);
    pn_names all = {0};
    int fine = names && reserve(&all, NULL, 0);
    for (int i = 0; fine && i < m->n.nodes; i++) {
        char text[300], name[LONGEST + 1];
        body_text(m, i, text);
        clean(text, name, LONGEST);
        const char *found = pn_names_add(&all, name, LONGEST);
        names[i] = found ? malloc(strlen(found) + 1) : NULL;
        if (names[i]) memcpy(names[i], found, strlen(found) + 1);
        fine = names[i] != NULL;
    }
    pn_names_free(&all);
    if (fine) return names;
    pn_body_names_free(names, m);
    return NULL;
}
