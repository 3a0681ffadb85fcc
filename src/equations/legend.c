/* What the symbols mean, by the names of the model, and what their values are. */
#include <stdio.h>
#include <string.h>

#include "equations/equation_steps.h"

#define NAME 320 /* a name of 60 characters, each of them escaped for LaTeX */

/* The names around a compiled body, safe to print. */
typedef struct around {
    char link[NAME], joint[NAME], before[NAME], leader[NAME];
} around;

static void joint_name(const pinion_model *m, int node, int latex, char out[NAME])
{
    pinion_joint_info joint;
    const int found = node > 0 && pinion_model_joint(m, pn_joint_of_node(m, node), &joint) == PINION_OK;
    pn_eq_safe_name(found ? joint.name : "the base", latex, out, NAME);
}

static void names_around(const pinion_equations *e, const pinion_model *m, int node, around *out)
{
    const int latex = e->options.format == PINION_EQUATIONS_LATEX;
    const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
    pinion_body_info body;
    pinion_joint_info joint, leader;
    memset(out, 0, sizeof *out);
    if (node <= 0) return;
    if (nodes[node].body >= 0 && pinion_model_body(m, nodes[node].body, &body) == PINION_OK)
        pn_eq_safe_name(body.name, latex, out->link, NAME);
    joint_name(m, node, latex, out->joint);
    joint_name(m, e->parent[node], latex, out->before);
    if (pinion_model_joint(m, pn_joint_of_node(m, node), &joint) == PINION_OK && joint.leader >= 0 &&
        pinion_model_joint(m, joint.leader, &leader) == PINION_OK)
        pn_eq_safe_name(leader.name, latex, out->leader, NAME);
}

static const char *unit_of(const pinion_equations *e, const pn_eq_symbol *s)
{
    const int slides = s->kind != PN_EQ_POSITION && s->node > 0 && e->body[s->node].slides;
    switch (s->kind) {
    case PN_EQ_MASS: return "kg";
    case PN_EQ_GRAVITY: return "m/s^2";
    case PN_EQ_RATIO: return "";
    case PN_EQ_PITCH: return "m/rad";
    case PN_EQ_INERTIA: return "kg m^2";
    case PN_EQ_ROTOR: return slides ? "kg" : "kg m^2";
    default: return "m";
    }
}

static void meaning_of(const pinion_equations *e, const pinion_model *m, const pn_eq_symbol *s, char *text,
                       size_t size)
{
    static const char *const axis[3] = {"x", "y", "z"}, *const axes[6] = {"xx", "xy", "xz", "yy", "yz", "zz"};
    around n;
    names_around(e, m, s->node, &n);
    text[0] = 0;
    switch (s->kind) {
    case PN_EQ_MASS: snprintf(text, size, "mass of %s", n.link); break;
    case PN_EQ_GRAVITY:
        if (s->sub < 0)
            snprintf(text, size, "gravity");
        else
            snprintf(text, size, "gravity along %s of frame 1 at q = 0", axis[s->sub]);
        break;
    case PN_EQ_RATIO: snprintf(text, size, "displacement of %s over that of %s", n.joint, n.leader); break;
    case PN_EQ_LENGTH: snprintf(text, size, "distance of the axes of %s and %s", n.before, n.joint); break;
    case PN_EQ_BRANCH:
        snprintf(text, size, "along the axis of %s, to its common normal with that of %s", n.before, n.joint);
        break;
    case PN_EQ_PLACE:
        snprintf(text, size, "place of %s along %s of what carries it", n.joint, axis[s->sub]);
        break;
    case PN_EQ_OFFSET:
        if (e->body[s->node].slides)
            snprintf(text, size, "displacement of %s where its coordinate is 0", n.joint);
        else
            snprintf(text, size, "along the axis of %s, between its common normals", n.joint);
        break;
    case PN_EQ_PITCH: snprintf(text, size, "pitch of %s", n.joint); break;
    case PN_EQ_CENTER:
        snprintf(text, size, "centre of mass of %s along %s%s", n.link, s->backwards ? "-" : "",
                 axis[s->sub]);
        break;
    case PN_EQ_INERTIA:
        snprintf(text, size, "inertia of %s about its centre of mass, %s", n.link, axes[s->sub]);
        break;
    case PN_EQ_ROTOR: snprintf(text, size, "rotor of %s as seen at the joint", n.joint); break;
    }
}

