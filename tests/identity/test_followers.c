/* Joints that follow others, and passive forces.
 *
 * A model with followers equals the same model with independent joints, moved along q_t = G q + g, v_t = G v:
 * M = G'M_t G, tau = G'tau_t. Tolerances: EXACT for rounding in another order, thousands of eps of the scale;
 * what goes through the factorization of M loses the digits of its condition. */
#include "identity.h"

#define EXACT 1e-12
#define INVERTED 1e-9

/* ---- a random mechanism with followers, built twice from one builder ---- */

typedef struct pair {
    subject s;         /* followers follow */
    subject t;         /* followers are ordinary joints */
    double *G, *shift; /* [t.nv][s.nv], [t.nq] */
} pair;

static double between(uint64_t *r, double low, double high)
{
    return check_between(r, low, high);
}

static void add_random_joint(pinion_builder *b, int i, int joints, uint64_t *r)
{
    static const pinion_joint_type types[] = {PINION_JOINT_REVOLUTE, PINION_JOINT_PRISMATIC, PINION_JOINT_HELICAL,
                                              PINION_JOINT_CONTINUOUS};
    char name[32], parent[32], child[32], leader[32];
    pinion_error err = {0};
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def joint = pinion_joint_def_default();
    snprintf(name, sizeof name, "joint%d", i);
    snprintf(child, sizeof child, "link%d", i);
    snprintf(parent, sizeof parent, "link%d", (int)(check_uniform(r) * i));
    link.name = child;
    link.inertia = (pinion_inertia){between(r, 0.5, 2),
                                    {between(r, -0.1, 0.1), between(r, -0.1, 0.1), 0.1},
                                    {0.02, 0.001, 0.002, 0.03, -0.001, 0.025}};
    joint.name = name;
    joint.type = types[(int)(check_uniform(r) * 4)];
    joint.parent = parent;
    joint.child = child;
    for (int k = 0; k < 3; k++) joint.parent_pose.position[k] = between(r, -0.3, 0.3);
    /* a turn by the angle of a 3-4-5 triangle */
    const double turned[9] = {0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1};
    memcpy(joint.parent_pose.rotation, turned, sizeof turned);
    for (int k = 0; k < 3; k++) joint.axis[k] = between(r, -1, 1);
    joint.pitch = joint.type == PINION_JOINT_HELICAL ? between(r, -0.2, 0.2) : 0;
    joint.dof[0].rotor_inertia = 1e-4;
    joint.dof[0].gear_ratio = between(r, -20, 20);
    joint.dof[0].damping = between(r, 0, 1);
    joint.dof[0].friction_positive = between(r, 0, 1);
    joint.dof[0].friction_negative = between(r, 0, 1);
    joint.dof[0].stiffness = between(r, 0, 10);
    joint.dof[0].rest = between(r, -1, 1);
    /* every second joint but the last follows: an earlier one, a later one, or one that follows itself */
    if (i % 2 == 0 && i < joints) {
        snprintf(leader, sizeof leader, "joint%d", i % 4 == 0 ? i - 2 : i % 6 == 0 ? i + 1 : i - 1);
        joint.mimic = leader;
        joint.multiplier = between(r, -2, 2);
        joint.offset = between(r, -0.5, 0.5);
    }
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
}

/* 0 when a model could not be built */
static int pair_new(pair *p, int joints, int free_root, uint64_t seed)
{
    uint64_t r = seed;
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("followers");
    pinion_link_def base = pinion_link_def_default();
    pinion_load_options options = pinion_load_options_default();
    base.name = "link0";
    base.inertia = (pinion_inertia){3, {0.1, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1}};
    CHECK_STATUS(pinion_builder_add_link(b, &base, &err), PINION_OK);
    for (int i = 1; i <= joints; i++) add_random_joint(b, i, joints, &r);
    options.root = free_root ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
    pinion_model *follow = pinion_builder_build(b, &options, &err);
    options.mimic = PINION_MIMIC_INDEPENDENT;
    pinion_model *independent = pinion_builder_build(b, &options, &err);
    pinion_builder_free(b);
    if (!follow || !independent) CHECK_FAIL("%s", err.message);
    if (!follow || !independent) return 0;
    char name[96];
    snprintf(name, sizeof name, "%d joints, free %d, seed %llu", joints, free_root, (unsigned long long)seed);
    subject_init(&p->s, follow, name, seed);
    subject_init(&p->t, independent, name, seed);
    return 1;
}

