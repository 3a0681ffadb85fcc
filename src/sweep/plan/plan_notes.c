/* What a plan says that is no mistake, and likely not meant. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plan/sweep_plan.h"

#define FAR 1e-2      /* a quaternion that is so far from unit length is a mistake */
#define NEAR_ONE 1e-9 /* and one this near was written with fewer digits than it has */

/* Printed numbers are texts: the locale has no say in them. 0: out of memory. */
int pn_plan_note(pinion_sweep *s, int line, const char *format, ...)
{
    char text[400], whole[700];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(whole, sizeof whole, "%.200s:%d: %s", s->file, line, text);
    char **more = realloc(s->notes, ((size_t)s->note_count + 1) * sizeof *more);
    if (!more) return 0;
    s->notes = more;
    s->notes[s->note_count] = strdup(whole);
    return s->notes[s->note_count] != NULL && ++s->note_count;
}

/* ------------------------------------------------------------------------------------------------
 * Parameters that vary nothing */

static double of_dof(const pinion_dof *d, pn_varied what)
{
    return what == PN_VARY_FRICTION    ? fmax(fabs(d->friction_positive), fabs(d->friction_negative))
           : what == PN_VARY_DAMPING   ? d->damping
           : what == PN_VARY_STIFFNESS ? d->stiffness
           : what == PN_VARY_REST      ? d->rest
                                       : d->rotor_inertia;
}

/* What a factor multiplies at one of its places; NaN where that is not known here. */
static double base_of(const pinion_sweep *s, const pn_parameter *p, pn_spot_of at)
{
    const pn_run_numbers *n = &s->run.numbers;
    pinion_link_info link;
    pinion_joint_info joint;
    switch (pn_varied_kinds[p->what].place) {
    case PN_PLACE_LINK:
        if (pinion_model_link(s->model, at.index, &link) != PINION_OK) return NAN;
        if (p->what == PN_VARY_COM) return link.inertia.com[p->axis];
        return p->what == PN_VARY_MASS ? link.inertia.mass
                                       : link.inertia.inertia[0] + link.inertia.inertia[3] + link.inertia.inertia[5];
    case PN_PLACE_DOF:
        return pinion_model_joint(s->model, at.index, &joint) == PINION_OK ? of_dof(&joint.dof[at.dof], p->what) : NAN;
    case PN_PLACE_Q: return p->what == PN_VARY_Q0 ? n->q[at.index] : NAN;
    case PN_PLACE_V:
        return p->what == PN_VARY_V0       ? n->v[at.index]
               : p->what == PN_VARY_A0     ? n->a[at.index]
               : p->what == PN_VARY_TORQUE ? n->torque[at.index]
               : p->what == PN_VARY_KP     ? n->kp[at.index]
                                           : n->kd[at.index];
    default: return NAN;
    }
}

/* A factor of zeros. */
static int multiplies_nothing(const pinion_sweep *s, const pn_parameter *p)
{
    if (p->mode != PN_MODE_FACTOR || p->place_count == 0) return 0;
    if (s->rebuilds && (p->what == PN_VARY_Q0 || p->what == PN_VARY_V0)) return 0; /* the start is that of its model */
    for (int i = 0; i < s->parameter_count; i++) /* another one may have changed the zeros before */
        if (&s->parameters[i] != p && s->parameters[i].what == p->what) return 0;
    for (int k = 0; k < p->place_count; k++)
        if (base_of(s, p, p->places[k]) != 0) return 0; /* NaN is not 0 */
    return 1;
}

/* The joint whose initial state (k = 0: q, 1: v) a place of the model's JSON is; 0: none. */
static int is_initial(const pinion_sweep *s, const char *pointer, int k, pinion_joint_info *joint)
{
    const char *behind = pointer ? strstr(pointer, k ? "/initial/v" : "/initial/q") : NULL;
    char owner[400];
    if (!behind || strncmp(pointer, "/joints/", 8) != 0 || (size_t)(behind - pointer) >= sizeof owner) return 0;
    snprintf(owner, sizeof owner, "%.*s", (int)(behind - pointer), pointer);
    const char *name = json_string_value(json_object_get(pn_plan_pointed(s->model_tree, owner), "name"));
    const int index = name ? pinion_model_find_joint(s->model, name) : -1;
    return index >= 0 && pinion_model_joint(s->model, index, joint) == PINION_OK;
}

