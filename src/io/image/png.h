/* Pictures in PNG files, as heights: one number from 0 to 255 a pixel. */
#ifndef PN_PNG_H
#define PN_PNG_H

#include <stddef.h>

/* Reads a picture, its first row above: new memory in *out, width times height numbers. Of colours it is the red part,
 * of 16 bits the upper 8, as MuJoCo has it. Returns NULL, or what is wrong with the file; "" when out of memory. */
const char *pn_png_heights(const unsigned char *bytes, size_t size, int *width, int *height, double **out);

/* inflate.c: what zlib has packed (RFC 1950, 1951), `count` bytes of it. NULL, or what is wrong. */
const char *pn_inflate(const unsigned char *from, size_t size, unsigned char *to, size_t count);

#endif
