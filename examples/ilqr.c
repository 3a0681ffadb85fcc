/* Iterative LQR with exact derivatives: a robot goes from one configuration to another within a second and comes to
 * rest there, with little torque. Without arguments an arm does it, then a tree of every type of joint that flies.
 *
 *     example_ilqr [MODEL [free]]      a model's file; free: nothing holds the robot, and its base exerts nothing
 *
 * A step of time is v' = v + dt a(q, v, tau), q' = q (+) dt v'. What it does to small changes x = (dq, dv) and u are
 * the derivatives of forward dynamics and those of (+), all in the tangent space: a robot may turn as it likes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pinion/pinion.h>

enum { STEPS = 50, ITERATIONS = 100 };
static const double dt = 0.02, weight_end = 1e3, weight_torque = 1e-3, weight_velocity = 0.1;

typedef struct problem {
    pinion_model *m;
    pinion_work *w;
    int nq, nv, base, nx, nu;        /* base: velocities that nobody commands; nx = 2 nv */
    double *goal, *q, *v, *u;        /* of all steps, q and v of one more */
    double *q_new, *v_new, *u_new;   /* those that are tried */
    double *A, *B, *K, *k;           /* of all steps: x' = A x + B u, and the law u = k + K x */
    double *V, *g, *D, *P, *Q, *tau; /* the value of x is g' x + x' V x / 2; nv x nv and nx x nx for what is between */
} problem;

/* of this process alone */
static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* C = A B, or with `turned` A' B, where A is rows x inner or the other way round; the rows of C are `apart` */
static void product(int rows, int inner, int columns, const double *A, int turned, const double *B, int apart,
                    double *C)
{
    for (int i = 0; i < rows; i++) {
        double *c = C + i * apart;
        for (int j = 0; j < columns; j++) c[j] = 0;
        for (int k = 0; k < inner; k++) {
            const double a = turned ? A[k * rows + i] : A[i * inner + k];
            for (int j = 0; a != 0 && j < columns; j++) c[j] += a * B[k * columns + j];
        }
    }
}

/* how far q is from the goal, in the place of `error`; what that and the velocity cost in the end */
static double cost_of_end(problem *p, const double *q, const double *v, double *error)
{
    double sum = 0;
    if (pinion_difference(p->m, p->goal, q, error)) return INFINITY;
    for (int i = p->base; i < p->nv; i++) sum += error[i] * error[i] + v[i] * v[i];
    return 0.5 * weight_end * sum;
}

/* The controls u + part k + K x from the start on, x being what is new in the state; returns what they cost. */
static double roll_out(problem *p, double part)
{
    const int nq = p->nq, nv = p->nv, nx = p->nx, nu = p->nu;
    double sum = 0, *x = p->P, *a = p->Q;
    for (int t = 0; t < STEPS; t++) {
        double *q = p->q_new + t * nq, *v = p->v_new + t * nv, *u = p->u_new + t * nu;
        if (pinion_difference(p->m, p->q + t * nq, q, x)) return INFINITY;
        for (int i = 0; i < nv; i++) x[nv + i] = v[i] - p->v[t * nv + i];
        product(nu, nx, 1, p->K + t * nu * nx, 0, x, 1, u);
        for (int i = 0; i < nu; i++) {
            u[i] += p->u[t * nu + i] + part * p->k[t * nu + i];
            sum += 0.5 * dt * weight_torque * u[i] * u[i];
            p->tau[p->base + i] = u[i];
        }
        for (int i = p->base; i < nv; i++) sum += 0.5 * dt * weight_velocity * v[i] * v[i];
        if (pinion_forward_dynamics(p->m, p->w, q, v, p->tau, NULL, a)) return INFINITY;
        for (int i = 0; i < nv; i++) v[nv + i] = v[i] + dt * a[i];
        if (pinion_integrate(p->m, q, v + nv, dt, q + nq)) return INFINITY;
    }
    return sum + cost_of_end(p, p->q_new + STEPS * nq, p->v_new + STEPS * nv, x);
}

/* A and B of step t: the rows of v' are v + dt a, and q' moves by T dq + S dv' */
static int linearize(problem *p, int t)
{
    const int nv = p->nv, nx = p->nx, nu = p->nu, size = nv * nv;
    double *A = p->A + t * nx * nx, *B = p->B + t * nx * nu, *dq = p->D, *dv = dq + size, *dtau = dv + size;
    double *T = p->P, *S = T + size;
    memcpy(p->tau + p->base, p->u + t * nu, (size_t)nu * sizeof *p->tau);
    if (pinion_d_forward_dynamics(p->m, p->w, p->q + t * p->nq, p->v + t * nv, p->tau, NULL, dq, dv, dtau) ||
        pinion_d_integrate(p->m, p->v + (t + 1) * nv, dt, T, S))
        return 0;
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++) {
            A[(nv + i) * nx + j] = dt * dq[i * nv + j];
            A[(nv + i) * nx + nv + j] = (i == j) + dt * dv[i * nv + j];
        }
        for (int j = 0; j < nu; j++) B[(nv + i) * nu + j] = dt * dtau[i * nv + p->base + j];
    }
    product(nv, nv, nx, S, 0, A + nv * nx, nx, A);
    product(nv, nv, nu, S, 0, B + nv * nu, nu, B);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) A[i * nx + j] += T[i * nv + j];
    return 1;
}

