/* A body that floats, and simulations of it. */
#ifndef PN_RUNS_H
#define PN_RUNS_H

#include "wet.h"
#include "pinion/sim/forces.h"
#include "pinion/sim/sim.h"

/* one free body "hull" with that inertia and added mass, NULL: none */
static inline pinion_model *hull(double mass, const double com[3], const double I[6], const double *A, double gravity)
{
    const double g[3] = {0, 0, gravity};
    pinion_builder *b = pinion_builder_new("hull");
    pinion_link_def link = pinion_link_def_default();
    pinion_load_options options = pinion_load_options_default();
    link.name = "hull";
    link.inertia.mass = mass;
    memcpy(link.inertia.com, com, 3 * sizeof *com);
    memcpy(link.inertia.inertia, I, 6 * sizeof *I);
    link.added_mass = A;
    options.root = PINION_ROOT_FREE;
    CHECK_STATUS(pinion_builder_set_gravity(b, g, NULL), PINION_OK);
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, &options, NULL);
    pinion_builder_free(b);
    CHECK(m);
    return m;
}

/* runs from 0 to T; q and v become those at the end. Energy less work stays what it was. */
static inline void run_for(const pinion_model *m, pinion_forces *f, double T, double *q, double *v)
{
    pinion_error err;
    pinion_sim_options options = pinion_sim_options_default();
    options.forces = f;
    pinion_sim *s = pinion_sim_new(m, &options, &err);
    CHECK(s);
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    CHECK_STATUS(pinion_sim_advance(s, T), PINION_OK);
    pinion_sim_state end = {.q = q, .v = v};
    CHECK_STATUS(pinion_sim_get(s, &end), PINION_OK);
    CHECK_NEAR(end.drift, 0, 1e-9 * (1 + end.largest_kinetic + fabs(end.potential)));
    pinion_sim_free(s);
}

#endif
