/* A wrong state is lost alone: it gets NaN and its status, all others what they get without it. A call that is wrong
 * as a whole says what is wrong and writes nothing. */
#include "calls.h"
#include "loops/four_bar.h"

#define STATES 33

#define PN_T double
#define PN_FN(name) name
#include "status.inc"
#undef PN_T
#undef PN_FN

#define PN_T float
#define PN_FN(name) name##_f32
#include "status.inc"
#undef PN_T
#undef PN_FN

static void check_quaternions(subject *s)
{
    const int at = some_quaternion(s);
    if (at < 0) return;
    pinion_batch *b = pinion_batch_new(s->m, 1);
    check_bad_quaternions(s, b, at);
    check_bad_quaternions_f32(s, b, at);
    pinion_batch_free(b);
}
TEST(a_bad_quaternion_loses_its_state_alone)
{
    for_some_trees(9, check_quaternions);
}

static void check_not_numbers(subject *s)
{
    pinion_batch *b = pinion_batch_new(s->m, 1);
    check_nan(s, b);
    check_nan_f32(s, b);
    pinion_batch_free(b);
}
TEST(what_is_no_number_stays_in_its_state)
{
    for_some_trees(9, check_not_numbers);
}

/* joints of a chain without inertia are singular in every state; with a status for each */
TEST(singular_states)
{
    pinion_error err = {0};
    pinion_builder *builder = pinion_builder_new("massless");
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def joint = pinion_joint_def_default();
    link.name = "base";
    CHECK_STATUS(pinion_builder_add_link(builder, &link, NULL), PINION_OK);
    link.name = "arm";
    CHECK_STATUS(pinion_builder_add_link(builder, &link, NULL), PINION_OK);
    joint.name = "elbow";
    joint.type = PINION_JOINT_REVOLUTE;
    joint.parent = "base";
    joint.child = "arm";
    CHECK_STATUS(pinion_builder_add_joint(builder, &joint, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(builder, NULL, &err);
    pinion_builder_free(builder);
    if (!m) CHECK_FAIL("%s", err.message);
    if (!m) return;
    pinion_batch *b = pinion_batch_new(m, 2);
    double q[20] = {0}, a[20];
    pinion_status status[20];
    CHECK_STATUS(pinion_batch_set_status(b, status), PINION_OK);
    CHECK_STATUS(pinion_batch_forward_dynamics(b, 20, q, NULL, NULL, NULL, a), PINION_ERR_SINGULAR);
    CHECK(pinion_batch_failed_state(b) == 0);
    CHECK_HAS(pinion_batch_message(b), "state 0: ");
    CHECK_HAS(pinion_batch_message(b), "elbow");
    for (int i = 0; i < 20; i++) CHECK(isnan(a[i]) && status[i] == PINION_ERR_SINGULAR);
    for (int i = 0; i < 20; i++) a[i] = UNTOUCHED;
    CHECK_STATUS(pinion_batch_forward_dynamics_jvp(b, 20, q, NULL, NULL, NULL, q, NULL, NULL, a), PINION_ERR_SINGULAR);
    CHECK(pinion_batch_failed_state(b) == 0);
    CHECK_HAS(pinion_batch_message(b), "elbow");
    for (int i = 0; i < 20; i++) CHECK(isnan(a[i]) && status[i] == PINION_ERR_SINGULAR);
    CHECK_STATUS(pinion_batch_gravity(b, 20, q, a), PINION_OK);
    for (int i = 0; i < 20; i++) CHECK(a[i] == 0 && status[i] == PINION_OK);

    /* no statuses wanted any more */
    CHECK_STATUS(pinion_batch_set_status(b, NULL), PINION_OK);
    CHECK_STATUS(pinion_batch_forward_dynamics(b, 20, q, NULL, NULL, NULL, a), PINION_ERR_SINGULAR);
    for (int i = 0; i < 20; i++) CHECK(status[i] == PINION_OK);
    pinion_batch_free(b);
    pinion_model_free(m);
}

/* with closed loops too: a massless four-bar is singular, but not where a number is NaN */
TEST(statuses_of_loops)
{
    pinion_model *m = four_bar(2.5, 1);
    pinion_batch *b = m ? pinion_batch_new(m, 1) : NULL;
    if (!b) return;
    double q[3 * 9] = {0}, a[3 * 9], tau[3 * 9] = {0};
    pinion_status status[9];
    CHECK_STATUS(pinion_batch_set_status(b, status), PINION_OK);
    for (int i = 0; i < 27; i++) q[i] = 0.1 * i, a[i] = UNTOUCHED;
    tau[3 * 4] = NAN;
    CHECK_STATUS(pinion_batch_forward_dynamics(b, 9, q, NULL, tau, NULL, a), PINION_OK);
    for (int i = 0; i < 9; i++)
        CHECK(status[i] == PINION_OK && (i == 4) == (isnan(a[3 * i]) != 0) && a[3 * i] != (double)UNTOUCHED);
    pinion_batch_free(b);
    pinion_model_free(m);

    /* a parallelogram that is flat in one state, where it has no derivatives */
    m = four_bar(1, 2);
    b = m ? pinion_batch_new(m, 1) : NULL;
    if (!b) return;
    double dq[9 * 9];
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++) q[3 * i + k] = i == 5 ? 0 : k == 1 ? -0.1 : 0.1;
    CHECK_STATUS(pinion_batch_set_status(b, status), PINION_OK);
    CHECK_STATUS(pinion_batch_d_forward_dynamics(b, 9, q, NULL, NULL, NULL, dq, NULL, NULL), PINION_ERR_SINGULAR);
    CHECK(pinion_batch_failed_state(b) == 5);
    CHECK_HAS(pinion_batch_message(b), "state 5: loop 'C' is at a singular position");
    for (int i = 0; i < 81; i++) CHECK((isnan(dq[i]) != 0) == (i / 9 == 5));
    for (int i = 0; i < 9; i++) CHECK(status[i] == (i == 5 ? PINION_ERR_SINGULAR : PINION_OK));
    pinion_batch_free(b);
    pinion_model_free(m);
}

/* ---- calls that are wrong as a whole ---- */

#define REFUSED(call, status, text)                                                                          \
    do {                                                                                                     \
        CHECK_STATUS(call, status);                                                                          \
        CHECK_HAS(pinion_batch_message(b), text);                                                            \
    } while (0)

TEST(wrong_arguments)
{
    pinion_model *m = pinion_random_tree(6, 1, check_seed, NULL);
    pinion_batch *b = pinion_batch_new(m, 1);
    const int frames = pinion_model_frame_count(m);
    const size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m);
    double *q = some(2 * nq), *x = canvas(2 * nv * nv + 24 * nv);
    for (int i = 0; i < 2; i++) CHECK_STATUS(pinion_random(m, (uint64_t)i, q + (size_t)i * nq), PINION_OK);
    pinion_status status[2] = {PINION_ERR_FILE, PINION_ERR_FILE};
    CHECK_STATUS(pinion_batch_set_status(b, status), PINION_OK);
    CHECK_STATUS(pinion_batch_gravity(NULL, 2, q, x), PINION_ERR_ARGUMENT);
    REFUSED(pinion_batch_gravity(b, 2, NULL, x), PINION_ERR_ARGUMENT, "q is NULL");
    REFUSED(pinion_batch_gravity(b, 2, q, NULL), PINION_ERR_ARGUMENT, "output is NULL");
    REFUSED(pinion_batch_integrate(b, 2, q, NULL, 1, x), PINION_ERR_ARGUMENT, "input is NULL");
    REFUSED(pinion_batch_difference(b, 2, q, NULL, x), PINION_ERR_ARGUMENT, "input is NULL");
    REFUSED(pinion_batch_d_integrate(b, 2, NULL, 1, x, NULL), PINION_ERR_ARGUMENT, "input is NULL");
    REFUSED(pinion_batch_d_difference(b, 2, NULL, x, NULL), PINION_ERR_ARGUMENT, "input is NULL");
    REFUSED(pinion_batch_forward_dynamics_jvp(b, 2, q, NULL, NULL, NULL, NULL, NULL, NULL, NULL), PINION_ERR_ARGUMENT,
            "output is NULL");
    REFUSED(pinion_batch_dynamics_terms(b, 2, q, NULL, NULL), PINION_ERR_ARGUMENT, "output is NULL");
    REFUSED(pinion_batch_jacobian(b, 2, q, frames, PINION_REFERENCE_LOCAL, x), PINION_ERR_ARGUMENT, "frame");
    REFUSED(pinion_batch_frame_pose(b, 2, q, -1, x, NULL), PINION_ERR_ARGUMENT, "frame");
    REFUSED(pinion_batch_jacobian(b, 2, q, 0, (pinion_reference)7, x), PINION_ERR_ARGUMENT, "reference");
    REFUSED(pinion_batch_frame_acceleration(b, 2, q, NULL, NULL, 0, PINION_REFERENCE_LOCAL, (pinion_acceleration)7, x),
            PINION_ERR_ARGUMENT, "kind of acceleration");
    const int wrong[2] = {0, frames};
    const pinion_terms terms = {.jacobian = x, .jacobian_frame = wrong, .jacobian_count = 2};
    REFUSED(pinion_batch_dynamics_terms(b, 2, q, NULL, &terms), PINION_ERR_ARGUMENT, "frame");

    /* algorithms: of another problem, none at all */
    const int rnea = pinion_algorithm_find("rnea");
    REFUSED(pinion_batch_mass_matrix_by(b, rnea, 2, q, x), PINION_ERR_ARGUMENT, "algorithm");
    REFUSED(pinion_batch_inverse_dynamics_by(b, -1, 2, q, NULL, NULL, NULL, x), PINION_ERR_ARGUMENT, "algorithm");
    CHECK(untouched(x, 2 * nv * nv) && status[0] == PINION_ERR_FILE && status[1] == PINION_ERR_FILE);
    CHECK_STATUS(pinion_batch_gravity(b, 2, q, x), PINION_OK);
    CHECK(status[0] == PINION_OK && status[1] == PINION_OK);
    free(q);
    free(x);
    pinion_batch_free(b);
    pinion_model_free(m);
}

