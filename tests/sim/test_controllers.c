/* Controllers: what they exert, and where they bring a model. */
#include <unistd.h>

#include "motion.h"

/* a model under a controller */
typedef struct loop {
    const pinion_model *m;
    pinion_work *w;
    pinion_controller *c;
} loop;

static void closed(void *user, double t, const double *q, const double *v, double *a, double *power)
{
    loop *l = user;
    double tau[MOTION_MAX];
    CHECK_STATUS(pinion_controller_torque(l->c, t, q, v, tau), PINION_OK);
    CHECK_STATUS(pinion_forward_dynamics(l->m, l->w, q, v, tau, NULL, a), PINION_OK);
    *power = 0;
}

static loop loop_of(const pinion_model *m, const pinion_control_def *def)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    loop l = {m, pinion_work_new(m), pinion_controller_new(m, def, &err)};
    if (!l.c) CHECK_FAIL("%s", err.message);
    return l;
}

static void loop_free(loop *l)
{
    pinion_controller_free(l->c);
    pinion_work_free(l->w);
}

static void run(loop *l, double t, double duration, int steps, double *q, double *v)
{
    double work = 0;
    for (int i = 0; i < steps; i++)
        motion_step(l->m, closed, l, t + duration * i / steps, duration / steps, q, v, &work);
}

/* ---- open loop ---- */

TEST(constant)
{
    pinion_model *m = pinion_random_chain(4, check_seed, NULL);
    double q[4] = {0.1, 0.2, 0.3, 0.4}, v[4] = {1, 1, 1, 1}, tau[4], g[4], given[4] = {1, -2, 3, -4};
    pinion_control_def def = pinion_control_def_default();
    loop l = loop_of(m, &def);
    CHECK_STATUS(pinion_controller_torque(l.c, 0, q, v, tau), PINION_OK);
    for (int i = 0; i < 4; i++) CHECK(tau[i] == 0);
    CHECK(pinion_controller_jump(l.c, 0) == INFINITY);
    loop_free(&l);

    /* gravity alone, and with torques that were copied */
    CHECK((l.w = pinion_work_new(m)) != NULL);
    CHECK_STATUS(pinion_gravity(m, l.w, q, g), PINION_OK);
    pinion_work_free(l.w);
    def.gravity = 1;
    def.tau = given;
    l = loop_of(m, &def);
    given[0] = 99;
    CHECK_STATUS(pinion_controller_torque(l.c, 3, q, v, tau), PINION_OK);
    const double before[4] = {1, -2, 3, -4};
    for (int i = 0; i < 4; i++) CHECK_NEAR(tau[i], g[i] + before[i], 1e-14);
    loop_free(&l);

    /* gravity compensation keeps it where it is */
    def.tau = NULL;
    l = loop_of(m, &def);
    memset(v, 0, sizeof v);
    run(&l, 0, 1, 200, q, v);
    for (int i = 0; i < 4; i++) CHECK_NEAR(q[i], 0.1 * (i + 1), 1e-10);
    loop_free(&l);
    pinion_model_free(m);
}

TEST(table)
{
    pinion_model *m = pinion_random_chain(2, check_seed, NULL);
    const double t[3] = {1, 2, 4}, tau[6] = {0, 10, 2, 20, -2, 60};
    pinion_control_def def = pinion_control_def_default();
    def.kind = PINION_CONTROL_TABLE;
    def.count = 3;
    def.table_t = t;
    def.table_tau = tau;
    loop l = loop_of(m, &def);
    const double at[8] = {-1, 1, 1.25, 2, 3, 3.5, 4, 100};
    const double first[8] = {0, 0, 0.5, 2, 0, -1, -2, -2}, second[8] = {10, 10, 12.5, 20, 40, 50, 60, 60};
    double q[2] = {0}, v[2] = {0}, x[2];
    for (int i = 0; i < 8; i++) {
        CHECK_STATUS(pinion_controller_torque(l.c, at[i], q, v, x), PINION_OK);
        CHECK_NEAR(x[0], first[i], 1e-14);
        CHECK_NEAR(x[1], second[i], 1e-14);
    }
    CHECK(pinion_controller_jump(l.c, -9) == 1 && pinion_controller_jump(l.c, 1) == 2);
    CHECK(pinion_controller_jump(l.c, 2.5) == 4 && pinion_controller_jump(l.c, 4) == INFINITY);
    loop_free(&l);
    pinion_model_free(m);
}

