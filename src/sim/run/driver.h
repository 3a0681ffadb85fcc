/* What the files of the simulation driver share: the plant (the system that steppers integrate), the events
 * along its motion, and the simulation that holds them together. */
#ifndef PN_SIM_INTERNAL_H
#define PN_SIM_INTERNAL_H

#include "io/model_io.h"
#include "pinion/scene.h"
#include "sim/run/passive_joints.h"
#include "pinion/elements.h"
#include "pinion/sim/sparse.h"
#include "sim/run/project.h"
#include "sim/run/stiction.h"
#include "sim/stepper/stepper.h"

#define PN_COOKIE_SIM 0x73696d6fu
#define PN_COOKIE_EVENT 0x65766e74u

/* ---------------------------------------------------------------------------------------------
 * Closed loops: what acts in their joints, and what keeps them closed. plant_loops.c */

/* A row whose right-hand side moves: g(t), or for a distance l g + g^2/2 by l. */
typedef struct pn_law {
    int row;
    double length; /* 0: not a distance */
    pinion_motion motion;
} pn_law;

typedef struct pn_loops {
    int rows, nq, nv;        /* constraints; coordinates and velocities of the loop joints */
    int algorithm;           /* -1: the default */
    int is_sparse;           /* by the sparse solver, pinion/sim/sparse.h */
    pinion_sparse *sparse;   /* made for one model */
    const pinion_model *sparse_for;
    int projects;            /* steps end on the constraints */
    pinion_torque_fn torque; /* NULL: no motors */
    void *torque_user;
    pn_passive *passive; /* NULL: nothing */
    pn_projection *projection;
    pinion_loop_options options; /* t and tau_loop are set at each evaluation */
    pn_law *law;
    int laws;
    double *memory;              /* of the arrays that follow */
    double *position, *velocity; /* [nq], [nv] */
    double *tau;                 /* [nv] */
    double *phi;                 /* [rows] */
    double *lambda;              /* [rows] */
    double *size, *unit;         /* [rows], [velocities of the model]: pinion_constraint_sizes */
} pn_loops;

/* NULL with `err` filled on failure. */
/* Whether the algorithm is kkt-sparse on a model with loops, whose equations go to the sparse solver. */
int pn_loops_are_sparse(int algorithm, const pinion_model *m);
pn_loops *pn_loops_new(const pinion_model *m, const pinion_sim_options *options, pinion_error *err);
void pn_loops_free(pn_loops *l); /* NULL is allowed */

/* l->tau at a state, and the power of what in it has no potential. */
pinion_status pn_loops_load(pn_loops *l, const pinion_model *m, pinion_work *w, double t, const double *q,
                            const double *v, double *power);
/* The accelerations once pn_loops_load() was called, and the power of the constraints that move. */
pinion_status pn_loops_accelerate(pn_loops *l, const pinion_model *m, pinion_work *w, double t,
                                  const double *q, const double *v, const double *tau, const double *f_ext,
                                  double *a, double *power);
/* The potential of springs and stops in loop joints. */
pinion_status pn_loops_potential(pn_loops *l, const pinion_model *m, pinion_work *w, const double *q,
                                 double *potential);
/* How far the loops are from closed, and with v not NULL how fast they open. With `share`, which may be NULL, the most
 * of what a row could be as well (of rates: at the fastest velocity, at least 1), and the loop that it is in. */
pinion_status pn_loops_open(pn_loops *l, const pinion_model *m, pinion_work *w, double t, const double *q,
                            const double *v, double *open, double *share, int *loop);

/* ---------------------------------------------------------------------------------------------
 * The plant: a model with all that acts on it. plant.c */

/* An actuator with dynamics, servo.c. */
typedef struct pn_servo {
    int actuator, state; /* in u; in z, -1: none */
    double time_constant;
    pinion_actuator_info info;
} pn_servo;

/* What was asked of actuators with a delay of this length, delay.c. */
typedef struct pn_delay {
    double delay;
    int at, room; /* where its ring begins in p->hold, and how many entries it has */
} pn_delay;

#define PN_DELAY_MOST 1000000 /* entries of a ring */

