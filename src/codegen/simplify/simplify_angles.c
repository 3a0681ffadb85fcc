/* Sines and cosines of sums: what two joints with parallel axes turn one after the other is turned once by the sum of
 * their angles.
 *
 * A node may be a turned value: A cos(p) + B sin(p), of an angle p and two others A and B; cos(p) itself has A = 1 and
 * B = 0. With its partner B cos(p) - A sin(p) as y, x cos(r) + y sin(r) is the same A and B turned by p + r, and
 * x cos(r) - y sin(r) by p - r. Each such node could be computed from A and B at once: with the sine and cosine of one
 * angle more, but often without the values between, and without the angles that they needed. Which sums of angles are
 * taken is decided by what everything costs then. */
#include "codegen/simplify/simplify.h"
#include <stdlib.h>
#include <string.h>

enum {
    TERMS = 12,      /* angles of joints in a sum */
    MOST = 2000,     /* sums of angles */
    TABLE = 8192,    /* their hash table */
    READINGS = 3,    /* ways in which one node is a turned value */
    SINCOS = 20,     /* operations that a sine and a cosine of one angle are worth */
    WORK = 1200000   /* nodes that may be built to find out which sums pay */
};

/* a sum of values, each a whole number of times, and a constant */
typedef struct pn_angle_sum {
    int32_t node[TERMS], times[TERMS];
    int terms;
    double offset;
} pn_angle_sum;

/* A cos(angle) + B sin(angle) */
typedef struct pn_turned {
    pn_expr a, b;
    int32_t angle;
    int32_t composed; /* found by adding angles up */
} pn_turned;

typedef struct pn_angles {
    const pn_builder *from;
    pn_turned *turned; /* [node][READINGS]; angle -1: no more */
    pn_angle_sum *angle;
    int32_t count;
    int32_t slot[TABLE];           /* angle + 1 */
    unsigned char wanted[MOST];    /* some node could be turned by it at once */
    unsigned char taken[MOST];     /* and is */
    pn_expr one;                  /* the constant 1 */
} pn_angles;

/* ---- angles ---- */

/* the number of an angle, -1: there is no room */
static int32_t angle_number(pn_angles *s, const pn_angle_sum *x)
{
    uint64_t h = (uint64_t)x->terms, bits;
    memcpy(&bits, &x->offset, sizeof bits);
    h = (h ^ bits) * 0x9e3779b97f4a7c15u;
    for (int k = 0; k < x->terms; k++) {
        h = (h ^ h >> 31 ^ (uint32_t)x->node[k]) * 0xbf58476d1ce4e5b9u;
        h = (h ^ h >> 31 ^ (uint32_t)x->times[k]) * 0xbf58476d1ce4e5b9u;
    }
    for (uint32_t at = (uint32_t)(h >> 40) % TABLE;; at = (at + 1) % TABLE) {
        const int32_t known = s->slot[at] - 1;
        if (known < 0) {
            if (s->count == MOST) return -1;
            s->angle[s->count] = *x;
            s->slot[at] = ++s->count;
            return s->count - 1;
        }
        const pn_angle_sum *y = &s->angle[known];
        const size_t bytes = (size_t)x->terms * sizeof x->node[0];
        if (x->terms == y->terms && x->offset == y->offset && memcmp(x->node, y->node, bytes) == 0 &&
            memcmp(x->times, y->times, bytes) == 0)
            return known;
    }
}

/* x += times * node, in the order of nodes; 0: too many */
static int angle_add(pn_angle_sum *x, int32_t node, int32_t times)
{
    int k = 0;
    while (k < x->terms && x->node[k] < node) k++;
    if (k < x->terms && x->node[k] == node) {
        x->times[k] += times;
        if (x->times[k] != 0) return 1;
        x->terms--;
        for (; k < x->terms; k++) {
            x->node[k] = x->node[k + 1];
            x->times[k] = x->times[k + 1];
        }
        return 1;
    }
    if (x->terms == TERMS) return 0;
    for (int j = x->terms++; j > k; j--) {
        x->node[j] = x->node[j - 1];
        x->times[j] = x->times[j - 1];
    }
    x->node[k] = node;
    x->times[k] = times;
    return 1;
}

/* an argument of a sine, as a sum of inputs and whatever else */
static int angle_read(const pn_builder *b, pn_expr x, int depth, pn_angle_sum *out)
{
    const pn_record *r = pn_node_of(b, x);
    const pn_expr sign = x & 1;
    if (r->operation == PN_OP_CONSTANT) {
        out->offset += pn_constant_of(b, x);
        return 1;
    }
    if (r->operation == PN_OP_ADD && depth < TERMS)
        return angle_read(b, r->a ^ sign, depth + 1, out) && angle_read(b, r->b ^ sign, depth + 1, out);
    return angle_add(out, x >> 1, sign ? -1 : 1);
}

