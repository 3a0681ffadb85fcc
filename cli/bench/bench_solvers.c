/* What `pinion bench` times: solvers, one call in double. Closed loops (loops.h), the sparse system
 * (global.h, sparse.h), inverse kinematics (kinematics.h), forward dynamics with a frame that is held
 * (algorithms.h), derivatives of steps (rollout.h), and steps with contact (scene.h). */
#include "cli/bench/bench.h"
#include "pinion/research/global.h"
#include "pinion/rollout.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ */
/* Closed loops. RESULT_LOOPS is room for the largest of their results. */

static pinion_status constraints_at(const bench_f64 *x)
{
    const size_t rows = (size_t)pinion_model_row_count(x->m);
    const pinion_constraints out = {x->out, x->out + 3 * rows, x->out + rows, x->out + 2 * rows};
    return pinion_constraints_at(x->m, x->w, 0, x->q, x->v, &out);
}

static pinion_status loop_motion(const bench_f64 *x)
{
    return pinion_loop_motion(x->m, x->w, x->q, x->v, x->out, x->out + pinion_model_loop_nq(x->m));
}

static pinion_status loop_active_forces(const bench_f64 *x)
{
    return pinion_loop_active_forces(x->m, x->w, x->q, x->v, NULL, 1, x->out + 1, x->out);
}

static pinion_status loop_passive_forces(const bench_f64 *x)
{
    return pinion_loop_passive_forces(x->m, x->w, x->q, x->v, x->out);
}

/* of multipliers that are the first numbers of `tau`, over and over: any will do */
static pinion_status loop_reactions(const bench_f64 *x)
{
    const size_t rows = (size_t)pinion_model_row_count(x->m), nv = (size_t)pinion_model_nv(x->m),
                 bodies = (size_t)pinion_model_body_count(x->m);
    double *lambda = x->out, *f_ext = lambda + rows, *tau = f_ext + 6 * bodies, *wrench = tau + nv;
    for (size_t i = 0; i < rows; i++) lambda[i] = nv ? x->tau[i % nv] : 0;
    memset(f_ext, 0, (6 * bodies + nv) * sizeof(double));
    return pinion_loop_reactions(x->m, x->w, x->q, lambda, NULL, f_ext, tau, wrench);
}

static pinion_status loop_dynamics(const bench_f64 *x)
{
    pinion_loop_solution solution = {x->out + pinion_model_nv(x->m), 0, 0};
    return pinion_loop_dynamics(x->m, x->w, -1, NULL, x->q, x->v, x->tau, NULL, x->out, &solution);
}

static pinion_status d_loop_dynamics(const bench_f64 *x)
{
    const size_t nv = (size_t)pinion_model_nv(x->m), rows = (size_t)pinion_model_row_count(x->m);
    double *a = x->out, *lambda = a + 3 * nv * nv;
    pinion_loop_derivatives d = {.a_dq = a,
                                 .a_dv = a + nv * nv,
                                 .a_dtau = a + 2 * nv * nv,
                                 .lambda_dq = lambda,
                                 .lambda_dv = lambda + rows * nv,
                                 .lambda_dtau = lambda + 2 * rows * nv};
    return pinion_d_loop_dynamics(x->m, x->w, NULL, x->q, x->v, x->tau, NULL, &d);
}

static pinion_status delassus(const bench_f64 *x)
{
    return pinion_delassus(x->m, x->w, x->q, x->out);
}

static pinion_status loop_inverse_dynamics(const bench_f64 *x)
{
    return pinion_loop_inverse_dynamics(x->m, x->w, NULL, x->q, x->v, x->a, NULL, NULL, x->out,
                                        x->out + pinion_model_nv(x->m));
}

static pinion_status mobility_at(const bench_f64 *x)
{
    pinion_mobility mobility;
    const pinion_status status = pinion_mobility_at(x->m, x->w, 0, x->q, &mobility);
    x->out[0] = mobility.freedom;
    return status;
}

