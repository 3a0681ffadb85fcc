/* Models whose mass matrix is singular, always or in some states: inverse dynamics and M are as good as ever,
 * forward dynamics answers PINION_ERR_SINGULAR and never a number that looks right. Small inertias are not
 * singular. */
#include "identity.h"

/* ---- building by hand ---- */

typedef struct kit {
    pinion_builder *b;
    pinion_error err;
} kit;

static kit kit_new(void)
{
    kit k = {pinion_builder_new("kit"), {0}};
    return k;
}

static void kit_link(kit *k, const char *name, double mass, double x, double size)
{
    pinion_link_def link = pinion_link_def_default();
    link.name = name;
    link.inertia = (pinion_inertia){mass, {x, 0, 0}, {size, 0, 0, size, 0, size}};
    CHECK_STATUS(pinion_builder_add_link(k->b, &link, &k->err), PINION_OK);
}

/* a joint at x along the parent's x, about z */
static pinion_joint_def kit_joint(pinion_joint_type type, const char *name, const char *parent,
                                  const char *child, double x)
{
    pinion_joint_def joint = pinion_joint_def_default();
    joint.name = name;
    joint.type = type;
    joint.parent = parent;
    joint.child = child;
    joint.parent_pose.position[0] = x;
    return joint;
}

static void kit_add(kit *k, pinion_joint_def joint)
{
    CHECK_STATUS(pinion_builder_add_joint(k->b, &joint, &k->err), PINION_OK);
}

static int kit_build(kit *k, pinion_root root, subject *s)
{
    pinion_load_options options = pinion_load_options_default();
    options.root = root;
    pinion_model *m = pinion_builder_build(k->b, &options, &k->err);
    pinion_builder_free(k->b);
    if (!m) CHECK_FAIL("%s", k->err.message);
    if (!m) return 0;
    subject_init(s, m, check_name, check_seed);
    new_state(s);
    return 1;
}

/* forward dynamics of the state, single and in batches, in both precisions, has this status */
static void check_forward(subject *s, pinion_status expected)
{
    const int n = s->nv;
    double *a = take(s, n), *tau = take(s, n);
    float *q32 = take_bytes(s, (size_t)s->nq * sizeof *q32), *a32 = take_bytes(s, (size_t)n * sizeof *a32);
    pinion_work_f32 *w32 = pinion_work_f32_new(s->m);
    pinion_batch *b = pinion_batch_new(s->m, 1);
    for (int i = 0; i < s->nq; i++) q32[i] = (float)s->q[i];
    CHECK_STATUS(pinion_forward_dynamics(s->m, s->w, s->q, s->v, s->tau, s->f_ext, a), expected);
    CHECK_STATUS(pinion_forward_dynamics_f32(s->m, w32, q32, NULL, NULL, NULL, a32), expected);
    CHECK_STATUS(pinion_batch_forward_dynamics(b, 1, s->q, s->v, s->tau, s->f_ext, a), expected);
    for (int i = 0; i < n; i++) CHECK(expected == PINION_OK ? isfinite(a[i]) : isnan(a[i]));
    CHECK_STATUS(pinion_batch_forward_dynamics_f32(b, 1, q32, NULL, NULL, NULL, a32), expected);
    for (int i = 0; i < n; i++) CHECK(expected == PINION_OK ? isfinite(a32[i]) : isnan(a32[i]));
    if (expected == PINION_OK) {
        FINE(s, pinion_forward_dynamics(s->m, s->w, s->q, s->v, s->tau, NULL, a));
        FINE(s, pinion_inverse_dynamics(s->m, s->w, s->q, s->v, a, NULL, tau));
        CLOSE(s, tau, s->tau, n, 1, 1e-9);
    }
    pinion_batch_free(b);
    pinion_work_f32_free(w32);

    /* inverse dynamics and M do not mind */
    double *M = take_matrix(s, n, n), *bias = take(s, n), *sum = take(s, n);
    FINE(s, pinion_mass_matrix(s->m, s->w, s->q, M));
    FINE(s, pinion_bias(s->m, s->w, s->q, s->v, bias));
    FINE(s, pinion_inverse_dynamics(s->m, s->w, s->q, s->v, s->a, NULL, tau));
    times(M, s->a, n, n, sum);
    for (int i = 0; i < n; i++) sum[i] += bias[i];
    CLOSE(s, sum, tau, n, 10, 1e-12);
}