/* the state of the one, and that of the other along it */
static void pair_state(pair *p)
{
    subject *s = &p->s, *t = &p->t;
    new_state(s);
    new_state(t);
    p->G = take_matrix(s, t->nv, s->nv);
    for (int i = 0; i < pinion_model_joint_count(t->m); i++) {
        pinion_joint_info to, from;
        FINE(t, pinion_model_joint(t->m, i, &to));
        FINE(s, pinion_model_joint(s->m, pinion_model_find_joint(s->m, to.name), &from));
        CHECK(to.leader == -1);
        double factor = 1, shift = 0;
        while (from.leader >= 0) {
            CHECK(from.nq == 0 && from.nv == 0);
            shift += factor * from.offset;
            factor *= from.multiplier;
            FINE(s, pinion_model_joint(s->m, from.leader, &from));
        }
        for (int d = 0; d < to.nq; d++) t->q[to.q_index + d] = factor * s->q[from.q_index + d] + shift;
        for (int d = 0; d < to.nv; d++) p->G[(to.v_index + d) * s->nv + from.v_index + d] = factor;
    }
    times(p->G, s->v, t->nv, s->nv, t->v);
    times(p->G, s->a, t->nv, s->nv, t->a);
    memcpy(t->f_ext, s->f_ext, 6 * (size_t)s->bodies * sizeof *t->f_ext);
}

/* G'x */
static double *projected(pair *p, const double *x)
{
    double *out = take(&p->s, p->s.nv);
    times_transposed(p->G, x, p->t.nv, p->s.nv, out);
    return out;
}

static void check_forces(pair *p)
{
    subject *s = &p->s, *t = &p->t;
    const int n = s->nv, N = t->nv;
    double *M = take_matrix(s, n, n), *Mt = take_matrix(t, N, N), *GMG = take_matrix(s, n, n);
    FINE(s, pinion_mass_matrix(s->m, s->w, s->q, M));
    FINE(t, pinion_mass_matrix(t->m, t->w, t->q, Mt));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < N; k++)
                for (int l = 0; l < N; l++)
                    GMG[i * n + j] += p->G[k * n + i] * Mt[k * N + l] * p->G[l * n + j];
    const double scale = fmax(1, largest(Mt, N * N));
    CLOSE(s, M, GMG, n * n, scale, EXACT);

    double *tau = take(s, n), *full = take(t, N);
    for (int forces = 0; forces < 2; forces++) {
        FINE(s, pinion_inverse_dynamics(s->m, s->w, s->q, s->v, s->a, forces ? s->f_ext : NULL, tau));
        FINE(t, pinion_inverse_dynamics(t->m, t->w, t->q, t->v, t->a, forces ? t->f_ext : NULL, full));
        CLOSE(s, tau, projected(p, full), n, fmax(scale, largest(full, N)), EXACT);
    }
    FINE(s, pinion_bias(s->m, s->w, s->q, s->v, tau));
    FINE(t, pinion_bias(t->m, t->w, t->q, t->v, full));
    CLOSE(s, tau, projected(p, full), n, fmax(scale, largest(full, N)), EXACT);
    FINE(s, pinion_gravity(s->m, s->w, s->q, tau));
    FINE(t, pinion_gravity(t->m, t->w, t->q, full));
    CLOSE(s, tau, projected(p, full), n, fmax(scale, largest(full, N)), EXACT);
    FINE(s, pinion_passive_forces(s->m, s->w, s->q, s->v, tau));
    FINE(t, pinion_passive_forces(t->m, t->w, t->q, t->v, full));
    CLOSE(s, tau, projected(p, full), n, fmax(scale, largest(full, N)), EXACT);

    /* the other way round */
    for (int forces = 0; forces < 2; forces++) {
        const double *f = forces ? s->f_ext : NULL;
        double *a = take(s, n);
        FINE(s, pinion_inverse_dynamics(s->m, s->w, s->q, s->v, s->a, f, tau));
        FINE(s, pinion_forward_dynamics(s->m, s->w, s->q, s->v, tau, f, a));
        CLOSE(s, a, s->a, n, 1, INVERTED);
    }
}

