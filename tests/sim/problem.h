/* Systems to integrate, made from models, and a reference that shares no code with the integrators:
 * extrapolation of the modified midpoint rule (Gragg, Bulirsch, Stoer) on the plain coordinates, q' = G(q)
 * v with quaternions as four numbers. */
#ifndef PN_TEST_PROBLEM_H
#define PN_TEST_PROBLEM_H

#include "check.h"
#include "pinion/pinion.h"
#include "sim/stepper/stepper.h"

enum { MOST = 64 }; /* coordinates of the largest problem */

/* A model with torques drive sin(3 t + i) - damping v_i on its joints. One quadrature: the work of gravity
 * and of the torques, so that z is the change of the kinetic energy. */
typedef struct problem {
    pinion_model *m;
    pinion_work *w;
    int nq, nv;
    double drive, damping;
    double push, jump;       /* a further torque on all joints, from the time `jump` on */
    double q[MOST], v[MOST]; /* the start */
    int fail_after;          /* rates fail from this call on; 0: never */
    int calls;
    int blow_up; /* rates of one joint are v' = 1 + v^2 instead, which ends at pi/2 */
} problem;

static inline void problem_force(const problem *p, double t, const double *v, double *f)
{
    const double push = t >= p->jump ? p->push : 0;
    for (int i = 0; i < p->nv; i++) f[i] = p->drive * sin(3 * t + i) - p->damping * v[i] + push;
}

static inline pinion_status problem_power(problem *p, double t, const double *q, const double *v,
                                          double *zdot)
{
    double f[MOST], g[MOST];
    problem_force(p, t, v, f);
    const pinion_status status = pinion_gravity(p->m, p->w, q, g);
    zdot[0] = 0;
    for (int i = 0; i < p->nv; i++) zdot[0] += (f[i] - g[i]) * v[i];
    return status;
}

static inline pinion_status problem_rates(void *user, double t, const double *q, const double *v, const double *z,
                                          double *a, double *zdot)
{
    problem *p = user;
    double f[MOST];
    (void)z;
    if (p->fail_after && ++p->calls >= p->fail_after) return PINION_ERR_CALLBACK;
    if (p->blow_up) {
        a[0] = 1 + v[0] * v[0];
        zdot[0] = 0;
        return PINION_OK;
    }
    problem_force(p, t, v, f);
    const pinion_status status = pinion_forward_dynamics(p->m, p->w, q, v, f, NULL, a);
    return status != PINION_OK ? status : problem_power(p, t, q, v, zdot);
}

static inline pinion_status problem_terms(void *user, double t, const double *q, const double *v, const double *z,
                                          double *M, double *f, double *zdot)
{
    problem *p = user;
    (void)z;
    pinion_status status = PINION_OK;
    if (p->fail_after && ++p->calls >= p->fail_after) return PINION_ERR_CALLBACK;
    if (M) status = pinion_mass_matrix(p->m, p->w, q, M);
    if (f) problem_force(p, t, v, f);
    if (zdot && status == PINION_OK) status = problem_power(p, t, q, v, zdot);
    return status;
}

static inline pn_system problem_system(problem *p)
{
    const pn_system s = {.m = p->m, .nq = p->nq, .nv = p->nv, .nz = 1, .user = p, .rates = problem_rates,
                         .terms = problem_terms};
    return s;
}

static inline void problem_free(problem *p)
{
    pinion_work_free(p->w);
    pinion_model_free(p->m);
}

static inline void problem_finish(problem *p, pinion_model *m)
{
    memset(p, 0, sizeof *p);
    p->m = m;
    if (!m) {
        printf("the model of a test cannot be built\n");
        exit(1);
    }
    p->w = pinion_work_new(m);
    p->nq = pinion_model_nq(m);
    p->nv = pinion_model_nv(m);
    if (!p->w || p->nq > MOST || pinion_neutral(m, p->q) != PINION_OK) exit(1);
}

/* ---------------------------------------------------------------------------------------------
 * Models */

typedef struct bar {
    pinion_joint_type type;
    double axis[3], at[3]; /* the joint in the link before */
    pinion_inertia inertia;
    double follow; /* not 0: it follows joint 0 with this factor */
} bar;

