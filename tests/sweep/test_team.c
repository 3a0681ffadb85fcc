/* Processes that make a sweep together, here threads with a team between them: the same bytes as alone, however many
 * they are, who made the runs before, and what the file system does to the file that all write. */
#define _DEFAULT_SOURCE
#include "check.h"
#include "pinion/sim/sim.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/pinion-sweep-team-XXXXXX";

#include "folder.h"

enum { RANKS_MAX = 8 };

/* What the ranks share. */
typedef struct office {
    pthread_barrier_t barrier;
    pthread_mutex_t mutex;
    int ranks;
    void *bytes;        /* those of rank 0 */
    uint64_t *total;    /* what is summed up */
    uint64_t counter;
    int sums;           /* how often it was asked for a sum */
    int (*meddle)(int); /* called by rank 0 with that; NULL: none */
    int meddled;        /* how often that did something */
    int ends;           /* the runs after which rank 1 gives up; 0: never */
} office;

/* One of them. */
typedef struct seat {
    office *o;
    pinion_sweep_team team;
    const pinion_sweep *s;
    const char *path;
    int threads;
    pinion_status status;
    pinion_sweep_state state;
    pinion_error err;
} seat;

static int share(void *user, void *bytes, size_t size)
{
    seat *x = user;
    office *o = x->o;
    if (x->team.rank == 0) o->bytes = bytes, o->counter = 0;
    pthread_barrier_wait(&o->barrier);
    if (x->team.rank > 0) memcpy(bytes, o->bytes, size);
    pthread_barrier_wait(&o->barrier);
    return 1;
}

static int sum(void *user, uint64_t *numbers, int count)
{
    seat *x = user;
    office *o = x->o;
    if (x->team.rank == 0) {
        o->total = calloc((size_t)count, sizeof *o->total);
        if (o->meddle) o->meddled += o->meddle(o->sums++);
    }
    pthread_barrier_wait(&o->barrier);
    pthread_mutex_lock(&o->mutex);
    for (int i = 0; i < count; i++) o->total[i] += numbers[i];
    pthread_mutex_unlock(&o->mutex);
    pthread_barrier_wait(&o->barrier);
    memcpy(numbers, o->total, (size_t)count * sizeof *numbers);
    pthread_barrier_wait(&o->barrier);
    if (x->team.rank == 0) free(o->total);
    return 1;
}

static int take(void *user, uint64_t count, uint64_t *first)
{
    office *o = ((seat *)user)->o;
    pthread_mutex_lock(&o->mutex);
    *first = o->counter;
    o->counter += count;
    pthread_mutex_unlock(&o->mutex);
    return 1;
}

static int progress(void *user, const pinion_sweep_state *state)
{
    const seat *x = user;
    return x->o->ends && x->team.rank == 1 && state->done >= (uint64_t)x->o->ends;
}

static void *work(void *user)
{
    seat *x = user;
    pinion_sweep_options options = pinion_sweep_options_default();
    options.threads = x->threads;
    options.team = &x->team;
    options.progress = progress;
    options.user = x;
    x->status = pinion_sweep_to_file(x->s, x->path, &options, &x->state, &x->err);
    return NULL;
}

/* A sweep by so many ranks; the status of all, which must be one. */
static pinion_status together(const pinion_sweep *s, const char *path, int ranks, int threads, office *o)
{
    seat seats[RANKS_MAX];
    pthread_t id[RANKS_MAX];
    o->ranks = ranks;
    pthread_barrier_init(&o->barrier, NULL, (unsigned)ranks);
    pthread_mutex_init(&o->mutex, NULL);
    for (int i = 0; i < ranks; i++) {
        seats[i] = (seat){.o = o, .s = s, .path = path, .threads = threads};
        seats[i].team = (pinion_sweep_team){
            .user = &seats[i], .rank = i, .ranks = ranks, .share = share, .sum = sum, .take = take};
        CHECK(pthread_create(&id[i], NULL, work, &seats[i]) == 0);
    }
    for (int i = 0; i < ranks; i++) pthread_join(id[i], NULL);
    pthread_barrier_destroy(&o->barrier);
    pthread_mutex_destroy(&o->mutex);
    for (int i = 0; i < ranks; i++) {
        if ((seats[i].status == PINION_OK) != (seats[0].status == PINION_OK))
            CHECK_FAIL("rank %d: %s", i, seats[i].err.message);
        if (seats[0].status == PINION_OK)
            CHECK(seats[i].state.first_failed == seats[0].state.first_failed &&
                  strcmp(seats[i].state.why, seats[0].state.why) == 0 && seats[i].state.done == seats[0].state.done);
    }
    if (seats[0].status != PINION_OK && !o->ends) CHECK_FAIL("%s", seats[0].err.message);
    return seats[0].status;
}

