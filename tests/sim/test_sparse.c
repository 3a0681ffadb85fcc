/* The sparse solver gives the accelerations, multipliers and residuals that the dense methods give: on trees of every
 * joint type with rotors and external forces, on mechanisms with every kind of loop, on over-constrained ones, with
 * drives, stabilization and forces of loop joints; and its factors grow no faster than the mechanism. */
#define _DEFAULT_SOURCE
#include "registry/models.h"
#include "pinion/sim/sim.h"

#define TOLERANCE 1e-9

/* largest difference, relative to the largest entry of the reference, or to `least` */
static double apart(const double *x, const double *reference, int count, double least)
{
    double worst = 0, size = least;
    for (int i = 0; i < count; i++) {
        const double d = fabs(x[i] - reference[i]);
        if (!(d <= worst)) worst = d;
        if (fabs(reference[i]) > size) size = fabs(reference[i]);
    }
    return worst / size;
}

typedef struct subject {
    pinion_model *m;
    pinion_work *w;
    pinion_sparse *s;
    int nq, nv, rows, bodies;
    double *q, *v, *tau, *f_ext, *a, *b, *lambda, *mu, *motors;
} subject;

static double *numbers(int count)
{
    return calloc((size_t)count + 1, sizeof(double));
}

/* a model, which is then the subject's */
static subject open_subject(pinion_model *m)
{
    subject x = {.m = m};
    pinion_error err = {0};
    CHECK(m != NULL);
    if (!m) return x;
    x.w = pinion_work_new(m);
    x.s = pinion_sparse_new(m, &err);
    if (!x.s) CHECK_FAIL("%s", err.message);
    x.nq = pinion_model_nq(m);
    x.nv = pinion_model_nv(m);
    x.rows = pinion_model_row_count(m);
    x.bodies = pinion_model_body_count(m);
    x.q = numbers(x.nq);
    x.v = numbers(x.nv);
    x.tau = numbers(x.nv);
    x.f_ext = numbers(6 * x.bodies);
    x.a = numbers(x.nv);
    x.b = numbers(x.nv);
    x.lambda = numbers(x.rows);
    x.mu = numbers(x.rows);
    x.motors = numbers(pinion_model_loop_nv(m));
    return x;
}

static void close_subject(subject *x)
{
    double *all[] = {x->q, x->v, x->tau, x->f_ext, x->a, x->b, x->lambda, x->mu, x->motors};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    pinion_sparse_free(x->s);
    pinion_work_free(x->w);
    pinion_model_free(x->m);
}

static void random_forces(subject *x, uint64_t *seed)
{
    for (int i = 0; i < x->nv; i++) {
        x->v[i] = check_between(seed, -1, 1);
        x->tau[i] = check_between(seed, -5, 5);
    }
    for (int i = 6; i < 6 * x->bodies; i++) x->f_ext[i] = check_between(seed, -3, 3);
    for (int i = 0; i < pinion_model_loop_nv(x->m); i++) x->motors[i] = check_between(seed, -2, 2);
}

/* Both solutions of one state; returns how far apart they are, or -1 where rows contradict each other: then there is no
 * solution to agree on. */
static double compare(subject *x, const pinion_loop_options *options, const char *name)
{
    pinion_loop_solution dense = {.lambda = x->mu}, sparse = {.lambda = x->lambda};
    const pinion_status status =
        pinion_loop_dynamics(x->m, x->w, -1, options, x->q, x->v, x->tau, x->f_ext, x->b, &dense);
    CHECK_STATUS(status, PINION_OK);
    if (status != PINION_OK || (dense.rank < x->rows && dense.residual > 1e-9)) return -1;
    CHECK_STATUS(pinion_sparse_forward_dynamics(x->s, options, x->q, x->v, x->tau, x->f_ext, x->a, &sparse), PINION_OK);
    /* where rows depend on each other, the least norm is found to a few digits alone: docs/sparse.md */
    const double lambda_tolerance = dense.rank < x->rows ? 1e-3 : 1e-6;
    const double error = apart(x->a, x->b, x->nv, 1e-6), forces = apart(x->lambda, x->mu, x->rows, 1);
    check_count += 3;
    if (!(error <= TOLERANCE)) CHECK_FAIL("%s: accelerations are apart by %.3g", name, error);
    if (!(forces <= lambda_tolerance)) CHECK_FAIL("%s: multipliers are apart by %.3g", name, forces);
    if (!(sparse.residual <= 1e-9)) CHECK_FAIL("%s: a residual of %.3g", name, sparse.residual);
    CHECK(sparse.rank == -1);
    return error;
}

