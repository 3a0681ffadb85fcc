/* pinion bench: what its parts share. bench.c reads the command line, bench_calls.c, bench_solvers.c and
 * bench_algorithms.c are what can be timed, bench_bed.c makes the states of a model, bench_list.c lists what
 * there is to time on it, bench_measure.c times, and bench_machine.c, bench_print.c and bench_data.c tell.
 * bench_parallel.c is --what parallel, bench_control.c --what control, bench_generated.c --generated. */
#ifndef PN_CLI_BENCH_H
#define PN_CLI_BENCH_H

#include "cli/args/options.h"
#include "cli/print/timing.h"

#include "pinion/sim/sim.h"

/* The options of this command alone. */
enum {
    OPT_WHAT = OPT_OWN, OPT_CHAIN, OPT_TREE, OPT_ONLY, OPT_GENERATED, OPT_STATE_COUNT, OPT_TIME,
    OPT_THREADS, OPT_CSV
};

#define BENCH_SEED 1 /* of generated models and of states */
#define BENCH_JOINTS_MAX 8192
#define BENCH_THREADS_MAX 1024

/* ------------------------------------------------------------------------------------------------ */
/* What can be timed */

/* The arguments of a call: one state, or `count` of them for a batch. Results follow each other in `out`. */
typedef struct bench_f64 {
    const pinion_model *m;
    pinion_work *w;
    pinion_batch *b;
    size_t count;
    const double *q, *v, *a, *tau;
    const double *near; /* q a little further along v */
    double *out;
    int frame;     /* the one that is deepest in the tree */
    int algorithm; /* of calls that take one */
    int quantity;  /* of the table of calls; its arguments are in `call` */
    pinion_quantity_call call;
    /* for solvers */
    const pinion_pose *target; /* of the frame at `near` */
    pinion_sparse *sparse;
    double *factors; /* of one state, by the algorithm */
    pinion_scene *scene;
    const double *stand; /* q of the model's start, and the forces that hold its joints there */
} bench_f64;

typedef struct bench_f32 {
    const pinion_model *m;
    pinion_work_f32 *w;
    pinion_batch *b;
    size_t count;
    const float *q, *v, *a, *tau, *near;
    float *out;
    int frame, algorithm, quantity;
    pinion_quantity_call_f32 call;
} bench_f32;

/* How many numbers a call gives for one state. */
typedef enum bench_result {
    RESULT_QUANTITY, /* what the table of calls says */
    RESULT_2,
    RESULT_6,
    RESULT_NQ,
    RESULT_NV,
    RESULT_STATE, /* q and v */
    RESULT_NV_NV,
    RESULT_3_NV_NV,
    RESULT_6_NV,
    RESULT_FRAMES,  /* position and rotation of each */
    RESULT_TERMS,   /* of pinion_dynamics_terms: all */
    RESULT_SPACE,   /* of pinion_operational_space_by: all */
    RESULT_FACTORS, /* at most */
    RESULT_LOOPS,   /* room for all that constraints have */
    RESULT_GLOBAL,  /* the sparse system */
    RESULT_HELD,    /* derivatives of accelerations and of the forces of rows, or of six constraints */
    RESULT_STEP,    /* A and B of a step */
    RESULT_TWICE    /* q, and v three times */
} bench_result;

/* Which models a call is for. */
typedef enum bench_needs { NEEDS_NOTHING, NEEDS_LOOPS, NEEDS_SPARSE, NEEDS_FACTORS, NEEDS_CONTACT } bench_needs;

/* A function of the library in all its forms; NULL where it has none. */
typedef struct bench_call {
    const char *name, *group;
    bench_result result;
    bench_needs needs;
    pinion_status (*f64)(const bench_f64 *x);
    pinion_status (*f32)(const bench_f32 *x);
    pinion_status (*batch_f64)(const bench_f64 *x);
    pinion_status (*batch_f32)(const bench_f32 *x);
} bench_call;

/* bench_calls.c: single calls and batches, f64 and f32. What runs any quantity of the table of calls, and the calls
 * that have no row there; the tables end with a NULL name. */
extern const bench_call pn_cli_bench_quantity;
extern const bench_call pn_cli_bench_calls[];
/* bench_solvers.c: loops, sparse systems, inverse kinematics. */
extern const bench_call pn_cli_bench_solvers[];
/* bench_algorithms.c: what runs an algorithm of each problem, and what uses its factors. */
extern const bench_call pn_cli_bench_by[PINION_PROBLEM_COUNT];
extern const bench_call pn_cli_bench_factors[];

