/* Multipliers of the bundled mechanisms whose rows depend on each other: loop-proximal against loop-nullspace, to what
 * docs/algorithms/loop-proximal.md says. */
#include "check.h"
#include "pinion/pinion.h"

enum { MOST = 64, STATES = 60 };

/* the worst difference at random states of this speed, as a share of the largest multiplier */
static double worst_difference(const pinion_model *m, uint64_t *seed, double speed)
{
    const int nv = pinion_model_nv(m), rows = pinion_model_row_count(m);
    const int algorithm[2] = {pinion_algorithm_find("loop-nullspace"), pinion_algorithm_find("loop-proximal")};
    double worst = 0, q[MOST], v[MOST], way[MOST], start[MOST], tau[MOST], a[MOST], lambda[2][MOST];
    pinion_work *w = pinion_work_new(m);
    CHECK(nv < MOST && rows < MOST && w != NULL);
    for (int k = 0; k < STATES; k++) {
        pinion_mobility mobility;
        CHECK_STATUS(pinion_initial(m, start, v), PINION_OK);
        for (int i = 0; i < nv; i++) {
            way[i] = check_between(seed, -0.3, 0.3);
            v[i] = check_between(seed, -speed, speed);
            tau[i] = check_between(seed, -10, 10);
        }
        CHECK_STATUS(pinion_integrate(m, start, way, 1, q), PINION_OK);
        if (pinion_assemble(m, w, 0, NULL, q, NULL) != PINION_OK) continue;
        if (pinion_project_velocity(m, w, 0, NULL, q, v) != PINION_OK) continue;
        CHECK_STATUS(pinion_mobility_at(m, w, 0, q, &mobility), PINION_OK);
        if (mobility.doubt > 0) continue;
        double most = 0, off = 0;
        for (int i = 0; i < 2; i++) {
            pinion_loop_solution solution = {.lambda = lambda[i]};
            CHECK_STATUS(pinion_loop_dynamics(m, w, algorithm[i], NULL, q, v, tau, NULL, a, &solution), PINION_OK);
        }
        for (int i = 0; i < rows; i++) {
            most = fmax(most, fabs(lambda[0][i]));
            off = fmax(off, fabs(lambda[0][i] - lambda[1][i]));
        }
        worst = fmax(worst, off / most);
        check_count++;
    }
    pinion_work_free(w);
    return worst;
}

TEST(redundant_rows)
{
    static const char *const name[] = {"four-bar", "bricard", "parallelogram-arm", "flyball-governor",
                                       "andrews-squeezer"};
    const char *models = getenv("PINION_MODELS");
    uint64_t seed = check_seed;
    if (!models) SKIP("PINION_MODELS is not set");
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 2; k++) {
            char path[700];
            pinion_error err = {PINION_OK, 0, 0, ""};
            snprintf(path, sizeof path, "%s/%s.json", models, name[i]);
            pinion_model *m = pinion_load(path, NULL, &err);
            if (!m) CHECK_FAIL("%s", err.message);
            if (!m) continue;
            const double worst = worst_difference(m, &seed, k ? 100 : 1);
            check_count++;
            if (!(worst < 2e-6)) CHECK_FAIL("%s: multipliers differ by %.2g of the largest", name[i], worst);
            printf("       %s, %d rad/s: %.1g\n", name[i], k ? 100 : 1, worst);
            pinion_model_free(m);
        }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(redundant_rows);
    return CHECK_END();
}
