#define _POSIX_C_SOURCE 200809L
#include "cli/args/limits_check.h"

#include "cli/print/print_text.h"
#include "pinion/sim/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 1e-9   /* of a limit, or of 1: beyond it by less is on it */
#define TURN 6.283185307179586
#define DEGREE (TURN / 360)
enum { SHOWN = 4, LINE = 1200 };

typedef enum limit_kind { POSITION, SPEED, FORCE, LENGTH, KINDS } limit_kind; /* also the bits of `given` */

struct limit_watch {
    limit_kind kind;
    const char *joint; /* or tendon; belongs to the model */
    int part;          /* of a joint of several; -1: it has one */
    int index;         /* in q or v, or of the tendon */
    double factor, shift; /* what is limited is factor x + shift, of a joint that follows */
    double lower, upper;
    int angle;
    int told;
    double excess, value, where; /* of the worst; excess 0: none */
    int degrees;                 /* it would be within the limits if it were in degrees, or looks like them without */
};

/* ------------------------------------------------------------------------------------------------ */
/* The limits of a model */

static void add(cli_limits *l, limit_watch watch, double lower, double upper)
{
    const int none = !(upper > lower) || (isinf(lower) && isinf(upper));
    /* of an angle without limits what is given may be degrees all the same */
    if (none && (watch.kind != POSITION || !watch.angle)) return;
    watch.lower = none ? -INFINITY : lower;
    watch.upper = none ? INFINITY : upper;
    l->watch[l->count++] = watch;
}

/* Whether it is the motor of an elastic joint: those turn many times, and by round numbers. */
static int is_motor(const pinion_model *m, const pinion_joint_info *joint)
{
    pinion_elastic_joint_info elastic;
    pinion_joint_info motor;
    for (int i = 0; pinion_model_elastic_joint(m, i, &elastic) == PINION_OK; i++)
        if (pinion_model_joint(m, elastic.motor, &motor) == PINION_OK && motor.v_index == joint->v_index) return 1;
    return 0;
}

static void add_joint(cli_limits *l, const pinion_model *m, const pinion_joint_info *joint)
{
    limit_watch watch = {.joint = joint->name, .factor = joint->multiplier, .shift = joint->offset};
    for (int k = 0; k < joint->dof_count; k++) {
        const pinion_dof *dof = &joint->dof[k];
        watch.part = joint->dof_count > 1 ? k : -1;
        watch.index = joint->v_source + k;
        const char *unit = pinion_coordinate_unit(m, "v", watch.index);
        watch.angle = joint->leader >= 0 ? joint->type != PINION_JOINT_PRISMATIC : unit && strncmp(unit, "rad", 3) == 0;
        watch.kind = SPEED;
        add(l, watch, -dof->velocity, dof->velocity);
        watch.kind = FORCE;
        if (joint->leader < 0) add(l, watch, -dof->effort, dof->effort);
        /* coordinates of spherical and free joints are no angles */
        watch.kind = POSITION;
        watch.index = joint->q_source + k;
        if (pinion_joint_type_nq(joint->type) == joint->dof_count && !is_motor(m, joint))
            add(l, watch, dof->lower, dof->upper);
    }
}

/* Lengths of tendons that are limited. 0 when out of memory. */
static int add_tendons(cli_limits *l, const pinion_model *m)
{
    pinion_tendon_info tendon;
    for (int i = 0; pinion_model_tendon(m, i, &tendon) == PINION_OK; i++) {
        const limit_watch watch = {.kind = LENGTH, .joint = tendon.name, .factor = 1, .part = -1, .index = i};
        const int before = l->count;
        add(l, watch, tendon.limits[0], tendon.limits[1]);
        if (l->count == before || l->tendons) continue;
        l->tendons = pinion_elements_new(m);
        l->w = pinion_work_new(m);
        if (!l->tendons || !l->w) return 0;
    }
    return 1;
}

