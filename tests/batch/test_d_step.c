/* Derivatives of steps and along rollouts against differences of the sixth order of the steps themselves, on random
 * trees of every joint type with followers, springs and forces on bodies; a control law with limits; floats. */
#include <float.h>
#include "loops/random_loops.h"
#include "pinion/rollout.h"

enum { NV = 40, NQ = 60, NF = 6 * 24 };

typedef struct robot {
    pinion_model *m;
    pinion_work *w;
    int nq, nv;
    double q[NQ], v[NV], tau[NV], f_ext[NF];
} robot;

typedef struct one_step {
    pinion_step_method method;
    double dt;
    int passive;
} one_step;

/* the tree of random_loops.h: every joint type, with followers or without */
static int robot_new(int followers, uint64_t *seed, robot *r)
{
    pinion_error err;
    pinion_builder *b = pinion_builder_new("robot");
    add_random_tree(b, followers, seed);
    r->m = pinion_builder_build(b, NULL, &err);
    pinion_builder_free(b);
    r->w = r->m ? pinion_work_new(r->m) : NULL;
    CHECK(r->w != NULL);
    if (!r->w) return 0;
    r->nq = pinion_model_nq(r->m);
    r->nv = pinion_model_nv(r->m);
    CHECK(r->nq <= NQ && r->nv <= NV && 6 * pinion_model_body_count(r->m) <= NF);
    CHECK_STATUS(pinion_random(r->m, (uint64_t)(1e15 * check_uniform(seed)), r->q), PINION_OK);
    for (int i = 0; i < r->nv; i++) r->v[i] = (i % 2 ? -1 : 1) * check_between(seed, 1, 2);
    for (int i = 0; i < r->nv; i++) r->tau[i] = check_between(seed, -3, 3);
    for (int i = 0; i < NF; i++) r->f_ext[i] = check_between(seed, -1, 1);
    return 1;
}

static void robot_free(robot *r)
{
    pinion_work_free(r->w);
    pinion_model_free(r->m);
}

/* A robot whose joints turn by less than `most` in a step, so that those beside it make the step as well: beyond 3 rad
 * it is refused. Where friction acts each joint keeps half its speed: one that comes to rest on the way, or beside it,
 * has a kink there, which differences span. Drawn until there is one. */
static int robot_calm(int followers, const one_step *s, double most, uint64_t *seed, robot *r)
{
    for (int turn = 0; turn < 50; turn++) {
        double q[NQ], v[NV], moved[NV], furthest = 0;
        if (!robot_new(followers, seed, r)) return 0;
        if (pinion_d_step(r->m, r->w, s->method, s->dt, s->passive, r->q, r->v, r->tau, r->f_ext, q, v, NULL, NULL) ==
            PINION_OK) {
            CHECK_STATUS(pinion_difference(r->m, r->q, q, moved), PINION_OK);
            int stops = 0;
            for (int i = 0; i < r->nv; i++) {
                furthest = fmax(furthest, fabs(moved[i]));
                stops += s->passive && v[i] / r->v[i] < 0.5;
            }
            if (furthest < most && !stops) return 1;
        }
        robot_free(r);
    }
    CHECK_FAIL("no robot of 50 moves by less than %g and on in a step of %g s", most, s->dt);
    return 0;
}

/* what a state goes to: a step, or more */
typedef void goes(const robot *r, const void *how, const double *q, const double *v, const double *tau, double *q_out,
                  double *v_out);

/* column j, of q, v and then tau, by differences over h; out has 2 nv */
static void differ(const robot *r, goes *go, const void *how, int j, double h, double *out)
{
    static const double weight[] = {45. / 60, -9. / 60, 1. / 60};
    const int nv = r->nv;
    double q0[NQ], v0[NV], q[NQ], v[NV], tau[NV], q1[NQ], v1[NV], step[NV], moved[NV];
    go(r, how, r->q, r->v, r->tau, q0, v0);
    for (int i = 0; i < 2 * nv; i++) out[i] = 0;
    for (int s = 0; s < 6; s++) {
        const double by = (s % 2 ? -h : h) * (s / 2 + 1), times = (s % 2 ? -1 : 1) * weight[s / 2] / h;
        for (int i = 0; i < nv; i++) {
            step[i] = i == j ? by : 0;
            v[i] = r->v[i] + (nv + i == j ? by : 0);
            tau[i] = r->tau[i] + (2 * nv + i == j ? by : 0);
        }
        CHECK_STATUS(pinion_integrate(r->m, r->q, step, 1, q), PINION_OK);
        go(r, how, q, v, tau, q1, v1);
        CHECK_STATUS(pinion_difference(r->m, q0, q1, moved), PINION_OK);
        for (int i = 0; i < nv; i++) {
            out[i] += times * moved[i];
            out[nv + i] += times * v1[i];
        }
    }
}

