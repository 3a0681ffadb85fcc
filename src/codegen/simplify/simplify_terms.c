/* Sums in fewer operations than they were written down with, where another rounding is allowed.
 *
 * Cancelling merges what is the same: the sum then has fewer roundings than before. With PN_SIMPLIFY_REASSOCIATE common
 * factors are taken out, too. No rule takes more operations than there were; those that could, because a value that
 * they leave behind is needed elsewhere, ask how often it is used. */
#include "codegen/simplify/simplify.h"

/* long sums that cancel term by term would fill the stack */
enum { DEPTH = 50 };

/* (-x + y) + x is y, (x + c) + d is x + (c + d) */
static int cancel_within(pn_builder *b, pn_expr x, pn_expr y, pn_expr *sum)
{
    const pn_record *r = pn_node_of(b, y);
    if (r->operation != PN_OP_ADD) return 0;
    const pn_expr p = r->a ^ (y & 1), q = r->b ^ (y & 1);
    if (p == pn_negative(x) || q == pn_negative(x)) {
        *sum = p == pn_negative(x) ? q : p;
        return 1;
    }
    if (!pn_is_constant(b, x) || !pn_is_constant(b, q)) return 0;
    *sum = pn_build_add(b, p, pn_build_constant(b, pn_constant_of(b, x) + pn_constant_of(b, q)));
    return 1;
}

/* (x + z) + (y - z) is x + y */
static int cancel_between(pn_builder *b, pn_expr x, pn_expr y, pn_expr *sum)
{
    const pn_record *r = pn_node_of(b, x), *s = pn_node_of(b, y);
    if (r->operation != PN_OP_ADD || s->operation != PN_OP_ADD) return 0;
    const pn_expr p[2] = {r->a ^ (x & 1), r->b ^ (x & 1)}, q[2] = {s->a ^ (y & 1), s->b ^ (y & 1)};
    for (int k = 0; k < 4; k++) {
        if (p[k & 1] != (q[k >> 1] ^ 1)) continue;
        *sum = pn_build_add(b, p[1 - (k & 1)], q[1 - (k >> 1)]);
        return 1;
    }
    return 0;
}

/* c x + d x is (c + d) x */
static int merge_multiples(pn_builder *b, pn_expr x, pn_expr y, pn_expr *sum)
{
    pn_expr of_x = x, of_y = y;
    double c = pn_scale_of(b, x, &of_x), d = pn_scale_of(b, y, &of_y);
    if (c == 0) c = 1;
    if (d == 0) d = 1;
    if (of_x >> 1 != of_y >> 1) return 0;
    *sum = pn_build_mul(b, of_x, pn_build_constant(b, of_x == of_y ? c + d : c - d));
    return 1;
}

/* a product as a constant times two others, in the order of nodes; 0: it is none */
static double factors_of(const pn_builder *b, pn_expr x, pn_expr factor[2])
{
    const pn_record *r = pn_node_of(b, x);
    double c = 1;
    if (r->operation != PN_OP_MUL || pn_is_constant(b, r->a)) return 0;
    for (int k = 0; k < 2; k++) {
        pn_expr rest = k ? r->b : r->a;
        const double scale = pn_scale_of(b, rest, &rest);
        if (scale != 0) c *= scale;
        if (rest & 1) c = -c;
        factor[k] = rest & ~1;
    }
    if (factor[0] > factor[1]) {
        const pn_expr swap = factor[0];
        factor[0] = factor[1];
        factor[1] = swap;
    }
    return x & 1 ? -c : c;
}

/* x (c y) + (d x) y is (c + d) (x y): nothing where c = -d, as for a body that is the same about two axes */
static int merge_products(pn_builder *b, pn_expr x, pn_expr y, pn_expr *sum)
{
    pn_expr p[2], q[2];
    const double c = factors_of(b, x, p), d = c != 0 ? factors_of(b, y, q) : 0;
    if (d == 0 || p[0] != q[0] || p[1] != q[1]) return 0;
    if (c + d != 0 && !(pn_once(b, x) && pn_once(b, y))) return 0;
    if (c + d == 0) {
        *sum = 0;
    } else {
        const pn_expr product = pn_build_mul(b, p[0], p[1]); /* before the constant, on every compiler alike */
        *sum = pn_build_mul(b, pn_build_constant(b, c + d), product);
    }
    return 1;
}

