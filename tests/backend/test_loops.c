/* Constraints of loops against the complex step, on random mechanisms with loops of every kind and joint type, closed
 * or not, with followers and without: L is the derivative of phi along every direction of the tangent space, the rate
 * that of phi in time, and -c that of the rate at a = 0, with laws of time. What has no phi (the rolling contact) is
 * taken from the poses of the loops' frames. Forces along loop joints against their energies. */
#include <complex.h>
#include "backend.h"
#include "loops/random_loops.h"

extern const pn_backend instance_complex;
typedef double _Complex cx;
#define STEP 1e-30
enum { MECHANISMS = 24, MAX_ROWS = 64, MAX_NV = 64, MAX_NQ = 64 };

static double worst_seen;
#define CHECK_SMALL(error, tolerance)                                                                        \
    do {                                                                                                     \
        const double error_ = (error);                                                                       \
        if (error_ > worst_seen) worst_seen = error_;                                                        \
        CHECK_NEAR(error_, 0, tolerance);                                                                    \
    } while (0)

typedef struct scene {
    pinion_model *m;
    void *work;
    int nq, nv, rows;
    double q[MAX_NQ], v[MAX_NV], law[3][MAX_ROWS];
    cx cq[MAX_NQ], cv[MAX_NV], g[3][MAX_ROWS];
} scene;

static void run(scene *s, int kernel, pn_io *io)
{
    pn_ctx k = pn_context(s->m, sizeof(double), s->work);
    instance_complex.kernel[kernel](&k, io);
}

/* cq = q (+) i STEP direction */
static void step(scene *s, const double *direction)
{
    cx from[MAX_NQ], d[MAX_NV];
    for (int i = 0; i < s->nq; i++) from[i] = s->q[i];
    for (int i = 0; i < s->nv; i++) d[i] = direction[i] * STEP * _Complex_I;
    pn_io io = {.q = from, .v = d, .out = {s->cq}, .dt = 1};
    run(s, PN_K_integrate, &io);
}

/* pose of a named frame in the world */
static void frame_at(scene *s, const char *letter, int loop, cx p[3], cx Q[9])
{
    char name[16];
    snprintf(name, sizeof name, "%s%d", letter, loop);
    pn_io io = {.q = s->cq, .out = {p, Q}, .frame = pinion_model_find_frame(s->m, name)};
    CHECK(io.frame >= 0);
    run(s, PN_K_frames, &io);
}

/* Whether an angle about an axis has hardly a meaning: the frames' axes are nearly opposite, or those of a universal
 * joint nearly parallel. Its derivative is then large, and what rounding makes of it too. */
static int turned_over(scene *s)
{
    for (int i = 0; i < s->nq; i++) s->cq[i] = s->q[i];
    for (int l = 0; l < s->m->n.loops; l++) {
        pinion_loop_info loop;
        cx p[3], P[9], S[9];
        double product = 0;
        if (pinion_model_loop(s->m, l, &loop) != PINION_OK || loop.kind != PINION_LOOP_JOINT) continue;
        frame_at(s, "P", l, p, P);
        frame_at(s, "S", l, p, S);
        for (int e = 0; e < 3; e++) {
            if (loop.joint.type == PINION_JOINT_UNIVERSAL) {
                product += creal(P[3 * e] * S[3 * e + 1]);
                continue;
            }
            double a = 0, b = 0;
            for (int f = 0; f < 3; f++) {
                a += creal(P[3 * e + f]) * loop.joint.axis[f];
                b += creal(S[3 * e + f]) * loop.joint.axis[f];
            }
            product += a * b;
        }
        if (loop.joint.type == PINION_JOINT_UNIVERSAL) product = -fabs(product);
        if (product < -0.98) return 1;
    }
    return 0;
}

static void scene_close(scene *s)
{
    free(s->work);
    pinion_model_free(s->m);
}

