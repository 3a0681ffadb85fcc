/* The configuration space: neutral, random, integrate, difference, normalize.
 *
 * Tolerance EXACT: a rotation by a few radians and its way back are some dozen operations, and the logarithm
 * near half a turn is well conditioned in its quaternion; 1e-12 of numbers of size 1 is thousands of eps. */
#include "identity.h"

#define EXACT 1e-12
#define PI 3.14159265358979323846

/* where a joint's quaternion is in q, -1 if it has none */
static int quaternion_at(const pinion_joint_info *joint)
{
    const int has = joint->type == PINION_JOINT_SPHERICAL || joint->type == PINION_JOINT_FREE;
    return has && joint->nq > 0 ? joint->q_index : -1;
}

/* q with the sign of each quaternion such that its largest entry is positive, and the angles of planar joints
 * within half a turn: what is left out of the difference between two configurations of the same pose */
static double *canonical(subject *s, const double *q)
{
    double *out = take_copy(s, q, s->nq);
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        pinion_joint_info joint;
        FINE(s, pinion_model_joint(s->m, i, &joint));
        const int at = quaternion_at(&joint);
        if (joint.type == PINION_JOINT_PLANAR && joint.nq > 0) {
            double *angle = out + joint.q_index + 2;
            *angle = remainder(*angle - 1, 2 * PI); /* cut where no test has reason to be */
        }
        if (at < 0) continue;
        /* near half a turn the first entry is of either sign: the largest decides */
        int top = 0;
        for (int k = 1; k < 4; k++)
            if (fabs(out[at + k]) > fabs(out[at + top]) + 1e-6) top = k;
        const double sign = out[at + top] < 0 ? -1 : 1;
        for (int k = 0; k < 4; k++) out[at + k] *= sign;
    }
    return out;
}

#define SAME_CONFIGURATION(s, x, y)                                                                          \
    do {                                                                                                     \
        const double *same_x = canonical(s, x), *same_y = canonical(s, y);                                   \
        CLOSE(s, same_x, same_y, (s)->nq, 1, EXACT);                                                         \
    } while (0)

/* all quaternions of q are of unit length */
static void check_units(subject *s, const double *q)
{
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        pinion_joint_info joint;
        FINE(s, pinion_model_joint(s->m, i, &joint));
        const int at = quaternion_at(&joint);
        if (at >= 0) CHECK_NEAR(dot(q + at, q + at, 4), 1, 1e-14);
    }
}

/* ---- neutral and random ---- */

static void check_neutral(subject *s)
{
    double *q = take(s, s->nq);
    for (int i = 0; i < s->nq; i++) q[i] = NAN;
    FINE(s, pinion_neutral(s->m, q));
    double *expected = take(s, s->nq);
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        pinion_joint_info joint;
        FINE(s, pinion_model_joint(s->m, i, &joint));
        if (quaternion_at(&joint) >= 0) expected[joint.q_index] = 1;
    }
    CLOSE(s, q, expected, s->nq, 1, 0);

    /* there the joints' two frames coincide: X_parent_child = parent_pose * inverse(child_pose) */
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        pinion_joint_info joint;
        FINE(s, pinion_model_joint(s->m, i, &joint));
        if (joint.parent < 0 || joint.leader >= 0) continue; /* an offset moves a follower */
        double parent[12], child[12], seen[2][12];
        FINE(s, pinion_frame_pose(s->m, s->w, q, joint.parent, parent, parent + 3));
        FINE(s, pinion_frame_pose(s->m, s->w, q, joint.child, child, child + 3));
        rotate(parent + 3, joint.parent_pose.position, seen[0]);
        rotate(child + 3, joint.child_pose.position, seen[1]);
        for (int k = 0; k < 3; k++) seen[0][k] += parent[k];
        for (int k = 0; k < 3; k++) seen[1][k] += child[k];
        times33(parent + 3, joint.parent_pose.rotation, seen[0] + 3);
        times33(child + 3, joint.child_pose.rotation, seen[1] + 3);
        CLOSE(s, seen[1], seen[0], 12, 1, EXACT);
    }
}
TEST(neutral_is_zero_and_joins_the_frames)
{
    for_random_trees(1, 1, check_neutral);
}

