/* Sweeps of id, eval and linearize: every number against a closed form. */
#define _DEFAULT_SOURCE
#include "scalars.h"
#include <unistd.h>

/* A mass of 2 kg on a slide along x with a spring of 8 N/m, a damper of 0.4 N s/m and a tip 0.5 m ahead. */
static const char slide[] =
    "{\"pinion\": 1, \"name\": \"slide\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"g\"},\n"
    " {\"name\": \"car\", \"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],\n"
    "\"joints\": [{\"name\": \"x\", \"type\": \"prismatic\", \"parent\": \"g\", \"child\": \"car\", "
    "\"axis\": [1, 0, 0], \"damping\": 0.4, \"spring\": {\"stiffness\": 8}}],\n"
    "\"frames\": [{\"name\": \"tip\", \"link\": \"car\", \"origin\": {\"position\": [0.5, 0, 0]}}]}\n";

static char folder[] = "/tmp/pinion-sweep-XXXXXX";

static pinion_sweep *load(const char *run, const char *vary, const char *keep, pinion_error *err)
{
    char text[4000];
    snprintf(text, sizeof text, "{\"model\": \"slide.json\", \"run\": {%s}, \"vary\": [%s], \"keep\": [%s]}", run, vary,
             keep);
    return pinion_sweep_load_string(text, strlen(text), "plan.json", folder, err);
}

/* The scalars of all runs, `count` of each, which must be complete. */
static void expect(const char *run, const char *vary, const char *keep, int runs, int count, const double *values)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    /* a state of rest is found to some 1e-12 */
    check_scalars(load(run, vary, keep, &err), &err, run, runs, count, values, 1e-11);
}

#define MASSES "{\"name\": \"m\", \"what\": \"mass\", \"of\": \"car\", \"list\": [2, 5]}"

/* a cycloid from 0 to 1 m in 2 s: a = 2 pi / T^2 sin(2 pi t / T), power its product with v */
TEST(inverse_dynamics)
{
    const double peak = 2 * acos(-1) / 4;
    expect("\"command\": \"id\", \"duration\": 2, \"to\": {\"x\": 1}", MASSES,
           "{\"name\": \"tau\", \"column\": \"tau.x\", \"take\": \"peak\"}, "
           "{\"name\": \"work\", \"column\": \"power\", \"take\": \"integral\"}, "
           "{\"name\": \"far\", \"frame\": \"tip\", \"target\": [0, 0, 0], \"take\": \"final\"}",
           2, 3, (const double[]){2 * peak, 0, 1.5, 5 * peak, 0, 1.5});
    /* at the end the spring is to be held, at the start nothing */
    expect("\"command\": \"id\", \"duration\": 2, \"to\": {\"x\": 1}, \"passive\": true",
           "{\"name\": \"k\", \"what\": \"stiffness\", \"of\": \"x\", \"list\": [8, 3]}",
           "{\"name\": \"end\", \"column\": \"tau.x\", \"take\": \"final\"}, "
           "{\"name\": \"start\", \"column\": \"tau.x\", \"take\": \"initial\"}",
           2, 2, (const double[]){8, 0, 3, 0});
    /* halfway, at t = T / 2, v = 2 / T: the damper and half the spring's way */
    expect("\"command\": \"id\", \"duration\": 2, \"to\": [1], \"output_step\": 1, \"passive\": true",
           "{\"name\": \"T\", \"what\": \"duration\", \"list\": [2]}",
           "{\"name\": \"most\", \"column\": \"v.x\", \"take\": \"max\"}, "
           "{\"name\": \"mean\", \"column\": \"tau.x\", \"take\": \"mean\"}",
           1, 2, (const double[]){1, (0.5 * (0 + 4.4) + 0.5 * (4.4 + 8)) / 2});
}

/* a motion in a file has rows at its own times */
TEST(motions_from_files)
{
    char path[300];
    snprintf(path, sizeof path, "%s/motion.csv", folder);
    FILE *f = fopen(path, "w");
    CHECK(f && fputs("t,q.x,v.x,a.x\n0,0,0,2\n1,1,2,2\n3,9,6,2\n", f) >= 0 && fclose(f) == 0);
    expect("\"command\": \"id\", \"trajectory\": \"motion.csv\"", MASSES,
           "{\"name\": \"tau\", \"column\": \"tau.x\", \"take\": \"final\"}, "
           "{\"name\": \"work\", \"column\": \"power\", \"take\": \"integral\"}",
           2, 2, (const double[]){4, 2 * 18, 10, 5 * 18}); /* m v^2 / 2: the power is linear in time */
    remove(path);
}

