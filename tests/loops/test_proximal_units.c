/* loop-proximal in other units of length and of mass, where what it takes for stiff or for singular must not change;
 * and bodies far from each other. */
#include "dense_solution.h"
#include "random_loops.h"

enum { JOINTS = 9, MOST = 64 };

typedef struct units {
    double length, mass;
} units;

static pinion_pose scaled_pose(pinion_pose pose, double length)
{
    for (int k = 0; k < 3; k++) pose.position[k] *= length;
    return pose;
}

static pinion_joint_def any_joint(pinion_joint_type type, units u, uint64_t *seed)
{
    pinion_joint_def joint = pinion_joint_def_default();
    joint.type = type;
    joint.parent_pose = scaled_pose(random_pose(seed), u.length);
    joint.child_pose = scaled_pose(random_pose(seed), u.length);
    random_axis(seed, joint.axis);
    if (type == PINION_JOINT_HELICAL) joint.pitch = check_between(seed, 0.05, 0.2) * u.length;
    return joint;
}

static pinion_joint_type type_of(int i)
{
    static const pinion_joint_type types[] = {PINION_JOINT_REVOLUTE,  PINION_JOINT_REVOLUTE,  PINION_JOINT_PRISMATIC,
                                              PINION_JOINT_SPHERICAL, PINION_JOINT_UNIVERSAL, PINION_JOINT_HELICAL,
                                              PINION_JOINT_FREE,      PINION_JOINT_REVOLUTE,  PINION_JOINT_PRISMATIC};
    return types[(i - 1) % 9];
}

/* the i-th loop of a series: nine joint types, a distance, rolling, a gear of a turning and a sliding joint, a drive */
static pinion_status close_loop(pinion_builder *b, int kind, units u, uint64_t *seed, pinion_error *err)
{
    static const pinion_joint_type type[] = {PINION_JOINT_FIXED,     PINION_JOINT_REVOLUTE,    PINION_JOINT_CONTINUOUS,
                                             PINION_JOINT_PRISMATIC, PINION_JOINT_HELICAL,     PINION_JOINT_CYLINDRICAL,
                                             PINION_JOINT_UNIVERSAL, PINION_JOINT_PLANAR,      PINION_JOINT_SPHERICAL};
    const int to = 6 + (int)(check_uniform(seed) * 4), from = (int)(check_uniform(seed) * 3);
    char name[2][16];
    snprintf(name[0], sizeof name[0], "link%d", from);
    snprintf(name[1], sizeof name[1], "link%d", to);
    if (kind < 9) {
        pinion_joint_def joint = any_joint(type[kind], u, seed);
        joint.name = "loop";
        joint.parent = name[0];
        joint.child = name[1];
        return pinion_builder_add_loop(b, &joint, err);
    }
    pinion_constraint_def c = pinion_constraint_def_default();
    c.name = "loop";
    c.kind = kind == 9 ? PINION_LOOP_DISTANCE : kind == 10 ? PINION_LOOP_ROLLING : kind == 11 ? PINION_LOOP_GEAR
                                                                                                : PINION_LOOP_DRIVE;
    if (kind < 11) {
        c.parent = name[0];
        c.child = name[1];
        c.parent_pose = scaled_pose(random_pose(seed), u.length);
        c.child_pose = scaled_pose(random_pose(seed), u.length);
        *(kind == 10 ? &c.radius : &c.length) = check_between(seed, 0.3, 0.6) * u.length;
    } else {
        c.first = kind == 11 ? "joint1" : "joint3";
        if (kind == 11) c.second = "joint3";
        if (kind == 11) c.ratio = check_between(seed, 0.2, 3) * u.length;
        if (kind == 12) c.motion.acceleration = check_between(seed, 1, 2) * u.length;
    }
    return pinion_builder_add_constraint(b, &c, err);
}

