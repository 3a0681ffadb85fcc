/* Rollouts: the same as a loop of single calls, whatever acts; their order; what they conserve; in parts, in place
 * and recorded they are the same to the bit. */
#include "rollout.h"

/* The largest error of a rollout against the loop of single calls. */
static double against_single_calls(scene *x)
{
    double worst = 0, *q = numbers(x->nq), *v = numbers(x->nv);
    CHECK_STATUS(scene_run(x), PINION_OK);
    for (size_t s = 0; s < x->count; s++) {
        single_rollout(x, s, q, v);
        worst = fmax(worst, state_error(x->m, x->q1 + s * x->nq, x->v1 + s * x->nv, q, v));
    }
    free(q);
    free(v);
    return worst;
}

/* asks for this or that of what acts, by the bits of a number */
static void choose(scene *x, int bits)
{
    x->r.tau = bits & 1 ? x->tau : NULL;
    x->r.f_ext = bits & 2 ? x->f_ext : NULL;
    x->r.passive = !!(bits & 4);
    x->r.q_target = bits & 8 ? x->q_target : NULL;
    x->r.kp = bits & 8 ? x->kp : NULL;
    x->r.kd = bits & 16 ? x->kd : NULL;
    x->r.v_target = bits & 32 ? x->v_target : NULL;
    x->r.limit = bits & 64 ? x->limit : NULL;
}

TEST(semi_implicit_is_a_loop_of_single_calls)
{
    uint64_t seed = check_seed;
    double worst = 0;
    for (int i = 0; i < 128; i += check_every(11)) {
        /* trees of every joint type; half of the models with a follower */
        pinion_model *m = i % 2 ? random_model(EVERY_TYPE, 2 + i % 9, 0, 1, &seed)
                                : pinion_random_tree(1 + i % 12, i / 2 % 2, seed, NULL);
        scene x = scene_new(m, (size_t)(1 + i % 19), 12, (size_t)(i % 6), 0, &seed);
        choose(&x, i);
        x.r.dt = 1e-3;
        const double error = against_single_calls(&x);
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0, 1e-10);
        scene_free(&x);
    }
    printf("       largest difference %.1e\n", worst);
}

TEST(runge_kutta_is_a_loop_of_single_calls)
{
    uint64_t seed = check_seed + 1;
    double worst = 0;
    for (int i = 0; i < 128; i += check_every(11)) {
        pinion_model *m = random_model(ONE_DOF, 1 + i % 9, i / 2 % 2, i % 2, &seed);
        scene x = scene_new(m, (size_t)(1 + i % 19), 6, (size_t)(i % 4), 0, &seed);
        choose(&x, i);
        x.r.method = PINION_STEP_RK4;
        x.r.dt = 2e-3;
        const double error = against_single_calls(&x);
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0, 1e-10);
        scene_free(&x);
    }
    printf("       largest difference %.1e\n", worst);
}

/* ---- order and what is conserved ---- */

/* Errors at the end of 0.25 s of a tree with every joint type against a run of very short steps. */
static void errors_of(const size_t steps[2][3], double error[2][3])
{
    uint64_t seed = check_seed + 2;
    scene x = scene_new(pinion_random_tree(9, 1, 7, NULL), 5, 1024, 0, 0, &seed);
    double *q = numbers(x.count * x.nq), *v = numbers(x.count * x.nv);
    choose(&x, 1 | 2);
    for (size_t i = 0; i < x.count * x.nv; i++) x.tau[i] *= 0.2;
    x.r.method = PINION_STEP_RK4;
    x.r.dt = 0.25 / 1024;
    CHECK_STATUS(scene_run(&x), PINION_OK);
    memcpy(q, x.q1, x.count * x.nq * sizeof *q);
    memcpy(v, x.v1, x.count * x.nv * sizeof *v);

    for (int i = 0; i < 6; i++) {
        double *worst = &error[i / 3][i % 3];
        x.r.method = (pinion_step_method)(i / 3);
        x.r.steps = steps[i / 3][i % 3];
        x.r.dt = 0.25 / (double)x.r.steps;
        CHECK_STATUS(scene_run(&x), PINION_OK);
        *worst = 0;
        for (size_t s = 0; s < x.count; s++)
            *worst = fmax(*worst, state_error(x.m, x.q1 + s * x.nq, x.v1 + s * x.nv, q + s * x.nq, v + s * x.nv));
    }
    free(q);
    free(v);
    scene_free(&x);
}

