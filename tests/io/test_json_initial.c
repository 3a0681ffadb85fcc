/* The initial state in the native model format: units, errors with their lines, and what is written. */
#include <math.h>

#include "pinion/pinion.h"
#include "support/check.h"

#define PI 3.14159265358979323846
#define FILE_NAME "start.json"

#include "json_text.h"

static void check_numbers(const double *x, const double *expected, int count, int line)
{
    for (int i = 0; i < count; i++) {
        check_count++;
        if (x[i] != expected[i])
            CHECK_FAIL("line %d: entry %d is %.17g, expected %.17g", line, i, x[i], expected[i]);
    }
}
#define CHECK_NUMBERS(x, n, ...) check_numbers(x, (const double[]){__VA_ARGS__}, n, __LINE__)

/* Written, read and written again: the same state and the same text. */
static void round_trip(const pinion_model *m, const char *part)
{
    pinion_error err;
    char *text = pinion_save_string(m, PINION_FORMAT_JSON, &err);
    pinion_model *copy = text ? must_load(text) : NULL;
    char *again = copy ? pinion_save_string(copy, PINION_FORMAT_JSON, &err) : NULL;
    CHECK(text && again && strcmp(text, again) == 0);
    if (text) CHECK_HAS(text, part);
    double q[2][64], v[2][64];
    if (copy) {
        CHECK_STATUS(pinion_initial(m, q[0], v[0]), PINION_OK);
        CHECK_STATUS(pinion_initial(copy, q[1], v[1]), PINION_OK);
        check_numbers(q[1], q[0], pinion_model_nq(m), __LINE__);
        check_numbers(v[1], v[0], pinion_model_nv(m), __LINE__);
    }
    pinion_model_free(copy);
    pinion_free(text);
    pinion_free(again);
}

#define LINKS                                                                                                \
    "{\"pinion\": 1, \"links\": [{\"name\": \"base\"}, {\"name\": \"a\", \"mass\": 1},\n"                    \
    " {\"name\": \"b\", \"mass\": 1}],\n"
#define JOINT(type, text)                                                                                    \
    "{\"name\": \"" type "\", \"type\": \"" type "\", \"parent\": \"base\", \"child\": \"a\",\n" text "}"

/* One joint of that type that starts so. */
static void start(const char *type, const char *text, const double *q, const double *v, int line)
{
    char file[1000];
    snprintf(
        file, sizeof file,
        LINKS
        " \"joints\": [{\"name\": \"j\", \"type\": \"%s\", \"parent\": \"base\", \"child\": \"a\", %s},\n"
        " {\"name\": \"k\", \"type\": \"fixed\", \"parent\": \"a\", \"child\": \"b\"}]}",
        type, text);
    pinion_model *m = must_load(file);
    if (!m) return;
    double found_q[7], found_v[6];
    pinion_joint_info info;
    CHECK_STATUS(pinion_initial(m, found_q, found_v), PINION_OK);
    check_numbers(found_q, q, pinion_model_nq(m), line);
    check_numbers(found_v, v, pinion_model_nv(m), line);
    CHECK(pinion_model_joint(m, 0, &info) == PINION_OK && info.has_initial == 1);
    CHECK(pinion_model_joint(m, 1, &info) == PINION_OK && info.has_initial == 0);
    round_trip(m, "\"initial\": {\"q\": ");
    pinion_model_free(m);
}
#define Q(...) ((const double[]){__VA_ARGS__})
#define START(type, text, q, v) start(type, text, q, v, __LINE__)

TEST(one_coordinate)
{
    START("revolute", "\"initial\": {\"q\": 0.5, \"v\": -2}", Q(0.5), Q(-2));
    START("revolute", "\"initial\": {\"q\": 0.5}", Q(0.5), Q(0));
    START("revolute", "\"initial\": {\"v\": 3}", Q(0), Q(3));
    START("revolute", "\"initial\": {\"q\": 0}", Q(0), Q(0));
    START("revolute", "\"initial\": {\"q\": -0.0, \"v\": -0.0, \"comment\": \"zero\"}", Q(0), Q(0));
    START("continuous", "\"initial\": {\"q\": 1e300, \"v\": 5e-324}", Q(1e300), Q(5e-324));
    START("prismatic", "\"initial\": {\"q\": 0.1, \"v\": 0.3333333333333333}", Q(0.1), Q(1.0 / 3));
    START("helical", "\"pitch\": 0.01, \"initial\": {\"q\": 1}", Q(1), Q(0));
}

