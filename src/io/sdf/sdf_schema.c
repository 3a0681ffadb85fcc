/* What the format says of its elements, whoever needs them: values have a type, and some attributes must be
 * there. A file with a value that is none is refused, also where that has no part in dynamics: other programs
 * refuse it, and a slip may be anywhere. What is not known, and what plugins hold, is nobody's concern. */
#include "io/sdf/sdf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Elements by name, with the type of what they hold: d a number, i a whole one, b true or false, v a vector,
 * c a colour, p a pose, - other elements, or what has several meanings. */
typedef struct known {
    const char *name;
    char type;
} known;

/* clang-format off */
static const known table[] = {
    {"accel", '-'}, {"accuracy", 'd'}, {"actor", '-'}, {"air_pressure", '-'}, {"allow_auto_disable", 'b'},
    {"altimeter", '-'}, {"always_on", 'b'}, {"ambient", 'c'}, {"angle", 'd'}, {"angular", 'd'},
    {"angular_acceleration", 'v'}, {"angular_velocity", '-'}, {"animation", '-'}, {"aspect_ratio", 'd'},
    {"atmosphere", '-'}, {"attach_steps", 'i'}, {"attenuation", '-'}, {"audio", '-'}, {"audio_sink", '-'},
    {"audio_source", '-'}, {"auto_inertia_params", '-'}, {"auto_start", 'b'}, {"axis", '-'}, {"axis2", '-'},
    {"axis2_state", '-'}, {"axis_state", '-'}, {"background", 'c'}, {"battery", '-'}, {"bias_mean", 'd'},
    {"bias_stddev", 'd'}, {"blend", '-'}, {"bone_attachment", 'd'}, {"bounce", '-'}, {"box", '-'},
    {"bullet", '-'}, {"c1", 'd'}, {"c2", 'd'}, {"c3", 'd'}, {"camera", '-'}, {"capsule", '-'},
    {"cast_shadows", 'b'}, {"category_bitmask", 'i'}, {"cfm", 'd'}, {"cfm_damping", 'b'}, {"clip", '-'},
    {"clouds", '-'}, {"coefficient", 'd'}, {"collide_bitmask", 'i'}, {"collide_without_contact", 'b'},
    {"collide_without_contact_bitmask", 'i'}, {"collision", '-'}, {"collision_state", '-'}, {"color", 'c'},
    {"color_end", 'c'}, {"color_start", 'c'}, {"cols", 'i'}, {"cone", '-'}, {"constant", 'd'},
    {"constraints", '-'}, {"contact", '-'}, {"contact_max_correcting_vel", 'd'},
    {"contact_surface_layer", 'd'}, {"convex_decomposition", '-'}, {"custom_function", '-'},
    {"custom_rpy", 'v'}, {"cutoff_angle", 'd'}, {"cx", 'd'}, {"cy", 'd'}, {"cylinder", '-'}, {"damping", 'd'},
    {"dart", '-'}, {"delay_start", 'd'}, {"deletions", '-'}, {"density", 'd'}, {"depth_camera", '-'},
    {"detach_steps", 'i'}, {"dissipation", 'd'}, {"distortion", '-'}, {"distribution", '-'},
    {"double_sided", 'b'}, {"duration", 'd'}, {"dynamic_bias_correlation_time", 'd'},
    {"dynamic_bias_stddev", 'd'}, {"dynamic_friction", 'd'}, {"dynamics", '-'}, {"effort", 'd'},
    {"elastic_modulus", 'd'}, {"elevation", 'd'}, {"ellipsoid", '-'}, {"emissive", 'c'}, {"emitting", 'b'},
    {"empty", '-'}, {"enable_metrics", 'b'}, {"enable_orientation", 'b'}, {"enable_wind", 'b'}, {"end", 'd'},
    {"env_texture_size", 'i'}, {"erp", 'd'}, {"f", 'd'}, {"fade_dist", 'd'}, {"falloff", 'd'}, {"far", 'd'},
    {"far_clip", 'd'}, {"fdir1", 'v'}, {"flesh_mass_fraction", 'd'}, {"fluid_added_mass", '-'}, {"fog", '-'},
    {"force", '-'}, {"force_torque", '-'}, {"fov", 'd'}, {"frame", '-'}, {"frequency", 'd'},
    {"friction", '-'}, {"friction2", 'd'}, {"fudge_factor", 'd'}, {"fx", 'd'}, {"fy", 'd'}, {"gain", 'd'},
    {"gearbox_ratio", 'd'}, {"geometry", '-'}, {"gps", '-'}, {"granularity", 'i'}, {"grasp_check", '-'},
    {"grav_dir_x", 'v'}, {"grid", 'b'}, {"gripper", '-'}, {"gui", '-'}, {"heading_deg", 'd'},
    {"heightmap", '-'}, {"horizontal", '-'}, {"horizontal_fov", 'd'}, {"humidity", 'd'}, {"image", '-'},
    {"implicit_spring_damper", 'b'}, {"imu", '-'}, {"include", '-'}, {"inertia", '-'}, {"inertial", '-'},
    {"inherit_yaw", 'b'}, {"initial_position", 'd'}, {"inner_angle", 'd'}, {"insertions", '-'},
    {"intensity", 'd'}, {"interpolate_x", 'b'}, {"intrinsics", '-'}, {"island_threads", 'i'},
    {"iterations", 'i'}, {"iters", 'i'}, {"ixx", 'd'}, {"ixy", 'd'}, {"ixz", 'd'}, {"iyy", 'd'}, {"iyz", 'd'},
    {"izz", 'd'}, {"joint", '-'}, {"joint_state", '-'}, {"k1", 'd'}, {"k2", 'd'}, {"k3", 'd'}, {"kd", 'd'},
    {"kinematic", 'b'}, {"kp", 'd'}, {"laser_retro", 'd'}, {"latitude_deg", 'd'}, {"layer", 'i'},
    {"length", 'd'}, {"lens", '-'}, {"lidar", '-'}, {"lifetime", 'd'}, {"light", '-'}, {"lighting", 'b'},
    {"limit", '-'}, {"linear", 'd'}, {"linear_acceleration", '-'}, {"linear_velocity", 'v'}, {"link", '-'},
    {"link_state", '-'}, {"logical_camera", '-'}, {"longitude_deg", 'd'}, {"loop", 'b'}, {"lower", 'd'},
    {"magnetic_field", 'v'}, {"magnetometer", '-'}, {"mass", 'd'}, {"material", '-'}, {"max", 'd'},
    {"max_angle", 'd'}, {"max_contacts", 'i'}, {"max_convex_hulls", 'i'}, {"max_dist", 'd'},
    {"max_force", 'd'}, {"max_frequency", 'd'}, {"max_step_size", 'd'}, {"max_transient_velocity", 'd'},
    {"max_vel", 'd'}, {"max_velocity", 'd'}, {"mean", 'd'}, {"mean_size", 'd'}, {"mesh", '-'}, {"meta", '-'},
    {"metal", '-'}, {"min", 'd'}, {"min_angle", 'd'}, {"min_contact_count", 'i'}, {"min_depth", 'd'},
    {"min_dist", 'd'}, {"min_frequency", 'd'}, {"min_height", 'd'}, {"min_step_size", 'd'},
    {"min_velocity", 'd'}, {"model", '-'}, {"model_count", 'i'}, {"model_state", '-'}, {"mu", 'd'},
    {"mu2", 'd'}, {"must_be_base_link", 'b'}, {"must_be_loop_joint", 'b'}, {"near", 'd'}, {"near_clip", 'd'},
    {"noise", '-'}, {"ode", '-'}, {"orientation_reference_frame", '-'}, {"origin_visual", 'b'},
    {"outer_angle", 'd'}, {"override_impact_capture_velocity", 'd'},
    {"override_stiction_transition_velocity", 'd'}, {"p1", 'd'}, {"p2", 'd'}, {"particle_emitter", '-'},
    {"particle_scatter_ratio", 'd'}, {"particle_size", 'v'}, {"patch_radius", 'd'}, {"pbr", '-'},
    {"physics", '-'}, {"pitch", 'd'}, {"plane", '-'}, {"plastic_coef_restitution", 'd'},
    {"plastic_impact_velocity", 'd'}, {"poissons_ratio", 'd'}, {"polyline", '-'}, {"population", '-'},
    {"pos", 'v'}, {"pose", 'p'}, {"position", 'd'}, {"position_sensing", '-'}, {"power", 'd'}, {"pp", 'd'},
    {"pq", 'd'}, {"pr", 'd'}, {"precision", 'd'}, {"precon_iters", 'i'}, {"pressure", '-'},
    {"projector", '-'}, {"provide_feedback", 'b'}, {"qq", 'd'}, {"qr", 'd'}, {"quadratic", 'd'},
    {"radii", 'v'}, {"radius", 'd'}, {"range", '-'}, {"rate", '-'}, {"ray", '-'}, {"real_time_factor", 'd'},
    {"real_time_update_rate", 'd'}, {"reference_altitude", 'd'}, {"render_order", 'd'}, {"resolution", 'd'},
    {"restitution_coefficient", 'd'}, {"rfid", '-'}, {"rfidtag", '-'}, {"road", '-'},
    {"rolling_friction", 'd'}, {"rows", 'i'}, {"rr", 'd'}, {"s", 'd'}, {"samples", 'i'}, {"sampling", 'i'},
    {"save", '-'}, {"scale_rate", 'd'}, {"scale_to_hfov", 'b'}, {"scan", '-'}, {"scene", '-'},
    {"screw_thread_pitch", 'd'}, {"script", '-'}, {"sdf", '-'}, {"self_collide", 'b'}, {"sensitivity", 'd'},
    {"sensor", '-'}, {"shader", '-'}, {"shadows", 'b'}, {"simbody", '-'}, {"skin", '-'}, {"sky", '-'},
    {"slip", 'd'}, {"slip1", 'd'}, {"slip2", 'd'}, {"soft_cfm", 'd'}, {"soft_contact", '-'},
    {"soft_erp", 'd'}, {"solver", '-'}, {"sonar", '-'}, {"sor", 'd'}, {"specular", '-'}, {"speed", 'd'},
    {"sphere", '-'}, {"spherical_coordinates", '-'}, {"split_impulse", 'b'},
    {"split_impulse_penetration_threshold", 'd'}, {"spot", '-'}, {"spring_reference", 'd'},
    {"spring_stiffness", 'd'}, {"start", 'd'}, {"state", '-'}, {"static", 'b'}, {"static_friction", 'd'},
    {"stddev", 'd'}, {"step", 'v'}, {"stiffness", 'd'}, {"submesh", '-'}, {"sunrise", 'd'}, {"sunset", 'd'},
    {"surface", '-'}, {"surface_radius", 'd'}, {"suspension", '-'}, {"temperature", 'd'},
    {"temperature_gradient", 'd'}, {"texture", '-'}, {"thread_pitch", 'd'},
    {"thread_position_correction", 'b'}, {"time", 'd'}, {"torque", '-'}, {"torsional", '-'},
    {"track_visual", '-'}, {"trajectory", '-'}, {"transceiver", '-'}, {"transparency", 'd'},
    {"update_rate", 'd'}, {"upper", 'd'}, {"use_dynamic_moi_rescaling", 'b'}, {"use_model_frame", 'b'},
    {"use_parent_model_frame", 'b'}, {"use_patch_radius", 'b'}, {"use_terrain_paging", 'b'},
    {"velocity_decay", '-'}, {"velocity_sensing", '-'}, {"vertical", '-'}, {"vertical_position", '-'},
    {"vertical_velocity", '-'}, {"viscous_friction", 'd'}, {"visibility_flags", 'i'},
    {"visibility_mask", 'i'}, {"visual", '-'}, {"visualize", 'b'}, {"voltage", 'd'},
    {"voxel_resolution", 'i'}, {"waypoint", '-'}, {"wind", '-'}, {"world", '-'}, {"wrench", 'p'}, {"x", '-'},
    {"xp", 'd'}, {"xq", 'd'}, {"xr", 'd'}, {"xx", 'd'}, {"xy", 'd'}, {"xyz", 'v'}, {"xz", 'd'}, {"y", '-'},
    {"yp", 'd'}, {"yq", 'd'}, {"yr", 'd'}, {"yy", 'd'}, {"yz", 'd'}, {"z", '-'}, {"zp", 'd'}, {"zq", 'd'},
    {"zr", 'd'}, {"zz", 'd'},
};
/* clang-format on */