TEST(methods_have_their_order)
{
    static const size_t steps[2][3] = {{512, 1024, 2048}, {64, 128, 256}};
    static const double expected[2] = {1, 4};
    double error[2][3];
    errors_of(steps, error);
    for (int method = 0; method < 2; method++) {
        const double *e = error[method], order = log2(e[1] / e[2]);
        printf("       errors %.2e %.2e %.2e: order %.2f\n", e[0], e[1], e[2], order);
        CHECK_NEAR(order, expected[method], 0.25);
    }
}

static double total_energy(const scene *x, const double *q, const double *v)
{
    double kinetic, potential;
    pinion_work *w = pinion_work_new(x->m);
    if (!w) exit(1);
    CHECK_STATUS(pinion_energy(x->m, w, q, v, 0, &kinetic, &potential), PINION_OK);
    pinion_work_free(w);
    return kinetic + potential;
}

/* the largest change of the energy of a chain that nothing drives, over half a second and all states */
static double energy_drift(double dt)
{
    uint64_t seed = check_seed + 3;
    scene x = scene_new(pinion_random_chain(6, 5, NULL), 8, (size_t)(0.5 / dt + 0.5), 0, 5, &seed);
    double drift = 0;
    x.r.method = PINION_STEP_RK4;
    x.r.dt = dt;
    x.r.q_record = x.q_record;
    x.r.v_record = x.v_record;
    CHECK_STATUS(scene_run(&x), PINION_OK);
    for (size_t s = 0; s < x.count; s++) {
        const double before = total_energy(&x, x.q + s * x.nq, x.v + s * x.nv);
        for (size_t k = s; k < x.records * x.count; k += x.count)
            drift = fmax(drift, fabs(total_energy(&x, x.q_record + k * x.nq, x.v_record + k * x.nv) - before));
    }
    scene_free(&x);
    return drift;
}

/* What Runge and Kutta's method makes up goes with the fourth power of the step. */
TEST(a_free_chain_keeps_its_energy)
{
    const double drift[2] = {energy_drift(5e-4), energy_drift(2.5e-4)};
    printf("       drift %.1e J, with half the step %.1e J\n", drift[0], drift[1]);
    CHECK(drift[0] < 1e-5);
    CHECK(drift[1] < drift[0] / 12);
}

TEST(quaternions_stay_of_unit_length)
{
    uint64_t seed = check_seed + 4;
    for (int method = 0; method < PINION_STEP_METHOD_COUNT; method++) {
        scene x = scene_new(pinion_random_tree(1, 1, 3, NULL), 3, 5000, 0, 0, &seed);
        x.r.method = (pinion_step_method)method;
        for (size_t i = 0; i < x.count * x.nv; i++) x.v[i] *= 20;
        CHECK_STATUS(scene_run(&x), PINION_OK);
        for (size_t s = 0; s < x.count; s++) {
            const double *q = x.q1 + s * x.nq;
            CHECK_NEAR(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), 1, 1e-15);
        }
        scene_free(&x);
    }
}

/* ---- control ---- */

/* A chain of these joints, with motors whose rotors outweigh what the last links move: a PD law that is held over a
 * step of a millisecond is stable on it. */
