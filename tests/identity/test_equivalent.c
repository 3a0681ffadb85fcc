/* Models against the same mechanism built in another way: out of revolute and prismatic joints alone (which
 * the oracle tests compare with another library), with fixed joints merged by hand, with a load made part of
 * its link.
 *
 * Tolerance: the two compute the same numbers through different transforms; the differences are rounding,
 * thousands of eps of the largest number that goes in. Where three angles stand for a rotation, rates grow by
 * 1/cos of the middle one, and states where that is below 0.2 are drawn again: TOLERANCE has room for the
 * factor of 25 in accelerations. */
#include "atoms.h"

#define TOLERANCE 1e-11

/* G^2 J on the diagonal, of followers on their leader's place */
static double *rotor_diagonal(subject *s)
{
    double *diagonal = take(s, s->nv);
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        pinion_joint_info joint, source;
        double factor = 1;
        FINE(s, pinion_model_joint(s->m, i, &joint));
        for (source = joint; source.leader >= 0;) {
            factor *= source.multiplier;
            FINE(s, pinion_model_joint(s->m, source.leader, &source));
        }
        for (int d = 0; d < joint.dof_count; d++) {
            const double speed = factor * joint.dof[d].gear_ratio;
            diagonal[source.v_index + d] += speed * speed * joint.dof[d].rotor_inertia;
        }
    }
    return diagonal;
}

/* ---- the comparison; m is the subject's model or an edited copy of it ---- */

static void same_forces(subject *s, const pinion_model *m, const atoms *t)
{
    const int n = s->nv, N = t->nv;
    const double *rotors = rotor_diagonal(s);
    double *M = take_matrix(s, n, n), *Mt = take_matrix(s, N, N), *half = take_matrix(s, N, n);
    double *expected = take_matrix(s, n, n), *sum = take(s, n);
    FINE(s, pinion_mass_matrix(m, s->w, s->q, M));
    FINE(s, pinion_mass_matrix(t->m, t->w, t->q, Mt));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < N; k++) half[i * n + j] += Mt[i * N + k] * t->B[k * n + j];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            for (int k = 0; k < N; k++) expected[i * n + j] += t->B[k * n + i] * half[k * n + j];
        expected[i * n + i] += rotors[i];
    }
    CLOSE(s, M, expected, n * n, 1e-2, TOLERANCE);

    /* external forces go to the body of the same link */
    double *f_ext = take(s, 6 * t->bodies), *tau = take(s, n), *parts = take(s, N);
    for (int i = 1; i < s->bodies; i++) {
        pinion_body_info body;
        pinion_link_info link;
        FINE(s, pinion_model_body(m, i, &body));
        FINE(s, pinion_model_link(t->m, pinion_model_find_link(t->m, body.name), &link));
        memcpy(f_ext + 6 * link.body, s->f_ext + 6 * i, 6 * sizeof *f_ext);
    }
    FINE(s, pinion_inverse_dynamics(m, s->w, s->q, s->v, s->a, s->f_ext, tau));
    FINE(s, pinion_inverse_dynamics(t->m, t->w, t->q, t->v, t->a, f_ext, parts));
    const double scale = fmax(largest(parts, N), largest(M, n * n) * fmax(1, largest(t->a, N)));
    times_transposed(t->B, parts, N, n, sum);
    for (int i = 0; i < n; i++) sum[i] += rotors[i] * s->a[i];
    CLOSE(s, tau, sum, n, scale, TOLERANCE);

    FINE(s, pinion_bias(m, s->w, s->q, s->v, tau));
    FINE(s, pinion_inverse_dynamics(t->m, t->w, t->q, t->v, t->c, NULL, parts));
    times_transposed(t->B, parts, N, n, sum);
    CLOSE(s, tau, sum, n, scale, TOLERANCE);

    FINE(s, pinion_gravity(m, s->w, s->q, tau));
    FINE(s, pinion_gravity(t->m, t->w, t->q, parts));
    times_transposed(t->B, parts, N, n, sum);
    CLOSE(s, tau, sum, n, fmax(1, largest(parts, N)), TOLERANCE);

    /* forward dynamics: the accelerations that give these forces */
    double *a = take(s, n), *Ba = take(s, N);
    FINE(s, pinion_forward_dynamics(m, s->w, s->q, s->v, s->tau, s->f_ext, a));
    times(t->B, a, N, n, Ba);
    for (int i = 0; i < N; i++) Ba[i] += t->c[i];
    FINE(s, pinion_inverse_dynamics(t->m, t->w, t->q, t->v, Ba, f_ext, parts));
    times_transposed(t->B, parts, N, n, sum);
    for (int i = 0; i < n; i++) sum[i] += rotors[i] * a[i];
    CLOSE(s, sum, s->tau, n, largest(M, n * n) * fmax(1, largest(Ba, N)), TOLERANCE);
}

