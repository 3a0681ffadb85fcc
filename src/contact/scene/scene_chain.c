/* Impacts that bring about others within a step: the balls of a cradle, a ball between two walls. Along the
 * velocities after an impact gaps close in straight lines; the next one that does, faster than what counts as
 * slow, is an impact of its own, from the velocities that it is met with, until the step is over or nothing
 * closes any more. Contacts that wait for their time take no part meanwhile: as constraints they would stop
 * what is to bounce. Places move on with the velocities at the end, as with one impact, which is up to a step
 * early. */
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "contact/scene/scene_parts.h"

#define MOST 100     /* impacts after the first, one after the other; then what closes stops */
#define AT_ONCE 1e-6 /* of a step: impacts that are no farther apart are one */

static int bounces(const pinion_scene *s, int i)
{
    return s->contact[i].restitution > 0 && s->off[3 * i] > 0;
}

/* Whether a contact is an impact, or closes slowly, by itself */
static int closes_by_itself(const pinion_scene *s, int i, double h)
{
    return s->off[3 * i] + h * fmin(s->start[3 * i], s->free[3 * i]) <= 0;
}

int pn_scene_wait(pinion_scene *s, const pn_scene_wish *by)
{
    int impacts = 0, waiting = 0;
    memset(s->part, PN_PART_OWN, (size_t)s->blocks);
    for (int i = 0; i < s->count && s->gliding; i++) {
        double speed;
        if (s->off[3 * i] > 0 && pn_scene_meets(s, i, s->at_v, &speed)) s->part[i] = PN_PART_NONE;
    }
    if (s->gliding) return 0;
    for (int i = 0; i < s->count && !(s->options.compliance > 0); i++) /* springs wait for nothing */
        impacts |=
            s->contact[i].restitution > 0 && s->start[3 * i] < -by->slow && closes_by_itself(s, i, by->h);
    for (int i = 0; i < s->count && impacts; i++) {
        if (!bounces(s, i) || closes_by_itself(s, i, by->h)) continue;
        s->part[i] = PN_PART_NONE;
        waiting = 1;
    }
    return waiting;
}

/* the time of the first of the impacts that begin a chain */
static double first_time(const pinion_scene *s, const pn_scene_wish *by)
{
    double first = by->h;
    for (int i = 0; i < s->count; i++) {
        const double speed = fmin(s->start[3 * i], s->free[3 * i]);
        if (bounces(s, i) && s->part[i] == PN_PART_OWN && s->start[3 * i] < -by->slow && speed < 0)
            first = fmin(first, s->off[3 * i] / -speed);
    }
    return first;
}

/* velocities after the impulses that were found, and their work; gaps at the time of the impact */
static void go_on(pinion_scene *s, double time, pinion_scene_report *all)
{
    for (int i = 0; i < s->count; i++) s->gap[3 * i] = fmax(0, s->gap[3 * i] + time * s->free[3 * i]);
    pn_scene_change(s, s->lambda, s->frame);
    for (int k = 0; k < s->nv; k++) s->chained[k] += s->frame[k];
    for (int i = 0; i < s->rows; i++) {
        const double after = pn_dot(s->nv, s->J + (size_t)i * (size_t)s->nv, s->chained);
        all->work += 0.5 * s->lambda[i] * (s->start[i] + after);
        s->start[i] = s->free[i] = after;
        s->sum[i] += s->lambda[i];
    }
}

/* when contact i closes along its velocity; beyond the time that is left: not in this step */
static double closes(const pinion_scene *s, int i, double slow)
{
    const double u = s->free[3 * i];
    return bounces(s, i) && u < -slow ? s->gap[3 * i] / -u : INFINITY;
}

/* Who takes part in the impact at a time, which is negative where there is none: then what closes slowly
 * stops. Springs and friction of joints have acted. Returns whether there is anything to do. */
