/* Distances between shapes: closed forms, and a certificate for any pair. For a unit normal n no two solids are nearer
 * than -(h_A(n) + h_B(-n)), with h how far a solid reaches; nearest points that are as far apart prove each other. The
 * reach of each shape is written here once more. */
#include "check.h"
#include "pinion/shapes.h"

static const pinion_pose here = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static pinion_solid solid(pinion_shape shape, double a, double b, double c, double x, double y, double z)
{
    pinion_solid s;
    memset(&s, 0, sizeof s);
    s.shape = shape;
    s.pose = here;
    s.pose.position[0] = x;
    s.pose.position[1] = y;
    s.pose.position[2] = z;
    s.size[0] = a;
    s.size[1] = b;
    s.size[2] = c;
    return s;
}

static void turn(pinion_solid *s, const double axis[3], double angle)
{
    const double size = sqrt(dot(axis, axis)), c = cos(angle), d = sin(angle);
    const double x = axis[0] / size, y = axis[1] / size, z = axis[2] / size;
    const double R[9] = {c + x * x * (1 - c), x * y * (1 - c) - z * d, x * z * (1 - c) + y * d,
                         x * y * (1 - c) + z * d, c + y * y * (1 - c), y * z * (1 - c) - x * d,
                         x * z * (1 - c) - y * d, y * z * (1 - c) + x * d, c + z * z * (1 - c)};
    memcpy(s->pose.rotation, R, sizeof R);
}

/* how far a solid reaches along a unit vector */
static double reach(const pinion_solid *s, const double n[3])
{
    double d[3], most = -INFINITY;
    const double *z = s->size;
    const double *R = s->pose.rotation;
    for (int k = 0; k < 3; k++) d[k] = n[0] * R[k] + n[1] * R[3 + k] + n[2] * R[6 + k];
    const double across = hypot(d[0], d[1]);
    switch (s->shape) {
    case PINION_SHAPE_BOX: most = 0.5 * (z[0] * fabs(d[0]) + z[1] * fabs(d[1]) + z[2] * fabs(d[2])); break;
    case PINION_SHAPE_SPHERE: most = z[0]; break;
    case PINION_SHAPE_CAPSULE: most = z[0] + 0.5 * z[1] * fabs(d[2]); break;
    case PINION_SHAPE_CYLINDER: most = z[0] * across + 0.5 * z[1] * fabs(d[2]); break;
    case PINION_SHAPE_CONE: most = fmax(0.5 * z[1] * d[2], z[0] * across - 0.5 * z[1] * d[2]); break;
    case PINION_SHAPE_ELLIPSOID: most = hypot(hypot(z[0] * d[0], z[1] * d[1]), z[2] * d[2]); break;
    default:
        for (int i = 0; i < s->rows; i++)
            most = fmax(most, s->data[3 * i] * z[0] * d[0] + s->data[3 * i + 1] * z[1] * d[1] +
                                  s->data[3 * i + 2] * z[2] * d[2]);
    }
    return most + dot(n, s->pose.position);
}

static pinion_nearest nearest(const pinion_solid *a, const pinion_solid *b)
{
    pinion_nearest n;
    memset(&n, 0, sizeof n);
    CHECK_STATUS(pinion_shape_distance(a, b, &n), PINION_OK);
    CHECK_NEAR(dot(n.normal, n.normal), 1, 1e-14);
    for (int k = 0; k < 3; k++) CHECK_NEAR(n.second[k], n.first[k] + n.gap * n.normal[k], 1e-14 * 10);
    return n;
}

