/* What a run records beside the state: the target of a controller and what is missing to it, or to those of tasks, what
 * sensors read, what grounds do, and where chosen frames are. */
#include "sim/run/run_parts.h"

#include "base/vec3.h"
#include "sim/run/driver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINT = 4, POSE = 7, ANGLES = 3 }; /* columns: a point, a frame, its angles */

static int frame_columns(const pinion_run *r)
{
    return POSE + (r->def.rpy ? ANGLES : 0);
}

int pn_watched_count(const pinion_run *r)
{
    const int tracked = r->def.tracked ? pinion_model_nq(r->m) + 3 * pinion_model_nv(r->m) : 0;
    return tracked + pinion_tasks_error_count(r->def.tasks) + pinion_sensors_reading_count(r->def.sim.sensors) +
           (r->points ? 1 + POINT * r->points : 0) + pn_contacts_count(r) + frame_columns(r) * r->def.frame_count;
}

/* ---------------------------------------------------------------------------------------------
 * Names */

/* "target.q.elbow", "error.v.root.3". An error of position has a number for each velocity, and its length's unit. */
static pinion_status add_tracked(pinion_run *r, pinion_error *err)
{
    static const char *const prefix[] = {"target", "target", "error", "error"};
    static const char *const what[] = {"q", "v", "q", "v"};
    pinion_status status = PINION_OK;
    for (int k = 0; k < 4; k++) {
        const char *of = k == 0 ? "q" : "v";
        const int count = k == 0 ? pinion_model_nq(r->m) : pinion_model_nv(r->m);
        for (int i = 0; i < count && status == PINION_OK; i++) {
            char coordinate[1000], name[1020];
            pinion_coordinate_name(r->m, of, i, coordinate, sizeof coordinate);
            snprintf(name, sizeof name, "%s.%s%s", prefix[k], what[k], coordinate + 1);
            const char *unit = pinion_coordinate_unit(r->m, of, i);
            if (k == 2) unit = strcmp(unit, "m/s") == 0 ? "m" : "rad";
            status = pn_run_add_column(r, name, unit, err);
        }
    }
    return status;
}

pinion_status pn_run_add_numbered(pinion_run *r, const char *base, const char *part, int count, const char *unit,
                                  pinion_error *err)
{
    pinion_status status = PINION_OK;
    for (int i = 0; i < count && status == PINION_OK; i++) {
        char name[1000];
        snprintf(name, sizeof name, "%s.%s.%d", base, part, i);
        status = pn_run_add_column(r, name, unit, err);
    }
    return status;
}

/* "contact.GROUND.FRAME", with a number where names of grounds or points are there twice. */
static pinion_status name_point(const pinion_run *r, int index, const char *first, char *base, size_t size)
{
    pinion_ground_point point;
    pinion_frame_info frame;
    char name[720];
    pinion_status status = pinion_forces_point(r->def.sim.forces, index, &point);
    if (status == PINION_OK) status = pinion_model_frame(r->m, point.frame, &frame);
    if (status != PINION_OK) return status;
    snprintf(base, size, "contact.%.300s.%.300s", point.ground, frame.name);
    snprintf(name, sizeof name, "%s.%s", base, first);
    for (int k = 2; pinion_result_find_column(r->table, name) >= 0; k++) {
        snprintf(base, size, "contact.%.300s.%.300s (%d)", point.ground, frame.name, k);
        snprintf(name, sizeof name, "%s.%s", base, first);
    }
    return PINION_OK;
}

/* How many touch, all forces, all gaps. */
static pinion_status add_points(pinion_run *r, pinion_error *err)
{
    char base[700], name[710];
    pinion_status status = r->points ? pn_run_add_column(r, "contact.count", "", err) : PINION_OK;
    for (int i = 0; i < r->points && status == PINION_OK; i++) {
        status = name_point(r, i, "force.0", base, sizeof base);
        if (status == PINION_OK) status = pn_run_add_numbered(r, base, "force", 3, "N", err);
    }
    for (int i = 0; i < r->points && status == PINION_OK; i++) {
        status = name_point(r, i, "gap", base, sizeof base);
        snprintf(name, sizeof name, "%s.gap", base);
        if (status == PINION_OK) status = pn_run_add_column(r, name, "m", err);
    }
    return status;
}

