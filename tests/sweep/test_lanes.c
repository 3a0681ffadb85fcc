/* Runs side by side: the numbers of simulations that are made one by one, to rounding, and the same bits in whatever
 * company. */
#define _DEFAULT_SOURCE
#include "check.h"
#include <unistd.h>
#include "pinion/sim/sim.h"

static const char *models;

static pinion_sweep *load(const char *model, const char *engine, const char *run, const char *rest, pinion_error *err)
{
    char text[3000];
    snprintf(text, sizeof text,
             "{\"model\": \"%s\", %s \"run\": {\"duration\": 0.2, \"step\": 2e-3, \"output_step\": 0.02, %s}, %s}",
             model, engine, run, rest);
    return pinion_sweep_load_string(text, strlen(text), "plan.json", models, err);
}

static pinion_sweep *need(const char *model, const char *engine, const char *run, const char *rest)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_sweep *s = load(model, engine, run, rest, &err);
    if (!s) CHECK_FAIL("%s", err.message);
    return s;
}

#define ROLLOUT "\"engine\": \"rollout\","
#define VARY "\"count\": 40, \"seed\": 5, \"vary\": ["
#define STARTS                                                                                                         \
    "{\"name\": \"q\", \"what\": \"q0\", \"of\": \"*\", \"uniform\": [-1, 1]}, "                                       \
    "{\"name\": \"v\", \"what\": \"v0\", \"of\": \"*\", \"normal\": [0, 1]}, "                                         \
    "{\"name\": \"tau\", \"what\": \"torque\", \"of\": \"joint2\", \"uniform\": [-2, 2]}"
#define KEEP                                                                                                           \
    "\"keep\": [{\"name\": \"a\", \"column\": \"q.*\", \"take\": \"max\"}, "                                           \
    "{\"name\": \"b\", \"column\": \"v.joint1\", \"take\": \"integral\"}, "                                            \
    "{\"name\": \"c\", \"column\": \"tau.*\", \"take\": \"peak\"}]"

/* Both make all runs; the scalars agree. */
static void compare(const char *model, const char *run, const char *more, const char *rest)
{
    char of_sim[400];
    snprintf(of_sim, sizeof of_sim, "%s%s", run, more);
    pinion_error err;
    pinion_sweep *a = need(model, ROLLOUT, run, rest), *b = need(model, "", of_sim, rest);
    pinion_sweep_worker *wa = a ? pinion_sweep_worker_new(a, &err) : NULL,
                        *wb = b ? pinion_sweep_worker_new(b, &err) : NULL;
    for (uint64_t i = 0; wa && wb && i < pinion_sweep_count(a); i++) {
        pinion_sweep_record x, y;
        CHECK_STATUS(pinion_sweep_run(wa, i, &x), PINION_OK);
        CHECK_STATUS(pinion_sweep_run(wb, i, &y), PINION_OK);
        CHECK(x.outcome == PINION_SWEEP_COMPLETE && y.outcome == PINION_SWEEP_COMPLETE);
        CHECK_NEAR(x.t_end, 0.2, 1e-15);
        /* a hundred steps of one rounding each, of numbers of some tens */
        for (int k = 0; k < pinion_sweep_scalar_count(a); k++) CHECK_NEAR(x.scalars[k], y.scalars[k], 1e-10);
    }
    pinion_sweep_worker_free(wa);
    pinion_sweep_worker_free(wb);
    pinion_sweep_free(a);
    pinion_sweep_free(b);
}

TEST(the_numbers_of_simulations)
{
    compare("planar-3r.json", "\"integrator\": \"rk4\"", "", VARY STARTS "]," KEEP);
    compare("planar-3r.json", "\"integrator\": \"euler\"", "", VARY STARTS "]," KEEP);
    /* a controller that looks once a step, on the way to a target, and one that holds */
    compare("planar-3r.json", "\"integrator\": \"rk4\", \"control\": \"pd\", \"to\": {\"joint1\": 1}, \"kd\": 3",
            ", \"control_step\": 2e-3",
            VARY STARTS ", {\"name\": \"to\", \"what\": \"to\", \"of\": \"joint3\", \"uniform\": [0, 1]}]," KEEP);
    compare("arm-6dof.json", "\"integrator\": \"rk4\", \"control\": \"pd\", \"kp\": 1, \"kd\": 0.01",
            ", \"control_step\": 2e-3",
            VARY "{\"name\": \"v\", \"what\": \"v0\", \"of\": \"*\", \"uniform\": [0, 1]}], \"keep\": ["
                 "{\"name\": \"e\", \"column\": \"error.q.*\", \"take\": \"peak\"}, "
                 "{\"name\": \"d\", \"column\": \"error.v.*\", \"take\": \"min\"}]");
}


