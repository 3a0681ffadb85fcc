/* `pinion bench --what parallel` and `pinion ops --span`: the shape of what they print. No time is asserted. */
#define _DEFAULT_SOURCE
#include "command.h"

static double number(json_t *json)
{
    return json_is_number(json) ? json_number_value(json) : NAN;
}

/* median, lower and upper quartile */
static void check_time(json_t *time)
{
    CHECK(json_array_size(time) == 3);
    const double median = number(DIG(time, "0")), low = number(DIG(time, "1")), high = number(DIG(time, "2"));
    CHECK(low > 0 && low <= median && median <= high);
}

TEST(json_of_bench)
{
    answer a = run(NULL, "bench", "--what", "parallel", "--chain", "3,16", "--threads", "2", "--json",
                   (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *chain;
    size_t i;
    CHECK_KEYS(r, "what processor processors compiler flags threads lanes chains");
    CHECK_NEAR(number(DIG(r, "threads")), 2, 0);
    CHECK(number(DIG(r, "lanes")) >= 1);
    CHECK(json_array_size(DIG(r, "chains")) == 2);
    CHECK_NEAR(number(DIG(r, "chains", "1", "n")), 16, 0);
    json_array_foreach(DIG(r, "chains"), i, chain)
    {
        static const char *const always[] = {"aba",       "dca",       "dca_threads", "dca_lanes", "dca_threads_lanes",
                                             "aba_batch", "work",      "span"};
        for (int k = 0; k < 6; k++) check_time(DIG(chain, always[k]));
        for (int k = 6; k < 8; k++) CHECK(json_array_size(DIG(chain, always[k])) == 2);
    }
    json_decref(r);
}

TEST(csv_and_text_of_bench)
{
    answer a = run(NULL, "bench", "--what", "parallel", "--chain", "2", "--csv", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "n,aba,aba_low,aba_high,dca,");
    CHECK_HAS(a.out, "\n2,");
    forget(&a);
    a = run(NULL, "bench", "--what", "parallel", "--chain", "2", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "median (quartiles)");
    CHECK_HAS(a.out, "dca, threads");
    CHECK_HAS(a.out, "processors to win");
    forget(&a);
}

TEST(bench_refuses)
{
    REFUSED(2, "--what is missing", NULL, "bench");
    REFUSED(2, "expected parallel", NULL, "bench", "--what", "everything");
    REFUSED(2, "expected numbers from 1 to 8192", NULL, "bench", "--what", "parallel", "--chain", "0");
    REFUSED(2, "got 'x'", NULL, "bench", "--what", "parallel", "--chain", "4,x,8");
    REFUSED(2, "expected 1 to 1024, got 0", NULL, "bench", "--what", "parallel", "--threads", "0");
    REFUSED(2, "either --json or --csv", NULL, "bench", "--what", "parallel", "--json", "--csv");
}

/* the spans of all chains, or of one model */
TEST(spans)
{
    answer a = run(NULL, "ops", "--span", "--chain", "20", "--json", (const char *)NULL);
    if (a.status == 2) {
        CHECK_HAS(a.err, "not available in this build");
        forget(&a);
        return;
    }
    json_t *r = parse_answer(&a, 0), *entry;
    size_t i;
    CHECK_KEYS(r, "n algorithms");
    CHECK(json_array_size(DIG(r, "n")) == 5); /* 1, 2, 4, 8, 16 */
    int found = 0;
    json_array_foreach(DIG(r, "algorithms"), i, entry)
    {
        CHECK_KEYS(entry, "name span operations");
        CHECK(json_array_size(DIG(entry, "span")) == 5 && json_array_size(DIG(entry, "operations")) == 5);
        const char *name = json_string_value(DIG(entry, "name"));
        if (strcmp(name, "aba") != 0 && strcmp(name, "divide-and-conquer") != 0) continue;
        found++;
        CHECK(number(DIG(entry, "span", "4")) > number(DIG(entry, "span", "3")));
        CHECK(number(DIG(entry, "operations", "4")) > number(DIG(entry, "span", "4")));
    }
    CHECK(found == 2);
    json_decref(r);

    a = run(NULL, "ops", "--span", bundled("stanford.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "divide-and-conquer");
    forget(&a);
    REFUSED(2, "with --span expected 1 to 4096", NULL, "ops", "--span", "--chain", "5000");
    REFUSED(2, "no --what", NULL, "ops", "--span", "--what", "mass_matrix");
    REFUSED(2, "not both", NULL, "ops", "--span", "--chain", "5", bundled("stanford.json"));
}

int main(int argc, char **argv)
{
    static const char *const files[] = {NULL};
    COMMAND_BEGIN(argc, argv);
    RUN(json_of_bench);
    RUN(csv_and_text_of_bench);
    RUN(bench_refuses);
    RUN(spans);
    return command_end(files);
}
