/* Models made of others: what a model describes goes through a builder again. */
#include "api/compose_copy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/pose.h"
#include "pinion/elastic.h"

pinion_status pn_copy_all(const pn_copy *c)
{
    pinion_status s = PINION_OK;
    if (pinion_model_actuators_listed(c->m)) s = pn_builder_list_ideal(c->b, c->err);
    if (s == PINION_OK) s = pn_copy_links(c);
    if (s == PINION_OK) s = pn_copy_joints(c);
    if (s == PINION_OK) s = pn_copy_loops(c);
    if (s == PINION_OK) s = pn_copy_frames(c);
    if (s == PINION_OK) s = pn_copy_collisions(c);
    if (s == PINION_OK) s = pn_copy_actuators(c);
    if (s == PINION_OK) s = pn_copy_tendons(c);
    return s == PINION_OK ? pn_copy_sets(c) : s;
}

pinion_status pinion_builder_add_model(pinion_builder *b, const pinion_model *m, const char *prefix,
                                       pinion_error *err)
{
    if (!b || !m)
        return pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "no builder, or no model to add to it");
    const pn_copy c = {.b = b, .m = m, .prefix = prefix ? prefix : "", .err = err};
    return pn_copy_all(&c);
}

/* The link that the tree hangs on, and whether by a free joint that a load option asked for. */
static int root_link(const pinion_model *m, int *is_free)
{
    int root = 0;
    *is_free = 0;
    for (int i = 0; i < pinion_model_link_count(m); i++) {
        pinion_link_info link;
        if (pinion_model_link(m, i, &link) == PINION_OK && link.joint < 0) root = i;
    }
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info j;
        if (pinion_model_joint(m, i, &j) != PINION_OK || j.parent >= 0) continue;
        root = j.child;
        *is_free = 1;
    }
    return root;
}

pinion_model *pn_copy_build(const pn_copy *c, const pinion_model *m, int root)
{
    char name[PN_COPY_NAME];
    double gravity[3];
    pinion_load_options options = pinion_load_options_default();
    int is_free;
    pn_copy own = *c; /* names as they are now, of its own links */
    own.m = m;
    own.prefix = "";
    const int first = root_link(m, &is_free);
    pinion_model_gravity(m, gravity);
    if (is_free && root < 0) options.root = PINION_ROOT_FREE;
    if (pinion_builder_set_gravity(c->b, gravity, c->err) != PINION_OK ||
        pinion_builder_set_root(c->b, pn_copy_link(&own, root < 0 ? first : root, name), c->err) != PINION_OK)
        return NULL;
    return pinion_builder_build(c->b, &options, c->err);
}

static int complain(pinion_error *err, const char *what)
{
    pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s", what);
    return 0;
}

/* Notes which joints are locked; 0 after a complaint. */
static int note_locked(const pinion_model *m, int count, const int *joints, char *locked, pinion_error *err)
{
    for (int i = 0; i < count; i++) {
        pinion_joint_info j;
        if (pinion_model_joint(m, joints[i], &j) != PINION_OK)
            return complain(err, "a joint to lock is not there");
        if (j.parent < 0)
            return complain(err, "the free root cannot be locked; expected a model that is loaded without");
        if (j.leader >= 0)
            return complain(
                err, "a joint that follows another one cannot be locked alone; expected the one it follows");
        locked[joints[i]] = 1;
    }
    for (int i = 0; i < pinion_model_joint_count(m); i++) { /* and with them those that follow */
        pinion_joint_info j;
        if (pinion_model_joint(m, i, &j) == PINION_OK && j.leader >= 0) locked[i] = locked[j.leader];
    }
    return 1;
}

pinion_model *pinion_model_reduce(const pinion_model *m, int count, const int *joints, const double *q,
                                  pinion_error *err)
{
    if (!m || count < 0 || (count > 0 && !joints) || !q) {
        complain(err, "no model, no joints or no configuration to lock them at");
        return NULL;
    }
    if (pinion_model_elastic_count(m)) {
        pn_error_set(err, PINION_ERR_UNSUPPORTED, NULL, 0, 0,
                     "the model has elastic links, and joints are locked in models of rigid ones alone");
        return NULL;
    }
    const size_t frames = (size_t)pinion_model_frame_count(m);
    char *locked = calloc((size_t)pinion_model_joint_count(m) + 1, 1);
    double *place = malloc(12 * frames * sizeof *place);
    pinion_work *w = pinion_work_new(m);
    pn_copy c = {.b = pinion_builder_new(pinion_model_name(m)),
              .m = m,
              .prefix = "",
              .locked = locked,
              .q = q,
              .p = place,
              .R = place ? place + 3 * frames : NULL,
              .err = err};
    pinion_model *out = NULL;
    if (!locked || !place || !w || !c.b) {
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    } else if (note_locked(m, count, joints, locked, err)) {
        const pinion_status s = pinion_frames(m, w, q, place, place + 3 * frames);
        if (s != PINION_OK)
            pn_error_set(err, s, NULL, 0, 0, "%s", pinion_work_message(w));
        else if (pn_copy_all(&c) == PINION_OK)
            out = pn_copy_build(&c, m, -1);
    }
    pinion_builder_free(c.b);
    pinion_work_free(w);
    free(place);
    free(locked);
    return out;
}

pinion_model *pinion_model_attach(const pinion_model *m, int frame, const pinion_model *part,
                                  const char *prefix, const pinion_pose *pose, pinion_error *err)
{
    pinion_frame_info at;
    if (!m || !part || pinion_model_frame(m, frame, &at) != PINION_OK) {
        complain(err,
                 m && part ? "the frame to attach to is not there" : "no model, or no part to attach to it");
        return NULL;
    }
    char name[3][PN_COPY_NAME], joint[PN_COPY_NAME];
    int is_free;
    const int root = root_link(part, &is_free);
    pn_copy c = {.b = pinion_builder_new(pinion_model_name(m)), .m = m, .prefix = "", .err = err}, d = c;
    d.m = part;
    d.prefix = prefix ? prefix : "";
    pinion_joint_def def = pinion_joint_def_default();
    pinion_model *out = NULL;
    if (!c.b) {
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        return NULL;
    }
    def.type = PINION_JOINT_FIXED;
    def.parent = pn_copy_link(&c, at.link, name[0]);
    def.child = pn_copy_link(&d, root, name[1]);
    snprintf(joint, sizeof joint, "attach:%.590s", def.child);
    def.name = joint;
    def.parent_pose = pose ? pn_pose_mul(&at.pose, pose) : at.pose;
    if (pn_copy_all(&c) == PINION_OK && pinion_builder_add_joint(c.b, &def, err) == PINION_OK &&
        pn_copy_all(&d) == PINION_OK)
        out = pn_copy_build(&c, m, -1);
    pinion_builder_free(c.b);
    return out;
}
