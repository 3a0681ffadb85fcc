/* The playback of a motion: what the robot is made of, and where its bodies are at each instant. */
#include "cli/report/document_internal.h"

#include "src/base/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INSTANTS_MAX 2000
#define NUMBERS_MAX 4e6               /* of all poses together */
#define MESHES_MAX ((size_t)20 << 20) /* bytes of all mesh files together */
#define FAR 1e9                       /* m: what flies off is not drawn */

static const char *const shape_names[PINION_SHAPE_COUNT] = {"box", "sphere", "cylinder", "capsule", "mesh"};

void pn_doc_pose7(const pinion_pose *p, double out[7])
{
    memcpy(out, p->position, sizeof p->position);
    double wxyz[4];
    pn_matrix_quaternion(p->rotation, wxyz);
    for (int i = 0; i < 4; i++) out[3 + i] = wxyz[(i + 1) % 4];
}

pinion_pose pn_doc_compose(const pinion_pose *a, const pinion_pose *b)
{
    pinion_pose c;
    for (int i = 0; i < 3; i++) {
        c.position[i] = a->position[i];
        for (int k = 0; k < 3; k++) {
            c.position[i] += a->rotation[3 * i + k] * b->position[k];
            c.rotation[3 * i + k] = 0;
            for (int l = 0; l < 3; l++)
                c.rotation[3 * i + k] += a->rotation[3 * i + l] * b->rotation[3 * l + k];
        }
    }
    return c;
}

static pinion_pose inverse(const pinion_pose *a)
{
    pinion_pose c;
    for (int i = 0; i < 3; i++) {
        c.position[i] = 0;
        for (int k = 0; k < 3; k++) {
            c.rotation[3 * i + k] = a->rotation[3 * k + i];
            c.position[i] -= a->rotation[3 * k + i] * a->position[k];
        }
    }
    return c;
}

/* A motion being packed. */
typedef struct playback {
    cli_document *doc;
    json_t *item;
    const pinion_model *m;
    pinion_work *w;
    int bodies, links, frames, nq;
    double *q, *position, *rotation; /* one state, and the poses of all frames there */
    pinion_pose *in_body;            /* [frames] of each frame in its body, the world for body 0 */
    pinion_pose *first;              /* [bodies] in the world at the first instant */
    cli_bent bent;                   /* its links that bend */
} playback;

static json_t *json_numbers(cli_document *doc, const double *x, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count && list; i++) pn_doc_add(doc, list, json_real(x[i]));
    return list;
}

static json_t *json_pose(cli_document *doc, const pinion_pose *p)
{
    double x[7];
    pn_doc_pose7(p, x);
    return json_numbers(doc, x, 7);
}

/* The pose of a frame in the world, after pinion_frames(). */
static pinion_pose frame_pose(const playback *p, int frame)
{
    pinion_pose out;
    memcpy(out.position, p->position + 3 * (size_t)frame, sizeof out.position);
    memcpy(out.rotation, p->rotation + 9 * (size_t)frame, sizeof out.rotation);
    return out;
}

/* The pose of a body in the world, that of its link, after pinion_frames(). */
static int body_pose(const playback *p, int body, pinion_pose *out)
{
    pinion_body_info info;
    *out = pinion_pose_identity();
    if (pinion_model_body(p->m, body, &info) != PINION_OK) return 0;
    if (info.link >= 0) *out = frame_pose(p, info.link);
    return 1;
}

/* Where each frame sits in its body: the same in all configurations, but for those on links that bend. */
static int place_frames(playback *p)
{
    if (pinion_neutral(p->m, p->q) != PINION_OK) return 0;
    if (pinion_frames(p->m, p->w, p->q, p->position, p->rotation) != PINION_OK) return 0;
    for (int i = 0; i < p->frames; i++) {
        pinion_frame_info frame;
        pinion_pose body, here = frame_pose(p, i);
        if (pinion_model_frame(p->m, i, &frame) != PINION_OK || !body_pose(p, frame.body, &body)) return 0;
        body = inverse(&body);
        p->in_body[i] = pn_doc_compose(&body, &here);
    }
    return 1;
}

