/* Assembling and the projection of velocities: loops close to rounding, at the nearest place, the right way
 * round, with coordinates held; and what cannot be closed is said, with the loop and how far it stays open.
 */
#include "assembled.h"
#include "four_bar.h"
#include "restarts.h"

static double worst_open, worst_along;

/* the largest entry of the part of y [n] outside the range of L': y - L' (L L')^+ L y */
static double outside_range(const double *L, int rows, int n, const double *y)
{
    long double *g = calloc((size_t)rows + 1, sizeof *g), *x = calloc((size_t)n + 1, sizeof *x);
    double worst = 0;
    if (!g || !x) abort();
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++) g[i] += (long double)L[i * n + j] * y[j];
    shortest(L, rows, n, g, x);
    for (int j = 0; j < n; j++) worst = fmax(worst, fabs((double)(y[j] - x[j])));
    free(g);
    free(x);
    return worst;
}

/* How far it is, in the units of assembling, to where the loops close at a time: a step of Newton's. `inverse`: the
 * norm of L^+, by which errors of rows become ways; may be NULL. */
static double way_to_close(const mechanism *x, double t, const double *q, double *inverse)
{
    const int n = x->n, rows = x->rows;
    double *phi = numbers(rows), *L = numbers(rows * n), *unit = numbers(n), square = 0;
    long double *g = calloc((size_t)rows + 1, sizeof *g);
    const pinion_constraints parts = {.phi = phi, .L = L};
    if (!g) abort();
    CHECK_STATUS(pinion_constraint_sizes(x->m, x->w, q, NULL, unit), PINION_OK);
    CHECK_STATUS(pinion_constraints_at(x->m, x->w, t, q, NULL, &parts), PINION_OK);
    for (int i = 0; i < rows * n; i++) L[i] *= unit[i % n];
    for (int i = 0; inverse && i < rows; i++) {
        g[i] = 1;
        square += pow(shortest(L, rows, n, g, NULL), 2);
        g[i] = 0;
    }
    if (inverse) *inverse = sqrt(square);
    for (int i = 0; i < rows; i++) g[i] = phi[i];
    const double way = shortest(L, rows, n, g, NULL);
    free(phi);
    free(L);
    free(unit);
    free(g);
    return way;
}

/* Assembling once more changes nothing. Where it can close further what rounding has left, it goes the way of that, and
 * then it stays. */
static void check_stays(const mechanism *x, double *q)
{
    const size_t bytes = sizeof *q * (size_t)pinion_model_nq(x->m);
    double *before = numbers(pinion_model_nq(x->m));
    int stays = 0;
    for (int again = 0; again < 2 && !stays; again++) {
        pinion_assembly report;
        const double way = way_to_close(x, 0, q, NULL);
        memcpy(before, q, bytes);
        CHECK_STATUS(pinion_assemble(x->m, x->w, 0, NULL, q, &report), PINION_OK);
        CHECK(report.moved <= 1.5 * way + 1e-15); /* 1.02 times in 31 seeds; and q is rounded */
        stays = !memcmp(before, q, bytes) && report.moved == 0;
    }
    CHECK(stays);
    free(before);
}

