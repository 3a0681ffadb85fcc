/* pinion eval --what distance:A/B: two balls on sliders and the ground, whose distances are closed forms; names of
 * collisions and of links, and what is refused. */
#include "command.h"
#include "fixtures.h"

static const char *const files[] = {"balls.json", NULL};

#define BALLS                                                                                                         \
    "{\"pinion\": 1, \"links\": [{\"name\": \"base\"}, {\"name\": \"a/b\", \"mass\": 1, \"collisions\":\n"            \
    "  [{\"shape\": \"sphere\", \"radius\": 0.5}, {\"name\": \"far\", \"shape\": \"sphere\", \"radius\": 0.1,\n"      \
    "  \"origin\": {\"position\": [-9, 0, 0]}}]}, {\"name\": \"c\", \"mass\": 1, \"collisions\": [{\"shape\":\n"      \
    "  \"sphere\", \"radius\": 0.25}, {\"shape\": \"mesh\", \"mesh\": \"gone.stl\"}]}, {\"name\": \"bare\"}],\n"      \
    " \"joints\": [{\"name\": \"x\", \"type\": \"prismatic\", \"parent\": \"base\", \"child\": \"a/b\", \"axis\":\n"  \
    "  [1, 0, 0]}, {\"name\": \"z\", \"type\": \"prismatic\", \"parent\": \"base\", \"child\": \"c\", \"axis\":\n"    \
    "  [0, 0, 1]}, {\"name\": \"f\", \"type\": \"fixed\", \"parent\": \"base\", \"child\": \"bare\"}]}\n"

static double number(json_t *at, const char *key, int i, int k)
{
    json_t *x = json_object_get(at, key);
    if (i >= 0) x = json_array_get(x, (size_t)i);
    if (k >= 0) x = json_array_get(x, (size_t)k);
    CHECK(json_is_number(x));
    return json_number_value(x);
}

TEST(balls)
{
    const char *model = write_file("balls.json", BALLS);
    answer a = run("{\"q\": [3, 4]}", "eval", model, "--states", "-", "--what",
                   "distance:a/b/c,distance:far/c,distance:c/ground", "--brief", (const char *)NULL);
    CHECK_HAS(a.err, "warning: 1 collision in mesh files takes no part in contact: the mesh file 'gone.stl' could not");
    a.err[0] = '\0';
    json_t *r = parse_answer(&a, 0), *d = DIG(r, "states", "0", "distance:a/b/c");
    /* centres (3, 0, 0) and (0, 0, 4): 5 apart along (-0.6, 0, 0.8) */
    CHECK_NEAR(number(d, "gap", -1, -1), 5 - 0.75, 1e-14);
    CHECK_NEAR(number(d, "normal", 0, -1), -0.6, 1e-15);
    CHECK_NEAR(number(d, "first", 0, -1), 3 - 0.5 * 0.6, 1e-15);
    CHECK_NEAR(number(d, "second", 2, -1), 4 - 0.25 * 0.8, 1e-15);
    CHECK_NEAR(number(d, "gap_by_v", 0, -1), 0.6, 1e-15);
    CHECK_NEAR(number(d, "gap_by_v", 1, -1), 0.8, 1e-15);
    CHECK_NEAR(number(d, "normal_by_v", 0, 0), -0.8 * 0.8 / 5, 1e-15); /* across: (-1, 0, 0) less its part along n */
    CHECK_NEAR(number(d, "first_by_v", 0, 0), 1 - 0.5 * 0.8 * 0.8 / 5, 1e-15);
    CHECK_NEAR(number(d, "second_by_v", 2, 1), 1 - 0.25 * 0.6 * 0.6 / 5, 1e-15);
    CHECK_NEAR(number(DIG(r, "states", "0", "distance:far/c"), "gap", -1, -1), sqrt(36 + 16) - 0.35, 1e-14);
    d = DIG(r, "states", "0", "distance:c/ground");
    CHECK_NEAR(number(d, "gap", -1, -1), 3.75, 1e-15);
    CHECK_NEAR(number(d, "normal", 2, -1), -1, 0);
    CHECK_NEAR(number(d, "gap_by_v", 1, -1), 1, 0);
    json_decref(r);
}

static void refused(const char *what, int status, const char *words)
{
    answer a = run("{\"q\": [3, 4]}", "eval", place("balls.json"), "--states", "-", "--what", what,
                   (const char *)NULL);
    CHECK_STATUS(a.status, status);
    CHECK_HAS(a.err, words);
    forget(&a);
}

TEST(what_is_refused)
{
    write_file("balls.json", BALLS);
    refused("distance", 2, "distance needs two collisions: distance:A/B");
    refused("distance:c", 1, "expected two names with a slash between them");
    refused("distance:a/b/d", 1, "no collision, and no link with collisions, is named");
    refused("distance:c/fat", 1, "is named 'fat' (did you mean 'far'?)");
    refused("distance:bare/c", 1, "is named 'bare'");
    refused("distance:far/far", 1, "null");
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(balls);
    RUN(what_is_refused);
    return command_end(files);
}