/* x = (L L')^-1 x for `columns` columns side by side, after M = L L' in its place with columns = 0; 0: not positive */
static int cholesky(int n, double *M, int columns, double *x)
{
    for (int j = 0; columns == 0 && j < n; j++) {
        for (int k = 0; k < j; k++)
            for (int i = j; i < n; i++) M[i * n + j] -= M[i * n + k] * M[j * n + k];
        if (!(M[j * n + j] > 0)) return 0;
        for (int i = n - 1; i >= j; i--) M[i * n + j] /= sqrt(M[j * n + j]);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++)
            for (int c = 0; c < columns; c++)
                x[i * columns + c] = k < i ? x[i * columns + c] - M[i * n + k] * x[k * columns + c]
                                           : x[i * columns + c] / M[i * n + i];
    for (int i = n - 1; i >= 0; i--)
        for (int k = n - 1; k >= i; k--)
            for (int c = 0; c < columns; c++)
                x[i * columns + c] = k > i ? x[i * columns + c] - M[k * n + i] * x[k * columns + c]
                                           : x[i * columns + c] / M[i * n + i];
    return 1;
}

/* The law of every step, from the last to the first; `damping` keeps it from reaching far. Returns what the cost should
 * fall by; below 0: nothing could be found. */
static double riccati(problem *p, double damping)
{
    const int nv = p->nv, nx = p->nx, nu = p->nu;
    double fall = 0, *J = p->D, *Quu = p->D, *Qu = Quu + nu * nu, *Qx = Qu + nu;
    cost_of_end(p, p->q + STEPS * p->nq, p->v + STEPS * nv, p->g);
    if (pinion_d_difference(p->m, p->g, NULL, J)) return -1;
    memset(p->V, 0, (size_t)(nx * nx) * sizeof *p->V);
    for (int i = 0; i < nv; i++) p->g[nv + i] = p->v[STEPS * nv + i];
    for (int i = 0; i < nx; i++) p->g[i] = i % nv < p->base ? 0 : weight_end * p->g[i];
    for (int i = 0; i < p->base * nv; i++) J[i] = 0;
    product(nv, nv, nv, J, 1, J, nx, p->V);
    memcpy(p->P, p->g, (size_t)nv * sizeof *p->P);
    product(nv, nv, 1, J, 1, p->P, 1, p->g);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) p->V[i * nx + j] *= weight_end;
    for (int i = nv + p->base; i < nx; i++) p->V[i * (nx + 1)] = weight_end;

    for (int t = STEPS - 1; t >= 0; t--) {
        const double *A = p->A + t * nx * nx, *B = p->B + t * nx * nu;
        double *K = p->K + t * nu * nx, *k = p->k + t * nu, *Qux = p->Q + nx * nx;
        product(nx, nx, nu, p->V, 0, B, nu, p->P);
        product(nu, nx, nu, B, 1, p->P, nu, Quu);
        product(nx, nx, nx, p->V, 0, A, nx, p->P);
        product(nu, nx, nx, B, 1, p->P, nx, Qux);
        product(nx, nx, nx, A, 1, p->P, nx, p->Q);
        product(nu, nx, 1, B, 1, p->g, 1, Qu);
        product(nx, nx, 1, A, 1, p->g, 1, Qx);
        for (int i = 0; i < nu; i++) {
            Quu[i * (nu + 1)] += dt * weight_torque + damping;
            Qu[i] += dt * weight_torque * p->u[t * nu + i];
            k[i] = -Qu[i];
            for (int j = 0; j < nx; j++) K[i * nx + j] = -Qux[i * nx + j];
        }
        if (!cholesky(nu, Quu, 0, NULL)) return -1;
        cholesky(nu, Quu, 1, k);
        cholesky(nu, Quu, nx, K);
        for (int i = 0; i < nu; i++) fall -= 0.5 * Qu[i] * k[i];
        /* g = Qx + Qux' k, V = Qxx + Qux' K */
        product(nx, nu, 1, Qux, 1, k, 1, p->g);
        for (int i = 0; i < nx; i++) p->g[i] += Qx[i];
        product(nx, nu, nx, Qux, 1, K, nx, p->V);
        for (int i = 0; i < nx * nx; i++) p->V[i] += p->Q[i];
        for (int i = p->base; i < nv; i++) {
            p->g[nv + i] += dt * weight_velocity * p->v[t * nv + i];
            p->V[(nv + i) * (nx + 1)] += dt * weight_velocity;
        }
    }
    return fall;
}

/* takes over what was tried */
static void accept(problem *p)
{
    double *const pair[3][2] = {{p->q, p->q_new}, {p->v, p->v_new}, {p->u, p->u_new}};
    const int size[3] = {(STEPS + 1) * p->nq, (STEPS + 1) * p->nv, STEPS * p->nu};
    for (int a = 0; a < 3; a++) memcpy(pair[a][0], pair[a][1], (size_t)size[a] * sizeof(double));
}

