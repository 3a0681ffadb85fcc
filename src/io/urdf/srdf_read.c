/* The SRDF reader: what a file beside a URDF model says of it. Named states, groups of joints and pairs of links that
 * never collide go to the builder, which has all links and joints by now; the rest is told. */
#include "base/file.h"
#include "io/xml/xml.h"
#include "model/build/describe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_GROUPS 1000
#define MAX_STEPS 10000000 /* along chains, in all */

/* What is left out and counted. */
enum { VIRTUAL, PASSIVE, EFFECTOR, DEFAULTS, OTHER, KINDS };

typedef struct srdf {
    pn_xml u;
    pinion_builder *b;
    char *text; /* the builder's, which moves when something is added */
    int strict;
    pn_name *links, *joints; /* in order */
    int *carrier;            /* [links] the joint whose child it is, -1: none */
    char *member;            /* [joints] of the group that is made */
    const xmlNode *group[MAX_GROUPS];
    int groups;
    char visited[MAX_GROUPS];
    long steps;
    long counts[KINDS];
} srdf;

static int link_count(const srdf *s)
{
    return (int)s->b->links.count;
}

static int joint_count(const srdf *s)
{
    return (int)s->b->joints.count;
}

static const pn_described_joint *joint_at(const srdf *s, int joint)
{
    return PN_ITEM(&s->b->joints, const pn_described_joint, joint);
}

static const char *joint_name(const srdf *s, int joint)
{
    return s->text + joint_at(s, joint)->name;
}

static int find_link(const srdf *s, const char *name)
{
    return pn_names_find(s->links, link_count(s), name);
}

static int find_joint(const srdf *s, const char *name)
{
    return pn_names_find(s->joints, joint_count(s), name);
}

/* Names in order, and which joint carries which link. */
static int index_names(srdf *s)
{
    const int links = link_count(s), joints = joint_count(s);
    s->text = malloc(s->b->text.count);
    s->links = calloc((size_t)links + 1, sizeof *s->links);
    s->joints = calloc((size_t)joints + 1, sizeof *s->joints);
    s->carrier = malloc(((size_t)links + 1) * sizeof *s->carrier);
    s->member = malloc((size_t)joints + 1);
    if (!s->text || !s->links || !s->joints || !s->carrier || !s->member) return pn_xml_memory(&s->u);
    memcpy(s->text, s->b->text.data, s->b->text.count);
    for (int i = 0; i < links; i++) {
        s->links[i] = (pn_name){s->text + PN_ITEM(&s->b->links, const pn_described_link, i)->name, i};
        s->carrier[i] = -1;
    }
    for (int i = 0; i < joints; i++) s->joints[i] = (pn_name){joint_name(s, i), i};
    pn_names_sort(s->links, links);
    pn_names_sort(s->joints, joints);
    for (int i = 0; i < joints; i++) {
        const int child = find_link(s, s->text + joint_at(s, i)->child);
        if (child >= 0) s->carrier[child] = i;
    }
    return 1;
}

/* What an attribute names: a link or a joint; -1 told that it is not there, -2 after an error. */
static int refer(srdf *s, const xmlNode *node, const char *attribute, int joint)
{
    const char *name;
    if (!pn_xml_string(&s->u, node, attribute, &name)) return -2;
    const int found = joint ? find_joint(s, name) : find_link(s, name);
    if (found >= 0) return found;
    return pn_xml_left_out(&s->u, s->strict, node, "<%.40s> names the %s '%.60s', which the model has not: left out",
                           (const char *)node->name, joint ? "joint" : "link", name)
               ? -1
               : -2;
}

/* ---------------------------------------------------------------------------------------------
 * Groups */

/* Counts what groups are made of, so that a small file cannot take long. */
static int count_step(srdf *s, const xmlNode *node)
{
    return ++s->steps <= MAX_STEPS ||
           pn_xml_fail(&s->u, node, PINION_ERR_PARSE, "the groups have too many members and chains");
}