/* In order, one by one, and in a file with other blocks: threads and parts. The bits are the same. */
TEST(whatever_the_company)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_sweep *s = need("planar-3r.json", ROLLOUT, "\"integrator\": \"rk4\", \"control\": \"pd\"",
                           VARY STARTS "], \"trajectories\": 3, " KEEP);
    char folder[] = "/tmp/pinion-lanes-XXXXXX", path[4][100], command[300];
    CHECK(mkdtemp(folder) != NULL);
    pinion_sweep_options o = pinion_sweep_options_default();
    for (int i = 0; i < 4; i++) snprintf(path[i], sizeof path[i], "%s/%d", folder, i);
    o.threads = 1;
    CHECK_STATUS(pinion_sweep_to_file(s, path[0], &o, NULL, &err), PINION_OK);
    o.threads = 3;
    CHECK_STATUS(pinion_sweep_to_file(s, path[1], &o, NULL, &err), PINION_OK);
    snprintf(command, sizeof command, "cmp '%s' '%s'", path[0], path[1]);
    CHECK(system(command) == 0);
    o.shards = 2;
    for (o.shard = 0; o.shard < 2; o.shard++)
        CHECK_STATUS(pinion_sweep_to_file(s, path[2 + o.shard], &o, NULL, &err), PINION_OK);
    const char *const parts[2] = {path[2], path[3]};
    CHECK_STATUS(pinion_sweep_merge(2, parts, path[1], NULL, &err), PINION_OK);
    CHECK(system(command) == 0);

    pinion_sweep_result *r = pinion_sweep_result_load(path[0], &err);
    pinion_sweep_worker *w = pinion_sweep_worker_new(s, &err);
    for (uint64_t i = 40; r && w && i-- > 0;) {
        pinion_sweep_record x;
        CHECK_STATUS(pinion_sweep_run(w, i, &x), PINION_OK);
        for (int k = 0; k < 3; k++) {
            pinion_sweep_number n;
            const double *values;
            CHECK_STATUS(pinion_sweep_result_scalar(r, k, &n, &values), PINION_OK);
            CHECK(memcmp(&values[i], &x.scalars[k], 8) == 0);
        }
    }
    pinion_result *again = pinion_sweep_replay(w, 7, &err);
    CHECK(again && pinion_result_row_count(again) == 11 && pinion_result_find_column(again, "error.v.joint3") > 0);
    pinion_result_free(again);
    pinion_sweep_worker_free(w);
    pinion_sweep_result_free(r);
    pinion_sweep_free(s);
    for (int i = 0; i < 4; i++) remove(path[i]);
    rmdir(folder);
}

/* one that leaves all bounds does not touch its neighbours */
TEST(runs_that_fail)
{
    pinion_error err;
    pinion_sweep *s = need("planar-3r.json", ROLLOUT, "\"integrator\": \"euler\"",
                           "\"vary\": [{\"name\": \"v\", \"what\": \"v0\", \"of\": \"joint1\", "
                           "\"list\": [1, 1e200, 2]}],"
                           "\"keep\": [{\"name\": \"q\", \"column\": \"q.joint1\", \"take\": \"max\"}]");
    pinion_sweep_worker *w = s ? pinion_sweep_worker_new(s, &err) : NULL;
    pinion_sweep_record r;
    CHECK(w && pinion_sweep_run(w, 1, &r) == PINION_OK && r.outcome == PINION_SWEEP_NOT_FINITE && *r.why);
    CHECK(w && r.t_end < 0.2);
    CHECK(w && pinion_sweep_run(w, 2, &r) == PINION_OK && r.outcome == PINION_SWEEP_COMPLETE);
    pinion_sweep_worker_free(w);
    pinion_sweep_free(s);
}

/* runs that explode end as simulations do, and as early. Gains that a step of 1 ms does not bear,
 * and ones that it does; coarse steps; a free body, which has a quaternion */
