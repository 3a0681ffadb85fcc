/* Iterative LQR with exact derivatives: a robot goes half of the way from one random configuration to another within
 * a second and comes to rest there, with little torque. Without arguments an arm does it, then a tree of every type of
 * joint that flies.
 *
 *     example_ilqr [MODEL [free]]      a model's file; free: nothing holds the robot, and its base exerts nothing
 *
 * A step of time is v' = v + dt a(q, v, u), q' = q (+) dt v'. What it does to small changes x of q and v, in the
 * tangent space, is x' = A x + B u by the derivatives of forward dynamics and of (+). With a 1 behind x, one matrix V
 * holds a quadratic cost with its gradient, and one K the law with its constant. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pinion/pinion.h>

enum { STEPS = 50, ITERATIONS = 100 };
static const double dt = 0.02, at_end = 1e3, on_torque = 1e-3, on_velocity = 0.1;

typedef struct path {
    double *q, *v, *u; /* of all steps */
} path;

typedef struct problem {
    pinion_model *m;
    pinion_work *w;
    int nq, nv, n, base; /* n = 2 nv + 1; base: the first velocities, which nobody commands and no cost asks for */
    path now, tried;
    double *goal, *A, *B, *K, *V, *W, *Q, *Quu, *Qux, *x; /* A, B and K of all steps: n x n, n x nv, nv x n */
} problem;

/* C = A B, or with `turned` A' B, where C is rows x columns */
static void product(int rows, int inner, int columns, const double *A, int turned, const double *B, double *C)
{
    memset(C, 0, (size_t)(rows * columns) * sizeof *C);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < inner; k++) {
            const double a = turned ? A[k * rows + i] : A[i * inner + k];
            for (int j = 0; a != 0 && j < columns; j++) C[i * columns + j] += a * B[k * columns + j];
        }
}

/* X = M^-1 X by Cholesky's factor, which takes the place of M; 0: M is not positive */
static int solve_positive(int n, double *M, int columns, double *X)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double *x = X + i * columns;
            for (int k = 0; k < j; k++) M[i * n + j] -= M[i * n + k] * M[j * n + k];
            if (i == j && !(M[i * n + i] > 0)) return 0;
            M[i * n + j] = i == j ? sqrt(M[i * n + i]) : M[i * n + j] / M[j * n + j];
            for (int c = 0; c < columns; c++)
                x[c] = i == j ? x[c] / M[i * n + i] : x[c] - M[i * n + j] * X[j * columns + c];
        }
    for (int i = n - 1; i >= 0; i--)
        for (int k = n - 1; k >= i; k--) {
            double *x = X + i * columns;
            for (int c = 0; c < columns; c++)
                x[c] = i == k ? x[c] / M[i * n + i] : x[c] - M[k * n + i] * X[k * columns + c];
        }
    return 1;
}

/* The controls u + K (x, part) from the start on, x being what is new in the state; returns what they cost. */
static double roll_out(problem *p, double part)
{
    const int nq = p->nq, nv = p->nv, n = p->n;
    double sum = 0, *x = p->x;
    for (int t = 0; t <= STEPS; t++) {
        double *q = p->tried.q + t * nq, *v = p->tried.v + t * nv, *u = p->tried.u + t * nv;
        if (pinion_difference(p->m, t < STEPS ? p->now.q + t * nq : p->goal, q, x)) return INFINITY;
        for (int i = p->base; i < nv; i++)
            sum += t < STEPS ? 0.5 * dt * on_velocity * v[i] * v[i] : 0.5 * at_end * (x[i] * x[i] + v[i] * v[i]);
        if (t == STEPS) break;
        for (int i = 0; i < nv; i++) x[nv + i] = v[i] - p->now.v[t * nv + i];
        x[n - 1] = part;
        product(nv, n, 1, p->K + t * nv * n, 0, x, u);
        for (int i = 0; i < nv; i++) {
            u[i] += p->now.u[t * nv + i];
            sum += 0.5 * dt * on_torque * u[i] * u[i];
        }
        if (pinion_forward_dynamics(p->m, p->w, q, v, u, NULL, x)) return INFINITY;
        for (int i = 0; i < nv; i++) v[nv + i] = v[i] + dt * x[i];
        if (pinion_integrate(p->m, q, v + nv, dt, q + nq)) return INFINITY;
    }
    return sum;
}

