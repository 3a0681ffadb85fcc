/* The operations of every algorithm on a chain of 3, 6, 10 and 20 revolute joints (3 and 6 for those of
 * O(n^4)) are those of the table pinned.inc, as the papers count and in the whole. One that rises is a
 * regression; one that falls is good news for the table. docs/operation-counts.md and the algorithms' pages
 * show the same counts. To write all of them anew:
 *
 *     PINION_WRITE_COUNTS=1 build/tests/registry/test_registry_counts > tests/registry/pinned.inc
 *     PINION_WRITE_COUNTS=document build/tests/registry/test_registry_counts     the tables of the document
 *     PINION_WRITE_COUNTS=pages build/tests/registry/test_registry_counts        the line of every page
 */
#define _DEFAULT_SOURCE
#include "check.h"
#include "formula.h"
#include "pinion/pinion.h"

#include <stddef.h>

#define CHAIN_SEED 1 /* that of `pinion ops`; counts do not depend on it */
#define ROW_MAX 1000

/* One row: an algorithm on a chain of n joints. */
typedef struct pinned {
    const char *name;
    int n;
    double mul, add, div, sqrt, trig;
    double whole_mul, whole_add, span;
} pinned;

static const pinned table[] = {
#include "pinned.inc"
};

static const int lengths[] = {3, 6, 10, 20};

/* the kernels come first; solvers, which branch on values, are not counted */
static int counted(void)
{
    pinion_algorithm_info info;
    int n = 0;
    while (pinion_algorithm(n, &info) == PINION_OK && info.kernel) n++;
    return n;
}

/* whether an algorithm of this complexity is counted on chains of n */
static int is_short_enough(const pinion_algorithm_info *info, int n)
{
    return n <= 6 || !strstr(info->complexity, "n^4");
}

static pinion_operations count(int a, int n, uint64_t seed, pinion_operations *whole)
{
    pinion_operations lean = {0};
    pinion_error err = {0};
    pinion_model *chain = pinion_random_chain(n, seed, &err);
    memset(whole, 0, sizeof *whole);
    CHECK(chain != NULL);
    if (chain) CHECK_STATUS(pinion_algorithm_operations(a, chain, &lean, whole), PINION_OK);
    pinion_model_free(chain);
    return lean;
}

static const pinned *find_row(const char *name, int n)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name) && table[i].n == n) return &table[i];
    return NULL;
}

/* ---- writing ---- */

static void write_table(void)
{
    printf("/* Operations on pinion_random_chain(n), as test_counts.c writes them: algorithm, n, "
           "multiplications,\n"
           " * additions, divisions, square roots, sines and cosines; then multiplications and additions of "
           "the whole\n"
           " * count, and the span. */\n");
    for (int a = 0; a < counted(); a++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            pinion_algorithm_info info;
            pinion_operations whole, lean;
            if (pinion_algorithm(a, &info) != PINION_OK || !is_short_enough(&info, lengths[i])) continue;
            lean = count(a, lengths[i], CHAIN_SEED, &whole);
            printf("{\"%s\", %d, %.0f, %.0f, %.0f, %.0f, %.0f, %.0f, %.0f, %.0f},\n", info.name, lengths[i],
                   lean.mul, lean.add, lean.div, lean.sqrt, lean.trig, whole.mul, whole.add, whole.span);
        }
}

/* an algorithm's counts for FORMULA_FIRST to FORMULA_LAST joints as formulas; returns those for 6 */
static pinion_operations count_formulas(int a, formula *of_mul, formula *of_add)
{
    double mul[FORMULA_COUNTS], add[FORMULA_COUNTS];
    pinion_operations at6 = {0}, whole;
    for (int i = 0; i < FORMULA_COUNTS; i++) {
        const pinion_operations lean = count(a, FORMULA_FIRST + i, CHAIN_SEED, &whole);
        mul[i] = lean.mul;
        add[i] = lean.add;
        if (FORMULA_FIRST + i == 6) at6 = lean;
    }
    *of_mul = formula_of(mul);
    *of_add = formula_of(add);
    return at6;
}

/* the line of an algorithm's own page */
static const char *page_line(int a, char line[ROW_MAX])
{
    formula of_mul, of_add;
    char text[2][120];
    const pinion_operations at6 = count_formulas(a, &of_mul, &of_add);
    snprintf(line, ROW_MAX,
             "**Counted** ([how](../operation-counts.md)), serial revolute chain: × %s, + %s; "
             "n = 6: %.0f and %.0f.\n",
             formula_text(&of_mul, text[0], sizeof text[0]), formula_text(&of_add, text[1], sizeof text[1]),
             at6.mul, at6.add);
    return line;
}

