/* The model's constants as symbols. What is zero, or rounding beside the model's size, is zero; right angles
 * are numbers; every other constant is a symbol whose value the legend gives. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "equations/equation_steps.h"
#include "model/build/describe.h"
#define num double
#include "model/constants.inc"
#undef num

#define QUARTER 1.57079632679489661923

/* A compiled body's numbers, as they are before they become symbols. */
typedef struct numbers {
    double mass, center[3], inertia[6], rotor;
    double length, branch, offset, pitch, place[3], ratio;
} numbers;

__attribute__((format(printf, 3, 4))) static pinion_status refuse(pinion_error *err, pinion_status status,
                                                                  const char *format, ...)
{
    va_list list;
    if (!err) return status;
    va_start(list, format);
    memset(err, 0, sizeof *err);
    err->status = status;
    vsnprintf(err->message, sizeof err->message, format, list);
    va_end(list);
    return status;
}

static pn_quoted joint_of(const pinion_model *m, int node, const char **type)
{
    pinion_joint_info joint;
    const char *name = "?";
    *type = "?";
    if (pinion_model_joint(m, pn_joint_of_node(m, node), &joint) == PINION_OK) {
        name = joint.name;
        *type = pinion_joint_type_name(joint.type);
    }
    return pn_quote(name);
}

/* whether equations can be written at all */
static pinion_status check_kind(const pinion_model *m, pinion_error *err)
{
    const pn_node *node = PN_AT_CONST(m, pn_node, m->nodes);
    pinion_loop_info loop;
    const char *type;
    if (m->n.loops && pinion_model_loop(m, 0, &loop) == PINION_OK)
        return refuse(err, PINION_ERR_LOOPS, "%s closes a loop; equations in closed form are those of trees",
                      pn_quote(loop.name).text);
    if (m->n.added)
        return refuse(err, PINION_ERR_UNSUPPORTED,
                      "links have added mass; equations in closed form are those of rigid bodies");
    if (m->n.elastic)
        return refuse(err, PINION_ERR_UNSUPPORTED,
                      "links are elastic; equations in closed form are those of rigid bodies");
    if (m->n.nodes <= 1) return refuse(err, PINION_ERR_UNSUPPORTED, "the model has no joint that moves");
    for (int i = 1; i < m->n.nodes; i++) {
        if (node[i].dense < 0) continue;
        const pn_quoted joint = joint_of(m, i, &type);
        return refuse(
            err, PINION_ERR_UNSUPPORTED,
            "joint %s is %s; equations in closed form need joints with one coordinate each, or cylindrical "
            "or universal ones",
            joint.text, type);
    }
    if (m->n.nodes > PN_EQ_MAX_NODES)
        return refuse(err, PINION_ERR_UNSUPPORTED,
                      "the model has %d moving bodies; nobody reads the equations of more than %d",
                      m->n.nodes - 1, PN_EQ_MAX_NODES - 1);
    return PINION_OK;
}

/* ---- numbers ---- */

/* the inertia about the centre of mass from that about the origin */
static void about_center(const pn_link *L, numbers *x)
{
    double scale = 0;
    for (int k = 0; k < 3; k++) x->center[k] = L->m > 0 ? L->h[k] / L->m : 0;
    const double *c = x->center, square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        x->inertia[k] = L->I[k] - L->m * ((row[k] == column[k] ? square : 0) - c[row[k]] * c[column[k]]);
        scale = fmax(scale, fabs(L->I[k]));
    }
    for (int k = 0; k < 6; k++)
        if (fabs(x->inertia[k]) < PN_EQ_TINY * scale) x->inertia[k] = 0;
}

static numbers numbers_of(const pn_node *node, const pn_link *L, double offset)
{
    numbers x;
    memset(&x, 0, sizeof x);
    x.mass = L->m;
    about_center(L, &x);
    x.rotor = L->rotor[0];
    if (node->place == PN_PLACE_X || node->place == PN_PLACE_ZX) x.length = L->ax;
    if (node->place == PN_PLACE_ZX) x.branch = L->az;
    for (int k = 0; node->place == PN_PLACE_DENSE && k < 3; k++) x.place[k] = L->dense.p[k];
    x.offset = L->d0 + (node->joint == PN_REVOLUTE ? 0 : L->sigma * offset);
    if (node->joint == PN_HELICAL) x.pitch = L->sigma;
    return x;
}

