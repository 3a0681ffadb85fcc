/* Results for tests of files: one with something of everything, and a comparison of two. */
#ifndef PN_RESULT_SAMPLE_H
#define PN_RESULT_SAMPLE_H

#include "check.h"
#include "pinion/sim/result.h"

/* Names that a careless writer or reader would trip over. */
static const char *const sample_names[] = {
    "t",
    "q.shoulder",
    "plain name",
    "with, comma",
    "with \"quotes\"",
    "with\nnewline",
    "with\r\nboth",
    " blanks ",
    "# hash",
    "1.5",
    "nan",
    "a [b]",
    "a [b] [c",
    "[",
    "]",
    "x[]",
    "/",
    "a/b",
    ".",
    "..",
    "%2F",
    "'; rm -rf ~; '",
    "<script>alert(1)</script>",
    "\xc3\xa4\xf0\x9f\xa4\x96",
    "\\n",
    "\t",
    "{\"t\": 1}",
    "-inf",
};
static const char *const sample_units[] = {"s", "rad", "", "N m", "m/s^2", "\"", "a,b", "\xc2\xb5m", " "};
enum { SAMPLE_COLUMNS = sizeof sample_names / sizeof *sample_names };

/* A double with random bits, of any size; nan and inf too when `all` is nonzero. */
static inline double sample_number(uint64_t *state, int all)
{
    for (;;) {
        uint64_t bits = (uint64_t)(check_uniform(state) * 4294967296.0) << 32;
        bits |= (uint64_t)(check_uniform(state) * 4294967296.0);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x)) return x;
        if (all) return isnan(x) ? NAN : x;
    }
}

static inline pinion_result *sample_result(size_t rows, uint64_t seed)
{
    pinion_result *r = pinion_result_new();
    int bad = !r;
    bad = bad || pinion_result_set(r, "title", "a \"title\": with, everything \xe2\x82\xac") != PINION_OK;
    bad = bad ||
          pinion_result_set(r, "command", "pinion sim 'a b.json'\n\\n \\\\ \r # not a comment") != PINION_OK;
    bad = bad || pinion_result_set(r, "empty", "") != PINION_OK;

    /* a text beyond what an attribute of HDF5 can hold */
    char *lots = malloc(200001);
    if (!lots) return r;
    for (int i = 0; i < 200000; i++) lots[i] = i % 70 == 69 ? '\n' : (char)('a' + i % 26);
    lots[200000] = '\0';
    bad = bad || pinion_result_set(r, "model", lots) != PINION_OK;
    free(lots);
    bad = bad || pinion_result_set(r, "after", " between blanks ") != PINION_OK;

    static const double memory[] = {0.1, -0.0, 5e-324, 1.7976931348623157e308, INFINITY, -INFINITY};
    bad = bad || pinion_result_set_numbers(r, "memory", 6, memory) != PINION_OK;
    bad = bad || pinion_result_set_numbers(r, "a.none", 0, NULL) != PINION_OK;
    bad = bad || pinion_result_add_event(r, 0.1, "limit \"elbow\"\n, lower: # 5") != PINION_OK;
    bad = bad || pinion_result_add_event(r, 1.0 / 3, "") != PINION_OK;
    bad = bad || pinion_result_add_event(r, -1e-300, " stopped \xc3\xa4") != PINION_OK;

    for (int i = 0; i < SAMPLE_COLUMNS; i++)
        bad = bad || pinion_result_add_column(r, sample_names[i], sample_units[i % 9]) != PINION_OK;
    for (size_t row = 0; row < rows; row++) {
        double values[SAMPLE_COLUMNS];
        for (int i = 0; i < SAMPLE_COLUMNS; i++) values[i] = sample_number(&seed, 0);
        bad = bad || pinion_result_add_row(r, values) != PINION_OK;
    }
    if (bad) CHECK_FAIL("the sample cannot be made");
    return r;
}

/* The same double, but any nan is any other. */
static inline int sample_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

/* Whether two results are equal, down to the bits of the numbers. CSV (`all` is zero) has the names of the
 * columns and the rows alone. */
static inline int sample_equal(const pinion_result *a, const pinion_result *b, int all)
{
    int texts = all ? pinion_result_key_count(a) : 0, events = all ? pinion_result_event_count(a) : 0;
    int columns = pinion_result_column_count(a), same = 1;
    same &= pinion_result_key_count(b) == texts && pinion_result_event_count(b) == events;
    same &= pinion_result_column_count(b) == columns;
    same &= pinion_result_row_count(a) == pinion_result_row_count(b);
    for (int i = 0; same && i < texts; i++) {
        const char *key = pinion_result_key(a, i);
        same = !strcmp(key, pinion_result_key(b, i)) &&
               !strcmp(pinion_result_get(a, key), pinion_result_get(b, key));
    }
    for (int i = 0; same && i < events; i++) {
        double s, t;
        same = !strcmp(pinion_result_event(a, i, &s), pinion_result_event(b, i, &t)) && sample_same(s, t);
    }
    for (int i = 0; same && i < columns; i++) {
        pinion_column x, y;
        same = pinion_result_column(a, i, &x) == PINION_OK && pinion_result_column(b, i, &y) == PINION_OK;
        same = same && !strcmp(x.name, y.name) && !strcmp(all ? x.unit : "", y.unit);
        for (size_t row = 0; same && row < pinion_result_row_count(a); row++)
            same = sample_same(pinion_result_values(a, i)[row], pinion_result_values(b, i)[row]);
    }
    static const char *const keys[] = {"memory", "a.none", "absent"};
    for (int k = 0; same && all && k < 3; k++) {
        int n, m;
        const double *x = pinion_result_numbers(a, keys[k], &n), *y = pinion_result_numbers(b, keys[k], &m);
        same = n == m && !x == !y;
        for (int i = 0; same && i < n; i++) same = sample_same(x[i], y[i]);
    }
    return same;
}

#endif
