/// A run: a simulation from its start to its end, with rows at regular instants, events, checkpoints and a summary.
/// It is what `pinion sim` does, as calls. Part of the library pinion_sim.
///
///     pinion_run_def def = pinion_run_def_default();
///     def.duration = 10;
///     def.result = pinion_result_new();
///     pinion_run *run = pinion_run_new(m, &def, &err);
///     if (pinion_run_to_end(run) != PINION_OK) puts(pinion_run_message(run));
#ifndef PINION_RUN_H
#define PINION_RUN_H

#include "pinion/sim/sim.h"

PINION_BEGIN

/// Pairs of collisions whose forces and gaps are columns. Where more may touch, a pair gets its columns in `result`,
/// behind all others, when it does for the first time in a row; so many at most, and sinks get none.
#define PINION_RUN_PAIRS 64

// The start: a state that keeps the loops.

/// What closing the loops at the start changed, of positions or of velocities.
typedef struct pinion_start_change {
    double open;   ///< how far the loops were open (m, rad), or how fast they opened
    int most;      ///< the index in v of what changed the most; -1: nothing did by more than 1e-9
    double change; ///< by how much
    int kept;      ///< nonzero: what was given could be kept
} pinion_start_change;

typedef struct pinion_start_info {
    pinion_start_change position, velocity;
    pinion_mobility mobility; ///< at the start; all zero without loops
    char conflict[400];       ///< unless "": no acceleration keeps the loops, and why
} pinion_start_info;

/// Brings q and v to the nearest state that keeps the loops: first with everything held that is given, by the caller or
/// as a joint's initial state by the model; where that cannot be, with what the caller gave; then with nothing. Does
/// nothing without loops. PINION_ERR_CONVERGENCE when a loop cannot be closed; `err` names it.
/// @param q_given  [nq] nonzero: this coordinate is to be kept; NULL: none is
/// @param v_given  [nv] likewise
/// @param initial  nonzero: keeps what the model's initial state gives, too (of velocities those that are not 0)
/// @param info     may be NULL; filled in as far as it got, also on failure
PINION_API PINION_CHECK pinion_status pinion_start_close(const pinion_model *m, const unsigned char *q_given,
                                                         const unsigned char *v_given, int initial, double *q,
                                                         double *v, pinion_start_info *info, pinion_error *err);

// The run.

typedef struct pinion_run pinion_run; ///< belongs to one thread at a time

/// How a run ended.
typedef enum pinion_run_end {
    PINION_RUN_GOING = 0,   ///< not yet
    PINION_RUN_COMPLETE,    ///< the duration is over
    PINION_RUN_STOPPED,     ///< by an event
    PINION_RUN_INTERRUPTED, ///< by pinion_run_interrupt(), or by the def's max_steps or max_time
    PINION_RUN_FAILED,      ///< the integration cannot go on, or energies do not balance (max_drift); what was recorded
                            ///< up to there is right
    PINION_RUN_BROKEN,      ///< it did not start, a sink refused, a checkpoint could not be written, or out of memory
    PINION_RUN_END_COUNT
} pinion_run_end;

/// "complete", "stopped", ...; NULL out of range.
PINION_API const char *pinion_run_end_name(pinion_run_end end);

/// How a run went, so far or at its end.
typedef struct pinion_run_summary {
    pinion_run_end end;
    const char *why; ///< in words, unless going or complete: "stopped" has the event's text. Belongs to the run
    double t_end;    ///< s, of the last row; NaN before the first
    double output_step;
    size_t rows;
    size_t events;
    long steps, refused, evaluations;
    long implicit_steps, changes; ///< of AUTO: BDF's among the steps, and how often it changed the method
    long sticks, slips; ///< of EXACT friction: how often a joint came to stick, and broke away
    double largest_kinetic, largest_drift; ///< J, over all steps
    double relative_drift; ///< drift / drift_scale; NaN when nothing moves, or by no more than rounding
    double drift_scale;    ///< J, the largest kinetic energy; with contact at least what all would have with the speed
                           ///< that gravity gives in three steps, which counts as rest there
    const char *warning;   ///< "", or that the drift is above a thousandth of it, at rest above it. Belongs to the run
    double constraint;     ///< the largest in the rows: loops open, quaternions off unit length; NaN without either
    double wall;           ///< s since pinion_run_new()
} pinion_run_summary;

