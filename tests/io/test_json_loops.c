/* The native model format: graphs of links, joints that are cut, roots, motors, and constraints of every
 * kind. */
#include <math.h>

#include "pinion/pinion.h"
#include "support/check.h"

#define PI 3.14159265358979323846

static pinion_model *load(const char *text, pinion_error *err)
{
    memset(err, 0, sizeof *err);
    return pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "loops.json", NULL, err);
}

/* Loads; what is written of it loads again and is written to the same bytes. */
static pinion_model *must_load(const char *text)
{
    pinion_error err;
    pinion_model *m = load(text, &err);
    if (!m) {
        CHECK_FAIL("%s", err.message);
        return NULL;
    }
    char *once = pinion_save_string(m, PINION_FORMAT_JSON, &err), *twice = NULL;
    CHECK(once != NULL);
    pinion_model *copy = once ? load(once, &err) : NULL;
    if (!copy) {
        CHECK_FAIL("%s", err.message);
    } else {
        twice = pinion_save_string(copy, PINION_FORMAT_JSON, &err);
        CHECK(twice && strcmp(once, twice) == 0);
        CHECK(pinion_model_row_count(copy) == pinion_model_row_count(m));
        CHECK(pinion_model_loop_count(copy) == pinion_model_loop_count(m));
    }
    free(once);
    free(twice);
    pinion_model_free(copy);
    return m;
}

static void bad(int source, pinion_status status, int line, const char *part, const char *text)
{
    pinion_error err;
    pinion_model *m = load(text, &err);
    check_count++;
    if (m) {
        CHECK_FAIL("case of line %d loads, expected \"%s\"", source, part);
        pinion_model_free(m);
        return;
    }
    char where[40];
    snprintf(where, sizeof where, "loops.json:%d: ", line);
    if (strncmp(err.message, where, strlen(where)) != 0 || !strstr(err.message, part) || err.line != line ||
        err.status != status)
        CHECK_FAIL("case of line %d: \"%s\" (status %d), expected line %d and \"%s\"", source, err.message,
                   (int)err.status, line, part);
}
#define PARSE(line, part, text) bad(__LINE__, PINION_ERR_PARSE, line, part, text)
#define MODEL(line, part, text) bad(__LINE__, PINION_ERR_MODEL, line, part, text)

/* A crank, a coupler and a rocker on the ground; the piece starts on line 6. */
#define MASS "\"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}"
#define LINKS                                                                                                \
    "{\"pinion\": 1, \"links\": [{\"name\": \"ground\"}, {\"name\": \"crank\", " MASS ",\n"                  \
    "{\"name\": \"coupler\", " MASS ", {\"name\": \"rocker\", " MASS "],\n"
#define TREE                                                                                                 \
    "\"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"parent\": \"ground\", \"child\": "             \
    "\"crank\"},\n"                                                                                          \
    "{\"name\": \"B\", \"type\": \"continuous\", \"parent\": \"crank\", \"child\": \"coupler\"},\n"          \
    "{\"name\": \"D\", \"type\": \"prismatic\", \"parent\": \"ground\", \"child\": \"rocker\"}],\n"
#define LOOPS(text) LINKS TREE "\"loops\": [" text "]}"

static pinion_loop_info loop_named(const pinion_model *m, const char *name)
{
    pinion_loop_info info;
    memset(&info, 0, sizeof info);
    CHECK_STATUS(pinion_model_loop(m, pinion_model_find_loop(m, name), &info), PINION_OK);
    return info;
}

