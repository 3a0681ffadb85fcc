/* Going through SDF files: what has a frame is noted, with what the file says of its place. */
#include "io/sdf/sdf.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NAME 255 /* bytes of a name with those of its models: a model would take no longer one */

/* What an <include> says about the model that it takes from another file. */
typedef struct inclusion {
    const xmlNode *node;
    const char *name, *placement; /* "": as the file has it */
    int has_pose, has_static, is_static, merge;
} inclusion;

/* ---------------------------------------------------------------------------------------------
 * Entities */

/* Names that mean something else, or would be read as several. */
static int check_name(sdf_reader *r, const xmlNode *node, const char *name, int file)
{
    if (!pn_sdf_unreserved(r, node, name)) return 0;
    if (strstr(name, "::") && r->files.at[file].minor >= 8)
        return pn_xml_fail(&r->u, node, PINION_ERR_MODEL,
                           "<%.60s> is called '%.60s'; expected a name without '::'",
                           (const char *)node->name, name);
    return 1;
}

/* Adds what is called `name` in a place; -1 on failure. */
static int add_entity(sdf_reader *r, sdf_kind kind, const xmlNode *node, const sdf_place *p, const char *name)
{
    const char *scope = r->entities.at[p->scope].name;
    char *full = pn_sdf_join(r, scope, *scope ? "::" : "", name);
    if (!full) return -1;
    if (strlen(full) > MAX_NAME) {
        pn_xml_fail(&r->u, node, PINION_ERR_MODEL,
                    "the name '%.60s...' is too long; expected at most %d bytes with "
                    "those of the models it is in",
                    full, MAX_NAME);
        return -1;
    }
    if (!SDF_ADD(r, r->entities)) return -1;
    SDF_LAST(r->entities) = (sdf_entity){.kind = kind,
                                         .name = full,
                                         .scope = p->scope,
                                         .home = p->home,
                                         .file = p->file,
                                         .node = node,
                                         .raw = pinion_pose_identity(),
                                         .relative_to = "",
                                         .target = "",
                                         .placement = "",
                                         .inner = p->scope,
                                         .is_static = p->is_static};
    return r->entities.count - 1;
}

/* A link, joint or frame, whose name is in its element. */
static sdf_entity *add_named(sdf_reader *r, sdf_kind kind, const xmlNode *node, const sdf_place *p)
{
    const char *name;
    if (!pn_xml_string(&r->u, node, "name", &name) || !check_name(r, node, name, p->file)) return NULL;
    const int index = add_entity(r, kind, node, p, name);
    if (index < 0) return NULL;
    sdf_entity *e = &r->entities.at[index];
    return pn_sdf_pose(r, node, p->file, &e->raw, &e->relative_to) ? e : NULL;
}

static int count_children(sdf_reader *r, const xmlNode *node, const char *name, sdf_count which)
{
    for (xmlNode *n = pn_xml_find(node->children, name); n; n = pn_xml_find(n->next, name))
        r->counts[which]++;
    return pn_sdf_unique(r, node, name);
}

static int read_link(sdf_reader *r, const xmlNode *node, const sdf_place *p)
{
    return add_named(r, SDF_LINK, node, p) && pn_sdf_unique(r, node, "visual") &&
           pn_sdf_unique(r, node, "collision") && pn_sdf_unique(r, node, "particle_emitter") &&
           count_children(r, node, "sensor", SDF_COUNT_SENSORS) &&
           count_children(r, node, "light", SDF_COUNT_LIGHTS);
}

static int read_joint(sdf_reader *r, const xmlNode *node, const sdf_place *p)
{
    sdf_entity *e = add_named(r, SDF_JOINT, node, p);
    const char *child;
    if (!e || !count_children(r, node, "sensor", SDF_COUNT_SENSORS)) return 0;
    const int index = (int)(e - r->entities.at);
    if (!pn_sdf_child_text(r, node, "child", &child)) return 0;
    if (!*child)
        return pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "joint '%.60s' has no <child>; expected one",
                           e->name);
    r->entities.at[index].target = child;
    return 1;
}