/* a mechanism and a configuration of it */
static int scene_draw(scene *s, int followers, uint64_t *seed)
{
    memset(s, 0, sizeof *s);
    s->m = random_loops(followers, seed);
    CHECK(s->m != NULL);
    if (!s->m) return 0;
    s->nq = s->m->n.nq;
    s->nv = s->m->n.nv;
    s->rows = s->m->n.rows;
    CHECK(s->nq <= MAX_NQ && s->nv <= MAX_NV && s->rows <= MAX_ROWS);
    s->work = calloc(pn_work_reals(&s->m->n) + 1, sizeof(cx));
    CHECK_STATUS(pinion_random(s->m, (uint64_t)(check_uniform(seed) * 1e15), s->q), PINION_OK);
    return 1;
}

static int scene_open(scene *s, int i, uint64_t *seed)
{
    if (!scene_draw(s, i % 2, seed)) return 0;
    while (turned_over(s)) {
        scene_close(s);
        if (!scene_draw(s, i % 2, seed)) return 0;
    }
    for (int d = 0; d < s->nv; d++) s->v[d] = check_between(seed, -1.5, 1.5);
    for (int d = 0; d < s->nv; d++) s->cv[d] = s->v[d];
    for (int l = 0; l < s->m->n.loops; l++) {
        pinion_loop_info loop;
        double law[3];
        CHECK_STATUS(pinion_model_loop(s->m, l, &loop), PINION_OK);
        pinion_motion_at(&loop.motion, 0.3, law);
        for (int d = 0; d < 3; d++) s->law[d][loop.row] = law[d];
    }
    return 1;
}

/* the laws of time, moved on by i STEP dt */
static void set_laws(scene *s, double dt, pn_io *io)
{
    for (int d = 0; d < 3; d++) {
        for (int r = 0; r < s->rows; r++)
            s->g[d][r] = s->law[d][r] + (d < 2 ? s->law[d + 1][r] : 0) * dt * STEP * _Complex_I;
        io->g[d] = s->g[d];
    }
}

/* phi, L, rate, c at q and v, real */
static void constraints(scene *s, double *phi, double *L, double *rate, double *c)
{
    cx cphi[MAX_ROWS], *cL = calloc((size_t)(s->rows * s->nv), sizeof(cx)), crate[MAX_ROWS], cc[MAX_ROWS];
    for (int i = 0; i < s->nq; i++) s->cq[i] = s->q[i];
    pn_io io = {.q = s->cq, .v = s->cv, .out = {cphi, cL, crate, cc}};
    set_laws(s, 0, &io);
    run(s, PN_K_loops, &io);
    for (int r = 0; r < s->rows; r++) {
        phi[r] = creal(cphi[r]);
        rate[r] = creal(crate[r]);
        c[r] = creal(cc[r]);
    }
    for (int i = 0; i < s->rows * s->nv; i++) L[i] = creal(cL[i]);
    free(cL);
}

static int holonomic(const scene *s, int row)
{
    for (int l = 0; l < s->m->n.loops; l++) {
        pinion_loop_info loop;
        if (pinion_model_loop(s->m, l, &loop) != PINION_OK) continue;
        if (row >= loop.row && row < loop.row + loop.rows) return row < loop.row + loop.rows - loop.nonholonomic;
    }
    return 0;
}

TEST(L_is_the_derivative_of_phi)
{
    uint64_t seed = check_seed;
    for (int i = 0; i < MECHANISMS; i++) {
        scene s;
        if (!scene_open(&s, i, &seed)) return;
        double phi[MAX_ROWS], L[MAX_ROWS * MAX_NV], rate[MAX_ROWS], c[MAX_ROWS];
        constraints(&s, phi, L, rate, c);
        for (int d = 0; d < s.nv; d++) {
            double e[MAX_NV] = {0}, column[MAX_ROWS] = {0}, expected[MAX_ROWS] = {0};
            cx moved[MAX_ROWS];
            e[d] = 1;
            step(&s, e);
            pn_io io = {.q = s.cq, .out = {moved}};
            set_laws(&s, 0, &io);
            run(&s, PN_K_loops, &io);
            for (int r = 0; r < s.rows; r++) {
                if (!holonomic(&s, r)) continue;
                column[r] = L[r * s.nv + d];
                expected[r] = cimag(moved[r]) / STEP;
                CHECK_NEAR(creal(moved[r]), phi[r], 1e-14 * (1 + fabs(phi[r])));
            }
            CHECK_SMALL(check_error(column, expected, (size_t)s.rows, 1), 1e-13);
        }
        scene_close(&s);
    }
}

