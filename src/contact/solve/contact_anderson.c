#include "contact/solve/contact_anderson.h"
#include <math.h>
#include <string.h>
#define PN_T double
#include "contact/solve/contact_sums.h"
#include "solve/dense_symmetric.inc"

#define GROWN 2     /* times the residual before: the step is taken back */
#define RIDGE 1e-13 /* of the trace: differences that depend on each other */
#define MEMORY PN_ANDERSON_MEMORY
#define TRIES 150 /* steps in which the residual is to fall by a tenth */
#define PAUSE 50  /* plain steps, the first time */

void pn_anderson_open(pn_anderson *a, int n, double *memory)
{
    memset(a, 0, sizeof *a);
    a->n = n;
    a->pause = PAUSE;
    a->residuals = memory;
    a->images = memory + MEMORY * n;
    a->residual = memory + 2 * MEMORY * n;
    a->image = a->residual + n;
    a->other = a->image + n;
    a->along = a->other + n;
    pn_anderson_forget(a);
}

static void drop(pn_anderson *a)
{
    a->count = -1; /* there is no last one, either */
    a->next = 0;
    a->plain = -1;
}

void pn_anderson_forget(pn_anderson *a)
{
    drop(a);
    a->left = 0;
    a->goal = INFINITY;
}

/* whether accelerated steps still lead somewhere; if not, plain ones are to come */
static int is_stuck(pn_anderson *a, double size)
{
    if (size <= a->goal) {
        a->goal = 0.9 * size;
        a->left = TRIES;
    }
    if (a->left-- > 0) return 0;
    a->rest = a->pause;
    a->pause *= 2;
    pn_anderson_forget(a);
    return 1;
}

/* the differences to the last residual and image replace the oldest ones */
static void remember(pn_anderson *a, const double *residual, const double *image, const double *along)
{
    const int n = a->n, at = a->next;
    double *dr = a->residuals + at * n, *di = a->images + at * n;
    for (int j = 0; j < n; j++) {
        dr[j] = residual[j] - a->residual[j];
        di[j] = image[j] - a->image[j];
    }
    for (int j = 0; j < n && along; j++) a->along[at * n + j] = along[j] - a->other[j];
    a->next = (at + 1) % MEMORY;
    if (a->count < MEMORY) a->count++;
    for (int k = 0; k < a->count; k++)
        a->gram[at * MEMORY + k] = a->gram[k * MEMORY + at] = pn_dot_sum(n, dr, a->residuals + k * n);
}

/* w = image - sum of shares of the differences, those that make the residual least */
static void combine(pn_anderson *a, const double *residual, const double *image, double *w, double *along)
{
    double A[MEMORY * MEMORY], share[MEMORY], trace = 0;
    const int n = a->n, count = a->count;
    for (int k = 0; k < count; k++) trace += a->gram[k * MEMORY + k];
    for (int k = 0; k < count; k++) {
        for (int j = 0; j < count; j++) A[k * count + j] = a->gram[k * MEMORY + j];
        A[k * count + k] += RIDGE * trace;
        share[k] = pn_dot_sum(n, a->residuals + k * n, residual);
    }
    memcpy(w, image, (size_t)n * sizeof *w);
    if (!(trace > 0) || !(cholesky_factor(count, A) > 0)) return;
    cholesky_forward(count, A, share);
    cholesky_backward(count, A, share);
    for (int k = 0; k < count; k++) {
        const double *di = a->images + k * n, part = share[k];
        a->amount += fabs(part);
        for (int j = 0; j < n; j++) w[j] -= part * di[j];
        for (int j = 0; j < n && along; j++) along[j] -= part * a->along[k * n + j];
    }
}

int pn_anderson_step(pn_anderson *a, const double *image, double *w, double *along)
{
    const int n = a->n;
    const size_t bytes = (size_t)n * sizeof *w;
    a->amount = 0;
    for (int j = 0; j < n; j++) w[j] = image[j] - w[j]; /* the residual, for a while */
    const double size = sqrt(pn_dot_sum(n, w, w));
    if (a->plain >= 0 && !(size <= GROWN * a->plain)) {
        memcpy(w, a->image, bytes);
        if (along) memcpy(along, a->other, bytes);
        drop(a);
        a->left--;
        return 0;
    }
    if (a->rest > 0 || is_stuck(a, size)) {
        a->rest--;
        memcpy(w, image, bytes);
        return 1;
    }
    if (a->count < 0)
        a->count = 0;
    else
        remember(a, w, image, along);
    memcpy(a->residual, w, bytes);
    memcpy(a->image, image, bytes);
    if (along) memcpy(a->other, along, bytes);
    a->plain = a->count ? size : -1;
    if (a->count)
        combine(a, a->residual, image, w, along);
    else
        memcpy(w, image, bytes);
    return 1;
}