static double worst_seen;

static double said_at(const double *A, const double *B, int nv, int i, int j)
{
    return j < 2 * nv ? A[i * 2 * nv + j] : B[i * nv + j - 2 * nv];
}

static void compare(const robot *r, goes *go, const void *how, const double *A, const double *B, const char *name)
{
    const int nv = r->nv;
    double size = 1, found[2 * NV];
    for (int i = 0; i < 4 * nv * nv; i++) size = fmax(size, fabs(A[i]));
    for (int j = 0; j < (B ? 3 : 2) * nv; j++) {
        double worst = INFINITY;
        /* rounding over h: 1e-12, and the derivatives of order seven: where these are large a smaller step has 4096
         * times less of them, but a wrong entry stays wrong */
        for (double h = 2e-3; h > 4e-4 && !(worst <= 1e-9 * size); h /= 4) {
            differ(r, go, how, j, h, found);
            worst = 0;
            for (int i = 0; i < 2 * nv; i++) worst = fmax(worst, fabs(said_at(A, B, nv, i, j) - found[i]));
        }
        worst_seen = fmax(worst_seen, worst / size);
        for (int i = 0; i < 2 * nv; i++) {
            const double said = said_at(A, B, nv, i, j);
            check_count++;
            if (!(fabs(said - found[i]) <= 1e-9 * size))
                CHECK_FAIL("%s: [%d][%d] is %.12g, by differences %.12g", name, i, j, said, found[i]);
        }
    }
}

static void step_once(const robot *r, const void *how, const double *q, const double *v, const double *tau,
                      double *q_out, double *v_out)
{
    const one_step *s = how;
    CHECK_STATUS(pinion_d_step(r->m, r->w, s->method, s->dt, s->passive, q, v, tau, r->f_ext, q_out, v_out, NULL, NULL),
                 PINION_OK);
}

/* How far the speeds v after a step move with the last bit of the state: a long step may turn rounding of its first
 * stage into thousands of times as much. */
static double last_bit(const robot *r, const one_step *s, const double *v, uint64_t *seed)
{
    double q0[NQ], v0[NV], q1[NQ], v1[NV], most = 0;
    for (int turn = 0; turn < 8; turn++) {
        for (int i = 0; i < r->nq; i++) q0[i] = r->q[i] * (1 + DBL_EPSILON * check_between(seed, -1, 1));
        for (int i = 0; i < r->nv; i++) v0[i] = r->v[i] * (1 + DBL_EPSILON * check_between(seed, -1, 1));
        step_once(r, s, q0, v0, r->tau, q1, v1);
        for (int i = 0; i < r->nv; i++) most = fmax(most, fabs(v1[i] - v[i]));
    }
    return most;
}

TEST(a_step_of_either_method)
{
    uint64_t seed = check_seed;
    double A[4 * NV * NV], B[2 * NV * NV], q[NQ], v[NV], q1[NQ], v1[NV];
    for (int trial = 0; trial < 8; trial++) {
        robot r;
        char name[60];
        const pinion_step_method method = trial % 2 ? PINION_STEP_RK4 : PINION_STEP_SEMI_IMPLICIT;
        const int passive = trial / 2 % 2;
        const one_step s = {method, passive ? 0.002 : trial < 4 ? 0.05 : 0.2, passive};
        if (!robot_calm(trial % 3 == 2, &s, 1.5, &seed, &r)) return;
        snprintf(name, sizeof name, "trial %d", trial);
        CHECK_STATUS(pinion_d_step(r.m, r.w, method, s.dt, s.passive, r.q, r.v, r.tau, r.f_ext, q, v, A, B), PINION_OK);
        compare(&r, step_once, &s, A, B, name);

        /* the state is that of a rollout */
        pinion_batch *b = pinion_batch_new(r.m, 1);
        pinion_rollout roll = pinion_rollout_default();
        roll.method = s.method, roll.dt = s.dt, roll.passive = s.passive, roll.tau = r.tau, roll.f_ext = r.f_ext;
        CHECK_STATUS(pinion_batch_rollout(b, 1, &roll, r.q, r.v, q1, v1), PINION_OK);
        const double rounding = fmax(1e-12, 10 * last_bit(&r, &s, v, &seed));
        for (int i = 0; i < r.nq; i++) CHECK_NEAR(q[i], q1[i], rounding * (1 + fabs(q[i])));
        for (int i = 0; i < r.nv; i++) CHECK_NEAR(v[i], v1[i], rounding * (1 + fabs(v[i])));
        pinion_batch_free(b);
        robot_free(&r);
    }
    printf("    worst difference %.2g of the largest entry\n", worst_seen);
}