/* the rate from L, from phi, and c from the rate */
TEST(rate_and_c_are_derivatives_in_time)
{
    uint64_t seed = check_seed + 1;
    for (int i = 0; i < MECHANISMS; i++) {
        scene s;
        if (!scene_open(&s, i, &seed)) return;
        double phi[MAX_ROWS], L[MAX_ROWS * MAX_NV], rate[MAX_ROWS], c[MAX_ROWS], Lv[MAX_ROWS] = {0};
        double by_phi[MAX_ROWS], by_rate[MAX_ROWS];
        cx moved[2][MAX_ROWS];
        constraints(&s, phi, L, rate, c);
        step(&s, s.v);
        pn_io io = {.q = s.cq, .v = s.cv, .out = {moved[0], NULL, moved[1], NULL}};
        set_laws(&s, 1, &io);
        run(&s, PN_K_loops, &io);
        for (int r = 0; r < s.rows; r++) {
            by_phi[r] = holonomic(&s, r) ? cimag(moved[0][r]) / STEP : rate[r];
            by_rate[r] = -cimag(moved[1][r]) / STEP;
            for (int d = 0; d < s.nv; d++) Lv[r] += L[r * s.nv + d] * s.v[d];
        }
        CHECK_SMALL(check_error(rate, by_phi, (size_t)s.rows, 1), 1e-13);
        CHECK_SMALL(check_error(c, by_rate, (size_t)s.rows, 1), 1e-12);

        /* without a law of time the rate is L v */
        for (int l = 0; l < s.m->n.loops; l++) {
            pinion_loop_info loop;
            CHECK_STATUS(pinion_model_loop(s.m, l, &loop), PINION_OK);
            double part = 1;
            if (loop.kind == PINION_LOOP_DISTANCE) part = (loop.length + s.law[0][loop.row]) / loop.length;
            Lv[loop.row] -= loop.rows ? part * s.law[1][loop.row] : 0;
        }
        CHECK_SMALL(check_error(rate, Lv, (size_t)s.rows, 1), 1e-13);

        /* at rest c is what the laws of time ask for */
        cx still[MAX_ROWS];
        for (int j = 0; j < s.nq; j++) s.cq[j] = s.q[j];
        pn_io rest = {.q = s.cq, .out = {NULL, NULL, NULL, still}};
        set_laws(&s, 0, &rest);
        run(&s, PN_K_loops, &rest);
        for (int l = 0; l < s.m->n.loops; l++) {
            pinion_loop_info loop;
            CHECK_STATUS(pinion_model_loop(s.m, l, &loop), PINION_OK);
            const double *g[3] = {s.law[0] + loop.row, s.law[1] + loop.row, s.law[2] + loop.row};
            for (int r = 0; r < loop.rows; r++) {
                double expected = g[2][r];
                if (loop.kind == PINION_LOOP_DISTANCE)
                    expected = ((loop.length + g[0][r]) * g[2][r] + g[1][r] * g[1][r]) / loop.length;
                CHECK_NEAR(creal(still[loop.row + r]), expected, 1e-13);
            }
        }
        scene_close(&s);
    }
}

/* a point of the world seen from P */
static void seen_from(const cx p[3], const cx Q[9], const cx point[3], cx y[3])
{
    for (int e = 0; e < 3; e++) y[e] = 0;
    for (int e = 0; e < 3; e++)
        for (int f = 0; f < 3; f++) y[e] += Q[3 * f + e] * (point[f] - p[f]);
}

/* The point of the body that touches the plane keeps its place on the body while the body moves: its velocity along the
 * plane is what the last two rows are. The first row is its height, whatever the axis. */
