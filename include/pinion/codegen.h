/// Code for one robot: C sources that compute what the library computes, for one model alone, in fewer operations.
///
/// Not part of a build without C++ (PINION_TRACE). Loading what was generated needs a C compiler at run time and an
/// operating system that loads libraries; generating needs neither.
#ifndef PINION_CODEGEN_H
#define PINION_CODEGEN_H

#include "pinion/algorithms.h"
#include "pinion/batch.h"
#include "pinion/dynamics.h"
#include "pinion/dynamics_f32.h"

PINION_BEGIN

/// What `real` is in generated sources.
typedef enum pinion_codegen_scalar {
    PINION_CODEGEN_F64 = 0, ///< double
    PINION_CODEGEN_F32,     ///< float
    PINION_CODEGEN_REAL     ///< what the one who compiles says: double, float, a pack of either, a type of CUDA
} pinion_codegen_scalar;

/// Get one from pinion_codegen_options_default().
typedef struct pinion_codegen_options {
    const char *name;      ///< of the files, and before every function's; NULL: the model's, made an identifier
    const char *what;      ///< as `pinion codegen --what`: "inverse_dynamics,jacobian:tool"; NULL: all that need no
                           ///< frame
    const char *algorithm; ///< for what it solves; NULL: for each quantity the one with the fewest operations of
                           ///< those that lose little more to rounding than the library's own
    pinion_codegen_scalar scalar;
    int f_ext;          ///< nonzero: external forces are an argument
    int reassociate;    ///< nonzero: sums and products may be taken in another order, which rounds otherwise
    int libm;           ///< nonzero: sines and cosines of the C library in place of those in the file
    int no_regrouping;  ///< nonzero: every link keeps its own inertia
    int no_angle_sums;  ///< nonzero: angles of parallel axes are not added up
    double limb_limit;  ///< operations that one limb may have in straight-line code; a larger robot gets loops
    uint32_t cookie;
} pinion_codegen_options;

/// The defaults named above; limb_limit is 20000.
PINION_API pinion_codegen_options pinion_codegen_options_default(void);

typedef struct pinion_generated pinion_generated; ///< the text of a robot's code

/// One generated function.
typedef struct pinion_generated_function {
    const char *name;            ///< "puma560_inverse_dynamics"
    const char *quantity;        ///< "inverse_dynamics", "jacobian:tool"
    const char *algorithm;       ///< "cartesian-tensor"; "" where a kernel for this quantity alone computes it
    int loops;                   ///< nonzero: too large for straight-line code, written as loops over tables
    pinion_operations operations; ///< of one call; all zero where `loops` is set
    pinion_operations general;    ///< of the library's own call on this model, nothing left out
} pinion_generated_function;

/// Generates. The same model and options give the same bytes everywhere.
/// @param options  NULL for the defaults
/// @return NULL and the reason in `err` when a quantity, a frame or an algorithm is not known or does not apply, or the
/// model has closed loops
PINION_API pinion_generated *pinion_codegen(const pinion_model *m, const pinion_codegen_options *options,
                                            pinion_error *err);
PINION_API void pinion_generated_free(pinion_generated *g); ///< NULL is allowed

PINION_API const char *pinion_generated_name(const pinion_generated *g); ///< the identifier before every function
PINION_API int pinion_generated_function_count(const pinion_generated *g);
/// PINION_ERR_ARGUMENT when it is out of range. What it points to belongs to g.
PINION_API PINION_CHECK pinion_status pinion_generated_function_info(const pinion_generated *g, int function,
                                                                     pinion_generated_function *out);
PINION_API int pinion_generated_file_count(const pinion_generated *g);
/// The name and text of a file; either may be NULL. PINION_ERR_ARGUMENT when it is out of range.
PINION_API PINION_CHECK pinion_status pinion_generated_file(const pinion_generated *g, int file, const char **name,
                                                            const char **text, size_t *length);
/// Writes all files into a folder, which is made if it is not there. Nothing is left half-written: each file appears
/// as a whole.
PINION_API PINION_CHECK pinion_status pinion_generated_write(const pinion_generated *g, const char *folder,
                                                             pinion_error *err);

// ---------------------------------------------------------------------------------------------
// Loading it back

typedef struct pinion_compiled pinion_compiled; ///< a robot's code, compiled and loaded

/// Get one from pinion_compile_options_default().
typedef struct pinion_compile_options {
    const char *compiler; ///< a program's name or path; NULL: $CC if it is set, else cc, gcc, clang, the first there is
    const char *cache;    ///< folder of what was compiled; NULL: pinion below $XDG_CACHE_HOME or ~/.cache; "": none is
                          ///< kept
    uint64_t cache_bytes; ///< what that folder may take of the disk: beyond it goes what was not used for longest, but
                          ///< never what was compiled last. 0: no limit; default 1 GiB
    int states;           ///< the random states at which it must agree with the kernels before it is used; default 100
    int batch;            ///< nonzero (default): compiled for batches, too, in the lanes that this CPU has
    int (*stop)(void *user); ///< asked every 20 ms or so while the compiler runs; nonzero: it is killed, and the call
                             ///< fails with PINION_ERR_CALLBACK. NULL (default): nobody is asked
    void *stop_user;         ///< its argument
    uint32_t cookie;
} pinion_compile_options;

/// The defaults named above.
PINION_API pinion_compile_options pinion_compile_options_default(void);

/// Generates code for the model, compiles it with the system's C compiler for this CPU, loads it, and compares it with
/// the general kernels at random states. Runs a compiler, and then what it made: so it is never done unless it is asked
/// for, and the names in a model file become identifiers and comments before they reach the compiler. What was compiled
/// before is found by its contents in a folder that no one else can write to.
/// @param options  of pinion_codegen; `name` and `scalar` are not used. NULL for the defaults
/// @param compile  NULL for the defaults
/// @return NULL and the reason in `err`: no compiler, its message, or the quantity in which the results differ
PINION_API pinion_compiled *pinion_codegen_compile(const pinion_model *m, const pinion_codegen_options *options,
                                                   const pinion_compile_options *compile, pinion_error *err);
/// No workspace or batch may use it any more. NULL is allowed.
PINION_API void pinion_compiled_free(pinion_compiled *c);
/// What was generated; belongs to c.
PINION_API const pinion_generated *pinion_compiled_code(const pinion_compiled *c);

/// From here on the workspace's calls take the generated functions for what they compute (inverse dynamics, gravity,
/// bias, mass matrix, forward dynamics, frames, Jacobians), and the kernels for all else. Only with the model it was
/// made for: with any other, also one edited since, the kernels run. NULL: the kernels again.
PINION_API PINION_CHECK pinion_status pinion_work_use(pinion_work *w, const pinion_compiled *c);
PINION_API PINION_CHECK pinion_status pinion_work_f32_use(pinion_work_f32 *w, const pinion_compiled *c);
/// The same for batches, in both precisions. Rollouts keep the kernels.
PINION_API PINION_CHECK pinion_status pinion_batch_use(pinion_batch *b, const pinion_compiled *c);

PINION_END

#endif
