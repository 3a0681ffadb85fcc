/* Every registered algorithm on every model it applies to, against the reference: bundled and shared robots
 * and mechanisms with closed loops on fixed and free roots, random chains and trees of every joint type, with
 * external forces, any gravity, rotors and followers. Prints the worst error of each, and what it was refused for.
 *
 * An error is the largest difference of an entry, relative to the largest entry of the reference, or to the
 * largest sum of the sizes of its terms where those may cancel. It must be below 1e-9. What inverts M loses
 * as many digits as M's condition has: a backward stable method may be off by about nv units of rounding
 * times the condition, and so may the reference; four times that is allowed where it is more than 1e-9. From
 * a condition of 1e13 on no digit is asked for, and PINION_ERR_SINGULAR is a right answer. */
#define _DEFAULT_SOURCE
#include "models.h"
#include "reference.h"

#include <dirent.h>

#define TOLERANCE 1e-9
#define HOPELESS 1e13 /* condition */
#define ALGORITHMS_MAX 200

/* What is known of one algorithm after all models. */
typedef struct record {
    int models, states, singular, refused;
    double worst;      /* error */
    double worst_unit; /* error in units of rounding times condition, for what inverts M */
    char where[160];   /* the model of the worst error */
    char why[600];     /* the first reason why it did not apply */
    char example[160];
} record;

static record records[ALGORITHMS_MAX];

/* One model with a state, and what the algorithms need. */
typedef struct subject {
    const char *name;
    pinion_model *m;
    pinion_work *w;
    reference r;
    int nv;
    double *out; /* [2][nv][nv], and more for the operational space and for factorizations */
} subject;

/* ---- errors ---- */

static double relative(double error, double scale)
{
    if (isnan(error)) return INFINITY;
    return error / (scale > 0 ? scale : 1);
}

/* largest |x - truth| */
static double distance(const double *x, const double *truth, int count)
{
    double worst = 0;
    for (int i = 0; i < count; i++) {
        const double d = fabs(x[i] - truth[i]);
        if (!(d <= worst)) worst = d;
    }
    return worst;
}

/* the largest entry of |A| |x| */
static double product_size(const double *A, const double *x, int n)
{
    double top = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += fabs(A[i * n + j] * x[j]);
        if (sum > top) top = sum;
    }
    return top;
}

/* C v = bias - gravity, and dM/dt - 2 C is skew-symmetric */
static double coriolis_error(const subject *s)
{
    const reference *r = &s->r;
    const int n = s->nv;
    const double speed = fmax(largest(r->v, n), 1e-3); /* C has the size of M times it */
    const double size =
        fmax(largest(r->Mdot, n * n), fmax(largest(s->out, n * n), largest(r->M, n * n) * speed));
    double worst = 0, asymmetry = 0;
    for (int i = 0; i < n; i++) {
        double sum = r->gravity[i] - r->bias[i];
        for (int j = 0; j < n; j++) sum += s->out[i * n + j] * r->v[j];
        if (!(fabs(sum) <= worst)) worst = fabs(sum);
        for (int j = 0; j <= i; j++) {
            const double skew =
                r->Mdot[i * n + j] + r->Mdot[j * n + i] - 2 * s->out[i * n + j] - 2 * s->out[j * n + i];
            if (!(fabs(skew) <= asymmetry)) asymmetry = fabs(skew);
        }
    }
    asymmetry = relative(asymmetry, size);
    check_count++;
    if (!(asymmetry <= DERIVATIVE_TOLERANCE))
        CHECK_FAIL("%s: dM/dt - 2 C is not skew-symmetric, by %.3g", s->name, asymmetry);
    return relative(worst, fmax(largest(r->bias, n), n * size * speed));
}

/* the parts of a result in s->out, one after the other */
static pinion_operational_parts operational_parts(const subject *s)
{
    pinion_operational_parts o = {s->out, s->out + 36, s->out + 72, s->out + 78, s->out + 84};
    return o;
}

/* the largest |x K - y| of rows x and y, relative to the sizes of the terms */
static double rows_error(const double *x, const double *K, const double *y, int rows)
{
    double worst = 0, scale = 0;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < 6; k++) {
            double sum = -y[6 * i + k], size = fabs(y[6 * i + k]);
            for (int l = 0; l < 6; l++) {
                sum += x[6 * i + l] * K[6 * l + k];
                size += fabs(x[6 * i + l] * K[6 * l + k]);
            }
            if (!(fabs(sum) <= worst)) worst = fabs(sum);
            if (size > scale) scale = size;
        }
    return relative(worst, scale);
}

