/* Moving inertias to the parents changes no result: forces, M and accelerations of both models against each other, on
 * random chains and trees of every joint type with rotors and followers, on bundled robots and on those beside the
 * repository; and what it is for, numbers that are exact zeros. */
#include "codegen/codegen_steps.h"
#include "model/record.h"
#include "registry/shared.h"

#include <float.h>

static double worst[6]; /* in units of rounding of the largest entry */
static const char *const names[6] = {"inverse dynamics", "with external forces", "gravity",
                                     "bias",             "mass matrix",          "forward dynamics"};

/* Every entry is a sum over the bodies behind a joint, each term with the roundings of the transforms on the way: some
 * 10 for each body, in both models. */
static void same(const subject *s, int what, const double *x, const double *ref, int n, double size)
{
    const double error = check_error(x, ref, (size_t)n, fmax(size, 1e-300)) / DBL_EPSILON;
    if (!(error <= worst[what])) worst[what] = error;
    check_count++;
    if (!(error <= 20 * (s->bodies + 2)))
        CHECK_FAIL("%s: %s differs by %.3g roundings", s->name, names[what], error);
}

/* M a + bias = tau, as near as tau and what it is made of are */
static void accelerates(subject *s, const pinion_model *m, pinion_work *w)
{
    double *a = take(s, s->nv), *tau = take(s, s->nv), *M = take(s, s->nv * s->nv);
    const int status = pinion_forward_dynamics(m, w, s->q, s->v, s->tau, s->f_ext, a);
    double *a_ref = take(s, s->nv);
    const int expected = pinion_forward_dynamics(s->m, s->w, s->q, s->v, s->tau, s->f_ext, a_ref);
    CHECK_STATUS(status, expected);
    if (status != PINION_OK || expected != PINION_OK) return;
    FINE(s, pinion_inverse_dynamics(s->m, s->w, s->q, s->v, a, s->f_ext, tau));
    FINE(s, pinion_mass_matrix(s->m, s->w, s->q, M));
    double size = 0;
    for (int i = 0; i < s->nv; i++) {
        double row = 0;
        for (int j = 0; j < s->nv; j++) row += fabs(M[i * s->nv + j] * a[j]);
        size = fmax(size, row);
    }
    same(s, 5, tau, s->tau, s->nv, size);
}

/* numbers that the body must not have any more */
static void check_zeros(const subject *s, const pinion_model *m, const pinion_model *before)
{
    const pn_node *node = PN_AT_CONST(m, pn_node, m->nodes);
    const pn_link *L = pn_links_of((pinion_model *)m), *was = pn_links_of((pinion_model *)before);
    (void)s;
    for (int i = 1; i < m->n.nodes; i++) {
        const int joint = node[i].joint;
        if (joint == PN_REVOLUTE || joint == PN_SPHERICAL) CHECK(L[i].m == 0);
        if (joint == PN_REVOLUTE) CHECK(L[i].h[2] == 0);
        if (joint == PN_REVOLUTE || joint == PN_HELICAL || joint == PN_PLANAR) CHECK(L[i].I[3] == 0);
        for (int k = 0; joint == PN_PRISMATIC && k < 6; k++) CHECK(L[i].I[k] == 0);
        /* pivots are measured against the same sizes; nothing but the inertias is touched */
        CHECK(L[i].turning == was[i].turning && L[i].shifting == was[i].shifting);
        CHECK(memcmp(L[i].rotor, was[i].rotor, sizeof L[i].rotor) == 0);
        CHECK(memcmp(&L[i], &was[i], offsetof(pn_link, m)) == 0);
    }
    CHECK(m->structure == before->structure);
}

/* both tables of numbers are the same but for precision */
static void check_single(const pinion_model *m)
{
    const double *wide = PN_AT_CONST(m, double, m->f64);
    const float *narrow = PN_AT_CONST(m, float, m->f32);
    int same_numbers = 1;
    for (uint32_t i = 0; i < m->constants; i++) same_numbers = same_numbers && narrow[i] == (float)wide[i];
    CHECK(same_numbers);
}

