/* Writes the joints of a model, of its tree and of its loops, and the other constraints. */
#include <math.h>

#include "io/json/json_write.h"

/* ---------------------------------------------------------------------------------------------
 * Joints */

/* JSON has no infinity: null says that there is no limit. */
static void write_limit(pn_text *t, double x)
{
    if (isfinite(x))
        pn_text_number(t, x);
    else
        pn_text_append(t, "null");
}

/* What a degree of freedom may have, in the order of writing. */
enum { LIMITS, VELOCITY, EFFORT, DAMPING, FRICTION, ROTOR, SPRING, PART_COUNT };
static const char *const part_key[PART_COUNT] = {"limits",   "velocity", "effort", "damping",
                                                 "friction", "rotor",    "spring"};

/* Nonzero when it is not the default. */
static int part_is_set(int part, const pinion_dof *d)
{
    switch (part) {
    case LIMITS: return isfinite(d->lower) || isfinite(d->upper);
    case VELOCITY: return isfinite(d->velocity);
    case EFFORT: return isfinite(d->effort);
    case DAMPING: return d->damping != 0 || !pn_json_is_zero(d->damping_curve, 2);
    case FRICTION: return d->friction_positive != 0 || d->friction_negative != 0;
    case ROTOR: return d->rotor_inertia != 0 || d->gear_ratio != 1;
    default: return d->stiffness != 0 || d->rest != 0 || !pn_json_is_zero(d->stiffness_curve, 2);
    }
}

/* {"first": x, "second": y}; the second only when it is not the default. */
static void write_pair(pn_text *t, const char *first, double x, const char *second, double y,
                       double y_default)
{
    pn_text_add(t, "{\"%s\": ", first);
    pn_text_number(t, x);
    if (y != y_default) {
        pn_text_add(t, ", \"%s\": ", second);
        pn_text_number(t, y);
    }
    pn_text_append(t, "}");
}

static void write_part(pn_text *t, int part, const pinion_dof *d)
{
    switch (part) {
    case LIMITS:
        pn_text_append(t, "[");
        write_limit(t, d->lower);
        pn_text_append(t, ", ");
        write_limit(t, d->upper);
        pn_text_append(t, "]");
        break;
    case VELOCITY: write_limit(t, d->velocity); break;
    case EFFORT: write_limit(t, d->effort); break;
    case DAMPING: pn_json_put_curved(t, d->damping, d->damping_curve); break;
    case FRICTION:
        if (d->friction_positive == d->friction_negative)
            pn_text_number(t, d->friction_positive);
        else
            write_pair(t, "positive", d->friction_positive, "negative", d->friction_negative, 0);
        break;
    case ROTOR: write_pair(t, "inertia", d->rotor_inertia, "gear", d->gear_ratio, 1); break;
    default:
        pn_text_append(t, "{\"stiffness\": ");
        pn_json_put_curved(t, d->stiffness, d->stiffness_curve);
        if (d->rest != 0) {
            pn_text_append(t, ", \"rest\": ");
            pn_text_number(t, d->rest);
        }
        pn_text_append(t, "}");
        break;
    }
}

/* One degree of freedom has the value itself, several an array with null for the defaults. */
static void write_dofs(pn_json_writer *w, const pinion_joint_info *j)
{
    for (int part = 0; part < PART_COUNT; part++) {
        int set = 0;
        for (int i = 0; i < j->dof_count; i++) set |= part_is_set(part, &j->dof[i]);
        if (!set) continue;
        pn_json_key(w, part_key[part]);
        if (j->dof_count > 1) pn_text_append(&w->t, "[");
        for (int i = 0; i < j->dof_count; i++) {
            if (i) pn_text_append(&w->t, ", ");
            if (part_is_set(part, &j->dof[i]))
                write_part(&w->t, part, &j->dof[i]);
            else
                pn_text_append(&w->t, "null");
        }
        if (j->dof_count > 1) pn_text_append(&w->t, "]");
    }
}

