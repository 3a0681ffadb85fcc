/* Rotations as files of robots have them. */
#ifndef PN_ROTATION_H
#define PN_ROTATION_H

/* R = Rz(yaw) Ry(pitch) Rx(roll) */
void pn_rotation_of_rpy(const double rpy[3], double R[9]);
/* I = R I' R', both symmetric as xx, xy, xz, yy, yz, zz. */
void pn_turn_inertia(const double R[9], double inertia[6]);

#endif
