#include "sim/ik/ik_loops.h"

#include "sim/stepper/chart_rates.h"
#include "pinion/loops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"

#define DEPENDENT 1e-7 /* of the longest row: what is shorter, beside those before, depends on them */

struct pn_ik_loops {
    const pinion_model *m;
    int nv, rows;
    double *L;    /* [rows][nv] */
    double *Q;    /* [rows][nv] what is left of the rows beside those before; of those taken unit vectors */
    double *d;    /* [rows] what each row, as it is in Q, asks for */
    double *zero; /* [nv] */
    unsigned char *locked; /* [nv] */
    double *memory;
};

pn_ik_loops *pn_ik_loops_new(const pinion_model *m)
{
    pn_ik_loops *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->m = m;
    l->nv = pinion_model_nv(m);
    l->rows = pinion_model_row_count(m);
    const size_t nv = (size_t)l->nv, rows = (size_t)l->rows;
    l->memory = calloc((2 * rows * nv + rows + nv + 1) * sizeof *l->memory + nv, 1);
    if (!l->memory) {
        free(l);
        return NULL;
    }
    l->L = l->memory;
    l->Q = l->L + rows * nv;
    l->d = l->Q + rows * nv;
    l->zero = l->d + rows;
    l->locked = (unsigned char *)(l->zero + nv);
    return l;
}

void pn_ik_loops_free(pn_ik_loops *l)
{
    if (l) free(l->memory);
    free(l);
}

int pn_ik_loops_close(pn_ik_loops *l, pinion_work *w, const char *held, double *q)
{
    for (int i = 0; i < l->nv; i++) l->locked[i] = held && held[i];
    return pinion_assemble(l->m, w, 0, l->locked, q, NULL) == PINION_OK;
}

pinion_status pn_ik_loops_at(pn_ik_loops *l, pinion_work *w, const pn_chart *chart, const double *q)
{
    const pinion_constraints wanted = {NULL, l->L, NULL, NULL};
    const pinion_status status = pinion_constraints_at(l->m, w, 0, q, NULL, &wanted);
    if (status == PINION_OK) pn_chart_columns(chart, q, l->zero, l->rows, l->L);
    return status;
}

/* a -= s b */
static void subtract(int n, double *a, double s, const double *b)
{
    for (int i = 0; i < n; i++) a[i] -= s * b[i];
}

void pn_ik_loops_free_motion(pn_ik_loops *l, const char *held, const double *step, int rows, double *A,
                             double *shift)
{
    const int n = l->nv;
    double longest = 0;

    /* the rows of the free coordinates, and what the others leave for them */
    for (int i = 0; i < l->rows; i++) {
        double *row = l->Q + (size_t)i * (size_t)n;
        memcpy(row, l->L + (size_t)i * (size_t)n, (size_t)n * sizeof *row);
        l->d[i] = 0;
        for (int k = 0; k < n; k++) {
            if (!held[k]) continue;
            l->d[i] -= row[k] * step[k];
            row[k] = 0;
        }
        longest = fmax(longest, sqrt(pn_dot(n, row, row)));
    }
    for (int k = 0; k < n; k++) shift[k] = 0;

    /* one after the other, the longest that is left first; each is taken off all that follow, and off A */
    for (int taken = 0; taken < l->rows; taken++) {
        int best = -1;
        double length = DEPENDENT * longest;
        for (int i = taken; i < l->rows; i++) {
            const double *row = l->Q + (size_t)i * (size_t)n, size = sqrt(pn_dot(n, row, row));
            if (size > length) length = size, best = i;
        }
        if (best < 0) return;
        double *q = l->Q + (size_t)taken * (size_t)n, *from = l->Q + (size_t)best * (size_t)n;
        for (int k = 0; k < n; k++) {
            const double x = from[k] / length;
            from[k] = q[k];
            q[k] = x;
        }
        const double d = l->d[best] / length;
        l->d[best] = l->d[taken];
        for (int i = taken + 1; i < l->rows; i++) {
            double *row = l->Q + (size_t)i * (size_t)n;
            const double along = pn_dot(n, row, q);
            subtract(n, row, along, q);
            l->d[i] -= along * d;
        }
        for (int r = 0; r < rows; r++)
            subtract(n, A + (size_t)r * (size_t)n, pn_dot(n, A + (size_t)r * (size_t)n, q), q);
        subtract(n, shift, -d, q);
    }
}
