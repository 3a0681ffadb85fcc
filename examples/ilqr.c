/* A whole iterative LQR on exact derivatives: within a second a robot goes half of the way from a random configuration
 * to another and rests there, with little torque. `example_ilqr [MODEL [free]]`; without arguments an arm does it, then
 * a tree of every type of joint that flies: nothing holds it, and its base exerts nothing.
 *
 * pinion_d_step has the next state and dx' = A dx + B du, with dx the changes of q, in the tangent space, and of v.
 * The cost from a step on is a quadratic form V over (1, dx), and one step earlier, with (1, dx') = W (1, dx, du), a
 * form Q over these. Then du is eliminated, number by number, which leaves V and the law: each by those before it. */
#include <math.h>
#include <pinion/pinion.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { STEPS = 50, ITERATIONS = 300, NV = 64, NX = 1 + 2 * NV, NZ = NX + NV };
static const double dt = 0.02, at_end = 1e3, on_torque = 2e-5, on_velocity = 2e-3, enough = 1e-6;
static pinion_model *m;
static pinion_work *w;
static int nv, n, N, base; /* velocities; numbers in (1, dx) and (1, dx, du); velocities that no motor drives */
static struct path {
    double q[STEPS + 1][2 * NV], v[STEPS + 1][NV], u[STEPS][NV], W[STEPS][NX][NZ];
} path[2], *now, *next; /* what is changed, and what that leads to */
static double goal[2 * NV], law[STEPS][NV][NZ], V[NX][NX], Q[NZ][NZ], VW[NZ], z[NZ], A[4 * NV * NV], B[2 * NV * NV];

/* Follows the law from the start on, finds W, and returns what it costs. */
static double forward(void)
{
    double cost = 0;
    for (int t = 0; t < STEPS; t++) {
        int bad = pinion_difference(m, now->q[t], next->q[t], z + 1);
        for (int i = 0; i < nv; i++) z[1 + nv + i] = next->v[t][i] - now->v[t][i];
        for (int i = base; i < nv; i++) {
            z[n + i] = -law[t][i][0];
            for (int j = 1; j < n + i; j++) z[n + i] -= law[t][i][j] * z[j];
            const double u = next->u[t][i] = now->u[t][i] + z[n + i], v = next->v[t][i];
            cost += on_torque / 2 * u * u + on_velocity / 2 * v * v;
        }
        bad |= pinion_d_step(m, w, PINION_STEP_SEMI_IMPLICIT, dt, 0, next->q[t], next->v[t], next->u[t], NULL,
                             next->q[t + 1], next->v[t + 1], A, B);
        if (bad) return INFINITY;
        next->W[t][0][0] = 1;
        for (int i = 0; i < 2 * nv; i++) {
            memcpy(next->W[t][1 + i] + 1, A + i * 2 * nv, 2 * (size_t)nv * sizeof *A);
            memcpy(next->W[t][1 + i] + n + base, B + i * nv + base, (size_t)(nv - base) * sizeof *B);
        }
    }
    if (pinion_difference(m, goal, next->q[STEPS], z)) return INFINITY;
    for (int i = base; i < nv; i++) cost += at_end / 2 * (z[i] * z[i] + next->v[STEPS][i] * next->v[STEPS][i]);
    return cost;
}

