/* The tree of an XML file without libxml2: XML 1.0 as far as a robot needs it.
 *
 * Elements, attributes, text, CDATA, comments, instructions, characters by number and the five entities that
 * XML has by itself. A DOCTYPE may name a DTD, which is not looked at; a declaration in it ends the parse, so
 * that nothing is ever expanded. No recursion, and at most MAX_DEPTH elements within each other. The text
 * must be UTF-8 and end with a zero. */
#include "io/xml/xml.h"

#include "base/utf8.h"

#include <iconv.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = PN_XML_MAX_DEPTH, CHUNK = 1 << 16 };

typedef struct chunk {
    struct chunk *next;
    size_t used, size;
    char memory[];
} chunk;

typedef struct reader {
    pn_xml *u;
    xmlDoc *doc;
    const char *text, *at;
    const char *counted; /* up to where lines are counted */
    int line;
    xmlNode *open; /* the element that what comes is in; NULL: outside */
    int depth, name_spaces;
    char *words; /* room for one text or value, as long as the file */
    int failed;
} reader;

static const char space[] = " \t\r\n";

/* ---------------------------------------------------------------------------------------------
 * Failures and memory */

static int line_at(reader *r, const char *place)
{
    while (r->counted < place) r->line += *r->counted++ == '\n';
    return r->line;
}

/* Always 0. Only the first one counts. */
static int fail(reader *r, const char *place, const char *format, ...)
{
    char what[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (!r->failed) {
        const char *begin = place;
        while (begin > r->text && begin[-1] != '\n') begin--;
        pn_error_set(r->u->err, PINION_ERR_PARSE, r->u->file, line_at(r, place), (int)(place - begin) + 1,
                     "not well-formed XML: %s", what);
    }
    r->failed = 1;
    return 0;
}

static void *take(reader *r, size_t size)
{
    chunk *c = r->doc->chunks;
    size = (size + 15) & ~(size_t)15;
    if (!c || c->size - c->used < size) {
        size_t room = size > CHUNK ? size : CHUNK;
        c = malloc(sizeof *c + room);
        if (!c) {
            if (!r->failed) pn_error_set(r->u->err, PINION_ERR_MEMORY, r->u->file, 0, 0, "out of memory");
            r->failed = 1;
            return NULL;
        }
        *c = (chunk){.next = r->doc->chunks, .size = room};
        r->doc->chunks = c;
    }
    char *memory = c->memory + c->used;
    c->used += size;
    memset(memory, 0, size);
    return memory;
}

static const xmlChar *keep(reader *r, const char *text, size_t length)
{
    char *copy = take(r, length + 1);
    if (copy) memcpy(copy, text, length);
    return (const xmlChar *)copy;
}

xmlNode *xmlDocGetRootElement(const xmlDoc *doc)
{
    return doc->root;
}

void xmlFreeDoc(xmlDoc *doc)
{
    for (chunk *c = doc->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(doc);
}

/* ---------------------------------------------------------------------------------------------
 * Names, characters and values */

/* How many bytes the character has, if a name may begin with it. */
static size_t starts_name(const char *s)
{
    int letter = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '_' || *s == ':';
    return letter ? 1 : (unsigned char)*s >= 0x80 ? (size_t)pn_utf8_length(s) : 0;
}

static size_t name_length(const char *s)
{
    size_t n = starts_name(s), more = n;
    while (more) {
        int other = (s[n] >= '0' && s[n] <= '9') || s[n] == '-' || s[n] == '.';
        n += more = other ? 1 : starts_name(s + n);
    }
    return n;
}

/* How much of a name a message shows. */
static int shown(size_t length)
{
    return length < 60 ? (int)length : 60;
}

/* Not by strspn, which checked builds let look for the end of all that follows. */
static void skip_space(reader *r)
{
    while (*r->at && strchr(space, *r->at)) r->at++;
}

/* Writes a character as UTF-8; 0 when XML has no such character. */
static int put_character(char **to, unsigned long c)
{
    int known = c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0xd800) ||
                (c >= 0xe000 && c < 0xfffe) || (c >= 0x10000 && c < 0x110000);
    char *s = *to;
    if (!known) return 0;
    if (c < 0x80) {
        *s++ = (char)c;
    } else {
        int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        *s++ = (char)((more == 1 ? 0xc0 : more == 2 ? 0xe0 : 0xf0) | (c >> 6 * more));
        while (more--) *s++ = (char)(0x80 | ((c >> 6 * more) & 0x3f));
    }
    *to = s;
    return 1;
}

/* A reference, which begins with '&': the character it stands for. */
static int read_reference(reader *r, char **to)
{
    static const struct {
        const char *name;
        char is;
    } known[] = {{"lt;", '<'}, {"gt;", '>'}, {"amp;", '&'}, {"apos;", '\''}, {"quot;", '"'}};
    const char *begin = r->at++;
    if (*r->at == '#') {
        int base = r->at[1] == 'x' ? 16 : 10;
        const char *digits = r->at + (base == 16 ? 2 : 1);
        unsigned long c = 0;
        for (r->at = digits; *r->at; r->at++) {
            int d = *r->at >= '0' && *r->at <= '9'   ? *r->at - '0'
                    : *r->at >= 'a' && *r->at <= 'f' ? *r->at - 'a' + 10
                    : *r->at >= 'A' && *r->at <= 'F' ? *r->at - 'A' + 10
                                                     : 16;
            if (d >= base) break;
            if (c < 0x200000) c = c * (unsigned long)base + (unsigned long)d;
        }
        if (r->at == digits || *r->at != ';' || !put_character(to, c))
            return fail(r, begin, "there is no such character: '%.20s'", begin);
        r->at++;
        return 1;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strncmp(r->at, known[i].name, strlen(known[i].name)) != 0) continue;
        *(*to)++ = known[i].is;
        r->at += strlen(known[i].name);
        return 1;
    }
    size_t n = name_length(r->at);
    if (!n || r->at[n] != ';') return fail(r, begin, "a '&' that begins no reference; expected '&amp;'");
    return fail(r, begin, "Entity '%.*s' not defined", shown(n), r->at);
}

