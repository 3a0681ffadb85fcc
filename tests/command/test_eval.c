/* What `pinion eval` answers: the contract that other programs rely on. */
#define _DEFAULT_SOURCE
#include "command.h"
#include "fixtures.h"

static const char *const files[] = {
    "pendulum.urdf", "sliders.json", "massless.json", "loop.json", "hostile.json", "states.json", NULL};

static const char *pendulum(void)
{
    return write_file("pendulum.urdf", PENDULUM);
}

/* The answer of a run that must succeed. */
static json_t *evaluate(const char *model, const char *states, const char *what)
{
    answer a = run(states, "eval", model, "--states", "-", "--what", what, "--limits-check", "off",
                   (const char *)NULL);
    return parse_answer(&a, 0);
}

TEST(every_quantity)
{
    const double q = 0.3, v = -0.7, a = 1.1, tau = 2.5, c = cos(q), s = sin(q), g = 9.81 * s, e = 1e-14;
    json_t *r =
        evaluate(pendulum(), "{\"states\": [{\"q\": [0.3], \"v\": [-0.7], \"a\": [1.1], \"tau\": [2.5]}]}",
                 "inverse_dynamics,gravity,bias,velocity:tool,acceleration:tool,mass_matrix,"
                 "forward_dynamics,frames,jacobian:tool,energy,com,momentum");
    CHECK_KEYS(r, "model states");
    CHECK(json_array_size(DIG(r, "states")) == 1);
    json_t *x = DIG(r, "states", "0");
    CHECK_KEYS(x,
               "inverse_dynamics gravity bias velocity:tool acceleration:tool mass_matrix forward_dynamics "
               "frames jacobian:tool energy com momentum");

    CHECK_NUMBERS(DIG(x, "inverse_dynamics"), e, 0.7 * a + g);
    CHECK_NUMBERS(DIG(x, "gravity"), e, g);
    CHECK_NUMBERS(DIG(x, "bias"), e, g);
    CHECK_NUMBERS(DIG(x, "forward_dynamics"), e, (tau - g) / 0.7);
    CHECK(json_array_size(DIG(x, "mass_matrix")) == 1);
    CHECK_NUMBERS(DIG(x, "mass_matrix", "0"), e, 0.7);

    /* angular part first, at the frame's origin, along the world's axes; the acceleration is the classical
     * one */
    CHECK_NUMBERS(DIG(x, "velocity:tool"), e, 0, v, 0, -c * v, 0, s * v);
    CHECK_NUMBERS(DIG(x, "acceleration:tool"), e, 0, a, 0, -c * a + s * v * v, 0, s * a + c * v * v);
    static const char *const row[] = {"0", "1", "2", "3", "4", "5"};
    const double J[6] = {0, 1, 0, -c, 0, s};
    CHECK(json_array_size(DIG(x, "jacobian:tool")) == 6);
    for (int i = 0; i < 6; i++) CHECK_NUMBERS(DIG(x, "jacobian:tool", row[i]), e, J[i]);

    /* every link by name */
    CHECK_KEYS(DIG(x, "frames"), "base arm tool");
    CHECK_KEYS(DIG(x, "frames", "tool"), "position rotation");
    CHECK_NUMBERS(DIG(x, "frames", "base", "position"), 0, 0, 0, 0);
    CHECK_NUMBERS(DIG(x, "frames", "tool", "position"), e, -s, 0, -c);
    CHECK_NUMBERS(DIG(x, "frames", "tool", "rotation", "0"), e, c, 0, s);
    CHECK_NUMBERS(DIG(x, "frames", "tool", "rotation", "1"), e, 0, 1, 0);
    CHECK_NUMBERS(DIG(x, "frames", "tool", "rotation", "2"), e, -s, 0, c);

    CHECK_KEYS(DIG(x, "energy"), "kinetic potential");
    CHECK_NEAR(json_number_value(DIG(x, "energy", "kinetic")), 0.35 * v * v, e);
    CHECK_NEAR(json_number_value(DIG(x, "energy", "potential")), -9.81 * c, e);
    CHECK_KEYS(DIG(x, "com"), "mass position velocity");
    CHECK_NEAR(json_number_value(DIG(x, "com", "mass")), 2, 0);
    CHECK_NUMBERS(DIG(x, "com", "position"), e, -0.5 * s, 0, -0.5 * c);
    CHECK_NUMBERS(DIG(x, "com", "velocity"), e, -0.5 * c * v, 0, 0.5 * s * v);
    CHECK_NUMBERS(DIG(x, "momentum"), e, 0, 0.2 * v, 0, -c * v, 0, s * v);
    json_decref(r);
}