/* ------------------------------------------------------------------------------------------------ */
/* A model with its states: bench_bed.c */

enum {
    BENCH_LAYOUTS = PINION_LAYOUT_PACKS + 1,
    BENCH_PACK = 16 /* states that a pack may have */
};

/* The arrays of all states in one layout. */
typedef struct bench_arrays {
    double *q, *v, *a, *tau, *near;
    float *q32, *v32, *a32, *tau32, *near32;
} bench_arrays;

typedef struct bench_bed {
    const pinion_model *m;
    size_t states;
    size_t distinct; /* of the states; less than `states` where closing the loops takes long */
    int nq, nv;
    int threads;
    bench_arrays rows, laid[BENCH_LAYOUTS]; /* rows are not in `laid` */
    pinion_pose *target;
    double *force; /* on a frame, [6] for each state, all 1: the same in every layout */
    float *force32;
    pinion_work *w;
    pinion_work_f32 *w32;
    int all_batches;                   /* batches of this model run all algorithms */
    pinion_batch *one, *many; /* on one thread, on all of them; NULL: none */
    pinion_batch *other[BENCH_LAYOUTS]; /* on one thread, in other layouts than rows */
    pinion_sparse *sparse;             /* NULL: none, sparse_why */
    char sparse_why[200];
    pinion_scene *scene;               /* NULL: nothing touches at the model's start */
    double *stand;                     /* [nq + nv] q there, and the forces that carry its weight */
    int frame;
    struct pinion_compiled *generated; /* code for the model; NULL: not asked for */
    pinion_work *quick_w;              /* those that use it */
    pinion_work_f32 *quick_w32;
    pinion_batch *quick, *quick_packs; /* in rows, in packs */
} bench_bed;

/* Zeroed memory that begins with a cache line; NULL: there is none. */
void *pn_cli_bench_take(size_t count, size_t size);
/* Makes the states and all workspaces. 0 with a message in err on failure; pn_cli_bench_bed_free in any case.
 */
int pn_cli_bench_bed(bench_bed *bed, const pinion_model *m, size_t states, int threads, pinion_error *err);
void pn_cli_bench_bed_free(bench_bed *bed);

/* ------------------------------------------------------------------------------------------------ */
/* Measuring: bench_list.c, bench_measure.c */

/* The ways to run a call. */
typedef enum bench_mode {
    MODE_CALL_F64,
    MODE_CALL_F32,
    MODE_BATCH_F64,
    MODE_BATCH_F32,
    MODE_COLUMNS_F64,
    MODE_COLUMNS_F32,
    MODE_PACKS_F64,
    MODE_PACKS_F32,
    MODE_GENERATED_F64, /* calls and batches by generated functions */
    MODE_GENERATED_F32,
    MODE_GENERATED_BATCH_F64,
    MODE_GENERATED_BATCH_F32,
    MODE_GENERATED_PACKS_F64,
    MODE_GENERATED_PACKS_F32,
    MODE_THREADS_F64,
    MODE_THREADS_F32,
    MODE_COUNT
} bench_mode;

typedef struct bench_mode_def {
    const char *mode;     /* "call", "batch", "batch-columns", "batch-packs", and the generated ones */
    const char *scalar;   /* "f64" or "f32" */
    const char *title[2]; /* of the column */
    int many;             /* on all threads */
    int single;           /* one state a call */
    int generated;        /* by generated functions */
    pinion_layout layout;
} bench_mode_def;
extern const bench_mode_def pn_cli_bench_modes[MODE_COUNT];

typedef struct bench_time {
    int timed;
    double ns; /* for one state: median and what is around it */
    timed_spread spread;
    size_t states; /* of a batch; those that are cycled otherwise */
    int threads;   /* that it used */
    char why[200]; /* it failed */
} bench_time;

/* An algorithm or another call on one model. */
typedef struct bench_item {
    const bench_call *call;
    const char *name;
    const char *group; /* the problem that an algorithm solves */
    int algorithm;     /* -1: none */
    int quantity;      /* of the table of calls; -1: none */
    char why[300];     /* it is left out; "": it is not */
    double first;      /* s, of a first call */
    double *factors;   /* while it is timed */
    double ratio;      /* to the fastest algorithm of the same problem, one call in f64; 0: none */
    bench_time time[MODE_COUNT];
} bench_item;

