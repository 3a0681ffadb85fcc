/* jansson, made safe against running out of memory.
 *
 * jansson's scanner ignores a failed growth of the buffer that holds the current token: characters of
 * a long string or number then get lost, or an assertion in it ends the program. So it is given an
 * array of two, a string longer than any token of the text and the text itself. The buffer grows in
 * that string or not at all, and the string's length tells whether it did. */
#include <string.h>

#include "base/file.h"
#include "io/json/json.h"

#define FLAGS (JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL)

/* What is fed to jansson: ["pppp...", then the text, then ]. */
typedef struct feed {
    const char *text;
    size_t size;
    size_t padding; /* length of the string */
    size_t at;      /* what was fed so far */
} feed;

static size_t feed_next(void *buffer, size_t room, void *data)
{
    feed *f = data;
    char *to = buffer;
    size_t n = 0;
    for (; n < room; n++, f->at++) {
        size_t at = f->at;
        if (at < 2) {
            to[n] = "[\""[at];
        } else if ((at -= 2) < f->padding) {
            to[n] = 'p';
        } else if ((at -= f->padding) < 2) {
            to[n] = "\","[at];
        } else if ((at -= 2) < f->size) {
            size_t count = f->size - at < room - n ? f->size - at : room - n;
            memcpy(to + n, f->text + at, count);
            n += count - 1;
            f->at += count - 1;
        } else if (at == f->size) {
            to[n] = ']';
        } else {
            break;
        }
    }
    return n;
}

/* An upper bound of the length of the tokens; the text need not be valid. */
static size_t longest_token(const char *text, size_t size)
{
    size_t longest = 0, start = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"') {
            start = i;
            for (i++; i < size && text[i] != '"'; i++) i += text[i] == '\\';
        } else if (strchr(" \t\r\n,:[]{}", text[i])) {
            start = i;
        }
        if (i - start + 1 > longest) longest = i - start + 1;
    }
    return longest;
}

/* NULL when the text is not valid, or nests too deep by the one array around it, or memory ran out. */
static json_t *parse_padded(const char *text, size_t size, json_error_t *e)
{
    feed f = {text, size, longest_token(text, size) + 16, 0};
    /* the buffer doubles: it is not to grow for the quote that ends the string, which the scanner cannot do without */
    if (((f.padding + 2) & (f.padding + 1)) == 0) f.padding++;
    json_t *pair = json_load_callback(feed_next, &f, FLAGS, e), *root = NULL;
    if (json_array_size(pair) == 2 && json_string_length(json_array_get(pair, 0)) == f.padding)
        root = json_incref(json_array_get(pair, 1));
    json_decref(pair);
    return root;
}

json_t *pn_json_parse(const char *text, size_t size, const char *name, pinion_error *err)
{
    json_error_t padded, e;
    memset(&padded, 0, sizeof padded);
    memset(&e, 0, sizeof e);
    json_t *root = parse_padded(text, size, &padded);
    if (root) return root;

    /* the text alone: for the message, with the right place */
    root = json_loadb(text, size, FLAGS, &e);
    int valid = root != NULL;
    json_decref(root);
    if (valid && json_error_code(&padded) == json_error_stack_overflow)
        pn_error_set(err, PINION_ERR_PARSE, name, padded.line, 0,
                     "too many arrays or objects inside one another");
    else if (valid || !e.text[0])
        pn_error_set(err, PINION_ERR_MEMORY, name, 0, 0, "out of memory");
    else
        pn_error_set(err, PINION_ERR_PARSE, name, e.line, e.column, "not valid JSON: %s", e.text);
    return NULL;
}

json_t *pn_json_open(const char *path, const char *what, char **text, const char **start, pinion_error *err)
{
    size_t size = 0;
    *text = pn_file_read(path, PN_SIZE_MAX, what, &size, err);
    if (!*text) return NULL;

    /* without the byte order mark; a zero byte would look like the end */
    const size_t mark = size >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    const char *zero = memchr(*text, '\0', size);
    *start = *text + mark;
    if (!zero) return pn_json_parse(*start, size - mark, path, err);
    int line = 1;
    for (const char *c = *text; c < zero; c++) line += *c == '\n';
    pn_error_set(err, PINION_ERR_PARSE, path, line, 0, "a zero byte; expected text in UTF-8");
    return NULL;
}