/* ---- always singular ---- */

static const pinion_joint_type one_axis[] = {PINION_JOINT_REVOLUTE, PINION_JOINT_CONTINUOUS, PINION_JOINT_PRISMATIC,
                                             PINION_JOINT_HELICAL};
static const pinion_joint_type several[] = {PINION_JOINT_CYLINDRICAL, PINION_JOINT_UNIVERSAL, PINION_JOINT_PLANAR,
                                            PINION_JOINT_SPHERICAL, PINION_JOINT_FREE};

/* a massless link at the end of an arm, on a joint of that type; a rotor gives it inertia */
static void massless_leaf(pinion_joint_type type, double rotor, pinion_status expected)
{
    kit k = kit_new();
    subject s;
    kit_link(&k, "base", 0, 0, 0);
    kit_link(&k, "arm", 1, 0.3, 0.1);
    kit_link(&k, "ghost", 0, 0, 0);
    kit_add(&k, kit_joint(PINION_JOINT_REVOLUTE, "shoulder", "base", "arm", 0));
    pinion_joint_def joint = kit_joint(type, "wrist", "arm", "ghost", 0.5);
    if (type == PINION_JOINT_HELICAL) joint.pitch = 0.1;
    for (int d = 0; d < pinion_joint_type_nv(type); d++) {
        joint.dof[d].rotor_inertia = rotor;
        joint.dof[d].gear_ratio = 10;
    }
    kit_add(&k, joint);
    if (!kit_build(&k, PINION_ROOT_FIXED, &s)) return;
    check_forward(&s, expected);
    if (expected != PINION_OK) {
        double a[7];
        CHECK_STATUS(pinion_forward_dynamics(s.m, s.w, s.q, NULL, NULL, NULL, a), PINION_ERR_SINGULAR);
        CHECK_HAS(pinion_work_message(s.w), "wrist");
    }
    subject_free(&s);
}

TEST(a_massless_leaf_is_singular)
{
    for (size_t i = 0; i < 4; i++) massless_leaf(one_axis[i], 0, PINION_ERR_SINGULAR);
    for (size_t i = 0; i < 5; i++) massless_leaf(several[i], 0, PINION_ERR_SINGULAR);
}

TEST(a_rotor_is_inertia_enough)
{
    for (size_t i = 0; i < 4; i++) massless_leaf(one_axis[i], 1e-4, PINION_OK);
    for (size_t i = 0; i < 5; i++) massless_leaf(several[i], 1e-4, PINION_OK);
}

/* the base of a free robot weighs nothing: its turn about the first joint's axis moves nothing */
TEST(a_massless_free_base_is_singular)
{
    kit k = kit_new();
    subject s;
    kit_link(&k, "base", 0, 0, 0);
    kit_link(&k, "arm", 1, 0.3, 0.1);
    kit_add(&k, kit_joint(PINION_JOINT_REVOLUTE, "shoulder", "base", "arm", 0));
    if (!kit_build(&k, PINION_ROOT_FREE, &s)) return;
    check_forward(&s, PINION_ERR_SINGULAR);
    subject_free(&s);
}

/* two joints on one axis with nothing between */
TEST(two_joints_on_one_axis_are_singular)
{
    kit k = kit_new();
    subject s;
    kit_link(&k, "base", 0, 0, 0);
    kit_link(&k, "ring", 0, 0, 0);
    kit_link(&k, "arm", 1, 0.3, 0.1);
    kit_add(&k, kit_joint(PINION_JOINT_REVOLUTE, "first", "base", "ring", 0));
    kit_add(&k, kit_joint(PINION_JOINT_REVOLUTE, "second", "ring", "arm", 0));
    if (!kit_build(&k, PINION_ROOT_FIXED, &s)) return;
    check_forward(&s, PINION_ERR_SINGULAR);
    subject_free(&s);
}

