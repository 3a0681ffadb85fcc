/// Closed loops: constraints, the motion they allow, and the forces that keep them (Featherstone & Orin 2000, section
/// 3.4). The spanning tree has the coordinates q, v, a and the forces tau; every loop adds rows to
///
///     phi(q, t) = 0                        position     (holonomic rows)
///     L(q) v = gdot(t)                     velocity     (all rows; L = d phi / d q)
///     L(q) a = c(q, v, t)                  acceleration
///     M a + h = tau + tau_a + J' f_ext + L' lambda
///
/// with tau_a the springs, dampers and motors of loop joints, and lambda the forces that keep the rows, in N or N m
/// (docs/loops.md lists the rows of every kind, their units and signs). g(t) are the laws of time of
/// drives, gears and distances. Rows may depend on each other: L need not have full rank.
///
/// Nothing here allocates. The workspace of pinion_work_new is enough for a model with loops, and holds what its
/// solvers need: some (nv + rows)^2 numbers. For a model without loops it takes them the first time they are needed.
#ifndef PINION_LOOPS_H
#define PINION_LOOPS_H

#include "pinion/dynamics.h"

PINION_BEGIN

// ---------------------------------------------------------------------------------------------
// The constraints themselves. Every pointer to a result may be NULL: not wanted. v may be NULL: zero.

typedef struct pinion_constraints {
    double *phi;  ///< [rows] how far each row is from closed; 0 for nonholonomic rows
    double *L;    ///< [rows][nv]
    double *rate; ///< [rows] L v - gdot
    double *c;    ///< [rows] what L a is to be
} pinion_constraints;

/// @param t  s, of the laws of time
PINION_API PINION_CHECK pinion_status pinion_constraints_at(const pinion_model *m, pinion_work *w, double t,
                                                            const double *q, const double *v,
                                                            const pinion_constraints *out);

/// In what velocities and rows are measured near q, so that nothing depends on the unit of length (docs/loops.md).
/// `unit`, [nv]: 1 for velocities that turn, for those that slide a length of the loops they are in, m. `size`, [rows]:
/// how long the rows of L could be, their entries times these units, whatever the axes of the joints look at: by the
/// levers round their loop; of gears and drives, whose rows are numbers of the model, how long they are. A row that is
/// far shorter is nearly zero, and one of 1e-13 of it is rounding. Either may be NULL.
PINION_API PINION_CHECK pinion_status pinion_constraint_sizes(const pinion_model *m, pinion_work *w, const double *q,
                                                              double *size, double *unit);

/// Coordinates and velocities of the loop joints, as their type has them: position [loop_nq], velocity [loop_nv].
/// An angle is in (-pi, pi]; a helical joint's is the one next to displacement / pitch, so it counts turns. They mean
/// something only where the loop is closed.
PINION_API PINION_CHECK pinion_status pinion_loop_motion(const pinion_model *m, pinion_work *w, const double *q,
                                                         const double *v, double *position, double *velocity);

/// tau_a [nv]: what the loop joints' own forces do to the coordinates of the tree.
/// @param tau_loop   [loop_nv] motors of the loop joints, or NULL
/// @param passive    nonzero: their springs, dampers and friction as well
/// @param potential  J, of the springs, 0 without `passive`; may be NULL
PINION_API PINION_CHECK pinion_status pinion_loop_active_forces(const pinion_model *m, pinion_work *w,
                                                                const double *q, const double *v,
                                                                const double *tau_loop, int passive,
                                                                double *tau_a, double *potential);

/// Derivatives of tau_a by q and v, [nv][nv], which may be NULL; tau_loop stays, and friction has none.
PINION_API PINION_CHECK pinion_status pinion_d_loop_active_forces(const pinion_model *m, pinion_work *w,
                                                                  const double *q, const double *v,
                                                                  const double *tau_loop, int passive, double *dq,
                                                                  double *dv);

/// What springs, dampers and friction of the loop joints exert along their own freedoms, [loop_nv]: the tau_loop of
/// what follows.
PINION_API PINION_CHECK pinion_status pinion_loop_passive_forces(const pinion_model *m, pinion_work *w, const double *q,
                                                                 const double *v, double *tau_loop);

