/* Elastic links in closed loops: the rows against differences of themselves, the solvers against each other, a four-bar
 * whose coupler bends against one of fine rigid pieces with springs, and what is refused. */
#include "beams.h"
#include "pinion/algorithms.h"
#include "pinion/loops.h"
#include "pinion/sim/linearize.h"
#include "pinion/sim/sim.h"

static void add_loop(pinion_builder *b, const char *name, pinion_joint_type type, const char *parent,
                     const char *child, double x)
{
    const pinion_joint_def joint = joint_at(name, type, parent, child, x, 0);
    CHECK_STATUS(pinion_builder_add_loop(b, &joint, NULL), PINION_OK);
}

/* Two arms that bend and twist, and a third that hangs half way on the first: loops between them, one of them back to
 * the link that carries both of its sides, and one to the world. */
static pinion_model *closed(void)
{
    pinion_elastic_def first = plain_beam(2, 2, 1), second = plain_beam(2, 1, 1);
    pinion_builder *b = pinion_builder_new("closed");
    add_link(b, "ground", 0, NULL);
    add_link(b, "left", 0.5, &first);
    add_joint(b, "a", PINION_JOINT_UNIVERSAL, "ground", "left", -1, 0.4);
    add_link(b, "left_end", 0.3, NULL);
    add_joint(b, "a_end", PINION_JOINT_FIXED, "left", "left_end", 2, 0.3);
    add_link(b, "middle", 0.3, NULL);
    add_joint(b, "half", PINION_JOINT_SPHERICAL, "left", "middle", 1, 0.2);
    add_link(b, "right", 0.4, &second);
    add_joint(b, "b", PINION_JOINT_SPHERICAL, "ground", "right", 1, 0);
    add_link(b, "right_end", 0.2, NULL);
    add_joint(b, "b_end", PINION_JOINT_FIXED, "right", "right_end", 2, 0.2);
    add_loop(b, "ends", PINION_JOINT_REVOLUTE, "left_end", "right_end", 0.1);
    add_loop(b, "own", PINION_JOINT_SPHERICAL, "left_end", "middle", 0.4);
    add_loop(b, "held", PINION_JOINT_CYLINDRICAL, "ground", "middle", 0.2);
    return build(b);
}

typedef struct rows {
    int count;
    double phi[32], rate[32], c[32], L[32 * 32];
} rows;

static rows rows_at(moving *x, const double *q, const double *v)
{
    rows y = {.count = pinion_model_row_count(x->m)};
    const pinion_constraints out = {y.phi, y.L, y.rate, y.c};
    CHECK(y.count <= 32 && y.count * x->nv <= 32 * 32);
    CHECK_STATUS(pinion_constraints_at(x->m, x->w, 0, q, v, &out), PINION_OK);
    return y;
}

/* dphi/dt = L v, and d(L v)/dt = L a - c, along q' = v, v' = a: differences of order 6 */
TEST(rows_are_what_they_say)
{
    static const double weight[3] = {0.75, -0.15, 1.0 / 60};
    const double h = 2e-3;
    uint64_t seed = check_seed;
    moving x = start(closed(), &seed);
    for (int i = x.nq - 9; i < x.nq; i++) x.q[i] *= 0.2; /* modes */
    const rows at = rows_at(&x, x.q, x.v);
    double rate[32] = {0}, second[32] = {0}, q[64], v[64], step[64];
    for (int s = 0; s < 3; s++)
        for (int side = -1; side < 2; side += 2) {
            const double t = side * (s + 1) * h;
            for (int i = 0; i < x.nv; i++) {
                v[i] = x.v[i] + t * x.a[i];
                step[i] = x.v[i] + t / 2 * x.a[i];
            }
            CHECK_STATUS(pinion_integrate(x.m, x.q, step, t, q), PINION_OK);
            const rows there = rows_at(&x, q, v);
            for (int i = 0; i < at.count; i++) {
                rate[i] += side * weight[s] * there.phi[i] / h;
                second[i] += side * weight[s] * there.rate[i] / h;
            }
        }
    for (int i = 0; i < at.count; i++) {
        double Lv = 0, La = 0;
        for (int k = 0; k < x.nv; k++) Lv += at.L[i * x.nv + k] * x.v[k], La += at.L[i * x.nv + k] * x.a[k];
        CHECK_NEAR(at.rate[i], Lv, 1e-13);
        CHECK_NEAR(rate[i], Lv, 1e-8);
        CHECK_NEAR(second[i], La - at.c[i], 1e-8 * (1 + fabs(second[i])));
    }
    stop(&x);
}

