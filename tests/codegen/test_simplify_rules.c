/* Every rule of simplification on a few records of its own. */
#include "small.h"

static small s;
static int32_t q[8], v[8];

static void begin(void)
{
    small_begin(&s);
    for (int i = 0; i < 8; i++) {
        q[i] = input(&s, PN_IN_Q, i);
        v[i] = input(&s, PN_IN_V, i);
    }
}

TEST(zeros_and_ones)
{
    begin();
    give(&s, add(&s, v[0], constant(&s, 0)));
    give(&s, add(&s, 0, v[0]));
    give(&s, mul(&s, v[0], constant(&s, 1)));
    give(&s, mul(&s, constant(&s, -1), v[0]));
    give(&s, mul(&s, 0, v[0]));
    give(&s, op(&s, PN_OP_DIV, v[0], constant(&s, 1)));
    give(&s, op(&s, PN_OP_DIV, v[0], constant(&s, -1)));
    give(&s, op(&s, PN_OP_DIV, 0, v[0]));
    give(&s, sub(&s, v[0], v[0]));
    SIMPLIFIES(&s, 0, 0, 0, 0, 0);
}

TEST(constants_are_folded)
{
    begin();
    const int32_t two = constant(&s, 2), three = constant(&s, 3);
    const int32_t six = mul(&s, two, three), root = op(&s, PN_OP_SQRT, six, 0);
    give(&s, op(&s, PN_OP_ATAN2, op(&s, PN_OP_SIN, root, 0), op(&s, PN_OP_COS, add(&s, two, neg(&s, three)), 0)));
    give(&s, op(&s, PN_OP_DIV, two, three));
    give(&s, six);
    SIMPLIFIES(&s, 0, 0, 0, 0, 0);
}

TEST(constants_of_either_sign_are_one)
{
    begin();
    give(&s, mul(&s, constant(&s, 0.3), v[0]));
    give(&s, mul(&s, v[0], constant(&s, -0.3)));
    SIMPLIFIES(&s, 0, 1, 0, 0, 0);
}

TEST(powers_of_two)
{
    /* a quotient is a product */
    begin();
    give(&s, op(&s, PN_OP_DIV, v[0], constant(&s, -4)));
    SIMPLIFIES(&s, 0, 1, 0, 0, 0);
    begin();
    give(&s, op(&s, PN_OP_DIV, v[0], constant(&s, 3)));
    SIMPLIFIES(&s, 0, 0, 0, 1, 0);

    /* 2 x and x + x */
    begin();
    give(&s, mul(&s, constant(&s, 2), v[0]));
    give(&s, add(&s, v[0], v[0]));
    give(&s, mul(&s, constant(&s, 0.5), add(&s, v[0], v[0])));
    SIMPLIFIES(&s, 0, 0, 1, 0, 0);

    /* two constants are one */
    begin();
    give(&s, mul(&s, constant(&s, 4), mul(&s, constant(&s, 0.3), v[0])));
    give(&s, mul(&s, constant(&s, 0.7), add(&s, v[1], v[1])));
    give(&s, mul(&s, constant(&s, 4), op(&s, PN_OP_DIV, constant(&s, 0.3), v[2])));
    SIMPLIFIES(&s, 0, 2, 0, 1, 0);
    begin();
    give(&s, mul(&s, constant(&s, 0.7), mul(&s, constant(&s, 0.3), v[0])));
    SIMPLIFIES(&s, 0, 2, 0, 0, 0);

    /* 2 x + 2 y */
    begin();
    give(&s, sub(&s, add(&s, v[0], v[0]), mul(&s, constant(&s, 2), v[1])));
    SIMPLIFIES(&s, 0, 0, 2, 0, 0);
    begin();
    const int32_t double_x = add(&s, v[0], v[0]);
    give(&s, double_x);
    give(&s, add(&s, double_x, mul(&s, constant(&s, 2), v[1])));
    SIMPLIFIES(&s, 0, 0, 3, 0, 0);
}

TEST(a_quotient_of_equals_stays)
{
    begin();
    give(&s, op(&s, PN_OP_DIV, v[0], v[0]));
    SIMPLIFIES(&s, 0, 0, 0, 1, 0);
}

