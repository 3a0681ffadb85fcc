/* Safeea, Bearee & Neto 2018, section IV: what the mass matrix costs by GDAHJ and by CRBA, in operations and
 * in time, and how far the two are apart. */
#include "cli/paper/paper.h"

#include "cli/paper/paper_counts.h"
#include "cli/paper/safeea_robot.h"
#include "cli/print/timing.h"

#include <stdlib.h>

enum { SHORTEST = 2, LONGEST = 60, LENGTHS = LONGEST - SHORTEST + 1, ROBOTS = 3, TURNS = 41 };

#define SINE                                                                                                 \
    15 /* operations that a sine or a cosine stands for: what the polynomial and the reduction take */

/* the figures' data, a row a number of joints */
typedef struct curves {
    double n[LENGTHS], gdahj[LENGTHS], crba[LENGTHS], without[LENGTHS];
    double ratio[LENGTHS], ratio_without[LENGTHS], counted[LENGTHS], error[LENGTHS];
} curves;

/* one robot, and what a call of it needs */
typedef struct subject {
    pinion_model *m;
    pinion_work *w;
    int gdahj, crba;
    double q[LONGEST], A[LONGEST * LONGEST], B[LONGEST * LONGEST];
    int failed;
} subject;

static void run_gdahj(void *user)
{
    subject *s = user;
    s->failed |= pinion_mass_matrix_by(s->m, s->w, s->gdahj, s->q, s->A) != PINION_OK;
}

static void run_crba(void *user)
{
    subject *s = user;
    s->failed |= pinion_mass_matrix_by(s->m, s->w, s->crba, s->q, s->B) != PINION_OK;
}

/* Adds the times of one robot of n joints to a row, and the error if it is larger. 0 on failure. */
static int time_robot(subject *s, int n, uint64_t *seed, curves *c, int row)
{
    const double pi = 3.14159265358979323846;
    s->m = safeea_robot(n, seed, NULL);
    s->w = s->m ? pinion_work_new(s->m) : NULL;
    s->failed = !s->w;
    for (int j = 0; j < n; j++) s->q[j] = pn_random_between(seed, -pi, pi);
    timed_call call[] = {{run_gdahj, s, 0}, {run_crba, s, 0}};
    if (!s->failed && pn_cli_time(call, 2, TURNS, 2e-5)) {
        c->gdahj[row] += call[0].ns / ROBOTS;
        c->crba[row] += call[1].ns / ROBOTS;
        const double e = safeea_error(s->A, s->B, n);
        if (e > c->error[row]) c->error[row] = e;
    } else {
        s->failed = 1;
    }
    pinion_work_free(s->w);
    pinion_model_free(s->m);
    return !s->failed;
}

/* All rows. 0 on failure. */
static int measure(curves *c)
{
    subject *s = calloc(1, sizeof *s);
    uint64_t seed = 2018;
    int done = s != NULL;
    if (s) {
        s->gdahj = pinion_algorithm_find("gdahj");
        s->crba = pinion_algorithm_find("crba");
    }
    for (int row = 0; row < LENGTHS && done; row++) {
        const int n = SHORTEST + row;
        c->n[row] = n;
        for (int r = 0; r < ROBOTS && done; r++) done = time_robot(s, n, &seed, c, row);

        /* what is counted leaves the direct kinematics of GDAHJ out; its share is taken off the time */
        pinion_operations g = {0}, b = {0}, whole = {0}, unused;
        const int counted =
            pn_paper_counts("gdahj", n, &g, &whole) && pn_paper_counts("crba", n, &b, &unused);
        const double share = counted ? (g.mul + g.add) / (whole.mul + whole.add + SINE * whole.trig) : NAN;
        c->without[row] = share * c->gdahj[row];
        c->ratio[row] = c->crba[row] / c->gdahj[row];
        c->ratio_without[row] = c->crba[row] / c->without[row];
        c->counted[row] = counted ? (b.mul + b.add) / (g.mul + g.add) : NAN;
    }
    free(s);
    return done;
}

/* The first n from which on the ratio is above 1 but for one time in ten, since times scatter; 0: there is none. */
static int crossover(const double *ratio)
{
    int first = 0, above = 0;
    for (int row = LENGTHS - 1; row >= 0; row--) {
        above += ratio[row] > 1;
        if (ratio[row] > 1 && 10 * above >= 9 * (LENGTHS - row)) first = SHORTEST + row;
    }
    return first;
}

static double largest(const double *x)
{
    double most = x[0];
    for (int i = 1; i < LENGTHS; i++)
        if (x[i] > most) most = x[i];
    return most;
}

/* Table I */
static void count_operations(paper *p)
{
    pn_paper_section(p, "Operation counts: Table I");
    cli_table t = pn_cli_table(4);
    static const char *const heading[] = {"method", "published", "measured", "measured at n = 13"};
    for (int i = 0; i < 4; i++) pn_cli_table_add(&t, "%s", heading[i]);
    pn_paper_count_row(&t, "GDAHJ", "gdahj", "3 n² + 88 n − 3; 2.5 n² + 95.5 n − 18", 13);
    pn_paper_count_row(&t, "CRBA", "crba", "10 n² + 22 n − 32; 6 n² + 37 n − 43", 13);
    pn_paper_count_row(&t, "RNEA", "rnea", "93 n − 108; 81 n − 100", 13);
    pn_paper_count_row(&t, "RNEA, column by column", "rnea-columns", "93 n² − x₁ n; 81 n² − x₂ n", 13);
    pn_paper_table(p, "table-1", "Multiplications; additions, for a serial chain of n revolute joints", &t,
                   "llll");
    pn_paper_say(
        p,
        "The quadratic part of GDAHJ is the paper's: two inner products an entry, 3 n² multiplications and "
        "2.5 n² additions. The linear part is below the published one, in both algorithms. As in the "
        "paper, the direct kinematics of GDAHJ is not counted. The formula for RNEA is the lowest "
        "published and stands for a program that hangs masses together; ours, which keeps each link's own, "
        "is above it.");
    pn_paper_say(
        p, "The table's third row, symbolic-numeric computation of the mass matrix with the Coriolis terms "
           "(Vukobratovic 1985), is no algorithm of this collection and is left out.");
}

