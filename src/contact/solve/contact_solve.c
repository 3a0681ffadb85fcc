/* The calls of pinion/contact.h: the list of solvers, checks, workspaces, residuals. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "contact/solve/contact_solvers.h"

#define PN_COOKIE_CONTACT 0x434f4e54u
#define MOST_ROWS 32768
#define FIRST_PART 150 /* iterations before Newton's method is tried; four times as many each time after it */
#define SWEEPS 12      /* of Gauss and Seidel from a guess */
#define SHARPER 0.01   /* times the goal: they stay far from it, or come nearer at little cost */
#define QUICK 12       /* iterations of ADMM before Newton's method and interior points are tried from there */
#define EXACT 1e-6     /* times the goal: how well directions of sliding are to be known for the least norm */
#define PGS 1          /* places in the list */
#define INTERIOR 2
#define MOST_FRICTION 1e6 /* the natural residual of a body that sinks is about its speed / mu */
#define WORST_ROUNDING 1e-6 /* of the largest |g|: a residual above it is never put down to rounding */

static const struct {
    pinion_contact_solver_info info;
    pn_contact_solver_fn *solve;
} solvers[] = {
    {{"admm", "Carpentier, Le Lidec & Montaut 2024; Boyd et al. 2011",
      "2 n^2 multiplications; n^3 / 6 to factorize, again when the penalty changes",
      "stacks, large ratios of masses, high accuracy"},
     pn_contact_admm},
    {{"pgs", "Moreau 1999; Jourdan, Alart & Jean 1998", "n^2 multiplications, less where contacts stay open or at rest",
      "few contacts, moderate accuracy, warm starts"},
     pn_contact_pgs},
    {{"interior-point", "Acary, Armand, Nguyen & Shpakovych 2023", "2 n^3 / 3 multiplications, some 20 iterations",
      "rows that depend on each other, contacts that hardly slide"},
     pn_contact_interior},
};

int pinion_contact_solver_count(void)
{
    return (int)(sizeof solvers / sizeof *solvers);
}

pinion_status pinion_contact_solver(int solver, pinion_contact_solver_info *out)
{
    if (!out || solver < 0 || solver >= pinion_contact_solver_count()) return PINION_ERR_ARGUMENT;
    *out = solvers[solver].info;
    return PINION_OK;
}

int pinion_contact_solver_find(const char *name)
{
    for (int i = 0; name && i < pinion_contact_solver_count(); i++)
        if (strcmp(solvers[i].info.name, name) == 0) return i;
    return -1;
}

pinion_contact_options pinion_contact_options_default(void)
{
    pinion_contact_options o;
    memset(&o, 0, sizeof o);
    o.solver = -1;
    o.iterations = 10000;
    o.tolerance = 1e-10;
    o.least_norm = 1;
    o.cookie = PN_COOKIE_CONTACT;
    return o;
}

/* ---- workspaces ---- */

struct pinion_contact_work {
    int rows;
    char message[160];
    pn_block *block;
    double *numbers; /* two squares, then vectors */
    int *index;
};

size_t pinion_contact_work_size(int rows)
{
    if (rows < 0 || rows > MOST_ROWS) return 0;
    const size_t n = (size_t)rows, numbers = 2 * n * n + (PN_CONTACT_VECTORS + PN_ANDERSON_VECTORS) * n;
    return sizeof(pinion_contact_work) + n * (sizeof(pn_block) + sizeof(int)) + numbers * sizeof(double) + 3 * 64;
}

static char *aligned(char *at)
{
    return (char *)(((uintptr_t)at + 63) & ~(uintptr_t)63);
}

pinion_contact_work *pinion_contact_work_init(int rows, void *memory, size_t size)
{
    const size_t needed = pinion_contact_work_size(rows);
    if (!memory || !needed || size < needed) return NULL;
    pinion_contact_work *w = (pinion_contact_work *)(void *)aligned(memory);
    memset(w, 0, sizeof *w);
    w->rows = rows;
    w->block = (pn_block *)(void *)aligned((char *)(w + 1));
    w->index = (int *)(void *)(w->block + rows);
    w->numbers = (double *)(void *)aligned((char *)(w->index + rows));
    return w;
}

/* The block that malloc gave is found again by the pointer just before the workspace. */
pinion_contact_work *pinion_contact_work_new(int rows)
{
    const size_t size = pinion_contact_work_size(rows);
    char *memory = size ? malloc(size + 64) : NULL;
    if (!memory) return NULL;
    pinion_contact_work *w = pinion_contact_work_init(rows, memory + sizeof(void *), size + 64 - sizeof(void *));
    memcpy((char *)w - sizeof(void *), &memory, sizeof memory);
    return w;
}

