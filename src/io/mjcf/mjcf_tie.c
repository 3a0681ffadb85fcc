/* What ties bodies and joints of MJCF together: tendons and equality constraints. */
#include "base/curve.h"
#include "base/quartic.h"
#include "io/mjcf/mjcf.h"
#include "model/pose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The index of what an attribute names, with the prefix of the part; -1 when it is not there, -2 when out of
 * memory. */
static int refer(mjcf_reader *r, const mjcf_part *part, const char *name, const mjcf_name *names, int count)
{
    char *full = pn_mjcf_join(r, part->prefix, name, "");
    if (!full) return -2;
    const int found = pn_mjcf_look_up(names, count, full);
    free(full);
    return found;
}

/* A reference that must be there: attached parts may have left it behind, and what refers to it then goes,
 * too. Returns 1 found, 0 left behind, -1 on failure. */
static int need(const mjcf_element *e, const mjcf_part *part, const char *attribute, const mjcf_name *names,
                int count, int *out)
{
    mjcf_reader *r = e->r;
    const char *name = pn_xml_attribute(e->node, attribute);
    *out = name ? refer(r, part, name, names, count) : -1;
    if (*out >= 0) return 1;
    if (*out == -2) return -1;
    if (name && part->spec != r->main) return 0;
    pn_xml_fail(&r->u, e->node, PINION_ERR_PARSE,
                name ? "<%.40s %s=\"%.60s\"> names nothing that is there" : "<%.40s> has no %s%.0s",
                (const char *)e->node->name, attribute, name ? name : "");
    return -1;
}

/* ---------------------------------------------------------------------------------------------
 * Tendons */

static int is_single(const mjcf_reader *r, int joint)
{
    return joint < 0 || (r->joints.at[joint].type != PINION_JOINT_FREE &&
                         r->joints.at[joint].type != PINION_JOINT_SPHERICAL);
}

/* Whether a tendon goes over one joint alone, whose friction and armature those of the tendon are then. */
static int is_lone(const mjcf_reader *r, const mjcf_tendon *t)
{
    return t->term >= 0 && t->term_count == 1 && is_single(r, r->terms.at[t->term].joint);
}

/* Springs and the like that act along a tendon. */
static int tell_tendon(const mjcf_element *e)
{
    const mjcf_reader *r = e->r;
    pinion_tendon_def def = pinion_tendon_def_default();
    double range[2] = {0}, friction = 0, armature = 0, margin = 0;
    int limited = 0;
    if (!pn_mjcf_polynomial(e, "stiffness", r->no_springs, &def.stiffness, def.stiffness_curve) ||
        !pn_mjcf_polynomial(e, "damping", r->no_dampers, &def.damping, def.damping_curve) ||
        !pn_mjcf_number(e, "frictionloss", &friction) || !pn_mjcf_number(e, "armature", &armature) ||
        !pn_mjcf_limited(e, "limited", "range", &limited) || pn_mjcf_numbers(e, "range", 2, 2, range) < 0 ||
        !pn_mjcf_number(e, "margin", &margin))
        return 0;
    limited = limited && !r->no_limits;
    if (limited && margin != 0) e->r->counts[COUNT_MARGINS]++;
    int springs = def.stiffness != 0 || pn_is_curved(def.stiffness_curve);
    int dampers = def.damping != 0 || pn_is_curved(def.damping_curve);
    if (springs || dampers || limited) {
        if (limited) memcpy(def.limits, range, sizeof def.limits);
        const int made = pn_mjcf_tendon_force(e, r->tendons.count - 1, &def);
        if (made < 0) return 0;
        if (made) springs = dampers = limited = 0;
    }
    friction = r->no_friction ? 0 : friction;
    if (is_lone(r, &MJCF_LAST(r->tendons))) friction = armature = 0;
    if (!springs && !dampers && friction == 0 && armature == 0 && !limited) return 1;
    return pn_mjcf_left_out(e->r, e->node, "of the tendon '%.60s' are left out:%s%s%s%s%s",
                            MJCF_LAST(e->r->tendons).name ? MJCF_LAST(e->r->tendons).name : "",
                            springs ? " spring" : "", dampers ? " damping" : "",
                            friction != 0 ? " frictionloss" : "", armature != 0 ? " armature" : "",
                            limited ? " range" : "");
}

