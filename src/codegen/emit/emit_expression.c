/* Expressions of C from records, with the parentheses that keep the recorded order of operations.
 *
 * A sign is exact, so it may stand anywhere: a sum shows it as a subtraction, a product in front. Every
 * expression is its sign and what is left of it, and in what is left no factor has a sign. */
#include "codegen/emit/emit.h"
#include <math.h>

enum { SUM = 1, PRODUCT, SIMPLE };

static const pn_record *record(const pn_code *c, int32_t i)
{
    return &c->graph->record[i];
}

static int is_written_out(const pn_code *c, int32_t i)
{
    return record(c, i)->operation != PN_OP_CONSTANT && record(c, i)->operation != PN_OP_INPUT && !c->name[i];
}

static int is_product(const pn_record *r)
{
    return r->operation == PN_OP_MUL || r->operation == PN_OP_DIV;
}

/* nonzero: what is left has to be negated. `self`: the record's own expression, also where it has a name */
static int has_sign(const pn_code *c, int32_t i, int self)
{
    int sign = 0;
    /* along first operands, so that this takes no stack */
    for (;; self = 0) {
        const pn_record *r = record(c, i);
        if (r->operation == PN_OP_CONSTANT) return sign ^ (signbit(r->value) != 0);
        if (!self && !is_written_out(c, i)) return sign;
        if (r->operation == PN_OP_SIGN)
            sign ^= 1;
        else if (is_product(r))
            sign ^= has_sign(c, r->b, 0);
        else
            return sign;
        i = r->a;
    }
}

static void emit_rest(pn_code *c, int32_t i, int self, int least);

/* with its sign; as a part of what binds as strongly as `least` */
static void emit_signed(pn_code *c, int32_t i, int self, int least)
{
    const int sign = has_sign(c, i, self);
    if (sign) pn_text_add(c->t, "-");
    emit_rest(c, i, self, sign && least < PRODUCT ? PRODUCT : least);
}

/* x + y, x - y; -x + y is written y - x */
static void emit_sum(pn_code *c, const pn_record *r)
{
    const int sign_a = has_sign(c, r->a, 0), sign_b = has_sign(c, r->b, 0);
    const int swap = sign_a && !sign_b;
    emit_signed(c, swap ? r->b : r->a, 0, SUM);
    pn_text_add(c->t, swap || sign_b ? " - " : " + ");
    emit_rest(c, swap ? r->a : r->b, 0, PRODUCT);
}

static void emit_choice(pn_code *c, const pn_record *r)
{
    const pn_record *less = record(c, r->a);
    const int plain = c->scalar != PINION_CODEGEN_REAL;
    pn_text_add(c->t, plain ? "(" : "real_select(real_lt(");
    emit_signed(c, less->a, 0, SUM);
    pn_text_add(c->t, plain ? " < " : ", ");
    emit_signed(c, less->b, 0, SUM);
    pn_text_add(c->t, plain ? " ? " : "), ");
    emit_signed(c, r->b, 0, SUM);
    pn_text_add(c->t, plain ? " : " : ", ");
    emit_signed(c, r->c, 0, SUM);
    pn_text_add(c->t, ")");
}

static void emit_call(pn_code *c, const pn_record *r)
{
    static const char *const prefix[] = {"", "", "real_"}, *const suffix[] = {"", "f", ""};
    pn_text_add(c->t, "%s%s%s(", prefix[c->scalar], r->operation == PN_OP_SQRT ? "sqrt" : "atan2",
                suffix[c->scalar]);
    emit_signed(c, r->a, 0, SUM);
    if (r->operation == PN_OP_ATAN2) {
        pn_text_add(c->t, ", ");
        emit_signed(c, r->b, 0, SUM);
    }
    pn_text_add(c->t, ")");
}

static void emit_operation(pn_code *c, const pn_record *r)
{
    switch (r->operation) {
    case PN_OP_ADD: emit_sum(c, r); break;
    case PN_OP_MUL:
    case PN_OP_DIV:
        emit_rest(c, r->a, 0, PRODUCT);
        pn_text_add(c->t, r->operation == PN_OP_MUL ? " * " : " / ");
        emit_rest(c, r->b, 0, SIMPLE);
        break;
    case PN_OP_SELECT: emit_choice(c, r); break;
    default: emit_call(c, r); break;
    }
}

/* without its sign */
static void emit_rest(pn_code *c, int32_t i, int self, int least)
{
    while (record(c, i)->operation == PN_OP_SIGN && (self || is_written_out(c, i))) {
        i = record(c, i)->a;
        self = 0;
    }
    const pn_record *r = record(c, i);
    if (r->operation == PN_OP_CONSTANT) {
        pn_text_literal(c->t, signbit(r->value) ? -r->value : r->value, c->scalar);
        return;
    }
    if (r->operation == PN_OP_INPUT) {
        pn_text_add(c->t, "%s[%d]", pn_input_name[r->a], (int)r->b);
        return;
    }
    if (!self && c->name[i]) {
        pn_text_add(c->t, "%s", c->name[i]);
        return;
    }
    const int binds = r->operation == PN_OP_ADD ? SUM : is_product(r) ? PRODUCT : SIMPLE;
    if (binds < least) pn_text_add(c->t, "(");
    emit_operation(c, r);
    if (binds < least) pn_text_add(c->t, ")");
}

void pn_emit_expression(pn_code *c, int32_t i)
{
    emit_signed(c, i, 1, SUM);
}

void pn_emit_operand(pn_code *c, int32_t i)
{
    emit_signed(c, i, 0, SUM);
}