static inline pinion_model *build_chain(const bar *b, int count, const double gravity[3])
{
    pinion_builder *builder = pinion_builder_new("chain");
    char name[24], parent[24] = "base", joint[24];
    pinion_error err;
    pinion_link_def link = pinion_link_def_default();
    link.name = parent;
    int good = builder && pinion_builder_add_link(builder, &link, &err) == PINION_OK &&
               pinion_builder_set_gravity(builder, gravity, &err) == PINION_OK;
    for (int i = 0; i < count && good; i++) {
        snprintf(name, sizeof name, "link%d", i);
        snprintf(joint, sizeof joint, "joint%d", i);
        link = pinion_link_def_default();
        link.name = name;
        link.inertia = b[i].inertia;
        pinion_joint_def def = pinion_joint_def_default();
        def.name = joint;
        def.type = b[i].type;
        def.parent = parent;
        def.child = name;
        for (int k = 0; k < 3; k++) def.axis[k] = b[i].axis[k], def.parent_pose.position[k] = b[i].at[k];
        def.mimic = b[i].follow != 0 ? "joint0" : NULL;
        def.multiplier = b[i].follow;
        good = pinion_builder_add_link(builder, &link, &err) == PINION_OK &&
               pinion_builder_add_joint(builder, &def, &err) == PINION_OK;
        memcpy(parent, name, sizeof parent);
    }
    pinion_model *m = good ? pinion_builder_build(builder, NULL, &err) : NULL;
    if (!m) printf("%s\n", err.message);
    pinion_builder_free(builder);
    return m;
}

static const double DOWN[3] __attribute__((unused)) = {0, 0, -9.81};
static const double NOWHERE[3] __attribute__((unused)) = {0, 0, 0};

/* slender rods of 1 m and 1 kg that hang from revolute joints about y */
static inline problem pendulum(int rods)
{
    problem p;
    bar b[4];
    memset(b, 0, sizeof b);
    for (int i = 0; i < rods; i++) {
        const bar rod = {PINION_JOINT_CONTINUOUS,
                         {0, 1, 0},
                         {0, 0, i ? -1 : 0},
                         {1, {0, 0, -0.5}, {0.084, 0, 0, 0.083, 0, 0.002}},
                         0};
        b[i] = rod;
    }
    problem_finish(&p, build_chain(b, rods, DOWN));
    for (int i = 0; i < rods; i++) p.q[i] = 2.0 - 0.7 * i, p.v[i] = 0.3 * i;
    return p;
}

static const pinion_inertia LOPSIDED = {1.5, {0.05, -0.02, -0.4}, {0.3, 0.01, -0.02, 0.2, 0.03, 0.11}};

/* two lopsided bodies on spherical joints */
static inline problem spherical_pendulum(void)
{
    problem p;
    const bar b[2] = {{PINION_JOINT_SPHERICAL, {0, 0, 1}, {0, 0, 0}, LOPSIDED, 0},
                      {PINION_JOINT_SPHERICAL, {0, 0, 1}, {0.1, 0.05, -0.8}, LOPSIDED, 0}};
    problem_finish(&p, build_chain(b, 2, DOWN));
    const double q[8] = {0.8, 0.6, 0, 0, 0.6, 0, 0.8, 0}, v[6] = {1, -2, 1.5, 0.5, 1, -1};
    memcpy(p.q, q, sizeof q);
    memcpy(p.v, v, sizeof v);
    return p;
}

/* a free asymmetric body that spins near its middle axis and falls */
static inline problem free_body(const double gravity[3])
{
    problem p;
    const bar b[1] = {{PINION_JOINT_FREE, {0, 0, 1}, {0, 0, 0}, LOPSIDED, 0}};
    problem_finish(&p, build_chain(b, 1, gravity));
    const double q[7] = {0.5, -0.5, 0.5, 0.5, 1, 2, 3}, v[6] = {0.3, 4, 0.2, 1, -0.5, 0.7};
    memcpy(p.q, q, sizeof q);
    memcpy(p.v, v, sizeof v);
    return p;
}

/* a free body that carries a chain: a spherical and two revolute joints, in no gravity */
static inline problem free_flying_chain(void)
{
    problem p;
    const bar b[4] = {{PINION_JOINT_FREE, {0, 0, 1}, {0, 0, 0}, LOPSIDED, 0},
                      {PINION_JOINT_REVOLUTE, {0, 1, 0}, {0.2, 0, 0.3}, LOPSIDED, 0},
                      {PINION_JOINT_SPHERICAL, {0, 0, 1}, {0, 0.1, -0.8}, LOPSIDED, 0},
                      {PINION_JOINT_REVOLUTE, {1, 0, 1}, {0, 0, -0.8}, LOPSIDED, 0}};
    problem_finish(&p, build_chain(b, 4, NOWHERE));
    uint64_t seed = 7;
    for (int i = 0; i < p.nv; i++) p.v[i] = check_between(&seed, -2, 2);
    return p;
}