/* M a + h = tau + L' lambda and L a = c, by every solver that takes such models */
TEST(solvers_agree)
{
    static const char *const name[] = {"loop-nullspace", "loop-direct", "loop-multipliers"};
    uint64_t seed = check_seed + 1;
    moving x = start(closed(), &seed);
    const int n = x.nv;
    for (int i = x.nq - 9; i < x.nq; i++) x.q[i] *= 0.2;
    pinion_assembly report;
    CHECK_STATUS(pinion_assemble(x.m, x.w, 0, NULL, x.q, &report), PINION_OK);
    CHECK_STATUS(pinion_project_velocity(x.m, x.w, 0, NULL, x.q, x.v), PINION_OK);
    const rows at = rows_at(&x, x.q, x.v);
    for (int i = 0; i < at.count; i++) CHECK(fabs(at.phi[i]) < 1e-9 && fabs(at.rate[i]) < 1e-9);
    double *a = calloc((size_t)(3 * n), sizeof *a), *need = a + n, *first = need + n, lambda[32];
    for (int s = 0; s < 3; s++) {
        pinion_loop_solution out = {.lambda = lambda};
        const int algorithm = pinion_algorithm_find(name[s]);
        CHECK_STATUS(pinion_algorithm_applies(algorithm, x.m, NULL), PINION_OK);
        CHECK_STATUS(pinion_loop_dynamics(x.m, x.w, algorithm, NULL, x.q, x.v, x.tau, x.f, a, &out), PINION_OK);
        CHECK_STATUS(pinion_inverse_dynamics(x.m, x.w, x.q, x.v, a, x.f, need), PINION_OK);
        double size = 1;
        for (int i = 0; i < n; i++) size = fmax(size, fabs(a[i]));
        for (int i = 0; i < at.count; i++) {
            double La = 0;
            for (int k = 0; k < n; k++) La += at.L[i * n + k] * a[k];
            CHECK_NEAR(La, at.c[i], 1e-9 * size);
            for (int k = 0; k < n; k++) need[k] -= at.L[i * n + k] * lambda[i];
        }
        for (int k = 0; k < n; k++) {
            CHECK_NEAR(need[k], x.tau[k], 1e-8 * size);
            if (s) CHECK_NEAR(a[k], first[k], 1e-8 * size);
            if (!s) first[k] = a[k];
        }
    }
    /* others refuse, and derivatives are not computed */
    CHECK_STATUS(pinion_algorithm_applies(pinion_algorithm_find("loop-proximal"), x.m, NULL), PINION_ERR_UNSUPPORTED);
    CHECK_STATUS(pinion_algorithm_applies(pinion_algorithm_find("loop-divide-and-conquer"), x.m, NULL),
                 PINION_ERR_UNSUPPORTED);
    double *big = calloc((size_t)(3 * n * n), sizeof *big);
    pinion_loop_derivatives out = {.a_dq = big};
    static const char *const why = "elastic links and closed loops, of which derivatives";
    CHECK_STATUS(pinion_d_loop_dynamics(x.m, x.w, NULL, x.q, x.v, x.tau, NULL, &out), PINION_ERR_UNSUPPORTED);
    CHECK(strstr(pinion_work_message(x.w), why));
    CHECK_STATUS(pinion_d_forward_dynamics(x.m, x.w, x.q, x.v, x.tau, NULL, big, big + n * n, big + 2 * n * n),
                 PINION_ERR_UNSUPPORTED);
    CHECK_STATUS(pinion_d_constraints(x.m, x.w, x.q, x.v, x.a, big, NULL, NULL), PINION_ERR_UNSUPPORTED);
    CHECK_STATUS(pinion_d_loop_active_forces(x.m, x.w, x.q, x.v, NULL, 0, big, NULL), PINION_ERR_UNSUPPORTED);
    CHECK_STATUS(pinion_forward_dynamics_jvp(x.m, x.w, x.q, x.v, x.tau, NULL, x.v, x.v, x.v, a),
                 PINION_ERR_UNSUPPORTED);
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK(!pinion_linearize(x.m, x.q, x.v, NULL, &err) && strstr(err.message, why));
    free(big);
    free(a);
    stop(&x);
}