/* ------------------------------------------------------------------------------------------------ */

static const char model[] =
    "{\"pinion\": 1, \"name\": \"slide\", \"links\": [{\"name\": \"g\"},\n"
    " {\"name\": \"car\", \"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],\n"
    "\"joints\": [{\"name\": \"x\", \"type\": \"prismatic\", \"parent\": \"g\", \"child\": \"car\"}]}\n";

/* Some masses are below 0 and cannot start; some runs keep their rows. */
static pinion_sweep *make(const char *more)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    char text[1000];
    FILE *f = fopen(in_folder("slide.json"), "w");
    CHECK(f && fputs(model, f) >= 0 && fclose(f) == 0);
    snprintf(text, sizeof text,
             "{\"model\": \"slide.json\", \"run\": {\"duration\": 0.1, \"integrator\": \"rk4\"},\n"
             "\"precision\": \"double\", %s, \"vary\": [\n"
             "{\"name\": \"m\", \"what\": \"mass\", \"of\": \"car\", \"normal\": [1, 1]},\n"
             "{\"name\": \"v\", \"what\": \"v0\", \"of\": \"x\", \"uniform\": [0, 1]}],\n"
             "\"keep\": [{\"name\": \"q\", \"column\": \"q.x\", \"take\": \"final\"}]}\n",
             more);
    pinion_sweep *s = pinion_sweep_load_string(text, strlen(text), NULL, folder, &err);
    if (!s) CHECK_FAIL("%s", err.message);
    return s;
}

static char *read_bytes(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    struct stat about = {0};
    *size = f && fstat(fileno(f), &about) == 0 ? (size_t)about.st_size : 0;
    char *bytes = malloc(*size + 1);
    CHECK(f && bytes && fread(bytes, 1, *size, f) == *size);
    if (f) fclose(f);
    return bytes;
}

static void same(const char *a, const char *b)
{
    size_t m, n;
    char path[300];
    snprintf(path, sizeof path, "%s", in_folder(a));
    char *x = read_bytes(path, &m), *y = read_bytes(in_folder(b), &n);
    if (m != n || memcmp(x, y, m) != 0) CHECK_FAIL("%s and %s differ", a, b);
    snprintf(path, sizeof path, "%s.journal", in_folder(b));
    CHECK(access(path, F_OK) != 0);
    free(x);
    free(y);
}

static void alone(const pinion_sweep *s, const char *name)
{
    pinion_error err;
    if (pinion_sweep_to_file(s, in_folder(name), NULL, NULL, &err) != PINION_OK) CHECK_FAIL("%s", err.message);
}

static char team_path[300];

static void by_ranks(const pinion_sweep *s, int ranks, int threads)
{
    office o = {.ranks = 0};
    snprintf(team_path, sizeof team_path, "%s", in_folder("team.h5"));
    CHECK(together(s, team_path, ranks, threads, &o) == PINION_OK);
    same("alone.h5", "team.h5");
}

TEST(any_number_of_ranks)
{
    static const char *const plans[] = {
        "\"count\": 700, \"trajectories\": \"all\"", "\"count\": 700, \"trajectories\": 3", "\"count\": 5",
        "\"count\": 600, \"statistics\": false, \"trajectories\": \"failed\"",
        "\"count\": 4000, \"stop\": {\"of\": \"q\", \"within\": 0.002, \"every\": 100}"};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        pinion_sweep *s = make(plans[i]);
        alone(s, "alone.h5");
        by_ranks(s, 1, 1);
        by_ranks(s, 2, 1);
        by_ranks(s, 3, 2);
        by_ranks(s, 8, 1);
        pinion_sweep_free(s);
    }
}

/* Attempts of one, three and two processes that are ended, and another number that ends it. */
TEST(attempts_by_others)
{
    pinion_sweep *s = make("\"count\": 3000, \"trajectories\": \"all\"");
    alone(s, "alone.h5");
    snprintf(team_path, sizeof team_path, "%s", in_folder("team.h5"));
    for (int ranks = 2; ranks <= 4; ranks++) {
        office o = {.ends = 600 * ranks};
        (void)together(s, team_path, ranks, 1, &o); /* where it is done first that is as good */
    }
    by_ranks(s, 3, 1);
    pinion_sweep_free(s);
}

