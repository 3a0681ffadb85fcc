#ifndef PN_ROOM_H
#define PN_ROOM_H

#include <stdlib.h>

/* Whether so much memory could be had now, in one piece. Asked before calling a library that does not survive
 * when its own requests fail (docs/correctness.md): where memory has a limit, it is found out here. */
static inline int pn_is_room(size_t bytes)
{
    void *volatile piece =
        malloc(bytes); /* volatile: compilers know that a piece nobody looks at need not be asked for */
    free(piece);
    return piece != NULL;
}

#endif
