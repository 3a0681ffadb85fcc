/* Where the runs of a sweep start: what varies there is held as pinion sim holds what --q0 and --v0 name, and a model
 * that is made anew for a run brings its own start. */
#define _DEFAULT_SOURCE
#include "scalars.h"
#include <unistd.h>

/* A slide that carries a hinge. */
static const char slide[] =
    "{\"pinion\": 1, \"name\": \"slide\", \"links\": [{\"name\": \"g\"},\n"
    " {\"name\": \"car\", \"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}},\n"
    " {\"name\": \"arm\", \"mass\": 1, \"com\": [0.1, 0, 0], \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],\n"
    "\"joints\": [{\"name\": \"s\", \"type\": \"prismatic\", \"parent\": \"g\", \"child\": \"car\",\n"
    "  \"axis\": [1, 0, 0], \"initial\": {\"q\": 0.4, \"v\": 0.2}},\n"
    " {\"name\": \"r\", \"type\": \"revolute\", \"parent\": \"car\", \"child\": \"arm\", \"axis\": [0, 1, 0],\n"
    "  \"initial\": {\"q\": 0.3, \"v\": 0.7}}],\n"
    "\"states\": {\"home\": {\"q\": {\"s\": 0.6, \"r\": 1}, \"v\": {\"s\": -0.5, \"r\": 0}}}}\n";

/* The bars of models/four-bar.json without masses that matter; the crank alone has an initial state. */
#define BAR(name) "{\"name\": \"" name "\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}"
static const char bars[] =
    "{\"pinion\": 1, \"name\": \"bars\", \"links\": [{\"name\": \"g\"}, " BAR("a") ", " BAR("b") ", " BAR("c") "],\n"
    "\"joints\": [{\"name\": \"crank\", \"type\": \"continuous\", \"parent\": \"g\", \"child\": \"a\",\n"
    "  \"initial\": {\"q\": 1.5, \"v\": 1}},\n"
    " {\"name\": \"coupler\", \"type\": \"continuous\", \"parent\": \"a\", \"child\": \"b\",\n"
    "  \"origin\": {\"position\": [0.2, 0, 0]}},\n"
    " {\"name\": \"rocker\", \"type\": \"continuous\", \"parent\": \"g\", \"child\": \"c\",\n"
    "  \"origin\": {\"position\": [0.5, 0, 0]}}],\n"
    "\"loops\": [{\"name\": \"pin\", \"type\": \"revolute\", \"parent\": \"b\", \"child\": \"c\",\n"
    "  \"origin\": {\"position\": [0.5, 0, 0]}, \"child_origin\": {\"position\": [0.4, 0, 0]}}],\n"
    "\"states\": {\"open\": {\"q\": {\"crank\": 1.3, \"coupler\": -1, \"rocker\": 1.7}, \"v\": {\"crank\": 2}}}}\n";

static char folder[] = "/tmp/pinion-starts-XXXXXX", slide_path[100], bars_path[100], bar_path[1000], crank_path[1000];

static pinion_sweep *load(const char *model, const char *run, const char *vary, const char *columns, pinion_error *err)
{
    char text[4000], keep[1000] = "", names[200], *rest = NULL;
    snprintf(names, sizeof names, "%s", columns);
    for (const char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        const size_t used = strlen(keep);
        const int end = *name == '>'; /* at the end */
        snprintf(keep + used, sizeof keep - used, "%s{\"name\": \"%s\", \"column\": \"%s\", \"take\": \"%s\"}",
                 used ? ", " : "", name, name + end, end ? "final" : "initial");
    }
    snprintf(text, sizeof text, "{\"model\": \"%s\", \"run\": {%s},\n\"vary\": [{%s}], \"keep\": [%s]}", model, run,
             vary, keep);
    *err = (pinion_error){PINION_OK, 0, 0, ""};
    return pinion_sweep_load_string(text, strlen(text), "plan.json", folder, err);
}

/* Columns at the start of all runs, `count` in each. */
static void expect(const char *model, const char *run, const char *vary, const char *columns, int runs, int count,
                   const double *values)
{
    pinion_error err;
    char what[1200];
    snprintf(what, sizeof what, "%s {%s}", run, vary);
    /* loops close to some 1e-12 */
    check_scalars(load(model, run, vary, columns, &err), &err, what, runs, count, values, 1e-10);
}

