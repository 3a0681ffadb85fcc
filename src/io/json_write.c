/* Writes the native model format (docs/model-format.md): everything a description has, so that
 * reading it back gives the same model. Defaults are left out; one key of an element a line. */
#include <math.h>
#include <stdlib.h>

#include "io.h"
#include "model/pose.h"

/* ---------------------------------------------------------------------------------------------
 * Values on one line */

/* The model layer lets only valid UTF-8 without control characters in. */
static void write_string(pn_text *t, const char *string)
{
    pn_text_append(t, "\"");
    for (const char *s = string; *s; s++) {
        if (*s == '"' || *s == '\\') pn_text_append(t, "\\");
        pn_text_append_bytes(t, s, 1);
    }
    pn_text_append(t, "\"");
}

static void write_numbers(pn_text *t, const double *x, int count)
{
    pn_text_append(t, "[");
    for (int i = 0; i < count; i++) {
        if (i) pn_text_append(t, ", ");
        pn_text_number(t, x[i]);
    }
    pn_text_append(t, "]");
}

/* JSON has no infinity: null says that there is no limit. */
static void write_limit(pn_text *t, double x)
{
    if (isfinite(x))
        pn_text_number(t, x);
    else
        pn_text_append(t, "null");
}

static int is_zero(const double *x, int count)
{
    for (int i = 0; i < count; i++) {
        if (x[i] != 0) return 0;
    }
    return 1;
}

static void write_pose(pn_text *t, const pinion_pose *pose)
{
    pinion_pose turn = *pose;
    for (int i = 0; i < 3; i++) turn.position[i] = 0;
    int shifted = !is_zero(pose->position, 3);
    pn_text_append(t, "{");
    if (shifted) {
        pn_text_append(t, "\"position\": ");
        write_numbers(t, pose->position, 3);
    }
    if (!pn_pose_is_identity(&turn)) {
        pn_text_appendf(t, "%s\"rotation\": ", shifted ? ", " : "");
        for (int i = 0; i < 3; i++) {
            pn_text_append(t, i ? ", " : "[");
            write_numbers(t, pose->rotation + 3 * i, 3);
        }
        pn_text_append(t, "]");
    }
    pn_text_append(t, "}");
}

/* ---------------------------------------------------------------------------------------------
 * Sections, elements and keys on lines of their own */

typedef struct writer {
    pn_text t;
    const pinion_model *m;
    int elements; /* in the section so far */
    int keys;     /* in the element so far */
} writer;

static void section_begin(writer *w, const char *name)
{
    pn_text_appendf(&w->t, ",\n  \"%s\": [", name);
    w->elements = 0;
}

static void section_end(writer *w)
{
    pn_text_append(&w->t, "\n  ]");
}

static void element_begin(writer *w)
{
    pn_text_appendf(&w->t, "%s\n    {", w->elements++ ? "," : "");
    w->keys = 0;
}

static void element_end(writer *w)
{
    pn_text_append(&w->t, "\n    }");
}

static void key(writer *w, const char *name)
{
    pn_text_appendf(&w->t, "%s\n      \"%s\": ", w->keys++ ? "," : "", name);
}

static void string_key(writer *w, const char *name, const char *value)
{
    key(w, name);
    write_string(&w->t, value);
}

static void pose_key(writer *w, const char *name, const pinion_pose *pose)
{
    if (pn_pose_is_identity(pose)) return;
    key(w, name);
    write_pose(&w->t, pose);
}

/* ---------------------------------------------------------------------------------------------
 * Links */

static void write_inertia(writer *w, const pinion_inertia *x)
{
    static const char *const entries[] = {"xx", "xy", "xz", "yy", "yz", "zz"};
    if (x->mass != 0) {
        key(w, "mass");
        pn_text_number(&w->t, x->mass);
    }
    if (!is_zero(x->com, 3)) {
        key(w, "com");
        write_numbers(&w->t, x->com, 3);
    }
    if (is_zero(x->inertia, 6)) return;
    key(w, "inertia");
    const char *between = "{";
    for (int i = 0; i < 6; i++) {
        if (x->inertia[i] == 0) continue;
        pn_text_appendf(&w->t, "%s\"%s\": ", between, entries[i]);
        pn_text_number(&w->t, x->inertia[i]);
        between = ", ";
    }
    pn_text_append(&w->t, "}");
}