static int read_frame(sdf_reader *r, const xmlNode *node, const sdf_place *p)
{
    sdf_entity *e = add_named(r, SDF_FRAME, node, p);
    const char *to = pn_xml_attribute(node, "attached_to");
    if (!e) return 0;
    if (to && strcmp(to, "__root__") == 0)
        return pn_xml_fail(&r->u, node, PINION_ERR_PARSE,
                           "<frame attached_to=\"__root__\">: that name is reserved");
    if (to) e->target = to;
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Models */

static int read_content(sdf_reader *r, const xmlNode *node, const sdf_place *p);

/* The first link, or where there is none the first model, in a place and noted since `first`: its name there.
 */
static const char *first_link(const sdf_reader *r, int first, const sdf_place *p)
{
    const size_t skip = strlen(r->entities.at[p->scope].name);
    for (int kind = SDF_LINK; kind >= SDF_MODEL; kind--) {
        for (int i = first; i < r->entities.count; i++) {
            const sdf_entity *e = &r->entities.at[i];
            if ((int)e->kind == kind && e->scope == p->scope) return e->name + skip + (skip ? 2 : 0);
        }
    }
    return NULL;
}

/* What an element, or the <include> it came by, says about the whole of a model. */
static int read_whole(sdf_reader *r, const xmlNode *node, const sdf_place *p, int file, const inclusion *by,
                      int index, int *stands)
{
    const char *canonical = pn_xml_attribute(node, "canonical_link"),
               *placement = pn_xml_attribute(node, "placement_frame"), *relative_to;
    int is_static = 0;
    pinion_pose raw;
    if (!pn_sdf_pose(r, node, file, &raw, &relative_to)) return 0;
    if (*relative_to && (by || pn_xml_is(node->parent, "sdf")))
        return pn_xml_fail(
            &r->u, node, PINION_ERR_MODEL,
            "the pose of the only model of a file is relative to '%.60s'; expected no relative_to",
            relative_to);
    if (by && by->has_pose && !pn_sdf_pose(r, by->node, p->file, &raw, &relative_to)) return 0;
    if (!pn_sdf_child_bool(r, node, "static", &is_static)) return 0;
    if (by && by->has_static) is_static = by->is_static;
    if (by && *by->placement) placement = by->placement;
    sdf_entity *e = &r->entities.at[index];
    e->raw = raw;
    e->start = pn_xml_find(node->children, "model_state");
    e->relative_to = relative_to;
    e->target = canonical ? canonical : "";
    e->placement = placement ? placement : "";
    e->is_static = is_static || p->is_static;
    *stands = is_static;
    return 1;
}

/* `file` is where the element is; where that was included, the place is the includer's. */
static int read_model(sdf_reader *r, const xmlNode *node, const sdf_place *p, int file, const inclusion *by)
{
    const char *name;
    if (p->depth >= SDF_MAX_DEPTH)
        return pn_xml_fail(&r->u, node, PINION_ERR_MODEL,
                           "models are nested too deep; expected at most %d in each other", SDF_MAX_DEPTH);
    if (!pn_xml_string(&r->u, node, "name", &name)) return 0;
    if (by && *by->name) name = by->name;
    if (!check_name(r, node, name, file)) return 0;
    const int merge = by && by->merge, first = r->entities.count + 1;
    if (merge && p->in_world && pn_xml_find(node->children, "link"))
        return pn_xml_fail(&r->u, pn_xml_find(node->children, "link"), PINION_ERR_MODEL,
                           "a <link> is merged into a world; expected models, joints and frames alone");
    if (merge) {
        char *head = pn_sdf_join(r, "_merged__", name, "__model__");
        if (!head) return 0;
        name = head;
    }
    const int index = add_entity(r, merge ? SDF_FRAME : SDF_MODEL, node, p, name);
    int stands = 0; /* by its own word, not by that of a model around it */
    if (index < 0 || !read_whole(r, node, p, file, by, index, &stands)) return 0;

    /* what is merged is named as if it were in the model around it */
    sdf_place inside = {.scope = merge ? p->scope : index,
                        .home = index,
                        .file = file,
                        .depth = p->depth + 1,
                        .is_static = r->entities.at[index].is_static};
    r->entities.at[index].inner = inside.scope;
    if (!read_content(r, node, &inside)) return 0;
    const char *link = first_link(r, first, &inside);
    if (!link && !stands && !(merge && p->in_world))
        return pn_xml_fail(&r->u, node, PINION_ERR_MODEL,
                           "the model '%.60s' has no link; expected at least one",
                           r->entities.at[index].name);
    if (!*r->entities.at[index].target && link) r->entities.at[index].target = link;
    return 1;
}

/* The one thing that a file has to be included for; NULL with the error filled. */
static xmlNode *included(sdf_reader *r, const xmlNode *root)
{
    xmlNode *found = NULL;
    for (xmlNode *n = pn_xml_find(root->children, NULL); n; n = pn_xml_find(n->next, NULL)) {
        if (!pn_xml_is(n, "model") && !pn_xml_is(n, "light") && !pn_xml_is(n, "actor")) continue;
        if (found) {
            pn_xml_fail(&r->u, n, PINION_ERR_MODEL, "a <%s> behind a <%s> in a file that is included; expected one",
                        (const char *)n->name, (const char *)found->name);
            return NULL;
        }
        found = n;
    }
    if (!found)
        pn_xml_fail(&r->u, root, PINION_ERR_MODEL, "there is no <model>, <light> or <actor> to include; expected one");
    return found;
}

static int read_include(sdf_reader *r, const xmlNode *node, const sdf_place *p)
{
    const char *uri, *merge = pn_xml_attribute(node, "merge");
    inclusion by = {.node = node};
    if (!pn_sdf_child_text(r, node, "uri", &uri) || !pn_sdf_child_text(r, node, "name", &by.name) ||
        !pn_sdf_child_text(r, node, "placement_frame", &by.placement) ||
        !pn_sdf_bool(r, node, merge, &by.merge) || !pn_sdf_child_bool(r, node, "static", &by.is_static))
        return 0;
    if (!*uri) return pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "<include> has no <uri>; expected one");
    by.has_pose = pn_xml_find(node->children, "pose") != NULL;
    by.has_static = pn_xml_find(node->children, "static") != NULL;
    xmlNode *root = pn_sdf_open(r, node, p->file, uri);
    if (!root) return 0;
    const int file = r->files.count - 1;
    if (!pn_sdf_attributes(r, root, r->files.at[file].minor)) return 0;
    if (*by.placement && !by.has_pose)
        return pn_xml_fail(&r->u, node, PINION_ERR_PARSE,
                           "<include> has a <placement_frame> and no <pose>; expected both");
    const xmlNode *n = included(r, root);
    if (!n) return 0;
    if (pn_xml_is(n, "model")) return read_model(r, n, p, file, &by);
    if (by.merge)
        return pn_xml_fail(&r->u, node, PINION_ERR_MODEL, "a <%s> is to be merged; expected a model",
                           (const char *)n->name);
    r->counts[pn_xml_is(n, "light") ? SDF_COUNT_LIGHTS : SDF_COUNT_ACTORS]++;
    return 1;
}

