/* How exact every registered algorithm is, in double, on the bundled models, on real robots and on random
 * chains and trees: its error against the reference of its problem in quadruple precision. The references are
 * rnea, crba and aba; the inverse of crba's matrix; that between Jacobians for the operational space; and for
 * Coriolis matrices, which are not unique, the algorithm itself, with C v = bias - gravity to vouch for it.
 * So it is for the factors of M; what they solve and multiply is measured against M and its inverse; and for
 * derivatives, of which backend.complex says that they are right.
 * docs/correctness.md shows the table that this prints.
 *
 * The constants of a model are doubles, so a rotation in it is orthogonal to rounding alone. Algorithms that
 * use orthogonality in different places may therefore differ by some units of 1e-16 in any precision, times
 * the condition of the mass matrix where it is solved; that is part of the errors here. */
#include <dirent.h>
#include "share.h"
#include "truth.h"

/* What an error may be: absolute for what is a sum of products. What solves with M loses its condition as
 * well, the product of the norms of M and its inverse: the bound is its part, plus `relative` rounding units
 * times that. In the operational space J M^-1 (bias - gravity) and Jdot v may cancel on top. Divide and conquer has a
 * condition of its own (share.h), with the same bound. Beyond it the truth itself must move as much in states off by
 * rounding (SHAKEN_TIMES). */
typedef struct bound {
    double absolute, relative;
} bound;

static const bound bounds[PN_PROBLEM_COUNT] = {
    [PN_PROBLEM_inverse_dynamics] = {1e-13, 0},     [PN_PROBLEM_mass_matrix] = {1e-13, 0},
    [PN_PROBLEM_mass_matrix_inverse] = {1e-13, 50}, [PN_PROBLEM_coriolis] = {1e-13, 0},
    [PN_PROBLEM_forward_dynamics] = {1e-13, 50},    [PN_PROBLEM_operational_space] = {1e-13, 500},
    [PN_PROBLEM_factorization] = {1e-13, 50},       [PN_PROBLEM_d_inverse_dynamics] = {1e-13, 0},
    [PN_PROBLEM_d_forward_dynamics] = {1e-13, 200},
};

/* beyond this condition number, four digits of a solution are left in double: such states are not judged */
static const double worst_condition = 1e12;

/* the errors of an algorithm over all states so far */
typedef struct tally {
    double *error;
    int states, room, models;
    double worst, worst_units; /* the latter over the condition of M, in rounding units */
    char where[48];
} tally;

static tally tallies[PN_ALGORITHM_COUNT];
static int skipped_states, skipped_loops, followers_models;
static double largest_condition;

/* what an algorithm is measured against in one state */
typedef struct reference {
    quad *tau, *M, *inverse, *a;
    quad *operational; /* J M^-1 J', J M^-1 (bias - gravity) - Jdot v, J M^-1 gravity, M^-1 J' */
    double condition, share; /* cond(M); share.h */
} reference;

/* How far the truth itself goes where the state is shaken: accelerations may be small differences of large numbers. */
static double moved(const truth *t, int algorithm, const state *x)
{
    const int n = truth_outputs(t, algorithm);
    quad *here = calloc((size_t)(2 * n) + 1, sizeof(quad)), *there = here + n;
    double *out = calloc((size_t)n + 1, sizeof(double)), most = 0;
    uint64_t seed = check_seed;
    truth_quad(t, algorithm, x, here);
    for (int k = 0; k < SHAKES; k++) {
        state y = state_shaken(t->m, x, 0x1p-53, &seed);
        truth_quad(t, algorithm, &y, there);
        for (int i = 0; i < n; i++) out[i] = (double)there[i];
        most = fmax(most, truth_errors(t, algorithm, out, here));
        free(y.q);
    }
    free(here);
    free(out);
    return most;
}