/* p + times * r */
static int32_t angle_sum(pn_angles *s, int32_t p, int32_t r, int times)
{
    pn_angle_sum sum = s->angle[p];
    const pn_angle_sum *y = &s->angle[r];
    sum.offset += times * y->offset;
    for (int k = 0; k < y->terms; k++)
        if (!angle_add(&sum, y->node[k], times * y->times[k])) return -1;
    return angle_number(s, &sum);
}

/* ---- turned values ---- */

static void add_reading(pn_angles *s, int32_t node, pn_expr a, pn_expr b, int32_t angle, int composed)
{
    pn_turned *x = &s->turned[(size_t)node * READINGS];
    for (int k = 0; k < READINGS; k++) {
        if (x[k].angle >= 0) continue;
        x[k].a = a;
        x[k].b = b;
        x[k].angle = angle;
        x[k].composed = composed;
        return;
    }
}

static pn_turned reading(const pn_angles *s, pn_expr x, int k)
{
    pn_turned t = s->turned[(size_t)(x >> 1) * READINGS + (size_t)k];
    if (x & 1) {
        t.a = pn_negative(t.a);
        t.b = pn_negative(t.b);
    }
    return t;
}

/* x as the cosine (1) or the sine (-1) of an angle, up to a sign; 0: neither */
static int unit(const pn_angles *s, pn_expr x, int k, int32_t *angle, pn_expr *sign)
{
    const pn_turned t = reading(s, x, k);
    *angle = t.angle;
    if (t.angle < 0) return 0;
    *sign = (t.a | t.b) & 1;
    if (t.b == 0 && (t.a & ~1) == s->one) return 1;
    return t.a == 0 && (t.b & ~1) == s->one ? -1 : 0;
}

static void read_product(pn_angles *s, int32_t node, const pn_record *r)
{
    for (int side = 0; side < 2; side++) {
        const pn_expr x = side ? r->a : r->b, y = side ? r->b : r->a;
        for (int k = 0; k < READINGS; k++) {
            int32_t angle;
            pn_expr sign;
            const int is = unit(s, x, k, &angle, &sign);
            if (is == 0) continue;
            const pn_expr factor = sign ? pn_negative(y) : y;
            add_reading(s, node, is > 0 ? factor : 0, is > 0 ? 0 : factor, angle, 0);
        }
    }
}

/* x cos(r) + y sin(r), where x and y are partners */
static void compose(pn_angles *s, int32_t node, pn_expr x, pn_expr y, int32_t r)
{
    for (int i = 0; i < READINGS; i++) {
        const pn_turned p = reading(s, x, i);
        if (p.angle < 0) return;
        for (int j = 0; j < READINGS; j++) {
            const pn_turned q = reading(s, y, j);
            if (q.angle != p.angle) continue;
            const int with = q.a == p.b && q.b == pn_negative(p.a), against = q.a == pn_negative(p.b) && q.b == p.a;
            if (!with && !against) continue;
            const int32_t sum = angle_sum(s, p.angle, r, with ? 1 : -1);
            if (sum < 0) continue;
            s->wanted[sum] = 1;
            add_reading(s, node, p.a, p.b, sum, 1);
            return;
        }
    }
}

/* a sum of two products: every way in which one has a cosine and the other a sine of the same angle */
static void read_sum_of_products(pn_angles *s, int32_t node, pn_expr p, pn_expr q)
{
    const pn_record *x = pn_node_of(s->from, p), *y = pn_node_of(s->from, q);
    if (x->operation != PN_OP_MUL || y->operation != PN_OP_MUL) return;
    for (int way = 0; way < 4; way++) {
        const pn_expr trig_x = way & 1 ? x->a : x->b, rest_x = (way & 1 ? x->b : x->a) ^ (p & 1);
        const pn_expr trig_y = way & 2 ? y->a : y->b, rest_y = (way & 2 ? y->b : y->a) ^ (q & 1);
        for (int k = 0; k < READINGS * READINGS; k++) {
            int32_t angle_x, angle_y;
            pn_expr sign_x = 0, sign_y = 0;
            const int is_x = unit(s, trig_x, k % READINGS, &angle_x, &sign_x);
            const int is_y = unit(s, trig_y, k / READINGS, &angle_y, &sign_y);
            if (is_x * is_y != -1 || angle_x != angle_y) continue;
            const pn_expr u = rest_x ^ sign_x, v = rest_y ^ sign_y;
            if (is_x > 0) compose(s, node, u, v, angle_x);
            else compose(s, node, v, u, angle_x);
        }
    }
}

