/* `pinion operators`: the matrices of the papers as text and as JSON. */
#define _DEFAULT_SOURCE
#include "command.h"

static const char *const files[] = {"universal.json", NULL};
static const char *const state = "{\"states\": [{\"q\": [0, 1, 2], \"v\": [1, 2, 3]}, {\"q\": [0, 0, 0]}]}";

static json_t *operators(const char *what, const char *sparse)
{
    answer a = run(state, "operators", bundled("planar-3r.json"), "--states", "-", "--what", what, "--json", sparse,
                   (const char *)NULL);
    return parse_answer(&a, 0);
}

/* An entry of a matrix given by its rows. */
static double entry(json_t *A, size_t i, size_t j)
{
    return json_number_value(json_array_get(json_array_get(A, i), j));
}

/* N' M N, computed here from what is printed, is GIM and the mass matrix of eval. */
TEST(dense_matrices_multiply_to_the_mass_matrix)
{
    json_t *r = operators("N,M,GIM", NULL);
    CHECK_KEYS(r, "bodies states");
    CHECK(json_array_size(DIG(r, "bodies")) == 3 && json_array_size(DIG(r, "states")) == 2);
    CHECK_TEXT(DIG(r, "bodies", "0"), "link1");
    answer a = run(state, "eval", bundled("planar-3r.json"), "--states", "-", "--what", "mass_matrix",
                   (const char *)NULL);
    json_t *e = parse_answer(&a, 0);
    static const char *const index[] = {"0", "1"};
    for (int s = 0; s < 2; s++) {
        json_t *N = DIG(r, "states", index[s], "N"), *M = DIG(r, "states", index[s], "M");
        json_t *G = DIG(r, "states", index[s], "GIM"), *expected = DIG(e, "states", index[s], "mass_matrix");
        CHECK(json_array_size(N) == 18 && json_array_size(M) == 18 && json_array_size(G) == 3);
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++) {
                double sum = 0;
                for (size_t k = 0; k < 18; k++)
                    for (size_t l = 0; l < 18; l++) sum += entry(N, k, i) * entry(M, k, l) * entry(N, l, j);
                CHECK_NEAR(sum, entry(G, i, j), 1e-12);
                CHECK_NEAR(sum, entry(expected, i, j), 1e-12);
            }
    }
    json_decref(r);
    json_decref(e);
}

/* Triplets hold the same numbers, and no zero. */
TEST(sparse_matrices_are_the_dense_ones)
{
    json_t *dense = operators("N_l,T,C", NULL), *sparse = operators("N_l,T,C", "--sparse");
    static const char *const names[] = {"N_l", "T", "C"};
    for (int n = 0; n < 3; n++) {
        json_t *A = DIG(dense, "states", "0", names[n]), *B = DIG(sparse, "states", "0", names[n]), *triplet;
        size_t i, nonzero = 0;
        CHECK_KEYS(B, "rows columns entries");
        CHECK_NEAR(json_number_value(DIG(B, "rows")), (double)json_array_size(A), 0);
        CHECK_NEAR(json_number_value(DIG(B, "columns")), (double)json_array_size(json_array_get(A, 0)), 0);
        json_array_foreach(DIG(B, "entries"), i, triplet) {
            double x = json_number_value(json_array_get(triplet, 2));
            CHECK(x != 0);
            CHECK_NEAR(x, entry(A, (size_t)json_integer_value(json_array_get(triplet, 0)),
                                (size_t)json_integer_value(json_array_get(triplet, 1))), 0);
        }
        for (size_t r = 0; r < json_array_size(A); r++)
            for (size_t c = 0; c < json_array_size(json_array_get(A, r)); c++) nonzero += entry(A, r, c) != 0;
        CHECK(nonzero == json_array_size(DIG(B, "entries")));
    }
    json_decref(dense);
    json_decref(sparse);
}

TEST(text_for_people)
{
    answer a = run(state, "operators", bundled("planar-3r.json"), "--states", "-", "--what", "N_d,H",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "link1, link2, link3");
    CHECK_HAS(a.out, "N_d, 18 x 3: joint-rate propagation");
    CHECK_HAS(a.out, "states[1]");
    forget(&a);
}

TEST(what_is_refused)
{
    const char *model = bundled("planar-3r.json");
    REFUSED(2, "--states FILE is missing", NULL, "operators", model);
    REFUSED(2, "unknown matrix 'N_q'", state, "operators", model, "--states", "-", "--what", "N_q");
    REFUSED(2, "unknown matrix ''", state, "operators", model, "--states", "-", "--what", "N,");
    REFUSED(2, "'N' is given twice", state, "operators", model, "--states", "-", "--what", "N,M,N");
    REFUSED(2, "cannot both", state, "operators", "-", "--states", "-");
    REFUSED(1, "expected 3 numbers, got 1", "{\"states\": [{\"q\": [0]}]}", "operators", model, "--states", "-");

    /* a universal joint's first axis is not carried by its body; nothing is printed of what comes before */
    const char *universal = write_file(
        "universal.json",
        "{\"pinion\": 1, \"name\": \"u\", \"links\": [{\"name\": \"a\"}, {\"name\": \"b\", \"mass\": 1, "
        "\"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": \"j\", \"type\": "
        "\"universal\", \"parent\": \"a\", \"child\": \"b\"}]}");
    REFUSED(1, "M_tilde_prime: not with universal joints", "{\"states\": [{\"q\": [0, 0]}]}", "operators", universal,
            "--states", "-", "--what", "N,M_tilde_prime");
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(dense_matrices_multiply_to_the_mass_matrix);
    RUN(sparse_matrices_are_the_dense_ones);
    RUN(text_for_people);
    RUN(what_is_refused);
    return command_end(files);
}
