/* Gains that nobody gave fit the period in which they are asked, and how hard gains brake is what accelerations answer
 * to them. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "sim/driver.h"

enum { MAX = 16 };

/* How accelerations answer to joint forces, loops closed: by forward dynamics, a column at a time. */
static void answer(const pinion_model *m, const double *q, double K[MAX][MAX])
{
    const int nv = pinion_model_nv(m);
    pinion_work *w = pinion_work_new(m);
    double v[MAX] = {0}, tau[MAX] = {0}, still[MAX], a[MAX];
    CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, tau, NULL, still), PINION_OK);
    for (int j = 0; j < nv; j++) {
        tau[j] = 1;
        CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, tau, NULL, a), PINION_OK);
        for (int i = 0; i < nv; i++) K[i][j] = a[i] - still[i];
        tau[j] = 0;
    }
    pinion_work_free(w);
}

/* The largest eigenvalue of T K Kd: how many times a velocity is taken in one period. */
static double taken(int nv, double period, double K[MAX][MAX], const double *kd)
{
    double x[MAX], y[MAX], size = 0;
    for (int i = 0; i < nv; i++) x[i] = 1 + 0.1 * i;
    for (int pass = 0; pass < 2000; pass++) {
        size = 0;
        for (int i = 0; i < nv; i++) {
            y[i] = 0;
            for (int j = 0; j < nv; j++) y[i] += K[i][j] * kd[j] * x[j];
            size = fmax(size, fabs(y[i]));
        }
        for (int i = 0; i < nv; i++) x[i] = y[i] / size;
    }
    return period * size;
}

TEST(light_joints_have_less)
{
    pinion_model *m = driver_model("arm-6dof.json");
    pinion_sim_options o = pinion_sim_options_default();
    double q[6], v[6], kp[6], kd[6], K[MAX][MAX];
    const double plain[6] = {20, 20, 20, 20, 20, 20};
    char lowered[400], few[8];
    o.sample = 0.01;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        driver_random(m, seed, 0, q, v);
        answer(m, q, K);
        for (int i = 0; i < 6; i++) kp[i] = kd[i] = NAN;
        kp[0] = 7;
        kd[1] = 3;
        CHECK_STATUS(pinion_pd_gains(m, &o, q, kp, kd, lowered, sizeof lowered), PINION_OK);
        CHECK(kp[0] == 7 && kd[1] == 3); /* what is given stays */
        CHECK_HAS(lowered, "wrist_1");
        CHECK(kd[5] < kd[3] && kd[3] < PINION_DEFAULT_KD);
        CHECK(taken(6, o.sample, K, plain) > 2 && taken(6, o.sample, K, kd) < 1);
        pinion_braking x;
        double most = 0;
        for (int i = 0; i < 6; i++) most = fmax(most, o.sample * K[i][i] * kd[i]);
        CHECK_STATUS(pinion_pd_braking(m, &o, q, kd, &x), PINION_OK);
        CHECK(x.period == o.sample && x.most == 2 && x.velocity >= 0);
        CHECK_NEAR(x.taken, most, 1e-9);
    }
    for (int i = 0; i < 6; i++) kp[i] = kd[i] = NAN;
    CHECK_STATUS(pinion_pd_gains(m, NULL, q, kp, kd, lowered, sizeof lowered), PINION_OK);
    for (int i = 0; i < 6; i++) CHECK(kp[i] == PINION_DEFAULT_KP && kd[i] == PINION_DEFAULT_KD);
    CHECK(*lowered == '\0');
    for (int i = 0; i < 6; i++) kd[i] = NAN;
    CHECK_STATUS(pinion_pd_gains(m, &o, q, kp, kd, few, sizeof few), PINION_OK); /* as much as fits */
    CHECK(strlen(few) == sizeof few - 1);
    CHECK_STATUS(pinion_pd_gains(m, &o, NULL, kp, kd, NULL, 0), PINION_ERR_ARGUMENT);
    pinion_model_free(m);
}

TEST(how_often_they_are_asked)
{
    pinion_sim_options o = pinion_sim_options_default();
    CHECK(pinion_control_braking(&o).period == 0);
    o.integrator = PINION_INTEGRATOR_RK4;
    o.step = 0.002;
    CHECK(pinion_control_braking(&o).period == 0.002 && pinion_control_braking(&o).most > 2.7);
    o.sample = 0.004;
    CHECK(pinion_control_braking(&o).period == 0.004 && pinion_control_braking(&o).most == 2);
}

/* The joints of loops brake each other, whether they have motors or not. */
TEST(closed_loops_brake_as_one)
{
    static const char *const names[] = {"four-bar.json", "parallelogram-arm.json"};
    for (int k = 0; k < 2; k++) {
        pinion_model *m = driver_model(names[k]);
        const int nv = pinion_model_nv(m);
        pinion_sim_options o = pinion_sim_options_default();
        pinion_braking x;
        double q[MAX], kd[MAX], K[MAX][MAX];
        CHECK(pinion_model_nq(m) <= MAX && pinion_initial(m, q, NULL) == PINION_OK);
        answer(m, q, K);
        o.sample = 0.02;
        for (int i = 0; i < nv; i++) kd[i] = 1 + i;
        CHECK_STATUS(pinion_pd_braking(m, &o, q, kd, &x), PINION_OK);
        CHECK(x.velocity == -1);
        CHECK_NEAR(x.taken, taken(nv, o.sample, K, kd), 1e-6 * x.taken);
        pinion_model_free(m);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(light_joints_have_less);
    RUN(how_often_they_are_asked);
    RUN(closed_loops_brake_as_one);
    return CHECK_END();
}