/* ---- a four-bar ---- */

static const double crank = 0.3, coupler = 0.9, rocker = 0.6, ground = 1, rho = 1.5, EI = 12, angle = 1.1;

static void add_bar(pinion_builder *b, const char *name, double mass, double length)
{
    pinion_link_def link = pinion_link_def_default();
    const double J = mass * length * length / 12;
    link.name = name;
    link.inertia = (pinion_inertia){mass, {length / 2, 0, 0}, {1e-9, 0, 0, J, 0, J}};
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
}

/* pieces 0: a beam with three modes; else so many rigid ones, the first and the last half as long, with springs */
static pinion_model *four_bar(int pieces)
{
    const double gravity[3] = {0, -9.81, 0}, h = pieces ? coupler / pieces : 0;
    pinion_builder *b = pinion_builder_new("four-bar");
    CHECK_STATUS(pinion_builder_set_gravity(b, gravity, NULL), PINION_OK);
    add_link(b, "ground", 0, NULL);
    add_bar(b, "crank", 0.4, crank);
    add_joint(b, "j1", PINION_JOINT_REVOLUTE, "ground", "crank", 0, 0);
    pinion_link_def end = pinion_link_def_default();
    end.name = "end";
    if (!pieces) {
        pinion_elastic_def e = plain_beam(3, 0, 0);
        e.length = coupler, e.mass_per_length = rho, e.bending_stiffness[0] = EI, e.polar_inertia = 0;
        e.boundary = PINION_ELASTIC_PINNED;
        add_link(b, "coupler", 0, &e);
        add_joint(b, "j2", PINION_JOINT_REVOLUTE, "crank", "coupler", crank, 0);
        CHECK_STATUS(pinion_builder_add_link(b, &end, NULL), PINION_OK);
        add_joint(b, "mount", PINION_JOINT_FIXED, "coupler", "end", coupler, 0);
    }
    for (int i = 0; pieces && i <= pieces; i++) {
        char name[2][16], pivot[16];
        const int half = i == 0 || i == pieces;
        for (int k = 0; k < 2; k++) snprintf(name[k], sizeof name[k], "p%d", i - 1 + k);
        snprintf(pivot, sizeof pivot, i ? "s%d" : "j2", i);
        add_bar(b, name[1], rho * (half ? h / 2 : h), half ? h / 2 : h);
        pinion_joint_def joint = pinion_joint_def_default();
        pinion_dof dof = {.lower = -INFINITY, .upper = INFINITY, .velocity = INFINITY, .effort = INFINITY};
        dof.stiffness = i ? EI / h : 0;
        dof.gear_ratio = 1;
        joint.name = pivot;
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent = i ? name[0] : "crank";
        joint.child = name[1];
        joint.parent_pose.position[0] = i == 0 ? crank : i == 1 ? h / 2 : h;
        joint.dof[0] = dof;
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
        if (i < pieces) continue;
        CHECK_STATUS(pinion_builder_add_link(b, &end, NULL), PINION_OK);
        add_joint(b, "mount", PINION_JOINT_FIXED, name[1], "end", h / 2, 0);
    }
    add_bar(b, "rocker", 0.5, rocker);
    add_joint(b, "j3", PINION_JOINT_REVOLUTE, "ground", "rocker", ground, 0);
    add_loop(b, "pin", PINION_JOINT_REVOLUTE, "rocker", "end", rocker);
    return build(b);
}

/* where the coupler and the rocker are with rigid links, the first against the crank */
static void close_rigid(double crank_angle, double *second, double *third)
{
    const double A[2] = {crank * cos(crank_angle), crank * sin(crank_angle)}, r = hypot(ground - A[0], A[1]);
    const double up = acos((coupler * coupler + r * r - rocker * rocker) / (2 * coupler * r));
    const double at = atan2(-A[1], ground - A[0]) + up;
    *second = at - crank_angle;
    *third = atan2(A[1] + coupler * sin(at), A[0] + coupler * cos(at) - ground);
}