static void angle_meaning(const pinion_equations *e, const pinion_model *m, const pn_eq_angle *a, char *text,
                          size_t size)
{
    around n;
    names_around(e, m, a->node, &n);
    if (a->kind == PN_EQ_ANGLE_TWIST)
        snprintf(text, size, "angle between the axes of %s and %s", n.before, n.joint);
    else if (a->kind == PN_EQ_ANGLE_BRANCH)
        snprintf(text, size, "angle about the axis of %s, to its common normal with that of %s", n.before,
                 n.joint);
    else
        snprintf(text, size, "angle of %s where its coordinate is 0", n.joint);
}

/* the node whose joint has this coordinate of its own */
static int node_of(const pinion_equations *e, int coordinate)
{
    for (int i = 1; i < e->nodes; i++)
        if (e->body[i].own == coordinate && !e->body[i].follows) return i;
    return 0;
}

static char *kept(pinion_equations *e, const char *text)
{
    char *copy = pn_eq_take(e, strlen(text) + 1, 1);
    if (copy) memcpy(copy, text, strlen(text) + 1);
    return copy;
}

static pinion_equation_symbol *next(pinion_equations *e, const char *name, const char *meaning)
{
    pinion_equation_symbol *s = &e->legend[e->legends++];
    s->name = kept(e, name);
    s->meaning = kept(e, meaning);
    s->coordinate = s->velocity = -1;
    return s;
}

/* coordinates and velocities */
static void add_coordinates(pinion_equations *e, const pinion_model *m, int latex)
{
    for (int k = 0; k < e->nv; k++) {
        char text[3 * NAME], name[40];
        around n;
        const int node = node_of(e, k), slides = e->body[node].slides;
        names_around(e, m, node, &n);
        snprintf(text, sizeof text, "%s of %s%s%s", slides ? "displacement" : "angle", n.joint,
                 *n.link ? ", which moves " : "", n.link);
        snprintf(name, sizeof name, latex ? "q_{%d}" : "q_%d", k + 1);
        pinion_equation_symbol *s = next(e, name, text);
        s->unit = slides ? "m" : "rad";
        s->coordinate = k;
        snprintf(text, sizeof text, "velocity of %s", n.joint);
        snprintf(name, sizeof name, latex ? "\\dot q_{%d}" : "v_%d", k + 1);
        s = next(e, name, text);
        s->unit = slides ? "m/s" : "rad/s";
        s->velocity = k;
    }
}

void pn_eq_legend(pinion_equations *e, const pinion_model *m)
{
    const int latex = e->options.format == PINION_EQUATIONS_LATEX;
    e->legend = pn_eq_take(e, (size_t)(e->symbols + e->angles + 2 * e->nv), sizeof *e->legend);
    if (e->failed) return;
    add_coordinates(e, m, latex);
    for (int i = 0; i < e->symbols && !e->failed; i++) {
        const pn_eq_symbol *s = &e->symbol[i];
        char text[3 * NAME];
        if (!s->used || s->kind == PN_EQ_POSITION) continue;
        meaning_of(e, m, s, text, sizeof text);
        pinion_equation_symbol *l = next(e, latex ? s->latex : s->name, text);
        l->unit = unit_of(e, s);
        l->value = s->value;
    }
    for (int i = 0; i < e->angles && !e->failed; i++) {
        const pn_eq_angle *a = &e->angle[i];
        char text[3 * NAME];
        if (!a->used || a->kind == PN_EQ_ANGLE_Q) continue;
        angle_meaning(e, m, a, text, sizeof text);
        pinion_equation_symbol *l = next(e, latex ? a->latex : a->name, text);
        l->unit = "rad";
        l->value = a->value;
    }
}