/* The file while it is made: a byte of it changes, once it has its numbers. */
static int spoil(int sums)
{
    static char path[300];
    static off_t whole;
    struct stat about;
    snprintf(path, sizeof path, "%s", in_folder("team.h5.journal/result"));
    if (sums == 0) whole = 0;
    if (whole < 0 || stat(path, &about) != 0) return 0;
    if (++whole < 9) return 0; /* all is written then, and not yet read again */
    FILE *f = fopen(path, "r+b");
    char bytes[8] = "spoiled";
    CHECK(f && fseek(f, (long)about.st_size / 2, SEEK_SET) == 0 && fwrite(bytes, 8, 1, f) == 1 && fclose(f) == 0);
    whole = -1;
    return 1;
}

TEST(files_that_lose_what_others_write)
{
    pinion_sweep *s = make("\"count\": 2000, \"trajectories\": 5");
    office o = {.meddle = spoil};
    alone(s, "alone.h5");
    snprintf(team_path, sizeof team_path, "%s", in_folder("team.h5"));
    CHECK(together(s, team_path, 3, 1, &o) == PINION_OK);
    CHECK(o.meddled == 1);
    same("alone.h5", "team.h5");
    pinion_sweep_free(s);
}

/* Parts that overlap have runs twice. */
TEST(runs_that_are_there_twice)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_sweep *s = make("\"count\": 900, \"trajectories\": 2");
    char path[5][300];
    const char *parts[5];
    alone(s, "alone.h5");
    for (int i = 0; i < 5; i++) {
        pinion_sweep_options options = pinion_sweep_options_default();
        options.shards = i < 2 ? 2 : 3;
        options.shard = i < 2 ? i : i - 2;
        snprintf(path[i], sizeof path[i], "%s/%d.part", folder, i);
        parts[i] = path[i];
        CHECK(pinion_sweep_to_file(s, path[i], &options, NULL, &err) == PINION_OK);
    }
    CHECK(pinion_sweep_merge(5, parts, in_folder("merged.h5"), NULL, &err) == PINION_OK);
    same("alone.h5", "merged.h5");
    CHECK(pinion_sweep_merge(3, parts + 2, in_folder("merged.h5"), NULL, &err) == PINION_OK);
    same("alone.h5", "merged.h5");
    CHECK(pinion_sweep_merge(2, parts + 1, in_folder("merged.h5"), NULL, &err) != PINION_OK);
    pinion_sweep_free(s);
}

/* More parts, and journals of earlier attempts, than a process may have files open. */
TEST(more_files_than_may_be_open)
{
    enum { PARTS = 60 };
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_sweep *s = make("\"count\": 300, \"trajectories\": 2");
    static char path[PARTS][300];
    const char *parts[PARTS];
    char journal[300], name[340];
    struct rlimit before, few;
    alone(s, "alone.h5");
    for (int i = 0; i < PARTS; i++) {
        pinion_sweep_options options = pinion_sweep_options_default();
        options.shards = PARTS;
        options.shard = i;
        snprintf(path[i], sizeof path[i], "%s/%d.part", folder, i);
        parts[i] = path[i];
        CHECK(pinion_sweep_to_file(s, path[i], &options, NULL, &err) == PINION_OK);
    }
    CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
    few = before;
    few.rlim_cur = 32;
    CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
    if (pinion_sweep_merge(PARTS, parts, in_folder("merged.h5"), NULL, &err) != PINION_OK)
        CHECK_FAIL("%s", err.message);
    same("alone.h5", "merged.h5");

    /* a part is a journal by another name */
    snprintf(journal, sizeof journal, "%s", in_folder("team.h5.journal"));
    CHECK(mkdir(journal, 0777) == 0);
    for (int i = 0; i < PARTS; i++) {
        snprintf(name, sizeof name, "%s/%d.records", journal, i);
        CHECK(rename(path[i], name) == 0);
    }
    remove(in_folder("team.h5"));
    pinion_sweep_state state;
    if (pinion_sweep_to_file(s, in_folder("team.h5"), NULL, &state, &err) != PINION_OK) CHECK_FAIL("%s", err.message);
    CHECK(state.resumed == 300);
    same("alone.h5", "team.h5");
    CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
    pinion_sweep_free(s);
}

int main(int argc, char **argv)
{
    static const char *const files[] = {"slide.json", "alone.h5", "team.h5", "merged.h5", "0.part",
                                        "1.part",     "2.part",   "3.part",  "4.part"};
    CHECK_BEGIN(argc, argv);
    CHECK(mkdtemp(folder) != NULL);
    RUN(any_number_of_ranks);
    RUN(attempts_by_others);
    RUN(files_that_lose_what_others_write);
    RUN(runs_that_are_there_twice);
    RUN(more_files_than_may_be_open);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) remove(in_folder(files[i]));
    CHECK(entries() == 0);
    rmdir(folder);
    return CHECK_END();
}
