/* Runs of a sweep: each parameter and each scalar against a closed form, outcomes, and mistakes in plans. */
#define _DEFAULT_SOURCE
#include "check.h"
#include <unistd.h>
#include "pinion/sim/sim.h"

/* A mass of 2 kg on a slide along x, with a tip 0.5 m ahead. */
static const char slide[] =
    "{\"pinion\": 1, \"name\": \"slide\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"g\"},\n"
    " {\"name\": \"car\", \"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],\n"
    "\"joints\": [{\"name\": \"x\", \"type\": \"prismatic\", \"parent\": \"g\", \"child\": \"car\", "
    "\"axis\": [1, 0, 0]}],\n"
    "\"frames\": [{\"name\": \"tip\", \"link\": \"car\", \"origin\": {\"position\": [0.5, 0, 0]}}]}\n";

static char folder[] = "/tmp/pinion-sweep-XXXXXX";

/* Writes a file of the folder; 0: it cannot. */
static int put(const char *name, const char *text)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    return f && fputs(text, f) >= 0 && fclose(f) == 0;
}

static pinion_sweep *load(const char *plan, pinion_error *err)
{
    return pinion_sweep_load_string(plan, strlen(plan), "plan.json", folder, err);
}

/* Plan with these keys of the run, parameters and scalars. */
static pinion_sweep *make(const char *run, const char *vary, const char *keep)
{
    char text[4000];
    pinion_error err = {PINION_OK, 0, 0, ""};
    snprintf(text, sizeof text,
             "{\"model\": \"slide.json\", \"run\": {\"duration\": 2, \"tol\": 1e-11%s%s}, "
             "\"vary\": [%s], \"keep\": [%s]}",
             *run ? ", " : "", run, vary, keep);
    pinion_sweep *s = load(text, &err);
    if (!s) CHECK_FAIL("%s", err.message);
    return s;
}

/* The first scalar of a run, which must be complete. */
static double scalar(const pinion_sweep *s, uint64_t run)
{
    pinion_error err;
    pinion_sweep_record r;
    pinion_sweep_worker *w = s ? pinion_sweep_worker_new(s, &err) : NULL;
    double x = NAN;
    if (w && pinion_sweep_run(w, run, &r) == PINION_OK) {
        x = r.scalars[0];
        if (r.outcome != PINION_SWEEP_COMPLETE) CHECK_FAIL("run %d: %s", (int)run, r.why);
    }
    pinion_sweep_worker_free(w);
    return x;
}

/* One parameter with two values, and what q becomes. */
static void expect(const char *run, const char *vary, double first, double second)
{
    pinion_sweep *s = make(run, vary, "{\"name\": \"x\", \"column\": \"q.x\", \"take\": \"final\"}");
    CHECK(pinion_sweep_count(s) == 2);
    CHECK_NEAR(scalar(s, 0), first, 1e-9);
    CHECK_NEAR(scalar(s, 1), second, 1e-9);
    pinion_sweep_free(s);
}

/* x = F t^2 / (2 m) after 2 s */
TEST(masses_forces_and_gravity)
{
    expect("\"torque\": {\"x\": 3}",
           "{\"name\": \"m\", \"what\": \"mass\", \"of\": \"car\", \"list\": [2, 4]}", 3, 1.5);
    expect("\"torque\": [3]",
           "{\"name\": \"m\", \"what\": \"mass\", \"of\": \"c*\", \"as\": \"factor\", \"list\": [0.5, 1.5]}",
           6, 2);
    expect("\"torque\": [3]", "{\"name\": \"m\", \"what\": \"payload\", \"of\": \"car\", \"list\": [0, 1]}",
           3, 2);
    expect("\"torque\": [3]", "{\"name\": \"J\", \"what\": \"rotor\", \"of\": \"x\", \"list\": [1, 2]}", 2,
           1.5);
    expect("\"torque\": [3]",
           "{\"name\": \"F\", \"what\": \"torque\", \"of\": \"x\", \"as\": \"offset\", \"list\": [1, -3]}", 4,
           0);
    expect("", "{\"name\": \"g\", \"what\": \"gravity\", \"axis\": \"x\", \"list\": [1, -9.81]}", 2, -19.62);
    expect("\"v0\": [1]", "{\"name\": \"t\", \"what\": \"duration\", \"as\": \"factor\", \"list\": [0.5, 2]}",
           1, 4);
}

