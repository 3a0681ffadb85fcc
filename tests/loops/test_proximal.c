/* loop-proximal against a dense solution that shares nothing with it, on random mechanisms with loops of every kind, on
 * redundant and contradicting rows, at and near singular positions. */
#include "api/registry.h"
#include "dense_solution.h"
#include "four_bar.h"
#include "random_loops.h"

enum { MOST = 160 }; /* velocities or rows of a mechanism here */

/* ---- mechanisms ---- */

typedef struct loop_wanted {
    pinion_loop_kind kind;
    pinion_joint_type type;
    int from, to; /* numbers of links, 0 the base; both 0: any two */
} loop_wanted;

typedef struct wanted {
    int joints, serial;
    double lightest, heaviest;
    int loops;
    loop_wanted loop[12];
} wanted;

static pinion_joint_def any_joint(pinion_joint_type type, uint64_t *seed)
{
    pinion_joint_def joint = pinion_joint_def_default();
    joint.type = type;
    joint.parent_pose = random_pose(seed);
    if (check_uniform(seed) < 0.5) joint.child_pose = random_pose(seed);
    random_axis(seed, joint.axis);
    if (type == PINION_JOINT_HELICAL) joint.pitch = check_between(seed, 0.05, 0.2);
    return joint;
}

static pinion_status close_loop(pinion_builder *b, const wanted *x, int l, const pinion_joint_type *type,
                                uint64_t *seed, pinion_error *err)
{
    const loop_wanted *loop = &x->loop[l];
    const int rolling = loop->kind == PINION_LOOP_ROLLING;
    int from = loop->from, to = loop->to;
    char name[3][32];
    while (from == to) {
        from = (int)(check_uniform(seed) * (x->joints + 1));
        to = (int)(check_uniform(seed) * (x->joints + 1));
    }
    snprintf(name[0], sizeof name[0], "loop%d", l);
    snprintf(name[1], sizeof name[1], "link%d", from);
    snprintf(name[2], sizeof name[2], "link%d", to);
    if (loop->kind == PINION_LOOP_JOINT) {
        pinion_joint_def joint = any_joint(loop->type, seed);
        joint.name = name[0];
        joint.parent = name[1];
        joint.child = name[2];
        return pinion_builder_add_loop(b, &joint, err);
    }
    pinion_constraint_def c = pinion_constraint_def_default();
    c.name = name[0];
    c.kind = loop->kind;
    if (!rolling) c.motion = random_motion(seed);
    if (rolling || loop->kind == PINION_LOOP_DISTANCE) {
        c.parent = name[1];
        c.child = name[2];
        c.parent_pose = random_pose(seed);
        c.child_pose = random_pose(seed);
        /* a distance stays above 0 with any of these laws, up to 2 s: -1 t - 1/2 t^2 - 0.3 is -4.3 m there */
        *(rolling ? &c.radius : &c.length) = check_between(seed, 0.3, 0.6) + (rolling ? 0 : 4.2);
        c.disk = rolling && check_uniform(seed) < 0.5;
        return pinion_builder_add_constraint(b, &c, err);
    }

    /* two joints of one degree of freedom; the first two are */
    do {
        from = 1 + (int)(check_uniform(seed) * x->joints);
        to = 1 + (int)(check_uniform(seed) * x->joints);
    } while (from == to || pinion_joint_type_nv(type[from]) != 1 || pinion_joint_type_nv(type[to]) != 1);
    snprintf(name[1], sizeof name[1], "joint%d", from);
    snprintf(name[2], sizeof name[2], "joint%d", to);
    c.first = name[1];
    if (loop->kind == PINION_LOOP_GEAR) {
        c.second = name[2];
        c.ratio = check_between(seed, 0.2, 3);
    }
    return pinion_builder_add_constraint(b, &c, err);
}

