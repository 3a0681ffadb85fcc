/* The list of force elements: what it holds, the model's motion at an instant, and the sum over the elements.
 */
#include "sim/force/force_list.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[PN_ELEMENT_KINDS] = {"spring", "wrench",     "drag",
                                                    "ground", "attraction", "function"};

#define NAME_MAX_BYTES 255

/* ---------------------------------------------------------------------------------------------
 * The list */

/* Which body each frame belongs to, and which link's frame stands for each body. */
static int read_structure(pinion_forces *f)
{
    for (int i = 0; i < f->frames; i++) {
        pinion_frame_info info;
        if (pinion_model_frame(f->m, i, &info) != PINION_OK) return 0;
        f->frame_body[i] = info.body;
    }
    for (int i = 0; i < f->bodies; i++) {
        pinion_body_info info;
        if (pinion_model_body(f->m, i, &info) != PINION_OK) return 0;
        f->body_link[i] = info.link;
    }
    return 1;
}

pinion_forces *pinion_forces_new(const pinion_model *m)
{
    pinion_forces *f = m ? calloc(1, sizeof *f) : NULL;
    if (!f) return NULL;
    f->m = m;
    f->frames = pinion_model_frame_count(m);
    f->bodies = pinion_model_body_count(m);
    const size_t frames = (size_t)f->frames + 1, bodies = (size_t)f->bodies + 1; /* never nothing */
    f->frame_body = calloc(frames, sizeof(int));
    f->body_link = calloc(bodies, sizeof(int));
    f->used = calloc(bodies, sizeof(int));
    f->position = calloc(frames, 3 * sizeof(double));
    f->rotation = calloc(frames, 9 * sizeof(double));
    f->twist = calloc(bodies, 6 * sizeof(double));
    if (f->frame_body && f->body_link && f->used && f->position && f->rotation && f->twist &&
        read_structure(f))
        return f;
    pinion_forces_free(f);
    return NULL;
}

void pinion_forces_free(pinion_forces *f)
{
    if (!f) return;
    for (int i = 0; i < f->count; i++) {
        free(f->element[i].name);
        free(f->element[i].owned);
    }
    free(f->element);
    pinion_model_free(f->loaded);
    free(f->frame_body);
    free(f->body_link);
    free(f->used);
    free(f->position);
    free(f->rotation);
    free(f->twist);
    free(f->derivatives);
    free(f);
}

int pinion_forces_count(const pinion_forces *f)
{
    return f ? f->count : 0;
}

const char *pinion_forces_name(const pinion_forces *f, int index)
{
    return f && index >= 0 && index < f->count ? f->element[index].name : NULL;
}

const pinion_model *pinion_forces_model(const pinion_forces *f)
{
    return !f ? NULL : f->heavy ? f->loaded : f->m;
}

/* The bodies an element acts on: adds `change` to how often each is asked for. */
static void count_bodies(pinion_forces *f, const pn_element *e, int change)
{
    for (int i = 0; i < f->bodies && e->kind == PN_ELEMENT_FUNCTION; i++) f->used[i] += change;
    if (e->kind == PN_ELEMENT_FUNCTION || e->kind == PN_ELEMENT_ATTRACTION) return; /* the latter needs no velocity */
    const int one[2] = {e->kind == PN_ELEMENT_SPRING   ? e->spring.frame_a
                        : e->kind == PN_ELEMENT_WRENCH ? e->wrench.frame
                                                       : e->drag.frame,
                        e->kind == PN_ELEMENT_SPRING ? e->spring.frame_b : -1};
    const int ground = e->kind == PN_ELEMENT_GROUND;
    const int *frame = ground ? e->ground.frame : one;
    for (int i = 0; i < (ground ? e->ground.count : 2); i++)
        if (frame[i] >= 0) f->used[f->frame_body[frame[i]]] += change;
}

/* A copy of the name, or the kind and the next number of it; NULL when out of memory. */
static char *name_of(const pinion_forces *f, pn_element_kind kind, const char *name)
{
    char made[32];
    if (!name || !*name) {
        int number = 1;
        for (int i = 0; i < f->count; i++) number += f->element[i].kind == kind;
        snprintf(made, sizeof made, "%s %d", words[kind], number);
        name = made;
    }
    const size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    if (copy) memcpy(copy, name, size);
    return copy;
}

/* Room for one element more. */
static int reserve(pinion_forces *f)
{
    if (f->count < f->capacity) return 1;
    if (f->capacity > (1 << 28)) return 0;
    const int capacity = f->capacity ? 2 * f->capacity : 8;
    pn_element *grown = realloc(f->element, (size_t)capacity * sizeof *grown);
    if (!grown) return 0;
    f->element = grown;
    f->capacity = capacity;
    return 1;
}

