/* Solids in each other: their points lie on both, patches have the deepest point, and height fields push upwards, or
 * sideways where bodies come from beside them. */
#include "check.h"
#include "pinion/shapes.h"

static uint64_t seed;

static pinion_solid solid(pinion_shape shape, double a, double b, double c, double x, double y, double z)
{
    const pinion_pose pose = {{x, y, z}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    pinion_solid s;
    memset(&s, 0, sizeof s);
    s.shape = shape;
    s.pose = pose;
    s.size[0] = a;
    s.size[1] = b;
    s.size[2] = c;
    return s;
}

/* a random rotation, or one of a few along the axes */
static void turn(pinion_solid *s, int even)
{
    double x[4], size = 0;
    for (int k = 0; k < 4; k++) {
        x[k] = even ? floor(check_between(&seed, -1, 2)) : check_between(&seed, -1, 1);
        size += x[k] * x[k];
    }
    if (!(size > 0)) return;
    for (int k = 0; k < 4; k++) x[k] /= sqrt(size);
    const double w = x[0], i = x[1], j = x[2], k = x[3];
    const double R[9] = {1 - 2 * (j * j + k * k), 2 * (i * j - k * w), 2 * (i * k + j * w),
                         2 * (i * j + k * w), 1 - 2 * (i * i + k * k), 2 * (j * k - i * w),
                         2 * (i * k - j * w), 2 * (j * k + i * w), 1 - 2 * (i * i + j * j)};
    memcpy(s->pose.rotation, R, sizeof R);
}

static pinion_solid random_solid(int even)
{
    static const pinion_shape shapes[] = {PINION_SHAPE_BOX,      PINION_SHAPE_SPHERE,    PINION_SHAPE_CAPSULE,
                                          PINION_SHAPE_CYLINDER, PINION_SHAPE_ELLIPSOID, PINION_SHAPE_CONE};
    double size[3];
    for (int k = 0; k < 3; k++) size[k] = pow(10, check_between(&seed, -1, 0.2));
    pinion_solid s = solid(shapes[(int)check_between(&seed, 0, 6)], size[0], size[1], size[2], 0, 0, 0);
    turn(&s, even);
    return s;
}

/* How far a point is outside of a solid, as a share of its size; 0 or less inside. */
static double outside(const pinion_solid *s, const double point[3])
{
    double d[3], p[3];
    const double *z = s->size, *R = s->pose.rotation;
    for (int k = 0; k < 3; k++) d[k] = point[k] - s->pose.position[k];
    for (int k = 0; k < 3; k++) p[k] = R[k] * d[0] + R[3 + k] * d[1] + R[6 + k] * d[2];
    const double across = hypot(p[0], p[1]), half = 0.5 * z[1];
    switch (s->shape) {
    case PINION_SHAPE_BOX:
        return fmax(fabs(p[0]) - z[0] / 2, fmax(fabs(p[1]) - z[1] / 2, fabs(p[2]) - z[2] / 2)) /
               fmax(z[0], fmax(z[1], z[2]));
    case PINION_SHAPE_SPHERE: return hypot(across, p[2]) / z[0] - 1;
    case PINION_SHAPE_CAPSULE: return (hypot(across, fmax(0, fabs(p[2]) - half)) - z[0]) / (z[0] + half);
    case PINION_SHAPE_CYLINDER: return fmax(across - z[0], fabs(p[2]) - half) / fmax(z[0], half);
    case PINION_SHAPE_CONE:
        return fmax(across - z[0] * (half - p[2]) / z[1], fabs(p[2]) - half) / fmax(z[0], half);
    default: return hypot(hypot(p[0] / z[0], p[1] / z[1]), p[2] / z[2]) - 1;
    }
}

static void check_points(const pinion_solid *a, const pinion_solid *b)
{
    pinion_nearest n;
    CHECK_STATUS(pinion_shape_distance(a, b, &n), PINION_OK);
    /* depths are right to 1e-13, hence the normals of round solids, and the points, to the root of it */
    if (!(outside(a, n.first) <= 3e-6 && outside(b, n.second) <= 3e-6))
        CHECK_FAIL("shapes %d and %d, gap %g: the points are outside by %g and %g", (int)a->shape, (int)b->shape, n.gap,
                   outside(a, n.first), outside(b, n.second));
}

TEST(points_are_on_the_solids)
{
    /* a ball in the middle of an ellipsoid; a cone's tip in the bottom of a cylinder */
    const pinion_solid egg = solid(PINION_SHAPE_ELLIPSOID, 1.05, 0.65, 0.145, 0, 0, 0);
    const pinion_solid ball = solid(PINION_SHAPE_SPHERE, 0.07, 0, 0, 0, 0, 0);
    const pinion_solid cone = solid(PINION_SHAPE_CONE, 1.116, 0.5687, 0, -0.0975, 0.3487, -0.4485);
    const pinion_solid can = solid(PINION_SHAPE_CYLINDER, 0.7156, 0.3845, 0, 0.205, -0.0046, 0.0213);
    check_points(&egg, &ball);
    check_points(&cone, &can);
    pinion_nearest n;
    CHECK_STATUS(pinion_shape_distance(&egg, &ball, &n), PINION_OK);
    CHECK_NEAR(n.gap, -0.145 - 0.07, 1e-12);
    seed = check_seed;
    for (int i = 0; i < check_rounds(4000); i++) {
        pinion_solid a = random_solid(i % 2), b = random_solid(i % 2);
        for (int k = 0; k < 3; k++) b.pose.position[k] = check_between(&seed, -0.6, 0.6);
        if (i % 3 == 0)
            for (int k = 0; k < 3; k++) b.pose.position[k] = 0.1 * round(10 * b.pose.position[k]);
        check_points(&a, &b);
    }
}

/* twenty points in a box: a hull of many faces that are nearly in one plane */
static void make_mesh(pinion_solid *s, double *points)
{
    for (int i = 0; i < 60; i++) points[i] = check_between(&seed, -0.5, 0.5);
    s->shape = PINION_SHAPE_MESH;
    s->rows = 20;
    s->columns = 3;
    s->data = points;
}

TEST(patches_have_the_deepest_point)
{
    seed = check_seed;
    for (int i = 0; i < check_rounds(4000); i++) {
        pinion_solid a = random_solid(i % 2), b = random_solid(i % 2);
        double points[2][60];
        if (i % 4 == 0) make_mesh(&a, points[0]);
        if (i % 3 == 0) make_mesh(&b, points[1]);
        for (int k = 0; k < 3; k++) b.pose.position[k] = check_between(&seed, -0.8, 0.8);
        pinion_nearest n, p[PINION_PATCH_MOST];
        int count;
        CHECK_STATUS(pinion_shape_distance(&a, &b, &n), PINION_OK);
        CHECK_STATUS(pinion_shape_patch(&a, &b, 0.01, p, &count), PINION_OK);
        double least = INFINITY;
        for (int k = 0; k < count; k++) least = fmin(least, p[k].gap);
        /* no two points of solids are deeper along the normal than these are */
        if (n.gap < 0.0099 && !(least <= n.gap + 1e-6 && least >= n.gap - 1e-9))
            CHECK_FAIL("shapes %d and %d, gap %g: the deepest of %d points is at %g", (int)a.shape, (int)b.shape, n.gap,
                       count, least);
    }
}

/* A box in flat ground of small cells: the way out is up, however deep. */
TEST(height_fields_push_upwards)
{
    static double heights[41 * 41];
    pinion_solid field = solid(PINION_SHAPE_HEIGHT_FIELD, 4, 4, 0.5, 0, 0, 0);
    field.rows = field.columns = 41;
    field.data = heights;
    seed = check_seed;
    for (int round = 0; round < check_rounds(40); round++) {
        const double deep = pow(10, check_between(&seed, -6, -1));
        const pinion_solid box = solid(PINION_SHAPE_BOX, 0.3, 0.3, 0.3, check_between(&seed, -1.5, 1.5),
                                       check_between(&seed, -1.5, 1.5), 0.15 - deep);
        pinion_nearest n;
        CHECK_STATUS(pinion_shape_distance(&field, &box, &n), PINION_OK);
        CHECK_NEAR(n.gap, -deep, 1e-9);
        CHECK_NEAR(n.normal[2], 1, 1e-9);
        CHECK_NEAR(n.second[2], -deep, 1e-9);
    }
}

/* A box that comes from beside a field, below its surface, touches its side, and is not deep below the ground. */
TEST(height_fields_have_sides)
{
    static double heights[21 * 21];
    pinion_solid field = solid(PINION_SHAPE_HEIGHT_FIELD, 1, 1, 0.5, 0, 0, 0);
    field.rows = field.columns = 21;
    field.data = heights;
    for (int k = 0; k < 16; k++) {
        const double in = k < 8 ? -1e-4 : 1e-6, low = 0.07 + 0.03 * (k % 4); /* apart or inside; how far down */
        const int axis = k / 4 % 2;
        const double x = axis ? 0.013 : 0.55 - in, y = axis ? 0.55 - in : 0.013;
        pinion_solid box = solid(PINION_SHAPE_BOX, 0.1, 0.1, 0.1, x, y, -low);
        pinion_nearest at[PINION_PATCH_MOST];
        int count;
        CHECK_STATUS(pinion_shape_patch(&field, &box, 0.01, at, &count), PINION_OK);
        CHECK(count >= 1);
        for (int i = 0; i < count; i++) {
            CHECK_NEAR(at[i].gap, -in, 1e-9);
            CHECK_NEAR(at[i].normal[axis], 1, 1e-9);
        }
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(points_are_on_the_solids);
    RUN(patches_have_the_deepest_point);
    RUN(height_fields_push_upwards);
    RUN(height_fields_have_sides);
    return CHECK_END();
}
