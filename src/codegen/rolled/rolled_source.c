/* The kernels' sources, cut into definitions. This is no parser of C: it relies on what kernels look like
 * (the dialect of src/kernel), and tests/codegen compiles what comes out. */
#include "codegen/rolled/rolled.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct span {
    const char *at;
    size_t length;
} span;

/* A definition, or the comment at the head of a file. */
typedef struct part {
    span text; /* with the comments above it */
    int file;
    int function; /* where in the text a function begins; -1: it is none */
    int banner;   /* that comment: needed where anything of its file is */
    int needed;
} part;

/* A name and the part that defines it. */
typedef struct definition {
    span name;
    int part;
} definition;

struct pn_source {
    part *part;
    int parts;
    definition *definition; /* sorted by name, once all are read */
    int definitions;
    span *file; /* names of the files that have been read */
    int files;
    int current;  /* the one that is being read */
    int *pending; /* parts that are needed, and not yet looked through */
    int failed;   /* out of memory */
};

/* one entry more; counts are powers of two when the memory grows */
static void *grown(pn_source *s, void *array, int count, size_t size)
{
    if (s->failed || (count & (count - 1)) != 0) return array;
    void *larger = realloc(array, (count ? 2 * (size_t)count : 1) * size);
    if (!larger) s->failed = 1;
    return larger ? larger : array;
}

