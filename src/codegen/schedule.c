/* The order of a computation: few values alive at a time, the kernel's passes and bodies one after the other.
 *
 * A section is what was recorded in a row for one body; sines and cosines of the joints' angles are one before all
 * others. The order is found from the end to the beginning. Candidates are the records that all later ones are done
 * with. One is put before them that makes no more values alive than there are, the last recorded first; where there
 * is none, the last recorded of the section. So a value is computed shortly before it is needed, and what is needed
 * in later sections alone goes there if nothing has to wait for it. Such a record belongs to the body of its new
 * section. Results, and what the kernel has a name for, stay. */
#include "codegen/simplify/simplify.h"
#include <stdlib.h>
#include <string.h>

/* record numbers, the largest on top */
typedef struct pn_heap {
    int32_t *at;
    int32_t count;
} pn_heap;

typedef struct pn_ordering {
    const pn_graph *graph;
    int32_t *section;     /* of a record; 0: the sines and cosines */
    int32_t *head;        /* of a section: a record that has its body and pass */
    int32_t sections;
    int32_t *first;       /* [count + 1] where a record's users begin in `user` */
    int32_t *user;
    int32_t *waiting;     /* users that are not placed yet */
    unsigned char *fresh; /* how many operands would be alive because of it */
    unsigned char *alive, *placed;
    unsigned char *stays; /* in its section: it is a result or has a name */
    pn_heap free_ones;    /* ready, and no more values are alive with them than without */
    pn_heap others;       /* ready; some are in both */
    pn_heap sines;        /* ready, of section 0 */
    int32_t *order;       /* what comes out, from the end */
    int32_t *moved;       /* the section in which a record comes to stand */
    int32_t count;
} pn_ordering;

/* ---- records ---- */

static int32_t operand(const pn_record *r, int k)
{
    return k == 0 ? r->a : k == 1 ? r->b : r->c;
}

static int operands(const pn_record *r)
{
    return pn_operands((pn_operation)r->operation);
}

/* constants, inputs and signs wait in no register: a sign is part of what uses it */
static int is_free(const pn_record *r)
{
    return r->operation == PN_OP_CONSTANT || r->operation == PN_OP_INPUT || r->operation == PN_OP_SIGN;
}

/* the different values that a record needs, through signs; how many there are */
static int values_needed(const pn_graph *g, int32_t i, int32_t value[3])
{
    int n = 0;
    for (int k = 0; k < operands(&g->record[i]); k++) {
        int32_t o = operand(&g->record[i], k);
        while (g->record[o].operation == PN_OP_SIGN) o = g->record[o].a;
        if (is_free(&g->record[o]) || (n > 0 && value[0] == o) || (n > 1 && value[1] == o)) continue;
        value[n++] = o;
    }
    return n;
}

/* ---- sections ---- */

/* an angle of the state: inputs, their sums and multiples */
static int is_angle(const pn_graph *g, int32_t i, const unsigned char *angle)
{
    const pn_record *r = &g->record[i];
    if (r->operation == PN_OP_CONSTANT || r->operation == PN_OP_INPUT) return 1;
    if (r->operation != PN_OP_ADD && r->operation != PN_OP_MUL && r->operation != PN_OP_SIGN) return 0;
    return angle[r->a] && (r->operation == PN_OP_SIGN || angle[r->b]);
}

/* whether one or two records of another body stand between those of one: not worth a section of their own */
static int crumb(const pn_graph *g, int32_t i, const pn_record *head)
{
    for (int more = 0; i < g->count && more < 3; i++) {
        const pn_record *r = &g->record[i];
        if (is_free(r)) continue;
        if (r->body == head->body && r->pass == head->pass) return 1;
        more++;
    }
    return 0;
}

/* 0: out of memory */
static int name_sections(pn_ordering *p)
{
    const pn_graph *g = p->graph;
    unsigned char *angle = calloc((size_t)g->count + 1, 1);
    const pn_record *head = NULL;
    p->sections = 1;
    for (int32_t i = 0; angle && i < g->count; i++) {
        const pn_record *r = &g->record[i];
        angle[i] = (unsigned char)is_angle(g, i, angle);
        if (!r->live || is_free(r)) continue;
        if ((r->operation == PN_OP_SIN || r->operation == PN_OP_COS) && angle[r->a]) continue;
        if (!head || ((r->body != head->body || r->pass != head->pass) && !crumb(g, i, head))) {
            head = r;
            p->head[p->sections++] = i;
        }
        p->section[i] = p->sections - 1;
    }
    free(angle);
    return angle != NULL;
}