/* All of one model. */
typedef struct bench_sheet {
    char *title;
    const char *file; /* NULL: generated */
    int nq, nv, bodies, frames, loops, rows;
    size_t states, distinct;
    char *frame; /* its name */
    int threads;
    const char *isa;
    int lanes, lanes_f32;
    double compiling; /* s that generating and compiling code took, or finding it; 0: not asked for */
    int timings;      /* how many there are */
    int rounds;  /* of the timings that had most */
    double seconds, took;
    bench_item *item;
    int count;
} bench_sheet;

/* What to time. */
typedef struct bench_choice {
    const char *command;
    int algorithms, calls;
    const char *only; /* names or patterns separated by commas; NULL: all */
    int generated;    /* also code that is generated and compiled for the model */
    size_t states;
    int threads;
    double seconds; /* for each model */
} bench_choice;

/* Checks that each name of --only names something. Returns CLI_DONE or, after a message, CLI_USAGE. */
int pn_cli_bench_check_only(const bench_choice *choice);
/* Lists what there is to time on a model, and says what is left out and why. `file` is not copied. 0 when out
 * of memory. */
int pn_cli_bench_list(bench_sheet *s, const bench_choice *choice, const pinion_model *m, const char *title,
                      const char *file);
/* A message without the name that it begins with, so that it can stand after several names. */
const char *pn_cli_bench_without_name(const char *message, const char *name);
/* Times all of it. 0 with a message in err on failure. */
int pn_cli_bench_measure(bench_sheet *s, const bench_choice *choice, const pinion_model *m,
                         pinion_error *err);
void pn_cli_bench_sheet_free(bench_sheet *s);

/* bench_generated.c: whether a generated function can answer an item's call */
int pn_cli_bench_is_generated(const bench_item *item);
/* Generates code for what is on the sheet, compiles and loads it, and makes what uses it. 0 with a message in err on
 * failure. */
int pn_cli_bench_generate(bench_sheet *s, bench_bed *bed, pinion_error *err);
void pn_cli_bench_generated_free(bench_bed *bed);

/* ------------------------------------------------------------------------------------------------ */
/* Telling: bench_machine.c, bench_print.c, bench_data.c */

typedef struct bench_machine {
    char processor[200]; /* "" when the system does not say */
    int processors;
    const char *compiler, *flags, *commit;
} bench_machine;

bench_machine pn_cli_bench_machine(void);

/* What the numbers do not show, a sentence each; ends with NULL. */
extern const char *const pn_cli_bench_limits[];

void pn_cli_bench_print_head(const bench_machine *machine, const bench_choice *choice, int models);
/* Before it is measured: what will be done. */
void pn_cli_bench_print_plan(const bench_sheet *s);
/* 0 when out of memory. */
int pn_cli_bench_print(const bench_sheet *s);
void pn_cli_bench_print_limits(void);
void pn_cli_bench_json(const bench_machine *machine, const bench_choice *choice, const bench_sheet *s,
                       int count);
void pn_cli_bench_csv(const bench_machine *machine, const bench_sheet *s, int count);

/* ------------------------------------------------------------------------------------------------ */

/* Reads "8,64,512" into `list`; returns how many there are, 0 after a message. */
int pn_cli_bench_lengths(const char *command, const char *option, const char *text, int *list, int capacity);
/* bench_parallel.c: `--what parallel`, on chains of these lengths. */
int pn_cli_bench_parallel(const cli_args *args, int threads, const int *length, int count);

/* bench_control.c: `--what control`. Times of one sample, and what it takes. */
typedef struct bench_control {
    char title[200];
    int nv;
    double ns, low, high, steps, evaluations;
} bench_control;

/* Fills the numbers; 0 with a message in err. */
int pn_cli_bench_control(const pinion_model *m, double seconds, bench_control *r, pinion_error *err);
void pn_cli_bench_control_json(const bench_machine *machine, const bench_control *r, int count);
void pn_cli_bench_control_csv(const bench_control *r, int count);
int pn_cli_bench_control_text(const bench_machine *machine, const bench_control *r, int count); /* 0: out of memory */

#endif