TEST(closed_forms)
{
    const double y[3] = {0, 1, 0};
    pinion_solid ball = solid(PINION_SHAPE_SPHERE, 0.5, 0, 0, 3, 4, 0);
    const pinion_solid other = solid(PINION_SHAPE_SPHERE, 1, 0, 0, 0, 0, 0);
    pinion_nearest n = nearest(&other, &ball);
    CHECK_NEAR(n.gap, 3.5, 1e-14);
    CHECK_NEAR(n.normal[0], 0.6, 1e-15);
    CHECK_NEAR(n.first[1], 0.8, 1e-15);
    /* the same the other way round, and one in the other */
    n = nearest(&ball, &other);
    CHECK_NEAR(n.normal[1], -0.8, 1e-15);
    ball.pose = here;
    CHECK_NEAR(nearest(&ball, &other).gap, -1.5, 1e-15);

    /* capsules: crossed, parallel, with their axes through each other */
    const pinion_solid c = solid(PINION_SHAPE_CAPSULE, 0.1, 2, 0, 0, 0, 0);
    pinion_solid d = solid(PINION_SHAPE_CAPSULE, 0.2, 2, 0, 0, 1, 0);
    turn(&d, y, 1.5707963267948966);
    CHECK_NEAR(nearest(&c, &d).gap, 0.7, 1e-15);
    d.pose.position[1] = 0;
    n = nearest(&c, &d);
    CHECK_NEAR(n.gap, -0.3, 1e-15);
    CHECK_NEAR(fabs(n.normal[1]), 1, 1e-15);
    turn(&d, y, 0);
    CHECK_NEAR(nearest(&c, &d).gap, -0.3, 1e-15);

    /* a box: over a face, an edge and a corner, and inside */
    pinion_solid box = solid(PINION_SHAPE_BOX, 2, 4, 6, 0, 0, 0);
    ball = solid(PINION_SHAPE_SPHERE, 0.5, 0, 0, 2, 0, 0);
    CHECK_NEAR(nearest(&box, &ball).gap, 0.5, 1e-15);
    ball.pose.position[1] = 3;
    CHECK_NEAR(nearest(&box, &ball).gap, sqrt(2) - 0.5, 1e-15);
    ball.pose.position[2] = 4;
    CHECK_NEAR(nearest(&box, &ball).gap, sqrt(3) - 0.5, 1e-15);
    ball.pose.position[0] = 0.9, ball.pose.position[1] = ball.pose.position[2] = 0;
    n = nearest(&box, &ball);
    CHECK_NEAR(n.gap, -0.6, 1e-14);
    CHECK_NEAR(n.normal[0], 1, 1e-14);

    /* a plane below all of them; the normal is the plane's, from it to the other */
    const pinion_solid plane = solid(PINION_SHAPE_PLANE, 0, 0, 0, 0, 0, -1);
    const pinion_shape shapes[] = {PINION_SHAPE_BOX, PINION_SHAPE_SPHERE, PINION_SHAPE_CYLINDER, PINION_SHAPE_CAPSULE,
                                   PINION_SHAPE_ELLIPSOID, PINION_SHAPE_CONE};
    for (int i = 0; i < 6; i++) {
        pinion_solid s = solid(shapes[i], 0.3, 0.7, 0.9, 0.1, 0.2, 2);
        turn(&s, (const double[3]){1, 2, 0.5}, 0.7 * i);
        const double down[3] = {0, 0, -1};
        n = nearest(&plane, &s);
        CHECK_NEAR(n.gap, 1 - reach(&s, down), 1e-14);
        CHECK_NEAR(n.normal[2], 1, 0);
        CHECK_NEAR(nearest(&s, &plane).normal[2], -1, 0);
    }
}