typedef struct pn_plant {
    const pinion_model *m;    /* as the caller gave it */
    const pinion_model *body; /* with the added mass of the force elements: accelerations, energies */
    pinion_model *weightless; /* a copy without gravity, for J' f alone; NULL unless it is needed */
    pinion_sim_options options;
    pn_passive *passive; /* NULL: nothing */
    pinion_elements *elements; /* tendons and the like; NULL: there are none, or they do not act */
    pn_loops *loops;     /* NULL: none */
    pn_stiction *stiction; /* of exact friction; NULL: none */
    pinion_scene *scene;   /* of contact; NULL: none */
    pinion_scene *shown;   /* the same for rows: forces of least norm, which steps do without */
    pinion_contact_totals totals;
    int tendon_stops; /* nonzero: with contact, limits of tendons are stops */
    double *implicit; /* room of dampers that steps with contact take at their end; NULL: there are none */
    pinion_work *w;
    int nq, nv, nu, bodies;
    int nx;          /* how many actuators' forces are part of the state: the first of z, before the work */
    pn_servo *servo; /* [servos] actuators that do not give at once what is asked of them */
    int servos;
    double *memory; /* of the arrays that follow */
    double *motor;  /* [nv] of the controller */
    double *u;      /* [nu] of the actuators: what is asked of them, then what they give */
    double *zdot;   /* [nx] */
    double *lag;    /* [nx] their time constants */
    double *hold;   /* what was asked for earlier: hold.c, delay.c; NULL: nothing */
    int held;       /* how many numbers that is */
    int sampled;    /* control is */
    int steady;     /* what actuators do to the joints depends on what is held alone */
    int driven;     /* p->motor is that of p->u */
    double *senses; /* in hold: what sensors read, sense.c */
    double *seen_q, *seen_v; /* [nq], [nv] what a sampled controller sees */
    pn_delay *delay;
    int delays;
    double *tau;    /* [nv] motor and passive elements */
    double *turned; /* [nv] J' f */
    double *braked; /* [nv] of the dampers of tendons */
    double *f_ext;  /* [bodies][6] */
    char message[256];
} pn_plant;

/* Frees what it made when it fails. */
pinion_status pn_plant_init(pn_plant *p, const pinion_model *m, const pinion_sim_options *options,
                            pinion_error *err);
void pn_plant_free(pn_plant *p);
/* Looks at the force elements again: some may have been added. */
pinion_status pn_plant_refresh(pn_plant *p);
/* plant_contact.c: the scene anew, as the options say; a step with it, for a pn_system. */
pinion_status pn_plant_touch(pn_plant *p, pinion_error *err);
/* Accelerations a of a step of length h with dampers D of joints taken at its end: (M + h D) x = M a. However strong
 * they are, velocities do not grow by them. The same of tendons that have stops, with their stiffness K:
 * (M + h D + h^2 K) x = M a - h K v. Leaves a where there are none. Contact goes by M + h D from here on. */
pinion_status pn_plant_brake(pn_plant *p, double h, const double *q, const double *v, const double **a);
pinion_status pn_plant_contact(void *user, double t, double h, const double *q, const double *v, const double *a,
                               double *q1, double *v1, double *work);
/* The system for a stepper; it belongs to the plant. The state has what actuators give, of those with dynamics; one
 * number is integrated beside it, the work of all that is not in the potential. */
pn_system pn_plant_system(pn_plant *p);
/* Kinetic energy and the potential of gravity, springs, stops and force elements. */
pinion_status pn_plant_energy(pn_plant *p, double t, const double *q, const double *v, double *kinetic,
                              double *potential);
/* Says that the torques cannot be computed; returns the status. */
pinion_status pn_plant_no_torques(pn_plant *p, pinion_status status);

/* Sampled control, hold.c: its forces at a time within the last step, and the next instant at which something happens.
 * start and at ask for forces, the latter where that is due. hold_init counts p->held. */
pinion_status pn_hold_init(pn_plant *p, pinion_error *err);
int pn_hold_size(const pn_plant *p); /* of those, what sampled control has, at the beginning */
const double *pn_hold_forces(const pn_plant *p, double t);
double pn_hold_next(const pn_plant *p);
/* What is asked of the actuators at a time, in p->u. */
pinion_status pn_hold_ask(pn_plant *p, double t, const double *q, const double *v);
pinion_status pn_hold_start(pn_plant *p, double t, const double *q, const double *v, const double *z);
pinion_status pn_hold_at(pn_plant *p, double t, const double *q, const double *v, const double *z);
/* Whether what came from a file can be what is held at time t. */
int pn_hold_fits(const pn_plant *p, double t);
/* Delays, delay.c. new lists p->delay and returns how many numbers are held with theirs, -1 when out of memory,
 * -2 - k when actuator k has too many samples. Sampled control sends its forces when they change. */
int pn_delays_new(pn_plant *p, int held);
void pn_delays_send(pn_plant *p, double t, const double *asked);
/* Otherwise what is asked for is recorded at the instant due. Where it jumps or has a kink of an order (0: it jumps), a
 * piece ends with what it was, and one begins with what it is. `until`: no other begins earlier than `end`. */
