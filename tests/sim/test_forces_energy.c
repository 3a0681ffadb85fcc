/* Force elements on random trees: the identities that tie force, potential and power together. */
#include "plant.h"

/* a random frame that can move */
static int moving_frame(const pinion_model *m, uint64_t *seed)
{
    for (;;) {
        pinion_frame_info info;
        const int frame = (int)check_between(seed, 0, pinion_model_frame_count(m));
        if (pinion_model_frame(m, frame, &info) == PINION_OK && info.body > 0) return frame;
    }
}

/* some force on every body, also on the base, which ignores it */
static pinion_status push(void *user, double t, const double *q, const double *v, double *f_ext)
{
    const int count = 6 * pinion_model_body_count(user);
    for (int i = 0; i < count; i++) f_ext[i] = sin(i + t + q[0]) + 0.1 * v[0];
    return PINION_OK;
}

/* a list with everything, between random points of random frames */
static void add_everything(plant *p, uint64_t *seed, int dampers)
{
    const int frames = pinion_model_frame_count(p->m);
    for (int k = 0; k < 3; k++) {
        pinion_spring_def spring = pinion_spring_def_default();
        spring.frame_a = k ? (int)check_between(seed, 0, frames) : -1;
        spring.frame_b = moving_frame(p->m, seed);
        for (int i = 0; i < 3; i++) {
            spring.point_a[i] = check_between(seed, -1, 1);
            spring.point_b[i] = check_between(seed, -1, 1);
        }
        spring.stiffness = 5;
        spring.damping = dampers ? 2 : 0;
        spring.length = 0.3 * k;
        CHECK_STATUS(pinion_forces_add_spring(p->f, &spring, NULL), PINION_OK);

        pinion_drag_def drag = pinion_drag_def_default();
        drag.frame = moving_frame(p->m, seed);
        drag.density = 2;
        drag.volume = 0.2;
        drag.added_mass = 0.3 * k;
        for (int i = 0; i < 3; i++) {
            drag.point[i] = check_between(seed, -1, 1);
            drag.velocity[i] = check_between(seed, -1, 1);
            drag.area[i] = dampers ? check_between(seed, 0, 1) : 0;
        }
        CHECK_STATUS(pinion_forces_add_drag(p->f, &drag, NULL), PINION_OK);
    }
    int frame[3];
    pinion_ground_def ground = pinion_ground_def_default();
    for (int i = 0; i < 3; i++) {
        frame[i] = (int)check_between(seed, 0, frames);
        ground.normal[i] = check_between(seed, -1, 1);
    }
    ground.height = 6; /* above the robot: all points are in it */
    ground.stiffness = 3;
    ground.exponent = 1.5;
    ground.damping = dampers ? 0.1 : 0;
    ground.friction = dampers ? 0.4 : 0;
    ground.slip = 0.5;
    ground.count = 3;
    ground.frame = frame;
    CHECK_STATUS(pinion_forces_add_ground(p->f, &ground, NULL), PINION_OK);
    pinion_wrench_def wrench = pinion_wrench_def_default();
    wrench.frame = frame[0];
    wrench.reference = PINION_REFERENCE_LOCAL;
    wrench.signal = PINION_SIGNAL_SINE;
    wrench.frequency = 0.7;
    for (int i = 0; i < 6; i++) wrench.wrench[i] = check_between(seed, -1, 1);
    if (dampers) CHECK_STATUS(pinion_forces_add_wrench(p->f, &wrench, NULL), PINION_OK);
    if (dampers) CHECK_STATUS(pinion_forces_add_function(p->f, NULL, push, (void *)p->m, NULL), PINION_OK);
}

static double potential(plant *p, const double *q)
{
    double V;
    CHECK_STATUS(pinion_forces_apply(p->f, p->w, 0, q, NULL, NULL, &V, NULL), PINION_OK);
    return V;
}

