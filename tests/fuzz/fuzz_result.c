/* Fuzzes the readers of results in CSV and JSON lines, and through the first the reader of all CSV files: any
 * bytes give a result or one line of error, and what was read can be written in both formats and reads back
 * the same. For HDF5 see tests/edges/test_damage.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result/result_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Says what is wrong and stops, so that the fuzzer keeps the input. */
static void fail(const char *what, const char *message)
{
    fprintf(stderr, "%s: %s\n", what, message);
    abort();
}

/* Columns and rows of both; units, events and texts too unless `b` was CSV, which has none. */
static int differ(const pinion_result *a, const pinion_result *b, int csv)
{
    int different = a->columns != b->columns || a->rows != b->rows || b->events != (csv ? 0 : a->events) ||
                    b->texts != (csv ? 0 : a->texts);
    for (int i = 0; i < a->columns && !different; i++) {
        different = strcmp(a->column[i].name, b->column[i].name) ||
                    strcmp(csv ? "" : a->column[i].unit, b->column[i].unit);
        for (size_t k = 0; k < a->rows && !different; k++) {
            double x = a->column[i].values[k], y = b->column[i].values[k];
            different = !(x == y || (x != x && y != y) || (x - x != 0 && y != y)); /* JSON makes nan of inf */
        }
    }
    for (int i = 0; i < b->events && !different; i++) different = strcmp(a->event[i].text, b->event[i].text);
    for (int i = 0; i < b->texts && !different; i++)
        different = strcmp(a->text[i].key, b->text[i].key) || strcmp(a->text[i].text, b->text[i].text);
    return different;
}

static void write_and_read(const pinion_result *r, int csv)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    size_t size = 0;
    char *bytes = csv ? pn_result_write_csv(r, "w", &size, &err) : pn_result_write_jsonl(r, "w", &size, &err);
    if (!bytes) fail("what was read cannot be written", err.message);
    pinion_result *again = pn_result_read_text(bytes, size, "w", &err);
    if (!again) fail("what was written cannot be read", err.message);
    if (differ(r, again, csv))
        fail("what was written reads back as something else", csv ? "CSV" : "JSON lines");
    pinion_result_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_result *r = pn_result_read_text(text, size, "f", &err);
    if (!r) {
        if (err.status == PINION_OK || !err.message[0] || strchr(err.message, '\n'))
            fail("no message", err.message);
        return 0;
    }
    if (r->columns > 0) { /* JSON lines can have none, which is not saved */
        write_and_read(r, 1);
        write_and_read(r, 0);
    }
    pinion_result_free(r);
    return 0;
}