pinion_status pn_watched_columns(pinion_run *r, pinion_error *err)
{
    pinion_status status = r->def.tracked ? add_tracked(r, err) : PINION_OK;
    for (int i = 0; i < pinion_tasks_error_count(r->def.tasks) && status == PINION_OK; i++) {
        char name[1020] = "";
        pinion_tasks_error_name(r->def.tasks, i, name, sizeof name);
        status = pn_run_add_column(r, name, pinion_tasks_error_unit(r->def.tasks, i), err);
    }
    for (int i = 0; i < pinion_sensors_reading_count(r->def.sim.sensors) && status == PINION_OK; i++) {
        char name[300] = "";
        pinion_sensors_reading_name(r->def.sim.sensors, i, name, sizeof name);
        status = pn_run_add_column(r, name, pinion_sensors_reading_unit(r->def.sim.sensors, i), err);
    }
    if (status == PINION_OK) status = add_points(r, err);
    if (status == PINION_OK) status = pn_contacts_columns(r, err);
    for (int i = 0; i < r->def.frame_count && status == PINION_OK; i++) {
        pinion_frame_info frame;
        char base[400];
        status = pinion_model_frame(r->m, r->def.frames[i], &frame);
        if (status != PINION_OK) return status;
        snprintf(base, sizeof base, "frame.%.300s", frame.name);
        status = pn_run_add_numbered(r, base, "position", 3, "m", err);
        if (status == PINION_OK) status = pn_run_add_numbered(r, base, "quaternion", 4, "", err);
        if (status == PINION_OK && r->def.rpy) status = pn_run_add_numbered(r, base, "rpy", 3, "rad", err);
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Values */

/* Angles about fixed axes x, y, z: R = Rz(yaw) Ry(pitch) Rx(roll). Looking straight up or down roll is 0. */
static void roll_pitch_yaw(const double R[9], double rpy[3])
{
    const double level = sqrt(R[0] * R[0] + R[3] * R[3]);
    const int steep = level < 1e-12;
    rpy[0] = steep ? 0 : atan2(R[7], R[8]);
    rpy[1] = atan2(-R[6], level);
    rpy[2] = steep ? atan2(-R[1], R[4]) : atan2(R[3], R[0]);
}

/* How many touch, the forces, the gaps. */
static pinion_status fill_points(pinion_run *r, const double *q, const double *v, double *out)
{
    double *force = out + 1, *gap = force + 3 * (size_t)r->points;
    out[0] = 0;
    const pinion_status status =
        pinion_forces_on_points(r->def.sim.forces, r->sim->plant.w, q, v, r->points, force, gap);
    for (int i = 0; i < r->points && status == PINION_OK; i++) out[0] += gap[i] < 0;
    return status;
}

static pinion_status fill_frame(pinion_run *r, const double *q, int frame, double *out)
{
    double R[9];
    const pinion_status status = pinion_frame_pose(r->m, r->sim->plant.w, q, frame, out, R);
    if (status != PINION_OK) return status;
    pn_matrix_quaternion(R, out + 3);
    const double sign = out[3] < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++) out[3 + i] *= sign;
    if (r->def.rpy) roll_pitch_yaw(R, out + POSE);
    return PINION_OK;
}

pinion_status pn_watched_fill(pinion_run *r, double t, const double *q, const double *v, double *a, double *out)
{
    const int nq = pinion_model_nq(r->m), nv = pinion_model_nv(r->m);
    pinion_status status = PINION_OK;
    if (r->def.tracked) {
        double *errors = out + nq + nv;
        status = pinion_controller_target(r->def.tracked, t, q, v, out, out + nq, errors, errors + nv);
        out = errors + 2 * nv;
    }
    if (r->def.tasks && status == PINION_OK) status = pinion_tasks_errors(r->def.tasks, t, q, out);
    out += pinion_tasks_error_count(r->def.tasks);
    if (r->def.sim.sensors && status == PINION_OK) status = pinion_sim_readings(r->sim, out);
    out += pinion_sensors_reading_count(r->def.sim.sensors);
    if (r->points && status == PINION_OK) status = fill_points(r, q, v, out);
    if (r->points) out += 1 + POINT * r->points;
    if (status == PINION_OK) status = pn_contacts_fill(r, t, q, v, a, out);
    out += pn_contacts_count(r);
    for (int i = 0; i < r->def.frame_count && status == PINION_OK; i++, out += frame_columns(r))
        status = fill_frame(r, q, r->def.frames[i], out);
    return status;
}
