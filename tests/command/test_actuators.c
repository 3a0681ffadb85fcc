/* Actuators in a model file, and what the command makes of them. */
#define _DEFAULT_SOURCE
#include "command.h"
#include "sim.h"

static const char *const files[] = {"fast.json", "flyer.json", "again.json", "bad.json", NULL};

#define LINKS                                                                                                    \
    "{\"pinion\": 1, \"name\": \"flyer\",\n \"links\": [{\"name\": \"base\"}, {\"name\": \"body\", \"mass\": 2, "  \
    "\"inertia\": {\"xx\": 0.02, \"yy\": 0.02, \"zz\": 0.04}}, {\"name\": \"arm\", \"mass\": 0.3, \"com\": [0.1, " \
    "0, 0], \"inertia\": {\"xx\": 0.001, \"yy\": 0.001, \"zz\": 0.001}}],\n \"joints\": [{\"name\": \"fly\", "     \
    "\"type\": \"free\", \"parent\": \"base\", \"child\": \"body\"}, {\"name\": \"elbow\", \"type\": "            \
    "\"revolute\", \"parent\": \"body\", \"child\": \"arm\", \"axis\": [0, 1, 0], \"effort\": 10}],\n \"frames\": " \
    "[{\"name\": \"rotor\", \"link\": \"body\", \"origin\": {\"position\": [0.2, 0, 0]}}],\n \"actuators\": [\n"

#define FLYER(motor, belt)                                                                                  \
    LINKS "  {\"name\": \"lift\", \"frame\": \"rotor\", \"force\": [0, 0, 1], "                             \
          "\"moment\": [0, 0, 0.01], \"effort\": [0, 30]},\n"                                               \
          "  {\"name\": \"motor\", \"joint\": \"elbow\", \"gear\": 50, \"efficiency\": 0.8, "               \
          "\"velocity\": 300" motor "},\n"                                                                  \
          "  {\"name\": \"belt\", \"joints\": [{\"joint\": \"elbow\", \"weight\": -0.5}, "                  \
          "{\"joint\": \"fly\", \"part\": 2}], \"effort\": 7" belt "}]}\n"

static const char flyer[] = FLYER("", "");
static const char servo[] = FLYER(", \"law\": {\"gain\": 0.2, \"bias\": [0.01, -0.2, -0.003], \"control\": 12}", "");
static const char slow[] =
    FLYER(", \"motor\": {\"torque_constant\": 0.05, \"back_emf\": 0.04, \"resistance\": 0.5, \"inductance\": 0.001, "
          "\"voltage\": 24}, \"delay\": 0.002, \"initial\": 0.1", ", \"lag\": 0.05");