/* The models, links, joints and frames of a model or a world, in the order of the file. */
static int read_content(sdf_reader *r, const xmlNode *node, const sdf_place *p)
{
    static const char *const kinds[] = {"model", "link", "joint", "frame", "physics"};
    for (int i = 0; i < 5; i++) {
        if (!pn_sdf_unique(r, node, kinds[i])) return 0;
    }
    for (xmlNode *n = pn_xml_find(node->children, NULL); n; n = pn_xml_find(n->next, NULL)) {
        int ok = 1;
        if (pn_xml_is(n, "link") && !p->in_world)
            ok = read_link(r, n, p);
        else if (pn_xml_is(n, "joint"))
            ok = read_joint(r, n, p);
        else if (pn_xml_is(n, "frame"))
            ok = read_frame(r, n, p);
        else if (pn_xml_is(n, "model"))
            ok = read_model(r, n, p, p->file, NULL);
        else if (pn_xml_is(n, "include"))
            ok = read_include(r, n, p);
        else if (pn_xml_is(n, "plugin"))
            r->counts[SDF_COUNT_PLUGINS]++;
        else if (pn_xml_is(n, "gripper") || pn_xml_is(n, "population"))
            ok = pn_sdf_left_out(r, n, "<%s> is left out", (const char *)n->name);
        if (!ok) return 0;
    }
    return pn_sdf_known(r, node,
                        p->in_world ? " actor atmosphere audio frame gravity gui include joint light magnetic_field "
                                      "model model_state physics plugin population road scene spherical_coordinates "
                                      "state wind "
                                    : " link joint frame model include plugin gripper population pose static "
                                      "self_collide allow_auto_disable enable_wind model_state ");
}

