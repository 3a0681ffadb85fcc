/* Lagrange's equations. The motion of every body by every coordinate, in the body's frame, gives
 *
 *     M_ij = sum over bodies of m v_i . v_j + w_i . I w_j
 *
 * with the velocities v of the centre of mass and I about it; the potential is carried along from the base.
 * Then
 *
 *     Gamma_ijk = 1/2 (M_ij,k + M_ik,j - M_jk,i),   C_ij = sum over k of Gamma_ijk v_k,   g_i = V,i
 */
#include <stdlib.h>
#include <string.h>

#include "equations/equation_steps.h"

/* What is known of a body: its motion by each coordinate, [w; v] at its origin, gravity in its frame, and how
 * far along gravity its origin is. */
typedef struct motion {
    pn_eq_poly (*J)[6]; /* [nv] */
    pn_eq_poly gravity[3], along;
} motion;

static void free_motion(motion *x, int nv)
{
    for (int k = 0; x->J && k < nv; k++)
        for (int d = 0; d < 6; d++) pn_eq_free(&x->J[k][d]);
    for (int d = 0; d < 3; d++) pn_eq_free(&x->gravity[d]);
    pn_eq_free(&x->along);
    free(x->J);
}

/* x = c x + s y, y = c y - s x */
static void turn_pair(pinion_equations *e, const pn_eq_poly *c, const pn_eq_poly *s, pn_eq_poly *x,
                      pn_eq_poly *y)
{
    pn_eq_poly u = {0}, w = {0};
    if (!x->count && !y->count) return;
    pn_eq_add_product(e, &u, c, x, 1);
    pn_eq_add_product(e, &u, s, y, 1);
    pn_eq_add_product(e, &w, c, y, 1);
    pn_eq_add_product(e, &w, s, x, -1);
    pn_eq_tidy(e, &u);
    pn_eq_tidy(e, &w);
    pn_eq_free(x);
    pn_eq_free(y);
    *x = u;
    *y = w;
}

/* A screw along an axis (0: x, 2: z): everything as seen from behind it. */
static void screw(pinion_equations *e, motion *m, int axis, const pn_eq_poly *c, const pn_eq_poly *s,
                  const pn_eq_poly *shift)
{
    const int y = (axis + 1) % 3, z = (axis + 2) % 3;
    for (int k = 0; k < e->nv; k++) {
        pn_eq_poly *J = m->J[k];
        /* v + w x (shift along the axis) */
        pn_eq_add_product(e, &J[3 + y], &J[z], shift, 1);
        pn_eq_add_product(e, &J[3 + z], &J[y], shift, -1);
        turn_pair(e, c, s, &J[y], &J[z]);
        turn_pair(e, c, s, &J[3 + y], &J[3 + z]);
    }
    pn_eq_add_product(e, &m->along, &m->gravity[axis], shift, 1);
    turn_pair(e, c, s, &m->gravity[y], &m->gravity[z]);
}

/* a screw by a constant angle and a symbol */
static void constant_screw(pinion_equations *e, motion *m, int axis, pn_eq_turn turn, int symbol)
{
    if (turn.angle < 0 && turn.quarters % 4 == 0 && symbol < 0) return;
    pn_eq_poly c = pn_eq_cosine(e, 0, turn.angle, 1, -1, turn.quarters);
    pn_eq_poly s = pn_eq_cosine(e, 1, turn.angle, 1, -1, turn.quarters);
    pn_eq_poly shift = pn_eq_symbol_poly(e, symbol);
    screw(e, m, axis, &c, &s, &shift);
    pn_eq_free(&c);
    pn_eq_free(&s);
    pn_eq_free(&shift);
}