static void compare(subject *s)
{
    pinion_model *m = pn_regrouped(s->m);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    CHECK(m && w);
    if (m && w) {
        const int nv = s->nv;
        double *x = take(s, nv), *ref = take(s, nv), *M = take(s, nv * nv), *M_ref = take(s, nv * nv);
        check_zeros(s, m, s->m);
        check_single(m);
        FINE(s, pinion_inverse_dynamics(m, w, s->q, s->v, s->a, NULL, x));
        FINE(s, pinion_inverse_dynamics(s->m, s->w, s->q, s->v, s->a, NULL, ref));
        same(s, 0, x, ref, nv, 0);
        FINE(s, pinion_inverse_dynamics(m, w, s->q, s->v, s->a, s->f_ext, x));
        FINE(s, pinion_inverse_dynamics(s->m, s->w, s->q, s->v, s->a, s->f_ext, ref));
        same(s, 1, x, ref, nv, 0);
        FINE(s, pinion_gravity(m, w, s->q, x));
        FINE(s, pinion_gravity(s->m, s->w, s->q, ref));
        same(s, 2, x, ref, nv, 0);
        FINE(s, pinion_bias(m, w, s->q, s->v, x));
        FINE(s, pinion_bias(s->m, s->w, s->q, s->v, ref));
        same(s, 3, x, ref, nv, 0);
        FINE(s, pinion_mass_matrix(m, w, s->q, M));
        FINE(s, pinion_mass_matrix(s->m, s->w, s->q, M_ref));
        same(s, 4, M, M_ref, nv * nv, 0);
        accelerates(s, m, w);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* An algorithm that takes moments as they are gives the same on both models. */
static void compare_algorithm(subject *s, int algorithm, const pinion_algorithm_info *info, const pinion_model *m,
                              pinion_work *w, pinion_work *own)
{
    const int forward = info->problem == PINION_PROBLEM_FORWARD_DYNAMICS;
    const int vector = forward || info->problem == PINION_PROBLEM_INVERSE_DYNAMICS;
    const int derivatives = info->problem >= PINION_PROBLEM_D_INVERSE_DYNAMICS, size = s->nv * s->nv;
    const int n = vector ? s->nv : derivatives ? 3 * size : size;
    double *x = take(s, n), *ref = take(s, n);
    int status = PINION_OK, expected = PINION_OK;
    for (int k = 0; k < 2; k++) {
        const pinion_model *on = k ? m : s->m;
        pinion_work *in = k ? w : own;
        double *out = k ? x : ref;
        status = expected;
        if (info->problem == PINION_PROBLEM_INVERSE_DYNAMICS)
            expected = pinion_inverse_dynamics_by(on, in, algorithm, s->q, s->v, s->a, s->f_ext, out);
        else if (info->problem == PINION_PROBLEM_MASS_MATRIX)
            expected = pinion_mass_matrix_by(on, in, algorithm, s->q, out);
        else if (info->problem == PINION_PROBLEM_MASS_MATRIX_INVERSE)
            expected = pinion_mass_matrix_inverse_by(on, in, algorithm, s->q, out);
        else if (info->problem == PINION_PROBLEM_D_INVERSE_DYNAMICS)
            expected = pinion_d_inverse_dynamics_by(on, in, algorithm, s->q, s->v, s->a, s->f_ext, out, out + size,
                                                    out + 2 * size);
        else if (info->problem == PINION_PROBLEM_D_FORWARD_DYNAMICS)
            expected = pinion_d_forward_dynamics_by(on, in, algorithm, s->q, s->v, s->tau, s->f_ext, out, out + size,
                                                    out + 2 * size);
        else
            expected = pinion_forward_dynamics_by(on, in, algorithm, s->q, s->v, s->tau, s->f_ext, out);
    }
    CHECK_STATUS(status, expected);
    if (status != PINION_OK || expected != PINION_OK) return;
    const double error = check_error(x, ref, (size_t)n, 1e-300);
    check_count++;
    /* what inverts M loses as many digits as its condition has */
    const int inverts = forward || info->problem == PINION_PROBLEM_MASS_MATRIX_INVERSE ||
                        info->problem == PINION_PROBLEM_D_FORWARD_DYNAMICS;
    if (!(error <= (inverts ? 1e-9 : 1e-13))) CHECK_FAIL("%s: %s differs by %.3g", s->name, info->name, error);
}

static void compare_algorithms(subject *s)
{
    pinion_model *m = pn_regrouped(s->m);
    pinion_work *w = m ? pinion_work_new(m) : NULL, *own = pinion_work_new(s->m);
    CHECK(m && w && own);
    for (int a = 0; m && w && own && a < PN_ALGORITHM_COUNT; a++) {
        pinion_algorithm_info info;
        if (!pn_takes_regrouped(a) || pinion_algorithm_applies(a, s->m, NULL) != PINION_OK) continue;
        CHECK_STATUS(pinion_algorithm(a, &info), PINION_OK);
        compare_algorithm(s, a, &info, m, w, own);
    }
    pinion_work_free(own);
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(algorithms_that_take_moments)
{
    for_every_joint(1, 1, compare_algorithms);
    for_bundled_models(5, compare_algorithms);
}

static void report(void)
{
    for (int k = 0; k < 6; k++) {
        printf("       %-21s worst %.0f roundings\n", names[k], worst[k]);
        worst[k] = 0;
    }
}

TEST(random_models)
{
    for_random_trees(2, 2, compare);
    for_random_chains(1, 2, compare);
    report();
}

TEST(every_joint_and_followers)
{
    for_every_joint(3, 1, compare);
    report();
}

TEST(robots)
{
    for_bundled_models(20, compare);
#ifdef PINION_IO
    for_shared_robots(3, compare);
#endif
    report();
}

/* a chain of revolute joints about z, each a metre along x from the last, with gravity along z: all but turning about z
 * is gone from the first, and what had no part off the axes has none afterwards */
TEST(what_is_left)
{
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("planar");
    pinion_link_def link = pinion_link_def_default();
    const char *const link_name[3] = {"base", "upper", "lower"}, *const joint_name[3] = {"", "first", "second"};
    for (int i = 0; i < 3; i++) {
        const double I[6] = {0.1, 0, 0, 0.3, 0, 0.3};
        link.name = link_name[i];
        link.inertia.mass = 2;
        link.inertia.com[0] = 0.5;
        memcpy(link.inertia.inertia, I, sizeof I);
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
        if (i == 0) continue;
        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = joint_name[i];
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent = link_name[i - 1];
        joint.child = link_name[i];
        joint.axis[0] = joint.axis[1] = 0;
        joint.axis[2] = 1;
        joint.parent_pose.position[0] = i - 1;
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err), *r = m ? pn_regrouped(m) : NULL;
    CHECK(r != NULL);
    if (r) {
        /* the second's mass is on the first at x = 1: 2 * 0.25 + 0.3 of its own, 2 * 1 of the other */
        const pn_link *L = pn_links_of(r);
        CHECK_NEAR(L[1].I[5], 0.8 + 2, 1e-15);
        CHECK_NEAR(hypot(L[1].h[0], L[1].h[1]), 1 + 2, 1e-15);
        CHECK_NEAR(L[2].I[5], 0.8, 1e-15);
        CHECK_NEAR(hypot(L[2].h[0], L[2].h[1]), 1, 1e-15);
        CHECK(L[1].I[2] == 0 && L[1].I[4] == 0 && L[2].I[2] == 0 && L[2].I[4] == 0);
        CHECK(L[1].m == 0 && L[2].m == 0);
    }
    pinion_model_free(r);
    pinion_model_free(m);
    pinion_builder_free(b);
}

/* where sums overflow, the model stays as it is */
TEST(beyond_all_numbers)
{
    pinion_error err = {0};
    pinion_model *m = pinion_random_chain(3, 5, &err);
    CHECK(m != NULL);
    if (!m) return;
    pn_link *L = pn_links_of(m);
    L[2].m = 1e200;
    L[2].ax = 1e100;
    pinion_model *r = pn_regrouped(m);
    CHECK(r != NULL && memcmp(r, m, m->size) == 0);
    pinion_model_free(r);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(random_models);
    RUN(every_joint_and_followers);
    RUN(robots);
    RUN(algorithms_that_take_moments);
    RUN(what_is_left);
    RUN(beyond_all_numbers);
    return CHECK_END();
}
