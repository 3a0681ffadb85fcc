/* Added mass of compiled bodies, from that of their links. */
#include "model/compile/compile_model.h"

#include <string.h>

#include "model/pose.h"

/* Adds a matrix, given in a link's frame. A force f at a link is F f at the body's origin, with F = [R, p x R; 0, R],
 * and the link's velocity is F' v: so the matrix becomes F A F'. */
static void add_matrix(pn_added *sum, const pn_place *link, const double *A)
{
    static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    double F[6][6], half[6][6], full[6][6];
    memset(F, 0, sizeof F);
    for (int j = 0; j < 3; j++) {
        const double column[3] = {link->R[j], link->R[3 + j], link->R[6 + j]};
        double moment[3];
        pn_cross3(link->p, column, moment);
        for (int i = 0; i < 3; i++) {
            F[i][j] = F[3 + i][3 + j] = column[i];
            F[i][3 + j] = moment[i];
        }
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            half[i][j] = 0;
            for (int k = 0; k < 6; k++) half[i][j] += F[i][k] * A[6 * k + j];
        }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            full[i][j] = 0;
            for (int k = 0; k < 6; k++) full[i][j] += half[i][k] * F[j][k];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (i <= j) sum->J[place[i][j]] += full[i][j];
            if (i <= j) sum->M[place[i][j]] += full[3 + i][3 + j];
            sum->H[3 * i + j] += full[i][3 + j];
        }
}

void pn_merge_added(pinion_model *m)
{
    const pn_link_record *record = PN_AT_CONST(m, pn_link_record, m->link);
    const int *frame_node = PN_AT_CONST(m, int, m->frame_node);
    pn_node *nodes = PN_AT(m, pn_node, m->nodes);
    int count = 0;
    for (int i = 0; i < m->links; i++)
        if (record[i].added && frame_node[i]) nodes[frame_node[i]].added = 1;
    for (int i = 1; i < m->n.nodes; i++)
        if (nodes[i].added) nodes[i].added = ++count;
    for (int i = 0; i < m->links; i++)
        if (record[i].added && frame_node[i])
            add_matrix(&pn_added_of(m)[nodes[frame_node[i]].added - 1], &pn_frames_of(m)[i],
                       PN_AT_CONST(m, double, m->added) + 36 * (record[i].added - 1));
}
