/* Control in task space: see tasks.h. With C a = c what loops and held frames ask for,
 *
 *     a = M^-1 (B u - h + C' lambda),   (C M^-1 C') lambda = c - C M^-1 (B u - h)
 *
 * is a_0 + P u, and the tasks' A u = b with A = J P, b = wanted - J a_0 are solved one priority after the other, each
 * in what the ones before leave free (Siciliano & Slotine 1991), by singular values.
 *
 * They are those of A G, where u = G y has the length |P u| in the norm of M: P' M P = B' P =: K = G^-T G^-1. So
 * units, gears and the sizes of motors have no say in what is near singular, nor has inertia: of a direction the
 * acceleration of the task is compared with that of the joints. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "pinion/actuators.h"
#include "pinion/loops.h"
#include "pinion/pinion.h"
#include "sim/control/task_control.h"
#include "sim/ik/ik.h"

#define DEPENDENT 1e-11 /* of the largest pivot: constraints that follow from others, actuators that add nothing */
/* Of what a task has in directions that are not singular: where one has less, it is met in part, for accelerations
 * would grow without bound. Where it moves so fast that it would be singular within 0.1/kd that begins earlier. And
 * where it has nearly nothing, it is left to what comes after. */
#define DAMPED 0.02
#define DAMPED_FAST 0.2
#define LEFT 1e-3
#define FLAT 3e-4 /* of its scale: what bends by more as it moves is not left, for it would come and go */
/* Of what a direction had before higher tasks took theirs: what has less is not met; where they are nearly singular,
 * and in fast motion, for what is left turns quickly then; and elsewhere. */
#define MOSTLY 0.3
#define PARTLY 0.05
#define NEAR 0.1 /* rad, m: of positions where frames that are held may leave less than at the start */
#define NOTHING 1e-11 /* rounding */
#define FAST 1.5      /* times kd: what a stretched arm may swing with */
#define SOME 3        /* places bend by no more than about ten times their scale */
#define TIED 1e-6     /* of what a direction could do: less is nothing */
#define WANTED 1e-6   /* of all that tasks want, and 1e-6 of 1/s^2: less is nothing */

/* ---------------------------------------------------------------------------------------------
 * What the actuators can do */

/* y = A x, A [rows][n] */
static void product(int rows, int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < rows; i++) y[i] = pn_dot(n, A + (size_t)i * (size_t)n, x);
}

/* C and c: the loops, then the frames that are held. */
static pinion_status constrain(pinion_tasks *x, double t, const double *q, const double *v)
{
    const pinion_constraints loops = {.L = x->C, .c = x->c};
    const pinion_reference world = PINION_REFERENCE_WORLD_ALIGNED;
    pinion_status status = x->loop_rows ? pinion_constraints_at(x->m, x->w, t, q, v, &loops) : PINION_OK;
    int row = x->loop_rows;
    for (int i = 0; i < x->held_count && status == PINION_OK; i++) {
        const int first = x->held[i].point ? 3 : 0;
        double rate[6];
        status = pinion_jacobian(x->m, x->w, q, x->held[i].frame, world, x->J);
        if (status == PINION_OK) status = pinion_jacobian_dot_v(x->m, x->w, q, v, x->held[i].frame, world, rate);
        for (int k = first; k < 6 && status == PINION_OK; k++, row++) {
            memcpy(x->C + (size_t)row * (size_t)x->nv, x->J + (size_t)k * (size_t)x->nv, (size_t)x->nv * sizeof *x->C);
            x->c[row] = -rate[k];
        }
    }
    return status;
}

