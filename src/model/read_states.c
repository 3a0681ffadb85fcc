/* Reading the named states and groups of a model back. */
#include <string.h>

#include "model/record.h"
#include "pinion/named.h"

int pinion_model_state_count(const pinion_model *m)
{
    return m->states;
}

int pinion_model_group_count(const pinion_model *m)
{
    return m->groups;
}

static const char *name_of(const pinion_model *m, pn_offset records, int count, int index)
{
    const pn_set_record *record = PN_AT_CONST(m, pn_set_record, records);
    return index >= 0 && index < count ? PN_AT_CONST(m, char, record[index].name) : NULL;
}

static int find(const pinion_model *m, pn_offset records, int count, const char *name)
{
    for (int i = 0; name && i < count; i++)
        if (strcmp(name_of(m, records, count, i), name) == 0) return i;
    return -1;
}

const char *pinion_model_state_name(const pinion_model *m, int index)
{
    return m ? name_of(m, m->state, m->states, index) : NULL;
}

const char *pinion_model_group_name(const pinion_model *m, int index)
{
    return m ? name_of(m, m->group, m->groups, index) : NULL;
}

int pinion_model_find_state(const pinion_model *m, const char *name)
{
    return m ? find(m, m->state, m->states, name) : -1;
}

int pinion_model_find_group(const pinion_model *m, const char *name)
{
    return m ? find(m, m->group, m->groups, name) : -1;
}

pinion_status pinion_model_state(const pinion_model *m, int index, double *q, double *v)
{
    if (!m || index < 0 || index >= m->states) return PINION_ERR_ARGUMENT;
    const size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m);
    const double *value = PN_AT_CONST(m, double, m->state_value) + (size_t)index * (nq + nv);
    if (q) memcpy(q, value, nq * sizeof *q);
    if (v) memcpy(v, value + nq, nv * sizeof *v);
    return PINION_OK;
}

const int *pinion_model_group(const pinion_model *m, int index, int *count)
{
    if (!m || !count || index < 0 || index >= m->groups) return NULL;
    const pn_set_record *record = PN_AT_CONST(m, pn_set_record, m->group) + index;
    *count = record->count;
    return PN_AT_CONST(m, int, m->group_joint) + record->first;
}
