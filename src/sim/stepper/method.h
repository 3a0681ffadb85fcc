/* What a stepper is inside, and what each method provides. */
#ifndef PN_SIM_METHOD_H
#define PN_SIM_METHOD_H

#include "sim/stepper/chart.h"
#include "sim/stepper/stepper.h"

#define PN_LARGEST_TURN 3.0 /* rad, of the rotation vector of a joint in one step: short of the half turn */

/* Every call returns PINION_OK, or a status with the stepper's message set. */
typedef struct pn_method {
    /* allocates s->data; on failure close() is called all the same */
    pinion_status (*open)(pn_stepper *s);
    void (*close)(pn_stepper *s);
    /* the state `now` is new: forget what came before */
    pinion_status (*start)(pn_stepper *s);
    /* `before` has been set to `now`: moves `now` on, not past end > t */
    pinion_status (*step)(pn_stepper *s, double end);
    /* theta and v and z within the last step, in the chart around `origin`; z follows v in y [2 nv + nz] */
    pinion_status (*dense)(pn_stepper *s, double t, double *y);
    /* the method's own part of the memory */
    int (*memory_size)(const pn_stepper *s);
    void (*store)(pn_stepper *s, double *memory);
    pinion_status (*restore)(pn_stepper *s, const double *memory);
    /* of a method that is several: whether that of the last step, or of the next one, forgets when it is stored, and
     * how often it changed; see pn_stepper_restarts and pn_stepper_changes. NULL: it is one */
    int (*restarts)(const pn_stepper *s, int next);
    void (*changes)(const pn_stepper *s, long *implicit_steps, long *changes);
} pn_method;

typedef struct pn_step_state {
    double t;
    double *q, *v, *z;
} pn_step_state;

/* the instants of a method with fixed step: origin + count h, so that rounding does not add up */
typedef struct pn_grid {
    double origin, count;
} pn_grid;

struct pn_stepper {
    pn_system system;
    pinion_sim_options options;
    const pn_method *method;
    void *data; /* the method's own */
    pn_chart *chart;
    int n; /* 2 nv + nz: theta, v, z one after the other */
    int started;
    pn_step_state before, now; /* the ends of the last step */
    const double *origin; /* [nq] the chart's origin for dense(); before.q unless the method says otherwise */
    double limit;         /* time that evaluations in this step stay below, where the step ends at `end` */
    double cut;           /* within the last step: where the law changes; INFINITY: nowhere */
    double *margin;       /* [parts + 2][margins] of switches.c, then a state */
    double fixed;         /* s, the length of all steps; 0: the method chooses */
    double *q, *y;        /* [nq], [n] scratch of evaluations and of dense output */
    long steps, refused, evaluations;
    char message[256];
};

extern const pn_method pn_method_explicit, pn_method_euler, pn_method_variational;
extern const pn_method pn_method_cvode, pn_method_arkode, pn_method_ida, pn_method_auto;

/* How stiff the last step of the explicit method was, for AUTO: h |lambda|. */
double pn_explicit_stiffness(const pn_stepper *s);

/* switches.c: finds s->cut within the step just taken. `start` looks at its beginning alone, where an input may have
 * jumped, and changes the law there. */
pinion_status pn_switches_find(pn_stepper *s);
pinion_status pn_switches_start(pn_stepper *s);
enum { PN_SWITCH_PARTS = 8 }; /* of a step, at whose ends margins are looked at */

/* Sets the message and returns the status. */
pinion_status pn_stepper_fail(pn_stepper *s, pinion_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* y' at y = (theta, v, z) in the chart around q0: theta', v' = a, z'. Fails with the status of the system,
 * or with PINION_ERR_STEP where the chart ends or a rate is not finite. */
pinion_status pn_evaluate(pn_stepper *s, double t, const double *q0, const double *y, double *rate);
/* the same where the point q of theta is known */
pinion_status pn_evaluate_at(pn_stepper *s, double t, const double *q, const double *y, double *rate);
/* Projects now.q and now.v at time t, where the system has a projection. */
pinion_status pn_project_now(pn_stepper *s, double t);
/* The same for y = (theta, v, ...) in the chart around q0. */
pinion_status pn_project_chart(pn_stepper *s, double t, const double *q0, double *y);
/* PINION_ERR_STEP and a message unless all n numbers are finite */
pinion_status pn_check_finite(pn_stepper *s, double t, const double *x, int n);
/* What an evaluation in a step that ends at `end` is given as the time t: never `end` itself, where the
 * system may already be another one. */
double pn_time_in_step(const pn_stepper *s, double t);

/* The next instant of a fixed step h: on the grid, or `end` where that is nearer or within rounding. */
double pn_grid_next(pn_grid *g, double t, double h, double end);

/* At s in [0, 1] the cubic with values y0, y1 and slopes f0, f1 at the ends of a step of length h. */
void pn_hermite(int n, double h, double s, const double *y0, const double *f0, const double *y1,
                const double *f1, double *y);

#endif
