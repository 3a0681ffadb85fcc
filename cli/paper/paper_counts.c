/* Operation counts for the tables of papers: at one n, and as formulas in n. */
#include "cli/paper/paper_counts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CHAIN_SEED 1 /* counts do not depend on the chain's numbers: any seed would do */

int pn_paper_counts(const char *algorithm, int n, pinion_operations *general, pinion_operations *whole)
{
#ifdef PINION_TRACE
    pinion_model *m = pinion_random_chain(n, CHAIN_SEED, NULL);
    int found = pinion_algorithm_find(algorithm);
    int done = m && pinion_algorithm_operations(found, m, general, whole) == PINION_OK;
    pinion_model_free(m);
    return done;
#else
    (void)algorithm, (void)n, (void)general, (void)whole;
    return 0;
#endif
}

/* Adds one term of a polynomial to a text. Coefficients are sixths, as sums of powers up to cubes have them.
 */
static void add_term(char *text, size_t size, double coefficient, int power)
{
    static const char *const powers[] = {"", " n", " n²", " n³"};
    const double sixths = round(6 * coefficient);
    if (sixths == 0) return;
    size_t used = strlen(text);
    const char *sign = sixths < 0 ? (used ? " − " : "−") : (used ? " + " : "");
    const double size_of = fabs(sixths) / 6;
    const int one = size_of == 1 && power > 0;

    /* whole numbers and halves as decimals, other sixths as fractions */
    char number[32] = "";
    if (!one && fmod(fabs(sixths), 3) == 0)
        snprintf(number, sizeof number, "%g", size_of);
    else if (!one && fmod(fabs(sixths), 2) == 0)
        snprintf(number, sizeof number, "%g/3", fabs(sixths) / 2);
    else if (!one)
        snprintf(number, sizeof number, "%g/6", fabs(sixths));
    snprintf(text + used, size - used, "%s%s%s", sign, number, powers[power] + (one ? 1 : 0));
}

/* The cubic through four values at n = first, first + 1, ..., as text. */
static void put_cubic(const double y[4], int first, char *text, size_t size)
{
    /* Newton's forward differences, then in powers of n */
    const double d1 = y[1] - y[0], d2 = y[2] - 2 * y[1] + y[0], d3 = y[3] - 3 * y[2] + 3 * y[1] - y[0];
    const double f = first, c3 = d3 / 6, c2 = d2 / 2 - c3 * (3 * f + 3);
    const double c1 = d1 - c2 * (2 * f + 1) - c3 * (3 * f * f + 3 * f + 1);
    const double c0 = y[0] - c1 * f - c2 * f * f - c3 * f * f * f;
    text[0] = '\0';
    add_term(text, size, c3, 3);
    add_term(text, size, c2, 2);
    add_term(text, size, c1, 1);
    add_term(text, size, c0, 0);
}

int pn_paper_formula(const char *algorithm, char *mul, char *add, size_t size)
{
    enum { FIRST = 5 }; /* chains of one to three joints save what longer ones cannot */
    double m[4], a[4];
    for (int i = 0; i < 4; i++) {
        pinion_operations general, whole;
        if (!pn_paper_counts(algorithm, FIRST + i, &general, &whole)) return 0;
        m[i] = general.mul;
        a[i] = general.add;
    }
    put_cubic(m, FIRST, mul, size);
    put_cubic(a, FIRST, add, size);
    return 1;
}

void pn_paper_count_row(cli_table *t, const char *label, const char *algorithm, const char *published, int n)
{
    pinion_operations general, whole;
    char mul[80], add[80];
    pn_cli_table_add(t, "%s", label);
    pn_cli_table_add(t, "%s", published);
    if (pn_paper_formula(algorithm, mul, add, sizeof mul) &&
        pn_paper_counts(algorithm, n, &general, &whole)) {
        pn_cli_table_add(t, "%s; %s", mul, add);
        pn_cli_table_add(t, "%.0f M %.0f A", general.mul, general.add);
    } else {
        pn_cli_table_add(t, "not counted: this build has no C++");
        pn_cli_table_add(t, "%s", "");
    }
}