TEST(effort_limits)
{
    pinion_builder *b = pinion_builder_new("limited");
    const char *names[3] = {"base", "a", "b"};
    for (int i = 0; i < 3; i++) motion_link(b, names[i], 1, 0.1);
    for (int i = 1; i < 3; i++) {
        pinion_joint_def joint = motion_joint(names[i], PINION_JOINT_CONTINUOUS, names[i - 1], names[i], 0, 1, 0);
        joint.dof[0].effort = i == 1 ? 5 : INFINITY;
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    pinion_builder_free(b);
    const double given[2] = {-7, 1e6};
    double q[2] = {0}, v[2] = {0}, tau[2];
    pinion_control_def def = pinion_control_def_default();
    def.tau = given;
    for (int limit = 0; limit < 2; limit++) {
        def.limit = limit;
        loop l = loop_of(m, &def);
        CHECK_STATUS(pinion_controller_torque(l.c, 0, q, v, tau), PINION_OK);
        CHECK(tau[0] == (limit ? -5 : -7) && tau[1] == 1e6);
        loop_free(&l);
    }
    pinion_model_free(m);
}

/* ---- towards a target ---- */

TEST(pd_closed_form)
{
    /* m x'' = kp (x_0 - x) - kd x', the weight taken off */
    const double mass = 3, kp[1] = {40}, kd[1] = {6}, hold[1] = {0.2};
    pinion_model *m = motion_lift(mass);
    pinion_control_def def = pinion_control_def_default();
    def.kind = PINION_CONTROL_PD;
    def.gravity = 1;
    def.hold = hold;
    def.kp = kp;
    def.kd = kd;
    loop l = loop_of(m, &def);
    double q[1] = {1}, v[1] = {0};
    run(&l, 0, 1.3, 2000, q, v);
    const double decay = kd[0] / (2 * mass), w = sqrt(kp[0] / mass - decay * decay);
    const double x = 0.8 * exp(-decay * 1.3) * (cos(w * 1.3) + decay / w * sin(w * 1.3));
    CHECK_NEAR(q[0], 0.2 + x, 1e-11);
    loop_free(&l);
    pinion_model_free(m);
}

TEST(computed_torque_closed_form)
{
    /* whatever the robot, every error obeys e'' + kd e' + kp e = 0 by itself */
    enum { N = 6 };
    pinion_model *m = pinion_random_chain(N, check_seed, NULL);
    double q0[N], q1[N], q[N], v[N], kp[N], kd[N], start[N];
    for (int i = 0; i < N; i++) {
        q0[i] = 0.1 * i, q1[i] = 1 - 0.3 * i;
        kp[i] = 30 + 5 * i, kd[i] = 4 + i;
        start[i] = 0.05 * (i - 2);
        q[i] = q0[i] - start[i];
        v[i] = 0;
    }
    pinion_trajectory *target = pinion_trajectory_between(m, q0, q1, 1, PINION_PROFILE_QUINTIC, 0, NULL);
    CHECK(target != NULL);
    pinion_control_def def = pinion_control_def_default();
    def.kind = PINION_CONTROL_COMPUTED;
    def.target = target;
    def.kp = kp;
    def.kd = kd;
    loop l = loop_of(m, &def);
    double worst = 0;
    for (int k = 0; k < 4; k++) {
        const double t = 0.3 * (k + 1);
        double qt[N];
        run(&l, 0.3 * k, 0.3, 600, q, v);
        CHECK_STATUS(pinion_trajectory_at(target, t, qt, NULL, NULL), PINION_OK);
        for (int i = 0; i < N; i++) {
            const double decay = kd[i] / 2, w = sqrt(kp[i] - decay * decay);
            const double e = start[i] * exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
            worst = fmax(worst, fabs(qt[i] - q[i] - e));
        }
    }
    printf("    worst difference %.1e rad\n", worst);
    CHECK(worst < 1e-9);
    loop_free(&l);
    pinion_trajectory_free(target);
    pinion_model_free(m);
}

/* a target that starts at rest and then moves fast, with angular velocities whose direction changes */
static pinion_trajectory *tumbling(const pinion_model *m, double duration)
{
    enum { COUNT = 9 };
    const int nq = pinion_model_nq(m), nv = pinion_model_nv(m);
    double t[COUNT], q[COUNT * 7], v[COUNT * 6], a[COUNT * 6], step[6];
    memset(v, 0, sizeof v);
    memset(a, 0, sizeof a); /* continuous everywhere, so that the method has its order */
    CHECK_STATUS(pinion_neutral(m, q), PINION_OK);
    for (int k = 0; k < COUNT; k++) {
        t[k] = duration * k / (COUNT - 1);
        for (int i = 0; i < nv; i++) {
            step[i] = 0.8 * sin(1.0 + 2 * i + 0.7 * k * (i + 1));
            if (k > 0) v[k * nv + i] = step[i] * (COUNT - 1) / duration;
        }
        if (k + 1 < COUNT)
            CHECK_STATUS(pinion_integrate(m, q + k * nq, step, 1, q + (k + 1) * nq), PINION_OK);
    }
    return pinion_trajectory_samples(m, COUNT, t, q, v, a, NULL);
}

TEST(computed_torque_on_manifolds)
{
    /* a small error decays as on a line, (1 + r t) exp(-r t), however fast the target turns meanwhile */
    const pinion_joint_type types[3] = {PINION_JOINT_PLANAR, PINION_JOINT_SPHERICAL, PINION_JOINT_FREE};
    for (int k = 0; k < 3; k++) {
        pinion_model *m = motion_single(types[k]);
        const int nv = pinion_model_nv(m);
        const double rate = 3;
        double kp[6], kd[6], q[7], v[6] = {0}, e0[6], back[6], e[6], qt[7], vt[6], fastest = 0, worst = 0;
        for (int i = 0; i < nv; i++) {
            kp[i] = rate * rate, kd[i] = 2 * rate;
            e0[i] = 1e-5 * (i % 2 ? -1 : 2);
            back[i] = -e0[i];
        }
        pinion_trajectory *target = tumbling(m, 2);
        CHECK(target != NULL);
        pinion_control_def def = pinion_control_def_default();
        def.kind = PINION_CONTROL_COMPUTED;
        def.target = target;
        def.kp = kp;
        def.kd = kd;
        loop l = loop_of(m, &def);
        CHECK_STATUS(pinion_trajectory_at(target, 0, qt, vt, NULL), PINION_OK);
        CHECK_STATUS(pinion_integrate(m, qt, back, 1, q), PINION_OK);
        for (int n = 0; n < 8; n++) {
            const double t = 0.25 * (n + 1), left = (1 + rate * t) * exp(-rate * t);
            run(&l, 0.25 * n, 0.25, 250, q, v);
            CHECK_STATUS(pinion_trajectory_at(target, t, qt, vt, NULL), PINION_OK);
            CHECK_STATUS(pinion_difference(m, q, qt, e), PINION_OK);
            for (int i = 0; i < nv; i++) {
                worst = fmax(worst, fabs(e[i] - left * e0[i]));
                fastest = fmax(fastest, fabs(vt[i]));
            }
        }
        printf("    %s: of an error of 2e-5, at most %.1e beside the closed form; target up to %.1f rad/s\n",
               pinion_joint_type_name(types[k]), worst, fastest);
        CHECK(worst < 2e-8);
        CHECK(fastest > 2);
        loop_free(&l);
        pinion_trajectory_free(target);
        pinion_model_free(m);
    }
}

TEST(computed_torque_from_afar)
{
    /* two radians off and moving: it comes back to a target that tumbles */
    const pinion_joint_type types[3] = {PINION_JOINT_PLANAR, PINION_JOINT_SPHERICAL, PINION_JOINT_FREE};
    for (int k = 0; k < 3; k++) {
        pinion_model *m = motion_single(types[k]);
        const int nv = pinion_model_nv(m);
        double kp[6], kd[6], q[7], v[6] = {1, -2, 1, 1, -1, 2}, e[6] = {1.2, -1, 1.3, 0.5, -0.4, 1}, qt[7],
                                   vt[6];
        for (int i = 0; i < nv; i++) kp[i] = 100, kd[i] = 20;
        pinion_trajectory *target = tumbling(m, 4);
        pinion_control_def def = pinion_control_def_default();
        def.kind = PINION_CONTROL_COMPUTED;
        def.target = target;
        def.kp = kp;
        def.kd = kd;
        loop l = loop_of(m, &def);
        CHECK_STATUS(pinion_trajectory_at(target, 0, qt, NULL, NULL), PINION_OK);
        CHECK_STATUS(pinion_integrate(m, qt, e, 1, q), PINION_OK);
        run(&l, 0, 3.5, 3500, q, v);
        CHECK_STATUS(pinion_trajectory_at(target, 3.5, qt, vt, NULL), PINION_OK);
        CHECK_STATUS(pinion_difference(m, q, qt, e), PINION_OK);
        for (int i = 0; i < nv; i++) {
            CHECK_NEAR(e[i], 0, 1e-8);
            CHECK_NEAR(v[i], vt[i], 1e-7);
        }
        loop_free(&l);
        pinion_trajectory_free(target);
        pinion_model_free(m);
    }
}

TEST(pd_on_manifolds)
{
    /* with gravity taken off it comes to rest where it should; without, off by what holds the weight */
    const pinion_joint_type types[3] = {PINION_JOINT_PLANAR, PINION_JOINT_SPHERICAL, PINION_JOINT_FREE};
    for (int k = 0; k < 3; k++) {
        pinion_model *m = motion_single(types[k]);
        const int nv = pinion_model_nv(m);
        double kp[6], kd[6], hold[7], q[7], v[6] = {0.5, -1, 0.3, 0, 1, 0}, e[6], tau[6];
        for (int i = 0; i < nv; i++) kp[i] = 60, kd[i] = 12;
        CHECK_STATUS(pinion_random(m, check_seed + 1, hold), PINION_OK);
        CHECK_STATUS(pinion_random(m, check_seed + 2, q), PINION_OK);
        pinion_control_def def = pinion_control_def_default();
        def.kind = PINION_CONTROL_PD;
        def.hold = hold;
        def.kp = kp;
        def.kd = kd;
        for (int gravity = 1; gravity >= 0; gravity--) {
            def.gravity = gravity;
            loop l = loop_of(m, &def);
            run(&l, 0, 30, 10000, q, v);
            CHECK_STATUS(pinion_difference(m, q, hold, e), PINION_OK);
            CHECK_STATUS(pinion_gravity(m, l.w, q, tau), PINION_OK);
            for (int i = 0; i < nv; i++) {
                CHECK_NEAR(v[i], 0, 1e-9);
                CHECK_NEAR(60 * e[i], gravity ? 0 : tau[i], 1e-7);
            }
            loop_free(&l);
        }
        pinion_model_free(m);
    }
}

TEST(velocity_feedback_sees_one_motion)
{
    /* a body that moves rigidly with the target, but displaced: its twist is the target's, seen from another
     * frame, and PD without kp exerts nothing */
    uint64_t seed = check_seed;
    const pinion_joint_type types[3] = {PINION_JOINT_PLANAR, PINION_JOINT_SPHERICAL, PINION_JOINT_FREE};
    for (int k = 0; k < 3; k++) {
        pinion_model *m = motion_single(types[k]);
        const int nv = pinion_model_nv(m);
        pinion_trajectory *target = tumbling(m, 2);
        double kd[6], shift[6], q[2][7], qt[7], qd[7], v[6], tau[6];
        for (int i = 0; i < nv; i++) kd[i] = 1, shift[i] = check_between(&seed, -1, 1);
        pinion_control_def def = pinion_control_def_default();
        def.kind = PINION_CONTROL_PD;
        def.target = target;
        def.kd = kd;
        loop l = loop_of(m, &def);

        /* q(t) = q_target(t) (+) shift moves rigidly with it; v by differences */
        const double t = 1.1, h = 1e-5;
        for (int s = 0; s < 2; s++) {
            CHECK_STATUS(pinion_trajectory_at(target, t + (s ? h : -h), qt, NULL, NULL), PINION_OK);
            CHECK_STATUS(pinion_integrate(m, qt, shift, 1, q[s]), PINION_OK);
        }
        CHECK_STATUS(pinion_difference(m, q[0], q[1], v), PINION_OK);
        for (int i = 0; i < nv; i++) v[i] /= 2 * h;
        CHECK_STATUS(pinion_trajectory_at(target, t, qt, NULL, NULL), PINION_OK);
        CHECK_STATUS(pinion_integrate(m, qt, shift, 1, qd), PINION_OK);
        CHECK_STATUS(pinion_controller_torque(l.c, t, qd, v, tau), PINION_OK);
        for (int i = 0; i < nv; i++) CHECK_NEAR(tau[i], 0, 1e-7);
        CHECK(fabs(v[0]) > 1e-2);
        loop_free(&l);
        pinion_trajectory_free(target);
        pinion_model_free(m);
    }
}

/* ---- refused ---- */

static void refuse(const pinion_model *m, const pinion_control_def *def, pinion_status status,
                   const char *part)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK(!pinion_controller_new(m, def, &err));
    CHECK_STATUS(err.status, status);
    CHECK_HAS(err.message, part);
    CHECK(!pinion_controller_new(m, def, NULL));
}

