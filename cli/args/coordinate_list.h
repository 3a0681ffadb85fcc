/* Lists of coordinates on the command line: "0,1.57,0.1", or "shoulder=1.57,root.4=2". */
#ifndef PN_CLI_COORDINATE_LIST_H
#define PN_CLI_COORDINATE_LIST_H

#include "pinion/pinion.h"

/* Reads a list for an option (its name without dashes, for messages): as many numbers as there are
 * coordinates, or NAME=VALUE pairs, which change `x` where they say. NAME is a joint of one coordinate, or
 * JOINT.NUMBER from 0, as pinion_coordinate_name() writes them, with or without what is in front ("q."); a
 * comma, equals sign or backslash in it has a backslash before it. It may also be a joint of several, for velocities
 * and forces, a group of joints of the model, or a pattern of joints' names with * and ?: those that are named
 * themselves keep what they are given. Of "q" and "v" the list may also be the name of a state of the model.
 * @param what  "q" (nq numbers), "v" or "tau" (nv), or "actuator" (nu)
 * @param one   nonzero: a single number stands for all
 * Returns CLI_DONE or, after a message, CLI_USAGE or CLI_FAILED. */
int pn_cli_coordinates(const char *command, const char *option, const pinion_model *m, const char *what,
                       int one, const char *text, double *x);

/* The same for a part of a start: marks in `named` what pairs name, which is held when loops are closed. A list of
 * numbers alone, or a state, is a guess like any other. */
int pn_cli_start_coordinates(const char *command, const char *option, const pinion_model *m, const char *what,
                             const char *text, double *x, unsigned char *named);

/* The same for the forces of all joints, x [nv + loop_nv]: a list of nv numbers, or pairs, which may also
 * name joints that close loops. */
int pn_cli_torques(const char *command, const char *option, const pinion_model *m, const char *text,
                   double *x);

/* Makes the quaternions in q unit. Says so when one was off, and refuses one that is far off (more than a
 * percent), both naming `where` ("--q0"). Returns 0 after such a message. */
int pn_cli_normalize(const char *command, const char *where, const pinion_model *m, double *q);

#endif