/* the model's size: its largest length */
static double size_of(const numbers *x, int nodes)
{
    double size = 0;
    for (int i = 1; i < nodes; i++) {
        const double all[] = {x[i].length,    x[i].branch,   x[i].offset,   x[i].center[0], x[i].center[1],
                              x[i].center[2], x[i].place[0], x[i].place[1], x[i].place[2]};
        for (size_t k = 0; k < sizeof all / sizeof *all; k++) size = fmax(size, fabs(all[k]));
    }
    return size;
}

static void snap(double *x, double tiny)
{
    if (fabs(*x) < tiny) *x = 0;
}

/* One quarter turn of the body's frame about z. */
static void turn_quarter(numbers *x)
{
    double *c = x->center, *I = x->inertia, t;
    t = c[0], c[0] = c[1], c[1] = -t;
    t = I[0], I[0] = I[3], I[3] = t;
    I[1] = -I[1];
    t = I[2], I[2] = I[4], I[4] = -t;
}

/* Nothing decides where x of a body without children points: to where the centre of mass is, or nearly so. */
static void turn_leaf(pn_eq_body *b, numbers *x)
{
    b->turn = 0;
    if (x->center[0] == 0 && x->center[1] == 0) return;
    while (!(x->center[0] > 0 && x->center[0] >= fabs(x->center[1])) && b->turn < 4) {
        turn_quarter(x);
        b->turn++;
    }
}

/* 1 or -1: z of a body as seen from its parent, where their axes are parallel; 0 where they are not */
static int parallel(const pn_node *node, const pn_link *L)
{
    if (node->place == PN_PLACE_NONE) return 1;
    if (node->place == PN_PLACE_DENSE || L->sx != 0) return 0;
    return L->cx > 0 ? 1 : -1;
}

/* Nothing decides where a body's origin is along z when the axes of all its children are parallel to its own,
 * or it has none: it goes to where there is no offset, and what follows is shifted in its place. */
static void shift_origin(const pinion_equations *e, const pn_node *node, const pn_link *link, int i,
                         numbers *x)
{
    const double d = x[i].offset;
    for (int k = i + 1; k < e->nodes; k++)
        if (e->parent[k] == i && !parallel(&node[k], &link[k])) return;
    for (int k = i + 1; k < e->nodes; k++)
        if (e->parent[k] == i) x[k].offset += parallel(&node[k], &link[k]) * d;
    x[i].center[2] += d;
    x[i].offset = 0;
}

/* ---- symbols ---- */

static int add_symbol(pinion_equations *e, int kind, int node, int sub, double value)
{
    if (value == 0) return -1;
    pn_eq_symbol *grown = pn_eq_grow(e, e->symbol, e->symbols, &e->symbol_room, sizeof *grown);
    if (!grown) return -1;
    e->symbol = grown;
    pn_eq_symbol *s = &e->symbol[e->symbols];
    memset(s, 0, sizeof *s);
    s->kind = kind;
    s->node = node;
    s->sub = sub;
    s->value = value;
    return e->symbols++;
}

static int add_angle(pinion_equations *e, int kind, int node, double value)
{
    pn_eq_angle *grown = pn_eq_grow(e, e->angle, e->angles, &e->angle_room, sizeof *grown);
    if (!grown) return -1;
    e->angle = grown;
    pn_eq_angle *a = &e->angle[e->angles];
    memset(a, 0, sizeof *a);
    a->kind = kind;
    a->node = node;
    a->value = value;
    return e->angles++;
}

static pn_eq_turn turn_of(pinion_equations *e, int kind, int node, double angle)
{
    const double quarters = floor(angle / QUARTER + 0.5), rest = angle - quarters * QUARTER;
    pn_eq_turn turn = {0, -1};
    if (fabs(rest) <= PN_EQ_SQUARE) {
        turn.quarters = (int)quarters;
        e->squared = fmax(e->squared, fabs(rest));
        e->squares += fabs(rest) > PN_EQ_TINY;
        return turn;
    }
    turn.angle = add_angle(e, kind, node, angle);
    return turn;
}

/* a rotation whose entries are 0, 1 and -1; zero when it is none */
static int square_rotation(pinion_equations *e, const double R[9], int out[9])
{
    for (int k = 0; k < 9; k++) {
        out[k] = R[k] > 0.5 ? 1 : R[k] < -0.5 ? -1 : 0;
        const double off = fabs(R[k] - out[k]);
        if (off > PN_EQ_SQUARE) return 0;
        e->squared = fmax(e->squared, off);
        e->squares += off > PN_EQ_TINY;
    }
    return 1;
}

