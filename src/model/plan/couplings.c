/* The pattern of couplings. A loop ties its bodies to each other. A body that is eliminated leaves all bodies it
 * was tied to, and its parent, tied to each other. The highest of these is eliminated next, so it is enough to hand
 * them all to that one: whatever else becomes tied is found there in its turn (the elimination tree of sparse
 * factorization). A loop whose ends climb towards each other leaves one coupling at each body on the way, and none
 * above the body where they meet. */
#include "model/plan/couplings.h"

/* A body has this many couplings on the average at most, and small models as many as they like: they cost memory
 * in every workspace. */
enum { MOST_COUPLINGS = 16, FREE_COUPLINGS = 1024 };

/* Steps along lists, for each coupling that there may be: lists of one body that all others hand something to would
 * take a time that grows with the square of the model. */
enum { MOST_STEPS = 64 };

/* One body in the list of another, whose bodies descend. */
typedef struct cell {
    int body, next; /* -1: the last */
} cell;

typedef struct pattern {
    const pn_skeleton *s;
    int *head; /* [nodes] first cell of each body's list; -1: empty */
    int *set;  /* [nodes] bodies that are to be tied to each other, descending */
    cell *cells;
    int count, most;
    uint64_t steps; /* that are left */
} pattern;

/* Puts a body into the set, in its place. The base is no unknown and is left out. */
static void put(pattern *p, int *size, int body)
{
    int i = *size;
    if (body <= 0) return;
    while (i > 0 && p->set[i - 1] < body) i--;
    if (i > 0 && p->set[i - 1] == body) return;
    for (int j = *size; j > i; j--) p->set[j] = p->set[j - 1];
    p->set[i] = body;
    ++*size;
}

/* Hands the set to its highest body: its list and the rest are merged. Zero when there are too many, or when it takes
 * too long. */
static int hand_over(pattern *p, int size)
{
    int *at = size ? &p->head[p->set[0]] : NULL;
    for (int i = 1; i < size; i++) {
        for (; *at >= 0 && p->cells[*at].body > p->set[i]; at = &p->cells[*at].next)
            if (!p->steps--) return 0;
        if (*at >= 0 && p->cells[*at].body == p->set[i]) continue;
        if (p->count == p->most) return 0;
        p->cells[p->count].body = p->set[i];
        p->cells[p->count].next = *at;
        *at = p->count++;
    }
    return 1;
}

/* The bodies of one loop. A gear ties two joints: each is a body and its parent. */
static int tie_loop(pattern *p, const pn_plan *plan, int loop)
{
    const pinion_loop_kind kind = pn_plan_loop_kind(plan, loop);
    const int gear = kind == PINION_LOOP_GEAR || kind == PINION_LOOP_DRIVE;
    const int end[2] = {gear ? plan->loop_first[loop] : plan->loop_parent[loop],
                        gear ? plan->loop_second[loop] : plan->loop_child[loop]};
    int size = 0;
    if (!pn_loop_rows((int)kind, (int)pn_plan_loop_joint(plan, loop)->type)) return 1;
    for (int k = 0; k < 2; k++) {
        if (end[k] < 0) continue;
        const int node = gear ? p->s->body_node[plan->joint_body[end[k]]] : p->s->link_node[end[k]];
        put(p, &size, node);
        if (gear) put(p, &size, p->s->unit[node].parent);
    }
    return hand_over(p, size);
}

/* All bodies from the last to the first. */
static int eliminate(pattern *p)
{
    for (int i = p->s->nodes - 1; i > 0; i--) {
        int size = 0;
        for (int at = p->head[i]; at >= 0; at = p->cells[at].next) p->set[size++] = p->cells[at].body;
        if (!size) continue;
        put(p, &size, p->s->unit[i].parent);
        if (!hand_over(p, size)) return 0;
    }
    return 1;
}

/* From lists that descend to rows that ascend. */
static void write_rows(const pattern *p, pn_couplings *c)
{
    int end = 0;
    for (int i = 0; i < p->s->nodes; i++) {
        int at = p->head[i], size = 0;
        for (; at >= 0; at = p->cells[at].next) size++;
        c->first[i] = end;
        end += size;
        at = p->head[i];
        for (int k = end - 1; at >= 0; at = p->cells[at].next) c->other[k--] = p->cells[at].body;
    }
    c->first[p->s->nodes] = end;
    c->count = end;
}

int pn_couplings_make(pn_couplings *c, const pn_plan *plan, const pn_skeleton *s, pn_pool *pool)
{
    /* memory */
    const size_t nodes = (size_t)s->nodes, ends = 3 * (size_t)plan->loops; /* of other loops, at most, at a body */
    const size_t most = plan->loops ? nodes * (ends < MOST_COUPLINGS ? ends : MOST_COUPLINGS) + FREE_COUPLINGS : 1;
    pattern p;
    p.s = s;
    p.count = 0;
    p.most = (int)most;
    p.steps = (uint64_t)MOST_STEPS * most;
    p.head = pn_pool_take(pool, nodes, sizeof(int));
    p.set = pn_pool_take(pool, nodes, sizeof(int));
    p.cells = pn_pool_take(pool, most, sizeof *p.cells);
    c->first = pn_pool_take(pool, nodes + 1, sizeof(int));
    c->other = pn_pool_take(pool, most, sizeof(int));
    if (pool->failed) return 0;

    /* what loops tie, and what eliminating ties */
    int fits = 1;
    for (size_t i = 0; i < nodes; i++) p.head[i] = -1;
    for (int i = 0; fits && i < plan->loops; i++) fits = tie_loop(&p, plan, i);
    if (fits && eliminate(&p))
        write_rows(&p, c);
    else
        c->count = -1;
    return 1;
}

void pn_couplings_write(const pn_couplings *c, int nodes, int *table)
{
    for (int i = 0; i <= nodes; i++) table[i] = c->count < 0 ? 0 : c->first[i];
    for (int k = 0; k < c->count; k++) table[nodes + 1 + k] = c->other[k];
}
