/* pinion report of a sweep: distributions, what depends on what, and failures. */
#include "cli/sweep/sweep_page.h"

#include "cli/print/print_text.h"
#include "cli/report/document.h"
#include "cli/sweep/sweep_print.h"
#include "cli/sweep/sweep_reasons.h"
#include "pinion/pinion.h"
#include "pinion/sim/sweep.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOWN = 50000,  /* runs on the page */
    FAILURES = 200, /* in the table */
    COLUMNS = 40,   /* numbers on the page */
    REPLAYS = 60    /* motions on the page */
};

/* A result and what is said of it. */
typedef struct page {
    const pinion_sweep_result *r;
    cli_document *doc;
    uint64_t runs;
    unsigned char *counts; /* [runs] it is complete, or stopped by an event */
    int parameters, scalars;
    pinion_sweep_summary *summary; /* of parameters, then of scalars */
    int indices;                   /* nonzero: groups for Sobol's indices, of so many sampled parameters */
    int *sampled;                  /* which those are */
} page;

static pinion_status number_of(const page *p, int k, pinion_sweep_number *n, const double **x)
{
    return k < p->parameters ? pinion_sweep_result_parameter(p->r, k, n, x)
                             : pinion_sweep_result_scalar(p->r, k - p->parameters, n, x);
}

/* Whether the plan asks for indices, and of which parameters: those with a distribution. */
static void find_indices(page *p)
{
    const char *text = pinion_sweep_result_text(p->r, "plan");
    json_t *plan = json_loads(text, 0, NULL), *vary = json_object_get(plan, "vary"), *one;
    size_t i;
    if (json_is_true(json_object_get(plan, "indices"))) {
        json_array_foreach(vary, i, one) if (!json_object_get(one, "list") && !json_object_get(one, "grid") &&
                                             i < (size_t)p->parameters) p->sampled[p->indices++] = (int)i;
    }
    json_decref(plan);
}

/* ------------------------------------------------------------------------------------------------ */

static void cell(char text[40], double x)
{
    snprintf(text, 40, isfinite(x) ? "%.5g" : "-", x);
}

static void add_table(const page *p)
{
    static const char *const heading[] = {"number", "unit", "runs",   "mean", "± error", "deviation",
                                          "min",    "5 %",  "median", "95 %", "max"};
    enum { CELLS = 11, FIRST = 2 };
    const int count = p->scalars;
    const char **cells = calloc((size_t)(count + 1) * CELLS, sizeof *cells);
    char(*text)[40] = calloc((size_t)(count + 1) * CELLS, sizeof *text);
    for (int i = 0; cells && i < CELLS; i++) cells[i] = heading[i];
    for (int i = 0; cells && text && i < count; i++) {
        const pinion_sweep_summary *s = &p->summary[p->parameters + i];
        const double x[] = {s->mean,        s->error,       s->deviation,   s->minimum,
                            s->quantile[3], s->quantile[5], s->quantile[7], s->maximum};
        const char **row = cells + (size_t)(i + 1) * CELLS;
        char(*own)[40] = text + (size_t)(i + 1) * CELLS;
        pinion_sweep_number n;
        if (number_of(p, p->parameters + i, &n, NULL) != PINION_OK) continue;
        row[0] = n.name;
        row[1] = n.unit;
        row[2] = pn_cli_count_text(s->count, own[0]);
        for (int k = 0; k < 8; k++) {
            cell(own[k + 1], x[k]);
            row[3 + k] = own[k + 1];
        }
    }
    if (cells && text && count)
        pn_cli_document_table(
            p->doc,
            "Of runs that are complete or were stopped by an event; the error is one standard "
            "error of the mean, as if the runs were drawn at random.",
            CELLS, count + 1, cells, "llrrrrrrrrr");
    free(cells);
    free(text);
}

