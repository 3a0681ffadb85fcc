/* A step with contact, at the velocity level (Moreau 1988; Stewart & Trinkle 1996): the velocity without contact is
 * corrected by the impulses that the contact problem gives. */
#include <limits.h>
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "contact/scene/scene_parts.h"

#define HALVINGS 8 /* of a restitution that adds energy, before it is left out */
#define SLOW 3     /* times the speed that gravity gives in a step: what comes slower than this does not bounce */
#define ROUNDED 1e-12  /* of what velocities are sums of: less is rounding, and no step is to be solved better */
#define SOFT 1e-6      /* of the diagonal: compliance where the rigid problem is not solved, and the tolerance then */
#define ODD 1e-3       /* of the largest |g|: what such a solution may be off by in the rigid problem */
#define LONGER 5       /* times the iterations, then */
#define PUSH 1.0   /* m/s at most to take a penetration back */
#define SWEEPS 30      /* for it, */
#define STILL 1e-9     /* m/s: and when they change nothing any more */
#define FELT 1e-9      /* rad or m: less is not worth a word */
#define FARTHEST 0.02  /* rad or m at most that any coordinate moves for it in a step: levers may be short */

int pn_scene_is_spring(const pinion_scene *s, int i)
{
    if (i < s->count) return s->options.compliance > 0;
    return s->law[i] == PINION_CONTACT_LIMIT && pn_scene_soft_stops(s);
}

/* what is added to the velocity without contact of a block's first row */
static double extra(const pinion_scene *s, int i, const pn_scene_wish *by, int *impacts)
{
    const int row = i < s->count ? 3 * i : 2 * s->count + i;
    const double off = s->off[row], back = by->take ? fmax(-PUSH, fmin(PUSH, by->recover * off / by->h)) : 0;
    const double k = s->options.limit_stiffness, c = s->options.limit_damping;
    if (s->law[i] == PINION_CONTACT_FRICTION) return 0;
    if (pn_scene_is_spring(s, i) && off < 0) return i < s->count ? off / by->h : k * off / (k * by->h + c);
    if (s->law[i] == PINION_CONTACT_EQUALITY)
        return (by->recover > 0 ? fmax(-PUSH, fmin(PUSH, off / by->h)) : 0) + s->phi[s->loop_rows + row - 3 * s->count];
    const int part = i < s->count ? s->part[i] : PN_PART_HOLDS;
    /* it bounces in the step in which it would close, from where it is */
    if (part == PN_PART_BOUNCES ||
        (part == PN_PART_OWN && s->contact[i].restitution > 0 && s->start[row] < -by->slow &&
         off + by->h * fmin(s->start[row], s->free[row]) <= 0)) {
        ++*impacts;
        return by->bounce * s->contact[i].restitution * s->start[row];
    }
    if (by->again && i < s->count && s->contact[i].restitution > 0 && off > 0) return fmax(0, s->gap[row]) / by->h;
    return off > 0 ? off / by->h : back;
}

/* a block that takes no part: its rows have nothing to do with others, and are at rest */
static void take_out(pinion_scene *s, int i)
{
    const int first = i < s->count ? 3 * i : 2 * s->count + i;
    for (int row = first; row < first + (i < s->count ? 3 : 1); row++) {
        for (int k = 0; k < s->rows; k++)
            if (k != row) s->G[row * s->rows + k] = s->G[k * s->rows + row] = 0;
        s->g[row] = s->effect[row] = 0;
    }
}

/* g of all rows; without the impulses of friction that act either way, into s->effect */
static void fill_g(pinion_scene *s, const pn_scene_wish *by, int *impacts)
{
    *impacts = 0;
    memcpy(s->effect, s->free, (size_t)s->rows * sizeof *s->free);
    for (int i = 0; i < s->blocks; i++)
        s->effect[i < s->count ? 3 * i : 2 * s->count + i] += extra(s, i, by, impacts);
    memcpy(s->g, s->effect, (size_t)s->rows * sizeof *s->g);
    for (int i = s->count; i < s->blocks; i++) {
        const int row = 2 * s->count + i;
        if (s->law[i] != PINION_CONTACT_FRICTION || s->off[row] == 0 || s->part[i] == PN_PART_NONE) continue;
        for (int k = 0; k < s->rows; k++) s->g[k] += s->off[row] * s->G[row * s->rows + k];
    }
    for (int i = 0; i < s->blocks; i++)
        if (s->part[i] == PN_PART_NONE) take_out(s, i);
}

