/* Where a machine touches, by the shapes of its model against each other and the ground, or at named places. */
#define _POSIX_C_SOURCE 200809L
#include "cli/id/touch.h"

#include "cli/args/near.h"
#include "cli/args/options.h"
#include "cli/print/print_text.h"
#include "src/base/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int out_of_memory(const char *command)
{
    if (command) pn_cli_report(command, "out of memory");
    return CLI_FAILED;
}

/* ------------------------------------------------------------------------------------------------ */
/* Pairs */

/* the name of a collision, or of its link where it has none */
static const char *shape_name(const pinion_model *m, int collision)
{
    pinion_collision_info info;
    pinion_link_info link;
    if (collision < 0 || pinion_model_collision(m, collision, &info) != PINION_OK) return "ground";
    if (*info.name) return info.name;
    return pinion_model_link(m, info.link, &link) == PINION_OK ? link.name : "";
}

/* A new pair, with a number behind its name where that is there twice; NULL when out of memory. */
static touch_pair *add_pair(cli_touch *x, const char *first, const char *second)
{
    if (x->pairs == x->pairs_room) {
        const int room = 2 * x->pairs_room + 8;
        touch_pair *larger = realloc(x->pair, (size_t)room * sizeof *larger);
        if (!larger) return NULL;
        x->pair = larger;
        x->pairs_room = room;
    }
    touch_pair *p = &x->pair[x->pairs];
    *p = (touch_pair){.first = first, .second = second, .scene_pair = -1, .frame = -1, .gap = INFINITY, .share = 1};
    snprintf(p->name, sizeof p->name, "%.300s.%.300s", first, second);
    for (int k = 2, i = 0; i < x->pairs; i++)
        if (strcmp(x->pair[i].name, p->name) == 0) {
            snprintf(p->name, sizeof p->name, "%.300s.%.300s (%d)", first, second, k++);
            i = -1;
        }
    x->pairs++;
    return p;
}

/* A frame of the model by its name, or a message. */
static int add_place(cli_touch *x, const char *command, const char *name)
{
    const int frame = pinion_model_find_frame(x->m, name);
    pinion_frame_info info;
    if (frame >= 0 && pinion_model_frame(x->m, frame, &info) == PINION_OK) {
        touch_pair *p = add_pair(x, "ground", info.name);
        if (!p) return out_of_memory(command);
        p->frame = frame;
        return CLI_DONE;
    }
    if (!command) return CLI_FAILED;
    char near[400];
    cli_near found = pn_cli_near(name);
    pn_cli_near_offer(&found, "ground");
    pn_cli_near_offer(&found, "model");
    for (int i = 0; pinion_model_frame(x->m, i, &info) == PINION_OK; i++) pn_cli_near_offer(&found, info.name);
    pn_cli_report(command, "--contacts: no link or frame is named '%s'%s", name,
                  pn_cli_near_text(&found, near, sizeof near));
    return CLI_FAILED;
}

/* The places of a list, each once. */
static int add_places(cli_touch *x, const char *command, const char *list)
{
    char *copy = strdup(list), *rest = NULL;
    if (!copy) return out_of_memory(command);
    int status = CLI_DONE, points = 0;
    for (char *name = strtok_r(copy, ",", &rest); name && status == CLI_DONE; name = strtok_r(NULL, ",", &rest)) {
        int known = 0;
        for (int i = 0; i < x->pairs; i++) known += strcmp(x->pair[i].second, name) == 0;
        if (!known) status = add_place(x, command, name);
    }
    free(copy);
    if (status == CLI_DONE && x->pairs == 0) {
        if (command) pn_cli_report(command, "--contacts: expected ground, model or names of frames, got '%s'", list);
        return CLI_USAGE;
    }
    for (int i = 0; i < x->pairs && status == CLI_DONE; i++) {
        int first, shapes = pinion_model_link_collisions(x->m, x->pair[i].frame, &first);
        points += shapes ? shapes * PINION_PATCH_MOST : 1;
    }
    x->most = points;
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

int pn_cli_touch_begin(cli_touch *x, const char *command, const pinion_model *m, pinion_work *w, const char *what,
                       double gap, double friction)
{
    memset(x, 0, sizeof *x);
    x->m = m;
    x->w = w;
    x->gap = gap;
    x->friction = friction;
    const int ground = strcmp(what, "ground") == 0;
    int status = CLI_DONE;
    if (ground || strcmp(what, "model") == 0) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_scene_options o = pinion_scene_options_default();
        o.ground = ground;
        o.friction = friction;
        o.margin = isfinite(gap) ? gap : TOUCH_GAP;
        x->scene = pinion_scene_new(m, &o, &err);
        if (!x->scene) {
            if (command) pn_cli_report(command, "--contacts: %s", err.message);
            return CLI_FAILED;
        }
        const int pairs = pinion_scene_pair_count(x->scene);
        x->most = pairs > 64 ? 256 : 4 * pairs;
        if (pairs == 0 && command)
            pn_cli_report(command, "warning: the model has no collisions that could touch; --contacts FRAME,... names "
                                   "places");
    } else {
        status = add_places(x, command, what);
    }
    if (status != CLI_DONE) return status;
    x->point = calloc((size_t)x->most + 1, sizeof *x->point);
    x->pair_of = calloc((size_t)x->most + 1, sizeof *x->pair_of);
    return x->point && x->pair_of ? CLI_DONE : out_of_memory(command);
}

