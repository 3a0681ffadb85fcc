/* Reading the actuators of a model back. */
#include <math.h>
#include <string.h>

#include "model/actuator_terms.h"
#include "model/record.h"

int pinion_model_actuator_count(const pinion_model *m)
{
    return m->actuators;
}

int pinion_model_actuators_listed(const pinion_model *m)
{
    return m->actuators_listed;
}

const char *pinion_actuator_type_name(pinion_actuator_type type)
{
    static const char *const names[PINION_ACTUATOR_TYPE_COUNT] = {"joint", "sum", "frame", "tendon", "crank", "pair"};
    return (int)type >= 0 && type < PINION_ACTUATOR_TYPE_COUNT ? names[type] : NULL;
}

const pinion_actuator_term *pn_actuator_terms(const pinion_model *m, int index, int *count)
{
    const pn_actuator_record *record = PN_AT_CONST(m, pn_actuator_record, m->actuator) + index;
    *count = record->term_count;
    return PN_AT_CONST(m, pinion_actuator_term, m->term) + record->term;
}

pinion_status pinion_model_actuator(const pinion_model *m, int index, pinion_actuator_info *out)
{
    if (!m || !out || index < 0 || index >= m->actuators) return PINION_ERR_ARGUMENT;
    const pn_actuator_record *record = PN_AT_CONST(m, pn_actuator_record, m->actuator) + index;
    memset(out, 0, sizeof *out);
    out->name = PN_AT_CONST(m, char, record->name);
    out->type = record->type;
    out->term_count = record->term_count;
    out->term = PN_AT_CONST(m, pinion_actuator_term, m->term) + record->term;
    out->frame = record->frame;
    out->reference = record->reference;
    out->carrier = record->carrier;
    out->tendon = record->tendon;
    out->rod = record->rod;
    memcpy(out->wrench, record->wrench, sizeof out->wrench);
    out->gear = record->gear;
    out->efficiency = record->efficiency;
    memcpy(out->effort, record->effort, sizeof out->effort);
    out->velocity = record->velocity;
    out->dynamics = record->dynamics;
    out->law = record->law;
    return PINION_OK;
}

double pinion_actuator_time_constant(const pinion_actuator_info *a)
{
    const pinion_actuator_dynamics *d = &a->dynamics;
    return d->torque_constant > 0 ? d->inductance / d->resistance : d->lag;
}

double pinion_actuator_settled(const pinion_actuator_info *a, double asked, double speed)
{
    const pinion_actuator_dynamics *d = &a->dynamics;
    if (!(d->torque_constant > 0 && d->voltage > 0)) return asked;
    const double emf = d->back_emf * speed, wanted = d->resistance * asked / d->torque_constant + emf;
    if (fabs(wanted) <= d->voltage) return asked;
    return d->torque_constant * ((wanted > 0 ? d->voltage : -d->voltage) - emf) / d->resistance;
}

int pinion_model_find_actuator(const pinion_model *m, const char *name)
{
    const pn_actuator_record *record = PN_AT_CONST(m, pn_actuator_record, m->actuator);
    for (int i = 0; name && i < m->actuators; i++)
        if (strcmp(PN_AT_CONST(m, char, record[i].name), name) == 0) return i;
    return -1;
}