/* The law, from the last step to the first; `damping` keeps it from reaching far. Returns what the cost should lose. */
static double backward(double damping)
{
    if (pinion_difference(m, goal, now->q[STEPS], z) || pinion_d_difference(m, z, NULL, A)) return NAN;
    memset(Q, 0, sizeof Q);
    for (int i = base; i < nv; i++) { /* squares of what is left of the way, z + A dx, and of the velocities */
        for (int j = 1; j <= nv; j++)
            for (int k = 0; k <= j; k++) Q[j][k] += at_end * A[i * nv + j - 1] * (k ? A[i * nv + k - 1] : z[i]);
        Q[1 + nv + i][0] = at_end * now->v[STEPS][i], Q[1 + nv + i][1 + nv + i] = at_end;
    }
    for (int t = STEPS - 1;; t--) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) V[i][j] = V[j][i] = Q[i][j];
        if (t < 0) return -V[0][0] / 2; /* only what the cost changes by */
        for (int k = 0; k < N; k++) memset(Q[k], 0, (size_t)N * sizeof Q[k][0]);
        for (int i = 0; i < n; i++) { /* W' V W below the diagonal */
            memset(VW, 0, (size_t)N * sizeof VW[0]);
            for (int k = 0; k < n; k++)
                for (int j = 0; j < N; j++) VW[j] += V[i][k] * now->W[t][k][j];
            for (int k = 0; k < N; k++)
                for (int j = 0; j <= k; j++) Q[k][j] += now->W[t][i][k] * VW[j];
        }
        for (int i = base; i < nv; i++) {
            Q[1 + nv + i][0] += on_velocity * now->v[t][i], Q[1 + nv + i][1 + nv + i] += on_velocity;
            Q[n + i][0] += on_torque * now->u[t][i], Q[n + i][n + i] += on_torque + damping;
        }
        for (int k = N - 1; k >= n + base; k--) {
            for (int j = 0; j < k; j++) law[t][k - n][j] = Q[k][j] / Q[k][k];
            for (int i = 0; i < k; i++)
                for (int j = 0; j <= i; j++) Q[i][j] -= Q[k][i] * law[t][k - n][j];
        }
    }
}

/* From rest, with torques that hold a robot on its base, until the cost falls no more. How near the goal that is, the
 * weights decide. */
static int run(pinion_model *model, int flying)
{
    m = model, w = m ? pinion_work_new(m) : NULL;
    nv = w ? pinion_model_nv(m) : NV + 1, n = 1 + 2 * nv, N = n + nv, base = flying ? 6 : 0;
    memset(path, 0, sizeof path), memset(law, 0, sizeof law);
    now = next = &path[0];
    const int good = nv <= NV && !pinion_random(m, 1, now->q[0]) && !pinion_random(m, 2, goal) &&
                     !pinion_difference(m, now->q[0], goal, z) && !pinion_integrate(m, now->q[0], z, 0.5, goal) &&
                     !pinion_gravity(m, w, now->q[0], z);
    for (int t = 0; t < STEPS && good && !flying; t++) memcpy(now->u[t], z, (size_t)nv * sizeof *z);
    double cost = good ? forward() : INFINITY, fall = INFINITY, damping = 1e-4;
    const clock_t begin = clock();
    int k = 0;
    for (next = &path[1]; k < ITERATIONS && isfinite(cost) && fall >= enough * cost; k++) {
        memcpy(next->q[0], now->q[0], sizeof now->q[0]);
        fall = backward(damping);
        const double trial = forward();
        printf("  iteration %2d  cost %.6g, then %.6g with damping %.0e\n", k, cost, trial, damping);
        damping *= trial < cost ? 0.1 : 10;
        if (!(trial < cost)) continue;
        struct path *const old = now;
        now = next, next = old, cost = trial;
    }
    const double ms = 1e3 / CLOCKS_PER_SEC * (double)(clock() - begin);
    printf("%s, nv = %d: %d iterations, %.3g ms an iteration\n", m ? pinion_model_name(m) : "", nv, k, ms / fmax(k, 1));
    pinion_work_free(w);
    pinion_model_free(m);
    return fall < enough * cost;
}

int main(int argc, char **argv)
{
    pinion_error err = {0};
    pinion_load_options options = pinion_load_options_default();
    options.root = argc > 2 ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
    int good = run(pinion_load(argc > 1 ? argv[1] : "models/arm-6dof.json", &options, &err), argc > 2);
    if (argc == 1) good = run(pinion_random_tree(8, 1, 1, &err), 1) && good;
    if (!good) puts(err.message[0] ? err.message : "not converged");
    return !good;
}
