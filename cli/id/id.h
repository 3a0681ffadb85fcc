/* pinion id: inverse dynamics along a motion. What its two files share. */
#ifndef PN_CLI_ID_H
#define PN_CLI_ID_H

#include "cli/args/limits_check.h"
#include "cli/args/reach.h"
#include "cli/args/options.h"
#include "pinion/sim/forces.h"
#include "pinion/sim/result.h"
#include "pinion/sim/trajectory.h"
#include "cli/id/reactions.h"
#include "cli/id/touch.h"
#include "cli/info/singular.h"

/* The options of this command alone. */
enum { OPT_PASSIVE = OPT_OWN, OPT_ID_ALGORITHM, OPT_ACTUATED, OPT_MOTION, OPT_POWER, OPT_REACTIONS,
       OPT_CONTACTS, OPT_CONTACT_GAP, OPT_CONTACT_FRICTION, OPT_CONTACT_SHARE, OPT_ID_FORCES, OPT_ELASTIC };

/* The columns of a result, in this order. */
typedef enum id_group { ID_TIME, ID_MOTION, ID_TORQUES, ID_ACTUATORS, ID_POWER, ID_REACTIONS, ID_CONTACTS,
                        ID_GROUPS } id_group;

/* What closed loops add. */
typedef struct id_loops {
    int count;
    unsigned char *actuated;               /* [nv] */
    double *phi, *rate, *lambda, *wrench;  /* [rows] three times, [loops][6] */
    double *passive;                       /* [loop_nv] what springs and the like of loop joints exert */
    double *given;                         /* [nq] the configuration that the motion asked for */
    double *last;                          /* [nq] that of the row before, once there is one */
    int rows;                              /* how many there were */
    double moved;                          /* how far coordinates were moved to keep the loops */
    cli_loops here, nearest;               /* at this row, and at the one that is nearest to a singular position, */
    double at;                             /* and its time */
} id_loops;

/* What --contacts adds. */
typedef struct id_contacts {
    cli_touch touch;
    pinion_support *support; /* NULL: it is not given */
    pinion_support_report here;
    double *points, *row; /* [most][3] those on what does not move; all columns */
    int *corner;          /* [most] of the polygon around them */
    int shares;           /* nonzero: some were given */
    double zmp[3], inside;
    int most;             /* points at an instant */
    size_t bare, outside; /* instants at which nothing touches, and at which forces leave their cones */
    double nearest, nearest_at;              /* of those where nothing touches */
    double margin, margin_at;                /* the least margin, its time, */
    char margin_of[620];                     /* and its pair */
    double *tau, *worst_tau, *worst_q;       /* [nv], [nv], [nq] what the motion needs, here and where that is; */
    int worst_count;                         /* and the points there */
    pinion_support_point *worst;
    double support_margin, support_at;       /* of the zero-moment point */
} id_contacts;

/* What --elastic knows of an elastic joint. */
typedef struct id_spring {
    pinion_elastic_joint_info info;
    int q, v, motor_q, motor_v; /* places of the joint and its motor */
    double delta, F[2];         /* damped: how far the spring is drawn at the last row, what it gave, and its rate */
} id_spring;

/* Everything one run needs. */
typedef struct id_run {
    const cli_args *args;
    const char *command;
    int algorithm; /* -1: the library's own */
    int passive;
    const char *output, *report, *plot; /* files; NULL: none */

    pinion_model *m;
    pinion_work *w;
    pinion_elements *elements; /* tendons and the like; NULL: there are none */
    pinion_forces *forces;     /* of --forces, NULL: none; */
    double *f_ext;             /* [bodies][6] what they exert at this instant */
    pinion_elastic_joints *elastic;   /* of --elastic, NULL: motors move as the motion says; */
    id_spring *spring;         /* [springs] */
    int springs, springs_go;   /* nonzero: there was a row, */
    double springs_at;         /* at this time */
    double *jerk, *snap;       /* [nv] */
    int nq, nv, joints;
    pinion_trajectory *motion;
    const double *times; /* of the rows, where they are the file's; NULL: every step */
    double start, end, step;
    size_t rows;
    cli_reactions reactions;
    id_loops loops;
    id_contacts contacts;
    char mesh_fault[400]; /* why a mesh takes no part in contact */
    cli_limits limits;

    /* the actuators: their forces, and what of the joint forces these leave */
    int listed;
    pinion_allocation *allocation;
    cli_reach reach;
    double *u, *rest, *outside;
    double most; /* the largest joint force at this instant */
    double *memory;
    double *q, *v, *a, *tau, *tau_p;
    double *row;
    pinion_result *result;
    int first[ID_GROUPS + 1]; /* column of each group */
} id_run;