/* S = C M^-1 C' becomes its factors, rows that depend on others last; returns how many do not. */
static int factor(pinion_tasks *x)
{
    const int n = x->rows;
    double largest = 0;
    for (int i = 0; i < n; i++) x->pivot[i] = i;
#define ENTRY(i, j) x->S[(size_t)x->pivot[i] * (size_t)n + (size_t)x->pivot[j]]
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (ENTRY(i, i) > ENTRY(best, best)) best = i;
        const int swap = x->pivot[k];
        x->pivot[k] = x->pivot[best];
        x->pivot[best] = swap;
        if (k == 0) largest = ENTRY(0, 0);
        if (!(ENTRY(k, k) > DEPENDENT * largest)) return k;
        for (int i = k + 1; i < n; i++) {
            ENTRY(i, k) /= ENTRY(k, k);
            for (int j = k + 1; j < n; j++) ENTRY(i, j) -= ENTRY(i, k) * ENTRY(k, j);
        }
    }
    return n;
}

/* x->rhs becomes the multipliers. */
static void multipliers(pinion_tasks *x, int rank)
{
    const int n = x->rows;
    for (int i = 0; i < rank; i++)
        for (int j = 0; j < i; j++) x->rhs[x->pivot[i]] -= ENTRY(i, j) * x->rhs[x->pivot[j]];
    for (int i = rank - 1; i >= 0; i--) {
        for (int j = i + 1; j < rank; j++) x->rhs[x->pivot[i]] -= ENTRY(i, j) * x->rhs[x->pivot[j]];
        x->rhs[x->pivot[i]] /= ENTRY(i, i);
    }
    for (int i = rank; i < n; i++) x->rhs[x->pivot[i]] = 0;
#undef ENTRY
}

/* a_0 in x->free and P, whose columns are the actuators'. */
static pinion_status respond(pinion_tasks *x, double t, const double *q, const double *v)
{
    const int nv = x->nv, nu = x->nu, rows = x->rows;
    x->fixed = 0;
    pinion_status status = pinion_inverse_dynamics(x->m, x->w, q, v, NULL, NULL, x->h);
    if (status == PINION_OK) status = pinion_mass_matrix_inverse(x->m, x->w, q, x->inverse);
    if (status == PINION_OK) status = pinion_actuation_matrix(x->m, x->w, q, x->B);
    if (status == PINION_OK && rows) status = constrain(x, t, q, v);
    if (status != PINION_OK) return status;
    product(nv, nv, x->inverse, x->h, x->free);
    for (int i = 0; i < nv; i++) x->free[i] = -x->free[i];
    memset(x->P, 0, (size_t)nv * (size_t)nu * sizeof *x->P);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++)
            for (int k = 0; k < nu; k++) x->P[i * nu + k] += x->inverse[i * nv + j] * x->B[j * nu + k];
    if (!rows) return PINION_OK;

    /* X is C M^-1, a row for each constraint */
    for (int i = 0; i < rows; i++) {
        double *row = x->X + (size_t)i * (size_t)nv;
        product(nv, nv, x->inverse, x->C + (size_t)i * (size_t)nv, row);
        product(rows, nv, x->C, row, x->S + (size_t)i * (size_t)rows);
    }
    const int rank = x->fixed = factor(x);
    for (int k = -1; k < nu; k++) {
        /* a_0 is to have C a = c, a column of P C a = 0 */
        for (int i = 0; i < rows; i++) {
            const double *row = x->C + (size_t)i * (size_t)nv;
            double sum = k < 0 ? x->c[i] : 0;
            for (int j = 0; j < nv; j++) sum -= row[j] * (k < 0 ? x->free[j] : x->P[j * nu + k]);
            x->rhs[i] = sum;
        }
        multipliers(x, rank);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < nv; j++)
                *(k < 0 ? &x->free[j] : &x->P[j * nu + k]) += x->X[(size_t)i * (size_t)nv + (size_t)j] * x->rhs[i];
    }
    return PINION_OK;
}

/* What an actuator would do if nothing were held, B' M^-1 B. */
static double unheld(const pinion_tasks *x, int actuator)
{
    const int nv = x->nv, nu = x->nu;
    double sum = 0;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) sum += x->B[i * nu + actuator] * x->inverse[i * nv + j] * x->B[j * nu + actuator];
    return sum;
}

/* K = B' P = L L', x->at in the order of its pivots, each of them as a part of its diagonal: the first x->rank do not
 * depend on others. */