void pinion_contact_work_free(pinion_contact_work *w)
{
    void *memory;
    if (!w) return;
    memcpy(&memory, (char *)w - sizeof memory, sizeof memory);
    free(memory);
}

const char *pinion_contact_work_message(const pinion_contact_work *w)
{
    return w ? w->message : "the workspace is NULL";
}

/* ---- checks ---- */

/* What is wrong with a problem: a sentence, with the block where one is to blame; NULL: nothing. */
static const char *objection(const pinion_contact_problem *p, int *block)
{
    *block = -1;
    if (!p) return "the problem is NULL";
    if (p->blocks < 0 || p->rows < 0 || p->rows > MOST_ROWS) return "blocks and rows must be 0 to 32768";
    if (p->blocks && !(p->G && p->g)) return "G or g is NULL";
    size_t row = 0;
    const size_t n = (size_t)p->rows;
    for (int i = 0; i < p->blocks; i++) {
        *block = i;
        if (p->law && p->law[i] >= PINION_CONTACT_LAW_COUNT) return "the law is none of the known ones";
        const pn_block b = pn_block_at(p, i, (int)row);
        const int rubs = b.law == PINION_CONTACT_COULOMB || b.law == PINION_CONTACT_FRICTION;
        if (rubs && !(p->mu && p->mu[i] >= 0 && isfinite(p->mu[i]))) return "mu must be 0 or more";
        if (b.law == PINION_CONTACT_COULOMB && p->mu[i] > MOST_FRICTION) return "mu must be 1e6 or less";
        if (row + (size_t)b.size > n) return "there are more blocks than rows for them";
        for (size_t k = row; k < row + (size_t)b.size; k++) {
            if (!isfinite(p->g[k])) return "g is not finite";
            if (p->R && !(p->R[k] >= 0 && isfinite(p->R[k]))) return "R must be 0 or more";
            for (size_t j = 0; j < n; j++)
                if (!isfinite(p->G[k * n + j])) return "G is not finite";
            if (p->G[k * n + k] < 0) return "G has a negative number on its diagonal";
        }
        row += (size_t)b.size;
    }
    *block = -1;
    return row == n ? NULL : "there are more rows than the blocks have";
}

static pinion_status refuse(pinion_contact_work *w, pinion_status status, int block, const char *reason)
{
    if (block >= 0)
        snprintf(w->message, sizeof w->message, "block %d: %s", block, reason);
    else
        snprintf(w->message, sizeof w->message, "%s", reason);
    return status;
}

/* ---- residuals ---- */

/* how far a block is from a solution, in velocity */
static double block_natural(const pn_block *b, const double *lambda, const double *u)
{
    const double mean = b->mean > DBL_MIN ? b->mean : DBL_MIN, rho = 1 / mean;
    double x[3] = {0, 0, 0}, most = 0;
    if (b->law == PINION_CONTACT_EQUALITY) return fabs(u[0]); /* not as a difference of impulses, however large */
    for (int k = 0; k < b->size; k++) x[k] = lambda[k] - rho * u[k];
    x[0] -= rho * pn_block_correction(b, u);
    pn_block_project(b, 1, x);
    for (int k = 0; k < b->size; k++) {
        const double off = fabs(lambda[k] - x[k]);
        if (!(off <= most)) most = off;
    }
    return most * mean;
}

static void add_block(const pn_block *b, int i, const double *lambda, const double *u, pinion_contact_residuals *r)
{
    double x[3] = {0, 0, 0}, cone = 0;
    memcpy(x, lambda, (size_t)b->size * sizeof *x);
    pn_block_project(b, 1, x);
    for (int k = 0; k < b->size; k++) cone = hypot(cone, x[k] - lambda[k]);
    r->cone = fmax(r->cone, cone);
    const int contact = b->law == PINION_CONTACT_COULOMB;
    if (contact || b->law == PINION_CONTACT_LIMIT) {
        r->dual = fmax(r->dual, -u[0]);
        r->complementarity = fmax(r->complementarity, fabs(lambda[0] * u[0]));
    }
    if (b->law == PINION_CONTACT_EQUALITY) r->dual = fmax(r->dual, fabs(u[0]));
    if (contact)
        r->dissipation = fmax(r->dissipation, fabs(b->mu * lambda[0] * pn_length(u[1], u[2]) + lambda[1] * u[1] +
                                                   lambda[2] * u[2]));
    if (b->law == PINION_CONTACT_FRICTION)
        r->dissipation = fmax(r->dissipation, fabs(b->mu * fabs(u[0]) + lambda[0] * u[0]));
    const double natural = block_natural(b, lambda, u);
    if (!(natural <= r->natural) || r->worst < 0) {
        r->natural = natural;
        r->worst = i;
    }
}

