#include "cli/info/info_loops.h"

#include "cli/info/singular.h"
#include "cli/print/print_text.h"
#include "pinion/loops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The model's initial state, closed where it is not, and what can move there. */
typedef struct closed_state {
    pinion_status status; /* of closing it */
    char why[400];        /* it failed */
    double open;          /* how far the model's own initial state is from closed, the largest |phi| */
    pinion_mobility mobility;
    char doubt[500]; /* of its rank; "": none */
} closed_state;

/* Operations for one step of closing the loops beyond which `info` does not try: about a second each. */
#define MOST_OPERATIONS 1e9

static int find_mobility(const pinion_model *m, closed_state *c)
{
    const size_t nq = (size_t)pinion_model_nq(m), rows = (size_t)pinion_model_row_count(m);
    const double nv = pinion_model_nv(m), operations = nv * nv * (double)rows;
    memset(c, 0, sizeof *c);
    if (operations > MOST_OPERATIONS) {
        c->status = PINION_ERR_UNSUPPORTED;
        snprintf(c->why, sizeof c->why, "not tried, for the mechanism is large; pinion eval --what mobility does");
        return 1;
    }
    pinion_work *w = pinion_work_new(m);
    double *q = calloc(nq + rows + 1, sizeof *q), *phi = q ? q + nq : NULL;
    if (!w || !q) {
        pinion_work_free(w);
        free(q);
        return 0;
    }

    /* as the model has it, then closed */
    const pinion_constraints parts = {.phi = phi};
    c->status = pinion_initial(m, q, NULL);
    if (c->status == PINION_OK) c->status = pinion_constraints_at(m, w, 0, q, NULL, &parts);
    for (size_t i = 0; i < rows; i++) c->open = fmax(c->open, fabs(phi[i]));
    pinion_assembly closed;
    if (c->status == PINION_OK) c->status = pinion_assemble(m, w, 0, NULL, q, &closed);
    if (c->status == PINION_OK) c->status = pinion_mobility_at(m, w, 0, q, &c->mobility);
    if (c->status == PINION_OK && closed.doubt > 0)
        pn_cli_doubt(m, closed.doubt, closed.doubt_loop, 1, c->doubt, sizeof c->doubt);
    else if (c->status == PINION_OK)
        pn_cli_doubt_at(m, &c->mobility, c->doubt, sizeof c->doubt);
    if (c->status != PINION_OK) snprintf(c->why, sizeof c->why, "%s", pinion_work_message(w));
    pinion_work_free(w);
    free(q);
    return 1;
}

/* ------------------------------------------------------------------------------------------------ */
/* For people */

/* "revolute", or the kind of what is no joint */
static const char *type_of(const pinion_loop_info *loop)
{
    if (loop->kind == PINION_LOOP_JOINT) return pinion_joint_type_name(loop->joint.type);
    return pinion_loop_kind_name(loop->kind);
}

/* "a and b", links or joints */
static void add_ends(cli_table *t, const pinion_model *m, const pinion_loop_info *loop)
{
    if (loop->kind == PINION_LOOP_GEAR)
        pn_cli_table_add(t, "joints %s and %s", pn_cli_joint_name(m, loop->first),
                         pn_cli_joint_name(m, loop->second));
    else if (loop->kind == PINION_LOOP_DRIVE)
        pn_cli_table_add(t, "joint %s", pn_cli_joint_name(m, loop->first));
    else
        pn_cli_table_add(t, "%s and %s", pn_cli_link_name(m, loop->joint.parent),
                         pn_cli_link_name(m, loop->joint.child));
}

static int print_table(const pinion_model *m, cli_style style)
{
    static const char *const title[] = {"name", "type", "between", "constraints"};
    cli_table t = pn_cli_table(4);
    for (int i = 0; i < 4; i++) pn_cli_table_add(&t, "%s", title[i]);
    for (int i = 0; i < pinion_model_loop_count(m); i++) {
        pinion_loop_info loop;
        if (pinion_model_loop(m, i, &loop) != PINION_OK) continue;
        pn_cli_table_add(&t, "%s", loop.name);
        pn_cli_table_add(&t, "%s", type_of(&loop));
        add_ends(&t, m, &loop);
        pn_cli_table_add(&t, "%d", loop.rows);
    }
    return pn_cli_table_print(&t, stdout, "lllr", style);
}

int pn_cli_print_loops(const pinion_model *m, cli_style style, char *doubt, size_t size)
{
    closed_state c;
    doubt[0] = '\0';
    if (pinion_model_loop_count(m) == 0) return 1;
    printf("\n%sLoops%s\n", pn_cli_bold(style), pn_cli_plain(style));
    if (!print_table(m, style)) return 0;
    if (!find_mobility(m, &c)) return 0;

    printf("\n%sMobility%s\n", pn_cli_bold(style), pn_cli_plain(style));
    if (c.status != PINION_OK) {
        const int tried = c.status != PINION_ERR_UNSUPPORTED;
        fputs(tried ? "  The loops cannot be closed from the initial state: " : "  ", stdout);
        pn_cli_put(stdout, c.why);
        fputc('\n', stdout);
        return 1;
    }
    const pinion_mobility *x = &c.mobility;
    printf("  %d degree%s of freedom of the tree, %d constraint%s of rank %d", pinion_model_nv(m),
           pn_cli_plural(pinion_model_nv(m)), x->rows, pn_cli_plural(x->rows), x->rank);
    if (x->redundant) printf(" (%d redundant)", x->redundant);
    printf("\n  %d by counting (Gruebler), %d by the rank at the initial state\n", x->gruebler, x->freedom);
    if (c.open > 1e-9)
        printf("  The initial state leaves the loops open by %.3g; pinion sim closes them first.\n", c.open);
    snprintf(doubt, size, "%s", c.doubt);
    return 1;
}

