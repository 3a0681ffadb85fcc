/* Counts of operations as the command prints them in JSON. */
#ifndef PN_COMMAND_COUNTS_H
#define PN_COMMAND_COUNTS_H

#include <math.h>

#include "command.h"

/* Five counts, all of them whole numbers. */
static inline void check_counts(json_t *counts)
{
    const char *key;
    json_t *value;
    CHECK_KEYS(counts, "mul add div sqrt trig");
    json_object_foreach(counts, key, value)
    {
        double x = json_number_value(value);
        CHECK(json_is_number(value) && x >= 0 && x == floor(x));
    }
}

#endif
