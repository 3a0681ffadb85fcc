/* The MJCF writer: actuators, and named states as keyframes. */
#include "base/law.h"
#include "io/mjcf/mjcf_write.h"
#include "model/pose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether an actuator can act on a degree of freedom: all but what a file has along other axes. */
static int is_there(const mjcf_writer *w, const pinion_actuator_term *t, pinion_joint_info *j)
{
    if (pinion_model_joint(w->m, t->joint, j) != PINION_OK) return 0;
    return !(j->type == PINION_JOINT_FREE && t->dof >= 3) && !(j->type == PINION_JOINT_PLANAR && t->dof < 2);
}

static int has_several(const pinion_joint_info *j)
{
    return j->type == PINION_JOINT_FREE || j->type == PINION_JOINT_SPHERICAL;
}

/* An actuator on several joints acts on a tendon, but where these are parts of a ball. */
static int is_on_tendon(const mjcf_writer *w, const pinion_actuator_info *a)
{
    pinion_joint_info j;
    for (int i = 0; i < a->term_count; i++)
        if (!is_there(w, &a->term[i], &j) || has_several(&j)) return 0;
    return a->type == PINION_ACTUATOR_SUM;
}

static const char *tendon_name(const mjcf_writer *w, const char *actuator, char out[MJCF_WRITE_NAME])
{
    for (int i = 0; i < 1000; i++) {
        snprintf(out, MJCF_WRITE_NAME, i ? "%.255s_tendon%d" : "%.255s_tendon", actuator, i);
        if (pinion_model_find_tendon(w->m, out) < 0 && pinion_model_find_loop(w->m, out) < 0) break;
    }
    return out;
}

void pn_mjcf_put_sum(mjcf_writer *w, int index)
{
    pinion_actuator_info a;
    char text[MJCF_WRITE_NAME];
    if (pinion_model_actuator(w->m, index, &a) != PINION_OK || !is_on_tendon(w, &a)) return;
    pn_text_append(&w->out, "    <fixed");
    pn_mjcf_put_text(w, "name", tendon_name(w, a.name, text));
    pn_text_append(&w->out, ">\n");
    for (int i = 0; i < a.term_count; i++) {
        pn_text_append(&w->out, "      <joint");
        pn_mjcf_put_text(w, "joint", pn_mjcf_part_name(w, a.term[i].joint, a.term[i].dof, text));
        pn_mjcf_put_number(w, "coef", a.term[i].weight);
        pn_text_append(&w->out, "/>\n");
    }
    pn_text_append(&w->out, "    </fixed>\n");
}

/* What it acts on; 1, or 0 where the format has nothing like it. */
static int put_target(mjcf_writer *w, const pinion_actuator_info *a)
{
    const double gain = a->gear * a->efficiency;
    double gear[6] = {gain, 0, 0, 0, 0, 0};
    char text[MJCF_WRITE_NAME];
    pinion_joint_info j;
    if (a->type == PINION_ACTUATOR_FRAME || a->type == PINION_ACTUATOR_PAIR) {
        pn_mjcf_put_text(w, "site", pn_mjcf_site_name(w, a->frame, text));
        if (a->reference >= 0) pn_mjcf_put_text(w, "refsite", pn_mjcf_site_name(w, a->reference, text));
        for (int i = 0; i < 6; i++) gear[i] = gain * a->wrench[(i + 3) % 6];
        pn_mjcf_put_numbers(w, "gear", gear, 6);
        return 1;
    }
    if (a->type == PINION_ACTUATOR_CRANK) {
        pn_mjcf_put_text(w, "cranksite", pn_mjcf_site_name(w, a->frame, text));
        pn_mjcf_put_text(w, "slidersite", pn_mjcf_site_name(w, a->reference, text));
        pn_mjcf_put_number(w, "cranklength", a->rod);
        pn_mjcf_put_number(w, "gear", gain);
        return 1;
    }
    if (a->type == PINION_ACTUATOR_TENDON) {
        pinion_tendon_info tendon;
        if (pinion_model_tendon(w->m, a->tendon, &tendon) != PINION_OK) return 0;
        pn_mjcf_put_text(w, "tendon", tendon.name);
        pn_mjcf_put_number(w, "gear", gain);
        return 1;
    }
    if (is_on_tendon(w, a)) {
        pn_mjcf_put_text(w, "tendon", tendon_name(w, a->name, text));
        pn_mjcf_put_number(w, "gear", gain);
        return 1;
    }
    if (!is_there(w, &a->term[0], &j)) return 0;
    if (has_several(&j)) gear[0] = 0;
    for (int i = 0; i < a->term_count && has_several(&j); i++) {
        pinion_joint_info other;
        if (!is_there(w, &a->term[i], &other) || a->term[i].joint != a->term[0].joint) return 0;
        gear[a->term[i].dof + (j.type == PINION_JOINT_FREE ? 3 : 0)] += gain * a->term[i].weight;
    }
    if (!has_several(&j) && a->term_count > 1) return 0;
    pn_mjcf_put_text(w, "joint", pn_mjcf_part_name(w, a->term[0].joint, has_several(&j) ? 0 : a->term[0].dof, text));
    pn_mjcf_put_numbers(w, "gear", gear, has_several(&j) ? 6 : 1);
    return 1;
}