void pn_cli_touch_end(cli_touch *x)
{
    pinion_scene_free(x->scene);
    free(x->point);
    free(x->pair_of);
    free(x->ends);
    free(x->pair);
    memset(x, 0, sizeof *x);
}

/* the number of a scene's pair; -1 when there is none */
static int scene_pair(const cli_touch *x, int first, int second)
{
    for (int i = 0; i < pinion_scene_pair_count(x->scene); i++)
        if (x->ends[2 * i] == first && x->ends[2 * i + 1] == second) return i;
    return -1;
}

/* which collisions the scene's pairs are, once shapes are somewhere */
static pinion_status list_ends(cli_touch *x)
{
    const int pairs = pinion_scene_pair_count(x->scene);
    if (x->ends) return PINION_OK;
    x->ends = calloc(2 * (size_t)pairs + 1, sizeof *x->ends);
    if (!x->ends) return PINION_ERR_MEMORY;
    for (int i = 0; i < pairs; i++) {
        pinion_scene_pair p;
        const pinion_status status = pinion_scene_pair_at(x->scene, i, &p);
        if (status != PINION_OK) return status;
        x->ends[2 * i] = p.first;
        x->ends[2 * i + 1] = p.second;
    }
    return PINION_OK;
}

/* the pair that collisions belong to, new where they have not touched yet; -1 when out of memory */
static int pair_of_shapes(cli_touch *x, int first, int second)
{
    const int of_scene = scene_pair(x, first, second);
    for (int i = 0; i < x->pairs; i++)
        if (x->pair[i].scene_pair == of_scene) return i;
    touch_pair *p = add_pair(x, shape_name(x->m, first), shape_name(x->m, second));
    if (p) p->scene_pair = of_scene;
    return p ? x->pairs - 1 : -1;
}

static pinion_status touch_scene(cli_touch *x, const double *q)
{
    pinion_status status = pinion_scene_find(x->scene, x->w, q);
    if (status == PINION_OK) status = list_ends(x);
    if (status == PINION_OK) status = pinion_support_from_scene(x->scene, INFINITY, x->most, x->point, &x->count);
    if (status != PINION_OK) return status;
    int kept = 0;
    for (int i = 0; i < x->count; i++) {
        pinion_scene_contact c;
        if (pinion_scene_contact_at(x->scene, i, &c) != PINION_OK || c.at.gap > x->gap) continue;
        const int pair = pair_of_shapes(x, c.first, c.second);
        if (pair < 0) return PINION_ERR_MEMORY;
        x->pair_of[kept] = pair;
        x->point[kept++] = x->point[i];
    }
    x->count = kept;
    for (int i = 0; i < x->pairs; i++) {
        pinion_scene_pair p;
        status = pinion_scene_pair_at(x->scene, x->pair[i].scene_pair, &p);
        if (status != PINION_OK) return status;
        x->pair[i].gap = p.gap;
    }
    return PINION_OK;
}