int pn_cli_limits_begin(cli_limits *l, const cli_args *args, const pinion_model *m, const char *before,
                        const char *after)
{
    const char *mode = args->value[OPT_LIMITS_CHECK];
    memset(l, 0, sizeof *l);
    l->command = args->command->name;
    l->before = before;
    l->after = after;
    l->mode = !mode || strcmp(mode, "warn") == 0 ? LIMITS_WARN
              : strcmp(mode, "error") == 0       ? LIMITS_ERROR
                                                 : LIMITS_OFF;
    if (l->mode == LIMITS_OFF) return CLI_DONE;
    size_t most = 1 + (size_t)pinion_model_tendon_count(m);
    pinion_joint_info joint;
    for (int i = 0; i < pinion_model_joint_count(m); i++)
        if (pinion_model_joint(m, i, &joint) == PINION_OK) most += KINDS * (size_t)joint.dof_count;
    l->watch = calloc(most, sizeof *l->watch);
    for (int i = 0; i < pinion_model_joint_count(m) && l->watch; i++)
        if (pinion_model_joint(m, i, &joint) == PINION_OK) add_joint(l, m, &joint);
    if (l->watch && add_tendons(l, m)) return CLI_DONE;
    pn_cli_report(l->command, "out of memory");
    return CLI_FAILED;
}

void pn_cli_limits_end(cli_limits *l)
{
    for (int i = 0; i < l->lines; i++) free(l->line[i]);
    free(l->watch);
    pinion_elements_free(l->tendons);
    pinion_work_free(l->w);
    memset(l, 0, sizeof *l);
}

/* ------------------------------------------------------------------------------------------------ */
/* Looking */

/* How far a number is beyond the limits; 0: it is not. */
static double beyond(const limit_watch *w, double x)
{
    const double over = fmax(x - w->upper, w->lower - x);
    const double limit = x > w->upper ? w->upper : w->lower;
    return over > ROUNDING * fmax(1, fabs(limit)) ? over : 0;
}

static int unlimited(const limit_watch *w)
{
    return isinf(w->lower) && isinf(w->upper);
}

/* The size of an angle as people type it in degrees, a multiple of 5 within a turn and not a small one; else 0. Wheels
 * have turned that far in radians, but seldom by round numbers. */
static double round_degrees(double x)
{
    return fabs(x) >= 10 && fabs(x) <= 360 && fmod(x, 5) == 0 ? fabs(x) : 0;
}

void pn_cli_limits_see(cli_limits *l, int given, const double *q, const double *v, const double *tau, double where)
{
    const double *const from[KINDS] = {q, v, tau, q};
    for (int i = 0; i < l->count; i++) {
        limit_watch *w = &l->watch[i];
        double x = 0;
        if (!from[w->kind]) continue;
        if (w->kind != LENGTH)
            x = w->factor * from[w->kind][w->index] + (w->kind == POSITION ? w->shift : 0);
        else if (pinion_tendon_length(l->tendons, l->w, q, NULL, w->index, &x, NULL) != PINION_OK)
            continue;
        const double excess = unlimited(w) ? round_degrees(x) : beyond(w, x);
        if (!(excess > w->excess) || (unlimited(w) && !(given >> w->kind & 1))) continue;
        w->excess = excess;
        w->value = x;
        w->where = where;
        w->degrees = (given >> w->kind & 1) && w->angle && fabs(x) > TURN && beyond(w, x * DEGREE) == 0;
    }
}

/* ------------------------------------------------------------------------------------------------ */
/* Telling */

