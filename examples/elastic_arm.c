/* A feedback-linearising controller of an arm with elastic joints. The motors turn behind springs, so that a torque
 * reaches a link only by its fourth derivative: the controller asks for
 *
 *     q'''' = q_d'''' + 4 p (q_d''' - q''') + 6 p^2 (q_d'' - q'') + 4 p^3 (q_d' - q') + p^4 (q_d - q)
 *
 * and inverse dynamics of elastic joints says which torques of the motors that takes. q'' and q''' are not measured:
 * they follow from the angles and speeds of motors and links. Every joint's error is then that of a fourfold pole at
 * -p, which is checked while the arm, which began beside its path, comes back to it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <pinion/sim/sim.h>

enum { JOINTS = 3, N = 2 * JOINTS };

static const double pole = 20, off = 0.05; /* 1/s; rad, where it begins */

typedef struct controller {
    const pinion_model *m;
    pinion_work *w;
    pinion_elements *springs;
    pinion_elastic_joints *elastic;
    int link[JOINTS], motor[JOINTS]; /* places in q and v */
    double stiffness[JOINTS], gear[JOINTS];
} controller;

/* The path: d[k] is its k-th derivative, for the places of links. */
static void path(const controller *c, double t, double d[5][N])
{
    memset(d, 0, 5 * sizeof d[0]);
    for (int j = 0; j < JOINTS; j++) {
        const double rate = 2 + 0.7 * j, size = 0.5 - 0.1 * j, x = rate * t, r2 = rate * rate;
        const double value[5] = {size * sin(x) + 0.3, size * rate * cos(x), -size * r2 * sin(x),
                                 -size * r2 * rate * cos(x), size * r2 * r2 * sin(x)};
        for (int k = 0; k < 5; k++) d[k][c->link[j]] = value[k];
    }
}

/* q'' and q''' of the links, from q and q' of links and motors: M q'' = F - h, and the derivative of that. */
static pinion_status observe(const controller *c, const double *q, const double *v, double a[N], double jerk[N])
{
    double F[N] = {0}, rate[N], h[N], tau[N];
    pinion_status s = pinion_elements_forces(c->springs, c->w, q, v, F, F, NULL, NULL);
    if (!s) s = pinion_forward_dynamics(c->m, c->w, q, v, F, NULL, a);
    if (!s) s = pinion_inverse_dynamics_rates(c->elastic, q, v, a, NULL, NULL, NULL, rate, NULL);
    if (!s) s = pinion_bias(c->m, c->w, q, v, h);
    memcpy(tau, h, sizeof h);
    for (int j = 0; j < JOINTS; j++) {
        const int i = c->link[j];
        tau[i] += c->stiffness[j] * (v[c->motor[j]] / c->gear[j] - v[i]) - rate[i]; /* M q''' */
    }
    return s ? s : pinion_forward_dynamics(c->m, c->w, q, v, tau, NULL, jerk);
}

static pinion_status control(void *user, double t, const double *q, const double *v, double *tau)
{
    const controller *c = user;
    double d[5][N], a[N], jerk[N], snap[N] = {0}, x[N], y[N];
    path(c, t, d);
    pinion_status s = observe(c, q, v, a, jerk);
    for (int j = 0; j < JOINTS; j++) {
        const int i = c->link[j];
        const double p = pole;
        snap[i] = d[4][i] + 4 * p * (d[3][i] - jerk[i]) + 6 * p * p * (d[2][i] - a[i]) +
                  4 * p * p * p * (d[1][i] - v[i]) + p * p * p * p * (d[0][i] - q[i]);
    }
    memcpy(x, q, sizeof x);
    memcpy(y, v, sizeof y);
    return s ? s : pinion_elastic_joints_inverse_dynamics(c->elastic, 0, x, y, a, jerk, snap, tau);
}

/* The places of links and motors, and what is between them. */
static int find_joints(controller *c)
{
    if (pinion_model_nv(c->m) != N || pinion_model_elastic_joint_count(c->m) != JOINTS) return 0;
    for (int j = 0; j < JOINTS; j++) {
        pinion_elastic_joint_info info;
        pinion_joint_info link, motor;
        if (pinion_model_elastic_joint(c->m, j, &info) || pinion_model_joint(c->m, info.joint, &link) ||
            pinion_model_joint(c->m, info.motor, &motor))
            return 0;
        c->link[j] = link.v_index;
        c->motor[j] = motor.v_index;
        c->stiffness[j] = info.stiffness;
        c->gear[j] = info.gear;
    }
    return 1;
}

int main(int argc, char **argv)
{
    pinion_error err = {0};
    pinion_model *m = pinion_load(argc > 1 ? argv[1] : "models/elastic-arm.json", NULL, &err);
    if (!m) return puts(err.message), 1;
    controller c = {.m = m, .w = pinion_work_new(m)};
    c.springs = pinion_elements_new(m);
    c.elastic = pinion_elastic_joints_new(m);
    if (!c.w || !c.springs || !c.elastic || !find_joints(&c)) return puts("expected three elastic joints"), 1;

    /* it begins beside the path, with the path's derivatives: the motors stand as these ask */
    double d[5][N], q[N], v[N], tau[N], worst = 0, last = 0;
    path(&c, 0, d);
    for (int j = 0; j < JOINTS; j++) d[0][c.link[j]] += off;
    int bad = pinion_elastic_joints_inverse_dynamics(c.elastic, 0, d[0], d[1], d[2], d[3], d[4], tau);
    pinion_sim_options options = pinion_sim_options_default();
    options.torque = control;
    options.torque_user = &c;
    options.rtol = options.atol = 1e-11;
    pinion_sim *s = pinion_sim_new(m, &options, &err);
    if (bad || !s) return puts(s ? pinion_elastic_joints_message(c.elastic) : err.message), 1;
    memcpy(q, d[0], sizeof q);
    memcpy(v, d[1], sizeof v);
    pinion_sim_state state = {.q = q, .v = v};
    bad = pinion_sim_start(s, 0, q, v);
    for (int k = 1; k <= 20 && !bad; k++) {
        const double t = 0.1 * k, x = pole * t, error = off * (1 + x + x * x / 2 + x * x * x / 6) * exp(-x);
        bad = pinion_sim_advance(s, t) || pinion_sim_get(s, &state);
        path(&c, t, d);
        last = 0;
        for (int j = 0; j < JOINTS; j++) {
            const double e = q[c.link[j]] - d[0][c.link[j]];
            worst = fmax(worst, fabs(e - error));
            last = fmax(last, fabs(e));
        }
        if (k % 4 == 0 || k == 1) printf("%.1f s: %.2e rad off the path, expected %.2e\n", t, last, error);
    }
    if (bad) puts(pinion_sim_message(s));
    printf("the error is that of a fourfold pole at -%g to %.1e rad\n", pole, worst);
    pinion_sim_free(s);
    pinion_elastic_joints_free(c.elastic);
    pinion_elements_free(c.springs);
    pinion_work_free(c.w);
    pinion_model_free(m);
    return bad || !(worst < 1e-7 && last < 1e-7);
}
