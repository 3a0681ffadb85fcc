/* The list of sensors. */
#include "sim/sensor/sensor_list.h"

#include "io/model_io.h"
#include "pinion/sim/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COOKIE 0x73656e73u
#define SENSORS_MAX 100000

pinion_sensor_def pinion_sensor_def_default(void)
{
    return (pinion_sensor_def){.joint = -1, .frame = -1, .cookie = COOKIE};
}

pinion_sensors *pinion_sensors_new(const pinion_model *m)
{
    pinion_sensors *x = m ? calloc(1, sizeof *x) : NULL;
    if (x) x->m = m;
    return x;
}

void pn_sensors_cut(pinion_sensors *x, int count)
{
    while (x->count > count) {
        pn_sensor *s = &x->sensor[--x->count];
        x->readings = s->first;
        free(s->name);
    }
}

void pinion_sensors_free(pinion_sensors *x)
{
    if (!x) return;
    pn_sensors_cut(x, 0);
    free(x->sensor);
    free(x);
}

void pinion_sensors_set_seed(pinion_sensors *x, uint64_t seed)
{
    if (x) x->seed = seed;
}

int pn_sensor_readings(pinion_sensor_type type)
{
    return type == PINION_SENSOR_ENCODER ? 2 : type == PINION_SENSOR_TORQUE ? 1 : 6;
}

/* ---------------------------------------------------------------------------------------------
 * Adding one */

/* Of a joint: where its numbers are in q and v. */
static const char *joint_fault(const pinion_model *m, const pinion_sensor_def *def, pn_sensor *s)
{
    pinion_joint_info joint;
    if (pinion_model_joint(m, def->joint, &joint) != PINION_OK) return "its joint is none of the model's";
    if (joint.nv == 0) return "its joint has no coordinate of its own";
    if (def->dof < 0 || def->dof >= joint.nv) return "its joint has no such degree of freedom";
    const int alike = joint.nq == joint.nv && joint.type != PINION_JOINT_PLANAR;
    if (def->type == PINION_SENSOR_ENCODER && !alike)
        return "its joint is planar, spherical or free; expected one whose coordinates are angles or lengths";
    s->q_index = joint.q_index + def->dof;
    s->v_index = joint.v_index + def->dof;
    return NULL;
}

static const char *fault_of(const pinion_sensors *x, const pinion_sensor_def *def, pn_sensor *s)
{
    if (!def->name || !*def->name || strlen(def->name) > 200) return "its name is missing or too long";
    for (int i = 0; i < x->count; i++)
        if (strcmp(x->sensor[i].name, def->name) == 0) return "it has the name of another sensor";
    if ((unsigned)def->type >= PINION_SENSOR_TYPE_COUNT) return "its type is none there is";
    if (!(def->resolution >= 0 && def->noise[0] >= 0 && def->noise[1] >= 0))
        return "its resolution or noise is not a number of at least 0";
    double sum = def->resolution + def->noise[0] + def->noise[1];
    for (int i = 0; i < 6; i++) sum += def->bias[i];
    if (!isfinite(sum)) return "its resolution, noise or bias is not finite";
    if (x->count >= SENSORS_MAX) return "there are too many";
    if (def->type != PINION_SENSOR_IMU) return joint_fault(x->m, def, s);
    return def->frame < 0 || def->frame >= pinion_model_frame_count(x->m) ? "its frame is none of the model's" : NULL;
}

pinion_status pinion_sensors_add(pinion_sensors *x, const pinion_sensor_def *def, pinion_error *err)
{
    if (!x || !def || def->cookie != COOKIE)
        return pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0,
                            "no list or no def was given, or one not started from pinion_sensor_def_default()");
    pn_sensor s = {.def = *def, .first = x->readings};
    const char *fault = fault_of(x, def, &s);
    if (fault)
        return pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "sensor '%.80s': %s", def->name ? def->name : "",
                            fault);
    pn_sensor *more = realloc(x->sensor, ((size_t)x->count + 1) * sizeof *more);
    if (more) x->sensor = more;
    s.name = malloc(strlen(def->name) + 1);
    if (!more || !s.name) {
        free(s.name);
        return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    }
    memcpy(s.name, def->name, strlen(def->name) + 1);
    s.def.name = s.name;
    x->sensor[x->count++] = s;
    x->readings += pn_sensor_readings(def->type);
    return PINION_OK;
}

/* ---------------------------------------------------------------------------------------------
 * Readings */

int pinion_sensors_reading_count(const pinion_sensors *x)
{
    return x ? x->readings : 0;
}

/* The sensor of a reading; NULL out of range. */
static const pn_sensor *sensor_of(const pinion_sensors *x, int index)
{
    int i = 0;
    if (!x || index < 0 || index >= x->readings) return NULL;
    while (i + 1 < x->count && x->sensor[i + 1].first <= index) i++;
    return &x->sensor[i];
}

const char *pinion_sensors_reading_name(const pinion_sensors *x, int index, char *text, size_t size)
{
    const pn_sensor *s = sensor_of(x, index);
    if (!s || !text || size == 0) return NULL;
    const int part = index - s->first;
    if (s->def.type == PINION_SENSOR_IMU)
        snprintf(text, size, "sensor.%s.%s.%d", s->name, part < 3 ? "gyro" : "force", part % 3);
    else
        snprintf(text, size, "sensor.%s%s", s->name, part ? ".velocity" : "");
    return text;
}

const char *pinion_sensors_reading_unit(const pinion_sensors *x, int index)
{
    const pn_sensor *s = sensor_of(x, index);
    if (!s) return NULL;
    if (s->def.type == PINION_SENSOR_IMU) return index - s->first < 3 ? "rad/s" : "m/s^2";
    if (s->def.type == PINION_SENSOR_TORQUE) return pinion_coordinate_unit(x->m, "tau", s->v_index);
    return index == s->first ? pinion_coordinate_unit(x->m, "q", s->q_index)
                             : pinion_coordinate_unit(x->m, "v", s->v_index);
}
