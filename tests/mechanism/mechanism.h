/* What the tests of the bundled mechanisms share: a model with its own initial state, its constraints,
 * accelerations by every algorithm that applies, and simulation. Reference values without another origin come from a
 * separate program, written in numpy for this: it differentiates the bodies' positions along the coordinates, sums up
 * virtual work and eliminates the constraints by a dense null space. */
#ifndef PN_MECHANISM_H
#define PN_MECHANISM_H

#include "check.h"
#include "pinion/pinion.h"
#include "pinion/sim/sim.h"

enum { MECHANISM_MOST = 48 };

typedef struct mechanism {
    pinion_model *m;
    pinion_work *w;
    int nq, nv, rows;
    double q[MECHANISM_MOST], v[MECHANISM_MOST], tau[MECHANISM_MOST];
} mechanism;

static inline void mechanism_close(mechanism *x)
{
    pinion_work_free(x->w);
    pinion_model_free(x->m);
    memset(x, 0, sizeof *x);
}

/* A bundled model at its initial state, with the forces of its springs and dampers in tau. Zero, and a failed check,
 * where there is none. */
static inline int mechanism_open(mechanism *x, const char *file)
{
    const char *folder = getenv("PINION_MODELS");
    char path[1024];
    pinion_error err = {0};
    memset(x, 0, sizeof *x);
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "models", file);
    x->m = pinion_load(path, NULL, &err);
    if (!x->m) {
        CHECK_FAIL("%s: %s", path, err.message);
        return 0;
    }
    x->w = pinion_work_new(x->m);
    x->nq = pinion_model_nq(x->m);
    x->nv = pinion_model_nv(x->m);
    x->rows = pinion_model_row_count(x->m);
    CHECK(x->w && x->nq <= MECHANISM_MOST && x->nv <= MECHANISM_MOST && x->rows <= MECHANISM_MOST);
    if (!x->w || x->nq > MECHANISM_MOST || x->rows > MECHANISM_MOST) {
        mechanism_close(x);
        return 0;
    }
    CHECK_STATUS(pinion_initial(x->m, x->q, x->v), PINION_OK);
    CHECK_STATUS(pinion_passive_forces(x->m, x->w, x->q, x->v, x->tau), PINION_OK);
    CHECK(pinion_model_warning_count(x->m) == 0);
    for (int i = 0; i < pinion_model_warning_count(x->m); i++) printf("%s: %s\n", file, pinion_model_warning(x->m, i));
    return 1;
}

/* Another state in place of the initial one. */
static inline void mechanism_put(mechanism *x, const double *q, const double *v)
{
    memcpy(x->q, q, (size_t)x->nq * sizeof *q);
    memcpy(x->v, v, (size_t)x->nv * sizeof *v);
    CHECK_STATUS(pinion_passive_forces(x->m, x->w, x->q, x->v, x->tau), PINION_OK);
}

/* Where a joint's coordinates and velocities are. */
static inline pinion_joint_info mechanism_joint(const mechanism *x, const char *name)
{
    pinion_joint_info info;
    memset(&info, 0, sizeof info);
    CHECK_STATUS(pinion_model_joint(x->m, pinion_model_find_joint(x->m, name), &info), PINION_OK);
    if (info.q_index < 0) info.q_index = info.v_index = 0;
    return info;
}

/* The largest |phi| and |L v - gdot| at t = 0. */
static inline double mechanism_open_by(const mechanism *x)
{
    double phi[MECHANISM_MOST] = {0}, rate[MECHANISM_MOST] = {0}, worst = 0;
    const pinion_constraints out = {.phi = phi, .rate = rate};
    CHECK_STATUS(pinion_constraints_at(x->m, x->w, 0, x->q, x->v, &out), PINION_OK);
    for (int i = 0; i < x->rows; i++) {
        if (!(fabs(phi[i]) <= worst)) worst = fabs(phi[i]);
        if (!(fabs(rate[i]) <= worst)) worst = fabs(rate[i]);
    }
    return worst;
}

/* The initial state keeps the loops, and the mobility is as counted by hand: rows, and their rank. */
static inline void check_start(mechanism *x, int rows, int rank)
{
    pinion_mobility mobility;
    CHECK(x->rows == rows);
    CHECK_NEAR(mechanism_open_by(x), 0, 1e-12);
    CHECK_STATUS(pinion_mobility_at(x->m, x->w, 0, x->q, &mobility), PINION_OK);
    CHECK(mobility.rows == rows);
    CHECK(mobility.rank == rank);
    CHECK(mobility.redundant == rows - rank);
    CHECK(mobility.gruebler == x->nv - rows);
    CHECK(mobility.freedom == x->nv - rank);
}

