/* pinion bench --what parallel: one state on several threads and in SIMD lanes. */
#include "cli/bench/bench.h"

#include "cli/print/json_out.h"
#include "cli/args/load_option.h"
#include "cli/print/print_text.h"
#include "pinion/research/parallel.h"
#include "pinion/research/threads.h"

#include <stdlib.h>
#include <string.h>

#define TURNS 15   /* rounds of measurement */
#define GROUP 5e-3 /* seconds of one group of calls */
#define STATES 64  /* of the batch */

/* What is timed. The last ones are registered algorithms on one thread, where they are there. */
enum { ABA, DCA, DCA_THREADS, DCA_LANES, DCA_BOTH, BATCH, OTHERS };
static const char *const others[] = {"constraint-force", "constraint-force-parallel", "kkt-sparse"};
enum { OTHER_COUNT = sizeof others / sizeof *others, WAYS = OTHERS + OTHER_COUNT };

static const char *const way_key[WAYS] = {"aba",
                                          "dca",
                                          "dca_threads",
                                          "dca_lanes",
                                          "dca_threads_lanes",
                                          "aba_batch",
                                          "constraint_force",
                                          "constraint_force_parallel",
                                          "kkt_sparse"};
static const char *const way_title[WAYS] = {"aba",
                                            "dca",
                                            "dca, threads",
                                            "dca, lanes",
                                            "dca, both",
                                            "aba, a state of a batch",
                                            "constraint-force",
                                            "constraint-force-parallel",
                                            "kkt-sparse"};

/* One chain, its state, and all that runs on it. */
typedef struct bed {
    pinion_model *m;
    pinion_work *w;
    pinion_parallel *parallel, *lanes;
    pinion_batch *batch;
    double *q, *v, *tau, *a; /* STATES of each */
    int threads;
    int algorithm; /* the one that time_other runs */
    pinion_status status;
} bed;

/* The answer for one length. */
typedef struct result {
    int n;
    timed_call time[WAYS]; /* run is NULL: not available */
    double quartiles[WAYS][2];
    double work[2], span[2]; /* of aba and divide and conquer; 0: not counted */
    double processors;       /* from which divide and conquer could be faster; 0: never */
} result;

typedef struct bench {
    bench_machine machine;
    int threads, lanes;
    int lengths;
    result *of; /* [lengths] */
} bench;

/* ------------------------------------------------------------------------------------------------ */
/* What is timed */

static void note(bed *b, pinion_status status)
{
    if (status != PINION_OK) b->status = status;
}

static void time_aba(void *user)
{
    bed *b = user;
    note(b, pinion_forward_dynamics(b->m, b->w, b->q, b->v, b->tau, NULL, b->a));
}

static void time_dca(void *user)
{
    bed *b = user;
    note(b, pinion_forward_dynamics_threads(b->parallel, 1, b->q, b->v, b->tau, NULL, b->a));
}

static void time_threads(void *user)
{
    bed *b = user;
    note(b, pinion_forward_dynamics_threads(b->parallel, b->threads, b->q, b->v, b->tau, NULL, b->a));
}

static void time_lanes(void *user)
{
    bed *b = user;
    note(b, pinion_forward_dynamics_threads(b->lanes, 1, b->q, b->v, b->tau, NULL, b->a));
}

static void time_both(void *user)
{
    bed *b = user;
    note(b, pinion_forward_dynamics_threads(b->lanes, b->threads, b->q, b->v, b->tau, NULL, b->a));
}

static void time_batch(void *user)
{
    bed *b = user;
    note(b, pinion_batch_forward_dynamics(b->batch, STATES, b->q, b->v, b->tau, NULL, b->a));
}

static void time_other(void *user)
{
    bed *b = user;
    note(b, pinion_forward_dynamics_by(b->m, b->w, b->algorithm, b->q, b->v, b->tau, NULL, b->a));
}