static void note(const truth *of, int algorithm, const state *x, double error, double condition,
                 const char *name)
{
    tally *t = &tallies[algorithm];
    if (t->states == t->room) {
        t->room = 2 * t->room + 64;
        t->error = realloc(t->error, sizeof *t->error * (size_t)t->room);
    }
    t->error[t->states++] = error;
    if (!(error <= t->worst)) {
        t->worst = error;
        snprintf(t->where, sizeof t->where, "%s", name);
    }
    const double units = error / condition / 0x1p-53;
    if (!(units <= t->worst_units)) t->worst_units = units;

    const bound *b = &bounds[pn_algorithms[algorithm].problem];
    const double allowed = b->absolute + b->relative * 0x1p-53 * condition;
    check_count++;
    if (error <= allowed) return;
    const double shaken = moved(of, algorithm, x);
    if (!(error <= SHAKEN_TIMES * shaken))
        CHECK_FAIL("%s on %s: error %g, allowed %g (condition %g; %g where the state is shaken)",
                   pn_algorithms[algorithm].name, name, error, allowed, condition, shaken);
}

/* bias and, with v = 0, gravity, in quad: [2][nv] */
static quad *bias_and_gravity(const truth *t, const state *x)
{
    const int nv = t->m->n.nv, rnea = pinion_algorithm_find("rnea");
    double *zero = calloc((size_t)(nv + 6 * t->m->n.bodies) + 1, sizeof *zero);
    quad *out = malloc(sizeof(quad) * (size_t)(2 * nv));
    state y = {x->q, x->v, zero, zero, zero};
    truth_quad(t, rnea, &y, out);
    y.v = zero;
    truth_quad(t, rnea, &y, out + nv);
    free(zero);
    return out;
}

/* C v = bias - gravity, with C in quad: a matrix that is not unique has this to be measured by */
static void check_coriolis(const truth *t, const state *x, const quad *C, const char *algorithm)
{
    const int nv = t->m->n.nv;
    quad *bias = bias_and_gravity(t, x), *gravity = bias + nv, worst = 0, scale = 1e-3;
    for (int i = 0; i < nv; i++) {
        quad Cv = 0;
        for (int j = 0; j < nv; j++) Cv += C[i * nv + j] * x->v[j];
        const quad d = fabsq(Cv - (bias[i] - gravity[i]));
        if (!(d <= worst)) worst = d;
        if (fabsq(bias[i]) > scale) scale = fabsq(bias[i]);
    }
    check_count++;
    if (!(worst <= 1e-13 * scale))
        CHECK_FAIL("%s: C v differs from bias - gravity by %g", algorithm, (double)(worst / scale));
    free(bias);
}

/* the operational space of the last frame by its definition, from its Jacobian and the inverse of M */
static void operational_reference(const truth *t, const state *x, const quad *inverse, quad *out)
{
    const int nv = t->m->n.nv, nq = t->m->n.nq;
    const shape jacobian = {PN_K_jacobian, "", nq, 0, 0, 0, 0, {6 * nv}};
    const shape acceleration = {PN_K_acceleration, "", nq, nv, nv, 0, 0, {6}};
    quad *lambda = out, *mu = out + 36, *p = mu + 6, *response = p + 6;
    quad *J = malloc(sizeof(quad) * (size_t)(6 * nv)), Jdot_v[6], *bias = bias_and_gravity(t, x);
    double *zero = calloc((size_t)nv, sizeof *zero);
    const state still = {x->q, x->v, zero, zero, zero};
    truth_kernel(t, &jacobian, x, J);
    truth_kernel(t, &acceleration, &still, Jdot_v);
    for (int i = 0; i < nv; i++) {
        for (int r = 0; r < 6; r++) {
            quad sum = 0;
            for (int j = 0; j < nv; j++) sum += inverse[i * nv + j] * J[r * nv + j];
            response[6 * i + r] = sum;
        }
    }
    for (int r = 0; r < 6; r++) {
        mu[r] = -Jdot_v[r];
        p[r] = 0;
        for (int i = 0; i < nv; i++) {
            mu[r] += response[6 * i + r] * (bias[i] - bias[nv + i]);
            p[r] += response[6 * i + r] * bias[nv + i];
        }
        for (int c = 0; c < 6; c++) {
            lambda[6 * r + c] = 0;
            for (int i = 0; i < nv; i++) lambda[6 * r + c] += J[r * nv + i] * response[6 * i + c];
        }
    }
    free(J);
    free(bias);
    free(zero);
}