double pn_scene_energy_lost(pinion_scene *s, const double *v, const double *v_free)
{
    double *x = s->frame, *y = s->frame + s->nv, twice = 0, size = 0;
    for (int k = 0; k < s->nv; k++) x[k] = v[k] + v_free[k];
    pn_scene_multiply(s, x, y);
    for (int k = 0; k < s->nv; k++) {
        twice += (v[k] - v_free[k]) * y[k];
        size += fabs(x[k] * y[k]);
    }
    return fmax(0, 0.5 * twice) + 1e-9 * size;
}

/* The problem with a little compliance. Where the rigid one is at odds with itself by rounding, as with patches of
 * points that move as one, this has a solution that solvers find. Whether they did; residuals are the rigid one's. */
static int solve_softened(pinion_scene *s, const pinion_contact_problem *rigid, const pinion_contact_options *o,
                          pinion_contact_solution *solution)
{
    double *R = s->soft, largest = 0;
    pinion_contact_problem p = *rigid;
    p.R = R;
    for (int i = 0, row = 0; i < s->blocks; i++) {
        const int size = i < s->count ? 3 : 1;
        double mean = 0;
        for (int k = row; k < row + size; k++) mean += s->G[k * s->rows + k] / size;
        for (int k = row; k < row + size; k++) R[k] = fmax(SOFT * mean, rigid->R ? rigid->R[k] : 0);
        row += size;
    }
    pinion_contact_options longer = *o;
    longer.tolerance = fmax(o->tolerance, SOFT);
    longer.iterations = o->iterations < INT_MAX / LONGER ? LONGER * o->iterations : INT_MAX;
    const pinion_status status = pinion_contact_solve(s->work, &p, &longer, s->lambda, NULL, solution);
    if (pinion_contact_check(rigid, s->lambda, s->u, &solution->residuals) != PINION_OK) return 0;
    /* where the rigid one has no solution at all, this one has forces without bounds */
    for (int i = 0; i < s->rows; i++) largest = fmax(largest, fabs(s->g[i]));
    return status == PINION_OK && solution->residuals.natural <= ODD * largest;
}

double pn_scene_solve_for(pinion_scene *s, const pn_scene_wish *by, pinion_scene_report *r)
{
    const pinion_contact_problem p = {s->blocks, s->rows, s->law, s->mu, s->G, s->g,
                                      pn_scene_is_soft(s) ? s->R : NULL};
    double gain = 0, largest = 0;
    fill_g(s, by, &r->impacts);
    pinion_contact_options o = s->options.solver;
    for (int i = 0; i < s->rows; i++) largest = fmax(largest, fabs(s->g[i]));
    o.tolerance *= fmin(1, by->h / s->step); /* gaps over the time of a short part are large speeds, and mean little */
    if (largest > 0) o.tolerance = fmin(0.5, fmax(o.tolerance, ROUNDED * by->size / largest));
    r->solved = pinion_contact_solve(s->work, &p, &o, s->lambda, s->u, &r->solution) == PINION_OK;
    r->softened = !r->solved;
    if (!r->solved) r->solved = solve_softened(s, &p, &o, &r->solution);
    for (int i = s->count; i < s->blocks; i++)
        if (s->law[i] == PINION_CONTACT_FRICTION && s->part[i] != PN_PART_NONE)
            s->lambda[2 * s->count + i] += s->off[2 * s->count + i];
    /* lambda times the mean of the velocities before and after; what gives way is no part of these */
    for (int i = 0; i < s->rows; i++) {
        s->effect[i] = s->u[i] - s->effect[i] - (p.R ? p.R[i] * s->lambda[i] : 0);
        gain += s->lambda[i] * (s->free[i] + 0.5 * s->effect[i]);
    }
    return gain;
}

/* on the second bodies, in the world */
void pn_scene_give_forces(pinion_scene *s, double h)
{
    s->last = h;
    for (int i = 0; i < s->count; i++) {
        double x[3], y[3];
        pinion_scene_contact *c = &s->contact[i];
        const double *lambda = s->lambda + 3 * i;
        pn_scene_tangents(c->at.normal, x, y);
        for (int k = 0; k < 3; k++)
            c->force[k] = (lambda[0] * c->at.normal[k] + lambda[1] * x[k] + lambda[2] * y[k]) / h;
    }
}

double pn_scene_bound(pinion_scene *s, pn_scene_wish *by, double gain, double most, pinion_scene_report *r)
{
    for (int k = 0; k <= HALVINGS && r->impacts && gain > most; k++) {
        r->bounded = 1;
        by->bounce = k < HALVINGS ? 0.5 * by->bounce : 0;
        gain = pn_scene_solve_for(s, by, r);
    }
    return gain;
}