/* from a configuration near one that keeps the loops; in place, so that a copy is timed with it */
static pinion_status assemble(const bench_f64 *x)
{
    memcpy(x->out, x->near, (size_t)pinion_model_nq(x->m) * sizeof(double));
    return pinion_assemble(x->m, x->w, 0, NULL, x->out, NULL);
}

static pinion_status project_velocity(const bench_f64 *x)
{
    memcpy(x->out, x->tau, (size_t)pinion_model_nv(x->m) * sizeof(double));
    return pinion_project_velocity(x->m, x->w, 0, NULL, x->q, x->out);
}

static pinion_status project_acceleration(const bench_f64 *x)
{
    memcpy(x->out, x->tau, (size_t)pinion_model_nv(x->m) * sizeof(double));
    return pinion_project_acceleration(x->m, x->w, 0, NULL, x->q, x->v, x->out);
}

/* ------------------------------------------------------------------------------------------------ */
/* With loops and without */

static pinion_status global_system(const bench_f64 *x)
{
    pinion_global_size size;
    const pinion_status status = pinion_global_count(x->m, &size);
    if (status != PINION_OK) return status;
    double *rhs = x->out, *joints = rhs + size.unknowns, *value = joints + 7 * (size_t)pinion_model_nv(x->m);
    return pinion_global_system(x->m, x->w, 0, 0, x->q, x->v, x->tau, NULL, value, rhs, joints);
}

static pinion_status sparse_forward_dynamics(const bench_f64 *x)
{
    return pinion_sparse_forward_dynamics(x->sparse, NULL, x->q, x->v, x->tau, NULL, x->out, NULL);
}

/* the frame's origin is held where it is */
static const double held[18] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1}, still[3] = {0, 0, 0};

static pinion_status constrained_forward_dynamics(const bench_f64 *x)
{
    return pinion_constrained_forward_dynamics(x->m, x->w, x->q, x->v, x->tau, NULL, x->frame,
                                               PINION_ACCELERATION_CLASSICAL, 3, held, still, x->out,
                                               x->out + pinion_model_nv(x->m));
}

static pinion_status d_constrained_forward_dynamics(const bench_f64 *x)
{
    const size_t nv = (size_t)pinion_model_nv(x->m);
    double *a = x->out, *lambda = a + 3 * nv * nv;
    const pinion_constrained_derivatives d = {a,      a + nv * nv,     a + 2 * nv * nv,
                                              lambda, lambda + 3 * nv, lambda + 6 * nv};
    return pinion_d_constrained_forward_dynamics(x->m, x->w, x->q, x->v, x->tau, NULL, x->frame,
                                                 PINION_ACCELERATION_CLASSICAL, 3, held, still, &d);
}

static pinion_status d_step(const bench_f64 *x, pinion_step_method method)
{
    const size_t nv = (size_t)pinion_model_nv(x->m);
    return pinion_d_step(x->m, x->w, method, 1e-3, 0, x->q, x->v, x->tau, NULL, NULL, NULL, x->out,
                         x->out + 4 * nv * nv);
}
static pinion_status d_step_semi_implicit(const bench_f64 *x)
{
    return d_step(x, PINION_STEP_SEMI_IMPLICIT);
}
static pinion_status d_step_rk4(const bench_f64 *x)
{
    return d_step(x, PINION_STEP_RK4);
}

/* from q to where the frame is at `near`; also where that does not converge, which takes longest */
static pinion_status inverse_kinematics(const bench_f64 *x)
{
    memcpy(x->out, x->q, (size_t)pinion_model_nq(x->m) * sizeof(double));
    const pinion_status status =
        pinion_inverse_kinematics(x->m, x->w, x->frame, x->target, NULL, x->out, NULL);
    return status == PINION_ERR_CONVERGENCE ? PINION_OK : status;
}

static pinion_status contact_find(const bench_f64 *x)
{
    return pinion_scene_find(x->scene, x->w, x->stand);
}

