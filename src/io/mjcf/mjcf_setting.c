/* What a file says once for all of its elements: <compiler>, <option>, <default> and <asset>. */
#include "io/mjcf/mjcf.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * <compiler> and <option> */

static int read_compiler(mjcf_reader *r, mjcf_spec *s, const xmlNode *node)
{
    mjcf_compiler *c = &s->compiler;
    const mjcf_element e = {r, s, node, TAG_COUNT, -1};
    double groups[2] = {c->groups[0], c->groups[1]};
    int global = 0;
    if (!pn_mjcf_known(
            &e, "autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle "
                "fitaabb "
                "eulerseq meshdir texturedir discardvisual convexhull usethread fusestatic inertiafromgeom "
                "inertiagrouprange saveinertial assetdir alignfree exactmeshinertia conflict"))
        return 0;
    if (!pn_mjcf_word(&e, "angle", "radian|degree", &c->degrees) ||
        !pn_mjcf_word(&e, "autolimits", "false|true", &c->autolimits) ||
        !pn_mjcf_word(&e, "inertiafromgeom", "false|true|auto", &c->from_geom) ||
        !pn_mjcf_word(&e, "balanceinertia", "false|true", &c->balance) ||
        !pn_mjcf_word(&e, "strippath", "false|true", &c->strip_path) ||
        !pn_mjcf_word(&e, "fitaabb", "false|true", &c->fit_box) ||
        !pn_mjcf_word(&e, "alignfree", "false|true", &c->align_free) ||
        !pn_mjcf_word(&e, "fusestatic", "false|true", &c->fuse) ||
        !pn_mjcf_word(&e, "coordinate", "local|global", &global) ||
        !pn_mjcf_number(&e, "boundmass", &c->bound_mass) ||
        !pn_mjcf_number(&e, "boundinertia", &c->bound_inertia) ||
        !pn_mjcf_number(&e, "settotalmass", &c->total_mass) ||
        pn_mjcf_numbers(&e, "inertiagrouprange", 2, 2, groups) < 0)
        return 0;
    for (int i = 0; i < 2; i++) c->groups[i] = groups[i] < -1 ? -1 : groups[i] > 1000 ? 1000 : (int)groups[i];
    if (global)
        return pn_xml_fail(&r->u, node, PINION_ERR_PARSE,
                           "coordinate=\"global\" is no longer part of the format; expected local");
    const char *folder = pn_xml_attribute(node, "assetdir");
    if (pn_xml_attribute(node, "meshdir")) folder = pn_xml_attribute(node, "meshdir");
    if (folder) c->mesh_folder = folder;
    const char *order = pn_xml_attribute(node, "eulerseq");
    if (!order) return 1;
    if (strlen(order) != 3 || strspn(order, "xyzXYZ") != 3)
        return pn_xml_fail(&r->u, node, PINION_ERR_PARSE,
                           "eulerseq is \"%.40s\"; expected three of x, y, z, X, Y, Z", order);
    memcpy(c->euler, order, 4);
    return 1;
}

/* Zero where a flag of <option><flag> says "disable". */
static int read_flag(const mjcf_element *e, const char *name, int *off)
{
    int on = !*off;
    if (!pn_mjcf_word(e, name, "disable|enable", &on)) return 0;
    *off = !on;
    return 1;
}

/* What moves through a fluid is braked by it. */
static int read_fluid(const mjcf_element *e)
{
    mjcf_reader *r = e->r;
    return pn_mjcf_number(e, "density", &r->density) && pn_mjcf_number(e, "viscosity", &r->viscosity) &&
           pn_mjcf_numbers(e, "wind", 3, 3, r->wind) >= 0;
}

/* Groups of actuators that are switched off. */
static int read_groups(const mjcf_element *e)
{
    double groups[31];
    const int count = pn_mjcf_numbers(e, "actuatorgroupdisable", 0, 31, groups);
    if (count < 0) return 0;
    for (int i = 0; i < count; i++) {
        if (!(groups[i] >= 0 && groups[i] <= 30 && groups[i] == (int)groups[i]))
            return pn_xml_fail(&e->r->u, e->node, PINION_ERR_PARSE,
                               "actuatorgroupdisable has a group that is none; expected whole numbers from 0 to 30");
        e->r->no_groups |= 1u << (int)groups[i];
    }
    return 1;
}

