/* Identities between inverse dynamics, forward dynamics, the mass matrix, energies and forces, over random
 * trees of all joint types and the bundled models.
 *
 * Tolerances: EXACT is for two ways to compute the same number that differ by rounding alone, relative to the
 * largest number in play: some hundred operations in a row for 30 joints, so 1e-12 is thousands of eps
 * = 2.2e-16. What goes through forward dynamics loses as many digits as the condition of M has, 1e3 to 1e6
 * for these models: INVERTED. What is differentiated numerically: DERIVATIVE_TOLERANCE in identity.h. */
#include "identity.h"

#define EXACT 1e-12
#define INVERTED 1e-9

/* M, its largest entry as the scale of forces that unit accelerations cause */
static double *mass_matrix(subject *s, double *scale)
{
    double *M = take_matrix(s, s->nv, s->nv);
    FINE(s, pinion_mass_matrix(s->m, s->w, s->q, M));
    *scale = largest(M, s->nv * s->nv);
    return M;
}

static double *inverse_dynamics(subject *s, const double *v, const double *a, const double *f_ext)
{
    double *tau = take(s, s->nv);
    FINE(s, pinion_inverse_dynamics(s->m, s->w, s->q, v, a, f_ext, tau));
    return tau;
}

/* ---- inverse and forward dynamics undo each other ---- */

static void check_round_trip(subject *s)
{
    const int n = s->nv;
    double scale;
    mass_matrix(s, &scale);
    for (int forces = 0; forces < 2; forces++) {
        const double *f = forces ? s->f_ext : NULL;
        /* tau to a to tau: the residual is small against M a */
        double *a = take(s, n);
        FINE(s, pinion_forward_dynamics(s->m, s->w, s->q, s->v, s->tau, f, a));
        const double *tau = inverse_dynamics(s, s->v, a, f);
        CLOSE(s, tau, s->tau, n, scale * largest(a, n), EXACT);
        /* a to tau to a */
        const double *needed = inverse_dynamics(s, s->v, s->a, f);
        double *again = take(s, n);
        FINE(s, pinion_forward_dynamics(s->m, s->w, s->q, s->v, needed, f, again));
        CLOSE(s, again, s->a, n, 1, INVERTED);
    }
}
TEST(forward_undoes_inverse)
{
    for_models(check_round_trip);
}

/* ---- the mass matrix ---- */

static void check_columns(subject *s)
{
    const int n = s->nv;
    double scale;
    const double *M = mass_matrix(s, &scale);
    double *unit = take(s, n), *column = take(s, n), *tau = take(s, n), *rest = take(s, n);
    FINE(s, pinion_inverse_dynamics(s->m, s->w, s->q, NULL, NULL, NULL, rest));
    const double weight = fmax(scale, largest(rest, n));
    for (int j = 0; j < n; j++) {
        unit[j] = 1;
        FINE(s, pinion_inverse_dynamics(s->m, s->w, s->q, NULL, unit, NULL, tau));
        unit[j] = 0;
        for (int i = 0; i < n; i++) {
            tau[i] -= rest[i];
            column[i] = M[i * n + j];
        }
        CLOSE(s, tau, column, n, weight, EXACT);
    }
}
TEST(mass_matrix_is_columns_of_inverse_dynamics)
{
    for_models(check_columns);
}

/* symmetric, and the pivots of its Cholesky factorization are positive */
static void check_definite(subject *s)
{
    const int n = s->nv;
    double scale;
    const double *M = mass_matrix(s, &scale);
    double *L = take_copy(s, M, n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (!(fabs(M[i * n + j] - M[j * n + i]) <= 1e-15 * scale))
                CHECK_FAIL("%s: M[%d][%d] = %.17g, M[%d][%d] = %.17g", s->name, i, j, M[i * n + j], j, i,
                           M[j * n + i]);
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            for (int i = j; i < n; i++) L[i * n + j] -= L[i * n + k] * L[j * n + k];
        check_count++;
        if (!(L[j * n + j] > 0)) CHECK_FAIL("%s: pivot %d of M is %g", s->name, j, L[j * n + j]);
        const double root = sqrt(L[j * n + j]);
        for (int i = j; i < n; i++) L[i * n + j] /= root;
    }
}
TEST(mass_matrix_is_symmetric_and_positive_definite)
{
    for_models(check_definite);
}

