/* Generated code, compiled and loaded back: the same results as the kernels through every call. */
#include "compiled_code.h"

/* ---- the same through every call ---- */

enum { STATES = 37 };

/* what is compared: calls in a row, each with its results */
typedef struct results {
    double *x;
    size_t count, capacity;
    size_t end[32]; /* of each call's */
    int calls;
} results;

static double *room(results *r, size_t n)
{
    if (r->count + n > r->capacity) {
        r->capacity = 2 * (r->count + n);
        r->x = realloc(r->x, r->capacity * sizeof *r->x);
        if (!r->x) exit(1);
    }
    r->count += n;
    r->end[r->calls++] = r->count;
    return r->x + r->count - n;
}

typedef struct inputs {
    double *q, *v, *a, *tau;
    float *q32, *v32, *a32, *tau32;
} inputs;

static void inputs_new(const pinion_model *m, inputs *x)
{
    const size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m);
    double **const wide[] = {&x->q, &x->v, &x->a, &x->tau};
    float **const narrow[] = {&x->q32, &x->v32, &x->a32, &x->tau32};
    uint64_t seed = check_seed;
    for (int k = 0; k < 4; k++) {
        const size_t n = STATES * (k ? nv : nq);
        *wide[k] = calloc(n + 1, sizeof(double));
        *narrow[k] = calloc(n + 1, sizeof(float));
        if (!*wide[k] || !*narrow[k]) exit(1);
        for (size_t i = 0; i < n; i++) (*wide[k])[i] = check_between(&seed, -1, 1);
        for (size_t s = 0; k == 0 && s < STATES; s++)
            CHECK_STATUS(pinion_random(m, check_seed + s, x->q + s * nq), PINION_OK);
        for (size_t i = 0; i < n; i++) (*narrow[k])[i] = (float)(*wide[k])[i];
    }
}

static void inputs_free(inputs *x)
{
    free(x->q), free(x->v), free(x->a), free(x->tau);
    free(x->q32), free(x->v32), free(x->a32), free(x->tau32);
}

#define ALIGNED PINION_REFERENCE_WORLD_ALIGNED

/* every call of the API that a generated function can answer, at one state; what they give, one after the other */
#define SINGLE_CALLS(T, FN, m, w, q, v, a, tau, frame, r)                                                    \
    do {                                                                                                     \
        const size_t nv_ = (size_t)pinion_model_nv(m), fr_ = (size_t)pinion_model_frame_count(m);            \
        T *o_ = calloc(nv_ * nv_ + 12 * fr_ + 6 * nv_ + 20, sizeof(T));                                      \
        if (!o_) exit(1);                                                                                    \
        KEEP_(FN(pinion_inverse_dynamics)(m, w, q, v, a, NULL, o_), nv_, r);                                 \
        KEEP_(FN(pinion_inverse_dynamics)(m, w, q, NULL, a, NULL, o_), nv_, r);                              \
        KEEP_(FN(pinion_inverse_dynamics)(m, w, q, v, NULL, NULL, o_), nv_, r);                              \
        KEEP_(FN(pinion_bias)(m, w, q, v, o_), nv_, r);                                                      \
        KEEP_(FN(pinion_gravity)(m, w, q, o_), nv_, r);                                                      \
        KEEP_(FN(pinion_mass_matrix)(m, w, q, o_), nv_ *nv_, r);                                             \
        KEEP_(FN(pinion_forward_dynamics)(m, w, q, v, tau, NULL, o_), nv_, r);                               \
        KEEP_(FN(pinion_forward_dynamics)(m, w, q, NULL, NULL, NULL, o_), nv_, r);                           \
        KEEP_(FN(pinion_passive_forces)(m, w, q, v, o_), nv_, r);                                            \
        KEEP_(FN(pinion_energy)(m, w, q, v, 0, o_, o_ + 1), 2, r);                                           \
        KEEP_(FN(pinion_center_of_mass)(m, w, q, v, o_, o_ + 3), 6, r);                                      \
        KEEP_(FN(pinion_center_of_mass)(m, w, q, NULL, o_, NULL), 3, r);                                     \
        KEEP_(FN(pinion_momentum)(m, w, q, v, o_), 6, r);                                                    \
        KEEP_(FN(pinion_frames)(m, w, q, o_, o_ + 3 * fr_), 12 * fr_, r);                                    \
        KEEP_(FN(pinion_frames)(m, w, q, o_, NULL), 3 * fr_, r);                                             \
        KEEP_(FN(pinion_jacobian)(m, w, q, frame, ALIGNED, o_), 6 * nv_, r);                                 \
        KEEP_(FN(pinion_frame_velocity)(m, w, q, v, frame, ALIGNED, o_), 6, r);                              \
        KEEP_(                                                                                               \
            FN(pinion_frame_acceleration)(m, w, q, v, a, frame, ALIGNED, PINION_ACCELERATION_CLASSICAL, o_), \
            6, r);                                                                                           \
        free(o_);                                                                                            \
    } while (0)