/* K = J M^-1 J'; and where K has an inverse Lambda: K mu = J M^-1 (bias - gravity) - dJ/dt v, K p = J M^-1
 * gravity, Jbar K = M^-1 J', Lambda K = 1. Forces and moments are of one size on these robots, so one error
 * serves. */
static double operational_error(const subject *s, int invertible)
{
    const reference *r = &s->r;
    const int n = s->nv;
    const pinion_operational_parts o = operational_parts(s);
    double K[36] = {0}, one[36] = {0}, mu[6], p[6];
    for (int k = 0; k < 6; k++) {
        one[7 * k] = 1;
        mu[k] = -r->drift[k];
        p[k] = 0;
        for (int i = 0; i < n; i++) {
            mu[k] += r->MinvJ[6 * i + k] * (r->bias[i] - r->gravity[i]);
            p[k] += r->MinvJ[6 * i + k] * r->gravity[i];
            for (int l = 0; l < 6; l++) K[6 * k + l] += r->J[k * n + i] * r->MinvJ[6 * i + l];
        }
    }
    double error = relative(distance(o.inverse, K, 36), largest(K, 36));
    if (!invertible) return error;
    error = fmax(error, rows_error(o.Lambda, o.inverse, one, 6));
    error = fmax(error, rows_error(o.mu, o.inverse, mu, 1));
    error = fmax(error, rows_error(o.p, o.inverse, p, 1));
    return fmax(error, rows_error(o.Jbar, o.inverse, r->MinvJ, n));
}

/* M^-1 tau and M a from the factors, which are somewhere before them in s->out; what the factors themselves
 * are, registry.factorization checks */
static double factorization_error(const subject *s, int a)
{
    const reference *r = &s->r;
    const int n = s->nv;
    const double *solution = s->out + pinion_factorization_size(s->m, a), *product = solution + n;
    double solving = 0, multiplying = 0;
    for (int i = 0; i < n; i++) {
        double x = solution[i], y = product[i];
        for (int j = 0; j < n; j++) {
            x -= r->Minv[i * n + j] * r->tau_in[j];
            y -= r->M[i * n + j] * r->a[j];
        }
        if (!(fabs(x) <= solving)) solving = fabs(x);
        if (!(fabs(y) <= multiplying)) multiplying = fabs(y);
    }
    return fmax(relative(solving, product_size(r->Minv, r->tau_in, n)),
                relative(multiplying, product_size(r->M, r->a, n)));
}

/* the derivatives of inverse dynamics at accelerations a, by differentiating line by line (backend.complex has that
 * against the complex step) */
static void tangents(const subject *s, const double *a, double *D)
{
    const reference *r = &s->r;
    const int nn = s->nv * s->nv;
    const int tangent = pinion_algorithm_find("rnea-tangent");
    CHECK_STATUS(pinion_d_inverse_dynamics_by(s->m, s->w, tangent, r->q, r->v, a, r->f_ext, D, D + nn, D + 2 * nn),
                 PINION_OK);
}

static double d_inverse_error(const subject *s)
{
    const int nn = s->nv * s->nv;
    double error = 0, *D = new_numbers(3 * nn);
    tangents(s, s->r.a, D);
    for (int k = 0; k < 3; k++)
        error = fmax(error, relative(distance(s->out + k * nn, D + k * nn, nn), largest(D + k * nn, nn)));
    free(D);
    return error;
}

/* With loops D, that by tau, is D M D; and L' (L da + s) = 0 with s the change of L a - c, by q where no row depends on
 * others. tests/loops/test_derivatives.c has the rest. */
