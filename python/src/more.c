/* Functions of the library whose arguments are in structures, in the form of its calls. */
#include "more.h"

#include <string.h>

pinion_status pn_py_force_on_frame(const pinion_model *m, int frame, const double *force, double *f_ext)
{
    memset(f_ext, 0, 6 * (size_t)pinion_model_body_count(m) * sizeof *f_ext);
    return pinion_force_on_frame(m, frame, force, f_ext);
}

static pinion_terms terms_of(double *M, double *bias, double *gravity, double *position, double *rotation)
{
    return (pinion_terms){
        .M = M, .bias = bias, .gravity = gravity, .position = position, .rotation = rotation};
}

pinion_status pn_py_dynamics_terms(const pinion_model *m, pinion_work *w, const double *q, const double *v,
                                   double *M, double *bias, double *gravity, double *position,
                                   double *rotation)
{
    pinion_terms terms = terms_of(M, bias, gravity, position, rotation);
    return pinion_dynamics_terms(m, w, q, v, &terms);
}

pinion_status pn_py_batch_dynamics_terms(pinion_batch *b, size_t count, const double *q, const double *v,
                                         double *M, double *bias, double *gravity, double *position,
                                         double *rotation)
{
    pinion_terms terms = terms_of(M, bias, gravity, position, rotation);
    return pinion_batch_dynamics_terms(b, count, q, v, &terms);
}

pinion_status pn_py_operational_space(const pinion_model *m, pinion_work *w, const double *q, const double *v,
                                      int frame, pinion_reference reference, double *inverse, double *Lambda,
                                      double *mu, double *p, double *Jbar)
{
    pinion_operational_parts parts = {inverse, Lambda, mu, p, Jbar};
    return pinion_operational_space(m, w, q, v, frame, reference, &parts);
}

pinion_status pn_py_actuator_forces(const pinion_model *m, const double *q, const double *tau, int limit,
                                    double *u, double *rest)
{
    pinion_allocation *x = pinion_allocation_new(m);
    pinion_status status = x ? pinion_allocation_forces(x, q, tau, limit, u, rest) : PINION_ERR_MEMORY;
    pinion_allocation_free(x);
    return status;
}

pinion_status pn_py_inverse_dynamics_rates(const pinion_model *m, const double *q, const double *v, const double *a,
                                           const double *jerk, const double *snap, double *tau, double *dtau,
                                           double *ddtau)
{
    pinion_elastic_joints *x = pinion_elastic_joints_new(m);
    pinion_status status =
        x ? pinion_inverse_dynamics_rates(x, q, v, a, jerk, snap, tau, dtau, ddtau) : PINION_ERR_MEMORY;
    pinion_elastic_joints_free(x);
    return status;
}

/* numbers that are given, or zeros */
static void copy_or_zero(int count, const double *from, double *to)
{
    for (int i = 0; i < count; i++) to[i] = from ? from[i] : 0;
}

pinion_status pn_py_elastic_inverse_dynamics(const pinion_model *m, int passive, const double *q, const double *v,
                                             const double *a, const double *jerk, const double *snap, double *q_out,
                                             double *v_out, double *a_out, double *tau)
{
    pinion_elastic_joints *x = pinion_elastic_joints_new(m);
    copy_or_zero(pinion_model_nq(m), q, q_out);
    copy_or_zero(pinion_model_nv(m), v, v_out);
    copy_or_zero(pinion_model_nv(m), a, a_out);
    pinion_status status =
        x ? pinion_elastic_joints_inverse_dynamics(x, passive, q_out, v_out, a_out, jerk, snap, tau)
          : PINION_ERR_MEMORY;
    pinion_elastic_joints_free(x);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Closed loops */

pinion_status pn_py_constraints_at(const pinion_model *m, pinion_work *w, double t, const double *q,
                                   const double *v, double *phi, double *L, double *rate, double *c)
{
    pinion_constraints out = {phi, L, rate, c};
    return pinion_constraints_at(m, w, t, q, v, &out);
}

static pinion_loop_options loop_options(double t, int passive, const double *tau_loop)
{
    pinion_loop_options o = pinion_loop_options_default();
    o.t = t;
    o.passive = passive;
    o.tau_loop = tau_loop;
    return o;
}

pinion_status pn_py_loop_dynamics(const pinion_model *m, pinion_work *w, double t, int passive,
                                  const double *q, const double *v, const double *tau, const double *tau_loop,
                                  const double *f_ext, double *a, double *lambda)
{
    pinion_loop_options o = loop_options(t, passive, tau_loop);
    pinion_loop_solution solution = {.lambda = lambda};
    return pinion_loop_dynamics(m, w, -1, &o, q, v, tau, f_ext, a, &solution);
}

pinion_status pn_py_d_loop_dynamics(const pinion_model *m, pinion_work *w, double t, int passive,
                                    const double *q, const double *v, const double *tau,
                                    const double *tau_loop, const double *f_ext, double *a_dq, double *a_dv,
                                    double *a_dtau, double *lambda_dq, double *lambda_dv, double *lambda_dtau)
{
    pinion_loop_options o = loop_options(t, passive, tau_loop);
    pinion_loop_derivatives out = {.a_dq = a_dq,
                                   .a_dv = a_dv,
                                   .a_dtau = a_dtau,
                                   .lambda_dq = lambda_dq,
                                   .lambda_dv = lambda_dv,
                                   .lambda_dtau = lambda_dtau};
    return pinion_d_loop_dynamics(m, w, &o, q, v, tau, f_ext, &out);
}

pinion_status pn_py_loop_inverse_dynamics(const pinion_model *m, pinion_work *w, double t, int passive,
                                          const double *q, const double *v, const double *a,
                                          const double *tau_loop, const double *f_ext, double *tau,
                                          double *lambda)
{
    pinion_loop_options o = loop_options(t, passive, tau_loop);
    return pinion_loop_inverse_dynamics(m, w, &o, q, v, a, f_ext, NULL, tau, lambda);
}

pinion_status pn_py_loop_reactions(const pinion_model *m, pinion_work *w, const double *q,
                                   const double *lambda, const double *tau_loop, double *f_ext, double *tau,
                                   double *wrench)
{
    memset(f_ext, 0, 6 * (size_t)pinion_model_body_count(m) * sizeof *f_ext);
    memset(tau, 0, (size_t)pinion_model_nv(m) * sizeof *tau);
    return pinion_loop_reactions(m, w, q, lambda, tau_loop, f_ext, tau, wrench);
}
