/* Frames: poses, Jacobians, velocities and accelerations, centre of mass and momentum against derivatives of
 * each other and against sums over the links.
 *
 * Tolerances: EXACT for the same number computed in two ways, which differ by rounding alone; what is
 * differentiated numerically has DERIVATIVE_TOLERANCE (identity.h). Both are relative to the largest number
 * in play. */
#include "identity.h"

#define EXACT 1e-12

static const pinion_reference references[3] = {PINION_REFERENCE_WORLD_ALIGNED, PINION_REFERENCE_LOCAL,
                                               PINION_REFERENCE_WORLD};

/* all frames of small models, some of large ones */
static int next_frame(const subject *s, int frame)
{
    return frame + 1 + s->frames / 8;
}

/* ---- poses ---- */

static void check_poses(subject *s)
{
    double *positions = take(s, 3 * s->frames), *rotations = take(s, 9 * s->frames);
    double *only_p = take(s, 3 * s->frames), *only_R = take(s, 9 * s->frames);
    FINE(s, pinion_frames(s->m, s->w, s->q, positions, rotations));
    FINE(s, pinion_frames(s->m, s->w, s->q, only_p, NULL));
    FINE(s, pinion_frames(s->m, s->w, s->q, NULL, only_R));
    CLOSE(s, only_p, positions, 3 * s->frames, 1, EXACT);
    CLOSE(s, only_R, rotations, 9 * s->frames, 1, EXACT);
    for (int f = 0; f < s->frames; f++) {
        double position[3], rotation[9], square[9], transposed[9], R[9];
        const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        FINE(s, pinion_frame_pose(s->m, s->w, s->q, f, position, rotation));
        CLOSE(s, position, positions + 3 * f, 3, 1, EXACT);
        CLOSE(s, rotation, rotations + 9 * f, 9, 1, EXACT);

        /* a right-handed rotation */
        memcpy(R, rotations + 9 * f, sizeof R);
        for (int i = 0; i < 9; i++) transposed[i] = R[3 * (i % 3) + i / 3];
        times33(R, transposed, square);
        CLOSE(s, square, unit, 9, 1, EXACT);
        const double determinant = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
                                   R[2] * (R[3] * R[7] - R[4] * R[6]);
        CHECK_NEAR(determinant, 1, EXACT);

        /* a named frame sits on its link as described */
        pinion_frame_info info;
        FINE(s, pinion_model_frame(s->m, f, &info));
        double expected_p[3], expected_R[9];
        rotate(rotations + 9 * info.link, info.pose.position, expected_p);
        for (int k = 0; k < 3; k++) expected_p[k] += positions[3 * info.link + k];
        times33(rotations + 9 * info.link, info.pose.rotation, expected_R);
        CLOSE(s, position, expected_p, 3, 1, EXACT);
        CLOSE(s, rotation, expected_R, 9, 1, EXACT);
    }
}
TEST(poses_are_rotations_and_follow_their_links)
{
    for_models(check_poses);
}

/* ---- Jacobians ---- */

/* position and rotation of a frame, 12 numbers */
static void pose_of(subject *s, const double *q, const double *v, const void *frame, double *out)
{
    (void)v;
    FINE(s, pinion_frame_pose(s->m, s->w, q, *(const int *)frame, out, out + 3));
}

/* the velocity [angular; linear], along world axes at the frame's origin, of a pose that changes */
static void velocity_of_change(const double pose[12], const double change[12], double out[6])
{
    double spin[9], transposed[9];
    for (int i = 0; i < 9; i++) transposed[i] = pose[3 + 3 * (i % 3) + i / 3];
    times33(change + 3, transposed, spin);
    out[0] = (spin[7] - spin[5]) / 2;
    out[1] = (spin[2] - spin[6]) / 2;
    out[2] = (spin[3] - spin[1]) / 2;
    memcpy(out + 3, change, 3 * sizeof *out);
}

/* a motion vector at the frame's origin along world axes, in another reference */
static void in_reference(pinion_reference reference, const double pose[12], const double aligned[6],
                         double out[6])
{
    double shift[3];
    memcpy(out, aligned, 6 * sizeof *out);
    if (reference == PINION_REFERENCE_LOCAL) {
        rotate_back(pose + 3, aligned, out);
        rotate_back(pose + 3, aligned + 3, out + 3);
    } else if (reference == PINION_REFERENCE_WORLD) {
        cross(pose, aligned, shift);
        for (int k = 0; k < 3; k++) out[3 + k] += shift[k];
    }
}