/* A cycle of joints closes where the rule says, or where the file does. */
TEST(graphs)
{
    static const char *const marks[] = {"", "", ", \"cut\": true", ", \"cut\": false"};
    for (int i = 0; i < 4; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 LINKS
                 "%s \"joints\": ["
                 "{\"name\": \"A\", \"type\": \"continuous\", \"parent\": \"ground\", \"child\": \"crank\"},"
                 "{\"name\": \"B\", \"type\": \"continuous\", \"parent\": \"crank\", \"child\": \"coupler\","
                 " \"origin\": {\"position\": [1, 0, 0]}, \"initial\": {\"q\": 0.5}%s},"
                 "{\"name\": \"C\", \"type\": \"continuous\", \"parent\": \"coupler\", \"child\": \"rocker\","
                 " \"actuated\": false, \"axis\": [0, 1, 0]},"
                 "{\"name\": \"D\", \"type\": \"universal\", \"parent\": \"ground\", \"child\": \"rocker\","
                 " \"actuated\": true, \"damping\": [1, 2]}]}",
                 i == 1 ? "\"root\": \"rocker\"," : "", marks[i]);
        pinion_model *m = must_load(text);
        if (!m) continue;
        CHECK(pinion_model_joint_count(m) == 3 && pinion_model_loop_count(m) == 1);
        static const char *const cut[] = {"D", "D", "B", "D"};
        pinion_loop_info loop = loop_named(m, cut[i]);
        CHECK(loop.kind == PINION_LOOP_JOINT && loop.rows == (i == 2 ? 5 : 4));
        CHECK(pinion_model_find_link(m, i == 1 ? "rocker" : "ground") == 0);

        /* from the rocker every joint is met from its child's side */
        pinion_joint_info joint;
        for (int k = 0; k < 3; k++) {
            CHECK_STATUS(pinion_model_joint(m, k, &joint), PINION_OK);
            CHECK(joint.unactuated == (strcmp(joint.name, "C") == 0));
            if (i == 1) CHECK(joint.reversed && joint.axis[strcmp(joint.name, "C") == 0 ? 1 : 2] == -1);
        }
        CHECK(pinion_model_warning_count(m) == (i == 1 || i == 2));
        if (i == 1)
            CHECK_HAS(pinion_model_warning(m, 0), "link 'ground' is moved by its joint but has no mass");
        if (i == 2) CHECK_HAS(pinion_model_warning(m, 0), "the initial state of joint 'B' is ignored");
        pinion_model_free(m);
    }
}

/* Turned joints and what else a plain description leaves out are written as they are in the tree: the file
 * then has neither "cut" nor "root", and every joint points away from the first link. */
TEST(written)
{
    pinion_error err;
    pinion_model *m = must_load(
        LINKS "\"root\": \"rocker\", \"joints\": ["
              "{\"name\": \"A\", \"type\": \"spherical\", \"parent\": \"ground\", \"child\": \"crank\","
              " \"initial\": {\"q\": [0.6, 0, 0, 0.8], \"v\": [1, 0, 0]}},"
              "{\"name\": \"B\", \"type\": \"universal\", \"parent\": \"crank\", \"child\": \"coupler\","
              " \"damping\": [1, 2], \"initial\": {\"q\": [0.1, 0.2], \"v\": [3, 4]}},"
              "{\"name\": \"C\", \"type\": \"helical\", \"pitch\": 0.5, \"parent\": \"coupler\", \"child\": "
              "\"rocker\"},"
              "{\"name\": \"E\", \"type\": \"fixed\", \"parent\": \"ground\", \"child\": \"rocker\", "
              "\"cut\": true}]}");
    if (!m) return;
    pinion_joint_info joint;
    CHECK_STATUS(pinion_model_joint(m, pinion_model_find_joint(m, "B"), &joint), PINION_OK);
    CHECK(joint.initial_q[0] == 0.2 && joint.initial_q[1] == 0.1 && joint.initial_v[0] == 4 &&
          joint.dof[0].damping == 2);
    CHECK_STATUS(pinion_model_joint(m, pinion_model_find_joint(m, "A"), &joint), PINION_OK);
    CHECK(joint.initial_q[0] == 0.6 && joint.initial_q[3] == -0.8);

    /* -R w with R a turn of z by 2 acos 0.6: cos = -0.28, sin = 0.96 */
    CHECK_NEAR(joint.initial_v[0], 0.28, 1e-15);
    CHECK_NEAR(joint.initial_v[1], -0.96, 1e-15);
    char *text = pinion_save_string(m, PINION_FORMAT_JSON, &err);
    CHECK(text && !strstr(text, "\"cut\"") && !strstr(text, "\"root\""));
    CHECK_HAS(text, "\"loops\": [\n    {\n      \"name\": \"E\",\n      \"type\": \"fixed\",");
    pinion_free(text);
    CHECK(!pinion_save_string(m, PINION_FORMAT_URDF, &err) && err.status == PINION_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "'E'");
    pinion_model_free(m);
}