TEST(info_lists_them)
{
    write_file("flyer.json", slow);
    answer a = run(NULL, "info", place("flyer.json"), "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK(json_array_size(DIG(r, "actuators")) == 3);
    CHECK_TEXT(DIG(r, "actuators", "0", "name"), "lift");
    CHECK_TEXT(DIG(r, "actuators", "0", "type"), "frame");
    CHECK_TEXT(DIG(r, "actuators", "0", "acts_on"), "rotor");
    CHECK(json_number_value(DIG(r, "actuators", "0", "effort", "1")) == 30);
    CHECK_TEXT(DIG(r, "actuators", "1", "type"), "joint");
    CHECK_TEXT(DIG(r, "actuators", "1", "acts_on"), "elbow");
    CHECK(json_number_value(DIG(r, "actuators", "1", "gear")) == 50);
    CHECK_NEAR(json_number_value(DIG(r, "actuators", "1", "effort")), 0.25, 1e-15);
    CHECK(json_number_value(DIG(r, "actuators", "1", "velocity")) == 300);
    CHECK(json_number_value(DIG(r, "actuators", "1", "motor", "back_emf")) == 0.04);
    CHECK(json_number_value(DIG(r, "actuators", "1", "motor", "voltage")) == 24);
    CHECK(json_number_value(DIG(r, "actuators", "1", "delay")) == 0.002);
    CHECK(json_number_value(DIG(r, "actuators", "1", "initial")) == 0.1);
    CHECK(DIG(r, "actuators", "0", "delay") == NULL && DIG(r, "actuators", "0", "motor") == NULL);
    CHECK(json_number_value(DIG(r, "actuators", "2", "lag")) == 0.05);
    CHECK_TEXT(DIG(r, "actuators", "2", "type"), "sum");
    CHECK_TEXT(DIG(r, "actuators", "2", "acts_on", "1", "joint"), "fly");
    CHECK(json_number_value(DIG(r, "actuators", "2", "acts_on", "1", "part")) == 2);
    CHECK(json_number_value(DIG(r, "actuators", "2", "acts_on", "0", "weight")) == -0.5);
    json_decref(r);
    a = run(NULL, "info", place("flyer.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "3 actuators\n");
    CHECK_HAS(a.out, "-0.5 * elbow + 1 * fly.2");
    CHECK_HAS(a.out, "0 to 30");
    CHECK_HAS(a.out, "delay 0.002 s, motor 0.002 s, 24 V");
    CHECK_HAS(a.out, "lag 0.05 s");
    forget(&a);
    a = run(NULL, "info", bundled("cart-pole.json"), (const char *)NULL);
    CHECK_HAS(a.out, "actuator");
    forget(&a);
}

TEST(convert_keeps_them)
{
    write_file("flyer.json", slow);
    answer a = run(NULL, "convert", place("flyer.json"), "-o", place("again.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    answer first = run(NULL, "info", place("flyer.json"), "--json", (const char *)NULL);
    answer second = run(NULL, "info", place("again.json"), "--json", (const char *)NULL);
    CHECK(strcmp(first.out, second.out) == 0);
    forget(&first);
    forget(&second);
    a = run(NULL, "convert", place("flyer.json"), "--to", "urdf", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "list of actuators is left out");
    forget(&a);

    /* an empty list is not no list */
    write_file("flyer.json", LINKS "]}");
    a = run(NULL, "convert", place("flyer.json"), "--to", "json", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "\"actuators\": [");
    forget(&a);
}

/* a message has the line, and what is wrong there */
TEST(mistakes_in_a_file)
{
    static const char *const bad[][2] = {
        {"{\"name\": \"x\", \"joint\": \"elbow\", \"torque\": 3}]}", "torque"},
        {"{\"name\": \"x\"}]}", "expected one of them"},
        {"{\"name\": \"x\", \"joint\": \"elbow\", \"frame\": \"rotor\"}]}", "has 2 of the keys"},
        {"{\"joint\": \"elbow\"}]}", "\"name\" is missing"},
        {"{\"name\": \"x\", \"joint\": \"knee\"}]}", "actuator 'x': joint 'knee' does not exist"},
        {"{\"name\": \"x\", \"joint\": \"elbow\", \"part\": 1}]}", "no such degree of freedom"},
        {"{\"name\": \"x\", \"joint\": \"elbow\", \"part\": 0.5}]}", "expected 0 to 5"},
        {"{\"name\": \"x\", \"joint\": \"elbow\", \"effort\": -1}]}", "negative"},
        {"{\"name\": \"x\", \"joint\": \"elbow\", \"effort\": [2, 1]}]}", "above the largest"},
        {"{\"name\": \"x\", \"joint\": \"elbow\", \"effort\": \"much\"}]}", "[least, largest]"},
        {"{\"name\": \"x\", \"joint\": \"elbow\", \"gear\": 0}]}", "gear is 0"},
        {"{\"name\": \"x\", \"joint\": \"elbow\", \"efficiency\": 0}]}", "efficiency"},
        {"{\"name\": \"x\", \"joints\": []}]}", "acts on no joint"},
        {"{\"name\": \"x\", \"joints\": [{\"joint\": \"elbow\", \"gear\": 2}]}]}", "gear"},
        {"{\"name\": \"x\", \"frame\": \"rotor\"}]}", "all 0"},
        {"{\"name\": \"x\", \"frame\": \"tail\", \"force\": [1, 0, 0]}]}", "frame 'tail' does not exist"},
        {"{\"name\": \"x\", \"joint\": \"elbow\"}, {\"name\": \"x\", \"joint\": \"elbow\"}]}", "name of another"},
        {"{\"name\": \"x\", \"joint\": \"elbow\", \"delay\": -1}]}", "negative"},
        {"{\"name\": \"x\", \"joint\": \"elbow\", \"lag\": \"long\"}]}", "a number"},
        {"{\"name\": \"x\", \"joint\": \"elbow\", \"motor\": {\"volts\": 3}}]}", "volts"},
        {"{\"name\": \"x\", \"joint\": \"elbow\", \"motor\": {\"resistance\": 3}}]}", "no torque_constant"},
        {"{\"name\": \"x\", \"joint\": \"elbow\", \"motor\": {\"torque_constant\": 1}}]}", "no resistance"},
        {"{\"name\": \"x\", \"joint\": \"elbow\", \"motor\": {\"torque_constant\": 1, \"resistance\": 1, "
         "\"back_emf\": 0}}]}", "back_emf: is 0, expected a number above 0"},
        {"{\"name\": \"x\", \"joint\": \"elbow\", \"motor\": {\"torque_constant\": 1, \"resistance\": 1, "
         "\"voltage\": 0}}]}", "voltage: is 0, expected a number above 0"},
        {"{\"name\": \"x\", \"frame\": \"rotor\", \"force\": [1, 0, 0], \"motor\": {\"torque_constant\": 1, "
         "\"resistance\": 1}}]}", "acts on a frame"},
        {"{\"name\": \"x\", \"joint\": \"elbow\", \"lag\": 1, \"motor\": {\"torque_constant\": 1, "
         "\"resistance\": 1}}]}", "a lag and a motor"},
        {"3]}", "an actuator: an object"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[3000];
        snprintf(text, sizeof text, "%s%s", LINKS, bad[i][0]);
        write_file("bad.json", text);
        answer a = run(NULL, "info", place("bad.json"), (const char *)NULL);
        CHECK_STATUS(a.status, 1);
        CHECK_HAS(a.err, "bad.json:6:");
        CHECK_HAS(a.err, bad[i][1]);
        forget(&a);
    }
}

/* the column of a name in the last row of what a run wrote */
static double last(const answer *a, const char *name)
{
    table t = read_table(a->out);
    const double x = cell(&t, -1, name);
    free(t.x);
    return x;
}

/* a body that no motor holds falls, whatever the controller wants; patterns and joints of several coordinates */
TEST(controllers_act_through_them)
{
    write_file("flyer.json", LINKS "{\"name\": \"motor\", \"joint\": \"elbow\", \"gear\": 50}]}");
    answer a = run(NULL, "sim", place("flyer.json"), "--duration", "0.5", "--control", "pd-gravity", "--kp",
                   "fly=0,e*w=250", "--kd", "elbow=7,*=3", "--q0", "elbow=0.2", "--to", "elbow=0.5",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "cannot give every force on fly");
    const double tau = last(&a, "tau.elbow");
    for (int i = 0; i < 6; i++) {
        char name[20];
        snprintf(name, sizeof name, "tau.fly.%d", i);
        CHECK(last(&a, name) == 0);
    }
    CHECK(last(&a, "q.fly.6") < -1.1);
    CHECK_NEAR(last(&a, "actuator.motor"), tau / 50, 1e-12);
    forget(&a);

    /* at the start kd alone acts, its own and not the pattern's, and the weight of the arm: 0.3 kg at 0.1 m about y
     * */
    a = run(NULL, "sim", place("flyer.json"), "--duration", "0.01", "--control", "pd-gravity", "--kd", "elbow=7,*=3",
            "--q0", "elbow=0.2", "--v0", "e*=1", "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    CHECK_NEAR(cell(&t, 0, "tau.elbow"), -7 - 0.3 * 9.81 * 0.1 * cos(0.2), 1e-12);
    CHECK(cell(&t, 0, "tau.fly.5") == 0);
    free(t.x);
    forget(&a);
    REFUSED(2, "'leg_*'", NULL, "sim", place("flyer.json"), "--duration", "1", "--control", "pd", "--kp", "leg_*=1");
    REFUSED(2, "'fly'", NULL, "sim", place("flyer.json"), "--duration", "1", "--q0", "fly=1");
}

/* the bundled cart-pole with one motor, on the cart */
static void write_cart_pole(void)
{
    char *text = read_file(bundled("cart-pole.json"));
    char *end = text ? strrchr(text, '}') : NULL;
    char *model = end ? malloc(strlen(text) + 400) : NULL;
    if (!model) CHECK_FAIL("no cart-pole");
    *end = '\0';
    sprintf(model, "%s, \"actuators\": [{\"name\": \"belt\", \"joint\": \"slide\", \"gear\": 4, \"effort\": 1, "
                   "\"velocity\": 5}]}", text);
    write_file("flyer.json", model);
    free(model);
    free(text);
}

/* a controller that is asked every 10 ms holds what it said: 40 N/m over 10 ms with a delay of half of it */
TEST(sampled_controllers_hold)
{
    write_cart_pole();
    answer a = run(NULL, "sim", place("flyer.json"), "--duration", "0.02", "--output-step", "0.005", "--control", "pd",
                   "--kp", "40", "--kd", "0", "--q0", "slide=0", "--v0", "slide=0.3", "--control-step", "0.01",
                   "--control-delay", "0.005", "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    /* asked at 0, where the error is 0, and at 10 ms: that acts from 15 ms on */
    CHECK(cell(&t, 0, "tau.slide") == 0 && cell(&t, 1, "tau.slide") == 0 && cell(&t, 2, "tau.slide") == 0);
    CHECK_NEAR(cell(&t, 3, "tau.slide"), -40 * cell(&t, 2, "q.slide"), 1e-9);
    CHECK(cell(&t, 4, "tau.slide") == cell(&t, 3, "tau.slide"));
    CHECK(cell(&t, 2, "q.slide") > 0.0029);
    free(t.x);
    forget(&a);
    REFUSED(2, "--control-step: has no use", NULL, "sim", place("flyer.json"), "--duration", "1", "--control-step",
            "0.1");
    a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "0.01", "--control", "pd", "--kd", "0.1,0.1,900",
            "--control-step", "0.01", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "warning: --kd 900 of joint3 every 0.01 s takes ");
    forget(&a);
    REFUSED(2, "--control-delay: expected no more", NULL, "sim", place("flyer.json"), "--duration", "1", "--control",
            "pd", "--control-step", "0.1", "--control-delay", "0.2");
}

/* a lift of (2 + 0.3) g at the rotor would carry it, one of 100 is cut to its 30 N; the motor's force has its gear */
/* a loop over a coarse encoder: its readings are columns, multiples of the resolution; another seed is another run */
TEST(sensors)
{
    write_file("again.json", "{\"sensors\": [{\"name\": \"e\", \"type\": \"encoder\", \"joint\": \"joint1\", "
                             "\"resolution\": 0.01, \"noise\": 0.02}, {\"name\": \"t\", \"type\": \"torque\", "
                             "\"joint\": \"joint1\"}]}");
    double end[2];
    const char *arm = bundled("stanford.json");
    for (int i = 0; i < 2; i++) {
        answer a = run(NULL, "sim", arm, "--duration", "0.05", "--control", "computed-torque", "--control-step",
                       "0.005", "--sensors", place("again.json"), "--seed", i ? "2" : "1", "--quiet",
                       (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        table t = read_table(a.out);
        for (int k = 0; k < 100; k++) CHECK_NEAR(remainder(cell(&t, k, "sensor.e"), 0.01), 0, 1e-12);
        CHECK(isfinite(cell(&t, -1, "sensor.t")) && isfinite(cell(&t, -1, "sensor.e.velocity")));
        end[i] = cell(&t, -1, "q.joint1");
        free(t.x);
        forget(&a);
    }
    CHECK(end[0] != end[1]);
    REFUSED(2, "--sensors has no use without --control-step", NULL, "sim", arm, "--duration", "1", "--sensors",
            place("again.json"));
    REFUSED(2, "--seed has no use without --sensors", NULL, "sim", arm, "--duration", "1", "--seed", "1");
    write_file("bad.json", "{\"sensors\": [{\"name\": \"e\", \"type\": \"encoder\", \"joint\": \"x\"}]}");
    REFUSED(1, "bad.json:1: sensors[0].joint: the model has no joint \"x\"", NULL, "sim", arm, "--duration", "1",
            "--control", "gravity", "--control-step", "0.1", "--sensors", place("bad.json"));
}

TEST(constant_forces)
{
    write_file("flyer.json", flyer);
    answer a = run(NULL, "sim", place("flyer.json"), "--duration", "0.01", "--actuator", "li*=100,motor=-0.02",
                   "--quiet", "--limit-effort", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    CHECK(cell(&t, 0, "actuator.lift") == 30 && cell(&t, 0, "actuator.motor") == -0.02);
    CHECK(cell(&t, 0, "actuator.belt") == 0);
    CHECK_NEAR(cell(&t, 0, "tau.fly.5"), 30, 1e-12);
    CHECK_NEAR(cell(&t, 0, "tau.fly.1"), -0.2 * 30, 1e-12);
    CHECK_NEAR(cell(&t, 0, "tau.elbow"), -0.02 * 50 * 0.8, 1e-14);
    free(t.x);
    forget(&a);
    REFUSED(2, "no actuator is named 'lifts' (did you mean 'lift'?)", NULL, "sim", place("flyer.json"), "--duration",
            "1", "--actuator", "lifts=1");
    REFUSED(2, "--actuator: cannot go with --control", NULL, "sim", place("flyer.json"), "--duration", "1", "--control",
            "pd", "--actuator", "lift=1");
}

/* what is given is a control, and the servo's law makes the force of it, at any moment; the others give the control */
TEST(controls_of_servos)
{
    write_file("flyer.json", servo);
    answer a = run(NULL, "sim", place("flyer.json"), "--duration", "0.1", "--ctrl", "motor=20,lift=7", "--q0",
                   "elbow=0.2", "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    CHECK(t.rows > 2);
    for (int i = 0; i < t.rows; i++) {
        const double q = cell(&t, i, "q.elbow"), v = cell(&t, i, "v.elbow");
        CHECK_NEAR(cell(&t, i, "actuator.motor"), fmin(0.25, 0.2 * 12 + 0.01 - 0.2 * 50 * q - 0.003 * 50 * v), 1e-12);
        CHECK(cell(&t, i, "actuator.lift") == 7 && cell(&t, i, "actuator.belt") == 0);
    }
    free(t.x);
    forget(&a);
    a = run(NULL, "info", place("flyer.json"), (const char *)NULL);
    CHECK_HAS(a.out, "servo 0.2 c+0.01-0.2 l-0.003 l'");
    forget(&a);
    REFUSED(2, "--ctrl: cannot go with --actuator", NULL, "sim", place("flyer.json"), "--duration", "1", "--actuator",
            "lift=1", "--ctrl", "lift=1");
    REFUSED(2, "--ctrl: cannot go with --control", NULL, "sim", place("flyer.json"), "--duration", "1", "--control",
            "pd", "--ctrl", "lift=1");
}

/* one motor on the crank holds a four-bar against gravity: with speed it goes on as if there were none */
TEST(one_motor_holds_a_four_bar)
{
    answer a = run(NULL, "sim", bundled("four-bar.json"), "--duration", "0.5", "--control", "gravity", "--quiet",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    CHECK(cell(&t, 0, "energy.kinetic") > 0.1);
    CHECK_NEAR(cell(&t, -1, "energy.kinetic"), cell(&t, 0, "energy.kinetic"), 1e-9);
    CHECK(cell(&t, -1, "tau.coupler") == 0 && cell(&t, -1, "tau.rocker") == 0 && cell(&t, -1, "tau.crank") != 0);
    free(t.x);
    forget(&a);
}

/* a cart that is to move by 1 m in 1 s while its pole hangs still: the pole needs m l a about its pivot, and no motor
 * is there; the motor's force is (M + m) a before a gear of 4 */
TEST(inverse_dynamics_tells_what_is_missing)
{
    write_cart_pole();
    answer a = run(NULL, "id", place("flyer.json"), "--from", "0,0", "--to", "1,0", "--duration", "1", "--profile",
                   "cycloidal", "--json", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    json_t *r = json_loads(a.out, 0, NULL);

    /* a cycloid: a = 2 pi sin(2 pi t), v = 2 in the middle */
    const double pi = 3.14159265358979323846;
    CHECK(json_array_size(DIG(r, "missing")) == 1);
    CHECK_TEXT(DIG(r, "missing", "0", "name"), "tau.pivot");
    CHECK_NEAR(fabs(json_number_value(DIG(r, "missing", "0", "value"))), 0.2 * 0.5 * 2 * pi, 1e-12);
    CHECK(json_array_size(DIG(r, "warnings")) == 3);
    CHECK_HAS(json_string_value(DIG(r, "warnings", "0")), "no actuator gives: pivot");
    CHECK_HAS(json_string_value(DIG(r, "warnings", "1")), "1.885 N (at");
    CHECK_HAS(json_string_value(DIG(r, "warnings", "2")), "belt 8 (at most 5) at t = 0.5 s");
    json_decref(r);
    forget(&a);
    a = run(NULL, "id", place("flyer.json"), "--from", "0,0", "--to", "1,0", "--duration", "1", "--profile",
            "cycloidal", "--limits-check", "error", (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "pinion id: the motion needs forces that no actuator gives: pivot");
    table t = read_table(a.out);
    CHECK_NEAR(cell(&t, 25, "actuator.belt"), 1.2 * 2 * pi / 4, 1e-12);
    CHECK_NEAR(cell(&t, 25, "tau.slide"), 1.2 * 2 * pi, 1e-12);
    free(t.x);
    forget(&a);

    /* a run whose motor goes too far is told, too */
    a = run(NULL, "sim", place("flyer.json"), "--duration", "0.1", "--control", "pd", "--kp", "1000", "--to", "slide=1",
            "--quiet", "--limits-check", "error", (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "forces beyond the actuators' limits: belt");
    forget(&a);
}

/* inputs are the actuators by name: a gear of 4 multiplies B, and what they cannot hold is refused */
TEST(linear_systems_have_them_as_inputs)
{
    write_cart_pole();
    answer a = run(NULL, "linearize", place("flyer.json"), "--equilibrium", "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK(json_array_size(DIG(r, "inputs")) == 1);
    CHECK_TEXT(DIG(r, "inputs", "0"), "actuator.belt");
    /* hanging at rest: M^-1 of the slide with (M + m) and m l, and J + m l^2 of the pole */
    const double j = 0.0166 + 0.2 * 0.25, coupling = 0.2 * 0.5, det = 1.2 * j - coupling * coupling;
    CHECK_NEAR(json_number_value(DIG(r, "B", "2", "0")), 4 * j / det, 1e-12);
    CHECK_NEAR(fabs(json_number_value(DIG(r, "B", "3", "0"))), 4 * coupling / det, 1e-12);
    json_decref(r);
    REFUSED(1, "a joint force of", NULL, "linearize", place("flyer.json"), "--q0", "pivot=1", "--hold");
    a = run(NULL, "linearize", place("flyer.json"), "--q0", "slide=1", "--hold", "--json", (const char *)NULL);
    r = parse_answer(&a, 0);
    json_decref(r);
}

/* a hand of 1 kg m^2 without gravity: u = 2 needs 2 R/k, and k_e w more in the middle; asked of the motor it comes
 * by its lag of L/R */
TEST(dynamics)
{
    write_file("flyer.json",
               "{\"pinion\": 1, \"name\": \"hand\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"base\"}, "
               "{\"name\": \"hand\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], "
               "\"joints\": [{\"name\": \"wrist\", \"type\": \"continuous\", \"parent\": \"base\", "
               "\"child\": \"hand\"}], \"actuators\": [{\"name\": \"motor\", \"joint\": \"wrist\", "
               "\"delay\": 0.01, \"motor\": {\"torque_constant\": 0.5, \"resistance\": 2, "
               "\"inductance\": 0.1, \"voltage\": 8}}]}");
    answer a = run(NULL, "id", place("flyer.json"), "--from", "0", "--to", "20", "--duration", "1", "--json",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "note: the forces are those that act; delays, lags and inductances of 1 actuator are left out");
    json_t *r = json_loads(a.out, 0, NULL);
    /* 20 (2 pi sin(x) R/k + k_e (1 - cos(x))): its largest */
    const double pi = 3.14159265358979323846, most = 20 * (0.5 + hypot(2 * pi * 4, 0.5));
    double value = 0;
    const char *words = json_string_value(DIG(r, "warnings", "0"));
    CHECK_HAS(words ? words : "", "voltages beyond the actuators' limits: motor ");
    if (words) value = strtod(strstr(words, "motor ") + 6, NULL);
    CHECK_NEAR(fabs(value), most, 1e-3 * most);
    json_decref(r);
    forget(&a);

    a = run(NULL, "sim", place("flyer.json"), "--duration", "0.11", "--actuator", "motor=1.5", "--quiet",
            (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_NEAR(last(&a, "actuator.motor"), 1.5 * (1 - exp(-0.1 / 0.05)), 1e-10);
    CHECK_NEAR(last(&a, "v.wrist"), 1.5 * (0.1 - 0.05 * (1 - exp(-0.1 / 0.05))), 1e-10);
    forget(&a);

    a = run(NULL, "linearize", place("flyer.json"), "--json", (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK(json_array_size(DIG(r, "states")) == 7 && json_array_size(DIG(r, "A")) == 7);
    CHECK_TEXT(DIG(r, "states", "2"), "delay.motor.0");
    CHECK_TEXT(DIG(r, "states", "5"), "delay.motor.3");
    CHECK_TEXT(DIG(r, "states", "6"), "actuator.motor");
    CHECK_NEAR(json_number_value(DIG(r, "A", "6", "6")), -20, 1e-12);
    CHECK_NEAR(json_number_value(DIG(r, "A", "1", "6")), 1, 1e-12);
    json_decref(r);
    a = run(NULL, "linearize", place("flyer.json"), (const char *)NULL);
    CHECK_HAS(a.out, "7 states, 1 input");
    forget(&a);

    /* a delay that makes steps short is told */
    write_file("flyer.json",
               "{\"pinion\": 1, \"name\": \"hand\", \"links\": [{\"name\": \"base\"}, {\"name\": \"hand\", \"mass\": 1,"
               "\"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": \"wrist\", \"type\": "
               "\"continuous\", \"parent\": \"base\", \"child\": \"hand\"}], \"actuators\": [{\"name\": \"motor\", "
               "\"joint\": \"wrist\", \"delay\": 1e-6}]}");
    a = run(NULL, "sim", place("flyer.json"), "--duration", "0.011", "--control", "pd", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "none is longer than the delay of an actuator, 1e-06 s");
    forget(&a);
    REFUSED(1, "actuator 'motor': its delay has more than a million periods", NULL, "sim", place("flyer.json"),
            "--duration", "1e-3", "--control", "pd", "--control-step", "1e-13");
}

/* a list that says what "actuated": false said gives the same forces, and the same in every joint */
TEST(inverse_dynamics_of_loops)
{
    char *text = read_file(bundled("four-bar.json")), *at;
    char *model = text ? malloc(strlen(text) + 400) : NULL;
    if (!model) CHECK_FAIL("no four-bar");
    while ((at = strstr(text, ", \"actuated\": false")) != NULL) memmove(at, at + 19, strlen(at + 19) + 1);
    *strrchr(text, '}') = '\0';
    sprintf(model, "%s, \"actuators\": [{\"name\": \"motor\", \"joint\": \"crank\", \"gear\": 2}]}", text);
    write_file("flyer.json", model);
    free(model);
    free(text);
    static const char *const names[] = {"tau.crank", "reaction.crank.fx", "reaction.pin.fy", "reaction.rocker.fx"};
    table t[2];
    for (int i = 0; i < 2; i++) {
        answer a = run(NULL, "id", i ? place("flyer.json") : bundled("four-bar.json"), "--from", "crank=1", "--to",
                       "crank=1.5", "--reactions", (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        t[i] = read_table(a.out);
        forget(&a);
    }
    for (int row = 0; row < 101; row += 10) {
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            CHECK_NEAR(cell(&t[1], row, names[k]), cell(&t[0], row, names[k]), 1e-10);
        CHECK_NEAR(2 * cell(&t[1], row, "actuator.motor"), cell(&t[0], row, "tau.crank"), 1e-10);
    }
    free(t[0].x);
    free(t[1].x);
    REFUSED(2, "--actuated has no use", NULL, "id", place("flyer.json"), "--from", "crank=1", "--to", "crank=1.5",
            "--actuated", "crank");
}

/* A light joint behind a heavy one, at 1 kHz: kd T / I is 20 for the default gains, which would shake it to pieces.
 * They are lower, and it stays where it is; gains that are given stay as they are, and what they do is told. */
TEST(gains_that_nobody_gave_fit_the_period)
{
    write_file("flyer.json",
               "{\"pinion\": 1, \"name\": \"light\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"base\"}, "
               "{\"name\": \"a\", \"mass\": 5, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}, {\"name\": \"b\", "
               "\"mass\": 0.1, \"inertia\": {\"xx\": 1e-3, \"yy\": 1e-3, \"zz\": 1e-3}}], \"joints\": [{\"name\": "
               "\"heavy\", \"type\": \"continuous\", \"axis\": [0, 0, 1], \"parent\": \"base\", \"child\": \"a\"}, "
               "{\"name\": \"thin\", \"type\": \"continuous\", \"axis\": [0, 0, 1], \"parent\": \"a\", \"child\": "
               "\"b\"}]}");
    answer a = run(NULL, "sim", place("flyer.json"), "--duration", "1", "--control", "pd", "--control-step", "1e-3",
                   "--v0", "thin=1", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "would shake light joints, which have less: thin ");
    CHECK(!strstr(a.err, "heavy ") && !strstr(a.err, "make it grow"));
    table t = read_table(a.out);
    CHECK(fabs(cell(&t, -1, "v.thin")) < 1e-3 && fabs(cell(&t, -1, "q.thin")) < 1e-3);
    free(t.x);
    forget(&a);
    a = run(NULL, "sim", place("flyer.json"), "--duration", "0.002", "--control", "pd", "--control-step", "1e-3",
            "--kd", "thin=20", (const char *)NULL);
    CHECK_HAS(a.err, "make it grow");
    forget(&a);

    /* steps of a fixed length are periods; with contact the controller is asked once a step */
    static const char *const fixed[][2] = {{"--contact", "ground"}, {"--integrator", "rk4"}};
    for (int i = 0; i < 2; i++) {
        a = run(NULL, "sim", place("flyer.json"), "--duration", "1", "--control", "pd", fixed[i][0], fixed[i][1],
                "--step", "1e-3", "--v0", "thin=1", (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        CHECK_HAS(a.err, "would shake light joints, which have less: thin ");
        t = read_table(a.out);
        CHECK(fabs(cell(&t, -1, "v.thin")) < 1e-3 && fabs(cell(&t, -1, "q.thin")) < 1e-3);
        free(t.x);
        forget(&a);
    }
}

/* What is asked for accelerations takes kd T of a velocity, whatever the inertia. */
TEST(periods_that_are_too_long_are_told)
{
    write_file("fast.json", "{\"tasks\": [{\"task\": \"posture\"}, {\"task\": \"position\", \"frame\": "
                            "\"flange\", \"priority\": 1, \"kp\": 40000, \"kd\": 250}]}");
    answer a = run(NULL, "sim", bundled("arm-6dof.json"), "--control", "computed-torque", "--kd", "elbow=300",
                   "--control-step", "0.01", "--duration", "0.01", (const char *)NULL);
    CHECK_HAS(a.err, "--kd 300 of elbow every 0.01 s takes 3 times its velocity in one period, and more than 2 make it "
                     "grow; take shorter periods, or no more than 200");
    forget(&a);
    a = run(NULL, "sim", bundled("arm-6dof.json"), "--control", "task", "--tasks", place("fast.json"),
            "--control-step", "0.01", "--duration", "0.01", (const char *)NULL);
    CHECK_HAS(a.err, "kd 250 of task 1 every 0.01 s takes 2.5 times its velocity in one period");
    CHECK(!strstr(a.err, "of task 0 every"));
    forget(&a);
    /* and ends while steps are still of a sensible length: the velocity doubles with each of them */
    static const char *const fixed[][2] = {{"--control-step", "0.01"}, {"--contact", "ground"}};
    for (int i = 0; i < 2; i++) {
        a = run(NULL, "sim", bundled("arm-6dof.json"), "--control", "computed-torque", "--kd", i ? "3000" : "300",
                fixed[i][0], fixed[i][1], "--v0", "elbow=0.1", "--duration", "10", (const char *)NULL);
        CHECK_STATUS(a.status, 1);
        CHECK_HAS(a.err, "the controller's loop is not stable: every 0.0");
        CHECK_HAS(a.err, " it turns the velocity of elbow round, larger than before, ");
        forget(&a);
    }
    a = run(NULL, "sim", bundled("arm-6dof.json"), "--control", "task", "--tasks", place("fast.json"),
            "--control-step", "0.005", "--duration", "0.01", (const char *)NULL);
    CHECK(!strstr(a.err, "make it grow"));
    forget(&a);
}

/* A finger on a tendon, whose weights are arms: N. A differential has ratios: N m. */
TEST(sums_of_joints_have_their_unit)
{
    static const char form[] =
        "{\"pinion\": 1, \"name\": \"f\", \"links\": [{\"name\": \"base\"}, {\"name\": \"a\", \"mass\": 1, \"com\": "
        "[0.1, 0, 0]}, {\"name\": \"b\", \"mass\": 1, \"com\": [0.1, 0, 0]}], \"joints\": [{\"name\": \"pip\", "
        "\"type\": \"continuous\", \"parent\": \"base\", \"child\": \"a\", \"axis\": [0, 1, 0]}, {\"name\": \"dip\", "
        "\"type\": \"%s\", \"parent\": \"a\", \"child\": \"b\", \"axis\": [0, 1, 0]}], \"actuators\": [{\"name\": "
        "\"t\", \"gear\": 5, \"joints\": [{\"joint\": \"pip\", \"weight\": %g}, {\"joint\": \"dip\", \"weight\": %g}], "
        "\"effort\": [0, 0.001]}]}";
    static const char *const type[] = {"continuous", "continuous", "prismatic"},
                             *const unit[] = {" N (", " N m (", " N ("};
    static const double weight[][2] = {{0.01, -0.007}, {0.5, -0.5}, {0.3, 1}};
    for (int i = 0; i < 3; i++) {
        char text[1200];
        snprintf(text, sizeof text, form, type[i], weight[i][0], weight[i][1]);
        write_file("flyer.json", text);
        answer a = run(NULL, "id", place("flyer.json"), "--from", "pip=0", "--to", "pip=1", (const char *)NULL);
        const char *told = strstr(a.err, "beyond the actuators' limits: t ");
        CHECK(told && strstr(told, unit[i]) && strstr(told, unit[i]) < strchr(told, '\n'));
        forget(&a);
    }
}

/* Nothing acts, and nothing is said about friction where there is none. */
TEST(controllers_without_actuators_say_so)
{
    write_file("flyer.json",
               "{\"pinion\": 1, \"name\": \"f\", \"links\": [{\"name\": \"base\"}, {\"name\": \"a\", \"mass\": 1, "
               "\"com\": [0.1, 0, 0]}], \"joints\": [{\"name\": \"j\", \"type\": \"continuous\", \"parent\": \"base\", "
               "\"child\": \"a\", \"axis\": [0, 1, 0], \"actuated\": false}]}");
    static const char *const control[] = {"pd", "gravity", "computed-torque"};
    for (int i = 0; i < 3; i++) {
        answer a = run(NULL, "sim", place("flyer.json"), "--control", control[i], "--control-step", "0.01",
                       "--duration", "0.1", (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        CHECK_HAS(a.err, "warning: the model has no actuator: --control ");
        CHECK(!strstr(a.err, "came to stick"));
        forget(&a);
    }
}

/* In closed loops what is asked of joints without a motor reaches the crank: all gains count. */
TEST(default_gains_hold_closed_loops)
{
    static const char *const model[] = {"four-bar.json", "delta.json"}, *const joint[] = {"v.crank", "v.motor1"},
                             *const period[] = {"1e-3", "5e-3", "1e-2", "5e-2"};
    for (int i = 0; i < 8; i += check_every(3)) {
        answer a = run(NULL, "sim", bundled(model[i % 2]), "--control", "pd", "--control-step", period[i / 2],
                       "--duration", "2", "--max-time", "100", (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        CHECK_HAS(a.err, "would shake light joints");
        CHECK(!strstr(a.err, "make it grow"));
        table t = read_table(a.out);
        CHECK(fabs(cell(&t, -1, joint[i % 2])) < 5);
        free(t.x);
        forget(&a);
    }
    for (int i = 0; i < 2; i++) {
        answer a = run(NULL, "sim", bundled(model[0]), "--control", "pd", "--control-step", "5e-3", "--kd",
                       i ? "8" : "20", "--duration", "0.01", (const char *)NULL);
        CHECK((strstr(a.err, "times a velocity of the closed loops in one period") == NULL) == i);
        forget(&a);
    }
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(info_lists_them);
    RUN(convert_keeps_them);
    RUN(mistakes_in_a_file);
    RUN(controllers_act_through_them);
    RUN(sampled_controllers_hold);
    RUN(sensors);
    RUN(constant_forces);
    RUN(controls_of_servos);
    RUN(one_motor_holds_a_four_bar);
    RUN(inverse_dynamics_tells_what_is_missing);
    RUN(linear_systems_have_them_as_inputs);
    RUN(dynamics);
    RUN(inverse_dynamics_of_loops);
    RUN(gains_that_nobody_gave_fit_the_period);
    RUN(periods_that_are_too_long_are_told);
    RUN(sums_of_joints_have_their_unit);
    RUN(controllers_without_actuators_say_so);
    RUN(default_gains_hold_closed_loops);
    return command_end(files);
}
