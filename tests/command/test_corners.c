/* Corners of info, eval, id, linearize and sim: what models seldom have, and mistakes that are seldom made. */
#define _DEFAULT_SOURCE
#include "command.h"

#include <sys/stat.h>

static const char *const files[] = {"odds.json", "pend.json", "box.json", "states.json", "lin.m", "run.csv",
                                    "x.svg",     "list.json", "wide.csv", "none.csv",    "el.json", "e.csv",
                                    "x.html",    "gnuplot",   NULL};

#define BALL "\"mass\": 1, \"com\": [0.2, 0, 0], \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}"
#define ODDS \
    "{\"pinion\": 1, \"name\": \"odds\", \"links\": [{\"name\": \"base\"},\n" \
    " {\"name\": \"a\", " BALL ", \"gravity_compensation\": 0.5, \"drag\": {\"linear\": [0, 0, 0, 0.1, 0.2, 0.3],\n" \
    "  \"quadratic\": [0.01, 0.02, 0.03, 1, 2, 3]}, \"collisions\": [{\"shape\": \"sphere\", \"radius\": 0.1}]},\n" \
    " {\"name\": \"b\", " BALL ", \"collisions\": [{\"shape\": \"sphere\", \"radius\": 0.1}]}],\n" \
    "\"joints\": [{\"name\": \"A\", \"type\": \"universal\", \"parent\": \"base\", \"child\": \"a\",\n" \
    "  \"rotor\": [null, {\"inertia\": 0.1}], \"spring\": [null, {\"stiffness\": 3}], \"limits\": [[-1, 1], null]},\n" \
    " {\"name\": \"B\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"parent\": \"a\", \"child\": \"b\",\n" \
    "  \"origin\": {\"position\": [0.4, 0, 0]}, \"rotor\": {\"inertia\": 6e-5, \"gear\": 80},\n" \
    "  \"elastic\": {\"stiffness\": 4000, \"damping\": 5}}],\n" \
    "\"frames\": [{\"name\": \"tip\", \"link\": \"b\", \"origin\": {\"position\": [0.4, 0, 0]}}],\n" \
    "\"no_collisions\": [[\"a\", \"b\"]],\n" \
    "\"tendons\": [{\"name\": \"cable\", \"path\": [\"base\", \"a\", {\"pulley\": 2}, \"a\", \"tip\"],\n" \
    "  \"stiffness\": 500, \"rest\": 0.2}],\n" \
    "\"actuators\": [{\"name\": \"gimbal\", \"frame\": \"tip\", \"reference\": \"a\", \"moment\": [0, 0, 1],\n" \
    "  \"law\": {\"gain\": 2, \"bias\": [1, -3, -0.5], \"control\": [-4, 4]}},\n" \
    " {\"name\": \"winch\", \"tendon\": \"cable\", \"effort\": [0, 300]},\n" \
    " {\"name\": \"piston\", \"crank\": \"tip\", \"slider\": \"base\", \"rod\": 0.5},\n" \
    " {\"name\": \"turn\", \"joint\": \"A\", \"part\": 1},\n" \
    " {\"name\": \"sum\", \"joints\": [{\"joint\": \"A\"}, {\"joint\": \"A\", \"part\": 1, \"weight\": 2},\n" \
    "  {\"joint\": \"B.motor\", \"weight\": -0.5}]}]}\n"

