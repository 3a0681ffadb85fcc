/* Fuzzes the loaders: any bytes give a model or one line of error. What loads can be asked everything and be
 * written, and what was written loads again. */
#include "pinion/pinion.h"

#include "fuzz/mutate_xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Says what is wrong and stops, so that the fuzzer keeps the input. */
static void fail(const char *what, const char *message, const char *text)
{
    fprintf(stderr, "%s: %s\n%s\n", what, message, text ? text : "");
    abort();
}

/* An error is one complete line. */
static void check_error_line(const pinion_error *err, const char *what)
{
    if (err->status == PINION_OK || !memchr(err->message, '\0', sizeof err->message))
        fail(what, "no message", NULL);
    if (!err->message[0] || strchr(err->message, '\n')) fail(what, err->message, NULL);
}

/* Asks for every element, by index and by name. */
static void query(const pinion_model *m)
{
    pinion_link_info link;
    pinion_joint_info joint;
    pinion_frame_info frame;
    pinion_visual_info visual;
    pinion_body_info body;
    int bad = 0;
    for (int i = 0; i < pinion_model_link_count(m); i++) {
        bad |= pinion_model_link(m, i, &link) != PINION_OK || pinion_model_find_link(m, link.name) != i;
    }
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        bad |= pinion_model_joint(m, i, &joint) != PINION_OK || pinion_model_find_joint(m, joint.name) != i;
        bad |= joint.nq > 0 && (joint.q_index < 0 || joint.q_index + joint.nq > pinion_model_nq(m));
        bad |= joint.nv > 0 && (joint.v_index < 0 || joint.v_index + joint.nv > pinion_model_nv(m));
    }
    for (int i = 0; i < pinion_model_frame_count(m); i++) {
        bad |= pinion_model_frame(m, i, &frame) != PINION_OK || pinion_model_find_frame(m, frame.name) != i;
    }
    for (int i = 0; i < pinion_model_loop_count(m); i++) {
        pinion_loop_info loop;
        bad |= pinion_model_loop(m, i, &loop) != PINION_OK || pinion_model_find_loop(m, loop.name) != i;
        bad |= loop.row + loop.rows > pinion_model_row_count(m);
    }
    for (int i = 0; i < pinion_model_visual_count(m); i++)
        bad |= pinion_model_visual(m, i, &visual) != PINION_OK;
    int collisions = 0, first;
    for (int i = 0; i < pinion_model_link_count(m); i++) collisions += pinion_model_link_collisions(m, i, &first);
    bad |= collisions != pinion_model_collision_count(m);
    for (int i = 0; i < collisions; i++) {
        pinion_collision_info c;
        bad |= pinion_model_collision(m, i, &c) != PINION_OK || pinion_model_link_collisions(m, c.link, &first) < 1;
        bad |= pinion_model_may_collide(m, i, 0) != pinion_model_may_collide(m, 0, i);
    }
    for (int i = 0; i < pinion_model_body_count(m); i++) bad |= pinion_model_body(m, i, &body) != PINION_OK;
    for (int i = 0; i < pinion_model_warning_count(m); i++) bad |= !*pinion_model_warning(m, i);
    if (bad) fail("query", pinion_model_name(m), NULL);
}

/* Runs the kernels once; the numbers may be anything, the memory may not. */
static void compute(const pinion_model *m)
{
    size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m);
    size_t frames = (size_t)pinion_model_frame_count(m);
    if (nv > 200 || frames > 2000) return;
    double *q = calloc(nq + 2 * nv + nv * nv + 12 * frames + 1, sizeof *q);
    pinion_work *w = pinion_work_new(m);
    if (q && w && pinion_neutral(m, q) == PINION_OK) {
        double *tau = q + nq, *a = tau + nv, *M = a + nv, *position = M + nv * nv;
        int failed = pinion_inverse_dynamics(m, w, q, NULL, NULL, NULL, tau) != PINION_OK;
        failed += pinion_forward_dynamics(m, w, q, NULL, NULL, NULL, a) != PINION_OK; /* singular, or loops */
        failed += pinion_mass_matrix(m, w, q, M) != PINION_OK;
        failed += pinion_frames(m, w, q, position, position + 3 * frames) != PINION_OK;
        (void)failed;
    }
    pinion_work_free(w);
    free(q);
}

/* Models made of this one: there is one, or a line says why not. */
static void edit(const pinion_model *m)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_link_info link;
    if (pinion_model_link_count(m) > 300 || pinion_model_link(m, 0, &link) != PINION_OK) return;
    for (int i = 0; i < 3; i++) {
        pinion_model *made = i == 0   ? pinion_model_subtree(m, pinion_model_link_count(m) / 2, &err)
                             : i == 1 ? pinion_model_scale(m, 2, 3, &err)
                                      : pinion_model_rename(m, link.name, "renamed", &err);
        if (!made) check_error_line(&err, "edit");
        if (made && i && pinion_model_nv(made) != pinion_model_nv(m)) fail("edit", "nv", NULL);
        pinion_model_free(made);
    }
}

/* Writes a model and reads it again. A free joint of the file's own (SDF has them) is written with it; one that the
 * option made is not, and is asked for again. */
static void write_and_read(const pinion_model *m, pinion_format format, pinion_load_options o)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_joint_info root;
    int joined = pinion_model_joint(m, 0, &root) == PINION_OK && root.type == PINION_JOINT_FREE;
    if (!joined || strcmp(root.name, "root")) o.root = PINION_ROOT_AS_FILE;
    char *text = pinion_save_string(m, format, &err);
    if (!text) {
        check_error_line(&err, "save");
        return;
    }
    if (format == PINION_FORMAT_MJCF || format == PINION_FORMAT_SDF)
        o.root = PINION_ROOT_AS_FILE; /* a free root is in the file */
    pinion_model *again = pinion_load_string(text, strlen(text), format, "again", &o, &err);
    if (!again) fail("what was written does not load", err.message, text);
    if (pinion_model_nq(again) != pinion_model_nq(m)) fail("what was written differs", "nq", text);
    if (pinion_model_nv(again) != pinion_model_nv(m)) fail("what was written differs", "nv", text);
    if (format == PINION_FORMAT_JSON && (pinion_model_collision_count(again) != pinion_model_collision_count(m) ||
                                         pinion_model_exclusion_count(again) != pinion_model_exclusion_count(m)))
        fail("what was written differs", "collisions", text);
    pinion_model_free(again);
    pinion_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int i = 0; i < 4; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_load_options o = pinion_load_options_default();
        o.root = i & 1 ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
        o.mimic = i & 2 ? PINION_MIMIC_INDEPENDENT : PINION_MIMIC_FOLLOW;
        pinion_model *m = pinion_load_string((const char *)data, size, PINION_FORMAT_AUTO, "f", &o, &err);
        if (!m) {
            check_error_line(&err, "load");
            if (err.status == PINION_ERR_PARSE) break; /* no option changes that */
            continue;
        }
        query(m);
        compute(m);
        if (i == 0) edit(m);
        write_and_read(m, PINION_FORMAT_URDF, o);
        write_and_read(m, PINION_FORMAT_JSON, o);
        write_and_read(m, PINION_FORMAT_MJCF, o);
        write_and_read(m, PINION_FORMAT_SDF, o);
        pinion_model_free(m);
    }
    return 0;
}
