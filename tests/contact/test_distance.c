/* Derivatives of distances, nearest points and normals beside differences: of solids that move, for every pair of
 * shapes, and of a model's collisions along its coordinates. */
#include "check.h"
#include "contact/bodies.h"

/* of 1: normals and points of smooth solids, some metres apart, are known to 1e-6, and quotients over STEP lose three
 * digits more */
#define STEP 1e-3
#define NEAR 3e-3

/* moves a solid by a velocity, angular first, of what is at the world's origin, for some time */
static void move(pinion_solid *s, const double velocity[6], double t)
{
    const double *w = velocity, angle = t * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, old[9], p[3];
    if (angle != 0) { /* velocities are units: either turn or shift */
        const double c = cos(angle), d = sin(t < 0 ? -fabs(angle) : fabs(angle));
        const double x = w[0], y = w[1], z = w[2];
        const double turned[9] = {c + x * x * (1 - c),     x * y * (1 - c) - z * d, x * z * (1 - c) + y * d,
                                  x * y * (1 - c) + z * d, c + y * y * (1 - c),     y * z * (1 - c) - x * d,
                                  x * z * (1 - c) - y * d, y * z * (1 - c) + x * d, c + z * z * (1 - c)};
        memcpy(R, turned, sizeof R);
    }
    memcpy(old, s->pose.rotation, sizeof old);
    memcpy(p, s->pose.position, sizeof p);
    for (int i = 0; i < 3; i++) {
        s->pose.position[i] = t * velocity[3 + i];
        for (int k = 0; k < 3; k++) s->pose.position[i] += R[3 * i + k] * p[k];
        for (int j = 0; j < 3; j++) {
            s->pose.rotation[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) s->pose.rotation[3 * i + j] += R[3 * i + k] * old[3 * k + j];
        }
    }
}

static void as_numbers(const pinion_nearest *n, double x[10])
{
    x[0] = n->gap;
    memcpy(x + 1, n->normal, sizeof n->normal);
    memcpy(x + 4, n->first, sizeof n->first);
    memcpy(x + 7, n->second, sizeof n->second);
}

/* the difference quotient along input j, of two step lengths; how far these are apart, and how far it is from those of
 * either side, goes to *doubt: it is wrong by so much where a kink is within the step, as at a capsule's end */
static void difference(const pinion_solid s[2], const pinion_nearest *at, int j, double out[10], double *doubt)
{
    double x[4][10], here[10];
    as_numbers(at, here);
    *doubt = 0;
    for (int k = 0; k < 4; k++) {
        const double velocity[6] = {j % 6 == 0, j % 6 == 1, j % 6 == 2, j % 6 == 3, j % 6 == 4, j % 6 == 5};
        const double t = (k % 2 ? -1 : 1) * (k < 2 ? STEP : 0.5 * STEP);
        pinion_solid moved[2] = {s[0], s[1]};
        pinion_nearest n;
        move(&moved[j / 6], velocity, t);
        CHECK_STATUS(pinion_shape_distance(&moved[0], &moved[1], &n), PINION_OK);
        as_numbers(&n, x[k]);
    }
    for (int i = 0; i < 10; i++) {
        out[i] = (x[2][i] - x[3][i]) / STEP;
        *doubt = fmax(*doubt, fabs(out[i] - (x[0][i] - x[1][i]) / (2 * STEP)));
        *doubt = fmax(*doubt, fabs(x[2][i] + x[3][i] - 2 * here[i]) / STEP);
    }
}

static const pinion_shape shapes[] = {PINION_SHAPE_BOX,  PINION_SHAPE_SPHERE,    PINION_SHAPE_CYLINDER,
                                      PINION_SHAPE_CAPSULE, PINION_SHAPE_MESH,  PINION_SHAPE_ELLIPSOID,
                                      PINION_SHAPE_CONE, PINION_SHAPE_PLANE,     PINION_SHAPE_HEIGHT_FIELD};
#define KINDS 9

static double numbers[2][30];