static void find_residuals(const pinion_contact_problem *p, const double *lambda, double *u,
                           pinion_contact_residuals *out)
{
    pinion_contact_residuals r = {0, 0, 0, 0, 0, -1};
    for (int i = 0, row = 0; i < p->blocks; i++) {
        pn_block b = pn_block_at(p, i, row);
        double own[3];
        b.mean = pn_block_mean(p, &b);
        pn_block_velocity(p, &b, lambda, own);
        if (u) memcpy(u + row, own, (size_t)b.size * sizeof *own);
        add_block(&b, i, lambda + row, own, &r);
        row += b.size;
    }
    if (out) *out = r;
}

pinion_status pinion_contact_check(const pinion_contact_problem *p, const double *lambda, double *u,
                                   pinion_contact_residuals *out)
{
    int block;
    if (objection(p, &block) || (p->blocks && !lambda)) return PINION_ERR_ARGUMENT;
    find_residuals(p, lambda, u, out);
    return PINION_OK;
}

void pn_contact_velocity(const pn_contact_task *t, const double *lambda, double *u)
{
    if (t->p->rows) memcpy(u, t->p->g, (size_t)t->p->rows * sizeof *u);
    for (int i = 0; i < t->p->blocks; i++) pn_block_act(t->p, &t->block[i], lambda + t->block[i].row, u);
}

double pn_contact_goal(const pn_contact_task *t, const double *lambda)
{
    double largest = 0;
    for (int k = 0; k < t->p->rows; k++) {
        const double size = fabs(lambda[k]);
        if (!(size <= largest)) largest = size;
    }
    if (!(t->rounding * largest <= fmax(t->goal, t->most))) return -1;
    return fmax(t->goal, t->rounding * largest);
}

double pn_contact_natural(const pn_contact_task *t, const double *lambda, const double *u)
{
    double most = 0;
    for (int i = 0; i < t->p->blocks; i++) {
        const int row = t->block[i].row;
        const double natural = block_natural(&t->block[i], lambda + row, u + row);
        if (!(natural <= most)) most = natural;
    }
    return most;
}

/* ---- solving ---- */

/* the problem taken apart in the workspace */
static pn_contact_task open_task(pinion_contact_work *w, const pinion_contact_problem *p,
                                 const pinion_contact_options *o)
{
    const size_t n = (size_t)p->rows;
    pn_contact_task t = {p, w->block, 0, 0, 0, o->iterations, {w->numbers, w->numbers + n * n}, {NULL}, NULL,
                         w->index};
    for (int k = 0; k < PN_CONTACT_VECTORS; k++) t.vector[k] = w->numbers + 2 * n * n + (size_t)k * n;
    t.memory = w->numbers + 2 * n * n + PN_CONTACT_VECTORS * n;
    for (int i = 0, row = 0; i < p->blocks; i++) {
        w->block[i] = pn_block_at(p, i, row);
        w->block[i].mean = pn_block_mean(p, &w->block[i]);
        row += w->block[i].size;
    }
    for (size_t k = 0; k < n; k++) {
        t.goal = fmax(t.goal, fabs(p->g[k]));
        t.rounding = fmax(t.rounding, p->G[k * n + k] + (p->R ? p->R[k] : 0));
    }
    t.most = WORST_ROUNDING * t.goal;
    t.goal *= o->tolerance;
    t.rounding *= 32 * DBL_EPSILON;
    return t;
}

static int is_solved(const pn_contact_task *t, const double *lambda, const double *u)
{
    return pn_contact_natural(t, lambda, u) <= pn_contact_goal(t, lambda);
}

/* the guess, or zero, inside the laws */
static void start(const pn_contact_task *t, int warm, double *lambda)
{
    for (int i = 0; i < t->p->blocks; i++) {
        double *own = lambda + t->block[i].row;
        for (int k = 0; k < t->block[i].size; k++)
            if (!warm || !isfinite(own[k])) own[k] = 0;
        pn_block_project(&t->block[i], 1, own);
    }
}

