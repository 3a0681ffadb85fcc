/* Mechanisms with closed loops for tests of the command, and what is known of them. */
#ifndef PN_TEST_LOOPS_H
#define PN_TEST_LOOPS_H

#include "command.h"
#include "sim.h"

/* Every kind of loop that is no joint: two arms in the plane whose tips a rod connects, which a drive turns
 * and which lift a slide by a gear; a spring on the slide; a ball on the floor. It does not close at the
 * start. `%s` is the distance of the two pivots. */
#define KINDS                                                                                                \
    "{\"pinion\": 1, \"name\": \"kinds\", \"links\": [{\"name\": \"base\"},\n"                               \
    " {\"name\": \"left\", \"mass\": 2, \"com\": [0.5, 0, 0], \"inertia\": {\"xx\": 0.1, \"yy\": 0.2, "      \
    "\"zz\": 0.3}},\n"                                                                                       \
    " {\"name\": \"right\", \"mass\": 1, \"com\": [0.4, 0, 0], \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, "     \
    "\"zz\": 0.1}},\n"                                                                                       \
    " {\"name\": \"ball\", \"mass\": 3, \"inertia\": {\"xx\": 0.5, \"yy\": 0.5, \"zz\": 0.5}},\n"            \
    " {\"name\": \"slide\", \"mass\": 0.5, \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}}],\n"        \
    "\"joints\": [\n"                                                                                        \
    " {\"name\": \"a\", \"type\": \"continuous\", \"parent\": \"base\", \"child\": \"left\"},\n"             \
    " {\"name\": \"b\", \"type\": \"continuous\", \"parent\": \"base\", \"child\": \"right\",\n"             \
    "  \"origin\": {\"position\": [%s, 0, 0]}},\n"                                                           \
    " {\"name\": \"lift\", \"type\": \"prismatic\", \"parent\": \"base\", \"child\": \"slide\"},\n"          \
    " {\"name\": \"float\", \"type\": \"free\", \"parent\": \"base\", \"child\": \"ball\",\n"                \
    "  \"initial\": {\"q\": [1, 0, 0, 0, 0, 5, 0.3], \"v\": [1, 0.5, 2, 0.15, -0.3, 0]}}],\n"                \
    "\"loops\": [\n"                                                                                         \
    " {\"name\": \"rod\", \"type\": \"distance\", \"parent\": \"left\", \"child\": \"right\",\n"             \
    "  \"origin\": {\"position\": [1, 0, 0]}, \"child_origin\": {\"position\": [1, 0, 0]}, \"length\": 2,\n" \
    "  \"motion\": {\"rate\": 0.125}},\n"                                                                    \
    " {\"name\": \"teeth\", \"type\": \"gear\", \"joints\": [\"b\", \"lift\"], \"ratio\": 0.5, "             \
    "\"offset\": 0.25},\n"                                                                                   \
    " {\"name\": \"roll\", \"type\": \"rolling\", \"parent\": \"base\", \"child\": \"ball\", "               \
    "\"radius\": 0.3},\n"                                                                                    \
    " {\"name\": \"motor\", \"type\": \"drive\", \"joint\": \"a\", \"motion\": {\"offset\": 0.5, "           \
    "\"rate\": 2,\n"                                                                                         \
    "  \"acceleration\": -1, \"amplitude\": 0.25, \"frequency\": 0.5, \"phase\": 0.75}},\n"                  \
    " {\"name\": \"strut\", \"type\": \"spring\", \"parent\": \"base\", \"child\": \"slide\",\n"             \
    "  \"origin\": {\"position\": [3, 0, 4]}, \"length\": 4, \"stiffness\": 100, \"damping\": 7}]}\n"

/* Writes it with the pivots that far apart. */
static inline const char *write_kinds(const char *name, const char *apart)
{
    char text[4000];
    snprintf(text, sizeof text, KINDS, apart);
    return write_file(name, text);
}

/* The drive's law of time and its derivatives. */
static inline void motor_law(double t, double g[3])
{
    const double w = M_PI, angle = w * t + 0.75;
    g[0] = 0.5 + 2 * t - 0.5 * t * t + 0.25 * sin(angle);
    g[1] = 2 - t + 0.25 * w * cos(angle);
    g[2] = -1 - 0.25 * w * w * sin(angle);
}

/* The force of the strut on the slide along x, y and z: 100 N/m and 7 N s/m. */
static inline void strut_force(double lift, double speed, double f[3])
{
    const double d[3] = {-3, 0, lift - 4}, length = sqrt(9 + d[2] * d[2]);
    const double pull = 100 * (length - 4) + 7 * d[2] * speed / length;
    for (int i = 0; i < 3; i++) f[i] = -pull * d[i] / length;
}

/* ------------------------------------------------------------------------------------------------ */
/* The bundled four-bar: lengths 0.5 (ground), 0.2, 0.5, 0.4 m; uniform rods of 0.3, 1.2 and 0.9 kg along x;
 * gravity along -y. */

/* Forces in it by Newton's law and Euler's, from the motion alone, in the axes of the link that they act on.
 */