/* ---- trees ---- */

TEST(trees_move_as_they_do)
{
    uint64_t seed = check_seed;
    double worst = 0;
    for (int i = 0; i < 40; i++) {
        const int serial = i % 3 == 0;
        subject x = open_subject(random_model(EVERY_TYPE, 1 + i % 13, serial, 0, &seed));
        if (!x.s) continue;
        CHECK_STATUS(pinion_random(x.m, seed, x.q), PINION_OK);
        random_forces(&x, &seed);
        const pinion_status status =
            pinion_forward_dynamics(x.m, x.w, x.q, x.v, x.tau, x.f_ext, x.b);
        if (status == PINION_OK) {
            CHECK_STATUS(pinion_sparse_forward_dynamics(x.s, NULL, x.q, x.v, x.tau, x.f_ext, x.a, NULL), PINION_OK);
            const double error = apart(x.a, x.b, x.nv, 1e-6);
            worst = fmax(worst, error);
            check_count++;
            if (!(error <= TOLERANCE)) CHECK_FAIL("tree %d: apart by %.3g", i, error);
        }
        close_subject(&x);
    }
    printf("       worst error %.2g\n", worst);
}

/* ---- loops ---- */

static pinion_status add_random_loop(pinion_builder *b, int kind, int number, int links, uint64_t *seed,
                                     pinion_error *err)
{
    char name[4][32];
    const int parent = (int)(check_uniform(seed) * links), child = 1 + (int)(check_uniform(seed) * (links - 1));
    snprintf(name[0], sizeof name[0], "loop%d", number);
    snprintf(name[1], sizeof name[1], "link%d", parent == child ? 0 : parent);
    snprintf(name[2], sizeof name[2], "link%d", child);
    if (kind == PINION_LOOP_JOINT) {
        pinion_joint_def joint = random_joint(seed, EVERY_TYPE);
        joint.name = name[0];
        joint.parent = name[1];
        joint.child = name[2];
        return pinion_builder_add_loop(b, &joint, err);
    }
    pinion_constraint_def c = pinion_constraint_def_default();
    c.name = name[0];
    c.kind = (pinion_loop_kind)kind;
    const int coordinates = kind == PINION_LOOP_GEAR || kind == PINION_LOOP_DRIVE;
    c.parent = coordinates ? NULL : name[1];
    c.child = coordinates ? NULL : name[2];
    c.parent_pose = random_pose(seed);
    c.child_pose = random_pose(seed);
    c.length = kind == PINION_LOOP_DISTANCE || kind == PINION_LOOP_SPRING ? check_between(seed, 0.2, 1) : 0;
    c.stiffness = kind == PINION_LOOP_SPRING ? 20 : 0;
    c.radius = kind == PINION_LOOP_ROLLING ? check_between(seed, 0.1, 0.5) : 0;
    c.disk = kind == PINION_LOOP_ROLLING && number % 2;
    c.first = coordinates ? "joint1" : NULL;
    c.second = kind == PINION_LOOP_GEAR ? "joint2" : NULL;
    if (kind == PINION_LOOP_GEAR) c.ratio = check_between(seed, 0.5, 2);
    if (kind != PINION_LOOP_ROLLING && kind != PINION_LOOP_SPRING) c.motion.rate = 0.3;
    return pinion_builder_add_constraint(b, &c, err);
}

/* a chain or tree of one-DoF joints, nearly, with two loops of any kinds */
static pinion_model *random_mechanism(int joints, int first, int second, uint64_t *seed)
{
    pinion_builder *b = pinion_builder_new("mechanism");
    pinion_link_def link = pinion_link_def_default();
    pinion_error err = {0};
    pinion_status status = b ? PINION_OK : PINION_ERR_MEMORY;
    char name[3][32] = {"link0"};
    link.name = name[0];
    if (!status) status = pinion_builder_add_link(b, &link, &err);
    for (int i = 1; i <= joints && !status; i++) {
        snprintf(name[0], sizeof name[0], "link%d", i);
        snprintf(name[1], sizeof name[1], "link%d", i > 3 ? (int)(check_uniform(seed) * i) : i - 1);
        snprintf(name[2], sizeof name[2], "joint%d", i);
        pinion_joint_def joint = random_joint(seed, i < 3 ? REVOLUTE_PRISMATIC : EVERY_TYPE);
        joint.name = name[2];
        joint.parent = name[1];
        joint.child = name[0];
        link.name = name[0];
        link.inertia = random_inertia(seed);
        status = pinion_builder_add_link(b, &link, &err);
        if (!status) status = pinion_builder_add_joint(b, &joint, &err);
    }
    if (!status) status = add_random_loop(b, first, 1, joints + 1, seed, &err);
    if (!status) status = add_random_loop(b, second, 2, joints + 1, seed, &err);
    pinion_model *m = status ? NULL : pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("a mechanism of kinds %d and %d cannot be built: %s", first, second, err.message);
    pinion_builder_free(b);
    return m;
}

