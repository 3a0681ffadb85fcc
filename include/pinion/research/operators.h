/// The global matrices of the papers, for teaching and for tests: whole, dense and slow, at one state.
///
/// Blocks of six rows or columns belong to the bodies 1, 2, ... of the model, in their order; the base has none.
/// Columns over velocities are the model's own, as in v. A joint of several degrees of freedom has so many columns,
/// a joint that follows another one adds to the column of that. Where a paper has a serial chain and j before i, a
/// tree has "j carries i".
///
/// Featherstone & Orin 2000, section 3.5: in absolute coordinates, motions and forces at the world's origin along the
/// world's axes. Saha 1999: twists and wrenches at the bodies' mass centres (of a body without mass: its link's
/// origin), along the world's axes.
#ifndef PINION_OPERATORS_H
#define PINION_OPERATORS_H

#include "pinion/dynamics.h"

PINION_BEGIN

typedef enum pinion_operator {
    PINION_OPERATOR_P = 0,  ///< P: incidence matrix, P_ii = 1, P_ij = -1 for j the parent of i
    PINION_OPERATOR_H,      ///< H: the joints' motion subspaces, block diagonal; P a = H qdd + ...
    PINION_OPERATOR_S,      ///< S = P^-1 H: all velocities from v, the Jacobians of the bodies
    PINION_OPERATOR_T,      ///< T: a basis of the constraint forces, T' S = 0; P' times one of each joint
    PINION_OPERATOR_I,      ///< I: the bodies' inertias, block diagonal; the mass matrix is S' I S + rotors
    PINION_OPERATOR_ROTORS, ///< rotors: what rotors add to the mass matrix, diagonal

    PINION_OPERATOR_N_L,           ///< N_l: twist propagation B_ij, block triangular, Eq. 17
    PINION_OPERATOR_N_D,           ///< N_d: joint-rate propagation p_i, block diagonal, Eq. 17
    PINION_OPERATOR_N,             ///< N = N_l N_d: the natural orthogonal complement, Eq. 16
    PINION_OPERATOR_M,             ///< M: the bodies' mass matrices, block diagonal, Eqs. 2, 4
    PINION_OPERATOR_M_TILDE,       ///< M_tilde = N_l' M N_l: composite bodies, Eqs. 22, 23
    PINION_OPERATOR_GIM,           ///< GIM = N' M N: the mass matrix without rotors, Eqs. 21, 24
    PINION_OPERATOR_OMEGA,         ///< Omega: angular velocities, block diagonal, Eqs. 2, 4
    PINION_OPERATOR_M_DOT,         ///< M_dot = diag(w x I, 0), as Eq. 8 defines it
    PINION_OPERATOR_N_L_DOT,       ///< N_l_dot: the derivative of N_l
    PINION_OPERATOR_N_D_DOT,       ///< N_d_dot: the derivative of N_d; Omega N_d but for universal joints, Eq. 26
    PINION_OPERATOR_N_DOT,         ///< N_dot = N_l_dot N_d + N_l N_d_dot
    PINION_OPERATOR_H_TILDE,       ///< H_tilde = N_l' M N_l_dot, Eqs. 27, 28
    PINION_OPERATOR_M_TILDE_DOT,   ///< M_tilde_dot = N_l' M_dot N_l, Eqs. 26, 27
    PINION_OPERATOR_M_TILDE_PRIME, ///< M_tilde_prime = H_tilde + M_tilde Omega + M_tilde_dot, Eq. 25
    PINION_OPERATOR_C,             ///< C = N' (M N_dot + M_dot N): convective terms, Eqs. 25, 29
    PINION_OPERATOR_COUNT
} pinion_operator;

/// "P", "N_l", ...; NULL out of range.
PINION_API const char *pinion_operator_name(pinion_operator op);
/// One line: what it is, and the equation; NULL out of range.
PINION_API const char *pinion_operator_text(pinion_operator op);
/// The operator of that name, -1 when there is none.
PINION_API int pinion_operator_find(const char *name);
/// How large it is: with n bodies beside the base, 6 n rows for most.
PINION_API PINION_CHECK pinion_status pinion_operator_size(const pinion_model *m, pinion_operator op, int *rows,
                                                           int *columns);
/// Computes one, [rows][columns]. v may be NULL: zero. Takes memory while it runs (PINION_ERR_MEMORY).
/// PINION_ERR_UNSUPPORTED for M_tilde_prime where a universal joint is: its first axis is not fixed in the body that it
/// moves, so that N_d_dot is not Omega N_d; C is right there too.
PINION_API PINION_CHECK pinion_status pinion_operator_matrix(const pinion_model *m, pinion_work *w,
                                                             pinion_operator op, const double *q,
                                                             const double *v, double *out);

PINION_END

#endif