/* tau = M a + bias, bias is tau at a = 0, gravity is bias at v = 0, NULL is zero */
static void check_parts(subject *s)
{
    const int n = s->nv;
    double scale;
    const double *M = mass_matrix(s, &scale), *zero = take(s, n);
    double *bias = take(s, n), *sum = take(s, n), *gravity = take(s, n), *still = take(s, n);
    FINE(s, pinion_bias(s->m, s->w, s->q, s->v, bias));
    FINE(s, pinion_gravity(s->m, s->w, s->q, gravity));
    FINE(s, pinion_bias(s->m, s->w, s->q, zero, still));
    const double weight = fmax(scale, largest(bias, n));

    times(M, s->a, n, n, sum);
    for (int i = 0; i < n; i++) sum[i] += bias[i];
    const double *tau = inverse_dynamics(s, s->v, s->a, NULL);
    CLOSE(s, tau, sum, n, weight, EXACT);
    CLOSE(s, still, gravity, n, weight, EXACT);

    const double *without_a = inverse_dynamics(s, s->v, NULL, NULL),
                 *zero_a = inverse_dynamics(s, s->v, zero, NULL);
    CLOSE(s, without_a, bias, n, weight, EXACT);
    CLOSE(s, zero_a, bias, n, weight, EXACT);
    const double *without_v = inverse_dynamics(s, NULL, s->a, NULL),
                 *zero_v = inverse_dynamics(s, zero, s->a, NULL);
    CLOSE(s, without_v, zero_v, n, weight, EXACT);
    const double *nothing = inverse_dynamics(s, NULL, NULL, NULL);
    CLOSE(s, nothing, gravity, n, weight, EXACT);

    double *a = take(s, n), *a_zero = take(s, n);
    FINE(s, pinion_forward_dynamics(s->m, s->w, s->q, NULL, NULL, NULL, a));
    FINE(s, pinion_forward_dynamics(s->m, s->w, s->q, zero, zero, NULL, a_zero));
    CLOSE(s, a, a_zero, n, 1, INVERTED);
}
TEST(inverse_dynamics_is_mass_matrix_and_bias)
{
    for_models(check_parts);
}

/* ---- energy ---- */

static void check_kinetic(subject *s)
{
    const int n = s->nv;
    double scale, kinetic[1], alone[1], rest[1], expected[1];
    const double *M = mass_matrix(s, &scale);
    double *momentum = take(s, n), potential;
    times(M, s->v, n, n, momentum);
    expected[0] = dot(momentum, s->v, n) / 2;
    FINE(s, pinion_energy(s->m, s->w, s->q, s->v, 0, kinetic, &potential));
    FINE(s, pinion_energy(s->m, s->w, s->q, s->v, 0, alone, NULL));
    FINE(s, pinion_energy(s->m, s->w, s->q, NULL, 0, rest, NULL));
    CLOSE(s, kinetic, expected, 1, 1e-3, EXACT);
    CLOSE(s, alone, expected, 1, 1e-3, EXACT);
    CHECK(rest[0] == 0);
}
TEST(kinetic_energy_is_half_vMv)
{
    for_models(check_kinetic);
}

/* potential energy, with or without springs */
static void potential_energy(subject *s, const double *q, const double *v, const void *context, double *out)
{
    (void)v;
    FINE(s, pinion_energy(s->m, s->w, q, NULL, *(const int *)context, NULL, out));
}

