/* Checkpoints of `pinion sim`: a run that was killed or interrupted ends, resumed, with the same bytes as one
 * that was not. */
#define _DEFAULT_SOURCE
#include "command/command.h"
#include "command/sim.h"

#include <dirent.h>
#include <signal.h>
#include <time.h>

static const char *const files[] = {"a.csv",    "a.h5",       "c.h5",    "whole.csv",
                                    "whole.h5", "model.json", "tau.csv", NULL};

static int exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* ------------------------------------------------------------------------------------------------ */
/* Interruptions */

/* Starts a run in the background. */
static void (*on_interrupt)(int) = SIG_DFL; /* what SIGINT does where a run begins */

static pid_t start_run(const char *const *arguments)
{
    const char *argv[ARGUMENTS + 2] = {getenv("PINION_COMMAND")};
    int count = 1;
    for (; arguments[count - 1]; count++) argv[count] = arguments[count - 1];
    argv[count] = NULL;
    pid_t child = fork();
    if (child == 0) {
        redirect("/dev/null", O_RDONLY, 0);
        redirect("/dev/null", O_WRONLY, 1);
        redirect(place("stderr"), O_WRONLY | O_CREAT | O_TRUNC, 2);
        signal(SIGINT, on_interrupt);
        signal(SIGTERM, SIG_DFL);
        alarm(SECONDS);
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    return child;
}

static void nap(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&t, NULL);
}

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A run to its end; how long it takes. */
static double whole_run(const char *const *arguments)
{
    int count = 0;
    while (arguments[count]) count++;
    const double began = clock_now();
    answer a = run_list(NULL, arguments, count);
    CHECK_STATUS(a.status, 0);
    if (a.status && a.err) printf("  stderr: %s", a.err);
    forget(&a);
    return clock_now() - began;
}

static int end_of(pid_t child)
{
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Takes away what a killed run was writing: a file beside the one it was for. */
static void sweep(void)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (strstr(e->d_name, "a.csv.") || strstr(e->d_name, "a.h5.") || strstr(e->d_name, "c.h5."))
            remove(path);
    }
    if (d) closedir(d);
}

/* Kills runs at random instants and resumes them until one gets to its end; how often it was killed. */
static int kill_and_resume(const char *const *arguments, const char *checkpoint, double patience)
{
    const char *const resume[] = {"sim", "--resume", checkpoint, "--quiet", NULL};
    uint64_t seed = check_seed;
    int killed = 0;
    remove(checkpoint);
    for (int tries = 0; tries < 200; tries++) {
        pid_t child = start_run(exists(checkpoint) ? resume : arguments);
        nap(patience * check_uniform(&seed));
        kill(child, SIGKILL);
        int status = end_of(child);
        if (status == 0) return killed;
        if (status != 128 + SIGKILL) {
            char *err = read_file(place("stderr"));
            CHECK_FAIL("status %d: %s", status, err ? err : "");
            free(err);
            return -1;
        }
        killed++;
        patience *= 1.1; /* so that it ends some time */
    }
    CHECK_FAIL("it never gets to its end");
    return -1;
}

TEST(a_killed_run_resumes_to_the_same_bytes)
{
    /* a run that takes about a second, of a method of each kind */
    static const struct {
        const char *method, *step, *of, *file, *whole;
    } kind[] = {{"dopri5", "--tol", "1e-12", "a.csv", "whole.csv"},
                {"verner65", "--tol", "1e-12", "a.h5", "whole.h5"},
                {"rk4", "--step", "2e-4", "a.h5", "whole.h5"},
                {"variational", "--step", "1e-3", "a.csv", "whole.csv"},
                {"adams", "--tol", "1e-9", "a.h5", "whole.h5"}};
    const char *checkpoint = place("c.h5");
    int kills = 0;
    for (size_t k = 0; k < sizeof kind / sizeof kind[0]; k++) {
        const char *const arguments[] = {"sim",
                                         bundled("planar-3r.json"),
                                         "--duration",
                                         "40",
                                         "--q0",
                                         "0.5,0.2,1",
                                         "--output-step",
                                         "0.05",
                                         "-o",
                                         place(kind[k].file),
                                         "--checkpoint",
                                         checkpoint,
                                         "--checkpoint-every",
                                         "0.7",
                                         "--integrator",
                                         kind[k].method,
                                         kind[k].step,
                                         kind[k].of,
                                         "--event",
                                         "plane:link3:1,0,0:0",
                                         "--quiet",
                                         NULL};
        const double wall = whole_run(arguments);
        CHECK(rename(place(kind[k].file), place(kind[k].whole)) == 0);
        int killed = kill_and_resume(arguments, checkpoint, 0.5 * wall);
        printf("  %s: killed %d times\n", kind[k].method, killed);
        kills += killed;
        if (!same_file(place(kind[k].file), place(kind[k].whole)))
            CHECK_FAIL("%s: other bytes", kind[k].method);
    }
    CHECK(kills > 0);
    sweep();
}