/* A and B of all steps: v' = v + dt a, of which the base's motors have no part, and q' moves by T dq + S dv' */
static int linearize(problem *p)
{
    const int nv = p->nv, n = p->n, size = nv * nv;
    double *dq = p->W, *dv = dq + size, *dtau = dv + size, *T = p->Q, *S = T + size;
    for (int t = 0; t < STEPS; t++) {
        const double *q = p->now.q + t * p->nq, *v = p->now.v + t * nv, *u = p->now.u + t * nv;
        double *A = p->A + t * n * n, *B = p->B + t * n * nv;
        if (pinion_d_forward_dynamics(p->m, p->w, q, v, u, NULL, dq, dv, dtau) ||
            pinion_d_integrate(p->m, v + nv, dt, T, S))
            return 0;
        for (int i = 0; i < size; i++) {
            double *row = A + (nv + i / nv) * n + i % nv;
            row[0] = dt * dq[i];
            row[nv] = (i % (nv + 1) == 0) + dt * dv[i];
            B[size + i] = i % nv < p->base ? 0 : dt * dtau[i];
        }
        product(nv, nv, n, S, 0, A + nv * n, A);
        product(nv, nv, nv, S, 0, B + size, B);
        for (int i = 0; i < size; i++) A[i / nv * n + i % nv] += T[i];
        A[n * n - 1] = 1;
    }
    return 1;
}

/* The law of every step, from the last to the first; `damping` keeps it from reaching far. Returns what the cost should
 * fall by; below 0: nothing could be found. */
static double riccati(problem *p, double damping)
{
    const int nv = p->nv, n = p->n, one = n - 1;
    double fall = 0, *E = p->A + STEPS * n * n, *V = p->V, *Qux = p->Qux;

    /* in the end |E (x, 1)|^2 counts: what is left of the way, and the velocities */
    if (pinion_difference(p->m, p->goal, p->now.q + STEPS * p->nq, p->x) || pinion_d_difference(p->m, p->x, NULL, p->W))
        return -1;
    memset(E, 0, (size_t)(n * n) * sizeof *E);
    for (int i = p->base; i < nv; i++) {
        memcpy(E + i * n, p->W + i * nv, (size_t)nv * sizeof *E);
        E[i * n + one] = p->x[i];
        E[(nv + i) * n + nv + i] = 1;
        E[(nv + i) * n + one] = p->now.v[STEPS * nv + i];
    }
    product(n, n, n, E, 1, E, V);
    for (int i = 0; i < n * n; i++) V[i] *= at_end;

    for (int t = STEPS - 1; t >= 0; t--) {
        const double *A = p->A + t * n * n, *B = p->B + t * n * nv;
        double *K = p->K + t * nv * n;
        product(n, n, nv, V, 0, B, p->W);
        product(nv, n, nv, B, 1, p->W, p->Quu);
        product(n, n, n, V, 0, A, p->W);
        product(nv, n, n, B, 1, p->W, Qux);
        product(n, n, n, A, 1, p->W, p->Q);
        for (int i = 0; i < nv; i++) {
            p->Quu[i * (nv + 1)] += dt * on_torque + damping;
            Qux[i * n + one] += dt * on_torque * p->now.u[t * nv + i];
        }
        for (int i = 0; i < nv * n; i++) K[i] = -Qux[i];
        if (!solve_positive(nv, p->Quu, n, K)) return -1;
        for (int i = 0; i < nv; i++) fall -= 0.5 * Qux[i * n + one] * K[i * n + one];
        product(n, nv, n, Qux, 1, K, V);
        for (int i = 0; i < n * n; i++) V[i] += p->Q[i];
        for (int i = nv + p->base; i < one; i++) {
            V[i * (n + 1)] += dt * on_velocity;
            V[i * n + one] += dt * on_velocity * p->now.v[t * nv + i - nv];
            V[one * n + i] += dt * on_velocity * p->now.v[t * nv + i - nv];
        }
    }
    return fall;
}

/* takes over what was tried */
static void accept(problem *p)
{
    const path old = p->now;
    p->now = p->tried;
    p->tried = old;
}

