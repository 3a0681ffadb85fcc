/* Copies, and edits of a copy: what changes is recomputed, nothing is allocated, the structure stays. */
#include <stdlib.h>
#include <string.h>

#include "model/build/describe.h"
#include "model/record.h"

pinion_model *pinion_model_copy(const pinion_model *m)
{
    if (!m) return NULL;
    pinion_model *copy = aligned_alloc(PN_ALIGN, m->size);
    if (copy) memcpy(copy, m, m->size);
    return copy;
}

/* An edit whose numbers overflow is undone: nonzero when these are all finite, in double. */
static int is_finite(const void *numbers, size_t bytes)
{
    return pn_finite(numbers, (int)(bytes / sizeof(double)));
}

pinion_status pinion_model_set_gravity(pinion_model *m, const double gravity[3])
{
    if (!m || !gravity || !pn_finite(gravity, 3)) return PINION_ERR_ARGUMENT;
    double before[3];
    memcpy(before, m->gravity, sizeof before);
    memcpy(m->gravity, gravity, sizeof m->gravity);
    pn_set_gravity(m);
    const int fits = is_finite(pn_head_of(m)->a0, sizeof pn_head_of(m)->a0);
    if (!fits) {
        memcpy(m->gravity, before, sizeof before);
        pn_set_gravity(m);
    }
    pn_set_content(m);
    return fits ? PINION_OK : PINION_ERR_ARGUMENT;
}

/* Puts a link's own inertia or its load into place, into its body and into the sums; zero when that overflows. */
static int put_inertia(pinion_model *m, int link, pinion_inertia *place, const pinion_inertia *inertia)
{
    int node = PN_AT(m, int, m->frame_node)[link];
    *place = *inertia;
    pn_merge_inertia(m, node);
    pn_sum_mass(m);
    double mass[2] = {m->mass, m->fixed_mass};
    return is_finite(&pn_links_of(m)[node], sizeof(pn_link)) && is_finite(mass, sizeof mass);
}

pinion_status pinion_model_set_payload(pinion_model *m, int link, const pinion_inertia *load)
{
    if (!m || !load || link < 0 || link >= m->links || pn_inertia_fault(load)) return PINION_ERR_ARGUMENT;

    /* a load of nothing is none, wherever its centre is said to be */
    pinion_inertia *place = &PN_AT(m, pn_link_record, m->link)[link].payload, payload = *load, before = *place;
    int nothing = load->mass == 0;
    for (int i = 0; i < 6; i++) nothing = nothing && load->inertia[i] == 0;
    if (nothing) memset(&payload, 0, sizeof payload);
    const int fits = put_inertia(m, link, place, &payload);
    if (!fits) put_inertia(m, link, place, &before);
    pn_set_content(m);
    return fits ? PINION_OK : PINION_ERR_ARGUMENT;
}

pinion_status pinion_model_set_inertia(pinion_model *m, int link, const pinion_inertia *inertia)
{
    if (!m || !inertia || link < 0 || link >= m->links || pn_inertia_fault(inertia)) return PINION_ERR_ARGUMENT;
    pinion_inertia *place = &PN_AT(m, pn_link_record, m->link)[link].inertia, before = *place;
    const int fits = put_inertia(m, link, place, inertia);
    if (!fits) put_inertia(m, link, place, &before);
    pn_set_content(m);
    return fits ? PINION_OK : PINION_ERR_ARGUMENT;
}

/* Whether a degree of freedom is one of the three of a rotation. */
static int is_turn(const pn_joint_record *joint, int k)
{
    return k < 3 && (joint->type == PINION_JOINT_SPHERICAL || joint->type == PINION_JOINT_FREE);
}

/* The spring of a rotation is one for three degrees of freedom, none of which has another alone; so is that of a free
 * joint's place where it is curved. */
static int splits_spring(const pn_joint_record *joint, int k, const pinion_dof *before, const pinion_dof *after)
{
    const double *was = before->stiffness_curve, *is = after->stiffness_curve;
    const int other = before->stiffness != after->stiffness || was[0] != is[0] || was[1] != is[1];
    if (is_turn(joint, k)) return other || before->rest != after->rest;
    return joint->type == PINION_JOINT_FREE && other && (pn_is_curved(was) || pn_is_curved(is));
}

