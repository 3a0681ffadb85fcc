/* Results that are zero in every state. Where many stand in a row they are a loop: most of a regressor is zero, for
 * limbs do not act on each other, and a statement for each number would be most of the code. */
#include "codegen/emit/emit.h"
#include <math.h>
#include <stdlib.h>

enum { SHORTEST = 32 }; /* shorter loops end where a processor does not expect it */

typedef struct run {
    size_t at, length; /* in an array of results */
} run;

static int is_zero(const pn_code *c, size_t result)
{
    const pn_record *r = &c->graph->record[c->graph->result[result]];
    return r->operation == PN_OP_CONSTANT && r->value == 0 && !signbit(r->value);
}

/* the runs of an array whose results begin at `base`; how many there are */
static size_t find_runs(const pn_code *c, size_t base, size_t count, run *list)
{
    size_t runs = 0;
    for (size_t at = 0, end; at < count; at = end + 1) {
        for (end = at; end < count && is_zero(c, base + end);) end++;
        if (end - at >= SHORTEST) list[runs++] = (run){at, end - at};
    }
    return runs;
}

/* runs from r on that are as long and as far apart; how many there are, itself among them */
static size_t alike(const run *r, size_t runs)
{
    size_t n = 1;
    while (n < runs && r[n].length == r[0].length && r[n].at - r[n - 1].at == r[1].at - r[0].at) n++;
    return n;
}

static void emit_runs(const pn_code *c, const char *name, const run *r, size_t count)
{
    const size_t first = r[0].at, length = r[0].length;
    if (count == 1) {
        pn_text_add(c->t, "    for (int i = %zu; i < %zu; i++) %s[i] = ", first, first + length, name);
    } else {
        const size_t apart = r[1].at - first, end = r[count - 1].at + 1;
        pn_text_add(c->t, "    for (int j = %zu; j < %zu; j += %zu)\n", first, end, apart);
        pn_text_add(c->t, "        for (int i = j; i < j + %zu; i++) %s[i] = ", length, name);
    }
    pn_text_literal(c->t, 0, c->scalar);
    pn_text_add(c->t, ";\n");
}

static int in_runs(const run *list, size_t runs, size_t at)
{
    size_t low = 0, high = runs; /* the first run that ends behind `at` */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (list[middle].at + list[middle].length <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < runs && list[low].at <= at;
}

/* takes the results that are in runs from the lists of the records that they are */
static void unlink_runs(pn_code *c, size_t base, size_t count, const run *list, size_t runs)
{
    for (int32_t i = 0; i < c->graph->count; i++) {
        if (c->first_result[i] < 0 || !is_zero(c, (size_t)c->first_result[i])) continue;
        int32_t *link = &c->first_result[i];
        while (*link >= 0) {
            const size_t k = (size_t)*link;
            if (k >= base && k < base + count && in_runs(list, runs, k - base))
                *link = c->next_result[k];
            else
                link = &c->next_result[k];
        }
    }
}

void pn_emit_zeros(pn_code *c)
{
    run *list = malloc((c->graph->results / SHORTEST + 1) * sizeof *list);
    if (!list) c->failed = 1;
    size_t base = 0;
    for (int array = 0; list && array < 6 && c->f->out[array].name; array++) {
        const size_t count = c->f->out[array].count, runs = find_runs(c, base, count, list);
        for (size_t k = 0, n; k < runs; k += n) {
            n = alike(list + k, runs - k);
            if (n == 2) n = 1; /* as long as two loops */
            emit_runs(c, c->f->out[array].name, list + k, n);
        }
        unlink_runs(c, base, count, list, runs);
        base += count;
    }
    free(list);
}