/* the coordinate that a body moves with, and how */
static pinion_status follow(pinion_equations *e, const pinion_model *m, int i, double *offset, double *ratio,
                            pinion_error *err)
{
    const pn_node *node = PN_AT_CONST(m, pn_node, m->nodes);
    pn_eq_body *b = &e->body[i];
    b->own = node[i].v;
    b->slides = node[i].joint == PN_PRISMATIC;
    b->times = 1;
    *offset = *ratio = 0;
    if (!m->n.followers) return PINION_OK;
    const pn_map *map = PN_AT_CONST(m, pn_map, m->map_v);
    const pn_head *head = PN_AT_CONST(m, pn_head, m->f64);
    const pn_link *links = (const pn_link *)(head + 1);
    const pn_dof *dof = (const pn_dof *)((const pn_place *)(links + m->n.nodes) + m->n.frames);
    const pn_coordinate *c = (const pn_coordinate *)(dof + m->n.tree_nv);
    b->own = map[node[i].v].index;
    b->follows = node[i].follower;
    b->times = c[node[i].q].multiplier;
    *offset = c[node[i].q].offset;
    if (b->times == floor(b->times) && fabs(b->times) <= 20) return PINION_OK;
    if (node[i].joint == PN_PRISMATIC) {
        *ratio = b->times;
        b->times = 1;
        return PINION_OK;
    }
    const char *type;
    const pn_quoted joint = joint_of(m, i, &type);
    return refuse(
        err, PINION_ERR_UNSUPPORTED,
        "joint %s follows another %.6g times as far; equations in closed form need whole multiples of angles "
        "(up to 20), or --mimic independent",
        joint.text, b->times);
}

/* gravity in the base's frame: along one of its axes, or three components */
static void add_gravity(pinion_equations *e, const double a0[3])
{
    const double size = sqrt(a0[0] * a0[0] + a0[1] * a0[1] + a0[2] * a0[2]);
    double g[3];
    int parts = 0;
    for (int k = 0; k < 3; k++) {
        g[k] = -a0[k];
        snap(&g[k], PN_EQ_TINY * size);
        parts += g[k] != 0;
        e->gravity[k] = -1;
        e->sign[k] = 1;
    }
    for (int k = 0; k < 3; k++) {
        if (g[k] == 0) continue;
        e->gravity[k] = add_symbol(e, PN_EQ_GRAVITY, 0, parts == 1 ? -1 : k, parts == 1 ? fabs(g[k]) : g[k]);
        if (parts == 1) e->sign[k] = g[k] > 0 ? 1 : -1;
    }
}

/* all symbols, kind after kind */
static void add_symbols(pinion_equations *e, const numbers *x, const pn_head *head)
{
    const int n = e->nodes;
    for (int i = 1; i < n; i++) e->body[i].mass = add_symbol(e, PN_EQ_MASS, i, 0, x[i].mass);
    add_gravity(e, head->a0);
    for (int i = 1; i < n; i++) e->body[i].ratio = add_symbol(e, PN_EQ_RATIO, i, 0, x[i].ratio);
    for (int i = 1; i < n; i++) e->body[i].length = add_symbol(e, PN_EQ_LENGTH, i, 0, x[i].length);
    for (int i = 1; i < n; i++) e->body[i].branch = add_symbol(e, PN_EQ_BRANCH, i, 0, x[i].branch);
    for (int i = 1; i < n; i++)
        for (int k = 0; k < 3; k++) e->body[i].place[k] = add_symbol(e, PN_EQ_PLACE, i, k, x[i].place[k]);
    for (int i = 1; i < n; i++) e->body[i].offset = add_symbol(e, PN_EQ_OFFSET, i, 0, x[i].offset);
    for (int i = 1; i < n; i++) e->body[i].pitch = add_symbol(e, PN_EQ_PITCH, i, 0, x[i].pitch);
    for (int i = 1; i < n; i++)
        for (int k = 0; k < 3; k++) e->body[i].center[k] = add_symbol(e, PN_EQ_CENTER, i, k, x[i].center[k]);
    for (int i = 1; i < n; i++)
        for (int k = 0; k < 6; k++)
            e->body[i].inertia[k] = add_symbol(e, PN_EQ_INERTIA, i, k, x[i].inertia[k]);
    for (int i = 1; i < n; i++) e->body[i].rotor = add_symbol(e, PN_EQ_ROTOR, i, 0, x[i].rotor);
}

/* coordinates: angles, displacements, or both */
static void add_coordinates(pinion_equations *e, const pn_node *node)
{
    for (int k = 0; k < e->nv; k++) {
        int turns = 0, shifts = 0;
        for (int i = 1; i < e->nodes; i++) {
            if (e->body[i].own != k) continue;
            turns |= node[i].joint != PN_PRISMATIC;
            shifts |= node[i].joint != PN_REVOLUTE;
        }
        e->q_angle[k] = turns ? add_angle(e, PN_EQ_ANGLE_Q, k, 0) : -1;
        e->q_symbol[k] = shifts ? add_symbol(e, PN_EQ_POSITION, k, 0, 1) : -1;
    }
}