static int find_parts(pinion_scene *s, const pn_scene_wish *by, double time, double left)
{
    int any = time >= 0;
    for (int i = 0; i < s->blocks; i++) {
        if (i >= s->count) {
            s->part[i] =
                s->law[i] == PINION_CONTACT_FRICTION || pn_scene_is_spring(s, i) ? PN_PART_NONE : PN_PART_OWN;
            continue;
        }
        const double u = s->free[3 * i], when = closes(s, i, by->slow);
        const int slow = u >= -by->slow && s->gap[3 * i] + left * u < 0;
        s->part[i] = !bounces(s, i)                                ? PN_PART_HOLDS
                     : time >= 0 && when <= time + AT_ONCE * by->h ? PN_PART_BOUNCES
                     : time < 0 && slow                            ? PN_PART_HOLDS
                                                                   : PN_PART_NONE;
        any |= time < 0 && slow && bounces(s, i);
    }
    return any;
}

/* solves it, and adds to what the report of the step has */
static void strike(pinion_scene *s, pn_scene_wish by, pinion_scene_report *all)
{
    pinion_scene_report r;
    const double most = pn_scene_energy_lost(s, s->chained, s->chained);
    memset(&r, 0, sizeof r);
    pn_scene_matrix(s);
    (void)pn_scene_bound(s, &by, pn_scene_solve_for(s, &by, &r), most, &r);
    all->impacts += r.impacts;
    all->bounded |= r.bounded;
    all->softened |= r.softened;
    all->solved &= r.solved;
    if (!(r.solution.residuals.natural < all->solution.residuals.natural)) all->solution = r.solution;
}

/* velocities of rows at the end, with what gaps still allow for */
static void end_chain(pinion_scene *s, double h)
{
    memset(s->part, PN_PART_OWN, (size_t)s->blocks);
    memcpy(s->lambda, s->sum, (size_t)s->rows * sizeof *s->sum);
    pn_scene_matrix(s);
    for (int i = 0; i < s->blocks; i++) {
        const int row = i < s->count ? 3 * i : 2 * s->count + i;
        const int open =
            (s->law[i] == PINION_CONTACT_COULOMB || s->law[i] == PINION_CONTACT_LIMIT) && s->off[row] > 0;
        for (int k = row; k < row + (i < s->count ? 3 : 1); k++) s->u[k] = s->free[k];
        if (open) s->u[row] += s->off[row] / h;
        if (s->law[i] == PINION_CONTACT_EQUALITY) s->u[row] = 0; /* closed by each of the impacts */
    }
}

int pn_scene_chain(pinion_scene *s, pn_scene_wish by, const double *v_free, pinion_scene_report *r)
{
    double time = first_time(s, &by), left = by.h;
    int chained = 0;
    memcpy(s->gap, s->off, (size_t)s->rows * sizeof *s->off);
    memset(s->sum, 0, (size_t)s->rows * sizeof *s->sum);
    memcpy(s->chained, v_free, (size_t)s->nv * sizeof *v_free);
    r->work = 0;
    by.again = 1;
    for (int k = 0;; k++) {
        go_on(s, time, r);
        for (int i = 0; i < s->count && k == 0; i++)
            chained |= s->part[i] == PN_PART_NONE && s->off[3 * i] + by.h * s->free[3 * i] < 0;
        if (!chained) break;
        left -= time;
        time = left;
        for (int i = 0; i < s->count; i++) time = fmin(time, closes(s, i, by.slow));
        if (time < left && k == MOST) { /* what closes is slow, however fast */
            by.slow = INFINITY;
            r->bounded = 1;
        }
        if (!(time < left) || k == MOST) break;
        (void)find_parts(s, &by, time, left);
        strike(s, by, r);
    }
    if (chained && find_parts(s, &by, -1, left)) {
        strike(s, by, r);
        go_on(s, 0, r);
    }
    end_chain(s, by.h);
    return chained;
}