static void measure(pinion_tasks *x)
{
    const int nv = x->nv, nu = x->nu;
    double *L = x->L, *K = x->T, *left = x->row;
    for (int i = 0; i < nu; i++) {
        for (int k = 0; k < nu; k++) {
            K[i * nu + k] = 0;
            for (int j = 0; j < nv; j++) K[i * nu + k] += x->B[j * nu + i] * x->P[j * nu + k];
        }
        x->at[i] = i;
        left[i] = K[i * nu + i] > DEPENDENT * unheld(x, i) ? K[i * nu + i] : 0; /* the others only pull at what holds */
    }
    memset(L, 0, (size_t)nu * (size_t)nu * sizeof *L);
    for (x->rank = 0; x->rank < nu; x->rank++) {
        const int k = x->rank;
        int best = k;
        double most = 0;
        for (int i = k; i < nu; i++) {
            const double part = left[x->at[i]] / K[x->at[i] * nu + x->at[i]];
            if (part > most) most = part, best = i;
        }
        if (!(most > DEPENDENT)) return;
        const int pivot = x->at[best];
        x->at[best] = x->at[k];
        x->at[k] = pivot;
        const double root = L[pivot * nu + k] = sqrt(left[pivot]);
        for (int i = k + 1; i < nu; i++) {
            const int row = x->at[i];
            L[row * nu + k] = (K[row * nu + pivot] - pn_dot(k, L + row * nu, L + pivot * nu)) / root;
            left[row] -= L[row * nu + k] * L[row * nu + k];
        }
    }
}

/* y = G' r */
static void to_measure(const pinion_tasks *x, const double *r, double *y)
{
    for (int i = 0; i < x->rank; i++) {
        const double *L = x->L + (size_t)x->at[i] * (size_t)x->nu;
        y[i] = (r[x->at[i]] - pn_dot(i, L, y)) / L[i];
    }
}

/* L becomes Q, with columns of length one, where L = Q T: the least u that is G y is Q T^-T y. */
static void orthogonalize(pinion_tasks *x)
{
    const int nu = x->nu, n = x->rank;
    double *Q = x->L, *T = x->T;
    memset(T, 0, (size_t)n * (size_t)n * sizeof *T);
    for (int k = 0; k < n; k++) {
        double length = 0;
        for (int again = 0; again < 2; again++)
            for (int j = 0; j < k; j++) {
                double part = 0;
                for (int i = 0; i < nu; i++) part += Q[i * nu + j] * Q[i * nu + k];
                for (int i = 0; i < nu; i++) Q[i * nu + k] -= part * Q[i * nu + j];
                T[j * n + k] += part;
            }
        for (int i = 0; i < nu; i++) length += Q[i * nu + k] * Q[i * nu + k];
        T[k * n + k] = sqrt(length);
        for (int i = 0; i < nu; i++) Q[i * nu + k] /= T[k * n + k];
    }
}

/* x = T^-T y */
static void to_forces(const pinion_tasks *x, const double *y, double *out)
{
    const int n = x->rank;
    for (int i = 0; i < n; i++) {
        double sum = y[i];
        for (int j = 0; j < i; j++) sum -= x->T[j * n + i] * out[j];
        out[i] = sum / x->T[i * n + i];
    }
}

/* ---------------------------------------------------------------------------------------------
 * One priority after the other */

/* How much a row has of the joints' accelerations where it is not singular: of directions in space the longest of
 * three, for at a singular position a row itself is short. */
static double row_scale(const pinion_tasks *x, const pinion_task *task, int row)
{
    double most = 0;
    if (task->kind == PINION_TASK_POSTURE) return 1;
    for (int i = row - row % 3; i < row - row % 3 + 3; i++) {
        const double *J = x->J + (size_t)i * (size_t)x->nv;
        most = fmax(most, pn_dot(x->nv, J, J));
    }
    return sqrt(most);
}