/* parts along the cosine and the sine of one angle */
static void read_sum(pn_angles *s, int32_t node, const pn_record *r)
{
    read_sum_of_products(s, node, r->a, r->b);
    for (int i = 0; i < READINGS; i++) {
        const pn_turned p = reading(s, r->a, i);
        for (int j = 0; p.angle >= 0 && j < READINGS; j++) {
            const pn_turned q = reading(s, r->b, j);
            if (q.angle != p.angle) continue;
            if (p.b == 0 && q.a == 0) add_reading(s, node, p.a, q.b, p.angle, 0);
            if (p.a == 0 && q.b == 0) add_reading(s, node, q.a, p.b, p.angle, 0);
        }
    }
}

static void read_nodes(pn_angles *s)
{
    for (int32_t i = 1; i < s->from->count; i++) {
        const pn_record *r = &s->from->node[i];
        if (r->operation == PN_OP_MUL) read_product(s, i, r);
        if (r->operation == PN_OP_ADD) read_sum(s, i, r);
        if (r->operation != PN_OP_SIN && r->operation != PN_OP_COS) continue;
        pn_angle_sum x;
        memset(&x, 0, sizeof x);
        const int32_t angle = angle_read(s->from, r->a, 0, &x) ? angle_number(s, &x) : -1;
        if (angle < 0) continue;
        add_reading(s, i, r->operation == PN_OP_COS ? s->one : 0, r->operation == PN_OP_SIN ? s->one : 0, angle, 0);
    }
}

/* ---- what it is worth ---- */

static pn_expr angle_value(pn_builder *b, const pn_angle_sum *x, const pn_expr *value)
{
    pn_expr sum = 0;
    for (int k = 0; k < x->terms; k++) {
        const int32_t times = x->times[k] < 0 ? -x->times[k] : x->times[k];
        pn_expr term = pn_build_mul(b, value[x->node[k]], pn_build_constant(b, times));
        if (x->times[k] < 0) term = pn_negative(term);
        sum = pn_build_add(b, sum, term);
    }
    return pn_build_add(b, sum, pn_build_constant(b, x->offset));
}

/* x, or -x where the other value is negative */
static pn_expr with_sign(pn_expr x, pn_expr other)
{
    return other & 1 ? pn_negative(x) : x;
}

/* all nodes once more, those of the angles that are taken from A and B at once; 0: out of memory */
static int build_turned(const pn_angles *s, pn_builder *b, pn_expr *value)
{
    value[s->one >> 1] = pn_build_constant(b, 1); /* it may be the last of all nodes */
    for (int32_t i = 1; i < s->from->count && !b->failed; i++) {
        const pn_record *r = &s->from->node[i];
        const pn_turned *t = &s->turned[(size_t)i * READINGS];
        const int32_t known = b->count;
        b->from = r;
        if (r->operation == PN_OP_CONSTANT) {
            value[i] = pn_build_constant(b, r->value);
        } else if (r->operation == PN_OP_INPUT) {
            value[i] = pn_build(b, PN_OP_INPUT, r->a, r->b, 0);
        } else if (t->angle >= 0 && t->composed && s->taken[t->angle]) {
            const pn_expr angle = angle_value(b, &s->angle[t->angle], value);
            const pn_expr x = with_sign(value[t->a >> 1], t->a), y = with_sign(value[t->b >> 1], t->b);
            const pn_expr c = x ? pn_build(b, PN_OP_COS, angle, 0, 0) : 0;
            const pn_expr sine = y ? pn_build(b, PN_OP_SIN, angle, 0, 0) : 0;
            /* one after the other: nodes are numbered as they are built, on every compiler alike */
            const pn_expr of_x = pn_build_mul(b, x, c), of_y = pn_build_mul(b, y, sine);
            value[i] = pn_build_add(b, of_x, of_y);
        } else {
            pn_expr operand[3] = {r->a, r->b, r->c};
            for (int k = 0; k < 3; k++) {
                const int there = k < pn_operands((pn_operation)r->operation);
                operand[k] = there ? with_sign(value[operand[k] >> 1], operand[k]) : 0;
            }
            value[i] = pn_build(b, (pn_operation)r->operation, operand[0], operand[1], operand[2]);
        }
        if (value[i] >> 1 >= known) b->node[value[i] >> 1].angle = (value[i] & 1) ^ r->angle;
        pn_build_name(b, r->apart ? pn_negative(value[i]) : value[i], r);
    }
    return !b->failed;
}

