/// Sensors: what a sampled controller sees of the state, with noise, bias and steps. Part of the library pinion_sim.
///
/// They are read at the instants of `sample` of pinion_sim_options, before the controller is asked, and at the ends of
/// steps by hand. Noise is normal and depends on the seed, the sensor and how many readings there were alone: a run
/// that goes on from a checkpoint has the same. A reading is what is, plus bias, plus noise, rounded to the
/// resolution.
#ifndef PINION_SENSORS_H
#define PINION_SENSORS_H

#include "pinion/dynamics.h"

PINION_BEGIN

typedef struct pinion_sensors pinion_sensors; ///< a list; once filled, any number of simulations may share it

typedef enum pinion_sensor_type {
    PINION_SENSOR_ENCODER = 0, ///< position and velocity of a joint, which a controller sees in place of q and v
    PINION_SENSOR_TORQUE,      ///< the joint force of motors and from outside, tau of results
    PINION_SENSOR_IMU,         ///< of a frame, along its axes: angular velocity and specific force, a - g of its origin
    PINION_SENSOR_TYPE_COUNT
} pinion_sensor_type;

/// Get one from pinion_sensor_def_default().
typedef struct pinion_sensor_def {
    const char *name;
    pinion_sensor_type type;
    int joint, dof;      ///< ENCODER, TORQUE: a joint with coordinates of its own, and which one. An encoder is on one
                         ///< that is revolute, continuous, prismatic, helical, cylindrical or universal
    int frame;           ///< IMU
    double resolution;   ///< rad, m, N m or N: readings are multiples of it; of an IMU both parts; 0: none
    double noise[2];     ///< standard deviation of a reading; of an IMU those of angular velocity and specific force
    double bias[6];      ///< of the reading, the first of it; of an IMU angular velocity, then specific force
    int exact_velocity;  ///< ENCODER: nonzero: its velocity is that of the joint; 0: the difference of the last two
                         ///< positions over the time between, at first that of the joint
    uint32_t cookie;
} pinion_sensor_def;

/// An encoder without a name, noise or steps.
PINION_API pinion_sensor_def pinion_sensor_def_default(void);

/// An empty list for a model, which must outlive it; NULL when out of memory.
PINION_API pinion_sensors *pinion_sensors_new(const pinion_model *m);
PINION_API void pinion_sensors_free(pinion_sensors *x); ///< NULL is allowed
/// The seed of all noise, 0 at first.
PINION_API void pinion_sensors_set_seed(pinion_sensors *x, uint64_t seed);
/// Copies its def. A failed call leaves the list as it was, and `err` names the sensor.
PINION_API PINION_CHECK pinion_status pinion_sensors_add(pinion_sensors *x, const pinion_sensor_def *def,
                                                         pinion_error *err);
/// Adds the sensors of a JSON file, and takes its seed (docs/simulation.md). All of them, or on an error none.
PINION_API PINION_CHECK pinion_status pinion_sensors_load(pinion_sensors *x, const char *path, pinion_error *err);

/// How many numbers all sensors read: two an encoder (position, velocity), one a torque, six an IMU.
PINION_API int pinion_sensors_reading_count(const pinion_sensors *x);
/// The name of a reading as results have it, "sensor.NAME", "sensor.NAME.velocity", "sensor.NAME.gyro.0",
/// "sensor.NAME.force.2"; `text` on success, NULL out of range. Cut where it does not fit.
PINION_API const char *pinion_sensors_reading_name(const pinion_sensors *x, int index, char *text, size_t size);
/// Its unit.
PINION_API const char *pinion_sensors_reading_unit(const pinion_sensors *x, int index);

PINION_END

#endif