/* whether a sign is anywhere but in a difference or at a result */
static int stray_signs(const pn_graph *g)
{
    int stray = 0;
    for (int32_t i = 0; i < g->count; i++) {
        const pn_record *r = &g->record[i];
        if (r->operation < PN_OP_ADD || r->operation == PN_OP_SELECT) continue;
        stray += g->record[r->a].operation == PN_OP_SIGN;
        stray += r->operation != PN_OP_ADD && !pn_is_unary((pn_operation)r->operation) &&
                 g->record[r->b].operation == PN_OP_SIGN;
    }
    return stray;
}

static int count_signs(const pn_graph *g)
{
    int signs = 0;
    for (int32_t i = 0; i < g->count; i++) signs += g->record[i].operation == PN_OP_SIGN;
    return signs;
}

TEST(signs_move_out)
{
    begin();
    const int32_t x = mul(&s, v[0], v[1]), y = mul(&s, v[2], v[3]);
    give(&s, mul(&s, neg(&s, x), y));
    give(&s, mul(&s, neg(&s, x), neg(&s, y)));
    give(&s, op(&s, PN_OP_DIV, neg(&s, x), y));
    give(&s, op(&s, PN_OP_DIV, x, neg(&s, y)));
    give(&s, neg(&s, neg(&s, x)));
    pn_graph g = simplified(&s, 0, 3, 0, 1, 0, __FILE__, __LINE__);
    CHECK(stray_signs(&g) == 0);
    pn_graph_free(&g);

    /* sums that differ in a sign are one, and need no more than a sign */
    begin();
    give(&s, sub(&s, v[0], v[1]));
    give(&s, sub(&s, v[1], v[0]));
    give(&s, add(&s, neg(&s, v[0]), neg(&s, v[2])));
    give(&s, add(&s, v[2], v[0]));
    give(&s, neg(&s, add(&s, neg(&s, v[3]), v[4])));
    g = simplified(&s, 0, 0, 3, 0, 0, __FILE__, __LINE__);
    CHECK(stray_signs(&g) == 0);
    pn_graph_free(&g);

    /* where it is free, the result itself has the sign */
    begin();
    const int32_t z = sub(&s, mul(&s, v[0], v[1]), mul(&s, v[2], v[3]));
    give(&s, neg(&s, z));
    give(&s, sub(&s, v[4], z));
    give(&s, neg(&s, mul(&s, constant(&s, 0.3), v[5])));
    g = simplified(&s, 0, 3, 2, 0, 0, __FILE__, __LINE__);
    CHECK(count_signs(&g) == 1);
    CHECK(g.record[g.result[0]].operation == PN_OP_ADD && g.record[g.result[2]].operation == PN_OP_MUL);
    pn_graph_free(&g);
}

TEST(sines_of_negatives)
{
    begin();
    const int32_t angle = sub(&s, q[0], q[1]), other = sub(&s, q[1], q[0]);
    give(&s, op(&s, PN_OP_SIN, angle, 0));
    give(&s, op(&s, PN_OP_SIN, other, 0));
    give(&s, op(&s, PN_OP_COS, angle, 0));
    give(&s, op(&s, PN_OP_COS, other, 0));
    give(&s, op(&s, PN_OP_COS, neg(&s, q[2]), 0));
    give(&s, op(&s, PN_OP_COS, q[2], 0));
    SIMPLIFIES(&s, 0, 0, 1, 0, 3);
}

TEST(equal_values_are_one)
{
    begin();
    const int32_t x = add(&s, mul(&s, v[0], v[1]), v[2]), y = add(&s, v[2], mul(&s, v[1], v[0]));
    give(&s, mul(&s, x, v[3]));
    give(&s, mul(&s, v[3], y));
    give(&s, op(&s, PN_OP_SQRT, mul(&s, x, x), 0));
    give(&s, op(&s, PN_OP_SQRT, mul(&s, y, x), 0));
    SIMPLIFIES(&s, 0, 3, 1, 0, 0);
}

