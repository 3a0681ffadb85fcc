/* Vehicles under water and in the air: the bundled ones, and what `info`, `id`, `sim` and the page say of them. */
#define _DEFAULT_SOURCE
#include "command.h"

static const char *const files[] = {"motion.csv", "run.csv", "page.html", "arm.json", NULL};

/* what adds up to 1.2 kg */
#define HOVER "rotor_front_left=2.943,rotor_front_right=2.943,rotor_rear_left=2.943,rotor_rear_right=2.943"

/* the number in a column of the row at `text` */
static double cell(const char *csv, int row, const char *name)
{
    const char *line = csv, *end = strchr(csv, '\n');
    int column = 0;
    const size_t length = strlen(name);
    for (const char *at = csv; at < end; at = strpbrk(at, ",\n") + 1, column++)
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\n')) break;
    for (int i = 0; i <= row && line; i++) line = strchr(line, '\n') + 1;
    for (int i = 0; i < column && line; i++) line = strchr(line, ',') + 1;
    return line ? atof(line) : NAN;
}

TEST(info)
{
    answer a = run(NULL, "info", bundled("rov.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "Added mass");
    CHECK_HAS(a.out, "hull  0.1, 0.14, 0.2, 5.5, 12, 14 on the diagonal");
    CHECK_HAS(a.out, "frame front_left");
    forget(&a);
    a = run(NULL, "info", bundled("rov.json"), "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK_NEAR(json_number_value(DIG(r, "links", "1", "added_mass", "4", "4")), 12, 0);
    CHECK_NEAR(json_number_value(DIG(r, "links", "2", "added_mass", "2", "4")), 0.127235, 1e-6);
    json_decref(r);
}

TEST(hovers)
{
    answer a = run(NULL, "sim", bundled("multirotor.json"), "--duration", "2", "--actuator", HOVER,
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    if (a.status == 0) CHECK_NEAR(cell(a.out, 100, "q.root.6"), 1, 1e-12);
    forget(&a);
}

/* with water, a current and thrusters energy less work stays; the page has the thrusters */
TEST(dives)
{
    char water[700];
    snprintf(water, sizeof water, "%s", bundled("forces/rov.json"));
    answer a = run(NULL, "sim", bundled("rov.json"), "--forces", water, "--duration", "0.5", "--actuator",
                   "thruster_front_left=10,thruster_rear_right=-5", "-o", place("run.csv"), "--report",
                   place("page.html"), "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK(json_number_value(DIG(r, "relative_drift")) < 1e-10);
    json_decref(r);
    char *page = read_file(place("page.html"));
    CHECK_HAS(page, "\"thrusters\":{\"list\":[{\"frame\":");
    free(page);
}

/* a free end that carries a load and a beam; what is on the clamped end does not count */
static const char boom[] =
    "{\"pinion\": 1, \"links\": [{\"name\": \"boom\", \"elastic\": {\"beam\": "
    "{\"length\": 1, \"mass_per_length\": 1, \"EI\": 9, \"modes\": 1}}}, "
    "{\"name\": \"box\", \"mass\": 0.7}, {\"name\": \"load\", \"mass\": 0.3, \"elastic\": {\"beam\": "
    "{\"length\": 2, \"mass_per_length\": 0.2, \"EI\": 9, \"modes\": 1}}}], \"joints\": "
    "[{\"name\": \"a\", \"type\": \"fixed\", \"parent\": \"boom\", \"child\": \"box\"}, "
    "{\"name\": \"b\", \"type\": \"fixed\", \"parent\": \"boom\", \"child\": \"load\", "
    "\"origin\": {\"position\": [1, 0, 0]}}]}";

/* Links that bend: what info tells, a run with its page, the way there and back, and who refuses. */
TEST(bends)
{
    answer a = run(NULL, "info", bundled("bending-arm.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "Elastic links");
    CHECK_HAS(a.out, "upper.mode5");
    CHECK(!strstr(a.out, "which shapes of a free end do not know"));
    forget(&a);

    a = run(NULL, "info", write_file("arm.json", boom), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "it carries 0.7 kg, which shapes of a free end do not know");
    forget(&a);
    a = run(NULL, "info", place("arm.json"), "--json", (const char *)NULL);
    json_t *told = parse_answer(&a, 0);
    CHECK_NEAR(json_number_value(DIG(told, "elastic_links", "0", "unknown_load")), 0.3 + 0.4, 1e-12);
    CHECK(!DIG(told, "elastic_links", "1", "unknown_load"));
    json_decref(told);
    a = run(NULL, "info", bundled("bending-arm.json"), "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK(json_array_size(DIG(r, "joints")) == 11 && json_array_size(DIG(r, "elastic_links")) == 2);
    CHECK_NEAR(json_number_value(DIG(r, "mass")), 0.4 + 0.5 + 0.3 + 0.32 + 0.5, 1e-12);

    a = run(NULL, "convert", bundled("bending-arm.json"), "-o", place("arm.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    a = run(NULL, "info", place("arm.json"), "--json", (const char *)NULL);
    json_t *again = parse_answer(&a, 0);
    CHECK(json_equal(DIG(r, "elastic_links"), DIG(again, "elastic_links")));
    CHECK(json_equal(DIG(r, "joints"), DIG(again, "joints")));
    json_decref(again);
    json_decref(r);

    a = run(NULL, "sim", bundled("bending-arm.json"), "--duration", "0.05", "--tol", "1e-8", "-o", place("run.csv"),
            "--report", place("page.html"), "--json", (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK(json_number_value(DIG(r, "relative_drift")) < 1e-7);
    json_decref(r);
    char *page = read_file(place("page.html"));
    CHECK_HAS(page, "\"elastic\":{\"list\":[{\"body\":1,\"nodes\":false,\"rest\":[");
    free(page);
    a = run(NULL, "sim", bundled("bending-arm.json"), "--duration", "0.05", "--integrator", "variational", "--step",
            "1e-3", (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "variational: the model has elastic links");
    forget(&a);
}

/* what goes through a joint, summed up link by link, has the joint's torque about its axis, which is y */
TEST(reactions)
{
    const char *head = "t,q.root.0,q.root.1,q.root.2,q.root.3,q.root.4,q.root.5,q.root.6,q.shoulder,q.elbow,q.wrist\n";
    char text[4000];
    size_t at = (size_t)snprintf(text, sizeof text, "%s", head);
    for (int k = 0; k < 12; k++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%g,%.17g,%.17g,0,0,%g,%g,%g,%g,%g,%g\n", 0.1 * k,
                               cos(0.05 * k), sin(0.05 * k), 0.003 * k * k, 0.02 * k, 0.01 * k, 0.8 + 0.01 * k * k,
                               -1.2 + 0.1 * k, 0.05 * k);
    char water[700];
    snprintf(water, sizeof water, "%s", bundled("forces/rov.json"));
    double still[12];
    for (int wet = 0; wet < 2; wet++) {
        answer a = run(NULL, "id", bundled("rov.json"), "--trajectory", write_file("motion.csv", text), "--reactions",
                       wet ? "--forces" : (const char *)NULL, water, (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        for (int k = 0; k < 12 && a.status == 0; k++) {
            CHECK_NEAR(cell(a.out, k, "reaction.shoulder.ny"), cell(a.out, k, "tau.shoulder"), 1e-12);
            CHECK_NEAR(cell(a.out, k, "reaction.elbow.ny"), cell(a.out, k, "tau.elbow"), 1e-12);
            CHECK_NEAR(cell(a.out, k, "reaction.root.fx"), cell(a.out, k, "tau.root.3"), 1e-11);
            CHECK_NEAR(cell(a.out, k, "reaction.root.nz"), cell(a.out, k, "tau.root.2"), 1e-11);
            if (!wet) still[k] = cell(a.out, k, "tau.root.5");
        }
        /* it hangs in the water, near enough: 12.9 kg displace as much; by drag and waves it needs some newtons */
        if (wet && a.status == 0) CHECK_NEAR(cell(a.out, 0, "tau.root.5"), still[0] - 12.89 * 9.81, 10);
        forget(&a);
    }
}

/* the torques that `id` gives make `sim` go along, both in the water */
TEST(both_ways)
{
    char water[700];
    snprintf(water, sizeof water, "%s", bundled("forces/rov.json"));
    answer a = run(NULL, "sim", bundled("rov.json"), "--forces", water, "--duration", "0.4", "--output-step", "0.05",
                   "--torque", "shoulder=3,elbow=-1", "-o", place("run.csv"), "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    a = run(NULL, "id", bundled("rov.json"), "--trajectory", place("run.csv"), "--forces", water, "--passive", "on",
            (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    for (int k = 0; k < 9 && a.status == 0; k++) {
        CHECK_NEAR(cell(a.out, k, "tau.shoulder"), 3, 1e-9);
        CHECK_NEAR(cell(a.out, k, "tau.elbow"), -1, 1e-9);
        for (int i = 0; i < 6; i++) {
            char name[20];
            snprintf(name, sizeof name, "tau.root.%d", i);
            CHECK_NEAR(cell(a.out, k, name), 0, 1e-8);
        }
    }
    forget(&a);
}

/* who cannot compute with added mass says so */
TEST(refused)
{
    answer a = run("{\"states\": [{\"q\": [1,0,0,0,0,0,0,0,0,0]}]}", "eval", bundled("rov.json"), "--states", "-",
                   "--what", "mass_matrix", "--algorithm", "gah", (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "gah needs rigid bodies: the model has links with added mass");
    forget(&a);
    a = run(NULL, "codegen", bundled("rov.json"), "--what", "mass_matrix", "-o", place("code"), (const char *)NULL);
    CHECK(a.status != 0);
    CHECK_HAS(a.err, "added mass");
    forget(&a);
}

/* a satellite's arm reaches while the bus floats: what the base would have to give is nothing */
TEST(floats)
{
    static const char start[] = "shoulder_yaw=0.2,shoulder_pitch=-0.9,elbow=1.5,wrist_pitch=0.4,wrist_yaw=0.3";
    answer a = run(NULL, "id", bundled("satellite.json"), "--from", start, "--line", "tool:-0.2,0.1,0.1", "--floating",
                   "--duration", "20", "--motion", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    if (a.status == 0) {
        for (int i = 0; i < 6; i++) {
            char name[16];
            snprintf(name, sizeof name, "tau.root.%d", i);
            for (int row = 0; row <= 100; row += 10) CHECK_NEAR(cell(a.out, row, name), 0, 1e-9);
        }
        CHECK(fabs(cell(a.out, 100, "q.root.3")) > 1e-3);
        CHECK(fabs(cell(a.out, 50, "tau.elbow")) > 0 && cell(a.out, 50, "v.wheel_x") == 0);
    }
    forget(&a);
    a = run(NULL, "id", bundled("satellite.json"), "--from", start, "--to", "elbow=1", "--floating",
            (const char *)NULL);
    CHECK_STATUS(a.status, 2);
    CHECK_HAS(a.err, "--floating needs --line");
    forget(&a);
}

/* the links go from one place to another, and the motors give what the spring passes on: at both ends G times what
 * gravity takes, and between rows the angles are those of the equation of motion */
TEST(elastic)
{
    answer a = run(NULL, "id", bundled("elastic-arm.json"), "--from", "shoulder=0.3", "--to",
                   "waist=0.8,shoulder=0.9,elbow=-0.6", "--profile", "nonic", "--elastic", "--motion",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(!strstr(a.err, "degrees"));
    for (int row = 0; row <= 100 && a.status == 0; row += 100) {
        const double k = 8000, G = 100, tau = cell(a.out, row, "tau.shoulder.motor");
        CHECK_NEAR(cell(a.out, row, "q.shoulder.motor") / G - cell(a.out, row, "q.shoulder"), G * tau / k, 1e-12);
        CHECK(cell(a.out, row, "tau.shoulder") == 0);
    }
    forget(&a);
    a = run(NULL, "info", bundled("elastic-arm.json"), "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK_NEAR(json_number_value(DIG(r, "elastic_joints", "2", "gear")), 80, 1e-12);
    CHECK_NEAR(json_number_value(DIG(r, "elastic_joints", "2", "rotor_inertia")), 6e-5, 1e-18);
    json_decref(r);
    a = run(NULL, "id", bundled("rov.json"), "--from", "1", "--to", "1", "--elastic", (const char *)NULL);
    CHECK(a.status != 0);
    forget(&a);
}

/* With a damper the motor's angle is integrated: one joint on a motion known in closed form. A disk of inertia I that
 * turns by s(t) pi about its axis needs F = I s'' pi, and what is written satisfies d delta' = F - k delta. */
static void check_damped(double d)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "{\"pinion\": 1, \"name\": \"disk\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"base\"}, "
        "{\"name\": \"disk\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 2}}], "
        "\"joints\": [{\"name\": \"j\", \"type\": \"revolute\", \"parent\": \"base\", \"child\": \"disk\", "
        "\"rotor\": {\"inertia\": 0.01, \"gear\": 5}, \"elastic\": {\"stiffness\": 30, \"damping\": %g}}]}",
        d);
    answer a = run(text, "id", "-", "--from", "j=0", "--to", "j=3.1415926535897931", "--profile", "cycloidal",
                   "--duration", "2", "--elastic", "--motion", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    /* delta of F = C sin(w t) from rest: C / (k^2 + d^2 w^2) (k sin w t - d w cos w t + d w exp(-k t / d)) */
    const double pi = acos(-1), w = pi, C = 2 * pi * (2 * pi / 4), k = 30;
    for (int row = 0; row <= 100 && a.status == 0; row += 5) {
        const double t = cell(a.out, row, "t"), delta = C / (k * k + d * d * w * w) *
                                                        (k * sin(w * t) - d * w * cos(w * t) + d * w * exp(-k * t / d));
        CHECK_NEAR(cell(a.out, row, "q.j.motor") / 5 - cell(a.out, row, "q.j"), delta, 1e-9);
        CHECK_NEAR(cell(a.out, row, "tau.j.motor"),
                   0.01 * cell(a.out, row, "a.j.motor") + C * sin(w * t) / 5, 1e-9);
    }
    forget(&a);
}

TEST(damped)
{
    check_damped(4);
    check_damped(0.004); /* what the damper keeps is gone within a step */
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(info);
    RUN(hovers);
    RUN(dives);
    RUN(bends);
    RUN(floats);
    RUN(elastic);
    RUN(damped);
    RUN(reactions);
    RUN(both_ways);
    RUN(refused);
    return command_end(files);
}
