/* What a shape of MJCF weighs: solid, or as a shell of the thickness 1 and no more. */
#include "io/mjcf/mjcf_shape.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static void principal(double inertia[6], double x, double y, double z)
{
    inertia[0] = x;
    inertia[3] = y;
    inertia[5] = z;
    inertia[1] = inertia[2] = inertia[4] = 0;
}

/* m, and the principal inertias by the mean squares of x, y and z. */
static void by_squares(pinion_inertia *out, double m, double xx, double yy, double zz)
{
    out->mass = m;
    principal(out->inertia, m * (yy + zz), m * (xx + zz), m * (xx + yy));
}

static void ellipsoid(pinion_inertia *out, const double s[3], int shell)
{
    const double a = s[0], b = s[1], c = s[2];
    if (!shell) {
        by_squares(out, 4 * pi * a * b * c / 3, a * a / 5, b * b / 5, c * c / 5);
        return;
    }
    /* Thomsen's area; the inertia is that between it and one that is larger by a little, as the format has it
     */
    const double p = 1.6075, e = 1e-6;
    const double area = 4 * pi * pow((pow(a * b, p) + pow(b * c, p) + pow(c * a, p)) / 3, 1 / p);
    const double A = a + e, B = b + e, C = c + e, inner = a * b * c, outer = A * B * C,
                 between = outer - inner;
    by_squares(out, area, (outer * A * A - inner * a * a) / (5 * between),
               (outer * B * B - inner * b * b) / (5 * between),
               (outer * C * C - inner * c * c) / (5 * between));
}

/* A cylinder of half length h, and where `caps` is nonzero half a sphere at each end. */
static void capsule(pinion_inertia *out, double r, double h, int shell, int caps)
{
    /* tube, and both ends together: mass, mean square of x, mean square of z */
    double tube, tube_x, tube_z = h * h / 3, ends, ends_x, ends_z;
    if (shell) {
        tube = 4 * pi * r * h;
        tube_x = r * r / 2;
        ends = caps ? 4 * pi * r * r : 2 * pi * r * r;
        ends_x = caps ? r * r / 3 : r * r / 4;
        ends_z = caps ? h * h + h * r + r * r / 3 : h * h;
    } else {
        tube = 2 * pi * r * r * h;
        tube_x = r * r / 4;
        ends = caps ? 4 * pi * r * r * r / 3 : 0;
        ends_x = r * r / 5;
        ends_z = h * h + 3 * h * r / 4 + r * r / 5;
    }
    const double m = tube + ends, x = (tube * tube_x + ends * ends_x) / m;
    by_squares(out, m, x, x, (tube * tube_z + ends * ends_z) / m);
}

static void box(pinion_inertia *out, const double s[3], int shell)
{
    const double x = s[0] * s[0], y = s[1] * s[1], z = s[2] * s[2];
    if (!shell) {
        by_squares(out, 8 * s[0] * s[1] * s[2], x / 3, y / 3, z / 3);
        return;
    }
    /* the faces normal to x, y and z */
    const double fx = 8 * s[1] * s[2], fy = 8 * s[0] * s[2], fz = 8 * s[0] * s[1], m = fx + fy + fz;
    by_squares(out, m, (fx * x + (fy + fz) * x / 3) / m, (fy * y + (fx + fz) * y / 3) / m,
               (fz * z + (fx + fy) * z / 3) / m);
}

int pn_mjcf_shape(mjcf_shape shape, const double size[3], int shell, pinion_inertia *out)
{
    static const int sizes[] = {0, 0, 1, 2, 3, 2, 3, 0, 0};
    *out = (pinion_inertia){0};
    for (int i = 0; i < sizes[shape]; i++) {
        if (!(size[i] > 0)) return 0;
    }
    const double r = size[0], ball[3] = {r, r, r};
    switch (shape) {
    case SHAPE_SPHERE:
        if (shell)
            by_squares(out, 4 * pi * r * r, r * r / 3, r * r / 3, r * r / 3);
        else
            ellipsoid(out, ball, 0);
        return 1;
    case SHAPE_CAPSULE: capsule(out, r, size[1], shell, 1); return 1;
    case SHAPE_CYLINDER: capsule(out, r, size[1], shell, 0); return 1;
    case SHAPE_ELLIPSOID: ellipsoid(out, size, shell); return 1;
    case SHAPE_BOX: box(out, size, shell); return 1;
    default: return 1;
    }
}