TEST(dead_records_go)
{
    begin();
    mul(&s, add(&s, v[0], v[1]), v[2]);
    give(&s, v[3]);
    give(&s, neg(&s, v[4]));
    give(&s, constant(&s, 2.5));
    give(&s, 0);
    pn_graph g = simplified(&s, 0, 0, 0, 0, 0, __FILE__, __LINE__);
    CHECK(g.count == 5);
    CHECK(g.record[0].operation == PN_OP_CONSTANT && g.record[0].value == 0);
    CHECK(g.record[g.result[1]].operation == PN_OP_SIGN);
    pn_graph_free(&g);
}

TEST(choices)
{
    begin();
    const int32_t less = op(&s, PN_OP_LESS, v[0], v[1]), more = op(&s, PN_OP_LESS, neg(&s, v[1]), neg(&s, v[0]));
    const int32_t mask[4] = {less, more, op(&s, PN_OP_LESS, constant(&s, 1), constant(&s, 2)),
                             op(&s, PN_OP_LESS, neg(&s, v[0]), constant(&s, 0.5))};
    const int32_t branch[3] = {mul(&s, v[2], v[3]), mul(&s, v[4], v[5]), neg(&s, mul(&s, v[2], v[3]))};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 9; i++)
            give(&s, small_add(&s, (pn_record){.operation = PN_OP_SELECT, .a = mask[k], .b = branch[i / 3],
                                               .c = branch[i % 3]}));
    pn_graph g = simplified(&s, 0, 2, 0, 0, 0, __FILE__, __LINE__);
    int selects = 0, masks = 0;
    for (int32_t i = 0; i < g.count; i++) {
        selects += g.record[i].operation == PN_OP_SELECT;
        masks += g.record[i].operation == PN_OP_LESS;
    }
    /* x and -x, x and y, y and x, y and -x, -x and y: with either of the two masks that depend on the state */
    CHECK(masks == 2);
    CHECK(selects == 2 * 5);
    pn_graph_free(&g);
}

TEST(other_functions)
{
    begin();
    const int32_t x = mul(&s, v[0], v[1]), y = mul(&s, v[2], v[3]);
    give(&s, op(&s, PN_OP_ATAN2, x, y));
    give(&s, op(&s, PN_OP_ATAN2, neg(&s, x), y));
    give(&s, op(&s, PN_OP_SQRT, neg(&s, neg(&s, mul(&s, x, x))), 0));
    give(&s, op(&s, PN_OP_SQRT, mul(&s, neg(&s, x), neg(&s, x)), 0));
    pn_graph g = simplified(&s, 0, 3, 0, 0, 0, __FILE__, __LINE__);
    int angles = 0;
    for (int32_t i = 0; i < g.count; i++) angles += g.record[i].operation == PN_OP_ATAN2;
    CHECK(angles == 1 && count_of(&g).sqrt == 1);
    pn_graph_free(&g);
}

TEST(names_stay_with_their_values)
{
    begin();
    const int32_t x = sub(&s, v[0], v[1]), again = sub(&s, v[0], v[1]), other = sub(&s, v[2], v[3]);
    s.record[x].body = 2;
    s.record[x].pass = PN_PASS_OUTWARDS;
    s.record[again].symbol = "w";
    s.record[again].component = 2;
    s.record[again].body = 2;
    s.record[neg(&s, other)].symbol = "u";
    give(&s, mul(&s, x, v[4]));
    give(&s, mul(&s, again, v[5]));
    give(&s, mul(&s, s.count - 3, v[6]));
    pn_graph g = simplified(&s, 0, 3, 2, 0, 0, __FILE__, __LINE__);
    int named = 0;
    for (int32_t i = 0; i < g.count; i++) {
        const pn_record *r = &g.record[i];
        if (r->symbol && strcmp(r->symbol, "w") == 0)
            named += r->component == 2 && r->body == 2 && r->pass == PN_PASS_OUTWARDS && g.record[r->a].b == 0;
        /* v[3] - v[2] has the name, v[2] - v[3] has not */
        if (r->symbol && strcmp(r->symbol, "u") == 0) named += 10 * (g.record[r->a].b == 3);
    }
    CHECK(named == 11);
    pn_graph_free(&g);
}

/* ---- what rounds otherwise ---- */