/* Adds the rows of a task to A y = b, by the roots of its weights; returns how many there are then. */
static int add_rows(pinion_tasks *x, const pinion_task *task, int rows)
{
    const int nv = x->nv, n = x->rank, count = pn_task_rows(x, task);
    for (int i = 0; i < count; i++) {
        const double own = task->kind == PINION_TASK_POSTURE ? task->joints[i]
                           : task->kind == PINION_TASK_COM   ? task->axes[3 + i]
                                                             : task->axes[i];
        if (!(own > 0)) continue;
        const double weight = sqrt(task->weight * own), *J = x->J + (size_t)i * (size_t)nv;
        double *A = x->A + (size_t)rows * (size_t)n;
        for (int k = 0; k < n; k++) A[k] = 0;
        for (int j = 0; j < nv; j++)
            for (int k = 0; k < n && J[j] != 0; k++) A[k] += weight * J[j] * x->P[j * x->nu + k];
        for (int j = 0; j < nv; j++) x->plain[rows * nv + j] = weight * J[j];
        x->whose[rows] = (int)(task - x->task);
        x->scale[rows] = weight * row_scale(x, task, i);
        x->kd[rows] = task->kd;
        x->weight[rows] = weight;
        x->axis[rows] = task->kind == PINION_TASK_COM ? 3 + i : i;
        x->b[rows++] = weight * (x->wanted[i] - pn_dot(nv, J, x->free));
    }
    return rows;
}

/* The part of a direction that has so much of what it could have that is given up, so that forces stay bounded: none
 * from `enough` on. */
static double given_up(double has, double enough)
{
    const double damping = fmax(0, enough - has);
    return damping * damping / (has * has + damping * damping);
}

/* The direction i of a level in what is free, x->y = N V. */
static void direction(pinion_tasks *x, int i)
{
    const int n = x->rank;
    const double *V = x->A + (size_t)i * (size_t)n;
    for (int k = 0; k < n; k++) x->y[k] = 0;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++) x->y[k] += x->N[j * n + k] * V[j];
}

/* How much the direction i of a level has of what it could have, and how much it is to have; the kd of its tasks, and
 * how they are scaled. */
static double share(const pinion_tasks *x, int rows, int i, const double *v, double *soon, double *kd, double *scale)
{
    const double *U = x->U + (size_t)i * (size_t)rows;
    double moves = 0, speed = 0;
    *kd = *scale = 0;
    for (int k = 0; k < rows; k++) {
        *scale += U[k] * U[k] * x->scale[k] * x->scale[k];
        *kd += U[k] * U[k] * x->kd[k];
    }
    *scale = sqrt(*scale);
    const double *V = x->A + (size_t)i * (size_t)x->rank;
    for (int j = 0; j < x->nv; j++) {
        const double a = pn_dot(x->rank, x->P + (size_t)j * (size_t)x->nu, V);
        moves += a * a;
        speed += a * v[j];
    }
    moves = sqrt(moves);
    /* of v what is along the direction, in either norm: what joints to spare do has no part in one of them */
    speed = fmin(fabs(speed) / moves, fabs(pn_dot(x->rank, V, x->speed)) * moves);
    const double turns = *kd > 0 ? speed / *kd : 0;
    *soon = fmax(fmin(0.1 * turns, DAMPED_FAST), turns * turns);
    return x->s[i] / (*scale * moves);
}

/* How much the place that tasks want along the direction i of a level bends away, by its scale, where the joints move
 * along x->y by 1: what a stretched arm has there. */