static int read_terms(const mjcf_element *e, const mjcf_part *part, mjcf_tendon *t)
{
    mjcf_reader *r = e->r;
    t->term = r->terms.count;
    for (xmlNode *n = pn_mjcf_first(e->node, "joint"); n; n = pn_mjcf_next(n, "joint")) {
        const mjcf_element of = {r, part->spec, n, TAG_COUNT, -1};
        mjcf_term term = {-1, 0};
        const int found = need(&of, part, "joint", r->joint_names, r->joints.count, &term.joint);
        if (found < 0 || !pn_mjcf_number(&of, "coef", &term.coef)) return 0;
        if (!found) continue;
        if (!MJCF_ADD(r, r->terms)) return 0;
        MJCF_LAST(r->terms) = term;
    }
    t->term_count = r->terms.count - t->term;
    return 1;
}

/* A path has two objects at least, those over joints one; sites must be there. */
static int check_path(mjcf_reader *r, const mjcf_part *part, const xmlNode *node, int spatial)
{
    int objects = 0, site;
    for (xmlNode *n = pn_mjcf_first(node, NULL); n; n = pn_mjcf_next(n, NULL)) {
        const mjcf_element e = {r, part->spec, n, TAG_COUNT, -1};
        objects += pn_xml_is(n, spatial ? "site" : "joint") || (spatial && pn_xml_is(n, "geom"));
        if (spatial && pn_xml_is(n, "site") && need(&e, part, "site", r->site_names, r->sites.count, &site) < 0)
            return 0;
    }
    return objects > spatial ||
           pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "<%s> has %d object%s in its path; expected %s",
                       (const char *)node->name, objects, objects == 1 ? "" : "s", spatial ? "two at least" : "one");
}

static int read_tendon(mjcf_reader *r, const mjcf_part *part, const xmlNode *node)
{
    mjcf_element e;
    const int spatial = pn_xml_is(node, "spatial");
    if (!spatial && !pn_xml_is(node, "fixed"))
        return pn_mjcf_left_out(r, node, "<%.40s> among the tendons is left out", (const char *)node->name);
    if (!pn_mjcf_element(r, part->spec, node, TAG_TENDON, 0, &e) || !MJCF_ADD(r, r->tendons)) return 0;
    mjcf_tendon *t = &MJCF_LAST(r->tendons);
    *t = (mjcf_tendon){.term = -1, .node = node, .part = (int)(part - r->parts.at)};
    const char *name = pn_xml_attribute(node, "name");
    if (name && *name && !(t->name = pn_mjcf_join(r, part->prefix, name, ""))) return 0;
    if (!check_path(r, part, node, spatial) || (!spatial && !read_terms(&e, part, t))) return 0;
    return tell_tendon(&e);
}

static int add_to_joint(mjcf_reader *r, const mjcf_part *part, const xmlNode *node)
{
    mjcf_element e;
    mjcf_tendon t = {.term = -1, .node = node};
    double armature = 0, friction = 0;
    if (!pn_xml_is(node, "fixed")) return 1;
    if (!pn_mjcf_element(r, part->spec, node, TAG_TENDON, 0, &e) || !read_terms(&e, part, &t) ||
        !pn_mjcf_number(&e, "armature", &armature) || !pn_mjcf_number(&e, "frictionloss", &friction))
        return 0;
    if (is_lone(r, &t)) {
        const mjcf_term *term = &r->terms.at[t.term];
        pinion_dof *dof = &r->joints.at[term->joint].dof;
        dof->rotor_inertia += armature * term->coef * term->coef;
        if (r->no_friction) friction = 0;
        dof->friction_positive += friction * fabs(term->coef);
        dof->friction_negative += friction * fabs(term->coef);
    }
    r->terms.count = 0; /* tendons are read when the joints are there */
    return 1;
}

int pn_mjcf_tendon_rotors(mjcf_reader *r)
{
    for (int i = 0; i < r->parts.count; i++) {
        const xmlNode *root = r->parts.at[i].spec->root;
        for (xmlNode *n = pn_mjcf_first(root, "tendon"); n; n = pn_mjcf_next(n, "tendon")) {
            for (xmlNode *t = pn_mjcf_first(n, NULL); t; t = pn_mjcf_next(t, NULL)) {
                if (!add_to_joint(r, &r->parts.at[i], t)) return 0;
            }
        }
    }
    return 1;
}

