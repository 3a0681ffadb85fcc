/* Events: what is watched along a motion, and in which words it is reported. */
#include "sim/run/driver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SHOWN 80 /* bytes of a name in a text */

pinion_event_def pinion_event_def_default(void)
{
    pinion_event_def def;
    memset(&def, 0, sizeof def);
    def.index = -1;
    def.normal[2] = 1;
    def.cookie = PN_COOKIE_EVENT;
    return def;
}

void pn_events_free(pn_events *e)
{
    for (int i = 0; i < e->count; i++) {
        free(e->watch[i].text[0]);
        free(e->watch[i].text[1]);
    }
    pinion_elements_free(e->lengths);
    free(e->watch);
    free(e->side);
    free(e->behind);
    free(e->samples);
    free(e->crossing);
    memset(e, 0, sizeof *e);
}

/* ---------------------------------------------------------------------------------------------
 * Adding */

static char *copy_text(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

/* Room for one watch more, in every array. */
static int reserve(pn_events *e)
{
    const size_t count = (size_t)e->count + 1;
    pn_watch *watch = realloc(e->watch, count * sizeof *watch);
    if (watch) e->watch = watch;
    int *side = realloc(e->side, count * sizeof *side);
    if (side) e->side = side;
    int *behind = realloc(e->behind, count * sizeof *behind);
    if (behind) e->behind = behind;
    double *samples = realloc(e->samples, (PN_EVENT_PARTS + 1) * count * sizeof *samples);
    if (samples) e->samples = samples;
    return watch && side && behind && samples;
}

/* Adds a watch with its two texts. Returns 0 when out of memory. */
static int add_watch(pn_events *e, const pn_watch *watch, const char *falls, const char *rises)
{
    if (!reserve(e)) return 0;
    pn_watch *slot = &e->watch[e->count];
    *slot = *watch;
    slot->text[0] = copy_text(falls);
    slot->text[1] = copy_text(rises);
    if (!slot->text[0] || !slot->text[1]) {
        free(slot->text[0]);
        free(slot->text[1]);
        return 0;
    }
    e->side[e->count] = e->behind[e->count] = 0;
    e->count++;
    return 1;
}

/* Takes off the last watches until `count` are left. */
static void take_off(pn_events *e, int count)
{
    while (e->count > count) {
        e->count--;
        free(e->watch[e->count].text[0]);
        free(e->watch[e->count].text[1]);
    }
}

/* Watches one limit, the upper one or the lower one, of what is called `name` and `which`. 0 when out of memory. */
static int add_limit(pinion_sim *s, pn_watch *watch, const char *name, const char *which, int upper)
{
    char rises[NAME_SHOWN + 80], falls[NAME_SHOWN + 80];
    const char *word = upper ? "upper" : "lower";
    snprintf(rises, sizeof rises, "%.*s%s reaches its %s limit", NAME_SHOWN, name, which, word);
    snprintf(falls, sizeof falls, "%.*s%s is back from its %s limit", NAME_SHOWN, name, which, word);
    return add_watch(&s->events, watch, falls, rises);
}

/* Watches the limits of one joint that are finite. Returns how many, -1 when out of memory. */
static int add_joint(pinion_sim *s, const pinion_joint_info *joint, pn_watch *watch)
{
    int added = 0;
    if (pinion_joint_type_nq(joint->type) != joint->dof_count) return 0; /* coordinates that are no angles */
    for (int dof = 0; dof < joint->dof_count; dof++) {
        watch->index = joint->q_source + dof;
        for (int upper = 0; upper < 2; upper++) {
            const double limit = upper ? joint->dof[dof].upper : joint->dof[dof].lower;
            if (!isfinite(limit)) continue;
            char which[32] = "";
            if (joint->dof_count > 1) snprintf(which, sizeof which, " (coordinate %d)", dof);
            watch->scale = upper ? joint->multiplier : -joint->multiplier;
            watch->offset = upper ? joint->offset - limit : limit - joint->offset;
            if (!add_limit(s, watch, joint->name, which, upper)) return -1;
            added++;
        }
    }
    return added;
}

/* The same of a tendon. */
static int add_tendon(pinion_sim *s, int index, const pinion_tendon_info *tendon, pn_watch *watch)
{
    int added = 0;
    watch->tendon = 1;
    watch->index = index;
    for (int upper = 0; upper < 2; upper++) {
        if (!isfinite(tendon->limits[upper])) continue;
        if (!s->events.lengths && !(s->events.lengths = pinion_elements_new(s->plant.m))) return -1;
        watch->scale = upper ? 1 : -1;
        watch->offset = -watch->scale * tendon->limits[upper];
        if (!add_limit(s, watch, tendon->name, "", upper)) return -1;
        added++;
    }
    return added;
}

static pinion_status add_limits(pinion_sim *s, const pinion_event_def *def, pn_watch *watch,
                                pinion_error *err)
{
    const pinion_model *m = s->plant.m;
    const int joints = pinion_model_joint_count(m), all = joints + pinion_model_tendon_count(m),
              first = def->index < 0 ? 0 : def->index;
    if (def->index < -1 || def->index >= all)
        return pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0,
                            "joint %d is out of range; the model has %d, and behind them %d tendons", def->index,
                            joints, all - joints);
    int added = 0;
    pinion_joint_info joint = {0};
    pinion_tendon_info tendon = {0};
    for (int i = first; i < (def->index < 0 ? all : first + 1); i++) {
        const int here = i < joints ? pinion_model_joint(m, i, &joint) == PINION_OK ? add_joint(s, &joint, watch) : 0
                         : pinion_model_tendon(m, i - joints, &tendon) == PINION_OK
                             ? add_tendon(s, i - joints, &tendon, watch)
                             : 0;
        if (here < 0) return PINION_ERR_MEMORY;
        added += here;
    }
    if (added) return PINION_OK;
    if (def->index < 0)
        return pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "no joint of the model has a position limit%s",
                            all > joints ? ", and no tendon one" : "");
    return pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s '%.80s' has no position limit",
                        first < joints ? "joint" : "tendon", first < joints ? joint.name : tendon.name);
}

