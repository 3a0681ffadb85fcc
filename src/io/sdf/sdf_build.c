/* From the entities of SDF files to the model: which links hang together, what floats, and all to the
 * builder. */
#include "base/vec3.h"
#include "io/rotation.h"
#include "io/sdf/sdf.h"
#include "model/pose.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Ends of joints */

/* The body that one end of a joint is on; -1 on failure. */
static int find_end(sdf_reader *r, const sdf_entity *e, int child)
{
    const char *name = e->target;
    if (!child && !pn_sdf_child_text(r, e->node, "parent", &name)) return -1;
    const int world = strcmp(name, "world") == 0;
    const int found = world && !child ? 0 : *name ? pn_sdf_refer(r, e->scope, e->home, name) : -1;
    if (found >= 0 && &r->entities.at[found] != e) return r->entities.at[found].body;
    pn_xml_fail(
        &r->u, e->node, PINION_ERR_MODEL,
        !*name ? "joint '%.80s' has no <%s>%.0s; expected one"
        : child && world
            ? "joint '%.80s' has the <%s> '%.80s'; expected a link, which the world is not"
            : "joint '%.80s' has the <%s> '%.80s', which is not there; expected a link, frame or model",
        e->name, child ? "child" : "parent", name);
    return -1;
}

static int find_ends(sdf_reader *r)
{
    for (int i = 1; i < r->entities.count; i++) {
        sdf_entity *e = &r->entities.at[i];
        if (e->kind != SDF_JOINT) continue;
        if (!pn_sdf_check_type(r, e)) return 0;
        e->ends[0] = find_end(r, e, 0);
        e->ends[1] = e->ends[0] < 0 ? -1 : find_end(r, e, 1);
        if (e->ends[1] < 0) return 0;
        if (e->ends[0] == e->ends[1] && !e->is_static)
            return pn_xml_fail(&r->u, e->node, PINION_ERR_MODEL,
                               "joint '%.80s' has both ends on '%.80s'; expected two links", e->name,
                               e->ends[0] ? r->entities.at[e->ends[0]].name : "world");
    }
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * What hangs together */

/* A set of links is known by one of them; each knows another one of its set, in the component or by fixed
 * joints. */
static int *partner(sdf_reader *r, int link, int rigid)
{
    return rigid ? &r->entities.at[link].rigid : &r->entities.at[link].component;
}

static int find_set(sdf_reader *r, int link, int rigid)
{
    while (*partner(r, link, rigid) != link) {
        const int up = *partner(r, link, rigid);
        *partner(r, link, rigid) = *partner(r, up, rigid); /* shorter for the next */
        link = up;
    }
    return link;
}

static int find_component(sdf_reader *r, int link)
{
    return find_set(r, link, 0);
}

/* The smaller one stands for both, so that the world stands for all that is joined to it. */
static void unite(sdf_reader *r, int a, int b, int rigid)
{
    a = find_set(r, a, rigid);
    b = find_set(r, b, rigid);
    *partner(r, a > b ? a : b, rigid) = a > b ? b : a;
}

static void find_components(sdf_reader *r)
{
    for (int i = 0; i < r->entities.count; i++) r->entities.at[i].component = r->entities.at[i].rigid = i;
    for (int i = 1; i < r->entities.count; i++) {
        const sdf_entity *e = &r->entities.at[i];
        for (int k = 0; k < 2 && e->kind == SDF_LINK && e->is_static; k++) unite(r, 0, i, k);
        if (e->kind == SDF_JOINT && !pn_sdf_is_gearbox(e)) unite(r, e->ends[0], e->ends[1], 0);
    }
}

/* Notes in `base` of each component that does not hang on the world the link that it floats by: the first
 * that is no joint's child, else the first of all. */
static void find_bases(sdf_reader *r, int *base, char *is_child)
{
    for (int i = 1; i < r->entities.count; i++) {
        const sdf_entity *e = &r->entities.at[i];
        if (e->kind == SDF_JOINT && !pn_sdf_is_gearbox(e)) is_child[e->ends[1]] = 1;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 1; i < r->entities.count; i++) {
            if (r->entities.at[i].kind != SDF_LINK || (pass == 0 && is_child[i])) continue;
            const int c = find_component(r, i);
            if (c && !base[c]) base[c] = i;
        }
    }
}

/* ---------------------------------------------------------------------------------------------
 * To the builder */

