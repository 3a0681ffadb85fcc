/* Models that are another one with a change: a part of it, a frame more, other names, another size. */
#include "api/compose_copy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All that a copy describes, built; `more` is another frame or NULL. */
static pinion_model *build(pn_copy *c, int root, const pinion_frame_def *more)
{
    pinion_model *out = NULL;
    c->prefix = "";
    c->b = pinion_builder_new(pinion_model_name(c->m));
    if (!c->b)
        pn_error_set(c->err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    else if (pn_copy_all(c) == PINION_OK &&
             (!more || pinion_builder_add_frame(c->b, more, c->err) == PINION_OK))
        out = pn_copy_build(c, c->m, root);
    pinion_builder_free(c->b);
    return out;
}

static pinion_model *complain(pinion_error *err, const char *what)
{
    pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s", what);
    return NULL;
}

pinion_model *pinion_model_subtree(const pinion_model *m, int link, pinion_error *err)
{
    if (!m || link < 0 || link >= pinion_model_link_count(m))
        return complain(err, m ? "the link is not there" : "no model to take a part of");
    const int count = pinion_model_link_count(m);
    char *kept = calloc((size_t)count, 1);
    if (!kept) {
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        return NULL;
    }
    kept[link] = 1;
    for (int i = 0; i < count; i++) { /* parents come before their children */
        pinion_link_info info;
        pinion_joint_info joint;
        if (pinion_model_link(m, i, &info) != PINION_OK || info.joint < 0) continue;
        if (pinion_model_joint(m, info.joint, &joint) != PINION_OK || joint.parent < 0) continue;
        if (kept[joint.parent]) kept[i] = 1;
    }
    pn_copy c = {.m = m, .kept = kept, .err = err};
    pinion_model *out = build(&c, link, NULL);
    free(kept);
    return out;
}

pinion_model *pinion_model_add_frame(const pinion_model *m, const pinion_frame_def *def, pinion_error *err)
{
    if (!m || !def) return complain(err, "no model, or no frame to add to it");
    pn_copy c = {.m = m, .err = err};
    return build(&c, -1, def);
}

/* Whether anything that a model describes is called so: the free root that a load option asked for is not. */
static int has_name(const pinion_model *m, const char *name)
{
    pinion_joint_info joint;
    const int index = pinion_model_find_joint(m, name);
    const int described = index >= 0 && pinion_model_joint(m, index, &joint) == PINION_OK && joint.parent >= 0;
    int found = pinion_model_find_frame(m, name) >= 0 || described ||
                pinion_model_find_loop(m, name) >= 0 || pinion_model_find_state(m, name) >= 0 ||
                pinion_model_find_group(m, name) >= 0 || pinion_model_find_collision(m, name) >= 0 ||
                pinion_model_find_tendon(m, name) >= 0;
    return found || (pinion_model_actuators_listed(m) && pinion_model_find_actuator(m, name) >= 0);
}

pinion_model *pinion_model_rename(const pinion_model *m, const char *from, const char *to, pinion_error *err)
{
    if (!m || !from || !*from || !to || !*to) return complain(err, "no model, no name or no name in its place");
    if (!has_name(m, from)) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "nothing is called '%.80s'", from);
        return NULL;
    }
    pn_copy c = {.m = m, .from = from, .to = to, .err = err};
    return build(&c, -1, NULL);
}

pinion_model *pinion_model_scale(const pinion_model *m, double length, double mass, pinion_error *err)
{
    if (!m) return complain(err, "no model to scale");
    if (!(length > 0 && mass > 0 && isfinite(length) && isfinite(mass)))
        return complain(err, "a factor is not a finite number above 0");
    pn_copy c = {.m = m, .length = length, .mass = mass, .err = err};
    return build(&c, -1, NULL);
}