/* Whether it has a law of its own, or a filter: a motor has neither. */
static int is_general(const pinion_actuator_info *a)
{
    return a->dynamics.lag > 0 || pn_law_acts(&a->law);
}

/* A lag is the filter of a law whose force is a multiple of its control; else that would be another one. */
static int put_law(mjcf_writer *w, const pinion_actuator_info *a)
{
    const pinion_actuator_law *law = &a->law;
    const int bias = pn_law_has_bias(law), own = bias || pn_law_has_slope(law) || pn_law_has_activation(law);
    if (law->integrates) pn_text_append(&w->out, " dyntype=\"integrator\"");
    if (law->filter > 0 || (a->dynamics.lag > 0 && !own)) {
        pn_text_append(&w->out, " dyntype=\"filterexact\"");
        pn_mjcf_put_number(w, "dynprm", own ? law->filter : a->dynamics.lag);
    }
    if (pn_law_has_activation(law) && isfinite(law->state[0]) && isfinite(law->state[1]) &&
        law->state[0] < law->state[1])
        pn_mjcf_put_numbers(w, "actrange", law->state, 2);
    else if ((isfinite(law->state[0]) || isfinite(law->state[1])) &&
             !pn_lose(w->l, 1, "actuator", a->name, "the range of its activation is left out"))
        return 0;
    const double gain[3] = {law->gain, law->slope[0], law->slope[1]};
    if (pn_law_has_slope(law)) pn_text_append(&w->out, " gaintype=\"affine\"");
    if (law->gain != 1 || own) pn_mjcf_put_numbers(w, "gainprm", gain, pn_law_has_slope(law) ? 3 : 1);
    if (bias) {
        pn_text_append(&w->out, " biastype=\"affine\"");
        pn_mjcf_put_numbers(w, "biasprm", law->bias, 3);
    }
    const double *range = law->control;
    if (range[0] < range[1] && isfinite(range[0]) && isfinite(range[1]))
        pn_mjcf_put_numbers(w, "ctrlrange", range, 2);
    else if ((isfinite(range[0]) || isfinite(range[1])) &&
             !pn_lose(w->l, 0, "actuator", a->name, "the range of its control is left out"))
        return 0;
    return a->dynamics.lag == 0 || !own || pn_lose(w->l, 1, "actuator", a->name, "its lag is left out");
}

static int put_actuator(mjcf_writer *w, int index)
{
    pinion_actuator_info a;
    if (pinion_model_actuator(w->m, index, &a) != PINION_OK) return 0;
    const size_t before = w->out.length;
    const pinion_actuator_dynamics *d = &a.dynamics;
    pn_text_add(&w->out, "    <%s", is_general(&a) ? "general" : "motor");
    pn_mjcf_put_text(w, "name", a.name);
    if (!put_target(w, &a)) {
        if (!w->out.failed) w->out.at[w->out.length = before] = '\0';
        return pn_lose(w->l, 1, "actuator", a.name, "it is left out");
    }
    if (!put_law(w, &a)) return 0;
    if (a.effort[0] < a.effort[1] && (isfinite(a.effort[0]) || isfinite(a.effort[1])))
        pn_mjcf_put_numbers(w, "forcerange", a.effort, 2);
    else if (!(a.effort[0] < a.effort[1]) && !pn_lose(w->l, 0, "actuator", a.name, "its limits are left out"))
        return 0;
    pn_text_append(&w->out, "/>\n");
    if (a.type != PINION_ACTUATOR_JOINT && isfinite(a.velocity) &&
        !pn_lose(w->l, 0, "actuator", a.name, "its largest speed is left out"))
        return 0;
    return (d->delay == 0 && d->torque_constant == 0 && d->initial == 0) ||
           pn_lose(w->l, 1, "actuator", a.name, "its delay, its motor and what it starts with are left out");
}