int pn_mjcf_option(mjcf_reader *r)
{
    const double standard[3] = {0, 0, -9.81};
    int weightless = 0, constraints_off = 0;
    memcpy(r->gravity, standard, sizeof standard);
    for (xmlNode *o = pn_mjcf_first(r->main->root, "option"); o; o = pn_mjcf_next(o, "option")) {
        const mjcf_element e = {r, r->main, o, TAG_COUNT, -1};
        if (pn_mjcf_numbers(&e, "gravity", 3, 3, r->gravity) < 0 || !read_fluid(&e) || !read_groups(&e)) return 0;
        for (xmlNode *f = pn_mjcf_first(o, "flag"); f; f = pn_mjcf_next(f, "flag")) {
            const mjcf_element flag = {r, r->main, f, TAG_COUNT, -1};
            int passive = 0;
            if (!read_flag(&flag, "gravity", &weightless) || !read_flag(&flag, "spring", &r->no_springs) ||
                !read_flag(&flag, "damper", &r->no_dampers) ||
                !read_flag(&flag, "frictionloss", &r->no_friction) ||
                !read_flag(&flag, "limit", &r->no_limits) || !read_flag(&flag, "equality", &r->no_equality) ||
                !read_flag(&flag, "constraint", &constraints_off) || !read_flag(&flag, "passive", &passive) ||
                !read_flag(&flag, "actuation", &r->no_actuation))
                return 0;
            if (passive) r->no_springs = r->no_dampers = 1;
        }
    }
    if (constraints_off) r->no_friction = r->no_limits = r->no_equality = 1;
    for (int i = 0; i < 3 && weightless; i++) r->gravity[i] = 0;
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Classes */

static mjcf_tag tag_of(const xmlNode *node)
{
    static const struct {
        const char *name;
        mjcf_tag tag;
    } tags[] = {{"joint", TAG_JOINT},         {"geom", TAG_GEOM},         {"site", TAG_SITE},
                {"mesh", TAG_MESH},           {"material", TAG_MATERIAL}, {"tendon", TAG_TENDON},
                {"equality", TAG_EQUALITY},   {"general", TAG_ACTUATOR},  {"motor", TAG_ACTUATOR},
                {"position", TAG_ACTUATOR},   {"velocity", TAG_ACTUATOR}, {"intvelocity", TAG_ACTUATOR},
                {"damper", TAG_ACTUATOR},     {"cylinder", TAG_ACTUATOR}, {"muscle", TAG_ACTUATOR},
                {"adhesion", TAG_ACTUATOR},   {"pid", TAG_ACTUATOR},      {"dcmotor", TAG_ACTUATOR},
                {"orientation", TAG_ACTUATOR}, {"pair", TAG_PAIR}};
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        if (pn_xml_is(node, tags[i].name)) return tags[i].tag;
    }
    return TAG_COUNT;
}

int pn_mjcf_class(mjcf_reader *r, const mjcf_spec *s, const xmlNode *node, const char *name)
{
    const int found = pn_mjcf_look_up(s->class_names, s->class_count, name);
    if (found < 0) pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "there is no default class '%.60s'", name);
    return found;
}

/* The class of that name, added where it is new; -1 on failure. */
static int add_class(mjcf_reader *r, mjcf_spec *s, const char *name, int parent, const xmlNode *node)
{
    const int found = pn_mjcf_look_up(s->class_names, s->class_count, name), n = s->class_count;
    if (found >= 0) return found;
    if (n >= MJCF_MAX_CLASSES) {
        pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "too many classes; expected at most %d", MJCF_MAX_CLASSES);
        return -1;
    }
    int capacity = n ? 16 : 0; /* as pn_xml_grow left it */
    while (capacity < n) capacity *= 2;
    int names = capacity;
    if (!pn_xml_grow(&r->u, &s->classes, n, &capacity, sizeof *s->classes) ||
        !pn_xml_grow(&r->u, &s->class_names, n, &names, sizeof *s->class_names))
        return -1;
    mjcf_class *c = &s->classes[n], *outer = parent < 0 ? NULL : &s->classes[parent];
    *c = (mjcf_class){.name = name, .parent = parent};
    for (int i = 0; i < TAG_COUNT; i++) {
        c->layer[i] = outer ? outer->layer[i] : -1;
        c->layers[i] = outer ? outer->layers[i] : 0;
    }
    int at = n;
    for (; at > 0 && strcmp(s->class_names[at - 1].name, name) > 0; at--)
        s->class_names[at] = s->class_names[at - 1];
    s->class_names[at] = (mjcf_name){name, n};
    return s->class_count++;
}

/* What one <default> says, not what those within it say. */
static int read_class(mjcf_reader *r, mjcf_spec *s, const xmlNode *node, int class_)
{
    mjcf_class *c = &s->classes[class_];
    for (xmlNode *n = pn_mjcf_first(node, NULL); n; n = pn_mjcf_next(n, NULL)) {
        const mjcf_tag tag = tag_of(n);
        if (tag == TAG_COUNT) continue;
        if (++c->layers[tag] > MJCF_MAX_LAYERS)
            return pn_xml_fail(&r->u, n, PINION_ERR_PARSE, "more than %d defaults one within the other",
                               MJCF_MAX_LAYERS);
        if (!MJCF_ADD(r, s->layers)) return 0;
        MJCF_LAST(s->layers) = (mjcf_layer){n, c->layer[tag]};
        c->layer[tag] = s->layers.count - 1;
    }
    return 1;
}