/* each payload is a point of its own; what no body can have does not start */
TEST(loads_that_add_and_values_that_cannot_be)
{
    static const char *const wrong[] = {
        "{\"name\": \"v\", \"what\": \"inertia\", \"of\": \"car\", \"as\": \"factor\", \"list\": [-0.5]}",
        "{\"name\": \"v\", \"what\": \"step\", \"list\": [0]}",
        "{\"name\": \"v\", \"what\": \"payload\", \"of\": \"car\", \"list\": [-5]}",
        "{\"name\": \"v\", \"what\": \"mass\", \"of\": \"car\", \"as\": \"factor\", \"list\": [-0.5]}",
        "{\"name\": \"v\", \"what\": \"damping\", \"of\": \"x\", \"list\": [-5]}"},
                             *const said[] = {"v = -0.5: not a value that the inertia of link \"car\" can have",
                                              "v = 0: not a value that the step of the run can have",
                                              "v = -5: not a value that the payload of link \"car\" can have",
                                              "v = -0.5: not a value that the mass of link \"car\" can have: -1 kg",
                                              "v = -5: not a value that the damping of joint \"x\" can have"};
    expect("\"torque\": [3]",
           "{\"name\": \"a\", \"what\": \"payload\", \"of\": \"car\", \"at\": [1, 0, 0], \"list\": [0, 1]}, "
           "{\"name\": \"b\", \"what\": \"payload\", \"of\": \"car\", \"at\": [0, 2, 0], \"list\": [2]}",
           1.5, 1.2);
    for (int i = 0; i < 5; i++) {
        pinion_error err;
        pinion_sweep_record r;
        pinion_sweep *s = make("", wrong[i], "{\"name\": \"x\", \"column\": \"q.x\", \"take\": \"final\"}");
        pinion_sweep_worker *w = pinion_sweep_worker_new(s, &err);
        CHECK(pinion_sweep_run(w, 0, &r) == PINION_OK && r.outcome == PINION_SWEEP_NO_START);
        CHECK_HAS(r.why, said[i]);
        pinion_sweep_worker_free(w);
        pinion_sweep_free(s);
    }
}

TEST(starts)
{
    expect("\"v0\": {\"x\": 1}", "{\"name\": \"x\", \"what\": \"q0\", \"of\": \"x\", \"list\": [1, -2]}", 3,
           0);
    expect("\"q0\": [1]", "{\"name\": \"v\", \"what\": \"v0\", \"of\": \"x\", \"grid\": [0.5, 2, 2]}", 2, 5);
}