/* within the limits, of unit length, the same for the same seed, another for another */
static void check_random(subject *s)
{
    double *first = take(s, s->nq), *again = take(s, s->nq), *other = take(s, s->nq);
    const uint64_t seed = s->random;
    FINE(s, pinion_random(s->m, seed, first));
    FINE(s, pinion_random(s->m, seed, again));
    FINE(s, pinion_random(s->m, seed + 1, other));
    CHECK(!memcmp(first, again, (size_t)s->nq * sizeof *first));
    CHECK(memcmp(first, other, (size_t)s->nq * sizeof *first) != 0);
    check_units(s, first);
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        pinion_joint_info joint;
        FINE(s, pinion_model_joint(s->m, i, &joint));
        if (joint.nq == 0) continue;
        for (int d = 0; d < joint.nq; d++) {
            const double x = first[joint.q_index + d];
            CHECK(isfinite(x));
            if (joint.nq != joint.nv) continue;
            const int angle = joint.type != PINION_JOINT_PRISMATIC &&
                              !(joint.type == PINION_JOINT_CYLINDRICAL && d == 1) &&
                              !(joint.type == PINION_JOINT_PLANAR && d < 2);
            const double reach = angle ? PI : 1;
            const double low = isfinite(joint.dof[d].lower) ? joint.dof[d].lower : -reach;
            const double high = isfinite(joint.dof[d].upper) ? joint.dof[d].upper : reach;
            check_count++;
            if (!(x >= low - 1e-15 && x <= high + 1e-15))
                CHECK_FAIL("%s: %s is %g, limits %g to %g", s->name, joint.name, x, low, high);
        }
        if (joint.type == PINION_JOINT_FREE)
            for (int d = 4; d < 7; d++) CHECK(fabs(first[joint.q_index + d]) <= 1);
    }
}
TEST(random_is_within_limits_and_repeatable)
{
    for_models(check_random);
}

/* ---- integrate and difference ---- */

/* a step with every turn below half a turn, so that the way back is unique */
static double *take_step(subject *s, double size)
{
    double *v = take_random(s, s->nv, size);
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        pinion_joint_info joint;
        FINE(s, pinion_model_joint(s->m, i, &joint));
        if (joint.nv == 0) continue;
        double *w = v + joint.v_index;
        if (joint.type == PINION_JOINT_SPHERICAL || joint.type == PINION_JOINT_FREE) {
            const double turn = sqrt(dot(w, w, 3));
            for (int k = 0; k < 3 && turn > 3; k++) w[k] *= 3 / turn;
        }
        if (joint.type == PINION_JOINT_PLANAR) w[2] = fmax(-3, fmin(3, w[2]));
    }
    return v;
}

static void check_inverse(subject *s)
{
    static const double sizes[] = {3, 1, 1e-1, 1e-3, 1e-5, 1e-8, 1e-12, 0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const double *step = take_step(s, sizes[i]);
        double *q = take(s, s->nq), *back = take(s, s->nv);
        FINE(s, pinion_integrate(s->m, s->q, step, 1, q));
        check_units(s, q);
        FINE(s, pinion_difference(s->m, s->q, q, back));
        CLOSE(s, back, step, s->nv, 1, EXACT);

        /* half the step twice as fast, and two halves one after the other: v is constant in the child frame
         */
        double *half = take_copy(s, step, s->nv), *fast = take(s, s->nq), *two = take(s, s->nq);
        for (int k = 0; k < s->nv; k++) half[k] /= 2;
        FINE(s, pinion_integrate(s->m, s->q, half, 2, fast));
        SAME_CONFIGURATION(s, fast, q);
        FINE(s, pinion_integrate(s->m, s->q, step, 0.5, two));
        FINE(s, pinion_integrate(s->m, two, step, 0.5, two)); /* in place */
        SAME_CONFIGURATION(s, two, q);

        /* and back */
        FINE(s, pinion_integrate(s->m, q, step, -1, two));
        SAME_CONFIGURATION(s, two, s->q);
        FINE(s, pinion_integrate(s->m, s->q, step, 0, two));
        SAME_CONFIGURATION(s, two, s->q);
    }
}
TEST(difference_undoes_integrate)
{
    for_models(check_inverse);
}