/* NULL with a failed check */
static pinion_model *make(const wanted *x, uint64_t *seed)
{
    static const pinion_joint_type types[] = {PINION_JOINT_REVOLUTE,  PINION_JOINT_PRISMATIC, PINION_JOINT_HELICAL,
                                              PINION_JOINT_REVOLUTE,  PINION_JOINT_CYLINDRICAL, PINION_JOINT_UNIVERSAL,
                                              PINION_JOINT_PLANAR,    PINION_JOINT_SPHERICAL, PINION_JOINT_FREE};
    pinion_error err = {0};
    pinion_joint_type type[96];
    pinion_builder *b = pinion_builder_new("random mechanism");
    pinion_link_def link = pinion_link_def_default();
    pinion_status status = b ? PINION_OK : PINION_ERR_MEMORY;
    char name[3][32] = {"link0", "", ""};
    link.name = name[0];
    if (!status) status = pinion_builder_add_link(b, &link, &err);
    for (int i = 1; i <= x->joints && !status; i++) {
        const double mass = x->lightest * pow(x->heaviest / x->lightest, check_uniform(seed));
        type[i] = i < 3 ? PINION_JOINT_REVOLUTE : types[(int)(check_uniform(seed) * 9)];
        pinion_joint_def joint = any_joint(type[i], seed);
        snprintf(name[0], sizeof name[0], "link%d", x->serial ? i - 1 : (int)(check_uniform(seed) * i));
        snprintf(name[1], sizeof name[1], "link%d", i);
        snprintf(name[2], sizeof name[2], "joint%d", i);
        joint.name = name[2];
        joint.parent = name[0];
        joint.child = name[1];
        if (check_uniform(seed) < 0.3) {
            joint.dof[0].rotor_inertia = 1e-5;
            joint.dof[0].gear_ratio = 50;
        }
        link.name = name[1];
        link.inertia.mass = mass;
        for (int k = 0; k < 3; k++) {
            link.inertia.com[k] = check_between(seed, -0.2, 0.2);
            link.inertia.inertia[k == 0 ? 0 : k == 1 ? 3 : 5] = mass * check_between(seed, 0.02, 0.03);
        }
        status = pinion_builder_add_link(b, &link, &err);
        if (!status) status = pinion_builder_add_joint(b, &joint, &err);
    }
    for (int l = 0; l < x->loops && !status; l++) status = close_loop(b, x, l, type, seed, &err);
    pinion_model *m = status ? NULL : pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("a random mechanism cannot be built: %s", err.message);
    pinion_builder_free(b);
    return m;
}

/* ---- both solutions ---- */

typedef struct state {
    const pinion_model *m;
    pinion_work *w;
    int nv, rows;
    double q[MOST], v[MOST], tau[MOST], f_ext[6 * MOST];
    pinion_loop_options options;
    double a[MOST], lambda[MOST], residual; /* by the algorithm */
    double a0[MOST], lambda0[MOST], condition;
    int rank;
} state;

static state *open_state(const pinion_model *m, uint64_t *seed)
{
    state *x = calloc(1, sizeof *x);
    double step[MOST];
    x->m = m;
    x->w = pinion_work_new(m);
    x->nv = pinion_model_nv(m);
    x->rows = pinion_model_row_count(m);
    x->options = pinion_loop_options_default();
    CHECK(x->w && x->nv <= MOST && x->rows <= MOST);
    CHECK_STATUS(pinion_neutral(m, x->q), PINION_OK);
    for (int i = 0; i < x->nv; i++) {
        step[i] = check_between(seed, -1, 1);
        x->v[i] = check_between(seed, -1, 1);
        x->tau[i] = check_between(seed, -5, 5);
    }
    CHECK_STATUS(pinion_integrate(m, x->q, step, 1, x->q), PINION_OK);
    return x;
}

static void close_state(state *x)
{
    pinion_work_free(x->w);
    free(x);
}

/* solves in both ways; `cut`: see dense_solve */
static void solve(state *x, double cut)
{
    static double M[MOST * MOST], L[MOST * MOST], h[MOST], c[MOST], phi[MOST], rate[MOST], zero[MOST];
    const int algorithm = pinion_algorithm_find("loop-proximal");
    const double alpha = x->options.alpha;
    const pinion_constraints at = {phi, L, rate, c};
    pinion_loop_solution found = {.lambda = x->lambda};
    CHECK_STATUS(pinion_loop_dynamics(x->m, x->w, algorithm, &x->options, x->q, x->v, x->tau, x->f_ext, x->a, &found),
                 PINION_OK);
    x->residual = found.residual;

    /* h with the external forces: what inverse dynamics takes at a = 0 */
    CHECK_STATUS(pinion_mass_matrix(x->m, x->w, x->q, M), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(x->m, x->w, x->q, x->v, zero, x->f_ext, h), PINION_OK);
    CHECK_STATUS(pinion_constraints_at(x->m, x->w, x->options.t, x->q, x->v, &at), PINION_OK);
    for (int j = 0; j < x->rows; j++) c[j] -= 2 * alpha * rate[j] + alpha * alpha * phi[j];
    dense_solution ref = {.nv = x->nv, .rows = x->rows, .a = x->a0, .lambda = x->lambda0};
    dense_solve(&ref, M, h, L, c, x->tau, cut);
    x->rank = ref.rank;
    x->condition = ref.condition;
}

