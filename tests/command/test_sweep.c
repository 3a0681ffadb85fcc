/* `pinion sweep` and `pinion merge`: the same bytes with any number of threads, in parts, and killed and
 * resumed. */
#define _DEFAULT_SOURCE
#include "command.h"

#include <signal.h>
#include <sys/stat.h>
#include <time.h>

static const char *const files[] = {"plan.json", "large.json", "other.json", "one.h5", "two.h5", "eight.h5",
                                    "a.part",    "b.part",     "c.part", "merged.h5", "killed.h5",
                                    "run.csv",   "one.html", "again.h5",  "long.json", "sim.csv",
                                    "motion.csv", NULL};

/* 90 runs of a planar arm; some masses are below 0 and cannot start */
static const char *write_plan(const char *name, const char *seed)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "{\"model\": \"%s\", \"seed\": %s, \"count\": 30, \"sampling\": \"sobol\", \"trajectories\": 7,\n"
        "\"run\": {\"duration\": 0.2, \"integrator\": \"rk4\", \"control\": \"pd\", \"kd\": 5, \"to\": {\"joint1\": "
        "1},\n"
        "         \"output_step\": 0.02},\n"
        "\"vary\": [{\"name\": \"m\", \"what\": \"mass\", \"of\": \"link3\", \"normal\": [1, 0.9]},\n"
        "          {\"name\": \"kp\", \"what\": \"kp\", \"of\": \"*\", \"list\": [10, 50, 100]}],\n"
        "\"keep\": [{\"name\": \"q\", \"column\": \"q.joint1\", \"take\": \"final\"},\n"
        "          {\"name\": \"tau\", \"column\": \"tau.*\", \"take\": \"peak\"}]}\n",
        bundled("planar-3r.json"), seed);
    return write_file(name, text);
}

static void sweep(const char *plan, const char *output, const char *option, const char *value)
{
    answer a = run(NULL, "sweep", plan, "-o", place(output), "--quiet", option, value, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.err && !*a.err);
    forget(&a);
}

static void same_bytes(const char *a, const char *b)
{
    char command[800];
    snprintf(command, sizeof command, "cmp '%s' '%s'", place(a), place(b));
    if (system(command) != 0) CHECK_FAIL("%s and %s differ", a, b);
}

TEST(threads_and_parts)
{
    const char *plan = write_plan("plan.json", "7"), *other = write_plan("other.json", "8");
    sweep(plan, "one.h5", "--threads", "1");
    sweep(plan, "two.h5", "--threads", "2");
    sweep(plan, "eight.h5", "--threads", "8");
    same_bytes("one.h5", "two.h5");
    same_bytes("one.h5", "eight.h5");
    sweep(plan, "c.part", "--shard", "3/3");
    sweep(plan, "a.part", "--shard", "1/3");
    sweep(plan, "b.part", "--shard", "2/3");
    answer a = run(NULL, "merge", place("c.part"), place("a.part"), place("b.part"), "-o", place("merged.h5"),
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "90 runs: ");
    forget(&a);
    same_bytes("one.h5", "merged.h5");

    /* parts that are missing, damaged or of another sweep */
    REFUSED(1, "30 of 90 runs are missing, run 0 first", NULL, "merge", place("b.part"), place("c.part"),
            "-o", place("again.h5"));
    sweep(other, "a.part", "--shard", "1/3");
    REFUSED(1, "another plan", NULL, "merge", place("b.part"), place("a.part"), "-o", place("again.h5"));
    REFUSED(1, "not a file of a sweep", NULL, "merge", place("one.h5"), "-o", place("again.h5"));
    CHECK(truncate(place("b.part"), 3000) == 0);
    sweep(plan, "a.part", "--shard", "1/3");
    REFUSED(1, "b.part: is damaged after", NULL, "merge", place("c.part"), place("a.part"), place("b.part"), "-o",
            place("again.h5"));
    CHECK(access(place("again.h5"), F_OK) != 0);
}

/* A run of a plan has the numbers of pinion sim with the same options, also where neither says anything: gains,
 * friction, the start on a file's motion. */
