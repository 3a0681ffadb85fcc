/* Loops at singular positions, where all their rows are zero but for rounding, and rows that are zero wherever the
 * mechanism is: a rod in line with what it moves, a door on two hinges, a triangle that turns. Anywhere in the world
 * and turned any way, so that no number is zero by luck. */
#include "assembled.h"
#include "four_bar.h"

enum { CLOSED_MODEL, OPEN_MODEL };

static void add_bar(pinion_builder *b, const char *name, double length)
{
    pinion_link_def link = pinion_link_def_default();
    link.name = name;
    link.inertia.mass = length > 0 ? 1.2 : 0;
    link.inertia.com[0] = length / 2;
    link.inertia.com[1] = 0.01 * (length > 0);
    link.inertia.inertia[0] = 0.002 * (length > 0);
    link.inertia.inertia[3] = link.inertia.inertia[5] = 0.1 * length * length + 0.002 * (length > 0);
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
}

/* a joint at (x, y, z) of its parent */
static pinion_joint_def joint_at(const char *name, pinion_joint_type type, const char *parent, const char *child,
                                 double x, double y, double z)
{
    pinion_joint_def j = pinion_joint_def_default();
    j.name = name;
    j.type = type;
    j.parent = parent;
    j.child = child;
    j.axis[0] = type == PINION_JOINT_PRISMATIC;
    j.axis[1] = 0;
    j.axis[2] = type != PINION_JOINT_PRISMATIC && type != PINION_JOINT_SPHERICAL;
    j.parent_pose.position[0] = x;
    j.parent_pose.position[1] = y;
    j.parent_pose.position[2] = z;
    return j;
}

/* "ground", turned and put somewhere `far` away, on the world */
static pinion_builder *begin(const char *name, double far, uint64_t *seed)
{
    pinion_builder *b = pinion_builder_new(name);
    add_bar(b, "world", 0);
    add_bar(b, "ground", 0);
    pinion_joint_def fixed = joint_at("fixed", PINION_JOINT_FIXED, "world", "ground", 0, 0, 0);
    fixed.axis[2] = 0;
    fixed.parent_pose = random_pose(seed);
    for (int i = 0; i < 3; i++) fixed.parent_pose.position[i] *= far;
    CHECK_STATUS(pinion_builder_add_joint(b, &fixed, NULL), PINION_OK);
    return b;
}

static pinion_model *finish(pinion_builder *b)
{
    pinion_error err = {0};
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

/* A crank of 0.3 m and a block on a rail at that height, or two cranks (`rail` 0), with a rod of 0.7 m that is in line
 * with the crank and normal to the rail, or with both cranks. At 1 m it is stretched and cannot leave that position,
 * at -0.4 m it folds and can. Without the rod where `open`. */
static pinion_model *rod(double rail, int open, uint64_t seed)
{
    pinion_builder *b = begin("rod", 1, &seed);
    add_bar(b, "crank", 0.3);
    add_bar(b, "other", 0.2);
    pinion_joint_def j = joint_at("A", PINION_JOINT_CONTINUOUS, "ground", "crank", 0, 0, 0);
    CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    j = rail != 0 ? joint_at("S", PINION_JOINT_PRISMATIC, "ground", "other", 0, rail, 0)
                  : joint_at("D", PINION_JOINT_CONTINUOUS, "ground", "other", 0.8, 0, 0);
    CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    pinion_constraint_def def = pinion_constraint_def_default();
    def.name = "rod";
    def.kind = PINION_LOOP_DISTANCE;
    def.parent = "crank";
    def.child = "other";
    def.parent_pose.position[0] = 0.3;
    def.child_pose.position[0] = rail != 0 ? 0 : 0.2;
    def.length = 0.7;
    if (!open) CHECK_STATUS(pinion_builder_add_constraint(b, &def, NULL), PINION_OK);
    return finish(b);
}

/* every algorithm that solves loops gives these accelerations, or those of the default */
static void all_give(const pinion_model *m, pinion_work *w, const double *q, const double *v, const double *a,
                     const char *name)
{
    double found[3], own[3];
    if (!a) CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, NULL, NULL, own), PINION_OK);
    if (!a) a = own;
    const int n = pinion_model_nv(m);
    int count = 0;
    for (int k = 0; k < pinion_algorithm_count(); k++) {
        pinion_algorithm_info info;
        if (pinion_algorithm(k, &info) != PINION_OK || info.problem != PINION_PROBLEM_FORWARD_DYNAMICS) continue;
        if (pinion_algorithm_applies(k, m, NULL) != PINION_OK) continue;
        CHECK_STATUS(pinion_forward_dynamics_by(m, w, k, q, v, NULL, NULL, found), PINION_OK);
        check_count++;
        for (int i = 0; i < n; i++) /* loop-proximal has six digits where rows contradict each other */
            if (!(fabs(found[i] - a[i]) <= 1e-6 * (1 + fabs(a[i]))))
                CHECK_FAIL("%s by %s: %g for %g", name, info.name, found[i], a[i]);
        count++;
    }
    CHECK(count >= 5);
}

