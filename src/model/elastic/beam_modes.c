/* Modes of a beam by Euler and Bernoulli, and what each does to a place on the link.
 *
 * Shapes are polynomials: Legendre's, times the factor that holds the ends (x^2 clamped, x pinned). Ritz's method
 * makes of them the modes of least energy, K c = w^2 M c; of such modes the first many have the exact frequencies to
 * rounding, and M and K need no care about the ends that are free, where a mass sits or not. A mode is one along y,
 * along z, or a twist. It is so large that the largest displacement (or angle) along the beam is 1.
 *
 * Of second order in the coordinates (docs/elastic.md): the beam keeps its length, so that it shortens along x by half
 * the integral of its slopes' squares; sections keep normal to its line, and turn about it as the twist says, which
 * makes rotation vectors of slopes and twist. */
#include <math.h>
#include <string.h>

#include "model/elastic/elastic_modes.h"
#include "model/pose.h"
#include "model/tree.h"

/* ---- polynomials on [0, 1] ---- */

/* the powers of x and 1 - x that hold the ends */
static void ends(const pinion_elastic_def *d, int direction, int *a, int *b)
{
    const int both = d->boundary == PINION_ELASTIC_CLAMPED_CLAMPED;
    const int pinned = d->boundary == PINION_ELASTIC_PINNED;
    if (direction == 2) { /* the first end holds a twist */
        *a = 1;
        *b = both;
        return;
    }
    *a = pinned ? 1 : 2;
    *b = both ? 2 : pinned || d->boundary == PINION_ELASTIC_CLAMPED_PINNED;
}

/* x^n and its first two derivatives */
static void power(double x, int n, double y[3])
{
    y[0] = n == 0 ? 1 : n == 1 ? x : x * x;
    y[1] = n == 0 ? 0 : n == 1 ? 1 : 2 * x;
    y[2] = n == 2 ? 2 : 0;
}

/* all terms of a direction at x: values, first and second derivatives, by x over the length */
static void terms_at(const pinion_elastic_def *d, int direction, int count, double x, double (*y)[3])
{
    int a, b;
    double f[3], g[3], w[3], P[3] = {1, 0, 0}, before[3] = {0, 0, 0};
    ends(d, direction, &a, &b);
    power(x, a, f);
    power(1 - x, b, g);
    g[1] = -g[1];
    w[0] = f[0] * g[0];
    w[1] = f[1] * g[0] + f[0] * g[1];
    w[2] = f[2] * g[0] + 2 * f[1] * g[1] + f[0] * g[2];
    for (int j = 0; j < count; j++) {
        y[j][0] = w[0] * P[0];
        y[j][1] = w[1] * P[0] + w[0] * P[1];
        y[j][2] = w[2] * P[0] + 2 * w[1] * P[1] + w[0] * P[2];
        /* (j + 1) P' = (2 j + 1) z P - j P'', z = 2 x - 1 */
        const double z = 2 * x - 1;
        const double next[3] = {((2 * j + 1) * z * P[0] - j * before[0]) / (j + 1),
                                ((2 * j + 1) * (z * P[1] + 2 * P[0]) - j * before[1]) / (j + 1),
                                ((2 * j + 1) * (z * P[2] + 4 * P[1]) - j * before[2]) / (j + 1)};
        memcpy(before, P, sizeof P);
        memcpy(P, next, sizeof P);
    }
}

/* a mode at x over the length: value, first and second derivative by x in m */
static void mode_at(const pn_modes *modes, int k, double x, double y[3])
{
    double t[PN_TERMS][3];
    const int direction = modes->direction[k], count = modes->terms[direction];
    const double length = modes->def.length;
    terms_at(&modes->def, direction, count, x, t);
    memset(y, 0, 3 * sizeof *y);
    for (int j = 0; j < count; j++)
        for (int i = 0; i < 3; i++) y[i] += modes->term[k][j] * t[j][i];
    y[1] /= length;
    y[2] /= length * length;
}

/* ---- Ritz ---- */