pinion_status pn_forces_append(pinion_forces *f, const pn_element *e, const char *name, pinion_error *err)
{
    char *copy = name_of(f, e->kind, name);
    if (!copy || !reserve(f)) {
        free(copy);
        free(e->owned);
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        return PINION_ERR_MEMORY;
    }
    pn_element *slot = &f->element[f->count++];
    *slot = *e;
    slot->name = copy;
    count_bodies(f, slot, 1);
    return PINION_OK;
}

/* Nonzero when the element has added mass. */
static int is_heavy(const pn_element *e)
{
    return e->kind == PN_ELEMENT_DRAG && e->drag.added_mass > 0;
}

void pn_forces_cut(pinion_forces *f, int count)
{
    while (f->count > count) {
        pn_element last = f->element[--f->count];
        count_bodies(f, &last, -1);
        if (is_heavy(&last) && f->loaded) {
            pinion_frame_info info;
            f->heavy--;
            if (pinion_model_frame(f->m, last.drag.frame, &info) == PINION_OK) pn_drag_load(f, info.link);
        }
        free(last.name);
        free(last.owned);
    }
}

double pn_forces_break(const pinion_forces *f, double t)
{
    double first = INFINITY;
    for (int i = 0; i < f->count; i++)
        if (f->element[i].kind == PN_ELEMENT_WRENCH) first = fmin(first, pn_wrench_break(&f->element[i], t));
    return first;
}

/* ---------------------------------------------------------------------------------------------
 * An instant */

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

const double *pn_scene_rotation(const pn_scene *s, int frame)
{
    return frame < 0 ? identity : s->f->rotation + 9 * (size_t)frame;
}

void pn_scene_spin(const pn_scene *s, int frame, double w[3])
{
    const double *twist = frame < 0 ? NULL : s->f->twist + 6 * (size_t)s->f->frame_body[frame];
    for (int i = 0; i < 3; i++) w[i] = twist ? twist[i] : 0;
}

void pn_scene_point(const pn_scene *s, int frame, const double local[3], double x[3], double u[3])
{
    if (frame < 0) {
        for (int i = 0; i < 3; i++) x[i] = local[i], u[i] = 0;
        return;
    }
    const pinion_forces *f = s->f;
    pn_turn3(f->rotation + 9 * (size_t)frame, local, x);
    for (int i = 0; i < 3; i++) x[i] += f->position[3 * (size_t)frame + (size_t)i];

    /* the base has a velocity of zero, whatever stands for it */
    const int body = f->frame_body[frame];
    const double *twist = f->twist + 6 * (size_t)body;
    const double *origin = f->position + 3 * (size_t)(body > 0 ? f->body_link[body] : frame);
    const double arm[3] = {x[0] - origin[0], x[1] - origin[1], x[2] - origin[2]};
    pn_cross3(twist, arm, u);
    for (int i = 0; i < 3; i++) u[i] += twist[3 + i];
}

/* Adds a force given in the frame's own directions, at its origin. */
static void add(pn_scene *s, int frame, const double force[6])
{
    /* the frame was checked when the element was added, so that this cannot fail */
    if (pinion_force_on_frame(s->f->m, frame, force, s->f_ext) != PINION_OK) return;
}

void pn_scene_push(pn_scene *s, int frame, const double local[3], const double force[3])
{
    double own[6];
    if (frame < 0 || !s->f_ext) return;
    pn_turn3_back(pn_scene_rotation(s, frame), force, own + 3);
    pn_cross3(local, own + 3, own);
    add(s, frame, own);
}

void pn_scene_twist(pn_scene *s, int frame, const double moment[3])
{
    double own[6] = {0};
    if (frame < 0 || !s->f_ext) return;
    pn_turn3_back(pn_scene_rotation(s, frame), moment, own);
    add(s, frame, own);
}

pinion_status pn_forces_move(pinion_forces *f, pinion_work *w, const double *q, const double *v)
{
    pinion_status status = pinion_frames(f->m, w, q, f->position, f->rotation);
    for (int i = 1; i < f->bodies && status == PINION_OK; i++) {
        double *twist = f->twist + 6 * (size_t)i;
        if (!v)
            memset(twist, 0, 6 * sizeof *twist);
        else if (f->used[i])
            status = pinion_frame_velocity(f->m, w, q, v, f->body_link[i], PINION_REFERENCE_WORLD_ALIGNED, twist);
    }
    return status;
}