#define KEEP_(call, n, r)                                                                                    \
    do {                                                                                                     \
        CHECK_STATUS(call, PINION_OK);                                                                       \
        double *to_ = room(r, n);                                                                            \
        for (size_t i_ = 0; i_ < (n); i_++) to_[i_] = (double)o_[i_];                                        \
    } while (0)

/* the same for batches of all states */
#define BATCH_CALLS(T, FN, m, b, n, q, v, a, tau, frame, r)                                                  \
    do {                                                                                                     \
        const size_t nv_ = (size_t)pinion_model_nv(m), fr_ = (size_t)pinion_model_frame_count(m);            \
        T *o_ = calloc((n) * (nv_ * nv_ + 12 * fr_ + 6 * nv_ + 20), sizeof(T));                              \
        if (!o_) exit(1);                                                                                    \
        KEEP_(FN(pinion_batch_inverse_dynamics)(b, n, q, v, a, NULL, o_), (n) *nv_, r);                      \
        KEEP_(FN(pinion_batch_bias)(b, n, q, v, o_), (n) *nv_, r);                                           \
        KEEP_(FN(pinion_batch_gravity)(b, n, q, o_), (n) *nv_, r);                                           \
        KEEP_(FN(pinion_batch_mass_matrix)(b, n, q, o_), (n) *nv_ *nv_, r);                                  \
        KEEP_(FN(pinion_batch_forward_dynamics)(b, n, q, v, tau, NULL, o_), (n) *nv_, r);                    \
        KEEP_(FN(pinion_batch_energy)(b, n, q, v, 0, o_, o_ + (n)), 2 * (n), r);                             \
        KEEP_(FN(pinion_batch_center_of_mass)(b, n, q, v, o_, o_ + 3 * (n)), 6 * (n), r);                    \
        KEEP_(FN(pinion_batch_momentum)(b, n, q, v, o_), 6 * (n), r);                                        \
        KEEP_(FN(pinion_batch_frames)(b, n, q, o_, o_ + 3 * (n) *fr_), (n) *12 * fr_, r);                    \
        KEEP_(FN(pinion_batch_jacobian)(b, n, q, frame, ALIGNED, o_), (n) *6 * nv_, r);                      \
        free(o_);                                                                                            \
    } while (0)

#define F64(name) name
#define F32(name) name##_f32

/* the largest difference, by the scale of the call's results */
static double worst(const results *given, const results *expected)
{
    double most = 0;
    CHECK(given->count == expected->count && given->calls == expected->calls);
    if (given->count != expected->count) return INFINITY;
    for (int i = 0; i < given->calls; i++) {
        const size_t first = i ? given->end[i - 1] : 0;
        const double error = check_error(given->x + first, expected->x + first, given->end[i] - first, 1e-3);
        if (error > most) most = error;
    }
    return most;
}

static void check_single(const pinion_model *m, const pinion_compiled *c, const inputs *x, int frame, const char *name)
{
    const size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m);
    pinion_work *w = pinion_work_new(m);
    pinion_work_f32 *w32 = pinion_work_f32_new(m);
    double most = 0, most32 = 0;
    for (size_t s = 0; s < STATES; s++) {
        results r[3] = {{0}}, r32 = {0};
        for (int use = 0; use < 2; use++) {
            CHECK_STATUS(pinion_work_use(w, use ? c : NULL), PINION_OK);
            SINGLE_CALLS(double, F64, m, w, x->q + s * nq, x->v + s * nv, x->a + s * nv, x->tau + s * nv, frame,
                         &r[use]);
        }
        CHECK_STATUS(pinion_work_f32_use(w32, c), PINION_OK);
        SINGLE_CALLS(float, F32, m, w32, x->q32 + s * nq, x->v32 + s * nv, x->a32 + s * nv, x->tau32 + s * nv, frame,
                     &r32);
        const double error = worst(&r[1], &r[0]), error32 = worst(&r32, &r[0]);
        if (error > most) most = error;
        if (error32 > most32) most32 = error32;
        for (int k = 0; k < 3; k++) free(r[k].x);
        free(r32.x);
    }
    printf("       %s: single calls differ by %.1e, in single precision by %.1e\n", name, most, most32);
    CHECK(most < 1e-12);
    CHECK(most32 < 1e-4);
    pinion_work_free(w);
    pinion_work_f32_free(w32);
}

