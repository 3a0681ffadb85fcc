/* The plan of a sweep (docs/sweeps.md): what is the same in all runs, what varies, and what is kept of each.
 * Read once, then only looked at, by any number of threads. */
#ifndef PN_SWEEP_PLAN_H
#define PN_SWEEP_PLAN_H

#include <jansson.h>
#include <stdint.h>

#include "io/json/json.h"
#include "pinion/pinion.h"
#include "pinion/sim/sweep.h"
#include "sweep/sample/sampler.h"

enum {
    PN_SWEEP_NAME = 200,   /* bytes of a name of the plan */
    PN_SWEEP_MANY = 10000, /* what varies, and what is kept: each name is compared with all */
};

#define PN_FIXED_STEP 1e-3 /* s, of methods with a fixed step that are told none, as in pinion sim */

/* ------------------------------------------------------------------------------------------------
 * The run */

/* Numbers of a run that are not of the model. A worker has its own, which vary. */
typedef struct pn_run_numbers {
    double *memory;           /* of the arrays */
    double *q, *v;            /* the start, [nq] and [nv] */
    double *to;               /* [nq] where the motion goes */
    double *kp, *kd, *torque; /* [nv] */
    double *a;                /* [nv] accelerations, of "eval" */
    double duration, step, control_step, control_delay, stiction, friction_speed;
    double seed;                         /* of sensors; NaN: each run has its own */
    int integrator, control, trajectory; /* words */
} pn_run_numbers;

/* What the actuators do. */
typedef enum pn_plan_control {
    PN_PLAN_NONE,
    PN_PLAN_GRAVITY,
    PN_PLAN_PD,
    PN_PLAN_PD_GRAVITY,
    PN_PLAN_COMPUTED,
    PN_PLAN_TASK
} pn_plan_control;
extern const char *const pn_plan_controls[]; /* their words, ended by NULL */
extern const char *const pn_plan_integrators[];

/* The command that would make a run alone. */
typedef enum pn_plan_command { PN_PLAN_SIM, PN_PLAN_ID, PN_PLAN_EVAL, PN_PLAN_LINEARIZE } pn_plan_command;

/* What "eval" computes: a quantity of pinion/quantities.h, and of which frame. */
typedef struct pn_plan_quantity {
    char *name; /* as the plan has it: "velocity:tip" */
    int quantity, frame;
} pn_plan_quantity;

typedef struct pn_plan_run {
    pn_plan_command command;
    pn_plan_quantity *quantities; /* EVAL */
    int quantity_count;
    size_t steps, every; /* side by side, "engine": "rollout": so many steps, and a row after so many; 0: one by one */
    int equilibrium; /* LINEARIZE: at a state of rest near the start */
    pn_run_numbers numbers;
    unsigned char *q_given, *v_given, *to_given; /* [nq], [nv], [nq] */
    unsigned char *q_held, *v_held;              /* [nq], [nv] named one by one: loops are closed around them */
    int state, q_state, v_state, to_state;       /* states of the model that "state", "q0", "v0", "to" name; -1 */
    int loose[2];                                /* loops do not close with what is held of q, of v: that was told */
    int moves;                                   /* "to" is given */
    int placed;                                  /* "state" or "q0" says where it starts; else a file's motion does */
    int open_friction;                           /* nobody says how friction is: exact where control is sampled */
    int limit_effort, has_contact, has_torque;
    pinion_sim_options sim; /* of the options that do not vary */
    pinion_scene_options contact;
    double output_step, max_time, max_drift, blend;
    long max_steps;
    pinion_profile profile;
    char *trajectory, *forces, *sensors, *tasks; /* paths; NULL: none */
    int *frames, frame_count, rpy;
    pinion_event_def *events;
    int event_count;
} pn_plan_run;

/* ------------------------------------------------------------------------------------------------
 * What varies */

typedef enum pn_varied {
    PN_VARY_MASS,
    PN_VARY_INERTIA,
    PN_VARY_COM,
    PN_VARY_PAYLOAD, /* of links */
    PN_VARY_FRICTION,
    PN_VARY_DAMPING,
    PN_VARY_STIFFNESS,
    PN_VARY_REST,
    PN_VARY_ROTOR, /* of joints */
    PN_VARY_GRAVITY,
    PN_VARY_Q0,
    PN_VARY_V0,
    PN_VARY_TO,
    PN_VARY_KP,
    PN_VARY_KD,
    PN_VARY_TORQUE,
    PN_VARY_A0, /* of coordinates */
    PN_VARY_DURATION,
    PN_VARY_STEP,
    PN_VARY_CONTROL_STEP,
    PN_VARY_CONTROL_DELAY,
    PN_VARY_STICTION,
    PN_VARY_FRICTION_SPEED,
    PN_VARY_SEED,
    PN_VARY_CONTROL,
    PN_VARY_INTEGRATOR,
    PN_VARY_TRAJECTORY, /* words */
    PN_VARY_SCALE,
    PN_VARY_MODEL, /* the model is made anew */
    PN_VARY_COUNT
} pn_varied;