static double d_loop_error(const subject *s)
{
    const reference *r = &s->r;
    const int n = s->nv, nn = n * n, rows = pinion_model_row_count(s->m);
    const double *D = s->out + 2 * nn;
    double *x = new_numbers(2 * nn + 3 * rows * n), *L = x + 2 * nn, *change[2] = {L + rows * n, L + 2 * rows * n};
    const pinion_constraints parts = {.L = L};
    pinion_mobility mobility = {0};
    for (int i = 0; i < nn; i++)
        for (int k = 0; k < n; k++) x[i] += D[i / n * n + k] * r->M[k * n + i % n];
    for (int i = 0; i < nn; i++)
        for (int k = 0; k < n; k++) x[nn + i] += x[i / n * n + k] * D[k * n + i % n];
    double error = relative(distance(x + nn, D, nn), largest(D, nn));
    CHECK_STATUS(pinion_constraints_at(s->m, s->w, 0, r->q, NULL, &parts), PINION_OK);
    CHECK_STATUS(pinion_mobility_at(s->m, s->w, 0, r->q, &mobility), PINION_OK);
    CHECK_STATUS(pinion_d_constraints(s->m, s->w, r->q, r->v, r->acceleration, NULL, change[0], change[1]), PINION_OK);
    for (int by = mobility.redundant > 0; by < 2; by++) {
        double size = 0;
        for (int i = 0; i < rows * n; i++) {
            double sum = fabs(change[by][i]);
            for (int k = 0; k < n; k++) {
                change[by][i] += L[i / n * n + k] * s->out[by * nn + k * n + i % n];
                sum += fabs(L[i / n * n + k] * s->out[by * nn + k * n + i % n]);
            }
            size = fmax(size, sum);
        }
        for (int i = 0; i < nn; i++) {
            double sum = 0;
            for (int k = 0; k < rows; k++) sum += L[k * n + i / n] * change[by][k * n + i % n];
            error = fmax(error, relative(fabs(sum), size * largest(L, rows * n)));
        }
    }
    free(x);
    return error;
}

/* da = - M^-1 dtau at the accelerations, and M^-1 */
static double d_forward_error(const subject *s)
{
    const reference *r = &s->r;
    const int n = s->nv, nn = n * n;
    if (pinion_model_row_count(s->m) > 0) return d_loop_error(s);
    double error = relative(distance(s->out + 2 * nn, r->Minv, nn), largest(r->Minv, nn)), *D = new_numbers(4 * nn);
    tangents(s, r->acceleration, D);
    for (int k = 0; k < 2; k++) {
        double *x = D + 3 * nn, size = 0;
        for (int i = 0; i < nn; i++) x[i] = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int l = 0; l < n; l++) {
                    x[i * n + j] -= r->Minv[i * n + l] * D[k * nn + l * n + j];
                    sum += fabs(r->Minv[i * n + l] * D[k * nn + l * n + j]);
                }
                size = fmax(size, sum);
            }
        error = fmax(error, relative(distance(s->out + k * nn, x, nn), size));
    }
    free(D);
    return error;
}

/* the error of what an algorithm left in s->out */
static double result_error(const subject *s, int a, pinion_problem problem, pinion_status status)
{
    const reference *r = &s->r;
    const int n = s->nv;
    switch (problem) {
    case PINION_PROBLEM_INVERSE_DYNAMICS:
        return relative(distance(s->out, r->tau, n), product_size(r->M, r->a, n) + largest(r->loaded, n));
    case PINION_PROBLEM_MASS_MATRIX: return relative(distance(s->out, r->M, n * n), largest(r->M, n * n));
    case PINION_PROBLEM_MASS_MATRIX_INVERSE:
        return relative(distance(s->out, r->Minv, n * n), largest(r->Minv, n * n));
    case PINION_PROBLEM_CORIOLIS: return coriolis_error(s);
    case PINION_PROBLEM_FORWARD_DYNAMICS:
        return relative(distance(s->out, r->acceleration, n), largest(r->acceleration, n));
    case PINION_PROBLEM_OPERATIONAL_SPACE: return operational_error(s, status == PINION_OK);
    case PINION_PROBLEM_FACTORIZATION: return factorization_error(s, a);
    case PINION_PROBLEM_D_INVERSE_DYNAMICS: return d_inverse_error(s);
    case PINION_PROBLEM_D_FORWARD_DYNAMICS: return d_forward_error(s);
    default: return INFINITY; /* a problem that this test does not know */
    }
}

/* ---- running ---- */

/* the factors, behind them M^-1 tau and M a */
static pinion_status run_factorization(const subject *s, int a)
{
    double *solution = s->out + pinion_factorization_size(s->m, a), *product = solution + s->nv;
    pinion_status status = pinion_factorization_by(s->m, s->w, a, s->r.q, s->out);
    if (status == PINION_OK)
        status = pinion_factorization_solve(s->m, s->w, a, s->out, s->r.tau_in, solution);
    if (status == PINION_OK) status = pinion_factorization_multiply(s->m, s->w, a, s->out, s->r.a, product);
    return status;
}

