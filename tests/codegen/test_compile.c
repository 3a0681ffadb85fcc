/* Generated code, compiled and loaded back: the same results as the kernels through every call, and what happens when
 * something is wrong with the compiler, with what it makes or with what was kept. */
#include "check.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codegen/compiled.h"
#include "core/batch.h"
#include "pinion/pinion.h"

/* ---- folders ---- */

static char *place; /* of this program: TMPDIR and the caches are below it */
static char *temporary;

static int files_in(const char *folder)
{
    int count = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) count += e->d_name[0] != '.';
    if (d) closedir(d);
    return count;
}

/* a path in the program's folder, which lasts */
static char *below(const char *name)
{
    char *path = pn_path_of(place, name);
    if (!path) exit(1);
    return path;
}

static void empty(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.') unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
}

/* ---- models ---- */

static pinion_model *bundled(const char *name)
{
    const char *folder = getenv("PINION_MODELS");
    char *path = pn_path_of(folder ? folder : "models", name);
    pinion_error err = {0};
    pinion_model *m = path ? pinion_load(path, NULL, &err) : NULL;
    if (!m) CHECK_FAIL("%s", err.message);
    free(path);
    return m;
}

/* all that has forms in the API, with a frame that is far out */
static char *everything(const pinion_model *m, int *frame)
{
    pinion_frame_info info;
    pn_text t = {0};
    *frame = pinion_model_frame_count(m) - 1;
    if (pinion_model_frame(m, *frame, &info) != PINION_OK) return NULL;
    pn_text_add(&t, "inverse_dynamics,forward_dynamics,mass_matrix,gravity,bias,passive_forces,energy,com,momentum,"
                    "frames,mass_matrix_inverse,coriolis,jacobian:%s,velocity:%s,acceleration:%s",
                info.name, info.name, info.name);
    return t.at;
}

static double limb_limit = -1; /* other than the default, where it is not negative */
static char *hasty;            /* a compiler that optimizes less, and takes a part of the time */

static pinion_compiled *compile(const pinion_model *m, const char *what, const char *compiler, const char *cache,
                                pinion_error *err)
{
    pinion_codegen_options o = pinion_codegen_options_default();
    pinion_compile_options c = pinion_compile_options_default();
    o.what = what;
    if (limb_limit >= 0) o.limb_limit = limb_limit;
    c.compiler = compiler;
    c.cache = cache;
    return pinion_codegen_compile(m, &o, &c, err);
}

/* the first of them says whether there is a compiler at all */
static int has_compiler(void)
{
    pinion_error err = {0};
    pinion_model *m = pinion_random_chain(1, 1, NULL);
    pinion_compiled *c = m ? compile(m, "gravity", NULL, "", &err) : NULL;
    const int there = c != NULL || err.status != PINION_ERR_NOT_FOUND;
    if (!there) printf("%s\n", err.message);
    pinion_compiled_free(c);
    pinion_model_free(m);
    return there;
}

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

#define ALIGNED PINION_WORLD_ALIGNED

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
        KEEP_(FN(pinion_frame_acceleration)(m, w, q, v, a, frame, ALIGNED, PINION_CLASSICAL, o_), 6, r);     \
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

/* ---- compilers ---- */

/* a program that stands in for the compiler */
static char *script(const char *name, const char *body)
{
    char *path = below(name);
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    if (f) {
        fprintf(f, "#!/bin/sh\n%s\n", body);
        fclose(f);
    }
    CHECK(chmod(path, 0755) == 0);
    return path;
}

static int lines_of(const char *path)
{
    FILE *f = fopen(path, "r");
    int lines = 0;
    for (int c; f && (c = fgetc(f)) != EOF;) lines += c == '\n';
    if (f) fclose(f);
    return lines;
}

static void refuse(const pinion_model *m, const char *compiler, pinion_status status, const char *part)
{
    pinion_error err = {0};
    char *cache = below("refused");
    pinion_compiled *c = compile(m, "gravity", compiler, cache, &err);
    CHECK(c == NULL && err.status == status);
    CHECK_HAS(err.message, part);
    pinion_compiled_free(c);
    /* nothing is left, and nothing is kept */
    CHECK(files_in(temporary) == 0 && files_in(cache) == 0);
    pn_folder_remove(cache);
}