/* tau = 0.7 a + 9.81 sin q, and 0.3 v more for the damper where passive elements are on */
TEST(derivatives)
{
    const double v = -0.7, a = 1.1, c = cos(0.3), s = sin(0.3), g = 9.81 * c, e = 1e-13;
    static const char *const row[] = {"0", "1", "2", "3", "4", "5"};
    for (int passive = 0; passive < 2; passive++) {
        answer out = run("{\"states\": [{\"q\": [0.3], \"v\": [-0.7], \"a\": [1.1], \"tau\": [2.5]}]}", "eval",
                         pendulum(), "--states", "-", "--passive", passive ? "on" : "off", "--what",
                         "d_inverse_dynamics,d_forward_dynamics,d_frame:tool,regressor,d_forward_dynamics_f_ext,"
                         "d_energy,d_momentum,joint_regressor", (const char *)NULL);
        json_t *r = parse_answer(&out, 0), *x = DIG(r, "states", "0");
        const double damper = passive ? 0.3 : 0;
        CHECK_KEYS(DIG(x, "d_inverse_dynamics"), "dq dv da");
        CHECK_NUMBERS(DIG(x, "d_inverse_dynamics", "dq", "0"), e, g);
        CHECK_NUMBERS(DIG(x, "d_inverse_dynamics", "dv", "0"), e, damper);
        CHECK_NUMBERS(DIG(x, "d_inverse_dynamics", "da", "0"), e, 0.7);
        CHECK_KEYS(DIG(x, "d_forward_dynamics"), "dq dv dtau");
        CHECK_NUMBERS(DIG(x, "d_forward_dynamics", "dq", "0"), e, -g / 0.7);
        CHECK_NUMBERS(DIG(x, "d_forward_dynamics", "dv", "0"), e, -damper / 0.7);
        CHECK_NUMBERS(DIG(x, "d_forward_dynamics", "dtau", "0"), e, 1 / 0.7);

        /* the ten parameters of the one body: of them its first moment and Iyy have a part in this */
        CHECK_NUMBERS(DIG(x, "regressor", "0"), e, 0, -9.81 * c, 0, -9.81 * s, 0, 0, 0, a, 0, 0);

        /* rotor, damper and friction, of which there is that against negative motion */
        CHECK_NUMBERS(DIG(x, "joint_regressor", "0"), e, a, v, 0, -1);
        CHECK_NUMBERS(DIG(x, "d_forward_dynamics_f_ext", "0", "0"), 0, 0, 0, 0, 0, 0, 0);
        CHECK_NUMBERS(DIG(x, "d_forward_dynamics_f_ext", "0", "1"), e, 0, 1 / 0.7, 0, 0, 0, 0);
        CHECK_KEYS(DIG(x, "d_energy"), "dq_kinetic dv_kinetic dq_potential");
        CHECK_NUMBERS(DIG(x, "d_energy", "dq_kinetic"), e, 0);
        CHECK_NUMBERS(DIG(x, "d_energy", "dv_kinetic"), e, 0.7 * v);
        CHECK_NUMBERS(DIG(x, "d_energy", "dq_potential"), e, 9.81 * s);
        CHECK_KEYS(DIG(x, "d_momentum"), "dq dv");
        const double momentum[2][6] = {{0, 0, 0, s * v, 0, c * v}, {0, 0.2, 0, -c, 0, s}};
        for (int i = 0; i < 6; i++) CHECK_NUMBERS(DIG(x, "d_momentum", "dq", row[i]), e, momentum[0][i]);
        for (int i = 0; i < 6; i++) CHECK_NUMBERS(DIG(x, "d_momentum", "dv", row[i]), e, momentum[1][i]);

        /* of velocity [0 v 0; -c v, 0, s v] and acceleration [0 a 0; s v^2 - c a, 0, s a + c v^2] */
        json_t *frame = DIG(x, "d_frame:tool");
        const double by[5][6] = {{0, 0, 0, s * v, 0, c * v},
                                 {0, 1, 0, -c, 0, s},
                                 {0, 0, 0, s * a + c * v * v, 0, c * a - s * v * v},
                                 {0, 0, 0, 2 * s * v, 0, 2 * c * v},
                                 {0, 1, 0, -c, 0, s}};
        static const char *const key[] = {"dq_velocity", "dv_velocity", "dq_acceleration", "dv_acceleration",
                                          "da_acceleration"};
        for (int k = 0; k < 5; k++)
            for (int i = 0; i < 6; i++) CHECK_NUMBERS(DIG(frame, key[k], row[i]), e, by[k][i]);
        json_decref(r);
    }
}

