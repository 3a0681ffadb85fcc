/* The native model format: a bad file gets one line that says where and what, and nothing else happens. */
#include "pinion/pinion.h"
#include "support/check.h"

#define FILE_NAME "bad.json"

/* One line, printable, and it starts with the file. */
static void check_form(const pinion_error *err)
{
    CHECK(err->status < 0 && err->message[0]);
    for (const unsigned char *s = (const unsigned char *)err->message; *s; s++)
        CHECK(*s >= 0x20 && *s != 0x7f);
    CHECK(strncmp(err->message, FILE_NAME ":", strlen(FILE_NAME ":")) == 0);
}

static void bad(int source, pinion_status status, int line, const char *part, const char *text)
{
    pinion_error err;
    memset(&err, 0, sizeof err);
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, FILE_NAME, NULL, &err);
    char where[40];
    if (line)
        snprintf(where, sizeof where, FILE_NAME ":%d: ", line);
    else
        snprintf(where, sizeof where, FILE_NAME ": ");
    check_count++;
    if (m) {
        CHECK_FAIL("case of line %d loads, expected \"%s\"", source, part);
        pinion_model_free(m);
        return;
    }
    check_form(&err);
    if (strncmp(err.message, where, strlen(where)) != 0 || !strstr(err.message, part) || err.line != line ||
        err.status != status)
        CHECK_FAIL("case of line %d: \"%s\" (status %d), expected line %d and \"%s\"", source, err.message,
                   (int)err.status, line, part);
}
#define PARSE(line, part, text) bad(__LINE__, PINION_ERR_PARSE, line, part, text)
#define MODEL(line, part, text) bad(__LINE__, PINION_ERR_MODEL, line, part, text)

/* Files around one piece; the piece starts on line 3. */
#define TOP(text)                                                                                            \
    "{\"pinion\": 1, \"links\": [{\"name\": \"b\"},\n {\"name\": \"a\", \"mass\": 1}],\n" text "\n}"
#define LINK(text) "{\"pinion\": 1, \"links\": [{\"name\": \"b\",\n \"comment\": \"\",\n" text "\n}]}"
#define JOINT(type, text)                                                                                    \
    TOP("\"joints\": [{\"name\": \"j\", \"type\": \"" type "\", \"parent\": \"b\", \"child\": \"a\",\n" text \
        "}]")
#define POSE(text) TOP("\"frames\": [{\"name\": \"f\", \"link\": \"a\", \"origin\": {\n" text "}}]")
#define ROW(text)                                                                                            \
    "{\"pinion\": 1, \"dh\": {\"convention\": \"classic\", \"rows\": [\n {\"joint\": \"i\", \"link\": "      \
    "\"a\"},\n"                                                                                              \
    "{\"joint\": \"j\", \"link\": \"c\",\n" text "}]}}"
#define CHAIN(text) "{\"pinion\": 1, \"dh\": {\n \"comment\": \"\",\n" text "}}"
#define VISUAL(text) LINK("\"visuals\": [{\"shape\": \"sphere\", \"radius\": 1},\n" text "]")

TEST(not_json)
{
    PARSE(0, "nothing in it", "");
    PARSE(1, "not valid JSON", "{");
    PARSE(2, "not valid JSON", "{\"pinion\": 1,\n}");
    PARSE(2, "not valid JSON", "{\"pinion\": 1\n} x");
    PARSE(2, "not valid JSON", "{\"pinion\": 1,\n \"gravity\": [NaN, 0, 0]}");
    PARSE(2, "not valid JSON", "{\"pinion\": 1,\n \"gravity\": [Infinity, 0, 0]}");
    PARSE(2, "not valid JSON", "{\"pinion\": 1,\n \"gravity\": [1e999, 0, 0]}");
    PARSE(2, "not valid JSON", "{\"pinion\": 1,\n \"gravity\": [01, 0, 0]}");
    PARSE(2, "not valid JSON", "{\"pinion\": 1,\n \"gravity\": [.5, 0, 0]}");
    PARSE(2, "not valid JSON", "{\"pinion\": 1,\n // comments are not JSON\n \"name\": \"a\"}");
    PARSE(2, "not valid JSON", "{\"pinion\": 1,\n 'name': 'a'}");
    PARSE(2, "not valid JSON", "{\"pinion\": 1,\n \"name\": \"\xff\"}");
    PARSE(2, "not valid JSON", "{\"pinion\": 1,\n \"name\": \"a\\u0000b\"}");
    PARSE(2, "not valid JSON", "{\"pinion\": 1,\n \"name\": \"a\nb\"}");
    PARSE(2, "duplicate", "{\"pinion\": 1,\n \"pinion\": 1}");
    PARSE(3, "duplicate", LINK("\"mass\": 1, \"mass\": 2"));

    /* a zero byte inside */
    pinion_error err;
    const char text[] = "{\"pinion\": 1, \0 \"links\": []}";
    CHECK(!pinion_load_string(text, sizeof text - 1, PINION_FORMAT_JSON, FILE_NAME, NULL, &err));
    check_form(&err);
}

