/* What a link weighs: as <inertial> says, or by the shapes of its collisions. */
#include "io/mjcf/mjcf.h"
#include "io/mjcf/mjcf_shape.h"
#include "io/mjcf/mjcf_surface.h"
#include "io/rotation.h"
#include "io/sdf/sdf.h"
#include "model/pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---------------------------------------------------------------------------------------------
 * Shapes */

/* A cone about its centre of mass, which is a quarter of its length above its foot: *shift from the middle.
 */
static void cone(double r, double h, pinion_inertia *out)
{
    const double m = pi * r * r * h / 3, across = m * (3 * r * r / 20 + 3 * h * h / 80);
    *out = (pinion_inertia){m, {0, 0, -h / 4}, {across, 0, 0, across, 0, 3 * m * r * r / 10}};
}

/* The solid within a mesh, with a density of 1. NULL, or why there is none; "" when out of memory. */
static const char *weigh_mesh(const char *uri, const char *bytes, size_t size, const double scale[3],
                              pinion_inertia *out)
{
    mjcf_surface s = {.all = 1};
    const char *why = pn_mjcf_surface(uri, bytes, size, &s);
    if (!why) {
        pn_mjcf_surface_scale(&s, scale);
        if (!pn_mjcf_surface_solid(&s, out)) why = "no volume above 0";
    }
    free(s.point);
    free(s.corner);
    return why;
}

/* A mesh with a density of 1: 1 found, 0 none that weighs something, which is told, -1 on failure. */
static int read_mesh(sdf_reader *r, const sdf_entity *link, const xmlNode *node, pinion_inertia *out)
{
    const char *uri, *why = "a <submesh>, which is not read";
    double scale[3] = {1, 1, 1};
    if (!pn_sdf_child_text(r, node, "uri", &uri) || !pn_sdf_child_numbers(r, node, "scale", 3, scale)) return -1;
    if (!pn_xml_find(node->children, "submesh")) {
        size_t size = 0;
        char *bytes = pn_sdf_read_mesh(r, node, link->file, uri, &size);
        if (!bytes && r->u.err->status == PINION_ERR_MEMORY) return -1;
        if (!bytes) *r->u.err = (pinion_error){PINION_OK, 0, 0, ""};
        why = bytes ? weigh_mesh(uri, bytes, size, scale, out) : "no file that can be read";
        free(bytes);
    }
    if (!why) return 1;
    if (!*why) return pn_xml_memory(&r->u) - 1;
    return pn_sdf_left_out(r, node, "a collision of link '%.80s' adds nothing to its inertia: the mesh '%.100s' has %s",
                           link->name, uri, why) -
           1;
}

/* One shape with a density of 1: 1 found, 0 none that weighs something, which is told, -1 on failure. */
static int read_shape(sdf_reader *r, const sdf_entity *link, const xmlNode *geometry, pinion_inertia *out)
{
    static const struct {
        const char *name, *size[2];
        int shape, numbers; /* of the first size; a second one has one number */
        double value[3];
    } shapes[] = {{"box", {"size", NULL}, SHAPE_BOX, 3, {1, 1, 1}},
                  {"sphere", {"radius", NULL}, SHAPE_SPHERE, 1, {1}},
                  {"ellipsoid", {"radii", NULL}, SHAPE_ELLIPSOID, 3, {1, 1, 1}},
                  {"cylinder", {"radius", "length"}, SHAPE_CYLINDER, 1, {1, 1}},
                  {"capsule", {"radius", "length"}, SHAPE_CAPSULE, 1, {0.5, 1}},
                  {"cone", {"radius", "length"}, -1, 1, {1, 1}}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const xmlNode *node = pn_xml_find(geometry->children, shapes[i].name);
        double size[3];
        if (!node) continue;
        memcpy(size, shapes[i].value, sizeof size);
        if (!pn_sdf_child_numbers(r, node, shapes[i].size[0], shapes[i].numbers, size) ||
            (shapes[i].size[1] && !pn_sdf_child_numbers(r, node, shapes[i].size[1], 1, size + 1)))
            return -1;
        int fine = size[0] > 0 && (size[1] > 0 || shapes[i].shape == SHAPE_SPHERE);
        for (int k = 0; k < 3; k++)
            fine = fine && (isfinite(size[k]) || k >= shapes[i].numbers + (shapes[i].size[1] != NULL));
        if (shapes[i].shape == SHAPE_BOX)
            for (int k = 0; k < 3; k++) size[k] /= 2; /* half of each length, as the shapes of MJCF */
        if (shapes[i].shape == SHAPE_CYLINDER || shapes[i].shape == SHAPE_CAPSULE) size[1] /= 2;
        if (fine && shapes[i].shape < 0)
            cone(size[0], size[1], out);
        else if (!fine || !pn_mjcf_shape((mjcf_shape)shapes[i].shape, size, 0, out)) {
            pn_xml_fail(&r->u, node, PINION_ERR_MODEL,
                        "<%s> is to give a link its inertia, but has a size that is not above 0",
                        shapes[i].name);
            return -1;
        }
        return 1;
    }
    const xmlNode *mesh = pn_xml_find(geometry->children, "mesh");
    if (mesh) return read_mesh(r, link, mesh, out);
    return pn_sdf_left_out(r, geometry,
                           "a collision of link '%.80s' adds nothing to its inertia: only box, sphere, "
                           "cylinder, capsule, ellipsoid, cone and mesh do",
                           link->name) -
           1;
}