/* K and M of the terms of a direction: integrals, and what is at the tip */
static void ritz_matrices(const pinion_elastic_def *d, int direction, int n, double *K, double *M)
{
    double x[64], w[64], t[PN_TERMS][3];
    const int points = n + 8, twist = direction == 2;
    const double L = d->length;
    pn_gauss(points, x, w);
    memset(K, 0, (size_t)(n * n) * sizeof *K);
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    for (int p = 0; p < points; p++) {
        terms_at(d, direction, n, x[p], t);
        const double stiff = twist ? d->torsion_stiffness / L : d->bending_stiffness[direction] / (L * L * L);
        const double heavy = L * (twist ? d->polar_inertia : d->mass_per_length);
        for (int i = 0; i < n * n; i++) {
            const double *f = t[i / n], *g = t[i % n];
            K[i] += w[p] * stiff * (twist ? f[1] * g[1] : f[2] * g[2]);
            M[i] += w[p] * heavy * f[0] * g[0];
        }
    }
    /* bending along y turns about z */
    terms_at(d, direction, n, 1, t);
    const int about = twist ? 0 : direction == 0 ? 2 : 1, loaded = d->boundary == PINION_ELASTIC_CLAMPED_MASS;
    const double mass = twist ? 0 : loaded * (d->tip_mass + d->load_mass);
    const double turn = loaded * (d->tip_inertia[about] + d->load_inertia[about]);
    for (int i = 0; i < n * n; i++) {
        const double *f = t[i / n], *g = t[i % n];
        M[i] += mass * f[0] * g[0] + (twist ? turn * f[0] * g[0] : turn * f[1] * g[1] / (L * L));
    }
}

/* x = L^-1 x or L^-T x for every column of X [n][n] */
static void solve_columns(int n, const double *L, int transposed, double *X)
{
    for (int c = 0; c < n; c++)
        for (int s = 0; s < n; s++) {
            const int r = transposed ? n - 1 - s : s;
            double t = X[r * n + c];
            for (int k = transposed ? r + 1 : 0; k < (transposed ? n : r); k++)
                t -= (transposed ? L[k * n + r] : L[r * n + k]) * X[k * n + c];
            X[r * n + c] = t / L[r * n + r];
        }
}

static void transpose(int n, double *A)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            const double x = A[i * n + j];
            A[i * n + j] = A[j * n + i];
            A[j * n + i] = x;
        }
}

/* A = L^-1 A L^-T */
static void congruence(int n, const double *L, double *A)
{
    solve_columns(n, L, 0, A);
    transpose(n, A);
    solve_columns(n, L, 0, A);
}

/* the places of the largest entries on a diagonal, the largest first */
static void order_largest(int n, const double *A, int count, int *order)
{
    int taken[PN_TERMS + PN_MODES] = {0};
    for (int k = 0; k < count; k++) {
        int best = -1;
        for (int i = 0; i < n; i++)
            if (!taken[i] && (best < 0 || A[i * (n + 1)] > A[best * (n + 1)])) best = i;
        taken[best] = 1;
        order[k] = best;
    }
}

/* Makes the largest displacement 1: where it is of either sign, it is positive at the outermost. */
static void normalize(pn_modes *modes, int k)
{
    double largest = 0;
    for (int i = 0; i <= 400; i++) {
        double y[3];
        mode_at(modes, k, i / 400.0, y);
        if (fabs(y[0]) >= (1 - 1e-9) * fabs(largest)) largest = y[0];
    }
    for (int j = 0; j < PN_TERMS; j++) modes->term[k][j] /= largest;
}

/* the first modes of a direction, from number `first` on */
static const char *ritz(pn_modes *modes, int direction, int first)
{
    static const char *const none = "the numbers of its beam are too far apart to find its modes";
    double K[PN_TERMS * PN_TERMS], M[PN_TERMS * PN_TERMS], V[PN_TERMS * PN_TERMS], scale[PN_TERMS];
    int order[PN_TERMS] = {0};
    const int wanted = modes->def.modes[direction], n = 2 * wanted + 12;
    modes->terms[direction] = n;
    ritz_matrices(&modes->def, direction, n, K, M);
    for (int i = 0; i < n; i++) scale[i] = sqrt(K[i * (n + 1)]);
    for (int i = 0; i < n * n; i++) {
        K[i] /= scale[i / n] * scale[i % n];
        M[i] /= scale[i / n] * scale[i % n];
    }
    /* 1 / w^2 are the eigenvalues of L^-1 M L^-T, K = L L': those of the first modes are the largest, and exact */
    if (!pn_cholesky(n, K)) return none;
    congruence(n, K, M);
    pn_jacobi(n, M, V);
    order_largest(n, M, wanted, order);
    solve_columns(n, K, 1, V);
    for (int k = 0; k < wanted; k++) {
        modes->direction[first + k] = direction;
        memset(modes->term[first + k], 0, sizeof modes->term[first + k]);
        for (int j = 0; j < n; j++) modes->term[first + k][j] = V[j * n + order[k]] / scale[j];
        normalize(modes, first + k);
    }
    return NULL;
}