TEST(refused)
{
    pinion_model *m = motion_single(PINION_JOINT_SPHERICAL);
    double bad[7] = {1, NAN, 2, 3}, good[7] = {1, 0, 0, 0}, negative[3] = {1, 2, -1}, far[4] = {1, 1, 0, 0};
    const double t[3] = {0, 1, 1}, tau[9] = {0, 0, 0, 0, INFINITY};
    const pinion_control_def start = pinion_control_def_default();
    pinion_control_def def = start;
    def.cookie = 0;
    refuse(m, &def, PINION_ERR_ARGUMENT, "pinion_control_def_default()");
    def = start;
    def.kind = PINION_CONTROL_COUNT;
    refuse(m, &def, PINION_ERR_ARGUMENT, "kind");
    def = start;
    def.tau = bad;
    refuse(m, &def, PINION_ERR_ARGUMENT, "tau[1] is not a finite");
    def.kind = PINION_CONTROL_TABLE;
    refuse(m, &def, PINION_ERR_ARGUMENT, "count");
    def.count = 3;
    refuse(m, &def, PINION_ERR_ARGUMENT, "table_t or table_tau is NULL");
    def.table_t = t;
    def.table_tau = tau;
    refuse(m, &def, PINION_ERR_ARGUMENT, "table_t[2] is not after table_t[1]");
    def.count = 2;
    refuse(m, &def, PINION_ERR_ARGUMENT, "table_tau[1][1] is not a finite");
    def = start;
    def.kind = PINION_CONTROL_PD;
    refuse(m, &def, PINION_ERR_ARGUMENT, "target and hold are NULL");
    def.hold = bad;
    refuse(m, &def, PINION_ERR_ARGUMENT, "hold[1] is not a finite");
    def.hold = far;
    refuse(m, &def, PINION_ERR_QUATERNION, "hold");
    def.hold = good;
    def.kp = negative;
    refuse(m, &def, PINION_ERR_ARGUMENT, "kp[2] is negative");
    def.kp = NULL;
    def.kd = bad;
    refuse(m, &def, PINION_ERR_ARGUMENT, "kd[1] is not a finite");
    def.kd = NULL;
    def.kind = PINION_CONTROL_COMPUTED;
    def.gravity = 1;
    refuse(m, &def, PINION_ERR_ARGUMENT, "gravity");
    def.gravity = 0;
    refuse(NULL, &def, PINION_ERR_ARGUMENT, "no model");
    refuse(m, NULL, PINION_ERR_ARGUMENT, "no def");

    /* a state that is none is passed on as what it is */
    pinion_controller *c = pinion_controller_new(m, &def, NULL);
    double v[3] = {0}, out[3];
    CHECK_STATUS(pinion_controller_torque(c, 0, far, v, out), PINION_ERR_QUATERNION);
    CHECK_STATUS(pinion_controller_torque(c, 0, NULL, v, out), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_controller_torque(NULL, 0, good, v, out), PINION_ERR_ARGUMENT);
    pinion_controller_free(c);
    pinion_controller_free(NULL);
    pinion_model_free(m);
}