/* between any two configurations; turns stay within half a turn */
static void check_between_two(subject *s)
{
    double *other = take(s, s->nq), *step = take(s, s->nv), *back = take(s, s->nv), *reached = take(s, s->nq);
    FINE(s, pinion_random(s->m, s->random + 99, other));
    FINE(s, pinion_difference(s->m, s->q, other, step));
    FINE(s, pinion_integrate(s->m, s->q, step, 1, reached));
    SAME_CONFIGURATION(s, reached, other);
    FINE(s, pinion_difference(s->m, other, s->q, back));
    for (int i = 0; i < s->nv; i++) back[i] = -back[i];
    CLOSE(s, back, step, s->nv, 1, EXACT);
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        pinion_joint_info joint;
        FINE(s, pinion_model_joint(s->m, i, &joint));
        if (quaternion_at(&joint) < 0) continue;
        const double *w = step + joint.v_index;
        CHECK(sqrt(dot(w, w, 3)) <= PI + 1e-12);
    }

    /* a quaternion's sign does not matter, and nothing lies between a configuration and itself */
    double *flipped = take_copy(s, other, s->nq), *same = take(s, s->nv), *zero = take(s, s->nv);
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        pinion_joint_info joint;
        FINE(s, pinion_model_joint(s->m, i, &joint));
        for (int k = 0; k < 4 && quaternion_at(&joint) >= 0; k++) flipped[joint.q_index + k] *= -1;
    }
    FINE(s, pinion_difference(s->m, s->q, flipped, same));
    CLOSE(s, same, step, s->nv, 1, EXACT);
    FINE(s, pinion_difference(s->m, other, flipped, same));
    CLOSE(s, same, zero, s->nv, 1, EXACT);
}
TEST(difference_joins_any_two_configurations)
{
    for_models(check_between_two);
}

/* a base and one link of unit mass and inertia on it, by a joint of that type */
static pinion_model *one_joint(pinion_joint_type type)
{
    pinion_error err;
    pinion_builder *b = pinion_builder_new("one");
    pinion_link_def base = pinion_link_def_default(), link = base;
    pinion_joint_def joint = pinion_joint_def_default();
    base.name = "base";
    link.name = "link";
    link.inertia = (pinion_inertia){1, {0, 0, 0}, {1, 0, 0, 1, 0, 1}};
    joint.name = "joint";
    joint.type = type;
    joint.parent = "base";
    joint.child = "link";
    CHECK_STATUS(pinion_builder_add_link(b, &base, &err), PINION_OK);
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

/* An arc is at most pi/2 times as long as its chord when it turns no further than half a turn: also where the
 * angles are whole turns apart. */
TEST(planar_difference_turns_at_most_half)
{
    pinion_model *m = one_joint(PINION_JOINT_PLANAR);
    if (!m) return;
    static const double turns[] = {0, 1e-9, 1, 3, PI, 2 * PI - 1e-9, 2 * PI, 4 * PI, 20, -PI, -2 * PI, -100};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        const double q0[3] = {0.3, -0.2, 0.7}, q1[3] = {1.3, 0.3, 0.7 + turns[i]};
        double v[3], q[3];
        CHECK_STATUS(pinion_difference(m, q0, q1, v), PINION_OK);
        CHECK_STATUS(pinion_integrate(m, q0, v, 1, q), PINION_OK);
        CHECK(fabs(v[2]) <= PI + 1e-12);
        CHECK(hypot(v[0], v[1]) <= PI / 2 * hypot(1, 0.5) + 1e-9);
        CHECK_NEAR(q[0], q1[0], EXACT);
        CHECK_NEAR(q[1], q1[1], EXACT);
        CHECK_NEAR(remainder(q[2] - q1[2], 2 * PI), 0, EXACT * (1 + fabs(turns[i])));
    }
    pinion_model_free(m);
}

