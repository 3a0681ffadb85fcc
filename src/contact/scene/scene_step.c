/* A whole step with contact: velocities, contact, configuration. */
#include <math.h>
#include <string.h>
#include "contact/scene/scene_parts.h"

pinion_status pn_scene_step_part(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v,
                                 pinion_scene_report *report)
{
    pinion_scene_report own, *r = report ? report : &own;
    const pinion_status status = pn_scene_impulse(s, w, h, q, v, 1, s->next, r);
    return status ? status : pn_scene_move_on(s, h, q);
}

pinion_status pinion_scene_step(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v,
                                const double *a, double *q_next, double *v_next, pinion_scene_report *report)
{
    if (!s) return PINION_ERR_ARGUMENT;
    if (!q || !v || !a || !q_next || !v_next) return pn_scene_fail(s, PINION_ERR_ARGUMENT, "an argument is NULL");
    if (!(h > 0) || !isfinite(h)) return pn_scene_fail(s, PINION_ERR_ARGUMENT, "h is not above 0");
    double time = INFINITY;
    s->step = h;
    memset(s->before, 0, (size_t)s->nv * sizeof *s->before);
    for (int k = 0; k < s->nv; k++) s->next[k] = v[k] + h * a[k];
    pinion_status status = pn_scene_find_within(s, w, h, q, s->next);
    if (status == PINION_OK) status = pn_scene_move_freely(s, w, h, q, v, a);
    if (status == PINION_OK && !s->whole) status = pn_scene_meet(s, w, h, q, v, &time);
    if (status == PINION_OK)
        status = time < h ? pn_scene_step_in_parts(s, w, h, q, v, a, report)
                          : pn_scene_step_part(s, w, h, q, v, report);
    if (status) return status;
    memcpy(q_next, s->moved, (size_t)pinion_model_nq(s->m) * sizeof *q);
    memcpy(v_next, s->next, (size_t)s->nv * sizeof *v);
    return PINION_OK;
}
