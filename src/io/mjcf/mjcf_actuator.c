/* Actuators of MJCF: what they act on, with which gear, limits, filter and law. */
#include "base/law.h"
#include "io/mjcf/mjcf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Kinds whose force is a law of position or velocity, and those that have no place at all. */
static const char *const laws[] = {"position", "velocity", "intvelocity", "damper", "cylinder",
                                   "pid",      "dcmotor",  "orientation", "general"};
static const char *const none[] = {"muscle", "adhesion", "plugin"};
enum { LAWS = sizeof laws / sizeof laws[0], NONE = sizeof none / sizeof none[0] };

typedef struct tally {
    int law[LAWS], none[NONE];
    int index; /* of the actuator */
} tally;

/* What is found out of a law beside it. */
typedef struct law_kind {
    int lawless;  /* it has no place here */
    int multiple; /* the force is a multiple of the control */
    int muscle;
} law_kind;

/* What an attribute names, with the prefix of the part; -1 when it is not there, -2 when out of memory. */
static int refer(const mjcf_element *e, const mjcf_part *part, const char *attribute, const mjcf_name *names,
                 int count)
{
    const char *name = pn_xml_attribute(e->node, attribute);
    char *full = name ? pn_mjcf_join(e->r, part->prefix, name, "") : NULL;
    if (!full) return name ? -2 : -1;
    const int found = pn_mjcf_look_up(names, count, full);
    free(full);
    return found;
}

/* Whether its control is limited: that of a damper always is, to a range that does not go below 0. */
static int read_control(const mjcf_element *e, int *limited)
{
    double range[2] = {0, 0};
    if (!pn_xml_is(e->node, "damper")) return pn_mjcf_limited(e, "ctrllimited", "ctrlrange", limited);
    if (pn_mjcf_numbers(e, "ctrlrange", 2, 2, range) < 0) return 0;
    *limited = 1;
    return (range[0] >= 0 && range[0] < range[1]) ||
           pn_xml_fail(&e->r->u, e->node, PINION_ERR_PARSE,
                       "<damper>: its ctrlrange does not go up from 0 or more; expected such numbers");
}

/* Its limits: of the force, the control and the activation; where the force is a multiple of the control, of the force
 * by that. */
static int read_effort(const mjcf_element *e, const law_kind *kind, pinion_actuator_def *def)
{
    double force[2] = {0, 0}, control[2] = {0, 0}, state[2] = {0, 0};
    int force_limited = 0, control_limited = 0, state_limited = 0;
    const int has_state = pn_law_has_activation(&def->law) || def->dynamics.lag > 0 || kind->lawless;
    if (!pn_mjcf_limited(e, "forcelimited", "forcerange", &force_limited) || !read_control(e, &control_limited) ||
        (has_state && !pn_mjcf_limited(e, "actlimited", "actrange", &state_limited)) ||
        pn_mjcf_numbers(e, "actrange", 2, 2, state) < 0 ||
        pn_mjcf_numbers(e, "forcerange", 2, 2, force) < 0 ||
        pn_mjcf_numbers(e, "ctrlrange", 2, 2, control) < 0)
        return 0;
    if (!has_state && (state[0] != 0 || state[1] != 0))
        return pn_xml_fail(&e->r->u, e->node, PINION_ERR_PARSE,
                           "<%.40s> has an actrange and no activation; expected it with a dyntype",
                           (const char *)e->node->name);
    if (force_limited) memcpy(def->effort, force, sizeof force);
    if (kind->lawless) return 1;
    const int active = pn_law_has_activation(&def->law);
    if (state_limited && !active && def->dynamics.lag > 0) { /* the activation is filtered, not the force */
        def->law.filter = def->dynamics.lag;
        def->dynamics.lag = 0;
    }
    if (state_limited && (active || def->law.filter > 0)) memcpy(def->law.state, state, sizeof state);
    if (!control_limited) return 1;
    if (def->law.gain != 1 || !kind->multiple || def->law.filter > 0) memcpy(def->law.control, control, sizeof control);
    if (!kind->multiple) return 1;
    const double a = def->law.gain * control[0], b = def->law.gain * control[1];
    def->effort[0] = fmax(def->effort[0], fmin(a, b));
    def->effort[1] = fmin(def->effort[1], fmax(a, b));
    return 1;
}

/* The damping that is so many times the critical one, by the inertia that a hinge or slide moves as drawn; -1 where it
 * acts on something else, -2 on failure. */
