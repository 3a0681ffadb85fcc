/// Control in task space: frames, the centre of mass and a posture move as they are told, by the actuators and nothing
/// else. Part of the library pinion_sim.
///
/// With a = a_0 + P u, what the actuators' forces u do to a model that keeps its closed loops and the frames that are
/// held, every task wants J a + (dJ/dt) v to be an acceleration: that of its reference, with kp and kd towards it.
/// Tasks of one priority are met in the sense of weighted least squares, by those u that leave all tasks of a lower
/// number where they are. What no task asks for comes to rest; of several u it is then the least. The base of a robot
/// that floats is moved by what it stands on and holds, and by nothing else.
#ifndef PINION_TASKS_H
#define PINION_TASKS_H

#include "pinion/sim/trajectory.h"

PINION_BEGIN

typedef enum pinion_task_kind {
    PINION_TASK_FRAME = 0, ///< where a frame is and how it is turned
    PINION_TASK_COM,       ///< where the centre of mass is
    PINION_TASK_POSTURE,   ///< where the joints are
    PINION_TASK_KIND_COUNT
} pinion_task_kind;

/// Where a frame, or the centre of mass, is to be at an instant; in the world, 6-vectors [angular; linear] along its
/// axes, at the frame's origin.
typedef struct pinion_goal {
    pinion_pose pose;
    double velocity[6], acceleration[6];
} pinion_goal;

/// The goal at a time: fills what is not to stay as the task's own `goal` has it. Must depend on its arguments alone.
typedef pinion_status (*pinion_goal_fn)(void *user, double t, pinion_goal *goal);

/// Get one from pinion_task_default().
typedef struct pinion_task {
    pinion_task_kind kind;
    int priority;  ///< 0 (default) first; tasks of one number share it by their weights
    double weight; ///< above 0, default 1
    double kp, kd; ///< 1/s^2 and 1/s, >= 0; default 100 and 20
    int frame;     ///< FRAME
    double axes[6];           ///< FRAME, COM (the last three): weights of the directions, >= 0; 0 leaves one free;
                              ///< default 1
    pinion_goal goal;         ///< FRAME, COM
    pinion_goal_fn reference; ///< over time; NULL: it stays
    void *reference_user;
    const double *posture;     ///< [nq] POSTURE; copied
    pinion_trajectory *target; ///< POSTURE in place of it: not copied, must outlive the controller
    const double *joints;      ///< [nv] POSTURE: weights of the velocities, >= 0; copied. NULL: 1, and 0 of free joints
    uint32_t cookie;
} pinion_task;

/// A frame that does not move: a foot on the ground, a hand that holds on.
typedef struct pinion_held {
    int frame;
    int point; ///< nonzero: it may turn
} pinion_held;

/// Get one from pinion_tasks_def_default().
typedef struct pinion_tasks_def {
    int count;
    const pinion_task *tasks; ///< [count]
    int held_count;
    const pinion_held *held; ///< [held_count]
    int limit;               ///< nonzero: u is cut to the actuators' effort limits
    double damping;          ///< 1/s, >= 0: how fast what no task asks for comes to rest; default 20
    uint32_t cookie;
} pinion_tasks_def;

typedef struct pinion_tasks pinion_tasks; ///< belongs to one thread at a time

/// A frame to stay at the world's origin, until more is set.
PINION_API pinion_task pinion_task_default(void);
/// No task at all.
PINION_API pinion_tasks_def pinion_tasks_def_default(void);

/// Copies its def but for what the tasks say is not copied. The model must outlive it. NULL on failure, and `err` names
/// the task.
PINION_API pinion_tasks *pinion_tasks_new(const pinion_model *m, const pinion_tasks_def *def, pinion_error *err);
PINION_API void pinion_tasks_free(pinion_tasks *x); ///< NULL is allowed
/// Tasks from a JSON file (docs/tasks.md).
/// @param q      [nq] where what the file does not say stays
/// @param limit  as in pinion_tasks_def
PINION_API pinion_tasks *pinion_tasks_load(const pinion_model *m, const char *path, const double *q, int limit,
                                           pinion_error *err);
/// What the actuators give, u [nu]: the `actuators` of a simulation whose `user` is a pinion_tasks. Allocates nothing.
PINION_API pinion_status pinion_tasks_actuators(void *tasks, double t, const double *q, const double *v, double *u);
/// By which part the priority of a task gave way, when u was asked for last, so that forces stay bounded: near singular
/// positions, to which a target out of reach leads. 0 where it is met as far as it can be, up to 1, as where it wants
/// what the actuators cannot do there at all; NAN where there is no such task.
PINION_API double pinion_tasks_damped(const pinion_tasks *x, int task);
/// How far, m, the target of a task was from all that it can ever reach, when u was asked for last: it is led to the
/// nearest place that is no farther from the first joint than all links together are long. 0 where that is not sure,
/// as of robots that roll or float; NAN where there is no such task.
PINION_API double pinion_tasks_out_of_reach(const pinion_tasks *x, int task);
/// What a task wants of J a, and J, in rows: 6 of a FRAME, 3 of COM, nv of a POSTURE. For who wants to look at it;
/// allocates nothing.
/// @param task    its number
/// @param J       [rows][nv]
/// @param wanted  [rows] of J a: (dJ/dt) v is taken off
/// @return the rows; -1 when an argument is wrong or something cannot be computed
PINION_API int pinion_tasks_wanted(pinion_tasks *x, int task, double t, const double *q, const double *v, double *J,
                                   double *wanted);
/// What is missing to the targets, in rows that are not left free: of a frame a turn as a rotation vector and a way, of
/// the centre of mass a way, both along the world's axes; of a posture q (+) error = target. Columns of results.
PINION_API int pinion_tasks_error_count(const pinion_tasks *x); ///< 0 when x is NULL
/// "error.task.0.rotation.2", "error.task.0.position.1", "error.task.1.q.elbow", with the task's number.
/// @return `text`; NULL out of range
PINION_API const char *pinion_tasks_error_name(const pinion_tasks *x, int index, char *text, size_t size);
PINION_API const char *pinion_tasks_error_unit(const pinion_tasks *x, int index); ///< "rad" or "m"; NULL out of range
/// Of all tasks, whether the target is in reach or not; allocates nothing.
/// @param errors  [pinion_tasks_error_count()]
PINION_API PINION_CHECK pinion_status pinion_tasks_errors(pinion_tasks *x, double t, const double *q, double *errors);

PINION_END

#endif