static void write_pages(void)
{
    for (int a = 0; a < counted(); a++) {
        pinion_algorithm_info info;
        char line[ROW_MAX];
        if (pinion_algorithm(a, &info) == PINION_OK) printf("%s\t%s", info.name, page_line(a, line));
    }
}

/* the row of an algorithm in the document: counts at n = 6, formulas, published formulas and what they give
 * at 6 */
static const char *document_row(int a, const pinion_algorithm_info *info, char row[ROW_MAX])
{
    double published[2];
    char text[2][120], paper[2][200], paper_formula[200];
    formula of_mul, of_add;
    const pinion_operations at6 = count_formulas(a, &of_mul, &of_add);
    paper[0][0] = paper[1][0] = '\0';
    if (pinion_algorithm_published(a, 6, &published[0], &published[1]) == PINION_OK)
        for (int k = 0; k < 2; k++) {
            published_text(k ? info->published_add : info->published_mul, paper_formula,
                           sizeof paper_formula);
            snprintf(paper[k], sizeof paper[k], "%.150s = %.10g", paper_formula, published[k]);
        }
    snprintf(row, ROW_MAX, "| `%s` | %.0f | %.0f | %.0f | %.0f | %s | %s | %s | %s |\n", info->name, at6.mul,
             at6.add, at6.div + at6.sqrt, at6.trig, formula_text(&of_mul, text[0], sizeof text[0]),
             formula_text(&of_add, text[1], sizeof text[1]), paper[0], paper[1]);
    return row;
}

static void write_document(void)
{
    for (int p = 0; p < PINION_PROBLEM_COUNT; p++) {
        int begun = 0;
        for (int a = 0; a < counted(); a++) {
            pinion_algorithm_info info;
            char row[ROW_MAX];
            if (pinion_algorithm(a, &info) != PINION_OK || (int)info.problem != p) continue;
            if (!begun++)
                printf("\n### %s\n\n| algorithm | × | + | ÷, √ | sin, cos | × in n | + in n | published × | "
                       "published + |\n| --- | --: | --: | --: | --: | --- | --- | --- | --- |\n",
                       pinion_problem_name((pinion_problem)p));
            fputs(document_row(a, &info, row), stdout);
        }
    }
}

/* ---- tests ---- */

static void check_number(const char *name, int n, const char *what, double counted, double expected)
{
    check_count++;
    if (counted > expected)
        CHECK_FAIL("%s on %d joints takes %.0f %s, more than the %.0f of before", name, n, counted, what,
                   expected);
    if (counted < expected)
        CHECK_FAIL("%s on %d joints takes %.0f %s, fewer than the %.0f of before: update the table", name, n,
                   counted, what, expected);
}

TEST(counts_are_those_of_the_table)
{
    for (int a = 0; a < counted(); a++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            const int n = lengths[i];
            pinion_algorithm_info info;
            pinion_operations whole;
            CHECK_STATUS(pinion_algorithm(a, &info), PINION_OK);
            if (!is_short_enough(&info, n)) continue;
            const pinned *row = find_row(info.name, n);
            if (!row) {
                if (i == 0)
                    printf("       %s is not in the table: PINION_WRITE_COUNTS=1 prints its rows\n",
                           info.name);
                continue;
            }
            const pinion_operations lean = count(a, n, CHAIN_SEED, &whole);
            check_number(info.name, n, "multiplications", lean.mul, row->mul);
            check_number(info.name, n, "additions", lean.add, row->add);
            check_number(info.name, n, "divisions", lean.div, row->div);
            check_number(info.name, n, "square roots", lean.sqrt, row->sqrt);
            check_number(info.name, n, "sines and cosines", lean.trig, row->trig);
            check_number(info.name, n, "multiplications in the whole", whole.mul, row->whole_mul);
            check_number(info.name, n, "additions in the whole", whole.add, row->whole_add);
            check_number(info.name, n, "operations one after the other", whole.span, row->span);
        }
}

/* A row of an algorithm that is gone, or misspelt, pins nothing. */
TEST(the_table_has_no_dead_rows)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        check_count++;
        if (pinion_algorithm_find(table[i].name) < 0) CHECK_FAIL("there is no algorithm %s", table[i].name);
    }
}

