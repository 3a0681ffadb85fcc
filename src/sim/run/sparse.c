/* Forward dynamics in maximal coordinates with closed loops: the system of pinion/research/global.h by KLU of
 * SuiteSparse.
 *
 * The matrix is singular where rows of loops depend on each other. With -mu on the diagonal of the loops'
 * rows it is not, and solving again and again with what that changed put right,
 *
 *     R a + mu (lambda_new - lambda) = k,
 *
 * the proximal method of multipliers, goes to the accelerations of the true system: the part of the error
 * along an eigenvector of Delassus' matrix shrinks by mu / (mu + its eigenvalue) each time. The factors stay
 * the same. What belongs to the eigenvalue 0 does not move a; it grows by the same amount, (k - R a) / mu,
 * each time, and is taken off again: lambda is then the one of least norm. Where rows are nearly dependent, a
 * smaller mu is tried. Where none does, as between dependent rows that contradict each other, the solution
 * that moved least is what is left. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <klu.h>

#include "pinion/algorithms.h"
#include "pinion/research/global.h"
#include "pinion/sim/sparse.h"

#define MU 1e-8         /* of the largest diagonal entry that R I^-1 R' would have */
#define ROUNDING 1e-10  /* of the largest acceleration: what comes from rounding, if it does not shrink */
#define SMALLER 1e-3    /* what mu is made smaller by where that converges too slowly ... */
#define STAGES 3        /* ... this often at most, ... */
#define PATIENCE 12     /* ... after so many solutions */
#define NEAR 1e-15      /* of the largest acceleration: no more to gain */
#define SINGULAR 1e-15  /* the smallest pivot, of the largest */