/* The state of an instant, with quaternions made unit; 0 when it is not one. */
static int take_state(playback *p, const double *q)
{
    for (int i = 0; i < p->nq; i++)
        if (!isfinite(q[i])) return 0;
    if (p->nq) memcpy(p->q, q, (size_t)p->nq * sizeof *q);
    if (pinion_normalize(p->m, p->q) != PINION_OK) return 0;
    return pinion_frames(p->m, p->w, p->q, p->position, p->rotation) == PINION_OK;
}

/* Packs the poses of the bodies after pinion_frames(); 0 when one is out of sight. */
static int pack_instant(const playback *p, float *poses, float *com)
{
    for (int i = 1; i < p->bodies; i++) {
        pinion_pose pose;
        if (!body_pose(p, i, &pose)) return 0;
        double x[7];
        pn_doc_pose7(&pose, x);
        for (int k = 0; k < 7; k++) {
            if (!(fabs(x[k]) < FAR)) return 0;
            *poses++ = (float)x[k];
        }
    }
    double center[3];
    if (pinion_center_of_mass(p->m, p->w, p->q, NULL, center, NULL) != PINION_OK) return 0;
    for (int k = 0; k < 3; k++) com[k] = fabs(center[k]) < FAR ? (float)center[k] : NAN;
    return 1;
}

static void add_bodies(playback *p)
{
    cli_document *doc = p->doc;
    json_t *list = json_array();
    for (int i = 0; i < p->bodies && list; i++) {
        pinion_body_info body;
        if (pinion_model_body(p->m, i, &body) != PINION_OK) continue;
        /* the mass centre in the body: of its links, each in its own frame */
        double mass = 0, com[3] = {0};
        for (int k = 0; k < p->links; k++) {
            pinion_link_info link;
            if (pinion_model_link(p->m, k, &link) != PINION_OK || link.body != i) continue;
            pinion_pose at = pinion_pose_identity();
            memcpy(at.position, link.inertia.com, sizeof at.position);
            at = pn_doc_compose(&p->in_body[k], &at);
            mass += link.inertia.mass;
            for (int l = 0; l < 3; l++) com[l] += link.inertia.mass * at.position[l];
        }
        for (int l = 0; l < 3; l++) com[l] = mass > 0 && fabs(com[l] / mass) < FAR ? com[l] / mass : 0;
        json_t *entry = json_object();
        if (entry) {
            pn_doc_set(doc, entry, "name", pn_doc_text(body.name));
            pn_doc_set(doc, entry, "com", mass > 0 ? json_numbers(doc, com, 3) : json_null());
        }
        pn_doc_add(doc, list, entry);
    }
    pn_doc_set(doc, p->item, "bodies", list);
}

/* On which elastic link something is, if it is on one. */
static void set_bent(playback *p, json_t *entry, const char *key, int link)
{
    const int bent = link < 0 ? -1 : pn_doc_bent_of(&p->bent, link);
    if (bent >= 0) pn_doc_set(p->doc, entry, key, json_integer(bent));
}

static void add_frames(playback *p)
{
    cli_document *doc = p->doc;
    json_t *list = json_array();
    for (int i = 0; i < p->frames && list; i++) {
        pinion_frame_info frame;
        if (pinion_model_frame(p->m, i, &frame) != PINION_OK) continue;
        json_t *entry = json_object();
        if (entry) {
            pn_doc_set(doc, entry, "name", pn_doc_text(frame.name));
            pn_doc_set(doc, entry, "body", json_integer(frame.body));
            pn_doc_set(doc, entry, "pose", json_pose(doc, &p->in_body[i]));
            if (i >= p->links) set_bent(p, entry, "elastic", frame.link);
        }
        pn_doc_add(doc, list, entry);
    }
    pn_doc_set(doc, p->item, "frames", list);
}

/* The body of a link, and a pose in the link as one in the body. The world has no link. */
static int in_body(const playback *p, int link, const pinion_pose *pose, pinion_pose *out)
{
    pinion_link_info info;
    *out = *pose;
    if (link < 0 || pinion_model_link(p->m, link, &info) != PINION_OK) return 0;
    *out = pn_doc_compose(&p->in_body[link], pose);
    return info.body;
}

