/* Links of SDF, and what they look like. A fault in looks costs the visual and gives a warning. */
#include "io/sdf/sdf.h"
#include "model/pose.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Visuals */

/* The path of a mesh: what another file names beside itself is found from there. */
int pn_sdf_mesh(sdf_reader *r, const sdf_entity *link, const xmlNode *node, const char **path, double scale[3])
{
    const char *uri;
    for (int i = 0; i < 3; i++) scale[i] = 1;
    if (!pn_sdf_child_text(r, node, "uri", &uri) || !pn_sdf_child_numbers(r, node, "scale", 3, scale)) return 0;
    if (strncmp(uri, "file://", 7) == 0) uri += 7;
    const int own = link->node->doc == r->files.at[0].doc || uri[0] == '/' || strstr(uri, "://");
    const char *folder = "";
    for (int i = 0; i < r->files.count && !own; i++) {
        if (r->files.at[i].doc == link->node->doc && r->files.at[i].folder) folder = r->files.at[i].folder;
    }
    *path = pn_sdf_join(r, folder, uri, "");
    return *path != NULL;
}

/* 1 a shape that can be drawn, 0 none, -1 on failure. */
static int read_shape(sdf_reader *r, const sdf_entity *link, const xmlNode *geometry, pinion_visual_def *def)
{
    const xmlNode *n;
    int ok = 0;
    double *size = def->size;
    for (int i = 0; i < 3; i++) size[i] = 1;
    if ((n = pn_xml_find(geometry->children, "box"))) {
        def->shape = PINION_SHAPE_BOX;
        ok = pn_sdf_child_numbers(r, n, "size", 3, size);
    } else if ((n = pn_xml_find(geometry->children, "sphere"))) {
        def->shape = PINION_SHAPE_SPHERE;
        ok = pn_sdf_child_numbers(r, n, "radius", 1, size);
    } else if ((n = pn_xml_find(geometry->children, "cylinder")) ||
               (n = pn_xml_find(geometry->children, "capsule"))) {
        def->shape = pn_xml_is(n, "capsule") ? PINION_SHAPE_CAPSULE : PINION_SHAPE_CYLINDER;
        if (def->shape == PINION_SHAPE_CAPSULE) size[0] = 0.5;
        ok = pn_sdf_child_numbers(r, n, "radius", 1, size) &&
             pn_sdf_child_numbers(r, n, "length", 1, size + 1);
    } else if ((n = pn_xml_find(geometry->children, "mesh"))) {
        def->shape = PINION_SHAPE_MESH;
        ok = pn_sdf_mesh(r, link, n, &def->mesh, size);
    } else {
        r->counts[SDF_COUNT_SHAPES] +=
            pn_xml_find(geometry->children, NULL) && !pn_xml_find(geometry->children, "empty");
        return 0;
    }
    return ok ? 1 : -1;
}

static int read_visual(sdf_reader *r, const sdf_entity *link, const xmlNode *node)
{
    pinion_error fault = {PINION_OK, 0, 0, ""};
    pinion_visual_def def = pinion_visual_def_default();
    const char *relative_to;
    const xmlNode *geometry = pn_xml_find(node->children, "geometry"),
                  *material = pn_xml_find(node->children, "material");
    if (!geometry) return 1;
    const int drawn = read_shape(r, link, geometry, &def);
    if (drawn <= 0) return drawn == 0;
    if (!pn_sdf_pose(r, node, link->file, &def.pose, &relative_to)) return 0;
    if (*relative_to) {
        const int from = pn_sdf_refer(r, link->scope, link->home, relative_to);
        if (from < 0)
            return pn_xml_warn(&r->u, node,
                               "relative_to names '%.80s', which is not there (this visual is left out)",
                               relative_to);
        const pinion_pose world = pn_pose_mul(&r->entities.at[from].world, &def.pose);
        def.pose = pn_pose_between(&link->world, &world);
    }
    double rgba[4] = {0, 0, 0, 1};
    const xmlNode *diffuse = material ? pn_xml_find(material->children, "diffuse") : NULL;
    if (diffuse) { /* the file was checked to have three or four numbers */
        pn_xml_warnings *warnings = r->u.warnings;
        r->u.warnings = NULL;
        pinion_error *err = r->u.err;
        r->u.err = &fault;
        const int ok = pn_sdf_numbers(r, diffuse, 4, rgba) || pn_sdf_numbers(r, diffuse, 3, rgba);
        r->u.err = err;
        r->u.warnings = warnings;
        if (ok) memcpy(def.rgba, rgba, sizeof rgba);
    }
    def.link = link->name;
    def.line = pn_xml_line(node);
    if (pinion_builder_add_visual(r->b, &def, &fault) == PINION_OK) return 1;
    return pn_xml_pass_over(&r->u, &fault, "this visual is left out");
}

/* ---------------------------------------------------------------------------------------------
 * Links */

/* What a link says about how it moves and a model has no place for. */
static int tell_motion(sdf_reader *r, const sdf_entity *e, double *carried)
{
    int gravity = 1, kinematic = 0;
    double linear = 0, angular = 0;
    xmlNode *decay;
    if (!pn_sdf_child_bool(r, e->node, "gravity", &gravity) ||
        !pn_sdf_child_bool(r, e->node, "kinematic", &kinematic) ||
        !pn_sdf_child(r, e->node, "velocity_decay", &decay) ||
        (decay && (!pn_sdf_child_numbers(r, decay, "linear", 1, &linear) ||
                   !pn_sdf_child_numbers(r, decay, "angular", 1, &angular))))
        return 0;
    if (e->is_static) return 1;
    if (!gravity) *carried = 1; /* a force that carries its weight is the same to its motion */
    return (!kinematic ||
            pn_sdf_left_out(r, e->node, "that link '%.80s' is kinematic is left out", e->name)) &&
           ((linear == 0 && angular == 0) ||
            pn_sdf_left_out(r, decay, "the <velocity_decay> of link '%.80s' is left out", e->name));
}

int pn_sdf_link(sdf_reader *r, int index)
{
    const sdf_entity *e = &r->entities.at[index];
    pinion_link_def def = pinion_link_def_default();
    def.name = e->name;
    def.line = pn_xml_line(e->node);
    if (!pn_sdf_known(
            r, e->node,
            " gravity enable_wind self_collide kinematic must_be_base_link velocity_decay pose inertial "
            "collision visual sensor projector audio_sink audio_source battery light particle_emitter "
            "frame "))
        return 0;
    if (!pn_sdf_inertia(r, e, &def.inertia) || !tell_motion(r, e, &def.gravity_compensation)) return 0;
    if (pinion_builder_add_link(r->b, &def, r->u.err) != PINION_OK) return 0;
    r->u.looks = 1;
    int ok = 1;
    for (xmlNode *v = pn_xml_find(e->node->children, "visual"); ok && v; v = pn_xml_find(v->next, "visual"))
        ok = read_visual(r, e, v);
    ok = ok && pn_sdf_collisions(r, e);
    r->u.looks = 0;
    return ok;
}
