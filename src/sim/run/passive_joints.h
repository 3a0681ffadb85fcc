/* What joints exert by themselves, for simulation: dampers, springs, Coulomb friction without its jump, and
 * stops at the limits; and elastic links along their modes.
 *
 * Away from v = 0 the dampers, springs and friction are those of pinion_passive_forces(), those of followers
 * included: a follower's elements act at its own coordinate, and through its multiplier on its leader. Near v
 * = 0 friction is smoothed, friction tanh(v / friction_speed). */
#ifndef PN_SIM_PASSIVE_H
#define PN_SIM_PASSIVE_H

#include "pinion/model.h"

typedef struct pn_passive pn_passive; /* immutable: any number of threads may use one */

typedef struct pn_passive_options {
    int elements;          /* nonzero: dampers, springs and friction act */
    double friction_speed; /* rad/s or m/s, >= 0; 0: friction jumps, as in pinion_passive_forces() */
    int stops;             /* nonzero: limits are stops */
    double stop_stiffness; /* k, N m/rad or N/m, >= 0 */
    double stop_damping;   /* c, N m s/rad or N s/m, >= 0 */
    int frictionless;      /* nonzero: no friction, which stiction.h has then */
} pn_passive_options;

/* Takes from the model what it needs; the model may go. NULL with `err` (which may be NULL) filled on
 * failure. */
pn_passive *pn_passive_new(const pinion_model *m, const pn_passive_options *options, pinion_error *err);
/* The same of the joints that close loops: q, v and tau are then theirs, as in pinion_loop_motion(). */
pn_passive *pn_passive_new_of_loops(const pinion_model *m, const pn_passive_options *options,
                                    pinion_error *err);
int pn_passive_is_empty(const pn_passive *p); /* nothing ever acts */
void pn_passive_free(pn_passive *p);          /* NULL is allowed */

/* At a state: tau is added to, potential and power are set; each may be NULL.
 *
 * A stop beyond which a coordinate is by d > 0 presses back with max(0, k d + c d'). There are stops at the
 * finite limits of all joints but spherical and free ones, whose coordinates are no angles. The potential is
 * that of springs and stops, k (q - rest)^2 / 2 (of a ball k angle^2 / 2) and k d^2 / 2; the power is that of
 * everything else: dampers, friction, and what a stop exerts beside its spring. */
void pn_passive_forces(const pn_passive *p, const double *q, const double *v, double *tau, double *potential,
                       double *power);

#endif
