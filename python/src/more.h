/* What more.c and rollout.c add to the library in the form of its calls, for the table that generate.py
 * makes. */
#ifndef PN_PYTHON_MORE_H
#define PN_PYTHON_MORE_H

#include "binding.h"

/* A step with its derivatives, of many states: a rollout of one step. */
pinion_status pn_py_batch_d_step(pinion_batch *b, size_t count, pinion_step_method method, double dt,
                                 int passive, const double *q, const double *v, const double *tau,
                                 const double *f_ext, double *q_out, double *v_out, double *A, double *B);
pinion_status pn_py_batch_d_step_f32(pinion_batch *b, size_t count, pinion_step_method method, double dt,
                                     int passive, const float *q, const float *v, const float *tau,
                                     const float *f_ext, float *q_out, float *v_out, float *A, float *B);

/* Functions of the library whose arguments are in structures, or that add to what is there. */
pinion_status pn_py_force_on_frame(const pinion_model *m, int frame, const double *force, double *f_ext);
pinion_status pn_py_dynamics_terms(const pinion_model *m, pinion_work *w, const double *q, const double *v,
                                   double *M, double *bias, double *gravity, double *position,
                                   double *rotation);
pinion_status pn_py_batch_dynamics_terms(pinion_batch *b, size_t count, const double *q, const double *v,
                                         double *M, double *bias, double *gravity, double *position,
                                         double *rotation);
pinion_status pn_py_operational_space(const pinion_model *m, pinion_work *w, const double *q, const double *v,
                                      int frame, pinion_reference reference, double *inverse, double *Lambda,
                                      double *mu, double *p, double *Jbar);
pinion_status pn_py_actuator_forces(const pinion_model *m, const double *q, const double *tau, int limit,
                                    double *u, double *rest);
pinion_status pn_py_inverse_dynamics_rates(const pinion_model *m, const double *q, const double *v, const double *a,
                                           const double *jerk, const double *snap, double *tau, double *dtau,
                                           double *ddtau);
pinion_status pn_py_elastic_inverse_dynamics(const pinion_model *m, int passive, const double *q, const double *v,
                                             const double *a, const double *jerk, const double *snap, double *q_out,
                                             double *v_out, double *a_out, double *tau);
pinion_status pn_py_constraints_at(const pinion_model *m, pinion_work *w, double t, const double *q,
                                   const double *v, double *phi, double *L, double *rate, double *c);
pinion_status pn_py_loop_dynamics(const pinion_model *m, pinion_work *w, double t, int passive,
                                  const double *q, const double *v, const double *tau, const double *tau_loop,
                                  const double *f_ext, double *a, double *lambda);
pinion_status pn_py_d_loop_dynamics(const pinion_model *m, pinion_work *w, double t, int passive,
                                    const double *q, const double *v, const double *tau,
                                    const double *tau_loop, const double *f_ext, double *a_dq, double *a_dv,
                                    double *a_dtau, double *lambda_dq, double *lambda_dv,
                                    double *lambda_dtau);
pinion_status pn_py_loop_inverse_dynamics(const pinion_model *m, pinion_work *w, double t, int passive,
                                          const double *q, const double *v, const double *a,
                                          const double *tau_loop, const double *f_ext, double *tau,
                                          double *lambda);
pinion_status pn_py_loop_reactions(const pinion_model *m, pinion_work *w, const double *q,
                                   const double *lambda, const double *tau_loop, double *f_ext, double *tau,
                                   double *wrench);

#endif