TEST(rolling_rows_are_the_velocity_of_the_point_of_contact)
{
    uint64_t seed = check_seed + 2;
    int tried = 0;
    for (int i = 0; i < MECHANISMS; i++) {
        scene s;
        if (!scene_open(&s, i, &seed)) return;
        double phi[MAX_ROWS], L[MAX_ROWS * MAX_NV], rate[MAX_ROWS], c[MAX_ROWS];
        constraints(&s, phi, L, rate, c);
        for (int l = 0; l < s.m->n.loops; l++) {
            pinion_loop_info loop;
            CHECK_STATUS(pinion_model_loop(s.m, l, &loop), PINION_OK);
            if (loop.kind != PINION_LOOP_ROLLING) continue;
            tried++;

            /* where it touches: the lowest point along the plane's normal, in the body's frame */
            cx p[3], P[9], o[3], S[9];
            double n[3], contact[3], length = 0;
            for (int j = 0; j < s.nq; j++) s.cq[j] = s.q[j];
            frame_at(&s, "P", l, p, P);
            frame_at(&s, "S", l, o, S);
            for (int e = 0; e < 3; e++) {
                n[e] = 0;
                for (int f = 0; f < 3; f++) n[e] += creal(S[3 * f + e] * P[3 * f + 2]);
            }
            if (loop.disk) n[2] = 0;
            for (int e = 0; e < 3; e++) length += n[e] * n[e];
            for (int e = 0; e < 3; e++) contact[e] = -loop.radius * n[e] / sqrt(length);

            for (int d = -1; d < s.nv; d++) {
                double e[MAX_NV] = {0};
                cx point[3], y[3];
                if (d >= 0) e[d] = 1;
                step(&s, e);
                frame_at(&s, "P", l, p, P);
                frame_at(&s, "S", l, o, S);
                for (int f = 0; f < 3; f++) {
                    point[f] = o[f];
                    for (int h = 0; h < 3; h++) point[f] += S[3 * f + h] * contact[h];
                }
                seen_from(p, P, point, y);
                if (d < 0) {
                    CHECK_NEAR(phi[loop.row], creal(y[2]), 1e-13);
                    continue;
                }
                CHECK_SMALL(fabs(L[loop.row * s.nv + d] - cimag(y[2]) / STEP), 1e-13);
                CHECK_SMALL(fabs(L[(loop.row + 1) * s.nv + d] - cimag(y[0]) / STEP), 1e-13);
                CHECK_SMALL(fabs(L[(loop.row + 2) * s.nv + d] - cimag(y[1]) / STEP), 1e-13);
            }
        }
        scene_close(&s);
    }
    CHECK(tried == 2 * MECHANISMS);
}

/* velocities of loop joints are the derivatives of their coordinates; a planar joint's are turned */
TEST(loop_velocities_are_the_derivatives_of_loop_coordinates)
{
    uint64_t seed = check_seed + 3;
    for (int i = 0; i < MECHANISMS; i++) {
        scene s;
        if (!scene_open(&s, i, &seed)) return;
        cx position[64], velocity[64];
        step(&s, s.v);
        pn_io io = {.q = s.cq, .v = s.cv, .out = {position, velocity}};
        run(&s, PN_K_loop_motion, &io);
        for (int l = 0; l < s.m->n.loops; l++) {
            pinion_loop_info loop;
            CHECK_STATUS(pinion_model_loop(s.m, l, &loop), PINION_OK);
            if (loop.nv == 0) continue;
            const cx *q = position + loop.q_index, *v = velocity + loop.v_index;
            double rate[7], expected[7] = {0};
            for (int d = 0; d < loop.nq; d++) rate[d] = cimag(q[d]) / STEP;
            for (int d = 0; d < loop.nv; d++) expected[d] = creal(v[d]);
            if (loop.joint.type == PINION_JOINT_PLANAR) {
                const double c = cos(creal(q[2])), sn = sin(creal(q[2]));
                expected[0] = c * creal(v[0]) - sn * creal(v[1]);
                expected[1] = sn * creal(v[0]) + c * creal(v[1]);
            }
            if (loop.nq > loop.nv) {
                /* q' = q (0, w) / 2 */
                const double w = creal(q[0]), x = creal(q[1]), y = creal(q[2]), z = creal(q[3]);
                const double a = creal(v[0]), b = creal(v[1]), c = creal(v[2]);
                const double turned[4] = {-x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c,
                                          w * c + x * b - y * a};
                for (int d = 0; d < 4; d++) expected[d] = turned[d] / 2;
                for (int d = 4; d < loop.nq; d++) rate[d] = expected[d] = 0; /* the position: below */
                CHECK(w >= 0);
                CHECK_NEAR(w * w + x * x + y * y + z * z, 1, 1e-13);
            }
            CHECK_SMALL(check_error(rate, expected, (size_t)loop.nq, 1), 1e-12);
        }
        scene_close(&s);
    }
}

