#include <float.h>
#include <math.h>
#include "base/vec3.h"
#include "contact/solve/contact_laws.h"

#define ROOT_STEPS 100
#define NEAR 1e-8 /* of a divisor: what a step of Newton's leaves then is rounding */
#define UNMOVED 1e-12 /* of a contact's diagonal, and of its velocities: what is left is rounding */

/* the nearest point of the cone |t| <= mu n */
static void project_cone(double mu, double *x)
{
    const double t = pn_length(x[1], x[2]);
    if (x[0] >= 0 && t <= mu * x[0]) return;
    const double n = (x[0] + mu * t) / (1 + mu * mu);
    if (!(n > 0)) {
        x[0] = x[1] = x[2] = 0;
        return;
    }
    const double share = t > 0 ? mu * n / t : 0;
    x[0] = n;
    x[1] *= share;
    x[2] *= share;
}

void pn_block_project(const pn_block *b, double scale, double *x)
{
    switch (b->law) {
    case PINION_CONTACT_COULOMB: project_cone(b->mu, x); break;
    case PINION_CONTACT_LIMIT: x[0] = x[0] > 0 ? x[0] : 0; break;
    case PINION_CONTACT_FRICTION: x[0] = fmax(-b->mu / scale, fmin(b->mu / scale, x[0])); break;
    default: break;
    }
}

double pn_block_correction(const pn_block *b, const double *u)
{
    return b->law == PINION_CONTACT_COULOMB ? b->mu * pn_length(u[1], u[2]) : 0;
}

/* A contact with its tangents turned, and q. With alpha >= 0 in u_t = -alpha lambda_t
 *
 *     lambda_t = -b / (s + alpha),   lambda_n = -(q_n + c . lambda_t) / A_nn */
typedef struct turned {
    const pn_turn *of;
    double mu, q; /* q_n */
    double b[2], s[2];
} turned;

pn_turn pn_contact_turn(const double *A)
{
    pn_turn t;
    const double n = A[0], x = A[1], y = A[2];
    const double s11 = A[4] - x * x / n, s22 = A[8] - y * y / n, s12 = A[5] - x * y / n;
    const double half = 0.5 * (s11 + s22), off = 0.5 * (s11 - s22), apart = pn_length(off, s12);
    /* of half the angle of (off, s12), which is within a right angle of x */
    const double longer = pn_length(apart + fabs(off), s12), one = longer > 0 ? (apart + fabs(off)) / longer : 1;
    const double other = longer > 0 ? s12 / longer : 0;
    t.normal = n;
    t.share[0] = x / n;
    t.share[1] = y / n;
    t.cosine = off >= 0 ? one : fabs(other);
    t.sine = off >= 0 ? other : copysign(one, s12);
    t.s[0] = fmax(half + apart, 0);
    t.s[1] = fmax(half - apart, 0);
    t.c[0] = t.cosine * x + t.sine * y;
    t.c[1] = t.cosine * y - t.sine * x;
    t.size = A[0] + A[4] + A[8];
    t.alpha = 0;
    return t;
}

static turned with_velocity(double mu, const pn_turn *of, const double *q)
{
    turned t = {of, mu, q[0], {0, 0}, {of->s[0], of->s[1]}};
    const double b1 = q[1] - of->share[0] * q[0], b2 = q[2] - of->share[1] * q[0];
    t.b[0] = of->cosine * b1 + of->sine * b2;
    t.b[1] = of->cosine * b2 - of->sine * b1;
    /* a tangent that its own impulse does not move: rounding must not be divided by rounding */
    const double size = fabs(q[0]) + fabs(q[1]) + fabs(q[2]);
    for (int k = 0; k < 2; k++)
        if (t.s[k] <= UNMOVED * of->size) {
            t.s[k] = 0;
            if (fabs(t.b[k]) <= UNMOVED * size) t.b[k] = 0;
        }
    return t;
}

/* the turned impulses where the divisors s + alpha are known; |lambda_t| - mu lambda_n is returned */
static double slide_with(const turned *t, const double divisor[2], double lambda[3])
{
    for (int k = 0; k < 2; k++) lambda[1 + k] = t->b[k] != 0 ? -t->b[k] / divisor[k] : 0;
    lambda[0] = -(t->q + t->of->c[0] * lambda[1] + t->of->c[1] * lambda[2]) / t->of->normal;
    return pn_length(lambda[1], lambda[2]) - t->mu * lambda[0];
}

/* The same at alpha; the slope by beta = 1 / (alpha + s_0), in which the excess is nearly a straight line, and the
 * rates of lambda_t. Divisors come from alpha: from beta the smaller one would be a difference, and rounding. */
static double slide_at(const turned *t, double alpha, double lambda[3], double rate[2], double *slope)
{
    const double divisor[2] = {t->s[0] + alpha, t->s[1] + alpha}, ratio = divisor[0] / divisor[1];
    rate[0] = -t->b[0];
    rate[1] = t->b[1] != 0 ? -t->b[1] * ratio * ratio : 0;
    const double excess = slide_with(t, divisor, lambda), size = pn_length(lambda[1], lambda[2]);
    *slope = (size > 0 ? (lambda[1] * rate[0] + lambda[2] * rate[1]) / size : 0) +
             t->mu * (t->of->c[0] * rate[0] + t->of->c[1] * rate[1]) / t->of->normal;
    return excess;
}

