/* Values in their simplest form: local rules, and one node for equal values. Without flags no rule changes a rounding.
 *
 * Products with 0 are 0 (kernels meet no infinities), and zeros have no sign. */
#include "codegen/simplify/simplify.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* what lets constants be gathered */
#define ANY_ROUNDING (PN_SIMPLIFY_CANCEL | PN_SIMPLIFY_REASSOCIATE)

int pn_builder_open(pn_builder *b, int32_t about, unsigned flags)
{
    memset(b, 0, sizeof *b);
    b->flags = flags;
    b->capacity = about < 1000 ? 1000 : about;
    for (b->slots = 2048; b->slots < 2 * (uint32_t)b->capacity; b->slots *= 2)
        ;
    b->node = malloc((size_t)b->capacity * sizeof *b->node);
    b->slot = calloc(b->slots, sizeof *b->slot);
    b->uses = calloc((size_t)b->capacity, sizeof *b->uses);
    if (!b->node || !b->slot || !b->uses) {
        pn_builder_close(b);
        return 0;
    }
    memset(&b->node[0], 0, sizeof b->node[0]);
    b->node[0].operation = PN_OP_CONSTANT;
    b->count = 1;
    return 1;
}

void pn_builder_close(pn_builder *b)
{
    free(b->node);
    free(b->slot);
    free(b->uses);
    memset(b, 0, sizeof *b);
}

static uint32_t hash(const pn_record *r)
{
    uint64_t bits;
    memcpy(&bits, &r->value, sizeof bits);
    const uint64_t word[3] = {bits + r->operation, (uint64_t)(uint32_t)r->a << 32 | (uint32_t)r->b, (uint32_t)r->c};
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int k = 0; k < 3; k++) {
        h = (h ^ word[k]) * 0xbf58476d1ce4e5b9u;
        h ^= h >> 29;
    }
    return (uint32_t)(h ^ h >> 32);
}

static int same(const pn_record *x, const pn_record *y)
{
    return x->operation == y->operation && x->a == y->a && x->b == y->b && x->c == y->c &&
           memcmp(&x->value, &y->value, sizeof x->value) == 0;
}

static uint32_t place(const pn_builder *b, const pn_record *r)
{
    uint32_t at = hash(r) & (b->slots - 1);
    while (b->slot[at] && !same(&b->node[b->slot[at]], r)) at = (at + 1) & (b->slots - 1);
    return at;
}

/* twice the room for nodes, and a table that stays at most half full */
static int grow(pn_builder *b)
{
    if (b->capacity > INT32_MAX / 8) return 0;
    pn_record *node = realloc(b->node, 2 * (size_t)b->capacity * sizeof *node);
    if (!node) return 0;
    b->node = node;
    int32_t *uses = realloc(b->uses, 2 * (size_t)b->capacity * sizeof *uses);
    if (!uses) return 0;
    memset(uses + b->capacity, 0, (size_t)b->capacity * sizeof *uses);
    b->uses = uses;
    int32_t *slot = calloc(2 * (size_t)b->slots, sizeof *slot);
    if (!slot) return 0;
    free(b->slot);
    b->slot = slot;
    b->slots *= 2;
    b->capacity *= 2;
    for (int32_t i = 1; i < b->count; i++) b->slot[place(b, &b->node[i])] = i;
    return 1;
}

/* the node that computes this, new or known */
static pn_expr intern(pn_builder *b, pn_operation operation, int32_t x, int32_t y, int32_t z, double value)
{
    pn_record r;
    memset(&r, 0, sizeof r);
    r.operation = (uint8_t)operation;
    r.a = x;
    r.b = y;
    r.c = z;
    r.value = value;
    uint32_t at = place(b, &r);
    if (b->slot[at]) return 2 * b->slot[at];
    if (b->count == b->capacity) {
        if (!grow(b)) {
            b->failed = 1;
            return 0;
        }
        at = place(b, &r);
    }
    if (b->from) {
        r.body = b->from->body;
        r.pass = b->from->pass;
    }
    b->node[b->count] = r;
    b->slot[at] = b->count;
    return 2 * b->count++;
}

pn_expr pn_build_constant(pn_builder *b, double x)
{
    if (x == 0 || b->failed) return 0;
    const pn_expr c = intern(b, PN_OP_CONSTANT, 0, 0, 0, fabs(x));
    return x < 0 ? pn_negative(c) : c;
}

void pn_build_name(pn_builder *b, pn_expr x, const pn_record *r)
{
    pn_record *node = &b->node[x >> 1];
    if (!r->symbol || node->symbol || node->operation == PN_OP_CONSTANT || node->operation == PN_OP_INPUT) return;
    node->symbol = r->symbol;
    node->component = r->component;
    node->body = r->body;
    node->apart = x & 1;
}

static int power_of_two(double x)
{
    int exponent;
    const double part = frexp(fabs(x), &exponent);
    return part == 0.5 && exponent > -500 && exponent < 500;
}