/* How far a rotation is from half a turn from where its spring is relaxed, rad. */
static double short_of_half_a_turn(const pinion_dof *dof, const double *quaternion)
{
    const double r[3] = {dof[0].rest, dof[1].rest, dof[2].rest}, angle = sqrt(dot(r, r, 3));
    const double share = angle > 0 ? sin(angle / 2) / angle : 0.5;
    return 2 * asin(fmin(1, fabs(cos(angle / 2) * quaternion[0] + share * dot(r, quaternion + 1, 3))));
}

/* The energy of a rotation's spring has a kink at half a turn. Differences reach two steps, with velocities of 1 rad/s:
 * a joint within that has no gradient by differences. What it exerts is known: its stiffness times the angle. */
static int rotations, kinked;
static void leave_out_kinks(subject *s, double *springs, const double *passive)
{
    pinion_joint_info joint;
    for (int i = 0; pinion_model_joint(s->m, i, &joint) == PINION_OK; i++) {
        if ((joint.type != PINION_JOINT_SPHERICAL && joint.type != PINION_JOINT_FREE) || joint.nv < 3) continue;
        const double missing = short_of_half_a_turn(joint.dof, s->q + joint.q_index), x = acos(-1) - missing;
        rotations++;
        if (missing > 2.01 * DERIVATIVE_STEP) continue;
        kinked++;
        const double *c = joint.dof[0].stiffness_curve, *tau = passive + joint.v_index;
        const double exerted = sqrt(dot(tau, tau, 3)), expected = x * (joint.dof[0].stiffness + x * (c[0] + x * c[1]));
        CLOSE(s, &exerted, &expected, 1, fmax(1, expected), EXACT);
        memcpy(springs + joint.v_index, tau, 3 * sizeof *tau);
    }
}

/* gravity is the gradient of the potential energy in the tangent space, and at rest what springs exert is
 * minus the gradient of theirs */
static void check_gradient(subject *s)
{
    const int n = s->nv, plain = 0, with_springs = 1;
    double *unit = take(s, n), *slope = take(s, n), *springs = take(s, n), *gravity = take(s, n),
           *passive = take(s, n);
    double level;
    FINE(s, pinion_gravity(s->m, s->w, s->q, gravity));
    FINE(s, pinion_passive_forces(s->m, s->w, s->q, NULL, passive));
    FINE(s, pinion_energy(s->m, s->w, s->q, NULL, 1, NULL, &level));
    for (int i = 0; i < n; i++) {
        double both;
        unit[i] = 1;
        derivative(s, unit, NULL, potential_energy, &plain, 1, &slope[i]);
        derivative(s, unit, NULL, potential_energy, &with_springs, 1, &both);
        springs[i] = slope[i] - both;
        unit[i] = 0;
    }
    const double size = fmax(10, fabs(level));
    CLOSE(s, slope, gravity, n, size, DERIVATIVE_TOLERANCE);
    leave_out_kinks(s, springs, passive);
    CLOSE(s, springs, passive, n, size, DERIVATIVE_TOLERANCE);
}
TEST(gravity_is_the_gradient_of_potential_energy)
{
    rotations = kinked = 0;
    for_models(check_gradient);
    /* uniform rotations are that near half a turn once in 4000 times: many more mean that something else is left out */
    printf("       %d of %d rotations are compared without differences\n", kinked, rotations);
    CHECK(kinked <= 3 + rotations / 1000);
}

static void total_energy(subject *s, const double *q, const double *v, const void *context, double *out)
{
    double kinetic, potential;
    (void)context;
    FINE(s, pinion_energy(s->m, s->w, q, v, 0, &kinetic, &potential));
    *out = kinetic + potential;
}

/* what the external forces of the state do: force times velocity, each in its link's frame */
static double external_power(subject *s)
{
    double power = 0, velocity[6];
    for (int i = 1; i < s->bodies; i++) {
        pinion_body_info body;
        FINE(s, pinion_model_body(s->m, i, &body));
        FINE(s, pinion_frame_velocity(s->m, s->w, s->q, s->v, body.link, PINION_REFERENCE_LOCAL, velocity));
        power += dot(velocity, s->f_ext + 6 * i, 6);
    }
    return power;
}

