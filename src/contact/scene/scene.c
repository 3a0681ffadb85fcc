/* Scenes: the collisions of a model, the pairs of them that may touch, and the memory for what they do. */
#include "contact/scene/scene_parts.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/message.h"
#include "pinion/elastic.h"

#define PN_COOKIE_SCENE 0x5343454eu
#define MOST_CONTACTS 512
#define MOST_FRICTION 1e4 /* more cannot be told from it, and residuals are of the order of 1 / friction */

pinion_scene_options pinion_scene_options_default(void)
{
    pinion_scene_options o;
    memset(&o, 0, sizeof o);
    o.friction = PINION_FRICTION;
    o.margin = 0.01;
    o.recover = 0.2;
    o.limits = 1;
    o.solver = pinion_contact_options_default();
    o.solver.tolerance = 1e-8;
    o.solver.iterations = 200; /* more is for studies: a step has other ways out */
    o.cookie = PN_COOKIE_SCENE;
    return o;
}

pinion_status pn_scene_fail(pinion_scene *s, pinion_status status, const char *words)
{
    snprintf(s->message, sizeof s->message, "%s", words);
    return status;
}

/* what is wrong with options, NULL when nothing is */
static const char *complaint(const pinion_model *m, const pinion_scene_options *o)
{
    if (!m) return "the model is NULL";
    if (o->cookie != PN_COOKIE_SCENE) return "the options were not made by pinion_scene_options_default";
    if (!(o->friction >= 0) || !isfinite(o->friction)) return "friction must be 0 or more";
    if (!(o->restitution >= 0 && o->restitution <= 1)) return "restitution must be from 0 to 1";
    if (!(o->margin >= 0) || !isfinite(o->margin)) return "margin must be 0 or more";
    if (!(o->recover >= 0 && o->recover <= 1)) return "recover must be from 0 to 1";
    if (!(o->compliance >= 0) || !isfinite(o->compliance)) return "compliance must be 0 or more";
    if (!(o->stiction == 0 || (o->stiction >= 1 && isfinite(o->stiction)))) return "stiction must be 0, or 1 or more";
    if (!(o->limit_stiffness >= 0 && o->limit_damping >= 0) || !isfinite(o->limit_stiffness + o->limit_damping))
        return "limit_stiffness and limit_damping must be 0 or more";
    if (o->contacts < 0 || o->contacts > 4096) return "contacts must be 0 to 4096";
    return NULL;
}

/* the shapes of the model, the ground first where there is one; room is for all */
static void list_shapes(pinion_scene *s)
{
    const int count = pinion_model_collision_count(s->m);
    if (s->options.ground) {
        pn_body_shape *ground = &s->shape[s->shapes++];
        memset(ground, 0, sizeof *ground);
        ground->collision = PN_SCENE_GROUND;
        ground->link = -1;
        ground->solid.shape = PINION_SHAPE_PLANE;
        ground->solid.pose = ground->pose = pinion_pose_identity();
        for (int k = 0; k < 3; k++) ground->info.friction[k] = -1;
        ground->info.dimension = 3;
    }
    for (int i = 0; i < count; i++) {
        pn_body_shape *shape = &s->shape[s->shapes];
        pinion_link_info link;
        memset(shape, 0, sizeof *shape);
        if (pinion_model_collision(s->m, i, &shape->info)) continue;
        if (pinion_model_link(s->m, shape->info.link, &link)) continue;
        if (shape->info.shape == PINION_SHAPE_MESH && !shape->info.data) {
            s->left_out++;
            continue;
        }
        shape->collision = i;
        shape->link = shape->info.link;
        shape->body = link.body;
        shape->pose = shape->info.pose;
        shape->margin = shape->info.margin;
        shape->solid.shape = shape->info.shape;
        memcpy(shape->solid.size, shape->info.size, sizeof shape->solid.size);
        shape->solid.rows = shape->info.rows;
        shape->solid.columns = shape->info.columns;
        shape->solid.data = shape->info.data;
        s->shapes++;
    }
}

/* the model's own words about two collisions */
static int find_pair(const pinion_model *m, int a, int b, pinion_collision_pair_info *out)
{
    for (int i = 0; i < pinion_model_collision_pair_count(m); i++)
        if (pinion_model_collision_pair(m, i, out) == PINION_OK &&
            ((out->first == a && out->second == b) || (out->first == b && out->second == a)))
            return 1;
    return 0;
}

static int is_open_ended(const pn_body_shape *s)
{
    return s->solid.shape == PINION_SHAPE_PLANE || s->solid.shape == PINION_SHAPE_HEIGHT_FIELD;
}