/* ---- along a rollout ---- */

typedef struct course {
    pinion_batch *b;
    pinion_rollout r;
} course;

/* with tau of the robot in the first interval */
static void roll_on(const robot *r, const void *how, const double *q, const double *v, const double *tau, double *q_out,
                    double *v_out)
{
    const course *c = how;
    pinion_rollout roll = c->r;
    double all[2 * NV];
    memcpy(all, c->r.tau, sizeof *all * 2 * (size_t)r->nv);
    memcpy(all, tau, sizeof *all * (size_t)r->nv);
    roll.tau = all;
    CHECK_STATUS(pinion_batch_rollout(c->b, 1, &roll, q, v, q_out, v_out), PINION_OK);
}

/* four steps under a control law, two for each interval, one joint at its limit: their product is the derivative of the
 * end by the beginning */
TEST(steps_along_a_rollout)
{
    enum { STEPS = 4 };
    uint64_t seed = check_seed + 1;
    robot r;
    if (!robot_new(0, &seed, &r)) return;
    const int nv = r.nv, nn = nv * nv;
    double *A = malloc(sizeof *A * STEPS * 4 * NV * NV), *B = malloc(sizeof *B * STEPS * 2 * NV * NV);
    double *P = malloc(sizeof *P * 4 * NV * NV), *G = malloc(sizeof *G * 4 * NV * NV);
    double *F = calloc(NV * NV, 2 * sizeof *F);
    double tau[2 * NV], q_target[2 * NQ], v_target[2 * NV], kp[NV], kd[NV], limit[NV], q[NQ], v[NV], record[STEPS * NQ];
    course c = {pinion_batch_new(r.m, 1), pinion_rollout_default()};
    if (!A || !B || !P || !G || !F || !c.b) abort();
    r.tau[1] = 100; /* far beyond the limit, whatever the gains add: differences must not leave it */
    for (int k = 0; k < 2; k++) {
        /* less than half a turn away: there the way to the target turns round */
        double away[NV];
        for (int i = 0; i < nv; i++) away[i] = check_between(&seed, -1, 1);
        CHECK_STATUS(pinion_integrate(r.m, r.q, away, 1, q_target + k * r.nq), PINION_OK);
        for (int i = 0; i < nv; i++) tau[k * nv + i] = k ? 1 - r.tau[i] : r.tau[i], v_target[k * nv + i] = 0.1 * i;
    }
    for (int i = 0; i < nv; i++) kp[i] = 2 + 0.1 * i, kd[i] = 0.3, limit[i] = 400;
    limit[1] = 0.01;
    c.r.dt = 0.02, c.r.steps = STEPS, c.r.hold = 2, c.r.method = PINION_STEP_RK4;
    c.r.tau = tau, c.r.q_target = q_target, c.r.v_target = v_target, c.r.kp = kp, c.r.kd = kd, c.r.limit = limit;
    c.r.every = 1, c.r.q_record = record;
    CHECK_STATUS(pinion_batch_d_rollout(c.b, 1, &c.r, r.q, r.v, q, v, A, B), PINION_OK);
    for (int i = 0; i < r.nq; i++) CHECK(record[(STEPS - 1) * r.nq + i] == q[i]);
    c.r.every = 0, c.r.q_record = NULL;
    for (int i = 0; i < nn * 4; i++) P[i] = i / (2 * nv) == i % (2 * nv);
    for (int k = 0; k < STEPS; k++) {
        /* P = A_k P, and F = A_k F + B_k for the steps of the first interval */
        double *next = calloc((size_t)(2 * nn), sizeof *next);
        if (!next) abort();
        for (int i = 0; i < 2 * nv; i++) {
            const double *row = A + k * 4 * nn + i * 2 * nv;
            for (int j = 0; j < 2 * nv; j++) {
                G[i * 2 * nv + j] = 0;
                for (int e = 0; e < 2 * nv; e++) G[i * 2 * nv + j] += row[e] * P[e * 2 * nv + j];
            }
            for (int j = 0; j < nv; j++) {
                next[i * nv + j] = k < 2 ? B[k * 2 * nn + i * nv + j] : 0;
                for (int e = 0; e < 2 * nv; e++) next[i * nv + j] += row[e] * F[e * nv + j];
            }
        }
        memcpy(P, G, sizeof *P * 4 * (size_t)nn);
        memcpy(F, next, sizeof *F * 2 * (size_t)nn);
        free(next);
    }
    compare(&r, roll_on, &c, P, F, "four steps");
    for (int i = 0; i < 2 * nv; i++) CHECK(B[i * nv + 1] == 0); /* a force at its limit does not count */

    /* two states on two threads: the second fails in its first step */
    double two_q[2 * NQ], two_v[2 * NV], *two_A = malloc(sizeof *A * 8 * NV * NV);
    double *two_B = malloc(sizeof *B * 4 * NV * NV);
    pinion_batch *b = pinion_batch_new(r.m, 2);
    pinion_rollout roll = pinion_rollout_default();
    pinion_status status[2];
    if (!two_A || !two_B || !b) abort();
    for (int s = 0; s < 2; s++) {
        memcpy(two_q + s * r.nq, r.q, sizeof *two_q * (size_t)r.nq);
        memcpy(two_v + s * nv, r.v, sizeof *two_v * (size_t)nv);
    }
    two_v[nv] = INFINITY;
    roll.dt = 0.02;
    CHECK_STATUS(pinion_batch_set_status(b, status), PINION_OK);
    CHECK_STATUS(pinion_batch_d_rollout(b, 2, &roll, two_q, two_v, NULL, NULL, two_A, two_B), PINION_ERR_STEP);
    CHECK(status[0] == PINION_OK && status[1] == PINION_ERR_STEP);
    CHECK_HAS(pinion_batch_message(b), "no longer finite");
    CHECK_STATUS(pinion_d_step(r.m, r.w, roll.method, roll.dt, 0, r.q, r.v, NULL, NULL, NULL, NULL, A, B), PINION_OK);
    CHECK(!memcmp(A, two_A, sizeof *A * 4 * (size_t)nn) && !memcmp(B, two_B, sizeof *B * 2 * (size_t)nn));
    CHECK(isnan(two_A[4 * nn]) && isnan(two_B[2 * nn]));
    CHECK_STATUS(pinion_batch_set_layout(b, PINION_LAYOUT_COLUMNS), PINION_OK);
    CHECK_STATUS(pinion_batch_d_rollout(b, 2, &roll, two_q, two_v, NULL, NULL, two_A, two_B), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_batch_message(b), "rows");
    pinion_batch_free(b);
    free(two_A);
    free(two_B);

    /* floats */
    float *A32 = malloc(sizeof *A32 * 4 * NV * NV), *B32 = malloc(sizeof *B32 * 2 * NV * NV), q32[NQ], v32[NV];
    pinion_work_f32 *w32 = pinion_work_f32_new(r.m);
    if (!A32 || !B32 || !w32) abort();
    for (int i = 0; i < r.nq; i++) q32[i] = (float)r.q[i];
    for (int i = 0; i < nv; i++) v32[i] = (float)r.v[i];
    CHECK_STATUS(pinion_d_step_f32(r.m, w32, roll.method, roll.dt, 0, q32, v32, NULL, NULL, NULL, NULL, A32, B32),
                 PINION_OK);
    double size = 1;
    for (int i = 0; i < 4 * nn; i++) size = fmax(size, fabs(A[i]));
    for (int i = 0; i < 4 * nn; i++) CHECK_NEAR(A32[i], A[i], 1e-4 * size);
    for (int i = 0; i < 2 * nn; i++) CHECK_NEAR(B32[i], B[i], 1e-4 * size);
    pinion_work_f32_free(w32);
    free(A32);
    free(B32);
    free(A);
    free(B);
    free(P);
    free(G);
    free(F);
    pinion_batch_free(c.b);
    robot_free(&r);
}