TEST(distance)
{
    pinion_model *m = must_load(
        LOOPS("{\"name\": \"rod\", \"type\": \"distance\", \"parent\": \"coupler\", \"child\": \"rocker\","
              " \"origin\": {\"position\": [0.5, 0, 0]}, \"child_origin\": {\"position\": [0, 0.25, 0]},"
              " \"length\": 0.75, \"angles\": \"degrees\","
              " \"motion\": {\"offset\": 0.125, \"rate\": 0.5, \"acceleration\": 0.25, \"amplitude\": 0.0625,"
              " \"frequency\": 2, \"phase\": 90}}"));
    if (!m) return;
    pinion_loop_info loop = loop_named(m, "rod");
    CHECK(loop.kind == PINION_LOOP_DISTANCE && loop.rows == 1 && loop.length == 0.75);
    CHECK(loop.joint.parent == pinion_model_find_link(m, "coupler") &&
          loop.joint.parent_pose.position[0] == 0.5);
    CHECK(loop.joint.child == pinion_model_find_link(m, "rocker") &&
          loop.joint.child_pose.position[1] == 0.25);

    /* lengths stay lengths, only the phase is an angle */
    CHECK(loop.motion.offset == 0.125 && loop.motion.rate == 0.5 && loop.motion.acceleration == 0.25);
    CHECK(loop.motion.amplitude == 0.0625 && loop.motion.frequency == 2);
    CHECK_NEAR(loop.motion.phase, PI / 2, 1e-15);
    pinion_model_free(m);

    PARSE(6, "loops[0]: the key \"length\" is missing",
          LOOPS("{\"name\": \"r\", \"type\": \"distance\", \"parent\": \"crank\", \"child\": \"rocker\"}"));
    PARSE(7, "loops[0].length: is not above 0",
          LOOPS("{\"name\": \"r\", \"type\": \"distance\", \"parent\": \"crank\", \"child\": \"rocker\",\n"
                "\"length\": 0}"));
    PARSE(7, "loops[0]: unknown key \"radius\"",
          LOOPS("{\"name\": \"r\", \"type\": \"distance\", \"parent\": \"crank\", \"child\": \"rocker\",\n"
                "\"radius\": 1}"));
    PARSE(7, "loops[0].motion: unknown key \"speed\", expected one of offset, rate, acceleration",
          LOOPS("{\"name\": \"r\", \"type\": \"distance\", \"parent\": \"crank\", \"child\": \"rocker\","
                "\"length\": 1,\n\"motion\": {\"speed\": 1}}"));
    MODEL(6, "ties link 'crank' to itself",
          LOOPS("{\"name\": \"r\", \"type\": \"distance\", \"parent\": \"crank\", \"child\": \"crank\","
                "\"length\": 1}"));
    MODEL(6, "loop 'r': child link 'x' does not exist",
          LOOPS("{\"name\": \"r\", \"type\": \"distance\", \"parent\": \"crank\", \"child\": \"x\","
                "\"length\": 1}"));
}