/* Sliding: the excess over the cone is above 0 where it sticks, and below 0 for large alpha since q_n < 0. Newton's
 * steps between the two, by halves where they leave the bracket, from where the root was the last time. A step is small
 * where it is so for the smaller divisor. */
static void solve_sliding(const turned *t, double *last, double lambda[3])
{
    const double size = pn_length(t->b[0], t->b[1]), push = -t->mu * t->q, s = t->s[0];
    /* from this alpha on below */
    const double most = size * (t->of->normal + t->mu * pn_length(t->of->c[0], t->of->c[1])) / push;
    if (!(push > 0) || !(1 / (most + s) > 0)) { /* no friction to speak of */
        lambda[0] = -t->q / t->of->normal;
        lambda[1] = lambda[2] = 0;
        return;
    }
    double low = 0, high = most, alpha = most > s ? 0.5 * (most - s) : most * s / (most + 2 * s);
    double step = 0, rate[2] = {0, 0}, slope;
    int near = 0;
    if (!(alpha > 0)) alpha = 0.5 * most;
    if (*last > low && *last < high) alpha = *last;
    for (int k = 0; k < ROOT_STEPS; k++) {
        const double excess = slide_at(t, alpha, lambda, rate, &slope), least = alpha + t->s[t->b[1] != 0];
        if (excess > 0)
            low = alpha;
        else
            high = alpha;
        step = excess / slope; /* of beta */
        const double share = step * (alpha + s);
        near = fabs(share) * (alpha + s) <= NEAR * least;
        if (near || !(high - low > 2 * DBL_EPSILON * least)) break;
        const double next = (alpha + s * share) / (1 - share);
        alpha = share < 1 && next > low && next < high ? next : 0.5 * (low + high);
    }
    *last = alpha;
    if (!near) return;
    /* the last step, along straight lines */
    for (int k = 0; k < 2; k++) lambda[1 + k] -= step * rate[k];
    lambda[0] = -(t->q + t->of->c[0] * lambda[1] + t->of->c[1] * lambda[2]) / t->of->normal;
}

static void solve_contact(double mu, pn_turn *of, const double *q, double *lambda)
{
    lambda[0] = lambda[1] = lambda[2] = 0;
    if (q[0] >= 0 || !(of->normal > DBL_EPSILON * (of->size - of->normal))) return;
    const turned t = with_velocity(mu, of, q);
    double x[3];
    /* a tangent that nothing moves cannot stick unless it is at rest */
    if (!(mu > 0) || slide_with(&t, t.s, x) > 0 || !(isfinite(x[1]) && isfinite(x[2]))) {
        solve_sliding(&t, &of->alpha, x);
        const double size = pn_length(x[1], x[2]), share = size > 0 ? fmin(mu * x[0] / size, 1) : 0;
        x[1] *= share;
        x[2] *= share;
    }
    lambda[0] = x[0];
    lambda[1] = of->cosine * x[1] - of->sine * x[2];
    lambda[2] = of->sine * x[1] + of->cosine * x[2];
}

void pn_block_solve(const pn_block *b, double A, pn_turn *t, const double *q, double *lambda)
{
    if (b->law == PINION_CONTACT_COULOMB) {
        solve_contact(b->mu, t, q, lambda);
        return;
    }
    lambda[0] = A > 0 ? -q[0] / A : 0;
    pn_block_project(b, 1, lambda);
}

double pn_block_mean(const pinion_contact_problem *p, const pn_block *b)
{
    double sum = 0;
    for (int k = b->row; k < b->row + b->size; k++)
        sum += p->G[(size_t)k * (size_t)p->rows + (size_t)k] + (p->R ? p->R[k] : 0);
    return sum / b->size;
}

void pn_block_velocity(const pinion_contact_problem *p, const pn_block *b, const double *lambda, double *u)
{
    for (int k = 0; k < b->size; k++) {
        const int row = b->row + k;
        u[k] = pn_dot(p->rows, p->G + (size_t)row * (size_t)p->rows, lambda) + p->g[row];
        if (p->R) u[k] += p->R[row] * lambda[row];
    }
}

void pn_block_act(const pinion_contact_problem *p, const pn_block *b, const double *change, double *u)
{
    const double *G = p->G + (size_t)b->row * (size_t)p->rows;
    if (b->size == 3) {
        const double *G1 = G + p->rows, *G2 = G1 + p->rows;
        for (int j = 0; j < p->rows; j++) u[j] += (G[j] * change[0] + G1[j] * change[1]) + G2[j] * change[2];
    } else
        for (int j = 0; j < p->rows; j++) u[j] += G[j] * change[0];
    if (p->R)
        for (int k = 0; k < b->size; k++) u[b->row + k] += p->R[b->row + k] * change[k];
}
