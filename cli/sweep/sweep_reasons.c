/* Why runs are not complete. Reasons that differ in their numbers alone are one. */
#include "cli/sweep/sweep_reasons.h"

#include "cli/sweep/sweep_print.h"

#include <stdlib.h>
#include <string.h>

enum { GROUPS = 100, SHOWN = 20, WHY = PINION_SWEEP_WHY };

typedef struct group {
    char text[WHY];
    int outcome;
    uint64_t runs, first;
} group;

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The text with every number as "#"; digits of names stay. */
static void without_numbers(const char *text, char out[WHY])
{
    size_t n = 0;
    for (const char *c = text; *c && n + 1 < WHY;) {
        const char before = c == text ? ' ' : c[-1];
        const int begins = is_digit(*c) || ((*c == '-' || *c == '+') && is_digit(c[1]));
        if (!begins || !strchr(" =,(:", before)) {
            out[n++] = *c++;
            continue;
        }
        c++;
        while (is_digit(*c) || (*c == '.' && is_digit(c[1])) || (*c == 'e' && c[1] && strchr("-+0123456789", c[1])) ||
               (c[-1] == 'e' && (*c == '-' || *c == '+')))
            c++;
        out[n++] = '#';
    }
    out[n] = '\0';
}

/* So much of a text counts: what was cut has no whole word at its end, and how much is there depends on its numbers. */
static size_t stem(const char *text, int *cut)
{
    static const char dots[] = "\xe2\x80\xa6";
    size_t n = strlen(text);
    *cut = n >= sizeof dots - 1 && strcmp(text + n - (sizeof dots - 1), dots) == 0;
    if (!*cut) return n;
    n -= sizeof dots - 1;
    while (n > 0 && strchr(" ,#.", text[n - 1])) n--;
    return n;
}

/* Whether two reasons are one: the same, or one begins as the other that was cut. */
static int are_alike(const char *a, const char *b)
{
    int cut_a, cut_b;
    const size_t m = stem(a, &cut_a), n = stem(b, &cut_b);
    if ((!cut_a && m < n) || (!cut_b && n < m) || (!cut_a && !cut_b && m != n)) return 0;
    return strncmp(a, b, m < n ? m : n) == 0;
}

static int by_runs(const void *a, const void *b)
{
    const group *x = a, *y = b;
    if (x->runs != y->runs) return x->runs < y->runs ? 1 : -1;
    return (x->first > y->first) - (x->first < y->first);
}

/* Groups of all runs that are not complete; what finds no room is in the last one. */
static int find_groups(const pinion_sweep_result *r, group *all)
{
    const unsigned char *outcome = pinion_sweep_result_outcomes(r);
    const uint64_t runs = pinion_sweep_result_runs(r);
    int count = 0;
    for (uint64_t i = 0; i < runs; i++) {
        char text[WHY];
        int k = 0;
        if (!outcome[i]) continue;
        without_numbers(pinion_sweep_result_why(r, i), text);
        while (k < count && (all[k].outcome != outcome[i] || !are_alike(all[k].text, text))) k++;
        if (k == GROUPS) k = GROUPS - 1;
        if (k == count) {
            all[count] = (group){.outcome = outcome[i], .first = i};
            snprintf(all[count].text, WHY, "%s", count == GROUPS - 1 ? "others" : text);
            count++;
        }
        all[k].runs++;
    }
    qsort(all, (size_t)count, sizeof *all, by_runs);
    return count;
}

void pn_cli_sweep_reasons(cli_document *doc, const pinion_sweep_result *r)
{
    enum { CELLS = 4 };
    static const char *const heading[CELLS] = {"runs", "outcome", "why", "first"};
    group *all = calloc(GROUPS, sizeof *all);
    const char *cells[(SHOWN + 1) * CELLS];
    char text[SHOWN][2][40];
    const int count = all ? find_groups(r, all) : 0, shown = count < SHOWN ? count : SHOWN;
    for (int i = 0; i < CELLS; i++) cells[i] = heading[i];
    for (int i = 0; i < shown; i++) {
        const char **row = cells + (i + 1) * CELLS;
        row[0] = pn_cli_count_text(all[i].runs, text[i][0]);
        row[1] = pinion_sweep_outcome_name((pinion_sweep_outcome)all[i].outcome);
        row[2] = all[i].text;
        snprintf(text[i][1], sizeof text[i][1], "%llu", (unsigned long long)all[i].first);
        row[3] = text[i][1];
    }
    if (shown)
        pn_cli_document_table(doc, count > shown ? "The most frequent reasons; # stands for a number."
                                                 : "Why; # stands for a number.",
                              CELLS, shown + 1, cells, "rllr");
    free(all);
}
