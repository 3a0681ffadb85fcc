/* Elements and attributes that URDF has: a word of those that it has not, which nobody reads. A number under a
 * misspelt name would be lost in silence otherwise. */
#include "io/urdf/urdf.h"

#include <stdio.h>
#include <string.h>

/* Words have a space before and behind each. What an element holds is looked at where it has a row itself; no row
 * leads back to one above it. */
typedef struct row {
    const char *element, *attributes, *children;
    int looks; /* nonzero: it and what it holds concern looks and collisions alone */
} row;

/* Also those that readers leave aside: <link type>, <joint dont_collapse>, limits of acceleration, a colour or
 * <verbose> of a collision. Of what other programs have in <robot>, these belong to them alone. */
static const row table[] = {
    {"robot", " name version ", " link joint material transmission gazebo ros2_control sensor mujoco ", 0},
    {"link", " name type ", " inertial visual collision ", 0},
    {"joint", " name type dont_collapse ",
     " parent child origin axis limit dynamics mimic safety_controller calibration ", 0},
    {"inertial", " ", " origin mass inertia ", 0},
    {"mass", " value ", " ", 0},
    {"inertia", " ixx ixy ixz iyy iyz izz ", " ", 0},
    {"origin", " xyz rpy quat_xyzw ", " ", 0},
    {"parent", " link ", " ", 0},
    {"child", " link ", " ", 0},
    {"axis", " xyz ", " ", 0},
    {"limit", " lower upper effort velocity acceleration deceleration jerk ", " ", 0},
    {"dynamics", " damping friction ", " ", 0},
    {"mimic", " joint multiplier offset ", " ", 0},
    {"safety_controller", " soft_lower_limit soft_upper_limit k_position k_velocity ", " ", 0},
    {"calibration", " reference_position rising falling ", " ", 0},
    {"visual", " name ", " origin geometry material ", 1},
    {"collision", " name ", " origin geometry material verbose ", 1},
    {"geometry", " ", " box sphere cylinder capsule mesh ", 1},
    {"box", " size ", " ", 1},
    {"sphere", " radius ", " ", 1},
    {"cylinder", " radius length ", " ", 1},
    {"capsule", " radius length ", " ", 1},
    {"mesh", " filename scale ", " ", 1},
    {"material", " name ", " color texture ", 1},
    {"color", " rgba ", " ", 1},
    {"texture", " filename ", " ", 1},
};

/* What has a prefix belongs to other programs, also where nobody declared it. */
static int is_foreign(const char *name)
{
    return strchr(name, ':') != NULL;
}

/* One word of all attributes of an element that are not known. */
static int check_attributes(const pn_xml *u, int strict, const xmlNode *node, const char *known)
{
    char names[200];
    size_t used = 0;
    int count = 0;
    for (const xmlAttr *a = node->properties; a; a = a->next) {
        const char *name = (const char *)a->name;
        if (a->ns || is_foreign(name) || pn_xml_has_word(known, name)) continue;
        const int n = snprintf(names + used, sizeof names - used, "%s%.60s", count++ ? ", " : "", name);
        used += n > 0 && (size_t)n < sizeof names - used ? (size_t)n : 0;
    }
    if (count == 0) return 1;
    names[used] = '\0';
    if (count == 1)
        return pn_xml_left_out(u, strict, node, "<%.60s> has an attribute %s, which is not known and not read",
                               (const char *)node->name, names);
    return pn_xml_left_out(u, strict, node, "<%.60s> has %d attributes that are not known and not read: %s",
                           (const char *)node->name, count, names);
}

static const row *row_of(const xmlNode *node)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (pn_xml_is(node, table[i].element)) return &table[i];
    return NULL;
}

/* An element and what it holds. Faults of looks are never errors. */
static int check(const pn_xml *u, int strict, const xmlNode *node, const row *r)
{
    pn_xml here = *u;
    if (r->looks) {
        here.looks = 1;
        strict = 0;
    }
    if (!check_attributes(&here, strict, node, r->attributes)) return 0;
    for (xmlNode *n = pn_xml_find(node->children, NULL); n; n = pn_xml_find(n->next, NULL)) {
        const char *name = (const char *)n->name;
        const row *within = row_of(n);
        if (pn_xml_has_word(r->children, name)) {
            if (within && !check(&here, strict, n, within)) return 0;
            continue;
        }
        /* who reads a shape tells of one that is not known */
        if (!is_foreign(name) && !pn_xml_is(node, "geometry") &&
            !pn_xml_left_out(&here, strict, n, "<%.60s> in <%.60s> is not known and not read", name,
                             (const char *)node->name))
            return 0;
    }
    return 1;
}

int pn_urdf_check(const pn_xml *u, int strict, const xmlNode *robot)
{
    return check(u, strict, robot, &table[0]);
}
