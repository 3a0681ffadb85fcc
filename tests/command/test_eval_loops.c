/* pinion eval with closed loops: held against arithmetic of the test's own and against quantities of the tree
 * in the same answer. */
#include "command.h"
#include "loops.h"

static const char *const files[] = {"kinds.json", "sprung.json", "flat.json", "tendons.json", "tendons.csv", NULL};

enum { ROOM = 40 }; /* the most rows, and velocities, of a mechanism here */

static json_t *eval(const char *states, const char *model, const char *what, const char *option,
                    const char *value)
{
    answer a = run(states, "eval", model, "--states", "-", "--what", what, option, value, (const char *)NULL);
    /* where loops are open that is said, and nothing else */
    for (char *line = a.err, *end; line && (end = strchr(line, '\n')) && strstr(line, " open by ");) {
        *end = '\0';
        CHECK(strstr(line, " open by ") && strstr(line, "warning: state 0: loop '"));
        memmove(a.err, end + 1, strlen(end + 1) + 1);
    }
    return parse_answer(&a, 0);
}

/* phi, its derivatives and their sizes of the pin of the four-bar, where it is open: with D between the ends
 * in the world and the coupler turning at w, d = R' D, d' = R' (D' - w x D), d'' = R' (D'' - 2 w x D' - w w
 * D). */
TEST(constraints_of_a_four_bar)
{
    uint64_t seed = check_seed;
    for (int turn = 0; turn < 5; turn++) {
        char text[600];
        double q[3], v[3], phi[5] = {0}, rate[5] = {0}, c[5] = {0}, L[15] = {0};
        for (int i = 0; i < 3; i++) {
            q[i] = check_between(&seed, -3, 3);
            v[i] = check_between(&seed, -2, 2);
        }
        const double th = q[0] + q[1], angle[3] = {q[0], th, q[2]}, w = v[0] + v[1];
        const double length[3] = {-0.2, -0.5, 0.4}, speed[3] = {v[0], w, v[2]};
        double D[2] = {0.5, 0}, D1[2] = {0, 0}, D2[2] = {0, 0};
        for (int k = 0; k < 3; k++) {
            const double x = length[k] * cos(angle[k]), y = length[k] * sin(angle[k]), s = speed[k];
            D[0] += x, D[1] += y;
            D1[0] -= y * s, D1[1] += x * s;
            D2[0] -= x * s * s, D2[1] -= y * s * s;
        }
        const double r1[2] = {D1[0] + w * D[1], D1[1] - w * D[0]};
        const double r2[2] = {D2[0] + 2 * w * D1[1] - w * w * D[0], D2[1] - 2 * w * D1[0] - w * w * D[1]};
        turned(D, th, phi + 2);
        turned(r1, th, rate + 2);
        turned(r2, th, c + 2);
        c[2] = -c[2], c[3] = -c[3];

        /* L by column: the crank carries the coupler */
        const double by_crank[2] = {0.2 * sin(q[0]), -0.2 * cos(q[0])};
        const double by_coupler[2] = {0.5 * sin(th) + D[1], -0.5 * cos(th) - D[0]};
        const double by_both[2] = {by_crank[0] + by_coupler[0], by_crank[1] + by_coupler[1]};
        const double by_rocker[2] = {-0.4 * sin(q[2]), 0.4 * cos(q[2])};
        double column[3][2];
        turned(by_both, th, column[0]);
        turned(by_coupler, th, column[1]);
        turned(by_rocker, th, column[2]);
        for (int k = 0; k < 3; k++) L[6 + k] = column[k][0], L[9 + k] = column[k][1];

        snprintf(text, sizeof text,
                 "{\"states\": [{\"q\": [%.17g, %.17g, %.17g], \"v\": [%.17g, %.17g, %.17g]}]}", q[0], q[1],
                 q[2], v[0], v[1], v[2]);
        json_t *r = eval(text, bundled("four-bar.json"), "constraints,mobility", NULL, NULL);
        json_t *got = DIG(r, "states", "0", "constraints");
        CHECK_KEYS(got, "phi rate c L");
        check_numbers(DIG(got, "phi"), phi, 5, 1e-14, __LINE__);
        check_numbers(DIG(got, "rate"), rate, 5, 1e-14, __LINE__);
        check_numbers(DIG(got, "c"), c, 5, 1e-13, __LINE__);
        CHECK(json_array_size(DIG(got, "L")) == 5);
        for (int k = 0; k < 5; k++)
            check_numbers(json_array_get(DIG(got, "L"), (size_t)k), L + 3 * k, 3, 1e-14, __LINE__);
        check_mobility(DIG(r, "states", "0", "mobility"), 5, 2, -2, 1);
        json_decref(r);
    }
}