/* Those whose type depends on what they are in; 2 stands for two numbers. */
static const struct {
    const char *parent;
    known row;
} placed[] = {
    {"box", {"size", 'v'}},          {"heightmap", {"size", 'v'}},    {"particle_emitter", {"size", 'v'}},
    {"plane", {"size", '2'}},        {"plane", {"normal", 'v'}},      {"mesh", {"scale", 'v'}},
    {"submesh", {"center", 'b'}},    {"polyline", {"point", '2'}},    {"polyline", {"height", 'd'}},
    {"road", {"point", 'v'}},        {"road", {"width", 'd'}},        {"light", {"diffuse", 'c'}},
    {"light", {"specular", 'c'}},    {"light", {"direction", 'v'}},   {"material", {"diffuse", 'c'}},
    {"material", {"specular", 'c'}}, {"link", {"gravity", 'b'}},      {"world", {"gravity", 'v'}},
    {"limit", {"velocity", 'd'}},    {"dynamics", {"friction", 'd'}}, {"bullet", {"friction", 'd'}},
    {"bounce", {"threshold", 'd'}},  {"attenuation", {"range", 'd'}}, {"particle_emitter", {"rate", 'd'}},
    {"atmosphere", {"pressure", 'd'}}, {"image", {"width", 'd'}},    {"image", {"height", 'd'}}};

