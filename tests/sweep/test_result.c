/* Results of sweeps, read: what was written, and files that are damaged. */
#define _DEFAULT_SOURCE
#include "check.h"
#include "pinion/sim/sim.h"

#include <unistd.h>

static char folder[] = "/tmp/pinion-sweep-result-XXXXXX";

#include "folder.h"

static const char model[] =
    "{\"pinion\": 1, \"name\": \"slide\", \"links\": [{\"name\": \"g\"},\n"
    " {\"name\": \"car\", \"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],\n"
    "\"joints\": [{\"name\": \"x\", \"type\": \"prismatic\", \"parent\": \"g\", \"child\": \"car\"}]}\n";
static const char plan[] = "{\"model\": \"slide.json\", \"run\": {\"duration\": 0.1, \"integrator\": "
                           "\"rk4\"}, \"count\": 20, \"vary\": [\n"
                           "{\"name\": \"m/kg\", \"what\": \"mass\", \"of\": \"car\", \"normal\": [1, 1]},\n"
                           "{\"name\": \"how\", \"what\": \"integrator\", \"list\": [\"rk4\", \"euler\"]}],\n"
                           "\"keep\": [{\"name\": \"v\", \"column\": \"v.x\", \"take\": \"final\"}]}\n";

static void write_text(const char *name, const void *text, size_t size)
{
    FILE *f = fopen(in_folder(name), "wb");
    CHECK(f && fwrite(text, 1, size, f) == size && fclose(f) == 0);
}

/* What is told before is what the file has, but for a tenth and a few hundred bytes. */
static void check_size(const pinion_sweep *s, const char *path)
{
    pinion_error err;
    pinion_sweep_result *r = pinion_sweep_result_load(path, &err);
    FILE *f = fopen(path, "rb");
    double rows = 0, failed = 0;
    const uint64_t runs = pinion_sweep_result_runs(r);
    CHECK(r && f && fseek(f, 0, SEEK_END) == 0);
    for (uint64_t i = 0; i < runs; i++) {
        rows += (double)pinion_sweep_result_row_count(r, i) / (double)runs;
        failed += (pinion_sweep_result_outcomes(r)[i] != 0) / (double)runs;
    }
    const double size = f ? (double)ftell(f) : 0, told = pinion_sweep_result_size(s, rows, failed);
    if (!(fabs(told - size) < 0.1 * size + 600)) CHECK_FAIL("%s: %g bytes, %g are told", path, size, told);
    if (f) fclose(f);
    pinion_sweep_result_free(r);
}

static pinion_sweep *make(void)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    write_text("slide.json", model, sizeof model - 1);
    pinion_sweep *s = pinion_sweep_load_string(plan, sizeof plan - 1, NULL, folder, &err);
    if (!s || pinion_sweep_to_file(s, in_folder("r.h5"), NULL, NULL, &err) != PINION_OK)
        CHECK_FAIL("%s", err.message);
    check_size(s, in_folder("r.h5"));
    return s;
}

TEST(what_was_written)
{
    pinion_error err;
    pinion_sweep *s = make();
    pinion_sweep_result *r = pinion_sweep_result_load(in_folder("r.h5"), &err);
    pinion_sweep_worker *w = pinion_sweep_worker_new(s, &err);
    CHECK(pinion_sweep_is_result(in_folder("r.h5")) && !pinion_sweep_is_result(in_folder("slide.json")));
    CHECK(r && w && pinion_sweep_result_runs(r) == 40);
    pinion_sweep_number mass, how, v;
    const double *x[3];
    CHECK(pinion_sweep_result_parameter(r, 0, &mass, &x[0]) == PINION_OK && strcmp(mass.name, "m/kg") == 0 &&
          strcmp(mass.unit, "kg") == 0 && !mass.words);
    CHECK(pinion_sweep_result_parameter(r, 1, &how, &x[1]) == PINION_OK && how.word_count == 2 &&
          strcmp(how.words[1], "euler") == 0);
    CHECK(pinion_sweep_result_scalar(r, 0, &v, &x[2]) == PINION_OK && strcmp(v.unit, "m/s") == 0);
    CHECK(pinion_sweep_result_scalar(r, 1, &v, NULL) == PINION_ERR_ARGUMENT);
    int failed = 0;
    for (uint64_t run = 0; r && w && run < 40; run++) {
        pinion_sweep_record record;
        double own[2];
        CHECK(pinion_sweep_run(w, run, &record) == PINION_OK &&
              pinion_sweep_parameters(s, run, own) == PINION_OK);
        CHECK(x[0][run] == own[0] && x[1][run] == own[1] &&
              pinion_sweep_result_outcomes(r)[run] == record.outcome);
        CHECK(memcmp(&x[2][run], &record.scalars[0], 8) == 0 &&
              memcmp(&pinion_sweep_result_ends(r)[run], &record.t_end, 8) == 0);
        CHECK(strcmp(pinion_sweep_result_why(r, run), record.why) == 0);
        failed += record.outcome == PINION_SWEEP_NO_START; /* masses below 0 */
    }
    CHECK(failed > 0 && failed < 40);
    CHECK(r && strcmp(pinion_sweep_result_text(r, "plan"), plan) == 0 &&
          !pinion_sweep_result_text(r, "other"));
    pinion_sweep_worker_free(w);
    pinion_sweep_result_free(r);
    pinion_sweep_free(s);
}

static char bytes[1 << 20];

static size_t read_bytes(void)
{
    FILE *f = fopen(in_folder("r.h5"), "rb");
    const size_t size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f) fclose(f);
    return size;
}

