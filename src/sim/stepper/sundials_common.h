/* What the integrators of SUNDIALS share here: they work on y = (theta, v, z) in a chart that stays for
 * many steps, and start anew in another one before rotation vectors get long. */
#ifndef PN_SIM_SUNDIALS_COMMON_H
#define PN_SIM_SUNDIALS_COMMON_H

#include "sim/stepper/method.h"

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>

typedef struct pn_sundials pn_sundials;
typedef struct pn_newton pn_newton;

/* One integrator of the package. Functions return the package's flag: 0, above 0 for news, below 0 for
 * failures. */
typedef struct pn_package {
    /* makes mem, which is at (t, y, yp); every setting that lasts */
    int (*create)(pn_sundials *d);
    /* puts mem to (t, y, yp) as if new */
    int (*again)(pn_sundials *d);
    int (*stop)(void *mem, double t);
    int (*longest)(void *mem, double h); /* no step is longer; 0: any is allowed */
    /* one step, not past the time of stop(); *t is where it ends, and y what is there. Of `towards` the
     * first step of all takes its direction and a scale of time. */
    int (*evolve)(pn_sundials *d, double towards, double *t);
    int (*dense)(void *mem, double t, N_Vector y);
    /* error tests and solutions that failed since create() or again() */
    int (*refused)(void *mem, long *count);
    void (*destroy)(void **mem);
    int out_of_memory, at_stop; /* flags */
} pn_package;

struct pn_sundials {
    pn_stepper *s;
    const pn_package *package;
    void *mem;
    SUNContext context;
    N_Vector y, yp, dense; /* yp: of IDA alone */
    SUNMatrix matrix;
    SUNLinearSolver linear;
    pn_newton *newton;            /* of `linear`, where it is pn_newton_solver()'s */
    SUNNonlinearSolver nonlinear; /* NULL: the package's own */
    double t;                     /* of y */
    double *origin;               /* [nq] of the chart */
    double *scale;                /* [nv] */
    double *M, *f, *bias;         /* [nv][nv], [nv], [nv] of IDA */
    pinion_work *work;            /* of IDA */
    int restart;                  /* the next step begins anew */
    int straight;                 /* the last step was too short for the package, and went along yp */
    long refused;
    pinion_status failed; /* of the last evaluation that failed in this step */
    char said[200];       /* the package's last message */
};

/* v' and so on at (t, y): a right-hand side for CVODE and ARKODE; user is the pn_sundials */
int pn_sundials_rates(realtype t, N_Vector y, N_Vector rate, void *user);
/* the weights of errors: 1/(atol + rtol |.|) */
int pn_sundials_weights(N_Vector y, N_Vector weights, void *user);
/* projects y, for those that can */
int pn_sundials_project(realtype t, N_Vector y, void *user);
/* a handler that keeps the message and prints nothing */
void pn_sundials_hear(int code, const char *module, const char *function, char *message, void *user);

/* sundials_newton.c: a solver of CVODE's linear systems, NULL when out of memory, and what prepares them for it. */
SUNLinearSolver pn_newton_solver(pn_sundials *d);
int pn_newton_system(realtype t, N_Vector y, N_Vector rates, SUNMatrix A, booleantype keeps, booleantype *found,
                     realtype gamma, void *user, N_Vector weights, N_Vector more, N_Vector unused);

/* The parts of a pn_method that are the same for all. */
pinion_status pn_sundials_open(pn_stepper *s, const pn_package *package);
void pn_sundials_close(pn_stepper *s);
pinion_status pn_sundials_start(pn_stepper *s);
pinion_status pn_sundials_step(pn_stepper *s, double end);
pinion_status pn_sundials_dense(pn_stepper *s, double t, double *y);
int pn_sundials_memory_size(const pn_stepper *s);
void pn_sundials_store(pn_stepper *s, double *memory);
pinion_status pn_sundials_restore(pn_stepper *s, const double *memory);

#define PN_SUNDIALS_METHOD(name, open)                                                                       \
    const pn_method name = {open,                                                                            \
                            pn_sundials_close,                                                               \
                            pn_sundials_start,                                                               \
                            pn_sundials_step,                                                                \
                            pn_sundials_dense,                                                               \
                            pn_sundials_memory_size,                                                         \
                            pn_sundials_store,                                                               \
                            pn_sundials_restore, NULL, NULL}

#endif
