/* Nodes as records: what is alive, signs written out.
 *
 * A record may hold a node or its negative. Sums and products with constants can be either at no cost, and all else
 * follows its operands, so that few signs are left. A node is stored with the sign that a result or a name asks for,
 * else with the one that it was recorded with. */
#include "codegen/simplify/simplify.h"
#include <stdlib.h>
#include <string.h>

enum { ANY = 2 };

typedef struct pn_writer {
    const pn_builder *b;
    pn_record *record;
    int32_t count;
    int32_t *at;          /* the record of a node, 0: not alive (but for node 0) */
    int32_t *opposite;    /* that of its negative, 0: none yet */
    unsigned char *uses;  /* 2: more than one */
    unsigned char *wish;  /* 1: its negative would be better; ANY: no matter */
    unsigned char *stored; /* 1: `at` holds its negative */
} pn_writer;

static int known(const pn_writer *w, pn_expr x)
{
    return pn_is_constant(w->b, x);
}

static void use(pn_writer *w, pn_expr x)
{
    w->at[x >> 1] = 1;
    if (w->uses[x >> 1] < 2) w->uses[x >> 1]++;
}

/* a node that nobody else needs could be stored with this sign */
static int pass_on(pn_writer *w, pn_expr x, unsigned char sign)
{
    const int32_t node = x >> 1;
    if (known(w, x) || w->uses[node] != 1 || w->wish[node] != ANY) return 0;
    if (w->b->node[node].operation != PN_OP_ADD && w->b->node[node].operation != PN_OP_MUL) return 0;
    w->wish[node] = (unsigned char)(sign ^ (x & 1));
    return 1;
}

/* what has to be negative for a node to be so */
static void pass_wish(pn_writer *w, int32_t node)
{
    const pn_record *r = &w->b->node[node];
    if (w->wish[node] != 1 || known(w, r->a) || known(w, r->b)) return;
    /* -(a + b) needs one of them, -(a b) too; -(a - b) is b - a */
    const int sum = r->operation == PN_OP_ADD && !(r->b & 1);
    if (sum || r->operation == PN_OP_MUL) {
        if (!pass_on(w, r->a, 1)) pass_on(w, r->b, 1);
    }
}

/* nodes that results depend on, and the signs they should have; how many there are */
static int32_t mark(pn_writer *w, const pn_expr *result, size_t results)
{
    const pn_builder *b = w->b;
    int32_t alive = 1;
    memset(w->wish, ANY, (size_t)b->count);
    for (size_t i = 0; i < results; i++) {
        use(w, result[i]);
        w->wish[result[i] >> 1] = result[i] & 1;
    }
    for (int32_t i = b->count - 1; i > 0; i--) {
        if (!w->at[i]) continue;
        const pn_record *r = &b->node[i];
        const pn_expr operand[3] = {r->a, r->b, r->c};
        for (int k = 0; k < pn_operands((pn_operation)r->operation); k++) use(w, operand[k]);
        alive++;
    }
    for (int32_t i = b->count - 1; i > 0; i--) {
        if (!w->at[i]) continue;
        if (w->wish[i] == ANY && b->node[i].symbol) w->wish[i] = b->node[i].apart;
        pass_wish(w, i);
    }
    return alive;
}

/* 1: what is stored for the value is its negative */
static int turned(const pn_writer *w, pn_expr x)
{
    return known(w, x) ? 0 : (x & 1) ^ w->stored[x >> 1];
}

/* the record of a value, or (`negative`) of what is stored for it with the other sign, for the record that needs it */
static int32_t with_sign(pn_writer *w, pn_expr x, int negative, const pn_record *user)
{
    const int32_t node = x >> 1;
    if (!negative) return w->at[node];
    if (w->opposite[node]) return w->opposite[node];
    pn_record *r = &w->record[w->count];
    memset(r, 0, sizeof *r);
    r->live = 1;
    r->body = user->body;
    r->pass = user->pass;
    if (known(w, x)) {
        r->operation = PN_OP_CONSTANT;
        r->value = -w->b->node[node].value;
    } else {
        r->operation = PN_OP_SIGN;
        r->a = w->at[node];
    }
    w->opposite[node] = w->count;
    return w->count++;
}