/* A state on the loops, from a run, with forces that have no pattern. */
static void closed_state(const char *model, const char *duration, double scale, char *text, size_t size)
{
    answer a = run(NULL, "sim", model, "--duration", duration, "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    size_t used = (size_t)snprintf(text, size, "{\"states\": [{\"t\": %.17g", cell(&t, -1, "t"));
    for (int k = 0; k < 3; k++) {
        const char prefix[] = {"qvt"[k], k < 2 ? '.' : 'a', '\0'};
        used += (size_t)snprintf(text + used, size - used, ", \"%s\": [",
                                 k == 0   ? "q"
                                 : k == 1 ? "v"
                                          : "tau");
        for (int i = 0, n = 0; i < t.columns && used < size; i++)
            if (strncmp(t.name[i], prefix, 2) == 0) {
                const double x = k < 2 ? cell(&t, -1, t.name[i]) : scale * sin(3 * n + 1);
                used += (size_t)snprintf(text + used, size - used, "%s%.17g", n ? ", " : "", x);
                n++;
            }
        used += (size_t)snprintf(text + used, size - used, "]");
    }
    CHECK(used + 4 < size);
    snprintf(text + used, size - used, "}]}");
    free(t.x);
    forget(&a);
}

/* The largest |M a + bias - tau - L' lambda|, of the largest force; all from one answer. */
static double imbalance(json_t *s, const double *tau, int nv, int rows)
{
    static double M[ROOM * ROOM], L[ROOM * ROOM];
    double h[ROOM], a[ROOM], lambda[ROOM], worst = 0, size = 1e-300;
    CHECK(numbers_of(DIG(s, "mass_matrix"), M, ROOM * ROOM) == nv * nv);
    CHECK(numbers_of(DIG(s, "constraints", "L"), L, ROOM * ROOM) == rows * nv);
    CHECK(numbers_of(DIG(s, "bias"), h, ROOM) == nv);
    CHECK(numbers_of(DIG(s, "forward_dynamics"), a, ROOM) == nv);
    CHECK(numbers_of(DIG(s, "constraint_forces", "lambda"), lambda, ROOM) == rows);
    for (int i = 0; i < nv; i++) {
        double left = h[i] - tau[i];
        size = fmax(size, fabs(h[i] - tau[i]));
        for (int k = 0; k < nv; k++) left += M[i * nv + k] * a[k];
        for (int k = 0; k < rows; k++) left -= L[k * nv + i] * lambda[k];
        for (int k = 0; k < rows; k++) size = fmax(size, fabs(L[k * nv + i] * lambda[k]));
        worst = fmax(worst, fabs(left));
    }
    return worst / size;
}

/* The largest |L a - c|, of the largest part of it. */
static double breach(json_t *s, int nv, int rows)
{
    static double L[ROOM * ROOM];
    double a[ROOM], c[ROOM], worst = 0, size = 1e-300;
    numbers_of(DIG(s, "constraints", "L"), L, ROOM * ROOM);
    numbers_of(DIG(s, "forward_dynamics"), a, ROOM);
    CHECK(numbers_of(DIG(s, "constraints", "c"), c, ROOM) == rows);
    for (int k = 0; k < rows; k++) {
        double left = -c[k];
        for (int i = 0; i < nv; i++)
            left += L[k * nv + i] * a[i], size = fmax(size, fabs(L[k * nv + i] * a[i]));
        worst = fmax(worst, fabs(left));
    }
    return worst / size;
}

/* The largest |D - L M^-1 L'|, of the largest entry. */
static double off_delassus(json_t *s, int nv, int rows)
{
    static double D[ROOM * ROOM], L[ROOM * ROOM], X[ROOM * ROOM];
    double worst = 0, size = 1e-300;
    CHECK(numbers_of(DIG(s, "delassus"), D, ROOM * ROOM) == rows * rows);
    CHECK(numbers_of(DIG(s, "mass_matrix_inverse"), X, ROOM * ROOM) == nv * nv);
    numbers_of(DIG(s, "constraints", "L"), L, ROOM * ROOM);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) {
            double x = 0;
            for (int k = 0; k < nv; k++)
                for (int l = 0; l < nv; l++) x += L[i * nv + k] * X[k * nv + l] * L[j * nv + l];
            worst = fmax(worst, fabs(x - D[i * rows + j]));
            size = fmax(size, fabs(x));
        }
    return worst / size;
}

