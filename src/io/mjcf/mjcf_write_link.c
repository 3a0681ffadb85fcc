/* The MJCF writer: what is on a link, and the values of attributes. */
#include "io/mjcf/mjcf.h"
#include "io/mjcf/mjcf_write.h"
#include "io/rotation.h"
#include "model/pose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void pn_mjcf_put_text(mjcf_writer *w, const char *name, const char *text)
{
    pn_text_add(&w->out, " %s=\"", name);
    pn_text_xml(&w->out, text);
    pn_text_append(&w->out, "\"");
}

void pn_mjcf_put_numbers(mjcf_writer *w, const char *name, const double *x, int count)
{
    pn_text_add(&w->out, " %s=\"", name);
    for (int i = 0; i < count; i++) {
        if (i) pn_text_append(&w->out, " ");
        if (isinf(x[i]))
            pn_text_append(&w->out, x[i] > 0 ? "inf" : "-inf");
        else
            pn_text_number(&w->out, x[i] + 0.0);
    }
    pn_text_append(&w->out, "\"");
}

void pn_mjcf_put_number(mjcf_writer *w, const char *name, double x)
{
    pn_mjcf_put_numbers(w, name, &x, 1);
}

void pn_mjcf_put_pose(mjcf_writer *w, const pinion_pose *pose)
{
    pinion_pose turn = *pose;
    double q[4];
    if (pn_norm3(pose->position) != 0) pn_mjcf_put_numbers(w, "pos", pose->position, 3);
    memset(turn.position, 0, sizeof turn.position);
    if (pn_pose_is_identity(&turn)) return;
    pn_matrix_quaternion(pose->rotation, q);
    pn_mjcf_put_numbers(w, "quat", q, 4);
}

const char *pn_mjcf_link_name(const mjcf_writer *w, int link)
{
    pinion_link_info info;
    return pinion_model_link(w->m, link, &info) == PINION_OK ? info.name : "";
}

/* ---------------------------------------------------------------------------------------------
 * Links */

/* Whether a link, or one that is fixed to it, weighs enough to move. */
int pn_mjcf_weighs(const mjcf_writer *w, int link, int depth)
{
    pinion_joint_info j;
    if (depth > MJCF_WRITE_DEPTH) return 0;
    if (pn_inertia_is_sound(&w->inertia[link], MJCF_LEAST)) return 1;
    for (int k = w->child[link]; k >= 0; k = w->next[k]) {
        if (pinion_model_joint(w->m, k, &j) != PINION_OK || j.type != PINION_JOINT_FIXED) continue;
        if (pn_mjcf_weighs(w, j.child, depth + 1)) return 1;
    }
    return 0;
}

static int put_inertial(mjcf_writer *w, int link, const char *indent)
{
    const pinion_inertia *x = &w->inertia[link];
    const double *i = x->inertia, full[6] = {i[0], i[3], i[5], i[1], i[2], i[4]};
    if (pn_inertia_is_none(x)) return 1;
    if (!pn_inertia_is_sound(x, MJCF_LEAST))
        return pn_cannot_write(w->l, "link", pn_mjcf_link_name(w, link), "has an inertia that no solid body has");
    const int diagonal = i[1] == 0 && i[2] == 0 && i[4] == 0;
    pinion_link_info info;
    pn_text_add(&w->out, "%s  <inertial", indent);
    pn_mjcf_put_numbers(w, "pos", x->com, 3);
    pn_mjcf_put_number(w, "mass", x->mass);
    if (w->medium && pinion_model_link(w->m, link, &info) == PINION_OK && info.drag) {
        /* the axes along which the medium acts, also where moments are equal */
        double q[4], I[3], off;
        pn_matrix_quaternion(info.drag->pose.rotation, q);
        pn_mjcf_moments(w, link, info.drag->pose.rotation, I, &off);
        pn_mjcf_put_numbers(w, "quat", q, 4);
        pn_mjcf_put_numbers(w, "diaginertia", I, 3);
        pn_text_append(&w->out, "/>\n");
        return 1;
    }
    pn_mjcf_put_numbers(w, diagonal ? "diaginertia" : "fullinertia", full, diagonal ? 3 : 6);
    pn_text_append(&w->out, "/>\n");
    return 1;
}

