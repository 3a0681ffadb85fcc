/* Models made of others: locked joints leave what the rest of the model does there, and parts keep their own.
 */
#include "check.h"
#include "pinion/pinion.h"

#define MOST 400 /* numbers of a configuration, frames */

/* ---- locking ---- */

/* The reduced model at the rest of q has the rows and columns of M that are left, the same gravity and
 * frames. */
static void check_reduced(const pinion_model *m, const pinion_model *less, const char *locked,
                          const double *q)
{
    const int nv = pinion_model_nv(m), n = pinion_model_nv(less), frames = pinion_model_frame_count(m);
    double *M = malloc((size_t)(nv * nv + n * n + nv + n) * sizeof *M), *L = M + nv * nv, *g = L + n * n,
           *h = g + nv;
    double *place = malloc(24 * (size_t)frames * sizeof *place), *there = place + 12 * (size_t)frames,
           rest[MOST];
    int kept[MOST], count = 0, at = 0;
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info j, k;
        CHECK_STATUS(pinion_model_joint(m, i, &j), PINION_OK);
        CHECK_STATUS(pinion_model_joint(less, pinion_model_find_joint(less, j.name), &k), PINION_OK);
        if (locked[i]) CHECK(k.type == PINION_JOINT_FIXED);
        if (locked[i] || j.nv == 0) continue;
        CHECK(k.type == j.type && k.q_index == at && k.v_index == count);
        memcpy(rest + at, q + j.q_index, (size_t)j.nq * sizeof *q);
        at += j.nq;
        for (int d = 0; d < j.nv; d++) kept[count++] = j.v_index + d;
    }
    CHECK(count == n && at == pinion_model_nq(less) && frames == pinion_model_frame_count(less));
    pinion_work *w = pinion_work_new(m), *v = pinion_work_new(less);
    CHECK(pinion_mass_matrix(m, w, q, M) == PINION_OK && pinion_mass_matrix(less, v, rest, L) == PINION_OK);
    CHECK(pinion_inverse_dynamics(m, w, q, NULL, NULL, NULL, g) == PINION_OK);
    CHECK(pinion_inverse_dynamics(less, v, rest, NULL, NULL, NULL, h) == PINION_OK);
    double worst = 0, scale = 1;
    for (int i = 0; i < nv * nv; i++) scale = fmax(scale, fabs(M[i]));
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(h[i] - g[kept[i]]) / (10 * scale));
        for (int k = 0; k < n; k++)
            worst = fmax(worst, fabs(L[i * n + k] - M[kept[i] * nv + kept[k]]) / scale);
    }
    CHECK(pinion_frames(m, w, q, place, place + 3 * frames) == PINION_OK);
    CHECK(pinion_frames(less, v, rest, there, there + 3 * frames) == PINION_OK);
    for (int i = 0; i < 12 * frames; i++) worst = fmax(worst, fabs(place[i] - there[i]) / 10);
    CHECK_NEAR(worst, 0, 1e-12); /* sums over some 20 bodies, in another order */
    pinion_work_free(w);
    pinion_work_free(v);
    free(place);
    free(M);
}

TEST(reduced_trees)
{
    uint64_t seed = check_seed;
    for (int round = 0; round < check_rounds(40); round++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_model *m = pinion_random_tree(1 + round % 12, round & 1, seed + (uint64_t)round, &err);
        double q[MOST];
        int joints[MOST], count = 0;
        char locked[MOST] = {0};
        CHECK(m && pinion_random(m, seed + 99, q) == PINION_OK);
        if (!m) continue;
        for (int i = 0; i < pinion_model_joint_count(m); i++) {
            pinion_joint_info j;
            CHECK_STATUS(pinion_model_joint(m, i, &j), PINION_OK);
            if (j.parent < 0 || j.leader >= 0 || check_uniform(&seed) < 0.5) continue;
            locked[i] = 1;
            joints[count++] = i;
        }
        for (int i = 0; i < pinion_model_joint_count(m); i++) {
            pinion_joint_info j;
            CHECK_STATUS(pinion_model_joint(m, i, &j), PINION_OK);
            if (j.leader >= 0) locked[i] = locked[j.leader];
        }
        pinion_model *less = pinion_model_reduce(m, count, joints, q, &err);
        if (!less) CHECK_FAIL("%s", err.message);
        if (less) check_reduced(m, less, locked, q);
        pinion_model_free(less);
        pinion_model_free(m);
    }
}

/* Three sliders along z: a gear from the first to the second, the third follows the second; actuators on all.
 */
