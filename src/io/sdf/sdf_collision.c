/* What links of SDF touch others with. A fault costs the collision and gives a warning. */
#include "io/sdf/sdf.h"
#include "model/pose.h"
#include "pinion/collision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Shapes */

/* A plane lies across its normal. */
static int read_plane(sdf_reader *r, const xmlNode *node, pinion_collision_def *def)
{
    double normal[3] = {0, 0, 1};
    pinion_pose turn = pinion_pose_identity();
    if (!pn_sdf_child_numbers(r, node, "normal", 3, normal) || !pn_sdf_child_numbers(r, node, "size", 2, def->size))
        return 0;
    const double length = pn_norm3(normal);
    if (!(length > 0 && isfinite(length)))
        return pn_xml_fail(&r->u, node, PINION_ERR_MODEL, "<plane> has a normal without a direction");
    for (int i = 0; i < 3; i++) normal[i] /= length;
    pn_turn_z_to(normal, turn.rotation);
    def->pose = pn_pose_mul(&def->pose, &turn);
    return 1;
}

/* 1 a shape, 0 none that is known or none at all, -1 on failure. */
static int read_shape(sdf_reader *r, const sdf_entity *link, const xmlNode *geometry, pinion_collision_def *def)
{
    static const struct {
        const char *name, *size[2];
        pinion_shape shape;
        int numbers; /* of the first size; a second one has one number */
        double value[3];
    } shapes[] = {{"box", {"size", NULL}, PINION_SHAPE_BOX, 3, {1, 1, 1}},
                  {"sphere", {"radius", NULL}, PINION_SHAPE_SPHERE, 1, {1}},
                  {"ellipsoid", {"radii", NULL}, PINION_SHAPE_ELLIPSOID, 3, {1, 1, 1}},
                  {"cylinder", {"radius", "length"}, PINION_SHAPE_CYLINDER, 1, {1, 1}},
                  {"capsule", {"radius", "length"}, PINION_SHAPE_CAPSULE, 1, {0.5, 1}},
                  {"cone", {"radius", "length"}, PINION_SHAPE_CONE, 1, {1, 1}},
                  {"plane", {NULL, NULL}, PINION_SHAPE_PLANE, 0, {1, 1}},
                  {"mesh", {NULL, NULL}, PINION_SHAPE_MESH, 0, {1, 1, 1}}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const xmlNode *node = pn_xml_find(geometry->children, shapes[i].name);
        if (!node) continue;
        def->shape = shapes[i].shape;
        memcpy(def->size, shapes[i].value, sizeof def->size);
        if (def->shape == PINION_SHAPE_PLANE) return read_plane(r, node, def) ? 1 : -1;
        if (def->shape == PINION_SHAPE_MESH) {
            if (pn_xml_find(node->children, "submesh") &&
                !pn_xml_warn(&r->u, node, "a collision of link '%.80s' is a part of a mesh: all of it is taken",
                             link->name))
                return -1;
            return pn_sdf_mesh(r, link, node, &def->mesh, def->size) ? 1 : -1;
        }
        if (!pn_sdf_child_numbers(r, node, shapes[i].size[0], shapes[i].numbers, def->size) ||
            (shapes[i].size[1] && !pn_sdf_child_numbers(r, node, shapes[i].size[1], 1, def->size + 1)))
            return -1;
        return 1;
    }
    const xmlNode *other = pn_xml_find(geometry->children, NULL);
    if (!other || pn_xml_is(other, "empty")) return 0;
    return pn_xml_warn(&r->u, other, "a collision of link '%.80s' is a <%.40s>, which is not read: it is left out",
                       link->name, (const char *)other->name)
               ? 0
               : -1;
}

/* ---------------------------------------------------------------------------------------------
 * Surfaces */

/* Bits, in decimal or in hexadecimal as a whole number. */
static int read_bits(sdf_reader *r, const xmlNode *contact, const char *name, uint32_t *out)
{
    const char *text;
    char *end;
    if (!pn_sdf_child_text(r, contact, name, &text)) return 0;
    if (!*text) return 1;
    const unsigned long long bits = strtoull(text, &end, 0);
    if (*end || *text == '-' || bits > 0xffffffffu)
        return pn_xml_fail(&r->u, contact, PINION_ERR_PARSE, "<%s> is '%.40s'; expected a whole number of 32 bits",
                           name, text);
    *out = (uint32_t)bits;
    return 1;
}

