/* What a motion asks of the actuators: forces that none of them gives, forces and speeds beyond their limits. */
#ifndef PN_CLI_REACH_H
#define PN_CLI_REACH_H

#include "cli/args/limits_check.h"

/* The worst of one kind on one coordinate or actuator. */
typedef struct reach_worst {
    double excess, value, where; /* excess 0: none */
} reach_worst;

typedef struct cli_reach {
    const pinion_model *m;
    pinion_work *w;
    int nv, nu, listed, speeds; /* speeds: some are limited, or voltages are */
    int voltages;               /* those that motors need are looked at; set by who wants it, after begin */
    double *B;                  /* [nv][nu], where speeds are */
    reach_worst *missing;       /* [nv] forces that no actuator gives */
    reach_worst *force, *speed, *voltage; /* [nu] beyond an actuator's limits */
} cli_reach;

/* CLI_DONE, or CLI_FAILED after a message. */
int pn_cli_reach_begin(cli_reach *x, const char *command, const pinion_model *m);
void pn_cli_reach_end(cli_reach *x);
/* Looks at an instant: u [nu], and what is left of the joint forces, rest [nv], either of which may be NULL; `size` is
 * the largest joint force, which says what is rounding. Limits are looked at where the model lists its actuators; those
 * of joints are in limits_check.h. */
pinion_status pn_cli_reach_see(cli_reach *x, const double *q, const double *v, const double *u, const double *rest,
                               double size, double where);
/* Tells of it as of limits. */
void pn_cli_reach_tell(const cli_reach *x, cli_limits *l);
/* [{"name": "tau.root.5", "value", "t"}, ...]: the forces that no actuator gives. */
void pn_cli_reach_json(cli_json *j, const cli_reach *x);

#endif