/* NULL with a failed check */
static pinion_model *make(int kind, units u, uint64_t seed)
{
    const double moment = u.mass * u.length * u.length, gravity[3] = {0, 0, -9.81 * u.length};
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("in other units");
    pinion_link_def link = pinion_link_def_default();
    char name[3][16] = {"link0", "", ""};
    link.name = name[0];
    pinion_status status = b ? pinion_builder_add_link(b, &link, &err) : PINION_ERR_MEMORY;
    if (!status) status = pinion_builder_set_gravity(b, gravity, &err);
    for (int i = 1; i <= JOINTS && !status; i++) {
        pinion_joint_def joint = any_joint(type_of(i), u, &seed);
        const double mass = check_between(&seed, 0.5, 5);
        snprintf(name[0], sizeof name[0], "link%d", (int)(check_uniform(&seed) * 2) && i > 2 ? i - 2 : i - 1);
        snprintf(name[1], sizeof name[1], "link%d", i);
        snprintf(name[2], sizeof name[2], "joint%d", i);
        joint.name = name[2];
        joint.parent = name[0];
        joint.child = name[1];
        if (type_of(i) == PINION_JOINT_REVOLUTE) {
            joint.dof[0].rotor_inertia = 1e-5 * moment;
            joint.dof[0].gear_ratio = 50;
        }
        link.name = name[1];
        link.inertia.mass = mass * u.mass;
        for (int k = 0; k < 3; k++) {
            link.inertia.com[k] = check_between(&seed, -0.2, 0.2) * u.length;
            link.inertia.inertia[k == 0 ? 0 : k == 1 ? 3 : 5] = mass * check_between(&seed, 0.02, 0.03) * moment;
        }
        status = pinion_builder_add_link(b, &link, &err);
        if (!status) status = pinion_builder_add_joint(b, &joint, &err);
    }
    if (!status) status = close_loop(b, kind, u, &seed, &err);
    pinion_model *m = status ? NULL : pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("the mechanism cannot be built: %s", err.message);
    pinion_builder_free(b);
    return m;
}

/* a unit of each velocity: 1 where it turns, the length where it slides */
static void units_of(const pinion_model *m, double length, double *unit)
{
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        CHECK_STATUS(pinion_model_joint(m, i, &joint), PINION_OK);
        for (int d = 0; d < joint.nv; d++)
            unit[joint.v_index + d] =
                joint.type == PINION_JOINT_PRISMATIC || (joint.type == PINION_JOINT_FREE && d > 2) ? length : 1;
    }
}

/* a by loop-proximal, as it is in units of 1, and by a dense solution where a0 is given; returns its condition,
 * infinite where rows depend on each other: they contradict each other at a random state, and what is nearest depends
 * on units */
static double accelerations(const pinion_model *m, units u, uint64_t seed, double *a, double *a0)
{
    static double M[MOST * MOST], L[MOST * MOST], h[MOST], c[MOST], zero[MOST], lambda[MOST];
    const int nv = pinion_model_nv(m), algorithm = pinion_algorithm_find("loop-proximal");
    double q[MOST], v[MOST], tau[MOST], step[MOST], unit[MOST];
    pinion_work *w = pinion_work_new(m);
    pinion_loop_options options = pinion_loop_options_default();
    CHECK(w && nv <= MOST);
    units_of(m, u.length, unit);
    for (int i = 0; i < nv; i++) {
        step[i] = check_between(&seed, -1, 1) * unit[i];
        v[i] = check_between(&seed, -1, 1) * unit[i];
        tau[i] = check_between(&seed, -5, 5) * u.mass * u.length * u.length / unit[i];
    }
    CHECK_STATUS(pinion_neutral(m, q), PINION_OK);
    CHECK_STATUS(pinion_integrate(m, q, step, 1, q), PINION_OK);
    CHECK_STATUS(pinion_loop_dynamics(m, w, algorithm, &options, q, v, tau, NULL, a, NULL), PINION_OK);
    for (int i = 0; i < nv; i++) a[i] /= unit[i];
    dense_solution ref = {.nv = nv, .rows = pinion_model_row_count(m), .a = a0, .lambda = lambda};
    if (a0) {
        const pinion_constraints at = {NULL, L, NULL, c};
        CHECK_STATUS(pinion_mass_matrix(m, w, q, M), PINION_OK);
        CHECK_STATUS(pinion_inverse_dynamics(m, w, q, v, zero, NULL, h), PINION_OK);
        CHECK_STATUS(pinion_constraints_at(m, w, 0, q, v, &at), PINION_OK);
        dense_solve(&ref, M, h, L, c, tau, 1e-13);
    }
    pinion_work_free(w);
    return !a0 ? 0 : ref.rank == ref.rows ? ref.condition : INFINITY;
}

/* largest difference, of the largest entry */
static double apart(int n, const double *a, const double *b)
{
    double worst = 0, size = 0;
    for (int i = 0; i < n; i++) {
        const double d = fabs(a[i] - b[i]);
        if (!(d <= worst)) worst = d;
        if (fabs(b[i]) > size) size = fabs(b[i]);
    }
    return worst / size;
}

