/* The text that states are in, one at a time: {"states": [STATE, ...]}, or one STATE after the other (JSON
 * lines). Only one of them is in memory; jansson reads it. */
#define _POSIX_C_SOURCE 200809L
#include "cli/args/states_text.h"

#include "cli/print/print_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT_ONCE ((size_t)1 << 16)
#define STATE_MAX ((size_t)64 << 20) /* bytes of one state */
#define FLAGS (JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY)

/* ------------------------------------------------------------------------------------------------ */
/* Bytes */

/* The next byte without taking it; EOF at the end, and where it cannot be read. */
static int peek(states_text *t)
{
    if (t->at == t->end && !t->ended) {
        fflush(stdout); /* who waits for an answer before he goes on gets it */
        t->at = t->end = 0;
        ssize_t got;
        do got = read(t->file, t->buffer, AT_ONCE);
        while (got < 0 && errno == EINTR);
        if (got < 0) t->why = errno;
        t->ended = got <= 0;
        t->end = got > 0 ? (size_t)got : 0;
    }
    return t->at < t->end ? (unsigned char)t->buffer[t->at] : EOF;
}

static int take(states_text *t)
{
    const int c = peek(t);
    if (c == '\n') t->line++;
    if (c != EOF) t->at++;
    return c;
}

/* The next byte that is not white space, not taken. */
static int peek_token(states_text *t)
{
    int c;
    while ((c = peek(t)) == ' ' || c == '\t' || c == '\n' || c == '\r') take(t);
    return c;
}

/* Room for so many bytes more in the text of the state at hand; 0 when there is none. */
static int reserve(states_text *t, size_t more)
{
    if (t->length + more < t->room) return 1;
    const size_t room = 2 * t->room + more + 4096;
    char *grown = t->length < STATE_MAX ? realloc(t->text, room) : NULL;
    t->no_memory = !grown && t->length < STATE_MAX;
    t->too_large = t->length >= STATE_MAX;
    if (!grown) return 0;
    t->text = grown;
    t->room = room;
    return 1;
}

/* Takes a byte into that text; 0 when there is no room. */
static int keep(states_text *t)
{
    if (!reserve(t, 1)) return 0;
    t->text[t->length++] = (char)take(t);
    t->text[t->length] = '\0';
    return 1;
}

/* Strings, brackets and lines are counted; all else is for jansson. */
static const char has_meaning[256] = {['"'] = 1, ['{'] = 1, ['}'] = 1, ['['] = 1, [']'] = 1, ['\n'] = 1};

/* Takes bytes that have no meaning here, as many as there are. */
static int keep_plain(states_text *t)
{
    size_t end = t->at;
    while (end < t->end && !has_meaning[(unsigned char)t->buffer[end]]) end++;
    const size_t some = end - t->at;
    if (!reserve(t, some)) return 0;
    memcpy(t->text + t->length, t->buffer + t->at, some);
    t->length += some;
    t->text[t->length] = '\0';
    t->at = end;
    return 1;
}

/* Takes white space; the byte behind it. */
static int keep_space(states_text *t)
{
    int c;
    while ((c = peek(t)) == ' ' || c == '\t' || c == '\n' || c == '\r')
        if (!keep(t)) return EOF;
    return c;
}

/* Takes a string, with its quotes. */
static int keep_string(states_text *t)
{
    if (!keep(t)) return 0;
    for (int c; (c = peek(t)) != EOF && c != '"';)
        if (!keep(t) || (c == '\\' && peek(t) != EOF && !keep(t))) return 0;
    return peek(t) == EOF || keep(t);
}

/* Takes the rest of a value that is `depth` brackets deep already. What it is made of, jansson looks at. */
static int keep_value(states_text *t, int depth)
{
    for (;;) {
        const int c = peek(t);
        if (c == EOF) return 1;
        if (depth == 0 &&
            (c == ',' || c == ']' || c == '}' || c == ' ' || c == '\t' || c == '\n' || c == '\r'))
            return 1;
        if (c == '"') {
            if (!keep_string(t)) return 0;
        } else if (depth > 0 && !has_meaning[c]) {
            if (!keep_plain(t)) return 0;
        } else {
            if (!keep(t)) return 0;
            depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        }
        if (depth <= 0 && (c == '}' || c == ']' || c == '"')) return 1;
    }
}

/* ------------------------------------------------------------------------------------------------ */
/* Values */

/* Says what is wrong with the text at a line; "near" tells what is there. */
static int fail(states_text *t, const char *expected)
{
    char near[40];
    const int c = peek(t);
    if (t->why) {
        pn_cli_report(t->command, "%s: the states cannot be read: %s", t->name, strerror(t->why));
        return 0;
    }
    if (c == EOF)
        snprintf(near, sizeof near, "end of file");
    else
        snprintf(near, sizeof near, c > 32 && c < 127 ? "'%c'" : "byte 0x%02x", c);
    pn_cli_report(t->command, "%s:%d: not JSON: %s expected near %s", t->name, t->line, expected, near);
    return 0;
}