static int put_visual(mjcf_writer *w, const pinion_visual_info *v, const char *indent)
{
    static const char *const types[] = {"box", "sphere", "cylinder", "capsule"};
    if (v->shape == PINION_SHAPE_MESH)
        return pn_lose(w->l, 0, "link", pn_mjcf_link_name(w, v->link),
                       "its meshes are left out (the file would not load without theirs)");
    double size[3] = {v->size[0], v->size[1], v->size[2]};
    const int numbers = v->shape == PINION_SHAPE_BOX ? 3 : v->shape == PINION_SHAPE_SPHERE ? 1 : 2;
    for (int i = 0; i < numbers; i++) {
        if (v->shape == PINION_SHAPE_BOX || i > 0) size[i] /= 2;
        if (!(size[i] > 0))
            return pn_lose(w->l, 0, "link", pn_mjcf_link_name(w, v->link), "a shape without size is not drawn");
    }
    pn_text_add(&w->out, "%s  <geom group=\"2\" contype=\"0\" conaffinity=\"0\" mass=\"0\" type=\"%s\"", indent,
                types[v->shape]);
    pn_mjcf_put_numbers(w, "size", size, numbers);
    pn_mjcf_put_pose(w, &v->pose);
    pn_mjcf_put_numbers(w, "rgba", v->rgba, 4);
    pn_text_append(&w->out, "/>\n");
    return 1;
}

const char *pn_mjcf_site_name(const mjcf_writer *w, int frame, char out[MJCF_WRITE_NAME])
{
    pinion_frame_info f = {.name = ""};
    if (pinion_model_frame(w->m, frame, &f) != PINION_OK) return "";
    const int link = frame < pinion_model_link_count(w->m);
    if (!link && strncmp(f.name, "site:", 5) == 0) {
        const int other = pinion_model_find_frame(w->m, f.name + 5);
        if (other >= 0 && other < pinion_model_link_count(w->m)) return f.name + 5; /* as a reader would call it */
    }
    if (!link) return f.name;
    for (int i = 0; i < 1000; i++) {
        snprintf(out, MJCF_WRITE_NAME, i ? "%.255s_site%d" : "%.255s_site", f.name, i);
        if (pinion_model_find_frame(w->m, out) < 0) break;
    }
    return out;
}

double pn_mjcf_free_armature(const mjcf_writer *w, int link)
{
    pinion_link_info info;
    pinion_joint_info j;
    if (pinion_model_link(w->m, link, &info) != PINION_OK || !info.added_mass || info.joint < 0) return 0;
    if (pinion_model_joint(w->m, info.joint, &j) != PINION_OK || j.type != PINION_JOINT_FREE) return 0;
    if (!pn_pose_is_identity(&j.child_pose)) return 0;
    for (int i = 0; i < 36; i++) {
        if (info.added_mass[i] != (i % 7 == 0 ? info.added_mass[0] : 0)) return 0;
    }
    return info.added_mass[0];
}

/* What is on a link: inertia, looks, frames. */
int pn_mjcf_put_content(mjcf_writer *w, int link, const char *indent, int world)
{
    pinion_link_info info;
    char name[MJCF_WRITE_NAME];
    if (pinion_model_link(w->m, link, &info) != PINION_OK) return 0;
    if (world && !pn_inertia_is_none(&w->inertia[link]) &&
        !pn_lose(w->l, 0, "link", info.name, "its mass is left out, which does not move"))
        return 0;
    if (!world && info.added_mass && pn_mjcf_free_armature(w, link) == 0 &&
        !pn_lose(w->l, 1, "link", info.name, "its added mass is left out"))
        return 0;
    if (!world && info.drag && !w->medium && !pn_lose(w->l, 1, "link", info.name, "its drag is left out")) return 0;
    if (!world && !put_inertial(w, link, indent)) return 0;
    for (int i = w->visual[link]; i >= 0; i = w->next_visual[i]) {
        pinion_visual_info v;
        if (pinion_model_visual(w->m, i, &v) != PINION_OK || !put_visual(w, &v, indent)) return 0;
    }
    for (int i = w->used[link] == 1 ? link : w->frame[link]; i >= 0;
         i = i == link ? w->frame[link] : w->next_frame[i]) {
        pinion_frame_info f;
        if (pinion_model_frame(w->m, i, &f) != PINION_OK) return 0;
        pn_text_add(&w->out, "%s  <site", indent);
        pn_mjcf_put_text(w, "name", pn_mjcf_site_name(w, i, name));
        pn_mjcf_put_pose(w, &f.pose);
        pn_text_append(&w->out, "/>\n");
    }
    pn_mjcf_put_loop_sites(w, link, indent);
    return pn_mjcf_put_collisions(w, link, indent);
}
