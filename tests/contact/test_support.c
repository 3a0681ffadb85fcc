/* Inverse dynamics on contacts: forces, margins, zero-moment points and polygons with closed answers. */
#include "check.h"
#include "contact/bodies.h"

static const double down[3] = {0, 0, -9.81};
static const body crate = {PINION_SHAPE_BOX, {0.6, 0.4, 0.2}, 3, 0.1, 0.5, 0};

/* a motion of a model, and points that it touches with */
typedef struct stand {
    pinion_model *m;
    pinion_work *w;
    pinion_support *s;
    double q[32], v[32], a[32], tau[32];
    pinion_support_point point[16];
    pinion_support_report report;
} stand;

static stand stand_new(pinion_model *m)
{
    stand x;
    memset(&x, 0, sizeof x);
    x.m = m;
    x.w = pinion_work_new(m);
    x.s = pinion_support_new(m, 16);
    CHECK(x.w && x.s);
    CHECK_STATUS(pinion_neutral(m, x.q), PINION_OK);
    return x;
}

static void stand_end(stand *x)
{
    pinion_support_free(x->s);
    pinion_work_free(x->w);
    pinion_model_free(x->m);
}

/* a point of a link on the ground */
static void put(stand *x, int i, int link, double px, double py, double friction)
{
    const pinion_support_point p = {-1, link, {px, py, 0}, {0, 0, 1}, friction, 1, {0, 0, 0}, 0};
    x->point[i] = p;
}

static void solve(stand *x, int count)
{
    CHECK_STATUS(pinion_inverse_dynamics(x->m, x->w, x->q, x->v, x->a, NULL, x->tau), PINION_OK);
    CHECK_STATUS(pinion_support_forces(x->s, x->w, x->q, count, x->point, x->tau, &x->report), PINION_OK);
}

/* the forces and their moments about the origin are what the body needs: m (a - g) at its centre of mass, I alpha */
static void check_sums(const stand *x, int count, const double force[3], const double moment[3], double tolerance)
{
    double f[3] = {0, 0, 0}, n[3] = {0, 0, 0};
    for (int i = 0; i < count; i++) {
        const double *p = x->point[i].point, *g = x->point[i].force;
        for (int k = 0; k < 3; k++) {
            f[k] += g[k];
            n[k] += p[(k + 1) % 3] * g[(k + 2) % 3] - p[(k + 2) % 3] * g[(k + 1) % 3];
        }
    }
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(f[k], force[k], tolerance);
        CHECK_NEAR(n[k], moment[k], tolerance);
    }
}

/* a free box whose centre is at (x, y, 0.1) */
static stand crate_at(double x, double y)
{
    stand s = stand_new(bodies_model(1, &crate, down));
    s.q[4] = x;
    s.q[5] = y;
    s.q[6] = 0.1;
    return s;
}

/* On four points the weight is spread as a plane over them: the least norm of what sum and moments leave open. */
TEST(a_box_on_four_points)
{
    stand x = crate_at(0, 0);
    const double corner[4][2] = {{-0.3, -0.2}, {0.3, -0.2}, {0.3, 0.2}, {-0.3, 0.2}};
    const double weight = 3 * 9.81;
    for (int i = 0; i < 4; i++) put(&x, i, 1, corner[i][0], corner[i][1], 0.5);
    solve(&x, 4);
    CHECK(x.report.inside && x.report.undetermined == 6);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(x.point[i].force[2], weight / 4, 1e-12);
        CHECK_NEAR(x.point[i].margin, 0.5 * weight / 4 / sqrt(1.25), 1e-12);
    }
    for (int k = 0; k < 6; k++) CHECK_NEAR(x.tau[k], 0, 1e-12);

    /* pulled aside by the acceleration: friction is shared, and the zero-moment point moves by z a / g */
    x.a[3] = 2;
    x.q[4] = 0.1;
    solve(&x, 4);
    const double force[3] = {6, 0, weight}, moment[3] = {0, 0.1 * 6 - 0.1 * weight, 0}, origin[3] = {0, 0, 0};
    check_sums(&x, 4, force, moment, 1e-11);
    CHECK(x.report.inside && x.report.missing < 1e-11);
    double zmp[3], margin, points[12], up[3] = {0, 0, 3};
    int order[4], corners;
    CHECK_STATUS(pinion_zero_moment_point(x.s, x.w, x.q, x.v, x.a, origin, zmp), PINION_OK);
    CHECK_NEAR(zmp[0], 0.1 - 0.1 * 2 / 9.81, 1e-14);
    CHECK_NEAR(zmp[1], 0, 1e-14);
    CHECK_NEAR(zmp[2], 0, 1e-14);
    for (int i = 0; i < 4; i++) memcpy(points + 3 * i, x.point[i].point, 3 * sizeof *points);
    CHECK_STATUS(pinion_support_polygon(4, points, up, zmp, order, &corners, &margin), PINION_OK);
    CHECK(corners == 4);
    CHECK_NEAR(margin, fmin(0.2, 0.3 - zmp[0]), 1e-14);
    stand_end(&x);
}

