/* Passive joint forces for simulation: those of pinion_passive_forces() away from v = 0, smooth there; stops.
 */
#include "motion.h"
#include "sim/run/passive_joints.h"

static const pn_passive_options elements = {.elements = 1, .friction_speed = 1e-9};

/* v either zero or so fast that tanh(v / 1e-9) is 1 in double, also that of followers */
static void fast_velocities(int nv, uint64_t *seed, double *v)
{
    for (int i = 0; i < nv; i++) {
        v[i] = check_between(seed, -1, 1);
        v[i] += v[i] > 0 ? 0.02 : -0.02;
        if (check_uniform(seed) < 0.1) v[i] = 0;
    }
}

/* compares forces with pinion_passive_forces() and the potential with pinion_energy() at random states */
static double compare(const pinion_model *m, uint64_t *seed)
{
    const int nv = pinion_model_nv(m);
    pinion_work *w = pinion_work_new(m);
    pn_passive *p = pn_passive_new(m, &elements, NULL);
    CHECK(p != NULL);
    double worst = 0;
    for (int k = 0; k < 5; k++) {
        double q[MOTION_MAX], v[MOTION_MAX], tau[MOTION_MAX], expected[MOTION_MAX], V, with, without, P,
            sum = 0;
        CHECK_STATUS(pinion_random(m, (*seed)++, q), PINION_OK);
        fast_velocities(nv, seed, v);
        CHECK_STATUS(pinion_passive_forces(m, w, q, v, expected), PINION_OK);
        memset(tau, 0, sizeof tau);
        pn_passive_forces(p, q, v, tau, &V, &P);
        const double error = check_error(tau, expected, (size_t)nv, 1);
        if (error > worst) worst = error;
        CHECK_STATUS(pinion_energy(m, w, q, v, 1, NULL, &with), PINION_OK);
        CHECK_STATUS(pinion_energy(m, w, q, v, 0, NULL, &without), PINION_OK);
        CHECK_NEAR(V, with - without, 1e-11 * fmax(1, fabs(without)));

        /* power: all of tau' v but for the springs, which act at v = 0 as well */
        double springs[MOTION_MAX] = {0};
        pn_passive_forces(p, q, NULL, springs, NULL, NULL);
        CHECK_STATUS(pinion_passive_forces(m, w, q, NULL, expected), PINION_OK);
        CHECK(check_error(springs, expected, (size_t)nv, 1) < 1e-14);
        for (int i = 0; i < nv; i++) sum += (tau[i] - springs[i]) * v[i];
        CHECK_NEAR(P, sum, 1e-11);
    }
    pn_passive_free(p);
    pinion_work_free(w);
    return worst;
}

TEST(as_pinion_passive_forces)
{
    uint64_t seed = check_seed;
    double worst = 0;
    for (int k = 0; k < 60; k++) {
        pinion_model *m = pinion_random_tree(8, k % 2, seed + (uint64_t)k, NULL);
        CHECK(m && pinion_model_nv(m) <= MOTION_MAX);
        worst = fmax(worst, compare(m, &seed));
        pinion_model_free(m);
    }
    printf("    worst difference %.1e\n", worst);
    CHECK(worst < 1e-13);
}