/// The forces that keep the loops, as forces on bodies: what pinion_inverse_dynamics takes to find the reactions in the
/// joints of the tree.
/// @param f_ext   [nbody][6], added to; in the form of pinion_inverse_dynamics
/// @param tau     [nv], added to: what gears and drives do to the joints; the rest of L' lambda is in f_ext
/// @param tau_loop  [loop_nv] forces of the loop joints along their own freedoms (motors, and what else there acts), or
///                NULL; they are part of f_ext and of wrench
/// @param wrench  [loops][6] moment and force that the predecessor exerts on the successor through a loop joint (its
///                motors included), distance or rolling contact, in the joint's frame on the successor; else 0
PINION_API PINION_CHECK pinion_status pinion_loop_reactions(const pinion_model *m, pinion_work *w,
                                                            const double *q, const double *lambda,
                                                            const double *tau_loop, double *f_ext, double *tau,
                                                            double *wrench);

// ---------------------------------------------------------------------------------------------
// Dynamics

/// Get one from pinion_loop_options_default().
typedef struct pinion_loop_options {
    double t;         ///< s, of the laws of time; default 0
    double alpha;     ///< 1/s, Baumgarte: L a = c - 2 alpha rate - alpha^2 phi; default 0: none
    double tolerance; ///< rad, of the rank: rows that are nearer to dependent are so; default 0: docs/loops.md
    double proximal;  ///< of loop-proximal; default 0: found from the masses
    const double *tau_loop; ///< [loop_nv] motors of the loop joints; NULL: none
    int passive; ///< nonzero: springs, dampers and friction of loop joints act. Those of the tree come with tau in
                 ///< forward dynamics, and with this in inverse dynamics
    uint32_t cookie;
} pinion_loop_options;

/// t = 0, no stabilization, no motors; the rest is found from the model.
PINION_API pinion_loop_options pinion_loop_options_default(void);

/// What comes out beside the accelerations. Arrays may be NULL.
typedef struct pinion_loop_solution {
    double *lambda;  ///< [rows], of the least Euclidean norm
    int rank;        ///< of L, as the method found it; -1 where it does not find it
    double residual; ///< |L a - c|, the largest: more than rounding means that the rows contradict each other
} pinion_loop_solution;

/// Forward dynamics with loops. PINION_ERR_SINGULAR when M is singular on the motions that the loops allow.
/// At a singular position of the loops, or where they are open, it answers all the same: pinion_mobility_at() tells.
/// @param algorithm  one for loops (pinion_algorithm_find("loop-direct") ...), -1 for the default
/// @param solution   may be NULL
PINION_API PINION_CHECK pinion_status pinion_loop_dynamics(const pinion_model *m, pinion_work *w, int algorithm,
                                                           const pinion_loop_options *options, const double *q,
                                                           const double *v, const double *tau,
                                                           const double *f_ext, double *a,
                                                           pinion_loop_solution *solution);

/// Derivatives of forward dynamics with loops; row-major, result by row and variable by column. By q in the tangent
/// space, as pinion_d_inverse_dynamics has it. Arrays may be NULL: not wanted.
typedef struct pinion_loop_derivatives {
    double *a_dq, *a_dv, *a_dtau;                ///< [nv][nv]
    double *lambda_dq, *lambda_dv, *lambda_dtau; ///< [rows][nv]
    double *a, *lambda;                          ///< [nv], [rows] as pinion_loop_dynamics has them
    int rank;                                    ///< of L
} pinion_loop_derivatives;

/// The derivatives of pinion_loop_dynamics by q, v and tau, at the time and with the stabilization, motors and springs
/// of the options; motors and f_ext stay, the latter in their links' frames, and friction has none. They hold where the
/// rank of L stays: PINION_ERR_SINGULAR at a singular position, whose loop the message names, and when M is singular on
/// the motions that the loops allow. Where rows depend on each other only while the loops are closed, as in a Bricard
/// linkage, they are those along states that keep the loops.
PINION_API PINION_CHECK pinion_status pinion_d_loop_dynamics(const pinion_model *m, pinion_work *w,
                                                             const pinion_loop_options *options, const double *q,
                                                             const double *v, const double *tau,
                                                             const double *f_ext, pinion_loop_derivatives *out);

/// Derivatives of the constraints themselves, [rows][nv]: rate_dq of L v by q (by v it is L), a_dq and a_dv of L a - c
/// by q and v (by a it is L). v and a may be NULL: zero; results may be NULL: not wanted.
PINION_API PINION_CHECK pinion_status pinion_d_constraints(const pinion_model *m, pinion_work *w, const double *q,
                                                           const double *v, const double *a, double *rate_dq,
                                                           double *a_dq, double *a_dv);