/* d(T + V)/dt along the motion is the power of the joint forces that it takes, and of the forces from outside
 */
static void check_power(subject *s)
{
    double rate[1], expected[1], kinetic, potential;
    FINE(s, pinion_energy(s->m, s->w, s->q, s->v, 0, &kinetic, &potential));
    derivative(s, s->v, s->a, total_energy, NULL, 1, rate);
    const double scale = 100 * fmax(1, kinetic + fabs(potential));
    expected[0] = dot(inverse_dynamics(s, s->v, s->a, NULL), s->v, s->nv);
    CLOSE(s, rate, expected, 1, scale, DERIVATIVE_TOLERANCE);
    expected[0] = dot(inverse_dynamics(s, s->v, s->a, s->f_ext), s->v, s->nv) + external_power(s);
    CLOSE(s, rate, expected, 1, scale, DERIVATIVE_TOLERANCE);
}
TEST(energy_changes_by_the_power_of_forces)
{
    for_models(check_power);
}

/* ---- forces from outside ---- */

/* a force on any frame is worth J'f, and several add up */
static void check_forces(subject *s)
{
    const int n = s->nv;
    double *f_ext = take(s, 6 * s->bodies), *J = take(s, 6 * n), *push = take(s, n), *expected = take(s, n);
    memcpy(expected, inverse_dynamics(s, s->v, s->a, NULL), (size_t)n * sizeof *expected);
    double scale;
    mass_matrix(s, &scale);
    for (int k = 0; k < 3; k++) {
        const int frame = (int)(check_uniform(&s->random) * s->frames);
        const double *force = take_random(s, 6, 5);
        FINE(s, pinion_force_on_frame(s->m, frame, force, f_ext));
        FINE(s, pinion_jacobian(s->m, s->w, s->q, frame, PINION_REFERENCE_LOCAL, J));
        times_transposed(J, force, 6, n, push);
        for (int i = 0; i < n; i++) expected[i] -= push[i];
        const double *tau = inverse_dynamics(s, s->v, s->a, f_ext);
        CLOSE(s, tau, expected, n, fmax(scale, 10), EXACT);
    }
    /* row 0, the base, is ignored */
    for (int i = 0; i < 6; i++) f_ext[i] = NAN;
    const double *tau = inverse_dynamics(s, s->v, s->a, f_ext);
    CLOSE(s, tau, expected, n, fmax(scale, 10), EXACT);
}
TEST(a_force_on_a_frame_is_worth_its_jacobian)
{
    for_models(check_forces);
}

/* ---- Kane: forces of every link, projected on the coordinates ---- */

/* R I R' for the six numbers of an inertia */
static void inertia_in_world(const double I[6], const double R[9], double out[9])
{
    const double full[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]};
    double half[9], turned[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) turned[3 * i + j] = R[3 * j + i];
    times33(R, full, half);
    times33(half, turned, out);
}

/* adds J'F for what a link's inertia needs: F = [I alpha + w x I w; m (a_c - g)] at its centre of mass */
static void add_link_forces(subject *s, int index, double *tau)
{
    const int n = s->nv;
    pinion_link_info link;
    double position[3], R[9], v[6], a[6], g[3], arm[3], t[3], I[9], force[6], angular[3], *J = take(s, 6 * n);
    FINE(s, pinion_model_link(s->m, index, &link));
    if (link.body == 0) return;
    pinion_model_gravity(s->m, g);
    FINE(s, pinion_frame_pose(s->m, s->w, s->q, index, position, R));
    FINE(s, pinion_frame_velocity(s->m, s->w, s->q, s->v, index, PINION_REFERENCE_WORLD_ALIGNED, v));
    FINE(s, pinion_frame_acceleration(s->m, s->w, s->q, s->v, s->a, index, PINION_REFERENCE_WORLD_ALIGNED,
                                      PINION_ACCELERATION_CLASSICAL, a));
    FINE(s, pinion_jacobian(s->m, s->w, s->q, index, PINION_REFERENCE_WORLD_ALIGNED, J));

    /* acceleration of the centre of mass */
    double a_c[3], w_arm[3];
    rotate(R, link.inertia.com, arm);
    cross(v, arm, w_arm);
    cross(v, w_arm, t);
    cross(a, arm, a_c);
    for (int k = 0; k < 3; k++) force[3 + k] = link.inertia.mass * (a[3 + k] + a_c[k] + t[k] - g[k]);

    /* moment about the centre of mass, then about the link's origin */
    inertia_in_world(link.inertia.inertia, R, I);
    rotate(I, v, angular);
    cross(v, angular, t);
    rotate(I, a, force);
    for (int k = 0; k < 3; k++) force[k] += t[k];
    cross(arm, force + 3, t);
    for (int k = 0; k < 3; k++) force[k] += t[k];

    double *part = take(s, n);
    times_transposed(J, force, 6, n, part);
    for (int i = 0; i < n; i++) tau[i] += part[i];
}

