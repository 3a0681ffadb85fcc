/* Inertias of MJCF: given, or those of the geoms of a body. */
#include "io/mjcf/mjcf.h"
#include "io/mjcf/mjcf_shape.h"
#include "model/pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether some body could have it. */
static int check_moments(const mjcf_element *e, const pinion_inertia *own, int is_full)
{
    double p[3], axes[9];
    pn_mjcf_principal(own->inertia, p, axes);
    if (is_full && !(p[2] > 0))
        return pn_xml_fail(&e->r->u, e->node, PINION_ERR_MODEL,
                           "fullinertia has a principal moment that is not above 0; expected three that are");
    if (p[1] + p[2] >= p[0] * (is_full ? 1 - 1e-9 : 1) || e->s->compiler.balance) return 1;
    return pn_xml_fail(&e->r->u, e->node, PINION_ERR_MODEL,
                       "<inertial> has a principal moment above the sum of the others, which no body has; "
                       "balanceinertia of <compiler> would change them");
}

int pn_mjcf_inertial(mjcf_element e, int body)
{
    mjcf_reader *r = e.r;
    pinion_inertia own = {0};
    double diagonal[3] = {0, 0, 0}, full[6], R[9];
    if (!pn_mjcf_known(&e, "pos quat axisangle xyaxes zaxis euler mass diaginertia fullinertia")) return 0;
    if (body == 0)
        return pn_xml_fail(&r->u, e.node, PINION_ERR_MODEL,
                           "<inertial> of the world; expected it in a <body>");
    if (!pn_xml_attribute(e.node, "mass") || !pn_xml_attribute(e.node, "pos"))
        return pn_xml_fail(&r->u, e.node, PINION_ERR_PARSE,
                           "<inertial> has no %s; expected both mass and pos",
                           pn_xml_attribute(e.node, "mass") ? "pos" : "mass");
    const int is_full = pn_mjcf_numbers(&e, "fullinertia", 6, 6, full);
    if (is_full < 0 || !pn_mjcf_number(&e, "mass", &own.mass) ||
        pn_mjcf_numbers(&e, "pos", 3, 3, own.com) < 0 ||
        pn_mjcf_numbers(&e, "diaginertia", 3, 3, diagonal) < 0 || !pn_mjcf_orientation(&e, R))
        return 0;
    if (own.mass < 0)
        return pn_xml_fail(&r->u, e.node, PINION_ERR_MODEL,
                           "<inertial> has a negative mass; expected >= 0 kg");
    if (is_full) {
        const double xx_to_zz[6] = {full[0], full[3], full[4], full[1], full[5], full[2]};
        memcpy(own.inertia, xx_to_zz, sizeof xx_to_zz);
    } else {
        own.inertia[0] = diagonal[0];
        own.inertia[3] = diagonal[1];
        own.inertia[5] = diagonal[2];
    }
    if (is_full && pn_xml_attribute(e.node, "diaginertia"))
        return pn_xml_fail(&r->u, e.node, PINION_ERR_PARSE,
                           "<inertial> has diaginertia and fullinertia; expected one of them");
    if (r->bodies.at[body].inertial)
        return pn_xml_fail(&r->u, e.node, PINION_ERR_PARSE, "a second <inertial> in one body; expected at most one");
    r->bodies.at[body].inertial = 1;
    if (e.s->compiler.from_geom != 1 && !check_moments(&e, &own, is_full)) return 0;
    if (!is_full) memcpy(r->bodies.at[body].axes, R, sizeof R);
    r->bodies.at[body].has_axes = !is_full;
    pn_mjcf_turn_inertia(R, own.inertia);
    r->bodies.at[body].given = e.s->compiler.from_geom != 1;
    r->bodies.at[body].inertia = own;
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Geoms */

/* The box of the same inertia and mass: half its sides. */
static void box_of(double mass, const double principal[3], double half[3])
{
    const double sum = (principal[0] + principal[1] + principal[2]) / 2;
    for (int i = 0; i < 3; i++) half[i] = sqrt(fmax(0, 3 * (sum - principal[i]) / mass));
}

/* A shape that takes its sizes and its place from a mesh. */
static int fit_to_mesh(const mjcf_element *e, mjcf_shape shape, const mjcf_mesh *mesh, int shell,
                       double size[3], pinion_pose *pose)
{
    double half[3], scale = 1;
    pinion_pose own = pinion_pose_identity();
    if (e->s->compiler.fit_box)
        return pn_xml_fail(
            &e->r->u, e->node, PINION_ERR_UNSUPPORTED,
            "a geom is fitted to the extent of a mesh (fitaabb), which is not read; expected sizes");
    if (!pn_mjcf_number(e, "fitscale", &scale)) return 0;
    memcpy(own.rotation, mesh->axes[shell], sizeof own.rotation);
    memcpy(own.position, mesh->center[shell], sizeof own.position);
    box_of(mesh->volume[shell], mesh->principal[shell], half);
    *pose = pn_pose_mul(pose, &own);
    memcpy(size, half, sizeof half);
    if (shape == SHAPE_SPHERE) size[0] = (half[0] + half[1] + half[2]) / 3;
    if (shape == SHAPE_CAPSULE || shape == SHAPE_CYLINDER) {
        size[0] = (half[0] + half[1]) / 2;
        size[1] = shape == SHAPE_CYLINDER ? half[2] : fmax(0, half[2] - size[0] / 2);
    }
    for (int i = 0; i < 3; i++) size[i] *= scale;
    return 1;
}

int pn_mjcf_fit(const mjcf_element *e, int shape, double size[3], pinion_pose *pose)
{
    const char *name = pn_mjcf_text(e, "mesh");
    const mjcf_mesh *mesh = name && shape != SHAPE_MESH && shape >= SHAPE_SPHERE ? pn_mjcf_mesh(e, name) : NULL;
    if (!name || shape == SHAPE_MESH || shape < SHAPE_SPHERE) return 1;
    return mesh && fit_to_mesh(e, (mjcf_shape)shape, mesh, mesh->shell, size, pose);
}

/* What a geom weighs with a density of 1, about its centre and in its axes; the pose becomes that of the
 * centre. The principal axes are in the pose. */
static int weigh(const mjcf_element *e, mjcf_shape shape, double size[3], pinion_pose *pose,
                 pinion_inertia *out, double axes[9])
{
    int shell = 0;
    const pinion_pose straight = pinion_pose_identity();
    memcpy(axes, straight.rotation, sizeof straight.rotation);
    const char *name = pn_mjcf_text(e, "mesh");
    *out = (pinion_inertia){0};
    if (!pn_mjcf_word(e, "shellinertia", "false|true", &shell)) return 0;
    if (shape == SHAPE_SDF)
        return pn_xml_fail(
            &e->r->u, e->node, PINION_ERR_UNSUPPORTED,
            "a geom of type sdf gives a body its inertia, which is not read; expected <inertial>");
    const mjcf_mesh *mesh = NULL;
    if (shape == SHAPE_MESH || (name && shape >= SHAPE_SPHERE)) {
        if (!name)
            return pn_xml_fail(&e->r->u, e->node, PINION_ERR_PARSE,
                               "a geom of type mesh names no mesh; expected one");
        mesh = pn_mjcf_mesh(e, name);
        if (!mesh) return 0;
        if (shape == SHAPE_MESH) shell |= mesh->shell;
        if (shape != SHAPE_MESH && !fit_to_mesh(e, shape, mesh, mesh->shell, size, pose)) return 0;
    }
    if (shape != SHAPE_MESH) {
        if (pn_mjcf_shape(shape, size, shell, out)) return 1;
        return pn_xml_fail(&e->r->u, e->node, PINION_ERR_MODEL, "a geom has a size that is not above 0");
    }
    out->mass = mesh->volume[shell];
    memcpy(out->inertia, mesh->inertia[shell], sizeof out->inertia);
    memcpy(axes, mesh->axes[shell], sizeof mesh->axes[shell]);
    pinion_pose own = pinion_pose_identity();
    memcpy(own.position, mesh->center[shell], sizeof own.position);
    *pose = pn_pose_mul(pose, &own);
    return 1;
}

/* Notes what a geom adds to its body. */
static int add_lump(const mjcf_element *e, mjcf_shape shape, const double *sizes, pinion_pose pose, int body)
{
    mjcf_reader *r = e->r;
    double mass = NAN, density = 1000, size[3];
    memcpy(size, sizes, sizeof size);
    if (!pn_mjcf_number(e, "mass", &mass) || !pn_mjcf_number(e, "density", &density)) return 0;
    if (mass < 0 || density < 0)
        return pn_xml_fail(&r->u, e->node, PINION_ERR_MODEL, "<geom> has a %s of %g; expected 0 or more",
                           mass < 0 ? "mass" : "density", mass < 0 ? mass : density);
    if (mass == 0 || (isnan(mass) && density == 0) || shape <= SHAPE_HFIELD) return 1;
    pinion_inertia unit;
    double axes[9];
    if (!weigh(e, shape, size, &pose, &unit, axes)) {
        /* what stands still needs no inertia */
        pinion_error *err = r->u.err;
        if (r->bodies.at[body].moves || !err || err->status != PINION_ERR_FILE) return 0;
        const pinion_error why = *err;
        *err = (pinion_error){PINION_OK, 0, 0, ""};
        return pn_xml_pass_over(&r->u, &why, "the mass of a body that does not move lacks it");
    }
    if (!(unit.mass > 0)) return 1;
    const double scale = isnan(mass) ? density : mass / unit.mass;
    if (!MJCF_ADD(r, r->lumps)) return 0;
    mjcf_lump *lump = &MJCF_LAST(r->lumps);
    lump->body = body;
    lump->inertia = unit;
    lump->inertia.mass *= scale;
    for (int i = 0; i < 6; i++) lump->inertia.inertia[i] *= scale;
    memcpy(lump->inertia.com, pose.position, sizeof pose.position);
    pn_mjcf_turn_inertia(pose.rotation, lump->inertia.inertia);
    pn_matrix_mul(pose.rotation, axes, lump->axes);
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Looks */

char *pn_mjcf_mesh_path(const mjcf_element *e, const mjcf_mesh *mesh)
{
    const char *file = pn_xml_attribute(mesh->node, "file"), *folder = e->s->compiler.mesh_folder;
    if (!file) return NULL;
    const char *slash = strrchr(file, '/');
    if (e->s->compiler.strip_path && slash) file = slash + 1;
    return pn_mjcf_asset_path(e->r, e->s, mesh->node, folder, file);
}

/* Shows what MuJoCo shows: groups 0 to 2. A fault here costs the picture, no more. */
static int add_look(const mjcf_element *e, mjcf_shape shape, const double size[3], const pinion_pose *pose,
                    int body)
{
    static const int shapes[] = {-1,
                                 -1,
                                 PINION_SHAPE_SPHERE,
                                 PINION_SHAPE_CAPSULE,
                                 -1,
                                 PINION_SHAPE_CYLINDER,
                                 PINION_SHAPE_BOX,
                                 PINION_SHAPE_MESH,
                                 -1};
    mjcf_reader *r = e->r;
    const char *name = pn_mjcf_text(e, "mesh");
    if (shapes[shape] < 0 || (name && shape != SHAPE_MESH)) return 1;
    pinion_visual_def def = pinion_visual_def_default();
    def.shape = (pinion_shape)shapes[shape];
    def.pose = *pose;
    def.line = body;
    for (int i = 0; i < 4; i++) def.rgba[i] = i < 3 ? 0.5 : 1;
    if (pn_mjcf_numbers(e, "rgba", 4, 4, def.rgba) < 0) return 0;
    for (int i = 0; i < 4; i++) def.rgba[i] = fmin(1, fmax(0, def.rgba[i]));
    for (int i = 0; i < 3; i++) def.size[i] = shape == SHAPE_BOX ? 2 * size[i] : size[i];
    if (shape == SHAPE_CYLINDER || shape == SHAPE_CAPSULE) def.size[1] = 2 * size[1];
    if (shape == SHAPE_MESH) {
        const mjcf_mesh *mesh = name ? pn_mjcf_find_mesh(e->s, name) : NULL;
        char *path = mesh ? pn_mjcf_mesh_path(e, mesh) : NULL;
        if (!path) return !mesh || !pn_xml_attribute(mesh->node, "file");
        def.mesh = path;
        mjcf_element of = {r, e->s, mesh->node, TAG_MESH, 0};
        for (int i = 0; i < 3; i++) def.size[i] = 1;
        if (pn_mjcf_numbers(&of, "scale", 3, 3, def.size) < 0 || !MJCF_ADD(r, r->paths)) {
            free(path);
            return 0;
        }
        MJCF_LAST(r->paths) = path;
    }
    if (!MJCF_ADD(r, r->visuals)) return 0;
    MJCF_LAST(r->visuals) = def;
    return 1;
}

int pn_mjcf_geom(mjcf_element e, const pinion_pose *frame, int body, const char *name)
{
    mjcf_reader *r = e.r;
    int shape = SHAPE_SPHERE, ellipsoid = 0;
    double size[3] = {0, 0, 0}, group = 0, half;
    pinion_pose own, pose;
    if (!pn_mjcf_known(
            &e,
            "name class type contype conaffinity condim group priority size material friction mass density "
            "shellinertia solmix solref solimp margin gap surfacevel adhesion fromto pos quat axisangle "
            "xyaxes zaxis euler hfield mesh fitscale rgba fluidshape fluidcoef user") ||
        !pn_mjcf_word(&e, "type", "plane|hfield|sphere|capsule|ellipsoid|cylinder|box|mesh|sdf", &shape) ||
        pn_mjcf_numbers(&e, "size", 1, 3, size) < 0 || !pn_mjcf_number(&e, "group", &group) ||
        !pn_mjcf_word(&e, "fluidshape", "none|ellipsoid", &ellipsoid) || !pn_mjcf_pose_or_ends(&e, &own, &half))
        return 0;
    if (ellipsoid) r->bodies.at[body].ellipsoid = 1;
    if (half >= 0) {
        if (shape < SHAPE_CAPSULE || shape > SHAPE_BOX)
            return pn_xml_fail(
                &r->u, e.node, PINION_ERR_PARSE,
                "fromto is for a capsule, cylinder, box or ellipsoid; expected one of these types");
        const int flat = shape == SHAPE_BOX || shape == SHAPE_ELLIPSOID;
        size[flat ? 2 : 1] = half;
        if (flat) size[1] = size[0];
    }
    pose = pn_pose_mul(frame, &own);
    if (!pn_mjcf_touch(&e, shape, size, &pose, body, name)) return 0;
    if (group >= 0 && group <= 2 && !add_look(&e, (mjcf_shape)shape, size, &pose, body)) return 0;
    const mjcf_compiler *c = &e.s->compiler;
    if (r->bodies.at[body].given || c->from_geom == 0 || !(group >= c->groups[0] && group <= c->groups[1]))
        return 1;
    return add_lump(&e, (mjcf_shape)shape, size, pose, body);
}

/* ---------------------------------------------------------------------------------------------
 * Bodies */

/* The least inertias, and the balance of those that no body can have. */
static void bound(const mjcf_compiler *c, pinion_inertia *inertia)
{
    inertia->mass = fmax(inertia->mass, c->bound_mass);
    if (c->bound_inertia <= 0 && !c->balance) return;
    double values[3], R[9];
    pn_mjcf_principal(inertia->inertia, values, R);
    const int flat = c->balance && values[0] > values[1] + values[2]; /* the first is the largest */
    if (!flat && values[2] >= c->bound_inertia) return;
    for (int i = 0; i < 3; i++) values[i] = fmax(values[i], c->bound_inertia);
    const double mean = (values[0] + values[1] + values[2]) / 3;
    if (c->balance && values[0] > values[1] + values[2]) values[0] = values[1] = values[2] = mean;
    const double turned[6] = {values[0], 0, 0, values[1], 0, values[2]};
    memcpy(inertia->inertia, turned, sizeof turned);
    pn_mjcf_turn_inertia(R, inertia->inertia);
}

int pn_mjcf_sum_inertias(mjcf_reader *r)
{
    for (int i = 0; i < r->lumps.count; i++) {
        const pinion_inertia *lump = &r->lumps.at[i].inertia;
        mjcf_body *b = &r->bodies.at[r->lumps.at[i].body];
        pinion_inertia *sum = &b->inertia;
        if (b->lumps++ == 0) *sum = (pinion_inertia){0};
        b->has_axes = b->lumps == 1; /* of one geom its own */
        memcpy(b->axes, r->lumps.at[i].axes, sizeof b->axes);
        sum->mass += lump->mass;
        for (int k = 0; k < 3; k++) sum->com[k] += lump->mass * lump->com[k];
    }
    for (int i = 1; i < r->bodies.count; i++) {
        mjcf_body *b = &r->bodies.at[i];
        for (int k = 0; k < 3 && b->lumps; k++) b->inertia.com[k] /= b->inertia.mass;
    }
    for (int i = 0; i < r->lumps.count; i++) {
        const pinion_inertia *lump = &r->lumps.at[i].inertia;
        pinion_inertia *sum = &r->bodies.at[r->lumps.at[i].body].inertia;
        double d[3];
        for (int k = 0; k < 3; k++) d[k] = lump->com[k] - sum->com[k];
        const double m = lump->mass, square = pn_dot3(d, d);
        const double moved[6] = {square - d[0] * d[0], -d[0] * d[1], -d[0] * d[2],
                                 square - d[1] * d[1], -d[1] * d[2], square - d[2] * d[2]};
        for (int k = 0; k < 6; k++) sum->inertia[k] += lump->inertia[k] + m * moved[k];
    }
    double total = 0;
    for (int i = 1; i < r->bodies.count; i++) {
        mjcf_body *b = &r->bodies.at[i];
        if (!b->has_axes && pn_mjcf_is_medium(r)) { /* before bounds, which may make moments equal and leave the axes */
            pn_mjcf_body_axes(b->inertia.inertia, b->axes);
            b->has_axes = 1;
        }
        bound(&b->spec->compiler, &b->inertia);
        if (b->inertia.mass == 0) memset(b->inertia.com, 0, sizeof b->inertia.com);
        if (b->moves || !r->main->compiler.fuse) total += b->inertia.mass; /* else it is one with the world */
    }
    const double wanted = r->main->compiler.total_mass;
    for (int i = 1; i < r->bodies.count && wanted > 0 && total > 0; i++) {
        r->bodies.at[i].inertia.mass *= wanted / total;
        for (int k = 0; k < 6; k++) r->bodies.at[i].inertia.inertia[k] *= wanted / total;
    }
    return 1;
}
