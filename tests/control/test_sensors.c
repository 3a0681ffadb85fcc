/* Sensors: a sampled loop over encoders is that by hand; torques and IMUs read what closed forms say; noise is what was
 * asked for and repeats. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "control/block.h"
#include "pinion/sim/sim.h"

static const double mass = 2.5, stiff = 40, damped = 6, period = 0.02, length = 0.8, g = 9.81;

/* a block on a rail, and a point mass on a rod of length `length` that swings about y */
static pinion_model *bench(void)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_builder *b = block_builder(mass);
    pinion_link_def link = pinion_link_def_default();
    link.name = "rod";
    link.inertia.mass = 1;
    link.inertia.com[2] = -length;
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    pinion_joint_def joint = pinion_joint_def_default();
    joint.name = "pivot";
    joint.type = PINION_JOINT_CONTINUOUS;
    joint.parent = "rail";
    joint.child = "rod";
    joint.axis[1] = 1;
    joint.axis[2] = 0;
    joint.unactuated = 1;
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = "bob";
    frame.link = "rod";
    frame.pose.position[2] = -length;
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

static void add(pinion_sensors *x, const pinion_sensor_def *def)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    if (pinion_sensors_add(x, def, &err) != PINION_OK) CHECK_FAIL("%s", err.message);
}

static pinion_sensor_def encoder_def(const pinion_model *m, const char *name)
{
    pinion_sensor_def def = pinion_sensor_def_default();
    def.name = name;
    def.joint = pinion_model_find_joint(m, "slide");
    return def;
}

static pinion_status feedback(void *user, double t, const double *q, const double *v, double *u)
{
    (void)user, (void)t;
    u[0] = -stiff * q[0] - damped * v[0];
    return PINION_OK;
}

static pinion_sim *simulation(const pinion_model *m, const pinion_sensors *x, pinion_integrator integrator)
{
    pinion_sim_options o = pinion_sim_options_default();
    pinion_error err = {PINION_OK, 0, 0, ""};
    o.integrator = integrator;
    o.actuators = feedback;
    o.sample = period;
    o.sensors = x;
    pinion_sim *s = pinion_sim_new(m, &o, &err);
    if (!s) CHECK_FAIL("%s", err.message);
    return s;
}

/* steps of 1/50, a bias of 0.003, and velocities by differences */
TEST(a_loop_over_an_encoder)
{
    pinion_model *m = bench();
    for (int exact = 0; exact < 2; exact++) {
        pinion_sensors *x = pinion_sensors_new(m);
        pinion_sensor_def def = encoder_def(m, "e");
        def.resolution = 0.02;
        def.bias[0] = 0.003;
        def.exact_velocity = exact;
        add(x, &def);
        pinion_sim *s = simulation(m, x, PINION_INTEGRATOR_DOPRI5);
        double p = 0.31, w = -0.2, last = 0, q[2] = {p, 0}, v[2] = {w, 0}, readings[2];
        CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
        for (int n = 0; n < 60; n++) {
            const double seen = 0.02 * round((p + 0.003) / 0.02), rate = n == 0 || exact ? w : (seen - last) / period;
            CHECK_STATUS(pinion_sim_readings(s, readings), PINION_OK);
            CHECK_NEAR(readings[0], seen, 1e-15);
            CHECK_NEAR(readings[1], rate, 1e-9);
            last = seen;
            const double u = -stiff * seen - damped * rate;
            p += w * period + u / mass * period * period / 2;
            w += u / mass * period;
            /* what was read stays so between */
            CHECK_STATUS(pinion_sim_advance(s, period * (n + 0.6)), PINION_OK);
            CHECK_STATUS(pinion_sim_readings(s, readings), PINION_OK);
            CHECK_NEAR(readings[0], seen, 1e-15);
            CHECK_STATUS(pinion_sim_advance(s, period * (n + 1)), PINION_OK);
            pinion_sim_state state = {.q = q, .v = v};
            CHECK_STATUS(pinion_sim_get(s, &state), PINION_OK);
            CHECK_NEAR(q[0], p, 1e-10);
            CHECK_NEAR(v[0], w, 1e-10);
        }
        pinion_sim_free(s);
        pinion_sensors_free(x);
    }
    pinion_model_free(m);
}

