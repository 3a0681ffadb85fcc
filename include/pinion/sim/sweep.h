/// Sweeps: one run many times with other numbers, as a plan says (docs/sweeps.md). Part of the library
/// pinion_sim.
///
///     pinion_sweep *s = pinion_sweep_load("plan.json", &err);
///     pinion_sweep_options options = pinion_sweep_options_default();
///     if (!s || pinion_sweep_to_file(s, "result.h5", &options, NULL, &err)) puts(err.message);
///
/// A run's numbers depend on the plan and its index alone: not on threads, shards or order, nor on what ran
/// before.
#ifndef PINION_SWEEP_H
#define PINION_SWEEP_H

#include "pinion/sim/run.h"
#include "pinion/sim/sweep_statistics.h"

PINION_BEGIN

typedef struct pinion_sweep
    pinion_sweep; ///< a plan and its model; any number of threads may use it at a time

/// Reads a plan and the model it names, and checks all of it; paths in it are relative to its folder. Files
/// are untrusted. NULL with `err` filled on failure: it names the file, the line and the key.
PINION_API pinion_sweep *pinion_sweep_load(const char *path, pinion_error *err);
/// The same from memory.
/// @param name    stands for the file in messages; NULL means "<string>"
/// @param folder  where relative paths begin; NULL: the current folder
PINION_API pinion_sweep *pinion_sweep_load_string(const char *text, size_t size, const char *name,
                                                  const char *folder, pinion_error *err);
PINION_API void pinion_sweep_free(pinion_sweep *s); ///< NULL is allowed

PINION_API uint64_t pinion_sweep_count(const pinion_sweep *s);            ///< runs
PINION_API const pinion_model *pinion_sweep_model(const pinion_sweep *s); ///< before anything varies

/// What the plan says that is no mistake and likely not meant, a line each with the plan's: a parameter that changes
/// nothing, a quaternion that is normalized.
PINION_API int pinion_sweep_note_count(const pinion_sweep *s);
PINION_API const char *pinion_sweep_note(const pinion_sweep *s, int index); ///< NULL out of range

/// A number a run: what varies, or what is kept.
typedef struct pinion_sweep_number {
    const char *name;
    const char *unit;         ///< "" for none
    const char *const *words; ///< what the numbers 0, 1, ... stand for; NULL: they are numbers
    int word_count;
} pinion_sweep_number;

PINION_API int pinion_sweep_parameter_count(const pinion_sweep *s); ///< how many numbers vary
/// One of them.
PINION_API PINION_CHECK pinion_status pinion_sweep_parameter(const pinion_sweep *s, int index,
                                                             pinion_sweep_number *out);
PINION_API int pinion_sweep_scalar_count(const pinion_sweep *s); ///< how many numbers of a run are kept
/// One of them.
PINION_API PINION_CHECK pinion_status pinion_sweep_scalar(const pinion_sweep *s, int index,
                                                          pinion_sweep_number *out);
PINION_API int pinion_sweep_column_count(const pinion_sweep *s); ///< of the rows of a run
/// The parameters of one run.
/// @param x  [parameter_count]
PINION_API PINION_CHECK pinion_status pinion_sweep_parameters(const pinion_sweep *s, uint64_t run, double *x);

/// A column of the rows of a run. Belongs to the plan.
PINION_API PINION_CHECK pinion_status pinion_sweep_column(const pinion_sweep *s, int index, pinion_column *out);

/// All that a run gave, for functions of it.
typedef struct pinion_sweep_view {
    uint64_t run;
    int outcome;   ///< pinion_sweep_outcome
    double t_end;  ///< s; NaN where it did not start
    int parameters;
    const double *parameter; ///< [parameters] the numbers that varied
    size_t rows;
    int columns;
    const double *row;           ///< [rows][columns]
    const pinion_column *column; ///< [columns] their names and units
} pinion_sweep_view;
/// A function of a run: a number to keep, NaN for none. Called by several threads at once; the same run must give the
/// same number. A shared object exports it under the name that the plan has behind the colon, and gets NULL for `user`.
typedef double (*pinion_sweep_function)(void *user, const pinion_sweep_view *run);
/// Gives a scalar that the plan has as a "plugin" its function, before workers are made; they keep `user`.
PINION_API PINION_CHECK pinion_status pinion_sweep_set_function(pinion_sweep *s, int scalar,
                                                                pinion_sweep_function function, void *user);
/// Loads the shared objects that the plan names as plugins: **their code runs with all rights of this process**, so
/// that this is for plans that are trusted, which nothing else of a plan has to be. Without plugins nothing happens.
PINION_API PINION_CHECK pinion_status pinion_sweep_load_plugins(pinion_sweep *s, pinion_error *err);