/* What a kind of parameter is of. */
typedef enum pn_place {
    PN_PLACE_NONE,
    PN_PLACE_LINK,
    PN_PLACE_DOF,
    PN_PLACE_Q,
    PN_PLACE_V,
    PN_PLACE_POINTER
} pn_place;

typedef struct pn_varied_kind {
    const char *name;
    pn_place place;
    int axis;         /* nonzero: needs "axis" */
    int words;        /* nonzero: its values are words */
    const char *unit; /* NULL: that of the coordinate */
} pn_varied_kind;
extern const pn_varied_kind pn_varied_kinds[PN_VARY_COUNT];

typedef enum pn_mode { PN_MODE_VALUE, PN_MODE_FACTOR, PN_MODE_OFFSET } pn_mode;

/* One of the places of a parameter: a link, a joint and one of its degrees of freedom, or a coordinate. */
typedef struct pn_spot_of {
    int index, dof;
} pn_spot_of;

typedef struct pn_parameter {
    char *name;
    int line;
    pn_varied what;
    pn_mode mode;
    int axis;
    pn_spot_of *places;
    int place_count;
    double at[3];  /* PAYLOAD: where its mass is */
    char *pointer; /* MODEL: the number in the model's JSON */
    char unit[64];

    int dimension; /* of the samples; -1: a list or a grid */
    pn_distribution distribution;
    int axis_number; /* among lists and grids */
    uint64_t values; /* of a list or a grid */
    double *list;    /* NULL: a grid */
    double low, high;
    int logarithmic;
    char **words; /* [values]; NULL: numbers */
} pn_parameter;

/* ------------------------------------------------------------------------------------------------
 * What is kept */

typedef enum pn_take {
    PN_TAKE_INITIAL,
    PN_TAKE_FINAL,
    PN_TAKE_MIN,
    PN_TAKE_MAX,
    PN_TAKE_PEAK,
    PN_TAKE_MEAN,
    PN_TAKE_RMS,
    PN_TAKE_INTEGRAL,
    PN_TAKE_SETTLING,
    PN_TAKE_COUNT
} pn_take;

typedef struct pn_kept {
    char *name;
    int line;
    pn_take take;
    char *column; /* a name or a pattern; NULL: the distance of a frame from a point, or a plugin */
    char *plugin; /* FILE:FUNCTION; NULL: none */
    pinion_sweep_function function;
    void *user;
    void *object; /* what was loaded */
    char *frame;
    double target[3];
    double within; /* SETTLING */
    char unit[64];
    int *columns, count; /* which those are; of a frame the three of its position */
} pn_kept;

/* When there are enough runs. */
typedef struct pn_plan_stop {
    uint64_t every; /* looked at after so many; 0: all runs are made */
    int scalar;     /* whose mean; -1: the probability that a run fails */
    double within;  /* half of the interval is at most this, */
    int relative;   /* as a part of the number itself */
    double confidence;
} pn_plan_stop;

typedef enum pn_keep_rows { PN_ROWS_NONE, PN_ROWS_ALL, PN_ROWS_FAILED, PN_ROWS_SOME } pn_keep_rows;

/* ------------------------------------------------------------------------------------------------ */

struct pinion_sweep {
    char *text, *file, *folder;
    pinion_model *model;
    char *model_json;
    json_t *model_tree; /* the same as a value, where MODEL varies */
    pinion_load_options load;
    int nq, nv;
    pn_plan_run run;

    pn_parameter *parameters;
    int parameter_count, dimensions, axes;
    int *by_dimension;              /* [dimensions] parameters */
    pn_sampler *sampler;            /* NULL: nothing is sampled */
    uint64_t seed, samples, points; /* runs = points * samples */
    int indices;                    /* nonzero: groups of runs for Sobol's indices */
    int rebuilds;                   /* nonzero: the model is made anew for each run */

    pn_kept *kept;
    int kept_count;
    int plugins; /* scalars that are functions of a run */
    pn_plan_stop stop;
    int statistics; /* nonzero: the result has them */
    pn_keep_rows rows;
    uint64_t every; /* SOME */
    int column_count;
    pinion_column *columns; /* of a run's rows; texts of their own */
    char **notes;
    int note_count;
    char identity[65];      /* of all that decides a run's numbers */
    char isa[16];           /* the instruction set of the kernels that make the runs */
};