/* rows of STATES states in whole packs, from the beginning of a cache line on; NULL gives zeros */
static double *in_packs(const pinion_batch *b, const double *rows, size_t n)
{
    const size_t lanes = (size_t)pinion_batch_lanes(b), bytes = pinion_batch_array_size(b, STATES, n) * sizeof(double);
    double *y = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!y) abort();
    memset(y, 0, bytes);
    for (size_t s = 0; rows && s < STATES; s++)
        for (size_t i = 0; i < n; i++) y[(s / lanes * n + i) * lanes + s % lanes] = rows[s * n + i];
    return y;
}

/* Where arrays are in packs the code reads and writes them there: the bits of rows, with all inputs and without. */
static void check_packs(const pinion_model *m, const pinion_compiled *c, const inputs *x)
{
    const size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m);
    pinion_batch *b = pinion_batch_new(m, 1), *packs = pinion_batch_new(m, 1);
    CHECK(b && packs);
    if (!b || !packs) return;
    CHECK_STATUS(pinion_batch_use(b, c), PINION_OK);
    CHECK_STATUS(pinion_batch_use(packs, c), PINION_OK);
    CHECK_STATUS(pinion_batch_set_layout(packs, PINION_LAYOUT_PACKS), PINION_OK);
    double *q = in_packs(packs, x->q, nq), *v = in_packs(packs, x->v, nv), *a = in_packs(packs, x->a, nv);
    double *plain = calloc(STATES * nv, sizeof(double)), *out = in_packs(packs, NULL, nv);
    for (int all = 0; all < 2; all++) {
        CHECK_STATUS(pinion_batch_inverse_dynamics(b, STATES, x->q, x->v, all ? x->a : NULL, NULL, plain), PINION_OK);
        CHECK_STATUS(pinion_batch_inverse_dynamics(packs, STATES, q, v, all ? a : NULL, NULL, out), PINION_OK);
        double *expected = in_packs(packs, plain, nv);
        CHECK(memcmp(expected, out, pinion_batch_array_size(packs, STATES, nv) * sizeof(double)) == 0);
        free(expected);
    }
    free(q), free(v), free(a), free(plain), free(out);
    pinion_batch_free(b);
    pinion_batch_free(packs);
}

/* every number of states up to three packs, on several threads: the bits are the same */
static void check_batches(const pinion_model *m, const pinion_compiled *c, const inputs *x, int frame, const char *name)
{
    pinion_batch *b = pinion_batch_new(m, 1), *three = pinion_batch_new(m, 3);
    CHECK(b && three);
    if (!b || !three) return;
    three->work_each = 1;
    results plain = {0}, quick = {0}, many = {0}, quick32 = {0};
    BATCH_CALLS(double, F64, m, b, (size_t)STATES, x->q, x->v, x->a, x->tau, frame, &plain);
    CHECK_STATUS(pinion_batch_use(b, c), PINION_OK);
    CHECK_STATUS(pinion_batch_use(three, c), PINION_OK);
    BATCH_CALLS(double, F64, m, b, (size_t)STATES, x->q, x->v, x->a, x->tau, frame, &quick);
    BATCH_CALLS(double, F64, m, three, (size_t)STATES, x->q, x->v, x->a, x->tau, frame, &many);
    BATCH_CALLS(float, F32, m, b, (size_t)STATES, x->q32, x->v32, x->a32, x->tau32, frame, &quick32);
    const double error = worst(&quick, &plain), error32 = worst(&quick32, &plain);
    printf("       %s: batches differ by %.1e, in single precision by %.1e\n", name, error, error32);
    CHECK(error < 1e-12);
    CHECK(error32 < 1e-4);
    CHECK(many.count == quick.count && memcmp(many.x, quick.x, many.count * sizeof(double)) == 0);
    free(plain.x), free(quick.x), free(many.x), free(quick32.x);

    /* a state gives the same bits in any number of them */
    const size_t nv = (size_t)pinion_model_nv(m);
    double *all = calloc(STATES * nv, sizeof(double)), *some = calloc(STATES * nv, sizeof(double));
    CHECK_STATUS(pinion_batch_inverse_dynamics(b, STATES, x->q, x->v, x->a, NULL, all), PINION_OK);
    for (size_t n = 1; n < STATES; n++) {
        CHECK_STATUS(pinion_batch_inverse_dynamics(b, n, x->q, x->v, x->a, NULL, some), PINION_OK);
        CHECK(memcmp(all, some, n * nv * sizeof(double)) == 0);
    }
    free(all), free(some);
    check_packs(m, c, x);
    pinion_batch_free(b);
    pinion_batch_free(three);
}