/* largest difference, of the largest entry */
static double apart(int n, const double *a, const double *b)
{
    double worst = 0, size = 0;
    for (int i = 0; i < n; i++) {
        const double d = fabs(a[i] - b[i]);
        if (!(d <= worst)) worst = d;
        if (fabs(b[i]) > size) size = fabs(b[i]);
    }
    return size > 0 ? worst / size : worst;
}

/* ---- agreement ---- */

/* the kind of the i-th loop of a series that has them all: nine joint types, then the other kinds */
static loop_wanted wanted_loop(int i)
{
    static const pinion_joint_type type[] = {PINION_JOINT_FIXED,       PINION_JOINT_REVOLUTE,  PINION_JOINT_CONTINUOUS,
                                             PINION_JOINT_PRISMATIC,   PINION_JOINT_HELICAL,   PINION_JOINT_CYLINDRICAL,
                                             PINION_JOINT_UNIVERSAL,   PINION_JOINT_PLANAR,    PINION_JOINT_SPHERICAL};
    static const pinion_loop_kind kind[] = {PINION_LOOP_DISTANCE, PINION_LOOP_GEAR, PINION_LOOP_ROLLING,
                                            PINION_LOOP_DRIVE};
    loop_wanted loop = {PINION_LOOP_JOINT, PINION_JOINT_FIXED, 0, 0};
    if (i % 13 < 9)
        loop.type = type[i % 13];
    else
        loop.kind = kind[i % 13 - 9];
    return loop;
}

/* Random mechanisms are drawn `usual` times, and more often where by then too few have counted: up to eight times as
 * often, which for a third that counts is as good as always enough. */
static int goes_on(int trial, int usual, int counted, int enough)
{
    return trial < usual || (counted < enough && trial < 8 * usual);
}

static double worst_a, worst_lambda;

/* one random mechanism; whether it counted: rows are independent and the position is not near a singular one */
static int agrees(const wanted *want, double t, double alpha, uint64_t *seed)
{
    pinion_model *m = make(want, seed);
    if (!m) return 0;
    int counts = 0;
    const int nv = pinion_model_nv(m), rows = pinion_model_row_count(m);
    if (rows < nv && nv <= MOST) {
        state *x = open_state(m, seed);
        x->options.t = t;
        x->options.alpha = alpha;
        for (int i = 6; i < 6 * pinion_model_body_count(m); i++) x->f_ext[i] = check_between(seed, -3, 3);
        solve(x, 1e-13);
        counts = x->rank == rows && x->condition < 1e5;
        if (counts) {
            const double a = apart(nv, x->a, x->a0), lambda = apart(rows, x->lambda, x->lambda0);
            /* a row that is short beside what it could be has a condition of 1 by itself, and is told to be in doubt:
             * one rounding of it is 1/doubt^2 in the accelerations */
            pinion_mobility there;
            CHECK_STATUS(pinion_mobility_at(m, x->w, t, x->q, &there), PINION_OK);
            const double bound = 1e-9 + (there.doubt > 0 ? 1e-13 / (there.doubt * there.doubt) : 0);
            CHECK_NEAR(a, 0, bound);
            CHECK_NEAR(lambda, 0, bound);
            worst_a = a > worst_a ? a : worst_a;
            worst_lambda = lambda > worst_lambda ? lambda : worst_lambda;
        }
        close_state(x);
    }
    pinion_model_free(m);
    return counts;
}

