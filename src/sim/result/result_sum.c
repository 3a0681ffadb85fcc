/* The checksum of a result: of everything in it, each part behind its size, numbers with their low byte
 * first. */
#include <string.h>

#include "base/hash.h"
#include "sim/result/result_table.h"

enum { AT_ONCE = 512 };

static void add_size(pn_sha256_sum *s, uint64_t size)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(size >> 8 * i);
    pn_sha256_add(s, bytes, sizeof bytes);
}

static void add_text(pn_sha256_sum *s, const char *text)
{
    add_size(s, strlen(text));
    pn_sha256_add(s, text, strlen(text));
}

static void add_numbers(pn_sha256_sum *s, const double *x, size_t count)
{
    unsigned char bytes[8 * AT_ONCE];
    add_size(s, count);
    for (size_t from = 0; from < count; from += AT_ONCE) {
        const size_t some = count - from < AT_ONCE ? count - from : AT_ONCE;
        for (size_t k = 0; k < some; k++) {
            uint64_t bits;
            memcpy(&bits, &x[from + k], sizeof bits);
            for (int i = 0; i < 8; i++) bytes[8 * k + (size_t)i] = (unsigned char)(bits >> 8 * i);
        }
        pn_sha256_add(s, bytes, 8 * some);
    }
}

void pn_result_sum(const pinion_result *r, char hex[65])
{
    pn_sha256_sum s;
    pn_sha256_begin(&s);
    add_size(&s, (uint64_t)r->texts);
    for (int i = 0; i < r->texts; i++) {
        add_text(&s, r->text[i].key);
        add_text(&s, r->text[i].text);
    }
    add_size(&s, (uint64_t)r->number_keys);
    for (int i = 0; i < r->number_keys; i++) {
        add_text(&s, r->numbers[i].key);
        add_numbers(&s, r->numbers[i].values, (size_t)r->numbers[i].count);
    }
    add_size(&s, (uint64_t)r->events);
    for (int i = 0; i < r->events; i++) {
        add_numbers(&s, &r->event[i].t, 1);
        add_text(&s, r->event[i].text);
    }
    add_size(&s, (uint64_t)r->columns);
    for (int i = 0; i < r->columns; i++) {
        add_text(&s, r->column[i].name);
        add_text(&s, r->column[i].unit);
        add_numbers(&s, r->column[i].values, r->rows);
    }
    pn_sha256_end(&s, hex);
}