TEST(compilers_that_fail)
{
    pinion_model *m = pinion_random_chain(2, 3, NULL);
    CHECK(m != NULL);
    if (!m) return;
    refuse(m, "/no/such/compiler", PINION_ERR_NOT_FOUND, "/no/such/compiler");
    refuse(m, "no-such-compiler", PINION_ERR_NOT_FOUND, "no-such-compiler");
    refuse(m, "", PINION_ERR_NOT_FOUND, "");
    static const struct {
        const char *body, *part;
    } bad[] = {
        {"case $1 in --version) echo 1;; *) echo 'unit.c:1: error: no room' >&2; echo 'and more'; exit 1;; esac",
         "unit.c:1: error: no room | and more"},
        {"case $1 in --version) echo 1;; esac", "it said nothing"},
        {"case $1 in --version) echo 1;; *) kill -9 $$;; esac", "it said nothing"},
        /* an object that is none */
        {"case $1 in --version) echo 1; exit;; esac; while [ $1 ]; do [ $1 = -o ] && echo text >$2; shift; done",
         "cannot be loaded"},
        /* one without the table */
        {"case $1 in --version) echo 1; exit;; -shared) echo 'int x;' >$TMPDIR/x.c;"
         " exec cc -shared -fPIC -o $3 $TMPDIR/x.c;;"
         " esac; exec cc \"$@\"",
         "no table"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *path = script("bad", bad[i].body);
        refuse(m, path, PINION_ERR_FILE, bad[i].part);
        unlink(path);
        free(path);
    }

    /* $CC may have arguments */
    setenv("CC", "no-such-compiler -x", 1);
    refuse(m, NULL, PINION_ERR_NOT_FOUND, "no-such-compiler");
    setenv("CC", "cc -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA", 1);
    refuse(m, NULL, PINION_ERR_NOT_FOUND, "1 to 16 words");
    setenv("CC", "  ", 1);
    pinion_error err = {0};
    pinion_compiled *c = compile(m, "gravity", NULL, "", &err);
    CHECK(c != NULL);
    pinion_compiled_free(c);
    setenv("CC", "env PINION_TEST_OF_WORDS=1 cc", 1);
    c = compile(m, "gravity", NULL, "", &err);
    CHECK(c != NULL);
    pinion_compiled_free(c);
    unsetenv("CC");
    pinion_model_free(m);
}

/* code that computes something else is not used: a constant, a sign, only in packs, only in single precision */
TEST(differences_are_found)
{
    pinion_model *m = bundled("puma560-corke.json");
    if (!m) return;
    static const struct {
        const char *edit, *unit, *part;
    } wrong[] = {
        {"s/9\\.81/9.810001/g", "f64", "gravity in f64, tau["},
        {"s/9\\.81/19.81/g", "f32", "gravity in f32, tau["},
        {"s/sine\\[1\\]/-sine[1]/", "f64_pack", "gravity in f64x"},
        {"s/cosine\\[2\\]/sine[2]/", "f32_pack", "gravity in f32x"},
        {"s/\\(tau\\[2\\] = \\)/\\1R(0) * /", "f64", "tau[2]"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char body[600];
        /* the last argument is the source: without it the other one is compiled in its place */
        snprintf(body, sizeof body,
                 "for x; do case $x in *unit-%s.c) d=${x%%/*}; mkdir $d/other; for f in $d/*.c $d/*.h; do"
                 " sed '%s' $f >$d/other/${f##*/}; done; n=; for y; do [ \"$y\" = \"$x\" ] || n=\"$n $y\"; done;"
                 " cc $n -O1 $d/other/unit-%s.c; s=$?; rm -r $d/other; exit $s;; esac; done; exec cc \"$@\" -O1",
                 wrong[i].unit, wrong[i].edit, wrong[i].unit);
        char *path = script("wrong", body);
        refuse(m, path, PINION_ERR_MISMATCH, wrong[i].part);
        unlink(path);
        free(path);
    }
    pinion_model_free(m);
}

/* ---- what is kept ---- */

static char *log_path, *counting;

static int runs(void)
{
    const int n = lines_of(log_path);
    unlink(log_path);
    return n;
}

/* compiles by way of a program that counts, and checks what comes out */
static void check_kept(const pinion_model *m, const char *cache, int expected_runs)
{
    pinion_error err = {0};
    pinion_compiled *c = compile(m, "gravity", counting, cache, &err);
    if (!c) CHECK_FAIL("%s", err.message);
    const int n = runs();
    if (n != expected_runs) CHECK_FAIL("the compiler ran %d times, not %d", n, expected_runs);
    pinion_compiled_free(c);
    CHECK(files_in(temporary) == 0);
}

/* changes a file of the folder that ends so */
static void damage(const char *cache, const char *ending, const char *how)
{
    DIR *d = opendir(cache);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        const size_t n = strlen(e->d_name), k = strlen(ending);
        if (n < k || strcmp(e->d_name + n - k, ending) != 0) continue;
        char *path = pn_path_of(cache, e->d_name);
        struct stat s;
        CHECK(stat(path, &s) == 0);
        if (strcmp(how, "cut") == 0) CHECK(truncate(path, s.st_size / 2) == 0);
        if (strcmp(how, "remove") == 0) CHECK(unlink(path) == 0);
        if (strcmp(how, "open") == 0) CHECK(chmod(path, 0666) == 0);
        if (strcmp(how, "flip") == 0) {
            FILE *f = fopen(path, "r+");
            CHECK(f && fseek(f, s.st_size / 2, SEEK_SET) == 0);
            const int byte = f ? fgetc(f) : 0;
            if (f) fseek(f, s.st_size / 2, SEEK_SET), fputc(byte ^ 0x40, f), fclose(f);
        }
        free(path);
    }
    if (d) closedir(d);
}

enum { AGAIN = 1, ANEW = 1 + 6 }; /* --version; four units, the table, linking */

TEST(what_was_compiled_is_found_again)
{
    pinion_model *m = pinion_random_chain(1, 5, NULL);
    char *cache = below("cache");
    const int anew = pn_backend_for_batches(8)->lanes > 1 ? ANEW : ANEW - 2;
    CHECK(m != NULL);
    if (!m) return;
    check_kept(m, cache, anew);
    CHECK(files_in(cache) == 2);
    check_kept(m, cache, AGAIN);

    /* another robot, and another wish, are other entries */
    pinion_model *other = pinion_random_chain(1, 6, NULL);
    check_kept(other, cache, anew);
    CHECK(files_in(cache) == 4);
    check_kept(other, cache, AGAIN);
    check_kept(m, cache, AGAIN);
    pinion_model_free(other);

    /* without a folder, or in one that others can write to, it is compiled each time */
    check_kept(m, "", anew);
    CHECK(chmod(cache, 0777) == 0);
    check_kept(m, cache, anew);
    CHECK(chmod(cache, 0700) == 0);
    check_kept(m, cache, AGAIN);
    empty(cache);
    pn_folder_remove(cache);
    pinion_model_free(m);
}

TEST(what_is_damaged_is_made_again)
{
    pinion_model *m = pinion_random_chain(1, 5, NULL);
    char *cache = below("cache");
    const int anew = pn_backend_for_batches(8)->lanes > 1 ? ANEW : ANEW - 2;
    static const char *const hows[] = {"cut", "remove", "open", "flip"};
    CHECK(m != NULL);
    if (!m) return;
    check_kept(m, cache, anew);
    /* test_cache.c has them for both files */
    for (int k = 0; k < 4; k++) {
        damage(cache, k & 1 ? ".so" : ".recipe", hows[k]);
        check_kept(m, cache, anew);
        check_kept(m, cache, AGAIN);
    }
    empty(cache);
    pn_folder_remove(cache);
    pinion_model_free(m);
}

/* An entry that is whole in itself, but of another robot: its table says so, and it is made again. So is one that has
 * the right table and wrong numbers. */
TEST(what_is_exchanged_is_made_again)
{
    pinion_model *m = pinion_random_chain(1, 5, NULL), *other = pinion_random_chain(1, 6, NULL);
    char *cache = below("cache"), *beside = below("beside");
    const int anew = pn_backend_for_batches(8)->lanes > 1 ? ANEW : ANEW - 2;
    CHECK(m && other);
    if (!m || !other) return;
    check_kept(m, cache, anew);
    check_kept(other, beside, anew);

    /* the object of the other, and its hash behind our recipe */
    char *ours = NULL, *theirs = NULL, *recipe = NULL, *object = NULL, name[300];
    size_t recipe_size = 0, object_size = 0;
    DIR *d = opendir(cache);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (strstr(e->d_name, ".so")) ours = pn_path_of(cache, e->d_name);
    if (d) closedir(d);
    d = opendir(beside);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (strstr(e->d_name, ".so")) theirs = pn_path_of(beside, e->d_name);
    if (d) closedir(d);
    CHECK(ours && theirs);
    if (ours && theirs) {
        snprintf(name, sizeof name, "%.*s.recipe", (int)strlen(ours) - 3, ours);
        CHECK(pn_file_take(name, 1 << 28, &recipe, &recipe_size));
        CHECK(pn_file_take(theirs, 1 << 28, &object, &object_size));
        pn_sha256(object, object_size, recipe + recipe_size - 65);
        recipe[recipe_size - 1] = '\n';
        CHECK(pn_file_put(ours, object, object_size) && pn_file_put(name, recipe, recipe_size));
        /* it is asked for its version twice */
        check_kept(m, cache, anew + 1);
        check_kept(m, cache, AGAIN);
    }
    free(ours), free(theirs), free(recipe), free(object);
    pn_folder_remove(cache);
    pn_folder_remove(beside);
    pinion_model_free(m);
    pinion_model_free(other);
}

/* ---- options ---- */

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
    place = pn_folder_new();
    if (!place) return 1;
    temporary = below("temporary");
    if (mkdir(temporary, 0700) != 0) return 1;
    setenv("TMPDIR", temporary, 1);
    unsetenv("CC");
    if (!has_compiler()) {
        rmdir(temporary);
        pn_folder_remove(place);
        return 77;
    }
    log_path = below("log");
    char body[400];
    snprintf(body, sizeof body, "echo x >>%s; exec cc \"$@\" -O1", log_path);
    counting = script("counting", body);
    hasty = script("hasty", "exec cc -DPN_HOT= \"$@\" -O0");
    RUN(arms);
    RUN(chains_and_trees);
    RUN(loops_over_tables);
    RUN(followers);
    RUN(external_forces);
    RUN(meaning_stays);
    RUN(compilers_that_fail);
    RUN(differences_are_found);
    RUN(what_was_compiled_is_found_again);
    RUN(what_is_damaged_is_made_again);
    RUN(what_is_exchanged_is_made_again);
    RUN(options);
    free(log_path), free(counting), free(hasty);
    rmdir(temporary);
    free(temporary);
    CHECK(access(place, F_OK) == 0);
    pn_folder_remove(place);
    return CHECK_END();
}
