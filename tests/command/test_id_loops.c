/* pinion id with closed loops: torques, power and reactions along motions of the four-bar, held against
 * Newton's and Euler's laws, link by link. */
#include "command.h"
#include "loops.h"

static const char *const files[] = {"kinds.json", "free.csv", "driven.csv", "kinds.csv", "flat.json", NULL};

static const char *const joint[] = {"crank", "coupler", "rocker"};

/* The three numbers of a group of columns in a row: q, v, a, tau. */
static void three(const table *t, int row, const char *group, double x[3])
{
    char name[80];
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s.%s", group, joint[i]);
        x[i] = cell(t, row, name);
    }
}

/* The wrench in a joint in a row. */
static void wrench(const table *t, int row, const char *of, double x[6])
{
    static const char *const part[] = {"nx", "ny", "nz", "fx", "fy", "fz"};
    char name[80];
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "reaction.%s.%s", of, part[i]);
        x[i] = cell(t, row, name);
    }
}

/* Simulates into a file in the test's folder. */
static const char *simulate(const char *model, const char *name, const char *duration, const char *torque)
{
    const char *path = place(name);
    answer a = run(NULL, "sim", model, "--duration", duration, "--quiet", "-o", path,
                   torque ? "--torque" : NULL, torque, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    return path;
}

/* A motion that needs no motor, and one that had one. */
TEST(back_from_a_run)
{
    static const char *const torque[] = {NULL, "crank=0.7"};
    const char *model = bundled("four-bar.json");
    double worst = 0, tau[3];
    for (int k = 0; k < 2; k++) {
        const char *motion = simulate(model, k ? "driven.csv" : "free.csv", "1", torque[k]);
        answer a = run(NULL, "id", model, "--trajectory", motion, (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        CHECK(a.err && !*a.err);
        table t = read_table(a.out);
        CHECK(t.rows == 101 && t.columns == 4);
        for (int i = 0; i < t.rows; i++) {
            three(&t, i, "tau", tau);
            CHECK_NEAR(tau[0], k ? 0.7 : 0, 1e-10);
            CHECK(tau[1] == 0 && tau[2] == 0);
            worst = fmax(worst, fabs(tau[0] - (k ? 0.7 : 0)));
        }
        free(t.x);
        forget(&a);
    }
    printf("  torques are off by %.1e N m at most\n", worst);
}

/* Of two motors the pair of least norm: it does the same work, tau_crank + k tau_rocker = 0.7 with k the
 * rocker's speed for one of the crank. Columns of the motion are those of the file. */
TEST(two_motors)
{
    const char *model = bundled("four-bar.json"), *motion = simulate(model, "driven.csv", "1", "crank=0.7");
    answer a = run(NULL, "id", model, "--trajectory", motion, "--actuated", "crank,rocker", "--motion",
                   "--power", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.err && !*a.err);
    table t = read_table(a.out);
    int compared = 0;
    for (int i = 0; i < t.rows; i++) {
        double v[3], tau[3];
        three(&t, i, "v", v);
        three(&t, i, "tau", tau);
        CHECK(tau[1] == 0);
        CHECK_NEAR(cell(&t, i, "power"), 0.7 * v[0], 1e-9);
        CHECK_NEAR(cell(&t, i, "power.rocker"), tau[2] * v[2], 1e-12);
        if (fabs(v[0]) < 1) continue;
        const double k = v[2] / v[0];
        CHECK_NEAR(tau[0], 0.7 / (1 + k * k), 1e-9);
        CHECK_NEAR(tau[2], 0.7 * k / (1 + k * k), 1e-9);
        compared++;
    }
    CHECK(compared > 50);
    free(t.x);
    forget(&a);

    /* of three: along the motion, the only way that is left */
    a = run(NULL, "id", model, "--trajectory", motion, "--actuated", "crank,coupler,rocker", "--motion",
            (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    t = read_table(a.out);
    for (int i = 0; i < t.rows; i++) {
        double v[3], tau[3];
        three(&t, i, "v", v);
        three(&t, i, "tau", tau);
        CHECK_NEAR(tau[0] * v[0] + tau[1] * v[1] + tau[2] * v[2], 0.7 * v[0], 1e-9);
        CHECK_NEAR(tau[1] * v[0] - tau[0] * v[1], 0, 1e-9);
        CHECK_NEAR(tau[2] * v[0] - tau[0] * v[2], 0, 1e-9);
    }
    CHECK(t.rows == 101);
    free(t.x);
    forget(&a);
}

/* A motion for the crank alone: the others follow, closed and without jumps, whole turns long. */
TEST(the_crank_leads)
{
    static const char *const from[] = {"crank=0.5", "crank=-3",
                                       "crank=1.5707963267948966,coupler=-1.16,rocker=1.67"};
    static const char *const to[] = {"crank=2.5", "crank=4", "crank=8,coupler=-1.16,rocker=1.67"};
    const char *model = bundled("four-bar.json");
    for (int k = 0; k < 3; k++) {
        answer a = run(NULL, "id", model, "--from", from[k], "--to", to[k], "--motion", "--power",
                       "--output-step", "0.0025", (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        CHECK_HAS(a.err, "note: the motion does not keep the loops; joints");
        CHECK(lines_of(a.err) == 1);
        table t = read_table(a.out);
        CHECK(t.rows == 401);
        double q[3], v[3], acc[3], tau[3], before[3] = {0}, energy = 0;
        const double way = k == 0 ? 2 : k == 1 ? 7 : 8 - 1.5707963267948966;
        for (int i = 0; i < t.rows; i++) {
            three(&t, i, "q", q);
            three(&t, i, "v", v);
            three(&t, i, "a", acc);
            three(&t, i, "tau", tau);
            const four_bar_forces f = four_bar(q, v, acc);
            const double s = 2 * M_PI * 0.0025 * i;
            CHECK_NEAR(f.gap, 0, 1e-9);
            CHECK_NEAR(tau[0], f.torque, 1e-9 * (1 + fabs(f.torque)));
            CHECK(tau[1] == 0 && tau[2] == 0);
            CHECK_NEAR(cell(&t, i, "power"), tau[0] * v[0], 1e-12 * (1 + fabs(tau[0] * v[0])));

            /* cycloidal, as it was asked for */
            CHECK_NEAR(v[0], way * (1 - cos(s)), 1e-9);
            CHECK_NEAR(acc[0], 2 * M_PI * way * sin(s), 1e-8);

            /* no jumps from one way of putting it together to the other */
            for (int j = 0; j < 3 && i > 0; j++) CHECK_NEAR(q[j] - before[j], 0.0025 * v[j], 0.005);
            memcpy(before, q, sizeof q);

            /* power is what the energy gains, by Simpson's rule over two intervals */
            if (i % 2 == 0 && i > 0) {
                const double did =
                    0.0025 / 3 *
                    (cell(&t, i - 2, "power") + 4 * cell(&t, i - 1, "power") + cell(&t, i, "power"));
                CHECK_NEAR(f.energy - energy, did, 2e-5);
            }
            if (i % 2 == 0) energy = f.energy;
        }
        free(t.x);
        forget(&a);
    }
}

/* A row of that motion, as pinion eval sees it. */
TEST(eval_agrees)
{
    const char *model = bundled("four-bar.json");
    answer a =
        run(NULL, "id", model, "--from", "crank=0.5", "--to", "crank=2.5", "--motion", (const char *)NULL);
    table t = read_table(a.out);
    double q[3], v[3], acc[3], tau[3], x[5];
    char text[800];
    three(&t, 37, "q", q);
    three(&t, 37, "v", v);
    three(&t, 37, "a", acc);
    three(&t, 37, "tau", tau);
    snprintf(text, sizeof text,
             "{\"states\": [{\"q\": [%.17g, %.17g, %.17g], \"v\": [%.17g, %.17g, %.17g], "
             "\"a\": [%.17g, %.17g, %.17g], \"tau\": [%.17g, 0, 0]}]}",
             q[0], q[1], q[2], v[0], v[1], v[2], acc[0], acc[1], acc[2], tau[0]);
    free(t.x);
    forget(&a);
    a = run(text, "eval", model, "--states", "-", "--what",
            "constraints,loop_inverse_dynamics,forward_dynamics", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *s = DIG(r, "states", "0");
    CHECK(numbers_of(DIG(s, "constraints", "phi"), x, 5) == 5);
    for (int i = 0; i < 5; i++) CHECK_NEAR(x[i], 0, 1e-12);
    CHECK(numbers_of(DIG(s, "constraints", "rate"), x, 5) == 5);
    for (int i = 0; i < 5; i++) CHECK_NEAR(x[i], 0, 1e-12);
    check_numbers(DIG(s, "forward_dynamics"), acc, 3, 1e-10, __LINE__);
    CHECK_NUMBERS(DIG(s, "loop_inverse_dynamics", "tau"), 1e-12, tau[0], 0, 0);
    json_decref(r);
}

/* Every joint's wrench on its child, in the child's axes at its origin, and so that of the pin. */
TEST(reactions)
{
    const char *model = bundled("four-bar.json");
    answer a = run(NULL, "id", model, "--from", "crank=0.5", "--to", "crank=2.5", "--motion", "--reactions",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    double worst = 0;
    for (int i = 0; i < t.rows; i++) {
        double q[3], v[3], acc[3], x[6];
        three(&t, i, "q", q);
        three(&t, i, "v", v);
        three(&t, i, "a", acc);
        const four_bar_forces f = four_bar(q, v, acc);
        const double *const force[] = {f.crank, f.coupler, f.rocker, f.pin};
        static const char *const of[] = {"crank", "coupler", "rocker", "pin"};
        for (int k = 0; k < 4; k++) {
            const double moment = k == 0 ? f.torque : k == 3 ? 0.4 * f.pin[1] : 0;
            const double expected[6] = {0, 0, moment, force[k][0], force[k][1], 0};
            wrench(&t, i, of[k], x);
            const double off = check_error(x, expected, 6, 1);
            if (!(off < 1e-10)) CHECK_FAIL("row %d: %s is off by %g", i, of[k], off);
            worst = fmax(worst, off);
        }
    }
    CHECK(t.rows == 101);
    printf("  wrenches are off by %.1e of the largest part at most\n", worst);
    free(t.x);
    forget(&a);
}

/* All kinds of loops, which a drive moves: no motor has work left. With --passive on the spring is one of the
 * forces on the slide, and the slide's joint takes what it pushes aside. */
TEST(springs_drives_and_rolling)
{
    const char *model = write_kinds("kinds.json", "2"), *motion = simulate(model, "kinds.csv", "1", NULL);
    answer a =
        run(NULL, "id", model, "--trajectory", motion, "--passive", "on", "--reactions", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    char *text = read_file(motion);
    table given = read_table(text);
    CHECK(t.rows == 101 && given.rows == 101);
    for (int i = 0; i < t.rows; i++) {
        double tau = 0, roll[6], lift[6], strut[6], f[3], expected[3];
        for (int k = 0; k < t.columns; k++)
            if (strncmp(t.name[k], "tau.", 4) == 0) tau = fmax(tau, fabs(cell(&t, i, t.name[k])));
        CHECK_NEAR(tau, 0, 1e-9);

        /* the ball rolls on as it is: the floor carries its weight, in the ball's own axes */
        wrench(&t, i, "roll", roll);
        CHECK_NEAR(hypot(hypot(roll[3], roll[4]), roll[5]), 3 * 9.81, 1e-9);

        wrench(&t, i, "lift", lift);
        wrench(&t, i, "strut", strut);
        const double at = cell(&given, i, "q.lift"), speed = cell(&given, i, "v.lift");
        strut_force(at, speed, f);
        for (int k = 0; k < 3; k++) {
            expected[k] = (k == 2 ? 0.5 * (cell(&given, i, "a.lift") + 9.81) : 0) - f[k];
            CHECK_NEAR(strut[3 + k], f[k], 1e-9);
            CHECK_NEAR(lift[3 + k], expected[k], 1e-9);
        }
    }
    free(given.x);
    free(text);
    free(t.x);
    forget(&a);
}

TEST(refusals)
{
    /* a loop beside links that bend */
    char *text = read_file(bundled("bending-arm.json")), *end = text ? strrchr(text, '}') : NULL;
    char *both = end ? malloc(strlen(text) + 200) : NULL;
    if (both) {
        snprintf(both, strlen(text) + 200, "%.*s, \"loops\": [{\"name\": \"rod\", \"type\": \"distance\", \"parent\": "
                 "\"upper\", \"child\": \"lower\", \"length\": 1}]}", (int)(end - text), text);
        REFUSED(1, "closed loops and elastic links", both, "id", "-", "--from", "shoulder=0", "--to", "shoulder=0.1",
                "--duration", "1");
    }
    CHECK(both != NULL);
    free(both);
    free(text);

    const char *model = bundled("four-bar.json");
    REFUSED(1,
            "--actuated: no joint of the tree that moves by itself is named 'crnk' (did you mean 'crank'?)",
            NULL, "id", model, "--from", "crank=0", "--to", "crank=1", "--actuated", "crnk");
    REFUSED(1, "is named 'pin'", NULL, "id", model, "--from", "crank=0", "--to", "crank=1", "--actuated",
            "crank,pin");
    REFUSED(2, "--actuated: the value is empty", NULL, "id", model, "--from", "crank=0", "--to", "crank=1",
            "--actuated", "");
    REFUSED(2, "--actuated is of models with closed loops; this one has none", NULL, "id",
            bundled("planar-3r.json"), "--from", "0,0,0", "--to", "1,1,1", "--actuated", "crank");
    REFUSED(2, "--algorithm is of models without closed loops", NULL, "id", model, "--from", "crank=0",
            "--to", "crank=1", "--algorithm", "rnea");

    /* two that lead and do not fit together */
    answer a = run(NULL, "id", model, "--from", "crank=0.5,rocker=0", "--to", "crank=2.5,rocker=1",
                   "--actuated", "crank,rocker", (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "loop 'pin' cannot be closed");
    CHECK(a.out && !*a.out);
    forget(&a);
}

/* As JSON: the loop's wrench is a column, and the settings say who leads. */
TEST(json)
{
    answer a = run(NULL, "id", bundled("four-bar.json"), "--from", "crank=1.5707963267948966", "--to",
                   "crank=2.5", "--actuated", "crank", "--json", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "\"reaction.pin.fx\"");
    CHECK_HAS(a.out, "\"actuated\": \"crank\"");
    forget(&a);
}

/* Forces near a singular position hang on the last digits, and at it they are one answer of several: told with the time
 * of what is nearest. */
TEST(singular_positions_are_told)
{
    static const char *const to[] = {"0.1,0.1", "-0.301,-0.301", "-0.3,-0.3"};
    static const char *const says[] = {NULL, "warning: at t = 0.5 s loop 'rod': a constraint is independent",
                                       "warning: at t = 0.5 s loop 'rod' is at a singular position"};
    const char *model = write_file("flat.json", FLAT_ROD);
    for (int i = 0; i < 3; i++) {
        answer a = run(NULL, "id", model, "--from", "0.3,0.3", "--to", to[i], (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        CHECK(lines_of(a.err) == (i > 0));
        if (says[i]) CHECK_HAS(a.err, says[i]);
        forget(&a);
    }
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(back_from_a_run);
    RUN(two_motors);
    RUN(the_crank_leads);
    RUN(eval_agrees);
    RUN(reactions);
    RUN(springs_drives_and_rolling);
    RUN(refusals);
    RUN(json);
    RUN(singular_positions_are_told);
    return command_end(files);
}