TEST(several_coordinates)
{
    START("cylindrical", "\"initial\": {\"q\": [1, 2], \"v\": [3, 4]}", Q(1, 2), Q(3, 4));
    START("universal", "\"initial\": {\"v\": [3, 4]}", Q(0, 0), Q(3, 4));
    START("planar", "\"initial\": {\"q\": [1, 2, 3]}", Q(1, 2, 3), Q(0, 0, 0));
    START("spherical", "\"initial\": {\"q\": [0.6, 0, -0.8, 0], \"v\": [1, 2, 3]}", Q(0.6, 0, -0.8, 0),
          Q(1, 2, 3));
    START("spherical", "\"initial\": {\"v\": [1, 2, 3]}", Q(1, 0, 0, 0), Q(1, 2, 3));
    START("free", "\"initial\": {\"q\": [0, 1, 0, 0, 5, 6, 7], \"v\": [1, 2, 3, 4, 5, 6]}",
          Q(0, 1, 0, 0, 5, 6, 7), Q(1, 2, 3, 4, 5, 6));
}

/* Angles only: neither lengths, nor quaternions, nor speeds. */
TEST(degrees)
{
#define DEGREES "\"angles\": \"degrees\", \"initial\": "
    START("revolute", DEGREES "{\"q\": 90, \"v\": 2}", Q(PI / 2), Q(2));
    START("continuous", DEGREES "{\"q\": -45}", Q(-45 * (PI / 180)), Q(0));
    START("helical", "\"pitch\": 0.5, " DEGREES "{\"q\": 180}", Q(PI), Q(0));
    START("prismatic", DEGREES "{\"q\": 90, \"v\": 90}", Q(90), Q(90));
    START("cylindrical", DEGREES "{\"q\": [90, 90], \"v\": [90, 90]}", Q(PI / 2, 90), Q(90, 90));
    START("universal", DEGREES "{\"q\": [90, 180]}", Q(PI / 2, PI), Q(0, 0));
    START("planar", DEGREES "{\"q\": [90, 90, 90], \"v\": [1, 2, 3]}", Q(90, 90, PI / 2), Q(1, 2, 3));
    START("spherical", DEGREES "{\"q\": [0, 0, 0, 1], \"v\": [1, 2, 3]}", Q(0, 0, 0, 1), Q(1, 2, 3));
    START("free", DEGREES "{\"q\": [1, 0, 0, 0, 90, 90, 90], \"v\": [1, 2, 3, 4, 5, 6]}",
          Q(1, 0, 0, 0, 90, 90, 90), Q(1, 2, 3, 4, 5, 6));
}

/* Rows of a DH chain have the chain's unit. */
TEST(dh_rows)
{
    for (int degrees = 0; degrees < 2; degrees++) {
        char file[1000];
        snprintf(file, sizeof file,
                 "{\"pinion\": 1, \"dh\": {\"convention\": \"classic\", \"angles\": \"%s\", \"rows\": [\n"
                 " {\"joint\": \"i\", \"link\": \"a\", \"initial\": {\"q\": 90, \"v\": 0.25}},\n"
                 " {\"joint\": \"j\", \"link\": \"b\", \"theta\": 10},\n"
                 " {\"joint\": \"k\", \"link\": \"c\", \"type\": \"prismatic\", \"mass\": 1, \"initial\": "
                 "{\"q\": 90}}]}}",
                 degrees ? "degrees" : "radians");
        pinion_model *m = must_load(file);
        double q[3], v[3];
        if (m) {
            CHECK_STATUS(pinion_initial(m, q, v), PINION_OK);
            CHECK_NUMBERS(q, 3, degrees ? PI / 2 : 90, 0, 90);
            CHECK_NUMBERS(v, 3, 0.25, 0, 0);
            round_trip(m, degrees ? "\"initial\": {\"q\": 1.5707963267948966, \"v\": 0.25}"
                                  : "\"initial\": {\"q\": 90, \"v\": 0.25}");
        }
        pinion_model_free(m);
    }
}

/* A quaternion that files round is made unit, once. */
TEST(rounded_quaternion)
{
    pinion_model *m = must_load(
        LINKS " \"joints\": ["
              "{\"name\": \"k\", \"type\": \"fixed\", \"parent\": \"a\", \"child\": \"b\"},\n" JOINT(
                  "spherical", "\"initial\": {\"q\": [0.5773503, 0.5773503, 0.5773503, 0]}") "]}");
    double q[4];
    if (m) {
        CHECK_STATUS(pinion_initial(m, q, NULL), PINION_OK);
        for (int i = 0; i < 3; i++) CHECK_NEAR(q[i], 1 / sqrt(3), 1e-15);
        round_trip(m, "\"initial\"");
    }
    pinion_model_free(m);
}