/// Where rows and events go as they come, for programs that do not want them all in memory. Each function may be NULL;
/// a status other than PINION_OK breaks the run.
typedef struct pinion_sink {
    void *user;
    /// Before the first row. The columns are there until the run is freed.
    pinion_status (*begin)(void *user, int count, const pinion_column *columns);
    pinion_status (*row)(void *user, int count, const double *values);
    pinion_status (*event)(void *user, double t, const char *text);
    /// After the last row, unless the run is broken.
    pinion_status (*end)(void *user, const pinion_run_summary *summary);
} pinion_sink;

/// What is simulated and recorded. The columns are t, q, v, a, tau, actuators, then what is asked for below, forces of
/// grounds (contact.*) where `sim.forces` has some, energies and constraint (docs/results.md). Get one from
/// pinion_run_def_default(). Nothing is copied: what it points to must outlive the run.
typedef struct pinion_run_def {
    pinion_sim_options sim; ///< the integrator, the algorithm, and what acts
    const double *q, *v;    ///< where it starts, loops closed. q NULL: the model's initial state, after
                            ///< pinion_start_close(); v NULL: at rest
    double duration;        ///< s, from t = 0; above 0, at most 1e10
    double output_step;     ///< s: rows at its multiples and at the end; 0 (default): a hundredth of the duration
    pinion_result *result;  ///< an empty one to fill: columns and settings by pinion_run_new(), rows and events as they
                            ///< come, at last how it went; NULL: none
    pinion_sink sink;       ///< besides `result` or in its place
    pinion_controller *tracked; ///< whose target and what is missing to it are columns (target.*, error.*): PD or
                                ///< COMPUTED; NULL: none
    pinion_tasks *tasks;    ///< what is missing to whose targets are columns (error.task.K.*); NULL: none
    int frame_count;
    const int *frames;      ///< [frame_count] whose poses are columns, frame.NAME.position and frame.NAME.quaternion
    int rpy;                ///< nonzero: of these also roll, pitch and yaw, frame.NAME.rpy
    int by_hand;            ///< nonzero: pinion_run_apply() is used
    const char *checkpoint; ///< an HDF5 file to write from time to time, to resume from; NULL: none
    double checkpoint_every;     ///< s of simulated time; 0 (default): a tenth of the duration
    const char *checkpoint_text; ///< kept in that file under "checkpoint": what its reader needs to make the run again
    long max_steps;   ///< the run ends, as by pinion_run_interrupt(), after so many steps since its start or since the
                      ///< run it was resumed from ended; 0 (default): when it ends
    double max_time;  ///< s of wall clock since pinion_run_new(), likewise
    double max_drift; ///< the run fails before a step after which the energies are off by more than this part of the
                      ///< largest kinetic energy (with a fixed step only where that is also more than this part of
                      ///< the potential and the work, else at its end); 0.1 by default, INFINITY: never. What
                      ///< tolerances and rounding explain does not count
    const char *command, *model_file, *control; ///< for the record in `result`; NULL: not told, and no control
    uint32_t cookie;
} pinion_run_def;

/// One without a duration, which is the least that must be set.
PINION_API pinion_run_def pinion_run_def_default(void);

/// Checks the def and makes the simulation. The model must outlive it. NULL with `err` filled on failure; a message
/// about a field of the def starts with the field's name.
PINION_API pinion_run *pinion_run_new(const pinion_model *m, const pinion_run_def *def, pinion_error *err);
PINION_API void pinion_run_free(pinion_run *run); ///< NULL is allowed

/// Its simulation: to add events before the start, and to look at in between. Only the run may advance it.
PINION_API pinion_sim *pinion_run_simulation(pinion_run *run);