static int by_name(const void *key, const void *row)
{
    return strcmp(key, ((const known *)row)->name);
}

static const known *look_up(const xmlNode *node)
{
    if (!pn_xml_is(node, NULL)) return NULL;
    const char *name = (const char *)node->name;
    const known *row = bsearch(name, table, sizeof table / sizeof table[0], sizeof table[0], by_name);
    if (row && row->type != '-') return row;
    for (size_t i = 0; i < sizeof placed / sizeof placed[0]; i++)
        if (strcmp(name, placed[i].row.name) == 0 && node->parent && pn_xml_is(node->parent, placed[i].parent))
            return &placed[i].row;
    return row;
}

/* A colour: three or four numbers from 0 to 1. */
static int check_color(sdf_reader *r, const xmlNode *node, const char *text)
{
    int count = 0, fine = 1;
    for (text += strspn(text, " \t\r\n"); *text && fine; text += strspn(text, " \t\r\n")) {
        double x;
        fine = pn_parse_number(text, &text, &x) && x >= 0 && x <= 1 && ++count <= 4;
    }
    return (fine && (count == 0 || count > 2)) ||
           pn_xml_fail(&r->u, node, PINION_ERR_PARSE,
                       "<%.60s> is no colour; expected three or four numbers from 0 to 1",
                       (const char *)node->name);
}

