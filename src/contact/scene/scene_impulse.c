/* A step with contact, at the velocity level (Moreau 1988; Stewart & Trinkle 1996): the velocity without contact is
 * corrected by the impulses that the contact problem gives. */
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "contact/scene/scene_parts.h"

#define HALVINGS 8 /* of a restitution that adds energy, before it is left out */
#define SLOW 3     /* times the speed that gravity gives in a step: what comes slower than this does not bounce */
#define PUSH 1.0   /* m/s at most to take a penetration back */

/* Delassus' matrix: W = M^-1 J' in O(n) for each row, then J W */
static pinion_status make_matrix(pinion_scene *s, pinion_work *w, const double *q)
{
    const int rows = 3 * s->count, nv = s->nv;
    pinion_status status = pinion_factorization_by(s->m, w, s->factorization, q, s->F);
    for (int r = 0; r < rows && status == PINION_OK; r++)
        status = pinion_factorization_solve(s->m, w, s->factorization, s->F, s->J + r * nv, s->W + r * nv);
    if (status) return pn_scene_fail(s, status, pinion_work_message(w));
    for (int r = 0; r < rows; r++)
        for (int c = 0; c <= r; c++)
            s->G[r * rows + c] = s->G[c * rows + r] = pn_dot(nv, s->J + r * nv, s->W + c * nv);
    return PINION_OK;
}

/* Drops the contacts that take no part: those that will bounce, but have not closed yet. */
static void drop_early(pinion_scene *s, double slow, const double *v)
{
    int kept = 0;
    for (int i = 0; i < s->count; i++) {
        const double *row = s->J + (size_t)(3 * i) * (size_t)s->nv;
        const pinion_scene_contact *c = &s->contact[i];
        if (c->restitution > 0 && c->at.gap > 0 && pn_dot(s->nv, row, v) < -slow) continue;
        if (kept != i) {
            s->contact[kept] = *c;
            memcpy(s->body_of + 2 * kept, s->body_of + 2 * i, 2 * sizeof *s->body_of);
            memmove(s->J + (size_t)(3 * kept) * (size_t)s->nv, row, 3 * (size_t)s->nv * sizeof *row);
        }
        kept++;
    }
    s->count = kept;
}

/* What a solution is looked for with: restitution scaled, and whether penetrations are taken back. */
typedef struct wish {
    double h, slow, bounce, recover;
} wish;

/* g of one contact's normal beside the velocity without contact */
static double extra(const pinion_scene *s, int i, const wish *by, int *impacts)
{
    const pinion_scene_contact *c = &s->contact[i];
    const double start = s->start[3 * i];
    if (c->restitution > 0 && start < -by->slow) {
        ++*impacts;
        return by->bounce * c->restitution * start;
    }
    return c->at.gap > 0 ? c->at.gap / by->h : fmax(by->recover * c->at.gap / by->h, -PUSH);
}

/* What impulses may add to the kinetic energy: what the step without contact took from it, and rounding. */
static pinion_status energy_lost(pinion_scene *s, pinion_work *w, const double *v, const double *v_free, double *most)
{
    double *x = s->frame, *y = s->frame + s->nv, twice = 0, size = 0;
    for (int k = 0; k < s->nv; k++) x[k] = v[k] + v_free[k];
    const pinion_status status = pinion_factorization_multiply(s->m, w, s->factorization, s->F, x, y);
    if (status) return pn_scene_fail(s, status, pinion_work_message(w));
    for (int k = 0; k < s->nv; k++) {
        twice += (v[k] - v_free[k]) * y[k];
        size += fabs(x[k] * y[k]);
    }
    *most = fmax(0, 0.5 * twice) + 1e-9 * size;
    return PINION_OK;
}

