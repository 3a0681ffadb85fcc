/* `pinion generate`: random models and mechanisms as files. */
#define _DEFAULT_SOURCE
#include "command.h"

static const char *const files[] = {"chain.json",  "chain.urdf", "tree.json", "free.json",
                                    "states.json", "bars.json",  NULL};

/* What `pinion info --json` says of a file. */
static json_t *info(const char *path)
{
    answer a = run(NULL, "info", path, "--json", (const char *)NULL);
    return parse_answer(&a, 0);
}

TEST(chains)
{
    answer a = run(NULL, "generate", "chain", "7", "-o", place("chain.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.out && !*a.out && a.err && !*a.err);
    forget(&a);
    json_t *r = info(place("chain.json")), *joint;
    size_t i;
    CHECK_NEAR(json_number_value(DIG(r, "nv")), 7, 0);
    CHECK(json_array_size(DIG(r, "joints")) == 7 && json_array_size(DIG(r, "warnings")) == 0);
    json_array_foreach(DIG(r, "joints"), i, joint) CHECK_TEXT(DIG(joint, "type"), "revolute");
    json_decref(r);

    /* standard output holds the same, and a seed gives the same model every time, another one another */
    char *file = read_file(place("chain.json"));
    a = run(NULL, "generate", "chain", "7", (const char *)NULL);
    answer b = run(NULL, "generate", "chain", "7", "--seed", "1", "-o", "-", (const char *)NULL);
    answer c = run(NULL, "generate", "chain", "7", "--seed", "2", (const char *)NULL);
    CHECK_STATUS(a.status + b.status + c.status, 0);
    CHECK(a.out && file && strcmp(a.out, file) == 0);
    CHECK(a.out && b.out && strcmp(a.out, b.out) == 0);
    CHECK(a.out && c.out && strcmp(a.out, c.out) != 0);
    free(file);
    forget(&a);
    forget(&b);
    forget(&c);

    /* a chain can be had as URDF too, by the file's name */
    a = run(NULL, "generate", "chain", "7", "-o", place("chain.urdf"), "--json", (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK_KEYS(r, "output format");
    CHECK_TEXT(DIG(r, "format"), "urdf");
    json_decref(r);
    r = info(place("chain.urdf"));
    CHECK_NEAR(json_number_value(DIG(r, "nv")), 7, 0);
    json_decref(r);
}

/* A tree has joints of every type; on a free root it has six velocities more. */
TEST(trees)
{
    static const char *const types[] = {"revolute",  "continuous", "prismatic", "helical", "cylindrical",
                                        "universal", "planar",     "spherical", "free"};
    answer a =
        run(NULL, "generate", "tree", "12", "--seed", "5", "-o", place("tree.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    a = run(NULL, "generate", "tree", "12", "--seed", "5", "--root", "free", "-o", place("free.json"),
            (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    char *text = read_file(place("tree.json"));
    for (int i = 0; i < 9; i++) {
        char key[40];
        snprintf(key, sizeof key, "\"type\": \"%s\"", types[i]);
        CHECK_HAS(text, key);
    }
    free(text);
    json_t *tree = info(place("tree.json")), *freed = info(place("free.json"));
    CHECK_NEAR(json_number_value(DIG(freed, "nv")), json_number_value(DIG(tree, "nv")) + 6, 0);
    CHECK_TEXT(DIG(freed, "joints", "0", "name"), "root");
    CHECK_TEXT(DIG(freed, "joints", "0", "type"), "free");
    CHECK(json_array_size(DIG(freed, "mimic")) == json_array_size(DIG(tree, "mimic")));
    CHECK(json_array_size(DIG(freed, "frames")) == json_array_size(DIG(tree, "frames")) + 1);

    /* the free joint of the file is the one that --root free puts there when a model is loaded */
    char states[4000] = "{\"states\": [{\"q\": [0.8, 0, 0.6, 0, 1, 2, 3";
    json_t *joint;
    size_t i;
    json_array_foreach(DIG(tree, "joints"), i, joint)
    {
        const char *type = json_string_value(DIG(joint, "type"));
        int nq = (int)json_number_value(DIG(joint, "nq"));
        for (int k = 0; k < nq; k++) {
            int turn = strcmp(type, "spherical") == 0 || strcmp(type, "free") == 0;
            strcat(states, turn && k < 4 ? (k == 0 ? ", 0.6" : k == 2 ? ", -0.8" : ", 0") : ", 0.3");
        }
    }
    strcat(states, "]}]}");
    write_file("states.json", states);
    answer b = run(NULL, "eval", place("tree.json"), "--root", "free", "--states", place("states.json"),
                   "--what", "mass_matrix,gravity", (const char *)NULL);
    a = run(NULL, "eval", place("free.json"), "--states", place("states.json"), "--what",
            "mass_matrix,gravity", (const char *)NULL);
    json_t *x = parse_answer(&a, 0), *y = parse_answer(&b, 0), *row;
    json_array_foreach(DIG(x, "states", "0", "mass_matrix"), i, row)
    {
        size_t k;
        json_t *value;
        json_array_foreach(row, k, value) CHECK_NEAR(
            json_number_value(value),
            json_number_value(json_array_get(json_array_get(DIG(y, "states", "0", "mass_matrix"), i), k)),
            1e-11);
    }
    CHECK(json_array_size(DIG(x, "states", "0", "mass_matrix")) ==
          json_array_size(DIG(y, "states", "0", "mass_matrix")));
    json_decref(x);
    json_decref(y);
    json_decref(tree);
    json_decref(freed);
}

/* A mechanism with loops, the same every time; the tips are frames. */
TEST(four_bars)
{
    answer a = run(NULL, "generate", "n-four-bar", "2", "-o", place("bars.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.out && !*a.out && a.err && !*a.err);
    forget(&a);
    json_t *r = info(place("bars.json"));
    CHECK_NEAR(json_number_value(DIG(r, "nv")), 5, 0);
    CHECK(json_array_size(DIG(r, "loops")) == 2 && json_array_size(DIG(r, "warnings")) == 0);
    CHECK_TEXT(DIG(r, "joints", "0", "name"), "pivot0");
    json_decref(r);
    a = run("{\"states\": [{\"q\": [0, 0, 0, 0, 0]}]}", "eval", place("bars.json"), "--states", "-", "--what",
            "frames", (const char *)NULL);
    r = parse_answer(&a, 0);
    for (int i = 0; i < 3; i++) {
        char name[20];
        snprintf(name, sizeof name, "B%d", i);
        json_t *position = DIG(r, "states", "0", "frames", name, "position");
        CHECK_NEAR(json_number_value(json_array_get(position, 0)), i, 1e-15);
        CHECK_NEAR(json_number_value(json_array_get(position, 1)), 1, 1e-15);
    }
    json_decref(r);
}

TEST(wrong_arguments)
{
    REFUSED(2, "what to generate (chain|tree|n-four-bar) is missing", NULL, "generate");
    REFUSED(2, "the number of joints is missing", NULL, "generate", "tree");
    REFUSED(2, "expected chain, tree or n-four-bar, got 'three' (did you mean 'tree'?)", NULL, "generate",
            "three", "3");
    static const char *const bad[] = {"0", "-3", "3.5", "many", "", "99999999999999999999"};
    for (int i = 0; i < 6; i++) {
        if (bad[i][0] == '-') continue; /* that is an option */
        REFUSED(2, "expected the number of joints, 1 or more, got '", NULL, "generate", "chain", bad[i]);
    }
    REFUSED(2, "unknown option '-3'", NULL, "generate", "chain", "-3");
    REFUSED(2, "expected 1 to", NULL, "generate", "chain", "9999999");
    REFUSED(2, "expected 1 to", NULL, "generate", "tree", "9999999999");
    REFUSED(2, "--seed: expected a whole number, got '-1'", NULL, "generate", "chain", "3", "--seed", "-1");
    REFUSED(2, "unexpected argument '4' after '3'", NULL, "generate", "chain", "3", "4");
    REFUSED(2, "--root free needs a tree", NULL, "generate", "chain", "3", "--root", "free");
    REFUSED(2, "--root free needs a tree", NULL, "generate", "n-four-bar", "3", "--root", "free");
    REFUSED(2, "--seed needs a random model", NULL, "generate", "n-four-bar", "3", "--seed", "1");
    REFUSED(2, "expected the number of four-bars, 1 or more, got '0'", NULL, "generate", "n-four-bar", "0");
    REFUSED(2, "expected 1 to", NULL, "generate", "n-four-bar", "9999999");
    REFUSED(2, "does not say the format", NULL, "generate", "chain", "3", "-o", "robot.txt");
    REFUSED(2, "--json needs -o FILE", NULL, "generate", "chain", "3", "--json");
    REFUSED(1, "no-such-folder", NULL, "generate", "chain", "3", "-o", place("no-such-folder/x.json"));

    /* what URDF cannot express */
    REFUSED(1, "URDF", NULL, "generate", "tree", "12", "--to", "urdf");
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(chains);
    RUN(trees);
    RUN(four_bars);
    RUN(wrong_arguments);
    return command_end(files);
}