/* Every way to solve loops gives the same, keeps the loops, and balances the tree's own equation. */
TEST(every_algorithm)
{
    static const char *const way[] = {"loop-nullspace",          "loop-direct",
                                      "loop-multipliers",        "loop-proximal",
                                      "loop-divide-and-conquer", "kkt-sparse"};
    static const struct {
        const char *file, *duration;
        double torque;
        int nv, rows, rank;
    } known[] = {{"four-bar.json", "0.2", 1, 3, 5, 2},
                 {"bricard.json", "0.3", 1, 5, 5, 4},
                 {"stewart.json", "0.2", 20, 24, 18, 18},
                 {"andrews-squeezer.json", "0.004", 0.05, 7, 15, 6},
                 {NULL, "0.4", 1, 9, 6, 6}};
    double worst[3] = {0, 0, 0};
    for (int i = 0; i < 5; i++) {
        const char *model = known[i].file ? bundled(known[i].file) : write_kinds("kinds.json", "2");
        const int nv = known[i].nv, rows = known[i].rows;
        char text[8000];
        double tau[ROOM], first[2 * ROOM], other[2 * ROOM];
        closed_state(model, known[i].duration, known[i].torque, text, sizeof text);
        for (int k = 0; k < nv; k++) tau[k] = known[i].torque * sin(3 * k + 1);
        for (int k = -1; k < 6; k++) {
            answer a = run(text, "eval", model, "--states", "-", "--what",
                           "forward_dynamics,constraint_forces,constraints,mass_matrix,bias,mass_matrix_"
                           "inverse,delassus",
                           k < 0 ? NULL : "--algorithm", k < 0 ? NULL : way[k], (const char *)NULL);
            if (k == 5 && a.status != 0 && a.err && strstr(a.err, "this build")) {
                printf("  without %s: %s", way[k], a.err);
                forget(&a);
                continue;
            }
            json_t *r = parse_answer(&a, 0), *s = DIG(r, "states", "0"),
                   *found = DIG(s, "constraint_forces", "rank");
            double *x = k < 0 ? first : other;
            numbers_of(DIG(s, "forward_dynamics"), x, nv);
            numbers_of(DIG(s, "constraint_forces", "lambda"), x + nv, rows);
            worst[0] = fmax(worst[0], imbalance(s, tau, nv, rows));
            worst[1] = fmax(worst[1], breach(s, nv, rows));
            if (k >= 0) worst[2] = fmax(worst[2], check_error(other, first, (size_t)nv, 1e-300));
            if (k >= 0) worst[2] = fmax(worst[2], check_error(other + nv, first + nv, (size_t)rows, 1e-300));
            if (k < 3) CHECK(json_integer_value(found) == known[i].rank);
            if (k < 0) CHECK(off_delassus(s, nv, rows) < 1e-12);
            CHECK(imbalance(s, tau, nv, rows) < 1e-10 && breach(s, nv, rows) < 1e-10);
            json_decref(r);
        }
    }
    CHECK(worst[2] < 1e-8); /* what docs/algorithms/loop-proximal.md promises of lambda with redundant rows */
    printf("  off by: M a + h = tau + L' lambda %.1e, L a = c %.1e, between algorithms %.1e\n", worst[0],
           worst[1], worst[2]);
}