static void add_joint(playback *p, json_t *list, const pinion_joint_info *joint, int loop)
{
    cli_document *doc = p->doc;
    pinion_pose at_parent, at_child;
    int parent = in_body(p, joint->parent, &joint->parent_pose, &at_parent);
    int child = in_body(p, joint->child, &joint->child_pose, &at_child);
    pinion_pose there = pn_doc_compose(&p->first[child], &at_child);
    double axis[3];
    for (int i = 0; i < 3; i++)
        axis[i] = there.rotation[3 * i] * joint->axis[0] + there.rotation[3 * i + 1] * joint->axis[1] +
                  there.rotation[3 * i + 2] * joint->axis[2];
    json_t *entry = json_object();
    if (entry) {
        pn_doc_set(doc, entry, "name", pn_doc_text(joint->name));
        pn_doc_set(doc, entry, "type", json_string(pinion_joint_type_name(joint->type)));
        pn_doc_set(doc, entry, "loop", json_boolean(loop));
        pn_doc_set(doc, entry, "parent", json_integer(parent));
        pn_doc_set(doc, entry, "child", json_integer(child));
        pn_doc_set(doc, entry, "parent_pose", json_pose(doc, &at_parent));
        pn_doc_set(doc, entry, "child_pose", json_pose(doc, &at_child));
        pn_doc_set(doc, entry, "axis", json_numbers(doc, joint->axis, 3));
        pn_doc_set(doc, entry, "world_axis", json_numbers(doc, axis, 3));
        set_bent(p, entry, "parent_elastic", joint->parent);
    }
    pn_doc_add(doc, list, entry);
}

/* Whether a fixed joint holds a body of its own, at a place of a link that bends. */
static int on_bent(const playback *p, const pinion_joint_info *joint)
{
    pinion_link_info parent, child;
    return joint->parent >= 0 && pinion_model_link(p->m, joint->parent, &parent) == PINION_OK &&
           pinion_model_link(p->m, joint->child, &child) == PINION_OK && parent.body != child.body;
}

/* The joints that move or hold a body, parents before children, then those that close loops. */
static void add_joints(playback *p)
{
    json_t *list = json_array();
    for (int i = 0; i < pinion_model_joint_count(p->m) && list; i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(p->m, i, &joint) != PINION_OK || joint.type == PINION_JOINT_MODE) continue;
        if (joint.type == PINION_JOINT_FIXED && !on_bent(p, &joint)) continue;
        add_joint(p, list, &joint, 0);
    }
    for (int i = 0; i < pinion_model_loop_count(p->m) && list; i++) {
        pinion_loop_info loop;
        if (pinion_model_loop(p->m, i, &loop) != PINION_OK || loop.kind != PINION_LOOP_JOINT) continue;
        add_joint(p, list, &loop.joint, 1);
    }
    pn_doc_set(p->doc, p->item, "joints", list);
}

/* What ties two points together: distances and springs. */
static void add_ties(playback *p)
{
    cli_document *doc = p->doc;
    json_t *list = json_array();
    for (int i = 0; i < pinion_model_loop_count(p->m) && list; i++) {
        pinion_loop_info loop;
        pinion_pose at_parent, at_child;
        if (pinion_model_loop(p->m, i, &loop) != PINION_OK) continue;
        if (loop.kind != PINION_LOOP_DISTANCE && loop.kind != PINION_LOOP_SPRING) continue;
        int parent = in_body(p, loop.joint.parent, &loop.joint.parent_pose, &at_parent);
        int child = in_body(p, loop.joint.child, &loop.joint.child_pose, &at_child);
        json_t *entry = json_object();
        if (entry) {
            pn_doc_set(doc, entry, "name", pn_doc_text(loop.name));
            pn_doc_set(doc, entry, "spring", json_boolean(loop.kind == PINION_LOOP_SPRING));
            pn_doc_set(doc, entry, "parent", json_integer(parent));
            pn_doc_set(doc, entry, "child", json_integer(child));
            pn_doc_set(doc, entry, "from", json_numbers(doc, at_parent.position, 3));
            pn_doc_set(doc, entry, "to", json_numbers(doc, at_child.position, 3));
        }
        pn_doc_add(doc, list, entry);
    }
    pn_doc_set(p->doc, p->item, "ties", list);
}

