/* The bundled mechanisms in other units of length and mass: what counts as dependent, as singular and as in doubt is
 * the same, accelerations are the same but for their units, and so is what is refused. */
#include "mechanism.h"

/* What is said of a state, in units of the model itself. */
typedef struct verdict {
    pinion_mobility mobility;
    pinion_status derivatives;
    int count;
    double a[4][MECHANISM_MOST]; /* of the first `count` algorithms */
    pinion_status inverse[2];    /* of a motion that misses the loops by a little, and by less */
    double q[MECHANISM_MOST];    /* where the loops close from a guess */
    pinion_assembly closed;
} verdict;

/* rad: loop-direct has to square it, and nearer to a singular position it may say that it cannot */
#define ALL_SOLVE 1e-6

static const char *const by[4] = {"loop-nullspace", "loop-direct", "loop-multipliers", "loop-divide-and-conquer"};

/* 1 for velocities that turn, `length` for those that slide; the same of coordinates */
static void units_of(const pinion_model *m, double length, double *q_unit, double *v_unit)
{
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info j;
        CHECK_STATUS(pinion_model_joint(m, i, &j), PINION_OK);
        for (int d = 0; d < j.nq; d++) {
            const int slides = j.type == PINION_JOINT_PRISMATIC || (j.type == PINION_JOINT_FREE && d > 3);
            q_unit[j.q_index + d] = slides ? length : 1;
        }
        for (int d = 0; d < j.nv; d++) {
            const int slides = j.type == PINION_JOINT_PRISMATIC || (j.type == PINION_JOINT_FREE && d > 2);
            v_unit[j.v_index + d] = slides ? length : 1;
        }
    }
}

/* rotors stay as they are in a model that is scaled; none here slides */
static void scale_rotors(pinion_model *m, double times)
{
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info j;
        CHECK_STATUS(pinion_model_joint(m, i, &j), PINION_OK);
        if (j.nv != 1 || j.dof[0].rotor_inertia == 0) continue;
        pinion_dof dof = j.dof[0];
        dof.rotor_inertia *= times;
        CHECK_STATUS(pinion_model_set_dof(m, i, 0, &dof), PINION_OK);
    }
}

/* The model with all lengths and masses times these, at x's state, and closed from a guess, unless that is NULL. */
static verdict judge(const mechanism *x, const double *guess, double length, double mass)
{
    verdict out;
    double q[MECHANISM_MOST], v[MECHANISM_MOST], tau[MECHANISM_MOST], q_unit[MECHANISM_MOST], unit[MECHANISM_MOST];
    static double dq[MECHANISM_MOST * MECHANISM_MOST];
    const double gravity[3] = {0, 0, -9.81 * length};
    pinion_error err = {0};
    pinion_model *m = pinion_model_scale(x->m, length, mass, &err);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    memset(&out, 0, sizeof out);
    if (!w) {
        CHECK_FAIL("%s", err.message);
        pinion_model_free(m);
        return out;
    }
    units_of(m, length, q_unit, unit);
    CHECK_STATUS(pinion_model_set_gravity(m, gravity), PINION_OK);
    scale_rotors(m, mass * length * length);
    for (int i = 0; i < x->nq; i++) q[i] = x->q[i] * q_unit[i];
    for (int i = 0; i < x->nv; i++) v[i] = x->v[i] * unit[i];
    for (int i = 0; i < x->nv; i++) tau[i] = x->tau[i] * mass * length * length / unit[i];
    CHECK_STATUS(pinion_mobility_at(m, w, 0, q, &out.mobility), PINION_OK);
    for (int i = 0; guess && i < x->nq; i++) out.q[i] = guess[i] * q_unit[i];
    if (guess) CHECK_STATUS(pinion_assemble(m, w, 0, NULL, out.q, &out.closed), PINION_OK);
    for (int i = 0; guess && i < x->nq; i++) out.q[i] /= q_unit[i];
    out.count = out.mobility.doubt > 0 && out.mobility.doubt < ALL_SOLVE ? 1 : 4;
    for (int k = 0; k < out.count; k++) {
        const int algorithm = pinion_algorithm_find(by[k]);
        const pinion_status status = pinion_forward_dynamics_by(m, w, algorithm, q, v, tau, NULL, out.a[k]);
        check_count++;
        if (status) CHECK_FAIL("%s times %g: %s", by[k], length, pinion_work_message(w));
        for (int i = 0; i < x->nv; i++) out.a[k][i] /= unit[i];
    }
    for (int k = 0; k < 2; k++) {
        double a[MECHANISM_MOST], needed[MECHANISM_MOST];
        for (int i = 0; i < x->nv; i++) a[i] = (out.a[0][i] + (k ? 1e-9 : 1e-4) * (i % 3 - 1)) * unit[i];
        out.inverse[k] = pinion_loop_inverse_dynamics(m, w, NULL, q, v, a, NULL, NULL, needed, NULL);
    }
    out.derivatives = pinion_d_forward_dynamics(m, w, q, v, tau, NULL, dq, NULL, NULL);
    pinion_work_free(w);
    pinion_model_free(m);
    return out;
}