int pn_mjcf_tendons(mjcf_reader *r)
{
    for (int i = 0; i < r->parts.count; i++) {
        const xmlNode *root = r->parts.at[i].spec->root;
        for (xmlNode *n = pn_mjcf_first(root, "tendon"); n; n = pn_mjcf_next(n, "tendon")) {
            for (xmlNode *t = pn_mjcf_first(n, NULL); t; t = pn_mjcf_next(t, NULL)) {
                if (!read_tendon(r, &r->parts.at[i], t)) return 0;
            }
        }
    }
    r->tendon_names = malloc(((size_t)r->tendons.count + 1) * sizeof *r->tendon_names);
    if (!r->tendon_names) return pn_xml_memory(&r->u);
    for (int i = 0; i < r->tendons.count; i++) r->tendon_names[i] = (mjcf_name){r->tendons.at[i].name, i};
    pn_mjcf_sort_names(r->tendon_names, r->tendons.count);
    return pn_mjcf_check_twice(r, r->tendon_names, r->tendons.count, "tendons");
}

/* ---------------------------------------------------------------------------------------------
 * Equality constraints */

/* The two ends of a <connect> or <weld>, on bodies or sites. */
typedef struct ends {
    int body[2];
    pinion_pose pose[2];
} ends;

/* 1 found, 0 left behind, -1 on failure. */
static int read_sites(const mjcf_element *e, const mjcf_part *part, ends *out)
{
    static const char *const names[2] = {"site1", "site2"};
    for (int i = 0; i < 2; i++) {
        int site;
        const int found = need(e, part, names[i], e->r->site_names, e->r->sites.count, &site);
        if (found <= 0) return found;
        out->body[i] = e->r->sites.at[site].body;
        out->pose[i] = e->r->sites.at[site].pose;
    }
    return 1;
}

static int read_bodies(const mjcf_element *e, const mjcf_part *part, ends *out)
{
    mjcf_reader *r = e->r;
    out->body[1] = 0;
    int found = need(e, part, "body1", r->body_names, r->bodies.count, &out->body[0]);
    if (found > 0 && pn_xml_attribute(e->node, "body2"))
        found = need(e, part, "body2", r->body_names, r->bodies.count, &out->body[1]);
    if (found <= 0) return found;
    for (int i = 0; i < 2; i++) out->pose[i] = pinion_pose_identity();
    double anchor[3] = {0};
    const int is_weld = pn_xml_is(e->node, "weld");
    const int anchored = pn_mjcf_numbers(e, "anchor", 3, 3, is_weld ? anchor : out->pose[0].position);
    if (anchored == 0 && !is_weld)
        pn_xml_fail(&r->u, e->node, PINION_ERR_PARSE, "<connect> of bodies has no anchor; expected one");
    if (anchored < 0 || (anchored == 0 && !is_weld)) return -1;

    /* the second end is where the first one is, as drawn */
    pinion_pose first = pn_pose_mul(&r->bodies.at[out->body[0]].world, &out->pose[0]);
    out->pose[1] = pn_pose_between(&r->bodies.at[out->body[1]].world, &first);
    double relative[7] = {0};
    if (!is_weld || pn_mjcf_numbers(e, "relpose", 7, 7, relative) <= 0) return 1;
    if (relative[3] == 0 && relative[4] == 0 && relative[5] == 0 && relative[6] == 0) return 1;
    memcpy(out->pose[0].position, relative, sizeof out->pose[0].position);
    pn_quaternion_matrix(relative + 3, out->pose[0].rotation);
    out->pose[1] = pinion_pose_identity();
    memcpy(out->pose[1].position, anchor, sizeof anchor); /* of body2: this point goes to that of relpose */
    return 1;
}

static int add_loop(const mjcf_element *e, const mjcf_part *part, const char *name)
{
    mjcf_reader *r = e->r;
    ends between;
    const int found =
        pn_xml_attribute(e->node, "site1") ? read_sites(e, part, &between) : read_bodies(e, part, &between);
    if (found <= 0) return found == 0;
    if (between.body[0] == between.body[1])
        return pn_xml_warn(&r->u, e->node, "<%.40s> ties a body to itself, which it is anyway",
                           (const char *)e->node->name);
    pinion_joint_def def = pinion_joint_def_default();
    def.name = name;
    def.type = pn_xml_is(e->node, "connect") ? PINION_JOINT_SPHERICAL : PINION_JOINT_FIXED;
    def.parent = r->bodies.at[between.body[0]].name;
    def.child = r->bodies.at[between.body[1]].name;
    def.parent_pose = between.pose[0];
    def.child_pose = between.pose[1];
    def.unactuated = 1;
    def.line = pn_xml_line(e->node);
    r->ties++;
    return pinion_builder_add_loop(r->b, &def, r->u.err) == PINION_OK;
}