/* The force in the pin by Newton's law, and the torque back from the motion. */
TEST(newton_and_inverse)
{
    const char *model = bundled("four-bar.json");
    char text[2000], with[3000];
    double q[3], v[3], a[3];
    closed_state(model, "0.3", 0, text, sizeof text);
    json_t *states = json_loads(text, 0, NULL);
    numbers_of(DIG(states, "states", "0", "q"), q, 3);
    numbers_of(DIG(states, "states", "0", "v"), v, 3);
    json_decref(states);
    snprintf(with, sizeof with,
             "{\"states\": [{\"q\": [%.17g, %.17g, %.17g], \"v\": [%.17g, %.17g, %.17g], "
             "\"tau\": [0.7, 0, 0]}]}",
             q[0], q[1], q[2], v[0], v[1], v[2]);
    json_t *r = eval(with, model, "forward_dynamics,constraint_forces", NULL, NULL),
           *s = DIG(r, "states", "0");
    CHECK(numbers_of(DIG(s, "forward_dynamics"), a, 3) == 3);
    const four_bar_forces expected = four_bar(q, v, a);
    CHECK_NEAR(expected.gap, 0, 1e-13);
    CHECK_NEAR(expected.torque, 0.7, 1e-12);
    CHECK_KEYS(DIG(s, "constraint_forces"), "lambda rank residual wrenches");
    CHECK_KEYS(DIG(s, "constraint_forces", "wrenches"), "pin");
    CHECK_NUMBERS(DIG(s, "constraint_forces", "wrenches", "pin"), 1e-11, 0, 0, 0, expected.pin[0],
                  expected.pin[1], 0);
    CHECK_NEAR(json_number_value(DIG(s, "constraint_forces", "residual")), 0, 1e-10);
    json_decref(r);

    snprintf(with, sizeof with,
             "{\"states\": [{\"q\": [%.17g, %.17g, %.17g], \"v\": [%.17g, %.17g, %.17g], "
             "\"a\": [%.17g, %.17g, %.17g]}]}",
             q[0], q[1], q[2], v[0], v[1], v[2], a[0], a[1], a[2]);
    r = eval(with, model, "loop_inverse_dynamics,constraints", NULL, NULL);
    CHECK_KEYS(DIG(r, "states", "0", "loop_inverse_dynamics"), "tau lambda");
    CHECK_NUMBERS(DIG(r, "states", "0", "loop_inverse_dynamics", "tau"), 1e-12, 0.7, 0, 0);
    json_decref(r);

    /* accelerations that leave the loop */
    snprintf(with, sizeof with, "{\"states\": [{\"q\": [%.17g, %.17g, %.17g], \"a\": [1, 0, 0]}]}", q[0],
             q[1], q[2]);
    answer refused =
        run(with, "eval", model, "--states", "-", "--what", "loop_inverse_dynamics", (const char *)NULL);
    CHECK_HAS(refused.err, "the accelerations do not keep loop 'pin'");
    r = parse_answer(&refused, 1);
    CHECK(json_is_null(DIG(r, "states", "0", "loop_inverse_dynamics")));
    json_decref(r);
}

/* The time of a state reaches the drive and the rod; springs of loops count with --passive on. */
TEST(time_and_springs)
{
    const char *model = write_kinds("kinds.json", "2");
    static const char state[] =
        "{\"states\": [{\"q\": [0.4, 0.9, 0.3, 1, 0, 0, 0, 0, 5, 0.3], \"v\": [1, 2, 3, 0, 0, 0, "
        "0, 0, 0], \"t\": 0.6}]}";
    double g[3], phi[6], rate[6], c[6], energy[2], f[3], a[2][9];
    motor_law(0.6, g);
    json_t *r = eval(state, model, "constraints,energy,constraint_forces", NULL, NULL),
           *s = DIG(r, "states", "0");
    CHECK(numbers_of(DIG(s, "constraints", "phi"), phi, 6) == 6);
    CHECK(numbers_of(DIG(s, "constraints", "rate"), rate, 6) == 6);
    CHECK(numbers_of(DIG(s, "constraints", "c"), c, 6) == 6);
    CHECK_NEAR(phi[5], 0.4 - g[0], 1e-15);
    CHECK_NEAR(rate[5], 1 - g[1], 1e-15);
    CHECK_NEAR(c[5], g[2], 1e-14);
    CHECK_NEAR(phi[1], 0.3 - 0.5 * 0.9 - 0.25, 1e-15);
    CHECK_NEAR(rate[1], 3 - 0.5 * 2, 1e-15);

    /* (d.d - (2 + 0.125 t)^2) / 4 */
    const double dx = 2 + cos(0.9) - cos(0.4), dy = sin(0.9) - sin(0.4);
    const double vx = -2 * sin(0.9) + sin(0.4), vy = 2 * cos(0.9) - cos(0.4);
    CHECK_NEAR(phi[0], (dx * dx + dy * dy - 2.075 * 2.075) / 4, 1e-15);
    CHECK_NEAR(rate[0], (dx * vx + dy * vy - 2.075 * 0.125) / 2, 1e-15);
    energy[0] = json_number_value(DIG(s, "energy", "potential"));
    CHECK_NUMBERS(DIG(s, "constraint_forces", "wrenches", "teeth"), 0, 0, 0, 0, 0, 0, 0);
    CHECK_NUMBERS(DIG(s, "constraint_forces", "wrenches", "roll"), 1e-12, 0, 0, 0, 0, 0, 3 * 9.81);
    json_decref(r);

    r = eval(state, model, "energy", "--passive", "on");
    energy[1] = json_number_value(DIG(r, "states", "0", "energy", "potential"));
    const double stretch = hypot(3, 0.3 - 4) - 4;
    CHECK_NEAR(energy[1] - energy[0], 50 * stretch * stretch, 1e-12);
    json_decref(r);

    /* the law of time is kept whatever acts, and a spring on the slide does not show where all is driven: its
     * force is in the multiplier of the teeth */
    strut_force(0.3, 3, f);
    for (int k = 0; k < 2; k++) {
        r = eval(state, model, "forward_dynamics,constraint_forces", "--passive", k ? "on" : "off");
        CHECK(numbers_of(DIG(r, "states", "0", "forward_dynamics"), a[k], 9) == 9);
        energy[k] = json_number_value(DIG(r, "states", "0", "constraint_forces", "lambda", "1"));
        CHECK_NEAR(a[k][0], g[2], 1e-13);
        CHECK_NUMBERS(DIG(r, "states", "0", "constraint_forces", "wrenches", "strut"), 1e-11, 0, 0, 0,
                      k * f[0], 0, k * f[2]);
        json_decref(r);
    }
    for (int i = 0; i < 9; i++) CHECK_NEAR(a[1][i], a[0][i], 1e-12);
    CHECK_NEAR(energy[1] - energy[0], -f[2], 1e-11);
}