static void add_visuals(playback *p, const char *model_path)
{
    cli_document *doc = p->doc;
    json_t *list = json_array(), *files = json_array();
    cli_meshes meshes = {.doc = doc, .list = files, .model_path = model_path, .left = MESHES_MAX};
    for (int i = 0; i < pinion_model_visual_count(p->m) && list && files; i++) {
        pinion_visual_info visual;
        pinion_pose pose;
        if (pinion_model_visual(p->m, i, &visual) != PINION_OK) continue;
        int body = in_body(p, visual.link, &visual.pose, &pose);
        json_t *entry = json_object();
        if (entry) {
            pn_doc_set(doc, entry, "body", json_integer(body));
            pn_doc_set(doc, entry, "shape", json_string(shape_names[visual.shape]));
            pn_doc_set(doc, entry, "pose", json_pose(doc, &pose));
            set_bent(p, entry, "elastic", visual.link);
            pn_doc_set(doc, entry, "size", json_numbers(doc, visual.size, 3));
            pn_doc_set(doc, entry, "rgba", json_numbers(doc, visual.rgba, 4));
            pn_doc_set(doc, entry, "mesh", visual.mesh ? pn_doc_mesh(&meshes, visual.mesh) : json_null());
        }
        pn_doc_add(doc, list, entry);
    }
    pn_doc_set(doc, p->item, "visuals", list);
    pn_doc_set(doc, p->item, "meshes", files);
    pn_doc_mesh_notes(&meshes);
}

/* The frame whose way is shown at first: the last one on the end of a robot that has only one end; -1 for
 * none. */
static int traced_frame(const playback *p)
{
    int end = p->bodies - 1, found = -1;
    if (end < 1) return -1;
    for (int i = 1; i < p->bodies; i++) {
        pinion_body_info body;
        if (pinion_model_body(p->m, i, &body) != PINION_OK || body.parent != i - 1) return -1;
        if (i > 1) continue;
        pinion_joint_info joint;
        if (pinion_model_joint(p->m, body.joint, &joint) == PINION_OK && joint.type == PINION_JOINT_FREE) return -1;
    }
    for (int i = 0; i < p->frames; i++) {
        pinion_frame_info frame;
        if (pinion_model_frame(p->m, i, &frame) == PINION_OK && frame.body == end) found = i;
    }
    return found;
}

/* Up is where gravity does not pull; z without gravity. */
static void add_up(playback *p)
{
    double g[3], size = 0, up[3] = {0, 0, 1};
    pinion_model_gravity(p->m, g);
    for (int i = 0; i < 3; i++) size = fmax(size, fabs(g[i]));
    if (size > 0) {
        double x = g[0] / size, y = g[1] / size, z = g[2] / size, length = sqrt(x * x + y * y + z * z);
        up[0] = -x / length;
        up[1] = -y / length;
        up[2] = -z / length;
    }
    pn_doc_set(p->doc, p->item, "up", json_numbers(p->doc, up, 3));
}

/* Packs the motion; returns how many instants, 0 when there is none to show or no memory. */
static size_t add_motion(playback *p, size_t count, const double *t, const double *q)
{
    double room = NUMBERS_MAX / (7.0 * ((p->bodies > 1 ? p->bodies : 1) + p->bent.knots));
    size_t most = room < 50 ? 50 : room < INSTANTS_MAX ? (size_t)room : INSTANTS_MAX;
    size_t stride = count > most ? (count + most - 1) / most : 1, room_for = count / stride + 2, kept = 0;
    size_t width = 7 * (size_t)(p->bodies - 1), knots = 7 * (size_t)p->bent.knots, bad = 0;
    double *times = malloc(room_for * sizeof *times);
    size_t *rows = malloc(room_for * sizeof *rows);
    float *poses = malloc((room_for * width + 1) * sizeof *poses), *com = malloc(room_for * 3 * sizeof *com);
    float *bent = malloc((room_for * knots + 1) * sizeof *bent);
    int massive = 1;
    if (!times || !rows || !poses || !com || !bent) p->doc->failed = 1;
    for (size_t i = 0; i < count && !p->doc->failed && !bad; i++) {
        if (i % stride != 0 && i + 1 != count) continue;
        if (!isfinite(t[i]) || (kept && t[i] < times[kept - 1]) || !take_state(p, q + i * (size_t)p->nq) ||
            !pack_instant(p, poses + kept * width, com + 3 * kept) ||
            !pn_doc_bent_pack(&p->bent, p->q, p->in_body, bent + kept * knots)) {
            bad = i + 1;
            break;
        }
        if (kept == 0)
            for (int k = 0; k < p->bodies; k++) (void)body_pose(p, k, &p->first[k]);
        massive =
            massive && isfinite(com[3 * kept]) && isfinite(com[3 * kept + 1]) && isfinite(com[3 * kept + 2]);
        rows[kept] = i;
        times[kept++] = t[i];
    }
    if (kept && !p->doc->failed) {
        pn_doc_set(p->doc, p->item, "t", pn_doc_doubles(times, kept));
        pn_doc_set(p->doc, p->item, "poses", pn_doc_floats(poses, kept * width));
        pn_doc_set(p->doc, p->item, "com", massive ? pn_doc_floats(com, 3 * kept) : json_null());
        pn_doc_contacts(p->doc, p->item, p->m, p->w, q, rows, kept);
        pn_doc_thrusters(p->doc, p->item, p->m, rows, kept);
        pn_doc_bent_describe(&p->bent, p->doc, p->item, p->in_body, bent, kept);
    }
    if (bad)
        pn_cli_document_note(p->doc,
                             "The motion cannot be shown from row %zu on: its numbers are not finite, are no "
                             "configuration, or its time goes back.",
                             bad);
    free(times);
    free(rows);
    free(poses);
    free(com);
    free(bent);
    return kept;
}

