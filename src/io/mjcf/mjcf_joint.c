/* Joints of MJCF. */
#include "base/curve.h"
#include "io/mjcf/mjcf.h"
#include "model/pose.h"

#include <math.h>
#include <string.h>

static const double degree = 3.14159265358979323846 / 180;

int pn_mjcf_polynomial(const mjcf_element *e, const char *name, int off, double *linear, double curve[2])
{
    double c[3] = {0, 0, 0};
    if (pn_mjcf_numbers(e, name, 1, 3, c) < 0) return 0;
    *linear = off ? 0 : c[0];
    for (int i = 0; i < 2; i++) curve[i] = off ? 0 : c[1 + i];
    return 1;
}

/* Whether a ball joint is limited: its range is 0 and an angle, which need not be larger then. */
static int read_ball_limited(const mjcf_element *e, int *limited)
{
    int said = 2;
    double range[2] = {0, 0};
    if (!pn_mjcf_word(e, "limited", "false|true|auto", &said)) return 0;
    if (said != 1) return pn_mjcf_limited(e, "limited", "range", limited);
    if (pn_mjcf_numbers(e, "range", 2, 2, range) < 0) return 0;
    *limited = 1;
    if (range[0] == 0) return 1;
    return pn_xml_fail(&e->r->u, e->node, PINION_ERR_PARSE,
                       "the range of a ball joint starts with %g; expected 0 and an angle", range[0]);
}

static int read_limits(const mjcf_element *e, mjcf_joint *j, double unit)
{
    double range[2] = {0, 0}, force[2] = {0, 0}, margin = 0;
    int limited = 0, force_limited = 0;
    if (j->type == PINION_JOINT_FREE) return 1;
    const int ball = j->type == PINION_JOINT_SPHERICAL;
    if (!(ball ? read_ball_limited(e, &limited) : pn_mjcf_limited(e, "limited", "range", &limited)) ||
        pn_mjcf_numbers(e, "range", 2, 2, range) < 0 ||
        !pn_mjcf_limited(e, "actuatorfrclimited", "actuatorfrcrange", &force_limited) ||
        pn_mjcf_numbers(e, "actuatorfrcrange", 2, 2, force) < 0 || !pn_mjcf_number(e, "margin", &margin))
        return 0;
    if (e->r->no_limits) limited = 0;
    if (limited && margin != 0) e->r->counts[COUNT_MARGINS]++;
    const int single = j->type == PINION_JOINT_CONTINUOUS || j->type == PINION_JOINT_PRISMATIC;
    if (force_limited && single) {
        j->dof.effort = fmax(fabs(force[0]), fabs(force[1]));
        if (force[0] != -force[1] &&
            !pn_mjcf_left_out(e->r, e->node,
                              "actuatorfrcrange is not symmetric; its larger side counts for both"))
            return 0;
    }
    if (!limited) return 1;
    if (!single) return pn_mjcf_left_out(e->r, e->node, "<joint type=\"ball\">: its range is left out");
    j->dof.lower = range[0] * unit;
    j->dof.upper = range[1] * unit;
    if (j->type == PINION_JOINT_CONTINUOUS) j->type = PINION_JOINT_REVOLUTE;
    return 1;
}

/* Springs, damping, friction and armature. */
static int read_passive(const mjcf_element *e, mjcf_joint *j, double unit)
{
    const mjcf_reader *r = e->r;
    double friction = 0, rest = 0, pair[2] = {0, 0};
    if (!pn_mjcf_polynomial(e, "damping", r->no_dampers, &j->dof.damping, j->dof.damping_curve) ||
        !pn_mjcf_polynomial(e, "stiffness", r->no_springs, &j->dof.stiffness, j->dof.stiffness_curve) ||
        !pn_mjcf_number(e, "frictionloss", &friction) || !pn_mjcf_number(e, "springref", &rest) ||
        !pn_mjcf_number(e, "armature", &j->dof.rotor_inertia) ||
        pn_mjcf_numbers(e, "springdamper", 2, 2, pair) < 0)
        return 0;
    j->dof.friction_positive = j->dof.friction_negative = r->no_friction ? 0 : friction;
    j->dof.rest = rest * unit;
    if (pair[0] > 0 && pair[1] > 0) memcpy(j->auto_spring, pair, sizeof pair);
    if (j->type == PINION_JOINT_FREE && friction != 0 && !r->no_friction) {
        j->dof.friction_positive = j->dof.friction_negative = 0; /* it is along the axes of the world there */
        if (!pn_mjcf_left_out(e->r, e->node, "the frictionloss of a free joint is left out")) return 0;
    }
    if (j->type == PINION_JOINT_FREE && pn_is_curved(j->dof.damping_curve) &&
        !pn_mjcf_left_out(e->r, e->node, "damping of a free joint: the terms of higher order of its place are left "
                                         "out, which are along the axes of the world"))
        return 0;
    /* they are relaxed where they are drawn */
    if (j->type == PINION_JOINT_SPHERICAL || j->type == PINION_JOINT_FREE) j->dof.rest = 0;
    return 1;
}