/* ------------------------------------------------------------------------------------------------ */
/* Named places, on the plane z = 0 */

static void add_point(cli_touch *x, int pair, int link, const double at[3], double friction)
{
    pinion_support_point *p = &x->point[x->count];
    memset(p, 0, sizeof *p);
    p->first = -1;
    p->second = link;
    memcpy(p->point, at, sizeof p->point);
    p->normal[2] = 1;
    p->friction = friction;
    p->share = 1;
    x->pair_of[x->count++] = pair;
}

/* a shape of a link at its pose in the world */
static pinion_solid solid_at(const pinion_collision_info *c, const double position[3], const double R[9])
{
    pinion_solid s = {.shape = c->shape, .rows = c->rows, .columns = c->columns, .data = c->data};
    memcpy(s.size, c->size, sizeof s.size);
    pn_turn3(R, c->pose.position, s.pose.position);
    for (int k = 0; k < 3; k++) s.pose.position[k] += position[k];
    for (int i = 0; i < 9; i++)
        s.pose.rotation[i] = R[i / 3 * 3] * c->pose.rotation[i % 3] + R[i / 3 * 3 + 1] * c->pose.rotation[3 + i % 3] +
                             R[i / 3 * 3 + 2] * c->pose.rotation[6 + i % 3];
    return s;
}

static pinion_status touch_shape(cli_touch *x, int pair, const pinion_collision_info *c, const double position[3],
                                 const double R[9])
{
    const pinion_solid solid = solid_at(c, position, R), plane = {.shape = PINION_SHAPE_PLANE,
                                                                   .pose = pinion_pose_identity()};
    pinion_nearest near[PINION_PATCH_MOST];
    int count = 0;
    pinion_status status = pinion_shape_distance(&plane, &solid, near);
    if (status != PINION_OK) return status;
    x->pair[pair].gap = fmin(x->pair[pair].gap, near[0].gap);
    status = pinion_shape_patch(&plane, &solid, isfinite(x->gap) ? x->gap : 1e6, near, &count);
    for (int i = 0; i < count && status == PINION_OK; i++)
        add_point(x, pair, c->link, near[i].first, c->friction[0] >= 0 ? c->friction[0] : x->friction);
    return status;
}

static pinion_status touch_place(cli_touch *x, int pair, const double *q)
{
    touch_pair *p = &x->pair[pair];
    pinion_frame_info frame;
    double position[3], R[9];
    int first = 0;
    pinion_status status = pinion_frame_pose(x->m, x->w, q, p->frame, position, R);
    if (status == PINION_OK) status = pinion_model_frame(x->m, p->frame, &frame);
    if (status != PINION_OK) return status;
    const int shapes = pinion_model_link_collisions(x->m, p->frame, &first);
    p->gap = shapes ? INFINITY : position[2];
    for (int i = 0; i < shapes && status == PINION_OK; i++) {
        pinion_collision_info c;
        status = pinion_model_collision(x->m, first + i, &c);
        const int plane = c.shape == PINION_SHAPE_PLANE || c.shape == PINION_SHAPE_HEIGHT_FIELD;
        if (status == PINION_OK && !plane && !(c.shape == PINION_SHAPE_MESH && !c.data))
            status = touch_shape(x, pair, &c, position, R);
    }
    if (shapes || status != PINION_OK || p->gap > x->gap) return status;
    add_point(x, pair, frame.link, position, x->friction);
    return PINION_OK;
}

pinion_status pn_cli_touch_at(cli_touch *x, const double *q)
{
    x->count = 0;
    pinion_status status = x->scene ? touch_scene(x, q) : PINION_OK;
    for (int i = 0; i < x->pairs && !x->scene && status == PINION_OK; i++) status = touch_place(x, i, q);
    return status;
}

/* what a link is part of; 0: the base */
static int body_of(const cli_touch *x, int link)
{
    pinion_link_info info;
    return link >= 0 && pinion_model_link(x->m, link, &info) == PINION_OK ? info.body : 0;
}

int pn_cli_touch_outside(const cli_touch *x, int point)
{
    const pinion_support_point *p = &x->point[point];
    return body_of(x, p->first) == 0 || body_of(x, p->second) == 0;
}
