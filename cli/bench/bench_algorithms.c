/* What `pinion bench` times: any registered algorithm, by the problem that it solves. */
#include "cli/bench/bench.h"

static pinion_status inverse_dynamics(const bench_f64 *x)
{
    return pinion_inverse_dynamics_by(x->m, x->w, x->algorithm, x->q, x->v, x->a, NULL, x->out);
}

static pinion_status mass_matrix(const bench_f64 *x)
{
    return pinion_mass_matrix_by(x->m, x->w, x->algorithm, x->q, x->out);
}

static pinion_status mass_matrix_inverse(const bench_f64 *x)
{
    return pinion_mass_matrix_inverse_by(x->m, x->w, x->algorithm, x->q, x->out);
}

static pinion_status coriolis(const bench_f64 *x)
{
    return pinion_coriolis_by(x->m, x->w, x->algorithm, x->q, x->v, x->out);
}

static pinion_status forward_dynamics(const bench_f64 *x)
{
    return pinion_forward_dynamics_by(x->m, x->w, x->algorithm, x->q, x->v, x->tau, NULL, x->out);
}

/* Lambda, mu, p and the rest */
static pinion_status operational_space(const bench_f64 *x)
{
    double *o = x->out;
    const pinion_operational_parts out = {o, o + 36, o + 72, o + 78, o + 84};
    return pinion_operational_space_by(x->m, x->w, x->algorithm, x->q, x->v, x->frame, PINION_REFERENCE_WORLD_ALIGNED,
                                       &out);
}

static pinion_status factorization(const bench_f64 *x)
{
    return pinion_factorization_by(x->m, x->w, x->algorithm, x->q, x->out);
}

static pinion_status factorization_solve(const bench_f64 *x)
{
    return pinion_factorization_solve(x->m, x->w, x->algorithm, x->factors, x->tau, x->out);
}

static pinion_status factorization_multiply(const bench_f64 *x)
{
    return pinion_factorization_multiply(x->m, x->w, x->algorithm, x->factors, x->v, x->out);
}

/* three matrices of so many states, one behind the other */
static size_t matrix_size(const pinion_model *m, size_t count)
{
    return (size_t)pinion_model_nv(m) * (size_t)pinion_model_nv(m) * count;
}

static pinion_status d_inverse_dynamics(const bench_f64 *x)
{
    size_t n = matrix_size(x->m, 1);
    return pinion_d_inverse_dynamics_by(x->m, x->w, x->algorithm, x->q, x->v, x->a, NULL, x->out, x->out + n,
                                        x->out + 2 * n);
}

static pinion_status d_forward_dynamics(const bench_f64 *x)
{
    size_t n = matrix_size(x->m, 1);
    return pinion_d_forward_dynamics_by(x->m, x->w, x->algorithm, x->q, x->v, x->tau, NULL, x->out, x->out + n,
                                        x->out + 2 * n);
}

/* ------------------------------------------------------------------------------------------------ */
/* In batches */

#define MANY(name, ...)                                                                                      \
    static pinion_status batch_##name##_f64(const bench_f64 *x)                                              \
    {                                                                                                        \
        return pinion_batch_##name##_by(x->b, x->algorithm, x->count, __VA_ARGS__);                          \
    }                                                                                                        \
    static pinion_status batch_##name##_f32(const bench_f32 *x)                                              \
    {                                                                                                        \
        return pinion_batch_##name##_by_f32(x->b, x->algorithm, x->count, __VA_ARGS__);                      \
    }

MANY(inverse_dynamics, x->q, x->v, x->a, NULL, x->out)
MANY(mass_matrix, x->q, x->out)
MANY(mass_matrix_inverse, x->q, x->out)
MANY(coriolis, x->q, x->v, x->out)
MANY(forward_dynamics, x->q, x->v, x->tau, NULL, x->out)
MANY(d_inverse_dynamics, x->q, x->v, x->a, NULL, x->out, x->out + matrix_size(x->m, x->count),
     x->out + 2 * matrix_size(x->m, x->count))
MANY(d_forward_dynamics, x->q, x->v, x->tau, NULL, x->out, x->out + matrix_size(x->m, x->count),
     x->out + 2 * matrix_size(x->m, x->count))

#define BY(name, result)                                                                                     \
    {#name, #name, result, NEEDS_NOTHING, name, NULL, batch_##name##_f64, batch_##name##_f32}
#define BY_ALONE(name, result) {#name, #name, result, NEEDS_NOTHING, name, NULL, NULL, NULL}

const bench_call pn_cli_bench_by[PINION_PROBLEM_COUNT] = {
    [PINION_PROBLEM_INVERSE_DYNAMICS] = BY(inverse_dynamics, RESULT_NV),
    [PINION_PROBLEM_MASS_MATRIX] = BY(mass_matrix, RESULT_NV_NV),
    [PINION_PROBLEM_MASS_MATRIX_INVERSE] = BY(mass_matrix_inverse, RESULT_NV_NV),
    [PINION_PROBLEM_CORIOLIS] = BY(coriolis, RESULT_NV_NV),
    [PINION_PROBLEM_FORWARD_DYNAMICS] = BY(forward_dynamics, RESULT_NV),
    [PINION_PROBLEM_OPERATIONAL_SPACE] = BY_ALONE(operational_space, RESULT_SPACE),
    [PINION_PROBLEM_FACTORIZATION] = BY_ALONE(factorization, RESULT_FACTORS),
    [PINION_PROBLEM_D_INVERSE_DYNAMICS] = BY(d_inverse_dynamics, RESULT_3_NV_NV),
    [PINION_PROBLEM_D_FORWARD_DYNAMICS] = BY(d_forward_dynamics, RESULT_3_NV_NV),
};

/* with factors that were made before */
const bench_call pn_cli_bench_factors[] = {
    {"factorization_solve", "factorization_solve", RESULT_NV, NEEDS_FACTORS, factorization_solve, NULL, NULL,
     NULL},
    {"factorization_multiply", "factorization_multiply", RESULT_NV, NEEDS_FACTORS, factorization_multiply,
     NULL, NULL, NULL},
    {.name = NULL},
};