/// Goes on, at first from the start, to the next row or checkpoint, with at most that many steps: so that the caller
/// can show how far it is, or interrupt. How the way is cut changes nothing in the numbers. Does nothing once the run
/// has ended. The status is that of the failure when it ends FAILED or BROKEN.
PINION_API PINION_CHECK pinion_status pinion_run_advance(pinion_run *run, long steps);
/// Goes on until it has ended.
PINION_API PINION_CHECK pinion_status pinion_run_to_end(pinion_run *run);
// By hand: a program that computes what acts, as a controller in its loop does.
//
//     def.by_hand = 1;
//     pinion_run *run = pinion_run_new(m, &def, &err);
//     for (int k = 0; pinion_run_ended(run) == PINION_RUN_GOING; k++) {
//         if (pinion_run_step_to(run, 1e-3 * k) || pinion_sim_get(pinion_run_simulation(run), &state)) break;
//         ...
//         if (pinion_run_apply(run, NULL, u, NULL)) break;
//     }

/// Goes on to time t, at first from the start, with rows, events and checkpoints on the way. A step of the integrator
/// ends there; one-step methods go on with steps as long as before, others begin anew. t may be the time reached: the
/// start, at first. The run ends at its duration as ever, or by an event.
PINION_API PINION_CHECK pinion_status pinion_run_step_to(pinion_run *run, double t);
/// The same by dt.
PINION_API PINION_CHECK pinion_status pinion_run_step(pinion_run *run, double dt);
/// What acts from here on, until it is changed again, besides what the def has; before the start, or where a step by
/// hand ended. Each may be NULL: as it was, at first zero. A row at this instant has what acted until then.
/// Checkpoints have it. Allocates nothing but for the first f_ext.
/// @param tau    [nv] joint forces from outside
/// @param u      [nu] what is asked of the actuators
/// @param f_ext  [nbody][6] forces on the bodies, as pinion_forward_dynamics takes them; not with `forces` of the
///               def, to which pinion_forces_add_function adds such
PINION_API PINION_CHECK pinion_status pinion_run_apply(pinion_run *run, const double *tau, const double *u,
                                                       const double *f_ext);
/// To be called where a step by hand ended and something that the run looks at was changed there: the model's
/// payloads or gravity, the gains of a controller, force elements, what functions of the caller's go by. The
/// energies that this changes are counted anew; it is no work. Not where force elements have added mass:
/// PINION_ERR_UNSUPPORTED.
PINION_API PINION_CHECK pinion_status pinion_run_changed(pinion_run *run);

/// Ends the run where it is, with a last row there, and with a checkpoint, to go on as if it had not been interrupted.
/// That of a method with a memory of earlier steps begins at the checkpoint before, or at the start: resuming takes
/// the steps since then again.
PINION_API PINION_CHECK pinion_status pinion_run_interrupt(pinion_run *run);

/// How it ended; PINION_RUN_GOING until then.
PINION_API pinion_run_end pinion_run_ended(const pinion_run *run);
PINION_API PINION_CHECK pinion_status pinion_run_summarize(pinion_run *run, pinion_run_summary *summary);
/// What the last call that moves, stores or resumes the run objected to; "" when it succeeded. How the run ended is in
/// the summary.
PINION_API const char *pinion_run_message(const pinion_run *run);

/// Writes a checkpoint of the time reached, whole or not at all: what is needed to go on exactly, and the rows and
/// events in `result`. Methods with a memory of earlier steps restart there (pinion_sim_store). The run goes on even if
/// it fails.
PINION_API PINION_CHECK pinion_status pinion_run_store(pinion_run *run, const char *path);
/// Starts a run, with the same model, def and events, where a checkpoint was (pinion_result_load). Rows and events
/// that it holds go to `result` and to the sink again. One of another version is refused: its numbers might differ.
PINION_API PINION_CHECK pinion_status pinion_run_resume(pinion_run *run, const pinion_result *checkpoint);

PINION_END

#endif