typedef struct four_bar_forces {
    double pin[2], rocker[2], coupler[2], crank[2]; /* N, on the rocker and on the child of each joint */
    double torque;                                  /* N m, at the crank */
    double energy;                                  /* J */
    double gap;                                     /* m, between coupler and rocker */
} four_bar_forces;

static inline double cross2(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

/* x = a + s (alpha n - w^2 u): the acceleration of the point s along a rod from its end with acceleration a
 */
static inline void along(const double a[2], double s, double angle, double w, double alpha, double x[2])
{
    x[0] = a[0] - s * (alpha * sin(angle) + w * w * cos(angle));
    x[1] = a[1] + s * (alpha * cos(angle) - w * w * sin(angle));
}

/* What a rod takes beside gravity: m (a - g) */
static inline void takes(double mass, const double a[2], double f[2])
{
    f[0] = mass * a[0];
    f[1] = mass * (a[1] + 9.81);
}

static inline void turned(const double f[2], double angle, double out[2])
{
    out[0] = cos(angle) * f[0] + sin(angle) * f[1];
    out[1] = -sin(angle) * f[0] + cos(angle) * f[1];
}

static inline four_bar_forces four_bar(const double q[3], const double v[3], const double a[3])
{
    four_bar_forces r;
    const double th = q[0] + q[1], w = v[0] + v[1], al = a[0] + a[1], still[2] = {0, 0};
    const double u1[2] = {cos(q[0]), sin(q[0])}, u2[2] = {cos(th), sin(th)}, u3[2] = {cos(q[2]), sin(q[2])};

    /* centres of mass, and what each rod takes */
    double a1[2], b[2], a2[2], a3[2], f1[2], f2[2], f3[2];
    along(still, 0.1, q[0], v[0], a[0], a1);
    along(still, 0.2, q[0], v[0], a[0], b);
    along(b, 0.25, th, w, al, a2);
    along(still, 0.2, q[2], v[2], a[2], a3);
    takes(0.3, a1, f1);
    takes(1.2, a2, f2);
    takes(0.9, a3, f3);

    /* the pin: moments of the rocker about its pivot, of the coupler about the crank's end */
    const double across = (0.012 * a[2] + 0.2 * cross2(u3, f3)) / 0.4;
    const double turn = -(0.025 * al + 0.25 * cross2(u2, f2)) / 0.5;
    r.pin[1] = across;
    r.pin[0] = (turn - across * cos(q[2] - th)) / sin(q[2] - th);

    /* the others by Newton's law, then the crank's moment about its pivot; the world's axes until the end */
    const double pin[2] = {u3[0] * r.pin[0] - u3[1] * r.pin[1], u3[1] * r.pin[0] + u3[0] * r.pin[1]};
    const double rocker[2] = {f3[0] - pin[0], f3[1] - pin[1]}, coupler[2] = {f2[0] + pin[0], f2[1] + pin[1]};
    const double crank[2] = {f1[0] + coupler[0], f1[1] + coupler[1]};
    r.torque = 0.001 * a[0] + 0.1 * cross2(u1, f1) + 0.2 * cross2(u1, coupler);
    turned(rocker, q[2], r.rocker);
    turned(coupler, th, r.coupler);
    turned(crank, q[0], r.crank);

    /* energy, and whether it closes */
    const double vx = -0.2 * v[0] * u1[1] - 0.25 * w * u2[1], vy = 0.2 * v[0] * u1[0] + 0.25 * w * u2[0];
    const double kinetic =
        0.5 * (0.004 * v[0] * v[0] + 1.2 * (vx * vx + vy * vy) + 0.025 * w * w + 0.048 * v[2] * v[2]);
    r.energy = kinetic + 9.81 * (0.3 * 0.1 * u1[1] + 1.2 * (0.2 * u1[1] + 0.25 * u2[1]) + 0.9 * 0.2 * u3[1]);
    r.gap = hypot(0.2 * u1[0] + 0.5 * u2[0] - 0.5 - 0.4 * u3[0], 0.2 * u1[1] + 0.5 * u2[1] - 0.4 * u3[1]);
    return r;
}

/* ------------------------------------------------------------------------------------------------ */

/* The numbers of an array, or of an array of rows, one after the other; how many there are. */
static inline int numbers_of(json_t *json, double *out, int room)
{
    if (!json_is_array(json)) {
        if (!json_is_number(json) || room < 1) return 0;
        *out = json_number_value(json);
        return 1;
    }
    int used = 0;
    for (size_t i = 0; i < json_array_size(json); i++)
        used += numbers_of(json_array_get(json, i), out + used, room - used);
    return used;
}

static inline void check_mobility(json_t *m, int rows, int rank, int gruebler, int freedom)
{
    CHECK_KEYS(m, "rows rank redundant gruebler freedom doubt singular");
    CHECK(json_integer_value(DIG(m, "rows")) == rows);
    CHECK(json_integer_value(DIG(m, "rank")) == rank);
    CHECK(json_integer_value(DIG(m, "redundant")) == rows - rank);
    CHECK(json_integer_value(DIG(m, "gruebler")) == gruebler);
    CHECK(json_integer_value(DIG(m, "freedom")) == freedom);
}

#endif