/* One plain character; line ends become '\n'. */
static int read_character(reader *r, char **to)
{
    int n = pn_utf8_length(r->at);
    unsigned char c = (unsigned char)*r->at;
    int none = !n || (c < 0x20 && !strchr(space, c)) || memcmp(r->at, "\xef\xbf\xbe", (size_t)n) == 0 ||
               memcmp(r->at, "\xef\xbf\xbf", (size_t)n) == 0;
    if (!c) return fail(r, r->at, "the file ends too early");
    if (none) return fail(r, r->at, "a byte that is no character of UTF-8 or XML: 0x%02x", c);
    if (c == '\r') {
        r->at += r->at[1] == '\n' ? 2 : 1;
        *(*to)++ = '\n';
        return 1;
    }
    memcpy(*to, r->at, (size_t)n);
    *to += n;
    r->at += n;
    return 1;
}

/* The prefix of a name, as an ancestor declares it, and its length with the colon; NULL when there is none.
 */
static xmlNs *prefix_of(const xmlNode *node, const char *name, size_t length, size_t *skip)
{
    const char *colon = memchr(name, ':', length);
    if (!colon || colon == name) return NULL;
    size_t n = (size_t)(colon - name);
    for (; node; node = node->parent) {
        for (xmlNs *ns = node->nsDef; ns; ns = ns->next) {
            const char *prefix = (const char *)ns->prefix;
            if (strncmp(prefix, name, n) != 0 || prefix[n]) continue;
            *skip = n + 1;
            return ns;
        }
    }
    return NULL;
}

/* ---------------------------------------------------------------------------------------------
 * Elements */

/* Values in quotes. Declarations of name spaces are kept apart. */
static int read_attribute(reader *r, xmlNode *node, xmlAttr **end)
{
    const char *name = r->at;
    size_t n = name_length(name);
    if (!n) return fail(r, r->at, "expected an attribute, '>' or '/>' in <%.60s>", (const char *)node->name);
    r->at += n;
    skip_space(r);
    if (*r->at != '=') return fail(r, r->at, "attribute '%.*s' has no value", shown(n), name);
    r->at++;
    skip_space(r);
    char quote = *r->at, *to = r->words;
    if (quote != '"' && quote != '\'')
        return fail(r, r->at, "the value of '%.*s' is not in quotes", shown(n), name);
    for (r->at++; *r->at != quote;) {
        if (*r->at == '<')
            return fail(r, r->at, "a '<' in the value of '%.*s'; expected '&lt;'", shown(n), name);
        if (*r->at == '&') {
            if (!read_reference(r, &to)) return 0;
        } else {
            if (!read_character(r, &to)) return 0;
            if (strchr(space, to[-1])) to[-1] = ' ';
        }
    }
    r->at++;
    if (strncmp(name, "xmlns", 5) == 0 && (n == 5 || name[5] == ':')) {
        if (n <= 6) return 1; /* the default one: our elements may have it */
        if (++r->name_spaces > PN_XML_MAX_NAME_SPACES) return fail(r, name, "too many name spaces");
        xmlNs *ns = take(r, sizeof *ns);
        if (!ns || !(ns->prefix = keep(r, name + 6, n - 6))) return 0;
        ns->next = node->nsDef;
        node->nsDef = ns;
        return 1;
    }
    for (const xmlAttr *a = node->properties; a; a = a->next) {
        if (strncmp((const char *)a->name, name, n) == 0 && !a->name[n])
            return fail(r, name, "attribute '%.*s' redefined", shown(n), name);
    }
    xmlAttr *a = take(r, sizeof *a);
    xmlNode *value = take(r, sizeof *value);
    if (!a || !value || !(a->name = keep(r, name, n))) return 0;
    if (!(value->content = keep(r, r->words, (size_t)(to - r->words)))) return 0;
    value->type = XML_TEXT_NODE;
    a->children = value;
    if (*end)
        (*end)->next = a;
    else
        node->properties = a;
    *end = a;
    return 1;
}