/* A state that fails in its third step has no numbers from there on, in records neither; the other has all. */
TEST(a_state_that_fails_on_the_way)
{
    enum { STEPS = 4 };
    uint64_t seed = check_seed + 3;
    robot r;
    if (!robot_new(0, &seed, &r)) return;
    const size_t nq = (size_t)r.nq, nv = (size_t)r.nv, nn = nv * nv;
    double *A = malloc(sizeof *A * STEPS * 2 * 4 * NV * NV), *B = malloc(sizeof *B * STEPS * 2 * 2 * NV * NV);
    double q[2 * NQ], v[2 * NV], tau[STEPS * 2 * NV], q_record[STEPS * 2 * NQ], v_record[STEPS * 2 * NV];
    pinion_status status[2];
    pinion_batch *b = pinion_batch_new(r.m, 1);
    pinion_rollout c = pinion_rollout_default();
    if (!A || !B || !b) abort();
    for (size_t i = 0; i < 2 * nq; i++) q[i] = r.q[i % nq];
    for (size_t i = 0; i < 2 * nv; i++) v[i] = 0.1 * r.v[i % nv];
    for (size_t i = 0; i < STEPS * 2 * nv; i++) tau[i] = 0;
    for (size_t i = 0; i < nv; i++) tau[(2 * 2 + 1) * nv + i] = 1e9; /* of step 2, state 1: turns by more than 3 rad */
    c.dt = 1e-3, c.steps = STEPS, c.hold = 1, c.tau = tau, c.every = 1, c.q_record = q_record, c.v_record = v_record;
    CHECK_STATUS(pinion_batch_set_status(b, status), PINION_OK);
    CHECK_STATUS(pinion_batch_d_rollout(b, 2, &c, q, v, q, v, A, B), PINION_ERR_STEP);
    CHECK(pinion_batch_failed_state(b) == 1 && status[0] == PINION_OK && status[1] == PINION_ERR_STEP);
    CHECK_HAS(pinion_batch_message(b), "step 2: ");
    for (size_t k = 0; k < STEPS; k++)
        for (size_t s = 0; s < 2; s++) {
            const size_t at = 2 * k + s;
            const int lost = s == 1 && k >= 2;
            for (size_t i = 0; i < nq; i++) CHECK((isnan(q_record[at * nq + i]) != 0) == lost);
            for (size_t i = 0; i < nv; i++) CHECK((isnan(v_record[at * nv + i]) != 0) == lost);
            for (size_t i = 0; i < 4 * nn; i++) CHECK((isnan(A[at * 4 * nn + i]) != 0) == lost);
            for (size_t i = 0; i < 2 * nn; i++) CHECK((isnan(B[at * 2 * nn + i]) != 0) == lost);
        }
    for (size_t i = 0; i < 2 * nq; i++) CHECK((isnan(q[i]) != 0) == (i >= nq));
    for (size_t i = 0; i < 2 * nv; i++) CHECK((isnan(v[i]) != 0) == (i >= nv));
    pinion_batch_free(b);
    free(A);
    free(B);
    robot_free(&r);
}

