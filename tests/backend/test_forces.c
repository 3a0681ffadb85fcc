/* Force elements and thrusters by the complex step: their laws as the documentation has them, written here once more
 * over complex numbers, on frames of the kernels over complex numbers. Real parts are the forces, imaginary parts their
 * derivatives: no difference is taken, and no line is shared with what is tested. */
#include "complex_step.h"
#include "fluid/wet.h"
#include "pinion/sim/forces.h"

/* ---- three complex numbers ---- */

static cx dot(const cx *a, const cx *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const cx *a, const cx *b, cx *y)
{
    const cx c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(y, c, sizeof c);
}

static void turn(const cx *R, const cx *x, cx *y)
{
    const cx c[3] = {dot(R, x), dot(R + 3, x), dot(R + 6, x)};
    memcpy(y, c, sizeof c);
}

static void turn_back(const cx *R, const cx *x, cx *y)
{
    cx c[3];
    for (int i = 0; i < 3; i++) c[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
    memcpy(y, c, sizeof c);
}

static cx magnitude(cx x)
{
    return creal(x) < 0 ? -x : x;
}

/* ---- a frame ---- */

typedef struct state_at {
    const pinion_model *m;
    const cx *q, *v;
    double t, g[3];
    cx *tau;
} state_at;

typedef struct seen {
    int frame, nv;
    cx x[3], R[9], w[3], v[3]; /* all along the world's axes */
    cx *J;                     /* [6][nv] */
} seen;

/* frame -1: the world */
static seen see(const state_at *s, int frame)
{
    seen y = {.frame = frame, .nv = s->m->n.nv, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    y.J = calloc(6 * (size_t)y.nv + 1, sizeof(cx));
    if (frame < 0) return y;
    pn_io pose = {.q = s->q, .out = {y.x, y.R}, .frame = frame};
    pn_io jacobian = {.q = s->q, .out = {y.J}, .frame = frame, .reference = PINION_REFERENCE_WORLD_ALIGNED};
    run(s->m, PN_K_frames, &pose);
    run(s->m, PN_K_jacobian, &jacobian);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < y.nv; k++) {
            y.w[i] += y.J[i * y.nv + k] * s->v[k];
            y.v[i] += y.J[(3 + i) * y.nv + k] * s->v[k];
        }
    return y;
}

/* a point of it, and its velocity */
static void point(const seen *f, const double *local, cx *arm, cx *x, cx *u)
{
    const cx p[3] = {local[0], local[1], local[2]};
    turn(f->R, p, arm);
    cross(f->w, arm, u);
    for (int i = 0; i < 3; i++) x[i] = f->x[i] + arm[i], u[i] += f->v[i];
}

/* tau += J' [n + arm x F; F]; each may be NULL */
static void press(const state_at *s, const seen *f, const cx *n, const cx *arm, const cx *F)
{
    cx moment[3] = {0};
    if (arm && F) cross(arm, F, moment);
    for (int k = 0; k < f->nv; k++)
        for (int i = 0; i < 3; i++) {
            s->tau[k] += f->J[i * f->nv + k] * (moment[i] + (n ? n[i] : 0));
            if (F) s->tau[k] += f->J[(3 + i) * f->nv + k] * F[i];
        }
}

/* ---- the laws ---- */

static void spring(const state_at *s, const pinion_spring_def *p)
{
    seen a = see(s, p->frame_a), b = see(s, p->frame_b);
    cx xa[3], ua[3], ra[3], xb[3], ub[3], rb[3], r[3], u[3], F[3], back[3];
    point(&a, p->point_a, ra, xa, ua);
    point(&b, p->point_b, rb, xb, ub);
    for (int i = 0; i < 3; i++) r[i] = xb[i] - xa[i], u[i] = ub[i] - ua[i];
    const cx d = csqrt(dot(r, r)), rate = dot(r, u) / d;
    for (int i = 0; i < 3; i++) {
        F[i] = (p->stiffness * (d - p->length) + p->damping * rate) * r[i] / d;
        back[i] = -F[i];
    }
    press(s, &a, NULL, ra, F);
    press(s, &b, NULL, rb, back);
    free(a.J);
    free(b.J);
}

static void wrench(const state_at *s, const pinion_wrench_def *p)
{
    seen f = see(s, p->frame);
    const double amount = p->signal == PINION_SIGNAL_SINE ? sin(2 * M_PI * p->frequency * s->t + p->phase) : 1;
    cx n[3], F[3];
    for (int i = 0; i < 3; i++) n[i] = amount * p->wrench[i], F[i] = amount * p->wrench[3 + i];
    if (p->reference == PINION_REFERENCE_LOCAL) {
        turn(f.R, n, n);
        turn(f.R, F, F);
    }
    press(s, &f, n, NULL, F);
    free(f.J);
}

/* U and U' = dU/dt + (grad U) U */
static void current(const state_at *s, const pinion_drag_def *p, const cx *x, cx *U, cx *rate)
{
    cx angle = 2 * M_PI * p->frequency * s->t + p->phase;
    for (int i = 0; i < 3; i++) angle -= p->wave[i] * x[i];
    for (int i = 0; i < 3; i++) {
        U[i] = p->velocity[i] + p->amplitude[i] * csin(angle);
        for (int j = 0; j < 3; j++) U[i] += p->gradient[3 * i + j] * (x[j] - p->origin[j]);
    }
    for (int i = 0; i < 3; i++) {
        rate[i] = p->amplitude[i] * 2 * M_PI * p->frequency * ccos(angle);
        for (int j = 0; j < 3; j++)
            rate[i] += (p->gradient[3 * i + j] - p->amplitude[i] * p->wave[j] * ccos(angle)) * U[j];
    }
}

/* y += factor (v x* A v) */
static void gyration(const double *A, const cx *v, double factor, cx *y)
{
    cx p[6] = {0}, n[3], m[3], f[3];
    for (int i = 0; i < 36; i++) p[i / 6] += A[i] * v[i % 6];
    cross(v, p, n);
    cross(v + 3, p + 3, m);
    cross(v, p + 3, f);
    for (int i = 0; i < 3; i++) y[i] += factor * (n[i] + m[i]), y[3 + i] += factor * f[i];
}

/* A (a - [0; U' - w x U]) + v_r x* A v_r in place of A a + v x* A v */
static void added(const state_at *s, int link, const double *A, const cx *U, const cx *rate)
{
    seen f = see(s, link);
    cx own[6], against[6], a[3], u[3], y[6] = {0}, n[3], F[3];
    turn_back(f.R, f.w, own);
    turn_back(f.R, f.v, own + 3);
    turn_back(f.R, U, u);
    turn_back(f.R, rate, a);
    memcpy(against, own, sizeof own);
    cross(own, u, n);
    for (int i = 0; i < 3; i++) against[3 + i] -= u[i], a[i] -= n[i];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 3; j++) y[i] += A[6 * i + 3 + j] * a[j];
    gyration(A, against, -1, y);
    gyration(A, own, 1, y);
    turn(f.R, y, n);
    turn(f.R, y + 3, F);
    press(s, &f, n, NULL, F);
    free(f.J);
}