TEST(deep_nesting)
{
    static char text[200001];
    memset(text, '[', sizeof text - 1);
    PARSE(1, "depth", text);
    for (size_t i = 0; i + 5 < sizeof text - 1; i += 5) memcpy(text + i, "{\"a\":", 5);
    PARSE(1, "not valid JSON", text);

    /* as deep as it is parsed, in a key that nobody knows */
    int n = snprintf(text, sizeof text, "{\"pinion\": 1,\n\"x\": ");
    for (int i = 0; i < 2000; i++) text[n++] = '[';
    for (int i = 0; i < 2000; i++) text[n++] = ']';
    snprintf(text + n, sizeof text - (size_t)n, ",\n\"links\": []}");
    PARSE(2, "unknown key \"x\"", text);

    /* at any depth near the limit there is some sensible complaint */
    for (int depth = 2040; depth < 2056; depth++) {
        pinion_error err;
        n = snprintf(text, sizeof text, "{\"pinion\": 1, \"x\": ");
        for (int i = 0; i < depth; i++) text[n++] = '[';
        for (int i = 0; i < depth; i++) text[n++] = ']';
        snprintf(text + n, sizeof text - (size_t)n, "}");
        CHECK(!pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, FILE_NAME, NULL, &err));
        CHECK_STATUS(err.status, PINION_ERR_PARSE);
    }
}

TEST(top)
{
    PARSE(1, "found an array, expected an object", "[]");
    PARSE(1, "the key \"pinion\" is missing, expected \"pinion\": 1", "{}");
    PARSE(1, "the key \"pinion\" is missing", "{\"links\": [{\"name\": \"a\"}]}");
    PARSE(2, "pinion: is a version of the format", "{\"name\": \"x\",\n \"pinion\": 2}");
    PARSE(2, "pinion: found a string, expected a number", "{\"name\": \"x\",\n \"pinion\": \"1\"}");
    PARSE(3, "unknown key \"link\", expected one of pinion, name, gravity, root, links", TOP("\"link\": []"));
    PARSE(3, "unknown key \"Name\"", TOP("\"Name\": \"x\""));
    PARSE(3, "name: found a number, expected a string", TOP("\"name\": 3"));
    PARSE(3, "gravity: has 2 elements, expected an array of 3 numbers", TOP("\"gravity\": [0, 0]"));
    PARSE(4, "gravity[1]: found a string, expected a number", TOP("\"gravity\": [0,\n \"0\", 0]"));
    PARSE(3, "gravity: found a number, expected an array of 3 numbers", TOP("\"gravity\": 9.81"));
    PARSE(3, "gravity[2]: found null", TOP("\"gravity\": [0, 0, null]"));
    PARSE(3, "joints: found an object, expected an array of joints", TOP("\"joints\": {}"));
    PARSE(3, "frames: found a string, expected an array of frames", TOP("\"frames\": \"x\""));
    PARSE(3, "loops: found true, expected an array of loop joints", TOP("\"loops\": true"));
    PARSE(3, "dh: found false, expected a chain", TOP("\"dh\": false"));
    PARSE(3, "comment: found a number, expected a string or", TOP("\"comment\": 1"));
    PARSE(4, "comment[1]: found null, expected a string", TOP("\"comment\": [\"\",\n null]"));
    PARSE(2, "links: found null, expected an array of links", "{\"pinion\": 1,\n\"links\": null}");
    MODEL(0, "no links", "{\"pinion\": 1}");
    MODEL(0, "no links", "{\"pinion\": 1, \"links\": []}");
}