TEST(every_pair_has_a_certificate)
{
    static const pinion_shape shapes[] = {PINION_SHAPE_BOX, PINION_SHAPE_SPHERE, PINION_SHAPE_CYLINDER,
                                          PINION_SHAPE_CAPSULE, PINION_SHAPE_MESH, PINION_SHAPE_ELLIPSOID,
                                          PINION_SHAPE_CONE};
    uint64_t seed = check_seed;
    double points[2][30];
    for (int round = 0; round < check_rounds(7 * 7 * 30); round++) {
        pinion_solid s[2];
        for (int i = 0; i < 2; i++) {
            const pinion_shape shape = shapes[i ? round / 7 % 7 : round % 7];
            const double axis[3] = {check_between(&seed, -1, 1), check_between(&seed, -1, 1), 0.3};
            double size[3], at[3];
            for (int k = 0; k < 3; k++) {
                size[k] = check_between(&seed, 0.2, 1);
                at[k] = check_between(&seed, -1, 1);
            }
            s[i] = solid(shape, size[0], size[1], size[2], at[0], at[1], at[2]);
            turn(&s[i], axis, round % 3 ? check_between(&seed, -3, 3) : 0);
            for (int k = 0; k < 30; k++) points[i][k] = check_between(&seed, -1, 1);
            s[i].rows = 10;
            s[i].columns = 3;
            s[i].data = points[i];
        }
        const pinion_nearest n = nearest(&s[0], &s[1]);
        const double back[3] = {-n.normal[0], -n.normal[1], -n.normal[2]};
        const double bound = -(reach(&s[0], n.normal) + reach(&s[1], back));
        CHECK_NEAR(n.gap, bound, 1e-10); /* of 1 m; most are at 1e-14 */
        if (n.gap >= 0) continue;
        /* no direction near it is a shorter way out */
        for (int k = 0; k < 10; k++) {
            double m[3], size = 0;
            for (int j = 0; j < 3; j++) {
                m[j] = n.normal[j] + check_between(&seed, -1, 1) * (k % 2 ? 0.1 : 1e-3);
                size += m[j] * m[j];
            }
            for (int j = 0; j < 3; j++) m[j] /= sqrt(size);
            const double other[3] = {-m[0], -m[1], -m[2]};
            CHECK(reach(&s[0], m) + reach(&s[1], other) >= -n.gap - 1e-9);
        }
    }
}

TEST(solids_that_nearly_touch)
{
    /* moved along their normal until the gap is next to nothing, on either side of it: the normal stays */
    static const double gaps[] = {1e-4, 1e-6, 1e-9, 1e-12, -1e-12, -1e-9, -1e-6, -1e-4};
    static const pinion_shape others[] = {PINION_SHAPE_ELLIPSOID, PINION_SHAPE_BOX, PINION_SHAPE_CYLINDER};
    uint64_t seed = check_seed;
    for (int round = 0; round < 60; round++) {
        pinion_solid a = solid(PINION_SHAPE_ELLIPSOID, 0.5, 0.3, 0.4, 0, 0, 0);
        const double y = check_between(&seed, -2, 2), z = check_between(&seed, -2, 2);
        pinion_solid b = solid(others[round % 3], 0.6, 0.5, 0.3, 2, y, z);
        turn(&a, (const double[3]){check_between(&seed, -1, 1), 0.3, 0.2}, check_between(&seed, -3, 3));
        turn(&b, (const double[3]){check_between(&seed, -1, 1), 0.4, 0.1}, check_between(&seed, -3, 3));
        const pinion_nearest far = nearest(&a, &b);
        for (int i = 0; i < 8; i++) {
            pinion_solid moved = b;
            for (int k = 0; k < 3; k++) moved.pose.position[k] -= (far.gap - gaps[i]) * far.normal[k];
            const pinion_nearest n = nearest(&a, &moved);
            CHECK_NEAR(n.gap, gaps[i], 1e-9);
            /* the gap is known to 1e-14, and so the normal to the root of that, times some curvature */
            for (int k = 0; k < 3; k++) CHECK_NEAR(n.normal[k], far.normal[k], 1e-4);
        }
    }
}

