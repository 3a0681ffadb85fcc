/* The law of an actuator of MJCF, in the form that all have in MuJoCo: force = gain times the control, or what a filter
 * makes of it, and a bias. Classes are gone through from the outermost on, as MuJoCo does: what a shortcut (<position>,
 * ...) says counts for its own kind and for <general>, and what <general> says for all. */
#include "io/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { MOTOR, POSITION, VELOCITY, INTEGRATED, DAMPER, CYLINDER, SHORTCUTS, GENERAL = SHORTCUTS, OTHER };
static const char *const kinds[] = {"motor", "position", "velocity", "intvelocity", "damper", "cylinder", "general"};

static int kind_of(const xmlNode *node)
{
    for (int i = 0; i <= GENERAL; i++)
        if (pn_xml_is(node, kinds[i])) return i;
    return OTHER;
}

/* What a shortcut is that nothing is said of. */
static mjcf_law standard(int kind)
{
    mjcf_law x = {.gain = {1}, .time = {1}};
    if (kind == DAMPER) x.gain[0] = 0;
    if (kind == DAMPER) x.gain_type = MJCF_AFFINE;
    return x;
}

/* kp, and kv or what it is of the critical damping: a bias[2] above 0, until the inertia is known. */
static int read_servo(const mjcf_element *e, int filtered, mjcf_law *x)
{
    double kp = x->gain[0], kv = 0, ratio = 0, time = x->dynamics == MJCF_FILTER_EXACT && filtered ? x->time[0] : 0;
    const int has_kv = pn_mjcf_numbers(e, "kv", 1, 1, &kv), has_ratio = pn_mjcf_numbers(e, "dampratio", 1, 1, &ratio);
    const int has_time = filtered ? pn_mjcf_numbers(e, "timeconst", 1, 1, &time) : 0;
    if (!pn_mjcf_number(e, "kp", &kp) || has_kv < 0 || has_ratio < 0 || has_time < 0) return 0;
    if (has_kv && has_ratio && kv > 0 && ratio > 0)
        return pn_xml_fail(&e->r->u, e->node, PINION_ERR_PARSE,
                           "<%.40s> has both kv and dampratio; expected one of them", (const char *)e->node->name);
    const double damping = has_ratio && ratio > 0 ? ratio : has_kv ? 0 - kv : x->bias[2];
    *x = (mjcf_law){.gain = {kp},
                    .bias = {0, 0 - kp, damping},
                    .time = {time > 0 || has_time ? time : 1},
                    .bias_type = MJCF_AFFINE,
                    .dynamics = !filtered ? MJCF_INTEGRATOR : time > 0 ? MJCF_FILTER_EXACT : MJCF_STATELESS};
    return 1;
}

static int read_velocity(const mjcf_element *e, mjcf_law *x)
{
    double kv = x->gain[0];
    if (!pn_mjcf_number(e, "kv", &kv)) return 0;
    *x = (mjcf_law){.gain = {kv}, .bias = {0, 0, 0 - kv}, .time = {1}, .bias_type = MJCF_AFFINE};
    return 1;
}

static int read_damper(const mjcf_element *e, mjcf_law *x)
{
    double kv = 0 - x->gain[2];
    if (!pn_mjcf_number(e, "kv", &kv)) return 0;
    *x = (mjcf_law){.gain = {0, 0, 0 - kv}, .time = {1}, .gain_type = MJCF_AFFINE};
    return kv >= 0 || pn_xml_fail(&e->r->u, e->node, PINION_ERR_PARSE,
                                  "<damper>: kv is negative; expected a number >= 0");
}

/* The pressure that the control sets, filtered, times an area. */
static int read_cylinder(const mjcf_element *e, mjcf_law *x)
{
    double time = x->time[0], area = x->gain[0], diameter = -1, bias[3];
    memcpy(bias, x->bias, sizeof bias);
    if (!pn_mjcf_number(e, "timeconst", &time) || pn_mjcf_numbers(e, "bias", 3, 3, bias) < 0 ||
        !pn_mjcf_number(e, "area", &area) || !pn_mjcf_number(e, "diameter", &diameter))
        return 0;
    *x = (mjcf_law){.gain = {diameter >= 0 ? PI / 4 * diameter * diameter : area},
                    .bias = {bias[0], bias[1], bias[2]},
                    .time = {time},
                    .bias_type = MJCF_AFFINE,
                    .dynamics = MJCF_FILTER};
    return 1;
}