static pinion_status run_algorithm(const subject *s, int a, pinion_problem problem)
{
    const reference *r = &s->r;
    const pinion_operational_parts parts = operational_parts(s);
    double *second = s->out + s->nv * s->nv, *third = second + s->nv * s->nv;
    switch (problem) {
    case PINION_PROBLEM_INVERSE_DYNAMICS:
        return pinion_inverse_dynamics_by(s->m, s->w, a, r->q, r->v, r->a, r->f_ext, s->out);
    case PINION_PROBLEM_MASS_MATRIX: return pinion_mass_matrix_by(s->m, s->w, a, r->q, s->out);
    case PINION_PROBLEM_MASS_MATRIX_INVERSE:
        return pinion_mass_matrix_inverse_by(s->m, s->w, a, r->q, s->out);
    case PINION_PROBLEM_CORIOLIS: return pinion_coriolis_by(s->m, s->w, a, r->q, r->v, s->out);
    case PINION_PROBLEM_FORWARD_DYNAMICS:
        return pinion_forward_dynamics_by(s->m, s->w, a, r->q, r->v, r->tau_in, r->f_ext, s->out);
    case PINION_PROBLEM_OPERATIONAL_SPACE:
        return pinion_operational_space_by(s->m, s->w, a, r->q, r->v, r->frame, PINION_REFERENCE_WORLD_ALIGNED, &parts);
    case PINION_PROBLEM_FACTORIZATION: return run_factorization(s, a);
    case PINION_PROBLEM_D_INVERSE_DYNAMICS:
        return pinion_d_inverse_dynamics_by(s->m, s->w, a, r->q, r->v, r->a, r->f_ext, s->out, second, third);
    case PINION_PROBLEM_D_FORWARD_DYNAMICS:
        return pinion_d_forward_dynamics_by(s->m, s->w, a, r->q, r->v, r->tau_in, r->f_ext, s->out, second, third);
    default: return PINION_ERR_ARGUMENT;
    }
}

static size_t result_size(const subject *s)
{
    const size_t n = (size_t)s->nv, factors = 3 * n * n + 2 * n, operational = 84 + 6 * n; /* or derivatives */
    return factors > operational ? factors : operational;
}

/* Whether PINION_ERR_SINGULAR is a right answer: M has no inverse; or the frame's Jacobian has not full rank,
 * and then K = J M^-1 J' is there all the same; or rows that a leg is held with depend on each other. */
static int may_be_singular(const subject *s, pinion_problem problem)
{
    if (problem == PINION_PROBLEM_OPERATIONAL_SPACE && strstr(pinion_work_message(s->w), "rank"))
        return 1;
    if (problem == PINION_PROBLEM_FORWARD_DYNAMICS && strstr(pinion_work_message(s->w), "multilegged: the joints"))
        return 1;
    return s->r.condition > HOPELESS;
}

/* an algorithm that applies, on the state at hand */
static void check_state(subject *s, int a, const pinion_algorithm_info *info, record *k)
{
    const int inverts = info->problem == PINION_PROBLEM_FORWARD_DYNAMICS ||
                        info->problem == PINION_PROBLEM_MASS_MATRIX_INVERSE ||
                        info->problem == PINION_PROBLEM_OPERATIONAL_SPACE ||
                        info->problem == PINION_PROBLEM_FACTORIZATION ||
                        info->problem == PINION_PROBLEM_D_FORWARD_DYNAMICS;
    const double unit = 0x1p-53 * s->r.condition;
    for (size_t i = 0; i < result_size(s); i++) s->out[i] = NAN;
    const pinion_status status = run_algorithm(s, a, info->problem);
    check_count++;
    if (status != PINION_OK &&
        !(status == PINION_ERR_SINGULAR && inverts && may_be_singular(s, info->problem))) {
        CHECK_FAIL("%s on %s: status %d (%s), condition %.3g", info->name, s->name, (int)status,
                   pinion_work_message(s->w), s->r.condition);
        return;
    }
    k->singular += status != PINION_OK;
    if (status != PINION_OK && info->problem == PINION_PROBLEM_FORWARD_DYNAMICS) return;
    if (inverts && !(s->r.condition <= HOPELESS)) return;

    k->states++;
    const double error = result_error(s, a, info->problem, status);
    const double allowed = inverts ? fmax(TOLERANCE, 4 * s->nv * unit) : TOLERANCE;
    if (!(error <= k->worst)) {
        k->worst = error;
        snprintf(k->where, sizeof k->where, "%s", s->name);
    }
    if (inverts && !(error / unit <= k->worst_unit)) k->worst_unit = error / unit;
    check_count++;
    if (!(error <= allowed))
        CHECK_FAIL("%s on %s: error %.3g, allowed %.3g (condition %.3g)", info->name, s->name, error, allowed,
                   s->r.condition);
}