/* plan_run.c: the key "run"; 0 after filling the error. */
int pn_plan_read_run(const pn_json_value *v, pinion_sweep *s);
void pn_plan_run_free(pn_plan_run *r);
/* Keys that several commands have. A number above 0, or (also) 0; coordinates; the start; the motion; frames. */
int pn_plan_positive(const pn_json_value *run, const char *key, int also, double *x);
/* One of the words; else it says which there are. */
int pn_plan_choice(const pn_json_value *v, const char *const *words, int *out);
int pn_plan_list(const pn_json_value *run, const pinion_sweep *s, const char *key, const char *what, double *x,
                 unsigned char *given);
int pn_plan_read_start(const pn_json_value *run, pinion_sweep *s);
int pn_plan_read_motion(const pn_json_value *run, pinion_sweep *s);
int pn_plan_read_frames(const pn_json_value *run, pinion_sweep *s);
/* plan_start.c: whether a run starts on a file's motion, since the plan does not say where; puts it there; and finds
 * the gains that the plan does not give (NaN until then), of the run before anything varies. */
int pn_plan_starts_on_motion(const pn_plan_run *r, int control);
pinion_status pn_plan_put_on_motion(const pn_plan_run *r, pinion_trajectory *motion, pn_run_numbers *n, int nq, int nv);
int pn_plan_settle_gains(const pn_json_value *run, pinion_sweep *s);
/* The start with another model, one made for a run alone: what the plan says itself stays, the rest is that model's. */
pinion_status pn_plan_start_of(const pinion_sweep *s, const pinion_model *m, pn_run_numbers *n);
int pn_plan_follows(int control); /* nonzero: a controller towards a motion */
int pn_plan_varies(const pinion_sweep *s, pn_varied what);
/* plan_command.c: the key "run" of the other commands; and whether something that varies acts on what one computes. */
int pn_plan_read_command(const pn_json_value *run, pinion_sweep *s);
int pn_plan_command_varies(pn_plan_command command, pn_varied what);
extern const char *const pn_plan_commands[]; /* their words, ended by NULL */
int pn_plan_no_memory(const pn_json_value *v); /* says so; 0 */
int pn_run_numbers_new(pn_run_numbers *x, int nq, int nv); /* 0: out of memory */
void pn_run_numbers_copy(pn_run_numbers *to, const pn_run_numbers *from, int nq, int nv);
/* A number for all, an array, or an object with names of joints, groups or patterns. given may be NULL. */
int pn_plan_coordinates(const pn_json_value *v, const pinion_model *m, const char *what, double *x,
                        unsigned char *given);
/* plan_pointer.c: the model that its JSON text describes, as it was loaded, with nq coordinates; a free root and joints
 * that follow no others are not in the text. NULL with `err` filled. */
pinion_model *pn_plan_model_again(const char *text, const char *name, int nq, const pinion_load_options *loaded,
                                  pinion_error *err);
/* A path of the plan as one that can be opened; NULL when out of memory. */
char *pn_plan_path(const pinion_sweep *s, const char *path);

/* plan_vary.c: the key "vary". */
int pn_plan_read_vary(const pn_json_value *v, pinion_sweep *s);
void pn_plan_vary_free(pinion_sweep *s);

/* plan_keep.c: the key "keep"; and, once the columns are known, which of them are meant. */
int pn_plan_read_keep(const pn_json_value *v, pinion_sweep *s);
int pn_plan_find_columns(pinion_sweep *s, pinion_error *err);
void pn_plan_keep_free(pinion_sweep *s);
/* plan_plugin.c: the file of a plugin, in new memory; NULL when out of memory. */
char *pn_plan_plugin_path(const pinion_sweep *s, const pn_kept *k);
void pn_plan_plugins_free(pinion_sweep *s);
/* A scalar that lacks its function; NULL: none does. */
const pn_kept *pn_plan_missing(const pinion_sweep *s);

/* plan_conflict.c: whether what varies contradicts itself, or the run. */
int pn_plan_check_conflicts(const pn_json_value *top, const pinion_sweep *s);

/* plan_notes.c: tells something with its line; 0: out of memory. */
int pn_plan_note(pinion_sweep *s, int line, const char *format, ...) PN_PRINTF(3, 4);
/* What is likely not meant, when all else is known; 0 for what is a mistake. */
int pn_plan_find_notes(const pn_json_value *top, pinion_sweep *s);

/* plan_stop.c: the key "stop", when scalars and samples are known. */
int pn_plan_read_stop(const pn_json_value *v, pinion_sweep *s);

/* plan_pointer.c: the value that a pointer means in a model's JSON; NULL: there is none. Names of elements
 * may stand for their numbers. */
json_t *pn_plan_pointed(json_t *model, const char *pointer);
/* The model's JSON as a value, in which every pose has its numbers, also where they are zero; NULL: out of memory. */
json_t *pn_plan_model_tree(const char *text);

#endif
