/* Functions of a run: of the program, and of a shared object. */
#define _DEFAULT_SOURCE
#include "check.h"
#include <unistd.h>
#include "pinion/sim/sim.h"

#ifndef PLUGIN
#define PLUGIN "none.so"
#endif

/* A slide that is pushed by 3 N for 2 s: x = 6 / m at the end, and never back. */
static const char slide[] =
    "{\"pinion\": 1, \"name\": \"slide\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"g\"},\n"
    " {\"name\": \"car\", \"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],\n"
    "\"joints\": [{\"name\": \"x\", \"type\": \"prismatic\", \"parent\": \"g\", \"child\": \"car\", "
    "\"axis\": [1, 0, 0]}]}\n";

static char folder[] = "/tmp/pinion-sweep-plugins-XXXXXX";

#include "folder.h"

static pinion_sweep *load(const char *keep, const char *more, pinion_error *err)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{\"model\": \"slide.json\", \"run\": {\"duration\": 2, \"torque\": [3]}, %s\n"
             "\"vary\": [{\"name\": \"m\", \"what\": \"mass\", \"of\": \"car\", \"list\": [1, 2, -1, 4]}],\n"
             "\"keep\": [{\"name\": \"x\", \"column\": \"q.x\", \"take\": \"final\"}, %s]}",
             more, keep);
    return pinion_sweep_load_string(text, strlen(text), "plan.json", folder, err);
}

/* m x at the end, by the column's name; the rows of runs that did not start are none */
static double momentum(void *user, const pinion_sweep_view *run)
{
    int column = 0;
    ++*(int *)user;
    while (column < run->columns && strcmp(run->column[column].name, "v.x") != 0) column++;
    if (run->outcome == PINION_SWEEP_NO_START) return run->rows == 0 ? -7 : 7;
    return run->parameter[0] * run->row[(run->rows - 1) * (size_t)run->columns + (size_t)column];
}

TEST(functions_of_the_program)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    int calls = 0;
    pinion_sweep *s = load("{\"name\": \"p\", \"plugin\": \"slide.json:momentum\", \"unit\": \"N s\"}", "", &err);
    if (!s) CHECK_FAIL("%s", err.message);
    CHECK(!pinion_sweep_worker_new(s, &err));
    CHECK_HAS(err.message, "plan.json:3: keep \"p\": its plugin is not loaded");
    CHECK_STATUS(pinion_sweep_to_file(s, in_folder("r.h5"), NULL, NULL, &err), PINION_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "keep \"p\"");
    CHECK_STATUS(pinion_sweep_set_function(s, 0, momentum, &calls), PINION_ERR_ARGUMENT); /* a column */
    CHECK_STATUS(pinion_sweep_set_function(s, 1, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_sweep_set_function(s, 1, momentum, &calls), PINION_OK);
    pinion_sweep_number n;
    CHECK(pinion_sweep_scalar(s, 1, &n) == PINION_OK && strcmp(n.unit, "N s") == 0);
    pinion_sweep_worker *w = pinion_sweep_worker_new(s, &err);
    for (uint64_t i = 0; w && i < 4; i++) {
        pinion_sweep_record r;
        CHECK(pinion_sweep_run(w, i, &r) == PINION_OK && r.rows == 0);
        CHECK_NEAR(r.scalars[1], i == 2 ? -7 : 6, 1e-9); /* what is pushed for 2 s, whatever its mass */
    }
    CHECK(calls == 4);
    pinion_sweep_worker_keep_rows(w);
    pinion_sweep_record r;
    CHECK(w && pinion_sweep_run(w, 0, &r) == PINION_OK && r.rows == 101);
    pinion_column column;
    CHECK(pinion_sweep_column(s, 0, &column) == PINION_OK && strcmp(column.name, "t") == 0);
    CHECK_STATUS(pinion_sweep_column(s, pinion_sweep_column_count(s), &column), PINION_ERR_ARGUMENT);
    pinion_sweep_worker_free(w);
    pinion_sweep_free(s);
}

