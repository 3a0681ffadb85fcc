/* What the two halves of `pinion eval` share: the run (eval.c) and one result (eval_result.c). */
#ifndef PN_CLI_EVAL_H
#define PN_CLI_EVAL_H

#include "cli/print/json_out.h"
#include "pinion/sim/sparse.h"
#include "cli/args/limits_check.h"
#include "cli/args/options.h"
#include "cli/args/quantity.h"
#include "cli/args/states.h"
#include "cli/info/singular.h"

/* Everything one run needs. */
typedef struct evaluation {
    const cli_args *args;
    const char *command;
    pinion_model *m;
    pinion_work *w;
    pinion_scene *scene;       /* for distances; NULL: none are asked for */
    char mesh_fault[400];      /* why a mesh has none */
    pinion_elements *elements; /* tendons and the like; NULL: there are none */
    quantity_list what;
    states_file file;
    state s;
    state_store store; /* all states, unless they are answered one by one */
    int passive;
    int by[PINION_PROBLEM_COUNT]; /* the algorithm for each problem; -1: the library's own function */
    pinion_sparse *sparse;        /* kkt-sparse on a model with loops; NULL: not asked for */
    int sparse_failed;            /* it was what failed last */
    double *out;                  /* the largest result asked for */
    double *out2;                 /* twice nv numbers: passive forces, sums */
    size_t index;                 /* of the state at hand */
    int rank;                     /* of the loops' constraints, as forward dynamics found it */
    double residual;
    pinion_mobility mobility;
    cli_loops loops;        /* what there is to tell of the loops at this state, */
    int looked;             /* once they were looked at, */
    int told[TOLD_KINDS];   /* and what of it was said of a state before */
    long complaints;
    cli_limits limits;
    cli_json json;
} evaluation;

/* How many numbers the largest result asked for takes in e->out. */
size_t pn_cli_eval_room(const evaluation *e);
/* Computes a quantity at the state at hand into e->out. */
pinion_status pn_cli_eval_compute(evaluation *e, const quantity *what);
/* Prints what that left there. */
void pn_cli_eval_print(evaluation *e, const quantity *what);
/* eval_loops.c: the same for what concerns closed loops. tau has the passive elements of the tree in it. */
size_t pn_cli_eval_loop_room(const evaluation *e, quantity_id id);
pinion_status pn_cli_eval_loop_compute(evaluation *e, const quantity *what, const double *tau);
void pn_cli_eval_loop_print(evaluation *e, const quantity *what);
/* Behind a state's results, what was to be told of its loops. */
void pn_cli_eval_loop_warnings(evaluation *e);
/* Forward dynamics with loops; lambda may be NULL. Leaves the rank and the residual in e. */
pinion_status pn_cli_eval_loop_dynamics(evaluation *e, const double *tau, double *a, double *lambda);
/* Its derivatives: the one algorithm there is for them was checked to be meant. */
pinion_status pn_cli_eval_d_loop_dynamics(evaluation *e, const double *tau, double *dq, double *dv, double *dtau);
/* eval_passive.c: what passive elements exert, those of loops too; taken from tau, or from its derivatives, for which
 * `more` is room of twice nv x nv; or each kind by itself. */
pinion_status pn_cli_eval_add_elements(const evaluation *e, const double *v, double *tau);
pinion_status pn_cli_eval_less_passive(evaluation *e, double *tau);
pinion_status pn_cli_eval_d_less_passive(evaluation *e, double *dq, double *dv, double *more);
size_t pn_cli_eval_passive_room(const evaluation *e);
pinion_status pn_cli_eval_passive(evaluation *e);
void pn_cli_eval_print_passive(evaluation *e);
/* eval_distance.c: between two collisions. begin: CLI_DONE, or CLI_FAILED after a message. */
int pn_cli_eval_distance_begin(evaluation *e);
size_t pn_cli_eval_distance_room(const evaluation *e);
pinion_status pn_cli_eval_distance(evaluation *e, const quantity *what);
void pn_cli_eval_print_distance(evaluation *e);
/* Why a result may have numbers that are not finite. */
const char *pn_cli_eval_not_finite(const evaluation *e, const quantity *what);

#endif