/* What <general> says of its own; *some: whether it is anything. */
static int read_general(const mjcf_element *e, mjcf_law *x, int *some)
{
    static const char *const words[] = {"dyntype", "gaintype", "biastype"};
    static const char *const choices[] = {"none|integrator|filter|filterexact|muscle|dcmotor|pid|user",
                                          "fixed|affine|muscle|dcmotor|so3|pid|user",
                                          "none|affine|muscle|dcmotor|so3|user"};
    int *const to[] = {&x->dynamics, &x->gain_type, &x->bias_type};
    *some = 0;
    for (int i = 0; i < 3; i++) {
        *some = *some || pn_xml_attribute(e->node, words[i]);
        if (!pn_mjcf_word(e, words[i], choices[i], to[i])) return 0;
    }
    const int gain = pn_mjcf_numbers(e, "gainprm", 1, 10, x->gain);
    const int bias = pn_mjcf_numbers(e, "biasprm", 1, 10, x->bias), time = pn_mjcf_numbers(e, "dynprm", 1, 10, x->time);
    *some = *some || gain > 0 || bias > 0 || time > 0;
    return gain >= 0 && bias >= 0 && time >= 0;
}

/* What the classes say so far, the outermost first, and what the law of each is that of. */
typedef struct said {
    mjcf_law law[MJCF_MAX_LAYERS + 2];
    int kind[MJCF_MAX_LAYERS + 2];
    int count;
} said;

/* What a shortcut starts from: the innermost class that speaks of it, or of all. */
static mjcf_law start_of(const said *x, int kind)
{
    const mjcf_law none = standard(kind);
    for (int i = x->count - 1; i >= 0 && kind != MOTOR; i--)
        if ((x->kind[i] == kind || x->kind[i] == GENERAL) && x->law[i].gain_type == none.gain_type) return x->law[i];
    return none;
}

/* One element, of a class or the actuator itself. */
static int read_one(const mjcf_element *e, said *x)
{
    const int kind = kind_of(e->node), at = x->count - 1;
    mjcf_law law = kind < SHORTCUTS ? start_of(x, kind) : x->law[at];
    int ok = 1, some = 1;
    switch (kind) {
    case MOTOR: break;
    case POSITION: ok = read_servo(e, 1, &law); break;
    case VELOCITY: ok = read_velocity(e, &law); break;
    case INTEGRATED: ok = read_servo(e, 0, &law); break;
    case DAMPER: ok = read_damper(e, &law); break;
    case CYLINDER: ok = read_cylinder(e, &law); break;
    case GENERAL: ok = read_general(e, &law, &some); break;
    default: law.other = 1; break;
    }
    x->law[at] = law;
    if (some) x->kind[at] = kind;
    return ok;
}

int pn_mjcf_law(const mjcf_element *e, mjcf_law *out)
{
    const xmlNode *nodes[MJCF_MAX_LAYERS + 1] = {e->node};
    said x = {.law = {standard(GENERAL)}, .kind = {GENERAL}, .count = 1};
    int count = 1;
    for (int i = e->class_ < 0 ? -1 : e->s->classes[e->class_].layer[TAG_ACTUATOR]; i >= 0 && count <= MJCF_MAX_LAYERS;
         i = e->s->layers.at[i].next)
        nodes[count++] = e->s->layers.at[i].node;
    for (int i = count - 1; i >= 0; i--) {
        const mjcf_element one = {e->r, e->s, nodes[i], TAG_COUNT, -1};
        if (i == count - 1 || nodes[i]->parent != nodes[i + 1]->parent) { /* another class */
            x.law[x.count] = x.law[x.count - 1];
            x.kind[x.count] = x.kind[x.count - 1];
            x.count++;
        }
        if (!read_one(&one, &x)) return 0;
    }
    *out = x.law[x.count - 1];
    return 1;
}