/* dV/ds of V(q (+) s d) at 0: central differences of fourth order */
static double slope(plant *p, const double *q, const double *d)
{
    const double h = 1e-3;
    double x[MOTION_MAX], V[4];
    const double at[4] = {-2, -1, 1, 2};
    for (int k = 0; k < 4; k++) {
        CHECK_STATUS(pinion_integrate(p->m, q, d, at[k] * h, x), PINION_OK);
        V[k] = potential(p, x);
    }
    return (V[0] - 8 * V[1] + 8 * V[2] - V[3]) / (12 * h);
}

/* one random tree at a random q: how far an identity is off, relatively */
typedef double identity(plant *p, uint64_t *seed, double *q);

static void on_random_trees(int trees, int joints, int dampers, identity *off, double limit)
{
    uint64_t seed = check_seed;
    double worst = 0;
    for (int k = 0; k < trees; k++) {
        pinion_model *m = pinion_random_tree(joints, k % 2, seed + (uint64_t)k, NULL);
        plant p = plant_of(m);
        add_everything(&p, &seed, dampers);
        double q[MOTION_MAX];
        CHECK_STATUS(pinion_random(m, seed++, q), PINION_OK);
        const double error = off(&p, &seed, q);
        if (error > worst) worst = error;
        plant_free(&p);
        pinion_model_free(m);
    }
    printf("    worst relative difference %.1e\n", worst);
    CHECK(worst < limit);
}

static double virtual_work_off(plant *p, uint64_t *seed, double *q)
{
    (void)seed;
    const int nv = pinion_model_nv(p->m);
    double tau[MOTION_MAX], numeric[MOTION_MAX], P;
    plant_generalized(p, 0, q, NULL, tau);
    for (int i = 0; i < nv; i++) {
        double d[MOTION_MAX] = {0};
        d[i] = 1;
        numeric[i] = -slope(p, q, d);
    }
    CHECK_STATUS(pinion_forces_apply(p->f, p->w, 0, q, NULL, NULL, NULL, &P), PINION_OK);
    CHECK(P == 0);
    return check_error(tau, numeric, (size_t)nv, 1);
}

TEST(virtual_work)
{
    on_random_trees(30, 6, 0, virtual_work_off, 1e-8);
}

/* all power is what leaves the potential and what is reported beside it */
static double power_off(plant *p, uint64_t *seed, double *q)
{
    const int nv = pinion_model_nv(p->m);
    double v[MOTION_MAX], tau[MOTION_MAX], P, all = 0;
    for (int i = 0; i < nv; i++) v[i] = check_between(seed, -1, 1);
    CHECK_STATUS(pinion_forces_apply(p->f, p->w, 0.4, q, v, NULL, NULL, &P), PINION_OK);
    plant_generalized(p, 0.4, q, v, tau);
    for (int i = 0; i < nv; i++) all += tau[i] * v[i];
    CHECK(fabs(P) > 1e-3);
    const double expected = P - slope(p, q, v);
    return fabs(all - expected) / fmax(1, fabs(all));
}

TEST(power)
{
    on_random_trees(30, 6, 1, power_off, 1e-8);
}

static double energy_balance_off(plant *p, uint64_t *seed, double *q)
{
    const int nv = pinion_model_nv(p->m);
    double v[MOTION_MAX], T;
    for (int i = 0; i < nv; i++) v[i] = check_between(seed, -0.5, 0.5);
    const double e0 = plant_energy(p, 0, q, v);
    const double work = plant_run(p, 0.2, 800, q, v), e1 = plant_energy(p, 0.2, q, v);
    CHECK_STATUS(pinion_energy(pinion_forces_model(p->f), p->w, q, v, 0, &T, NULL), PINION_OK);
    CHECK(fabs(work) > 1e-4);
    return fabs(e1 - e0 - work) / fmax(1, T);
}

TEST(energy_balance)
{
    on_random_trees(6, 4, 1, energy_balance_off, 1e-7);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(virtual_work);
    RUN(power);
    RUN(energy_balance);
    return CHECK_END();
}