static pinion_model *sliders(double bend)
{
    static const char *const links[] = {"base", "x", "y", "z"}, *const joints[] = {"a", "b", "c"};
    pinion_builder *b = pinion_builder_new("sliders");
    int ok = b != NULL;
    for (int i = 0; i < 4; i++) {
        pinion_link_def def = pinion_link_def_default();
        def.name = links[i];
        def.inertia = (pinion_inertia){1, {0, 0, 0}, {1, 0, 0, 1, 0, 1}};
        ok = ok && pinion_builder_add_link(b, &def, NULL) == PINION_OK;
    }
    for (int i = 0; i < 3; i++) {
        pinion_joint_def def = pinion_joint_def_default();
        def.name = joints[i];
        def.type = PINION_JOINT_PRISMATIC;
        def.parent = "base";
        def.child = links[i + 1];
        if (i == 2) {
            def.mimic = "b";
            def.multiplier = 2;
        }
        ok = ok && pinion_builder_add_joint(b, &def, NULL) == PINION_OK;
    }
    pinion_constraint_def gear = pinion_constraint_def_default();
    gear.name = "gear";
    gear.kind = PINION_LOOP_GEAR;
    gear.first = "a";
    gear.second = "b";
    gear.ratio = 3;
    gear.curve[1] = bend;
    gear.motion.offset = 1;
    ok = ok && pinion_builder_add_constraint(b, &gear, NULL) == PINION_OK;
    pinion_actuator_def sum = pinion_actuator_def_default(), one = sum;
    const double weights[2] = {5, 7};
    one.name = "one";
    one.count = 1;
    one.joints = joints;
    sum.name = "sum";
    sum.type = PINION_ACTUATOR_SUM;
    sum.count = 2;
    sum.joints = joints;
    sum.weights = weights;
    one.dynamics.lag = 0.25;
    ok = ok && pinion_builder_add_actuator(b, &one, NULL) == PINION_OK;
    ok = ok && pinion_builder_add_actuator(b, &sum, NULL) == PINION_OK;
    const pinion_state_entry home[2] = {{"a", 0, 1, {3}}, {"b", 1, 1, {4}}};
    const char *const group[2] = {"b", "a"};
    ok = ok && pinion_builder_add_state(b, "home", 2, home, 0, NULL) == PINION_OK;
    ok = ok && pinion_builder_add_group(b, "pair", 2, group, 0, NULL) == PINION_OK;
    ok = ok && pinion_builder_add_group(b, "first", 1, joints, 0, NULL) == PINION_OK;
    pinion_model *m = ok ? pinion_builder_build(b, NULL, NULL) : NULL;
    CHECK(m != NULL);
    pinion_builder_free(b);
    return m;
}

TEST(gears_followers_and_actuators)
{
    pinion_model *m = sliders(0);
    const double q[2] = {0.5, 2};
    for (int i = 0; m && i < 2; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_model *less = pinion_model_reduce(m, 1, &i, q, &err);
        if (!less) CHECK_FAIL("%s", err.message);
        if (!less) continue;
        pinion_loop_info loop;
        pinion_actuator_info sum;
        CHECK(pinion_model_nv(less) == 1 && pinion_model_loop(less, 0, &loop) == PINION_OK);
        CHECK(loop.kind == PINION_LOOP_DRIVE);
        CHECK_NEAR(loop.motion.offset, i ? (2 - 1) / 3. : 3 * 0.5 + 1, 1e-15);
        CHECK(pinion_model_actuator_count(less) == (i ? 2 : 1));
        CHECK(pinion_model_actuator(less, i ? 1 : 0, &sum) == PINION_OK && sum.term_count == 1);
        CHECK_NEAR(sum.term[0].weight, i ? 5 : 7, 0);
        if (i) CHECK(pinion_model_actuator(less, 0, &sum) == PINION_OK && sum.dynamics.lag == 0.25);

        /* states and groups have what is left */
        double x = NAN, v = NAN;
        int n = 0;
        CHECK(pinion_model_state(less, pinion_model_find_state(less, "home"), &x, &v) == PINION_OK);
        CHECK(i ? x == 3 && v == 0 : x == 0 && v == 4);
        const int *pair = pinion_model_group(less, pinion_model_find_group(less, "pair"), &n);
        CHECK(pair && n == 1 && pair[0] == 1 - i);
        CHECK((pinion_model_find_group(less, "first") >= 0) == i);
        pinion_model_free(less);
    }
    const int both[2] = {0, 1}, follower = 2, none = 9;
    const double geared[2] = {0.5, 2.5};
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK(pinion_model_reduce(m, 2, both, q, &err) == NULL);
    CHECK_HAS(err.message, "gear 'gear': joint 'a' is locked at 0.5 and joint 'b' at 2");
    CHECK_HAS(err.message, "expected 2.5");
    pinion_model *still = pinion_model_reduce(m, 2, both, geared, &err);
    CHECK(still && pinion_model_nv(still) == 0 && pinion_model_loop_count(still) == 0);
    CHECK(still && pinion_model_actuators_listed(still) && pinion_model_actuator_count(still) == 0);
    pinion_model_free(still);
    CHECK(pinion_model_reduce(m, 1, &follower, q, &err) == NULL);
    CHECK_HAS(err.message, "follows another one");
    CHECK(pinion_model_reduce(m, 1, &none, q, &err) == NULL);
    CHECK_HAS(err.message, "is not there");
    pinion_model_free(m);
}