/* The joints from one link down to another. */
static int add_chain(srdf *s, const xmlNode *node)
{
    const int base = refer(s, node, "base_link", 0), tip = base == -2 ? -2 : refer(s, node, "tip_link", 0);
    if (base < 0 || tip < 0) return base != -2 && tip != -2;
    int link = tip;
    for (int mark = 0; mark < 2; mark++) { /* first whether there is a way, then along it */
        for (link = tip; link != base && s->carrier[link] >= 0;) {
            const int joint = s->carrier[link];
            if (!count_step(s, node)) return 0;
            if (mark) s->member[joint] = 1;
            const int parent = find_link(s, s->text + joint_at(s, joint)->parent);
            if (parent < 0) break;
            link = parent;
        }
        if (link == base) continue;
        return pn_xml_left_out(&s->u, s->strict, node,
                               "<chain> has a base_link that does not carry its tip_link: left out");
    }
    return 1;
}

static int add_group(srdf *s, int index);

static int add_subgroup(srdf *s, const xmlNode *node)
{
    const char *name;
    if (!pn_xml_string(&s->u, node, "name", &name)) return 0;
    for (int i = 0; i < s->groups; i++) {
        const char *own = pn_xml_attribute(s->group[i], "name");
        if (own && strcmp(own, name) == 0) return s->visited[i] || add_group(s, i);
    }
    return pn_xml_left_out(&s->u, s->strict, node, "<group> names the group '%.60s', which is not there: left out",
                           name);
}

/* Marks the joints of a group. */
static int add_group(srdf *s, int index)
{
    s->visited[index] = 1;
    for (xmlNode *n = pn_xml_find(s->group[index]->children, NULL); n; n = pn_xml_find(n->next, NULL)) {
        int ok = 1, found;
        if (!count_step(s, n)) return 0;
        if (pn_xml_is(n, "joint") || pn_xml_is(n, "passive_joint")) {
            found = refer(s, n, "name", 1);
            if (found >= 0) s->member[found] = 1;
            ok = found != -2;
        } else if (pn_xml_is(n, "link")) {
            found = refer(s, n, "name", 0);
            if (found >= 0 && s->carrier[found] >= 0) s->member[s->carrier[found]] = 1;
            ok = found != -2;
        } else if (pn_xml_is(n, "chain")) {
            ok = add_chain(s, n);
        } else if (pn_xml_is(n, "group")) {
            ok = add_subgroup(s, n);
        } else {
            s->counts[OTHER]++;
        }
        if (!ok) return 0;
    }
    return 1;
}

/* A group without the joints that are fixed, in the order of the URDF file. */
static int read_group(srdf *s, int index)
{
    const xmlNode *node = s->group[index];
    const char *name;
    int count = 0;
    if (!pn_xml_string(&s->u, node, "name", &name)) return 0;
    memset(s->member, 0, (size_t)joint_count(s) + 1);
    memset(s->visited, 0, sizeof s->visited);
    if (!add_group(s, index)) return 0;
    const char **joints = malloc(((size_t)joint_count(s) + 1) * sizeof *joints);
    if (!joints) return pn_xml_memory(&s->u);
    for (int i = 0; i < joint_count(s); i++)
        if (s->member[i] && joint_at(s, i)->type != PINION_JOINT_FIXED) joints[count++] = joint_name(s, i);
    const int taken = find_joint(s, name) >= 0;
    int twice = 0;
    for (int i = 0; i < index; i++) {
        const char *other = pn_xml_attribute(s->group[i], "name");
        twice = twice || (other && strcmp(other, name) == 0);
    }
    int ok;
    if (twice)
        ok = pn_xml_fail(&s->u, node, PINION_ERR_MODEL, "a second group '%.60s'; expected one", name);
    else if (count == 0 || taken)
        ok = pn_xml_left_out(&s->u, s->strict, node, "the group '%.60s' %s: left out", name,
                             taken ? "has the name of a joint" : "has no joint that moves");
    else
        ok = pinion_builder_add_group(s->b, name, count, joints, 0, s->u.err) == PINION_OK;
    free(joints);
    return ok;
}

/* ---------------------------------------------------------------------------------------------
 * States */

/* The numbers of one joint: those of a floating one are x, y, z and a quaternion x, y, z, w. */
static int read_entry(srdf *s, const xmlNode *node, int joint, pinion_state_entry *out)
{
    double x[7];
    const pinion_joint_type type = joint_at(s, joint)->type;
    *out = (pinion_state_entry){.joint = joint_name(s, joint), .count = pinion_joint_type_nq(type)};
    if (!pn_xml_numbers(&s->u, node, "value", out->count, x)) return 0;
    memcpy(out->value, x, (size_t)out->count * sizeof *x);
    if (type != PINION_JOINT_FREE) return 1;
    const double turned[7] = {x[6], x[3], x[4], x[5], x[0], x[1], x[2]};
    memcpy(out->value, turned, sizeof turned);
    return fabs(hypot(hypot(x[3], x[4]), hypot(x[5], x[6])) - 1) <= 1e-6 ||
           pn_xml_fail(&s->u, node, PINION_ERR_MODEL, "<joint> has a quaternion that is not of unit length");
}

