/* Machines that float: the generalized Jacobian, motion without momentum, and what stays over long runs. */
#include "../fluid/runs.h"
#include "pinion/sim/trajectory.h"

enum { MOST = 64 };

/* a random tree on a free root, without gravity */
static pinion_model *floating_tree(int joints, uint64_t seed)
{
    const double none[3] = {0, 0, 0};
    pinion_error err = {0};
    pinion_model *m = pinion_random_tree(joints, 1, seed, &err);
    CHECK(m);
    if (m) CHECK_STATUS(pinion_model_set_gravity(m, none), PINION_OK);
    return m;
}

static void times(const double *A, const double *x, int rows, int n, double *y)
{
    for (int r = 0; r < rows; r++) {
        y[r] = 0;
        for (int i = 0; i < n; i++) y[r] += A[r * n + i] * x[i];
    }
}

/* single precision, of one state and of a batch: as near as its rounding and the tree's condition let it */
static void check_f32(const pinion_model *m, const double *q, int frame, pinion_reference reference, const double *G,
                      const double *B)
{
    const int nq = pinion_model_nq(m), nv = pinion_model_nv(m);
    float x[2 * MOST], J[6 * MOST], K[6 * MOST], C[36], D[36];
    pinion_work_f32 *w = pinion_work_f32_new(m);
    pinion_batch *b = pinion_batch_new(m, 1);
    double top[2] = {1, 1};
    for (int i = 0; i < nq; i++) x[i] = (float)q[i];
    CHECK_STATUS(pinion_generalized_jacobian_f32(m, w, x, frame, reference, J, C), PINION_OK);
    CHECK_STATUS(pinion_batch_generalized_jacobian_f32(b, 1, x, frame, reference, K, D), PINION_OK);
    for (int i = 0; i < 6 * nv; i++) top[0] = fmax(top[0], fabs(G[i]));
    for (int i = 0; i < 36; i++) top[1] = fmax(top[1], fabs(B[i]));
    for (int i = 0; i < 6 * nv; i++) {
        CHECK_NEAR(J[i], G[i], 1e-4 * top[0]);
        CHECK_NEAR(K[i], G[i], 1e-4 * top[0]);
    }
    for (int i = 0; i < 36; i++) {
        CHECK_NEAR(C[i], B[i], 1e-4 * top[1]);
        CHECK_NEAR(D[i], B[i], 1e-4 * top[1]);
    }
    pinion_batch_free(b);
    pinion_work_f32_free(w);
}