/* b = 3 a + 2 a^3 + 1: a locked at 0.5 has b at 2.75, and the other way round; one that is far from it is found. */
TEST(gears_that_bend)
{
    pinion_model *m = sliders(2);
    const double at[3][2] = {{0.5, 2}, {0.1, 2.75}, {-3, 2.75}};
    for (int i = 0; m && i < 3; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        const int lock = i > 0;
        pinion_model *less = pinion_model_reduce(m, 1, &lock, at[i], &err);
        pinion_loop_info loop;
        if (!less) CHECK_FAIL("%s", err.message);
        if (!less) continue;
        CHECK(pinion_model_loop(less, 0, &loop) == PINION_OK && loop.kind == PINION_LOOP_DRIVE && loop.curve[1] == 0);
        CHECK_NEAR(loop.motion.offset, i ? 0.5 : 2.75, 1e-14);
        pinion_model_free(less);
    }

    /* in half the unit of length both sides change: b = 3 a + 8 a^3 + 0.5 */
    pinion_model *small = m ? pinion_model_scale(m, 0.5, 1, NULL) : NULL;
    pinion_loop_info loop = {0};
    CHECK(small && pinion_model_loop(small, 0, &loop) == PINION_OK);
    CHECK_NEAR(loop.ratio, 3, 1e-15);
    CHECK_NEAR(loop.curve[1], 8, 1e-14);
    CHECK_NEAR(loop.motion.offset, 0.5, 1e-15);
    pinion_model_free(small);
    pinion_model_free(m);

    pinion_error err = {PINION_OK, 0, 0, ""};
    const int both[2] = {0, 1}, second = 1;
    const double q[2] = {0.5, 2};
    m = sliders(2);
    CHECK(m && pinion_model_reduce(m, 2, both, q, &err) == NULL);
    CHECK_HAS(err.message, "expected 2.75");
    pinion_model_free(m);
    m = sliders(-1); /* 3 a - a^3 + 1 = 50 is far from a = 1, where the slope is 0 */
    const double flat[2] = {1, 50};
    CHECK(m && pinion_model_reduce(m, 1, &second, flat, &err) == NULL);
    CHECK_HAS(err.message, "gear 'gear': its second joint is locked at 50, for which there is no place");
    pinion_model_free(m);
}

/* ---- parts ---- */

TEST(attached)
{
    uint64_t seed = check_seed;
    for (int round = 0; round < check_rounds(10); round++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_model *m = pinion_random_tree(5, round & 1, seed + (uint64_t)round, &err),
                     *part = pinion_random_tree(4, 0, seed + 50 + (uint64_t)round, &err);
        const int frame = pinion_model_link_count(m) - 1;
        const pinion_pose pose = {{1, 2, 3}, {0, -1, 0, 1, 0, 0, 0, 0, 1}};
        CHECK(pinion_model_attach(m, frame, part, NULL, NULL, &err) == NULL); /* names twice */
        pinion_model *both = pinion_model_attach(m, frame, part, "hand/", &pose, &err);
        if (!both) CHECK_FAIL("%s", err.message);
        if (!both) continue;
        CHECK(pinion_model_nv(both) == pinion_model_nv(m) + pinion_model_nv(part));
        CHECK_NEAR(pinion_model_mass(both),
                   pinion_model_mass(m) + pinion_model_mass(part) + pinion_model_fixed_mass(part),
                   1e-12 * pinion_model_mass(both));

        /* at neutral coordinates a link of the part is where the frame, the pose and the part put it */
        double q[3][MOST], p[3][MOST], R[3][3 * MOST], at[3], x[3];
        const pinion_model *models[3] = {m, part, both};
        for (int i = 0; i < 3; i++) {
            pinion_work *w = pinion_work_new(models[i]);
            CHECK_STATUS(pinion_neutral(models[i], q[i]), PINION_OK);
            CHECK_STATUS(pinion_frames(models[i], w, q[i], p[i], R[i]), PINION_OK);
            pinion_work_free(w);
        }
        pinion_link_info link;
        char name[300];
        const int last = pinion_model_link_count(part) - 1;
        CHECK_STATUS(pinion_model_link(part, last, &link), PINION_OK);
        snprintf(name, sizeof name, "hand/%s", link.name);
        const int there = pinion_model_find_link(both, name);
        CHECK(there >= 0);
        const double *o = p[1] + 3 * last;
        for (int i = 0; i < 3; i++)
            at[i] = pose.position[i] + pose.rotation[3 * i] * o[0] + pose.rotation[3 * i + 1] * o[1] +
                    pose.rotation[3 * i + 2] * o[2];
        for (int i = 0; i < 3; i++) {
            const double *r = R[0] + 9 * frame + 3 * i;
            x[i] = p[0][3 * frame + i] + r[0] * at[0] + r[1] * at[1] + r[2] * at[2];
            CHECK_NEAR(p[2][3 * (there < 0 ? 0 : there) + i], x[i], 1e-12);
        }
        pinion_model_free(both);
        pinion_model_free(part);
        pinion_model_free(m);
    }
}