TEST(quantities)
{
    expect("\"command\": \"eval\", \"q0\": [0.3], \"v0\": [3], \"a0\": [2], \"torque\": [7], \"passive\": true, "
           "\"what\": [\"energy\", \"inverse_dynamics\", \"forward_dynamics\", \"mass_matrix\", \"velocity:tip\", "
           "\"d_inverse_dynamics\"]",
           MASSES,
           "{\"name\": \"T\", \"column\": \"energy.kinetic\"}, {\"name\": \"V\", \"column\": \"energy.potential\"}, "
           "{\"name\": \"tau\", \"column\": \"inverse_dynamics.x\"}, "
           "{\"name\": \"a\", \"column\": \"forward_dynamics.x\"}, {\"name\": \"M\", \"column\": \"mass_matrix.x.x\"}, "
           "{\"name\": \"v\", \"column\": \"velocity:tip.*\", \"take\": \"max\"}, "
           "{\"name\": \"D\", \"column\": \"d_inverse_dynamics.*.x.x\", \"take\": \"max\"}",
           2, 7,
           (const double[]){9, 0.36, 4 + 1.2 + 2.4, (7 - 1.2 - 2.4) / 2, 2, 3, 2, 22.5, 0.36, 10 + 1.2 + 2.4,
                            (7 - 1.2 - 2.4) / 5, 5, 3, 5});
    expect("\"command\": \"eval\", \"what\": [\"energy\"]",
           "{\"name\": \"v\", \"what\": \"v0\", \"of\": \"x\", \"list\": [1, 4]}, "
           "{\"name\": \"a\", \"what\": \"a0\", \"of\": \"x\", \"as\": \"offset\", \"list\": [1]}",
           "{\"name\": \"T\", \"column\": \"energy.kinetic\"}", 2, 1, (const double[]){1, 16});
}

/* m x'' + d x' + k x = 0: the real part is -d / 2 m, the frequency sqrt(k / m); pushed it rests at F / k */
TEST(linear_models)
{
    const double pi = acos(-1);
    expect("\"command\": \"linearize\"", MASSES,
           "{\"name\": \"re\", \"column\": \"eigenvalue.*.real\", \"take\": \"max\"}, "
           "{\"name\": \"im\", \"column\": \"eigenvalue.*.imag\", \"take\": \"max\"}, "
           "{\"name\": \"f\", \"column\": \"eigenvalue.0.frequency\"}, "
           "{\"name\": \"zeta\", \"column\": \"eigenvalue.1.damping\"}, {\"name\": \"A\", \"column\": \"A.1.0\"}, "
           "{\"name\": \"B\", \"column\": \"B.1.0\"}",
           2, 6,
           (const double[]){-0.1, sqrt(4 - 0.01), 1 / pi, 0.05, -4, 0.5, -0.04, sqrt(1.6 - 0.0016),
                            sqrt(1.6) / (2 * pi), 0.04 / sqrt(1.6), -1.6, 0.2});
    expect("\"command\": \"linearize\", \"equilibrium\": true",
           "{\"name\": \"F\", \"what\": \"torque\", \"of\": \"x\", \"list\": [8, -2]}",
           "{\"name\": \"q\", \"column\": \"q.x\"}, {\"name\": \"A\", \"column\": \"A.1.1\"}", 2, 2,
           (const double[]){1, -0.2, -0.25, -0.2});
}

