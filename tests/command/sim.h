/* Reading the results of `pinion sim`. */
#ifndef PN_TEST_SIM_H
#define PN_TEST_SIM_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A result in CSV, without its comments and units. */
typedef struct table {
    int columns, rows;
    char name[160][80];
    double *x;
} table;

static inline table read_table(const char *text)
{
    table t;
    memset(&t, 0, sizeof t);
    int capacity = 0, header = 1;
    for (const char *line = text; line && *line;) {
        const char *end = strchr(line, '\n');
        if (!end) break;
        if (*line != '#') {
            int column = 0;
            for (const char *at = line; at < end && column < 160; column++) {
                const char *stop = at;
                while (stop < end && *stop != ',') stop++;
                if (header) {
                    int length = (int)(stop - at);
                    const char *unit = memchr(at, ' ', (size_t)length);
                    snprintf(t.name[column], sizeof t.name[column], "%.*s", unit ? (int)(unit - at) : length,
                             at);
                } else {
                    if (t.rows * t.columns + column >= capacity) {
                        capacity = capacity ? 2 * capacity : 4096;
                        t.x = (double *)realloc(t.x, (size_t)capacity * sizeof *t.x);
                    }
                    t.x[t.rows * t.columns + column] = strtod(at, NULL);
                }
                at = stop + 1;
            }
            if (header) t.columns = column;
            if (!header) t.rows++;
            header = 0;
        }
        line = end + 1;
    }
    return t;
}

/* The number in a row (from the end when negative) under a name; NaN when there is none. */
static inline double cell(const table *t, int row, const char *name)
{
    if (row < 0) row += t->rows;
    for (int i = 0; i < t->columns; i++)
        if (strcmp(t->name[i], name) == 0 && row >= 0 && row < t->rows) return t->x[row * t->columns + i];
    return NAN;
}

/* Whether two files have the same bytes. */
static inline int same_file(const char *a, const char *b)
{
    int same = 0;
    FILE *f = fopen(a, "rb"), *h = fopen(b, "rb");
    if (f && h) {
        int x, y;
        do {
            x = fgetc(f);
            y = fgetc(h);
        } while (x == y && x != EOF);
        same = x == y;
    }
    if (f) fclose(f);
    if (h) fclose(h);
    return same;
}

#endif