static int check_value(sdf_reader *r, const xmlNode *node, char type)
{
    double x[3];
    const char *text;
    int flag;
    pinion_pose pose;
    pn_xml_warnings *warnings = r->u.warnings;
    if (type == '-') return 1;
    r->u.warnings = NULL; /* who reads the value warns of it */
    const int ok = type == 'p'                    ? pn_sdf_pose_text(r, node, &pose)
                   : type == 'v'                  ? pn_sdf_numbers(r, node, 3, x)
                   : type == '2'                  ? pn_sdf_numbers(r, node, 2, x)
                   : type == 'd' || type == 'i'   ? pn_sdf_numbers(r, node, 1, x)
                   : !pn_sdf_text(r, node, &text) ? 0
                   : type == 'b'                  ? pn_sdf_bool(r, node, text, &flag)
                                                  : check_color(r, node, text);
    r->u.warnings = warnings;
    return ok;
}

/* Values that must be there where their element is; those of others are then the format's. */
static int check_filled(sdf_reader *r, const xmlNode *node)
{
    static const char needed[] =
        " box/size sphere/radius cylinder/radius cylinder/length capsule/radius capsule/length cone/radius cone/length "
        "ellipsoid/radii plane/normal plane/size mesh/uri heightmap/uri world/gravity world/magnetic_field inertia/ixx "
        "inertia/iyy inertia/izz inertia/ixy inertia/ixz inertia/iyz axis/xyz axis2/xyz limit/lower limit/upper "
        "dynamics/spring_reference dynamics/spring_stiffness ";
    const xmlNode *within = node->children;
    if (node->type != XML_ELEMENT_NODE || !node->parent || !pn_xml_is(node->parent, NULL)) return 1;
    if (within && (within->next || within->type != XML_TEXT_NODE)) return 1;
    if (within && within->content && ((const char *)within->content)[strspn((const char *)within->content, " \t\r\n")])
        return 1;
    char path[80];
    snprintf(path, sizeof path, " %.30s/%.30s ", (const char *)node->parent->name, (const char *)node->name);
    return !strstr(needed, path) ||
           pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "<%.60s> in <%.60s> is empty; expected its value",
                       (const char *)node->name, (const char *)node->parent->name);
}