/* a column of the Jacobian is how the pose changes with that coordinate; three expressions of the same motion
 */
static void check_jacobian(subject *s)
{
    const int n = s->nv;
    for (int frame = 0; frame < s->frames; frame = next_frame(s, frame)) {
        double pose[12], change[12], aligned[6], expected[6], *unit = take(s, n);
        double *J[3];
        pose_of(s, s->q, NULL, &frame, pose);
        for (int r = 0; r < 3; r++) {
            J[r] = take(s, 6 * n);
            FINE(s, pinion_jacobian(s->m, s->w, s->q, frame, references[r], J[r]));
        }
        for (int i = 0; i < n; i++) {
            double column[6];
            unit[i] = 1;
            derivative(s, unit, NULL, pose_of, &frame, 12, change);
            unit[i] = 0;
            velocity_of_change(pose, change, aligned);
            for (int r = 0; r < 3; r++) {
                for (int k = 0; k < 6; k++) column[k] = J[r][k * n + i];
                in_reference(references[r], pose, aligned, expected);
                CLOSE(s, column, expected, 6, 1, DERIVATIVE_TOLERANCE);
            }
        }
    }
}
TEST(jacobians_are_derivatives_of_poses)
{
    for_random_trees(1, 1, check_jacobian);
    for_random_chains(1, 1, check_jacobian);
    for_bundled_models(2, check_jacobian);
}

static void check_velocity(subject *s)
{
    const int n = s->nv;
    double *J = take(s, 6 * n);
    for (int frame = 0; frame < s->frames; frame = next_frame(s, frame)) {
        double pose[12], aligned[6], expected[6], velocity[6];
        pose_of(s, s->q, NULL, &frame, pose);
        for (int r = 0; r < 3; r++) {
            FINE(s, pinion_jacobian(s->m, s->w, s->q, frame, references[r], J));
            FINE(s, pinion_frame_velocity(s->m, s->w, s->q, s->v, frame, references[r], velocity));
            times(J, s->v, 6, n, expected);
            CLOSE(s, velocity, expected, 6, 1, EXACT);
            if (r == 0) memcpy(aligned, velocity, sizeof aligned);
            in_reference(references[r], pose, aligned, expected);
            CLOSE(s, velocity, expected, 6, 1, EXACT);
        }
    }
}
TEST(velocity_is_jacobian_times_v)
{
    for_models(check_velocity);
}

/* ---- accelerations ---- */

typedef struct view {
    int frame;
    pinion_reference reference;
} view;

static void velocity_of(subject *s, const double *q, const double *v, const void *context, double *out)
{
    const view *from = context;
    FINE(s, pinion_frame_velocity(s->m, s->w, q, v, from->frame, from->reference, out));
}

/* the part that accelerations of the joints cause, J a, and the rest */
static void check_rest(subject *s, const view *from, const double *zero, double scale)
{
    const int n = s->nv;
    double bias[6], rate[6], total[6], sum[6], *J = take(s, 6 * n);
    FINE(s, pinion_jacobian_dot_v(s->m, s->w, s->q, s->v, from->frame, from->reference, bias));
    derivative(s, s->v, zero, velocity_of, from, 6, rate);
    CLOSE(s, bias, rate, 6, scale, DERIVATIVE_TOLERANCE);
    derivative(s, s->v, s->a, velocity_of, from, 6, total);
    FINE(s, pinion_jacobian(s->m, s->w, s->q, from->frame, from->reference, J));
    times(J, s->a, 6, n, sum);
    for (int k = 0; k < 6; k++) sum[k] += bias[k];
    CLOSE(s, sum, total, 6, scale, DERIVATIVE_TOLERANCE);
}

/* WORLD_ALIGNED: classical is the derivative of the velocity of the frame's origin. LOCAL and WORLD: spatial
 * is the derivative of the velocity in those coordinates. The others are the same vectors seen from
 * elsewhere. */
