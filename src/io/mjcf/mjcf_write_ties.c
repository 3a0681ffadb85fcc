/* The MJCF writer: loops and joints that follow others as equality constraints, tendons.
 *
 * Ends of loops are sites: named frames that have their place, or sites of their own. */
#include "base/quartic.h"
#include "base/curve.h"
#include "io/mjcf/mjcf_write.h"
#include "model/pose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Which sites a loop has at each end: none, one, or two on the axis of a hinge. */
static int sites_of(const pinion_loop_info *l)
{
    if (l->kind == PINION_LOOP_SPRING) return 1;
    if (l->kind != PINION_LOOP_JOINT) return 0;
    if (l->joint.type == PINION_JOINT_SPHERICAL || l->joint.type == PINION_JOINT_FIXED) return 1;
    return l->joint.type == PINION_JOINT_REVOLUTE || l->joint.type == PINION_JOINT_CONTINUOUS ? 2 : 0;
}

/* Where site `k` of an end is on its link. */
static pinion_pose site_pose(const pinion_loop_info *l, int end, int k)
{
    pinion_pose pose = end ? l->joint.child_pose : l->joint.parent_pose;
    double axis[3];
    pn_rotate(pose.rotation, l->joint.axis, axis);
    for (int i = 0; i < 3 && k; i++) pose.position[i] += axis[i];
    return pose;
}

/* The named frame at that place, -1 if there is none. */
static int frame_at(const mjcf_writer *w, int link, const pinion_pose *pose)
{
    for (int i = w->frame[link]; i >= 0; i = w->next_frame[i]) {
        pinion_frame_info f;
        if (pinion_model_frame(w->m, i, &f) == PINION_OK && memcmp(&f.pose, pose, sizeof *pose) == 0) return i;
    }
    return -1;
}

static const char *end_name(const mjcf_writer *w, const pinion_loop_info *l, int end, int k, char out[MJCF_WRITE_NAME])
{
    const pinion_pose pose = site_pose(l, end, k);
    const int frame = frame_at(w, end ? l->joint.child : l->joint.parent, &pose);
    if (frame >= 0) return pn_mjcf_site_name(w, frame, out);
    for (int i = 0; i < 1000; i++) {
        snprintf(out, MJCF_WRITE_NAME, i ? "%.255s.%s%s.%d" : "%.255s.%s%s", l->name, end ? "b" : "a", k ? "2" : "", i);
        if (pinion_model_find_frame(w->m, out) < 0) break;
    }
    return out;
}

void pn_mjcf_put_loop_sites(mjcf_writer *w, int link, const char *indent)
{
    for (int at = w->end[link]; at >= 0; at = w->next_end[at]) {
        pinion_loop_info l;
        char name[MJCF_WRITE_NAME];
        const int end = at % 2;
        if (pinion_model_loop(w->m, at / 2, &l) != PINION_OK) continue;
        for (int k = 0; k < sites_of(&l); k++) {
            const pinion_pose pose = site_pose(&l, end, k);
            if (frame_at(w, link, &pose) >= 0) continue;
            pn_text_add(&w->out, "%s  <site", indent);
            pn_mjcf_put_text(w, "name", end_name(w, &l, end, k, name));
            pn_mjcf_put_pose(w, &pose);
            pn_text_append(&w->out, "/>\n");
        }
    }
}

/* ---------------------------------------------------------------------------------------------
 * Equality constraints */

/* Where a joint is drawn, and its name in the file. */
static double drawn_at(const mjcf_writer *w, int joint)
{
    pinion_joint_info j;
    if (pinion_model_joint(w->m, joint, &j) != PINION_OK) return 0;
    return j.has_initial && j.leader < 0 ? j.initial_q[0] : 0;
}