/* What was kept as a value, NULL after a message; it began in that line. */
static json_t *parse(states_text *t, int line)
{
    json_error_t error = {0, 0, 0, "", ""};
    json_t *value = t->why ? NULL : json_loadb(t->text ? t->text : "", t->length, FLAGS, &error);
    if (value) return value;
    if (t->why)
        fail(t, "");
    else if (!error.text[0] ||
             json_error_code(&error) == json_error_out_of_memory) /* it does not always say so */
        pn_cli_report(t->command, "%s: out of memory", t->name);
    else
        pn_cli_report(t->command, "%s:%d: not JSON: %s", t->name,
                      line + (error.line > 0 ? error.line - 1 : 0), error.text);
    return NULL;
}

/* A value whose start is kept already, in as many brackets; NULL after a message. */
static json_t *read_value(states_text *t, int depth)
{
    const int line = t->line;
    if (keep_value(t, depth)) return parse(t, line);
    if (t->too_large)
        pn_cli_report(t->command, "%s:%d: a state of more than %d MiB", t->name, line,
                      (int)(STATE_MAX >> 20));
    else
        pn_cli_report(t->command, "%s: out of memory", t->name);
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ */
/* The whole */

int pn_cli_text_open(states_text *t, const char *command, const char *path)
{
    memset(t, 0, sizeof *t);
    const int is_stdin = strcmp(path, "-") == 0;
    t->command = command;
    t->name = is_stdin ? "<stdin>" : path;
    t->line = 1;
    t->buffer = malloc(AT_ONCE);
    FILE *stream = is_stdin ? stdin : fopen(path, "rb");
    if (!t->buffer || !stream) {
        pn_cli_report(command, "%s: the states cannot be read: %s", t->name,
                      stream ? "out of memory" : strerror(errno));
        if (stream && !is_stdin) fclose(stream);
        free(t->buffer);
        t->buffer = NULL;
        return 0;
    }
    t->stream = is_stdin ? NULL : stream;
    t->file = fileno(stream);
    return 1;
}

void pn_cli_text_close(states_text *t)
{
    if (t->stream) fclose(t->stream);
    free(t->buffer);
    free(t->text);
    memset(t, 0, sizeof *t);
}

/* Behind '{': the first key, if it is "states" and a list follows. 1: it does; 0: what there is stays kept as
 * the start of a value, `*depth` deep. */
static int is_list(states_text *t, int *depth)
{
    *depth = 1;
    if (!keep(t) || keep_space(t) != '"') return 0;
    const size_t start = t->length;
    if (!keep_string(t) || strcmp(t->text + start, "\"states\"") != 0) return 0;
    if (keep_space(t) != ':' || !keep(t) || keep_space(t) != '[') return 0;
    take(t);
    return 1;
}

int pn_cli_text_begin(states_text *t, json_t **first)
{
    int depth = 0;
    *first = NULL;
    const int c = peek_token(t);
    if (c != '{' && c != '[') return fail(t, "'[' or '{'");
    const int line = t->line;
    if (c == '{' && is_list(t, &depth)) {
        t->in_list = 1;
        return 1;
    }
    *first = keep_value(t, depth) ? parse(t, line) : NULL;
    if (!*first && t->no_memory) pn_cli_report(t->command, "%s: out of memory", t->name);
    if (!*first && t->too_large)
        pn_cli_report(t->command, "%s: a state of more than %d MiB", t->name, (int)(STATE_MAX >> 20));
    return *first != NULL;
}

/* Behind the list: no other key, and nothing behind it all. */
static int read_end(states_text *t)
{
    take(t);
    t->in_list = 0;
    if (peek_token(t) == ',') {
        take(t);
        t->length = 0;
        if (peek_token(t) != '"') return fail(t, "string");
        json_t *key = read_value(t, 0);
        if (!key) return 0;
        if (strcmp(json_string_value(key), "states") == 0)
            pn_cli_report(t->command, "%s:%d: not JSON: duplicate object key near '\"states\"'", t->name,
                          t->line);
        else
            pn_cli_report(t->command, "%s: unknown key '%s'; expected states", t->name,
                          json_string_value(key));
        json_decref(key);
        return 0;
    }
    if (peek_token(t) != '}') return fail(t, "'}'");
    take(t);
    return peek_token(t) == EOF && !t->why ? 1 : fail(t, "end of file");
}

json_t *pn_cli_text_next(states_text *t, int *failed)
{
    int c = peek_token(t);
    *failed = 0;
    if (t->in_list) {
        if (c == ']') {
            *failed = !read_end(t);
            t->past = 1;
            return NULL;
        }
        if (t->count > 0 && c != ',') {
            *failed = !fail(t, "']'");
            return NULL;
        }
        if (t->count > 0) take(t);
        c = peek_token(t);
    }
    if (t->past || (c == EOF && !t->in_list && !t->why)) return NULL;
    t->length = 0;
    if (c == EOF || c == ',' || c == ']' || c == '}') {
        *failed = !fail(t, "a value");
        return NULL;
    }
    json_t *value = read_value(t, 0);
    *failed = value == NULL;
    t->count++;
    return value;
}