static void check_acceleration(subject *s)
{
    const double *zero = take(s, s->nv);
    for (int frame = 0; frame < s->frames; frame = next_frame(s, frame)) {
        double pose[12], velocity[6], scale = 1;
        double classical[3][6], spatial[3][6], rate[6], expected[6], turning[3];
        pose_of(s, s->q, NULL, &frame, pose);
        FINE(s, pinion_frame_velocity(s->m, s->w, s->q, s->v, frame, PINION_REFERENCE_WORLD_ALIGNED, velocity));
        for (int r = 0; r < 3; r++) {
            FINE(s, pinion_frame_acceleration(s->m, s->w, s->q, s->v, s->a, frame, references[r],
                                              PINION_ACCELERATION_CLASSICAL, classical[r]));
            FINE(s, pinion_frame_acceleration(s->m, s->w, s->q, s->v, s->a, frame, references[r],
                                              PINION_ACCELERATION_SPATIAL, spatial[r]));
            scale = fmax(scale, fmax(largest(classical[r], 6), largest(spatial[r], 6)));
        }
        for (int r = 0; r < 3; r++) {
            const view from = {frame, references[r]};
            check_rest(s, &from, zero, scale);
            derivative(s, s->v, s->a, velocity_of, &from, 6, rate);
            if (r == 0)
                CLOSE(s, classical[r], rate, 6, scale, DERIVATIVE_TOLERANCE);
            else
                CLOSE(s, spatial[r], rate, 6, scale, DERIVATIVE_TOLERANCE);
        }

        /* the same vector along the frame's own axes */
        in_reference(PINION_REFERENCE_LOCAL, pose, classical[0], expected);
        CLOSE(s, classical[1], expected, 6, scale, EXACT);
        in_reference(PINION_REFERENCE_LOCAL, pose, spatial[0], expected);
        CLOSE(s, spatial[1], expected, 6, scale, EXACT);
        /* at the world's origin */
        in_reference(PINION_REFERENCE_WORLD, pose, spatial[0], expected);
        CLOSE(s, spatial[2], expected, 6, scale, EXACT);
        /* classical = spatial + w x v */
        cross(velocity, velocity + 3, turning);
        memcpy(expected, spatial[0], sizeof expected);
        for (int k = 0; k < 3; k++) expected[3 + k] += turning[k];
        CLOSE(s, classical[0], expected, 6, scale, EXACT);

        /* without a */
        double without[6], with_zero[6];
        FINE(s, pinion_frame_acceleration(s->m, s->w, s->q, s->v, NULL, frame, PINION_REFERENCE_LOCAL,
                                          PINION_ACCELERATION_SPATIAL, without));
        FINE(s, pinion_frame_acceleration(s->m, s->w, s->q, s->v, zero, frame, PINION_REFERENCE_LOCAL,
                                          PINION_ACCELERATION_SPATIAL, with_zero));
        CLOSE(s, without, with_zero, 6, scale, EXACT);
    }
}
TEST(acceleration_is_the_derivative_of_velocity)
{
    for_models(check_acceleration);
}

/* ---- centre of mass and momentum ---- */

static void center_of(subject *s, const double *q, const double *v, const void *context, double *out)
{
    (void)v;
    (void)context;
    FINE(s, pinion_center_of_mass(s->m, s->w, q, NULL, out, NULL));
}