/* ------------------------------------------------------------------------------------------------ */
/* Measuring */

static void bed_free(bed *b)
{
    pinion_work_free(b->w);
    pinion_parallel_free(b->parallel);
    pinion_parallel_free(b->lanes);
    pinion_batch_free(b->batch);
    free(b->q);
    free(b->v);
    free(b->tau);
    free(b->a);
    pinion_model_free(b->m);
}

/* a number in [-1, 1] that depends on i alone */
static double scatter(size_t i)
{
    return (double)((i * 2654435761u) % 20011) / 10005.5 - 1;
}

/* Makes everything for one chain. Returns 0 when something could not be made. */
static int bed_new(bed *b, int n, int threads, pinion_error *err)
{
    memset(b, 0, sizeof *b);
    const size_t count = (size_t)n * STATES;
    b->threads = threads;
    b->m = pinion_random_chain(n, BENCH_SEED, err);
    if (!b->m) return 0;
    b->w = pinion_work_new(b->m);
    b->parallel = pinion_parallel_new(b->m, err);
    b->lanes = pinion_parallel_new(b->m, err);
    b->batch = pinion_batch_new(b->m, 1);
    b->q = malloc(count * sizeof(double));
    b->v = malloc(count * sizeof(double));
    b->tau = malloc(count * sizeof(double));
    b->a = malloc(count * sizeof(double));
    if (!b->w || !b->parallel || !b->lanes || !b->batch || !b->q || !b->v || !b->tau || !b->a) return 0;
    for (size_t i = 0; i < count; i++) {
        b->q[i] = 3 * scatter(i);
        b->v[i] = scatter(i + 7);
        b->tau[i] = scatter(i + 13);
    }
    return 1;
}

/* The work and the span, and from how many processors P on divide and conquer would beat the articulated-body
 * algorithm by Brent's bound, time = work / P + span, if an operation took each of them the same time. */
static void count_operations(result *r, const pinion_model *m)
{
#ifdef PINION_TRACE
    static const char *const names[2] = {"aba", "divide-and-conquer"};
    for (int k = 0; k < 2; k++) {
        pinion_operations o;
        const int a = pinion_algorithm_find(names[k]);
        if (a < 0 || pinion_algorithm_span(a, m, &o) != PINION_OK) return;
        r->work[k] = o.mul + o.add + o.div + o.sqrt + o.trig;
        r->span[k] = o.span;
    }
    /* one processor takes the work of aba; P of them work / P + span of divide and conquer */
    const double left = r->work[0] - r->span[1];
    r->processors = left > 0 ? r->work[1] / left : 0;
#else
    (void)r;
    (void)m;
#endif
}

static int measure(const bench *b, result *r, pinion_error *err)
{
    bed one, other[OTHER_COUNT];
    timed_call calls[WAYS];
    double quartiles[WAYS][2];
    int place[WAYS], count = 0;
    void (*const run[OTHERS])(void *) = {time_aba, time_dca, time_threads, time_lanes, time_both, time_batch};
    int done = bed_new(&one, r->n, b->threads, err);
    if (done) {
        pinion_parallel_lanes(one.lanes, 1);
        for (int k = 0; k < WAYS; k++) {
            if (k < OTHERS) {
                r->time[k].run = run[k];
                r->time[k].user = &one;
            } else {
                const int a = pinion_algorithm_find(others[k - OTHERS]);
                if (a < 0 || pinion_algorithm_applies(a, one.m, NULL) != PINION_OK) continue;
                other[k - OTHERS] = one;
                other[k - OTHERS].algorithm = a;
                /* where the workspace is too small for it, it is left out */
                const pinion_status fits =
                    pinion_forward_dynamics_by(one.m, one.w, a, one.q, one.v, one.tau, NULL, one.a);
                if (fits != PINION_OK) continue;
                r->time[k].run = time_other;
                r->time[k].user = &other[k - OTHERS];
            }
            place[count] = k;
            calls[count++] = r->time[k];
        }
        done = pn_cli_time_quartiles(calls, count, TURNS, GROUP, quartiles);
    }
    for (int i = 0; i < count && done; i++) {
        r->time[place[i]] = calls[i];
        const double states = place[i] == BATCH ? STATES : 1;
        r->time[place[i]].ns /= states;
        for (int e = 0; e < 2; e++) r->quartiles[place[i]][e] = quartiles[i][e] / states;
    }
    if (done) count_operations(r, one.m);
    if (done && one.status != PINION_OK) {
        done = 0;
        snprintf(err->message, sizeof err->message, "%s", pinion_status_text(one.status));
    }
    bed_free(&one);
    return done;
}

