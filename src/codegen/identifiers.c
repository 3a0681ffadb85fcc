/* Identifiers and comments of C made of the names in a model file, which may hold anything. */
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
    "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false",
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

static int is_taken(const char *name, char *const *taken, int count)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(name, reserved[i]) == 0) return 1;
    for (int i = 0; i < count; i++)
        if (taken[i] && strcmp(name, taken[i]) == 0) return 1;
    return 0;
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

char *pn_identifier(const char *text, char *const *taken, int count)
{
    char *name = malloc(LONGEST + 1);
    if (!name) return NULL;
    clean(text, name, LONGEST);

    /* another robot of that name: a number behind it, in place of its end where it is long */
    char first[LONGEST + 1];
    memcpy(first, name, LONGEST + 1);
    for (int number = 2; is_taken(name, taken, count); number++) {
        char suffix[16];
        const int digits = snprintf(suffix, sizeof suffix, "_%d", number);
        clean(first, name, (size_t)(LONGEST - digits));
        memcpy(name + strlen(name), suffix, (size_t)digits + 1);
    }
    return name;
}

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

void pn_body_names_free(char **names, const pinion_model *m)
{
    for (int i = 0; names && i < m->n.nodes; i++) free(names[i]);
    free(names);
}

char **pn_body_names(const pinion_model *m)
{
    const pn_node *node = PN_AT_CONST(m, pn_node, m->nodes);
    char **names = calloc((size_t)m->n.nodes, sizeof *names);
    for (int i = 0; names && i < m->n.nodes; i++) {
        char text[300];
        pinion_body_info body;
        /* the massless body inside a joint of two axes is named by the one behind it */
        const int between = i > 0 && node[i].body < 0;
        const int owner = between && i + 1 < m->n.nodes ? node[i + 1].body : node[i].body;
        const int known = i > 0 && pinion_model_body(m, owner, &body) == PINION_OK;
        snprintf(text, sizeof text, "%s%s", known ? body.name : "base", between ? "_joint" : "");
        names[i] = pn_identifier(text, names, i);
        if (!names[i]) {
            pn_body_names_free(names, m);
            return NULL;
        }
    }
    return names;
}