/* Memory for one state and all poses. */
static int playback_open(playback *p)
{
    size_t frames = (size_t)p->frames + 1;
    p->w = pinion_work_new(p->m);
    p->q = calloc((size_t)p->nq + 1, sizeof *p->q);
    p->position = calloc(3 * frames, sizeof *p->position);
    p->rotation = calloc(9 * frames, sizeof *p->rotation);
    p->in_body = calloc(frames, sizeof *p->in_body);
    p->first = calloc((size_t)p->bodies + 1, sizeof *p->first);
    return pn_doc_bent_open(&p->bent, p->m) && p->w && p->q && p->position && p->rotation && p->in_body && p->first;
}

static void playback_close(playback *p)
{
    pinion_work_free(p->w);
    free(p->q);
    free(p->position);
    free(p->rotation);
    free(p->in_body);
    free(p->first);
    pn_doc_bent_close(&p->bent);
}

/* kind: "playback", or "replay" of a run; of one row or more. */
static void add_playback(cli_document *doc, const pinion_model *m, const char *model_path, const char *kind,
                         uint64_t run, size_t count, const double *t, const double *q)
{
    if (!doc) return;
    playback p = {.doc = doc,
                  .m = m,
                  .bodies = pinion_model_body_count(m),
                  .links = pinion_model_link_count(m),
                  .frames = pinion_model_frame_count(m),
                  .nq = pinion_model_nq(m)};
    p.item = json_object();
    if (p.item) pn_doc_set(doc, p.item, "kind", json_string(kind));
    if (p.item) pn_doc_set(doc, p.item, "run", json_integer((json_int_t)run));
    if (!p.item || !playback_open(&p)) {
        doc->failed = 1;
    } else if (!place_frames(&p)) {
        pn_cli_document_note(doc, "The model cannot be shown: %s.", pinion_work_message(p.w));
    } else if (add_motion(&p, count, t, q) > 0) {
        pn_doc_add(doc, doc->items, json_incref(p.item));
        pn_doc_set(doc, p.item, "model", pn_doc_text(pinion_model_name(m)));
        pn_doc_set(doc, p.item, "trace", json_integer(traced_frame(&p)));
        add_up(&p);
        add_bodies(&p);
        add_frames(&p);
        add_joints(&p);
        add_ties(&p);
        add_visuals(&p, model_path);
    }
    json_decref(p.item);
    playback_close(&p);
}

void pn_cli_document_playback(cli_document *doc, const pinion_model *m, const char *model_path, size_t count,
                              const double *t, const double *q)
{
    add_playback(doc, m, model_path, "playback", 0, count, t, q);
}

void pn_cli_document_replay(cli_document *doc, const pinion_model *m, uint64_t run, size_t count, const double *t,
                            const double *q)
{
    add_playback(doc, m, NULL, "replay", run, count, t, q);
}
