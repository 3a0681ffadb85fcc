/* Another order of the same records: the same numbers, no more values alive at a time, bodies and passes one after the
 * other. */
#include "codegen/simplify/simplify.h"
#include "small.h"

static int waits_nowhere(const pn_record *r)
{
    return r->operation == PN_OP_CONSTANT || r->operation == PN_OP_INPUT || r->operation == PN_OP_SIGN;
}

/* the different values that a record needs, through signs; how many there are */
static int values_needed(const pn_graph *g, int32_t i, int32_t value[3])
{
    const pn_record *r = &g->record[i];
    const int32_t operand[3] = {r->a, r->b, r->c};
    int n = 0;
    for (int k = 0; k < pn_operands((pn_operation)r->operation); k++) {
        int32_t o = operand[k];
        while (g->record[o].operation == PN_OP_SIGN) o = g->record[o].a;
        if (waits_nowhere(&g->record[o]) || (n > 0 && value[0] == o) || (n > 1 && value[1] == o)) continue;
        value[n++] = o;
    }
    return n;
}

/* the most values that are alive at any time: how near it is to a register file */
static int32_t pressure(const pn_graph *graph)
{
    const size_t n = (size_t)graph->count + 1;
    int32_t *last = calloc(n, sizeof *last), *ends = calloc(n, sizeof *ends);
    int32_t alive = 0, most = last && ends ? 0 : graph->count, value[3];
    const int32_t count = last && ends ? graph->count : 0;
    for (int32_t i = 1; i < count; i++) {
        if (!graph->record[i].live || waits_nowhere(&graph->record[i])) continue;
        last[i] = i; /* a result that nothing uses is there for a moment */
        for (int k = values_needed(graph, i, value) - 1; k >= 0; k--) last[value[k]] = i;
    }
    for (int32_t i = 1; i < count; i++)
        if (last[i]) ends[last[i]]++;
    for (int32_t i = 1; i < count; i++) {
        if (!last[i]) continue;
        alive++;
        /* what ends here gives its place to the new value */
        const int32_t before = ends[i] - (last[i] == i);
        alive -= before;
        if (alive > most) most = alive;
        alive -= last[i] == i;
    }
    free(last);
    free(ends);
    return most;
}

/* how often the text would go on to another body or pass, after the sines and cosines */
static int changes(const pn_graph *g)
{
    int count = 0;
    const pn_record *last = NULL;
    for (int32_t i = 1; i < g->count; i++) {
        const pn_record *r = &g->record[i];
        if (waits_nowhere(r) || (r->body == 0 && r->pass == PN_PASS_JOINTS)) continue;
        count += !last || last->body != r->body || last->pass != r->pass;
        last = r;
    }
    return count;
}

static void check_flags(const char *what, const pinion_model *m, const pn_graph *g, unsigned flags)
{
    pn_graph simple = graph_copy(g);
    CHECK_STATUS(pn_simplify(&simple, flags), PINION_OK);
    pn_graph ordered = graph_copy(&simple);
    CHECK_STATUS(pn_schedule(&ordered), PINION_OK);

    /* the same operations, the same numbers */
    CHECK(sum_of(count_of(&ordered)) == sum_of(count_of(&simple)));
    CHECK(count_of(&ordered).span == count_of(&simple).span);
    uint64_t seed = check_seed;
    state s = state_random(m, &seed);
    double *before = values_of(&simple, &s, NULL), *after = values_of(&ordered, &s, NULL);
    check_count++;
    if (memcmp(before, after, g->results * sizeof *before) != 0) CHECK_FAIL("%s: other numbers", what);
    free(before);
    free(after);
    state_free(&s);

    /* a better order; sums of angles come late in the recorded one, which keeps fewer sines alive */
    check_count += 2;
    if (!(flags & PN_SIMPLIFY_ANGLE_SUMS) && pressure(&ordered) > pressure(&simple))
        CHECK_FAIL("%s: %d values alive, %d before", what, (int)pressure(&ordered),
                   (int)pressure(&simple));
    if (changes(&ordered) > changes(&simple))
        CHECK_FAIL("%s: %d sections, %d before", what, changes(&ordered), changes(&simple));
    pn_graph_free(&ordered);
    pn_graph_free(&simple);
}

static void check_order(const char *what, const pinion_model *m, const pn_graph *g)
{
    check_flags(what, m, g, 0);
    check_flags(what, m, g, PN_SIMPLIFY_CANCEL);
    check_flags(what, m, g, PN_SIMPLIFY_ANGLE_SUMS | PN_SIMPLIFY_CANCEL);
}

TEST(models)
{
    for_models(check_order);
}

/* ---- small ones ---- */

static small s;

static int32_t in_section(int32_t i, int body, int pass)
{
    s.record[i].body = body;
    s.record[i].pass = (uint8_t)pass;
    return i;
}