TEST(what_is_refused)
{
    uint64_t seed = check_seed + 2;
    robot r;
    double A[4 * NV * NV];
    if (!robot_new(0, &seed, &r)) return;
    for (int i = 0; i < r.nv; i++) r.v[i] *= 10;
    CHECK_STATUS(pinion_d_step(r.m, r.w, PINION_STEP_SEMI_IMPLICIT, 1, 0, r.q, r.v, NULL, NULL, NULL, NULL, A, NULL),
                 PINION_ERR_STEP);
    CHECK_HAS(pinion_work_message(r.w), "3 rad");
    CHECK_STATUS(pinion_d_step(r.m, r.w, (pinion_step_method)7, 1, 0, r.q, r.v, NULL, NULL, NULL, NULL, A, NULL),
                 PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_work_message(r.w), "method");

    /* in memory of one's own: as much as is said */
    const size_t enough = pinion_work_size_for(r.m, -1);
    void *memory = malloc(enough);
    pinion_work *own = memory ? pinion_work_init(r.m, memory, pinion_work_size(r.m)) : NULL;
    if (!own) abort();
    CHECK_STATUS(pinion_d_step(r.m, own, PINION_STEP_RK4, 0.01, 0, r.q, NULL, NULL, NULL, NULL, NULL, A, NULL),
                 PINION_ERR_MEMORY);
    CHECK_HAS(pinion_work_message(own), "pinion_work_size_for(m, -1)");
    own = pinion_work_init(r.m, memory, enough);
    CHECK_STATUS(pinion_d_step(r.m, own, PINION_STEP_RK4, 0.01, 0, r.q, NULL, NULL, NULL, NULL, NULL, A, NULL),
                 PINION_OK);
    free(memory);
    robot_free(&r);

    pinion_model *loops = pinion_n_four_bar(2, NULL);
    pinion_work *w = loops ? pinion_work_new(loops) : NULL;
    double q[16] = {0};
    CHECK(w != NULL);
    if (w)
        CHECK_STATUS(pinion_d_step(loops, w, PINION_STEP_RK4, 0.01, 0, q, NULL, NULL, NULL, NULL, NULL, A, NULL),
                     PINION_ERR_UNSUPPORTED);
    pinion_work_free(w);
    pinion_model_free(loops);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_step_of_either_method);
    RUN(steps_along_a_rollout);
    RUN(a_state_that_fails_on_the_way);
    RUN(what_is_refused);
    return CHECK_END();
}