TEST(one_loop_of_every_kind)
{
    uint64_t seed = check_seed;
    for (int i = 0; i < 13; i++) {
        int counted = 0;
        const int enough = 6 / check_every(5);
        for (int trial = 0; goes_on(trial, 12, counted, enough); trial += check_every(5)) {
            wanted want = {.joints = 8 + trial % 6, .serial = trial % 4 > 0, .lightest = 0.5, .heaviest = 5};
            want.loops = 1;
            want.loop[0] = wanted_loop(i);
            /* to the base, to a body, either way round */
            if (trial % 3 == 0) want.loop[0].to = want.joints;
            if (trial % 3 == 1) want.loop[0].from = want.joints;
            counted += agrees(&want, 0.37, 0, &seed);
        }
        CHECK(counted >= enough);
    }
}

TEST(several_loops)
{
    uint64_t seed = check_seed + 1;
    int counted = 0;
    const int enough = 15 / check_every(5);
    for (int trial = 0; goes_on(trial, 60, counted, enough); trial += check_every(5)) {
        wanted want = {.joints = 9 + trial % 9, .serial = trial % 3 == 0, .lightest = 0.5, .heaviest = 5};
        want.loops = 2 + trial % 3;
        for (int l = 0; l < want.loops; l++) want.loop[l] = wanted_loop((int)(check_uniform(&seed) * 13));
        counted += agrees(&want, check_between(&seed, 0, 2), trial % 2 ? 7 : 0, &seed);
    }
    CHECK(counted >= enough);
}

/* loops across each other on one long chain: every body has many couplings */
TEST(overlapping_loops)
{
    uint64_t seed = check_seed + 2;
    int counted = 0;
    for (int trial = 0; goes_on(trial, 8, counted, 4); trial++) {
        wanted want = {.joints = 24, .serial = trial % 2, .lightest = 0.5, .heaviest = 5, .loops = 10};
        for (int l = 0; l < want.loops; l++) {
            want.loop[l] = (loop_wanted){l % 2 ? PINION_LOOP_DISTANCE : PINION_LOOP_JOINT,
                                         PINION_JOINT_PLANAR, l, 14 + l};
            if (l % 3 == 2) want.loop[l].kind = PINION_LOOP_GEAR;
        }
        counted += agrees(&want, 0, 0, &seed);
    }
    CHECK(counted >= 4);
}

TEST(masses_far_apart)
{
    uint64_t seed = check_seed + 3;
    int counted = 0;
    const int enough = 6 / check_every(5);
    for (int trial = 0; goes_on(trial, 40, counted, enough); trial += check_every(5)) {
        wanted want = {.joints = 11, .lightest = 1e-2, .heaviest = 10, .loops = 2};
        want.loop[0] = wanted_loop(trial);
        want.loop[1] = wanted_loop(2 * trial + 5);
        counted += agrees(&want, 0, 0, &seed);
    }
    CHECK(counted >= enough);
}

/* without loops it is the articulated-body algorithm, to rounding */
TEST(plain_tree)
{
    uint64_t seed = check_seed + 4;
    for (int trial = 0; trial < 10; trial++) {
        const wanted want = {.joints = 12, .serial = trial % 2, .lightest = 0.5, .heaviest = 5};
        double a[MOST];
        pinion_model *m = make(&want, &seed);
        if (!m) return;
        state *x = open_state(m, &seed);
        solve(x, 0);
        CHECK_STATUS(pinion_forward_dynamics(m, x->w, x->q, x->v, x->tau, NULL, a), PINION_OK);
        CHECK_NEAR(apart(x->nv, x->a, a), 0, 1e-11);
        close_state(x);
        pinion_model_free(m);
    }
}

/* ---- rows that depend on each other ---- */

