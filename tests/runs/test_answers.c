/* What `pinion sim` writes and says, and what it refuses. */
#define _DEFAULT_SOURCE
#include "command/command.h"
#include "command/fixtures.h"
#include "command/sim.h"

static const char *const files[] = {
    "a.csv",  "b.csv",   "a.h5",    "b.h5",        "a.jsonl",  "s.json",     "fly.json",  "ghost.json",
    "p.urdf", "tau.csv", "bad.csv", "forces.json", "long.csv", "model.json", "other.csv", NULL};

/* A body that flies. */
#define FLYER                                                                                                \
    "{\"pinion\": 1, \"name\": \"flyer\", \"links\": [{\"name\": \"ground\"}, {\"name\": \"body\", "         \
    "\"mass\": 3,\n"                                                                                         \
    "  \"inertia\": {\"xx\": 1, \"yy\": 2, \"zz\": 2.5}}],\n"                                                \
    " \"joints\": [{\"name\": \"fly\", \"type\": \"free\", \"parent\": \"ground\", \"child\": \"body\"}]}\n"

/* ------------------------------------------------------------------------------------------------ */
/* Results */

TEST(csv_on_stdout_has_rows_at_multiples_and_at_the_end)
{
    answer a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "1", "--output-step", "0.3", "--q0",
                   "0.1,0.2,0.3", "--v0", "joint2=-1", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    CHECK(t.rows == 5 && t.columns == 1 + 3 + 9 + 5);
    const double expected[] = {0, 0.3, 0.6, 3 * 0.3, 1};
    for (int i = 0; i < 5; i++) CHECK(cell(&t, i, "t") == expected[i]);
    CHECK(cell(&t, 0, "q.joint2") == 0.2 && cell(&t, 0, "v.joint1") == 0 && cell(&t, 0, "v.joint2") == -1);
    CHECK(cell(&t, 3, "tau.joint1") == 0 && isfinite(cell(&t, 3, "a.joint3")));
    CHECK_NEAR(cell(&t, 4, "energy.total"), cell(&t, 0, "energy.total"), 1e-9);
    CHECK(cell(&t, 2, "energy.kinetic") + cell(&t, 2, "energy.potential") == cell(&t, 2, "energy.total"));
    CHECK(cell(&t, 4, "energy.work") == 0 && fabs(cell(&t, 4, "energy.drift")) < 1e-9);
    CHECK_HAS(a.err, "energy: drifts by");
    CHECK_HAS(a.err, "steps");
    free(t.x);
    forget(&a);

    /* the design's names of the same options; a hundredth of the duration is the step between rows */
    a = run(NULL, "sim", bundled("planar-3r.json"), "--duration=1", "--q0", "0.1,0.2,0.3", "--v0",
            "joint2=-1", "--tol", "1e-9", "--limits", "off", "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.err && !*a.err);
    t = read_table(a.out);
    CHECK(t.rows == 101 && cell(&t, 1, "t") == 0.01 && cell(&t, -1, "t") == 1);
    free(t.x);
    forget(&a);
}

/* The texts of a result in JSON lines. */
static json_t *texts_of(const char *path)
{
    char *text = read_file(path), *end = text ? strchr(text, '\n') : NULL;
    if (end) *end = '\0';
    json_t *head = text ? json_loads(text, 0, NULL) : NULL,
           *texts = json_incref(json_object_get(head, "texts"));
    json_decref(head);
    free(text);
    CHECK(texts != NULL);
    return texts;
}

TEST(results_say_where_they_come_from)
{
    answer a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "1", "--q0", "joint1=1",
                   "--integrator", "rk4", "--step", "1e-2", "--torque", "joint2=0.5", "--limits", "on",
                   "--stop-when", "+kinetic:20", "-o", place("a.jsonl"), "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    json_t *t = texts_of(place("a.jsonl"));
    CHECK_HAS(json_string_value(DIG(t, "command")), "pinion sim ");
    CHECK_HAS(json_string_value(DIG(t, "command")), "--torque joint2=0.5 --limits on");
    CHECK(strlen(json_string_value(DIG(t, "model_hash"))) == 64);
    CHECK_HAS(json_string_value(DIG(t, "model")), "planar-3r");
    CHECK_TEXT(DIG(t, "integrator"), "rk4");
    CHECK_TEXT(DIG(t, "step"), "0.01");
    CHECK_TEXT(DIG(t, "algorithm"), "aba");
    CHECK_TEXT(DIG(t, "passive"), "on");
    CHECK_TEXT(DIG(t, "stops"), "stiffness 10000, damping 100");
    CHECK_TEXT(DIG(t, "torque"), "joint2=0.5");
    CHECK_TEXT(DIG(t, "stop_when"), "+kinetic:20");
    CHECK_HAS(json_string_value(DIG(t, "end")), "stopped: the kinetic energy rises above");
    CHECK(!DIG(t, "rtol") && DIG(t, "steps") && DIG(t, "largest_drift"));
    json_decref(t);
}

TEST(the_same_command_gives_the_same_bytes)
{
    for (int k = 0; k < 3; k++) {
        static const char *const file[3][2] = {
            {"a.csv", "b.csv"}, {"a.h5", "b.h5"}, {"a.jsonl", "other.csv"}};
        for (int i = 0; i < 2; i++) {
            /* a second must pass, for formats that like to note the time */
            if (i && k == 1) sleep(1);
            answer a = run(NULL, "sim", bundled("stanford.json"), "--duration", "0.5", "-o",
                           place(file[k][0]), "--quiet", (const char *)NULL);
            CHECK_STATUS(a.status, 0);
            CHECK(a.out && !*a.out && a.err && !*a.err);
            forget(&a);
            if (i == 0) CHECK(rename(place(file[k][0]), place(file[k][1])) == 0);
        }
        CHECK(same_file(place(file[k][0]), place(file[k][1])));
    }
}

TEST(rows_do_not_depend_on_the_output_step)
{
    double last[2];
    static const char *const step[] = {"1", "0.001"};
    for (int i = 0; i < 2; i++) {
        answer a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "1", "--output-step", step[i],
                       "--quiet", (const char *)NULL);
        table t = read_table(a.out);
        CHECK(t.rows == (i ? 1001 : 2));
        last[i] = cell(&t, -1, "q.joint3");
        free(t.x);
        forget(&a);
    }
    CHECK(last[0] == last[1]);
}