static int read_state(srdf *s, const xmlNode *node, const char *name)
{
    int count = 0, ok = 1;
    size_t room = 1;
    for (xmlNode *n = pn_xml_find(node->children, "joint"); n; n = pn_xml_find(n->next, "joint")) room++;
    pinion_state_entry *entry = calloc(room, sizeof *entry);
    if (!entry) return pn_xml_memory(&s->u);
    for (xmlNode *n = pn_xml_find(node->children, "joint"); ok && n; n = pn_xml_find(n->next, "joint")) {
        const int joint = refer(s, n, "name", 1);
        ok = joint != -2;
        if (joint < 0) continue;
        if (joint_at(s, joint)->type == PINION_JOINT_FIXED)
            ok = pn_xml_left_out(&s->u, s->strict, n, "<joint> names the joint '%.60s', which is fixed: left out",
                                 joint_name(s, joint));
        else
            ok = read_entry(s, n, joint, &entry[count++]);
    }
    ok = ok && pinion_builder_add_state(s->b, name, count, entry, 0, s->u.err) == PINION_OK;
    free(entry);
    return ok;
}

/* A state and its group, to see which names several have. */
typedef struct state {
    const char *name, *group;
    const xmlNode *node;
    int order, shared; /* shared nonzero: another group has a state of this name */
} state;

static int by_name(const void *a, const void *b)
{
    const state *x = a, *y = b;
    const int name = strcmp(x->name, y->name), group = strcmp(x->group, y->group);
    return name ? name : group ? group : x->order - y->order;
}

static int by_order(const void *a, const void *b)
{
    return ((const state *)a)->order - ((const state *)b)->order;
}

/* States in the order of the file; where groups have states of one name, each is called "GROUP:NAME". */
static int add_states(srdf *s, state *list, int count)
{
    qsort(list, (size_t)count, sizeof *list, by_name);
    for (int i = 1; i < count; i++) {
        if (strcmp(list[i].name, list[i - 1].name) != 0) continue;
        list[i].shared = list[i - 1].shared = 1;
        if (strcmp(list[i].group, list[i - 1].group) == 0)
            return pn_xml_fail(&s->u, list[i].node, PINION_ERR_MODEL,
                               "a second state '%.60s' of the group '%.60s'; expected one", list[i].name,
                               list[i].group);
    }
    qsort(list, (size_t)count, sizeof *list, by_order);
    for (int i = 0; i < count; i++) {
        pn_text full = {0};
        if (list[i].shared) pn_text_append(&full, list[i].group);
        if (list[i].shared) pn_text_append(&full, ":");
        pn_text_append(&full, list[i].name);
        char *name = pn_text_take(&full);
        const int ok = name ? read_state(s, list[i].node, name) : pn_xml_memory(&s->u);
        free(name);
        if (!ok) return 0;
    }
    return 1;
}

static int read_states(srdf *s, const xmlNode *robot)
{
    int count = 0, ok = 1;
    for (xmlNode *n = pn_xml_find(robot->children, "group_state"); n; n = pn_xml_find(n->next, "group_state")) count++;
    state *list = calloc((size_t)count + 1, sizeof *list);
    if (!list) return pn_xml_memory(&s->u);
    count = 0;
    for (xmlNode *n = pn_xml_find(robot->children, "group_state"); ok && n; n = pn_xml_find(n->next, "group_state")) {
        state *one = &list[count];
        *one = (state){.node = n, .order = count};
        count++;
        ok = pn_xml_string(&s->u, n, "name", &one->name) && pn_xml_string(&s->u, n, "group", &one->group);
    }
    ok = ok && add_states(s, list, count);
    free(list);
    return ok;
}

/* ---------------------------------------------------------------------------------------------
 * The rest */

static int read_exclusion(srdf *s, const xmlNode *node)
{
    const int first = refer(s, node, "link1", 0), second = first == -2 ? -2 : refer(s, node, "link2", 0);
    if (first < 0 || second < 0) return first != -2 && second != -2;
    return pinion_builder_add_exclusion(s->b, pn_xml_attribute(node, "link1"), pn_xml_attribute(node, "link2"),
                                        pn_xml_line(node), s->u.err) == PINION_OK;
}