/* a rotation by three angles */
static void any_rotation(subject *s, double R[9])
{
    const double a = spread(s, 3), b = spread(s, 1.5), c = spread(s, 3);
    const double x[9] = {1, 0, 0, 0, cos(a), -sin(a), 0, sin(a), cos(a)};
    const double y[9] = {cos(b), 0, sin(b), 0, 1, 0, -sin(b), 0, cos(b)};
    const double z[9] = {cos(c), -sin(c), 0, sin(c), cos(c), 0, 0, 0, 1};
    times33(x, y, R);
    times33(R, z, R);
}

/* The same in any place: somewhere along an arm, about any axis, the second joint shifted along it, so that
 * no zero of the arithmetic is exact. A rounding error of inertia left over must not pass for inertia. */
static void any_orientation(int trial, int followers)
{
    kit k = kit_new();
    subject s = {.random = check_seed + 1000 * (uint64_t)trial};
    const int slide = trial % 3 == 2;
    const double shift = slide ? 0 : spread(&s, 0.3);
    pinion_joint_def shoulder = kit_joint(PINION_JOINT_REVOLUTE, "shoulder", "base", "arm", 0.2);
    pinion_joint_def first =
        kit_joint(slide ? PINION_JOINT_PRISMATIC : PINION_JOINT_REVOLUTE, "first", "arm", "ring", 0.4);
    pinion_joint_def second = kit_joint(first.type, "second", "ring", "hand", 0);
    kit_link(&k, "base", 2, 0.05, 0.1);
    kit_link(&k, "arm", 1 + fabs(spread(&s, 9)), 0.3, 0.1);
    kit_link(&k, "ring", 0, 0, 0);
    kit_link(&k, "hand", 0.1 + fabs(spread(&s, 1)), 0.1, 0.01);
    any_rotation(&s, shoulder.parent_pose.rotation);
    any_rotation(&s, first.parent_pose.rotation);
    any_rotation(&s, first.child_pose.rotation);
    any_rotation(&s, second.child_pose.rotation);
    /* in the ring's frame the axis is child_pose.rotation z */
    for (int d = 0; d < 3; d++) {
        second.axis[d] = first.child_pose.rotation[3 * d + 2];
        second.parent_pose.position[d] = shift * second.axis[d];
        second.child_pose.position[d] = spread(&s, 0.2);
    }
    kit_add(&k, shoulder);
    kit_add(&k, first);
    kit_add(&k, second);
    /* fingers, one of which follows the other: the dynamics then go through a factorization of M */
    for (int i = 0; i < 2 && followers; i++) {
        pinion_joint_def finger =
            kit_joint(PINION_JOINT_PRISMATIC, i ? "close" : "open", "hand", i ? "right" : "left", 0.1);
        kit_link(&k, i ? "right" : "left", 0.1, 0.02, 1e-5);
        any_rotation(&s, finger.parent_pose.rotation);
        finger.mimic = i ? "open" : NULL;
        finger.multiplier = -1;
        kit_add(&k, finger);
    }
    if (!kit_build(&k, trial % 2 ? PINION_ROOT_FIXED : PINION_ROOT_FREE, &s)) return;
    double *a = take(&s, s.nv);
    const pinion_status status = pinion_forward_dynamics(s.m, s.w, s.q, s.v, s.tau, NULL, a);
    check_count++;
    if (status != PINION_ERR_SINGULAR)
        CHECK_FAIL("trial %d, followers %d: status %d, |a| %.3g", trial, followers, (int)status,
                   largest(a, s.nv));
    subject_free(&s);
}

TEST(singular_in_any_orientation)
{
    for (int trial = 0; trial < 300; trial++) any_orientation(trial, 0);
}

TEST(singular_in_any_orientation_with_followers)
{
    for (int trial = 0; trial < 300; trial++) any_orientation(trial, 1);
}

/* Four or more turns about axes through one point, of which only the last link weighs anything: three can be
 * told apart at most. No two axes need be parallel, so no single joint is to blame. Where two of them happen
 * to be almost parallel as well, rounding is amplified until it passes for inertia: one state in fifty may be
 * answered, and what it is answered with cannot be taken for an acceleration. */