/* every kernel behind the calls above has a generated function in its place */
static void check_places(const pinion_model *m, const pinion_compiled *c)
{
    const int forward = m->n.followers ? PN_K_followers_fd : PN_K_aba;
    const int kernels[] = {PN_K_rnea, PN_K_crba, forward, PN_K_gravity, PN_K_passive, PN_K_energy,
                           PN_K_center, PN_K_momentum, PN_K_frames, PN_K_jacobian, PN_K_velocity, PN_K_acceleration};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const int *first = c->shortcuts.first + kernels[i];
        /* inverse dynamics, at rest, and without acceleration */
        const int expected = kernels[i] == PN_K_rnea ? 3 : 1;
        if (first[1] - first[0] != expected) CHECK_FAIL("kernel %d has %d", kernels[i], first[1] - first[0]);
    }
}

/* `some`: the quantities that are generated, the kernels do the others; NULL: all */
static void check_model(pinion_model *m, const char *name, const char *compiler, const char *some)
{
    if (!m) return;
    int frame = 0;
    char *what = everything(m, &frame);
    pinion_error err = {0};
    pinion_compiled *c = compile(m, some ? some : what, compiler, "", &err);
    if (!c) CHECK_FAIL("%s: %s", name, err.message);
    if (c) {
        inputs x;
        inputs_new(m, &x);
        if (!some) {
            CHECK(pinion_generated_function_count(pinion_compiled_code(c)) == 15);
            check_places(m, c);
        }
        check_single(m, c, &x, frame, name);
        check_batches(m, c, &x, frame, name);
        inputs_free(&x);
    }
    pinion_compiled_free(c);
    free(what);
    pinion_model_free(m);
    CHECK(files_in(temporary) == 0);
}

TEST(arms)
{
    check_model(bundled("puma560-corke.json"), "puma560", NULL, NULL);
    check_model(bundled("stanford.json"), "stanford", hasty, NULL);
}

TEST(chains_and_trees)
{
    check_model(pinion_random_chain(3, 11, NULL), "chain", hasty,
                "inverse_dynamics,forward_dynamics,mass_matrix,energy,frames");
    check_model(pinion_random_tree(3, 1, 12, NULL), "tree with a free base", hasty, NULL);
}

/* robots that are too large for straight-line code: loops over tables, in every scalar */
TEST(loops_over_tables)
{
    limb_limit = 0;
    check_model(pinion_random_tree(3, 1, 13, NULL), "tree in loops", hasty,
                "inverse_dynamics,forward_dynamics,com,frames");
    check_model(pinion_random_chain(2, 14, NULL), "chain in loops", NULL, "inverse_dynamics");
    limb_limit = -1;
}

/* a follower: forward dynamics go through another kernel; named like one of the sources around the generated one */
TEST(followers)
{
    static const char text[] =
        "<robot name='unit_f64'><link name='a'/><link name='b'><inertial><mass value='1'/><origin xyz='0.1 0.02 0'/>"
        "<inertia ixx='0.1' iyy='0.2' izz='0.15' ixy='0.01' ixz='0' iyz='0'/></inertial></link>"
        "<link name='c'><inertial><mass value='2'/><origin xyz='0 0.1 0.3'/>"
        "<inertia ixx='0.1' iyy='0.2' izz='0.15' ixy='0' ixz='0' iyz='0.02'/></inertial></link>"
        "<link name='d'><inertial><mass value='0.5'/><origin xyz='0.1 0.1 0'/>"
        "<inertia ixx='0.05' iyy='0.06' izz='0.04' ixy='0' ixz='0' iyz='0'/></inertial></link>"
        "<joint name='x' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/>"
        "<limit lower='-2' upper='2' effort='9' velocity='9'/></joint>"
        "<joint name='y' type='prismatic'><parent link='b'/><child link='c'/><origin xyz='0.3 0 0'/><axis xyz='1 0 0'/>"
        "<limit lower='-1' upper='1' effort='9' velocity='9'/></joint>"
        "<joint name='z' type='revolute'><parent link='c'/><child link='d'/><origin xyz='0 0 0.2'/><axis xyz='1 0 0'/>"
        "<limit lower='-2' upper='2' effort='9' velocity='9'/><mimic joint='x' multiplier='-0.5' offset='0.2'/></joint>"
        "</robot>";
    pinion_error err = {0};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_URDF, "test", NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    check_model(m, "follower", hasty, NULL);
}