TEST(missing_parts_are_zero_and_states_keep_their_order)
{
    json_t *r = evaluate(pendulum(),
                         "{\"states\": [{\"q\": [1]}, {\"q\": [2], \"a\": [1]}, {\"q\": [3], \"tau\": [7]}]}",
                         "inverse_dynamics,forward_dynamics");
    CHECK(json_array_size(DIG(r, "states")) == 3);
    CHECK_NUMBERS(DIG(r, "states", "0", "inverse_dynamics"), 1e-14, 9.81 * sin(1));
    CHECK_NUMBERS(DIG(r, "states", "1", "inverse_dynamics"), 1e-14, 0.7 + 9.81 * sin(2));
    CHECK_NUMBERS(DIG(r, "states", "2", "forward_dynamics"), 1e-13, (7 - 9.81 * sin(3)) / 0.7);
    json_decref(r);
}

TEST(model_is_what_info_prints)
{
    answer a = run(NULL, "info", pendulum(), "--json", (const char *)NULL);
    json_t *info = parse_answer(&a, 0), *r = evaluate(pendulum(), "{\"states\": []}", "gravity");
    CHECK(json_equal(info, DIG(r, "model")));
    CHECK(json_is_array(DIG(r, "states")) && json_array_size(DIG(r, "states")) == 0);
    json_decref(info);
    json_decref(r);
}

/* A force on a link is given in that link's frame; on what is welded to the world it does nothing. */
TEST(external_forces)
{
    const double g = 9.81 * sin(0.3);
    json_t *r = evaluate(
        pendulum(),
        "{\"states\": [{\"q\": [0.3], \"f_ext\": {\"tool\": [1, 2, 3, 4, 5, 6]}},"
        " {\"q\": [0.3], \"f_ext\": {\"arm\": [1, 2, 3, 4, 5, 6], \"tool\": [0, 1, 0, 0, 0, 0]}},"
        " {\"q\": [0.3], \"f_ext\": {\"base\": [1, 2, 3, 4, 5, 6]}}, {\"q\": [0.3], \"f_ext\": {}}]}",
        "inverse_dynamics,forward_dynamics,gravity,bias");
    const double torque[4] = {2 - 4, 2 + 1, 0, 0};
    static const char *const index[] = {"0", "1", "2", "3"};
    for (int i = 0; i < 4; i++) {
        CHECK_NUMBERS(DIG(r, "states", index[i], "inverse_dynamics"), 1e-14, g - torque[i]);
        CHECK_NUMBERS(DIG(r, "states", index[i], "forward_dynamics"), 1e-13, (torque[i] - g) / 0.7);
        CHECK_NUMBERS(DIG(r, "states", index[i], "gravity"), 1e-14, g);
        CHECK_NUMBERS(DIG(r, "states", index[i], "bias"), 1e-14, g);
    }
    json_decref(r);
}