static pinion_status add_plane(pinion_sim *s, const pinion_event_def *def, pn_watch *watch, pinion_error *err)
{
    char rises[NAME_SHOWN + 180], falls[NAME_SHOWN + 180];
    pinion_frame_info frame;
    const double *n = def->normal, length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const char *problem =
        pinion_model_frame(s->plant.m, def->index, &frame) != PINION_OK ? "the frame is out of range"
        : !(length > 0) || !isfinite(length) ? "the plane's normal is not three finite numbers, not all 0"
                                             : NULL;
    if (problem) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s", problem);
        return PINION_ERR_ARGUMENT;
    }
    for (int i = 0; i < 3; i++) watch->normal[i] = n[i] / length;

    /* "tool falls through the plane 0,0,1 at 0.2 m": several planes must not look alike */
    pn_text plane = {0};
    for (int i = 0; i < 3; i++) {
        pn_text_append(&plane, i ? "," : "through the plane ");
        pn_text_number(&plane, n[i]);
    }
    pn_text_append(&plane, " at ");
    pn_text_number(&plane, def->height);
    char *text = pn_text_take(&plane);
    if (!text) return PINION_ERR_MEMORY;
    snprintf(rises, sizeof rises, "%.*s rises %s m", NAME_SHOWN, frame.name, text);
    snprintf(falls, sizeof falls, "%.*s falls %s m", NAME_SHOWN, frame.name, text);
    free(text);
    return add_watch(&s->events, watch, falls, rises) ? PINION_OK : PINION_ERR_MEMORY;
}

static pinion_status add_threshold(pinion_sim *s, const pinion_event_def *def, pn_watch *watch)
{
    const char *what = def->kind == PINION_EVENT_ENERGY    ? "the energy"
                       : def->kind == PINION_EVENT_KINETIC ? "the kinetic energy"
                       : def->name                         ? def->name
                                                           : "the function";
    const char *unit = def->kind == PINION_EVENT_FUNCTION ? "" : " J";
    char rises[NAME_SHOWN + 100], falls[NAME_SHOWN + 100];
    pn_text height = {0};
    pn_text_number(&height, def->height);
    char *text = pn_text_take(&height);
    if (!text) return PINION_ERR_MEMORY;
    snprintf(rises, sizeof rises, "%.*s rises above %s%s", NAME_SHOWN, what, text, unit);
    snprintf(falls, sizeof falls, "%.*s falls below %s%s", NAME_SHOWN, what, text, unit);
    free(text);
    return add_watch(&s->events, watch, falls, rises) ? PINION_OK : PINION_ERR_MEMORY;
}