/* what a factorization should have left: its own factors in quad, M^-1 tau, M a and, where it is kept, M */
static void factorization_reference(const truth *t, int algorithm, const state *x, const reference *r,
                                    quad *out)
{
    const int nv = t->m->n.nv;
    quad *solution = out + nv * nv, *product = solution + nv, *kept = product + nv;
    truth_quad(t, algorithm, x, out);
    for (int i = 0; i < nv; i++) {
        solution[i] = product[i] = 0;
        for (int j = 0; j < nv; j++) {
            solution[i] += r->inverse[i * nv + j] * x->tau[j];
            product[i] += r->M[i * nv + j] * x->a[j];
        }
    }
    if (strcmp(pn_algorithms[algorithm].name, "inverse") == 0) {
        memcpy(out, r->inverse, sizeof(quad) * (size_t)(nv * nv));
        memcpy(kept, r->M, sizeof(quad) * (size_t)(nv * nv));
    }
}

/* the accelerations of a model with followers, by their definition: M^-1 (tau - h), h with external forces */
static void acceleration_reference(const truth *t, const state *x, const quad *inverse, quad *a)
{
    const int nv = t->m->n.nv;
    double *zero = calloc((size_t)nv, sizeof *zero);
    quad *h = malloc(sizeof(quad) * (size_t)nv);
    const state still = {x->q, x->v, zero, x->tau, x->f_ext};
    truth_quad(t, pinion_algorithm_find("rnea"), &still, h);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) a[i] += inverse[i * nv + j] * (x->tau[j] - h[j]);
    free(h);
    free(zero);
}

static reference reference_of(const truth *t, const state *x)
{
    const size_t nv = (size_t)t->m->n.nv, size = nv * nv;
    reference r;
    r.tau = calloc(2 * (nv + size) + 48 + 6 * nv, sizeof(quad));
    r.a = r.tau + nv;
    r.M = r.a + nv;
    r.inverse = r.M + size;
    r.operational = r.inverse + size;
    truth_quad(t, pinion_algorithm_find("rnea"), x, r.tau);
    truth_quad(t, pinion_algorithm_find("crba"), x, r.M);
    r.condition = truth_inverse(r.M, (int)nv, r.inverse);
    r.share = least_share(t->m);
    const int aba = pinion_algorithm_find("aba");
    if (r.condition <= worst_condition && pinion_algorithm_applies(aba, t->m, NULL) == PINION_OK)
        truth_quad(t, aba, x, r.a);
    else if (r.condition <= worst_condition)
        acceleration_reference(t, x, r.inverse, r.a);
    if (r.condition <= worst_condition) operational_reference(t, x, r.inverse, r.operational);
    return r;
}

/* one algorithm in one state */
static void measure(const truth *t, int algorithm, const state *x, const reference *r, const char *name)
{
    const int problem = pn_algorithms[algorithm].problem, n = truth_outputs(t, algorithm);
    const int solves = bounds[problem].relative > 0;
    if (solves && !(r->condition <= worst_condition)) return;

    /* with loops accelerations are not those of the tree, which the reference has: tests/loops measures them */
    if (problem == PN_PROBLEM_forward_dynamics && t->m->n.loops) {
        skipped_loops++;
        return;
    }
    double *out = calloc((size_t)n, sizeof *out);
    quad *own = NULL;
    const quad *ref = NULL;
    switch (problem) {
    case PN_PROBLEM_inverse_dynamics: ref = r->tau; break;
    case PN_PROBLEM_mass_matrix: ref = r->M; break;
    case PN_PROBLEM_mass_matrix_inverse: ref = r->inverse; break;
    case PN_PROBLEM_forward_dynamics: ref = r->a; break;
    case PN_PROBLEM_operational_space: ref = r->operational; break;
    case PN_PROBLEM_d_inverse_dynamics:
    case PN_PROBLEM_d_forward_dynamics:
        ref = own = malloc(sizeof(quad) * (size_t)n);
        truth_quad(t, algorithm, x, own);
        break;
    case PN_PROBLEM_coriolis:
        ref = own = malloc(sizeof(quad) * (size_t)n);
        truth_quad(t, algorithm, x, own);
        check_coriolis(t, x, own, pn_algorithms[algorithm].name);
        break;
    case PN_PROBLEM_factorization:
        ref = own = calloc((size_t)n, sizeof(quad));
        factorization_reference(t, algorithm, x, r, own);
        break;
    default:
        CHECK_FAIL("%s: a problem without a reference", pn_algorithms[algorithm].name);
        free(out);
        return;
    }
    truth_double(t, algorithm, x, out);
    const double condition = PN_FIRST_ALGORITHM + algorithm == PN_K_divide_and_conquer ? r->condition / r->share
                             : solves                                                  ? r->condition
                                                                                       : 1;
    note(t, algorithm, x, truth_errors(t, algorithm, out, ref), condition, name);
    free(out);
    free(own);
}

