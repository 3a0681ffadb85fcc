/* Times Pinion's contact solvers on problems from standard input, for contact_problems.py: a line each with
 *   SOLVER TOLERANCE ROUNDS N, then mu [N], G [3N][3N], g [3N]
 * answered by the median time of a solution in microseconds, iterations, status, and lambda [3N]. Rows of a contact are
 * normal, tangent, tangent. */
#define _POSIX_C_SOURCE 200809L
#include "pinion/contact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *read_numbers(size_t count)
{
    double *x = malloc((count + 1) * sizeof *x);
    for (size_t i = 0; x && i < count; i++)
        if (scanf("%lf", &x[i]) != 1) exit(1);
    return x;
}

int main(void)
{
    char name[64];
    double tolerance;
    int rounds, n;
    while (scanf("%63s %lf %d %d", name, &tolerance, &rounds, &n) == 4) {
        const size_t rows = 3 * (size_t)n;
        double *mu = read_numbers((size_t)n), *G = read_numbers(rows * rows), *g = read_numbers(rows);
        double *lambda = calloc(rows + 1, sizeof *lambda), *u = calloc(rows + 1, sizeof *u);
        double *times = malloc(((size_t)rounds + 1) * sizeof *times);
        pinion_contact_work *w = pinion_contact_work_new((int)rows);
        pinion_contact_options o = pinion_contact_options_default();
        pinion_contact_solution s;
        pinion_status status = PINION_OK;
        memset(&s, 0, sizeof s);
        o.solver = pinion_contact_solver_find(name);
        o.tolerance = tolerance;
        o.least_norm = 0;
        const pinion_contact_problem p = {n, (int)rows, NULL, mu, G, g, NULL};
        if (!w || !times || !lambda || !u || o.solver < 0) return 1;
        for (int i = 0; i < rounds; i++) {
            const double start = now();
            status = pinion_contact_solve(w, &p, &o, lambda, u, &s);
            times[i] = now() - start;
        }
        qsort(times, (size_t)rounds, sizeof *times, by_size);
        printf("%.3f %d %d", times[rounds / 2], s.iterations, (int)status);
        for (size_t i = 0; i < rows; i++) printf(" %.17g", lambda[i]);
        printf("\n");
        pinion_contact_work_free(w);
        free(mu), free(G), free(g), free(lambda), free(u), free(times);
    }
    return 0;
}
