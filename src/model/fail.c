/* Error messages: one line each, whatever the names in them hold. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "model/build/describe.h"

/* Length of the UTF-8 sequence at `s`, 0 if there is none that can be printed. */
static int printable_length(const char *s)
{
    return pn_utf8_is_control(s) ? 0 : pn_utf8_length(s);
}

int pn_is_clean_text(const char *text)
{
    while (*text) {
        int length = printable_length(text);
        if (!length) return 0;
        text += length;
    }
    return 1;
}

void pn_trim_utf8(char *text, size_t length)
{
    /* back to the lead byte of the last sequence; keep it only if all of it is there */
    size_t start = length;
    while (start > 0 && length - start < 3 && ((unsigned char)text[start - 1] & 0xc0) == 0x80) start--;
    if (start > 0 && ((unsigned char)text[start - 1] & 0x80)) start--;
    text[length] = 0;
    if (start < length && !pn_is_clean_text(text + start)) text[start] = 0;
}

/* Copies whole characters while they fit, '?' for what cannot be printed; the bytes of `from` it took. */
static size_t copy_clean(char *to, size_t room, const char *from)
{
    size_t out = 0, in = 0;
    while (from[in]) {
        int length = printable_length(from + in);
        size_t step = length ? (size_t)length : 1;
        if (out + step > room) break;
        if (length) {
            memcpy(to + out, from + in, step);
        } else {
            to[out] = '?';
        }
        out += step;
        in += step;
    }
    to[out] = 0;
    return in;
}

pn_quoted pn_quote(const char *name)
{
    pn_quoted q;
    if (!name) name = "";
    q.text[0] = '\'';
    const size_t taken = copy_clean(q.text + 1, sizeof q.text - 8, name), length = strlen(q.text);
    snprintf(q.text + length, sizeof q.text - length, "%s'", name[taken] ? "..." : "");
    return q;
}

/* The file's name, its end where it is too long. */
static void quote_source(char *to, size_t room, const char *source)
{
    size_t length = strlen(source);
    if (length <= room) {
        copy_clean(to, room, source);
        return;
    }
    const char *tail = source + (length - (room - 3));
    while (((unsigned char)*tail & 0xc0) == 0x80) tail++;
    memcpy(to, "...", 3);
    copy_clean(to + 3, room - 3, tail);
}

pinion_status pn_fail(const pinion_builder *b, pinion_error *err, pinion_status status, int line,
                      const char *format, ...)
{
    if (!err) return status;
    memset(err, 0, sizeof *err);
    err->status = status;
    err->line = line > 0 ? line : 0;

    /* where */
    size_t used = 0;
    if (b && b->source) {
        char source[164];
        quote_source(source, sizeof source - 4, pn_builder_text(b, b->source));
        int n = err->line ? snprintf(err->message, sizeof err->message, "%s:%d: ", source, err->line)
                          : snprintf(err->message, sizeof err->message, "%s: ", source);
        used = n > 0 ? (size_t)n : 0;
    }

    /* what */
    va_list args;
    va_start(args, format);
    int n = vsnprintf(err->message + used, sizeof err->message - used, format, args);
    va_end(args);
    if (n > 0 && used + (size_t)n >= sizeof err->message) pn_trim_utf8(err->message, sizeof err->message - 1);
    return status;
}

pinion_status pn_fail_memory(const pinion_builder *b, pinion_error *err)
{
    return pn_fail(b, err, PINION_ERR_MEMORY, 0, "out of memory");
}
