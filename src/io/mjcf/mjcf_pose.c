/* Where things are in MJCF: the five ways to give an orientation, and the two ends of a geom. */
#include "io/mjcf/mjcf.h"
#include "model/pose.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const double degree = 3.14159265358979323846 / 180;

/* A turn about a unit vector. */
static void turn_about(const double n[3], double angle, double R[9])
{
    const double q[4] = {cos(angle / 2), sin(angle / 2) * n[0], sin(angle / 2) * n[1], sin(angle / 2) * n[2]};
    pn_quaternion_matrix(q, R);
}

/* Makes a vector one of unit length; returns 0 where it has none. */
static int normalize(double v[3])
{
    const double length = pn_norm3(v);
    if (!(length > 1e-14)) return 0;
    for (int i = 0; i < 3; i++) v[i] /= length;
    return 1;
}

void pn_mjcf_euler(const mjcf_compiler *c, const double angles[3], double R[9])
{
    pinion_pose turned = pinion_pose_identity();
    for (int i = 0; i < 3; i++) {
        double n[3] = {0, 0, 0}, one[9];
        n[tolower((unsigned char)c->euler[i]) - 'x'] = 1;
        turn_about(n, angles[i] * (c->degrees ? degree : 1), one);
        if (islower((unsigned char)c->euler[i]))
            pn_matrix_mul(turned.rotation, one, turned.rotation);
        else
            pn_matrix_mul(one, turned.rotation, turned.rotation);
    }
    memcpy(R, turned.rotation, sizeof turned.rotation);
}

static int no_direction(const mjcf_element *e, const char *name)
{
    return pn_xml_fail(&e->r->u, e->node, PINION_ERR_MODEL,
                       "<%.40s %s> has no direction; expected a vector that is not 0",
                       (const char *)e->node->name, name);
}

/* Two axes: x, and y where it is not along x. */
static int read_axes(const mjcf_element *e, const double v[6], double R[9])
{
    double x[3] = {v[0], v[1], v[2]}, y[3] = {v[3], v[4], v[5]}, z[3];
    if (!normalize(x)) return no_direction(e, "xyaxes");
    const double along = pn_dot3(x, y);
    for (int i = 0; i < 3; i++) y[i] -= along * x[i];
    if (!normalize(y)) return no_direction(e, "xyaxes");
    pn_cross3(x, y, z);
    for (int i = 0; i < 3; i++) {
        R[3 * i] = x[i];
        R[3 * i + 1] = y[i];
        R[3 * i + 2] = z[i];
    }
    return 1;
}

/* The attribute that decides: the element's own, else the first in its class and those it is in. */
static int deciding(const mjcf_element *e)
{
    static const char *const names[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
    const xmlNode *node = e->node;
    int at = e->tag == TAG_COUNT || e->class_ < 0 ? -1 : e->s->classes[e->class_].layer[e->tag];
    for (;;) {
        int which = -1, count = 0;
        for (int i = 0; i < 5; i++) {
            if (!pn_xml_attribute(node, names[i])) continue;
            which = i;
            count++;
        }
        if (count > 1) {
            pn_xml_fail(&e->r->u, node, PINION_ERR_PARSE, "<%.40s> has %d orientations; expected one",
                        (const char *)node->name, count);
            return -2;
        }
        if (count || at < 0) return which;
        node = e->s->layers.at[at].node;
        at = e->s->layers.at[at].next;
    }
}

int pn_mjcf_orientation(const mjcf_element *e, double R[9])
{
    const pinion_pose straight = pinion_pose_identity();
    double v[6];
    memcpy(R, straight.rotation, sizeof straight.rotation);
    switch (deciding(e)) {
    case -1: return 1;
    case -2: return 0;
    case 0:
        if (pn_mjcf_numbers(e, "quat", 4, 4, v) < 0) return 0;
        if (!(hypot(hypot(v[0], v[1]), hypot(v[2], v[3])) > 1e-14)) return no_direction(e, "quat");
        pn_quaternion_matrix(v, R);
        return 1;
    case 1:
        if (pn_mjcf_numbers(e, "axisangle", 4, 4, v) < 0) return 0;
        if (!normalize(v)) return no_direction(e, "axisangle");
        turn_about(v, v[3] * (e->s->compiler.degrees ? degree : 1), R);
        return 1;
    case 2:
        if (pn_mjcf_numbers(e, "euler", 3, 3, v) < 0) return 0;
        pn_mjcf_euler(&e->s->compiler, v, R);
        return 1;
    case 3: return pn_mjcf_numbers(e, "xyaxes", 6, 6, v) > 0 && read_axes(e, v, R);
    default:
        if (pn_mjcf_numbers(e, "zaxis", 3, 3, v) < 0) return 0;
        if (!normalize(v)) return no_direction(e, "zaxis");
        pn_turn_z_to(v, R);
        return 1;
    }
}

int pn_mjcf_pose(const mjcf_element *e, pinion_pose *out)
{
    *out = pinion_pose_identity();
    return pn_mjcf_numbers(e, "pos", 3, 3, out->position) >= 0 && pn_mjcf_orientation(e, out->rotation);
}

int pn_mjcf_pose_or_ends(const mjcf_element *e, pinion_pose *out, double *half)
{
    double ends[6];
    *half = -1;
    const int given = pn_mjcf_numbers(e, "fromto", 6, 6, ends);
    if (given <= 0) return given == 0 && pn_mjcf_pose(e, out);
    double along[3];
    for (int i = 0; i < 3; i++) {
        out->position[i] = (ends[i] + ends[3 + i]) / 2;
        along[i] = ends[i] - ends[3 + i];
    }
    *half = pn_norm3(along) / 2;
    if (!normalize(along)) return no_direction(e, "fromto");
    pn_turn_z_to(along, out->rotation);
    return 1;
}