/* `A`: added mass of the frame's link, which is `link`; NULL: none */
static void drag(const state_at *s, const pinion_drag_def *p, int link, const double *A)
{
    seen f = see(s, p->frame);
    cx x[3], v[3], arm[3], U[3], rate[3], u[6], y[6], n[3], F[3], light[3], lift[3], away[3], out[3];
    point(&f, p->point, arm, x, v);
    current(s, p, x, U, rate);
    for (int i = 0; i < 3; i++) n[i] = v[i] - U[i];
    turn_back(f.R, f.w, u);
    turn_back(f.R, n, u + 3);
    const cx speed = csqrt(dot(u + 3, u + 3));
    for (int i = 0; i < 6; i++) {
        y[i] = i < 3 ? 0 : -0.5 * p->density * p->area[i - 3] * speed * u[i];
        for (int j = 0; j < 6; j++)
            y[i] -= p->linear[6 * i + j] * u[j] + p->quadratic[6 * i + j] * magnitude(u[j]) * u[j];
    }
    turn(f.R, y, n);
    turn(f.R, y + 3, F);
    press(s, &f, n, arm, F);
    point(&f, p->center, away, x, v);
    for (int i = 0; i < 3; i++) {
        light[i] = -p->added_mass * s->g[i];
        lift[i] = -p->density * p->volume * s->g[i];
        out[i] = p->density * p->volume * rate[i];
    }
    press(s, &f, NULL, arm, light);
    press(s, &f, NULL, away, lift);
    press(s, &f, NULL, away, out);
    if (A) added(s, link, A, U, rate);
    free(f.J);
}