int pn_sdf_unreserved(sdf_reader *r, const xmlNode *node, const char *name)
{
    const size_t n = strlen(name);
    const int marked = n >= 4 && strncmp(name, "__", 2) == 0 && strcmp(name + n - 2, "__") == 0;
    return (strcmp(name, "world") != 0 && !marked) ||
           pn_xml_fail(&r->u, node, PINION_ERR_MODEL,
                       "<%.60s> is called '%.60s', which is reserved; expected another name", (const char *)node->name,
                       name);
}

/* Whether an element is part of a <state>, which tells of what the world has and not what that is. */
static int in_state(const xmlNode *node)
{
    while (node && !pn_xml_is(node, "state") && !pn_xml_is(node, "insertions")) node = node->parent;
    return node && pn_xml_is(node, "state");
}

/* Attributes that must be there, and one that has but a few values. */
static int check_attributes(sdf_reader *r, const xmlNode *node)
{
    static const struct {
        const char *element, *name, *values; /* with a space before and behind each; NULL: any */
    } needed[] = {
        {"world", "name", NULL},
        {"model", "name", NULL},
        {"link", "name", NULL},
        {"joint", "name", NULL},
        {"joint", "type", NULL},
        {"frame", "name", NULL},
        {"collision", "name", NULL},
        {"visual", "name", NULL},
        {"light", "name", NULL},
        {"light", "type", " point spot directional "},
        {"actor", "name", NULL},
        {"plugin", "name", NULL},
        {"plugin", "filename", NULL},
        {"physics", "type", NULL},
        {"atmosphere", "type", " adiabatic "},
        {"gripper", "name", NULL},
        {"projector", "name", NULL},
        {"road", "name", NULL},
        {"particle_emitter", "name", NULL},
        {"particle_emitter", "type", " point box cylinder ellipsoid "},
        {"shader", "type",
         " vertex pixel normal_map_object_space normal_map_objectspace normal_map_tangent_space "
         "normal_map_tangentspace "},
        {"mimic", "joint", NULL},
        {"sensor", "name", NULL},
        {"sensor", "type",
         " air_flow air_pressure air_speed altimeter boundingbox boundingbox_camera camera contact "
         "custom "
         "depth depth_camera force_torque gps gpu_lidar gpu_ray imu lidar logical_camera magnetometer "
         "multicamera navsat ray rfid rfidtag rgbd rgbd_camera segmentation segmentation_camera sonar "
         "thermal thermal_camera wideanglecamera wide_angle_camera wireless_receiver "
         "wireless_transmitter "}};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        const char *value;
        if (!pn_xml_is(node, needed[i].element)) continue;
        /* a plugin's name was not asked for in newer versions; of links and the like only those of a model
         * count */
        if (pn_xml_is(node, "plugin") && strcmp(needed[i].name, "name") == 0) continue;
        if (strcmp(needed[i].element, "frame") == 0 && !pn_xml_is(node->parent, "model") &&
            !pn_xml_is(node->parent, "world"))
            continue;
        if (strcmp(needed[i].element, "physics") == 0 && !pn_xml_is(node->parent, "world")) continue;
        if (strcmp(needed[i].name, "type") == 0 && in_state(node)) continue;
        if (!pn_xml_string(&r->u, node, needed[i].name, &value)) return 0;
        if (*value && !value[strspn(value, " \t\r\n")])
            return pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "<%s %s> is blank; expected a name", needed[i].element,
                               needed[i].name);
        if (!needed[i].values) {
            /* links and the like are looked at where they are collected */
            const int own = pn_xml_is(node, "world") || pn_xml_is(node, "collision") || pn_xml_is(node, "visual") ||
                            pn_xml_is(node, "light") || pn_xml_is(node, "sensor") ||
                            pn_xml_is(node, "particle_emitter");
            if (own && !in_state(node) && !pn_sdf_unreserved(r, node, value)) return 0;
            continue;
        }
        if (!pn_xml_has_word(needed[i].values, value))
            return pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "<%s type=\"%.60s\">: there is no such type",
                               needed[i].element, value);
    }
    return 1;
}