static pinion_status curvature(pinion_tasks *x, int rows, int i, double scale, const double *q, double *bend)
{
    const double *U = x->U + (size_t)i * (size_t)rows, mass = pinion_model_mass(x->m);
    double *along = x->a_target, length = 0, rate[6] = {0};
    for (int j = 0; j < x->nv; j++) {
        along[j] = pn_dot(x->rank, x->P + (size_t)j * (size_t)x->nu, x->y);
        length += along[j] * along[j];
    }
    *bend = 0;
    for (int k = 0; k < rows; k++) {
        const pinion_task *task = &x->task[x->whose[k]];
        const int com = task->kind == PINION_TASK_COM;
        if (task->kind == PINION_TASK_POSTURE) continue;
        pinion_status status = PINION_OK;
        if (com && (k == 0 || x->whose[k] != x->whose[k - 1]))
            status = pinion_centroidal(x->m, x->w, q, along, x->centroidal, rate, NULL);
        else if (k == 0 || x->whose[k] != x->whose[k - 1])
            status = pinion_jacobian_dot_v(x->m, x->w, q, along, task->frame, PINION_REFERENCE_WORLD_ALIGNED, rate);
        if (status != PINION_OK) return status;
        *bend += U[k] * x->weight[k] * rate[x->axis[k]] / (com ? mass : 1);
    }
    *bend /= length * scale;
    return PINION_OK;
}

/* How much the direction i of a level has of J, and how much of what actuators do: of each of its tasks by itself, so
 * that tasks against each other do not look singular. */
static void extent(pinion_tasks *x, int rows, int i, double *length, double *reach)
{
    const double *U = x->U + (size_t)i * (size_t)rows;
    *length = *reach = 0;
    for (int first = 0, end; first < rows; first = end) {
        for (end = first; end < rows && x->whose[end] == x->whose[first];) end++;
        for (int k = 0; k < x->rank; k++) x->row[k] = 0;
        for (int j = 0; j < x->nv; j++) {
            double part = 0;
            for (int k = first; k < end; k++) part += U[k] * x->plain[k * x->nv + j];
            for (int k = 0; k < x->rank; k++) x->row[k] += part * x->P[j * x->nu + k];
            *length += part * part;
        }
        *reach += pn_dot(x->rank, x->row, x->row);
    }
}

/* Whether the direction i of a level is one of postures that loops or what is held do not allow: joints that are tied
 * to each other cannot all be where they should, and nobody means that. */
static int is_tied(pinion_tasks *x, int rows, int i)
{
    const double *U = x->U + (size_t)i * (size_t)rows;
    const int nv = x->nv;
    double *along = x->h, *moves = x->error, others = 0;
    if (!x->rows) return 0;
    memset(along, 0, (size_t)nv * sizeof *along);
    for (int k = 0; k < rows; k++) {
        if (x->task[x->whose[k]].kind != PINION_TASK_POSTURE) others += U[k] * U[k];
        for (int j = 0; j < nv; j++) along[j] += U[k] * x->plain[k * nv + j];
    }
    product(nv, nv, x->inverse, along, moves);
    const double loose = pn_dot(nv, along, moves);
    product(x->rows, nv, x->C, moves, x->rhs);
    multipliers(x, x->fixed);
    for (int k = 0; k < x->rows; k++)
        for (int j = 0; j < nv; j++) moves[j] -= x->X[(size_t)k * (size_t)nv + (size_t)j] * x->rhs[k];
    return others < TIED && pn_dot(nv, along, moves) < TIED * loose;
}

/* Whether the direction i of a level is one that its tasks want and that is singular, or out of the actuators' reach,
 * by itself: what tasks before them have taken was not theirs. */
static int is_denied(pinion_tasks *x, int rows, int i)
{
    const double *U = x->U + (size_t)i * (size_t)rows, size = sqrt(pn_dot(rows, x->b, x->b));
    double scale = 0, all = 0, length, reach;
    if (!(fabs(pn_dot(rows, U, x->b)) > WANTED * (1 + size)) || is_tied(x, rows, i)) return 0;
    for (int k = 0; k < rows; k++) scale += U[k] * U[k] * x->scale[k] * x->scale[k];
    for (int j = 0; j < x->nv; j++) all += pn_dot(x->rank, x->P + j * x->nu, x->P + j * x->nu);
    extent(x, rows, i, &length, &reach);
    return length < 4 * DAMPED_FAST * DAMPED_FAST * scale || !(reach > NOTHING * NOTHING * length * all);
}

/* x->sum goes to the least squares of the rows, as far as N leaves it free, and N loses what that took. A direction
 * that is nearly singular comes to rest as far as it is not met, by the kd of its tasks. *part is the largest such
 * part. */