/* the impulses of a step; `most` is what they may add to the kinetic energy */
static void find_impulses(pinion_scene *s, pn_scene_wish by, double most, pinion_scene_report *r)
{
    (void)pn_scene_hold(s, 1);
    double gain = pn_scene_solve_for(s, &by, r);
    if (pn_scene_hold(s, 0)) gain = pn_scene_solve_for(s, &by, r);
    gain = pn_scene_bound(s, &by, gain, most, r);
    /* Bodies that are stuck in each other cannot all be pushed out. What only stops them has a solution. */
    if (!r->solved) {
        by.bounce = by.recover = 0;
        gain = pn_scene_solve_for(s, &by, r);
    }
    if (!r->solved && !(gain <= most)) {
        memset(s->lambda, 0, (size_t)s->rows * sizeof *s->lambda);
        memset(s->effect, 0, (size_t)s->rows * sizeof *s->effect);
    }
    /* over the whole step: what rests does no work */
    for (int i = 0; i < s->rows; i++) r->work += 0.5 * s->lambda[i] * (s->start[i] + s->free[i] + s->effect[i]);
}

/* what loops, stops and friction of joints came to */
static void tell_joints(const pinion_scene *s, pinion_scene_report *r)
{
    for (int i = s->count; i < s->blocks; i++) {
        const int row = 2 * s->count + i;
        if (s->law[i] == PINION_CONTACT_EQUALITY) r->open = fmax(r->open, fabs(s->off[row]));
        if (s->law[i] == PINION_CONTACT_LIMIT) {
            r->stopped += s->lambda[row] > 0;
            r->beyond = fmax(r->beyond, -s->off[row]);
        }
        if (s->law[i] == PINION_CONTACT_FRICTION) r->held += fabs(s->lambda[row] - s->off[row]) < s->mu[i];
    }
}

void pn_scene_change(const pinion_scene *s, const double *lambda, double *out)
{
    const int nv = s->nv;
    memset(out, 0, (size_t)nv * sizeof *out);
    for (int i = 0; i < s->rows; i++)
        for (int k = 0; k < nv && lambda[i] != 0; k++) out[k] += lambda[i] * s->J[i * nv + k];
    if (s->rows) pn_scene_solve(s, out);
}

static int is_inside(const pinion_scene *s)
{
    for (int i = 0; i < s->blocks; i++) {
        const int row = i < s->count ? 3 * i : 2 * s->count + i;
        if (pn_scene_is_spring(s, i)) continue; /* it presses by itself */
        if ((s->law[i] == PINION_CONTACT_COULOMB || s->law[i] == PINION_CONTACT_LIMIT) && s->off[row] < 0) return 1;
    }
    return 0;
}

/* one sweep over the normals, stops and loops; how fast the largest change is */
static double push_sweep(const pinion_scene *s, double *push, double *u)
{
    const size_t rows = (size_t)s->rows;
    double most = 0;
    for (int i = 0; i < s->blocks; i++) {
        const size_t row = (size_t)(i < s->count ? 3 * i : 2 * s->count + i);
        const double *G = s->G + row * rows, before = push[row];
        if (s->law[i] == PINION_CONTACT_FRICTION || pn_scene_is_spring(s, i) || !(G[row] > 0)) continue;
        const double next = before - u[row] / G[row], change = s->law[i] == PINION_CONTACT_EQUALITY || next > 0
                                                                   ? next - before
                                                                   : -before;
        if (change == 0) continue;
        push[row] += change;
        for (size_t k = 0; k < rows; k++) u[k] += change * G[k];
        most = fmax(most, fabs(change) * G[row]);
    }
    return most;
}

/* What takes penetrations back: velocities that places move on with, and no more, into s->push. Normals and stops push,
 * without friction, by Gauss and Seidel; where bodies are stuck in each other, so that there is no solution, sweeps end
 * all the same. */
