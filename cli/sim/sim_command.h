/* pinion sim: what its files share. */
#ifndef PN_CLI_SIM_H
#define PN_CLI_SIM_H

#include "cli/sim/sim_usage.h"
#include "pinion/sim/sim.h"

/* How a run ended. */
typedef enum run_end {
    RUN_COMPLETE = 0,
    RUN_STOPPED,     /* by an event */
    RUN_INTERRUPTED, /* by the user */
    RUN_FAILED       /* the integration cannot go on */
} run_end;

/* A run, from its command line to its result. */
typedef struct sim_run {
    const cli_args *args;
    const char *command;
    int quiet, json;
    int resumed; /* goes on from a checkpoint: what was said at the start is not said again */

    /* what is simulated */
    pinion_model *m;
    int nq, nv;
    double *memory;           /* of the arrays that follow */
    double *q, *v, *a, *tau;  /* a state; at first the start */
    double *start;            /* [nq] q at the start */
    pinion_mobility mobility; /* there; all zero without loops */
    double *torque;           /* [nv + loop_nv] of the joints, then of those that close loops */
    double *kp, *kd;          /* [nv] */
    double *row;              /* a row of the result */
    pinion_sim_options options;
    pinion_trajectory *target;
    pinion_controller *controller;
    pinion_forces *forces;
    pinion_sim *sim;

    /* when and where */
    double duration, output_step, checkpoint_every;
    const char *output, *report, *plot, *checkpoint; /* files; NULL: none */
    size_t rows;                                     /* with the first and the last */
    size_t next_row;
    double checkpoints; /* how many are past */

    /* what came out */
    pinion_result *result;
    run_end end;
    char why[700];     /* in words, unless complete */
    double began;      /* wall clock */
    double from;       /* simulated time where this process began, */
    long before;       /* and the steps that were taken before */
    int short_steps;   /* they are so short that another method may do better */
    double looked_at;  /* simulated time when the length of steps was last looked at, */
    long looked_after; /* and the steps taken then */
} sim_run;

/* sim_options.c: fills the run from its command line. CLI_DONE or, after a message, another status. */
int pn_cli_sim_options(sim_run *r);
/* sim_start.c: the state at the start, with its loops closed. Likewise. */
int pn_cli_sim_start(sim_run *r);
/* The time of a row: a multiple of the output step, at last the duration. */
double pn_cli_sim_row_time(const sim_run *r, size_t row);

/* sim_control.c: the controller and the force elements, and the events once the simulation is made. Likewise.
 */
int pn_cli_sim_control(sim_run *r);
int pn_cli_sim_events(sim_run *r);
/* The file of --torque; NULL when that is not given, or has numbers. */
const char *pn_cli_sim_torque_file(const sim_run *r);

/* sim_result.c */

/* An empty result with the columns and the settings. */
int pn_cli_sim_result(sim_run *r);
/* Adds the state that the simulation is at, and the events since the last. */
int pn_cli_sim_add_row(sim_run *r);
int pn_cli_sim_add_events(sim_run *r);
/* Adds how the run went, and writes all that was asked for. Returns the exit status. */
int pn_cli_sim_write(sim_run *r);

/* sim_summary.c: what is said at the end. */
typedef struct sim_summary {
    long steps, refused, evaluations;
    double t_end;
    double kinetic, drift; /* the largest of the run */
    double relative;       /* drift / kinetic; NaN when nothing moves, or by no more than rounding */
    double constraint;     /* how far loops were open at most, in the rows; NaN without loops */
} sim_summary;

sim_summary pn_cli_sim_summary(const sim_run *r);
/* Whether so many steps for so much simulated time tell of stiffness, with a method that suffers from it. */
int pn_cli_sim_stiff(const sim_run *r, long steps, double seconds);
/* A few lines on stderr, or JSON on stdout. `wall`: s that the run took. */
void pn_cli_sim_print(const sim_run *r, const sim_summary *s, double wall);
/* The shortest text that reads back as the number. Returns `text`. */
const char *pn_cli_number_text(double x, char *text, size_t size);

/* sim_checkpoint.c */

/* Writes the checkpoint of the time reached. CLI_DONE, or CLI_FAILED after a message. */
int pn_cli_sim_checkpoint(sim_run *r);
/* The arguments of the run that wrote a checkpoint, and its folder, which becomes the current one. `args`
 * points into *text, to be released with json_decref(). NULL after a message. */
struct json_t;
pinion_result *pn_cli_sim_read_checkpoint(const cli_args *args, cli_args *stored, struct json_t **text);
/* Puts the run where the checkpoint was. CLI_DONE, or CLI_FAILED after a message. */
int pn_cli_sim_resume(sim_run *r, const pinion_result *checkpoint);

/* sim_run.c: runs to the end, wherever that is. CLI_DONE, or CLI_FAILED after a message when there is nothing
 * to write. */
int pn_cli_sim_go(sim_run *r);

#endif