static int read_friction(sdf_reader *r, const xmlNode *surface, pinion_collision_def *def)
{
    const xmlNode *friction = pn_xml_find(surface->children, "friction"),
                  *ode = friction ? pn_xml_find(friction->children, "ode") : NULL;
    double mu = 1, mu2 = 1;
    if (ode && (!pn_sdf_child_numbers(r, ode, "mu", 1, &mu) || !pn_sdf_child_numbers(r, ode, "mu2", 1, &mu2))) return 0;
    def->friction[0] = isfinite(mu) && mu >= 0 ? mu : 1;
    if (ode && pn_xml_find(ode->children, "mu2") && mu2 != mu)
        return pn_xml_warn(&r->u, ode, "mu2 is another one than mu, which counts in all directions");
    return 1;
}

/* What is said of its surface. Nothing at all is as in SDF: a coefficient of friction of 1 and 16 bits. */
static int read_surface(sdf_reader *r, const xmlNode *collision, pinion_collision_def *def)
{
    const xmlNode *surface = pn_xml_find(collision->children, "surface"), *part;
    int without = 0;
    def->friction[0] = 1;
    def->category = def->mask = 65535;
    if (!surface) return 1;
    if (!read_friction(r, surface, def)) return 0;
    if ((part = pn_xml_find(surface->children, "bounce"))) {
        if (!pn_sdf_child_numbers(r, part, "restitution_coefficient", 1, &def->restitution)) return 0;
    }
    if (!(part = pn_xml_find(surface->children, "contact"))) return 1;
    if (!read_bits(r, part, "collide_bitmask", &def->mask) ||
        !pn_sdf_child_bool(r, part, "collide_without_contact", &without))
        return 0;
    def->category = def->mask;
    if (!read_bits(r, part, "category_bitmask", &def->category)) return 0;
    if (without) def->category = def->mask = 0; /* it is felt by sensors alone */
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Collisions */

/* What a link or a model says of <self_collide>: 1 nothing, 2 false, 3 true; 0 after an error. */
static int read_self(sdf_reader *r, const xmlNode *node)
{
    int self = 0;
    const xmlNode *said = pn_xml_find(node->children, "self_collide");
    const char *text;
    if (!said) return 1;
    return pn_sdf_text(r, said, &text) && (!*text || pn_sdf_bool(r, said, text, &self)) ? 2 + (self != 0) : 0;
}

/* Links of one model do not collide with each other unless one of the two says so, or the models that it is in. The
 * group is the number of the outermost model. A model is asked once: it may have many links. */
static int read_group(sdf_reader *r, const sdf_entity *link, int *group)
{
    int self = read_self(r, link->node);
    *group = 0;
    for (int m = link->scope; self && m > 0; m = r->entities.at[m].scope) {
        sdf_entity *model = &r->entities.at[m];
        if (!model->self) model->self = model->node ? read_self(r, model->node) : 1;
        if (self == 1 || !model->self) self = model->self;
        *group = m;
    }
    if (self == 3) *group = 0;
    return self != 0;
}

static int read_collision(sdf_reader *r, const sdf_entity *link, const xmlNode *node, int group)
{
    pinion_collision_def def = pinion_collision_def_default();
    const char *name = pn_xml_attribute(node, "name");
    const xmlNode *geometry = pn_xml_find(node->children, "geometry");
    if (!geometry) return 1;
    if (!pn_sdf_collision_pose(r, link, node, &def.pose) || !read_surface(r, node, &def)) return 0;
    const int found = read_shape(r, link, geometry, &def);
    if (found <= 0) return found == 0;
    def.link = link->name;
    def.line = pn_xml_line(node);
    def.group = group;
    if (name && !(def.name = pn_sdf_join(r, link->name, "::", name))) return 0;
    return pinion_builder_add_collision(r->b, &def, r->u.err) == PINION_OK;
}

int pn_sdf_collisions(sdf_reader *r, const sdf_entity *link)
{
    int group = 0;
    if (!read_group(r, link, &group)) return 0;
    for (xmlNode *c = pn_xml_find(link->node->children, "collision"); c; c = pn_xml_find(c->next, "collision")) {
        if (read_collision(r, link, c, group)) continue;
        if (r->u.err->status == PINION_ERR_MEMORY) return 0;
        const pinion_error why = *r->u.err;
        *r->u.err = (pinion_error){PINION_OK, 0, 0, ""};
        if (!pn_xml_pass_over(&r->u, &why, "this collision is left out")) return 0;
    }
    return 1;
}