/// Delassus' matrix L M^-1 L', [rows][rows].
PINION_API PINION_CHECK pinion_status pinion_delassus(const pinion_model *m, pinion_work *w, const double *q,
                                                      double *D);

/// Inverse dynamics with loops: forces of the actuated joints, of least norm where there are more than needed, and the
/// lambda that goes with them, of least norm as well. PINION_ERR_SINGULAR when the actuated joints cannot make the
/// motion (the message says by how much they fall short), PINION_ERR_ARGUMENT when a does not keep the loops.
/// @param actuated  [nv] nonzero: a force may act there; NULL: on every joint that the model does not call unactuated,
///                  or where the model lists its actuators, on those that they move
/// @param tau       [nv], 0 where nothing is actuated
PINION_API PINION_CHECK pinion_status pinion_loop_inverse_dynamics(const pinion_model *m, pinion_work *w,
                                                                   const pinion_loop_options *options,
                                                                   const double *q, const double *v,
                                                                   const double *a, const double *f_ext,
                                                                   const unsigned char *actuated, double *tau,
                                                                   double *lambda);

// ---------------------------------------------------------------------------------------------
// Configurations and velocities that keep the loops

typedef struct pinion_mobility {
    int rows;      ///< constraints
    int rank;      ///< of L at this configuration
    int redundant; ///< rows - rank
    int gruebler;  ///< nv - rows: what counting says
    int freedom;   ///< nv - rank: what the configuration says
    double doubt;  ///< rad; 0: the rank is certain. Else a row is independent of the others by no more than this, which
                   ///< is below 5e-3: the position is nearly singular, and algorithms may disagree
    int doubt_loop; ///< the loop that row belongs to; -1: none
    int rounded;   ///< nonzero: doubt is below 2e-5 and the same wherever the loops move, as with rounded data: the row
                   ///< does not count
    int singular;  ///< nonzero: motions of several kinds meet here, or none is possible: the rank is another one
                   ///< nearby. Accelerations are then those by the rank here, which a motion through it need not have
    int singular_loop; ///< the loop that makes it so; -1: none
    double open;   ///< the largest |phi|, or the angle by which a loop joint is turned out of its place if above 1 rad
    int open_loop; ///< the loop it belongs to; -1 without rows
} pinion_mobility;

/// Counts rows and degrees of freedom at a configuration, best one that keeps the loops, and says what may be wrong
/// with it for forward dynamics, which answers everywhere: derivatives are refused where it is singular.
PINION_API PINION_CHECK pinion_status pinion_mobility_at(const pinion_model *m, pinion_work *w, double t,
                                                         const double *q, pinion_mobility *out);

/// What assembling found.
typedef struct pinion_assembly {
    int iterations;
    double open;    ///< the largest |phi| that is left
    int worst;      ///< the loop it belongs to; -1 without loops
    double moved;   ///< norm of the way from the guess, in the tangent space: rad, what slides in its `unit` there
    double doubt;   ///< rad; 0: none. Rows are independent of the others by so little wherever the loops move, or
                    ///< contradict them by so little, as with rounded data: they do not count, and may stay open
    int doubt_loop; ///< the loop one of them belongs to; -1: none
} pinion_assembly;

/// The nearest configuration that keeps the loops, of those that a bounded search finds (docs/loops.md).
/// PINION_ERR_CONVERGENCE when it finds none: q is then the best that was found, and the message says which loop stays
/// open, and by how much.
/// @param locked  [nv] nonzero: that velocity's coordinate stays as it is; NULL: none
/// @param q       [nq] a guess, replaced
/// @param report  may be NULL
PINION_API PINION_CHECK pinion_status pinion_assemble(const pinion_model *m, pinion_work *w, double t,
                                                      const unsigned char *locked, double *q,
                                                      pinion_assembly *report);

/// The nearest velocity, by kinetic energy, that keeps the loops. `locked` as above: those velocities stay as they are,
/// and PINION_ERR_CONVERGENCE says that the loops cannot move so.
PINION_API PINION_CHECK pinion_status pinion_project_velocity(const pinion_model *m, pinion_work *w, double t,
                                                              const unsigned char *locked, const double *q,
                                                              double *v);

/// The nearest acceleration, by the same measure, that keeps the loops: L a = c. `locked` likewise.
PINION_API PINION_CHECK pinion_status pinion_project_acceleration(const pinion_model *m, pinion_work *w, double t,
                                                                  const unsigned char *locked, const double *q,
                                                                  const double *v, double *a);

PINION_END

#endif