/* without states arrays may be missing, and all else must be right */
TEST(no_states)
{
    pinion_model *m = pinion_random_tree(6, 1, check_seed, NULL);
    pinion_batch *b = pinion_batch_new(m, 1);
    const int frames = pinion_model_frame_count(m), wrong = frames, right = 0;
    double some_number = 0;
    const double *gains = calloc((size_t)pinion_model_nv(m), sizeof *gains);
    const pinion_acceleration seventh = (pinion_acceleration)7;
    CHECK_STATUS(pinion_batch_gravity(b, 0, NULL, NULL), PINION_OK);
    CHECK_STATUS(pinion_batch_forward_dynamics(b, 0, NULL, NULL, NULL, NULL, NULL), PINION_OK);
    CHECK_STATUS(pinion_batch_jacobian(b, 0, NULL, 0, PINION_REFERENCE_LOCAL, NULL), PINION_OK);
    CHECK_STATUS(pinion_batch_integrate(b, 0, NULL, NULL, 1, NULL), PINION_OK);
    CHECK_STATUS(pinion_batch_d_integrate(b, 0, NULL, 1, NULL, NULL), PINION_OK);
    CHECK_STATUS(pinion_batch_inverse_dynamics_jvp(b, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), PINION_OK);
    REFUSED(pinion_batch_jacobian(b, 0, NULL, frames, PINION_REFERENCE_LOCAL, NULL), PINION_ERR_ARGUMENT, "frame");
    REFUSED(pinion_batch_jacobian(b, 0, NULL, 0, (pinion_reference)7, NULL), PINION_ERR_ARGUMENT, "reference");
    REFUSED(pinion_batch_frame_acceleration(b, 0, NULL, NULL, NULL, 0, PINION_REFERENCE_LOCAL, seventh, NULL),
            PINION_ERR_ARGUMENT, "kind of acceleration");
    REFUSED(pinion_batch_mass_matrix_by(b, -1, 0, NULL, NULL), PINION_ERR_ARGUMENT, "algorithm");

    pinion_terms terms = {.jacobian = &some_number, .jacobian_frame = &right, .jacobian_count = 1};
    CHECK_STATUS(pinion_batch_dynamics_terms(b, 0, NULL, NULL, &terms), PINION_OK);
    terms.jacobian_frame = &wrong;
    REFUSED(pinion_batch_dynamics_terms(b, 0, NULL, NULL, &terms), PINION_ERR_ARGUMENT, "frame");
    REFUSED(pinion_batch_dynamics_terms(b, 0, NULL, NULL, NULL), PINION_ERR_ARGUMENT, "output is NULL");

    pinion_rollout r = pinion_rollout_default();
    r.kp = gains;
    CHECK_STATUS(pinion_batch_rollout(b, 0, &r, NULL, NULL, NULL, NULL), PINION_OK);
    r.dt = NAN;
    REFUSED(pinion_batch_rollout(b, 0, &r, NULL, NULL, NULL, NULL), PINION_ERR_ARGUMENT, "dt is not finite");
    free((void *)gains);
    pinion_batch_free(b);
    pinion_model_free(m);
}