TEST(summary_as_json)
{
    answer a = run(NULL, "sim", bundled("stanford.json"), "--duration", "1", "--q0", "0,1.57,0.1,0,1.57,0",
                   "--json", "-o", place("a.csv"), "--event", "kinetic:1", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK_KEYS(r, "model files rows output_step t_end end stopped_by integrator steps refused evaluations "
                  "implicit_steps changes_of_method largest_kinetic "
                  "largest_drift relative_drift warnings wall_seconds events");
    CHECK_TEXT(DIG(r, "files", "output"), place("a.csv"));
    CHECK_TEXT(DIG(r, "end"), "complete");
    CHECK(json_number_value(DIG(r, "rows")) == 101 && json_number_value(DIG(r, "t_end")) == 1);
    CHECK(json_number_value(DIG(r, "relative_drift")) < 1e-9 && json_number_value(DIG(r, "steps")) > 5);
    CHECK(json_array_size(DIG(r, "events")) >= 1);
    CHECK_TEXT(DIG(r, "events", "0", "text"), "the kinetic energy rises above 1 J");
    json_decref(r);
}

TEST(states_by_name_and_from_files)
{
    const char *fly = write_file("fly.json", FLYER);
    const char *state = write_file("s.json", "{\"q\": [1, 0, 0, 0, 1, 2, 3], \"v\": [0, 0, 1, 0, 0, 0]}");
    answer a = run(NULL, "sim", fly, "--duration", "0.1", "--state", state, "--q0", "fly.4=5", "--v0",
                   "fly.5=2", "--quiet", (const char *)NULL);
    table t = read_table(a.out);
    CHECK_STATUS(a.status, 0);
    CHECK(cell(&t, 0, "q.fly.4") == 5 && cell(&t, 0, "q.fly.5") == 2 && cell(&t, 0, "v.fly.2") == 1 &&
          cell(&t, 0, "v.fly.5") == 2);
    CHECK_NEAR(cell(&t, -1, "q.fly.6"), 3 + 0.2 - 0.5 * 9.81 * 0.01, 1e-12);
    free(t.x);
    forget(&a);

    /* several states: the first; one that is nearly of unit length is normalized, with a word about it */
    write_file("s.json",
               "{\"states\": [{\"q\": [0.7071, 0.7071, 0, 0, 0, 0, 0]}, {\"q\": [1, 0, 0, 0, 0, 0, 0]}]}");
    a = run(NULL, "sim", fly, "--duration", "0.1", "--state", state, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "warning: the quaternion of joint 'fly'");
    t = read_table(a.out);
    CHECK_NEAR(cell(&t, 0, "q.fly.0"), sqrt(0.5), 1e-15);
    free(t.x);
    forget(&a);
    REFUSED(2, "--q0: the quaternion of joint 'fly' has length 2", NULL, "sim", fly, "--duration", "1",
            "--q0", "fly.0=2");
    write_file("s.json", "{\"q\": [2, 0, 0, 0, 0, 0, 0]}");
    REFUSED(1, "s.json: the quaternion", NULL, "sim", fly, "--duration", "1", "--state", state);
}

TEST(torques_and_controllers)
{
    /* constant, by name and from a table, against closed forms of the pendulum at rest */
    const char *p = write_file("p.urdf", PENDULUM),
               *table_file = write_file("tau.csv", "t,tau.hinge\n0,5\n1,5\n");
    double last[3];
    const char *const option[3][2] = {{"--torque", "5"}, {"--torque", "hinge=5"}, {"--torque", table_file}};
    for (int i = 0; i < 3; i++) {
        answer a = run(NULL, "sim", p, "--duration", "1", option[i][0], option[i][1], "--passive", "off",
                       "--quiet", (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        table t = read_table(a.out);
        CHECK(cell(&t, 5, "tau.hinge") == 5);
        CHECK_NEAR(cell(&t, 0, "a.hinge"), 5 / 0.7, 1e-13);
        CHECK_NEAR(cell(&t, -1, "energy.work"), 5 * cell(&t, -1, "q.hinge"), 1e-9);
        last[i] = cell(&t, -1, "q.hinge");
        free(t.x);
        forget(&a);
    }
    CHECK(last[0] == last[1]);
    CHECK_NEAR(last[2], last[0], 1e-9);

    /* gravity compensation holds it; PD with gravity brings it back to where it starts */
    answer a = run(NULL, "sim", p, "--duration", "5", "--q0", "1", "--control", "gravity", "--quiet",
                   (const char *)NULL);
    table t = read_table(a.out);
    CHECK_NEAR(cell(&t, -1, "q.hinge"), 1, 1e-9);
    free(t.x);
    forget(&a);
    a = run(NULL, "sim", p, "--duration", "5", "--q0", "1", "--v0", "3", "--control", "pd-gravity", "--kp",
            "50", "--kd", "10", "--passive", "off", "--quiet", (const char *)NULL);
    t = read_table(a.out);
    CHECK_NEAR(cell(&t, -1, "q.hinge"), 1, 1e-6);
    free(t.x);
    forget(&a);

    /* computed torque follows a motion */
    a = run(NULL, "sim", bundled("stanford.json"), "--duration", "2", "--q0", "0,1.2,0.2,0,0.8,0",
            "--control", "computed-torque", "--to", "1,0.8,0.5,-0.5,1.3,0.4", "--passive", "off", "--quiet",
            (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    t = read_table(a.out);
    CHECK_NEAR(cell(&t, -1, "q.joint1"), 1, 1e-8);
    CHECK_NEAR(cell(&t, -1, "v.joint1"), 0, 1e-8);
    free(t.x);
    forget(&a);
}

TEST(events_are_noted_and_stop)
{
    const char *p = write_file("p.urdf", PENDULUM);
    answer a = run(NULL, "sim", p, "--duration", "100", "--q0", "1.9", "--v0", "3", "--passive", "off",
                   "--event", "+limit:hinge", "--stop-when", "-plane:tool:1,0,0:0", "--json", "-o",
                   place("a.csv"), "--limits-check", "off", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK_TEXT(DIG(r, "end"), "stopped");
    CHECK_TEXT(DIG(r, "stopped_by"), "tool falls through the plane 1,0,0 at 0 m");
    CHECK_TEXT(DIG(r, "events", "0", "text"), "hinge reaches its upper limit");
    const double t_end = json_number_value(DIG(r, "t_end"));
    json_t *events = DIG(r, "events"), *last = json_array_get(events, json_array_size(events) - 1);
    CHECK(t_end > 0 && t_end < 100 && json_number_value(DIG(last, "t")) == t_end);
    json_decref(r);
    char *text = read_file(place("a.csv"));
    table t = read_table(text);
    CHECK(cell(&t, -1, "t") == t_end);
    CHECK_NEAR(fabs(sin(cell(&t, -1, "q.hinge"))), 0, 1e-9);
    free(t.x);
    free(text);

    /* stops hold the hinge at its limit */
    a = run(NULL, "sim", p, "--duration", "3", "--q0", "1.9", "--v0", "3", "--limits", "1e4,10", "--tol",
            "1e-8", "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    t = read_table(a.out);
    for (int i = 0; i < t.rows; i++) CHECK(cell(&t, i, "q.hinge") < 2.1);
    free(t.x);
    forget(&a);
}

TEST(every_integrator_runs)
{
    static const char *const name[] = {"dopri5", "verner65", "rk4",  "euler", "variational",
                                       "bdf",    "adams",    "dirk", "ida",   "auto"};
    const double loose[] = {1e-9, 1e-9, 1e-8, 2e-2, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4};
    double reference = 0;
    for (int i = 0; i < 10; i++) {
        const int fixed = i >= 2 && i <= 4;
        answer a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "0.5", "--integrator", name[i],
                       fixed ? "--step" : "--tol",
                       fixed   ? "1e-3"
                       : i < 2 ? "1e-11"
                               : "1e-8",
                       "--quiet", (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        table t = read_table(a.out);
        const double q = cell(&t, -1, "q.joint3");
        if (i == 0) reference = q;
        if (!(fabs(q - reference) <= loose[i])) CHECK_FAIL("%s: off by %g", name[i], q - reference);
        free(t.x);
        forget(&a);
    }
}

/* The largest energies are those of all steps, and not set against each other where nothing moves. */
TEST(energies_between_rows_count)
{
    const char *p = write_file("p.urdf", PENDULUM);
    double kinetic[2], drift[2];
    static const char *const step[] = {"1", "0.01"};
    for (int i = 0; i < 2; i++) {
        answer a = run(NULL, "sim", p, "--duration", "1", "--q0", "0.5", "--output-step", step[i],
                       "--passive", "off", "--json", (const char *)NULL);
        json_t *r = parse_answer(&a, 0);
        kinetic[i] = json_number_value(DIG(r, "largest_kinetic"));
        drift[i] = json_number_value(DIG(r, "largest_drift"));
        CHECK_NEAR(json_number_value(DIG(r, "relative_drift")), drift[i] / kinetic[i], 1e-16);
        json_decref(r);
    }
    CHECK_NEAR(kinetic[0], 9.81 * (1 - cos(0.5)), 1e-2); /* at the bottom, after 0.43 s */
    CHECK(kinetic[0] == kinetic[1] && drift[0] == drift[1]);

    /* hanging, with nothing but rounding to move it */
    answer a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "2", "--q0",
                   "-1.5707963267948966,0,0", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "nothing moves but by rounding");
    forget(&a);
    a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "2", "--q0", "-1.5707963267948966,0,0",
            "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK(json_is_null(DIG(r, "relative_drift")) && json_number_value(DIG(r, "largest_kinetic")) > 0);
    json_decref(r);

    /* smooth friction that holds a light arm lets it creep by 5e-6 rad/s: the energies' rounding is a part of that */
    const char *creeps = write_file(
        "s.json", "{\"pinion\": 1, \"name\": \"creeps\", \"links\": [{\"name\": \"base\"}, {\"name\": \"arm\", "
                  "\"mass\": 0.1, \"com\": [0.01, 0, 0], \"inertia\": {\"xx\": 1e-6, \"yy\": 1e-6, \"zz\": 1e-6}}], "
                  "\"joints\": [{\"name\": \"turn\", \"type\": \"continuous\", \"axis\": [0, 1, 0], \"parent\": "
                  "\"base\", \"child\": \"arm\", \"origin\": {\"position\": [0, 0, 0.1]}, \"friction\": 2}]}\n");
    a = run(NULL, "sim", creeps, "--duration", "1", "--json", (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK(json_is_null(DIG(r, "relative_drift")));
    CHECK_NEAR(json_number_value(DIG(r, "largest_kinetic")), 0.5 * 1.1e-5 * pow(1e-3 * 0.00981 / 2, 2), 1e-20);
    json_decref(r);
}

/* A hinge that its stops hold so hard that an explicit method takes tiny steps: said once while it runs, and
 * in the end. */
TEST(short_steps_are_pointed_out)
{
    const char *p = write_file("p.urdf", PENDULUM);
    for (int quiet = 0; quiet < 2; quiet++) {
        answer a =
            run(NULL, "sim", p, "--duration", "0.3", "--q0", "2", "--torque", "50", "--limits", "1e8,1e5",
                "--integrator", "dopri5", "-o", place("a.csv"), quiet ? "--quiet" : (const char *)NULL,
                (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        if (quiet) {
            /* the warning about the motor, and nothing else */
            CHECK_HAS(a.err, "pinion sim: warning: joint forces beyond the model's limits");
            CHECK(lines_of(a.err) == 1);
        } else {
            const char *hint = a.err ? strstr(a.err, "pinion sim: steps are short") : NULL;
            CHECK(hint && !strstr(hint + 1, "pinion sim: steps are short"));
            CHECK_HAS(hint, "--integrator bdf");
            CHECK_HAS(a.err, "  steps are short: friction, stops or contacts");
        }
        forget(&a);
    }
    answer a = run(NULL, "sim", p, "--duration", "0.3", "--q0", "2", "--torque", "50", "-o", place("a.csv"),
                   (const char *)NULL);
    CHECK(a.err && !strstr(a.err, "steps are short"));
    forget(&a);
}

/* A motion that no robot can follow, and steps that somebody chose too short: what lies ahead is said, also with
 * --quiet, once, unless --max-steps ends it long before. */
TEST(very_many_steps_are_told)
{
    const char *p = bundled("planar-3r.json");
    const char *wild = write_file("bad.csv", "t,q.joint1,q.joint2,q.joint3\n0,0,0,0\n0.1,1e7,0,0\n0.2,0,0,0\n");
    for (int k = 0; k < 3; k++) {
        answer a = k == 0 ? run(NULL, "sim", p, "--duration", "0.02", "--trajectory", wild, "--control", "pd", "-o",
                                place("a.csv"), "--max-time", "2", "--quiet", (const char *)NULL)
                          : run(NULL, "sim", p, "--duration", "1000", "--integrator", "rk4", "--step", "1e-6", "-o",
                                place("a.csv"), "--quiet", k == 1 ? "--max-time" : "--max-steps",
                                k == 1 ? "2" : "30000", (const char *)NULL);
        CHECK_STATUS(a.status, 1);
        const char *said = a.err ? strstr(a.err, "pinion sim: warning: steps are of ") : NULL;
        CHECK((said != NULL) == (k < 2));
        if (said) CHECK_HAS(said, k == 0 ? "are ahead" : "with such ones 1.0e+09 are ahead");
        CHECK(!said || !strstr(said + 1, "pinion sim: warning: steps are of "));
        forget(&a);
    }
}

/* ------------------------------------------------------------------------------------------------ */
/* What is refused */

TEST(wrong_command_lines)
{
    const char *m = bundled("planar-3r.json");
    REFUSED(2, "a MODEL file is missing", NULL, "sim");
    REFUSED(2, "--duration S is missing", NULL, "sim", m);
    REFUSED(2, "--duration: expected a number above 0, got '-1'", NULL, "sim", m, "--duration=-1");
    REFUSED(2, "--output-step: expected a number above 0", NULL, "sim", m, "--duration", "1", "--output-step",
            "0");
    REFUSED(2, "--output-step: ", NULL, "sim", m, "--duration", "1", "--output-step", "1e-9");
    REFUSED(2, "--q0: expected 3 numbers, or JOINT=VALUE,..., got 2", NULL, "sim", m, "--duration", "1",
            "--q0", "1,2");
    REFUSED(2, "--q0: no coordinate is named 'jiont1' (did you mean 'joint1'", NULL, "sim", m, "--duration",
            "1", "--q0", "jiont1=2");
    REFUSED(2, "--v0: expected a number, got 'x'", NULL, "sim", m, "--duration", "1", "--v0", "joint1=x");
    REFUSED(2, "--torque: expected 3 numbers", NULL, "sim", m, "--duration", "1", "--torque", "1");
    REFUSED(2, "--kp: expected 1 or 3 numbers", NULL, "sim", m, "--duration", "1", "--control", "pd", "--kp",
            "1,2");
    REFUSED(2, "--kp: has no use without --control", NULL, "sim", m, "--duration", "1", "--kp", "1");
    REFUSED(2, "--integrator: expected", NULL, "sim", m, "--duration", "1", "--integrator", "dopri");
    REFUSED(2, "(did you mean 'dopri5'?)", NULL, "sim", m, "--duration", "1", "--integrator", "dopri");
    REFUSED(2, "--tol: rk4 takes steps of the length", NULL, "sim", m, "--duration", "1", "--integrator",
            "rk4", "--tol", "1e-3");
    REFUSED(2, "--algorithm rnea computes inverse_dynamics", NULL, "sim", m, "--duration", "1", "--algorithm",
            "rnea");
    REFUSED(2, "--event: no joint is named 'joint9' (did you mean", NULL, "sim", m, "--duration", "1",
            "--event", "limit:joint9");
    REFUSED(2, "--stop-when: no link or frame is named 'lnik3' (did you mean 'link3'", NULL, "sim", m,
            "--duration", "1", "--stop-when", "plane:lnik3:0,0,1:0");
    REFUSED(2, "--event: expected plane:FRAME:X,Y,Z:HEIGHT", NULL, "sim", m, "--duration", "1", "--event",
            "plane:link3:0");
    REFUSED(2, "--event: expected limit, plane, energy or kinetic, got 'enrgy' (did you mean 'energy'?)",
            NULL, "sim", m, "--duration", "1", "--event", "enrgy:3");
    REFUSED(2, "--event limit: no joint of the model has a position limit", NULL, "sim", m, "--duration", "1",
            "--event", "limit");
    REFUSED(2, "the name must end in .csv", NULL, "sim", m, "--duration", "1", "-o", place("x.txt"));
    REFUSED(2, "--checkpoint-every has no use", NULL, "sim", m, "--duration", "1", "--checkpoint-every", "1");
    REFUSED(2, "--resume goes on with the settings", NULL, "sim", m, "--resume", place("c.h5"));
    REFUSED(2, "standard input could not be read again", "{}", "sim", "-", "--duration", "1", "--checkpoint",
            place("c.h5"));
    REFUSED(2, "--limits: expected on, off", NULL, "sim", m, "--duration", "1", "--limits", "1e4");
}

/* What would have no effect, or not the one that was meant. */
TEST(nothing_is_passed_over_in_silence)
{
    const char *m = bundled("planar-3r.json");
    REFUSED(2, "--q0: 'joint1' is given twice", NULL, "sim", m, "--duration", "1", "--q0",
            "joint1=1,joint1=2");
    REFUSED(2, "--from needs where the motion goes", NULL, "sim", m, "--duration", "1", "--control",
            "pd-gravity", "--from", "1,1,1");
    REFUSED(2, "--profile needs where the motion goes", NULL, "sim", m, "--duration", "1", "--control", "pd",
            "--profile", "quintic");
    REFUSED(2, "--json and --output - both want", NULL, "sim", m, "--duration", "1", "--json", "-o", "-");
    REFUSED(2, "--limit-effort: has no use without", NULL, "sim", m, "--duration", "1", "--limit-effort");
    REFUSED(2, "are more than 1e+08 numbers", NULL, "sim", m, "--duration", "1", "--output-step", "1e-9");
    REFUSED(2, "are more than 1e+11 steps", NULL, "sim", m, "--duration", "1", "--integrator", "rk4",
            "--step", "1e-300");
    REFUSED(2, "are more than 1e+11 steps", NULL, "sim", m, "--duration", "1", "--max-step", "1e-12");
    REFUSED(2, "--duration: expected at most", NULL, "sim", m, "--duration", "1e300");
    REFUSED(1, "neither end can move", NULL, "sim", m, "--duration", "1", "--forces",
            write_file("forces.json", "{\"springs\": [{\"frame_a\": \"world\", \"frame_b\": \"base\"}]}"));
    REFUSED(1, "a link that cannot move", NULL, "sim", m, "--duration", "1", "--forces",
            write_file("forces.json", "{\"drag\": [{\"frame\": \"base\", \"added_mass\": 1}]}"));

    /* a model without limits: a word, and the run */
    answer a = run(NULL, "sim", m, "--duration", "0.1", "--limits", "on", "--limit-effort", "--control",
                   "gravity", "--stabilize", "projection", "--friction-speed", "0.1", "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "--stabilize has no effect: the model has no closed loop");
    CHECK_HAS(a.err, "--friction-speed has no effect: no joint of the model has friction");
    CHECK_HAS(a.err, "--limits has no effect: no joint of the model has a position limit");
    CHECK_HAS(a.err, "--limit-effort has no effect: no joint or actuator of the model has an effort limit");
    forget(&a);
    a = run(NULL, "sim", write_file("p.urdf", PENDULUM), "--duration", "0.1", "--limits", "on",
            "--limit-effort", "--control", "gravity", "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.err && !*a.err);
    forget(&a);
}

TEST(files_that_cannot_be_used)
{
    const char *m = bundled("planar-3r.json"), *bad = write_file("bad.csv", "t,tau.joint9\n0,1\n");
    REFUSED(1, "nowhere.json", NULL, "sim", place("nowhere.json"), "--duration", "1");
    REFUSED(1, "cannot be written", NULL, "sim", m, "--duration", "1", "-o", place("no/such/folder.csv"));

    /* the first coordinate of a ball joint "a" has the name of a joint "a.0" */
    REFUSED(
        1, "there cannot be a column 'q.a.0'", NULL, "sim",
        write_file("model.json",
                   "{\"pinion\": 1, \"links\": [{\"name\": \"b\"}, {\"name\": \"c\", \"mass\": 1,"
                   " \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}, {\"name\": \"d\", \"mass\": 1,"
                   " \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": ["
                   "{\"name\": \"a\", \"type\": \"spherical\", \"parent\": \"b\", \"child\": \"c\"},"
                   " {\"name\": \"a.0\", \"type\": \"continuous\", \"parent\": \"c\", \"child\": \"d\"}]}\n"),
        "--duration", "1");
    REFUSED(1, "bad.csv", NULL, "sim", m, "--duration", "1", "--torque", bad);
    REFUSED(1, "nothing.json", NULL, "sim", m, "--duration", "1", "--forces", place("nothing.json"));
    REFUSED(1, "nothing.json", NULL, "sim", m, "--duration", "1", "--state", place("nothing.json"));
    REFUSED(1, "c.h5", NULL, "sim", "--resume", place("c.h5"));

    /* a result is no checkpoint */
    answer a = run(NULL, "sim", m, "--duration", "0.1", "-o", place("a.h5"), "--quiet", (const char *)NULL);
    forget(&a);
    REFUSED(1, "not a checkpoint", NULL, "sim", "--resume", place("a.h5"));
}

/* What could be computed is written all the same. */
TEST(a_run_that_fails_keeps_what_it_has)
{
    const char *ghost = write_file("ghost.json", MASSLESS);
    answer a = run(NULL, "sim", ghost, "--duration", "1", (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "singular");
    forget(&a);

    /* a spring so strong that a fixed step blows up */
    const char *sliders = write_file("model.json", SLIDERS);
    a = run(NULL, "sim", sliders, "--duration", "1000", "--output-step", "1", "--integrator", "rk4", "--step",
            "1", "-o", place("long.csv"), "--max-drift", "off", (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "the integration ends at t = ");
    CHECK_HAS(a.err, "complete in ");
    char *text = read_file(place("long.csv"));
    table t = read_table(text);
    CHECK(t.rows > 5 && t.rows < 1000 && isfinite(cell(&t, -1, "q.lead")));
    free(t.x);
    free(text);
    forget(&a);
}

TEST(targets_errors_and_frames_are_columns)
{
    answer a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "1", "--control", "computed-torque", "--to",
                   "0.5,0.2,0.1", "--frames", "link3,link1", "--rpy", "-o", place("a.csv"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    char *text = read_file(place("a.csv"));
    table t = read_table(text);
    free(text);
    CHECK(t.columns == 1 + 3 + 9 + 12 + 20 + 5);
    CHECK_NEAR(cell(&t, -1, "target.q.joint1"), 0.5, 1e-12);
    CHECK_NEAR(cell(&t, 50, "error.q.joint2"), cell(&t, 50, "target.q.joint2") - cell(&t, 50, "q.joint2"), 1e-15);
    const double angle = cell(&t, -1, "q.joint1") + cell(&t, -1, "q.joint2") + cell(&t, -1, "q.joint3");
    CHECK_NEAR(2 * acos(cell(&t, -1, "frame.link3.quaternion.0")), angle, 1e-7);
    CHECK(fabs(cell(&t, -1, "frame.link3.rpy.0")) + fabs(cell(&t, -1, "frame.link3.rpy.1")) +
              fabs(cell(&t, -1, "frame.link3.rpy.2")) > 0.79);
    CHECK(isfinite(cell(&t, -1, "frame.link1.position.2")));
    free(t.x);

    /* what sim writes id can read */
    a = run(NULL, "id", bundled("planar-3r.json"), "--trajectory", place("a.csv"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "1", "--frames", "link4", (const char *)NULL);
    CHECK_STATUS(a.status, 2);
    CHECK_HAS(a.err, "--frames: ");
    CHECK_HAS(a.err, "link4");
    forget(&a);
    REFUSED(2, "--frames: 'link3' is given twice", NULL, "sim", bundled("planar-3r.json"), "--duration", "1",
            "--frames", "link3,tip,link3");
    REFUSED(2, "--rpy has no use without --frames", NULL, "sim", bundled("planar-3r.json"), "--duration", "1", "--rpy");
}

TEST(exact_friction_is_told)
{
    const char *block = write_file(
        "model.json", "{\"pinion\": 1, \"name\": \"block\", \"links\": [{\"name\": \"rail\"}, {\"name\": \"block\","
                      " \"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": "
                      "\"slide\","
                      " \"type\": \"prismatic\", \"axis\": [1, 0, 0], \"parent\": \"rail\", \"child\": \"block\","
                      " \"friction\": 3}]}\n");
    answer a = run(NULL, "sim", block, "--v0", "2", "--duration", "3", "--friction", "exact", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    CHECK_NEAR(cell(&t, -1, "q.slide"), 4.0 / 3, 1e-11);
    CHECK(cell(&t, -1, "v.slide") == 0);
    CHECK_HAS(a.err, "friction: joints came to stick 1 time and broke away 0 times");
    forget(&a);

    /* what is sampled has it by itself, but where its speed is given or the method does not take it */
    a = run(NULL, "sim", block, "--v0", "2", "--duration", "3", "--control", "pd", "--kp", "0", "--kd", "0",
            "--control-step", "0.01", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "friction: joints came to stick 1 time and broke away 0 times");
    forget(&a);
    a = run(NULL, "sim", block, "--v0", "2", "--duration", "0.1", "--control", "pd", "--kp", "0", "--kd", "0",
            "--control-step", "0.01", "--friction-speed", "0.1", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(!strstr(a.err, "came to stick"));
    free(t.x);
    forget(&a);
    REFUSED(2, "--friction-speed has no use", NULL, "sim", block, "--duration", "3", "--friction", "exact",
            "--friction-speed", "1");
    a = run(NULL, "sim", block, "--duration", "3", "--stiction", "2", (const char *)NULL);
    CHECK_STATUS(a.status, 2);
    forget(&a);
    REFUSED(1, "exact friction does not go with", NULL, "sim", block, "--duration", "3", "--friction", "exact",
            "--integrator", "ida");
    a = run(NULL, "sim", bundled("planar-3r.json"), "--duration", "1", "--friction", "exact", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "--friction exact has no effect");
    forget(&a);
}

TEST(tasks_are_done)
{
    const char *tasks = write_file("s.json", "{\"tasks\": [{\"task\": \"position\", \"frame\": \"flange\", \"line\": "
                                             "{\"by\": [0, 0, 0.1], \"duration\": 0.5}}]}\n");
    answer a = run(NULL, "sim", bundled("arm-6dof.json"), "--q0", "0.2,-1.4,1.6,0.3,0.5,0.1", "--control", "task",
                   "--tasks", tasks, "--frames", "flange", "--duration", "0.6", "--tol", "1e-7", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    CHECK_NEAR(cell(&t, -1, "frame.flange.position.2") - cell(&t, 0, "frame.flange.position.2"), 0.1, 1e-6);
    CHECK_NEAR(cell(&t, -1, "frame.flange.position.0"), cell(&t, 0, "frame.flange.position.0"), 1e-6);
    free(t.x);
    forget(&a);
    REFUSED(2, "task needs --tasks FILE", NULL, "sim", bundled("arm-6dof.json"), "--control", "task", "--duration",
            "1");
    a = run(NULL, "sim", bundled("arm-6dof.json"), "--tasks", tasks, "--duration", "1", (const char *)NULL);
    CHECK_STATUS(a.status, 2);
    forget(&a);

    /* a target out of reach is told */
    tasks = write_file("s.json", "{\"tasks\": [{\"task\": \"position\", \"frame\": \"flange\", \"position\": "
                                 "[1, 0, 0]}, {\"task\": \"posture\", \"priority\": 1}]}\n");
    a = run(NULL, "sim", bundled("arm-6dof.json"), "--q0", "0.2,-1.4,1.6,0.3,0.5,0.1", "--control", "task", "--tasks",
            tasks, "--duration", "1", "--tol", "1e-6", "--limits-check", "off", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "task 0 gave way near a singular position for about ");
    double seconds = 0;
    const char *told = strstr(a.err, "for about ");
    CHECK(told && sscanf(told, "for about %lf s", &seconds) == 1 && seconds > 0.5 && seconds < 1);
    CHECK(!strstr(a.err, "task 1 gave way")); /* what it was left is what it can have */
    forget(&a);

    /* and a start from which no motor leads towards it: the arm is stretched */
    tasks = write_file("s.json", "{\"tasks\": [{\"task\": \"position\", \"frame\": \"tip\", \"position\": "
                                 "[0.5, 0, 0]}]}\n");
    a = run(NULL, "sim", bundled("planar-2r.json"), "--control", "task", "--tasks", tasks, "--duration", "1",
            (const char *)NULL);
    CHECK_HAS(a.err, "warning: task 0 wants a motion at the start that the actuators cannot make");
    CHECK_HAS(a.err, "for about 1 s, from the start on");
    forget(&a);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(csv_on_stdout_has_rows_at_multiples_and_at_the_end);
    RUN(results_say_where_they_come_from);
    RUN(the_same_command_gives_the_same_bytes);
    RUN(rows_do_not_depend_on_the_output_step);
    RUN(summary_as_json);
    RUN(states_by_name_and_from_files);
    RUN(torques_and_controllers);
    RUN(events_are_noted_and_stop);
    RUN(every_integrator_runs);
    RUN(energies_between_rows_count);
    RUN(short_steps_are_pointed_out);
    RUN(very_many_steps_are_told);
    RUN(targets_errors_and_frames_are_columns);
    RUN(exact_friction_is_told);
    RUN(tasks_are_done);
    RUN(wrong_command_lines);
    RUN(nothing_is_passed_over_in_silence);
    RUN(files_that_cannot_be_used);
    RUN(a_run_that_fails_keeps_what_it_has);
    return command_end(files);
}