/* Whether two shapes may touch, and how. The larger coefficients count, unless the model has its own for the pair. */
static int make_pair(const pinion_scene *s, int i, int j, pn_shape_pair *p)
{
    const pn_body_shape *a = &s->shape[i], *b = &s->shape[j];
    pinion_collision_pair_info own;
    if (a->body == b->body) return 0;
    const int ground = a->collision == PN_SCENE_GROUND;
    if (!ground && !pinion_model_may_collide(s->m, a->collision, b->collision)) return 0;
    const double friction = fmax(a->info.friction[0], b->info.friction[0]);
    int dimension = a->info.dimension > b->info.dimension ? a->info.dimension : b->info.dimension;
    p->first = i;
    p->second = j;
    p->friction = friction >= 0 ? friction : s->options.friction;
    p->restitution = fmax(s->options.restitution, fmax(a->info.restitution, b->info.restitution));
    p->margin = a->margin + b->margin + s->options.margin;
    if (!ground && find_pair(s->m, a->collision, b->collision, &own)) {
        if (own.friction[0] >= 0) p->friction = own.friction[0];
        if (own.margin >= 0) p->margin = own.margin + s->options.margin;
        if (own.dimension > 0) dimension = own.dimension;
    }
    if (dimension == 1) p->friction = 0;
    p->friction = fmin(p->friction, MOST_FRICTION);
    return 1;
}

/* Pairs in the order of the shapes; counts them where there is no room. Returns 0 for a pair that has no distance. */
static int list_pairs(pinion_scene *s)
{
    pn_shape_pair pair;
    s->pairs = 0;
    for (int i = 0; i < s->shapes; i++)
        for (int j = i + 1; j < s->shapes; j++) {
            const int may = make_pair(s, i, j, &pair);
            if (may && is_open_ended(&s->shape[i]) && is_open_ended(&s->shape[j])) return 0;
            if (s->pair_of) s->pair_of[i * s->shapes + j] = may ? s->pairs : -1;
            if (may && s->pair) s->pair[s->pairs] = pair;
            s->pairs += may;
        }
    return 1;
}

static void list_turning(pinion_scene *s)
{
    pinion_joint_info j;
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        if (pinion_model_joint(s->m, i, &j) || !j.nv) continue;
        if (j.type != PINION_JOINT_FREE && j.type != PINION_JOINT_PLANAR) continue;
        s->turning[s->turnings++] = (pn_turning){j.type == PINION_JOINT_PLANAR, j.q_index, j.v_index,
                                                  j.type == PINION_JOINT_FREE && s->tree[j.v_index] < 0};
    }
}

/* all other memory; 0 when there is none */
static int make_room(pinion_scene *s)
{
    const size_t n = (size_t)s->most, nv = (size_t)s->nv, shapes = (size_t)s->shapes + 1;
    const size_t loops = (size_t)s->loop_rows, dofs = nv + (size_t)s->loop_nv;
    const size_t singles = loops + 2 * (size_t)s->stops + (s->options.stiction > 0 ? dofs : 0);
    const size_t rows = 3 * n + singles, blocks = n + singles;
    const size_t nq = (size_t)pinion_model_nq(s->m), frames = (size_t)s->frames;
    s->contact = calloc(2 * n + 2, sizeof *s->contact);
    s->body_of = calloc(2 * n + 2, sizeof *s->body_of);
    s->order = calloc(shapes, sizeof *s->order);
    s->found = calloc((size_t)s->pairs + 1, sizeof *s->found);
    s->low = calloc(7 * shapes + 4 * n, sizeof *s->low);
    s->turning = calloc((size_t)pinion_model_joint_count(s->m) + 1, sizeof *s->turning);
    s->position = calloc(12 * frames + 12, sizeof *s->position);
    s->J = calloc(2 * rows * nv + nv * nv + 7 * nv + rows * rows + 13 * rows + 11 * nv + 3 * nq + 2 * loops +
                      (size_t)s->loop_nq + (size_t)s->loop_nv + 2 * dofs + 1,
                  sizeof *s->J);
    s->law = calloc(3 * blocks + nv + 1, sizeof *s->law);
    s->tree = calloc((blocks + 1) * (nv + 2) + 2 * nv, sizeof *s->tree);
    s->stop = calloc((size_t)s->stops + 1, sizeof *s->stop);
    s->work = rows <= INT_MAX ? pinion_contact_work_new((int)rows) : NULL;
    if (!(s->contact && s->body_of && s->order && s->found && s->low && s->position && s->J && s->law && s->stop &&
          s->turning && s->tree && s->work))
        return 0;
    s->high = s->low + 3 * shapes;
    s->reach = s->high + 3 * shapes;
    s->point = s->reach + shapes;
    s->terms = s->point + 3 * n;
    s->rotation = s->position + 3 * frames;
    double *next = s->J + rows * nv;
    s->W = next, next += rows * nv;
    s->F = next, next += nv * nv;
    s->pivot = next, next += nv;
    s->frame = next, next += 6 * nv;
    s->G = next, next += rows * rows;
    s->g = next, next += rows;
    s->mu = next, next += rows;
    s->lambda = next, next += rows;
    s->u = next, next += rows;
    s->start = next, next += rows;
    s->free = next, next += rows;
    s->off = next, next += rows;
    s->effect = next, next += rows;
    s->R = next, next += rows;
    s->soft = next, next += rows;
    s->next = next, next += nv;
    s->start_a = next, next += nv;
    s->middle = next, next += nv;
    s->push = next, next += nv;
    s->kept = next, next += rows;
    s->gap = next, next += rows;
    s->sum = next, next += rows;
    s->chained = next, next += nv;
    s->swing = next, next += nv;
    s->swing_start = next, next += nv;
    s->rest = next, next += nv;
    s->phi = next, next += 2 * loops;
    s->position_of = next, next += s->loop_nq;
    s->unit = next, next += s->loop_nv;
    s->rubs = next, next += 2 * dofs;
    s->at_v = next, next += nv;
    s->outer = next, next += nv;
    s->before = next, next += nv;
    s->at_q = next, next += nq;
    s->along = next, next += nq;
    s->moved = next;
    s->past = s->contact + n + 1;
    s->held = s->law + blocks;
    s->part = s->held + blocks;
    s->mark = s->part + blocks;
    s->chain = s->tree + nv;
    s->runs = s->chain + nv;
    s->run = s->runs + blocks;
    pn_scene_list_tree(s);
    pn_scene_list_joints(s);
    for (int i = 0; i < s->shapes; i++) s->order[i] = i;
    list_turning(s);
    return 1;
}