static pinion_model *motorized(const pinion_joint_type *types, int count)
{
    pinion_builder *b = pinion_builder_new("motorized");
    pinion_error err = {0};
    char name[2][16] = {"", "link0"}, joint_name[16];
    pinion_link_def link = pinion_link_def_default();
    link.name = name[1];
    if (!b || pinion_builder_add_link(b, &link, &err) != PINION_OK) exit(1);
    for (int i = 0; i < count; i++) {
        pinion_joint_def joint = pinion_joint_def_default();
        memcpy(name[0], name[1], sizeof name[0]);
        snprintf(name[1], sizeof name[1], "link%d", i + 1);
        snprintf(joint_name, sizeof joint_name, "joint%d", i);
        link.inertia.mass = 1;
        link.inertia.com[2] = 0.1;
        for (int d = 0; d < 6; d += d ? 2 : 3) link.inertia.inertia[d] = 0.05;
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
        joint.name = joint_name;
        joint.type = types[i];
        joint.parent = name[0];
        joint.child = name[1];
        joint.parent_pose.position[2] = 0.2;
        joint.axis[0] = i % 2;
        joint.axis[2] = !(i % 2);
        for (int d = 0; d < pinion_joint_type_nv(types[i]); d++) {
            joint.dof[d].rotor_inertia = 5e-5;
            joint.dof[d].gear_ratio = 100;
        }
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) printf("%s\n", err.message);
    pinion_builder_free(b);
    return m;
}

/* With the gravity at the target as feed-forward the law is at rest at the target itself. */
TEST(a_pd_law_reaches_its_target)
{
    static const pinion_joint_type types[3][4] = {
        {PINION_JOINT_REVOLUTE, PINION_JOINT_REVOLUTE, PINION_JOINT_PRISMATIC, PINION_JOINT_REVOLUTE},
        {PINION_JOINT_SPHERICAL, PINION_JOINT_UNIVERSAL, PINION_JOINT_REVOLUTE, PINION_JOINT_SPHERICAL},
        {PINION_JOINT_PLANAR, PINION_JOINT_SPHERICAL, PINION_JOINT_CYLINDRICAL, PINION_JOINT_REVOLUTE}};
    uint64_t seed = check_seed + 5;
    double worst = 0;
    const size_t states = check_rounds(11) < 11 ? 5 : 11;
    for (int i = 0; i < 6; i += check_every(6)) {
        scene x = scene_new(motorized(types[i / 2], 4), states, 20000, 0, 0, &seed);
        pinion_work *w = pinion_work_new(x.m);
        if (!w) exit(1);
        x.r.method = i % 2 ? PINION_STEP_RK4 : PINION_STEP_SEMI_IMPLICIT;
        if (i % 2) x.r.steps = 12000;
        for (size_t k = 0; k < x.nv; k++) x.kp[k] = 400, x.kd[k] = 60;
        for (size_t s = 0; s < x.count; s++) {
            double *step = random_numbers(x.nv, 0.5, &seed);
            CHECK_STATUS(pinion_integrate(x.m, x.q + s * x.nq, step, 1, x.q_target + s * x.nq), PINION_OK);
            CHECK_STATUS(pinion_gravity(x.m, w, x.q_target + s * x.nq, x.tau + s * x.nv), PINION_OK);
            free(step);
        }
        choose(&x, 1 | 8 | 16);
        CHECK_STATUS(scene_run(&x), PINION_OK);
        double *rest = numbers(x.nv);
        for (size_t s = 0; s < x.count; s++) {
            const double error = state_error(x.m, x.q1 + s * x.nq, x.v1 + s * x.nv, x.q_target + s * x.nq, rest);
            worst = fmax(worst, error);
            CHECK_NEAR(error, 0, 1e-6);
        }
        free(rest);
        pinion_work_free(w);
        scene_free(&x);
    }
    printf("       farthest from its target %.1e\n", worst);
}