/* external forces as an argument, in both precisions and in batches */
TEST(external_forces)
{
    pinion_model *m = pinion_random_tree(3, 1, 21, NULL);
    pinion_codegen_options o = pinion_codegen_options_default();
    pinion_compile_options p = pinion_compile_options_default();
    pinion_error err = {0};
    o.what = "inverse_dynamics,forward_dynamics";
    o.f_ext = 1;
    p.cache = "";
    p.compiler = hasty;
    pinion_compiled *c = m ? pinion_codegen_compile(m, &o, &p, &err) : NULL;
    if (!c) CHECK_FAIL("%s", err.message);
    if (c) {
        inputs x;
        inputs_new(m, &x);
        const size_t n = 6 * (size_t)pinion_model_body_count(m), nv = (size_t)pinion_model_nv(m);
        double *f = calloc(n, sizeof(double)), *out[4];
        uint64_t seed = check_seed;
        for (size_t i = 0; i < n; i++) f[i] = check_between(&seed, -1, 1);
        pinion_work *w = pinion_work_new(m);
        for (int k = 0; k < 4; k++) out[k] = calloc(nv, sizeof(double));
        for (int use = 0; use < 2; use++) {
            CHECK_STATUS(pinion_work_use(w, use ? c : NULL), PINION_OK);
            CHECK_STATUS(pinion_inverse_dynamics(m, w, x.q, x.v, x.a, f, out[use]), PINION_OK);
            CHECK_STATUS(pinion_forward_dynamics(m, w, x.q, x.v, x.tau, f, out[2 + use]), PINION_OK);
        }
        CHECK(check_error(out[1], out[0], nv, 0) < 1e-12 && check_error(out[3], out[2], nv, 0) < 1e-11);
        CHECK_STATUS(pinion_inverse_dynamics(m, w, x.q, x.v, x.a, NULL, out[1]), PINION_OK);
        CHECK_STATUS(pinion_work_use(w, NULL), PINION_OK);
        CHECK_STATUS(pinion_inverse_dynamics(m, w, x.q, x.v, x.a, NULL, out[0]), PINION_OK);
        CHECK(check_error(out[1], out[0], nv, 0) < 1e-12);
        for (int k = 0; k < 4; k++) free(out[k]);
        free(f);
        pinion_work_free(w);
        inputs_free(&x);
    }
    pinion_compiled_free(c);
    pinion_model_free(m);
}

/* How far derivatives with code are from those without, a call and a batch: the same bits where the kernel answers. */
static void compare_derivatives(pinion_model *m, int call_is_kernel, const char *name)
{
    pinion_error err = {0};
    pinion_compiled *c = m ? compile(m, "d_inverse_dynamics", hasty, "", &err) : NULL;
    if (!c) CHECK_FAIL("%s: %s", name, err.message);
    if (c) {
        inputs x;
        inputs_new(m, &x);
        const size_t n = (size_t)pinion_model_nv(m), nn = n * n;
        double *call = calloc(2 * nn, sizeof *call), *pack = calloc(2 * nn, sizeof *pack);
        pinion_work *w = pinion_work_new(m);
        pinion_batch *b = pinion_batch_new(m, 1);
        for (size_t use = 0; use < 2 && w && b && call && pack; use++) {
            CHECK_STATUS(pinion_work_use(w, use ? c : NULL), PINION_OK);
            CHECK_STATUS(pinion_batch_use(b, use ? c : NULL), PINION_OK);
            CHECK_STATUS(pinion_d_inverse_dynamics(m, w, x.q, x.v, x.a, NULL, call + use * nn, NULL, NULL), PINION_OK);
            CHECK_STATUS(pinion_batch_d_inverse_dynamics(b, 1, x.q, x.v, x.a, NULL, pack + use * nn, NULL, NULL),
                         PINION_OK);
        }
        check_count += 2;
        if ((memcmp(call, call + nn, nn * sizeof *call) == 0) != call_is_kernel)
            CHECK_FAIL("%s: a call is%s what the kernel gives", name, call_is_kernel ? " not" : "");
        if (memcmp(pack, pack + nn, nn * sizeof *pack) == 0) CHECK_FAIL("%s: a batch does without the code", name);
        CHECK(check_error(call + nn, call, nn, 0) < 1e-12 && check_error(pack + nn, pack, nn, 0) < 1e-12);
        free(call);
        free(pack);
        pinion_work_free(w);
        pinion_batch_free(b);
        inputs_free(&x);
    }
    pinion_compiled_free(c);
    pinion_model_free(m);
}