TEST(links)
{
    PARSE(3, "links[0]: unknown key \"masss\", expected one of name, mass, com", LINK("\"masss\": 1"));
    PARSE(3, "links[0].mass: is negative, expected", LINK("\"mass\": -1"));
    PARSE(3, "links[0].mass: found a string", LINK("\"mass\": \"1\""));
    PARSE(3, "links[0].com: has 4 elements, expected an array of 3 numbers", LINK("\"com\": [1, 2, 3, 4]"));
    PARSE(3, "links[0].inertia: found an array, expected an object", LINK("\"inertia\": [1, 0, 0, 1, 0, 1]"));
    PARSE(4, "links[0].inertia: unknown key \"yx\", expected one of xx, xy",
          LINK("\"inertia\": {\"xx\": 1,\n \"yx\": 2}"));
    PARSE(3, "links[0].inertia.xx: found null", LINK("\"inertia\": {\"xx\": null}"));
    PARSE(4, "links[0].about: is \"center\", expected \"com\" or \"origin\"",
          LINK("\"inertia\": {},\n\"about\": \"center\""));
    PARSE(3, "links[0].about: has nothing to apply to", LINK("\"about\": \"com\""));
    PARSE(2, "links[1]: found a string, expected an object",
          "{\"pinion\": 1, \"links\": [{\"name\": \"b\"},\n\"a\"]}");
    PARSE(2, "links[1]: the key \"name\" is missing",
          "{\"pinion\": 1, \"links\": [{\"name\": \"b\"},\n{\"mass\": 1}]}");
    MODEL(2, "no name", "{\"pinion\": 1, \"links\": [{\"name\": \"b\"},\n{\"name\": \"\"}]}");
    MODEL(2, "'b' has the name of", "{\"pinion\": 1, \"links\": [{\"name\": \"b\"},\n{\"name\": \"b\"}]}");
    MODEL(2, "control characters", "{\"pinion\": 1, \"links\": [{\"name\": \"b\"},\n{\"name\": \"b\\n\"}]}");
}

TEST(visuals)
{
    PARSE(3, "links[0].visuals: found an object, expected an array of visuals", LINK("\"visuals\": {}"));
    PARSE(4, "links[0].visuals[1].shape: is \"cube\", expected \"box\"", VISUAL("{\"shape\": \"cube\"}"));
    PARSE(4, "links[0].visuals[1]: the key \"shape\" is missing", VISUAL("{\"radius\": 1}"));
    PARSE(4, "links[0].visuals[1]: the key \"radius\" is missing",
          VISUAL("{\"shape\": \"capsule\", \"length\": 1}"));
    PARSE(4, "links[0].visuals[1]: the key \"length\" is missing",
          VISUAL("{\"shape\": \"cylinder\", \"radius\": 1}"));
    PARSE(4, "links[0].visuals[1]: the key \"size\" is missing", VISUAL("{\"shape\": \"box\"}"));
    PARSE(4, "links[0].visuals[1]: the key \"mesh\" is missing", VISUAL("{\"shape\": \"mesh\"}"));
    PARSE(5, "links[0].visuals[1]: unknown key \"size\", expected one of shape, origin, rgba, radius",
          VISUAL("{\"shape\": \"sphere\", \"radius\": 1,\n \"size\": [1, 1, 1]}"));
    PARSE(4, "links[0].visuals[1]: unknown key \"colour\"", VISUAL("{\"colour\": [1, 1, 1, 1]}"));
    PARSE(4, "visuals[1].rgba: has 3 elements, expected an array of 4",
          VISUAL("{\"shape\": \"sphere\", \"radius\": 1, \"rgba\": [1, 1, 1]}"));
    MODEL(4, "colour out of range", VISUAL("{\"shape\": \"sphere\", \"radius\": 1, \"rgba\": [2, 1, 1, 1]}"));
    PARSE(4, "visuals[1].mesh: found a number", VISUAL("{\"shape\": \"mesh\", \"mesh\": 1}"));
}

