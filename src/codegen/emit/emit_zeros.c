/* Results that are zero in every state. Where many stand in a row they are a loop: most of a regressor is zero, for
 * limbs do not act on each other, and a statement for each number would be most of the code. Those that the tree's
 * structure makes zero are apart from others: who compiles with PINION_KEEP_ZEROS has them in his arrays already. */
#include "codegen/emit/emit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHORTEST = 32 }; /* shorter loops end where a processor does not expect it */

typedef struct run {
    size_t at, length; /* in an array of results */
} run;

static int is_zero(const pn_code *c, size_t result)
{
    if (c->f->apart && c->f->apart[result]) return 0;
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

static void emit_runs(const char *name, const run *r, size_t count, pinion_codegen_scalar scalar, pn_text *t)
{
    const size_t first = r[0].at, length = r[0].length;
    if (count == 1) {
        pn_text_add(t, "    for (int i = %zu; i < %zu; i++) %s[i] = ", first, first + length, name);
    } else {
        const size_t apart = r[1].at - first, end = r[count - 1].at + 1;
        pn_text_add(t, "    for (int j = %zu; j < %zu; j += %zu)\n", first, end, apart);
        pn_text_add(t, "        for (int i = j; i < j + %zu; i++) %s[i] = ", length, name);
    }
    pn_text_literal(t, 0, scalar);
    pn_text_add(t, ";\n");
}

/* all runs of an array, those that are alike in one statement */
static void emit_all_runs(const char *name, const run *list, size_t runs, pinion_codegen_scalar scalar, pn_text *t)
{
    for (size_t k = 0, n; k < runs; k += n) {
        n = alike(list + k, runs - k);
        if (n == 2) n = 1; /* as long as two loops */
        emit_runs(name, list + k, n, scalar, t);
    }
}

/* one after the other, a few in a line */
static void emit_few(const char *name, size_t begin, size_t end, pinion_codegen_scalar scalar, pn_text *t)
{
    for (size_t i = begin; i < end; i++) {
        pn_text_add(t, (i - begin) % 8 ? "%s[%zu] = " : "    %s[%zu] = ", name, i);
        if ((i - begin) % 8 < 7 && i + 1 < end) continue;
        pn_text_literal(t, 0, scalar);
        pn_text_add(t, ";\n");
    }
}

int pn_has_apart(const pn_function *f)
{
    size_t results = 0;
    for (int o = 0; o < 6 && f->out[o].name; o++) results += f->out[o].count;
    return f->apart && memchr(f->apart, 1, results) != NULL;
}

void pn_emit_apart(const pn_function *f, pinion_codegen_scalar scalar, pn_text *t)
{
    const uint8_t *apart = f->apart;
    for (int o = 0; apart && o < 6 && f->out[o].name; o++) {
        const size_t count = f->out[o].count;
        run *list = malloc((count / SHORTEST + 1) * sizeof *list);
        size_t runs = 0;
        if (!list) t->failed = 1;
        for (size_t at = 0, end; list && at < count; at = end + 1) {
            for (end = at; end < count && apart[end];) end++;
            if (end - at >= SHORTEST)
                list[runs++] = (run){at, end - at};
            else
                emit_few(f->out[o].name, at, end, scalar, t);
        }
        if (list) emit_all_runs(f->out[o].name, list, runs, scalar, t);
        free(list);
        apart += count;
    }
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

/* takes the results that are in runs, or apart, from the lists of the records that they are */
static void unlink_runs(pn_code *c, size_t base, size_t count, const run *list, size_t runs)
{
    for (int32_t i = 0; i < c->graph->count; i++) {
        if (c->first_result[i] < 0 || c->graph->record[i].operation != PN_OP_CONSTANT) continue;
        int32_t *link = &c->first_result[i];
        while (*link >= 0) {
            const size_t k = (size_t)*link;
            const int apart = c->f->apart && c->f->apart[k];
            if (k >= base && k < base + count && (apart || in_runs(list, runs, k - base)))
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
    if (pn_has_apart(c->f)) {
        pn_text_add(c->t, "#ifndef PINION_KEEP_ZEROS\n");
        pn_emit_apart(c->f, c->scalar, c->t);
        pn_text_add(c->t, "#endif\n");
    }
    size_t base = 0;
    for (int array = 0; list && array < 6 && c->f->out[array].name; array++) {
        const size_t count = c->f->out[array].count, runs = find_runs(c, base, count, list);
        emit_all_runs(c->f->out[array].name, list, runs, c->scalar, c->t);
        unlink_runs(c, base, count, list, runs);
        base += count;
    }
    free(list);
}
