/* Springs, dampers and limits of the tendons of MJCF, and the paths that actuators act along. */
#include "io/mjcf/mjcf.h"
#include "io/rotation.h"
#include "base/vec3.h"
#include "model/pose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a body is in the world while every joint is at its springref: there tendons have the length at which they are
 * relaxed, unless they say so. */
static pinion_pose at_springs(const mjcf_reader *r, int body)
{
    pinion_pose world = pinion_pose_identity();
    for (int b = body; b > 0; b = r->bodies.at[b].parent) {
        const mjcf_body *x = &r->bodies.at[b];
        pinion_pose in_parent = x->pose;
        for (int k = 0; k < x->joint_count; k++) {
            const mjcf_joint *j = &r->joints.at[x->joint + k];
            const double by = j->dof.rest - j->ref;
            pinion_pose turn = pinion_pose_identity();
            if (j->type == PINION_JOINT_FREE || j->type == PINION_JOINT_SPHERICAL) continue;
            if (j->type == PINION_JOINT_PRISMATIC) {
                for (int i = 0; i < 3; i++) turn.position[i] = by * j->axis[i];
            } else {
                const double s = sin(by / 2), q[4] = {cos(by / 2), s * j->axis[0], s * j->axis[1], s * j->axis[2]};
                double moved[3];
                pn_quaternion_matrix(q, turn.rotation);
                pn_turn3(turn.rotation, j->pos, moved);
                for (int i = 0; i < 3; i++) turn.position[i] = j->pos[i] - moved[i];
            }
            in_parent = pn_pose_mul(&in_parent, &turn);
        }
        world = pn_pose_mul(&in_parent, &world);
    }
    return world;
}

static void site_at_springs(const mjcf_reader *r, int site, double out[3])
{
    const mjcf_site *s = &r->sites.at[site];
    const pinion_pose body = at_springs(r, s->body), pose = pn_pose_mul(&body, &s->pose);
    memcpy(out, pose.position, sizeof pose.position);
}

/* The lengths at which it is relaxed: as it says, else `drawn`. 0 on failure. */
static int read_rest(const mjcf_element *e, double drawn, double rest[2])
{
    rest[0] = rest[1] = -1;
    const int given = pn_mjcf_numbers(e, "springlength", 1, 2, rest);
    if (given < 0) return 0;
    if (given == 1) rest[1] = rest[0];
    if (rest[0] == -1 && rest[1] == -1) rest[0] = rest[1] = drawn;
    return 1;
}

/* What a tendon goes through: `count` objects of sites (-1: a pulley) or terms. */
typedef struct path {
    int count;
    int *site;
    double *divisor;
} path;

/* The path of a spatial tendon. Returns 1, 0 where it is not made of sites and pulleys alone, -1 on failure. */
static int read_path(const mjcf_element *e, const mjcf_part *part, path *p)
{
    mjcf_reader *r = e->r;
    int room = 0;
    for (xmlNode *n = pn_mjcf_first(e->node, NULL); n; n = pn_mjcf_next(n, NULL)) room++;
    p->site = calloc((size_t)room + 1, sizeof *p->site);
    p->divisor = calloc((size_t)room + 1, sizeof *p->divisor);
    if (!p->site || !p->divisor) return pn_xml_memory(&r->u) - 1;
    for (xmlNode *n = pn_mjcf_first(e->node, NULL); n; n = pn_mjcf_next(n, NULL)) {
        const mjcf_element of = {r, part->spec, n, TAG_COUNT, -1};
        const char *name = pn_xml_attribute(n, "site");
        int *site = &p->site[p->count];
        double *divisor = &p->divisor[p->count++];
        *divisor = 1;
        if (pn_xml_is(n, "pulley")) {
            *site = -1;
            if (!pn_mjcf_number(&of, "divisor", divisor)) return -1;
            continue;
        }
        char *full = pn_xml_is(n, "site") && name ? pn_mjcf_join(r, part->prefix, name, "") : NULL;
        *site = full ? pn_mjcf_look_up(r->site_names, r->sites.count, full) : -1;
        free(full);
        if (*site < 0) return 0;
    }
    return 1;
}