/* Derivatives keep the loops: what torques add to the accelerations does, and nothing at a singular position. */
TEST(derivatives)
{
    const char *model = bundled("four-bar.json");
    double L[15], dtau[9];
    json_t *r = eval("{\"states\": [{\"q\": [0.5, 0.3, 1.2], \"v\": [1, -2, 0.5]}]}", model,
                     "constraints,d_forward_dynamics", NULL, NULL);
    CHECK_KEYS(DIG(r, "states", "0", "d_forward_dynamics"), "dq dv dtau");
    CHECK(numbers_of(DIG(r, "states", "0", "constraints", "L"), L, 15) == 15);
    CHECK(numbers_of(DIG(r, "states", "0", "d_forward_dynamics", "dtau"), dtau, 9) == 9);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += L[3 * i + k] * dtau[3 * k + j];
            CHECK_NEAR(sum, 0, 1e-12);
        }
    CHECK(dtau[0] > 0);
    json_decref(r);
    answer a = run("{\"states\": [{\"q\": [0, 0, 0]}]}", "eval", model, "--states", "-", "--what", "d_forward_dynamics",
                   "--brief", (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "loop 'pin' is at a singular position");
    CHECK_HAS(a.out, "\"d_forward_dynamics\": null");
    forget(&a);
}

TEST(refusals)
{
    const char *model = bundled("four-bar.json");
    REFUSED(1, "states[0].t: expected a number, got a string",
            "{\"states\": [{\"q\": [0, 0, 0], \"t\": \"x\"}]}", "eval", model, "--states", "-", "--what",
            "constraints");
    REFUSED(1,
            "aba does not solve closed loops, and the model has some: those that do are loop-proximal, "
            "multilegged, loop-nullspace, "
            "loop-direct, loop-multipliers, loop-divide-and-conquer",
            "{\"states\": [{\"q\": [0, 0, 0]}]}", "eval", model, "--states", "-", "--what",
            "forward_dynamics", "--algorithm", "aba");
    REFUSED(2, "which is not in --what constraints", "{\"states\": [{\"q\": [0, 0, 0]}]}", "eval", model,
            "--states", "-", "--what", "constraints", "--algorithm", "loop-direct");
    REFUSED(1, "closed loops", "{\"states\": [{\"q\": [0, 0, 0]}]}", "eval", model, "--states", "-", "--what",
            "operational_space:rocker");
}

