/* Numbers of a model by where they are in its JSON. */
#include "sweep/plan/sweep_plan.h"

#include <stdlib.h>
#include <string.h>

enum { PART = 300 }; /* bytes of a part of a pointer */

/* The element of an array with that name, or that number. */
static json_t *element(json_t *array, const char *part)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        json_t *one = json_array_get(array, i);
        const char *name = json_string_value(json_object_get(one, "name"));
        if (name && strcmp(name, part) == 0) return one;
    }
    char *end = NULL;
    const unsigned long number = strtoul(part, &end, 10);
    return *part && !*end && *part != '-' ? json_array_get(array, number) : NULL;
}

/* As RFC 6901 has it: parts behind slashes, with ~1 for '/' and ~0 for '~'. */
json_t *pn_plan_pointed(json_t *model, const char *pointer)
{
    json_t *at = model;
    while (at && *pointer) {
        char part[PART];
        size_t length = 0;
        if (*pointer++ != '/') return NULL;
        for (; *pointer && *pointer != '/'; pointer++) {
            char c = *pointer;
            if (c == '~' && (pointer[1] == '0' || pointer[1] == '1')) c = *++pointer == '0' ? '~' : '/';
            if (length + 1 >= PART) return NULL;
            part[length++] = c;
        }
        part[length] = '\0';
        at = json_is_array(at) ? element(at, part) : json_object_get(at, part);
    }
    return at;
}