/* The numbers of a chain do not matter, only its structure (for what works along the world's axes also how the first
 * joint stands there: in both of these in general position); and leaving out leaves no more than there is. */
TEST(counts_depend_on_structure_alone)
{
    for (int a = 0; a < counted(); a++) {
        pinion_algorithm_info info;
        pinion_operations whole[2], lean[2];
        CHECK_STATUS(pinion_algorithm(a, &info), PINION_OK);
        for (int k = 0; k < 2; k++) lean[k] = count(a, 6, CHAIN_SEED + 6u * (unsigned)k, &whole[k]);
        check_count++;
        if (memcmp(&lean[0], &lean[1], sizeof lean[0]) != 0 ||
            memcmp(&whole[0], &whole[1], sizeof whole[0]) != 0)
            CHECK_FAIL("%s takes %.0f, %.0f operations on one chain and %.0f, %.0f on another", info.name,
                       lean[0].mul, lean[0].add, lean[1].mul, lean[1].add);
        const pinion_operations *w = &whole[0];
        CHECK(lean[0].mul <= w->mul && lean[0].add <= w->add && lean[0].div <= w->div);
        CHECK(w->span >= 1 && w->span <= w->mul + w->add + w->div + w->sqrt + w->trig);
    }
}

/* The published counts are met, or not, in the sight of all; docs/operation-counts.md explains. */
TEST(beside_the_published_counts)
{
    printf("       %-24s%6s%10s%12s%10s%12s\n", "algorithm", "n", "mul", "published", "add", "published");
    for (int a = 0; a < counted(); a++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            const int n = lengths[i];
            pinion_algorithm_info info;
            pinion_operations whole;
            double mul, add;
            if (pinion_algorithm(a, &info) != PINION_OK || !is_short_enough(&info, n)) continue;
            if (pinion_algorithm_published(a, n, &mul, &add) != PINION_OK) continue;
            const pinion_operations lean = count(a, n, CHAIN_SEED, &whole);
            printf("       %-24s%6d%10.0f%12.10g%10.0f%12.10g%s\n", info.name, n, lean.mul, mul, lean.add,
                   add, lean.mul > mul || lean.add > add ? "  above" : "");
            check_count++;
        }
}

/* The whole count leaves out nothing: operations with zeros are in it, so weightlessness saves none. */
TEST(whole_counts_do_not_depend_on_zeros)
{
    static const double none[3] = {0, 0, 0};
    pinion_model *m[2] = {pinion_random_chain(4, CHAIN_SEED, NULL), pinion_random_chain(4, CHAIN_SEED, NULL)};
    int fewer = 0;
    CHECK(m[0] && m[1] && pinion_model_set_gravity(m[0], none) == PINION_OK);
    for (int a = 0; a < counted() && m[0] && m[1]; a++) {
        pinion_algorithm_info info;
        pinion_operations lean[2], whole[2];
        CHECK_STATUS(pinion_algorithm(a, &info), PINION_OK);
        for (int k = 0; k < 2; k++)
            CHECK_STATUS(pinion_algorithm_operations(a, m[k], &lean[k], &whole[k]), PINION_OK);
        fewer += lean[0].mul < lean[1].mul;
        check_count++;
        if (memcmp(&whole[0], &whole[1], offsetof(pinion_operations, span)) != 0)
            CHECK_FAIL("%s: %.0f, %.0f operations without gravity, %.0f, %.0f with it", info.name, whole[0].mul,
                       whole[0].add, whole[1].mul, whole[1].add);
    }
    CHECK(fewer >= 8); /* inverse and forward dynamics */
    for (int k = 0; k < 2; k++) pinion_model_free(m[k]);
}

static char *read_document(const char *name)
{
    char path[1000];
    const char *models = getenv("PINION_MODELS");
    snprintf(path, sizeof path, "%s/../docs/%s.md", models ? models : "models", name);
    FILE *f = fopen(path, "rb");
    char *text = f ? calloc(1, 1 << 20) : NULL;
    if (text && fread(text, 1, (1 << 20) - 1, f) == 0) text[0] = '\0';
    if (f) fclose(f);
    return text;
}