static void like_sim(const char *name, const char *run_of, const char *const *options)
{
    char text[2000], command[2000];
    snprintf(text, sizeof text,
             "{\"model\": \"%s\", \"run\": {\"duration\": 0.2, %s},\n"
             "\"vary\": [{\"name\": \"g\", \"what\": \"gravity\", \"axis\": \"x\", \"list\": [0]}]}\n",
             bundled(name), run_of);
    answer a = run(NULL, "sweep", write_file("plan.json", text), "--only", "0", "-o", place("run.csv"), "--quiet",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    a = run(NULL, "sim", bundled(name), "--duration", "0.2", "-o", place("sim.csv"), "--quiet", options[0], options[1],
            options[2], options[3], options[4], options[5], options[6], options[7], (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    snprintf(command, sizeof command, "cmp '%s' '%s'", place("run.csv"), place("sim.csv"));
    if (system(command) != 0) CHECK_FAIL("not what pinion sim makes: %s", text);
}

TEST(as_pinion_sim)
{
    like_sim("four-bar.json", "\"control\": \"pd\", \"control_step\": 0.01, \"max_drift\": 0.5",
             (const char *[8]){"--control", "pd", "--control-step", "0.01", "--max-drift", "0.5"});
    like_sim("quadruped.json", "\"contact\": \"ground\", \"integrator\": \"euler\", \"step\": 0.01",
             (const char *[8]){"--contact", "ground", "--integrator", "euler", "--step", "0.01"});
    like_sim("arm-6dof.json", "\"integrator\": \"rk4\", \"control\": \"pd\", \"to\": {\"elbow\": 1}",
             (const char *[8]){"--integrator", "rk4", "--control", "pd", "--to", "elbow=1"});
    like_sim("arm-6dof.json",
             "\"control_step\": 0.01, \"control\": \"pd-gravity\", \"to\": {\"elbow\": 1}, \"kp\": {\"lift\": 70}",
             (const char *[8]){"--control-step=0.01", "--control=pd-gravity", "--to", "elbow=1", "--kp", "lift=70"});
    like_sim("puma560-corke.json", "\"control_step\": 0.01, \"control\": \"gravity\", \"v0\": [1, 1, 1, 1, 1, 1]",
             (const char *[8]){"--control-step", "0.01", "--control", "gravity", "--v0", "1,1,1,1,1,1"});
    /* what is named is held when loops close; a list of all is a guess, and so is a state */
    like_sim("four-bar.json", "\"q0\": {\"crank\": 0.1}, \"v0\": {\"rocker\": 1}",
             (const char *[8]){"--q0", "crank=0.1", "--v0", "rocker=1"});
    like_sim("four-bar.json", "\"q0\": [0.1, 0.2, 1.5], \"v0\": [1, 2, 3]",
             (const char *[8]){"--q0", "0.1,0.2,1.5", "--v0", "1,2,3"});
    char motion[400];
    snprintf(motion, sizeof motion, "\"control\": \"pd\", \"trajectory\": \"%s\"",
             write_file("motion.csv", "t,q.joint1,q.joint2,q.joint3\n0,1,0.5,0\n0.1,1.2,0.7,0\n0.2,1.3,0.8,0.1\n"));
    like_sim("planar-3r.json", motion, (const char *[8]){"--control", "pd", "--trajectory", place("motion.csv")});
}

/* What pinion sim makes of a start that varies and of a model that pinion convert scales. */
TEST(starts_as_pinion_sim)
{
    static const struct {
        const char *vary, *model, *option, *value;
    } cases[] = {
        {"\"what\": \"q0\", \"of\": \"crank\", \"list\": [0.1]", "plain", "--q0", "crank=0.1"},
        {"\"what\": \"v0\", \"of\": \"slider\", \"list\": [0.1]", "plain", "--v0", "slider=0.1"},
        {"\"what\": \"scale\", \"list\": [2]", "large", NULL, NULL},
    };
    char text[2000], command[2000];
    answer a = run(NULL, "convert", bundled("slider-crank.json"), "--scale", "2", "-o", place("large.json"),
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *model = strcmp(cases[i].model, "large") == 0 ? place("large.json") : bundled("slider-crank.json");
        snprintf(text, sizeof text,
                 "{\"model\": \"%s\", \"run\": {\"duration\": 0.2},\n\"vary\": [{\"name\": \"x\", %s}]}\n",
                 bundled("slider-crank.json"), cases[i].vary);
        a = run(NULL, "sweep", write_file("plan.json", text), "--only", "0", "-o", place("run.csv"), "--quiet",
                (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        forget(&a);
        a = run(NULL, "sim", model, "--duration", "0.2", "-o", place("sim.csv"), "--quiet", cases[i].option,
                cases[i].value, (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        forget(&a);
        snprintf(command, sizeof command, "cmp '%s' '%s'", place("run.csv"), place("sim.csv"));
        if (system(command) != 0) CHECK_FAIL("not what pinion sim makes: %s", text);
    }
}

/* More parameters than fit into an array on the stack, and what the summary says of runs that fail. */
TEST(many_parameters)
{
    enum { COUNT = 1100, ROOM = 100 * COUNT };
    static char text[ROOM];
    size_t used = (size_t)snprintf(text, ROOM,
                                   "{\"model\": \"%s\", \"statistics\": false,\n"
                                   "\"run\": {\"command\": \"eval\", \"what\": [\"energy\"]}, \"vary\": [\n"
                                   "{\"name\": \"m\", \"what\": \"mass\", \"of\": \"link3\", \"list\": [1, -1]}",
                                   bundled("planar-3r.json"));
    for (int i = 0; i < COUNT; i++)
        used += (size_t)snprintf(text + used, ROOM - used,
                                 ",\n{\"name\": \"p%d\", \"what\": \"v0\", \"of\": \"joint1\", "
                                 "\"as\": \"offset\", \"list\": [%d]}",
                                 i, i);
    snprintf(text + used, ROOM - used, "]}\n");
    answer a = run(NULL, "sweep", write_file("plan.json", text), "-o", place("one.h5"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "2 runs: 1 complete, 1 no start");
    CHECK_HAS(a.err, "run 1 is the first that failed: m = -1: not a value that the mass of link");
    forget(&a);
    a = run(NULL, "sweep", place("plan.json"), "-o", place("one.h5"), "--json", "--quiet", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK(json_number_value(DIG(r, "first_failed")) == 1);
    CHECK_HAS(json_string_value(DIG(r, "why")), "m = -1");
    json_decref(r);
}

/* Starts a sweep and ends it by SIGKILL after a while. */
static void kill_after(const char *plan, const char *output, long milliseconds)
{
    pid_t child = fork();
    if (child == 0) {
        execl(getenv("PINION_COMMAND"), "pinion", "sweep", plan, "-o", place(output), "--quiet",
              (char *)NULL);
        _exit(127);
    }
    const struct timespec while_it_runs = {0, milliseconds * 1000000};
    nanosleep(&while_it_runs, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* Runs until the mean of a scalar is known well enough: the same bytes by threads and in parts, and killed. */
static const char *write_stopping(const char *name, const char *stop)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{\"model\": \"%s\", \"count\": 2000, \"run\": {\"command\": \"eval\", \"what\": [\"energy\"]},\n"
             "\"vary\": [{\"name\": \"w\", \"what\": \"v0\", \"of\": \"joint1\", \"uniform\": [0, 1]},\n"
             "          {\"name\": \"m\", \"what\": \"mass\", \"of\": \"link3\", \"uniform\": [-1, 9]}],\n"
             "\"keep\": [{\"name\": \"T\", \"column\": \"energy.kinetic\"}], \"stop\": {%s}}\n",
             bundled("planar-3r.json"), stop);
    return write_file(name, text);
}

static double runs_of(const char *plan, const char *output)
{
    answer a = run(NULL, "sweep", plan, "-o", place(output), "--json", "--quiet", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    const double runs = json_number_value(DIG(r, "runs"));
    CHECK(json_number_value(DIG(r, "planned")) == 2000);
    json_decref(r);
    return runs;
}

TEST(enough_runs)
{
    const char *plan = write_stopping("plan.json", "\"of\": \"T\", \"within\": 0.1, \"relative\": true, "
                                                   "\"every\": 50");
    const double runs = runs_of(plan, "one.h5");
    CHECK(runs > 100 && runs < 1900);
    sweep(plan, "two.h5", "--threads", "1");
    sweep(plan, "eight.h5", "--threads", "8");
    same_bytes("one.h5", "two.h5");
    same_bytes("one.h5", "eight.h5");
    sweep(plan, "a.part", "--shard", "1/3");
    sweep(plan, "b.part", "--shard", "2/3");
    sweep(plan, "c.part", "--shard", "3/3");
    answer a = run(NULL, "merge", place("c.part"), place("a.part"), place("b.part"), "-o", place("merged.h5"),
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "enough");
    forget(&a);
    same_bytes("one.h5", "merged.h5");
    a = run(NULL, "sweep", plan, "--dry-run", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "runs        2 000 at most; from 50 on it ends when they are enough\n");
    forget(&a);
    remove(place("killed.h5"));
    for (int i = 0; i < 4; i++) kill_after(plan, "killed.h5", 4 + 3 * i);
    sweep(plan, "killed.h5", "--threads", "3");
    same_bytes("one.h5", "killed.h5");

    /* a tenth fails: half of Wilson's interval is 1.96 sqrt(0.09 / n), which is 0.03 for some 384 runs; one look a
     * quarter apart */
    const double n = runs_of(write_stopping("other.json", "\"of\": \"failure\", \"within\": 0.03, \"every\": 50"),
                             "one.h5");
    CHECK(n >= 250 && n <= 600);
    /* never enough: all runs */
    CHECK(runs_of(write_stopping("other.json", "\"of\": \"T\", \"within\": 1e-9"), "one.h5") == 2000);
    REFUSED(1, "expected \"failure\" or the name", NULL, "sweep",
            write_stopping("other.json", "\"of\": \"V\", \"within\": 1"), "-o", place("again.h5"));
    REFUSED(1, "\"within\" is missing", NULL, "sweep", write_stopping("other.json", "\"of\": \"T\""), "-o",
            place("again.h5"));
}

TEST(killed_and_resumed)
{
    const char *plan = write_plan("plan.json", "7"), *other = write_plan("other.json", "8");
    sweep(plan, "one.h5", "--threads", "2");
    remove(place("killed.h5"));
    for (int i = 0; i < 6; i++) kill_after(plan, "killed.h5", 5 + 12 * i);
    sweep(plan, "killed.h5", "--threads", "3");
    same_bytes("one.h5", "killed.h5");
    CHECK(access(place("killed.h5.journal"), F_OK) != 0);

    /* a journal is of one plan */
    char path[300];
    CHECK(mkdir(place("again.h5.journal"), 0777) == 0);
    kill_after(other, "again.h5", 60);
    snprintf(path, sizeof path, "%s/0.records", place("again.h5.journal"));
    if (access(path, F_OK) == 0) {
        answer a = run(NULL, "sweep", plan, "-o", place("again.h5"), (const char *)NULL);
        CHECK(a.status == 0 ||
              strstr(a.err, "another plan")); /* 0: it had been killed before it wrote its head */
        forget(&a);
    }
    sweep(other, "again.h5", "--threads", "2");
    CHECK(access(place("again.h5.journal"), F_OK) != 0);

    /* one that was killed while it wrote its head has no runs */
    remove(place("killed.h5"));
    CHECK(mkdir(place("killed.h5.journal"), 0777) == 0);
    write_file("killed.h5.journal/3.records", "pinion");
    sweep(plan, "killed.h5", "--threads", "2");
    same_bytes("one.h5", "killed.h5");
    CHECK(access(place("killed.h5.journal"), F_OK) != 0);
}

/* Runs of days: a dry run goes by a part of one, and the first signal ends a sweep, within a run. */
static const char *write_long(const char *name, const char *engine)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{\"model\": \"%s\", %s \"run\": {\"duration\": 1e4, \"integrator\": \"euler\", \"step\": 1e-5,\n"
             "\"control\": \"pd\", \"kp\": 10, \"kd\": 1, \"to\": [1, 1]}, \"trajectories\": \"all\",\n"
             "\"vary\": [{\"name\": \"q\", \"what\": \"q0\", \"of\": \"*\", \"list\": [0, 1, 2]}],\n"
             "\"keep\": [{\"name\": \"tau\", \"column\": \"tau.*\", \"take\": \"peak\"}]}\n",
             bundled("planar-2r.json"), engine);
    return write_file(name, text);
}

static void end_within(const char *plan)
{
    const pid_t child = fork();
    if (child == 0) {
        execl(getenv("PINION_COMMAND"), "pinion", "sweep", plan, "-o", place("killed.h5"), "--quiet", (char *)NULL);
        _exit(127);
    }
    /* as soon as it has begun, or else the signal would end the process before it is caught */
    char journal[300];
    struct timespec pause = {0, 50000000};
    snprintf(journal, sizeof journal, "%s/0.records", place("killed.h5.journal"));
    for (int i = 0; i < 600 && access(journal, F_OK) != 0; i++) nanosleep(&pause, NULL);
    int status = 0, ended = 0;
    kill(child, SIGTERM);
    for (int i = 0; i < 600 && !ended; i++) {
        ended = waitpid(child, &status, WNOHANG) == child;
        if (!ended) nanosleep(&pause, NULL);
    }
    if (!ended) {
        CHECK_FAIL("%s goes on after SIGTERM", plan);
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    char command[400];
    snprintf(command, sizeof command, "rm -r '%s'", place("killed.h5.journal"));
    CHECK(system(command) == 0);
}

/* Whether a process catches SIGTERM by now. */
static int catches(pid_t child)
{
    char path[60], line[200];
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)child);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "SigCgt:", 7) == 0) caught = strtoull(line + 7, NULL, 16);
    if (f) fclose(f);
    return (int)(caught >> (SIGTERM - 1) & 1);
}

static void end_dry_run(const char *plan)
{
    if (access("/proc/self/status", R_OK) != 0) return;
    const pid_t child = fork();
    if (child == 0) {
        redirect(place("stdout"), O_WRONLY | O_CREAT | O_TRUNC, 1);
        redirect(place("stderr"), O_WRONLY | O_CREAT | O_TRUNC, 2);
        alarm(SECONDS);
        execl(getenv("PINION_COMMAND"), "pinion", "sweep", plan, "--dry-run", (char *)NULL);
        _exit(127);
    }
    int status = 0;
    struct timespec pause = {0, 1000000};
    for (int i = 0; i < 30000 && !catches(child); i++) nanosleep(&pause, NULL);
    kill(child, SIGTERM);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 1);
    char *said = read_file(place("stderr"));
    CHECK_HAS(said, "pinion sweep: interrupted\n");
    free(said);
}

TEST(long_runs)
{
    const char *plan = write_long("plan.json", "");
    answer a = run(NULL, "sweep", plan, "--dry-run", "--json", "--threads", "1", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    const double run_takes = json_number_value(DIG(r, "seconds_a_run"));
    /* 1e9 steps of 10 ns to 1 ms */
    CHECK(run_takes > 10 && run_takes < 1e6);
    CHECK(fabs(json_number_value(DIG(r, "seconds")) - 3 * run_takes) < 1e-9 * run_takes);
    json_decref(r);
    end_dry_run(plan);
    end_within(plan);
    end_within(write_long("plan.json", "\"engine\": \"rollout\","));
}

/* A sweep of a planar arm that computes its energies, with these parameters. */
static const char *write_energies(const char *name, const char *more, const char *vary)
{
    char text[6000];
    snprintf(text, sizeof text,
             "{\"model\": \"%s\", %s \"run\": {\"command\": \"eval\", \"what\": [\"energy\"]}, \"vary\": [%s],\n"
             "\"keep\": [{\"name\": \"T\", \"column\": \"energy.kinetic\"}]}\n",
             bundled("planar-3r.json"), more, vary);
    return write_file(name, text);
}

static char *page_of(const char *plan)
{
    sweep(plan, "one.h5", "--threads", "2");
    answer a = run(NULL, "report", place("one.h5"), "-o", place("one.html"), (const char *)NULL);
    if (a.status != 0) CHECK_FAIL("%s: %s", plan, a.err);
    forget(&a);
    return read_file(place("one.html"));
}

/* A page is too long to be shown where it lacks something. */
static void told_on(const char *page, const char *text)
{
    if (!page || !strstr(page, text)) CHECK_FAIL("nobody tells \"%s\"", text);
}

/* What a page of many runs, many failures and many numbers leaves out is told on it. */
TEST(pages_that_leave_out)
{
    answer a = run(NULL, "report", write_file("run.csv", "t,x\n0,1\n1,2\n"), "-o", place("one.html"),
                   (const char *)NULL);
    if (strstr(a.err, "no report page")) {
        forget(&a);
        SKIP("this build has no page");
    }
    forget(&a);
    char vary[5000] = "{\"name\": \"m\", \"what\": \"mass\", \"of\": \"link3\", \"uniform\": [1, 2]}";
    for (int i = 0; i < 45; i++)
        snprintf(vary + strlen(vary), sizeof vary - strlen(vary),
                 ", {\"name\": \"p%d\", \"what\": \"v0\", \"of\": \"joint1\", \"as\": \"offset\", \"list\": [1]}", i);
    /* few runs of many numbers: nearly all of the file is what they are called */
    char *page = page_of(write_energies("plan.json", "\"count\": 2, \"statistics\": false,", vary));
    told_on(page, "Of 47 numbers the first 40 are drawn.");
    free(page);
    page = page_of(write_energies("plan.json", "\"count\": 50001, \"statistics\": false,", vary));
    told_on(page, "Points, lines and what is selected are 50000 of them");
    told_on(page, "Of 47 numbers the first 40 are drawn.");
    free(page);

    /* two reasons: the one of more runs is the first of the table */
    page = page_of(write_energies("plan.json", "\"count\": 80, \"seed\": 3,",
                                  "{\"name\": \"m\", \"what\": \"mass\", \"of\": \"link3\", "
                                  "\"list\": [-1, -2, -3, 1]}, "
                                  "{\"name\": \"k\", \"what\": \"mass\", \"of\": \"link2\", \"list\": [-1, 1]},"
                                  "{\"name\": \"v\", \"what\": \"v0\", \"of\": \"joint1\", \"uniform\": [1, 2]}"));
    told_on(page, "The first 200 of 560.");
    const char *more = strstr(page, "m = #: not a value"), *fewer = strstr(page, "k = #: not a value");
    CHECK(more && fewer && more < fewer);
    free(page);

    /* of as many runs each: in the order of the first ones */
    page = page_of(write_energies("plan.json", "",
                                  "{\"name\": \"k\", \"what\": \"mass\", \"of\": \"link2\", \"list\": [1, -1]},"
                                  "{\"name\": \"m\", \"what\": \"mass\", \"of\": \"link3\", \"list\": [-1, -2]}"));
    more = strstr(page, "m = #: not a value"), fewer = strstr(page, "k = #: not a value");
    CHECK(more && fewer && more < fewer);
    free(page);

    /* motions: of a model that varies none, and of many runs some */
    static const char moves[] = "{\"model\": \"%s\", \"trajectories\": \"all\", \"run\": {\"duration\": 0.02, "
                                "\"integrator\": \"rk4\", \"step\": 0.01, \"output_step\": 0.01}, %s}";
    char text[1000];
    snprintf(text, sizeof text, moves, bundled("planar-3r.json"),
             "\"vary\": [{\"name\": \"s\", \"what\": \"scale\", \"list\": [1, 2]}]");
    page = page_of(write_file("plan.json", text));
    told_on(page, "Motions are not shown: the model itself varies.");
    free(page);
    snprintf(text, sizeof text, moves, bundled("planar-3r.json"),
             "\"count\": 70, \"vary\": [{\"name\": \"v\", \"what\": \"v0\", \"of\": \"*\", \"uniform\": [0, 1]}]");
    page = page_of(write_file("plan.json", text));
    told_on(page, "The page has the motions of 60 of 70 runs that the result keeps.");
    free(page);
}

/* One run again that fails, or whose file cannot be; a sweep without failures, whose file has an odd name. */
TEST(seldom_said)
{
    const char *plan = write_energies("plan.json", "", "{\"name\": \"m\", \"what\": \"mass\", \"of\": \"link3\", "
                                                       "\"list\": [1, -1]}");
    REFUSED(1, "run 1: no start: m = -1: not a value", NULL, "sweep", plan, "--only", "1", "-o", place("run.csv"));
    REFUSED(1, "none/run.csv", NULL, "sweep", plan, "--only", "0", "-o", place("none/run.csv"));
    plan = write_energies("plan.json", "", "{\"name\": \"m\", \"what\": \"mass\", \"of\": \"link3\", "
                                           "\"list\": [1, 2]}");
    answer a = run(NULL, "sweep", plan, "-o", place("a\x01\xc2\x85\xff.h5"), "--quiet", "--json", (const char *)NULL);
    CHECK_HAS(a.out, "/a\\u0001\\u0085\\ufffd.h5\"");
    json_t *r = parse_answer(&a, 0);
    CHECK(json_is_null(DIG(r, "first_failed")) && json_is_null(DIG(r, "why")));
    json_decref(r);
    remove(place("a\x01\xc2\x85\xff.h5"));
}

TEST(answers)
{
    const char *plan = write_plan("plan.json", "7");
    answer a = run(NULL, "sweep", plan, "-o", place("one.h5"), "--quiet", "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK_KEYS(r, "output runs planned resumed outcomes first_failed why wall");
    const double complete = json_number_value(DIG(r, "outcomes", "complete")),
                 refused = json_number_value(DIG(r, "outcomes", "no start"));
    CHECK(complete + refused == 90 && refused >= 3 && refused <= 30);
    json_decref(r);
    a = run(NULL, "sweep", plan, "--dry-run", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "runs        90\n");
    CHECK_HAS(a.out, "m [kg]\n");
    CHECK_HAS(a.out, "tau [N m]\n");
    CHECK_HAS(a.out, ", and then the file\n");
    forget(&a);
    a = run(NULL, "sweep", plan, "--dry-run", "--json", "--threads", "4", (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK_KEYS(r, "runs least_runs seconds_a_run failed threads seconds bytes parameters scalars");
    CHECK(json_number_value(DIG(r, "runs")) == 90 && json_number_value(DIG(r, "least_runs")) == 90 &&
          json_number_value(DIG(r, "threads")) == 4);
    CHECK(json_number_value(DIG(r, "seconds_a_run")) > 0 && json_number_value(DIG(r, "bytes")) > 90 * 33);
    CHECK_HAS(json_string_value(DIG(r, "parameters", "m")), "kg");
    json_decref(r);
    a = run(NULL, "sweep", plan, "--only", "33", "-o", place("run.csv"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    char *text = read_file(place("run.csv"));
    CHECK(lines_of(text) == 12 && text && strncmp(text, "t,q.joint1", 10) == 0);
    free(text);
}

/* the page has the numbers of all runs and the plan; a figure is of a run */
TEST(pages)
{
    const char *plan = write_plan("plan.json", "7");
    sweep(plan, "one.h5", "--threads", "2");
    answer a = run(NULL, "report", place("one.h5"), "-o", place("one.html"), (const char *)NULL);
    if (strstr(a.err, "no report page")) {
        forget(&a);
        SKIP("this build has no page");
    }
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "90 runs\n");
    forget(&a);
    char *page = read_file(place("one.html"));
    CHECK_HAS(page, "\"kind\":\"runs\"");
    CHECK_HAS(page, "Rank correlation of tau");
    CHECK_HAS(page, "--only ");
    CHECK_HAS(page, "\"kind\":\"replay\"");
    CHECK_HAS(page, "\"of\":\"runs\"");
    /* why runs are not complete: alike ones together, and of each */
    CHECK_HAS(page, "m = #: not a value that the mass of link \\\"link3\\\" can have: # kg");
    CHECK_HAS(page, "\"why\":{\"");
    free(page);
    REFUSED(2, "has many", NULL, "report", place("one.h5"), "-o", place("one.html"), "--plot", place("one.svg"));

    /* long reasons are cut, further on where their numbers are short, and are alike all the same */
    char text[1000];
    snprintf(text, sizeof text,
             "{\"model\": \"%s\", \"count\": 60,\n"
             "\"run\": {\"duration\": 1, \"integrator\": \"euler\", \"step\": 1e-2},\n"
             "\"vary\": [{\"name\": \"w\", \"what\": \"v0\", \"of\": \"*\", \"log_uniform\": [20, 1e4]}]}\n",
             bundled("planar-3r.json"));
    sweep(write_file("other.json", text), "two.h5", "--threads", "2");
    a = run(NULL, "report", place("two.h5"), "-o", place("one.html"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    page = read_file(place("one.html"));
    const char *first = strstr(page, "\"the integration ends at t = # s: the energies do not balance: the step");
    CHECK(first && !strstr(first + 1, "\"the integration ends at t = # s: the energies do not balance: the step"));
    free(page);
}

/* A plan of which one list has 10001 entries. */
static const char *long_plan(const char *list, const char *entry)
{
    enum { MANY = 10001 };
    const size_t room = 200 + MANY * (strlen(entry) + 3);
    char *text = malloc(room);
    size_t used = (size_t)snprintf(text, room, "{\"model\": \"%s\", \"count\": 1, \"run\": {\"duration\": 0.1}, "
                                               "\"%s\": [", bundled("planar-3r.json"), list);
    for (int i = 0; i < MANY; i++) used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "", entry);
    snprintf(text + used, room - used, "]}");
    const char *path = write_file("long.json", text);
    free(text);
    return path;
}

TEST(mistakes)
{
    const char *plan = write_plan("plan.json", "7");
    REFUSED(1, "more than 10000 parameters", NULL, "sweep", long_plan("vary", "{}"), "-o", place("again.h5"));
    REFUSED(1, "more than 10000 numbers to keep", NULL, "sweep", long_plan("keep", "{}"), "-o", place("again.h5"));
    REFUSED(2, "a PLAN file is missing", NULL, "sweep", "-o", place("again.h5"));
    REFUSED(2, "--output FILE is missing", NULL, "sweep", plan);
    REFUSED(2, ".h5", NULL, "sweep", plan, "-o", place("run.csv"));
    REFUSED(2, ".part", NULL, "sweep", plan, "--shard", "1/2", "-o", place("again.h5"));
    REFUSED(2, "I/N", NULL, "sweep", plan, "--shard", "3/2", "-o", place("a.part"));
    REFUSED(2, "--threads", NULL, "sweep", plan, "--threads", "0", "-o", place("again.h5"));
    REFUSED(2, "from 0 to 89", NULL, "sweep", plan, "--only", "90", "-o", place("run.csv"));
    REFUSED(1, "none.json", NULL, "sweep", place("none.json"), "-o", place("again.h5"));
    REFUSED(2, "a PART file is missing", NULL, "merge", "-o", place("again.h5"));
    REFUSED(1, "cannot be read", NULL, "merge", place("none.part"), "-o", place("again.h5"));
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(threads_and_parts);
    RUN(as_pinion_sim);
    RUN(starts_as_pinion_sim);
    RUN(many_parameters);
    RUN(killed_and_resumed);
    RUN(enough_runs);
    RUN(long_runs);
    RUN(answers);
    RUN(pages_that_leave_out);
    RUN(seldom_said);
    RUN(pages);
    RUN(mistakes);
    return command_end(files);
}