pinion_scene *pinion_scene_new(const pinion_model *m, const pinion_scene_options *options, pinion_error *err)
{
    const pinion_scene_options defaults = pinion_scene_options_default(), *o = options ? options : &defaults;
    const char *wrong = complaint(m, o);
    if (wrong) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s", wrong);
        return NULL;
    }
    pinion_scene *s = calloc(1, sizeof *s);
    const int all = pinion_model_collision_count(m) + 1;
    if (s) {
        s->m = m;
        s->options = *o;
        s->nv = pinion_model_nv(m);
        s->frames = pinion_model_frame_count(m);
        s->loop_rows = pinion_model_row_count(m);
        s->loop_nq = pinion_model_loop_nq(m);
        s->loop_nv = pinion_model_loop_nv(m);
        s->shape = calloc((size_t)all, sizeof *s->shape);
        s->pair_of = calloc((size_t)all * (size_t)all, sizeof *s->pair_of);
    }
    if (!s || !s->shape || !s->pair_of) goto no_memory;
    if (pinion_model_elastic_count(m)) {
        pn_error_set(err, PINION_ERR_UNSUPPORTED, NULL, 0, 0,
                     "the model has elastic links, and contact is solved between rigid ones alone");
        pinion_scene_free(s);
        return NULL;
    }
    list_shapes(s);
    if (!list_pairs(s)) {
        pn_error_set(err, PINION_ERR_UNSUPPORTED, NULL, 0, 0,
                     "two of planes and height fields on bodies that move: there is no distance between them");
        pinion_scene_free(s);
        return NULL;
    }
    s->pair = calloc((size_t)s->pairs + 1, sizeof *s->pair);
    if (!s->pair) goto no_memory;
    (void)list_pairs(s);
    pn_scene_list_joints(s);
    s->most = o->contacts ? o->contacts : s->pairs > MOST_CONTACTS / 4 ? MOST_CONTACTS : 4 * s->pairs;
    if (make_room(s)) return s;
no_memory:
    pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    pinion_scene_free(s);
    return NULL;
}

void pinion_scene_free(pinion_scene *s)
{
    if (!s) return;
    free(s->shape);
    free(s->pair);
    free(s->pair_of);
    free(s->contact);
    free(s->body_of);
    free(s->order);
    free(s->found);
    free(s->low);
    free(s->position);
    free(s->J);
    free(s->law);
    free(s->stop);
    free(s->turning);
    free(s->tree);
    pinion_contact_work_free(s->work);
    free(s);
}

const char *pinion_scene_message(const pinion_scene *s)
{
    return s ? s->message : "the scene is NULL";
}

int pinion_scene_left_out(const pinion_scene *s)
{
    return s ? s->left_out : 0;
}

void pinion_scene_set_time(pinion_scene *s, double t)
{
    if (s) s->time = t;
}

int pinion_scene_pair_count(const pinion_scene *s)
{
    return s ? s->pairs : 0;
}

int pinion_scene_count(const pinion_scene *s)
{
    return s ? s->count : 0;
}

pinion_status pinion_scene_pair_at(const pinion_scene *s, int index, pinion_scene_pair *out)
{
    pinion_nearest n;
    if (!s || !out || index < 0 || index >= s->pairs) return PINION_ERR_ARGUMENT;
    const pn_shape_pair *p = &s->pair[index];
    const pn_body_shape *a = &s->shape[p->first], *b = &s->shape[p->second];
    const pinion_status status = pinion_shape_distance(&a->solid, &b->solid, &n);
    if (status) return status;
    const pinion_scene_pair pair = {a->collision, b->collision, n.gap, {0, 0, 0}};
    *out = pair;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < 3 && s->body_of[2 * i] == p->first && s->body_of[2 * i + 1] == p->second; k++)
            out->force[k] += s->contact[i].force[k];
    return PINION_OK;
}

pinion_status pinion_scene_contact_at(const pinion_scene *s, int index, pinion_scene_contact *out)
{
    if (!s || !out || index < 0 || index >= s->count) return PINION_ERR_ARGUMENT;
    *out = s->contact[index];
    return PINION_OK;
}