/* Adds a body to another one. */
static void add(pinion_inertia *sum, const pinion_inertia *one)
{
    const double mass = sum->mass + one->mass, part = mass > 0 ? sum->mass * one->mass / mass : 0;
    double d[3];
    for (int i = 0; i < 3; i++) {
        d[i] = one->com[i] - sum->com[i];
        if (mass > 0) sum->com[i] += d[i] * one->mass / mass;
    }
    const double dd = pn_dot3(d, d);
    for (int i = 0, k = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, k++)
            sum->inertia[k] += one->inertia[k] + part * ((i == j ? dd : 0) - d[i] * d[j]);
    }
    sum->mass = mass;
}

/* ---------------------------------------------------------------------------------------------
 * Automatic inertia */

int pn_sdf_collision_pose(sdf_reader *r, const sdf_entity *link, const xmlNode *node, pinion_pose *out)
{
    const char *relative_to;
    if (!pn_sdf_pose(r, node, link->file, out, &relative_to)) return 0;
    if (!*relative_to) return 1;
    const int from = pn_sdf_refer(r, link->scope, link->home, relative_to);
    if (from < 0)
        return pn_xml_fail(&r->u, node, PINION_ERR_MODEL, "relative_to names '%.80s', which is not there",
                           relative_to);
    const pinion_pose world = pn_pose_mul(&r->entities.at[from].world, out);
    *out = pn_pose_between(&link->world, &world);
    return 1;
}

