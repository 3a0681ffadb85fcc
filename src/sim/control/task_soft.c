/* What lower tasks may do near singular positions of higher ones.
 *
 * There a task still takes a direction V, and what is left to lower tasks is what is across it. But with g = J' U, its
 * row, of length s, and H = dg/dy, V turns by H dy / s: where s vanishes, any motion turns it, and a lower task that
 * pushes by p is met by a spring of p |H| / s, as stiff as you like, which no sampled loop holds. So of what a lower
 * task does beside coming to rest, d, it does the d' in what is left, N, with the least
 *
 *     |P (d' - d)|^2 + |c P N_V H d'|^2,   c = p / (s kd^2),
 *
 * N_V being what was free when V was taken: no spring is faster than kd then. Motion that does not turn V keeps all,
 * and the higher task keeps what it has. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "pinion/pinion.h"
#include "sim/control/task_control.h"
#include "sim/ik/ik.h"

#define SOFT 0.1   /* of what a direction could have: that with less is held so, that with twice as much is not */
#define LEAST 1e-5 /* of the same: with less it is no stiffer */
#define FAST 1   /* times kd */
#define STEP 1e-3  /* rad, m: of differences, which are smooth at this size */
#define ROUNDING 1e-15
#define WEAK 0.02  /* of the largest singular value: with less, what a lower task wants there does not count more */

/* Adds u (dJ/dq) of a frame, u [6] a direction of its six: a column of J turns with those before it, and the place
 * moves by those after it, (dJ/dq_a)_b = w_a x J_b, or w_b x v_a where a comes after b. */
static void add_frame(const pinion_tasks *x, const double *u, double *H)
{
    const int nv = x->nv;
    for (int a = 0; a < nv; a++) {
        const double *J = x->J + a, w[3] = {J[0], J[nv], J[2 * nv]};
        for (int b = a; b < nv; b++) {
            const double *K = x->J + b, k[3] = {K[0], K[nv], K[2 * nv]}, l[3] = {K[3 * nv], K[4 * nv], K[5 * nv]};
            double turns[3], goes[3];
            pn_cross3(w, k, turns);
            pn_cross3(w, l, goes);
            H[a * nv + b] += pn_dot3(u, turns) + pn_dot3(u + 3, goes);
            if (b > a) H[b * nv + a] += pn_dot3(u + 3, goes);
        }
    }
}

/* The same of the centre of mass, u [3], by differences. */
static pinion_status add_com(pinion_tasks *x, const double *u, const double *q, double *H)
{
    const int nv = x->nv;
    const double mass = pinion_model_mass(x->m);
    double *along = x->a_target;
    memset(along, 0, (size_t)nv * sizeof *along);
    for (int a = 0; a < nv; a++)
        for (int side = -1; side <= 1; side += 2) {
            along[a] = side;
            pinion_status status = pinion_integrate(x->m, q, along, STEP, x->q);
            if (status == PINION_OK)
                status = pinion_centroidal(x->m, x->w, x->q, NULL, x->centroidal, NULL, NULL);
            if (status != PINION_OK) return status;
            along[a] = 0;
            for (int i = 0; i < 3; i++)
                for (int b = 0; b < nv; b++)
                    H[a * nv + b] += side * u[i] * x->centroidal[(3 + i) * nv + b] / (2 * STEP * mass);
        }
    return PINION_OK;
}

/* x->turn becomes H, a row for each place of y, of the direction with these U of a level. Rows of postures are the same
 * anywhere. */
static pinion_status turn_of(pinion_tasks *x, int rows, const double *U, const double *q)
{
    const int n = x->rank, nv = x->nv, nu = x->nu;
    double *H = x->bends;
    memset(H, 0, (size_t)nv * (size_t)nv * sizeof *H);
    for (int first = 0, end; first < rows; first = end) {
        const pinion_task *task = &x->task[x->whose[first]];
        double u[6] = {0};
        pinion_status status = PINION_OK;
        for (end = first; end < rows && x->whose[end] == x->whose[first]; end++)
            if (task->kind != PINION_TASK_POSTURE) u[x->axis[end]] = U[end] * x->weight[end];
        if (task->kind == PINION_TASK_COM) status = add_com(x, u + 3, q, H);
        if (task->kind == PINION_TASK_FRAME) {
            status = pinion_jacobian(x->m, x->w, q, task->frame, PINION_REFERENCE_WORLD_ALIGNED, x->J);
            if (status == PINION_OK) add_frame(x, u, H);
        }
        if (status != PINION_OK) return status;
    }
    /* P' H P */
    memset(x->turn, 0, (size_t)n * (size_t)n * sizeof *x->turn);
    for (int i = 0; i < nv; i++) {
        for (int k = 0; k < n; k++) x->row[k] = 0;
        for (int j = 0; j < nv; j++)
            for (int k = 0; k < n; k++) x->row[k] += H[i * nv + j] * x->P[j * nu + k];
        for (int a = 0; a < n; a++)
            for (int k = 0; k < n; k++) x->turn[a * n + k] += x->P[i * nu + a] * x->row[k];
    }
    return PINION_OK;
}