/* mass, centre, velocity, momentum and energies summed over the links that move */
static void check_sums(subject *s)
{
    double mass = 0, fixed = 0, center[3] = {0}, drift[3] = {0}, momentum[6] = {0}, energy[2] = {0}, g[3];
    const int links = pinion_model_link_count(s->m);
    double *c = take(s, 3 * links), *v_c = take(s, 3 * links), *spin = take(s, 3 * links),
           *m = take(s, links);
    pinion_model_gravity(s->m, g);
    for (int i = 0; i < links; i++) {
        pinion_link_info link;
        double pose[12], v[6], arm[3], t[3], w_local[3];
        FINE(s, pinion_model_link(s->m, i, &link));
        if (link.body == 0) fixed += link.inertia.mass;
        if (link.body == 0) continue;
        pose_of(s, s->q, NULL, &i, pose);
        FINE(s, pinion_frame_velocity(s->m, s->w, s->q, s->v, i, PINION_REFERENCE_WORLD_ALIGNED, v));
        rotate(pose + 3, link.inertia.com, arm);
        cross(v, arm, t);
        m[i] = link.inertia.mass;
        for (int k = 0; k < 3; k++) {
            c[3 * i + k] = pose[k] + arm[k];
            v_c[3 * i + k] = v[3 + k] + t[k];
            center[k] += m[i] * c[3 * i + k];
            drift[k] += m[i] * v_c[3 * i + k];
        }
        mass += m[i];
        const double *I = link.inertia.inertia;
        const double full[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]};
        rotate_back(pose + 3, v, w_local);
        rotate(full, w_local, t);
        energy[0] += (dot(t, w_local, 3) + m[i] * dot(v_c + 3 * i, v_c + 3 * i, 3)) / 2;
        energy[1] -= m[i] * dot(g, c + 3 * i, 3);
        rotate(pose + 3, t, spin + 3 * i);
    }
    for (int k = 0; k < 3; k++) {
        center[k] /= mass;
        momentum[3 + k] = drift[k];
        drift[k] /= mass;
    }
    for (int i = 0; i < links; i++) {
        double arm[3], t[3];
        for (int k = 0; k < 3; k++) arm[k] = c[3 * i + k] - center[k];
        cross(arm, v_c + 3 * i, t);
        for (int k = 0; k < 3; k++) momentum[k] += spin[3 * i + k] + m[i] * t[k];
    }

    double position[3], alone[3], velocity[3], got[6], kinetic, potential[1];
    FINE(s, pinion_center_of_mass(s->m, s->w, s->q, s->v, position, velocity));
    FINE(s, pinion_center_of_mass(s->m, s->w, s->q, NULL, alone, NULL));
    FINE(s, pinion_momentum(s->m, s->w, s->q, s->v, got));
    FINE(s, pinion_energy(s->m, s->w, s->q, s->v, 0, &kinetic, potential));
    CHECK_NEAR(pinion_model_mass(s->m), mass, EXACT * fmax(1, mass));
    CHECK_NEAR(pinion_model_fixed_mass(s->m), fixed, EXACT * fmax(1, fixed));
    CLOSE(s, position, center, 3, 1, EXACT);
    CLOSE(s, alone, center, 3, 1, EXACT);
    CLOSE(s, velocity, drift, 3, 1, EXACT);
    CLOSE(s, got, momentum, 6, 1, 10 * EXACT);
    CLOSE(s, potential, energy + 1, 1, 100, EXACT);

    /* the rotors' part of the kinetic energy is not a link's */
    double rotors = 0;
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        pinion_joint_info joint, source;
        double factor = 1;
        FINE(s, pinion_model_joint(s->m, i, &joint));
        for (source = joint; source.leader >= 0;) {
            factor *= source.multiplier;
            FINE(s, pinion_model_joint(s->m, source.leader, &source));
        }
        for (int d = 0; d < joint.dof_count; d++) {
            const double speed = joint.dof[d].gear_ratio * factor * s->v[source.v_index + d];
            rotors += joint.dof[d].rotor_inertia * speed * speed / 2;
        }
    }
    CHECK_NEAR(kinetic, energy[0] + rotors, EXACT * fmax(10, kinetic));

    /* and the velocity is how the position changes */
    double rate[3];
    derivative(s, s->v, NULL, center_of, NULL, 3, rate);
    CLOSE(s, velocity, rate, 3, 1, DERIVATIVE_TOLERANCE);
}
TEST(centre_of_mass_momentum_and_energy_are_sums_over_links)
{
    for_models(check_sums);
}

static void momentum_of(subject *s, const double *q, const double *v, const void *context, double *out)
{
    (void)context;
    FINE(s, pinion_momentum(s->m, s->w, q, v, out));
}

/* On a free base the momentum changes by what acts from outside: weight, external forces, and the force on
 * the free joint of the root; joint forces inside the tree do not change it. */
