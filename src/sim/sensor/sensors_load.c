/* Sensors from a JSON file (docs/simulation.md). */
#include "sim/sensor/sensor_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/json.h"

/* The joint of an encoder or a torque, and which part of it. */
static int read_joint(const pinion_sensors *x, const pn_json_value *v, pinion_sensor_def *def)
{
    pn_json_value key;
    const char *name = NULL;
    double part = 0;
    if (!pn_value_need(v, "joint", &key) || !pn_value_string(&key, &name)) return 0;
    def->joint = pinion_model_find_joint(x->m, name);
    if (def->joint < 0) return pn_value_fail(&key, "the model has no joint \"%.60s\"", name);
    if (!pn_value_get(v, "part", &key)) return 1;
    if (!pn_value_number(&key, &part)) return 0;
    if (!(part >= 0 && part <= 5) || part != floor(part))
        return pn_value_fail(&key, "is no part of a joint, expected 0 to 5");
    def->dof = (int)part;
    return 1;
}

static int read_frame(const pinion_sensors *x, const pn_json_value *v, pinion_sensor_def *def)
{
    pn_json_value key;
    const char *name = NULL;
    if (!pn_value_need(v, "frame", &key) || !pn_value_string(&key, &name)) return 0;
    def->frame = pinion_model_find_frame(x->m, name);
    return def->frame >= 0 || pn_value_fail(&key, "the model has no link or frame \"%.60s\"", name);
}

static int read_sensor(pinion_sensors *x, const pn_json_value *v)
{
    static const char *const types[] = {"encoder", "torque", "imu", NULL};
    static const char *const rates[] = {"difference", "exact", NULL};
    static const char *const keys[3][12] = {
        {"name", "type", "joint", "part", "resolution", "noise", "bias", "velocity", NULL},
        {"name", "type", "joint", "part", "resolution", "noise", "bias", NULL},
        {"name", "type", "frame", "resolution", "gyro_noise", "gyro_bias", "force_noise", "force_bias", NULL}};
    pinion_sensor_def def = pinion_sensor_def_default();
    pinion_error why = {PINION_OK, 0, 0, ""};
    pn_json_value key;
    int type = 0;
    if (!json_is_object(v->json)) return pn_value_expected(v, "a sensor: an object");
    if (!pn_value_need(v, "type", &key) ||
        !pn_value_choice(&key, types, "\"encoder\", \"torque\" or \"imu\"", &type) || !pn_value_object(v, keys[type]) ||
        !pn_need_string(v, "name", &def.name) || !pn_get_magnitude(v, "resolution", &def.resolution))
        return 0;
    def.type = (pinion_sensor_type)type;
    if (type == PINION_SENSOR_IMU) {
        if (!read_frame(x, v, &def) || !pn_get_magnitude(v, "gyro_noise", &def.noise[0]) ||
            !pn_get_magnitude(v, "force_noise", &def.noise[1]) || !pn_get_numbers(v, "gyro_bias", 3, def.bias) ||
            !pn_get_numbers(v, "force_bias", 3, def.bias + 3))
            return 0;
    } else if (!read_joint(x, v, &def) || !pn_get_magnitude(v, "noise", &def.noise[0]) ||
               !pn_get_number(v, "bias", &def.bias[0])) {
        return 0;
    }
    if (pn_value_get(v, "velocity", &key) &&
        !pn_value_choice(&key, rates, "\"difference\" or \"exact\"", &def.exact_velocity))
        return 0;
    const pinion_status status = pinion_sensors_add(x, &def, &why);
    if (status == PINION_OK) return 1;
    if (status != PINION_ERR_MEMORY) return pn_value_fail(v, "%s", why.message);
    if (v->file->err) *v->file->err = why;
    return 0;
}

static int read_all(pinion_sensors *x, const pn_json_value *top, double *seed)
{
    static const char *const keys[] = {"seed", "sensors", NULL};
    pn_json_value array, element = {0}, key;
    if (!pn_value_object(top, keys)) return 0;
    if (pn_value_get(top, "seed", &key)) {
        if (!pn_value_number(&key, seed)) return 0;
        if (!(*seed >= 0 && *seed <= 0x1p53) || *seed != floor(*seed))
            return pn_value_fail(&key, "is no seed, expected a whole number of at least 0");
    }
    if (!pn_value_need(top, "sensors", &array) || !pn_value_array(&array, "an array of sensors")) return 0;
    while (pn_value_next(&array, &element))
        if (!read_sensor(x, &element)) return 0;
    return 1;
}

pinion_status pinion_sensors_load(pinion_sensors *x, const char *path, pinion_error *err)
{
    pinion_error own;
    if (!err) err = &own; /* the status is needed below */
    if (!x || !path || !*path)
        return pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "no list or no file was given");
    char *text = NULL;
    double seed = (double)x->seed;
    pn_json_file file = {NULL, path, NULL, err};
    json_t *json = pn_json_open(path, "a file of sensors", &text, &file.text, err);
    const int before = x->count;
    int ok = 0;
    if (json) {
        const pn_json_value top = {.file = &file, .json = json};
        ok = read_all(x, &top, &seed);
        if (ok)
            x->seed = (uint64_t)seed;
        else
            pn_sensors_cut(x, before);
    }
    json_decref(json);
    free(text);
    return ok ? PINION_OK : err->status;
}