struct pinion_sparse {
    const pinion_model *m;
    pinion_work *w;
    pinion_global_size n;
    int nv, entries, solutions;
    /* the whole matrix by columns, and where each entry of the lower triangle goes: twice, or -1 */
    int *start, *row, *place, *mirror;
    double *matrix;                 /* [entries] */
    double *value, *rhs, *joints;   /* of the model, as pinion_global_system gives them */
    double *x, *before, *tau;       /* solution, the one before; forces with those of the loop joints */
    double *best, *best_before;     /* x and before where they moved least */
    char message[320];              /* of the last failure; "" after none */
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

int pinion_sparse_algorithm(void)
{
    return pinion_algorithm_find("kkt-sparse");
}

/* ---- structure ---- */

/* columns of the full matrix from the places of the lower triangle: how many entries before column c, then the rows */
static void fill_columns(pinion_sparse *s, const int *row, const int *column)
{
    const int n = s->n.unknowns, count = s->n.entries;
    memset(s->start, 0, ((size_t)n + 1) * sizeof *s->start);
    for (int i = 0; i < count; i++) {
        s->start[column[i] + 1]++;
        if (row[i] != column[i]) s->start[row[i] + 1]++;
    }
    for (int c = 0; c < n; c++) s->start[c + 1] += s->start[c];
    s->entries = s->start[n];

    /* start[c] moves on while column c is filled, and is put back */
    for (int i = 0; i < count; i++) {
        s->place[i] = s->start[column[i]]++;
        s->row[s->place[i]] = row[i];
        s->mirror[i] = -1;
        if (row[i] == column[i]) continue;
        s->mirror[i] = s->start[row[i]]++;
        s->row[s->mirror[i]] = column[i];
    }
    for (int c = n; c > 0; c--) s->start[c] = s->start[c - 1];
    s->start[0] = 0;
}

typedef struct coordinate {
    int row, index;
} coordinate;

static int by_row(const void *a, const void *b)
{
    const coordinate *x = a, *y = b;
    return x->row != y->row ? (x->row > y->row) - (x->row < y->row) : (x->index > y->index) - (x->index < y->index);
}

/* Entries that name the same place become one: KLU takes none twice. `target` gets the new index of each old one. */
static int merge_places(pinion_sparse *s, int *target)
{
    int count = 0, begin = 0;
    coordinate *list = malloc(((size_t)s->entries + 1) * sizeof *list);
    if (!list) return 0;
    for (int c = 0; c < s->n.unknowns; c++) {
        const int end = s->start[c + 1], length = end - begin;
        for (int i = 0; i < length; i++) list[i] = (coordinate){s->row[begin + i], begin + i};
        qsort(list, (size_t)length, sizeof *list, by_row);
        s->start[c] = count;
        for (int i = 0; i < length; i++) {
            if (i == 0 || list[i].row != list[i - 1].row) s->row[count++] = list[i].row;
            target[list[i].index] = count - 1;
        }
        begin = end;
    }
    s->start[s->n.unknowns] = s->entries = count;
    free(list);
    return 1;
}

/* Orders the unknowns. PINION_ERR_UNSUPPORTED where KLU cannot, for another reason than memory. */
static pinion_status analyse(pinion_sparse *s)
{
    const size_t count = (size_t)s->n.entries + 1;
    int *row = malloc(count * sizeof *row), *column = malloc(count * sizeof *column);
    int *target = malloc(2 * count * sizeof *target);
    int done = row && column && target && pinion_global_places(s->m, row, column) == PINION_OK;
    if (done) {
        fill_columns(s, row, column);
        done = merge_places(s, target);
    }
    for (int i = 0; done && i < s->n.entries; i++) {
        s->place[i] = target[s->place[i]];
        if (s->mirror[i] >= 0) s->mirror[i] = target[s->mirror[i]];
    }
    free(row);
    free(column);
    free(target);
    if (!done) return PINION_ERR_MEMORY;
    if (s->n.unknowns == 0) return PINION_OK;
    s->symbolic = klu_analyze(s->n.unknowns, s->start, s->row, &s->common);
    if (s->symbolic) return PINION_OK;
    return s->common.status == KLU_OUT_OF_MEMORY ? PINION_ERR_MEMORY : PINION_ERR_UNSUPPORTED;
}

static void *zeros(size_t count, size_t size)
{
    return calloc(count + 1, size);
}

static pinion_sparse *refuse(pinion_sparse *s, pinion_status status, const char *message, pinion_error *err)
{
    if (err) {
        memset(err, 0, sizeof *err);
        err->status = status;
        snprintf(err->message, sizeof err->message, "%s", message);
    }
    pinion_sparse_free(s);
    return NULL;
}

/* what KLU found wrong with the structure */
static pinion_sparse *refuse_structure(pinion_sparse *s, pinion_error *err)
{
    const char *why = s->common.status == KLU_TOO_LARGE ? "is too large for its indices" : "is not one that it takes";
    snprintf(s->message, sizeof s->message, "the sparse system of %d unknowns and %d entries %s (KLU says %d)",
             s->n.unknowns, s->entries, why, s->common.status);
    return refuse(s, PINION_ERR_UNSUPPORTED, s->message, err);
}

pinion_sparse *pinion_sparse_new(const pinion_model *m, pinion_error *err)
{
    static const char memory[] = "out of memory";
    pinion_global_size n = {0};
    if (!m) return refuse(NULL, PINION_ERR_ARGUMENT, "the model is NULL", err);
    if (pinion_global_count(m, &n) != PINION_OK)
        return refuse(NULL, PINION_ERR_UNSUPPORTED, "the sparse solver needs a model without mimic joints: the "
                      "model has some, which mimic = independent (--mimic independent) makes ordinary ones", err);
    pinion_sparse *s = calloc(1, sizeof *s);
    if (!s) return refuse(NULL, PINION_ERR_MEMORY, memory, err);
    const size_t count = (size_t)n.entries, unknowns = (size_t)n.unknowns;
    s->m = m;
    s->n = n;
    s->nv = pinion_model_nv(m);
    klu_defaults(&s->common);
    s->w = pinion_work_new(m);
    s->start = zeros(unknowns + 1, sizeof *s->start);
    s->row = zeros(2 * count, sizeof *s->row);
    s->place = zeros(count, sizeof *s->place);
    s->mirror = zeros(count, sizeof *s->mirror);
    s->matrix = zeros(2 * count, sizeof *s->matrix);
    s->value = zeros(count, sizeof *s->value);
    s->rhs = zeros(unknowns, sizeof *s->rhs);
    s->joints = zeros(7 * (size_t)s->nv, sizeof *s->joints);
    s->x = zeros(unknowns, sizeof *s->x);
    s->before = zeros(unknowns, sizeof *s->before);
    s->tau = zeros((size_t)s->nv, sizeof *s->tau);
    s->best = zeros(unknowns, sizeof *s->best);
    s->best_before = zeros(unknowns, sizeof *s->best_before);
    if (!s->w || !s->start || !s->row || !s->place || !s->mirror || !s->matrix || !s->value || !s->rhs || !s->joints ||
        !s->x || !s->before || !s->tau || !s->best || !s->best_before)
        return refuse(s, PINION_ERR_MEMORY, memory, err);
    const pinion_status status = analyse(s);
    if (status == PINION_ERR_MEMORY) return refuse(s, status, memory, err);
    return status == PINION_OK ? s : refuse_structure(s, err);
}

void pinion_sparse_free(pinion_sparse *s)
{
    if (!s) return;
    if (s->numeric) klu_free_numeric(&s->numeric, &s->common);
    if (s->symbolic) klu_free_symbolic(&s->symbolic, &s->common);
    pinion_work_free(s->w);
    free(s->start);
    free(s->row);
    free(s->place);
    free(s->mirror);
    free(s->matrix);
    free(s->value);
    free(s->rhs);
    free(s->joints);
    free(s->x);
    free(s->before);
    free(s->tau);
    free(s->best);
    free(s->best_before);
    free(s);
}

pinion_status pinion_sparse_about(const pinion_sparse *s, pinion_sparse_info *out)
{
    if (!s || !out) return PINION_ERR_ARGUMENT;
    out->unknowns = s->n.unknowns;
    out->entries = s->entries;
    out->factor_entries = s->numeric ? s->numeric->lnz + s->numeric->unz : 0;
    out->solutions = s->solutions;
    return PINION_OK;
}

const char *pinion_sparse_message(const pinion_sparse *s)
{
    return s ? s->message : "";
}

/* notes why a call fails */
static pinion_status fail(pinion_sparse *s, pinion_status status, const char *message)
{
    snprintf(s->message, sizeof s->message, "%s", message);
    return status;
}

/* ---- numbers ---- */

/* mu, from the sizes of the loops' rows beside the inertias of the bodies they act on */
static double find_mu(const pinion_sparse *s, const double *diagonal)
{
    const int first = s->n.accelerations + s->n.forces;
    double top = 0;
    for (int c = first; c < s->n.unknowns; c++) {
        double sum = 0;
        for (int i = s->start[c]; i < s->start[c + 1]; i++) {
            const double x = s->matrix[i];
            if (s->row[i] < s->n.accelerations && diagonal[s->row[i]] > 0) sum += x * x / diagonal[s->row[i]];
        }
        top = fmax(top, sum);
    }
    return MU * (top > 0 ? top : 1);
}

/* the matrix at this state, its loops' rows without mu; returns mu */
static double assemble(pinion_sparse *s)
{
    memset(s->matrix, 0, (size_t)s->entries * sizeof *s->matrix);
    memset(s->x, 0, (size_t)s->n.unknowns * sizeof *s->x);
    for (int i = 0; i < s->n.entries; i++) {
        s->matrix[s->place[i]] += s->value[i];
        if (s->mirror[i] >= 0) s->matrix[s->mirror[i]] += s->value[i];
    }
    for (int c = 0; c < s->n.accelerations; c++)
        for (int i = s->start[c]; i < s->start[c + 1]; i++)
            if (s->row[i] == c) s->x[c] = s->matrix[i];
    return find_mu(s, s->x);
}

/* factors with -mu in the loops' rows */
static pinion_status factorize(pinion_sparse *s, double mu)
{
    const int n = s->n.unknowns;
    for (int c = n - s->n.rows; c < n; c++)
        for (int i = s->start[c]; i < s->start[c + 1]; i++)
            if (s->row[i] == c) s->matrix[i] = -mu;
    if (s->numeric) klu_free_numeric(&s->numeric, &s->common);
    s->numeric = klu_factor(s->start, s->row, s->matrix, s->symbolic, &s->common);
    if (s->common.status == KLU_OUT_OF_MEMORY)
        return fail(s, PINION_ERR_MEMORY, "out of memory for the factors of the sparse system");
    if (s->common.status == KLU_TOO_LARGE)
        return fail(s, PINION_ERR_MEMORY, "the factors of the sparse system are too large for the indices of KLU");
    if (!s->numeric || s->common.status != KLU_OK || !klu_rcond(s->symbolic, s->numeric, &s->common) ||
        !(s->common.rcond > SINGULAR))
        return fail(s, PINION_ERR_SINGULAR,
                    "the sparse system is singular: some motion that joints and loops allow moves no inertia");
    return PINION_OK;
}

/* the largest size of a number; not a number where one is not */
static double largest(const double *x, int count)
{
    double top = 0;
    for (int i = 0; i < count; i++)
        if (!(fabs(x[i]) <= top) && !isnan(top)) top = fabs(x[i]);
    return top;
}

/* the largest difference of two solutions' accelerations */
static double moved(const pinion_sparse *s)
{
    double top = 0;
    for (int i = 0; i < s->n.accelerations; i++) top = fmax(top, fabs(s->x[i] - s->before[i]));
    return top;
}

/* Solves until the accelerations stay, PATIENCE times at most; `before` is then the solution before the last, and
 * *passed has grown by 1 / mu with each. Without loops once is enough. Returns 1, 0 when they do not stay yet, -1 when
 * there is no solution. *left: how far they still move, of their size. */
static int iterate(pinion_sparse *s, double mu, double *passed, double *left)
{
    const int n = s->n.unknowns, first = n - s->n.rows;
    double last = INFINITY;
    for (int turn = 0; turn < PATIENCE; turn++) {
        memcpy(s->before, s->x, (size_t)n * sizeof *s->x);
        memcpy(s->x, s->rhs, (size_t)n * sizeof *s->x);
        for (int i = first; i < n; i++) s->x[i] -= mu * s->before[i];
        if (!klu_solve(s->symbolic, s->numeric, n, 1, s->x, &s->common)) return -1;
        s->solutions++;
        *passed += 1 / mu;
        const double size = largest(s->x, s->n.accelerations), step = moved(s);
        if (!isfinite(size) || !isfinite(largest(s->x + first, s->n.rows))) return -1;
        *left = size > 0 ? step / size : 0;
        if (s->n.rows == 0 || step <= NEAR * size) return 1;
        /* rounding, which no repetition makes smaller */
        if (turn > 1 && step <= ROUNDING * size && (step >= last / 2 || turn == PATIENCE - 1)) return 1;
        last = step;
    }
    return 0;
}

/* the multipliers of least norm, and how far the rows are from kept */
static void read_solution(const pinion_sparse *s, double mu, double passed, pinion_loop_solution *solution)
{
    const int first = s->n.unknowns - s->n.rows;
    solution->rank = -1;
    solution->residual = 0;
    for (int i = 0; i < s->n.rows; i++) {
        const double missed = mu * (s->x[first + i] - s->before[first + i]);
        solution->residual = fmax(solution->residual, fabs(missed));
        if (solution->lambda) solution->lambda[i] = missed * passed - s->x[first + i];
    }
}

/* the words for accelerations that do not stay */
static pinion_status fail_to_converge(pinion_sparse *s, double left)
{
    char text[sizeof s->message];
    snprintf(text, sizeof text,
             "the accelerations of the sparse system still move by %.1e of their size after %d solutions: the rows of "
             "loops nearly depend on each other, or contradict each other",
             left, s->solutions);
    return fail(s, PINION_ERR_CONVERGENCE, text);
}

/* The whole solution of the system at hand, in x. Where no mu gives one, the best there is, and
 * PINION_ERR_CONVERGENCE. */
static pinion_status solve(pinion_sparse *s, pinion_loop_solution *solution)
{
    const size_t bytes = (size_t)s->n.unknowns * sizeof *s->x;
    double mu = assemble(s), passed = 0, least = INFINITY, best_mu = mu, best_passed = 0;
    int done = 0;
    memset(s->x, 0, bytes);
    s->solutions = 0;
    if (!isfinite(largest(s->value, s->n.entries)) || !isfinite(largest(s->rhs, s->n.unknowns)))
        return fail(s, PINION_ERR_SINGULAR,
                    "the sparse system has entries that are not finite, from its state or forces");
    for (int stage = 0; stage <= STAGES && !done; stage++) {
        double left = INFINITY;
        if (stage) mu *= SMALLER;
        const pinion_status status = factorize(s, mu);
        if (status == PINION_ERR_MEMORY || (status != PINION_OK && stage == 0)) return status;
        done = status == PINION_OK ? iterate(s, mu, &passed, &left) : -1;
        if (done < 0 || (!done && left >= least)) continue;
        memcpy(s->best, s->x, bytes);
        memcpy(s->best_before, s->before, bytes);
        least = left;
        best_mu = mu;
        best_passed = passed;
    }
    if (isinf(least)) return fail(s, PINION_ERR_SINGULAR, "the sparse system has no finite solution at this state");
    memcpy(s->x, s->best, bytes);
    memcpy(s->before, s->best_before, bytes);
    if (solution) read_solution(s, best_mu, best_passed, solution);
    return done > 0 ? PINION_OK : fail_to_converge(s, least);
}

pinion_status pinion_sparse_forward_dynamics(pinion_sparse *s, const pinion_loop_options *options, const double *q,
                                             const double *v, const double *tau, const double *f_ext, double *a,
                                             pinion_loop_solution *solution)
{
    const pinion_loop_options standard = pinion_loop_options_default(), *o = options ? options : &standard;
    if (!s) return PINION_ERR_ARGUMENT;
    s->message[0] = 0;
    if (!q && s->nv) return fail(s, PINION_ERR_ARGUMENT, "q is NULL");
    if (!a && s->nv) return fail(s, PINION_ERR_ARGUMENT, "an output is NULL");
    if (o->cookie != standard.cookie)
        return fail(s, PINION_ERR_ARGUMENT, "the options are not those of pinion_loop_options_default");
    if (s->n.unknowns == 0) {
        if (solution) *solution = (pinion_loop_solution){solution->lambda, -1, 0};
        return PINION_OK;
    }

    /* what acts on the coordinates, with what the loop joints exert */
    memset(s->tau, 0, (size_t)s->nv * sizeof *s->tau);
    pinion_status status = PINION_OK;
    if (o->tau_loop || o->passive)
        status = pinion_loop_active_forces(s->m, s->w, q, v, o->tau_loop, o->passive, s->tau, NULL);
    for (int i = 0; tau && i < s->nv; i++) s->tau[i] += tau[i];
    if (status == PINION_OK)
        status = pinion_global_system(s->m, s->w, o->t, o->alpha, q, v, s->tau, f_ext, s->value, s->rhs, s->joints);
    if (status != PINION_OK) return fail(s, status, pinion_work_message(s->w));

    /* what does not converge is still the best there is */
    status = solve(s, solution);
    if (status != PINION_OK && status != PINION_ERR_CONVERGENCE) return status;
    const pinion_status read = pinion_global_accelerations(s->m, s->joints, s->x, a);
    return read != PINION_OK ? fail(s, read, pinion_status_text(read)) : status;
}