/* a prismatic leader and two followers, one with a negative multiplier, all with elements and limits */
static pinion_model *gripper(void)
{
    pinion_builder *b = pinion_builder_new("gripper");
    const char *names[4] = {"hand", "lead", "left", "right"};
    for (int i = 0; i < 4; i++) motion_link(b, names[i], 1, 0.1);
    const double multiplier[4] = {0, 1, 0.5, -2}, offset[4] = {0, 0, 0.1, -0.2};
    for (int i = 1; i < 4; i++) {
        pinion_joint_def joint =
            motion_joint(names[i], i == 2 ? PINION_JOINT_REVOLUTE : PINION_JOINT_PRISMATIC, "hand", names[i], 1, 0, 0);
        joint.dof[0].lower = -1, joint.dof[0].upper = 2;
        joint.dof[0].damping = 0.3 * i;
        joint.dof[0].friction_positive = 0.2 * i;
        joint.dof[0].friction_negative = 0.5;
        joint.dof[0].stiffness = 4 + i;
        joint.dof[0].rest = 0.1 * i;
        if (i > 1) joint.mimic = "lead", joint.multiplier = multiplier[i], joint.offset = offset[i];
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    CHECK(m && pinion_model_nv(m) == 1);
    pinion_builder_free(b);
    return m;
}

TEST(followers)
{
    uint64_t seed = check_seed;
    pinion_model *m = gripper();
    for (int k = 0; k < 20; k++) CHECK(compare(m, &seed) < 1e-14);

    /* stops: right = -2 q - 0.2 is beyond 2 from q = -1.1 down, when the leader is beyond -1 as well */
    const pn_passive_options stops = {.stops = 1, .stop_stiffness = 1000};
    pn_passive *p = pn_passive_new(m, &stops, NULL);
    const double at[4] = {-0.59, -0.61, -1.05, -1.3};
    const double expected[4] = {0, 0, 1000 * 0.05, 1000 * 0.3 + 2 * 1000 * 0.4};
    for (int k = 0; k < 4; k++) {
        double tau = 0, V;
        pn_passive_forces(p, &at[k], NULL, &tau, &V, NULL);
        CHECK_NEAR(tau, expected[k], 1e-10);
        CHECK_NEAR(V, k < 2 ? 0 : k == 2 ? 500 * 0.0025 : 500 * (0.09 + 0.16), 1e-10);
    }
    double q = 0.45, tau = 0; /* right at -1.1 presses the leader back by its multiplier */
    pn_passive_forces(p, &q, NULL, &tau, NULL, NULL);
    CHECK_NEAR(tau, -2 * 1000 * 0.1, 1e-10);
    pn_passive_free(p);
    pinion_model_free(m);
}

/* one joint with the elements and limits given in its first degree of freedom, repeated in the others */
static pinion_model *one_joint(pinion_joint_type type, const pinion_dof *dof)
{
    pinion_builder *b = pinion_builder_new("one");
    motion_link(b, "base", 0, 0);
    motion_link(b, "body", 2, 0.3);
    pinion_joint_def joint = motion_joint("joint", type, "base", "body", 0, 0, 1);
    for (int i = 0; i < 6; i++) joint.dof[i] = *dof;
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    CHECK(m != NULL);
    pinion_builder_free(b);
    return m;
}

static pinion_dof free_dof(void)
{
    pinion_dof dof = pinion_joint_def_default().dof[0];
    dof.lower = -INFINITY;
    dof.upper = INFINITY;
    return dof;
}

TEST(friction_is_smooth)
{
    pinion_dof dof = free_dof();
    dof.friction_positive = 3;
    dof.friction_negative = 1.5;
    pinion_model *m = one_joint(PINION_JOINT_REVOLUTE, &dof);
    pn_passive_options o = {.elements = 1, .friction_speed = 0.01};
    pn_passive *p = pn_passive_new(m, &o, NULL);
    for (double v = -0.5; v < 0.5; v += 0.003) {
        const double q = 0.2, force = v > 0 ? 3 * tanh(v / 0.01) : 1.5 * tanh(v / 0.01);
        double tau = 0, P, V;
        pn_passive_forces(p, &q, &v, &tau, &V, &P);
        CHECK_NEAR(tau, -force, 1e-15);
        CHECK_NEAR(P, -force * v, 1e-15);
        CHECK(V == 0 && P <= 0);
    }
    pn_passive_free(p);

    /* speed 0: the jump itself */
    o.friction_speed = 0;
    p = pn_passive_new(m, &o, NULL);
    const double v[3] = {-1e-300, 0, 1e-300}, expected[3] = {1.5, 0, -3};
    for (int i = 0; i < 3; i++) {
        double q = 0, tau = 0;
        pn_passive_forces(p, &q, &v[i], &tau, NULL, NULL);
        CHECK(tau == expected[i]);
    }
    pn_passive_free(p);
    pinion_model_free(m);
}

TEST(stops)
{
    pinion_dof dof = free_dof();
    dof.lower = -1;
    dof.upper = 0.5;
    const double k = 2000, c = 40;
    const pn_passive_options o = {.stops = 1, .stop_stiffness = k, .stop_damping = c};
    pinion_model *m = one_joint(PINION_JOINT_PRISMATIC, &dof);
    pn_passive *p = pn_passive_new(m, &o, NULL);
    for (double q = -1.2; q < 0.8; q += 0.01) {
        for (double v = -8; v <= 8; v += 1) {
            const double low = fmax(0, -1 - q), high = fmax(0, q - 0.5);
            const double press = low > 0    ? fmax(0, k * low - c * v)
                                 : high > 0 ? -fmax(0, k * high + c * v)
                                            : 0;
            double tau = 0, V, P;
            pn_passive_forces(p, &q, &v, &tau, &V, &P);
            CHECK_NEAR(tau, press, 1e-10);
            CHECK_NEAR(V, k / 2 * (low * low + high * high), 1e-10);
            CHECK_NEAR(P, (press - k * (low - high)) * v, 1e-9);
            CHECK(P <= 0);
            CHECK(low > 0 ? tau >= 0 : tau <= 0);
        }
    }
    pn_passive_free(p);
    pinion_model_free(m);
}

typedef struct bounce {
    pinion_model *m;
    pinion_work *w;
    pn_passive *p;
} bounce;

static void bounce_law(void *user, double t, const double *q, const double *v, double *a, double *power)
{
    bounce *b = user;
    double tau[MOTION_MAX] = {0};
    (void)t;
    pn_passive_forces(b->p, q, v, tau, NULL, power);
    CHECK_STATUS(pinion_forward_dynamics(b->m, b->w, q, v, tau, NULL, a), PINION_OK);
}

TEST(energy_balance)
{
    /* every type with springs, dampers, friction and stops, thrown against them */
    const pinion_joint_type types[] = {PINION_JOINT_REVOLUTE,    PINION_JOINT_PRISMATIC, PINION_JOINT_HELICAL,
                                       PINION_JOINT_CYLINDRICAL, PINION_JOINT_UNIVERSAL, PINION_JOINT_PLANAR,
                                       PINION_JOINT_SPHERICAL,   PINION_JOINT_FREE};
    double worst = 0;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const int plain = types[i] != PINION_JOINT_SPHERICAL && types[i] != PINION_JOINT_FREE;
        pinion_dof dof = free_dof();
        dof.damping = 0.05;
        dof.friction_positive = 0.3;
        dof.friction_negative = 0.1;
        if (plain) dof.stiffness = 2, dof.rest = 0.1, dof.lower = -0.2, dof.upper = 0.2;
        bounce b = {one_joint(types[i], &dof), NULL, NULL};
        const pn_passive_options o = {1, 0.05, 1, 500, 0, 0};
        b.w = pinion_work_new(b.m);
        b.p = pn_passive_new(b.m, &o, NULL);
        double q[7], v[6] = {6, -5, 4, 0.3, 0.2, 0.5}, e[2], T, V, stored, work = 0, deepest = 0;
        CHECK_STATUS(pinion_neutral(b.m, q), PINION_OK);
        for (int side = 0; side < 2; side++) {
            CHECK_STATUS(pinion_energy(b.m, b.w, q, v, 0, &T, &V), PINION_OK);
            pn_passive_forces(b.p, q, v, NULL, &stored, NULL);
            e[side] = T + V + stored;
            for (int n = 0; n < 4000 && side == 0; n++) {
                motion_step(b.m, bounce_law, &b, 0, 2.5e-4, q, v, &work);
                deepest = fmax(deepest, fabs(q[0]));
            }
        }
        worst = fmax(worst, fabs(e[1] - e[0] - work));
        CHECK(work < -1e-2);
        if (plain) CHECK(deepest > 0.2);
        pn_passive_free(b.p);
        pinion_work_free(b.w);
        pinion_model_free(b.m);
    }
    printf("    worst difference %.1e J\n", worst);
    CHECK(worst < 1e-3); /* fixed steps go over the edges of the stops, where the force has a kink */
}

