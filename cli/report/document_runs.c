/* Many runs on a page. */
#include "cli/report/document_internal.h"
#include "src/base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REASONS = 5000 }; /* why runs are not complete, on the page */

/* The k-th of `shown` runs: one at random of each of so many equal parts of all. A fixed distance would meet
 * the pattern of grids and sequences. */
static uint64_t spread(const cli_runs *r, size_t k, size_t shown)
{
    uint64_t seed = k;
    const double share = (double)r->runs / (double)shown, part = r->runs > shown ? pn_random_unit(&seed) : 0;
    const uint64_t run = (uint64_t)(((double)k + part) * share);
    return run < r->runs ? run : r->runs - 1;
}

static void add_column(cli_document *doc, json_t *columns, const cli_runs *r, const cli_runs_column *c,
                       size_t shown)
{
    json_t *o = json_object(), *bins = json_array(), *words = json_array();
    float *x = malloc((shown + 1) * sizeof *x);
    for (size_t k = 0; x && k < shown; k++) x[k] = (float)c->values[spread(r, k, shown)];
    for (int i = 0; i < c->bins; i++) pn_doc_add(doc, bins, json_real((double)c->histogram[i]));
    for (int i = 0; i < c->word_count; i++) pn_doc_add(doc, words, pn_doc_text(c->words[i]));
    pn_doc_set(doc, o, "name", pn_doc_text(c->name));
    pn_doc_set(doc, o, "unit", pn_doc_text(c->unit));
    pn_doc_set(doc, o, "kind", json_string(c->parameter ? "parameter" : "scalar"));
    pn_doc_set(doc, o, "low", isfinite(c->low) ? json_real(c->low) : json_real(0));
    pn_doc_set(doc, o, "high", isfinite(c->high) ? json_real(c->high) : json_real(0));
    pn_doc_set(doc, o, "histogram", bins);
    pn_doc_set(doc, o, "values", x ? pn_doc_floats(x, shown) : NULL);
    if (c->word_count)
        pn_doc_set(doc, o, "words", words);
    else
        json_decref(words);
    pn_doc_add(doc, columns, o);
    free(x);
}

/* Why runs are not complete, of the first of them and of those shown: {"7": "ended by max_steps ..."}. */
static json_t *find_reasons(cli_document *doc, const cli_runs *r, size_t shown)
{
    json_t *all = json_object();
    size_t given = 0;
    char key[30];
    for (int pass = 0; pass < 2; pass++) {
        const uint64_t count = pass ? shown : r->runs;
        for (uint64_t k = 0; k < count && given < (pass ? REASONS : REASONS / 10); k++) {
            const uint64_t run = pass ? spread(r, (size_t)k, shown) : k;
            if (!r->outcome[run]) continue;
            snprintf(key, sizeof key, "%llu", (unsigned long long)run);
            if (json_object_get(all, key)) continue;
            pn_doc_set(doc, all, key, pn_doc_text(r->why(r->user, run)));
            given++;
        }
    }
    return all;
}

void pn_cli_document_runs(cli_document *doc, const cli_runs *r)
{
    if (!doc || doc->failed) return;
    const size_t shown = r->runs < r->shown ? (size_t)r->runs : r->shown;
    json_t *item = pn_doc_item(doc, "runs"), *columns = json_array(), *outcomes = json_array();
    double *index = malloc((shown + 1) * sizeof *index);
    unsigned char *outcome = malloc(shown + 1);
    if (!item || !index || !outcome) {
        doc->failed = 1;
        json_decref(columns);
        json_decref(outcomes);
    } else {
        for (size_t k = 0; k < shown; k++) {
            const uint64_t run = spread(r, k, shown);
            index[k] = (double)run;
            outcome[k] = r->outcome[run];
        }
        for (int i = 0; i < r->column_count; i++) add_column(doc, columns, r, &r->columns[i], shown);
        for (int i = 0; r->outcomes[i]; i++) pn_doc_add(doc, outcomes, pn_doc_text(r->outcomes[i]));
        pn_doc_set(doc, item, "index", pn_doc_doubles(index, shown));
        pn_doc_set(doc, item, "outcome", pn_doc_base64(outcome, shown));
        pn_doc_set(doc, item, "outcomes", outcomes);
        pn_doc_set(doc, item, "why", find_reasons(doc, r, shown));
        pn_doc_set(doc, item, "columns", columns);
        pn_doc_set(doc, item, "command", pn_doc_text(r->command));
    }
    free(index);
    free(outcome);
}

void pn_cli_document_bars(cli_document *doc, const char *caption, int count, const cli_bar *bars)
{
    if (!doc || doc->failed) return;
    json_t *item = pn_doc_item(doc, "bars"), *list = json_array();
    if (!item) {
        json_decref(list);
        return;
    }
    for (int i = 0; i < count; i++) {
        json_t *o = json_object();
        pn_doc_set(doc, o, "name", pn_doc_text(bars[i].name));
        pn_doc_set(doc, o, "value", json_real(isfinite(bars[i].value) ? bars[i].value : 0));
        pn_doc_set(doc, o, "error", json_real(isfinite(bars[i].error) ? bars[i].error : 0));
        pn_doc_set(doc, o, "color", json_integer(bars[i].color));
        pn_doc_add(doc, list, o);
    }
    pn_doc_set(doc, item, "caption", pn_doc_text(caption));
    pn_doc_set(doc, item, "bars", list);
}