TEST(poses)
{
    PARSE(3, "frames[0].origin: found an array, expected an object",
          TOP("\"frames\": [{\"name\": \"f\", \"link\": \"a\", \"origin\": [0, 0, 0]}]"));
    PARSE(4, "frames[0].origin: unknown key \"pos\", expected one of position, rpy, quaternion",
          POSE("\"pos\": [1, 2, 3]"));
    PARSE(4, "frames[0].origin.position: has 1 element, expected an array of 3", POSE("\"position\": [1]"));
    PARSE(4, "frames[0].origin.rpy: found a number", POSE("\"rpy\": 1"));
    PARSE(4, "frames[0].origin.quaternion: has 3 elements, expected an array of 4",
          POSE("\"quaternion\": [1, 0, 0]"));
    PARSE(4, "frames[0].origin.quaternion: is not of unit length", POSE("\"quaternion\": [0, 0, 0, 0]"));
    PARSE(4, "frames[0].origin.quaternion: is not of unit length", POSE("\"quaternion\": [1, 0, 0, 1]"));
    PARSE(4, "frames[0].origin.quaternion: is not of unit length",
          POSE("\"quaternion\": [1e300, 1e300, 0, 0]"));
    PARSE(4, "frames[0].origin.rotation: has 9 elements, expected 3 rows",
          POSE("\"rotation\": [1, 0, 0, 0, 1, 0, 0, 0, 1]"));
    PARSE(6, "frames[0].origin.rotation[2]: has 2 elements",
          POSE("\"rotation\": [[1, 0, 0],\n [0, 1, 0],\n [0, 0]]"));
    PARSE(4, "frames[0].origin.rotation: is not a rotation",
          POSE("\"rotation\": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]"));
    PARSE(4, "frames[0].origin.rotation: is not a rotation",
          POSE("\"rotation\": [[1, 0, 0], [0, 1, 0], [0, 0.1, 1]]"));
    PARSE(5, "frames[0].origin.quaternion: says the rotation again",
          POSE("\"rpy\": [0, 0, 0],\n\"quaternion\": [1, 0, 0, 0]"));
    PARSE(4, "frames[0].origin.angles: has nothing to apply to", POSE("\"angles\": \"degrees\""));
    PARSE(5, "frames[0].origin.angles: is \"deg\", expected \"radians\" or \"degrees\"",
          POSE("\"rpy\": [0, 0, 0],\n\"angles\": \"deg\""));
    PARSE(5, "frames[0].origin.angles: found true", POSE("\"rpy\": [0, 0, 0],\n\"angles\": true"));
}

TEST(joints)
{
    PARSE(4, "joints[0]: unknown key \"axes\", expected one of name, type, parent",
          JOINT("revolute", "\"axes\": [1, 0, 0]"));
    PARSE(3, "joints[0].type: is \"hinge\", expected fixed, revolute", JOINT("hinge", "\"axis\": [1, 0, 0]"));
    PARSE(3, "joints[0]: the key \"type\" is missing",
          TOP("\"joints\": [{\"name\": \"j\", \"parent\": \"b\", \"child\": \"a\"}]"));
    PARSE(3, "joints[0]: the key \"parent\" is missing",
          TOP("\"joints\": [{\"name\": \"j\", \"type\": \"fixed\", \"child\": \"a\"}]"));
    PARSE(3, "joints[0]: the key \"child\" is missing",
          TOP("\"joints\": [{\"name\": \"j\", \"type\": \"fixed\", \"parent\": \"a\"}]"));
    PARSE(3, "joints[0].type: found a number, expected fixed",
          TOP("\"joints\": [{\"name\": \"j\", \"type\": 1}]"));
    PARSE(4, "joints[0].axis: is zero, expected a direction", JOINT("revolute", "\"axis\": [0, 0, 0]"));
    PARSE(4, "joints[0].axis: has 2 elements", JOINT("revolute", "\"axis\": [0, 1]"));
    PARSE(4, "joints[0].axis: a spherical joint has no axis", JOINT("spherical", "\"axis\": [0, 0, 1]"));
    PARSE(4, "joints[0].pitch: a revolute joint has no pitch", JOINT("revolute", "\"pitch\": 1"));
    PARSE(3, "joints[0]: the key \"pitch\" is missing", JOINT("helical", "\"axis\": [0, 0, 1]"));
    PARSE(4, "joints[0].origin: found a number", JOINT("revolute", "\"origin\": 1"));
    PARSE(4, "joints[0].child_origin.rpy: has 0 elements",
          JOINT("revolute", "\"child_origin\": {\"rpy\": []}"));
    PARSE(4, "joints[0].angles: is \"grad\"", JOINT("revolute", "\"angles\": \"grad\""));
    MODEL(3, "'nowhere' does not exist",
          TOP("\"joints\": [{\"name\": \"j\", \"type\": \"fixed\", \"parent\": \"nowhere\", \"child\": "
              "\"a\"}]"));
    MODEL(3, "connects link 'a' to itself",
          TOP("\"joints\": [{\"name\": \"j\", \"type\": \"fixed\", \"parent\": \"a\", \"child\": \"a\"}]"));
    /* a graph may have loops, but not of fixed joints alone */
    MODEL(5, "joint 'k' closes a loop between links 'b' and 'a', which fixed joints make one body",
          JOINT("fixed", "\"comment\": \"\"},\n{\"name\": \"k\", \"type\": \"fixed\", \"parent\": \"b\", "
                         "\"child\": \"a\""));
    MODEL(4, "joint 'k' closes a loop between links 'a' and 'b', which fixed joints make one body",
          TOP("\"joints\": [{\"name\": \"j\", \"type\": \"fixed\", \"parent\": \"b\", \"child\": \"a\"},\n"
              "{\"name\": \"k\", \"type\": \"fixed\", \"parent\": \"a\", \"child\": \"b\"}]"));
    MODEL(2, "falls into 2 pieces: no joint connects the root, link 'b', with link 'a'",
          TOP("\"joints\": []"));
}

