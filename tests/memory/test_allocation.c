/* No hot function allocates: every function of dynamics.h, dynamics_f32.h and batch.h, on models of every
 * kind, where it succeeds and where it refuses. Editing a model allocates nothing either. */
#include "check.h"
#include "allocator.h"
#include "pinion/pinion.h"

/* a call with this status and without an allocation */
#define CALL(call, expected)                                                                                 \
    do {                                                                                                     \
        const long call_before = alloc_calls;                                                                \
        const int call_status = (int)(call), call_expected = (int)(expected);                                \
        const long call_made = alloc_calls - call_before;                                                    \
        check_count++;                                                                                       \
        if (call_status != call_expected)                                                                    \
            CHECK_FAIL("%s = %d, expected %d", #call, call_status, call_expected);                           \
        if (call_made) CHECK_FAIL("%s allocated %ld times", #call, call_made);                               \
    } while (0)

#define PN_IN_BOTH "memory/hot.inc"
#include "both.h"

/* a link without mass at the end of one with */
static pinion_model *singular_model(void)
{
    static const char *const names[] = {"base", "arm", "ghost"};
    pinion_error err;
    pinion_builder *b = pinion_builder_new("singular");
    for (int i = 0; i < 3; i++) {
        pinion_link_def link = pinion_link_def_default();
        link.name = names[i];
        if (i == 1) link.inertia = (pinion_inertia){1, {0, 0, 0}, {1, 0, 0, 1, 0, 1}};
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    }
    for (int i = 0; i < 2; i++) {
        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = i ? "wrist" : "shoulder";
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent = names[i];
        joint.child = names[i + 1];
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    pinion_builder_free(b);
    return m;
}

static void check_model(pinion_model *m, pinion_status forward)
{
    CHECK(m != NULL);
    if (!m) return;
    check_hot(m, forward);
    check_hot_f32(m, forward);
    pinion_model_free(m);
}

TEST(hot_functions_do_not_allocate)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    check_model(pinion_random_chain(1, 1, NULL), PINION_OK);
    check_model(pinion_random_chain(7, 2, NULL), PINION_OK);
    check_model(pinion_random_chain(30, 3, NULL), PINION_OK);
    /* every joint type, and followers */
    for (int i = 0; i < 5; i++) {
        check_model(pinion_random_tree(9 + 4 * i, 0, check_seed + (uint64_t)i, NULL), PINION_OK);
        check_model(pinion_random_tree(9 + 4 * i, 1, check_seed + (uint64_t)i, NULL), PINION_OK);
    }
}

TEST(a_singular_matrix_does_not_allocate)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    check_model(singular_model(), PINION_ERR_SINGULAR);
}

/* factors of M, what is done with them, and a frame that is held */
TEST(factors_and_constraints_do_not_allocate)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    static const char *const names[] = {"ltdl", "ltl", "udu", "inverse"};
    const double A[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, b[2] = {1, 2};
    const pinion_acceleration kind = PINION_ACCELERATION_CLASSICAL;
    pinion_model *m = pinion_random_chain(7, 2, NULL);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    double q[7] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}, F[98], x[7], lambda[2];
    CHECK(w != NULL);
    for (int i = 0; w && i < 4; i++) {
        const int a = pinion_algorithm_find(names[i]);
        CALL(pinion_factorization_size(m, a), i < 3 ? 49 : 98);
        CALL(pinion_factorization_by(m, w, a, q, F), PINION_OK);
        CALL(pinion_factorization_solve(m, w, a, F, q, x), PINION_OK);
        CALL(pinion_factorization_multiply(m, w, a, F, x, x), PINION_OK);
        for (int k = 0; k < 7; k++) CHECK_NEAR(x[k], q[k], 1e-9);
    }
    CALL(pinion_constrained_forward_dynamics(m, w, q, q, q, NULL, 7, kind, 2, A, b, x, lambda), PINION_OK);
    CALL(pinion_constrained_forward_dynamics(m, w, q, q, q, NULL, 0, kind, 2, A, b, x, lambda),
         PINION_ERR_SINGULAR);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* an algorithm that needs more takes it in its first call, in one piece, and no other call does */
TEST(room_for_an_algorithm_is_taken_once)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_model *m = pinion_random_chain(100, 2, NULL);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    const int nullspace = pinion_algorithm_find("loop-nullspace"), cholesky = pinion_algorithm_find("crba-cholesky");
    /* so long that a workspace begins with less than it needs */
    double q[100] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}, a[100];
    CHECK(w != NULL);
    const long before = alloc_calls;
    CHECK_STATUS(pinion_forward_dynamics_by(m, w, nullspace, q, q, NULL, NULL, a), PINION_OK);
    CHECK(alloc_calls == before + 1);
    CALL(pinion_forward_dynamics_by(m, w, nullspace, q, q, NULL, NULL, a), PINION_OK);
    CALL(pinion_forward_dynamics_by(m, w, cholesky, q, q, NULL, NULL, a), PINION_OK);
    CALL(pinion_forward_dynamics(m, w, q, q, NULL, NULL, a), PINION_OK);
    pinion_work_free(w);

    /* where there is none the workspace stays as it is */
    w = pinion_work_new(m);
    alloc_fail(0, 1);
    const pinion_status status = pinion_forward_dynamics_by(m, w, nullspace, q, q, NULL, NULL, a);
    alloc_work();
    CHECK_STATUS(status, PINION_ERR_MEMORY);
    CHECK_HAS(pinion_work_message(w), "memory");
    CALL(pinion_forward_dynamics(m, w, q, q, NULL, NULL, a), PINION_OK);
    CHECK_STATUS(pinion_forward_dynamics_by(m, w, nullspace, q, q, NULL, NULL, a), PINION_OK);
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(edits_and_questions_do_not_allocate)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_model *m = pinion_random_tree(12, 1, 5, NULL), *copy = pinion_model_copy(m);
    CHECK(m && copy);
    if (!m || !copy) return;
    pinion_batch *b = pinion_batch_new(m, 1);
    const double g[3] = {0, 0, -1.62};
    const pinion_inertia load = {1, {0, 0, 0.1}, {1e-3, 0, 0, 1e-3, 0, 1e-3}};
    CALL(pinion_model_set_gravity(copy, g), PINION_OK);
    for (int i = 0; i < pinion_model_link_count(m); i++)
        CALL(pinion_model_set_payload(copy, i, &load), PINION_OK);
    const pinion_pose pose = pinion_pose_identity();
    for (int i = pinion_model_link_count(m); i < pinion_model_frame_count(m); i++)
        CALL(pinion_model_set_frame(copy, i, &pose), PINION_OK);
    CALL(pinion_batch_set_model(b, copy), PINION_OK);

    /* asking */
    pinion_link_info link;
    pinion_joint_info joint;
    pinion_frame_info frame;
    pinion_body_info body;
    CALL(pinion_model_link(m, 1, &link), PINION_OK);
    CALL(pinion_model_joint(m, 1, &joint), PINION_OK);
    CALL(pinion_model_frame(m, 1, &frame), PINION_OK);
    CALL(pinion_model_body(m, 1, &body), PINION_OK);
    CALL(pinion_model_find_link(m, link.name), 1);
    CALL(pinion_model_find_joint(m, joint.name), 1);
    CALL(pinion_model_find_frame(m, frame.name), 1);
    CALL(pinion_model_find_joint(m, "no such joint"), -1);

    /* a workspace in the caller's memory */
    static char memory[1 << 20];
    CHECK(pinion_work_size(m) <= sizeof memory);
    CALL(pinion_work_init(m, memory, sizeof memory) == NULL, 0);
    CALL(pinion_work_f32_init(m, memory, sizeof memory) == NULL, 0);
    pinion_batch_free(b);
    pinion_model_free(copy);
    pinion_model_free(m);
}

