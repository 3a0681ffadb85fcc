/* Rollouts of libpinion and simulations of libpinion_sim with the same step are the same motion, to rounding. */
#include "batch/rollout.h"
#include "pinion/sim/sim.h"

static pinion_status constant(void *user, double t, const double *q, const double *v, double *tau)
{
    const scene *x = user;
    (void)t;
    (void)q;
    (void)v;
    memcpy(tau, x->r.tau, x->nv * sizeof *tau);
    return PINION_OK;
}

/* the first state after the scene's steps, by the other library */
static void simulate(scene *x, double *q, double *v)
{
    pinion_error err = {0};
    pinion_sim_options o = pinion_sim_options_default();
    o.integrator = x->r.method == PINION_STEP_RK4 ? PINION_INTEGRATOR_RK4 : PINION_INTEGRATOR_EULER;
    o.step = x->r.dt;
    o.passive = x->r.passive;
    o.friction_speed = 0;
    o.torque = constant;
    o.torque_user = x;
    pinion_sim *s = pinion_sim_new(x->m, &o, &err);
    CHECK(s != NULL);
    if (!s) return;
    CHECK_STATUS(pinion_sim_start(s, 0, x->q, x->v), PINION_OK);
    CHECK_STATUS(pinion_sim_advance(s, (double)x->r.steps * x->r.dt), PINION_OK);
    pinion_sim_state state = {.q = q, .v = v};
    CHECK_STATUS(pinion_sim_get(s, &state), PINION_OK);
    pinion_sim_free(s);
}

TEST(a_rollout_is_what_the_simulation_does)
{
    uint64_t seed = check_seed;
    double worst[2] = {0, 0};
    for (int i = 0; i < 80; i++) {
        /* every joint type, a free base, followers; a step that is exact in binary, so that both mean the same */
        pinion_model *m = i / 2 % 2 ? random_model(EVERY_TYPE, 1 + i % 7, 0, i / 4 % 2, &seed)
                                    : pinion_random_tree(1 + i % 9, i / 4 % 2, 100 + (uint64_t)i, NULL);
        scene x = scene_new(m, 1, 24, 0, 0, &seed);
        double *q = numbers(x.nq), *v = numbers(x.nv);
        x.r.method = i % 2 ? PINION_STEP_RK4 : PINION_STEP_SEMI_IMPLICIT;
        x.r.dt = 0x1p-10;
        x.r.passive = i / 8 % 2;
        x.r.tau = x.tau;
        CHECK_STATUS(scene_run(&x), PINION_OK);
        simulate(&x, q, v);
        const double error = state_error(x.m, x.q1, x.v1, q, v);
        worst[i % 2] = fmax(worst[i % 2], error);
        CHECK_NEAR(error, 0, 1e-10);
        free(q);
        free(v);
        scene_free(&x);
    }
    printf("       largest difference: semi-implicit %.1e, Runge-Kutta %.1e\n", worst[0], worst[1]);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_rollout_is_what_the_simulation_does);
    return CHECK_END();
}