/* The key of the run that counts more than the initial state that p varies; NULL: none does. */
static const char *overrides(const pinion_sweep *s, const pn_parameter *p, pinion_joint_info *joint)
{
    const pn_plan_run *r = &s->run;
    for (int k = 0; k < 2; k++) {
        if (!is_initial(s, p->pointer, k, joint)) continue;
        const unsigned char *given = k ? r->v_given + joint->v_index : r->q_given + joint->q_index;
        const int count = k ? joint->nv : joint->nq;
        int all = count > 0;
        for (int i = 0; i < count; i++) all = all && given[i];
        if (all) return k ? "v0" : "q0";
        if (r->state >= 0) return "state";
        const int follows = pn_plan_starts_on_motion(r, r->numbers.control) && !pn_plan_varies(s, PN_VARY_CONTROL);
        return follows ? "trajectory" : NULL;
    }
    return NULL;
}

/* A list or a grid of several values that are one. */
static int has_one_value(const pn_parameter *p)
{
    if (p->dimension >= 0 || p->values < 2 || (!p->list && p->low != p->high)) return 0;
    for (uint64_t k = 1; p->list && k < p->values; k++)
        if (p->words ? strcmp(p->words[k], p->words[0]) != 0 : p->list[k] != p->list[0]) return 0;
    return 1;
}

/* A coordinate of a quaternion, which no run has alone. */
static const char *turns(const pinion_sweep *s, const pn_parameter *p)
{
    for (int k = 0; k < p->place_count && (p->what == PN_VARY_Q0 || p->what == PN_VARY_TO); k++)
        for (int i = 0; i < pinion_model_joint_count(s->model); i++) {
            pinion_joint_info joint;
            if (pinion_model_joint(s->model, i, &joint) != PINION_OK || joint.nq < 4) continue;
            if (p->places[k].index >= joint.q_index && p->places[k].index < joint.q_index + 4) return joint.name;
        }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Positions beyond the limits of a joint, which are often degrees */

/* The joint whose only coordinate this is and whose limits do not hold x; 0: none. */
static int is_beyond(const pinion_sweep *s, int coordinate, double x, pinion_joint_info *joint)
{
    for (int i = 0; i < pinion_model_joint_count(s->model); i++)
        if (pinion_model_joint(s->model, i, joint) == PINION_OK && joint->nq == 1 && joint->q_index == coordinate)
            return joint->dof_count == 1 && (x < joint->dof[0].lower || x > joint->dof[0].upper);
    return 0;
}

static int note_beyond(pinion_sweep *s, int line, const char *what, int coordinate, double x,
                       const pinion_joint_info *joint)
{
    const char *unit = pinion_coordinate_unit(s->model, "q", coordinate);
    return pn_plan_note(s, line, "%.100s: %.6g %s of joint \"%.60s\" is beyond its limits, %.4g to %.4g%s", what, x,
                        unit, joint->name, joint->dof[0].lower, joint->dof[0].upper,
                        strcmp(unit, "rad") == 0 && fabs(x) > 6.3 ? "; angles are in rad" : "");
}

/* "q0" and "to" of the run: the first place of each. */
static int check_limits(const pn_json_value *run, pinion_sweep *s, const char *key, const double *q,
                        const unsigned char *given)
{
    pn_json_value v;
    pinion_joint_info joint;
    for (int i = 0; i < s->nq && pn_value_get(run, key, &v); i++)
        if (given[i] && is_beyond(s, i, q[i], &joint))
            return note_beyond(s, pn_value_line(&v), key, i, q[i], &joint) || pn_plan_no_memory(&v);
    return 1;
}

/* The first value of a list, and the ends of what is even, where it sets positions. */
static int note_positions(pinion_sweep *s, const pn_parameter *p)
{
    const pn_distribution *d = &p->distribution;
    const int even = p->dimension < 0 || d->kind == PN_UNIFORM || d->kind == PN_LOG_UNIFORM;
    const double low = p->dimension < 0 ? p->low : d->low, high = p->dimension < 0 ? p->high : d->high;
    pinion_joint_info joint;
    char what[100];
    if ((p->what != PN_VARY_Q0 && p->what != PN_VARY_TO) || p->mode != PN_MODE_VALUE || !even) return 1;
    snprintf(what, sizeof what, "vary \"%.60s\"", p->name);
    for (uint64_t k = 0; k < (p->list ? p->values : 2); k++)
        for (int i = 0; i < p->place_count; i++) {
            const double x = p->list ? p->list[k] : k ? high : low;
            if (is_beyond(s, p->places[i].index, x, &joint))
                return note_beyond(s, p->line, what, p->places[i].index, x, &joint);
        }
    return 1;
}

/* ------------------------------------------------------------------------------------------------ */

static int note_parameter(pinion_sweep *s, const pn_parameter *p)
{
    pinion_joint_info starts;
    const char *joint = turns(s, p), *key = overrides(s, p, &starts);
    if (!note_positions(s, p)) return 0;
    if (key && !pn_plan_note(s, p->line,
                             "vary \"%.60s\" changes nothing: joint \"%.60s\" starts where \"%s\" of the run says",
                             p->name, starts.name, key))
        return 0;
    if (multiplies_nothing(s, p) &&
        !pn_plan_note(s, p->line, "vary \"%.60s\" changes nothing: \"%s\" is 0 wherever it is multiplied", p->name,
                      pn_varied_kinds[p->what].name))
        return 0;
    if (has_one_value(p) &&
        !pn_plan_note(s, p->line, "vary \"%.60s\" changes nothing: all its values are the same", p->name))
        return 0;
    return !joint || pn_plan_note(s, p->line,
                                  "vary \"%.60s\" is a part of the quaternion of \"%.60s\", which is normalized in "
                                  "each run",
                                  p->name, joint);
}

/* ------------------------------------------------------------------------------------------------ */

/* Quaternions of a key are normalized, which is told; those that are far off are refused. */
static int check_quaternions(const pn_json_value *run, pinion_sweep *s, const char *key, const double *q,
                             const unsigned char *given)
{
    pn_json_value v;
    if (!pn_value_get(run, key, &v)) return 1;
    for (int i = 0; i < pinion_model_joint_count(s->model); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(s->model, i, &joint) != PINION_OK || joint.nq < 4) continue;
        const double *x = q + joint.q_index, length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
        if (!given[joint.q_index]) continue;
        if (!(fabs(length - 1) <= FAR))
            return pn_value_fail(&v, "the quaternion of joint \"%.60s\" is not of length 1", joint.name);
        if (fabs(length - 1) > NEAR_ONE &&
            !pn_plan_note(s, pn_value_line(&v),
                  "%s: the quaternion of joint \"%.60s\" is not quite of length 1 and is normalized", key, joint.name))
            return pn_plan_no_memory(&v);
    }
    return 1;
}

