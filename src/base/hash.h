#ifndef PN_HASH_H
#define PN_HASH_H

#include <stddef.h>
#include <stdint.h>

/* SHA-256 in hexadecimal digits. */
void pn_sha256(const void *data, size_t size, char hex[65]);

#endif