static int is_finite(const pn_contact_task *t, const double *lambda)
{
    for (int k = 0; k < t->p->rows; k++)
        if (!isfinite(lambda[k])) return 0;
    return 1;
}

/* The solver, and where it is slow Newton's method from where it has got to, which else leaves no trace. */
static int run(const pn_contact_task *t, int solver, double *lambda, double *u, int *iterations)
{
    double *kept = t->vector[PN_CONTACT_VECTORS - 1];
    const size_t bytes = (size_t)t->p->rows * sizeof *lambda;
    pn_contact_task part = *t;
    for (int most = FIRST_PART; *iterations < t->iterations; most *= 4) {
        part.iterations = most < t->iterations - *iterations ? most : t->iterations - *iterations;
        const int used = solvers[solver].solve(&part, lambda, u);
        *iterations += used;
        if (is_solved(t, lambda, u)) return 1;
        if (!is_finite(t, lambda)) { /* nothing to go on from */
            start(t, 0, lambda);
            pn_contact_velocity(t, lambda, u);
        }
        memcpy(kept, lambda, bytes);
        if (pn_contact_newton(t, lambda, u)) return 1;
        memcpy(lambda, kept, bytes);
        pn_contact_velocity(t, lambda, u);
        if (used < part.iterations) break; /* it has come to its end */
    }
    return 0;
}

/* The default: as if nothing slid, then Newton's method from there, unless there is a guess, which has a few sweeps;
 * ADMM while it is quick and Newton's method from where it got to, interior points, and where these lead nowhere
 * ADMM for longer. But for the sweeps nothing of that depends on the order of the contacts: what is symmetric stays so,
 * also where friction leaves velocities open. The solver that found it is told. */
static int run_default(const pn_contact_task *t, int warm, int *solver, double *lambda, double *u, int *iterations)
{
    double *kept = t->vector[PN_CONTACT_VECTORS - 1];
    const size_t bytes = (size_t)t->p->rows * sizeof *lambda;
    pn_contact_task part = *t;
    if (warm) {
        part.iterations = SWEEPS < t->iterations ? SWEEPS : t->iterations;
        part.goal = SHARPER * t->goal;
        *iterations = pn_contact_pgs(&part, lambda, u);
        part.goal = t->goal;
        *solver = PGS;
        if (is_solved(t, lambda, u)) return 1;
    } else {
        if (pn_contact_direct(t, lambda, u)) return 1;
        if (is_finite(t, lambda) && pn_contact_proximal(t, lambda, u, iterations)) return 1;
        start(t, 0, lambda);
        pn_contact_velocity(t, lambda, u);
    }
    *solver = 0;
    part.iterations = QUICK < t->iterations - *iterations ? QUICK : t->iterations - *iterations;
    *iterations += pn_contact_admm(&part, lambda, u);
    if (is_solved(t, lambda, u)) return 1;
    memcpy(kept, lambda, bytes);
    if (is_finite(t, lambda) && pn_contact_proximal(t, lambda, u, iterations)) return 1;
    memcpy(lambda, kept, bytes);
    pn_contact_velocity(t, lambda, u);
    part.iterations = t->iterations - *iterations;
    *iterations += pn_contact_interior(&part, lambda, u);
    *solver = INTERIOR;
    if (is_solved(t, lambda, u) || (is_finite(t, lambda) && pn_contact_newton(t, lambda, u))) return 1;
    memcpy(lambda, kept, bytes);
    pn_contact_velocity(t, lambda, u);
    *solver = 0;
    return run(t, 0, lambda, u, iterations);
}

static int slides(const pn_contact_task *t, const double *lambda, const double *u)
{
    for (int i = 0; i < t->p->blocks; i++) {
        const pn_block *b = &t->block[i];
        if (b->law == PINION_CONTACT_COULOMB && b->mu > 0 && lambda[b->row] > 0 &&
            pn_length(u[b->row + 1], u[b->row + 2]) > t->goal)
            return 1;
    }
    return 0;
}

/* Which forces are determined, and what they are, may hang on directions of sliding that are nearly the same: a
 * solution is taken on to rounding, where that can be done. Where something slides friction may leave velocities open,
 * too; nonzero: they are those that compliance decides on, or nothing slides. */
