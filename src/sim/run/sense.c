/* What sensors read at an instant, kept as what is asked of actuators is: before and after the last reading, so
 * that it is a function of time within the last step. */
#include "sim/run/driver.h"

#include "base/random.h"
#include "sim/sensor/sensor_list.h"

#include <math.h>
#include <string.h>

/* How often they were read, when last, then two arrays of readings. */
enum { COUNT, AT, HEAD };

int pn_sense_size(const pn_plant *p)
{
    return p->options.sensors ? HEAD + 2 * p->options.sensors->readings : 0;
}

const double *pn_sense_readings(const pn_plant *p, double t)
{
    return p->senses + HEAD + (t < p->senses[AT] ? 0 : p->options.sensors->readings);
}

/* A normal number that depends on the seed, the reading and the count alone (Box and Muller). */
static double normal(const pinion_sensors *x, double count, int reading)
{
    uint64_t seed = x->seed, state = pn_random_bits(&seed);
    state += 0x9e3779b97f4a7c15u * 2 * ((uint64_t)count * (uint64_t)x->readings + (uint64_t)reading);
    const double u = pn_random_unit(&state), turn = pn_random_unit(&state);
    return sqrt(-2 * log1p(-u)) * cos(6.283185307179586477 * turn);
}

/* Angular velocity and specific force along the frame's axes. */
static pinion_status read_imu(pn_plant *p, const double *q, const double *v, int frame, double *out)
{
    double velocity[6], g[3], position[3], R[9];
    pinion_status status =
        pinion_frame_velocity(p->m, p->w, q, v, frame, PINION_REFERENCE_LOCAL, velocity);
    if (status == PINION_OK)
        status = pinion_frame_acceleration(p->m, p->w, q, v, p->turned, frame, PINION_REFERENCE_LOCAL,
                                           PINION_ACCELERATION_CLASSICAL, out);
    if (status == PINION_OK) status = pinion_frame_pose(p->m, p->w, q, frame, position, R);
    pinion_model_gravity(p->m, g);
    for (int i = 0; i < 3; i++) {
        out[i] = velocity[i];
        for (int k = 0; k < 3; k++) out[3 + i] -= R[3 * k + i] * g[k];
    }
    return status;
}

/* What is, at a state whose forces and accelerations are known. */
static pinion_status measure(pn_plant *p, const pn_sensor *s, const double *q, const double *v, double *out)
{
    if (s->def.type == PINION_SENSOR_IMU) return read_imu(p, q, v, s->def.frame, out);
    out[0] = s->def.type == PINION_SENSOR_TORQUE ? p->motor[s->v_index] : q[s->q_index];
    if (s->def.type == PINION_SENSOR_ENCODER) out[1] = v[s->v_index];
    return PINION_OK;
}

/* Bias, noise and steps. An encoder has them of its position. */
static void spoil(const pinion_sensors *x, const pn_sensor *s, double count, double *out)
{
    const int imu = s->def.type == PINION_SENSOR_IMU, numbers = imu ? 6 : 1;
    for (int i = 0; i < numbers; i++) {
        const double noise = s->def.noise[imu && i >= 3];
        out[i] += s->def.bias[i];
        if (noise > 0) out[i] += noise * normal(x, count, s->first + i);
        if (s->def.resolution > 0) out[i] = s->def.resolution * round(out[i] / s->def.resolution);
    }
}

pinion_status pn_sense(pn_plant *p, double t, const double *q, const double *v, const double *z)
{
    const pinion_sensors *x = p->options.sensors;
    if (!x) return PINION_OK;
    int forces = 0;
    for (int i = 0; i < x->count; i++) forces = forces || x->sensor[i].def.type != PINION_SENSOR_ENCODER;
    pinion_status status = forces ? pn_plant_accelerations(p, t, q, v, z, p->turned) : PINION_OK;
    double *last = p->senses + HEAD, *now = last + x->readings;
    const double count = p->senses[COUNT], since = t - p->senses[AT];
    memcpy(last, now, (size_t)x->readings * sizeof *last);
    for (int i = 0; i < x->count && status == PINION_OK; i++) {
        const pn_sensor *s = &x->sensor[i];
        double *out = now + s->first;
        status = measure(p, s, q, v, out);
        spoil(x, s, count, out);
        if (s->def.type == PINION_SENSOR_ENCODER && !s->def.exact_velocity && count > 0 && since > 0)
            out[1] = (out[0] - last[s->first]) / since;
    }
    p->senses[COUNT]++;
    p->senses[AT] = t;
    if (count == 0) memcpy(last, now, (size_t)x->readings * sizeof *last);
    return status == PINION_OK ? status : pn_plant_no_torques(p, status);
}

void pn_sense_seen(const pn_plant *p, double *q, double *v)
{
    const pinion_sensors *x = p->options.sensors;
    const double *now = p->senses + HEAD + (x ? x->readings : 0);
    for (int i = 0; x && i < x->count; i++) {
        const pn_sensor *s = &x->sensor[i];
        if (s->def.type != PINION_SENSOR_ENCODER) continue;
        q[s->q_index] = now[s->first];
        v[s->v_index] = now[s->first + 1];
    }
}