static void ground(const state_at *s, const pinion_ground_def *p)
{
    for (int k = 0; k < p->count; k++) {
        seen f = see(s, p->frame[k]);
        const cx n[3] = {p->normal[0], p->normal[1], p->normal[2]}, depth = p->height - dot(n, f.x);
        const cx rise = dot(n, f.v);
        cx u[3], F[3];
        if (creal(depth) > 0) {
            cx N = p->stiffness * cpow(depth, p->exponent) * (1 - p->damping * rise);
            if (creal(N) < 0) N = 0;
            for (int i = 0; i < 3; i++) u[i] = f.v[i] - rise * n[i];
            const cx slide = csqrt(dot(u, u));
            for (int i = 0; i < 3; i++)
                F[i] = N * n[i] - p->friction * N * ctanh(slide / p->slip) * u[i] / slide;
            press(s, &f, NULL, NULL, F);
        }
        free(f.J);
    }
}

/* force and moment are gradients of MacCullagh's potential */
static void attraction(const state_at *s, const pinion_attraction_def *p)
{
    for (int l = 0; l < pinion_model_link_count(s->m); l++) {
        pinion_link_info link;
        pinion_frame_info at;
        CHECK_STATUS(pinion_model_link(s->m, l, &link), PINION_OK);
        CHECK_STATUS(pinion_model_frame(s->m, l, &at), PINION_OK);
        if (!at.body) continue;
        const double *I = link.inertia.inertia, mass = link.inertia.mass;
        const double M[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]};
        seen f = see(s, l);
        cx arm[3], x[3], u[3], r[3], own[3], y[3], Ir[3], n[3], F[3], trace = I[0] + I[3] + I[5];
        point(&f, link.inertia.com, arm, x, u);
        for (int i = 0; i < 3; i++) r[i] = x[i] - p->center[i];
        turn_back(f.R, r, own);
        for (int i = 0; i < 3; i++) y[i] = M[3 * i] * own[0] + M[3 * i + 1] * own[1] + M[3 * i + 2] * own[2];
        turn(f.R, y, Ir);
        const cx d = csqrt(dot(r, r)), d5 = d * d * d * d * d;
        cross(r, Ir, n);
        for (int i = 0; i < 3; i++) {
            F[i] = -p->mu * mass * r[i] / (d * d * d);
            if (p->gradient)
                F[i] += -1.5 * p->mu / d5 * (trace * r[i] + 2 * Ir[i] - 5 * dot(r, Ir) / (d * d) * r[i]);
            n[i] *= p->gradient ? 3 * p->mu / d5 : 0;
        }
        press(s, &f, n, arm, F);
        free(f.J);
    }
}

/* ---- comparison ---- */

typedef void law_fn(const state_at *, const void *);

typedef struct law {
    law_fn *fn;
    const void *def;
} law;