/* a planar four-bar closed by a spatial joint: two of its five rows are independent */
TEST(redundant_rows)
{
    pinion_model *m = four_bar(3, 1.5);
    uint64_t seed = check_seed + 5;
    for (int k = 0; k < 6; k++) {
        state *x = open_state(m, &seed);
        const unsigned char crank[3] = {1, 0, 0};
        const double q[3] = {0.4 + k, -0.3, 1.5}, v[3] = {1.3, 0, 0};
        memcpy(x->q, q, sizeof q);
        memcpy(x->v, v, sizeof v);
        CHECK_STATUS(pinion_assemble(m, x->w, 0, crank, x->q, NULL), PINION_OK);
        CHECK_STATUS(pinion_project_velocity(m, x->w, 0, crank, x->q, x->v), PINION_OK);
        solve(x, 1e-12);
        CHECK(x->rows == 5 && x->rank == 2);
        CHECK_NEAR(apart(3, x->a, x->a0), 0, 1e-11);
        CHECK_NEAR(apart(5, x->lambda, x->lambda0), 0, 1e-9);
        CHECK_NEAR(x->residual, 0, 1e-9);

        /* and where the loop is a little open, as in a simulation */
        x->q[1] += 1e-9;
        solve(x, 1e-12);
        CHECK_NEAR(apart(3, x->a, x->a0), 0, 1e-11);
        CHECK_NEAR(apart(5, x->lambda, x->lambda0), 0, 1e-8);
        close_state(x);
    }
    pinion_model_free(m);
}

/* two drives of one joint that want different things: the nearest acceleration is in the middle, and each drive has the
 * same part in the force */