/* the same bytes in parts, a whole run again, and one that cannot be */
TEST(files_and_failures)
{
    static const char *const runs[] = {"\"command\": \"id\", \"duration\": 2, \"to\": [1]",
                                       "\"command\": \"eval\", \"what\": [\"forward_dynamics\"]",
                                       "\"command\": \"linearize\""};
    static const char *const columns[] = {"tau.x", "forward_dynamics.x", "eigenvalue.0.real"};
    const int rows[] = {101, 1, 1};
    for (int k = 0; k < 3; k++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        char keep[100], part[2][300], whole[300], merged[300], command[700];
        snprintf(keep, sizeof keep, "{\"name\": \"x\", \"column\": \"%s\", \"take\": \"final\"}", columns[k]);
        pinion_sweep *s = load(runs[k],
            "{\"name\": \"m\", \"what\": \"mass\", \"of\": \"car\", \"list\": [1, 2, -1, 4]}", keep, &err);
        pinion_sweep_options o = pinion_sweep_options_default();
        pinion_sweep_state state = {0};
        if (!s) CHECK_FAIL("%s", err.message);
        snprintf(whole, sizeof whole, "%s/whole.h5", folder);
        snprintf(merged, sizeof merged, "%s/merged.h5", folder);
        CHECK_STATUS(pinion_sweep_to_file(s, whole, &o, &state, &err), PINION_OK);
        CHECK(state.outcome[PINION_SWEEP_COMPLETE] == 3 && state.outcome[PINION_SWEEP_NO_START] == 1);
        for (int i = 0; i < 2; i++) {
            o.shards = 2;
            o.shard = i;
            snprintf(part[i], sizeof part[i], "%s/%d.part", folder, i);
            CHECK_STATUS(pinion_sweep_to_file(s, part[i], &o, NULL, &err), PINION_OK);
        }
        char *const parts[2] = {part[0], part[1]};
        if (pinion_sweep_merge(2, (const char *const *)parts, merged, NULL, &err) != PINION_OK)
            CHECK_FAIL("%s", err.message);
        snprintf(command, sizeof command, "cmp '%s' '%s'", whole, merged);
        CHECK(system(command) == 0);
        pinion_sweep_worker *w = pinion_sweep_worker_new(s, &err);
        pinion_result *r = w ? pinion_sweep_replay(w, 3, &err) : NULL;
        CHECK(r && (int)pinion_result_row_count(r) == rows[k] && pinion_result_find_column(r, columns[k]) > 0);
        CHECK(r && pinion_result_get(r, "model"));
        pinion_result_free(r);
        r = pinion_sweep_replay(w, 2, &err);
        CHECK(!r && strstr(err.message, "m = ") && strstr(err.message, "the mass of link"));
        pinion_sweep_worker_free(w);
        pinion_sweep_free(s);
        for (int i = 0; i < 2; i++) remove(part[i]);
        remove(whole);
        remove(merged);
    }
}

TEST(mistakes)
{
    static const char *const cases[][3] = {
        {"\"command\": \"ik\"", "", "run.command"},
        {"\"command\": \"id\", \"duration\": 1", "", "there is no motion"},
        {"\"command\": \"id\", \"to\": [1]", "", "\"duration\" is missing"},
        {"\"command\": \"id\", \"to\": [1], \"duration\": 1, \"integrator\": \"rk4\"", "", "integrator"},
        {"\"command\": \"eval\"", "", "\"what\" is missing"},
        {"\"command\": \"eval\", \"what\": []", "", "has no names"},
        {"\"command\": \"eval\", \"what\": [\"energie\"]", "", "run.what[0]"},
        {"\"command\": \"eval\", \"what\": [\"velocity\"]", "", "velocity:FRAME"},
        {"\"command\": \"eval\", \"what\": [\"energy:tip\"]", "", "is not of a frame"},
        {"\"command\": \"eval\", \"what\": [\"velocity:tap\"]", "", "no link or frame \"tap\""},
        {"\"command\": \"eval\", \"what\": [\"energy\", \"energy\"]", "", "there twice"},
        {"\"command\": \"eval\", \"what\": [\"d_forward_dynamics\"], \"passive\": true", "", "without passive forces"},
        {"\"command\": \"linearize\", \"equilibrium\": true, \"v0\": [1]", "", "at a state of rest"},
        {"\"command\": \"eval\", \"what\": [\"energy\"]",
         "{\"name\": \"m\", \"what\": \"duration\", \"list\": [1]}", "has no part in"},
        {"\"command\": \"linearize\"", "{\"name\": \"m\", \"what\": \"friction\", \"of\": \"x\", \"list\": [1]}",
         "has no part in"},
        {"\"command\": \"id\", \"to\": [1], \"duration\": 1",
         "{\"name\": \"m\", \"what\": \"damping\", \"of\": \"x\", \"list\": [1]}", "without \"passive\": true"},
        {"\"duration\": 1", "{\"name\": \"m\", \"what\": \"a0\", \"of\": \"x\", \"list\": [1]}", "has no part in"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_sweep *s = load(cases[i][0], cases[i][1], "", &err);
        if (s) CHECK_FAIL("accepted: %s", cases[i][0]);
        CHECK_HAS(err.message, cases[i][2]);
        pinion_sweep_free(s);
    }
}

int main(int argc, char **argv)
{
    char path[300];
    CHECK_BEGIN(argc, argv);
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/slide.json", folder);
    FILE *f = fopen(path, "w");
    if (!f || fputs(slide, f) < 0 || fclose(f) != 0) return 1;
    RUN(inverse_dynamics);
    RUN(motions_from_files);
    RUN(quantities);
    RUN(linear_models);
    RUN(files_and_failures);
    RUN(mistakes);
    remove(path);
    rmdir(folder);
    return CHECK_END();
}