static int read_element(srdf *s, const xmlNode *node)
{
    static const struct {
        const char *name;
        int kind;
    } left_out[] = {{"virtual_joint", VIRTUAL},
                    {"passive_joint", PASSIVE},
                    {"end_effector", EFFECTOR},
                    {"disable_default_collisions", DEFAULTS},
                    {"enable_collisions", DEFAULTS}};
    if (pn_xml_is(node, "disable_collisions")) return read_exclusion(s, node);
    if (pn_xml_is(node, "group_state")) return 1;
    if (pn_xml_is(node, "group")) {
        if (s->groups == MAX_GROUPS)
            return pn_xml_fail(&s->u, node, PINION_ERR_PARSE, "too many groups; expected at most %d", MAX_GROUPS);
        s->group[s->groups++] = node;
        return 1;
    }
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++) {
        if (!pn_xml_is(node, left_out[i].name)) continue;
        s->counts[left_out[i].kind]++;
        return 1;
    }
    s->counts[OTHER]++;
    return 1;
}

static int tell_counts(srdf *s)
{
    static const char *const names[KINDS] = {"virtual joint", "passive joint", "end effector",
                                             "default of collisions", "other element"};
    for (int i = 0; i < KINDS; i++) {
        const int one = s->counts[i] == 1;
        if (s->counts[i] && !pn_xml_warn(&s->u, NULL, "%ld %s%s left out: a model has no place for %s", s->counts[i],
                                         names[i], one ? " is" : "s are", one ? "it" : "them"))
            return 0;
    }
    return 1;
}

static int read_robot(srdf *s)
{
    const xmlNode *robot = xmlDocGetRootElement(s->u.doc);
    const char *name = pn_builder_text(s->b, s->b->name), *own;
    if (!pn_xml_is(robot, "robot"))
        return pn_xml_fail(&s->u, robot, PINION_ERR_PARSE, "the outermost element is <%.60s>; expected <robot>",
                           (const char *)robot->name);
    if (!pn_xml_string(&s->u, robot, "name", &own)) return 0;
    if (strcmp(own, name) != 0 &&
        !pn_xml_warn(&s->u, robot, "it is for a robot called '%.60s', and the model is called '%.60s'", own, name))
        return 0;
    if (!index_names(s)) return 0;
    for (xmlNode *n = pn_xml_find(robot->children, NULL); n; n = pn_xml_find(n->next, NULL)) {
        if (!read_element(s, n)) return 0;
    }
    for (int i = 0; i < s->groups; i++) {
        if (!read_group(s, i)) return 0;
    }
    return read_states(s, robot) && tell_counts(s) && pn_xml_count_rest(&s->u);
}

int pn_srdf_read(pinion_builder *b, const char *path, const char *model, int strict, pinion_error *err)
{
    pinion_error local = {PINION_OK, 0, 0, ""};
    if (!err) err = &local;
    size_t size = 0;
    char *text = pn_file_read(path, PN_SIZE_MAX, "an SRDF file", &size, err);
    if (!text) return 0;
    const char *start = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
    pn_xml_warnings warnings = {.b = b};
    srdf *s = calloc(1, sizeof *s);
    int ok = 0;
    if (!s) {
        pn_error_set(err, PINION_ERR_MEMORY, path, 0, 0, "out of memory");
    } else if (strlen(text) != size) {
        pn_error_set(err, PINION_ERR_PARSE, path, 0, 0, "a zero byte; expected text in UTF-8");
    } else if (pn_xml_open(&s->u, start, size - (size_t)(start - text), path, err)) {
        s->u.warnings = &warnings;
        s->u.others = "what is left out";
        s->b = b;
        s->strict = strict;
        /* what the builder refuses now is of this file */
        ok = pinion_builder_set_source(b, path) == PINION_OK ? read_robot(s) : pn_xml_memory(&s->u);
        ok = ok && (pinion_builder_set_source(b, model) == PINION_OK || pn_xml_memory(&s->u));
        pn_xml_close(&s->u);
    }
    if (s) {
        free(s->text);
        free(s->links);
        free(s->joints);
        free(s->carrier);
        free(s->member);
    }
    free(s);
    free(text);
    return ok;
}
