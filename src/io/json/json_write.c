/* Writes the native model format (docs/model-format.md): everything a description has, so that
 * reading it back gives the same model. Defaults are left out; one key of an element a line. */
#include <stdlib.h>

#include "io/json/json_write.h"
#include "model/pose.h"

/* ---------------------------------------------------------------------------------------------
 * Values on one line */

/* The model layer lets only valid UTF-8 without control characters in. */
void pn_json_put_string(pn_text *t, const char *string)
{
    pn_text_append(t, "\"");
    for (const char *s = string; *s; s++) {
        if (*s == '"' || *s == '\\') pn_text_append(t, "\\");
        pn_text_bytes(t, s, 1);
    }
    pn_text_append(t, "\"");
}

void pn_json_put_numbers(pn_text *t, const double *x, int count)
{
    pn_text_append(t, "[");
    for (int i = 0; i < count; i++) {
        if (i) pn_text_append(t, ", ");
        pn_text_number(t, x[i]);
    }
    pn_text_append(t, "]");
}

void pn_json_put_curved(pn_text *t, double linear, const double curve[2])
{
    if (pn_json_is_zero(curve, 2)) {
        pn_text_number(t, linear);
        return;
    }
    pn_text_append(t, "{\"linear\": ");
    pn_text_number(t, linear);
    pn_text_append(t, ", \"curve\": ");
    pn_json_put_numbers(t, curve, 2);
    pn_text_append(t, "}");
}

int pn_json_is_zero(const double *x, int count)
{
    for (int i = 0; i < count; i++) {
        if (x[i] != 0) return 0;
    }
    return 1;
}

void pn_json_put_pose(pn_text *t, const pinion_pose *pose)
{
    pinion_pose turn = *pose;
    for (int i = 0; i < 3; i++) turn.position[i] = 0;
    int shifted = !pn_json_is_zero(pose->position, 3);
    pn_text_append(t, "{");
    if (shifted) {
        pn_text_append(t, "\"position\": ");
        pn_json_put_numbers(t, pose->position, 3);
    }
    if (!pn_pose_is_identity(&turn)) {
        pn_text_add(t, "%s\"rotation\": ", shifted ? ", " : "");
        for (int i = 0; i < 3; i++) {
            pn_text_append(t, i ? ", " : "[");
            pn_json_put_numbers(t, pose->rotation + 3 * i, 3);
        }
        pn_text_append(t, "]");
    }
    pn_text_append(t, "}");
}

/* ---------------------------------------------------------------------------------------------
 * Sections, elements and keys on lines of their own */

void pn_json_section(pn_json_writer *w, const char *name)
{
    pn_text_add(&w->t, ",\n  \"%s\": [", name);
    w->elements = 0;
}

void pn_json_section_end(pn_json_writer *w)
{
    pn_text_append(&w->t, "\n  ]");
}

void pn_json_element(pn_json_writer *w)
{
    pn_text_add(&w->t, "%s\n    {", w->elements++ ? "," : "");
    w->keys = 0;
}

void pn_json_element_end(pn_json_writer *w)
{
    pn_text_append(&w->t, "\n    }");
}

void pn_json_key(pn_json_writer *w, const char *name)
{
    pn_text_add(&w->t, "%s\n      \"%s\": ", w->keys++ ? "," : "", name);
}

void pn_json_string_key(pn_json_writer *w, const char *name, const char *value)
{
    pn_json_key(w, name);
    pn_json_put_string(&w->t, value);
}

void pn_json_pose_key(pn_json_writer *w, const char *name, const pinion_pose *pose)
{
    if (pn_pose_is_identity(pose)) return;
    pn_json_key(w, name);
    pn_json_put_pose(&w->t, pose);
}

/* ---------------------------------------------------------------------------------------------
 * Links */

static void write_inertia(pn_json_writer *w, const pinion_inertia *x)
{
    static const char *const entries[] = {"xx", "xy", "xz", "yy", "yz", "zz"};
    if (x->mass != 0) {
        pn_json_key(w, "mass");
        pn_text_number(&w->t, x->mass);
    }
    if (!pn_json_is_zero(x->com, 3)) {
        pn_json_key(w, "com");
        pn_json_put_numbers(&w->t, x->com, 3);
    }
    if (pn_json_is_zero(x->inertia, 6)) return;
    pn_json_key(w, "inertia");
    const char *between = "{";
    for (int i = 0; i < 6; i++) {
        if (x->inertia[i] == 0) continue;
        pn_text_add(&w->t, "%s\"%s\": ", between, entries[i]);
        pn_text_number(&w->t, x->inertia[i]);
        between = ", ";
    }
    pn_text_append(&w->t, "}");
}

