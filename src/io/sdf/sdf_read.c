/* The SDF reader: the stages, and what is told of that has no part in them. */
#include "io/sdf/sdf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One line for all that has no part in dynamics. */
static int tell_counts(sdf_reader *r)
{
    static const char *const names[SDF_COUNT_COUNT][2] = {
        {"sensor", "sensors"},
        {"light", "lights"},
        {"actor", "actors"},
        {"plugin", "plugins"},
        {"shape that is not drawn", "shapes that are not drawn"}};
    char text[400] = "";
    size_t used = 0;
    for (int i = 0; i < SDF_COUNT_COUNT; i++) {
        if (!r->counts[i]) continue;
        const int n = snprintf(text + used, sizeof text - used, "%s%ld %s", used ? ", " : "", r->counts[i],
                               names[i][r->counts[i] != 1]);
        used += n > 0 && (size_t)n < sizeof text - used ? (size_t)n : 0;
    }
    return !used || pn_xml_warn(&r->u, NULL, "left out, as they have no part in dynamics: %s", text);
}

static int read_model(sdf_reader *r, const char *text, size_t size, const char *folder)
{
    char *path = pn_sdf_join(r, r->u.file, "", ""), *own = folder ? pn_sdf_join(r, folder, "", "") : NULL;
    r->u.others = "what is left out";
    if (!path || (folder && !own)) return 0;
    xmlNode *root = pn_sdf_parse(r, text, size, path, own);
    if (!root) return 0;
    const xmlNode *named = pn_xml_find(root->children, "world");
    if (!named) named = pn_xml_find(root->children, "model");
    const char *name = named ? pn_xml_attribute(named, "name") : NULL;
    r->b = r->warnings.b = pinion_builder_new(name ? name : "sdf");
    if (!r->b || pinion_builder_set_source(r->b, r->u.file) != PINION_OK) return pn_xml_memory(&r->u);
    r->u.warnings = &r->warnings;
    return pn_sdf_attributes(r, root, r->files.at[0].minor) && pn_sdf_collect(r, root) && pn_sdf_index(r) &&
           pn_sdf_resolve(r) && pn_sdf_build(r) && tell_counts(r) && pn_xml_count_rest(&r->u);
}

static void free_reader(sdf_reader *r)
{
    for (int i = 0; i < r->files.count; i++) xmlFreeDoc(r->files.at[i].doc);
    for (int i = 0; i < r->strings.count; i++) free(r->strings.at[i]);
    free(r->files.at);
    free(r->strings.at);
    free(r->entities.at);
    free(r->names);
    pinion_builder_free(r->b);
}

pinion_model *pn_sdf_read(const char *text, size_t size, const char *name, const char *folder,
                          const pinion_load_options *o, pinion_error *err)
{
    pinion_error local = {PINION_OK, 0, 0, ""};
    sdf_reader r = {.u = {.file = name, .err = &local},
                    .options = o,
                    .bytes = size,
                    .strict = o && o->strict,
                    .weld = o && o->root == PINION_ROOT_FIXED};
    pinion_model *m = NULL;
    if (read_model(&r, text, size, folder)) {
        /* what floats already needs no second free joint */
        pinion_load_options options = o ? *o : pinion_load_options_default();
        if (r.floats && options.root == PINION_ROOT_FREE) options.root = PINION_ROOT_AS_FILE;
        m = pinion_builder_build(r.b, &options, &local);
    }
    if (!m && err) *err = local;
    free_reader(&r);
    return m;
}