static void add_outcomes(const page *p)
{
    uint64_t of[PINION_SWEEP_OUTCOME_COUNT] = {0};
    char line[400] = "", count[40];
    double interval[2];
    const unsigned char *outcome = pinion_sweep_result_outcomes(p->r);
    for (uint64_t i = 0; i < p->runs; i++) of[outcome[i]]++;
    for (int i = 0; i < PINION_SWEEP_OUTCOME_COUNT; i++)
        if (of[i])
            snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s %s", *line ? ", " : "",
                     pn_cli_count_text(of[i], count), pinion_sweep_outcome_name((pinion_sweep_outcome)i));
    pn_cli_document_text(p->doc, "%s run%s: %s.", pn_cli_count_text(p->runs, count), pn_cli_plural(p->runs), line);
    const uint64_t failed = p->runs - of[PINION_SWEEP_COMPLETE] - of[PINION_SWEEP_STOPPED];
    if (pinion_sweep_probability(p->runs, failed, 0.95, interval) == PINION_OK)
        pn_cli_document_text(p->doc,
                             "A run fails with probability %.4g; between %.4g and %.4g with 95 %% confidence "
                             "(Wilson), as if the runs were drawn at random.",
                             p->runs ? (double)failed / (double)p->runs : 0, interval[0], interval[1]);
}

/* ------------------------------------------------------------------------------------------------ */

static void add_correlations(const page *p, int scalar, const char *name, const double *y)
{
    char caption[300];
    cli_bar *bars = calloc((size_t)p->parameters + 1, sizeof *bars);
    int count = 0;
    for (int i = 0; bars && i < p->parameters; i++) {
        pinion_sweep_number n;
        const double *x;
        double rank;
        if (number_of(p, i, &n, &x) != PINION_OK || n.words ||
            pinion_sweep_rank_correlation(p->runs, x, y, p->counts, &rank) != PINION_OK || !isfinite(rank))
            continue;
        bars[count++] = (cli_bar){n.name, rank, 0, scalar % 8};
    }
    snprintf(caption, sizeof caption,
             "Rank correlation of %.100s with what varies: 1 where it only rises, -1 where it only "
             "falls.",
             name);
    if (count) pn_cli_document_bars(p->doc, caption, count, bars);
    free(bars);
}

static void add_indices(const page *p, const char *name, const double *y)
{
    const int n = p->indices;
    double *x = calloc(4 * (size_t)n + 1, sizeof *x);
    cli_bar *bars = calloc(2 * (size_t)n + 1, sizeof *bars);
    char(*label)[300] = calloc(2 * (size_t)n + 1, sizeof *label), caption[400], count[40];
    uint64_t groups = 0;
    if (x && bars && label &&
        pinion_sweep_indices(p->runs, y, p->counts, n, x, x + n, x + 2 * n, x + 3 * n, &groups) ==
            PINION_OK &&
        groups > 1) {
        for (int i = 0; i < n; i++) {
            pinion_sweep_number about;
            if (number_of(p, p->sampled[i], &about, NULL) != PINION_OK) continue;
            snprintf(label[2 * i], sizeof *label, "%.200s, alone", about.name);
            snprintf(label[2 * i + 1], sizeof *label, "%.200s, with others", about.name);
            bars[2 * i] = (cli_bar){label[2 * i], x[i], x[n + i], 0};
            bars[2 * i + 1] = (cli_bar){label[2 * i + 1], x[2 * n + i], x[3 * n + i], 2};
        }
        snprintf(caption, sizeof caption,
                 "Sobol's indices of %.100s: the part of its variance that each explains, with one "
                 "standard error; from %s groups of runs.",
                 name, pn_cli_count_text(groups, count));
        pn_cli_document_bars(p->doc, caption, 2 * n, bars);
    }
    free(x);
    free(bars);
    free(label);
}

static void add_sensitivity(const page *p)
{
    pn_cli_document_section(p->doc, "What depends on what");
    for (int i = 0; i < p->scalars; i++) {
        pinion_sweep_number n;
        const double *y;
        if (number_of(p, p->parameters + i, &n, &y) != PINION_OK) continue;
        add_correlations(p, i, n.name, y);
        if (p->indices) add_indices(p, n.name, y);
    }
}

