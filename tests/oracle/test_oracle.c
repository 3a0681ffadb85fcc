/* Pinion against values that an independent library computed for the same robots: every robot, every state,
 * every quantity, through every entry point. The error of a quantity in a state is
 * max|difference| / max(max|reference|, 1e-3).
 *
 * In double precision it must stay below 1e-10, or 20 times what the file says about its own algorithms where
 * that is more. In single precision see f32_tolerance(). */
#include <dirent.h>
#include <jansson.h>
#include "oracle.h"

#define PN_IN_BOTH "oracle/evaluate.inc"
#include "both.h"

static const char *shared;

/* the names of the oracle's files, sorted, as malloc'ed strings */
static size_t list_files(char *names[], size_t capacity)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/oracle", shared);
    struct dirent **entries = NULL;
    const int found = scandir(folder, &entries, NULL, alphasort);
    size_t count = 0;
    for (int i = 0; i < found; i++) {
        const size_t length = strlen(entries[i]->d_name);
        if (length > 5 && !strcmp(entries[i]->d_name + length - 5, ".json") && count < capacity) {
            names[count] = malloc(length + 1);
            memcpy(names[count++], entries[i]->d_name, length + 1);
        }
        free(entries[i]);
    }
    free(entries);
    return count;
}

/* the worst error of a field over all states; frames that the file does not know do not count */
static double field_error(const oracle *o, const answers *got, int f, double floor_)
{
    double worst = 0;
    for (size_t s = 0; s < o->count; s++) {
        const double *ref = o->expected.of[f] + s * o->width[f];
        double *x = got->of[f] + s * o->width[f], *known = calloc(o->width[f] + 1, sizeof *known);
        for (size_t i = 0; i < o->width[f]; i++) {
            const int unknown = (f == F_POSITION || f == F_ROTATION) && isnan(ref[i]);
            known[i] = unknown ? 0 : ref[i];
            if (unknown) x[i] = 0;
        }
        worst = fmax(worst, check_error(x, known, o->width[f], floor_));
        free(known);
    }
    return worst;
}

static int is_forward(int f)
{
    return f == F_FD || f == F_FD_FORCES;
}

/* what pinion_dynamics_terms gives */
static int in_terms(int f)
{
    return f == F_MASS || f == F_BIAS || f == F_GRAVITY || f == F_POSITION || f == F_ROTATION ||
           (f >= F_JACOBIAN && f < F_VELOCITY);
}

/* Rounding q, v and the forces to float alone moves an answer by a few 1e-7 for each joint between the world
 * and a link: 2e-5 is some hundred roundings. What gravity and inertial forces cancel to says nothing about
 * the rounding of the parts, so the scale is at least 1 (N, N m, J, ...), not 1e-3. Forward dynamics divides
 * by inertias, some of them the small difference of large ones: ten times that. */
static double f32_tolerance(int f)
{
    return is_forward(f) ? 2e-4 : 2e-5;
}

/* one way to compute the answers against the file; `worst` collects the errors of all ways */
static void compare(const oracle *o, const answers *got, const char *how, int single,
                    double worst[FIELD_COUNT])
{
    const int terms = !strcmp(how, "terms");
    for (int f = 0; f < FIELD_COUNT; f++) {
        if ((terms && !in_terms(f)) || (o->singular && is_forward(f))) continue;
        const double error = field_error(o, got, f, single ? 1 : 1e-3);
        const double allowed = single ? f32_tolerance(f) : o->tolerance[f];
        check_count++;
        worst[f] = fmax(worst[f], error);
        if (!(error <= allowed))
            CHECK_FAIL("%s (%s): %s is off by %g, allowed %g", o->name, how, field_name[f], error, allowed);
    }
}

/* one line a file; a field that was not compared shows as - */
static void report(const oracle *o, const double worst[FIELD_COUNT])
{
    printf("%s: nv %d, %zu states:", o->name, o->nv, o->count);
    for (int f = 0; f < FIELD_COUNT; f++)
        if (worst[f] < 0)
            printf(" %s -", field_name[f]);
        else
            printf(" %s %.0e", field_name[f], worst[f]);
    printf("\n");
}