double pn_scale_of(const pn_builder *b, pn_expr x, pn_expr *rest)
{
    const pn_record *r = pn_node_of(b, x);
    double c = 0;
    if (r->operation == PN_OP_MUL && pn_is_constant(b, r->a)) {
        c = pn_constant_of(b, r->a);
        *rest = r->b;
    } else if (r->operation == PN_OP_ADD && r->a == r->b) {
        c = 2;
        *rest = r->a;
    }
    if (c != 0 && (x & 1)) *rest = pn_negative(*rest);
    return c;
}

/* c x for a constant that is positive and not 1 */
static pn_expr scaled(pn_builder *b, double c, pn_expr x)
{
    pn_expr rest = 0;
    const double within = pn_scale_of(b, x, &rest);
    /* two constants are one, where that is exact or allowed */
    if (within != 0 && ((b->flags & ANY_ROUNDING) || power_of_two(c) || power_of_two(within))) {
        if (c * within == 1) return rest;
        return scaled(b, c * within, rest);
    }
    /* twice a value is a sum */
    const pn_expr sign = x & 1;
    if (c == 2) return intern(b, PN_OP_ADD, x ^ sign, x ^ sign, 0, 0) ^ sign;
    const pn_record *r = pn_node_of(b, x);
    if (r->operation == PN_OP_DIV && pn_is_constant(b, r->a) && power_of_two(c)) {
        const pn_expr below = r->b, above = pn_build_constant(b, c * pn_constant_of(b, r->a));
        return intern(b, PN_OP_DIV, above, below, 0, 0) ^ sign;
    }
    return intern(b, PN_OP_MUL, pn_build_constant(b, c), x ^ sign, 0, 0) ^ sign;
}

pn_expr pn_build_add(pn_builder *b, pn_expr x, pn_expr y)
{
    if (x == 0 || y == 0) return x == 0 ? y : x;
    if (pn_is_constant(b, x) && pn_is_constant(b, y))
        return pn_build_constant(b, pn_constant_of(b, x) + pn_constant_of(b, y));
    if (x == (y ^ 1)) return 0;
    if (x == y) return scaled(b, 2, x);
    pn_expr terms = 0, of_x = x, of_y = y;

    /* 2 x + 2 y is 2 (x + y), also for other powers */
    const double c = pn_once(b, x) && pn_once(b, y) ? pn_scale_of(b, x, &of_x) : 0;
    if (c != 0 && power_of_two(c) && pn_scale_of(b, y, &of_y) == c) {
        const pn_expr sum = pn_build_add(b, of_x, of_y); /* before the constant, on every compiler alike */
        return pn_build_mul(b, pn_build_constant(b, c), sum);
    }
    if ((b->flags & ANY_ROUNDING) && pn_build_terms(b, x, y, &terms)) return b->failed ? 0 : terms;

    /* constants last, else in the order of computation; the first is positive */
    if (pn_is_constant(b, x) || (x > y && !pn_is_constant(b, y))) {
        const pn_expr swap = x;
        x = y;
        y = swap;
    }
    const pn_expr sign = x & 1;
    const pn_expr sum = intern(b, PN_OP_ADD, x ^ sign, y ^ sign, 0, 0);
    return b->failed ? 0 : sum ^ sign;
}

pn_expr pn_build_mul(pn_builder *b, pn_expr x, pn_expr y)
{
    if (x == 0 || y == 0) return 0;
    /* constants first, else in the order of computation */
    if (pn_is_constant(b, y) || (x > y && !pn_is_constant(b, x))) {
        const pn_expr swap = x;
        x = y;
        y = swap;
    }
    if (pn_is_constant(b, y)) return pn_build_constant(b, pn_constant_of(b, x) * pn_constant_of(b, y));
    const pn_expr sign = (x ^ y) & 1;
    x &= ~1;
    y &= ~1;
    const double c = pn_is_constant(b, x) ? pn_node_of(b, x)->value : 0;
    const pn_expr product = c == 0 ? intern(b, PN_OP_MUL, x, y, 0, 0) : c == 1 ? y : scaled(b, c, y);
    return b->failed ? 0 : product ^ sign;
}

static pn_expr build_div(pn_builder *b, pn_expr x, pn_expr y)
{
    if (x == 0) return 0;
    if (pn_is_constant(b, y) && (pn_is_constant(b, x) || power_of_two(pn_constant_of(b, y)))) {
        if (pn_is_constant(b, x)) return pn_build_constant(b, pn_constant_of(b, x) / pn_constant_of(b, y));
        return pn_build_mul(b, x, pn_build_constant(b, 1 / pn_constant_of(b, y)));
    }
    const pn_expr sign = (x ^ y) & 1, quotient = intern(b, PN_OP_DIV, x & ~1, y & ~1, 0, 0);
    return b->failed ? 0 : quotient ^ sign;
}