/* Every kind of actuator and of passive force has its line. */
TEST(info_of_odd_parts)
{
    const char *model = write_file("odds.json", ODDS);
    answer a = run(NULL, "info", model, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "frame tip from a ");
    CHECK_HAS(a.out, "tendon cable ");
    CHECK_HAS(a.out, " 0 to 300 ");
    CHECK_HAS(a.out, "crank tip, slider base ");
    CHECK_HAS(a.out, "  turn      A.1 ");
    CHECK_HAS(a.out, "1 * A.0 + 2 * A.1 - 0.5 * B.motor ");
    CHECK_HAS(a.out, "  A, part 1  ");
    CHECK_HAS(a.out, "base, a, pulley 1/2, a, tip\n");
    CHECK_HAS(a.out, "\nWeight that is carried\n  a  0.5 of it\n");
    CHECK_HAS(a.out, "  a  0, 0, 0, 0.1, 0.2, 0.3; 0.01, 0.02, 0.03, 1, 2, 3\n");
    CHECK_HAS(a.out, "  B  stiffness 4000, damping 5, rotor 6e-05 kg m^2 behind a gear of 80, its own spin alone");
    CHECK_HAS(a.out, "1 pair of links never collides\n");
    /* the second part of a joint has a row of its own, with its velocity and limits alone */
    CHECK_HAS(a.out, "                                          v[1]");
    forget(&a);

    a = run(NULL, "info", model, "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK(json_array_size(DIG(r, "no_collisions")) == 1);
    CHECK_TEXT(DIG(r, "no_collisions", "0", "1"), "b");
    CHECK(json_number_value(DIG(r, "actuators", "0", "law", "gain")) == 2);
    CHECK_NUMBERS(DIG(r, "actuators", "0", "law", "bias"), 0, 1, -3, -0.5);
    json_decref(r);
}

/* a weighted sum that has no room on a line says how much is left out */
TEST(info_of_long_sums)
{
    char text[12000] = "{\"pinion\": 1, \"links\": [{\"name\": \"l0\"}";
    char joints[5000] = "", terms[4000] = "";
    for (int i = 1; i <= 12; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), ", {\"name\": \"l%d\", " BALL "}", i);
        snprintf(joints + strlen(joints), sizeof joints - strlen(joints),
                 "%s{\"name\": \"a_joint_with_quite_a_long_name_%02d\", \"type\": \"continuous\", \"parent\": \"l%d\","
                 " \"child\": \"l%d\"}", i > 1 ? ", " : "", i, i - 1, i);
        snprintf(terms + strlen(terms), sizeof terms - strlen(terms),
                 "%s{\"joint\": \"a_joint_with_quite_a_long_name_%02d\"}", i > 1 ? ", " : "", i);
    }
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "], \"joints\": [%s], \"actuators\": [{\"name\": \"all\", \"joints\": [%s]}]}", joints, terms);
    answer a = run(NULL, "info", write_file("list.json", text), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "1 * a_joint_with_quite_a_long_name_09 and 3 more ");
    forget(&a);
}

/* what closing loops would take too long for is not tried */
TEST(info_of_large_mechanisms)
{
    answer made = run(NULL, "generate", "n-four-bar", "400", (const char *)NULL);
    CHECK_STATUS(made.status, 0);
    answer a = run(made.out, "info", "-", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "not tried, for the mechanism is large; pinion eval --what mobility does");
    forget(&a);
    forget(&made);
}

/* A pendulum of 2 kg whose centre of mass is 0.5 m out, a quarter of its weight carried, with a tendon of twice its
 * angle. */
#define PENDULUM \
    "{\"pinion\": 1, \"name\": \"pend\", \"links\": [{\"name\": \"base\"}, {\"name\": \"rod\", \"mass\": 2,\n" \
    "  \"com\": [0.5, 0, 0], \"inertia\": {\"yy\": 0.1}, \"gravity_compensation\": 0.25}],\n" \
    "\"joints\": [{\"name\": \"A\", \"type\": \"continuous\", \"parent\": \"base\", \"child\": \"rod\",\n" \
    "  \"axis\": [0, 1, 0], \"friction\": 0.3}],\n" \
    "\"tendons\": [{\"name\": \"t\", \"joints\": [\"A\"], \"weights\": [2], \"stiffness\": 5, \"damping\": 0.5}],\n" \
    "\"actuators\": [{\"name\": \"m\", \"joint\": \"A\"}]}\n"

