/* Memory that runs out anywhere in a sweep: plans, runs, parts, results and statistics either succeed or say so, and
 * leave nothing behind. Threads are left out, since the allocator is for one. */
#define _DEFAULT_SOURCE
#include "../memory/exhaust.h"
#include "pinion/pinion.h"
#include "pinion/sim/sweep.h"
#include "sweep/store/assemble.h"
#include "sweep/store/result_statistics.h"

#include <unistd.h>

static char folder[] = "/tmp/pinion-sweep-memory-XXXXXX";

#include "folder.h"

static const char model[] =
    "{\"pinion\": 1, \"name\": \"slide\", \"links\": [{\"name\": \"g\"},\n"
    " {\"name\": \"car\", \"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],\n"
    "\"joints\": [{\"name\": \"x\", \"type\": \"prismatic\", \"parent\": \"g\", \"child\": \"car\"}],\n"
    "\"frames\": [{\"name\": \"tip\", \"link\": \"car\"}]}\n";

/* some of everything that a plan can say */
#define MASS "{\"name\": \"m\", \"what\": \"mass\", \"of\": \"car\", \"normal\": [2, 0.1]}"
#define SPEED "{\"name\": \"v\", \"what\": \"v0\", \"of\": \"x\", \"normal\": [0, 1]}"
#define KEEP "\"keep\": [{\"name\": \"e\", \"column\": \"q.x\", \"take\": \"final\"}]"
static const char *const plans[] = {
    "{\"model\": \"slide.json\", \"count\": 3, \"vary\": [" MASS ", " SPEED "],\n"
    "\"correlations\": [[\"m\", \"v\", 0.5]],\n"
    "\"run\": {\"duration\": 0.02, \"integrator\": \"rk4\", \"step\": 1e-3, \"control\": \"pd\", \"to\": {\"x\": 1},\n"
    "\"frames\": [\"tip\"], \"stop_when\": [{\"kinetic\": 1e9}]}, \"trajectories\": \"all\",\n"
    "\"keep\": [{\"name\": \"d\", \"frame\": \"tip\", \"target\": [0, 0, 0], \"take\": \"final\"}]}",
    "{\"model\": \"slide.json\", \"engine\": \"rollout\", \"count\": 3, \"vary\": [" SPEED "], " KEEP ",\n"
    "\"run\": {\"duration\": 0.1, \"integrator\": \"rk4\", \"step\": 1e-3, \"control\": \"pd\", \"to\": {\"x\": 1}}}",
    "{\"model\": \"slide.json\", \"sampling\": \"sobol\", \"indices\": true, \"count\": 2,\n"
    "\"vary\": [" MASS ", " SPEED "], \"run\": {\"command\": \"eval\", \"what\": [\"energy\"]},\n"
    "\"keep\": [{\"name\": \"T\", \"column\": \"energy.kinetic\"}]}",
    "{\"model\": \"slide.json\", \"run\": {\"command\": \"id\", \"duration\": 1, \"to\": {\"x\": 1}}, " KEEP ",\n"
    "\"vary\": [{\"name\": \"o\", \"what\": \"model\", \"of\": \"/joints/x/origin/position/1\", \"list\": [0, 2]},\n"
    "{\"name\": \"s\", \"what\": \"scale\", \"list\": [1, 2]}]}",
};
enum { PLANS = sizeof plans / sizeof *plans };

static int load(void *plan, pinion_error *err)
{
    pinion_sweep *s = pinion_sweep_load_string(plan, strlen(plan), "plan.json", folder, err);
    alloc_work();
    pinion_sweep_free(s);
    return s != NULL;
}

TEST(plans_that_are_read)
{
    for (int i = 0; i < PLANS; i++) exhaust(load, (void *)plans[i], ONLY_MEMORY);
}

/* all runs and a replay; what a run gives with memory refused is what it gives with all of it, or an error */
static int make_runs(void *sweep, pinion_error *err)
{
    const pinion_sweep *s = sweep;
    pinion_sweep_worker *w = pinion_sweep_worker_new(s, err);
    int fine = w != NULL, wrong = 0;
    for (uint64_t i = 0; i < pinion_sweep_count(s) && fine; i++) {
        pinion_sweep_record r;
        const pinion_status status = pinion_sweep_run(w, i, &r);
        fine = status == PINION_OK;
        if (!fine) *err = (pinion_error){status, 0, 0, "out of memory"};
        wrong += fine && r.outcome != PINION_SWEEP_COMPLETE;
    }
    pinion_result *again = fine ? pinion_sweep_replay(w, 0, err) : NULL;
    alloc_work();
    if (wrong) CHECK_FAIL("%d runs are recorded as failed", wrong);
    pinion_result_free(again);
    pinion_sweep_worker_free(w);
    return fine && again;
}

TEST(runs)
{
    for (int i = 0; i < PLANS; i++) {
        pinion_error err;
        pinion_sweep *s = pinion_sweep_load_string(plans[i], strlen(plans[i]), "plan.json", folder, &err);
        CHECK(s != NULL);
        if (s) exhaust(make_runs, s, ONLY_MEMORY);
        pinion_sweep_free(s);
    }
}

/* a result with trajectories and failures, read */
static int read_result(void *path, pinion_error *err)
{
    pinion_sweep_result *r = pinion_sweep_result_load(path, err);
    pinion_result *rows = r ? pinion_sweep_result_trajectory(r, 0, err) : NULL;
    alloc_work();
    pinion_result_free(rows);
    pinion_sweep_result_free(r);
    return rows != NULL;
}

static int count_statistics(void *context, pinion_error *err)
{
    static const double x[6] = {3, 1, 2, 5, 4, 6}, y[6] = {1, 2, 3, 4, 5, 6};
    pinion_sweep_summary s;
    double rank = 0;
    (void)context;
    pinion_status status = pinion_sweep_summarize(6, x, NULL, &s);
    if (status == PINION_OK) status = pinion_sweep_rank_correlation(6, x, y, NULL, &rank);
    alloc_work();
    if (status != PINION_OK) *err = (pinion_error){status, 0, 0, "out of memory"};
    return status == PINION_OK;
}

TEST(results_and_statistics)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_sweep *s = pinion_sweep_load_string(plans[0], strlen(plans[0]), "plan.json", folder, &err);
    char path[200];
    snprintf(path, sizeof path, "%s", in_folder("r.h5"));
    exhaust(count_statistics, NULL, ONLY_MEMORY);
    if (!s || pinion_sweep_to_file(s, path, NULL, NULL, &err) != PINION_OK) {
        pinion_sweep_free(s);
        if (err.status == PINION_ERR_UNSUPPORTED) SKIP("this build has no HDF5");
        CHECK_FAIL("%s", err.message);
        return;
    }
    exhaust(read_result, path, ONLY_MEMORY);
    pinion_sweep_free(s);
    remove(path);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    if (!ALLOCATOR) {
        printf("skipped: %s\n", allocator_absent);
        return 77;
    }
    if (!mkdtemp(folder)) return 1;
    FILE *f = fopen(in_folder("slide.json"), "w");
    if (!f || fputs(model, f) < 0 || fclose(f) != 0) return 1;
    RUN(plans_that_are_read);
    RUN(runs);
    RUN(results_and_statistics);
    remove(in_folder("slide.json"));
    CHECK(entries() == 0);
    rmdir(folder);
    return CHECK_END();
}