/* What loops have, of a model that has none. */
TEST(a_tree)
{
    json_t *r = eval("{\"states\": [{\"q\": [0.3, 0.4, 1.2], \"v\": [1, 2, 3], \"a\": [4, 5, 6], \"t\": 2}]}",
                     bundled("planar-3r.json"),
                     "constraints,constraint_forces,delassus,loop_inverse_dynamics,mobility,inverse_dynamics",
                     NULL, NULL);
    json_t *s = DIG(r, "states", "0");
    static const char *const part[] = {"phi", "rate", "c", "L"};
    for (int i = 0; i < 4; i++) {
        json_t *x = json_object_get(DIG(s, "constraints"), part[i]);
        CHECK(json_is_array(x) && json_array_size(x) == 0);
    }
    CHECK(json_is_array(DIG(s, "delassus")) && json_array_size(DIG(s, "delassus")) == 0);
    CHECK(json_array_size(DIG(s, "constraint_forces", "lambda")) == 0);
    CHECK(json_is_object(DIG(s, "constraint_forces", "wrenches")));
    CHECK(json_integer_value(DIG(s, "constraint_forces", "rank")) == 0);
    check_mobility(DIG(s, "mobility"), 0, 0, 3, 3);
    double tau[2][3];
    CHECK(numbers_of(DIG(s, "loop_inverse_dynamics", "tau"), tau[0], 3) == 3);
    CHECK(numbers_of(DIG(s, "inverse_dynamics"), tau[1], 3) == 3);
    for (int i = 0; i < 3; i++) CHECK_NEAR(tau[0][i], tau[1][i], 1e-12 * (1 + fabs(tau[1][i])));
    json_decref(r);
}

/* The gradient of the potential energy has the spring between two links in it, with --passive on. */
TEST(gradient_of_springs_in_loops)
{
    enum { NV = 7 };
    static const double h = 1e-5, q[NV] = {-0.06, 0, 0.45, 0.22, 0.49, -0.22, 1.23};
    char text[4000] = "{\"states\": [";
    for (int s = 0; s < 2 * NV + 1; s++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s{\"q\": [", s ? ", " : "");
        for (int i = 0; i < NV; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.17g", i ? ", " : "",
                     q[i] + (i == s / 2 ? (s % 2 ? h : -h) : 0));
        snprintf(text + strlen(text), sizeof text - strlen(text), "]}");
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), "]}");
    double with_spring[2] = {0};
    for (int passive = 0; passive < 2; passive++) {
        const char *const on_off = passive ? "on" : "off";
        json_t *r = eval(text, bundled("andrews-squeezer.json"), "energy,d_energy", "--passive", on_off);
        const json_t *states = DIG(r, "states");
        CHECK(json_array_size(states) == 2 * NV + 1);
        const json_t *gradient = DIG(json_array_get(states, 2 * NV), "d_energy", "dq_potential");
        CHECK(json_array_size(gradient) == NV);
        for (size_t i = 0; i < NV; i++) {
            double V[2];
            for (size_t k = 0; k < 2; k++)
                V[k] = json_number_value(DIG(json_array_get(states, 2 * i + k), "energy", "potential"));
            const double x = json_number_value(json_array_get(gradient, i));
            CHECK_NEAR(x, (V[1] - V[0]) / (2 * h), 1e-8); /* the cube of the spring's turn, and rounding over h */
            with_spring[passive] = fmax(with_spring[passive], fabs(x));
        }
        json_decref(r);
    }
    CHECK(with_spring[1] > with_spring[0] + 1);
}