/* Whether a child is there and says something of its own. */
static int is_filled(sdf_reader *r, const xmlNode *node, const char *child, int *out)
{
    const char *text = "";
    const xmlNode *n = pn_xml_find(node->children, child);
    if (n && !pn_sdf_text(r, n, &text)) return 0;
    *out = *text && strcmp(text, "__default__") != 0;
    return 1;
}

/* Children that must be there, and values of which there are but a few. */
static int check_parts(sdf_reader *r, const xmlNode *node)
{
    static const struct {
        const char *parent, *element, *child;
    } parts[] = {{"material", "script", "uri"}, {"material", "script", "name"}, {"mesh", "submesh", "name"}};
    static const struct {
        const char *parent, *element, *values; /* with a space before and behind each */
    } words[] = {{"spherical_coordinates", "surface_model", " EARTH_WGS84 MOON_SCS CUSTOM_SURFACE "},
                 {"spherical_coordinates", "world_frame_orientation", " ENU "},
                 {"noise", "type", " none gaussian gaussian_quantized "},
                 {"force_torque", "frame", " child parent sensor "},
                 {"force_torque", "measure_direction", " child_to_parent parent_to_child "}};
    int filled = 1;
    const char *type = pn_xml_is(node, "shader") ? pn_xml_attribute(node, "type") : NULL, *text;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!pn_xml_is(node, parts[i].element) || !pn_xml_is(node->parent, parts[i].parent)) continue;
        if (!is_filled(r, node, parts[i].child, &filled)) return 0;
        if (!filled)
            return pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "<%s> has no <%s>; expected one with a value",
                               parts[i].element, parts[i].child);
    }
    if (type && strncmp(type, "normal_map", 10) == 0 && !is_filled(r, node, "normal_map", &filled)) return 0;
    if (!filled)
        return pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "<shader type=\"%.60s\"> has no <normal_map>; expected one",
                           type);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!pn_xml_is(node, words[i].element) || !pn_xml_is(node->parent, words[i].parent)) continue;
        if (!pn_sdf_text(r, node, &text)) return 0;
        if (*text && !pn_xml_has_word(words[i].values, text))
            return pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "<%s> is '%.60s'; expected one of:%s", words[i].element,
                               text, words[i].values);
    }
    return 1;
}

