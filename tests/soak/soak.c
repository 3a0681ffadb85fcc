/* A day of use in a few minutes: soak HOURS FOLDER
 *
 * An arm in a loop of 1 kHz, simulated by hand for so many hours; every simulated minute what a program
 * around it does: a model loaded, edited, copied, written in every format and read again, a batch, a short
 * run whose result is saved and loaded in every format; every hour generated code, compiled into a cache with
 * a small limit. After the first tenth memory, open files and the cache may not grow: the program fails if
 * they do, and prints what it saw either way. */
#include <dirent.h>
#include <math.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pinion/pinion.h>
#include <pinion/sim/sim.h>

enum { JOINTS = 6, BATCH = 64 };
#define CACHE_BYTES ((uint64_t)1 << 20)

typedef struct soak {
    const char *models, *folder;
    char cache[512];
    int code; /* nonzero: there is a compiler */
} soak;

static void fail(const char *what, const char *why)
{
    printf("FAILED %s: %s\n", what, why);
    exit(1);
}

/* ---- what may not grow ---- */

typedef struct use {
    size_t heap;     /* bytes that are allocated */
    long resident;   /* bytes, of the whole process */
    int files;       /* open */
    uint64_t cached; /* bytes */
} use;

static int entries(const char *folder, uint64_t *bytes)
{
    DIR *list = opendir(folder);
    int count = 0;
    for (struct dirent *e; list && (e = readdir(list)) != NULL;) {
        struct stat s;
        if (e->d_name[0] == '.') continue;
        count++;
        if (bytes && fstatat(dirfd(list), e->d_name, &s, 0) == 0) *bytes += (uint64_t)s.st_blocks * 512;
    }
    if (list) closedir(list);
    return count;
}

static use measure(const soak *s)
{
    use u = {0};
    u.heap = mallinfo2().uordblks;
    u.files = entries("/proc/self/fd", NULL);
    entries(s->cache, &u.cached);
    FILE *f = fopen("/proc/self/statm", "r");
    long pages = 0, resident = 0;
    if (!f || fscanf(f, "%ld %ld", &pages, &resident) != 2) fail("memory", "/proc/self/statm cannot be read");
    fclose(f);
    u.resident = resident * sysconf(_SC_PAGESIZE);
    return u;
}

/* ---- every minute ---- */

static char *path_in(const char *folder, const char *name, char path[512])
{
    if (snprintf(path, 512, "%s/%s", folder, name) >= 512) fail(name, "its path is too long");
    return path;
}

/* written and read again in every format, copied and edited */
static void models(const soak *s)
{
    static const char *const names[] = {"arm-7dof.json", "quadruped.json", "four-bar.json", "humanoid.json"};
    static const pinion_format formats[] = {PINION_FORMAT_JSON, PINION_FORMAT_URDF, PINION_FORMAT_MJCF,
                                            PINION_FORMAT_SDF};
    char path[512];
    pinion_error err;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        pinion_model *m = pinion_load(path_in(s->models, names[i], path), NULL, &err);
        if (!m) fail(names[i], err.message);
        for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
            char *told = NULL, *text = pinion_save_string_telling(m, formats[k], &told, &err);
            pinion_model *again =
                text ? pinion_load_string(text, strlen(text), formats[k], names[i], NULL, &err) : NULL;
            if (!text && k == 0) fail(names[i], err.message); /* the others cannot say everything */
            if (text && !again) fail(names[i], err.message);
            pinion_model_free(again);
            pinion_free(text);
            pinion_free(told);
        }
        pinion_model *copy = pinion_model_copy(m);
        const pinion_inertia load = {0.1, {0, 0, 0}, {0, 0, 0, 0, 0, 0}};
        if (!copy || pinion_model_set_payload(copy, 0, &load)) fail(names[i], "a copy cannot be edited");
        pinion_model_free(copy);
        pinion_model_free(m);
    }
    if (pinion_load(path_in(s->models, "README.md", path), NULL, &err)) fail("README.md", "it is no model");
}

static void batch(const pinion_model *m)
{
    static double q[BATCH * JOINTS], v[BATCH * JOINTS], a[BATCH * JOINTS], tau[BATCH * JOINTS];
    pinion_batch *b = pinion_batch_new(m, 2);
    if (!b) fail("batch", "out of memory");
    for (int i = 0; i < BATCH * JOINTS; i++) q[i] = v[i] = a[i] = 0.01 * i;
    if (pinion_batch_inverse_dynamics(b, BATCH, q, v, a, NULL, tau)) fail("batch", "inverse dynamics");
    pinion_batch_free(b);
}

/* a run with a result in every format */
static void run(const soak *s, const pinion_model *m)
{
    static const struct {
        const char *name;
        pinion_result_format format;
    } files[] = {
        {"r.csv", PINION_RESULT_CSV}, {"r.h5", PINION_RESULT_HDF5}, {"r.jsonl", PINION_RESULT_JSONL}};
    char path[512];
    pinion_error err;
    pinion_run_def def = pinion_run_def_default();
    def.duration = 0.05;
    def.result = pinion_result_new();
    pinion_run *r = def.result ? pinion_run_new(m, &def, &err) : NULL;
    if (!r) fail("run", def.result ? err.message : "out of memory");
    if (pinion_run_to_end(r)) fail("run", pinion_run_message(r));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        path_in(s->folder, files[i].name, path);
        if (pinion_result_save(def.result, path, files[i].format, &err)) fail(path, err.message);
        pinion_result *again = pinion_result_load(path, &err);
        if (!again) fail(path, err.message);
        pinion_result_free(again);
    }
    pinion_run_free(r);
    pinion_result_free(def.result);
}

