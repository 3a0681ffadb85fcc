/* The bodies of MJCF, with their frames, copies and attachments: what is where, and which class it has. */
#include "io/mjcf/mjcf.h"
#include "model/pose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the reader is. */
typedef struct place {
    const mjcf_spec *s;
    int class_;        /* what elements without a class get */
    pinion_pose frame; /* in the body */
    int body;
    const char *prefix, *suffix; /* of names */
    int depth;
    int copied; /* within <replicate> or <attach> */
} place;

/* A geom that is looked at when all bodies are known. */
typedef struct pending {
    mjcf_element e;
    pinion_pose frame;
    int body;
    char *name; /* NULL: none */
} pending;

typedef struct walk {
    mjcf_reader *r;
    MJCF_LIST(pending) geoms;
} walk;

static int walk_children(walk *w, const place *p, const xmlNode *parent);

/* The childclass of an element, else what holds around it; -1 on failure. */
static int class_within(mjcf_reader *r, const place *p, const xmlNode *node)
{
    const char *name = pn_xml_attribute(node, "childclass");
    return name && *name ? pn_mjcf_class(r, p->s, node, name) : p->class_;
}

static int tell_body(const mjcf_element *e, int parent, double *gravcomp)
{
    int mocap = 0;
    if (!pn_mjcf_known(
            e, "name childclass pos quat axisangle xyaxes zaxis euler mocap gravcomp sleep simple user"))
        return 0;
    if (!pn_mjcf_number(e, "gravcomp", gravcomp) || !pn_mjcf_word(e, "mocap", "false|true", &mocap))
        return 0;
    if (mocap && (parent != 0 || pn_mjcf_first(e->node, "joint") || pn_mjcf_first(e->node, "freejoint")))
        return pn_xml_fail(&e->r->u, e->node, PINION_ERR_MODEL,
                           "a mocap body with a joint, or in another body; expected it fixed in the world");
    return !mocap || pn_mjcf_left_out(e->r, e->node, "a mocap body stands still where it is drawn");
}

static int read_body(walk *w, const place *outer, const xmlNode *node)
{
    mjcf_reader *r = w->r;
    const mjcf_element e = {r, outer->s, node, TAG_COUNT, -1};
    place p = *outer;
    pinion_pose own;
    double gravcomp = 0;
    if (!tell_body(&e, outer->body, &gravcomp) || !pn_mjcf_pose(&e, &own)) return 0;
    p.class_ = class_within(r, outer, node);
    if (p.class_ < 0 || !MJCF_ADD(r, r->bodies)) return 0;
    p.body = r->bodies.count - 1;
    p.frame = pinion_pose_identity();
    mjcf_body *b = &r->bodies.at[p.body];
    *b = (mjcf_body){.parent = outer->body, .node = node, .spec = outer->s};
    b->gravcomp = r->no_springs && r->no_dampers ? 0 : gravcomp; /* without both nothing is passive */
    b->pose = pn_pose_mul(&outer->frame, &own);
    /* a body that nothing gives a mass has its centre at its own pos: that counts where boundmass makes it
     * weigh */
    memcpy(b->inertia.com, own.position, sizeof own.position);
    b->world = pn_pose_mul(&r->bodies.at[outer->body].world, &b->pose);
    const char *name = pn_xml_attribute(node, "name");
    if (name && *name && !(b->name = pn_mjcf_join(r, outer->prefix, name, outer->suffix))) return 0;
    return walk_children(w, &p, node);
}

static int read_frame(walk *w, const place *outer, const xmlNode *node)
{
    const mjcf_element e = {w->r, outer->s, node, TAG_COUNT, -1};
    place p = *outer;
    pinion_pose own;
    if (!pn_mjcf_known(&e, "name childclass pos quat axisangle xyaxes zaxis euler") ||
        !pn_mjcf_pose(&e, &own))
        return 0;
    p.class_ = class_within(w->r, outer, node);
    p.frame = pn_pose_mul(&outer->frame, &own);
    return p.class_ >= 0 && walk_children(w, &p, node);
}

