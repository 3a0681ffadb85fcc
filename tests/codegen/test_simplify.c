/* A simplified computation gives the same results: the same numbers where nothing but its form has changed. The rules
 * one by one are in test_simplify_rules.c. */
#include "memory/allocator.h"
#include "computed.h"

enum { STATES = 2 };

/* operations, and what a sine or cosine costs more */
static double cost_of(const pn_graph *g)
{
    const pinion_operations n = count_of(g);
    return n.mul + n.add + n.div + n.sqrt + 10 * n.trig;
}

/* Signs are left in differences, at results, and where a function takes no sign. */
static void check_signs(const char *what, const pn_graph *g)
{
    for (int32_t i = 1; i < g->count; i++) {
        const pn_record *r = &g->record[i];
        if (r->operation == PN_OP_SIGN && g->record[r->a].operation == PN_OP_SIGN) CHECK_FAIL("%s: two signs", what);
        const int takes_none = r->operation == PN_OP_ADD || r->operation == PN_OP_MUL || r->operation == PN_OP_DIV ||
                               r->operation == PN_OP_SIN || r->operation == PN_OP_COS;
        if (!takes_none) continue;
        const int second = r->operation == PN_OP_MUL || r->operation == PN_OP_DIV;
        check_count++;
        if (g->record[r->a].operation == PN_OP_SIGN || (second && g->record[r->b].operation == PN_OP_SIGN))
            CHECK_FAIL("%s: record %d has a sign", what, (int)i);
    }
}

static void check_constants(const char *what, const pn_graph *g)
{
    CHECK(g->record[0].operation == PN_OP_CONSTANT && g->record[0].value == 0);
    for (int32_t i = 1; i < g->count; i++) {
        const pn_record *r = &g->record[i];
        if (r->operation != PN_OP_ADD && r->operation != PN_OP_MUL) continue;
        const pn_record *a = &g->record[r->a], *b = &g->record[r->b];
        check_count++;
        if (a->operation == PN_OP_CONSTANT && b->operation == PN_OP_CONSTANT) CHECK_FAIL("%s: constants", what);
        if (r->a == 0 || r->b == 0) CHECK_FAIL("%s: a zero", what);
    }
}

/* without flags: the same numbers; a zero may change its sign */
static void check_same(const char *what, const pinion_model *m, const pn_graph *g)
{
    pn_graph simple = graph_copy(g);
    CHECK_STATUS(pn_simplify(&simple, 0), PINION_OK);
    CHECK(simple.results == g->results);
    CHECK(sum_of(count_of(&simple)) <= sum_of(count_of(g)));
    CHECK(count_of(&simple).trig <= count_of(g).trig);
    check_signs(what, &simple);
    check_constants(what, &simple);
    uint64_t seed = check_seed;
    for (int k = 0; k < STATES; k++) {
        state s = state_random(m, &seed);
        double *before = values_of(g, &s, NULL), *after = values_of(&simple, &s, NULL);
        for (size_t i = 0; i < g->results; i++) {
            check_count++;
            if (before[i] == after[i]) continue;
            CHECK_FAIL("%s: result %d is %.17g, was %.17g", what, (int)i, after[i], before[i]);
            break;
        }
        free(before);
        free(after);
        state_free(&s);
    }
    pn_graph_free(&simple);
}

TEST(models_keep_their_numbers)
{
    for_models(check_same);
}

/* With flags another rounding, in no more operations. Worst seen with other seeds: 9e-14. */
static double worst;

static void check_near(const char *what, const pinion_model *m, const pn_graph *g)
{
    for (unsigned flags = 1; flags < 8; flags += (unsigned)check_every(3)) {
        pn_graph simple = graph_copy(g);
        CHECK_STATUS(pn_simplify(&simple, flags), PINION_OK);
        CHECK(simple.results == g->results);
        CHECK(cost_of(&simple) <= cost_of(g));
        if (!(flags & PN_SIMPLIFY_ANGLE_SUMS)) CHECK(sum_of(count_of(&simple)) <= sum_of(count_of(g)));
        check_signs(what, &simple);
        uint64_t seed = check_seed;
        for (int k = 0; k < STATES; k++) {
            state s = state_random(m, &seed);
            double *before = values_of(g, &s, NULL), *after = values_of(&simple, &s, NULL);
            const double error = check_error(after, before, g->results, 1e-3);
            check_count++;
            /* derivatives of accelerations have been solved for twice */
            const double most = strstr(what, "fd-idsva") || strstr(what, "aba-columns") ? 3e-11 : 3e-13;
            if (!(error <= most)) CHECK_FAIL("%s, flags %u: %g", what, flags, error);
            if (error > worst) worst = error;
            free(before);
            free(after);
            state_free(&s);
        }
        pn_graph_free(&simple);
    }
}