/* ---- matrices of the link alone ---- */

/* bending and torsion that the modes store */
static void beam_stiffness(pn_modes *modes)
{
    const pinion_elastic_def *d = &modes->def;
    const int n = modes->count, points = PN_TERMS + 8;
    double x[64], w[64], y[PN_MODES][3];
    pn_gauss(points, x, w);
    for (int p = 0; p < points; p++) {
        for (int k = 0; k < n; k++) mode_at(modes, k, x[p], y[k]);
        for (int i = 0; i < n * n; i++) {
            const int j = i / n, k = i % n, way = modes->direction[j];
            if (way != modes->direction[k]) continue;
            const double stiff = d->length * (way == 2 ? d->torsion_stiffness : d->bending_stiffness[way]);
            modes->stiffness[i] += w[p] * stiff * (way == 2 ? y[j][1] * y[k][1] : y[j][2] * y[k][2]);
        }
    }
    /* modes do not couple but for rounding */
    double *K = modes->stiffness;
    for (int i = 0; i < n * n; i++)
        if (i / n != i % n && fabs(K[i]) < 1e-10 * sqrt(K[i / n * (n + 1)] * K[i % n * (n + 1)])) K[i] = 0;
}

/* Whether a symmetric matrix over the modes is positive semidefinite but for rounding, measured by M = L L'. */
static int is_semidefinite(int n, const double *L, const double *B)
{
    double A[PN_MODES * PN_MODES], V[PN_MODES * PN_MODES];
    int order[PN_MODES] = {0};
    memcpy(A, B, (size_t)(n * n) * sizeof *A);
    congruence(n, L, A);
    pn_jacobi(n, A, V);
    order_largest(n, A, n, order);
    return A[order[n - 1] * (n + 1)] >= -1e-9 * fabs(A[order[0] * (n + 1)]);
}

/* frequencies of K c = w^2 M c, and the damping that is so much of critical in each of these */
static const char *modal_damping(pn_modes *modes)
{
    const int n = modes->count;
    double L[PN_MODES * PN_MODES], A[PN_MODES * PN_MODES], V[PN_MODES * PN_MODES];
    int order[PN_MODES] = {0};
    memcpy(L, modes->mass, sizeof L);
    memcpy(A, modes->stiffness, sizeof A);
    if (!pn_cholesky(n, L)) return "the modes have no mass of their own each: its mass matrix is not positive definite";
    congruence(n, L, A);
    pn_jacobi(n, A, V);
    order_largest(n, A, n, order);
    if (!is_semidefinite(n, L, modes->stiffness)) return "its stiffness matrix is not positive semidefinite";
    for (int k = 0; k < n; k++) modes->frequency[n - 1 - k] = sqrt(fmax(A[order[k] * (n + 1)], 0));
    if (modes->def.damping_matrix) {
        if (!is_semidefinite(n, L, modes->def.damping_matrix)) return "its damping matrix is not positive semidefinite";
        memcpy(modes->damping, modes->def.damping_matrix, (size_t)(n * n) * sizeof *modes->damping);
        return NULL;
    }
    /* D = L (sum of 2 zeta w v v') L' */
    for (int k = 0; k < n; k++) {
        const double twice = 2 * modes->def.damping_ratio * sqrt(fmax(A[k * (n + 1)], 0));
        double y[PN_MODES];
        for (int i = 0; i < n; i++) {
            y[i] = 0;
            for (int j = 0; j <= i; j++) y[i] += L[i * n + j] * V[j * n + k];
        }
        for (int i = 0; i < n * n; i++) modes->damping[i] += twice * y[i / n] * y[i % n];
    }
    return NULL;
}

const char *pn_modes_make(pn_modes *modes, const pinion_elastic_def *def)
{
    const char *fault = NULL;
    memset(modes, 0, sizeof *modes);
    modes->def = *def;
    modes->count = pn_elastic_mode_count(def);
    const size_t bytes = (size_t)(modes->count * modes->count) * sizeof(double);
    if (def->node_count) {
        memcpy(modes->stiffness, def->stiffness_matrix, bytes);
    } else {
        for (int direction = 0, first = 0; direction < 3 && !fault; first += def->modes[direction++])
            if (def->modes[direction]) fault = ritz(modes, direction, first);
        if (!fault) beam_stiffness(modes);
    }
    if (fault) return fault;
    const char *mass = pn_modes_weigh(modes);
    fault = modal_damping(modes);
    return fault ? fault : mass; /* no mass at all is told first */
}