/* Copies in a row or around a circle: each is where the one before it would have the next. */
static int read_replicate(walk *w, const place *outer, const xmlNode *node)
{
    const mjcf_element e = {w->r, outer->s, node, TAG_COUNT, -1};
    double count = 0, offset[3] = {0, 0, 0}, euler[3] = {0, 0, 0};
    if (!pn_mjcf_known(&e, "count sep offset euler childclass") || !pn_mjcf_number(&e, "count", &count) ||
        pn_mjcf_numbers(&e, "offset", 3, 3, offset) < 0 || pn_mjcf_numbers(&e, "euler", 3, 3, euler) < 0)
        return 0;
    if (!(count >= 1 && count <= MJCF_MAX_COPIES) || count != (int)count)
        return pn_xml_fail(&w->r->u, node, PINION_ERR_PARSE,
                           "<replicate> has no good count; expected 1 or more");
    const char *separator = pn_xml_attribute(node, "sep");
    char digits[16];
    const int width = snprintf(digits, sizeof digits, "%d", (int)count);
    pinion_pose step = pinion_pose_identity();
    for (int i = 0; i < (int)count; i++) {
        place p = *outer;
        p.copied = 1;
        char *head = NULL, *suffix = NULL;
        double angles[3] = {i * euler[0], i * euler[1], i * euler[2]};
        pn_mjcf_euler(&p.s->compiler, angles, step.rotation);
        p.frame = pn_pose_mul(&outer->frame, &step);
        p.class_ = class_within(w->r, outer, node);
        snprintf(digits, sizeof digits, "%0*d", width, i);
        head = pn_mjcf_join(w->r, separator ? separator : "", digits, "");
        suffix = head ? pn_mjcf_join(w->r, head, outer->suffix, "") : NULL;
        p.suffix = suffix;
        const int ok = suffix && p.class_ >= 0 && walk_children(w, &p, node);
        free(head);
        free(suffix);
        if (!ok) return 0;
        double shift[3];
        pn_rotate(step.rotation, offset, shift);
        for (int k = 0; k < 3; k++) step.position[k] += shift[k];
    }
    return 1;
}

/* Looks for the element of that name among bodies and frames, in the class that holds where it is. */
static const xmlNode *find_within(walk *w, place *p, const xmlNode *parent, const char *tag, const char *name,
                                  int depth)
{
    if (depth > MJCF_MAX_DEPTH) return NULL;
    for (xmlNode *n = pn_mjcf_first(parent, NULL); n; n = pn_mjcf_next(n, NULL)) {
        const char *own = pn_xml_attribute(n, "name");
        if (++w->r->copies > MJCF_MAX_COPIES) return NULL;
        if (own && pn_xml_is(n, tag) && strcmp(own, name) == 0) return n;
        if (!pn_xml_is(n, "body") && !pn_xml_is(n, "frame")) continue;
        const int before = p->class_;
        p->class_ = class_within(w->r, p, n);
        const xmlNode *found = p->class_ < 0 ? NULL : find_within(w, p, n, tag, name, depth + 1);
        if (found) return found;
        p->class_ = before;
    }
    return NULL;
}

static int walk_worlds(walk *w, place *p)
{
    for (xmlNode *n = pn_mjcf_first(p->s->root, "worldbody"); n; n = pn_mjcf_next(n, "worldbody")) {
        const int before = p->class_;
        p->class_ = class_within(w->r, p, n);
        if (p->class_ < 0 || !walk_children(w, p, n)) return 0;
        p->class_ = before;
    }
    return 1;
}

/* Notes that a file takes part, so that its tendons, constraints and actuators do. */
static int add_part(mjcf_reader *r, const mjcf_spec *s, const char *prefix)
{
    if (!MJCF_ADD(r, r->parts)) return 0;
    mjcf_part *part = &MJCF_LAST(r->parts);
    part->spec = s;
    part->prefix = pn_mjcf_join(r, prefix, "", "");
    return part->prefix != NULL;
}

