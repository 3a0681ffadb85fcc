/* Fuzzes the readers of meshes: any bytes give triangles between points that are there, or what is wrong. And what
 * unpacks pictures. */
#include "io/image/png.h"
#include "io/mjcf/mjcf_mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const mjcf_surface *s)
{
    for (int i = 0; i < 3 * s->triangles; i++) {
        if (s->corner[i] >= 0 && s->corner[i] < s->points) continue;
        fprintf(stderr, "corner %d is point %d of %d\n", i, s->corner[i], s->points);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"m.stl", "m.obj", "m.msh", "m.txt"};
    if (!size) return 0;
    if (data[0] % 8 == 7) {
        unsigned char room[512];
        (void)pn_inflate(data + 1, size - 1, room, sizeof room);
        return 0;
    }
    mjcf_surface s = {0};
    char *text = malloc(size);
    if (!text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    const char *why = pn_mjcf_surface(names[data[0] % 4], text, size - 1, &s);
    if (!why) check(&s);
    if (s.points < 2000 && !pn_mjcf_hull(&s)) check(&s);
    free(text);
    free(s.point);
    free(s.corner);
    return 0;
}
