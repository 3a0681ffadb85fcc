#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Makes one line of valid UTF-8 of what vsnprintf left, which may have been cut inside a character. */
static void clean_line(char *s, int cut)
{
    char *to = s;
    for (const char *from = s; *from;) {
        const int n = pn_utf8_length(from);
        if (n == 0 && cut && strlen(from) < 4 && (unsigned char)*from >= 0xc2) break; /* the cut character */
        if (n == 0 || pn_utf8_is_control(from)) {
            *to++ = '?';
        } else {
            memmove(to, from, (size_t)n);
            to += n;
        }
        from += n ? n : 1;
    }
    *to = '\0';
}

pinion_status pn_error_set(pinion_error *err, pinion_status s, const char *file, int line, int column,
                           const char *format, ...)
{
    if (!err) return s;
    err->status = s;
    err->line = line > 0 ? line : 0;
    err->column = column > 0 ? column : 0;

    /* where: a very long path keeps its end, which tells more, and leaves room for the message */
    char *out = err->message;
    size_t room = sizeof err->message, used = 0;
    if (file) {
        size_t length = strlen(file), most = 255;
        const char *dots = length > most ? "..." : "";
        if (length > most) file += length - most;
        int n = line > 0 ? snprintf(out, room, "%s%s:%d: ", dots, file, line)
                         : snprintf(out, room, "%s%s: ", dots, file);
        used = n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
    }

    /* what */
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(out + used, room - used, format, arguments);
    va_end(arguments);
    if (n < 0) out[used] = '\0';
    clean_line(out, n >= 0 && (size_t)n >= room - used);
    return s;
}
