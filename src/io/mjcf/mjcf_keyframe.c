/* Keyframes become named states: qpos and qvel, from MuJoCo's coordinates to this library's. */
#include "base/number.h"
#include "base/vec3.h"
#include "io/mjcf/mjcf.h"
#include "pinion/named.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char space[] = " \t\r\n";

/* All numbers of an attribute into out, which has room for `count`; how many there are, -1: one is none. */
static int numbers_of(const char *text, int count, double *out)
{
    int found = 0;
    for (const char *s = text + strspn(text, space); *s; s += strspn(s, space)) {
        const char *end = s + strcspn(s, space), *behind = NULL;
        double x;
        if (!pn_parse_number(s, &behind, &x) || behind != end) return -1;
        if (found < count) out[found] = x;
        found++;
        s = end;
    }
    return found;
}

/* A joint's part of qpos or qvel. A free joint has its position first, and its linear velocity in the world. */
static void entry_of(const mjcf_joint *j, const double *from, const double *pose, pinion_state_entry *e)
{
    e->joint = j->name;
    e->count = e->velocity ? pinion_joint_type_nv(j->type) : pinion_joint_type_nq(j->type);
    memcpy(e->value, from, (size_t)e->count * sizeof *from);
    if (j->type == PINION_JOINT_FREE && !e->velocity) {
        memcpy(e->value, from + 3, 4 * sizeof *from);
        memcpy(e->value + 4, from, 3 * sizeof *from);
    }
    if (j->type == PINION_JOINT_FREE && e->velocity) {
        double R[9];
        pn_quaternion_matrix(pose + 3, R);
        memcpy(e->value, from + 3, 3 * sizeof *from);
        pn_turn3_back(R, from, e->value + 3);
    }
    if (e->velocity || (j->type != PINION_JOINT_FREE && j->type != PINION_JOINT_SPHERICAL)) return;
    const double length = sqrt(pn_dot(4, e->value, e->value));
    for (int i = 0; i < 4; i++) e->value[i] = length > 0 ? e->value[i] / length : i == 0;
}

/* One <key>; *added where it has become a state. */
static int read_key(mjcf_reader *r, const xmlNode *node, double *x, pinion_state_entry *entry, int nq, int nv,
                    int nu, int *added)
{
    const char *name = pn_xml_attribute(node, "name"), *qpos = pn_xml_attribute(node, "qpos"),
               *qvel = pn_xml_attribute(node, "qvel");
    const int q = qpos ? numbers_of(qpos, nq, x) : 0, v = qvel ? numbers_of(qvel, nv, x + nq) : 0;
    const char *control = pn_xml_attribute(node, "ctrl");
    const int u = control ? numbers_of(control, 0, x) : 0;
    if (u > 0 && u != nu && r->parts.count == 1)
        return pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "<key> has %d controls; expected %d", u, nu);
    if (((q && q != nq) || (v && v != nv)) && r->parts.count == 1)
        return pn_xml_fail(&r->u, node, PINION_ERR_PARSE,
                           "<key> has %d positions and %d velocities; expected %d and %d", q, v, nq, nv);
    if (!name || !*name) return 1;
    if ((q && q != nq) || (v && v != nv))
        return pn_xml_warn(&r->u, node, "the keyframe '%.60s' is left out: it has %d positions and %d velocities, the "
                                        "model %d and %d", name, q, v, nq, nv);
    int count = 0, at_q = 0, at_v = 0;
    for (int i = 0; i < r->joints.count; i++) {
        const mjcf_joint *j = &r->joints.at[i];
        const double own[7] = {0, 0, 0, 1, 0, 0, 0}, *pose = q ? x + at_q : own;
        entry[count].velocity = 0;
        if (q) entry_of(j, x + at_q, pose, &entry[count++]);
        entry[count].velocity = 1;
        if (v) entry_of(j, x + nq + at_v, pose, &entry[count++]);
        at_q += pinion_joint_type_nq(j->type);
        at_v += pinion_joint_type_nv(j->type);
    }
    r->counts[COUNT_CONTROLS] += u > 0;
    *added = pinion_builder_add_state(r->b, name, count, entry, pn_xml_line(node), r->u.err) == PINION_OK;
    return *added;
}

int pn_mjcf_keyframes(mjcf_reader *r)
{
    int nq = 0, nv = 0, nu = 0, ok = 1;
    for (xmlNode *n = pn_mjcf_first(r->main->root, "actuator"); n; n = pn_mjcf_next(n, "actuator"))
        for (xmlNode *a = pn_mjcf_first(n, NULL); a; a = pn_mjcf_next(a, NULL)) nu++;
    for (int i = 0; i < r->joints.count; i++) {
        nq += pinion_joint_type_nq(r->joints.at[i].type);
        nv += pinion_joint_type_nv(r->joints.at[i].type);
    }
    double *x = malloc((size_t)(nq + nv + 1) * sizeof *x);
    pinion_state_entry *entry = calloc(2 * (size_t)r->joints.count + 2, sizeof *entry);
    if (!x || !entry) ok = pn_xml_memory(&r->u);
    for (xmlNode *n = pn_mjcf_first(r->main->root, "keyframe"); n && ok; n = pn_mjcf_next(n, "keyframe"))
        for (xmlNode *k = pn_mjcf_first(n, "key"); k && ok; k = pn_mjcf_next(k, "key")) {
            int added = 0;
            ok = read_key(r, k, x, entry, nq, nv, nu, &added);
            r->counts[COUNT_KEYFRAMES] -= added;
        }
    free(x);
    free(entry);
    return ok;
}
