/* Forces that velocities leave open. Given the velocities of a solution, the impulses that go with them are a convex
 * set: an open contact has none, a sliding one lies on a ray, a resting one in its cone, and their effect on the
 * velocities is given. The point of that set nearest to zero is found by ADMM between the two: the affine set, by an
 * orthonormal basis of the nullspace, and the cones:
 *
 *     y = P(w),   x = the nearest of the affine set to (y - (w - y)) / 2,   w <- x + w - y */
#include <math.h>
#include <string.h>
#define PN_T double
#include "base/vec3.h"
#include "contact/solve/contact_solvers.h"
#include "solve/dense_orthogonal.inc"

#define NULLSPACE 1e-8  /* of the largest column: what is left of others is dependent on them, */
#define DIRECTIONS 10   /* or so many times what directions of sliding are off by, residual over slip, if more */
#define RIGID 1e-7      /* of the largest diagonal: so little compliance of an equality is only a help for solvers */
#define AT_REST 10      /* times the goal: velocities below it count as zero */
#define TURNS 1000
#define CLOSE 1e-13 /* of the largest impulse: the two sets meet */

/* how a block's impulses may change while the velocities stay */
typedef struct face {
    enum { FIXED = 0, RAY, WHOLE } kind;
    double to[3]; /* unit vector of a ray */
} face;

static face face_of(const pn_contact_task *t, const pn_block *b, const double *u)
{
    face f = {FIXED, {1, 0, 0}};
    const double rest = AT_REST * t->goal, *own = u + b->row;
    if (b->law == PINION_CONTACT_LIMIT) f.kind = own[0] > rest ? FIXED : RAY;
    if (b->law == PINION_CONTACT_FRICTION) f.kind = fabs(own[0]) > rest ? FIXED : WHOLE;
    if (b->law == PINION_CONTACT_EQUALITY) f.kind = WHOLE;
    if (b->law != PINION_CONTACT_COULOMB || own[0] > rest) return f;
    const double slip = hypot(own[1], own[2]), size = sqrt(1 + b->mu * b->mu);
    f.kind = slip > rest || !(b->mu > 0) ? RAY : WHOLE;
    if (f.kind == RAY && b->mu > 0) {
        f.to[0] = 1 / size;
        for (int k = 1; k < 3; k++) f.to[k] = -b->mu * own[k] / slip / size;
    }
    return f;
}

/* the part of x along the face's span */
static void along(const face *f, int size, double *x)
{
    double part = 0;
    if (f->kind == WHOLE) return;
    for (int k = 0; k < size && f->kind == RAY; k++) part += f->to[k] * x[k];
    for (int k = 0; k < size; k++) x[k] = f->to[k] * part;
}

/* H = P (G + R) P + d (1 - P), with P the projection on the spans: its nullspace is that of G + R within them */
static void restricted(const pn_contact_task *t, const double *u, double *H)
{
    const pinion_contact_problem *p = t->p;
    const size_t n = (size_t)p->rows;
    double most = 0;
    memcpy(H, p->G, n * n * sizeof *H);
    for (size_t k = 0; k < n; k++) most = fmax(most, H[k * n + k]);
    for (int i = 0; i < p->blocks && p->R; i++) {
        const pn_block *b = &t->block[i];
        for (size_t k = (size_t)b->row; k < (size_t)(b->row + b->size); k++)
            if (b->law != PINION_CONTACT_EQUALITY || p->R[k] > RIGID * most) H[k * n + k] += p->R[k];
    }
    for (size_t k = 0; k < n; k++) most = fmax(most, H[k * n + k]);
    for (int i = 0; i < p->blocks; i++) {
        const pn_block *b = &t->block[i];
        const face f = face_of(t, b, u);
        const size_t at = (size_t)b->row;
        if (f.kind == WHOLE) continue;
        for (size_t r = 0; r < n; r++) along(&f, b->size, H + r * n + at);
        for (size_t c = 0; c < n; c++) {
            double x[3] = {0, 0, 0};
            for (int k = 0; k < b->size; k++) x[k] = H[(at + (size_t)k) * n + c];
            along(&f, b->size, x);
            for (int k = 0; k < b->size; k++) H[(at + (size_t)k) * n + c] = x[k];
        }
        for (int k = 0; k < b->size; k++) {
            double x[3] = {0, 0, 0};
            x[k] = 1;
            along(&f, b->size, x);
            for (int j = 0; j < b->size; j++) H[(at + (size_t)k) * n + at + (size_t)j] += most * ((j == k) - x[j]);
        }
    }
}