TEST(pressure_of_a_sum)
{
    small_begin(&s);
    int32_t x[4];
    for (int i = 0; i < 4; i++) x[i] = input(&s, PN_IN_V, i);
    int32_t square[4];
    for (int i = 0; i < 4; i++) square[i] = mul(&s, x[i], x[i]);
    int32_t sum = square[0];
    for (int i = 1; i < 4; i++) sum = sub(&s, sum, square[i]);
    give(&s, sum);
    pn_graph g = small_graph(&s);
    /* four squares at a time, then two: the sum so far and the next square */
    CHECK(pressure(&g) == 4);
    CHECK_STATUS(pn_schedule(&g), PINION_OK);
    CHECK(pressure(&g) == 2);
    pn_graph_free(&g);
}

TEST(nothing_to_order)
{
    small_begin(&s);
    give(&s, 0);
    give(&s, neg(&s, input(&s, PN_IN_Q, 0)));
    pn_graph g = small_graph(&s);
    CHECK(pressure(&g) == 0);
    CHECK_STATUS(pn_schedule(&g), PINION_OK);
    CHECK(g.count == 3 && g.result[0] == 0 && g.record[g.result[1]].operation == PN_OP_SIGN);
    pn_graph_free(&g);
}

/* sections 1 and 2; what is recorded in 1 is needed in 2 alone, or in both, or has a name */
static pn_graph two_sections(int named, int also_needed, int keeps_operand)
{
    small_begin(&s);
    const int32_t x = input(&s, PN_IN_V, 0), y = input(&s, PN_IN_V, 1);
    const int32_t base = in_section(mul(&s, x, y), 1, PN_PASS_OUTWARDS);
    const int32_t other = in_section(add(&s, x, y), 1, PN_PASS_OUTWARDS);
    const int32_t part = in_section(mul(&s, base, other), 1, PN_PASS_OUTWARDS);
    if (named) s.record[part].symbol = "w";
    give(&s, in_section(add(&s, other, constant(&s, 2)), 1, PN_PASS_OUTWARDS));
    if (also_needed) give(&s, in_section(mul(&s, part, x), 1, PN_PASS_OUTWARDS));
    const int32_t late = in_section(add(&s, part, y), 2, PN_PASS_OUTWARDS);
    give(&s, late);
    give(&s, in_section(mul(&s, late, keeps_operand ? other : x), 2, PN_PASS_OUTWARDS));
    give(&s, in_section(mul(&s, late, base), 2, PN_PASS_OUTWARDS));
    pn_graph g = small_graph(&s);
    CHECK_STATUS(pn_schedule(&g), PINION_OK);
    return g;
}

/* the body of the product of the product and the sum */
static int body_of_part(const pn_graph *g)
{
    for (int32_t i = 1; i < g->count; i++) {
        const pn_record *r = &g->record[i];
        if (r->operation != PN_OP_MUL) continue;
        const int a = g->record[r->a].operation, b = g->record[r->b].operation;
        const int of_inputs = g->record[g->record[r->b].a].operation == PN_OP_INPUT;
        if (a == PN_OP_MUL && b == PN_OP_ADD && of_inputs) return r->body;
    }
    return -1;
}

TEST(values_go_where_they_are_needed)
{
    /* its operands are alive in section 2 anyway */
    pn_graph g = two_sections(0, 0, 1);
    CHECK(body_of_part(&g) == 2);
    pn_graph_free(&g);
    /* a name keeps it, and so does a use in its own section */
    g = two_sections(1, 0, 1);
    CHECK(body_of_part(&g) == 1);
    pn_graph_free(&g);
    g = two_sections(0, 1, 1);
    CHECK(body_of_part(&g) == 1);
    pn_graph_free(&g);
}

TEST(sines_come_first)
{
    small_begin(&s);
    int32_t sum = in_section(mul(&s, input(&s, PN_IN_V, 0), input(&s, PN_IN_V, 1)), 1, PN_PASS_OUTWARDS);
    for (int i = 0; i < 4; i++) {
        const int32_t angle = add(&s, input(&s, PN_IN_Q, i), constant(&s, 0.5));
        const int32_t sine = op(&s, PN_OP_SIN, angle, 0), cosine = op(&s, PN_OP_COS, angle, 0);
        sum = in_section(add(&s, mul(&s, sum, sine), cosine), 1 + i, PN_PASS_OUTWARDS);
    }
    give(&s, sum);
    pn_graph g = small_graph(&s);
    CHECK_STATUS(pn_schedule(&g), PINION_OK);
    int32_t last_sine = 0, first_product = g.count;
    for (int32_t i = 1; i < g.count; i++) {
        if (g.record[i].operation == PN_OP_SIN || g.record[i].operation == PN_OP_COS) last_sine = i;
        if (g.record[i].operation == PN_OP_MUL && i < first_product) first_product = i;
        /* a cosine right behind the sine of the same angle */
        if (g.record[i].operation == PN_OP_SIN)
            CHECK(g.record[i + 1].operation == PN_OP_COS && g.record[i + 1].a == g.record[i].a);
    }
    CHECK(last_sine < first_product);
    pn_graph_free(&g);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(models);
    RUN(pressure_of_a_sum);
    RUN(nothing_to_order);
    RUN(values_go_where_they_are_needed);
    RUN(sines_come_first);
    return CHECK_END();
}