static void write_visual(pn_text *t, const pinion_visual_info *v)
{
    static const char *const shapes[] = {"box", "sphere", "cylinder", "capsule", "mesh"};
    pn_text_appendf(t, "{\"shape\": \"%s\", ", shapes[v->shape]);
    switch (v->shape) {
    case PINION_BOX:
        pn_text_append(t, "\"size\": ");
        write_numbers(t, v->size, 3);
        break;
    case PINION_MESH:
        pn_text_append(t, "\"mesh\": ");
        write_string(t, v->mesh);
        pn_text_append(t, ", \"scale\": ");
        write_numbers(t, v->size, 3);
        break;
    default:
        pn_text_append(t, "\"radius\": ");
        pn_text_number(t, v->size[0]);
        if (v->shape == PINION_SPHERE) break;
        pn_text_append(t, ", \"length\": ");
        pn_text_number(t, v->size[1]);
        break;
    }
    if (!pn_pose_is_identity(&v->pose)) {
        pn_text_append(t, ", \"origin\": ");
        write_pose(t, &v->pose);
    }
    pn_text_append(t, ", \"rgba\": ");
    write_numbers(t, v->rgba, 4);
    pn_text_append(t, "}");
}

/* The visuals of one link: a list through `next`, -1 at its end. */
static int write_visuals(writer *w, int visual, const int *next)
{
    if (visual < 0) return 1;
    key(w, "visuals");
    const char *between = "[";
    for (; visual >= 0; visual = next[visual]) {
        pinion_visual_info info;
        if (pinion_model_visual(w->m, visual, &info) != PINION_OK) return 0;
        pn_text_appendf(&w->t, "%s\n        ", between);
        write_visual(&w->t, &info);
        between = ",";
    }
    pn_text_append(&w->t, "\n      ]");
    return 1;
}

static int write_links(writer *w)
{
    /* which visuals a link has, in order: lists made from the last to the first */
    int links = pinion_model_link_count(w->m), visuals = pinion_model_visual_count(w->m);
    int *first = malloc(((size_t)links + (size_t)visuals + 1) * sizeof *first);
    if (!first) return 0;
    int *next = first + links, ok = 1;
    for (int i = 0; i < links; i++) first[i] = -1;
    for (int i = visuals - 1; ok && i >= 0; i--) {
        pinion_visual_info info;
        ok = pinion_model_visual(w->m, i, &info) == PINION_OK;
        if (!ok) break;
        next[i] = first[info.link];
        first[info.link] = i;
    }

    section_begin(w, "links");
    for (int i = 0; ok && i < links; i++) {
        pinion_link_info info;
        ok = pinion_model_link(w->m, i, &info) == PINION_OK;
        if (!ok) break;
        element_begin(w);
        string_key(w, "name", info.name);
        write_inertia(w, &info.inertia);
        ok = write_visuals(w, first[i], next);
        element_end(w);
    }
    section_end(w);
    free(first);
    return ok;
}

/* ---------------------------------------------------------------------------------------------
 * Joints */

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
    case DAMPING: return d->damping != 0;
    case FRICTION: return d->friction_positive != 0 || d->friction_negative != 0;
    case ROTOR: return d->rotor_inertia != 0 || d->gear_ratio != 1;
    default: return d->stiffness != 0 || d->rest != 0;
    }
}

/* {"first": x, "second": y}; the second only when it is not the default. */
static void write_pair(pn_text *t, const char *first, double x, const char *second, double y,
                       double y_default)
{
    pn_text_appendf(t, "{\"%s\": ", first);
    pn_text_number(t, x);
    if (y != y_default) {
        pn_text_appendf(t, ", \"%s\": ", second);
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
    case DAMPING: pn_text_number(t, d->damping); break;
    case FRICTION:
        if (d->friction_positive == d->friction_negative)
            pn_text_number(t, d->friction_positive);
        else
            write_pair(t, "positive", d->friction_positive, "negative", d->friction_negative, 0);
        break;
    case ROTOR: write_pair(t, "inertia", d->rotor_inertia, "gear", d->gear_ratio, 1); break;
    default: write_pair(t, "stiffness", d->stiffness, "rest", d->rest, 0); break;
    }
}