/* full turns: many of them, and exactly half a turn */
TEST(integrate_turns_all_the_way)
{
    pinion_model *m = one_joint(PINION_JOINT_SPHERICAL);
    if (!m) return;
    const double unit[4] = {1, 0, 0, 0}, axis[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3};
    double q[4], v[3], back[3];
    for (int turns = 1; turns <= 100; turns++) {
        for (int k = 0; k < 3; k++) v[k] = 2 * PI * turns * axis[k];
        CHECK_STATUS(pinion_integrate(m, unit, v, 1, q), PINION_OK);
        CHECK_NEAR(fabs(q[0]), 1, 1e-12);
        CHECK_NEAR(dot(q, q, 4), 1, 1e-14);
    }
    /* half a turn: the axis or its opposite */
    for (int k = 0; k < 3; k++) v[k] = PI * axis[k];
    CHECK_STATUS(pinion_integrate(m, unit, v, 1, q), PINION_OK);
    CHECK_STATUS(pinion_difference(m, unit, q, back), PINION_OK);
    CHECK_NEAR(fabs(dot(back, axis, 3)), PI, 1e-12);
    const double half_turn[4] = {0, 0, 1, 0};
    CHECK_STATUS(pinion_difference(m, unit, half_turn, back), PINION_OK);
    CHECK_NEAR(fabs(back[1]), PI, 1e-12);
    CHECK_NEAR(fabs(back[0]) + fabs(back[2]), 0, 1e-12);

    /* the rotation is about the child's axes: a quarter turn about z, then one about the turned x */
    const double about_z[3] = {0, 0, PI / 2}, about_x[3] = {PI / 2, 0, 0};
    CHECK_STATUS(pinion_integrate(m, unit, about_z, 1, q), PINION_OK);
    CHECK_STATUS(pinion_integrate(m, q, about_x, 1, q), PINION_OK);
    const double expected[4] = {0.5, 0.5, 0.5, 0.5};
    CHECK(check_error(q, expected, 4, 1) < 1e-15);
    pinion_model_free(m);
}

/* ---- normalize ---- */

static void check_normalize(subject *s)
{
    static const double factors[] = {1, 1 + 1e-5, 0.5, 1e-3, 1e3};
    int quaternions = 0, at = -1;
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
        double *q = take_copy(s, s->q, s->nq);
        for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
            pinion_joint_info joint;
            FINE(s, pinion_model_joint(s->m, i, &joint));
            if (quaternion_at(&joint) < 0) continue;
            at = quaternion_at(&joint);
            quaternions++;
            for (int k = 0; k < 4; k++) q[at + k] *= factors[f];
        }
        /* too long or too short is refused by every function that takes q, until it is normalized */
        double *tau = take(s, s->nv);
        const pinion_status expected = quaternions && factors[f] != 1 ? PINION_ERR_QUATERNION : PINION_OK;
        CHECK_STATUS(pinion_gravity(s->m, s->w, q, tau), expected);
        CHECK_STATUS(pinion_integrate(s->m, q, s->v, 1, take(s, s->nq)), expected);
        CHECK_STATUS(pinion_difference(s->m, q, s->q, tau), expected);
        CHECK_STATUS(pinion_difference(s->m, s->q, q, tau), expected);
        FINE(s, pinion_normalize(s->m, q));
        CLOSE(s, q, s->q, s->nq, 1, EXACT);
        FINE(s, pinion_gravity(s->m, s->w, q, tau));
    }
    if (at < 0) return;

    /* none to make unit */
    double *q = take_copy(s, s->q, s->nq);
    for (int k = 0; k < 4; k++) q[at + k] = 0;
    CHECK_STATUS(pinion_normalize(s->m, q), PINION_ERR_QUATERNION);
    q[at] = NAN;
    CHECK_STATUS(pinion_normalize(s->m, q), PINION_ERR_QUATERNION);
    q[at] = INFINITY;
    CHECK_STATUS(pinion_normalize(s->m, q), PINION_ERR_QUATERNION);
    double *tau = take(s, s->nv);
    CHECK_STATUS(pinion_gravity(s->m, s->w, q, tau), PINION_ERR_QUATERNION);
}
/* ---- Jacobians ---- */

/* Central differences with h = 1e-5 carry errors of h^2 and eps/h, 1e-10 each. The difference of two configurations is
 * exact to first order where they are near each other. */