/* Exactly there the rod asks for nothing but what the velocities contradict. Nothing has a derivative. */
TEST(a_rod_in_its_singular_position)
{
    for (int trial = 0; trial < 40; trial++) {
        const int again = trial % 3;
        const double rail = trial % 4 == 3 ? 1 : trial % 2 ? -0.4 : 0;
        const uint64_t seed = check_seed + (uint64_t)trial;
        pinion_model *m = rod(rail, CLOSED_MODEL, seed), *tree = rod(rail, OPEN_MODEL, seed);
        pinion_work *w = pinion_work_new(m), *w_tree = pinion_work_new(tree);
        const double q[2] = {(rail != 0 ? M_PI / 2 : 0) + again * 2 * M_PI, rail != 0 ? 0 : -again * 2 * M_PI};
        const double v[2] = {again, 1.5 * again};
        double a[2], dq[4], moved[2] = {q[0], q[1]}, rate[2] = {v[0], v[1]};
        pinion_mobility mobility;
        CHECK_STATUS(pinion_forward_dynamics(tree, w_tree, q, v, NULL, NULL, a), PINION_OK);
        all_give(m, w, q, v, a, "a rod at its singular position");
        CHECK_STATUS(pinion_mobility_at(m, w, 0, q, &mobility), PINION_OK);
        CHECK(mobility.rank == 0 && mobility.freedom == 2 && mobility.doubt == 0);
        CHECK(mobility.singular && mobility.singular_loop == 0 && mobility.open < 1e-12);
        CHECK_STATUS(pinion_d_forward_dynamics(m, w, q, v, NULL, NULL, dq, NULL, NULL), PINION_ERR_SINGULAR);
        CHECK(strstr(pinion_work_message(w), "singular position"));
        CHECK_STATUS(pinion_assemble(m, w, 0, NULL, moved, NULL), PINION_OK);
        CHECK_STATUS(pinion_project_velocity(m, w, 0, NULL, q, rate), PINION_OK);
        for (int i = 0; i < 2; i++) CHECK(fabs(moved[i] - q[i]) < 1e-6 && rate[i] == v[i]);
        pinion_work_free(w);
        pinion_work_free(w_tree);
        pinion_model_free(m);
        pinion_model_free(tree);
    }
}

/* The nearer it is, the more is said: first nothing, then that the rank is in doubt. The dense algorithms agree, and
 * derivatives are right or refused. */
TEST(a_rod_near_its_singular_position)
{
    static const char *const dense[] = {"loop-direct", "loop-multipliers", "loop-divide-and-conquer"};
    uint64_t seed = check_seed;
    int refused = 0, given = 0;
    for (int trial = 0; trial < 60; trial++) {
        pinion_model *m = rod(trial % 2 ? -0.4 : 0, CLOSED_MODEL, seed + (uint64_t)trial);
        pinion_work *w = pinion_work_new(m);
        const double near = pow(10, -12 + 11 * (trial + check_uniform(&seed)) / 60); /* spread, so that each is tried */
        const unsigned char held[2] = {1, 0};
        double q[2] = {(trial % 2 ? M_PI / 2 : 0) + near, 0}, v[2] = {1, 0}, a[2], found[2], dq[4];
        pinion_mobility mobility;
        CHECK_STATUS(pinion_assemble(m, w, 0, held, q, NULL), PINION_OK);
        if (pinion_project_velocity(m, w, 0, held, q, v) != PINION_OK) v[0] = v[1] = 0;
        CHECK_STATUS(pinion_mobility_at(m, w, 0, q, &mobility), PINION_OK);
        CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, NULL, NULL, a), PINION_OK);
        for (int k = 0; k < 3; k++) {
            const int algorithm = pinion_algorithm_find(dense[k]);
            CHECK_STATUS(pinion_forward_dynamics_by(m, w, algorithm, q, v, NULL, NULL, found), PINION_OK);
            for (int i = 0; i < 2; i++) CHECK_NEAR(found[i], a[i], 1e-9 * (1 + fabs(a[0]) + fabs(a[1])));
        }
        if (near > 0.05) CHECK(mobility.doubt == 0 && mobility.rank == 1);
        if (near < 1e-4) CHECK(mobility.doubt > 0 || mobility.rank == 0);
        const pinion_status status = pinion_d_forward_dynamics(m, w, q, v, NULL, NULL, dq, NULL, NULL);
        CHECK(status == PINION_OK || status == PINION_ERR_SINGULAR);
        if (near > 1e-3) CHECK(status == PINION_OK);
        if (near < 1e-6) CHECK(status == PINION_ERR_SINGULAR);
        refused += status != PINION_OK;
        given += status == PINION_OK;
        pinion_work_free(w);
        pinion_model_free(m);
    }
    CHECK(refused > 10 && given > 10);
}

