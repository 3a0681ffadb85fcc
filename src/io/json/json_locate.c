/* Finds values in JSON text by walking it. The text was parsed before, so it is valid: there is
 * nothing to check here, only things to step over. Line ends occur only as white space, since JSON
 * strings cannot hold them. */
#include <string.h>

#include "io/json/json.h"

static pn_spot skip_space(pn_spot s)
{
    for (;; s.at++) {
        if (*s.at == '\n') {
            s.line++;
            s.line_start = s.at + 1;
        } else if (*s.at != ' ' && *s.at != '\t' && *s.at != '\r') {
            return s;
        }
    }
}

/* Steps over punctuation and the white space on both sides of it. */
static pn_spot skip_mark(pn_spot s)
{
    s = skip_space(s);
    s.at++;
    return skip_space(s);
}

static pn_spot skip_string(pn_spot s)
{
    for (s.at++; *s.at != '"' && *s.at; s.at++) {
        if (*s.at == '\\' && s.at[1]) s.at++;
    }
    if (*s.at) s.at++;
    return s;
}

/* Steps over a whole value. Counts brackets instead of recursing. */
static pn_spot skip_value(pn_spot s)
{
    int depth = 0;
    for (;;) {
        s = skip_space(s);
        switch (*s.at) {
        case '"': s = skip_string(s); break;
        case '{':
        case '[':
            depth++;
            s.at++;
            break;
        case '}':
        case ']':
            depth--;
            s.at++;
            break;
        case ',':
        case ':': s.at++; break;
        case '\0': return s;
        default:
            while (*s.at && !strchr(",:]} \t\r\n", *s.at)) s.at++;
            break;
        }
        if (depth == 0) return s;
    }
}

pn_spot pn_spot_begin(const char *text)
{
    return skip_space((pn_spot){text, text, 1});
}

pn_spot pn_spot_member(pn_spot object, size_t index, int value)
{
    pn_spot s = skip_mark(object);
    for (size_t i = 0; i < index; i++) s = skip_mark(skip_value(skip_mark(skip_string(s))));
    return value ? skip_mark(skip_string(s)) : s;
}

pn_spot pn_spot_element(pn_spot array, size_t index)
{
    pn_spot s = skip_mark(array);
    for (size_t i = 0; i < index; i++) s = pn_spot_next(s);
    return s;
}

pn_spot pn_spot_next(pn_spot element)
{
    return skip_mark(skip_value(element));
}