/* x's state in all units */
static void check_state(const mechanism *x, const double *guess, const char *name, int *singular, int *doubted)
{
    static const double lengths[] = {1e-6, 1e-3, 1e-2, 1, 1e2, 1e3, 1e6};
    const verdict one = judge(x, guess, 1, 1);
    *singular += one.mobility.singular;
    *doubted += one.mobility.doubt > 0;
    for (size_t i = 0; i < 2 * sizeof lengths / sizeof *lengths; i += (size_t)check_every(5)) {
        const double length = lengths[i / 2], mass = i % 2 ? length * length * length : 1;
        const verdict two = judge(x, guess, length, mass);
        const pinion_mobility *a = &one.mobility, *b = &two.mobility;
        check_count++;
        if (a->rank != b->rank || a->singular != b->singular || a->rounded != b->rounded ||
            fabs(a->doubt - b->doubt) > 1e-6 * a->doubt + 1e-13 || one.derivatives != two.derivatives)
            CHECK_FAIL("%s times %g: rank %d for %d, singular %d for %d, doubt %g for %g, rounded %d for %d, "
                       "derivatives %d for %d",
                       name, length, b->rank, a->rank, b->singular, a->singular, b->doubt, a->doubt, b->rounded,
                       a->rounded, two.derivatives, one.derivatives);
        check_count++;
        if (one.inverse[0] != two.inverse[0] || one.inverse[1] != two.inverse[1])
            CHECK_FAIL("%s times %g: inverse dynamics says %d and %d for %d and %d", name, length, two.inverse[0],
                       two.inverse[1], one.inverse[0], one.inverse[1]);
        double elsewhere = 0;
        for (int j = 0; j < x->nq; j++) elsewhere = fmax(elsewhere, fabs(one.q[j] - two.q[j]));
        check_count++;
        if (!(elsewhere < 1e-7) || two.closed.doubt > 0 || fabs(one.closed.moved - two.closed.moved) > 1e-7)
            CHECK_FAIL("%s times %g: closes elsewhere by %g, moved %g for %g, doubt %g", name, length, elsewhere,
                       two.closed.moved, one.closed.moved, two.closed.doubt);
        /* what one rounding of the rows does to accelerations by 1/doubt^2 */
        const double near = a->doubt > 0 ? a->doubt : 1, tolerance = 1e-10 + 1e-13 / (near * near);
        if (tolerance > 1e-2) continue;
        double size = 1, off = 0;
        for (int k = 0; k < two.count; k++)
            for (int j = 0; j < x->nv; j++) {
                size = fmax(size, fabs(one.a[0][j]));
                off = fmax(off, fabs(one.a[0][j] - two.a[k][j]));
            }
        check_count++;
        if (!(off <= tolerance * size))
            CHECK_FAIL("%s times %g: accelerations off by %g of %g, doubt %g", name, length, off, size, a->doubt);
    }
}

/* x from its own state to q, closed where that can be, with a velocity that keeps the loops; 0 where it does not */
static int put(mechanism *x, uint64_t *seed)
{
    if (pinion_assemble(x->m, x->w, 0, NULL, x->q, NULL) != PINION_OK) return 0;
    for (int i = 0; i < x->nv; i++) x->v[i] = check_between(seed, -1, 1);
    for (int i = 0; i < x->nv; i++) x->tau[i] = check_between(seed, -5, 5);
    if (pinion_project_velocity(x->m, x->w, 0, NULL, x->q, x->v) != PINION_OK) memset(x->v, 0, sizeof x->v);
    return 1;
}

TEST(any_state)
{
    static const char *const name[] = {"andrews-squeezer.json", "bricard.json",          "delta.json",
                                       "flyball-governor.json", "four-bar.json",         "n-four-bar.json",
                                       "parallelogram-arm.json", "slider-crank.json",    "spatial-slider-crank.json",
                                       "stewart.json"};
    uint64_t seed = check_seed;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        int singular = 0, doubted = 0, count = 0;
        for (int trial = 0; trial < 8; trial++) {
            mechanism x;
            double step[MECHANISM_MOST], q_unit[MECHANISM_MOST], unit[MECHANISM_MOST], guess[MECHANISM_MOST];
            if (!mechanism_open(&x, name[i])) return;
            units_of(x.m, 0.1, q_unit, unit);
            for (int j = 0; j < x.nv; j++) step[j] = check_between(&seed, -0.5, 0.5) * trial / 7 * unit[j];
            CHECK_STATUS(pinion_integrate(x.m, x.q, step, 1, x.q), PINION_OK);
            memcpy(guess, x.q, sizeof guess);
            if (put(&x, &seed)) check_state(&x, guess, name[i], &singular, &doubted), count++;
            mechanism_close(&x);
        }
        CHECK(count >= 4 && doubted <= 1 && singular == 0);
    }
}