TEST(degrees_of_freedom)
{
    PARSE(4, "joints[0].limits: has 1 element, expected [lower, upper]",
          JOINT("revolute", "\"limits\": [1]"));
    PARSE(4, "joints[0].limits: found a number, expected [lower, upper]", JOINT("revolute", "\"limits\": 1"));
    PARSE(4, "joints[0].limits[1]: found a string", JOINT("revolute", "\"limits\": [1, \"2\"]"));
    PARSE(4, "joints[0].limits: the lower limit is above the upper",
          JOINT("revolute", "\"limits\": [1, -1]"));
    PARSE(4, "joints[0].velocity: found a string", JOINT("revolute", "\"velocity\": \"fast\""));
    PARSE(4, "joints[0].effort: found an array", JOINT("revolute", "\"effort\": [1]"));
    PARSE(4, "joints[0].damping: is negative", JOINT("revolute", "\"damping\": -1"));
    PARSE(4, "joints[0].damping: found null", JOINT("revolute", "\"damping\": null"));
    PARSE(4, "joints[0].friction: found a string, expected a number or {",
          JOINT("revolute", "\"friction\": \"1\""));
    PARSE(4, "joints[0].friction: is negative", JOINT("revolute", "\"friction\": -1"));
    PARSE(4, "joints[0].friction.negative: is negative",
          JOINT("revolute", "\"friction\": {\"positive\": 1, \"negative\": -1}"));
    PARSE(4, "joints[0].friction: unknown key \"plus\", expected one of positive, negative",
          JOINT("revolute", "\"friction\": {\"plus\": 1}"));
    PARSE(4, "joints[0].rotor: the key \"inertia\" is missing",
          JOINT("revolute", "\"rotor\": {\"gear\": 1}"));
    PARSE(4, "joints[0].rotor.inertia: is negative", JOINT("revolute", "\"rotor\": {\"inertia\": -1}"));
    PARSE(4, "joints[0].rotor: unknown key \"ratio\"",
          JOINT("revolute", "\"rotor\": {\"inertia\": 1, \"ratio\": 2}"));
    PARSE(5, "joints[0].motor: the joint has a rotor already",
          JOINT("revolute", "\"rotor\": {\"inertia\": 1},\n\"motor\": {}"));
    PARSE(5, "joints[0].armature: the joint has a rotor already",
          JOINT("revolute", "\"rotor\": {\"inertia\": 1},\n\"armature\": 1"));
    PARSE(4, "joints[0].armature: is negative", JOINT("revolute", "\"armature\": -1"));
    PARSE(4, "joints[0].motor.viscous: is negative", JOINT("revolute", "\"motor\": {\"viscous\": -1}"));
    PARSE(4, "joints[0].motor.coulomb: found an array",
          JOINT("revolute", "\"motor\": {\"coulomb\": [1, -1]}"));
    PARSE(4, "joints[0].motor: found a number", JOINT("revolute", "\"motor\": 1"));
    PARSE(4, "joints[0].spring: the key \"stiffness\" is missing",
          JOINT("revolute", "\"spring\": {\"rest\": 1}"));
    PARSE(4, "joints[0].spring.stiffness: is negative", JOINT("revolute", "\"spring\": {\"stiffness\": -1}"));
    MODEL(3, "expected one stiffness for the rotation",
          JOINT("spherical", "\"spring\": [{\"stiffness\": 1}, null, null]"));
    MODEL(3, "not a finite number", JOINT("revolute", "\"motor\": {\"gear\": 1e200, \"viscous\": 1}"));

    /* as many values as degrees of freedom */
    PARSE(4, "joints[0].damping: a fixed joint has no degree of freedom", JOINT("fixed", "\"damping\": 1"));
    PARSE(4, "joints[0].damping: found an array, expected a number", JOINT("revolute", "\"damping\": [1]"));
    PARSE(4,
          "joints[0].damping: found a number, expected 3 values, one for each degree of freedom of a planar "
          "joint",
          JOINT("planar", "\"damping\": 1"));
    PARSE(4, "joints[0].damping: has 5 elements, expected 6 values",
          JOINT("free", "\"damping\": [1, 2, 3, 4, 5]"));
    PARSE(5, "joints[0].damping[1]: is negative", JOINT("universal", "\"damping\": [1,\n-2]"));
    PARSE(4, "joints[0].limits[0]: found a number, expected [lower, upper]",
          JOINT("universal", "\"limits\": [1, 2]"));
}

