/* Text that grows. Start with {0}. After a failed allocation adding does nothing and pn_text_take returns NULL, so a
 * writer checks once, at the end. */
#ifndef PN_TEXT_H
#define PN_TEXT_H

#include <stddef.h>

#include "base/message.h"

typedef struct pn_text {
    char *at; /* ends with '\0' once something was added; NULL before */
    size_t length, capacity;
    int failed; /* nonzero: out of memory */
} pn_text;

void pn_text_append(pn_text *t, const char *string);
void pn_text_bytes(pn_text *t, const void *bytes, size_t count);
/* Strings and integers only: a floating-point number would show the locale's decimal point (base/number.h). */
void pn_text_add(pn_text *t, const char *format, ...) PN_PRINTF(2, 3);
/* Room for `more` bytes and the final '\0'; returns 0 when there is none. */
int pn_text_reserve(pn_text *t, size_t more);
/* Hands over the string ("" when nothing was added), NULL when out of memory; `t` is empty after it. */
char *pn_text_take(pn_text *t);
void pn_text_free(pn_text *t);

#endif