/* the rocker's angle after a while, from straight links that move as rigid ones do */
static double swing(int pieces)
{
    const double h = 1e-5, speed = 3;
    pinion_model *m = four_bar(pieces);
    pinion_error err;
    pinion_sim_options options = pinion_sim_options_default();
    pinion_sim *s = pinion_sim_new(m, &options, &err);
    double q[32] = {0}, v[32] = {0}, at[3] = {angle, 0, 0}, low[2], high[2];
    close_rigid(angle, &at[1], &at[2]);
    close_rigid(angle - h, &low[0], &low[1]);
    close_rigid(angle + h, &high[0], &high[1]);
    static const char *const name[3] = {"j1", "j2", "j3"};
    int index = 0;
    for (int i = 0; i < 3; i++) {
        pinion_joint_info joint;
        CHECK_STATUS(pinion_model_joint(m, pinion_model_find_joint(m, name[i]), &joint), PINION_OK);
        index = joint.q_index;
        q[joint.q_index] = at[i];
        v[joint.v_index] = i ? speed * (high[i - 1] - low[i - 1]) / (2 * h) : speed;
    }
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    CHECK_STATUS(pinion_sim_advance(s, 0.15), PINION_OK);
    pinion_sim_state end = {.q = q, .v = v};
    CHECK_STATUS(pinion_sim_get(s, &end), PINION_OK);
    CHECK_NEAR(end.drift, 0, 1e-9 * (1 + end.largest_kinetic));
    CHECK(end.largest_kinetic > 0.1);
    if (!pieces) { /* it bends, by more than what it is compared to */
        double most = 0;
        for (int i = 0; i < 3; i++) most = fmax(most, fabs(q[pinion_model_nq(m) - 3 + i]));
        CHECK(most > 1e-3);
    }
    pinion_sim_free(s);
    pinion_model_free(m);
    return q[index];
}

TEST(a_coupler_that_bends)
{
    const double coarse = swing(4), fine = swing(8), beam = swing(0);
    const double limit = fine + (fine - coarse) / 3; /* the error falls with the square of the pieces */
    CHECK_NEAR(beam, limit, 2e-5);
}

/* Joints close a loop, and elastic links bend only where they cannot. */
TEST(closing)
{
    pinion_model *m = four_bar(0);
    pinion_work *w = pinion_work_new(m);
    double q[6] = {angle, 0, 0, 0, 0, 0}, second, third;
    CHECK(!pinion_model_warning(m, 0)); /* that the coupler has no mass, say */
    close_rigid(angle, &second, &third);
    q[1] = second + 0.05;
    q[2] = third - 0.02;
    q[3] = 1e-3; /* the coupler is bent so, and stays */
    CHECK_STATUS(pinion_assemble(m, w, 0, NULL, q, NULL), PINION_OK);
    CHECK(q[3] == 1e-3 && q[4] == 0 && q[5] == 0);

    /* two joints stay where the rocker alone cannot close it: the coupler, bent a little, shortens by bending more */
    const unsigned char stay[6] = {1, 1, 0, 0, 0, 0};
    q[0] = angle;
    q[1] = second + 1e-3;
    q[2] = third;
    q[3] = 0.02;
    CHECK_STATUS(pinion_assemble(m, w, 0, stay, q, NULL), PINION_OK);
    CHECK(q[0] == angle && q[1] == second + 1e-3 && q[3] != 0.02);
    double phi[6];
    const pinion_constraints out = {.phi = phi};
    CHECK_STATUS(pinion_constraints_at(m, w, 0, q, NULL, &out), PINION_OK);
    for (int i = 0; i < pinion_model_row_count(m); i++) CHECK(fabs(phi[i]) < 1e-9);
    pinion_work_free(w);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(rows_are_what_they_say);
    RUN(solvers_agree);
    RUN(a_coupler_that_bends);
    RUN(closing);
    return CHECK_END();
}