double pn_delays_due(const pn_plant *p);
/* Whether an actuator is at another effort limit than when it was recorded last, and when that was. */
int pn_delays_switched(const pn_plant *p, const double *asked, double *since);
pinion_status pn_delays_record(pn_plant *p, double t, const double *asked);
pinion_status pn_delays_end(pn_plant *p, double t, const double *asked);
pinion_status pn_delays_begin(pn_plant *p, double t, int order, const double *asked);
void pn_delays_until(pn_plant *p, double now, double end);
/* The first instant after `now` at which a step must end. *order: of the kink that what is asked for then has; -1:
 * none, it is where what is known ends. */
double pn_delays_next(const pn_plant *p, double now, int *order);
/* Whether what came from a file can be rings at time t. */
int pn_delays_fit(const pn_plant *p, double t);
/* What arrives at an actuator. */
double pn_delay_value(const pn_plant *p, int actuator, const pinion_actuator_info *a, double t);
/* Copies the rings of what is held to where those of before it are. */
void pn_delays_copy(const pn_plant *p, double *to, const double *from);

/* Sensors, sense.c: how many numbers they keep; reads them; what they read at a time within the last step; puts what
 * encoders read in the place of q and v. */
int pn_sense_size(const pn_plant *p);
pinion_status pn_sense(pn_plant *p, double t, const double *q, const double *v, const double *z);
const double *pn_sense_readings(const pn_plant *p, double t);
void pn_sense_seen(const pn_plant *p, double *q, double *v);

/* Lists p->servo, and counts p->nx; 0 when out of memory. */
int pn_servos_new(pn_plant *p);
/* From what is asked for in p->u to what is given, and the rate of that where it is part of the state. */
pinion_status pn_servo_act(pn_plant *p, const pn_servo *s, double t, const double *q, const double *v, const double *z);
/* z at the start: of actuators what they give, then the work. */
void pn_servos_start(const pn_plant *p, double *z);
/* Accelerations, and in p->motor and p->u what the actuators give. */
pinion_status pn_plant_accelerations(pn_plant *p, double t, const double *q, const double *v, const double *z,
                                     double *a);
/* How far q is from the manifold of unit quaternions. */
double pn_plant_quaternions(const pn_plant *p, const double *q);
/* The same, and how far its loops are from closed at time t. */
pinion_status pn_plant_constraint(pn_plant *p, double t, const double *q, double *off);
/* weigh.c: PINION_ERR_SINGULAR, with a message that names a joint, where some motion moves none but by rounding. */
pinion_status pn_plant_weigh(pn_plant *p, const double *q);
/* Brings a state that is near onto the loops' constraints; says which loop is not near. */
pinion_status pn_plant_close(pn_plant *p, double t, double *q, double *v);

/* ---------------------------------------------------------------------------------------------
 * Events. event.c says what is watched, crossing.c finds when it happens. */

/* One quantity whose sign is watched; an event may be several. */
typedef struct pn_watch {
    int event;
    pinion_event_kind kind;
    int index;            /* LIMIT: coordinate in q, or tendon; PLANE: frame */
    int tendon;           /* LIMIT: nonzero: of a tendon's length */
    double scale, offset; /* LIMIT: the quantity is scale q + offset, positive beyond the limit */
    double normal[3];     /* PLANE: unit length */
    double height;
    int direction, stop;
    pinion_event_fn function; /* FUNCTION */
    void *user;
    char *text[2]; /* when it falls, when it rises */
} pn_watch;

/* A sign change that was found. */
typedef struct pn_crossing {
    double t;
    int watch;
    int rising;
    int silent; /* not the direction that was asked for: only kept for the sides */
} pn_crossing;

typedef struct pn_events {
    pn_watch *watch;
    pinion_elements *lengths; /* of tendons; NULL: none is watched */
    int count;             /* watches */
    int events;            /* as the caller counts */
    int *side;             /* [count] the last sign but 0, at the start of the last step */
    int *behind;           /* [count] the same at its end */
    double *samples;       /* [PN_EVENT_PARTS + 1][count] */
    pn_crossing *crossing; /* in order of time; from `next` on not yet handed out */
    int crossings, next, capacity;
} pn_events;

#define PN_EVENT_PARTS 8 /* parts of a step at whose ends the quantities are looked at */