#define TURNS "\"name\": \"x\", \"what\": \"q0\", \"of\": \"crank\", \"list\": [0.1, 0.5, 1.0]"
#define SPEEDS "\"name\": \"x\", \"what\": \"v0\", \"of\": \"crank\", \"list\": [0.1, -3]"

/* the loops are closed by what does not vary, whatever the command */
TEST(what_varies_is_held)
{
    static const char *const runs[] = {
        "\"duration\": 0.01", "\"command\": \"linearize\"", "\"command\": \"eval\", \"what\": [\"energy\"]",
        "\"duration\": 0.01, \"q0\": {\"crank\": 0.3}", "\"duration\": 0.01, \"q0\": [0.3, 0.1, 1]"};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        expect(bar_path, runs[i], TURNS, "q.crank", 3, 1, (const double[]){0.1, 0.5, 1.0});
        if (!strstr(runs[i], "0.3}"))
            expect(bar_path, runs[i], "\"name\": \"x\", \"what\": \"q0\", \"of\": \"rocker\", \"list\": [1.9, 2.1]",
                   "q.rocker", 2, 1, (const double[]){1.9, 2.1});
        expect(bar_path, runs[i], SPEEDS, "v.crank", 2, 1, (const double[]){0.1, -3});
    }
    expect(bar_path, runs[0],
           "\"name\": \"x\", \"what\": \"q0\", \"of\": \"crank\", \"as\": \"offset\", \"list\": [0.1, -1]", "q.crank",
           2, 1, (const double[]){acos(0) + 0.1, acos(0) - 1});
    expect(bar_path, runs[0],
           "\"name\": \"x\", \"what\": \"v0\", \"of\": \"crank\", \"as\": \"factor\", \"list\": [0.5, -1]", "v.crank",
           2, 1, (const double[]){5, -10});
    /* what was held in a run is not in the next one, of another parameter */
    expect(bar_path, runs[0], TURNS "}, {\"name\": \"y\", \"what\": \"v0\", \"of\": \"crank\", \"list\": [1, 2]",
           "q.crank v.crank", 6, 2, (const double[]){0.1, 1, 0.1, 2, 0.5, 1, 0.5, 2, 1, 1, 1, 2});
}

/* The first run of a plan: how it ends and why, and what is noted of the plan, NULL: nothing. The others complete. */
static void check_one(const char *run, const char *vary, pinion_sweep_outcome outcome, const char *why,
                      const char *note)
{
    pinion_error err;
    pinion_sweep_record r;
    pinion_sweep *s = load(bar_path, run, vary, "q.rocker", &err);
    pinion_sweep_worker *w = s ? pinion_sweep_worker_new(s, &err) : NULL;
    if (!w) CHECK_FAIL("%s", err.message);
    CHECK(w && pinion_sweep_run(w, 0, &r) == PINION_OK && r.outcome == outcome);
    if (w) CHECK_HAS(r.why, why);
    for (uint64_t i = 1; w && i < pinion_sweep_count(s); i++)
        CHECK(pinion_sweep_run(w, i, &r) == PINION_OK && r.outcome == PINION_SWEEP_COMPLETE);
    CHECK(pinion_sweep_note_count(s) == (note != NULL));
    if (note && pinion_sweep_note_count(s)) CHECK_HAS(pinion_sweep_note(s, 0), note);
    pinion_sweep_worker_free(w);
    pinion_sweep_free(s);
}

/* what no position of the loops has does not start, and says so */
TEST(what_cannot_be_held)
{
    const char *const run = "\"duration\": 0.01";
    check_one(run, "\"name\": \"x\", \"what\": \"q0\", \"of\": \"rocker\", \"list\": [-1, 2]", PINION_SWEEP_NO_START,
              "the loops cannot be closed with q0 of this run: x = -1", NULL);
    check_one(run, "\"name\": \"x\", \"what\": \"v0\", \"of\": \"*\", \"list\": [1]", PINION_SWEEP_NO_START,
              "the loops cannot keep closed with v0 of this run: x = 1", NULL);
    /* where a search for rest begins is a guess */
    check_one("\"command\": \"linearize\", \"equilibrium\": true",
              "\"name\": \"x\", \"what\": \"q0\", \"of\": \"rocker\", \"list\": [-1]", PINION_SWEEP_FAILED,
              "no state of rest was found", NULL);
    /* what the run itself gives in all of them is told once, and they begin near it, as pinion sim does */
    check_one("\"duration\": 0.01,\n\"q0\": {\"rocker\": -1}",
              "\"name\": \"x\", \"what\": \"mass\", \"of\": \"crank\", \"list\": [1]", PINION_SWEEP_COMPLETE, "",
              "plan.json:2: q0: the loops cannot be closed with what it gives");
}