/* solves the problem; what the impulses add to the kinetic energy is returned */
static double solve(pinion_scene *s, const wish *by, pinion_scene_report *r)
{
    const int rows = 3 * s->count;
    const pinion_contact_problem p = {s->count, rows, NULL, s->mu, s->G, s->g, NULL};
    double gain = 0;
    r->impacts = 0;
    for (int i = 0; i < rows; i++) s->g[i] = s->free[i];
    for (int i = 0; i < s->count; i++) s->g[3 * i] += extra(s, i, by, &r->impacts);
    pinion_contact_options o = s->options.solver;
    r->solved = pinion_contact_solve(s->work, &p, &o, s->lambda, s->u, &r->solution) == PINION_OK;
    if (!r->solved && !(by->recover > 0)) { /* the other one may find what one does not */
        o.solver = (r->solution.solver + 1) % pinion_contact_solver_count();
        r->solved = pinion_contact_solve(s->work, &p, &o, s->lambda, s->u, &r->solution) == PINION_OK;
    }
    /* lambda times the mean of the velocities before and after */
    for (int i = 0; i < rows; i++) gain += s->lambda[i] * (s->free[i] + 0.5 * (s->u[i] - s->g[i]));
    return gain;
}

/* the impulses as forces on the second bodies, in the world */
static void give_forces(pinion_scene *s, double h)
{
    for (int i = 0; i < s->count; i++) {
        double x[3], y[3];
        pinion_scene_contact *c = &s->contact[i];
        const double *lambda = s->lambda + 3 * i;
        pn_scene_tangents(c->at.normal, x, y);
        for (int k = 0; k < 3; k++)
            c->force[k] = (lambda[0] * c->at.normal[k] + lambda[1] * x[k] + lambda[2] * y[k]) / h;
    }
}

pinion_status pinion_scene_impulse(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v,
                                   double *v_next, pinion_scene_report *report)
{
    pinion_scene_report r;
    memset(&r, 0, sizeof r);
    r.solved = 1;
    r.solution.residuals.worst = -1;
    if (!s) return PINION_ERR_ARGUMENT;
    if (!q || !v || !v_next || !(h > 0) || !isfinite(h))
        return pn_scene_fail(s, PINION_ERR_ARGUMENT, "q, v or v_next is NULL, or h is not above 0");
    pinion_status status = pinion_scene_find(s, w, q);
    if (status) return status;
    r.contacts = s->count;
    for (int i = 0; i < s->count; i++) r.penetration = fmax(r.penetration, -s->contact[i].at.gap);
    if (s->count) status = pn_scene_rows(s, w, q);
    if (status) return status;

    double gravity[3];
    pinion_model_gravity(s->m, gravity);
    const double slow = SLOW * h * sqrt(pn_dot3(gravity, gravity));
    drop_early(s, slow, v);
    if (s->count) status = make_matrix(s, w, q);
    if (status) return status;
    const int rows = 3 * s->count, nv = s->nv;
    for (int i = 0; i < rows; i++) {
        s->start[i] = pn_dot(nv, s->J + i * nv, v);
        s->free[i] = pn_dot(nv, s->J + i * nv, v_next);
    }
    for (int i = 0; i < s->count; i++) s->mu[i] = s->contact[i].friction;
    if (rows) {
        double most = 0;
        status = energy_lost(s, w, v, v_next, &most);
        if (status) return status;
        wish by = {h, slow, 1, s->options.recover};
        double gain = solve(s, &by, &r);
        /* restitution with friction can make energy out of nothing */
        for (int k = 0; k <= HALVINGS && r.impacts && gain > most; k++) {
            r.bounded = 1;
            by.bounce = k < HALVINGS ? 0.5 * by.bounce : 0;
            gain = solve(s, &by, &r);
        }
        /* Bodies that are stuck in each other cannot all be pushed out. What only stops them has a solution. */
        if (!r.solved) {
            by.bounce = by.recover = 0;
            gain = solve(s, &by, &r);
        }
        if (!r.solved && !(gain <= most)) memset(s->lambda, 0, (size_t)rows * sizeof *s->lambda);
        /* over the whole step: what rests does no work */
        for (int i = 0; i < rows; i++)
            r.work += 0.5 * s->lambda[i] * (s->start[i] + s->free[i] + s->u[i] - s->g[i]);
    }
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < nv; k++) v_next[k] += s->lambda[i] * s->W[i * nv + k];
    give_forces(s, h);
    if (report) *report = r;
    return PINION_OK;
}
