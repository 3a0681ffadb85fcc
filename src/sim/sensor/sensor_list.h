/* The list of sensors, for its reader and for simulations. */
#ifndef PN_SIM_SENSOR_LIST_H
#define PN_SIM_SENSOR_LIST_H

#include "pinion/sim/sensors.h"

typedef struct pn_sensor {
    pinion_sensor_def def; /* its name is `name` */
    char *name;
    int first;           /* of its readings */
    int q_index, v_index; /* ENCODER, TORQUE */
} pn_sensor;

struct pinion_sensors {
    const pinion_model *m;
    uint64_t seed;
    int count, readings;
    pn_sensor *sensor;
};

/* How many numbers a sensor reads. */
int pn_sensor_readings(pinion_sensor_type type);
/* Forgets all sensors from `count` on. */
void pn_sensors_cut(pinion_sensors *x, int count);

#endif
