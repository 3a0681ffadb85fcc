/* What `pinion bench` times: the calls of dynamics.h and dynamics_f32.h, their forms for batches, and
 * the steps of rollout.h. */
#include "cli/bench/bench.h"

#include "pinion/rollout.h"

#include <string.h>

#define TIME_STEP 1e-3

/* What has no row in the table of calls: name, group, what it gives, and its arguments after the model, which are also
 * those of the batch after the number of states. */
#define BENCH_CALLS                                                                                          \
    CALL_SPECIAL(dynamics_terms, "dynamics", RESULT_TERMS)                                                   \
    CALL_PLAIN(integrate, "configuration", RESULT_NQ, x->q, x->v, (REAL)TIME_STEP, x->out)                   \
    CALL_PLAIN(difference, "configuration", RESULT_NV, x->q, x->near, x->out)                                \
    CALL_SPECIAL(normalize, "configuration", RESULT_NQ)                                                      \
    BATCH_ONLY(step_semi_implicit, "simulation", RESULT_STATE)                                               \
    BATCH_ONLY(step_rk4, "simulation", RESULT_STATE)

#define REAL double
#define ARGS bench_f64
#define TERMS pinion_terms
#define NAME(x) x##_f64
#define API(x) pinion_##x
#define BATCH(x) pinion_batch_##x
#include "cli/bench/bench_calls.inc"
#undef REAL
#undef ARGS
#undef TERMS
#undef NAME
#undef API
#undef BATCH

#define REAL float
#define ARGS bench_f32
#define TERMS pinion_terms_f32
#define NAME(x) x##_f32
#define API(x) pinion_##x##_f32
#define BATCH(x) pinion_batch_##x##_f32
#include "cli/bench/bench_calls.inc"

/* what the loop around a call costs */
static pinion_status nothing(const bench_f64 *x)
{
    x->out[0] = x->q[0];
    return PINION_OK;
}

#define BATCH_ONLY(name, group, result)                                                                      \
    {#name, group, result, NEEDS_NOTHING, NULL, NULL, batch_##name##_f64, batch_##name##_f32},
#define CALL_SPECIAL(name, group, result)                                                                    \
    {#name, group, result, NEEDS_NOTHING, call_##name##_f64, call_##name##_f32, batch_##name##_f64,          \
     batch_##name##_f32},
#define CALL_PLAIN(name, group, result, ...) CALL_SPECIAL(name, group, result)

const bench_call pn_cli_bench_calls[] = {
    BENCH_CALLS {"nothing", "the loop around a call", RESULT_2, NEEDS_NOTHING, nothing, NULL, NULL, NULL},
    {.name = NULL},
};

const bench_call pn_cli_bench_quantity = {"",           "",           RESULT_QUANTITY,    NEEDS_NOTHING,
                                          quantity_f64, quantity_f32, batch_quantity_f64, batch_quantity_f32};
