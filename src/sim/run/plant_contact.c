/* Contact of the plant: a scene of its model, a step with it, and what it came to over the run. */
#include "sim/run/driver.h"
#include "base/curve.h"
#include "base/lu.h"
#include "contact/scene/scene_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int has_dampers(const pinion_model *m)
{
    pinion_joint_info joint;
    for (int i = 0; pinion_model_joint(m, i, &joint) == PINION_OK; i++)
        for (int k = 0; k < joint.dof_count; k++)
            if (joint.dof[k].damping != 0 || pn_is_curved(joint.dof[k].damping_curve)) return 1;
    return 0;
}

static int has_tendon_stops(const pn_plant *p)
{
    pinion_tendon_info t;
    if (!p->options.stops && !p->options.contact->limits) return 0;
    for (int i = 0; pinion_model_tendon(p->body, i, &t) == PINION_OK; i++)
        if (isfinite(t.limits[0]) || isfinite(t.limits[1])) return 1;
    return 0;
}

pinion_status pn_plant_touch(pn_plant *p, pinion_error *err)
{
    pinion_scene_free(p->scene);
    pinion_scene_free(p->shown);
    free(p->implicit);
    p->scene = p->shown = NULL;
    p->implicit = NULL;
    if (!p->options.contact) return PINION_OK;
    if (p->options.integrator != PINION_INTEGRATOR_EULER)
        return pn_error_set(err, PINION_ERR_UNSUPPORTED, NULL, 0, 0, "contact needs integrator euler");
    pinion_scene_options contact = *p->options.contact;
    contact.stiction = p->options.passive && p->options.friction == PINION_FRICTION_EXACT ? p->options.stiction : 0;
    if (p->options.stops) { /* springs in place of rigid ones */
        contact.limit_stiffness = p->options.stop_stiffness;
        contact.limit_damping = p->options.stop_damping;
        contact.limits = contact.limit_stiffness > 0 || contact.limit_damping > 0;
    }
    const size_t nv = (size_t)p->nv;
    p->tendon_stops = has_tendon_stops(p);
    if (((p->options.passive && has_dampers(p->body)) || p->tendon_stops) &&
        !(p->implicit = malloc((4 * nv * nv + 2 * nv) * sizeof(double))))
        return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    pinion_error why;
    p->shown = pinion_scene_new(p->body, &contact, &why);
    contact.solver.least_norm = 0;
    p->scene = p->shown ? pinion_scene_new(p->body, &contact, &why) : NULL;
    if (p->scene) {
        p->shown->whole = 1; /* rows have gaps and points of where they are */
        return PINION_OK;
    }
    if (err) *err = why;
    return why.status;
}

/* h D of the joints' dampers, from the derivatives of their forces, for what impulses do; NULL where one is below 0 */
static const double *end_dampers(size_t nv, double h, const double *by_v, double *out)
{
    for (size_t i = 0; i < nv * nv; i++) out[i] = -h * by_v[i];
    for (size_t i = 0; i < nv; i++)
        if (!(out[i * nv + i] >= 0)) return NULL;
    return out;
}

pinion_status pn_plant_brake(pn_plant *p, double h, const double *q, const double *v, const double **a)
{
    const size_t nv = (size_t)p->nv;
    if (!p->implicit) return PINION_OK;
    double *A = p->implicit, *by_v = A + nv * nv, *by_q = by_v + nv * nv, *more = by_q + nv * nv, *x = more + nv * nv;
    memset(by_v, 0, 2 * nv * nv * sizeof *by_v);
    pinion_status status = pinion_mass_matrix(p->body, p->w, q, A);
    if (status == PINION_OK && p->options.passive) status = pinion_d_passive_forces(p->body, p->w, q, v, NULL, by_v);
    p->scene->more = p->shown->more = end_dampers(nv, h, by_v, more);
    if (status == PINION_OK && p->tendon_stops)
        status = pinion_d_elements_forces(p->elements, p->w, q, v, by_q, by_v);
    if (status != PINION_OK) return status;
    for (size_t i = 0; i < nv; i++) {
        x[i] = 0;
        for (size_t k = 0; k < nv; k++) x[i] += A[i * nv + k] * (*a)[k] + h * by_q[i * nv + k] * v[k];
    }
    for (size_t i = 0; i < nv * nv; i++) A[i] -= h * (by_v[i] + h * by_q[i]);
    int *pivot = (int *)(void *)(x + nv);
    if (!pn_lu_factor(p->nv, A, pivot)) return PINION_ERR_SINGULAR;
    pn_lu_solve(p->nv, A, pivot, x);
    *a = x;
    return PINION_OK;
}

/* What it took to move to q1 instead of where velocities lead, where penetrations were taken back. */
static pinion_status lift(pn_plant *p, double t, const double *q1, const double *v1, double *work)
{
    double kinetic[2], potential[2];
    pinion_status status = pn_plant_energy(p, t, p->scene->along, v1, &kinetic[0], &potential[0]);
    if (status == PINION_OK) status = pn_plant_energy(p, t, q1, v1, &kinetic[1], &potential[1]);
    if (status == PINION_OK) *work += kinetic[1] + potential[1] - kinetic[0] - potential[0];
    return status;
}

pinion_status pn_plant_contact(void *user, double t, double h, const double *q, const double *v, const double *a,
                               double *q1, double *v1, double *work)
{
    pn_plant *p = user;
    pinion_scene_report r;
    pinion_status status = pn_plant_brake(p, h, q, v, &a);
    if (status != PINION_OK) return status;
    pinion_scene_set_time(p->scene, t);
    status = pinion_scene_step(p->scene, p->w, h, q, v, a, q1, v1, &r);
    if (status != PINION_OK) {
        snprintf(p->message, sizeof p->message, "contact: %s", pinion_scene_message(p->scene));
        return status;
    }
    pinion_contact_totals *sum = &p->totals;
    if (r.contacts > sum->most) sum->most = r.contacts;
    if (r.immovable > sum->immovable) sum->immovable = r.immovable;
    sum->impacts += r.impacts;
    sum->bounded += r.bounded;
    sum->unsolved += !r.solved;
    sum->softened += r.solved && r.softened;
    sum->penetration = fmax(sum->penetration, r.penetration);
    sum->residual = fmax(sum->residual, r.solution.residuals.natural);
    sum->cone = fmax(sum->cone, r.solution.residuals.cone);
    sum->dual = fmax(sum->dual, r.solution.residuals.dual);
    sum->complementarity = fmax(sum->complementarity, r.solution.residuals.complementarity);
    sum->dissipation = fmax(sum->dissipation, r.solution.residuals.dissipation);
    *work = r.work;
    return r.taken_back ? lift(p, t, q1, v1, work) : PINION_OK;
}

pinion_status pinion_sim_contact(const pinion_sim *s, pinion_contact_totals *out)
{
    if (!s || !out || !s->plant.scene) return PINION_ERR_ARGUMENT;
    *out = s->plant.totals;
    out->pairs = pinion_scene_pair_count(s->plant.scene);
    out->left_out = pinion_scene_left_out(s->plant.scene);
    return PINION_OK;
}