/* Shares: two points on a line under the centre of mass carry 3 : 1 where the motion leaves them free. */
/* All of the mass in one point: nothing turns, and M is no measure of what is left over. The sums are the same. */
TEST(a_point_mass_on_four_points)
{
    const body point = {PINION_SHAPE_BOX, {0.6, 0.4, 0.2}, 3, 0, 0.5, 0};
    const double weight[3] = {0, 0, 3 * 9.81}, moment[3] = {0.05 * 3 * 9.81, -0.1 * 3 * 9.81, 0};
    stand x = stand_new(bodies_model(1, &point, down));
    x.q[4] = 0.1;
    x.q[5] = 0.05;
    x.q[6] = 0.1;
    const int link = pinion_model_find_frame(x.m, "b0");
    for (int i = 0; i < 4; i++) put(&x, i, link, i % 2 ? 0.3 : -0.3, i / 2 ? 0.2 : -0.2, 0.5);
    solve(&x, 4);
    CHECK(x.report.inside);
    check_sums(&x, 4, weight, moment, 1e-9);
    for (int k = 0; k < 6; k++) CHECK_NEAR(x.tau[k], 0, 1e-9);
    stand_end(&x);
}

TEST(forces_by_shares)
{
    stand x = crate_at(0, 0);
    for (int i = 0; i < 4; i++) put(&x, i, 1, i % 2 ? 0.3 : -0.3, i / 2 ? 0.2 : -0.2, 0.5);
    x.point[0].share = x.point[3].share = 3; /* one diagonal */
    solve(&x, 4);
    const double weight = 3 * 9.81;
    for (int i = 0; i < 4; i++) CHECK_NEAR(x.point[i].force[2], weight * (i == 0 || i == 3 ? 3 : 1) / 8, 1e-11);
    x.point[1].share = x.point[2].share = 0;
    solve(&x, 4);
    CHECK_NEAR(x.point[0].force[2], weight / 2, 1e-11);
    CHECK_NEAR(x.point[1].force[2], 0, 0);
    stand_end(&x);
}

/* A box that is pulled too hard for its friction, and one that would tip: the forces carry the motion, leave their
 * cones as little as can be, and say so. */
TEST(outside_of_the_cones)
{
    stand x = crate_at(0, 0);
    const double weight = 3 * 9.81;
    for (int i = 0; i < 4; i++) put(&x, i, 1, i % 2 ? 0.3 : -0.3, i / 2 ? 0.2 : -0.2, 0.5);
    x.a[4] = 0.7 * 9.81; /* along y, 0.7 of the weight, with a friction of 0.5 */
    solve(&x, 4);
    CHECK(!x.report.inside && x.report.missing < 1e-9);
    CHECK(x.report.friction >= 0.7 - 1e-9);
    const double force[3] = {0, 0.7 * weight, weight}, moment[3] = {-0.1 * 0.7 * weight, 0, 0};
    check_sums(&x, 4, force, moment, 1e-9);
    /* the sum of the ways out of the cones is at least that of the sum out of its own */
    double away = 0;
    for (int i = 0; i < 4; i++) away += fmax(0, -x.point[i].margin);
    CHECK(away >= (0.7 - 0.5) * weight / sqrt(1.25) - 1e-6);
    CHECK(away <= (0.7 - 0.5) * weight / sqrt(1.25) * 1.01);

    /* the centre of mass is 0.1 m beyond the points: by leverage 0.4 / 0.3 and -0.1 / 0.3 */
    memset(x.a, 0, sizeof x.a);
    put(&x, 0, 1, -0.3, 0, 0.5);
    put(&x, 1, 1, 0, 0.1, 0.5);
    put(&x, 2, 1, 0, -0.1, 0.5);
    x.q[4] = 0.1;
    solve(&x, 3);
    CHECK(!x.report.inside && isinf(x.report.friction));
    CHECK_NEAR(x.point[0].force[2], -weight / 3, 1e-6);
    CHECK_NEAR(x.point[1].force[2] + x.point[2].force[2], weight * 4 / 3, 1e-6);
    CHECK_NEAR(x.report.margin, -weight / 3, 1e-5);
    stand_end(&x);
}