TEST(loops_of_every_kind)
{
    uint64_t seed = check_seed;
    double worst = 0;
    int compared = 0;
    for (int i = 0; i < 108; i++) {
        const int kinds = PINION_LOOP_KIND_COUNT, first = i % kinds, other = i / kinds % kinds;
        const int second = first == PINION_LOOP_DRIVE && other == first ? PINION_LOOP_JOINT : other;
        char name[80];
        subject x = open_subject(random_mechanism(9 + i % 4, first, second, &seed));
        if (!x.s) continue;
        pinion_loop_options o = pinion_loop_options_default();
        o.t = 0.7;
        o.alpha = i % 2 ? 5 : 0;
        o.tau_loop = i % 3 ? x.motors : NULL;
        o.passive = i % 5 == 0;
        CHECK_STATUS(pinion_random(x.m, seed, x.q), PINION_OK);
        for (int k = 0; k < x.nq; k++)
            if (fabs(x.q[k]) > 100) x.q[k] = fmod(x.q[k], 3);
        random_forces(&x, &seed);
        snprintf(name, sizeof name, "%s and %s, mechanism %d", pinion_loop_kind_name((pinion_loop_kind)first),
                 pinion_loop_kind_name((pinion_loop_kind)second), i);
        const double error = compare(&x, &o, name);
        compared += error >= 0;
        worst = fmax(worst, error);
        close_subject(&x);
    }
    CHECK(compared >= 50);
    printf("       %d mechanisms, worst error %.2g\n", compared, worst);
}

/* n four-bars in space: of the five rows of each loop three say what the others already said */
TEST(dependent_rows)
{
    static const int sizes[] = {1, 2, 5, 40};
    uint64_t seed = check_seed;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char name[40];
        subject x = open_subject(pinion_n_four_bar(sizes[i], NULL));
        if (!x.s) continue;
        snprintf(name, sizeof name, "%d four-bars", sizes[i]);
        double start[400] = {0};
        CHECK(x.nq <= 400);
        CHECK_STATUS(pinion_initial(x.m, start, x.v), PINION_OK);
        for (int k = 0; k < 5; k++) {
            memcpy(x.q, start, (size_t)x.nq * sizeof *start);
            random_forces(&x, &seed);
            /* the first rod turned, the others where they then have to be, velocities that keep the loops */
            unsigned char locked[400] = {1};
            x.q[0] += 0.15 * k;
            CHECK_STATUS(pinion_assemble(x.m, x.w, 0, locked, x.q, NULL), PINION_OK);
            CHECK_STATUS(pinion_project_velocity(x.m, x.w, 0, NULL, x.q, x.v), PINION_OK);
            const double error = compare(&x, NULL, name);
            pinion_sparse_info info = {0};
            CHECK_STATUS(pinion_sparse_about(x.s, &info), PINION_OK);
            CHECK(info.solutions >= 2);
            if (k == 4) printf("       %s: error %.2g, %d solutions\n", name, error, info.solutions);
        }
        close_subject(&x);
    }
}

/* twice the mechanism, twice the entries */
TEST(factors_grow_with_the_mechanism)
{
    int before = 0;
    for (int n = 100; n <= 800; n *= 2) {
        subject x = open_subject(pinion_n_four_bar(n, NULL));
        if (!x.s) continue;
        CHECK_STATUS(pinion_initial(x.m, x.q, x.v), PINION_OK);
        CHECK_STATUS(pinion_sparse_forward_dynamics(x.s, NULL, x.q, x.v, NULL, NULL, x.a, NULL), PINION_OK);
        pinion_sparse_info info = {0};
        CHECK_STATUS(pinion_sparse_about(x.s, &info), PINION_OK);
        printf("       %d four-bars: %d unknowns, %d entries, %d in the factors\n", n, info.unknowns, info.entries,
               info.factor_entries);
        if (before) CHECK(info.factor_entries < 2.3 * before);
        before = info.factor_entries;
        close_subject(&x);
    }
}

