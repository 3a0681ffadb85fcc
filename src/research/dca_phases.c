/* Divide and conquer in parts: phases of independent items, for threads; and in lanes, a joint in each. */
#include "pinion/research/parallel.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "api/api.h"
#include "kernel/forward_dynamics/logn/dca.h"
#include "api/registry.h"
#define PN_T double
#include "api/quaternions.inc"

#define UNIT_TOLERANCE 1e-6

enum { LANES_MAX = 8, RECORD_MAX = PN_DCA_JOINT_REALS }; /* of double in a pack; the largest record */
_Static_assert((int)RECORD_MAX >= PN_DCA_PIECE_REALS && (int)RECORD_MAX >= PN_DCA_LIMB_REALS &&
                   (int)RECORD_MAX >= PN_DCA_DOF_REALS,
               "a record that joins read or write does not fit into its place in a pack");

struct pinion_parallel {
    const pinion_model *m;
    const pn_backend *pack; /* NULL: no lanes */
    pn_dca_view view;
    pn_ctx ctx;
    pn_io io; /* of the call that was begun */
    void *heap;
};

static pn_io part(const pinion_parallel *p, int step, int first, int end)
{
    pn_io io = p->io;
    io.option = step;
    io.frame = first;
    io.frame_count = end;
    return io;
}

pinion_parallel *pinion_parallel_new(const pinion_model *m, pinion_error *err)
{
    const int algorithm = PN_K_divide_and_conquer - PN_FIRST_ALGORITHM;
    if (!m) return NULL;
    if (pinion_algorithm_applies(algorithm, m, err) != PINION_OK) return NULL;
    pinion_parallel *p = calloc(1, sizeof *p);
    const uint64_t reals = pn_work_reals(&m->n) + pn_algorithm_room(algorithm, &m->n);
    if (p) p->heap = pn_take(pn_bytes(reals, sizeof(double), 64));
    if (!p || !p->heap) {
        if (err) {
            memset(err, 0, sizeof *err);
            err->status = PINION_ERR_MEMORY;
            snprintf(err->message, sizeof err->message, "%s", pinion_status_text(PINION_ERR_MEMORY));
        }
        free(p);
        return NULL;
    }
    p->m = m;
    p->ctx = pn_context(m, sizeof(double), pn_align(p->heap));
    p->io.out[2] = &p->view;
    const pn_io io = part(p, PN_DCA_PLAN, 0, 0);
    pn_complete_for_calls(sizeof(double))->kernel[PN_K_dca_step](&p->ctx, &io);
    return p;
}

void pinion_parallel_free(pinion_parallel *p)
{
    if (!p) return;
    free(p->heap);
    free(p);
}

int pinion_parallel_lanes(pinion_parallel *p, int on)
{
    const pn_backend *pack = pn_complete_for_batches(sizeof(double));
    if (!p) return 0;
    p->pack = on && pack->lanes > 1 && pack->lanes <= LANES_MAX ? pack : NULL;
    return p->pack ? p->pack->lanes : 1;
}

pinion_status pinion_parallel_begin(pinion_parallel *p, const double *q, const double *v, const double *tau,
                                    const double *f_ext, double *a)
{
    if (!p || !q || !a) return PINION_ERR_ARGUMENT;
    if (bad_quaternion(p->m, q, UNIT_TOLERANCE)) return PINION_ERR_QUATERNION;
    p->io.q = q;
    p->io.v = v;
    p->io.tau = tau;
    p->io.f_ext = f_ext;
    p->io.out[0] = a;
    return PINION_OK;
}

/* ---- phases ---- */

int pinion_parallel_phases(const pinion_parallel *p)
{
    return p ? 2 + 4 * *p->view.levels : 0;
}

/* the step of a phase, and its level; -1: it is for bodies */
static int step_of(const pinion_parallel *p, int phase, int *level)
{
    static const struct {
        int step, direction;
    } row[] = {{PN_DCA_DISPLACE, 0}, {PN_DCA_COMPOSE, 1},  {PN_DCA_HAND_VELOCITY, -1},
               {PN_DCA_BEGIN, 0},    {PN_DCA_ASSEMBLE, 1}, {PN_DCA_HAND, -1}};
    const int levels = *p->view.levels;
    int at = 0;
    while (at < 5 && phase >= (row[at].direction ? levels : 1)) phase -= row[at++].direction ? levels : 1;
    *level = row[at].direction == 0 ? -1 : row[at].direction > 0 ? phase : levels - 1 - phase;
    return row[at].step;
}

int pinion_parallel_items(const pinion_parallel *p, int phase)
{
    int level;
    if (!p || phase < 0 || phase >= pinion_parallel_phases(p)) return 0;
    const int step = step_of(p, phase, &level);
    if (level < 0) return p->m->n.nodes - 1;
    if (!p->io.v && (step == PN_DCA_COMPOSE || step == PN_DCA_HAND_VELOCITY)) return 0;
    return p->view.first[level + 1] - p->view.first[level];
}

/* ---- lanes ---- */

/* whether two operations are joins that may share a pack: joints of one freedom and one kind, and single bodies on
 * the same sides */
