/* Attributes that the format has: a word of those that are not known, where nobody else looks. And flags of the
 * options, which are switched on or off, also those that nobody here reads. */
#include "io/mjcf/mjcf.h"

#include <string.h>

/* What all actuators have. */
static const char actuators[] =
    " armature class cranklength cranksite ctrlrange damping delay forcelimited forcerange gear group interp "
    "joint jointinparent lengthrange name nsample refsite site slidersite tendon user ";

/* By section ("": any) and element; of actuators only what the others have not. */
static const struct {
    const char *section, *element, *attributes;
} table[] = {
    {"option", "option",
     " actuatorgroupdisable apirate ccd_iterations ccd_tolerance collision cone density gravity impratio "
     "integrator iterations jacobian ls_iterations ls_tolerance magnetic mpr_iterations mpr_tolerance "
     "noslip_iterations noslip_tolerance o_friction o_margin o_solimp o_solref sdf_initpoints sdf_iterations "
     "sleep_tolerance solver timestep tolerance viscosity wind "},
    {"option", "flag",
     " actuation autoreset clampctrl constraint contact damper diagexact energy equality eulerdamp "
     "filterparent frictionloss fwdinv gravity invdiscrete ipc island limit midphase multiccd nativeccd "
     "override passive refsafe sensor sleep speculative spring warmstart "},
    {"worldbody", "worldbody", " "},
    {"default", "default", " class "},
    {"default", "joint",
     " actuatorfrclimited actuatorfrcrange actuatorgravcomp armature axis damping frictionloss group limited "
     "margin pos range ref solimpfriction solimplimit solreffriction solreflimit springdamper springref "
     "springyield stiffness type user "},
    {"default", "geom",
     " adhesion axisangle castshadow conaffinity condim contype density euler fitscale fluidcoef fluidshape "
     "friction fromto gap group hfield margin mass material mesh pos priority quat rgba shellinertia size "
     "solimp solmix solref surfacevel type user xyaxes zaxis "},
    {"default", "site",
     " axisangle euler fromto group material mesh pos quat rgba size type user xyaxes zaxis "},
    {"", "mesh",
     " builtin class content_type face file inertia material maxhullvert name normal params refpos refquat "
     "scale smoothnormal texcoord vertex "},
    {"default", "tendon",
     " actuatorfrclimited actuatorfrcrange armature damping frictionloss group limited margin material range "
     "rgba solimpfriction solimplimit solreffriction solreflimit springlength springyield stiffness user "
     "width "},
    {"default", "equality", " active solimp solref "},
    {"tendon", "spatial",
     " actuatorfrclimited actuatorfrcrange armature class damping frictionloss group limited margin material "
     "name range rgba solimpfriction solimplimit solreffriction solreflimit springlength springyield "
     "stiffness user width "},
    {"tendon", "fixed",
     " actuatorfrclimited actuatorfrcrange armature class damping frictionloss group limited margin name "
     "range "
     "solimpfriction solimplimit solreffriction solreflimit springlength springyield stiffness user "},
    {"equality", "connect", " active anchor body1 body2 class name site1 site2 solimp solref "},
    {"equality", "weld",
     " active anchor body1 body2 class name relpose site1 site2 solimp solref torquescale "},
    {"equality", "joint", " active class joint1 joint2 name polycoef solimp solref "},
    {"equality", "tendon", " active class name polycoef solimp solref tendon1 tendon2 "},
    {"", "general",
     " actdim actearly actlimited actrange biasprm biastype body ctrllimited dynprm dyntype ffrange gainprm "
     "gaintype inheritrange input velrange "},
    {"", "motor", " ctrllimited "},
    {"", "position", " ctrllimited dampratio inheritrange kp kv timeconst "},
    {"", "velocity", " ctrllimited kv "},
    {"", "intvelocity", " actlimited actrange ctrllimited dampratio inheritrange kp kv "},
    {"", "damper", " kv "},
    {"", "cylinder", " area bias ctrllimited diameter timeconst "},
    {"", "muscle",
     " armature class cranklength cranksite ctrllimited ctrlrange damping delay force forcelimited "
     "forcerange "
     "fpmax fvmax gear group interp joint jointinparent lengthrange lmax lmin name nsample range scale "
     "slidersite tausmooth tendon timeconst user vmax "},
    {"", "adhesion",
     " body class ctrlrange delay forcelimited forcerange gain group interp name nsample user "},
};

/* Whether a flag is one of its two words. */
static int check_flag(mjcf_reader *r, const xmlNode *node, const char *name)
{
    const mjcf_element flag = {r, r->main, node, TAG_COUNT, -1};
    int on;
    return pn_mjcf_word(&flag, name, "disable|enable", &on);
}

/* The attributes of an element, if it is one of the table. */
static int check(mjcf_reader *r, const char *section, const xmlNode *node)
{
    const int acts = strcmp(section, "actuator") == 0 || strcmp(section, "default") == 0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (!pn_xml_is(node, table[i].element)) continue;
        if (*table[i].section && strcmp(table[i].section, section) != 0) continue;
        for (const xmlAttr *a = node->properties; a; a = a->next) {
            const char *name = (const char *)a->name;
            if (a->ns) continue;
            if (pn_xml_has_word(table[i].attributes, name)) {
                if (pn_xml_is(node, "flag") && !check_flag(r, node, name)) return 0;
                continue;
            }
            if (pn_xml_is(node, "worldbody"))
                return pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "<worldbody> has an attribute %.60s; expected none",
                                   name);
            if (acts && !*table[i].section && pn_xml_has_word(actuators, name)) continue;
            if (!pn_mjcf_left_out(r, node,
                                  "<%.40s> has an attribute %.60s, which is not known and is left out",
                                  (const char *)node->name, name))
                return 0;
        }
        return 1;
    }
    return 1;
}

int pn_mjcf_attributes(mjcf_reader *r, const mjcf_spec *s)
{
    static const char *const sections[] = {"option", "default",  "asset",   "worldbody",
                                           "tendon", "equality", "actuator"};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        for (xmlNode *n = pn_mjcf_first(s->root, sections[i]); n; n = pn_mjcf_next(n, sections[i])) {
            if (!check(r, sections[i], n)) return 0;
            if (pn_xml_is(n, "worldbody")) continue; /* its elements are looked at as they are read */
            for (xmlNode *e = n->children ? pn_xml_behind(n, n) : NULL; e; e = pn_xml_behind(e, n)) {
                if (e->type == XML_ELEMENT_NODE && !check(r, sections[i], e)) return 0;
            }
        }
    }
    return 1;
}