/* The joint by which a component floats is called after the outermost model whose canonical link it has. */
static char *root_name(sdf_reader *r, int base)
{
    int named = base;
    for (int m = r->entities.at[base].scope; m > 0; m = r->entities.at[m].scope) {
        const int body = r->entities.at[m].body;
        if (body && find_component(r, body) == find_component(r, base)) named = m;
    }
    char *name = pn_sdf_join(r, r->entities.at[named].name, "::root", "");
    for (int taken = 1; name && taken;) {
        taken = pn_sdf_refer(r, 0, 0, name) >= 0;
        if (taken) name = pn_sdf_join(r, name, "_", "");
    }
    return name;
}

/* A link that stands still, or by which others float. */
static int hold(sdf_reader *r, int link, int floats)
{
    const sdf_entity *e = &r->entities.at[link];
    pinion_joint_def def = pinion_joint_def_default();
    char *name = e->is_static ? e->name : root_name(r, link);
    if (!name) return 0;
    def.name = name;
    def.type = floats ? PINION_JOINT_FREE : PINION_JOINT_FIXED;
    def.parent = "world";
    def.child = e->name;
    def.line = pn_xml_line(e->node);
    if (floats) {
        r->floats++;
        def.has_initial = 1;
        pn_matrix_quaternion(e->world.rotation, def.initial_q);
        memcpy(def.initial_q + 4, e->world.position, sizeof e->world.position);
    } else {
        def.parent_pose = e->world;
    }
    return pinion_builder_add_joint(r->b, &def, r->u.err) == PINION_OK;
}

static int add_frame(sdf_reader *r, const sdf_entity *e)
{
    static const char self[] = "::__model__";
    const size_t n = strlen(e->name), k = sizeof self - 1;
    const sdf_entity *body = &r->entities.at[e->body];
    pinion_frame_def def = pinion_frame_def_default();
    char *name = pn_sdf_join(r, e->name, "", "");
    if (!name) return 0;
    if (n > k && strcmp(name + n - k, self) == 0)
        name[n - k] = '\0'; /* a model that an old program took apart */
    def.name = name;
    def.link = e->body ? body->name : "world";
    def.pose = pn_pose_between(&body->world, &e->world);
    def.line = pn_xml_line(e->node);
    return pinion_builder_add_frame(r->b, &def, r->u.err) == PINION_OK;
}

/* A joint between links that are fixed to each other already has nothing to move, and holds as it is drawn.
 */
static int add_joint(sdf_reader *r, int index)
{
    const sdf_entity *e = &r->entities.at[index];
    if (find_set(r, e->ends[0], 1) == find_set(r, e->ends[1], 1))
        return pn_xml_warn(&r->u, e->node,
                           "joint '%.80s' is between links that are fixed to each other: it is not read",
                           e->name);
    if (pn_sdf_is_fixed(e)) unite(r, e->ends[0], e->ends[1], 1);
    return pn_sdf_joint(r, index);
}

/* The joints in the order of the file, and those that hold what floats where the links are. */
static int add_joints(sdf_reader *r, const int *base)
{
    for (int i = 1; i < r->entities.count; i++) {
        const sdf_entity *e = &r->entities.at[i];
        int ok = 1;
        if (e->kind == SDF_LINK && e->is_static)
            ok = hold(r, i, 0);
        else if (e->kind == SDF_LINK && base[find_component(r, i)] == i)
            ok = hold(r, i, !r->weld);
        else if (e->kind == SDF_JOINT && !pn_sdf_is_gearbox(e))
            ok = add_joint(r, i);
        if (!ok) return 0;
    }
    return 1;
}

static int add_all(sdf_reader *r, int *base, char *is_child)
{
    pinion_link_def world = pinion_link_def_default();
    world.name = "world";
    find_components(r);
    find_bases(r, base, is_child);
    if (pinion_builder_add_link(r->b, &world, r->u.err) != PINION_OK) return 0;
    for (int i = 1; i < r->entities.count; i++) {
        if (r->entities.at[i].kind == SDF_LINK && !pn_sdf_link(r, i)) return 0;
    }
    if (!add_joints(r, base)) return 0;
    for (int i = 1; i < r->entities.count; i++) {
        const sdf_entity *e = &r->entities.at[i];
        if ((e->kind == SDF_FRAME || e->kind == SDF_MODEL) && !add_frame(r, e)) return 0;
        if (e->kind == SDF_JOINT && pn_sdf_is_gearbox(e) && !pn_sdf_gearbox(r, i)) return 0;
    }
    return pinion_builder_set_root(r->b, "world", r->u.err) == PINION_OK;
}

int pn_sdf_build(sdf_reader *r)
{
    const size_t count = (size_t)r->entities.count;
    int *base = calloc(count, sizeof *base);
    char *is_child = calloc(count, 1);
    const int ok = base && is_child ? find_ends(r) && add_all(r, base, is_child) : pn_xml_memory(&r->u);
    free(base);
    free(is_child);
    return ok;
}