/* quarter turns in a constant, from 1 to 4; 0: it is another angle */
static int turns_of(double offset)
{
    const double quarter = 1.57079632679489661923, turns = nearbyint(offset / quarter);
    if (fabs(turns) > 4 || fabs(offset - turns * quarter) > 4.5e-16 * fabs(offset)) return 0;
    return turns == 0 ? 0 : (((int)turns + 7) & 3) + 1;
}

/* the quarter turns that are a term of an angle, and the other terms; 0: there are none */
static int quarter_turns(pn_builder *b, pn_expr x, int depth, pn_expr *rest)
{
    const pn_record *r = pn_node_of(b, x);
    if (r->operation != PN_OP_ADD || depth == 8) return 0;
    const pn_expr sign = x & 1, p = r->a ^ sign, q = r->b ^ sign;
    if (pn_is_constant(b, q)) {
        *rest = p;
        return turns_of(pn_constant_of(b, q));
    }
    pn_expr part = 0;
    int turns = quarter_turns(b, p, depth + 1, &part);
    if (turns) *rest = pn_build_add(b, part, q);
    if (!turns && (turns = quarter_turns(b, q, depth + 1, &part))) *rest = pn_build_add(b, p, part);
    return turns;
}

static pn_expr build_unary(pn_builder *b, pn_operation operation, pn_expr x);

/* sine or cosine of an angle that is not negative */
static pn_expr sine_or_cosine(pn_builder *b, pn_operation operation, pn_expr x)
{
    pn_expr rest = x;
    const int turns = b->flags & PN_SIMPLIFY_ANGLE_SUMS ? quarter_turns(b, x, 0, &rest) : 0;
    if (!turns) return intern(b, operation, x, 0, 0, 0);
    const pn_operation other = operation == PN_OP_SIN ? PN_OP_COS : PN_OP_SIN;
    const pn_expr of = build_unary(b, turns & 1 ? other : operation, rest);
    /* sin(x + 1, 2, 3 quarters) = cos, -sin, -cos; cos(x + ...) = -sin, -cos, sin */
    const int negative = operation == PN_OP_SIN ? turns == 2 || turns == 3 : turns == 1 || turns == 2;
    return negative ? pn_negative(of) : of;
}

/* square root, sine, cosine */
static pn_expr build_unary(pn_builder *b, pn_operation operation, pn_expr x)
{
    if (operation == PN_OP_SIGN) return pn_negative(x);
    if (pn_is_constant(b, x)) return pn_build_constant(b, pn_constant_result(operation, pn_constant_of(b, x), 0));
    if (operation == PN_OP_SQRT) return intern(b, operation, x, 0, 0, 0);
    const pn_expr of = sine_or_cosine(b, operation, x & ~1);
    return operation == PN_OP_SIN && (x & 1) ? pn_negative(of) : of;
}

static pn_expr build_less(pn_builder *b, pn_expr x, pn_expr y)
{
    const int known_x = pn_is_constant(b, x), known_y = pn_is_constant(b, y);
    if (x == y) return 0;
    if (known_x && known_y) return pn_build_constant(b, pn_constant_of(b, x) < pn_constant_of(b, y));
    /* -x < -y is y < x, also where one of them is a constant */
    if (((x & 1) && ((y & 1) || known_y)) || ((y & 1) && known_x))
        return intern(b, PN_OP_LESS, pn_negative(y), pn_negative(x), 0, 0);
    return intern(b, PN_OP_LESS, x, y, 0, 0);
}

static pn_expr build_select(pn_builder *b, pn_expr mask, pn_expr x, pn_expr y)
{
    if (pn_is_constant(b, mask)) return mask != 0 ? x : y;
    if (x == y) return x;
    /* the first is positive; a 0 has no sign */
    if ((x & 1) || (x == 0 && (y & 1)))
        return pn_negative(intern(b, PN_OP_SELECT, mask, pn_negative(x), pn_negative(y), 0));
    return intern(b, PN_OP_SELECT, mask, x, y, 0);
}

pn_expr pn_build(pn_builder *b, pn_operation operation, pn_expr x, pn_expr y, pn_expr z)
{
    if (b->failed) return 0;
    pn_expr value = 0;
    switch (operation) {
    case PN_OP_INPUT: value = intern(b, PN_OP_INPUT, x, y, 0, 0); break;
    case PN_OP_ADD: return pn_build_add(b, x, y);
    case PN_OP_MUL: return pn_build_mul(b, x, y);
    case PN_OP_DIV: return build_div(b, x, y);
    case PN_OP_ATAN2:
        if (pn_is_constant(b, x) && pn_is_constant(b, y))
            return pn_build_constant(b, atan2(pn_constant_of(b, x), pn_constant_of(b, y)));
        /* atan2(-y, x) = -atan2(y, x) */
        value = intern(b, PN_OP_ATAN2, x & ~1, y, 0, 0);
        if (x & 1) value = pn_negative(value);
        break;
    case PN_OP_LESS: value = build_less(b, x, y); break;
    case PN_OP_SELECT: value = build_select(b, x, y, z); break;
    default: value = build_unary(b, operation, x); break;
    }
    return b->failed ? 0 : value;
}
