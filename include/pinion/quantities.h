/// What the library computes from a state, described: for programs that offer all of it and name none, as `pinion eval`
/// and `pinion bench` do, and as bindings to other languages may. Who knows what he wants calls the functions of
/// calls.h.
#ifndef PINION_QUANTITIES_H
#define PINION_QUANTITIES_H

#include "pinion/batch.h"
#include "pinion/dynamics_f32.h"

PINION_BEGIN

/// The arrays that a quantity may read.
typedef enum pinion_input {
    PINION_INPUT_Q = 1,
    PINION_INPUT_V = 2,
    PINION_INPUT_A = 4,
    PINION_INPUT_TAU = 8,
    PINION_INPUT_F_EXT = 16 ///< forces on bodies, or one force
} pinion_input;

enum { PINION_QUANTITY_OUTPUTS = 6 }; ///< results that a quantity has at most

typedef struct pinion_quantity_info {
    const char *name;     ///< as `--what` has it: "com"
    const char *function; ///< "center_of_mass" for pinion_center_of_mass, pinion_batch_center_of_mass, ...
    const char *group;    ///< "dynamics", "frames", ...
    const char *help;     ///< one line
    int problem;          ///< the pinion_problem whose algorithms compute it, -1: none
    int takes_frame;      ///< nonzero: it is that of a frame
    int in_eval;          ///< nonzero: `pinion eval` has it
    int in_codegen;       ///< nonzero: `pinion codegen` has it
    unsigned inputs;      ///< pinion_input, or'ed together
    int outputs;
    struct {
        const char *name;
        const char *shape; ///< "[6][nv]"
        int optional;      ///< nonzero: may be NULL
    } output[PINION_QUANTITY_OUTPUTS];
} pinion_quantity_info;

/// How many there are; they are numbered from 0.
PINION_API int pinion_quantity_count(void);
/// The number of the quantity of that name, -1 when there is none.
PINION_API int pinion_quantity_find(const char *name);
/// PINION_ERR_ARGUMENT when the number is out of range.
PINION_API PINION_CHECK pinion_status pinion_quantity(int quantity, pinion_quantity_info *out);
/// How many numbers a result has for one state, 0 when there is no such result.
/// @param dims  its three dimensions, 1 where it has fewer, or NULL
PINION_API size_t pinion_quantity_size(const pinion_model *m, int quantity, int output, size_t dims[3]);

/// The arguments of any of them. What a quantity does not take is not looked at.
typedef struct pinion_quantity_call {
    const double *q, *v, *a, *tau, *f_ext; ///< f_ext: [nbody][6], of force_to_torque [6]
    int frame;
    pinion_reference reference;
    int option; ///< pinion_acceleration of an acceleration; nonzero: springs count in the energy
    double *out[PINION_QUANTITY_OUTPUTS];
} pinion_quantity_call;

/// The same in single precision.
typedef struct pinion_quantity_call_f32 {
    const float *q, *v, *a, *tau, *f_ext;
    int frame;
    pinion_reference reference;
    int option;
    float *out[PINION_QUANTITY_OUTPUTS];
} pinion_quantity_call_f32;

/// Calls the function behind a quantity, with its checks and statuses.
PINION_API PINION_CHECK pinion_status pinion_quantity_run(const pinion_model *m, pinion_work *w, int quantity,
                                                          const pinion_quantity_call *x);
PINION_API PINION_CHECK pinion_status pinion_quantity_run_f32(const pinion_model *m, pinion_work_f32 *w, int quantity,
                                                              const pinion_quantity_call_f32 *x);
/// The same for many states, as the functions of a batch take them.
PINION_API PINION_CHECK pinion_status pinion_batch_quantity_run(pinion_batch *b, size_t count, int quantity,
                                                                const pinion_quantity_call *x);
PINION_API PINION_CHECK pinion_status pinion_batch_quantity_run_f32(pinion_batch *b, size_t count, int quantity,
                                                                    const pinion_quantity_call_f32 *x);

PINION_END

#endif