TEST(gear)
{
    pinion_model *m = must_load(
        LOOPS("{\"name\": \"g\", \"type\": \"gear\", \"joints\": [\"A\", \"B\"], \"ratio\": -2,"
              " \"offset\": 90, \"motion\": {\"amplitude\": 180, \"rate\": 3}, \"angles\": \"degrees\"},"
              "{\"name\": \"h\", \"type\": \"gear\", \"joints\": [\"B\", \"D\"],"
              " \"motion\": {\"offset\": 0.5}},"
              "{\"name\": \"i\", \"type\": \"gear\", \"joints\": [\"B\", \"D\"], \"ratio\": 0, \"curve\": [0, 2, 3]}"));
    if (!m) return;
    pinion_loop_info loop = loop_named(m, "g");
    CHECK(loop.kind == PINION_LOOP_GEAR && loop.rows == 1 && loop.ratio == -2 && loop.motion.rate == 3);
    CHECK(loop.curve[0] == 0 && loop.curve[1] == 0 && loop.curve[2] == 0);
    const pinion_loop_info bent = loop_named(m, "i");
    CHECK(bent.ratio == 0 && bent.curve[0] == 0 && bent.curve[1] == 2 && bent.curve[2] == 3);
    CHECK(loop.first == pinion_model_find_joint(m, "A") && loop.second == pinion_model_find_joint(m, "B"));
    CHECK_NEAR(loop.motion.offset, PI / 2, 1e-15);
    CHECK_NEAR(loop.motion.amplitude, PI, 1e-15);
    loop = loop_named(m, "h");
    CHECK(loop.ratio == 1 && loop.motion.offset == 0.5 && loop.row == 1);
    pinion_model_free(m);

    PARSE(7, "loops[0].joints: has 1 element, expected [first, second]",
          LOOPS("{\"name\": \"g\", \"type\": \"gear\",\n\"joints\": [\"A\"]}"));
    PARSE(7, "loops[0].joints[1]: found a number",
          LOOPS("{\"name\": \"g\", \"type\": \"gear\",\n\"joints\": [\"A\", 1]}"));
    PARSE(7, "loops[0].ratio: is 0",
          LOOPS("{\"name\": \"g\", \"type\": \"gear\", \"joints\": [\"A\", \"B\"],\n\"ratio\": 0}"));
    PARSE(7, "loops[0].curve: has 2 elements, expected an array of 3 numbers",
          LOOPS("{\"name\": \"g\", \"type\": \"gear\", \"joints\": [\"A\", \"B\"],\n\"curve\": [1, 2]}"));
    MODEL(6, "its ratio is 0",
          LOOPS("{\"name\": \"g\", \"type\": \"gear\", \"joints\": [\"A\", \"B\"], \"ratio\": 0, "
                "\"curve\": [0, 0, 0]}"));
    PARSE(
        7, "loops[0].offset: the motion has an offset already",
        LOOPS("{\"name\": \"g\", \"type\": \"gear\", \"joints\": [\"A\", \"B\"],\n\"offset\": 0, \"motion\": "
              "{\"offset\": 1}}"));
    MODEL(6, "ties joint 'A' to itself",
          LOOPS("{\"name\": \"g\", \"type\": \"gear\", \"joints\": [\"A\", \"A\"]}"));
    MODEL(7, "loop 'g': joint 'Z' does not exist",
          LOOPS("\n{\"name\": \"g\", \"type\": \"gear\", \"joints\": [\"A\", \"Z\"]}"));

    /* a displacement has no degrees */
    PARSE(
        7, "loops[0].angles: joint 'D' is prismatic",
        LOOPS("{\"name\": \"g\", \"type\": \"gear\", \"joints\": [\"A\", \"D\"],\n\"angles\": \"degrees\"}"));
}

TEST(rolling)
{
    pinion_model *m = must_load(
        LOOPS("{\"name\": \"wheel\", \"type\": \"rolling\", \"parent\": \"ground\", \"child\": \"rocker\","
              " \"child_origin\": {\"position\": [1, 0, 0]}, \"radius\": 0.25, \"shape\": \"disk\"},"
              "{\"name\": \"ball\", \"type\": \"rolling\", \"parent\": \"ground\", \"child\": \"coupler\","
              " \"radius\": 2}"));
    if (!m) return;
    pinion_loop_info loop = loop_named(m, "wheel");
    CHECK(loop.kind == PINION_LOOP_ROLLING && loop.rows == 3 && loop.nonholonomic == 2 && loop.disk);
    CHECK(loop.radius == 0.25 && loop.joint.child_pose.position[0] == 1);
    loop = loop_named(m, "ball");
    CHECK(!loop.disk && loop.radius == 2 && loop.row == 3 && pinion_model_row_count(m) == 6);
    pinion_model_free(m);

    PARSE(7, "loops[0].shape: is \"cube\", expected \"sphere\" or \"disk\"",
          LOOPS("{\"name\": \"w\", \"type\": \"rolling\", \"parent\": \"ground\", \"child\": \"rocker\","
                "\"radius\": 1,\n\"shape\": \"cube\"}"));
    PARSE(7, "loops[0].radius: is not above 0",
          LOOPS("{\"name\": \"w\", \"type\": \"rolling\", \"parent\": \"ground\", \"child\": \"rocker\",\n"
                "\"radius\": -1}"));
    PARSE(7, "loops[0]: unknown key \"motion\"",
          LOOPS("{\"name\": \"w\", \"type\": \"rolling\", \"parent\": \"ground\", \"child\": \"rocker\",\n"
                "\"motion\": {}, \"radius\": 1}"));
}

