/* The constants that an edit may change: gravity, merged inertias, named frames. The compiler uses the
 * same functions, so an edit that is taken back leaves the same bits. */
#include <math.h>
#include <string.h>

#include "model/pose.h"
#include "model/record.h"

/* What is nothing in float: its products are too small for it, and a processor takes a hundred times as long for those.
 * Turns by a right angle leave such numbers in rotations and inertias. */
#define NOTHING_IN_FLOAT 1e-30

void pn_narrow(pinion_model *m, const void *first, size_t bytes)
{
    const double *table = PN_AT_CONST(m, double, m->f64), *from = first;
    float *to = PN_AT(m, float, m->f32) + (from - table);
    for (size_t i = 0; i < bytes / sizeof(double); i++) to[i] = fabs(from[i]) < NOTHING_IN_FLOAT ? 0 : (float)from[i];
}

void pn_set_gravity(pinion_model *m)
{
    pn_head *head = pn_head_of(m);
    memcpy(head->gravity, m->gravity, sizeof head->gravity);
    pn_rotate_back(head->base.R, m->gravity, head->a0);
    for (int i = 0; i < 3; i++) head->a0[i] = 0.0 - head->a0[i];
    pn_narrow(m, head, sizeof *head);
}

/* Adds one rigid body, given in a link's frame, to the inertia about the compiled body's origin. */
static void add_inertia(pn_link *sum, const pn_place *link, const pinion_inertia *inertia)
{
    double m = inertia->mass, c[3];
    pn_rotate(link->R, inertia->com, c);
    for (int i = 0; i < 3; i++) c[i] += link->p[i];

    /* about the centre of mass, turned: R Ic R' */
    const double *I = inertia->inertia;
    double full[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]}, half[9], turned[9];
    pn_matrix_mul(link->R, full, half);
    for (int i = 0; i < 3; i++) pn_rotate(link->R, half + 3 * i, turned + 3 * i);

    /* to the origin: + m (c.c 1 - c c') */
    sum->m += m;
    for (int i = 0; i < 3; i++) sum->h[i] += m * c[i];
    sum->I[0] += turned[0] + m * (c[1] * c[1] + c[2] * c[2]);
    sum->I[1] += turned[1] - m * c[0] * c[1];
    sum->I[2] += turned[2] - m * c[0] * c[2];
    sum->I[3] += turned[4] + m * (c[0] * c[0] + c[2] * c[2]);
    sum->I[4] += turned[5] - m * c[1] * c[2];
    sum->I[5] += turned[8] + m * (c[0] * c[0] + c[1] * c[1]);
}

/* Adds a link and its payload to the body it is part of. */
static void add_link(pinion_model *m, int link, pn_link *sum)
{
    static const pinion_inertia nothing = {0, {0, 0, 0}, {0, 0, 0, 0, 0, 0}};
    const pn_link_record *record = PN_AT_CONST(m, pn_link_record, m->link) + link;
    const pn_place *place = &pn_frames_of(m)[link]; /* a link's frame has its number */
    add_inertia(sum, place, &record->inertia);
    if (memcmp(&record->payload, &nothing, sizeof nothing) != 0) add_inertia(sum, place, &record->payload);
}

void pn_merge_inertia(pinion_model *m, int node)
{
    const int *frame_node = PN_AT_CONST(m, int, m->frame_node);
    pn_link *constants = &pn_links_of(m)[node], sum;
    memset(&sum, 0, sizeof sum);
    for (int i = 0; i < m->links; i++) {
        if (frame_node[i] == node) add_link(m, i, &sum);
    }
    if (node == 0) {
        m->fixed_mass = sum.m;
        return;
    }
    constants->m = sum.m;
    memcpy(constants->h, sum.h, sizeof sum.h);
    memcpy(constants->I, sum.I, sizeof sum.I);
    pn_narrow(m, constants, sizeof *constants);
}

void pn_merge_all(pinion_model *m)
{
    /* links in order, as for one body, so that the sums have the same bits */
    const int *frame_node = PN_AT_CONST(m, int, m->frame_node);
    pn_link base;
    memset(&base, 0, sizeof base);
    for (int i = 0; i < m->links; i++) add_link(m, i, frame_node[i] ? &pn_links_of(m)[frame_node[i]] : &base);
    m->fixed_mass = base.m;
}

/* How far a body's origin is from its parent's, the joint's own displacement left out. */
static double reach(const pn_node *n, const pn_link *L)
{
    const double *p = L->dense.p;
    const double place = n->place == PN_PLACE_DENSE ? sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2])
                                                    : fabs(L->ax) + fabs(L->az);
    return place + fabs(L->d0);
}