/* second = the polynomial a of the first; without a first the second stays at a[0]. */
static void put_tie(mjcf_writer *w, const char *name, int second, int first, const double a[5])
{
    char text[MJCF_WRITE_NAME];
    double c[5] = {a[0], a[1], a[2], a[3], a[4]};
    pn_text_append(&w->out, "    <joint");
    if (name) pn_mjcf_put_text(w, "name", name);
    pn_mjcf_put_text(w, "joint1", pn_mjcf_part_name(w, second, 0, text));
    if (first >= 0) {
        pn_mjcf_put_text(w, "joint2", pn_mjcf_part_name(w, first, 0, text));
        pn_quartic_shift(c, drawn_at(w, first));
    }
    c[0] -= drawn_at(w, second);
    pn_mjcf_put_numbers(w, "polycoef", c, 5);
    pn_text_append(&w->out, "/>\n");
}

static void put_connection(mjcf_writer *w, const pinion_loop_info *l, const char *element, const char *name, int k)
{
    char text[MJCF_WRITE_NAME];
    pn_text_add(&w->out, "    <%s", element);
    pn_mjcf_put_text(w, "name", name);
    pn_mjcf_put_text(w, "site1", end_name(w, l, 0, k, text));
    pn_mjcf_put_text(w, "site2", end_name(w, l, 1, k, text));
    pn_text_append(&w->out, "/>\n");
}

static int is_steady(const pinion_motion *x)
{
    return x->rate == 0 && x->acceleration == 0 && x->amplitude == 0;
}

static int put_loop(mjcf_writer *w, const pinion_loop_info *l)
{
    char second[MJCF_WRITE_NAME];
    if (l->kind == PINION_LOOP_SPRING) return 1; /* a tendon */
    if ((l->kind == PINION_LOOP_GEAR || l->kind == PINION_LOOP_DRIVE) && is_steady(&l->motion)) {
        const int gear = l->kind == PINION_LOOP_GEAR;
        const double a[5] = {l->motion.offset, gear ? l->ratio : 0, l->curve[0], l->curve[1], l->curve[2]};
        put_tie(w, l->name, gear ? l->second : l->first, gear ? l->first : -1, a);
        return 1;
    }
    if (!sites_of(l))
        return pn_lose(w->l, 1, l->kind == PINION_LOOP_JOINT ? "loop joint" : "constraint", l->name, "it is left out");
    for (int i = 0; i < l->nv; i++) {
        const pinion_dof *d = &l->joint.dof[i];
        if ((d->damping != 0 || pn_is_curved(d->damping_curve) || d->friction_positive != 0 ||
             d->friction_negative != 0 || d->stiffness != 0 || pn_is_curved(d->stiffness_curve)) &&
            !pn_lose(w->l, 1, "loop joint", l->name, "its spring, damper and friction are left out"))
            return 0;
    }
    put_connection(w, l, l->joint.type == PINION_JOINT_FIXED ? "weld" : "connect", l->name, 0);
    if (sites_of(l) == 1) return 1;
    snprintf(second, sizeof second, "%.255s.axis", l->name);
    put_connection(w, l, "connect", second, 1);
    return 1;
}

