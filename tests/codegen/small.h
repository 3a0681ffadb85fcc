/* Computations of a few records, written down by hand. */
#ifndef PN_SMALL_H
#define PN_SMALL_H

#include "computed.h"

enum { SMALL = 400 };

typedef struct small {
    pn_record record[SMALL];
    int32_t result[SMALL];
    int32_t count;
    size_t results;
} small;

static inline int32_t small_add(small *s, pn_record r)
{
    s->record[s->count] = r;
    return s->count++;
}

/* record 0 is the constant 0 */
static inline void small_begin(small *s)
{
    s->count = 0;
    s->results = 0;
    small_add(s, (pn_record){.operation = PN_OP_CONSTANT});
}

static inline int32_t constant(small *s, double value)
{
    return small_add(s, (pn_record){.operation = PN_OP_CONSTANT, .value = value});
}

static inline int32_t input(small *s, int array, int entry)
{
    return small_add(s, (pn_record){.operation = PN_OP_INPUT, .a = array, .b = entry});
}

static inline int32_t op(small *s, pn_operation operation, int32_t a, int32_t b)
{
    return small_add(s, (pn_record){.operation = (uint8_t)operation, .a = a, .b = b});
}

static inline int32_t add(small *s, int32_t a, int32_t b)
{
    return op(s, PN_OP_ADD, a, b);
}
static inline int32_t mul(small *s, int32_t a, int32_t b)
{
    return op(s, PN_OP_MUL, a, b);
}
static inline int32_t neg(small *s, int32_t a)
{
    return op(s, PN_OP_SIGN, a, 0);
}
static inline int32_t sub(small *s, int32_t a, int32_t b)
{
    return add(s, a, neg(s, b));
}

static inline void give(small *s, int32_t result)
{
    s->result[s->results++] = result;
}

static inline pn_graph small_graph(small *s)
{
    const pn_graph view = {s->record, s->count, s->result, s->results};
    pn_graph g = graph_copy(&view);
    pn_graph_mark(&g);
    return g;
}

static inline state small_state(uint64_t *seed)
{
    state s;
    for (int k = 0; k < PN_IN_COUNT; k++) {
        s.in[k] = calloc(20, sizeof(double));
        for (int i = 0; i < 20; i++) s.in[k][i] = check_between(seed, -2, 2);
    }
    return s;
}

/* Simplifies: it takes so many multiplications, additions, divisions, sines and cosines then, and gives the same. */
static inline pn_graph simplified(small *s, unsigned flags, int m, int a, int d, int t, const char *file, int line)
{
    pn_graph before = small_graph(s), after = small_graph(s);
    CHECK_STATUS(pn_simplify(&after, flags), PINION_OK);
    const pinion_operations n = count_of(&after);
    check_count++;
    if (n.mul != m || n.add != a || n.div != d || n.trig != t)
        CHECK_FAIL("%s:%d: %g mul %g add %g div %g trig", file, line, n.mul, n.add, n.div, n.trig);
    uint64_t seed = check_seed;
    for (int k = 0; k < 3; k++) {
        state at = small_state(&seed);
        double *x = values_of(&before, &at, NULL), *y = values_of(&after, &at, NULL);
        for (size_t i = 0; i < before.results; i++) {
            const double tolerance = flags ? 4e-15 * (1 + fabs(x[i])) : 0;
            check_count++;
            if (!(fabs(x[i] - y[i]) <= tolerance))
                CHECK_FAIL("%s:%d: result %d is %.17g, was %.17g", file, line, (int)i, y[i], x[i]);
        }
        free(x);
        free(y);
        state_free(&at);
    }
    pn_graph_free(&before);
    return after;
}

#define SIMPLIFIES(s, flags, m, a, d, t)                                                                     \
    do {                                                                                                     \
        pn_graph simplified_ = simplified(s, flags, m, a, d, t, __FILE__, __LINE__);                         \
        pn_graph_free(&simplified_);                                                                         \
    } while (0)

#endif