static int attach_from(walk *w, place *p, const xmlNode *node)
{
    const char *body = pn_xml_attribute(node, "body"), *frame = pn_xml_attribute(node, "frame");
    const char *name = body ? body : frame;
    if (!name) return walk_worlds(w, p);
    for (xmlNode *n = pn_mjcf_first(p->s->root, "worldbody"); n; n = pn_mjcf_next(n, "worldbody")) {
        const xmlNode *found = find_within(w, p, n, body ? "body" : "frame", name, 0);
        if (found) return body ? read_body(w, p, found) : read_frame(w, p, found);
    }
    return pn_xml_fail(&w->r->u, node, PINION_ERR_PARSE, "the model to attach has no %s '%.60s'",
                       body ? "body" : "frame", name);
}

static int read_attach(walk *w, const place *outer, const xmlNode *node)
{
    mjcf_reader *r = w->r;
    const char *model, *prefix = pn_xml_attribute(node, "prefix");
    if (!pn_xml_string(&r->u, node, "model", &model)) return 0;
    place p = *outer;
    p.copied = 1;
    p.s = NULL;
    for (int i = 0; i < outer->s->model_count && !p.s; i++) {
        if (strcmp(outer->s->model_names[i], model) == 0) p.s = outer->s->models[i];
    }
    if (!p.s)
        return pn_xml_fail(&r->u, node, PINION_ERR_PARSE,
                           "there is no model '%.60s' to attach; expected an asset", model);
    char *joined = pn_mjcf_join(r, outer->prefix, prefix ? prefix : "", "");
    p.prefix = joined;
    p.class_ = 0;
    const int ok = joined && add_part(r, p.s, joined) && attach_from(w, &p, node);
    free(joined);
    return ok;
}

static int read_site(walk *w, const place *p, const xmlNode *node)
{
    mjcf_element e;
    mjcf_reader *r = w->r;
    pinion_pose own;
    double half;
    if (!pn_mjcf_element(r, p->s, node, TAG_SITE, p->class_, &e) || !pn_mjcf_check_material(&e) ||
        !pn_mjcf_known(
            &e,
            "name class type group pos quat axisangle xyaxes zaxis euler material size fromto rgba user") ||
        !pn_mjcf_pose_or_ends(&e, &own, &half) || !MJCF_ADD(r, r->sites))
        return 0;
    mjcf_site *s = &MJCF_LAST(r->sites);
    *s = (mjcf_site){.body = p->body, .pose = pn_pose_mul(&p->frame, &own), .node = node};
    const char *name = pn_xml_attribute(node, "name");
    return !name || !*name || (s->name = pn_mjcf_join(r, p->prefix, name, p->suffix));
}

static int read_geom(walk *w, const place *p, const xmlNode *node)
{
    mjcf_element e;
    if (!pn_mjcf_element(w->r, p->s, node, TAG_GEOM, p->class_, &e) || !pn_mjcf_check_material(&e) ||
        !MJCF_ADD(w->r, w->geoms))
        return 0;
    const char *name = pn_xml_attribute(node, "name");
    MJCF_LAST(w->geoms) = (pending){e, p->frame, p->body, NULL};
    return !name || !*name || (MJCF_LAST(w->geoms).name = pn_mjcf_join(w->r, p->prefix, name, p->suffix));
}

