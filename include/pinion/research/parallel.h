/// Forward dynamics of one state on several processors: divide and conquer (Featherstone 1999) in parts that a caller
/// runs on threads of its own. The library starts none. A call is a row of phases; the items of a phase do not depend
/// on each other and may run anywhere and in any order, and a phase begins when the one before it is done:
///
///     pinion_parallel_begin(p, q, v, tau, NULL, a);
///     for (int phase = 0; phase < pinion_parallel_phases(p); phase++)
///         pinion_parallel_run(p, phase, 0, pinion_parallel_items(p, phase));    // or in pieces, on threads
///     status = pinion_parallel_end(p);
///
/// The result has the same bits however the items are dealt out, unless SIMD lanes are on. docs/parallel.md says when
/// it is worth it: for most robots it is not, and a batch of states is the better use of a machine.
#ifndef PINION_PARALLEL_H
#define PINION_PARALLEL_H

#include "pinion/model.h"

PINION_BEGIN

/// The plan of a model and the memory of one call at a time.
typedef struct pinion_parallel pinion_parallel;

/// For trees of every joint, without followers and loops. NULL and err on failure; err may be NULL. The model must
/// outlive it.
PINION_API pinion_parallel *pinion_parallel_new(const pinion_model *m, pinion_error *err);
PINION_API void pinion_parallel_free(pinion_parallel *p);
/// Nonzero: assemblies of one phase go side by side in SIMD lanes where their joints are alike. The last digits may
/// differ then: compilers fuse other products and sums in packs. Off at first. Returns how many lanes there are.
PINION_API int pinion_parallel_lanes(pinion_parallel *p, int on);

/// Begins a call, with the arguments of pinion_forward_dynamics; they must stay valid up to its end.
PINION_API PINION_CHECK pinion_status pinion_parallel_begin(pinion_parallel *p, const double *q, const double *v,
                                                            const double *tau, const double *f_ext, double *a);
/// How many phases a call has; the same for all calls.
PINION_API int pinion_parallel_phases(const pinion_parallel *p);
/// How many items a phase of the call that was begun has; 0 is possible.
PINION_API int pinion_parallel_items(const pinion_parallel *p, int phase);
/// Runs the items [first, end) of a phase. Any number of threads may do so at once, on other items.
PINION_API void pinion_parallel_run(pinion_parallel *p, int phase, int first, int end);
/// After the last phase: a is there. PINION_ERR_SINGULAR as for pinion_forward_dynamics.
PINION_API PINION_CHECK pinion_status pinion_parallel_end(pinion_parallel *p);

PINION_END

#endif