/* mass and gravity, which belong to no state */
static void compare_model(const oracle *o)
{
    double mass, fixed, gravity[3], own[3];
    read_numbers(o->file, "total_mass", &mass, 1);
    read_numbers(o->file, "universe_mass", &fixed, 1);
    read_numbers(o->file, "gravity", gravity, 3);
    pinion_model_gravity(o->model, own);
    CHECK_NEAR(pinion_model_mass(o->model), mass, 1e-12 * fmax(mass, 1));
    CHECK_NEAR(pinion_model_fixed_mass(o->model), fixed, 1e-12 * fmax(fixed, 1));
    CHECK(check_error(own, gravity, 3, 1) == 0);
}

/* Columns of the inverse mass matrix: what a unit force accelerates without gravity, at rest. */
static void compare_inverse(const oracle *o)
{
    const size_t n = (size_t)o->nv;
    const double none[3] = {0, 0, 0};
    const double own = json_number_value(
        json_object_get(json_object_get(o->file, "self_checks_worst_relative"), "Minv_M_vs_I"));
    const double allowed = fmax(fmax(1e-10, 20 * own), o->tolerance[F_FD]);
    pinion_model *m = pinion_model_copy(o->model);
    pinion_work *w = pinion_work_new(o->model);
    double *tau = calloc(n, sizeof *tau), *a = calloc(n, sizeof *a);
    double *got = calloc(n * n, sizeof *got), *expected = calloc(n * n, sizeof *expected), worst = 0;
    CHECK_STATUS(pinion_model_set_gravity(m, none), PINION_OK);
    for (size_t s = 0; s < o->count && !o->singular; s++) {
        const json_t *state = json_array_get(json_object_get(o->file, "states"), s);
        if (!json_object_get(state, "Minv")) continue;
        read_square(o, state, "Minv", expected);
        for (size_t j = 0; j < n; j++) {
            tau[j] = 1;
            CHECK_STATUS(pinion_forward_dynamics(m, w, o->q + s * (size_t)o->nq, NULL, tau, NULL, a),
                         PINION_OK);
            tau[j] = 0;
            for (size_t i = 0; i < n; i++) got[i * n + j] = a[i];
        }
        worst = fmax(worst, check_error(got, expected, n * n, 1e-3));
    }
    printf("%s: inverse of M %.0e,", o->name, worst);
    if (!(worst <= allowed)) CHECK_FAIL("%s: inverse of M is off by %g, allowed %g", o->name, worst, allowed);
    free(tau);
    free(a);
    free(got);
    free(expected);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* The derivative of inverse dynamics by q along pinion_integrate: the tangent space is the one that is
 * promised, in the child frame of each joint. Central differences with h = 1e-6 carry h^2 and eps/h errors,
 * both about 1e-10 of the largest force, which the acceleration a may make larger than the derivative: 1e-6
 * leaves room. */
static void compare_tangent(const oracle *o)
{
    const size_t n = (size_t)o->nv, nq = (size_t)o->nq;
    const double h = 1e-6;
    pinion_work *w = pinion_work_new(o->model);
    double *step = calloc(n, sizeof *step), *q = calloc(nq, sizeof *q), *plus = calloc(n, sizeof *plus);
    double *minus = calloc(n, sizeof *minus), *got = calloc(n * n, sizeof *got);
    double *expected = calloc(n * n, sizeof *expected), worst = 0;
    for (size_t s = 0; s < o->count; s++) {
        const json_t *state = json_array_get(json_object_get(o->file, "states"), s);
        if (!json_object_get(state, "dtau_dq")) continue;
        read_square(o, state, "dtau_dq", expected);
        const double *v = o->v + s * n, *a = o->a + s * n;
        for (size_t j = 0; j < n; j++) {
            step[j] = 1;
            CHECK_STATUS(pinion_integrate(o->model, o->q + s * nq, step, h, q), PINION_OK);
            CHECK_STATUS(pinion_inverse_dynamics(o->model, w, q, v, a, NULL, plus), PINION_OK);
            CHECK_STATUS(pinion_integrate(o->model, o->q + s * nq, step, -h, q), PINION_OK);
            CHECK_STATUS(pinion_inverse_dynamics(o->model, w, q, v, a, NULL, minus), PINION_OK);
            step[j] = 0;
            for (size_t i = 0; i < n; i++) got[i * n + j] = (plus[i] - minus[i]) / (2 * h);
        }
        worst = fmax(worst, check_error(got, expected, n * n, 1e-1));
    }
    printf(" d id/dq by differences %.0e\n", worst);
    if (!(worst <= 1e-6)) CHECK_FAIL("%s: d id/dq by differences is off by %g", o->name, worst);
    free(step);
    free(q);
    free(plus);
    free(minus);
    free(got);
    free(expected);
    pinion_work_free(w);
}

/* one matrix against the file, where that has it; returns the error */
static double compare_square(const oracle *o, const json_t *state, const char *key, const double *got, double *expected)
{
    const size_t n = (size_t)o->nv;
    if (!json_object_get(state, key)) return 0;
    read_square(o, state, key, expected);
    return check_error(got, expected, n * n, 1e-3);
}

/* Y of the file has a block of columns a joint, in the file's order, with Iyy before Ixz */
static double compare_regressor(const oracle *o, const json_t *state, const double *Y)
{
    static const int place[10] = {0, 1, 2, 3, 4, 5, 7, 6, 8, 9};
    const json_t *joints = json_object_get(o->file, "joints");
    const int n = o->nv, count = (int)json_array_size(joints), columns = 10 * (o->bodies - 1);
    double *from = calloc((size_t)(n * 10 * count) + 1, sizeof *from), worst = 0, largest = 1e-3;
    read_numbers(state, "joint_torque_regressor", from, (size_t)(n * 10 * count));
    for (int j = 0; j < count; j++) {
        pinion_joint_info info;
        if (!find_joint(o->model, text_of(json_array_get(joints, (size_t)j), "name"), &info)) continue;
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 10; k++) {
                const double x = from[(i * count + j) * 10 + k];
                const double y = Y[o->v_index[i] * columns + 10 * (info.body - 1) + place[k]];
                worst = fmax(worst, fabs(x - y));
                largest = fmax(largest, fabs(x));
            }
    }
    free(from);
    return worst / largest;
}