/* dtau/dq and dtau/dv of the law by the complex step, [nv][nv] each, and tau */
static void differentiate(const wet *x, double t, const law *of, double *tau, double *dq, double *dv)
{
    const int nq = x->nq, nv = x->nv;
    cx *q = calloc((size_t)nq + 1, sizeof(cx)), *moved = calloc((size_t)nq + 1, sizeof(cx));
    cx *v = calloc((size_t)nv + 1, sizeof(cx)), *e = calloc((size_t)nv + 1, sizeof(cx));
    cx *y = calloc((size_t)nv + 1, sizeof(cx));
    for (int k = 0; k < 2 * nv; k++) {
        for (int i = 0; i < nq; i++) q[i] = x->q[i];
        for (int i = 0; i < nv; i++) v[i] = x->v[i], e[i] = k == i ? STEP * _Complex_I : 0, y[i] = 0;
        if (k >= nv) v[k - nv] += STEP * _Complex_I;
        pn_io io = {.q = q, .v = e, .out = {moved}, .dt = 1};
        run(x->m, PN_K_integrate, &io);
        state_at s = {.m = x->m, .q = moved, .v = v, .t = t, .tau = y};
        pinion_model_gravity(x->m, s.g);
        of->fn(&s, of->def);
        for (int i = 0; i < nv; i++) {
            tau[i] = creal(y[i]);
            (k < nv ? dq : dv)[i * nv + k % nv] = cimag(y[i]) / STEP;
        }
    }
    free(q);
    free(v);
    free(moved);
    free(e);
    free(y);
}

static double largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void check_same(const char *what, int n, const double *got, const double *want)
{
    const double size = largest(n, want);
    for (int i = 0; i < n; i++)
        if (fabs(got[i] - want[i]) > 1e-12 * (size + 1)) { /* sums of some hundred products */
            CHECK_FAIL("%s: entry %d is %.17g, expected %.17g", what, i, got[i], want[i]);
            return;
        }
}

/* pinion_d_forces() and, of the forces alone, pinion_forces_apply(), against the law */
static void compare(const char *what, wet *x, pinion_forces *f, const law *of)
{
    const int nv = x->nv, bodies = pinion_model_body_count(x->m);
    const double t = 0.37;
    double *tau = numbers(1, nv), *dq = numbers(nv, nv), *dv = numbers(nv, nv), *f_ext = numbers(bodies, 6);
    double *y = numbers(1, nv), *by_q = numbers(nv, nv), *by_v = numbers(nv, nv), *plain = numbers(1, nv);
    differentiate(x, t, of, y, by_q, by_v);
    CHECK(largest(nv, y) + largest(nv * nv, by_v) > 0);
    CHECK_STATUS(pinion_d_forces(f, x->w, t, x->q, x->v, tau, dq, dv), PINION_OK);
    check_same(what, nv, tau, y);
    check_same(what, nv * nv, dq, by_q);
    check_same(what, nv * nv, dv, by_v);
    /* what is external takes load off the joints */
    CHECK_STATUS(pinion_forces_apply(f, x->w, t, x->q, x->v, f_ext, NULL, NULL), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(x->m, x->w, x->q, x->v, x->a, NULL, plain), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(x->m, x->w, x->q, x->v, x->a, f_ext, tau), PINION_OK);
    const double size = 1 + largest(nv, y) + largest(nv, plain);
    for (int i = 0; i < nv; i++) CHECK_NEAR(plain[i] - tau[i], y[i], 1e-12 * size);
    /* each result may be left out, and what is there is added to */
    CHECK_STATUS(pinion_d_forces(f, x->w, t, x->q, x->v, NULL, NULL, NULL), PINION_OK);
    CHECK_STATUS(pinion_d_forces(f, x->w, t, x->q, x->v, NULL, dq, NULL), PINION_OK);
    for (int i = 0; i < nv * nv; i++) CHECK_NEAR(dq[i], 2 * by_q[i], 4e-12 * (1 + largest(nv * nv, by_q)));
    free(tau);
    free(dq);
    free(dv);
    free(f_ext);
    free(y);
    free(by_q);
    free(by_v);
    free(plain);
    pinion_forces_free(f);
}

static void randoms(uint64_t *r, int n, double size, double *x)
{
    for (int i = 0; i < n; i++) x[i] = check_between(r, -size, size);
}

