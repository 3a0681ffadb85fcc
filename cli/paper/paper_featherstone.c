/* Featherstone & Orin 2000: what the three basic algorithms cost against the number of joints, and from which
 * length on forward dynamics by articulated bodies is cheaper than by the mass matrix. Closed loops: paper_loops.c. */
#include "cli/paper/paper.h"

#include "cli/paper/paper_counts.h"
#include "cli/paper/paper_loops.h"
#include "cli/print/timing.h"

#include <math.h>
#include <stdlib.h>

enum { LONGEST = 40, LENGTHS = LONGEST - 1, TURNS = 41, CHAIN_SEED = 7 };

/* what is compared: the paper's three algorithms, and forward dynamics by way of the mass matrix */
enum { RNEA, CRBA, ABA, CHOLESKY, LTL, METHODS };

static const struct {
    const char *algorithm, *label;
} methods[METHODS] = {
    [RNEA] = {"rnea", "RNEA: inverse dynamics"},
    [CRBA] = {"crba", "CRBA: mass matrix"},
    [ABA] = {"aba", "ABA: forward dynamics"},
    [CHOLESKY] = {"crba-cholesky", "CRBA, bias and Cholesky: forward dynamics"},
    [LTL] = {"crba-ltl", "CRBA, bias and LTL: forward dynamics"},
};

typedef struct curves {
    double n[LENGTHS], operations[METHODS][LENGTHS], ns[METHODS][LENGTHS];
} curves;

/* one chain, one method */
typedef struct subject {
    const pinion_model *m;
    pinion_work *w;
    int algorithm, failed;
    pinion_problem problem;
    const double *q, *v, *a;
    double *out;
} subject;

static void run(void *user)
{
    subject *s = user;
    pinion_status status;
    if (s->problem == PINION_PROBLEM_INVERSE_DYNAMICS)
        status = pinion_inverse_dynamics_by(s->m, s->w, s->algorithm, s->q, s->v, s->a, NULL, s->out);
    else if (s->problem == PINION_PROBLEM_MASS_MATRIX)
        status = pinion_mass_matrix_by(s->m, s->w, s->algorithm, s->q, s->out);
    else
        status = pinion_forward_dynamics_by(s->m, s->w, s->algorithm, s->q, s->v, s->a, NULL, s->out);
    s->failed |= status != PINION_OK;
}

/* Times all methods on one chain. 0 on failure. */
static int time_chain(const pinion_model *m, curves *c, int row)
{
    double q[LONGEST], v[LONGEST], a[LONGEST], *out = malloc(LONGEST * LONGEST * sizeof *out);
    pinion_work *w = pinion_work_new(m);
    subject s[METHODS];
    timed_call call[METHODS];
    int failed = !out || !w || pinion_random(m, 1, q) != PINION_OK;
    for (int j = 0; j < LONGEST; j++) {
        v[j] = sin(1.0 + j);
        a[j] = cos(2.0 + j);
    }
    for (int k = 0; k < METHODS; k++) {
        pinion_algorithm_info info;
        const int algorithm = pinion_algorithm_find(methods[k].algorithm);
        failed |= pinion_algorithm(algorithm, &info) != PINION_OK;
        s[k] = (subject){m, w, algorithm, 0, failed ? PINION_PROBLEM_COUNT : info.problem, q, v, a, out};
        call[k] = (timed_call){run, &s[k], 0};
    }
    failed = failed || !pn_cli_time(call, METHODS, TURNS, 2e-5);
    for (int k = 0; k < METHODS && !failed; k++) {
        c->ns[k][row] = call[k].ns;
        failed |= s[k].failed;
    }
    pinion_work_free(w);
    free(out);
    return !failed;
}

static int measure(curves *c)
{
    for (int row = 0; row < LENGTHS; row++) {
        const int n = row + 2;
        pinion_model *m = pinion_random_chain(n, CHAIN_SEED, NULL);
        int done = m && time_chain(m, c, row);
        pinion_model_free(m);
        if (!done) return 0;
        c->n[row] = n;
        for (int k = 0; k < METHODS; k++) {
            pinion_operations general, o;
            c->operations[k][row] = pn_paper_counts(methods[k].algorithm, n, &general, &o)
                                        ? o.mul + o.add + o.div + o.sqrt + o.trig
                                        : NAN;
        }
    }
    return 1;
}

/* The first n from which on the first curve stays below the second; 0 when it never does. */
static int below_from(const double *first, const double *second)
{
    int row = LENGTHS;
    while (row > 0 && first[row - 1] < second[row - 1]) row--;
    return row < LENGTHS ? row + 2 : 0;
}

