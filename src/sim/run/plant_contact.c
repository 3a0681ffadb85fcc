/* Contact of the plant: a scene of its model, a step with it, and what it came to over the run. */
#include "sim/run/driver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

pinion_status pn_plant_touch(pn_plant *p, pinion_error *err)
{
    const char *wrong = NULL;
    pinion_scene_free(p->scene);
    p->scene = NULL;
    if (!p->options.contact) return PINION_OK;
    if (p->options.integrator != PINION_INTEGRATOR_EULER) wrong = "contact needs integrator euler";
    if (pinion_model_loop_count(p->m) > 0) wrong = "contact does not take closed loops yet";
    if (p->options.friction == PINION_FRICTION_EXACT) wrong = "contact does not go with exact friction of joints yet";
    if (wrong) return pn_error_set(err, PINION_ERR_UNSUPPORTED, NULL, 0, 0, "%s", wrong);
    pinion_error why;
    p->scene = pinion_scene_new(p->body, p->options.contact, &why);
    if (p->scene) return PINION_OK;
    if (err) *err = why;
    return why.status;
}

pinion_status pn_plant_contact(void *user, double h, const double *q, const double *v, const double *a, double *q1,
                               double *v1, double *work)
{
    pn_plant *p = user;
    pinion_scene_report r;
    const pinion_status status = pinion_scene_step(p->scene, p->w, h, q, v, a, q1, v1, &r);
    if (status != PINION_OK) {
        snprintf(p->message, sizeof p->message, "contact: %s", pinion_scene_message(p->scene));
        return status;
    }
    pinion_contact_totals *t = &p->totals;
    if (r.contacts > t->most) t->most = r.contacts;
    t->impacts += r.impacts;
    t->bounded += r.bounded;
    t->unsolved += !r.solved;
    t->penetration = fmax(t->penetration, r.penetration);
    t->residual = fmax(t->residual, r.solution.residuals.natural);
    *work = r.work;
    return PINION_OK;
}

pinion_status pinion_sim_contact(const pinion_sim *s, pinion_contact_totals *out)
{
    if (!s || !out || !s->plant.scene) return PINION_ERR_ARGUMENT;
    *out = s->plant.totals;
    out->pairs = pinion_scene_pair_count(s->plant.scene);
    out->left_out = pinion_scene_left_out(s->plant.scene);
    return PINION_OK;
}
