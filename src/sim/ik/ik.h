/* Small pieces of inverse kinematics that straight lines also need. Private to src/sim. */
#ifndef PN_SIM_IK_H
#define PN_SIM_IK_H

#include "pinion/sim/kinematics.h"

/* PINION_OK for options that may be used. */
pinion_status pn_ik_check(const pinion_ik_options *options);

/* Whether it is finite and its rotation one, as exactly as the tolerances need it. */
int pn_ik_is_pose(const pinion_pose *pose);

/* What is missing to the target, world axes: e[0..2] the rotation vector of R_target R', e[3..5] the way. */
void pn_ik_error(const pinion_pose *target, const double position[3], const double rotation[9], double e[6]);
/* Lengths of the two parts over the directions that have a weight. */
void pn_ik_lengths(const double e[6], const double weight[6], double *position, double *orientation);

/* The limits of the coordinates in q, followers' included; infinite for quaternions, a free joint's position,
 * and where there is none. */
void pn_ik_limits(const pinion_model *m, double *lower /*[nq]*/, double *upper /*[nq]*/);
/* The first coordinate outside its limits by more than the tolerance, -1 if none. */
int pn_ik_outside(int nq, const double *q, const double *lower, const double *upper, double tolerance);
/* The name of the joint that a coordinate belongs to. */
const char *pn_ik_joint_name(const pinion_model *m, int coordinate);

/* A singular value decomposition A = U' S V of a matrix with few rows, by rotations of its rows (Hestenes
 * 1958), which finds small singular values as exactly as large ones. A [rows][n] becomes V with rows of
 * length 1 (zero where s is), U is [rows][rows], s descending. */
void pn_svd(int rows, int n, double *A, double *U, double *s);

#endif