/* In the cones where that is possible although the least forces are not: a steep chimney, two walls. */
TEST(pressed_between_walls)
{
    stand x = crate_at(0, 0);
    const double weight = 3 * 9.81;
    const double side[4][2] = {{-0.3, -0.2}, {-0.3, 0.2}, {0.3, -0.2}, {0.3, 0.2}};
    for (int i = 0; i < 4; i++) {
        put(&x, i, 1, side[i][0], side[i][1], 0.5);
        x.point[i].point[2] = 0.1;
        x.point[i].normal[0] = side[i][0] < 0 ? 1 : -1;
        x.point[i].normal[2] = 0;
    }
    solve(&x, 4);
    CHECK(x.report.inside && x.report.missing < 1e-9);
    for (int i = 0; i < 4; i++) { /* each carries a quarter at the border of its cone */
        CHECK_NEAR(x.point[i].force[2], weight / 4, 1e-9);
        CHECK_NEAR(fabs(x.point[i].force[0]), weight / 4 / 0.5, 1e-9);
        CHECK_NEAR(x.point[i].margin, 0, 1e-9);
    }
    stand_end(&x);
}

/* Random loads: whatever in the cones has the same sum and moments has no smaller norm, and the forces are in them. */
TEST(least_norm_of_random_loads)
{
    stand x = crate_at(0, 0);
    double moves = 0;
    unsigned seed = 1;
    for (int round = 0; round < 200; round++) {
        double known[16][3], squares = 0, found = 0, tau[6] = {0};
        const int count = 3 + round % 6;
        for (int i = 0; i < count; i++) {
            double r[5];
            for (int k = 0; k < 5; k++) {
                seed = seed * 1664525u + 1013904223u;
                r[k] = (double)(seed >> 8) / (1 << 24);
            }
            put(&x, i, 1, r[0] - 0.5, r[1] - 0.5, 0.1 + r[2]);
            x.point[i].point[2] = 0.1 * r[3];
            const double n = 10 * r[4], t = n * x.point[i].friction * r[3];
            known[i][0] = t * cos(7 * r[0]);
            known[i][1] = t * sin(7 * r[0]);
            known[i][2] = n;
            /* the body's frame is the world's, moved up by 0.1 */
            const double arm[3] = {x.point[i].point[0], x.point[i].point[1], x.point[i].point[2] - 0.1};
            for (int k = 0; k < 3; k++) {
                tau[3 + k] += known[i][k];
                tau[k] += arm[(k + 1) % 3] * known[i][(k + 2) % 3] - arm[(k + 2) % 3] * known[i][(k + 1) % 3];
                squares += known[i][k] * known[i][k];
            }
        }
        memcpy(x.tau, tau, sizeof tau);
        CHECK_STATUS(pinion_support_forces(x.s, x.w, x.q, count, x.point, x.tau, &x.report), PINION_OK);
        CHECK(x.report.inside);
        CHECK(x.report.missing < 1e-9);
        CHECK(x.report.margin > -1e-9);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 3; k++) {
                found += x.point[i].force[k] * x.point[i].force[k];
                moves = fmax(moves, fabs(x.point[i].force[k] - known[i][k]));
            }
        CHECK(found <= squares * (1 + 1e-9));
    }
    CHECK(moves > 0.1); /* they are other forces than those that the loads were made of */
    stand_end(&x);
}

