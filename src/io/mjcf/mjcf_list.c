/* Arrays and names of the MJCF reader. */
#include "io/mjcf/mjcf.h"

#include <stdlib.h>
#include <string.h>

char *pn_mjcf_join(mjcf_reader *r, const char *a, const char *b, const char *c)
{
    const size_t na = strlen(a), nb = strlen(b), nc = strlen(c);
    char *out = malloc(na + nb + nc + 1);
    if (!out) {
        pn_xml_memory(&r->u);
        return NULL;
    }
    memcpy(out, a, na);
    memcpy(out + na, b, nb);
    memcpy(out + na + nb, c, nc + 1);
    return out;
}

static int by_name(const void *a, const void *b)
{
    const mjcf_name *x = a, *y = b;
    if (!x->name || !y->name) return !x->name - !y->name;
    const int order = strcmp(x->name, y->name);
    return order ? order : x->index - y->index;
}

void pn_mjcf_sort_names(mjcf_name *names, int count)
{
    if (count) qsort(names, (size_t)count, sizeof *names, by_name);
}

int pn_mjcf_look_up(const mjcf_name *names, int count, const char *name)
{
    int low = 0, high = count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (names[middle].name && strcmp(names[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && names[low].name && strcmp(names[low].name, name) == 0 ? names[low].index : -1;
}
