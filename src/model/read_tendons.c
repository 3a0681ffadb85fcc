/* Reading the tendons of a model back. */
#include <string.h>

#include "model/record.h"

int pinion_model_tendon_count(const pinion_model *m)
{
    return m ? m->tendons : 0;
}

int pinion_model_has_elements(const pinion_model *m)
{
    for (int i = 0; m && i < m->tendons; i++) {
        const pn_tendon_record *t = PN_AT_CONST(m, pn_tendon_record, m->tendon) + i;
        if (t->stiffness != 0 || t->damping != 0 || pn_is_curved(t->stiffness_curve) || pn_is_curved(t->damping_curve))
            return 1;
    }
    return m && (m->carried > 0 || m->drags > 0);
}

pinion_status pinion_model_tendon(const pinion_model *m, int index, pinion_tendon_info *out)
{
    if (!m || !out || index < 0 || index >= m->tendons) return PINION_ERR_ARGUMENT;
    const pn_tendon_record *record = PN_AT_CONST(m, pn_tendon_record, m->tendon) + index;
    memset(out, 0, sizeof *out);
    out->name = PN_AT_CONST(m, char, record->name);
    out->type = record->type;
    out->count = record->count;
    out->term = PN_AT_CONST(m, pinion_tendon_term, m->tendon_term) + record->term;
    out->stiffness = record->stiffness;
    out->damping = record->damping;
    memcpy(out->stiffness_curve, record->stiffness_curve, sizeof out->stiffness_curve);
    memcpy(out->damping_curve, record->damping_curve, sizeof out->damping_curve);
    memcpy(out->rest, record->rest, sizeof out->rest);
    memcpy(out->limits, record->limits, sizeof out->limits);
    return PINION_OK;
}

int pinion_model_find_tendon(const pinion_model *m, const char *name)
{
    for (int i = 0; m && name && i < m->tendons; i++) {
        const pn_tendon_record *record = PN_AT_CONST(m, pn_tendon_record, m->tendon) + i;
        if (strcmp(PN_AT_CONST(m, char, record->name), name) == 0) return i;
    }
    return -1;
}