TEST(too_many_joints_through_one_point_are_singular)
{
    int answered = 0, states = 0;
    for (int trial = 0; trial < 200; trial++) {
        kit k = kit_new();
        subject s = {.random = check_seed + 77 * (uint64_t)trial};
        const int joints = 4 + trial % 3;
        kit_link(&k, "link0", 3, 0.1, 0.2);
        for (int i = 1; i <= joints; i++) {
            char name[16], parent[16], child[16];
            snprintf(name, sizeof name, "joint%d", i);
            snprintf(parent, sizeof parent, "link%d", i - 1);
            snprintf(child, sizeof child, "link%d", i);
            kit_link(&k, child, i < joints ? 0 : 1.5, i < joints ? 0 : 0.3, i < joints ? 0 : 0.05);
            pinion_joint_def joint = kit_joint(PINION_JOINT_REVOLUTE, name, parent, child, i == 1 ? 0.4 : 0);
            for (int d = 0; d < 3; d++) joint.axis[d] = spread(&s, 1);
            kit_add(&k, joint);
        }
        if (!kit_build(&k, trial % 2 ? PINION_ROOT_FIXED : PINION_ROOT_FREE, &s)) continue;
        for (int state = 0; state < 3; state++) {
            new_state(&s);
            double *a = take(&s, s.nv);
            const pinion_status status = pinion_forward_dynamics(s.m, s.w, s.q, s.v, s.tau, NULL, a);
            states++;
            answered += status != PINION_ERR_SINGULAR;
            CHECK(status == PINION_ERR_SINGULAR || (status == PINION_OK && largest(a, s.nv) > 1e9));
        }
        subject_free(&s);
    }
    printf("    %d of %d states answered\n", answered, states);
    CHECK(answered <= states / 50);
}

/* a point on a ball joint: nothing resists a turn about the line to it */
TEST(a_point_on_a_ball_joint_is_singular)
{
    for (int free_joint = 0; free_joint < 2; free_joint++) {
        kit k = kit_new();
        subject s;
        kit_link(&k, "base", 0, 0, 0);
        kit_link(&k, "point", 1, 0.5, 0);
        kit_add(&k, kit_joint(free_joint ? PINION_JOINT_FREE : PINION_JOINT_SPHERICAL, "ball", "base", "point", 0));
        if (!kit_build(&k, PINION_ROOT_FIXED, &s)) continue;
        check_forward(&s, PINION_ERR_SINGULAR);
        subject_free(&s);
    }
}

/* a model with followers goes through a factorization of M: it sees the same */
TEST(followers_of_nothing_are_singular)
{
    for (int massless = 0; massless < 2; massless++) {
        kit k = kit_new();
        subject s;
        kit_link(&k, "base", 0, 0, 0);
        kit_link(&k, "arm", 1, 0.3, 0.1);
        kit_link(&k, "left", massless ? 0 : 0.1, 0.02, massless ? 0 : 1e-5);
        kit_link(&k, "right", massless ? 0 : 0.1, 0.02, massless ? 0 : 1e-5);
        kit_add(&k, kit_joint(PINION_JOINT_REVOLUTE, "shoulder", "base", "arm", 0));
        kit_add(&k, kit_joint(PINION_JOINT_PRISMATIC, "open", "arm", "left", 0.5));
        pinion_joint_def joint = kit_joint(PINION_JOINT_PRISMATIC, "close", "arm", "right", 0.5);
        joint.mimic = "open";
        joint.multiplier = -1;
        kit_add(&k, joint);
        if (!kit_build(&k, PINION_ROOT_FIXED, &s)) continue;
        CHECK(s.nv == 2);
        check_forward(&s, massless ? PINION_ERR_SINGULAR : PINION_OK);
        subject_free(&s);
    }
}

/* ---- singular in some states ---- */

/* A point at the end of two bars of 0.5 m without mass: stretched or folded, no joint force moves it along
 * the arm. Of many states only those are NaN, all others are computed, the first is reported. */
