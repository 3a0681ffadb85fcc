/* Ten seconds of motion with the loops kept by projection alone, by Runge and Kutta's fourth-order method
 * written here: parallelograms that pass the singular position in which they lie flat, where the rank of L
 * drops, and Bricard's over-constrained mechanism, whose rows depend on each other only where its loop is
 * closed. What is tested is the choice of the rank: every solver keeps the energy, and reaches published
 * places. */
#include "check.h"
#include "pinion/pinion.h"

enum { MOST = 32 };

typedef struct motion {
    pinion_model *m;
    pinion_work *w;
    int n, algorithm;
    double q[MOST], v[MOST];
    int least, most; /* ranks that were met */
} motion;

static void derivative(motion *x, const double *q, const double *v, double *a)
{
    pinion_loop_solution s = {NULL, 0, 0};
    CHECK_STATUS(pinion_loop_dynamics(x->m, x->w, x->algorithm, NULL, q, v, NULL, NULL, a, &s), PINION_OK);
    if (s.rank < x->least) x->least = s.rank;
    if (s.rank > x->most) x->most = s.rank;
}

/* coordinates of these mechanisms are angles, one each */
static void step(motion *x, double h)
{
    const int n = x->n;
    double q[MOST], v[4][MOST], a[4][MOST];
    for (int k = 0; k < 4; k++) {
        const double part = k == 0 ? 0 : k == 3 ? h : h / 2;
        for (int i = 0; i < n; i++) {
            q[i] = x->q[i] + (k ? part * v[k - 1][i] : 0);
            v[k][i] = x->v[i] + (k ? part * a[k - 1][i] : 0);
        }
        derivative(x, q, v[k], a[k]);
    }
    for (int i = 0; i < n; i++) {
        x->q[i] += h / 6 * (v[0][i] + 2 * v[1][i] + 2 * v[2][i] + v[3][i]);
        x->v[i] += h / 6 * (a[0][i] + 2 * a[1][i] + 2 * a[2][i] + a[3][i]);
    }
    CHECK_STATUS(pinion_assemble(x->m, x->w, 0, NULL, x->q, NULL), PINION_OK);
    CHECK_STATUS(pinion_project_velocity(x->m, x->w, 0, NULL, x->q, x->v), PINION_OK);
}

static double energy(motion *x, double *kinetic)
{
    double potential;
    CHECK_STATUS(pinion_energy(x->m, x->w, x->q, x->v, 0, kinetic, &potential), PINION_OK);
    return *kinetic + potential;
}

/* steps of h to the end; returns the largest error of the energy as a share of the largest kinetic energy */
static double run_to(motion *x, double h, int steps, void (*look)(motion *x, int step))
{
    double kinetic, largest = 0, worst = 0;
    const double first = energy(x, &kinetic);
    for (int k = 1; k <= steps; k++) {
        step(x, h);
        const double error = fabs(energy(x, &kinetic) - first);
        largest = fmax(largest, kinetic);
        if (!(error <= worst)) worst = error;
        if (look) look(x, k);
    }
    return worst / largest;
}

static int start(motion *x, pinion_model *m, const char *algorithm)
{
    memset(x, 0, sizeof *x);
    x->m = m;
    x->w = m ? pinion_work_new(m) : NULL;
    CHECK(x->w != NULL);
    if (!x->w) return 0;
    x->n = pinion_model_nv(m);
    x->algorithm = pinion_algorithm_find(algorithm);
    x->least = MOST;
    CHECK(x->n <= MOST && x->algorithm >= 0);
    CHECK_STATUS(pinion_initial(m, x->q, x->v), PINION_OK);
    return x->n <= MOST;
}

static const char *const solvers[] = {"loop-nullspace", "loop-direct", "loop-multipliers"};

/* places of the first tip, from an independent solution of 3 theta'' = 3.5 g sin theta */
static void check_places(motion *x, int step_number)
{
    static const double place[2][2] = {{-0.195020302, -0.980799206}, {0.057815796, 0.998327268}};
    double p[3], R[9];
    if (step_number != 500 && step_number != 1000) return;
    CHECK_STATUS(pinion_frame_pose(x->m, x->w, x->q, pinion_model_find_frame(x->m, "B0"), p, R), PINION_OK);
    for (int d = 0; d < 2; d++) CHECK_NEAR(p[d], place[step_number / 500 - 1][d], 2e-8);
}

TEST(singular_positions)
{
    for (int k = 0; k < 3; k++) {
        motion x;
        pinion_error err;
        pinion_model *m = pinion_n_four_bar(2, &err);
        if (start(&x, m, solvers[k])) {
            const double error = run_to(&x, 2e-3, 5000, check_places);
            printf("       %s: energy to %.2g, rank %d to %d\n", solvers[k], error, x.least, x.most);
            CHECK(error < 2e-10);
            CHECK(x.most == 4);
        }
        pinion_work_free(x.w);
        pinion_model_free(m);
    }
}

/* exactly in the singular position to begin with, moving as parallelograms */
TEST(from_a_singular_position)
{
    for (int k = 0; k < 3; k++) {
        motion x;
        pinion_error err;
        pinion_joint_info joint;
        pinion_mobility mobility;
        pinion_model *m = pinion_n_four_bar(3, &err);
        if (start(&x, m, solvers[k])) {
            for (int j = 0; pinion_model_joint(m, j, &joint) == PINION_OK; j++) {
                const int couples = joint.parent != 0;
                if (joint.nq == 0) continue;
                x.q[joint.q_index] = couples ? M_PI / 2 : -M_PI / 2;
                x.v[joint.v_index] = couples ? 4 : -4;
            }
            CHECK_STATUS(pinion_mobility_at(m, x.w, 0, x.q, &mobility), PINION_OK);
            CHECK(mobility.rank == 3 && mobility.freedom == 4);
            const double error = run_to(&x, 2e-3, 2000, NULL);
            CHECK(error < 1e-6);
            CHECK(x.least == 3 && x.most == 6);
        }
        pinion_work_free(x.w);
        pinion_model_free(m);
    }
}

#ifdef PINION_IO
TEST(over_constrained)
{
    const char *models = getenv("PINION_MODELS");
    char path[1000];
    if (!models) SKIP("PINION_MODELS does not name the folder of the bundled models");
    snprintf(path, sizeof path, "%s/bricard.json", models);
    for (int k = 0; k < 3; k++) {
        motion x;
        pinion_error err = {0};
        pinion_model *m = pinion_load(path, NULL, &err);
        if (!m) CHECK_FAIL("%s", err.message);
        if (m && start(&x, m, solvers[k])) {
            const double error = run_to(&x, 1e-2, 1000, NULL);
            printf("       %s: energy to %.2g, rank %d to %d\n", solvers[k], error, x.least, x.most);
            CHECK(error < 1e-7);
            CHECK(x.least == 4 && x.most == 4);
            pinion_work_free(x.w);
        }
        pinion_model_free(m);
    }
}
#endif

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(singular_positions);
    RUN(from_a_singular_position);
#ifdef PINION_IO
    RUN(over_constrained);
#endif
    return CHECK_END();
}