static double damping_of(const mjcf_element *e, const mjcf_part *part, double kp, double ratio)
{
    mjcf_reader *r = e->r;
    double gear[6] = {1, 0, 0, 0, 0, 0}, inertia = 0;
    const int joint = refer(e, part, "joint", r->joint_names, r->joints.count);
    if (joint == -2 || pn_mjcf_numbers(e, "gear", 1, 6, gear) < 0) return -2;
    if (joint < 0 || !(kp >= 0) || gear[0] == 0 || r->joints.at[joint].type == PINION_JOINT_FREE ||
        r->joints.at[joint].type == PINION_JOINT_SPHERICAL)
        return -1;
    if (!pn_mjcf_drawn_inertia(r, joint, &inertia)) return -2;
    if (inertia == 0) return -1;
    return 2 * ratio * sqrt(kp * inertia) / fabs(gear[0]);
}

static int is_still(const pinion_actuator_law *law)
{
    return law->gain == 0 && !pn_law_has_slope(law) && !pn_law_has_bias(law);
}

/* Its law, by a lag where a control that the force is a multiple of is filtered. */
static int read_law(const mjcf_element *e, const mjcf_part *part, pinion_actuator_def *def, law_kind *kind)
{
    mjcf_law x;
    if (!pn_mjcf_law(e, &x)) return 0;
    const int bias = x.bias_type != 0, slope = x.gain_type != 0, integrates = x.dynamics == MJCF_INTEGRATOR;
    const int filtered = (x.dynamics == MJCF_FILTER || x.dynamics == MJCF_FILTER_EXACT) && x.time[0] >= 0;
    kind->muscle = pn_xml_is(e->node, "general") && x.dynamics == MJCF_MUSCLE;
    kind->multiple = !bias && !slope && !integrates;
    kind->lawless = x.other || x.bias_type > MJCF_AFFINE || x.gain_type > MJCF_AFFINE ||
                    !(x.dynamics == MJCF_STATELESS || filtered || integrates);
    /* the damping that is so many times the critical one */
    if (!kind->lawless && bias && !slope && x.bias[2] > 0 && x.gain[0] == 0 - x.bias[1]) {
        const double damping = damping_of(e, part, x.gain[0], x.bias[2]);
        if (damping == -2) return 0;
        kind->lawless = damping < 0;
        x.bias[2] = 0 - damping;
    }
    pinion_actuator_law law = def->law;
    law.gain = x.gain[0];
    if (bias) memcpy(law.bias, x.bias, sizeof law.bias);
    if (slope) memcpy(law.slope, x.gain + 1, sizeof law.slope);
    kind->lawless = kind->lawless || is_still(&law);
    if (kind->lawless) return 1;
    law.integrates = integrates;
    *(kind->multiple ? &def->dynamics.lag : &law.filter) = filtered ? x.time[0] : 0;
    def->law = law;
    return 1;
}

static void count_law(const mjcf_element *e, tally *t)
{
    int kind = 0;
    while (kind < LAWS && !pn_xml_is(e->node, laws[kind])) kind++;
    if (kind < LAWS) t->law[kind]++;
}

static int add(const mjcf_element *e, pinion_actuator_def *def)
{
    return pinion_builder_add_actuator(e->r->b, def, e->r->u.err) == PINION_OK;
}

/* The range of a position servo's control, or of what another one integrates, may be that of its joint, or so much of
 * it. */
static int inherit_range(const mjcf_element *e, const mjcf_joint *j, pinion_actuator_law *law)
{
    double share = 0, *range = law->integrates ? law->state : law->control;
    if (!pn_xml_is(e->node, "position") && !pn_xml_is(e->node, "intvelocity")) return 1;
    if (!pn_mjcf_number(e, "inheritrange", &share)) return 0;
    if (!(share > 0) || !isinf(range[0]) || !isfinite(j->dof.lower) || !isfinite(j->dof.upper)) return 1;
    const double middle = (j->dof.lower + j->dof.upper) / 2, half = share * (j->dof.upper - j->dof.lower) / 2;
    range[0] = middle - half;
    range[1] = middle + half;
    return 1;
}