static pinion_solid any_solid(uint64_t *seed, int kind, int which)
{
    pinion_solid s;
    memset(&s, 0, sizeof s);
    s.shape = shapes[kind];
    const int ground = kind >= 7;
    double axis[3], size = 0;
    for (int k = 0; k < 3; k++) {
        s.size[k] = ground && k < 2 ? 8 : check_between(seed, 0.3, 1);
        axis[k] = check_between(seed, -1, 1);
        size += axis[k] * axis[k];
    }
    for (int k = 0; k < 3; k++) axis[k] /= sqrt(size);
    s.pose = pinion_pose_identity();
    const double turn[6] = {axis[0], axis[1], axis[2], 0, 0, 0};
    move(&s, turn, ground ? 0.3 : check_between(seed, 0, 3));
    for (int k = 0; k < 2; k++) s.pose.position[k] = check_between(seed, -1, 1);
    s.pose.position[2] = ground ? -2.5 : which ? check_between(seed, 1.5, 2.5) : 0;
    for (int k = 0; k < 30; k++) numbers[which][k] = check_between(seed, -0.7, 0.7);
    s.data = numbers[which];
    s.rows = kind == 8 ? 4 : 10;
    s.columns = kind == 8 ? 4 : 3;
    return s;
}

/* Pairs whose nearest points change their kind within a step have quotients that differ: those are passed over. */
TEST(every_pair_beside_differences)
{
    uint64_t seed = check_seed;
    int tried = 0, smooth = 0, undefined = 0;
    for (int round = 0; round < check_rounds(KINDS * KINDS * 40); round++) {
        const int a = round % KINDS, b = round / KINDS % KINDS;
        if (a >= 7 && b >= 7) continue;
        const pinion_solid s[2] = {any_solid(&seed, a, 0), any_solid(&seed, b, 1)};
        pinion_nearest n;
        double d[10][12];
        CHECK_STATUS(pinion_shape_distance(&s[0], &s[1], &n), PINION_OK);
        CHECK_STATUS(pinion_shape_d_distance(&s[0], &s[1], &n, d[0]), PINION_OK);
        for (int j = 0; j < 12; j++) {
            double quotient[10], doubt;
            difference(s, &n, j, quotient, &doubt);
            tried++;
            undefined += isnan(d[1][j]);
            if (doubt > NEAR || isnan(d[1][j])) continue;
            smooth++;
            for (int i = 0; i < 10 && n.gap > 0; i++) CHECK_NEAR(d[i][j], quotient[i], NEAR);
            if (doubt < 1e-5 && n.gap > 0) CHECK_NEAR(d[0][j], quotient[0], 1e-5); /* of a step's square */
        }
    }
    CHECK(smooth > tried * 98 / 100 && undefined < tried / 100);
}

/* Balls: the normal turns by the way across over the distance of their centres. */
TEST(two_balls)
{
    pinion_solid a = {.shape = PINION_SHAPE_SPHERE, .pose = pinion_pose_identity(), .size = {0.5, 0, 0}}, b = a;
    pinion_nearest n;
    double d[10][12];
    for (int deep = 0; deep < 2; deep++) {
        const double distance = deep ? 0.8 : 3;
        b.pose.position[0] = distance;
        CHECK_STATUS(pinion_shape_distance(&a, &b, &n), PINION_OK);
        CHECK_STATUS(pinion_shape_d_distance(&a, &b, &n, d[0]), PINION_OK);
        CHECK_NEAR(d[0][9], 1, 1e-15);                 /* b along x: the gap, */
        CHECK_NEAR(d[2][10], 1 / distance, 1e-15);     /* along y: the normal, */
        CHECK_NEAR(d[5][10], 0.5 / distance, 1e-15);   /* the first point, */
        CHECK_NEAR(d[8][10], 1 - 0.5 / distance, 1e-15); /* and the second one */
        for (int j = 6; j < 9; j++) /* a ball that turns about its middle is where it was */
            for (int i = 0; i < 10; i++)
                CHECK_NEAR(d[i][j] + (j == 7 ? distance * d[i][11] : j == 8 ? -distance * d[i][10] : 0), 0, 1e-15);
    }
}

