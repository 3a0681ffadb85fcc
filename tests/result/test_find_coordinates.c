/* Coordinates by name: their own, joints', groups' and patterns'. */
#include "check.h"
#include "pinion/sim/sim.h"

static const char text[] =
    "{\"pinion\": 1, \"name\": \"two\", \"links\": [{\"name\": \"g\"},"
    "{\"name\": \"a\", \"mass\": 1}, {\"name\": \"b\", \"mass\": 1}, {\"name\": \"c\", \"mass\": 1, "
    "\"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": ["
    "{\"name\": \"leg_1\", \"type\": \"prismatic\", \"parent\": \"g\", \"child\": \"a\"},"
    "{\"name\": \"leg_2\", \"type\": \"prismatic\", \"parent\": \"a\", \"child\": \"b\"},"
    "{\"name\": \"ball\", \"type\": \"spherical\", \"parent\": \"b\", \"child\": \"c\"}],"
    "\"groups\": {\"ends\": [\"leg_2\", \"ball\"]}}";

static pinion_model *m;

/* The marks as digits. */
static void expect(const char *what, const char *name, int count, const char *marks)
{
    unsigned char found[8] = {0};
    char got[8] = "";
    CHECK(pinion_find_coordinates(m, what, name, found) == count);
    for (size_t i = 0; i < strlen(marks); i++) got[i] = (char)('0' + found[i]);
    if (strcmp(got, marks) != 0) CHECK_FAIL("%s of %s: %s, expected %s", what, name, got, marks);
}

TEST(names)
{
    pinion_error err;
    m = pinion_load_string(text, sizeof text - 1, PINION_FORMAT_JSON, NULL, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    expect("q", "leg_2", 1, "010000");
    expect("q", "q.leg_2", 1, "010000");
    expect("q", "ball.3", 1, "000001");
    expect("q", "ball", 0, "000000"); /* a quaternion is not one number */
    expect("q", "*", 2, "110000");
    expect("v", "leg_*", 2, "11000");
    expect("v", "ball", 3, "00111");
    expect("v", "ball.1", 1, "00010");
    expect("tau", "ends", 4, "01111");
    expect("q", "ends", 1, "010000");
    expect("actuator", "leg_?", 2, "11000");
    expect("v", "arm", 0, "00000");
    CHECK(pinion_find_coordinates(NULL, "q", "x", NULL) == 0);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(names);
    return CHECK_END();
}