TEST(other_units)
{
    static const units other[] = {{1e-6, 1}, {1e-5, 1e-9}, {1e-4, 1e-9}, {1e-4, 1e9}, {1e-2, 1e-6},
                                  {0.05, 1}, {0.1, 1},     {1, 1e-9},    {1, 1e9},    {10, 1},
                                  {30, 1},   {1e3, 1e9},   {1e6, 1},     {1e6, 1e-9}, {1e6, 1e9}};
    double worst = 0;
    int counted = 0;
    for (int trial = 0; trial < 39; trial++) {
        const uint64_t seed = check_seed + (uint64_t)trial;
        const int kind = trial % 13;
        double a[MOST], a0[MOST];
        pinion_model *m = make(kind, (units){1, 1}, seed);
        if (!m) return;
        const double condition = accelerations(m, (units){1, 1}, seed + 1000, a, a0);
        const int nv = pinion_model_nv(m);
        pinion_model_free(m);
        if (!(condition < 1e4)) continue;
        counted++;
        CHECK_NEAR(apart(nv, a, a0), 0, 1e-10);
        for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
            m = make(kind, other[k], seed);
            if (!m) return;
            (void)accelerations(m, other[k], seed + 1000, a, NULL);
            CHECK_NEAR(apart(nv, a, a0), 0, 1e-9);
            worst = fmax(worst, apart(nv, a, a0));
            pinion_model_free(m);
        }
    }
    CHECK(counted >= 26);
    printf("       %d mechanisms: worst error %.1e\n", counted, worst);
}

/* a ball on a table that tilts on a cart, far from both and fast: what moves it is in its own size */
TEST(a_ball_far_away)
{
    static double M[MOST * MOST], L[MOST * MOST], h[MOST], c[MOST], zero[MOST], lambda[MOST], tau[MOST];
    static const char *const name[] = {"base", "cart", "table", "ball"};
    static const pinion_joint_type type[] = {PINION_JOINT_FIXED, PINION_JOINT_PRISMATIC,
                                             PINION_JOINT_REVOLUTE, PINION_JOINT_FREE};
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("ball");
    for (int i = 0; i < 4; i++) {
        pinion_link_def link = pinion_link_def_default();
        pinion_joint_def joint = pinion_joint_def_default();
        link.name = name[i];
        link.inertia.mass = i ? 4 - i : 0;
        for (int k = 0; i && k < 3; k++) {
            link.inertia.com[k] = 0.02 * (k - 1);
            link.inertia.inertia[k == 0 ? 0 : k == 1 ? 3 : 5] = i == 3 ? 0.004 : 0.2;
        }
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
        if (!i) continue;
        joint.name = name[i];
        joint.type = type[i];
        joint.parent = name[i - 1];
        joint.child = name[i];
        joint.axis[0] = i == 1;
        joint.axis[1] = i != 1;
        joint.axis[2] = 0;
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    pinion_constraint_def rolling = pinion_constraint_def_default();
    rolling.name = "contact";
    rolling.kind = PINION_LOOP_ROLLING;
    rolling.parent = "table";
    rolling.child = "ball";
    rolling.radius = 0.1;
    CHECK_STATUS(pinion_builder_add_constraint(b, &rolling, &err), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    pinion_builder_free(b);
    CHECK(m != NULL);
    if (!m) return;
    pinion_work *w = pinion_work_new(m);
    const int algorithm = pinion_algorithm_find("loop-proximal");
    double q[9], v[8] = {1, 0.1, 3, 90, -20, 9, 2, 0}, a[8], a0[8];
    for (int k = 0; k < 5; k++) {
        const double far[8] = {2, 0.3, 0, 0, 0, pow(10, k - 1), -pow(10, k - 1), 0.1};
        const pinion_constraints at = {NULL, L, NULL, c};
        CHECK_STATUS(pinion_neutral(m, q), PINION_OK);
        CHECK_STATUS(pinion_integrate(m, q, far, 1, q), PINION_OK);
        CHECK_STATUS(pinion_loop_dynamics(m, w, algorithm, NULL, q, v, tau, NULL, a, NULL), PINION_OK);
        CHECK_STATUS(pinion_mass_matrix(m, w, q, M), PINION_OK);
        CHECK_STATUS(pinion_inverse_dynamics(m, w, q, v, zero, NULL, h), PINION_OK);
        CHECK_STATUS(pinion_constraints_at(m, w, 0, q, v, &at), PINION_OK);
        dense_solution ref = {.nv = 8, .rows = 3, .a = a0, .lambda = lambda};
        dense_solve(&ref, M, h, L, c, tau, 1e-20);
        CHECK_NEAR(apart(8, a, a0), 0, k < 4 ? 1e-12 : 1e-10);
        printf("       a ball %g m away: error %.1e\n", far[5], apart(8, a, a0));
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(other_units);
    RUN(a_ball_far_away);
    return CHECK_END();
}