static void list_users(pn_ordering *p)
{
    const pn_graph *g = p->graph;
    int32_t value[3];
    for (int32_t i = 1; i < g->count; i++) {
        if (!g->record[i].live || is_free(&g->record[i])) continue;
        p->fresh[i] = (unsigned char)values_needed(g, i, value);
        for (int k = 0; k < p->fresh[i]; k++) p->waiting[value[k]]++;
    }
    for (int32_t i = 0; i < g->count; i++) p->first[i + 1] = p->first[i] + p->waiting[i];
    int32_t *at = p->order; /* not in use yet */
    memcpy(at, p->first, (size_t)g->count * sizeof *at);
    for (int32_t i = 1; i < g->count; i++) {
        if (!g->record[i].live || is_free(&g->record[i])) continue;
        for (int k = values_needed(g, i, value) - 1; k >= 0; k--) p->user[at[value[k]]++] = i;
    }
}

static void mark_those_that_stay(pn_ordering *p)
{
    const pn_graph *g = p->graph;
    for (int32_t i = 0; i < g->count; i++) p->stays[i] = g->record[i].symbol != NULL;
    for (size_t i = 0; i < g->results; i++) {
        int32_t r = g->result[i];
        while (g->record[r].operation == PN_OP_SIGN) r = g->record[r].a;
        p->stays[r] = 1;
    }
}

/* ---- the order, from the end ---- */

static void push(pn_heap *h, int32_t x)
{
    int32_t k = h->count++;
    for (; k > 0 && h->at[(k - 1) / 2] < x; k = (k - 1) / 2) h->at[k] = h->at[(k - 1) / 2];
    h->at[k] = x;
}

static int32_t pop(pn_heap *h)
{
    const int32_t top = h->at[0], x = h->at[--h->count];
    int32_t k = 0;
    for (int32_t c = 1; c < h->count; c = 2 * k + 1) {
        if (c + 1 < h->count && h->at[c + 1] > h->at[c]) c++;
        if (h->at[c] <= x) break;
        h->at[k] = h->at[c];
        k = c;
    }
    h->at[k] = x;
    return top;
}

/* a record that has become ready, or takes less than it did */
static void offer(pn_ordering *p, int32_t i, int is_new)
{
    if (p->section[i] == 0) {
        if (is_new) push(&p->sines, i);
        return;
    }
    if (p->fresh[i] <= p->alive[i] && !p->stays[i]) push(&p->free_ones, i);
    if (is_new) push(&p->others, i);
}

static void put(pn_ordering *p, int32_t i, int32_t section)
{
    int32_t value[3];
    p->placed[i] = 1;
    p->moved[i] = section;
    p->order[p->count++] = i;
    for (int k = values_needed(p->graph, i, value) - 1; k >= 0; k--) {
        const int32_t o = value[k], awoken = !p->alive[o];
        p->alive[o] = 1;
        p->waiting[o]--;
        if (p->waiting[o] == 0) offer(p, o, 1);
        /* the other users have one operand less to keep alive */
        for (int32_t u = p->first[o]; awoken && u < p->first[o + 1]; u++) {
            const int32_t other = p->user[u];
            p->fresh[other]--;
            if (!p->placed[other] && p->waiting[other] == 0 && p->fresh[other] <= p->alive[other]) offer(p, other, 0);
        }
    }
}

static void put_all(pn_ordering *p)
{
    for (int32_t i = 1; i < p->graph->count; i++)
        if (p->graph->record[i].live && !is_free(&p->graph->record[i]) && p->waiting[i] == 0) offer(p, i, 1);
    int32_t section = p->sections - 1;
    while (p->free_ones.count > 0 || p->others.count > 0 || p->sines.count > 0) {
        /* the section ends when it has no more records, and those before it have none that are better off here */
        if (p->free_ones.count > 0) {
            const int32_t i = pop(&p->free_ones);
            if (!p->placed[i]) put(p, i, section);
        } else if (p->others.count > 0) {
            const int32_t i = pop(&p->others);
            if (p->placed[i]) continue;
            if (p->section[i] < section) section = p->section[i];
            put(p, i, section);
        } else {
            section = 0;
            put(p, pop(&p->sines), section);
        }
    }
}