/* from a closed configuration and back, the loops closed, no farther than where it came from, and nearest */
static void back_again(int k, uint64_t *seed)
{
    const wanted want = {k % 3 == 2,
                         {k % PINION_JOINT_TYPE_COUNT, k % 2 ? (int)PINION_JOINT_SPHERICAL : -1, -1},
                         {1 + k % 4, -1},
                         k % 5 == 4,
                         0};
    mechanism x = mechanism_new(&want, seed);
    if (!x.w) return;
    const int n = x.n, nq = pinion_model_nq(x.m);
    double *way = numbers(n), *guess = numbers(nq), *q = numbers(nq), *phi = numbers(x.rows),
           *L = numbers(x.rows * n), *unit = numbers(n);
    double far = 0, open = 0;
    const double size = k % 2 ? 1e-3 : 0.1;
    pinion_assembly report;
    for (int i = 0; i < n; i++) way[i] = size * check_between(seed, -1, 1);
    CHECK_STATUS(pinion_integrate(x.m, x.q, way, 1, guess), PINION_OK);
    CHECK_STATUS(pinion_constraint_sizes(x.m, x.w, guess, NULL, unit), PINION_OK);
    for (int i = 0; i < n; i++) far += way[i] / unit[i] * (way[i] / unit[i]);
    memcpy(q, guess, sizeof *q * (size_t)nq);
    const pinion_status status = pinion_assemble(x.m, x.w, 0, NULL, q, &report);
    check_count++;
    if (status != PINION_OK) CHECK_FAIL("mechanism %d: %s", k, pinion_work_message(x.w));
    const pinion_constraints parts = {.phi = phi, .L = L};
    CHECK_STATUS(pinion_constraints_at(x.m, x.w, 0, q, NULL, &parts), PINION_OK);
    for (int i = 0; i < x.rows; i++) open = fmax(open, fabs(phi[i]));
    CHECK(open < 1e-11);
    CHECK_NEAR(report.open, open, 1e-15);
    CHECK(report.worst >= 0 && report.iterations > 0);
    check_count++;
    /* far from closed there may be another place that is nearest around itself */
    if (!(report.moved <= sqrt(far) * (size < 0.01 ? 1 + 1e-6 : 2)))
        CHECK_FAIL("mechanism %d: moved by %g, but %g was enough", k, report.moved, sqrt(far));
    worst_open = fmax(worst_open, open);

    /* nearest: the way back is normal to all motions that the loops allow (rolling: only its height
     * counts), but for the free joint, whose way is a screw: its length has a derivative that differs in
     * second order */
    if (want.kinds[0] != PINION_LOOP_ROLLING) {
        CHECK_STATUS(pinion_difference(x.m, q, guess, way), PINION_OK);
        for (int i = 0; i < n; i++) way[i] /= unit[i];
        for (int i = 0; i < x.rows * n; i++) L[i] *= unit[i % n];
        const double along = outside_range(L, x.rows, n, way);
        worst_along = fmax(worst_along, along);
        check_count++;
        if (!(along < 0.1 * far + 1e-9))
            CHECK_FAIL("mechanism %d: not the nearest, by %g of %g", k, along, sqrt(far));
    }
    check_stays(&x, q);
    free(way);
    free(guess);
    free(q);
    free(phi);
    free(L);
    free(unit);
    mechanism_free(&x);
}

TEST(small_errors)
{
    uint64_t seed = check_seed;
    for (int k = 0; k < 80; k++) back_again(k, &seed);
    printf("       open %.2g, way back along the loops %.2g\n", worst_open, worst_along);
}

/* A mechanism that is hardly held in one direction, by 1e-4 of the others, along 1 rad: where it came from, 0.15 away,
 * was missed for a place at the other end of that. */
TEST(hardly_held)
{
    uint64_t seed = 91035;
    back_again(0, &seed);
}