/* A relation of joints, each from where it is drawn: the sum of coef q is `constant` and, where it bends, the curve of
 * x, the second one: curve[0] x^2 + curve[1] x^3 + curve[2] x^4. */
typedef struct relation {
    int count, joint[2]; /* at most two; a third one is counted and not kept */
    double coef[2], constant;
    int bends;
    double curve[3];
} relation;

static void add_term(relation *x, int joint, double coef)
{
    int i = 0;
    while (i < x->count && i < 2 && x->joint[i] != joint) i++;
    if (i < x->count && i < 2) {
        x->coef[i] += coef;
        return;
    }
    if (x->count < 2) {
        x->joint[x->count] = joint;
        x->coef[x->count] = coef;
    }
    x->count++;
}

/* A gear between two joints, or a drive that holds one where it is. */
static int add_gear(const mjcf_element *e, const char *name, relation x)
{
    mjcf_reader *r = e->r;
    if (x.count == 2 && x.coef[1] == 0 && !x.bends) x.count = 1;
    if (x.count == 2 && x.coef[0] == 0)
        x = (relation){.count = 1, .joint = {x.joint[1], -1}, .coef = {x.coef[1], 0}, .constant = x.constant};
    if (x.coef[0] == 0)
        return pn_mjcf_left_out(r, e->node, "the constraint '%.60s' is left out: it ties nothing", name);
    pinion_constraint_def def = pinion_constraint_def_default();
    const mjcf_joint *one = &r->joints.at[x.joint[0]], *two = x.count < 2 ? NULL : &r->joints.at[x.joint[1]];
    double a[5] = {x.constant, two ? -x.coef[1] : 0, x.curve[0], x.curve[1], x.curve[2]};
    for (int i = 0; i < 5; i++) a[i] /= x.coef[0];
    if (two) pn_quartic_shift(a, -two->ref);
    def.name = name;
    def.line = pn_xml_line(e->node);
    def.motion.offset = a[0] + one->ref;
    if (two) {
        def.kind = PINION_LOOP_GEAR;
        def.first = two->name;
        def.second = one->name;
        def.ratio = a[1];
        memcpy(def.curve, a + 2, sizeof def.curve);
    } else {
        def.kind = PINION_LOOP_DRIVE;
        def.first = one->name;
    }
    r->ties++;
    return pinion_builder_add_constraint(r->b, &def, r->u.err) == PINION_OK;
}

/* The coefficients of a constraint, y = c0 + c1 x + ... + c4 x^4. Without an x (`alone`) only the first counts. */
static int read_polynomial(const mjcf_element *e, int alone, double c[5])
{
    c[1] = 1;
    if (pn_mjcf_numbers(e, "polycoef", 1, 5, c) < 0) return 0;
    for (int i = 1; i < 5 && alone; i++) c[i] = 0;
    return 1;
}

static int tell_curve(const mjcf_element *e, const char *name)
{
    return pn_mjcf_left_out(e->r, e->node, "the constraint '%.60s' is left out: its polynomial is not linear, and not "
                            "that of one joint by another", name);
}

/* The terms from the square on, of x = coef times a joint. */
static void set_curve(relation *x, const double c[5], double coef)
{
    for (int i = 0; i < 3; i++) {
        x->curve[i] = c[2 + i] * pow(coef, 2 + i);
        x->bends |= x->curve[i] != 0;
    }
}

static int tie_joints(const mjcf_element *e, const mjcf_part *part, const char *name)
{
    mjcf_reader *r = e->r;
    int joint[2] = {-1, -1};
    int found = need(e, part, "joint1", r->joint_names, r->joints.count, &joint[0]);
    if (found > 0 && pn_xml_attribute(e->node, "joint2"))
        found = need(e, part, "joint2", r->joint_names, r->joints.count, &joint[1]);
    if (found <= 0) return found == 0;
    if (!is_single(r, joint[0]) || !is_single(r, joint[1]))
        return pn_xml_fail(&r->u, e->node, PINION_ERR_MODEL,
                           "<joint> ties a joint that has several coordinates");
    double c[5] = {0};
    if (!read_polynomial(e, joint[1] < 0, c)) return 0;
    relation x = {.joint = {-1, -1}, .constant = c[0]};
    add_term(&x, joint[0], 1);
    if (joint[1] >= 0) add_term(&x, joint[1], -c[1]);
    set_curve(&x, c, 1);
    return x.bends && joint[0] == joint[1] ? tell_curve(e, name) : add_gear(e, name, x);
}