/* On a joint. Of those with several coordinates only what is fixed in the moving body can be meant. */
static int act_on_joint(const mjcf_element *e, int joint, int in_parent, const double gear[6],
                        pinion_actuator_def *def)
{
    mjcf_reader *r = e->r;
    const mjcf_joint *j = &r->joints.at[joint];
    const char *names[3] = {j->name, j->name, j->name};
    int dofs[3], count = 0;
    double weights[3];
    def->joints = names;
    if (j->type != PINION_JOINT_SPHERICAL && j->type != PINION_JOINT_FREE) {
        def->gear = gear[0];
        def->count = 1;
        return inherit_range(e, j, &def->law) && add(e, def);
    }
    const int turn = j->type == PINION_JOINT_FREE ? 3 : 0;
    if (in_parent || (turn && (gear[0] != 0 || gear[1] != 0 || gear[2] != 0)))
        return pn_mjcf_left_out(
            r, e->node, "the actuator '%.60s' is left out: its force is fixed in the world, not the body",
            def->name);
    for (int i = 0; i < 3; i++) {
        if (gear[turn + i] == 0) continue;
        dofs[count] = i;
        weights[count++] = gear[turn + i];
    }
    if (!count)
        return pn_mjcf_left_out(r, e->node, "the actuator '%.60s' is left out: its gear is 0", def->name);
    def->type = PINION_ACTUATOR_SUM;
    def->count = count;
    def->dofs = dofs;
    def->weights = weights;
    return add(e, def);
}

/* Along the path of a spatial tendon. */
static int act_on_path(const mjcf_element *e, int tendon, double gear, pinion_actuator_def *def)
{
    mjcf_reader *r = e->r;
    const int made = pn_mjcf_tendon_made(r, tendon);
    if (made < 0) return 0;
    if (!made)
        return pn_mjcf_left_out(r, e->node, "the actuator '%.60s' is left out: its tendon wraps around a geom",
                                def->name);
    def->type = PINION_ACTUATOR_TENDON;
    def->gear = gear;
    def->tendon = r->tendons.at[tendon].name;
    return add(e, def);
}

static int act_on_tendon(const mjcf_element *e, int tendon, const double gear[6], pinion_actuator_def *def)
{
    mjcf_reader *r = e->r;
    const mjcf_tendon *t = &r->tendons.at[tendon];
    if (t->term < 0) return act_on_path(e, tendon, gear[0], def);
    const char **names = malloc(((size_t)t->term_count + 1) * sizeof(char *));
    double *weights = malloc(((size_t)t->term_count + 1) * sizeof *weights);
    int count = 0, ok = names && weights;
    if (!ok) pn_xml_memory(&r->u);
    for (int i = 0; ok && i < t->term_count; i++) {
        const mjcf_term *term = &r->terms.at[t->term + i];
        if (term->coef == 0) continue;
        names[count] = r->joints.at[term->joint].name;
        weights[count++] = term->coef;
    }
    def->type = PINION_ACTUATOR_SUM;
    def->gear = gear[0];
    def->count = count;
    def->joints = names;
    def->weights = weights;
    if (ok && !count)
        ok = pn_mjcf_left_out(r, e->node, "the actuator '%.60s' is left out: its tendon moves nothing",
                              def->name);
    else if (ok)
        ok = add(e, def);
    free(names);
    free(weights);
    return ok;
}

static int tell_still(const mjcf_element *e, const pinion_actuator_def *def)
{
    return pn_mjcf_left_out(e->r, e->node, "the actuator '%.60s' is left out: its gear is 0", def->name);
}

/* The name of the frame that a site is; NULL when out of memory. */
static char *frame_of(mjcf_reader *r, int site)
{
    const char *name = r->sites.at[site].name;
    const int taken = pn_mjcf_look_up(r->body_names, r->bodies.count, name) >= 0;
    return pn_mjcf_join(r, taken ? "site:" : "", name, "");
}

/* At one site, or between two of them (`reference` -1: there is no other). */
static int act_on_sites(const mjcf_element *e, int site, int reference, pinion_actuator_def *def)
{
    char *frame = frame_of(e->r, site), *other = reference >= 0 ? frame_of(e->r, reference) : NULL;
    def->frame = frame;
    def->reference = other;
    const int ok = frame && (other || reference < 0) && add(e, def);
    free(frame);
    free(other);
    return ok;
}

/* A force and a moment fixed in a site, or between two and fixed in the second. */
static int act_on_site(const mjcf_element *e, int site, int reference, const double gear[6], pinion_actuator_def *def)
{
    int still = 1;
    def->type = reference < 0 ? PINION_ACTUATOR_FRAME : PINION_ACTUATOR_PAIR;
    for (int i = 0; i < 6; i++) {
        def->wrench[i] = gear[(i + 3) % 6];
        still = still && gear[i] == 0;
    }
    return still ? tell_still(e, def) : act_on_sites(e, site, reference, def);
}