/* operations that the results need; a sine and a cosine of one angle count once */
static double cost_of(const pn_builder *b, const pn_expr *value, const pn_expr *result, size_t results,
                      unsigned char *alive)
{
    double cost = 0;
    memset(alive, 0, (size_t)b->count);
    for (size_t i = 0; i < results; i++) alive[value[result[i] >> 1] >> 1] = 1;
    for (int32_t i = b->count - 1; i > 0; i--) {
        const pn_record *r = &b->node[i];
        const pn_expr operand[3] = {r->a, r->b, r->c};
        if (!(alive[i] & 1)) continue;
        for (int k = 0; k < pn_operands((pn_operation)r->operation); k++) alive[operand[k] >> 1] |= 1;
        if (r->operation == PN_OP_SIN || r->operation == PN_OP_COS) {
            cost += alive[r->a >> 1] & 2 ? 0 : SINCOS;
            alive[r->a >> 1] |= 2;
        } else {
            cost += r->operation >= PN_OP_ADD && r->operation <= PN_OP_SQRT;
        }
    }
    return cost;
}

typedef struct pn_trial {
    const pn_angles *s;
    const pn_expr *result;
    size_t results;
    pn_expr *value;
    int64_t work;
} pn_trial;

/* what it costs with the angles that are taken now; below 0: out of memory */
static double try_angles(pn_trial *t)
{
    pn_builder b;
    double cost = -1;
    if (!pn_builder_open(&b, t->s->from->count, t->s->from->flags)) return -1;
    if (build_turned(t->s, &b, t->value)) {
        unsigned char *alive = malloc((size_t)b.count);
        if (alive) cost = cost_of(&b, t->value, t->result, t->results, alive);
        free(alive);
        t->work += b.count;
    }
    pn_builder_close(&b);
    return cost;
}

/* Sets `taken`. All or none to begin with, then angle by angle while that pays and time allows. 0: out of memory. */
static int choose(pn_angles *s, pn_trial *t)
{
    const double none = try_angles(t);
    memcpy(s->taken, s->wanted, sizeof s->taken);
    const double all = try_angles(t);
    if (none < 0 || all < 0) return 0;
    double best = all < none ? all : none;
    if (all >= none) memset(s->taken, 0, sizeof s->taken);
    for (int round = 0, better = 1; round < 3 && better; round++) {
        better = 0;
        for (int32_t k = 0; k < s->count && t->work < WORK; k++) {
            if (!s->wanted[k]) continue;
            s->taken[k] ^= 1;
            const double cost = try_angles(t);
            if (cost < 0) return 0;
            if (cost < best) best = cost, better = 1;
            else s->taken[k] ^= 1;
        }
    }
    return 1;
}

static int work_out(pn_angles *s, pn_builder *b, pn_expr *result, size_t results)
{
    const size_t readings = (size_t)b->count * READINGS;
    s->from = b;
    s->one = pn_build_constant(b, 1);
    s->turned = malloc((readings + READINGS) * sizeof *s->turned);
    s->angle = malloc(MOST * sizeof *s->angle);
    pn_expr *value = calloc((size_t)b->count + 1, sizeof *value);
    int done = s->turned && s->angle && value && !b->failed;
    for (size_t k = 0; done && k < readings + READINGS; k++) s->turned[k].angle = -1;
    if (done) read_nodes(s);

    int wanted = 0;
    for (int k = 0; k < MOST; k++) wanted += s->wanted[k];
    pn_trial t = {s, result, results, value, 0};
    if (done && wanted) done = choose(s, &t);

    /* with what was chosen, in place of what there was */
    pn_builder turned;
    if (done && memchr(s->taken, 1, sizeof s->taken)) {
        done = pn_builder_open(&turned, b->count, b->flags);
        if (done) done = build_turned(s, &turned, value);
        for (size_t i = 0; done && i < results; i++) {
            result[i] = with_sign(value[result[i] >> 1], result[i]);
        }
        if (done) {
            const pn_builder old = *b;
            *b = turned;
            turned = old;
        }
        pn_builder_close(&turned);
    }
    free(value);
    return done;
}

int pn_add_angles(pn_builder *b, pn_expr *result, size_t results)
{
    pn_angles *s = calloc(1, sizeof *s);
    const int done = s && work_out(s, b, result, results);
    if (s) {
        free(s->turned);
        free(s->angle);
    }
    free(s);
    return done;
}