pinion_status pinion_forces_apply(pinion_forces *f, pinion_work *w, double t, const double *q,
                                  const double *v, double *f_ext, double *potential, double *power)
{
    static void (*const act[PN_ELEMENT_KINDS])(const pn_element *, pn_scene *) = {
        pn_spring_act, pn_wrench_act, pn_drag_act, pn_ground_act, pn_attraction_act, pn_function_act};
    if (!f || !w || !q) return PINION_ERR_ARGUMENT;
    pn_scene s = {.f = f, .t = t, .f_ext = f_ext};
    if (f->count > 0) {
        pinion_status status = pn_forces_move(f, w, q, v);
        for (int i = 0; i < f->count && status == PINION_OK && (f_ext || power); i++)
            if (f->element[i].kind == PN_ELEMENT_FUNCTION) status = pn_function_ask(&f->element[i], f, t, q, v);
        if (status != PINION_OK) return status;
    }
    s.forces = f_ext || power;
    pinion_model_gravity(f->m, s.gravity);
    for (int i = 0; i < f->count; i++) act[f->element[i].kind](&f->element[i], &s);
    if (potential) *potential = s.potential;
    if (power) *power = s.power;
    return PINION_OK;
}

/* ---------------------------------------------------------------------------------------------
 * Points of grounds */

int pinion_forces_point_count(const pinion_forces *f)
{
    int count = 0;
    for (int i = 0; f && i < f->count; i++)
        if (f->element[i].kind == PN_ELEMENT_GROUND) count += f->element[i].ground.count;
    return count;
}

pinion_status pinion_forces_point(const pinion_forces *f, int index, pinion_ground_point *out)
{
    for (int i = 0; f && out && index >= 0 && i < f->count; i++) {
        const pn_element *e = &f->element[i];
        if (e->kind != PN_ELEMENT_GROUND) continue;
        if (index < e->ground.count) {
            *out = (pinion_ground_point){e->name, e->ground.frame[index]};
            return PINION_OK;
        }
        index -= e->ground.count;
    }
    return PINION_ERR_ARGUMENT;
}

pinion_status pinion_forces_on_points(pinion_forces *f, pinion_work *w, const double *q, const double *v, int count,
                                      double *force, double *gap)
{
    if (!f || !w || !q || count < 0 || count > pinion_forces_point_count(f) || (count && (!force || !gap)))
        return PINION_ERR_ARGUMENT;
    pn_scene s = {.f = f};
    const pinion_status status = count ? pn_forces_move(f, w, q, v) : PINION_OK;
    int at = 0;
    for (int i = 0; i < f->count && status == PINION_OK; i++) {
        const pn_element *e = &f->element[i];
        for (int k = 0; e->kind == PN_ELEMENT_GROUND && k < e->ground.count && at < count; k++, at++)
            pn_ground_touch(&e->ground, e->ground.frame[k], &s, force + 3 * (size_t)at, gap + at);
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Checks of defs */

int pn_element_fail(const pn_element_id *id, const char *format, ...)
{
    char what[300], name[64] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (id->name && *id->name) snprintf(name, sizeof name, " \"%.50s\"", id->name);
    pn_error_set(id->err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s%s: %s", id->word, name, what);
    return 0;
}

int pn_element_begin(const pn_element_id *id, uint32_t cookie, uint32_t expected)
{
    if (cookie != expected) {
        const pn_element_id unnamed = {id->word, NULL, id->err};
        return pn_element_fail(
            &unnamed, "the def was not started from its default; expected pinion_%s_def_default()", id->word);
    }
    if (id->name && strlen(id->name) > NAME_MAX_BYTES)
        return pn_element_fail(id, "name is too long; expected at most %d bytes", NAME_MAX_BYTES);
    return 1;
}

int pn_element_frame(const pn_element_id *id, const char *argument, const pinion_forces *f, int frame,
                     int world)
{
    static const double none[6] = {0};
    if (frame >= (world ? -1 : 0) && frame < f->frames) {
        /* f_ext has bodies alone: a place of an elastic link to which nothing is fixed is none; twist is as large */
        if (frame < 0 || pinion_force_on_frame(f->m, frame, none, f->twist) == PINION_OK) return 1;
        pinion_frame_info info;
        if (pinion_model_frame(f->m, frame, &info) != PINION_OK) info.name = "";
        return pn_element_fail(id, "%s \"%.60s\" is on an elastic link; expected a link that is fixed there", argument,
                               info.name);
    }
    if (frame == -1)
        return pn_element_fail(id, "%s is the world, which nothing moves; expected a frame", argument);
    return pn_element_fail(id, "%s %d is out of range; the model has frames 0 to %d%s", argument, frame,
                           f->frames - 1, world ? ", and -1 is the world" : "");
}

int pn_element_finite(const pn_element_id *id, const char *argument, const double *x, int count)
{
    int finite = 1;
    for (int i = 0; i < count; i++) finite = finite && isfinite(x[i]);
    if (finite) return 1;
    return count > 1 ? pn_element_fail(id, "%s is not %d finite numbers", argument, count)
                     : pn_element_fail(id, "%s is not a finite number", argument);
}

int pn_element_magnitude(const pn_element_id *id, const char *argument, double x)
{
    if (!pn_element_finite(id, argument, &x, 1)) return 0;
    return x >= 0 || pn_element_fail(id, "%s is negative; expected a number of at least 0", argument);
}