/* A singular position that is passed with a velocity asks for what no acceleration gives; at rest for nothing. */
TEST(rows_that_contradict_are_told)
{
    const char *model = write_file("flat.json", FLAT_ROD);
    for (int moving = 0; moving < 2; moving++) {
        answer a = run(moving ? "{\"q\": [0, 0], \"v\": [1, 2]}" : "{\"q\": [0, 0]}", "eval", model, "--states", "-",
                       "--what", "forward_dynamics", (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        CHECK((strstr(a.err, "no accelerations keep the loops") != NULL) == moving);
        forget(&a);
    }
}

/* What is asked of a state where the mechanism has no single answer, or cannot be, is told: on standard error once, and
 * in the answer of each state. Rounding is not. */
TEST(singular_and_open_states_are_told)
{
    static const struct {
        const char *state, *says; /* NULL: nothing */
    } at[] = {{"{\"q\": [0, 0], \"v\": [1, 1]}", "is at a singular position"},
              {"{\"q\": [0, 0]}", "is at a singular position"},
              {"{\"q\": [0.4, 0.4], \"v\": [1, 1]}", NULL},
              {"{\"q\": [0.4, 0.400000001], \"v\": [1, 1.000000001]}", NULL},
              {"{\"q\": [0.0001, 0.0001], \"v\": [1, 1]}", "nearly singular"},
              {"{\"q\": [2.4, 0.4]}", "loop 'rod' is open by 0.667 m"},
              {"{\"q\": [0.4, 0.4], \"v\": [1, 2]}", "loop 'rod' is driven open by 0.156 m a second"}};
    static const char *const what[] = {"forward_dynamics", "constraint_forces", "mobility", "d_forward_dynamics"};
    const char *model = write_file("flat.json", FLAT_ROD);
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < (i < 2 || i > 4 ? 3 : 4); k++) {
            char both[300];
            snprintf(both, sizeof both, "{\"states\": [%s, %s]}", at[i].state, at[i].state);
            for (int lines = 0; lines < 2; lines++) {
                answer a = run(lines ? at[i].state : both, "eval", model, "--states", "-", "--what", what[k],
                               lines ? "--json-lines" : NULL, (const char *)NULL);
                json_t *r = json_loads(a.out, JSON_DISABLE_EOF_CHECK, NULL);
                const json_t *last = lines ? r : DIG(r, "states", "1");
                const char *text = json_string_value(json_array_get(json_object_get(last, "warnings"), 0));
                CHECK_STATUS(a.status, 0);
                if (at[i].says) {
                    CHECK_HAS(text, at[i].says);
                    CHECK_HAS(a.err, at[i].says);
                    CHECK(lines_of(a.err) == 1);
                } else {
                    CHECK(!text && !*a.err);
                }
                json_decref(r);
                forget(&a);
            }
        }

    /* what loops have no part in is not looked at */
    answer a = run("{\"q\": [0, 0]}", "eval", model, "--states", "-", "--what", "loop_inverse_dynamics",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "is at a singular position");
    forget(&a);
    a = run("{\"q\": [2.4, 0.4]}", "eval", model, "--states", "-", "--what", "gravity,constraints",
                   (const char *)NULL);
    CHECK(a.status == 0 && !*a.err);
    forget(&a);
}

/* Two bars with a spring and a damper from the ground to the second, besides those of the joints: no rows. */
static const char *const sprung =
    "{\"pinion\": 1, \"name\": \"sprung\", \"links\": [{\"name\": \"g\"},\n"
    " {\"name\": \"a\", \"mass\": 1, \"com\": [0.2, 0, 0], \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}},\n"
    " {\"name\": \"b\", \"mass\": 1, \"com\": [0.2, 0, 0], \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}}],\n"
    "\"joints\": [\n"
    " {\"name\": \"A\", \"type\": \"continuous\", \"axis\": [0, 1, 0], \"parent\": \"g\", \"child\": \"a\",\n"
    "  \"damping\": 0.3, \"friction\": {\"positive\": 0.2, \"negative\": 0.1},\n"
    "  \"spring\": {\"stiffness\": 3, \"rest\": 0.2}},\n"
    " {\"name\": \"D\", \"type\": \"continuous\", \"axis\": [0, 1, 0], \"parent\": \"a\", \"child\": \"b\",\n"
    "  \"origin\": {\"position\": [1, 0, 0]}, \"damping\": 0.5}],\n"
    "\"loops\": [\n"
    " {\"name\": \"s\", \"type\": \"spring\", \"parent\": \"g\", \"child\": \"b\",\n"
    "  \"origin\": {\"position\": [0.4, 0.3, 0]}, \"child_origin\": {\"position\": [0.4, 0, 0]}, \"length\": 0.7,\n"
    "  \"stiffness\": 20, \"damping\": 2}]}\n";

/* Inverse dynamics takes from tau what forward dynamics adds to it, springs of loops too, and so do its derivatives;
 * passive_forces has it in parts. */
static void check_passive_elements(const char *model, double carried)
{
    const double h = 1e-5;
    char text[600], point[3][40] = {"0.4, 0.2", "0.40001, 0.2", "0.39999, 0.2"};
    json_t *r = eval("{\"q\": [0.4, 0.2], \"v\": [1, -2], \"tau\": [0.7, -0.3]}", model, "forward_dynamics",
                     "--passive", "on");
    const double a[2] = {json_number_value(DIG(r, "states", "0", "forward_dynamics", "0")),
                         json_number_value(DIG(r, "states", "0", "forward_dynamics", "1"))};
    json_decref(r);
    snprintf(text, sizeof text, "{\"states\": [");
    for (int s = 0; s < 3; s++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "%s{\"q\": [%s], \"v\": [1, -2], \"a\": [%.17g, %.17g]}", s ? ", " : "", point[s], a[0], a[1]);
    snprintf(text + strlen(text), sizeof text - strlen(text), "]}");
    r = eval(text, model, "inverse_dynamics,d_inverse_dynamics,passive_forces", "--passive", "on");
    json_t *off = eval(text, model, "inverse_dynamics", "--passive", "off");
    for (size_t i = 0; i < 2; i++) {
        static const char *const part[] = {"springs", "dampers", "friction", "gravity_compensation"};
        double sum = 0, tau[3];
        for (size_t s = 0; s < 3; s++)
            tau[s] = json_number_value(json_array_get(DIG(json_array_get(DIG(r, "states"), s), "inverse_dynamics"), i));
        for (size_t k = 0; k < 4; k++)
            sum += json_number_value(json_array_get(DIG(r, "states", "0", "passive_forces", part[k]), i));
        json_t *plain = DIG(off, "states", "0", "inverse_dynamics");
        json_t *dq = DIG(r, "states", "0", "d_inverse_dynamics", "dq");
        CHECK_NEAR(tau[0], i ? -0.3 : 0.7, 1e-12);
        CHECK_NEAR(json_number_value(json_array_get(plain, i)) - tau[0], sum, 1e-12);
        /* third derivatives times the square of h, and rounding over h */
        CHECK_NEAR(json_number_value(json_array_get(json_array_get(dq, i), 0)), (tau[1] - tau[2]) / (2 * h), 1e-7);
    }
    CHECK_NEAR(json_number_value(DIG(r, "states", "0", "passive_forces", "friction", "0")), -0.2, 0);
    CHECK_NEAR(json_number_value(DIG(r, "states", "0", "passive_forces", "gravity_compensation", "1")), carried, 1e-14);
    json_decref(r);
    json_decref(off);
}

TEST(what_passive_elements_exert)
{
    check_passive_elements(write_file("sprung.json", sprung), 0);
}

/* The same with tendons and with half of a link's weight carried; a run with them keeps its energy. */
TEST(what_tendons_exert)
{
    static const char name[] = "{\"name\": \"b\"";
    char text[3000];
    json_t *r;
    const char *link = strstr(sprung, name), *end = strrchr(sprung, '}');
    CHECK(link && end);
    snprintf(text, sizeof text,
             "%.*s{\"gravity_compensation\": 0.5, \"name\": \"b\"%.*s, \"tendons\": [{\"name\": \"t\", \"joints\": "
             "[\"A\", \"D\"], \"weights\": [2, -1], \"stiffness\": 3, \"damping\": 0.4, \"rest\": 0.1}, {\"name\": "
             "\"u\", \"path\": [\"g\", \"a\", \"b\"], \"stiffness\": 5, \"damping\": 0.2, \"rest\": [0.1, 0.2]}]}",
             (int)(link - sprung), sprung, (int)(end - link - (long)strlen(name)), link + strlen(name));
    const char *model = write_file("tendons.json", text);
    check_passive_elements(model, -0.5 * 9.81 * 0.2 * cos(0.6));
    answer a = run(NULL, "sim", model, "--duration", "0.5", "--output-step", "0.5", "--json", "-o",
                   place("tendons.csv"), NULL);
    r = parse_answer(&a, 0);
    CHECK(json_number_value(DIG(r, "largest_drift")) < 1e-8); /* of --tol 1e-10 */
    json_decref(r);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(constraints_of_a_four_bar);
    RUN(every_algorithm);
    RUN(newton_and_inverse);
    RUN(time_and_springs);
    RUN(gradient_of_springs_in_loops);
    RUN(what_passive_elements_exert);
    RUN(what_tendons_exert);
    RUN(rows_that_contradict_are_told);
    RUN(singular_and_open_states_are_told);
    RUN(derivatives);
    RUN(refusals);
    RUN(a_tree);
    return command_end(files);
}