/* x->joints becomes P' P. */
static void joint_lengths(pinion_tasks *x)
{
    const int n = x->rank;
    memset(x->joints, 0, (size_t)n * (size_t)n * sizeof *x->joints);
    for (int j = 0; j < x->nv; j++) {
        const double *P = x->P + (size_t)j * (size_t)x->nu;
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++) x->joints[a * n + b] += P[a] * P[b];
    }
}

pinion_status pn_tasks_soften(pinion_tasks *x, int rows, int i, double has, double length, double kd,
                              const double *q, double *turns)
{
    const int n = x->rank;
    const double *V = x->A + (size_t)i * (size_t)n;
    *turns = 0;
    const double t = fmin(1, 2 - length / SOFT), near = t * t * (3 - 2 * t);
    if (!(t > 0) || !(kd > 0)) return PINION_OK;
    const pinion_status status = turn_of(x, rows, x->U + (size_t)i * (size_t)rows, q);
    if (status != PINION_OK) return status;
    const double c = near / (hypot(1, LEAST / has) * x->s[i] * FAST * FAST * kd * kd);
    for (int a = 0; a < n; a++) { /* N_V H, column by column */
        double *H = x->turn + (size_t)a * (size_t)n;
        for (int k = 0; k < n; k++) x->row[k] = pn_dot(n, x->N + (size_t)k * (size_t)n, H);
        for (int k = 0; k < n; k++) H[k] = x->row[k];
    }
    for (int k = 0; k < n; k++) {
        double part = 0;
        for (int a = 0; a < n; a++) part += V[a] * x->turn[a * n + k];
        *turns += part * part;
    }
    *turns = sqrt(*turns);
    if (!x->soft) joint_lengths(x);
    for (int a = 0; a < n; a++) {
        for (int k = 0; k < n; k++) x->row[k] = pn_dot(n, x->joints + (size_t)k * (size_t)n, x->turn + a * n);
        for (int b = 0; b < n; b++) x->hold[a * n + b] += c * c * pn_dot(n, x->row, x->turn + b * n);
    }
    x->soft = 1;
    return PINION_OK;
}

double pn_tasks_push(pinion_tasks *x, int rows)
{
    const int n = x->rank;
    double *A = x->wish, *U = A + (size_t)rows * (size_t)n, *s = U + (size_t)rows * (size_t)rows, sum = 0;
    memcpy(A, x->A, (size_t)rows * (size_t)n * sizeof *A);
    pn_svd(rows, n, A, U, s);
    for (int i = 0; i < rows; i++) {
        const double wants = pn_dot(rows, U + (size_t)i * (size_t)rows, x->b);
        if (s[0] > 0) sum += pow(wants * s[i] / (s[i] * s[i] + pow(WEAK * s[0], 2)), 2);
    }
    return sqrt(sum);
}

/* F = N X N, through x->T */
static void within(pinion_tasks *x, const double *N, const double *X, double *F)
{
    const int n = x->rank;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) x->T[a * n + b] = pn_dot(n, N + a * n, X + b * n);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) F[a * n + b] = pn_dot(n, x->T + a * n, N + b * n);
}

void pn_tasks_hold_back(pinion_tasks *x, double push, const double *N, double *d)
{
    const int n = x->rank;
    double *F = x->turn, size = 0;
    for (int a = 0; a < n; a++) x->row[a] = pn_dot(n, x->joints + a * n, d), size += x->joints[a * n + a] / n;
    for (int a = 0; a < n; a++) d[a] = pn_dot(n, N + a * n, x->row);
    for (int i = 0; i < n * n; i++) x->kept[i] = x->joints[i] + push * push * x->hold[i];
    within(x, N, x->kept, F);
    for (int i = 0; i < n * n; i++) F[i] += size * ((i % (n + 1) == 0) - N[i]); /* nothing is there */
    for (int a = 0; a < n; a++) {                                              /* by Cholesky */
        for (int b = 0; b <= a; b++) {
            const double part = F[a * n + b] - pn_dot(b, F + a * n, F + b * n);
            F[a * n + b] = a == b ? sqrt(fmax(part, ROUNDING * F[a * n + a])) : part / F[b * n + b];
        }
        d[a] = (d[a] - pn_dot(a, F + a * n, d)) / F[a * n + a];
    }
    for (int a = n - 1; a >= 0; a--) {
        for (int b = a + 1; b < n; b++) d[a] -= F[b * n + a] * d[b];
        d[a] /= F[a * n + a];
    }
}