TEST(planar_stops_turn_with_the_child)
{
    /* -dV/dq in the tangent space, at an angle where the two directions differ */
    pinion_dof dof = free_dof();
    dof.lower = -0.1, dof.upper = 0.1, dof.stiffness = 3;
    pinion_model *m = one_joint(PINION_JOINT_PLANAR, &dof);
    const pn_passive_options o = {1, 0, 1, 700, 30, 0};
    pn_passive *p = pn_passive_new(m, &o, NULL);
    const double q[3] = {0.4, -0.3, 0.9};
    double tau[3] = {0};
    pn_passive_forces(p, q, NULL, tau, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        double d[3] = {0}, x[3], V[2];
        d[i] = 1;
        for (int k = 0; k < 2; k++) {
            CHECK_STATUS(pinion_integrate(m, q, d, k ? 1e-5 : -1e-5, x), PINION_OK);
            pn_passive_forces(p, x, NULL, NULL, &V[k], NULL);
        }
        CHECK_NEAR(tau[i], -(V[1] - V[0]) / 2e-5, 1e-6);
    }

    /* moving straight out along the parent's x: the stop's damper acts against it alone */
    double v[3] = {cos(0.9) * 0.5, -sin(0.9) * 0.5, 0}, moving[3] = {0}, P;
    pn_passive_forces(p, q, v, moving, NULL, &P);
    CHECK_NEAR(moving[0] - tau[0], -30 * 0.5 * cos(0.9), 1e-11);
    CHECK_NEAR(moving[1] - tau[1], 30 * 0.5 * sin(0.9), 1e-11);
    CHECK_NEAR(moving[2] - tau[2], 0, 1e-11);
    CHECK_NEAR(P, -30 * 0.25, 1e-11);
    pn_passive_free(p);
    pinion_model_free(m);
}

