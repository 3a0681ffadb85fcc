/* --limits-check: whether positions, velocities, joint forces and lengths of tendons stay within the model's limits.
 * One place looks, and says once for each joint how far they left them. */
#ifndef PN_CLI_LIMITS_CHECK_H
#define PN_CLI_LIMITS_CHECK_H

#include "cli/args/options.h"
#include "cli/print/json_out.h"
#include "pinion/elements.h"
#include "pinion/pinion.h"

enum { LIMITS_OFF, LIMITS_WARN, LIMITS_ERROR };

typedef struct limit_watch limit_watch;

typedef struct cli_limits {
    const char *command, *before, *after; /* how a place is written: "t = ", " s" */
    int mode;
    int count;
    limit_watch *watch;
    pinion_elements *tendons; /* NULL: none has limits */
    pinion_work *w;           /* of them */
    int added; /* by pn_cli_limits_add */
    int lines;
    char *line[8]; /* what was said, for JSON */
} cli_limits;

/* What somebody typed may be degrees, what was computed is not: the flags of `given` below. */
enum { GIVEN_NOTHING = 0, GIVEN_POSITIONS = 1, GIVEN_VELOCITIES = 2 };

/* Collects the limits that the model has. A largest speed or force of 0, and two limits of a position that are equal,
 * stand for none in many files, and are taken for that. A place is written with `before` and `after` around its
 * number; both stay where they are. CLI_DONE, or CLI_FAILED after a message. */
int pn_cli_limits_begin(cli_limits *l, const cli_args *args, const pinion_model *m, const char *before,
                        const char *after);
void pn_cli_limits_end(cli_limits *l);

/* Looks at numbers in the model's order, q [nq], v and tau [nv]; each may be NULL. */
void pn_cli_limits_see(cli_limits *l, int given, const double *q, const double *v, const double *tau, double where);
/* Says what was seen since it last did, of each joint the worst. CLI_DONE, or CLI_FAILED where that is an error. */
int pn_cli_limits_tell(cli_limits *l);
/* Says one more thing that went too far, before pn_cli_limits_tell(). */
void pn_cli_limits_add(cli_limits *l, const char *line);
/* The same lines as strings, into an array that is open. */
void pn_cli_limits_json(cli_json *j, const cli_limits *l);

#endif
