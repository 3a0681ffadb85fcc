/// A model near a state: the linear system x' = A x + B u, its modes, and states of rest. Part of the library
/// pinion_sim.
///
/// x is [delta; w]: delta moves the configuration in the tangent space, q (+) delta, with delta in the child
/// frame of each joint, and w is the change of v. With closed loops both are those of independent velocities,
/// from which the others follow. u is the change of what is asked of the actuators (pinion/actuators.h). Dampers and
/// springs act. Where actuators have dynamics, x goes on with z: the change of what each one with a lag or the
/// inductance of a motor gives, the voltage sufficing, and PINION_LINEAR_DELAY states of a Pade approximation of
/// each delay, which is good to a thousandth of a turn while the delay is no more than a third of a period.
#ifndef PINION_LINEARIZE_H
#define PINION_LINEARIZE_H

#include "pinion/sim/forces.h"

PINION_BEGIN

#define PINION_LINEAR_DELAY 4 ///< states of a delay

typedef struct pinion_linear {
    int freedom; ///< n, independent velocities
    int states;  ///< N = 2 n, and those of actuators
    int inputs;  ///< nu, the model's actuators
    const int *velocity;  ///< [n] the model's velocity that each one is
    const int *input;     ///< [nu] the model's velocity that each one acts on; -1: on several, or on a frame
    const double *A;      ///< [N][N]
    const double *B;      ///< [N][nu]
    const int *actuator;  ///< [N - 2 n] whose state it is, of each state of actuators
    const int *part;      ///< [N - 2 n] -1: the force that it gives; else which one of its delay
    const double *a;      ///< [nv] the acceleration at the state itself: 0 where it is one of rest
    const double *motion; ///< [nv][n] all velocities for the independent ones
    double
        friction; ///< the largest Coulomb friction of a joint at rest: it has no derivative, and is left out
    double loss;  ///< what entries of A are about uncertain by, since loops are closed but for rounding: much near
                  ///< singular positions; INFINITY: there is no telling. 0 without loops
} pinion_linear;

/// At q [nq], v [nv] and tau [nv]; v and tau may be NULL: zero. What actuators on frames give of tau turns with
/// these. With loops q and v are to keep them. Laws of time stand as at t = 0. To be released with
/// pinion_linear_free(); NULL with `err` filled on failure, PINION_ERR_SINGULAR where no acceleration belongs to
/// the state, or loops are at a singular position.
PINION_API pinion_linear *pinion_linearize(const pinion_model *m, const double *q, const double *v,
                                           const double *tau, pinion_error *err);
/// The same with force elements, as they act at the instant t; NULL: none. They were made for `m`, and their
/// derivatives are exact (pinion_d_forces): PINION_ERR_UNSUPPORTED where one is a function.
PINION_API pinion_linear *pinion_linearize_with(const pinion_model *m, pinion_forces *forces, double t,
                                                const double *q, const double *v, const double *tau,
                                                pinion_error *err);
PINION_API void pinion_linear_free(pinion_linear *l); ///< NULL is allowed

/// Eigenvalues of A, by frequency, conjugate ones beside each other, and their vectors of length 1.
/// @param value   [N][2] real and imaginary part
/// @param vector  [N][N][2], one a row; NULL: not wanted
PINION_API PINION_CHECK pinion_status pinion_linear_modes(const pinion_linear *l, double *value,
                                                          double *vector);

/// The state of rest to which the model sinks from q as if through honey, under the forces tau [nv] (NULL:
/// zero), gravity and springs: a stable one, unless q is at rest already. PINION_ERR_CONVERGENCE when there
/// is none in reach: q is then the best that was found, and the message says which joint still moves. A model
/// with loops is closed first.
PINION_API PINION_CHECK pinion_status pinion_equilibrium(const pinion_model *m, const double *tau, double *q,
                                                         pinion_error *err);

PINION_END

#endif