TEST(patches)
{
    const pinion_solid plane = solid(PINION_SHAPE_PLANE, 0, 0, 0, 0, 0, 0);
    pinion_solid box = solid(PINION_SHAPE_BOX, 2, 1, 0.5, 3, 4, 0.25 - 1e-3);
    pinion_nearest p[PINION_PATCH_MOST];
    int count;
    /* a box on a plane: its four corners, below by 1 mm */
    CHECK_STATUS(pinion_shape_patch(&plane, &box, 0, p, &count), PINION_OK);
    CHECK(count == 4);
    double sum[2] = {0, 0};
    for (int i = 0; i < count; i++) {
        CHECK_NEAR(p[i].gap, -1e-3, 1e-15);
        CHECK_NEAR(fabs(p[i].first[0] - 3), 1, 1e-15);
        CHECK_NEAR(fabs(p[i].first[1] - 4), 0.5, 1e-15);
        CHECK_NEAR(p[i].first[2], 0, 1e-15);
        sum[0] += p[i].first[0] / 4;
        sum[1] += p[i].first[1] / 4;
    }
    CHECK_NEAR(sum[0], 3, 1e-15);
    CHECK_NEAR(sum[1], 4, 1e-15);
    /* tilted about x: two corners */
    turn(&box, (const double[3]){1, 0, 0}, 0.05);
    CHECK_STATUS(pinion_shape_patch(&plane, &box, 0, p, &count), PINION_OK);
    CHECK(count == 2 && p[0].gap < 0 && fabs(p[0].first[1] - p[1].first[1]) < 1e-15);
    /* above the margin: none */
    box.pose.position[2] = 1;
    CHECK_STATUS(pinion_shape_patch(&plane, &box, 0.1, p, &count), PINION_OK);
    CHECK(count == 0);

    /* a box on a box, turned by 45 degrees, of which the upper one reaches over: the corners of what they share are
       within both */
    const pinion_solid low = solid(PINION_SHAPE_BOX, 1, 1, 1, 0, 0, 0);
    pinion_solid high = solid(PINION_SHAPE_BOX, 1, 1, 1, 0.5, 0, 1 - 1e-4);
    for (int k = 0; k < 2; k++) {
        CHECK_STATUS(pinion_shape_patch(k ? &high : &low, k ? &low : &high, 1e-3, p, &count), PINION_OK);
        CHECK(count == 4);
        for (int i = 0; i < count; i++) {
            CHECK_NEAR(p[i].gap, -1e-4, 1e-14);
            CHECK_NEAR(p[i].normal[2], k ? -1 : 1, 1e-14);
            CHECK(fabs(p[i].first[0] - 0.25) < 0.25 + 1e-12 && fabs(fabs(p[i].first[1]) - 0.5) < 1e-12);
        }
    }
    turn(&high, (const double[3]){0, 0, 1}, 0.7853981633974483);
    CHECK_STATUS(pinion_shape_patch(&low, &high, 1e-3, p, &count), PINION_OK);
    CHECK(count == 4);
    for (int i = 0; i < count; i++) CHECK_NEAR(p[i].gap, -1e-4, 1e-14);

    /* lines: a capsule on a box, a cylinder on its side on a plane; points: a ball on a box, a cone on its tip */
    pinion_solid capsule = solid(PINION_SHAPE_CAPSULE, 0.1, 0.6, 0, 0, 0, 0.6);
    turn(&capsule, (const double[3]){0, 1, 0}, 1.5707963267948966);
    CHECK_STATUS(pinion_shape_patch(&low, &capsule, 1e-6, p, &count), PINION_OK);
    CHECK(count == 2 && fabs(fabs(p[0].first[0] - p[1].first[0]) - 0.6) < 1e-12 && fabs(p[0].gap) < 1e-14);
    pinion_solid cylinder = solid(PINION_SHAPE_CYLINDER, 0.2, 1, 0, 0, 0, 0.2);
    CHECK_STATUS(pinion_shape_patch(&plane, &cylinder, 0.8, p, &count), PINION_OK);
    CHECK(count == 4); /* on its cap */
    turn(&cylinder, (const double[3]){1, 0, 0}, 1.5707963267948966);
    CHECK_STATUS(pinion_shape_patch(&plane, &cylinder, 1e-6, p, &count), PINION_OK);
    CHECK(count == 2 && fabs(fabs(p[0].first[1] - p[1].first[1]) - 1) < 1e-12);
    const pinion_solid ball = solid(PINION_SHAPE_SPHERE, 0.1, 0, 0, 0.2, 0.3, 0.6);
    CHECK_STATUS(pinion_shape_patch(&low, &ball, 1e-6, p, &count), PINION_OK);
    CHECK(count == 1 && fabs(p[0].first[0] - 0.2) < 1e-12 && fabs(p[0].gap) < 1e-14);
}