struct pinion_sim {
    pn_plant plant;
    pn_stepper *stepper;
    const pinion_model *stepped; /* the model that the stepper was made for */
    pn_events events;
    int started, stopped;
    double t;                        /* reached; within the stepper's last step */
    double energy;                   /* kinetic + potential at the start */
    double most_kinetic, most_drift; /* the largest at the ends of the steps that are past */
    long rested;                     /* steps before it began to move */
    double max_drift;                /* of the largest kinetic energy: a step that is off by more fails */
    double most_other;               /* the largest potential energy or work at the ends of steps */
    struct {
        double t, kinetic, drift;
    } ahead;    /* at the end of the last step, which is not past; t NaN: not known */
    double marked;  /* the time at the last step whose number PN_SIM_WINDOW divides; NaN: not known */
    double horizon; /* where a run is to end; INFINITY: not known */
    double fence;   /* no step goes past this time; INFINITY: any */
    int slow;       /* windows on end in which steps were so short that it would never get there */
    double *memory;                  /* of the arrays that follow */
    double *q, *v, *z;               /* at the time last looked at */
    double *event_q, *event_v;       /* while looking for events */
    double *last_v, *grows; /* [nv] when the controller was asked last; how often on end it had turned and grown then */
    double *kept_hold; /* p->hold before the last step */
    double *kept; /* what the stepper stored before its last step, unless storing restarts it */
    int has_kept;
    long count[3], kept_count[3]; /* steps, refused, evaluations: now, and before the last step */
    char message[512];
};

#define PN_SIM_WINDOW 1000    /* steps over which a method that chooses them must get ahead */
#define PN_SIM_SLOW 10        /* windows after which short steps are not a passing matter */
#define PN_SIM_STEPS_MAX 1e10 /* a run of so many steps takes days: steps that have become so short do not get there */

/* Where a step ends at the latest, breaks.c; order: of the kink that what is asked of actuators has there, -1: none. */
typedef struct pn_break {
    double t;
    int order;
} pn_break;

pinion_status pn_sim_next_break(pinion_sim *s, double now, pn_break *next);
/* What was asked of delayed actuators in the last step, up to time t; and a kink there, where order is not -1.
 * PN_BREAK_MAY_COME: what acts may be changed there by hand, and then pn_sim_jump() is called. */
#define PN_BREAK_MAY_COME (-2)
pinion_status pn_sim_record(pinion_sim *s, double t, int order);
pinion_status pn_sim_jump(pinion_sim *s);

/* growth.c: looks at s->v, as the controller sees it, whether it makes them grow. */
void pn_growth_start(pinion_sim *s);
pinion_status pn_growth_look(pinion_sim *s);

/* What is wrong with the arguments of pinion_sim_new(), NULL when nothing is. run_options.c */
const char *pn_sim_complaint(const pinion_model *m, const pinion_sim_options *o);
/* Whether pinion_sim_store() makes it start anew at the time reached. */
int pn_sim_restarts(const pinion_sim *s);

/* balance.c. Brings s->q, s->v and s->z to a time within the last step; the energies there. */
pinion_status pn_sim_energies(pinion_sim *s, double t, double *kinetic, double *potential, double *work,
                              double *drift);
/* The end of the last step is past: it counts among the largest energies. What the caller looks at in between
 * does not, so that they do not depend on it. */
pinion_status pn_sim_note_energies(pinion_sim *s);
/* The energies at the end of the last step, in s->ahead. */
pinion_status pn_sim_look_ahead(pinion_sim *s);
/* What acts is another from the time reached on, where the last step ended. With `model`, so may be masses,
 * gravity, force elements: the energies are counted from those that it then has. */
pinion_status pn_sim_renew(pinion_sim *s, int model);
/* Whether the step just taken made energy out of nothing, or lost it. */
pinion_status pn_sim_check_balance(pinion_sim *s);
/* The larger of two, NaN if one is NaN. */
double pn_larger(double a, double b);
/* A drift is told from rounding, and from what tolerances allow, where it is above this. */
double pn_sim_drift_floor(const pinion_sim *s);
/* The part of the largest kinetic energy by which it may be off where `part` is allowed: drift.h. */
double pn_sim_drift_allowed(const pinion_sim *s, double part, double drift);

/* The value of a watch at a time within the last step. */
pinion_status pn_event_value(pinion_sim *s, const pn_watch *watch, double t, double *value);
/* The values of all watches. */
pinion_status pn_event_values(pinion_sim *s, double t, double *values);
void pn_events_free(pn_events *e);

/* The sides at the instant where the simulation starts. */
pinion_status pn_events_start(pinion_sim *s);
/* Finds the crossings within the last step, and keeps them in order of time. Unless `again`, the step follows
 * the one that was looked at before; else it is that one. */
pinion_status pn_events_scan(pinion_sim *s, int again);
/* Forgets what was found after the time reached: the stepper starts anew there. */
void pn_events_cut(pinion_sim *s);
/* The first crossing within the last step, after the time reached, that ends the run; NULL when there is
 * none. */
const pn_crossing *pn_events_stop(const pinion_sim *s);

#endif
