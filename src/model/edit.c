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

/* Puts a load on a link, into its body and into the sums; zero when that overflows. */
static int put_payload(pinion_model *m, int link, const pinion_inertia *load)
{
    int node = PN_AT(m, int, m->frame_node)[link];
    PN_AT(m, pn_link_record, m->link)[link].payload = *load;
    pn_merge_inertia(m, node);
    pn_sum_mass(m);
    double mass[2] = {m->mass, m->fixed_mass};
    return is_finite(&pn_links_of(m)[node], sizeof(pn_link)) && is_finite(mass, sizeof mass);
}

pinion_status pinion_model_set_payload(pinion_model *m, int link, const pinion_inertia *load)
{
    if (!m || !load || link < 0 || link >= m->links || pn_inertia_fault(load)) return PINION_ERR_ARGUMENT;

    /* a load of nothing is none, wherever its centre is said to be */
    pinion_inertia payload = *load, before = PN_AT(m, pn_link_record, m->link)[link].payload;
    int nothing = load->mass == 0;
    for (int i = 0; i < 6; i++) nothing = nothing && load->inertia[i] == 0;
    if (nothing) memset(&payload, 0, sizeof payload);
    const int fits = put_payload(m, link, &payload);
    if (!fits) put_payload(m, link, &before);
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