/* m x'' = -d x' - k (x - x0) */
/* a run that follows a file's motion starts on it, unless it is told where; what varies changes that start */
TEST(starts_on_a_motion)
{
#define FOLLOW(more) "\"control\": \"pd\", \"kp\": 50, \"kd\": 10, \"trajectory\": \"slide.csv\"" more
#define FIRST(column) "{\"name\": \"x\", \"column\": \"" column "\", \"take\": \"initial\"}"
#define CHANGED(what) "{\"name\": \"p\", \"what\": \"" what "\", \"of\": \"x\", \"as\": \"offset\", \"list\": [0, 0.5]}"
    static const struct {
        const char *run, *vary, *keep;
        double first, second;
    } cases[] = {
        {FOLLOW(""), CHANGED("q0"), FIRST("q.x"), 1, 1.5},
        {FOLLOW(""), CHANGED("q0"), FIRST("v.x"), 0.25, 0.25},
        {FOLLOW(", \"v0\": [3]"), CHANGED("q0"), FIRST("v.x"), 3, 3},
        {FOLLOW(", \"q0\": [7]"), CHANGED("q0"), FIRST("q.x"), 7, 7.5},
        {FOLLOW(""), "{\"name\": \"p\", \"what\": \"trajectory\", \"list\": [\"slide.csv\", \"other.csv\"]}",
         FIRST("q.x"), 1, -2},
        {FOLLOW(""), "{\"name\": \"p\", \"what\": \"control\", \"list\": [\"pd\", \"none\"]}", FIRST("q.x"), 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pinion_sweep *s = make(cases[i].run, cases[i].vary, cases[i].keep);
        CHECK_NEAR(scalar(s, 0), cases[i].first, 1e-12);
        CHECK_NEAR(scalar(s, 1), cases[i].second, 1e-12);
        pinion_sweep_free(s);
    }
}

TEST(dampers_springs_and_friction)
{
    expect("\"v0\": [1]", "{\"name\": \"d\", \"what\": \"damping\", \"of\": \"x\", \"list\": [1, 2]}",
           2 * (1 - exp(-1)), 1 - exp(-2));
    expect("\"q0\": [1]", "{\"name\": \"k\", \"what\": \"stiffness\", \"of\": \"x\", \"list\": [8, 2]}",
           cos(4), cos(2));
    expect("\"friction\": \"exact\", \"v0\": [4]",
           "{\"name\": \"f\", \"what\": \"friction\", \"of\": \"x\", \"list\": [2, 16]}", 6, 1);
    /* towards x = 1 with kp 2 and kd 0; cos of the same spring */
    expect("\"control\": \"pd\", \"kd\": 0, \"kp\": 1, \"q0\": [0], \"to\": {\"x\": 1}, \"profile\": "
           "\"uniform\"",
           "{\"name\": \"k\", \"what\": \"kp\", \"of\": \"*\", \"list\": [2, 8]}", 1 - sin(2.) / 2,
           1 - sin(4.) / 4);
}

/* numbers of the model's JSON by their place, and models of another size: the tip is where the scale says */
TEST(models_made_anew)
{
    static const char tip[] =
        "{\"name\": \"d\", \"frame\": \"tip\", \"target\": [0, 0, 0], \"take\": \"final\"}";
    pinion_sweep *s =
        make("",
             "{\"name\": \"l\", \"what\": \"model\", \"of\": \"/frames/tip/origin/position/0\", "
             "\"as\": \"factor\", \"list\": [2, 3]}",
             tip);
    CHECK_NEAR(scalar(s, 0), 1, 1e-12);
    CHECK_NEAR(scalar(s, 1), 1.5, 1e-12);
    pinion_sweep_free(s);
    /* poses that are zero are not in the model's file, and can vary all the same */
    s = make("",
             "{\"name\": \"o\", \"what\": \"model\", \"of\": \"/joints/x/origin/position/1\", \"list\": [0, 2]}",
             tip);
    CHECK_NEAR(scalar(s, 0), 0.5, 1e-12);
    CHECK_NEAR(scalar(s, 1), sqrt(4.25), 1e-12);
    pinion_sweep_free(s);
    s = make("\"frames\": [\"tip\"]",
             "{\"name\": \"o\", \"what\": \"model\", \"of\": \"/joints/x/origin/rpy/2\", \"list\": [0, 1]}",
             "{\"name\": \"y\", \"column\": \"frame.tip.position.1\", \"take\": \"final\"}");
    CHECK_NEAR(scalar(s, 1), 0.5 * sin(1), 1e-12);
    pinion_sweep_free(s);
    s = make("\"torque\": [8]", "{\"name\": \"l\", \"what\": \"scale\", \"list\": [1, 2]}", tip);
    CHECK_NEAR(scalar(s, 0), 8.5, 1e-9);
    CHECK_NEAR(scalar(s, 1), 2, 1e-9); /* eight times the mass: x = 1, and the tip 1 ahead */
    pinion_sweep_free(s);
}

/* a free root is not in the model's JSON: models that are read again have it all the same */
TEST(free_roots)
{
    static const char box[] =
        "{\"pinion\": 1, \"name\": \"box\", \"links\": [{\"name\": \"box\", \"mass\": 2, "
        "\"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}]}";
    char model[300];
    snprintf(model, sizeof model, "%s/box.json", folder);
    FILE *f = fopen(model, "w");
    CHECK(f && fputs(box, f) >= 0 && fclose(f) == 0);
    char part[2][300], *const paths[2] = {part[0], part[1]};
    pinion_error err = {PINION_OK, 0, 0, ""};
    const char *plan = "{\"model\": \"box.json\", \"load\": {\"root\": \"free\", \"gravity\": [0, 0, -2]}, "
                       "\"run\": {\"duration\": 1}, \"vary\": [{\"name\": \"m\", \"what\": \"model\", "
                       "\"of\": \"/links/box/mass\", \"list\": [1, 5]}], "
                       "\"keep\": [{\"name\": \"z\", \"column\": \"q.root.6\", \"take\": \"final\"}]}";
    pinion_sweep *s = load(plan, &err);
    if (!s) CHECK_FAIL("%s", err.message);
    CHECK_NEAR(scalar(s, 1), -1, 1e-9);
    for (int i = 0; i < 2; i++) {
        pinion_sweep_options o = pinion_sweep_options_default();
        o.shards = 2;
        o.shard = i;
        snprintf(part[i], sizeof part[i], "%s/%d.part", folder, i);
        CHECK_STATUS(pinion_sweep_to_file(s, part[i], &o, NULL, &err), PINION_OK);
    }
    char whole[300];
    snprintf(whole, sizeof whole, "%s/whole.h5", folder);
    if (pinion_sweep_merge(2, (const char *const *)paths, whole, NULL, &err) != PINION_OK)
        CHECK_FAIL("%s", err.message);
    for (int i = 0; i < 2; i++) remove(part[i]);
    remove(whole);
    remove(model);
    pinion_sweep_free(s);
}

/* x' = exp(-t) with m = d = 2 */
TEST(scalars)
{
    static const struct {
        const char *keep;
        double value, tolerance;
        const char *unit;
    } cases[] = {
        {"\"column\": \"v.x\", \"take\": \"initial\"", 1, 1e-12, "m/s"},
        {"\"column\": \"v.x\", \"take\": \"final\"", 0.1353352832366127, 1e-9, "m/s"},
        {"\"column\": \"v.x\", \"take\": \"min\"", 0.1353352832366127, 1e-9, "m/s"},
        {"\"column\": \"a.x\", \"take\": \"max\"", -0.1353352832366127, 1e-9, "m/s^2"},
        {"\"column\": \"a.*\", \"take\": \"peak\"", 1, 1e-9, "m/s^2"},
        {"\"column\": \"v.x\", \"take\": \"integral\"", 0.8646647167633873, 1e-6, "m/s s"},
        {"\"column\": \"v.x\", \"take\": \"mean\"", 0.4323323583816936, 1e-6, "m/s"},
        {"\"column\": \"v.x\", \"take\": \"rms\"", 0.49540014, 1e-5, "m/s"},
        {"\"column\": \"v.x\", \"take\": \"settling\", \"within\": 0.5", 0.694, 1e-9, "s"},
        {"\"frame\": \"tip\", \"target\": [0.5, 3, 4], \"take\": \"min\"", 5, 1e-12, "m"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char keep[300];
        pinion_sweep_number n = {0};
        snprintf(keep, sizeof keep, "{\"name\": \"s\", %s}", cases[i].keep);
        pinion_sweep *s =
            make("\"v0\": [1], \"output_step\": 0.002",
                 "{\"name\": \"d\", \"what\": \"damping\", \"of\": \"x\", \"list\": [2]}", keep);
        CHECK_NEAR(scalar(s, 0), cases[i].value, cases[i].tolerance);
        CHECK(s && pinion_sweep_scalar(s, 0, &n) == PINION_OK && strcmp(n.unit, cases[i].unit) == 0);
        pinion_sweep_free(s);
    }
}

TEST(outcomes)
{
    pinion_error err;
    pinion_sweep_record r;
    pinion_sweep *s =
        make("\"v0\": [1], \"stop_when\": [{\"plane\": \"car\", \"normal\": [1, 0, 0], \"height\": 1}], "
             "\"max_steps\": 200",
             "{\"name\": \"m\", \"what\": \"mass\", \"of\": \"car\", \"list\": [1, -1]}, "
             "{\"name\": \"h\", \"what\": \"step\", \"list\": [0.01, 1e-6]},"
             "{\"name\": \"how\", \"what\": \"integrator\", \"list\": [\"dopri5\", \"rk4\"]}",
             "{\"name\": \"x\", \"column\": \"q.x\", \"take\": \"final\"}");
    pinion_sweep_worker *w = pinion_sweep_worker_new(s, &err);
    CHECK(pinion_sweep_count(s) == 8);
    CHECK_STATUS(pinion_sweep_run(w, 0, &r), PINION_OK); /* the plane is reached after 1 s */
    CHECK(r.outcome == PINION_SWEEP_STOPPED);
    CHECK_NEAR(r.t_end, 1, 1e-9);
    CHECK_NEAR(r.scalars[0], 1, 1e-9);
    CHECK_HAS(r.why, "car");
    CHECK_STATUS(pinion_sweep_run(w, 3, &r), PINION_OK); /* 200 steps of a microsecond */
    CHECK(r.outcome == PINION_SWEEP_LIMITED);
    CHECK_NEAR(r.t_end, 2e-4, 1e-9);
    CHECK_STATUS(pinion_sweep_run(w, 4, &r), PINION_OK); /* a mass of -1 kg */
    CHECK(r.outcome == PINION_SWEEP_NO_START && isnan(r.t_end) && isnan(r.scalars[0]));
    CHECK_HAS(r.why, "m = -1: ");
    CHECK_STATUS(pinion_sweep_run(w, 1, &r), PINION_OK); /* what ran before leaves nothing */
    CHECK_NEAR(r.t_end, 1, 1e-9);
    CHECK_STATUS(pinion_sweep_run(w, 8, &r), PINION_ERR_ARGUMENT);
    pinion_sweep_worker_free(w);
    pinion_sweep_free(s);
}

/* the last of lists and grids is the fastest, and samples are the same at every point */
TEST(numbering)
{
    pinion_error err;
    double x[3], y[3];
    pinion_sweep_number n;
    const char *plan =
        "{\"model\": \"slide.json\", \"run\": {\"duration\": 1}, \"count\": 5, \"seed\": 3, "
        "\"sampling\": \"latin\", \"vary\": ["
        "{\"name\": \"a\", \"what\": \"q0\", \"of\": \"x\", \"list\": [1, 2]},"
        "{\"name\": \"b\", \"what\": \"v0\", \"of\": \"x\", \"normal\": [0, 1], \"within\": [-1, 1]},"
        "{\"name\": \"c\", \"what\": \"damping\", \"of\": \"x\", \"grid\": [1, 100, 3], \"log\": true}]}";
    pinion_sweep *s = load(plan, &err);
    CHECK(s && pinion_sweep_count(s) == 30 && pinion_sweep_parameter_count(s) == 3);
    CHECK(pinion_sweep_parameters(s, 5, x) == PINION_OK && pinion_sweep_parameters(s, 25, y) == PINION_OK);
    CHECK(x[0] == 1 && y[0] == 2 && x[1] == y[1] && fabs(x[1]) < 1);
    CHECK_NEAR(x[2], 10, 1e-12);
    CHECK_NEAR(y[2], 100, 1e-12);
    CHECK(pinion_sweep_parameter(s, 1, &n) == PINION_OK && strcmp(n.unit, "m/s") == 0 && !n.words);
    CHECK_STATUS(pinion_sweep_parameters(s, 30, x), PINION_ERR_ARGUMENT);
    pinion_sweep_free(s);
}

/* ------------------------------------------------------------------------------------------------ */

TEST(mistakes)
{
#define RUN_OF "{\"model\": \"slide.json\", \"run\": {\"duration\": 1},\n"
#define RUN_WITH(x) "{\"model\": \"slide.json\", \"run\": {\"duration\": 1, " x "}}"
#define VARY(x) RUN_OF " \"count\": 3, \"vary\": [\n  {" x "}]}"
#define KEEP(x) RUN_OF " \"keep\": [\n  {" x "}]}"
    static const char *const cases[][2] = {
        {"{\"run\": {}}", "plan.json:1: the key \"model\" is missing"},
        {"{\"model\": \"none.json\"}", "none.json"},
        {"{\"model\": \"slide.json\"}", "\"run\" is missing"},
        {RUN_OF " \"precision\": \"single\"}", "plan.json:2: precision: is \"single\", expected \"double\""},
        {"{\"model\": \"slide.json\", \"run\": {}}", "\"duration\" is missing"},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": -1}}", "run.duration: is not above 0"},
        {"{\"model\": \"slide.json\",\n\"run\": {\"duration\": 1, \"integrater\": \"rk4\"}}", "plan.json:2:"},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1, \"integrator\": \"rk5\"}}",
         "run.integrator"},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1, \"q0\": {\"y\": 1}}}",
         "no joint has that name"},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1, \"kp\": 3}}", "has no use without"},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1, \"frames\": [\"tap\"]}}",
         "no link or frame \"tap\""},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1, \"stop_when\": [{\"limit\": \"y\"}]}}",
         "no joint is named"},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1, \"control\": \"task\"}}", "go together"},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1, \"contact_tol\": 1e-6}}", "goes with \"contact\""},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1, \"contact\": \"ground\",\n\"contact_solver\": \"x\"}}",
         "plan.json:2: run.contact_solver: is no solver"},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1, \"contact\": \"ground\", \"contact_tol\": 2}}",
         "is not below 1"},
        {RUN_OF "\"count\": 0}", "expected a whole number"},
        {RUN_OF "\"count\": 1000000000000000000}", "to 2^53"},
        {RUN_OF "\"seed\": 18446744073709551615}", "to 2^53"},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1, \"integrator\": \"rk5\"}}",
         "one of dopri5, verner65, rk4"},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1, \"control\": \"pid\"}}", "one of none, gravity, pd"},
        {VARY("\"name\": \"m\", \"what\": \"maas\""), "seed, control, integrator, trajectory, scale, model"},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1,\n\"integrator\": \"rk4\", \"step\": 5}}",
         "plan.json:2: run.step: is longer than the duration"},
        {VARY("\"name\": \"a\", \"what\": \"mass\", \"of\": \"*\", \"as\": \"factor\", \"list\": [1, 2]},\n"
              "{\"name\": \"b\", \"what\": \"mass\", \"of\": \"*\", \"list\": [1, 2]"),
         "plan.json:4: vary[1]: sets all that vary[0], \"a\", changes"},
        {VARY("\"name\": \"a\", \"what\": \"gravity\", \"axis\": \"z\", \"list\": [1, 2]},\n"
              "{\"name\": \"b\", \"what\": \"gravity\", \"axis\": \"z\", \"list\": [1, 2]"),
         "which has no effect"},
        {RUN_OF "\"count\": 2, \"correlations\": [[\"a\", \"b\", 0.5],\n[\"b\", \"a\", 0.2]], \"vary\": ["
                "{\"name\": \"a\", \"what\": \"v0\", \"of\": \"x\", \"normal\": [0, 1]},"
                "{\"name\": \"b\", \"what\": \"q0\", \"of\": \"x\", \"normal\": [0, 1]}]}",
         "plan.json:3: correlations[1]: is there twice"},
        {RUN_OF "\"count\": 2, \"vary\": [{\"name\": \"a\", \"what\": \"v0\", \"of\": \"x\", \"normal\": [0, 1]},"
                "{\"name\": \"b\", \"what\": \"q0\", \"of\": \"x\", \"normal\": [0, 1]},"
                "{\"name\": \"c\", \"what\": \"mass\", \"of\": \"car\", \"normal\": [2, 0.1]}],\n"
                "\"correlations\": [[\"a\", \"b\", 0.9], [\"b\", \"c\", 0.9], [\"a\", \"c\", -0.9]]}",
         "plan.json:3: correlations: "},
        {"{\"model\": \"slide.json\", \"engine\": \"rollout\", \"run\": {\"duration\": 1, \"integrator\": \"rk4\"},\n"
         "\"vary\": [{\"name\": \"a\", \"what\": \"v0\", \"of\": \"x\", \"list\": [1, 2]},\n"
         "{\"name\": \"m\", \"what\": \"mass\", \"of\": \"*\", \"list\": [1, 2]}]}",
         "plan.json:3: vary[1]: \"m\": in rollouts"},
        {RUN_OF "\"sampling\": \"sobol\"}", "has no use"},
        {VARY("\"what\": \"mass\""), "plan.json:3: vary[0]: the key \"name\" is missing"},
        {VARY("\"name\": \"m\", \"what\": \"maas\""), "plan.json:3: vary[0].what"},
        {VARY("\"name\": \"m\", \"what\": \"mass\", \"of\": \"cart\", \"list\": [1]"),
         "no link is named \"cart\""},
        {VARY("\"name\": \"m\", \"what\": \"mass\", \"of\": \"car\""), "its values are missing"},
        {VARY("\"name\": \"m\", \"what\": \"mass\", \"of\": \"car\", \"list\": []"), "has no values"},
        {VARY("\"name\": \"m\", \"what\": \"mass\", \"of\": \"car\", \"uniform\": [2, 1]"),
         "vary[0].uniform"},
        {VARY("\"name\": \"m\", \"what\": \"mass\", \"of\": \"car\", \"normal\": [2, -1]"), "vary[0].normal"},
        {VARY("\"name\": \"m\", \"what\": \"mass\", \"of\": \"car\", \"list\": [1], \"normal\": [2, 1]"),
         "one of them"},
        {VARY("\"name\": \"m\", \"what\": \"com\", \"of\": \"car\", \"list\": [1]"), "needs \"axis\""},
        {VARY("\"name\": \"m\", \"what\": \"inertia\", \"of\": \"car\", \"list\": [1]"),
         "\"as\": \"factor\""},
        {VARY("\"name\": \"m\", \"what\": \"kp\", \"of\": \"x\", \"list\": [1]"), "no controller with gains"},
        {VARY("\"name\": \"m\", \"what\": \"to\", \"of\": \"x\", \"list\": [1]"), "the run has none"},
        {VARY("\"name\": \"m\", \"what\": \"model\", \"of\": \"/links/car/mas\", \"list\": [1]"),
         "nothing at"},
        {VARY("\"name\": \"m\", \"what\": \"model\", \"of\": \"/links/car/name\", \"list\": [1]"),
         "no number"},
        {VARY("\"name\": \"m\", \"what\": \"integrator\", \"uniform\": [1, 2]"), "words"},
        {KEEP("\"name\": \"m\", \"column\": \"q.y\", \"take\": \"final\""), "no column \"q.y\""},
        {KEEP("\"name\": \"m\", \"column\": \"*\", \"take\": \"final\""), "is of one column"},
        {KEEP("\"name\": \"m\", \"column\": \"q.x\", \"take\": \"last\""), "keep[0].take"},
        {KEEP("\"name\": \"m\", \"column\": \"q.x\", \"take\": \"settling\""), "go together"},
        {KEEP("\"name\": \"m\", \"frame\": \"tip\", \"take\": \"final\""), "\"target\" is missing"},
        {RUN_OF "\"count\": 2, \"correlations\": [[\"a\", \"b\", 0.5]], \"vary\": ["
                "{\"name\": \"a\", \"what\": \"v0\", \"of\": \"x\", \"normal\": [0, 1]}]}",
         "is named \"b\""},
        /* what pinion sim refuses, too */
        {RUN_WITH("\"integrator\": \"rk4\",\n\"tol\": 1e-6"), "plan.json:2: run.tol: rk4 takes steps of the length"},
        {RUN_WITH("\"integrator\": \"euler\", \"max_step\": 1e-6"), "run.max_step: euler takes steps"},
        {RUN_WITH("\"rtol\": 0, \"atol\": 0"), "run.rtol: rtol and atol are both 0"},
        {RUN_WITH("\"rpy\": true"), "run.rpy: has no use without \"frames\""},
        {RUN_WITH("\"baumgarte\": 5"), "run.baumgarte: has no use without"},
        {RUN_WITH("\"max_steps\": 2.5"), "run.max_steps: is no whole number"},
        {RUN_WITH("\"stiction\": 2"), "run.stiction: has no use without \"friction\": \"exact\""},
        {RUN_WITH("\"friction\": \"exact\", \"stiction\": 0.5"), "run.stiction: is below 1"},
        {RUN_WITH("\"friction\": \"exact\", \"friction_speed\": 0.5"), "run.friction_speed: has no use"},
        {RUN_WITH("\"control_step\": 0.1"), "run.control_step: has no use without \"control\""},
        {RUN_WITH("\"control\": \"pd\", \"control_step\": 0.1, \"control_delay\": 0.2"), "is longer than"},
        {RUN_WITH("\"limit_effort\": true"), "run.limit_effort: has no use"},
        {RUN_WITH("\"control\": \"pd\", \"to\": [1], \"blend\": 0.2"), "run.blend: is of \"profile\": \"trapezoidal\""},
        {RUN_WITH("\"control\": \"pd\", \"to\": [1], \"profile\": \"trapezoidal\", \"blend\": 0.7"), "above 0.5"},
        {RUN_WITH("\"control\": \"pd\", \"profile\": \"quintic\""), "run.profile: has no use without \"to\""},
        {RUN_WITH("\"control\": \"pd\", \"kd\": \"stiff\""), "run.kd: found a string, expected a number, an array"},
        /* what is found when the run is tried has its line, too */
        {RUN_WITH("\"control\": \"pd\",\n\"trajectory\": \"no.csv\""), "plan.json:2: run.trajectory: "},
        {RUN_WITH("\n\"forces\": \"no.json\""), "no.json: cannot be read"},
        {RUN_WITH("\n\"forces\": \"no.json\""), "plan.json:2: run.forces: "},
        {RUN_WITH("\"integrator\": \"rk4\",\n\"step\": 1e-300"), "plan.json:2: run.step: 1 s in steps of"},
        {RUN_WITH("\n\"stop_when\": [{\"plane\": \"tip\", \"normal\": [0, 0, 0]}]"),
         "plan.json:2: run.stop_when[0].normal: has no direction"},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1, \"control\": \"pd\", \"trajectory\": \"slide.csv\"},\n"
         "\"vary\": [\n{\"name\": \"m\", \"what\": \"trajectory\", \"list\": [\"slide.csv\", \"no.csv\"]}]}",
         "plan.json:3: "},
        {KEEP("\"name\": \"m\", \"plugin\": \"no.so:f\""), "plan.json:3: "},
        {"[1, 2", "plan.json:1"},
        {"[]", "object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_sweep *s = load(cases[i][0], &err);
        if (s) CHECK_FAIL("accepted: %s", cases[i][0]);
        CHECK_HAS(err.message, cases[i][1]);
        pinion_sweep_free(s);
    }
    CHECK(!pinion_sweep_load(NULL, NULL) && !pinion_sweep_load("/none/plan.json", NULL));
}