/* an algorithm that does not apply says why, and does not run */
static void check_refusal(subject *s, int a, const pinion_algorithm_info *info, const pinion_error *err,
                          record *k)
{
    CHECK(err->status == PINION_ERR_UNSUPPORTED);
    CHECK_HAS(err->message, info->name);
    CHECK_STATUS(run_algorithm(s, a, info->problem), PINION_ERR_UNSUPPORTED);
    CHECK_HAS(pinion_work_message(s->w), info->name);
    if (!k->refused++) {
        snprintf(k->why, sizeof k->why, "%s", err->message);
        snprintf(k->example, sizeof k->example, "%s", s->name);
    }
}

/* a state of a model with loops: near where it starts, where they close, and a velocity that keeps them */
static void close_state(reference *r, uint64_t *seed)
{
    double *way = new_numbers(r->nv);
    CHECK_STATUS(pinion_initial(r->m, r->q, NULL), PINION_OK);
    for (int i = 0; i < r->nv; i++) way[i] = check_between(seed, -0.2, 0.2);
    CHECK_STATUS(pinion_integrate(r->m, r->q, way, 1, r->q), PINION_OK);
    if (pinion_assemble(r->m, r->w, 0, NULL, r->q, NULL) != PINION_OK ||
        pinion_project_velocity(r->m, r->w, 0, NULL, r->q, r->v) != PINION_OK)
        CHECK_FAIL("%s: %s", pinion_model_name(r->m), pinion_work_message(r->w));
    free(way);
}

/* a new state and what is known about it; the third one is at rest and without external forces */
static void new_state(reference *r, uint64_t *seed, int number)
{
    const int rest = number == 2;
    CHECK_STATUS(pinion_random(r->m, (uint64_t)(check_uniform(seed) * 1e15), r->q), PINION_OK);
    /* limits may be so wide that no digit of an angle is left */
    for (int i = 0; i < r->nq; i++)
        if (fabs(r->q[i]) > 100) r->q[i] = fmod(r->q[i], 3);
    for (int i = 0; i < r->nv; i++) {
        r->v[i] = rest ? 0 : check_between(seed, -1.5, 1.5);
        r->a[i] = check_between(seed, -3, 3);
        r->tau_in[i] = check_between(seed, -10, 10);
    }
    for (int i = 0; i < 6 * r->bodies; i++) r->f_ext[i] = rest ? 0 : check_between(seed, -5, 5);
    if (pinion_model_row_count(r->m) > 0) close_state(r, seed);
    reference_compute(r);
}

/* every algorithm on one model, which is then freed */
static void try_model(pinion_model *m, const char *name, int states, uint64_t seed)
{
    if (!m || pinion_model_nv(m) == 0) {
        pinion_model_free(m);
        return;
    }
    subject s = {.name = name, .m = m, .nv = pinion_model_nv(m)};
    s.w = pinion_work_new(m);
    s.out = new_numbers((int)result_size(&s));
    reference_open(&s.r, m);
    CHECK(s.w != NULL);
    for (int k = 0; k < states && s.w; k++) {
        new_state(&s.r, &seed, k);
        for (int a = 0; a < pinion_algorithm_count() && a < ALGORITHMS_MAX; a++) {
            pinion_algorithm_info info;
            pinion_error err = {0};
            CHECK_STATUS(pinion_algorithm(a, &info), PINION_OK);
            if (pinion_algorithm_applies(a, m, &err) == PINION_OK) {
                records[a].models += k == 0;
                check_state(&s, a, &info, &records[a]);
            } else if (k == 0) {
                check_refusal(&s, a, &info, &err, &records[a]);
            }
        }
    }
    reference_close(&s.r);
    free(s.out);
    pinion_work_free(s.w);
    pinion_model_free(m);
}

/* ---- models ---- */