/* ------------------------------------------------------------------------------------------------ */
/* For programs */

static void put_motion(cli_json *j, const pinion_motion *g)
{
    pn_cli_json_key(j, "motion");
    pn_cli_json_open(j, '{', 1);
    pn_cli_put_number(j, "offset", g->offset);
    pn_cli_put_number(j, "rate", g->rate);
    pn_cli_put_number(j, "acceleration", g->acceleration);
    pn_cli_put_number(j, "amplitude", g->amplitude);
    pn_cli_put_number(j, "frequency", g->frequency);
    pn_cli_put_number(j, "phase", g->phase);
    pn_cli_json_close(j);
}

/* What the kinds that are no joints have of their own. */
static void put_kind(cli_json *j, const pinion_model *m, const pinion_loop_info *loop)
{
    const int timed = loop->kind == PINION_LOOP_DISTANCE || loop->kind == PINION_LOOP_GEAR ||
                      loop->kind == PINION_LOOP_DRIVE;
    if (loop->kind == PINION_LOOP_DISTANCE || loop->kind == PINION_LOOP_SPRING)
        pn_cli_put_number(j, "length", loop->length);
    if (loop->kind == PINION_LOOP_SPRING) {
        pn_cli_put_number(j, "stiffness", loop->joint.dof[0].stiffness);
        pn_cli_put_number(j, "damping", loop->joint.dof[0].damping);
    }
    if (loop->kind == PINION_LOOP_ROLLING) {
        pn_cli_put_number(j, "radius", loop->radius);
        pn_cli_put_string(j, "shape", loop->disk ? "disk" : "sphere");
    }
    if (loop->kind == PINION_LOOP_GEAR) {
        pn_cli_json_key(j, "joints");
        pn_cli_json_open(j, '[', 1);
        pn_cli_json_string(j, pn_cli_joint_name(m, loop->first));
        pn_cli_json_string(j, pn_cli_joint_name(m, loop->second));
        pn_cli_json_close(j);
        pn_cli_put_number(j, "ratio", loop->ratio);
        pn_cli_json_key(j, "curve");
        pn_cli_json_numbers(j, loop->curve, 3);
    }
    if (loop->kind == PINION_LOOP_DRIVE) pn_cli_put_string(j, "joint", pn_cli_joint_name(m, loop->first));
    if (timed) put_motion(j, &loop->motion);
}

static void put_loop(cli_json *j, const pinion_model *m, const pinion_loop_info *loop)
{
    pn_cli_json_open(j, '{', 1);
    pn_cli_put_string(j, "name", loop->name);
    pn_cli_put_string(j, "kind", pinion_loop_kind_name(loop->kind));
    pn_cli_put_string(j, "type", type_of(loop));
    if (loop->kind != PINION_LOOP_GEAR && loop->kind != PINION_LOOP_DRIVE) {
        pn_cli_put_string(j, "parent", pn_cli_link_name(m, loop->joint.parent));
        pn_cli_put_string(j, "child", pn_cli_link_name(m, loop->joint.child));
    }
    if (loop->kind == PINION_LOOP_JOINT) pn_cli_put_axis(j, &loop->joint);
    put_kind(j, m, loop);
    pn_cli_put_integer(j, "row", loop->row);
    pn_cli_put_integer(j, "rows", loop->rows);
    pn_cli_json_close(j);
}

void pn_cli_put_mobility(cli_json *j, const pinion_mobility *mobility)
{
    pn_cli_json_open(j, '{', 1);
    pn_cli_put_integer(j, "rows", mobility->rows);
    pn_cli_put_integer(j, "rank", mobility->rank);
    pn_cli_put_integer(j, "redundant", mobility->redundant);
    pn_cli_put_integer(j, "gruebler", mobility->gruebler);
    pn_cli_put_integer(j, "freedom", mobility->freedom);
    pn_cli_put_number(j, "doubt", mobility->doubt);
    pn_cli_json_key(j, "singular");
    pn_cli_json_boolean(j, mobility->singular);
    pn_cli_json_close(j);
}

void pn_cli_put_loops(cli_json *j, const pinion_model *m, char *doubt, size_t size)
{
    closed_state c;
    doubt[0] = '\0';
    pn_cli_json_key(j, "loops");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < pinion_model_loop_count(m); i++) {
        pinion_loop_info loop;
        if (pinion_model_loop(m, i, &loop) == PINION_OK) put_loop(j, m, &loop);
    }
    pn_cli_json_close(j);
    if (pinion_model_loop_count(m) == 0) return;

    /* null where the loops cannot be closed */
    pn_cli_json_key(j, "mobility");
    if (find_mobility(m, &c) && c.status == PINION_OK) {
        pn_cli_put_mobility(j, &c.mobility);
        snprintf(doubt, size, "%s", c.doubt);
    } else {
        pn_cli_json_null(j);
    }
}
