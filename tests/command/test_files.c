/* No command writes over what it reads, or twice to one file, and what is wrong with the names of files and
 * columns is known before the work starts. All models are copies. */
#define _DEFAULT_SOURCE
#include "command.h"
#include "fixtures.h"

#include <sys/stat.h>

static const char *const files[] = {
    "p.urdf",  "model.html", "model.h5", "forces.json", "f.html", "tau.csv", "hard.csv",  "state.json",
    "r.jsonl", "r.h5",       "way.csv",  "r.csv",       "r.html", "r.svg",   "later.svg", "deep/x.h5",
    "full.csv", "full.html", "gnuplot", NULL};

static int has_gnuplot(void)
{
    return system("gnuplot --version >/dev/null 2>&1") == 0;
}

/* Whether a file still has this text. */
static int holds(const char *path, const char *text)
{
    char *now = read_file(path);
    const int same = now && strcmp(now, text) == 0;
    free(now);
    return same;
}

/* Options of a short run. */
#define SHORT "--duration", "0.01", "--quiet"

TEST(a_simulation_spares_its_inputs)
{
    static const char forces[] = "{\"drag\": [{\"frame\": \"arm\", \"density\": 1, \"area\": 0.1}]}",
                      state[] = "{\"q\": [0.1]}", torque[] = "t,tau.hinge\n0,1\n1,1\n";
    const char *model = write_file("p.urdf", PENDULUM), *f = write_file("forces.json", forces),
               *s = write_file("state.json", state), *tau = write_file("tau.csv", torque);

    /* by the end of the name, */
    REFUSED(2, "--checkpoint ", NULL, "sim", model, SHORT, "--checkpoint", model);
    REFUSED(2, "must end in .h5 or .hdf5", NULL, "sim", model, SHORT, "--checkpoint", model);
    REFUSED(2, "must end in .html or .htm", NULL, "sim", model, SHORT, "--report", model);
    REFUSED(2, "must end in .html or .htm", NULL, "sim", model, SHORT, "--forces", f, "--report", f);

    /* by the file itself, through links and by other ways to it */
    CHECK(symlink(model, place("model.html")) == 0 && link(model, place("model.h5")) == 0);
    CHECK(symlink(f, place("f.html")) == 0 && link(tau, place("hard.csv")) == 0);
    REFUSED(2, "is the file of the model, which it would overwrite", NULL, "sim", model, SHORT, "--report",
            place("model.html"));
    REFUSED(2, "is the file of the model", NULL, "sim", model, SHORT, "--checkpoint", place("model.h5"));
    REFUSED(2, "is the file of the model", NULL, "sim", model, SHORT, "-o", place("model.h5"));
    REFUSED(2, "is the file of --forces", NULL, "sim", model, SHORT, "--forces", f, "--report",
            place("f.html"));
    REFUSED(2, "--output ", NULL, "sim", model, SHORT, "--torque", tau, "-o", tau);
    REFUSED(2, "is the file of --torque", NULL, "sim", model, SHORT, "--torque", tau, "-o",
            place("hard.csv"));
    remove(place("f.html"));
    CHECK(symlink(s, place("f.html")) == 0);
    REFUSED(2, "is the file of --state", NULL, "sim", model, SHORT, "--state", s, "--report",
            place("f.html"));
    CHECK(holds(model, PENDULUM) && holds(f, forces) && holds(s, state) && holds(tau, torque));
}

TEST(no_file_is_written_twice)
{
    const char *model = write_file("p.urdf", PENDULUM);
    CHECK(mkdir(place("deep"), 0777) == 0);
    char round[600];
    snprintf(round, sizeof round, "%s/../r.h5", place("deep"));
    remove(place("r.h5"));
    REFUSED(2, "is the file of --output, too", NULL, "sim", model, SHORT, "-o", place("r.h5"), "--checkpoint",
            place("r.h5"));
    REFUSED(2, "is the file of --output, too", NULL, "sim", model, SHORT, "-o", place("r.h5"), "--checkpoint",
            round);
    run_folder = folder;
    REFUSED(2, "is the file of --output, too", NULL, "sim", model, SHORT, "-o", "r.h5", "--checkpoint",
            round);
    run_folder = NULL;
    CHECK(access(place("r.h5"), F_OK) != 0);

    /* the same name elsewhere is another file */
    answer a = run(NULL, "sim", model, SHORT, "-o", place("r.h5"), "--checkpoint", place("deep/x.h5"),
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.err && !*a.err);
    forget(&a);
    REFUSED(1, "cannot be written", NULL, "sim", model, SHORT, "-o", place("no/r.h5"));
}