static int32_t record_of(pn_writer *w, pn_expr x, const pn_record *user)
{
    return with_sign(w, x, known(w, x) ? x & 1 : turned(w, x), user);
}

/* a + b, or its negative: the first operand never has a sign */
static int write_sum(pn_writer *w, int32_t i, pn_record *r)
{
    const pn_expr x = r->a, y = r->b;
    const int wish = w->wish[i] == ANY ? r->angle : w->wish[i];
    const int sign_x = turned(w, x), sign_y = known(w, y) ? y & 1 : turned(w, y);
    /* of two negatives both are positive in the other sign; a constant can have any */
    const int stored = !known(w, y) && sign_x == sign_y ? sign_x : wish;
    const int swap = sign_x ^ stored;
    r->a = with_sign(w, swap ? y : x, swap ? known(w, y) && (sign_y ^ stored) : 0, r);
    r->b = with_sign(w, swap ? x : y, swap ? 1 : sign_y ^ stored, r);
    return stored;
}

/* products and quotients: signs of the operands are the result's, a constant can have either */
static int write_product(pn_writer *w, int32_t i, pn_record *r)
{
    const pn_expr x = r->a, y = r->b;
    const int signs = (known(w, x) ? 0 : turned(w, x)) ^ (known(w, y) ? 0 : turned(w, y));
    const int constant = known(w, x) || known(w, y);
    const int stored = constant && w->wish[i] != ANY ? w->wish[i] : signs;
    r->a = with_sign(w, x, known(w, x) && (stored ^ signs), r);
    r->b = with_sign(w, y, !known(w, x) && known(w, y) && (stored ^ signs), r);
    return stored;
}

static void write_node(pn_writer *w, int32_t i)
{
    const int operands = pn_operands((pn_operation)w->b->node[i].operation);
    pn_record r = w->b->node[i];
    int stored = 0;
    if (r.operation == PN_OP_ADD) {
        stored = write_sum(w, i, &r);
    } else if (r.operation == PN_OP_MUL || r.operation == PN_OP_DIV) {
        stored = write_product(w, i, &r);
    } else if (r.operation == PN_OP_SIN || r.operation == PN_OP_COS) {
        stored = r.operation == PN_OP_SIN ? turned(w, r.a) : 0;
        r.a = w->at[r.a >> 1];
    } else {
        if (operands > 0) r.a = record_of(w, r.a, &r);
        if (operands > 1) r.b = record_of(w, r.b, &r);
        if (operands > 2) r.c = record_of(w, r.c, &r);
    }
    /* a name is that of one sign alone */
    if (r.symbol && r.apart != stored) r.symbol = NULL, r.component = 0;
    r.live = 1;
    r.angle = 0;
    r.apart = 0;
    w->stored[i] = (unsigned char)stored;
    w->record[w->count] = r;
    w->at[i] = w->count++;
}

static void write_all(pn_writer *w, const pn_expr *result, size_t results, int32_t *records)
{
    w->record[0] = w->b->node[0];
    w->record[0].live = 1;
    w->at[0] = 0;
    w->count = 1;
    for (int32_t i = 1; i < w->b->count; i++)
        if (w->at[i]) write_node(w, i);
    for (size_t i = 0; i < results; i++) records[i] = record_of(w, result[i], pn_node_of(w->b, result[i]));
}

int pn_builder_write(const pn_builder *b, const pn_expr *result, size_t results, pn_graph *graph)
{
    const size_t n = (size_t)b->count;
    pn_writer w;
    memset(&w, 0, sizeof w);
    w.b = b;
    w.at = calloc(n, sizeof *w.at);
    w.opposite = calloc(n, sizeof *w.opposite);
    w.uses = calloc(3 * n, 1);
    int32_t *records = calloc(results + 1, sizeof *records);
    if (w.at && w.opposite && w.uses) {
        w.wish = w.uses + n;
        w.stored = w.wish + n;
        w.record = malloc(2 * (size_t)mark(&w, result, results) * sizeof *w.record);
    }
    const int done = w.record && records;
    memset(graph, 0, sizeof *graph);
    if (done) {
        write_all(&w, result, results, records);
        graph->record = w.record;
        graph->result = records;
        graph->results = results;
        graph->count = w.count;
    } else {
        free(w.record);
        free(records);
    }
    free(w.at);
    free(w.opposite);
    free(w.uses);
    return done;
}