/* The length of a path where all joints are at their springs. */
static double path_at_springs(const mjcf_reader *r, const path *p)
{
    double length = 0, divisor = 1;
    for (int i = 0; i < p->count; i++) {
        if (p->site[i] < 0) divisor = p->divisor[i];
        if (p->site[i] < 0 || i + 1 == p->count || p->site[i + 1] < 0) continue;
        double a[3], b[3];
        site_at_springs(r, p->site[i], a);
        site_at_springs(r, p->site[i + 1], b);
        for (int k = 0; k < 3; k++) a[k] -= b[k];
        length += pn_norm3(a) / divisor;
    }
    return length;
}

static int add_path(const mjcf_element *e, const path *p, pinion_tendon_def *def)
{
    mjcf_reader *r = e->r;
    const char **through = calloc((size_t)p->count + 1, sizeof *through);
    char **names = calloc((size_t)p->count + 1, sizeof *names);
    int ok = through && names ? 1 : pn_xml_memory(&r->u);
    for (int i = 0; ok && i < p->count; i++) {
        if (p->site[i] < 0) continue;
        const char *site = r->sites.at[p->site[i]].name;
        const int taken = pn_mjcf_look_up(r->body_names, r->bodies.count, site) >= 0;
        through[i] = names[i] = pn_mjcf_join(r, taken ? "site:" : "", site, "");
        ok = names[i] != NULL;
    }
    def->type = PINION_TENDON_PATH;
    def->count = p->count;
    def->through = through;
    def->weights = p->divisor;
    ok = ok && pinion_builder_add_tendon(r->b, def, r->u.err) == PINION_OK;
    for (int i = 0; names && i < p->count; i++) free(names[i]);
    free(names);
    free(through);
    return ok ? 1 : -1;
}

static int add_spatial(const mjcf_element *e, const mjcf_part *part, pinion_tendon_def *def)
{
    path p = {0, NULL, NULL};
    int made = read_path(e, part, &p);
    if (made > 0 && !read_rest(e, path_at_springs(e->r, &p), def->rest)) made = -1;
    if (made > 0) made = add_path(e, &p, def);
    free(p.site);
    free(p.divisor);
    return made;
}

static int add_fixed(const mjcf_element *e, const mjcf_tendon *t, pinion_tendon_def *def)
{
    mjcf_reader *r = e->r;
    const char **through = calloc((size_t)t->term_count + 1, sizeof *through);
    double *weights = calloc((size_t)t->term_count + 1, sizeof *weights), drawn = 0;
    int made = 1;
    for (int i = 0; through && weights && i < t->term_count; i++) {
        const mjcf_term *term = &r->terms.at[t->term + i];
        const mjcf_joint *j = &r->joints.at[term->joint];
        if (j->type == PINION_JOINT_FREE || j->type == PINION_JOINT_SPHERICAL) made = 0;
        if (term->coef == 0) continue;
        drawn += term->coef * j->dof.rest;
        through[def->count] = j->name;
        weights[def->count++] = term->coef;
    }
    def->through = through;
    def->weights = weights;
    if (!through || !weights)
        made = pn_xml_memory(&r->u) - 1;
    else if (made && !read_rest(e, drawn, def->rest))
        made = -1;
    else if (made && def->count)
        made = pinion_builder_add_tendon(r->b, def, r->u.err) == PINION_OK ? 1 : -1;
    free(through);
    free(weights);
    return made;
}

int pn_mjcf_tendon_force(const mjcf_element *e, int tendon, pinion_tendon_def *def)
{
    mjcf_reader *r = e->r;
    mjcf_tendon *t = &r->tendons.at[tendon];
    char number[40];
    snprintf(number, sizeof number, "tendon%d", tendon);
    if (def->stiffness < 0 || def->damping < 0) return 0;
    def->name = t->name ? t->name : number;
    def->line = pn_xml_line(e->node);
    const int made = t->term < 0 ? add_spatial(e, &r->parts.at[t->part], def) : add_fixed(e, t, def);
    t->made = made > 0;
    return made;
}

int pn_mjcf_tendon_made(mjcf_reader *r, int tendon)
{
    const mjcf_tendon *t = &r->tendons.at[tendon];
    pinion_tendon_def none = pinion_tendon_def_default();
    mjcf_element e;
    if (t->made) return 1;
    if (!pn_mjcf_element(r, r->parts.at[t->part].spec, t->node, TAG_TENDON, 0, &e)) return -1;
    return pn_mjcf_tendon_force(&e, tendon, &none);
}