TEST(mimic)
{
    PARSE(4, "joints[0].mimic: the key \"joint\" is missing",
          JOINT("revolute", "\"mimic\": {\"offset\": 1}"));
    PARSE(4, "joints[0].mimic: unknown key \"factor\"",
          JOINT("revolute", "\"mimic\": {\"joint\": \"k\", \"factor\": 1}"));
    PARSE(4, "joints[0].mimic.multiplier: found a string",
          JOINT("revolute", "\"mimic\": {\"joint\": \"k\", \"multiplier\": \"1\"}"));
    MODEL(3, "which does not exist", JOINT("revolute", "\"mimic\": {\"joint\": \"k\"}"));
    MODEL(3, "mimics itself", JOINT("revolute", "\"mimic\": {\"joint\": \"j\"}"));
    MODEL(3, "exactly one coordinate", JOINT("planar", "\"mimic\": {\"joint\": \"k\"}"));
}

TEST(loops_and_frames)
{
    PARSE(3, "loops[0]: unknown key \"mimic\"", TOP("\"loops\": [{\"name\": \"l\", \"mimic\": {}}]"));
    PARSE(4, "loops[0]: the key \"child\" is missing",
          TOP("\"loops\": [\n{\"name\": \"l\", \"type\": \"fixed\", \"parent\": \"a\"}]"));
    MODEL(5, "'x' does not exist",
          JOINT("fixed", "\"comment\": \"\"}],\n\"loops\": [{\"name\": \"l\", \"type\": \"fixed\", "
                         "\"parent\": \"x\", \"child\": \"b\""));
    PARSE(3, "frames[0]: the key \"link\" is missing", TOP("\"frames\": [{\"name\": \"f\"}]"));
    PARSE(3, "frames[0]: unknown key \"parent\", expected one of name, link, origin",
          TOP("\"frames\": [{\"parent\": \"f\"}]"));
    MODEL(5, "'c' does not exist",
          JOINT("fixed", "\"comment\": \"\"}],\n\"frames\": [{\"name\": \"f\", \"link\": \"c\""));
    MODEL(5, "has the name of the link at line 2",
          JOINT("fixed", "\"comment\": \"\"}],\n\"frames\": [{\"name\": \"a\", \"link\": \"b\""));
}