/// A plan with "stop" is looked at after so many runs from the first on; the runs of the first look that finds them
/// enough are those of the sweep. The look after that at n runs, 0 for the first; all runs for other plans.
PINION_API uint64_t pinion_sweep_next_look(const pinion_sweep *s, uint64_t n);
/// Nonzero when the first n runs are enough. 0 for plans without "stop".
/// @param outcome  [n] pinion_sweep_outcome
/// @param scalars  [n][scalar_count]
PINION_API int pinion_sweep_enough(const pinion_sweep *s, uint64_t n, const unsigned char *outcome,
                                   const double *scalars);

// One run.

/// How a run ended.
typedef enum pinion_sweep_outcome {
    PINION_SWEEP_COMPLETE = 0,
    PINION_SWEEP_STOPPED,    ///< by an event
    PINION_SWEEP_FAILED,     ///< the integration could not go on, or energies did not balance
    PINION_SWEEP_LIMITED,    ///< it had as many steps, or as much time, as the plan gives it
    PINION_SWEEP_NOT_FINITE, ///< a state that is no number
    PINION_SWEEP_NO_START,   ///< it could not begin: a mass below 0, a loop that does not close
    PINION_SWEEP_OUTCOME_COUNT
} pinion_sweep_outcome;

/// "complete", "stopped", "failed", "limited", "not finite", "no start"; NULL out of range.
PINION_API const char *pinion_sweep_outcome_name(pinion_sweep_outcome outcome);

enum { PINION_SWEEP_WHY = 160 }; ///< bytes of why a run is not complete, with the final zero

/// What a run gave. Belongs to the worker until its next run.
typedef struct pinion_sweep_record {
    uint64_t run;
    pinion_sweep_outcome outcome;
    double t_end;               ///< s, how far it got; NaN where it did not start
    const double *scalars;      ///< [scalar_count] NaN where there is none
    char why[PINION_SWEEP_WHY]; ///< "" where complete
    size_t rows;                ///< of its trajectory, where the plan keeps it
    int columns;
    const double *row; ///< [rows][columns]
} pinion_sweep_record;

typedef struct pinion_sweep_worker pinion_sweep_worker; ///< belongs to one thread at a time

/// NULL with `err` filled when out of memory, or when a scalar still lacks its function.
PINION_API pinion_sweep_worker *pinion_sweep_worker_new(const pinion_sweep *s, pinion_error *err);
PINION_API void pinion_sweep_worker_free(pinion_sweep_worker *w); ///< NULL is allowed
/// The records of runs have all their rows from now on, whatever the plan keeps.
PINION_API void pinion_sweep_worker_keep_rows(pinion_sweep_worker *w);
/// Makes one run. A run that fails is a record like any other; PINION_ERR_MEMORY when there is none.
PINION_API PINION_CHECK pinion_status pinion_sweep_run(pinion_sweep_worker *w, uint64_t run,
                                                       pinion_sweep_record *record);
/// Takes a record, which belongs to the worker until this returns; nonzero to go on.
typedef int (*pinion_sweep_each)(void *user, const pinion_sweep_record *record);
/// Makes several runs, side by side in SIMD lanes where the plan's engine is "rollout", and gives `each` the records in
/// their order.
PINION_API PINION_CHECK pinion_status pinion_sweep_runs(pinion_sweep_worker *w, size_t count, const uint64_t *runs,
                                                        pinion_sweep_each each, void *user);
/// Looks at runs while they are made, every some steps: to show how far they are, or to give them up.
/// @param made  of the runs that are being made, in runs: 0.5 is half of one; of 32 side by side it goes up to 32
/// @param rows  of them so far, where the result keeps them however they end
/// @return nonzero: they are given up
typedef int (*pinion_sweep_watch)(void *user, double made, size_t rows);
/// Has the worker's runs watched from now on; NULL: not any more. A run that is given up has no record: the call that
/// makes it returns PINION_ERR_CALLBACK. Watching changes nothing in the numbers.
PINION_API void pinion_sweep_worker_watch(pinion_sweep_worker *w, pinion_sweep_watch watch, void *user);
/// One run with all its rows, as `pinion sim` would keep them. NULL with `err` filled when it cannot start.
PINION_API pinion_result *pinion_sweep_replay(pinion_sweep_worker *w, uint64_t run, pinion_error *err);

// All runs.

/// How far a sweep is.
typedef struct pinion_sweep_state {
    uint64_t runs, done;                          ///< of this shard, and with those of an earlier attempt
    uint64_t planned;                             ///< `runs`, unless the plan's "stop" found fewer to be enough
    uint64_t resumed;                             ///< of these, those that an earlier attempt made
    uint64_t outcome[PINION_SWEEP_OUTCOME_COUNT]; ///< so many runs ended so
    double wall;                                  ///< s
    uint64_t first_failed;      ///< once all are made: the first run that failed (outcomes 2 to 5), where one did,
    char why[PINION_SWEEP_WHY]; ///< and why; empty: none, or not all are made
} pinion_sweep_state;