/* as many sampled ones as a plan may have, and lists, of which the last is the fastest */
TEST(many_parameters)
{
    enum { SAMPLED = 1024, LISTS = 300, COUNT = SAMPLED + LISTS, ROOM = 120 * COUNT };
    static char text[ROOM];
    static double x[COUNT];
    pinion_error err = {PINION_OK, 0, 0, ""};
    size_t used = (size_t)snprintf(
        text, ROOM, "{\"model\": \"slide.json\", \"count\": 3, \"run\": {\"duration\": 1}, \"vary\": [");
    for (int i = 0; i < COUNT; i++)
        used += (size_t)snprintf(text + used, ROOM - used,
                                 "%s{\"name\": \"p%d\", \"what\": \"v0\", \"of\": \"x\", \"as\": \"offset\", "
                                 "\"%s\": [%d%s]}",
                                 i ? ", " : "", i, i < SAMPLED ? "uniform" : "list", i,
                                 i < SAMPLED || i >= COUNT - 2 ? ", 2000" : "");
    snprintf(text + used, ROOM - used, "]}");
    pinion_sweep *s = load(text, &err);
    if (!s) CHECK_FAIL("%s", err.message);
    CHECK(pinion_sweep_count(s) == 12);
    CHECK_STATUS(pinion_sweep_parameters(s, 7, x), PINION_OK); /* point 2, sample 1 */
    for (int i = 0; i < SAMPLED; i++) CHECK(x[i] > i && x[i] < 2000);
    for (int i = SAMPLED; i < COUNT - 2; i++) CHECK(x[i] == i);
    CHECK(x[COUNT - 2] == 2000 && x[COUNT - 1] == COUNT - 1);
    pinion_sweep_free(s);
}

