/* Fuzzes what sweeps read: plans, parts and journals, results. Any bytes give something or one line of error. Checksums
 * are made right first, so that what is behind them is tried, too. */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "sweep/store/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what, const char *message)
{
    fprintf(stderr, "%s: %s\n", what, message);
    abort();
}

static void check_message(const pinion_error *err)
{
    if (err->status == PINION_OK || !err->message[0] || strchr(err->message, '\n')) fail("no message", err->message);
}

/* A plan is read, not run: what it asks for may take for ever. */
static void read_plan(const char *text, size_t size)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_sweep *s = pinion_sweep_load_string(text, size, "plan", "models", &err);
    if (!s) {
        check_message(&err);
        return;
    }
    const uint64_t count = pinion_sweep_count(s);
    double *x = calloc((size_t)pinion_sweep_parameter_count(s) + 1, sizeof *x);
    if (x && count > 0 &&
        (pinion_sweep_parameters(s, 0, x) != PINION_OK || pinion_sweep_parameters(s, count - 1, x) != PINION_OK))
        fail("no parameters", "of a run that there is");
    free(x);
    pinion_sweep_free(s);
}

static uint64_t number(const unsigned char *b)
{
    uint64_t x = 0;
    for (int i = 7; i >= 0; i--) x = x << 8 | b[i];
    return x;
}

/* The checksum behind so many bytes, of the head or of a record, where there is room for one. */
static int repair(unsigned char *b, size_t left, uint64_t length, int head)
{
    if (length > left || left - length < 8) return 0;
    const uint64_t sum = head ? pn_fnv1a(PN_FNV1A, b, (size_t)length) : pn_sum_eights(b, (size_t)length);
    for (int i = 0; i < 8; i++) b[length + (uint64_t)i] = (unsigned char)(sum >> (8 * i));
    return 1;
}

static void repair_all(unsigned char *b, size_t size)
{
    const uint64_t head = size < 16 ? 0 : number(b + 8);
    if (head < 24 || !repair(b, size, head - 8, 1)) return; /* the sum is behind the length, not in it */
    for (size_t at = (size_t)head; size - at >= 16;) {
        const uint64_t length = number(b + at);
        if (length > size || !repair(b + at, size - at, length + 8, 0)) return;
        at += (size_t)length + 16;
    }
}

static void read_journal(const char *path)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pn_journal_reader j;
    if (pn_journal_open(&j, path, &err) != PINION_OK) {
        check_message(&err);
        return;
    }
    pinion_sweep_record r;
    double sum = 0;
    for (int round = 0; round < 2; round++) {
        pn_journal_rewind(&j);
        while (pn_journal_next(&j, &r) > 0) {
            for (uint32_t i = 0; i < j.scalars; i++) sum += r.scalars[i];
            for (size_t i = 0; i < r.rows * (size_t)r.columns; i++) sum += r.row[i];
        }
    }
    if (sum == 1.5e300) puts("never"); /* all of it was read */
    pinion_sweep *s = pn_sweep_of_journal(&j, &err);
    if (!s) check_message(&err);
    pinion_sweep_free(s);
    pn_journal_end(&j);
}

static void read_result(const char *path)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_sweep_result *r = pinion_sweep_result_load(path, &err);
    if (!r) check_message(&err);
    pinion_sweep_result_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size + 1), path[40];
    if (!copy) return 0;
    if (size) memcpy(copy, data, size);
    copy[size] = '\0';
    if (size > 8 && (memcmp(copy, "PNSWEEP3", 8) == 0 || copy[0] == '\x89')) {
        if (copy[0] == 'P') repair_all((unsigned char *)copy, size);
        const int file = memfd_create("sweep", 0);
        if (file >= 0 && write(file, copy, size) == (ssize_t)size) {
            snprintf(path, sizeof path, "/proc/self/fd/%d", file);
            if (copy[0] == 'P')
                read_journal(path);
            else
                read_result(path);
        }
        if (file >= 0) close(file);
    } else {
        read_plan(copy, size);
    }
    free(copy);
    return 0;
}