/* ------------------------------------------------------------------------------------------------ */
/* Printing */

static void print_json(const bench *b)
{
    cli_json json = pn_cli_json(stdout), *j = &json;
    pn_cli_json_open(j, '{', 0);
    pn_cli_json_key(j, "what");
    pn_cli_json_string(j, "parallel");
    pn_cli_json_key(j, "processor");
    pn_cli_json_string(j, b->machine.processor);
    pn_cli_json_key(j, "processors");
    pn_cli_json_integer(j, b->machine.processors);
    pn_cli_json_key(j, "compiler");
    pn_cli_json_string(j, b->machine.compiler);
    pn_cli_json_key(j, "flags");
    pn_cli_json_string(j, b->machine.flags);
    pn_cli_put_string(j, "commit", b->machine.commit);
    pn_cli_json_key(j, "threads");
    pn_cli_json_integer(j, b->threads);
    pn_cli_json_key(j, "lanes");
    pn_cli_json_integer(j, b->lanes);
    pn_cli_json_key(j, "chains");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < b->lengths; i++) {
        const result *r = &b->of[i];
        pn_cli_json_open(j, '{', 0);
        pn_cli_json_key(j, "n");
        pn_cli_json_integer(j, r->n);
        for (int k = 0; k < WAYS; k++) {
            const double ns[3] = {r->time[k].ns, r->quartiles[k][0], r->quartiles[k][1]};
            pn_cli_json_key(j, way_key[k]);
            if (r->time[k].run)
                pn_cli_json_numbers(j, ns, 3);
            else
                pn_cli_json_null(j);
        }
        pn_cli_json_key(j, "work");
        pn_cli_json_numbers(j, r->work, 2);
        pn_cli_json_key(j, "span");
        pn_cli_json_numbers(j, r->span, 2);
        pn_cli_json_key(j, "processors_to_win");
        if (r->processors > 0)
            pn_cli_json_number(j, r->processors);
        else
            pn_cli_json_null(j);
        pn_cli_json_close(j);
    }
    pn_cli_json_end(j);
}

static void print_csv(const bench *b)
{
    fputs("n", stdout);
    for (int k = 0; k < WAYS; k++) printf(",%s,%s_low,%s_high", way_key[k], way_key[k], way_key[k]);
    puts(",work_aba,span_aba,work_dca,span_dca,processors_to_win");
    for (int i = 0; i < b->lengths; i++) {
        const result *r = &b->of[i];
        printf("%d", r->n);
        for (int k = 0; k < WAYS; k++) {
            if (r->time[k].run)
                printf(",%.1f,%.1f,%.1f", r->time[k].ns, r->quartiles[k][0], r->quartiles[k][1]);
            else
                fputs(",,,", stdout);
        }
        printf(",%.0f,%.0f,%.0f,%.0f,%.3g\n", r->work[0], r->span[0], r->work[1], r->span[1], r->processors);
    }
}