static void try_random_gravity(pinion_model *m, const char *name, int states, uint64_t seed)
{
    const double gravity[3] = {check_between(&seed, -9, 9), check_between(&seed, -9, 9),
                               check_between(&seed, -9, 9)};
    if (m) CHECK_STATUS(pinion_model_set_gravity(m, gravity), PINION_OK);
    try_model(m, name, states, seed);
}

/* the library's own chains and trees */
TEST(generated_models)
{
    for (int joints = 1; joints <= 20; joints++) {
        char name[100];
        const uint64_t seed = check_seed + (uint64_t)joints;
        snprintf(name, sizeof name, "pinion_random_chain(%d, %llu)", joints, (unsigned long long)seed);
        try_model(pinion_random_chain(joints, seed, NULL), name, 3, seed);
        for (int free_root = 0; free_root < 2; free_root++) {
            snprintf(name, sizeof name, "pinion_random_tree(%d, %d, %llu)", joints, free_root,
                     (unsigned long long)seed);
            try_random_gravity(pinion_random_tree(joints, free_root, seed, NULL), name, 2, seed);
        }
    }
}

/* chains and trees of chosen joints, so that every algorithm has some that it applies to, without followers
 */
TEST(chosen_joints)
{
    uint64_t seed = check_seed;
    for (int kinds = 0; kinds < KINDS; kinds++)
        for (int serial = 0; serial < 2; serial++)
            for (int joints = 1; joints <= 10; joints++) {
                char name[100];
                const int follows = joints % 4 == 3;
                snprintf(name, sizeof name, "%s of %d joints, %s%s", serial ? "chain" : "tree", joints,
                         kind_names[kinds], follows ? ", the last one following" : "");
                try_random_gravity(random_model((joint_kinds)kinds, joints, serial, follows, &seed), name, 2,
                                   seed + 1);
            }
}

#ifdef PINION_IO
/* a file in every way it can be loaded: one whose base is free has no other */
static void try_file(const char *folder, const char *file)
{
    int free_base = 0;
    for (int way = 0; way < 4; way += 1 + free_base) {
        char path[1000], name[200];
        pinion_error err = {0};
        pinion_load_options options = pinion_load_options_default();
        options.root = way & 1 ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
        options.mimic = way & 2 ? PINION_MIMIC_INDEPENDENT : PINION_MIMIC_FOLLOW;
        snprintf(path, sizeof path, "%s/%s", folder, file);
        snprintf(name, sizeof name, "%.100s%s%s", file, way & 1 ? ", free root" : "",
                 way & 2 ? ", independent" : "");
        pinion_model *m = pinion_load(path, &options, &err);
        if (!m) CHECK_FAIL("%s: %s", path, err.message);
        int followers = 0;
        for (int j = 0; m && j < pinion_model_joint_count(m); j++) {
            pinion_joint_info joint;
            if (pinion_model_joint(m, j, &joint) != PINION_OK) continue;
            followers += joint.leader >= 0;
            if (way == 0) free_base |= joint.type == PINION_JOINT_FREE && !strcmp(joint.name, "root");
        }
        try_model(m, name, 2, check_seed + (uint64_t)way);
        if (way == !free_base && !followers && m) break; /* without followers there is no other way */
    }
}

static int try_folder(const char *folder, const char *suffix)
{
    int files = 0;
    DIR *list = opendir(folder);
    for (struct dirent *entry; list && (entry = readdir(list)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, suffix) != 0) continue;
        try_file(folder, entry->d_name);
        files++;
    }
    if (list) closedir(list);
    return files;
}

TEST(bundled_models)
{
    const char *models = getenv("PINION_MODELS");
    if (!models) SKIP("PINION_MODELS does not name the folder of the bundled models");
    CHECK(try_folder(models, ".json") > 0);
}

TEST(shared_robots)
{
    char folder[1000];
    const char *shared = getenv("PINION_SHARED");
    if (!shared) SKIP("PINION_SHARED does not name a folder with robots");
    snprintf(folder, sizeof folder, "%s/robots", shared);
    if (!try_folder(folder, ".urdf")) SKIP("there are no robots in PINION_SHARED");
}
#endif

/* ---- the rest of the promise ---- */