static void check_momentum_rate(subject *s)
{
    double rate[6], expected[6] = {0}, center[3], g[3], *tau = take(s, s->nv);
    pinion_joint_info root;
    FINE(s, pinion_model_joint(s->m, 0, &root));
    if (strcmp(root.name, "root") || root.type != PINION_JOINT_FREE) return;
    FINE(s, pinion_inverse_dynamics(s->m, s->w, s->q, s->v, s->a, s->f_ext, tau));
    FINE(s, pinion_center_of_mass(s->m, s->w, s->q, NULL, center, NULL));
    derivative(s, s->v, s->a, momentum_of, NULL, 6, rate);
    pinion_model_gravity(s->m, g);
    for (int k = 0; k < 3; k++) expected[3 + k] = pinion_model_mass(s->m) * g[k];

    double *force = take_copy(s, s->f_ext, 6 * s->bodies);
    for (int k = 0; k < 6; k++) force[6 * root.body + k] += tau[root.v_index + k];
    for (int i = 1; i < s->bodies; i++) {
        pinion_body_info body;
        double pose[12], moment[3], push[3], arm[3], t[3];
        FINE(s, pinion_model_body(s->m, i, &body));
        pose_of(s, s->q, NULL, &body.link, pose);
        rotate(pose + 3, force + 6 * i, moment);
        rotate(pose + 3, force + 6 * i + 3, push);
        for (int k = 0; k < 3; k++) arm[k] = pose[k] - center[k];
        cross(arm, push, t);
        for (int k = 0; k < 3; k++) {
            expected[k] += moment[k] + t[k];
            expected[3 + k] += push[k];
        }
    }
    CLOSE(s, rate, expected, 6, fmax(100, largest(force, 6 * s->bodies)), DERIVATIVE_TOLERANCE);
}
TEST(momentum_changes_by_forces_from_outside)
{
    for_random_trees(3, 2, check_momentum_rate);
}

/* ---- editing frames ---- */

/* a moved frame is where it was put, on the copy alone, and its Jacobian goes with it */
static void check_moved_frame(subject *s)
{
    const int links = pinion_model_link_count(s->m);
    if (s->frames == links) return;
    const int frame = links + (int)(check_uniform(&s->random) * (s->frames - links));
    pinion_frame_info info;
    FINE(s, pinion_model_frame(s->m, frame, &info));
    pinion_model *copy = pinion_model_copy(s->m);
    /* a turn about z by the angle of a 3-4-5 triangle */
    pinion_pose pose = {{spread(s, 1), spread(s, 1), spread(s, 1)}, {0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1}};
    FINE(s, pinion_model_set_frame(copy, frame, &pose));

    double link[12], before[12], after[12], expected[12], moved[12];
    pose_of(s, s->q, NULL, &info.link, link);
    pose_of(s, s->q, NULL, &frame, before);
    FINE(s, pinion_frame_pose(copy, s->w, s->q, frame, moved, moved + 3));
    pose_of(s, s->q, NULL, &frame, after);
    CHECK(!memcmp(before, after, sizeof before));
    rotate(link + 3, pose.position, expected);
    for (int k = 0; k < 3; k++) expected[k] += link[k];
    times33(link + 3, pose.rotation, expected + 3);
    CLOSE(s, moved, expected, 12, 1, EXACT);
    FINE(s, pinion_model_frame(copy, frame, &info));
    CLOSE(s, info.pose.position, pose.position, 3, 1, 0);
    CLOSE(s, info.pose.rotation, pose.rotation, 9, 1, 0);

    /* the velocity of a point of the link */
    double at_link[6], at_frame[6], arm[3], t[3];
    FINE(s, pinion_frame_velocity(copy, s->w, s->q, s->v, info.link, PINION_REFERENCE_WORLD_ALIGNED, at_link));
    FINE(s, pinion_frame_velocity(copy, s->w, s->q, s->v, frame, PINION_REFERENCE_WORLD_ALIGNED, at_frame));
    for (int k = 0; k < 3; k++) arm[k] = moved[k] - link[k];
    cross(at_link, arm, t);
    for (int k = 0; k < 3; k++) at_link[3 + k] += t[k];
    CLOSE(s, at_frame, at_link, 6, 1, EXACT);

    /* a link's own frame stays */
    CHECK_STATUS(pinion_model_set_frame(copy, 0, &pose), PINION_ERR_ARGUMENT);
    pinion_model_free(copy);
}
TEST(a_frame_can_be_moved)
{
    for_random_trees(2, 1, check_moved_frame);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(poses_are_rotations_and_follow_their_links);
    RUN(jacobians_are_derivatives_of_poses);
    RUN(velocity_is_jacobian_times_v);
    RUN(acceleration_is_the_derivative_of_velocity);
    RUN(centre_of_mass_momentum_and_energy_are_sums_over_links);
    RUN(momentum_changes_by_forces_from_outside);
    RUN(a_frame_can_be_moved);
    return CHECK_END();
}