TEST(passive_forces_only_when_asked)
{
    static const char states[] = "{\"states\": [{\"q\": [0], \"v\": [2], \"a\": [1], \"tau\": [5]}]}";
    static const char *const how[] = {"off", "on"};
    for (int on = 0; on < 2; on++) {
        answer a = run(states, "eval", pendulum(), "--states=-", "--what=inverse_dynamics,forward_dynamics",
                       "--passive", how[on], (const char *)NULL);
        json_t *r = parse_answer(&a, 0);
        const double passive = on ? -0.3 * 2 - 0.4 : 0;
        CHECK_NUMBERS(DIG(r, "states", "0", "inverse_dynamics"), 1e-14, 0.7 - passive);
        CHECK_NUMBERS(DIG(r, "states", "0", "forward_dynamics"), 1e-13, (5 + passive) / 0.7);
        json_decref(r);
    }
    /* springs are potential energy only then: V = m g z, and 1/2 100 (0.3 - 0.1)^2 */
    const char *sliders = write_file("sliders.json", SLIDERS);
    for (int on = 0; on < 2; on++) {
        answer a = run("{\"states\": [{\"q\": [0.3]}]}", "eval", sliders, "--states", "-", "--what", "energy",
                       "--passive", how[on], (const char *)NULL);
        json_t *r = parse_answer(&a, 0);
        double weight = 9.81 * (2 * 0.3 + 1 * (0.5 * 0.3 + 0.25));
        CHECK_NEAR(json_number_value(DIG(r, "states", "0", "energy", "potential")), weight + (on ? 2 : 0),
                   1e-13);
        json_decref(r);
    }
}