/* adds G^2 J a of every rotor, on the coordinate that moves it */
static void add_rotor_forces(subject *s, double *tau)
{
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        pinion_joint_info joint, source;
        FINE(s, pinion_model_joint(s->m, i, &joint));
        source = joint;
        double factor = 1;
        while (source.leader >= 0) {
            factor *= source.multiplier;
            FINE(s, pinion_model_joint(s->m, source.leader, &source));
        }
        for (int d = 0; d < joint.dof_count; d++) {
            const double reflected =
                joint.dof[d].gear_ratio * joint.dof[d].gear_ratio * joint.dof[d].rotor_inertia;
            tau[source.v_index + d] += factor * factor * reflected * s->a[source.v_index + d];
        }
    }
}

static void check_kane(subject *s)
{
    double scale, *expected = take(s, s->nv);
    mass_matrix(s, &scale);
    for (int i = 0; i < pinion_model_link_count(s->m); i++) add_link_forces(s, i, expected);
    add_rotor_forces(s, expected);
    const double *tau = inverse_dynamics(s, s->v, s->a, NULL);
    CLOSE(s, tau, expected, s->nv, fmax(scale, 10), EXACT);
}
TEST(inverse_dynamics_is_what_every_link_needs)
{
    for_models(check_kane);
}

/* ---- edits ---- */

/* gravity enters linearly: twice as much of it doubles the weights, and none leaves none */
static void check_gravity_edit(subject *s)
{
    const int n = s->nv;
    double g[3], back[3], *once = take(s, n), *twice = take(s, n), *none = take(s, n), *zero = take(s, n);
    pinion_model_gravity(s->m, g);
    FINE(s, pinion_gravity(s->m, s->w, s->q, once));
    pinion_model *copy = pinion_model_copy(s->m);
    for (int k = 0; k < 3; k++) g[k] *= 2;
    FINE(s, pinion_model_set_gravity(copy, g));
    pinion_model_gravity(copy, back);
    CHECK(!memcmp(back, g, sizeof g));
    FINE(s, pinion_gravity(copy, s->w, s->q, twice));
    for (int i = 0; i < n; i++) twice[i] /= 2;
    CLOSE(s, twice, once, n, 1, EXACT);

    const double off[3] = {0, 0, 0};
    double potential, scale;
    FINE(s, pinion_model_set_gravity(copy, off));
    FINE(s, pinion_gravity(copy, s->w, s->q, none));
    FINE(s, pinion_energy(copy, s->w, s->q, NULL, 0, NULL, &potential));
    CLOSE(s, none, zero, n, 1, EXACT);
    CHECK_NEAR(potential, 0, EXACT);

    /* tau without gravity + weights = tau, in any direction of gravity */
    for (int k = 0; k < 3; k++) g[k] = spread(s, 10);
    mass_matrix(s, &scale);
    double *sum = take(s, n), *weight = take(s, n), *tau = take(s, n);
    FINE(s, pinion_inverse_dynamics(copy, s->w, s->q, s->v, s->a, s->f_ext, sum));
    FINE(s, pinion_model_set_gravity(copy, g));
    FINE(s, pinion_gravity(copy, s->w, s->q, weight));
    FINE(s, pinion_inverse_dynamics(copy, s->w, s->q, s->v, s->a, s->f_ext, tau));
    for (int i = 0; i < n; i++) sum[i] += weight[i];
    CLOSE(s, tau, sum, n, fmax(scale, 10), EXACT);
    pinion_model_free(copy);

    /* the original is as it was */
    double *again = take(s, n);
    FINE(s, pinion_gravity(s->m, s->w, s->q, again));
    CHECK(!memcmp(again, once, (size_t)n * sizeof *again));
}
TEST(gravity_can_be_edited)
{
    for_models(check_gravity_edit);
}