/* Figure 4 */
static void show_times(paper *p, const curves *c)
{
    pn_paper_section(p, "Execution time: Figure 4");
    const cli_series times[] = {
        {.name = "GDAHJ", .count = LENGTHS, .x = c->n, .y = c->gdahj},
        {.name = "GDAHJ without the direct kinematics",
         .count = LENGTHS,
         .x = c->n,
         .y = c->without,
         .dashed = 1},
        {.name = "CRBA", .count = LENGTHS, .x = c->n, .y = c->crba},
    };
    pn_paper_figure(p, "figure-4-times",
                    &(cli_figure){.caption = "Time of one mass matrix against the number of joints",
                                  .x_label = "joints n",
                                  .y_label = "time (ns)",
                                  .series_count = 3,
                                  .series = times});
    const cli_series ratios[] = {
        {.name = "time", .count = LENGTHS, .x = c->n, .y = c->ratio},
        {.name = "time without the direct kinematics",
         .count = LENGTHS,
         .x = c->n,
         .y = c->ratio_without,
         .dashed = 1},
        {.name = "operations", .count = LENGTHS, .x = c->n, .y = c->counted},
    };
    pn_paper_figure(p, "figure-4-ratio",
                    &(cli_figure){.caption = "CRBA over GDAHJ: above 1, GDAHJ is faster",
                                  .x_label = "joints n",
                                  .y_label = "ratio",
                                  .series_count = 3,
                                  .series = ratios});

    const int with = crossover(c->ratio), without = crossover(c->ratio_without),
              counted = crossover(c->counted);
    cli_table t = pn_cli_table(3);
    static const char *const heading[] = {"", "GDAHJ ahead from n =", "largest ratio up to n = 60"};
    for (int i = 0; i < 3; i++) pn_cli_table_add(&t, "%s", heading[i]);
    const struct {
        const char *label;
        int n;
        double most;
    } rows[] = {{"time", with, largest(c->ratio)},
                {"time without the direct kinematics", without, largest(c->ratio_without)},
                {"operations (as the paper counts)", counted, largest(c->counted)}};
    for (int i = 0; i < 3; i++) {
        pn_cli_table_add(&t, "%s", rows[i].label);
        if (rows[i].n)
            pn_cli_table_add(&t, "%d", rows[i].n);
        else
            pn_cli_table_add(&t, rows[i].most > 1 ? "at times" : "never");
        pn_cli_table_add(&t, "%.2f", rows[i].most);
    }
    pn_cli_table_add(&t, "the paper, in Matlab, without the direct kinematics");
    pn_cli_table_add(&t, "more than 13");
    pn_cli_table_add(&t, "2.2");
    pn_paper_table(p, "crossover", "Where GDAHJ overtakes CRBA", &t, "lrr");
    pn_paper_say(
        p,
        "Times are medians of %d groups of calls for each of %d robots, both algorithms by turns on the "
        "same robot and state, and include the call's own checks. They vary from machine to machine and "
        "run to run; the operation counts do not. The theoretical limit of the ratio of operations is "
        "16/5.5 = 2.91.",
        TURNS, ROBOTS);
    pn_paper_number(p, "crossover_time", with);
    pn_paper_number(p, "crossover_time_without_kinematics", without);
    pn_paper_number(p, "crossover_operations", counted);
    pn_paper_number(p, "largest_time_ratio_without_kinematics", largest(c->ratio_without));
}

/* Figure 5 */
static void show_errors(paper *p, const curves *c)
{
    pn_paper_section(p, "The difference between the two: Figure 5");
    const cli_series series = {
        .name = "e of Eq. 32", .count = LENGTHS, .x = c->n, .y = c->error, .style = CLI_LINES_AND_POINTS};
    pn_paper_figure(p, "figure-5",
                    &(cli_figure){.caption = "The sum of all differences over the largest entry",
                                  .x_label = "joints n",
                                  .y_label = "relative error e",
                                  .y_log = 1,
                                  .series_count = 1,
                                  .series = &series});
    const double most = largest(c->error);
    pn_paper_say(p,
                 "The largest e is %.1e: rounding, as the paper says of its own. The sum runs over n² "
                 "entries, so that it grows with n although no entry gets worse.",
                 most);
    pn_paper_number(p, "largest_error", most);
}

void pn_paper_safeea(paper *p)
{
    curves *c = calloc(1, sizeof *c);
    if (!c || !measure(c)) {
        pn_cli_report(p->command, "the random robots could not be made or timed");
        p->failed = 1;
    } else {
        count_operations(p);
        show_times(p, c);
        pn_paper_assume(
            p,
            "The paper draws masses from 1 to 10 kg and the elements of positive definite inertia tensors "
            "from 1 to 10 kg m², and says of the rest that it is random: here lengths and mass centres lie "
            "within 1 m, angles within half a turn. Its plots leave the direct kinematics of GDAHJ out; "
            "here the time is reduced by its share of the operations, a sine or cosine counting as 15, "
            "which is an estimate. Masses, tensors and poses come from the seed 2018, the same everywhere.");
        show_errors(p, c);
    }
    free(c);
}