static int act_on_crank(const mjcf_element *e, int crank, int slider, double gear, pinion_actuator_def *def)
{
    if (!pn_mjcf_number(e, "cranklength", &def->rod)) return 0;
    if (!(def->rod > 0))
        return pn_xml_fail(&e->r->u, e->node, PINION_ERR_PARSE,
                           "<%.40s> on a crank has no cranklength; expected a number above 0",
                           (const char *)e->node->name);
    def->type = PINION_ACTUATOR_CRANK;
    def->gear = gear;
    return gear == 0 ? tell_still(e, def) : act_on_sites(e, crank, slider, def);
}

/* What it names is not there: an error, but in what is attached, where such ones are dropped. */
static int act_on_nothing(const mjcf_element *e, const mjcf_part *part)
{
    mjcf_reader *r = e->r;
    if (part->spec != r->main) return 1;
    return pn_xml_fail(&r->u, e->node, PINION_ERR_PARSE,
                       "<%.40s> acts on nothing that is there; expected a joint, a tendon, a site, or a cranksite with "
                       "its slidersite",
                       (const char *)e->node->name);
}

static int act(const mjcf_element *e, const mjcf_part *part, pinion_actuator_def *def)
{
    static const char *const sites[] = {"site", "refsite", "cranksite", "slidersite"};
    enum { SITE, REFERENCE, CRANK, SLIDER, SITES };
    mjcf_reader *r = e->r;
    double gear[6] = {1, 0, 0, 0, 0, 0};
    int at[SITES];
    if (pn_mjcf_numbers(e, "gear", 1, 6, gear) < 0) return 0;
    const int in_parent = pn_xml_attribute(e->node, "jointinparent") != NULL;
    const int joint = refer(e, part, in_parent ? "jointinparent" : "joint", r->joint_names, r->joints.count);
    const int tendon = refer(e, part, "tendon", r->tendon_names, r->tendons.count);
    for (int i = 0; i < SITES; i++) {
        at[i] = refer(e, part, sites[i], r->site_names, r->sites.count);
        if (at[i] == -2) return 0;
    }
    if (joint == -2 || tendon == -2) return 0;
    const int still = joint >= 0 && gear[0] == 0 && r->joints.at[joint].type != PINION_JOINT_FREE &&
                      r->joints.at[joint].type != PINION_JOINT_SPHERICAL;
    if (still || (tendon >= 0 && gear[0] == 0)) return tell_still(e, def);
    if (joint >= 0) return act_on_joint(e, joint, in_parent, gear, def);
    if (tendon >= 0) return act_on_tendon(e, tendon, gear, def);
    if (at[SITE] >= 0 && (at[REFERENCE] >= 0 || !pn_xml_attribute(e->node, "refsite")))
        return act_on_site(e, at[SITE], at[REFERENCE], gear, def);
    if (at[CRANK] >= 0 && at[SLIDER] >= 0) return act_on_crank(e, at[CRANK], at[SLIDER], gear[0], def);
    return act_on_nothing(e, part);
}

/* Armature and damping of an actuator go to its joint, times the square of the gear. */
static int add_rotor(mjcf_reader *r, const mjcf_part *part, const xmlNode *node)
{
    mjcf_element e;
    double gear[6] = {1, 0, 0, 0, 0, 0}, damping[3] = {0}, armature = 0;
    if (!pn_mjcf_element(r, part->spec, node, TAG_ACTUATOR, 0, &e) ||
        pn_mjcf_numbers(&e, "gear", 1, 6, gear) < 0 || pn_mjcf_numbers(&e, "damping", 1, 3, damping) < 0 ||
        !pn_mjcf_number(&e, "armature", &armature))
        return 0;
    if (r->no_dampers) damping[0] = damping[1] = damping[2] = 0;
    if (damping[0] == 0 && damping[1] == 0 && damping[2] == 0 && armature == 0) return 1;
    const int joint = refer(&e, part, "joint", r->joint_names, r->joints.count);
    if (joint == -2) return 0;
    mjcf_joint *j = joint < 0 ? NULL : &r->joints.at[joint];
    const int single = j && j->type != PINION_JOINT_SPHERICAL && j->type != PINION_JOINT_FREE;
    if (single) {
        j->drive_damping += gear[0] * gear[0] * damping[0];
        j->dof.damping += gear[0] * gear[0] * damping[0];
        for (int i = 0; i < 2; i++) j->dof.damping_curve[i] += gear[0] * gear[0] * damping[1 + i];
        j->dof.rotor_inertia += gear[0] * gear[0] * armature;
    }
    return single || pn_mjcf_left_out(
                         r, node, "damping and armature of an actuator that is not on a hinge or slide are left out");
}