static void same_totals(subject *s, const pinion_model *m, const atoms *t)
{
    const double *rotors = rotor_diagonal(s);
    double x[14], y[14];
    FINE(s, pinion_center_of_mass(m, s->w, s->q, s->v, x, x + 3));
    FINE(s, pinion_center_of_mass(t->m, t->w, t->q, t->v, y, y + 3));
    FINE(s, pinion_momentum(m, s->w, s->q, s->v, x + 6));
    FINE(s, pinion_momentum(t->m, t->w, t->q, t->v, y + 6));
    FINE(s, pinion_energy(m, s->w, s->q, s->v, 0, x + 12, x + 13));
    FINE(s, pinion_energy(t->m, t->w, t->q, t->v, 0, y + 12, y + 13));
    for (int i = 0; i < s->nv; i++) y[12] += rotors[i] * s->v[i] * s->v[i] / 2;
    CLOSE(s, x, y, 6, 1, TOLERANCE);
    CLOSE(s, x + 6, y + 6, 8, 10, TOLERANCE);
    CHECK_NEAR(pinion_model_mass(t->m), pinion_model_mass(m), 1e-12 * fmax(1, pinion_model_mass(m)));
    CHECK_NEAR(pinion_model_fixed_mass(t->m), pinion_model_fixed_mass(m), 1e-12 * 10);
}

static void same_frames(subject *s, const pinion_model *m, const atoms *t)
{
    const int n = s->nv, N = t->nv;
    double *J = take(s, 6 * n), *JB = take(s, 6 * n), *Jt = take(s, 6 * N);
    for (int f = 0; f < s->frames; f++) {
        pinion_frame_info info;
        double x[12], y[12];
        FINE(s, pinion_model_frame(m, f, &info));
        const int g = pinion_model_find_frame(t->m, info.name);
        FINE(s, pinion_frame_pose(m, s->w, s->q, f, x, x + 3));
        FINE(s, pinion_frame_pose(t->m, t->w, t->q, g, y, y + 3));
        CLOSE(s, x, y, 12, 1, TOLERANCE);
        const pinion_reference reference = (pinion_reference)(f % 3);
        FINE(s, pinion_jacobian(m, s->w, s->q, f, reference, J));
        FINE(s, pinion_jacobian(t->m, t->w, t->q, g, reference, Jt));
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < n; j++) {
                JB[i * n + j] = 0;
                for (int k = 0; k < N; k++) JB[i * n + j] += Jt[i * N + k] * t->B[k * n + j];
            }
        CLOSE(s, J, JB, 6 * n, 1, TOLERANCE);
        FINE(s, pinion_frame_velocity(m, s->w, s->q, s->v, f, reference, x));
        FINE(s, pinion_frame_velocity(t->m, t->w, t->q, t->v, g, reference, y));
        CLOSE(s, x, y, 6, 1, TOLERANCE);
        const pinion_acceleration kind = f % 2 ? PINION_ACCELERATION_SPATIAL : PINION_ACCELERATION_CLASSICAL;
        FINE(s, pinion_frame_acceleration(m, s->w, s->q, s->v, s->a, f, reference, kind, x));
        FINE(s, pinion_frame_acceleration(t->m, t->w, t->q, t->v, t->a, g, reference, kind, y));
        CLOSE(s, x, y, 6, fmax(1, largest(t->a, N)), TOLERANCE);
    }
}

static void same_everything(subject *s, const pinion_model *m, atoms *t)
{
    if (!t->m) return;
    for (int tries = 0; tries < 50; tries++) {
        atoms_state(s, t);
        if (t->least > 0.2) break;
        FINE(s, pinion_random(s->m, s->random += 17, s->q));
    }
    CHECK(t->least > 0.2);
    same_forces(s, m, t);
    same_totals(s, m, t);
    same_frames(s, m, t);
}