/* where a body sits on its parent */
static pinion_status place(pinion_equations *e, const pinion_model *m, int i, const pn_link *L, double offset,
                           pinion_error *err)
{
    const pn_node *node = PN_AT_CONST(m, pn_node, m->nodes) + i;
    const int x = node->place == PN_PLACE_X || node->place == PN_PLACE_ZX;
    pn_eq_body *b = &e->body[i];
    const pn_eq_turn none = {0, -1};
    b->twist = x ? turn_of(e, PN_EQ_ANGLE_TWIST, i, atan2(L->sx, L->cx)) : none;
    b->about = node->place == PN_PLACE_ZX ? turn_of(e, PN_EQ_ANGLE_BRANCH, i, atan2(L->sz, L->cz)) : none;
    b->start = turn_of(e, PN_EQ_ANGLE_JOINT, i,
                       atan2(L->s0, L->c0) + (node->joint == PN_PRISMATIC ? 0 : L->rho * offset));
    b->start.quarters += b->turn;
    static const int identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(b->dense, identity, sizeof identity);
    if (node->place != PN_PLACE_DENSE || square_rotation(e, L->dense.R, b->dense)) return PINION_OK;
    const char *type;
    const pn_quoted joint = joint_of(m, i, &type);
    return refuse(
        err, PINION_ERR_UNSUPPORTED,
        "the axis of joint %s is nearly but not quite parallel to the one before; equations in closed form "
        "need axes that are parallel or clearly not",
        joint.text);
}

pinion_status pn_eq_symbols(pinion_equations *e, const pinion_model *m, pinion_error *err)
{
    pinion_status status = check_kind(m, err);
    if (status != PINION_OK) return status;
    const pn_node *node = PN_AT_CONST(m, pn_node, m->nodes);
    const pn_head *head = PN_AT_CONST(m, pn_head, m->f64);
    const pn_link *link = (const pn_link *)(head + 1);

    /* memory */
    e->nv = m->n.nv;
    e->nq = m->n.nq;
    e->nodes = m->n.nodes;
    e->body = pn_eq_take(e, (size_t)e->nodes, sizeof *e->body);
    e->parent = pn_eq_take(e, (size_t)e->nodes, sizeof(int));
    e->children = pn_eq_take(e, (size_t)e->nodes, sizeof(int));
    e->q_symbol = pn_eq_take(e, (size_t)e->nv, sizeof(int));
    e->q_angle = pn_eq_take(e, (size_t)e->nv, sizeof(int));
    numbers *x = pn_eq_take(e, (size_t)e->nodes, sizeof *x);
    double *offset = pn_eq_take(e, (size_t)e->nodes, sizeof *offset);
    if (e->failed) return refuse(err, PINION_ERR_MEMORY, "out of memory");

    /* numbers, with rounding taken for zero */
    for (int i = 1; i < e->nodes; i++) {
        double ratio;
        status = follow(e, m, i, &offset[i], &ratio, err);
        if (status != PINION_OK) return status;
        e->parent[i] = node[i].parent;
        e->children[node[i].parent]++;
        x[i] = numbers_of(&node[i], &link[i], offset[i]);
        x[i].ratio = ratio;
    }
    const double tiny = PN_EQ_TINY * size_of(x, e->nodes);
    for (int i = 1; i < e->nodes; i++) {
        shift_origin(e, node, link, i, x);
        for (int k = 0; k < 3; k++) snap(&x[i].center[k], tiny), snap(&x[i].place[k], tiny);
        snap(&x[i].length, tiny), snap(&x[i].branch, tiny), snap(&x[i].offset, tiny);
        if (!e->children[i]) turn_leaf(&e->body[i], &x[i]);
    }

    /* symbols; coordinates' angles first, so that they lead in sums */
    add_symbols(e, x, head);
    add_coordinates(e, node);
    for (int i = 1; i < e->nodes && status == PINION_OK; i++) status = place(e, m, i, &link[i], offset[i], err);
    if (status != PINION_OK) return status;
    if (e->failed) return refuse(err, PINION_ERR_MEMORY, "out of memory");
    e->stride = e->symbols + e->angles + 1;
    if (e->stride > 512 || e->angles > 250)
        return refuse(err, PINION_ERR_UNSUPPORTED,
                      "the model has %d constants; nobody reads equations with so many", e->symbols);
    return PINION_OK;
}