/* A slider with a damper in a wind of 0.5 m/s: each kind by itself, and all of them in forward dynamics. */
TEST(drag_is_a_kind_of_its_own)
{
    const char *slider = write_file(
        "sliders.json", "{\"pinion\": 1, \"name\": \"s\", \"links\": [{\"name\": \"world\"}, {\"name\": \"a\", "
                       "\"mass\": 2, \"drag\": {\"linear\": [0, 0, 0, 2, 0, 0], \"quadratic\": [0, 0, 0, 3, 0, 0], "
                       "\"wind\": [0.5, 0, 0]}}], \"joints\": [{\"name\": \"j\", \"type\": \"prismatic\", "
                       "\"parent\": \"world\", \"child\": \"a\", \"axis\": [1, 0, 0], \"damping\": 0.3}]}");
    answer a = run("{\"states\": [{\"q\": [0], \"v\": [2], \"tau\": [5]}]}", "eval", slider, "--states=-",
                   "--what=passive_forces,forward_dynamics", "--passive=on", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    const double drag = -2 * 1.5 - 3 * 1.5 * 1.5;
    CHECK_NUMBERS(DIG(r, "states", "0", "passive_forces", "springs"), 1e-15, 0.0);
    CHECK_NUMBERS(DIG(r, "states", "0", "passive_forces", "dampers"), 1e-14, -0.6);
    CHECK_NUMBERS(DIG(r, "states", "0", "passive_forces", "drag"), 1e-14, drag);
    CHECK_NUMBERS(DIG(r, "states", "0", "forward_dynamics"), 1e-14, (5 - 0.6 + drag) / 2);
    json_decref(r);
}

TEST(mimic_follows_or_is_independent)
{
    const char *sliders = write_file("sliders.json", SLIDERS);
    json_t *r = evaluate(sliders, "{\"states\": [{\"q\": [0], \"tau\": [1]}]}",
                         "mass_matrix,gravity,forward_dynamics");
    CHECK_NUMBERS(DIG(r, "states", "0", "mass_matrix", "0"), 1e-14, 2 + 0.25);
    CHECK_NUMBERS(DIG(r, "states", "0", "gravity"), 1e-13, 9.81 * 2.5);
    CHECK_NUMBERS(DIG(r, "states", "0", "forward_dynamics"), 1e-13, (1 - 9.81 * 2.5) / 2.25);
    json_decref(r);

    answer a = run("{\"states\": [{\"q\": [0, 0], \"tau\": [1, 2]}]}", "eval", sliders, "--mimic",
                   "independent", "--states", "-", "--what", "forward_dynamics", (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK_NUMBERS(DIG(r, "states", "0", "forward_dynamics"), 1e-13, 0.5 - 9.81, 2 - 9.81);
    json_decref(r);
}

/* q of a free root: quaternion w, x, y, z, then position; v: angular, then linear, in the body. */
TEST(free_root)
{
    answer a = run("{\"states\": [{\"q\": [0.7071067811865476, 0, 0, 0.7071067811865476, 1, 2, 3, 0],"
                   " \"v\": [0, 0, 0, 1, 0, 0, 0]}]}",
                   "eval", pendulum(), "--root", "free", "--states", "-", "--what",
                   "gravity,frames,velocity:base,com,forward_dynamics", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *x = DIG(r, "states", "0");
    CHECK_TEXT(DIG(r, "model", "joints", "0", "name"), "root");
    CHECK_TEXT(DIG(r, "model", "joints", "0", "type"), "free");
    CHECK_TEXT(DIG(r, "model", "joints", "0", "parent"), "world");
    CHECK_TEXT(DIG(r, "model", "joints", "0", "child"), "base");
    CHECK_NUMBERS(DIG(x, "gravity"), 1e-13, 0, 0, 0, 0, 0, 5 * 9.81, 0);
    CHECK_NUMBERS(DIG(x, "frames", "base", "position"), 0, 1, 2, 3);
    CHECK_NUMBERS(DIG(x, "frames", "base", "rotation", "0"), 1e-15, 0, -1, 0);
    CHECK_NUMBERS(DIG(x, "velocity:base"), 1e-15, 0, 0, 0, 0, 1, 0);
    CHECK_NEAR(json_number_value(DIG(x, "com", "mass")), 5, 0);
    CHECK_NUMBERS(DIG(x, "com", "position"), 1e-14, 1, 2, 3 - 0.2);
    CHECK_NUMBERS(DIG(x, "forward_dynamics"), 1e-12, 0, 0, 0, 0, 0, -9.81, 0);
    json_decref(r);
}

TEST(gravity_option)
{
    answer a = run("{\"states\": [{\"q\": [0]}]}", "eval", pendulum(), "--gravity", "-2,0,0", "--states", "-",
                   "--what", "gravity", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK_NUMBERS(DIG(r, "model", "gravity"), 0, -2, 0, 0);
    CHECK_NUMBERS(DIG(r, "states", "0", "gravity"), 1e-14, -2);
    json_decref(r);
}

/* What is printed reads back as the same double: the frame's position is q itself. */
TEST(numbers_round_trip)
{
    const char *sliders = write_file("sliders.json", SLIDERS);
    uint64_t seed = check_seed;
    for (int i = 0; i < 20; i++) {
        char states[200];
        double q = ldexp(check_between(&seed, -1, 1), i * 3 - 30);
        snprintf(states, sizeof states, "{\"states\": [{\"q\": [%.17g]}]}", q);
        json_t *r = evaluate(sliders, states, "frames");
        CHECK_NUMBERS(DIG(r, "states", "0", "frames", "one", "position"), 0, 0, 0, q);
        json_decref(r);
    }
}

/* Whole numbers, also those beyond 64 bits, are numbers too. */
TEST(huge_numbers)
{
    json_t *r = evaluate(write_file("sliders.json", SLIDERS),
                         "{\"states\": [{\"q\": [100000000000000000000000]}]}", "frames");
    CHECK_NUMBERS(DIG(r, "states", "0", "frames", "one", "position"), 0, 0, 0, 1e23);
    json_decref(r);

    /* v^2 overflows: null, a line that names state and quantity, exit status 1, and the rest is there */
    answer a = run("{\"states\": [{\"q\": [0]}, {\"q\": [0], \"v\": [1e200]}]}", "eval", pendulum(),
                   "--states", "-", "--what", "gravity,energy,velocity:arm", "--limits-check", "off",
                   (const char *)NULL);
    CHECK_HAS(a.err, "pinion eval: ");
    CHECK_HAS(a.err, "states[1]");
    CHECK_HAS(a.err, "energy");
    CHECK(lines_of(a.err) == 1);
    r = parse_answer(&a, 1);
    CHECK_NEAR(json_number_value(DIG(r, "states", "0", "energy", "kinetic")), 0, 0);
    CHECK(json_is_null(DIG(r, "states", "1", "energy", "kinetic")));
    CHECK_NUMBERS(DIG(r, "states", "1", "gravity"), 0, 0);
    CHECK_NUMBERS(DIG(r, "states", "1", "velocity:arm"), 0, 0, 1e200, 0, 0, 0, 0);
    json_decref(r);
}

TEST(singular_mass_matrix_is_null)
{
    const char *massless = write_file("massless.json", MASSLESS);
    answer a = run("{\"states\": [{\"q\": [0]}, {\"q\": [1], \"tau\": [1]}]}", "eval", massless, "--states",
                   "-", "--what", "inverse_dynamics,forward_dynamics,mass_matrix", (const char *)NULL);
    CHECK_HAS(a.err, "states[0]: forward_dynamics is null: ");
    CHECK_HAS(a.err, "states[1]: forward_dynamics is null: ");
    CHECK_HAS(a.err, "singular");
    CHECK_HAS(a.err, "hinge");
    CHECK(lines_of(a.err) == 2);
    json_t *r = parse_answer(&a, 1);
    for (size_t i = 0; i < 2; i++) {
        json_t *x = json_array_get(DIG(r, "states"), i);
        CHECK(json_is_null(DIG(x, "forward_dynamics")));
        CHECK_NUMBERS(DIG(x, "inverse_dynamics"), 0, 0);
        CHECK_NUMBERS(DIG(x, "mass_matrix", "0"), 0, 0);
    }
    json_decref(r);

    /* without mass there is no centre of mass */
    a = run("{\"states\": [{\"q\": [0]}]}", "eval", massless, "--states", "-", "--what", "com,momentum",
            (const char *)NULL);
    CHECK(lines_of(a.err) == 1);
    CHECK_HAS(a.err, "states[0]: com is not finite: nothing that can move has mass");
    r = parse_answer(&a, 1);
    CHECK(json_is_null(DIG(r, "states", "0", "com", "position", "0")));
    CHECK_NEAR(json_number_value(DIG(r, "states", "0", "com", "mass")), 0, 0);
    CHECK_NUMBERS(DIG(r, "states", "0", "momentum"), 0, 0, 0, 0, 0, 0, 0);
    json_decref(r);
}

/* Complaints are counted, not repeated without end. */
TEST(many_bad_results_get_few_lines)
{
    char states[4000] = "{\"states\": [{\"q\": [0]}";
    for (int i = 0; i < 99; i++) strcat(states, ", {\"q\": [0]}");
    strcat(states, "]}");
    answer a = run(states, "eval", write_file("massless.json", MASSLESS), "--states", "-", "--what",
                   "forward_dynamics", (const char *)NULL);
    CHECK(lines_of(a.err) == 21);
    CHECK_HAS(a.err, "80 more");
    json_t *r = parse_answer(&a, 1);
    CHECK(json_array_size(DIG(r, "states")) == 100);
    json_decref(r);
}

/* Two bars of 1 m in one line, pinned at both ends and where they meet: they move against each other there, however
 * they are driven, a_left = -a_right, and the torques share the inertia of both. */
TEST(loops_are_never_solved_as_a_tree)
{
    answer a = run("{\"states\": [{\"q\": [0, 0], \"tau\": [3, 1]}]}", "eval", write_file("loop.json", LOOP),
                   "--states", "-", "--what", "forward_dynamics,mass_matrix", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "loop 'pin' is at a singular position"); /* both bars are stretched, and cannot move at all */
    json_t *r = json_loads(a.out, 0, NULL);
    forget(&a);
    CHECK_NUMBERS(DIG(r, "states", "0", "forward_dynamics"), 1e-12, 1, -1);
    CHECK_NUMBERS(DIG(r, "states", "0", "mass_matrix", "1"), 1e-15, 0, 1);
    CHECK_TEXT(DIG(r, "model", "loops", "0", "name"), "pin");
    json_decref(r);
}

/* Frame names may hold anything: colons as they are, commas and backslashes after a backslash. */
TEST(names_with_commas_and_colons)
{
    const char *hostile = write_file("hostile.json", HOSTILE);
    json_t *r = evaluate(
        hostile, "{\"states\": [{\"q\": [0, 0], \"f_ext\": {\"c:d:\\\"e\\\\f\": [0, 0, 1, 0, 0, 0]}}]}",
        "velocity:a\\,b, jacobian:c:d:\"e\\\\f,inverse_dynamics,frames,velocity:a\\,b");
    CHECK_KEYS(DIG(r, "states", "0"), "velocity:a,b jacobian:c:d:\"e\\f inverse_dynamics frames");
    CHECK_NUMBERS(DIG(r, "states", "0", "jacobian:c:d:\"e\\f", "2"), 1e-15, 1, 0);
    CHECK_NUMBERS(DIG(r, "states", "0", "inverse_dynamics"), 1e-15, -1, 0);
    CHECK_KEYS(DIG(r, "states", "0", "frames"), "a,b c:d:\"e\\f \u00fc\u4e2d\u200b");
    json_decref(r);
}

TEST(states_from_a_file_and_model_from_stdin)
{
    const char *states = write_file("states.json", "{\"states\": [{\"q\": [0.5]}]}");
    answer a = run(PENDULUM, "eval", "-", "--states", states, "--what", "gravity", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK_NUMBERS(DIG(r, "states", "0", "gravity"), 1e-14, 9.81 * sin(0.5));
    json_decref(r);

    /* --json changes nothing: the answer is JSON anyway */
    a = run(NULL, "eval", "--json", "--states", states, "--what=gravity", "--", pendulum(),
            (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK(DIG(r, "states", "0", "gravity") != NULL);
    json_decref(r);
}

/* Numbers published with the Robotics Toolbox for the PUMA 560, classic DH (Corke). */
TEST(published_puma_numbers)
{
    const char *puma = bundled("puma560-corke.json");
    static const char qn[] = "0, 0.78539816339744831, 3.1415926535897931, 0, 0.78539816339744831, 0";
    char states[600];
    snprintf(states, sizeof states,
             "{\"states\": [{\"q\": [%s]}, {\"q\": [0, 0, 0, 0, 0, 0]}, {\"q\": [%s], \"a\": [1, 1, 1, 1, 1, "
             "1]}]}",
             qn, qn);
    json_t *r = evaluate(puma, states, "inverse_dynamics");
    CHECK_NUMBERS(DIG(r, "states", "0", "inverse_dynamics"), 1e-6, 0, 31.639880, 6.035138, 0, 0.028253, 0);
    CHECK_NUMBERS(DIG(r, "states", "1", "inverse_dynamics"), 1e-6, 0, 37.483667, 0.248929, 0, 0, 0);
    CHECK_NUMBERS(DIG(r, "states", "2", "inverse_dynamics"), 1e-4, 3.35311, 36.0025, 7.42596, .190043,
                  .203441, .194133);
    json_decref(r);

    /* with friction */
    snprintf(states, sizeof states,
             "{\"states\": [{\"q\": [%s], \"v\": [1, 1, 1, 1, 1, 1], \"a\": [1, 1, 1, 1, 1, 1]}]}", qn);
    answer a = run(states, "eval", puma, "--passive", "on", "--states", "-", "--what", "inverse_dynamics",
                   (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK_NUMBERS(DIG(r, "states", "0", "inverse_dynamics"), 1e-4, 32.4952, 60.867, 17.7436, 1.45452, 1.29911,
                  .713781);
    json_decref(r);

    /* the tool presses on the world, so the world presses back */
    snprintf(states, sizeof states,
             "{\"states\": [{\"q\": [%s], \"f_ext\": {\"link6\": [-1, -2, -3, -1, -2, -3]}}]}", qn);
    r = evaluate(puma, states, "inverse_dynamics");
    CHECK_NUMBERS(DIG(r, "states", "0", "inverse_dynamics"), 1e-4, .642756, 29.0866, 4.70321, 2.82843,
                  -1.97175, 3);
    json_decref(r);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(every_quantity);
    RUN(derivatives);
    RUN(missing_parts_are_zero_and_states_keep_their_order);
    RUN(model_is_what_info_prints);
    RUN(external_forces);
    RUN(passive_forces_only_when_asked);
    RUN(drag_is_a_kind_of_its_own);
    RUN(mimic_follows_or_is_independent);
    RUN(free_root);
    RUN(gravity_option);
    RUN(numbers_round_trip);
    RUN(huge_numbers);
    RUN(singular_mass_matrix_is_null);
    RUN(many_bad_results_get_few_lines);
    RUN(loops_are_never_solved_as_a_tree);
    RUN(names_with_commas_and_colons);
    RUN(states_from_a_file_and_model_from_stdin);
    RUN(published_puma_numbers);
    return command_end(files);
}