/* At positions where rows come to depend on each other, and at distances from them. */
TEST(near_singular_positions)
{
    static const struct {
        const char *name;
        double q[12];
    } at[] = {{"flyball-governor.json", {0.3, 0, 0, 0.1}},
              {"n-four-bar.json", {-M_PI / 2, M_PI / 2, -M_PI / 2, M_PI / 2, -M_PI / 2}},
              {"parallelogram-arm.json", {0.3, 0, M_PI / 2, -M_PI / 2, 0, 0, M_PI / 2, 0, M_PI / 2, -M_PI / 2}}};
    uint64_t seed = check_seed;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        int singular = 0, doubted = 0, exact = 0;
        for (int trial = 0; trial < 12; trial++) {
            mechanism x;
            double step[MECHANISM_MOST];
            if (!mechanism_open(&x, at[i].name)) return;
            memcpy(x.q, at[i].q, sizeof *x.q * (size_t)x.nq);
            for (int j = 0; j < x.nv; j++) step[j] = check_between(&seed, 0.2, 1);
            if (trial) CHECK_STATUS(pinion_integrate(x.m, x.q, step, pow(10, -trial), x.q), PINION_OK);
            if (trial ? put(&x, &seed) : 1) check_state(&x, NULL, at[i].name, &singular, &doubted);
            if (!trial) exact = singular;
            mechanism_close(&x);
        }
        CHECK(exact == 1 && singular >= 4 && doubted >= 2);
        printf("       %s: %d of 12 singular, %d in doubt\n", at[i].name, singular, doubted);
    }
}

/* The motor of two four-bars in a row, the first one almost folded: what the loops leave free does not move it but for
 * rounding, so that no moment of its holds the weights, in any units. */
TEST(a_motor_that_moves_nothing)
{
    static const double q[5] = {-1.5707971986316114, 1.5707980704683262, -1.5707963267948966, 1.6212981249463685,
                                -1.5202945286434244};
    for (double length = 1e-6; length < 2e6; length *= 10) {
        mechanism x;
        double tau[MECHANISM_MOST];
        pinion_error err = {0};
        if (!mechanism_open(&x, "n-four-bar.json")) return;
        pinion_model *m = pinion_model_scale(x.m, length, 1, &err);
        pinion_work *w = m ? pinion_work_new(m) : NULL;
        if (!w) CHECK_FAIL("%s", err.message);
        if (w) {
            CHECK_STATUS(pinion_loop_inverse_dynamics(m, w, NULL, q, NULL, NULL, NULL, NULL, tau, NULL),
                         PINION_ERR_SINGULAR);
            CHECK_HAS(pinion_work_message(w), "no actuated joint drives");
        }
        pinion_work_free(w);
        pinion_model_free(m);
        mechanism_close(&x);
    }
}

/* Runs keep the loops closed by what rows could be: the end of one is the same in all units. */
TEST(a_run)
{
    static const char *const name[] = {"bricard.json", "flyball-governor.json", "n-four-bar.json", "slider-crank.json",
                                       "stewart.json"};
    static const double lengths[] = {1, 1e-6, 1e-3, 1e3, 1e6};
    pinion_sim_options o = pinion_sim_options_default();
    o.passive = 0;
    o.integrator = PINION_INTEGRATOR_RK4;
    o.step = 2e-3;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        double end[MECHANISM_MOST] = {0};
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k += (size_t)check_every(3)) {
            mechanism x;
            double q_unit[MECHANISM_MOST], unit[MECHANISM_MOST], gravity[3], off = 0;
            if (!mechanism_open(&x, name[i])) return;
            pinion_model *own = x.m;
            pinion_model_gravity(own, gravity);
            for (int d = 0; d < 3; d++) gravity[d] *= lengths[k];
            pinion_work_free(x.w);
            x.m = pinion_model_scale(own, lengths[k], 1, NULL);
            x.w = pinion_work_new(x.m);
            pinion_model_free(own);
            CHECK_STATUS(pinion_model_set_gravity(x.m, gravity), PINION_OK);
            CHECK_STATUS(pinion_initial(x.m, x.q, x.v), PINION_OK);
            units_of(x.m, lengths[k], q_unit, unit);
            pinion_sim *s = mechanism_sim(&x, &o);
            if (s) mechanism_advance(&x, s, 0.4);
            for (int j = 0; j < x.nq; j++) {
                if (!k) end[j] = x.q[j];
                off = fmax(off, fabs(x.q[j] / q_unit[j] - end[j]));
            }
            check_count++;
            if (!(off < 1e-9)) CHECK_FAIL("%s times %g ends elsewhere by %g", name[i], lengths[k], off);
            pinion_sim_free(s);
            mechanism_close(&x);
        }
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(any_state);
    RUN(near_singular_positions);
    RUN(a_motor_that_moves_nothing);
    RUN(a_run);
    return CHECK_END();
}