/* ---- every hour ---- */

static void generated(soak *s, int hour)
{
    char path[512];
    pinion_error err;
    pinion_model *m = pinion_load(path_in(s->models, "stanford.json", path), NULL, &err);
    if (!m) fail(path, err.message);
    const pinion_inertia load = {
        0.1 * (1 + hour % 8), {0, 0, 0}, {0, 0, 0, 0, 0, 0}}; /* eight robots, in turn */
    if (pinion_model_set_payload(m, pinion_model_link_count(m) - 1, &load)) fail(path, "no payload");
    pinion_compile_options o = pinion_compile_options_default();
    o.cache = s->cache;
    o.cache_bytes = CACHE_BYTES;
    pinion_compiled *c = pinion_codegen_compile(m, NULL, &o, &err);
    if (!c && hour == 0) printf("no generated code: %s\n", err.message);
    if (!c && hour) fail("generated code", err.message);
    s->code = c != NULL;
    pinion_compiled_free(c);
    pinion_model_free(m);
}

/* ---- the loop ---- */

static void report(const char *when, use u)
{
    printf("%-10s heap %8.1f KiB, resident %7.1f MiB, %d open files, cache %6.1f KiB\n", when,
           (double)u.heap / 1024, (double)u.resident / 1048576, u.files, (double)u.cached / 1024);
}

/* nothing that leaks a byte a minute passes; the process may be cut up by up to 4 MiB more than at first */
static int grew(const use *a, const use *b)
{
    return b->heap > a->heap + 4096 || b->resident > a->resident + (4 << 20) || b->files > a->files ||
           b->cached > (a->cached > CACHE_BYTES ? a->cached : CACHE_BYTES);
}

int main(int argc, char **argv)
{
    if (argc != 4 || !(atof(argv[1]) > 0)) return fputs("usage: soak HOURS MODELS FOLDER\n", stderr), 2;
    setvbuf(stdout, NULL, _IONBF, 0); /* which would take memory at the first line */
    const long minutes = (long)ceil(60 * atof(argv[1]));
    soak s = {.models = argv[2], .folder = argv[3], .code = 1};
    path_in(s.folder, "cache", s.cache);
    char path[512];
    pinion_error err;
    pinion_model *m = pinion_load(path_in(s.models, "puma560-corke.json", path), NULL, &err);
    if (!m || pinion_model_nv(m) != JOINTS)
        fail("puma560-corke.json", m ? "expected six joints" : err.message);
    pinion_work *w = pinion_work_new(m);
    const double home[JOINTS] = {0.3, 0.6, 0.2, 0, 0.4, 0};
    pinion_run_def def = pinion_run_def_default();
    def.q = home;
    def.duration = 60.0 * (double)minutes;
    def.by_hand = 1;
    def.sim.integrator = PINION_INTEGRATOR_DOPRI5;
    def.sim.passive = 0;
    pinion_run *loop = w ? pinion_run_new(m, &def, &err) : NULL;
    if (!loop) fail("run", w ? err.message : "out of memory");

    use first = {0}, last;
    double q[JOINTS], v[JOINTS], u[JOINTS], worst = 0;
    pinion_sim_state state = {.q = q, .v = v};
    const long settled = minutes / 10 + 2 < minutes ? minutes / 10 + 2 : 1;
    for (long minute = 0; minute < minutes; minute++) {
        for (long k = 0; k < 60000; k++) {
            const double t = 60.0 * (double)minute + 1e-3 * (double)k;
            if (pinion_run_step_to(loop, t) || pinion_sim_get(pinion_run_simulation(loop), &state) ||
                pinion_gravity(m, w, q, u))
                fail("loop", pinion_run_message(loop));
            for (int i = 0; i < JOINTS; i++) {
                const double goal = home[i] + 0.3 * sin(0.01 * t + i), off = goal - q[i];
                if (t > 1) worst = fmax(worst, fabs(off));
                u[i] += (i < 3 ? 900 : 100) * off - (i < 3 ? 90 : 6) * v[i];
            }
            if (pinion_run_apply(loop, NULL, u, NULL)) fail("loop", pinion_run_message(loop));
        }
        models(&s);
        batch(m);
        run(&s, m);
        if (minute % 60 == 0 && s.code) generated(&s, (int)(minute / 60));
        if (minute + 1 == settled) report("settled", first = measure(&s));
        if ((minute + 1) % 60 == 0) {
            char when[32];
            snprintf(when, sizeof when, "%ld h", (minute + 1) / 60);
            report(when, measure(&s));
        }
    }
    pinion_run_summary summary;
    if (pinion_run_summarize(loop, &summary)) fail("loop", "no summary");
    last = measure(&s);
    report("the end", last);
    printf("%.1f h, %.4g steps, never farther than %.2e rad from where it is told to be\n",
           (double)minutes / 60, (double)summary.steps, worst);
    const int bad = grew(&first, &last) || !(worst < 0.05);
    puts(bad ? "FAILED: it grew" : "nothing grew");
    pinion_run_free(loop);
    pinion_work_free(w);
    pinion_model_free(m);
    return bad;
}