TEST(terms_that_cancel)
{
    const unsigned flags = PN_SIMPLIFY_CANCEL;
    begin();
    const int32_t x = mul(&s, v[0], v[1]), y = mul(&s, v[2], v[3]), sum = add(&s, x, y);
    give(&s, sub(&s, sum, y));
    give(&s, sub(&s, x, sum));
    give(&s, sub(&s, add(&s, v[4], y), add(&s, v[5], y)));
    SIMPLIFIES(&s, 0, 2, 6, 0, 0);
    SIMPLIFIES(&s, flags, 2, 1, 0, 0);

    begin();
    give(&s, add(&s, add(&s, v[0], constant(&s, 0.3)), constant(&s, 0.4)));
    SIMPLIFIES(&s, flags, 0, 1, 0, 0);
    begin();
    give(&s, add(&s, mul(&s, constant(&s, 0.3), v[0]), mul(&s, v[0], constant(&s, 0.4))));
    give(&s, sub(&s, v[1], mul(&s, constant(&s, 0.3), v[1])));
    give(&s, mul(&s, constant(&s, 0.3), mul(&s, constant(&s, 0.7), v[2])));
    SIMPLIFIES(&s, flags, 3, 0, 0, 0);
}

TEST(products_and_sums_that_merge)
{
    const unsigned flags = PN_SIMPLIFY_CANCEL;
    const double c[2] = {0.3, 0.4};
    for (int k = 0; k < 2; k++) {
        /* w x I w of a body that is the same about two axes */
        begin();
        const int32_t cx = mul(&s, constant(&s, 0.3), v[0]), cy = mul(&s, constant(&s, c[k]), v[1]);
        give(&s, sub(&s, mul(&s, v[0], cy), mul(&s, v[1], cx)));
        SIMPLIFIES(&s, 0, 4, 1, 0, 0);
        SIMPLIFIES(&s, flags, 2 * k, 0, 0, 0);
    }
    begin();
    const int32_t x = mul(&s, v[0], v[1]), y = mul(&s, v[2], v[3]);
    give(&s, add(&s, mul(&s, constant(&s, 0.3), add(&s, x, y)), mul(&s, constant(&s, 0.9), sub(&s, y, x))));
    SIMPLIFIES(&s, 0, 4, 3, 0, 0);
    SIMPLIFIES(&s, flags, 4, 1, 0, 0);
}

TEST(common_factors)
{
    const unsigned flags = PN_SIMPLIFY_REASSOCIATE;
    begin();
    give(&s, sub(&s, mul(&s, v[0], v[1]), mul(&s, v[2], v[0])));
    SIMPLIFIES(&s, PN_SIMPLIFY_CANCEL, 2, 1, 0, 0);
    SIMPLIFIES(&s, flags, 1, 1, 0, 0);
    begin();
    give(&s, add(&s, mul(&s, v[0], v[1]), add(&s, v[3], mul(&s, v[2], v[0]))));
    SIMPLIFIES(&s, flags, 1, 2, 0, 0);
    /* not where a product is needed anyway */
    begin();
    const int32_t x = mul(&s, v[0], v[1]);
    give(&s, x);
    give(&s, sub(&s, x, mul(&s, v[2], v[0])));
    SIMPLIFIES(&s, flags, 2, 1, 0, 0);
}

/* ---- angles ---- */

/* the sine and cosine of two angles, and what sums make of them */
static void begin_angles(int32_t *c1, int32_t *s1, int32_t *c2, int32_t *s2)
{
    begin();
    *c1 = op(&s, PN_OP_COS, q[0], 0);
    *s1 = op(&s, PN_OP_SIN, q[0], 0);
    *c2 = op(&s, PN_OP_COS, q[1], 0);
    *s2 = op(&s, PN_OP_SIN, q[1], 0);
}