/* A state of the model is a guess in all its coordinates, as of pinion sim --state; a list of all is one where the
 * initial state says nothing. */
TEST(guesses)
{
    static const struct {
        const char *run;
        int initial;
    } cases[] = {{"\"duration\": 0.01, \"state\": \"open\"", 0},
                 {"\"command\": \"linearize\", \"state\": \"open\"", 0},
                 {"\"duration\": 0.01, \"q0\": \"open\", \"v0\": \"open\"", 1},
                 {"\"duration\": 0.01, \"q0\": [1.3, -1, 1.7], \"v0\": [2, 0, 0]", 1}};
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load(bars_path, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    for (size_t i = 0; i < sizeof cases / sizeof *cases && m; i++) {
        double q[3], v[3];
        CHECK_STATUS(pinion_model_state(m, 0, q, v), PINION_OK);
        CHECK_STATUS(pinion_start_close(m, NULL, NULL, cases[i].initial, q, v, NULL, &err), PINION_OK);
        CHECK((fabs(q[0] - 1.3) < 1e-10 && fabs(v[0] - 2) < 1e-10) == cases[i].initial);
        expect("bars.json", cases[i].run, "\"name\": \"m\", \"what\": \"mass\", \"of\": \"a\", \"list\": [1]",
               "q.crank q.rocker v.crank v.rocker", 1, 4, (const double[]){q[0], q[2], v[0], v[2]});
    }
    pinion_model_free(m);
}

/* the initial state is a part of the model; what the run says itself counts more */
TEST(numbers_of_the_model)
{
#define PLACES "q.s v.s q.r v.r"
#define POSITION "\"name\": \"x\", \"what\": \"model\", \"of\": \"/joints/s/initial/q\", \"list\": [0.9, -1]"
#define SPEED \
    "\"name\": \"x\", \"what\": \"model\", \"of\": \"/joints/s/initial/v\", \"as\": \"factor\", \"list\": [2, 3]"
    static const char *const runs[] = {"\"duration\": 0.01", "\"command\": \"linearize\"",
                                       "\"command\": \"eval\", \"what\": [\"energy\"]"};
    for (int i = 0; i < 3; i++) {
        expect("slide.json", runs[i], POSITION, PLACES, 2, 4, (const double[]){0.9, 0.2, 0.3, 0.7, -1, 0.2, 0.3, 0.7});
        expect("slide.json", runs[i], SPEED, PLACES, 2, 4, (const double[]){0.4, 0.4, 0.3, 0.7, 0.4, 0.6, 0.3, 0.7});
    }
    expect("slide.json", "\"command\": \"id\", \"duration\": 1, \"to\": {\"r\": 1}", POSITION, "q.s q.r", 2, 2,
           (const double[]){0.9, 0.3, -1, 0.3});
    expect("slide.json", "\"duration\": 0.01, \"q0\": {\"r\": 0.1}, \"v0\": {\"s\": 3}", POSITION, PLACES, 2, 4,
           (const double[]){0.9, 3, 0.1, 0.7, -1, 3, 0.1, 0.7});
    expect("slide.json", "\"duration\": 0.01, \"state\": \"home\"",
           "\"name\": \"x\", \"what\": \"model\", \"of\": \"/states/home/q/s\", \"list\": [5]", PLACES, 1, 4,
           (const double[]){5, -0.5, 1, 0});
    expect("slide.json", "\"duration\": 0.01, \"q0\": \"home\"",
           "\"name\": \"x\", \"what\": \"model\", \"of\": \"/states/home/q/s\", \"list\": [5]", PLACES, 1, 4,
           (const double[]){5, 0.2, 1, 0.7});
    /* what varies at the start changes what the model has then */
    expect("slide.json", "\"duration\": 0.01",
           POSITION "}, {\"name\": \"y\", \"what\": \"q0\", \"of\": \"s\", \"as\": \"offset\", \"list\": [0.01]",
           PLACES, 2, 4, (const double[]){0.91, 0.2, 0.3, 0.7, -0.99, 0.2, 0.3, 0.7});
}

/* an initial state that the run has another one for is told: it changes nothing */
TEST(initial_states_that_do_not_count)
{
    static const char *const cases[][3] = {
        {"\"duration\": 0.01, \"q0\": {\"s\": 1}", POSITION,
         "plan.json:2: vary \"x\" changes nothing: joint \"s\" starts where \"q0\" of the run says"},
        {"\"duration\": 0.01, \"state\": \"home\"", POSITION, "where \"state\" of the run says"},
        {"\"duration\": 0.01, \"v0\": [1, 2]", SPEED, "where \"v0\" of the run says"},
        {"\"duration\": 0.01, \"v0\": [1, 2]", POSITION, NULL},
        {"\"duration\": 0.01, \"q0\": {\"r\": 1}", POSITION, NULL},
        {"\"duration\": 0.01", POSITION, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pinion_error err;
        pinion_sweep *s = load("slide.json", cases[i][0], cases[i][1], "q.s", &err);
        CHECK(s && pinion_sweep_note_count(s) == (cases[i][2] != NULL));
        if (cases[i][2] && s && pinion_sweep_note_count(s)) CHECK_HAS(pinion_sweep_note(s, 0), cases[i][2]);
        pinion_sweep_free(s);
    }
}

/* lengths of the start are scaled with the model, as pinion convert does it; those that the run gives are as given */
TEST(scaled_models)
{
#define TWICE "\"name\": \"x\", \"what\": \"scale\", \"list\": [2, 0.5]"
    expect("slide.json", "\"duration\": 0.01", TWICE, PLACES, 2, 4,
           (const double[]){0.8, 0.4, 0.3, 0.7, 0.2, 0.1, 0.3, 0.7});
    expect("slide.json", "\"duration\": 0.01, \"state\": \"home\"", TWICE, PLACES, 2, 4,
           (const double[]){1.2, -1, 1, 0, 0.3, -0.25, 1, 0});
    expect("slide.json", "\"duration\": 0.01, \"q0\": {\"s\": 0.1}", TWICE, PLACES, 2, 4,
           (const double[]){0.1, 0.4, 0.3, 0.7, 0.1, 0.1, 0.3, 0.7});
    /* a state that a motion goes to is scaled, too */
    expect("slide.json", "\"command\": \"id\", \"duration\": 1, \"q0\": [0, 0], \"to\": \"home\"",
           TWICE "}, {\"name\": \"y\", \"what\": \"to\", \"of\": \"r\", \"list\": [0.25]", "q.s >q.s >q.r", 2, 3,
           (const double[]){0, 1.2, 0.25, 0, 0.3, 0.25});
    expect(crank_path, "\"duration\": 0.01", TWICE, "q.crank v.crank q.slider", 2, 3,
           (const double[]){acos(-1) / 6, 20, 2 * 0.38240652953342463, acos(-1) / 6, 20, 0.5 * 0.38240652953342463});
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    const char *models = getenv("PINION_MODELS");
    if (!models || !mkdtemp(folder)) return 1;
    snprintf(slide_path, sizeof slide_path, "%s/slide.json", folder);
    snprintf(bar_path, sizeof bar_path, "%s/four-bar.json", models);
    snprintf(crank_path, sizeof crank_path, "%s/slider-crank.json", models);
    snprintf(bars_path, sizeof bars_path, "%s/bars.json", folder);
    FILE *f = fopen(slide_path, "w"), *g = fopen(bars_path, "w");
    if (!f || !g || fputs(slide, f) < 0 || fclose(f) != 0 || fputs(bars, g) < 0 || fclose(g) != 0) return 1;
    RUN(what_varies_is_held);
    RUN(what_cannot_be_held);
    RUN(guesses);
    RUN(numbers_of_the_model);
    RUN(initial_states_that_do_not_count);
    RUN(scaled_models);
    remove(slide_path);
    remove(bars_path);
    rmdir(folder);
    return CHECK_END();
}