static int write_mimic(pn_json_writer *w, const pinion_joint_info *j)
{
    pinion_joint_info leader;
    if (j->leader < 0) return 1;
    if (pinion_model_joint(w->m, j->leader, &leader) != PINION_OK) return 0;
    pn_json_key(w, "mimic");
    pn_text_append(&w->t, "{\"joint\": ");
    pn_json_put_string(&w->t, leader.name);
    pn_text_append(&w->t, ", \"multiplier\": ");
    pn_text_number(&w->t, j->multiplier);
    pn_text_append(&w->t, ", \"offset\": ");
    pn_text_number(&w->t, j->offset);
    pn_text_append(&w->t, "}");
    return 1;
}

/* One coordinate has the number itself, several an array; a velocity of zero is left out. */
static void write_initial(pn_json_writer *w, const pinion_joint_info *j)
{
    if (!j->has_initial) return;
    int nq = pinion_joint_type_nq(j->type), nv = pinion_joint_type_nv(j->type);
    pn_json_key(w, "initial");
    pn_text_append(&w->t, "{\"q\": ");
    if (nq == 1)
        pn_text_number(&w->t, j->initial_q[0]);
    else
        pn_json_put_numbers(&w->t, j->initial_q, nq);
    if (!pn_json_is_zero(j->initial_v, nv)) {
        pn_text_append(&w->t, ", \"v\": ");
        if (nv == 1)
            pn_text_number(&w->t, j->initial_v[0]);
        else
            pn_json_put_numbers(&w->t, j->initial_v, nv);
    }
    pn_text_append(&w->t, "}");
}

static int has_axis(pinion_joint_type type)
{
    return type != PINION_JOINT_FIXED && type != PINION_JOINT_UNIVERSAL && type != PINION_JOINT_SPHERICAL &&
           type != PINION_JOINT_FREE;
}

/* What it connects, and where. */
static int write_links(pn_json_writer *w, const pinion_joint_info *j)
{
    pinion_link_info parent, child;
    if (pinion_model_link(w->m, j->parent, &parent) != PINION_OK) return 0;
    if (pinion_model_link(w->m, j->child, &child) != PINION_OK) return 0;
    pn_json_string_key(w, "parent", parent.name);
    pn_json_string_key(w, "child", child.name);
    pn_json_pose_key(w, "origin", &j->parent_pose);
    pn_json_pose_key(w, "child_origin", &j->child_pose);
    return 1;
}

static int write_joint(pn_json_writer *w, const pinion_joint_info *j)
{
    pn_json_element(w);
    pn_json_string_key(w, "name", j->name);
    pn_json_string_key(w, "type", pinion_joint_type_name(j->type));
    if (!write_links(w, j)) return 0;
    if (has_axis(j->type) && !(j->axis[0] == 0 && j->axis[1] == 0 && j->axis[2] == 1)) {
        pn_json_key(w, "axis");
        pn_json_put_numbers(&w->t, j->axis, 3);
    }
    if (j->type == PINION_JOINT_HELICAL) {
        pn_json_key(w, "pitch");
        pn_text_number(&w->t, j->pitch);
    }
    write_dofs(w, j);
    if (j->unactuated) {
        pn_json_key(w, "actuated");
        pn_text_append(&w->t, "false");
    }
    int ok = write_mimic(w, j);
    write_initial(w, j);
    pn_json_element_end(w);
    return ok;
}