/* J v = J* v + B h in all references, whatever v is, with h from the bodies' own momentum */
TEST(velocity_from_joints_and_momentum)
{
    static const pinion_reference references[3] = {PINION_REFERENCE_WORLD_ALIGNED, PINION_REFERENCE_LOCAL,
                                                   PINION_REFERENCE_WORLD};
    uint64_t random = check_seed;
    for (int joints = 2; joints <= 20; joints += 3) {
        pinion_model *m = floating_tree(joints, check_seed + (uint64_t)joints);
        if (!m) continue;
        pinion_work *w = pinion_work_new(m);
        const int nv = pinion_model_nv(m), last = pinion_model_frame_count(m) - 1;
        double q[2 * MOST], v[MOST], J[6 * MOST], G[6 * MOST], B[36], h[6], x[6], y[6], z[6];
        CHECK(nv <= MOST);
        for (int k = 0; k < 6; k++) {
            const pinion_reference reference = references[k % 3];
            const int frame = k < 3 ? last : last / 2;
            CHECK_STATUS(pinion_random(m, random + (uint64_t)k, q), PINION_OK);
            for (int i = 0; i < nv; i++) v[i] = check_between(&random, -1, 1);
            CHECK_STATUS(pinion_momentum(m, w, q, v, h), PINION_OK);
            CHECK_STATUS(pinion_jacobian(m, w, q, frame, reference, J), PINION_OK);
            CHECK_STATUS(pinion_generalized_jacobian(m, w, q, frame, reference, G, B), PINION_OK);
            times(J, v, 6, nv, x);
            times(G, v, 6, nv, y);
            times(B, h, 6, 6, z);
            for (int i = 0; i < 6; i++) CHECK_NEAR(y[i] + z[i], x[i], 1e-9 * (1 + fabs(x[i]) + fabs(z[i])));
            check_f32(m, q, frame, reference, G, B);
            for (int r = 0; r < 6; r++)
                for (int c = 0; c < 6; c++) CHECK(G[r * nv + c] == 0);
        }
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

/* torques that come from inside alone */
static pinion_status inside(void *user, double t, const double *q, const double *v, double *tau)
{
    const int nv = *(const int *)user;
    (void)q, (void)v;
    for (int i = 0; i < nv; i++) tau[i] = i < 6 ? 0 : 0.3 * sin((i - 4) * t + i);
    return PINION_OK;
}

/* A finite motion of the dynamics: from any start the momentum stays, and a frame moves by J* and what it was. */
TEST(dynamics_keep_to_it)
{
    for (int joints = 3; joints <= 7; joints += 2) {
        pinion_model *m = floating_tree(joints, check_seed + 100 + (uint64_t)joints);
        if (!m) continue;
        pinion_work *w = pinion_work_new(m);
        int nv = pinion_model_nv(m);
        const int frame = pinion_model_frame_count(m) - 1;
        uint64_t random = check_seed + 7;
        double q[2 * MOST], v[MOST], J[6 * MOST], G[6 * MOST], B[36], h[6], end[6], x[6], y[6], z[6];
        CHECK_STATUS(pinion_random(m, random, q), PINION_OK);
        for (int i = 0; i < nv; i++) v[i] = check_between(&random, -0.5, 0.5);
        CHECK_STATUS(pinion_momentum(m, w, q, v, h), PINION_OK);
        pinion_sim_options options = pinion_sim_options_default();
        options.torque = inside;
        options.torque_user = &nv;
        options.passive = 0;
        pinion_sim *s = pinion_sim_new(m, &options, NULL);
        pinion_sim_state state = {.q = q, .v = v};
        CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
        CHECK_STATUS(pinion_sim_advance(s, 0.5), PINION_OK);
        CHECK_STATUS(pinion_sim_get(s, &state), PINION_OK);
        CHECK_STATUS(pinion_momentum(m, w, q, v, end), PINION_OK);
        CHECK_STATUS(pinion_jacobian(m, w, q, frame, PINION_REFERENCE_WORLD_ALIGNED, J), PINION_OK);
        CHECK_STATUS(pinion_generalized_jacobian(m, w, q, frame, PINION_REFERENCE_WORLD_ALIGNED, G, B), PINION_OK);
        times(J, v, 6, nv, x);
        times(G, v, 6, nv, y);
        times(B, h, 6, 6, z); /* the momentum of the start */
        for (int i = 0; i < 6; i++) {
            CHECK_NEAR(end[i], h[i], 1e-9 * (1 + fabs(h[i])));
            CHECK_NEAR(y[i] + z[i], x[i], 1e-7 * (1 + fabs(x[i]) + fabs(z[i])));
        }
        pinion_sim_free(s);
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

/* a chain of bars in the plane z = 0 on a joint of that type: free or planar */
static pinion_model *bars(pinion_joint_type root, int count)
{
    const double none[3] = {0, 0, 0};
    static const char *const name[4] = {"hull", "upper", "lower", "hand"};
    pinion_builder *b = pinion_builder_new("bars");
    CHECK_STATUS(pinion_builder_set_gravity(b, none, NULL), PINION_OK);
    for (int i = -1; i < count; i++) {
        pinion_link_def link = pinion_link_def_default();
        pinion_joint_def joint = pinion_joint_def_default();
        link.name = i < 0 ? "ground" : name[i];
        link.inertia.mass = i < 0 ? 0 : i == 0 ? 20 : 4 - i;
        link.inertia.com[0] = i > 0 ? 0.3 : 0;
        for (int k = 0; i >= 0 && k < 3; k++) link.inertia.inertia[k == 0 ? 0 : k == 1 ? 3 : 5] = i == 0 ? 2 : 0.1;
        CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
        if (i < 0) continue;
        joint.name = joint.child = name[i];
        joint.parent = i ? name[i - 1] : "ground";
        joint.type = i ? PINION_JOINT_CONTINUOUS : root;
        joint.parent_pose.position[0] = i > 1 ? 0.6 : i ? 0.4 : 0;
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    pinion_builder_free(b);
    CHECK(m);
    return m;
}

/* in its plane a chain floats alike on a free and on a planar joint */
TEST(planar_and_free)
{
    pinion_model *flat = bars(PINION_JOINT_PLANAR, 4), *whole = bars(PINION_JOINT_FREE, 4);
    pinion_work *a = pinion_work_new(flat), *b = pinion_work_new(whole);
    const double angle = 0.4, p[3] = {0.3, -0.2, angle}, bend[3] = {0.5, 1.1, -0.7};
    double q[6], x[10] = {cos(angle / 2), 0, 0, sin(angle / 2), p[0], p[1], 0}, G[36], H[54];
    for (int i = 0; i < 3; i++) q[i] = p[i], q[3 + i] = x[7 + i] = bend[i];
    const int frame = pinion_model_find_frame(flat, "hand");
    CHECK_STATUS(pinion_generalized_jacobian(flat, a, q, frame, PINION_REFERENCE_LOCAL, G, NULL), PINION_OK);
    CHECK_STATUS(pinion_generalized_jacobian(whole, b, x, frame, PINION_REFERENCE_LOCAL, H, NULL), PINION_OK);
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 3; c++) CHECK_NEAR(G[6 * r + 3 + c], H[9 * r + 6 + c], 1e-13);
    pinion_work_free(a);
    pinion_work_free(b);
    pinion_model_free(flat);
    pinion_model_free(whole);
}

/* Inverse kinematics: the joints take the hand to a pose, and forward dynamics with their torques alone takes it there,
 * too, since what the base's joint would have to do is nothing. */
static pinion_status along(void *user, double t, const double *q, const double *v, double *tau)
{
    void **const u = user;
    double x[16], y[16], a[16];
    (void)q, (void)v;
    CHECK_STATUS(pinion_trajectory_at(u[0], t, x, y, a), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(u[1], u[2], x, y, a, NULL, tau), PINION_OK);
    const pinion_joint_type type = *(const pinion_joint_type *)u[3];
    for (int i = 0; i < (type == PINION_JOINT_FREE ? 6 : 3); i++) {
        CHECK_NEAR(tau[i], 0, 1e-6);
        tau[i] = 0;
    }
    return PINION_OK;
}

static void check_reach(pinion_joint_type type)
{
    pinion_model *m = bars(type, 4);
    pinion_work *w = pinion_work_new(m);
    const int frame = pinion_model_find_frame(m, "hand"), free = type == PINION_JOINT_FREE, n = free ? 6 : 3;
    const double bend[3] = {0.5, 0.9, -0.6}, turn = 0.3;
    double q[10] = {0}, v[9] = {0}, p[3], R[9], h[6];
    q[0] = free;
    for (int i = 0; i < 3; i++) q[(free ? 7 : 3) + i] = bend[i];
    pinion_pose target;
    CHECK_STATUS(pinion_frame_pose(m, w, q, frame, p, R), PINION_OK);
    for (int r = 0; r < 3; r++) {
        target.position[r] = p[r] + (r == 0 ? -0.15 : r == 1 ? -0.1 : 0);
        for (int c = 0; c < 3; c++) /* turned about z */
            target.rotation[3 * r + c] = r == 2   ? R[6 + c]
                                         : r == 0 ? cos(turn) * R[c] - sin(turn) * R[3 + c]
                                                  : sin(turn) * R[c] + cos(turn) * R[3 + c];
    }
    pinion_error err = {0};
    pinion_trajectory *path =
        pinion_trajectory_floating(m, q, frame, &target, 2, PINION_PROFILE_QUINTIC, 0, NULL, &err);
    CHECK(path);
    if (!path) puts(err.message);
    for (int k = 0; path && k <= 20; k++) {
        double x[10], y[9], a[9];
        CHECK_STATUS(pinion_trajectory_at(path, 0.1 * k, x, y, a), PINION_OK);
        CHECK_STATUS(pinion_momentum(m, w, x, y, h), PINION_OK);
        for (int i = 0; i < 6; i++) CHECK_NEAR(h[i], 0, 1e-9);
    }
    void *user[4] = {path, m, pinion_work_new(m), &type};
    pinion_sim_options options = pinion_sim_options_default();
    options.torque = along;
    options.torque_user = user;
    pinion_sim *s = path ? pinion_sim_new(m, &options, NULL) : NULL;
    pinion_sim_state state = {.q = q, .v = v};
    if (s) {
        double e = 0;
        CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
        CHECK_STATUS(pinion_sim_advance(s, 2), PINION_OK);
        CHECK_STATUS(pinion_sim_get(s, &state), PINION_OK);
        CHECK_STATUS(pinion_frame_pose(m, w, q, frame, p, R), PINION_OK);
        for (int i = 0; i < 3; i++) CHECK_NEAR(p[i], target.position[i], 1e-6);
        for (int i = 0; i < 9; i++) CHECK_NEAR(R[i], target.rotation[i], 1e-6);
        /* and the base has turned, as nothing held it */
        for (int i = 0; i < n; i++) e += fabs(q[i] - (free && i == 0));
        CHECK(e > 0.01);
    }
    pinion_sim_free(s);
    pinion_work_free(user[2]);
    pinion_trajectory_free(path);
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(reach)
{
    check_reach(PINION_JOINT_PLANAR);
    /* three joints in a plane reach poses there alone: the other three directions are as they are */
    check_reach(PINION_JOINT_FREE);
}

TEST(reach_refuses)
{
    pinion_error err = {0};
    pinion_model *m = bars(PINION_JOINT_PLANAR, 4), *fixed = pinion_random_chain(6, check_seed, &err);
    pinion_pose far = pinion_pose_identity();
    far.position[0] = 10;
    double q[6] = {0, 0, 0, 0.5, 0.9, -0.6}, x[16];
    const int frame = pinion_model_find_frame(m, "hand");
    CHECK(!pinion_trajectory_floating(m, q, frame, &far, 1, PINION_PROFILE_QUINTIC, 0, NULL, &err));
    CHECK(err.status == PINION_ERR_CONVERGENCE && strstr(err.message, "cannot go on"));
    if (fixed && pinion_neutral(fixed, x) == PINION_OK)
        CHECK(!pinion_trajectory_floating(fixed, x, 1, &far, 1, PINION_PROFILE_QUINTIC, 0, NULL, &err));
    CHECK(err.status == PINION_ERR_UNSUPPORTED && strstr(err.message, "float"));
    pinion_model_free(m);
    pinion_model_free(fixed);
}

/* what there is nothing to turn against is said */
TEST(without_inertia)
{
    pinion_model *m = hull(2, (double[3]){0, 0, 0}, (double[6]){0}, NULL, 0);
    pinion_work *w = pinion_work_new(m);
    const double q[7] = {1};
    double G[36];
    CHECK_STATUS(pinion_generalized_jacobian(m, w, q, 0, PINION_REFERENCE_LOCAL, G, NULL), PINION_ERR_SINGULAR);
    pinion_work_free(w);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(velocity_from_joints_and_momentum);
    RUN(dynamics_keep_to_it);
    RUN(planar_and_free);
    RUN(reach);
    RUN(reach_refuses);
    RUN(without_inertia);
    return CHECK_END();
}