/* A joint without a kp needs no target: a free base's may be zeros. */
TEST(targets_without_gains_are_not_looked_at)
{
    uint64_t seed = check_seed + 6;
    scene x = scene_new(pinion_random_tree(6, 1, 11, NULL), 6, 10, 0, 0, &seed);
    choose(&x, 8 | 16);
    for (int i = 0; i < 6; i++) x.kp[i] = x.kd[i] = 0;
    CHECK_STATUS(scene_run(&x), PINION_OK);
    double *q = numbers(x.count * x.nq);
    memcpy(q, x.q1, x.count * x.nq * sizeof *q);
    for (size_t s = 0; s < x.count; s++) memset(x.q_target + s * x.nq, 0, 7 * sizeof(double));
    CHECK_STATUS(scene_run(&x), PINION_OK);
    CHECK(memcmp(q, x.q1, x.count * x.nq * sizeof *q) == 0);

    /* with one it must be a rotation */
    x.kp[1] = 1;
    CHECK_STATUS(scene_run(&x), PINION_ERR_QUATERNION);
    CHECK(pinion_batch_failed_state(x.b) == 0);
    CHECK(isnan(x.q1[0]));
    free(q);
    scene_free(&x);
}

/* ---- the same to the bit ---- */

TEST(records_are_the_states_on_the_way)
{
    uint64_t seed = check_seed + 7;
    for (int method = 0; method < PINION_STEP_METHOD_COUNT; method++) {
        scene x = scene_new(pinion_random_tree(7, 1, 3, NULL), 11, 23, 4, 5, &seed);
        choose(&x, 127);
        x.r.method = (pinion_step_method)method;
        x.r.q_record = x.q_record;
        x.r.v_record = x.v_record;
        CHECK(x.records == 4 && x.intervals == 6);
        CHECK_STATUS(scene_run(&x), PINION_OK);
        for (size_t k = 0; k < x.records; k++) {
            x.r.steps = (k + 1) * 5;
            x.r.q_record = x.r.v_record = NULL;
            CHECK_STATUS(scene_run(&x), PINION_OK);
            CHECK(memcmp(x.q_record + k * x.count * x.nq, x.q1, x.count * x.nq * sizeof(double)) == 0);
            CHECK(memcmp(x.v_record + k * x.count * x.nv, x.v1, x.count * x.nv * sizeof(double)) == 0);
        }
        scene_free(&x);
    }
}

TEST(in_parts_and_in_place_it_is_the_same)
{
    uint64_t seed = check_seed + 8;
    scene x = scene_new(pinion_random_tree(7, 1, 4, NULL), 13, 12, 3, 0, &seed);
    choose(&x, 127);
    x.r.method = PINION_STEP_RK4;
    CHECK_STATUS(scene_run(&x), PINION_OK);

    /* an interval at a time, on the state's own arrays */
    x.r.steps = 3;
    for (size_t k = 0; k < 4; k++) {
        x.r.tau = x.tau + k * x.count * x.nv;
        x.r.q_target = x.q_target + k * x.count * x.nq;
        x.r.v_target = x.v_target + k * x.count * x.nv;
        CHECK_STATUS(pinion_batch_rollout(x.b, x.count, &x.r, x.q, x.v, x.q, x.v), PINION_OK);
    }
    CHECK(memcmp(x.q, x.q1, x.count * x.nq * sizeof(double)) == 0);
    CHECK(memcmp(x.v, x.v1, x.count * x.nv * sizeof(double)) == 0);
    scene_free(&x);
}

TEST(a_step_is_a_rollout_of_one)
{
    uint64_t seed = check_seed + 9;
    scene x = scene_new(pinion_random_tree(7, 1, 5, NULL), 9, 1, 0, 0, &seed);
    double *q = numbers(x.count * x.nq), *v = numbers(x.count * x.nv);
    choose(&x, 3);
    for (int method = 0; method < PINION_STEP_METHOD_COUNT; method++) {
        x.r.method = (pinion_step_method)method;
        CHECK_STATUS(scene_run(&x), PINION_OK);
        CHECK_STATUS(pinion_batch_step(x.b, x.count, x.r.method, x.r.dt, x.q, x.v, x.tau, x.f_ext, q, v), PINION_OK);
        CHECK(memcmp(q, x.q1, x.count * x.nq * sizeof *q) == 0);
        CHECK(memcmp(v, x.v1, x.count * x.nv * sizeof *v) == 0);
    }
    /* from rest, and only what is wanted */
    memset(x.v, 0, x.count * x.nv * sizeof(double));
    CHECK_STATUS(scene_run(&x), PINION_OK);
    CHECK_STATUS(pinion_batch_rollout(x.b, x.count, &x.r, x.q, NULL, NULL, v), PINION_OK);
    CHECK(memcmp(v, x.v1, x.count * x.nv * sizeof *v) == 0);
    CHECK_STATUS(pinion_batch_rollout(x.b, x.count, &x.r, x.q, NULL, q, NULL), PINION_OK);
    CHECK(memcmp(q, x.q1, x.count * x.nq * sizeof *q) == 0);
    /* no steps: the state as it was */
    x.r.steps = 0;
    CHECK_STATUS(scene_run(&x), PINION_OK);
    CHECK(memcmp(x.q, x.q1, x.count * x.nq * sizeof *q) == 0);
    free(q);
    free(v);
    scene_free(&x);
}

