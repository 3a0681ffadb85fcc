/* The compiled model as constants of C, in the structs that kernels read. */
#include "codegen/rolled/rolled.h"

const char *pn_table_qualifier(const pinion_generated *g)
{
    return g->options.scalar == PINION_CODEGEN_REAL ? "PN_TABLE" : "static const";
}

/* numbers in braces, in lines of moderate length; returns what is behind them */
static const double *write_numbers(const pinion_generated *g, const double *x, size_t count, size_t line,
                                   pn_text *t)
{
    const int single = g->options.scalar == PINION_CODEGEN_F32,
              any = g->options.scalar == PINION_CODEGEN_REAL;
    pn_text_add(t, "{");
    for (size_t i = 0; i < count; i++) {
        if (i) pn_text_add(t, i % line ? ", " : ",\n      ");
        if (any) pn_text_add(t, "N(");
        pn_text_digits(t, x[i], single);
        if (any) pn_text_add(t, ")");
    }
    pn_text_add(t, "}");
    return x + count;
}

/* the same for some that are members by themselves: no braces */
static const double *write_members(const pinion_generated *g, const double *x, size_t count, pn_text *t)
{
    pn_text inner = {0};
    const double *behind = write_numbers(g, x, count, count, &inner);
    if (inner.failed)
        t->failed = 1;
    else
        pn_text_bytes(t, inner.at + 1, inner.length - 2);
    pn_text_free(&inner);
    return behind;
}

static const double *write_place(const pinion_generated *g, const double *x, pn_text *t)
{
    pn_text_add(t, "{");
    x = write_numbers(g, x, 9, 9, t);
    pn_text_add(t, ", ");
    x = write_numbers(g, x, 3, 3, t);
    pn_text_add(t, "}");
    return x;
}

/* The members of pn_link, as model/constants.inc has them: those in a row, a place, an array. */
static const double *write_link(const pinion_generated *g, const double *x, pn_text *t)
{
    pn_text_add(t, "    {");
    x = write_members(g, x, 6, t);
    pn_text_add(t, ",\n     ");
    x = write_place(g, x, t);
    pn_text_add(t, ",\n     ");
    x = write_members(g, x, 6, t);
    pn_text_add(t, ",\n     ");
    x = write_members(g, x, 1, t);
    pn_text_add(t, ", ");
    x = write_numbers(g, x, 3, 3, t);
    pn_text_add(t, ", ");
    x = write_numbers(g, x, 6, 6, t);
    pn_text_add(t, ",\n     ");
    x = write_members(g, x, 2, t);
    pn_text_add(t, ", ");
    x = write_numbers(g, x, 6, 6, t);
    pn_text_add(t, ",\n     ");
    x = write_place(g, x, t);
    pn_text_add(t, "}");
    return x;
}

/* integers in rows of so many; where `braces` is set, every row is a struct */
static void write_integers(const int *x, int rows, int columns, int braces, pn_text *t)
{
    const int line = columns > 1 ? columns : 20;
    for (int i = 0; i < rows * columns; i++) {
        if (i % line == 0)
            pn_text_add(t, i ? ",\n    " : "    ");
        else
            pn_text_add(t, ", ");
        if (braces && i % columns == 0) pn_text_add(t, "{");
        pn_text_add(t, "%d", x[i]);
        if (braces && i % columns == columns - 1) pn_text_add(t, "}");
    }
}

static void write_integer_table(const pinion_generated *g, const char *head, const void *x, int rows,
                                size_t size, int braces, pn_text *t)
{
    pn_text_add(t, "%s %s[] = {\n", pn_table_qualifier(g), head);
    write_integers(x, rows, (int)(size / sizeof(int)), braces, t);
    pn_text_add(t, "};\n");
}

static const double *write_places(const pinion_generated *g, const double *x, int rows, pn_text *t)
{
    pn_text_add(t, ",\n    {");
    for (int i = 0; i < rows; i++) {
        pn_text_add(t, i ? ",\n    " : "\n    ");
        x = write_place(g, x, t);
    }
    pn_text_add(t, "}");
    return x;
}

/* structs of numbers alone */
static const double *write_rows(const pinion_generated *g, const double *x, int rows, size_t columns, pn_text *t)
{
    pn_text_add(t, ",\n    {");
    for (int i = 0; i < rows; i++) {
        pn_text_add(t, i ? ",\n    " : "\n    ");
        x = write_numbers(g, x, columns, columns, t);
    }
    pn_text_add(t, "}");
    return x;
}