/* Fixed tendons, each from the length that it has as drawn, which go over two joints together. */
static int tie_tendons(const mjcf_element *e, const mjcf_part *part, const char *name)
{
    mjcf_reader *r = e->r;
    int tendon[2] = {-1, -1};
    int found = need(e, part, "tendon1", r->tendon_names, r->tendons.count, &tendon[0]);
    if (found > 0 && pn_xml_attribute(e->node, "tendon2"))
        found = need(e, part, "tendon2", r->tendon_names, r->tendons.count, &tendon[1]);
    if (found <= 0) return found == 0;
    double c[5] = {0};
    if (!read_polynomial(e, tendon[1] < 0, c)) return 0;
    relation x = {.joint = {-1, -1}, .constant = c[0]};
    const int bends = c[2] != 0 || c[3] != 0 || c[4] != 0;
    for (int i = 0; i < 2 && tendon[i] >= 0; i++) {
        const mjcf_tendon *t = &r->tendons.at[tendon[i]];
        for (int k = 0; k < t->term_count; k++) {
            const mjcf_term *term = &r->terms.at[t->term + k];
            if (term->coef == 0 || (i == 1 && c[1] == 0 && !bends)) continue;
            add_term(&x, term->joint, i ? -c[1] * term->coef : term->coef);
            if (i) set_curve(&x, c, term->coef);
            if (!is_single(r, term->joint)) x.count = 3;
        }
        if (t->term < 0 || x.count > 2)
            return pn_mjcf_left_out(r, e->node, "the constraint '%.60s' is left out: its tendon goes over %s", name,
                                    t->term < 0 ? "sites" : "more than two joints");
        if (bends && x.count != i + 1)
            return tell_curve(e, name);
    }
    return add_gear(e, name, x);
}

/* A name that neither a joint nor a body has, whose fixed joint would be called so. New memory. */
static char *loop_name(mjcf_reader *r, const mjcf_part *part, const xmlNode *node, int index)
{
    const char *given = pn_xml_attribute(node, "name");
    char number[40];
    snprintf(number, sizeof number, "%.20s%d", (const char *)node->name, index);
    char *name = pn_mjcf_join(r, given && *given ? part->prefix : "", given && *given ? given : number, "");
    if (!name || (pn_mjcf_look_up(r->joint_names, r->joints.count, name) < 0 &&
                  pn_mjcf_look_up(r->body_names, r->bodies.count, name) < 0 &&
                  pn_mjcf_look_up(r->tendon_names, r->tendons.count, name) < 0))
        return name;
    char *other = pn_mjcf_join(r, "equality:", name, "");
    free(name);
    return other;
}

static int read_equality(mjcf_reader *r, const mjcf_part *part, const xmlNode *node, int index)
{
    mjcf_element e;
    int active = 1;
    if (!pn_mjcf_element(r, part->spec, node, TAG_EQUALITY, 0, &e) ||
        !pn_mjcf_word(&e, "active", "false|true", &active))
        return 0;
    if (!active)
        return pn_xml_warn(&r->u, node, "<%.40s> is not active and is left out", (const char *)node->name);
    char *name = loop_name(r, part, node, index);
    if (!name) return 0;
    int ok;
    if (pn_xml_is(node, "connect") || pn_xml_is(node, "weld"))
        ok = add_loop(&e, part, name);
    else if (pn_xml_is(node, "joint"))
        ok = tie_joints(&e, part, name);
    else if (pn_xml_is(node, "tendon"))
        ok = tie_tendons(&e, part, name);
    else
        ok = pn_mjcf_left_out(r, node, "the constraint <%.40s> is left out", (const char *)node->name);
    free(name);
    return ok;
}

int pn_mjcf_equalities(mjcf_reader *r)
{
    int index = 0;
    for (int i = 0; i < r->parts.count && !r->no_equality; i++) {
        const xmlNode *root = r->parts.at[i].spec->root;
        for (xmlNode *n = pn_mjcf_first(root, "equality"); n; n = pn_mjcf_next(n, "equality")) {
            for (xmlNode *q = pn_mjcf_first(n, NULL); q; q = pn_mjcf_next(q, NULL)) {
                if (!read_equality(r, &r->parts.at[i], q, index++)) return 0;
            }
        }
    }
    return !r->ties || pn_mjcf_left_out(
                           r, NULL, "the softness of %d equality constraint%s is left out: they hold exactly",
                           r->ties, r->ties == 1 ? "" : "s");
}
