/* Named states and groups of joints: read and written. */
#include <stdlib.h>
#include <string.h>

#include "io/json/json.h"
#include "io/json/json_write.h"
#include "pinion/named.h"

/* ---------------------------------------------------------------------------------------------
 * Reading */

static int out_of_memory(const pn_json_value *v)
{
    pn_error_set(v->file->err, PINION_ERR_MEMORY, v->file->name, 0, 0, "out of memory");
    return 0;
}

/* The joints of "q" or "v": a number each, or an array of them. */
static int entries_read(const pn_json_value *object, int velocity, pinion_state_entry *entry, int *count)
{
    const char *key;
    json_t *json;
    if (!json_is_object(object->json)) return pn_value_expected(object, "an object of joints and numbers");
    json_object_foreach((json_t *)object->json, key, json)
    {
        pinion_state_entry *e = &entry[(*count)++];
        pn_json_value v;
        if (!pn_value_get(object, key, &v)) return 0;
        *e = (pinion_state_entry){.joint = key, .velocity = velocity, .count = 1};
        if (!json_is_array(json)) {
            if (!pn_value_number(&v, &e->value[0])) return 0;
            continue;
        }
        const size_t size = json_array_size(json);
        if (size < 1 || size > 7) return pn_value_expected(&v, "a number, or an array of at most 7");
        e->count = (int)size;
        if (!pn_value_numbers(&v, size, e->value)) return 0;
    }
    return 1;
}

static int state_read(const pn_json_value *v, const char *name)
{
    static const char *const keys[] = {"q", "v", NULL};
    pn_json_value part[2];
    int count = 0, ok = 1;
    if (!pn_value_object(v, keys)) return 0;
    const int has[2] = {pn_value_get(v, "q", &part[0]), pn_value_get(v, "v", &part[1])};
    size_t room = 1;
    for (int i = 0; i < 2; i++) room += has[i] ? json_object_size(part[i].json) : 0;
    pinion_state_entry *entry = calloc(room, sizeof *entry);
    if (!entry) return out_of_memory(v);
    for (int i = 0; i < 2 && ok; i++) ok = !has[i] || entries_read(&part[i], i, entry, &count);
    const int line = pn_value_line(v);
    ok = ok && pinion_builder_add_state(v->file->builder, name, count, entry, line, v->file->err) == PINION_OK;
    free(entry);
    return ok;
}

static int group_read(const pn_json_value *v, const char *name)
{
    pn_json_value x = {0};
    if (!pn_value_array(v, "an array of names of joints")) return 0;
    const char **joint = calloc(json_array_size(v->json) + 1, sizeof *joint);
    int count = 0, ok = joint != NULL;
    if (!joint) return out_of_memory(v);
    while (ok && pn_value_next(v, &x)) ok = pn_value_string(&x, &joint[count++]);
    const int line = pn_value_line(v);
    ok = ok && pinion_builder_add_group(v->file->builder, name, count, joint, line, v->file->err) == PINION_OK;
    free(joint);
    return ok;
}

/* An object of names, each of which one of the two reads. */
static int each_read(const pn_json_value *object, const char *what, int (*read)(const pn_json_value *, const char *))
{
    const char *key;
    json_t *json;
    if (!json_is_object(object->json)) return pn_value_expected(object, what);
    json_object_foreach((json_t *)object->json, key, json)
    {
        pn_json_value v;
        if (!pn_value_get(object, key, &v) || !read(&v, key)) return 0;
    }
    return 1;
}

int pn_json_states(const pn_json_value *object)
{
    return each_read(object, "an object of named states", state_read);
}

int pn_json_groups(const pn_json_value *object)
{
    return each_read(object, "an object of named groups", group_read);
}

/* ---------------------------------------------------------------------------------------------
 * Writing */

/* One number as it is, several as an array. */
static void put_values(pn_text *t, const double *x, int count)
{
    if (count == 1)
        pn_text_number(t, x[0]);
    else
        pn_json_put_numbers(t, x, count);
}

/* Whether a state says a joint's velocities: those that are not 0, and also 0 where the joint starts with others. */
static int is_said(const pinion_joint_info *joint, const double *v)
{
    return joint->nv > 0 && (!pn_json_is_zero(v, joint->nv) || !pn_json_is_zero(joint->initial_v, joint->nv));
}

static int has_velocities(const pn_json_writer *w, const double *v)
{
    for (int i = 0; i < pinion_model_joint_count(w->m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(w->m, i, &joint) == PINION_OK && is_said(&joint, v + joint.v_index)) return 1;
    }
    return 0;
}

/* The joints of a state: all positions, and velocities where they are said. */
static void write_part(pn_json_writer *w, const double *x, int velocity)
{
    int written = 0;
    pn_text_append(&w->t, velocity ? "\"v\": {" : "\"q\": {");
    for (int i = 0; i < pinion_model_joint_count(w->m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(w->m, i, &joint) != PINION_OK || joint.nv == 0) continue;
        const int count = velocity ? joint.nv : joint.nq;
        const double *own = x + (velocity ? joint.v_index : joint.q_index);
        if (velocity && !is_said(&joint, own)) continue;
        if (written++) pn_text_append(&w->t, ", ");
        pn_json_put_string(&w->t, joint.name);
        pn_text_append(&w->t, ": ");
        put_values(&w->t, own, count);
    }
    pn_text_append(&w->t, "}");
}

static int write_states(pn_json_writer *w)
{
    const int count = pinion_model_state_count(w->m), nq = pinion_model_nq(w->m), nv = pinion_model_nv(w->m);
    double *q = malloc((size_t)(nq + nv + 1) * sizeof *q);
    if (!q) return 0;
    if (count) pn_text_append(&w->t, ",\n  \"states\": {");
    for (int i = 0; i < count; i++) {
        if (pinion_model_state(w->m, i, q, q + nq) != PINION_OK) break;
        pn_text_append(&w->t, i ? ",\n    " : "\n    ");
        pn_json_put_string(&w->t, pinion_model_state_name(w->m, i));
        pn_text_append(&w->t, ": {");
        write_part(w, q, 0);
        if (has_velocities(w, q + nq)) {
            pn_text_append(&w->t, ", ");
            write_part(w, q + nq, 1);
        }
        pn_text_append(&w->t, "}");
    }
    if (count) pn_text_append(&w->t, "\n  }");
    free(q);
    return 1;
}

int pn_json_write_states(pn_json_writer *w)
{
    if (!write_states(w)) return 0;
    const int groups = pinion_model_group_count(w->m);
    if (groups) pn_text_append(&w->t, ",\n  \"groups\": {");
    for (int i = 0; i < groups; i++) {
        int count = 0;
        const int *joints = pinion_model_group(w->m, i, &count);
        pn_text_append(&w->t, i ? ",\n    " : "\n    ");
        pn_json_put_string(&w->t, pinion_model_group_name(w->m, i));
        pn_text_append(&w->t, ": [");
        for (int k = 0; k < count; k++) {
            pinion_joint_info joint;
            if (pinion_model_joint(w->m, joints[k], &joint) != PINION_OK) return 0;
            if (k) pn_text_append(&w->t, ", ");
            pn_json_put_string(&w->t, joint.name);
        }
        pn_text_append(&w->t, "]");
    }
    if (groups) pn_text_append(&w->t, "\n  }");
    return 1;
}