/* ---- the graph in the new order ---- */

typedef struct pn_copy {
    const pn_graph *from;
    pn_record *record;
    int32_t count;
    int32_t *now;            /* where a record of `from` is, 0: not yet */
    const pn_record *joints; /* body and pass of the sines */
} pn_copy;

static void copy_record(pn_copy *c, int32_t i, const pn_record *section);

/* constants, inputs and signs come when they are first needed, in the section that needs them */
static int32_t copied(pn_copy *c, int32_t i, const pn_record *section)
{
    if (i > 0 && !c->now[i]) copy_record(c, i, section);
    return c->now[i];
}

static void copy_record(pn_copy *c, int32_t i, const pn_record *section)
{
    pn_record r = c->from->record[i];
    const int n = operands(&r);
    if (section == c->joints) r.symbol = NULL, r.component = 0; /* sines are called after their angles */
    if (section && !r.symbol) {
        r.body = section->body;
        r.pass = section->pass;
    }
    if (n > 0) r.a = copied(c, r.a, section);
    if (n > 1) r.b = copied(c, r.b, section);
    if (n > 2) r.c = copied(c, r.c, section);
    c->record[c->count] = r;
    c->now[i] = c->count++;
}

/* 0: out of memory */
static int apply(const pn_ordering *p, pn_graph *graph)
{
    const size_t n = (size_t)graph->count + 1;
    const pn_record joints = {.pass = PN_PASS_JOINTS}; /* what the sines belong to: no body */
    pn_copy c = {graph, malloc(n * sizeof *c.record), 0, calloc(n, sizeof *c.now), &joints};
    if (!c.record || !c.now) {
        free(c.record);
        free(c.now);
        return 0;
    }
    c.record[c.count++] = graph->record[0];
    for (int32_t k = p->count - 1; k >= 0; k--) {
        const int32_t section = p->moved[p->order[k]];
        copy_record(&c, p->order[k], section > 0 ? &graph->record[p->head[section]] : &joints);
    }
    for (size_t i = 0; i < graph->results; i++) graph->result[i] = copied(&c, graph->result[i], NULL);
    free(graph->record);
    free(c.now);
    graph->record = c.record;
    graph->count = c.count;
    return 1;
}

/* 0: out of memory */
static int plan_open(pn_ordering *p, const pn_graph *graph)
{
    const size_t n = (size_t)graph->count + 2;
    memset(p, 0, sizeof *p);
    p->graph = graph;
    p->section = calloc(n, sizeof *p->section);
    p->head = calloc(n, sizeof *p->head);
    p->first = calloc(n, sizeof *p->first);
    p->user = calloc(3 * n, sizeof *p->user);
    p->waiting = calloc(n, sizeof *p->waiting);
    p->fresh = calloc(n, 1);
    p->alive = calloc(n, 1);
    p->placed = calloc(n, 1);
    p->stays = calloc(n, 1);
    p->free_ones.at = calloc(4 * n, sizeof *p->free_ones.at); /* once when ready, once for each operand */
    p->others.at = calloc(n, sizeof *p->others.at);
    p->sines.at = calloc(n, sizeof *p->sines.at);
    p->order = calloc(n, sizeof *p->order);
    p->moved = calloc(n, sizeof *p->moved);
    return p->section && p->head && p->first && p->user && p->waiting && p->fresh && p->alive && p->placed &&
           p->stays && p->free_ones.at && p->others.at && p->sines.at && p->order && p->moved;
}

static void plan_close(pn_ordering *p)
{
    free(p->section);
    free(p->head);
    free(p->first);
    free(p->user);
    free(p->waiting);
    free(p->fresh);
    free(p->alive);
    free(p->placed);
    free(p->stays);
    free(p->free_ones.at);
    free(p->others.at);
    free(p->sines.at);
    free(p->order);
    free(p->moved);
}

pinion_status pn_schedule(pn_graph *graph)
{
    pn_ordering p;
    pn_graph_mark(graph);
    int done = plan_open(&p, graph) && name_sections(&p);
    if (done) {
        list_users(&p);
        mark_those_that_stay(&p);
        put_all(&p);
        done = apply(&p, graph);
    }
    plan_close(&p);
    if (done) pn_graph_mark(graph);
    return done ? PINION_OK : PINION_ERR_MEMORY;
}