/* From the start in q_new and v_new towards the goal; returns nonzero when the cost falls no more. How near it then is
 * depends on the weights. */
static int solve(problem *p)
{
    double cost = roll_out(p, 0), derivatives = 0, damping = 1e-4, begin = seconds();
    int done = 0, stuck = 0, iteration = 0;
    accept(p);
    printf("  iteration  0  cost %.6g\n", cost);
    while (!done && !stuck && iteration < ITERATIONS && isfinite(cost)) {
        const double start = seconds();
        int good = 1;
        for (int t = 0; good && t < STEPS; t++) good = linearize(p, t);
        derivatives += seconds() - start;
        double fall, trial, part = 0;
        do {
            fall = good ? riccati(p, damping) : -1;
            trial = fall < 0 ? INFINITY : roll_out(p, part = 1);
            while (fall >= 0 && !(trial < cost) && part > 0.1) trial = roll_out(p, part *= 0.5);
            damping = !(trial < cost) ? 10 * damping : part == 1 ? fmax(0.1 * damping, 1e-12) : damping;
            done = fall >= 0 && fall < 1e-6 * cost;
            stuck = !good || damping >= 1e6;
        } while (!(trial < cost) && !done && !stuck);
        if (trial < cost) {
            cost = trial;
            accept(p);
        }
        printf("  iteration %2d  cost %.6g  part %g, damping %.0e\n", ++iteration, cost, part, damping);
    }
    const double per = 1e3 / (iteration ? iteration : 1), each = per * (seconds() - begin);
    cost_of_end(p, p->q + STEPS * p->nq, p->v + STEPS * p->nv, p->P);
    double farthest = 0;
    for (int i = p->base; i < p->nv; i++) farthest = fmax(farthest, fabs(p->P[i]));
    printf("  %.3g ms an iteration, of which %.3g for %d steps' derivatives; the farthest joint is %.1e away\n", each,
           per * derivatives, STEPS, farthest);
    return done;
}

/* From a random configuration half of the way to another one. On a base the joints begin with what holds the robot. */
static int prepare(problem *p)
{
    const int nq = p->nq, nu = p->nu;
    if (pinion_random(p->m, 1, p->q_new) || pinion_random(p->m, 2, p->goal) ||
        pinion_difference(p->m, p->q_new, p->goal, p->P) || pinion_integrate(p->m, p->q_new, p->P, 0.5, p->goal) ||
        pinion_gravity(p->m, p->w, p->q_new, p->P))
        return 0;
    for (int t = 0; t <= STEPS; t++) memcpy(p->q + t * nq, p->q_new, (size_t)nq * sizeof *p->q);
    for (int t = 0; p->base == 0 && t < STEPS; t++) memcpy(p->u + t * nu, p->P, (size_t)nu * sizeof *p->u);
    return 1;
}

static int run(pinion_model *m, int flying)
{
    problem p;
    memset(&p, 0, sizeof p);
    p.m = m;
    p.w = m ? pinion_work_new(m) : NULL;
    if (!p.w) return 0;
    if (pinion_model_loop_count(m) > 0) {
        puts("closed loops are not for this example: its start and its goal would have to keep them");
        pinion_work_free(p.w);
        pinion_model_free(m);
        return 0;
    }
    const int nq = p.nq = pinion_model_nq(m), nv = p.nv = pinion_model_nv(m), nx = p.nx = 2 * nv;
    p.base = flying ? 6 : 0;
    const int nu = p.nu = nv - p.base;
    const struct {
        double **array;
        int size;
    } part[] = {{&p.goal, nq},
                {&p.q, (STEPS + 1) * nq},
                {&p.v, (STEPS + 1) * nv},
                {&p.u, STEPS * nu},
                {&p.q_new, (STEPS + 1) * nq},
                {&p.v_new, (STEPS + 1) * nv},
                {&p.u_new, STEPS * nu},
                {&p.A, STEPS * nx * nx},
                {&p.B, STEPS * nx * nu},
                {&p.K, STEPS * nx * nu},
                {&p.k, STEPS * nu},
                {&p.V, nx * nx},
                {&p.g, nx},
                {&p.D, nx * nx},
                {&p.P, nx * nx},
                {&p.Q, nx * (nx + nu)},
                {&p.tau, nv}};
    const int parts = (int)(sizeof part / sizeof *part);
    int good = 1;
    for (int a = 0; a < parts; a++) {
        *part[a].array = calloc((size_t)part[a].size + 1, sizeof(double));
        good = good && *part[a].array;
    }
    printf("%s%s, nv = %d\n", pinion_model_name(m), flying ? ", flying" : "", nv);
    good = good && prepare(&p) && solve(&p);
    for (int a = 0; a < parts; a++) free(*part[a].array);
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
    if (!good) puts(err.message[0] ? err.message : "not converged");
    return !good;
}