/// Processes that make a sweep together and see the same folder. All of them make the same calls in the same
/// order. Each function returns nonzero on success.
typedef struct pinion_sweep_team {
    void *user;
    int rank, ranks;
    /// What rank 0 has there, all have afterwards.
    int (*share)(void *user, void *bytes, size_t size);
    /// Adds up the numbers of all, for all.
    int (*sum)(void *user, uint64_t *numbers, int count);
    /// Takes the next `count` of a number that all count on, from 0 on after `share`: any thread, one at a
    /// time.
    int (*take)(void *user, uint64_t count, uint64_t *first);
    /// Called from time to time, so that what others ask is answered; NULL: nothing is needed.
    void (*idle)(void *user);
} pinion_sweep_team;

/// Get one from pinion_sweep_options_default().
typedef struct pinion_sweep_options {
    int threads;       ///< 0 (default): one a processor
    int shard, shards; ///< makes the runs of one of so many parts; default 0 of 1
    /// Called from time to time by the thread that called; nonzero ends the sweep, whose journal stays. NULL:
    /// none.
    int (*progress)(void *user, const pinion_sweep_state *state);
    void *user;
    const pinion_sweep_team *team; ///< NULL (default): this process alone
    uint32_t cookie;
} pinion_sweep_options;

/// All processors, all runs, nothing told.
PINION_API pinion_sweep_options pinion_sweep_options_default(void);

/// Makes all runs and writes one HDF5 file, whole or not at all. What was done is kept in the folder
/// PATH.journal: the same call goes on where one that was ended stopped, and the file has the same bytes. A
/// shard writes a file of its own kind, for pinion_sweep_merge(). PINION_ERR_CALLBACK when `progress` ended
/// it.
/// @param state  may be NULL: how it went
PINION_API PINION_CHECK pinion_status pinion_sweep_to_file(const pinion_sweep *s, const char *path,
                                                           const pinion_sweep_options *options,
                                                           pinion_sweep_state *state, pinion_error *err);
/// About how many bytes the result of all runs has.
/// @param rows    of a trajectory that is kept, in the mean over all runs
/// @param failed  the part of the runs that is not complete, 0 to 1
PINION_API double pinion_sweep_result_size(const pinion_sweep *s, double rows, double failed);
/// One HDF5 file of the files of all shards, with the bytes that a sweep in one piece has.
PINION_API PINION_CHECK pinion_status pinion_sweep_merge(int count, const char *const *shards,
                                                         const char *path, pinion_sweep_state *state,
                                                         pinion_error *err);

// The result, read.

typedef struct pinion_sweep_result pinion_sweep_result; ///< a result; its trajectories stay in the file

/// Nonzero when the file says that it is the result of a sweep.
PINION_API int pinion_sweep_is_result(const char *path);
/// Reads a file of pinion_sweep_to_file(). It is untrusted. NULL with `err` filled on failure.
PINION_API pinion_sweep_result *pinion_sweep_result_load(const char *path, pinion_error *err);
PINION_API void pinion_sweep_result_free(pinion_sweep_result *r);           ///< NULL is allowed
PINION_API uint64_t pinion_sweep_result_runs(const pinion_sweep_result *r); ///< how many runs it has
/// "plan", "model", "model_name", "model_hash", "pinion_version"; NULL for other keys.
PINION_API const char *pinion_sweep_result_text(const pinion_sweep_result *r, const char *key);
PINION_API int pinion_sweep_result_parameter_count(const pinion_sweep_result *r); ///< how many numbers varied
PINION_API int pinion_sweep_result_scalar_count(const pinion_sweep_result *r);    ///< how many were kept
/// A parameter and its values, [runs], in the order of the plan. Both belong to the result; `values` may be
/// NULL.
PINION_API PINION_CHECK pinion_status pinion_sweep_result_parameter(const pinion_sweep_result *r, int index,
                                                                    pinion_sweep_number *out,
                                                                    const double **values);
/// The same of a scalar.
PINION_API PINION_CHECK pinion_status pinion_sweep_result_scalar(const pinion_sweep_result *r, int index,
                                                                 pinion_sweep_number *out,
                                                                 const double **values);
/// [runs] pinion_sweep_outcome.
PINION_API const unsigned char *pinion_sweep_result_outcomes(const pinion_sweep_result *r);
PINION_API const double *
pinion_sweep_result_ends(const pinion_sweep_result *r); ///< [runs] s, how far each got
/// How many rows of a run the file keeps; 0: none.
PINION_API size_t pinion_sweep_result_row_count(const pinion_sweep_result *r, uint64_t run);
/// These rows, read from the file, with their columns. NULL with `err` filled on failure, PINION_ERR_NOT_FOUND where
/// there are none.
PINION_API pinion_result *pinion_sweep_result_trajectory(const pinion_sweep_result *r, uint64_t run, pinion_error *err);
/// Why a run is not complete; "" where it is.
PINION_API const char *pinion_sweep_result_why(const pinion_sweep_result *r, uint64_t run);

PINION_END

#endif