/* A <default> and those within it: what a class says comes before what is in it is made. */
static int read_classes(mjcf_reader *r, mjcf_spec *s, const xmlNode *node, int parent, int depth)
{
    const char *name = pn_xml_attribute(node, "class");
    if (depth > MJCF_MAX_DEPTH)
        return pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "classes are nested too deep");
    if (parent >= 0 && (!name || !*name))
        return pn_xml_fail(&r->u, node, PINION_ERR_PARSE,
                           "a <default> within another has no class; expected a name");
    if (parent >= 0 && pn_mjcf_look_up(s->class_names, s->class_count, name) >= 0)
        return pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "a second default class '%.60s'; expected one", name);
    const int class_ = parent < 0 ? 0 : add_class(r, s, name, parent, node);
    if (class_ < 0 || !read_class(r, s, node, class_)) return 0;
    for (xmlNode *n = pn_mjcf_first(node, "default"); n; n = pn_mjcf_next(n, "default")) {
        if (!read_classes(r, s, n, class_, depth + 1)) return 0;
    }
    return 1;
}

int pn_mjcf_element(mjcf_reader *r, const mjcf_spec *s, const xmlNode *node, mjcf_tag tag, int inherited,
                    mjcf_element *out)
{
    const char *name = pn_xml_attribute(node, "class");
    const int class_ = name && *name ? pn_mjcf_class(r, s, node, name) : inherited;
    *out = (mjcf_element){r, s, node, tag, class_};
    return class_ >= 0;
}

/* ---------------------------------------------------------------------------------------------
 * Assets */

static int mesh_order(const void *a, const void *b)
{
    return strcmp(((const mjcf_mesh *)a)->name, ((const mjcf_mesh *)b)->name);
}

static int read_assets(mjcf_reader *r, mjcf_spec *s, const xmlNode *asset)
{
    for (xmlNode *n = pn_mjcf_first(asset, "mesh"); n; n = pn_mjcf_next(n, "mesh")) {
        char *name;
        if (!pn_mjcf_mesh_name(r, n, &name)) return 0;
        if (!MJCF_ADD(r, s->meshes)) {
            free(name);
            return 0;
        }
        MJCF_LAST(s->meshes) = (mjcf_mesh){.name = name, .node = n};
    }
    for (xmlNode *n = pn_mjcf_first(asset, "model"); n; n = pn_mjcf_next(n, "model")) {
        const char *file;
        if (!pn_xml_string(&r->u, n, "file", &file)) return 0;
        const size_t room = (size_t)s->model_count + 1;
        mjcf_spec **models = realloc(s->models, room * sizeof(mjcf_spec *));
        if (models) s->models = models;
        const char **names = realloc(s->model_names, room * sizeof(char *));
        if (names) s->model_names = names;
        if (!models || !names) return pn_xml_memory(&r->u);
        mjcf_spec *other = pn_mjcf_open_model(r, s, n, file);
        if (!other) return 0;
        const char *name = pn_xml_attribute(n, "name"), *own = pn_xml_attribute(other->root, "model");
        s->models[s->model_count] = other;
        s->model_names[s->model_count++] = name ? name : own ? own : "";
    }
    return 1;
}

int pn_mjcf_settings(mjcf_reader *r, mjcf_spec *s)
{
    s->compiler = (mjcf_compiler){.degrees = 1,
                                  .euler = "xyz",
                                  .autolimits = 1,
                                  .from_geom = 2,
                                  .groups = {0, 5},
                                  .total_mass = -1,
                                  .mesh_folder = ""};
    if (add_class(r, s, "main", -1, NULL) < 0) return 0;
    for (xmlNode *n = pn_mjcf_first(s->root, "compiler"); n; n = pn_mjcf_next(n, "compiler")) {
        if (!read_compiler(r, s, n)) return 0;
    }
    for (xmlNode *n = pn_mjcf_first(s->root, "default"); n; n = pn_mjcf_next(n, "default")) {
        const char *name = pn_xml_attribute(n, "class");
        if (name && *name && strcmp(name, "main") != 0 && s->class_count == 1)
            s->classes[0].name = s->class_names[0].name = name;
        if (!read_classes(r, s, n, -1, 0)) return 0;
    }
    for (xmlNode *n = pn_mjcf_first(s->root, "asset"); n; n = pn_mjcf_next(n, "asset")) {
        if (!read_assets(r, s, n)) return 0;
    }
    if (!pn_mjcf_note_materials(r, s)) return 0;
    if (s->meshes.count) qsort(s->meshes.at, (size_t)s->meshes.count, sizeof *s->meshes.at, mesh_order);
    return 1;
}

void pn_mjcf_spec_free(mjcf_spec *s)
{
    for (int i = 0; i < s->meshes.count; i++) free(s->meshes.at[i].name);
    free(s->meshes.at);
    free(s->materials);
    free(s->models);
    free(s->model_names);
    free(s->classes);
    free(s->class_names);
    free(s->layers.at);
    free(s->folder);
    free(s);
}
