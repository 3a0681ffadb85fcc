/* Contact problems as numbers: closed forms, what every solution must satisfy, and solvers against each other. */
#include "check.h"
#include "contact/laws.h"
#include "memory/allocator.h"
#include "pinion/contact.h"

#define SOLVERS 3
#define MOST 48 /* rows of what is solved here */

static pinion_contact_work *work;
static void *memory; /* of it */

/* There are no numbers in it: nobody reads what nobody wrote. */
static void forget(void)
{
    const size_t size = pinion_contact_work_size(MOST);
    memset(memory, 0xff, size);
    work = pinion_contact_work_init(MOST, memory, size);
}

/* solves by one solver to a tolerance */
static pinion_status solve(const pinion_contact_problem *p, int solver, double tolerance, double *lambda, double *u,
                           pinion_contact_solution *s)
{
    pinion_contact_options o = pinion_contact_options_default();
    o.solver = solver;
    o.tolerance = tolerance;
    forget();
    return pinion_contact_solve(work, p, &o, lambda, u, s);
}

static pinion_contact_problem contacts(int count, const double *mu, const double *G, const double *g)
{
    const pinion_contact_problem p = {count, 3 * count, NULL, mu, G, g, NULL};
    return p;
}

TEST(a_point_on_a_plane)
{
    /* mass 2, so G = 1/2: it lifts off, sticks, slides, slides without friction */
    const double G[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
    const struct {
        double mu, g[3], lambda[3];
    } cases[] = {{0.5, {0.1, 3, 4}, {0, 0, 0}},
                 {0.5, {-1, 0.3, 0.4}, {2, -0.6, -0.8}},
                 {0.5, {-1, 3, 4}, {2, -0.6, -0.8}},
                 {0, {-1, 3, 4}, {2, 0, 0}},
                 {0.5, {0, 3, 4}, {0, 0, 0}},
                 {0, {1, 0, 0}, {0, 0, 0}},
                 {0.5, {0, 0, 0}, {0, 0, 0}}};
    for (int c = 0; c < 7; c++)
        for (int solver = 0; solver < pinion_contact_solver_count(); solver++) {
            const pinion_contact_problem p = contacts(1, &cases[c].mu, G, cases[c].g);
            double lambda[3], u[3];
            pinion_contact_solution s;
            CHECK_STATUS(solve(&p, solver, 1e-13, lambda, u, &s), PINION_OK);
            for (int k = 0; k < 3; k++) {
                CHECK_NEAR(lambda[k], cases[c].lambda[k], 1e-11); /* the tolerance, times 5 m/s, times 1/G */
                CHECK_NEAR(u[k], cases[c].g[k] + 0.5 * lambda[k], 1e-15);
            }
            CHECK(s.solver == solver && s.undetermined == 0 && s.least_norm);
        }
}

TEST(a_rod_that_slides)
{
    /* G_nt couples: in the plane of a rod at 45 degrees. Sliding to +t, lambda_t = -mu lambda_n, and
       u_n = (G_nn - mu G_nt) lambda_n + g_n = 0 */
    const double mu = 0.4, G[9] = {3, 2, 0, 2, 3, 0, 0, 0, 1}, g[3] = {-1, 5, 0};
    const pinion_contact_problem p = contacts(1, &mu, G, g);
    for (int solver = 0; solver < pinion_contact_solver_count(); solver++) {
        double lambda[3];
        CHECK_STATUS(solve(&p, solver, 1e-13, lambda, NULL, NULL), PINION_OK);
        CHECK_NEAR(lambda[0], 1 / (3 - 0.4 * 2), 1e-11);
        CHECK_NEAR(lambda[1], -0.4 * lambda[0], 1e-11);
        CHECK_NEAR(lambda[2], 0, 1e-11);
    }
}

/* A body of mass 1 and inertia 1 about each axis, on four points at (+-1, +-1, -h) from its centre of mass, which is
 * at (x, y) over the legs. g: it falls with 1 m/s. */
static void table(double x, double y, double h, double *G, double *g)
{
    static const double leg[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    static const int axis[3] = {2, 0, 1}; /* normal z, tangents x, y */
    double J[12][6];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            const double r[3] = {leg[i][0] - x, leg[i][1] - y, -h};
            const int a = axis[k], b = (a + 1) % 3, c = (a + 2) % 3;
            double *row = J[3 * i + k];
            memset(row, 0, sizeof J[0]);
            row[3 + a] = 1;
            row[b] = r[c]; /* (omega x r)_a = omega_b r_c - omega_c r_b */
            row[c] = -r[b];
        }
    for (int i = 0; i < 12; i++) {
        g[i] = -J[i][5];
        for (int j = 0; j < 12; j++) {
            G[12 * i + j] = 0;
            for (int k = 0; k < 6; k++) G[12 * i + j] += J[i][k] * J[j][k];
        }
    }
}

TEST(a_table_on_four_legs)
{
    /* Weight above (x, y): the least norm is linear in the legs' places while all of them push. On the diagonal beyond
       half of the way the opposite leg would have to pull: it is free, and three legs are determined. */
    static const double mu[4] = {0.5, 0.5, 0.5, 0.5};
    const struct {
        double x, y, normal[4];
    } cases[] = {{0, 0, {0.25, 0.25, 0.25, 0.25}},
                 {0.2, -0.4, {0.2, 0.1, 0.3, 0.4}},
                 {0.75, 0.75, {0.75, 0.125, 0, 0.125}}};
    for (int c = 0; c < 3; c++)
        for (int solver = 0; solver < pinion_contact_solver_count(); solver++) {
            double G[144], g[12], lambda[12];
            pinion_contact_solution s;
            table(cases[c].x, cases[c].y, 0.7, G, g);
            const pinion_contact_problem p = contacts(4, mu, G, g);
            CHECK_STATUS(solve(&p, solver, 1e-12, lambda, NULL, &s), PINION_OK);
            CHECK(s.undetermined == 6 && s.least_norm);
            for (int i = 0; i < 4; i++) {
                CHECK_NEAR(lambda[3 * i], cases[c].normal[i], 1e-9);
                CHECK_NEAR(hypot(lambda[3 * i + 1], lambda[3 * i + 2]), 0, 1e-9);
            }
        }
}

/* The table slides with 3 m/s along a direction, and may spin: four normal forces, three equations. Where it does not
 * spin the least norm is a closed form, N_i = N/4 + a x_i + b y_i with x and y along and across the direction: friction
 * acts h below the centre of mass, so that 4 a = mu N h, and b is 0. With spin velocities are not determined, either,
 * but all solvers are to come to the same. */
TEST(a_table_that_slides)
{
    for (int spin = 0; spin < 3; spin++)
        for (int way = 0; way < 3; way++) {
            const double h = 0.3, mu[4] = {0.4, 0.4, 0.4, 0.4}, angle = 0.7 * way, c = cos(angle), d = sin(angle);
            const double omega = spin == 2 ? 0.5 : 1e-6 * spin;
            static const double leg[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
            double G[144], g[12], first[12];
            table(0, 0, h, G, g);
            for (int i = 0; i < 4; i++) {
                g[3 * i + 1] = 3 * c - omega * leg[i][1];
                g[3 * i + 2] = 3 * d + omega * leg[i][0];
            }
            const pinion_contact_problem p = contacts(4, mu, G, g);
            for (int solver = -1; solver < pinion_contact_solver_count(); solver++) {
                double lambda[12];
                pinion_contact_solution s;
                CHECK_STATUS(solve(&p, solver, 1e-10, lambda, NULL, &s), PINION_OK);
                CHECK(s.undetermined == 1 && s.least_norm);
                if (solver < 0) memcpy(first, lambda, sizeof first);
                for (int k = 0; k < 12; k++) CHECK_NEAR(lambda[k], first[k], 1e-7);
                for (int i = 0; i < 4 && spin < 2; i++) { /* it falls with 1 m/s and has 1 kg: N = 1 */
                    const double along = c * leg[i][0] + d * leg[i][1], N = 0.25 + 0.25 * mu[0] * h * along;
                    CHECK_NEAR(lambda[3 * i], N, 1e-6);
                    CHECK_NEAR(lambda[3 * i + 1], -mu[0] * N * c, 1e-6);
                    CHECK_NEAR(lambda[3 * i + 2], -mu[0] * N * d, 1e-6);
                }
            }
        }
}

TEST(one_block_is_solved_exactly)
{
    /* random positive semidefinite matrices of rank 1 to 3, and large coupling */
    uint64_t seed = check_seed;
    for (int round = 0; round < 2000; round++) {
        double J[9], G[9], g[3], v[3], lambda[3];
        const int rank = 1 + round % 3;
        const double mu = check_between(&seed, 0, 1.5);
        for (int k = 0; k < 9; k++) J[k] = k % 3 < rank ? check_between(&seed, -1, 1) : 0;
        for (int k = 0; k < 3; k++) v[k] = check_between(&seed, -1, 1);
        for (int r = 0; r < 3; r++) {
            g[r] = J[3 * r] * v[0] + J[3 * r + 1] * v[1] + J[3 * r + 2] * v[2];
            for (int c = 0; c < 3; c++)
                G[3 * r + c] = J[3 * r] * J[3 * c] + J[3 * r + 1] * J[3 * c + 1] + J[3 * r + 2] * J[3 * c + 2];
        }
        if (G[0] < 1e-3) continue; /* the forces would be very large */
        const pinion_contact_problem p = contacts(1, &mu, G, g);
        pinion_contact_solution s;
        CHECK_STATUS(solve(&p, pinion_contact_solver_find("pgs"), 1e-10, lambda, NULL, &s), PINION_OK);
        CHECK(s.iterations <= 1);
        const law_errors e = law_check(1, G, g, &mu, lambda);
        const double size = fmax(1, fabs(lambda[0]));
        CHECK_NEAR(e.cone, 0, 1e-15 * size);
        CHECK_NEAR(e.dual, 0, 1e-10 * size);
        CHECK_NEAR(e.complementarity, 0, 1e-10 * size * size);
        CHECK_NEAR(e.dissipation, 0, 1e-10 * size * size);
    }
}

/* Contacts that hardly slide, and tangents of which impulses hardly move one direction: both from 1 to 1e-9. Normal and
 * tangents are not coupled, so that there is one solution, from which g is made. One sweep finds it. */
TEST(a_contact_that_hardly_slides)
{
    uint64_t seed = check_seed;
    for (int round = 0; round < 2000; round++) {
        const double mu = check_between(&seed, 0.05, 1.5), way = check_between(&seed, -3, 3);
        const double known[3] = {1, mu * cos(way), mu * sin(way)}, alpha = pow(10, check_between(&seed, -9, 0));
        const double turn = check_between(&seed, -3, 3), c = cos(turn), d = sin(turn);
        const double most = check_between(&seed, 0.3, 2), least = most * pow(10, check_between(&seed, -9, 0));
        const double coupled = c * d * (most - least);
        const double G[9] = {check_between(&seed, 0.3, 2), 0, 0, 0, c * c * most + d * d * least, coupled,
                             0, coupled, d * d * most + c * c * least};
        double g[3], lambda[3], size = 0;
        for (int k = 0; k < 3; k++) {
            g[k] = -(k ? alpha * known[k] : 0);
            for (int j = 0; j < 3; j++) g[k] -= G[3 * k + j] * known[j];
            size = fmax(size, fabs(g[k]));
        }
        const pinion_contact_problem p = contacts(1, &mu, G, g);
        pinion_contact_solution s;
        CHECK_STATUS(solve(&p, pinion_contact_solver_find("pgs"), 1e-10, lambda, NULL, &s), PINION_OK);
        CHECK(s.iterations <= 1);
        CHECK_NEAR(law_check(1, G, g, &mu, lambda).cone, 0, 1e-15);
        /* velocities are within the tolerance, and so is what impulses make of them: 2.2 times, of 200 seeds */
        for (int k = 0; k < 3; k++) CHECK_NEAR(lambda[k], known[k], 4 * 1e-10 * size / (least + alpha));
    }
}

/* G = J J', g = J v of random J: contacts of a machine of so many freedoms */
static void random_problem(uint64_t *seed, int rows, int freedom, double *G, double *g)
{
    double J[MOST * 32], v[32];
    for (int k = 0; k < freedom; k++) v[k] = check_between(seed, -1, 1);
    for (int k = 0; k < rows * freedom; k++) J[k] = check_between(seed, -1, 1) * (k / freedom % 3 ? 0.5 : 1);
    for (int r = 0; r < rows; r++) {
        g[r] = 0;
        for (int k = 0; k < freedom; k++) g[r] += J[r * freedom + k] * v[k];
        for (int c = 0; c < rows; c++) {
            double sum = 0;
            for (int k = 0; k < freedom; k++) sum += J[r * freedom + k] * J[c * freedom + k];
            G[r * rows + c] = sum;
        }
    }
}

TEST(solvers_agree)
{
    uint64_t seed = check_seed;
    static double G[MOST * MOST], g[MOST], lambda[SOLVERS][MOST], u[SOLVERS][MOST], mu[MOST];
    for (int round = 0; round < 60; round++) {
        const int count = 1 + (int)(check_uniform(&seed) * 12), freedom = 3 + (int)(check_uniform(&seed) * 24);
        const int n = 3 * count;
        random_problem(&seed, n, freedom, G, g);
        /* Velocities are unique without friction, and with little of it where rows are independent. With dependent rows
           several solutions may satisfy all laws, and solvers find different ones. */
        const int smooth = n > freedom && round % 2;
        for (int i = 0; i < count; i++) mu[i] = smooth ? 0 : check_between(&seed, 0, 0.25);
        const pinion_contact_problem p = contacts(count, mu, G, g);
        for (int solver = 0; solver < SOLVERS; solver++) {
            pinion_contact_solution s;
            pinion_contact_residuals r;
            CHECK_STATUS(solve(&p, solver, 1e-10, lambda[solver], u[solver], &s), PINION_OK);
            /* what is reported is what the test finds by itself */
            const law_errors e = law_check(count, G, g, mu, lambda[solver]);
            double size = 1; /* impulses of dependent rows may be large, and rounding is a share of them */
            for (int k = 0; k < n; k++) size = fmax(size, fabs(lambda[solver][k]));
            CHECK_NEAR(e.cone, 0, 1e-13 * size);
            CHECK_NEAR(e.dual, 0, 1e-8);
            CHECK_NEAR(e.dual, s.residuals.dual, 1e-12 * size);
            CHECK_NEAR(e.complementarity, s.residuals.complementarity, 1e-11 * size * size);
            CHECK_NEAR(e.dissipation, s.residuals.dissipation, 1e-11 * size * size);
            CHECK_NEAR(e.complementarity + e.dissipation, 0, 1e-8 * size);
            CHECK_STATUS(pinion_contact_check(&p, lambda[solver], NULL, &r), PINION_OK);
            CHECK(r.natural == s.residuals.natural && r.worst == s.residuals.worst);
        }
        for (int k = 1; k < SOLVERS && (smooth || n <= freedom); k++)
            CHECK(check_error(u[0], u[k], (size_t)n, 1) < 1e-6);
    }
}

TEST(laws_of_other_rows)
{
    /* Five unit masses: a limit that is hit, one that is not, dry friction that holds and that slides, and an equality.
       The last two masses are coupled by nothing but the equality of their difference. */
    static const unsigned char law[5] = {PINION_CONTACT_LIMIT, PINION_CONTACT_LIMIT, PINION_CONTACT_FRICTION,
                                         PINION_CONTACT_FRICTION, PINION_CONTACT_EQUALITY};
    static const double bound[5] = {0, 0, 2, 2, 0}, g[5] = {-3, 3, 1.5, -5, 4}, expected[5] = {3, 0, -1.5, 2, -2};
    double G[25] = {0}, lambda[5], u[5];
    for (int k = 0; k < 5; k++) G[6 * k] = k < 4 ? 1 : 2;
    const pinion_contact_problem p = {5, 5, law, bound, G, g, NULL};
    for (int solver = -1; solver < pinion_contact_solver_count(); solver++) {
        pinion_contact_solution s;
        CHECK_STATUS(solve(&p, solver, 1e-12, lambda, u, &s), PINION_OK);
        for (int k = 0; k < 5; k++) CHECK_NEAR(lambda[k], expected[k], 1e-10);
        CHECK_NEAR(u[3], -3, 1e-10);
        CHECK_NEAR(s.residuals.natural, 0, 1e-11);
    }
    /* residuals of a guess: of each law what it says */
    const double wrong[5] = {-1, 2, 3, -1, 0};
    pinion_contact_residuals r;
    CHECK_STATUS(pinion_contact_check(&p, wrong, u, &r), PINION_OK);
    CHECK_NEAR(r.cone, 1, 1e-15);             /* the limit pulls, the friction has 3 of 2 */
    CHECK_NEAR(r.dual, 4, 1e-15);             /* of the limit and of the equality */
    CHECK_NEAR(r.complementarity, 10, 1e-15); /* 2 (2 + 3) */
    CHECK_NEAR(r.dissipation, 22.5, 1e-14);   /* 2 |4.5| + 3 4.5 */
}

/* Where nothing slides the default needs no iterations: what would pull has let go, and friction is high. All laws
 * hold, as the test finds by itself. */
TEST(what_stands_is_solved_at_once)
{
    uint64_t seed = check_seed;
    static double G[MOST * MOST], g[MOST], lambda[MOST], u[MOST], mu[MOST];
    int solved = 0;
    const int rounds = check_rounds(60);
    for (int round = 0; round < rounds; round++) {
        const int count = 1 + (int)(check_uniform(&seed) * 8), n = 3 * count;
        pinion_contact_solution s;
        random_problem(&seed, n, n + 3, G, g);
        for (int i = 0; i < count; i++) {
            mu[i] = 3;
            g[3 * i] = check_between(&seed, -1, 0.3); /* most press */
            g[3 * i + 1] *= 0.1;
            g[3 * i + 2] *= 0.1;
        }
        const pinion_contact_problem p = contacts(count, mu, G, g);
        CHECK_STATUS(solve(&p, -1, 1e-10, lambda, u, &s), PINION_OK);
        const law_errors e = law_check(count, G, g, mu, lambda);
        CHECK(e.cone < 1e-9 && e.dual < 1e-9 && e.complementarity < 1e-9 && e.dissipation < 1e-9);
        solved += s.iterations == 0;
    }
    CHECK(6 * solved > rounds || rounds < 40); /* a third of them, by the luck of the seed; in others some slide */
}

TEST(compliance_and_warm_starts)
{
    const double mu = 0.5, G[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, g[3] = {-3, 0.3, 0}, R[3] = {1, 1, 1};
    pinion_contact_problem p = contacts(1, &mu, G, g);
    p.R = R;
    for (int solver = 0; solver < pinion_contact_solver_count(); solver++) {
        double lambda[3], u[3];
        pinion_contact_solution s;
        pinion_contact_options o = pinion_contact_options_default();
        CHECK_STATUS(solve(&p, solver, 1e-12, lambda, u, &s), PINION_OK);
        CHECK_NEAR(lambda[0], 1, 1e-10);
        CHECK_NEAR(lambda[1], -0.1, 1e-10);
        CHECK_NEAR(u[0], 0, 1e-10);
        o.solver = solver;
        o.warm = 1;
        CHECK_STATUS(pinion_contact_solve(work, &p, &o, lambda, u, &s), PINION_OK);
        CHECK(s.iterations == 0);
        lambda[0] = NAN; /* a guess that is none */
        CHECK_STATUS(pinion_contact_solve(work, &p, &o, lambda, u, &s), PINION_OK);
        CHECK_NEAR(lambda[0], 1, 1e-9);
    }
}

TEST(what_cannot_be_is_said)
{
    /* a contact that nothing can move, pressed together; two equalities that contradict each other */
    static const unsigned char law[2] = {PINION_CONTACT_EQUALITY, PINION_CONTACT_EQUALITY};
    const double mu[2] = {0.5, 0.5}, none[9] = {0}, g[3] = {-1, 0, 0}, G[4] = {1, 1, 1, 1}, against[2] = {1, -1};
    const pinion_contact_problem stuck = contacts(1, mu, none, g), torn = {2, 2, law, mu, G, against, NULL};
    for (int solver = 0; solver < pinion_contact_solver_count(); solver++) {
        double lambda[3];
        pinion_contact_solution s;
        CHECK_STATUS(solve(&stuck, solver, 1e-10, lambda, NULL, &s), PINION_ERR_CONVERGENCE);
        CHECK(isfinite(lambda[0]) && s.residuals.dual == 1);
        CHECK_HAS(pinion_contact_work_message(work), "block 0: the tolerance was not met");
        CHECK_STATUS(solve(&torn, solver, 1e-10, lambda, NULL, &s), PINION_ERR_CONVERGENCE);
        CHECK(isfinite(lambda[0]) && isfinite(lambda[1]) && s.residuals.natural > 0.9);
    }
}

TEST(what_is_wrong_is_refused)
{
    double mu = 0.5, G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, g[3] = {-1, 0, 0}, R[3] = {0, 0, 0}, lambda[3];
    unsigned char law = PINION_CONTACT_COULOMB;
    pinion_contact_problem p = contacts(1, &mu, G, g);
    pinion_contact_options o = pinion_contact_options_default();
    p.law = &law;
    p.R = R;
#define REFUSED(change, back, words)                                                                         \
    do {                                                                                                     \
        change;                                                                                              \
        CHECK_STATUS(pinion_contact_solve(work, &p, &o, lambda, NULL, NULL), PINION_ERR_ARGUMENT);           \
        CHECK_HAS(pinion_contact_work_message(work), words);                                                 \
        back;                                                                                                \
    } while (0)
    REFUSED(mu = -1, mu = 0.5, "block 0: mu must be 0 or more");
    REFUSED(mu = NAN, mu = 0.5, "block 0: mu must be 0 or more");
    REFUSED(mu = 1e7, mu = 0.5, "block 0: mu must be 1e6 or less");
    REFUSED(p.mu = NULL, p.mu = &mu, "mu must be");
    REFUSED(g[2] = INFINITY, g[2] = 0, "g is not finite");
    REFUSED(G[5] = NAN, G[5] = 0, "G is not finite");
    REFUSED(G[4] = -1, G[4] = 1, "negative number on its diagonal");
    REFUSED(R[1] = -1, R[1] = 0, "R must be");
    REFUSED(law = 9, law = 0, "the law is none");
    REFUSED(law = PINION_CONTACT_LIMIT, law = 0, "more rows than the blocks have");
    REFUSED(p.rows = 2, p.rows = 3, "more blocks than rows");
    REFUSED(p.rows = -1, p.rows = 3, "0 to 32768");
    REFUSED(p.G = NULL, p.G = G, "G or g is NULL");
    REFUSED(o.cookie = 0, o = pinion_contact_options_default(), "pinion_contact_options_default");
    REFUSED(o.solver = 99, o.solver = -1, "no solver of that number");
    REFUSED(o.tolerance = 0, o.tolerance = 1e-10, "the tolerance between 0 and 1");
#undef REFUSED
    CHECK_STATUS(pinion_contact_solve(work, &p, NULL, NULL, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_contact_solve(NULL, &p, NULL, lambda, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_contact_check(NULL, lambda, NULL, NULL), PINION_ERR_ARGUMENT);

    pinion_contact_work *small = pinion_contact_work_new(2);
    CHECK_STATUS(pinion_contact_solve(small, &p, NULL, lambda, NULL, NULL), PINION_ERR_MEMORY);
    CHECK_HAS(pinion_contact_work_message(small), "fewer rows");
    pinion_contact_work_free(small);
    pinion_contact_work_free(NULL);
    CHECK(pinion_contact_work_new(-1) == NULL && pinion_contact_work_size(1 << 20) == 0);
    CHECK(pinion_contact_work_init(3, NULL, 0) == NULL);

    pinion_contact_solver_info info;
    CHECK_STATUS(pinion_contact_solver(-1, &info), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_contact_solver(pinion_contact_solver_count(), &info), PINION_ERR_ARGUMENT);
    CHECK(pinion_contact_solver_find("none") == -1 && pinion_contact_solver_find(NULL) == -1);
    for (int i = 0; i < pinion_contact_solver_count(); i++) {
        CHECK_STATUS(pinion_contact_solver(i, &info), PINION_OK);
        CHECK(pinion_contact_solver_find(info.name) == i);
    }
}

TEST(no_contact_is_solved)
{
    const pinion_contact_problem p = {0, 0, NULL, NULL, NULL, NULL, NULL};
    pinion_contact_solution s;
    CHECK_STATUS(pinion_contact_solve(work, &p, NULL, NULL, NULL, &s), PINION_OK);
    CHECK(s.residuals.worst == -1 && s.iterations == 0);
}

/* two contacts at the same point that touch: no force is the least of all that leave them at rest */
TEST(what_only_touches_has_no_force)
{
    static const double mu[2] = {0.5, 0.5};
    double G[36] = {0}, g[6] = {0}, lambda[6];
    pinion_contact_solution s;
    for (int k = 0; k < 6; k++) G[7 * k] = G[6 * k + (k + 3) % 6] = 1;
    const pinion_contact_problem p = contacts(2, mu, G, g);
    for (int solver = -1; solver < pinion_contact_solver_count(); solver++) {
        CHECK_STATUS(solve(&p, solver, 1e-10, lambda, NULL, &s), PINION_OK);
        for (int k = 0; k < 6; k++) CHECK(lambda[k] == 0);
        CHECK(s.undetermined == 3 && s.least_norm);
    }
}

TEST(solving_does_not_allocate)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    static const double mu[4] = {0.5, 0.5, 0.5, 0.5};
    double G[144], g[12], lambda[12], u[12];
    pinion_contact_solution s;
    table(0.3, 0.1, 0.5, G, g);
    const pinion_contact_problem p = contacts(4, mu, G, g);
    const long before = alloc_calls;
    for (int solver = 0; solver < pinion_contact_solver_count(); solver++)
        CHECK_STATUS(solve(&p, solver, 1e-10, lambda, u, &s), PINION_OK);
    CHECK(alloc_calls == before);

    /* in memory of any alignment, with the bits of one of ours */
    double other[12];
    static char bytes[1 << 20];
    const size_t size = pinion_contact_work_size(12);
    CHECK(size < sizeof bytes - 1);
    pinion_contact_work *own = pinion_contact_work_init(12, bytes + 1, size);
    pinion_contact_work *ours = pinion_contact_work_new(12);
    CHECK(own != NULL && ours != NULL);
    CHECK_STATUS(pinion_contact_solve(own, &p, NULL, other, NULL, NULL), PINION_OK);
    CHECK_STATUS(pinion_contact_solve(ours, &p, NULL, lambda, NULL, NULL), PINION_OK);
    CHECK(memcmp(other, lambda, sizeof other) == 0);
    pinion_contact_work_free(ours);
    alloc_until = 0;
    CHECK(pinion_contact_work_new(12) == NULL);
    alloc_until = -1;
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    memory = malloc(pinion_contact_work_size(MOST));
    if (!memory) return 1;
    forget();
    RUN(a_point_on_a_plane);
    RUN(a_rod_that_slides);
    RUN(a_table_on_four_legs);
    RUN(a_table_that_slides);
    RUN(one_block_is_solved_exactly);
    RUN(a_contact_that_hardly_slides);
    RUN(solvers_agree);
    RUN(laws_of_other_rows);
    RUN(what_stands_is_solved_at_once);
    RUN(compliance_and_warm_starts);
    RUN(what_cannot_be_is_said);
    RUN(what_is_wrong_is_refused);
    RUN(no_contact_is_solved);
    RUN(what_only_touches_has_no_force);
    RUN(solving_does_not_allocate);
    free(memory);
    return CHECK_END();
}