TEST(other_roundings_are_near)
{
    for_models(check_near);
    printf("    worst %g\n", worst);
}

/* once more changes nothing */
static void check_twice(const char *what, const pinion_model *m, const pn_graph *g)
{
    (void)m;
    pn_graph once = graph_copy(g);
    CHECK_STATUS(pn_simplify(&once, 0), PINION_OK);
    pn_graph twice = graph_copy(&once);
    CHECK_STATUS(pn_simplify(&twice, 0), PINION_OK);
    check_count++;
    if (sum_of(count_of(&once)) != sum_of(count_of(&twice)) || once.count != twice.count)
        CHECK_FAIL("%s: %d records, then %d", what, (int)once.count, (int)twice.count);
    pn_graph_free(&once);
    pn_graph_free(&twice);
}

TEST(all_is_done_at_once)
{
    for_models(check_twice);
}

static const char *wanted;
static unsigned wanted_flags;
static pinion_operations wanted_count;

static void take_count(const char *what, const pinion_model *m, const pn_graph *g)
{
    (void)m;
    if (strcmp(what, wanted) != 0) return;
    pn_graph simple = graph_copy(g);
    CHECK_STATUS(pn_simplify(&simple, wanted_flags), PINION_OK);
    wanted_count = count_of(&simple);
    pn_graph_free(&simple);
}

/* the operations that are left of a call on a bundled model */
static pinion_operations left_of(const char *file, const char *call, unsigned flags)
{
    char what[100];
    pinion_model *m = bundled(file);
    snprintf(what, sizeof what, "%s %s", file, call);
    wanted = what;
    wanted_flags = flags;
    memset(&wanted_count, 0, sizeof wanted_count);
    if (m) check_model(file, m, take_count);
    pinion_model_free(m);
    return wanted_count;
}

/* In a planar arm the sums of the angles are all there is: no products but with lengths, which are 1 here. */
TEST(planar_arms_add_their_angles)
{
    if (!getenv("PINION_MODELS")) SKIP("PINION_MODELS is not set");
    const pinion_operations frames = left_of("planar-3r.json", "frames", PN_SIMPLIFY_ANGLE_SUMS);
    CHECK(frames.trig == 6 && frames.mul == 0 && frames.add == 6);
    const pinion_operations jacobian = left_of("planar-3r.json", "jacobian", PN_SIMPLIFY_ANGLE_SUMS);
    CHECK(jacobian.trig == 6 && jacobian.mul == 0 && jacobian.add <= 10);
    /* the two parallel axes of the PUMA */
    const pinion_operations turned = left_of("puma560-corke.json", "frames", PN_SIMPLIFY_ANGLE_SUMS);
    const pinion_operations plain = left_of("puma560-corke.json", "frames", 0);
    CHECK(turned.trig == plain.trig && turned.mul + turned.add < 0.85 * (plain.mul + plain.add));
}

/* the n-th request for memory refused, for every n: an error, or none, and nothing left behind */
TEST(memory_runs_out)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_error err;
    pinion_model *m = pinion_random_tree(4, 0, check_seed, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    if (!m) return;
    const pn_trace_call call = pn_trace_algorithm(m, 0);
    pn_graph g;
    CHECK_STATUS(pn_trace(m, &call, &g), PINION_OK);
    pinion_model_free(m);
    int refused = 1;
    for (long n = 0; refused && n < 10000; n++) {
        pn_graph copy = graph_copy(&g);
        const long live = alloc_live;
        alloc_fail(n, 0);
        pinion_status status = pn_simplify(&copy, 7);
        if (status == PINION_OK) status = pn_schedule(&copy);
        alloc_work();
        refused = alloc_failed > 0;
        CHECK_STATUS(status, refused ? PINION_ERR_MEMORY : PINION_OK);
        CHECK(alloc_live == live);
        pn_graph_free(&copy);
    }
    CHECK(!refused);
    printf("    %ld requests for memory\n", alloc_calls);
    pn_graph_free(&g);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(models_keep_their_numbers);
    RUN(other_roundings_are_near);
    RUN(all_is_done_at_once);
    RUN(planar_arms_add_their_angles);
    RUN(memory_runs_out);
    return CHECK_END();
}