/* an arm with parallel and square axes saves most operations, a chain of any axes few */
TEST(kernels_answer_calls_that_they_are_faster_in)
{
    compare_derivatives(bundled("puma560-corke.json"), 0, "puma560");
    compare_derivatives(pinion_random_chain(9, 1, NULL), 1, "chain"); /* of five they have little more than the code */
}

/* not a number in, not a number out; no inertia, no acceleration; an edited model is another */
TEST(meaning_stays)
{
    pinion_model *m = bundled("puma560-corke.json");
    pinion_error err = {0};
    pinion_compiled *c = m ? compile(m, "inverse_dynamics,gravity", hasty, "", &err) : NULL;
    CHECK(c != NULL);
    if (c) {
        pinion_work *w = pinion_work_new(m), *plain = pinion_work_new(m);
        double q[6] = {0.1, NAN, 0.2, 0.3, 0.4, 0.5}, v[6] = {0}, tau[6], expected[6];
        CHECK_STATUS(pinion_work_use(w, c), PINION_OK);
        CHECK_STATUS(pinion_inverse_dynamics(m, w, q, v, v, NULL, tau), PINION_OK);
        CHECK(isnan(tau[1]) && isnan(tau[2]));
        q[1] = 1;
        pinion_model *copy = pinion_model_copy(m);
        CHECK(copy && pinion_model_set_gravity(copy, (double[]){1, 2, 3}) == PINION_OK);
        CHECK_STATUS(pinion_gravity(copy, w, q, tau), PINION_OK);
        CHECK_STATUS(pinion_gravity(copy, plain, q, expected), PINION_OK);
        CHECK(memcmp(tau, expected, sizeof tau) == 0);
        pinion_model_free(copy);
        pinion_work_free(w);
        pinion_work_free(plain);
    }
    pinion_compiled_free(c);
    pinion_model_free(m);

    /* a second joint that moves nothing; again a name of a source beside it */
    static const char text[] =
        "<robot name='table'><link name='a'/><link name='b'><inertial><mass value='1'/><origin xyz='0.1 0 0'/>"
        "<inertia ixx='0.1' iyy='0.1' izz='0.1' ixy='0' ixz='0' iyz='0'/></inertial></link><link name='c'/>"
        "<joint name='x' type='continuous'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/></joint>"
        "<joint name='y' type='continuous'><parent link='b'/><child link='c'/><axis xyz='1 0 0'/></joint></robot>";
    m = pinion_load_string(text, strlen(text), PINION_FORMAT_URDF, "test", NULL, &err);
    c = m ? compile(m, "forward_dynamics", hasty, "", &err) : NULL;
    if (!c) CHECK_FAIL("%s", err.message);
    if (c) {
        const double q[2] = {0.1, 0.2};
        double a[2];
        pinion_work *w = pinion_work_new(m);
        pinion_batch *b = pinion_batch_new(m, 1);
        CHECK_STATUS(pinion_work_use(w, c), PINION_OK);
        CHECK_STATUS(pinion_batch_use(b, c), PINION_OK);
        CHECK_STATUS(pinion_forward_dynamics(m, w, q, NULL, NULL, NULL, a), PINION_ERR_SINGULAR);
        CHECK_STATUS(pinion_batch_forward_dynamics(b, 1, q, NULL, NULL, NULL, a), PINION_ERR_SINGULAR);
        pinion_work_free(w);
        pinion_batch_free(b);
    }
    pinion_compiled_free(c);
    pinion_model_free(m);
}