double pn_contact_dependent(const pn_contact_task *t, const double *lambda, const double *u)
{
    double slowest = INFINITY;
    for (int i = 0; i < t->p->blocks; i++) {
        const pn_block *b = &t->block[i];
        if (b->law == PINION_CONTACT_COULOMB && b->mu > 0 && face_of(t, b, u).kind == RAY)
            slowest = fmin(slowest, hypot(u[b->row + 1], u[b->row + 2]));
    }
    return fmax(NULLSPACE, DIRECTIONS * pn_contact_natural(t, lambda, u) / slowest);
}

/* an orthonormal basis of the nullspace of H, which is destroyed: N, a row for each vector; returns how many */
static int nullspace(const pn_contact_task *t, double *H, double least, double *N)
{
    const int n = t->p->rows;
    double *unit = t->vector[5];
    qr f = qr_open(n, n, H, t->vector[0]); /* vectors 0 to 4, which follow each other */
    qr_factor(&f, least);
    qr_complete(&f);
    for (int k = f.rank; k < n; k++) {
        for (int j = 0; j < n; j++) unit[j] = j == k;
        qr_unfold(&f, unit, N + (size_t)(k - f.rank) * (size_t)n);
    }
    return n - f.rank;
}

/* x becomes from + N N' (x - from) */
static void to_affine(int n, int free, const double *N, const double *from, double *part, double *x)
{
    for (int j = 0; j < n; j++) part[j] = x[j] - from[j];
    memcpy(x, from, (size_t)n * sizeof *x);
    for (int k = 0; k < free; k++) {
        const double *row = N + (size_t)k * (size_t)n, share = pn_dot(n, row, part);
        for (int j = 0; j < n; j++) x[j] += share * row[j];
    }
}

/* y becomes the nearest with every block in its face and law; fixed blocks stay at `from` */
static void to_laws(const pn_contact_task *t, const double *u, const double *from, double *y)
{
    for (int i = 0; i < t->p->blocks; i++) {
        const pn_block *b = &t->block[i];
        const face f = face_of(t, b, u);
        double *own = y + b->row;
        if (f.kind == WHOLE)
            pn_block_project(b, 1, own);
        else if (f.kind == FIXED)
            memcpy(own, from + b->row, (size_t)b->size * sizeof *own);
        else {
            along(&f, b->size, own);
            if (own[0] < 0) own[0] = own[b->size - 1] = own[b->size / 2] = 0;
        }
    }
}

int pn_contact_least_norm(const pn_contact_task *t, double *lambda, const double *u, int *found)
{
    const int n = t->p->rows;
    double *N = t->square[1], *x = t->vector[0], *y = t->vector[1], *w = t->vector[2], *part = t->vector[3];
    double most = 0;
    pn_anderson faster;
    restricted(t, u, t->square[0]);
    const int free = nullspace(t, t->square[0], pn_contact_dependent(t, lambda, u), N);
    for (int j = 0; j < n; j++) most = fmax(most, fabs(lambda[j]));
    *found = !free || !(most > 0);
    pn_anderson_open(&faster, n, t->memory);
    memset(x, 0, (size_t)n * sizeof *x);
    memcpy(y, lambda, (size_t)n * sizeof *y); /* if it is zero that is it */
    to_affine(n, free, N, lambda, part, x);
    memcpy(w, x, (size_t)n * sizeof *w);
    for (int turn = 0; turn < TURNS && !*found; turn++) {
        double apart = 0;
        memcpy(y, w, (size_t)n * sizeof *y);
        to_laws(t, u, lambda, y);
        for (int j = 0; j < n; j++) x[j] = y[j] - 0.5 * w[j]; /* half of y less what w is off the laws */
        to_affine(n, free, N, lambda, part, x);
        for (int j = 0; j < n; j++) {
            apart = fmax(apart, fabs(x[j] - y[j]));
            x[j] += w[j] - y[j];
        }
        *found = apart <= CLOSE * most;
        if (!*found) (void)pn_anderson_step(&faster, x, w, NULL);
    }
    if (*found && free) memcpy(lambda, y, (size_t)n * sizeof *y);
    return free;
}