/* a four-bar from anywhere, its crank held */
TEST(rough_guesses)
{
    pinion_model *m = four_bar(2.5, 1);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    uint64_t seed = check_seed + 1;
    const unsigned char crank[3] = {1, 0, 0};
    int failed = 0;
    for (int k = 0; w && k < check_rounds(500); k++) {
        double q[3], phi[5];
        for (int i = 0; i < 3; i++) q[i] = check_between(&seed, -3.14, 3.14);
        const double held = q[0];
        const pinion_constraints parts = {.phi = phi};
        const pinion_status status = pinion_assemble(m, w, 0, k % 2 ? crank : NULL, q, NULL);
        failed += status != PINION_OK;
        if (k % 2) CHECK(q[0] == held);
        CHECK_STATUS(pinion_constraints_at(m, w, 0, q, NULL, &parts), PINION_OK);
        for (int i = 0; status == PINION_OK && i < 5; i++) CHECK(fabs(phi[i]) < 1e-11);
    }
    CHECK(failed == 0);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* loops that were closed the wrong way round: phi is zero there, and yet they are open */
TEST(wrong_way_round)
{
    static const pinion_joint_type types[] = {PINION_JOINT_REVOLUTE, PINION_JOINT_CYLINDRICAL, PINION_JOINT_PLANAR,
                                              PINION_JOINT_FIXED,    PINION_JOINT_PRISMATIC,   PINION_JOINT_HELICAL};
    uint64_t seed = check_seed + 2;
    for (int k = 0; k < 60; k++) {
        const pinion_joint_type type = types[k % 6];
        pinion_error err = {0};
        pinion_builder *b = pinion_builder_new("turned");
        add_random_link(b, "base", &seed);
        add_random_link(b, "body", &seed);
        pinion_joint_def j = pinion_joint_def_default();
        j.name = "free";
        j.type = PINION_JOINT_FREE;
        j.parent = "base";
        j.child = "body";
        CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
        j = pinion_joint_def_default();
        j.name = "close";
        j.type = type;
        j.parent = "base";
        j.child = "body";
        j.pitch = type == PINION_JOINT_HELICAL ? 0.2 : 0;
        CHECK_STATUS(pinion_builder_add_loop(b, &j, NULL), PINION_OK);
        pinion_model *m = pinion_builder_build(b, NULL, &err);
        pinion_work *w = m ? pinion_work_new(m) : NULL;
        if (!w) CHECK_FAIL("%s", err.message);
        if (w) {
            /* half a turn about an axis; about x or a random one, for the helix about z, which is as far from
             * its place */
            double q[7] = {0, 0, 0, 0, 0, 0, 0}, axis[3] = {1, 0, 0}, p[3], R[9], phi[6];
            if (k >= 12) random_axis(&seed, axis);
            if (type == PINION_JOINT_HELICAL) axis[0] = axis[1] = 0, axis[2] = 1;
            if (k >= 24) q[0] = check_between(&seed, -0.3, 0.3);
            for (int i = 0; i < 3; i++)
                q[1 + i] = sqrt(1 - q[0] * q[0]) * axis[i] /
                           sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
            const pinion_constraints parts = {.phi = phi};
            const pinion_status status = pinion_assemble(m, w, 0, NULL, q, NULL);
            check_count++;
            if (status != PINION_OK)
                CHECK_FAIL("%s, turn %d: %s", pinion_joint_type_name(type), k, pinion_work_message(w));
            CHECK_STATUS(pinion_frame_pose(m, w, q, pinion_model_find_frame(m, "body"), p, R), PINION_OK);
            CHECK_STATUS(pinion_constraints_at(m, w, 0, q, NULL, &parts), PINION_OK);
            for (int i = 0; i < pinion_model_row_count(m); i++) CHECK_NEAR(phi[i], 0, 1e-11);
            CHECK_NEAR(R[8], 1, 1e-11);
            if (type == PINION_JOINT_FIXED || type == PINION_JOINT_PRISMATIC) CHECK_NEAR(R[0], 1, 1e-11);
            if (type == PINION_JOINT_HELICAL) CHECK_NEAR(cos(p[2] / 0.2 - atan2(R[3], R[0])), 1, 1e-11);
        }
        pinion_work_free(w);
        pinion_model_free(m);
        pinion_builder_free(b);
    }
}

/* ---- the nearest ---- */

/* A planar four-bar as a ring of links; bit i of `turned` writes joint i from its other side, the axis too, so that
 * the coordinates stay what they are. The last one closes the loop. */
static pinion_model *ring(const double length[4], int turned)
{
    static const char *const link[] = {"ground", "crank", "coupler", "rocker"}, *const name[] = {"A", "B", "C", "D"};
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("ring");
    pinion_link_def l = pinion_link_def_default();
    l.inertia.mass = 1;
    l.inertia.inertia[0] = l.inertia.inertia[3] = l.inertia.inertia[5] = 0.1;
    for (int i = 0; i < 4; i++) {
        l.name = link[i];
        CHECK_STATUS(pinion_builder_add_link(b, &l, NULL), PINION_OK);
    }
    CHECK_STATUS(pinion_builder_set_root(b, "ground", NULL), PINION_OK);
    for (int i = 0; i < 4; i++) {
        const int other = turned >> i & 1;
        pinion_joint_def j = pinion_joint_def_default();
        double *parent_at = other ? j.child_pose.position : j.parent_pose.position;
        double *child_at = other ? j.parent_pose.position : j.child_pose.position;
        j.name = name[i];
        j.type = PINION_JOINT_CONTINUOUS;
        j.parent = link[other ? (i + 1) % 4 : i];
        j.child = link[other ? i : (i + 1) % 4];
        j.axis[0] = j.axis[1] = 0;
        j.axis[2] = other ? -1 : 1;
        parent_at[0] = i > 0 ? length[i] : 0; /* each link begins at the joint before it; the ground at both */
        child_at[0] = i == 3 ? length[0] : 0;
        CHECK_STATUS(i < 3 ? pinion_builder_add_joint(b, &j, NULL) : pinion_builder_add_loop(b, &j, NULL), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

/* lengths of a ring that closes at some angle of the crank: drawn until the rest can span the diagonal */
static void random_lengths(uint64_t *seed, double length[4], double *crank)
{
    double diagonal;
    do {
        for (int i = 0; i < 4; i++) length[i] = check_between(seed, 0.2, 1);
        *crank = check_between(seed, -3, 3);
        diagonal = hypot(length[0] - length[1] * cos(*crank), length[1] * sin(*crank));
    } while (diagonal > 0.98 * (length[2] + length[3]) || diagonal < 1.02 * fabs(length[2] - length[3]));
}

/* the same mechanism in sixteen spellings starts at the same place; with the crank held that is the nearer one of the
 * two places there are, here by the law of cosines */
TEST(either_way_round)
{
    uint64_t seed = check_seed + 5;
    const unsigned char held[3] = {1, 0, 0};
    double worst = 0;
    int farther = 0, differ = 0;
    for (int k = 0; k < check_rounds(40); k++) {
        double length[4] = {0.5, 0.2, 0.5, 0.4}, guess[3] = {M_PI / 2, 0, 0}, first[3] = {0, 0, 0}, way[3];
        if (k > 0) random_lengths(&seed, length, guess);
        for (int i = 1; k > 0 && i < 3; i++) guess[i] = check_between(&seed, -3, 3);
        for (int turned = 0; turned < 16; turned++) {
            pinion_model *m = ring(length, turned);
            pinion_work *w = m ? pinion_work_new(m) : NULL;
            if (!w) return;
            double q[3], off = 0;
            memcpy(q, guess, sizeof q);
            CHECK_STATUS(pinion_assemble(m, w, 0, k % 2 ? NULL : held, q, NULL), PINION_OK);
            if (turned == 0) memcpy(first, q, sizeof q);
            for (int i = 0; i < 3; i++) off = fmax(off, fabs(q[i] - first[i]));
            differ += off > 1e-5;
            if (off <= 1e-5) worst = fmax(worst, off);
            if (k % 2 == 0) {
                /* from the tip of the crank to the far end of the ground, and the triangle on it, on either side */
                const double x = length[0] - length[1] * cos(q[0]), y = -length[1] * sin(q[0]), d = hypot(x, y);
                const double r = length[2], s = length[3];
                const double C = acos((r * r + s * s - d * d) / (2 * r * s));
                const double B = acos((r * r + d * d - s * s) / (2 * r * d));
                double least = INFINITY;
                for (int side = -1; side <= 1; side += 2) {
                    const double b = remainder(atan2(y, x) + side * B - q[0] - guess[1], 2 * M_PI);
                    const double c = remainder(-side * (M_PI - C) - guess[2], 2 * M_PI);
                    least = fmin(least, hypot(b, c));
                }
                const double far = distance(m, w, q, guess, way);
                farther += far > least * (1 + 1e-6) + 1e-9;
                CHECK(far > least * (1 - 1e-6) - 1e-9);
            }
            pinion_work_free(w);
            pinion_model_free(m);
        }
    }
    CHECK(differ == 0);
    CHECK(farther == 0);
    printf("       %d spellings differ, the others by %.2g; %d farther than the nearest\n", differ, worst, farther);
}

/* Rough guesses for planar four-bars and for chains in space, some with a joint held, against random restarts: what
 * is found is seldom farther, by more than a hundredth, than the best of them. */
TEST(nearest)
{
    uint64_t seed = check_seed + 6;
    int farther[2] = {0, 0}, count[2] = {0, 0}, refused[2] = {0, 0}, nearer[2] = {0, 0};
    double worst[2] = {1, 1};
    const int restarts = check_rounds(50);
    for (int k = 0; k < 200; k++) {
        static const pinion_joint_type types[] = {PINION_JOINT_REVOLUTE, PINION_JOINT_SPHERICAL, PINION_JOINT_UNIVERSAL,
                                                  PINION_JOINT_CYLINDRICAL};
        const int space = k >= 100;
        mechanism x = {0};
        double lengths[4], size = 2;
        if (space) {
            x = chain(types[k % 4], &seed);
        } else {
            x.n = 3;
            x.q = numbers(3);
            random_lengths(&seed, lengths, x.q);
            x.m = ring(lengths, 0);
            x.w = x.m ? pinion_work_new(x.m) : NULL;
        }
        if (!x.w) continue;
        unsigned char *locked = calloc((size_t)x.n, 1);
        const int nq = pinion_model_nq(x.m);
        double *guess = numbers(nq), *q = numbers(nq), *way = numbers(x.n);
        if (!locked) abort();
        locked[0] = k / 4 % 2;
        for (int j = 0; j < x.n; j++) way[j] = locked[j] ? 0 : check_between(&seed, -size, size);
        CHECK_STATUS(pinion_integrate(x.m, x.q, way, 1, guess), PINION_OK);
        memcpy(q, guess, sizeof *q * (size_t)nq);
        count[space]++;
        if (pinion_assemble(x.m, x.w, 0, locked, q, NULL) != PINION_OK) {
            refused[space]++;
        } else {
            const double far = distance(x.m, x.w, q, guess, way);
            const double least = best_restart(&x, locked, guess, far, restarts, &seed);
            farther[space] += far > 1.01 * least;
            nearer[space] += least > 1.01 * far;
            worst[space] = fmax(worst[space], far / least);
        }
        free(locked);
        free(guess);
        free(q);
        free(way);
        mechanism_free(&x);
    }
    for (int i = 0; i < 2; i++)
        printf("       %s: of %d, %d farther than the best of %d restarts, %.3g times at most, %d nearer, %d refused\n",
               i ? "in space" : "four-bars", count[i], farther[i], restarts, worst[i], nearer[i], refused[i]);
    CHECK(refused[0] == 0 && refused[1] == 0);
    CHECK(farther[0] <= count[0] / 50);
    CHECK(farther[1] <= count[1] / 10);
}

/* links that are too short, in m; a drive and a gear that want different things, in degrees */
TEST(impossible)
{
    pinion_model *m = four_bar(10, 1);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    double q[3] = {0.3, 0.5, 2.5};
    pinion_assembly report;
    if (!w) return;
    CHECK_STATUS(pinion_assemble(m, w, 0, NULL, q, &report), PINION_ERR_CONVERGENCE);
    CHECK_HAS(pinion_work_message(w), "loop 'C' cannot be closed: it stays open by 5 m");
    CHECK_NEAR(report.open, 5, 1e-3);
    CHECK(report.worst == 0 && report.iterations < 1000);
    pinion_work_free(w);
    pinion_model_free(m);

    /* with the crank held where the others cannot reach */
    m = four_bar(4.5, 1);
    w = m ? pinion_work_new(m) : NULL;
    if (!w) return;
    const unsigned char crank[3] = {1, 0, 0};
    double r[3] = {3.0, 0, 3};
    CHECK_STATUS(pinion_assemble(m, w, 0, crank, r, &report), PINION_ERR_CONVERGENCE);
    CHECK(r[0] == 3.0);
    CHECK_HAS(pinion_work_message(w), "(with the joints that are to stay as they are held)");
    CHECK_STATUS(pinion_assemble(m, w, 0, NULL, r, &report), PINION_OK);

    /* lengths beyond all numbers: said with the loop's name, here and where degrees of freedom are counted */
    pinion_model *huge = four_bar(1e120, 1);
    pinion_work *room = huge ? pinion_work_new(huge) : NULL;
    pinion_mobility mobility;
    if (!room) return;
    double far[3] = {0.3, 0.5, 2.5};
    CHECK_STATUS(pinion_assemble(huge, room, 0, NULL, far, NULL), PINION_ERR_CONVERGENCE);
    CHECK_HAS(pinion_work_message(room), "loop 'C' cannot be closed: its lengths");
    CHECK_STATUS(pinion_mobility_at(huge, room, 0, far, &mobility), PINION_ERR_CONVERGENCE);
    CHECK_HAS(pinion_work_message(room), "out of all proportion");
    pinion_work_free(room);
    pinion_model_free(huge);

    /* a state that is no number, a missing one */
    r[1] = NAN;
    CHECK_STATUS(pinion_assemble(m, w, 0, NULL, r, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_assemble(m, w, 0, NULL, NULL, NULL), PINION_ERR_ARGUMENT);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Laws of time move the loops along, of mechanisms that can follow them: Newton's method closes them at every time
 * until 0.05 s, by the theorem of Kantorovich, where the way to go is short beside how fast L^+ changes. */
TEST(in_time)
{
    uint64_t seed = check_seed + 3;
    const wanted want = {0, {PINION_JOINT_SPHERICAL, -1}, {PINION_LOOP_DRIVE, PINION_LOOP_DISTANCE, -1}, 0, 1};
    int count = 0, drawn = 0;
    for (; count < 10 && drawn < 100; drawn++) {
        mechanism x = mechanism_new(&want, &seed);
        if (!x.w) return;
        double *phi = numbers(x.rows), *rate = numbers(x.rows), inverse, far = 0;
        const pinion_constraints parts = {.phi = phi, .rate = rate};
        pinion_mobility mobility;
        CHECK_STATUS(pinion_mobility_at(x.m, x.w, 0, x.q, &mobility), PINION_OK);
        for (int k = 1; k <= 5; k++) far = fmax(far, way_to_close(&x, 0.01 * k, x.q, &inverse));
        const int follows = mobility.rank == x.rows && far * inverse < 0.5;
        count += follows;
        for (int k = 1; k <= 5 && follows; k++) {
            const double t = 0.01 * k;
            CHECK_STATUS(pinion_assemble(x.m, x.w, t, NULL, x.q, NULL), PINION_OK);
            CHECK_STATUS(pinion_project_velocity(x.m, x.w, t, NULL, x.q, x.v), PINION_OK);
            CHECK_STATUS(pinion_constraints_at(x.m, x.w, t, x.q, x.v, &parts), PINION_OK);
            for (int i = 0; i < x.rows; i++) CHECK(fabs(phi[i]) < 1e-11 && fabs(rate[i]) < 1e-9);
        }
        free(phi);
        free(rate);
        mechanism_free(&x);
    }
    CHECK(count == 10);
    printf("       %d mechanisms that follow, of %d\n", count, drawn);
}

/* the velocity is the nearest by energy: M (v - v0) is a force that the loops can exert; held ones stay */
TEST(velocities)
{
    uint64_t seed = check_seed + 4;
    for (int k = 0; k < 60; k++) {
        const wanted want = {k % 3 == 2, {k % PINION_JOINT_TYPE_COUNT, -1}, {1 + k % 4, -1}, k % 2, k % 2};
        mechanism x = mechanism_new(&want, &seed);
        if (!x.w) continue;
        const int n = x.n;
        double *v0 = numbers(n), *M = numbers(n * n), *p = numbers(n), *L = numbers(x.rows * n),
               *rate = numbers(x.rows);
        double size = 1;
        const pinion_constraints parts = {.L = L, .rate = rate};
        for (int i = 0; i < n; i++) x.v[i] = v0[i] = check_between(&seed, -2, 2);
        const pinion_status status = pinion_project_velocity(x.m, x.w, 0, NULL, x.q, x.v);
        if (!x.contradicts) CHECK_STATUS(status, PINION_OK);
        CHECK_STATUS(pinion_constraints_at(x.m, x.w, 0, x.q, x.v, &parts), PINION_OK);
        CHECK_STATUS(pinion_mass_matrix(x.m, x.w, x.q, M), PINION_OK);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) p[i] += M[i * n + j] * (x.v[j] - v0[j]);
            size = fmax(size, fabs(p[i]));
        }
        for (int i = 0; !x.contradicts && i < x.rows; i++) CHECK_NEAR(rate[i], 0, 1e-9);
        const double outside = outside_range(L, x.rows, n, p);
        check_count++;
        if (!(outside < 1e-9 * size))
            CHECK_FAIL("mechanism %d: not the nearest, by %g of %g", k, outside, size);

        /* one velocity that the loops leave free, and then every one: nothing is left to move */
        unsigned char *locked = calloc((size_t)n, 1);
        int held = 0;
        while (held < n - 1) {
            double column = 0;
            for (int i = 0; i < x.rows; i++) column = fmax(column, fabs(L[i * n + held]));
            if (column > 0.1) break;
            held++;
        }
        memcpy(x.v, v0, sizeof *v0 * (size_t)n);
        locked[held] = 1;
        const pinion_status one = pinion_project_velocity(x.m, x.w, 0, locked, x.q, x.v);
        CHECK(x.v[held] == v0[held]);
        CHECK(one == PINION_OK || one == PINION_ERR_CONVERGENCE);
        if (one == PINION_OK) {
            CHECK_STATUS(pinion_constraints_at(x.m, x.w, 0, x.q, x.v, &parts), PINION_OK);
            for (int i = 0; i < x.rows; i++) CHECK_NEAR(rate[i], 0, 1e-8);
        }
        memset(locked, 1, (size_t)n);
        memcpy(x.v, v0, sizeof *v0 * (size_t)n);
        if (x.rows > 0) {
            CHECK_STATUS(pinion_project_velocity(x.m, x.w, 0, locked, x.q, x.v), PINION_ERR_CONVERGENCE);
            CHECK_HAS(pinion_work_message(x.w), "cannot move so: loop '");
            CHECK(!memcmp(x.v, v0, sizeof *v0 * (size_t)n));
        }
        free(locked);
        free(v0);
        free(M);
        free(p);
        free(L);
        free(rate);
        mechanism_free(&x);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(small_errors);
    RUN(hardly_held);
    RUN(rough_guesses);
    RUN(wrong_way_round);
    RUN(either_way_round);
    RUN(nearest);
    RUN(impossible);
    RUN(in_time);
    RUN(velocities);
    return CHECK_END();
}