/* the derivatives of the dynamics, and the regressor */
static void compare_derivatives(const oracle *o)
{
    const size_t n = (size_t)o->nv, nq = (size_t)o->nq;
    pinion_work *w = pinion_work_new(o->model);
    double *D = calloc(4 * n * n + 1, sizeof *D), *expected = D + 3 * n * n, id = 0, fd = 0, regressor = 0;
    double *Y = calloc(n * 10 * (size_t)o->bodies + 1, sizeof *Y);
    for (size_t s = 0; s < o->count; s++) {
        const json_t *state = json_array_get(json_object_get(o->file, "states"), s);
        const double *q = o->q + s * nq, *v = o->v + s * n, *a = o->a + s * n, *tau = o->tau + s * n;
        CHECK_STATUS(pinion_d_inverse_dynamics(o->model, w, q, v, a, NULL, D, D + n * n, D + 2 * n * n), PINION_OK);
        id = fmax(id, compare_square(o, state, "dtau_dq", D, expected));
        id = fmax(id, compare_square(o, state, "dtau_dv", D + n * n, expected));
        id = fmax(id, compare_square(o, state, "M", D + 2 * n * n, expected));
        if (json_object_get(state, "joint_torque_regressor")) {
            CHECK_STATUS(pinion_regressor(o->model, w, q, v, a, Y), PINION_OK);
            regressor = fmax(regressor, compare_regressor(o, state, Y));
        }
        const pinion_status status =
            pinion_d_forward_dynamics(o->model, w, q, v, tau, NULL, D, D + n * n, D + 2 * n * n);
        CHECK_STATUS(status, o->singular ? PINION_ERR_SINGULAR : PINION_OK);
        if (status != PINION_OK) continue;
        fd = fmax(fd, compare_square(o, state, "dqdd_dq", D, expected));
        fd = fmax(fd, compare_square(o, state, "dqdd_dv", D + n * n, expected));
        fd = fmax(fd, compare_square(o, state, "Minv", D + 2 * n * n, expected));
    }
    /* those of forward dynamics lose M's condition twice: in a and in the solution */
    const double allowed = fmax(1e-8, 100 * o->tolerance[F_FD]);
    printf("%s: derivatives of id %.0e, of fd %.0e, regressor %.0e\n", o->name, id, fd, regressor);
    if (!(id <= 1e-10)) CHECK_FAIL("%s: derivatives of inverse dynamics are off by %g", o->name, id);
    if (!(regressor <= 1e-10)) CHECK_FAIL("%s: the regressor is off by %g", o->name, regressor);
    if (!(fd <= allowed)) CHECK_FAIL("%s: derivatives of forward dynamics are off by %g", o->name, fd);
    free(D);
    free(Y);
    pinion_work_free(w);
}