/* one quantity of several frames: each call has the function of its own frame */
TEST(frames_of_one_quantity)
{
    pinion_model *m = pinion_random_chain(4, 17, NULL);
    char what[400];
    pinion_frame_info frame[2];
    pinion_error err = {0};
    double q[4] = {0.3, -0.4, 0.5, 0.7}, plain[2][24], quick[2][24];
    const int number[2] = {pinion_model_frame_count(m) - 1, pinion_model_frame_count(m) - 2};
    for (int k = 0; k < 2; k++) CHECK_STATUS(pinion_model_frame(m, number[k], &frame[k]), PINION_OK);
    snprintf(what, sizeof what, "jacobian:%s,jacobian:%s", frame[0].name, frame[1].name);
    pinion_compiled *c = compile(m, what, hasty, "", &err);
    pinion_work *w = pinion_work_new(m);
    if (!c) CHECK_FAIL("%s", err.message);
    for (int use = 0; c && w && use < 2; use++) {
        if (use) CHECK_STATUS(pinion_work_use(w, c), PINION_OK);
        for (int k = 0; k < 2; k++)
            CHECK_STATUS(pinion_jacobian(m, w, q, number[k], PINION_REFERENCE_WORLD_ALIGNED, use ? quick[k] : plain[k]),
                         PINION_OK);
    }
    if (c) {
        const int *first = c->shortcuts.first + PN_K_jacobian;
        CHECK(first[1] - first[0] == 2 && c->list[first[0]].frame < c->list[first[0] + 1].frame);
        for (int i = 0; i < 48; i++) CHECK_NEAR(quick[i / 24][i % 24], plain[i / 24][i % 24], 1e-13);
        CHECK(memcmp(plain[0], plain[1], sizeof plain[0]) != 0);
    }
    pinion_work_free(w);
    pinion_compiled_free(c);
    pinion_model_free(m);
}

/* nothing moves: results without entries are arguments all the same, and what there is is right */
TEST(a_model_without_joints)
{
    static const char text[] = "{\"pinion\": 1, \"name\": \"rock\", \"links\": [{\"name\": \"rock\", \"mass\": 2}], "
                               "\"frames\": [{\"name\": \"top\", \"link\": \"rock\", \"origin\": {\"position\": "
                               "[1, 2, 3]}}]}";
    pinion_error err = {0};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "test", NULL, &err);
    pinion_compiled *c = m ? compile(m, "inverse_dynamics,mass_matrix,frames", hasty, "", &err) : NULL;
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    if (!c) CHECK_FAIL("%s", err.message);
    if (c && w) {
        double none[1] = {7}, position[6], turned[18];
        CHECK_STATUS(pinion_work_use(w, c), PINION_OK);
        CHECK_STATUS(pinion_inverse_dynamics(m, w, none, none, none, NULL, none), PINION_OK);
        CHECK_STATUS(pinion_mass_matrix(m, w, none, none), PINION_OK);
        CHECK(none[0] == 7);
        CHECK_STATUS(pinion_frames(m, w, none, position, turned), PINION_OK);
        for (int k = 0; k < 3; k++) CHECK(position[3 + k] == k + 1);
    }
    pinion_work_free(w);
    pinion_compiled_free(c);
    pinion_model_free(m);
}

/* each compiler that is there takes it, and leaves what runs one behind the other so: a function, then its zeros */
TEST(functions_lie_as_they_run)
{
    static const char *const compiler[] = {"gcc", "clang"};
    pinion_model *m = pinion_random_chain(3, 5, NULL);
    for (int k = 0; k < 2; k++) {
        int with_zeros = 0;
        pinion_error err = {0};
        pinion_compiled *c = compile(m, "regressor,mass_matrix,d_inverse_dynamics", compiler[k], "", &err);
        if (!c && err.status == PINION_ERR_NOT_FOUND) {
            printf("skipped %s: there is no %s\n", check_name, compiler[k]);
            continue;
        }
        if (!c) CHECK_FAIL("%s", err.message);
        for (int over = 0; c && over < PN_OVER_COUNT; over++)
            for (int i = 0; c->place[0].table.lanes[over] && i < 3; i++) {
                const uintptr_t call = (uintptr_t)c->place[0].table.call[over][i];
                const uintptr_t zeros = (uintptr_t)c->place[0].table.zeros[over][i];
                with_zeros += zeros != 0;
                for (int j = 0; zeros && j < 3; j++) {
                    const uintptr_t other = (uintptr_t)c->place[0].table.call[over][j];
                    CHECK(zeros > call && (other <= call || other > zeros));
                }
            }
        CHECK(!c || with_zeros >= 2); /* the regressor, over both precisions at least */
        pinion_compiled_free(c);
    }
    pinion_model_free(m);
}