/* Whether an element is in one that has none of its name. Then it means nothing there, nor does what is in it. */
static int is_misplaced(const xmlNode *node)
{
    static const struct {
        const char *parent, *children; /* with a space before and behind each */
    } places[] = {
        {"sdf", " actor include light model world "},
        {"world", " actor atmosphere audio frame gravity gui include joint light magnetic_field model model_state "
                  "physics plugin population road scene spherical_coordinates state wind "},
        {"model", " allow_auto_disable enable_wind frame gripper include joint joint_state light link link_state model "
                  "model_state plugin pose pose3d scale self_collide static velocity "},
        {"link", " acceleration audio_sink audio_source battery collision enable_wind frame gravity inertial kinematic "
                 "light must_be_base_link particle_emitter pose projector self_collide sensor velocity velocity_decay "
                 "visual wrench "},
        {"joint", " angle axis axis2 child frame gearbox_ratio gearbox_reference_body parent physics pose "
                  "screw_thread_pitch sensor thread_pitch "},
        {"inertial", " auto_inertia_params density fluid_added_mass frame inertia mass pose "},
        {"collision", " auto_inertia_params density frame geometry laser_retro max_contacts pose surface "},
        {"visual", " cast_shadows frame geometry laser_retro material meta plugin pose transparency visibility_flags "},
        {"axis", " dynamics initial_position limit mimic use_parent_model_frame xyz "},
        {"axis2", " dynamics initial_position limit mimic use_parent_model_frame xyz "},
        {"geometry", " box capsule cone cylinder ellipsoid empty heightmap image mesh plane polyline sphere "}};
    /* what means something in these alone */
    static const struct {
        const char *name, *parents;
    } homes[] = {{"world", " sdf "},      {"link", " model "},        {"joint", " model world "},
                 {"visual", " link "},    {"collision", " link "},    {"sensor", " link joint "},
                 {"inertial", " link "},  {"model", " sdf world model population state insertions "}};
    if (!pn_xml_is(node, NULL) || !node->parent || !pn_xml_is(node->parent, NULL)) return 0;
    const char *name = (const char *)node->name, *parent = (const char *)node->parent->name;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (*parent == *places[i].parent && strcmp(parent, places[i].parent) == 0)
            return !pn_xml_has_word(places[i].children, name);
    for (size_t i = 0; i < sizeof homes / sizeof homes[0]; i++)
        if (*name == *homes[i].name && strcmp(name, homes[i].name) == 0)
            return !pn_xml_has_word(homes[i].parents, parent);
    return 0;
}

/* ---------------------------------------------------------------------------------------------
 * Attributes that are not known */

/* What elements have, with a space before and behind each; others have none. NULL: nobody's concern here, nor is what
 * they hold. */
static const struct {
    const char *element, *attributes;
} attributes[] = {
    {"sdf", " version "},
    {"world", " name "},
    {"model", " name canonical_link placement_frame namespace "},
    {"include", " merge "},
    {"link", " name "},
    {"joint", " name type "},
    {"frame", " name attached_to "},
    {"pose", " relative_to rotation_format degrees "},
    {"inertial", " auto "},
    {"collision", " name "},
    {"visual", " name "},
    {"mesh", " optimization "},
    {"parent", " "},
    {"child", " "},
    {"xyz", " expressed_in "},
    {"mimic", " joint axis "},
    {"model_state", " name "},
    {"joint_state", " name "},
    {"link_state", " name "},
    {"collision_state", " name "},
    {"position", " degrees "},
    {"velocity", " degrees "},
    {"acceleration", " degrees "},
    {"angle", " axis "},
    {"angular_velocity", " degrees "},
    {"angular_acceleration", " degrees "},
    {"actor", NULL},
    {"atmosphere", NULL},
    {"audio", NULL},
    {"audio_sink", NULL},
    {"audio_source", NULL},
    {"battery", NULL},
    {"gripper", NULL},
    {"gui", NULL},
    {"light", NULL},
    {"material", NULL},
    {"particle_emitter", NULL},
    {"physics", NULL},
    {"population", NULL},
    {"projector", NULL},
    {"road", NULL},
    {"scene", NULL},
    {"sensor", NULL},
    {"spherical_coordinates", NULL},
    {"state", NULL},
    {"wind", NULL},
};