/* ------------------------------------------------------------------------------------------------ */

static const char *why(const void *result, uint64_t run)
{
    return pinion_sweep_result_why(result, run);
}

static void add_runs(const page *p, const char *command)
{
    static const char *words[PINION_SWEEP_OUTCOME_COUNT + 1];
    cli_runs_column columns[COLUMNS];
    int count = 0;
    for (int i = 0; i < PINION_SWEEP_OUTCOME_COUNT; i++)
        words[i] = pinion_sweep_outcome_name((pinion_sweep_outcome)i);
    for (int k = 0; k < p->parameters + p->scalars && count < COLUMNS; k++) {
        pinion_sweep_number n;
        const double *x;
        const pinion_sweep_summary *s = &p->summary[k];
        if (number_of(p, k, &n, &x) != PINION_OK) continue;
        columns[count++] =
            (cli_runs_column){n.name,     n.unit,     k < p->parameters, n.words,      n.word_count,
                              s->minimum, s->maximum, PINION_SWEEP_BINS, s->histogram, x};
    }
    const cli_runs runs = {p->runs, pinion_sweep_result_outcomes(p->r), words, count, columns, command, SHOWN,
                           why, p->r};
    pn_cli_document_section(p->doc, "Runs");
    if (p->runs > SHOWN)
        pn_cli_document_note(
            p->doc,
            "Grey histograms are of all runs. Points, lines and what is selected are %d of them, "
            "one of each of so many equal parts.",
            SHOWN);
    if (p->parameters + p->scalars > COLUMNS)
        pn_cli_document_note(p->doc, "Of %d numbers the first %d are drawn.", p->parameters + p->scalars,
                             COLUMNS);
    pn_cli_document_runs(p->doc, &runs);
}

/* Runs that are not complete, with the command that makes each again. */
static void add_failures(const page *p, const char *command)
{
    enum { CELLS = 5 };
    const unsigned char *outcome = pinion_sweep_result_outcomes(p->r);
    const double *end = pinion_sweep_result_ends(p->r);
    const char **cells = calloc((FAILURES + 1) * CELLS, sizeof *cells);
    char(*text)[400] = calloc((FAILURES + 1) * CELLS, sizeof *text);
    uint64_t found = 0;
    for (uint64_t i = 0; cells && text && i < p->runs; i++) {
        if (outcome[i] == PINION_SWEEP_COMPLETE) continue;
        if (++found > FAILURES) continue;
        const char **row = cells + found * CELLS;
        char(*own)[400] = text + found * CELLS;
        snprintf(own[0], sizeof *own, "%llu", (unsigned long long)i);
        cell(own[1], end[i]);
        snprintf(own[2], sizeof *own, "%.200s --only %llu -o run-%llu.h5", command, (unsigned long long)i,
                 (unsigned long long)i);
        row[0] = own[0];
        row[1] = pinion_sweep_outcome_name((pinion_sweep_outcome)outcome[i]);
        row[2] = own[1];
        row[3] = pinion_sweep_result_why(p->r, i);
        row[4] = own[2];
    }
    if (cells && text && found) {
        static const char *const heading[CELLS] = {"run", "outcome", "t (s)", "why", "again"};
        for (int i = 0; i < CELLS; i++) cells[i] = heading[i];
        pn_cli_document_section(p->doc, "Runs that are not complete");
        pn_cli_sweep_reasons(p->doc, p->r);
        if (found > FAILURES)
            pn_cli_document_note(p->doc, "The first %d of %llu.", FAILURES, (unsigned long long)found);
        pn_cli_document_table(p->doc, "A click shows the run.", CELLS,
                              (int)(found < FAILURES ? found : FAILURES) + 1, cells, "rlrll");
        pn_cli_document_table_runs(p->doc);
    }
    free(cells);
    free(text);
}

