/* The execution times of Safeea, Bearee & Neto 2018, section IV: the mass matrix by GDAHJ and by CRBA, for
 * random robots of 2 to 60 joints, and the number of joints from which on GDAHJ is faster (theirs: 13, in
 * Matlab).
 *
 *     bench_safeea [REPEATS] > safeea.csv
 *
 * Each turn runs both algorithms on the same robot and state, one after the other, in small groups of calls,
 * so that whatever else the machine does hits both; the median over all turns counts. The paper's plots leave
 * the direct kinematics of GDAHJ out: it is timed by itself, and ratio_without is crba / (gdahj -
 * kinematics). */
#include <stdlib.h>
#include <time.h>
#include "bench.h"
#include "safeea.h"

enum { SHORTEST = 2, LONGEST = 60, ROBOTS = 5 };

/* the three kernels that are timed */
enum { GDAHJ, CRBA, KINEMATICS, TIMED };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

static pn_kernel *timed_kernel(int which)
{
    static const char *const names[] = {[GDAHJ] = "gdahj", [CRBA] = "crba"};
    if (which == KINEMATICS) return bench_kinematics;
    return pn_backend_f64.kernel[PN_FIRST_ALGORITHM + pinion_algorithm_find(names[which])];
}

/* What one robot says: the error of Eq. 32, and the times of one call, `repeats` for each kernel from `ns`
 * on. 0 when there is no memory or no robot. */
static int time_robot(int n, uint64_t *seed, int repeats, double *ns[TIMED], double *error)
{
    const double pi = 3.14159265358979323846;
    pinion_error err = {0};
    pinion_model *m = safeea_robot(n, seed, &err);
    void *work = m ? malloc((pn_work_reals(&m->n) + pn_largest_room(&m->n) + 1) * sizeof(double)) : NULL;
    double q[LONGEST], A[2][LONGEST * LONGEST];
    if (!work) {
        fprintf(stderr, "no robot of %d joints: %s\n", n, m ? "out of memory" : err.message);
        pinion_model_free(m);
        return 0;
    }
    for (int j = 0; j < n; j++) q[j] = safeea_between(seed, -pi, pi);

    /* a group of calls of about 20 microseconds, so that the clock's own time does not show */
    const pn_ctx k = pn_context(m, sizeof(double), work);
    const int calls = 1 + 200 / n;
    for (int turn = -2; turn < repeats; turn++) {
        for (int i = 0; i < TIMED; i++) {
            const int which = (turn + 2) % 2 ? TIMED - 1 - i : i;
            const pn_io io = {.q = q, .out = {A[which == CRBA]}};
            pn_kernel *kernel = timed_kernel(which);
            const double start = seconds();
            for (int c = 0; c < calls; c++) kernel(&k, &io);
            if (turn >= 0) ns[which][turn] = 1e9 * (seconds() - start) / calls;
        }
    }
    *error = safeea_error(A[0], A[1], n);
    free(work);
    pinion_model_free(m);
    return 1;
}

/* the processor's name as Linux tells it, without spaces around it */
static void processor(char *name, size_t size)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "unknown processor");
    while (f && fgets(line, sizeof line, f)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon) continue;
        snprintf(name, size, "%s", colon + 2);
        name[strcspn(name, "\n")] = '\0';
        break;
    }
    if (f) fclose(f);
}

/* date, processor and compiler, and nothing that tells whose machine it was */
static void print_header(int repeats)
{
    char day[16], cpu[128];
    const time_t now = time(NULL);
    strftime(day, sizeof day, "%Y-%m-%d", gmtime(&now));
    processor(cpu, sizeof cpu);
#ifdef __clang__
    const char *compiler = "clang";
#else
    const char *compiler = "gcc";
#endif
    printf("# %s, %s, %s %d.%d, medians of %d groups of calls over %d robots for each n\n", day, cpu,
           compiler,
#ifdef __clang__
           __clang_major__, __clang_minor__,
#else
           __GNUC__, __GNUC_MINOR__,
#endif
           ROBOTS * repeats, ROBOTS);
    printf("n,error,gdahj_ns,crba_ns,ratio,kinematics_ns,ratio_without\n");
}

int main(int argc, char **argv)
{
    const int repeats = argc > 1 ? atoi(argv[1]) : 200;
    uint64_t seed = 2018;
    if (repeats < 1 || repeats > 1000000) {
        fprintf(stderr, "usage: bench_safeea [REPEATS]\n");
        return 2;
    }
    double *memory = malloc(sizeof *memory * TIMED * ROBOTS * (size_t)repeats);
    int status = memory ? 0 : 1;

    /* the last n that CRBA won, with the kinematics and without */
    int with = 0, without = 0;
    print_header(repeats);
    for (int n = SHORTEST; n <= LONGEST && status == 0; n++) {
        double worst = 0, ns[TIMED];
        for (int r = 0; r < ROBOTS && status == 0; r++) {
            double *from[TIMED], error = 0;
            for (int i = 0; i < TIMED; i++)
                from[i] = memory + ((size_t)i * ROBOTS + (size_t)r) * (size_t)repeats;
            if (!time_robot(n, &seed, repeats, from, &error)) status = 1;
            if (error > worst) worst = error;
        }
        if (status) break;
        for (int i = 0; i < TIMED; i++)
            ns[i] = median(memory + (size_t)i * ROBOTS * (size_t)repeats, ROBOTS * repeats);
        const double ratio = ns[CRBA] / ns[GDAHJ], ratio_without = ns[CRBA] / (ns[GDAHJ] - ns[KINEMATICS]);
        if (ratio <= 1) with = n;
        if (ratio_without <= 1) without = n;
        printf("%d,%.3g,%.0f,%.0f,%.3f,%.0f,%.3f\n", n, worst, ns[GDAHJ], ns[CRBA], ratio, ns[KINEMATICS],
               ratio_without);
        fflush(stdout);
    }
    if (status == 0)
        fprintf(stderr, "GDAHJ is faster for every n above %d, without its direct kinematics above %d\n",
                with, without);
    free(memory);
    return status;
}