/* ---- large and bad numbers ---- */

/* Whole turns of a joint change nothing but the rounding of the angle, which is eps times the turns: 1000
 * turns, so that 6283 eps = 1.4e-12 on the angle meet the tolerance. */
static void check_turns(subject *s)
{
    double *q = take_copy(s, s->q, s->nq), *tau = take(s, s->nv), scale;
    for (int i = 0; i < s->nq; i++) q[i] += 2 * 3.14159265358979323846 * (i % 2 ? 1000 : -1000);
    mass_matrix(s, &scale);
    FINE(s, pinion_inverse_dynamics(s->m, s->w, q, s->v, s->a, NULL, tau));
    const double *expected = inverse_dynamics(s, s->v, s->a, NULL);
    CLOSE(s, tau, expected, s->nv, fmax(scale, 10), 1e-9);
}
TEST(whole_turns_change_nothing)
{
    for_random_chains(1, 1, check_turns);
}

/* a number that is none goes through to the answer, and nothing else happens */
static void check_nan(subject *s)
{
    const int n = s->nv, at = (int)(check_uniform(&s->random) * n);
    double *tau = take(s, n), *a = take(s, n), *M = take_matrix(s, n, n);
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        double *q = take_copy(s, s->q, s->nq), *v = take_copy(s, s->v, n);
        q[at] = bad[i];
        FINE(s, pinion_inverse_dynamics(s->m, s->w, q, s->v, s->a, NULL, tau));
        CHECK(isnan(dot(tau, tau, n)));
        FINE(s, pinion_mass_matrix(s->m, s->w, q, M));
        const pinion_status status = pinion_forward_dynamics(s->m, s->w, q, s->v, s->tau, NULL, a);
        CHECK(status == PINION_ERR_SINGULAR || (status == PINION_OK && !isfinite(dot(a, a, n))));
        v[at] = bad[i];
        FINE(s, pinion_inverse_dynamics(s->m, s->w, s->q, v, s->a, NULL, tau));
        CHECK(!isfinite(dot(tau, tau, n)));
        CHECK_STATUS(pinion_forward_dynamics(s->m, s->w, s->q, v, s->tau, NULL, a), PINION_OK);
        CHECK(!isfinite(dot(a, a, n)));
    }
    /* and leaves no trace */
    const double *again = inverse_dynamics(s, s->v, s->a, NULL);
    CHECK(isfinite(dot(again, again, n)));
}
TEST(what_is_not_finite_goes_through)
{
    for_random_chains(1, 1, check_nan);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(forward_undoes_inverse);
    RUN(mass_matrix_is_columns_of_inverse_dynamics);
    RUN(mass_matrix_is_symmetric_and_positive_definite);
    RUN(inverse_dynamics_is_mass_matrix_and_bias);
    RUN(kinetic_energy_is_half_vMv);
    RUN(gravity_is_the_gradient_of_potential_energy);
    RUN(energy_changes_by_the_power_of_forces);
    RUN(a_force_on_a_frame_is_worth_its_jacobian);
    RUN(inverse_dynamics_is_what_every_link_needs);
    RUN(gravity_can_be_edited);
    RUN(whole_turns_change_nothing);
    RUN(what_is_not_finite_goes_through);
    return CHECK_END();
}