static int sharpen(const pn_contact_task *t, double *lambda, double *u)
{
    double *before = t->vector[PN_CONTACT_VECTORS - 1];
    const size_t bytes = (size_t)t->p->rows * sizeof *lambda;
    pn_contact_task near = *t;
    int turns = 0;
    const int moves = slides(t, lambda, u);
    near.goal = EXACT * t->goal;
    memcpy(before, lambda, bytes);
    if (moves) {
        if (pn_contact_proximal(t, lambda, u, &turns)) return 1;
        memcpy(lambda, before, bytes);
        pn_contact_velocity(t, lambda, u);
    }
    if (is_solved(&near, lambda, u)) return !moves;
    const double natural = pn_contact_natural(t, lambda, u);
    if (!pn_contact_newton(&near, lambda, u) && !(pn_contact_natural(t, lambda, u) < natural)) {
        memcpy(lambda, before, bytes);
        pn_contact_velocity(t, lambda, u);
    }
    return !moves;
}

/* the least norm, kept where it solves the problem as well */
static void reduce(const pn_contact_task *t, double *lambda, double *u, pinion_contact_solution *s)
{
    double *before = t->vector[PN_CONTACT_VECTORS - 1], *after = t->vector[PN_CONTACT_VECTORS - 2];
    const size_t bytes = (size_t)t->p->rows * sizeof *lambda;
    const int chosen = sharpen(t, lambda, u);
    memcpy(before, lambda, bytes);
    pn_contact_task near = *t; /* at rest is what is so to rounding */
    near.goal = pn_contact_goal(t, lambda);
    s->undetermined = pn_contact_least_norm(&near, lambda, u, &s->least_norm);
    if (s->undetermined && s->least_norm) {
        pn_contact_velocity(t, lambda, after);
        s->least_norm = pn_contact_natural(t, lambda, after) <= 2 * near.goal;
        if (!s->least_norm) memcpy(lambda, before, bytes);
    }
    if (!slides(t, lambda, u)) return;
    pn_contact_velocity(t, lambda, after);
    const int all = pn_contact_nullity(&near, lambda, after);
    if (all <= s->undetermined) return;
    s->undetermined = all;
    s->least_norm = s->least_norm && chosen;
}

pinion_status pinion_contact_solve(pinion_contact_work *w, const pinion_contact_problem *p,
                                   const pinion_contact_options *options, double *lambda, double *u,
                                   pinion_contact_solution *solution)
{
    const pinion_contact_options defaults = pinion_contact_options_default(), *o = options ? options : &defaults;
    pinion_contact_solution s;
    int block;
    if (!w) return PINION_ERR_ARGUMENT;
    const char *wrong = objection(p, &block);
    if (wrong) return refuse(w, PINION_ERR_ARGUMENT, block, wrong);
    if (p->rows > w->rows) return refuse(w, PINION_ERR_MEMORY, -1, "the workspace is for fewer rows");
    if (p->rows && !lambda) return refuse(w, PINION_ERR_ARGUMENT, -1, "lambda is NULL");
    if (o->cookie != PN_COOKIE_CONTACT)
        return refuse(w, PINION_ERR_ARGUMENT, -1, "the options were not made by pinion_contact_options_default");
    if (o->solver < -1 || o->solver >= pinion_contact_solver_count())
        return refuse(w, PINION_ERR_ARGUMENT, -1, "there is no solver of that number");
    if (o->iterations < 0 || !(o->tolerance > 0 && o->tolerance < 1))
        return refuse(w, PINION_ERR_ARGUMENT, -1, "iterations must be 0 or more, the tolerance between 0 and 1");

    w->message[0] = 0;
    memset(&s, 0, sizeof s);
    s.solver = o->solver < 0 ? 0 : o->solver;
    const pn_contact_task t = open_task(w, p, o);
    double *own = t.vector[PN_CONTACT_VECTORS - 3];
    start(&t, o->warm, lambda);
    pn_contact_velocity(&t, lambda, own);
    const int solved = is_solved(&t, lambda, own) ||
                       (o->solver < 0 ? run_default(&t, o->warm, &s.solver, lambda, own, &s.iterations)
                                      : run(&t, s.solver, lambda, own, &s.iterations));
    if (o->least_norm && solved && p->rows) reduce(&t, lambda, own, &s);
    find_residuals(p, lambda, u, &s.residuals);
    if (solution) *solution = s;
    if (!solved) return refuse(w, PINION_ERR_CONVERGENCE, s.residuals.worst, "the tolerance was not met");
    return PINION_OK;
}
