/* `pinion linearize`: the answer in each form, the states it finds, and what it refuses. */
#define _DEFAULT_SOURCE
#include "command.h"

static const char *const files[] = {"out.m", "out.csv", "out.json", "limited.json", "flat.json",
                                    "rod.json", "forces.json", NULL};

static double number(json_t *A, size_t i, size_t j)
{
    return json_number_value(json_array_get(json_array_get(A, i), j));
}

TEST(json_has_the_matrices_and_names)
{
    answer a =
        run(NULL, "linearize", bundled("cart-pole.json"), "--equilibrium", "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK_KEYS(r, "model states inputs A B eigenvalues modes state warnings");
    CHECK_TEXT(DIG(r, "states", "0"), "q.slide");
    CHECK_TEXT(DIG(r, "states", "3"), "v.pivot");
    CHECK(json_array_size(DIG(r, "A")) == 4 && json_array_size(DIG(r, "B")) == 4 &&
          json_array_size(DIG(r, "modes")) == 4);
    CHECK(number(DIG(r, "A"), 0, 2) == 1 && number(DIG(r, "A"), 1, 3) == 1);
    /* (M d/dt^2 - K) is the same at the eigenvalue: w^2 of the pole is in A */
    CHECK_NEAR(number(DIG(r, "eigenvalues"), 2, 1), sqrt(-number(DIG(r, "A"), 3, 1)), 1e-9);
    json_decref(r);
}

/* the motors hold the arm: no acceleration is left */
TEST(held_states_are_at_rest)
{
    answer a = run(NULL, "linearize", bundled("planar-3r.json"), "--q0", "joint1=0.4", "--hold", "--json",
                   (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    for (size_t i = 0; i < 3; i++)
        CHECK_NEAR(json_number_value(json_array_get(DIG(r, "state", "a"), i)), 0, 1e-9);
    CHECK(json_array_size(DIG(r, "warnings")) == 0);
    CHECK(json_number_value(json_array_get(DIG(r, "state", "tau"), 0)) != 0);
    json_decref(r);
}

TEST(motions_and_loops_are_told)
{
    answer a = run(NULL, "linearize", bundled("planar-3r.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "no state of rest");
    forget(&a);
    a = run(NULL, "linearize", bundled("four-bar.json"), "--equilibrium", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(!strstr(a.err, "note"));
    CHECK_HAS(a.out, "2 states, 1 input\n");
    forget(&a);
    a = run(NULL, "linearize", bundled("stanford.json"), "--equilibrium", (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "joint3");
    forget(&a);
}

/* A state whose loops are open is another one: that is said, in the answer too. A singular one is refused, and where a
 * search cannot begin there the message says what can be done. */
TEST(states_that_do_not_keep_the_loops)
{
    const char *model = write_file("flat.json", FLAT_ROD);
    answer a =
        run("{\"q\": [1.2, 0.3], \"v\": [1, 0]}", "linearize", model, "--state", "-", "--json", (const char *)NULL);
    CHECK_HAS(a.err, "the position leaves the loops open");
    json_t *r = json_loads(a.out, 0, NULL);
    forget(&a);
    CHECK_HAS(json_string_value(DIG(r, "warnings", "0")), "the position leaves the loops open");
    CHECK_HAS(json_string_value(DIG(r, "warnings", "1")), "the velocities drive the loops open");
    json_decref(r);
    REFUSED(1, "loop 'rod' is at a singular position", NULL, "linearize", model);
    REFUSED(1, "--q0 JOINT=VALUE", NULL, "linearize", model, "--equilibrium");
    a = run(NULL, "linearize", model, "--equilibrium", "--q0", "-1.2,-1.2", "--json", (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK(json_array_size(DIG(r, "warnings")) == 0);
    json_decref(r);
}

/* What --q0 and --v0 name is held, as pinion sim holds it; what moves is told, and what cannot be held. */
TEST(named_coordinates_are_held)
{
    static const char *const cases[][4] = {{"--q0", "crank=0.1", "q", "0"},
                                           {"--q0", "rocker=2", "q", "2"},
                                           {"--v0", "crank=0.1", "v", "0"},
                                           {"--v0", "rocker=2", "v", "2"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        answer a = run(NULL, "linearize", bundled("four-bar.json"), cases[i][0], cases[i][1], "--json",
                       (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        CHECK_HAS(a.err, *cases[i][2] == 'q' ? "the position leaves the loops open; A and B"
                                             : "the velocities drive the loops open; A and B");
        json_t *r = json_loads(a.out, 0, NULL);
        CHECK_NEAR(json_number_value(DIG(r, "state", cases[i][2], cases[i][3])),
                   atof(strchr(cases[i][1], '=') + 1), 1e-10);
        json_decref(r);
        forget(&a);
    }
    answer a = run(NULL, "linearize", bundled("four-bar.json"), "--q0", "rocker=-1", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "open, which do not close with what --q0 gives");
    forget(&a);
}

/* Near a singular position the cranks are still two pendulums: nothing moves what is closed, and the answer is theirs.
 * How much of it hangs on the last digits is told. */
TEST(near_singular_positions)
{
    static const char *const q[] = {"0.5,0.5", "0.001,0.001", "0.00006,0.00006"};
    const char *model = write_file("flat.json", FLAT_ROD);
    for (int i = 0; i < 3; i++) {
        answer a = run(NULL, "linearize", model, "--q0", q[i], "--v0", "30,30", "--json", (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        json_t *r = json_loads(a.out, 0, NULL);
        const double spring = json_number_value(DIG(r, "A", "1", "0"));
        CHECK_NEAR(spring, 9.81 * 0.2 * sin(atof(q[i])) / 0.14, 1e-4); /* 900 times rounding, over the square of q */
        CHECK((strstr(a.err, "nearly singular") != NULL) == (i > 0));
        CHECK((strstr(a.err, "entries of A are uncertain by about") != NULL) == (i > 0));
        CHECK(json_array_size(DIG(r, "warnings")) == (i > 0 ? 3 : 1)); /* it is no state of rest, too */
        json_decref(r);
        forget(&a);
    }
}

TEST(files)
{
    static const char *const has[] = {"A = [\n", "state,\"q.slide\"", "\"eigenvalues\""};
    for (int i = 0; i < 3; i++) {
        const char *path = place(files[i]);
        answer a = run(NULL, "linearize", bundled("cart-pole.json"), "--equilibrium", "-o", path,
                       (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        CHECK_HAS(a.err, "wrote");
        forget(&a);
        char *text = read_file(place(files[i]));
        CHECK_HAS(text, has[i]);
        free(text);
    }
}

/* A spring of 40 N/m from the world to the end of a rod of 1 m, across it where the rod hangs: to the pendulum's
 * -m g l / I = -(2 * 9.81 * 0.5) / 0.7 comes -40 / 0.7, since it is 0.5 m long as it is relaxed. */
TEST(forces_of_a_file)
{
    const char *rod = write_file(
        "rod.json", "{\"pinion\": 1, \"name\": \"rod\", \"links\": [{\"name\": \"base\"}, {\"name\": \"arm\", "
                    "\"mass\": 2, \"com\": [0, 0, -0.5], \"inertia\": {\"xx\": 0.2, \"yy\": 0.2, \"zz\": 0.1}}], "
                    "\"joints\": [{\"name\": \"hinge\", \"type\": \"continuous\", \"axis\": [0, 1, 0], \"parent\": "
                    "\"base\", \"child\": \"arm\"}]}");
    const char *forces = write_file(
        "forces.json", "{\"springs\": [{\"frame_a\": \"world\", \"point_a\": [0.5, 0, -1], \"frame_b\": \"arm\", "
                       "\"point_b\": [0, 0, -1], \"stiffness\": 40, \"length\": 0.5}]}");
    for (int with = 0; with < 2; with++) {
        answer a =
            run(NULL, "linearize", rod, "--hold", "--json", with ? "--forces" : NULL, forces, (const char *)NULL);
        json_t *r = parse_answer(&a, 0);
        CHECK_NEAR(number(DIG(r, "A"), 1, 0), -(2 * 9.81 * 0.5 + with * 40) / 0.7, 1e-9);
        CHECK_NEAR(json_number_value(json_array_get(DIG(r, "state", "a"), 0)), 0, 1e-9);
        json_decref(r);
    }
    REFUSED(2, "--equilibrium knows no force elements", NULL, "linearize", rod, "--equilibrium", "--forces", forces);
    REFUSED(1, "forces.json:1: ", NULL, "linearize", rod, "--forces", write_file("forces.json", "{\"springs\": 1}"));
    REFUSED(1, "nowhere.json", NULL, "linearize", rod, "--forces", place("nowhere.json"));
}

TEST(what_is_refused)
{
    const char *model = bundled("planar-3r.json");
    REFUSED(2, "not both", NULL, "linearize", model, "--equilibrium", "--hold");
    REFUSED(2, "--torque has no use", NULL, "linearize", model, "--hold", "--torque", "joint1=1");
    REFUSED(2, ".json, .csv", NULL, "linearize", model, "-o", "x.txt");
    REFUSED(1, "expected 3 numbers", "{\"q\": [0, 0]}", "linearize", model, "--state", "-");
    const char *limited = write_file(
        "limited.json", "{\"pinion\": 1, \"name\": \"l\", \"links\": [{\"name\": \"a\"}, {\"name\": \"b\", "
                        "\"mass\": 1, \"com\": [1, 0, 0], "
                        "\"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": "
                        "\"elbow\", \"type\": \"revolute\", "
                        "\"axis\": [0, 1, 0], \"limits\": [-1, 1], \"parent\": \"a\", \"child\": \"b\"}]}");
    /* no motor holds a body that falls */
    REFUSED(1, "--hold", NULL, "linearize", model, "--root", "free", "--hold");
    REFUSED(1, "elbow", NULL, "linearize", limited, "--equilibrium", "--limits-check", "error");
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(json_has_the_matrices_and_names);
    RUN(held_states_are_at_rest);
    RUN(motions_and_loops_are_told);
    RUN(states_that_do_not_keep_the_loops);
    RUN(named_coordinates_are_held);
    RUN(near_singular_positions);
    RUN(files);
    RUN(forces_of_a_file);
    RUN(what_is_refused);
    return command_end(files);
}