/* The time of a row. */
double pn_cli_id_time(const id_run *d, size_t row);

/* id_loops.c: nothing for a model without loops, but for begin's checks of options. begin returns CLI_DONE or, after a
 * message, CLI_USAGE or CLI_FAILED. */
int pn_cli_id_loops_begin(id_run *d);
void pn_cli_id_loops_end(id_run *d);
/* Brings the motion in d->q, v, a onto the loops. */
pinion_status pn_cli_id_keep_loops(id_run *d, double t);
/* The forces of the actuated joints into d->tau, and what goes through the loops. */
pinion_status pn_cli_id_loop_torques(id_run *d, double t);
/* Says how far the motion was off, and whether it comes near singular positions. */
void pn_cli_id_loops_note(const id_run *d);

/* id_forces.c: nothing without --forces. begin returns CLI_DONE or, after a message, CLI_USAGE or CLI_FAILED. */
int pn_cli_id_forces_begin(id_run *d);
void pn_cli_id_forces_end(id_run *d);
/* What the elements exert at the motion in d->q, v, into d->f_ext. */
pinion_status pn_cli_id_forces_at(id_run *d, double t);

/* id_elastic.c: nothing without --elastic. begin returns CLI_DONE or, after a message, CLI_USAGE or CLI_FAILED. */
int pn_cli_id_elastic_begin(id_run *d);
void pn_cli_id_elastic_end(id_run *d);
/* The motion at t, with the motors' own, into d->q, v, a, and what they give into d->tau. */
pinion_status pn_cli_id_elastic(id_run *d, double t);

/* id_actuators.c. begin returns CLI_DONE, or CLI_FAILED after a message. */
int pn_cli_id_actuators_begin(id_run *d);
/* Tells of the dynamics that are left out. */
void pn_cli_id_actuators_note(const id_run *d);
void pn_cli_id_actuators_end(id_run *d);
/* With closed loops and a list of actuators: d->u and, by them, d->tau, and what goes through the loops. */
pinion_status pn_cli_id_actuate_loops(id_run *d, double t);
/* d->u for the forces in d->tau where that is not done, and a look at what is missing. */
pinion_status pn_cli_id_actuate(id_run *d, double t);

/* id_contacts.c: nothing without --contacts, but for begin's checks of options. begin returns CLI_DONE or, after a
 * message, CLI_USAGE or CLI_FAILED; it looks through the whole motion for what touches. */
int pn_cli_id_contacts_begin(id_run *d);
void pn_cli_id_contacts_end(id_run *d);
/* Columns, CLI_DONE or CLI_FAILED after a message; and their numbers, behind which it returns. */
int pn_cli_id_contacts_columns(id_run *d);
double *pn_cli_id_contacts_put(const id_run *d, double *x);
/* The forces of the contacts at the motion in d->q, v, a; d->tau becomes what is left to the joints. */
pinion_status pn_cli_id_contact_forces(id_run *d, double t);
/* Tells of what could not be had, as of limits; a line for people; {"pairs": ...}. */
void pn_cli_id_contacts_tell(id_run *d);
void pn_cli_id_contacts_text(const id_run *d);
void pn_cli_id_contacts_json(cli_json *j, const id_run *d);

/* id_result.c: the result's settings, columns and rows, and where it goes. All return CLI_DONE or, after a
 * message, CLI_FAILED. */
/* What passive elements exert, into tau_p. */
pinion_status pn_cli_id_passive(id_run *d);
int pn_cli_id_settings(id_run *d);
int pn_cli_id_columns(id_run *d);
int pn_cli_id_rows(id_run *d);
int pn_cli_id_write(id_run *d);

#endif