int pn_json_write_joints(pn_json_writer *w)
{
    int count = pinion_model_joint_count(w->m), begun = 0;
    for (int i = 0; i < count; i++) {
        pinion_joint_info info;
        if (pinion_model_joint(w->m, i, &info) != PINION_OK) return 0;
        if (info.type == PINION_JOINT_MODE) continue; /* of an elastic link, which says so */
        if (info.parent < 0) continue; /* the free root is a choice of the one who loads */
        if (!begun++) pn_json_section(w, "joints");
        if (!write_joint(w, &info)) return 0;
    }
    if (begun) pn_json_section_end(w);
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Loops */

static void number_key(pn_json_writer *w, const char *name, double x)
{
    pn_json_key(w, name);
    pn_text_number(&w->t, x);
}

/* A law of time: what is not 0 of it. */
static void write_motion(pn_json_writer *w, const pinion_motion *law, int needed)
{
    static const char *const keys[6] = {"offset", "rate", "acceleration", "amplitude", "frequency", "phase"};
    const double x[6] = {law->offset,    law->rate,      law->acceleration,
                         law->amplitude, law->frequency, law->phase};
    const char *between = "";
    if (!needed && pn_json_is_zero(x, 6)) return;
    pn_json_key(w, "motion");
    pn_text_append(&w->t, "{");
    for (int i = 0; i < 6; i++) {
        if (x[i] == 0) continue;
        pn_text_add(&w->t, "%s\"%s\": ", between, keys[i]);
        pn_text_number(&w->t, x[i]);
        between = ", ";
    }
    pn_text_append(&w->t, "}");
}

/* The joints of a gear or a drive. */
static int write_tied_joints(pn_json_writer *w, const pinion_loop_info *loop)
{
    pinion_joint_info first, second;
    if (pinion_model_joint(w->m, loop->first, &first) != PINION_OK) return 0;
    if (loop->kind == PINION_LOOP_DRIVE) {
        pn_json_string_key(w, "joint", first.name);
        return 1;
    }
    if (pinion_model_joint(w->m, loop->second, &second) != PINION_OK) return 0;
    pn_json_key(w, "joints");
    pn_text_append(&w->t, "[");
    pn_json_put_string(&w->t, first.name);
    pn_text_append(&w->t, ", ");
    pn_json_put_string(&w->t, second.name);
    pn_text_append(&w->t, "]");
    if (loop->ratio != 1) number_key(w, "ratio", loop->ratio);
    if (!pn_json_is_zero(loop->curve, 3)) {
        pn_json_key(w, "curve");
        pn_json_put_numbers(&w->t, loop->curve, 3);
    }
    return 1;
}

static int write_constraint(pn_json_writer *w, const pinion_loop_info *loop)
{
    int spring = loop->kind == PINION_LOOP_SPRING;
    int links = spring || loop->kind == PINION_LOOP_DISTANCE || loop->kind == PINION_LOOP_ROLLING;
    pn_json_element(w);
    pn_json_string_key(w, "name", loop->name);
    pn_json_string_key(w, "type", pinion_loop_kind_name(loop->kind));
    if (links ? !write_links(w, &loop->joint) : !write_tied_joints(w, loop)) return 0;
    if (loop->kind == PINION_LOOP_DISTANCE || (spring && loop->length != 0))
        number_key(w, "length", loop->length);
    if (spring && loop->joint.dof[0].stiffness != 0) number_key(w, "stiffness", loop->joint.dof[0].stiffness);
    if (spring && loop->joint.dof[0].damping != 0) number_key(w, "damping", loop->joint.dof[0].damping);
    if (loop->kind == PINION_LOOP_ROLLING) number_key(w, "radius", loop->radius);
    if (loop->disk) pn_json_string_key(w, "shape", "disk");
    write_motion(w, &loop->motion, loop->kind == PINION_LOOP_DRIVE);
    pn_json_element_end(w);
    return 1;
}

int pn_json_write_loops(pn_json_writer *w)
{
    int count = pinion_model_loop_count(w->m);
    if (count == 0) return 1;
    pn_json_section(w, "loops");
    for (int i = 0; i < count; i++) {
        pinion_loop_info info;
        if (pinion_model_loop(w->m, i, &info) != PINION_OK) return 0;
        if (info.kind == PINION_LOOP_JOINT ? !write_joint(w, &info.joint) : !write_constraint(w, &info))
            return 0;
    }
    pn_json_section_end(w);
    return 1;
}