TEST(angles_add_up)
{
    int32_t c1, s1, c2, s2;
    for (int minus = 0; minus < 2; minus++) {
        begin_angles(&c1, &s1, &c2, &s2);
        const int32_t turn = minus ? neg(&s, s2) : s2;
        give(&s, sub(&s, mul(&s, c1, c2), mul(&s, s1, turn)));
        give(&s, add(&s, mul(&s, s1, c2), mul(&s, turn, c1)));
        SIMPLIFIES(&s, 0, 4, 2, 0, 4);
        SIMPLIFIES(&s, PN_SIMPLIFY_ANGLE_SUMS, 0, 1, 0, 2);
    }
    /* one more angle is too much for one product less */
    begin_angles(&c1, &s1, &c2, &s2);
    give(&s, sub(&s, mul(&s, c1, c2), mul(&s, s1, s2)));
    give(&s, c1);
    give(&s, s2);
    SIMPLIFIES(&s, PN_SIMPLIFY_ANGLE_SUMS, 2, 1, 0, 4);
}

TEST(a_vector_turned_twice)
{
    int32_t c1, s1, c2, s2;
    for (int factor = 0; factor < 2; factor++) {
        begin_angles(&c1, &s1, &c2, &s2);
        const int32_t a = mul(&s, v[0], v[1]), b = factor ? 0 : mul(&s, v[2], v[3]);
        const int32_t x = add(&s, mul(&s, a, c1), mul(&s, b, s1)), y = sub(&s, mul(&s, b, c1), mul(&s, a, s1));
        give(&s, add(&s, mul(&s, x, c2), mul(&s, y, s2)));
        give(&s, sub(&s, mul(&s, y, c2), mul(&s, x, s2)));
        SIMPLIFIES(&s, 0, factor ? 7 : 10, factor ? 2 : 4, 0, 4);
        SIMPLIFIES(&s, PN_SIMPLIFY_ANGLE_SUMS, factor ? 3 : 6, factor ? 1 : 3, 0, 2);
    }
}

TEST(a_turn_and_its_inverse)
{
    int32_t c1, s1, c2, s2;
    begin_angles(&c1, &s1, &c2, &s2);
    give(&s, add(&s, mul(&s, c1, c1), mul(&s, s1, s1)));
    /* m c c + m s s */
    give(&s, add(&s, mul(&s, mul(&s, v[0], c2), c2), mul(&s, s2, mul(&s, s2, v[0]))));
    SIMPLIFIES(&s, 0, 6, 2, 0, 4);
    SIMPLIFIES(&s, PN_SIMPLIFY_ANGLE_SUMS, 0, 0, 0, 0);
}

TEST(quarter_turns)
{
    const double quarter = 1.57079632679489661923;
    begin();
    for (int k = -4; k <= 4; k++) {
        const int32_t angle = add(&s, q[0], constant(&s, k * quarter));
        give(&s, op(&s, PN_OP_SIN, angle, 0));
        give(&s, op(&s, PN_OP_COS, angle, 0));
    }
    SIMPLIFIES(&s, PN_SIMPLIFY_ANGLE_SUMS, 0, 0, 0, 2);
    /* also within a sum */
    begin();
    const int32_t turned = sub(&s, constant(&s, quarter), add(&s, q[0], q[1]));
    give(&s, op(&s, PN_OP_SIN, sub(&s, add(&s, q[0], constant(&s, 2 * quarter)), q[1]), 0));
    give(&s, op(&s, PN_OP_COS, sub(&s, turned, q[2]), 0));
    SIMPLIFIES(&s, PN_SIMPLIFY_ANGLE_SUMS, 0, 3, 0, 2);
    /* nearly one is none */
    begin();
    give(&s, op(&s, PN_OP_SIN, add(&s, q[0], constant(&s, 1.5708)), 0));
    SIMPLIFIES(&s, PN_SIMPLIFY_ANGLE_SUMS, 0, 1, 0, 1);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(zeros_and_ones);
    RUN(constants_are_folded);
    RUN(constants_of_either_sign_are_one);
    RUN(powers_of_two);
    RUN(a_quotient_of_equals_stays);
    RUN(signs_move_out);
    RUN(sines_of_negatives);
    RUN(equal_values_are_one);
    RUN(dead_records_go);
    RUN(choices);
    RUN(other_functions);
    RUN(names_stay_with_their_values);
    RUN(terms_that_cancel);
    RUN(products_and_sums_that_merge);
    RUN(common_factors);
    RUN(angles_add_up);
    RUN(a_vector_turned_twice);
    RUN(a_turn_and_its_inverse);
    RUN(quarter_turns);
    return CHECK_END();
}
