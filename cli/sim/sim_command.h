/* pinion sim: what its files share. */
#ifndef PN_CLI_SIM_H
#define PN_CLI_SIM_H

#include "cli/args/limits_check.h"
#include "cli/sim/sim_usage.h"
#include "pinion/sim/run.h"

/* A run, from its command line to its result. */
typedef struct sim_run {
    const cli_args *args;
    const char *command;
    int quiet, json;
    int resumed; /* goes on from a checkpoint: what was said at the start is not said again */

    /* what is simulated */
    pinion_model *m;
    int nq, nv;
    double *memory;          /* of the arrays that follow */
    double *q, *v;           /* the start */
    double *torque;          /* [nv + loop_nv] of the joints, then of those that close loops */
    double *kp, *kd;         /* [nv] */
    double *u;               /* [nu] of --actuator or --ctrl */
    pinion_work *law;        /* of --ctrl; NULL without */
    pinion_start_info start; /* how loops were closed there */
    pinion_run_def def;
    pinion_trajectory *target;
    pinion_controller *controller; /* of the actuators; NULL: they give nothing */
    pinion_controller *outside;    /* of given joint forces; NULL: none */
    pinion_tasks *tasks; /* of --control task */
    pinion_forces *forces;
    pinion_scene_options contact; /* of --contact */
    char mesh_fault[400];         /* why a mesh takes no part in it */
    pinion_sensors *sensors;
    int *frames; /* of --frames */
    char *line, *stored; /* the command line; what a checkpoint says of it */
    pinion_run *run;
    pinion_result *result;
    cli_limits limits;
    const char *output, *report, *plot; /* files; NULL: none */

    /* how it goes */
    double began;      /* wall clock */
    double from;       /* simulated time where this process began, */
    long before;       /* and the steps that were taken before */
    int short_steps;   /* they are so short that another method may do better */
    int many_ahead;    /* it was said that very many are ahead */
    double looked_at;  /* simulated time when the length of steps was last looked at, */
    long looked_after; /* and the steps taken then */
} sim_run;

/* sim_options.c: fills the run from its command line. CLI_DONE or, after a message, another status. */
int pn_cli_sim_options(sim_run *r);
/* sim_start.c: the state at the start, with its loops closed. Likewise. */
int pn_cli_sim_start(sim_run *r);

/* sim_limits.c: holds the start and the motion to follow against the model's limits, and the rows at the end. CLI_DONE,
 * or CLI_FAILED where leaving them is an error. */
int pn_cli_sim_check_start(sim_run *r);
int pn_cli_sim_check_rows(sim_run *r);

/* sim_control.c: the controller and the force elements, and the events once the run is made. Likewise. */
int pn_cli_sim_control(sim_run *r);
/* sim_gains.c: r->kp and r->kd, of a PD controller, or of computed torque. Likewise. */
int pn_cli_sim_gains(sim_run *r, int pd);
/* Says which of r->tasks brake too hard. */
void pn_cli_sim_task_gains(const sim_run *r);
/* Whether a joint has friction. */
int pn_cli_sim_rubs(const sim_run *r);
/* Whether the controller follows a motion. */
int pn_cli_sim_follows(const sim_run *r);
int pn_cli_sim_events(sim_run *r);
/* The file of --torque; NULL when that is not given, or has numbers. */
const char *pn_cli_sim_torque_file(const sim_run *r);

/* sim_result.c */

/* Adds what was asked for to the settings. */
int pn_cli_sim_settings(sim_run *r);
/* Writes all files that were asked for. Returns the exit status. */
int pn_cli_sim_write(sim_run *r);

/* sim_summary.c: what is said at the end. */

/* Whether so many steps for so much simulated time tell of stiffness, with a method that suffers from it. */
int pn_cli_sim_stiff(const sim_run *r, long steps, double seconds);
/* The delay of an actuator that makes steps of this length short; 0: none does. */
double pn_cli_sim_delay(const sim_run *r, double step);
/* A few lines on stderr, or JSON on stdout. `wall`: s that the command took. */
void pn_cli_sim_print(const sim_run *r, const pinion_run_summary *s, double wall);

/* sim_checkpoint.c */

/* What a checkpoint says of the command line, to be released with free(). NULL after a message. */
char *pn_cli_sim_describe(const cli_args *args);
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