/* ---- places ---- */

/* a beam: u and half the rotation, of one mode and of two */
static void beam_place(const pn_modes *modes, double station, double *shift, double *turn, double *shift2,
                       double *turn2)
{
    const int n = modes->count, points = PN_TERMS + 4;
    const double L = modes->def.length;
    double x[64], w[64], y[PN_MODES][3];
    for (int k = 0; k < n; k++) {
        const int way = modes->direction[k];
        mode_at(modes, k, station / L, y[k]);
        if (way < 2) shift[3 * k + 1 + way] = y[k][0];
        if (way == 0) turn[3 * k + 2] = y[k][1] / 2;
        if (way == 1) turn[3 * k + 1] = -y[k][1] / 2;
        if (way == 2) turn[3 * k] = y[k][0] / 2;
    }
    /* slopes with a twist: the section stays normal to the line */
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
            if (modes->direction[k] < 2 && modes->direction[l] == 2) {
                const int axis = modes->direction[k] == 0 ? 1 : 2;
                turn2[3 * (k * n + l) + axis] += y[k][1] * y[l][0] / 4;
                turn2[3 * (l * n + k) + axis] += y[k][1] * y[l][0] / 4;
            }
    /* integrals from the first end on */
    pn_gauss(points, x, w);
    for (int p = 0; p < points && station > 0; p++) {
        for (int k = 0; k < n; k++) mode_at(modes, k, x[p] * station / L, y[k]);
        for (int i = 0; i < n * n; i++) {
            const int k = i / n, l = i % n, ways = modes->direction[k] + 4 * modes->direction[l];
            if (ways == 0 || ways == 5) shift2[3 * i] -= w[p] * station * y[k][1] * y[l][1];
            if (ways == 4 || ways == 1) { /* k is along y and l along z, or the other way round */
                const double *v = ways == 4 ? y[k] : y[l], *z = ways == 4 ? y[l] : y[k];
                turn2[3 * i] += w[p] * station * (v[1] * z[2] - z[1] * v[2]) / 4;
            }
        }
    }
}

/* shapes at a node; the way from node to node keeps its length, from the origin on, where nothing moves */
static void node_place(const pn_modes *modes, int node, double *shift, double *turn, double *shift2)
{
    const pinion_elastic_def *d = &modes->def;
    const int n = modes->count;
    const size_t nodes = (size_t)d->node_count;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 3; i++) {
            const size_t at = 3 * ((size_t)k * nodes + (size_t)node) + (size_t)i;
            shift[3 * k + i] = d->translation[at];
            if (d->rotation) turn[3 * k + i] = d->rotation[at] / 2;
        }
    for (int j = 0; j <= node; j++) {
        double way[3], step[PN_MODES][3];
        for (int i = 0; i < 3; i++) way[i] = d->position[3 * j + i] - (j ? d->position[3 * j - 3 + i] : 0);
        const double length = pn_norm3(way);
        if (length == 0) continue; /* the first node is at the origin */
        for (int k = 0; k < n; k++) {
            const double *u = d->translation + 3 * ((size_t)k * nodes + (size_t)j);
            for (int i = 0; i < 3; i++) step[k][i] = u[i] - (j ? u[i - 3] : 0);
            const double along = pn_dot3(step[k], way) / (length * length);
            for (int i = 0; i < 3; i++) step[k][i] -= along * way[i];
        }
        for (int i = 0; i < n * n; i++)
            for (int e = 0; e < 3; e++)
                shift2[3 * i + e] -= way[e] / (length * length) * pn_dot3(step[i / n], step[i % n]);
    }
}

void pn_modes_place(const pn_modes *modes, double station, double *numbers)
{
    const int n = modes->count;
    memset(numbers, 0, (size_t)PN_PLACE_NUMBERS(n) * sizeof *numbers);
    double *turn = numbers + 3 * n, *shift2 = turn + 3 * n, *turn2 = shift2 + 3 * n * n;
    if (modes->def.node_count)
        node_place(modes, (int)station, numbers, turn, shift2);
    else
        beam_place(modes, station, numbers, turn, shift2, turn2);
}