TEST(refused_and_empty)
{
    pinion_model *m = motion_lift(1);
    pinion_error err;
    const pn_passive_options bad[4] = {
        {1, -1, 0, 0, 0, 0}, {1, NAN, 0, 0, 0, 0}, {0, 0, 1, -1, 0, 0}, {0, 0, 1, 1, INFINITY, 0}};
    const char *part[4] = {"friction_speed", "friction_speed", "stop_stiffness", "stop_damping"};
    for (int i = 0; i < 4; i++) {
        CHECK(!pn_passive_new(m, &bad[i], &err));
        CHECK(err.status == PINION_ERR_ARGUMENT);
        CHECK_HAS(err.message, part[i]);
    }
    CHECK(!pn_passive_new(NULL, &elements, NULL) && !pn_passive_new(m, NULL, NULL));
    pn_passive_free(NULL);

    /* nothing asked for, nothing done */
    const pn_passive_options nothing = {0};
    pn_passive *p = pn_passive_new(m, &nothing, NULL);
    double q = 5, v = 1, tau = 7, V = 1, P = 1;
    pn_passive_forces(p, &q, &v, &tau, &V, &P);
    CHECK(tau == 7 && V == 0 && P == 0);
    pn_passive_free(p);

    /* what there is comes on top of what was there */
    pinion_dof dof = free_dof();
    dof.stiffness = 2;
    pinion_model *sprung = one_joint(PINION_JOINT_PRISMATIC, &dof);
    p = pn_passive_new(sprung, &elements, NULL);
    pn_passive_forces(p, &q, &v, &tau, NULL, NULL);
    CHECK(tau == 7 - 2 * 5);
    pn_passive_free(p);
    pinion_model_free(sprung);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(as_pinion_passive_forces);
    RUN(followers);
    RUN(friction_is_smooth);
    RUN(stops);
    RUN(energy_balance);
    RUN(planar_stops_turn_with_the_child);
    RUN(refused_and_empty);
    return CHECK_END();
}
