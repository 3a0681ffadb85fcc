/* What the algorithms are measured against, in double, through the C API: inverse dynamics and the mass
 * matrix by the library's own functions, and plain dense algebra on what they give. How exact the algorithms
 * are beyond the tolerance of this comparison, backend.accuracy tells. */
#ifndef PN_REFERENCE_H
#define PN_REFERENCE_H

#include "check.h"
#include "eliminate.h"
#include "pinion/pinion.h"

/* A state of a model and what is known about it. */
typedef struct reference {
    const pinion_model *m;
    pinion_work *w;
    int nq, nv, bodies, frame;             /* the frame of the operational space */
    double *q, *v, *a, *tau_in, *f_ext;    /* the state */
    double *tau, *bias, *gravity, *loaded; /* tau(q,v,a,f), tau(q,v,0,0), tau(q,0,0,0), tau(q,v,0,f) */
    double *M, *Minv, *Mdot, *L;           /* [nv][nv] */
    double *acceleration;                  /* a(q,v,tau,f) */
    double *J, *MinvJ;                     /* [6][nv], [nv][6] = M^-1 J' */
    double drift[6];                       /* dJ/dt v */
    double *there, *near_M, *column;       /* scratch memory */
    double condition;                      /* of M, by row sums; INFINITY when it is singular */
} reference;

static inline double *new_numbers(int count)
{
    double *x = calloc((size_t)count + 1, sizeof *x);
    if (!x) abort();
    return x;
}

static inline double largest(const double *x, int count)
{
    double top = 0;
    for (int i = 0; i < count; i++)
        if (!(fabs(x[i]) <= top)) top = fabs(x[i]);
    return top;
}

/* the arrays of a reference: where they are, and how long */
#define REFERENCE_ARRAYS 22
static inline void reference_arrays(reference *r, double **array[REFERENCE_ARRAYS],
                                    int length[REFERENCE_ARRAYS])
{
    const int n = r->nv, nn = n * n;
    double **all[REFERENCE_ARRAYS] = {&r->q,    &r->there,        &r->v,       &r->a,      &r->tau_in,
                                      &r->tau,  &r->bias,         &r->column,  &r->f_ext,  &r->M,
                                      &r->Minv, &r->Mdot,         &r->gravity, &r->loaded, &r->L,
                                      &r->J,    &r->acceleration, &r->MinvJ,   &r->near_M};
    const int sizes[REFERENCE_ARRAYS] = {r->nq, r->nq, n, n,  n,     n, n,     n, 6 * r->bodies, nn, nn,
                                         nn,    n,     n, nn, 6 * n, n, 6 * n, nn};
    memcpy(array, all, sizeof all);
    memcpy(length, sizes, sizeof sizes);
}

static inline void reference_open(reference *r, const pinion_model *m)
{
    double **array[REFERENCE_ARRAYS];
    int length[REFERENCE_ARRAYS];
    memset(r, 0, sizeof *r);
    r->m = m;
    r->w = pinion_work_new(m);
    r->nq = pinion_model_nq(m);
    r->nv = pinion_model_nv(m);
    r->bodies = pinion_model_body_count(m);
    r->frame = pinion_model_frame_count(m) - 1;
    if (!r->w) abort();
    reference_arrays(r, array, length);
    for (int i = 0; i < REFERENCE_ARRAYS; i++)
        if (array[i]) *array[i] = new_numbers(length[i]);
}

static inline void reference_close(reference *r)
{
    double **array[REFERENCE_ARRAYS];
    int length[REFERENCE_ARRAYS];
    reference_arrays(r, array, length);
    for (int i = 0; i < REFERENCE_ARRAYS; i++)
        if (array[i]) free(*array[i]);
    pinion_work_free(r->w);
}

/* ---- dense algebra ---- */

/* M = L D L', D on L's diagonal; 0 when a pivot is not positive */
static inline int reference_factor(reference *r)
{
    const int n = r->nv;
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double sum = r->M[i * n + j];
            for (int k = 0; k < j; k++) sum -= r->L[i * n + k] * r->L[j * n + k] * r->L[k * n + k];
            r->L[i * n + j] = i == j ? sum : sum / r->L[j * n + j];
        }
        if (!(r->L[j * n + j] > 0)) return 0;
    }
    return 1;
}

/* x becomes the solution of M y = x */
static inline void reference_solve(const reference *r, double *x)
{
    const int n = r->nv;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) x[i] -= r->L[i * n + k] * x[k];
    for (int i = 0; i < n; i++) x[i] /= r->L[i * n + i];
    for (int i = n - 1; i >= 0; i--)
        for (int k = i + 1; k < n; k++) x[i] -= r->L[k * n + i] * x[k];
}