TEST(shared_objects)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_sweep *s = load("{\"name\": \"far\", \"plugin\": \"" PLUGIN ":travel\"}", "\"trajectories\": 2,", &err);
    if (!s) CHECK_FAIL("%s", err.message);
    if (pinion_sweep_load_plugins(s, &err) != PINION_OK) CHECK_FAIL("%s", err.message);
    if (pinion_sweep_to_file(s, in_folder("r.h5"), NULL, NULL, &err) != PINION_OK) CHECK_FAIL("%s", err.message);
    pinion_sweep_result *r = pinion_sweep_result_load(in_folder("r.h5"), &err);
    pinion_sweep_number n;
    const double *far = NULL;
    CHECK(r && pinion_sweep_result_scalar(r, 1, &n, &far) == PINION_OK);
    CHECK(far && fabs(far[0] - 6) < 1e-9 && fabs(far[1] - 3) < 1e-9 && isnan(far[2]) && fabs(far[3] - 1.5) < 1e-9);
    pinion_sweep_result_free(r);
    pinion_sweep_free(s);
    remove(in_folder("r.h5"));

    /* a plan without a folder takes a file of the current one, not one of those where libraries are */
    char plan[600], before[1000], own[] = PLUGIN, *name = strrchr(own, '/');
    CHECK(name && getcwd(before, sizeof before));
    *name = '\0';
    CHECK(chdir(own) == 0);
    snprintf(plan, sizeof plan,
             "{\"model\": \"%s\", \"run\": {\"duration\": 2, \"v0\": [3]}, "
             "\"keep\": [{\"name\": \"far\", \"plugin\": \"%s:travel\"}]}", in_folder("slide.json"), name + 1);
    s = pinion_sweep_load_string(plan, strlen(plan), "plan.json", NULL, &err);
    if (!s) CHECK_FAIL("%s", err.message);
    if (s && pinion_sweep_load_plugins(s, &err) != PINION_OK) CHECK_FAIL("%s", err.message);
    pinion_sweep_worker *w = s ? pinion_sweep_worker_new(s, &err) : NULL;
    pinion_sweep_record record;
    CHECK(w && pinion_sweep_run(w, 0, &record) == PINION_OK);
    if (w) CHECK_NEAR(record.scalars[0], 6, 1e-9);
    pinion_sweep_worker_free(w);
    pinion_sweep_free(s);
    CHECK(chdir(before) == 0);

    s = load("{\"name\": \"far\", \"plugin\": \"" PLUGIN ":wander\"}", "", &err);
    CHECK(s && pinion_sweep_load_plugins(s, &err) == PINION_ERR_NOT_FOUND);
    CHECK_HAS(err.message, "plan.json:3: keep \"far\": ");
    pinion_sweep_free(s);
}

TEST(mistakes)
{
    static const char *const cases[][2] = {
        {"{\"name\": \"p\", \"plugin\": \"a.so\"}", "FILE.so:FUNCTION"},
        {"{\"name\": \"p\", \"plugin\": \"none.so:f\"}", "none.so"},
        {"{\"name\": \"p\", \"plugin\": \"slide.json:f\", \"take\": \"final\"}", "take"},
        {"{\"name\": \"p\", \"column\": \"q.x\", \"take\": \"final\", \"unit\": \"m\"}", "is of \"plugin\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_sweep *s = load(cases[i][0], "", &err);
        if (s) CHECK_FAIL("accepted: %s", cases[i][0]);
        CHECK_HAS(err.message, cases[i][1]);
        pinion_sweep_free(s);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    if (!mkdtemp(folder)) return 1;
    FILE *f = fopen(in_folder("slide.json"), "w");
    if (!f || fputs(slide, f) < 0 || fclose(f) != 0) return 1;
    RUN(functions_of_the_program);
    RUN(shared_objects);
    RUN(mistakes);
    remove(in_folder("slide.json"));
    CHECK(entries() == 0);
    rmdir(folder);
    return CHECK_END();
}