/* a frame whose origin moves, on another body than that of frame `not`; -1, the world, where there is none */
static int some_frame(wet *x, int not)
{
    const int *node = pn_context(x->m, sizeof(double), NULL).frame_node;
    for (int tries = 0; tries < 1000; tries++) {
        double v[6];
        const int frame = (int)(check_uniform(&x->random) * pinion_model_frame_count(x->m));
        CHECK_STATUS(
            pinion_frame_velocity(x->m, x->w, x->q, x->v, frame, PINION_REFERENCE_WORLD_ALIGNED, v), PINION_OK);
        if (largest(3, v + 3) > 0 && (not < 0 || node[frame] != node[not])) return frame;
    }
    return -1;
}

/* a link with added mass that moves */
static int wet_frame(const wet *x)
{
    pinion_frame_info info;
    for (int k = x->count - 1; k >= 0; k--)
        if (pinion_model_frame(x->m, x->frame[k], &info) == PINION_OK && info.body) return x->frame[k];
    CHECK_FAIL("no link with added mass moves");
    return 0;
}

enum { TREES = 6 };

static int tree(wet *x, int number)
{
    return wet_make(x, 3 + number % 4, check_seed + (uint64_t)number);
}

static void law_spring(const state_at *s, const void *def)
{
    spring(s, def);
}

TEST(springs)
{
    for (int number = 0; number < TREES; number++) {
        wet x;
        if (!tree(&x, number)) continue;
        pinion_spring_def def = pinion_spring_def_default();
        def.frame_b = some_frame(&x, -1);
        def.frame_a = number % 2 ? some_frame(&x, def.frame_b) : -1;
        randoms(&x.random, 3, 1, def.point_a);
        randoms(&x.random, 3, 1, def.point_b);
        def.stiffness = 70, def.damping = 3, def.length = 0.4;
        pinion_forces *f = pinion_forces_new(x.m);
        CHECK_STATUS(pinion_forces_add_spring(f, &def, NULL), PINION_OK);
        compare("spring", &x, f, &(law){law_spring, &def});
        wet_free(&x);
    }
}

static void law_wrench(const state_at *s, const void *def)
{
    wrench(s, def);
}

TEST(wrenches)
{
    for (int number = 0; number < TREES; number++) {
        wet x;
        if (!tree(&x, number)) continue;
        pinion_wrench_def def = pinion_wrench_def_default();
        def.frame = some_frame(&x, -1);
        def.reference = number % 2 ? PINION_REFERENCE_LOCAL : PINION_REFERENCE_WORLD_ALIGNED;
        def.signal = number % 3 ? PINION_SIGNAL_SINE : PINION_SIGNAL_CONSTANT;
        def.frequency = 1.3, def.phase = 0.4;
        randoms(&x.random, 6, 5, def.wrench);
        pinion_forces *f = pinion_forces_new(x.m);
        CHECK_STATUS(pinion_forces_add_wrench(f, &def, NULL), PINION_OK);
        compare("wrench", &x, f, &(law){law_wrench, &def});
        wet_free(&x);
    }
}

typedef struct in_water {
    pinion_drag_def def;
    int link;
    const double *A;
} in_water;

static void law_drag(const state_at *s, const void *def)
{
    const in_water *p = def;
    drag(s, &p->def, p->link, p->A);
}

/* Drag of all kinds, buoyancy and a current; on links with added mass, which goes with the current, and on others. Each
 * term is there by itself, too. */