/* Where one has a list and the other ideal actuators, every motor is in the list. */
TEST(motors_of_both)
{
    pinion_model *listed = sliders(0), *ideal = pinion_random_tree(6, 0, check_seed, NULL);
    for (int i = 0; listed && ideal && i < 2; i++) {
        const pinion_model *m = i ? ideal : listed, *part = i ? listed : ideal;
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_model *both = pinion_model_attach(m, 0, part, "p/", NULL, &err);
        if (!both) CHECK_FAIL("%s", err.message);
        if (!both) continue;
        CHECK(pinion_model_actuators_listed(both));
        CHECK(pinion_model_actuator_count(both) ==
              pinion_model_actuator_count(listed) + pinion_model_actuator_count(ideal));
        for (int k = 0; k < pinion_model_actuator_count(ideal); k++) {
            pinion_actuator_info a, b;
            char name[300];
            CHECK_STATUS(pinion_model_actuator(ideal, k, &a), PINION_OK);
            snprintf(name, sizeof name, "%s%s", i ? "" : "p/", a.name);
            CHECK_STATUS(pinion_model_actuator(both, pinion_model_find_actuator(both, name), &b), PINION_OK);
            CHECK(b.term_count == 1 && b.term[0].factor == 1 && b.term[0].dof == a.term[0].dof);
            CHECK(b.effort[1] == a.effort[1] && b.velocity == a.velocity);
        }
        CHECK(pinion_model_find_state(both, i ? "p/home" : "home") >= 0);
        CHECK(pinion_model_find_group(both, i ? "p/pair" : "pair") >= 0);
        pinion_model_free(both);
    }
    /* and so it is with joints that a builder had before: neither a free one nor one without a motor counts */
    static const char *const names[] = {"free", "ball", "idle"};
    static const pinion_joint_type types[] = {PINION_JOINT_FREE, PINION_JOINT_SPHERICAL, PINION_JOINT_REVOLUTE};
    pinion_builder *b = pinion_builder_new("b");
    for (int i = 0; i < 4; i++) {
        pinion_link_def link = pinion_link_def_default();
        pinion_joint_def joint = pinion_joint_def_default();
        link.name = i ? names[i - 1] : "ground";
        CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
        if (i == 0) continue;
        joint.name = joint.child = link.name;
        joint.type = types[i - 1];
        joint.parent = "ground";
        joint.unactuated = i == 3;
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    }
    pinion_joint_def weld = pinion_joint_def_default();
    weld.name = "weld";
    weld.parent = "ground";
    weld.child = "base";
    weld.type = PINION_JOINT_FIXED;
    CHECK_STATUS(pinion_builder_add_model(b, listed, NULL, NULL), PINION_OK);
    CHECK_STATUS(pinion_builder_add_joint(b, &weld, NULL), PINION_OK);
    pinion_model *all = pinion_builder_build(b, NULL, NULL);
    CHECK(all && pinion_model_actuator_count(all) == 3 + 2 && pinion_model_find_actuator(all, "ball.2") >= 0);
    pinion_model_free(all);
    pinion_builder_free(b);
    pinion_model_free(listed);
    pinion_model_free(ideal);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(reduced_trees);
    RUN(gears_followers_and_actuators);
    RUN(gears_that_bend);
    RUN(attached);
    RUN(motors_of_both);
    return CHECK_END();
}