static void append(reader *r, xmlNode *node)
{
    node->parent = r->open;
    node->doc = r->doc;
    if (!r->open)
        r->doc->root = node;
    else if (r->open->last)
        r->open->last->next = node;
    else
        r->open->children = node;
    if (r->open) r->open->last = node;
}

/* Names lose a prefix that is declared, once all declarations of the element are read. */
static void resolve_prefixes(xmlNode *node)
{
    size_t skip = 0;
    node->ns = prefix_of(node, (const char *)node->name, strlen((const char *)node->name), &skip);
    if (node->ns) node->name += skip;
    for (xmlAttr *a = node->properties; a; a = a->next) {
        a->ns = prefix_of(node, (const char *)a->name, strlen((const char *)a->name), &skip);
        if (a->ns) a->name += skip;
    }
}

static int read_start(reader *r)
{
    size_t n = name_length(r->at + 1);
    if (!n) return fail(r, r->at, "a '<' that begins no element; expected '&lt;'");
    if (!r->open && r->doc->root) return fail(r, r->at, "a second outermost element");
    if (++r->depth > MAX_DEPTH) return fail(r, r->at, "elements more than %d deep", MAX_DEPTH);
    xmlNode *node = take(r, sizeof *node);
    xmlAttr *end = NULL;
    if (!node || !(node->name = keep(r, r->at + 1, n))) return 0;
    node->type = XML_ELEMENT_NODE;
    append(r, node);
    r->at += 1 + n;
    for (int attributes = 0;; attributes++) {
        const char *before = r->at;
        skip_space(r);
        if (*r->at == '>' || *r->at == '/') break;
        if (attributes >= PN_XML_MAX_ATTRIBUTES) return fail(r, r->at, "too many attributes");
        if (r->at == before) return fail(r, r->at, "expected white space in <%.60s>", (const char *)node->name);
        if (!read_attribute(r, node, &end)) return 0;
    }
    resolve_prefixes(node);
    node->line = line_at(r, r->at);
    if (*r->at == '>') {
        r->open = node;
        r->at++;
        return 1;
    }
    if (r->at[1] != '>') return fail(r, r->at, "expected '/>'");
    r->at += 2;
    r->depth--;
    return 1;
}