/* ---- what has no answer ---- */

TEST(refusals_say_why)
{
    uint64_t seed = check_seed;
    pinion_error err = {0};
    pinion_model *m = random_model(REVOLUTE_PRISMATIC, 5, 0, 1, &seed);
    CHECK(pinion_sparse_new(m, &err) == NULL);
    CHECK(err.status == PINION_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "mimic");
    CHECK(pinion_sparse_new(NULL, &err) == NULL);
    CHECK(pinion_sparse_new(NULL, NULL) == NULL);
    pinion_model_free(m);
    pinion_sparse_free(NULL);

    /* the last link of a chain has no mass, and turns */
    pinion_builder *b = pinion_builder_new("light");
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def joint = pinion_joint_def_default();
    link.name = "a";
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    link.name = "b";
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    joint.name = "turn";
    joint.type = PINION_JOINT_REVOLUTE;
    joint.parent = "a";
    joint.child = "b";
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    subject x = open_subject(pinion_builder_build(b, NULL, &err));
    pinion_builder_free(b);
    if (x.s) {
        CHECK(!*pinion_sparse_message(x.s));
        CHECK_STATUS(pinion_sparse_forward_dynamics(x.s, NULL, x.q, NULL, NULL, NULL, x.a, NULL), PINION_ERR_SINGULAR);
        CHECK_HAS(pinion_sparse_message(x.s), "moves no inertia");
        CHECK_STATUS(pinion_sparse_forward_dynamics(x.s, NULL, NULL, NULL, NULL, NULL, x.a, NULL), PINION_ERR_ARGUMENT);
        CHECK_HAS(pinion_sparse_message(x.s), "q is NULL");
        CHECK_STATUS(pinion_sparse_forward_dynamics(x.s, NULL, x.q, NULL, NULL, NULL, NULL, NULL), PINION_ERR_ARGUMENT);
        CHECK_HAS(pinion_sparse_message(x.s), "output is NULL");
        pinion_loop_options wrong = pinion_loop_options_default();
        wrong.cookie = 1;
        CHECK_STATUS(pinion_sparse_forward_dynamics(x.s, &wrong, x.q, NULL, x.tau, NULL, x.a, NULL),
                     PINION_ERR_ARGUMENT);
        CHECK_HAS(pinion_sparse_message(x.s), "options");
        close_subject(&x);
    }

    /* a model of which nothing moves has nothing to solve for */
    b = pinion_builder_new("stone");
    link.name = "stone";
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    m = pinion_builder_build(b, NULL, &err);
    pinion_builder_free(b);
    pinion_sparse *s = pinion_sparse_new(m, &err);
    pinion_loop_solution solution = {NULL, 7, 7};
    if (!s) CHECK_FAIL("%s", err.message);
    CHECK_STATUS(pinion_sparse_forward_dynamics(s, NULL, NULL, NULL, NULL, NULL, NULL, &solution), PINION_OK);
    CHECK(solution.rank == -1 && solution.residual == 0);
    pinion_sparse_free(s);
    pinion_model_free(m);
    CHECK_STATUS(pinion_sparse_forward_dynamics(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK(!*pinion_sparse_message(NULL));
    pinion_sparse_info info;
    CHECK_STATUS(pinion_sparse_about(NULL, &info), PINION_ERR_ARGUMENT);
}

/* what is wrong in the workspace inside is said, too, and forgotten with the next call */
TEST(messages_come_through)
{
    uint64_t seed = check_seed;
    subject x = open_subject(pinion_n_four_bar(2, NULL));
    if (!x.s) return;
    CHECK_STATUS(pinion_initial(x.m, x.q, x.v), PINION_OK);
    CHECK_STATUS(pinion_sparse_about(x.s, NULL), PINION_ERR_ARGUMENT);
    x.tau[1] = NAN;
    CHECK_STATUS(pinion_sparse_forward_dynamics(x.s, NULL, x.q, x.v, x.tau, NULL, x.a, NULL), PINION_ERR_SINGULAR);
    CHECK_HAS(pinion_sparse_message(x.s), "not finite");
    CHECK_STATUS(pinion_sparse_forward_dynamics(x.s, NULL, x.q, x.v, NULL, NULL, x.a, NULL), PINION_OK);
    CHECK(!*pinion_sparse_message(x.s));
    close_subject(&x);

    /* a quaternion that is none */
    x = open_subject(random_model(EVERY_TYPE, 12, 1, 0, &seed));
    while (x.m && x.nq == x.nv) {
        close_subject(&x);
        x = open_subject(random_model(EVERY_TYPE, 12, 1, 0, &seed));
    }
    if (!x.s) return;
    CHECK_STATUS(pinion_sparse_forward_dynamics(x.s, NULL, x.q, NULL, NULL, NULL, x.a, NULL), PINION_ERR_QUATERNION);
    CHECK_HAS(pinion_sparse_message(x.s), "unit length: joint '");
    close_subject(&x);
}

/* Three wheels, each with gears to the other two, the third gear being what the first two already say: its row is
 * theirs, 0.7 times the first and the second. Laws along (0.7, 1, -1) contradict that and nothing else. */
static pinion_model *three_gears(double apart)
{
    static const struct {
        const char *name, *first, *second;
        double ratio, law;
    } gears[] = {{"ab", "a", "b", 0.3, 0.7}, {"bc", "b", "c", 0.7, 1}, {"ac", "a", "c", 0.3 * 0.7, -1}};
    static const char *const wheels[] = {"a", "b", "c"};
    pinion_builder *b = pinion_builder_new("gears");
    pinion_link_def link = pinion_link_def_default();
    pinion_error err = {0};
    link.name = "ground";
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    for (int i = 0; i < 3; i++) {
        char name[] = "wheel?";
        pinion_joint_def joint = pinion_joint_def_default();
        name[5] = (char)('0' + i);
        link.name = name;
        link.inertia.mass = 1;
        link.inertia.inertia[0] = link.inertia.inertia[3] = link.inertia.inertia[5] = 0.1 + 0.07 * i;
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
        joint.name = wheels[i];
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent = "ground";
        joint.child = name;
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    for (int i = 0; i < 3; i++) {
        pinion_constraint_def c = pinion_constraint_def_default();
        c.name = gears[i].name;
        c.kind = PINION_LOOP_GEAR;
        c.first = gears[i].first;
        c.second = gears[i].second;
        c.ratio = gears[i].ratio;
        c.motion.acceleration = apart * gears[i].law;
        CHECK_STATUS(pinion_builder_add_constraint(b, &c, &err), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

/* Rows that contradict each other by little are missed by as much, in the middle: as if they agreed. By much, that is
 * no longer found to all digits, which is said; and what comes is still near. */
TEST(contradictions_do_not_pass_for_answers)
{
    static const double sizes[] = {0, 1e-4, 1e3};
    double agreed[3] = {0};
    for (int i = 0; i < 3; i++) {
        subject x = open_subject(three_gears(sizes[i]));
        if (!x.s) continue;
        pinion_loop_solution solution = {.lambda = x.lambda};
        x.tau[0] = 1;
        const pinion_status status = pinion_sparse_forward_dynamics(x.s, NULL, x.q, NULL, x.tau, NULL, x.a, &solution);
        CHECK_STATUS(status, i == 2 ? PINION_ERR_CONVERGENCE : PINION_OK);
        CHECK_HAS(pinion_sparse_message(x.s), i == 2 ? "contradict each other" : "");
        CHECK(i == 2 || !*pinion_sparse_message(x.s));
        if (i == 0) memcpy(agreed, x.a, sizeof agreed);
        const double error = apart(x.a, agreed, 3, 1e-6);
        printf("       by %g: error %.2g, residual %.3g, %s\n", sizes[i], error, solution.residual,
               pinion_sparse_message(x.s));
        CHECK(error <= (i == 2 ? 1e-3 : TOLERANCE));
        CHECK_NEAR(solution.residual, sizes[i], 1e-6 * sizes[i] + 1e-12);
        close_subject(&x);
    }
    CHECK(agreed[0] != 0);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(trees_move_as_they_do);
    RUN(loops_of_every_kind);
    RUN(dependent_rows);
    RUN(factors_grow_with_the_mechanism);
    RUN(refusals_say_why);
    RUN(messages_come_through);
    RUN(contradictions_do_not_pass_for_answers);
    return CHECK_END();
}