static int by_shapes(sdf_reader *r, const sdf_entity *link, const xmlNode *inertial, pinion_inertia *out)
{
    double density = 1000, mass = -1;
    int shapes = 0, found;
    pinion_inertia sum = {0};
    if (!pn_sdf_child_numbers(r, inertial, "density", 1, &density) ||
        !pn_sdf_child_numbers(r, inertial, "mass", 1, &mass))
        return 0;
    if (pn_xml_find(inertial->children, "mass") && !(mass >= 0 && isfinite(mass)))
        return pn_xml_fail(&r->u, inertial, PINION_ERR_MODEL, "link '%.80s' has a mass that is not >= 0 kg",
                           link->name);
    for (xmlNode *c = pn_xml_find(link->node->children, "collision"); c;
         c = pn_xml_find(c->next, "collision")) {
        xmlNode *geometry;
        pinion_inertia one = {0};
        pinion_pose pose;
        double own = density;
        if (!pn_sdf_child(r, c, "geometry", &geometry) || !pn_sdf_child_numbers(r, c, "density", 1, &own) ||
            !pn_sdf_collision_pose(r, link, c, &pose))
            return 0;
        found = read_shape(r, link, geometry ? geometry : c, &one);
        if (found < 0) return 0;
        if (found == 0) continue;
        if (!(own > 0 && isfinite(own)))
            return pn_xml_fail(&r->u, c, PINION_ERR_MODEL,
                               "a collision of link '%.80s' has a density that is not above "
                               "0 kg/m^3",
                               link->name);
        one.mass *= own;
        for (int i = 0; i < 6; i++) one.inertia[i] *= own;
        pn_turn_inertia(pose.rotation, one.inertia);
        pn_rotate(pose.rotation, one.com, one.com);
        for (int i = 0; i < 3; i++) one.com[i] += pose.position[i];
        add(&sum, &one);
        shapes++;
    }
    if (!shapes)
        return pn_sdf_left_out(r, inertial,
                               "the inertia of link '%.80s' is to come from its collisions, of which none "
                               "gives one: it weighs 1 kg",
                               link->name);
    if (mass >= 0) {
        for (int i = 0; i < 6; i++) sum.inertia[i] *= mass / sum.mass;
        sum.mass = mass;
    }
    *out = sum;
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * What the file says */

/* Whether some body could have it: the principal moments are those of a distribution of mass. */
static int check_inertia(sdf_reader *r, const sdf_entity *link, const xmlNode *node, const pinion_inertia *x)
{
    double p[3], axes[9];
    int fine = x->mass >= 0 && isfinite(x->mass);
    for (int i = 0; i < 6; i++) fine = fine && isfinite(x->inertia[i]);
    if (fine) {
        pn_mjcf_principal(x->inertia, p, axes);
        const double slack = 1e-9 * fabs(p[0]);
        fine = p[2] >= -slack && p[1] + p[2] >= p[0] - slack;
    }
    return fine ||
           pn_xml_fail(
               &r->u, node, PINION_ERR_MODEL,
               "link '%.80s' has an inertia that no body can have; expected a mass >= 0 and principal "
               "moments of which no one is above the sum of the others",
               link->name);
}

static int tell_added_mass(sdf_reader *r, const xmlNode *inertial)
{
    const xmlNode *added = pn_xml_find(inertial->children, "fluid_added_mass");
    if (!added) return 1;
    for (xmlNode *n = pn_xml_find(added->children, NULL); n; n = pn_xml_find(n->next, NULL)) {
        double x = 0;
        if (!pn_sdf_numbers(r, n, 1, &x)) return 0;
        if (x != 0) return pn_sdf_left_out(r, added, "<fluid_added_mass> is left out");
    }
    return 1;
}

int pn_sdf_inertia(sdf_reader *r, const sdf_entity *link, pinion_inertia *out)
{
    static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    xmlNode *inertial, *inertia;
    pinion_pose pose;
    const char *relative_to;
    int automatic = 0;
    *out = (pinion_inertia){1, {0, 0, 0}, {1, 0, 0, 1, 0, 1}}; /* the format's own */
    if (!pn_sdf_child(r, link->node, "inertial", &inertial)) return 0;
    if (!inertial) return 1;
    if (!pn_sdf_bool(r, inertial, pn_xml_attribute(inertial, "auto"), &automatic) ||
        !pn_sdf_known(r, inertial,
                      " mass density auto_inertia_params pose inertia fluid_added_mass frame ") ||
        !tell_added_mass(r, inertial))
        return 0;
    if (automatic) return by_shapes(r, link, inertial, out);
    if (!pn_sdf_child_numbers(r, inertial, "mass", 1, &out->mass) ||
        !pn_sdf_pose(r, inertial, link->file, &pose, &relative_to) ||
        !pn_sdf_child(r, inertial, "inertia", &inertia))
        return 0;
    if (*relative_to &&
        !pn_sdf_left_out(r, inertial,
                         "relative_to of <inertial> is not read: its pose is in the frame of its link"))
        return 0;
    for (int i = 0; inertia && i < 6; i++) {
        if (!pn_sdf_child_numbers(r, inertia, names[i], 1, &out->inertia[i])) return 0;
    }
    if (!check_inertia(r, link, inertial, out)) return 0;
    memcpy(out->com, pose.position, sizeof out->com);
    const pinion_pose straight = pinion_pose_identity();
    if (memcmp(pose.rotation, straight.rotation, sizeof pose.rotation) != 0)
        pn_turn_inertia(pose.rotation, out->inertia);
    return 1;
}