/* those of pn_dof, with its two curves */
static const double *write_dofs(const pinion_generated *g, const double *x, int rows, pn_text *t)
{
    pn_text_add(t, ",\n    {");
    for (int i = 0; i < rows; i++) {
        pn_text_add(t, i ? ",\n    {" : "\n    {");
        x = write_members(g, x, 5, t);
        for (int curve = 0; curve < 2; curve++) {
            pn_text_add(t, ", ");
            x = write_numbers(g, x, 2, 2, t);
        }
        pn_text_add(t, "}");
    }
    pn_text_add(t, "}");
    return x;
}

/* the tree: integers */
void pn_rolled_tree(const pinion_model *m, const pinion_generated *g, const pn_rolled_tables *has, pn_text *t)
{
    pn_text_add(t, "\n/* The robot: its tree, then its numbers. Bodies are numbered depth first, 0 is the "
                   "base; the comments at\n"
                   " * pn_node, pn_link and the others above say what the columns are. */\n");
    pn_text_add(t, "%s pn_counts model_counts = {\n", pn_table_qualifier(g));
    pn_counts n = m->n;
    if (!has->frames) n.frames = 0;
    write_integers((const int *)&n, 1, sizeof n / sizeof(int), 0, t);
    pn_text_add(t, "};\n");
    write_integer_table(g, "pn_node model_node", PN_AT_CONST(m, pn_node, m->nodes), m->n.nodes,
                        sizeof(pn_node), 1, t);
    if (has->frames)
        write_integer_table(g, "int model_frame_node", PN_AT_CONST(m, int, m->frame_node), m->n.frames,
                            sizeof(int), 0, t);
    if (has->coupled)
        write_integer_table(g, "int model_coupled", PN_AT_CONST(m, int, m->coupled),
                            m->n.nodes + 1 + m->n.couplings, sizeof(int), 0, t);
    if (!has->coordinates) return;
    write_integer_table(g, "pn_map model_map_q", PN_AT_CONST(m, pn_map, m->map_q), m->n.tree_nq,
                        sizeof(pn_map), 1, t);
    write_integer_table(g, "pn_map model_map_v", PN_AT_CONST(m, pn_map, m->map_v), m->n.tree_nv,
                        sizeof(pn_map), 1, t);
}

/* the numbers, in the order of model/constants.inc */
void pn_rolled_constants(const pinion_model *m, const pinion_generated *g, const pn_rolled_tables *has,
                         char *const *bodies, pn_text *t)
{
    enum { PLACE = 12, DOF = 9, COORDINATE = 2 };
    const double *x = PN_AT_CONST(m, double, m->f64);
    /* one table, as kernels cut it: it holds nothing but num */
    pn_text_add(t, "\n%s struct {\n    pn_head head;\n    pn_link link[%d];\n", pn_table_qualifier(g), m->n.nodes);
    if (has->frames) pn_text_add(t, "    pn_place frame[%d];\n", m->n.frames);
    if (has->dofs) pn_text_add(t, "    pn_dof dof[%d];\n", m->n.tree_nv);
    if (has->coordinates)
        pn_text_add(t, "    pn_coordinate coordinate_q[%d], coordinate_v[%d];\n", m->n.tree_nq, m->n.tree_nv);
    pn_text_add(t, "} model_constants = {\n    {");
    x = write_place(g, x, t);
    pn_text_add(t, ",\n    ");
    x = write_numbers(g, x, 3, 3, t);
    pn_text_add(t, ", ");
    x = write_numbers(g, x, 3, 3, t);
    pn_text_add(t, ", ");
    x = write_members(g, x, 1, t);
    pn_text_add(t, "},\n    {\n");
    for (int i = 0; i < m->n.nodes; i++) {
        pn_text_add(t, "    /* %s */\n", bodies[i]);
        x = write_link(g, x, t);
        pn_text_add(t, i + 1 < m->n.nodes ? ",\n" : "}");
    }
    if (has->frames)
        x = write_places(g, x, m->n.frames, t);
    else
        x += (size_t)PLACE * (size_t)m->n.frames;
    if (has->dofs)
        x = write_dofs(g, x, m->n.tree_nv, t);
    else
        x += (size_t)DOF * (size_t)m->n.tree_nv;
    if (has->coordinates) {
        x = write_rows(g, x, m->n.tree_nq, COORDINATE, t);
        write_rows(g, x, m->n.tree_nv, COORDINATE, t);
    }
    pn_text_add(t, "};\n");
}
