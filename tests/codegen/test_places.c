/* Where generated functions lie: copies of the object have the same functions, the fastest place is taken, and what
 * cannot be copied is used where it is. */
#include "compiled_code.h"

#include <signal.h>
#include <sys/resource.h>

/* ---- the fastest of some ---- */

static const int *turns_of_place;
static volatile double sink;

/* works as long as its place says */
static void work(void *user, int which, int calls)
{
    (void)user;
    for (int k = 0; k < calls; k++)
        for (int i = 0; i < 400 * turns_of_place[which]; i++) sink = sink + 1;
}

static int fastest(int count, const int *turns)
{
    turns_of_place = turns;
    return pn_fastest(count, work, NULL);
}

TEST(the_fastest_place_is_taken)
{
    static const int first[] = {2, 6, 6}, second[] = {6, 2, 6}, third[] = {8, 4, 2}, alone[] = {3};
    CHECK(fastest(3, first) == 0);
    CHECK(fastest(3, second) == 1);
    CHECK(fastest(3, third) == 2);
    CHECK(fastest(2, third) == 1);
    CHECK(fastest(1, alone) == 0);
}

/* ---- an object ---- */

static int open_files(void)
{
    return files_in("/proc/self/fd");
}

/* every function that is called is one of a place that is still loaded */
static void check_calls(const pinion_compiled *c)
{
    for (int over = 0; over < PN_OVER_COUNT; over++)
        for (int i = 0; c->place[0].table.lanes[over] && i < c->code->functions; i++) {
            int found = 0;
            for (int k = 0; k < c->places; k++)
                found |= c->place[k].library && c->call[over][i] == c->place[k].table.call[over][i];
            CHECK(found);
        }
}

static double *derivatives(const pinion_model *m, const pinion_compiled *c)
{
    const size_t n = (size_t)pinion_model_nv(m);
    double *x = calloc(3 * n * n + 1, sizeof *x), *q = calloc(n + 1, sizeof *q);
    pinion_work *w = pinion_work_new(m);
    CHECK(x && q && w);
    if (!x || !q || !w) exit(1);
    for (size_t i = 0; i < n; i++) q[i] = 0.3 + 0.1 * (double)i;
    CHECK_STATUS(pinion_work_use(w, c), PINION_OK);
    CHECK_STATUS(pinion_d_inverse_dynamics(m, w, q, q, q, NULL, x, x + n * n, x + 2 * n * n), PINION_OK);
    pinion_work_free(w);
    free(q);
    return x;
}

/* in the place where it was loaded, in copies, and where there can be none: the same bits */
TEST(an_object_is_copied_where_it_can_be)
{
    pinion_error err = {0};
    pinion_model *m = pinion_random_chain(5, check_seed, NULL);
    const char *what = "d_inverse_dynamics,gravity";
    char *cache = below("cache");
    const int before = open_files();
    double *x[3] = {NULL};
    CHECK(m != NULL);
    for (int kept = 0; m && kept < 3; kept++) {
        /* the last one may write no file, in memory neither */
        struct rlimit usual, none;
        CHECK(getrlimit(RLIMIT_FSIZE, &usual) == 0);
        none = usual;
        none.rlim_cur = 0;
        if (kept == 2) {
            signal(SIGXFSZ, SIG_IGN);
            CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
        }
        pinion_compiled *c = compile(m, what, hasty, kept ? cache : "", &err);
        if (kept == 2) CHECK(setrlimit(RLIMIT_FSIZE, &usual) == 0);
        if (kept == 0 && c) pinion_compiled_free(compile(m, what, hasty, cache, &err)); /* for the next turns */
        if (!c) CHECK_FAIL("%s", err.message);
        if (!c) continue;
#ifdef __linux__
        CHECK(c->places == (kept == 2 ? 1 : PN_PLACES));
#endif
        check_calls(c);
        x[kept] = derivatives(m, c);
        CHECK(memcmp(x[kept], x[0], 75 * sizeof *x[0]) == 0);
        pinion_compiled_free(c);
        CHECK(open_files() == before);
    }
    for (int k = 0; k < 3; k++) free(x[k]);
    pinion_model_free(m);
    empty(cache);
    rmdir(cache);
    free(cache);
}

/* what is short has no pages that could be in each other's way */
TEST(short_functions_stay_where_they_are)
{
    pinion_error err = {0};
    pinion_model *m = pinion_random_chain(2, check_seed, NULL);
    pinion_compiled *c = m ? compile(m, "gravity", hasty, "", &err) : NULL;
    if (!c) CHECK_FAIL("%s", err.message);
    if (c) CHECK(c->places == 1);
    pinion_compiled_free(c);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    const int cannot = begin_compiling();
    if (cannot) return cannot;
    RUN(the_fastest_place_is_taken);
    RUN(an_object_is_copied_where_it_can_be);
    RUN(short_functions_stay_where_they_are);
    end_compiling();
    return CHECK_END();
}