TEST(drive)
{
    pinion_model *m = must_load(LOOPS(
        "{\"name\": \"a\", \"type\": \"drive\", \"joint\": \"A\", \"motion\": {\"rate\": 6, \"offset\": 45},"
        " \"angles\": \"degrees\"},"
        "{\"name\": \"d\", \"type\": \"drive\", \"joint\": \"D\", \"motion\": {}}"));
    if (!m) return;
    pinion_loop_info loop = loop_named(m, "a");
    CHECK(loop.kind == PINION_LOOP_DRIVE && loop.first == pinion_model_find_joint(m, "A") &&
          loop.second == -1);
    CHECK(loop.motion.rate == 6);
    CHECK_NEAR(loop.motion.offset, PI / 4, 1e-15);
    pinion_model_free(m);

    PARSE(6, "loops[0]: the key \"motion\" is missing",
          LOOPS("{\"name\": \"a\", \"type\": \"drive\", \"joint\": \"A\"}"));
    PARSE(7, "loops[0].angles: joint 'D' is prismatic",
          LOOPS("{\"name\": \"d\", \"type\": \"drive\", \"joint\": \"D\", \"motion\": {\"phase\": 1},\n"
                "\"angles\": \"degrees\"}"));
    MODEL(6, "has the name of the joint at line 3",
          LOOPS("{\"name\": \"A\", \"type\": \"drive\", \"joint\": \"A\", \"motion\": {}}"));
    PARSE(7, "loops[0]: unknown key \"parent\"",
          LOOPS("{\"name\": \"a\", \"type\": \"drive\",\n\"parent\": \"ground\", \"joint\": \"A\", "
                "\"motion\": {}}"));
}

TEST(spring)
{
    pinion_model *m = must_load(
        LOOPS("{\"name\": \"s\", \"type\": \"spring\", \"parent\": \"ground\", \"child\": \"coupler\","
              " \"origin\": {\"position\": [1, 0, 0]}, \"child_origin\": {\"position\": [0, 2, 0]},"
              " \"length\": 0.5, \"stiffness\": 100, \"damping\": 3},"
              "{\"name\": \"motor\", \"type\": \"spring\", \"parent\": \"crank\", \"child\": \"rocker\"}"));
    if (!m) return;
    pinion_loop_info loop = loop_named(m, "s");
    CHECK(loop.kind == PINION_LOOP_SPRING && loop.rows == 0 && loop.nq == 1 && loop.nv == 1);
    CHECK(loop.joint.parent_pose.position[0] == 1 && loop.joint.child_pose.position[1] == 2 &&
          loop.length == 0.5);
    CHECK(loop.joint.dof[0].stiffness == 100 && loop.joint.dof[0].damping == 3 &&
          loop.joint.dof[0].rest == 0.5);
    loop = loop_named(m, "motor");
    CHECK(loop.length == 0 && loop.joint.dof[0].stiffness == 0 && loop.q_index == 1);
    CHECK(pinion_model_row_count(m) == 0 && pinion_model_loop_nv(m) == 2);
    pinion_model_free(m);

    PARSE(7, "loops[0].damping: is below 0",
          LOOPS("{\"name\": \"s\", \"type\": \"spring\", \"parent\": \"ground\", \"child\": \"crank\",\n"
                "\"damping\": -1}"));
    PARSE(7, "loops[0]: unknown key \"rest\"",
          LOOPS("{\"name\": \"s\", \"type\": \"spring\", \"parent\": \"ground\", \"child\": \"crank\",\n"
                "\"rest\": 1}"));
}