static int is_there(size_t size, const void *what, size_t length)
{
    for (size_t at = 0; at + length <= size; at++)
        if (memcmp(bytes + at, what, length) == 0) return 1;
    return 0;
}

/* the numbers of the functions of sweep_statistics.h, exactly; command.sweep_numpy looks where they are */
TEST(statistics_in_the_file)
{
    pinion_error err;
    pinion_sweep_free(make());
    const size_t size = read_bytes();
    pinion_sweep_result *r = pinion_sweep_result_load(in_folder("r.h5"), &err);
    unsigned char counts[40] = {0};
    pinion_sweep_number n;
    const double *mass, *x;
    uint64_t failed = 0;
    for (int i = 0; r && i < 40; i++) {
        counts[i] = pinion_sweep_result_outcomes(r)[i] <= PINION_SWEEP_STOPPED;
        failed += !counts[i];
    }
    CHECK(r && failed > 0 && pinion_sweep_result_parameter(r, 0, &n, &mass) == PINION_OK &&
          pinion_sweep_result_scalar(r, 0, &n, &x) == PINION_OK);
    for (int k = 0; k < 2; k++) {
        pinion_sweep_summary s;
        CHECK_STATUS(pinion_sweep_summarize(40, k ? x : mass, k ? counts : NULL, &s), PINION_OK);
        CHECK(is_there(size, s.quantile, sizeof s.quantile) && is_there(size, s.histogram, sizeof s.histogram));
        CHECK(is_there(size, &s.mean, 8) && is_there(size, &s.deviation, 8) && is_there(size, &s.error, 8));
    }
    double correlation = 0, interval[2];
    CHECK_STATUS(pinion_sweep_rank_correlation(40, mass, x, counts, &correlation), PINION_OK);
    CHECK_STATUS(pinion_sweep_probability(40, failed, 0.95, interval), PINION_OK);
    CHECK(is_there(size, &correlation, 8) && is_there(size, &interval[0], 8) && is_there(size, &interval[1], 8));
    pinion_sweep_result_free(r);
}

/* rows that the result keeps are those of a replay */
TEST(trajectories)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    char text[1000];
    snprintf(text, sizeof text, "{\"trajectories\": 3, %s", plan + 1);
    pinion_sweep_free(make());
    pinion_sweep *s = pinion_sweep_load_string(text, strlen(text), NULL, folder, &err);
    if (!s || pinion_sweep_to_file(s, in_folder("d.h5"), NULL, NULL, &err) != PINION_OK) CHECK_FAIL("%s", err.message);
    pinion_sweep_result *r = pinion_sweep_result_load(in_folder("d.h5"), &err);
    pinion_sweep_worker *w = pinion_sweep_worker_new(s, &err);
    int compared = 0;
    for (uint64_t run = 0; r && w && run < 40; run++) {
        pinion_result *kept = pinion_sweep_result_trajectory(r, run, &err), *again = pinion_sweep_replay(w, run, NULL);
        const size_t rows = run % 3 == 0 && again ? pinion_result_row_count(again) : 0;
        CHECK(pinion_sweep_result_row_count(r, run) == rows && !kept == !rows);
        if (!kept) CHECK_STATUS(err.status, PINION_ERR_NOT_FOUND);
        for (int i = 0; kept && i < pinion_result_column_count(kept); i++) {
            pinion_column a, b;
            CHECK(pinion_result_column(kept, i, &a) == PINION_OK && pinion_result_column(again, i, &b) == PINION_OK &&
                  strcmp(a.name, b.name) == 0 && strcmp(a.unit, b.unit) == 0);
            CHECK(memcmp(pinion_result_values(kept, i), pinion_result_values(again, i), rows * 8) == 0);
            compared++;
        }
        pinion_result_free(kept);
        pinion_result_free(again);
    }
    check_size(s, in_folder("d.h5"));
    CHECK(compared > 20 && pinion_sweep_result_row_count(r, 40) == 0);
    pinion_sweep_worker_free(w);
    pinion_sweep_result_free(r);
    pinion_sweep_free(s);
}

/* Bytes that are others, and files that end early: an error, or numbers that are others, and nothing worse.
 */
TEST(damaged_files)
{
    pinion_sweep_free(make());
    const size_t size = read_bytes();
    CHECK(size > 4000 && size < sizeof bytes);
    uint64_t seed = check_seed;
    int refused = 0;
    for (int round = 0; round < 400; round++) {
        const size_t at = (size_t)(check_uniform(&seed) * (double)size);
        const char was = bytes[at];
        bytes[at] = (char)(was ^ (1 << (int)(8 * check_uniform(&seed))));
        write_text("d.h5", bytes, round % 4 ? size : at);
        bytes[at] = was;
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_sweep_result *r = pinion_sweep_result_load(in_folder("d.h5"), &err);
        if (!r) CHECK_HAS(err.message, "d.h5: ");
        refused += !r;
        pinion_sweep_result_free(r);
    }
    CHECK(refused >= 100);
    CHECK(!pinion_sweep_result_load(NULL, NULL) && !pinion_sweep_result_load("/none.h5", NULL));
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    if (!mkdtemp(folder)) return 1;
    RUN(what_was_written);
    RUN(statistics_in_the_file);
    RUN(trajectories);
    RUN(damaged_files);
    static const char *const files[] = {"slide.json", "r.h5", "d.h5"};
    for (int i = 0; i < 3; i++) remove(in_folder(files[i]));
    CHECK(entries() == 0);
    rmdir(folder);
    return CHECK_END();
}
