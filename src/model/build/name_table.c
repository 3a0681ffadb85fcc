/* Name tables: sorted arrays, so that a file with many names costs n log n and no more. */
#include <stdlib.h>
#include <string.h>

#include "model/build/describe.h"

static int compare(const void *a, const void *b)
{
    const pn_name *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

void pn_names_sort(pn_name *names, int count)
{
    if (count > 1) qsort(names, (size_t)count, sizeof *names, compare);
}

int pn_names_find(const pn_name *names, int count, const char *name)
{
    /* the first entry not below the name */
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (strcmp(names[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && strcmp(names[low].name, name) == 0 ? names[low].index : -1;
}

int pn_names_duplicate(const pn_name *names, int count, int *first)
{
    int found = -1;
    for (int i = 1; i < count; i++) {
        if (strcmp(names[i].name, names[i - 1].name) != 0) continue;
        if (found < 0 || names[i].index < found) {
            found = names[i].index;
            *first = names[i - 1].index;
        }
    }
    return found;
}