/* The largest inertia that what is behind each joint can have, for the test of singular pivots: with K the
 * sum of m r^2 about a body's origin, sqrt(K) grows by no more than the reach times sqrt(m). */
static void measure_subtrees(pinion_model *m)
{
    const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
    pn_link *L = pn_links_of(m);
    for (int i = 0; i < m->n.nodes; i++) {
        L[i].turning = 0.5 * (fabs(L[i].I[0]) + fabs(L[i].I[3]) + fabs(L[i].I[5]));
        L[i].shifting = L[i].m;
        if (!nodes[i].added) continue;
        const pn_added *A = &pn_added_of(m)[nodes[i].added - 1];
        L[i].turning += 0.5 * (A->J[0] + A->J[3] + A->J[5]);
        L[i].shifting += A->M[0] + A->M[3] + A->M[5];
    }
    for (int i = m->n.nodes - 1; i > 0; i--) {
        const double root = sqrt(L[i].turning) + reach(&nodes[i], &L[i]) * sqrt(L[i].shifting);
        L[nodes[i].parent].turning += root * root;
        L[nodes[i].parent].shifting += L[i].shifting;
    }
    /* as traces of the blocks of a 6 x 6 inertia */
    for (int i = 0; i < m->n.nodes; i++) {
        L[i].turning *= 2;
        L[i].shifting *= 3;
    }
    pn_narrow(m, L, (size_t)m->n.nodes * sizeof *L);
}

void pn_sum_mass(pinion_model *m)
{
    measure_subtrees(m);
    pn_head *head = pn_head_of(m);
    head->mass = 0;
    for (int i = 1; i < m->n.nodes; i++) head->mass += pn_links_of(m)[i].m;
    m->mass = head->mass;
    pn_narrow(m, head, sizeof *head);
}

void pn_set_named_frame(pinion_model *m, int frame)
{
    const pn_frame_record *record = PN_AT_CONST(m, pn_frame_record, m->frame) + (frame - m->links);
    pn_place *place = &pn_frames_of(m)[frame];
    const int *frame_node = PN_AT_CONST(m, int, m->frame_node), node = frame_node[frame];
    pinion_pose link = pn_pose_of(&pn_frames_of(m)[record->link]);
    if (node != frame_node[record->link]) { /* a place of an elastic link, which is given in the body's frame */
        const pinion_pose base = pn_pose_of(&pn_head_of(m)->base), rest = pn_pose_of(&pn_links_of(m)[node].dense);
        if (frame_node[record->link] == 0) link = pn_pose_between(&base, &link);
        link = pn_pose_between(&rest, &link);
    }
    pinion_pose pose = pn_pose_mul(&link, &record->pose);
    *place = pn_place_of(&pose);
    pn_narrow(m, place, sizeof *place);
}

/* Two hashes side by side, each of every word. Nobody gains by two models that share them: code for the one would give
 * its results for the other. */
static void hash(const void *data, size_t bytes, uint64_t h[2])
{
    uint64_t a = h[0], b = h[1];
    for (size_t at = 0; at < bytes; at += sizeof a) {
        uint64_t word = 0;
        memcpy(&word, (const char *)data + at, bytes - at < sizeof word ? bytes - at : sizeof word);
        a = (a ^ word) * 0x9e3779b97f4a7c15u;
        b = (b ^ word) * 0xc2b2ae3d27d4eb4fu;
        a ^= a >> 32;
        b ^= b >> 29;
    }
    h[0] = a;
    h[1] = b ^ bytes;
}

void pn_set_content(pinion_model *m)
{
    const pn_counts *n = &m->n;
    uint64_t h[2] = {m->structure, ~m->structure};
    hash(PN_AT_CONST(m, int, m->frame_node), (size_t)n->frames * sizeof(int), h);
    hash(PN_AT_CONST(m, int, m->body_node), (size_t)n->bodies * sizeof(int), h);
    if (m->map_q) hash(PN_AT_CONST(m, pn_map, m->map_q), (size_t)n->tree_nq * sizeof(pn_map), h);
    if (m->map_v) hash(PN_AT_CONST(m, pn_map, m->map_v), (size_t)n->tree_nv * sizeof(pn_map), h);
    hash(PN_AT_CONST(m, double, m->f64), (size_t)m->constants * sizeof(double), h);
    m->content[0] = h[0];
    m->content[1] = h[1];
}
