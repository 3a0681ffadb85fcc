/* Angles and poses of model files. */
#include <math.h>

#include "io/json/json.h"
#include "model/pose.h"

#define PI 3.14159265358979323846

int pn_get_angles(const pn_json_value *object, int *degrees)
{
    static const char *const units[] = {"radians", "degrees", NULL};
    pn_json_value v;
    *degrees = 0;
    return !pn_value_get(object, "angles", &v) ||
           pn_value_choice(&v, units, "\"radians\" or \"degrees\"", degrees);
}

double pn_radians(double angle, int degrees)
{
    return degrees ? angle * (PI / 180) : angle;
}

void pn_sincos(double angle, int degrees, double *s, double *c)
{
    if (!degrees) {
        *s = sin(angle);
        *c = cos(angle);
        return;
    }

    /* quarter turns and a rest of at most 45 degrees; both steps are exact */
    double turn = fmod(angle, 360);
    double rest = remainder(turn, 90);
    int quarters = (int)lround((turn - rest) / 90) & 3;
    double rs = sin(rest * (PI / 180)), rc = cos(rest * (PI / 180));

    /* + 0.0: no negative zeros */
    switch (quarters) {
    case 0: *s = rs, *c = rc; break;
    case 1: *s = rc, *c = 0.0 - rs; break;
    case 2: *s = 0.0 - rs, *c = 0.0 - rc; break;
    default: *s = 0.0 - rc, *c = rs; break;
    }
    *s += 0.0;
    *c += 0.0;
}

/* R = Rz(yaw) Ry(pitch) Rx(roll) */
static int rpy_read(const pn_json_value *v, int degrees, double R[9])
{
    double angle[3], s[3], c[3];
    if (!pn_value_numbers(v, 3, angle)) return 0;
    for (int i = 0; i < 3; i++) pn_sincos(angle[i], degrees, &s[i], &c[i]);
    double x[9] = {1, 0, 0, 0, c[0], -s[0], 0, s[0], c[0]};
    double y[9] = {c[1], 0, s[1], 0, 1, 0, -s[1], 0, c[1]};
    double z[9] = {c[2], -s[2], 0, s[2], c[2], 0, 0, 0, 1};
    pn_matrix_mul(y, x, R);
    pn_matrix_mul(z, R, R);
    return 1;
}

static int quaternion_read(const pn_json_value *v, double R[9])
{
    double q[4];
    if (!pn_value_numbers(v, 4, q)) return 0;
    double length2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(fabs(sqrt(length2) - 1) <= 1e-3))
        return pn_value_fail(v, "is not of unit length, expected w, x, y, z of length 1");

    /* scaling by 2 / |q|^2 normalizes */
    double k = 2 / length2, w = q[0], x = q[1], y = q[2], z = q[3];
    double turned[9] = {1 - k * (y * y + z * z), k * (x * y - w * z),     k * (x * z + w * y),
                        k * (x * y + w * z),     1 - k * (x * x + z * z), k * (y * z - w * x),
                        k * (x * z - w * y),     k * (y * z + w * x),     1 - k * (x * x + y * y)};
    for (int i = 0; i < 9; i++) R[i] = turned[i] + 0.0;
    return 1;
}

static int rotation_read(const pn_json_value *v, double R[9])
{
    if (!pn_value_array_of(v, 3, "3 rows of 3 numbers")) return 0;
    for (size_t i = 0; i < 3; i++) {
        pn_json_value row = pn_value_at(v, i);
        if (!pn_value_numbers(&row, 3, R + 3 * i)) return 0;
    }
    if (pn_rotation_repair(R) < 0)
        return pn_value_fail(v, "is not a rotation, expected orthonormal, right-handed axes to 1e-6");
    return 1;
}

int pn_get_pose(const pn_json_value *object, const char *key, pinion_pose *out)
{
    static const char *const keys[] = {"position", "rpy", "quaternion", "rotation", "angles", NULL};
    pn_json_value v, turn, other;
    if (!pn_value_get(object, key, &v)) return 1;
    int degrees;
    if (!pn_value_object(&v, keys) || !pn_get_angles(&v, &degrees)) return 0;
    *out = pinion_pose_identity();
    if (!pn_get_numbers(&v, "position", 3, out->position)) return 0;

    /* at most one of three ways to say how it is turned */
    int way = 0;
    for (int i = 1; i <= 3; i++) {
        if (!pn_value_get(&v, keys[i], &other)) continue;
        if (way)
            return pn_value_fail(&other,
                                 "says the rotation again, expected one of rpy, quaternion, rotation");
        way = i;
        turn = other;
    }
    if (way != 1 && pn_value_get(&v, "angles", &other))
        return pn_value_fail(&other, "has nothing to apply to, expected it only beside \"rpy\"");
    switch (way) {
    case 1: return rpy_read(&turn, degrees, out->rotation);
    case 2: return quaternion_read(&turn, out->rotation);
    case 3: return rotation_read(&turn, out->rotation);
    default: return 1;
    }
}