/* What lies on a face has a gap with derivatives, but its nearest points may be anywhere. */
TEST(faces_along_each_other)
{
    const pinion_solid plane = {.shape = PINION_SHAPE_PLANE, .pose = pinion_pose_identity()};
    pinion_solid box = {.shape = PINION_SHAPE_BOX, .pose = pinion_pose_identity(), .size = {1, 2, 3}};
    pinion_nearest n;
    double d[10][12];
    box.pose.position[2] = 2;
    CHECK_STATUS(pinion_shape_distance(&plane, &box, &n), PINION_OK);
    CHECK_STATUS(pinion_shape_d_distance(&plane, &box, &n, d[0]), PINION_OK);
    CHECK_NEAR(d[0][11], 1, 1e-15);
    CHECK(isnan(d[1][0]) && isnan(d[9][11]));
    CHECK_STATUS(pinion_shape_d_distance(&plane, &plane, &n, d[0]), PINION_ERR_UNSUPPORTED);
    CHECK_STATUS(pinion_shape_d_distance(&plane, &box, NULL, d[0]), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_shape_d_distance(NULL, &box, &n, d[0]), PINION_ERR_ARGUMENT);
}

/* the difference quotient of a pair of a model's collisions along coordinate j */
static void difference_of(const moving *x, const int pair[2], int j, double h, double out[10])
{
    double ends[2][10];
    for (int k = 0; k < 2; k++) {
        double v[12] = {0}, moved[14];
        pinion_nearest n;
        v[j] = k ? -h : h;
        CHECK_STATUS(pinion_integrate(x->m, x->q, v, 1, moved), PINION_OK);
        CHECK_STATUS(pinion_scene_distance(x->s, x->w, moved, pair[0], pair[1], &n, NULL), PINION_OK);
        as_numbers(&n, ends[k]);
    }
    for (int i = 0; i < 10; i++) out[i] = (ends[0][i] - ends[1][i]) / (2 * h);
}

/* Two bodies that float and the ground, along their twelve coordinates. A kink may be within a step, and where points
 * slide far its square counts: of four lengths one is right, while what is wrong stays wrong with each. */
TEST(along_the_coordinates_of_a_model)
{
    const double down[3] = {0, 0, -10};
    const body list[] = {{PINION_SHAPE_CAPSULE, {0.2, 0.8, 0}, 1, 0.1, 0.5, 0},
                         {PINION_SHAPE_BOX, {0.5, 0.6, 0.7}, 1, 0.1, 0.5, 0}};
    moving x = moving_new(bodies_model(2, list, down), 1, 1e-3);
    static const int pairs[][2] = {{0, 1}, {1, 0}, {-1, 0}, {-1, 1}, {1, -1}};
    uint64_t seed = check_seed;
    for (int round = 0; round < 50; round++) {
        double v[12], d[10][12];
        pinion_nearest n;
        for (int k = 0; k < 12; k++) v[k] = check_between(&seed, -1, 1);
        CHECK_STATUS(pinion_integrate(x.m, x.q, v, 1, x.q), PINION_OK); /* from where it was */
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 3; i++) x.q[7 * k + 4 + i] = check_between(&seed, -1, 1) + (i == 2 ? 2 + 2 * k : 0);
        const int *pair = pairs[round % 5];
        CHECK_STATUS(pinion_scene_distance(x.s, x.w, x.q, pair[0], pair[1], &n, d[0]), PINION_OK);
        for (int j = 0; j < 12; j++) {
            double quotient[10], worst = INFINITY;
            for (double h = 1e-5; h > 5e-9 && !(worst <= 1e-7); h /= 10) {
                difference_of(&x, pair, j, h, quotient);
                worst = 0;
                for (int i = 0; i < 10; i++) worst = fmax(worst, fabs(d[i][j] - quotient[i]));
            }
            for (int i = 0; i < 10; i++) CHECK_NEAR(d[i][j], quotient[i], 1e-7);
        }
    }
    pinion_nearest n;
    CHECK_STATUS(pinion_scene_distance(x.s, x.w, x.q, 0, 2, &n, NULL), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_scene_message(x.s), "no collision of that number");
    CHECK_STATUS(pinion_scene_distance(x.s, x.w, NULL, 0, 1, &n, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_scene_distance(x.s, x.w, x.q, -1, -1, &n, NULL), PINION_ERR_UNSUPPORTED);
    moving_free(&x);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(every_pair_beside_differences);
    RUN(two_balls);
    RUN(faces_along_each_other);
    RUN(along_the_coordinates_of_a_model);
    return CHECK_END();
}