static int alike(const pinion_parallel *p, int a, int b)
{
    const int N = p->m->n.nodes;
    const pn_node *node = p->ctx.node;
    const pn_dca_view *x = &p->view;
    if (a >= N || b >= N || x->head[a] || x->head[b] || node[a].dense >= 0) return 0;
    return node[a].joint == node[b].joint && !node[a].rotors == !node[b].rotors &&
           (x->left[a] < N) == (x->left[b] < N) && (x->right[a] < N) == (x->right[b] < N);
}

/* one record of each lane, between their own places and a pack */
static void gather(const double *const from[], size_t reals, int lanes, double *pack)
{
    for (size_t e = 0; e < reals; e++)
        for (int l = 0; l < lanes; l++) pack[e * (size_t)lanes + (size_t)l] = from[l][e];
}

static void scatter(const double *pack, size_t reals, int lanes, double *const to[])
{
    for (size_t e = 0; e < reals; e++)
        for (int l = 0; l < lanes; l++) to[l][e] = pack[e * (size_t)lanes + (size_t)l];
}

/* the record of a piece: of an assembly or, below N, of a body with its limbs */
static double *record_of(const pinion_parallel *p, int piece)
{
    const size_t N = (size_t)p->m->n.nodes, at = (size_t)piece;
    if (at < N) return (double *)p->view.own + at * p->view.limb_reals;
    return (double *)p->view.piece + (at - N) * p->view.piece_reals;
}

/* the joins of as many alike operations as the pack has lanes */
static void join_lanes(const pinion_parallel *p, const int *operation)
{
    _Alignas(64) double pack[5][RECORD_MAX * LANES_MAX], tau_pack[LANES_MAX];
    const pn_dca_view *x = &p->view;
    const int lanes = p->pack->lanes, N = p->m->n.nodes, first = operation[0];
    const int single[2] = {x->left[first] < N, x->right[first] < N};
    const double *side[2][LANES_MAX], *tau = p->io.tau;
    double *joint[LANES_MAX], *dof[LANES_MAX], *out[LANES_MAX];
    for (int l = 0; l < lanes; l++) {
        const int o = operation[l], v = p->ctx.node[o].v;
        side[0][l] = record_of(p, x->left[o]);
        side[1][l] = record_of(p, x->right[o]);
        joint[l] = (double *)x->joint + (size_t)o * x->joint_reals;
        dof[l] = (double *)x->dof + (size_t)v * x->dof_reals;
        out[l] = record_of(p, N + o);
        tau_pack[l] = tau ? tau[v] : 0;
    }
    for (int k = 0; k < 2; k++) gather(side[k], single[k] ? x->limb_reals : x->piece_reals, lanes, pack[k]);
    gather((const double *const *)joint, x->joint_reals, lanes, pack[2]);

    pn_dca_operands operands = {single[0] ? pack[0] : NULL, single[0] ? NULL : pack[0],
                                single[1] ? pack[1] : NULL, single[1] ? NULL : pack[1],
                                pack[2], pack[3], pack[4], tau ? tau_pack : NULL};
    const pn_io io = {.out = {&operands}, .frame = first};
    p->pack->kernel[PN_K_dca_join](&p->ctx, &io);
    scatter(pack[2], x->joint_reals, lanes, joint);
    scatter(pack[3], x->dof_reals, lanes, dof);
    scatter(pack[4], x->piece_reals, lanes, out);
}

/* assemblies [first, end) of the plan's order, in lanes where enough in a row are alike */
static void assemble_lanes(const pinion_parallel *p, int first, int end)
{
    const int lanes = p->pack->lanes;
    const int *order = p->view.order;
    while (first < end) {
        int count = 1;
        while (count < lanes && first + count < end && alike(p, order[first], order[first + count])) count++;
        if (count == lanes && alike(p, order[first], order[first])) {
            join_lanes(p, order + first);
        } else {
            const pn_io io = part(p, PN_DCA_ASSEMBLE, first, first + count);
            pn_complete_for_calls(sizeof(double))->kernel[PN_K_dca_step](&p->ctx, &io);
        }
        first += count;
    }
}

/* ---- running ---- */

void pinion_parallel_run(pinion_parallel *p, int phase, int first, int end)
{
    int level;
    const int items = pinion_parallel_items(p, phase);
    if (first < 0) first = 0;
    if (end > items) end = items;
    if (first >= end) return;
    const int step = step_of(p, phase, &level), begin = level < 0 ? 1 : p->view.first[level];
    if (step == PN_DCA_ASSEMBLE && p->pack) {
        assemble_lanes(p, begin + first, begin + end);
        return;
    }
    const pn_io io = part(p, step, begin + first, begin + end);
    pn_complete_for_calls(sizeof(double))->kernel[PN_K_dca_step](&p->ctx, &io);
}

pinion_status pinion_parallel_end(pinion_parallel *p)
{
    double margin = 1;
    if (!p || !p->io.out[0]) return PINION_ERR_ARGUMENT;
    p->io.out[1] = &margin;
    const pn_io io = part(p, PN_DCA_MARGIN, 0, 0);
    pn_complete_for_calls(sizeof(double))->kernel[PN_K_dca_step](&p->ctx, &io);
    p->io.out[1] = NULL;
    return margin <= 0 ? PINION_ERR_SINGULAR : PINION_OK;
}