/* a random tree over every joint type, moving */
static inline problem random_tree(int joints, int free_root, uint64_t seed, double speed)
{
    problem p;
    pinion_error err;
    problem_finish(&p, pinion_random_tree(joints, free_root, seed, &err));
    if (pinion_random(p.m, seed, p.q) != PINION_OK) exit(1);
    for (int i = 0; i < p.nv; i++) p.v[i] = check_between(&seed, -speed, speed);
    return p;
}

/* ---------------------------------------------------------------------------------------------
 * The reference */

/* x = (q, v, z): its rate, with the quaternion's own differential equation q' = q (0, w)/2 */
static inline void plain_rate(problem *p, double t, const double *x, double *y)
{
    const double *q = x, *v = x + p->nq;
    for (int k = 0; k < pinion_model_joint_count(p->m); k++) {
        pinion_joint_info j;
        if (pinion_model_joint(p->m, k, &j) != PINION_OK || j.nv == 0) continue;
        const double *a = q + j.q_index, *w = v + j.v_index;
        double *r = y + j.q_index;
        if (j.type == PINION_JOINT_SPHERICAL || j.type == PINION_JOINT_FREE) {
            r[0] = 0.5 * (-a[1] * w[0] - a[2] * w[1] - a[3] * w[2]);
            r[1] = 0.5 * (a[0] * w[0] + a[2] * w[2] - a[3] * w[1]);
            r[2] = 0.5 * (a[0] * w[1] + a[3] * w[0] - a[1] * w[2]);
            r[3] = 0.5 * (a[0] * w[2] + a[1] * w[1] - a[2] * w[0]);
            if (j.type == PINION_JOINT_FREE) {
                const double n = a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3], u = 2 / n;
                const double R[9] = {1 - u * (a[2] * a[2] + a[3] * a[3]), u * (a[1] * a[2] - a[0] * a[3]),
                                     u * (a[1] * a[3] + a[0] * a[2]),     u * (a[1] * a[2] + a[0] * a[3]),
                                     1 - u * (a[1] * a[1] + a[3] * a[3]), u * (a[2] * a[3] - a[0] * a[1]),
                                     u * (a[1] * a[3] - a[0] * a[2]),     u * (a[2] * a[3] + a[0] * a[1]),
                                     1 - u * (a[1] * a[1] + a[2] * a[2])};
                for (int i = 0; i < 3; i++)
                    r[4 + i] = R[3 * i] * w[3] + R[3 * i + 1] * w[4] + R[3 * i + 2] * w[5];
            }
        } else if (j.type == PINION_JOINT_PLANAR) {
            r[0] = cos(a[2]) * w[0] - sin(a[2]) * w[1];
            r[1] = sin(a[2]) * w[0] + cos(a[2]) * w[1];
            r[2] = w[2];
        } else {
            for (int i = 0; i < j.nv; i++) r[i] = w[i];
        }
    }
    /* the midpoint rule leaves the unit quaternions a little */
    double unit[MOST];
    memcpy(unit, q, (size_t)p->nq * sizeof *unit);
    if (pinion_normalize(p->m, unit) != PINION_OK ||
        problem_rates(p, t, unit, v, NULL, y + p->nq, y + p->nq + p->nv) != PINION_OK)
        y[0] = NAN;
}

/* from t to t + H with the sequence 2, 4, ..., 2 LEVELS of substeps */
static inline void extrapolated_step(problem *p, double t, double H, double *x)
{
    enum { LEVELS = 8, N = 2 * MOST + 1 };
    static double table[LEVELS][N]; /* the tests have one thread */
    double a[N], b[N], f[N];
    const int n = p->nq + p->nv + 1;
    for (int level = 0; level < LEVELS; level++) {
        const int count = 2 * (level + 1);
        const double h = H / count;
        plain_rate(p, t, x, f);
        for (int i = 0; i < n; i++) a[i] = x[i], b[i] = x[i] + h * f[i];
        for (int k = 1; k < count; k++) {
            plain_rate(p, t + k * h, b, f);
            for (int i = 0; i < n; i++) {
                const double next = a[i] + 2 * h * f[i];
                a[i] = b[i];
                b[i] = next;
            }
        }
        plain_rate(p, t + H, b, f);
        /* Aitken and Neville, in powers of h^2 */
        double now[N], before[N];
        for (int i = 0; i < n; i++) now[i] = 0.5 * (a[i] + b[i] + h * f[i]);
        for (int k = 0; k < level; k++) {
            const double ratio = (double)(level + 1) / (level - k), c = 1 / (ratio * ratio - 1);
            memcpy(before, now, sizeof now);
            for (int i = 0; i < n; i++) now[i] = before[i] + c * (before[i] - table[k][i]);
            memcpy(table[k], before, sizeof before);
        }
        memcpy(table[level], now, sizeof now);
    }
    memcpy(x, table[LEVELS - 1], (size_t)n * sizeof *x);
}

