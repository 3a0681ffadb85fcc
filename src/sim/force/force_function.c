/* Forces on the bodies that a function of the caller's says. All of it is power: what the bodies' velocities make of
 * it. */
#include "sim/force/force_list.h"

#include <stdlib.h>
#include <string.h>

pinion_status pinion_forces_add_function(pinion_forces *f, const char *name, pinion_force_fn function, void *user,
                                         pinion_error *err)
{
    const pn_element_id id = {"function", name, err};
    if (!f || !function) {
        pn_element_fail(&id, f ? "it is NULL" : "no list was given");
        return PINION_ERR_ARGUMENT;
    }
    pn_element e = {.kind = PN_ELEMENT_FUNCTION};
    const size_t forces = 6 * (size_t)f->bodies;
    double *memory = calloc(forces + (size_t)pinion_model_nv(f->m) + 1, sizeof *memory);
    if (!memory) {
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        return PINION_ERR_MEMORY;
    }
    e.owned = memory;
    e.function.call = function;
    e.function.user = user;
    e.function.f_ext = memory;
    e.function.rest = memory + forces;
    return pn_forces_append(f, &e, name, err);
}

pinion_status pn_function_ask(const pn_element *e, const pinion_forces *f, double t, const double *q, const double *v)
{
    memset(e->function.f_ext, 0, 6 * (size_t)f->bodies * sizeof(double));
    return e->function.call(e->function.user, t, q, v ? v : e->function.rest, e->function.f_ext);
}

void pn_function_act(const pn_element *e, pn_scene *s)
{
    for (int i = 1; i < s->f->bodies && s->forces; i++) {
        const double *force = e->function.f_ext + 6 * (size_t)i, *twist = s->f->twist + 6 * (size_t)i;
        const double *R = pn_scene_rotation(s, s->f->body_link[i]);
        double w[3], u[3];
        pn_turn3_back(R, twist, w);
        pn_turn3_back(R, twist + 3, u);
        s->power += pn_dot3(force, w) + pn_dot3(force + 3, u);
        for (int k = 0; s->f_ext && k < 6; k++) s->f_ext[6 * i + k] += force[k];
    }
}