/* ---- torques from a file ---- */

static char path[512];

static pinion_status load(const pinion_model *m, const char *text, int *count, double **t, double **tau,
                          pinion_error *err)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
    return pinion_torques_load(m, path, count, t, tau, err);
}

static pinion_model *two_joints(void)
{
    pinion_builder *b = pinion_builder_new("two");
    motion_link(b, "base", 0, 0);
    motion_link(b, "a", 1, 0.1);
    motion_link(b, "b", 1, 0.1);
    pinion_joint_def joint = motion_joint("shoulder", PINION_JOINT_CONTINUOUS, "base", "a", 0, 1, 0);
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    joint = motion_joint("wrist", PINION_JOINT_SPHERICAL, "a", "b", 0, 0, 1);
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    pinion_builder_free(b);
    return m;
}

TEST(torques_from_csv)
{
    pinion_model *m = two_joints();
    pinion_error err = {PINION_OK, 0, 0, ""};
    int count = 0;
    double *t = NULL, *tau = NULL;
    /* any order, units, a column that is not asked for, two torques that are not there */
    const char *named = "# torques\ntau.wrist.2 [N m],q.shoulder [rad],t [s],tau.shoulder [N m]\n"
                        "1,9,0,2\n3.5,9,0.25,-4e-1\n\n";
    CHECK_STATUS(load(m, named, &count, &t, &tau, &err), PINION_OK);
    const double expected[8] = {2, 0, 0, 1, -0.4, 0, 0, 3.5};
    CHECK(count == 2);
    if (count == 2) CHECK(t[0] == 0 && t[1] == 0.25 && !memcmp(tau, expected, sizeof expected));
    pinion_free(t);
    pinion_free(tau);
    t = tau = NULL;
    /* all that results of runs and of inverse dynamics have */
    const char *result = "t,q.shoulder,v.wrist.0,a.x,tau.shoulder,tau.wrist.0,tau.wrist.1,tau.wrist.2,energy.work,"
                         "constraint,actuator.m,target.q.x,error.v.x,contact.count,frame.f.rpy.0,sensor.s,power,"
                         "power.x,reaction.x.nx\n0,9,9,9,1,2,3,4,9,9,9,9,9,9,9,9,9,9,9\n";
    CHECK_STATUS(load(m, result, &count, &t, &tau, &err), PINION_OK);
    CHECK(count == 1);
    for (int i = 0; i < 4 && tau; i++) CHECK(tau[i] == i + 1);
    pinion_free(t);
    pinion_free(tau);
    t = tau = NULL;
    CHECK_STATUS(load(m, "0,1,2,3,4\n1,5,6,7,8\n", &count, &t, &tau, &err), PINION_OK);
    CHECK(count == 2);
    for (int i = 0; i < 8 && tau; i++) CHECK(tau[i] == i + 1);

    /* and into a controller */
    pinion_control_def def = pinion_control_def_default();
    def.kind = PINION_CONTROL_TABLE;
    def.count = count;
    def.table_t = t;
    def.table_tau = tau;
    loop l = loop_of(m, &def);
    pinion_free(t);
    pinion_free(tau);
    double q[5] = {0, 1, 0, 0, 0}, v[4] = {0}, out[4];
    CHECK_STATUS(pinion_controller_torque(l.c, 0.5, q, v, out), PINION_OK);
    for (int i = 0; i < 4; i++) CHECK_NEAR(out[i], i + 3, 1e-14);
    loop_free(&l);
    pinion_model_free(m);
}