static int print_text(const bench *b)
{
    char *align = malloc((size_t)b->lengths + 2);
    if (!align) return 0;
    align[0] = 'l';
    cli_table t = pn_cli_table(b->lengths + 1);
    printf("Forward dynamics of one state, microseconds: median (quartiles) of %d interleaved rounds.\n",
           TURNS);
    printf("%s, %d processor%s; %s, %s\n", b->machine.processor, b->machine.processors,
           pn_cli_plural(b->machine.processors), b->machine.compiler, b->machine.flags);
    printf("%d thread%s, %d lanes of double\n\n", b->threads, pn_cli_plural(b->threads), b->lanes);
    pn_cli_table_add(&t, "%s", "joints");
    for (int i = 0; i < b->lengths; i++) {
        pn_cli_table_add(&t, "%d", b->of[i].n);
        align[i + 1] = 'r';
    }
    align[b->lengths + 1] = '\0';
    for (int k = 0; k < WAYS; k++) {
        int any = 0;
        for (int i = 0; i < b->lengths; i++) any |= b->of[i].time[k].run != NULL;
        if (!any) continue;
        pn_cli_table_add(&t, "%s", way_title[k]);
        for (int i = 0; i < b->lengths; i++) {
            const timed_call *c = &b->of[i].time[k];
            const double *around = b->of[i].quartiles[k];
            if (c->run)
                pn_cli_table_add(&t, "%.4g (%.4g-%.4g)", 1e-3 * c->ns, 1e-3 * around[0], 1e-3 * around[1]);
            else
                pn_cli_table_add(&t, "%s", "-");
        }
    }
    static const char *const title[5] = {"operations of aba", "span of aba", "operations of dca",
                                         "span of dca", "processors to win"};
    for (int row = 0; row < 5; row++) {
        pn_cli_table_add(&t, "%s", title[row]);
        for (int i = 0; i < b->lengths; i++) {
            const result *r = &b->of[i];
            const double x[5] = {r->work[0], r->span[0], r->work[1], r->span[1], r->processors};
            if (x[row] > 0)
                pn_cli_table_add(&t, row < 4 ? "%.0f" : "%.1f", x[row]);
            else
                pn_cli_table_add(&t, "%s", r->work[0] > 0 ? "never" : "-");
        }
    }
    const int printed = pn_cli_table_print(&t, stdout, align, pn_cli_style(stdout));
    free(align);
    if (!printed) return 0;
    puts("\n\"processors to win\": work / P + span of dca below the work of aba, if threads were free to "
         "start and\n"
         "to wait for each other");
    return 1;
}

/* ------------------------------------------------------------------------------------------------ */

/* How many lanes one state is spread over. */
static int count_lanes(void)
{
    pinion_model *m = pinion_random_chain(1, BENCH_SEED, NULL);
    pinion_parallel *p = m ? pinion_parallel_new(m, NULL) : NULL;
    const int lanes = p ? pinion_parallel_lanes(p, 1) : 1;
    pinion_parallel_free(p);
    pinion_model_free(m);
    return lanes;
}

int pn_cli_bench_parallel(const cli_args *args, int threads, const int *length, int count)
{
    const char *command = args->command->name;
    bench b = {
        .machine = pn_cli_bench_machine(), .threads = threads, .lanes = count_lanes(), .lengths = count};
    b.of = calloc((size_t)count, sizeof *b.of);
    int status = b.of ? CLI_DONE : CLI_FAILED;
    if (!b.of) pn_cli_report(command, "out of memory");
    for (int i = 0; i < count && status == CLI_DONE; i++) {
        pinion_error err = {PINION_ERR_MEMORY, 0, 0, "out of memory"};
        b.of[i].n = length[i];
        if (measure(&b, &b.of[i], &err)) continue;
        pn_cli_report(command, "%s", err.message);
        status = CLI_FAILED;
    }
    if (status == CLI_DONE && args->value[OPT_JSON])
        print_json(&b);
    else if (status == CLI_DONE && args->value[OPT_CSV])
        print_csv(&b);
    else if (status == CLI_DONE && !print_text(&b))
        status = CLI_FAILED;
    free(b.of);
    return pn_cli_finish(command, status);
}
