/* The algorithm that stands behind a function of the API, by pinion_algorithm_default. */
#define _DEFAULT_SOURCE
#include "models.h"

#define NV_MAX 64

static const char *name_of(int algorithm)
{
    pinion_algorithm_info info;
    return pinion_algorithm(algorithm, &info) == PINION_OK ? info.name : "none";
}

static const char *default_name(pinion_problem problem, const pinion_model *m)
{
    return name_of(pinion_algorithm_default(problem, m));
}

/* It solves the problem and applies wherever any algorithm of the problem does. */
static void check_defaults(const pinion_model *m)
{
    for (int p = 0; p < PINION_PROBLEM_COUNT; p++) {
        const int chosen = pinion_algorithm_default((pinion_problem)p, m);
        pinion_algorithm_info info;
        int some = 0;
        for (int a = 0; a < pinion_algorithm_count(); a++)
            some |= pinion_algorithm(a, &info) == PINION_OK && (int)info.problem == p &&
                    pinion_algorithm_applies(a, m, NULL) == PINION_OK;
        CHECK((chosen >= 0) == some);
        if (chosen < 0) continue;
        CHECK(pinion_algorithm(chosen, &info) == PINION_OK && (int)info.problem == p);
        CHECK_STATUS(pinion_algorithm_applies(chosen, m, NULL), PINION_OK);
    }
}

/* It gives what the plain function gives. */
static void check_plain(const pinion_model *m, uint64_t seed)
{
    double q[NV_MAX + 16], v[NV_MAX], a[2][NV_MAX];
    const int fd = pinion_algorithm_default(PINION_PROBLEM_FORWARD_DYNAMICS, m), nv = pinion_model_nv(m);
    pinion_work *w = pinion_work_new(m);
    CHECK(w && nv <= NV_MAX);
    CHECK_STATUS(pinion_random(m, seed, q), PINION_OK);
    for (int i = 0; i < nv; i++) v[i] = check_between(&seed, -1, 1);
    CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, NULL, NULL, a[0]), PINION_OK);
    CHECK_STATUS(pinion_forward_dynamics_by(m, w, fd, q, v, NULL, NULL, a[1]), PINION_OK);
    CHECK(check_error(a[1], a[0], (size_t)nv, 1) < 1e-9);
    pinion_work_free(w);
}

TEST(random_models)
{
    uint64_t seed = check_seed;
    for (int kind = 0; kind < KINDS; kind++)
        for (int variant = 0; variant < 4; variant++) {
            pinion_model *m = random_model((joint_kinds)kind, 7, variant & 1, variant & 2, &seed);
            if (!m) continue;
            check_defaults(m);
            check_plain(m, seed);
            pinion_model_free(m);
        }
}

TEST(names)
{
    uint64_t seed = check_seed;
    pinion_model *chain = pinion_random_chain(6, seed, NULL), *loops = pinion_n_four_bar(2, NULL);
    pinion_model *follows = random_model(REVOLUTE_PRISMATIC, 8, 1, 1, &seed);
    const pinion_problem fd = PINION_PROBLEM_FORWARD_DYNAMICS;
    CHECK(chain && loops && follows);
    CHECK_HAS(default_name(PINION_PROBLEM_INVERSE_DYNAMICS, chain), "rnea");
    CHECK_HAS(default_name(PINION_PROBLEM_MASS_MATRIX, chain), "crba");
    CHECK_HAS(default_name(fd, chain), "aba");
    CHECK_HAS(default_name(PINION_PROBLEM_CORIOLIS, chain), "denoc-convective");
    CHECK_HAS(default_name(fd, NULL), "aba");
    /* loops: what pinion_loop_dynamics solves with; a tree's operational space is none of theirs */
    CHECK_HAS(default_name(fd, loops), "loop-nullspace");
    CHECK_HAS(default_name(PINION_PROBLEM_OPERATIONAL_SPACE, loops), "none");
    check_defaults(loops);
    /* aba needs a tree without followers: a factorization of M */
    CHECK_HAS(default_name(fd, follows), "crba-cholesky");
    CHECK(pinion_algorithm_default(PINION_PROBLEM_COUNT, chain) == -1);
    pinion_model_free(chain);
    pinion_model_free(loops);
    pinion_model_free(follows);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(random_models);
    RUN(names);
    return CHECK_END();
}
