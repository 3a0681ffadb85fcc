/* Characters of UTF-8. */
#ifndef PN_UTF8_H
#define PN_UTF8_H

/* How many bytes the character at s has; 0 at the end of the text and where there is none. Longer forms than needed,
 * surrogates, and what lies beyond the last character are none. */
static inline int pn_utf8_length(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    const int n = u[0] == 0     ? 0
                  : u[0] < 0x80 ? 1
                  : u[0] < 0xc2 ? 0
                  : u[0] < 0xe0 ? 2
                  : u[0] < 0xf0 ? 3
                  : u[0] < 0xf5 ? 4
                                : 0;
    for (int i = 1; i < n; i++)
        if ((u[i] & 0xc0) != 0x80) return 0;
    if (n == 3 && ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f))) return 0;
    if (n == 4 && ((u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f))) return 0;
    return n;
}

/* Nonzero for a control character, of one byte or two. */
static inline int pn_utf8_is_control(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    return u[0] < 0x20 || u[0] == 0x7f || (u[0] == 0xc2 && u[1] >= 0x80 && u[1] < 0xa0);
}

#endif