TEST(contradicting_rows)
{
    uint64_t seed = check_seed + 6;
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("contradicted");
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def joint = pinion_joint_def_default();
    pinion_constraint_def c = pinion_constraint_def_default();
    const char *const name[] = {"base", "a", "b"};
    for (int i = 0; i < 3; i++) {
        link.name = name[i];
        link.inertia.mass = i;
        link.inertia.com[0] = 0.3;
        for (int k = 0; k < 6; k++) link.inertia.inertia[k] = k == 0 || k == 3 || k == 5 ? 0.1 * i : 0;
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    }
    for (int i = 0; i < 2; i++) {
        joint.name = i ? "second" : "first";
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent = name[i];
        joint.child = name[i + 1];
        joint.parent_pose.position[0] = i ? 0.5 : 0;
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    for (int i = 0; i < 2; i++) {
        c.name = i ? "drive 1" : "drive 0";
        c.kind = PINION_LOOP_DRIVE;
        c.first = "first";
        c.motion.acceleration = i ? 3 : 1;
        CHECK_STATUS(pinion_builder_add_constraint(b, &c, &err), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    pinion_builder_free(b);
    CHECK(m != NULL);
    if (!m) return;
    state *x = open_state(m, &seed);
    x->tau[0] = x->tau[1] = 0;
    x->q[0] = x->q[1] = 0.3;
    solve(x, 1e-12);
    CHECK(x->rank == 1);
    CHECK_NEAR(x->a[0], 2, 1e-7);
    CHECK_NEAR(apart(2, x->a, x->a0), 0, 1e-7);
    CHECK_NEAR(x->residual, 1, 1e-7);
    CHECK_NEAR(apart(2, x->lambda, x->lambda0), 0, 1e-6);
    close_state(x);
    pinion_model_free(m);
}

/* ---- singular positions ---- */

/* A kite, all four links on one line: of two independent rows one is left. */
TEST(at_a_singular_position)
{
    pinion_model *m = four_bar(1, 1.5);
    uint64_t seed = check_seed + 7;
    state *x = open_state(m, &seed);
    for (int i = 0; i < 3; i++) x->q[i] = x->v[i] = 0;
    solve(x, 1e-12);
    CHECK(x->rank == 1);
    CHECK_NEAR(apart(3, x->a, x->a0), 0, 1e-10);
    CHECK_NEAR(apart(5, x->lambda, x->lambda0), 0, 1e-9);

    /* while it moves along what is left of the rows, they ask for more than a can do */
    x->v[0] = 2;
    x->v[1] = -1;
    x->v[2] = 2;
    solve(x, 1e-12);
    CHECK_NEAR(apart(3, x->a, x->a0), 0, 1e-7);
    CHECK_NEAR(apart(5, x->lambda, x->lambda0), 0, 1e-6);

    /* on the way there, the coupler's and the rocker's common end on the line from A that halves the crank's angle: in
     * exact arithmetic the second row holds up to the end and lets go there; here it does so on the way */
    for (int k = 1; k <= 16; k++) {
        const double half = 0.5 * pow(10, -k), reach = cos(half) + sqrt(4 - sin(half) * sin(half));
        const double x_end = reach * cos(half), z_end = reach * sin(half);
        x->q[0] = 2 * half;
        x->q[1] = atan2(z_end - sin(2 * half), x_end - cos(2 * half)) - 2 * half;
        x->q[2] = atan2(z_end, x_end - 1);
        for (int i = 0; i < 3; i++) x->v[i] = 0;
        solve(x, 1e-30);
        if (k < 7) CHECK(x->condition > 0.1 * pow(10, 2 * k));
        CHECK(x->residual < 1e3);
        for (int i = 0; i < 3; i++) CHECK(fabs(x->a[i]) < 1e3);
        if (x->condition < 1e5) CHECK_NEAR(apart(3, x->a, x->a0), 0, 1e-9);
    }
    close_state(x);
    pinion_model_free(m);
}

/* a coupler without mass: M alone is singular, and not on what the loop allows; without any mass it is there too */
TEST(massless_bodies)
{
    uint64_t seed = check_seed + 8;
    const int algorithm = pinion_algorithm_find("loop-proximal");
    pinion_model *m = four_bar(3, 0);
    state *x = open_state(m, &seed);
    const unsigned char crank[3] = {1, 0, 0};
    const double q[3] = {0.4, -0.3, 1.5};
    memcpy(x->q, q, sizeof q);
    for (int i = 0; i < 3; i++) x->v[i] = x->tau[i] = 0;
    CHECK_STATUS(pinion_assemble(m, x->w, 0, crank, x->q, NULL), PINION_OK);
    CHECK_STATUS(pinion_loop_dynamics(m, x->w, algorithm, NULL, x->q, x->v, x->tau, NULL, x->a, NULL), PINION_OK);

    /* power of gravity on crank and rocker against what their accelerations take, on the one motion that L allows */
    double M[9], h[3], v[3] = {1, 0, 0}, power = 0;
    CHECK_STATUS(pinion_project_velocity(m, x->w, 0, crank, x->q, v), PINION_OK);
    CHECK_STATUS(pinion_mass_matrix(m, x->w, x->q, M), PINION_OK);
    CHECK_STATUS(pinion_gravity(m, x->w, x->q, h), PINION_OK);
    for (int i = 0; i < 3; i++) {
        power += v[i] * h[i];
        for (int k = 0; k < 3; k++) power += v[i] * M[3 * i + k] * x->a[k];
    }
    CHECK_NEAR(power, 0, 1e-6);
    close_state(x);
    pinion_model_free(m);
}

/* ---- options ---- */

TEST(proximal_term_of_ones_own)
{
    uint64_t seed = check_seed + 9;
    wanted want = {.joints = 8, .lightest = 0.5, .heaviest = 5, .loops = 1};
    want.loop[0] = (loop_wanted){PINION_LOOP_JOINT, PINION_JOINT_REVOLUTE, 2, 8};
    /* rows that are independent and far from a singular position: a term of 1e-7 takes its share of the condition */
    pinion_model *m = NULL;
    state *x = NULL;
    for (int drawn = 0; drawn < 40 && !x; drawn++) {
        m = make(&want, &seed);
        if (!m) return;
        x = open_state(m, &seed);
        solve(x, 1e-13);
        if (x->rank == x->rows && x->condition < 1e3) break;
        close_state(x);
        pinion_model_free(m);
        x = NULL;
    }
    CHECK(x != NULL);
    if (!x) return;
    const double usual = apart(x->nv, x->a, x->a0);

    /* so soft that the steps do not reach it, but come near */
    x->options.proximal = 1;
    solve(x, 1e-13);
    const double soft = apart(x->nv, x->a, x->a0);
    CHECK(soft > 100 * usual);
    x->options.proximal = 1e-7;
    solve(x, 1e-13);
    CHECK_NEAR(apart(x->nv, x->a, x->a0), 0, 1e-9);
    close_state(x);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(one_loop_of_every_kind);
    RUN(several_loops);
    RUN(overlapping_loops);
    RUN(masses_far_apart);
    RUN(plain_tree);
    RUN(redundant_rows);
    RUN(contradicting_rows);
    RUN(at_a_singular_position);
    RUN(massless_bodies);
    RUN(proximal_term_of_ones_own);
    printf("       worst relative errors: a %.1e, lambda %.1e\n", worst_a, worst_lambda);
    return CHECK_END();
}
