/* What lower tasks may do near singular positions of higher ones.
 *
 * A stretched arm whose target is out of reach is where its task is met best, but by first order the task has no row
 * there: with g = J' U, the row of the direction that is singular, all joints that would bend the arm look free. A
 * lower task that bends it is met by the higher one as soon as it has: an endless quarrel, the faster the nearer. What
 * tells them apart is the second order (Pfeiffer, Escande & Righetti 2018, who take Newton's method in place of
 * Gauss's near singular positions, that lower tasks find no freedom where there is none). Where the task lacks l along
 * U, a motion e takes it away from there by e' C e / 2,
 *
 *     C = -l H,   H = dg/dy,
 *
 * and of what the task's rows leave free it takes the directions in which C bends, to come to rest in them. What is
 * left is smooth: C and what it takes change as little as the place does, at the singular position itself, too. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "pinion/pinion.h"
#include "sim/control/task_control.h"
#include "sim/ik/ik.h"

#define SOFT 0.1  /* of what a direction could have: with less its second order counts, with twice as much not */
#define BENDS 1e-3 /* of kd: what bends back faster is taken, what is slower is left by and by */
#define NOTHING 1e-12 /* rounding */
#define STEP 1e-3 /* rad, m: of differences, which are smooth at this size */

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

pinion_status pn_tasks_soften(pinion_tasks *x, int rows, int i, double length, double lacks, const double *q,
                              double *turns)
{
    const int n = x->rank;
    const double *V = x->A + (size_t)i * (size_t)n, t = fmin(1, 2 - length / SOFT), near = t * t * (3 - 2 * t);
    *turns = 0;
    if (!(t > 0)) return PINION_OK;
    const pinion_status status = turn_of(x, rows, x->U + (size_t)i * (size_t)rows, q);
    if (status != PINION_OK) return status;
    for (int k = 0; k < n; k++) {
        x->row[k] = 0;
        for (int a = 0; a < n; a++) x->row[k] += V[a] * x->turn[a * n + k];
    }
    for (int k = 0; k < n; k++) *turns += pow(pn_dot(n, x->N + k * n, x->row), 2);
    *turns = sqrt(*turns);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            x->bend[a * n + b] -= 0.5 * near * lacks * (x->turn[a * n + b] + x->turn[b * n + a]);
    x->soft = 1;
    return PINION_OK;
}

/* F = N X N, through x->T */
static void within(pinion_tasks *x, const double *X, double *F)
{
    const int n = x->rank;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) x->T[a * n + b] = pn_dot(n, x->N + a * n, X + b * n);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) F[a * n + b] = pn_dot(n, x->T + a * n, x->N + b * n);
}

void pn_tasks_take_bends(pinion_tasks *x, double kd)
{
    const int n = x->rank;
    double *e = x->turn, *s = x->bent, shift = 0;
    within(x, x->bend, e);
    for (int i = 0; i < n * n; i++) shift += e[i] * e[i];
    shift = sqrt(shift);
    for (int i = 0; i < n; i++) e[i * (n + 1)] += shift; /* so that singular values are those of eigenvectors */
    pn_svd(n, n, e, x->bend, s);
    for (int k = 0; k < n && s[k] - shift > NOTHING * shift; k++, e += n) { /* others go nearer to what is wanted */
        double moves = 0;
        for (int j = 0; j < x->nv; j++) moves += pow(pn_dot(n, x->P + (size_t)j * (size_t)x->nu, e), 2);
        const double t = fmin(1, (s[k] - shift) / (moves * pow(BENDS * kd, 2))), part = t * t * (3 - 2 * t);
        for (int a = 0; a < n; a++) x->y[a] = pn_dot(n, x->N + a * n, e);
        const double rests = -pn_dot(n, x->y, x->falls) - pn_dot(n, x->y, x->sum) - kd * pn_dot(n, x->y, x->speed);
        for (int a = 0; a < n; a++) x->sum[a] += part * rests * x->y[a];
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++) x->N[a * n + b] -= part * e[a] * x->y[b];
    }
}