pinion_status pinion_sim_add_event(pinion_sim *s, const pinion_event_def *def, pinion_error *err)
{
    const char *problem = !s || !def ? "the simulation or the def is missing"
                          : def->cookie != PN_COOKIE_EVENT
                              ? "the def was not started from pinion_event_def_default()"
                          : s->started ? "events are added before the simulation starts"
                          : (unsigned)def->kind >= PINION_EVENT_KIND_COUNT ? "there is no such kind"
                          : def->direction < -1 || def->direction > 1      ? "the direction is not -1, 0 or 1"
                          : !isfinite(def->height)                         ? "the height is not finite"
                          : def->kind == PINION_EVENT_FUNCTION && !def->function ? "the function is missing"
                                                                                 : NULL;
    if (problem) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s", problem);
        return PINION_ERR_ARGUMENT;
    }

    const int before = s->events.count;
    pn_watch watch;
    memset(&watch, 0, sizeof watch);
    watch.event = s->events.events;
    watch.kind = def->kind;
    watch.index = def->index;
    watch.height = def->height;
    watch.direction = def->direction;
    watch.stop = def->stop != 0;
    watch.function = def->function;
    watch.user = def->user;
    pinion_status status = def->kind == PINION_EVENT_LIMIT   ? add_limits(s, def, &watch, err)
                           : def->kind == PINION_EVENT_PLANE ? add_plane(s, def, &watch, err)
                                                             : add_threshold(s, def, &watch);
    if (status == PINION_OK) {
        s->events.events++;
        return PINION_OK;
    }
    if (status == PINION_ERR_MEMORY) pn_error_set(err, status, NULL, 0, 0, "out of memory");
    take_off(&s->events, before);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Values */

/* The value of one watch at the state in event_q and event_v. */
static pinion_status value_at(pinion_sim *s, const pn_watch *w, double t, double *value)
{
    double position[3], rotation[9], kinetic = 0, potential = 0, length = 0;
    pinion_status status = PINION_OK;
    switch (w->kind) {
    case PINION_EVENT_LIMIT:
        if (w->tendon)
            status = pinion_tendon_length(s->events.lengths, s->plant.w, s->event_q, NULL, w->index, &length, NULL);
        *value = w->scale * (w->tendon ? length : s->event_q[w->index]) + w->offset;
        break;
    case PINION_EVENT_PLANE:
        status = pinion_frame_pose(s->plant.m, s->plant.w, s->event_q, w->index, position, rotation);
        if (status == PINION_OK)
            *value = w->normal[0] * position[0] + w->normal[1] * position[1] + w->normal[2] * position[2] -
                     w->height;
        break;
    case PINION_EVENT_FUNCTION:
        status = w->function(w->user, t, s->event_q, s->event_v, value);
        *value -= w->height;
        break;
    default:
        status = pn_plant_energy(&s->plant, t, s->event_q, s->event_v, &kinetic, &potential);
        if (status == PINION_OK)
            *value = kinetic + (w->kind == PINION_EVENT_ENERGY ? potential : 0) - w->height;
        break;
    }
    return status;
}

pinion_status pn_event_value(pinion_sim *s, const pn_watch *watch, double t, double *value)
{
    pinion_status status = pn_stepper_at(s->stepper, t, s->event_q, s->event_v, NULL);
    return status == PINION_OK ? value_at(s, watch, t, value) : status;
}

pinion_status pn_event_values(pinion_sim *s, double t, double *values)
{
    pinion_status status = pn_stepper_at(s->stepper, t, s->event_q, s->event_v, NULL);
    for (int i = 0; i < s->events.count && status == PINION_OK; i++)
        status = value_at(s, &s->events.watch[i], t, &values[i]);
    return status;
}