/* ---------------------------------------------------------------------------------------------
 * Worlds */

static int read_gravity(sdf_reader *r, const xmlNode *world)
{
    double gravity[3] = {0, 0, -9.8}; /* the format's own */
    xmlNode *given, *physics = pn_xml_find(world->children, "physics");
    if (!pn_sdf_child(r, world, "gravity", &given)) return 0;
    if (!given && physics && !pn_sdf_child(r, physics, "gravity", &given)) return 0; /* before 1.6 */
    if (given && !pn_sdf_numbers(r, given, 3, gravity)) return 0;
    return pinion_builder_set_gravity(r->b, gravity, r->u.err) == PINION_OK;
}

static int read_world(sdf_reader *r, const xmlNode *world)
{
    const sdf_place p = {.in_world = 1};
    double wind[3] = {0};
    xmlNode *n;
    if (!read_gravity(r, world) || !read_content(r, world, &p) ||
        !count_children(r, world, "light", SDF_COUNT_LIGHTS) ||
        !count_children(r, world, "actor", SDF_COUNT_ACTORS))
        return 0;
    if (!pn_sdf_child(r, world, "wind", &n) || (n && !pn_sdf_child_numbers(r, n, "linear_velocity", 3, wind)))
        return 0;
    if ((wind[0] != 0 || wind[1] != 0 || wind[2] != 0) && !pn_sdf_left_out(r, n, "<wind> is left out"))
        return 0;
    n = pn_xml_find(world->children, "state");
    return !n || pn_sdf_left_out(r, n, "<state> is left out: the world starts as it is drawn");
}

/* What is in a file outside of worlds: one model, light or actor, there or in another file. */
static int read_alone(sdf_reader *r, const xmlNode *root)
{
    const sdf_place p = {.file = 0};
    const xmlNode *first = NULL;
    for (xmlNode *n = pn_xml_find(root->children, NULL); n; n = pn_xml_find(n->next, NULL)) {
        const int include = pn_xml_is(n, "include"), model = pn_xml_is(n, "model");
        if (!include && !model && !pn_xml_is(n, "light") && !pn_xml_is(n, "actor")) continue;
        if (first)
            return pn_xml_fail(&r->u, n, PINION_ERR_MODEL,
                               "a second <model>, <light> or <actor> in <sdf>; expected one, or a <world> around them");
        first = n;
        if (include && pn_xml_attribute(n, "merge")) {
            int merge = 0;
            if (!pn_sdf_bool(r, n, pn_xml_attribute(n, "merge"), &merge)) return 0;
            if (merge)
                return pn_xml_fail(&r->u, n, PINION_ERR_MODEL, "<include merge=\"true\"> in <sdf>; expected a model "
                                                               "or a world around it");
        }
        if (include ? !read_include(r, n, &p) : model && !read_model(r, n, &p, 0, NULL)) return 0;
    }
    return 1;
}

int pn_sdf_collect(sdf_reader *r, xmlNode *root)
{
    xmlNode *world = pn_xml_find(root->children, "world");
    if (!SDF_ADD(r, r->entities)) return 0;
    SDF_LAST(r->entities) = (sdf_entity){
        .kind = SDF_WORLD, .raw = pinion_pose_identity(), .relative_to = "", .target = "", .placement = ""};
    SDF_LAST(r->entities).name = pn_sdf_join(r, "", "", "");
    if (!SDF_LAST(r->entities).name || !pn_sdf_unique(r, root, "world") || !pn_sdf_unique(r, root, "model"))
        return 0;
    if (world && !read_world(r, world)) return 0;
    if (world && pn_xml_find(world->next, "world") &&
        !pn_sdf_left_out(r, pn_xml_find(world->next, "world"), "only the first <world> is read"))
        return 0;
    return read_alone(r, root) && count_children(r, root, "light", SDF_COUNT_LIGHTS) &&
           count_children(r, root, "actor", SDF_COUNT_ACTORS) &&
           pn_sdf_known(r, root, " world model light actor include ");
}