/* ---- the tests ---- */

static void check_atoms(subject *s)
{
    atoms t;
    atoms_build(s, 0, 0, NULL, &t);
    same_everything(s, s->m, &t);
    atoms_free(&t);
}
TEST(every_joint_is_a_chain_of_simple_ones)
{
    for_models(check_atoms);
}

static void check_merged(subject *s)
{
    atoms t;
    atoms_build(s, 1, 0, NULL, &t);
    same_everything(s, s->m, &t);
    atoms_free(&t);
}
TEST(fixed_joints_merge_as_by_hand)
{
    for_models(check_merged);
}

/* some body: two rods and a ball, off the axes */
static pinion_inertia some_load(subject *s)
{
    const double x = spread(s, 0.1), y = spread(s, 0.1), mass = 2 + spread(s, 1.5);
    const pinion_inertia load = {
        mass,
        {x, y, 0.2 + spread(s, 0.1)},
        {0.02 * mass, 0.002 * mass, -0.001 * mass, 0.03 * mass, 0.003 * mass, 0.025 * mass}};
    return load;
}

/* a load on any link, welded ones too; another takes its place; taken off, the model is as before */
static void check_payload(subject *s)
{
    const int links = pinion_model_link_count(s->m), link = (int)(check_uniform(&s->random) * links);
    const pinion_inertia first = some_load(s), second = some_load(s), none = {0};
    pinion_model *copy = pinion_model_copy(s->m);
    atoms t;
    FINE(s, pinion_model_set_payload(copy, link, &first));
    FINE(s, pinion_model_set_payload(copy, link, &second));
    atoms_build(s, (int)(s->random % 2), link, &second, &t);
    same_everything(s, copy, &t);
    atoms_free(&t);

    double *before = take(s, s->nv), *after = take(s, s->nv);
    FINE(s, pinion_model_set_payload(copy, link, &none));
    FINE(s, pinion_inverse_dynamics(s->m, s->w, s->q, s->v, s->a, s->f_ext, before));
    FINE(s, pinion_inverse_dynamics(copy, s->w, s->q, s->v, s->a, s->f_ext, after));
    CLOSE(s, after, before, s->nv, 10, 1e-12);
    CHECK_NEAR(pinion_model_mass(copy), pinion_model_mass(s->m), 1e-12 * pinion_model_mass(s->m));
    pinion_model_free(copy);
}
TEST(a_payload_is_part_of_its_link)
{
    for_models(check_payload);
}

/* loads on all links at once */
static void check_payloads(subject *s)
{
    const int links = pinion_model_link_count(s->m);
    const pinion_inertia load = some_load(s);
    pinion_model *copy = pinion_model_copy(s->m);
    for (int i = 0; i < links; i++) FINE(s, pinion_model_set_payload(copy, i, &load));
    /* inverse dynamics is linear in the inertias: the loads add up one by one */
    double *sum = take(s, s->nv), *one = take(s, s->nv), *none = take(s, s->nv), *all = take(s, s->nv);
    FINE(s, pinion_inverse_dynamics(s->m, s->w, s->q, s->v, s->a, NULL, none));
    FINE(s, pinion_inverse_dynamics(copy, s->w, s->q, s->v, s->a, NULL, all));
    memcpy(sum, none, (size_t)s->nv * sizeof *sum);
    double scale = largest(all, s->nv);
    for (int i = 0; i < links; i++) {
        pinion_model *single = pinion_model_copy(s->m);
        FINE(s, pinion_model_set_payload(single, i, &load));
        FINE(s, pinion_inverse_dynamics(single, s->w, s->q, s->v, s->a, NULL, one));
        for (int k = 0; k < s->nv; k++) sum[k] += one[k] - none[k];
        scale = fmax(scale, largest(one, s->nv));
        pinion_model_free(single);
    }
    CLOSE(s, all, sum, s->nv, scale, TOLERANCE);
    pinion_model_free(copy);
}
TEST(payloads_add_up)
{
    for_random_trees(1, 1, check_payloads);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(every_joint_is_a_chain_of_simple_ones);
    RUN(fixed_joints_merge_as_by_hand);
    RUN(a_payload_is_part_of_its_link);
    RUN(payloads_add_up);
    return CHECK_END();
}