/* a trunk on two legs: hips turn about y, feet have four corners each */
static pinion_model *biped(void)
{
    pinion_error err;
    pinion_builder *b = pinion_builder_new("biped");
    const char *const names[] = {"trunk", "left", "right"};
    for (int i = 0; i < 3; i++) {
        pinion_link_def link = pinion_link_def_default();
        link.name = names[i];
        link.inertia = (pinion_inertia){i ? 2 : 10, {0, 0, i ? -0.25 : 0.3}, {0.1, 0, 0, 0.1, 0, 0.05}};
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    }
    for (int i = 1; i < 3; i++) {
        pinion_joint_def def = pinion_joint_def_default();
        def.name = names[i];
        def.type = PINION_JOINT_REVOLUTE;
        def.parent = "trunk";
        def.child = names[i];
        def.parent_pose.position[1] = i == 1 ? 0.1 : -0.1;
        def.axis[0] = def.axis[2] = 0;
        def.axis[1] = 1;
        CHECK_STATUS(pinion_builder_add_joint(b, &def, &err), PINION_OK);
    }
    pinion_load_options o = pinion_load_options_default();
    o.root = PINION_ROOT_FREE;
    pinion_model *m = pinion_builder_build(b, &o, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

/* On one foot all weight is there, the hip carries its moment, and nothing is missing; on a point of it the base would
 * have to be held. */
TEST(a_biped_on_one_foot)
{
    stand x = stand_new(biped());
    const double weight = 14 * 9.81;
    const int left = pinion_model_find_link(x.m, "left");
    x.q[6] = 0.5;
    x.q[5] = -0.1; /* the left foot is on the line y = 0, and the centre of mass 0.1 beside it */
    for (int i = 0; i < 4; i++) put(&x, i, left, i % 2 ? 0.1 : -0.1, i / 2 ? 0.04 : -0.12, 0.6);
    solve(&x, 4);
    CHECK(x.report.inside && x.report.missing < 1e-10);
    const double force[3] = {0, 0, weight}, moment[3] = {-0.1 * weight, 0, 0};
    check_sums(&x, 4, force, moment, 1e-9);
    CHECK_NEAR(x.tau[6], 0, 1e-9); /* the hip turns about y, and all is above y */
    put(&x, 0, left, 0.05, 0, 0.6);
    solve(&x, 1);
    CHECK(x.report.missing > 1);
    CHECK_NEAR(x.point[0].force[2], weight, 0.2 * weight);
    CHECK(x.report.undetermined == 0);
    solve(&x, 0); /* in the air */
    CHECK_NEAR(x.report.missing, weight, 1e-9);
    CHECK(x.report.margin == 0);
    stand_end(&x);
}

/* The table-cart model: z_c = 0.8, x'' = 1.5, z'' = 0.4, and a spin about y. */
TEST(zero_moment_point)
{
    const body ball = {PINION_SHAPE_SPHERE, {0.1, 0, 0}, 5, 0.02, 0.5, 0};
    stand x = stand_new(bodies_model(1, &ball, down));
    x.q[4] = 0.3;
    x.q[6] = 0.8;
    x.a[3] = 1.5;
    x.a[5] = 0.4;
    x.a[1] = 2;
    double zmp[3];
    const double on[3] = {7, 7, 0.05};
    CHECK_STATUS(pinion_zero_moment_point(x.s, x.w, x.q, x.v, x.a, on, zmp), PINION_OK);
    CHECK_NEAR(zmp[0], 0.3 - 0.75 * 1.5 / (9.81 + 0.4) - 0.02 * 2 / (5 * (9.81 + 0.4)), 1e-14);
    CHECK_NEAR(zmp[1], 0, 1e-14);
    CHECK_NEAR(zmp[2], 0.05, 1e-15);
    x.a[5] = -9.81; /* falling freely */
    CHECK_STATUS(pinion_zero_moment_point(x.s, x.w, x.q, x.v, x.a, on, zmp), PINION_OK);
    CHECK(isnan(zmp[0]));
    stand_end(&x);
}

TEST(polygons)
{
    const double up[3] = {0, 0, 1}, place[3] = {0.25, 0.5, 9};
    const double square[27] = {0, 0, 0, 1, 0, 1, 1, 1, 2, 0, 1, 3, 0.5, 0.5, 0, 0.5, 0, 0, 1, 0.5, 0, 0, 0, 5, 1, 1, 7};
    int corner[9], corners;
    double margin;
    CHECK_STATUS(pinion_support_polygon(9, square, up, place, corner, &corners, &margin), PINION_OK);
    CHECK(corners == 4);
    CHECK_NEAR(margin, 0.25, 1e-15);
    double area = 0;
    for (int i = 0; i < corners; i++) {
        const double *a = square + 3 * corner[i], *b = square + 3 * corner[(i + 1) % corners];
        area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
    }
    CHECK_NEAR(area, 1, 1e-15); /* counterclockwise */
    const double out[3] = {1.3, 1.4, 0};
    CHECK_STATUS(pinion_support_polygon(9, square, up, out, corner, &corners, &margin), PINION_OK);
    CHECK_NEAR(margin, -0.5, 1e-15);
    CHECK_STATUS(pinion_support_polygon(2, square, up, place, corner, &corners, &margin), PINION_OK);
    CHECK(corners == 2);
    CHECK_NEAR(margin, -0.5, 1e-15);
    CHECK_STATUS(pinion_support_polygon(1, square, up, place, corner, &corners, &margin), PINION_OK);
    CHECK(corners == 1);
    CHECK_NEAR(margin, -hypot(0.25, 0.5), 1e-15);
    CHECK_STATUS(pinion_support_polygon(0, NULL, up, place, NULL, &corners, &margin), PINION_OK);
    CHECK(corners == 0 && isinf(margin));
    CHECK_STATUS(pinion_support_polygon(1, square, place, NULL, corner, NULL, NULL), PINION_ERR_ARGUMENT);
}

/* The points of a scene are what a support takes: the same answer as by hand. */
TEST(points_of_a_scene)
{
    stand x = crate_at(0, 0);
    pinion_error err;
    pinion_scene_options o = pinion_scene_options_default();
    o.ground = 1;
    pinion_scene *scene = pinion_scene_new(x.m, &o, &err);
    int count;
    CHECK(scene != NULL);
    CHECK_STATUS(pinion_scene_find(scene, x.w, x.q), PINION_OK);
    CHECK_STATUS(pinion_support_from_scene(scene, 1e-3, 16, x.point, &count), PINION_OK);
    CHECK(count == 4 && x.point[0].first == -1 && x.point[0].second == 1 && x.point[0].friction == 0.5);
    solve(&x, count);
    for (int i = 0; i < 4; i++) CHECK_NEAR(x.point[i].force[2], 3 * 9.81 / 4, 1e-11);
    CHECK_STATUS(pinion_support_from_scene(scene, 1e-3, 2, x.point, &count), PINION_ERR_MEMORY);
    CHECK(count == 4);
    x.q[6] = 0.105;
    CHECK_STATUS(pinion_scene_find(scene, x.w, x.q), PINION_OK);
    CHECK_STATUS(pinion_support_from_scene(scene, 1e-3, 16, x.point, &count), PINION_OK);
    CHECK(count == 0);
    pinion_scene_free(scene);
    stand_end(&x);
}

TEST(what_is_refused)
{
    stand x = crate_at(0, 0);
    const pinion_support_point good = {-1, 1, {0, 0, 0}, {0, 0, 1}, 0.5, 1, {0, 0, 0}, 0};
    struct {
        const char *words;
        pinion_support_point p;
    } bad[] = {{"link", good}, {"finite", good}, {"unit", good}, {"friction", good}, {"share", good}};
    bad[0].p.second = 2;
    bad[1].p.point[1] = NAN;
    bad[2].p.normal[2] = 2;
    bad[3].p.friction = -1;
    bad[4].p.share = INFINITY;
    for (int i = 0; i < 5; i++) {
        CHECK_STATUS(pinion_support_forces(x.s, x.w, x.q, 1, &bad[i].p, x.tau, NULL), PINION_ERR_ARGUMENT);
        CHECK(strstr(pinion_support_message(x.s), bad[i].words) != NULL);
    }
    CHECK_STATUS(pinion_support_forces(x.s, x.w, x.q, 17, x.point, x.tau, NULL), PINION_ERR_MEMORY);
    x.tau[0] = NAN;
    x.point[0] = good;
    CHECK_STATUS(pinion_support_forces(x.s, x.w, x.q, 1, x.point, x.tau, NULL), PINION_ERR_ARGUMENT);
    CHECK(pinion_support_new(NULL, 1) == NULL && pinion_support_new(x.m, -1) == NULL);
    stand_end(&x);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_box_on_four_points);
    RUN(a_point_mass_on_four_points);
    RUN(forces_by_shares);
    RUN(outside_of_the_cones);
    RUN(pressed_between_walls);
    RUN(least_norm_of_random_loads);
    RUN(a_biped_on_one_foot);
    RUN(zero_moment_point);
    RUN(polygons);
    RUN(points_of_a_scene);
    RUN(what_is_refused);
    return CHECK_END();
}