/* Rows at the start and at the end alone. */
static int check_rows(const pn_json_value *run, pinion_sweep *s)
{
    pn_json_value v;
    if (s->run.command != PN_PLAN_SIM && s->run.command != PN_PLAN_ID) return 1;
    if (!pn_value_get(run, "output_step", &v) || !(s->run.numbers.duration > 0) ||
        !(s->run.output_step > s->run.numbers.duration))
        return 1;
    return pn_plan_note(s, pn_value_line(&v),
                "output_step is longer than the duration: what is kept is of two rows, the start and the end") ||
           pn_plan_no_memory(&v);
}

int pn_plan_find_notes(const pn_json_value *top, pinion_sweep *s)
{
    pn_json_value run;
    if (pn_value_get(top, "run", &run) && !check_rows(&run, s)) return 0;
    if (!pn_value_need(top, "run", &run) || !check_quaternions(&run, s, "q0", s->run.numbers.q, s->run.q_given) ||
        !check_quaternions(&run, s, "to", s->run.numbers.to, s->run.to_given) ||
        !check_limits(&run, s, "q0", s->run.numbers.q, s->run.q_given) ||
        !check_limits(&run, s, "to", s->run.numbers.to, s->run.to_given))
        return 0;
    pn_json_value pairs, sampling;
    const char *word = NULL;
    if (pn_value_get(top, "correlations", &pairs) && json_array_size(pairs.json) > 0 &&
        pn_value_get(top, "sampling", &sampling) && pn_value_string(&sampling, &word) && strcmp(word, "latin") == 0 &&
        !pn_plan_note(s, pn_value_line(&pairs),
              "beside \"latin\": a parameter that correlates with one before it has not one sample in each layer"))
        return pn_plan_no_memory(&pairs);
    for (int i = 0; i < s->parameter_count; i++)
        if (!note_parameter(s, &s->parameters[i])) return pn_plan_no_memory(top);
    return 1;
}

int pinion_sweep_note_count(const pinion_sweep *s)
{
    return s ? s->note_count : 0;
}

const char *pinion_sweep_note(const pinion_sweep *s, int index)
{
    return s && index >= 0 && index < s->note_count ? s->notes[index] : NULL;
}