/* The bob of a simple pendulum feels the rod alone: along it, w^2 l + g cos, and nothing across. At the pivot's end of
 * the rod gravity turns with it. */
TEST(an_imu_and_a_torque)
{
    pinion_model *m = bench();
    pinion_sensors *x = pinion_sensors_new(m);
    pinion_sensor_def def = encoder_def(m, "torque");
    def.type = PINION_SENSOR_TORQUE;
    add(x, &def);
    def = pinion_sensor_def_default();
    def.type = PINION_SENSOR_IMU;
    def.name = "imu";
    def.frame = pinion_model_find_frame(m, "bob");
    def.bias[4] = 0.25;
    add(x, &def);
    def.name = "top";
    def.bias[4] = 0;
    def.frame = pinion_model_find_frame(m, "rod");
    add(x, &def);
    pinion_sim *s = simulation(m, x, PINION_INTEGRATOR_DOPRI5);
    double q[2] = {0.3, 0.9}, v[2] = {0, 0.4}, held = 0, r[13];
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    for (int n = 0; n < 40; n++) {
        pinion_sim_state state = {.q = q, .v = v};
        CHECK_STATUS(pinion_sim_advance(s, period * n), PINION_OK);
        CHECK_STATUS(pinion_sim_get(s, &state), PINION_OK);
        CHECK_STATUS(pinion_sim_readings(s, r), PINION_OK);
        CHECK_NEAR(r[0], held, 1e-12); /* what acts until the controller is asked */
        held = -stiff * q[0] - damped * v[0];
        const double imu[6] = {0, v[1], 0, 0, 0.25, v[1] * v[1] * length + g * cos(q[1])};
        const double top[6] = {0, v[1], 0, -g * sin(q[1]), 0, g * cos(q[1])};
        for (int i = 0; i < 6; i++) {
            CHECK_NEAR(r[1 + i], imu[i], 1e-10);
            CHECK_NEAR(r[7 + i], top[i], 1e-10);
        }
    }
    char name[40];
    CHECK(strcmp(pinion_sensors_reading_name(x, 0, name, sizeof name), "sensor.torque") == 0);
    CHECK(strcmp(pinion_sensors_reading_name(x, 3, name, sizeof name), "sensor.imu.gyro.2") == 0);
    CHECK(strcmp(pinion_sensors_reading_name(x, 12, name, sizeof name), "sensor.top.force.2") == 0);
    CHECK(!pinion_sensors_reading_name(x, 13, name, sizeof name));
    CHECK(strcmp(pinion_sensors_reading_unit(x, 0), "N") == 0);
    CHECK(strcmp(pinion_sensors_reading_unit(x, 4), "m/s^2") == 0);
    pinion_sim_free(s);
    pinion_sensors_free(x);
    pinion_model_free(m);
}