static int push_out(pinion_scene *s, pn_scene_wish by)
{
    double *push = s->kept, *u = s->effect, most = 0;
    memset(push, 0, (size_t)s->rows * sizeof *push);
    memcpy(u, s->u, (size_t)s->rows * sizeof *u);
    by.take = 1;
    for (int i = 0, impacts = 0; i < s->blocks; i++) {
        const int row = i < s->count ? 3 * i : 2 * s->count + i;
        if (s->law[i] == PINION_CONTACT_EQUALITY || pn_scene_is_spring(s, i)) continue;
        if (s->off[row] < 0) u[row] += extra(s, i, &by, &impacts);
    }
    for (int sweep = 0; sweep < SWEEPS && push_sweep(s, push, u) > STILL; sweep++) continue;
    pn_scene_change(s, push, s->push);
    for (int k = 0; k < s->nv; k++) most = fmax(most, by.h * fabs(s->push[k]));
    for (int k = 0; k < s->nv && most > FARTHEST; k++) s->push[k] *= FARTHEST / most;
    return most > FELT;
}

double pn_scene_slow(const pinion_scene *s)
{
    double gravity[3];
    pinion_model_gravity(s->m, gravity);
    return SLOW * s->step * sqrt(pn_dot3(gravity, gravity));
}

pinion_status pn_scene_set_up(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v,
                              const double *v_next, pinion_scene_report *r)
{
    memset(r, 0, sizeof *r);
    r->solved = 1;
    r->solution.residuals.worst = -1;
    pinion_status status = s->count ? pn_scene_rows(s, w, q) : PINION_OK;
    if (status) return status;
    r->immovable = pn_scene_drop(s);
    r->contacts = s->count;
    for (int i = 0; i < s->count; i++) r->penetration = fmax(r->penetration, -s->contact[i].at.gap);

    const pn_scene_state at = {h, q, v, v_next};
    status = pn_scene_join(s, w, &at);
    if (status == PINION_OK && s->rows) status = pn_scene_factorize(s, w, q);
    if (status == PINION_OK && s->rows) pn_scene_matrix(s);
    if (status == PINION_OK && s->rows && pn_scene_is_soft(s)) status = pn_scene_soften(s, w, h, q);
    for (int i = 0; i < s->rows && status == PINION_OK; i++) {
        s->start[i] = pn_dot(s->nv, s->J + i * s->nv, v);
        s->free[i] = pn_dot(s->nv, s->J + i * s->nv, v_next);
    }
    return status;
}

pinion_status pn_scene_impulse(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v, int step,
                               double *v_next, pinion_scene_report *report)
{
    pinion_scene_report r;
    const pinion_status status = pn_scene_set_up(s, w, h, q, v, v_next, &r);
    if (status) return status;
    const int rows = s->rows, nv = s->nv;
    pn_scene_wish by = {h, pn_scene_slow(s), 1, s->options.recover, !step, 0, 0};
    for (int i = 0; i < rows; i++) {
        double size = 0;
        for (int k = 0; k < nv; k++) size += fabs(s->J[i * nv + k] * v_next[k]);
        by.size = fmax(by.size, size);
    }
    const int waiting = pn_scene_wait(s, &by);
    if (rows) find_impulses(s, by, pn_scene_energy_lost(s, v, v_next), &r);
    const int chained = waiting && pn_scene_chain(s, by, v_next, &r);
    tell_joints(s, &r);
    pn_scene_change(s, s->lambda, s->frame);
    for (int k = 0; k < nv; k++) v_next[k] += s->frame[k];
    pn_scene_give_forces(s, h);
    memset(s->push, 0, (size_t)nv * sizeof *s->push);
    if (step && r.solved && by.recover > 0 && (chained || is_inside(s))) r.taken_back = push_out(s, by);
    if (report) *report = r;
    return PINION_OK;
}

pinion_status pinion_scene_impulse(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v,
                                   double *v_next, pinion_scene_report *report)
{
    if (!s) return PINION_ERR_ARGUMENT;
    if (!q || !v || !v_next || !(h > 0) || !isfinite(h))
        return pn_scene_fail(s, PINION_ERR_ARGUMENT, "q, v or v_next is NULL, or h is not above 0");
    s->step = h;
    memset(s->before, 0, (size_t)s->nv * sizeof *s->before);
    const pinion_status status = pn_scene_find_within(s, w, h, q, v_next);
    return status ? status : pn_scene_impulse(s, w, h, q, v, 0, v_next, report);
}

pinion_status pinion_scene_joint_forces(const pinion_scene *s, double *tau)
{
    if (!s || !tau) return PINION_ERR_ARGUMENT;
    for (int k = 0; k < s->nv; k++) tau[k] = s->last > 0 ? s->before[k] / s->last : 0;
    for (int i = 0; i < s->rows && s->last > 0; i++)
        for (int k = 0; k < s->nv; k++) tau[k] += s->lambda[i] * s->J[(size_t)i * (size_t)s->nv + (size_t)k] / s->last;
    return PINION_OK;
}
