/* The model of a plan as JSON: read again, and its numbers by where they are. */
#include "sweep/plan/sweep_plan.h"

#include <stdlib.h>
#include <string.h>

enum { PART = 300 }; /* bytes of a part of a pointer */

/* The element of an array with that name, or that number. */
static json_t *element(json_t *array, const char *part)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        json_t *one = json_array_get(array, i);
        const char *name = json_string_value(json_object_get(one, "name"));
        if (name && strcmp(name, part) == 0) return one;
    }
    char *end = NULL;
    const unsigned long number = strtoul(part, &end, 10);
    return *part && !*end && *part != '-' ? json_array_get(array, number) : NULL;
}

/* As RFC 6901 has it: parts behind slashes, with ~1 for '/' and ~0 for '~'. */
json_t *pn_plan_pointed(json_t *model, const char *pointer)
{
    json_t *at = model;
    while (at && *pointer) {
        char part[PART];
        size_t length = 0;
        if (*pointer++ != '/') return NULL;
        for (; *pointer && *pointer != '/'; pointer++) {
            char c = *pointer;
            if (c == '~' && (pointer[1] == '0' || pointer[1] == '1')) c = *++pointer == '0' ? '~' : '/';
            if (length + 1 >= PART) return NULL;
            part[length++] = c;
        }
        part[length] = '\0';
        at = json_is_array(at) ? element(at, part) : json_object_get(at, part);
    }
    return at;
}

/* Gives an object three numbers under a key where it has none. */
static int fill_zeros(json_t *pose, const char *key)
{
    return json_object_get(pose, key) || json_object_set_new(pose, key, json_pack("[fff]", 0.0, 0.0, 0.0)) == 0;
}

static int fill_pose(json_t *owner, const char *key)
{
    static const char *const turns[] = {"rpy", "quaternion", "rotation"};
    json_t *pose = json_object_get(owner, key);
    if (!pose && json_object_set_new(owner, key, pose = json_object()) != 0) return 0;
    if (!json_is_object(pose)) return 1;
    int turned = 0;
    for (int i = 0; i < 3; i++) turned = turned || json_object_get(pose, turns[i]);
    return fill_zeros(pose, "position") && (turned || fill_zeros(pose, "rpy"));
}

json_t *pn_plan_model_tree(const char *text)
{
    static const char *const owners[] = {"joints", "joints", "frames"},
                             *const poses[] = {"origin", "child_origin", "origin"};
    pinion_error ignored;
    json_t *model = pn_json_parse(text, strlen(text), "the model", &ignored);
    for (int i = 0; i < 3 && model; i++) {
        json_t *all = json_object_get(model, owners[i]);
        for (size_t k = 0; k < json_array_size(all); k++)
            if (!fill_pose(json_array_get(all, k), poses[i])) {
                json_decref(model);
                return NULL;
            }
    }
    return model;
}

pinion_model *pn_plan_model_again(const char *text, const char *name, int nq,
                                  const pinion_load_options *loaded, pinion_error *err)
{
    pinion_load_options tries[3] = {pinion_load_options_default(), pinion_load_options_default(),
                                    pinion_load_options_default()};
    tries[1].root = loaded->root;
    tries[2].root = loaded->root;
    tries[2].mimic = loaded->mimic;
    for (int i = 0; i < 3; i++) {
        pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, name, &tries[i], err);
        if (!m || pinion_model_nq(m) == nq) return m;
        pinion_model_free(m);
    }
    pn_error_set(err, PINION_ERR_UNSUPPORTED, name, 0, 0,
                 "the model has other coordinates when it is read again");
    return NULL;
}