/* opens every file in turn and hands it to the check */
static void for_every_file(void (*check)(const oracle *o, answers *got))
{
    char *names[512];
    const size_t count = list_files(names, 512);
    if (!count) printf("no file found under %s\n", shared);
    CHECK(count > 0);
    for (size_t i = 0; i < count; i++) {
        oracle o;
        if (oracle_open(&o, shared, names[i])) {
            answers got;
            answers_new(&o, &got);
            check(&o, &got);
            answers_free(&got);
            oracle_close(&o);
        }
        free(names[i]);
    }
}

static void check_double(const oracle *o, answers *got)
{
    double worst[FIELD_COUNT];
    for (int f = 0; f < FIELD_COUNT; f++) worst[f] = -1;
    compare_model(o);
    evaluate_single(o, got);
    compare(o, got, "single", 0, worst);
    evaluate_terms(o, got);
    compare(o, got, "terms", 0, worst);
    evaluate_batch(o, got);
    compare(o, got, "batch", 0, worst);
    report(o, worst);
}

static void check_float(const oracle *o, answers *got)
{
    double worst[FIELD_COUNT];
    for (int f = 0; f < FIELD_COUNT; f++) worst[f] = -1;
    evaluate_single_f32(o, got);
    compare(o, got, "single", 1, worst);
    evaluate_terms_f32(o, got);
    compare(o, got, "terms", 1, worst);
    evaluate_batch_f32(o, got);
    compare(o, got, "batch", 1, worst);
    report(o, worst);
}

static void check_derived(const oracle *o, answers *got)
{
    (void)got;
    compare_inverse(o);
    compare_tangent(o);
    compare_derivatives(o);
}

#include "layouts.inc"

static const char *const absent = "PINION_SHARED is not set or has no folder `oracle`";

TEST(double_precision)
{
    if (!shared) SKIP(absent);
    for_every_file(check_double);
}

TEST(single_precision)
{
    if (!shared) SKIP(absent);
    for_every_file(check_float);
}

TEST(derived)
{
    if (!shared) SKIP(absent);
    for_every_file(check_derived);
}

TEST(layouts)
{
    if (!shared) SKIP(absent);
    for_every_file(check_layouts);
    printf("       layouts of %d files; generated models are left out (layouts.inc)\n", robots_compared);
    CHECK(robots_compared > 30);
}

int main(int argc, char **argv)
{
    char folder[1024];
    CHECK_BEGIN(argc, argv);
    shared = getenv("PINION_SHARED");
    snprintf(folder, sizeof folder, "%s/oracle", shared ? shared : "");
    DIR *there = shared ? opendir(folder) : NULL;
    if (there)
        closedir(there);
    else
        shared = NULL;
    RUN(double_precision);
    RUN(single_precision);
    RUN(derived);
    RUN(layouts);
    return CHECK_END();
}