TEST(only_singular_states_of_a_batch_are_lost)
{
    kit k = kit_new();
    subject s;
    kit_link(&k, "base", 0, 0, 0);
    kit_link(&k, "upper", 0, 0, 0);
    kit_link(&k, "fore", 2, 0.5, 0);
    kit_add(&k, kit_joint(PINION_JOINT_CONTINUOUS, "shoulder", "base", "upper", 0));
    kit_add(&k, kit_joint(PINION_JOINT_CONTINUOUS, "elbow", "upper", "fore", 0.5));
    if (!kit_build(&k, PINION_ROOT_FIXED, &s)) return;
    double q[2 * 19], v[2 * 19], a[2 * 19], one[2], other[2];
    float q32[2 * 19], a32[2 * 19];
    for (int i = 0; i < 19; i++) {
        q[2 * i] = spread(&s, 3);
        q[2 * i + 1] = i == 4 || i == 11 || i == 18 ? 0 : 0.4 + 0.1 * i;
        v[2 * i] = v[2 * i + 1] = 0.1 * i;
    }
    for (int i = 0; i < 2 * 19; i++) q32[i] = (float)q[i];
    pinion_batch *b = pinion_batch_new(s.m, 1);
    CHECK_STATUS(pinion_batch_forward_dynamics(b, 19, q, v, NULL, NULL, a), PINION_ERR_SINGULAR);
    CHECK(pinion_batch_failed_state(b) == 4);
    CHECK_STATUS(pinion_batch_forward_dynamics_f32(b, 19, q32, NULL, NULL, NULL, a32), PINION_ERR_SINGULAR);
    CHECK(pinion_batch_failed_state(b) == 4);
    for (int i = 0; i < 19; i++) {
        const int lost = q[2 * i + 1] == 0;
        CHECK_STATUS(pinion_forward_dynamics(s.m, s.w, q + 2 * i, v + 2 * i, NULL, NULL, one),
                     lost ? PINION_ERR_SINGULAR : PINION_OK);
        memcpy(other, a + 2 * i, sizeof other);
        if (lost)
            CHECK(isnan(other[0]) && isnan(other[1]) && isnan(a32[2 * i]) && isnan(a32[2 * i + 1]));
        else
            CLOSE(&s, other, one, 2, 1, 1e-11);
        if (!lost) CHECK(isfinite(a32[2 * i]) && isfinite(a32[2 * i + 1]));
    }
    /* without them the batch is fine */
    CHECK_STATUS(pinion_batch_forward_dynamics(b, 4, q, v, NULL, NULL, a), PINION_OK);
    pinion_batch_free(b);
    subject_free(&s);
}

/* ---- small is not singular ---- */

/* a feather at the end of a heavy arm, in double precision: of any size that a product of numbers can hold */
TEST(a_feather_is_not_singular)
{
    static const double masses[] = {1e-3, 1e-6, 1e-9, 1e-12};
    for (size_t i = 0; i < sizeof masses / sizeof *masses; i++)
        for (size_t t = 0; t < 4; t++) {
            kit k = kit_new();
            subject s;
            kit_link(&k, "base", 0, 0, 0);
            kit_link(&k, "arm", 100, 0.5, 10);
            kit_link(&k, "feather", masses[i], 0.01, 1e-4 * masses[i]);
            kit_add(&k, kit_joint(PINION_JOINT_REVOLUTE, "shoulder", "base", "arm", 0));
            kit_add(&k, kit_joint(one_axis[t], "wrist", "arm", "feather", 1));
            if (!kit_build(&k, PINION_ROOT_FIXED, &s)) continue;
            double *a = take(&s, s.nv), *tau = take(&s, s.nv);
            FINE(&s, pinion_inverse_dynamics(s.m, s.w, s.q, s.v, s.a, NULL, tau));
            FINE(&s, pinion_forward_dynamics(s.m, s.w, s.q, s.v, tau, NULL, a));
            CLOSE(&s, a, s.a, s.nv, 1, 1e-9);
            subject_free(&s);
        }
}

/* ---- nothing that moves, and loops ---- */