/* c (x + y) + d (x - y) is (c + d) x + (c - d) y, where at least one of the two sums is needed for nothing else */
static int merge_sums(pn_builder *b, pn_expr x, pn_expr y, pn_expr *sum)
{
    pn_expr u, v;
    if (!pn_once(b, x) || !pn_once(b, y)) return 0;
    const double c = pn_scale_of(b, x, &u), d = c != 0 ? pn_scale_of(b, y, &v) : 0;
    if (d == 0 || (!pn_once(b, u) && !pn_once(b, v))) return 0;
    const pn_record *r = pn_node_of(b, u), *s = pn_node_of(b, v);
    if (r->operation != PN_OP_ADD || s->operation != PN_OP_ADD || r->a != s->a || r->b != (s->b ^ 1)) return 0;
    const pn_expr p = r->a, q = r->b;
    if (pn_is_constant(b, q)) return 0;
    const double of_u = u & 1 ? -c : c, of_v = v & 1 ? -d : d;
    const pn_expr first = pn_build_mul(b, pn_build_constant(b, of_u + of_v), p);
    *sum = pn_build_add(b, first, pn_build_mul(b, pn_build_constant(b, of_u - of_v), q));
    return 1;
}

/* x y + x z is x (y + z), where neither product is needed elsewhere */
static int take_factor(pn_builder *b, pn_expr x, pn_expr y, pn_expr *sum)
{
    const pn_record *r = pn_node_of(b, x), *s = pn_node_of(b, y);
    if (r->operation != PN_OP_MUL || s->operation != PN_OP_MUL || !pn_once(b, x) || !pn_once(b, y)) return 0;
    const pn_expr p[2] = {r->a, r->b}, q[2] = {s->a, s->b};
    for (int k = 0; k < 4; k++) {
        if (p[k & 1] != q[k >> 1]) continue;
        const pn_expr rest = pn_build_add(b, p[1 - (k & 1)] ^ (x & 1), q[1 - (k >> 1)] ^ (y & 1));
        *sum = pn_build_mul(b, p[k & 1], rest);
        return 1;
    }
    return 0;
}

/* (z + x y) + x w is z + x (y + w) */
static int take_factor_within(pn_builder *b, pn_expr x, pn_expr y, pn_expr *sum)
{
    const pn_record *r = pn_node_of(b, y);
    if (r->operation != PN_OP_ADD || !pn_once(b, y)) return 0;
    const pn_expr p = r->a ^ (y & 1), q = r->b ^ (y & 1);
    pn_expr part;
    if (take_factor(b, x, p, &part)) *sum = pn_build_add(b, q, part);
    else if (take_factor(b, x, q, &part)) *sum = pn_build_add(b, p, part);
    else return 0;
    return 1;
}

static int apply_rules(pn_builder *b, pn_expr x, pn_expr y, pn_expr *sum)
{
    if (cancel_within(b, x, y, sum) || cancel_within(b, y, x, sum) || cancel_between(b, x, y, sum)) return 1;
    if (merge_multiples(b, x, y, sum) || merge_products(b, x, y, sum) || merge_sums(b, x, y, sum)) return 1;
    if (!(b->flags & PN_SIMPLIFY_REASSOCIATE)) return 0;
    return take_factor(b, x, y, sum) || take_factor_within(b, x, y, sum) || take_factor_within(b, y, x, sum);
}

int pn_build_terms(pn_builder *b, pn_expr x, pn_expr y, pn_expr *sum)
{
    if (b->depth == DEPTH) return 0;
    b->depth++;
    const int applied = apply_rules(b, x, y, sum);
    b->depth--;
    return applied;
}
