/* A computed-torque controller at 1 kHz: M(q) (a_d + kd (v_d - v) + kp (q_d - q)) + h(q, v).
 *
 * The robot is a PUMA 560, simulated here by its own forward dynamics, and has to follow sines. Before the
 * loop everything is in place, the workspace included: inside nothing allocates, locks or prints. */
#include <math.h>
#include <stdalign.h>
#include <stdio.h>

#include <pinion/pinion.h>

enum { NV = 6, WORK_BYTES = 64 * 1024 };

/* The motion to follow: each joint swings 0.5 rad at a frequency of its own. */
static void desired(double t, double *q, double *v, double *a)
{
    for (int i = 0; i < NV; i++) {
        const double w = 1 + 0.2 * i;
        q[i] = 0.5 * sin(w * t);
        v[i] = 0.5 * w * cos(w * t);
        a[i] = -w * w * q[i];
    }
}

/* One cycle of the controller: the torques for a measured state. */
static pinion_status control(const pinion_model *m, pinion_work *w, double t, const double *q,
                             const double *v, double *tau)
{
    static const double kp = 400, kd = 40; /* both poles at -20 / s */
    double M[NV][NV], bias[NV], qd[NV], vd[NV], ad[NV], want[NV];

    /* mass matrix and bias in one pass over the tree; what is not asked for stays NULL */
    const pinion_terms terms = {.M = &M[0][0], .bias = bias};
    const pinion_status status = pinion_dynamics_terms(m, w, q, v, &terms);
    if (status) return status;

    /* the acceleration to ask for, and the torques that cause it */
    desired(t, qd, vd, ad);
    for (int i = 0; i < NV; i++) want[i] = ad[i] + kd * (vd[i] - v[i]) + kp * (qd[i] - q[i]);
    for (int i = 0; i < NV; i++) {
        tau[i] = bias[i];
        for (int j = 0; j < NV; j++) tau[i] += M[i][j] * want[j];
    }
    return PINION_OK;
}

int main(void)
{
    pinion_error err;
    pinion_model *m = pinion_load("models/puma560-corke.json", NULL, &err);
    if (!m) {
        puts(err.message);
        return 1;
    }

    /* a workspace in memory of our own: here static, on a controller perhaps in a fast bank */
    static alignas(64) unsigned char memory[WORK_BYTES];
    pinion_work *w = pinion_work_init(m, memory, sizeof memory);
    if (!w || pinion_model_nv(m) != NV) {
        printf("the robot needs %d joints and %zu bytes\n", pinion_model_nv(m), pinion_work_size(m));
        pinion_model_free(m);
        return 1;
    }

    /* the loop: it starts 0.2 rad off and must have caught up after a second */
    const double dt = 1e-3;
    double q[NV], v[NV], a[NV], tau[NV], worst = 0;
    pinion_status status = PINION_OK;
    desired(0, q, v, a);
    for (int i = 0; i < NV; i++) q[i] += 0.2;
    for (int step = 0; step < 3000 && !status; step++) {
        status = control(m, w, step * dt, q, v, tau);
        if (!status) status = pinion_forward_dynamics(m, w, q, v, tau, NULL, a);
        for (int i = 0; i < NV; i++) v[i] += a[i] * dt;
        if (!status) status = pinion_integrate(m, q, v, dt, q);

        double qd[NV], vd[NV], ad[NV];
        desired((step + 1) * dt, qd, vd, ad);
        for (int i = 0; i < NV && step >= 1000; i++) worst = fmax(worst, fabs(q[i] - qd[i]));
    }

    if (status) printf("%s: %s\n", pinion_status_text(status), pinion_work_message(w));
    else printf("largest error after the first second: %.1e rad\n", worst);
    pinion_model_free(m); /* the workspace is our memory: nothing to free */
    return !status && worst < 2e-4 ? 0 : 1; /* what remains comes from the simulation's first-order steps */
}