TEST(a_model_without_joints_has_answers)
{
    kit k = kit_new();
    subject s;
    kit_link(&k, "rock", 5, 1, 1);
    if (!kit_build(&k, PINION_ROOT_FIXED, &s)) return;
    double number[12] = {0}, kinetic, potential;
    CHECK(s.nq == 0 && s.nv == 0 && s.bodies == 1);
    FINE(&s, pinion_inverse_dynamics(s.m, s.w, s.q, NULL, NULL, NULL, number));
    FINE(&s, pinion_mass_matrix(s.m, s.w, s.q, number));
    FINE(&s, pinion_forward_dynamics(s.m, s.w, s.q, NULL, NULL, NULL, number));
    FINE(&s, pinion_energy(s.m, s.w, s.q, NULL, 0, &kinetic, &potential));
    CHECK(kinetic == 0 && potential == 0);
    CHECK(pinion_model_mass(s.m) == 0 && pinion_model_fixed_mass(s.m) == 5);
    FINE(&s, pinion_frame_pose(s.m, s.w, s.q, 0, number, number + 3));
    const double here[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    CLOSE(&s, number, here, 12, 1, 0);
    FINE(&s, pinion_center_of_mass(s.m, s.w, s.q, NULL, number, NULL));
    CHECK(!isfinite(number[0]));
    subject_free(&s);
}

/* a four-bar: forward dynamics keeps its loop, the tree's quantities are those of the tree */
TEST(loops_are_kept)
{
    kit k = kit_new();
    subject s;
    kit_link(&k, "base", 0, 0, 0);
    kit_link(&k, "crank", 1, 0.1, 0.01);
    kit_link(&k, "coupler", 2, 0.3, 0.02);
    kit_link(&k, "rocker", 1, 0.2, 0.01);
    kit_add(&k, kit_joint(PINION_JOINT_REVOLUTE, "a", "base", "crank", 0));
    kit_add(&k, kit_joint(PINION_JOINT_REVOLUTE, "b", "crank", "coupler", 0.2));
    kit_add(&k, kit_joint(PINION_JOINT_REVOLUTE, "d", "base", "rocker", 0.5));
    pinion_joint_def loop = kit_joint(PINION_JOINT_REVOLUTE, "c", "coupler", "rocker", 0.6);
    loop.child_pose.position[0] = 0.4;
    CHECK_STATUS(pinion_builder_add_loop(k.b, &loop, &k.err), PINION_OK);
    if (!kit_build(&k, PINION_ROOT_FIXED, &s)) return;
    CHECK(pinion_model_loop_count(s.m) == 1 && s.nv == 3);
    double a[3], M[9];
    float q32[3] = {0.1f, 0.2f, 0.3f}, a32[3];
    pinion_work_f32 *w32 = pinion_work_f32_new(s.m);
    pinion_batch *b = pinion_batch_new(s.m, 1);
    double L[5 * 3], c[5];
    const pinion_constraints rows = {.L = L, .c = c};
    CHECK(pinion_model_row_count(s.m) == 5);
    FINE(&s, pinion_constraints_at(s.m, s.w, 0, s.q, s.v, &rows));
    FINE(&s, pinion_forward_dynamics(s.m, s.w, s.q, s.v, s.tau, NULL, a));
    for (int r = 0; r < 5; r++)
        CHECK_NEAR(L[3 * r] * a[0] + L[3 * r + 1] * a[1] + L[3 * r + 2] * a[2], c[r], 1e-9);
    CHECK_STATUS(pinion_forward_dynamics_f32(s.m, w32, q32, NULL, NULL, NULL, a32), PINION_OK);
    CHECK_STATUS(pinion_batch_forward_dynamics(b, 1, s.q, NULL, NULL, NULL, a), PINION_OK);
    CHECK_STATUS(pinion_batch_forward_dynamics_f32(b, 1, q32, NULL, NULL, NULL, a32), PINION_OK);
    FINE(&s, pinion_mass_matrix(s.m, s.w, s.q, M));
    FINE(&s, pinion_inverse_dynamics(s.m, s.w, s.q, s.v, s.a, NULL, a));
    pinion_batch_free(b);
    pinion_work_f32_free(w32);
    subject_free(&s);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_massless_leaf_is_singular);
    RUN(a_rotor_is_inertia_enough);
    RUN(a_massless_free_base_is_singular);
    RUN(two_joints_on_one_axis_are_singular);
    RUN(singular_in_any_orientation);
    RUN(singular_in_any_orientation_with_followers);
    RUN(too_many_joints_through_one_point_are_singular);
    RUN(a_point_on_a_ball_joint_is_singular);
    RUN(followers_of_nothing_are_singular);
    RUN(only_singular_states_of_a_batch_are_lost);
    RUN(a_feather_is_not_singular);
    RUN(a_model_without_joints_has_answers);
    RUN(loops_are_kept);
    return CHECK_END();
}