/* A delay is that of the control, ours is that of the force: the same where that is a multiple of it. */
static int read_delay(const mjcf_element *e, const law_kind *kind, pinion_actuator_def *def)
{
    double delay = 0;
    if (!pn_mjcf_number(e, "delay", &delay)) return 0;
    const int same = kind->multiple && !kind->lawless && def->law.filter == 0;
    if (delay > 0 && same) def->dynamics.delay = delay;
    return !(delay > 0) || same ||
           pn_mjcf_left_out(e->r, e->node,
                            "the delay of an actuator whose force is no multiple of its control is left out");
}

static int read_actuator(mjcf_reader *r, const mjcf_part *part, const xmlNode *node, tally *t)
{
    mjcf_element e;
    for (int i = 0; i < NONE; i++) {
        if (pn_xml_is(node, none[i])) return ++t->none[i] > 0;
    }
    if (!pn_mjcf_element(r, part->spec, node, TAG_ACTUATOR, 0, &e)) return 0;
    double group = 0;
    if (!pn_mjcf_number(&e, "group", &group)) return 0;
    if (group >= 0 && group <= 30 && (r->no_groups >> (int)group & 1)) return 1;
    pinion_actuator_def def = pinion_actuator_def_default();
    law_kind kind;
    if (!read_law(&e, part, &def, &kind)) return 0;
    if (kind.muscle) return ++t->none[0] > 0;
    if (!read_effort(&e, &kind, &def)) return 0;
    if (kind.lawless) count_law(&e, t);
    if (!read_delay(&e, &kind, &def)) return 0;
    const char *given = pn_xml_attribute(node, "name");
    char number[40];
    snprintf(number, sizeof number, "actuator%d", t->index);
    char *name = pn_mjcf_join(r, given && *given ? part->prefix : "", given && *given ? given : number, "");
    if (!name) return 0;
    def.name = name;
    def.line = pn_xml_line(node);
    const int ok = act(&e, part, &def);
    free(name);
    return ok;
}

static int tell(mjcf_reader *r, const tally *t)
{
    for (int i = 0; i < LAWS; i++) {
        if (t->law[i] && !pn_mjcf_left_out(
                             r, NULL, "the law of %d %s actuator%s is left out: u is the force %s", t->law[i],
                             laws[i], t->law[i] == 1 ? "" : "s", t->law[i] == 1 ? "it gives" : "they give"))
            return 0;
    }
    for (int i = 0; i < NONE; i++) {
        if (t->none[i] && !pn_mjcf_left_out(r, NULL, "%d %s actuator%s left out", t->none[i], none[i],
                                            t->none[i] == 1 ? " is" : "s are"))
            return 0;
    }
    return 1;
}

int pn_mjcf_rotors(mjcf_reader *r)
{
    for (int i = 0; i < r->parts.count; i++) {
        const xmlNode *root = r->parts.at[i].spec->root;
        for (xmlNode *n = pn_mjcf_first(root, "actuator"); n; n = pn_mjcf_next(n, "actuator")) {
            for (xmlNode *a = pn_mjcf_first(n, NULL); a; a = pn_mjcf_next(a, NULL)) {
                if (!add_rotor(r, &r->parts.at[i], a)) return 0;
            }
        }
    }
    return 1;
}

int pn_mjcf_actuators(mjcf_reader *r)
{
    tally t = {{0}, {0}, 0};
    if (pinion_builder_list_actuators(r->b, 1) != PINION_OK) return pn_xml_memory(&r->u);
    for (int i = 0; i < r->parts.count && !r->no_actuation; i++) {
        const xmlNode *root = r->parts.at[i].spec->root;
        for (xmlNode *n = pn_mjcf_first(root, "actuator"); n; n = pn_mjcf_next(n, "actuator")) {
            for (xmlNode *a = pn_mjcf_first(n, NULL); a; a = pn_mjcf_next(a, NULL), t.index++) {
                if (!read_actuator(r, &r->parts.at[i], a, &t)) return 0;
            }
        }
    }
    return tell(r, &t);
}
