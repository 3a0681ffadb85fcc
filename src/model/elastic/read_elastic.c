/* Elastic links read back, and where their places are. */
#include <math.h>
#include <string.h>

#include "model/pose.h"
#include "model/record.h"

int pinion_model_elastic_count(const pinion_model *m)
{
    return m ? m->n.elastic : 0;
}

static const double *matrices(const pinion_model *m, const pn_elastic *e)
{
    return pn_shapes_of((pinion_model *)(uintptr_t)m) + e->matrices;
}

/* the next place on an elastic link, past i; e->end behind the last */
static int next_place(const pinion_model *m, int index, int i)
{
    const pn_elastic *e = PN_AT_CONST(m, pn_elastic, m->elastic) + index;
    const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
    for (i = i < e->first ? e->first : nodes[i].end; i < e->end && nodes[i].elastic != index + 1; i = nodes[i].end) {}
    return i;
}

pinion_status pinion_model_elastic(const pinion_model *m, int index, pinion_elastic_info *out)
{
    if (!m || !out || index < 0 || index >= m->n.elastic) return PINION_ERR_ARGUMENT;
    const pn_elastic *e = PN_AT_CONST(m, pn_elastic, m->elastic) + index;
    const pn_bent_record *record = PN_AT_CONST(m, pn_bent_record, m->bent) + index;
    const double *data = PN_AT_CONST(m, double, m->bent_data);
    const int square = e->modes * e->modes;
    memset(out, 0, sizeof *out);
    out->def = pn_elastic_unpack(&record->described, data);
    out->link = record->link;
    const pn_joint_record *joint = PN_AT_CONST(m, pn_joint_record, m->joint) + record->joint;
    out->q_index = joint->q_index;
    out->v_index = joint->v_index;
    out->modes = e->modes;
    for (int i = next_place(m, index, -1); i < e->end; i = next_place(m, index, i)) out->places++;
    const int points = pn_elastic_point_count(&out->def);
    for (int p = 0; p < points; p++) {
        double mass, inertia[6];
        pn_elastic_point(&out->def, p, &mass, inertia);
        out->mass += mass;
    }
    out->frequency = data + record->modal;
    out->modal_mass = out->frequency + e->modes;
    out->stiffness = matrices(m, e) + square;
    out->damping = matrices(m, e) + 2 * square;
    return PINION_OK;
}

/* The pose of a place in the link's frame, by the equations of elastic.inc. */
static pinion_pose pose_of_place(const pinion_model *m, const pn_node *node, const double *x)
{
    const int n = node->nv;
    const double *shift = pn_shapes_of((pinion_model *)(uintptr_t)m) + node->shape, *turn = shift + 3 * n;
    const double *shift2 = turn + 3 * n, *turn2 = shift2 + 3 * n * n;
    double u[3] = {0, 0, 0}, r[3] = {0, 0, 0};
    for (int k = 0; k < n; k++)
        for (int d = 0; d < 3; d++) {
            u[d] += shift[3 * k + d] * x[k];
            r[d] += turn[3 * k + d] * x[k];
            for (int l = 0; l < n; l++) {
                u[d] += shift2[3 * (k * n + l) + d] * x[k] * x[l] / 2;
                r[d] += turn2[3 * (k * n + l) + d] * x[k] * x[l] / 2;
            }
        }
    pinion_pose moved = pinion_pose_identity();
    const double q[4] = {1, r[0], r[1], r[2]}, c = 2 / (1 + pn_dot3(r, r));
    memcpy(moved.position, u, sizeof u);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double skew = i == j ? 0 : ((j - i + 3) % 3 == 1 ? -1 : 1) * q[1 + 3 - i - j];
            moved.rotation[3 * i + j] = (i == j ? 1 - c * pn_dot3(r, r) : 0) + c * (r[i] * r[j] + skew);
        }
    return moved;
}

pinion_status pinion_elastic_places(const pinion_model *m, int index, const double *q, double *at, pinion_pose *pose)
{
    pinion_elastic_info info;
    const pinion_status status = pinion_model_elastic(m, index, &info);
    if (status != PINION_OK || !q) return PINION_ERR_ARGUMENT;
    if (info.places > 2 * PINION_ELASTIC_MAX_NODES) return PINION_ERR_UNSUPPORTED;
    const pn_elastic *e = PN_AT_CONST(m, pn_elastic, m->elastic) + index;
    const int *frame_node = PN_AT_CONST(m, int, m->frame_node);
    pinion_model *block = (pinion_model *)(uintptr_t)m; /* only read */
    pinion_pose link = pn_pose_of(&pn_frames_of(block)[info.link]), base = pn_pose_of(&pn_head_of(block)->base);
    if (frame_node[info.link] == 0) link = pn_pose_between(&base, &link);

    /* the places by how far out they are: few, so each goes up to where it belongs */
    double far[2 * PINION_ELASTIC_MAX_NODES];
    int count = 0;
    for (int i = next_place(m, index, -1); i < e->end; i = next_place(m, index, i), count++) {
        const pinion_pose rest = pn_pose_of(&pn_links_of(block)[i].dense), on = pn_pose_between(&link, &rest);
        const double station = pn_elastic_station(&info.def, &on);
        const double along = pn_elastic_along(&info.def, station < 0 ? 0 : station);
        const pinion_pose moved = pose_of_place(m, PN_AT_CONST(m, pn_node, m->nodes) + i, q + info.q_index);
        int to = count;
        for (; to > 0 && far[to - 1] > along; to--) {
            far[to] = far[to - 1];
            if (at) at[to] = at[to - 1];
            if (pose) pose[to] = pose[to - 1];
        }
        far[to] = along;
        if (at) at[to] = along;
        if (pose) pose[to] = pn_pose_mul(&on, &moved);
    }
    return PINION_OK;
}