/* Returns nonzero when the cost falls no more. How near the goal it then is depends on the weights. */
static int optimize(problem *p)
{
    const double begin = (double)clock();
    double cost = roll_out(p, 0), derivatives = 0, damping = 1e-4, farthest = 0;
    int done = 0, iteration = 0;
    accept(p);
    printf("  iteration  0  cost %.6g\n", cost);
    for (int stuck = 0; !done && !stuck && iteration < ITERATIONS && isfinite(cost);) {
        double fall, trial, part = 0;
        derivatives -= (double)clock();
        const int good = linearize(p);
        derivatives += (double)clock();
        do {
            fall = good ? riccati(p, damping) : -1;
            trial = fall < 0 ? INFINITY : roll_out(p, part = 1);
            while (fall >= 0 && !(trial < cost) && part > 0.1) trial = roll_out(p, part *= 0.5);
            damping = !(trial < cost) ? 10 * damping : part == 1 ? fmax(0.1 * damping, 1e-12) : damping;
            done = fall >= 0 && fall < 1e-6 * cost;
            stuck = !good || damping >= 1e6;
        } while (!(trial < cost) && !done && !stuck);
        if (trial < cost) accept(p), cost = trial;
        printf("  iteration %2d  cost %.6g  part %g, damping %.0e\n", ++iteration, cost, part, damping);
    }
    const double ms = 1e3 / CLOCKS_PER_SEC / (iteration ? iteration : 1);
    if (pinion_difference(p->m, p->goal, p->now.q + STEPS * p->nq, p->x)) return 0;
    for (int i = p->base; i < p->nv; i++) farthest = fmax(farthest, fabs(p->x[i]));
    printf("  %.3g ms an iteration, of which %.3g for %d steps' derivatives; the farthest joint is %.1e away\n",
           ms * ((double)clock() - begin), ms * derivatives, STEPS, farthest);
    return done;
}

static int run(pinion_model *m, int flying)
{
    problem p = {.m = m, .w = m ? pinion_work_new(m) : NULL, .base = flying ? 6 : 0};
    if (!p.w) return 0;
    const int nq = p.nq = pinion_model_nq(m), nv = p.nv = pinion_model_nv(m), n = p.n = 2 * nv + 1;
    const int T = STEPS + 1, count = 16;
    double **const array[] = {&p.goal, &p.now.q, &p.now.v, &p.now.u, &p.tried.q, &p.tried.v, &p.tried.u, &p.x,
                              &p.A,    &p.B,     &p.K,     &p.V,     &p.W,       &p.Q,       &p.Quu,     &p.Qux};
    const int size[] = {nq,        T * nq,     T * nv,     T * nv, T * nq, T * nv, T * nv,  n,
                        T * n * n, T * n * nv, T * n * nv, n * n,  n * n,  n * n,  nv * nv, nv * n};
    size_t total = 0;
    for (int a = 0; a < count; a++) total += (size_t)size[a];
    double *memory = calloc(total, sizeof *memory), *at = memory;
    for (int a = 0; a < count && memory; a++) *array[a] = at, at += size[a];
    printf("%s%s, nv = %d\n", pinion_model_name(m), flying ? ", flying" : "", nv);

    /* start and goal; on a base the joints begin with what holds the robot */
    int good = memory && !pinion_model_loop_count(m) && !pinion_random(m, 1, p.tried.q) &&
               !pinion_random(m, 2, p.goal) &&
               !pinion_difference(m, p.tried.q, p.goal, p.x) && !pinion_integrate(m, p.tried.q, p.x, 0.5, p.goal) &&
               !pinion_gravity(m, p.w, p.tried.q, p.x);
    for (int t = 0; good && t <= STEPS; t++) memcpy(p.now.q + t * nq, p.tried.q, (size_t)nq * sizeof *p.x);
    for (int i = 0; good && !flying && i < STEPS * nv; i++) p.now.u[i] = p.x[i % nv];
    good = good && optimize(&p);
    free(memory);
    pinion_work_free(p.w);
    pinion_model_free(m);
    return good;
}

int main(int argc, char **argv)
{
    pinion_error err = {0};
    pinion_load_options options = pinion_load_options_default();
    const int flying = argc > 2 && strcmp(argv[2], "free") == 0;
    if (argc > 2 + flying) return puts("usage: ilqr [MODEL [free]]"), 2;
    options.root = flying ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
    int good = run(pinion_load(argc > 1 ? argv[1] : "models/arm-6dof.json", &options, &err), flying);
    if (argc == 1) good = run(pinion_random_tree(8, 1, 1, &err), 1) && good;
    if (!good) puts(err.message[0] ? err.message : "not converged, or the model has closed loops");
    return !good;
}