/* targets are looked at where their gains are not zero, and nowhere else */
TEST(targets_without_gains_may_be_anything)
{
    uint64_t seed = check_seed + 8;
    scene x = scene_new(pinion_random_tree(5, 1, 8, NULL), 37, 6, 2, 0, &seed);
    x.r.q_target = x.q_target, x.r.v_target = x.v_target, x.r.kp = x.kp, x.r.kd = x.kd;
    for (size_t i = 0; i < 6; i++) x.kp[i] = x.kd[i] = 0; /* the free base */
    for (int method = 0; method < PINION_STEP_METHOD_COUNT; method++) {
        x.r.method = (pinion_step_method)method;
        x.r.kd = x.kd;
        CHECK_STATUS(scene_run(&x), PINION_OK);
        double *q = numbers(x.count * x.nq), *target = numbers(x.intervals * x.count * x.nv);
        memcpy(q, x.q1, x.count * x.nq * sizeof *q);
        memcpy(target, x.v_target, x.intervals * x.count * x.nv * sizeof *target);
        for (size_t s = 0; s < x.intervals * x.count; s++)
            for (size_t i = 0; i < 6; i++) x.v_target[s * x.nv + i] = i % 2 ? NAN : INFINITY;
        CHECK_STATUS(scene_run(&x), PINION_OK);
        CHECK(!memcmp(x.q1, q, x.count * x.nq * sizeof *q));

        /* no kd at all; then one for the base, which sees the target */
        for (size_t i = 0; i < x.intervals * x.count * x.nv; i++) x.v_target[i] = NAN;
        x.r.kd = NULL;
        CHECK_STATUS(scene_run(&x), PINION_OK);
        x.r.kd = x.kd, x.kd[0] = 0.1;
        CHECK_STATUS(scene_run(&x), PINION_ERR_STEP);
        x.kd[0] = 0;
        memcpy(x.v_target, target, x.intervals * x.count * x.nv * sizeof *target);
        free(q);
        free(target);
    }

    /* a quaternion of a target, with a gain and without */
    x.q_target[3 * x.nq] = 7;
    CHECK_STATUS(scene_run(&x), PINION_OK);
    x.kp[1] = 1;
    CHECK_STATUS(scene_run(&x), PINION_ERR_QUATERNION);
    CHECK_HAS(pinion_batch_message(x.b), "state 3: step 0: a quaternion in q_target is not of unit length: joint '");
    scene_free(&x);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(semi_implicit_is_a_loop_of_single_calls);
    RUN(runge_kutta_is_a_loop_of_single_calls);
    RUN(methods_have_their_order);
    RUN(a_free_chain_keeps_its_energy);
    RUN(quaternions_stay_of_unit_length);
    RUN(a_pd_law_reaches_its_target);
    RUN(targets_without_gains_are_not_looked_at);
    RUN(records_are_the_states_on_the_way);
    RUN(in_parts_and_in_place_it_is_the_same);
    RUN(a_step_is_a_rollout_of_one);
    RUN(targets_without_gains_may_be_anything);
    return CHECK_END();
}