/* A random state. Robots that may turn without end are given limits like 1e16, where an angle has no digits
 * left for its sine: such coordinates are brought back to a turn. */
static state moderate_state(const pinion_model *m, uint64_t *seed)
{
    state x = state_new(m, seed);
    for (int i = 0; i < m->n.nq; i++)
        if (fabs(x.q[i]) > 100) x.q[i] = fmod(x.q[i], 6.25);
    return x;
}

/* every algorithm that applies, in some random states */
static void measure_model(const pinion_model *m, const char *name, int states, uint64_t seed)
{
    if (m->n.nv == 0) return;
    truth t = truth_new(m);
    for (int i = 0; i < states; i++) {
        state x = moderate_state(m, &seed);
        const reference r = reference_of(&t, &x);
        if (!(r.condition <= worst_condition))
            skipped_states++;
        else if (r.condition > largest_condition)
            largest_condition = r.condition;
        for (int a = 0; a < PN_ALGORITHM_COUNT; a++)
            if (pinion_algorithm_applies(a, m, NULL) == PINION_OK) measure(&t, a, &x, &r, name);
        free(r.tau);
        free(x.q);
    }
    for (int a = 0; a < PN_ALGORITHM_COUNT; a++)
        tallies[a].models += pinion_algorithm_applies(a, m, NULL) == PINION_OK;
    followers_models += m->n.followers > 0;
    truth_free(&t);
}

#ifdef PINION_IO

/* a file, with its root fixed or free, followers as joints of their own */
static void measure_file(const char *folder, const char *file, pinion_root root, int states, uint64_t seed)
{
    char path[1024], name[64];
    pinion_error err = {0};
    pinion_load_options options = pinion_load_options_default();
    options.root = root;
    options.mimic = PINION_MIMIC_INDEPENDENT;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    snprintf(name, sizeof name, "%.40s%s", file, root == PINION_ROOT_FREE ? ", free" : "");
    pinion_model *m = pinion_load(path, &options, &err);
    if (!m) CHECK_FAIL("%s: %s", file, err.message);
    if (m) measure_model(m, name, states, seed);
    pinion_model_free(m);
}

/* every file of a folder with that ending; how many there were */
static int measure_folder(const char *folder, const char *ending, int free_too, int states)
{
    struct dirent **entries;
    const int found = scandir(folder, &entries, NULL, alphasort);
    int files = 0;
    for (int i = 0; i < found; i++) {
        const char *file = entries[i]->d_name;
        const size_t length = strlen(file), tail = strlen(ending);
        if (length > tail && !strcmp(file + length - tail, ending)) {
            files++;
            measure_file(folder, file, PINION_ROOT_FIXED, states, check_seed + (uint64_t)i);
            if (free_too) measure_file(folder, file, PINION_ROOT_FREE, states, check_seed + (uint64_t)i);
        }
        free(entries[i]);
    }
    if (found >= 0) free(entries);
    return files;
}

TEST(bundled_models)
{
    const char *folder = getenv("PINION_MODELS");
    if (!folder) SKIP("PINION_MODELS is not set");
    CHECK(measure_folder(folder, ".json", 0, 20) > 0);
}

TEST(shared_robots)
{
    const char *shared = getenv("PINION_SHARED");
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/robots", shared ? shared : "");
    DIR *there = shared ? opendir(folder) : NULL;
    if (!there) SKIP("PINION_SHARED is not set or has no folder `robots`");
    closedir(there);
    CHECK(measure_folder(folder, ".urdf", 1, 4) > 0);
}