static int read_end(reader *r)
{
    const char *begin = r->at;
    size_t n = name_length(r->at + 2), skip = 0;
    if (!r->open) return fail(r, begin, "an end without a beginning");
    const char *name = r->at + 2, *open = (const char *)r->open->name;
    xmlNs *ns = prefix_of(r->open, name, n, &skip);
    if (ns != r->open->ns || strncmp(name + skip, open, n - skip) != 0 || open[n - skip])
        return fail(r, begin, "Opening and ending tag mismatch: <%.60s> at line %d and </%.*s>", open,
                    r->open->line, shown(n), name);
    r->at += 2 + n;
    skip_space(r);
    if (*r->at != '>') return fail(r, r->at, "expected '>'");
    r->at++;
    r->open = r->open->parent;
    r->depth--;
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Text, and what is passed over */

static int read_text(reader *r)
{
    char *to = r->words;
    while (*r->at && *r->at != '<') {
        if (*r->at == '&') {
            if (!read_reference(r, &to)) return 0;
            continue;
        }
        if (strncmp(r->at, "]]>", 3) == 0) return fail(r, r->at, "']]>' in a text");
        if (!read_character(r, &to)) return 0;
    }
    size_t n = (size_t)(to - r->words);
    *to = '\0';
    if (!r->words[strspn(r->words, space)]) return 1;
    if (!r->open) return fail(r, r->at, "text outside of all elements");
    xmlNode *node = take(r, sizeof *node);
    if (!node || !(node->content = keep(r, r->words, n))) return 0;
    node->type = XML_TEXT_NODE;
    append(r, node);
    return 1;
}

static int read_cdata(reader *r)
{
    const char *begin = r->at;
    char *to = r->words;
    if (!r->open) return fail(r, begin, "CDATA outside of all elements");
    for (r->at += strlen("<![CDATA["); strncmp(r->at, "]]>", 3) != 0;)
        if (!read_character(r, &to)) return 0;
    r->at += 3;
    xmlNode *node = take(r, sizeof *node);
    if (!node || !(node->content = keep(r, r->words, (size_t)(to - r->words)))) return 0;
    node->type = XML_TEXT_NODE;
    append(r, node);
    return 1;
}

/* Characters up to `stop`, which is passed, too. */
static int pass(reader *r, const char *stop)
{
    for (char *to = r->words; strncmp(r->at, stop, strlen(stop)) != 0; to = r->words)
        if (!read_character(r, &to)) return 0;
    r->at += strlen(stop);
    return 1;
}

static int read_comment(reader *r)
{
    r->at += strlen("<!--");
    if (!pass(r, "--")) return 0;
    if (*r->at != '>') return fail(r, r->at, "'--' in a comment");
    r->at++;
    return 1;
}

static int read_instruction(reader *r)
{
    size_t n = name_length(r->at + 2);
    const char *name = r->at + 2;
    if (!n) return fail(r, r->at, "'<?' that begins no instruction");
    if (n == 3 && (name[0] | 32) == 'x' && (name[1] | 32) == 'm' && (name[2] | 32) == 'l')
        return fail(r, r->at, "'<?xml' that is not at the start of the file");
    r->at += 2 + n;
    if (!strchr(space, *r->at) && strncmp(r->at, "?>", 2) != 0)
        return fail(r, r->at, "expected white space or '?>'");
    return pass(r, "?>");
}

/* ---------------------------------------------------------------------------------------------
 * What is above the outermost element */

/* `<?xml version="1.0" ...?>`, which the file begins with or not. No XML of version 0.something exists; the
 * robots that claim it are plain XML 1.0. */
static int read_declaration(reader *r)
{
    if (strncmp(r->at, "<?xml", 5) != 0 || !r->at[5] || !strchr(space, r->at[5])) return 1;
    const char *begin = r->at, *end = strstr(r->at, "?>");
    r->at += 5;
    skip_space(r);
    if (!end || strncmp(r->at, "version", 7) != 0) return fail(r, begin, "'<?xml' without a version");
    r->at += 7;
    skip_space(r);
    if (*r->at++ != '=') return fail(r, begin, "'<?xml' without a version");
    skip_space(r);
    char quote = *r->at;
    const char *version = r->at + 1;
    size_t n = 2 + strspn(version + 2, "0123456789");
    if ((quote != '"' && quote != '\'') || (version[0] != '0' && version[0] != '1') || version[1] != '.' ||
        n == 2 || version[n] != quote)
        return fail(r, begin, "an unknown version of XML; expected version=\"1.0\"");
    r->at = version + n + 1;
    return pass(r, "?>");
}

static int refuse(reader *r, const char *begin, const char *what, const char *name)
{
    size_t n = name_length(name);
    if (!r->failed) {
        pn_error_set(r->u->err, PINION_ERR_PARSE, r->u->file, line_at(r, begin), 0,
                     "the DOCTYPE declares %s '%.*s', which is not accepted; expected a file without "
                     "declarations",
                     what, shown(n), name);
    }
    r->failed = 1;
    return 0;
}

/* A declaration in a DOCTYPE. */
static int refuse_declaration(reader *r)
{
    static const struct {
        const char *word, *what;
    } kinds[] = {{"<!ENTITY", "the entity"},
                 {"<!ELEMENT", "the element"},
                 {"<!ATTLIST", "the attribute"},
                 {"<!NOTATION", "the notation"}};
    const char *begin = r->at;
    for (int i = 0; i < 4; i++) {
        if (strncmp(begin, kinds[i].word, strlen(kinds[i].word)) != 0) continue;
        const char *name = begin + strlen(kinds[i].word);
        name += strspn(name, space);
        if (i == 0 && *name == '%') name += 1 + strspn(name + 1, space);
        if (i == 2) { /* of an element */
            name += name_length(name);
            name += strspn(name, space);
        }
        return refuse(r, begin, kinds[i].what, name);
    }
    return fail(r, begin, "expected ']' and '>' at the end of the DOCTYPE");
}

static int read_doctype(reader *r)
{
    if (r->doc->root || r->open) return fail(r, r->at, "a DOCTYPE behind the beginning of an element");
    r->at += strlen("<!DOCTYPE");
    skip_space(r);
    size_t n = name_length(r->at);
    if (!n) return fail(r, r->at, "a DOCTYPE without a name");
    r->at += n;
    skip_space(r);
    int literals = strncmp(r->at, "SYSTEM", 6) == 0 ? 1 : strncmp(r->at, "PUBLIC", 6) == 0 ? 2 : 0;
    if (literals) r->at += 6;
    for (; literals; literals--) {
        skip_space(r);
        char stop[2] = {*r->at, '\0'};
        if (*r->at != '"' && *r->at != '\'') return fail(r, r->at, "a DOCTYPE whose DTD is not in quotes");
        r->at++;
        if (!pass(r, stop)) return 0;
    }
    skip_space(r);
    if (*r->at == '[') {
        for (r->at++, skip_space(r); *r->at != ']'; skip_space(r)) {
            int good = strncmp(r->at, "<!--", 4) == 0 ? read_comment(r)
                       : strncmp(r->at, "<?", 2) == 0 ? read_instruction(r)
                                                      : refuse_declaration(r);
            if (!good) return 0;
        }
        r->at++;
        skip_space(r);
    }
    if (*r->at != '>') return fail(r, r->at, "expected '>' at the end of the DOCTYPE");
    r->at++;
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * The file */

static int read_file(reader *r)
{
    if (!read_declaration(r)) return 0;
    while (*r->at) {
        int good = *r->at != '<'                         ? read_text(r)
                   : strncmp(r->at, "<!--", 4) == 0      ? read_comment(r)
                   : strncmp(r->at, "<![CDATA[", 9) == 0 ? read_cdata(r)
                   : strncmp(r->at, "<!DOCTYPE", 9) == 0 ? read_doctype(r)
                   : r->at[1] == '?'                     ? read_instruction(r)
                   : r->at[1] == '/'                     ? read_end(r)
                                                         : read_start(r);
        if (!good) return 0;
    }
    if (r->open)
        return fail(r, r->at, "<%.60s> of line %d does not end", (const char *)r->open->name, r->open->line);
    if (!r->doc->root) return fail(r, r->at, "there is no element; expected <robot>");
    return 1;
}

/* A text in a one-byte encoding as UTF-8, to be freed, and its size; NULL when the system does not know the
 * encoding or there is no memory: it is then read as UTF-8. */
static char *decoded(const char *text, size_t *size)
{
    const char *e = strstr(text, "encoding") + strlen("encoding");
    e += strspn(e, " \t\r\n=\"'");
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(e, "\"' ?"), e);
    iconv_t convert = iconv_open("UTF-8", name);
    if (convert == (iconv_t)-1) return NULL;
    size_t room = 4 * *size, left = *size;
    char *out = malloc(room + 1), *to = out, *from = (char *)text;
    if (out && iconv(convert, &from, &left, &to, &room) == (size_t)-1) {
        free(out);
        out = NULL;
    }
    if (out) *to = '\0';
    if (out) *size = (size_t)(to - out);
    iconv_close(convert);
    return out;
}

xmlDoc *pn_xml_parse(pn_xml *u, const char *text, size_t size)
{
    char *other = pn_xml_is_one_byte(text) ? decoded(text, &size) : NULL;
    reader r = {.u = u, .text = other ? other : text, .line = 1};
    size_t length = strlen(r.text);
    r.at = r.counted = r.text;
    r.doc = calloc(1, sizeof *r.doc);
    r.words = malloc(length + 1);
    int good = 0;
    if (!r.doc || !r.words)
        pn_error_set(u->err, PINION_ERR_MEMORY, u->file, 0, 0, "out of memory");
    else if (length < size)
        fail(&r, r.text + length, "a byte that is no character of UTF-8 or XML: 0x00");
    else
        good = read_file(&r);
    free(r.words);
    free(other);
    if (good) return r.doc;
    if (r.doc) xmlFreeDoc(r.doc);
    return NULL;
}
