/* Steppers: one-step and multistep integrators of second-order systems on the configuration manifold,
 * behind one interface. Who drives one calls start, then step over and over; between the last two instants
 * the state can be had at any time from the dense output.
 *
 * The state is (q, v, z): configuration, velocity, and nz plain numbers that are integrated beside them:
 * first nx of which the rates depend, too (what actuators give), then quadratures (the work done on the system). q
 * moves on its manifold: each step works in a chart around the configuration where it began, see chart.h. Where the
 * system has a projection, the ends of all steps are projected, and so is what the dense output gives between them. */
#ifndef PN_SIM_STEPPER_H
#define PN_SIM_STEPPER_H

#include "pinion/sim/sim.h"

/* The system to integrate. Both functions depend on their arguments alone. Where they jump at an instant,
 * they have at that instant the values from there on, and a step ends there (pn_stepper_step). */
typedef struct pn_system {
    const pinion_model *m;
    int nq, nv, nz, nx;
    void *user;
    /* a = v' and zdot = z' at (t, q, v, z) */
    pinion_status (*rates)(void *user, double t, const double *q, const double *v, const double *z, double *a,
                           double *zdot);
    /* What multiplies v' and what it equals, for the methods that want the two apart (IDA, the variational
     * one): M [nv][nv], and the generalized force f [nv] = tau + J' f_ext + passive, without bias and
     * gravity of the rigid bodies; the model to take those from is m. M, f and zdot may be NULL. */
    pinion_status (*terms)(void *user, double t, const double *q, const double *v, const double *z, double *M,
                           double *f, double *zdot);
    /* Brings q and v onto the constraints of the system, from nearby; NULL: there are none. What fails leaves
     * them as they are. Not for ADAMS, VARIATIONAL and IDA. */
    pinion_status (*project)(void *user, double t, double *q, double *v);
    /* After project(), at the place where it led: takes from errors of q and v [nv], both as velocities are given,
     * what projecting removes anyway, by those constraints that are nearer than `below` to depending on the others.
     * Returns how near they are, in (0, 1]: 0 is a singular position. The errors may be NULL with `below` 0.
     * excuse is NULL where project is. */
    double (*excuse)(void *user, double below, double *q_error, double *v_error);
    /* A system whose law changes where the motion says so (a joint sticks): `modes` numbers say which law is in force,
     * and are part of the stepper's memory. The first `margins` of them have a margin each that stays above zero while
     * their law holds; where one falls below, the step ends and change() sets the modes anew, v where it must be zero,
     * too. With `first` it only takes from v what it can. 0: the law is always the same. */
    int modes, margins;
    double *mode;
    pinion_status (*margin)(void *user, double t, const double *q, const double *v, const double *z, double *out);
    pinion_status (*change)(void *user, double t, const double *q, double *v, const double *z, int first);
    /* [nx] Time constants of the first z, each of which goes to where it would settle: lag z' = settled - z, where
     * settled has nothing to do with z. So methods with fixed steps follow even shorter ones. NULL: not so. */
    const double *lag;
    /* Contact, of EULER alone: a step of length h with it from (q, v) at time t with the accelerations a without, and
     * the work that it does. NULL: none. */
    pinion_status (*contact)(void *user, double t, double h, const double *q, const double *v, const double *a,
                             double *q1, double *v1, double *work);
} pn_system;

typedef struct pn_stepper pn_stepper;

/* NULL with err filled on failure. The system is copied, and the options but for their pointers. */
pn_stepper *pn_stepper_new(const pn_system *system, const pinion_sim_options *options, pinion_error *err);
void pn_stepper_free(pn_stepper *s);

/* Puts it at an instant; z NULL: zero. */
pinion_status pn_stepper_start(pn_stepper *s, double t, const double *q, const double *v, const double *z);
/* Changes the law where the last step ended for that, which the next step does else: so that what is asked at its
 * end is the new one. */
pinion_status pn_stepper_settle(pn_stepper *s);
/* Whether the last step ended because the law changes there. */
int pn_stepper_switches(const pn_stepper *s);
/* One accepted step forwards. Its length does not depend on which instants are asked for in between, but
 * it does not pass `end` (where a run ends or an input is discontinuous; INFINITY: nowhere). In a step
 * that ends at `end` the system is asked up to the number before `end`, and the next step asks anew. After
 * a failure it is where it was. */
pinion_status pn_stepper_step(pn_stepper *s, double end);
/* The ends of the last step; both the start before the first. */
double pn_stepper_before(const pn_stepper *s);
double pn_stepper_now(const pn_stepper *s);
/* The state at a time between those two. q [nq], v [nv], z [nz]; each may be NULL. At the two ends exactly
 * the state there. */
pinion_status pn_stepper_at(pn_stepper *s, double t, double *q, double *v, double *z);
/* Goes back to an instant within the last step and starts anew from there (an event changed the system);
 * `before` and `now` are then both that instant. */
pinion_status pn_stepper_cut(pn_stepper *s, double t);

/* The last step, which ended at its `end`, is past: `before` is `now`. What comes next does not change. */
void pn_stepper_pause(pn_stepper *s);

/* Everything that the future depends on, as numbers; storing restarts methods that remember earlier steps. */
int pn_stepper_memory_size(const pn_stepper *s);
pinion_status pn_stepper_store(pn_stepper *s, double *memory);
pinion_status pn_stepper_restore(pn_stepper *s, const double *memory);

/* Whether storing restarts it after the last step; with `next` whether it would after the step to come. */
int pn_stepper_restarts(const pn_stepper *s, int next);
/* Of AUTO: steps that were BDF's, and how often it changed the method; else 0. */
void pn_stepper_changes(const pn_stepper *s, long *implicit_steps, long *changes);
void pn_stepper_counts(const pn_stepper *s, long *steps, long *refused, long *evaluations);
/* Of the last failure; "" when there is nothing to say. */
const char *pn_stepper_message(const pn_stepper *s);

#endif
