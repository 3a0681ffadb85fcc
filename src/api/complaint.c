/* Says in words what a call objected to. */
#include <stdio.h>
#include "api/api.h"
#define num double
#include "model/constants.inc"
#undef num

int pn_joint_of_node(const pinion_model *m, int node)
{
    const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
    pinion_body_info body;
    /* a place of an elastic link belongs to what the link is clamped to */
    while (nodes[node].joint == PN_ELASTIC && nodes[node].body < 0 && node > 0) node = nodes[node].parent;
    if (node == 0) return -1;
    /* the massless half of a cylindrical or universal joint belongs to the body behind it */
    if (nodes[node].body < 0) node++;
    return pinion_model_body(m, nodes[node].body, &body) == PINION_OK ? body.joint : -1;
}

static int has_inertia(const pn_node *n, const pn_link *L)
{
    double sum = L->m;
    for (int i = 0; i < 6; i++) sum += L->I[i] < 0 ? -L->I[i] : L->I[i];
    for (int d = 0; d < n->nv; d++) sum += L->rotor[d];
    return sum > 0;
}

int pn_massless_joint(const pinion_model *m)
{
    const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
    const pn_link *links = (const pn_link *)(PN_AT_CONST(m, pn_head, m->f64) + 1);
    for (int i = 1; i < m->n.nodes; i++) {
        int heavy = 0;
        for (int j = i; j < nodes[i].end && !heavy; j++) heavy = has_inertia(&nodes[j], &links[j]);
        if (!heavy) return pn_joint_of_node(m, i);
    }
    return -1;
}

void pn_complain(const pinion_model *m, const pn_complaint *c, char *text, size_t size)
{
    static const char *const argument[] = {"", "q is NULL", "an output is NULL",
                                           "the frame's index is out of range",
                                           "the reference is none of the known ones",
                                           "the algorithm is not one for this problem", "an input is NULL",
                                           "there may be 0 to 6 constraints, each with a row of A and a b",
                                           "the kind of acceleration is none of the known ones"};
    const char *reason = pinion_status_text(c->status);
    if (c->argument == PN_ARG_LENGTH)
        reason = "a quaternion in q cannot be normalized, its length is not within 1e-9 and 1e9";
    if (c->argument == PN_ARG_MODEL) reason = "the model is NULL";
    if (c->argument == PN_ARG_TARGET) reason = "a quaternion in q_target is not of unit length";
    pinion_joint_info joint;
    if (c->status == PINION_ERR_ARGUMENT && c->argument && c->argument <= PN_ARG_KIND)
        snprintf(text, size, "%s", argument[c->argument]);
    else if (c->joint >= 0 && pinion_model_joint(m, c->joint, &joint) == PINION_OK)
        snprintf(text, size, "%s: joint '%.200s'", reason, joint.name);
    else
        snprintf(text, size, "%s", reason);
}