/* what changes nothing is told, with its line; what is fine is not */
TEST(notes)
{
#define NOTED(x)                                                                                                       \
    "{\"model\": \"slide.json\", \"run\": {\"duration\": 1}, \"count\": 3, \"vary\": [\n  {\"name\": \"p\", " x "}]}"
    static const char *const cases[][2] = {
        {NOTED("\"what\": \"friction\", \"of\": \"x\", \"as\": \"factor\", \"uniform\": [0, 2]"),
         "plan.json:2: vary \"p\" changes nothing: \"friction\" is 0"},
        {NOTED("\"what\": \"v0\", \"of\": \"x\", \"as\": \"factor\", \"list\": [1, 2]"), "\"v0\" is 0"},
        {NOTED("\"what\": \"mass\", \"of\": \"car\", \"list\": [2, 2]"), "all its values are the same"},
        {NOTED("\"what\": \"mass\", \"of\": \"car\", \"grid\": [2, 2, 3]"), "all its values are the same"},
        {NOTED("\"what\": \"mass\", \"of\": \"car\", \"as\": \"factor\", \"list\": [1, 2]"), NULL},
        {NOTED("\"what\": \"friction\", \"of\": \"x\", \"list\": [1, 2]"), NULL},
        {NOTED("\"what\": \"integrator\", \"list\": [\"rk4\", \"euler\"]"), NULL},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1,\n\"output_step\": 5}}",
         "plan.json:2: output_step is longer than the duration"},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1, \"output_step\": 1}}", NULL},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1}, \"count\": 3, \"sampling\": \"latin\", \"vary\": ["
         "{\"name\": \"a\", \"what\": \"v0\", \"of\": \"x\", \"normal\": [0, 1]},"
         "{\"name\": \"b\", \"what\": \"q0\", \"of\": \"x\", \"normal\": [0, 1]}],\n"
         "\"correlations\": [[\"a\", \"b\", 0.5]]}",
         "plan.json:2: beside \"latin\""},
        /* the second changes what the first made */
        {NOTED("\"what\": \"mass\", \"of\": \"car\", \"list\": [1, 2]}, {\"name\": \"k\", \"what\": \"mass\", "
               "\"of\": \"car\", \"as\": \"factor\", \"list\": [1, 2]"), NULL},
        {"{\"model\": \"ball.json\", \"run\": {\"duration\": 1,\n\"q0\": [0.6, 0.8001, 0, 0]}}",
         "plan.json:2: q0: the quaternion of joint \"b\""},
        {"{\"model\": \"ball.json\", \"run\": {\"duration\": 1}, \"vary\": [\n{\"name\": \"p\", \"what\": \"q0\", "
         "\"of\": \"b.1\", \"list\": [0, 1]}]}",
         "plan.json:2: vary \"p\" is a part of the quaternion"},
        {"{\"model\": \"ball.json\", \"run\": {\"duration\": 1, \"q0\": [0.6, 0.8, 0, 0]}}", NULL},
        /* gains of a controller that some of the runs have: 20 kg/s of 2 kg are not calm every 0.1 s */
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1, \"control_step\": 0.1},\n"
         "\"vary\": [{\"name\": \"p\", \"what\": \"control\", \"list\": [\"none\", \"pd\"]}]}",
         "plan.json:1: run: kp 100 and kd 20 every 0.1 s would shake light joints, which have less: x 12.5 and 10"},
        {"{\"model\": \"slide.json\", \"run\": {\"duration\": 1, \"control_step\": 0.1, \"control\": \"pd\", "
         "\"kd\": 10}}",
         NULL},
        /* beyond limits, as degrees are */
        {"{\"model\": \"door.json\", \"run\": {\"duration\": 1,\n\"q0\": [90]}}",
         "plan.json:2: q0: 90 rad of joint \"b\" is beyond its limits, -1 to 2; angles are in rad"},
        {"{\"model\": \"door.json\", \"run\": {\"duration\": 1, \"control\": \"pd\",\n\"to\": [-1.5]}}",
         "plan.json:2: to: -1.5 rad of joint \"b\" is beyond its limits, -1 to 2"},
        {"{\"model\": \"door.json\", \"run\": {\"duration\": 1}, \"vary\": [\n{\"name\": \"p\", \"what\": \"q0\", "
         "\"of\": \"b\", \"list\": [0, 45]}]}",
         "plan.json:2: vary \"p\": 45 rad of joint \"b\""},
        {"{\"model\": \"door.json\", \"run\": {\"duration\": 1}, \"count\": 2, \"vary\": [\n{\"name\": \"p\", "
         "\"what\": \"q0\", \"of\": \"b\", \"uniform\": [-1, 2.5]}]}",
         "plan.json:2: vary \"p\": 2.5 rad"},
        {"{\"model\": \"door.json\", \"run\": {\"duration\": 1}, \"count\": 2, \"vary\": [\n{\"name\": \"p\", "
         "\"what\": \"q0\", \"of\": \"b\", \"uniform\": [-1, 2]}]}",
         NULL},
    };
    static const char ball[] =
        "{\"pinion\": 1, \"name\": \"ball\", \"links\": [{\"name\": \"g\"}, {\"name\": \"l\", \"mass\": 1, "
        "\"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": \"b\", \"type\": \"spherical\", "
        "\"parent\": \"g\", \"child\": \"l\"}]}";
    static const char door[] =
        "{\"pinion\": 1, \"name\": \"door\", \"links\": [{\"name\": \"g\"}, {\"name\": \"l\", \"mass\": 1, "
        "\"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": \"b\", \"type\": \"revolute\", "
        "\"parent\": \"g\", \"child\": \"l\", \"axis\": [0, 0, 1], \"limits\": [-1, 2]}]}";
    CHECK(put("ball.json", ball) && put("door.json", door));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_sweep *s = load(cases[i][0], &err);
        if (!s) CHECK_FAIL("%s", err.message);
        CHECK(pinion_sweep_note_count(s) == (cases[i][1] != NULL));
        if (s && cases[i][1]) CHECK_HAS(pinion_sweep_note(s, 0), cases[i][1]);
        CHECK(!pinion_sweep_note(s, 1));
        pinion_sweep_free(s);
    }
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK(!load("{\"model\": \"ball.json\", \"run\": {\"duration\": 1, \"q0\": [1, 1, 0, 0]}}", &err));
    CHECK_HAS(err.message, "not of length 1");
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    if (!mkdtemp(folder)) return 1;
    if (!put("slide.json", slide)) return 1;
    if (!put("slide.csv", "t,q.x\n0,1\n1,1.25\n2,1.5\n") || !put("other.csv", "t,q.x\n0,-2\n1,-2\n2,-2\n")) return 1;
    RUN(masses_forces_and_gravity);
    RUN(loads_that_add_and_values_that_cannot_be);
    RUN(starts);
    RUN(starts_on_a_motion);
    RUN(dampers_springs_and_friction);
    RUN(models_made_anew);
    RUN(free_roots);
    RUN(scalars);
    RUN(outcomes);
    RUN(numbering);
    RUN(mistakes);
    RUN(many_parameters);
    RUN(notes);
    static const char *const made[] = {"slide.json", "slide.csv", "other.csv", "ball.json", "door.json"};
    for (int i = 0; i < 5; i++) {
        char path[100];
        snprintf(path, sizeof path, "%s/%s", folder, made[i]);
        remove(path);
    }
    rmdir(folder);
    return CHECK_END();
}