static int put_follower(mjcf_writer *w, int joint)
{
    pinion_joint_info j;
    if (pinion_model_joint(w->m, joint, &j) != PINION_OK) return 0;
    if (j.leader < 0) return 1;
    if (!pn_lose(w->l, 1, "joint", j.name,
                 "a constraint holds it to the one it follows, and it has a coordinate of its own"))
        return 0;
    if (j.dof_count != 1) return pn_lose(w->l, 1, "joint", j.name, "that it follows another one is left out");
    put_tie(w, NULL, joint, j.leader, (double[5]){j.offset, j.multiplier});
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Tendons */

void pn_mjcf_put_curved(mjcf_writer *w, const char *name, double linear, const double curve[2])
{
    const double all[3] = {linear, curve[0], curve[1]};
    if (linear != 0 || pn_is_curved(curve)) pn_mjcf_put_numbers(w, name, all, pn_is_curved(curve) ? 3 : 1);
}

/* The rest of an element of a tendon, with its limits or NULL. */
static void put_force(mjcf_writer *w, const double rest[2], const double *limits)
{
    double length[2] = {rest[0], rest[1]};
    if (length[0] == -1 && length[1] == -1) length[0] = nextafter(-1, -2); /* both mean: as drawn */
    pn_mjcf_put_numbers(w, "springlength", length, 2);
    if (limits && (isfinite(limits[0]) || isfinite(limits[1]))) {
        pn_text_append(&w->out, " limited=\"true\"");
        pn_mjcf_put_numbers(w, "range", limits, 2);
    }
    pn_text_append(&w->out, ">\n");
}

static int put_tendon(mjcf_writer *w, int index)
{
    pinion_tendon_info t;
    char text[MJCF_WRITE_NAME];
    if (pinion_model_tendon(w->m, index, &t) != PINION_OK) return 0;
    const char *element = t.type == PINION_TENDON_JOINTS ? "fixed" : "spatial";
    pn_text_add(&w->out, "    <%s", element);
    pn_mjcf_put_text(w, "name", t.name);
    pn_mjcf_put_curved(w, "stiffness", t.stiffness, t.stiffness_curve);
    pn_mjcf_put_curved(w, "damping", t.damping, t.damping_curve);
    put_force(w, t.rest, t.limits);
    for (int k = 0; k < t.count; k++) {
        const pinion_tendon_term *x = &t.term[k];
        pn_text_add(&w->out, "      <%s", t.type == PINION_TENDON_JOINTS ? "joint" : x->index < 0 ? "pulley" : "site");
        if (t.type == PINION_TENDON_JOINTS) {
            pn_mjcf_put_text(w, "joint", pn_mjcf_part_name(w, x->index, 0, text));
            pn_mjcf_put_number(w, "coef", x->weight);
        } else if (x->index < 0) {
            pn_mjcf_put_number(w, "divisor", x->weight);
        } else {
            pn_mjcf_put_text(w, "site", pn_mjcf_site_name(w, x->index, text));
        }
        pn_text_append(&w->out, "/>\n");
    }
    pn_text_add(&w->out, "    </%s>\n", element);
    return 1;
}

/* The spring between two points. */
static void put_spring(mjcf_writer *w, const pinion_loop_info *l)
{
    char text[MJCF_WRITE_NAME];
    const double rest[2] = {l->length, l->length};
    pn_text_append(&w->out, "    <spatial");
    pn_mjcf_put_text(w, "name", l->name);
    pn_mjcf_put_curved(w, "stiffness", l->joint.dof[0].stiffness, l->joint.dof[0].stiffness_curve);
    pn_mjcf_put_curved(w, "damping", l->joint.dof[0].damping, l->joint.dof[0].damping_curve);
    put_force(w, rest, NULL);
    for (int end = 0; end < 2; end++) {
        pn_text_append(&w->out, "      <site");
        pn_mjcf_put_text(w, "site", end_name(w, l, end, 0, text));
        pn_text_append(&w->out, "/>\n");
    }
    pn_text_append(&w->out, "    </spatial>\n");
}

/* An element, unless nothing was put into it. */
static void close_section(mjcf_writer *w, size_t before, const char *name)
{
    if (w->out.failed) return;
    if (w->out.length == before + strlen(name) + 5)
        w->out.at[w->out.length = before] = '\0';
    else
        pn_text_add(&w->out, "  </%s>\n", name);
}

int pn_mjcf_put_ties(mjcf_writer *w)
{
    size_t before = w->out.length;
    pinion_loop_info l;
    pn_text_append(&w->out, "  <tendon>\n");
    for (int i = 0; i < pinion_model_tendon_count(w->m); i++)
        if (!put_tendon(w, i)) return 0;
    for (int i = 0; i < pinion_model_loop_count(w->m); i++) {
        if (pinion_model_loop(w->m, i, &l) != PINION_OK) return 0;
        if (l.kind == PINION_LOOP_SPRING) put_spring(w, &l);
    }
    for (int i = 0; i < pinion_model_actuator_count(w->m); i++) pn_mjcf_put_sum(w, i);
    close_section(w, before, "tendon");
    before = w->out.length;
    pn_text_append(&w->out, "  <equality>\n");
    for (int i = 0; i < pinion_model_loop_count(w->m); i++)
        if (pinion_model_loop(w->m, i, &l) != PINION_OK || !put_loop(w, &l)) return 0;
    for (int i = 0; i < pinion_model_joint_count(w->m); i++)
        if (!put_follower(w, i)) return 0;
    close_section(w, before, "equality");
    return 1;
}
