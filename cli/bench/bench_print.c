/* pinion bench: tables for people. */
#include "cli/bench/bench.h"

#include "cli/print/print_text.h"

#include <string.h>

#define WIDTH 110

/* Text in lines of WIDTH: the next word, after a space or in a new line. Returns the column. */
static int put_word(const char *word, int length, int at, int indent)
{
    const int begins = at > indent;
    if (begins && at + 1 + length > WIDTH) {
        printf("\n%*s", indent, "");
        at = indent;
    } else if (begins) {
        fputc(' ', stdout);
        at++;
    }
    printf("%.*s", length, word);
    return at + length;
}

/* The words of a text. */
static int put_words(const char *text, int at, int indent)
{
    while (*text) {
        const int length = (int)strcspn(text, " ");
        at = put_word(text, length, at, indent);
        text += length + strspn(text + length, " ");
    }
    return at;
}

void pn_cli_bench_print_head(const bench_machine *machine, const bench_choice *choice, int models)
{
    printf(
        "pinion %s%s%s; %s, %d processor%s; %s%s%s\n", pinion_version(), *machine->commit ? ", commit " : "",
        machine->commit, *machine->processor ? machine->processor : "unknown processor", machine->processors,
        pn_cli_plural(machine->processors), machine->compiler, *machine->flags ? ", " : "", machine->flags);
    printf(
        "%d model%s, about %.3g s each; %zu state%s; ns for one state, median and half the distance of the "
        "quartiles\n"
        "in percent of it, of up to %d rounds in which all timings of a model take turns.\nBatches: 1 thread",
        models, pn_cli_plural(models), choice->seconds, choice->states, pn_cli_plural(choice->states),
        TIMED_ROUNDS);
    if (choice->threads > 1) printf(", then %d (\"threads\")", choice->threads);
    puts("; \"columns\" is the transposed layout, \"packs\" that of the SIMD lanes. \"of best\"\n"
         "compares single calls in f64 with the fastest of the group.");
}

/* What can be run, among the algorithms and among the rest. */
static void count_items(const bench_sheet *s, int *algorithms, int *calls)
{
    *algorithms = *calls = 0;
    for (int i = 0; i < s->count; i++) {
        if (s->item[i].why[0]) continue;
        if (s->item[i].algorithm >= 0)
            (*algorithms)++;
        else
            (*calls)++;
    }
}

void pn_cli_bench_print_plan(const bench_sheet *s)
{
    int algorithms, calls;
    const cli_style style = pn_cli_style(stdout);
    count_items(s, &algorithms, &calls);
    printf("\n%s", pn_cli_bold(style));
    pn_cli_put(stdout, s->title);
    if (s->file) {
        fputs(" (", stdout);
        pn_cli_put(stdout, s->file);
        fputc(')', stdout);
    }
    printf("%s: nq %d, nv %d, %d bod%s, %d frame%s", pn_cli_plain(style), s->nq, s->nv, s->bodies - 1,
           s->bodies == 2 ? "y" : "ies", s->frames, pn_cli_plural(s->frames));
    if (s->loops)
        printf(", %d loop%s of %d row%s", s->loops, pn_cli_plural(s->loops), s->rows,
               pn_cli_plural(s->rows));
    printf("; %d algorithm%s and %d call%s to time\n", algorithms, pn_cli_plural(algorithms), calls,
           pn_cli_plural(calls));
    fflush(stdout);
}

/* "559.1 1%": as many digits as are worth it; "one" where `many` threads were wanted and one did all */
static void add_time(cli_table *t, const bench_time *time, int many)
{
    const double spread = 50 * (time->spread.high - time->spread.low) / time->ns;
    const int digits = time->ns < 99.95 ? 1 : 0;
    if (!time->timed)
        pn_cli_table_add(t, "%s", time->why[0] ? "-" : "");
    else if (many && time->threads < 2)
        pn_cli_table_add(t, "one");
    else if (time->spread.samples < 4)
        pn_cli_table_add(t, "%.*f ?", digits, time->ns);
    else
        pn_cli_table_add(t, "%.*f %.0f%%", digits, time->ns, spread);
}

/* Which columns the items from `first` to `end` fill that are not left out. */
static int find_columns(const bench_sheet *s, int first, int end, int shown[MODE_COUNT])
{
    int columns = 0;
    for (int k = 0; k < MODE_COUNT; k++) {
        shown[k] = 0;
        for (int i = first; i < end; i++)
            shown[k] |= !s->item[i].why[0] && (s->item[i].time[k].timed || s->item[i].time[k].why[0]);
        columns += shown[k];
    }
    return columns;
}

/* The items of one group. Returns 0 when out of memory. */
static int print_group(const bench_sheet *s, int first, int end)
{
    int shown[MODE_COUNT];
    const int ratios = s->item[first].algorithm >= 0,
              columns = find_columns(s, first, end, shown) + 1 + ratios;
    char align[MODE_COUNT + 3] = "l";
    memset(align + 1, 'r', (size_t)columns - 1);
    if (columns == 1 + ratios) return 1;
    cli_table t = pn_cli_table(columns);

    /* the heading */
    pn_cli_table_add(&t, "%s", s->item[first].group);
    for (int k = 0; k < MODE_COUNT; k++) {
        const bench_mode_def *mode = &pn_cli_bench_modes[k];
        if (shown[k]) pn_cli_table_add(&t, "%s %s", mode->title[0], mode->title[1]);
        if (ratios && k == MODE_CALL_F64) pn_cli_table_add(&t, "of best");
    }

    /* the rows */
    for (int i = first; i < end; i++) {
        const bench_item *item = &s->item[i];
        if (item->why[0]) continue;
        char ratio[40] = "";
        if (item->ratio > 0) snprintf(ratio, sizeof ratio, "%.2f", item->ratio);
        pn_cli_table_add(&t, "  %s", item->name);
        for (int k = 0; k < MODE_COUNT; k++) {
            if (shown[k]) add_time(&t, &item->time[k], pn_cli_bench_modes[k].many);
            if (ratios && k == MODE_CALL_F64) pn_cli_table_add(&t, "%s", ratio);
        }
    }
    fputc('\n', stdout);
    return pn_cli_table_print(&t, stdout, align, pn_cli_style(stdout));
}