static int read_child(walk *w, const place *p, const xmlNode *n)
{
    mjcf_reader *r = w->r;
    mjcf_element e;
    if (pn_xml_is(n, "body")) return read_body(w, p, n);
    if (pn_xml_is(n, "geom")) return read_geom(w, p, n);
    if (pn_xml_is(n, "site")) return read_site(w, p, n);
    if (pn_xml_is(n, "frame")) return read_frame(w, p, n);
    if (pn_xml_is(n, "replicate")) return read_replicate(w, p, n);
    if (pn_xml_is(n, "attach")) return read_attach(w, p, n);
    if (pn_xml_is(n, "joint") || pn_xml_is(n, "freejoint")) {
        if (!pn_mjcf_element(r, p->s, n, TAG_JOINT, p->class_, &e)) return 0;
        if (pn_xml_is(n, "freejoint")) e.tag = TAG_COUNT; /* no class says anything of it */
        return pn_mjcf_joint(e, &p->frame, p->body, p->prefix, p->suffix);
    }
    if (pn_xml_is(n, "inertial")) return pn_mjcf_inertial((mjcf_element){r, p->s, n, TAG_COUNT, -1}, p->body);
    if (pn_xml_is(n, "camera")) return ++r->counts[COUNT_CAMERAS] > 0;
    if (pn_xml_is(n, "light")) return ++r->counts[COUNT_LIGHTS] > 0;
    return pn_mjcf_left_out(r, n, "<%.40s> in a body is left out", (const char *)n->name);
}

static int walk_children(walk *w, const place *outer, const xmlNode *parent)
{
    mjcf_reader *r = w->r;
    place p = *outer;
    if (++p.depth > MJCF_MAX_DEPTH)
        return pn_xml_fail(&r->u, parent, PINION_ERR_PARSE,
                           "elements are nested too deep; expected at most %d", MJCF_MAX_DEPTH);
    for (xmlNode *n = pn_mjcf_first(parent, NULL); n; n = pn_mjcf_next(n, NULL)) {
        if (p.copied && ++r->copies > MJCF_MAX_COPIES)
            return pn_xml_fail(&r->u, n, PINION_ERR_PARSE, "too many copies; expected at most %d elements",
                               MJCF_MAX_COPIES);
        if (!read_child(w, &p, n)) return 0;
    }
    return 1;
}

/* Puts the joints of each body together, in the order of the bodies, which is that of the coordinates. */
static int sort_joints(mjcf_reader *r)
{
    mjcf_joint *sorted = malloc(((size_t)r->joints.count + 1) * sizeof *sorted);
    if (!sorted) return pn_xml_memory(&r->u);
    for (int i = 0; i < r->joints.count; i++) r->bodies.at[r->joints.at[i].body].joint_count++;
    int next = 0;
    for (int i = 0; i < r->bodies.count; i++) {
        mjcf_body *b = &r->bodies.at[i];
        b->joint = next;
        next += b->joint_count;
        b->moves = b->joint_count > 0 || (i > 0 && r->bodies.at[b->parent].moves);
        b->joint_count = 0;
    }
    for (int i = 0; i < r->joints.count; i++) {
        mjcf_body *b = &r->bodies.at[r->joints.at[i].body];
        sorted[b->joint + b->joint_count++] = r->joints.at[i];
    }
    memcpy(r->joints.at ? r->joints.at : sorted, sorted, (size_t)r->joints.count * sizeof *sorted);
    free(sorted);
    return 1;
}

int pn_mjcf_bodies(mjcf_reader *r)
{
    walk w = {.r = r};
    place p = {.s = r->main, .frame = pinion_pose_identity(), .prefix = "", .suffix = ""};
    int ok = MJCF_ADD(r, r->bodies);
    if (ok) {
        MJCF_LAST(r->bodies) =
            (mjcf_body){.parent = -1, .pose = p.frame, .world = p.frame, .given = 1, .spec = r->main};
        MJCF_LAST(r->bodies).name = pn_mjcf_join(r, "world", "", "");
        ok = MJCF_LAST(r->bodies).name && add_part(r, r->main, "") && walk_worlds(&w, &p) && sort_joints(r);
    }
    for (int i = 0; i < w.geoms.count; i++) {
        const pending *g = &w.geoms.at[i];
        ok = ok && pn_mjcf_geom(g->e, &g->frame, g->body, g->name);
        free(g->name);
    }
    free(w.geoms.at);
    return ok && pn_mjcf_sum_inertias(r);
}