TEST(height_fields)
{
    /* a slope of 1 in 2 along x, as a field: distances are those of the plane */
    double heights[5 * 5];
    for (int i = 0; i < 25; i++) heights[i] = 0.5 * (i % 5 - 2);
    pinion_solid field = solid(PINION_SHAPE_HEIGHT_FIELD, 4, 4, 1, 0, 0, 0);
    pinion_solid ball = solid(PINION_SHAPE_SPHERE, 0.25, 0, 0, 0.3, 0.2, 1);
    field.rows = field.columns = 5;
    field.data = heights;
    const pinion_nearest n = nearest(&field, &ball);
    const double size = sqrt(1.25), gap = (1 - 0.15) / size - 0.25;
    CHECK_NEAR(n.gap, gap, 1e-12);
    CHECK_NEAR(n.normal[0], -0.5 / size, 1e-12);
    CHECK_NEAR(n.normal[2], 1 / size, 1e-12);
    ball.pose.position[2] = 0.4; /* the middle is 0.25 above the ground, along z */
    CHECK_NEAR(nearest(&field, &ball).gap, 0.25 / size - 0.25, 1e-12);
    pinion_nearest p[PINION_PATCH_MOST];
    int count;
    CHECK_STATUS(pinion_shape_patch(&ball, &field, 0, p, &count), PINION_OK);
    CHECK(count >= 1 && p[0].normal[2] < 0);
    CHECK_NEAR(p[0].gap, 0.25 / size - 0.25, 1e-12);
    double low[3], high[3];
    CHECK_STATUS(pinion_shape_bounds(&field, low, high), PINION_OK);
    CHECK_NEAR(low[2], -1, 1e-15);
    CHECK_NEAR(high[2], 1, 1e-15);
}

TEST(patches_on_height_fields_span_the_face)
{
    static double heights[41 * 41];
    static const double place[4][3] = {{0, 0.03, 0.05}, {-1.5, 0, 0.05}, {0.1234, 0.2345, 0.049}, {0.1, 0.2, 0.0501}};
    pinion_solid field = solid(PINION_SHAPE_HEIGHT_FIELD, 4, 4, 0.5, 0, 0, 0);
    field.rows = field.columns = 41;
    field.data = heights;
    for (int i = 0; i < 4; i++) {
        const double *at = place[i];
        const pinion_solid box = solid(PINION_SHAPE_BOX, 0.3, 0.3, 0.1, at[0], at[1], at[2]);
        pinion_nearest p[PINION_PATCH_MOST];
        int count, corners = 0;
        CHECK_STATUS(pinion_shape_patch(&field, &box, 0.01, p, &count), PINION_OK);
        CHECK(count == 4);
        for (int k = 0; k < count; k++) {
            CHECK_NEAR(p[k].gap, at[2] - 0.05, 1e-12);
            CHECK_NEAR(p[k].normal[2], 1, 1e-12);
            CHECK_NEAR(fabs(p[k].first[0] - at[0]), 0.15, 1e-9);
            CHECK_NEAR(fabs(p[k].first[1] - at[1]), 0.15, 1e-9);
            corners |= 1 << ((p[k].first[0] > at[0]) + 2 * (p[k].first[1] > at[1]));
        }
        CHECK(corners == 15);
    }
    /* a ridge under the middle of a box, across a cell: two points, straight up */
    double ridge[3 * 3] = {0, 0.5, 0, 0, 0.5, 0, 0, 0.5, 0};
    field.rows = field.columns = 3;
    field.data = ridge;
    const pinion_solid box = solid(PINION_SHAPE_BOX, 0.3, 0.3, 0.1, 0.02, 0.5, 0.549);
    pinion_nearest p[PINION_PATCH_MOST];
    int count;
    CHECK_STATUS(pinion_shape_patch(&field, &box, 0.01, p, &count), PINION_OK);
    CHECK(count == 2);
    for (int k = 0; k < count; k++) {
        CHECK_NEAR(p[k].gap, -0.001, 1e-9);
        CHECK_NEAR(p[k].normal[2], 1, 1e-9);
    }
    CHECK_NEAR(fabs(p[0].first[1] - p[1].first[1]), 0.3, 1e-6);
}