static pinion_status solve_level(pinion_tasks *x, int rows, const double *q, const double *v, int last, double *part)
{
    const int n = x->rank, soft = x->soft;
    double most = 0, soon, kd, scale, bend, length, reach, turns, braked = 0;
    for (int i = 0; i < rows; i++) x->b[i] -= pn_dot(n, x->A + (size_t)i * (size_t)n, x->sum);
    memset(x->bend, 0, (size_t)n * (size_t)n * sizeof *x->bend);
    for (int i = 0; i < rows; i++) {
        double *A = x->A + (size_t)i * (size_t)n;
        memcpy(x->y, A, (size_t)n * sizeof *A);
        product(n, n, x->N, x->y, A);
    }
    pn_svd(rows, n, x->A, x->U, x->s);
    for (int i = 0; i < rows; i++) {
        const double has = i < n ? share(x, rows, i, v, &soon, &kd, &scale) : 0;
        if (!(has > NOTHING)) {
            if (is_denied(x, rows, i)) most = 1;
            continue;
        }
        direction(x, i);
        const double *y = x->y, *V = x->A + (size_t)i * (size_t)n;
        const double wants = pn_dot(rows, x->U + (size_t)i * (size_t)rows, x->b), speed = pn_dot(n, y, x->speed),
                     stays = -pn_dot(n, y, x->falls) - pn_dot(n, y, x->sum);
        /* what is wanted holds a stretched arm like a spring of the frequency rate / enough, which is not to be much
         * above kd, and is braked as that needs: who asks often enough for kd does for this */
        const double lacks = wants - x->s[i] * (stays - kd * speed), pull = sqrt(fabs(lacks) / scale);
        double enough = fmax(DAMPED, soon), kept = 1;
        if (!last) {
            extent(x, rows, i, &length, &reach);
            const pinion_status status = pn_tasks_soften(x, rows, i, sqrt(length) / scale, lacks, q, &turns);
            if (status != PINION_OK) return status;
            braked = fmax(braked, kd);
            turns *= has * has * scale / (x->s[i] * x->s[i]);
            kept = 1 - pow(fmax(0, 1 - has / LEFT) * fmax(0, 1 - turns / FLAT), 2);
        }
        if (has < SOME * pull / kd) {
            const pinion_status status = curvature(x, rows, i, scale, q, &bend);
            if (status != PINION_OK) return status;
            const double rate = bend * lacks < 0 ? sqrt(fabs(bend)) * pull : 0;
            extent(x, rows, i, &length, &reach);
            const double near = fmin(1, fmax(0, 2 - sqrt(length) / (DAMPED_FAST * scale)));
            if (kd > 0 && rate > 0) enough = fmax(fmax(soon, (1 - near) * DAMPED), near * rate / (FAST * kd));
            kd = fmin(fmax(kd, 2 * rate / enough), 2 * FAST * kd);
        }
        double up = given_up(has, enough);
        if (x->lower) { /* of what higher tasks leave of it, too */
            extent(x, rows, i, &length, &reach);
            up = fmax(up, given_up(x->s[i] / sqrt(reach), soft ? MOSTLY : fmin(MOSTLY, fmax(PARTLY, 4 * soon))));
        }
        const double step = (1 - up) * wants / x->s[i] + kept * up * (stays - kd * speed);
        if (up > most && is_denied(x, rows, i)) most = up;
        for (int k = 0; k < n; k++) x->sum[k] += step * y[k];
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) x->N[j * n + k] -= kept * V[j] * y[k];
    }
    if (x->soft && !last) pn_tasks_take_bends(x, braked);
    *part = most;
    return PINION_OK;
}

/* What no task asks for comes to rest, and stays up. Left to the least u it would swing, and faster and faster. */
static void rest(pinion_tasks *x)
{
    const int n = x->rank;
    for (int j = 0; j < n; j++) x->y[j] = -x->damping * x->speed[j] - x->falls[j] - x->sum[j];
    for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++) x->sum[k] += x->N[j * n + k] * x->y[j];
}

