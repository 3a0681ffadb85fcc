/* What MuJoCo refuses though a model could be made of it: bodies that move and weigh nothing, names that are there
 * twice, references to what is not there. */
#include "io/mjcf/mjcf.h"

#include <stdlib.h>
#include <string.h>

#define LEAST 1e-15 /* mass and moments of a body that moves */

/* ---------------------------------------------------------------------------------------------
 * Masses */

/* Whether a body weighs enough by itself. */
static int weighs(const mjcf_body *b)
{
    double moment[3], R[9];
    pn_mjcf_principal(b->inertia.inertia, moment, R);
    return b->inertia.mass > LEAST && moment[2] > LEAST;
}

int pn_mjcf_check_masses(mjcf_reader *r)
{
    char *heavy = calloc((size_t)r->bodies.count + 1, 1);
    int ok = heavy ? 1 : pn_xml_memory(&r->u);
    for (int i = r->bodies.count - 1; ok && i > 0; i--) { /* what is fixed counts for what it is fixed to */
        const mjcf_body *b = &r->bodies.at[i];
        heavy[i] = heavy[i] || weighs(b);
        if (b->joint_count == 0 && heavy[i]) heavy[b->parent] = 1;
        if (b->joint_count > 0 && !heavy[i])
            ok = pn_xml_fail(&r->u, b->node, PINION_ERR_MODEL,
                             "a body that moves has no mass or no moment of inertia about some axis; expected more "
                             "than 1e-15 of each, also of what is fixed to it");
    }
    free(heavy);
    return ok;
}

/* ---------------------------------------------------------------------------------------------
 * Names */

typedef MJCF_LIST(mjcf_name) name_list;

static int add_name(mjcf_reader *r, name_list *list, const xmlNode *node)
{
    const char *name = pn_xml_attribute(node, "name");
    if (!name || !*name) return 1;
    if (!MJCF_ADD(r, *list)) return 0;
    MJCF_LAST(*list) = (mjcf_name){name, list->count - 1};
    return 1;
}

/* The names of elements below one, but for copies, whose names are others. */
static int collect(mjcf_reader *r, const xmlNode *parent, const char *element, name_list *list, int depth)
{
    if (depth > MJCF_MAX_DEPTH) return 1;
    for (xmlNode *n = pn_mjcf_first(parent, NULL); n; n = pn_mjcf_next(n, NULL)) {
        if (pn_xml_is(n, "replicate")) continue;
        if ((!element || pn_xml_is(n, element)) && !add_name(r, list, n)) return 0;
        if (!collect(r, n, element, list, depth + 1)) return 0;
    }
    return 1;
}

/* Names of one kind in a section, in order; refuses those that are there twice. */
static int names_of(mjcf_reader *r, const mjcf_spec *s, const char *section, const char *element, const char *what,
                    name_list *list)
{
    for (xmlNode *n = pn_mjcf_first(s->root, section); n; n = pn_mjcf_next(n, section))
        if (!collect(r, n, element, list, 0)) return 0;
    pn_mjcf_sort_names(list->at, list->count);
    return pn_mjcf_check_twice(r, list->at, list->count, what);
}

/* Whether what an attribute names is there. */
static int check_reference(mjcf_reader *r, const xmlNode *node, const char *attribute, const mjcf_name *names,
                           int count)
{
    const char *name = pn_xml_attribute(node, attribute);
    if (!name || !*name || pn_mjcf_look_up(names, count, name) >= 0) return 1;
    return pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "<%.40s %s=\"%.60s\"> names nothing that is there",
                       (const char *)node->name, attribute, name);
}

/* Sensors of joints, sites, bodies and tendons. */
static int check_sensors(mjcf_reader *r)
{
    const struct {
        const char *attribute;
        const mjcf_name *names;
        int count;
    } kinds[] = {{"joint", r->joint_names, r->joints.count},
                 {"site", r->site_names, r->sites.count},
                 {"tendon", r->tendon_names, r->tendons.count},
                 {"body", r->body_names, r->bodies.count}};
    for (xmlNode *n = pn_mjcf_first(r->main->root, "sensor"); n; n = pn_mjcf_next(n, "sensor"))
        for (xmlNode *s = pn_mjcf_first(n, NULL); s; s = pn_mjcf_next(s, NULL))
            for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
                if (!check_reference(r, s, kinds[k].attribute, kinds[k].names, kinds[k].count)) return 0;
    return 1;
}

int pn_mjcf_note_materials(mjcf_reader *r, mjcf_spec *s)
{
    name_list materials = {0}, textures = {0}, meshes = {0};
    int ok = names_of(r, s, "asset", "mesh", "meshes", &meshes) &&
             names_of(r, s, "asset", "material", "materials", &materials) &&
             names_of(r, s, "asset", "texture", "textures", &textures), by_file = 0;
    for (xmlNode *n = pn_mjcf_first(s->root, "asset"); n; n = pn_mjcf_next(n, "asset"))
        for (xmlNode *t = pn_mjcf_first(n, "texture"); t; t = pn_mjcf_next(t, "texture"))
            by_file += pn_xml_attribute(t, "name") == NULL; /* it is called as its file */
    for (xmlNode *n = pn_mjcf_first(s->root, "asset"); n && ok && !by_file; n = pn_mjcf_next(n, "asset"))
        for (xmlNode *m = pn_mjcf_first(n, "material"); m && ok; m = pn_mjcf_next(m, "material"))
            ok = check_reference(r, m, "texture", textures.at, textures.count);
    free(textures.at);
    free(meshes.at);
    s->materials = materials.at;
    s->material_count = materials.count;
    return ok;
}

int pn_mjcf_check_material(const mjcf_element *e)
{
    const char *name = pn_mjcf_text(e, "material");
    if (!name || !*name || pn_mjcf_look_up(e->s->materials, e->s->material_count, name) >= 0) return 1;
    return pn_xml_fail(&e->r->u, e->node, PINION_ERR_PARSE, "<%.40s> has the material '%.60s', which is not there",
                       (const char *)e->node->name, name);
}

int pn_mjcf_check_names(mjcf_reader *r)
{
    static const char *const kinds[][2] = {{"geom", "geoms"}, {"camera", "cameras"}, {"light", "lights"},
                                           {"frame", "frames"}};
    int ok = 1;
    for (size_t i = 0; ok && i < sizeof kinds / sizeof kinds[0]; i++) {
        name_list names = {0};
        ok = names_of(r, r->main, "worldbody", kinds[i][0], kinds[i][1], &names);
        free(names.at);
    }
    name_list sensors = {0};
    ok = ok && names_of(r, r->main, "sensor", NULL, "sensors", &sensors);
    free(sensors.at);
    return ok && (r->parts.count > 1 || check_sensors(r));
}