/* The accelerations of every algorithm that applies, relative to the largest of the reference. */
static inline void check_accelerations(mechanism *x, const double *reference, double tolerance)
{
    int known = 0;
    pinion_mobility mobility;
    CHECK_STATUS(pinion_mobility_at(x->m, x->w, 0, x->q, &mobility), PINION_OK);
    for (int i = 0; i < pinion_algorithm_count(); i++) {
        pinion_algorithm_info info;
        pinion_loop_options o = pinion_loop_options_default();
        pinion_loop_solution solution = {0};
        double a[MECHANISM_MOST];
        CHECK_STATUS(pinion_algorithm(i, &info), PINION_OK);
        if (info.problem != PINION_PROBLEM_FORWARD_DYNAMICS || pinion_algorithm_applies(i, x->m, NULL) != PINION_OK)
            continue;
        o.passive = 1;
        const pinion_status status =
            pinion_loop_dynamics(x->m, x->w, i, &o, x->q, x->v, x->tau, NULL, a, &solution);
        /* legs must be able to move their feet every way that they are held: redundant rows are refused, and told */
        if (mobility.redundant > 0 && strcmp(info.name, "multilegged") == 0 && status != PINION_OK) {
            CHECK_STATUS(status, PINION_ERR_SINGULAR);
            CHECK_HAS(pinion_work_message(x->w), "cannot move its foot");
            continue;
        }
        if (status != PINION_OK) {
            CHECK_FAIL("%s: %s", info.name, pinion_work_message(x->w));
            continue;
        }
        const double error = check_error(a, reference, (size_t)x->nv, 1);
        check_count++;
        if (!(error <= tolerance)) CHECK_FAIL("%s is off by %g", info.name, error);
        known += !strcmp(info.name, "loop-direct") || !strcmp(info.name, "loop-multipliers") ||
                 !strcmp(info.name, "loop-nullspace") || !strcmp(info.name, "loop-proximal");
    }
    CHECK(known == 4);
}

/* Accelerations by the default algorithm, and lambda. */
static inline void mechanism_solve(mechanism *x, double *a, double *lambda)
{
    pinion_loop_options o = pinion_loop_options_default();
    pinion_loop_solution solution = {.lambda = lambda};
    o.passive = 1;
    CHECK_STATUS(pinion_loop_dynamics(x->m, x->w, -1, &o, x->q, x->v, x->tau, NULL, a, &solution), PINION_OK);
}

/* Moment and force on the successor of a loop, along the axes of the joint's frame on it, at the state of x. */
static inline void mechanism_wrench(mechanism *x, const char *loop, double wrench[6])
{
    double a[MECHANISM_MOST], lambda[MECHANISM_MOST], all[16][6];
    const int l = pinion_model_find_loop(x->m, loop);
    memset(wrench, 0, 6 * sizeof *wrench);
    CHECK(l >= 0 && pinion_model_loop_count(x->m) <= 16);
    if (l < 0 || pinion_model_loop_count(x->m) > 16) return;
    mechanism_solve(x, a, lambda);
    CHECK_STATUS(pinion_loop_reactions(x->m, x->w, x->q, lambda, NULL, NULL, NULL, all[0]), PINION_OK);
    memcpy(wrench, all[l], sizeof all[l]);
}

/* Kinetic energy and potential energy, springs included. */
static inline double mechanism_energy(mechanism *x)
{
    double kinetic, potential;
    CHECK_STATUS(pinion_energy(x->m, x->w, x->q, x->v, 1, &kinetic, &potential), PINION_OK);
    return kinetic + potential;
}

/* A simulation at the state of x; NULL, and a failed check, when that does not work. */
static inline pinion_sim *mechanism_sim(mechanism *x, const pinion_sim_options *options)
{
    pinion_error err = {0};
    pinion_sim *s = pinion_sim_new(x->m, options, &err);
    if (!s) {
        CHECK_FAIL("%s", err.message);
        return NULL;
    }
    const pinion_status status = pinion_sim_start(s, 0, x->q, x->v);
    if (status == PINION_OK) return s;
    CHECK_FAIL("start: %s", pinion_sim_message(s));
    pinion_sim_free(s);
    return NULL;
}

/* Moves on to t and puts the state into x. */
static inline pinion_sim_state mechanism_advance(mechanism *x, pinion_sim *s, double t)
{
    pinion_sim_state state = {.q = x->q, .v = x->v};
    const pinion_status status = pinion_sim_advance(s, t);
    if (status != PINION_OK) CHECK_FAIL("advance to %g: %s", t, pinion_sim_message(s));
    CHECK_STATUS(pinion_sim_get(s, &state), PINION_OK);
    CHECK_STATUS(pinion_passive_forces(x->m, x->w, x->q, x->v, x->tau), PINION_OK);
    return state;
}

/* The state that the model's own start leads to. */
static inline void check_motion(mechanism *x, double t, const double *q, const double *v, double tolerance)
{
    pinion_sim *s = mechanism_sim(x, NULL);
    if (!s) return;
    const pinion_sim_state state = mechanism_advance(x, s, t);
    const double off_q = check_error(x->q, q, (size_t)x->nq, 1), off_v = check_error(x->v, v, (size_t)x->nv, 1);
    CHECK_NEAR(off_q, 0, tolerance);
    CHECK_NEAR(off_v, 0, tolerance);
    CHECK_NEAR(state.drift, 0, 1e-8 * (1 + state.largest_kinetic));
    CHECK_NEAR(state.constraint, 0, 1e-10);
    pinion_sim_free(s);
}

#endif
