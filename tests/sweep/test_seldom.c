/* What plans seldom have: named states, models that are loaded otherwise, tendons, sensors, parameters
 * that have no part in a run; and files of a sweep that another one writes. Numbers are closed forms. */
#define _DEFAULT_SOURCE
#include "check.h"
#include "pinion/sim/sim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/pinion-sweep-seldom-XXXXXX";

#include "folder.h"

/* A mass of 2 kg on a slide along x, which a state of the model has at 0.3 m and 2 m/s. */
#define SLIDE(more)                                                                                                    \
    "{\"pinion\": 1, \"name\": \"slide\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"g\"}, {\"name\": \"car\", " \
    "\"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": \"x\", \"type\": "         \
    "\"prismatic\", \"parent\": \"g\", \"child\": \"car\", \"axis\": [1, 0, 0]}]" more "}"

static void put(const char *name, const char *text)
{
    FILE *f = fopen(in_folder(name), "w");
    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static pinion_sweep *load(const char *plan, pinion_error *err)
{
    *err = (pinion_error){PINION_OK, 0, 0, ""};
    return pinion_sweep_load_string(plan, strlen(plan), "plan.json", folder, err);
}

/* The scalars of the runs of a plan, `count` of each, which must be complete. */
static void expect(const char *plan, int runs, int count, const double *values)
{
    pinion_error err;
    pinion_sweep *s = load(plan, &err);
    pinion_sweep_worker *w = s ? pinion_sweep_worker_new(s, &err) : NULL;
    if (!w) CHECK_FAIL("%s: %s", plan, err.message);
    CHECK(w && pinion_sweep_count(s) == (uint64_t)runs && pinion_sweep_scalar_count(s) == count);
    for (int i = 0; w && i < runs; i++) {
        pinion_sweep_record r;
        CHECK_STATUS(pinion_sweep_run(w, (uint64_t)i, &r), PINION_OK);
        if (r.outcome != PINION_SWEEP_COMPLETE) CHECK_FAIL("%s: run %d: %s", plan, i, r.why);
        for (int k = 0; k < count; k++) CHECK_NEAR(r.scalars[k], values[i * count + k], 1e-9);
    }
    pinion_sweep_worker_free(w);
    pinion_sweep_free(s);
}

#define PLAN(model, run, vary, keep)                                                                                   \
    "{\"model\": \"" model "\", \"run\": {" run "}, \"vary\": [" vary "], \"keep\": [" keep "]}"
#define SCALAR(name, column, take) "{\"name\": \"" name "\", \"column\": \"" column "\", \"take\": \"" take "\"}"
#define FINAL SCALAR("end", "q.x", "final")
#define LIST(what, more, list) "{\"name\": \"p\", \"what\": \"" what "\"" more ", \"list\": [" list "]}"

TEST(starts_by_name)
{
    expect(PLAN("slide.json", "\"duration\": 1, \"state\": \"thrown\"", LIST("mass", ", \"of\": \"car\"", "2"),
                SCALAR("q", "q.x", "initial") ", " SCALAR("v", "v.x", "initial") ", " FINAL),
           1, 3, (const double[]){0.3, 2, 2.3});
    expect(PLAN("slide.json", "\"duration\": 1, \"q0\": \"thrown\"", LIST("mass", ", \"of\": \"car\"", "2"),
                SCALAR("q", "q.x", "initial") ", " SCALAR("v", "v.x", "initial")),
           1, 2, (const double[]){0.3, 0});
    expect(PLAN("slide.json", "\"duration\": 1, \"v0\": \"thrown\"", LIST("mass", ", \"of\": \"car\"", "2"),
                SCALAR("q", "q.x", "initial") ", " SCALAR("v", "v.x", "initial")),
           1, 2, (const double[]){0, 2});
    /* one number of all velocities */
    expect(PLAN("slide.json", "\"duration\": 2, \"v0\": 1.5", LIST("mass", ", \"of\": \"car\"", "2"), FINAL), 1, 1,
           (const double[]){3});

    pinion_error err;
    pinion_sweep *s = load(PLAN("slide.json", "\"duration\": 1", "", ""), &err);
    CHECK(s && pinion_model_nv(pinion_sweep_model(s)) == 1 && !pinion_sweep_model(NULL));
    pinion_sweep_free(s);
}

/* A follower that is loaded as a joint of its own stays where it is when its leader moves. */
TEST(models_that_are_loaded_otherwise)
{
#define PAIR(load) "{\"model\": \"pair.json\", \"load\": {" load "}, \"run\": {\"duration\": 1, \"v0\": {\"x\": 1}}, " \
                   "\"keep\": [{\"name\": \"d\", \"frame\": \"b\", \"target\": [0, 0, 0], \"take\": \"final\"}]}"
    expect(PAIR("\"mimic\": \"independent\""), 1, 1, (const double[]){1});
    expect(PAIR("\"root\": \"fixed\", \"mimic\": \"follow\", \"strict\": true"), 1, 1, (const double[]){3});
}

/* A tendon of length 2 x that is relaxed at 0.5: at 1 m it is 1.5 m too long, and its force acts twice. */
TEST(tendons)
{
    const double k = 40, d = 6, f = 2 * (k * 1.5 + d * 2 * 0.5);
    expect(PLAN("tendon.json", "\"command\": \"eval\", \"q0\": [1], \"v0\": [0.5], \"a0\": [3], \"torque\": [7], "
                "\"passive\": true, \"what\": [\"energy\", \"inverse_dynamics\", \"forward_dynamics\"]",
                LIST("mass", ", \"of\": \"car\"", "2, 5"),
                "{\"name\": \"V\", \"column\": \"energy.potential\"}, "
                "{\"name\": \"tau\", \"column\": \"inverse_dynamics.x\"}, "
                "{\"name\": \"a\", \"column\": \"forward_dynamics.x\"}"),
           2, 3,
           (const double[]){k / 2 * 2.25, 2 * 3 + f, (7 - f) / 2, k / 2 * 2.25, 5 * 3 + f, (7 - f) / 5});
    expect(PLAN("tendon.json", "\"command\": \"id\", \"duration\": 2, \"to\": {\"x\": 1}, \"passive\": true",
                LIST("mass", ", \"of\": \"car\"", "2"),
                SCALAR("start", "tau.x", "initial") ", " SCALAR("end", "tau.x", "final")),
           1, 2, (const double[]){-2 * k * 0.5, 2 * k * 1.5});
}

/* What varies in the run itself. */
TEST(numbers_of_the_run)
{
    /* m x'' = k (rest - x) from 0 for 1 s with k = 2 m: rest (1 - cos t sqrt 2) */
    expect(PLAN("spring.json", "\"duration\": 1, \"tol\": 1e-12",
                LIST("rest", ", \"of\": \"x\"", "0.5, -1"), FINAL),
           2, 1, (const double[]){0.5 * (1 - cos(sqrt(2))), -(1 - cos(sqrt(2)))});
    /* 3 N against friction of 2 N: at rest it holds up to stiction times that */
    expect(PLAN("rough.json", "\"duration\": 2, \"torque\": [3], \"friction\": \"exact\", \"tol\": 1e-12",
                LIST("stiction", "", "1, 1.6"), FINAL),
           2, 1, (const double[]){1, 0});
    /* smooth friction is 2 N times v / speed where that is slow: v = 0.1 exp(-t F / (m speed)) at most by its tanh */
    pinion_error err;
    pinion_sweep *s = load(PLAN("rough.json", "\"duration\": 0.05, \"v0\": [0.01], \"tol\": 1e-12",
                                LIST("friction_speed", "", "1, 10"), SCALAR("v", "v.x", "final")), &err);
    pinion_sweep_worker *w = s ? pinion_sweep_worker_new(s, &err) : NULL;
    if (!w) CHECK_FAIL("%s", err.message);
    for (int i = 0; w && i < 2; i++) {
        pinion_sweep_record r;
        CHECK(pinion_sweep_run(w, (uint64_t)i, &r) == PINION_OK && r.outcome == PINION_SWEEP_COMPLETE);
        CHECK_NEAR(r.scalars[0], 0.01 * exp(-0.05 / (i ? 10 : 1)), 1e-6);
    }
    pinion_sweep_worker_free(w);
    pinion_sweep_free(s);
    /* a damper that is looked at once a period: v0 t - kd v0 / m t^2 / 2 in the first one, which a delay leaves out */
#define DAMPED "\"duration\": 1, \"control\": \"pd\", \"kp\": 0, \"kd\": 2, \"v0\": [0.25], \"tol\": 1e-12"
    expect(PLAN("slide.json", DAMPED ", \"control_step\": 1", LIST("control_delay", "", "0, 1"), FINAL), 2, 1,
           (const double[]){0.125, 0.25});
    expect(PLAN("slide.json", DAMPED ", \"control_step\": 1", LIST("control_step", "", "1, 0.5"), FINAL), 2, 1,
           (const double[]){0.125, 0.140625});
    expect(PLAN("slide.json", DAMPED, LIST("kd", ", \"of\": \"x\"", "2, 6"), FINAL), 2, 1,
           (const double[]){0.25 * (1 - exp(-1)), 0.25 / 3 * (1 - exp(-3))});
}

/* Sensors whose noise is the seed's: the same seed gives the same run, another one another. */
TEST(sensors)
{
    put("sensors.json", "{\"sensors\": [{\"name\": \"e\", \"type\": \"encoder\", \"joint\": \"x\", \"noise\": 0.01}]}");
    pinion_error err;
    pinion_sweep *s = load(PLAN("slide.json", "\"duration\": 0.2, \"integrator\": \"rk4\", \"step\": 0.01, "
                                "\"control\": \"pd\", \"control_step\": 0.01, \"sensors\": \"sensors.json\"",
                                LIST("seed", "", "3, 4, 3"), FINAL), &err);
    pinion_sweep_worker *w = s ? pinion_sweep_worker_new(s, &err) : NULL;
    double end[3] = {0, 0, 0};
    if (!w) CHECK_FAIL("%s", err.message);
    for (int i = 0; w && i < 3; i++) {
        pinion_sweep_record r;
        CHECK(pinion_sweep_run(w, (uint64_t)i, &r) == PINION_OK && r.outcome == PINION_SWEEP_COMPLETE);
        end[i] = r.scalars[0];
    }
    CHECK(end[0] == end[2] && end[0] != end[1] && end[0] != 0);
    pinion_sweep_worker_free(w);
    pinion_sweep_free(s);
}

/* Half of the interval of a mean of 1, 2, 3, 4 is 1.95996 sqrt(5/3) / 2 = 1.26517 at 95 %. */
TEST(enough)
{
    static const double scalars[] = {9, 1, 9, 2, 9, 3, 9, 4, 9, 1e6};
    static const unsigned char outcome[] = {0, 1, 0, 0, PINION_SWEEP_FAILED}; /* what failed does not count */
    for (int k = 0; k < 2; k++) {
        char plan[700];
        pinion_error err;
        snprintf(plan, sizeof plan,
                 "{\"model\": \"slide.json\", \"count\": 100, \"run\": {\"duration\": 1}, \"vary\": [{\"name\": \"m\", "
                 "\"what\": \"mass\", \"of\": \"car\", \"uniform\": [1, 2]}], \"keep\": [" FINAL
                 ", " SCALAR("most", "q.x", "max") "], \"stop\": {\"of\": \"most\", \"within\": %s, \"every\": 4}}",
                 k ? "1.2652" : "1.2651");
        pinion_sweep *s = load(plan, &err);
        if (!s) CHECK_FAIL("%s", err.message);
        CHECK(pinion_sweep_enough(s, 5, outcome, scalars) == k);
        CHECK(!pinion_sweep_enough(s, 1, outcome, scalars)); /* one number has no interval */
        CHECK(!pinion_sweep_enough(s, 5, NULL, scalars) && !pinion_sweep_enough(s, 5, outcome, NULL));
        pinion_sweep_free(s);
    }
    CHECK(!pinion_sweep_enough(NULL, 5, outcome, scalars));
}

/* What changes nothing, since it multiplies zeros. */
TEST(factors_of_zeros)
{
#define FACTOR(what, of) "{\"name\": \"p\", \"what\": \"" what "\", \"of\": \"" of "\", \"as\": \"factor\", " \
                         "\"list\": [1, 2]}"
#define EVAL "\"command\": \"eval\", \"what\": [\"energy\", \"forward_dynamics\"]"
    static const struct {
        const char *plan, *what;
    } cases[] = {
        {PLAN("slide.json", EVAL, FACTOR("q0", "x"), ""), "q0"},
        {PLAN("slide.json", EVAL, FACTOR("a0", "x"), ""), "a0"},
        {PLAN("slide.json", EVAL ", \"a0\": [1]", FACTOR("a0", "x"), ""), NULL},
        {PLAN("slide.json", EVAL, FACTOR("torque", "x"), ""), "torque"},
        {PLAN("slide.json", EVAL ", \"torque\": [1]", FACTOR("torque", "x"), ""), NULL},
        {PLAN("slide.json", EVAL, FACTOR("inertia", "g"), ""), "inertia"},
        {PLAN("slide.json", EVAL, FACTOR("inertia", "car"), ""), NULL},
        {PLAN("slide.json", EVAL, "{\"name\": \"p\", \"what\": \"com\", \"axis\": \"y\", \"of\": \"car\", \"as\": "
              "\"factor\", \"list\": [1, 2]}", ""), "com"},
        {PLAN("slide.json", "\"duration\": 1, \"control\": \"pd\", \"kp\": 0", FACTOR("kp", "x"), ""), "kp"},
        {PLAN("slide.json", "\"duration\": 1, \"control\": \"pd\", \"kd\": 0", FACTOR("kd", "x"), ""), "kd"},
        {PLAN("slide.json", "\"duration\": 1, \"control\": \"pd\"", FACTOR("kd", "x"), ""), NULL},
        {PLAN("slide.json", "\"duration\": 1, \"control\": \"pd\", \"to\": [0]", FACTOR("to", "x"), ""), NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pinion_error err;
        char note[100];
        pinion_sweep *s = load(cases[i].plan, &err);
        if (!s) CHECK_FAIL("%s: %s", cases[i].plan, err.message);
        snprintf(note, sizeof note, "vary \"p\" changes nothing: \"%s\" is 0 wherever", cases[i].what);
        CHECK(pinion_sweep_note_count(s) == (cases[i].what != NULL));
        if (s && cases[i].what) CHECK_HAS(pinion_sweep_note(s, 0), note);
        pinion_sweep_free(s);
    }
}

TEST(mistakes)
{
#define DURATION "\"duration\": 1"
    static const char *const cases[][2] = {
        {PLAN("slide.json", DURATION ", \"state\": 3", "", ""), "run.state: found a number, expected the name of a"},
        {PLAN("slide.json", DURATION ", \"state\": \"asleep\"", "", ""), "the model has no state of that name"},
        {PLAN("slide.json", DURATION ", \"v0\": \"asleep\"", "", ""), "run.v0: the model has no state of that name"},
        {PLAN("slide.json", DURATION ", \"q0\": 3", "", ""), "run.q0: "},
        {"{\"model\": \"slide.json\", \"load\": {\"root\": \"loose\"}, \"run\": {\"duration\": 1}}",
         "load.root: is \"loose\", expected \"fixed\" or \"free\""},
        {"{\"model\": \"slide.json\", \"load\": {\"mimic\": 1}, \"run\": {\"duration\": 1}}", "load.mimic: "},
        {"{\"model\": \"slide.json\", \"load\": {\"speed\": 1}, \"run\": {\"duration\": 1}}", "load"},
        {PLAN("slide.json", DURATION, LIST("seed", "", "1, 2"), ""), "\"seed\" is of sensors, and the run has none"},
        {PLAN("slide.json", DURATION, LIST("trajectory", "", "\"a.csv\""), ""), "and the run follows none"},
        {PLAN("slide.json", DURATION, LIST("stiction", "", "1"), ""), "\"stiction\" is of \"friction\": \"exact\""},
        {PLAN("slide.json", DURATION ", \"friction\": \"exact\"", LIST("friction_speed", "", "1"), ""),
         "\"friction_speed\" has no use with \"friction\": \"exact\""},
        {PLAN("slide.json", DURATION, LIST("control_delay", "", "1"), ""), "needs the run's \"control_step\""},
        {PLAN("slide.json", "\"command\": \"id\", \"trajectory\": \"way.csv\"", LIST("duration", "", "1"), ""),
         "\"duration\" is that of the trajectory"},
        {PLAN("slide.json", DURATION ", \"passive\": false", LIST("rest", ", \"of\": \"x\"", "1"), ""),
         "\"rest\" has no effect without \"passive\": true"},
        {PLAN("slide.json", DURATION ", \"control\": \"pd\", \"control_step\": 0.1, \"sensors\": \"no.json\"", "", ""),
         "run.sensors: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pinion_error err;
        pinion_sweep *s = load(cases[i][0], &err);
        if (s) CHECK_FAIL("accepted: %s", cases[i][0]);
        CHECK_HAS(err.message, cases[i][1]);
        pinion_sweep_free(s);
    }
    /* gains may vary where a controller that has them does: m x'' = -20 x' - 8 x has the roots -5 +- sqrt(21) */
    const double w = sqrt(21);
    expect(PLAN("slide.json", "\"duration\": 0.5, \"v0\": [1], \"tol\": 1e-12",
                "{\"name\": \"c\", \"what\": \"control\", \"list\": [\"none\", \"pd\"]}, "
                "{\"name\": \"k\", \"what\": \"kp\", \"of\": \"x\", \"list\": [8]}", FINAL),
           2, 1, (const double[]){0.5, exp(-2.5) * sinh(0.5 * w) / w});
}

static unsigned char *read_bytes(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    unsigned char *bytes = malloc(1 << 20);
    *size = f && bytes ? fread(bytes, 1, 1 << 20, f) : 0;
    if (f) fclose(f);
    CHECK(*size > 0);
    return bytes;
}

static void write_bytes(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
}

static uint64_t number(const unsigned char *at)
{
    uint64_t x = 0;
    for (int i = 8; i-- > 0;) x = x << 8 | at[i];
    return x;
}

/* A part whose head is sound and of another plan than its text, and one whose texts are not as long as it says. */
TEST(heads_of_parts)
{
    pinion_error err;
    char part[300], changed[300];
    size_t size = 0;
    pinion_sweep_options o = pinion_sweep_options_default();
    pinion_sweep *s = load(PLAN("slide.json", DURATION, LIST("v0", ", \"of\": \"x\"", "1, 2"), FINAL), &err);
    o.shards = 2;
    snprintf(part, sizeof part, "%s", in_folder("a.part"));
    snprintf(changed, sizeof changed, "%s", in_folder("b.part"));
    CHECK_STATUS(pinion_sweep_to_file(s, part, &o, NULL, &err), PINION_OK);
    unsigned char *bytes = read_bytes(part, &size);
    const uint64_t length = number(bytes + 8);
    if (length < 200 || length > size) CHECK_FAIL("this is not the head of a part");
    bytes[16] = bytes[16] == '0' ? '1' : '0'; /* the plan's identity */
    uint64_t sum = 14695981039346656037u;     /* FNV-1a */
    for (uint64_t i = 0; i + 8 < length && length <= size; i++) sum = (sum ^ bytes[i]) * 1099511628211u;
    for (int i = 0; i < 8 && length <= size; i++) bytes[length - 8 + (uint64_t)i] = (unsigned char)(sum >> 8 * i);
    write_bytes(changed, bytes, size);
    CHECK_STATUS(pinion_sweep_merge(1, (const char *const[]){changed}, in_folder("r.h5"), NULL, &err),
                 PINION_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "b.part: was written by another version, or is damaged");
    CHECK_STATUS(pinion_sweep_merge(1, (const char *const[]){changed}, in_folder("r.h5"), NULL, NULL),
                 PINION_ERR_UNSUPPORTED);
    free(bytes);
    bytes = read_bytes(part, &size);
    bytes[120]++; /* the length of the plan's text */
    write_bytes(changed, bytes, size);
    CHECK_STATUS(pinion_sweep_merge(1, (const char *const[]){changed}, in_folder("r.h5"), NULL, &err),
                 PINION_ERR_PARSE);
    CHECK_HAS(err.message, "b.part: not a file of a sweep, or damaged");
    free(bytes);
    pinion_sweep_free(s);
    remove(part);
    remove(changed);
    CHECK(access(in_folder("r.h5"), F_OK) != 0);
}

/* A plan longer than what is read of a part at once. */
TEST(long_heads)
{
    enum { ROOM = 3 << 20 };
    pinion_error err;
    char part[2][300], *text = malloc(ROOM + 1000);
    pinion_sweep_options o = pinion_sweep_options_default();
    pinion_sweep_state state = {0};
    int used = snprintf(text, 1000, "{\"model\": \"slide.json\", \"run\": {" DURATION "}, \"keep\": [" FINAL "],");
    memset(text + used, ' ', ROOM);
    snprintf(text + used + ROOM, 100, "\"vary\": [" LIST("v0", ", \"of\": \"x\"", "1, 2") "]}");
    pinion_sweep *s = load(text, &err);
    if (!s) CHECK_FAIL("%s", err.message);
    o.shards = 2;
    for (o.shard = 0; o.shard < 2; o.shard++) {
        snprintf(part[o.shard], sizeof part[0], "%s/%d.part", folder, o.shard);
        CHECK_STATUS(pinion_sweep_to_file(s, part[o.shard], &o, NULL, &err), PINION_OK);
    }
    if (pinion_sweep_merge(2, (const char *const[]){part[0], part[1]}, in_folder("r.h5"), &state, &err) != PINION_OK)
        CHECK_FAIL("%s", err.message);
    CHECK(state.runs == 2 && state.outcome[PINION_SWEEP_COMPLETE] == 2);
    pinion_sweep_free(s);
    free(text);
    remove(part[0]);
    remove(part[1]);
    remove(in_folder("r.h5"));
}

/* A joint that moves no mass has no acceleration: no gains are found for it, and no run is made. */
TEST(joints_that_move_nothing)
{
    pinion_error err;
    put("light.json", "{\"pinion\": 1, \"name\": \"m\", \"links\": [{\"name\": \"g\"}, {\"name\": \"a\"}], "
                      "\"joints\": [{\"name\": \"x\", \"type\": \"prismatic\", \"parent\": \"g\", \"child\": \"a\"}]}");
    pinion_sweep *s =
        load(PLAN("light.json", DURATION ", \"control\": \"pd\", \"control_step\": 0.1", "", FINAL), &err);
    pinion_sweep_worker *w = s ? pinion_sweep_worker_new(s, &err) : NULL;
    pinion_sweep_record r;
    CHECK(w && pinion_sweep_run(w, 0, &r) == PINION_OK && r.outcome > PINION_SWEEP_STOPPED);
    if (w) CHECK_HAS(r.why, "the mass matrix is singular: some motion moves no inertia: joint 'x'");
    pinion_sweep_worker_free(w);
    pinion_sweep_free(s);
    s = load("{\"model\": \"light.json\", \"engine\": \"rollout\", \"run\": {" DURATION ", \"integrator\": \"rk4\", "
             "\"step\": 0.01}}", &err);
    w = s ? pinion_sweep_worker_new(s, &err) : NULL;
    CHECK(w && pinion_sweep_run(w, 0, &r) == PINION_OK && r.outcome == PINION_SWEEP_FAILED);
    if (w) CHECK_HAS(r.why, "the step to t = 0.01: the mass matrix is singular");
    pinion_sweep_worker_free(w);
    pinion_sweep_free(s);
    remove(in_folder("light.json"));
}

/* What another sweep writes is not written by two, and what is no file is not read. */
TEST(files)
{
    pinion_error err;
    char journal[300], lock[320];
    pinion_sweep *s = load(PLAN("slide.json", DURATION, LIST("v0", ", \"of\": \"x\"", "1, 2"), FINAL), &err);
    if (!s) CHECK_FAIL("%s", err.message);
    snprintf(journal, sizeof journal, "%s", in_folder("r.h5.journal"));
    snprintf(lock, sizeof lock, "%s/lock", journal);
    CHECK(mkdir(journal, 0777) == 0);
    const int file = open(lock, O_RDWR | O_CREAT, 0666);
    CHECK(file >= 0 && flock(file, LOCK_EX) == 0);
    CHECK_STATUS(pinion_sweep_to_file(s, in_folder("r.h5"), NULL, NULL, &err), PINION_ERR_FILE);
    CHECK_HAS(err.message, "r.h5.journal: another sweep is writing there");
    close(file);
    CHECK_STATUS(pinion_sweep_to_file(s, in_folder("r.h5"), NULL, NULL, &err), PINION_OK);
    CHECK(access(journal, F_OK) != 0);
    remove(in_folder("r.h5"));
    CHECK_STATUS(pinion_sweep_to_file(s, in_folder("none/r.h5"), NULL, NULL, &err), PINION_ERR_FILE);
    CHECK_HAS(err.message, "none/r.h5.journal");
    CHECK_STATUS(pinion_sweep_merge(1, (const char *const[]){folder}, in_folder("r.h5"), NULL, &err), PINION_ERR_FILE);
    CHECK_HAS(err.message, "cannot be read: not a file");
    pinion_sweep_free(s);
}

int main(int argc, char **argv)
{
    static const char *const made[] = {"slide.json", "spring.json", "rough.json", "tendon.json",
                                       "pair.json",  "way.csv",     "sensors.json"};
    CHECK_BEGIN(argc, argv);
    if (!mkdtemp(folder)) return 1;
    put("slide.json", SLIDE(", \"states\": {\"thrown\": {\"q\": {\"x\": 0.3}, \"v\": {\"x\": 2}}}"));
    put("tendon.json", SLIDE(", \"tendons\": [{\"name\": \"t\", \"joints\": [\"x\"], \"weights\": [2], \"rest\": 0.5, "
                             "\"stiffness\": 40, \"damping\": 6}]"));
    put("spring.json", "{\"pinion\": 1, \"name\": \"m\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"g\"}, "
                       "{\"name\": \"car\", \"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], "
                       "\"joints\": [{\"name\": \"x\", \"type\": \"prismatic\", \"parent\": \"g\", \"child\": \"car\", "
                       "\"axis\": [1, 0, 0], \"spring\": {\"stiffness\": 4}}]}");
    put("rough.json", "{\"pinion\": 1, \"name\": \"m\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"g\"}, "
                      "{\"name\": \"car\", \"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], "
                      "\"joints\": [{\"name\": \"x\", \"type\": \"prismatic\", \"parent\": \"g\", \"child\": \"car\", "
                      "\"axis\": [1, 0, 0], \"friction\": 2}]}");
    put("pair.json", "{\"pinion\": 1, \"name\": \"m\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"g\"}, "
                     "{\"name\": \"a\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}, "
                     "{\"name\": \"b\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], "
                     "\"joints\": [{\"name\": \"x\", \"type\": \"prismatic\", \"parent\": \"g\", \"child\": \"a\", "
                     "\"axis\": [1, 0, 0]}, {\"name\": \"y\", \"type\": \"prismatic\", \"parent\": \"a\", "
                     "\"child\": \"b\", \"axis\": [1, 0, 0], \"mimic\": {\"joint\": \"x\", \"multiplier\": 2}}]}");
    put("way.csv", "t,q.x\n0,0\n1,1\n");
    RUN(starts_by_name);
    RUN(models_that_are_loaded_otherwise);
    RUN(tendons);
    RUN(numbers_of_the_run);
    RUN(sensors);
    RUN(enough);
    RUN(factors_of_zeros);
    RUN(mistakes);
    RUN(files);
    RUN(heads_of_parts);
    RUN(long_heads);
    RUN(joints_that_move_nothing);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) remove(in_folder(made[i]));
    CHECK(entries() == 0);
    rmdir(folder);
    return CHECK_END();
}