typedef struct pairs {
    int seen[20][20], count;
} pairs;

static int note(void *context, int first, int second)
{
    pairs *p = context;
    CHECK(first < second);
    p->seen[first][second]++;
    p->count++;
    return 0;
}

TEST(boxes_that_overlap)
{
    uint64_t seed = check_seed;
    int order[20];
    for (int i = 0; i < 20; i++) order[i] = 19 - i;
    for (int round = 0; round < 50; round++) {
        double low[20][3], high[20][3];
        pairs p;
        memset(&p, 0, sizeof p);
        for (int i = 0; i < 20; i++)
            for (int k = 0; k < 3; k++) {
                low[i][k] = check_between(&seed, 0, 1);
                high[i][k] = low[i][k] + check_between(&seed, 0, 0.5);
            }
        low[3][0] = -INFINITY;
        high[3][0] = INFINITY;
        CHECK_STATUS(pinion_shape_overlaps(20, low[0], high[0], order, note, &p), PINION_OK);
        for (int i = 0; i < 20; i++)
            for (int j = i + 1; j < 20; j++) {
                int meet = 1;
                for (int k = 0; k < 3; k++) meet &= low[i][k] <= high[j][k] && low[j][k] <= high[i][k];
                CHECK(p.seen[i][j] == meet);
            }
    }
}

TEST(what_is_wrong_is_refused)
{
    pinion_solid good = solid(PINION_SHAPE_BOX, 1, 1, 1, 0, 0, 0), bad = good;
    const pinion_solid plane = solid(PINION_SHAPE_PLANE, 0, 0, 0, 0, 0, 0);
    pinion_nearest n, p[PINION_PATCH_MOST];
    int count, order[1] = {5};
    double low[3], high[3];
    bad.size[1] = 0;
    CHECK_STATUS(pinion_shape_distance(&good, &bad, &n), PINION_ERR_ARGUMENT);
    bad = good;
    bad.pose.position[0] = NAN;
    CHECK_STATUS(pinion_shape_distance(&bad, &good, &n), PINION_ERR_ARGUMENT);
    bad = good;
    bad.shape = PINION_SHAPE_MESH;
    CHECK_STATUS(pinion_shape_distance(&bad, &good, &n), PINION_ERR_ARGUMENT);
    bad.shape = PINION_SHAPE_COUNT;
    CHECK_STATUS(pinion_shape_bounds(&bad, low, high), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_shape_distance(&good, NULL, &n), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_shape_distance(&plane, &plane, &n), PINION_ERR_UNSUPPORTED);
    CHECK_STATUS(pinion_shape_patch(&plane, &plane, 0, p, &count), PINION_ERR_UNSUPPORTED);
    CHECK_STATUS(pinion_shape_patch(&plane, &good, NAN, p, &count), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_shape_overlaps(1, low, high, order, note, NULL), PINION_ERR_ARGUMENT);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(closed_forms);
    RUN(every_pair_has_a_certificate);
    RUN(solids_that_nearly_touch);
    RUN(patches);
    RUN(height_fields);
    RUN(patches_on_height_fields_span_the_face);
    RUN(boxes_that_overlap);
    RUN(what_is_wrong_is_refused);
    return CHECK_END();
}