/* The attributes of an element; NULL where nobody looks at it. */
static const char *attributes_of(const xmlNode *node)
{
    if (!pn_xml_is(node, NULL) || is_misplaced(node)) return NULL;
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++)
        if (pn_xml_is(node, attributes[i].element)) return attributes[i].attributes;
    return look_up(node) ? " " : NULL;
}

/* Those of one element. What is wrong with a visual changes no motion. */
static int tell_attributes(sdf_reader *r, const xmlNode *node, const char *words, int minor, int looks)
{
    for (const xmlAttr *a = node->properties; a; a = a->next) {
        const char *name = (const char *)a->name;
        if (a->ns || strchr(name, ':') || pn_xml_has_word(words, name)) continue;
        if (minor < 7 && pn_xml_is(node, "pose") && strcmp(name, "frame") == 0) continue;
        if (!pn_xml_left_out(&r->u, r->strict && !looks, node,
                             "<%.60s> has an attribute %.60s, which is not known and not read",
                             (const char *)node->name, name))
            return 0;
    }
    return 1;
}

/* An element and what it holds, as deep as the parser lets elements nest. */
static int tell_within(sdf_reader *r, const xmlNode *node, int minor, int looks)
{
    const char *words = attributes_of(node);
    if (!words) return 1;
    looks = looks || pn_xml_is(node, "visual");
    if (!tell_attributes(r, node, words, minor, looks)) return 0;
    for (const xmlNode *n = node->children; n; n = n->next)
        if (!tell_within(r, n, minor, looks)) return 0;
    return 1;
}

int pn_sdf_attributes(sdf_reader *r, const xmlNode *root, int minor)
{
    return tell_within(r, root, minor, 0);
}

int pn_sdf_check(sdf_reader *r, xmlNode *root)
{
    for (xmlNode *n = root; n;) {
        const int misplaced = is_misplaced(n);
        const known *type = misplaced ? NULL : look_up(n);
        if (!misplaced && (!check_filled(r, n) || !check_parts(r, n))) return 0;
        if (type && (!check_value(r, n, type->type) || !check_attributes(r, n))) return 0;
        if (pn_xml_is(n, "plugin") && !check_attributes(r, n)) return 0;
        if (type || n->type != XML_ELEMENT_NODE) {
            n = pn_xml_behind(n, root);
            continue;
        }
        while (n != root && !n->next) n = n->parent; /* not what is in it */
        n = n == root ? NULL : n->next;
    }
    return 1;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int pn_sdf_unique(sdf_reader *r, const xmlNode *parent, const char *kind)
{
    size_t count = 0;
    for (xmlNode *n = pn_xml_find(parent->children, kind); n; n = pn_xml_find(n->next, kind)) count++;
    if (count < 2) return 1;
    const char **names = malloc(count * sizeof *names);
    if (!names) return pn_xml_memory(&r->u);
    count = 0;
    for (xmlNode *n = pn_xml_find(parent->children, kind); n; n = pn_xml_find(n->next, kind)) {
        names[count] = pn_xml_attribute(n, "name");
        count += names[count] != NULL;
    }
    qsort(names, count, sizeof *names, by_text);
    int ok = 1;
    for (size_t i = 1; ok && i < count; i++) {
        if (strcmp(names[i], names[i - 1]) == 0)
            ok = pn_xml_fail(&r->u, parent, PINION_ERR_MODEL,
                             "two <%s> of one <%.60s> are called '%.60s'; expected a name of its own each",
                             kind, (const char *)parent->name, names[i]);
    }
    free(names);
    return ok;
}
