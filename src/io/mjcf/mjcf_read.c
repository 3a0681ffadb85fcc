/* The MJCF reader: the stages, and what is told of that has no part in them. */
#include "io/mjcf/mjcf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int children_of(const mjcf_spec *s, const char *section)
{
    int count = 0;
    for (xmlNode *n = pn_mjcf_first(s->root, section); n; n = pn_mjcf_next(n, section)) {
        for (xmlNode *c = pn_mjcf_first(n, NULL); c; c = pn_mjcf_next(c, NULL)) count++;
    }
    return count;
}

/* Sections that this reader knows nothing of, and those that only other programs need. */
static int tell_sections(mjcf_reader *r)
{
    static const char *const known[] = {"compiler",   "option",   "size",      "statistic", "visual",
                                        "default",    "asset",    "worldbody", "contact",   "tendon",
                                        "equality",   "actuator", "sensor",    "custom",    "keyframe",
                                        "deformable", "extension"};
    for (xmlNode *n = pn_mjcf_first(r->main->root, NULL); n; n = pn_mjcf_next(n, NULL)) {
        size_t i = 0;
        while (i < sizeof known / sizeof known[0] && !pn_xml_is(n, known[i])) i++;
        if (i == sizeof known / sizeof known[0] &&
            !pn_mjcf_left_out(r, n, "<%.40s> is not known and is left out", (const char *)n->name))
            return 0;
        if (!pn_xml_is(n, "deformable")) continue;
        for (xmlNode *f = pn_mjcf_first(n, NULL); f; f = pn_mjcf_next(f, NULL)) {
            if (pn_xml_is(f, "skin"))
                r->counts[COUNT_SKINS]++;
            else if (!pn_mjcf_left_out(r, f, "<%.40s> is left out: what bends is not part of the model",
                                       (const char *)f->name))
                return 0;
        }
    }
    r->counts[COUNT_SENSORS] = children_of(r->main, "sensor");
    r->counts[COUNT_KEYFRAMES] = children_of(r->main, "keyframe");
    return 1;
}

/* One line for all that has no part in dynamics. */
static int tell_counts(mjcf_reader *r)
{
    static const char *const names[COUNT_COUNT][2] = {
        {"sensor", "sensors"},
        {"softness of a collision", "softnesses of collisions"},
        {"camera", "cameras"},
        {"light", "lights"},
        {"keyframe", "keyframes"},
        {"skin", "skins"},
        {"margin of a limit", "margins of limits"},
        {"keyframe's controls", "keyframes' controls"}};
    char text[400] = "";
    size_t used = 0;
    for (int i = 0; i < COUNT_COUNT; i++) {
        if (!r->counts[i]) continue;
        const int n = snprintf(text + used, sizeof text - used, "%s%ld %s", used ? ", " : "", r->counts[i],
                               names[i][r->counts[i] != 1]);
        used += n > 0 && (size_t)n < sizeof text - used ? (size_t)n : 0;
    }
    return !used || pn_xml_warn(&r->u, NULL, "left out, as they have no part in dynamics: %s", text);
}

static int read_model(mjcf_reader *r, const char *text, size_t size, const char *folder)
{
    r->u.warnings = &r->warnings;
    r->u.others = "what is left out";
    r->main = pn_mjcf_parse(r, text, size, r->u.file, folder);
    if (!r->main) return 0;
    for (int i = 0; i < r->specs.count; i++) {
        if (!pn_mjcf_attributes(r, r->specs.at[i])) return 0;
    }
    return pn_mjcf_option(r) && pn_mjcf_bodies(r) && tell_sections(r) && pn_mjcf_names(r) &&
           pn_mjcf_rotors(r) && pn_mjcf_tendon_rotors(r) && pn_mjcf_auto_springs(r) && pn_mjcf_build(r) &&
           pn_mjcf_collisions(r) && pn_mjcf_tendons(r) &&
           pn_mjcf_equalities(r) && pn_mjcf_actuators(r) && pn_mjcf_keyframes(r) && pn_mjcf_check_masses(r) &&
           pn_mjcf_check_names(r) &&
           tell_counts(r) &&
           pn_xml_count_rest(&r->u);
}

static void free_reader(mjcf_reader *r)
{
    for (int i = 0; i < r->specs.count; i++) pn_mjcf_spec_free(r->specs.at[i]);
    for (int i = 0; i < r->parts.count; i++) free(r->parts.at[i].prefix);
    for (int i = 0; i < r->bodies.count; i++) free(r->bodies.at[i].name);
    for (int i = 0; i < r->joints.count; i++) free(r->joints.at[i].name);
    for (int i = 0; i < r->sites.count; i++) free(r->sites.at[i].name);
    for (int i = 0; i < r->tendons.count; i++) free(r->tendons.at[i].name);
    for (int i = 0; i < r->paths.count; i++) free(r->paths.at[i]);
    for (int i = 0; i < r->touches.count; i++) free(r->touches.at[i].name);
    for (int i = 0; i < r->documents.count; i++) {
        free(r->documents.at[i]->_private);
        xmlFreeDoc(r->documents.at[i]);
    }
    free(r->specs.at);
    free(r->parts.at);
    free(r->bodies.at);
    free(r->joints.at);
    free(r->sites.at);
    free(r->lumps.at);
    free(r->tendons.at);
    free(r->terms.at);
    free(r->visuals.at);
    free(r->paths.at);
    free(r->touches.at);
    free(r->documents.at);
    free(r->body_names);
    free(r->joint_names);
    free(r->site_names);
    free(r->tendon_names);
    free(r->drawn);
    pinion_builder_free(r->b);
}

pinion_model *pn_mjcf_read(const char *text, size_t size, const char *name, const char *folder,
                           const pinion_load_options *o, pinion_error *err)
{
    pinion_error local;
    if (!err) err = &local;
    mjcf_reader r = {.u = {.file = name, .err = err}, .bytes = size, .strict = o && o->strict};
    pinion_model *m = read_model(&r, text, size, folder) ? pinion_builder_build(r.b, o, err) : NULL;
    free_reader(&r);
    return m;
}