/* Every row of the document is what is counted. */
TEST(the_document_shows_these_counts)
{
    char *text = read_document("operation-counts");
    if (!text) SKIP("docs/operation-counts.md is not beside the models");
    for (int a = 0; a < counted(); a++) {
        pinion_algorithm_info info;
        char row[ROW_MAX], start[100];
        CHECK_STATUS(pinion_algorithm(a, &info), PINION_OK);
        snprintf(start, sizeof start, "\n| `%s` |", info.name);
        if (!strstr(text, start)) {
            printf("       %s is not in docs/operation-counts.md\n", info.name);
            continue;
        }
        check_count++;
        if (!strstr(text, document_row(a, &info, row)))
            CHECK_FAIL("docs/operation-counts.md shows other counts; update the table: %s", row);
    }
    free(text);
}

/* whether a number is what an algorithm takes or is said to take at n = 6 */
static int is_count_at_6(int a, const pinion_operations *at6, double x)
{
    double published[2] = {-1, -1};
    if (pinion_algorithm_published(a, 6, &published[0], &published[1]) != PINION_OK) published[0] = -1;
    return x == at6->mul || x == at6->add || x == at6->div || x == at6->div + at6->sqrt || x == published[0] ||
           x == published[1];
}

/* the numbers behind every "n = 6: " of a page, "489, 421" or "489 and 421" */
static void check_numbers_at_6(int a, const char *name, const char *text)
{
    formula of_mul, of_add;
    const pinion_operations at6 = count_formulas(a, &of_mul, &of_add);
    for (const char *at = strstr(text, "n = 6: "); at; at = strstr(at, "n = 6: ")) {
        at += strlen("n = 6: ");
        while (*at >= '0' && *at <= '9') {
            char *end;
            const double x = strtod(at, &end);
            check_count++;
            if (!is_count_at_6(a, &at6, x))
                CHECK_FAIL("docs/algorithms/%s.md says %.0f for n = 6; counted are %.0f and %.0f", name, x, at6.mul,
                           at6.add);
            at = end;
            if (strncmp(at, ", ", 2) == 0) at += 2;
            if (strncmp(at, " and ", 5) == 0) at += 5;
        }
    }
}

/* Every algorithm has a page of its own, with the counts that are counted. */
TEST(the_pages_show_these_counts)
{
    char *text = read_document("operation-counts");
    if (!text) SKIP("docs is not beside the models");
    free(text);
    for (int a = 0; a < counted(); a++) {
        pinion_algorithm_info info;
        char line[ROW_MAX], name[100];
        CHECK_STATUS(pinion_algorithm(a, &info), PINION_OK);
        snprintf(name, sizeof name, "algorithms/%s", info.name);
        text = read_document(name);
        check_count++;
        if (!text && find_row(info.name, 6))
            CHECK_FAIL("there is no docs/%s.md", name);
        else if (!text)
            printf("       there is no docs/%s.md yet; its line is: %s", name, page_line(a, line));
        else if (!strstr(text, page_line(a, line)))
            CHECK_FAIL("docs/%s.md shows other counts, or none; its line is: %s", name, line);
        if (text) check_numbers_at_6(a, info.name, text);
        free(text);
    }
}

/* what chooses pivots says that it cannot be counted */
TEST(solvers_are_not_counted)
{
    pinion_model *chain = pinion_random_chain(6, 1, NULL);
    CHECK(chain && counted() < pinion_algorithm_count());
    for (int a = counted(); chain && a < pinion_algorithm_count(); a++) {
        pinion_algorithm_info info;
        pinion_operations lean, whole;
        CHECK_STATUS(pinion_algorithm(a, &info), PINION_OK);
        CHECK(!info.kernel);
        CHECK_STATUS(pinion_algorithm_operations(a, chain, &lean, &whole), PINION_ERR_UNSUPPORTED);
    }
    pinion_model_free(chain);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    const char *write = getenv("PINION_WRITE_COUNTS");
    if (write) {
        if (strcmp(write, "document") == 0)
            write_document();
        else if (strcmp(write, "pages") == 0)
            write_pages();
        else
            write_table();
        return 0;
    }
    RUN(counts_are_those_of_the_table);
    RUN(the_table_has_no_dead_rows);
    RUN(counts_depend_on_structure_alone);
    RUN(beside_the_published_counts);
    RUN(whole_counts_do_not_depend_on_zeros);
    RUN(the_document_shows_these_counts);
    RUN(the_pages_show_these_counts);
    RUN(solvers_are_not_counted);
    return CHECK_END();
}