/* ------------------------------------------------------------------------------------------------
 * Motions of runs whose rows the result keeps */

/* Whether bodies are the same in all runs, as the playback of a motion draws them. */
static int keeps_its_form(const page *p)
{
    json_t *plan = json_loads(pinion_sweep_result_text(p->r, "plan"), 0, NULL), *one;
    size_t i;
    int same = plan != NULL;
    json_array_foreach(json_object_get(plan, "vary"), i, one)
    {
        const char *what = json_string_value(json_object_get(one, "what"));
        if (what && (strcmp(what, "model") == 0 || strcmp(what, "scale") == 0)) same = 0;
    }
    json_decref(plan);
    return same;
}

/* The model as it was loaded: a free root is not in its text. NULL: none has the columns of the rows. */
static pinion_model *load_model(const page *p, uint64_t run)
{
    const char *text = pinion_sweep_result_text(p->r, "model");
    pinion_error err;
    pinion_result *rows = pinion_sweep_result_trajectory(p->r, run, &err);
    pinion_model *m = NULL;
    int nq = 0;
    for (int i = 0; rows && i < pinion_result_column_count(rows); i++) {
        pinion_column c;
        nq += pinion_result_column(rows, i, &c) == PINION_OK && strncmp(c.name, "q.", 2) == 0;
    }
    for (int k = 0; rows && !m && k < 2; k++) {
        pinion_load_options o = pinion_load_options_default();
        if (k) o.root = PINION_ROOT_FREE;
        m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "model", &o, &err);
        if (!m || pinion_model_nq(m) == nq) continue;
        pinion_model_free(m);
        m = NULL;
    }
    pinion_result_free(rows);
    return m;
}

/* One run's time and positions; 0: it has none. */
static int add_replay(const page *p, const pinion_model *m, uint64_t run)
{
    pinion_error err;
    pinion_result *rows = pinion_sweep_result_trajectory(p->r, run, &err);
    const size_t count = rows ? pinion_result_row_count(rows) : 0, nq = (size_t)pinion_model_nq(m);
    double *q = calloc(count * nq + 1, sizeof *q);
    int fine = count > 1 && q;
    for (size_t i = 0; i < nq && fine; i++) {
        char name[400];
        pinion_coordinate_name(m, "q", (int)i, name, sizeof name);
        const double *x = pinion_result_values(rows, pinion_result_find_column(rows, name));
        fine = x != NULL;
        for (size_t k = 0; k < count && fine; k++) q[k * nq + i] = x[k];
    }
    const double *t = fine ? pinion_result_values(rows, pinion_result_find_column(rows, "t")) : NULL;
    if (t) pn_cli_document_replay(p->doc, m, run, count, t, q);
    pinion_result_free(rows);
    free(q);
    return t != NULL;
}

/* The motions of runs that are not complete first, then of others all over. */
static void add_replays(const page *p)
{
    const unsigned char *outcome = pinion_sweep_result_outcomes(p->r);
    uint64_t kept = 0, seen = 0, some = 0;
    int added = 0;
    for (uint64_t i = 0; i < p->runs; i++) {
        if (pinion_sweep_result_row_count(p->r, i) < 2) continue;
        some = i;
        kept++;
    }
    if (kept == 0) return;
    if (!keeps_its_form(p)) {
        pn_cli_document_note(p->doc, "Motions are not shown: the model itself varies.");
        return;
    }
    pinion_model *m = load_model(p, some);
    if (!m) {
        pn_cli_document_note(p->doc, "Motions are not shown: the model has other coordinates when it is read again.");
        return;
    }
    for (uint64_t i = 0; i < p->runs && added < REPLAYS; i++)
        if (outcome[i] && pinion_sweep_result_row_count(p->r, i) > 1) added += add_replay(p, m, i);
    const int left = REPLAYS - added;
    for (uint64_t i = 0, next = 0; i < p->runs && left > 0 && added < REPLAYS; i++) {
        if (outcome[i] || pinion_sweep_result_row_count(p->r, i) < 2) continue;
        if (seen++ < next) continue;
        next += kept > (uint64_t)left ? kept / (uint64_t)left : 1;
        added += add_replay(p, m, i);
    }
    if ((uint64_t)added < kept)
        pn_cli_document_note(p->doc, "The page has the motions of %d of %llu runs that the result keeps.", added,
                             (unsigned long long)kept);
    pinion_model_free(m);
}