/* the same model, its followers made joints of their own: most of what solves with M applies to that one */
static void measure_independent(const pinion_model *m, const char *name, int states, uint64_t seed)
{
    pinion_error err = {0};
    pinion_load_options options = pinion_load_options_default();
    options.mimic = PINION_MIMIC_INDEPENDENT;
    char *text = pinion_save_string(m, PINION_FORMAT_JSON, &err);
    pinion_model *copy =
        text ? pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, name, &options, &err) : NULL;
    if (!copy) CHECK_FAIL("%s: %s", name, err.message);
    if (copy) measure_model(copy, name, states, seed);
    pinion_model_free(copy);
    pinion_free(text);
}

#else

TEST(bundled_models)
{
    SKIP("a build without loaders");
}
TEST(shared_robots)
{
    SKIP("a build without loaders");
}
static void measure_independent(const pinion_model *m, const char *name, int states, uint64_t seed)
{
    (void)m, (void)name, (void)states, (void)seed;
}

#endif

TEST(random_models)
{
    for (int i = 0; i < 48; i++) {
        const int joints = 1 + i % 24, tree = i % 3;
        const uint64_t seed = check_seed + (uint64_t)i;
        pinion_error err = {0};
        pinion_model *m =
            tree ? pinion_random_tree(joints, i % 2, seed, &err) : pinion_random_chain(joints, seed, &err);
        if (!m) CHECK_FAIL("a random model: %s", err.message);
        if (!m) continue;
        char name[48];
        snprintf(name, sizeof name, "random %s of %d%s", tree ? "tree" : "chain", joints,
                 tree && i % 2 ? ", free" : "");
        measure_model(m, name, 4, seed);
        if (m->n.followers) measure_independent(m, name, 4, seed);
        pinion_model_free(m);
    }
}

/* Chains in which divide and conquer once took a small pivot for zero, and had errors of 1e-9 and 6e-9. */
TEST(small_pivots)
{
    static const struct {
        int joints;
        uint64_t seed;
    } chains[] = {{10, 92043}, {19, 92097}, {10, 92127}};
    for (int i = 0; i < 3; i++) {
        pinion_error err = {0};
        pinion_model *m = pinion_random_chain(chains[i].joints, chains[i].seed, &err);
        CHECK(m != NULL);
        if (m) measure_model(m, "small pivots", 4, chains[i].seed);
        pinion_model_free(m);
    }
}

/* what was found, in the order of the problems */
TEST(table)
{
    printf("       %-28s%7s%8s%12s%12s%13s  %s\n", "algorithm", "models", "states", "worst", "median",
           "in eps cond", "worst on");
    for (int problem = 0; problem < PN_PROBLEM_COUNT; problem++) {
        const bound *b = &bounds[problem];
        const int solves = b->relative > 0;
        if (solves)
            printf("       %s, allowed %g + %g eps cond(M)\n", pinion_problem_name((pinion_problem)problem),
                   b->absolute, b->relative);
        else
            printf("       %s, allowed %g\n", pinion_problem_name((pinion_problem)problem), b->absolute);
        for (int a = 0; a < PN_ALGORITHM_COUNT; a++) {
            tally *t = &tallies[a];
            if (pn_algorithms[a].problem != problem) continue;
            char units[24] = "";
            if (solves) snprintf(units, sizeof units, "%.2g", t->worst_units);
            printf("       %-28s%7d%8d%12.2g%12.2g%13s  %s\n", pn_algorithms[a].name, t->models, t->states,
                   t->worst, median_of(t->error, t->states), units, t->where);
            if (!check_filter) CHECK(t->states > 0);
        }
    }
    printf(
        "       eps = 2^-53; %d states with cond(M) > %g were left out where M is solved; largest left %.2g; "
        "%d models with followers; %d forward dynamics of models with closed loops were left out (tests/loops)\n",
        skipped_states, worst_condition, largest_condition, followers_models, skipped_loops);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(bundled_models);
    RUN(shared_robots);
    RUN(random_models);
    RUN(small_pivots);
    RUN(table);
    for (int a = 0; a < PN_ALGORITHM_COUNT; a++) free(tallies[a].error);
    return CHECK_END();
}