/* Ctrl-C: a complete file and a message; with a checkpoint the run goes on from there. */
TEST(an_interrupted_run_is_complete_as_far_as_it_goes)
{
    const char *out = place("a.csv"), *checkpoint = place("c.h5");
    const char *const arguments[] = {"sim",
                                     bundled("planar-3r.json"),
                                     "--duration",
                                     "60",
                                     "--output-step",
                                     "0.05",
                                     "-o",
                                     out,
                                     "--checkpoint",
                                     checkpoint,
                                     "--checkpoint-every",
                                     "2",
                                     NULL};
    whole_run(arguments);
    CHECK(rename(out, place("whole.csv")) == 0);

    /* by either signal, once the run is on its way: the first of its 29 checkpoints is there */
    int interrupted = 0;
    for (int i = 0; i < 10 && interrupted < 2; i++) {
        remove(checkpoint);
        pid_t child = start_run(arguments);
        for (int k = 0; k < 60000 && !exists(checkpoint); k++) nap(0.001);
        kill(child, interrupted ? SIGTERM : SIGINT);
        const int status = end_of(child);
        char *err = read_file(place("stderr")), *text = read_file(out);
        if (status == 0) { /* it was faster */
            free(err);
            free(text);
            continue;
        }
        interrupted++;
        CHECK_STATUS(status, 1);
        CHECK_HAS(err, "interrupted at t = ");
        CHECK_HAS(err, "complete in ");
        table t = read_table(text);
        CHECK(t.rows > 0 && cell(&t, -1, "t") < 60);
        free(t.x);
        free(err);
        free(text);

        /* from elsewhere */
        run_folder = "/";
        answer a = run(NULL, "sim", "--resume", checkpoint, (const char *)NULL);
        run_folder = NULL;
        CHECK_STATUS(a.status, 0);
        forget(&a);
        CHECK(same_file(out, place("whole.csv")));
    }
    CHECK(interrupted > 0);

    /* a signal that was ignored when it began stays so */
    remove(checkpoint);
    on_interrupt = SIG_IGN;
    pid_t child = start_run(arguments);
    on_interrupt = SIG_DFL;
    for (int k = 0; k < 60000 && !exists(checkpoint); k++) nap(0.001);
    kill(child, SIGINT);
    CHECK_STATUS(end_of(child), 0);
    CHECK(same_file(out, place("whole.csv")));
}

/* Of what a run was given only how far it goes can be another when it is resumed. */
TEST(a_resumed_run_goes_as_far_as_it_is_told)
{
    const char *checkpoint = place("c.h5");
    answer a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "10", "-o", place("a.csv"), "--max-steps",
                   "900", "--checkpoint", checkpoint, (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "ended by max_steps, 900, at");
    forget(&a);
    REFUSED(1, "ended by max_steps, 20, at", NULL, "sim", "--resume", checkpoint, "--max-steps", "20", "--quiet");
    a = run(NULL, "sim", "--resume", checkpoint, "--max-steps", "1000000", "--max-time", "500", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    REFUSED(2, "--max-steps and --max-time can be added", NULL, "sim", "--resume", checkpoint, "--tol", "1e-6");
}

/* What killed runs left beside the files is taken away, what a living one writes is not; and the summary
 * tells from where on the run was. */
TEST(resuming_sweeps_and_says_from_where)
{
    const char *checkpoint = place("c.h5");
    answer a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "10", "-o", place("a.csv"),
                   "--checkpoint", checkpoint, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.err && strstr(a.err, ": 10 s simulated in "));
    forget(&a);
    char own[300], *const left[] = {"c.h5.999999999-0.tmp", "a.csv.999999998-12.tmp"};
    char *const kept[] = {own, "c.h5.x-0.tmp", "c.h5.999999999-0.tmp2"};
    snprintf(own, sizeof own, "c.h5.%ld-0.tmp", (long)getpid());
    for (int i = 0; i < 2; i++) write_file(left[i], "half");
    for (int i = 0; i < 3; i++) write_file(kept[i], "mine");
    a = run(NULL, "sim", "--resume", checkpoint, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, ": 10 s simulated, those from 9 s on in ");
    forget(&a);
    for (int i = 0; i < 2; i++) CHECK(!exists(place(left[i])));
    for (int i = 0; i < 3; i++) CHECK(remove(place(kept[i])) == 0);
}

TEST(a_checkpoint_knows_its_files)
{
    char *text = read_file(bundled("planar-3r.json"));
    const char *m = write_file("model.json", text), *tau = write_file("tau.csv", "t,tau.joint1\n0,1\n1,2\n"),
               *checkpoint = place("c.h5");
    answer a = run(NULL, "sim", m, "--duration", "1", "--torque", tau, "-o", place("a.csv"), "--checkpoint",
                   checkpoint, "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    a = run(NULL, "sim", "--resume", checkpoint, "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK(json_number_value(DIG(r, "rows")) == 101);
    json_decref(r);

    write_file("tau.csv", "t,tau.joint1\n0,1\n1,3\n");
    REFUSED(1, "the file of --torque has changed", NULL, "sim", "--resume", checkpoint);
    write_file("tau.csv", "t,tau.joint1\n0,1\n1,2\n");
    char *mass = text ? strstr(text, "\"mass\": 1") : NULL;
    if (mass) mass[8] = '2';
    write_file("model.json", text);
    REFUSED(1, "model.json has changed since the checkpoint was written", NULL, "sim", "--resume",
            checkpoint);
    free(text);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(a_killed_run_resumes_to_the_same_bytes);
    RUN(an_interrupted_run_is_complete_as_far_as_it_goes);
    RUN(a_resumed_run_goes_as_far_as_it_is_told);
    RUN(resuming_sweeps_and_says_from_where);
    RUN(a_checkpoint_knows_its_files);
    return command_end(files);
}