static void check_kinematics(pair *p)
{
    subject *s = &p->s, *t = &p->t;
    const int n = s->nv, N = t->nv;
    double x[14], y[14], *J = take(s, 6 * n), *Jt = take(t, 6 * N), *JG = take(s, 6 * n);
    for (int f = 0; f < s->frames; f++) {
        pinion_frame_info info;
        FINE(s, pinion_model_frame(s->m, f, &info));
        const int g = pinion_model_find_frame(t->m, info.name);
        const pinion_reference reference = (pinion_reference)(f % 3);
        FINE(s, pinion_frame_pose(s->m, s->w, s->q, f, x, x + 3));
        FINE(t, pinion_frame_pose(t->m, t->w, t->q, g, y, y + 3));
        CLOSE(s, x, y, 12, 1, EXACT);
        FINE(s, pinion_frame_velocity(s->m, s->w, s->q, s->v, f, reference, x));
        FINE(t, pinion_frame_velocity(t->m, t->w, t->q, t->v, g, reference, y));
        CLOSE(s, x, y, 6, 1, EXACT);
        FINE(s, pinion_frame_acceleration(s->m, s->w, s->q, s->v, s->a, f, reference,
                                          PINION_ACCELERATION_CLASSICAL, x));
        FINE(t, pinion_frame_acceleration(t->m, t->w, t->q, t->v, t->a, g, reference,
                                          PINION_ACCELERATION_CLASSICAL, y));
        CLOSE(s, x, y, 6, 1, EXACT);
        FINE(s, pinion_jacobian(s->m, s->w, s->q, f, reference, J));
        FINE(t, pinion_jacobian(t->m, t->w, t->q, g, reference, Jt));
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < n; j++) {
                JG[i * n + j] = 0;
                for (int k = 0; k < N; k++) JG[i * n + j] += Jt[i * N + k] * p->G[k * n + j];
            }
        CLOSE(s, J, JG, 6 * n, 1, EXACT);
    }
    FINE(s, pinion_center_of_mass(s->m, s->w, s->q, s->v, x, x + 3));
    FINE(t, pinion_center_of_mass(t->m, t->w, t->q, t->v, y, y + 3));
    FINE(s, pinion_momentum(s->m, s->w, s->q, s->v, x + 6));
    FINE(t, pinion_momentum(t->m, t->w, t->q, t->v, y + 6));
    CLOSE(s, x, y, 12, 1, EXACT);
    for (int passive = 0; passive < 2; passive++) {
        FINE(s, pinion_energy(s->m, s->w, s->q, s->v, passive, x, x + 1));
        FINE(t, pinion_energy(t->m, t->w, t->q, t->v, passive, y, y + 1));
        CLOSE(s, x, y, 2, 10, EXACT);
    }
}

TEST(followers_project_the_independent_model)
{
    for (int joints = 2; joints <= 20; joints++)
        for (int free_root = 0; free_root < 2; free_root++) {
            pair p;
            if (!pair_new(&p, joints, free_root, check_seed + (uint64_t)joints)) continue;
            CHECK(p.t.nv - p.s.nv == (joints - 1) / 2);
            for (int state = 0; state < 3; state++) {
                pair_state(&p);
                check_forces(&p);
                check_kinematics(&p);
            }
            subject_free(&p.s);
            subject_free(&p.t);
        }
}

/* ---- passive forces ---- */

/* Of a ball: stiffness times the rotation vector from where it is relaxed. Of a free body also along its parent's axes.
 */
static void rotation_springs(const pinion_joint_info *joint, const double *q, double *force)
{
    const pinion_dof *dof = joint->dof;
    const double r[3] = {dof[0].rest, dof[1].rest, dof[2].rest};
    const double half = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) / 2;
    const double c = cos(half), s = half > 0 ? sin(half) / (2 * half) : 0.5;
    /* the conjugate of where it is relaxed, times q */
    double w = c * q[0] + s * (r[0] * q[1] + r[1] * q[2] + r[2] * q[3]), u[3], size;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        u[i] = c * q[1 + i] - s * r[i] * q[0] - s * (r[j] * q[1 + k] - r[k] * q[1 + j]);
    }
    size = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int i = 0; i < 3 && size > 0; i++)
        force[i] -= dof[0].stiffness * 2 * atan2(size, fabs(w)) * (w < 0 ? -1 : 1) * u[i] / size;
    if (joint->type != PINION_JOINT_FREE) return;
    for (int i = 0; i < 3; i++) { /* a column of the rotation matrix a component */
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        double column[3];
        column[i] = 1 - 2 * (q[1 + j] * q[1 + j] + q[1 + k] * q[1 + k]);
        column[j] = 2 * (q[1 + i] * q[1 + j] + q[0] * q[1 + k]);
        column[k] = 2 * (q[1 + i] * q[1 + k] - q[0] * q[1 + j]);
        for (int d = 0; d < 3; d++) force[3 + i] -= column[d] * dof[3 + d].stiffness * (q[4 + d] - dof[3 + d].rest);
    }
}