TEST(drag)
{
    static const char *const what[] = {"linear", "quadratic", "area", "buoyancy", "current", "all"};
    for (int number = 0; number < 2 * TREES; number++)
        for (int term = 0; term < 6; term++) {
            wet x;
            if (!tree(&x, number)) continue;
            in_water p = {.def = pinion_drag_def_default(), .link = -1};
            pinion_drag_def *d = &p.def;
            const int all = term == 5, wet_link = number % 2;
            d->frame = wet_link ? wet_frame(&x) : some_frame(&x, -1);
            randoms(&x.random, 3, 0.5, d->point);
            randoms(&x.random, 3, 0.5, d->center);
            d->density = 3;
            if (term == 0 || all) randoms(&x.random, 36, 1, d->linear);
            if (term == 1 || all) randoms(&x.random, 36, 1, d->quadratic);
            if (term == 2 || all) d->area[0] = 0.4, d->area[1] = 1.1, d->area[2] = 0.2;
            if (term >= 3) d->volume = 0.7;
            if (term >= 4) {
                randoms(&x.random, 3, 1, d->velocity);
                randoms(&x.random, 9, 0.5, d->gradient);
                randoms(&x.random, 3, 1, d->origin);
                randoms(&x.random, 3, 1, d->amplitude);
                randoms(&x.random, 3, 2, d->wave);
                d->frequency = 0.6, d->phase = 0.3;
            }
            /* the link whose added mass goes along is that of the frame */
            pinion_frame_info at;
            pinion_link_info link;
            CHECK_STATUS(pinion_model_frame(x.m, d->frame, &at), PINION_OK);
            CHECK_STATUS(pinion_model_link(x.m, at.link, &link), PINION_OK);
            p.link = at.link;
            p.A = term >= 4 ? link.added_mass : NULL;
            CHECK(!wet_link || link.added_mass);
            pinion_forces *f = pinion_forces_new(x.m);
            CHECK_STATUS(pinion_forces_add_drag(f, d, NULL), PINION_OK);
            compare(what[term], &x, f, &(law){law_drag, &p});
            wet_free(&x);
        }
}

static void law_ground(const state_at *s, const void *def)
{
    ground(s, def);
}

TEST(grounds)
{
    for (int number = 0; number < TREES; number++) {
        wet x;
        if (!tree(&x, number)) continue;
        const int frame[2] = {some_frame(&x, -1), some_frame(&x, -1)};
        pinion_ground_def def = pinion_ground_def_default();
        def.normal[0] = 0.6, def.normal[2] = 0.8;
        def.height = 20, def.stiffness = 30, def.exponent = number % 2 ? 1.5 : 1, def.damping = 0.01;
        def.friction = 0.7, def.slip = number % 3 ? 2 : 0.5, def.count = 2, def.frame = frame;
        pinion_forces *f = pinion_forces_new(x.m);
        CHECK_STATUS(pinion_forces_add_ground(f, &def, NULL), PINION_OK);
        compare("ground", &x, f, &(law){law_ground, &def});
        wet_free(&x);
    }
}

static void law_attraction(const state_at *s, const void *def)
{
    attraction(s, def);
}

TEST(attractions)
{
    for (int number = 0; number < TREES; number++) {
        wet x;
        if (!tree(&x, number)) continue;
        pinion_attraction_def def = pinion_attraction_def_default();
        def.center[0] = 9, def.center[1] = -14, def.center[2] = 5; /* near enough for the gradient to count */
        def.mu = 2e3, def.gradient = number % 3 != 0;
        pinion_forces *f = pinion_forces_new(x.m);
        CHECK_STATUS(pinion_forces_add_attraction(f, &def, NULL), PINION_OK);
        compare("attraction", &x, f, &(law){law_attraction, &def});
        wet_free(&x);
    }
}

/* Added mass of an element has no weight: the force that carries it is one. */
TEST(weightless)
{
    wet x;
    if (!tree(&x, 1)) return;
    in_water p = {.def = pinion_drag_def_default(), .link = -1};
    p.def.frame = some_frame(&x, -1);
    p.def.added_mass = 2.5;
    randoms(&x.random, 3, 0.5, p.def.point);
    memcpy(p.def.center, p.def.point, sizeof p.def.center);
    pinion_forces *f = pinion_forces_new(x.m);
    CHECK_STATUS(pinion_forces_add_drag(f, &p.def, NULL), PINION_OK);
    compare("weight", &x, f, &(law){law_drag, &p});
    wet_free(&x);
}

static pinion_status nothing(void *user, double t, const double *q, const double *v, double *f_ext)
{
    (void)user, (void)t, (void)q, (void)v, (void)f_ext;
    return PINION_OK;
}