static void check_jacobians(subject *s)
{
    const int n = s->nv;
    const double h = 1e-5, dt = 0.7;
    double *dq = take(s, n * n), *dv = take(s, n * n), *d0 = take(s, n * n), *d1 = take(s, n * n), *step = take(s, n);
    double *end = take(s, s->nq), *at = take(s, s->nq), *moved = take(s, s->nq), *v = take(s, n);
    double *way = take(s, n), *x[2] = {take(s, n), take(s, n)};
    FINE(s, pinion_integrate(s->m, s->q, s->v, dt, end));
    FINE(s, pinion_difference(s->m, s->q, end, way));
    FINE(s, pinion_d_integrate(s->m, s->v, dt, dq, dv));
    FINE(s, pinion_d_difference(s->m, way, d0, d1));
    for (int j = 0; j < n; j++) {
        double *expected = take(s, n), *column = take(s, n);
        for (int by = 0; by < 4; by++) {
            const double *D = by == 0 ? dq : by == 1 ? dv : by == 2 ? d0 : d1;
            for (int side = 0; side < 2; side++) {
                for (int i = 0; i < n; i++) step[i] = i == j ? side ? -h : h : 0;
                for (int i = 0; i < n; i++) v[i] = s->v[i] + (by == 1 ? step[i] : 0);
                FINE(s, pinion_integrate(s->m, by == 3 ? end : s->q, step, 1, at));
                if (by < 2) {
                    FINE(s, pinion_integrate(s->m, by == 0 ? at : s->q, v, dt, moved));
                    FINE(s, pinion_difference(s->m, end, moved, x[side]));
                } else {
                    FINE(s, pinion_difference(s->m, by == 2 ? at : s->q, by == 3 ? at : end, x[side]));
                }
            }
            for (int i = 0; i < n; i++) expected[i] = (x[0][i] - x[1][i]) / (2 * h);
            for (int i = 0; i < n; i++) column[i] = D[i * n + j];
            CLOSE(s, column, expected, n, 1, 1e-8);
        }
    }
}

TEST(jacobians_of_integrate_and_difference)
{
    for_random_trees(3, 2, check_jacobians);
    CHECK_STATUS(pinion_d_integrate(NULL, NULL, 1, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_d_difference(NULL, NULL, NULL, NULL), PINION_ERR_ARGUMENT);
}

TEST(normalize_makes_quaternions_unit)
{
    for_models(check_normalize);
}

/* q with every quaternion this much longer */
static double *stretched(subject *s, double factor)
{
    double *q = take_copy(s, s->q, s->nq);
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        pinion_joint_info joint;
        FINE(s, pinion_model_joint(s->m, i, &joint));
        for (int k = 0; k < 4 && quaternion_at(&joint) >= 0; k++) q[joint.q_index + k] *= factor;
    }
    return q;
}

/* Within 1e-6 of unit length in double and 1e-3 in single precision a quaternion is accepted and the kernels
 * normalize it: no answer changes. Beyond, it is refused. */
static void check_nearly_unit(subject *s)
{
    static const double slack[] = {9e-7, -9e-7}, excess[] = {1.1e-6, -1.1e-6};
    double *exact = take(s, s->nv), *near = take(s, s->nv);
    FINE(s, pinion_inverse_dynamics(s->m, s->w, s->q, s->v, s->a, s->f_ext, exact));
    const int any = memcmp(stretched(s, 2), s->q, (size_t)s->nq * sizeof *s->q) != 0;
    for (int i = 0; i < 2; i++) {
        const double *inside = stretched(s, 1 + slack[i]), *outside = stretched(s, 1 + excess[i]);
        FINE(s, pinion_inverse_dynamics(s->m, s->w, inside, s->v, s->a, s->f_ext, near));
        CLOSE(s, near, exact, s->nv, 10, EXACT);
        CHECK_STATUS(pinion_inverse_dynamics(s->m, s->w, outside, s->v, s->a, s->f_ext, near),
                     any ? PINION_ERR_QUATERNION : PINION_OK);
    }

    pinion_work_f32 *w = pinion_work_f32_new(s->m);
    float *q = take_bytes(s, (size_t)s->nq * sizeof *q), *tau = take_bytes(s, (size_t)s->nv * sizeof *tau);
    static const double slack32[] = {9e-4, -9e-4, 1.1e-3, -1.1e-3};
    for (int i = 0; i < 4; i++) {
        const double *from = stretched(s, 1 + slack32[i]);
        for (int k = 0; k < s->nq; k++) q[k] = (float)from[k];
        CHECK_STATUS(pinion_gravity_f32(s->m, w, q, tau), any && i > 1 ? PINION_ERR_QUATERNION : PINION_OK);
    }
    pinion_work_f32_free(w);
}
TEST(a_nearly_unit_quaternion_changes_nothing)
{
    for_random_trees(1, 1, check_nearly_unit);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(neutral_is_zero_and_joins_the_frames);
    RUN(random_is_within_limits_and_repeatable);
    RUN(difference_undoes_integrate);
    RUN(difference_joins_any_two_configurations);
    RUN(planar_difference_turns_at_most_half);
    RUN(integrate_turns_all_the_way);
    RUN(jacobians_of_integrate_and_difference);
    RUN(normalize_makes_quaternions_unit);
    RUN(a_nearly_unit_quaternion_changes_nothing);
    return CHECK_END();
}