/* What an item was not timed for as a whole (mode -1), or in one mode; "": it was. */
static const char *why_not(const bench_item *item, int mode)
{
    if (mode < 0) return item->why;
    return item->why[0] ? "" : item->time[mode].why;
}

/* Whether this reason was told with an item before. */
static int is_told(const bench_sheet *s, int i, int mode)
{
    for (int before = -1; before <= mode; before++)
        for (int k = 0; k < (before < mode ? s->count : i); k++)
            if (strcmp(why_not(&s->item[k], before), why_not(&s->item[i], mode)) == 0) return 1;
    return 0;
}

/* Whether an item before has the same name: what solves and multiplies with factors follows what makes them.
 */
static int is_named(const bench_sheet *s, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(s->item[k].name, s->item[i].name) == 0) return 1;
    return 0;
}

/* What of an item a reason is about: "name" or "name (modes)". Returns 0 when it is about others. */
static int find_about(const bench_sheet *s, const char *reason, int i, char *text, size_t size)
{
    const bench_item *item = &s->item[i];
    int modes = 0;
    snprintf(text, size, "%s", item->name);
    if (strcmp(item->why, reason) == 0) return !is_named(s, i);
    for (int k = 0; k < MODE_COUNT; k++) {
        const bench_mode_def *d = &pn_cli_bench_modes[k];
        const size_t used = strlen(text);
        if (strcmp(why_not(item, k), reason) != 0) continue;
        snprintf(text + used, size - used, "%s%s %s", modes++ ? ", " : " (", d->title[0], d->title[1]);
    }
    if (modes) snprintf(text + strlen(text), size - strlen(text), ")");
    return modes > 0;
}

/* A reason, and all that it is about. */
static void print_reason(const bench_sheet *s, const char *reason)
{
    char text[300] = "", next[300];
    int at = printf("  ");
    for (int i = 0; i < s->count; i++) {
        if (!find_about(s, reason, i, next, sizeof next - 1)) continue;
        if (text[0]) at = put_words(text, at, 2);
        snprintf(text, sizeof text, "%s,", next);
    }
    if (text[0]) text[strlen(text) - 1] = ':';
    put_words(text, at, 2);
    fputc(' ', stdout);
    pn_cli_put(stdout, reason);
    fputc('\n', stdout);
}

/* What was left out or failed, each reason once with all it is about. */
static void print_left_out(const bench_sheet *s)
{
    int begun = 0;
    for (int mode = -1; mode < MODE_COUNT; mode++)
        for (int i = 0; i < s->count; i++) {
            const char *reason = why_not(&s->item[i], mode);
            if (!*reason || is_told(s, i, mode)) continue;
            if (!begun++) puts("\nNot timed:");
            print_reason(s, reason);
        }
}

/* Says where batches had fewer states, or a time is of few rounds. */
static void print_exceptions(const bench_sheet *s)
{
    int fewer = 0, few = 0, one = 0;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < MODE_COUNT; k++) {
            const bench_time *t = &s->item[i].time[k];
            fewer |= t->timed && t->states < s->states;
            few |= t->timed && t->spread.samples < 4;
            one |= t->timed && pn_cli_bench_modes[k].many && t->threads < 2;
        }
    if (s->distinct < s->states)
        printf("Only %zu of the %zu states are distinct: closing the loops fails or takes long.\n",
               s->distinct, s->states);
    if (fewer)
        puts(
            "Some batches, of results that are large or take long, have fewer states; --json says how many.");
    if (one) puts("Under \"threads\", 'one': so few states are not worth a second thread, and one did all.");
    if (few)
        puts("A time with '?' is that of one to three rounds: it takes longer than its share of --time.");
}

int pn_cli_bench_print(const bench_sheet *s)
{
    printf("%d timing%s in %.1f s, %d round%s; batches with %s, %d lane%s of double, %d of float; frame ",
           s->timings, pn_cli_plural(s->timings), s->took, s->rounds, pn_cli_plural(s->rounds), s->isa,
           s->lanes, pn_cli_plural(s->lanes), s->lanes_f32);
    pn_cli_put(stdout, s->frame);
    fputc('\n', stdout);
    if (s->compiling > 0)
        printf("Code for the model was generated, compiled by the system's compiler or found, and loaded in %.1f s.\n",
               s->compiling);
    print_exceptions(s);
    for (int first = 0, end = 0; first < s->count; first = end) {
        while (end < s->count && strcmp(s->item[end].group, s->item[first].group) == 0) end++;
        if (!print_group(s, first, end)) return 0;
    }
    print_left_out(s);
    return 1;
}

void pn_cli_bench_print_limits(void)
{
    puts("\nWhat this does not show:");
    for (const char *const *text = pn_cli_bench_limits; *text; text++) {
        put_words(*text, printf("- "), 2);
        fputc('\n', stdout);
    }
}
