/* Andrews' squeezing mechanism against the Test Set for IVP Solvers. */
#include "mechanism.h"

/* the test set's order */
static const char *const angle[7] = {"beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"};

static pinion_status drive(void *user, double t, const double *q, const double *v, double *tau)
{
    const mechanism *x = (const mechanism *)user;
    (void)t;
    (void)q;
    (void)v;
    for (int i = 0; i < x->nv; i++) tau[i] = 0;
    tau[mechanism_joint(x, "beta").v_index] = 0.033;
    return PINION_OK;
}

TEST(start)
{
    static const double published[7] = {-0.0617138900142764, 0,
                                        0.4552798191630704,  0.2226683901658859,
                                        0.4873649795438426,  -0.2226683901658859,
                                        1.2305474445498212};
    mechanism x;
    if (!mechanism_open(&x, "andrews-squeezer.json")) return;
    check_start(&x, 15, 6);
    for (int i = 0; i < 7; i++) CHECK_NEAR(x.q[mechanism_joint(&x, angle[i]).q_index], published[i], 0);
    mechanism_close(&x);
}

/* The test set gives the accelerations at the start, and the force between the first two loops at P. */
TEST(accelerations)
{
    mechanism x;
    if (!mechanism_open(&x, "andrews-squeezer.json")) return;
    double a[7] = {0}, f[6];
    a[mechanism_joint(&x, "beta").v_index] = 14222.4439199541138705911625887;
    a[mechanism_joint(&x, "theta").v_index] = -10666.8329399655854029433719415;
    x.tau[mechanism_joint(&x, "beta").v_index] += 0.033;
    check_accelerations(&x, a, 1e-9);

    /* on k3 at P: its lambda, along the world's axes */
    const double gamma = x.q[mechanism_joint(&x, "gamma").q_index];
    mechanism_wrench(&x, "p3", f);
    CHECK_NEAR(cos(gamma) * f[3] - sin(gamma) * f[4], 98.5668703962410896057654982170, 1e-8);
    CHECK_NEAR(sin(gamma) * f[3] + cos(gamma) * f[4], -6.12268834425566265503114393122, 1e-8);
    mechanism_close(&x);
}

/* The published state at t = 0.03 to eight digits. */
TEST(motion)
{
    static const double published[7] = {15.81077119629904,   -15.75637105984298, 0.04082224013073101,
                                        -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
                                        1.048080741042263};
    mechanism x;
    if (!mechanism_open(&x, "andrews-squeezer.json")) return;
    pinion_sim_options o = pinion_sim_options_default();
    o.torque = drive;
    o.torque_user = &x;
    pinion_sim *s = mechanism_sim(&x, &o);
    if (s) {
        const pinion_sim_state state = mechanism_advance(&x, s, 0.03);
        for (int i = 0; i < 7; i++) {
            const double q = x.q[mechanism_joint(&x, angle[i]).q_index];
            CHECK_NEAR(q, published[i], 1e-8 * fmin(1, fabs(published[i])));
        }
        CHECK_NEAR(state.drift, 0, 1e-9);
        CHECK_NEAR(mechanism_open_by(&x), 0, 1e-9);
    }
    pinion_sim_free(s);
    mechanism_close(&x);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(start);
    RUN(accelerations);
    RUN(motion);
    return CHECK_END();
}