TEST(explosions)
{
    static const struct {
        const char *model, *run, *vary;
        double least, most; /* part that is to fail */
    } cases[] = {
        {"arm-6dof.json",
         "\"duration\": 0.05, \"integrator\": \"rk4\", \"step\": 1e-3, \"control_step\": 1e-3, \"output_step\": 1e-3, "
         "\"control\": \"pd\", \"kp\": 50, \"kd\": 5, \"to\": [1, 0, 1, 0, 1, 0]",
         "\"q0\", \"of\": \"*\", \"uniform\": [-1, 1]", 0.9, 1},
        {"arm-6dof.json",
         "\"duration\": 0.1, \"integrator\": \"rk4\", \"step\": 1e-3, \"control_step\": 1e-3, \"output_step\": 1e-2, "
         "\"control\": \"pd\", \"kp\": [50, 50, 20, 1, 0.1, 0.01], \"kd\": [5, 5, 2, 0.05, 0.005, 0.0002]",
         "\"q0\", \"of\": \"*\", \"uniform\": [-1, 1]", 0, 0},
        {"planar-3r.json",
         "\"duration\": 1, \"integrator\": \"euler\", \"step\": 1e-2, \"output_step\": 0.1",
         "\"v0\", \"of\": \"*\", \"uniform\": [0, 60]", 0.2, 0.95},
        {"quadruped.json",
         "\"duration\": 0.2, \"integrator\": \"rk4\", \"step\": 5e-3, \"output_step\": 0.01",
         "\"v0\", \"of\": \"*\", \"uniform\": [0, 90]", 0.1, 0.95},
        /* one step, which makes as much energy as it has */
        {"planar-3r.json", "\"duration\": 1, \"integrator\": \"rk4\", \"step\": 1, \"output_step\": 1",
         "\"q0\", \"of\": \"*\", \"uniform\": [0.9, 1]", 1, 1},
        {"planar-3r.json", "\"duration\": 3, \"integrator\": \"euler\", \"step\": 3, \"output_step\": 3",
         "\"q0\", \"of\": \"*\", \"uniform\": [0.9, 1]", 1, 1},
        /* the first one from rest */
        {"planar-3r.json", "\"duration\": 1e-3, \"integrator\": \"euler\", \"step\": 1e-3, \"output_step\": 1e-3",
         "\"q0\", \"of\": \"*\", \"uniform\": [0.9, 1]", 0, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        pinion_sweep_worker *w[2] = {NULL, NULL};
        pinion_sweep *s[2] = {NULL, NULL};
        pinion_error err = {PINION_OK, 0, 0, ""};
        int failed = 0;
        for (int e = 0; e < 2; e++) {
            char text[1500];
            snprintf(text, sizeof text,
                     "{\"model\": \"%s\", \"engine\": \"%s\", \"count\": 40, \"seed\": 3, \"run\": {%s%s}, "
                     "\"vary\": [{\"name\": \"x\", \"what\": %s}]}",
                     cases[c].model, e ? "sim" : "rollout", cases[c].run, e ? ", \"friction_speed\": 0" : "",
                     cases[c].vary);
            s[e] = pinion_sweep_load_string(text, strlen(text), "plan.json", models, &err);
            w[e] = s[e] ? pinion_sweep_worker_new(s[e], &err) : NULL;
            if (!w[e]) CHECK_FAIL("%s", err.message);
        }
        for (uint64_t i = 0; i < 40 && w[0] && w[1]; i++) {
            pinion_sweep_record a, b;
            CHECK(pinion_sweep_run(w[0], i, &a) == PINION_OK && pinion_sweep_run(w[1], i, &b) == PINION_OK);
            failed += a.outcome != PINION_SWEEP_COMPLETE;
            if ((a.outcome == PINION_SWEEP_COMPLETE) != (b.outcome == PINION_SWEEP_COMPLETE) ||
                fabs(a.t_end - b.t_end) > 0.1)
                CHECK_FAIL("case %zu, run %d: side by side %s at %g (%s), alone %s at %g (%s)", c, (int)i,
                           pinion_sweep_outcome_name(a.outcome), a.t_end, a.why, pinion_sweep_outcome_name(b.outcome),
                           b.t_end, b.why);
            if (a.outcome == PINION_SWEEP_FAILED) CHECK_HAS(a.why, "the energies do not balance");
        }
        if (failed < cases[c].least * 40 || failed > cases[c].most * 40) CHECK_FAIL("case %zu: %d failed", c, failed);
        for (int e = 0; e < 2; e++) {
            pinion_sweep_worker_free(w[e]);
            pinion_sweep_free(s[e]);
        }
    }
}

TEST(mistakes)
{
    static const char *const cases[][3] = {
        {"\"integrator\": \"dopri5\"", VARY "]", "\"rk4\" or \"euler\""},
        {"\"integrator\": \"rk4\", \"control\": \"gravity\"", VARY "]", "\"none\" or \"pd\""},
        {"\"integrator\": \"rk4\", \"stop_when\": []", VARY "]", "rollouts have none"},
        {"\"integrator\": \"rk4\"",
         VARY "{\"name\": \"m\", \"what\": \"mass\", \"of\": \"link3\", \"list\": [1]}]", "vary alone"},
        {"\"integrator\": \"rk4\", \"control\": \"pd\", \"control_step\": 4e-3", VARY "]", "once a step"},
        {"\"integrator\": \"rk4\", \"step\": 3e-3", VARY "]", "whole number of steps"},
        {"\"command\": \"linearize\"", VARY "]", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        char text[1000];
        snprintf(text, sizeof text, "{\"model\": \"planar-3r.json\", " ROLLOUT " \"run\": {%s%s}, %s}",
                 strstr(cases[i][0], "step\": 3e-3") ? "\"duration\": 0.2, "
                 : strstr(cases[i][0], "command")    ? ""
                                                     : "\"duration\": 0.2, \"step\": 2e-3, ",
                 cases[i][0], cases[i][1]);
        pinion_sweep *s = pinion_sweep_load_string(text, strlen(text), "plan.json", models, &err);
        if (s) CHECK_FAIL("accepted: %s", text);
        CHECK_HAS(err.message, cases[i][2]);
        pinion_sweep_free(s);
    }
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK(!load("planar-3r.json", "\"instructions\": \"z80\",", "\"integrator\": \"rk4\"", VARY "]", &err));
    CHECK_HAS(err.message, "this machine computes with");
}

/* Passive forces that rollouts have not are told with the line and the element; without them the model is taken. */
TEST(elements_that_rollouts_lack)
{
    static const char *const cases[][3] = {
        {", \"gravity_compensation\": 0.5", "", "no gravity compensation of links, as of \"car\""},
        {", \"drag\": {\"linear\": [1, 0, 0, 0, 0, 0]}", "", "no drag of links, as of \"car\""},
        {"", ", \"tendons\": [{\"name\": \"rope\", \"joints\": [\"x\"], \"stiffness\": 3}]",
         "no springs and dampers of tendons, as of \"rope\""},
    };
    char folder[] = "/tmp/pinion-lanes-XXXXXX", path[100], text[2000];
    if (!mkdtemp(folder)) CHECK_FAIL("no folder");
    snprintf(path, sizeof path, "%s/m.json", folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        FILE *f = fopen(path, "w");
        CHECK(f && fprintf(f, "{\"pinion\": 1, \"links\": [{\"name\": \"g\"}, {\"name\": \"car\", \"mass\": 2, "
                              "\"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}%s}], \"joints\": [{\"name\": \"x\", "
                              "\"type\": \"prismatic\", \"parent\": \"g\", \"child\": \"car\"}]%s}\n",
                           cases[i][0], cases[i][1]) > 0 && fclose(f) == 0);
        for (int passive = 0; passive < 2; passive++) {
            snprintf(text, sizeof text,
                     "{\"model\": \"m.json\", \"engine\": \"rollout\",\n\"run\": {\"duration\": 0.1, \"integrator\": "
                     "\"rk4\"%s},\n\"vary\": [{\"name\": \"a\", \"what\": \"q0\", \"of\": \"x\", \"list\": [1]}]}",
                     passive ? "" : ", \"passive\": false");
            pinion_sweep *s = pinion_sweep_load_string(text, strlen(text), "plan.json", folder, &err);
            if (!passive && !s) CHECK_FAIL("%s", err.message);
            if (passive && s) CHECK_FAIL("accepted: %s", cases[i][2]);
            if (passive) {
                CHECK_HAS(err.message, "plan.json:2: run: ");
                CHECK_HAS(err.message, cases[i][2]);
            }
            pinion_sweep_free(s);
        }
    }
    remove(path);
    rmdir(folder);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    models = getenv("PINION_MODELS");
    RUN(the_numbers_of_simulations);
    RUN(whatever_the_company);
    RUN(runs_that_fail);
    RUN(explosions);
    RUN(mistakes);
    RUN(elements_that_rollouts_lack);
    return CHECK_END();
}