/* the largest sum of sizes in a row */
static inline double row_norm(const double *A, int n)
{
    double top = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += fabs(A[i * n + j]);
        if (sum > top) top = sum;
    }
    return top;
}

/* the accelerations where loops are closed: Featherstone & Orin 2000, Eq. 20, whose multipliers may not be unique */
static inline void reference_with_loops(reference *r)
{
    const int n = r->nv, rows = pinion_model_row_count(r->m), size = n + rows;
    double *L = new_numbers(rows * n), *c = new_numbers(rows), *x = new_numbers(size);
    long double *A = calloc((size_t)(size * size) + 1, sizeof *A), *b = calloc((size_t)size + 1, sizeof *b);
    const pinion_constraints parts = {.L = L, .c = c};
    if (!A || !b) abort();
    CHECK_STATUS(pinion_constraints_at(r->m, r->w, 0, r->q, r->v, &parts), PINION_OK);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) A[i * size + j] = r->M[i * n + j];
        b[i] = (long double)r->tau_in[i] - r->loaded[i];
    }
    for (int k = 0; k < rows; k++) {
        for (int j = 0; j < n; j++) A[(n + k) * size + j] = A[j * size + n + k] = L[k * n + j];
        b[n + k] = c[k];
    }
    eliminate(A, size, b, 1e-10L, x);
    for (int i = 0; i < n; i++) r->acceleration[i] = x[i];
    free(L);
    free(c);
    free(x);
    free(A);
    free(b);
}

/* what needs the inverse of M: itself, its condition, the accelerations, and M^-1 J' */
static inline void reference_invert(reference *r)
{
    const int n = r->nv;
    r->condition = INFINITY;
    if (!reference_factor(r)) return;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) r->column[i] = i == j;
        reference_solve(r, r->column);
        for (int i = 0; i < n; i++) r->Minv[i * n + j] = r->column[i];
    }
    r->condition = row_norm(r->M, n) * row_norm(r->Minv, n);
    for (int i = 0; i < n; i++) r->acceleration[i] = r->tau_in[i] - r->loaded[i];
    reference_solve(r, r->acceleration);
    if (pinion_model_row_count(r->m) > 0) reference_with_loops(r);
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < n; i++) r->column[i] = r->J[k * n + i];
        reference_solve(r, r->column);
        for (int i = 0; i < n; i++) r->MinvJ[6 * i + k] = r->column[i];
    }
}

/* ---- the library's functions ---- */

/* dM/dt along v by central differences of fourth order: truncation and rounding are about 1e-12 of the
 * largest entry each, more where links turn fast */
#define DERIVATIVE_TOLERANCE 1e-8
static inline void reference_derivative(reference *r)
{
    static const double h = 2e-4, weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
    const int n = r->nv;
    for (int i = 0; i < n * n; i++) r->Mdot[i] = 0;
    for (int k = 0; k < 4; k++) {
        CHECK_STATUS(pinion_integrate(r->m, r->q, r->v, at[k] * h, r->there), PINION_OK);
        CHECK_STATUS(pinion_mass_matrix(r->m, r->w, r->there, r->near_M), PINION_OK);
        for (int i = 0; i < n * n; i++) r->Mdot[i] += weight[k] * r->near_M[i] / (12 * h);
    }
}

/* What is known about the state in q, v, a, tau_in, f_ext. */
static inline void reference_compute(reference *r)
{
    const pinion_model *m = r->m;
    pinion_work *w = r->w;
    CHECK_STATUS(pinion_inverse_dynamics(m, w, r->q, r->v, r->a, r->f_ext, r->tau), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(m, w, r->q, r->v, NULL, r->f_ext, r->loaded), PINION_OK);
    CHECK_STATUS(pinion_bias(m, w, r->q, r->v, r->bias), PINION_OK);
    CHECK_STATUS(pinion_gravity(m, w, r->q, r->gravity), PINION_OK);
    CHECK_STATUS(pinion_mass_matrix(m, w, r->q, r->M), PINION_OK);
    CHECK_STATUS(pinion_jacobian(m, w, r->q, r->frame, PINION_REFERENCE_WORLD_ALIGNED, r->J), PINION_OK);
    CHECK_STATUS(pinion_frame_acceleration(m, w, r->q, r->v, NULL, r->frame, PINION_REFERENCE_WORLD_ALIGNED,
                                           PINION_ACCELERATION_CLASSICAL, r->drift),
                 PINION_OK);
    reference_derivative(r);
    reference_invert(r);
}

#endif