TEST(refused)
{
    wet x;
    if (!tree(&x, 1)) return;
    pinion_forces *f = pinion_forces_new(x.m);
    double *dq = numbers(x.nv, x.nv);
    CHECK_STATUS(pinion_d_forces(f, x.w, 0, x.q, x.v, NULL, dq, NULL), PINION_OK);
    CHECK(largest(x.nv * x.nv, dq) == 0);
    CHECK_STATUS(pinion_d_forces(NULL, x.w, 0, x.q, x.v, NULL, dq, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_d_forces(f, x.w, 0, NULL, x.v, NULL, dq, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_forces_add_function(f, NULL, nothing, NULL, NULL), PINION_OK);
    CHECK_STATUS(pinion_d_forces(f, x.w, 0, x.q, x.v, NULL, dq, NULL), PINION_ERR_UNSUPPORTED);
    pinion_forces_free(f);
    free(dq);
    wet_free(&x);
}

/* ---- thrusters and rotors ---- */

static void law_thrusts(const state_at *s, const void *def)
{
    const double *u = def;
    for (int k = 0; k < pinion_model_actuator_count(s->m); k++) {
        pinion_actuator_info a;
        CHECK_STATUS(pinion_model_actuator(s->m, k, &a), PINION_OK);
        for (int i = 0; i < a.term_count; i++) s->tau[a.term[i].v_index] += a.term[i].factor * u[k];
        if (a.type != PINION_ACTUATOR_FRAME) continue;
        seen f = see(s, a.frame);
        cx n[3], F[3];
        for (int i = 0; i < 3; i++) {
            n[i] = a.gear * a.efficiency * u[k] * a.wrench[i];
            F[i] = a.gear * a.efficiency * u[k] * a.wrench[3 + i];
        }
        turn(f.R, n, n);
        turn(f.R, F, F);
        press(s, &f, n, NULL, F);
        free(f.J);
    }
}

/* forces and moments on frames, by themselves and beside motors, of the bundled vehicles: B u turns with the frames */
TEST(thrusters)
{
    static const char *const name[] = {"rov.json", "multirotor.json", "satellite.json"};
    const char *models = getenv("PINION_MODELS") ? getenv("PINION_MODELS") : "models";
    for (int number = 0; number < 3; number++) {
        char path[4096];
        pinion_error err;
        snprintf(path, sizeof path, "%s/%s", models, name[number]);
        wet x = {.m = pinion_load(path, NULL, &err), .random = check_seed};
        if (!x.m) {
            CHECK_FAIL("%s", err.message);
            continue;
        }
        x.w = pinion_work_new(x.m);
        x.nq = pinion_model_nq(x.m), x.nv = pinion_model_nv(x.m);
        x.q = numbers(1, x.nq), x.v = numbers(1, x.nv);
        const int nu = pinion_model_actuator_count(x.m), nv = x.nv;
        double *u = numbers(1, nu), *tau = numbers(1, nv), *y = numbers(1, nv), *dq = numbers(nv, nv);
        double *by_q = numbers(nv, nv), *by_v = numbers(nv, nv);
        CHECK_STATUS(pinion_random(x.m, check_seed, x.q), PINION_OK);
        randoms(&x.random, nu, 10, u);
        differentiate(&x, 0, &(law){law_thrusts, u}, y, by_q, by_v);
        CHECK_STATUS(pinion_actuation_torque(x.m, x.w, x.q, u, tau), PINION_OK);
        CHECK_STATUS(pinion_d_actuation_torque(x.m, x.w, x.q, u, dq), PINION_OK);
        check_same(name[number], nv, tau, y);
        check_same(name[number], nv * nv, dq, by_q);
        CHECK(largest(nv, y) > 0 && largest(nv * nv, by_v) == 0);
        free(u);
        free(tau);
        free(y);
        free(dq);
        free(by_q);
        free(by_v);
        free(x.v);
        wet_free(&x);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(springs);
    RUN(wrenches);
    RUN(drag);
    RUN(grounds);
    RUN(attractions);
    RUN(weightless);
    RUN(refused);
    RUN(thrusters);
    return CHECK_END();
}