TEST(dh)
{
    PARSE(1, "dh: the key \"convention\" is missing", CHAIN("\"rows\": []"));
    PARSE(3, "dh.convention: is \"craig\", expected \"classic\" or \"modified\"",
          CHAIN("\"convention\": \"craig\""));
    PARSE(3, "dh: unknown key \"row\", expected one of convention, angles, base", CHAIN("\"row\": []"));
    PARSE(1, "dh: the key \"rows\" is missing", CHAIN("\"convention\": \"classic\""));
    PARSE(4, "dh.rows: is empty", CHAIN("\"convention\": \"classic\",\n\"rows\": []"));
    PARSE(4, "dh.rows: found an object, expected an array of rows",
          CHAIN("\"convention\": \"classic\",\n\"rows\": {}"));
    PARSE(4, "dh.base: found a number", CHAIN("\"convention\": \"classic\",\n\"base\": 1"));
    PARSE(4, "dh.angles: is \"Degrees\"", CHAIN("\"convention\": \"classic\",\n\"angles\": \"Degrees\""));
    PARSE(4, "dh.rows[0]: found a number, expected an object",
          CHAIN("\"convention\": \"classic\",\n\"rows\": [1]"));
    PARSE(4, "dh.rows[1]: unknown key \"r\", expected one of joint, link, type, a, alpha", ROW("\"r\": 1"));
    PARSE(4, "dh.rows[1].alpha: found a string", ROW("\"alpha\": \"90\""));
    PARSE(4, "dh.rows[1].type: is \"helical\", expected \"revolute\"", ROW("\"type\": \"helical\""));
    PARSE(4, "dh.rows[1].mass: is negative", ROW("\"mass\": -1"));
    PARSE(4, "dh.rows[1].damping: is negative", ROW("\"damping\": -1"));
    PARSE(4, "dh.rows[1].visuals[0]: the key \"shape\"", ROW("\"visuals\": [{}]"));
    PARSE(4, "dh.rows[1]: unknown key \"axis\"", ROW("\"axis\": [0, 0, 1]"));
    PARSE(2, "dh[0]: found a number", "{\"pinion\": 1, \"dh\":\n [1]}");
    PARSE(3, "dh[1].rows[0]: the key \"link\" is missing",
          "{\"pinion\": 1, \"dh\": [{\"convention\": \"classic\", \"rows\": [{\"joint\": \"i\", \"link\": "
          "\"a\"}]},\n"
          "{\"convention\": \"classic\", \"rows\": [\n{\"joint\": \"j\"}]}]}");
    MODEL(2, "'nowhere' does not exist",
          "{\"pinion\": 1, \"dh\": {\"convention\": \"classic\", \"base\": \"nowhere\", \"rows\": [\n"
          "{\"joint\": \"i\", \"link\": \"a\"}]}}");
    MODEL(3, "has the name of",
          "{\"pinion\": 1, \"dh\": {\"convention\": \"classic\", \"rows\": [\n{\"joint\": \"i\", \"link\": "
          "\"a\"},\n"
          "{\"joint\": \"i\", \"link\": \"c\"}]}}");
}

/* Brackets, quotes and escapes in strings do not lead the locator astray. */
TEST(lines_behind_strings)
{
    PARSE(5, "links[2].mass: found a string",
          "{\"pinion\": 1,\n\"comment\": \"\\\\\\\" ] } [ { , : \\u005d \",\n"
          "\"links\": [{\"name\": \"]}\\\"\\\\\"}, {\"name\": \"\\\\\", \"mass\": 1},\r\n"
          " {\"name\" \t: \"c\",\n\t\"mass\" :\t\"}\"}]}");
    PARSE(2, "links[0]: unknown key \"a\"\"",
          "{\"pinion\": 1, \"links\": [{\"name\": \"a\",\n\"a\\\"\": 1}]}");

    /* control characters of a key do not end the line of the message, and columns count too */
    PARSE(1, "unknown key \"a?b\"", "{\"pinion\": 1, \"a\\nb\": 1}");
    pinion_error err;
    const char *text = "{\"pinion\": 1,\n  \"gravity\": 1}";
    CHECK(!pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, FILE_NAME, NULL, &err));
    CHECK(err.line == 2 && err.column == 14);
    CHECK(!pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, FILE_NAME, NULL, NULL));
}

/* The element at fault is the last of many: its line is found, and quickly. */
TEST(long_files)
{
    enum { COUNT = 30000 };
    char *text = malloc(COUNT * 40 + 100);
    if (!text) return;
    int n = sprintf(text, "{\"pinion\": 1, \"links\": [\n");
    for (int i = 0; i < COUNT; i++) n += sprintf(text + n, "{\"name\": \"%d\"},\n", i);
    sprintf(text + n, "{\"name\": \"x\", \"mass\": -1}]}");
    PARSE(COUNT + 2, "links[30000].mass: is negative", text);
    free(text);
}