TEST(errors)
{
    PARSE(6, "loops[0].type: is \"rope\", expected a type of joint (fixed,",
          LOOPS("{\"name\": \"s\", \"type\": \"rope\"}"));
    PARSE(6, "or distance, gear, rolling, drive or spring", LOOPS("{\"name\": \"s\", \"type\": \"rope\"}"));
    PARSE(6, "loops[0]: found a number", LOOPS("1"));
    PARSE(6, "loops[0]: unknown key \"cut\"",
          LOOPS("{\"name\": \"C\", \"type\": \"revolute\", \"parent\": \"coupler\", \"child\": \"rocker\","
                "\"cut\": true}"));
    PARSE(
        3, "joints[0].cut: found a number, expected true or false",
        LINKS
        "\"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"parent\": \"ground\", \"child\": \"crank\","
        "\"cut\": 1}]}");
    PARSE(
        3, "joints[0].actuated: found null, expected true or false",
        LINKS
        "\"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"parent\": \"ground\", \"child\": \"crank\","
        "\"actuated\": null}]}");
    PARSE(3, "joints[0].type: is \"gear\", expected fixed, revolute",
          LINKS "\"joints\": [{\"name\": \"A\", "
                "\"type\": \"gear\"}]}");
    MODEL(3, "the root is link 'roof', which does not exist",
          LINKS "\"root\": \"roof\"," TREE "\"loops\": []}");
    PARSE(3, "root: is empty", LINKS "\"root\": \"\"," TREE "\"loops\": []}");
    PARSE(3, "root: found a number", LINKS "\"root\": 1," TREE "\"loops\": []}");
    MODEL(1, "falls into 4 pieces", LINKS "\"root\": \"rocker\"}");
}

/* The whole of a file, each byte of it cut or replaced: a model or one line, never anything else. */
TEST(damaged)
{
    static const char whole[] = LOOPS(
        "{\"name\": \"a\", \"type\": \"drive\", \"joint\": \"A\", \"motion\": {\"rate\": 6}, \"angles\": "
        "\"degrees\"},"
        "{\"name\": \"g\", \"type\": \"gear\", \"joints\": [\"A\", \"B\"], \"ratio\": -2, \"offset\": 1, "
        "\"curve\": [1, 0.5, 2]},"
        "{\"name\": \"r\", \"type\": \"rolling\", \"parent\": \"ground\", \"child\": \"rocker\", \"radius\": "
        "1,"
        " \"shape\": \"disk\"},{\"name\": \"l\", \"type\": \"distance\", \"parent\": \"crank\", \"child\": "
        "\"rocker\","
        " \"length\": 1, \"motion\": {\"phase\": 1}}");
    static const char *const pieces[] = {"1",  "-1", "null",  "true",     "\"\"",
                                         "[]", "{}", "\"A\"", "\"gear\"", "1e300"};
    char text[sizeof whole + 64];
    uint64_t seed = check_seed;
    int loaded = 0;
    for (int i = 0; i < 20000; i++) {
        size_t size = strlen(whole), from = (size_t)check_between(&seed, 0, (double)size - 20);
        from = (size_t)(strpbrk(whole + from, ":[,") + 1 - whole);
        size_t to = from + strcspn(whole + from, ",]}");
        const char *piece = pieces[(int)check_between(&seed, 0, 10)];
        snprintf(text, sizeof text, "%.*s%s%s", (int)from, whole, piece, whole + to);
        pinion_error err;
        pinion_model *m = load(text, &err);
        loaded += m != NULL;
        if (!m) CHECK(err.status < 0 && strncmp(err.message, "loops.json:", 11) == 0);
        if (!m) continue;
        char *again = pinion_save_string(m, PINION_FORMAT_JSON, &err);
        pinion_model *copy = again ? load(again, &err) : NULL;
        if (!copy) CHECK_FAIL("%s", err.message);
        pinion_model_free(copy);
        pinion_model_free(m);
        pinion_free(again);
    }
    printf("       %d of 20000 load\n", loaded);
    CHECK(loaded > 100 && loaded < 19900);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(graphs);
    RUN(written);
    RUN(distance);
    RUN(gear);
    RUN(rolling);
    RUN(drive);
    RUN(spring);
    RUN(errors);
    RUN(damaged);
    return CHECK_END();
}