int pn_mjcf_joint(mjcf_element e, const pinion_pose *frame, int body, const char *prefix, const char *suffix)
{
    static const pinion_joint_type types[] = {PINION_JOINT_FREE, PINION_JOINT_SPHERICAL,
                                              PINION_JOINT_PRISMATIC, PINION_JOINT_CONTINUOUS};
    mjcf_reader *r = e.r;
    const pinion_joint_def standard = pinion_joint_def_default();
    const int is_free = pn_xml_is(e.node, "freejoint");
    int type = is_free ? 0 : 3, align = e.s->compiler.align_free ? 1 : 0;
    if (!pn_mjcf_known(
            &e, is_free
                    ? "name group align"
                    : "name class type group pos axis springdamper limited actuatorfrclimited solreflimit "
                      "solimplimit solreffriction solimpfriction stiffness range actuatorfrcrange "
                      "actuatorgravcomp margin ref springref armature damping frictionloss user align"))
        return 0;
    if (!is_free && !pn_mjcf_word(&e, "type", "free|ball|slide|hinge", &type)) return 0;
    if (!MJCF_ADD(r, r->joints)) return 0;
    mjcf_joint *j = &MJCF_LAST(r->joints);
    *j = (mjcf_joint){
        .body = body, .type = types[type], .axis = {0, 0, 1}, .dof = standard.dof[0], .node = e.node};
    const char *name = pn_xml_attribute(e.node, "name");
    if (name && *name && !(j->name = pn_mjcf_join(r, prefix, name, suffix))) return 0;
    if (body == 0)
        return pn_xml_fail(&r->u, e.node, PINION_ERR_MODEL, "a joint of the world; expected it in a <body>");
    if (type == 0) {
        if (r->bodies.at[body].parent != 0)
            return pn_xml_fail(&r->u, e.node, PINION_ERR_MODEL,
                               "a free joint of a body within another; expected it in one below <worldbody>");
        const char *said = pn_xml_attribute(e.node, "align");
        if (said && strcmp(said, "auto") != 0) align = strcmp(said, "true") == 0;
        if (align &&
            !pn_mjcf_left_out(r, e.node, "align is left out: the free joint moves the body's own frame"))
            return 0;
    }
    if (is_free) return 1;

    const double unit = j->type == PINION_JOINT_CONTINUOUS && e.s->compiler.degrees ? degree : 1;
    const double ball = e.s->compiler.degrees ? degree : 1;
    if (!read_passive(&e, j, unit) || !read_limits(&e, j, type == 1 ? ball : unit)) return 0;
    if (type <= 1) {
        if (type == 0) return 1;
    } else if (!pn_mjcf_number(&e, "ref", &j->ref) || pn_mjcf_numbers(&e, "axis", 3, 3, j->axis) < 0) {
        return 0;
    }
    if (pn_mjcf_numbers(&e, "pos", 3, 3, j->pos) < 0) return 0;
    j->ref *= unit;
    pn_rotate(frame->rotation, j->axis, j->axis);
    pn_rotate(frame->rotation, j->pos, j->pos);
    for (int i = 0; i < 3; i++) j->pos[i] += frame->position[i];
    const double length = pn_norm3(j->axis);
    if (!(length > 1e-14))
        return pn_xml_fail(&r->u, e.node, PINION_ERR_MODEL,
                           "<joint axis> has no direction; expected a vector that is not 0");
    for (int i = 0; i < 3; i++) j->axis[i] /= length;
    return 1;
}