/* "elbow 4 rad (at most 2.5) at t = 1 s" behind what is in the line. */
static void describe(const cli_limits *l, const limit_watch *w, char *line, size_t used)
{
    static const char *const unit[KINDS][2] = {{"m", "rad"}, {"m/s", "rad/s"}, {"N", "N m"}, {"m", "rad"}};
    char part[16] = "";
    const double limit = w->value > w->upper ? w->upper : w->lower;
    if (w->part >= 0) snprintf(part, sizeof part, ".%d", w->part);
    snprintf(line + used, LINE - used, "%s%.80s%s %.4g %s (at %s %.4g) at %s%.10g%s",
             line[used - 1] == ':' ? " " : ", ", w->joint, part, w->value, unit[w->kind][w->angle],
             w->value > w->upper ? "most" : "least", limit, l->before, w->where, l->after);
}

/* a line on standard error, kept for JSON */
static void say(cli_limits *l, const char *before, const char *line)
{
    pn_cli_report(l->command, "%s%s", before, line);
    if (l->lines < (int)(sizeof l->line / sizeof l->line[0]) && (l->line[l->lines] = strdup(line))) l->lines++;
}

/* One line about what of a kind is new; 0: nothing is. */
static int tell_kind(cli_limits *l, limit_kind kind)
{
    static const char *const name[KINDS] = {"positions", "velocities", "joint forces", "lengths of tendons"};
    char line[LINE + 200];
    const limit_watch *slip = NULL;
    int found = 0;
    size_t used = (size_t)snprintf(line, sizeof line, "%s beyond the model's limits:", name[kind]);
    for (int i = 0; i < l->count; i++) {
        limit_watch *w = &l->watch[i];
        if (w->kind != kind || w->excess == 0 || w->told || unlimited(w)) continue;
        w->told = 1;
        if (w->degrees && !slip) slip = w;
        if (found++ < SHOWN) describe(l, w, line, used);
        used = strlen(line);
    }
    if (found > SHOWN) used += (size_t)snprintf(line + used, sizeof line - used, ", and %d more", found - SHOWN);
    if (slip)
        snprintf(line + used, sizeof line - used, "; %.4g looks like degrees, which are %.4g rad%s", slip->value,
                 slip->value * DEGREE, slip->kind == SPEED ? "/s" : "");
    if (found == 0) return 0;
    say(l, l->mode == LIMITS_ERROR ? "" : "warning: ", line);
    return 1;
}

/* One line about angles without limits that look like degrees, which is no error: they may be what was meant. */
static void tell_degrees(cli_limits *l)
{
    char line[LINE + 200];
    int found = 0;
    size_t used = (size_t)snprintf(line, sizeof line, "angles that look like degrees:");
    for (int i = 0; i < l->count; i++) {
        limit_watch *w = &l->watch[i];
        if (!unlimited(w) || w->excess == 0 || w->told) continue;
        w->told = 1;
        if (found++ >= SHOWN) continue;
        used += (size_t)snprintf(line + used, LINE - used, "%s%.80s %.4g rad at %s%.10g%s (%.4g degrees are %.4g rad)",
                                 found > 1 ? ", " : " ", w->joint, w->value, l->before, w->where, l->after, w->value,
                                 w->value * DEGREE);
    }
    if (found > SHOWN) snprintf(line + used, sizeof line - used, ", and %d more", found - SHOWN);
    if (found) say(l, "warning: ", line);
}

int pn_cli_limits_tell(cli_limits *l)
{
    int found = l->added;
    for (int kind = 0; kind < KINDS; kind++) found += tell_kind(l, (limit_kind)kind);
    tell_degrees(l);
    return found && l->mode == LIMITS_ERROR ? CLI_FAILED : CLI_DONE;
}

void pn_cli_limits_add(cli_limits *l, const char *line)
{
    if (l->mode == LIMITS_OFF) return;
    l->added++;
    pn_cli_report(l->command, "%s%s", l->mode == LIMITS_ERROR ? "" : "warning: ", line);
    if (l->lines < (int)(sizeof l->line / sizeof l->line[0]) && (l->line[l->lines] = strdup(line))) l->lines++;
}

void pn_cli_limits_json(cli_json *j, const cli_limits *l)
{
    for (int i = 0; i < l->lines; i++) pn_cli_json_string(j, l->line[i]);
}