/* ---------------------------------------------------------------------------------------------
 * Damage: whatever happens to a file, it loads or gets a line that is in it */

static const char sample[] =
    "{\"pinion\": 1, \"name\": \"s\", \"gravity\": [0, 0, -9.81],\n"
    "\"links\": [{\"name\": \"b\"}, {\"name\": \"a\", \"mass\": 1, \"com\": [0, 0, 1],\n"
    "\"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}, \"about\": \"origin\", \"visuals\": [{\"shape\": "
    "\"box\",\n"
    "\"size\": [1, 2, 3]}]}, {\"name\": \"c\"}],\n"
    "\"dh\": {\"convention\": \"classic\", \"angles\": \"degrees\", \"base\": \"a\", \"rows\": [\n"
    "{\"joint\": \"r\", \"link\": \"d\", \"a\": 1, \"alpha\": 90, \"limits\": [-90, 90]}]},\n"
    "\"joints\": [{\"name\": \"j\", \"type\": \"revolute\", \"parent\": \"b\", \"child\": \"a\",\n"
    "\"origin\": {\"rpy\": [0, 90, 0], \"angles\": \"degrees\"}, \"motor\": {\"gear\": 2, \"coulomb\": 1}},\n"
    "{\"name\": \"k\", \"type\": \"cylindrical\", \"parent\": \"a\", \"child\": \"c\", \"damping\": [1, "
    "null]}],\n"
    "\"loops\": [{\"name\": \"l\", \"type\": \"spherical\", \"parent\": \"c\", \"child\": \"d\"}],\n"
    "\"frames\": [{\"name\": \"f\", \"link\": \"c\"}]}";

static int loads(const char *text, size_t size)
{
    pinion_error err;
    memset(&err, 0, sizeof err);
    pinion_model *m = pinion_load_string(text, size, PINION_FORMAT_JSON, FILE_NAME, NULL, &err);
    if (m) {
        pinion_model_free(m);
        return 1;
    }
    int lines = 1;
    for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
    check_form(&err);
    CHECK(err.line >= 0 && err.line <= lines);
    return 0;
}

TEST(cut_files)
{
    size_t size = strlen(sample);
    CHECK(loads(sample, size));
    for (size_t cut = 0; cut < size; cut++) CHECK(!loads(sample, cut));
}

TEST(damaged_files)
{
    /* pieces of JSON in place of bytes: most results still parse, so that the reader itself is reached */
    static const char *const piece[] = {"1",     "-1",         "null", "true",  "\"\"", "[]", "{}",  "[1]",
                                        "\"a\"", "{\"a\": 1}", ",",    "]",     "}",    ":",  "\"",  "\\",
                                        "\n",    "\x80",       "e9",   "1e400", "[[",   " ",  "\x01"};
    char text[sizeof sample + 64];
    size_t size = strlen(sample);
    uint64_t seed = check_seed;
    int loaded = 0;
    for (int i = 0; i < 20000; i++) {
        /* a span of the text is replaced; often a whole value */
        size_t from = (size_t)check_between(&seed, 0, (double)size),
               to = from + (size_t)check_between(&seed, 0, 8);
        const char *p = piece[(size_t)check_between(&seed, 0, sizeof piece / sizeof *piece)];
        if (i & 1) {
            from = (size_t)(strpbrk(sample + (from < size - 20 ? from : 0), ":[,") + 1 - sample);
            to = from + strcspn(sample + from, ",]}");
        }
        if (to > size) to = size;
        int n = snprintf(text, sizeof text, "%.*s%s%s", (int)from, sample, p, sample + to);
        loaded += loads(text, (size_t)n);
    }
    CHECK(loaded > 0 && loaded < 20000);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(not_json);
    RUN(deep_nesting);
    RUN(top);
    RUN(links);
    RUN(visuals);
    RUN(poses);
    RUN(joints);
    RUN(degrees_of_freedom);
    RUN(mimic);
    RUN(loops_and_frames);
    RUN(dh);
    RUN(lines_behind_strings);
    RUN(long_files);
    RUN(cut_files);
    RUN(damaged_files);
    return CHECK_END();
}