/* mean, deviation and correlation of many readings; other seeds are other numbers; a run that goes on has the same */
TEST(noise)
{
    enum { MANY = 4000 };
    pinion_model *m = bench();
    pinion_sensors *x = pinion_sensors_new(m);
    pinion_sensor_def def = encoder_def(m, "e");
    def.noise[0] = 0.01;
    def.bias[0] = 0.5;
    add(x, &def);
    def.name = "f";
    add(x, &def);
    pinion_sensors_set_seed(x, 5);
    pinion_sim *s = simulation(m, x, PINION_INTEGRATOR_RK4), *other = simulation(m, x, PINION_INTEGRATOR_RK4);
    const double q[2] = {0, 0};
    double sum = 0, squares = 0, cross = 0, next = 0, last = 0, r[4], again[4], first = 0;
    CHECK_STATUS(pinion_sim_start(s, 0, q, NULL), PINION_OK);
    for (int n = 0; n < MANY; n++) {
        double here[2];
        pinion_sim_state state = {.q = here};
        CHECK_STATUS(pinion_sim_advance(s, period * n), PINION_OK);
        CHECK_STATUS(pinion_sim_get(s, &state), PINION_OK);
        CHECK_STATUS(pinion_sim_readings(s, r), PINION_OK);
        const double e = (r[0] - here[0] - 0.5) / 0.01, f = (r[2] - here[0] - 0.5) / 0.01;
        if (n == 0) first = e;
        sum += e;
        squares += e * e;
        cross += e * f;
        next += e * last;
        last = e;
        if (n != 100) continue;
        const int size = pinion_sim_memory_size(s);
        double *memory = malloc((size_t)size * sizeof *memory);
        CHECK_STATUS(pinion_sim_store(s, memory), PINION_OK);
        CHECK_STATUS(pinion_sim_restore(other, memory, size), PINION_OK);
        free(memory);
    }
    const double near = 4 / sqrt(MANY);
    CHECK_NEAR(sum / MANY, 0, near);
    CHECK_NEAR(squares / MANY, 1, 1.5 * near);
    CHECK_NEAR(cross / MANY, 0, near);
    CHECK_NEAR(next / MANY, 0, near);
    CHECK_STATUS(pinion_sim_advance(other, period * (MANY - 1)), PINION_OK);
    CHECK_STATUS(pinion_sim_readings(other, again), PINION_OK);
    for (int i = 0; i < 4; i++) CHECK(r[i] == again[i]);
    pinion_sensors_set_seed(x, 6);
    CHECK_STATUS(pinion_sim_start(s, 0, q, NULL), PINION_OK);
    CHECK_STATUS(pinion_sim_readings(s, r), PINION_OK);
    CHECK((r[0] - 0.5) / 0.01 != first);
    pinion_sim_free(s);
    pinion_sim_free(other);
    pinion_sensors_free(x);
    pinion_model_free(m);
}

/* by hand they are read where steps end, and in rows */
TEST(by_hand_and_in_rows)
{
    pinion_model *m = bench();
    pinion_sensors *x = pinion_sensors_new(m);
    pinion_sensor_def def = encoder_def(m, "e");
    def.resolution = 0.05;
    add(x, &def);
    const double q[2] = {0.31, 0}, v[2] = {1, 0};
    pinion_run_def run = pinion_run_def_default();
    run.sim.sensors = x;
    run.by_hand = 1;
    run.duration = 1;
    run.output_step = 0.125;
    run.q = q;
    run.v = v;
    run.result = pinion_result_new();
    pinion_run *r = pinion_run_new(m, &run, NULL);
    for (int k = 0; k <= 8; k++) {
        double readings[2];
        CHECK_STATUS(pinion_run_step_to(r, 0.125 * k), PINION_OK);
        if (k == 8) break;
        CHECK_STATUS(pinion_sim_readings(pinion_run_simulation(r), readings), PINION_OK);
        CHECK_NEAR(readings[0], 0.05 * round((0.31 + 0.125 * k) / 0.05), 1e-15);
        if (k) CHECK(fabs(readings[1] - 1) < 0.41);
    }
    CHECK(pinion_run_ended(r) == PINION_RUN_COMPLETE);
    const int column = pinion_result_find_column(run.result, "sensor.e");
    CHECK(column >= 0 && pinion_result_find_column(run.result, "sensor.e.velocity") == column + 1);
    if (column >= 0) CHECK_NEAR(pinion_result_values(run.result, column)[0], 0.3, 1e-15);
    pinion_run_free(r);
    pinion_result_free(run.result);
    pinion_sensors_free(x);
    pinion_model_free(m);
}

static const char *said(pinion_sensors *x, const char *text, pinion_error *err)
{
    FILE *f = fopen("sensors.json", "w");
    if (!f) return "";
    fputs(text, f);
    fclose(f);
    err->message[0] = 0;
    CHECK(pinion_sensors_load(x, "sensors.json", err) != PINION_OK);
    remove("sensors.json");
    return err->message;
}