/* what a message says is what is wrong */
TEST(messages)
{
    pinion_model *m = pinion_random_tree(6, 1, check_seed, NULL), *other = pinion_random_tree(7, 1, check_seed, NULL);
    pinion_batch *b = pinion_batch_new(m, 1);
    double *q = some(2 * (size_t)pinion_model_nq(m));
    REFUSED(pinion_batch_set_model(b, NULL), PINION_ERR_ARGUMENT, "the model is NULL");
    REFUSED(pinion_batch_set_model(b, other), PINION_ERR_MISMATCH, "not of the structure");
    CHECK_STATUS(pinion_batch_set_model(b, m), PINION_OK);
    CHECK(!*pinion_batch_message(b) && !*pinion_batch_message(NULL));
    memset(q, 0, 2 * (size_t)pinion_model_nq(m) * sizeof *q);
    REFUSED(pinion_batch_normalize(b, 2, q), PINION_ERR_QUATERNION, "state 0: a quaternion in q cannot be normalized");
    CHECK_STATUS(pinion_neutral(m, q), PINION_OK);
    REFUSED(pinion_batch_gravity(b, 2, q, q), PINION_ERR_QUATERNION,
            "state 1: a quaternion in q is not of unit length");
    CHECK_STATUS(pinion_batch_set_layout(b, PINION_LAYOUT_ROWS), PINION_OK);
    CHECK(!*pinion_batch_message(b));

    /* the single call knows the kinds of acceleration too */
    pinion_work *w = pinion_work_new(m);
    double a[6];
    const pinion_acceleration seventh = (pinion_acceleration)7;
    CHECK_STATUS(pinion_neutral(m, q), PINION_OK);
    CHECK_STATUS(pinion_frame_acceleration(m, w, q, NULL, NULL, 0, PINION_REFERENCE_LOCAL, seventh, a),
                 PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_work_message(w), "kind of acceleration");
    CHECK_STATUS(pinion_frame_acceleration(m, w, q, NULL, NULL, 0, PINION_REFERENCE_LOCAL,
                                           PINION_ACCELERATION_SPATIAL, a),
                 PINION_OK);
    pinion_work_free(w);
    free(q);
    pinion_batch_free(b);
    pinion_model_free(m);
    pinion_model_free(other);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_bad_quaternion_loses_its_state_alone);
    RUN(what_is_no_number_stays_in_its_state);
    RUN(singular_states);
    RUN(statuses_of_loops);
    RUN(wrong_arguments);
    RUN(no_states);
    RUN(messages);
    return CHECK_END();
}