/* What the kernels read of a degree of freedom; zero when it overflows. */
static int put_dof(pinion_model *m, const pn_joint_record *joint, int k, const pinion_dof *dof)
{
    /* a joint that is compiled as two has one degree of freedom in each, and a massless body between them */
    int i = PN_AT(m, int, m->body_node)[joint->body], at = k;
    if (PN_AT(m, pn_node, m->nodes)[i].nv < joint->dof_count) {
        i -= joint->dof_count - 1 - k;
        at = 0;
    }
    pn_node *node = PN_AT(m, pn_node, m->nodes) + i;
    pn_link *link = &pn_links_of(m)[i];
    pn_dof *passive = &pn_dofs_of(m)[node->v + at];
    const double rest = is_turn(joint, k) ? passive->rest : dof->rest; /* it is another number there, and stays */
    pn_put_passive(passive, dof, rest);
    link->rotor[at] = dof->gear_ratio * dof->gear_ratio * dof->rotor_inertia;
    node->rotors = node->sprung = 0;
    for (int d = 0; d < node->nv; d++) {
        const pn_dof *e = &pn_dofs_of(m)[node->v + d];
        if (link->rotor[d] != 0) node->rotors = 1;
        if (pn_is_passive(e)) node->sprung = 1;
    }
    pn_narrow(m, passive, sizeof *passive);
    pn_narrow(m, link, sizeof *link);
    return is_finite(passive, sizeof *passive) && is_finite(link->rotor, sizeof link->rotor);
}

pinion_status pinion_model_set_dof(pinion_model *m, int joint, int k, const pinion_dof *dof)
{
    if (!m || !dof || joint < 0 || joint >= m->joints) return PINION_ERR_ARGUMENT;
    const pn_joint_record *record = PN_AT_CONST(m, pn_joint_record, m->joint) + joint;
    if (record->type == PINION_JOINT_MODE) return PINION_ERR_UNSUPPORTED;
    if (k < 0 || k >= record->dof_count) return PINION_ERR_ARGUMENT;
    pinion_dof *place = PN_AT(m, pinion_dof, record->dof) + k, before = *place, after = *dof;
    after.lower = before.lower;
    after.upper = before.upper;
    after.velocity = before.velocity;
    after.effort = before.effort;
    if (pn_dof_fault(&after, 1) || splits_spring(record, k, &before, &after)) return PINION_ERR_ARGUMENT;
    const int fits = put_dof(m, record, k, &after);
    if (fits) *place = after;
    else put_dof(m, record, k, &before);
    pn_set_content(m);
    return fits ? PINION_OK : PINION_ERR_ARGUMENT;
}

pinion_status pinion_model_payload(const pinion_model *m, int link, pinion_inertia *load)
{
    if (!m || !load || link < 0 || link >= m->links) return PINION_ERR_ARGUMENT;
    *load = PN_AT_CONST(m, pn_link_record, m->link)[link].payload;
    return PINION_OK;
}

pinion_status pinion_model_set_frame(pinion_model *m, int frame, const pinion_pose *pose)
{
    if (!m || !pose || frame < m->links || frame >= m->n.frames) return PINION_ERR_ARGUMENT;
    pinion_pose checked = *pose;
    if (pn_pose_fault(&checked)) return PINION_ERR_ARGUMENT;
    pn_frame_record *record = PN_AT(m, pn_frame_record, m->frame) + (frame - m->links);
    if (PN_AT_CONST(m, pn_link_record, m->link)[record->link].elastic) return PINION_ERR_UNSUPPORTED;
    pinion_pose before = record->pose;
    record->pose = checked;
    pn_set_named_frame(m, frame);
    const int fits = is_finite(&pn_frames_of(m)[frame], sizeof(pn_place));
    if (!fits) {
        record->pose = before;
        pn_set_named_frame(m, frame);
    }
    pn_set_content(m);
    return fits ? PINION_OK : PINION_ERR_ARGUMENT;
}