/* One degree of freedom has the value itself, several an array with null for the defaults. */
static void write_dofs(writer *w, const pinion_joint_info *j)
{
    for (int part = 0; part < PART_COUNT; part++) {
        int set = 0;
        for (int i = 0; i < j->dof_count; i++) set |= part_is_set(part, &j->dof[i]);
        if (!set) continue;
        key(w, part_key[part]);
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

static int write_mimic(writer *w, const pinion_joint_info *j)
{
    pinion_joint_info leader;
    if (j->leader < 0) return 1;
    if (pinion_model_joint(w->m, j->leader, &leader) != PINION_OK) return 0;
    key(w, "mimic");
    pn_text_append(&w->t, "{\"joint\": ");
    write_string(&w->t, leader.name);
    pn_text_append(&w->t, ", \"multiplier\": ");
    pn_text_number(&w->t, j->multiplier);
    pn_text_append(&w->t, ", \"offset\": ");
    pn_text_number(&w->t, j->offset);
    pn_text_append(&w->t, "}");
    return 1;
}

/* One coordinate has the number itself, several an array; a velocity of zero is left out. */
static void write_initial(writer *w, const pinion_joint_info *j)
{
    if (!j->has_initial) return;
    int nq = pinion_joint_type_nq(j->type), nv = pinion_joint_type_nv(j->type);
    key(w, "initial");
    pn_text_append(&w->t, "{\"q\": ");
    if (nq == 1)
        pn_text_number(&w->t, j->initial_q[0]);
    else
        write_numbers(&w->t, j->initial_q, nq);
    if (!is_zero(j->initial_v, nv)) {
        pn_text_append(&w->t, ", \"v\": ");
        if (nv == 1)
            pn_text_number(&w->t, j->initial_v[0]);
        else
            write_numbers(&w->t, j->initial_v, nv);
    }
    pn_text_append(&w->t, "}");
}

static int has_axis(pinion_joint_type type)
{
    return type != PINION_FIXED && type != PINION_UNIVERSAL && type != PINION_SPHERICAL &&
           type != PINION_FREE;
}

static int write_joint(writer *w, const pinion_joint_info *j)
{
    pinion_link_info parent, child;
    if (pinion_model_link(w->m, j->parent, &parent) != PINION_OK) return 0;
    if (pinion_model_link(w->m, j->child, &child) != PINION_OK) return 0;
    element_begin(w);
    string_key(w, "name", j->name);
    string_key(w, "type", pinion_joint_type_name(j->type));
    string_key(w, "parent", parent.name);
    string_key(w, "child", child.name);
    pose_key(w, "origin", &j->parent_pose);
    pose_key(w, "child_origin", &j->child_pose);
    if (has_axis(j->type) && !(j->axis[0] == 0 && j->axis[1] == 0 && j->axis[2] == 1)) {
        key(w, "axis");
        write_numbers(&w->t, j->axis, 3);
    }
    if (j->type == PINION_HELICAL) {
        key(w, "pitch");
        pn_text_number(&w->t, j->pitch);
    }
    write_dofs(w, j);
    int ok = write_mimic(w, j);
    write_initial(w, j);
    element_end(w);
    return ok;
}

static int write_joints(writer *w)
{
    int count = pinion_model_joint_count(w->m), begun = 0;
    for (int i = 0; i < count; i++) {
        pinion_joint_info info;
        if (pinion_model_joint(w->m, i, &info) != PINION_OK) return 0;
        if (info.parent < 0) continue; /* the free root is a choice of the one who loads */
        if (!begun++) section_begin(w, "joints");
        if (!write_joint(w, &info)) return 0;
    }
    if (begun) section_end(w);
    return 1;
}

static int write_loops(writer *w)
{
    int count = pinion_model_loop_count(w->m);
    if (count == 0) return 1;
    section_begin(w, "loops");
    for (int i = 0; i < count; i++) {
        pinion_joint_info info;
        if (pinion_model_loop(w->m, i, &info) != PINION_OK || !write_joint(w, &info)) return 0;
    }
    section_end(w);
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Frames, and all of it */

static int write_frames(writer *w)
{
    int links = pinion_model_link_count(w->m), count = pinion_model_frame_count(w->m);
    if (count == links) return 1;
    section_begin(w, "frames");
    for (int i = links; i < count; i++) {
        pinion_frame_info info;
        pinion_link_info link;
        if (pinion_model_frame(w->m, i, &info) != PINION_OK) return 0;
        if (pinion_model_link(w->m, info.link, &link) != PINION_OK) return 0;
        element_begin(w);
        string_key(w, "name", info.name);
        string_key(w, "link", link.name);
        pose_key(w, "origin", &info.pose);
        element_end(w);
    }
    section_end(w);
    return 1;
}

char *pn_json_write(const pinion_model *m, pinion_error *err)
{
    writer w = {{NULL, 0, 0, 0}, m, 0, 0};
    double gravity[3];
    pinion_model_gravity(m, gravity);
    pn_text_append(&w.t, "{\n  \"pinion\": 1,\n  \"name\": ");
    write_string(&w.t, pinion_model_name(m));
    pn_text_append(&w.t, ",\n  \"gravity\": ");
    write_numbers(&w.t, gravity, 3);
    int ok = write_links(&w) && write_joints(&w) && write_loops(&w) && write_frames(&w);
    pn_text_append(&w.t, "\n}\n");

    /* the model's own answers cannot fail: what can is memory */
    char *text = NULL;
    if (ok)
        text = pn_text_take(&w.t);
    else
        pn_text_free(&w.t);
    if (!text) pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    return text;
}