/* ------------------------------------------------------------------------------------------------ */

static int begin(page *p, const pinion_sweep_result *r)
{
    *p = (page){.r = r,
                .runs = pinion_sweep_result_runs(r),
                .parameters = pinion_sweep_result_parameter_count(r),
                .scalars = pinion_sweep_result_scalar_count(r)};
    const size_t numbers = (size_t)p->parameters + (size_t)p->scalars;
    p->counts = malloc((size_t)p->runs + 1);
    p->summary = calloc(numbers + 1, sizeof *p->summary);
    p->sampled = calloc((size_t)p->parameters + 1, sizeof *p->sampled);
    if (!p->counts || !p->summary || !p->sampled) return 0;
    const unsigned char *outcome = pinion_sweep_result_outcomes(r);
    for (uint64_t i = 0; i < p->runs; i++) p->counts[i] = outcome[i] <= PINION_SWEEP_STOPPED;
    find_indices(p);
    int fine = 1;
    for (int k = 0; k < (int)numbers && fine; k++) {
        pinion_sweep_number n;
        const double *x;
        fine = number_of(p, k, &n, &x) == PINION_OK &&
               pinion_sweep_summarize(p->runs, x, k < p->parameters ? NULL : p->counts, &p->summary[k]) ==
                   PINION_OK;
    }
    return fine;
}

static int write_page(const cli_args *args, const pinion_sweep_result *r, const char *path)
{
    page p;
    char title[300];
    int status = CLI_FAILED;
    if (!begin(&p, r)) {
        pn_cli_report(args->command->name, "out of memory");
    } else {
        snprintf(title, sizeof title, "%.200s: a sweep", pinion_sweep_result_text(r, "model_name"));
        p.doc = pn_cli_document_new(title, "one simulation many times with other numbers");
        add_outcomes(&p);
        add_table(&p);
        add_runs(&p, "pinion sweep PLAN");
        if (p.scalars && p.parameters) add_sensitivity(&p);
        add_failures(&p, "pinion sweep PLAN");
        add_replays(&p);
        pn_cli_document_setting(p.doc, "plan", pinion_sweep_result_text(r, "plan"));
        pn_cli_document_setting(p.doc, "model_hash", pinion_sweep_result_text(r, "model_hash"));
        pn_cli_document_setting(p.doc, "pinion_version", pinion_sweep_result_text(r, "pinion_version"));
        status = pn_cli_document_write(args->command->name, p.doc, path);
        pn_cli_document_free(p.doc);
    }
    free(p.counts);
    free(p.summary);
    free(p.sampled);
    return status;
}

int pn_cli_sweep_page(const cli_args *args, const char *result, const char *path)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    if (args->value[OPT_PLOT] || args->value[OPT_PLOT_COLUMNS]) {
        pn_cli_report(args->command->name, "--plot draws a run; %s has many", result);
        return CLI_USAGE;
    }
    pinion_sweep_result *r = pinion_sweep_result_load(result, &err);
    if (!r) {
        pn_cli_report(args->command->name, "%s", err.message);
        return CLI_FAILED;
    }
    const int status = write_page(args, r, path);
    char count[40];
    if (status == CLI_DONE && !args->value[OPT_JSON]) {
        const uint64_t runs = pinion_sweep_result_runs(r);
        fprintf(stderr, "%s run%s\n", pn_cli_count_text(runs, count), pn_cli_plural(runs));
        pn_cli_put_written(path);
    }
    pinion_sweep_result_free(r);
    return status;
}
