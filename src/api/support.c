/* What both precisions of the API share and the hot paths do not need. */
#include <math.h>
#include "api/api.h"
#include "base/random.h"
#include "base/vec3.h"
#define num double
#include "model/constants.inc"
#undef num

/* n += p x f */
static void add_moment(const double p[3], const double f[3], double sign, double n[3])
{
    n[0] += sign * (p[1] * f[2] - p[2] * f[1]);
    n[1] += sign * (p[2] * f[0] - p[0] * f[2]);
    n[2] += sign * (p[0] * f[1] - p[1] * f[0]);
}

int pn_force_on_body(const pinion_model *m, int frame, double f[6])
{
    const int node = PN_AT_CONST(m, int, m->frame_node)[frame];
    const pn_link *links = (const pn_link *)(PN_AT_CONST(m, pn_head, m->f64) + 1);
    const pn_place *F = (const pn_place *)(links + m->n.nodes) + frame;
    const pn_place *L = &links[node].link;
    const int body = PN_AT_CONST(m, pn_node, m->nodes)[node].body;
    if (node == 0) return 0;
    if (body < 0) return -1; /* a place of an elastic link that nothing is fixed to */

    /* from the frame to the compiled body, from there to the link's frame */
    pn_turn3(F->R, f, f);
    pn_turn3(F->R, f + 3, f + 3);
    add_moment(F->p, f + 3, 1, f);
    add_moment(L->p, f + 3, -1, f);
    pn_turn3_back(L->R, f, f);
    pn_turn3_back(L->R, f + 3, f + 3);
    return body;
}

/* a bound that means something; files write 1e16 for none */
static int is_limit(double x)
{
    return fabs(x) < 1e6;
}

/* between the limits of a degree of freedom, or between -reach and reach where it has none */
static double within(const pinion_dof *dof, double reach, uint64_t *state)
{
    const double low = is_limit(dof->lower) ? dof->lower : is_limit(dof->upper) ? dof->upper - 2 * reach : -reach;
    const double high = is_limit(dof->upper) ? dof->upper : low + 2 * reach;
    return low + (high - low) * pn_random_unit(state);
}

/* a rotation from the uniform distribution (Shoemake 1992) */
static void random_quaternion(uint64_t *state, double q[4])
{
    const double u = pn_random_unit(state), a = 2 * M_PI * pn_random_unit(state), b = 2 * M_PI * pn_random_unit(state);
    q[0] = sqrt(1 - u) * sin(a);
    q[1] = sqrt(1 - u) * cos(a);
    q[2] = sqrt(u) * sin(b);
    q[3] = sqrt(u) * cos(b);
}

void pn_random_joint(const pinion_joint_info *joint, uint64_t *state, double q[7])
{
    if (joint->nq == 0) return;
    switch (joint->type) {
    case PINION_JOINT_PRISMATIC: q[0] = within(&joint->dof[0], 1, state); break;
    case PINION_JOINT_MODE: q[0] = within(&joint->dof[0], 0.05, state); break;
    case PINION_JOINT_CYLINDRICAL:
        q[0] = within(&joint->dof[0], M_PI, state);
        q[1] = within(&joint->dof[1], 1, state);
        break;
    case PINION_JOINT_PLANAR:
        for (int d = 0; d < 3; d++) q[d] = within(&joint->dof[d], d < 2 ? 1 : M_PI, state);
        break;
    case PINION_JOINT_SPHERICAL:
    case PINION_JOINT_FREE:
        random_quaternion(state, q);
        for (int d = 4; d < joint->nq; d++) q[d] = -1 + 2 * pn_random_unit(state);
        break;
    default:
        for (int d = 0; d < joint->nq; d++) q[d] = within(&joint->dof[d], M_PI, state);
        break;
    }
}

static const pn_link *links_of(const pinion_model *m)
{
    return (const pn_link *)(PN_AT_CONST(m, pn_head, m->f64) + 1);
}
static const pn_coordinate *coordinates_of(const pinion_model *m)
{
    const pn_dof *dof = (const pn_dof *)((const pn_place *)(links_of(m) + m->n.nodes) + m->n.frames);
    return (const pn_coordinate *)(dof + m->n.tree_nv);
}
static const pn_closure *closures_of(const pinion_model *m)
{
    return (const pn_closure *)(coordinates_of(m) + (m->n.followers ? m->n.tree_nq + m->n.tree_nv : 0));
}

double pn_loop_arm(const pinion_model *m, int loop, double *length)
{
    const pn_closure *c = closures_of(m) + loop;
    const int on_base = PN_AT_CONST(m, pn_loop, m->closed)[loop].node[1] == 0;
    const double *at = c->frame[!on_base].p;
    *length = c->length;
    return sqrt(pn_dot3(at, at)) + (on_base ? c->length : 0) + fabs(c->radius) + fabs(c->pitch);
}

double pn_loop_ratio(const pinion_model *m, int loop)
{
    return closures_of(m)[loop].ratio;
}

double pn_node_pitch(const pinion_model *m, int node)
{
    return PN_AT_CONST(m, pn_node, m->nodes)[node].joint == PN_HELICAL ? links_of(m)[node].sigma : 0;
}

int pn_own_velocity(const pinion_model *m, int v, double *times)
{
    *times = m->n.followers ? coordinates_of(m)[m->n.tree_nq + v].multiplier : 1;
    return m->n.followers ? PN_AT_CONST(m, pn_map, m->map_v)[v].index : v;
}
