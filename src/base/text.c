#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pn_text_reserve(pn_text *t, size_t more)
{
    if (t->failed) return 0;
    if (more < t->capacity - t->length) return 1; /* the capacity is 0 or above the length */
    size_t capacity = t->capacity ? t->capacity : 256;
    while (capacity - t->length <= more && capacity <= SIZE_MAX / 4) capacity *= 2;
    char *grown = capacity - t->length > more ? realloc(t->at, capacity) : NULL;
    if (!grown) {
        t->failed = 1;
        return 0;
    }
    t->at = grown;
    t->capacity = capacity;
    return 1;
}

void pn_text_bytes(pn_text *t, const void *bytes, size_t count)
{
    if (!pn_text_reserve(t, count)) return;
    if (count) memcpy(t->at + t->length, bytes, count);
    t->length += count;
    t->at[t->length] = '\0';
}

void pn_text_append(pn_text *t, const char *string)
{
    pn_text_bytes(t, string, strlen(string));
}

void pn_text_add(pn_text *t, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int n = vsnprintf(NULL, 0, format, arguments);
    if (n < 0) {
        t->failed = 1;
    } else if (pn_text_reserve(t, (size_t)n)) {
        vsnprintf(t->at + t->length, (size_t)n + 1, format, again);
        t->length += (size_t)n;
    }
    va_end(again);
    va_end(arguments);
}

char *pn_text_take(pn_text *t)
{
    if (!t->at) pn_text_append(t, "");
    char *at = t->failed ? NULL : t->at;
    if (!at) free(t->at);
    *t = (pn_text){0};
    return at;
}

void pn_text_free(pn_text *t)
{
    free(t->at);
    *t = (pn_text){0};
}