/* the state at `end`, from the start at 0, in steps of about H */
static inline void reference(problem *p, double end, double H, double *q, double *v, double *z)
{
    double x[2 * MOST + 1];
    memcpy(x, p->q, (size_t)p->nq * sizeof *x);
    memcpy(x + p->nq, p->v, (size_t)p->nv * sizeof *x);
    x[p->nq + p->nv] = 0;
    const int steps = (int)ceil(end / H - 1e-9);
    for (int i = 0; i < steps; i++) {
        extrapolated_step(p, end * i / steps, end / steps, x);
        CHECK_STATUS(pinion_normalize(p->m, x), PINION_OK);
    }
    memcpy(q, x, (size_t)p->nq * sizeof *q);
    memcpy(v, x + p->nq, (size_t)p->nv * sizeof *v);
    *z = x[p->nq + p->nv];
}

/* ---------------------------------------------------------------------------------------------
 * Running and measuring */

static inline double distance(const problem *p, const double *q, const double *v, const double *q1,
                              const double *v1)
{
    double d[MOST], worst = 0;
    CHECK_STATUS(pinion_difference(p->m, q, q1, d), PINION_OK);
    for (int i = 0; i < p->nv; i++) {
        const double a = fabs(d[i]), b = fabs(v[i] - v1[i]);
        if (!(a <= worst)) worst = isnan(a) ? INFINITY : a;
        if (!(b <= worst)) worst = isnan(b) ? INFINITY : b;
    }
    return worst;
}

/* how far the quaternions in q are from unit length */
static inline double quaternion_error(const problem *p, const double *q)
{
    double worst = 0;
    for (int k = 0; k < pinion_model_joint_count(p->m); k++) {
        pinion_joint_info j;
        if (pinion_model_joint(p->m, k, &j) != PINION_OK || j.nv == 0) continue;
        if (j.type != PINION_JOINT_SPHERICAL && j.type != PINION_JOINT_FREE) continue;
        const double *x = q + j.q_index;
        const long double n = (long double)x[0] * x[0] + (long double)x[1] * x[1] + (long double)x[2] * x[2] +
                              (long double)x[3] * x[3];
        const double e = fabs((double)(sqrtl(n) - 1));
        if (!(e <= worst)) worst = isnan(e) ? INFINITY : e;
    }
    return worst;
}

static inline double kinetic(problem *p, const double *q, const double *v)
{
    double T = NAN;
    CHECK_STATUS(pinion_energy(p->m, p->w, q, v, 0, &T, NULL), PINION_OK);
    return T;
}

static inline double energy(problem *p, const double *q, const double *v)
{
    double T = NAN, V = NAN;
    CHECK_STATUS(pinion_energy(p->m, p->w, q, v, 0, &T, &V), PINION_OK);
    return T + V;
}

/* a stepper at the start of the problem */
static inline pn_stepper *begin(problem *p, const pinion_sim_options *o)
{
    const pn_system system = problem_system(p);
    pinion_error err;
    pn_stepper *s = pn_stepper_new(&system, o, &err);
    if (!s) {
        CHECK_FAIL("%s", err.message);
        exit(1);
    }
    CHECK_STATUS(pn_stepper_start(s, 0, p->q, p->v, NULL), PINION_OK);
    return s;
}

static inline void run_to(pn_stepper *s, double end)
{
    while (pn_stepper_now(s) < end) {
        if (pn_stepper_step(s, end) == PINION_OK) continue;
        CHECK_FAIL("%s", pn_stepper_message(s));
        return;
    }
}

/* The options a test sets; the defaults are those of pinion_sim_options_default(). */
static inline pinion_sim_options with(pinion_integrator integrator, double step)
{
    pinion_sim_options o;
    memset(&o, 0, sizeof o);
    o.integrator = integrator;
    o.step = step;
    o.max_step = INFINITY;
    o.rtol = 1e-10;
    o.atol = 1e-12;
    return o;
}

static const char *const NAMES[PINION_INTEGRATOR_COUNT] = {
    "dopri5", "verner65", "rk4", "euler", "variational", "bdf", "adams", "dirk", "ida", "auto"};

#endif
