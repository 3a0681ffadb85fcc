/* The places of the entries of kernel/loops/global_entries.inc, in the order in which that writes them. */
#include "real/real_f64.h"
#include "kernel/forward_dynamics/logn/constraint_force_system.inc"
#include "api/dispatch.h"
#include "pinion/research/global.h"

/* Counts entries, and writes their places where there are arrays for them. */
typedef struct places {
    int *row, *column;
    int count;
} places;

static void put(places *p, int row, int column)
{
    if (p->row) {
        p->row[p->count] = row;
        p->column[p->count] = column;
    }
    p->count++;
}

/* a row's six entries on a body */
static void put_body(places *p, int row, int body)
{
    for (int e = 0; e < 6 && body > 0; e++) put(p, row, 6 * (body - 1) + e);
}

/* the acceleration of a one-DoF joint's coordinate */
static void put_coordinate(const sys *s, places *p, int row, int body)
{
    put(p, row, 6 * (body - 1) + freedom_axis(&s->node[body], 0));
    put_body(p, row, s->node[body].parent);
}

static void put_joint(const sys *s, places *p, int i, int row)
{
    for (int k = 0; k < force_size(s, i); k++, row++) {
        const int axis = force_axis(s, i, k);
        if (s->node[i].joint == PN_HELICAL && axis == 5) put(p, row, 6 * (i - 1) + 2);
        put(p, row, 6 * (i - 1) + axis);
        put_body(p, row, s->node[i].parent);
        if (force_freedom(s, i, k) >= 0) put(p, row, row);
    }
}

static void put_loop(const sys *s, places *p, const pn_loop *loop, int row)
{
    const int gear = loop->kind == PINION_LOOP_GEAR, drive = loop->kind == PINION_LOOP_DRIVE;
    for (int r = 0; r < loop->rows; r++, row++) {
        if (gear || drive) {
            put_coordinate(s, p, row, loop->node[0]);
            if (gear) put_coordinate(s, p, row, loop->node[1]);
        } else {
            put_body(p, row, loop->node[0]);
            put_body(p, row, loop->node[1]);
        }
        put(p, row, row);
    }
}

/* all places; returns how many unknown forces the joints have */
static int put_all(const pinion_model *m, places *p)
{
    const pn_ctx k = pn_context(m, sizeof(double), NULL);
    const sys s = open_model(&k);
    const int accelerations = 6 * (s.N - 1);
    int forces = 0;
    for (int i = 1; i < s.N; i++)
        for (int r = 0; r < 6; r++)
            for (int c = 0; c <= r; c++) put(p, 6 * (i - 1) + r, 6 * (i - 1) + c);
    for (int i = 1; i < s.N; i++) {
        put_joint(&s, p, i, accelerations + forces);
        forces += force_size(&s, i);
    }
    for (int l = 0; l < s.n->loops; l++) put_loop(&s, p, &s.loop[l], accelerations + forces + s.loop[l].row);
    return forces;
}

pinion_status pinion_global_count(const pinion_model *m, pinion_global_size *out)
{
    places p = {NULL, NULL, 0};
    if (!m || !out) return PINION_ERR_ARGUMENT;
    if (m->n.followers || m->n.added || m->n.elastic) return PINION_ERR_UNSUPPORTED;
    out->forces = put_all(m, &p);
    out->accelerations = 6 * (m->n.nodes - 1);
    out->rows = m->n.rows;
    out->unknowns = out->accelerations + out->forces + out->rows;
    out->entries = p.count;
    return PINION_OK;
}

pinion_status pinion_global_places(const pinion_model *m, int *row, int *column)
{
    places p = {row, column, 0};
    if (!m || !row || !column) return PINION_ERR_ARGUMENT;
    if (m->n.followers || m->n.added || m->n.elastic) return PINION_ERR_UNSUPPORTED;
    (void)put_all(m, &p);
    return PINION_OK;
}

pinion_status pinion_global_accelerations(const pinion_model *m, const double *joints, const double *solution,
                                          double *a)
{
    if (!m || !joints || !solution || !a) return PINION_ERR_ARGUMENT;
    if (m->n.followers || m->n.added || m->n.elastic) return PINION_ERR_UNSUPPORTED;
    const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
    for (int i = 1; i < m->n.nodes; i++)
        for (int d = 0; d < nodes[i].nv; d++) {
            const double *row = joints + 7 * (nodes[i].v + d), *parent = solution + 6 * (nodes[i].parent - 1);
            double x = solution[6 * (i - 1) + freedom_axis(&nodes[i], d)] + row[6];
            for (int e = 0; e < 6 && nodes[i].parent > 0; e++) x += row[e] * parent[e];
            a[nodes[i].v + d] = x;
        }
    return PINION_OK;
}