/* NULL for v, a, tau and f_ext means zero, for every algorithm */
TEST(absent_means_zero)
{
    uint64_t seed = check_seed;
    pinion_model *m = random_model(REVOLUTE_PRISMATIC, 5, 1, 0, &seed);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    const int n = m ? pinion_model_nv(m) : 0;
    double q[5], zero[6 * 6] = {0}, x[25], y[25];
    CHECK(w != NULL && n == 5);
    for (int a = 0; w && n == 5 && a < pinion_algorithm_count(); a++) {
        pinion_algorithm_info info;
        pinion_status s = PINION_OK, t = PINION_OK;
        int count = n * n;
        CHECK_STATUS(pinion_algorithm(a, &info), PINION_OK);
        CHECK_STATUS(pinion_random(m, 3, q), PINION_OK);
        if (info.problem == PINION_PROBLEM_INVERSE_DYNAMICS) {
            s = pinion_inverse_dynamics_by(m, w, a, q, NULL, NULL, NULL, x);
            t = pinion_inverse_dynamics_by(m, w, a, q, zero, zero, zero, y);
            count = n;
        } else if (info.problem == PINION_PROBLEM_FORWARD_DYNAMICS) {
            s = pinion_forward_dynamics_by(m, w, a, q, NULL, NULL, NULL, x);
            t = pinion_forward_dynamics_by(m, w, a, q, zero, zero, zero, y);
            count = n;
        } else if (info.problem == PINION_PROBLEM_CORIOLIS) {
            s = pinion_coriolis_by(m, w, a, q, NULL, x);
            t = pinion_coriolis_by(m, w, a, q, zero, y);
        } else {
            continue;
        }
        CHECK_STATUS(s, PINION_OK);
        CHECK_STATUS(t, PINION_OK);
        const double error = check_error(x, y, (size_t)count, 1e-3);
        check_count++;
        if (!(error < 1e-12)) CHECK_FAIL("%s: NULL is not zero, by %g", info.name, error);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* An algorithm of another problem, and one that does not exist. */
TEST(wrong_calls)
{
    pinion_model *m = pinion_random_chain(3, 1, NULL);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    const double q[3] = {0.1, 0.2, 0.3};
    double x[9];
    CHECK(w != NULL);
    for (int a = -1; w && a <= pinion_algorithm_count(); a++) {
        pinion_algorithm_info info;
        const int known = pinion_algorithm(a, &info) == PINION_OK;
        CHECK(known == (a >= 0 && a < pinion_algorithm_count()));
        if (known) CHECK(pinion_algorithm_find(info.name) == a);
        if (!known || info.problem != PINION_PROBLEM_MASS_MATRIX)
            CHECK_STATUS(pinion_mass_matrix_by(m, w, a, q, x), PINION_ERR_ARGUMENT);
        if (!known || info.problem != PINION_PROBLEM_INVERSE_DYNAMICS)
            CHECK_STATUS(pinion_inverse_dynamics_by(m, w, a, q, NULL, NULL, NULL, x), PINION_ERR_ARGUMENT);
    }
    CHECK(pinion_algorithm_find("no-such-algorithm") == -1 && pinion_algorithm_find(NULL) == -1);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* The table for docs/correctness.md; every algorithm must have been run on something. */
TEST(every_algorithm_was_tried)
{
    printf("       %-28s%-22s%7s%8s%10s%12s  %s\n", "algorithm", "problem", "models", "states", "error",
           "/(u cond)", "worst on");
    for (int a = 0; a < pinion_algorithm_count() && a < ALGORITHMS_MAX; a++) {
        pinion_algorithm_info info;
        const record *k = &records[a];
        char units[40] = "";
        if (pinion_algorithm(a, &info) != PINION_OK) continue;
        if (k->worst_unit > 0) snprintf(units, sizeof units, "%.2g", k->worst_unit);
        printf("       %-28s%-22s%7d%8d%10.2g%12s  %s\n", info.name, pinion_problem_name(info.problem),
               k->models, k->states, k->worst, units, k->where);
        check_count++;
        if (!check_filter && k->states < 50)
            CHECK_FAIL("%s was tried on %d states only", info.name, k->states);
    }
    for (int a = 0; a < pinion_algorithm_count() && a < ALGORITHMS_MAX; a++) {
        pinion_algorithm_info info;
        const record *k = &records[a];
        if (pinion_algorithm(a, &info) != PINION_OK || !k->refused) continue;
        printf("       not for %d models: %s (%s)\n", k->refused, k->why, k->example);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(generated_models);
    RUN(chosen_joints);
#ifdef PINION_IO
    RUN(bundled_models);
    RUN(shared_robots);
#endif
    RUN(absent_means_zero);
    RUN(wrong_calls);
    RUN(every_algorithm_was_tried);
    return CHECK_END();
}
