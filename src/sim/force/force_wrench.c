/* A wrench on a frame, at its origin: a constant, a sine or a table in time, between two instants. All of it
 * is power: a wrench has no potential, not even a constant force in the world's directions. */
#include "sim/force/force_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COOKIE 0x57524e31u

pinion_wrench_def pinion_wrench_def_default(void)
{
    return (pinion_wrench_def){.frame = -1, .start = -INFINITY, .end = INFINITY, .cookie = COOKIE};
}

/* The signal and its table. */
static int check_signal(const pn_element_id *id, const pinion_wrench_def *def)
{
    if (isnan(def->start) || def->start == INFINITY) return pn_element_fail(id, "start is not a time");
    if (isnan(def->end) || def->end == -INFINITY) return pn_element_fail(id, "end is not a time");
    if (def->end < def->start) return pn_element_fail(id, "end is before start");
    switch (def->signal) {
    case PINION_SIGNAL_CONSTANT: return 1;
    case PINION_SIGNAL_SINE:
        return pn_element_finite(id, "frequency", &def->frequency, 1) &&
               pn_element_finite(id, "phase", &def->phase, 1);
    case PINION_SIGNAL_TABLE: break;
    default: return pn_element_fail(id, "signal is not one of those there are");
    }
    if (def->count < 1)
        return pn_element_fail(id, "count is %d; expected a table of at least one instant", def->count);
    if (!def->t || !def->s)
        return pn_element_fail(id, "the table is missing: %s is NULL", def->t ? "s" : "t");
    for (int i = 0; i < def->count; i++) {
        if (!isfinite(def->t[i])) return pn_element_fail(id, "t[%d] is not a finite number", i);
        if (!isfinite(def->s[i])) return pn_element_fail(id, "s[%d] is not a finite number", i);
        if (i > 0 && !(def->t[i] > def->t[i - 1]))
            return pn_element_fail(id, "t[%d] is not after t[%d]; expected increasing times", i, i - 1);
    }
    return 1;
}

pinion_status pinion_forces_add_wrench(pinion_forces *f, const pinion_wrench_def *def, pinion_error *err)
{
    if (!f || !def) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "no list or no wrench was given");
        return PINION_ERR_ARGUMENT;
    }
    const pn_element_id id = {"wrench", def->name, err};
    if (!pn_element_begin(&id, def->cookie, COOKIE) || !pn_element_frame(&id, "frame", f, def->frame, 0) ||
        !pn_element_finite(&id, "wrench", def->wrench, 6))
        return PINION_ERR_ARGUMENT;
    if (def->reference != PINION_REFERENCE_LOCAL && def->reference != PINION_REFERENCE_WORLD_ALIGNED) {
        pn_element_fail(&id, "reference is not LOCAL or WORLD_ALIGNED");
        return PINION_ERR_ARGUMENT;
    }
    if (!check_signal(&id, def)) return PINION_ERR_ARGUMENT;

    /* times and values, one after the other */
    pn_element e = {.kind = PN_ELEMENT_WRENCH, .wrench = *def};
    e.wrench.name = NULL;
    e.wrench.t = e.wrench.s = NULL;
    if (def->signal == PINION_SIGNAL_TABLE) {
        const size_t count = (size_t)def->count;
        double *table = calloc(2 * count, sizeof *table);
        if (!table) {
            pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
            return PINION_ERR_MEMORY;
        }
        memcpy(table, def->t, count * sizeof *table);
        memcpy(table + count, def->s, count * sizeof *table);
        e.owned = table;
        e.wrench.t = table;
        e.wrench.s = table + count;
    }
    return pn_forces_append(f, &e, def->name, err);
}

/* How many instants of the table are not after t. */
static int passed(const pinion_wrench_def *p, double t)
{
    int low = 0, high = p->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (p->t[middle] <= t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* s(t), zero before the start and from the end on */
static double signal_at(const pinion_wrench_def *p, double t)
{
    if (!(t >= p->start && t < p->end)) return 0;
    if (p->signal == PINION_SIGNAL_CONSTANT) return 1;
    if (p->signal == PINION_SIGNAL_SINE) {
        const double since = isfinite(p->start) ? t - p->start : t;
        return sin(2 * M_PI * p->frequency * since + p->phase);
    }
    const int i = passed(p, t);
    if (i == 0) return p->s[0];
    if (i == p->count) return p->s[p->count - 1];
    const double part = (t - p->t[i - 1]) / (p->t[i] - p->t[i - 1]);
    return p->s[i - 1] + part * (p->s[i] - p->s[i - 1]);
}

double pn_wrench_break(const pn_element *e, double t)
{
    const pinion_wrench_def *p = &e->wrench;
    double first = p->start > t ? p->start : p->end > t ? p->end : INFINITY;
    if (p->signal == PINION_SIGNAL_TABLE) {
        const int i = passed(p, t);
        if (i < p->count && p->t[i] >= p->start && p->t[i] < p->end) first = fmin(first, p->t[i]);
    }
    return first;
}

/* In the world's directions. */
static void wrench_at(const pinion_wrench_def *p, const pn_scene *s, double moment[3], double force[3])
{
    const double amount = signal_at(p, s->t);
    for (int i = 0; i < 3; i++) {
        moment[i] = amount * p->wrench[i];
        force[i] = amount * p->wrench[3 + i];
    }
    if (p->reference != PINION_REFERENCE_LOCAL) return;
    pn_turn3(pn_scene_rotation(s, p->frame), moment, moment);
    pn_turn3(pn_scene_rotation(s, p->frame), force, force);
}

void pn_wrench_change(const pn_element *e, int part, const pn_scene *s, const pn_change c[2], pn_pull to[2])
{
    const pinion_wrench_def *p = &e->wrench;
    double moment[3], force[3], turned[3] = {0}, pushed[3] = {0};
    (void)part;
    wrench_at(p, s, moment, force);
    if (p->reference == PINION_REFERENCE_LOCAL) {
        pn_cross3(c->turn, moment, turned);
        pn_cross3(c->turn, force, pushed);
    }
    for (int i = 0; i < 3; i++) {
        to->f[i] += moment[i];
        to->f[3 + i] += force[i];
        to->change[i] += turned[i];
        to->change[3 + i] += pushed[i];
    }
}

void pn_wrench_act(const pn_element *e, pn_scene *s)
{
    static const double origin[3] = {0, 0, 0};
    const pinion_wrench_def *p = &e->wrench;
    double moment[3], force[3], x[3], u[3], w[3];
    wrench_at(p, s, moment, force);
    pn_scene_point(s, p->frame, origin, x, u);
    pn_scene_spin(s, p->frame, w);
    pn_scene_twist(s, p->frame, moment);
    pn_scene_push(s, p->frame, origin, force);
    s->power += pn_dot3(moment, w) + pn_dot3(force, u);
}