TEST(malformed_csv)
{
    pinion_model *m = two_joints();
    static const struct {
        int line;
        const char *part, *text;
    } files[] = {
        {1, "has 3 numbers, expected the time and 4", "1,2,3\n"},
        {0, "no column \"t\"", "tau.shoulder,x\n1,2\n"},
        {0, "no column names a torque", "t,x\n1,2\n"},
        {0, "\"tau.elbow\" names no torque", "t,tau.shoulder,tau.elbow\n1,2,3\n"},
        {0, "\"tau_wrist\" names no torque", "t,tau.shoulder,tau_wrist\n1,2,3\n"},
        {0, "\"time\" names no torque", "t,time,tau.shoulder\n1,2,3\n"},
        {0, "\"shoulder [N m]\" names no torque", "t,tau.wrist.0,shoulder [N m]\n1,2,3\n"},
        {0, "\"q\" names no torque", "t,tau.wrist.0,q\n1,2,3\n"},
        {0, "\"constraints\" names no torque", "t,tau.wrist.0,constraints\n1,2,3\n"},
        {0, "no rows", "t,tau.shoulder\n"},
        {4, "not after", "t,tau.shoulder\n0,1\n1,2\n1,3\n"},
        {2, "time is not a finite", "t,tau.shoulder\nnan,1\n"},
        {3, "torque is not a finite", "t,tau.shoulder\n0,1\n1,inf\n"},
        {3, "", "t,tau.shoulder\n0,1\n1,two\n"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        int count = -3;
        double *t = NULL, *tau = NULL;
        CHECK_STATUS(load(m, files[i].text, &count, &t, &tau, &err), PINION_ERR_PARSE);
        CHECK_STATUS(err.status, PINION_ERR_PARSE);
        CHECK_HAS(err.message, files[i].part);
        CHECK_HAS(err.message, strrchr(path, '/'));
        if (err.line != files[i].line)
            CHECK_FAIL("line %d, expected %d: %s", err.line, files[i].line, err.message);
        CHECK(count == -3 && !t && !tau);
        CHECK_STATUS(pinion_torques_load(m, path, &count, &t, &tau, NULL), PINION_ERR_PARSE);
    }
    int count;
    double *t, *tau;
    CHECK_STATUS(pinion_torques_load(m, "/nonexistent/tau.csv", &count, &t, &tau, NULL), PINION_ERR_FILE);
    CHECK_STATUS(pinion_torques_load(m, path, NULL, &t, &tau, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_torques_load(NULL, path, &count, &t, &tau, NULL), PINION_ERR_ARGUMENT);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    const char *place = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.400s/pinion-torques-XXXXXX", place ? place : "/tmp");
    const int file = mkstemp(path);
    if (file < 0) return 1;
    close(file);
    RUN(constant);
    RUN(table);
    RUN(effort_limits);
    RUN(pd_closed_form);
    RUN(computed_torque_closed_form);
    RUN(computed_torque_on_manifolds);
    RUN(computed_torque_from_afar);
    RUN(pd_on_manifolds);
    RUN(velocity_feedback_sees_one_motion);
    RUN(refused);
    RUN(torques_from_csv);
    RUN(malformed_csv);
    unlink(path);
    return CHECK_END();
}