/* A door of which the second hinge, of whatever kind, is on the first one's axis: it swings as on the first alone, next
 * to the world's origin and kilometres away. */
TEST(a_door_on_two_hinges)
{
    static const pinion_joint_type hinge[] = {PINION_JOINT_REVOLUTE, PINION_JOINT_CYLINDRICAL, PINION_JOINT_PLANAR,
                                              PINION_JOINT_SPHERICAL};
    static const double far[] = {0, 1, 1e2, 1e4};
    for (int trial = 0; trial < 64; trial++) {
        pinion_model *m[2];
        double a[2], dq[2], q = 0.1 * trial, v = trial % 5 - 2, tau = 0.3;
        for (int open = 0; open < 2; open++) {
            uint64_t seed = check_seed + (uint64_t)trial;
            pinion_builder *b = begin("door", far[trial / 4 % 4], &seed);
            add_bar(b, "door", 0.8);
            pinion_joint_def j = joint_at("lower", PINION_JOINT_CONTINUOUS, "ground", "door", 0, 0, 0);
            CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
            j = joint_at("upper", hinge[trial % 4], "ground", "door", 0, 0, 1.7);
            j.child_pose.position[2] = 1.7;
            if (!open) CHECK_STATUS(pinion_builder_add_loop(b, &j, NULL), PINION_OK);
            m[open] = finish(b);
            pinion_work *w = pinion_work_new(m[open]);
            CHECK_STATUS(pinion_forward_dynamics(m[open], w, &q, &v, &tau, NULL, &a[open]), PINION_OK);
            CHECK_STATUS(pinion_d_forward_dynamics(m[open], w, &q, &v, &tau, NULL, &dq[open], NULL, NULL), PINION_OK);
            if (!open) all_give(m[0], w, &q, &v, NULL, "a door");
            pinion_mobility mobility = {0};
            double rate = v, there = q;
            if (!open) CHECK_STATUS(pinion_mobility_at(m[0], w, 0, &q, &mobility), PINION_OK);
            CHECK(mobility.rank == 0 && mobility.doubt == 0);
            CHECK_STATUS(pinion_assemble(m[open], w, 0, NULL, &there, NULL), PINION_OK);
            CHECK_STATUS(pinion_project_velocity(m[open], w, 0, NULL, &q, &rate), PINION_OK);
            CHECK(rate == v && fabs(there - q) < 1e-9);
            pinion_work_free(w);
        }
        CHECK_NEAR(a[0], a[1], 1e-12 * (1 + fabs(a[1])));
        CHECK_NEAR(dq[0], dq[1], 1e-10 * (1 + fabs(dq[1])));
        pinion_model_free(m[0]);
        pinion_model_free(m[1]);
    }
}

/* Three bars that are a rigid triangle, about one of its corners: what its loop asks of a motion that turns it is zero
 * but for rounding, which is no contradiction. Any motor can turn it. */