/* what springs in loops pull, and what their energy says by the complex step */
static void pulls(scene *s, double *pull, double *expected)
{
    cx tau[MAX_NV], energy;
    for (int j = 0; j < s->nq; j++) s->cq[j] = s->q[j];
    pn_io springs = {.q = s->cq, .out = {tau, &energy}, .option = 1};
    run(s, PN_K_loop_active, &springs);
    CHECK(creal(energy) > 0);
    for (int d = 0; d < s->nv; d++) pull[d] = creal(tau[d]);
    for (int d = 0; d < s->nv; d++) {
        double e[MAX_NV] = {0};
        e[d] = 1;
        step(s, e);
        pn_io moved = {.q = s->cq, .out = {NULL, &energy}, .option = 1};
        run(s, PN_K_loop_active, &moved);
        expected[d] = -cimag(energy) / STEP;
    }
}

/* How far either goes where q is off by rounding, as state_shaken makes it. The energy may be thousands of times what
 * its derivative is. */
static double pulls_moved(scene *s, const double *pull, const double *expected)
{
    uint64_t seed = check_seed;
    double q[MAX_NQ], one[MAX_NV], two[MAX_NV], most = 0;
    memcpy(q, s->q, sizeof q);
    for (int k = 0; k < SHAKES; k++) {
        for (int j = 0; j < s->nq; j++) s->q[j] = q[j] + 8 * 0x1p-53 * (1 + fabs(q[j])) * check_between(&seed, -1, 1);
        pulls(s, one, two);
        most = fmax(most, check_error(one, pull, (size_t)s->nv, 1));
        most = fmax(most, check_error(two, expected, (size_t)s->nv, 1));
    }
    memcpy(s->q, q, sizeof q);
    return most;
}

/* springs pull along the gradient of their energy, and the power of any force on loop joints reaches the tree whole */
TEST(active_forces_do_the_work_of_the_loop_joints)
{
    uint64_t seed = check_seed + 4;
    for (int i = 0; i < MECHANISMS; i++) {
        scene s;
        if (!scene_open(&s, i, &seed)) return;
        const int loop_nv = s.m->n.loop_nv;
        cx tau[MAX_NV], along[64], motor[64], velocity[64];
        double pull[MAX_NV], expected[MAX_NV], power = 0, work = 0, scale = 1;
        pulls(&s, pull, expected);
        const double error = check_error(pull, expected, (size_t)s.nv, 1);
        CHECK_SMALL(error, error < 1e-12 ? 1e-12 : SHAKEN_TIMES * pulls_moved(&s, pull, expected));

        /* with motors, dampers and friction */
        for (int j = 0; j < s.nq; j++) s.cq[j] = s.q[j];
        for (int d = 0; d < loop_nv; d++) motor[d] = check_between(&seed, -3, 3);
        pn_io io = {.q = s.cq, .v = s.cv, .tau = motor, .out = {tau, NULL, along}, .option = 1};
        run(&s, PN_K_loop_active, &io);
        pn_io motion = {.q = s.cq, .v = s.cv, .out = {NULL, velocity}};
        run(&s, PN_K_loop_motion, &motion);
        for (int d = 0; d < s.nv; d++) power += creal(tau[d]) * s.v[d];
        for (int d = 0; d < s.nv; d++) scale += fabs(creal(tau[d]) * s.v[d]);
        for (int d = 0; d < loop_nv; d++) work += creal(along[d] * velocity[d]);
        CHECK_SMALL(fabs(power - work) / scale, 1e-12);
        scene_close(&s);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(L_is_the_derivative_of_phi);
    RUN(rate_and_c_are_derivatives_in_time);
    RUN(rolling_rows_are_the_velocity_of_the_point_of_contact);
    RUN(loop_velocities_are_the_derivatives_of_loop_coordinates);
    RUN(active_forces_do_the_work_of_the_loop_joints);
    printf("largest error seen: %.3g\n", worst_seen);
    return CHECK_END();
}