TEST(files_and_mistakes)
{
    static const char *const bad[][2] = {
        {"{\"sensors\": [\n{\"type\": \"encoder\", \"joint\": \"slide\"}]}",
         "2: sensors[0]: the key \"name\" is missing"},
        {"{\"sensors\": [\n{\"name\": \"x\", \"type\": \"radar\"}]}", "\"encoder\", \"torque\" or \"imu\""},
        {"{\"sensors\": [\n{\"name\": \"x\", \"type\": \"encoder\", \"joint\": \"no\"}]}", "no joint \"no\""},
        {"{\"sensors\": [\n{\"name\": \"x\", \"type\": \"imu\", \"frame\": \"no\"}]}", "no link or frame"},
        {"{\"sensors\": [\n{\"name\": \"x\", \"type\": \"imu\", \"frame\": \"rod\", \"noise\": 1}]}", "noise"},
        {"{\"sensors\": [\n{\"name\": \"x\", \"type\": \"torque\", \"joint\": \"slide\", \"noise\": -1}]}", "negative"},
        {"{\"sensors\": [\n{\"name\": \"x\", \"type\": \"torque\", \"joint\": \"slide\", \"part\": 2}]}",
         "no such degree of freedom"},
        {"{\"sensors\": [\n{\"name\": \"x\", \"type\": \"encoder\", \"joint\": \"slide\", \"velocity\": \"guess\"}]}",
         "\"difference\" or \"exact\""},
        {"{\"seed\": 0.5, \"sensors\": []}", "no seed"},
        {"{}", "\"sensors\" is missing"}};
    pinion_model *m = bench();
    pinion_sensors *x = pinion_sensors_new(m);
    pinion_error err = {PINION_OK, 0, 0, ""};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) CHECK_HAS(said(x, bad[i][0], &err), bad[i][1]);
    CHECK(pinion_sensors_reading_count(x) == 0);
    FILE *f = fopen("sensors.json", "w");
    fputs("{\"seed\": 3, \"sensors\": [{\"name\": \"a\", \"type\": \"encoder\", \"joint\": \"slide\", "
          "\"velocity\": \"exact\", \"noise\": 0.1, \"bias\": -1, \"resolution\": 2}, "
          "{\"name\": \"b\", \"type\": \"imu\", \"frame\": \"bob\", "
          "\"gyro_noise\": 1, \"gyro_bias\": [1, 2, 3], \"force_noise\": 2, \"force_bias\": [4, 5, 6]}]}", f);
    fclose(f);
    if (pinion_sensors_load(x, "sensors.json", &err) != PINION_OK) CHECK_FAIL("%s", err.message);
    remove("sensors.json");
    CHECK(pinion_sensors_reading_count(x) == 8);

    pinion_sensor_def def = encoder_def(m, "a");
    CHECK_STATUS(pinion_sensors_add(x, &def, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "name of another");
    def = encoder_def(m, "c");
    def.noise[0] = NAN;
    CHECK_STATUS(pinion_sensors_add(x, &def, &err), PINION_ERR_ARGUMENT);
    def = pinion_sensor_def_default();
    CHECK_STATUS(pinion_sensors_add(x, &def, &err), PINION_ERR_ARGUMENT);
    memset(&def, 0, sizeof def);
    CHECK_STATUS(pinion_sensors_add(x, &def, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "pinion_sensor_def_default");
    CHECK_STATUS(pinion_sensors_load(NULL, "x", &err), PINION_ERR_ARGUMENT);
    double readings[8];
    pinion_sim *s = simulation(m, NULL, PINION_INTEGRATOR_DOPRI5);
    CHECK_STATUS(pinion_sim_readings(s, readings), PINION_ERR_ARGUMENT);
    pinion_sim_free(s);
    pinion_sensors_free(x);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_loop_over_an_encoder);
    RUN(an_imu_and_a_torque);
    RUN(noise);
    RUN(by_hand_and_in_rows);
    RUN(files_and_mistakes);
    return CHECK_END();
}