static void bad(int source, pinion_status status, int line, const char *part, const char *text)
{
    pinion_error err;
    pinion_model *m = load(text, &err);
    char where[40];
    snprintf(where, sizeof where, FILE_NAME ":%d: ", line);
    check_count++;
    if (m)
        CHECK_FAIL("case of line %d loads, expected \"%s\"", source, part);
    else if (strncmp(err.message, where, strlen(where)) != 0 || !strstr(err.message, part) ||
             err.line != line || err.status != status)
        CHECK_FAIL("case of line %d: \"%s\", expected line %d and \"%s\"", source, err.message, line, part);
    pinion_model_free(m);
}
#define BAD(line, part, text) bad(__LINE__, PINION_ERR_PARSE, line, part, text)
/* what is wrong stands on line 4 */
#define ONE(type, text) LINKS " \"joints\": [" JOINT(type, text) "]}"

TEST(errors)
{
    BAD(4, "joints[0].initial: found a number, expected an object", ONE("revolute", "\"initial\": 3"));
    BAD(4, "joints[0].initial: says nothing, expected q, v or both", ONE("revolute", "\"initial\": {}"));
    BAD(4, "says nothing", ONE("revolute", "\"initial\": {\"comment\": \"\"}"));
    BAD(4, "unknown key \"a\", expected one of q, v", ONE("revolute", "\"initial\": {\"a\": 3}"));
    BAD(5, "joints[0].initial.q: found a string", ONE("revolute", "\"initial\": {\n\"q\": \"90\"}"));
    BAD(4, "initial.q: found an array, expected a number", ONE("revolute", "\"initial\": {\"q\": [1]}"));
    BAD(4, "initial.v: found null, expected a number", ONE("revolute", "\"initial\": {\"v\": null}"));
    BAD(4, "initial.q: found a number, expected an array of 2 numbers",
        ONE("cylindrical", "\"initial\": {\"q\": 1}"));
    BAD(4, "initial.q: has 3 elements, expected an array of 2 numbers",
        ONE("cylindrical", "\"initial\": {\"q\": [1, 2, 3]}"));
    BAD(4, "initial.q: has 3 elements, expected an array of 4 numbers",
        ONE("spherical", "\"initial\": {\"q\": [1, 0, 0]}"));
    BAD(4, "initial.v: has 4 elements, expected an array of 3 numbers",
        ONE("spherical", "\"initial\": {\"v\": [1, 0, 0, 0]}"));
    BAD(5, "initial.v[1]: found null, expected a number",
        ONE("planar", "\"initial\": {\"v\": [1,\nnull, 0]}"));
    BAD(4, "initial.q: its quaternion is not of unit length",
        ONE("spherical", "\"initial\": {\"q\": [1, 0.1, 0, 0]}"));
    BAD(4, "initial.q: its quaternion is not of unit length",
        ONE("free", "\"initial\": {\"q\": [0, 0, 0, 0, 1, 0, 0]}"));
    BAD(4, "initial: a fixed joint has no state", ONE("fixed", "\"initial\": {\"q\": 1}"));
    BAD(5, "initial: a joint that follows another one has no state of its own",
        ONE("revolute", "\"mimic\": {\"joint\": \"x\"},\n\"initial\": {\"q\": 1}"));
    BAD(5, "dh.rows[0].initial.q: found true, expected a number",
        "{\"pinion\": 1, \"dh\": {\"convention\": \"modified\", \"rows\": [\n {\"joint\": \"i\",\n \"link\": "
        "\"a\",\n"
        " \"initial\": {\n \"q\": true}}]}}");
    BAD(4, "unknown key \"initial\"",
        LINKS " \"loops\": [" JOINT("revolute", "\"initial\": {\"q\": 1}") "]}");
    BAD(4, "not valid JSON", ONE("revolute", "\"initial\": {\"q\": 1e999}"));
}

/* A start outside the limits loads, with a warning. */
TEST(outside_the_limits)
{
    pinion_model *m = must_load(
        "{\"pinion\": 1, \"dh\": {\"convention\": \"classic\", \"angles\": \"degrees\", \"rows\": [\n"
        " {\"joint\": \"i\", \"link\": \"a\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1},\n"
        "  \"limits\": [-45, 45], \"initial\": {\"q\": 90}}]}}");
    CHECK(m && pinion_model_warning_count(m) == 1);
    if (m) CHECK_HAS(pinion_model_warning(m, 0), "joint 'i' is above its upper limit");
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(one_coordinate);
    RUN(several_coordinates);
    RUN(degrees);
    RUN(dh_rows);
    RUN(rounded_quaternion);
    RUN(errors);
    RUN(outside_the_limits);
    return CHECK_END();
}