TEST(inverse_dynamics_spares_its_inputs)
{
    static const char way[] = "t,q.hinge\n0,0\n1,1\n2,1\n";
    const char *model = write_file("p.urdf", PENDULUM), *csv = write_file("way.csv", way);
    REFUSED(2, "is the file of --trajectory, which it would overwrite", NULL, "id", model, "--trajectory",
            csv, "-o", csv);
    REFUSED(2, "must end in .html or .htm", NULL, "id", model, "--trajectory", csv, "--report", csv);
    remove(place("model.html"));
    CHECK(symlink(model, place("model.html")) == 0);
    REFUSED(2, "is the file of the model", NULL, "id", model, "--trajectory", csv, "--report",
            place("model.html"));
    CHECK(holds(model, PENDULUM) && holds(csv, way));
}

TEST(a_report_spares_results)
{
    const char *model = write_file("p.urdf", PENDULUM), *result = place("r.jsonl"), *other = place("r.h5");
    answer a = run(NULL, "sim", model, SHORT, "-o", result, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    write_file("r.h5", "another result");
    REFUSED(2, "--output ", NULL, "report", result, "-o", other);
    REFUSED(2, "must end in .html or .htm", NULL, "report", result, "-o", result);
    remove(place("model.html"));
    CHECK(symlink(result, place("model.html")) == 0);
    REFUSED(2, "is the file of the result", NULL, "report", result, "-o", place("model.html"));
    REFUSED(2, "--plot-columns has no use without --plot", NULL, "report", result, "-o", place("r.html"),
            "--plot-columns", "q");
    CHECK(holds(other, "another result"));
    char *text = read_file(result);
    CHECK_HAS(text, "\"texts\"");
    free(text);
}

/* An unknown column is known as such before anything is computed or written. */
TEST(columns_of_figures_are_checked_first)
{
    if (!has_gnuplot()) SKIP("there is no gnuplot");
    const char *model = write_file("p.urdf", PENDULUM), *svg = place("r.svg");
    remove(place("r.csv"));
    REFUSED(2, "the result has no column 'nope'", NULL, "sim", model, "--duration", "1e9", "--output-step",
            "1e8", "--quiet", "-o", place("r.csv"), "--plot", svg, "--plot-columns", "q,nope");
    REFUSED(2, "the result has no column 'nope'", NULL, "id", model, "--from", "0", "--to", "1", "-o",
            place("r.csv"), "--plot", svg, "--plot-columns", "nope");
    CHECK(access(place("r.csv"), F_OK) != 0 && access(svg, F_OK) != 0);
    answer a = run(NULL, "sim", model, SHORT, "-o", place("r.jsonl"), (const char *)NULL);
    forget(&a);
    remove(place("r.html"));
    a = run(NULL, "report", place("r.jsonl"), "-o", place("r.html"), "--plot", svg, "--plot-columns", "nope",
            (const char *)NULL);
    CHECK(access(place("r.html"), F_OK) != 0 && access(svg, F_OK) != 0);
    if (!a.err || !strstr(a.err, "no report page")) CHECK_STATUS(a.status, 2);
    forget(&a);
}

/* A limit that the motion comes near is a dashed line of the figure, one that is far away is none. */
TEST(figures_have_lines_of_limits)
{
    if (!has_gnuplot()) SKIP("there is no gnuplot");
    for (int near = 0; near < 2; near++) {
        char model[600];
        snprintf(model, sizeof model,
                 "<robot name=\"p\"><link name=\"base\"/><link name=\"arm\"><inertial><origin xyz=\"0 0 -1\"/><mass "
                 "value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
                 "</link><joint name=\"hinge\" type=\"revolute\"><parent link=\"base\"/><child link=\"arm\"/>"
                 "<axis xyz=\"0 1 0\"/>"
                 "<limit lower=\"-90\" upper=\"%g\" effort=\"0\" velocity=\"0\"/></joint></robot>", near ? 0.6 : 70);
        answer a = run(NULL, "sim", write_file("p.urdf", model), "--q0", "0.5", "--duration", "2", "--quiet", "-o",
                       place("r.jsonl"), "--plot", place("r.svg"), "--plot-columns", "q", (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        forget(&a);
        char *figure = read_file(place("r.svg"));
        CHECK(figure && (strstr(figure, "rgb(138, 138, 138)") != NULL) == near);
        /* and of the figure that is made of the result later */
        a = run(NULL, "report", place("r.jsonl"), "-o", place("r.html"), "--plot", place("later.svg"),
                "--plot-columns", "q", (const char *)NULL);
        if (!a.err || !strstr(a.err, "no report page")) {
            CHECK_STATUS(a.status, 0);
            CHECK(figure && holds(place("later.svg"), figure));
        }
        forget(&a);
        free(figure);
    }
}

/* A link in the test's folder to a device that takes nothing. */
static const char *full(const char *name)
{
    remove(place(name));
    CHECK(symlink("/dev/full", place(name)) == 0);
    return place(name);
}

/* What cannot be written is told, and the other files are written and named all the same. */
TEST(files_that_take_nothing)
{
    if (access("/dev/full", W_OK) != 0) SKIP("there is no /dev/full");
    const char *model = write_file("p.urdf", PENDULUM), *kept = getenv("PATH");
    char *before = kept ? strdup(kept) : NULL, path[600];
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", folder);
    CHECK(chmod(write_file("gnuplot", "#!/bin/sh\necho 'line 3: no such terminal' >&2\nexit 1\n"), 0700) == 0);
    const char *const run_of[2][6] = {{"sim", model, "--duration", "0.01", NULL},
                                      {"id", model, "--from", "0", "--to", "1"}};
    const char *const files_of[3][4] = {{"-o", full("full.csv"), "--report", place("r.html")},
                                        {"-o", place("r.csv"), "--report", full("full.html")},
                                        {"-o", place("r.csv"), "--plot", place("r.svg")}};
    const char *const lost[] = {"full.csv: cannot be written: No space left on device",
                                "full.html: cannot be written: No space left on device",
                                "gnuplot did not draw the figure: line 3: no such terminal"};
    for (int k = 0; k < 6; k++) {
        const int of = k / 3, what = k % 3;
        const char *list[10];
        int count = 0;
        for (int i = 0; i < 6 && run_of[of][i]; i++) list[count++] = run_of[of][i];
        for (int i = 0; i < 4; i++) list[count++] = files_of[what][i];
        remove(place("r.csv"));
        remove(place("r.html"));
        if (what == 2) setenv("PATH", path, 1);
        answer a = run_list(NULL, list, count);
        if (before) setenv("PATH", before, 1);
        CHECK_STATUS(a.status, 1);
        if (!strstr(a.err, "no report page")) {
            CHECK_HAS(a.err, lost[what]);
            if (what > 0) CHECK(access(place("r.csv"), F_OK) == 0 && strstr(a.err, "wrote "));
        }
        forget(&a);
    }
    free(before);
}

/* The same of standard output. */
TEST(answers_that_cannot_be_written)
{
    if (access("/dev/full", W_OK) != 0) SKIP("there is no /dev/full");
    const char *model = write_file("p.urdf", PENDULUM);
    for (int id = 0; id < 2; id++) {
        run_out = "/dev/full";
        answer a = id ? run(NULL, "id", model, "--from", "0", "--to", "1", (const char *)NULL)
                      : run(NULL, "sim", model, SHORT, (const char *)NULL);
        run_out = NULL;
        CHECK_STATUS(a.status, 1);
        CHECK_HAS(a.err, "the answer cannot be written");
        CHECK(lines_of(a.err) == 1);
        forget(&a);
    }
}

/* A checkpoint keeps the command line in JSON, which has no other bytes than those of UTF-8. */
TEST(checkpoints_of_odd_names)
{
    const char *model = write_file("p.urdf", PENDULUM);
    REFUSED(1, "c\\xff.h5: cannot be written: out of memory, or an argument is not UTF-8", NULL, "sim", model, SHORT,
            "--checkpoint", place("c\xff.h5"), "-o", place("r.csv"));
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(a_simulation_spares_its_inputs);
    RUN(no_file_is_written_twice);
    RUN(inverse_dynamics_spares_its_inputs);
    RUN(a_report_spares_results);
    RUN(columns_of_figures_are_checked_first);
    RUN(figures_have_lines_of_limits);
    RUN(files_that_take_nothing);
    RUN(answers_that_cannot_be_written);
    RUN(checkpoints_of_odd_names);
    for (int i = 0; files[i]; i++) remove(place(files[i]));
    rmdir(place("deep"));
    return command_end(NULL);
}