/* ---- options ---- */

static int answers(void *user)
{
    return *(const int *)user;
}

/* the caller is asked while the compiler runs, and may end it: nothing is left then */
TEST(callers_stop_the_compiler)
{
    pinion_model *m = pinion_random_chain(2, 3, NULL);
    for (int stop = 0; stop < 2; stop++) {
        pinion_error err = {0};
        pinion_codegen_options o = pinion_codegen_options_default();
        pinion_compile_options p = pinion_compile_options_default();
        o.what = "gravity";
        p.cache = "";
        p.compiler = hasty;
        p.stop = answers;
        p.stop_user = &stop;
        pinion_compiled *c = pinion_codegen_compile(m, &o, &p, &err);
        CHECK((c == NULL) == stop);
        CHECK_STATUS(err.status, stop ? PINION_ERR_CALLBACK : PINION_OK);
        if (stop) CHECK_HAS(err.message, "the caller stopped the compiler");
        pinion_compiled_free(c);
        CHECK(files_in(temporary) == 0);
    }
    pinion_model_free(m);
}

TEST(options)
{
    pinion_model *m = pinion_random_chain(2, 3, NULL);
    pinion_error err = {0};
    pinion_compile_options p = pinion_compile_options_default();
    CHECK(p.states == 100 && p.batch && !p.compiler && !p.cache);
    CHECK(!pinion_codegen_compile(NULL, NULL, NULL, &err) && err.status == PINION_ERR_ARGUMENT);
    p.cookie = 0;
    CHECK(!pinion_codegen_compile(m, NULL, &p, &err) && err.status == PINION_ERR_ARGUMENT);
    p = pinion_compile_options_default();
    p.states = 0;
    CHECK(!pinion_codegen_compile(m, NULL, &p, &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK(!pinion_codegen_compile(m, NULL, &p, NULL));
    pinion_codegen_options o = pinion_codegen_options_default();
    o.what = "nonsense";
    CHECK(!pinion_codegen_compile(m, &o, NULL, &err));
    CHECK_HAS(err.message, "nonsense");

    /* loops cannot be generated */
    pinion_model *loops = bundled("four-bar.json");
    CHECK(loops && !pinion_codegen_compile(loops, NULL, NULL, &err) && err.status == PINION_ERR_LOOPS);
    pinion_model_free(loops);

    /* without batches: fewer units, and batches keep the kernels */
    p = pinion_compile_options_default();
    p.batch = 0;
    p.cache = "";
    p.states = 1;
    p.compiler = counting;
    o.what = "gravity";
    o.name = "another";
    pinion_compiled *c = pinion_codegen_compile(m, &o, &p, &err);
    CHECK(c != NULL && runs() == 5);
    if (c) {
        pinion_batch *b = pinion_batch_new(m, 1);
        double q[2] = {0.1, 0.2}, given[2], expected[2];
        CHECK_STATUS(pinion_batch_gravity(b, 1, q, expected), PINION_OK);
        CHECK_STATUS(pinion_batch_use(b, c), PINION_OK);
        CHECK_STATUS(pinion_batch_gravity(b, 1, q, given), PINION_OK);
        if (pinion_batch_lanes(b) > 1) CHECK(memcmp(given, expected, sizeof given) == 0);
        pinion_batch_free(b);
    }
    pinion_compiled_free(c);
    pinion_compiled_free(NULL);
    CHECK(pinion_compiled_code(NULL) == NULL);
    CHECK_STATUS(pinion_work_use(NULL, NULL), PINION_ERR_ARGUMENT);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    const int cannot = begin_compiling();
    if (cannot) return cannot;
    RUN(arms);
    RUN(chains_and_trees);
    RUN(loops_over_tables);
    RUN(followers);
    RUN(external_forces);
    RUN(kernels_answer_calls_that_they_are_faster_in);
    RUN(meaning_stays);
    RUN(frames_of_one_quantity);
    RUN(a_model_without_joints);
    RUN(functions_lie_as_they_run);
    RUN(callers_stop_the_compiler);
    RUN(options);
    end_compiling();
    return CHECK_END();
}