static void write_drag(pn_json_writer *w, const pinion_drag *d)
{
    pn_json_key(w, "drag");
    pn_text_append(&w->t, "{");
    if (!pn_pose_is_identity(&d->pose)) {
        pn_text_append(&w->t, "\"origin\": ");
        pn_json_put_pose(&w->t, &d->pose);
        pn_text_append(&w->t, ", ");
    }
    pn_text_append(&w->t, "\"linear\": ");
    pn_json_put_numbers(&w->t, d->linear, 6);
    pn_text_append(&w->t, ", \"quadratic\": ");
    pn_json_put_numbers(&w->t, d->quadratic, 6);
    if (d->wind[0] != 0 || d->wind[1] != 0 || d->wind[2] != 0) {
        pn_text_append(&w->t, ", \"wind\": ");
        pn_json_put_numbers(&w->t, d->wind, 3);
    }
    pn_text_append(&w->t, "}");
}

static int write_links(pn_json_writer *w)
{
    const int links = pinion_model_link_count(w->m);
    int *visuals = pn_json_visuals_of(w), ok = visuals != NULL;
    if (!ok) return 0;
    pn_json_section(w, "links");
    for (int i = 0; ok && i < links; i++) {
        pinion_link_info info;
        ok = pinion_model_link(w->m, i, &info) == PINION_OK;
        if (!ok) break;
        pn_json_element(w);
        pn_json_string_key(w, "name", info.name);
        write_inertia(w, &info.inertia);
        if (info.gravity_compensation != 0) {
            pn_json_key(w, "gravity_compensation");
            pn_text_number(&w->t, info.gravity_compensation);
        }
        if (info.added_mass) {
            pn_json_key(w, "added_mass");
            for (int k = 0; k < 6; k++) {
                pn_text_append(&w->t, k ? ", " : "[");
                pn_json_put_numbers(&w->t, info.added_mass + 6 * k, 6);
            }
            pn_text_append(&w->t, "]");
        }
        if (info.drag) write_drag(w, info.drag);
        if (!pn_json_write_elastic(w, i)) ok = 0;
        ok = ok && pn_json_write_visuals(w, visuals[i], visuals + links) && pn_json_write_collisions(w, i);
        pn_json_element_end(w);
    }
    pn_json_section_end(w);
    free(visuals);
    return ok;
}

/* ---------------------------------------------------------------------------------------------
 * Frames, and all of it */

static int write_frames(pn_json_writer *w)
{
    int links = pinion_model_link_count(w->m), count = pinion_model_frame_count(w->m);
    if (count == links) return 1;
    pn_json_section(w, "frames");
    for (int i = links; i < count; i++) {
        pinion_frame_info info;
        pinion_link_info link;
        if (pinion_model_frame(w->m, i, &info) != PINION_OK) return 0;
        if (pinion_model_link(w->m, info.link, &link) != PINION_OK) return 0;
        pn_json_element(w);
        pn_json_string_key(w, "name", info.name);
        pn_json_string_key(w, "link", link.name);
        pn_json_pose_key(w, "origin", &info.pose);
        pn_json_element_end(w);
    }
    pn_json_section_end(w);
    return 1;
}

char *pn_json_write(const pinion_model *m, pinion_error *err)
{
    pn_json_writer w = {{NULL, 0, 0, 0}, m, 0, 0};
    double gravity[3];
    pinion_model_gravity(m, gravity);
    pn_text_append(&w.t, "{\n  \"pinion\": 1,\n  \"name\": ");
    pn_json_put_string(&w.t, pinion_model_name(m));
    pn_text_append(&w.t, ",\n  \"gravity\": ");
    pn_json_put_numbers(&w.t, gravity, 3);
    int ok = write_links(&w) && pn_json_write_joints(&w) && pn_json_write_loops(&w) && write_frames(&w) &&
             pn_json_write_filters(&w) && pn_json_write_actuators(&w) && pn_json_write_tendons(&w) &&
             pn_json_write_states(&w);
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