/* -d v, Coulomb friction against the motion, a spring on the coordinate; of followers times their multiplier
 */
static void passive_of_joint(subject *s, int index, double *tau)
{
    pinion_joint_info joint, source;
    double factor = 1, shift = 0, force[6] = {0};
    FINE(s, pinion_model_joint(s->m, index, &joint));
    if (joint.type == PINION_JOINT_FIXED) return;
    for (source = joint; source.leader >= 0;) {
        shift += factor * source.offset;
        factor *= source.multiplier;
        FINE(s, pinion_model_joint(s->m, source.leader, &source));
    }
    const double *q = s->q + source.q_index, *v = s->v + source.v_index;
    for (int d = 0; d < joint.dof_count; d++) {
        const pinion_dof *dof = &joint.dof[d];
        const double speed = factor * v[d];
        force[d] = -dof->damping * speed;
        if (speed > 0) force[d] -= dof->friction_positive;
        if (speed < 0) force[d] += dof->friction_negative;
    }
    if (joint.type == PINION_JOINT_PLANAR) {
        /* springs act along the parent's x and y, v is along the child's */
        double pull[3];
        for (int d = 0; d < 3; d++) pull[d] = -joint.dof[d].stiffness * (q[d] - joint.dof[d].rest);
        force[0] += cos(q[2]) * pull[0] + sin(q[2]) * pull[1];
        force[1] += -sin(q[2]) * pull[0] + cos(q[2]) * pull[1];
        force[2] += pull[2];
    } else if (joint.type == PINION_JOINT_SPHERICAL || joint.type == PINION_JOINT_FREE) {
        rotation_springs(&joint, q, force);
    } else {
        for (int d = 0; d < joint.dof_count; d++)
            force[d] -= joint.dof[d].stiffness * (factor * q[d] + shift - joint.dof[d].rest);
    }
    for (int d = 0; d < joint.dof_count; d++) tau[source.v_index + d] += factor * force[d];
}

static void check_passive(subject *s)
{
    double *got = take(s, s->nv), *expected = take(s, s->nv), *still = take(s, s->nv), *rest = take(s, s->nv);
    if (s->random % 3 == 0)
        for (int i = 0; i < s->nv; i += 2) s->v[i] = 0; /* friction is zero there */
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) passive_of_joint(s, i, expected);
    FINE(s, pinion_passive_forces(s->m, s->w, s->q, s->v, got));
    CLOSE(s, got, expected, s->nv, 1, EXACT);

    for (int i = 0; i < s->nv; i++) s->v[i] = 0;
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) passive_of_joint(s, i, rest);
    FINE(s, pinion_passive_forces(s->m, s->w, s->q, NULL, still));
    CLOSE(s, still, rest, s->nv, 1, EXACT);
    FINE(s, pinion_passive_forces(s->m, s->w, s->q, s->v, still));
    CLOSE(s, still, rest, s->nv, 1, EXACT);
}
TEST(passive_forces_are_those_of_the_elements)
{
    for_models(check_passive);
}

/* damping and friction take energy out, whatever the motion */
static void check_dissipation(subject *s)
{
    double *moving = take(s, s->nv), *still = take(s, s->nv), power = 0;
    FINE(s, pinion_passive_forces(s->m, s->w, s->q, s->v, moving));
    FINE(s, pinion_passive_forces(s->m, s->w, s->q, NULL, still));
    for (int i = 0; i < s->nv; i++) power += (moving[i] - still[i]) * s->v[i];
    CHECK(power <= 1e-12);
}
TEST(passive_forces_dissipate)
{
    for_models(check_dissipation);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(followers_project_the_independent_model);
    RUN(passive_forces_are_those_of_the_elements);
    RUN(passive_forces_dissipate);
    return CHECK_END();
}