TEST(a_triangle_that_turns)
{
    const double x = (1 + 0.64 - 0.49) / 2, y = sqrt(0.64 - x * x);
    for (int trial = 0; trial < 100; trial++) {
        uint64_t seed = check_seed + (uint64_t)trial;
        pinion_builder *b = begin("triangle", trial % 3, &seed);
        add_bar(b, "a", 1);
        add_bar(b, "b", 0.8);
        add_bar(b, "c", 0.7);
        pinion_joint_def j = joint_at("P", PINION_JOINT_CONTINUOUS, "ground", "a", 0, 0, 0);
        CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
        j = joint_at("B", PINION_JOINT_CONTINUOUS, "a", "b", 0, 0, 0);
        CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
        j = joint_at("C", PINION_JOINT_CONTINUOUS, "a", "c", 1, 0, 0);
        CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
        j = joint_at("L", PINION_JOINT_REVOLUTE, "b", "c", 0.8, 0, 0);
        j.child_pose.position[0] = 0.7;
        CHECK_STATUS(pinion_builder_add_loop(b, &j, NULL), PINION_OK);
        pinion_model *m = finish(b);
        pinion_work *w = pinion_work_new(m);
        double q[3] = {0.05 * trial, atan2(y, x), atan2(y, x - 1)}, v[3] = {1.3, 0, 0}, a[3] = {0.4, 0, 0}, tau[3];
        const unsigned char first[3] = {1, 0, 0};
        CHECK_STATUS(pinion_assemble(m, w, 0, NULL, q, NULL), PINION_OK);
        CHECK_STATUS(pinion_project_velocity(m, w, 0, NULL, q, v), PINION_OK);
        CHECK_STATUS(pinion_project_velocity(m, w, 0, first, q, v), PINION_OK);
        CHECK_STATUS(pinion_project_acceleration(m, w, 0, NULL, q, v, a), PINION_OK);
        CHECK_NEAR(v[0], 1.3, 1e-12);
        CHECK_NEAR(a[0], 0.4, 1e-12);
        CHECK_STATUS(pinion_loop_inverse_dynamics(m, w, NULL, q, v, a, NULL, first, tau, NULL), PINION_OK);
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

/* Two cranks and a rod in a plane that gravity is normal to: at rest no motor is needed, but the forces are zero only
 * up to rounding. In their plane one is. */
TEST(rounding_is_no_missing_force)
{
    for (int trial = 0; trial < 40; trial++) {
        const unsigned char held[2] = {1, 0}, none[2] = {0, 0};
        pinion_model *m = rod(0, CLOSED_MODEL, check_seed + (uint64_t)trial);
        pinion_work *w = pinion_work_new(m);
        double q[2] = {0.7, 1.4}, zero[2] = {0, 0}, tau[2], lambda[1], place[3], turn[9];
        CHECK_STATUS(pinion_frame_pose(m, w, q, pinion_model_find_frame(m, "ground"), place, turn), PINION_OK);
        for (int plane = 0; plane < 2; plane++) {
            const double gravity[3] = {9.81 * turn[2 - plane], 9.81 * turn[5 - plane], 9.81 * turn[8 - plane]};
            CHECK_STATUS(pinion_model_set_gravity(m, gravity), PINION_OK);
            CHECK_STATUS(pinion_assemble(m, w, 0, held, q, NULL), PINION_OK);
            CHECK_STATUS(pinion_loop_inverse_dynamics(m, w, NULL, q, zero, zero, NULL, none, tau, lambda),
                         plane ? PINION_ERR_SINGULAR : PINION_OK);
        }
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

/* A rod whose law makes it shorter than nothing is none: every call that must keep it says so, and when. */
TEST(a_distance_below_zero)
{
    uint64_t seed = check_seed;
    pinion_builder *b = begin("short", 1, &seed);
    add_bar(b, "crank", 0.3);
    add_bar(b, "block", 0.2);
    pinion_joint_def j = joint_at("A", PINION_JOINT_CONTINUOUS, "ground", "crank", 0, 0, 0);
    CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    j = joint_at("S", PINION_JOINT_PRISMATIC, "ground", "block", 0, 0, 0);
    CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    pinion_constraint_def def = pinion_constraint_def_default();
    def.name = "rod";
    def.kind = PINION_LOOP_DISTANCE;
    def.parent = "crank";
    def.child = "block";
    def.parent_pose.position[0] = 0.3;
    def.length = 0.4;
    def.motion.rate = -0.2;
    CHECK_STATUS(pinion_builder_add_constraint(b, &def, NULL), PINION_OK);
    pinion_model *m = finish(b);
    pinion_work *w = pinion_work_new(m);
    for (int late = 0; late < 2; late++) {
        double q[2] = {0.9, 0.2}, v[2] = {1, 0}, a[2] = {0, 0}, dq[4], tau[2];
        const pinion_status expected = late ? PINION_ERR_CONVERGENCE : PINION_OK;
        pinion_loop_options options = pinion_loop_options_default();
        options.t = late ? 2.5 : 1;
        CHECK_STATUS(pinion_assemble(m, w, options.t, NULL, q, NULL), expected);
        if (late) CHECK_HAS(pinion_work_message(w), "makes it -0.1 m long at t = 2.5 s");
        CHECK_STATUS(pinion_project_velocity(m, w, options.t, NULL, q, v), expected);
        CHECK_STATUS(pinion_loop_dynamics(m, w, -1, &options, q, v, NULL, NULL, a, NULL), expected);
        CHECK_STATUS(pinion_loop_dynamics(m, w, pinion_algorithm_find("loop-proximal"), &options, q, v, NULL, NULL, a,
                                          NULL),
                     expected);
        CHECK_STATUS(pinion_loop_inverse_dynamics(m, w, &options, q, v, a, NULL, NULL, tau, NULL), expected);
        pinion_loop_derivatives out = {.a_dq = dq};
        CHECK_STATUS(pinion_d_loop_dynamics(m, w, &options, q, v, NULL, NULL, &out), expected);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Loops that are open by 1e-11 to 1e-7, as a state that was written with few digits has them, with rows that depend on
 * each other and, in a four-bar near its dead centre, some that nearly do. Derivatives are there, and those of the rows
 * that count: rows that depend on each other where loops are closed do so here but for some times what they are open,
 * and the others by more than 1e-4. */
static void check_open(const mechanism *x, double open, uint64_t *seed, const char *name)
{
    const int n = x->n, nq = pinion_model_nq(x->m);
    double *q = numbers(nq), *step = numbers(n), *d[2] = {numbers(n * n), numbers(n * n)}, size = 1;
    pinion_loop_options options = pinion_loop_options_default();
    for (int i = 0; i < n; i++) step[i] = check_between(seed, -1, 1);
    CHECK_STATUS(pinion_integrate(x->m, x->q, step, open, q), PINION_OK);
    for (int k = 0; k < 2; k++) {
        pinion_loop_derivatives out = {.a_dq = d[k]};
        options.tolerance = k ? 1e-10 + 100 * open : 0;
        check_count++;
        if (pinion_d_loop_dynamics(x->m, x->w, &options, q, x->v, x->tau, x->f_ext, &out))
            CHECK_FAIL("%s, open by %g: %s", name, open, pinion_work_message(x->w));
    }
    for (int i = 0; i < n * n; i++) size = fmax(size, fabs(d[0][i]));
    for (int i = 0; i < n * n; i++) CHECK_NEAR(d[0][i], d[1][i], 1e-8 * size);
    free(q), free(step), free(d[0]), free(d[1]);
}

TEST(derivatives_where_loops_are_a_little_open)
{
    static const int pairs[][2] = {{PINION_JOINT_PLANAR, PINION_JOINT_CYLINDRICAL},
                                   {PINION_JOINT_PLANAR, PINION_JOINT_SPHERICAL},
                                   {PINION_JOINT_REVOLUTE, -1}};
    uint64_t seed = check_seed;
    for (int trial = 0; trial < 24; trial++) {
        const double open = pow(10, check_between(&seed, -11, -7));
        const wanted want = {trial % 2, {pairs[trial % 3][0], pairs[trial % 3][1], -1}, {-1}, trial % 3 == 2, 0};
        mechanism x = mechanism_new(&want, &seed);
        if (!x.w) return;
        check_open(&x, open, &seed, "a random mechanism");
        mechanism_free(&x);
    }
    for (int trial = 0; trial < 24; trial++) {
        const double near = pow(10, check_between(&seed, -3, -1)), open = pow(10, check_between(&seed, -9, -6.5));
        double q[3] = {near, near / 2, near}, v[3] = {1, 0, 0}, tau[3] = {0.3, -0.2, 0.5};
        const unsigned char held[3] = {1, 0, 0};
        mechanism x = {.m = four_bar(1, 2), .n = 3, .q = q, .v = v, .tau = tau};
        x.w = x.m ? pinion_work_new(x.m) : NULL;
        if (!x.w) return;
        CHECK_STATUS(pinion_assemble(x.m, x.w, 0, held, q, NULL), PINION_OK);
        CHECK_STATUS(pinion_project_velocity(x.m, x.w, 0, held, q, v), PINION_OK);
        check_open(&x, open, &seed, "a four-bar near its dead centre");
        pinion_work_free(x.w);
        pinion_model_free(x.m);
    }
}

/* Mobility says where derivatives are refused, and nowhere else: not where rows depend on each other wherever the loops
 * move, as in planar four-bars, doors and Bricard's mechanism. */
TEST(mobility_says_what_derivatives_refuse)
{
    uint64_t seed = check_seed;
    for (int trial = 0; trial < 24; trial++) {
        const double near = trial % 3 ? pow(10, check_between(&seed, -8, 0)) : 0;
        double q[3] = {near, near / 2, near}, dq[9];
        const unsigned char held[3] = {1, 0, 0};
        pinion_model *m = four_bar(1, 2);
        pinion_work *w = m ? pinion_work_new(m) : NULL;
        pinion_mobility mobility;
        if (!w) return;
        CHECK_STATUS(pinion_assemble(m, w, 0, held, q, NULL), PINION_OK);
        CHECK_STATUS(pinion_mobility_at(m, w, 0, q, &mobility), PINION_OK);
        const pinion_status status = pinion_d_forward_dynamics(m, w, q, NULL, NULL, NULL, dq, NULL, NULL);
        CHECK(status == (mobility.singular ? PINION_ERR_SINGULAR : PINION_OK));
        CHECK(mobility.singular == (near < 1e-5) || (near > 1e-5 && near < 3e-4)); /* within 2e-5 rad, as rows see it */
        CHECK((mobility.singular_loop == 0) == mobility.singular && mobility.open < 1e-12);
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

/* A parallelogram that lies flat, of a tenth of a millimetre and of a kilometre: rows of directions and of places have
 * other sizes, and none may hide the other. */
TEST(singular_at_every_size)
{
    static const double lengths[] = {1e-4, 1, 1e3};
    static const pinion_joint_type type[] = {PINION_JOINT_CONTINUOUS, PINION_JOINT_CYLINDRICAL, PINION_JOINT_SPHERICAL};
    for (int trial = 0; trial < 9; trial++) {
        uint64_t seed = check_seed + (uint64_t)trial;
        const double size = lengths[trial % 3];
        pinion_builder *b = begin("flat", size, &seed);
        add_bar(b, "left", 0.375 * size);
        add_bar(b, "coupler", size);
        add_bar(b, "right", 0.375 * size);
        const pinion_joint_def joint[] = {
            joint_at("A", PINION_JOINT_CONTINUOUS, "ground", "left", 0, 0, 0),
            joint_at("B", PINION_JOINT_CONTINUOUS, "left", "coupler", 0.375 * size, 0, 0),
            joint_at("D", PINION_JOINT_CONTINUOUS, "ground", "right", size, 0, 0)};
        for (int i = 0; i < 3; i++) CHECK_STATUS(pinion_builder_add_joint(b, &joint[i], NULL), PINION_OK);
        pinion_joint_def loop = joint_at("L", type[trial / 3], "coupler", "right", size, 0, 0);
        if (type[trial / 3] == PINION_JOINT_SPHERICAL) loop.axis[2] = 0;
        loop.child_pose.position[0] = 0.375 * size;
        CHECK_STATUS(pinion_builder_add_loop(b, &loop, NULL), PINION_OK);
        pinion_model *m = finish(b);
        pinion_work *w = m ? pinion_work_new(m) : NULL;
        if (!w) return;
        for (int flat = 0; flat < 2; flat++) {
            const double angle = flat ? 0 : 0.4, q[3] = {angle, -angle, angle}, v[3] = {1, -1, 1};
            double dq[9];
            pinion_mobility mobility;
            CHECK_STATUS(pinion_mobility_at(m, w, 0, q, &mobility), PINION_OK);
            CHECK(mobility.singular == flat && mobility.rank == 2 - flat);
            CHECK_STATUS(pinion_d_forward_dynamics(m, w, q, v, NULL, NULL, dq, NULL, NULL),
                         flat ? PINION_ERR_SINGULAR : PINION_OK);
        }
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

/* How far a loop is open; a joint whose axes are opposite, where all rows are zero, is not closed. */
TEST(mobility_says_how_far_loops_are_open)
{
    uint64_t seed = check_seed;
    pinion_builder *b = begin("folded", 1, &seed);
    add_bar(b, "bar", 0.3);
    pinion_joint_def j = joint_at("A", PINION_JOINT_UNIVERSAL, "ground", "bar", 0, 0, 0);
    j.axis[2] = 0;
    CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    pinion_joint_def loop = joint_at("L", PINION_JOINT_CONTINUOUS, "ground", "bar", 0, 0, 0);
    CHECK_STATUS(pinion_builder_add_joint(b, &loop, NULL), PINION_OK);
    pinion_model *m = finish(b);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    if (!w) return;
    static const double place[][3] = {{0, 0, 0}, {M_PI, 0, M_PI}, {0.2, 0, 0.198669330795061}, {1.2, 0, 1.2}};
    for (int i = 0; i < 4; i++) {
        pinion_mobility mobility;
        CHECK_STATUS(pinion_mobility_at(m, w, 0, place[i], &mobility), PINION_OK);
        CHECK(mobility.open_loop == 0);
        CHECK_NEAR(mobility.open, place[i][2], 1e-12);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* A bed on two lead screws: rows of gears that differ by a ratio alone, however small, are two, and the bed moves in
 * one way. With x = r m, the bed weighs 3 kg beside two screws of J / r^2. */
TEST(two_screws)
{
    static const double ratio[] = {1, 1e-2, 1e-3, 4e-6, 1e-8};
    for (size_t i = 0; i < sizeof ratio / sizeof ratio[0]; i++) {
        static const char *const links[] = {"base", "bed", "left", "right"}, *const joints[] = {"z", "m", "k"};
        const double r = ratio[i], J = 3e-6, tau[3] = {0, 0.01, 0}, none[3] = {0, 0, 0};
        pinion_builder *b = pinion_builder_new("bed");
        CHECK_STATUS(pinion_builder_set_gravity(b, none, NULL), PINION_OK);
        for (int k = 0; k < 4; k++) {
            pinion_link_def link = pinion_link_def_default();
            link.name = links[k];
            link.inertia.mass = k == 1 ? 3 : k ? 0.2 : 0;
            for (int e = 0; k > 1 && e < 6; e++) link.inertia.inertia[e] = e == 0 || e == 3 || e == 5 ? J : 0;
            CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
        }
        for (int k = 0; k < 3; k++) {
            pinion_joint_def joint = pinion_joint_def_default();
            joint.name = joints[k];
            joint.type = k ? PINION_JOINT_CONTINUOUS : PINION_JOINT_PRISMATIC;
            joint.parent = links[0];
            joint.child = links[k + 1];
            joint.axis[0] = 0;
            joint.axis[2] = 1;
            CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
        }
        for (int k = 0; k < 2; k++) {
            pinion_constraint_def gear = pinion_constraint_def_default();
            gear.name = k ? "g" : "h";
            gear.kind = PINION_LOOP_GEAR;
            gear.first = joints[k + 1];
            gear.second = joints[0];
            gear.ratio = r;
            CHECK_STATUS(pinion_builder_add_constraint(b, &gear, NULL), PINION_OK);
        }
        pinion_model *m = finish(b);
        pinion_work *w = pinion_work_new(m);
        const double q[3] = {0, 0, 0}, turn = tau[1] / (3 * r * r + 2 * J);
        double a[3];
        pinion_mobility mobility;
        CHECK_STATUS(pinion_mobility_at(m, w, 0, q, &mobility), PINION_OK);
        CHECK(mobility.rank == 2 && mobility.doubt == 0 && !mobility.singular);
        CHECK_STATUS(pinion_forward_dynamics(m, w, q, NULL, tau, NULL, a), PINION_OK);
        CHECK_NEAR(a[0], r * turn, 1e-9 * r * turn);
        CHECK_NEAR(a[1], turn, 1e-9 * turn);
        CHECK_NEAR(a[2], turn, 1e-9 * turn);
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(mobility_says_what_derivatives_refuse);
    RUN(singular_at_every_size);
    RUN(mobility_says_how_far_loops_are_open);
    RUN(a_rod_in_its_singular_position);
    RUN(a_rod_near_its_singular_position);
    RUN(a_door_on_two_hinges);
    RUN(a_triangle_that_turns);
    RUN(rounding_is_no_missing_force);
    RUN(a_distance_below_zero);
    RUN(derivatives_where_loops_are_a_little_open);
    RUN(two_screws);
    return CHECK_END();
}