static void add_series(cli_series *series, const curves *c, const double curve[METHODS][LENGTHS])
{
    for (int k = 0; k < METHODS; k++)
        series[k] = (cli_series){.name = methods[k].label,
                                 .count = LENGTHS,
                                 .x = c->n,
                                 .y = curve[k],
                                 .dashed = k == CHOLESKY || k == LTL};
}

static void show_curves(paper *p, const curves *c)
{
    cli_series series[METHODS];
    pn_paper_section(p, "Cost against the number of joints");
    add_series(series, c, c->operations);
    pn_paper_figure(p, "operations",
                    &(cli_figure){.caption = "Operations of one call, everything counted",
                                  .x_label = "joints n",
                                  .y_label = "operations",
                                  .x_log = 1,
                                  .y_log = 1,
                                  .series_count = METHODS,
                                  .series = series});
    add_series(series, c, c->ns);
    pn_paper_figure(p, "times",
                    &(cli_figure){.caption = "Time of one call",
                                  .x_label = "joints n",
                                  .y_label = "time (ns)",
                                  .x_log = 1,
                                  .y_log = 1,
                                  .series_count = METHODS,
                                  .series = series});

    /* the slope over the last doubling: 1 for O(n), 2 for O(n^2) */
    cli_table t = pn_cli_table(5);
    static const char *const heading[] = {"", "operations, n = 6", "n = 40", "time, n = 6", "n = 40"};
    for (int i = 0; i < 5; i++) pn_cli_table_add(&t, "%s", heading[i]);
    for (int k = 0; k < METHODS; k++) {
        pn_cli_table_add(&t, "%s", methods[k].label);
        pn_cli_table_add(&t, "%.0f", c->operations[k][4]);
        pn_cli_table_add(&t, "%.0f", c->operations[k][LENGTHS - 1]);
        pn_cli_table_add(&t, "%.2f us", c->ns[k][4] / 1e3);
        pn_cli_table_add(&t, "%.2f us", c->ns[k][LENGTHS - 1] / 1e3);
    }
    pn_paper_table(p, "cost", "One call on a random chain of n revolute joints", &t, "lrrrr");
    pn_paper_say(p, "RNEA and ABA grow in proportion to n; CRBA with n² on a chain, in general with n "
                    "times the depth of the tree; the factorization with n³, whose share is small for the "
                    "lengths of robots.");
}

static void show_crossover(paper *p, const curves *c)
{
    pn_paper_section(p, "Where articulated bodies overtake the mass matrix");
    const int operations = below_from(c->operations[ABA], c->operations[CHOLESKY]);
    const int time = below_from(c->ns[ABA], c->ns[CHOLESKY]), time_ltl = below_from(c->ns[ABA], c->ns[LTL]);
    cli_table t = pn_cli_table(2);
    pn_cli_table_add(&t, "forward dynamics");
    pn_cli_table_add(&t, "ABA ahead from n =");
    const struct {
        const char *label;
        int n;
    } rows[] = {{"operations, beside CRBA and Cholesky", operations},
                {"time, beside CRBA and Cholesky", time},
                {"time, beside CRBA and LTL", time_ltl}};
    for (int i = 0; i < 3; i++) {
        pn_cli_table_add(&t, "%s", rows[i].label);
        if (rows[i].n)
            pn_cli_table_add(&t, "%d", rows[i].n);
        else
            pn_cli_table_add(&t, "never, up to %d", LONGEST);
    }
    pn_cli_table_add(&t, "the paper (Featherstone 1987), operations");
    pn_cli_table_add(&t, "10");
    pn_paper_table(p, "crossover", "Where ABA overtakes CRBA", &t, "lr");
    pn_paper_say(p, "The paper says that ABA takes fewer operations than CRBA for N > 9, and that later "
                    "versions are about equal at N = 6. Both algorithms have become cheaper since, so that "
                    "the place where they meet moves with every improvement of either. Here forward "
                    "dynamics by CRBA counts the mass matrix, the bias forces by RNEA and the "
                    "factorization with both substitutions; sines, divisions and square roots are one "
                    "operation each.");
    pn_paper_say(p, "On a tree the comparison is another one: CRBA costs n times the depth, and for a "
                    "robot with several limbs the mass matrix with its branch-induced sparsity keeps up "
                    "for longer.");
    pn_paper_number(p, "crossover_operations", operations);
    pn_paper_number(p, "crossover_time", time);
    pn_paper_number(p, "crossover_time_ltl", time_ltl);
}

void pn_paper_featherstone(paper *p)
{
    curves *c = calloc(1, sizeof *c);
    if (!c || !measure(c)) {
        pn_cli_report(p->command, "the chains could not be made or timed");
        p->failed = 1;
    } else {
        show_curves(p, c);
        show_crossover(p, c);
        pn_paper_loops(p);
    }
    free(c);
}