/* x = R' x for a rotation of right angles */
static void turn_square(pinion_equations *e, const int R[9], pn_eq_poly x[3])
{
    pn_eq_poly y[3] = {{0}, {0}, {0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (R[3 * j + i]) pn_eq_add(e, &y[i], &x[j], R[3 * j + i]);
    for (int i = 0; i < 3; i++) {
        pn_eq_free(&x[i]);
        x[i] = y[i];
    }
}

/* to a frame at a place that three symbols give */
static void place(pinion_equations *e, motion *m, const pn_eq_body *b)
{
    int moved = 0;
    for (int k = 0; k < 3; k++) moved |= b->place[k] >= 0;
    pn_eq_poly p[3];
    for (int k = 0; k < 3; k++) p[k] = pn_eq_symbol_poly(e, b->place[k]);
    for (int k = 0; k < e->nv; k++) {
        pn_eq_poly *w = m->J[k], *v = m->J[k] + 3;
        for (int d = 0; moved && d < 3; d++) {
            pn_eq_add_product(e, &v[d], &w[(d + 1) % 3], &p[(d + 2) % 3], 1);
            pn_eq_add_product(e, &v[d], &w[(d + 2) % 3], &p[(d + 1) % 3], -1);
        }
        turn_square(e, b->dense, w);
        turn_square(e, b->dense, v);
    }
    for (int k = 0; k < 3; k++) pn_eq_add_product(e, &m->along, &m->gravity[k], &p[k], 1);
    turn_square(e, b->dense, m->gravity);
    for (int k = 0; k < 3; k++) pn_eq_free(&p[k]);
}

/* the joint: turned by the start and the coordinate, shifted likewise; then its own motion */
static void joint(pinion_equations *e, motion *m, const pn_eq_body *b, int turns, int shifts)
{
    const int times = (int)b->times, angle = turns ? e->q_angle[b->own] : -1;
    pn_eq_poly ratio = b->ratio >= 0 ? pn_eq_symbol_poly(e, b->ratio) : pn_eq_number(e, b->times);
    pn_eq_poly pitch = turns ? pn_eq_symbol_poly(e, b->pitch) : pn_eq_number(e, 1), rate = {0};
    pn_eq_add_product(e, &rate, &ratio, &pitch, 1); /* shift for each unit of the coordinate */

    pn_eq_poly c = pn_eq_cosine(e, 0, angle, times, b->start.angle, b->start.quarters);
    pn_eq_poly s = pn_eq_cosine(e, 1, angle, times, b->start.angle, b->start.quarters);
    pn_eq_poly shift = pn_eq_symbol_poly(e, b->offset);
    if (shifts) {
        pn_eq_poly q = pn_eq_symbol_poly(e, e->q_symbol[b->own]);
        pn_eq_add_product(e, &shift, &q, &rate, 1);
        pn_eq_free(&q);
    }
    screw(e, m, 2, &c, &s, &shift);
    if (turns) pn_eq_add(e, &m->J[b->own][2], &ratio, 1);
    if (shifts) pn_eq_add(e, &m->J[b->own][5], &rate, 1);
    pn_eq_poly *all[] = {&ratio, &pitch, &rate, &c, &s, &shift};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) pn_eq_free(all[k]);
}

/* v of the centre of mass: v + w x r */
static void center_velocity(pinion_equations *e, const pn_eq_body *b, const pn_eq_poly J[6], pn_eq_poly v[3])
{
    pn_eq_poly r[3];
    for (int d = 0; d < 3; d++) r[d] = pn_eq_symbol_poly(e, b->center[d]);
    for (int d = 0; d < 3; d++) {
        v[d] = pn_eq_copy(e, &J[3 + d]);
        pn_eq_add_product(e, &v[d], &J[(d + 1) % 3], &r[(d + 2) % 3], 1);
        pn_eq_add_product(e, &v[d], &J[(d + 2) % 3], &r[(d + 1) % 3], -1);
        pn_eq_tidy(e, &v[d]);
    }
    for (int d = 0; d < 3; d++) pn_eq_free(&r[d]);
}

/* I w */
static void inertia_times(pinion_equations *e, const pn_eq_body *b, const pn_eq_poly w[3], pn_eq_poly out[3])
{
    static const int entry[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            pn_eq_poly I = pn_eq_symbol_poly(e, b->inertia[entry[3 * i + j]]);
            pn_eq_add_product(e, &out[i], &I, &w[j], 1);
            pn_eq_free(&I);
        }
}

static int still(const pn_eq_poly J[6])
{
    int count = 0;
    for (int d = 0; d < 6; d++) count += J[d].count;
    return count == 0;
}

/* what a body adds to M and to the potential */
static void add_body(pinion_equations *e, const pn_eq_body *b, const motion *m, pn_eq_poly *V)
{
    const int nv = e->nv;
    pn_eq_poly mass = pn_eq_symbol_poly(e, b->mass);
    for (int j = 0; j < nv && !e->failed; j++) {
        if (still(m->J[j])) continue;
        pn_eq_poly v[3] = {{0}, {0}, {0}}, L[3] = {{0}, {0}, {0}}, p[3] = {{0}, {0}, {0}};
        center_velocity(e, b, m->J[j], v);
        inertia_times(e, b, m->J[j], L);
        for (int d = 0; d < 3; d++) pn_eq_add_product(e, &p[d], &mass, &v[d], 1);
        for (int i = 0; i <= j && !e->failed; i++) {
            if (still(m->J[i])) continue;
            pn_eq_poly u[3] = {{0}, {0}, {0}};
            center_velocity(e, b, m->J[i], u);
            for (int d = 0; d < 3; d++) {
                pn_eq_add_product(e, &e->M[i * nv + j], &u[d], &p[d], 1);
                pn_eq_add_product(e, &e->M[i * nv + j], &m->J[i][d], &L[d], 1);
            }
            for (int d = 0; d < 3; d++) pn_eq_free(&u[d]);
        }
        for (int d = 0; d < 3; d++) pn_eq_free(&v[d]), pn_eq_free(&L[d]), pn_eq_free(&p[d]);
    }

    /* V = -m g . p */
    pn_eq_poly along = pn_eq_copy(e, &m->along);
    for (int d = 0; d < 3; d++) {
        pn_eq_poly r = pn_eq_symbol_poly(e, b->center[d]);
        pn_eq_add_product(e, &along, &m->gravity[d], &r, 1);
        pn_eq_free(&r);
    }
    pn_eq_add_product(e, V, &mass, &along, -1);
    pn_eq_free(&along);
    pn_eq_free(&mass);

    /* the rotor turns with the joint alone */
    if (b->rotor >= 0) {
        pn_eq_poly J = pn_eq_symbol_poly(e, b->rotor), k = {0};
        pn_eq_poly ratio = b->ratio >= 0 ? pn_eq_symbol_poly(e, b->ratio) : pn_eq_number(e, b->times);
        pn_eq_add_product(e, &k, &ratio, &ratio, 1);
        pn_eq_add_product(e, &e->M[b->own * nv + b->own], &J, &k, 1);
        pn_eq_free(&J), pn_eq_free(&k), pn_eq_free(&ratio);
    }
}

/* the parent's motion, to be carried on */
static motion copy_motion(pinion_equations *e, const motion *from)
{
    motion m;
    memset(&m, 0, sizeof m);
    m.J = calloc((size_t)e->nv, sizeof *m.J);
    if (!m.J) {
        pn_eq_fail(e, PINION_ERR_MEMORY);
        return m;
    }
    for (int k = 0; k < e->nv && from->J; k++)
        for (int d = 0; d < 6; d++) m.J[k][d] = pn_eq_copy(e, &from->J[k][d]);
    for (int d = 0; d < 3; d++) m.gravity[d] = pn_eq_copy(e, &from->gravity[d]);
    m.along = pn_eq_copy(e, &from->along);
    return m;
}

/* M's upper triangle and the potential */
static void add_bodies(pinion_equations *e, motion *at, pn_eq_poly *V)
{
    for (int d = 0; d < 3; d++) {
        pn_eq_poly g = pn_eq_symbol_poly(e, e->gravity[d]);
        pn_eq_add(e, &at[0].gravity[d], &g, e->sign[d]);
        pn_eq_free(&g);
    }
    for (int i = 1; i < e->nodes && !e->failed; i++) {
        const pn_eq_body *b = &e->body[i];
        const pn_eq_symbol *pitch = b->pitch >= 0 ? &e->symbol[b->pitch] : NULL;
        at[i] = copy_motion(e, &at[e->parent[i]]);
        if (e->failed) return;
        place(e, &at[i], b);
        constant_screw(e, &at[i], 2, b->about, b->branch);
        constant_screw(e, &at[i], 0, b->twist, b->length);
        joint(e, &at[i], b, !b->slides, b->slides || pitch);
        add_body(e, b, &at[i], V);
    }
}

/* the Christoffel symbols, those that are multiples of each other once */
static void add_symbols_of(pinion_equations *e, int i, int j, int k)
{
    const int nv = e->nv;
    pn_eq_poly p = {0};
    const pn_eq_poly *M = e->M;
    pn_eq_add_derivative(e, &p, &M[i < j ? i * nv + j : j * nv + i], k, 0.5);
    pn_eq_add_derivative(e, &p, &M[i < k ? i * nv + k : k * nv + i], j, 0.5);
    pn_eq_add_derivative(e, &p, &M[j < k ? j * nv + k : k * nv + j], i, -0.5);
    pn_eq_tidy(e, &p);
    pn_eq_use *use = &e->use[(i * nv + j) * nv + k];
    use->shorthand = -1;
    if (!p.count || e->failed) {
        pn_eq_free(&p);
        return;
    }
    for (int s = 0; s < e->shorthands; s++) {
        use->times = pn_eq_ratio(e, &p, &e->shorthand[s].poly);
        if (use->times == 0) continue;
        use->shorthand = s;
        e->shorthand[s].uses++;
        pn_eq_free(&p);
        return;
    }
    pn_eq_shorthand *h = &e->shorthand[e->shorthands];
    h->poly = p;
    h->uses = 1;
    h->literal = -1;
    use->shorthand = e->shorthands++;
    use->times = 1;
}

/* numbers in place of symbols */
static void make_numeric(pinion_equations *e)
{
    for (int i = 0; i < e->nv * e->nv + e->nv; i++) {
        pn_eq_poly *p = i < e->nv * e->nv ? &e->M[i] : &e->g[i - e->nv * e->nv];
        pn_eq_poly numeric = pn_eq_numeric(e, p);
        pn_eq_free(p);
        *p = numeric;
    }
}

void pn_eq_derive(pinion_equations *e)
{
    const int nv = e->nv;
    const size_t n = (size_t)nv;
    e->M = pn_eq_take(e, n * n, sizeof *e->M);
    e->g = pn_eq_take(e, n, sizeof *e->g);
    e->shorthand = pn_eq_take(e, n * n * n, sizeof *e->shorthand);
    e->use = pn_eq_take(e, n * n * n, sizeof *e->use);
    motion *at = calloc((size_t)e->nodes, sizeof *at);
    pn_eq_poly V = {0};
    if (!at) pn_eq_fail(e, PINION_ERR_MEMORY);
    if (!e->failed) add_bodies(e, at, &V);
    for (int i = 0; at && i < e->nodes; i++) free_motion(&at[i], nv);
    free(at);

    for (int i = 0; i < nv * nv && !e->failed; i++) pn_eq_tidy(e, &e->M[i]);
    for (int i = 0; i < nv && !e->failed; i++) {
        pn_eq_add_derivative(e, &e->g[i], &V, i, 1);
        pn_eq_tidy(e, &e->g[i]);
    }
    pn_eq_free(&V);
    if (!e->failed && e->options.numbers) make_numeric(e);
    for (int i = 0; i < nv && !e->failed; i++)
        for (int j = 0; j < nv && !e->failed; j++)
            for (int k = 0; k < nv && !e->failed; k++) add_symbols_of(e, i, j, k);
}