pinion_status pn_tasks_fixed(pinion_tasks *x, const double *q, int *fixed)
{
    double *v = x->error;
    for (int i = 0; i < x->nv; i++) v[i] = 0;
    pinion_status status = respond(x, 0, q, v);
    *fixed = x->fixed;
    if (status != PINION_OK || x->loop_rows) return status; /* near a position where loops are closed they are not */
    for (int i = 0; i < x->nv; i++) v[i] = NEAR * sin(1 + 7 * i);
    status = pinion_integrate(x->m, q, v, 1, x->q);
    for (int i = 0; i < x->nv; i++) v[i] = 0;
    if (status == PINION_OK) status = respond(x, 0, x->q, v);
    if (x->fixed > *fixed) *fixed = x->fixed;
    return status;
}

/* What the actuators can do, and how the machine moves along them: B' v and B' a_0 as G has them. */
static pinion_status prepare(pinion_tasks *x, double t, const double *q, const double *v)
{
    const int nu = x->nu;
    const pinion_status status = respond(x, t, q, v);
    if (status != PINION_OK) return status;
    if (x->rows && x->fixed >= x->nv) return PINION_ERR_SINGULAR; /* P is rounding: nothing moves */
    measure(x);
    for (int j = 0; j < x->nv; j++) { /* P becomes P G */
        double *P = x->P + (size_t)j * (size_t)nu;
        to_measure(x, P, x->y);
        memcpy(P, x->y, (size_t)x->rank * sizeof *P);
    }
    for (int i = 0; i < x->rank * x->rank; i++) x->N[i] = i % (x->rank + 1) == 0;
    for (int i = 0; i < x->rank; i++) x->sum[i] = 0;
    x->soft = 0;
    for (int of = 0; of < 2; of++) {
        for (int k = 0; k < nu; k++) {
            x->row[k] = 0;
            for (int i = 0; i < x->nv; i++) x->row[k] += x->B[i * nu + k] * (of ? x->free[i] : v[i]);
        }
        to_measure(x, x->row, of ? x->falls : x->speed);
    }
    return PINION_OK;
}

pinion_status pinion_tasks_actuators(void *tasks, double t, const double *q, const double *v, double *u)
{
    pinion_tasks *x = tasks;
    if (!x || !q || !v || !u) return PINION_ERR_ARGUMENT;
    const int nu = x->nu;
    pinion_status status = prepare(x, t, q, v);
    for (int i = 0; i < x->count && status == PINION_OK;) {
        const int first = i, priority = x->task[x->order[i]].priority;
        int rows = 0;
        for (; i < x->count && x->task[x->order[i]].priority == priority && status == PINION_OK; i++) {
            const pinion_task *task = &x->task[x->order[i]];
            status = pn_task_want(x, task, t, q, v, x->J, x->wanted);
            if (status == PINION_OK) rows = add_rows(x, task, rows);
        }
        double part = 0;
        x->lower = first > 0;
        if (status == PINION_OK) status = solve_level(x, rows, q, v, i == x->count, &part);
        for (int k = first; k < i; k++) x->damped[x->order[k]] = part;
    }
    if (status != PINION_OK) return status;

    rest(x);
    orthogonalize(x);
    to_forces(x, x->sum, x->y);
    for (int k = 0; k < nu; k++) u[k] = pn_dot(x->rank, x->L + (size_t)k * (size_t)nu, x->y);
    pinion_actuator_info info;
    for (int k = 0; k < nu && x->limit && pinion_model_actuator(x->m, k, &info) == PINION_OK; k++)
        u[k] = fmin(fmax(u[k], info.effort[0]), info.effort[1]);
    return PINION_OK;
}

double pinion_tasks_out_of_reach(const pinion_tasks *x, int task)
{
    return x && task >= 0 && task < x->count ? x->reach[task].lacks : NAN;
}

double pinion_tasks_damped(const pinion_tasks *x, int task)
{
    return x && task >= 0 && task < x->count ? x->damped[task] : NAN;
}
