/* Tendons: read and written. */
#include <math.h>
#include <stdlib.h>

#include "io/json/json.h"
#include "io/json/json_write.h"
#include "pinion/elements.h"

/* ---------------------------------------------------------------------------------------------
 * Reading */

/* The objects of "joints" or "path", names or {"pulley": divisor}; those of joints with their weights. */
static int terms_read(const pn_json_value *array, const pn_json_value *weights, int path, const char **through,
                      double *weight)
{
    static const char *const keys[] = {"pulley", NULL};
    pn_json_value v = {0};
    for (int i = 0; pn_value_next(array, &v); i++) {
        weight[i] = 1;
        if (path && json_is_object(v.json)) {
            pn_json_value divisor;
            through[i] = NULL;
            if (!pn_value_object(&v, keys) || !pn_value_need(&v, "pulley", &divisor) ||
                !pn_value_number(&divisor, &weight[i]))
                return 0;
        } else if (!pn_value_string(&v, &through[i])) {
            return 0;
        }
    }
    return !weights || pn_value_numbers(weights, json_array_size(array->json), weight);
}

/* "rest": a number, or the least and the largest length. */
static int rest_read(const pn_json_value *element, double rest[2])
{
    pn_json_value v;
    if (!pn_value_get(element, "rest", &v)) return 1;
    if (json_is_array(v.json)) return pn_value_numbers(&v, 2, rest);
    if (!pn_value_number(&v, &rest[0])) return 0;
    rest[1] = rest[0];
    return 1;
}

/* "limits": the least and the largest length, or null. */
static int limits_read(const pn_json_value *element, double limits[2])
{
    pn_json_value v;
    if (!pn_value_get(element, "limits", &v)) return 1;
    if (!pn_value_array_of(&v, 2, "[lower, upper]")) return 0;
    for (size_t i = 0; i < 2; i++) {
        pn_json_value x = pn_value_at(&v, i);
        if (!json_is_null(x.json) && !pn_value_number(&x, &limits[i])) return 0;
    }
    return limits[0] < limits[1] ||
           pn_value_fail(&v, "the lower limit is not below the upper, expected [lower, upper]");
}

static int tendon_read(const pn_json_value *v)
{
    static const char *const keys[] = {"name", "joints", "weights", "path", "stiffness", "damping", "rest", "limits",
                                       NULL};
    pinion_tendon_def def = pinion_tendon_def_default();
    pn_json_value array, weights;
    if (!pn_value_object(v, keys) || !pn_need_string(v, "name", &def.name)) return 0;
    const int path = pn_value_get(v, "path", &array), weighted = pn_value_get(v, "weights", &weights);
    if (path == pn_value_get(v, "joints", &array))
        return pn_value_fail(v, path ? "goes over both joints and a path, expected one of them"
                                     : "goes over nothing, expected \"joints\" or \"path\"");
    if (path && !pn_value_get(v, "path", &array)) return 0;
    if (path && weighted) return pn_value_fail(&weights, "has nothing to apply to, expected it only beside \"joints\"");
    pn_json_value force;
    if (!pn_value_array(&array, "an array of names") ||
        (pn_value_get(v, "stiffness", &force) && !pn_value_curved(&force, &def.stiffness, def.stiffness_curve)) ||
        (pn_value_get(v, "damping", &force) && !pn_value_curved(&force, &def.damping, def.damping_curve)) ||
        !rest_read(v, def.rest) || !limits_read(v, def.limits))
        return 0;
    const size_t count = json_array_size(array.json);
    const char **through = calloc(count + 1, sizeof *through);
    double *weight = calloc(count + 1, sizeof *weight);
    int ok = through && weight;
    if (!ok) pn_error_set(v->file->err, PINION_ERR_MEMORY, v->file->name, 0, 0, "out of memory");
    def.type = path ? PINION_TENDON_PATH : PINION_TENDON_JOINTS;
    def.count = (int)count;
    def.through = through;
    def.weights = weight;
    def.line = pn_value_line(v);
    ok = ok && terms_read(&array, weighted ? &weights : NULL, path, through, weight) &&
         pinion_builder_add_tendon(v->file->builder, &def, v->file->err) == PINION_OK;
    free(through);
    free(weight);
    return ok;
}

int pn_json_tendons(const pn_json_value *array)
{
    pn_json_value v = {0};
    if (!pn_value_array(array, "an array of tendons")) return 0;
    while (pn_value_next(array, &v)) {
        if (!tendon_read(&v)) return 0;
    }
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Writing */

static int write_terms(pn_json_writer *w, const pinion_tendon_info *t)
{
    const int path = t->type == PINION_TENDON_PATH;
    pn_json_key(w, path ? "path" : "joints");
    for (int i = 0; i < t->count; i++) {
        pinion_joint_info joint;
        pinion_frame_info frame;
        pn_text_append(&w->t, i ? ", " : "[");
        if (t->term[i].index < 0) {
            pn_text_append(&w->t, "{\"pulley\": ");
            pn_text_number(&w->t, t->term[i].weight);
            pn_text_append(&w->t, "}");
            continue;
        }
        if (path ? pinion_model_frame(w->m, t->term[i].index, &frame)
                 : pinion_model_joint(w->m, t->term[i].index, &joint))
            return 0;
        pn_json_put_string(&w->t, path ? frame.name : joint.name);
    }
    pn_text_append(&w->t, "]");
    if (path) return 1;
    pn_json_key(w, "weights");
    for (int i = 0; i < t->count; i++) {
        pn_text_append(&w->t, i ? ", " : "[");
        pn_text_number(&w->t, t->term[i].weight);
    }
    pn_text_append(&w->t, "]");
    return 1;
}

int pn_json_write_tendons(pn_json_writer *w)
{
    const int count = pinion_model_tendon_count(w->m);
    if (!count) return 1;
    pn_json_section(w, "tendons");
    for (int i = 0; i < count; i++) {
        pinion_tendon_info t;
        if (pinion_model_tendon(w->m, i, &t) != PINION_OK) return 0;
        pn_json_element(w);
        pn_json_string_key(w, "name", t.name);
        if (!write_terms(w, &t)) return 0;
        const double force[2] = {t.stiffness, t.damping}, *curve[2] = {t.stiffness_curve, t.damping_curve};
        for (int k = 0; k < 2; k++) {
            if (force[k] == 0 && pn_json_is_zero(curve[k], 2)) continue;
            pn_json_key(w, k ? "damping" : "stiffness");
            pn_json_put_curved(&w->t, force[k], curve[k]);
        }
        if (!pn_json_is_zero(t.rest, 2)) {
            pn_json_key(w, "rest");
            pn_json_put_numbers(&w->t, t.rest, 2);
        }
        if (isfinite(t.limits[0]) || isfinite(t.limits[1])) {
            pn_json_key(w, "limits");
            for (int k = 0; k < 2; k++) {
                pn_text_append(&w->t, k ? ", " : "[");
                if (isfinite(t.limits[k]))
                    pn_text_number(&w->t, t.limits[k]);
                else
                    pn_text_append(&w->t, "null");
            }
            pn_text_append(&w->t, "]");
        }
        pn_json_element_end(w);
    }
    pn_json_section_end(w);
    return 1;
}