/* a millisecond of a machine that stands, a little disturbed; with the accelerations that it begins with */
static pinion_status contact_step(const bench_f64 *x)
{
    const int nq = pinion_model_nq(x->m), nv = pinion_model_nv(x->m);
    double *next = x->out, *v = x->out + nq, *a = v + nv, *v_next = a + nv;
    for (int i = 0; i < nv; i++) v[i] = 0.01 * x->v[i];
    const pinion_status status = pinion_forward_dynamics(x->m, x->w, x->stand, v, x->stand + nq, NULL, a);
    return status ? status : pinion_scene_step(x->scene, x->w, 1e-3, x->stand, v, a, next, v_next, NULL);
}

const bench_call pn_cli_bench_solvers[] = {
    {"constraints_at", "loops", RESULT_LOOPS, NEEDS_LOOPS, constraints_at, NULL, NULL, NULL},
    {"loop_motion", "loops", RESULT_LOOPS, NEEDS_LOOPS, loop_motion, NULL, NULL, NULL},
    {"loop_active_forces", "loops", RESULT_LOOPS, NEEDS_LOOPS, loop_active_forces, NULL, NULL, NULL},
    {"loop_passive_forces", "loops", RESULT_LOOPS, NEEDS_LOOPS, loop_passive_forces, NULL, NULL, NULL},
    {"loop_reactions", "loops", RESULT_LOOPS, NEEDS_LOOPS, loop_reactions, NULL, NULL, NULL},
    {"loop_dynamics", "loops", RESULT_LOOPS, NEEDS_LOOPS, loop_dynamics, NULL, NULL, NULL},
    {"d_loop_dynamics", "loops", RESULT_HELD, NEEDS_LOOPS, d_loop_dynamics, NULL, NULL, NULL},
    {"loop_inverse_dynamics", "loops", RESULT_LOOPS, NEEDS_LOOPS, loop_inverse_dynamics, NULL, NULL, NULL},
    {"delassus", "loops", RESULT_LOOPS, NEEDS_LOOPS, delassus, NULL, NULL, NULL},
    {"mobility_at", "loops", RESULT_LOOPS, NEEDS_LOOPS, mobility_at, NULL, NULL, NULL},
    {"assemble", "loops", RESULT_LOOPS, NEEDS_LOOPS, assemble, NULL, NULL, NULL},
    {"project_velocity", "loops", RESULT_LOOPS, NEEDS_LOOPS, project_velocity, NULL, NULL, NULL},
    {"project_acceleration", "loops", RESULT_LOOPS, NEEDS_LOOPS, project_acceleration, NULL, NULL, NULL},
    {"global_system", "solvers", RESULT_GLOBAL, NEEDS_SPARSE, global_system, NULL, NULL, NULL},
    {"sparse_forward_dynamics", "solvers", RESULT_NV, NEEDS_SPARSE, sparse_forward_dynamics, NULL, NULL,
     NULL},
    {"constrained_forward_dynamics", "solvers", RESULT_LOOPS, NEEDS_NOTHING, constrained_forward_dynamics,
     NULL, NULL, NULL},
    {"d_constrained_forward_dynamics", "solvers", RESULT_HELD, NEEDS_NOTHING, d_constrained_forward_dynamics,
     NULL, NULL, NULL},
    {"d_step_semi_implicit", "simulation", RESULT_STEP, NEEDS_NOTHING, d_step_semi_implicit, NULL, NULL, NULL},
    {"d_step_rk4", "simulation", RESULT_STEP, NEEDS_NOTHING, d_step_rk4, NULL, NULL, NULL},
    {"inverse_kinematics", "solvers", RESULT_NQ, NEEDS_NOTHING, inverse_kinematics, NULL, NULL, NULL},
    {"contact_find", "contact", RESULT_NQ, NEEDS_CONTACT, contact_find, NULL, NULL, NULL},
    {"contact_step", "contact", RESULT_TWICE, NEEDS_CONTACT, contact_step, NULL, NULL, NULL},
    {.name = NULL},
};