/* ---------------------------------------------------------------------------------------------
 * Keyframes */

static void put_values(mjcf_writer *w, const double *x, int count)
{
    for (int i = 0; i < count; i++) {
        pn_text_append(&w->out, " ");
        pn_text_number(&w->out, x[i] + 0.0);
    }
}

/* A joint's part of qpos or qvel. A free joint has its position first, and its linear velocity in the world. */
static void put_coordinates(mjcf_writer *w, const mjcf_written *at, const double *q, const double *v, int velocity)
{
    pinion_joint_info j;
    if (pinion_model_joint(w->m, at->joint, &j) != PINION_OK) return;
    if (j.type == PINION_JOINT_FREE) {
        const double *own = q + j.q_index;
        pinion_pose pose;
        double quaternion[4], linear[3];
        pn_quaternion_matrix(own, pose.rotation);
        memcpy(pose.position, own + 4, sizeof pose.position);
        pose = pn_pose_mul(&j.parent_pose, &pose);
        pn_matrix_quaternion(pose.rotation, quaternion);
        if (pn_pose_is_identity(&j.parent_pose)) memcpy(quaternion, own, sizeof quaternion);
        if (velocity) pn_rotate(pose.rotation, v + j.v_index + 3, linear);
        put_values(w, velocity ? linear : pose.position, 3);
        put_values(w, velocity ? v + j.v_index : quaternion, velocity ? 3 : 4);
    } else if (j.type == PINION_JOINT_SPHERICAL) {
        put_values(w, velocity ? v + j.v_index : q + j.q_index, velocity ? 3 : 4);
    } else {
        const double x = velocity ? j.multiplier * v[j.v_source + at->part]
                                  : j.multiplier * q[j.q_source + at->part] + j.offset;
        put_values(w, &x, 1);
    }
}

static int put_states(mjcf_writer *w)
{
    const int count = pinion_model_state_count(w->m), nq = pinion_model_nq(w->m), nv = pinion_model_nv(w->m);
    double *q = malloc((size_t)(nq + nv + 1) * sizeof *q), *v = q ? q + nq : NULL;
    if (!q) return 0;
    if (count) pn_text_append(&w->out, "  <keyframe>\n");
    for (int i = 0; i < count && pinion_model_state(w->m, i, q, v) == PINION_OK; i++) {
        pn_text_append(&w->out, "    <key");
        pn_mjcf_put_text(w, "name", pinion_model_state_name(w->m, i));
        for (int velocity = 0; velocity < 2; velocity++) {
            pn_text_append(&w->out, velocity ? " qvel=\"" : " qpos=\"");
            for (int k = 0; k < w->count; k++) put_coordinates(w, &w->written[k], q, v, velocity);
            pn_text_append(&w->out, "\"");
        }
        pn_text_append(&w->out, "/>\n");
    }
    if (count) pn_text_append(&w->out, "  </keyframe>\n");
    free(q);
    for (int i = 0; i < pinion_model_group_count(w->m); i++)
        if (!pn_lose(w->l, 0, "group", pinion_model_group_name(w->m, i), "it is left out")) return 0;
    return 1;
}

int pn_mjcf_put_drives(mjcf_writer *w)
{
    const int count = pinion_model_actuator_count(w->m);
    if (count) pn_text_append(&w->out, "  <actuator>\n");
    for (int i = 0; i < count; i++)
        if (!put_actuator(w, i)) return 0;
    if (count) pn_text_append(&w->out, "  </actuator>\n");
    return put_states(w);
}