/* the promise of one allocation for each workspace, and what is allocated is given back */
TEST(creation_is_what_allocates)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_model *m = pinion_random_tree(12, 1, 6, NULL);
    CHECK(m != NULL);
    if (!m) return;
    const long live = alloc_live;
    long calls = alloc_calls;
    pinion_work *w = pinion_work_new(m);
    CHECK(w && alloc_calls - calls == 1);
    pinion_work_free(w);
    calls = alloc_calls;
    pinion_work_f32 *w32 = pinion_work_f32_new(m);
    CHECK(w32 && alloc_calls - calls == 1);
    pinion_work_f32_free(w32);
    pinion_batch *b = pinion_batch_new(m, 1);
    CHECK(b != NULL);
    pinion_batch_free(b);
    pinion_model *copy = pinion_model_copy(m);
    CHECK(copy != NULL);
    pinion_model_free(copy);
    CHECK(alloc_live == live);
    pinion_model_free(m);
    pinion_model_free(NULL);
    pinion_work_free(NULL);
    pinion_work_f32_free(NULL);
    pinion_batch_free(NULL);
    pinion_builder_free(NULL);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(hot_functions_do_not_allocate);
    RUN(a_singular_matrix_does_not_allocate);
    RUN(factors_and_constraints_do_not_allocate);
    RUN(room_for_an_algorithm_is_taken_once);
    RUN(edits_and_questions_do_not_allocate);
    RUN(creation_is_what_allocates);
    return CHECK_END();
}