TEST(passive_forces_everywhere)
{
    const char *model = write_file("pend.json", PENDULUM);
    const char *states = write_file("states.json", "{\"states\": [{\"q\": [0.3], \"v\": [0.7]}]}");
    const double weight = 0.75 * 2 * 9.81 * 0.5; /* of what is not carried, times its arm */
    answer a = run(NULL, "eval", model, "--states", states, "--what", "energy,d_energy", "--passive", "on", "--json",
                   (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK_NEAR(json_number_value(DIG(r, "states", "0", "energy", "potential")), -weight * sin(0.3) + 2.5 * 0.36, 1e-14);
    CHECK_NUMBERS(DIG(r, "states", "0", "d_energy", "dq_potential"), 1e-13, -weight * cos(0.3) + 20 * 0.3);
    json_decref(r);

    /* inverse dynamics less all of that: in the middle of a cycloidal motion it has 2 rad/s and no acceleration */
    a = run(NULL, "id", model, "--from", "A=0", "--to", "A=1", "--output-step", "0.5", "--passive", "on",
            (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    double t, tau;
    const char *row = a.out ? strstr(a.out, "\n0.5,") : NULL;
    CHECK(row && sscanf(row + 1, "%lf,%lf", &t, &tau) == 2);
    if (row) CHECK_NEAR(tau, -weight * cos(0.5) + 20 * 0.5 + 4 * 0.5 * 2 + 0.3, 1e-12);
    forget(&a);

    /* what holds it still, and friction, which has no derivative there */
    const char *out = place("lin.m");
    a = run(NULL, "linearize", model, "--q0", "A=0.3", "--hold", "-o", out, "--json", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "Coulomb friction of joints at rest has no derivative, and is left out (0.3 at most)");
    r = a.out ? json_loads(a.out, 0, NULL) : NULL;
    /* stiffness over inertia: the derivative of the spring and the weight */
    const double inertia = 0.1 + 2 * 0.25;
    CHECK_NEAR(json_number_value(DIG(r, "A", "1", "0")), -(20 + weight * sin(0.3)) / inertia, 1e-9);
    CHECK_NEAR(json_number_value(DIG(r, "A", "1", "1")), -2 / inertia, 1e-12);
    json_decref(r);
    forget(&a);
    char *text = read_file(out);
    CHECK_HAS(text, "\n% Coulomb friction of joints at rest has no derivative");
    free(text);
    REFUSED(2, "--v0 has no use with a state of rest", NULL, "linearize", model, "--v0", "A=1", "--hold");
}

#define BOX \
    "{\"pinion\": 1, \"name\": \"box\", \"links\": [{\"name\": \"world\"}, {\"name\": \"box\", \"mass\": 2,\n" \
    " \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}, \"collisions\": [\n" \
    " {\"shape\": \"sphere\", \"radius\": 0.1, \"origin\": {\"position\": [0.2, 0, 0]}},\n" \
    " {\"shape\": \"sphere\", \"radius\": 0.1, \"origin\": {\"position\": [-0.2, 0.2, 0]}},\n" \
    " {\"shape\": \"sphere\", \"radius\": 0.1, \"origin\": {\"position\": [-0.2, -0.2, 0]}}]}],\n" \
    "\"joints\": [{\"name\": \"root\", \"type\": \"free\", \"parent\": \"world\", \"child\": \"box\"}],\n" \
    "\"frames\": [{\"name\": \"p\", \"link\": \"box\", \"origin\": {\"position\": [0.2, 0, 0]}}]}\n"

/* A body that is lifted leaves the ground, and one that is held down by it would have to be pulled. */
TEST(contacts_that_end)
{
    const char *box = write_file("box.json", BOX);
    answer a = run(NULL, "id", box, "--from", "1,0,0,0,0,0,0.1", "--to", "1,0,0,0,0,0,0.6", "--output-step", "0.5",
                   "--contacts", "ground", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, ",contact.ground.box (3).force.2,");
    CHECK_HAS(a.err, "note: nothing touches at 2 of 3 instants; the nearest is 0.25 m away, at t = 0.5 s");
    CHECK_HAS(a.err, "forces that no actuator gives: root.5 19.62 N");
    forget(&a);

    /* at three quarters of a cycloidal motion the acceleration is least, -2 pi h / T^2: 2 kg of it less the weight, on
     * four points */
    char sentence[200];
    snprintf(sentence, sizeof sentence, "by %.4g N at t = 0.15 s, where no friction would do",
             2 * (2 * 3.14159265358979324 * 0.5 / 0.04 - 9.81) / 4);
    a = run(NULL, "id", box, "--from", "1,0,0,0,0,0,0.1", "--to", "1,0,0,0,0,0,0.6", "--duration", "0.2",
            "--output-step", "0.05", "--contacts", "p,box", "--contact-gap", "any", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, sentence);
    forget(&a);
}

TEST(id_refuses)
{
    const char *arm = bundled("planar-2r.json"), *loops = bundled("four-bar.json");
    const char *forces = write_file("list.json", "{\"springs\": []}");
    const char *fluid = write_file("e.csv", "{\"drag\": [{\"frame\": \"lower\", \"added_mass\": 12}]}");
#define WAY "--from", "0,0", "--to", "1,1"
    REFUSED(2, "--elastic cannot go with --contacts", NULL, "id", arm, WAY, "--elastic", "--contacts", "ground");
    REFUSED(1, "--elastic: the model has no elastic joints", NULL, "id", arm, WAY, "--elastic");
    REFUSED(2, "--forces and --contacts cannot both say what acts: take one of them", NULL, "id", arm, WAY, "--forces",
            forces, "--contacts", "ground");
    REFUSED(1, "--forces is not for models with closed loops", NULL, "id", loops, "--from", "0,0,0", "--to", "0,0,0",
            "--forces", forces);
    REFUSED(1, "unknown key \"nothing\"", NULL, "id", arm, WAY, "--forces",
            write_file("none.csv", "{\"nothing\": []}"));
    REFUSED(1, "an element has added_mass; expected it in the model's links", NULL, "id", arm, WAY, "--forces", fluid);
    REFUSED(1, "--reactions: the model has elastic links, and wrenches are those of rigid ones", NULL, "id",
            bundled("bending-arm.json"), "--from", "shoulder=0", "--to", "shoulder=0.1", "--reactions");
    REFUSED(2, "--from: expected JOINT=VALUE, got '0'", NULL, "id", arm, "--from", "shoulder=1,0", "--to", "1,1");
#undef WAY
}

TEST(sim_refuses)
{
    const char *arm = bundled("planar-2r.json"), *box = write_file("box.json", BOX), *svg = place("x.svg");
#define SIM "sim", arm, "--duration", "0.01"
    REFUSED(2, "--plot-columns has no use without --plot FILE", NULL, SIM, "--plot-columns", "q");
    REFUSED(2, "--rtol and --atol are both 0; one of them must be above", NULL, SIM, "--rtol", "0", "--atol", "0");
    REFUSED(2, "the model and the state cannot both be read from standard input", "", "sim", "-", "--state", "-",
            "--duration", "1");
    REFUSED(2, "--contact-tol: expected a number below 1, got '2'", NULL, "sim", box, "--contact", "ground",
            "--contact-tol", "2", "--duration", "0.1");
    REFUSED(2, "--event: expected energy:J, got 'energy:x'", NULL, SIM, "--event", "energy:x");
    REFUSED(2, "--event: expected plane:FRAME:X,Y,Z:HEIGHT, got 'plane:x'", NULL, SIM, "--event", "plane:x");
    REFUSED(2, "expected plane:FRAME:X,Y,Z:HEIGHT", NULL, SIM, "--event", "plane:lower:0,0,1:high");
    REFUSED(2, "--kp: expected numbers of at least 0", NULL, SIM, "--control", "pd", "--to", "1,1", "--kp", "-1",
            "--kd", "1");
    answer a = run(NULL, SIM, "--plot", svg, "--plot-columns", "t", (const char *)NULL);
    CHECK_STATUS(a.status, 2);
    CHECK_HAS(a.err, "there is nothing to draw: no column beside the time was chosen");
    forget(&a);
#undef SIM
}

#define UNIT "{\"xx\": 1, \"yy\": 1, \"zz\": 1}"
#define FOUR_BAR \
    "{\"pinion\": 1, \"name\": \"bar\", \"gravity\": [0, -9.81, 0], \"links\": [{\"name\": \"ground\"},\n" \
    " {\"name\": \"crank\", \"mass\": 0.5, \"com\": [0, 0.15, 0], \"inertia\": " UNIT "},\n" \
    " {\"name\": \"coupler\", \"mass\": 1, \"com\": [0.4, 0.3, 0], \"inertia\": " UNIT "},\n" \
    " {\"name\": \"rocker\", \"mass\": 0.8, \"com\": [0, 0.45, 0], \"inertia\": " UNIT "}],\n" \
    "\"joints\": [{\"name\": \"A\", \"type\": \"continuous\", \"parent\": \"ground\", \"child\": \"crank\"},\n" \
    " {\"name\": \"B\", \"type\": \"continuous\", \"parent\": \"crank\", \"child\": \"coupler\", \n" \
    "  \"actuated\": false, \"origin\": {\"position\": [0, 0.3, 0]}},\n" \
    " {\"name\": \"D\", \"type\": \"continuous\", \"actuated\": false,\n" \
    "  \"parent\": \"ground\", \"child\": \"rocker\", \"origin\": {\"position\": [0.8, 0, 0]}},\n" \
    " {\"name\": \"C\", \"type\": \"continuous\", \"parent\": \"coupler\", \"child\": \"rocker\",\n" \
    "  \"actuated\": false, \"origin\": {\"position\": [0.8, 0.6, 0]},\n" \
    "  \"child_origin\": {\"position\": [0, 0.9, 0]}}],\n" \
    "\"loops\": [{\"name\": \"strut\", \"type\": \"spring\", \"parent\": \"ground\", \"child\": \"coupler\",\n" \
    "  \"origin\": {\"position\": [0, 1, 0]}, \"stiffness\": 10}],\n" \
    "\"tendons\": [{\"name\": \"t\", \"joints\": [\"A\"], \"stiffness\": 5, \"rest\": -0.5}],\n" \
    "\"actuators\": [{\"name\": \"m\", \"joint\": \"A\"}]}\n"

/* A tendon along the one joint with a motor: that much more, or less, is left to the motor. The strut pulls along the
 * crank. */
TEST(tendons_beside_loops)
{
    const char *model = write_file("list.json", FOUR_BAR);
    const char *states = write_file("states.json", "{\"states\": [{\"q\": [0, 0, 0]}]}");
    double tau[2];
    for (int k = 0; k < 2; k++) {
        answer a = run(NULL, "eval", model, "--states", states, "--what", "loop_inverse_dynamics", "--passive",
                       k ? "on" : "off", "--json", (const char *)NULL);
        json_t *r = parse_answer(&a, 0);
        tau[k] = json_number_value(DIG(r, "states", "0", "loop_inverse_dynamics", "tau", "0"));
        json_decref(r);
    }
    CHECK_NEAR(tau[1], tau[0] + 5 * 0.5, 1e-12);

    /* what holds it: the same force, which the list's actuator gives */
    answer a = run(NULL, "linearize", model, "--hold", "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK_NEAR(json_number_value(DIG(r, "state", "tau", "0")), tau[1], 1e-9);
    json_decref(r);

    /* the strut is drawn */
    a = run(NULL, "sim", model, "--duration", "0.01", "-o", place("run.csv"), "--report", place("x.html"), "--quiet",
            (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    char *page = read_file(place("x.html"));
    CHECK_HAS(page, "\"ties\":[{\"name\":\"strut\",\"spring\":true,\"parent\":0,\"child\":2,\"from\":[0.0,1.0,0.0]");
    free(page);
}

/* Results that other programs wrote. */
TEST(results_of_others)
{
    static const char *const text[] = {"a,b\n0,1\n", "t,a\nnan,1\n1,2\n", "t,q.A\n0,1\n1,2\n"},
                      *const said[] = {"There is no column t to plot the others against.",
                                       "1 row whose time is not a number or goes back is left out.",
                                       "The result does not hold its model, so there is no playback."};
    for (int i = 0; i < 3; i++) {
        answer a = run(NULL, "report", write_file("none.csv", text[i]), "-o", place("x.html"), (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        forget(&a);
        char *page = read_file(place("x.html"));
        CHECK_HAS(page, said[i]);
        free(page);
    }

    /* a figure of columns of no usual kind, with a gap; and of too many kinds */
    answer a = run(NULL, "report", write_file("none.csv", "t,a,b.x\n0,1,2\n1,nan,3\n2,5,6\n"), "-o", place("x.html"),
                   "--plot", place("x.svg"), (const char *)NULL);
    if (a.status == 1 && strstr(a.err, "gnuplot")) {
        forget(&a);
        SKIP("there is no gnuplot");
    }
    CHECK_STATUS(a.status, 0);
    forget(&a);
    char *figure = read_file(place("x.svg")), wide[2000] = "t", row[200] = "0";
    CHECK_HAS(figure, "<svg");
    free(figure);
    for (int i = 0; i < 20; i++) {
        snprintf(wide + strlen(wide), sizeof wide - strlen(wide), ",k%d.a", i);
        snprintf(row + strlen(row), sizeof row - strlen(row), ",%d", i);
    }
    snprintf(wide + strlen(wide), sizeof wide - strlen(wide), "\n%s\n%s\n", row, row);
    wide[strlen(wide) - strlen(row) - 1] = '1'; /* the second row at t = 1 */
    a = run(NULL, "report", write_file("wide.csv", wide), "-o", place("x.html"), "--plot", place("x.svg"),
            (const char *)NULL);
    CHECK_STATUS(a.status, 2);
    CHECK_HAS(a.err, "too many kinds of columns for one figure: choose columns of at most");
    forget(&a);
}

/* A gnuplot that draws nothing: what it says is said, and no figure is left. */
TEST(figures_that_are_not_drawn)
{
    const char *program = write_file("gnuplot", "#!/bin/sh\necho 'line 3: no such terminal' >&2\nexit 1\n");
    char path[600], *before = getenv("PATH") ? strdup(getenv("PATH")) : NULL;
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", folder);
    CHECK(chmod(program, 0700) == 0);
    setenv("PATH", path, 1);
    answer a = run(NULL, "report", write_file("none.csv", "t,a\n0,1\n1,2\n"), "-o", place("x.html"), "--plot",
                   place("y.svg"), (const char *)NULL);
    if (before) setenv("PATH", before, 1);
    free(before);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "gnuplot did not draw the figure: line 3: no such terminal");
    CHECK(access(place("y.svg"), F_OK) != 0);
    forget(&a);
}

/* Every quantity that code is generated for agrees with the library, external forces included. */
TEST(code_of_many_quantities)
{
    answer a = run(NULL, "codegen", bundled("planar-2r.json"), "-o", place("code"), "--what",
                   "gravity,bias,frames,forward_dynamics,inverse_dynamics", "--f-ext", "--check",
                   (const char *)NULL);
    if (a.status == 1 && strstr(a.err, "compiler")) {
        forget(&a);
        SKIP("there is no compiler");
    }
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "Compiled, loaded and compared with the library at");
    forget(&a);
    char text[400];
    snprintf(text, sizeof text, "rm -r '%s'", place("code"));
    CHECK(system(text) == 0);
}

#define ARMS(axis) \
    "{\"pinion\": 1, \"links\": [{\"name\": \"a\"}, {\"name\": \"b\", " BALL "}, {\"name\": \"c\", " BALL "}],\n" \
    "\"joints\": [{\"name\": \"j\", \"type\": \"continuous\", \"parent\": \"a\", \"child\": \"b\"},\n" \
    " {\"name\": \"k\", \"type\": \"continuous\", \"parent\": \"b\", \"child\": \"c\", \"axis\": " axis ",\n" \
    "  \"origin\": {\"position\": [0.4, 0.1, 0]}}]}\n"

/* Numbers below 1e-4 have powers of ten; axes that are parallel but for rounding are, also where only rounding gives
 * gravity a lever; others are refused, and so is what is not rigid. */
TEST(equations)
{
    const char *tiny = write_file("list.json",
                                  "{\"pinion\": 1, \"links\": [{\"name\": \"a\"}, {\"name\": \"b\", \"mass\": 3e-7,"
                                  " \"com\": [0.3, 0, 0], \"inertia\": {\"xx\": 2e-9, \"yy\": 2e-9, \"zz\": 2e-9}}],"
                                  " \"joints\": [{\"name\": \"j\", \"type\": \"continuous\", \"parent\": \"a\","
                                  " \"child\": \"b\", \"axis\": [0, 1, 0]}]}");
    answer a = run(NULL, "equations", tiny, "--numbers", "--format", "latex", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "M_{11} &= 2.9 \\cdot 10^{-8}\n"); /* 2e-9 + 3e-7 * 0.3^2 */
    CHECK_HAS(a.out, "8.829 \\cdot 10^{-7}");           /* 3e-7 * 9.81 * 0.3 */
    forget(&a);
    a = run(NULL, "equations", write_file("list.json", ARMS("[1e-9, 0, 1]")), "--format", "latex", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "Angles that are right but for rounding are taken for right ones: they are off by ");
    forget(&a);
    REFUSED(1, "the axis of joint 'k' is nearly but not quite parallel to the one before", NULL, "equations",
            write_file("list.json", ARMS("[1e-3, 0, 1]")));
    REFUSED(1, "links have added mass; equations in closed form are those of rigid bodies", NULL, "equations",
            bundled("rov.json"));
    REFUSED(1, "links are elastic; equations in closed form are those of rigid bodies", NULL, "equations",
            bundled("bending-arm.json"));
}

/* A list of too many lengths, and benches of models with loops. */
TEST(benches)
{
    static char list[10000] = "1";
    for (int i = 0; i < 4096; i++) memcpy(list + 1 + 2 * i, ",1", 3);
    REFUSED(2, "--chain: more than ", NULL, "bench", "--chain", list);
    REFUSED(2, "--tree: more than ", NULL, "bench", "--tree", list);
    answer a = run(NULL, "bench", bundled("four-bar.json"), "--time", "0.05", "--states", "4", "--only",
                   "loop-nullspace,jacobian", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "1 loop of 5 rows");
    CHECK_HAS(a.out, "loop-nullspace");
    forget(&a);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(info_of_odd_parts);
    RUN(info_of_long_sums);
    RUN(info_of_large_mechanisms);
    RUN(passive_forces_everywhere);
    RUN(contacts_that_end);
    RUN(id_refuses);
    RUN(sim_refuses);
    RUN(tendons_beside_loops);
    RUN(results_of_others);
    RUN(figures_that_are_not_drawn);
    RUN(code_of_many_quantities);
    RUN(equations);
    RUN(benches);
    return command_end(files);
}
