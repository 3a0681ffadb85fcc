/* Free bodies with a shape each above a ground, and steps with contact, for the tests. */
#ifndef PN_TEST_CONTACT_BODIES_H
#define PN_TEST_CONTACT_BODIES_H

#include "pinion/pinion.h"

typedef struct body {
    pinion_shape shape;
    double size[3];
    double mass, inertia; /* about each axis */
    double friction, restitution;
} body;

/* what a builder has, which is gone then; NULL after a failed check */
static inline pinion_model *bodies_build(pinion_builder *b, const double gravity[3])
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_load_options o = pinion_load_options_default();
    o.set_gravity = 1;
    memcpy(o.gravity, gravity, sizeof o.gravity);
    pinion_model *m = pinion_builder_build(b, &o, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

/* every body hangs on the world by a free joint "b0", "b1", ...; NULL after a failed check */
static inline pinion_model *bodies_model(int count, const body *list, const double gravity[3])
{
    pinion_error err;
    pinion_builder *b = pinion_builder_new("bodies");
    pinion_link_def world = pinion_link_def_default();
    world.name = "world";
    CHECK_STATUS(pinion_builder_add_link(b, &world, &err), PINION_OK);
    for (int i = 0; i < count; i++) {
        char name[16], joint[16];
        snprintf(name, sizeof name, "b%d", i);
        snprintf(joint, sizeof joint, "j%d", i);
        pinion_link_def link = pinion_link_def_default();
        link.name = name;
        const double turn = list[i].inertia;
        link.inertia = (pinion_inertia){list[i].mass, {0, 0, 0}, {turn, 0, 0, turn, 0, turn}};
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
        pinion_joint_def def = pinion_joint_def_default();
        def.name = joint;
        def.type = PINION_JOINT_FREE;
        def.parent = "world";
        def.child = name;
        CHECK_STATUS(pinion_builder_add_joint(b, &def, &err), PINION_OK);
        pinion_collision_def shape = pinion_collision_def_default();
        shape.link = name;
        shape.name = name;
        shape.shape = list[i].shape;
        memcpy(shape.size, list[i].size, sizeof shape.size);
        shape.friction[0] = list[i].friction;
        shape.restitution = list[i].restitution;
        CHECK_STATUS(pinion_builder_add_collision(b, &shape, &err), PINION_OK);
    }
    return bodies_build(b, gravity);
}

/* a model in motion */
typedef struct moving {
    pinion_model *m;
    pinion_work *w;
    pinion_scene *s;
    double t, h, q[64], v[64], tau[64];
    pinion_scene_report last;
    double deepest, worst; /* penetration and natural residual so far */
} moving;

static inline moving moving_new(pinion_model *m, int ground, double h)
{
    moving x;
    pinion_error err;
    pinion_scene_options o = pinion_scene_options_default();
    memset(&x, 0, sizeof x);
    o.ground = ground;
    x.m = m;
    x.w = pinion_work_new(m);
    x.s = pinion_scene_new(m, &o, &err);
    x.h = h;
    CHECK(x.w && x.s);
    CHECK_STATUS(pinion_neutral(m, x.q), PINION_OK);
    return x;
}

static inline void moving_free(moving *x)
{
    pinion_scene_free(x->s);
    pinion_work_free(x->w);
    pinion_model_free(x->m);
}

static inline void moving_step(moving *x)
{
    double a[64];
    CHECK_STATUS(pinion_forward_dynamics(x->m, x->w, x->q, x->v, x->tau, NULL, a), PINION_OK);
    CHECK_STATUS(pinion_scene_step(x->s, x->w, x->h, x->q, x->v, a, x->q, x->v, &x->last), PINION_OK);
    CHECK(x->last.solved);
    x->t += x->h;
    x->deepest = fmax(x->deepest, x->last.penetration);
    x->worst = fmax(x->worst, x->last.solution.residuals.natural);
}

#endif