static int compare(span a, span b)
{
    const int order = memcmp(a.at, b.at, a.length < b.length ? a.length : b.length);
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int by_name(const void *a, const void *b)
{
    return compare(((const definition *)a)->name, ((const definition *)b)->name);
}

static int is(span a, const char *text)
{
    return a.length == strlen(text) && memcmp(a.at, text, a.length) == 0;
}

static int begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* ---- what a text is made of ---- */

/* behind a comment or string that begins here, else `at` itself */
static const char *past_quiet(const char *at)
{
    if (begins(at, "/*")) {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (begins(at, "//")) return at + strcspn(at, "\n");
    if (*at != '"' && *at != '\'') return at;
    const char quote = *at++;
    while (*at && *at != quote) at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

static int in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The next identifier at or behind *at and before `end`; *at goes behind it. Empty: none. */
static span next_word(const char **at, const char *end)
{
    span word = {NULL, 0};
    const char *c = *at;
    while (c < end && !word.at) {
        const char *quiet = past_quiet(c);
        if (quiet != c) {
            c = quiet;
        } else if (in_word(*c)) {
            const char *first = c;
            while (c < end && in_word(*c)) c++;
            if (!isdigit((unsigned char)*first)) word = (span){first, (size_t)(c - first)};
        } else {
            c++;
        }
    }
    *at = c;
    return word;
}

/* behind the line that begins here and those that continue it */
static const char *past_line(const char *at)
{
    for (;;) {
        const char *end = at + strcspn(at, "\n");
        if (!*end) return end;
        const int continues = end > at && end[-1] == '\\';
        at = end + 1;
        if (!continues) return at;
    }
}

/* ---- reading ---- */

static void add_definition(pn_source *s, span name, int defined_by)
{
    s->definition = grown(s, s->definition, s->definitions, sizeof *s->definition);
    if (!s->failed && name.length) s->definition[s->definitions++] = (definition){name, defined_by};
}

static int add_part(pn_source *s, const char *begin, const char *end, int banner)
{
    s->part = grown(s, s->part, s->parts, sizeof *s->part);
    if (s->failed) return -1;
    s->part[s->parts] = (part){{begin, (size_t)(end - begin)}, s->current, -1, banner, 0};
    return s->parts++;
}

/* Behind a declaration or a function that begins here. The identifier that it defines stands before the first
 * of ( [ = ; outside braces, or for `typedef struct name {} name;` before the last. */
static const char *past_declaration(const char *at, span *name, int *function)
{
    const int is_type = begins(at, "typedef") || begins(at, "enum") || begins(at, "struct");
    int depth = 0, named = 0, value = 0, braced = 0;
    span word = {NULL, 0};
    *name = word;
    while (*at) {
        const char *quiet = past_quiet(at);
        if (quiet != at) {
            at = quiet;
            continue;
        }
        if (in_word(*at)) {
            word.at = at;
            while (in_word(*at)) at++;
            word.length = (size_t)(at - word.at);
            if (depth == 0 && is_type && braced) *name = word;
            continue;
        }
        if (depth == 0 && strchr("([=;", *at) && !named && !(is_type && braced)) {
            *name = word;
            named = 1;
        }
        if (*at == '=' && depth == 0) value = 1;
        if (*at == '{') braced = 1;
        if (strchr("({[", *at)) depth++;
        if (strchr(")}]", *at)) depth--;
        *function = depth == 0 && *at == '}' && !is_type && !value;
        const int ends = *function || (depth == 0 && *at == ';');
        at++;
        if (ends) break;
    }
    /* the rest of the line is a comment, or nothing */
    return *at ? past_line(at) : at;
}

/* the names in an enumeration: a word behind its brace and behind every comma; one that macros fill has none
 */
static void add_enumerators(pn_source *s, const char *begin, const char *end, int defined_by)
{
    const char *at = memchr(begin, '{', (size_t)(end - begin));
    if (memchr(begin, '#', (size_t)(end - begin))) return;
    while (at && at < end) {
        const span word = next_word(&at, end);
        if (!word.length) break;
        add_definition(s, word, defined_by);
        while (at < end && *at != ',') at = past_quiet(at) == at ? at + 1 : past_quiet(at);
    }
}

/* Behind the #endif that belongs to the #if before `at`; what is #defined up to there are names of the part.
 */
static const char *past_condition(pn_source *s, const char *at, int defined_by)
{
    for (int depth = 1; *at && depth > 0;) {
        if (begins(at, "#if")) depth++;
        if (begins(at, "#endif")) depth--;
        if (begins(at, "#define ") && defined_by >= 0) {
            const char *c = at + 8;
            const span word = next_word(&c, at + strlen(at));
            add_definition(s, word, defined_by);
        }
        at = past_line(at);
    }
    return at;
}

static void read_file(pn_source *s, span name);

/* the file that an #include names, from src/ on */
static void read_include(pn_source *s, const char *line)
{
    char path[128];
    const char *target = strchr(line, '"');
    if (!target) return;
    const size_t length = strcspn(++target, "\"\n");
    if (length >= sizeof path) return;
    memcpy(path, target, length);
    path[length] = 0;
    const char *known = pn_embedded_name(path);
    if (known) read_file(s, (span){known, strlen(known)});
}

/* Behind a line that begins with #. Guards and what editors alone need are left out. */
static const char *read_directive(pn_source *s, const char *begin, const char *at)
{
    const char *next = past_line(at);
    if (begins(at, "#include")) {
        if (begins(at, "#include \"")) read_include(s, at);
        return next;
    }
    if (begins(at, "#if defined(PN_ALGORITHM)")) {
        /* its row of the registry; the kernel is behind #elif */
        while (*next && !begins(next, "#elif")) next = past_line(next);
        return past_line(past_line(next));
    }
    if (begins(at, "#ifndef pinion_real")) return past_condition(s, next, -1);
    const size_t guard = strcspn(at, "\n") + 1;
    if (begins(at, "#ifndef ") && begins(next, "#define ") && strncmp(at + 8, next + 8, guard - 8) == 0)
        return past_line(next);
    if (begins(at, "#if")) {
        const int number = add_part(s, begin, at, 0);
        next = past_condition(s, next, number);
        if (number >= 0) s->part[number].text.length = (size_t)(next - begin);
        return next;
    }
    if (begins(at, "#define ")) {
        const char *c = at + 8;
        const int number = add_part(s, begin, next, 0);
        add_definition(s, next_word(&c, next), number);
    }
    return next;
}

static void read_file(pn_source *s, span name)
{
    for (int i = 0; i < s->files; i++)
        if (compare(s->file[i], name) == 0) return;
    s->file = grown(s, s->file, s->files, sizeof *s->file);
    if (s->failed) return;
    const int outer = s->current;
    s->current = s->files;
    s->file[s->files++] = name;

    const char *at = pn_embedded(name.at), *begin = at;
    int first = 1;
    while (*at && !s->failed) {
        const char *quiet = past_quiet(at);
        if (isspace((unsigned char)*at)) {
            /* a blank line parts a comment from what follows */
            const int blank = at[0] == '\n' && at[1] == '\n';
            at++;
            if (begin == at - 1 || blank) begin = at;
            continue;
        }
        if (quiet != at) {
            at = quiet;
            if (first && *at == '\n') {
                add_part(s, begin, at + 1, 1);
                begin = at;
            }
            first = 0;
            continue;
        }
        if (*at == '#') {
            at = read_directive(s, begin, at);
        } else {
            span defined;
            int function = 0;
            const char *end = past_declaration(at, &defined, &function);
            const int number = add_part(s, begin, end, 0);
            if (number >= 0 && function) s->part[number].function = (int)(at - begin);
            if (begins(at, "enum"))
                add_enumerators(s, at, end, number);
            else
                add_definition(s, defined, number);
            at = end;
        }
        first = 0;
        begin = at;
    }
    s->current = outer;
}

pn_source *pn_source_read(const char *const *names, int count)
{
    pn_source *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    for (int i = 0; i < count; i++) {
        const char *known = pn_embedded_name(names[i]);
        if (known) read_file(s, (span){known, strlen(known)});
    }
    s->pending = calloc((size_t)s->parts + 1, sizeof *s->pending);
    if (s->failed || !s->pending) {
        pn_source_free(s);
        return NULL;
    }
    if (s->definitions) qsort(s->definition, (size_t)s->definitions, sizeof *s->definition, by_name);
    return s;
}

void pn_source_free(pn_source *s)
{
    if (!s) return;
    free(s->part);
    free(s->definition);
    free(s->file);
    free(s->pending);
    free(s);
}

/* ---- what is needed ---- */

/* the first of the definitions of a name, or how many there are if it has none */
static int find(const pn_source *s, span name)
{
    int low = 0, high = s->definitions;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (compare(s->definition[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->definitions && compare(s->definition[low].name, name) == 0 ? low : s->definitions;
}

void pn_source_replace(pn_source *s, const char *name, const char *text)
{
    const int d = find(s, (span){name, strlen(name)});
    if (d == s->definitions) return;
    part *p = &s->part[s->definition[d].part];
    p->text = (span){text, strlen(text)};
    if (p->function > 0) p->function = 0;
}

void pn_source_clear(pn_source *s)
{
    for (int i = 0; i < s->parts; i++) s->part[i].needed = 0;
}

/* the parts that define a name join those to be looked through */
static void need_name(pn_source *s, span name, int *pending)
{
    for (int d = find(s, name); d < s->definitions && compare(s->definition[d].name, name) == 0; d++) {
        part *p = &s->part[s->definition[d].part];
        if (p->needed) continue;
        p->needed = 1;
        s->pending[(*pending)++] = s->definition[d].part;
    }
}

/* Names that a macro pastes together: `before##parameter##behind` where the parameter is its first, and
 * `argument` stands for it. */
static void need_pasted(pn_source *s, span macro, span argument, int *pending)
{
    const char *end = macro.at + macro.length;
    for (const char *at = macro.at; at + 2 < end; at++) {
        char name[128];
        if (at[0] != '#' || at[1] != '#' || !in_word(at[-1])) continue;
        const char *before = at, *behind = at + 2;
        while (before > macro.at && in_word(before[-1])) before--;
        while (behind < end && in_word(*behind)) behind++;
        if (begins(behind, "##")) behind += 2;
        const char *last = behind;
        while (last < end && in_word(*last)) last++;
        const size_t head = (size_t)(at - before), tail = (size_t)(last - behind);
        if (head + argument.length + tail >= sizeof name) continue;
        memcpy(name, before, head);
        memcpy(name + head, argument.at, argument.length);
        memcpy(name + head + argument.length, behind, tail);
        need_name(s, (span){name, head + argument.length + tail}, pending);
        at = last - 1;
    }
}

/* a word behind . or -> is a member, and refers to nothing else */
static int is_member(const char *begin, span word)
{
    const ptrdiff_t before = word.at - begin;
    return (before > 0 && word.at[-1] == '.') || (before > 1 && word.at[-1] == '>' && word.at[-2] == '-');
}

/* A word that is declared here, "const int path" or "dense *D": behind the name of a type, and no function.
 * What is written in capitals is a macro or a constant. */
static int is_declared(const char *begin, span word, char next)
{
    static const char *const others[] = {"const",  "static", "inline", "struct", "typedef", "enum",
                                         "return", "else",   "case",   "sizeof", "PN_HOT"};
    const char *at = word.at;
    if (next == '(' || isupper((unsigned char)*at)) return 0;
    while (at > begin && at[-1] == '*') at--;
    const char *last = at;
    while (at > begin && at[-1] == ' ') at--;
    if (at == last || at == begin || !in_word(at[-1])) return 0;
    last = at;
    while (at > begin && in_word(at[-1])) at--;
    const span type = {at, (size_t)(last - at)};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is(type, others[i])) return 0;
    return !isdigit((unsigned char)*type.at);
}

/* all that a text refers to, but for what it declares itself */
static void need_text(pn_source *s, span text, int *pending)
{
    enum { LOCALS = 64 };
    span local[LOCALS];
    int locals = 0;
    const char *at = text.at, *end = text.at + text.length;
    for (span word = next_word(&at, end); word.length; word = next_word(&at, end)) {
        int own = is_member(text.at, word);
        for (int i = 0; i < locals && !own; i++) own = compare(local[i], word) == 0;
        if (!own && locals < LOCALS && is_declared(text.at, word, *at)) {
            local[locals++] = word;
            own = 1;
        }
        if (own) continue;
        need_name(s, word, pending);
        const int d = find(s, word);
        if (*at != '(' || d == s->definitions) continue;
        const char *c = at;
        const span argument = next_word(&c, end), macro = s->part[s->definition[d].part].text;
        need_pasted(s, macro, argument, pending);
    }
}

void pn_source_need(pn_source *s, const char *text)
{
    int pending = 0;
    need_text(s, (span){text, strlen(text)}, &pending);
    while (pending > 0) need_text(s, s->part[s->pending[--pending]].text, &pending);
}

static int text_has_member(span text, const char *member)
{
    const char *at = text.at, *end = text.at + text.length;
    for (span word = next_word(&at, end); word.length; word = next_word(&at, end))
        if (is(word, member) && is_member(text.at, word)) return 1;
    return 0;
}

int pn_source_mentions(const pn_source *s, const char *name)
{
    for (int i = 0; i < s->parts; i++) {
        const part *p = &s->part[i];
        const char *at = p->text.at, *end = at + p->text.length;
        if (!p->needed) continue;
        for (span word = next_word(&at, end); word.length; word = next_word(&at, end))
            if (is(word, name)) return 1;
    }
    return 0;
}

int pn_source_has_member(const pn_source *s, const char *member)
{
    for (int i = 0; i < s->parts; i++) {
        const part *p = &s->part[i];
        if (p->needed && text_has_member(p->text, member)) return 1;
    }
    return 0;
}

/* ---- writing ---- */

/* a line that tells the recording scalar what the kernel does, and nothing to anyone else */
static int is_mark(const char *line)
{
    line += strspn(line, " ");
    return begins(line, "PN_BODY(") || begins(line, "PN_NOTE(") || begins(line, "PN_APART_");
}

/* the last character of a line that is neither in a comment nor the continuation's backslash; a space: none
 */
static char last_character(const char *line, const char *end)
{
    char last = ' ';
    while (line < end) {
        const char *quiet = past_quiet(line);
        if (quiet != line && *line != '/') last = *line;
        if (quiet == line && !strchr(" \\\n", *line)) last = *line;
        line = quiet == line ? line + 1 : quiet;
    }
    return last;
}

/* line by line, but for marks that are statements of their own; functions with what is to stand before them
 */
static void write_part(const part *p, const char *qualifier, pn_text *t)
{
    const char *end = p->text.at + p->text.length,
               *function = p->function < 0 ? NULL : p->text.at + p->function;
    int whole = 1; /* the statement before has ended */
    for (const char *line = p->text.at, *next; line < end; line = next) {
        next = line + strcspn(line, "\n") + 1;
        if (next > end) next = end;
        const char last = last_character(line, next);
        if (whole && last == ';' && is_mark(line)) continue;
        if (line == function) pn_text_add(t, "%s", qualifier);
        pn_text_bytes(t, line, (size_t)(next - line));
        if (last != ' ') whole = strchr(";{}", last) != NULL;
    }
}

/* The comment at the head of a file, above the first of it that is written; but for what speaks of the
 * library. */
static void write_banner(const pn_source *s, int file, pn_text *t)
{
    const span name = s->file[file];
    if (is(name, "kernel/kernel.h") || is(name, "kernel/problems.inc") || is(name, "model/constants.inc"))
        return;
    for (int i = 0; i < s->parts; i++) {
        const part *p = &s->part[i];
        if (p->file != file) continue;
        if (p->banner) pn_text_add(t, "\n%.*s", (int)p->text.length, p->text.at);
        return;
    }
}

pinion_status pn_source_write(const pn_source *s, const char *only, const char *qualifier, pn_text *t)
{
    char *begun = calloc((size_t)s->files + 1, 1);
    if (!begun) return PINION_ERR_MEMORY;
    for (int i = 0; i < s->parts; i++) {
        const part *p = &s->part[i];
        const span file = s->file[p->file];
        if (p->banner || !p->needed || (only ? !is(file, only) : begins(file.at, "real/"))) continue;
        if (!begun[p->file]) write_banner(s, p->file, t);
        begun[p->file] = 1;
        pn_text_add(t, "\n");
        write_part(p, qualifier, t);
    }
    free(begun);
    return PINION_OK;
}
