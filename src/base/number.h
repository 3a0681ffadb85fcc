/* Numbers from and to text, whatever the locale. */
#ifndef PN_NUMBER_H
#define PN_NUMBER_H

#include "base/text.h"

#define PN_NUMBER_MAX 1100 /* bytes of the longest number that is read */

/* Reads the decimal number at the start of `text`, which ends with '\0': [+-] digits [.digits]
 * [e[+-]digits], a digit before or after the point; no white space, hexadecimal, inf or nan. Returns
 * 1, the value and the first byte behind it; returns 0, changing nothing, when there is no such number,
 * when it is longer than PN_NUMBER_MAX or when it is too large for a double. `end` may be NULL. */
int pn_parse_number(const char *text, const char **end, double *out);

/* The fewest digits that read back as the same number, which is finite: 15 to 17, or 6 to 9 where `single` asks for
 * the same float. */
void pn_number_shortest(double x, int single, char out[40]);
void pn_text_number(pn_text *t, double x);

#endif
